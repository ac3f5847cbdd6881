// formulas.c: a system written as formulas: Lagrange's equations by automatic differentiation.
//
//     d/dt (dT/dv) - dT/dq + dV/dq - Q  =  contact forces
//
// with T(q, v, t) at most quadratic in v, so that the left side is M a + F with
//
//     M = T_vv,      F = T_vq v + T_vt - T_q + V_q - Q
//         (S0 equation 1a; all velocity terms are in F)
//
// Gaps h(q, t) and slip velocities s = A(q, t) v + b(q, t) give
//
//     n = h_q,   n_offset = h_t,   n_rate = v'h_qq v + 2 h_qt'v + h_tt       gap acceleration   n'a + n_rate
//     t = s_v,   t_offset = b,     t_rate = s_q v + s_t                      slip acceleration  t a + t_rate
//
// All formulas share one tape. Programs on it compute no more than each question needs: T and gaps to second order, V,
// Q and slips to first, coefficients of friction and restitution as values.
//
// D1. b is the slip at v = 0 evaluated there, and not s - A v, which rounding would keep from vanishing.
// D2. A gap within 1e-9 of the size of its terms (the sum of |h_q q|) is taken as 0 in an instant: a contact that
//     coordinates given with ten digits close is closed.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/vector.h"
#include "system/expression.h"
#include "system/jet.h"
#include "system/system.h"

// What is computed, as the file names it. The order is that of the table below.
typedef enum field_kind {
    KINETIC,
    POTENTIAL,
    FORCE,
    GAP,
    MU,
    MU_KINETIC,
    RESTITUTION,
    RESTITUTION_T,
    SLIP,
    STATE_T,
    STATE_Q,
    STATE_V,
} field_kind;

typedef struct output {
    field_kind kind;
    int index;  // coordinate or contact
    int row;    // of a slip
    int entry;  // on the tape
} output;

typedef struct formulas {
    sti_arena memory;
    sti_tape tape;
    sti_jets jets;
    sti_program instant, mass, energy, force, gap, offset, start;
    int output_count;
    output* out;  // T, V, Q (n), five for each contact, slips, t, q (n), v (n) of the start   (output_count)
    output* Q;    // parts of it
    output* contact;
    output* slip;  // (tangent_total)
    output* state;
    int tangent_total;
    unsigned char* has_offset;  // of each slip: it may not vanish with v                     (tangent_total)
    bool any_offset;
    double* inputs;  // parameters, q, v, t                                               (parameter_count + 2 n + 1)
    unsigned char* reach;  // scratch                                                           (count)
} formulas;

enum { PER_CONTACT = 5 };  // gap, mu, mu_kinetic, restitution, restitution_t

static formulas* inside(const sti_system* s) {
    return s->inside;
}

// "contacts[2].slip[0]"
static void field_name(const sti_system* s, const output* o, char* text, size_t size) {
    static const char* const word[] = {"kinetic",     "potential",     "forces", "gap",     "mu",      "mu_kinetic",
                                       "restitution", "restitution_t", "slip",   "state.t", "state.q", "state.v"};
    const int first_joint = s->contact_count - s->joint_count;
    if (o->kind == FORCE) {
        snprintf(text, size, "forces.%s", s->coordinate[o->index]);
    } else if (o->kind >= GAP && o->kind <= SLIP) {
        const bool joint = o->index >= first_joint;
        const int at =
            snprintf(text, size, "%s[%d].%s", joint ? "joints" : "contacts", joint ? o->index - first_joint : o->index,
                     joint && o->kind == GAP ? "constraint" : word[o->kind]);
        if (o->kind == SLIP) snprintf(text + at, size - (size_t)at, "[%d]", o->row);
    } else if (o->kind >= STATE_Q) {
        snprintf(text, size, "%s[%d]", word[o->kind], o->index);
    } else {
        snprintf(text, size, "%s", word[o->kind]);
    }
}

enum { FIELD_SIZE = 120 };

// ---- compilation

static const sti_system_contact_text* contact_text(const sti_system_text* text, int i) {
    return i < text->contact_count ? &text->contacts[i] : &text->joints[i - text->contact_count];
}

