// schur.c: K_i = [H W'; W -E] with a diagonal H = Q + D:
//
//     S = W H^-1 W' + E,     S l = W H^-1 r_y - r_l,     y = H^-1 (r_y - W'l)
//
// which is the elimination of kernel.c, y first, then l, with S kept as sparse as W lets it be.
#include "stochastic/schur.h"

#include <math.h>
#include <string.h>

#include "linalg/matrix.h"
#include "stochastic/kernel.h"

enum {
    FEWEST = 32,
    ATTEMPTS = 4
};  // rows of a block that is worth it; factorizations with more and more on the diagonal

static const double LESS = 0.25;          // of the memory of dense factors
static const double MORE = 1000;          // times what was added before
static const double LEAST_PIVOT = 1e-50;  // of H: a smaller one is frozen, as in kernel.c
static const double LEAST = 1e-13;        // of a diagonal entry, to begin with where nothing was asked for

static bool is_diagonal(const sti_matrix* Q) {
    if (Q->rows == 0) return true;
    if (Q->dense != NULL) return false;
    for (int j = 0; j < Q->cols; j++) {
        for (int64_t k = Q->col_start[j]; k < Q->col_start[j + 1]; k++) {
            if (Q->row[k] != j && Q->value[k] != 0) return false;
        }
    }
    return true;
}

void sti_schur_clear(sti_env* env, sti_schur* s) {
    if (s->W == NULL) return;
    sti_ldl_clear(&s->ldl);
    void* owned[] = {s->start, s->col, s->value, s->place, s->H};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) sti_free(env, owned[k]);
    *s = (sti_schur){0};
}

static sti_status by_rows(sti_env* env, sti_schur* s) {
    const sti_matrix* W = s->W;
    const size_t nnz = (size_t)W->col_start[W->cols];
    s->start = sti_alloc_array(env, (size_t)W->rows + 1, sizeof *s->start);
    s->col = sti_alloc_array(env, nnz, sizeof *s->col);
    s->value = sti_alloc_array(env, nnz, sizeof *s->value);
    s->place = sti_alloc_array(env, (size_t)W->rows, sizeof *s->place);
    s->H = sti_alloc_array(env, (size_t)W->cols, sizeof *s->H);
    if (s->start == NULL || s->col == NULL || s->value == NULL || s->place == NULL || s->H == NULL)
        return STI_ERR_MEMORY;
    sti_matrix_by_rows(W, s->start, s->col, s->value);
    return STI_OK;
}

// The rows that share a column with row i, itself first; their number.
static int64_t neighbours(const sti_schur* s, int i, int* out) {
    const sti_matrix* W = s->W;
    int64_t count = 0;
    if (out != NULL) out[count] = i;
    count++;
    s->place[i] = i;
    for (int64_t e = s->start[i]; e < s->start[i + 1]; e++) {
        for (int64_t k = W->col_start[s->col[e]]; k < W->col_start[s->col[e] + 1]; k++) {
            const int other = W->row[k];
            if (s->place[other] == i) continue;
            s->place[other] = i;
            if (out != NULL) out[count] = other;
            count++;
        }
    }
    return count;
}

static sti_status find_pattern(sti_env* env, sti_schur* s, size_t most) {
    const int q = s->W->rows;
    int64_t* start = sti_alloc_array(env, (size_t)q + 1, sizeof *start);
    if (start == NULL) return STI_ERR_MEMORY;
    start[0] = 0;
    for (int i = 0; i < q; i++) s->place[i] = -1;
    for (int i = 0; i < q; i++) start[i + 1] = start[i] + neighbours(s, i, NULL);
    int* row = sti_alloc_array(env, (size_t)start[q], sizeof *row);
    sti_status status = STI_OK;
    if (row == NULL) {
        status = STI_ERR_MEMORY;
    } else {
        for (int i = 0; i < q; i++) s->place[i] = -1;
        for (int i = 0; i < q; i++) neighbours(s, i, row + start[i]);
        status = sti_ldl_init_within(&s->ldl, env, q, start, row, most);
    }
    sti_free(env, row);
    sti_free(env, start);
    return status;
}

