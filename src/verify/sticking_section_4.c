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
        q->ln.size[i] = fmax(sti_fractions_size(q->ln, i), f->size_l[f->d->first[i]]);
        for (int s = 1; s <= sti_sticking_data_contact(f->d, i)->tangent_count; s++, at++)
            q->lt.size[at] = fmax(sti_fractions_size(q->lt, at), f->size_l[f->d->first[i] + s]);
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
        const bool none = n <= 1e-9 * size, idle = none && t <= 1e-9 * size;
        if (none && (!isfinite(v->value[i]) || (idle && v->value[i] == 0))) continue;
        if (none || !(fabs(v->value[i] - t / n) <= 1e2 * f->tol * (1 + t / n) * size / n))
            return sti_claim_fails(f, "P9.ii", "ratio %d is %.10g, not %.10g", i, t / n, v->value[i]);
    }
    sti_claim_judged(f, v);
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
        double terms = sti_fractions_size(q->F, i);
        for (int j = 0; j < f->n; j++) terms += sti_fractions_size(f->H, j * f->t + i) * f->size_a[j];
        for (int j = 0; j < f->t; j++) {
            e[i] += sti_fractions_double(&f->k, q->A, i, j) * z->value[j];
            terms += sti_fractions_size(q->A, i * f->t + j) * fabs(z->value[j]);
        }
        half += e[i] * e[i] / 2;
        size += terms * terms;
    }
    sti_claim_judged(f, value);
    sti_claim_judged(f, z);
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
                const double pi = M_PI, corner = 2 * s * pi / facets, edge = corner + pi / facets;
                reach = fmax(reach, (cos(edge) * x + sin(edge) * y) / cos(pi / facets));
                best = fmax(best, -cos(corner) * gx - sin(corner) * gy);
            }
        }
        if (!(reach <= c->mu * (1 + 1e-7) + 1e-12)) return sti_claim_fails(f, "P10", "%s leaves disc %d", z_name, i);
        gap += gx * x + gy * y + c->mu * best;
        at += tangents;
    }
    const bool zero = value->value[0] == 0 && half <= 1e-14 * size;
    if (!zero && !(fabs(half - value->value[0]) <= 1e-8 * size && gap <= 1e-6 * size))
        return sti_claim_fails(f, "P10", "%s is %.6g, not %.6g (gap %.1e)", value_name, half, value->value[0], gap);
    return true;
}

// sticks: what the decision about (60) says of these discs or polygons; unknown: it is about others.
static bool check_flag(sti_sticking_facts* f, const char* name, const char* value, sti_holds sticks) {
    const sti_named* minimum = sti_claim_number(f, "P10", value);
    if (sticks != STI_HOLDS_UNKNOWN) return sti_claim_truth(f, "P10", name, sticks == STI_HOLDS);
    return minimum == NULL || sti_claim_truth(f, "P10", name, minimum->value[0] == 0);
}

static bool check_9(sti_sticking_facts* f) {
    static const char* const rest[] = {"P9.ii", "P10", "C4"};
    const sti_opening* o = &f->answer->opening;
    if (!o->asked && !f->slides) return true;
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
    const bool polygons = !spatial || f->answer->facets > 0, discs_asked = !spatial || f->answer->facets == 0;
    good = (sticks == STI_HOLDS_UNKNOWN || sti_claim_verdict(f, "P9.ii", sticks)) &&
           sti_claim_matrix(f, "P9.ii", "A_c", A) && sti_claim_matrix(f, "P9.ii", "H_c", H) &&
           sti_claim_matrix(f, "P9.ii", "lambda_n", q.ln) && sti_claim_matrix(f, "P9.ii", "lambda_t", q.lt) &&
           sti_claim_matrix(f, "P9.ii", "F_tilde", q.F) &&
           sti_claim_doubles(f, "P9.ii", "qdd", f->n, o->a, f->size_a) && check_ratios(f, &q) &&
           sti_claim_integer(f, "P10", "facets", facets) &&
           check_minimum(f, &q, facets, "minimum_polygon", "z_polygon") &&
           check_minimum(f, &q, 0, "minimum_disc", "z_disc") &&
           check_flag(f, "sticks_polygon", "minimum_polygon", polygons ? sticks : STI_HOLDS_UNKNOWN) &&
           check_flag(f, "sticks_disc", "minimum_disc", discs_asked ? sticks : STI_HOLDS_UNKNOWN) &&
           sti_claim_verdict(f, "C4", STI_HOLDS);
    const sti_proposition* p = sti_claim(f, "P10");
    const sti_named* polygon = sti_claim_number(f, "P10", "minimum_polygon");
    if (good && p != NULL && polygon != NULL && !polygons)
        return sti_claim_verdict(f, "P10", polygon->value[0] == 0 ? STI_HOLDS : STI_HOLDS_NOT);
    return good && (sticks == STI_HOLDS_UNKNOWN || sti_claim_verdict(f, "P10", sticks));
}