// The text of an output; NULL: not given.
static const char* formula_of(const sti_system_text* text, const output* o) {
    switch (o->kind) {
        case KINETIC:
            return text->kinetic;
        case POTENTIAL:
            return text->potential;
        case FORCE:
            return text->forces != NULL ? text->forces[o->index] : NULL;
        case GAP:
            return contact_text(text, o->index)->gap;
        case MU:
            return contact_text(text, o->index)->mu;
        case MU_KINETIC:
            return contact_text(text, o->index)->mu_kinetic != NULL ? contact_text(text, o->index)->mu_kinetic
                                                                    : contact_text(text, o->index)->mu;
        case RESTITUTION:
            return contact_text(text, o->index)->restitution;
        case RESTITUTION_T:
            return contact_text(text, o->index)->restitution_t;
        case SLIP:
            return contact_text(text, o->index)->slip[o->row];
        case STATE_T:
            return text->time;
        case STATE_Q:
            return text->q != NULL ? text->q[o->index] : NULL;
        case STATE_V:
            return text->v != NULL ? text->v[o->index] : NULL;
    }
    return NULL;
}

static sti_status create_outputs(sti_system* s) {
    formulas* f = inside(s);
    const int n = s->n, p = s->contact_count;
    for (int i = 0; i < p; i++) f->tangent_total += s->tangent_count[i];
    f->output_count = 3 + 3 * n + PER_CONTACT * p + f->tangent_total;
    f->memory = sti_arena_make(s->env);
    f->out = sti_arena_take(&f->memory, (size_t)f->output_count, sizeof *f->out);
    f->has_offset = sti_arena_take(&f->memory, (size_t)f->tangent_total, 1);
    f->inputs = sti_arena_take(&f->memory, (size_t)(s->parameter_count + 2 * n + 1), sizeof *f->inputs);
    if (f->memory.status != STI_OK) return f->memory.status;
    f->Q = f->out + 2;
    f->contact = f->Q + n;
    f->slip = f->contact + PER_CONTACT * p;
    f->state = f->slip + f->tangent_total;
    f->out[0].kind = KINETIC;
    f->out[1].kind = POTENTIAL;
    f->state[0].kind = STATE_T;
    for (int k = 0; k < n; k++) {
        f->Q[k] = (output){.kind = FORCE, .index = k};
        f->state[1 + k] = (output){.kind = STATE_Q, .index = k};
        f->state[1 + n + k] = (output){.kind = STATE_V, .index = k};
    }
    int row = 0;
    for (int i = 0; i < p; i++) {
        for (int k = 0; k < PER_CONTACT; k++)
            f->contact[PER_CONTACT * i + k] = (output){.kind = (field_kind)(GAP + k), .index = i};
        for (int k = 0; k < s->tangent_count[i]; k++) f->slip[row++] = (output){.kind = SLIP, .index = i, .row = k};
    }
    return STI_OK;
}

static sti_status compile_names(sti_scope* scope, const sti_system_text* text) {
    char field[FIELD_SIZE];
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < text->parameter_count; k++)
        status = sti_scope_parameter(scope, "parameters", text->parameter_names[k], k);
    for (int k = 0; status == STI_OK && k < text->coordinate_count; k++) {
        snprintf(field, sizeof field, "coordinates[%d]", k);
        status = sti_scope_coordinate(scope, field, text->coordinates[k], k);
    }
    for (int k = 0; status == STI_OK && k < text->definition_count; k++) {
        snprintf(field, sizeof field, "definitions.%.60s", text->definitions[k].name);
        status = sti_scope_definition(scope, field, text->definitions[k].name, text->definitions[k].formula);
    }
    return status;
}

static sti_status compile_outputs(const sti_system* s, sti_scope* scope, const sti_system_text* text) {
    const formulas* f = inside(s);
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < f->output_count; k++) {
        char field[FIELD_SIZE];
        const char* formula = formula_of(text, &f->out[k]);
        field_name(s, &f->out[k], field, sizeof field);
        if (formula == NULL && (f->out[k].kind == GAP || f->out[k].kind == KINETIC || f->out[k].kind == SLIP))
            return STI_FAIL(s->env, STI_ERR_INPUT, -1, "%s: missing: a formula is expected", field);
        status = sti_expression_compile(scope, field, formula != NULL ? formula : "0", &f->out[k].entry);
    }
    return status;
}

// ---- what formulas may depend on

