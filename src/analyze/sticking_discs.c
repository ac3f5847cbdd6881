// sticking_discs.c: S0 sections 3.3 and 4.1: propositions 9 to 12 and corollary 4.
//
// F_tilde of (54) with the sign of errata S0-E7:  F_tilde = -H'M^-1 F + d/dt(H') qd + H'M^-1 grad h lambda_n, so that
// F_tilde + A_tt lambda_t = 0. The quadratic program (57),
//
//     min 1/2 |F_tilde + A_tt diag(lambda_n) z|^2    over    z_i in the disc of radius mu_i, or its inner polygon,
//
// is zero exactly when the discs can hold the contacts. Polygon: the facets asked for, eight otherwise; corners at
// angles 2 pi j / K.
#include <math.h>
#include <string.h>

#include "analyze/sticking_blocks.h"

// Unknowns z (t) and e = F_tilde + A z (t), |e|^2/2 to be least.
static sti_status least_distance(const sti_blocks* b, const double* F, const double* A, int facets, double* value,
                                 double** z) {
    const sti_posed* s = b->s;
    const int t = b->t;
    sti_program p = {0};
    sti_status status = sti_program_open(&p, b->pool, 2 * t, t + b->m * (facets > 3 ? facets : 3), false);
    if (status != STI_OK) return status;
    for (int i = 0; i < t; i++) {
        const int r = sti_program_add(&p, STI_ROW_ZERO, -1);
        sti_program_put(&p, r, 0, F[i]);
        for (int j = 0; j < t; j++) sti_program_put(&p, r, 1 + j, A[(size_t)i * t + j]);
        sti_program_put(&p, r, 1 + t + i, -1);
    }
    for (int i = 0, at = 0; i < s->nc; at += s->tangents[i], i++) {
        if (s->tangents[i] == 0) continue;
        if (s->tangents[i] == 2 && facets == 0) {
            sti_program_put(&p, sti_program_add(&p, STI_ROW_HEAD, i), 0, s->mu[i]);
            for (int k = 0; k < 2; k++) sti_program_put(&p, sti_program_add(&p, STI_ROW_TAIL, i), 1 + at + k, 1);
            continue;
        }
        const int count = s->tangents[i] == 1 ? 2 : facets;
        for (int k = 0; k < count; k++) {
            double m[2] = {k == 0 ? 1 : -1, 0};
            if (s->tangents[i] == 2) sti_facet_normal(count, k, m);
            const int r = sti_program_add(&p, STI_ROW_NONNEGATIVE, i);
            sti_program_put(&p, r, 0, s->mu[i]);
            for (int h = 0; h < s->tangents[i]; h++) sti_program_put(&p, r, 1 + at + h, -m[h]);
        }
    }
    double* weight = sti_pool_doubles(b->pool, (size_t)(2 * t));
    if (weight == NULL) return b->pool->status;
    for (int i = 0; i < t; i++) weight[t + i] = 1;
    status = sti_program_reduce(&p);
    sti_program_answer answer;
    if (status == STI_OK) status = sti_program_minimize(&p, NULL, weight, &answer);
    if (status != STI_OK) return status;
    *value = answer.outcome == STI_CONIC_SOLVED ? answer.value : NAN;
    *z = answer.x;
    return STI_OK;
}

