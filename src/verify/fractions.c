// fractions.c: matrices of rationals: products, elimination, linear feasibility. Nothing of this is shared with the
// analyses.
#include "verify/fractions.h"

#include <math.h>
#include <string.h>

void sti_algebra_open(sti_algebra* k, sti_env* env) {
    *k = (sti_algebra){.env = env};
    sti_exact_init(&k->x, env);
}

static size_t count_of(sti_fractions a) {
    return (size_t)a.rows * (size_t)a.cols;
}

void sti_algebra_close(sti_algebra* k) {
    if (k->env == NULL) return;
    for (int i = 0; i < k->count; i++) {
        sti_fractions* a = &k->all[i];
        sti_int_array_free(k->env, a->num, a->num != NULL ? count_of(*a) : 0);
        sti_free(k->env, a->size);
        sti_free(k->env, a->den.limb);
    }
    sti_free(k->env, k->all);
    sti_exact_clear(&k->x);
}

void sti_algebra_fail(sti_algebra* k) {
    if (k->x.status == STI_OK) k->x.status = STI_ERR_MEMORY;
}

static bool grow(sti_algebra* k) {
    if (k->count < k->capacity) return true;
    const int more = k->capacity == 0 ? 64 : 2 * k->capacity;
    sti_fractions* list = sti_alloc_array(k->env, (size_t)more, sizeof *list);
    if (list == NULL) return false;
    if (k->count > 0) memcpy(list, k->all, (size_t)k->count * sizeof *list);
    sti_free(k->env, k->all);
    k->all = list;
    k->capacity = more;
    return true;
}

// The record keeps what the caller's copy holds. A denominator has its own limbs, so it is set once, by keep.
static sti_fractions raw(sti_algebra* k, int rows, int cols) {
    sti_fractions a = {.rows = rows, .cols = cols};
    if (sti_algebra_failed(k)) return a;
    a.num = sti_int_array(&k->x, count_of(a));
    a.size = sti_alloc_array_zero(k->env, count_of(a), sizeof *a.size);
    if (a.num == NULL || a.size == NULL || !grow(k)) {
        sti_int_array_free(k->env, a.num, a.num != NULL ? count_of(a) : 0);
        sti_free(k->env, a.size);
        sti_algebra_fail(k);
        return (sti_fractions){.rows = rows, .cols = cols};
    }
    sti_int_set_i64(&k->x, &a.den, 1);
    return a;
}

// Common factors of the numbers and the denominator taken out; the matrix is the algebra's from here on.
static sti_fractions keep(sti_algebra* k, sti_fractions a) {
    if (a.num == NULL) return a;
    sti_int g = {0};
    sti_int_set(&k->x, &g, &a.den);
    for (size_t i = 0; i < count_of(a) && !sti_int_is_one(&g) && !sti_algebra_failed(k); i++)
        if (a.num[i].size != 0) sti_int_gcd(&k->x, &g, &g, &a.num[i]);
    if (!sti_algebra_failed(k) && !sti_int_is_one(&g)) {
        for (size_t i = 0; i < count_of(a); i++)
            if (a.num[i].size != 0) sti_int_divexact(&k->x, &a.num[i], &a.num[i], &g);
        sti_int_divexact(&k->x, &a.den, &a.den, &g);
    }
    sti_int_clear(k->env, &g);
    k->all[k->count++] = a;
    return a;
}

sti_fractions sti_fractions_make(sti_algebra* k, int rows, int cols) {
    return keep(k, raw(k, rows, cols));
}

sti_fractions sti_fractions_load(sti_algebra* k, int rows, int cols, const sti_rationals* table, const long* index,
                                 int sign) {
    sti_fractions a = raw(k, rows, cols);
    if (a.num == NULL) return a;
    sti_int part = {0};
    for (size_t i = 0; i < count_of(a) && !sti_algebra_failed(k); i++)
        if (index[i] >= 0) sti_int_lcm(&k->x, &a.den, &a.den, &table->den[index[i]]);
    for (size_t i = 0; i < count_of(a) && !sti_algebra_failed(k); i++) {
        if (index[i] < 0 || table->num[index[i]].size == 0) continue;
        sti_int_divexact(&k->x, &part, &a.den, &table->den[index[i]]);
        sti_int_mul(&k->x, &a.num[i], &part, &table->num[index[i]]);
        if (sign < 0) sti_int_neg(&a.num[i]);
        a.size[i] = fabs(sti_rationals_double(table, (size_t)index[i]));
    }
    sti_int_clear(k->env, &part);
    return keep(k, a);
}