static sti_status check_velocities(sti_system* s, const sti_degree* degree) {
    formulas* f = inside(s);
    for (int k = 0; k < f->output_count; k++) {
        const output* o = &f->out[k];
        const int d = degree[o->entry].degree;
        const char* what = NULL;
        if (o->kind == KINETIC && d > 2) what = "a kinetic energy at most quadratic in the velocities is expected";
        if (o->kind == POTENTIAL && d > 0) what = "a potential does not depend on velocities; forces do";
        if (o->kind == GAP && d > 0) what = "a constraint on positions does not depend on velocities";
        if (o->kind == SLIP && d > 1) what = "a slip velocity affine in the velocities is expected";
        if (o->kind == SLIP && d < 1) what = "no velocity stands in it: a slip velocity is expected, x' for a place x";
        if (o->kind == SLIP && !degree[o->entry].homogeneous) f->has_offset[o - f->slip] = f->any_offset = true;
        if (what == NULL) continue;
        char field[FIELD_SIZE];
        field_name(s, o, field, sizeof field);
        return STI_FAIL(s->env, STI_ERR_INPUT, o->index, "%s: %s", field, what);
    }
    sti_tape_reach(&f->tape, f->state[0].entry, f->reach);
    for (int i = 0; i <= f->state[0].entry; i++) {
        if (f->reach[i] && f->tape.node[i].op == STI_OP_INPUT && f->tape.node[i].a >= s->parameter_count)
            return STI_FAIL(s->env, STI_ERR_INPUT, -1, "state.t: only parameters may stand in the time of the start");
    }
    return STI_OK;
}

static sti_status check_dependence(sti_system* s) {
    sti_degree* degree = sti_alloc_array(s->env, (size_t)inside(s)->tape.count, sizeof *degree);
    if (degree == NULL) return STI_ERR_MEMORY;
    sti_tape_degrees(&inside(s)->tape, degree);
    const sti_status status = check_velocities(s, degree);
    sti_free(s->env, degree);
    return status;
}

// ---- programs

static sti_status create_programs(sti_system* s) {
    formulas* f = inside(s);
    sti_program* const all[] = {&f->instant, &f->mass, &f->energy, &f->force, &f->gap, &f->offset, &f->start};
    sti_status status = STI_OK;
    for (size_t k = 0; status == STI_OK && k < sizeof all / sizeof all[0]; k++)
        status = sti_program_init(all[k], s->env, &f->tape);
    if (status != STI_OK) return status;
    for (int k = 0; k < f->output_count; k++) {
        const output* o = &f->out[k];
        if (o->kind >= STATE_T) {
            sti_program_want(&f->start, o->entry, 0);
            continue;
        }
        const int order = o->kind == KINETIC || o->kind == GAP ? 2 : o->kind >= MU && o->kind <= RESTITUTION_T ? 0 : 1;
        sti_program_want(&f->instant, o->entry, o->kind == FORCE ? 0 : order);
        if (o->kind == KINETIC) sti_program_want(&f->mass, o->entry, 2);
        if (o->kind <= POTENTIAL) sti_program_want(&f->energy, o->entry, 0);
        if (o->kind == POTENTIAL) sti_program_want(&f->force, o->entry, 2);
        if (o->kind == FORCE) sti_program_want(&f->force, o->entry, 1);
        if (o->kind == GAP) sti_program_want(&f->gap, o->entry, 0);
        if (o->kind == SLIP) sti_program_want(&f->offset, o->entry, 0);
    }
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) sti_program_finish(all[k], &f->tape);
    return STI_OK;
}

// Nothing that pushes has t in it.
static bool is_steady(const formulas* f) {
    for (int k = 0; k < f->output_count; k++) {
        const output* o = &f->out[k];
        if (o->kind != POTENTIAL && o->kind != FORCE) continue;
        sti_tape_reach(&f->tape, o->entry, f->reach);
        for (int i = 0; i <= o->entry; i++) {
            const sti_node* x = &f->tape.node[i];
            if (f->reach[i] && x->op == STI_OP_INPUT && x->a == sti_tape_time(&f->tape)) return false;
        }
    }
    return true;
}

// ---- evaluation

static void run(const sti_system* s, const sti_program* program, double t, const double* q, const double* v) {
    formulas* f = inside(s);
    const size_t size = (size_t)s->n * sizeof(double);
    double* in = f->inputs;
    if (s->parameter_count > 0) memcpy(in, s->parameters, (size_t)s->parameter_count * sizeof *in);
    memcpy(in + sti_tape_first_q(&f->tape), q, size);
    if (v != NULL)
        memcpy(in + sti_tape_first_v(&f->tape), v, size);
    else
        memset(in + sti_tape_first_v(&f->tape), 0, size);
    in[sti_tape_time(&f->tape)] = t;
    sti_jets_evaluate(&f->jets, program, in);
}

