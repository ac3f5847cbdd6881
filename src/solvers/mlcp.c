// mlcp.c: a mixed LCP by way of an LCP: reduce, solve, recover, polish.
//
// The reduction costs digits when A is nearly singular, so after recovery the complementary basis found is solved
// once more on the original data,
//
//     [A C_a; D_a B_aa] (u; v_a) = -(a; b_a),        a = alpha
//
// by LU with refinement, or in the least-squares sense of least norm when it is singular (redundant joints: u is not
// unique). The better of the two points is kept.
#include "solvers/mlcp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/dense.h"
#include "linalg/lapack.h"
#include "solvers/exact_lcp.h"
#include "solvers/reduce.h"

// The equations contradict: x as a certificate, with y = 0.
static sti_status report_contradiction(sti_env* env, const sti_mlcp* p, const sti_reduction* r,
                                       sti_lcp_answer* answer) {
    const size_t n = (size_t)p->n, m = (size_t)p->m;
    sti_certificate c = {.proof = STI_PROOF_FARKAS, .free_count = p->n, .pair_count = p->m, .leaf_count = 1};
    c.fixed = sti_alloc_array_zero(env, m, 1);
    c.y = sti_alloc_array_zero(env, n + m, sizeof *c.y);
    if (c.fixed == NULL || c.y == NULL) {
        sti_certificate_clear(env, &c);
        return STI_ERR_MEMORY;
    }
    long double xa = 0;
    for (size_t i = 0; i < n; i++) xa += (long double)r->x[i] * p->a[i];
    for (size_t i = 0; i < n; i++) c.y[i] = xa > 0 ? -r->x[i] : r->x[i];
    c.bound = sti_certificate_bound(p, c.y, c.y + n);
    answer->certificate = c;
    answer->outcome = STI_NO_SOLUTION;
    answer->termination = STI_END_EXHAUSTED;
    snprintf(answer->reason, sizeof answer->reason,
             "the equations contradict each other: a solution would need |u|_1 + |v|_1 >= %.3g", c.bound);
    return STI_OK;
}

// (u, z) of the MLCP from a point of the LCP.
static sti_status recover(sti_env* env, const sti_reduction* r, const sti_lcp_answer* inner, sti_lcp_answer* answer) {
    const int size = r->size;
    const sti_lcp lcp = {.n = size, .M = sti_matrix_dense_view(size, size, r->M), .q = r->q};
    double* w = sti_alloc_array(env, (size_t)size, sizeof *w);
    if (w == NULL) return STI_ERR_MEMORY;
    sti_lcp_point_residual(&lcp, inner->z, w);
    for (int i = 0; i < r->m; i++) {
        const double value = r->swapped[i] ? w[i] : inner->z[i];
        answer->z[i] = value > 0 ? r->z_scale[i] * value : 0;
        answer->alpha[i] = r->swapped[i] ? !inner->alpha[i] : inner->alpha[i];
        if (!answer->alpha[i]) answer->z[i] = inner->termination == STI_END_SOLUTION ? 0 : answer->z[i];
    }
    for (int k = 0; k < r->n; k++) {
        const double* row = r->u_row + (size_t)k * ((size_t)size + 1);
        long double s = row[0];
        for (int j = 0; j < size; j++) s += (long double)row[1 + j] * inner->z[j];
        answer->u[k] = (double)s;
    }
    sti_free(env, w);
    return STI_OK;
}

typedef struct basis_system {
    sti_arena memory;
    int order;      // n + |alpha|
    int* variable;  // u_k: k, z_i: n + i       (order)
    double* K;      // row major                (order x order)
    double* x;      // solution                 (order)
    double* r;      // residual                 (order)
} basis_system;

static double entry(const sti_mlcp* p, int i, int j) {  // of [A C; D B]
    if (i < p->n) return j < p->n ? sti_matrix_get(&p->A, i, j) : sti_matrix_get(&p->C, i, j - p->n);
    return j < p->n ? sti_matrix_get(&p->D, i - p->n, j) : sti_matrix_get(&p->B, i - p->n, j - p->n);
}

static double right_side(const sti_mlcp* p, int i) {
    return i < p->n ? -p->a[i] : -p->b[i - p->n];
}

static void residual_of(const sti_mlcp* p, const basis_system* s) {
    for (int i = 0; i < s->order; i++) {
        long double sum = right_side(p, s->variable[i]);
        for (int j = 0; j < s->order; j++) sum -= (long double)s->K[(size_t)i * (size_t)s->order + (size_t)j] * s->x[j];
        s->r[i] = (double)sum;
    }
}

// x by least squares of least norm, refined once. False: no memory.
static bool solve_singular(sti_env* env, const sti_mlcp* p, basis_system* s) {
    const int order = s->order, lwork = sti_lapack_least_squares_room(order, order);
    sti_arena memory = sti_arena_make(env);
    double* A = sti_arena_raw(&memory, (size_t)order * (size_t)order, sizeof *A);
    int* pivot = sti_arena_raw(&memory, (size_t)order, sizeof *pivot);
    double* work = sti_arena_raw(&memory, (size_t)lwork, sizeof *work);
    const bool ok = memory.status == STI_OK;
    for (int i = 0; i < order; i++) s->x[i] = 0;
    for (int step = 0; step < 3 && ok; step++) {
        residual_of(p, s);
        for (int i = 0; i < order; i++) {
            for (int j = 0; j < order; j++)
                A[(size_t)j * (size_t)order + (size_t)i] = s->K[(size_t)i * (size_t)order + (size_t)j];
        }
        int rank;
        if (sti_lapack_least_squares(order, order, A, s->r, order, pivot, 1e-12, &rank, work, lwork) != STI_LAPACK_DONE)
            break;
        for (int i = 0; i < order; i++) s->x[i] += s->r[i];
    }
    sti_arena_clear(&memory);
    return ok;
}

