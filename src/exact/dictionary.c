// dictionary.c: exact dictionaries: pivot, feasibility, minimization, Farkas vectors.
//
// A pivot on entry p = T_rc exchanges x_r and x_c:
//
//     T_ij := (T_ij p - T_ic T_rj) / d      i != r, j != c       (the division is exact: entries are minors)
//     T_rj := -T_rj,   T_rc := d,   T_ic unchanged,   d := p     and all signs turned when p < 0
//
// Edmonds 1967, Bareiss 1968. Feasibility has no objective, so every dictionary is dual feasible and the dual
// simplex method with the least-index rule (Bland 1977) ends: at a vertex, or at a row that cannot hold.
#include "exact/dictionary.h"

#include <string.h>

sti_status sti_dictionary_create(sti_exact* x, int rows, int cols, sti_dictionary** out) {
    *out = NULL;
    sti_env* env = x->env;
    sti_dictionary* D = sti_alloc_array_zero(env, 1, sizeof *D);
    if (D == NULL) return STI_ERR_MEMORY;
    D->x = x;
    D->rows = rows;
    D->cols = cols;
    D->infeasible_row = -1;
    D->memory = sti_arena_make(env);
    D->basic = sti_arena_raw(&D->memory, (size_t)rows, sizeof *D->basic);
    D->nonbasic = sti_arena_raw(&D->memory, (size_t)cols, sizeof *D->nonbasic);
    D->kind = sti_arena_take(&D->memory, (size_t)rows + (size_t)cols, 1);
    D->T = sti_int_array(x, (size_t)rows * ((size_t)cols + 1));
    if (D->T != NULL) sti_int_set_i64(x, &D->d, 1);
    if (D->memory.status != STI_OK || D->T == NULL || x->status != STI_OK) {
        sti_dictionary_destroy(D);
        return STI_ERR_MEMORY;
    }
    for (int i = 0; i < rows; i++) D->basic[i] = cols + i;
    for (int j = 0; j < cols; j++) D->nonbasic[j] = j;
    *out = D;
    return STI_OK;
}

void sti_dictionary_destroy(sti_dictionary* D) {
    if (D == NULL) return;
    sti_env* env = D->x->env;
    sti_int_array_free(env, D->T, D->T != NULL ? (size_t)D->rows * ((size_t)D->cols + 1) : 0);
    sti_int_clear(env, &D->d);
    sti_arena_clear(&D->memory);
    sti_free(env, D);
}

void sti_dictionary_copy(sti_dictionary* to, const sti_dictionary* from) {
    STI_ASSERT(to->rows == from->rows && to->cols == from->cols);
    const size_t rows = (size_t)from->rows, cols = (size_t)from->cols;
    for (size_t k = 0; k < rows * (cols + 1); k++) sti_int_set(to->x, &to->T[k], &from->T[k]);
    sti_int_set(to->x, &to->d, &from->d);
    memcpy(to->basic, from->basic, rows * sizeof *to->basic);
    memcpy(to->nonbasic, from->nonbasic, cols * sizeof *to->nonbasic);
    memcpy(to->kind, from->kind, rows + cols);
    to->infeasible_row = from->infeasible_row;
    to->pivots = from->pivots;
}

void sti_dictionary_pivot(sti_dictionary* D, int r, int c) {
    sti_exact* x = D->x;
    if (sti_exact_late(x) || x->status != STI_OK) return;
    const int width = D->cols + 1, pc = c + 1;
    sti_int* Tr = sti_dictionary_at(D, r, 0);
    sti_int* p = &Tr[pc];
    STI_ASSERT(p->size != 0);
    const bool negative = p->size < 0;

    for (int i = 0; i < D->rows; i++) {
        if (i == r) continue;
        sti_int* Ti = sti_dictionary_at(D, i, 0);
        for (int j = 0; j < width; j++) {
            if (j != pc) sti_int_pivot(x, &Ti[j], p, &Ti[pc], &Tr[j], &D->d);
        }
        if (negative) {
            for (int j = 0; j < width; j++) sti_int_neg(&Ti[j]);
        }
    }
    // row r: -T_rj over p, so T_rj over |p| when p is negative; the entry of x_r is d, its sign that of p
    for (int j = 0; j < width; j++) {
        if (j != pc && !negative) sti_int_neg(&Tr[j]);
    }
    sti_int_swap(p, &D->d);
    if (negative) {
        sti_int_neg(p);
        sti_int_neg(&D->d);
    }
    const int t = D->basic[r];
    D->basic[r] = D->nonbasic[c];
    D->nonbasic[c] = t;
    D->pivots++;
}

int sti_dictionary_row_of(const sti_dictionary* D, int variable) {
    for (int i = 0; i < D->rows; i++) {
        if (D->basic[i] == variable) return i;
    }
    return -1;
}

static inline sti_var_kind basic_kind(const sti_dictionary* D, int i) {
    return (sti_var_kind)D->kind[D->basic[i]];
}

static inline sti_var_kind nonbasic_kind(const sti_dictionary* D, int j) {
    return (sti_var_kind)D->kind[D->nonbasic[j]];
}

