// equations.c: the equations (61 a): ranks, the least-norm solution (31), self-stress, and why there is none.
#include <math.h>
#include <string.h>

#include "sticking/sticking.h"

#define CONSISTENT 1e-9  // rows that miss their constants by less count as solved

// The same rank without rounding.
static sti_status exact_kernel(const sti_posed* s, int* rank) {
    sti_cone_program g = {0};
    bool solvable;
    sti_status status = sti_program_open(&g, s->pool, s->n, s->n + s->q, true);
    if (status != STI_OK) return status;
    for (int j = 0; j < s->n; j++) sti_posed_mass_row(s, &g, sti_program_add(&g, STI_ROW_ZERO, -1), j);
    for (int i = 0; i < s->nc; i++)
        for (int k = 0; k < s->row[i + 1] - s->row[i]; k++)
            sti_posed_held_row(s, &g, sti_program_add(&g, STI_ROW_ZERO, i), i, k, false);
    status = s->pool->status;
    if (status == STI_OK) status = sti_program_exact_rank(&g, rank, &solvable, NULL);
    sti_program_close(&g);
    return status;
}

// dim of ker M with ker A': accelerations that neither M nor a contact sees.
static sti_status common_kernel(sti_sticking* r, const sti_posed* s) {
    const size_t n = (size_t)s->n, q = (size_t)s->q;
    double* stacked = sti_arena_doubles(s->pool, (n + q) * n);
    if (stacked == NULL) return s->pool->status;
    const double M = sti_small_max(n * n, s->instant->M), A = sti_small_max(n * q, s->A);
    for (size_t j = 0; j < n; j++) {
        for (size_t k = 0; k < n; k++) stacked[j * n + k] = M > 0 ? s->instant->M[j * n + k] / M : 0;
        for (size_t k = 0; k < q; k++) stacked[(n + k) * n + j] = A > 0 ? s->A[j * q + k] / A : 0;
    }
    int rank, exact;
    sti_status status = sti_small_rank(s->pool, s->n + s->q, s->n, stacked, &rank);
    if (status == STI_OK && s->exact) status = exact_kernel(s, &exact);
    if (status == STI_OK && s->exact && exact != rank) r->near_redundant = true;
    r->kernel_dimension = s->n - rank;
    return status;
}

static sti_status rank_of_directions(sti_sticking* r, const sti_posed* s) {
    int* all = sti_arena_ints(s->pool, (size_t)s->p);
    bool agree = s->exact;
    for (int k = 0; all != NULL && k < s->p; k++) all[k] = k;
    if (all == NULL) return s->pool->status;
    const sti_status status = sti_posed_rank(s, &agree, all, s->p, &r->rank_C);
    if (s->exact && !agree) r->near_redundant = true;
    return status;
}

// Directions of lambda along the family: the lambda part of the kernel, made orthonormal.
static sti_status self_stress(sti_sticking* r, const sti_posed* s, const sti_cone_program* g) {
    const size_t p = (size_t)s->p;
    double* part = sti_arena_doubles(s->pool, (size_t)g->freedom * p);
    if (part == NULL) return s->pool->status;
    for (int k = 0; k < g->freedom; k++)
        memcpy(part + (size_t)k * p, g->basis + (size_t)k * (size_t)g->size + s->n, p * sizeof *part);
    sti_svd f;
    // basis vectors are orthonormal: a lambda part below 1e-7 is rounding
    sti_status status = sti_svd_make(s->pool, g->freedom, s->p, part, 0, &f);
    if (status != STI_OK) return status;
    while (r->self_stress_count < (g->freedom < s->p ? g->freedom : s->p) && f.s[r->self_stress_count] > 1e-7)
        r->self_stress_count++;
    r->self_stress = sti_arena_copy(s->pool, f.V, (size_t)r->self_stress_count * p);
    return r->self_stress != NULL ? sti_small_canonical(s->pool, r->self_stress_count, s->p, r->self_stress)
                                  : s->pool->status;
}

