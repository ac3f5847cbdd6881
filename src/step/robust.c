// robust.c: does a control keep its contact modes? The algorithm of S3 2.4, with what the paper leaves open.
//
//     1. solve the first step's problem by Lemke's method; alpha_0 is its complementary basis
//     2. for n = 1, ..., N - 1: solve C(alpha_0) w = b at step n, a linear system; a negative component is a switch
//
// With A, C, D, B, a, b of the step's MLCP (impulses.c) the linear system is
//
//     [ A    C_a  ] (u  )     (a  )
//     [ D_a  B_aa ] (z_a) = - (b_a),      w_rest = D u + B z + b,      a = alpha_0
//
// and the state moves on with its solution (errata S3-E24). A singular matrix counts as a switch. An open contact has
// components in the basis that say nothing about modes (PEG-05 of tests/reference): a switch there is reported like
// any other, as in S3. All contacts are in the problem at every step (gap_tol INFINITY), so that its size does not
// change.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "step/step.h"

static const double negative = 1e-9;

typedef struct line {
    sti_arena memory;
    int order;  // n + joints + |alpha|
    sti_dense_factor factor;
    double* x;  // (order)
    double* z;  // (pairs)
    int* pick;  // the pairs of the basis
} line;

static void clear_line(line* k) {
    sti_dense_factor_clear(&k->factor);
    sti_arena_clear(&k->memory);
}

static sti_status make_line(sti_env* env, const sti_impulses* p, const unsigned char* alpha, line* k) {
    const int N = p->n + p->joints, m = p->pairs;
    *k = (line){.order = N};
    k->memory = sti_arena_make(env);
    k->pick = sti_arena_take(&k->memory, (size_t)m, sizeof *k->pick);
    k->x = sti_arena_take(&k->memory, (size_t)(N + m), sizeof *k->x);
    k->z = sti_arena_take(&k->memory, 2 * (size_t)m, sizeof *k->z);
    if (k->memory.status != STI_OK) return k->memory.status;
    for (int i = 0; i < m; i++) {
        if (alpha[i]) k->pick[k->order++ - N] = i;
    }
    return sti_dense_factor_init(&k->factor, env, k->order);
}

// u and z of the basis; false: singular. Slacks of the others follow z.
static bool solve_line(const sti_impulses* p, line* k) {
    const int N = p->n + p->joints, m = p->pairs, order = k->order;
    double *K = sti_dense_factor_load(&k->factor, order), *w = k->z + m;
    for (int i = 0; i < order; i++) {
        const int row = i < N ? i : k->pick[i - N];
        for (int j = 0; j < order; j++) {
            const int col = j < N ? j : k->pick[j - N];
            double e;
            if (i < N)
                e = j < N ? p->A[sti_at(N, row, col)] : p->C[sti_at(m, row, col)];
            else
                e = j < N ? p->D[sti_at(N, row, col)] : p->B[sti_at(m, row, col)];
            K[sti_at(order, i, j)] = e;
        }
        k->x[i] = i < N ? -p->a[row] : -p->b[row];
    }
    if (!sti_dense_factor_lu(&k->factor) || !(sti_dense_factor_rcond(&k->factor) > 1e-14)) return false;
    sti_dense_factor_solve(&k->factor, k->x);
    memset(k->z, 0, (size_t)m * sizeof *k->z);
    for (int i = N; i < order; i++) k->z[k->pick[i - N]] = k->x[i];
    for (int i = 0; i < m; i++)
        w[i] =
            sti_vector_dot(N, p->D + sti_at(N, i, 0), k->x) + sti_vector_dot(m, p->B + sti_at(m, i, 0), k->z) + p->b[i];
    return true;
}