// ---- proposition 11: sticking with mu a little above, and not a little below

enum { CORNERS = 32 };

typedef struct trial {  // do contacts stick with these coefficients?
    double mu[MOST];
    double bound;            // on normal forces
    bool outside;            // discs in space: the polygon with 32 corners around them, not the one inside
    signed char sign[MOST];  // of bilateral friction
} trial;

static int sides_of(const sti_sticking_facts* f, int i, const trial* t) {
    const int tangents = sti_sticking_data_contact(f->d, i)->tangent_count;
    if (tangents == 0 || !(t->mu[i] > 0)) return 0;
    return tangents == 1 ? 2 : f->answer->facets > 0 ? f->answer->facets : CORNERS;
}

// Rows of contact i over (1, a, lambda), the first tangent in column `at`: lambda_n >= 0, <= bound, and its polygon.
static int put_bounds(const sti_sticking_facts* f, const trial* t, int i, int at, double* row, int width) {
    const sti_instant_contact* c = sti_sticking_data_contact(f->d, i);
    const int side = c->bilateral ? t->sign[i] : 1, sides = sides_of(f, i, t), normal = 1 + f->n + i;
    int count = 0;
    if (side == 0) return 0;
    row[(size_t)count++ * (size_t)width + (size_t)normal] = side;
    if (isfinite(t->bound)) {
        double* r = row + (size_t)count++ * (size_t)width;
        r[0] = t->bound;
        r[normal] = -side;
    }
    for (int s = 0; s < sides; s++) {
        double* r = row + (size_t)count++ * (size_t)width;
        const double pi = M_PI, edge = (2 * s + 1) * pi / sides;
        const bool tight = c->tangent_count == 2 && !(t->outside && f->answer->facets == 0);
        r[normal] = side * t->mu[i] * (tight ? cos(pi / sides) : 1);
        r[at] = c->tangent_count == 1 ? (s == 0 ? -1 : 1) : -cos(edge);
        if (c->tangent_count == 2) r[at + 1] = -sin(edge);
    }
    return count;
}

// M a + F - C lambda = 0, A'a + c = 0.
static sti_fractions equations_of(sti_sticking_facts* f) {
    sti_algebra* k = &f->k;
    const sti_fractions zero = sti_fractions_make(k, f->n, f->p), none = sti_fractions_make(k, f->A.cols, f->p);
    const sti_fractions dynamics =
        sti_fractions_join(k, f->F, sti_fractions_join(k, f->M, sti_fractions_sum(k, zero, f->C, -1)));
    const sti_fractions At = sti_fractions_transpose(k, f->A);
    return sti_fractions_stack(k, dynamics, sti_fractions_join(k, f->c_A, sti_fractions_join(k, At, none)));
}

