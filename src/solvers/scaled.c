// scaled.c: symmetric equilibration by powers of two.
//
// D is found by sweeps of Ruiz (2001): divide row and column i by the square root of their largest entry, until none is
// off by more than a factor of four; each sweep halves the spread of the exponents, ten are plenty for doubles. For
// a positive semidefinite M this tends to a unit diagonal, for a saddle matrix [A E; -E' 0] it balances the blocks.
// s makes the largest entry of q' lie in [1, 2).
#include "solvers/scaled.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { SWEEPS = 10, EXPONENT_LIMIT = 1000 };

// Largest |D M D| entry in row or column i, for every i, in the units of the present exponents.
static void largest_dense(int n, const double* M, const double* d, double* largest) {
    memset(largest, 0, (size_t)n * sizeof *largest);
    for (int i = 0; i < n; i++) {
        const double* Mi = M + (size_t)i * (size_t)n;
        const double di = d[i];
        double row = largest[i];
        for (int j = 0; j < n; j++) {
            const double v = fabs(Mi[j] * di * d[j]);
            row = v > row ? v : row;
            largest[j] = v > largest[j] ? v : largest[j];
        }
        largest[i] = row > largest[i] ? row : largest[i];
    }
}

static void largest_sparse(const sti_matrix* M, const double* d, double* largest) {
    memset(largest, 0, (size_t)M->cols * sizeof *largest);
    for (int j = 0; j < M->cols; j++) {
        for (int64_t k = M->col_start[j]; k < M->col_start[j + 1]; k++) {
            const int i = M->row[k];
            const double v = fabs(M->value[k] * d[i] * d[j]);
            if (v > largest[i]) largest[i] = v;
            if (v > largest[j]) largest[j] = v;
        }
    }
}

// d (n) and largest (n) are scratch; d ends as the doubles of D. A row and column without entries keeps exponent 0.
static void find_exponents(sti_scaled_lcp* p, const sti_matrix* M, double* d, double* largest) {
    for (int i = 0; i < p->n; i++) d[i] = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        if (M->dense != NULL)
            largest_dense(p->n, M->dense, d, largest);
        else
            largest_sparse(M, d, largest);
        bool changed = false;
        for (int i = 0; i < p->n; i++) {
            if (!(largest[i] > 0)) continue;
            int e;
            frexp(largest[i], &e);  // largest in [2^(e-1), 2^e)
            const int shift = e / 2;
            if (shift == 0) continue;
            const int exponent = p->exponent[i] - shift;
            p->exponent[i] = exponent > EXPONENT_LIMIT    ? EXPONENT_LIMIT
                             : exponent < -EXPONENT_LIMIT ? -EXPONENT_LIMIT
                                                          : exponent;
            d[i] = ldexp(1, p->exponent[i]);
            changed = true;
        }
        if (!changed) break;
    }
}

static void scale_q(sti_scaled_lcp* p, const double* q) {
    int top = INT_MIN;
    for (int i = 0; i < p->n; i++) {
        if (q[i] == 0) continue;
        int e;
        frexp(q[i], &e);
        if (e - 1 + p->exponent[i] > top) top = e - 1 + p->exponent[i];
    }
    p->q_exponent = top == INT_MIN ? 0 : top;
    for (int i = 0; i < p->n; i++) p->q[i] = ldexp(q[i], p->exponent[i] - p->q_exponent);
}

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-14;
}

static bool dense_symmetric(int n, const double* M) {
    enum { TILE = 32 };
    for (int ib = 0; ib < n; ib += TILE) {
        for (int jb = 0; jb <= ib; jb += TILE) {
            for (int i = ib; i < n && i < ib + TILE; i++) {
                for (int j = jb; j < i && j < jb + TILE; j++) {
                    if (!near(M[(size_t)i * (size_t)n + (size_t)j], M[(size_t)j * (size_t)n + (size_t)i])) return false;
                }
            }
        }
    }
    return true;
}

