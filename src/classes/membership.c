// membership.c: is q in the complementary cone pos C_M(alpha)?   (S3 definitions 1.2.3, 1.2.4)
//
// C_M(alpha) has the columns -M_i for i in alpha and e_i for the others, so C_M(alpha) v = q, v >= 0 reads
//
//     w = M z + q,    z_i >= 0, w_i = 0  on alpha,      z_i = 0, w_i >= 0  off it,       v = z on alpha, w off it.
//
// One exact feasibility problem with n rows and |alpha| columns. When it is infeasible its multipliers y have y'q < 0,
// y_i >= 0 off alpha and (y'M)_j <= 0 on alpha, which is y'C_M(alpha) >= 0: y separates. C_M(alpha) is a basis when
// det M_aa != 0.
#include <string.h>

#include "classes/classes.h"
#include "exact/dictionary.h"

enum { ORDER_LIMIT = 100 };

typedef struct question {
    sti_specimen s;
    sti_exact* x;
    int n;
    int* in;  // alpha                                                     (count)
    int count;
    sti_dictionary* D;  // w = M z + q, each row with a scale of its own   (n rows, count columns)
    sti_int* num;       // row i of D is num/den times the original one    (n)
    sti_int* den;       //                                                 (n)
    sti_int* y;         //                                                 (n)
} question;

static void clear_question(question* a) {
    sti_env* env = a->s.env;
    if (env == NULL) return;
    const size_t n = (size_t)a->n;
    sti_dictionary_destroy(a->D);
    sti_int_array_free(env, a->num, n);
    sti_int_array_free(env, a->den, n);
    sti_int_array_free(env, a->y, n);
    sti_free(env, a->in);
    sti_specimen_clear(&a->s);
}

static sti_status check(sti_env* env, const sti_lcp* lcp) {
    if (lcp->n == lcp->M.rows && lcp->n > ORDER_LIMIT)
        return STI_FAIL(env, STI_ERR_SIZE, lcp->n, "cone membership is decided up to order %d, not %d", ORDER_LIMIT,
                        lcp->n);
    return sti_specimen_check_lcp(env, lcp);
}

// (q_i, M_i,alpha) as one row of integers.
static sti_status load_row(question* a, const sti_lcp* lcp, int i) {
    sti_rationals* row;
    sti_status status = sti_rationals_create(a->s.env, (size_t)a->count + 1, &row);
    if (status != STI_OK) return status;
    status = lcp->q_exact != NULL ? sti_rationals_copy(row, 0, lcp->q_exact, (size_t)i)
                                  : sti_rationals_set_double(row, 0, lcp->q[i]);
    for (int j = 0; j < a->count && status == STI_OK; j++) {
        const size_t at = (size_t)i * (size_t)a->n + (size_t)a->in[j];
        status = a->s.exact != NULL ? sti_rationals_copy(row, (size_t)j + 1, a->s.exact, at)
                                    : sti_rationals_set_double(row, (size_t)j + 1, a->s.m[at]);
    }
    if (status == STI_OK) {
        sti_int_row_from_rationals(a->x, sti_dictionary_at(a->D, i, 0), row, 0, (size_t)a->count + 1, &a->num[i],
                                   &a->den[i]);
        status = a->x->status;
    }
    sti_rationals_destroy(row);
    return status;
}

static sti_status make_question(question* a, sti_env* env, const sti_lcp* lcp, const unsigned char* alpha) {
    memset(a, 0, sizeof *a);
    const sti_classes_options options = sti_classes_options_default();
    sti_status status = sti_specimen_init(&a->s, env, &lcp->M, lcp->M_exact, &options);
    if (status != STI_OK) return status;
    a->x = &a->s.x;
    a->n = lcp->n;
    const size_t n = (size_t)a->n;
    a->in = sti_alloc_array(env, n, sizeof *a->in);
    a->num = sti_int_array(a->x, n);
    a->den = sti_int_array(a->x, n);
    a->y = sti_int_array(a->x, n);
    if (a->in == NULL || a->x->status != STI_OK) return STI_ERR_MEMORY;
    for (int i = 0; i < a->n; i++) {
        if (alpha[i] != 0) a->in[a->count++] = i;
    }
    status = sti_dictionary_create(a->x, a->n, a->count, &a->D);
    for (int i = 0; i < a->n && status == STI_OK; i++) {
        status = load_row(a, lcp, i);
        if (alpha[i] != 0) a->D->kind[a->count + i] = STI_VAR_ZERO;
    }
    return status;
}