static sti_status solve_basis(sti_env* env, const sti_mlcp* p, basis_system* s) {
    sti_dense_factor f;
    sti_status status = sti_dense_factor_init(&f, env, s->order);
    if (status != STI_OK) return status;
    memcpy(sti_dense_factor_load(&f, s->order), s->K, (size_t)s->order * (size_t)s->order * sizeof(double));
    bool ok = true;
    if (sti_dense_factor_lu(&f) && sti_dense_factor_rcond(&f) > 1e-15) {
        for (int i = 0; i < s->order; i++) s->x[i] = 0;
        for (int step = 0; step < 4; step++) {
            residual_of(p, s);
            sti_dense_factor_solve(&f, s->r);
            for (int i = 0; i < s->order; i++) s->x[i] += s->r[i];
        }
    } else {
        ok = solve_singular(env, p, s);
    }
    sti_dense_factor_clear(&f);
    return ok ? STI_OK : STI_ERR_MEMORY;
}

// Solve the basis of answer->alpha on the original data; keep the point when its residual is smaller.
static sti_status polish(sti_env* env, const sti_mlcp* p, sti_lcp_answer* answer) {
    sti_status status = sti_mlcp_residual(env, p, answer);
    if (status != STI_OK) return status;
    const size_t N = (size_t)p->n + (size_t)p->m;
    basis_system s = {.order = p->n};
    for (int i = 0; i < p->m; i++) s.order += answer->alpha[i];
    const size_t order = (size_t)s.order;
    s.memory = sti_arena_make(env);
    s.variable = sti_arena_raw(&s.memory, order, sizeof *s.variable);
    s.K = sti_arena_raw(&s.memory, order * order, sizeof *s.K);
    s.x = sti_arena_raw(&s.memory, order, sizeof *s.x);
    s.r = sti_arena_raw(&s.memory, order, sizeof *s.r);
    double* keep = sti_alloc_array(env, N, sizeof *keep);
    if (s.memory.status != STI_OK || keep == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) {
        int k = 0;
        for (int i = 0; i < p->n; i++) s.variable[k++] = i;
        for (int i = 0; i < p->m; i++) {
            if (answer->alpha[i]) s.variable[k++] = p->n + i;
        }
        for (int i = 0; i < s.order; i++) {
            for (int j = 0; j < s.order; j++)
                s.K[(size_t)i * order + (size_t)j] = entry(p, s.variable[i], s.variable[j]);
        }
        status = solve_basis(env, p, &s);
    }
    if (status == STI_OK) {
        const double before = answer->residual;
        memcpy(keep, answer->u, (size_t)p->n * sizeof *keep);
        if (p->m > 0) memcpy(keep + p->n, answer->z, (size_t)p->m * sizeof *keep);
        memset(answer->z, 0, (size_t)p->m * sizeof *answer->z);
        for (int i = 0; i < s.order; i++) {
            if (s.variable[i] < p->n)
                answer->u[s.variable[i]] = s.x[i];
            else
                answer->z[s.variable[i] - p->n] = s.x[i] > 0 ? s.x[i] : 0;
        }
        status = sti_mlcp_residual(env, p, answer);
        if (status == STI_OK && !(answer->residual <= before)) {
            memcpy(answer->u, keep, (size_t)p->n * sizeof *keep);
            if (p->m > 0) memcpy(answer->z, keep + p->n, (size_t)p->m * sizeof *keep);
        }
    }
    sti_arena_clear(&s.memory);
    sti_free(env, keep);
    return status;
}

// What the method said about the LCP, said about the MLCP.
static void carry_over(sti_lcp_answer* inner, sti_lcp_answer* answer) {
    answer->termination = inner->termination;
    answer->solver = inner->solver;
    answer->iterations = inner->iterations;
    answer->attempts = inner->attempts;
    answer->attempt_count = inner->attempt_count;
    inner->attempts = NULL;
    inner->attempt_count = 0;
    memcpy(answer->reason, inner->reason, sizeof answer->reason);
}

sti_status sti_mlcp_solve_reduced(sti_env* env, const sti_mlcp* p, const sti_lcp_options* options,
                                  sti_lcp_method* method, sti_lcp_answer* answer) {
    sti_reduction* r;
    sti_status status = sti_reduction_create(env, p, &r);
    if (status != STI_OK) return status;
    if (r->contradiction) {
        // small problems: the same said exactly, or taken back when it was rounding
        if (p->n + p->m <= 40)
            status = sti_mlcp_decide(env, p, options, 0, answer);
        else
            status = report_contradiction(env, p, r, answer);
        sti_reduction_destroy(r);
        return status;
    }
    sti_lcp_options inner_options = *options;
    inner_options.covering = NULL;  // given in the units of the MLCP; the LCP has its own
    inner_options.start = NULL;
    inner_options.tol = fmin(options->tol, 1e-10);
    const sti_lcp lcp = {.n = r->size, .M = sti_matrix_dense_view(r->size, r->size, r->M), .q = r->q};
    sti_lcp_answer inner;
    status = sti_lcp_answer_reserve(env, 0, r->size, &inner);
    if (status == STI_OK) {
        inner.solver = options->solver;
        status = method(env, &lcp, &inner_options, &inner);
        if (status == STI_OK) status = recover(env, r, &inner, answer);
        if (status == STI_OK) carry_over(&inner, answer);
        if (status == STI_OK) status = polish(env, p, answer);
        sti_lcp_answer_clear(env, &inner);
    }
    sti_reduction_destroy(r);
    return status;
}
