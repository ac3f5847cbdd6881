// contact_farkas.c: the check of a claim that a contact problem has no solution, in integers.
//
// Multipliers y >= 0 of u_n >= 0 and lambda of the bilateral rows give, for every v (global) or (r, l) (local),
//
//     global    sum_c y_c u_n,c = g'v + k,              g = H_n y + G lambda,
//         k = w_n'y + b'lambda
//     local     sum_c y_c u_n,c = g'(r, l) + k,         g = (W_n'y + V lambda, V_n'y + R'lambda),
//         k = q_n'y + s'lambda
//
// where W_n, V_n are the rows of the normals. At a solution the left side is not negative. So k < 0 with g = 0 excludes
// every solution, and k < 0 with some g_j != 0 those with |v|_1, or |r|_1 + |l|_1, below bound = -k / max |g_j|. Both
// are computed from the doubles of the problem without rounding. A claim that is not exact passes when the bound is far
// beyond the sizes that the data suggest: velocities that f alone would give and that w and b ask for, forces that undo
// q and s.
//
// Where numbers have units that differ by orders of magnitude one norm says little. So it passes as well when numbers
// that are each FAR times as large as the data suggest would not do:
//
//     sum_j |g_j| x_j < -k / FAR,      x_j = e_j (sum |f_i| e_i + sum |w_c| / |w_c|_e + sum |b_k| / |b_k|_e)
//
// e_j = 1 / sqrt(M_jj), and |.|_e the length of the row of H' or G' in these units, the square root of its mobility; in
// the local form e_j = 1 / sqrt(W_jj) or 1 / sqrt(R_jj), and q and s are divided by the same roots.
#include "verify/contact_farkas.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "exact/integer.h"

#define FAR 1e6  // a bound this many times the size of a solution makes a rounded certificate acceptable

typedef struct farkas {
    sti_exact x;
    const sti_contact_problem* p;
    const sti_contact_certificate* c;
    int d, nc, nb;
    int shift_y, shift_A;  // multipliers and data are whole numbers after multiplication with 2^shift
    sti_int* y;            // multipliers                       (nc + nb)
    sti_int a, sum, k;
    double bound;
    long worst;    // the entry of g that gave it; -1: none
    double* e;     // units of v, or of (r, l); 0: none                            (entries)
    double moved;  // sum of |g_j / k| e_j
} farkas;

// --- whole numbers -------------------------------------------------------------------------------------------------

// The power of 2 that makes x whole, at least as large as *shift.
static void widen(double x, int* shift) {
    int exponent;
    if (x == 0) return;
    frexp(x, &exponent);
    const int needed = 53 - exponent < 1074 ? 53 - exponent : 1074;
    if (needed > *shift) *shift = needed;
}

static void widen_matrix(const sti_matrix* A, int* shift) {
    if (A->rows == 0 || A->cols == 0) return;
    if (A->dense != NULL) {
        for (size_t k = 0; k < (size_t)A->rows * (size_t)A->cols; k++) widen(A->dense[k], shift);
    } else {
        for (int64_t k = 0; A->col_start != NULL && k < A->col_start[A->cols]; k++) widen(A->value[k], shift);
    }
}

// sum += A_entry * y
static void add_entry(farkas* k, double entry, const sti_int* y) {
    if (entry == 0 || sti_int_sign(y) == 0) return;
    sti_int_set_double(&k->x, &k->a, entry, k->shift_A);
    sti_int_addmul(&k->x, &k->sum, &k->a, y);
}

// One more g_j, in sum: the bound goes down where it does not vanish.
static void note(farkas* k, long j) {
    if (sti_int_sign(&k->sum) == 0) return;
    const double ratio = fabs(sti_int_ratio(&k->x, &k->k, &k->sum));
    const double bound = fmin(ratio * (1 - 0x1p-52), DBL_MAX);
    k->moved += k->e[j] > 0 ? k->e[j] / ratio : INFINITY;
    if (bound < k->bound) {
        k->bound = bound;
        k->worst = j;
    }
}

static void reset(farkas* k) {
    sti_int_set_i64(&k->x, &k->sum, 0);
}

// --- the sums ------------------------------------------------------------------------------------------------------

