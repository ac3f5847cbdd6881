// qp.c: the independent check of an answer to a quadratic program.
//
//     min 1/2 x'P x + c'x,  l <= A x <= u,  lb <= x <= ub          P x + c + A'y + z = 0
//
// From the program and (x, y, z) alone, in long double. a_i is the largest entry of row i of A, 1 for a row of zeros;
// rows are compared as r_i / a_i. |b| is the largest bound (of rows: over a_i), |c| the largest entry of c; each is
// read as 1 where it is 0. h is the sum of u_i y_i (l_i y_i where y_i < 0) over rows and the same over bounds.
//
//     solved       distance of A x, x from their intervals / max(|b|, |A x|, |x|),
//                  |P x + c + A'y + z| / max(|c|, |P x|, |A'y + z|),
//                  |x'P x + c'x + h| / max(|x'P x|, |c'x|, |h|, |b| |c|)
//     infeasible   h < 0 and  |A'y + z| |b| / -h
//     unbounded    c'x < 0 and  the part of A x, x against a side that is there, |c| / -c'x;
//         |P x| |c| / (max |P_ij| -c'x)
//
// A multiplier of a side that is not there proves nothing: it makes h infinite. P is tested as in conic.c.
#include <math.h>
#include <stdio.h>
#include <stiction/qp.h>

#include "base/env.h"
#include "verify/conic.h"
#include "verify/data.h"

typedef struct judge {
    const sti_qp* q;
    int n, m;
    long double* memory;
    long double *x, *z, *Px, *Aty;  // Aty: A'y + z        (n)
    long double *y, *Ax, *unit;     // (m)
    long double b, c, P;            // sizes
} judge;

static long double low_of(const double* v, int i) {
    return v == NULL || v[i] <= -STI_QP_INFINITY ? -INFINITY : v[i];
}

static long double high_of(const double* v, int i) {
    return v == NULL || v[i] >= STI_QP_INFINITY ? INFINITY : v[i];
}

static sti_status check_sides(sti_env* env, const char* name, const double* v, int n, bool upper) {
    for (int i = 0; v != NULL && i < n; i++) {
        if (isnan(v[i]) || (upper ? v[i] <= -STI_QP_INFINITY : v[i] >= STI_QP_INFINITY))
            return STI_FAIL(env, STI_ERR_ARGUMENT, i, "%s[%d] is %g", name, i, v[i]);
    }
    return STI_OK;
}

static sti_status check_qp(sti_env* env, const sti_qp* q) {
    if (q->n < 0 || q->m < 0) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a count is negative");
    sti_status status = sti_check_data_matrix(env, "A", &q->A, q->m, q->n, false);
    if (status == STI_OK && q->P.rows > 0) status = sti_check_data_matrix(env, "P", &q->P, q->n, q->n, false);
    if (status == STI_OK) status = sti_check_data_vector(env, "c", q->c, q->n);
    if (status == STI_OK) status = check_sides(env, "l", q->l, q->m, false);
    if (status == STI_OK) status = check_sides(env, "u", q->u, q->m, true);
    if (status == STI_OK) status = check_sides(env, "lb", q->lb, q->n, false);
    if (status == STI_OK) status = check_sides(env, "ub", q->ub, q->n, true);
    return status;
}

static long double finite_part(long double v) {
    return isfinite(v) ? fabsl(v) : 0;
}

static void set_sizes(judge* k) {
    const sti_qp* q = k->q;
    if (k->n > 0 && k->m > 0) sti_check_conic_size(&q->A, k->unit);
    for (int i = 0; i < k->m; i++) {
        if (k->unit[i] == 0) k->unit[i] = 1;
        k->b = fmaxl(k->b, fmaxl(finite_part(low_of(q->l, i)), finite_part(high_of(q->u, i))) / k->unit[i]);
    }
    for (int j = 0; j < k->n; j++) {
        k->b = fmaxl(k->b, fmaxl(finite_part(low_of(q->lb, j)), finite_part(high_of(q->ub, j))));
        k->c = fmaxl(k->c, fabsl(q->c[j]));
    }
    k->P = sti_check_conic_size(&q->P, NULL);
    if (k->b == 0) k->b = 1;
    if (k->c == 0) k->c = 1;
    if (k->P == 0) k->P = 1;
}

