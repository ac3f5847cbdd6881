// measure.c: residuals, lower bounds and certificates of stochastic programs, on the data as given.
//
// For any multipliers and any point (x', y') within rows and bounds, f convex gives, with the gradient g of the
// Lagrangian at (x, y) and v = rows at (x, y), v' at (x', y'):
//
//     f(x', y') >= f(x, y) + g'((x', y') - (x, y)) - l'(v' - v)
//
// and the right-hand side is least with every variable at the bound that the sign of its g names and every row at the
// side that its multiplier names. The sum of these distances is the gap. Where there is no such bound the entry of g is
// a residual.
#include "stochastic/measure.h"

#include <math.h>
#include <string.h>

static const double CONTRADICTION = 1e-9;  // of its terms: a smaller one may be rounding of the data

typedef struct measure {
    const sti_stochastic_layout* L;
    double *g, *size_g;  // gradient and the largest of its terms     (all variables)
    double *v, *size_v;  // rows and the largest of their terms       (all rows)
    double *low, *high;  // of one block                              (most)
    double* t;           // scratch                                   (most)
    double* block;
} measure;

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static sti_status open(sti_env* env, const sti_stochastic_layout* L, measure* k) {
    const size_t nv = L->var[L->blocks], nr = L->row[L->blocks];
    const size_t most = larger(larger((size_t)L->p->n, (size_t)L->p->p), larger((size_t)L->most_m, (size_t)L->most_q));
    *k = (measure){.L = L};
    k->block = sti_alloc_array_zero(env, sti_size_add(sti_size_mul(2, sti_size_add(nv, nr)), sti_size_mul(3, most)),
                                    sizeof *k->block);
    if (k->block == NULL) return STI_ERR_MEMORY;
    double* at = k->block;
    k->g = at, k->size_g = at + nv, at += 2 * nv;
    k->v = at, k->size_v = at + nr, at += 2 * nr;
    k->low = at, k->high = at + most, k->t = at + 2 * most;
    return STI_OK;
}

// Room on every rank, or on none.
static sti_status begin(sti_env* env, const sti_stochastic_layout* L, measure* k) {
    const sti_status status = sti_stochastic_layout_agree(env, L, open(env, L, k));
    if (status != STI_OK) sti_free(env, k->block);
    return status;
}

// y += f A x, and size = max(size, |result of this product|).
static void add_product(measure* k, const sti_matrix* A, double f, const double* x, double* y, double* size,
                        bool transposed, int count) {
    if (A->rows == 0) return;
    memset(k->t, 0, (size_t)count * sizeof *k->t);
    if (transposed)
        sti_block_multiply_transposed(A, f, x, k->t);
    else
        sti_block_multiply(A, f, x, k->t);
    for (int j = 0; j < count; j++) {
        y[j] += k->t[j];
        size[j] = fmax(size[j], fabs(k->t[j]));
    }
}

// v = rows of (x, y)
static void find_rows(measure* k, const double* x, const double* y) {
    const sti_stochastic_layout* L = k->L;
    const int p = L->p->p;
    if (sti_stochastic_layout_leads(L)) add_product(k, &L->p->T0, 1, x, k->v, k->size_v, false, p);
    for (int i = 1; i < L->blocks; i++) {
        const sti_scenario* s = &L->p->scenarios[i - 1];
        const double* yi = y + (L->var[i] - (size_t)L->p->n);
        double *v = k->v + L->row[i], *size = k->size_v + L->row[i];
        add_product(k, &s->T, s->probability, yi, k->v, k->size_v, false, p);
        add_product(k, sti_stochastic_layout_W0(L, i), 1, x, v, size, false, s->q);
        add_product(k, &s->W, 1, yi, v, size, false, s->q);
    }
    sti_stochastic_layout_sum(L, k->v, (size_t)p);
    sti_stochastic_layout_most(L, k->size_v, (size_t)p);
}

// g += A'l of all rows
static void find_transposed(measure* k, const double* pi, const double* l) {
    const sti_stochastic_layout* L = k->L;
    const int n = L->p->n;
    if (sti_stochastic_layout_leads(L)) add_product(k, &L->p->T0, 1, pi, k->g, k->size_g, true, n);
    for (int i = 1; i < L->blocks; i++) {
        const sti_scenario* s = &L->p->scenarios[i - 1];
        const double* li = l + (L->row[i] - (size_t)L->p->p);
        double *g = k->g + L->var[i], *size = k->size_g + L->var[i];
        add_product(k, sti_stochastic_layout_W0(L, i), 1, li, k->g, k->size_g, true, n);
        add_product(k, &s->T, s->probability, pi, g, size, true, s->m);
        add_product(k, &s->W, 1, li, g, size, true, s->m);
    }
    sti_stochastic_layout_sum(L, k->g, (size_t)n);
    sti_stochastic_layout_most(L, k->size_g, (size_t)n);
}

