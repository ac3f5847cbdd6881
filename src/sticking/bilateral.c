// bilateral.c: S0 section 2: propositions 1 to 5, corollary 1, lemma 1. All contacts count as equality
// constraints, as S0 section 3.4 does for unilateral ones; what is asked of lambda differs.
//
// Corrections to the print that matter here (docs/reproductions.md): the condition of proposition 1 (ii) is on the
// stacked rates; W_n of (23) has H' in its last term and V_n a minus sign; (33) with the least-norm solution is
// sufficient only.
#include <math.h>
#include <string.h>

#include "sticking/blocks.h"

static sti_status proposition_1(sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t) {
    const sti_posed* s = b->s;
    sti_arena* pool = b->pool;
    double *Cl = sti_arena_doubles(pool, (size_t)s->n), *ln = sti_arena_doubles(pool, (size_t)b->m);
    double* lt = sti_arena_doubles(pool, (size_t)b->t);
    int* all = sti_arena_ints(pool, (size_t)s->p);
    if (pool->status != STI_OK) return pool->status;
    for (int k = 0; k < s->p; k++) all[k] = k;
    bool stacked;
    const sti_status status =
        sti_posed_consistent(s, b->exact, all, s->p, b->definite ? b->acceleration : NULL, &stacked);
    if (status != STI_OK) return status;
    const bool independent = b->rank_C == s->p, trivial = r->kernel_dimension == 0;

    sti_propositions_begin(t, "P1.i", "(14 a) has one solution for every right side");
    if (b->slides)
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "a contact slides");
    else
        sti_propositions_verdict(t, independent && trivial ? STI_HOLDS : STI_HOLDS_NOT,
                                 "rank of (grad h | H) is %d of %d, ker M meets ker (grad h | H)' in dimension %d",
                                 b->rank_C, s->p, r->kernel_dimension);
    sti_propositions_number(t, "rank_C", b->rank_C);
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
    sti_propositions_number(t, "separately_unique", b->rank_N + b->rank_H == b->rank_C);
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
    double* terms;     // what it was summed from            (p)
} delassus;

