// conclude.c: what the end of a method is worth.
//
// A point that passes the residual test is a solution to that accuracy. For small problems the complementary basis
// it names is solved again without rounding: then the solution is exact, and for data that are exact themselves
// (integers, fractions) a point that fails this is not called a solution, whatever its residual.
//
// A secondary ray of Lemke's method gives v >= 0, M v >= 0, v'M v = 0, v'q < 0 when M is copositive. That is the
// hypothesis of S3 theorem 1.2.8 failing; it does not exclude a solution:
//
//     M = [0 1; 0 0],  q = (-1, 0),  v = (1, 0):   v is such a ray, M is copositive, yet z = (0, 1) solves.
//
// It is a proof when M'v <= 0 as well, for then y = v is a Farkas vector: 0 <= v'w = (M'v)'z + v'q < 0. For
// copositive-plus matrices (positive semidefinite ones among them) this follows from the above. So what is tested
// is M'v <= 0 itself, whatever the class. Small problems are settled by exact linear feasibility instead.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/matrix.h"
#include "solvers/exact_lcp.h"
#include "solvers/solvers.h"

enum { CONFIRM_LIMIT = 40 };  // variables up to which a basis is solved again exactly: n^3 integer operations

// The exact solution into the answer: nearest doubles, and the numbers themselves (u first).
static sti_status adopt_exact(sti_env* env, const sti_rationals* zu, sti_lcp_answer* answer) {
    const size_t n = (size_t)answer->n, nf = (size_t)answer->free_count;
    sti_rationals* uz;
    sti_status status = sti_rationals_create(env, n + nf, &uz);
    for (size_t k = 0; k < n + nf && status == STI_OK; k++)
        status = sti_rationals_copy(uz, k, zu, k < nf ? n + k : k - nf);
    if (status != STI_OK) {
        sti_rationals_destroy(uz);
        return status;
    }
    bool rounded = true;  // a division that found no memory is not a number
    for (size_t k = 0; k < n + nf; k++) {
        const double value = sti_rationals_double(uz, k);
        rounded = rounded && !isnan(value);
        if (k < nf)
            answer->u[k] = value;
        else
            answer->z[k - nf] = value;
    }
    if (!rounded) {
        sti_rationals_destroy(uz);
        return STI_ERR_MEMORY;
    }
    sti_rationals_destroy(answer->z_exact);
    answer->z_exact = uz;
    answer->exact = true;
    return STI_OK;
}

static sti_status confirm_exactly(sti_env* env, const sti_mlcp* p, sti_lcp_answer* answer) {
    sti_exact_lcp* e;
    sti_status status = sti_exact_lcp_create(env, p, &e);
    if (status != STI_OK) return status;
    sti_exact_basis basis;
    status = sti_exact_lcp_solve_basis(e, answer->alpha, &basis);
    if (status == STI_OK && basis.feasible) {
        status = adopt_exact(env, basis.solution, answer);
        answer->basis_nonsingular = basis.nonsingular;
        if (status == STI_OK) status = sti_mlcp_residual(env, p, answer);
    }
    sti_exact_basis_clear(&basis);
    sti_exact_lcp_destroy(e);
    return status;
}

static void adopt_proof(sti_env* env, sti_certificate* proof, sti_lcp_answer* answer) {
    sti_certificate_clear(env, &answer->certificate);
    answer->certificate = *proof;
    *proof = (sti_certificate){0};
    answer->outcome = STI_NO_SOLUTION;
    if (answer->certificate.leaf_count == 1)
        snprintf(answer->reason, sizeof answer->reason,
                 "no point has all variables and slacks nonnegative: Farkas vector, exact");
    else
        snprintf(answer->reason, sizeof answer->reason,
                 "every choice of complementary variables is impossible: %d cases, each with a Farkas vector, exact",
                 answer->certificate.leaf_count);
}