static sti_status compare_exactly(sti_sticking* r, sti_cone_program* g) {
    int rank = 0;
    bool solvable = true;
    sti_rationals* witness = NULL;
    sti_status status = sti_rationals_create(g->env, (size_t)g->rows, &witness);
    if (status == STI_OK) status = sti_program_exact_rank(g, &rank, &solvable, witness);
    for (int i = 0; status == STI_OK && !solvable && i < g->equations.m; i++)
        g->witness[i] = sti_rationals_double(witness, (size_t)g->equation[i]);
    sti_rationals_destroy(witness);
    if (status != STI_OK) return status;
    r->near_redundant = r->near_redundant || rank != g->equations.rank || (!solvable && g->outside < CONSISTENT);
    if (!r->near_redundant) r->kkt_solvable = solvable;
    return STI_OK;
}

sti_status sti_posed_near_redundant(const sti_posed* s, bool* out) {
    sti_cone_program g = {0};
    int rank = 0;
    bool solvable = true;
    *out = false;
    sti_status status = sti_posed_equations(s, true, &g);
    if (status == STI_OK) status = sti_program_reduce(&g);
    if (status == STI_OK) status = sti_program_exact_rank(&g, &rank, &solvable, NULL);
    if (status == STI_OK) *out = rank != g.equations.rank || (!solvable && g.outside < CONSISTENT);
    sti_program_close(&g);
    return status;
}

// ---- the least-norm solution against the bounds

// The same point without rounding: least sum (x_j / metric_j)^2 over the equations, that is D x = E'y, E x + e = 0.
// NULL when they have no solution. (a, lambda), a (n), lambda (p).
static sti_status exact_least(const sti_posed* s, const sti_cone_program* g, sti_rationals** out) {
    const int n = g->size, m = g->equations.m;
    sti_cone_program h = {0};
    sti_exact_program e = {0};
    *out = NULL;
    sti_status status = sti_program_open(&h, s->pool, n + m, n + m, true);
    for (int i = 0; status == STI_OK && i < n + m; i++) {
        const int row = sti_program_add(&h, STI_ROW_ZERO, -1);
        const size_t from = i < m ? (size_t)g->equation[i] * (size_t)(n + 1) : 0;
        for (int j = 0; i < m && j <= n; j++)
            sti_program_put_data(&h, row, j, g->row[from + (size_t)j], g->exact, from + (size_t)j, 1);
        for (int k = 0; i >= m && k < m; k++) {
            const size_t at = (size_t)g->equation[k] * (size_t)(n + 1) + 1 + (size_t)(i - m);
            sti_program_put_data(&h, row, 1 + n + k, g->row[at], g->exact, at, -1);
        }
        if (i >= m) sti_program_put(&h, row, 1 + i - m, 1 / (g->metric[i - m] * g->metric[i - m]));
        status = s->pool->status;
    }
    if (status == STI_OK) status = sti_exact_program_open(&e, &h);
    sti_rationals* x = NULL;
    if (status == STI_OK && e.feasible) status = sti_rationals_create(s->env, (size_t)(n + m), &x);
    if (status == STI_OK && e.feasible) status = sti_exact_program_point(&e, x);
    if (status == STI_OK && e.feasible) status = sti_rationals_slice(s->env, x, 0, (size_t)n, out);
    sti_rationals_destroy(x);
    sti_exact_program_close(&e);
    sti_program_close(&h);
    return status;
}

// Margins against the largest multiplier and the forces: what the decomposition rounds.
// A contact without friction has no bound to be within, but no force along its tangents either.
static double drag_of(const sti_posed* s, int i, const double* lambda) {
    return s->rough[i] || s->slides[i] ? 0 : sti_small_max((size_t)s->tangents[i], lambda + s->first[i] + 1);
}