static sti_status open_judge(sti_env* env, judge* k, const sti_qp* q, const sti_qp_answer* a) {
    *k = (judge){.q = q, .n = q->n, .m = q->m};
    const size_t n = (size_t)k->n, m = (size_t)k->m;
    k->memory = sti_alloc_array_zero(env, 4 * n + 3 * m, sizeof *k->memory);
    if (k->memory == NULL) return STI_ERR_MEMORY;
    k->x = k->memory;
    k->z = k->x + n;
    k->Px = k->z + n;
    k->Aty = k->Px + n;
    k->y = k->Aty + n;
    k->Ax = k->y + m;
    k->unit = k->Ax + m;
    for (size_t j = 0; j < n; j++) {
        k->x[j] = a->x[j];
        k->Aty[j] = k->z[j] = a->z[j];
    }
    for (size_t i = 0; i < m; i++) k->y[i] = a->y[i];
    set_sizes(k);
    if (m > 0) sti_check_conic_multiply(&q->A, false, k->x, k->Ax);
    if (m > 0) sti_check_conic_multiply(&q->A, true, k->y, k->Aty);
    if (q->P.rows > 0) sti_check_conic_multiply(&q->P, false, k->x, k->Px);
    return STI_OK;
}

static long double worth(long double y, long double low, long double high) {
    return y > 0 ? y * high : y < 0 ? y * low : 0;
}

static long double value_of_multipliers(const judge* k) {
    long double h = 0;
    for (int i = 0; i < k->m; i++) h += worth(k->y[i], low_of(k->q->l, i), high_of(k->q->u, i));
    for (int j = 0; j < k->n; j++) h += worth(k->z[j], low_of(k->q->lb, j), high_of(k->q->ub, j));
    return h;
}

static void check_point(const judge* k, sti_qp_verification* out) {
    const sti_qp* q = k->q;
    long double error = 0, size = k->b, dual = 0, dual_size = k->c, xPx = 0, cx = 0;
    bool constrained = false;
    for (int i = 0; i < k->m; i++) {
        const long double low = low_of(q->l, i), high = high_of(q->u, i);
        error = fmaxl(error, fmaxl(k->Ax[i] - high, low - k->Ax[i]) / k->unit[i]);
        size = fmaxl(size, fabsl(k->Ax[i]) / k->unit[i]);
        constrained = constrained || isfinite(low) || isfinite(high);
    }
    for (int j = 0; j < k->n; j++) {
        const long double low = low_of(q->lb, j), high = high_of(q->ub, j);
        error = fmaxl(error, fmaxl(k->x[j] - high, low - k->x[j]));
        size = fmaxl(size, fabsl(k->x[j]));
        constrained = constrained || isfinite(low) || isfinite(high);
        dual = fmaxl(dual, fabsl(k->Px[j] + q->c[j] + k->Aty[j]));
        dual_size = fmaxl(dual_size, fmaxl(fabsl(k->Px[j]), fabsl(k->Aty[j])));
        xPx += k->x[j] * k->Px[j];
        cx += q->c[j] * k->x[j];
    }
    const long double h = value_of_multipliers(k);
    out->residual_primal = (double)(error / size);
    out->residual_dual = (double)(dual / dual_size);
    size = fmaxl(fmaxl(fabsl(xPx), fabsl(cx)), fmaxl(fabsl(h), constrained ? k->b * k->c : 0));
    out->residual_gap = isfinite(h) ? (size > 0 ? (double)(fabsl(xPx + cx + h) / size) : 0) : INFINITY;
    out->residual = fmax(fmax(out->residual_primal, out->residual_dual), out->residual_gap);
    out->objective = (double)(xPx / 2 + cx);
}

static void check_infeasible(const judge* k, sti_qp_verification* out) {
    const long double h = value_of_multipliers(k);
    const bool proves = h < 0 && isfinite(h);
    long double error = 0;
    for (int j = 0; j < k->n; j++) error = fmaxl(error, fabsl(k->Aty[j]));
    out->residual = out->residual_dual = proves ? (double)(error * k->b / -h) : INFINITY;
    out->bound = proves ? (double)(-h / error) : 0;
}

// The part of a direction that runs into a side.
static long double against(long double v, long double low, long double high) {
    return fmaxl(isfinite(high) ? v : 0, isfinite(low) ? -v : 0);
}

