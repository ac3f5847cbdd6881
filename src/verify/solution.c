// solution.c: the check of a solution claim: residuals from the original data in compensated sums, and, where the
// answer gives its point in exact form, every condition without rounding.
#include <math.h>
#include <stdio.h>

#include "verify/check.h"

// Sums with the rounding errors of every product and every addition carried along: as if in twice the precision.
typedef struct sums {
    double* high;  // (N)
    double* low;   // (N)
    double* size;  // sum of the magnitudes (N)
} sums;

static inline void add_product(const sums* s, int i, double a, double b) {
    const double p = a * b, p_low = fma(a, b, -p);
    const double t = s->high[i] + p, part = t - s->high[i];
    s->low[i] += (s->high[i] - (t - part)) + (p - part) + p_low;
    s->high[i] = t;
    s->size[i] += fabs(p);
}

static void add_block(const sums* s, int first, const sti_matrix* A, int rows, int cols, const double* v) {
    if (rows == 0 || cols == 0) return;
    if (A->dense != NULL) {
        for (int i = 0; i < rows; i++) {
            const double* Ai = A->dense + (size_t)i * (size_t)cols;
            for (int j = 0; j < cols; j++) add_product(s, first + i, Ai[j], v[j]);
        }
        return;
    }
    for (int j = 0; j < cols; j++) {
        for (int64_t e = A->col_start[j]; e < A->col_start[j + 1]; e++)
            add_product(s, first + A->row[e], A->value[e], v[j]);
    }
}

// high <- (A u + C z + a; D u + B z + b)
static void evaluate(const sti_check* k, const double* u, const double* z, const sums* s) {
    const int n = k->n, m = k->m, N = n + m;
    for (int i = 0; i < N; i++) {
        s->high[i] = i < n ? k->vector[0][i] : k->vector[1][i - n];
        s->low[i] = 0;
        s->size[i] = fabs(s->high[i]);
    }
    add_block(s, 0, &k->block[0][0], n, n, u);
    add_block(s, 0, &k->block[0][1], n, m, z);
    add_block(s, n, &k->block[1][0], m, n, u);
    add_block(s, n, &k->block[1][1], m, m, z);
    for (int i = 0; i < N; i++) s->high[i] += s->low[i];
}

// Where each residual is largest.
typedef struct worst {
    int equation, z, w, gap;
} worst;

static inline void enlarge(double value, int index, double* largest, int* at) {
    if (value > *largest) {
        *largest = value;
        *at = index;
    }
}

// The residuals as sti_lcp_residual defines them; value holds the rows as evaluated. All finite.
static worst measure(const sti_check* k, const double* value, const double* z, sti_verification* out) {
    const double* w = value + k->n;
    const double size = sti_check_vector_size(k), s = size > 0 ? size : 1;
    double t = 0, natural = 0, norm = 0;
    for (int i = 0; i < k->m; i++) t = fmax(t, fabs(z[i]));
    if (t == 0) t = 1;
    worst at = {-1, -1, -1, -1};
    double largest_gap = 0;
    out->residual_equation = out->residual_z = out->residual_w = out->residual_gap = 0;
    for (int i = 0; i < k->n; i++) {
        enlarge(fabs(value[i]) / s, i, &out->residual_equation, &at.equation);
        natural = hypot(natural, value[i] / s);
        norm = hypot(norm, k->vector[0][i] / s);
    }
    for (int i = 0; i < k->m; i++) {
        const double gap = fabs(z[i] / t) * fabs(w[i] / s);
        enlarge(-z[i] / t, i, &out->residual_z, &at.z);
        enlarge(-w[i] / s, i, &out->residual_w, &at.w);
        enlarge(gap, i, &largest_gap, &at.gap);
        out->residual_gap += gap;
        natural = hypot(natural, fmin(z[i], w[i]) / s);
        norm = hypot(norm, k->vector[1][i] / s);
    }
    out->residual = fmax(fmax(out->residual_equation, out->residual_z), fmax(out->residual_w, out->residual_gap));
    out->natural = norm > 0 ? natural / norm : natural;
    return at;
}

static bool finite_array(const double* v, int count, const char* name, sti_verification* out) {
    if (count > 0 && v == NULL) {
        sti_check_reject(out, "the answer has no %s", name);
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (!isfinite(v[i])) {
            sti_check_reject(out, "%s_%d is %g", name, i, v[i]);
            return false;
        }
    }
    return true;
}

// The answer's own w, when it gives one: equal to ours but for the rounding of a plain sum, or within tol.
static bool claimed_w_agrees(const sti_check* k, const double* claimed, const sums* s, double tol,
                             sti_verification* out) {
    const double size = sti_check_vector_size(k), slack = tol * (size > 0 ? size : 1);
    const double rounding = 0x1p-52 * (k->n + k->m + 2);
    for (int i = 0; claimed != NULL && i < k->m; i++) {
        const double w = s->high[k->n + i];
        if (!(fabs(claimed[i] - w) <= fmax(slack, rounding * s->size[k->n + i]))) {
            sti_check_reject(out, "the answer says w_%d = %.9g, the data say %.9g", i, claimed[i], w);
            return false;
        }
    }
    return true;
}