sti_fractions sti_fractions_from_doubles(sti_algebra* k, int rows, int cols, const double* value) {
    sti_fractions a = raw(k, rows, cols);
    if (a.num == NULL) return a;
    sti_int num = {0};
    sti_int_row_from_doubles(&k->x, a.num, value, count_of(a), 1, &num, &a.den);
    // image = num / den times the numbers: the numbers are image den / num
    sti_int_swap(&num, &a.den);
    for (size_t i = 0; i < count_of(a) && !sti_algebra_failed(k); i++) {
        sti_int_mul(&k->x, &a.num[i], &a.num[i], &num);
        a.size[i] = fabs(value[i]);
    }
    sti_int_clear(k->env, &num);
    return keep(k, a);
}

double sti_fractions_double(sti_algebra* k, sti_fractions a, int i, int j) {
    if (a.num == NULL || sti_algebra_failed(k)) return NAN;
    return sti_int_ratio(&k->x, &a.num[(size_t)i * (size_t)a.cols + (size_t)j], &a.den);
}

bool sti_fractions_is_zero(sti_fractions a) {
    for (size_t i = 0; a.num != NULL && i < count_of(a); i++)
        if (a.num[i].size != 0) return false;
    return true;
}

static void copy_entry(sti_algebra* k, sti_fractions to, size_t i, sti_fractions from, size_t j) {
    sti_int_set(&k->x, &to.num[i], &from.num[j]);
    to.size[i] = from.size[j];
}

sti_fractions sti_fractions_transpose(sti_algebra* k, sti_fractions a) {
    sti_fractions out = raw(k, a.cols, a.rows);
    if (out.num == NULL || a.num == NULL) return out;
    sti_int_set(&k->x, &out.den, &a.den);
    for (size_t i = 0; i < (size_t)a.rows; i++)
        for (size_t j = 0; j < (size_t)a.cols; j++)
            copy_entry(k, out, j * (size_t)a.rows + i, a, i * (size_t)a.cols + j);
    return keep(k, out);
}

sti_fractions sti_fractions_columns(sti_algebra* k, sti_fractions a, const int* column, int count) {
    sti_fractions out = raw(k, a.rows, count);
    if (out.num == NULL || a.num == NULL) return out;
    sti_int_set(&k->x, &out.den, &a.den);
    for (size_t i = 0; i < (size_t)a.rows; i++)
        for (size_t j = 0; j < (size_t)count; j++)
            copy_entry(k, out, i * (size_t)count + j, a, i * (size_t)a.cols + (size_t)column[j]);
    return keep(k, out);
}

sti_fractions sti_fractions_product(sti_algebra* k, sti_fractions a, sti_fractions b) {
    sti_fractions out = raw(k, a.rows, b.cols);
    if (out.num == NULL || a.num == NULL || b.num == NULL) return out;
    sti_int_mul(&k->x, &out.den, &a.den, &b.den);
    for (size_t i = 0; i < (size_t)a.rows; i++)
        for (size_t j = 0; j < (size_t)b.cols && !sti_algebra_failed(k); j++) {
            const size_t to = i * (size_t)b.cols + j;
            for (size_t h = 0; h < (size_t)a.cols; h++) {
                const size_t l = i * (size_t)a.cols + h, r = h * (size_t)b.cols + j;
                out.size[to] += a.size[l] * b.size[r];
                if (a.num[l].size != 0 && b.num[r].size != 0) sti_int_addmul(&k->x, &out.num[to], &a.num[l], &b.num[r]);
            }
        }
    return keep(k, out);
}

