// step.c: one step of a push: the mixed complementarity problem S3 (2.4.16) with errata S3-E8 and S3-E9, solved by
// Lemke's method.
//
//     A = E        C = -[W_n W_f 0]        D = [W_n'; W_f'; 0]        B = [0 0 0; 0 0 E_f; U -E_f' 0]
//     b = (Psi_n + h Psi_n,t,  h Psi_f,t,  0)                         unknowns h v, h lambda_n, h lambda_f, h sigma
//
// Contacts are those within a margin that no part and no tip can cross in the step: when the step turns out to be
// longer, the margin is widened and the step is made anew. So leaving out contacts that are far changes nothing.
//
// Theorem 2.4.1: a pointed cone of friction is enough for a solution. Where there is none, jam.c says why.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "manipulation/manipulation.h"

#define CLOSED 1e-9   // of the size of the parts: a linearized gap up to here is 0 at the end of the step
#define STICKS 1e-10  // the same of a slip

const char* sti_push_end_text(sti_push_end end) {
    static const char* const texts[] = {
#define STI_X(code, text) text,
        STI_PUSH_END_LIST(STI_X)
#undef STI_X
    };
    return texts[end];
}

const char* sti_push_mode_text(sti_push_mode mode) {
    static const char* const texts[] = {
#define STI_X(code, text, letter) text,
        STI_PUSH_MODE_LIST(STI_X)
#undef STI_X
    };
    return texts[mode];
}

char sti_push_mode_letter(sti_push_mode mode) {
    static const char letters[] = {
#define STI_X(code, text, letter) letter,
        STI_PUSH_MODE_LIST(STI_X)
#undef STI_X
    };
    return letters[mode];
}

// ---- the problem

static void put_wrench(const double* pose, const double point[2], const double f[2], double sign, double* row) {
    row[0] = sign * f[0];
    row[1] = sign * f[1];
    row[2] = sign * ((point[0] - pose[0]) * f[1] - (point[1] - pose[1]) * f[0]);
}

void sti_push_wrench(const sti_push_contact* c, const double* q, int n, double* row_n, double* row_t) {
    const double t[2] = {-c->n[1], c->n[0]};
    memset(row_n, 0, (size_t)n * sizeof *row_n);
    memset(row_t, 0, (size_t)n * sizeof *row_t);
    const size_t at = 3 * (size_t)c->part, other = 3 * (size_t)c->other;
    put_wrench(q + at, c->point, c->n, 1, row_n + at);
    put_wrench(q + at, c->point, t, 1, row_t + at);
    if (c->against != STI_PUSH_PART) return;
    put_wrench(q + other, c->point, c->n, -1, row_n + other);
    put_wrench(q + other, c->point, t, -1, row_t + other);
}

typedef struct posed {
    int n, nc, m;  // 3 parts, contacts, 4 nc
    double *E, *C, *D, *B, *a, *b, *row;
} posed;

static void clear_posed(sti_env* env, posed* k) {
    sti_free(env, k->E);
    *k = (posed){0};
}

static sti_status make_room(sti_env* env, int n, int nc, posed* k) {
    const size_t N = (size_t)n, m = 4 * (size_t)nc;
    const size_t count = sti_size_add(sti_size_mul(N, N + 2 * m + 3), sti_size_add(sti_size_mul(m, m), m));
    *k = (posed){.n = n, .nc = nc, .m = (int)m};
    double* room = sti_alloc_array_zero(env, count, sizeof *room);
    if (room == NULL) return STI_ERR_MEMORY;
    k->E = room;
    k->C = k->E + N * N;
    k->D = k->C + N * m;
    k->B = k->D + N * m;
    k->b = k->B + m * m;
    k->a = k->b + m;
    k->row = k->a + N;
    return STI_OK;
}

static void fill_damping(const sti_manipulation* m, const double* q, posed* k) {
    for (int i = 0; i < m->part_count; i++) {
        double E[9];
        sti_manipulation_damping(m, i, q[3 * i + 2], E);
        for (int j = 0; j < 9; j++) k->E[(size_t)(3 * i + j / 3) * (size_t)k->n + (size_t)(3 * i + j % 3)] = E[j];
    }
}

static void put_row(posed* k, int pair, const double* row, double sign) {
    const size_t n = (size_t)k->n, m = (size_t)k->m, i = (size_t)pair;
    for (size_t j = 0; j < n; j++) {
        k->D[i * n + j] = sign * row[j];
        k->C[j * m + i] = -sign * row[j];
    }
}