// The entry (i, j) is stored, by bisection of column j; its place, or -1.
static int64_t find_entry(const sti_matrix* M, int i, int j) {
    int64_t low = M->col_start[j], high = M->col_start[j + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (M->row[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < M->col_start[j + 1] && M->row[low] == i ? low : -1;
}

static bool sparse_symmetric(const sti_matrix* M) {
    for (int j = 0; j < M->cols; j++) {
        for (int64_t k = M->col_start[j]; k < M->col_start[j + 1]; k++) {
            const int64_t mirror = find_entry(M, j, M->row[k]);
            if (mirror < 0 || !near(M->value[k], M->value[mirror])) return false;
        }
    }
    return true;
}

static sti_status scale_dense(sti_scaled_lcp* p, const sti_matrix* M, const double* d) {
    const size_t n = (size_t)p->n;
    p->M = (sti_matrix){.rows = p->n, .cols = p->n};
    p->M.dense = sti_alloc_array(p->env, n * n, sizeof *p->M.dense);
    if (p->M.dense == NULL) return STI_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) p->M.dense[i * n + j] = M->dense[i * n + j] * d[i] * d[j];
    }
    p->symmetric = dense_symmetric(p->n, p->M.dense);
    return STI_OK;
}

// Copy with every diagonal entry present, entries in ascending order as they came.
static sti_status scale_sparse(sti_scaled_lcp* p, const sti_matrix* M, const double* d) {
    const size_t n = (size_t)p->n, room = (size_t)M->col_start[p->n] + n;
    p->M = (sti_matrix){.rows = p->n, .cols = p->n};
    p->M.col_start = sti_alloc_array(p->env, n + 1, sizeof *p->M.col_start);
    p->M.row = sti_alloc_array(p->env, room, sizeof *p->M.row);
    p->M.value = sti_alloc_array(p->env, room, sizeof *p->M.value);
    if (p->M.col_start == NULL || p->M.row == NULL || p->M.value == NULL) return STI_ERR_MEMORY;
    int64_t at = 0;
    for (int j = 0; j < p->n; j++) {
        bool diagonal = false;
        p->M.col_start[j] = at;
        for (int64_t k = M->col_start[j]; k <= M->col_start[j + 1]; k++) {
            const int i = k < M->col_start[j + 1] ? M->row[k] : INT_MAX;
            if (i >= j && !diagonal) {
                diagonal = true;
                if (i > j) {
                    p->M.row[at] = j;
                    p->M.value[at++] = 0;
                }
            }
            if (i == INT_MAX) break;
            p->M.row[at] = i;
            p->M.value[at++] = M->value[k] * d[i] * d[j];
        }
    }
    p->M.col_start[p->n] = at;
    p->symmetric = sparse_symmetric(&p->M);
    return STI_OK;
}

// Sparse stays sparse where L D L' applies and pays; otherwise M becomes dense, when that is possible.
static sti_status choose_form(sti_scaled_lcp* p) {
    const int64_t n = p->n;
    if (p->symmetric && p->M.col_start[n] <= n * n / 8) return STI_OK;
    sti_matrix sparse = p->M;
    p->M = (sti_matrix){0};
    sti_status status = STI_OK;
    p->applicable = n <= STI_SCALED_DENSE_LIMIT || sparse.col_start[n] > n * n / 8;
    if (p->applicable) status = sti_matrix_to_dense(p->env, &sparse, &p->M);
    sti_matrix_clear(p->env, &sparse);
    return status;
}

static sti_status scale(sti_scaled_lcp* p, const sti_lcp* lcp) {
    const size_t n = (size_t)p->n;
    p->q = sti_alloc_array(p->env, n, sizeof *p->q);
    p->exponent = sti_alloc_array_zero(p->env, n, sizeof *p->exponent);
    double* scratch = sti_alloc_array(p->env, 2 * n, sizeof *scratch);
    sti_status status = STI_OK;
    if (p->q == NULL || p->exponent == NULL || scratch == NULL) {
        status = STI_ERR_MEMORY;
    } else {
        find_exponents(p, &lcp->M, scratch, scratch + n);
        scale_q(p, lcp->q);
        if (!sti_matrix_is_sparse(&lcp->M))
            status = scale_dense(p, &lcp->M, scratch);
        else
            status = scale_sparse(p, &lcp->M, scratch);
        if (status == STI_OK && sti_matrix_is_sparse(&p->M)) status = choose_form(p);
    }
    sti_free(p->env, scratch);
    return status;
}

sti_status sti_scaled_lcp_init(sti_scaled_lcp* p, sti_env* env, const sti_lcp* lcp) {
    *p = (sti_scaled_lcp){.env = env, .n = lcp->n, .applicable = true};
    const sti_status status = scale(p, lcp);
    if (status != STI_OK) sti_scaled_lcp_clear(p);
    return status;
}

void sti_scaled_lcp_clear(sti_scaled_lcp* p) {
    if (p->env == NULL) return;
    sti_matrix_clear(p->env, &p->M);
    sti_free(p->env, p->q);
    sti_free(p->env, p->exponent);
    *p = (sti_scaled_lcp){0};
}

void sti_scaled_lcp_enter(const sti_scaled_lcp* p, const double* z, double* z_scaled) {
    for (int i = 0; i < p->n; i++)
        z_scaled[i] = z[i] > 0 ? fmin(ldexp(z[i], -p->exponent[i] - p->q_exponent), 1e150) : 0;
}

void sti_scaled_lcp_enter_slack(const sti_scaled_lcp* p, const double* w, double* w_scaled) {
    for (int i = 0; i < p->n; i++) w_scaled[i] = ldexp(w[i], p->exponent[i] - p->q_exponent);
}

bool sti_scaled_lcp_leave(const sti_scaled_lcp* p, const double* z_scaled, double* z) {
    for (int i = 0; i < p->n; i++) {
        z[i] = z_scaled[i] > 0 ? ldexp(z_scaled[i], p->exponent[i] + p->q_exponent) : 0;
        if (!isfinite(z[i]) || isnan(z_scaled[i])) {
            memset(z, 0, (size_t)p->n * sizeof *z);
            return false;
        }
    }
    return true;
}