static sti_status make_delassus(const sti_sticking_blocks* b, delassus* d) {
    sti_arena* pool = b->pool;
    const size_t n = (size_t)b->n, m = (size_t)b->m, t = (size_t)b->t, p = m + t;
    double *C = sti_arena_doubles(pool, n * p), *MC = sti_arena_doubles(pool, n * p);
    double *Gnn = sti_arena_doubles(pool, m * m), *inv = sti_arena_doubles(pool, m * m);
    d->G = sti_arena_doubles(pool, p * p);
    d->Ginv = sti_arena_doubles(pool, p * p);
    d->W = sti_arena_doubles(pool, p * n);
    d->V = sti_arena_doubles(pool, p);
    d->S = sti_arena_doubles(pool, t * t);
    d->lambda = sti_arena_doubles(pool, p);
    d->terms = sti_arena_doubles(pool, p);
    if (pool->status != STI_OK) return pool->status;
    for (size_t j = 0; j < n; j++) {
        for (size_t k = 0; k < m; k++) C[j * p + k] = b->N[j * m + k];
        for (size_t k = 0; k < t; k++) C[j * p + m + k] = b->H[j * t + k];
    }
    sti_small_multiply(b->n, b->n, (int)p, b->Minv, C, MC);
    sti_small_multiply_tn((int)p, b->n, (int)p, C, MC, d->G);
    d->definite = p > 0 && b->rank_C == (int)p;
    if (!d->definite) return STI_OK;
    sti_status status = sti_small_inverse(pool, (int)p, d->G, d->Ginv, &d->definite);
    if (status != STI_OK || !d->definite) return status;
    for (size_t i = 0; i < p; i++) {
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < p; k++) d->W[i * n + j] += d->Ginv[i * p + k] * MC[j * p + k];
        for (size_t k = 0; k < p; k++) {
            const double term = d->Ginv[i * p + k] * (k < m ? b->c_n[k] : b->c_t[k - m]);
            d->V[i] -= term;
            d->terms[i] += fabs(term);
        }
        d->lambda[i] = d->V[i] + sti_small_dot(b->n, d->W + i * n, b->s->instant->F);
        for (size_t j = 0; j < n; j++) d->terms[i] += fabs(d->W[i * n + j] * b->s->instant->F[j]);
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

static void unsplit(const sti_sticking_blocks* b, const double* split, double* lambda) {
    const sti_posed* s = b->s;
    int tangent = b->m;
    for (int i = 0; i < s->nc; i++) {
        lambda[s->first[i]] = split[i];
        for (int k = 1; k <= s->tangents[i]; k++) lambda[s->first[i] + k] = split[tangent++];
    }
}

// The multipliers are unique here, so the decision over all of them is the verdict.
static sti_holds verdict_of(sti_sticking_outcome outcome) {
    return outcome == STI_STICKING_YES ? STI_HOLDS : outcome == STI_STICKING_NO ? STI_HOLDS_NOT : STI_HOLDS_UNKNOWN;
}

typedef struct unique {  // the only multipliers, contact by contact
    double* lambda;      // flat                                              (p)
    double* a;           // (n)
    double* margins;     // (m)
    double* terms;       // what each margin was summed from                  (m)
    int* sign;           // of the margin: as sti_blocks_sign, or exactly     (m)
} unique;

static double terms_of(const sti_posed* s, const delassus* d, int i, int tangent) {
    double sum = s->rough[i] && !s->slides[i] ? s->mu[i] * d->terms[i] : d->terms[i];
    for (int k = 0; k < s->tangents[i]; k++) sum += d->terms[tangent + k];
    return sum;
}

static sti_status find_margins(const sti_sticking* r, const sti_sticking_blocks* b, const delassus* d, unique* q) {
    const sti_posed* s = b->s;
    const sti_rationals* exact = r->answer.outcome == STI_STICKING_YES ? r->answer.lambda_exact : NULL;
    unsplit(b, d->lambda, q->lambda);
    sti_status status = STI_OK;
    for (int i = 0, tangent = b->m; status == STI_OK && i < s->nc; tangent += s->tangents[i], i++) {
        q->margins[i] = sti_posed_margin(s, i, q->lambda);
        q->terms[i] = terms_of(s, d, i, tangent);
        q->sign[i] = sti_blocks_sign(q->margins[i], q->terms[i]);
        if (exact != NULL && !isnan(q->margins[i])) status = sti_posed_margin_sign(s, i, exact, &q->sign[i]);
        if (q->sign[i] == 0 && !isnan(q->margins[i])) q->margins[i] = 0;
    }
    return status;
}

static sti_status make_unique(const sti_sticking* r, const sti_sticking_blocks* b, const delassus* d, unique* q) {
    const sti_posed* s = b->s;
    double* load = sti_arena_doubles(b->pool, (size_t)b->n);
    q->lambda = sti_arena_doubles(b->pool, (size_t)s->p);
    q->a = sti_arena_doubles(b->pool, (size_t)b->n);
    q->margins = sti_arena_doubles(b->pool, (size_t)b->m);
    q->terms = sti_arena_doubles(b->pool, (size_t)b->m);
    q->sign = sti_arena_ints(b->pool, (size_t)b->m);
    if (b->pool->status != STI_OK) return b->pool->status;
    const sti_status status = find_margins(r, b, d, q);
    for (int j = 0; j < b->n; j++)
        load[j] = sti_small_dot(s->p, s->C + (size_t)j * (size_t)s->p, q->lambda) - s->instant->F[j];
    sti_small_multiply(b->n, b->n, 1, b->Minv, load, q->a);
    return status;
}

static sti_status proposition_2(const sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t,
                                const delassus* d, const unique* q) {
    const int p = b->s->p;
    double *Gnn = sti_arena_doubles(b->pool, (size_t)b->m * (size_t)b->m), least = INFINITY;
    if (b->pool->status != STI_OK) return b->pool->status;
    for (int i = 0; i < b->m; i++) {
        if (q->margins[i] < least) least = q->margins[i];
        for (int k = 0; k < b->m; k++) Gnn[i * b->m + k] = d->G[(size_t)i * (size_t)p + (size_t)k];
    }
    const sti_holds sticks = verdict_of(r->answer.outcome);
    sti_propositions_verdict(t, sticks, "the only multipliers have least margin %.6g", least);
    sti_propositions_matrix(t, "G_nn", b->m, b->m, Gnn);
    sti_propositions_matrix(t, "S_G", b->t, b->t, d->S);
    sti_propositions_vector(t, "lambda_n", b->m, d->lambda);
    sti_propositions_vector(t, "lambda_t", b->t, d->lambda + b->m);
    sti_propositions_vector(t, "qdd", b->n, q->a);
    sti_propositions_vector(t, "margins", b->m, q->margins);
    sti_propositions_number(t, "all_sticking", sticks == STI_HOLDS ? 1 : sticks == STI_HOLDS_NOT ? 0 : NAN);
    return STI_OK;
}

// Corollary 1: at rest, and no acceleration but rounding of what it was summed from.
static void corollary_1(const sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t,
                        const delassus* d, const unique* q) {
    const double rates = fmax(sti_small_max((size_t)b->m, b->c_n), sti_small_max((size_t)b->t, b->c_t));
    if (rates > 0 || sti_small_max((size_t)b->n, b->s->instant->v) > 0) {
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "the system moves");
        return;
    }
    double still = 0;
    sti_holds rests = STI_HOLDS;
    for (int j = 0; j < b->n; j++) {
        double terms = b->acceleration[j];
        for (int k = 0; k < b->n; k++) {
            const double m = fabs(b->Minv[(size_t)j * b->n + k]);
            for (int l = 0; l < b->m; l++) terms += m * fabs(b->N[(size_t)k * b->m + l]) * d->terms[l];
            for (int l = 0; l < b->t; l++) terms += m * fabs(b->H[(size_t)k * b->t + l]) * d->terms[b->m + l];
        }
        const int sign = sti_blocks_sign(q->a[j], terms);
        if (sign == 1 || sign == -1) rests = STI_HOLDS_NOT;
        if (sign == 2 && rests == STI_HOLDS) rests = STI_HOLDS_UNKNOWN;
        if (sign != 0) still = fmax(still, fabs(q->a[j]));
    }
    const sti_holds sticks = verdict_of(r->answer.outcome);
    sti_propositions_verdict(t,
                             sticks == STI_HOLDS_NOT || rests == STI_HOLDS_NOT ? STI_HOLDS_NOT
                             : sticks == STI_HOLDS                             ? rests
                                                                               : STI_HOLDS_UNKNOWN,
                             sticks == STI_HOLDS       ? "the bounds hold; largest acceleration %.3g"
                             : sticks == STI_HOLDS_NOT ? "a bound fails; largest acceleration %.3g"
                                                       : "bounds within rounding; largest acceleration %.3g",
                             still);
    sti_propositions_number(t, "largest_acceleration", still);
}

