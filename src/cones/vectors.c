// vectors.c: vectors and tables over exact integers or doubles. See vectors.h.
#include "cones/vectors.h"

#include <math.h>
#include <string.h>

_Static_assert(sizeof(sti_number) == sizeof(sti_int), "a vector of numbers is a vector of integers in exact mode");

void sti_arith_init(sti_arith* ar, sti_exact* x, bool exact, double tol) {
    memset(ar, 0, sizeof *ar);
    ar->x = x;
    ar->exact = exact;
    ar->tol = tol;
}

void sti_arith_clear(sti_arith* ar) {
    for (int i = 0; ar->exact && i < 4; i++) sti_int_clear(ar->x->env, &ar->work[i].z);
}

sti_number* sti_numbers_create(sti_arith* ar, size_t count) {
    sti_number* v = sti_alloc_array_zero(ar->x->env, count, sizeof *v);
    if (v == NULL) ar->x->status = STI_ERR_MEMORY;
    return v;
}

void sti_numbers_destroy(sti_arith* ar, sti_number* v, size_t count) {
    if (v == NULL) return;
    for (size_t i = 0; ar->exact && i < count; i++) sti_int_clear(ar->x->env, &v[i].z);
    sti_free(ar->x->env, v);
}

int sti_number_sign(const sti_arith* ar, const sti_number* a) {
    if (ar->exact) return sti_int_sign(&a->z);
    return (a->f > ar->tol) - (a->f < -ar->tol);
}

void sti_numbers_copy(sti_arith* ar, sti_number* r, const sti_number* a, int n) {
    if (!ar->exact) memcpy(r, a, (size_t)n * sizeof *r);
    for (int j = 0; ar->exact && j < n; j++) sti_int_set(ar->x, &r[j].z, &a[j].z);
}

void sti_numbers_negate(const sti_arith* ar, sti_number* a, int n) {
    for (int j = 0; j < n; j++) {
        if (ar->exact)
            sti_int_neg(&a[j].z);
        else
            a[j].f = -a[j].f;
    }
}

void sti_numbers_dot(sti_arith* ar, sti_number* r, const sti_number* a, const sti_number* b, int n) {
    if (!ar->exact) {
        double s = 0;
        for (int j = 0; j < n; j++) s += a[j].f * b[j].f;
        r->f = s;
        return;
    }
    sti_int_set_i64(ar->x, &r->z, 0);
    for (int j = 0; j < n; j++) {
        if (a[j].z.size != 0 && b[j].z.size != 0) sti_int_addmul(ar->x, &r->z, &a[j].z, &b[j].z);
    }
}

void sti_numbers_combine(sti_arith* ar, sti_number* r, const sti_number* s, const sti_number* u, const sti_number* t,
                         const sti_number* v, int n) {
    if (!ar->exact) {
        for (int j = 0; j < n; j++) r[j].f = s->f * u[j].f - t->f * v[j].f;
        return;
    }
    sti_int *first = &ar->work[2].z, *second = &ar->work[3].z;
    for (int j = 0; j < n; j++) {
        sti_int_mul(ar->x, first, &s->z, &u[j].z);
        sti_int_mul(ar->x, second, &t->z, &v[j].z);
        sti_int_sub(ar->x, &r[j].z, first, second);
    }
}

static double length(const sti_number* v, int n) {
    double s = 0;
    for (int j = 0; j < n; j++) s += v[j].f * v[j].f;
    return sqrt(s);
}

bool sti_numbers_tidy(sti_arith* ar, sti_number* v, int n) {
    if (ar->exact) {
        sti_int_make_primitive(ar->x, &v->z, (size_t)n);
        for (int j = 0; j < n; j++) {
            if (v[j].z.size != 0) return true;
        }
        return false;
    }
    double largest = 0;
    for (int j = 0; j < n; j++) largest = fmax(largest, fabs(v[j].f));
    if (largest == 0) return false;
    // a power of two first: squares of huge or tiny entries would leave the range
    int exponent;
    frexp(largest, &exponent);
    for (int j = 0; j < n; j++) v[j].f = ldexp(v[j].f, -exponent);
    const double norm = length(v, n);
    for (int j = 0; j < n; j++) v[j].f /= norm;
    return true;
}

int sti_numbers_compare(const sti_arith* ar, const sti_number* a, const sti_number* b, int n) {
    for (int j = 0; j < n; j++) {
        if (ar->exact) {
            const int order = sti_int_cmp(&a[j].z, &b[j].z);
            if (order != 0) return order;
        } else if (fabs(a[j].f - b[j].f) > ar->tol) {
            return a[j].f < b[j].f ? -1 : 1;
        }
    }
    return 0;
}

bool sti_table_create(sti_arith* ar, size_t capacity, int dimension, sti_table* out) {
    *out = (sti_table){.dimension = dimension, .capacity = capacity};
    out->v = sti_numbers_create(ar, capacity * (size_t)dimension);
    return out->v != NULL;
}