static double value(const formulas* f, const output* o) {
    return f->jets.x[o->entry];
}

static sti_status not_finite(const sti_system* s, sti_env* env, const output* o, const char* what) {
    char field[FIELD_SIZE];
    field_name(s, o, field, sizeof field);
    return STI_FAIL(env, STI_ERR_INPUT, o->index, "%s: no finite %s at these coordinates", field, what);
}

// Every output that a program computed has a finite value, and where it went to second order finite derivatives.
static sti_status check_outputs(const sti_system* s, sti_env* env, const sti_program* program) {
    const formulas* f = inside(s);
    for (int k = 0; k < f->output_count; k++) {
        const output* o = &f->out[k];
        const int order = program->order[o->entry];
        if (order == STI_JET_SKIP || (o->kind >= STATE_T) != (program == &f->start)) continue;
        if (!isfinite(value(f, o))) return not_finite(s, env, o, "value");
        const int64_t first = f->jets.jet[o->entry], end = f->jets.jet[o->entry + 1];
        const int64_t width = f->jets.start[o->entry + 1] - f->jets.start[o->entry];
        if (order > 0 && !sti_vector_is_finite((size_t)(order == 2 ? end - first : width), f->jets.d + first))
            return not_finite(s, env, o, "derivative");
    }
    return STI_OK;
}

static void warn_of_kink(const sti_system* s, sti_env* env) {
    const formulas* f = inside(s);
    const int kink = f->jets.kink;
    if (kink < 0) return;
    const sti_op op = f->tape.node[kink].op;
    const char* taken = op == STI_OP_MIN || op == STI_OP_MAX ? "that of its first argument" : "0";
    for (int k = 0; k < f->output_count; k++) {
        const output* o = &f->out[k];
        char field[FIELD_SIZE];
        if (o->entry < kink || o->kind >= STATE_T) continue;
        sti_tape_reach(&f->tape, o->entry, f->reach);
        if (!f->reach[kink]) continue;
        field_name(s, o, field, sizeof field);
        sti_log(env, STI_LOG_WARNING, "%s: %s has no derivative at these coordinates, %s is taken", field,
                sti_op_name(op), taken);
        return;
    }
}

// Split the pairs of a Hessian over (q, v, t): M += T_vv, F += T_vq v + T_vt.
static void take_kinetic(const sti_system* s, const double* v, double* M, double* F) {
    const formulas* f = inside(s);
    const int n = s->n, entry = f->out[0].entry;
    const int* variable;
    int width;
    const double* H = sti_jets_hessian(&f->jets, entry, &variable, &width);
    memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
    for (int k = 0; k < width; k++) {
        for (int l = 0; l <= k; l++) {  // variable[l] <= variable[k]
            const int a = variable[l], b = variable[k];
            const double h = *H++;
            const bool a_q = a < n, a_v = !a_q && a < 2 * n, b_v = b >= n && b < 2 * n;
            if (a_v && b_v) M[(a - n) * n + b - n] = M[(b - n) * n + a - n] = h;
            if (F == NULL) continue;
            if (a_q && b_v) F[b - n] += h * v[a];
            if (a_v && b == 2 * n) F[a - n] += h;
        }
    }
}

// v'h_qq v + 2 h_qt'v + h_tt: the Hessian along (v, 1), all pairs
static double second_rate(const sti_system* s, int entry, const double* v) {
    const formulas* f = inside(s);
    const int n = s->n;
    const int* variable;
    int width;
    const double* H = sti_jets_hessian(&f->jets, entry, &variable, &width);
    double sum = 0;
    for (int k = 0; k < width; k++) {
        const double b = variable[k] < n ? v[variable[k]] : 1;
        for (int l = 0; l <= k; l++) {
            const double a = variable[l] < n ? v[variable[l]] : 1;
            sum += (l < k ? 2 : 1) * *H++ * a * b;
        }
    }
    return sum;
}

