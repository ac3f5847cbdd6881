// box.c: affine variational inequalities over a bounded box, relays among them: Lemke's method first, exact arithmetic
// after it.
//
//     x in [lb, ub],    (M x + q)'(y - x) >= 0   for all y in it                                                   (1)
//
// With s = x - lb and t = the multiplier of x <= ub, (1) is the LCP of order 2n
//
//     p = M s + t + (M lb + q) >= 0,   r = -s + (ub - lb) >= 0,   s _|_ p,   t _|_ r.                              (2)
//
// Lemke's method with covering vector (1, .., 1, 0, .., 0) cannot end on a secondary ray (s, t, z0) + h (ds, dt, dz0):
// r stays nonnegative only with ds = 0; then dp = dt + dz0. If dz0 > 0, dp > 0 and so s = 0, r = ub - lb, which is
// positive where the box has an inside, dt = 0, and the ray is the primary one. If dz0 = 0, dt_i > 0 needs r_i = 0, so
// s_i = ub_i - lb_i > 0, but dp_i = dt_i > 0 needs s_i = 0. The method here wants positive entries; a small one keeps
// the reasoning up to that size, and what it ends with is judged on the problem as posed, like any other point.
//
// It says which coordinates are at which bound. Up to CONFIRM variables and multipliers that is taken as a basis and
// solved again in integers: with I the coordinates between their bounds, M_II x_I = -(q + M_IB x_B)_I by fraction-free
// elimination, which leaves F on the other rows; then every sign is looked at. An order of |I| and not 3n, so this
// costs less than a search would.
#include "vi/box.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "exact/determinant.h"
#include "exact/rationals.h"

// ---- (2)

typedef struct box {
    int n;
    sti_lcp lcp;
    double *matrix, *vector, *covering;
} box;

bool sti_avi_is_box(const sti_avi* p) {
    bool bounded = p->m == 0 && p->k == 0 && p->n > 0;
    for (int i = 0; bounded && i < p->n; i++)
        bounded = p->lb != NULL && p->ub != NULL && isfinite(p->lb[i]) && isfinite(p->ub[i]) && p->lb[i] <= p->ub[i];
    return bounded;
}

static void clear_box(sti_env* env, box* b) {
    sti_free(env, b->matrix);
    sti_free(env, b->vector);
    sti_free(env, b->covering);
}

static sti_status pose_box(sti_env* env, const sti_avi* p, box* b) {
    const size_t n = (size_t)p->n, order = 2 * n;
    *b = (box){.n = p->n};
    b->matrix = sti_alloc_array_zero(env, sti_size_mul(order, order), sizeof(double));
    b->vector = sti_alloc_array(env, order, sizeof(double));
    b->covering = sti_alloc_array(env, order, sizeof(double));
    if (b->matrix == NULL || b->vector == NULL || b->covering == NULL) return STI_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        double sum = p->q[i];
        for (size_t j = 0; j < n; j++) {
            const double M = sti_matrix_get(&p->M, (int)i, (int)j);
            b->matrix[i * order + j] = M;
            sum += M * p->lb[j];
        }
        b->matrix[i * order + n + i] = 1;
        b->matrix[(n + i) * order + i] = -1;
        b->vector[i] = sum;
        b->vector[n + i] = p->ub[i] - p->lb[i];
        b->covering[i] = 1;
        b->covering[n + i] = 0x1p-40 * fmax(b->vector[n + i], 0x1p-400);
    }
    b->lcp = (sti_lcp){.n = (int)order, .M = sti_matrix_dense_view((int)order, (int)order, b->matrix), .q = b->vector};
    return STI_OK;
}

// x and the multipliers from (s, t), as a point of (2), set right where s or t say that x is at a bound.
static void take_box_point(const sti_avi* p, const double* st, sti_lcp_answer* a) {
    const int n = p->n;
    for (int i = 0; i < n; i++) {
        const double s = st[i], t = st[n + i], width = p->ub[i] - p->lb[i];
        a->u[i] = s <= 0 ? p->lb[i] : t > 0 || s >= width ? p->ub[i] : fmin(p->lb[i] + s, p->ub[i]);
    }
    for (int i = 0; i < n; i++) {
        double F = p->q[i];
        for (int j = 0; j < n; j++) F += sti_matrix_get(&p->M, i, j) * a->u[j];
        a->z[i] = st[i] <= 0 || p->lb[i] == p->ub[i] ? fmax(F, 0) : 0;
        a->z[n + i] = a->u[i] == p->ub[i] ? fmax(-F, 0) : 0;
    }
}

// ---- the same in integers

enum { CONFIRM = 40 };  // variables and multipliers of the problem as posed

enum { LOW, INSIDE, HIGH };

