// sticking_section_4.c: the check of S0 sections 3.3 to 4.1: propositions 9 to 12, corollary 4.
#include <math.h>

#include "verify/sticking_facts.h"

enum { MOST = 32 };

static sti_holds verdict_of(sti_sticking_outcome outcome) {
    return outcome == STI_STICKING_YES ? STI_HOLDS : outcome == STI_STICKING_NO ? STI_HOLDS_NOT : STI_HOLDS_UNKNOWN;
}

// ---- proposition 9: (43) has one solution here, which the check of the opening has accepted

typedef struct discs {
    sti_fractions ln, lt, F, A;  // multipliers; F_tilde; A_tt diag(lambda_n)
} discs;

// F_tilde = H'M^-1 (N lambda_n - F) + c_t.
static void make_discs(sti_sticking_facts* f, discs* q) {
    sti_algebra* k = &f->k;
    double ln[MOST], lt[2 * MOST];
    int tangent = 0;
    const double* lambda = f->answer->opening.lambda;
    for (int i = 0; i < f->m; i++) {
        ln[i] = lambda[f->d->first[i]];
        for (int s = 1; s <= sti_sticking_data_contact(f->d, i)->tangent_count; s++)
            lt[tangent++] = lambda[f->d->first[i] + s];
    }
    q->ln = sti_fractions_from_doubles(k, f->m, 1, ln);
    q->lt = sti_fractions_from_doubles(k, f->t, 1, lt);
    for (int i = 0, at = 0; i < f->m && !sti_algebra_failed(k); i++) {  // as exact as the forces they come from
        q->ln.size[i] = fmax(q->ln.size[i], f->size_l[f->d->first[i]]);
        for (int s = 1; s <= sti_sticking_data_contact(f->d, i)->tangent_count; s++, at++)
            q->lt.size[at] = fmax(q->lt.size[at], f->size_l[f->d->first[i] + s]);
    }
    const sti_fractions MH = sti_fractions_product(k, f->Minv, f->H), MHt = sti_fractions_transpose(k, MH);
    const sti_fractions push = sti_fractions_sum(k, sti_fractions_product(k, f->N, q->ln), f->F, -1);
    q->F = sti_fractions_sum(k, sti_fractions_product(k, MHt, push), f->c_t, 1);
    double diagonal[2 * MOST * 2 * MOST] = {0};
    for (int i = 0, at = 0; i < f->m; i++)
        for (int s = 0; s < sti_sticking_data_contact(f->d, i)->tangent_count; s++, at++)
            diagonal[at * f->t + at] = ln[i];
    const sti_fractions Ht = sti_fractions_transpose(k, f->H);
    q->A =
        sti_fractions_product(k, sti_fractions_product(k, Ht, MH), sti_fractions_from_doubles(k, f->t, f->t, diagonal));
}

static bool check_ratios(sti_sticking_facts* f, const discs* q) {
    const sti_named* v = sti_claim_number(f, "P9.ii", "ratios");
    if (v == NULL || sti_algebra_failed(&f->k)) return true;
    if (v->rows * v->cols != f->m) return sti_claim_fails(f, "P9.ii", "there are not %d ratios", f->m);
    for (int i = 0, at = 0; i < f->m; i++) {
        double t = 0;
        for (int s = 0; s < sti_sticking_data_contact(f->d, i)->tangent_count; s++, at++)
            t = hypot(t, sti_fractions_double(&f->k, q->lt, at, 0));
        const double n = sti_fractions_double(&f->k, q->ln, i, 0), size = f->size_l[f->d->first[i]];
        f->out->numbers_checked++;
        if (n <= 1e-9 * size) continue;  // zero over zero, or infinite
        if (!(fabs(v->value[i] - t / n) <= 1e2 * f->tol * (1 + t / n) * size / n))
            return sti_claim_fails(f, "P9.ii", "ratio %d is %.10g, not %.10g", i, t / n, v->value[i]);
    }
    return true;
}

