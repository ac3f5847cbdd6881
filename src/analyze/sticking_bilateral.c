// sticking_bilateral.c: S0 section 2: propositions 1 to 5, corollary 1, lemma 1. All contacts count as equality
// constraints, as S0 section 3.4 does for unilateral ones; what is asked of lambda differs.
//
// Corrections to the print that matter here (docs/reproductions.md): the condition of proposition 1 (ii) is on the
// stacked rates; W_n of (23) has H' in its last term and V_n a minus sign; (33) with the least-norm solution is
// sufficient only.
#include <math.h>

#include "analyze/sticking_blocks.h"

static sti_status proposition_1(sti_sticking* r, const sti_blocks* b, sti_propositions_table* t) {
    const sti_posed* s = b->s;
    sti_pool* pool = b->pool;
    double *Ct = sti_pool_doubles(pool, (size_t)s->p * (size_t)s->n), *rates = sti_pool_doubles(pool, (size_t)s->p);
    double *out = sti_pool_doubles(pool, (size_t)s->p), *Cl = sti_pool_doubles(pool, (size_t)s->n);
    double *ln = sti_pool_doubles(pool, (size_t)b->m), *lt = sti_pool_doubles(pool, (size_t)b->t);
    if (pool->status != STI_OK) return pool->status;
    for (int k = 0; k < s->p; k++)
        for (int j = 0; j < s->n; j++)
            Ct[(size_t)k * (size_t)s->n + (size_t)j] = s->C[(size_t)j * (size_t)s->p + (size_t)k];
    for (int i = 0; i < s->nc; i++)
        for (int k = 0; k <= s->tangents[i]; k++) {
            const sti_instant_contact* contact = sti_posed_contact(s, i);
            rates[s->first[i] + k] = k == 0 ? contact->n_rate : contact->t_rate[k - 1];
        }
    sti_svd f;
    sti_status status = sti_svd_make(pool, s->p, s->n, Ct, STI_SMALL_RANK_TOL, &f);
    if (status != STI_OK) return status;
    const double outside = sti_svd_outside(&f, rates, out);
    int rank_N, rank_H;
    status = sti_small_rank(pool, b->n, b->m, b->N, &rank_N);
    if (status == STI_OK) status = sti_small_rank(pool, b->n, b->t, b->H, &rank_H);
    if (status != STI_OK) return status;
    const bool independent = f.rank == s->p, trivial = r->kernel_dimension == 0, stacked = outside < 1e-9;

    sti_propositions_begin(t, "P1.i", "(14 a) has one solution for every right side");
    if (b->slides)
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "a contact slides");
    else
        sti_propositions_verdict(t, independent && trivial ? STI_HOLDS : STI_HOLDS_NOT,
                                 "rank of (grad h | H) is %d of %d, ker M meets ker (grad h | H)' in dimension %d",
                                 f.rank, s->p, r->kernel_dimension);
    sti_propositions_number(t, "rank_C", f.rank);
    sti_propositions_number(t, "number_of_multipliers", s->p);
    sti_propositions_number(t, "dim_kerM_cap_kerCT", r->kernel_dimension);
    sti_propositions_number(t, "Mb_invertible", independent && trivial);

    sti_propositions_begin(t, "P1.ii", "(14 a) is solvable for every F, with unique acceleration and C lambda");
    if (b->slides)
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "a contact slides");
    else
        sti_propositions_verdict(t, stacked && trivial ? STI_HOLDS : STI_HOLDS_NOT,
                                 "the stacked rates are%s in the image of "
                                 "(grad h | H)', the kernels meet in dimension %d",
                                 stacked ? "" : " not", r->kernel_dimension);
    sti_propositions_number(t, "stacked_consistency", stacked);
    sti_propositions_number(t, "solvable_for_given_F", r->kkt_solvable);
    sti_propositions_number(t, "separately_unique", rank_N + rank_H == f.rank);
    if (r->kkt_solvable && !b->slides) {
        sti_small_multiply(s->n, s->p, 1, s->C, r->lambda_least, Cl);
        sti_blocks_split(b, r->lambda_least, ln, lt);
        sti_propositions_number(t, "qdd_unique", trivial);
        sti_propositions_vector(t, "qdd", s->n, r->a_least);
        sti_propositions_vector(t, "C_lambda", s->n, Cl);
        sti_propositions_vector(t, "lambda_n", b->m, ln);
        sti_propositions_vector(t, "lambda_t", b->t, lt);
    } else if (r->kkt_witness != NULL) {
        sti_propositions_vector(t, "witness", s->n + s->q, r->kkt_witness);
    }
    return STI_OK;
}