static sti_status find_nonsingular(question* a, bool* nonsingular) {
    const size_t count = (size_t)a->count * (size_t)a->count;
    sti_minors minors = {0};
    int all[ORDER_LIMIT];
    sti_int* image = sti_int_array(a->x, count);
    if (image == NULL) return a->x->status;
    sti_specimen_row_image(&a->s, a->in, a->count, image, NULL, NULL);
    sti_status status = a->x->status;
    if (status == STI_OK) status = sti_minors_init(&minors, a->x, image, a->count);
    if (status == STI_OK) {
        for (int i = 0; i < a->count; i++) all[i] = i;
        *nonsingular = sti_minors_sign(&minors, all, a->count) != 0;
        status = a->x->status;
    }
    sti_minors_clear(&minors);
    sti_int_array_free(a->s.env, image, count);
    return status;
}

// v: z_i on alpha, w_i = (value of the row) / scale off it.
static void read_inside(question* a, const unsigned char* alpha, double* v) {
    sti_int top = {0}, bottom = {0};
    int column = 0;
    for (int i = 0; i < a->n; i++) {
        const int row = sti_dictionary_row_of(a->D, alpha[i] != 0 ? column++ : a->count + i);
        v[i] = 0;
        if (row < 0) continue;
        sti_int_set(a->x, &top, sti_dictionary_at(a->D, row, 0));
        sti_int_set(a->x, &bottom, &a->D->d);
        if (alpha[i] == 0) {
            sti_int_mul(a->x, &top, &top, &a->den[i]);
            sti_int_mul(a->x, &bottom, &bottom, &a->num[i]);
        }
        v[i] = sti_int_ratio(a->x, &top, &bottom);
    }
    sti_int_clear(a->s.env, &top);
    sti_int_clear(a->s.env, &bottom);
}

// y in units of the original rows, the largest entry 1 in size.
static void read_outside(question* a, double* y) {
    sti_int largest = {0}, product = {0}, size = {0};
    sti_dictionary_farkas(a->D, a->y);
    sti_int_set_i64(a->x, &product, 1);
    for (int i = 0; i < a->n; i++) sti_int_lcm(a->x, &product, &product, &a->den[i]);
    for (int i = 0; i < a->n && a->x->status == STI_OK; i++) {
        sti_int_divexact(a->x, &size, &product, &a->den[i]);
        sti_int_mul(a->x, &a->y[i], &a->y[i], &a->num[i]);
        sti_int_mul(a->x, &a->y[i], &a->y[i], &size);
        sti_int_set(a->x, &size, &a->y[i]);
        if (sti_int_sign(&size) < 0) sti_int_neg(&size);
        if (sti_int_cmp(&size, &largest) > 0) sti_int_set(a->x, &largest, &size);
    }
    for (int i = 0; i < a->n && a->x->status == STI_OK; i++) y[i] = sti_int_ratio(a->x, &a->y[i], &largest);
    sti_int_clear(a->s.env, &largest);
    sti_int_clear(a->s.env, &product);
    sti_int_clear(a->s.env, &size);
}

static sti_status answer(question* a, const unsigned char* alpha, sti_cone_membership* out) {
    sti_status status = find_nonsingular(a, &out->nonsingular);
    if (status != STI_OK) return status;
    out->inside = sti_dictionary_feasible(a->D);
    if (a->x->status != STI_OK) return a->x->status;
    double* values = sti_alloc_array_zero(a->s.env, (size_t)a->n, sizeof *values);
    if (values == NULL) return STI_ERR_MEMORY;
    if (out->inside) {
        out->v = values;
        read_inside(a, alpha, values);
    } else {
        out->y = values;
        read_outside(a, values);
    }
    return a->x->status;
}

sti_status sti_lcp_cone_membership(sti_env* env, const sti_lcp* lcp, const unsigned char* alpha,
                                   sti_cone_membership* out) {
    *out = (sti_cone_membership){0};
    sti_status status = check(env, lcp);
    if (status != STI_OK) return status;
    question a;
    status = make_question(&a, env, lcp, alpha);
    if (status == STI_OK) status = answer(&a, alpha, out);
    clear_question(&a);
    if (status != STI_OK) sti_cone_membership_clear(env, out);
    return status;
}

void sti_cone_membership_clear(sti_env* env, sti_cone_membership* membership) {
    sti_free(env, membership->v);
    sti_free(env, membership->y);
    *membership = (sti_cone_membership){0};
}