// (57): z in the discs (facets 0) or polygons, the value is that of z, and no z is better by more than the gap
//     e'A z + max over the discs of -e'A z',    e = F_tilde + A z.
static bool check_minimum(sti_sticking_facts* f, const discs* q, int facets, const char* value_name,
                          const char* z_name) {
    const sti_named *value = sti_claim_number(f, "P10", value_name), *z = sti_claim_number(f, "P10", z_name);
    if (value == NULL || z == NULL || sti_algebra_failed(&f->k)) return true;
    if (z->rows * z->cols != f->t) return sti_claim_fails(f, "P10", "%s has not %d numbers", z_name, f->t);
    double e[2 * MOST], size = 0, half = 0, g[2 * MOST];
    for (int i = 0; i < f->t; i++) {
        e[i] = sti_fractions_double(&f->k, q->F, i, 0);
        double terms = q->F.size[i];
        for (int j = 0; j < f->n; j++) terms += f->H.size[j * f->t + i] * f->size_a[j];
        for (int j = 0; j < f->t; j++) {
            e[i] += sti_fractions_double(&f->k, q->A, i, j) * z->value[j];
            terms += q->A.size[i * f->t + j] * fabs(z->value[j]);
        }
        half += e[i] * e[i] / 2;
        size += terms * terms;
    }
    f->out->numbers_checked += 1 + f->t;
    double gap = 0;
    for (int j = 0; j < f->t; j++) {
        g[j] = 0;
        for (int i = 0; i < f->t; i++) g[j] += e[i] * sti_fractions_double(&f->k, q->A, i, j);
    }
    for (int i = 0, at = 0; i < f->m; i++) {
        const sti_instant_contact* c = sti_sticking_data_contact(f->d, i);
        const int tangents = c->tangent_count;
        const double x = tangents > 0 ? z->value[at] : 0, y = tangents > 1 ? z->value[at + 1] : 0;
        const double gx = tangents > 0 ? g[at] : 0, gy = tangents > 1 ? g[at + 1] : 0;
        double reach = hypot(x, y), best = hypot(gx, gy);
        if (tangents == 2 && facets > 0) {
            reach = best = 0;
            for (int s = 0; s < facets; s++) {
                const double pi = 3.14159265358979323846, corner = 2 * s * pi / facets, edge = corner + pi / facets;
                reach = fmax(reach, (cos(edge) * x + sin(edge) * y) / cos(pi / facets));
                best = fmax(best, -cos(corner) * gx - sin(corner) * gy);
            }
        }
        if (reach > c->mu * (1 + 1e-7) + 1e-12) return sti_claim_fails(f, "P10", "%s leaves disc %d", z_name, i);
        gap += gx * x + gy * y + c->mu * best;
        at += tangents;
    }
    const bool zero = value->value[0] == 0 && half <= 1e-14 * size;
    if (!zero && (fabs(half - value->value[0]) > 1e-8 * size || gap > 1e-6 * size))
        return sti_claim_fails(f, "P10", "%s is %.6g, not %.6g (gap %.1e)", value_name, half, value->value[0], gap);
    return true;
}

static bool check_flag(sti_sticking_facts* f, const char* name, const char* value) {
    const sti_named *flag = sti_claim_number(f, "P10", name), *minimum = sti_claim_number(f, "P10", value);
    if (flag == NULL || minimum == NULL || isnan(flag->value[0])) return true;
    f->out->numbers_checked++;
    if (flag->value[0] != 0 && flag->value[0] != 1) return sti_claim_fails(f, "P10", "%s is neither 0 nor 1", name);
    if (flag->value[0] == 1 && minimum->value[0] != 0)
        return sti_claim_fails(f, "P10", "%s, and the minimum is not zero", name);
    return true;
}

