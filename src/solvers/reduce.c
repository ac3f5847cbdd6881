// reduce.c: free variables of an MLCP pivoted away (S3 (1.2.11), and the elimination in theorem 1.2.10).
//
//     A u + C v + a = 0,     0 <= v _|_ D u + B v + b >= 0      ->      0 <= z _|_ M z + q >= 0
//
// A regular and well conditioned: u = -A^-1 (C v + a), M = B - D A^-1 C, q = b - D A^-1 a.
//
// Otherwise A is kept in the game by bordered pivoting. Write e for the slacks of the equations (held at zero) and
// pivot the dictionary  (e; w) = (a; b) + [A C; D B] (u; v):
//
//   step 1   e_k <-> u_l by complete pivoting, as far as A has rank
//   step 2   what is left of A is zero. A pair (v_j, w_j) can still carry one equation and one free variable:
//            e_k <-> v_j together with w_j <-> u_l. The pair then stands with its roles exchanged, which an LCP
//            does not mind.
//   step 3   an equation with nothing left but a constant repeats others (constant zero) or contradicts them; a free
//            variable that nothing depends on is set to zero
//   step 4   rarely something remains: a free variable is split into two nonnegative ones, an equation into two
//            inequalities, which together with zero columns and rows where the other half is missing is again an LCP
//
// D1. Rows and columns are scaled by powers of two first, so that "zero" has a meaning: circuits mix 1e-6 and 1e3.
// D2. In step 4 the hypothesis of S3 of a square regular system is not needed; the LCP may be harder for Lemke's
//     method.
#include "solvers/reduce.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/dense.h"

enum { WELL_CONDITIONED = 8 };  // digits that elimination may cost: rcond >= 1e-8

typedef struct bordered {
    sti_arena memory;
    sti_env* env;
    int n, m, N;      // N = n + m
    double* T;        // rows e, w; columns u, z, constant last       (N x (N+1))
    double* R;        // row factors, powers of two                   (N)
    double* S;        // column factors                               (N)
    int* basic;       // variable of row: 0..N-1 columns' own (u, z), N..2N-1 slacks (e, w)     (N)
    int* nonbasic;    // (N)
    double tiny;      // below this, scaled, an entry is zero
    const double* a;  // borrowed                                     (n)
} bordered;

static inline double* at(const bordered* t, int i, int j) {
    return &t->T[(size_t)i * (size_t)(t->N + 1) + (size_t)j];
}

static void free_bordered(bordered* t) {
    sti_arena_clear(&t->memory);
}

static double power_of_two(double x) {  // near 1/x
    if (!(x > 0)) return 1;
    int e;
    frexp(x, &e);
    return ldexp(1.0, e > 1000 ? -1000 : e < -1000 ? 1000 : 1 - e);
}

// Scale rows and columns of the matrix part towards largest entries of 1: three sweeps of square roots.
static void equilibrate(bordered* t) {
    for (int i = 0; i < t->N; i++) t->R[i] = t->S[i] = 1;
    for (int sweep = 0; sweep < 3; sweep++) {
        for (int i = 0; i < t->N; i++) {
            double big = 0;
            for (int j = 0; j < t->N; j++) big = fmax(big, fabs(*at(t, i, j)));
            const double f = power_of_two(sweep < 2 ? sqrt(big) : big);
            for (int j = 0; j <= t->N; j++) *at(t, i, j) *= f;
            t->R[i] *= f;
        }
        for (int j = 0; j < t->N && sweep < 2; j++) {
            double big = 0;
            for (int i = 0; i < t->N; i++) big = fmax(big, fabs(*at(t, i, j)));
            const double f = power_of_two(sqrt(big));
            for (int i = 0; i < t->N; i++) *at(t, i, j) *= f;
            t->S[j] *= f;
        }
    }
}