// |rate of (lambda_n, lambda_t)| per |rate of F|, contact by contact.
static sti_status force_gain(const sti_sticking_blocks* b, sti_propositions_table* t, const delassus* d) {
    const sti_posed* s = b->s;
    double* gain = sti_arena_doubles(b->pool, (size_t)s->nc);
    for (int i = 0, tangent = b->m; gain != NULL && i < s->nc; i++) {
        double sum = sti_small_norm(b->n, d->W + (size_t)i * (size_t)b->n);
        for (int k = 0; k < s->tangents[i]; k++, tangent++)
            sum = hypot(sum, sti_small_norm(b->n, d->W + (size_t)tangent * (size_t)b->n));
        gain[i] = sum;
    }
    if (gain != NULL) sti_propositions_vector(t, "force_gain", s->nc, gain);
    return b->pool->status;
}

// Proposition 4: lower bound on the time to slip. The margin mu |lambda_n| - |lambda_t| changes no faster than
// sqrt(1 + mu^2) times the rate of (lambda_n, lambda_t).
static sti_status proposition_4(const sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t,
                                const delassus* d, const unique* q) {
    const sti_posed* s = b->s;
    const double rate = s->options.lipschitz;
    double time = INFINITY, least = INFINITY;
    int boundary = 0, unclear = 0;
    for (int i = 0; i < s->nc; i++) {
        if (isnan(q->margins[i])) continue;
        const double slope = s->rough[i] && !s->slides[i] ? hypot(1, s->mu[i]) : 1;
        least = fmin(least, q->margins[i]);
        boundary += q->sign[i] == 0;
        unclear += q->sign[i] == 2;
        if (rate > 0) time = fmin(time, fmax(q->margins[i], 0) / (slope * rate));
    }
    const sti_sticking_outcome outcome = r->answer.outcome;
    const bool sticks = outcome == STI_STICKING_YES;
    sti_propositions_begin(t, "P4.i", "sticking persists for a while: every bound holds strictly");
    sti_propositions_verdict(t,
                             outcome == STI_STICKING_NO || (sticks && boundary > 0) ? STI_HOLDS_NOT
                             : sticks && unclear == 0                               ? STI_HOLDS
                                                                                    : STI_HOLDS_UNKNOWN,
                             "least margin %.6g%s", least,
                             rate > 0 ? "" : "; with a bound on the rate of the contact forces also the time");
    sti_propositions_number(t, "least_margin", least);
    if (rate > 0) sti_propositions_number(t, "lipschitz", rate);
    if (rate > 0) sti_propositions_number(t, "time_to_slip_at_least", time);
    const sti_status status = force_gain(b, t, d);

    sti_propositions_begin(t, "P4.ii", "contacts on the boundary of their disc, where slip may begin");
    if (outcome == STI_STICKING_NO)
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "the contacts do not all stick");
    else if (!sticks || unclear > 0)
        sti_propositions_verdict(t, STI_HOLDS_UNKNOWN, "margins within rounding of zero: %d", boundary + unclear);
    else
        sti_propositions_verdict(
            t, boundary > 0 ? STI_HOLDS : STI_HOLDS_NOT,
            boundary > 0 ? "%d on the boundary: sticking at this instant, with no margin" : "none (%d)", boundary);
    sti_propositions_number(t, "on_boundary", boundary);
    return status;
}

