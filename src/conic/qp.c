// qp.c: quadratic programs with two-sided rows, as conic programs and back.
//
//     l <= A x <= u,  lb <= x <= ub        rows of the conic program, in this order:
//
//     equations    A_i x = u_i   where l_i = u_i,        x_j = ub_j    where lb_j = ub_j
//     upper        A_i x + s = u_i                       x_j + s = ub_j
//     lower        -A_i x + s = -l_i                     -x_j + s = -lb_j
//
// A side that is not there (beyond STI_QP_INFINITY) has no row. Multipliers come back as y = (upper) - (lower). The
// conic answer is measured once more as an answer to the QP (docs/conic.md has the formulas), and that decides. l > u
// is no error: the program is infeasible then, and the answer names the row. Cost: that of the conic program.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stiction/qp.h>
#include <string.h>

#include "base/env.h"
#include "conic/judge.h"
#include "linalg/check.h"
#include "linalg/matrix.h"

enum { EQUAL, UPPER, LOWER, SIDES };

typedef struct form {
    sti_env* env;
    const sti_qp* qp;
    sti_matrix A;      // of the QP, sparse
    int* row[SIDES];   // conic row of each row of A, or -1     (m)
    int* unit[SIDES];  // conic row of each bound, or -1        (n)
    sti_matrix G;      // of the conic program
    double* h;         // its right side
    int m;             // its rows
    int equations;
    int* memory;  // of row and unit
} form;

static double side(const double* v, int i, double none) {
    return v == NULL || fabs(v[i]) >= STI_QP_INFINITY ? none : v[i];
}

// --- the conic program ---------------------------------------------------------------------------------------------

static sti_status check_bounds(sti_env* env, const char* name, const double* v, int n, double wrong) {
    for (int i = 0; v != NULL && i < n; i++) {
        if (isnan(v[i]) || (fabs(v[i]) >= STI_QP_INFINITY && v[i] * wrong > 0))
            return STI_FAIL(env, STI_ERR_ARGUMENT, i, "%s[%d] is %g", name, i, v[i]);
    }
    return STI_OK;
}

static sti_status check_qp(sti_env* env, const sti_qp* qp) {
    if (qp->n < 0 || qp->m < 0) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a count is negative");
    if ((int64_t)qp->n + qp->m > INT_MAX / 8)
        return STI_FAIL(env, STI_ERR_SIZE, -1, "%d variables, %d rows", qp->n, qp->m);
    sti_status status = sti_vector_check(env, "c", qp->c, qp->n);
    if (status == STI_OK) status = sti_matrix_check(env, "A", &qp->A, qp->m, qp->n, true);
    if (status == STI_OK && qp->P.rows > 0) status = sti_matrix_check(env, "P", &qp->P, qp->n, qp->n, true);
    if (status == STI_OK) status = check_bounds(env, "l", qp->l, qp->m, 1);
    if (status == STI_OK) status = check_bounds(env, "u", qp->u, qp->m, -1);
    if (status == STI_OK) status = check_bounds(env, "lb", qp->lb, qp->n, 1);
    if (status == STI_OK) status = check_bounds(env, "ub", qp->ub, qp->n, -1);
    return status;
}

// The first row, or m + the first variable, whose interval is empty; -1: none.
static int find_crossed(const sti_qp* qp) {
    for (int i = 0; i < qp->m; i++) {
        if (side(qp->l, i, -INFINITY) > side(qp->u, i, INFINITY)) return i;
    }
    for (int j = 0; j < qp->n; j++) {
        if (side(qp->lb, j, -INFINITY) > side(qp->ub, j, INFINITY)) return qp->m + j;
    }
    return -1;
}

static bool has_side(int which, double low, double high) {
    if (which == EQUAL) return low == high;
    return low != high && isfinite(which == UPPER ? high : low);
}

static sti_status number_rows(form* k) {
    const size_t n = (size_t)k->qp->n, m = (size_t)k->qp->m;
    k->memory = sti_alloc_array(k->env, SIDES * (n + m), sizeof *k->memory);
    if (k->memory == NULL) return STI_ERR_MEMORY;
    for (int which = 0; which < SIDES; which++) {
        k->row[which] = k->memory + (size_t)which * (n + m);
        k->unit[which] = k->row[which] + m;
        for (int i = 0; i < k->qp->m; i++) {
            const double low = side(k->qp->l, i, -INFINITY), high = side(k->qp->u, i, INFINITY);
            k->row[which][i] = has_side(which, low, high) ? k->m++ : -1;
        }
        for (int j = 0; j < k->qp->n; j++) {
            const double low = side(k->qp->lb, j, -INFINITY), high = side(k->qp->ub, j, INFINITY);
            k->unit[which][j] = has_side(which, low, high) ? k->m++ : -1;
        }
        if (which == EQUAL) k->equations = k->m;
    }
    return STI_OK;
}