static void take_gap(const sti_system* s, int i, const double* q, const double* v, sti_instant_store* out) {
    const formulas* f = inside(s);
    const output* o = f->contact + PER_CONTACT * i;
    const int n = s->n, entry = o[0].entry;
    sti_instant_contact* c = &out->contacts[i];
    double *row = out->n + (size_t)i * (size_t)n, size = 0;
    memset(row, 0, (size_t)n * sizeof *row);
    sti_jets_add_gradient(&f->jets, entry, 0, n, 1, row);
    for (int k = 0; k < n; k++) size += fabs(row[k] * q[k]);
    c->gap = value(f, &o[0]);
    if (fabs(c->gap) <= 1e-9 * size) c->gap = 0;  // D2
    c->n_rate = second_rate(s, entry, v);
    c->n_offset = sti_jets_gradient(&f->jets, entry, 2 * n);
    c->mu = value(f, &o[1]);
    c->mu_kinetic = value(f, &o[2]);
    c->restitution = value(f, &o[3]);
    c->restitution_t = value(f, &o[4]);
}

static void take_slip(const sti_system* s, int row, const double* v, sti_instant_store* out) {
    const formulas* f = inside(s);
    const int n = s->n, entry = f->slip[row].entry;
    double* t = out->t + (size_t)row * (size_t)n;
    memset(t, 0, (size_t)n * sizeof *t);
    sti_jets_add_gradient(&f->jets, entry, n, n, 1, t);
    double rate = sti_jets_gradient(&f->jets, entry, 2 * n);
    for (int k = 0; k < n; k++) rate += sti_jets_gradient(&f->jets, entry, k) * v[k];
    out->t_rate[row] = rate;
    out->t_offset[row] = 0;
}

// Numbers that an instant does not allow, named as the file does.
static sti_status check_contacts(const sti_system* s, sti_env* env, const sti_instant_store* out) {
    const formulas* f = inside(s);
    for (int i = 0; i < s->contact_count; i++) {
        const sti_instant_contact* c = &out->contacts[i];
        char field[FIELD_SIZE];
        bool moves = false;
        for (int k = 0; k < s->n; k++) moves = moves || c->n[k] != 0;
        if (!moves) {
            field_name(s, f->contact + PER_CONTACT * i, field, sizeof field);
            return STI_FAIL(env, STI_ERR_INPUT, i, "%s: its gradient vanishes at these coordinates", field);
        }
        for (int k = 1; k <= 2; k++) {
            const output* o = f->contact + PER_CONTACT * i + k;
            field_name(s, o, field, sizeof field);
            if (value(f, o) < 0)
                return STI_FAIL(env, STI_ERR_INPUT, i, "%s: %g: not below 0 is expected", field, value(f, o));
            if (value(f, o) > 0 && c->tangent_count == 0)
                return STI_FAIL(env, STI_ERR_INPUT, i, "%s: %g: friction needs slip, the velocity it acts against",
                                field, value(f, o));
        }
    }
    return STI_OK;
}

static sti_status fill(const sti_system* s, sti_env* env, double t, const double* q, const double* v,
                       sti_instant_store* out) {
    formulas* f = inside(s);
    const int n = s->n;
    run(s, &f->instant, t, q, v);
    sti_status status = check_outputs(s, env, &f->instant);
    if (status != STI_OK) return status;
    warn_of_kink(s, env);
    memset(out->F, 0, (size_t)n * sizeof *out->F);
    take_kinetic(s, v, out->M, out->F);
    sti_jets_add_gradient(&f->jets, f->out[0].entry, 0, n, -1, out->F);
    sti_jets_add_gradient(&f->jets, f->out[1].entry, 0, n, 1, out->F);
    for (int k = 0; k < n; k++) out->F[k] -= value(f, &f->Q[k]);
    for (int i = 0; i < s->contact_count; i++) take_gap(s, i, q, v, out);
    for (int row = 0; row < f->tangent_total; row++) take_slip(s, row, v, out);
    status = check_contacts(s, env, out);
    if (status != STI_OK || !f->any_offset) return status;
    run(s, &f->offset, t, q, NULL);  // D1
    for (int row = 0; row < f->tangent_total; row++) {
        if (f->has_offset[row]) out->t_offset[row] = value(f, &f->slip[row]);
    }
    return check_outputs(s, env, &f->offset);
}

static sti_status mass(const sti_system* s, sti_env* env, double t, const double* q, double* M) {
    formulas* f = inside(s);
    run(s, &f->mass, t, q, NULL);
    const sti_status status = check_outputs(s, env, &f->mass);
    if (status == STI_OK) take_kinetic(s, NULL, M, NULL);
    return status;
}

