// kkt.c: assembly, factorization and solution of the interior-point system.
//
//     K = [ P   A'  ]        quasidefinite once delta > 0 is added to the upper and subtracted from the lower diagonal:
//         [ A  -W^2 ]        every symmetric order of pivots then has an L D L' (Vanderbei 1995), n of them positive
//
// A second-order cone has W^2 = eta^2 (2 w w' - J), a full block. Up to SMALL rows it is stored as that; a larger cone is
// written with two more unknowns (Domahidi, Chu & Boyd, "ECOS", 2013, section IV),
//
//     W^2 = eta^2 (D + u u' - v v'),        -eta^2 [ D   v   u ]
//                                                  [ v'  1   0 ]       D = diag(d, 1, .., 1),   v = (0, v1 w1),
//                                                  [ u'  0  -1 ]       u = (u0, u1 w1)
//
//     d = 1 / (2 |w|^2),  u0^2 = |w|^2 - d,  u1 = 2 w0 / u0,  v1^2 = u1^2 - 2
//
// so that its columns have a few entries each whatever its size.
//
// The regularization is taken back by iterative refinement: each correction shrinks the error by about delta / (delta +
// least eigenvalue), so delta is kept as small as rounding in the factors allows, and multiplied by 100 when the signs
// of the pivots come out wrong. Cost: one factorization, and one product and one solution for each correction.
#include "conic/kkt.h"

#include <math.h>
#include <string.h>

enum { SMALL = 5, CORRECTIONS = 10, REGULARIZATIONS = 4 };

static const double DELTA = 1e-8;    // first regularization, for data of size 1
static const double ENOUGH = 1e-15;  // relative residual that needs no correction

static bool is_large(const sti_cones* cones, int c) {
    return cones->dim[c] > SMALL;
}

static sti_status reserve(sti_kkt* k, const sti_cones* cones) {
    k->large = sti_alloc_array(k->env, (size_t)cones->count, sizeof *k->large);
    if (k->large == NULL) return STI_FAIL(k->env, STI_ERR_MEMORY, -1, "%d cones", cones->count);
    for (int c = 0; c < cones->count; c++) {
        k->large[c] = -1;
        if (!is_large(cones, c)) continue;
        k->large[c] = k->n + k->m + k->extra;
        k->extra += 2;
    }
    k->order = k->n + k->m + k->extra;
    const size_t N = (size_t)k->order;
    k->diagonal = sti_alloc_array(k->env, N, sizeof *k->diagonal);
    k->block = sti_alloc_array(k->env, (size_t)k->m, sizeof *k->block);
    k->sign = sti_alloc_array(k->env, N, sizeof *k->sign);
    k->exact = sti_alloc_array_zero(k->env, N, sizeof *k->exact);
    k->rhs = sti_alloc_array(k->env, 4 * N, sizeof *k->rhs);
    if (k->diagonal == NULL || k->block == NULL || k->sign == NULL || k->exact == NULL || k->rhs == NULL)
        return STI_FAIL(k->env, STI_ERR_MEMORY, -1, "system of order %d", k->order);
    k->step = k->rhs + 3 * N;
    return STI_OK;
}

// One pass over the columns of K, rows ascending. With row == NULL entries are only counted.
typedef struct writer {
    int64_t* col_start;
    int* row;
    double* value;
    int64_t at;
} writer;

static void put(writer* out, int row, double value) {
    if (out->row != NULL) {
        out->row[out->at] = row;
        out->value[out->at] = value;
    }
    out->at++;
}

static void write_upper(sti_kkt* k, writer* out, const sti_matrix* P, const sti_matrix* A) {
    for (int j = 0; j < k->n; j++) {
        out->col_start[j] = out->at;
        bool diagonal = false;
        const int64_t end = P->rows > 0 ? P->col_start[j + 1] : 0;
        for (int64_t e = P->rows > 0 ? P->col_start[j] : 0; e < end || !diagonal;) {
            const int row = e < end ? P->row[e] : k->n;
            if (!diagonal && row >= j) {
                k->diagonal[j] = (int)out->at;
                k->exact[j] = row == j ? P->value[e] : 0;
                put(out, j, k->exact[j]);
                diagonal = true;
                e += row == j;
            } else {
                put(out, row, P->value[e++]);
            }
        }
        for (int64_t e = A->col_start[j]; e < A->col_start[j + 1]; e++) put(out, k->n + A->row[e], A->value[e]);
        k->sign[j] = 1;
    }
}