static sti_status fill(form* k) {
    const sti_qp* qp = k->qp;
    const sti_matrix empty = {.rows = qp->m, .cols = qp->n};
    sti_status status = sti_matrix_to_sparse(k->env, qp->m == 0 || qp->n == 0 ? &empty : &qp->A, &k->A);
    if (status != STI_OK) return status;
    const size_t room = 2 * ((size_t)k->A.col_start[qp->n] + (size_t)qp->n);
    k->G = (sti_matrix){.rows = k->m, .cols = qp->n};
    k->G.col_start = sti_alloc_array_zero(k->env, (size_t)qp->n + 1, sizeof *k->G.col_start);
    k->G.row = sti_alloc_array(k->env, room, sizeof *k->G.row);
    k->G.value = sti_alloc_array(k->env, room, sizeof *k->G.value);
    k->h = sti_alloc_array(k->env, (size_t)k->m, sizeof *k->h);
    if (k->G.col_start == NULL || k->G.row == NULL || k->G.value == NULL || k->h == NULL) return STI_ERR_MEMORY;
    int64_t at = 0;
    for (int j = 0; j < qp->n; j++) {
        for (int which = 0; which < SIDES; which++) {
            const double sign = which == LOWER ? -1 : 1;
            for (int64_t e = k->A.col_start[j]; e < k->A.col_start[j + 1]; e++) {
                const int row = k->row[which][k->A.row[e]];
                if (row < 0) continue;
                k->G.row[at] = row;
                k->G.value[at++] = sign * k->A.value[e];
            }
            if (k->unit[which][j] < 0) continue;
            k->G.row[at] = k->unit[which][j];
            k->G.value[at++] = sign;
            k->h[k->unit[which][j]] = which == LOWER ? -qp->lb[j] : qp->ub[j];
        }
        k->G.col_start[j + 1] = at;
    }
    for (int which = 0; which < SIDES; which++) {
        for (int i = 0; i < qp->m; i++) {
            if (k->row[which][i] >= 0) k->h[k->row[which][i]] = which == LOWER ? -qp->l[i] : qp->u[i];
        }
    }
    return STI_OK;
}

static void release(form* k) {
    sti_matrix_clear(k->env, &k->A);
    sti_matrix_clear(k->env, &k->G);
    sti_free(k->env, k->h);
    sti_free(k->env, k->memory);
}

// --- the answer ----------------------------------------------------------------------------------------------------

void sti_qp_answer_clear(sti_env* env, sti_qp_answer* answer) {
    sti_free(env, answer->x);
    sti_free(env, answer->y);
    sti_free(env, answer->z);
    *answer = (sti_qp_answer){0};
}

static sti_status reserve_answer(sti_env* env, const sti_qp* qp, sti_qp_answer* a) {
    *a = (sti_qp_answer){.n = qp->n, .m = qp->m, .crossed = -1};
    a->x = sti_alloc_array(env, (size_t)qp->n, sizeof *a->x);
    a->y = sti_alloc_array(env, (size_t)qp->m, sizeof *a->y);
    a->z = sti_alloc_array(env, (size_t)qp->n, sizeof *a->z);
    if (a->x == NULL || a->y == NULL || a->z == NULL) return STI_ERR_MEMORY;
    return STI_OK;
}

static double multiplier(int* const* rows, int i, const double* y) {
    double sum = 0;
    for (int which = 0; which < SIDES; which++) {
        if (rows[which][i] >= 0) sum += which == LOWER ? -y[rows[which][i]] : y[rows[which][i]];
    }
    return sum;
}

