// l1.c: the independent check of a least sum of absolute values.
//
//     |A x' + b|_1 >= y'(A x' + b) = y'(A x + b)     for every x', when A'y = 0 and |y_i| <= 1
//
// so sum of |r_i| - y_i r_i, r = A x + b, bounds from above what x is off the least value. From A, b, x and y alone, in
// long double. A'y is a rounded number, so it is held against the column times the largest |y|: by so much of that, y
// is off a vector with A'y = 0. (Its own terms are no measure: all y of a column may be 0.) Where every row is met
// as well as an x of doubles can, the sum is the least one whatever y is.
#include <math.h>
#include <stdio.h>
#include <stiction/l1.h>

#include "base/env.h"
#include "verify/data.h"

static const long double ROUNDED = 1e-9L;  // A'y over its columns
static const long double WEIGHT = 1e-12L;  // what rounding may add to a sum of |y_i|
static const long double MET = 2e-14L;     // a sum of |r| over its terms
static const long double ROW = 2e-9L;      // and one |r_i| over what its entries make of the largest x

static sti_status check_problem(sti_env* env, const sti_l1* p) {
    if (p->m < 1 || p->n < 1)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%d x %d: at least 1 x 1 is expected", p->m, p->n);
    const sti_status status = sti_check_data_matrix(env, "A", &p->A, p->m, p->n, false);
    return status == STI_OK ? sti_check_data_vector(env, "b", p->b, p->m) : status;
}

// r = A x + b (m), row (m) how large rows are; the largest |A'y|_j over its column and the largest |y|. size: sum of
// all terms of r.
static long double products(const sti_l1* p, const sti_l1_answer* a, long double* r, long double* row,
                            long double* size) {
    const sti_matrix* A = &p->A;
    long double worst = 0, most = 0, largest = 0;
    *size = 0;
    for (int j = 0; j < p->n; j++) largest = fmaxl(largest, fabsl((long double)a->x[j]));
    for (int i = 0; i < p->m; i++) {
        r[i] = p->b[i];
        row[i] = fabsl(r[i]);
        *size += fabsl(r[i]);
        most = fmaxl(most, fabsl((long double)a->y[i]));
    }
    for (int j = 0; j < p->n; j++) {
        long double sum = 0, column = 0;
        const int64_t begin = A->dense != NULL ? 0 : A->col_start[j],
                      end = A->dense != NULL ? p->m : A->col_start[j + 1];
        for (int64_t k = begin; k < end; k++) {
            const int i = A->dense != NULL ? (int)k : A->row[k];
            const long double value = A->dense != NULL ? A->dense[(size_t)i * (size_t)p->n + (size_t)j] : A->value[k];
            sum += value * a->y[i];
            column += fabsl(value);
            r[i] += value * a->x[j];
            row[i] += fabsl(value) * largest;
            *size += fabsl(value * a->x[j]);
        }
        if (column > 0 && most > 0) worst = fmaxl(worst, fabsl(sum) / column / most);
    }
    return worst;
}

// Are all rows met, each for itself and all together?
static bool is_met(int m, const long double* r, const long double* row, long double size) {
    long double sum = 0;
    for (int i = 0; i < m; i++) {
        sum += fabsl(r[i]);
        if (fabsl(r[i]) > ROW * row[i]) return false;
    }
    return sum <= MET * size;
}

// max |A x' + b|_i >= y'(A x' + b) = y'r when A'y = 0 and sum |y_i| <= 1.
static sti_status judge_largest(const sti_l1* p, const sti_l1_answer* a, double tol, const long double* r, bool met,
                                sti_l1_verification* out) {
    long double largest = 0, weight = 0, bound = 0;
    for (int i = 0; i < p->m; i++) {
        largest = fmaxl(largest, fabsl(r[i]));
        weight += fabsl((long double)a->y[i]);
        bound += a->y[i] * r[i];
    }
    out->objective = (double)largest;
    out->gap = met ? 0 : (double)((largest - bound) / largest);
    if (!(weight <= 1 + WEIGHT))
        return STI_REJECT(out, "the sum of |y_i| is %.17g, and only up to 1 gives a bound", (double)weight);
    if (!(out->residual <= ROUNDED)) return STI_REJECT(out, "A'y is %.2e of its columns and not zero", out->residual);
    if (!(out->gap <= tol))
        return STI_REJECT(out, "x may be %.2e above the least value, more than %.2e", out->gap, tol);
    out->accepted = true;
    snprintf(out->text, sizeof out->text, "x is within %.2e of the least largest value, by the dual vector y",
             out->gap);
    return STI_OK;
}

static sti_status judge(const sti_l1* p, const sti_l1_answer* a, double tol, const long double* r, bool met,
                        sti_l1_verification* out) {
    long double objective = 0, distance = 0;
    for (int i = 0; i < p->m; i++) {
        objective += fabsl(r[i]);
        distance += fabsl(r[i]) - a->y[i] * r[i];
    }
    out->objective = (double)objective;
    out->gap = met ? 0 : (double)(distance / objective);
    for (int i = 0; i < p->m; i++) {
        if (fabs(a->y[i]) > 1) return STI_REJECT(out, "y[%d] is %.17g, and only -1 to 1 gives a bound", i, a->y[i]);
    }
    if (!(out->residual <= ROUNDED)) return STI_REJECT(out, "A'y is %.2e of its columns and not zero", out->residual);
    if (!(out->gap <= tol))
        return STI_REJECT(out, "x may be %.2e above the least value, more than %.2e", out->gap, tol);
    out->accepted = true;
    snprintf(out->text, sizeof out->text, "x is within %.2e of the least value, by the dual vector y", out->gap);
    return STI_OK;
}

sti_status sti_verify_l1(sti_env* env, const sti_l1* problem, const sti_l1_answer* answer, double tol,
                         sti_l1_verification* out) {
    *out = (sti_l1_verification){.residual = NAN, .objective = NAN, .gap = NAN};
    sti_status status = check_problem(env, problem);
    if (status != STI_OK) return status;
    if (answer->outcome != STI_SOLVED) return STI_REJECT(out, "the answer claims nothing that could be checked");
    if (answer->m != problem->m || answer->n != problem->n || answer->x == NULL || answer->y == NULL)
        return STI_REJECT(out, "the answer has %d unknowns and %d dual values, the problem %d and %d", answer->n,
                          answer->m, problem->n, problem->m);
    if (!sti_check_data_finite(answer->x, problem->n) || !sti_check_data_finite(answer->y, problem->m))
        return STI_REJECT(out, "x or y is not finite");
    long double* r = sti_alloc_array(env, 2 * (size_t)problem->m, sizeof *r);
    if (r == NULL) return STI_ERR_MEMORY;
    long double size, *row = r + problem->m;
    out->residual = (double)products(problem, answer, r, row, &size);
    const bool met = is_met(problem->m, r, row, size);
    status = answer->norm == STI_L1_LARGEST ? judge_largest(problem, answer, tol, r, met, out)
                                            : judge(problem, answer, tol, r, met, out);
    sti_free(env, r);
    return status;
}
