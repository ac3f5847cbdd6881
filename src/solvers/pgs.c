// pgs.c: projected Gauss-Seidel and successive over-relaxation for the LCP
//
//     w = M z + q,   0 <= w _|_ z >= 0,        M_ii > 0.
//
// One sweep solves row after row for its own z_i, with what is known of the others (Cryer 1971; Cottle, Pang & Stone
// 1992, algorithm 5.2.1 and section 5.2):
//
//     z_i <- max(0, z_i - omega (q_i + sum_j M_ij z_j) / M_ii)        i = 0, 1, ..., n-1
//
//     letters    omega in (0, 2) is options->relaxation, 1 for Gauss-Seidel
//
// Converges, linearly, for every omega in (0, 2) when M is symmetric and positive definite; for a symmetric positive
// semidefinite M every limit point solves, and there is one when M z + q > 0 for some z; for omega <= 1 also when M is
// an H-matrix with positive diagonal (strictly diagonally dominant, say). Otherwise it may diverge, which shows.
// Scaling the problem by a positive diagonal on both sides leaves the iterates as they are, so nothing is scaled here.
//
// What an outcome proves. Solution: the residual on the original data is at most tol. Limit, stalled: nothing.
//
// Cost: one product with M a sweep, and a residual every CHECK sweeps. Memory: a copy of a sparse M by rows.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/matrix.h"
#include "linalg/vector.h"
#include "solvers/solvers.h"

enum {
    CHECK = 10,    // sweeps between residuals
    WINDOW = 500,  // sweeps in which the residual must fall by one in a hundred
};

static const double DEFAULT_WORK = 4e9;  // multiplications, when the caller sets no limit

typedef struct pgs {
    sti_arena memory;
    const sti_lcp* lcp;
    const sti_lcp_options* options;
    sti_lcp_answer* answer;  // z and alpha hold the best point
    int n;
    double *z, *w;       // current point, and its slack when measured   (n)
    double* diagonal;    // M_ii                                         (n)
    int64_t* row_start;  // a sparse M by rows                           (n+1)
    int* col;            //                                              (nnz)
    double* value;       //                                              (nnz)
    double best_residual;
    long sweeps, limit;
} pgs;

static void compress_rows(pgs* k) {
    const sti_matrix* M = &k->lcp->M;
    sti_matrix_by_rows(M, k->row_start, k->col, k->value);
    for (int j = 0; j < k->n; j++) {
        for (int64_t e = M->col_start[j]; e < M->col_start[j + 1]; e++) {
            if (M->row[e] == j) k->diagonal[j] = M->value[e];
        }
    }
}

static sti_status load(pgs* k, sti_env* env) {
    const size_t n = (size_t)k->n;
    const bool sparse = sti_matrix_is_sparse(&k->lcp->M);
    const size_t nnz = sparse ? (size_t)k->lcp->M.col_start[n] : 0;
    k->memory = sti_arena_make(env);
    k->z = sti_arena_take(&k->memory, n, sizeof *k->z);
    k->w = sti_arena_take(&k->memory, n, sizeof *k->w);
    k->diagonal = sti_arena_take(&k->memory, n, sizeof *k->diagonal);
    k->row_start = sti_arena_take(&k->memory, n + 1, sizeof *k->row_start);
    k->col = sti_arena_raw(&k->memory, nnz, sizeof *k->col);
    k->value = sti_arena_raw(&k->memory, nnz, sizeof *k->value);
    if (k->memory.status != STI_OK) return k->memory.status;
    if (sparse) compress_rows(k);
    for (size_t i = 0; i < n && !sparse; i++) k->diagonal[i] = k->lcp->M.dense[i * n + i];
    const double* start = k->options->start;
    for (size_t i = 0; i < n && start != NULL; i++) k->z[i] = start[i] > 0 ? start[i] : 0;
    const double work = fmax(sparse ? (double)nnz : (double)n * (double)n, 1);
    k->limit = k->options->max_iterations;
    if (k->limit <= 0) k->limit = (long)fmin(fmax(DEFAULT_WORK / work, 1000), 100000);
    return STI_OK;
}

