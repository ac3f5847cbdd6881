// solve.c: least sums of absolute values, and least largest ones: data checked, the method run, the answer measured on
// the data as given.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "l1/interior.h"
#include "linalg/check.h"

static const char* const norms[] = {[STI_L1_SUM] = "sum", [STI_L1_LARGEST] = "largest"};

const char* sti_l1_norm_text(sti_l1_norm norm) {
    return norms[norm == STI_L1_LARGEST];
}

bool sti_l1_norm_parse(const char* text, sti_l1_norm* out) {
    for (int k = STI_L1_SUM; k <= STI_L1_LARGEST; k++) {
        if (strcmp(text, norms[k]) != 0) continue;
        *out = (sti_l1_norm)k;
        return true;
    }
    return false;
}

sti_l1_options sti_l1_options_default(void) {
    return (sti_l1_options){.tol = 1e-8, .max_iterations = 100};
}

void sti_l1_answer_clear(sti_env* env, sti_l1_answer* answer) {
    sti_free(env, answer->x);
    sti_free(env, answer->y);
    *answer = (sti_l1_answer){0};
}

static sti_status check(sti_env* env, const sti_l1* p, const sti_l1_options* o) {
    if (p->m < 1 || p->n < 1)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%d x %d: at least 1 x 1 is expected", p->m, p->n);
    if (!(o->tol > 0)) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "tol: %g: a positive number is expected", o->tol);
    if (!(o->memory_mb >= 0))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "memory: %g: a number that is not negative is expected",
                        o->memory_mb);
    sti_status status = sti_matrix_check(env, "A", &p->A, p->m, p->n, false);
    if (status == STI_OK) status = sti_vector_check(env, "b", p->b, p->m);
    if (status == STI_OK && o->x != NULL) status = sti_vector_check(env, "x", o->x, p->n);
    return status;
}

static sti_status reserve(sti_env* env, const sti_l1* p, const sti_l1_options* o, sti_l1_answer* a) {
    *a = (sti_l1_answer){.outcome = STI_LIMIT, .m = p->m, .n = p->n, .norm = o->norm};
    a->x = sti_alloc_array_zero(env, (size_t)p->n, sizeof *a->x);
    a->y = sti_alloc_array_zero(env, (size_t)p->m, sizeof *a->y);
    if (a->x != NULL && a->y != NULL) return STI_OK;
    return STI_ERR_MEMORY;
}

// The largest |A'y|_j over the column times the largest |y|: by so much of that y is off a vector with A'y = 0. r (m) =
// A x + b. A is sparse.
static double products(const sti_l1* p, const sti_l1_answer* a, double* r) {
    const sti_matrix* A = &p->A;
    double worst = 0, most = 0;
    for (int i = 0; i < p->m; i++) most = fmax(most, fabs(a->y[i]));
    memcpy(r, p->b, (size_t)p->m * sizeof *r);
    for (int j = 0; j < p->n; j++) {
        double sum = 0, size = 0;
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) {
            sum += A->value[k] * a->y[A->row[k]];
            size += fabs(A->value[k]);
            r[A->row[k]] += A->value[k] * a->x[j];
        }
        if (size > 0 && most > 0) worst = fmax(worst, fabs(sum) / size / most);
    }
    return worst;
}

// Objective, bound, gap and residual of the answer; r (2 m) is scratch.
static void measure(const sti_l1* p, double* r, sti_l1_answer* a) {
    const sti_matrix* A = &p->A;
    a->residual = products(p, a, r);
    double distance = 0, sum = 0, largest = 0, weight = 1;
    a->bound = 0;
    for (int i = 0; i < p->m; i++) {
        sum += fabs(r[i]);
        largest = fmax(largest, fabs(r[i]));
        weight -= fabs(a->y[i]);
        a->bound += p->b[i] * a->y[i];
    }
    const bool of_sum = a->norm == STI_L1_SUM;
    a->objective = of_sum ? sum : largest;
    for (int i = 0; i < p->m; i++) distance += (of_sum ? fabs(r[i]) : fabs(a->y[i]) * largest) - a->y[i] * r[i];
    if (!of_sum) distance += fmax(weight, 0) * largest;
    a->gap = distance / a->objective;
    if (!sti_l1_is_rounding(A, p->b, a->x, r, r + p->m)) return;
    memset(a->y, 0, (size_t)p->m * sizeof *a->y);  // enough for a bound of 0
    a->gap = a->bound = a->residual = 0;
}

static const double DUAL_FEASIBLE = 1e-10;  // A'y over its columns

static bool is_good(const sti_l1_options* o, const sti_l1_answer* a) {
    return isfinite(a->objective) && a->gap <= o->tol && a->residual <= DUAL_FEASIBLE;
}

static void conclude(const sti_l1_options* o, sti_l1_answer* a) {
    const bool overflow = !isfinite(a->gap) || !isfinite(a->objective);
    if (is_good(o, a)) {
        a->outcome = STI_SOLVED;
        snprintf(a->reason, sizeof a->reason, "x and the dual vector y are within %.1e of each other", a->gap);
        return;
    }
    if (a->residual > DUAL_FEASIBLE || overflow) {
        a->bound = 0;
        a->gap = 1;
    }
    if (overflow)
        snprintf(a->reason, sizeof a->reason, "the residual is beyond the range of doubles: other units may help");
    else if (a->reason[0] == '\0')
        snprintf(a->reason, sizeof a->reason, "A'y is %.1e of its columns, too much for a bound", a->residual);
}

static sti_status run(sti_env* env, const sti_l1* p, const sti_l1_options* o, sti_l1_answer* a) {
    sti_status status = reserve(env, p, o, a);
    double* r = sti_alloc_array(env, 2 * (size_t)p->m, sizeof *r);
    if (status == STI_OK && r == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK)
        status = o->norm == STI_L1_LARGEST ? sti_l1_largest(env, p, o, a) : sti_l1_interior(env, p, o, a);
    if (status == STI_OK) {
        bool met = false;
        measure(p, r, a);
        if (!is_good(o, a) && !(o->time_limit_s > 0)) status = sti_l1_meet_rows(env, p, 1e6 * o->memory_mb, a->x, &met);
        if (met) measure(p, r, a);
        conclude(o, a);
    }
    sti_free(env, r);
    return status;
}

sti_status sti_l1_solve(sti_env* env, const sti_l1* problem, const sti_l1_options* options, sti_l1_answer* answer) {
    const sti_l1_options chosen = options != NULL ? *options : sti_l1_options_default();
    const double begin = sti_clock();
    *answer = (sti_l1_answer){0};
    sti_status status = check(env, problem, &chosen);
    if (status != STI_OK) return status;
    sti_l1 sparse = *problem;
    const bool dense = !sti_matrix_is_sparse(&problem->A);
    if (dense) status = sti_matrix_to_sparse(env, &problem->A, &sparse.A);
    if (status == STI_OK) status = run(env, &sparse, &chosen, answer);
    if (dense) sti_matrix_clear(env, &sparse.A);
    answer->time_s = sti_clock() - begin;
    if (status != STI_OK) sti_l1_answer_clear(env, answer);
    return status;
}
