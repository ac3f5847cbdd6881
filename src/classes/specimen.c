// specimen.c: the matrix under study, its integer images, and the findings about it.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "classes/classes.h"
#include "linalg/lapack.h"

// ---- the matrix

static sti_status check_matrix(sti_env* env, const sti_matrix* M, const sti_rationals* M_exact) {
    const size_t n = (size_t)M->rows;
    if (M->rows != M->cols || M->rows < 0)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a matrix of %d x %d is not square", M->rows, M->cols);
    if (M_exact != NULL && sti_rationals_count(M_exact) != n * n)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "exact entries: %zu given for order %zu",
                        sti_rationals_count(M_exact), n);
    return STI_OK;
}

sti_status sti_specimen_init(sti_specimen* s, sti_env* env, const sti_matrix* M, const sti_rationals* M_exact,
                             const sti_classes_options* options) {
    *s = (sti_specimen){.env = env, .exact = M_exact, .options = *options};
    sti_status status = check_matrix(env, M, M_exact);
    if (status == STI_OK) status = sti_lapack_reserve(env);
    if (status != STI_OK) return status;
    sti_exact_init(&s->x, env);
    s->n = M->rows;
    if (s->n > STI_SPECIMEN_LIMIT) return STI_OK;  // nothing dense is made: every test says so
    sti_matrix dense;
    status = sti_matrix_to_dense(env, M, &dense);
    if (status != STI_OK) return status;
    s->m = dense.dense;
    const size_t n = (size_t)s->n;
    for (size_t k = 0; k < n * n; k++) {
        if (M_exact != NULL) s->m[k] = sti_int_ratio(&s->x, &M_exact->num[k], &M_exact->den[k]);
        if (isfinite(s->m[k])) continue;
        status = s->x.status;
        if (status != STI_OK) {
            sti_specimen_clear(s);
            return status;
        }
        sti_specimen_clear(s);
        return STI_FAIL(env, STI_ERR_ARGUMENT, (int64_t)k, "entry (%zu, %zu) is not a finite number", k / n, k % n);
    }
    return STI_OK;
}

sti_status sti_specimen_check_lcp(sti_env* env, const sti_lcp* lcp) {
    if (lcp->n != lcp->M.rows || (lcp->n > 0 && lcp->q == NULL))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "an LCP of %d pairs with a matrix of order %d", lcp->n, lcp->M.rows);
    if (lcp->q_exact != NULL && sti_rationals_count(lcp->q_exact) != (size_t)lcp->n)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "exact q of %zu entries for %d pairs",
                        sti_rationals_count(lcp->q_exact), lcp->n);
    for (int i = 0; i < lcp->n; i++) {
        if (!isfinite(lcp->q[i])) return STI_FAIL(env, STI_ERR_ARGUMENT, i, "q[%d] is not a finite number", i);
    }
    return STI_OK;
}

void sti_specimen_clear(sti_specimen* s) {
    if (s->env == NULL) return;
    sti_free(s->env, s->m);
    sti_exact_clear(&s->x);
    *s = (sti_specimen){0};
}

int sti_specimen_sign(const sti_specimen* s, int i, int j) {
    if (s->exact != NULL) return sti_rationals_sign(s->exact, (size_t)i * (size_t)s->n + (size_t)j);
    const double v = sti_specimen_at(s, i, j);
    return (v > 0) - (v < 0);
}

bool sti_specimen_equal(const sti_specimen* s, int i, int j, int k, int l) {
    if (s->exact == NULL) return sti_specimen_at(s, i, j) == sti_specimen_at(s, k, l);
    const size_t a = (size_t)i * (size_t)s->n + (size_t)j, b = (size_t)k * (size_t)s->n + (size_t)l;
    return sti_int_cmp(&s->exact->num[a], &s->exact->num[b]) == 0 &&
           sti_int_cmp(&s->exact->den[a], &s->exact->den[b]) == 0;
}

int sti_specimen_sum_sign(sti_specimen* s, int i, int j) {
    if (s->exact == NULL) {  // a rounded sum has the sign of the sum
        const double v = sti_specimen_at(s, i, j) + sti_specimen_at(s, j, i);
        return (v > 0) - (v < 0);
    }
    const size_t a = (size_t)i * (size_t)s->n + (size_t)j, b = (size_t)j * (size_t)s->n + (size_t)i;
    sti_int t[2] = {0};
    sti_int_mul(&s->x, &t[0], &s->exact->num[a], &s->exact->den[b]);
    sti_int_mul(&s->x, &t[1], &s->exact->num[b], &s->exact->den[a]);
    sti_int_neg(&t[1]);
    const int sign = s->x.status == STI_OK ? sti_int_cmp(&t[0], &t[1]) : 0;
    sti_int_clear(s->env, &t[0]);
    sti_int_clear(s->env, &t[1]);
    return sign;
}