static double row_sparse(const pgs* k, int i) {
    double s = 0;
    for (int64_t e = k->row_start[i]; e < k->row_start[i + 1]; e++) s += k->value[e] * k->z[k->col[e]];
    return s;
}

static void sweep(pgs* k) {
    const double omega = k->options->relaxation;
    const double* M = k->lcp->M.dense;
    for (int i = 0; i < k->n; i++) {
        const double Mz =
            M != NULL ? sti_vector_dot4((size_t)k->n, M + (size_t)i * (size_t)k->n, k->z) : row_sparse(k, i);
        const double z = k->z[i] - omega * ((k->lcp->q[i] + Mz) / k->diagonal[i]);
        k->z[i] = z > 0 ? z : 0;
    }
    k->sweeps++;
}

// Residual of z; the best point goes to the answer. NAN when z has left the finite numbers.
static double measure(pgs* k) {
    for (int i = 0; i < k->n; i++) {
        if (!isfinite(k->z[i])) return NAN;
    }
    const double residual = sti_lcp_point_residual(k->lcp, k->z, k->w);
    if (residual < k->best_residual) {
        k->best_residual = residual;
        memcpy(k->answer->z, k->z, (size_t)k->n * sizeof *k->z);
        for (int i = 0; i < k->n; i++) k->answer->alpha[i] = k->z[i] > k->w[i];
    }
    if (k->options->trace != NULL) k->options->trace(k->options->trace_user, "pgs", k->sweeps, residual);
    return residual;
}

// Sweeps until the residual is small, stands still, or the budget is spent.
static sti_termination iterate(pgs* k, const sti_env* env, const char** how) {
    const double deadline = sti_deadline(env, k->options->time_limit_s);
    double low = INFINITY, previous_low = INFINITY;  // least residual of this window and of the one before
    for (;;) {
        const double residual = measure(k);
        *how = "converged";
        if (k->best_residual <= k->options->tol) return STI_END_SOLUTION;
        *how = "the iterates diverge";
        if (isnan(residual)) return STI_END_STALLED;
        low = fmin(low, residual);
        if (k->sweeps % WINDOW == 0 && k->sweeps > 0) {
            *how = "the residual no longer falls";
            if (!(low < 0.99 * previous_low)) return STI_END_STALLED;
            previous_low = low;
            low = INFINITY;
        }
        *how = "time limit";
        if (deadline < INFINITY && sti_now(env) > deadline) return STI_END_LIMIT;
        *how = "iteration limit";
        if (k->sweeps >= k->limit) return STI_END_LIMIT;
        do sweep(k);
        while (k->sweeps % CHECK != 0 && k->sweeps < k->limit);
    }
}

sti_status sti_lcp_method_pgs(sti_env* env, const sti_lcp* lcp, const sti_lcp_options* options,
                              sti_lcp_answer* answer) {
    pgs k = {.lcp = lcp, .options = options, .answer = answer, .n = lcp->n, .best_residual = INFINITY};
    answer->basis_nonsingular = -1;
    const sti_status status = load(&k, env);
    int bad = -1;
    for (int i = 0; i < k.n && status == STI_OK && bad < 0; i++) {
        if (!(k.diagonal[i] > 0)) bad = i;
    }
    if (status == STI_OK && bad >= 0) {
        answer->termination = STI_END_NOT_APPLICABLE;
        snprintf(answer->reason, sizeof answer->reason, "projected Gauss-Seidel needs M_ii > 0, and M[%d][%d] = %g",
                 bad, bad, k.diagonal[bad]);
    } else if (status == STI_OK) {
        const char* how;
        answer->termination = iterate(&k, env, &how);
        answer->iterations = k.sweeps;
        snprintf(answer->reason, sizeof answer->reason, "projected Gauss-Seidel: %s, %ld sweeps, residual %.1e", how,
                 k.sweeps, k.best_residual);
    }
    sti_arena_clear(&k.memory);
    return status;
}