static bool check_9(sti_sticking_facts* f) {
    static const char* const rest[] = {"P9.ii", "P10", "C4"};
    const sti_opening* o = &f->answer->opening;
    const bool applies = !f->slides && f->u > 0 && f->definite && f->rank_X == f->x;
    if (!sti_claim_verdict(f, "P9.i", applies ? verdict_of(o->outcome) : STI_NOT_APPLICABLE)) return false;
    const bool one = applies && f->rank_UX - f->rank_X == f->u && !f->bilateral && o->contact_problem == STI_SOLVED;
    bool good = true;
    if (!one || o->lambda == NULL || f->m >= MOST || f->t >= 2 * MOST) {
        for (int i = 0; i < 3 && good && (!one || o->lambda == NULL); i++)
            good = sti_claim_verdict(f, rest[i], STI_NOT_APPLICABLE);
        return good;
    }
    sti_fractions A, H, first;
    discs q;
    sti_facts_augmented(f, &A, &H, &first);
    make_discs(f, &q);
    if (sti_algebra_failed(&f->k)) return true;
    const sti_holds sticks = verdict_of(o->outcome);
    const int facets = f->answer->facets > 0 ? f->answer->facets : 8;
    bool spatial = false;
    for (int i = 0; i < f->m; i++) spatial = spatial || sti_sticking_data_contact(f->d, i)->tangent_count == 2;
    good = (sticks == STI_HOLDS_UNKNOWN || sti_claim_verdict(f, "P9.ii", sticks)) &&
           sti_claim_matrix(f, "P9.ii", "A_c", A) && sti_claim_matrix(f, "P9.ii", "H_c", H) &&
           sti_claim_matrix(f, "P9.ii", "lambda_n", q.ln) && sti_claim_matrix(f, "P9.ii", "lambda_t", q.lt) &&
           sti_claim_matrix(f, "P9.ii", "F_tilde", q.F) &&
           sti_claim_doubles(f, "P9.ii", "qdd", f->n, o->a, f->size_a) && check_ratios(f, &q) &&
           sti_claim_integer(f, "P10", "facets", facets) &&
           check_minimum(f, &q, facets, "minimum_polygon", "z_polygon") &&
           check_minimum(f, &q, 0, "minimum_disc", "z_disc") && check_flag(f, "sticks_polygon", "minimum_polygon") &&
           check_flag(f, "sticks_disc", "minimum_disc") && sti_claim_verdict(f, "C4", STI_HOLDS);
    const sti_proposition* p = sti_claim(f, "P10");
    const sti_named* polygon = sti_claim_number(f, "P10", "minimum_polygon");
    if (good && p != NULL && polygon != NULL && p->verdict == STI_HOLDS && polygon->value[0] != 0)
        return sti_claim_fails(f, "P10", "it holds, and the minimum is not zero");
    if (good && !spatial && sticks != STI_HOLDS_UNKNOWN) good = sti_claim_verdict(f, "P10", sticks);
    return good;
}

// ---- proposition 11: sticking with mu a little above, and not a little below

// Do contacts stick with these coefficients? In space by the polygon with 32 corners inside the discs, or the one outside.
static bool sticks_at(sti_sticking_facts* f, const double* mu, bool outside, const signed char* sign) {
    enum { CORNERS = 32 };
    sti_algebra* k = &f->k;
    const int width = 1 + f->n + f->p;
    int rows = 0;
    for (int i = 0; i < f->m; i++) rows += 3 + CORNERS;
    double* row = sti_alloc_array_zero(k->env, (size_t)rows * (size_t)width, sizeof *row);
    if (row == NULL) {
        k->x.status = STI_ERR_MEMORY;
        return false;
    }
    int equations = 0, count = 0;
    for (int pass = 0; pass < 2; pass++) {  // lambda_t = 0 of smooth contacts first: they are equations
        for (int i = 0, at = f->m; i < f->m; i++) {
            const sti_instant_contact* c = sti_sticking_data_contact(f->d, i);
            const int t = 1 + f->n + at, side = c->bilateral ? sign[i] : 1, tangents = c->tangent_count;
            at += tangents;
            const bool rough = mu[i] > 0 && tangents > 0;
            for (int s = 0; s < tangents && pass == 0 && !rough; s++)
                row[(size_t)count++ * (size_t)width + (size_t)(t + s)] = 1;
            if (pass == 0) continue;
            if (side != 0) row[(size_t)count++ * (size_t)width + (size_t)(1 + f->n + i)] = side;
            const int polygon = !rough ? 0 : tangents == 1 ? 2 : f->answer->facets > 0 ? f->answer->facets : CORNERS;
            for (int s = 0; s < polygon && side != 0 && s < CORNERS; s++) {
                double* r = row + (size_t)count++ * (size_t)width;
                const double pi = 3.14159265358979323846, edge = (2 * s + 1) * pi / polygon;
                const double shrink = tangents == 1 ? 1 : outside && f->answer->facets == 0 ? 1 : cos(pi / polygon);
                r[1 + f->n + i] = side * mu[i] * shrink;
                r[t] = tangents == 1 ? (s == 0 ? -1 : 1) : -cos(edge);
                if (tangents == 2) r[t + 1] = -sin(edge);
            }
        }
        if (pass == 0) equations = count;
    }
    const sti_fractions zero = sti_fractions_make(k, f->n, f->p), none = sti_fractions_make(k, f->A.cols, f->p);
    const sti_fractions dynamics =
        sti_fractions_join(k, f->F, sti_fractions_join(k, f->M, sti_fractions_sum(k, zero, f->C, -1)));
    const sti_fractions At = sti_fractions_transpose(k, f->A);
    const sti_fractions held = sti_fractions_join(k, f->c_A, sti_fractions_join(k, At, none));
    const sti_fractions all = sti_fractions_stack(k, sti_fractions_stack(k, dynamics, held),
                                                  sti_fractions_from_doubles(k, count, width, row));
    sti_free(k->env, row);
    return sti_fractions_feasible(k, all, f->n + f->A.cols + equations);
}