// A variable that is on a bound up to rounding is put there: the rounding of the largest, so that with units far apart
// a small one may be moved too far (see judge_snapped).
static void snap(const sti_qp* qp, double* x) {
    double size = 0;
    for (int j = 0; j < qp->n; j++) size = fmax(size, fabs(x[j]));
    for (int j = 0; j < qp->n; j++) {
        const double low = side(qp->lb, j, -INFINITY), high = side(qp->ub, j, INFINITY);
        if (isfinite(low) && fabs(x[j] - low) <= 4 * DBL_EPSILON * fmax(size, fabs(low))) x[j] = low;
        if (isfinite(high) && fabs(x[j] - high) <= 4 * DBL_EPSILON * fmax(size, fabs(high))) x[j] = high;
    }
}

static void take_answer(const form* k, const sti_conic_answer* from, sti_qp_answer* a) {
    if (k->qp->n > 0) memcpy(a->x, from->x, (size_t)k->qp->n * sizeof *a->x);
    for (int i = 0; i < k->qp->m; i++) a->y[i] = multiplier(k->row, i, from->y);
    for (int j = 0; j < k->qp->n; j++) a->z[j] = multiplier(k->unit, j, from->y);
    a->outcome = from->outcome;
    a->iterations = from->iterations;
    memcpy(a->reason, from->reason, sizeof a->reason);
    const bool infeasible = a->outcome == STI_CONIC_INFEASIBLE, unbounded = a->outcome == STI_CONIC_UNBOUNDED;
    for (int j = 0; j < k->qp->n; j++) {
        if (infeasible) a->x[j] = NAN;
        if (unbounded) a->z[j] = NAN;
    }
    for (int i = 0; unbounded && i < k->qp->m; i++) a->y[i] = NAN;
}

// --- residuals -----------------------------------------------------------------------------------------------------

typedef struct sizes {
    double* unit;    // largest |A_ij| of a row, 1 for zeros   (m)
    double* Ax;      //                                        (m)
    double* Px;      //                                        (n)
    double* Aty;     // A'y + z                                (n)
    double b, c, P;  // sizes of the data; 1 where there is none
    bool constrained;
} sizes;

static double finite_size(const double* v, int i) {
    return v == NULL || fabs(v[i]) >= STI_QP_INFINITY ? 0 : fabs(v[i]);
}

static void set_sizes(const form* k, sizes* z) {
    const sti_qp* qp = k->qp;
    for (int64_t e = 0; e < k->A.col_start[qp->n]; e++)
        z->unit[k->A.row[e]] = fmax(z->unit[k->A.row[e]], fabs(k->A.value[e]));
    for (int i = 0; i < qp->m; i++) {
        if (z->unit[i] == 0) z->unit[i] = 1;
        z->b = fmax(z->b, fmax(finite_size(qp->l, i), finite_size(qp->u, i)) / z->unit[i]);
    }
    for (int j = 0; j < qp->n; j++) {
        z->b = fmax(z->b, fmax(finite_size(qp->lb, j), finite_size(qp->ub, j)));
        z->c = fmax(z->c, fabs(qp->c[j]));
    }
    const bool sparse = sti_matrix_is_sparse(&qp->P);
    const int64_t count = qp->P.rows == 0 ? 0 : sparse ? qp->P.col_start[qp->n] : (int64_t)qp->n * qp->n;
    for (int64_t e = 0; e < count; e++) z->P = fmax(z->P, fabs(sparse ? qp->P.value[e] : qp->P.dense[e]));
    z->constrained = k->m > 0;
    if (z->b == 0) z->b = 1;
    if (z->c == 0) z->c = 1;
    if (z->P == 0) z->P = 1;
}

// The value of the multiplier y at its own side of [low, high].
static double worth(double y, double low, double high) {
    return y > 0 ? y * high : y < 0 ? y * low : 0;
}

// How far v is beyond [low, high]; ray: beyond the directions that do not leave it
static double beyond(double v, double low, double high, bool ray) {
    if (ray) return fmax(isfinite(high) ? v : 0, isfinite(low) ? -v : 0);
    return fmax(v - high, low - v);
}

