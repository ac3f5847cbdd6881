// derived.c: certificates are solutions of programs of the same form: nothing but other blocks.
#include "stochastic/derived.h"

#include <math.h>

void sti_derived_clear(sti_env* env, sti_derived* d) {
    sti_free(env, d->scenarios);
    sti_free(env, d->block);
    *d = (sti_derived){0};
}

static sti_status reserve(sti_env* env, const sti_stochastic_layout* L, size_t numbers, sti_derived* out) {
    *out = (sti_derived){0};
    out->scenarios = sti_alloc_array_zero(env, (size_t)L->blocks, sizeof *out->scenarios);
    out->block = sti_alloc_array_zero(env, numbers, sizeof *out->block);
    if (out->scenarios != NULL && out->block != NULL) return STI_OK;
    sti_derived_clear(env, out);
    return STI_ERR_MEMORY;
}

// A block of rows x cols numbers, all 0, from the room.
static sti_matrix take(double** room, int rows, int cols) {
    const sti_matrix A = sti_matrix_dense_view(rows, cols, *room);
    *room += (size_t)rows * (size_t)cols;
    return A;
}

// A into the entries of M from a row on.
static void place(sti_matrix* M, int row, const sti_matrix* A) {
    for (int i = 0; i < A->rows; i++) {
        for (int j = 0; j < A->cols; j++)
            M->dense[(size_t)(row + i) * (size_t)M->cols + (size_t)j] = sti_matrix_get(A, i, j);
    }
}

// Two more variables for each row from `first` on: what is added to it and what is taken away.
static void place_changes(sti_matrix* M, int first) {
    for (int i = 0; i < M->rows; i++) {
        double* row = M->dense + (size_t)i * (size_t)M->cols;
        row[first + 2 * i] = 1;
        row[first + 2 * i + 1] = -1;
    }
}

// ---- elastic rows

static size_t elastic_size(size_t m, size_t q, size_t p) {
    const size_t wide = m + 2 * q;
    return sti_size_mul(q + p + 3, wide) + 2 * q;
}

static void elastic_costs(int from, int to, double* c, double* low, double* high) {
    for (int j = from; j < to; j++) {
        c[j] = 1;
        low[j] = 0;
        high[j] = INFINITY;
    }
}

sti_status sti_derived_elastic(sti_env* env, const sti_stochastic_layout* L, sti_derived* out) {
    const sti_stochastic* P = L->p;
    const int n = P->n, p = P->p, wide = n + 2 * p;
    size_t numbers = elastic_size((size_t)n, (size_t)p, 0);
    for (int i = 1; i < L->blocks; i++) {
        numbers = sti_size_add(numbers,
                               elastic_size((size_t)P->scenarios[i - 1].m, (size_t)P->scenarios[i - 1].q, (size_t)p));
        numbers = sti_size_add(numbers, sti_size_mul((size_t)P->scenarios[i - 1].q, (size_t)wide));
    }
    const sti_status status = reserve(env, L, numbers, out);
    if (status != STI_OK) return status;
    double* room = out->block;
    out->program =
        (sti_stochastic){.n = wide, .p = p, .scenario_count = P->scenario_count, .scenarios = out->scenarios};
    sti_matrix T0 = take(&room, p, wide);
    double *c = take(&room, 3, wide).dense, *low = c + wide, *high = low + wide, *sides = take(&room, 2, p).dense;
    place(&T0, 0, &P->T0);
    place_changes(&T0, n);
    sti_stochastic_layout_bounds(L, 0, low, high);
    sti_stochastic_layout_sides(L, 0, sides, sides + p);
    elastic_costs(n, wide, c, low, high);
    out->program.T0 = T0;
    out->program.c0 = c, out->program.lb = low, out->program.ub = high;
    out->program.bl = sides, out->program.bu = sides + p;
    for (int i = 1; i < L->blocks; i++) {
        const sti_scenario* s = &P->scenarios[i - 1];
        const int m = s->m + 2 * s->q;
        sti_matrix W = take(&room, s->q, m), T = take(&room, p, m), W0 = take(&room, s->q, wide);
        c = take(&room, 3, m).dense, low = c + m, high = low + m, sides = take(&room, 2, s->q).dense;
        place(&W, 0, &s->W);
        place_changes(&W, s->m);
        place(&T, 0, &s->T);
        place(&W0, 0, sti_stochastic_layout_W0(L, i));
        sti_stochastic_layout_bounds(L, i, low, high);
        sti_stochastic_layout_sides(L, i, sides, sides + s->q);
        elastic_costs(s->m, m, c, low, high);
        out->scenarios[i - 1] = (sti_scenario){.probability = s->probability,
                                               .m = m,
                                               .q = s->q,
                                               .T = T,
                                               .W = W,
                                               .W0 = W0,
                                               .c = c,
                                               .dl = sides,
                                               .du = sides + s->q,
                                               .lb = low,
                                               .ub = high};
    }
    return STI_OK;
}