// Free variables belong in the basis, where they restrict nothing. One that no restricted row depends on is
// arbitrary: hold it at zero.
static void enter_free_variables(sti_dictionary* D) {
    for (int j = 0; j < D->cols; j++) {
        if (nonbasic_kind(D, j) != STI_VAR_FREE) continue;
        int row = -1;
        for (int i = 0; i < D->rows; i++) {
            if (basic_kind(D, i) == STI_VAR_FREE || sti_int_sign(sti_dictionary_at(D, i, j + 1)) == 0) continue;
            if (row < 0 || (basic_kind(D, row) != STI_VAR_ZERO && basic_kind(D, i) == STI_VAR_ZERO)) row = i;
        }
        if (row >= 0)
            sti_dictionary_pivot(D, row, j);
        else
            D->kind[D->nonbasic[j]] = STI_VAR_ZERO;
    }
}

// Variables held at zero leave the basis. False: one is a constant other than zero.
static bool drop_held_variables(sti_dictionary* D) {
    for (int i = 0; i < D->rows; i++) {
        if (basic_kind(D, i) != STI_VAR_ZERO) continue;
        int col = -1;
        for (int j = 0; j < D->cols; j++) {
            if (nonbasic_kind(D, j) == STI_VAR_ZERO || sti_int_sign(sti_dictionary_at(D, i, j + 1)) == 0) continue;
            if (col < 0 || D->nonbasic[j] < D->nonbasic[col]) col = j;
        }
        if (col >= 0) {
            sti_dictionary_pivot(D, i, col);
        } else if (sti_int_sign(sti_dictionary_at(D, i, 0)) != 0) {
            D->infeasible_row = i;
            return false;
        }
        if (D->x->status != STI_OK) return false;
    }
    return true;
}

bool sti_dictionary_feasible(sti_dictionary* D) {
    D->infeasible_row = -1;
    enter_free_variables(D);
    if (!drop_held_variables(D)) return false;
    while (D->x->status == STI_OK) {
        int row = -1;
        for (int i = 0; i < D->rows; i++) {
            if (basic_kind(D, i) != STI_VAR_NONNEGATIVE || sti_int_sign(sti_dictionary_at(D, i, 0)) >= 0) continue;
            if (row < 0 || D->basic[i] < D->basic[row]) row = i;
        }
        if (row < 0) return true;
        int col = -1;
        for (int j = 0; j < D->cols; j++) {
            if (nonbasic_kind(D, j) != STI_VAR_NONNEGATIVE || sti_int_sign(sti_dictionary_at(D, row, j + 1)) <= 0)
                continue;
            if (col < 0 || D->nonbasic[j] < D->nonbasic[col]) col = j;
        }
        if (col < 0) {
            D->infeasible_row = row;
            return false;
        }
        sti_dictionary_pivot(D, row, col);
    }
    return false;
}

// Is the ratio of row i smaller than that of row k, for the entering column c? Both entries are negative.
static bool ratio_less(sti_dictionary* D, int i, int k, int c) {
    sti_exact* x = D->x;
    sti_int_mul(x, &x->tmp[1], sti_dictionary_at(D, i, 0), sti_dictionary_at(D, k, c + 1));
    sti_int_mul(x, &x->tmp[2], sti_dictionary_at(D, k, 0), sti_dictionary_at(D, i, c + 1));
    const int order = sti_int_cmp(&x->tmp[1], &x->tmp[2]);  // products of a value >= 0 with an entry < 0
    return order > 0 || (order == 0 && D->basic[i] < D->basic[k]);
}

bool sti_dictionary_minimize(sti_dictionary* D, int objective, int* column) {
    *column = -1;
    const int o = sti_dictionary_row_of(D, objective);
    STI_ASSERT(o >= 0 && D->kind[objective] == STI_VAR_FREE);
    while (D->x->status == STI_OK) {
        int col = -1;
        for (int j = 0; j < D->cols; j++) {
            if (nonbasic_kind(D, j) != STI_VAR_NONNEGATIVE || sti_int_sign(sti_dictionary_at(D, o, j + 1)) >= 0)
                continue;
            if (col < 0 || D->nonbasic[j] < D->nonbasic[col]) col = j;
        }
        if (col < 0) return true;
        int row = -1;
        for (int i = 0; i < D->rows; i++) {
            if (basic_kind(D, i) != STI_VAR_NONNEGATIVE || sti_int_sign(sti_dictionary_at(D, i, col + 1)) >= 0)
                continue;
            if (row < 0 || ratio_less(D, i, row, col)) row = i;
        }
        if (row < 0) {
            *column = col;
            return false;
        }
        sti_dictionary_pivot(D, row, col);
    }
    return false;
}

void sti_dictionary_farkas(sti_dictionary* D, sti_int* y) {
    sti_exact* x = D->x;
    const int r = D->infeasible_row;
    STI_ASSERT(r >= 0);
    for (int i = 0; i < D->rows; i++) sti_int_set_i64(x, &y[i], 0);
    // d x_r - sum_j T_rj x_j = T_r0: the coefficients of the first basic variables are the multipliers
    if (D->basic[r] >= D->cols) sti_int_set(x, &y[D->basic[r] - D->cols], &D->d);
    for (int j = 0; j < D->cols; j++) {
        if (D->nonbasic[j] < D->cols) continue;
        sti_int* yj = &y[D->nonbasic[j] - D->cols];
        sti_int_set(x, yj, sti_dictionary_at(D, r, j + 1));
        sti_int_neg(yj);
    }
    if (sti_int_sign(sti_dictionary_at(D, r, 0)) > 0) {  // a held variable with a positive constant
        for (int i = 0; i < D->rows; i++) sti_int_neg(&y[i]);
    }
    sti_int_make_primitive(x, y, (size_t)D->rows);
}