typedef struct exact_box {
    const sti_avi* p;
    sti_exact x;
    int n, inside;                     // |I|
    int* side;                         // LOW, ..                                             (n)
    int* column;                       // of I                                                (n)
    int* row_of;                       // row that was the pivot of a column                  (n)
    sti_int* T;                        // [M_I c], row i times scale_i                        (n x (inside + 1))
    sti_int *num, *den, *bound, *row;  // scales (n + 1): value = entry den / num, the last of the bounds; (n), (n + 1)
    sti_int d, one, two;
    sti_rationals* point;  // x, then the multipliers of lb, of ub         (3n)
} exact_box;

static sti_status begin_exact(sti_env* env, const sti_avi* p, const double* st, exact_box* k) {
    const size_t n = (size_t)p->n;
    *k = (exact_box){.p = p, .n = p->n};
    sti_exact_init(&k->x, env);
    k->side = sti_alloc_array(env, 3 * n, sizeof *k->side);
    if (k->side == NULL) return STI_ERR_MEMORY;
    k->column = k->side + n;
    k->row_of = k->column + n;
    for (int i = 0; i < p->n; i++) {
        const double width = p->ub[i] - p->lb[i];
        k->side[i] = st[i] <= 0 || width == 0 ? LOW : st[p->n + i] > 0 || st[i] >= width ? HIGH : INSIDE;
        k->column[i] = k->side[i] == INSIDE ? k->inside++ : -1;
    }
    k->T = sti_int_array(&k->x, n * ((size_t)k->inside + 1));
    k->num = sti_int_array(&k->x, n + 1);
    k->den = sti_int_array(&k->x, n + 1);
    k->bound = sti_int_array(&k->x, n);
    k->row = sti_int_array(&k->x, n + 1);
    if (k->x.status == STI_OK) k->x.status = sti_rationals_create(env, 3 * n, &k->point);
    return k->x.status;
}

static void end_exact(sti_env* env, exact_box* k) {
    const size_t n = (size_t)k->n;
    sti_int_array_free(env, k->T, n * ((size_t)k->inside + 1));
    sti_int_array_free(env, k->num, n + 1);
    sti_int_array_free(env, k->den, n + 1);
    sti_int_array_free(env, k->bound, n);
    sti_int_array_free(env, k->row, n + 1);
    sti_int_clear(env, &k->d);
    sti_int_clear(env, &k->one);
    sti_int_clear(env, &k->two);
    sti_rationals_destroy(k->point);
    sti_free(env, k->side);
    sti_exact_clear(&k->x);
}

static sti_status number(sti_rationals* to, size_t at, double value, const sti_rationals* exact, size_t from) {
    return exact != NULL ? sti_rationals_copy(to, at, exact, from) : sti_rationals_set_double(to, at, value);
}

// Bounds that hold, as integers over one scale; 0 for what is inside.
static sti_status read_bounds(exact_box* k) {
    const sti_avi* p = k->p;
    sti_rationals* r;
    sti_status status = sti_rationals_create(k->x.env, (size_t)k->n, &r);
    if (status != STI_OK) return status;
    for (int i = 0; status == STI_OK && i < k->n; i++) {
        if (k->side[i] == LOW) status = number(r, (size_t)i, p->lb[i], p->lb_exact, (size_t)i);
        if (k->side[i] == HIGH) status = number(r, (size_t)i, p->ub[i], p->ub_exact, (size_t)i);
    }
    if (status == STI_OK) sti_int_row_from_rationals(&k->x, k->bound, r, 0, (size_t)k->n, &k->num[k->n], &k->den[k->n]);
    sti_rationals_destroy(r);
    return status == STI_OK ? k->x.status : status;
}

// Row i of [M_I  q + M_B x_B], times its scale and the numerator of that of the bounds.
static void combine_row(exact_box* k, int i) {
    sti_int *T = k->T + (size_t)i * ((size_t)k->inside + 1), *c = T + k->inside;
    const sti_int *num = &k->num[k->n], *den = &k->den[k->n];
    sti_int_set_i64(&k->x, &k->one, 0);
    for (int j = 0; j < k->n; j++) {
        if (k->column[j] >= 0)
            sti_int_mul(&k->x, T + k->column[j], &k->row[j], num);
        else
            sti_int_addmul(&k->x, &k->one, &k->row[j], &k->bound[j]);
    }
    sti_int_mul(&k->x, c, &k->row[k->n], num);
    sti_int_addmul(&k->x, c, &k->one, den);
    sti_int_mul(&k->x, &k->one, &k->num[i], num);
    sti_int_swap(&k->num[i], &k->one);
}