// ---- a ray

// Sides of a direction: 0 where the program has one, in the box elsewhere.
static void ray_sides(double* low, double* high, int count, double most) {
    for (int j = 0; j < count; j++) {
        low[j] = isfinite(low[j]) ? 0 : -most;
        high[j] = isfinite(high[j]) ? 0 : most;
    }
}

sti_status sti_derived_ray(sti_env* env, const sti_stochastic_layout* L, sti_derived* out) {
    const sti_stochastic* P = L->p;
    const int n = P->n, p = P->p;
    const size_t first = (size_t)n, tall = (size_t)p + first;
    size_t numbers = sti_size_mul(tall + 2, first) + 2 * tall;
    for (int i = 1; i < L->blocks; i++) {
        const size_t m = (size_t)P->scenarios[i - 1].m, rows = (size_t)P->scenarios[i - 1].q + m;
        numbers = sti_size_add(numbers, sti_size_add(sti_size_mul(rows, m + first + 2), sti_size_mul(m, tall + 2)));
    }
    const sti_status status = reserve(env, L, numbers, out);
    if (status != STI_OK) return status;
    double* room = out->block;
    out->program =
        (sti_stochastic){.n = n, .p = p + n, .scenario_count = P->scenario_count, .scenarios = out->scenarios};
    sti_matrix T0 = take(&room, p + n, n);
    double *low = take(&room, 2, n).dense, *sides = take(&room, 2, p + n).dense;
    place(&T0, 0, &P->T0);
    place(&T0, p, &P->Q0);
    sti_stochastic_layout_bounds(L, 0, low, low + n);
    sti_stochastic_layout_sides(L, 0, sides, sides + p + n);
    ray_sides(low, low + n, n, 1);
    ray_sides(sides, sides + p + n, p, INFINITY);
    out->program.T0 = T0;
    out->program.c0 = P->c0, out->program.lb = low, out->program.ub = low + n;
    out->program.bl = sides, out->program.bu = sides + p + n;
    for (int i = 1; i < L->blocks; i++) {
        const sti_scenario* s = &P->scenarios[i - 1];
        const int rows = s->q + s->m;
        sti_matrix W = take(&room, rows, s->m), W0 = take(&room, rows, n), T = take(&room, p + n, s->m);
        low = take(&room, 2, s->m).dense, sides = take(&room, 2, rows).dense;
        place(&W, 0, &s->W);
        place(&W, s->q, &s->Q);
        place(&W0, 0, sti_stochastic_layout_W0(L, i));
        place(&T, 0, &s->T);
        sti_stochastic_layout_bounds(L, i, low, low + s->m);
        sti_stochastic_layout_sides(L, i, sides, sides + rows);
        ray_sides(low, low + s->m, s->m, 1);
        ray_sides(sides, sides + rows, s->q, INFINITY);
        out->scenarios[i - 1] = (sti_scenario){.probability = s->probability,
                                               .m = s->m,
                                               .q = rows,
                                               .T = T,
                                               .W = W,
                                               .W0 = W0,
                                               .c = s->c,
                                               .dl = sides,
                                               .du = sides + rows,
                                               .lb = low,
                                               .ub = low + s->m};
    }
    return STI_OK;
}