// Every condition without rounding, at the exact point or, when there is none, at the doubles taken exactly.
static sti_status check_exactly(sti_check* k, const sti_lcp_answer* answer, bool* holds, sti_verification* out) {
    const int n = k->n, N = n + k->m;
    *holds = false;
    sti_int sum = {0};
    sti_int* point = sti_int_array(&k->x, (size_t)N + 1);
    sti_status status = point == NULL ? k->x.status : sti_check_point(k, answer->z_exact, answer->u, answer->z, point);
    int i = 0;
    for (; i < N && status == STI_OK; i++) {
        if (i >= n && sti_int_sign(&point[i]) < 0) {
            sti_check_reject(out, "exactly, z_%d is negative", i - n);
            break;
        }
        status = sti_check_row(k, i);
        if (status == STI_OK) sti_check_dot(k, &sum, k->image, point, N + 1);
        if (status == STI_OK) status = k->x.status;
        if (status != STI_OK) break;
        const int sign = sti_int_sign(&sum);
        if (i < n && sign != 0)
            sti_check_reject(out, "exactly, equation %d does not hold", i);
        else if (i >= n && sign < 0)
            sti_check_reject(out, "exactly, w_%d is negative", i - n);
        else if (i >= n && sign > 0 && sti_int_sign(&point[i]) > 0)
            sti_check_reject(out, "exactly, z_%d and w_%d are both positive", i - n, i - n);
        else
            continue;
        break;
    }
    *holds = status == STI_OK && i == N;
    sti_int_clear(k->env, &sum);
    sti_int_array_free(k->env, point, (size_t)N + 1);
    return status;
}

// The exact point and the doubles are one solution, but for tol (0: for rounding).
static sti_status exact_point_agrees(const sti_check* k, const sti_lcp_answer* answer, double tol, bool* agrees,
                                     sti_verification* out) {
    *agrees = false;
    if (sti_rationals_count(answer->z_exact) != (size_t)k->n + (size_t)k->m)
        return sti_check_reject(out, "the exact point has %zu entries, not %d", sti_rationals_count(answer->z_exact),
                                k->n + k->m);
    double size = 0;
    for (int i = 0; i < k->n; i++) size = fmax(size, fabs(answer->u[i]));
    for (int i = 0; i < k->m; i++) size = fmax(size, fabs(answer->z[i]));
    for (int i = 0; i < k->n + k->m; i++) {
        const bool is_free = i < k->n;
        const double given = is_free ? answer->u[i] : answer->z[i - k->n];
        const double exact = sti_rationals_double(answer->z_exact, (size_t)i);
        if (isnan(exact)) return STI_ERR_MEMORY;
        if (!(fabs(given - exact) <= fmax(tol, 0x1p-50) * size))
            return sti_check_reject(out, "%c_%d = %.9g is not the exact %.9g", is_free ? 'u' : 'z',
                                    is_free ? i : i - k->n, given, exact);
    }
    *agrees = true;
    return STI_OK;
}

static void name_residual(const sti_check* k, const sums* s, const double* z, worst at, double tol,
                          sti_verification* out) {
    const double* w = s->high + k->n;
    if (out->residual_equation > tol)
        sti_check_reject(out, "equation %d is off by %.3g (residual %.3g)", at.equation, s->high[at.equation],
                         out->residual_equation);
    else if (out->residual_z > tol)
        sti_check_reject(out, "z_%d = %.3g is negative (residual %.3g)", at.z, z[at.z], out->residual_z);
    else if (out->residual_w > tol)
        sti_check_reject(out, "w_%d = %.3g is negative (residual %.3g)", at.w, w[at.w], out->residual_w);
    else if (at.gap >= 0)
        sti_check_reject(out, "z_%d = %.3g and w_%d = %.3g are not complementary (residual %.3g)", at.gap, z[at.gap],
                         at.gap, w[at.gap], out->residual_gap);
    else
        sti_check_reject(out, "the residual %.3g is above %.3g", out->residual, tol);
}

static sti_status check_point(sti_check* k, const sti_lcp_answer* answer, double tol, const sums* s,
                              sti_verification* out) {
    evaluate(k, answer->u, answer->z, s);
    for (int i = 0; i < k->n + k->m; i++) {
        if (!isfinite(s->high[i]))
            return sti_check_reject(out, "%s %d is beyond the range of doubles at this point",
                                    i < k->n ? "equation" : "w", i < k->n ? i : i - k->n);
    }
    // An exact point needs no small residual: rounded to doubles, a large one of a matrix near a singular one has none.
    const worst at = measure(k, s->high, answer->z, out);
    const bool small = out->residual <= tol;
    if (!small && answer->z_exact == NULL) {
        name_residual(k, s, answer->z, at, tol, out);
        return STI_OK;
    }
    if (!claimed_w_agrees(k, answer->w, s, tol, out)) return STI_OK;

    bool holds = true;
    if (answer->exact || answer->z_exact != NULL) {
        sti_status status = STI_OK;
        if (answer->z_exact != NULL) status = exact_point_agrees(k, answer, small ? tol : 0, &holds, out);
        if (status == STI_OK && holds) status = check_exactly(k, answer, &holds, out);
        if (status != STI_OK || !holds) return status;
        out->exact = true;
    }
    out->accepted = true;
    snprintf(out->text, sizeof out->text, "solution: residual %.3g%s%s", out->residual, small ? "" : " of its doubles",
             out->exact ? ", and every condition holds without rounding" : "");
    return STI_OK;
}

sti_status sti_check_solution(sti_check* k, const sti_lcp_answer* answer, double tol, sti_verification* out) {
    if (!finite_array(answer->u, k->n, "u", out) || !finite_array(answer->z, k->m, "z", out)) return STI_OK;
    const size_t N = (size_t)k->n + (size_t)k->m;
    double* room = sti_alloc_array(k->env, 3 * N, sizeof *room);
    if (room == NULL) return STI_ERR_MEMORY;
    const sums s = {room, room + N, room + 2 * N};
    const sti_status status = check_point(k, answer, tol, &s, out);
    sti_free(k->env, room);
    return status;
}
