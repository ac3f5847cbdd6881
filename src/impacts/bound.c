// bound.c: when does Newton's law with Coulomb's friction lose energy? (S1 Lemmas 1 and 2, Theorems 1 and 2)
//
// In a mode where every contact slides with sign xi, with [mu] = diag(mu_i xi_i / |n_i|),
//
//     E(q) = (G - n_q'H_T[mu])^-1,
//
//     T_L = -1/2 q'Mbar q + 1/2 q'K q + (D_t t_q'H_T[mu] E(q)(I + E) q)'qdot_tan,     q = qdot_norm-             (78)
//
//     Mbar = (I - E)'G^-1 (I + E),     K = (I + E)'E(q)'[mu] H_T't_q D_t t_q'H_T [mu] E(q)(I + E)               (80)
//
// since M(q, mu) = E(q) - G^-1 n_q'H_T[mu]E(q) = G^-1 once (77) is written with D_n (S1-E21). T_L <= 0 follows when
// lambda_min(sym Mbar) > lambda_max(K) and |qdot_norm-| / |qdot_tan-| is large enough (83), there with the factor
// |E(q)| that is missing in print. The bounds of Theorem 1 are these numbers; it adds no other condition.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "impacts/work.h"
#include "linalg/dense_algebra.h"

enum { BOUND_CONTACTS = 6 };

typedef struct bound_work {
    sti_impact_work* w;
    int p;
    double* tangential;  // H_T't_q D_t t_q'H_T, one slip per contact        (p x p)
    double* row;         // H_T't_q D_t qdot_tan                             (p)
    double* n_H;         // column of each contact                           (p x p)
    double* plus;        // I + E                                            (p x p)
    double* minus;       // I - E                                            (p x p)
    double* work;        // (6 p^2 + 2 p)
    double size_tH[2];   // |D_t t_q'H_T|, Frobenius, spectral
    double size_E[2], size_plus[2], size_G[2], size_G_inv[2], size_nH[2];
    double qdot_tan;
    int* index;
} bound_work;

// Both norms of an m x n matrix.
static void both_norms(const bound_work* k, int m, int n, const double* A, double* out) {
    out[0] = sti_vector_norm(m * n, A);
    out[1] = sti_dense_norm(m, n, A, k->work);
}

static sti_status prepare(bound_work* k) {
    const sti_impact_work* w = k->w;
    const sti_velocities* v = w->velocities;
    const int p = k->p, s = w->out->s, d = v->tangent_count;
    const size_t size = (size_t)p * (size_t)p, room = size > (size_t)d * (size_t)d ? size : (size_t)d * (size_t)d;
    k->tangential = sti_arena_doubles(w->pool, size);
    k->row = sti_arena_doubles(w->pool, (size_t)p);
    k->n_H = sti_arena_doubles(w->pool, size);
    k->plus = sti_arena_doubles(w->pool, size);
    k->minus = sti_arena_doubles(w->pool, size);
    k->work = sti_arena_doubles(w->pool, 6 * room + 4 * (size_t)(p + d));
    k->index = sti_arena_ints(w->pool, 2 * (size_t)p);
    double* t_H = sti_arena_doubles(w->pool, (size_t)d * (size_t)p);
    double* metric = sti_arena_doubles(w->pool, (size_t)d * (size_t)p);
    if (w->pool->status != STI_OK) return w->pool->status;
    for (int i = 0; i < p; i++) {
        if (w->out->slip[i] == w->out->slip[i + 1]) continue;
        for (int j = 0; j < p; j++) k->n_H[sti_at(p, j, i)] = w->out->n_H[sti_at(s, j, w->out->slip[i])];
        for (int l = 0; l < d; l++) t_H[sti_at(p, l, i)] = w->t_H[sti_at(s, l, w->out->slip[i])];
    }
    sti_small_multiply(d, d, p, v->D_t, t_H, metric);
    sti_small_multiply_tn(p, d, p, t_H, metric, k->tangential);
    sti_small_apply_transposed(d, p, metric, v->qdot_tan, k->row);
    k->qdot_tan = sti_vector_norm(d, v->qdot_tan);
    for (int i = 0; i < p; i++) {
        for (int j = 0; j < p; j++) {
            const double e = w->out->E[sti_at(p, i, j)];
            k->plus[sti_at(p, i, j)] = (i == j) + e;
            k->minus[sti_at(p, i, j)] = (i == j) - e;
        }
    }
    both_norms(k, d, p, metric, k->size_tH);
    both_norms(k, p, p, w->out->E, k->size_E);
    both_norms(k, p, p, k->plus, k->size_plus);
    both_norms(k, p, p, w->out->G, k->size_G);
    both_norms(k, p, p, w->G_inv, k->size_G_inv);
    both_norms(k, p, p, k->n_H, k->size_nH);
    return STI_OK;
}