// g += p (Q u + c), of one block; its part of the objective.
static double add_gradient(measure* k, int i, const double* u) {
    const sti_stochastic_layout* L = k->L;
    const double weight = sti_stochastic_layout_weight(L, i), *c = sti_stochastic_layout_c(L, i);
    const int m = sti_stochastic_layout_m(L, i);
    double *g = k->g + L->var[i], *size = k->size_g + L->var[i], sum = 0;
    memset(k->t, 0, (size_t)m * sizeof *k->t);
    sti_block_multiply(sti_stochastic_layout_Q(L, i), 1, u, k->t);
    for (int j = 0; j < m; j++) {
        const double cost = c != NULL ? c[j] : 0;
        sum += u[j] * (0.5 * k->t[j] + cost);
        g[j] += weight * (k->t[j] + cost);
        size[j] = fmax(size[j], weight * fmax(fabs(k->t[j]), fabs(cost)));
    }
    return weight * sum;
}

static const double* block_of(const sti_stochastic_layout* L, const sti_stochastic_answer* a, int i) {
    return i == 0 ? a->x : a->y + (L->var[i] - (size_t)L->p->n);
}
static const double* multipliers_of(const sti_stochastic_layout* L, const sti_stochastic_answer* a, int i) {
    return i == 0 ? a->pi : a->l + (L->row[i] - (size_t)L->p->p);
}

// Does what block i adds to a sum over all ranks come from this one?
static bool counts(const sti_stochastic_layout* L, int i) {
    return i > 0 || sti_stochastic_layout_leads(L);
}

// ---- a point

static double over(double x, double size) {
    return x > 0 ? x / fmax(size, 1e-300) : 0;
}

// Distances of the variables of a block from the bounds that g names, times g.
static double bound_gap(measure* k, int i, const double* u, sti_stochastic_answer* a) {
    const double *g = k->g + k->L->var[i], *size = k->size_g + k->L->var[i],
                 weight = sti_stochastic_layout_weight(k->L, i);
    double sum = 0;
    sti_stochastic_layout_bounds(k->L, i, k->low, k->high);
    for (int j = 0; j < sti_stochastic_layout_m(k->L, i); j++) {
        const double side = g[j] >= 0 ? k->low[j] : k->high[j];
        const double outside = fmax(k->low[j] - u[j], u[j] - k->high[j]);
        a->residual_primal = fmax(a->residual_primal, over(outside, fmax(fabs(u[j]), 1)));
        if (isfinite(side))
            sum += g[j] * (u[j] - side);
        else
            a->residual_dual = fmax(a->residual_dual, over(fabs(g[j]), fmax(size[j], weight)));
    }
    return sum;
}

static double row_gap(measure* k, int i, const double* l, sti_stochastic_answer* a) {
    const double *v = k->v + k->L->row[i], *size = k->size_v + k->L->row[i];
    double sum = 0;
    sti_stochastic_layout_sides(k->L, i, k->low, k->high);
    for (int j = 0; j < sti_stochastic_layout_q(k->L, i); j++) {
        const double side = l[j] >= 0 ? k->high[j] : k->low[j];
        const double outside = fmax(k->low[j] - v[j], v[j] - k->high[j]);
        const double known =
            fmax(isfinite(k->low[j]) ? fabs(k->low[j]) : 0, isfinite(k->high[j]) ? fabs(k->high[j]) : 0);
        a->residual_primal = fmax(a->residual_primal, over(outside, fmax(fmax(size[j], known), 1)));
        if (isfinite(side))
            sum += l[j] * (side - v[j]);
        else
            a->residual_dual = fmax(a->residual_dual, over(fabs(l[j]), sti_stochastic_layout_weight(k->L, i)));
    }
    return sum;
}

sti_status sti_stochastic_measure(sti_env* env, const sti_stochastic_layout* L, sti_stochastic_answer* a) {
    measure k;
    const sti_status status = begin(env, L, &k);
    if (status != STI_OK) return status;
    a->objective = a->residual_primal = a->residual_dual = 0;
    find_rows(&k, a->x, a->y);
    find_transposed(&k, a->pi, a->l);
    double sums[2] = {0};  // objective, gap
    for (int i = 0; i < L->blocks; i++) {
        const double part = add_gradient(&k, i, block_of(L, a, i));
        if (counts(L, i)) sums[0] += part;
    }
    for (int i = 0; i < L->blocks; i++) {
        const double part = bound_gap(&k, i, block_of(L, a, i), a) + row_gap(&k, i, multipliers_of(L, a, i), a);
        if (counts(L, i)) sums[1] += part;
    }
    double largest[2] = {a->residual_primal, a->residual_dual};
    sti_stochastic_layout_sum(L, sums, 2);
    sti_stochastic_layout_most(L, largest, 2);
    a->objective = sums[0];
    a->residual_primal = largest[0];
    a->residual_dual = largest[1];
    a->gap = fabs(sums[1]) / (1 + fabs(a->objective));
    a->residual = fmax(a->residual_primal, a->residual_dual);
    sti_free(env, k.block);
    return STI_OK;
}