static sti_status load(sti_env* env, const sti_mlcp* p, bordered* t) {
    *t = (bordered){.env = env, .n = p->n, .m = p->m, .N = p->n + p->m, .a = p->a};
    const size_t N = (size_t)t->N;
    t->memory = sti_arena_make(env);
    t->T = sti_arena_take(&t->memory, N * (N + 1), sizeof *t->T);
    t->R = sti_arena_raw(&t->memory, N, sizeof *t->R);
    t->S = sti_arena_raw(&t->memory, N, sizeof *t->S);
    t->basic = sti_arena_raw(&t->memory, N, sizeof *t->basic);
    t->nonbasic = sti_arena_raw(&t->memory, N, sizeof *t->nonbasic);
    if (t->memory.status != STI_OK) return t->memory.status;
    const sti_matrix* block[2][2] = {{&p->A, &p->C}, {&p->D, &p->B}};
    for (int bi = 0; bi < 2; bi++) {
        for (int bj = 0; bj < 2; bj++) {
            const sti_matrix* K = block[bi][bj];
            const int row = bi == 0 ? 0 : p->n, col = bj == 0 ? 0 : p->n;
            if (K->dense != NULL) {
                for (int i = 0; i < K->rows; i++)
                    memcpy(at(t, row + i, col), K->dense + (size_t)i * (size_t)K->cols,
                           (size_t)K->cols * sizeof(double));
            } else if (K->col_start != NULL) {
                for (int j = 0; j < K->cols; j++) {
                    for (int64_t k = K->col_start[j]; k < K->col_start[j + 1]; k++)
                        *at(t, row + K->row[k], col + j) = K->value[k];
                }
            }
        }
    }
    for (int i = 0; i < t->N; i++) {
        *at(t, i, t->N) = i < p->n ? p->a[i] : p->b[i - p->n];
        t->basic[i] = t->N + i;
        t->nonbasic[i] = i;
    }
    equilibrate(t);
    t->tiny = 1e-11;
    return STI_OK;
}

// Exchange row r and column c.
static void pivot(bordered* t, int r, int c) {
    const double p = *at(t, r, c);
    double* Tr = at(t, r, 0);
    for (int i = 0; i < t->N; i++) {
        if (i == r) continue;
        double* Ti = at(t, i, 0);
        const double f = Ti[c] / p;
        if (f != 0) {
            for (int j = 0; j <= t->N; j++) {
                if (j != c) Ti[j] -= f * Tr[j];
            }
        }
        Ti[c] = f;
    }
    for (int j = 0; j <= t->N; j++) Tr[j] = j == c ? 1 / p : -Tr[j] / p;
    const int v = t->basic[r];
    t->basic[r] = t->nonbasic[c];
    t->nonbasic[c] = v;
}

static bool is_equation_row(const bordered* t, int i) {
    return t->basic[i] >= t->N && t->basic[i] < t->N + t->n;
}

static bool is_free_column(const bordered* t, int j) {
    return t->nonbasic[j] < t->n;
}

// Pair of a variable (z_i or w_i), -1 for u and e.
static int pair_of(const bordered* t, int v) {
    if (v >= t->N) v -= t->N;
    return v >= t->n ? v - t->n : -1;
}

// step 1
static void eliminate_regular_part(bordered* t) {
    for (int step = 0; step < t->n; step++) {
        int r = -1, c = -1;
        double big = t->tiny;
        for (int i = 0; i < t->N; i++) {
            for (int j = 0; is_equation_row(t, i) && j < t->N; j++) {
                if (is_free_column(t, j) && fabs(*at(t, i, j)) > big) {
                    big = fabs(*at(t, i, j));
                    r = i;
                    c = j;
                }
            }
        }
        if (r < 0) return;
        pivot(t, r, c);
    }
}

static int row_of_pair(const bordered* t, int pair) {
    for (int i = 0; i < t->N; i++) {
        if (pair_of(t, t->basic[i]) == pair) return i;
    }
    return -1;
}