static void fill_contacts(const sti_push_contact* contacts, const double* q, double h, posed* k) {
    const size_t m = (size_t)k->m, nc = (size_t)k->nc;
    for (size_t i = 0; i < nc; i++) {
        const sti_push_contact* c = &contacts[i];
        const size_t f = nc + 2 * i, s = 3 * nc + i;
        sti_push_wrench(c, q, k->n, k->row, k->row + k->n);
        put_row(k, (int)i, k->row, 1);
        put_row(k, (int)f, k->row + k->n, 1);
        put_row(k, (int)f + 1, k->row + k->n, -1);
        k->B[f * m + s] = k->B[(f + 1) * m + s] = 1;
        k->B[s * m + f] = k->B[s * m + f + 1] = -1;
        k->B[s * m + i] = c->mu;
        k->b[i] = c->gap + h * c->rate_n;
        k->b[f] = h * c->rate_t;
        k->b[f + 1] = -h * c->rate_t;
    }
}

static sti_mlcp view(const posed* k) {
    return (sti_mlcp){.n = k->n,
                      .m = k->m,
                      .A = sti_matrix_dense_view(k->n, k->n, k->E),
                      .C = sti_matrix_dense_view(k->n, k->m, k->C),
                      .D = sti_matrix_dense_view(k->m, k->n, k->D),
                      .B = sti_matrix_dense_view(k->m, k->m, k->B),
                      .a = k->a,
                      .b = k->b};
}

#define ACCURATE 1e-13  // residual of an answer that exact arithmetic would not change by more than rounding

// Lemke's method; what it leaves inaccurate is solved again in exact arithmetic, what it leaves open is settled by all
// there are.
static sti_status solve(sti_env* env, const posed* k, sti_lcp_answer* answer) {
    sti_lcp_options options = sti_lcp_options_default();
    const sti_mlcp mlcp = view(k);
    options.solver = STI_LCP_LEMKE;
    options.max_iterations = 200 + 50L * k->m;
    options.rounded = true;
    sti_status status = sti_mlcp_solve(env, &mlcp, &options, answer);
    if (status != STI_OK || answer->outcome == STI_NO_SOLUTION) return status;
    if (answer->outcome == STI_SOLVED && answer->residual <= ACCURATE) return STI_OK;
    options.rounded = false;
    sti_lcp_answer_clear(env, answer);
    status = sti_mlcp_solve(env, &mlcp, &options, answer);
    if (status != STI_OK || answer->outcome == STI_NO_SOLUTION) return status;
    if (answer->outcome == STI_SOLVED && answer->residual <= 1e-6) return STI_OK;
    sti_lcp_answer_clear(env, answer);
    options.solver = STI_LCP_AUTO;
    options.max_iterations = 20 * options.max_iterations;
    return sti_mlcp_solve(env, &mlcp, &options, answer);
}

// ---- reading the answer

static sti_push_mode mode_of(double size, double opening, double slip) {
    if (opening > CLOSED * size) return STI_PUSH_OPEN;
    if (fabs(slip) < STICKS * size) return STI_PUSH_STICK;
    return slip > 0 ? STI_PUSH_SLIDE_LEFT : STI_PUSH_SLIDE_RIGHT;
}

static double along(const posed* k, int pair, const double* u) {
    double sum = k->b[pair];
    for (int j = 0; j < k->n; j++) sum += k->D[(size_t)pair * (size_t)k->n + (size_t)j] * u[j];
    return sum;
}

static void read_forces(const sti_push* p, const posed* k, sti_push_force* out) {
    const double *u = p->answer.u, *z = p->answer.z;
    for (int i = 0; i < k->nc; i++) {
        const int f = k->nc + 2 * i;
        out[i].lambda_n = z[i] / p->h;
        out[i].lambda_t = (z[f] - z[f + 1]) / p->h;
        out[i].opening = along(k, i, u);
        out[i].slip = along(k, f, u);
        out[i].mode = mode_of(p->m->size, out[i].opening, out[i].slip);
    }
}

// How far any point of a part, and any tip, goes in the step.
static double travel(const sti_push* p, const double* u, double t) {
    double parts = 0, tips = 0;
    for (int i = 0; i < p->m->part_count; i++)
        parts = fmax(parts, hypot(u[3 * i], u[3 * i + 1]) + fabs(u[3 * i + 2]) * p->m->parts[i].shape.reach);
    for (int i = 0; i < p->m->tip_count; i++) {
        double x[2], v[2];
        sti_manipulation_tip(p->m, i, t, x, v);
        tips = fmax(tips, p->h * hypot(v[0], v[1]));
    }
    return 2 * parts + tips;  // two parts may come towards each other
}