// Found in exact arithmetic: an answer, where doubles can tell it.
static void conclude_search(sti_lcp_answer* answer) {
    const bool told = isfinite(answer->residual);
    answer->outcome = told ? STI_SOLVED : STI_UNKNOWN;
    answer->termination = told ? STI_END_SOLUTION : STI_END_STALLED;
    answer->certificate.proof = told ? STI_PROOF_SOLUTION : STI_PROOF_NONE;
    answer->certificate.exact = told;
    answer->exact = told;
    snprintf(answer->reason, sizeof answer->reason,
             told ? "found by search of the complementary cones, exact"
                  : "there is a solution, found in exact arithmetic, but its numbers are beyond the range of doubles");
}

sti_status sti_mlcp_decide(sti_env* env, const sti_mlcp* p, const sti_lcp_options* options, long max_nodes,
                           sti_lcp_answer* answer) {
    sti_exact_lcp* e;
    sti_status status = sti_exact_lcp_create(env, p, &e);
    if (status != STI_OK) return status;
    const sti_search_def def = {
        .max_nodes = max_nodes, .deadline = sti_deadline(env, options->time_limit_s), .keep_proof = true};
    sti_search_result found;
    status = sti_exact_lcp_search(e, &def, &found);
    if (status == STI_OK) {
        answer->iterations = found.nodes;
        if (found.found) {
            memcpy(answer->alpha, found.alpha, (size_t)answer->n);
            answer->basis_nonsingular = found.nonsingular;
            status = adopt_exact(env, found.solution, answer);
            if (status == STI_OK) status = sti_mlcp_residual(env, p, answer);
            if (status == STI_OK) conclude_search(answer);
        } else if (found.complete) {
            adopt_proof(env, &found.certificate, answer);
            answer->termination = STI_END_EXHAUSTED;
        }
        sti_search_result_clear(env, &found);
    }
    sti_exact_lcp_destroy(e);
    return status;
}

double sti_certificate_bound(const sti_mlcp* p, const double* x, const double* y) {
    long double value = 0, value_size = 0,
                worst = 0;  // sums, and the sums of absolute values that bound their rounding
    const int n = p->n, m = p->m;
    for (int i = 0; i < n + m; i++) {
        const long double term = i < n ? (long double)x[i] * p->a[i] : (long double)y[i - n] * p->b[i - n];
        value += term;
        value_size += fabsl(term);
    }
    const long double unit = (long double)(n + m + 2) * LDBL_EPSILON;
    for (int j = 0; j < n + m; j++) {
        const sti_matrix *top = j < n ? &p->A : &p->C, *low = j < n ? &p->D : &p->B;
        const int col = j < n ? j : j - n;
        long double sum = 0, size = 0;
        for (int i = 0; i < n + m; i++) {
            const double weight = i < n ? x[i] : y[i - n];
            if (weight == 0) continue;
            const long double term =
                (long double)weight * (i < n ? sti_matrix_get(top, i, col) : sti_matrix_get(low, i - n, col));
            sum += term;
            size += fabsl(term);
        }
        const long double violation = (j < n ? fabsl(sum) : sum) + unit * size;  // u is free, z only nonnegative
        if (violation > worst) worst = violation;
    }
    const long double strict = -value - unit * value_size;
    if (!(strict > 0)) return 0;
    return worst > 0 ? (double)(strict / worst * (1 - 4 * DBL_EPSILON)) : INFINITY;
}

double sti_ray_bound(const sti_mlcp* p, const double* v, double* y) {
    double size_q = 0, size_M = 0;
    for (int i = 0; i < p->m; i++) {
        y[i] = v[i] > 0 ? v[i] : 0;
        size_q = fmax(size_q, fabs(p->b[i]));
        for (int j = 0; j < p->m; j++) size_M = fmax(size_M, fabs(sti_matrix_get(&p->B, i, j)));
    }
    const double bound = sti_certificate_bound(p, NULL, y);
    const double natural = size_M > 0 ? size_q / size_M : 1;  // a z of this size already moves w by |q|
    return bound > 1e8 * natural ? bound : 0;
}