// E(q); false when the matrix is singular.
static bool invert(const bound_work* k, const double* mu, double* Eq) {
    const int p = k->p;
    const size_t size = (size_t)p * (size_t)p;
    double *A = k->work, *Z = A + size, *rest = Z + size, *unit = rest + size + (size_t)p, *x = unit + p;
    for (int i = 0; i < p; i++) {
        for (int j = 0; j < p; j++)
            A[sti_at(p, i, j)] = k->w->out->G[sti_at(p, i, j)] - k->n_H[sti_at(p, i, j)] * mu[j];
    }
    for (int j = 0; j < p; j++) {
        memset(unit, 0, (size_t)p * sizeof *unit);
        unit[j] = 1;
        if (sti_dense_solve(p, p, A, unit, STI_IMPACT_RANK_TOL, x, Z, rest, k->index).rank < p) return false;
        for (int i = 0; i < p; i++) Eq[sti_at(p, i, j)] = x[i];
    }
    return true;
}

static double extreme(const bound_work* k, const double* A, bool largest) {
    const int p = k->p;
    double *copy = k->work, *w = copy + (size_t)p * (size_t)p;
    for (int i = 0; i < p; i++) {
        for (int j = 0; j < p; j++) copy[sti_at(p, i, j)] = 0.5 * (A[sti_at(p, i, j)] + A[sti_at(p, j, i)]);
    }
    sti_dense_eigen(p, copy, w, NULL);
    return largest ? w[p - 1] : w[0];
}

// Mbar, K and T_L by (78).
static void fill_forms(const bound_work* k, const double* mu, const double* Eq, double* Mbar, double* K,
                       double* energy) {
    const int p = k->p;
    const size_t size = (size_t)p * (size_t)p;
    double *half = k->work, *X = half + size, *TX = X + size;
    sti_small_multiply(p, p, p, k->w->G_inv, k->plus, half);
    sti_small_multiply_tn(p, p, p, k->minus, half, Mbar);
    sti_small_multiply(p, p, p, Eq, k->plus, X);  // then [mu] of it
    for (int i = 0; i < p; i++) {
        for (int j = 0; j < p; j++) X[sti_at(p, i, j)] *= mu[i];
    }
    sti_small_multiply(p, p, p, k->tangential, X, TX);
    sti_small_multiply_tn(p, p, p, X, TX, K);
    double* y = TX + size;
    const double* q = k->w->u;
    sti_small_apply(p, p, X, q, y);
    *energy = -0.5 * sti_small_form(p, Mbar, q, q) + 0.5 * sti_small_form(p, K, q, q) + sti_vector_dot(p, k->row, y);
}