static sti_status read_rows(exact_box* k) {
    const sti_avi* p = k->p;
    const size_t n = (size_t)k->n;
    sti_rationals* r;
    sti_status status = sti_rationals_create(k->x.env, n + 1, &r);
    if (status != STI_OK) return status;
    for (size_t i = 0; status == STI_OK && i < n; i++) {
        for (size_t j = 0; status == STI_OK && j < n; j++)
            status = number(r, j, sti_matrix_get(&p->M, (int)i, (int)j), p->M_exact, i * n + j);
        if (status == STI_OK) status = number(r, n, p->q[i], p->q_exact, i);
        if (status != STI_OK) break;
        sti_int_row_from_rationals(&k->x, k->row, r, 0, n + 1, &k->num[i], &k->den[i]);
        if (k->x.status == STI_OK) combine_row(k, (int)i);
        status = k->x.status;
    }
    sti_rationals_destroy(r);
    return status;
}

// False: M_II is singular, or memory is out (x.status).
static bool eliminate(exact_box* k) {
    const int cols = k->inside + 1;
    sti_int_set_i64(&k->x, &k->d, 1);
    for (int c = 0; c < k->inside && k->x.status == STI_OK; c++) {
        int pivot = -1;
        for (int i = 0; i < k->n && pivot < 0; i++) {
            bool used = k->side[i] != INSIDE;
            for (int b = 0; b < c; b++) used = used || k->row_of[b] == i;
            if (!used && sti_int_sign(&k->T[(size_t)i * (size_t)cols + (size_t)c]) != 0) pivot = i;
        }
        if (pivot < 0 || sti_exact_late(&k->x)) return false;
        sti_int_jordan(&k->x, k->T, k->n, cols, pivot, c, &k->d);
        k->row_of[c] = pivot;
    }
    return k->x.status == STI_OK;
}

// point[at] := sign * entry * den / (d * num)
static sti_status put_ratio(exact_box* k, size_t at, const sti_int* entry, int sign, const sti_int* num,
                            const sti_int* den) {
    sti_int_mul(&k->x, &k->one, entry, den);
    sti_int_mul(&k->x, &k->two, &k->d, num);
    if (sign < 0) sti_int_neg(&k->one);
    if (k->x.status != STI_OK) return k->x.status;
    return sti_rationals_set_ratio(k->point, at, &k->one, &k->two);
}

static int difference_sign(exact_box* k, size_t at, const sti_rationals* bound, size_t i) {
    sti_int_mul(&k->x, &k->one, &k->point->num[at], &bound->den[i]);
    sti_int_mul(&k->x, &k->two, &bound->num[i], &k->point->den[at]);
    return sti_int_cmp(&k->one, &k->two);
}

// Sign of x_i less its bound.
static sti_status beyond(exact_box* k, size_t i, const double* bound, const sti_rationals* exact, int* out) {
    if (exact == NULL) return sti_rationals_off(k->point, i, bound[i], out);
    *out = difference_sign(k, i, exact, i);
    return k->x.status;
}

// The point, and whether it solves (1).
static sti_status read_point(exact_box* k, bool* holds) {
    const sti_avi* p = k->p;
    const size_t n = (size_t)k->n, cols = (size_t)k->inside + 1;
    sti_int unit = {0};
    sti_int_set_i64(&k->x, &unit, 1);
    sti_status status = k->x.status;
    *holds = true;
    for (size_t i = 0; status == STI_OK && i < n && *holds; i++) {
        const sti_int* F = k->T + i * cols + k->inside;
        int low = 0, high = 0;
        if (k->side[i] == INSIDE) {
            const sti_int* x = k->T + (size_t)k->row_of[k->column[i]] * cols + k->inside;
            status = put_ratio(k, i, x, -1, &unit, &unit);
            if (status == STI_OK) status = beyond(k, i, p->lb, p->lb_exact, &low);
            if (status == STI_OK) status = beyond(k, i, p->ub, p->ub_exact, &high);
            *holds = low >= 0 && high <= 0;
            continue;
        }
        const int sign = sti_int_sign(F) * sti_int_sign(&k->d);
        const bool thin = p->lb[i] == p->ub[i];
        status = number(k->point, i, k->side[i] == LOW ? p->lb[i] : p->ub[i],
                        k->side[i] == LOW ? p->lb_exact : p->ub_exact, i);
        if (thin && sign < 0) k->side[i] = HIGH;
        *holds = k->side[i] == LOW ? sign >= 0 : sign <= 0;
        if (status == STI_OK)
            status = put_ratio(k, k->side[i] == LOW ? n + i : 2 * n + i, F, k->side[i] == LOW ? 1 : -1, &k->num[i],
                               &k->den[i]);
    }
    sti_int_clear(k->x.env, &unit);
    return status == STI_OK ? k->x.status : status;
}

