// equilibrate.c: u = C u', rows R A C u', with C and R such that the largest entry of every row and column of
// [Q A'; A 0] is near 1 (Ruiz 2001): their square roots are divided out a few times over. Powers of 2, so that nothing
// is rounded. The variables of a scenario and its rows have their own, x and the expectation rows one over all
// scenarios.
#include "stochastic/equilibrate.h"

#include <math.h>
#include <string.h>

enum { PASSES = 8, MOST = 300 };  // MOST: a power of 2

void sti_equilibrated_clear(sti_env* env, sti_equilibrated* s) {
    sti_free(env, s->scenarios);
    sti_free(env, s->by_var);
    sti_free(env, s->by_row);
    sti_free(env, s->block);
    *s = (sti_equilibrated){0};
}

// ---- units

typedef struct norms {
    const sti_stochastic_layout* L;
    double *by_var, *by_row;  // units so far
    double *var, *row;        // the largest entries in them
} norms;

static double larger(double a, double b) {
    return b > a ? b : a;
}

// Entries of A, whose rows and columns have these units: the largest of each.
static void note(const sti_matrix* A, const double* by_row, const double* by_col, double* row, double* col) {
    for (int j = 0; A->rows > 0 && j < A->cols; j++) {
        const int64_t begin = A->dense != NULL ? 0 : A->col_start != NULL ? A->col_start[j] : 0;
        const int64_t end = A->dense != NULL ? A->rows : A->col_start != NULL ? A->col_start[j + 1] : 0;
        for (int64_t k = begin; k < end; k++) {
            const int i = A->dense != NULL ? (int)k : A->row[k];
            const double entry = A->dense != NULL ? A->dense[(size_t)i * (size_t)A->cols + (size_t)j] : A->value[k];
            const double size = fabs(entry) * by_row[i] * by_col[j];
            row[i] = larger(row[i], size);
            col[j] = larger(col[j], size);
        }
    }
}

static void note_all(const norms* k) {
    const sti_stochastic_layout* L = k->L;
    memset(k->var, 0, L->var[L->blocks] * sizeof *k->var);
    memset(k->row, 0, L->row[L->blocks] * sizeof *k->row);
    for (int i = 0; i < L->blocks; i++) {
        const size_t v = L->var[i], r = L->row[i];
        note(sti_stochastic_layout_Q(L, i), k->by_var + v, k->by_var + v, k->var + v, k->var + v);
        note(sti_stochastic_layout_A(L, i), k->by_row + r, k->by_var + v, k->row + r, k->var + v);
        if (i == 0) continue;
        note(&L->p->scenarios[i - 1].T, k->by_row, k->by_var + v, k->row, k->var + v);
        if (sti_stochastic_layout_q(L, i) > 0)
            note(sti_stochastic_layout_W0(L, i), k->by_row + r, k->by_var, k->row + r, k->var);
    }
    sti_stochastic_layout_most(L, k->var, (size_t)L->p->n);
    sti_stochastic_layout_most(L, k->row, (size_t)L->p->p);
}

static void divide(double* units, const double* largest, size_t count) {
    for (size_t j = 0; j < count; j++) {
        if (largest[j] > 0 && isfinite(largest[j])) units[j] /= sqrt(largest[j]);
    }
}

static void round_units(double* units, size_t count) {
    for (size_t j = 0; j < count; j++) units[j] = ldexp(1, (int)fmin(fmax(nearbyint(log2(units[j])), -MOST), MOST));
}

static sti_status find_units(sti_env* env, const sti_stochastic_layout* L, sti_equilibrated* s) {
    const size_t nv = L->var[L->blocks], nr = L->row[L->blocks];
    norms k = {.L = L, .by_var = s->by_var, .by_row = s->by_row};
    k.var = sti_alloc_array_zero(env, nv, sizeof *k.var);
    k.row = sti_alloc_array_zero(env, nr, sizeof *k.row);
    sti_status status = STI_OK;
    if (k.var == NULL || k.row == NULL) status = STI_ERR_MEMORY;
    status = sti_stochastic_layout_agree(env, L, status);
    for (size_t j = 0; j < nv; j++) s->by_var[j] = 1;
    for (size_t j = 0; j < nr; j++) s->by_row[j] = 1;
    for (int pass = 0; status == STI_OK && pass < PASSES; pass++) {
        note_all(&k);
        divide(s->by_var, k.var, nv);
        divide(s->by_row, k.row, nr);
    }
    round_units(s->by_var, nv);
    round_units(s->by_row, nr);
    sti_free(env, k.var);
    sti_free(env, k.row);
    return status;
}

// ---- the program in them

static size_t entry_count(const sti_matrix* A) {
    if (A->rows == 0) return 0;
    if (A->dense != NULL) return (size_t)A->rows * (size_t)A->cols;
    return A->col_start != NULL ? (size_t)A->col_start[A->cols] : 0;
}

static size_t number_count(const sti_stochastic_layout* L, int i) {
    const size_t m = (size_t)sti_stochastic_layout_m(L, i), q = (size_t)sti_stochastic_layout_q(L, i);
    size_t count =
        3 * m + 2 * q + entry_count(sti_stochastic_layout_Q(L, i)) + entry_count(sti_stochastic_layout_A(L, i));
    if (i > 0) count += entry_count(&L->p->scenarios[i - 1].T) + entry_count(sti_stochastic_layout_W0(L, i));
    return count;
}