typedef struct delassus {
    bool definite;
    double *G, *Ginv;  // over (lambda_n; lambda_t)          (p x p)
    double *W, *V;     // lambda = W F + V                   (p x n), (p)
    double* S;         // Schur complement of G_nn           (t x t)
    double* lambda;    // in the order of S0                 (p)
} delassus;

static sti_status make_delassus(const sti_blocks* b, delassus* d) {
    sti_pool* pool = b->pool;
    const size_t n = (size_t)b->n, m = (size_t)b->m, t = (size_t)b->t, p = m + t;
    double *C = sti_pool_doubles(pool, n * p), *MC = sti_pool_doubles(pool, n * p), *w = sti_pool_doubles(pool, p);
    double *V = sti_pool_doubles(pool, p * p), *Gnn = sti_pool_doubles(pool, m * m),
           *inv = sti_pool_doubles(pool, m * m);
    d->G = sti_pool_doubles(pool, p * p);
    d->Ginv = sti_pool_doubles(pool, p * p);
    d->W = sti_pool_doubles(pool, p * n);
    d->V = sti_pool_doubles(pool, p);
    d->S = sti_pool_doubles(pool, t * t);
    d->lambda = sti_pool_doubles(pool, p);
    if (pool->status != STI_OK) return pool->status;
    for (size_t j = 0; j < n; j++) {
        for (size_t k = 0; k < m; k++) C[j * p + k] = b->N[j * m + k];
        for (size_t k = 0; k < t; k++) C[j * p + m + k] = b->H[j * t + k];
    }
    sti_small_multiply(b->n, b->n, (int)p, b->Minv, C, MC);
    sti_small_multiply_tn((int)p, b->n, (int)p, C, MC, d->G);
    sti_status status = sti_small_eigen(pool, (int)p, d->G, w, V);
    if (status != STI_OK) return status;
    d->definite = p > 0 && w[0] > 1e-11 * w[p - 1];
    if (!d->definite) return STI_OK;
    status = sti_small_inverse(pool, (int)p, d->G, d->Ginv, &d->definite);
    if (status != STI_OK || !d->definite) return status;
    for (size_t i = 0; i < p; i++) {
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < p; k++) d->W[i * n + j] += d->Ginv[i * p + k] * MC[j * p + k];
        for (size_t k = 0; k < p; k++) d->V[i] -= d->Ginv[i * p + k] * (k < m ? b->c_n[k] : b->c_t[k - m]);
        d->lambda[i] = d->V[i] + sti_small_dot(b->n, d->W + i * n, b->s->instant->F);
    }
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < m; k++) Gnn[i * m + k] = d->G[i * p + k];
    bool definite;
    status = sti_small_inverse(pool, b->m, Gnn, inv, &definite);
    for (size_t i = 0; i < t; i++) {
        for (size_t k = 0; k < t; k++) {
            double sum = d->G[(m + i) * p + m + k];
            for (size_t g = 0; g < m; g++)
                for (size_t h = 0; h < m; h++) sum -= d->G[g * p + m + i] * inv[g * m + h] * d->G[h * p + m + k];
            d->S[i * t + k] = sum;
        }
    }
    return status;
}

static void unsplit(const sti_blocks* b, const double* split, double* lambda) {
    const sti_posed* s = b->s;
    int tangent = b->m;
    for (int i = 0; i < s->nc; i++) {
        lambda[s->first[i]] = split[i];
        for (int k = 1; k <= s->tangents[i]; k++) lambda[s->first[i] + k] = split[tangent++];
    }
}

