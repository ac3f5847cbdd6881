// poisson.c: Poisson's law in two phases (S3 equations 2.1.12 to 2.1.22).
//
// Compression, from the velocity before, with z = (c_n, beta, lambda) and local velocities u = u0 + W (pbar; p_t):
//
//     0 <= u_n  _|_  c_n >= 0,     0 <= lambda e + D'v  _|_  beta >= 0,     0 <= mu c_n - e'beta  _|_  lambda >= 0
//
// where the columns of D are plus and minus every tangent row, so p_t = beta+ - beta-. Decompression is the same
// problem from the velocity v_c after the restituted impulses e c_n have acted; its friction bound is mu (e c_n^c +
// c_n^x), or mu c_n^x as S3 prints it (errata S3-E3). Joints are eliminated. The matrix has the form of S3 theorem
// 1.2.10 (W positive semidefinite, copositive in the rest), so Lemke's method finds a solution. There may be more: when
// the problem is small all of them are enumerated, and the velocities compared. Impulses of the compression need not be
// unique even when v_c is (two rough contacts can hold three velocities in many ways), and the restituted part depends
// on them; so the problem is posed in the units of S3 (n_i'v, c_n) and solved with the covering vector e, which fixes
// the choice.
#include <math.h>
#include <stdio.h>
#include <stiction/problem.h>
#include <string.h>

#include "impacts/work.h"
#include "linalg/dense_algebra.h"

enum { UNIQUE_PAIRS = 12, UNIQUE_PIECES = 4096 };

typedef struct phase {
    int p, s, n;      // contacts, slips, pairs: p + 2 s + p
    double* M;        // (n x n)
    double* q;        // (n)
    double* z;        // (n)
    double* bound;    // friction bound beyond mu c_n of the unknown          (p)
    double* impulse;  // (pbar; p_t)                                          (p+s)
} phase;

static int contact_of(const sti_impact_work* w, int slip) {
    int i = 0;
    while (w->out->slip[i + 1] <= slip) i++;
    return i;
}

static void fill_matrix(const sti_impact_work* w, phase* k) {
    const int p = k->p, s = k->s, n = k->n, a = p + s;
    const double *W = w->space->W, *norm = w->space->norm;
    for (int i = 0; i < p; i++) {
        for (int j = 0; j < p; j++) k->M[sti_at(n, i, j)] = norm[i] * W[sti_at(a, i, j)] * norm[j];
        for (int l = 0; l < 2 * s; l++) {
            const double sign = l % 2 == 0 ? norm[i] : -norm[i];
            k->M[sti_at(n, i, p + l)] = sign * W[sti_at(a, i, p + l / 2)];
            k->M[sti_at(n, p + l, i)] = sign * W[sti_at(a, p + l / 2, i)];
        }
        k->M[sti_at(n, p + 2 * s + i, i)] = w->out->mu[i];
    }
    for (int l = 0; l < 2 * s; l++) {
        for (int r = 0; r < 2 * s; r++) {
            const double sign = (l + r) % 2 == 0 ? 1 : -1;
            k->M[sti_at(n, p + l, p + r)] = sign * W[sti_at(a, p + l / 2, p + r / 2)];
        }
        const int lambda = p + 2 * s + contact_of(w, l / 2);
        k->M[sti_at(n, p + l, lambda)] = 1;
        k->M[sti_at(n, lambda, p + l)] = -1;
    }
}

// The problem from local velocities u, with k->bound.
static void fill_vector(const sti_impact_work* w, phase* k, const double* u) {
    for (int i = 0; i < k->p; i++) k->q[i] = w->space->norm[i] * u[i];
    for (int l = 0; l < 2 * k->s; l++) k->q[k->p + l] = (l % 2 == 0 ? 1 : -1) * u[k->p + l / 2];
    memcpy(k->q + k->p + 2 * k->s, k->bound, (size_t)k->p * sizeof *k->q);
}

static void read_impulse(const sti_impact_work* w, const phase* k, const double* z, double* impulse) {
    for (int i = 0; i < k->p; i++) impulse[i] = w->space->norm[i] * z[i];
    for (int l = 0; l < k->s; l++) impulse[k->p + l] = z[k->p + 2 * l] - z[k->p + 2 * l + 1];
}

// Do all solutions of the phase give the same local velocity? (Then all of v is the same: z changes it only through W.)
static sti_status judge_unique(const sti_impact_work* w, const phase* k, sti_verdict* out) {
    *out = STI_UNDECIDED;
    if (w->options.skip_unique || k->n > UNIQUE_PAIRS) return STI_OK;
    const int a = k->p + k->s;
    double* work = sti_arena_doubles(w->pool, 2 * (size_t)a);
    if (work == NULL) return w->pool->status;
    const sti_lcp lcp = {.n = k->n, .M = sti_matrix_dense_view(k->n, k->n, k->M), .q = k->q};
    sti_lcp_solution_set* set = NULL;
    const sti_status status = sti_lcp_enumerate(w->env, &lcp, UNIQUE_PIECES, 0, &set);
    if (status != STI_OK) return status;
    double *other = work, *change = work + a, worst = 0;
    for (int i = 0; i < set->vertex_count + set->ray_count; i++) {
        const bool ray = i >= set->vertex_count;
        const double* z = ray ? set->ray + sti_at(k->n, i - set->vertex_count, 0) : set->vertex + sti_at(k->n, i, 0);
        read_impulse(w, k, z, other);
        for (int j = 0; !ray && j < a; j++) other[j] -= k->impulse[j];
        sti_small_apply(a, a, w->space->W, other, change);
        for (int j = 0; j < a; j++) worst = fmax(worst, fabs(change[j]) / (j < k->p ? 1 : w->tan[j - k->p]));
    }
    if (worst > 1e-7 * w->speed)
        *out = STI_NO;
    else if (set->complete)
        *out = STI_YES;
    sti_lcp_solution_set_destroy(w->env, set);
    return STI_OK;
}