sti_fractions sti_fractions_sum(sti_algebra* k, sti_fractions a, sti_fractions b, int sign) {
    sti_fractions out = raw(k, a.rows, a.cols);
    if (out.num == NULL || a.num == NULL || b.num == NULL) return out;
    sti_int t = {0};
    sti_int_mul(&k->x, &out.den, &a.den, &b.den);
    for (size_t i = 0; i < count_of(a) && !sti_algebra_failed(k); i++) {
        sti_int_mul(&k->x, &out.num[i], &a.num[i], &b.den);
        sti_int_mul(&k->x, &t, &b.num[i], &a.den);
        if (sign < 0)
            sti_int_sub(&k->x, &out.num[i], &out.num[i], &t);
        else
            sti_int_add(&k->x, &out.num[i], &out.num[i], &t);
        out.size[i] = a.size[i] + b.size[i];
    }
    sti_int_clear(k->env, &t);
    return keep(k, out);
}

// Entries of a at (row, col) of out, over the product of both denominators.
static void place(sti_algebra* k, sti_fractions out, int row, int col, sti_fractions a, const sti_int* other) {
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.cols && !sti_algebra_failed(k); j++) {
            const size_t to = (size_t)(row + i) * (size_t)out.cols + (size_t)(col + j);
            const size_t from = (size_t)i * (size_t)a.cols + (size_t)j;
            sti_int_mul(&k->x, &out.num[to], &a.num[from], other);
            out.size[to] = a.size[from];
        }
}

static sti_fractions both(sti_algebra* k, sti_fractions a, sti_fractions b, bool beside) {
    sti_fractions out = beside ? raw(k, a.rows, a.cols + b.cols) : raw(k, a.rows + b.rows, a.cols);
    if (out.num == NULL || a.num == NULL || b.num == NULL) return out;
    sti_int_mul(&k->x, &out.den, &a.den, &b.den);
    place(k, out, 0, 0, a, &b.den);
    place(k, out, beside ? 0 : a.rows, beside ? a.cols : 0, b, &a.den);
    return keep(k, out);
}

sti_fractions sti_fractions_join(sti_algebra* k, sti_fractions a, sti_fractions b) {
    return both(k, a, b, true);
}

sti_fractions sti_fractions_stack(sti_algebra* k, sti_fractions a, sti_fractions b) {
    return both(k, a, b, false);
}

// ---- elimination

typedef struct tableau {  // integers over one denominator d, changed in place
    int rows, cols;
    sti_int *T, d;
} tableau;

static sti_int* at(const tableau* t, int i, int j) {
    return &t->T[(size_t)i * (size_t)t->cols + (size_t)j];
}

static bool open_tableau(sti_algebra* k, tableau* t, int rows, int cols) {
    *t = (tableau){.rows = rows, .cols = cols};
    t->T = sti_algebra_failed(k) ? NULL : sti_int_array(&k->x, (size_t)rows * (size_t)cols);
    if (t->T != NULL) sti_int_set_i64(&k->x, &t->d, 1);
    return t->T != NULL && !sti_algebra_failed(k);
}

static void close_tableau(sti_algebra* k, tableau* t) {
    sti_int_array_free(k->env, t->T, t->T != NULL ? (size_t)t->rows * (size_t)t->cols : 0);
    sti_int_clear(k->env, &t->d);
}

// Fraction-free Gauss-Jordan: column c becomes a unit vector times the pivot, which is the new d.
static void reduce_by(sti_algebra* k, tableau* t, int r, int c) {
    sti_int pivot = {0}, factor = {0};
    sti_int_set(&k->x, &pivot, at(t, r, c));
    for (int i = 0; i < t->rows && !sti_algebra_failed(k); i++) {
        if (i == r) continue;
        sti_int_set(&k->x, &factor, at(t, i, c));
        for (int j = 0; j < t->cols; j++) sti_int_pivot(&k->x, at(t, i, j), &pivot, &factor, at(t, r, j), &t->d);
    }
    sti_int_set(&k->x, &t->d, &pivot);
    sti_int_clear(k->env, &pivot);
    sti_int_clear(k->env, &factor);
}

static void swap_rows(tableau* t, int a, int b) {
    for (int j = 0; j < t->cols && a != b; j++) sti_int_swap(at(t, a, j), at(t, b, j));
}