static sti_status proposition_2(const sti_blocks* b, sti_propositions_table* t, const delassus* d, double* lambda,
                                double* margins) {
    const sti_posed* s = b->s;
    const int p = s->p;
    double *a = sti_pool_doubles(b->pool, (size_t)b->n), *load = sti_pool_doubles(b->pool, (size_t)b->n);
    double* Gnn = sti_pool_doubles(b->pool, (size_t)b->m * (size_t)b->m);
    if (b->pool->status != STI_OK) return b->pool->status;
    unsplit(b, d->lambda, lambda);
    double least = INFINITY;
    for (int i = 0; i < s->nc; i++) {
        margins[i] = sti_posed_margin(s, i, lambda);
        if (margins[i] < least) least = margins[i];
        for (int k = 0; k < b->m; k++) Gnn[i * b->m + k] = d->G[(size_t)i * (size_t)p + (size_t)k];
    }
    for (int j = 0; j < b->n; j++) load[j] = sti_small_dot(p, s->C + (size_t)j * (size_t)p, lambda) - s->instant->F[j];
    sti_small_multiply(b->n, b->n, 1, b->Minv, load, a);
    sti_propositions_verdict(t, least >= -1e-12 * s->force ? STI_HOLDS : STI_HOLDS_NOT,
                             "the only multipliers have least margin %.6g", least);
    sti_propositions_matrix(t, "G_nn", b->m, b->m, Gnn);
    sti_propositions_matrix(t, "S_G", b->t, b->t, d->S);
    sti_propositions_vector(t, "lambda_n", b->m, d->lambda);
    sti_propositions_vector(t, "lambda_t", b->t, d->lambda + b->m);
    sti_propositions_vector(t, "qdd", b->n, a);
    sti_propositions_vector(t, "margins", b->m, margins);
    sti_propositions_number(t, "all_sticking", least >= -1e-12 * s->force);
    return STI_OK;
}

// Proposition 4: lower bound on the time to slip. The margin mu |lambda_n| - |lambda_t| changes no faster than
// sqrt(1 + mu^2) times the rate of (lambda_n, lambda_t).
static void proposition_4(const sti_blocks* b, sti_propositions_table* t, const delassus* d, const double* margins) {
    const sti_posed* s = b->s;
    const double band = s->options.tol * s->force, rate = s->options.lipschitz;
    double time = INFINITY, least = INFINITY;
    int boundary = 0;
    for (int i = 0; i < s->nc; i++) {
        if (isnan(margins[i])) continue;
        const double slope = s->rough[i] && !s->slides[i] ? hypot(1, s->mu[i]) : 1;
        least = fmin(least, margins[i]);
        boundary += fabs(margins[i]) <= band;
        if (rate > 0) time = fmin(time, fmax(margins[i], 0) / (slope * rate));
    }
    sti_propositions_begin(t, "P4.i", "sticking persists for a while: every bound holds strictly");
    sti_propositions_verdict(t, least > band ? STI_HOLDS : STI_HOLDS_NOT, "least margin %.6g%s", least,
                             rate > 0 ? "" : "; with a bound on the rate of the contact forces also the time");
    sti_propositions_number(t, "least_margin", least);
    if (rate > 0) sti_propositions_number(t, "time_to_slip_at_least", time);
    double* gain = sti_pool_doubles(b->pool, (size_t)s->nc);  // |rate of (lambda_n, lambda_t)| per |rate of F|
    for (int i = 0, tangent = b->m; gain != NULL && i < s->nc; i++) {
        double sum = sti_small_norm(b->n, d->W + (size_t)i * (size_t)b->n);
        for (int k = 0; k < s->tangents[i]; k++, tangent++)
            sum = hypot(sum, sti_small_norm(b->n, d->W + (size_t)tangent * (size_t)b->n));
        gain[i] = sum;
    }
    if (gain != NULL) sti_propositions_vector(t, "force_gain", s->nc, gain);

    sti_propositions_begin(t, "P4.ii", "contacts on the boundary of their disc, where slip may begin");
    if (least < -band)
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "the contacts do not all stick");
    else
        sti_propositions_verdict(
            t, boundary > 0 ? STI_HOLDS : STI_HOLDS_NOT,
            boundary > 0 ? "%d on the boundary: sticking at this instant, with no margin" : "none (%d)", boundary);
    sti_propositions_number(t, "on_boundary", boundary);
}