void sti_table_clear(sti_arith* ar, sti_table* t) {
    sti_numbers_destroy(ar, t->v, t->capacity * (size_t)t->dimension);
    *t = (sti_table){0};
}

void sti_table_push(sti_arith* ar, sti_table* t, const sti_number* row) {
    STI_ASSERT((size_t)t->count < t->capacity);
    sti_numbers_copy(ar, sti_table_row(t, t->count), row, t->dimension);
    t->count++;
}

void sti_table_swap_rows(sti_table* t, int i, int j) {
    sti_number *a = sti_table_row(t, i), *b = sti_table_row(t, j);
    for (int k = 0; i != j && k < t->dimension; k++) {
        const sti_number keep = a[k];
        a[k] = b[k];
        b[k] = keep;
    }
}

void sti_table_push_rows(sti_arith* ar, sti_table* t, const sti_rows* rows) {
    const int n = t->dimension;
    for (int i = 0; rows != NULL && i < rows->count && ar->x->status == STI_OK; i++) {
        STI_ASSERT((size_t)t->count < t->capacity);
        sti_number* to = sti_table_row(t, t->count);
        const size_t first = (size_t)i * (size_t)n;
        if (ar->exact)
            sti_int_row_from_rationals(ar->x, &to->z, rows->exact, first, (size_t)n, NULL, NULL);
        else
            for (int j = 0; j < n; j++) to[j].f = rows->value[first + (size_t)j];
        if (sti_numbers_tidy(ar, to, n)) t->count++;
    }
}

// Row i comes after row j.
static bool after(const sti_arith* ar, const sti_table* t, int i, int j) {
    const int order = sti_numbers_compare(ar, sti_table_row(t, i), sti_table_row(t, j), t->dimension);
    return order > 0 || (order == 0 && i > j);
}

static void sift_down(const sti_arith* ar, const sti_table* t, int* order, int start, int end) {
    int parent = start;
    for (int child = 2 * parent + 1; child < end; child = 2 * parent + 1) {
        if (child + 1 < end && after(ar, t, order[child + 1], order[child])) child++;
        if (!after(ar, t, order[child], order[parent])) return;
        const int keep = order[parent];
        order[parent] = order[child];
        order[child] = keep;
        parent = child;
    }
}

// Heapsort: no memory, no recursion, and qsort has no room for the arithmetic.
void sti_table_order(const sti_arith* ar, const sti_table* t, int* order) {
    for (int i = 0; i < t->count; i++) order[i] = i;
    for (int start = t->count / 2 - 1; start >= 0; start--) sift_down(ar, t, order, start, t->count);
    for (int end = t->count - 1; end > 0; end--) {
        const int keep = order[0];
        order[0] = order[end];
        order[end] = keep;
        sift_down(ar, t, order, 0, end);
    }
}

void sti_table_sort(sti_arith* ar, sti_table* t) {
    int* order = sti_alloc_array(ar->x->env, (size_t)t->count, sizeof *order);
    sti_number* v = sti_numbers_create(ar, t->capacity * (size_t)t->dimension);
    if (order == NULL || v == NULL) {
        ar->x->status = STI_ERR_MEMORY;
        sti_free(ar->x->env, v);
    } else {
        sti_table_order(ar, t, order);
        // numbers are moved, not copied: the old block is left with what the new one does not hold
        for (int i = 0; i < t->count; i++)
            memcpy(v + (size_t)i * (size_t)t->dimension, sti_table_row(t, order[i]), (size_t)t->dimension * sizeof *v);
        memcpy(v + (size_t)t->count * (size_t)t->dimension, sti_table_row(t, t->count),
               (t->capacity - (size_t)t->count) * (size_t)t->dimension * sizeof *v);
        sti_free(ar->x->env, t->v);
        t->v = v;
    }
    sti_free(ar->x->env, order);
}

// v -= its projection on q, over n entries; exact: times q'q, made primitive.
static void project_out(sti_arith* ar, sti_number* v, const sti_number* q, int n) {
    sti_number *qq = &ar->work[0], *vq = &ar->work[1];
    sti_numbers_dot(ar, vq, v, q, n);
    if (ar->exact) {
        if (vq->z.size == 0) return;
        sti_numbers_dot(ar, qq, q, q, n);
        sti_numbers_combine(ar, v, qq, v, vq, q, n);
        sti_numbers_tidy(ar, v, n);
    } else {
        qq->f = 1;  // directions of Q have length 1
        sti_numbers_combine(ar, v, qq, v, vq, q, n);
    }
}

bool sti_numbers_reduce(sti_arith* ar, sti_number* v, const sti_table* Q) {
    const int n = Q->dimension;
    // floating: twice, because the first pass leaves rounding errors along Q as large as what it took away
    for (int pass = 0; pass < (ar->exact ? 1 : 2); pass++) {
        for (int i = 0; i < Q->count && ar->x->status == STI_OK; i++) project_out(ar, v, sti_table_row(Q, i), n);
        if (!ar->exact && length(v, n) <= ar->tol) return false;
    }
    return sti_numbers_tidy(ar, v, n);
}