// Column j of A times multipliers: rows i with i % each == 0 belong to y[first + i / each].
static void add_column(farkas* k, const sti_matrix* A, int j, int each, int first) {
    if (A->rows == 0 || A->cols == 0) return;
    const int64_t begin = A->dense != NULL ? 0 : A->col_start[j],
                  end = A->dense != NULL ? A->rows : A->col_start[j + 1];
    for (int64_t e = begin; e < end; e++) {
        const int i = A->dense != NULL ? (int)e : A->row[e];
        const double x = A->dense != NULL ? A->dense[(size_t)i * (size_t)A->cols + (size_t)j] : A->value[e];
        if (i % each == 0) add_entry(k, x, &k->y[first + i / each]);
    }
}

// g of a local problem, entry by entry: column j of W and V with y, of V' and R with lambda.
static void sum_local(farkas* k, sti_int* rows) {
    const sti_contact_problem* p = k->p;
    const int n = k->d * k->nc;
    // V lambda for all j at once: V is stored by its columns
    for (int b = 0; b < k->nb && n > 0; b++) {
        const int64_t begin = p->V.dense != NULL ? 0 : p->V.col_start[b],
                      end = p->V.dense != NULL ? n : p->V.col_start[b + 1];
        for (int64_t e = begin; e < end; e++) {
            const int i = p->V.dense != NULL ? (int)e : p->V.row[e];
            const double x = p->V.dense != NULL ? p->V.dense[(size_t)i * (size_t)k->nb + (size_t)b] : p->V.value[e];
            if (x == 0) continue;
            sti_int_set_double(&k->x, &k->a, x, k->shift_A);
            sti_int_addmul(&k->x, &rows[i], &k->a, &k->y[k->nc + b]);
        }
    }
    for (int j = 0; j < n && k->x.status == STI_OK; j++) {
        sti_int_set(&k->x, &k->sum, &rows[j]);
        add_column(k, &p->W, j, k->d, 0);
        note(k, j);
    }
    for (int b = 0; b < k->nb && k->x.status == STI_OK; b++) {
        reset(k);
        if (n > 0) add_column(k, &p->V, b, k->d, 0);
        add_column(k, &p->R, b, 1, k->nc);
        note(k, (long)n + b);
    }
}

// rows[i] += A_ij y for column j of A
static void spread_column(farkas* k, const sti_matrix* A, int j, const sti_int* y, sti_int* rows) {
    const int64_t begin = A->dense != NULL ? 0 : A->col_start[j],
                  end = A->dense != NULL ? A->rows : A->col_start[j + 1];
    for (int64_t e = begin; e < end && sti_int_sign(y) != 0; e++) {
        const int i = A->dense != NULL ? (int)e : A->row[e];
        const double x = A->dense != NULL ? A->dense[(size_t)i * (size_t)A->cols + (size_t)j] : A->value[e];
        if (x == 0) continue;
        sti_int_set_double(&k->x, &k->a, x, k->shift_A);
        sti_int_addmul(&k->x, &rows[i], &k->a, y);
    }
}

static void sum_global(farkas* k, sti_int* rows) {
    const sti_contact_problem* p = k->p;
    const int nv = p->velocity_count;
    if (nv == 0) return;
    for (int c = 0; c < k->nc && k->x.status == STI_OK; c++) spread_column(k, &p->H, k->d * c, &k->y[c], rows);
    for (int b = 0; b < k->nb && k->x.status == STI_OK; b++) spread_column(k, &p->G, b, &k->y[k->nc + b], rows);
    for (int i = 0; i < nv && k->x.status == STI_OK; i++) {
        sti_int_set(&k->x, &k->sum, &rows[i]);
        note(k, i);
    }
}

// k = w_n'y + b'lambda (q and s of a local problem)
static void sum_constant(farkas* k) {
    const double *w = k->p->global ? k->p->w : k->p->q, *b = k->p->global ? k->p->b : k->p->s;
    reset(k);
    for (int c = 0; c < k->nc; c++) add_entry(k, w[(size_t)k->d * (size_t)c], &k->y[c]);
    for (int j = 0; j < k->nb; j++) add_entry(k, b[j], &k->y[k->nc + j]);
    sti_int_set(&k->x, &k->k, &k->sum);
}

// --- sizes ---------------------------------------------------------------------------------------------------------

static double largest_of_column(const sti_matrix* A, int j) {
    double most = 0;
    const int64_t begin = A->dense != NULL ? 0 : A->col_start[j],
                  end = A->dense != NULL ? A->rows : A->col_start[j + 1];
    for (int64_t e = begin; e < end; e++)
        most = fmax(most, fabs(A->dense != NULL ? A->dense[(size_t)e * (size_t)A->cols + (size_t)j] : A->value[e]));
    return most;
}

