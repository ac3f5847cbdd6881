// exact_lcp.c: a posed (mixed) LCP as integers; complementary bases solved without rounding.
#include "solvers/exact_lcp.h"

#include <math.h>
#include <string.h>

sti_mlcp sti_mlcp_from_lcp(const sti_lcp* lcp) {
    return (sti_mlcp){.n = 0,
                      .m = lcp->n,
                      .A = {0},
                      .C = {.cols = lcp->n},
                      .D = {.rows = lcp->n},
                      .B = lcp->M,
                      .b = lcp->q,
                      .matrix_exact = lcp->M_exact,
                      .vector_exact = lcp->q_exact};
}

static bool all_integers(const double* value, size_t count) {
    for (size_t k = 0; k < count; k++) {
        if (value[k] != rint(value[k]) || fabs(value[k]) > 0x1p40) return false;
    }
    return true;
}

static bool matrix_integers(const sti_matrix* A) {
    if (A->dense != NULL) return all_integers(A->dense, (size_t)A->rows * (size_t)A->cols);
    return A->col_start == NULL || all_integers(A->value, (size_t)A->col_start[A->cols]);
}

bool sti_mlcp_data_exact(const sti_mlcp* p) {
    if (p->matrix_exact != NULL) return true;
    return matrix_integers(&p->A) && matrix_integers(&p->B) && matrix_integers(&p->C) && matrix_integers(&p->D) &&
           all_integers(p->a, (size_t)p->n) && all_integers(p->b, (size_t)p->m);
}

// Row `i` of the exact data [A C; D B | a; b], equations first, as constant, z, u.
static sti_status exact_row(const sti_mlcp* p, int i, sti_rationals* row) {
    const size_t n = (size_t)p->n, m = (size_t)p->m, first = (size_t)i * (n + m);
    sti_status status = sti_rationals_copy(row, 0, p->vector_exact, (size_t)i);
    for (size_t j = 0; j < m && status == STI_OK; j++)
        status = sti_rationals_copy(row, 1 + j, p->matrix_exact, first + n + j);
    for (size_t j = 0; j < n && status == STI_OK; j++)
        status = sti_rationals_copy(row, 1 + m + j, p->matrix_exact, first + j);
    return status;
}

static sti_status fill_rows(const sti_mlcp* p, sti_exact_lcp* e) {
    sti_env* env = e->x.env;
    const int n = p->n, m = p->m, width = n + m + 1;
    double* value = sti_alloc_array(env, (size_t)width, sizeof *value);
    sti_rationals* exact = NULL;
    sti_status status = value != NULL ? STI_OK : STI_ERR_MEMORY;
    if (status == STI_OK && p->matrix_exact != NULL) status = sti_rationals_create(env, (size_t)width, &exact);
    for (int r = 0; r < n + m && status == STI_OK; r++) {
        sti_int* out = e->row + (size_t)r * (size_t)width;
        const bool is_pair = r < m;  // rows of w first
        const int k = is_pair ? r : r - m;
        if (exact != NULL) {
            status = exact_row(p, is_pair ? n + k : k, exact);
            if (status == STI_OK)
                sti_int_row_from_rationals(&e->x, out, exact, 0, (size_t)width, &e->scale_num[r], &e->scale_den[r]);
        } else {
            const sti_matrix *Z = is_pair ? &p->B : &p->C, *U = is_pair ? &p->D : &p->A;
            value[0] = is_pair ? p->b[k] : p->a[k];
            for (int j = 0; j < m; j++) value[1 + j] = sti_matrix_get(Z, k, j);
            for (int j = 0; j < n; j++) value[1 + m + j] = sti_matrix_get(U, k, j);
            sti_int_row_from_doubles(&e->x, out, value, (size_t)width, 1, &e->scale_num[r], &e->scale_den[r]);
        }
        if (status == STI_OK) status = e->x.status;
    }
    sti_rationals_destroy(exact);
    sti_free(env, value);
    return status;
}