static bool sticks_somehow(sti_sticking_facts* f, const double* mu, bool outside) {
    int choice[MOST], count = 0;
    for (int i = 0; i < f->m; i++) {
        const sti_instant_contact* c = sti_sticking_data_contact(f->d, i);
        if (c->bilateral && c->tangent_count > 0 && mu[i] > 0) choice[count++] = i;
    }
    for (int b = 0; b < 1 << count && count <= 6; b++) {
        signed char sign[MOST] = {0};
        for (int s = 0; s < count; s++) sign[choice[s]] = b >> s & 1 ? -1 : 1;
        if (sticks_at(f, mu, outside, sign)) return true;
    }
    return false;
}

// weight: mu_i = k weight_i where it is positive, and as given elsewhere.
static bool is_least(sti_sticking_facts* f, const char* name, double least, const double* weight, bool attained) {
    double mu[MOST];
    bool spatial = false;
    for (int i = 0; i < f->m; i++)
        spatial = spatial || (sti_sticking_data_contact(f->d, i)->tangent_count == 2 && f->answer->facets == 0);
    const double above = spatial ? 0.006 : 1e-6;
    const double below = !spatial ? 1e-6 : attained ? 0.006 : 0.1;  // an infimum of growing forces is not known as well
    f->out->numbers_checked++;
    for (int side = 0; side < 2; side++) {
        const double k = isnan(least) ? 1e7 : side ? least * (1 + above) + 1e-9 : least * (1 - below) - 1e-9;
        if (k <= 0 || (isnan(least) && side == 0)) continue;
        for (int i = 0; i < f->m; i++) mu[i] = weight[i] > 0 ? k * weight[i] : sti_sticking_data_contact(f->d, i)->mu;
        // above it sticks inside the discs; below it does not even outside them
        const bool sticks = sticks_somehow(f, mu, side == 0);
        if (sti_algebra_failed(&f->k)) return true;
        if (sticks != (side == 1 && !isnan(least)))
            return sti_claim_fails(f, "P11", "%s is %.8g, and at %.8g the contacts %s", name, least, k,
                                   sticks ? "stick" : "do not");
    }
    return true;
}

static bool check_11(sti_sticking_facts* f, bool solvable) {
    if (f->t == 0 || f->slides) return sti_claim_verdict(f, "P11", STI_NOT_APPLICABLE);
    const sti_proposition* p = sti_claim(f, "P11");
    const sti_named *common = sti_claim_number(f, "P11", "mu_min"), *factor = sti_claim_number(f, "P11", "factor_min");
    const sti_named* attained = sti_claim_number(f, "P11", "attained");
    if (p == NULL || p->verdict == STI_HOLDS_UNKNOWN || f->m >= MOST || f->n + f->p > 40) return true;
    if (!solvable) return sti_claim_verdict(f, "P11", STI_HOLDS_NOT);
    if (attained != NULL && attained->value[0] != 0 && attained->value[0] != 1)
        return sti_claim_fails(f, "P11", "attained is neither 0 nor 1");
    double weight[MOST];
    bool pressed = false;
    for (int i = 0; i < f->m; i++) {
        const sti_instant_contact* c = sti_sticking_data_contact(f->d, i);
        weight[i] = c->tangent_count > 0 && !c->pressed;
        pressed = pressed || c->pressed;
    }
    if (common != NULL) {
        if ((p->verdict == STI_HOLDS) != isfinite(common->value[0]))
            return sti_claim_fails(f, "P11", "mu_min does not go with the verdict");
        if (!is_least(f, "mu_min", common->value[0], weight, attained == NULL || attained->value[0] == 1)) return false;
    }
    bool given = false;
    for (int i = 0; i < f->m; i++) {
        weight[i] = weight[i] > 0 ? sti_sticking_data_contact(f->d, i)->mu : 0;
        given = given || weight[i] > 0;
    }
    if (factor != NULL && given && isfinite(factor->value[0]) &&
        !is_least(f, "factor_min", factor->value[0], weight, false))
        return false;
    // a contact's own coefficient hangs on the discs of the others, and polygons do not tell how much
    int spatial = 0;
    for (int i = 0; i < f->m; i++)
        spatial += f->answer->facets == 0 && sti_sticking_data_contact(f->d, i)->tangent_count == 2;
    const sti_named* own = spatial > 1 ? NULL : sti_claim_number(f, "P11", "mu_min_own");
    if (own != NULL && own->rows * own->cols != f->m)
        return sti_claim_fails(f, "P11", "mu_min_own has not %d numbers", f->m);
    for (int i = 0; own != NULL && i < f->m; i++) {
        for (int j = 0; j < f->m; j++) weight[j] = j == i;
        if (isfinite(own->value[i]) && !is_least(f, "mu_min_own", own->value[i], weight, false)) return false;
    }
    return true;
}