int sti_specimen_parts(sti_specimen* s, const int* index, int k, bool negative, int* label, int* queue) {
    int parts = 0;
    for (int i = 0; i < k; i++) label[i] = -1;
    for (int root = 0; root < k; root++) {
        if (label[root] >= 0) continue;
        int head = 0, tail = 0;
        queue[tail++] = root;
        label[root] = parts;
        while (head < tail) {
            const int i = queue[head++];
            for (int j = 0; j < k; j++) {
                if (label[j] >= 0) continue;
                const int sign = sti_specimen_sum_sign(s, index[i], index[j]);
                if (sign == 0 || (negative && sign > 0)) continue;
                label[j] = parts;
                queue[tail++] = j;
            }
        }
        parts++;
    }
    return parts;
}

// ---- integer images

static void image_from_doubles(sti_specimen* s, const int* row, int rows, const int* col, int cols, sti_int* out,
                               sti_int* num, sti_int* den) {
    const size_t count = (size_t)rows * (size_t)cols;
    double* block = sti_alloc_array(s->env, count, sizeof *block);
    if (block == NULL) {
        s->x.status = STI_ERR_MEMORY;
        return;
    }
    size_t at = 0;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) block[at++] = sti_specimen_at(s, row[i], col[j]);
    }
    sti_int_row_from_doubles(&s->x, out, block, count, 1, num, den);
    sti_free(s->env, block);
}

static void image_from_rationals(sti_specimen* s, const int* row, int rows, const int* col, int cols, sti_int* out,
                                 sti_int* num, sti_int* den) {
    const size_t count = (size_t)rows * (size_t)cols;
    sti_rationals* block;
    sti_status status = sti_rationals_create(s->env, count, &block);
    size_t at = 0;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols && status == STI_OK; j++)
            status = sti_rationals_copy(block, at++, s->exact, (size_t)row[i] * (size_t)s->n + (size_t)col[j]);
    }
    if (status == STI_OK)
        sti_int_row_from_rationals(&s->x, out, block, 0, count, num, den);
    else
        s->x.status = status;
    sti_rationals_destroy(block);
}

void sti_specimen_image(sti_specimen* s, const int* row, int rows, const int* col, int cols, sti_int* out, sti_int* num,
                        sti_int* den) {
    if (s->x.status != STI_OK) return;
    if (s->exact != NULL)
        image_from_rationals(s, row, rows, col, cols, out, num, den);
    else
        image_from_doubles(s, row, rows, col, cols, out, num, den);
}

void sti_specimen_symmetric_image(sti_specimen* s, const int* index, int k, sti_int* out, sti_int* num, sti_int* den) {
    sti_specimen_image(s, index, k, index, k, out, num, den);
    for (size_t i = 0; i < (size_t)k; i++) {
        for (size_t j = 0; j <= i; j++) {
            sti_int* a = &out[i * (size_t)k + j];
            sti_int* b = &out[j * (size_t)k + i];
            sti_int_add(&s->x, a, a, b);
            sti_int_set(&s->x, b, a);
        }
    }
}

void sti_specimen_row_image(sti_specimen* s, const int* index, int k, sti_int* out, sti_int* num, sti_int* den) {
    for (int i = 0; i < k; i++) {
        sti_specimen_image(s, &index[i], 1, index, k, out + (size_t)i * (size_t)k, num != NULL ? &num[i] : NULL,
                           den != NULL ? &den[i] : NULL);
    }
}

// ---- findings

void sti_finding_clear(sti_env* env, sti_class_finding* f) {
    sti_free(env, f->index);
    sti_free(env, f->x);
    sti_rationals_destroy(f->x_exact);
    *f = (sti_class_finding){.verdict = STI_UNDECIDED, .row = -1, .col = -1, .value = NAN};
}

void sti_finding_say(sti_class_finding* f, sti_verdict verdict, bool exact, const char* format, ...) {
    f->verdict = verdict;
    f->exact = exact;
    va_list args;
    va_start(args, format);
    vsnprintf(f->how, sizeof f->how, format, args);
    va_end(args);
}

// x'Mx for x = v over 2^shift on the index set.
static double form_value(sti_specimen* s, const int* index, int k, const sti_int* v, size_t shift) {
    sti_exact* x = &s->x;
    double value = NAN;
    sti_int num = {0}, den = {0}, sum = {0}, row = {0};
    sti_int* image = sti_int_array(x, (size_t)k * (size_t)k);
    if (image == NULL) return value;
    sti_specimen_image(s, index, k, index, k, image, &num, &den);
    for (size_t i = 0; i < (size_t)k && x->status == STI_OK; i++) {
        sti_int_set_i64(x, &row, 0);
        for (size_t j = 0; j < (size_t)k; j++) sti_int_addmul(x, &row, &image[i * (size_t)k + j], &v[j]);
        sti_int_addmul(x, &sum, &row, &v[i]);
    }
    sti_int_mul(x, &sum, &sum, &den);
    sti_int_shl(x, &num, &num, 2 * shift);
    if (x->status == STI_OK) value = sti_int_ratio(x, &sum, &num);
    sti_int_array_free(s->env, image, (size_t)k * (size_t)k);
    sti_int_clear(s->env, &num);
    sti_int_clear(s->env, &den);
    sti_int_clear(s->env, &sum);
    sti_int_clear(s->env, &row);
    return value;
}