static void measure_point(const form* k, const sizes* z, bool ray, sti_qp_answer* a) {
    const sti_qp* qp = k->qp;
    double error = 0, size = z->b, xPx = 0, cx = 0, h = 0;
    for (int i = 0; i < qp->m; i++) {
        const double low = side(qp->l, i, -INFINITY), high = side(qp->u, i, INFINITY);
        error = sti_larger(error, beyond(z->Ax[i], low, high, ray) / z->unit[i]);
        size = sti_larger(size, fabs(z->Ax[i]) / z->unit[i]);
        if (!ray) h += worth(a->y[i], low, high);
    }
    double dual = 0, dual_size = z->c, curvature = 0;
    for (int j = 0; j < qp->n; j++) {
        const double low = side(qp->lb, j, -INFINITY), high = side(qp->ub, j, INFINITY);
        error = sti_larger(error, beyond(a->x[j], low, high, ray));
        size = sti_larger(size, fabs(a->x[j]));
        if (!ray) h += worth(a->z[j], low, high);
        dual = sti_larger(dual, fabs(z->Px[j] + qp->c[j] + z->Aty[j]));
        dual_size = sti_larger(dual_size, fmax(fabs(z->Px[j]), fabs(z->Aty[j])));
        curvature = sti_larger(curvature, fabs(z->Px[j]));
        xPx += a->x[j] * z->Px[j];
        cx += qp->c[j] * a->x[j];
    }
    if (ray) {
        a->residual_primal = cx < 0 ? error * z->c / -cx : INFINITY;
        a->residual_dual = cx < 0 ? curvature * z->c / z->P / -cx : INFINITY;
        a->residual = sti_larger(a->residual_primal, a->residual_dual);
        a->objective = -INFINITY;
        return;
    }
    a->residual_primal = error / size;
    a->residual_dual = dual / dual_size;
    size = fmax(fmax(fabs(xPx), fabs(cx)), sti_larger(fabs(h), z->constrained ? z->b * z->c : 0));
    a->residual_gap = size > 0 ? fabs(xPx + cx + h) / size : 0;
    a->residual = sti_larger(sti_larger(a->residual_primal, a->residual_dual), a->residual_gap);
    a->objective = xPx / 2 + cx;
}

static double worth_of_all(const sti_qp* qp, const sti_qp_answer* a) {
    double h = 0;
    for (int i = 0; i < qp->m; i++) h += worth(a->y[i], side(qp->l, i, -INFINITY), side(qp->u, i, INFINITY));
    for (int j = 0; j < qp->n; j++) h += worth(a->z[j], side(qp->lb, j, -INFINITY), side(qp->ub, j, INFINITY));
    return h;
}

// To the worth -1, before anything is measured: dividing rounds.
static void normalize(const sti_qp* qp, sti_qp_answer* a) {
    const double h = worth_of_all(qp, a);
    for (int i = 0; h < 0 && i < qp->m; i++) a->y[i] /= -h;
    for (int j = 0; h < 0 && j < qp->n; j++) a->z[j] /= -h;
}

static void measure_infeasible(const form* k, const sizes* z, sti_qp_answer* a) {
    const double h = worth_of_all(k->qp, a);
    double error = 0;
    for (int j = 0; j < k->qp->n; j++) error = sti_larger(error, fabs(z->Aty[j]));
    a->residual = a->residual_dual = h < 0 ? error * z->b / -h : INFINITY;
    a->bound = h < 0 ? -h / error : 0;
    a->objective = INFINITY;
}

// y = A x, summed in extended precision: what is left of large terms of a certificate is held against the data, too.
// sum (rows)
static void multiply(const sti_matrix* A, const double* x, long double* sum, double* y) {
    for (int i = 0; i < A->rows; i++) sum[i] = 0;
    for (int j = 0; j < A->cols; j++) {
        if (A->dense != NULL) {
            for (int i = 0; i < A->rows; i++)
                sum[i] += (long double)A->dense[(size_t)i * (size_t)A->cols + (size_t)j] * x[j];
            continue;
        }
        for (int64_t e = A->col_start[j]; e < A->col_start[j + 1]; e++)
            sum[A->row[e]] += (long double)A->value[e] * x[j];
    }
    for (int i = 0; i < A->rows; i++) y[i] = (double)sum[i];
}