sti_status sti_schur_create(sti_env* env, const sti_stochastic_layout* L, int i, sti_schur* out) {
    const sti_matrix *W = sti_stochastic_layout_A(L, i), *Q = sti_stochastic_layout_Q(L, i);
    const size_t k = (size_t)sti_stochastic_layout_m(L, i) + (size_t)sti_stochastic_layout_q(L, i);
    *out = (sti_schur){0};
    if (W->rows < FEWEST || W->dense != NULL || !is_diagonal(Q)) return STI_OK;
    sti_schur s = {.W = W, .Q = Q};
    sti_status status = by_rows(env, &s);
    if (status == STI_OK)
        status = find_pattern(env, &s, (size_t)(LESS * (double)(sti_kernel_packed(k) * sizeof(double))));
    if (status == STI_OK && !s.ldl.withheld) {
        *out = s;
    } else {
        sti_schur_clear(env, &s);
    }
    return status;
}

// S, `more` of each diagonal entry added; every column of its pattern begins with the diagonal.
static void fill(sti_schur* s, const double* E, double proximal, double more) {
    const sti_matrix* W = s->W;
    sti_ldl* f = &s->ldl;
    for (int j = 0; j < f->n; j++) {
        const int begin = f->col_start[j];
        for (int k = begin; k < f->col_start[j + 1]; k++) {
            s->place[f->row[k]] = k;
            f->value[k] = 0;
        }
        for (int64_t e = s->start[j]; e < s->start[j + 1]; e++) {
            const int c = s->col[e];
            const double t = s->value[e] / s->H[c];
            for (int64_t k = W->col_start[c]; k < W->col_start[c + 1]; k++)
                f->value[s->place[W->row[k]]] += t * W->value[k];
        }
        f->value[begin] += E[j] + proximal;
        f->value[begin] = f->value[begin] > 0 ? f->value[begin] * (1 + more) : 1;  // a row of zeros
    }
}

int sti_schur_factor(sti_schur* s, const double* D, const double* E, double proximal, double held) {
    const sti_matrix* Q = s->Q;
    double more = held;
    int frozen = 0;
    for (int j = 0; j < s->W->cols; j++) s->H[j] = D[j] + proximal;
    for (int j = 0; j < Q->cols && Q->rows > 0; j++) {
        for (int64_t k = Q->col_start[j]; k < Q->col_start[j + 1]; k++) s->H[j] += Q->row[k] == j ? Q->value[k] : 0;
    }
    for (int j = 0; j < s->W->cols; j++) {
        if (s->H[j] > LEAST_PIVOT && isfinite(s->H[j])) continue;
        s->H[j] = STI_KERNEL_FROZEN;
        frozen++;
    }
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        fill(s, E, proximal, more);
        if (sti_ldl_factor(&s->ldl) < 0 && sti_ldl_nonpositive_count(&s->ldl) == 0) return frozen + attempt;
        more = fmax(MORE * more, LEAST);
    }
    return frozen + ATTEMPTS;
}

void sti_schur_solve(sti_schur* s, double* y, double* l) {
    const sti_matrix* W = s->W;
    const int m = W->cols, q = W->rows;
    for (int i = 0; i < q; i++) l[i] = -l[i];
    for (int j = 0; j < m; j++) {
        for (int64_t k = W->col_start[j]; k < W->col_start[j + 1]; k++) l[W->row[k]] += W->value[k] * y[j] / s->H[j];
    }
    sti_ldl_solve(&s->ldl, l);
    for (int j = 0; j < m; j++) {
        for (int64_t k = W->col_start[j]; k < W->col_start[j + 1]; k++) y[j] -= W->value[k] * l[W->row[k]];
        y[j] /= s->H[j];
    }
}