// step 2
static void eliminate_through_pairs(bordered* t) {
    for (int step = 0; step < t->n; step++) {
        int r = -1, c = -1, rw = -1, cu = -1;
        double best = 0;
        for (int j = 0; j < t->N; j++) {
            const int pair = pair_of(t, t->nonbasic[j]);
            if (pair < 0) continue;
            const int w = row_of_pair(t, pair);
            int er = -1, uc = -1;
            for (int i = 0; i < t->N; i++) {
                if (is_equation_row(t, i) && fabs(*at(t, i, j)) > t->tiny &&
                    (er < 0 || fabs(*at(t, i, j)) > fabs(*at(t, er, j))))
                    er = i;
            }
            for (int k = 0; er >= 0 && k < t->N; k++) {
                if (is_free_column(t, k) && fabs(*at(t, w, k)) > t->tiny &&
                    (uc < 0 || fabs(*at(t, w, k)) > fabs(*at(t, w, uc))))
                    uc = k;
            }
            if (uc < 0) continue;
            const double score = fmin(fabs(*at(t, er, j)), fabs(*at(t, w, uc)));
            if (score > best) {
                best = score;
                r = er;
                c = j;
                rw = w;
                cu = uc;
            }
        }
        if (r < 0) return;
        pivot(t, r, c);
        pivot(t, rw, cu);
    }
}

typedef struct leftovers {
    int* row;  // equation rows that still restrict z             (n)
    int* col;  // free columns that still act on w                (n)
    int row_count, col_count;
} leftovers;

// step 3
static void sort_leftovers(bordered* t, sti_reduction* out, leftovers* left) {
    for (int i = 0; i < t->N && !out->contradiction; i++) {
        if (!is_equation_row(t, i)) continue;
        double big = 0;
        for (int j = 0; j < t->N; j++) {
            if (pair_of(t, t->nonbasic[j]) >= 0) big = fmax(big, fabs(*at(t, i, j)));
        }
        if (big > t->tiny) {
            left->row[left->row_count++] = i;
            continue;
        }
        // The row is x'(A u + C v + a) with x'A = x'C = 0: what is left of x'a, against what it was made of.
        for (int k = 0; k < t->n; k++) out->x[k] = 0;
        out->x[t->basic[i] - t->N] = t->R[t->basic[i] - t->N];
        for (int j = 0; j < t->N; j++) {
            const int e = t->nonbasic[j] - t->N;
            if (e >= 0 && e < t->n) out->x[e] = -*at(t, i, j) * t->R[e];
        }
        double made_of = 0;
        for (int k = 0; k < t->n; k++) made_of += fabs(out->x[k] * t->a[k]);
        if (fabs(*at(t, i, t->N)) > 1e-9 * made_of)
            out->contradiction = true;
        else
            out->redundant++;
    }
    for (int j = 0; j < t->N; j++) {
        if (!is_free_column(t, j)) continue;
        double big = 0;
        for (int i = 0; i < t->N; i++) {
            if (pair_of(t, t->basic[i]) >= 0) big = fmax(big, fabs(*at(t, i, j)));
        }
        if (big > t->tiny)
            left->col[left->col_count++] = j;
        else
            out->undetermined++;
    }
}

// Columns of the LCP in the tableau: pair i -> its nonbasic variable; pairs beyond m -> halves of leftover variables.
static int tableau_column(const bordered* t, const leftovers* left, const int* col_of_pair, int k, double* sign) {
    *sign = 1;
    if (k < t->m) return col_of_pair[k];
    const int half = k - t->m;
    if (half / 2 >= left->col_count) return -1;
    *sign = half % 2 == 0 ? 1 : -1;
    return left->col[half / 2];
}