static bool sticks_at(sti_sticking_facts* f, const trial* t) {
    sti_algebra* k = &f->k;
    const int width = 1 + f->n + f->p, most = f->m * (4 + (f->answer->facets > CORNERS ? f->answer->facets : CORNERS));
    double* row = sti_alloc_array_zero(k->env, (size_t)most * (size_t)width, sizeof *row);
    if (row == NULL) {
        sti_algebra_fail(k);
        return false;
    }
    int count = 0;
    for (int i = 0, at = 1 + f->n + f->m; i < f->m; i++)  // lambda_t = 0 of smooth contacts first: they are equations
        for (int s = 0; s < sti_sticking_data_contact(f->d, i)->tangent_count; s++, at++)
            if (sides_of(f, i, t) == 0) row[(size_t)count++ * (size_t)width + (size_t)at] = 1;
    const int equations = count;
    for (int i = 0, at = 1 + f->n + f->m; i < f->m; i++) {
        count += put_bounds(f, t, i, at, row + (size_t)count * (size_t)width, width);
        at += sti_sticking_data_contact(f->d, i)->tangent_count;
    }
    const sti_fractions all = sti_fractions_stack(k, equations_of(f), sti_fractions_from_doubles(k, count, width, row));
    sti_free(k->env, row);
    return sti_fractions_feasible(k, all, f->n + f->A.cols + equations);
}

static bool sticks_somehow(sti_sticking_facts* f, trial* t) {
    int choice[MOST], count = 0;
    for (int i = 0; i < f->m; i++)
        if (sti_sticking_data_contact(f->d, i)->bilateral && sides_of(f, i, t) > 0) choice[count++] = i;
    for (int b = 0; b < 1 << count && count <= 6; b++) {
        for (int s = 0; s < count; s++) t->sign[choice[s]] = b >> s & 1 ? -1 : 1;
        if (sticks_at(f, t)) return true;
    }
    return false;
}

typedef struct least {
    const char* name;
    double value;          // NAN: none
    const double* weight;  // mu_i = value weight_i where it is positive, and as given elsewhere
    bool spatial;          // discs in space
    double limit;          // on normal forces
} least;

static bool sticks_with(sti_sticking_facts* f, const least* l, double k, bool outside, double bound) {
    trial t = {.outside = outside, .bound = bound};
    for (int i = 0; i < f->m; i++)
        t.mu[i] = l->weight[i] > 0 ? k * l->weight[i] : sti_sticking_data_contact(f->d, i)->mu;
    return sticks_somehow(f, &t);
}

// Above it contacts stick inside the discs; below they do not even outside them. With discs an infimum of growing
// forces is one for forces within the limit.
static bool is_least(sti_sticking_facts* f, const least* l) {
    const double above = l->spatial ? 0.006 : 1e-6;
    const double high = isnan(l->value) ? 1e7 : l->value * (1 + above) + 1e-9, low = l->value * (1 - above) - 1e-9;
    const bool sticks = sticks_with(f, l, high, false, INFINITY);
    const bool still = low > 0 && sticks_with(f, l, low, true, l->spatial ? l->limit : INFINITY);
    if (sti_algebra_failed(&f->k) || (sticks == !isnan(l->value) && !still)) return true;
    return sti_claim_fails(f, "P11", "%s is %.8g, and at %.8g the contacts %s", l->name, l->value, still ? low : high,
                           sticks ? "stick" : "do not");
}

// Of a least coefficient: are normal forces within the limit enough? Asked a little above it, since it is known to some
// 1e-9: where it is only approached, forces there are far beyond any limit of use.
static bool check_attained(sti_sticking_facts* f, const least* l) {
    const sti_named *v = sti_claim_number(f, "P11", "attained"), *limit = sti_claim_number(f, "P11", "force_limit");
    if (isnan(l->value)) return sti_claim_integer(f, "P11", "attained", 0);
    if (v == NULL || limit == NULL || l->spatial) return true;
    const bool tight = sticks_with(f, l, l->value * (1 + 1e-8) + 1e-11, false, l->limit / 2);
    const bool loose = sticks_with(f, l, l->value * (1 + 1e-7) + 1e-10, false, l->limit * 2);
    return sti_algebra_failed(&f->k) || tight != loose || sti_claim_integer(f, "P11", "attained", loose);
}