// Pivots in the first `cols` columns; pivot column of each of the rank rows into column (rows).
static int eliminate(sti_algebra* k, tableau* t, int cols, int* column) {
    int rank = 0;
    for (int c = 0; c < cols && rank < t->rows && !sti_algebra_failed(k); c++) {
        int r = rank;
        while (r < t->rows && at(t, r, c)->size == 0) r++;
        if (r == t->rows) continue;
        swap_rows(t, r, rank);
        reduce_by(k, t, rank, c);
        if (column != NULL) column[rank] = c;
        rank++;
    }
    return rank;
}

static bool load_tableau(sti_algebra* k, tableau* t, sti_fractions a, int extra) {
    if (a.num == NULL || !open_tableau(k, t, a.rows, a.cols + extra)) return false;
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.cols; j++)
            sti_int_set(&k->x, at(t, i, j), &a.num[(size_t)i * (size_t)a.cols + (size_t)j]);
    return !sti_algebra_failed(k);
}

int sti_fractions_rank(sti_algebra* k, sti_fractions a) {
    tableau t = {0};
    int rank = 0;
    if (count_of(a) == 0) return 0;
    if (load_tableau(k, &t, a, 0)) rank = eliminate(k, &t, a.cols, NULL);
    close_tableau(k, &t);
    return rank;
}

sti_fractions sti_fractions_kernel(sti_algebra* k, sti_fractions a) {
    tableau t = {0};
    int* column = sti_alloc_array_zero(k->env, (size_t)a.rows + 1, sizeof *column);
    if (column == NULL) sti_algebra_fail(k);
    int rank = 0;
    const bool some = count_of(a) > 0 && column != NULL && load_tableau(k, &t, a, 0);
    if (some) rank = eliminate(k, &t, a.cols, column);
    sti_fractions out = raw(k, a.cols, a.cols - rank);
    if (out.num != NULL) {
        if (some) sti_int_set(&k->x, &out.den, &t.d);
        for (int c = 0, free_at = 0, next = 0; c < a.cols; c++) {
            if (next < rank && column[next] == c) {
                next++;
                continue;
            }
            const size_t width = (size_t)out.cols;
            sti_int_set(&k->x, &out.num[(size_t)c * width + (size_t)free_at], &out.den);
            for (int r = 0; r < rank; r++) {
                sti_int* to = &out.num[(size_t)column[r] * width + (size_t)free_at];
                sti_int_set(&k->x, to, at(&t, r, c));
                sti_int_neg(to);
            }
            free_at++;
        }
        if (out.den.size < 0) {
            sti_int_neg(&out.den);
            for (size_t i = 0; i < count_of(out); i++) sti_int_neg(&out.num[i]);
        }
        for (size_t i = 0; i < count_of(out); i++) out.size[i] = fabs(sti_int_ratio(&k->x, &out.num[i], &out.den));
        out = keep(k, out);
    }
    close_tableau(k, &t);
    sti_free(k->env, column);
    return out;
}

// Sizes of an inverse: |A^-1| |A| |A^-1|, what rounding of A by a part of one each does to it.
static void size_inverse(sti_algebra* k, sti_fractions a, sti_fractions out) {
    const size_t n = (size_t)out.rows, m = (size_t)out.cols;
    double *value = sti_alloc_array(k->env, n * m + 1, sizeof *value),
           *part = sti_alloc_array_zero(k->env, n * n + 1, sizeof *part);
    if (value == NULL || part == NULL) sti_algebra_fail(k);
    for (size_t i = 0; !sti_algebra_failed(k) && i < n * m; i++)
        value[i] = fabs(sti_int_ratio(&k->x, &out.num[i], &out.den));
    for (size_t i = 0; !sti_algebra_failed(k) && i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t h = 0; h < m; h++) part[i * n + j] += value[i * m + h] * a.size[h * n + j];
    for (size_t i = 0; !sti_algebra_failed(k) && i < n; i++)
        for (size_t j = 0; j < m; j++) {
            out.size[i * m + j] = value[i * m + j];
            for (size_t h = 0; h < n; h++) out.size[i * m + j] += part[i * n + h] * value[h * m + j];
        }
    sti_free(k->env, value);
    sti_free(k->env, part);
}

