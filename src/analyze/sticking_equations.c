// sticking_equations.c: the equations (61 a): ranks, the least-norm solution (31), self-stress, and why there is none.
#include <math.h>
#include <string.h>

#include "analyze/sticking.h"

#define CONSISTENT 1e-9  // rows that miss their constants by less count as solved

// dim of ker M with ker A': accelerations that neither M nor a contact sees.
static sti_status common_kernel(sti_sticking* r, const sti_posed* s) {
    const size_t n = (size_t)s->n, q = (size_t)s->q;
    double* stacked = sti_pool_doubles(s->pool, (n + q) * n);
    if (stacked == NULL) return s->pool->status;
    const double M = sti_small_max(n * n, s->instant->M), A = sti_small_max(n * q, s->A);
    for (size_t j = 0; j < n; j++) {
        for (size_t k = 0; k < n; k++) stacked[j * n + k] = M > 0 ? s->instant->M[j * n + k] / M : 0;
        for (size_t k = 0; k < q; k++) stacked[(n + k) * n + j] = A > 0 ? s->A[j * q + k] / A : 0;
    }
    int rank;
    const sti_status status = sti_small_rank(s->pool, s->n + s->q, s->n, stacked, &rank);
    r->kernel_dimension = s->n - rank;
    return status;
}

// Directions of lambda along the family: the lambda part of the kernel, made orthonormal.
static sti_status self_stress(sti_sticking* r, const sti_posed* s, const sti_program* g) {
    const size_t p = (size_t)s->p;
    double* part = sti_pool_doubles(s->pool, (size_t)g->freedom * p);
    if (part == NULL) return s->pool->status;
    for (int k = 0; k < g->freedom; k++)
        memcpy(part + (size_t)k * p, g->basis + (size_t)k * (size_t)g->size + s->n, p * sizeof *part);
    sti_svd f;
    // basis vectors are orthonormal: a lambda part below 1e-7 is rounding
    sti_status status = sti_svd_make(s->pool, g->freedom, s->p, part, 0, &f);
    if (status != STI_OK) return status;
    while (r->self_stress_count < (g->freedom < s->p ? g->freedom : s->p) && f.s[r->self_stress_count] > 1e-7)
        r->self_stress_count++;
    r->self_stress = sti_pool_copy(s->pool, f.V, (size_t)r->self_stress_count * p);
    return r->self_stress != NULL ? sti_small_canonical(s->pool, r->self_stress_count, s->p, r->self_stress)
                                  : s->pool->status;
}

static sti_status compare_exactly(sti_sticking* r, const sti_program* g) {
    int rank;
    bool solvable;
    const sti_status status = sti_program_exact_rank(g, &rank, &solvable, NULL);
    if (status != STI_OK) return status;
    r->near_redundant = rank != g->equations.rank || (!solvable && g->outside < CONSISTENT);
    if (!r->near_redundant) r->kkt_solvable = solvable;
    return STI_OK;
}

sti_status sti_posed_near_redundant(const sti_posed* s, bool* out) {
    sti_program g = {0};
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

sti_status sti_sticking_equations(sti_sticking* r, const sti_posed* s) {
    sti_program g = {0};
    sti_status status = sti_posed_equations(s, s->exact, &g);
    if (status == STI_OK) status = sti_program_reduce(&g);
    if (status == STI_OK) {
        r->kkt_residual = g.outside;
        r->kkt_solvable = g.outside < CONSISTENT;
        status = common_kernel(r, s);
    }
    if (status == STI_OK) status = sti_small_rank(s->pool, s->n, s->p, s->C, &r->rank_C);
    if (status == STI_OK && s->exact) status = compare_exactly(r, &g);
    if (status == STI_OK && !r->kkt_solvable) {
        r->kkt_witness = sti_pool_doubles(s->pool, (size_t)(s->n + s->q));
        for (int i = 0; r->kkt_witness != NULL && i < s->n + s->q; i++) r->kkt_witness[i] = -g.witness[i];
    }
    if (status == STI_OK && r->kkt_solvable) {
        r->a_least = sti_pool_copy(s->pool, g.start, (size_t)s->n);
        r->lambda_least = sti_pool_copy(s->pool, g.start + s->n, (size_t)s->p);
        r->margins_least = sti_pool_doubles(s->pool, (size_t)s->nc);
        if (s->pool->status == STI_OK) {
            for (int i = 0; i < s->nc; i++) r->margins_least[i] = sti_posed_margin(s, i, r->lambda_least);
            r->least_sticks = sti_posed_least_margin(s, r->lambda_least) >= -s->options.tol * s->force;
        }
        status = self_stress(r, s, &g);
    }
    sti_program_close(&g);
    return status == STI_OK ? s->pool->status : status;
}