static double diagonal(const sti_matrix* A, int i) {
    double x = 0;
    if (A->dense != NULL) return A->dense[(size_t)i * (size_t)A->cols + (size_t)i];
    for (int64_t e = A->col_start[i]; e < A->col_start[i + 1]; e++) x += A->row[e] == i ? A->value[e] : 0;
    return x;
}

// What the data suggest for |v|_1, or |r|_1 + |l|_1: each number by itself undoes its row of the data.
static double solution_size(const farkas* k) {
    const sti_contact_problem* p = k->p;
    const int n = k->d * k->nc;
    double size = 0;
    if (p->global) {
        for (int i = 0; i < p->velocity_count; i++) {
            const double mass = diagonal(&p->M, i);
            if (mass > 0) size += fabs(p->f[i]) / mass;
        }
        for (int j = 0; j < n && p->velocity_count > 0; j++) {
            const double h = largest_of_column(&p->H, j);
            if (h > 0) size += fabs(p->w[j]) / h;
        }
        for (int b = 0; b < k->nb && p->velocity_count > 0; b++) {
            const double g = largest_of_column(&p->G, b);
            if (g > 0) size += fabs(p->b[b]) / g;
        }
        return size;
    }
    for (int j = 0; j < n; j++) {
        const double w = diagonal(&p->W, j);
        if (w > 0) size += fabs(p->q[j]) / w;
    }
    for (int b = 0; b < k->nb; b++) {
        const double r = diagonal(&p->R, b);
        if (r > 0) size += fabs(p->s[b]) / r;
    }
    return size;
}

static void set_units(farkas* k) {
    const sti_contact_problem* p = k->p;
    const int n = k->d * k->nc, count = p->global ? p->velocity_count : n + k->nb;
    for (int j = 0; j < count; j++) {
        const double x = p->global ? diagonal(&p->M, j) : j < n ? diagonal(&p->W, j) : diagonal(&p->R, j - n);
        k->e[j] = x > 0 ? 1 / sqrt(x) : 0;
    }
}

// |w| / |row|_e over columns of A, H or G
static double ask_of_rows(const farkas* k, const sti_matrix* A, const double* w, int count) {
    double sum = 0;
    for (int j = 0; j < count && k->p->velocity_count > 0; j++) {
        const int64_t begin = A->dense != NULL ? 0 : A->col_start[j],
                      end = A->dense != NULL ? A->rows : A->col_start[j + 1];
        double length = 0;
        for (int64_t m = begin; m < end; m++) {
            const int i = A->dense != NULL ? (int)m : A->row[m];
            const double x = A->dense != NULL ? A->dense[(size_t)i * (size_t)A->cols + (size_t)j] : A->value[m];
            length = hypot(length, x * k->e[i]);
        }
        if (length > 0) sum += fabs(w[j]) / length;
    }
    return sum;
}

// What the data suggest, in units e
static double expected_pace(const farkas* k) {
    const sti_contact_problem* p = k->p;
    const int n = k->d * k->nc;
    double sum = 0;
    if (p->global) {
        for (int i = 0; i < p->velocity_count; i++) sum += fabs(p->f[i]) * k->e[i];
        return sum + ask_of_rows(k, &p->H, p->w, n) + ask_of_rows(k, &p->G, p->b, k->nb);
    }
    for (int j = 0; j < n; j++) sum += fabs(p->q[j]) * k->e[j];
    for (int b = 0; b < k->nb; b++) sum += fabs(p->s[b]) * k->e[n + b];
    return sum;
}

// --- the claim -----------------------------------------------------------------------------------------------------

// Is there a certificate, with finite numbers and y >= 0?
static bool well_formed(const farkas* k, sti_contact_verification* out) {
    const sti_contact_certificate* c = k->c;
    if (c->proof != STI_PROOF_FARKAS) {
        snprintf(out->text, sizeof out->text, "claims that there is no solution, and brings no proof");
        return false;
    }
    if (!k->p->global && k->p->W_op != NULL) {
        snprintf(out->text, sizeof out->text, "a certificate for a matrix, while W is an operator");
        return false;
    }
    if ((c->y == NULL && k->nc > 0) || (c->lambda == NULL && k->nb > 0)) {
        snprintf(out->text, sizeof out->text, "the certificate has no %s", c->y == NULL && k->nc > 0 ? "y" : "lambda");
        return false;
    }
    for (int i = 0; i < k->nc; i++) {
        if (!(c->y[i] >= 0) || isinf(c->y[i])) {
            snprintf(out->text, sizeof out->text, "y[%d] of the certificate is %g: a number >= 0 is expected", i,
                     c->y[i]);
            return false;
        }
    }
    for (int i = 0; i < k->nb; i++) {
        if (!isfinite(c->lambda[i])) {
            snprintf(out->text, sizeof out->text, "lambda[%d] of the certificate is %g", i, c->lambda[i]);
            return false;
        }
    }
    return true;
}