// ---- proposition 12

static bool check_12(sti_sticking_facts* f) {
    sti_algebra* k = &f->k;
    if (!f->definite || f->slides || f->u == 0 || f->x == 0) return sti_claim_verdict(f, "P12", STI_NOT_APPLICABLE);
    if (f->u > MOST || f->x > MOST) return true;
    double w[MOST], lhs, low, high, rhs = 0;
    const sti_fractions MX = sti_fractions_product(k, f->Minv, f->X), Ut = sti_fractions_transpose(k, f->U);
    const sti_fractions UX = sti_fractions_product(k, Ut, MX), XU = sti_fractions_transpose(k, UX);
    const sti_fractions UU = sti_fractions_product(k, Ut, sti_fractions_product(k, f->Minv, f->U));
    const sti_fractions W = sti_fractions_product(k, sti_fractions_transpose(k, f->X), MX);
    const sti_fractions S = sti_fractions_product(k, UX, XU);
    sti_facts_eigenvalues(k, S, w);
    lhs = w[f->u - 1];
    sti_facts_eigenvalues(k, UU, w);
    low = w[0];
    high = w[f->u - 1];
    sti_facts_eigenvalues(k, W, w);
    if (f->rank_U == f->u && f->rank_X == f->x) rhs = low * w[0];
    const double size = high * w[f->x - 1] + lhs;
    if (sti_algebra_failed(k)) return true;
    bool good = sti_claim_double(f, "P12", "lhs", lhs, size) &&
                sti_claim_double(f, "P12", "rhs", rhs, rhs == 0 ? 0 : size) &&
                sti_claim_integer(f, "P12", "A_c_positive_definite", f->rank_UX - f->rank_X == f->u);
    if (rhs == 0 || fabs(lhs - rhs) > 1e-10 * size)
        good = good && sti_claim_verdict(f, "P12", rhs != 0 && lhs < rhs ? STI_HOLDS : STI_HOLDS_NOT);
    if (!good || f->rank_X < f->x) {
        if (f->rank_X == f->x || !good) return good;
        // A_c by the pseudo-inverse
        const sti_fractions K = sti_fractions_product(k, UX, sti_fractions_pseudo_inverse(k, W));
        return sti_claim_matrix(f, "P12", "A_c", sti_fractions_sum(k, UU, sti_fractions_product(k, K, XU), -1));
    }
    sti_fractions A, H, first;
    sti_facts_augmented(f, &A, &H, &first);
    return sti_claim_matrix(f, "P12", "A_c", A);
}

bool sti_check_section_4(sti_sticking_facts* f) {
    sti_algebra* k = &f->k;
    const sti_fractions upper = sti_fractions_join(k, f->M, f->C), At = sti_fractions_transpose(k, f->A);
    const sti_fractions lower = sti_fractions_join(k, At, sti_fractions_make(k, f->A.cols, f->p));
    const sti_fractions E = sti_fractions_stack(k, upper, lower), e = sti_fractions_stack(k, f->F, f->c_A);
    const bool solvable = sti_fractions_rank(k, E) == sti_fractions_rank(k, sti_fractions_join(k, E, e));
    return check_9(f) && check_11(f, solvable) && check_12(f);
}