// ---- the step

static void forget(sti_push* p) {
    sti_free(p->env, p->contacts);
    sti_free(p->env, p->forces);
    sti_free(p->env, p->basis);
    sti_push_jam_clear(p->env, &p->jam);
    sti_lcp_answer_clear(p->env, &p->answer);
    p->contacts = NULL;
    p->forces = NULL;
    p->basis = NULL;
    p->contact_count = 0;
    p->jammed = false;
}

// Contacts within the margin, their problem and its answer; *far: the step went beyond the margin.
static sti_status attempt(sti_push* p, double t, posed* k, bool* far) {
    forget(p);
    *far = false;
    sti_status status = sti_manipulation_contacts(p->m, t, p->q, p->margin, &p->contacts, &p->contact_count);
    const size_t nc = (size_t)p->contact_count;
    if (status == STI_OK) status = make_room(p->env, 3 * p->m->part_count, p->contact_count, k);
    if (status != STI_OK) return status;
    p->forces = sti_alloc_array_zero(p->env, nc, sizeof *p->forces);
    p->basis = sti_alloc_array_zero(p->env, 4 * nc, 1);
    if (p->forces == NULL || p->basis == NULL) return STI_ERR_MEMORY;
    fill_damping(p->m, p->q, k);
    fill_contacts(p->contacts, p->q, p->h, k);
    status = solve(p->env, k, &p->answer);
    if (status != STI_OK || p->answer.outcome != STI_SOLVED) return status;
    const double way = travel(p, p->answer.u, t);
    *far = way > p->margin;
    if (*far) p->margin = 2 * way;
    return STI_OK;
}

static double dissipation(const posed* k, const double* u, double h) {
    double sum = 0;
    for (int i = 0; i < k->n; i++) {
        for (int j = 0; j < k->n; j++) sum += u[i] * k->E[(size_t)i * (size_t)k->n + (size_t)j] * u[j];
    }
    return sum / h;
}

// A part that nothing presses rests, to the last bit.
static void rest(const sti_push* p, const posed* k) {
    for (int part = 0; part < p->m->part_count; part++) {
        bool pressed = false;
        for (int i = 0; i < k->nc && !pressed; i++) {
            const sti_push_contact* c = &p->contacts[i];
            if (c->part == part || (c->against == STI_PUSH_PART && c->other == part))
                pressed = p->answer.z[i] > 0;  // without that no friction either
        }
        for (int j = 0; j < 3 && !pressed; j++) p->answer.u[3 * part + j] = 0;
    }
}

static sti_status take(sti_push* p, const posed* k, sti_push_report* r) {
    sti_status status;
    const int n = k->n;
    rest(p, k);
    read_forces(p, k, p->forces);
    if (k->m > 0) memcpy(p->basis, p->answer.alpha, (size_t)k->m);
    for (int i = 0; i < n; i++) p->v_trial[i] = p->q[i] + p->answer.u[i];
    const double deep = sti_manipulation_penetration(p->m, (double)(p->step + 1) * p->h, p->v_trial, &status);
    if (status != STI_OK) return status;
    for (int i = 0; i < n; i++) {
        p->q[i] = p->v_trial[i];
        p->v[i] = p->answer.u[i] / p->h;
    }
    p->step++;
    r->end = STI_PUSH_MOVED;
    r->penetration = deep;
    r->dissipation = dissipation(k, p->answer.u, p->h);
    return STI_OK;
}

static sti_status refuse(sti_push* p, sti_push_report* r) {
    r->end = STI_PUSH_UNKNOWN;
    r->penetration = r->dissipation = NAN;
    if (p->answer.outcome == STI_NO_SOLUTION) {
        r->certificate = &p->answer.certificate;
        const sti_status status = sti_push_explain(p, &r->end, r->why, sizeof r->why);
        if (status != STI_OK) return status;
    } else {
        snprintf(r->why, sizeof r->why, "the step's problem: %s: %.180s", sti_outcome_text(p->answer.outcome),
                 p->answer.reason);
    }
    if (p->jammed) r->jam = &p->jam;
    return STI_OK;
}

static void begin_at(sti_push* p) {
    p->before = p->step;
    memcpy(p->q_before, p->q, 3 * (size_t)p->m->part_count * sizeof *p->q);
}