static sti_status energy(const sti_system* s, sti_env* env, double t, const double* q, const double* v, double* kinetic,
                         double* potential) {
    formulas* f = inside(s);
    run(s, &f->energy, t, q, v);
    const sti_status status = check_outputs(s, env, &f->energy);
    if (kinetic != NULL) *kinetic = value(f, &f->out[0]);
    if (potential != NULL) *potential = value(f, &f->out[1]);
    return status;
}

// k = Q - V_q with k_q = Q_q - V_qq and k_v = Q_v
static sti_status force(const sti_system* s, sti_env* env, double t, const double* q, const double* v, double* k,
                        double* k_q, double* k_v) {
    formulas* f = inside(s);
    const int n = s->n;
    const size_t square = (size_t)n * (size_t)n * sizeof(double);
    run(s, &f->force, t, q, v);
    const sti_status status = check_outputs(s, env, &f->force);
    if (status != STI_OK) return status;
    for (int i = 0; k != NULL && i < n; i++) k[i] = value(f, &f->Q[i]);
    if (k != NULL) sti_jets_add_gradient(&f->jets, f->out[1].entry, 0, n, -1, k);
    if (k_v != NULL) memset(k_v, 0, square);
    for (int i = 0; k_v != NULL && i < n; i++)
        sti_jets_add_gradient(&f->jets, f->Q[i].entry, n, n, 1, k_v + (size_t)i * (size_t)n);
    if (k_q == NULL) return STI_OK;
    memset(k_q, 0, square);
    for (int i = 0; i < n; i++) sti_jets_add_gradient(&f->jets, f->Q[i].entry, 0, n, 1, k_q + (size_t)i * (size_t)n);
    const int* variable;
    int width;
    const double* H = sti_jets_hessian(&f->jets, f->out[1].entry, &variable, &width);
    for (int i = 0; i < width; i++) {
        for (int j = 0; j <= i; j++, H++) {
            if (variable[i] >= n) continue;  // time
            k_q[variable[i] * n + variable[j]] -= *H;
            if (i != j) k_q[variable[j] * n + variable[i]] -= *H;
        }
    }
    return STI_OK;
}

static sti_status gap(const sti_system* s, sti_env* env, double t, const double* q, double* out) {
    formulas* f = inside(s);
    run(s, &f->gap, t, q, NULL);
    for (int i = 0; i < s->contact_count; i++) out[i] = value(f, f->contact + PER_CONTACT * i);
    return check_outputs(s, env, &f->gap);
}

// Formulas of the start may use each other's coordinates and velocities. Passes over all of them, from numbers that are
// not known, settle one more in each pass; what depends on itself never settles.
static sti_status state(const sti_system* s, sti_env* env, double* t, double* q, double* v) {
    formulas* f = inside(s);
    const int n = s->n;
    double* in = f->inputs;
    if (s->parameter_count > 0) memcpy(in, s->parameters, (size_t)s->parameter_count * sizeof *in);
    for (int k = 0; k <= 2 * n; k++) in[s->parameter_count + k] = NAN;
    for (int pass = 0; pass <= 2 * n + 1; pass++) {
        sti_jets_evaluate(&f->jets, &f->start, in);
        bool known = true;
        in[sti_tape_time(&f->tape)] = value(f, &f->state[0]);
        for (int k = 0; k < 2 * n; k++) {
            in[s->parameter_count + k] = value(f, &f->state[1 + k]);
            known = known && !isnan(in[s->parameter_count + k]);
        }
        if (known && pass > 0) break;
    }
    const sti_status status = check_outputs(s, env, &f->start);
    if (t != NULL) *t = value(f, &f->state[0]);
    for (int k = 0; q != NULL && k < n; k++) q[k] = value(f, &f->state[1 + k]);
    for (int k = 0; v != NULL && k < n; k++) v[k] = value(f, &f->state[1 + n + k]);
    return status;
}

// ---- life

static void destroy(sti_system* s) {
    formulas* f = inside(s);
    if (f == NULL) return;
    sti_program* const all[] = {&f->instant, &f->mass, &f->energy, &f->force, &f->gap, &f->offset, &f->start};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) sti_program_clear(s->env, all[k]);
    if (f->jets.env != NULL) sti_jets_clear(&f->jets);
    sti_arena_clear(&f->memory);
    sti_free(s->env, f->reach);
    if (f->tape.env != NULL) sti_tape_clear(&f->tape);
    sti_free(s->env, f);
}

static const sti_system_kind kind = {destroy, fill, mass, energy, force, gap, state};