// ---- no point: for all points of the bounds l'(rows) - (A'l)'u = 0, and the rows want more

sti_status sti_stochastic_measure_farkas(sti_env* env, const sti_stochastic_layout* L, sti_stochastic_answer* a) {
    measure k;
    const sti_status status = begin(env, L, &k);
    if (status != STI_OK) return status;
    // least l'v of the rows, largest (A'l)'u of the bounds, their terms; entries of A'l without a bound
    double wanted = 0, possible = 0, size = 0, loose = 0;
    find_transposed(&k, a->pi, a->l);
    for (int i = 0; i < L->blocks; i++) {
        const double* l = multipliers_of(L, a, i);
        sti_stochastic_layout_sides(L, i, k.low, k.high);
        for (int j = 0; j < sti_stochastic_layout_q(L, i); j++) {
            const double side = l[j] >= 0 ? k.low[j] : k.high[j];
            if (isfinite(side)) {
                wanted += counts(L, i) ? l[j] * side : 0;
                size += counts(L, i) ? fabs(l[j] * side) : 0;
            } else if (l[j] > 0 || l[j] < 0) {
                wanted = -INFINITY;
            }
        }
        const double* g = k.g + L->var[i];
        sti_stochastic_layout_bounds(L, i, k.low, k.high);
        for (int j = 0; j < sti_stochastic_layout_m(L, i); j++) {
            const double side = g[j] >= 0 ? k.high[j] : k.low[j];
            if (isfinite(side)) {
                possible += counts(L, i) ? g[j] * side : 0;
                size += counts(L, i) ? fabs(g[j] * side) : 0;
            } else {
                loose = fmax(loose, fabs(g[j]));
            }
        }
    }
    double sums[3] = {wanted, possible, size};
    sti_stochastic_layout_sum(L, sums, 3);
    sti_stochastic_layout_most(L, &loose, 1);
    const double margin = sums[0] - sums[1] - CONTRADICTION * sums[2];
    a->residual = margin > 0 ? loose / margin : INFINITY;
    a->bound = margin > 0 ? (loose > 0 ? margin / loose : INFINITY) : 0;
    sti_free(env, k.block);
    return STI_OK;
}

// ---- a direction

static double beyond(double d, double low,
                     double high) {  // what a direction violates of a variable or row with these sides
    double out = 0;
    if (isfinite(low)) out = fmax(out, -d);
    if (isfinite(high)) out = fmax(out, d);
    return out;
}

sti_status sti_stochastic_measure_ray(sti_env* env, const sti_stochastic_layout* L, sti_stochastic_answer* a) {
    measure k;
    const sti_status status = begin(env, L, &k);
    if (status != STI_OK) return status;
    double worst = 0, slope = 0, size = 0;
    find_rows(&k, a->x, a->y);
    for (int i = 0; i < L->blocks; i++) {
        const double *d = block_of(L, a, i), *c = sti_stochastic_layout_c(L, i),
                     weight = sti_stochastic_layout_weight(L, i);
        const int m = sti_stochastic_layout_m(L, i);
        memset(k.t, 0, (size_t)m * sizeof *k.t);
        sti_block_multiply(sti_stochastic_layout_Q(L, i), 1, d, k.t);
        sti_stochastic_layout_bounds(L, i, k.low, k.high);
        for (int j = 0; j < m; j++) {
            worst = fmax(worst, fmax(fabs(k.t[j]), beyond(d[j], k.low[j], k.high[j])));
            slope += c != NULL && counts(L, i) ? weight * c[j] * d[j] : 0;
            size = fmax(size, fabs(d[j]));
        }
        sti_stochastic_layout_sides(L, i, k.low, k.high);
        const double* v = k.v + L->row[i];
        for (int j = 0; j < sti_stochastic_layout_q(L, i); j++) worst = fmax(worst, beyond(v[j], k.low[j], k.high[j]));
    }
    double largest[2] = {worst, size};
    sti_stochastic_layout_sum(L, &slope, 1);
    sti_stochastic_layout_most(L, largest, 2);
    worst = largest[0], size = largest[1];
    a->objective = slope;
    a->residual = size > 0 ? worst / size : INFINITY;
    sti_free(env, k.block);
    return STI_OK;
}