// Column n + i: row i of A, then the entries of W^2, which are filled in at each factorization.
static void write_row(sti_kkt* k, writer* out, const sti_matrix* At, const sti_cones* cones, int i, int cone) {
    out->col_start[k->n + i] = out->at;
    for (int64_t e = At->col_start[i]; e < At->col_start[i + 1]; e++) put(out, At->row[e], At->value[e]);
    const bool small = cone >= 0 && k->large[cone] < 0;
    const int first = small ? cones->at[cone] : i, last = small ? first + cones->dim[cone] : i + 1;
    k->block[i] = (int)out->at;
    k->diagonal[k->n + i] = (int)out->at + i - first;
    for (int row = first; row < last; row++) put(out, k->n + row, 0);
    for (int t = 0; cone >= 0 && !small && t < 2; t++) put(out, k->large[cone] + t, 0);
    k->sign[k->n + i] = -1;
}

static void write_extra(sti_kkt* k, writer* out, const sti_cones* cones) {
    for (int c = 0; c < cones->count; c++) {
        for (int t = 0; k->large[c] >= 0 && t < 2; t++) {
            const int column = k->large[c] + t;
            out->col_start[column] = out->at;
            for (int i = 0; i < cones->dim[c]; i++) put(out, k->n + cones->at[c] + i, 0);
            k->diagonal[column] = (int)out->at;
            put(out, column, 0);
            k->sign[column] = t == 0 ? -1 : 1;
        }
    }
}

static void write_all(sti_kkt* k, writer* out, const sti_matrix* P, const sti_matrix* A, const sti_matrix* At,
                      const sti_cones* cones) {
    out->at = 0;
    write_upper(k, out, P, A);
    for (int i = 0; i < cones->zero + cones->linear; i++) write_row(k, out, At, cones, i, -1);
    for (int c = 0; c < cones->count; c++) {
        for (int i = 0; i < cones->dim[c]; i++) write_row(k, out, At, cones, cones->at[c] + i, c);
    }
    write_extra(k, out, cones);
    out->col_start[k->order] = out->at;
}

static sti_status assemble(sti_kkt* k, const sti_matrix* P, const sti_matrix* A, const sti_matrix* At,
                           const sti_cones* cones) {
    writer out = {.col_start = sti_alloc_array(k->env, (size_t)k->order + 1, sizeof(int64_t))};
    if (out.col_start == NULL) return STI_FAIL(k->env, STI_ERR_MEMORY, -1, "system of order %d", k->order);
    write_all(k, &out, P, A, At, cones);
    const size_t entries = (size_t)out.at;
    out.row = sti_alloc_array(k->env, entries, sizeof *out.row);
    out.value = sti_alloc_array(k->env, entries, sizeof *out.value);
    sti_status status = STI_OK;
    if (out.row == NULL || out.value == NULL)
        status = STI_FAIL(k->env, STI_ERR_MEMORY, -1, "system with %zu entries", entries);
    if (status == STI_OK) {
        write_all(k, &out, P, A, At, cones);
        status = sti_ldl_init(&k->ldl, k->env, k->order, out.col_start, out.row);
    }
    if (status == STI_OK) memcpy(k->ldl.value, out.value, entries * sizeof *out.value);
    sti_free(k->env, out.col_start);
    sti_free(k->env, out.row);
    sti_free(k->env, out.value);
    return status;
}

sti_status sti_kkt_init(sti_kkt* k, sti_env* env, const sti_matrix* P, const sti_matrix* A, const sti_matrix* At,
                        const sti_cones* cones) {
    *k = (sti_kkt){.env = env, .n = A->cols, .m = A->rows};
    sti_status status = reserve(k, cones);
    if (status == STI_OK) status = assemble(k, P, A, At, cones);
    if (status != STI_OK) sti_kkt_clear(k);
    return status;
}