sti_status sti_push_step(sti_push* p, sti_push_report* report) {
    enum { ROUNDS = 40 };
    sti_push_report r = {.end = STI_PUSH_UNKNOWN};
    const double t = (double)p->step * p->h;
    posed k = {0};
    sti_status status = STI_OK;
    bool far = true;
    begin_at(p);
    for (int round = 0; status == STI_OK && far && round < ROUNDS; round++) {
        clear_posed(p->env, &k);
        status = attempt(p, t, &k, &far);
    }
    if (status == STI_OK) {
        const bool solved = p->answer.outcome == STI_SOLVED && p->answer.residual <= 1e-6;
        status = solved ? take(p, &k, &r) : refuse(p, &r);
    }
    clear_posed(p->env, &k);
    r.step = p->step;
    r.time = (double)p->step * p->h;
    r.outcome = p->answer.outcome;
    r.residual = p->answer.residual;
    r.contact_count = p->contact_count;
    r.contacts = p->contacts;
    r.forces = p->forces;
    r.basis = p->basis;
    if (report != NULL && status == STI_OK) *report = r;
    return status;
}

// ---- the problem as such

sti_status sti_push_pose(sti_env* env, const sti_push* p, sti_push_problem* out) {
    posed k = {0};
    sti_push_contact* found = NULL;
    *out = (sti_push_problem){0};
    sti_status status =
        sti_manipulation_contacts(p->m, (double)p->before * p->h, p->q_before, p->margin, &found, &out->contact_count);
    if (status == STI_OK) {  // found by the environment of the scene, given back by this one
        out->contacts = sti_alloc_array(env, (size_t)out->contact_count, sizeof *found);
        if (out->contacts == NULL) status = STI_ERR_MEMORY;
        if (out->contacts != NULL && found != NULL)
            memcpy(out->contacts, found, (size_t)out->contact_count * sizeof *found);
    }
    sti_free(p->m->env, found);
    if (status == STI_OK) status = make_room(env, 3 * p->m->part_count, out->contact_count, &k);
    if (status != STI_OK) {
        sti_push_problem_clear(env, out);
        return status;
    }
    fill_damping(p->m, p->q_before, &k);
    fill_contacts(out->contacts, p->q_before, p->h, &k);
    out->mlcp = view(&k);
    out->memory = k.E;
    return STI_OK;
}

void sti_push_problem_clear(sti_env* env, sti_push_problem* problem) {
    sti_free(env, problem->contacts);
    sti_free(env, problem->memory);
    *problem = (sti_push_problem){0};
}

// ---- life

static double first_margin(const sti_push* p) {
    double speed = 0;
    for (int i = 0; i < p->m->tip_count; i++) {
        double x[2], v[2];
        sti_manipulation_tip(p->m, i, 0, x, v);
        speed = fmax(speed, hypot(v[0], v[1]));
    }
    return fmax(4 * p->h * speed, 1e-2 * p->m->size);
}

sti_status sti_push_create(sti_env* env, const sti_manipulation* m, double h, sti_push** out) {
    const size_t n = 3 * (size_t)m->part_count;
    *out = NULL;
    if (isnan(h) || isinf(h)) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "h: %g: a finite step is expected", h);
    sti_push* p = sti_alloc_array_zero(env, 1, sizeof *p);
    if (p == NULL) return STI_ERR_MEMORY;
    *p = (sti_push){.env = env, .m = m, .h = h > 0 ? h : m->step};
    p->q = sti_alloc_array_zero(env, 4 * n, sizeof *p->q);
    if (p->q == NULL) {
        sti_push_destroy(p);
        return STI_ERR_MEMORY;
    }
    p->v = p->q + n;
    p->v_trial = p->v + n;
    p->q_before = p->v_trial + n;
    p->margin = first_margin(p);
    sti_manipulation_start(m, p->q);
    begin_at(p);
    *out = p;
    return STI_OK;
}

void sti_push_destroy(sti_push* p) {
    if (p == NULL) return;
    forget(p);
    sti_free(p->env, p->q);
    sti_free(p->env, p);
}

double sti_push_time(const sti_push* p) {
    return (double)p->step * p->h;
}
long sti_push_steps(const sti_push* p) {
    return p->step;
}
const double* sti_push_q(const sti_push* p) {
    return p->q;
}
const double* sti_push_v(const sti_push* p) {
    return p->v;
}

void sti_push_set(sti_push* p, long step, const double* q, const double* v) {
    const size_t size = 3 * (size_t)p->m->part_count * sizeof *q;
    p->step = step;
    p->margin = first_margin(p);
    memmove(p->q, q, size);
    memmove(p->v, v, size);
    begin_at(p);
}