static void load(farkas* k) {
    const sti_contact_problem* p = k->p;
    const sti_matrix* local[] = {&p->W, &p->V, &p->R};
    const sti_matrix* global[] = {&p->H, &p->G};
    const double *w = p->global ? p->w : p->q, *b = p->global ? p->b : p->s;
    for (int i = 0; i < (p->global ? 2 : 3); i++) {
        if (k->nb > 0 || i == 0) widen_matrix(p->global ? global[i] : local[i], &k->shift_A);
    }
    for (int c = 0; c < k->nc; c++) widen(w[(size_t)k->d * (size_t)c], &k->shift_A);
    for (int j = 0; j < k->nb; j++) widen(b[j], &k->shift_A);
    for (int i = 0; i < k->nc + k->nb; i++) widen(i < k->nc ? k->c->y[i] : k->c->lambda[i - k->nc], &k->shift_y);
    for (int i = 0; i < k->nc + k->nb; i++)
        sti_int_set_double(&k->x, &k->y[i], i < k->nc ? k->c->y[i] : k->c->lambda[i - k->nc], k->shift_y);
}

static void judge(farkas* k, sti_contact_verification* out) {
    const double size = solution_size(k);
    out->bound = k->bound;
    out->exact = isinf(k->bound);
    out->accepted = false;
    if (sti_int_sign(&k->k) >= 0)
        snprintf(out->text, sizeof out->text, "the multipliers prove nothing: w_n'y + b'lambda is not negative");
    else if (!out->exact && !(k->bound > FAR * size) && !(FAR * k->moved * expected_pace(k) < 1))
        snprintf(out->text, sizeof out->text,
                 "the multipliers only exclude solutions below %.3g, and %.3g is to be expected; entry %ld", k->bound,
                 size, k->worst);
    else if (!out->exact && k->c->bound > k->bound * (1 + 1e-9))
        snprintf(out->text, sizeof out->text, "the bound is %.3g, not %.3g", k->bound, k->c->bound);
    else
        out->accepted = true;
    if (!out->accepted) return;
    if (out->exact)
        snprintf(out->text, sizeof out->text,
                 "no solution: no motion keeps every contact closed or opening, checked without rounding");
    else
        snprintf(out->text, sizeof out->text, "no solution with %s below %.3g: a Farkas vector up to rounding",
                 k->p->global ? "|v|_1" : "|r|_1 + |l|_1", k->bound);
}

sti_status sti_contact_check_farkas(sti_env* env, const sti_contact_problem* p, const sti_contact_answer* a,
                                    sti_contact_verification* out) {
    farkas k = {.p = p,
                .c = &a->certificate,
                .d = p->dimension,
                .nc = p->contact_count,
                .nb = p->bilateral_count,
                .bound = INFINITY,
                .worst = -1};
    out->accepted = false;
    if (!well_formed(&k, out)) return STI_OK;
    sti_exact_init(&k.x, env);
    const size_t count = (size_t)(k.nc + k.nb), length = (size_t)(p->global ? p->velocity_count : k.d * k.nc);
    k.y = sti_int_array(&k.x, count);
    sti_int* rows = sti_int_array(&k.x, length);
    k.e = sti_alloc_array_zero(env, length + (size_t)k.nb, sizeof *k.e);
    if (k.e == NULL) k.x.status = STI_ERR_MEMORY;
    if (k.x.status == STI_OK) set_units(&k);
    if (k.x.status == STI_OK) load(&k);
    if (k.x.status == STI_OK) sum_constant(&k);
    if (k.x.status == STI_OK) {
        if (p->global)
            sum_global(&k, rows);
        else
            sum_local(&k, rows);
    }
    const sti_status status = k.x.status;
    if (status == STI_OK) judge(&k, out);
    sti_free(env, k.e);
    sti_int_array_free(env, rows, length);
    sti_int_array_free(env, k.y, count);
    sti_int_clear(env, &k.a);
    sti_int_clear(env, &k.sum);
    sti_int_clear(env, &k.k);
    sti_exact_clear(&k.x);
    return status;
}