static void check_unbounded(const judge* k, sti_qp_verification* out) {
    const sti_qp* q = k->q;
    long double cx = 0, error = 0, curvature = 0;
    for (int i = 0; i < k->m; i++)
        error = fmaxl(error, against(k->Ax[i], low_of(q->l, i), high_of(q->u, i)) / k->unit[i]);
    for (int j = 0; j < k->n; j++) {
        error = fmaxl(error, against(k->x[j], low_of(q->lb, j), high_of(q->ub, j)));
        curvature = fmaxl(curvature, fabsl(k->Px[j]));
        cx += q->c[j] * k->x[j];
    }
    out->residual_primal = cx < 0 ? (double)(error * k->c / -cx) : INFINITY;
    out->residual_dual = cx < 0 ? (double)(curvature * k->c / k->P / -cx) : INFINITY;
    out->residual = fmax(out->residual_primal, out->residual_dual);
}

// The vectors that the claim is about are there and finite.
static bool complete(const sti_qp* q, const sti_qp_answer* a) {
    if (a->n != q->n || a->m != q->m || a->x == NULL || a->y == NULL || a->z == NULL) return false;
    const bool need_x = a->outcome != STI_CONIC_INFEASIBLE, need_y = a->outcome != STI_CONIC_UNBOUNDED;
    return (!need_x || sti_check_data_finite(a->x, q->n)) &&
           (!need_y || (sti_check_data_finite(a->y, q->m) && sti_check_data_finite(a->z, q->n)));
}

// "The interval of this row, or variable, is empty": no rounding in it.
static sti_status decide_crossed(const sti_qp* q, int crossed, sti_qp_verification* out) {
    const bool row = crossed < q->m;
    const int i = row ? crossed : crossed - q->m;
    if (crossed >= q->m + q->n || !(low_of(row ? q->l : q->lb, i) > high_of(row ? q->u : q->ub, i)))
        return STI_REJECT(out, "no empty interval at %d", crossed);
    out->accepted = true;
    out->residual = out->residual_dual = 0;
    out->bound = INFINITY;
    snprintf(out->text, sizeof out->text, "infeasible, %s[%d] > %s[%d]", row ? "l" : "lb", i, row ? "u" : "ub", i);
    return STI_OK;
}

static sti_status decide(sti_env* env, const judge* k, double tol, sti_qp_verification* out) {
    if (out->claim == STI_CONIC_SOLVED) {
        check_point(k, out);
        sti_verdict convex;
        const sti_status status = sti_check_conic_convex(env, k->n, &k->q->P, &convex);
        if (status != STI_OK) return status;
        if (convex == STI_NO) return STI_REJECT(out, "P is not positive semidefinite");
        out->convex = convex == STI_YES;
    } else if (out->claim == STI_CONIC_INFEASIBLE) {
        check_infeasible(k, out);
    } else {
        check_unbounded(k, out);
    }
    if (!(out->residual <= tol))
        return STI_REJECT(out, "residual %.3g (rows and bounds %.3g, multipliers %.3g, gap %.3g)", out->residual,
                          out->residual_primal, out->residual_dual, out->residual_gap);
    out->accepted = true;
    sti_check_conic_say(out->claim, out->residual, out->convex, out->text, sizeof out->text);
    return STI_OK;
}

sti_status sti_verify_qp(sti_env* env, const sti_qp* qp, const sti_qp_answer* answer, double tol,
                         sti_qp_verification* out) {
    *out = (sti_qp_verification){.claim = answer->outcome,
                                 .residual = NAN,
                                 .residual_primal = NAN,
                                 .residual_dual = NAN,
                                 .residual_gap = NAN,
                                 .objective = NAN,
                                 .bound = NAN};
    sti_status status = check_qp(env, qp);
    if (status != STI_OK) return status;
    if (!sti_check_conic_claims(out->claim))
        return STI_REJECT(out, "nothing is claimed (%s)", sti_conic_outcome_text(out->claim));
    if (out->claim == STI_CONIC_INFEASIBLE && answer->crossed >= 0 && answer->n == qp->n && answer->m == qp->m)
        return decide_crossed(qp, answer->crossed, out);
    if (!complete(qp, answer)) return STI_REJECT(out, "the answer does not fit the program or is not finite");
    judge k;
    status = open_judge(env, &k, qp, answer);
    if (status == STI_OK) status = decide(env, &k, tol, out);
    sti_free(env, k.memory);
    return status;
}