static sti_status fill_bound(const bound_work* k, unsigned pattern, sti_impact_bound* out) {
    const sti_impact_work* w = k->w;
    const int p = k->p;
    const size_t size = (size_t)p * (size_t)p;
    double* xi = sti_arena_doubles(w->pool, 2 * (size_t)p);
    double* Eq = sti_arena_doubles(w->pool, size);
    double* Mbar = sti_arena_doubles(w->pool, size);
    double* K = sti_arena_doubles(w->pool, size);
    if (w->pool->status != STI_OK) return w->pool->status;
    double* mu = xi + p;
    for (int i = 0; i < p; i++) {
        xi[i] = pattern >> i & 1 ? -1 : 1;
        mu[i] = w->out->mu[i] * xi[i] / w->space->norm[i];
    }
    *out = (sti_impact_bound){.p = p, .xi = xi, .energy = NAN, .ratio = NAN};
    if (!invert(k, mu, Eq)) return STI_OK;
    out->applies = true;
    out->Eq = Eq;
    out->Mbar = Mbar;
    out->K = K;
    fill_forms(k, mu, Eq, Mbar, K, &out->energy);
    if (!w->plain) out->energy = NAN;
    out->lambda_min = extreme(k, Mbar, false);
    out->lambda_max = extreme(k, K, true);
    out->condition_i = out->lambda_min > out->lambda_max;
    const double size_mu[2] = {sti_vector_norm(p, mu), sti_vector_largest(p, mu)};
    double size_Eq[2];
    both_norms(k, p, p, Eq, size_Eq);
    const double normal = sti_vector_norm(p, w->u);
    out->ratio = k->qdot_tan > 0 ? normal / k->qdot_tan : INFINITY;
    for (int f = 0; f < 2; f++) {
        out->lemma1[f] = k->size_G_inv[f] * k->size_nH[f] * size_mu[f];
        out->lemma2[f] = k->size_E[f] * (2 + k->size_E[f]) * k->size_G_inv[f] * k->size_G[f];
        out->bound_ii[f] =
            2 * k->size_tH[f] * size_mu[f] * k->size_plus[f] * size_Eq[f] / (out->lambda_min - out->lambda_max);
        if (!out->condition_i) out->bound_ii[f] = INFINITY;
        out->theorem2[f] = out->condition_i && out->ratio >= out->bound_ii[f];
    }
    out->prop10 = true;
    for (int i = 0; i < p * p; i++) {
        if (w->out->E[i] < 0 || Eq[i] < -1e-12 * sti_vector_largest(p * p, Eq)) out->prop10 = false;
    }
    return STI_OK;
}

// (78) of the solutions of (68) in which every contact slides.
static void copy_energies(sti_impact_work* w) {
    const sti_impact_answer* a = &w->out->laws[STI_IMPACT_FRICTION];
    for (int k = 0; k < a->count; k++) {
        unsigned pattern = 0;
        bool all = w->out->p > 0;
        for (int i = 0; i < w->out->p; i++) {
            all = all && (a->solutions[k].mode[i] == '+' || a->solutions[k].mode[i] == '-');
            if (a->solutions[k].mode[i] == '-') pattern |= 1U << i;
        }
        if (all) ((sti_impact_solution*)a->solutions)[k].energy.f78 = w->out->bounds[pattern].energy;
    }
}

sti_status sti_impact_bounds(sti_impact_work* w) {
    const int p = w->out->p;
    if (p == 0 || p > BOUND_CONTACTS || !w->out->independent) return STI_OK;
    for (int i = 0; i < p; i++) {
        if (w->out->slip[i + 1] - w->out->slip[i] > 1) return STI_OK;
    }
    if (w->out->s == 0) return STI_OK;
    bound_work k = {.w = w, .p = p};
    sti_impact_bound* bounds = sti_arena_take(w->pool, (size_t)1 << p, sizeof *bounds);
    sti_status status = bounds == NULL ? w->pool->status : prepare(&k);
    for (unsigned pattern = 0; status == STI_OK && pattern < 1U << p; pattern++) {
        status = sti_check_time(w->env, "looking for bounds of restitution");
        if (status == STI_OK) status = fill_bound(&k, pattern, &bounds[pattern]);
    }
    if (status != STI_OK) return status;
    w->out->bounds = bounds;
    w->out->bound_count = 1 << p;
    copy_energies(w);
    return STI_OK;
}