// step 4 and the reading of the result
static sti_status read_lcp(const bordered* t, const leftovers* left, sti_reduction* out) {
    sti_env* env = t->env;
    const int extra = left->row_count > left->col_count ? left->row_count : left->col_count;
    out->size = t->m + 2 * extra;
    const size_t size = (size_t)out->size;
    out->M = sti_alloc_array_zero(env, size * size, sizeof *out->M);
    out->q = sti_alloc_array_zero(env, size, sizeof *out->q);
    out->u_row = sti_alloc_array_zero(env, (size_t)t->n * (size + 1), sizeof *out->u_row);
    int* col_of_pair = sti_alloc_array(env, (size_t)t->m, sizeof *col_of_pair);
    if (out->M == NULL || out->q == NULL || out->u_row == NULL || col_of_pair == NULL) {
        sti_free(env, col_of_pair);
        return STI_ERR_MEMORY;
    }
    for (int j = 0; j < t->N; j++) {
        const int pair = pair_of(t, t->nonbasic[j]);
        if (pair < 0) continue;
        col_of_pair[pair] = j;
        out->swapped[pair] = t->nonbasic[j] >= t->N;
        out->z_scale[pair] = t->S[t->n + pair];
    }
    for (int i = 0; i < t->N; i++) {
        const int pair = pair_of(t, t->basic[i]), v = t->basic[i];
        double* to = NULL;
        double scale = 1;
        if (pair >= 0)
            to = out->M + (size_t)pair * size;
        else if (v < t->n) {
            to = out->u_row + (size_t)v * (size + 1) + 1;
            scale = t->S[v];
        } else
            continue;
        for (int k = 0; k < out->size; k++) {
            double sign;
            const int j = tableau_column(t, left, col_of_pair, k, &sign);
            if (j >= 0) to[k] = scale * sign * *at(t, i, j);
        }
        if (pair >= 0)
            out->q[pair] = *at(t, i, t->N);
        else
            to[-1] = scale * *at(t, i, t->N);
    }
    for (int r = 0; r < left->row_count; r++) {  // an equation as two inequalities
        for (int half = 0; half < 2; half++) {
            const int row = t->m + 2 * r + half;
            const double side = half == 0 ? 1 : -1;
            for (int k = 0; k < out->size; k++) {
                double sign;
                const int j = tableau_column(t, left, col_of_pair, k, &sign);
                if (j >= 0) out->M[(size_t)row * size + (size_t)k] = side * sign * *at(t, left->row[r], j);
            }
            out->q[row] = side * *at(t, left->row[r], t->N);
        }
    }
    for (int c = 0; c < left->col_count; c++) {  // a split variable's own value
        double* to = out->u_row + (size_t)t->nonbasic[left->col[c]] * (size + 1) + 1 + t->m + 2 * c;
        to[0] = t->S[t->nonbasic[left->col[c]]];
        to[1] = -to[0];
    }
    sti_free(env, col_of_pair);
    return STI_OK;
}

static sti_status reduce_by_pivots(bordered* t, sti_reduction* out) {
    leftovers left = {0};
    left.row = sti_alloc_array(t->env, (size_t)t->n, sizeof *left.row);
    left.col = sti_alloc_array(t->env, (size_t)t->n, sizeof *left.col);
    sti_status status = STI_OK;
    if (left.row == NULL || left.col == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) {
        eliminate_regular_part(t);
        eliminate_through_pairs(t);
        sort_leftovers(t, out, &left);
        status = read_lcp(t, &left, out);
    }
    sti_free(t->env, left.row);
    sti_free(t->env, left.col);
    return status;
}