static sti_status propositions_2_to_4(const sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t) {
    static const char* const ids[] = {"P2", "P3", "C1", "P4.i", "P4.ii"};
    static const char* const titles[] = {"sticking of independent contacts, by (22)",
                                         "some external force makes the contacts stick, by (24)",
                                         "static equilibrium with all contacts sticking, by (25)",
                                         "sticking persists for a while", "contacts on the boundary of their disc"};
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
    unique q = {0};
    status = make_unique(r, b, &d, &q);
    if (status != STI_OK) return status;
    sti_propositions_begin(t, ids[0], titles[0]);
    status = proposition_2(r, b, t, &d, &q);
    if (status != STI_OK) return status;

    sti_propositions_begin(t, ids[1], titles[1]);
    sti_propositions_verdict(t, STI_HOLDS,
                             r->answer.outcome == STI_STICKING_YES ? "F does; lambda = W F + V"
                             : r->answer.outcome == STI_STICKING_NO
                                 ? "lambda = W F + V takes every value, so some F does; this one does not"
                                 : "lambda = W F + V takes every value, so some F does");
    sti_propositions_matrix(t, "W_n", b->m, b->n, d.W);
    sti_propositions_matrix(t, "W_t", b->t, b->n, d.W + (size_t)b->m * (size_t)b->n);
    sti_propositions_vector(t, "V_n", b->m, d.V);
    sti_propositions_vector(t, "V_t", b->t, d.V + b->m);

    sti_propositions_begin(t, ids[2], titles[2]);
    corollary_1(r, b, t, &d, &q);
    return proposition_4(r, b, t, &d, &q);
}