static sti_status solve_phase(sti_impact_work* w, phase* k, double* u, bool* solved, sti_verdict* unique) {
    const int a = k->p + k->s;
    fill_vector(w, k, u);
    sti_status status = sti_impact_lcp(w->env, k->n, k->M, k->q, k->z, solved);
    if (status != STI_OK || !*solved) return status;
    read_impulse(w, k, k->z, k->impulse);
    double* change = sti_arena_doubles(w->pool, (size_t)a);
    if (change == NULL) return w->pool->status;
    sti_small_apply(a, a, w->space->W, k->impulse, change);
    for (int j = 0; j < a; j++) u[j] += change[j];
    return judge_unique(w, k, unique);
}

static sti_status reserve(sti_impact_work* w, phase* k) {
    const size_t n = (size_t)k->n;
    k->M = sti_arena_doubles(w->pool, n * n);
    k->q = sti_arena_doubles(w->pool, n);
    k->z = sti_arena_doubles(w->pool, n);
    k->bound = sti_arena_doubles(w->pool, (size_t)k->p);
    k->impulse = sti_arena_doubles(w->pool, (size_t)(k->p + k->s));
    return w->pool->status;
}

// Velocity after the impulses z, joints included.
static void velocity_after(const sti_impact_work* w, const double* z, double* v, double* f) {
    const int n = w->out->n;
    sti_small_apply_transposed(w->out->p + w->out->s, n, w->space->A, z, f);
    sti_small_apply(n, n, w->space->Minv, f, v);
    for (int j = 0; j < n; j++) v[j] += w->instant->v[j];
    sti_space_project(w->space, v, v, NULL);
}

sti_status sti_impact_poisson(sti_impact_work* w, bool printed) {
    sti_impact_answer* a = &w->out->laws[printed ? STI_IMPACT_POISSON_PRINTED : STI_IMPACT_POISSON];
    const int n = w->out->n, p = w->out->p, s = w->out->s, size = p + s;
    phase k = {.p = p, .s = s, .n = 2 * p + 2 * s};
    sti_status status = reserve(w, &k);
    double* u = sti_arena_copy(w->pool, w->u0, (size_t)size);
    double* first = sti_arena_doubles(w->pool, (size_t)size);
    double* total = sti_arena_doubles(w->pool, (size_t)size);
    double* restituted = sti_arena_doubles(w->pool, (size_t)size);
    double* kick = sti_arena_doubles(w->pool, (size_t)size);
    double* v_c = sti_arena_doubles(w->pool, (size_t)n);
    double* f = sti_arena_doubles(w->pool, (size_t)n);
    double* p_n_c = sti_arena_doubles(w->pool, (size_t)p);
    double* p_n_x = sti_arena_doubles(w->pool, (size_t)p);
    if (w->pool->status != STI_OK) return w->pool->status;
    a->applies = true;
    fill_matrix(w, &k);
    bool solved = false;
    sti_verdict unique[2] = {STI_UNDECIDED, STI_UNDECIDED};
    if (status == STI_OK) status = solve_phase(w, &k, u, &solved, &unique[0]);
    if (status == STI_OK && solved) {
        memcpy(first, k.impulse, (size_t)size * sizeof *first);
        velocity_after(w, first, v_c, f);
        for (int i = 0; i < p; i++) {
            restituted[i] = w->e[i] * first[i];
            k.bound[i] = printed ? 0 : w->out->mu[i] / w->space->norm[i] * restituted[i];
        }
        sti_small_apply(size, size, w->space->W, restituted, kick);
        for (int i = 0; i < size; i++) u[i] += kick[i];
        status = solve_phase(w, &k, u, &solved, &unique[1]);
    }
    if (status != STI_OK) return status;
    if (!solved) {
        snprintf(a->why, sizeof a->why, "Lemke's method did not finish");
        return STI_OK;
    }
    for (int i = 0; i < size; i++) total[i] = first[i] + restituted[i] + k.impulse[i];
    a->complete = unique[0] == STI_YES && unique[1] == STI_YES;
    sti_impact_solution* x = NULL;
    status = sti_impact_add(w, a, total, &x);
    if (status != STI_OK) return status;
    for (int i = 0; i < p; i++) {
        p_n_c[i] = first[i] / w->space->norm[i];
        p_n_x[i] = k.impulse[i] / w->space->norm[i];
    }
    x->v_c = v_c;
    x->p_n_c = p_n_c;
    x->p_t_c = first + p;
    x->p_n_x = p_n_x;
    x->p_t_x = k.impulse + p;
    memcpy(x->unique, unique, sizeof unique);
    return STI_OK;
}