static sti_status create_inside(sti_system* s, const sti_system_text* text) {
    formulas* f = sti_alloc_array_zero(s->env, 1, sizeof *f);
    if (f == NULL) return STI_ERR_MEMORY;
    s->inside = f;
    sti_tape_init(&f->tape, s->env, s->parameter_count, s->n);
    sti_scope scope = {.tape = &f->tape};
    sti_status status = create_outputs(s);
    if (status == STI_OK) status = compile_names(&scope, text);
    if (status == STI_OK) status = compile_outputs(s, &scope, text);
    sti_scope_clear(&scope);
    if (status != STI_OK) return status;
    f->reach = sti_alloc_array_zero(s->env, (size_t)f->tape.count, 1);
    if (f->reach == NULL) return STI_ERR_MEMORY;
    status = check_dependence(s);
    if (status == STI_OK) status = sti_jets_init(&f->jets, s->env, &f->tape);
    if (status == STI_OK) status = create_programs(s);
    if (status == STI_OK) s->steady = is_steady(f);
    return status;
}

static sti_status check_text(sti_env* env, const sti_system_text* text) {
    enum { MOST_COORDINATES = 1000, MOST_CONTACTS = 5000 };
    if (text->coordinate_count < 1 || text->coordinate_count > MOST_COORDINATES)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "coordinates: %d: from 1 to %d names are expected",
                        text->coordinate_count, MOST_COORDINATES);
    if (text->contact_count < 0 || text->joint_count < 0 || text->contact_count > MOST_CONTACTS ||
        text->joint_count > MOST_CONTACTS)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "contacts: %d and %d joints: at most %d of each are expected",
                        text->contact_count, text->joint_count, MOST_CONTACTS);
    for (int i = 0; i < text->contact_count + text->joint_count; i++) {
        const bool joint = i >= text->contact_count;
        const int rows = contact_text(text, i)->slip_count;
        if (rows < 0 || rows > 2)
            return STI_FAIL(env, STI_ERR_INPUT, i,
                            "%s[%d].slip: %d formulas: at most 2 are expected: one in the plane, two in space",
                            joint ? "joints" : "contacts", joint ? i - text->contact_count : i, rows);
    }
    for (int k = 0; k < text->parameter_count; k++) {
        if (!isfinite(text->parameters[k]))
            return STI_FAIL(env, STI_ERR_INPUT, k, "parameters.%.60s: %g: a finite number is expected",
                            text->parameter_names[k], text->parameters[k]);
    }
    return STI_OK;
}

sti_status sti_system_create(sti_env* env, const sti_system_text* text, sti_system** out) {
    *out = NULL;
    sti_status status = check_text(env, text);
    if (status != STI_OK) return status;
    const size_t count = (size_t)text->contact_count + (size_t)text->joint_count;
    sti_arena memory = sti_arena_make(env);
    int* rows = sti_arena_raw(&memory, count, sizeof *rows);
    const char** names = sti_arena_raw(&memory, count, sizeof *names);
    int* corners = sti_arena_raw(&memory, count, sizeof *corners);
    const double** corner = sti_arena_raw(&memory, count, sizeof *corner);
    sti_system* s = NULL;
    if (memory.status != STI_OK) {
        status = STI_ERR_MEMORY;
    } else {
        for (size_t i = 0; i < count; i++) {
            rows[i] = contact_text(text, (int)i)->slip_count;
            names[i] = contact_text(text, (int)i)->name;
            corners[i] = contact_text(text, (int)i)->corner_count;
            corner[i] = contact_text(text, (int)i)->corner;
        }
        const sti_system_shape shape = {.n = text->coordinate_count,
                                        .contact_count = text->contact_count,
                                        .joint_count = text->joint_count,
                                        .parameter_count = text->parameter_count,
                                        .coordinates = text->coordinates,
                                        .contacts = names,
                                        .parameters = text->parameter_names,
                                        .tangent_count = rows,
                                        .corner_count = corners,
                                        .corner = corner};
        status = sti_system_begin(env, &shape, &s);
    }
    sti_arena_clear(&memory);
    if (status != STI_OK) return status;
    s->kind = &kind;
    if (text->parameter_count > 0)
        memcpy(s->parameters, text->parameters, (size_t)text->parameter_count * sizeof *s->parameters);
    status = create_inside(s, text);
    if (status == STI_OK)
        *out = s;
    else
        sti_system_destroy(s);
    return status;
}