sti_fractions sti_fractions_inverse(sti_algebra* k, sti_fractions a, bool* regular) {
    const int n = a.rows;
    tableau t = {0};
    *regular = n == 0;
    if (n == 0) return sti_fractions_make(k, 0, 0);
    if (load_tableau(k, &t, a, n)) {
        for (int i = 0; i < n; i++) sti_int_set(&k->x, at(&t, i, n + i), &a.den);
        *regular = eliminate(k, &t, n, NULL) == n && !sti_algebra_failed(k);
    }
    sti_fractions out = *regular ? raw(k, n, n) : (sti_fractions){.rows = n, .cols = n};
    if (out.num != NULL) {
        sti_int_set(&k->x, &out.den, &t.d);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                const size_t to = (size_t)i * (size_t)n + (size_t)j;
                sti_int_set(&k->x, &out.num[to], at(&t, i, n + j));
                if (t.d.size < 0) sti_int_neg(&out.num[to]);
            }
        if (out.den.size < 0) sti_int_neg(&out.den);
        out = keep(k, out);
        size_inverse(k, a, out);
    }
    close_tableau(k, &t);
    return out;
}

// A = B C with B its independent columns, and A+ = C'(C C')^-1 (B'B)^-1 B'.
sti_fractions sti_fractions_pseudo_inverse(sti_algebra* k, sti_fractions a) {
    int* column = sti_alloc_array_zero(k->env, (size_t)a.rows + 1, sizeof *column);
    tableau t = {0};
    int rank = 0;
    if (column == NULL) sti_algebra_fail(k);
    if (column != NULL && count_of(a) > 0 && load_tableau(k, &t, a, 0)) rank = eliminate(k, &t, a.cols, column);
    if (rank == 0) {
        close_tableau(k, &t);
        sti_free(k->env, column);
        return sti_fractions_make(k, a.cols, a.rows);
    }
    sti_fractions B = sti_fractions_columns(k, a, column, rank), C = raw(k, rank, a.cols);
    if (C.num != NULL) {
        sti_int_set(&k->x, &C.den, &t.d);
        for (int i = 0; i < rank; i++)
            for (int j = 0; j < a.cols; j++) {
                const size_t to = (size_t)i * (size_t)a.cols + (size_t)j;
                sti_int_set(&k->x, &C.num[to], at(&t, i, j));
                if (t.d.size < 0) sti_int_neg(&C.num[to]);
            }
        if (C.den.size < 0) sti_int_neg(&C.den);
        for (size_t i = 0; i < count_of(C); i++) C.size[i] = fabs(sti_int_ratio(&k->x, &C.num[i], &C.den));
        C = keep(k, C);
    }
    close_tableau(k, &t);
    sti_free(k->env, column);
    bool regular;
    const sti_fractions Bt = sti_fractions_transpose(k, B), Ct = sti_fractions_transpose(k, C);
    const sti_fractions BB = sti_fractions_inverse(k, sti_fractions_product(k, Bt, B), &regular);
    const sti_fractions CC = sti_fractions_inverse(k, sti_fractions_product(k, C, Ct), &regular);
    const sti_fractions left = sti_fractions_product(k, Ct, CC), right = sti_fractions_product(k, BB, Bt);
    const sti_fractions out = sti_fractions_product(k, left, right);
    if (out.num != NULL) size_inverse(k, a, out);
    return out;
}

bool sti_fractions_definite(sti_algebra* k, sti_fractions a) {
    tableau t = {0};
    bool definite = count_of(a) == 0 || load_tableau(k, &t, a, 0);
    for (int c = 0; c < a.rows && definite; c++) {  // the pivots are the leading minors
        definite = sti_int_sign(at(&t, c, c)) > 0 && !sti_algebra_failed(k);
        if (definite) reduce_by(k, &t, c, c);
    }
    close_tableau(k, &t);
    return definite;
}

// ---- linear feasibility