static sti_status pose(sti_stepper* s) {
    sti_status status = sti_system_gap(s->system, s->time, s->q, s->gap);
    for (int i = 0; i < s->p; i++) s->active[i] = true;
    if (status == STI_OK && s->options.scheme == STI_SCHEME_ALPHA)
        status = sti_step_alpha_pose(s, s->options.step);
    else if (status == STI_OK)
        status = sti_step_quasistatic_pose(s, s->options.step);
    if (status == STI_OK) sti_impulses_pose(&s->impulses);
    return status;
}

static void move(sti_stepper* s) {
    const double h = s->options.step, alpha = s->options.alpha;
    const bool quasi = s->options.scheme == STI_SCHEME_QUASISTATIC;
    for (int i = 0; i < s->n; i++) {
        const double u = quasi ? s->impulses.u[i] / h : s->impulses.u[i];
        s->q[i] += h * u;
        s->v[i] = quasi ? u : (u - (1 - alpha) * s->v[i]) / alpha;
    }
    s->step++;
    s->time = s->start + (double)s->step * h;
}

static void judge(const sti_impulses* p, const line* k, sti_robust* out) {
    const double* w = k->z + p->pairs;
    out->least = 0;
    out->broken_count = 0;
    for (int i = 0; i < p->pairs; i++) {
        out->value[i] = out->alpha[i] ? k->z[i] : w[i];
        if (out->value[i] < -negative) out->broken[out->broken_count++] = i;
        out->least = fmin(out->least, out->value[i]);
    }
    out->violating = out->broken_count > 0 ? out->broken[0] : -1;
}

// What each pair stands for, in the order of sti_impulses_pose.
static void label(const sti_impulses* p, sti_robust* out) {
    for (int j = 0; j < p->count; j++) {
        const sti_impulse_contact* c = &p->contacts[j];
        const int beta = p->first_beta[j] < 0 ? 0 : sti_impulses_columns(p, c);
        const bool unilateral = !c->bilateral && p->row[j] >= 0;
        for (int k = -1; k <= beta; k++) {
            const int pair = k < 0 ? p->row[j] : k < beta ? p->first_beta[j] + k : p->lambda_index[j];
            if ((k < 0 && !unilateral) || (k == beta && beta == 0)) continue;
            out->pair_contact[pair] = c->contact;
            out->pair_kind[pair] = k < 0 ? STI_ROBUST_NORMAL : k < beta ? STI_ROBUST_FRICTION : STI_ROBUST_SLIDING;
            out->pair_open[pair] = unilateral && !out->alpha[p->row[j]];
        }
    }
}

// Modes are those of the basis, so a negative margin is a mode that does not fit any more.
static void measure(const sti_stepper* s, sti_robust* out) {
    const sti_impulses* p = &s->impulses;
    const double h = s->options.step, length = s->options.scheme == STI_SCHEME_QUASISTATIC ? 1 : h;
    sti_robust_margin m = {INFINITY, INFINITY, INFINITY, INFINITY};
    for (int j = 0; j < p->count; j++) {
        const sti_impulse_contact* c = &p->contacts[j];
        const double *c_t = p->c_t + sti_at(2, j, 0), *slip = p->slip + sti_at(2, j, 0);
        if (c->bilateral || p->row[j] < 0) continue;
        if (!out->alpha[p->row[j]]) {
            m.opening = fmin(m.opening, length * p->rho[j]);
            continue;
        }
        m.force = fmin(m.force, p->c_n[j] / h);
        if (p->first_beta[j] < 0) continue;
        if (out->alpha[p->lambda_index[j]])
            m.slipping = fmin(m.slipping, length * hypot(slip[0], slip[1]));
        else
            m.reserve = fmin(m.reserve, (c->mu * p->c_n[j] - hypot(c_t[0], c_t[1])) / h);
    }
    out->margins[out->margin_count++] = m;
}