static sti_verdict judge_least(const sti_sticking* r, const sti_posed* s) {
    const double size = fmax(sti_small_max((size_t)s->p, r->lambda_least), s->force);
    sti_verdict verdict = STI_YES;
    for (int i = 0; i < s->nc; i++) {
        const double margin = r->margins_least[i], terms = (1 + (s->rough[i] ? s->mu[i] : 0)) * size;
        const double drag = drag_of(s, i, r->lambda_least);
        if (margin < -1e-9 * terms || drag > 1e-9 * terms) return STI_NO;
        if (margin < 1e-12 * terms || drag > 0) verdict = STI_UNDECIDED;
    }
    return verdict;
}

enum { EXACT_LEAST = 40 };  // unknowns up to which the least-norm solution is found without rounding

// Does the least-norm solution x = (a, lambda) stick?
static sti_status judge_exactly(sti_sticking* r, const sti_posed* s, const sti_rationals* x) {
    sti_rationals* lambda;
    sti_status status = sti_rationals_slice(s->env, x, (size_t)s->n, (size_t)s->p, &lambda);
    int least = 1;
    for (int i = 0; status == STI_OK && i < s->nc; i++) {
        int sign = 1;
        if (!isnan(r->margins_least[i])) status = sti_posed_margin_sign(s, i, lambda, &sign);
        for (int k = 1; k <= s->tangents[i] && !s->rough[i] && !s->slides[i]; k++)
            if (sti_rationals_sign(lambda, (size_t)(s->first[i] + k)) != 0) sign = -1;
        if (sign < least) least = sign;
    }
    if (status == STI_OK) r->least_sticks = least >= 0 ? STI_YES : STI_NO;
    sti_rationals_destroy(lambda);
    return status;
}

// In doubles, and where the numbers are exact and few, without rounding: units that differ by millions let the
// decomposition lose the directions in which the least-norm solution is told from others.
static sti_status least_norm(sti_sticking* r, const sti_posed* s, const sti_cone_program* g) {
    sti_rationals* x = NULL;
    sti_status status = STI_OK;
    r->a_least = sti_arena_copy(s->pool, g->start, (size_t)s->n);
    r->lambda_least = sti_arena_copy(s->pool, g->start + s->n, (size_t)s->p);
    r->margins_least = sti_arena_doubles(s->pool, (size_t)s->nc);
    if (s->pool->status != STI_OK) return s->pool->status;
    if (s->exact && !r->near_redundant && g->size <= EXACT_LEAST) status = exact_least(s, g, &x);
    for (int j = 0; x != NULL && j < s->n + s->p; j++) {
        const double value = sti_rationals_double(x, (size_t)j);
        *(j < s->n ? &r->a_least[j] : &r->lambda_least[j - s->n]) = value;
    }
    for (int i = 0; i < s->nc; i++) r->margins_least[i] = sti_posed_margin(s, i, r->lambda_least);
    r->least_sticks = judge_least(r, s);
    if (status == STI_OK && x != NULL) status = judge_exactly(r, s, x);
    sti_rationals_destroy(x);
    return status;
}

sti_status sti_sticking_equations(sti_sticking* r, const sti_posed* s) {
    sti_cone_program g = {0};
    sti_status status = sti_posed_equations(s, s->exact, &g);
    if (status == STI_OK) status = sti_program_reduce(&g);
    if (status == STI_OK) {
        r->kkt_residual = g.outside;
        r->kkt_solvable = g.outside < CONSISTENT;
        status = common_kernel(r, s);
    }
    if (status == STI_OK) status = rank_of_directions(r, s);
    if (status == STI_OK && s->exact) status = compare_exactly(r, &g);
    if (status == STI_OK && !r->kkt_solvable) {
        r->kkt_witness = sti_arena_doubles(s->pool, (size_t)(s->n + s->q));
        for (int i = 0; r->kkt_witness != NULL && i < s->n + s->q; i++) r->kkt_witness[i] = -g.witness[i];
    }
    if (status == STI_OK && r->kkt_solvable) {
        status = least_norm(r, s, &g);
        if (status == STI_OK) status = self_stress(r, s, &g);
    }
    sti_program_close(&g);
    return status == STI_OK ? s->pool->status : status;
}