static void adopt(exact_box* k, sti_lcp_answer* a) {
    const int n = k->n;
    for (int i = 0; i < n; i++) {
        a->u[i] = sti_rationals_double(k->point, (size_t)i);
        for (int side = 0; side < 2; side++) {
            a->z[side * n + i] = sti_rationals_double(k->point, (size_t)((1 + side) * n + i));
            a->alpha[side * n + i] = k->side[i] == (side == 0 ? LOW : HIGH);
        }
    }
    a->z_exact = k->point;
    k->point = NULL;
    a->exact = a->certificate.exact = true;
    a->basis_nonsingular = 1;
    snprintf(a->reason, sizeof a->reason, "solution confirmed in exact arithmetic");
}

// *holds: the basis that (s, t) shows has been solved exactly, and is in the answer.
static sti_status confirm(sti_env* env, const sti_avi* p, const double* st, sti_lcp_answer* a, bool* holds) {
    exact_box k;
    *holds = false;
    sti_status status = begin_exact(env, p, st, &k);
    if (status == STI_OK) status = read_bounds(&k);
    if (status == STI_OK) status = read_rows(&k);
    if (status == STI_OK && eliminate(&k)) status = read_point(&k, holds);
    if (status == STI_OK) status = k.x.status;
    if (status == STI_OK && *holds) adopt(&k, a);
    end_exact(env, &k);
    return status;
}

// ---- solve

static sti_status reserve_answer(sti_env* env, const sti_avi* p, sti_lcp_answer* a) {
    const size_t n = (size_t)p->n;
    *a = (sti_lcp_answer){.mixed = true, .free_count = p->n, .n = 2 * p->n, .basis_nonsingular = -1};
    a->u = sti_alloc_array_zero(env, n, sizeof *a->u);
    a->z = sti_alloc_array_zero(env, 2 * n, sizeof *a->z);
    a->w = sti_alloc_array_zero(env, 2 * n, sizeof *a->w);
    a->alpha = sti_alloc_array_zero(env, 2 * n, 1);
    a->attempts = sti_alloc_array_zero(env, 1, sizeof *a->attempts);
    if (a->u != NULL && a->z != NULL && a->w != NULL && a->alpha != NULL && a->attempts != NULL) return STI_OK;
    return STI_ERR_MEMORY;
}

static void accept(long iterations, double time_s, sti_lcp_answer* a) {
    a->outcome = STI_SOLVED;
    a->termination = STI_END_SOLUTION;
    a->solver = STI_LCP_LEMKE;
    a->iterations = iterations;
    a->certificate.proof = STI_PROOF_SOLUTION;
    a->certificate.bound = INFINITY;
    a->attempts[a->attempt_count++] = (sti_lcp_attempt){.solver = STI_LCP_LEMKE,
                                                        .termination = STI_END_SOLUTION,
                                                        .residual = a->residual,
                                                        .iterations = iterations,
                                                        .time_s = time_s,
                                                        .why = "a bounded box, where it cannot end on a ray"};
    if (!a->exact)
        snprintf(a->reason, sizeof a->reason, "Lemke's method on the bounded box, where it cannot end on a ray");
}

static sti_status judge(sti_env* env, const sti_avi* p, const sti_mlcp* mlcp, const sti_lcp_options* options,
                        const sti_lcp_answer* inner, bool last, double start, sti_lcp_answer* a) {
    bool holds = false;
    sti_status status = STI_OK;
    const bool small = 3 * p->n <= CONFIRM && !options->rounded;
    if (small) status = confirm(env, p, inner->z, a, &holds);
    if (status == STI_OK && !holds) {
        take_box_point(p, inner->z, a);
        for (int i = 0; i < a->n; i++) a->alpha[i] = a->z[i] > 0;
    }
    if (status == STI_OK) status = sti_mlcp_residual(env, mlcp, a);
    if (status == STI_OK && (holds || !small || last) && a->residual <= options->tol)
        accept(inner->iterations, sti_clock() - start, a);
    return status;
}

sti_status sti_avi_solve_box(sti_env* env, const sti_avi* p, const sti_mlcp* mlcp, const sti_lcp_options* options,
                             bool last, sti_lcp_answer* a) {
    const double start = sti_clock();
    sti_lcp_options o = *options;
    sti_lcp_answer inner = {0};
    box b;
    sti_status status = pose_box(env, p, &b);
    o.solver = STI_LCP_LEMKE;
    o.covering = b.covering;
    o.rounded = true;
    if (status == STI_OK) status = sti_lcp_solve(env, &b.lcp, &o, &inner);
    if (status == STI_OK) status = reserve_answer(env, p, a);
    if (status == STI_OK && inner.z != NULL && inner.termination == STI_END_SOLUTION)
        status = judge(env, p, mlcp, options, &inner, last, start, a);
    a->time_s = sti_clock() - start;
    sti_lcp_answer_clear(env, &inner);
    clear_box(env, &b);
    if (status != STI_OK) sti_lcp_answer_clear(env, a);
    return status;
}