void sti_kkt_clear(sti_kkt* k) {
    if (k->env == NULL) return;
    sti_ldl_clear(&k->ldl);
    sti_free(k->env, k->large);
    sti_free(k->env, k->diagonal);
    sti_free(k->env, k->block);
    sti_free(k->env, k->sign);
    sti_free(k->env, k->exact);
    sti_free(k->env, k->rhs);
    *k = (sti_kkt){0};
}

static void set_small(sti_kkt* k, int at, int dim, double eta2, const double* w) {
    for (int j = 0; j < dim; j++) {
        double* column = k->ldl.value + k->block[at + j];
        for (int i = 0; i < dim; i++) column[i] = -2 * eta2 * w[i] * w[j];
        column[j] += j == 0 ? eta2 : -eta2;
        k->exact[k->n + at + j] = column[j];
    }
}

static void set_large(sti_kkt* k, int at, int dim, int column, double eta2, const double* w) {
    double square = 0;
    for (int i = 0; i < dim; i++) square += w[i] * w[i];
    const double d = 1 / (2 * square), u0 = sqrt(square - d), u1 = 2 * w[0] / u0;
    const double v1 = sqrt((2 + 2 * d) / (square - d));
    double* v_column = k->ldl.value + k->ldl.col_start[column];
    double* u_column = k->ldl.value + k->ldl.col_start[column + 1];
    for (int i = 0; i < dim; i++) {
        double* entry = k->ldl.value + k->block[at + i];
        k->exact[k->n + at + i] = -eta2 * (i == 0 ? d : 1);
        v_column[i] = entry[1] = -eta2 * (i == 0 ? 0 : v1 * w[i]);
        u_column[i] = entry[2] = -eta2 * (i == 0 ? u0 : u1 * w[i]);
    }
    k->exact[column] = -eta2;
    k->exact[column + 1] = eta2;
}

static void set_scaling(sti_kkt* k, const sti_cones* cones) {
    for (int i = 0; i < cones->zero + cones->linear; i++)
        k->exact[k->n + i] = i < cones->zero ? 0 : -cones->w[i] * cones->w[i];
    for (int c = 0; c < cones->count; c++) {
        const int at = cones->at[c], dim = cones->dim[c];
        const double eta2 = cones->eta[c] * cones->eta[c];
        if (k->large[c] < 0)
            set_small(k, at, dim, eta2, cones->w + at);
        else
            set_large(k, at, dim, k->large[c], eta2, cones->w + at);
    }
}

static bool signs_are_right(const sti_kkt* k) {
    for (int p = 0; p < k->order; p++) {
        if (!(k->ldl.D[p] * k->sign[k->ldl.order[p]] > 0)) return false;
    }
    return true;
}

static bool factor(sti_kkt* k) {
    double delta = DELTA;
    for (int attempt = 0; attempt < REGULARIZATIONS; attempt++, delta *= 100) {
        for (int j = 0; j < k->order; j++) k->ldl.value[k->diagonal[j]] = k->exact[j] + k->sign[j] * delta;
        k->delta = delta;
        if (sti_ldl_factor(&k->ldl) < 0 && signs_are_right(k)) return true;
    }
    return false;
}

bool sti_kkt_factor(sti_kkt* k, const sti_cones* cones) {
    set_scaling(k, cones);
    return factor(k);
}

static void set_small_block(sti_kkt* k, int at, int dim, const double* g, const double* axis) {
    const double plus = g[0], minus = dim > 1 ? g[1] : plus, across = dim > 2 ? g[2] : minus;
    for (int j = 0; j < dim; j++) {
        double* column = k->ldl.value + k->block[at + j];
        const double pj = j == 0 ? 1 : axis[j];
        for (int i = 0; i < dim; i++) {
            const double pi = i == 0 ? 1 : axis[i], qq = (i == 0) == (j == 0) ? pi * pj : -pi * pj;
            column[i] = -((plus - across) * pi * pj + (minus - across) * qq) / 2 - (i == j ? across : 0);
        }
        if (dim == 1) column[0] = -plus;
        k->exact[k->n + at + j] = column[j];
    }
}