// The same in floating point; the sign is known, with its bound, to whoever found the vector.
static double rounded_value(const sti_specimen* s, const double* v) {
    double value = 0;
    for (int i = 0; i < s->n; i++) {
        double row = 0;
        for (int j = 0; j < s->n && v[i] != 0; j++) row += sti_specimen_at(s, i, j) * v[j];
        value += v[i] * row;
    }
    return value;
}

sti_status sti_finding_set_vector(sti_specimen* s, sti_class_finding* f, const int* index, int k, sti_int* v) {
    sti_exact* x = &s->x;
    sti_int_make_primitive(x, v, (size_t)k);
    size_t bits = 0;
    for (int i = 0; i < k; i++) {
        if (sti_int_bits(&v[i]) > bits) bits = sti_int_bits(&v[i]);
    }
    const size_t shift = bits > 53 ? bits : 0;
    sti_int power = {0};
    sti_int_set_i64(x, &power, 1);
    sti_int_shl(x, &power, &power, shift);
    f->size = s->n;
    f->x = sti_alloc_array_zero(s->env, (size_t)s->n, sizeof *f->x);
    sti_status status = f->x != NULL ? x->status : STI_ERR_MEMORY;
    if (status == STI_OK) status = sti_rationals_create(s->env, (size_t)s->n, &f->x_exact);
    for (int i = 0; i < k && status == STI_OK; i++) {
        status = sti_rationals_set_ratio(f->x_exact, (size_t)index[i], &v[i], &power);
        f->x[index[i]] = sti_int_ratio(x, &v[i], &power);
    }
    sti_int_clear(s->env, &power);
    if (status == STI_OK)
        f->value = k <= STI_INTEGER_LIMIT ? form_value(s, index, k, v, shift) : rounded_value(s, f->x);
    return status == STI_OK ? x->status : status;
}

sti_status sti_finding_copy_vector(sti_specimen* s, sti_class_finding* to, const sti_class_finding* from) {
    to->size = from->size;
    to->value = from->value;
    to->x = sti_alloc_array(s->env, (size_t)s->n, sizeof *to->x);
    if (to->x == NULL) return STI_ERR_MEMORY;
    memcpy(to->x, from->x, (size_t)s->n * sizeof *to->x);
    return from->x_exact == NULL ? STI_OK : sti_rationals_slice(s->env, from->x_exact, 0, (size_t)s->n, &to->x_exact);
}

// det M on the index set, as a double: the integer minor over the product of the row scales.
static double minor_value(sti_specimen* s, const int* index, int k) {
    sti_exact* x = &s->x;
    double value = NAN;
    sti_int top = {0}, bottom = {0};
    sti_minors minors = {0};
    sti_int* image = sti_int_array(x, (size_t)k * (size_t)k);
    sti_int* scale = sti_int_array(x, 2 * (size_t)k);
    int* all = sti_alloc_array(s->env, (size_t)k, sizeof *all);
    if (all == NULL) x->status = STI_ERR_MEMORY;
    if (x->status == STI_OK) {
        sti_specimen_row_image(s, index, k, image, scale, scale + k);
        for (int i = 0; i < k; i++) all[i] = i;
        if (x->status == STI_OK && sti_minors_init(&minors, x, image, k) == STI_OK) {
            sti_minors_value(&minors, all, k, &top);
            sti_int_set_i64(x, &bottom, 1);
            for (int i = 0; i < k; i++) {
                sti_int_mul(x, &bottom, &bottom, &scale[i]);
                sti_int_mul(x, &top, &top, &scale[k + i]);
            }
            if (x->status == STI_OK) value = sti_int_ratio(x, &top, &bottom);
        }
    }
    sti_minors_clear(&minors);
    sti_int_array_free(s->env, image, (size_t)k * (size_t)k);
    sti_int_array_free(s->env, scale, 2 * (size_t)k);
    sti_free(s->env, all);
    sti_int_clear(s->env, &top);
    sti_int_clear(s->env, &bottom);
    return value;
}

sti_status sti_finding_set_minor(sti_specimen* s, sti_class_finding* f, const int* index, int k) {
    f->index = sti_alloc_array(s->env, (size_t)k, sizeof *f->index);
    if (f->index == NULL) return STI_ERR_MEMORY;
    f->size = k;
    for (int i = 0; i < k; i++) {  // insertion keeps them ascending
        int at = i;
        for (; at > 0 && f->index[at - 1] > index[i]; at--) f->index[at] = f->index[at - 1];
        f->index[at] = index[i];
    }
    f->value = minor_value(s, f->index, k);
    return s->x.status;
}

sti_status sti_finding_copy_minor(sti_specimen* s, sti_class_finding* to, const sti_class_finding* from) {
    to->index = sti_alloc_array(s->env, (size_t)from->size, sizeof *to->index);
    if (to->index == NULL) return STI_ERR_MEMORY;
    memcpy(to->index, from->index, (size_t)from->size * sizeof *to->index);
    to->size = from->size;
    to->value = from->value;
    return STI_OK;
}