// The regular case: [C a] := A^-1 [C a], then one product. *done: A is well conditioned.
static sti_status reduce_by_elimination(bordered* t, sti_reduction* out, bool* done) {
    *done = false;
    sti_env* env = t->env;
    const int n = t->n, m = t->m;
    const size_t width = (size_t)m + 1;
    sti_dense_factor f = {0};
    double *X = NULL, *column = NULL;
    sti_status status = sti_dense_factor_init(&f, env, n);
    if (status == STI_OK) {
        double* A = sti_dense_factor_load(&f, n);
        for (int i = 0; i < n; i++) memcpy(A + (size_t)i * (size_t)n, at(t, i, 0), (size_t)n * sizeof *A);
        if (!sti_dense_factor_lu(&f) || !(sti_dense_factor_rcond(&f) >= pow(10, -WELL_CONDITIONED))) {
            sti_dense_factor_clear(&f);
            return STI_OK;
        }
        X = sti_alloc_array(env, (size_t)n * width, sizeof *X);  // row major: -A^-1 [C a]
        column = sti_alloc_array(env, (size_t)n, sizeof *column);
        out->size = m;
        out->M = sti_alloc_array(env, (size_t)m * (size_t)m, sizeof *out->M);
        out->q = sti_alloc_array(env, (size_t)m, sizeof *out->q);
        out->u_row = sti_alloc_array(env, (size_t)n * width, sizeof *out->u_row);
        if (X == NULL || column == NULL || out->M == NULL || out->q == NULL || out->u_row == NULL)
            status = STI_ERR_MEMORY;
    }
    for (int j = 0; j <= m && status == STI_OK; j++) {
        for (int i = 0; i < n; i++) column[i] = -*at(t, i, n + j);
        sti_dense_factor_solve(&f, column);
        for (int i = 0; i < n; i++) X[(size_t)i * width + (size_t)j] = column[i];
    }
    for (int i = 0; i < m && status == STI_OK; i++) {
        double* Mi = out->M + (size_t)i * (size_t)m;
        const double* Di = at(t, n + i, 0);
        memcpy(Mi, Di + n, (size_t)m * sizeof *Mi);
        out->q[i] = Di[n + m];
        for (int k = 0; k < n; k++) {
            const double* Xk = X + (size_t)k * width;
            if (Di[k] == 0) continue;
            for (int j = 0; j < m; j++) Mi[j] += Di[k] * Xk[j];
            out->q[i] += Di[k] * Xk[m];
        }
    }
    for (int k = 0; k < n && status == STI_OK; k++) {
        out->u_row[(size_t)k * width] = t->S[k] * X[(size_t)k * width + (size_t)m];
        for (int j = 0; j < m; j++)
            out->u_row[(size_t)k * width + 1 + (size_t)j] = t->S[k] * X[(size_t)k * width + (size_t)j];
    }
    for (int i = 0; i < m; i++) out->z_scale[i] = t->S[n + i];
    *done = status == STI_OK;
    sti_free(env, X);
    sti_free(env, column);
    sti_dense_factor_clear(&f);
    return status;
}

sti_status sti_reduction_create(sti_env* env, const sti_mlcp* p, sti_reduction** out) {
    *out = NULL;
    sti_reduction* r = sti_alloc_array_zero(env, 1, sizeof *r);
    if (r == NULL) return STI_ERR_MEMORY;
    *r = (sti_reduction){.env = env, .n = p->n, .m = p->m};
    r->swapped = sti_alloc_array_zero(env, (size_t)p->m, sizeof *r->swapped);
    r->x = sti_alloc_array_zero(env, (size_t)p->n, sizeof *r->x);
    r->z_scale = sti_alloc_array(env, (size_t)p->m, sizeof *r->z_scale);
    sti_status status = STI_OK;
    if (r->swapped == NULL || r->x == NULL || r->z_scale == NULL) status = STI_ERR_MEMORY;
    bordered t = {0};
    t.env = env;
    if (status == STI_OK) status = load(env, p, &t);
    bool done = false;
    if (status == STI_OK) status = reduce_by_elimination(&t, r, &done);
    if (status == STI_OK && !done) status = reduce_by_pivots(&t, r);
    free_bordered(&t);
    if (status == STI_OK)
        *out = r;
    else
        sti_reduction_destroy(r);
    return status;
}

void sti_reduction_destroy(sti_reduction* r) {
    if (r == NULL) return;
    sti_env* env = r->env;
    sti_free(env, r->M);
    sti_free(env, r->q);
    sti_free(env, r->swapped);
    sti_free(env, r->x);
    sti_free(env, r->u_row);
    sti_free(env, r->z_scale);
    sti_free(env, r);
}