static bool check_own(sti_sticking_facts* f, least* l) {
    const sti_named* v = sti_claim_number(f, "P11", "mu_min_own");
    double weight[MOST];
    int discs_in_space = 0;
    for (int i = 0; i < f->m; i++)
        discs_in_space += f->answer->facets == 0 && sti_sticking_data_contact(f->d, i)->tangent_count == 2;
    // a contact's own coefficient hangs on the discs of the others, and polygons do not tell how much
    if (v == NULL || discs_in_space > 1) return true;
    if (v->rows * v->cols != f->m) return sti_claim_fails(f, "P11", "mu_min_own has not %d numbers", f->m);
    l->name = v->name;
    l->weight = weight;
    for (int i = 0; i < f->m; i++) {
        for (int j = 0; j < f->m; j++) weight[j] = j == i;
        l->value = v->value[i];
        const sti_instant_contact* c = sti_sticking_data_contact(f->d, i);
        if ((c->tangent_count == 0 || c->pressed) && !isnan(l->value))
            return sti_claim_fails(f, "P11", "mu_min_own[%d]: the contact has no friction", i);
        if (isinf(l->value)) return sti_claim_fails(f, "P11", "mu_min_own[%d] is infinite", i);
        if (!isnan(l->value) && !is_least(f, l)) return false;  // NAN: none, or not looked for
    }
    sti_claim_judged(f, v);
    return true;
}

static bool check_no_own(sti_sticking_facts* f) {
    double none[MOST], size[MOST] = {0};
    for (int i = 0; i < f->m; i++) none[i] = NAN;
    return sti_claim_doubles(f, "P11", "mu_min_own", f->m, none, size);
}

static bool check_11(sti_sticking_facts* f) {
    if (f->t == 0 || f->slides) return sti_claim_verdict(f, "P11", STI_NOT_APPLICABLE);
    const sti_proposition* p = sti_claim(f, "P11");
    const sti_named *common = sti_claim_number(f, "P11", "mu_min"), *factor = sti_claim_number(f, "P11", "factor_min");
    const sti_named* limit = sti_claim_number(f, "P11", "force_limit");
    if (p == NULL || p->verdict == STI_HOLDS_UNKNOWN || f->m >= MOST || f->n + f->p > 40 || f->answer->facets > 64)
        return true;
    if (!f->solvable)
        return sti_claim_verdict(f, "P11", STI_HOLDS_NOT) && sti_claim_double(f, "P11", "mu_min", NAN, 0) &&
               sti_claim_double(f, "P11", "factor_min", NAN, 0) && sti_claim_integer(f, "P11", "attained", 0) &&
               check_no_own(f);
    if (common == NULL || factor == NULL || isinf(common->value[0]) || isinf(factor->value[0]))
        return sti_claim_fails(f, "P11", "mu_min and factor_min are not numbers");
    double weight[MOST];
    bool given = false;
    least l = {.name = "mu_min", .value = common->value[0], .weight = weight, .limit = INFINITY};
    if (limit != NULL && limit->value[0] > 0) l.limit = limit->value[0];
    for (int i = 0; i < f->m; i++) {
        const sti_instant_contact* c = sti_sticking_data_contact(f->d, i);
        weight[i] = c->tangent_count > 0 && !c->pressed;
        l.spatial = l.spatial || (c->tangent_count == 2 && f->answer->facets == 0);
    }
    if (!sti_claim_verdict(f, "P11", isnan(l.value) ? STI_HOLDS_NOT : STI_HOLDS) || !is_least(f, &l) ||
        !check_attained(f, &l))
        return false;
    sti_claim_judged(f, common);
    sti_claim_judged(f, limit);  // an option, given back
    for (int i = 0; i < f->m; i++) {
        weight[i] = weight[i] > 0 ? sti_sticking_data_contact(f->d, i)->mu : 0;
        given = given || weight[i] > 0;
    }
    l.name = "factor_min";
    l.value = factor->value[0];
    if (!given && !sti_claim_double(f, "P11", "factor_min", NAN, 0)) return false;
    if (given && !isnan(l.value)) {
        if (!is_least(f, &l)) return false;
        sti_claim_judged(f, factor);
    }
    return check_own(f, &l);
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
    return check_9(f) && check_11(f) && check_12(f);
}
