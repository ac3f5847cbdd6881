// discs.c: S0 sections 3.3 and 4.1: propositions 9 to 12 and corollary 4.
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

#include "sticking/blocks.h"

// Unknowns z (t) and e = F_tilde + A z (t), |e|^2/2 to be least.
static sti_status least_distance(const sti_sticking_blocks* b, const double* F, const double* A, int facets,
                                 double* value, double** z) {
    const sti_posed* s = b->s;
    const int t = b->t;
    sti_cone_program p = {0};
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
    double* weight = sti_arena_doubles(b->pool, (size_t)(2 * t));
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

// The only multipliers of (43), in the order of S0, and what (54) and (57) are made of.
typedef struct discs {
    double *ln, *lt;  // (m), (t)
    double *A, *F;    // A_tt diag(lambda_n) (t x t), F_tilde (t)
    double* ratio;    // |lambda_t| / lambda_n   (m)
    int idle;         // contacts with tangents and lambda_n = 0
    sti_holds disc, polygon;
} discs;

static sti_status take_discs(const sti_sticking_blocks* b, discs* d) {
    const size_t t = (size_t)b->t;
    d->ln = sti_arena_doubles(b->pool, (size_t)b->m);
    d->lt = sti_arena_doubles(b->pool, t);
    d->A = sti_arena_doubles(b->pool, t * t);
    d->F = sti_arena_doubles(b->pool, t);
    d->ratio = sti_arena_doubles(b->pool, (size_t)b->m);
    return b->pool->status;
}

static sti_status make_F_tilde(const sti_sticking_blocks* b, discs* d) {
    const int n = b->n, t = b->t;
    double *MH = sti_arena_doubles(b->pool, (size_t)n * (size_t)t), *push = sti_arena_doubles(b->pool, (size_t)n);
    if (b->pool->status != STI_OK) return b->pool->status;
    sti_small_multiply(n, n, t, b->Minv, b->H, MH);
    sti_small_multiply_tn(t, n, t, b->H, MH, d->A);
    for (int j = 0; j < n; j++) push[j] = sti_small_dot(b->m, b->N + (size_t)j * b->m, d->ln) - b->s->instant->F[j];
    for (int i = 0; i < t; i++) {
        d->F[i] = b->c_t[i];
        for (int j = 0; j < n; j++) d->F[i] += MH[(size_t)j * t + i] * push[j];
    }
    for (int i = 0, at = 0; i < b->m; i++)
        for (int k = 0; k < b->s->tangents[i]; k++, at++)
            for (int h = 0; h < t; h++) d->A[(size_t)h * t + at] *= d->ln[i];
    return STI_OK;
}

// Is lambda_t of contact i in lambda_n times the polygon? Against the forces that it and lambda_n were found from.
static sti_holds in_polygon(const sti_posed* s, int facets, int i, double normal, const double* lt) {
    double most = 0;
    for (int k = 0; k < facets; k++) {
        double m[2];
        sti_facet_normal(facets, k, m);
        most = fmax(most, m[0] * lt[0] + m[1] * lt[1]);
    }
    const int sign = sti_blocks_sign(s->mu[i] * normal - most, s->mu[i] * fabs(normal) + hypot(lt[0], lt[1]));
    return sign == 1 || (sign == 0 && most == 0) ? STI_HOLDS : sign == -1 ? STI_HOLDS_NOT : STI_HOLDS_UNKNOWN;
}

// Every lambda_t in its disc, clearly or clearly not?
static sti_holds disc_around(const sti_posed* s, const discs* d) {
    sti_holds verdict = STI_HOLDS;
    for (int i = 0, at = 0; i < s->nc; at += s->tangents[i], i++) {
        double size = 0;
        for (int k = 0; k < s->tangents[i]; k++) size = hypot(size, d->lt[at + k]);
        const double bound = s->mu[i] * d->ln[i];
        const int sign = sti_blocks_sign(bound - size, bound + size);
        if (sign == -1) return STI_HOLDS_NOT;
        if (sign == 2 || (sign == 0 && size > 0)) verdict = STI_HOLDS_UNKNOWN;
    }
    return verdict;
}

// In floating point: forces that are rounding against the largest of them are zero.
static void clear_rounding(const sti_posed* s, double* ln, double* lt) {
    double size = s->force;
    int tangents = 0;
    for (int i = 0; i < s->nc; i++) {
        size = fmax(size, fabs(ln[i]));
        tangents += s->tangents[i];
    }
    for (int k = 0; k < tangents; k++) size = fmax(size, fabs(lt[k]));
    for (int i = 0; i < s->nc; i++)
        if (fabs(ln[i]) <= 1e-14 * size) ln[i] = 0;
    for (int k = 0; k < tangents; k++)
        if (fabs(lt[k]) <= 1e-14 * size) lt[k] = 0;
}

// The multipliers are unique, so that "in the discs" is what (60) found; only polygons in space are another question.
static void judge_discs(const sti_sticking* r, const sti_sticking_blocks* b, int facets, discs* d) {
    const sti_posed* s = b->s;
    const sti_sticking_outcome outcome = r->answer.opening.outcome;
    d->disc = outcome == STI_STICKING_YES ? STI_HOLDS : outcome == STI_STICKING_NO ? STI_HOLDS_NOT : STI_HOLDS_UNKNOWN;
    d->polygon = STI_HOLDS;
    bool spatial = false;
    for (int i = 0, at = 0; i < b->m; at += s->tangents[i], i++) {
        double size = 0;
        for (int k = 0; k < s->tangents[i]; k++) size = hypot(size, d->lt[at + k]);
        d->ratio[i] = d->ln[i] > 0 ? size / d->ln[i] : size > 0 ? INFINITY : 0;
        d->idle += s->tangents[i] > 0 && d->ln[i] == 0;
        if (s->tangents[i] < 2) continue;
        spatial = true;
        const sti_holds one = in_polygon(s, facets, i, d->ln[i], d->lt + at);
        if (one == STI_HOLDS_NOT || d->polygon == STI_HOLDS) d->polygon = one;
    }
    // facets asked for: (60) was about that polygon, and the disc is around it
    if (s->options.facets > 0 && spatial) {
        d->polygon = d->disc;
        if (d->disc != STI_HOLDS) d->disc = disc_around(s, d);
    } else if (!spatial || d->disc == STI_HOLDS_NOT) {
        d->polygon = d->disc;
    }
}

static double number_of(sti_holds verdict) {
    return verdict == STI_HOLDS ? 1 : verdict == STI_HOLDS_NOT ? 0 : NAN;
}

// (57) for the polygon and for the disc. A minimum that is known to be zero is zero.
static sti_status proposition_10(const sti_sticking_blocks* b, sti_propositions_table* t, int facets, const discs* d) {
    double polygon, disc, *z_polygon, *z_disc;
    sti_status status = least_distance(b, d->F, d->A, facets, &polygon, &z_polygon);
    if (status == STI_OK) status = least_distance(b, d->F, d->A, 0, &disc, &z_disc);
    if (status != STI_OK) return status;
    if (d->polygon == STI_HOLDS) polygon = 0;
    if (d->disc == STI_HOLDS) disc = 0;
    sti_propositions_begin(t, "P10", "the quadratic program (57) has minimum zero, for the polygon");
    sti_propositions_verdict(t, d->polygon, "minimum %.6g for the polygon with %d corners, %.6g for the disc", polygon,
                             facets, disc);
    sti_propositions_number(t, "facets", facets);
    sti_propositions_number(t, "minimum_polygon", polygon);
    sti_propositions_vector(t, "z_polygon", b->t, z_polygon);
    sti_propositions_number(t, "minimum_disc", disc);
    sti_propositions_vector(t, "z_disc", b->t, z_disc);
    sti_propositions_number(t, "sticks_polygon", number_of(d->polygon));
    sti_propositions_number(t, "sticks_disc", number_of(d->disc));
    return STI_OK;
}

// Propositions 9 (ii), 10 and corollary 4, from the solution of the contact LCP.
static sti_status propositions_9_10(sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t,
                                    const sti_augmented* g) {
    const int facets = b->s->options.facets > 0 ? b->s->options.facets : 8;
    discs d = {0};
    sti_status status = take_discs(b, &d);
    if (status != STI_OK) return status;
    sti_blocks_split(b, r->answer.opening.lambda, d.ln, d.lt);
    if (r->answer.opening.lambda_exact == NULL) clear_rounding(b->s, d.ln, d.lt);
    status = make_F_tilde(b, &d);
    if (status != STI_OK) return status;
    judge_discs(r, b, facets, &d);
    sti_propositions_begin(t, "P9.ii", "(53): lambda_n by projection, and lambda_t in the discs");
    sti_propositions_verdict(t, b->s->options.facets > 0 ? d.polygon : d.disc,
                             "ratios |lambda_t| / lambda_n against mu decide");
    sti_propositions_matrix(t, "A_c", b->u, b->u, g->A);
    sti_propositions_vector(t, "H_c", b->u, g->H);
    sti_propositions_vector(t, "lambda_n", b->m, d.ln);
    sti_propositions_vector(t, "F_tilde", b->t, d.F);
    sti_propositions_vector(t, "lambda_t", b->t, d.lt);
    sti_propositions_vector(t, "ratios", b->m, d.ratio);
    sti_propositions_vector(t, "qdd", b->n, r->answer.opening.a);
    status = proposition_10(b, t, facets, &d);
    if (status != STI_OK) return status;
    sti_propositions_begin(t, "C4", "(59) is solvable; its solutions differ only where lambda_n = 0");
    sti_propositions_verdict(t, STI_HOLDS,
                             d.idle == 0 ? "all lambda_n are positive: one solution" : "%d contacts have lambda_n = 0",
                             d.idle);
    return STI_OK;
}

static sti_status propositions_9_to_c4(sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t) {
    const sti_posed* s = b->s;
    bool bilateral = false;
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
                                 r->answer.opening.outcome == STI_STICKING_YES  ? STI_HOLDS
                                 : r->answer.opening.outcome == STI_STICKING_NO ? STI_HOLDS_NOT
                                                                                : STI_HOLDS_UNKNOWN,
                                 "decided over all multipliers of (43)");
    sti_augmented g = {0};
    if (why == NULL) {
        const sti_status status = sti_blocks_augmented(b, &g);
        if (status != STI_OK) return status;
        if (g.kernel > 0) why = "A_c is singular: lambda_n is not unique";
        if (bilateral) why = "there are bilateral contacts";
        if (r->answer.opening.contact_problem != STI_SOLVED) why = "the contact problem was not solved";
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

static void proposition_11(sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t) {
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
    sti_propositions_number(t, "force_limit", sti_posed_force_limit(b->s));
    sti_propositions_number(t, "factor_min", r->least_factor.mu);
    sti_propositions_vector(t, "mu_min_own", b->m, r->least_own);
}

// Both sides of (64), and A_c of (63).
static sti_status proposition_12(const sti_sticking_blocks* b, sti_propositions_table* t) {
    sti_propositions_begin(t, "P12", "(64): couplings are small, so that A_c of (63) is positive definite");
    if (!b->definite || b->slides || b->u == 0 || b->x == 0) {
        sti_propositions_verdict(t, STI_NOT_APPLICABLE,
                                 b->slides      ? "a contact slides"
                                 : !b->definite ? "M is singular"
                                                : "nothing is coupled");
        return STI_OK;
    }
    sti_arena* pool = b->pool;
    const int n = b->n, u = b->u, x = b->x;
    double *MX = sti_arena_doubles(pool, (size_t)n * (size_t)x), *MU = sti_arena_doubles(pool, (size_t)n * (size_t)u);
    double *H1 = sti_arena_doubles(pool, (size_t)x * (size_t)x), *UX = sti_arena_doubles(pool, (size_t)u * (size_t)x);
    double* UU = sti_arena_doubles(pool, (size_t)u * (size_t)u);
    if (pool->status != STI_OK) return pool->status;
    sti_small_multiply(n, n, x, b->Minv, b->X, MX);
    sti_small_multiply(n, n, u, b->Minv, b->U, MU);
    sti_small_multiply_tn(x, n, x, b->X, MX, H1);
    sti_small_multiply_tn(u, n, x, b->U, MX, UX);
    sti_small_multiply_tn(u, n, u, b->U, MU, UU);
    double reach = 0;  // terms of the couplings, by absolute values: they may cancel
    for (int i = 0; i < u; i++)
        for (int k = 0; k < x; k++) {
            double terms = 0;
            for (int j = 0; j < n; j++) terms += fabs(b->U[(size_t)j * u + i] * MX[(size_t)j * x + k]);
            if (fabs(UX[(size_t)i * x + k]) <= 1e-14 * terms) UX[(size_t)i * x + k] = 0;
            reach = fmax(reach, terms);
        }
    sti_svd f1, f2, f3;
    sti_augmented g;
    sti_status status = sti_svd_make(pool, x, x, H1, 0, &f1);
    if (status == STI_OK) status = sti_svd_make(pool, u, x, UX, 0, &f2);
    if (status == STI_OK) status = sti_svd_make(pool, u, u, UU, 0, &f3);
    if (status == STI_OK) status = sti_blocks_augmented(b, &g);
    if (status != STI_OK) return status;
    // least singular values of X'M^-1 X and U'M^-1 U: zero when X or U is dependent, whatever rounding left of them
    const double least = b->rank_U == u && b->X_independent ? f3.s[u - 1] * f1.s[x - 1] : 0;
    const double lhs = f2.s[0] * f2.s[0], rounding = 1e-13 * (f3.s[0] * f1.s[0] + reach * reach);
    sti_propositions_verdict(t,
                             least == 0                      ? STI_HOLDS_NOT
                             : fabs(lhs - least) <= rounding ? STI_HOLDS_UNKNOWN
                             : lhs < least                   ? STI_HOLDS
                                                             : STI_HOLDS_NOT,
                             "%.6g against %.6g; A_c is%s positive definite", lhs, least, g.kernel == 0 ? "" : " not");
    sti_propositions_number(t, "lhs", lhs);
    sti_propositions_number(t, "rhs", least);
    sti_propositions_matrix(t, "A_c", u, u, g.A);
    sti_propositions_number(t, "A_c_positive_definite", g.kernel == 0);
    return status;
}

sti_status sti_propositions_discs(sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t) {
    sti_status status = propositions_9_to_c4(r, b, t);
    if (status != STI_OK) return status;
    proposition_11(r, b, t);
    return proposition_12(b, t);
}
