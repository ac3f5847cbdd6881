// program.c: where the parts of a stochastic program stand, and products with them.
#include "stochastic/program.h"

#include <math.h>

#include "stochastic/kernel.h"

enum { CHUNKS = 64, SMALL = 24 };  // unknowns of scenarios that go side by side, with those that all share

static void divide(sti_stochastic_layout* L) {
    const int count = L->blocks - 1;
    bool small = L->most_m + L->most_q + L->p->n + L->p->p <= SMALL;
    for (int i = 1; i < L->blocks; i++)
        small = small && sti_stochastic_layout_m(L, i) == L->most_m && sti_stochastic_layout_q(L, i) == L->most_q;
    L->grain = small ? STI_KERNEL_LANES : 1;
    const int grains = (count - 1) / L->grain + 1;
    L->chunks = count < 1 ? 0 : grains < CHUNKS ? grains : CHUNKS;
}

sti_status sti_stochastic_layout_create(sti_env* env, const sti_stochastic* p, const sti_stochastic_team* team,
                                        sti_stochastic_layout* out) {
    const size_t count = (size_t)p->scenario_count + 2;
    *out = (sti_stochastic_layout){.p = p, .blocks = p->scenario_count + 1, .team = team};
    out->var = sti_alloc_array_zero(env, count, sizeof *out->var);
    out->row = sti_alloc_array_zero(env, count, sizeof *out->row);
    if (out->var == NULL || out->row == NULL) {
        sti_stochastic_layout_clear(env, out);
        return STI_ERR_MEMORY;
    }
    out->var[1] = (size_t)p->n;
    out->row[1] = (size_t)p->p;
    for (int i = 1; i < out->blocks; i++) {
        const sti_scenario* s = &p->scenarios[i - 1];
        out->var[i + 1] = out->var[i] + (size_t)s->m;
        out->row[i + 1] = out->row[i] + (size_t)s->q;
        if (s->m > out->most_m) out->most_m = s->m;
        if (s->q > out->most_q) out->most_q = s->q;
    }
    divide(out);
    return STI_OK;
}

void sti_stochastic_layout_clear(sti_env* env, sti_stochastic_layout* L) {
    sti_free(env, L->var);
    sti_free(env, L->row);
    *L = (sti_stochastic_layout){0};
}

void sti_stochastic_layout_sum(const sti_stochastic_layout* L, double* x, size_t count) {
    if (L->team != NULL && count > 0) L->team->sum(L->team->user, x, count);
}

void sti_stochastic_layout_most(const sti_stochastic_layout* L, double* x, size_t count) {
    if (L->team != NULL && count > 0) L->team->most(L->team->user, x, count);
}

sti_status sti_stochastic_layout_agree(sti_env* env, const sti_stochastic_layout* L, sti_status status) {
    double worst = status;
    sti_stochastic_layout_most(L, &worst, 1);
    if (status != STI_OK || !(worst > 0)) return status;
    return STI_FAIL(env, (sti_status)worst, -1, "another rank could not go on");
}

static double side(const double* x, int j, double missing) {
    if (x == NULL) return missing;
    return fabs(x[j]) >= 1e20 ? copysign(INFINITY, x[j]) : x[j];
}

void sti_stochastic_layout_bounds(const sti_stochastic_layout* L, int i, double* low, double* high) {
    const double* lb = i == 0 ? L->p->lb : L->p->scenarios[i - 1].lb;
    const double* ub = i == 0 ? L->p->ub : L->p->scenarios[i - 1].ub;
    for (int j = 0; j < sti_stochastic_layout_m(L, i); j++) {
        low[j] = side(lb, j, 0);
        high[j] = side(ub, j, INFINITY);
    }
}

void sti_stochastic_layout_sides(const sti_stochastic_layout* L, int i, double* low, double* high) {
    const double* l = i == 0 ? L->p->bl : L->p->scenarios[i - 1].dl;
    const double* u = i == 0 ? L->p->bu : L->p->scenarios[i - 1].du;
    for (int j = 0; j < sti_stochastic_layout_q(L, i); j++) {
        low[j] = side(l, j, 0);
        high[j] = side(u, j, 0);
    }
}

void sti_block_multiply(const sti_matrix* A, double f, const double* x, double* y) {
    const int rows = A->rows, cols = A->cols;
    if (rows == 0) return;
    if (A->dense != NULL) {
        sti_tiles_multiply(rows, cols, A->dense, f, x, y);
        return;
    }
    for (int j = 0; j < cols && A->col_start != NULL; j++) {
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) y[A->row[k]] += f * (A->value[k] * x[j]);
    }
}

void sti_block_multiply_transposed(const sti_matrix* A, double f, const double* y, double* x) {
    const int rows = A->rows, cols = A->cols;
    if (rows == 0) return;
    if (A->dense != NULL) {
        sti_tiles_multiply_transposed(rows, cols, A->dense, f, y, x);
        return;
    }
    for (int j = 0; j < cols && A->col_start != NULL; j++) {
        double sum = 0;
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) sum += A->value[k] * y[A->row[k]];
        x[j] += f * sum;
    }
}