// The row to take next: exact the first that is not zero, floating the longest if longer than tol; -1 when none.
static int longest_row(const sti_arith* ar, const sti_table* rows, int from) {
    int best = -1;
    double best_length = ar->tol;
    for (int i = from; i < rows->count; i++) {
        const sti_number* v = sti_table_row(rows, i);
        if (ar->exact) {
            for (int j = 0; j < rows->dimension; j++) {
                if (v[j].z.size != 0) return i;
            }
        } else {
            const double size = length(v, rows->dimension);
            if (size > best_length) {
                best_length = size;
                best = i;
            }
        }
    }
    return best;
}

void sti_table_orthogonalize(sti_arith* ar, sti_table* rows, sti_table* Q) {
    Q->count = 0;
    for (int from = 0; (size_t)Q->count < Q->capacity && ar->x->status == STI_OK; from++) {
        const int i = longest_row(ar, rows, from);
        if (i < 0) return;
        sti_table_swap_rows(rows, from, i);
        sti_number* v = sti_table_row(rows, from);
        sti_numbers_tidy(ar, v, rows->dimension);
        if (!sti_numbers_reduce(ar, v, Q)) continue;
        sti_table_push(ar, Q, v);
        const sti_number* q = sti_table_row(Q, Q->count - 1);
        for (int k = from + 1; k < rows->count; k++) project_out(ar, sti_table_row(rows, k), q, rows->dimension);
    }
}

// The column in which to pivot row `from`, moved there: exact the leftmost column that is not zero below, with its
// first row. Floating: rows from `from` on are orthonormal, so the squared column norms are the diagonal of the
// projector on their span, the same for every basis of it; the largest wins, near ties go to the left. The rows are
// turned (Householder reflection in row space) so that the column vanishes below `from`.
static int pivot_exact(sti_table* Q, int from) {
    for (int j = 0; j < Q->dimension; j++) {
        for (int i = from; i < Q->count; i++) {
            if (sti_table_row(Q, i)[j].z.size == 0) continue;
            sti_table_swap_rows(Q, from, i);
            return j;
        }
    }
    return -1;
}

static double column_norm(const sti_table* Q, int from, int j) {
    double s = 0;
    for (int i = from; i < Q->count; i++) s += sti_table_row(Q, i)[j].f * sti_table_row(Q, i)[j].f;
    return s;
}

static int pivot_floating(sti_table* Q, int from) {
    int best = 0;
    double largest = 0;
    for (int j = 0; j < Q->dimension; j++) {
        const double norm = column_norm(Q, from, j);
        if (norm > 1.0001 * largest) {
            largest = norm;
            best = j;
        }
    }
    // w = column +- its length along row `from`; rows -= 2 w (w' rows) / w'w
    const double first = sti_table_row(Q, from)[best].f, alpha = first > 0 ? -sqrt(largest) : sqrt(largest);
    const double ww = largest - first * first + (first - alpha) * (first - alpha);
    for (int j = 0; j < Q->dimension; j++) {
        if (j == best) continue;
        double s = (first - alpha) * sti_table_row(Q, from)[j].f;
        for (int i = from + 1; i < Q->count; i++) s += sti_table_row(Q, i)[best].f * sti_table_row(Q, i)[j].f;
        s *= 2 / ww;
        sti_table_row(Q, from)[j].f -= s * (first - alpha);
        for (int i = from + 1; i < Q->count; i++) sti_table_row(Q, i)[j].f -= s * sti_table_row(Q, i)[best].f;
    }
    for (int i = from + 1; i < Q->count; i++) sti_table_row(Q, i)[best].f = 0;
    sti_table_row(Q, from)[best].f = alpha;
    return best;
}

void sti_table_echelon(sti_arith* ar, sti_table* Q) {
    const int n = Q->dimension;
    for (int r = 0; r < Q->count && ar->x->status == STI_OK; r++) {
        const int j = ar->exact ? pivot_exact(Q, r) : pivot_floating(Q, r);
        if (j < 0) return;
        sti_number* pivot = sti_table_row(Q, r);
        if ((ar->exact ? sti_int_sign(&pivot[j].z) : (pivot[j].f > 0) - (pivot[j].f < 0)) < 0)
            sti_numbers_negate(ar, pivot, n);
        const double size = ar->exact ? 1 : pivot[j].f;
        for (int k = 0; !ar->exact && k < n; k++) pivot[k].f /= size;
        for (int i = 0; i < Q->count; i++) {
            sti_number* row = sti_table_row(Q, i);
            sti_number *s = &ar->work[0], *t = &ar->work[1];
            if (i == r) continue;
            if (ar->exact && row[j].z.size == 0) continue;
            sti_numbers_copy(ar, s, &pivot[j], 1);
            sti_numbers_copy(ar, t, &row[j], 1);
            sti_numbers_combine(ar, row, s, row, t, pivot, n);
            if (ar->exact) sti_numbers_tidy(ar, row, n);
        }
    }
}