// A dictionary: row i says d s_i = T_i0 + sum_j T_ij x_j. Exchanges s_r and x_c.
static void exchange(sti_algebra* k, tableau* t, int r, int c) {
    sti_int pivot = {0}, factor = {0};
    sti_int_set(&k->x, &pivot, at(t, r, c));
    for (int i = 0; i < t->rows && !sti_algebra_failed(k); i++) {
        if (i == r) continue;
        sti_int_set(&k->x, &factor, at(t, i, c));
        for (int j = 0; j < t->cols; j++)
            if (j != c) sti_int_pivot(&k->x, at(t, i, j), &pivot, &factor, at(t, r, j), &t->d);
    }
    for (int j = 0; j < t->cols; j++)
        if (j != c) sti_int_neg(at(t, r, j));
    sti_int_set(&k->x, at(t, r, c), &t->d);
    sti_int_set(&k->x, &t->d, &pivot);
    if (t->d.size < 0) {
        sti_int_neg(&t->d);
        for (size_t i = 0; i < (size_t)t->rows * (size_t)t->cols; i++) sti_int_neg(&t->T[i]);
    }
    sti_int_clear(k->env, &pivot);
    sti_int_clear(k->env, &factor);
}

static void drop_column(sti_algebra* k, tableau* t, int c) {
    for (int i = 0; i < t->rows; i++) sti_int_set_i64(&k->x, at(t, i, c), 0);
}

// Equations are solved for a free unknown each; then free unknowns are exchanged for inequalities. What is left is
// nonnegative, and the least-index rule ends: a row with a negative constant needs a column that raises it.
bool sti_fractions_feasible(sti_algebra* k, sti_fractions rows, int equations) {
    tableau t = {0};
    bool ok = load_tableau(k, &t, rows, 0);
    int* row_of =
        sti_alloc_array_zero(k->env, (size_t)rows.rows + 1, sizeof *row_of);  // index of the slack, -1: no condition
    int* column_of =
        sti_alloc_array_zero(k->env, (size_t)rows.cols + 1, sizeof *column_of);  // the same, -1: free, -2: gone
    if (row_of == NULL || column_of == NULL) sti_algebra_fail(k);
    ok = ok && !sti_algebra_failed(k);
    for (int i = 0; ok && i < t.rows; i++) row_of[i] = i;
    for (int c = 1; ok && c < t.cols; c++) column_of[c] = -1;
    for (int i = 0; ok && i < equations; i++) {
        int c = 1;
        while (c < t.cols && (column_of[c] != -1 || at(&t, i, c)->size == 0)) c++;
        if (c == t.cols) {
            ok = at(&t, i, 0)->size == 0;
        } else {
            exchange(k, &t, i, c);
            drop_column(k, &t, c);
            column_of[c] = -2;
        }
        row_of[i] = -1;
        ok = ok && !sti_algebra_failed(k);
    }
    for (int c = 1; ok && c < t.cols; c++) {
        int r = equations;
        while (column_of[c] == -1 && r < t.rows && (row_of[r] < 0 || at(&t, r, c)->size == 0)) r++;
        if (column_of[c] != -1 || r == t.rows) continue;
        exchange(k, &t, r, c);
        column_of[c] = row_of[r];
        row_of[r] = -1;
        ok = !sti_algebra_failed(k);
    }
    bool feasible = false;
    while (ok) {
        int r = -1, c = -1;
        for (int i = equations; i < t.rows; i++)
            if (row_of[i] >= 0 && sti_int_sign(at(&t, i, 0)) < 0 && (r < 0 || row_of[i] < row_of[r])) r = i;
        feasible = r < 0;
        for (int j = 1; j < t.cols && r >= 0; j++)
            if (column_of[j] >= 0 && sti_int_sign(at(&t, r, j)) > 0 && (c < 0 || column_of[j] < column_of[c])) c = j;
        if (r < 0 || c < 0) break;
        exchange(k, &t, r, c);
        const int swap = row_of[r];
        row_of[r] = column_of[c];
        column_of[c] = swap;
        ok = !sti_algebra_failed(k);
    }
    close_tableau(k, &t);
    sti_free(k->env, row_of);
    sti_free(k->env, column_of);
    return feasible;
}