// Propositions 9 (ii), 10 and corollary 4, from the solution of the contact LCP.
static sti_status propositions_9_10(sti_sticking* r, const sti_blocks* b, sti_propositions_table* t,
                                    const sti_augmented* g) {
    const sti_posed* s = b->s;
    sti_pool* pool = b->pool;
    const int n = b->n, tt = b->t;
    double *ln = sti_pool_doubles(pool, (size_t)b->m), *lt = sti_pool_doubles(pool, (size_t)tt);
    double *MH = sti_pool_doubles(pool, (size_t)n * (size_t)tt), *A = sti_pool_doubles(pool, (size_t)tt * (size_t)tt);
    double *push = sti_pool_doubles(pool, (size_t)n), *F = sti_pool_doubles(pool, (size_t)tt);
    double* ratio = sti_pool_doubles(pool, (size_t)b->m);
    if (pool->status != STI_OK) return pool->status;
    sti_blocks_split(b, r->opening_lambda, ln, lt);
    sti_small_multiply(n, n, tt, b->Minv, b->H, MH);
    sti_small_multiply_tn(tt, n, tt, b->H, MH, A);
    for (int j = 0; j < n; j++) push[j] = sti_small_dot(b->m, b->N + (size_t)j * b->m, ln) - s->instant->F[j];
    for (int i = 0; i < tt; i++) {
        F[i] = b->c_t[i];
        for (int j = 0; j < n; j++) F[i] += MH[(size_t)j * tt + i] * push[j];
    }
    // lambda_t = -A_tt^-1 F_tilde, unique here; the discs may have moved opening_lambda where they could
    sti_svd f;
    sti_status status = sti_svd_make(pool, tt, tt, A, STI_SMALL_RANK_TOL, &f);
    if (status != STI_OK) return status;
    sti_svd_solve(&f, F, lt);
    for (int i = 0; i < tt; i++) lt[i] = -lt[i];
    for (int i = 0, at = 0; i < b->m; i++) {
        double size = 0;
        for (int k = 0; k < s->tangents[i]; k++) {
            size = hypot(size, lt[at]);
            for (int h = 0; h < tt; h++) A[(size_t)h * tt + at] *= ln[i];
            at++;
        }
        ratio[i] = ln[i] > 0 ? size / ln[i] : size > 0 ? INFINITY : 0;
    }
    const int facets = s->options.facets > 0 ? s->options.facets : 8;
    double polygon, disc, *z_polygon, *z_disc;
    status = least_distance(b, F, A, facets, &polygon, &z_polygon);
    if (status == STI_OK) status = least_distance(b, F, A, 0, &disc, &z_disc);
    if (status != STI_OK) return status;
    const double zero = 1e-13 * (1 + sti_small_dot(tt, F, F));
    bool holds = true;
    for (int i = 0; i < b->m; i++) holds = holds && ratio[i] <= s->mu[i] * (1 + 1e-12);

    sti_propositions_begin(t, "P9.ii", "(53): lambda_n by projection, and lambda_t in the discs");
    sti_propositions_verdict(t, holds ? STI_HOLDS : STI_HOLDS_NOT, "ratios |lambda_t| / lambda_n against mu decide");
    sti_propositions_matrix(t, "A_c", b->u, b->u, g->A);
    sti_propositions_vector(t, "H_c", b->u, g->H);
    sti_propositions_vector(t, "lambda_n", b->m, ln);
    sti_propositions_vector(t, "F_tilde", tt, F);
    sti_propositions_vector(t, "lambda_t", tt, lt);
    sti_propositions_vector(t, "ratios", b->m, ratio);
    sti_propositions_vector(t, "qdd", n, r->opening_a);

    sti_propositions_begin(t, "P10", "the quadratic program (57) has minimum zero, for the polygon");
    sti_propositions_verdict(t,
                             isnan(polygon)    ? STI_HOLDS_UNKNOWN
                             : polygon <= zero ? STI_HOLDS
                                               : STI_HOLDS_NOT,
                             "minimum %.6g for the polygon with %d corners, %.6g for the disc", polygon, facets, disc);
    sti_propositions_number(t, "facets", facets);
    sti_propositions_number(t, "minimum_polygon", polygon);
    sti_propositions_vector(t, "z_polygon", tt, z_polygon);
    sti_propositions_number(t, "minimum_disc", disc);
    sti_propositions_vector(t, "z_disc", tt, z_disc);
    sti_propositions_number(t, "sticks_polygon", polygon <= zero);
    sti_propositions_number(t, "sticks_disc", disc <= zero);

    int open = 0;
    for (int i = 0; i < b->m; i++) open += s->tangents[i] > 0 && !(ln[i] > 1e-12 * s->force);
    sti_propositions_begin(t, "C4", "(59) is solvable; its solutions differ only where lambda_n = 0");
    sti_propositions_verdict(
        t, STI_HOLDS, open == 0 ? "all lambda_n are positive: one solution" : "%d contacts have lambda_n = 0", open);
    return STI_OK;
}

static sti_status propositions_9_to_c4(sti_sticking* r, const sti_blocks* b, sti_propositions_table* t) {
    const sti_posed* s = b->s;
    bool bilateral = false, definite = false;
    for (int i = 0; i < b->m; i++) bilateral = bilateral || s->bilateral[i];
    const char* why = b->slides   ? "a contact slides"
                      : b->u == 0 ? "there is no unilateral contact"
                      : !b->definite || !b->X_independent
                          ? "assumption 1 fails: M is singular, or tangents are dependent"
                          : NULL;
    sti_propositions_begin(t, "P9.i", "(52) is solvable: contacts stick, or open, within their discs");
    if (why != NULL)
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "%s", why);
    else
        sti_propositions_verdict(t,
                                 r->opening_outcome == STI_STICKING_YES  ? STI_HOLDS
                                 : r->opening_outcome == STI_STICKING_NO ? STI_HOLDS_NOT
                                                                         : STI_HOLDS_UNKNOWN,
                                 "decided over all multipliers of (43)");
    sti_augmented g = {0};
    if (why == NULL) {
        sti_status status = sti_blocks_augmented(b, &g);
        double *w = sti_pool_doubles(b->pool, (size_t)b->u),
               *V = sti_pool_doubles(b->pool, (size_t)b->u * (size_t)b->u);
        if (status == STI_OK) status = b->pool->status;
        if (status == STI_OK) status = sti_small_eigen(b->pool, b->u, g.A, w, V);
        if (status != STI_OK) return status;
        definite = w[0] > 1e-11 * w[b->u - 1];
        if (!definite) why = "A_c is singular: lambda_n is not unique";
        if (bilateral) why = "there are bilateral contacts";
        if (r->mlcp_outcome != STI_SOLVED) why = "the contact problem was not solved";
    }
    if (why == NULL) return propositions_9_10(r, b, t, &g);
    static const char* const ids[] = {"P9.ii", "P10", "C4"};
    static const char* const titles[] = {"(53): lambda_n by projection, and lambda_t in the discs",
                                         "the quadratic program (57) has minimum zero",
                                         "(59) is solvable; its solutions differ only where lambda_n = 0"};
    for (int i = 0; i < 3; i++) {
        sti_propositions_begin(t, ids[i], titles[i]);
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "%s", why);
    }
    return STI_OK;
}