// L^-1 C with M = L L': its singular values are the roots of those of C'M^-1 C. false: a pivot is not positive.
static bool divide_by_root(int n, int p, const double* M, double* L, double* C) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            const double sum = M[(size_t)i * n + j] - sti_small_dot(j, L + (size_t)i * n, L + (size_t)j * n);
            if (i == j && !(sum > 0)) return false;
            L[(size_t)i * n + j] = i == j ? sqrt(sum) : sum / L[(size_t)j * n + j];
        }
        for (int k = 0; k < p; k++) {
            for (int j = 0; j < i; j++) C[(size_t)i * p + k] -= L[(size_t)i * n + j] * C[(size_t)j * p + k];
            C[(size_t)i * p + k] /= L[(size_t)i * n + i];
        }
    }
    return true;
}

// D = C'E+ C of (27), E = M + C C'. With M = L L' > 0 and L^-1 C = U diag(s) V' it is V diag(s^2 / (1 + s^2)) V', which
// does not mind units as E does. Otherwise E is inverted in even units: im C is in im E, so that any generalized
// inverse will do.
static sti_status make_D(const sti_sticking_blocks* b, const double* C, int rank_E, double* D) {
    const sti_posed* s = b->s;
    sti_arena* pool = b->pool;
    const int n = b->n, p = b->m + b->t;
    double *MC = sti_arena_doubles(pool, (size_t)n * (size_t)p), *E = sti_arena_doubles(pool, (size_t)n * (size_t)n);
    double *even = sti_arena_copy(pool, C, (size_t)n * (size_t)p), *pinv;
    sti_svd f;
    if (pool->status != STI_OK) return pool->status;
    if (b->definite && divide_by_root(n, p, s->instant->M, E, even)) {
        const sti_status status = sti_svd_make(pool, n, p, even, 0, &f);
        for (int i = 0; status == STI_OK && i < p; i++)
            for (int k = 0; k < p; k++)
                for (int l = 0; l < b->rank_C; l++)
                    D[(size_t)i * p + k] +=
                        f.V[(size_t)l * p + i] * f.V[(size_t)l * p + k] / (1 + 1 / (f.s[l] * f.s[l]));
        return status;
    }
    memcpy(even, C, (size_t)n * (size_t)p * sizeof *even);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < p; k++) even[(size_t)i * p + k] *= s->unit[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            E[(size_t)i * n + j] = s->unit[i] * s->instant->M[(size_t)i * n + j] * s->unit[j] +
                                   sti_small_dot(p, even + (size_t)i * p, even + (size_t)j * p);
    sti_status status = sti_svd_make(pool, n, n, E, 0, &f);
    if (status != STI_OK) return status;
    f.rank = rank_E;
    status = sti_svd_pinv(pool, &f, &pinv);
    if (status != STI_OK) return status;
    sti_small_multiply(n, n, p, pinv, even, MC);
    sti_small_multiply_tn(p, n, p, even, MC, D);
    return STI_OK;
}

// Q = D_tt - D_nt'D_nn- D_nt: im D_nt is in im D_nn, and D_nn is inverted with its diagonal scaled to one.
static sti_status make_Q(const sti_sticking_blocks* b, const double* D, double* Q) {
    const int m = b->m, tt = b->t, p = m + tt;
    sti_arena* pool = b->pool;
    double *Dnn = sti_arena_doubles(pool, (size_t)m * (size_t)m), *scale = sti_arena_doubles(pool, (size_t)m), *Np;
    if (pool->status != STI_OK) return pool->status;
    for (int i = 0; i < m; i++) scale[i] = D[(size_t)i * p + i] > 0 ? 1 / sqrt(D[(size_t)i * p + i]) : 1;
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) Dnn[(size_t)i * m + k] = scale[i] * D[(size_t)i * p + k] * scale[k];
    sti_svd f;
    sti_status status = sti_svd_make(pool, m, m, Dnn, 0, &f);
    if (status != STI_OK) return status;
    f.rank = b->rank_N;
    status = sti_svd_pinv(pool, &f, &Np);
    if (status != STI_OK) return status;
    for (int i = 0; i < tt; i++) {
        for (int k = 0; k < tt; k++) {
            double sum = D[(size_t)(m + i) * p + m + k];
            for (int g = 0; g < m; g++)
                for (int h = 0; h < m; h++)
                    sum -= D[(size_t)g * p + m + i] * scale[g] * Np[(size_t)g * m + h] * scale[h] *
                           D[(size_t)h * p + m + k];
            Q[(size_t)i * tt + k] = sum;
        }
    }
    return STI_OK;
}