static sti_status propositions_2_to_4(const sti_blocks* b, sti_propositions_table* t) {
    static const char* const ids[] = {"P2", "P3", "C1", "P4.i", "P4.ii"};
    static const char* const titles[] = {"sticking of independent contacts, by (22)",
                                         "some external force makes the contacts stick, by (24)",
                                         "static equilibrium with all contacts sticking, by (25)",
                                         "sticking persists for a while", "contacts on the boundary of their disc"};
    const sti_posed* s = b->s;
    delassus d = {0};
    sti_status status = b->definite ? make_delassus(b, &d) : STI_OK;
    if (status != STI_OK) return status;
    if (!b->definite || !d.definite || b->slides) {
        for (int i = 0; i < 5; i++) {
            sti_propositions_begin(t, ids[i], titles[i]);
            sti_propositions_verdict(t, STI_NOT_APPLICABLE, "%s",
                                     b->slides      ? "a contact slides"
                                     : !b->definite ? "M is singular"
                                                    : "the contacts are not independent");
        }
        return STI_OK;
    }
    double *lambda = sti_pool_doubles(b->pool, (size_t)s->p), *margins = sti_pool_doubles(b->pool, (size_t)b->m);
    if (b->pool->status != STI_OK) return b->pool->status;
    sti_propositions_begin(t, ids[0], titles[0]);
    status = proposition_2(b, t, &d, lambda, margins);
    if (status != STI_OK) return status;
    const bool sticks = t->list[t->count - 1].verdict == STI_HOLDS;

    sti_propositions_begin(t, ids[1], titles[1]);
    sti_propositions_verdict(
        t, STI_HOLDS,
        sticks ? "F does; lambda = W F + V" : "lambda = W F + V takes every value, so some F does; this one does not");
    sti_propositions_matrix(t, "W_n", b->m, b->n, d.W);
    sti_propositions_matrix(t, "W_t", b->t, b->n, d.W + (size_t)b->m * (size_t)b->n);
    sti_propositions_vector(t, "V_n", b->m, d.V);
    sti_propositions_vector(t, "V_t", b->t, d.V + b->m);

    sti_propositions_begin(t, ids[2], titles[2]);
    const double rates = fmax(sti_small_max((size_t)b->m, b->c_n), sti_small_max((size_t)b->t, b->c_t));
    const double v = sti_small_max((size_t)b->n, s->instant->v);
    if (rates > 0 || v > 0) {
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "the system moves");
    } else {
        const sti_named* a = sti_proposition_number(sti_proposition_find(t->list, t->count, "P2"), "qdd");
        const double still = a != NULL ? sti_small_max((size_t)b->n, a->value) : NAN;
        const double unit = s->force * sti_small_max((size_t)b->n * (size_t)b->n, b->Minv);
        sti_propositions_verdict(
            t, sticks && still <= 1e-9 * unit ? STI_HOLDS : STI_HOLDS_NOT,
            sticks ? "the bounds hold; largest acceleration %.3g" : "a bound fails; largest acceleration %.3g", still);
        sti_propositions_number(t, "largest_acceleration", still);
    }
    proposition_4(b, t, &d, margins);
    return STI_OK;
}