static void proposition_11(sti_sticking* r, const sti_blocks* b, sti_propositions_table* t) {
    const sti_least_friction* least = &r->least_common;
    sti_propositions_begin(t, "P11", "for enough friction all contacts stick, in the sense of (61)");
    if (b->t == 0 || b->slides) {
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, b->slides ? "a contact slides" : "no contact has tangents");
        return;
    }
    if (!r->kkt_solvable)
        sti_propositions_verdict(t, STI_HOLDS_NOT, "the equations have no solution");
    else if (least->exists == STI_YES)
        sti_propositions_verdict(t, STI_HOLDS,
                                 least->attained ? "least common coefficient %.10g"
                                                 : "every coefficient above %.3g: internal forces may grow",
                                 least->mu);
    else
        sti_propositions_verdict(t, least->exists == STI_NO ? STI_HOLDS_NOT : STI_HOLDS_UNKNOWN,
                                 "a contact would need friction where its normal force is not positive");
    sti_propositions_number(t, "mu_min", least->mu);
    sti_propositions_number(t, "attained", least->attained);
    sti_propositions_number(t, "factor_min", r->least_factor.mu);
    sti_propositions_vector(t, "mu_min_own", b->m, r->least_own);
}

// Both sides of (64), and A_c of (63).
static sti_status proposition_12(const sti_blocks* b, sti_propositions_table* t) {
    sti_propositions_begin(t, "P12", "(64): couplings are small, so that A_c of (63) is positive definite");
    if (!b->definite || b->slides || b->u == 0 || b->x == 0) {
        sti_propositions_verdict(t, STI_NOT_APPLICABLE,
                                 b->slides      ? "a contact slides"
                                 : !b->definite ? "M is singular"
                                                : "nothing is coupled");
        return STI_OK;
    }
    sti_pool* pool = b->pool;
    const int n = b->n, u = b->u, x = b->x;
    double *MX = sti_pool_doubles(pool, (size_t)n * (size_t)x), *MU = sti_pool_doubles(pool, (size_t)n * (size_t)u);
    double *H1 = sti_pool_doubles(pool, (size_t)x * (size_t)x), *UX = sti_pool_doubles(pool, (size_t)u * (size_t)x);
    double* UU = sti_pool_doubles(pool, (size_t)u * (size_t)u);
    if (pool->status != STI_OK) return pool->status;
    sti_small_multiply(n, n, x, b->Minv, b->X, MX);
    sti_small_multiply(n, n, u, b->Minv, b->U, MU);
    sti_small_multiply_tn(x, n, x, b->X, MX, H1);
    sti_small_multiply_tn(u, n, x, b->U, MX, UX);
    sti_small_multiply_tn(u, n, u, b->U, MU, UU);
    sti_svd f1, f2, f3;
    sti_augmented g;
    sti_status status = sti_svd_make(pool, x, x, H1, 0, &f1);
    if (status == STI_OK) status = sti_svd_make(pool, u, x, UX, 0, &f2);
    if (status == STI_OK) status = sti_svd_make(pool, u, u, UU, 0, &f3);
    if (status == STI_OK) status = sti_blocks_augmented(b, &g);
    if (status != STI_OK) return status;
    double *w = sti_pool_doubles(pool, (size_t)u), *V = sti_pool_doubles(pool, (size_t)u * (size_t)u);
    if (pool->status != STI_OK) return pool->status;
    status = sti_small_eigen(pool, u, g.A, w, V);
    const double lhs = f2.s[0] * f2.s[0], rhs = f3.s[u - 1] * f1.s[x - 1];
    const bool definite = w[0] > 1e-11 * f3.s[0];
    sti_propositions_verdict(t, lhs < rhs ? STI_HOLDS : STI_HOLDS_NOT, "%.6g against %.6g; A_c is%s positive definite",
                             lhs, rhs, definite ? "" : " not");
    sti_propositions_number(t, "lhs", lhs);
    sti_propositions_number(t, "rhs", rhs);
    sti_propositions_matrix(t, "A_c", u, u, g.A);
    sti_propositions_number(t, "A_c_positive_definite", definite);
    return status;
}

sti_status sti_propositions_discs(sti_sticking* r, const sti_blocks* b, sti_propositions_table* t) {
    sti_status status = propositions_9_to_c4(r, b, t);
    if (status != STI_OK) return status;
    proposition_11(r, b, t);
    return proposition_12(b, t);
}