// Lemma 1. Ranks are known without the matrices: the kernel of E is that of M with that of C'; im C is in im E, so D
// has the rank of C, D_nn that of grad h, and Q what is between.
static sti_status lemma_1(sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t) {
    const sti_posed* s = b->s;
    sti_arena* pool = b->pool;
    const int n = b->n, m = b->m, tt = b->t, p = m + tt;
    int rank_E = n - r->kernel_dimension;
    double *C = sti_arena_doubles(pool, (size_t)n * (size_t)p), *D = sti_arena_doubles(pool, (size_t)p * (size_t)p);
    double *Q = sti_arena_doubles(pool, (size_t)tt * (size_t)tt),
           *stacked = sti_arena_doubles(pool, (size_t)n * (size_t)(n + p));
    if (pool->status != STI_OK) return pool->status;
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < m; k++) C[(size_t)j * p + k] = b->N[(size_t)j * m + k];
        for (int k = 0; k < tt; k++) C[(size_t)j * p + m + k] = b->H[(size_t)j * tt + k];
        memcpy(stacked + (size_t)j * (size_t)(n + p), s->instant->M + (size_t)j * n, (size_t)n * sizeof *stacked);
        memcpy(stacked + (size_t)j * (size_t)(n + p) + n, C + (size_t)j * p, (size_t)p * sizeof *stacked);
    }
    sti_svd fQ;
    sti_status status = b->slides ? sti_small_rank(pool, n, n + p, stacked, &rank_E) : STI_OK;
    if (status == STI_OK) status = make_D(b, C, rank_E, D);
    if (status == STI_OK) status = make_Q(b, D, Q);
    if (status != STI_OK) return status;
    status = sti_svd_make(pool, tt, tt, Q, 0, &fQ);
    if (status != STI_OK) return status;
    const bool nonsingular = b->rank_C - b->rank_N == tt;
    sti_propositions_begin(t, "L1", "Q of lemma 1 is nonsingular, so that (29) and (32) apply");
    if (nonsingular)
        sti_propositions_verdict(t, STI_HOLDS, "smallest singular value of Q is %.6g", tt > 0 ? fQ.s[tt - 1] : NAN);
    else
        sti_propositions_verdict(t, STI_HOLDS_NOT, "singular: the pseudo-inverse of D itself is used");
    sti_propositions_number(t, "rank_E", rank_E);
    sti_propositions_number(t, "rank_D", b->rank_C);
    sti_propositions_number(t, "Q_nonsingular", nonsingular);
    sti_propositions_matrix(t, "Q", tt, tt, Q);

    sti_propositions_begin(t, "P5", "the least-norm multipliers (31) satisfy the bounds (33): sufficient for sticking");
    if (!r->kkt_solvable || b->slides) {
        sti_propositions_verdict(t, STI_NOT_APPLICABLE,
                                 b->slides ? "a contact slides" : "the equations have no solution");
        return STI_OK;
    }
    double *ln = sti_arena_doubles(pool, (size_t)m), *lt = sti_arena_doubles(pool, (size_t)tt);
    if (pool->status != STI_OK) return pool->status;
    sti_blocks_split(b, r->lambda_least, ln, lt);
    const sti_holds sticks = r->self_stress_count == 0    ? verdict_of(r->answer.outcome)
                             : r->least_sticks == STI_YES ? STI_HOLDS
                             : r->least_sticks == STI_NO  ? STI_HOLDS_NOT
                                                          : STI_HOLDS_UNKNOWN;
    sti_propositions_verdict(t, sticks,
                             sticks == STI_HOLDS           ? "they do"
                             : sticks == STI_HOLDS_UNKNOWN ? "they are within rounding of the bounds"
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

sti_status sti_propositions_bilateral(sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t) {
    sti_status status = proposition_1(r, b, t);
    if (status == STI_OK) status = propositions_2_to_4(r, b, t);
    if (status == STI_OK) status = lemma_1(r, b, t);
    return status;
}