// E = M + C C', D = C'E+ C, Q = D_tt - D_nt'D_nn+ D_nt  (27), lemma 1.
static sti_status lemma_1(sti_sticking* r, const sti_blocks* b, sti_propositions_table* t) {
    const sti_posed* s = b->s;
    sti_pool* pool = b->pool;
    const int n = b->n, m = b->m, tt = b->t, p = m + tt;
    double *E = sti_pool_copy(pool, s->instant->M, (size_t)n * (size_t)n),
           *C = sti_pool_doubles(pool, (size_t)n * (size_t)p);
    double *EC = sti_pool_doubles(pool, (size_t)n * (size_t)p), *D = sti_pool_doubles(pool, (size_t)p * (size_t)p), *Ep,
           *Np;
    double *Dnn = sti_pool_doubles(pool, (size_t)m * (size_t)m), *Q = sti_pool_doubles(pool, (size_t)tt * (size_t)tt);
    if (pool->status != STI_OK) return pool->status;
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < m; k++) C[(size_t)j * p + k] = b->N[(size_t)j * m + k];
        for (int k = 0; k < tt; k++) C[(size_t)j * p + m + k] = b->H[(size_t)j * tt + k];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) E[(size_t)i * n + j] += sti_small_dot(p, C + (size_t)i * p, C + (size_t)j * p);
    sti_svd fE, fD, fN, fQ;
    sti_status status = sti_svd_make(pool, n, n, E, STI_SMALL_RANK_TOL, &fE);
    if (status == STI_OK) status = sti_svd_pinv(pool, &fE, &Ep);
    if (status != STI_OK) return status;
    sti_small_multiply(n, n, p, Ep, C, EC);
    sti_small_multiply_tn(p, n, p, C, EC, D);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) Dnn[(size_t)i * m + k] = D[(size_t)i * p + k];
    status = sti_svd_make(pool, p, p, D, 1e-10, &fD);
    if (status == STI_OK) status = sti_svd_make(pool, m, m, Dnn, 1e-10, &fN);
    if (status == STI_OK) status = sti_svd_pinv(pool, &fN, &Np);
    if (status != STI_OK) return status;
    for (int i = 0; i < tt; i++) {
        for (int k = 0; k < tt; k++) {
            double sum = D[(size_t)(m + i) * p + m + k];
            for (int g = 0; g < m; g++)
                for (int h = 0; h < m; h++)
                    sum -= D[(size_t)g * p + m + i] * Np[(size_t)g * m + h] * D[(size_t)h * p + m + k];
            Q[(size_t)i * tt + k] = sum;
        }
    }
    status = sti_svd_make(pool, tt, tt, Q, 0, &fQ);
    if (status != STI_OK) return status;
    const bool nonsingular = tt == 0 || fQ.s[tt - 1] > 1e-10;  // D has eigenvalues at most one
    sti_propositions_begin(t, "L1", "Q of lemma 1 is nonsingular, so that (29) and (32) apply");
    if (nonsingular)
        sti_propositions_verdict(t, STI_HOLDS, "smallest singular value of Q is %.6g", tt > 0 ? fQ.s[tt - 1] : NAN);
    else
        sti_propositions_verdict(t, STI_HOLDS_NOT, "singular: the pseudo-inverse of D itself is used");
    sti_propositions_number(t, "rank_E", fE.rank);
    sti_propositions_number(t, "rank_D", fD.rank);
    sti_propositions_number(t, "Q_nonsingular", nonsingular);
    sti_propositions_matrix(t, "Q", tt, tt, Q);

    sti_propositions_begin(t, "P5", "the least-norm multipliers (31) satisfy the bounds (33): sufficient for sticking");
    if (!r->kkt_solvable || b->slides) {
        sti_propositions_verdict(t, STI_NOT_APPLICABLE,
                                 b->slides ? "a contact slides" : "the equations have no solution");
        return STI_OK;
    }
    double *ln = sti_pool_doubles(pool, (size_t)m), *lt = sti_pool_doubles(pool, (size_t)tt);
    if (pool->status != STI_OK) return pool->status;
    sti_blocks_split(b, r->lambda_least, ln, lt);
    sti_propositions_verdict(t, r->least_sticks ? STI_HOLDS : STI_HOLDS_NOT,
                             r->least_sticks ? "they do"
                             : r->self_stress_count > 0
                                 ? "they do not; with self-stress (dimension %d) that decides nothing"
                                 : "they do not, and there are no others (%d)",
                             r->self_stress_count);
    sti_propositions_vector(t, "lambda_n", m, ln);
    sti_propositions_vector(t, "lambda_t", tt, lt);
    sti_propositions_vector(t, "qdd", n, r->a_least);
    sti_propositions_vector(t, "margins", m, r->margins_least);
    sti_propositions_matrix(t, "self_stress", r->self_stress_count, s->p, r->self_stress);
    return STI_OK;
}

sti_status sti_propositions_bilateral(sti_sticking* r, const sti_blocks* b, sti_propositions_table* t) {
    sti_status status = proposition_1(r, b, t);
    if (status == STI_OK) status = propositions_2_to_4(b, t);
    if (status == STI_OK) status = lemma_1(r, b, t);
    return status;
}