// A in other units; its pattern is shared.
static sti_matrix scaled(const sti_matrix* A, const double* by_row, const double* by_col, double** room) {
    sti_matrix B = *A;
    double* to = *room;
    *room += entry_count(A);
    if (A->rows == 0) return (sti_matrix){0};
    if (A->dense != NULL) {
        for (int i = 0; i < A->rows; i++) {
            for (int j = 0; j < A->cols; j++) {
                const size_t at = (size_t)i * (size_t)A->cols + (size_t)j;
                to[at] = A->dense[at] * by_row[i] * by_col[j];
            }
        }
        B.dense = to;
        return B;
    }
    for (int j = 0; A->col_start != NULL && j < A->cols; j++) {
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++)
            to[k] = A->value[k] * by_row[A->row[k]] * by_col[j];
    }
    B.value = to;
    return B;
}

typedef struct vectors {
    double *c, *lb, *ub, *low, *high;
} vectors;

static vectors scaled_vectors(const sti_stochastic_layout* L, const sti_equilibrated* s, int i, double** room) {
    const size_t m = (size_t)sti_stochastic_layout_m(L, i), q = (size_t)sti_stochastic_layout_q(L, i);
    const double *by_var = s->by_var + L->var[i], *by_row = s->by_row + L->row[i], *c = sti_stochastic_layout_c(L, i);
    double* at = *room;
    const vectors v = {at, at + m, at + 2 * m, at + 3 * m, at + 3 * m + q};
    *room += 3 * m + 2 * q;
    sti_stochastic_layout_bounds(L, i, v.lb, v.ub);
    sti_stochastic_layout_sides(L, i, v.low, v.high);
    for (size_t j = 0; j < m; j++) {
        v.c[j] = c != NULL ? c[j] * by_var[j] : 0;
        v.lb[j] /= by_var[j];
        v.ub[j] /= by_var[j];
    }
    for (size_t j = 0; j < q; j++) {
        v.low[j] *= by_row[j];
        v.high[j] *= by_row[j];
    }
    return v;
}

static void fill(const sti_stochastic_layout* L, sti_equilibrated* s) {
    const sti_stochastic* P = L->p;
    double* room = s->block;
    for (int i = 0; i < L->blocks; i++) {
        const double *by_var = s->by_var + L->var[i], *by_row = s->by_row + L->row[i];
        const vectors v = scaled_vectors(L, s, i, &room);
        const sti_matrix Q = scaled(sti_stochastic_layout_Q(L, i), by_var, by_var, &room);
        const sti_matrix A = scaled(sti_stochastic_layout_A(L, i), by_row, by_var, &room);
        if (i == 0) {
            s->program = (sti_stochastic){.n = P->n,
                                          .p = P->p,
                                          .Q0 = Q,
                                          .T0 = A,
                                          .c0 = v.c,
                                          .bl = v.low,
                                          .bu = v.high,
                                          .lb = v.lb,
                                          .ub = v.ub,
                                          .scenario_count = P->scenario_count,
                                          .scenarios = s->scenarios};
            continue;
        }
        const sti_scenario* from = &P->scenarios[i - 1];
        s->scenarios[i - 1] = (sti_scenario){.probability = from->probability,
                                             .m = from->m,
                                             .q = from->q,
                                             .Q = Q,
                                             .T = scaled(&from->T, s->by_row, by_var, &room),
                                             .W = A,
                                             .W0 = scaled(sti_stochastic_layout_W0(L, i), by_row, s->by_var, &room),
                                             .c = v.c,
                                             .dl = v.low,
                                             .du = v.high,
                                             .lb = v.lb,
                                             .ub = v.ub};
    }
}

sti_status sti_equilibrate(sti_env* env, const sti_stochastic_layout* L, sti_equilibrated* out) {
    const size_t nv = L->var[L->blocks], nr = L->row[L->blocks];
    size_t numbers = 0;
    for (int i = 0; i < L->blocks; i++) numbers = sti_size_add(numbers, number_count(L, i));
    *out = (sti_equilibrated){0};
    out->scenarios = sti_alloc_array_zero(env, (size_t)L->blocks, sizeof *out->scenarios);
    out->by_var = sti_alloc_array(env, nv, sizeof *out->by_var);
    out->by_row = sti_alloc_array(env, nr, sizeof *out->by_row);
    out->block = sti_alloc_array(env, numbers, sizeof *out->block);
    sti_status status = STI_OK;
    if (out->scenarios == NULL || out->by_var == NULL || out->by_row == NULL || out->block == NULL)
        status = STI_ERR_MEMORY;
    status = sti_stochastic_layout_agree(env, L, status);
    if (status == STI_OK) status = find_units(env, L, out);
    if (status == STI_OK) fill(L, out);
    if (status != STI_OK) sti_equilibrated_clear(env, out);
    return status;
}

void sti_equilibrated_restore(const sti_stochastic_layout* L, const sti_equilibrated* s, sti_stochastic_answer* a) {
    const size_t n = (size_t)L->p->n, p = (size_t)L->p->p;
    for (size_t j = 0; j < n; j++) a->x[j] *= s->by_var[j];
    for (size_t j = 0; j < a->y_count; j++) a->y[j] *= s->by_var[n + j];
    for (size_t j = 0; j < p; j++) a->pi[j] *= s->by_row[j];
    for (size_t j = 0; j < a->l_count; j++) a->l[j] *= s->by_row[p + j];
}