static void set_large_block(sti_kkt* k, int at, int dim, int column, const double* g, const double* axis) {
    const double across = g[2], u = sqrt(fmax(g[0] - across, 0) / 2), v = sqrt(fmax(across - g[1], 0) / 2);
    double* v_column = k->ldl.value + k->ldl.col_start[column];
    double* u_column = k->ldl.value + k->ldl.col_start[column + 1];
    for (int i = 0; i < dim; i++) {
        double* entry = k->ldl.value + k->block[at + i];
        k->exact[k->n + at + i] = -across;
        v_column[i] = entry[1] = -(i == 0 ? v : -v * axis[i]);
        u_column[i] = entry[2] = -(i == 0 ? u : u * axis[i]);
    }
    k->exact[column] = -1;
    k->exact[column + 1] = 1;
}

bool sti_kkt_factor_blocks(sti_kkt* k, const sti_cones* cones, const double* g, const double* axis) {
    for (int i = 0; i < cones->zero + cones->linear; i++) k->exact[k->n + i] = i < cones->zero ? 0 : -g[i];
    for (int c = 0; c < cones->count; c++) {
        const int at = cones->at[c], dim = cones->dim[c];
        if (k->large[c] < 0)
            set_small_block(k, at, dim, g + at, axis + at);
        else
            set_large_block(k, at, dim, k->large[c], g + at, axis + at);
    }
    return factor(k);
}

static double size_of(int n, const double* x) {
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    return size;
}

// r = b - K x without the regularization
static void residual(const sti_kkt* k, const double* b, const double* x, double* r) {
    const int* start = k->ldl.col_start;
    for (int j = 0; j < k->order; j++) {
        double sum = b[j] - k->exact[j] * x[j];
        for (int e = start[j]; e < start[j + 1]; e++) {
            if (e != k->diagonal[j]) sum -= k->ldl.value[e] * x[k->ldl.row[e]];
        }
        r[j] = sum;
    }
}

double sti_kkt_solve(sti_kkt* k, double* x, double* z) {
    const size_t n = (size_t)k->n, m = (size_t)k->m, N = (size_t)k->order;
    double *b = k->rhs, *y = b + N, *r = y + N;
    memcpy(b, x, n * sizeof *b);
    memcpy(b + n, z, m * sizeof *b);
    memset(b + n + m, 0, (N - n - m) * sizeof *b);
    memcpy(y, b, N * sizeof *b);
    sti_ldl_solve(&k->ldl, y);
    const double size = size_of(k->order, b);
    residual(k, b, y, r);
    double left = size_of(k->order, r);
    memcpy(x, y, n * sizeof *y);
    memcpy(z, y + n, m * sizeof *y);
    for (int t = 0; t < CORRECTIONS && left > ENOUGH * size; t++) {
        sti_ldl_solve(&k->ldl, r);
        for (size_t i = 0; i < N; i++) y[i] += r[i];
        residual(k, b, y, r);
        const double now = size_of(k->order, r);
        if (!(now < left)) break;
        memcpy(x, y, n * sizeof *y);
        memcpy(z, y + n, m * sizeof *y);
        const bool slow = now > 0.5 * left;
        left = now;
        if (slow) break;
    }
    return size > 0 ? left / size : 0;
}

void sti_kkt_filter(sti_kkt* k, double* x, double* z) {
    const int n = k->n, m = k->m;
    double* y = k->rhs;
    for (int j = 0; j < k->order; j++) y[j] = j < n ? k->delta * x[j] : (j < n + m ? -k->delta * z[j - n] : 0);
    sti_ldl_solve(&k->ldl, y);
    memcpy(x, y, (size_t)n * sizeof *y);
    memcpy(z, y + n, (size_t)m * sizeof *y);
}