static sti_status follow(sti_stepper* s, int steps, sti_robust* out) {
    sti_impulses* p = &s->impulses;
    line k;
    sti_status status = make_line(s->env, p, out->alpha, &k);
    for (int l = 1; status == STI_OK && l < steps && !out->is_switch; l++) {
        status = pose(s);
        if (status != STI_OK) break;
        if (!solve_line(p, &k)) {
            out->is_switch = true;
            out->step = l;
            out->least = NAN;
            break;
        }
        judge(p, &k, out);
        sti_impulses_read(p, k.x, k.z);
        measure(s, out);
        if (out->violating >= 0) {
            out->is_switch = true;
            out->step = l;
        } else {
            move(s);
        }
    }
    clear_line(&k);
    return status;
}

static sti_status run(sti_stepper* s, int steps, sti_robust* out) {
    sti_status status = pose(s);
    if (status == STI_OK) status = sti_impulses_solve(&s->impulses);
    if (status != STI_OK) return status;
    out->outcome = s->impulses.outcome;
    out->pair_count = s->impulses.pairs;
    out->alpha = sti_alloc_array_zero(s->env, (size_t)out->pair_count, 1);
    out->q = sti_alloc_array_zero(s->env, (size_t)s->n, sizeof *out->q);
    out->broken = sti_alloc_array_zero(s->env, (size_t)out->pair_count, sizeof *out->broken);
    out->value = sti_alloc_array_zero(s->env, (size_t)out->pair_count, sizeof *out->value);
    out->pair_contact = sti_alloc_array_zero(s->env, (size_t)out->pair_count, sizeof *out->pair_contact);
    out->pair_kind = sti_alloc_array_zero(s->env, (size_t)out->pair_count, 1);
    out->pair_open = sti_alloc_array_zero(s->env, (size_t)out->pair_count, 1);
    out->margins = sti_alloc_array_zero(s->env, (size_t)steps, sizeof *out->margins);
    if (out->alpha == NULL || out->q == NULL || out->broken == NULL || out->value == NULL ||
        out->pair_contact == NULL || out->pair_kind == NULL || out->pair_open == NULL || out->margins == NULL)
        return STI_ERR_MEMORY;
    if (out->outcome == STI_SOLVED) {
        memcpy(out->alpha, s->impulses.basis, (size_t)out->pair_count);
        label(&s->impulses, out);
        measure(s, out);
        move(s);
        status = follow(s, steps, out);
    }
    memcpy(out->q, s->q, (size_t)s->n * sizeof *out->q);
    return status;
}

sti_status sti_robust_create(sti_env* env, const sti_system* system, const sti_stepper_options* options, int steps,
                             sti_robust** out) {
    *out = NULL;
    sti_stepper_options o = options != NULL ? *options : sti_stepper_options_default(STI_SCHEME_QUASISTATIC);
    const bool fits = o.scheme == STI_SCHEME_QUASISTATIC || (o.scheme == STI_SCHEME_ALPHA && o.level == STI_LEVEL_GAP);
    if (!fits || o.friction != STI_FRICTION_FACETS)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "schemes quasistatic, and alpha with level gap; friction by facets");
    if (steps < 1) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%d steps: at least 1", steps);
    sti_stepper* s = NULL;
    sti_robust* r = sti_alloc_array_zero(env, 1, sizeof *r);
    if (r == NULL) return STI_ERR_MEMORY;
    r->step = r->violating = -1;
    sti_status status = sti_stepper_create(env, system, &o, &s);
    if (status == STI_OK) status = run(s, steps, r);
    sti_stepper_destroy(s);
    if (status == STI_OK)
        *out = r;
    else
        sti_robust_destroy(env, r);
    return status;
}

void sti_robust_destroy(sti_env* env, sti_robust* robust) {
    if (robust == NULL) return;
    sti_free(env, robust->q);
    sti_free(env, robust->alpha);
    sti_free(env, robust->broken);
    sti_free(env, robust->value);
    sti_free(env, robust->pair_contact);
    sti_free(env, robust->pair_kind);
    sti_free(env, robust->pair_open);
    sti_free(env, robust->margins);
    sti_free(env, robust);
}