// Residuals of what was taken; an outcome beyond tol is withdrawn.
static sti_status judge(const form* k, double tol, sti_qp_answer* a) {
    const size_t n = (size_t)k->qp->n, m = (size_t)k->qp->m;
    const bool has_x = a->outcome != STI_CONIC_INFEASIBLE, has_y = a->outcome != STI_CONIC_UNBOUNDED;
    double* memory = sti_alloc_array_zero(k->env, 2 * (n + m), sizeof *memory);
    long double* sum = sti_alloc_array(k->env, n > m ? n : m, sizeof *sum);
    if (memory == NULL || sum == NULL) {
        sti_free(k->env, memory);
        sti_free(k->env, sum);
        return STI_ERR_MEMORY;
    }
    sizes z = {.unit = memory, .Ax = memory + m, .Px = memory + 2 * m, .Aty = memory + 2 * m + n};
    set_sizes(k, &z);
    if (!has_x) normalize(k->qp, a);
    if (has_x) multiply(&k->A, a->x, sum, z.Ax);
    if (has_x && k->qp->P.rows > 0) multiply(&k->qp->P, a->x, sum, z.Px);
    for (int j = 0; has_y && j < k->qp->n; j++) {
        long double total = a->z[j];
        for (int64_t e = k->A.col_start[j]; e < k->A.col_start[j + 1]; e++)
            total += (long double)k->A.value[e] * a->y[k->A.row[e]];
        z.Aty[j] = (double)total;
    }
    a->residual_primal = a->residual_dual = a->residual_gap = a->bound = NAN;
    if (a->outcome == STI_CONIC_INFEASIBLE)
        measure_infeasible(k, &z, a);
    else
        measure_point(k, &z, a->outcome == STI_CONIC_UNBOUNDED, a);
    if (a->outcome != STI_CONIC_LIMIT && a->outcome != STI_CONIC_UNKNOWN && !(a->residual <= tol)) {
        a->outcome = STI_CONIC_UNKNOWN;
        snprintf(a->reason, sizeof a->reason, "residual %.3g as a quadratic program", a->residual);
    }
    sti_free(k->env, memory);
    sti_free(k->env, sum);
    return STI_OK;
}

// With variables put on their bounds, or else as they are.
static sti_status judge_snapped(const form* k, double tol, const sti_conic_answer* from, sti_qp_answer* a) {
    if (from->outcome == STI_CONIC_INFEASIBLE || from->outcome == STI_CONIC_UNBOUNDED) return judge(k, tol, a);
    snap(k->qp, a->x);
    sti_status status = judge(k, tol, a);
    if (status != STI_OK || a->outcome == from->outcome) return status;
    take_answer(k, from, a);
    return judge(k, tol, a);
}

static void answer_crossed(const sti_qp* qp, int crossed, sti_qp_answer* a) {
    const int i = crossed < qp->m ? crossed : crossed - qp->m;
    for (int j = 0; j < qp->n; j++) {
        a->x[j] = NAN;
        a->z[j] = 0;
    }
    for (int r = 0; r < qp->m; r++) a->y[r] = 0;
    a->crossed = crossed;
    a->outcome = STI_CONIC_INFEASIBLE;
    a->residual_primal = a->residual_gap = NAN;
    a->residual_dual = a->residual = 0;
    a->objective = a->bound = INFINITY;
    snprintf(a->reason, sizeof a->reason, crossed < qp->m ? "l[%d] > u[%d]" : "lb[%d] > ub[%d]", i, i);
}

sti_status sti_qp_solve(sti_env* env, const sti_qp* qp, const sti_conic_options* options, sti_qp_answer* answer) {
    const double started = sti_clock();
    sti_conic_options o = options != NULL ? *options : sti_conic_options_default();
    o.guess_x = o.guess_y = NULL;
    *answer = (sti_qp_answer){0};
    sti_status status = check_qp(env, qp);
    if (status != STI_OK) return status;
    form k = {.env = env, .qp = qp};
    sti_conic_answer conic = {0};
    status = reserve_answer(env, qp, answer);
    const int crossed = find_crossed(qp);
    if (status == STI_OK && crossed >= 0) {
        answer_crossed(qp, crossed, answer);
        answer->time_s = sti_clock() - started;
        return STI_OK;
    }
    if (status == STI_OK) status = number_rows(&k);
    if (status == STI_OK) status = fill(&k);
    if (status == STI_OK) {
        const sti_conic program = {.n = qp->n,
                                   .m = k.m,
                                   .P = qp->P,
                                   .A = k.G,
                                   .c = qp->c,
                                   .b = k.h,
                                   .zero = k.equations,
                                   .nonnegative = k.m - k.equations};
        status = sti_conic_solve(env, &program, &o, &conic);
    }
    if (status == STI_OK) {
        take_answer(&k, &conic, answer);
        status = judge_snapped(&k, o.tol, &conic, answer);
    }
    sti_conic_answer_clear(env, &conic);
    release(&k);
    if (status == STI_OK)
        answer->time_s = sti_clock() - started;
    else
        sti_qp_answer_clear(env, answer);
    return status;
}