static sti_status prove_by_ray(sti_env* env, const sti_mlcp* p, sti_lcp_answer* answer) {
    const size_t n = (size_t)p->m;
    double* y = sti_alloc_array_zero(env, n, sizeof *y);
    signed char* fixed = sti_alloc_array_zero(env, n, 1);
    const bool memory = y != NULL && fixed != NULL;
    const double bound = memory ? sti_ray_bound(p, answer->ray.dz, y) : 0;
    if (bound > 0) {
        sti_certificate_clear(env, &answer->certificate);
        answer->certificate = (sti_certificate){
            .proof = STI_PROOF_FARKAS, .pair_count = p->m, .leaf_count = 1, .y = y, .fixed = fixed, .bound = bound};
        answer->outcome = STI_NO_SOLUTION;
        snprintf(answer->reason, sizeof answer->reason,
                 "Farkas vector up to rounding: a solution would need |z|_1 >= %.3g", bound);
        return STI_OK;
    }
    sti_free(env, y);
    sti_free(env, fixed);
    return memory ? STI_OK : STI_ERR_MEMORY;
}

static sti_status conclude_ray(sti_env* env, const sti_mlcp* p, const sti_lcp_options* options,
                               sti_lcp_answer* answer) {
    answer->outcome = STI_UNKNOWN;
    if (p->n + p->m <= CONFIRM_LIMIT) {
        const long iterations = answer->iterations;
        sti_status status = sti_mlcp_decide(env, p, options, 0, answer);
        answer->iterations = iterations;
        answer->termination = STI_END_RAY;
        if (status != STI_OK || answer->outcome == STI_NO_SOLUTION) return status;
    } else if (p->n == 0 && answer->ray.dz != NULL) {
        const sti_status status = prove_by_ray(env, p, answer);
        if (status != STI_OK || answer->outcome == STI_NO_SOLUTION) return status;
    }
    snprintf(answer->reason, sizeof answer->reason,
             "ended on a secondary ray v, and M'v <= 0 does not hold, so the ray proves nothing; w, z >= 0 can be met");
    return STI_OK;
}

sti_status sti_mlcp_conclude(sti_env* env, const sti_mlcp* p, const sti_lcp_options* options, sti_lcp_answer* answer) {
    sti_status status = sti_mlcp_residual(env, p, answer);
    if (status != STI_OK) return status;
    if (answer->residual <= options->tol) {
        answer->outcome = STI_SOLVED;
        answer->certificate.proof = STI_PROOF_SOLUTION;
        const bool small = !options->rounded && p->n + p->m <= CONFIRM_LIMIT;
        if (small) status = confirm_exactly(env, p, answer);
        if (status == STI_OK && small && !answer->exact && sti_mlcp_data_exact(p)) {
            answer->outcome = STI_UNKNOWN;
            answer->termination = STI_END_STALLED;
            answer->certificate.proof = STI_PROOF_NONE;
            snprintf(answer->reason, sizeof answer->reason,
                     "the point passes the residual test, but its complementary basis is not a solution in exact "
                     "arithmetic");
            return STI_OK;
        }
        answer->termination = STI_END_SOLUTION;
        answer->certificate.exact = answer->exact;
        snprintf(answer->reason, sizeof answer->reason,
                 answer->exact ? "solution confirmed in exact arithmetic"
                               : "residual on the original data is within the tolerance");
        return status;
    }
    switch (answer->termination) {
        case STI_END_RAY:
            return conclude_ray(env, p, options, answer);
        case STI_END_LIMIT:
            answer->outcome = STI_LIMIT;
            break;
        case STI_END_SOLUTION:
            answer->termination = STI_END_STALLED;
            snprintf(answer->reason, sizeof answer->reason,
                     "the point found misses the tolerance on the original data");
            answer->outcome = STI_UNKNOWN;
            break;
        default:
            answer->outcome = STI_UNKNOWN;
    }
    return STI_OK;
}