sti_status sti_exact_lcp_create(sti_env* env, const sti_mlcp* p, sti_exact_lcp** out) {
    *out = NULL;
    sti_exact_lcp* e = sti_alloc_array_zero(env, 1, sizeof *e);
    if (e == NULL) return STI_ERR_MEMORY;
    sti_exact_init(&e->x, env);
    e->free_count = p->n;
    e->n = p->m;
    const size_t rows = (size_t)p->n + (size_t)p->m;
    e->row = sti_int_array(&e->x, rows * (rows + 1));
    e->scale_num = sti_int_array(&e->x, rows);
    e->scale_den = sti_int_array(&e->x, rows);
    sti_status status = e->x.status;
    if (status == STI_OK) status = fill_rows(p, e);
    if (status == STI_OK)
        *out = e;
    else
        sti_exact_lcp_destroy(e);
    return status;
}

void sti_exact_lcp_destroy(sti_exact_lcp* e) {
    if (e == NULL) return;
    sti_env* env = e->x.env;
    const size_t rows = (size_t)e->free_count + (size_t)e->n;
    sti_int_array_free(env, e->row, rows * (rows + 1));
    sti_int_array_free(env, e->scale_num, rows);
    sti_int_array_free(env, e->scale_den, rows);
    sti_exact_clear(&e->x);
    sti_free(env, e);
}

sti_status sti_exact_lcp_dictionary(sti_exact_lcp* e, sti_dictionary** out) {
    const int rows = e->n + e->free_count;
    sti_status status = sti_dictionary_create(&e->x, rows, rows, out);
    if (status != STI_OK) return status;
    sti_dictionary* D = *out;
    for (size_t k = 0; k < (size_t)rows * ((size_t)rows + 1); k++) sti_int_set(&e->x, &D->T[k], &e->row[k]);
    for (int k = 0; k < e->free_count; k++) {
        D->kind[e->n + k] = STI_VAR_FREE;
        D->kind[rows + e->n + k] = STI_VAR_ZERO;
    }
    if (e->x.status != STI_OK) {
        sti_dictionary_destroy(D);
        *out = NULL;
    }
    return e->x.status;
}

// (z, u) of the vertex that a dictionary shows.
static sti_status read_solution(sti_exact_lcp* e, const sti_dictionary* D, sti_rationals** out) {
    const int count = e->n + e->free_count;
    sti_status status = sti_rationals_create(e->x.env, (size_t)count, out);
    for (int i = 0; i < D->rows && status == STI_OK; i++) {
        if (D->basic[i] < count)
            status = sti_rationals_set_ratio(*out, (size_t)D->basic[i], sti_dictionary_at(D, i, 0), &D->d);
    }
    if (status != STI_OK) {
        sti_rationals_destroy(*out);
        *out = NULL;
    }
    return status;
}

sti_status sti_exact_lcp_solve_basis(sti_exact_lcp* e, const unsigned char* alpha, sti_exact_basis* out) {
    *out = (sti_exact_basis){0};
    sti_dictionary* D;
    sti_status status = sti_exact_lcp_dictionary(e, &D);
    if (status != STI_OK) return status;
    for (int i = 0; i < e->n; i++) D->kind[alpha[i] ? D->cols + i : i] = STI_VAR_ZERO;
    out->feasible = sti_dictionary_feasible(D);
    out->nonsingular = out->feasible;
    for (int i = 0; i < D->rows; i++) {
        if (D->kind[D->basic[i]] == STI_VAR_ZERO) out->nonsingular = false;  // a row that C_M(alpha) cannot reach
    }
    status = e->x.status;
    if (status == STI_OK && out->feasible) status = read_solution(e, D, &out->solution);
    sti_dictionary_destroy(D);
    return status;
}

void sti_exact_basis_clear(sti_exact_basis* basis) {
    sti_rationals_destroy(basis->solution);
    *basis = (sti_exact_basis){0};
}

void sti_certificate_clear(sti_env* env, sti_certificate* c) {
    sti_free(env, c->fixed);
    sti_free(env, c->y);
    sti_rationals_destroy(c->y_exact);
    *c = (sti_certificate){0};
}
