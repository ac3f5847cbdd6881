// sticking_section_5.c: the check of S0 section 5 and equation (69): proposition 13, Coulomb's law at acceleration
// level.
#include <math.h>
#include <stiction/contact.h>
#include <string.h>

#include "verify/sticking_facts.h"

enum { MOST = 32 };

typedef struct mixed {
    int order[MOST];     // unilateral contacts, sticking first                 (u)
    sti_fractions N, B;  // their normals, and what a unit of normal force does (n x u)
    sti_fractions A, b, c;
} mixed;

// B = grad h - H mu slip; a slip that is no unit vector of an axis is a double.
static void make_mixed(sti_sticking_facts* f, mixed* q) {
    sti_algebra* k = &f->k;
    int count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < f->m; i++)
            if (!sti_sticking_data_contact(f->d, i)->bilateral && f->d->slides[i] == pass) q->order[count++] = i;
    q->N = sti_fractions_columns(k, f->N, q->order, f->u);
    q->c = sti_fractions_transpose(k, sti_fractions_columns(k, sti_fractions_transpose(k, f->c_n), q->order, f->u));
    double drag[2 * MOST * MOST] = {0};
    for (int h = 0; h < f->u; h++) {
        const int i = q->order[h];
        const sti_instant_contact* c = sti_sticking_data_contact(f->d, i);
        int at = 0;
        for (int j = 0; j < i; j++) at += sti_sticking_data_contact(f->d, j)->tangent_count;
        for (int s = 0; s < c->tangent_count && f->d->slides[i]; s++)
            drag[(size_t)(at + s) * (size_t)f->u + (size_t)h] = c->mu_kinetic * f->d->slip[i][s];
    }
    q->B =
        sti_fractions_sum(k, q->N, sti_fractions_product(k, f->H, sti_fractions_from_doubles(k, f->t, f->u, drag)), -1);
    const sti_fractions MX = sti_fractions_product(k, f->Minv, f->X), Xt = sti_fractions_transpose(k, f->X);
    const sti_fractions W = sti_fractions_pseudo_inverse(k, sti_fractions_product(k, Xt, MX));
    const sti_fractions MXW = sti_fractions_product(k, MX, W), MXt = sti_fractions_transpose(k, MX);
    const sti_fractions P = sti_fractions_sum(k, f->Minv, sti_fractions_product(k, MXW, MXt), -1);
    const sti_fractions Nt = sti_fractions_transpose(k, q->N);
    q->A = sti_fractions_product(k, Nt, sti_fractions_product(k, P, q->B));
    const sti_fractions free_a =
        sti_fractions_sum(k, sti_fractions_product(k, P, f->F), sti_fractions_product(k, MXW, f->c_x), 1);
    q->b = sti_fractions_sum(k, q->c, sti_fractions_product(k, Nt, free_a), -1);
}

// One solution: the equations, complementarity, friction of sliding contacts; admissible as claimed.
static bool check_solution(sti_sticking_facts* f, const mixed* q, int r, const double* normal, const double* lambda,
                           const double* a, const double* a_n, double required, double admissible) {
    sti_algebra* k = &f->k;
    double scale = 0, most = 0;
    bool inside = true, clear = true;
    for (int c = 0; c < f->p; c++) scale = fmax(scale, fmax(fabs(lambda[c]), f->size_l[c]));
    for (int h = 0; h < f->u; h++)
        if (!(fabs(normal[h] - lambda[f->d->first[q->order[h]]]) <= f->tol * scale))
            return sti_claim_fails(f, "P13", "solution %d: lambda_n is not that of lambda", r);
    for (int j = 0; j < f->n; j++) {
        double sum = sti_fractions_double(k, f->F, j, 0), terms = sti_fractions_size(f->F, j);
        for (int i = 0; i < f->n; i++) {
            sum += sti_fractions_double(k, f->M, j, i) * a[i];
            terms += sti_fractions_size(f->M, j * f->n + i) * fabs(a[i]);
        }
        for (int c = 0; c < f->p; c++) {
            sum -= sti_fractions_double(k, f->C, j, c) * lambda[f->flat[c]];
            terms += sti_fractions_size(f->C, j * f->p + c) * (fabs(lambda[f->flat[c]]) + f->size_l[f->flat[c]]);
        }
        if (!(fabs(sum) <= f->tol * terms))
            return sti_claim_fails(f, "P13", "solution %d misses row %d by %.2e", r, j, fabs(sum));
    }
    for (int i = 0, at = 0; i < f->m; i++) {
        const sti_instant_contact* c = sti_sticking_data_contact(f->d, i);
        const double* l = lambda + f->d->first[i];
        double t = 0;
        for (int s = 0; s <= c->tangent_count; s++) {
            const sti_fractions D = s == 0 ? f->N : f->H, rate = s == 0 ? f->c_n : f->c_t;
            const int col = s == 0 ? i : at + s - 1;
            double acc = sti_fractions_double(k, rate, col, 0), terms = sti_fractions_size(rate, col);
            for (int j = 0; j < f->n; j++) {
                acc += sti_fractions_double(k, D, j, col) * a[j];
                terms += sti_fractions_size(D, j * D.cols + col) * (fabs(a[j]) + f->size_a[j]);
            }
            const bool held = s > 0 ? !f->d->slides[i] : c->bilateral;
            if (held && !(fabs(acc) <= 1e2 * f->tol * terms))
                return sti_claim_fails(f, "P13", "solution %d: contact %d moves by %.2e", r, i, fabs(acc) / terms);
            if (s > 0) {
                t = hypot(t, l[s]);
                if (f->d->slides[i] && fabs(l[s] + c->mu_kinetic * fabs(l[0]) * f->d->slip[i][s - 1]) > f->tol * scale)
                    return sti_claim_fails(f, "P13", "solution %d: friction of contact %d has another direction", r, i);
                continue;
            }
            if (!(fabs(acc - a_n[i]) <= f->tol * terms))
                return sti_claim_fails(f, "P13", "solution %d: a_n of contact %d", r, i);
            if (!c->bilateral &&
                (l[0] < -f->tol * scale || acc < -f->tol * terms || (l[0] > f->tol * scale && acc > f->tol * terms)))
                return sti_claim_fails(f, "P13", "solution %d: contact %d is not complementary", r, i);
        }
        at += c->tangent_count;
        if (f->d->slides[i] || c->tangent_count == 0) continue;
        const double margin = c->mu * fabs(l[0]) - sti_facts_reach(f, i, l + 1);
        if (t > 1e-9 * scale) most = fmax(most, t / fabs(l[0]));
        if (margin < -1e-9 * (1 + c->mu) * scale)
            inside = false;
        else if (margin < 1e-9 * (1 + c->mu) * scale)
            clear = false;
    }
    if (isfinite(most) ? !(fabs(required - most) <= 1e-6 * fmax(most, 1e-6)) : isfinite(required))
        return sti_claim_fails(f, "P13", "solution %d asks for mu %.8g, not %.8g", r, most, required);
    if ((!inside || clear) && !isnan(admissible) && admissible != (inside ? 1 : 0))
        return sti_claim_fails(f, "P13", "solution %d is%s within the discs", r, inside ? "" : " not");
    return true;
}

static bool check_13(sti_sticking_facts* f) {
    bool joint = false;
    for (int i = 0; i < f->m; i++) {
        const sti_instant_contact* c = sti_sticking_data_contact(f->d, i);
        joint = joint || (f->d->slides[i] && c->bilateral && c->mu_kinetic > 0 && c->tangent_count > 0);
    }
    if (!f->slides || !f->definite || joint || f->u == 0 || f->u > 12)
        return sti_claim_verdict(f, "P13", STI_NOT_APPLICABLE);
    if (f->m >= MOST || f->t >= 2 * MOST) return true;
    mixed q;
    make_mixed(f, &q);
    if (!sti_claim_matrix(f, "P13", "A", q.A) || !sti_claim_matrix(f, "P13", "b", q.b)) return false;
    const sti_proposition* p = sti_claim(f, "P13");
    const sti_named* count = sti_claim_number(f, "P13", "solutions");
    static const char* const names[] = {"lambda_n", "lambda", "qdd", "a_n", "required_mu", "admissible"};
    const int widths[] = {f->u, f->p, f->n, f->m, 1, 1};
    const sti_named* v[6];
    for (int i = 0; i < 6; i++) v[i] = sti_claim_number(f, "P13", names[i]);
    if (p == NULL || count == NULL || sti_algebra_failed(&f->k)) return true;
    if (!(count->value[0] >= 0 && count->value[0] <= 1 << 13))
        return sti_claim_fails(f, "P13", "solutions is no count");
    const int solutions = (int)count->value[0];
    if (count->value[0] != solutions) return sti_claim_fails(f, "P13", "solutions is no count");
    for (int i = 0; i < 6; i++)
        if (v[i] == NULL || v[i]->rows * v[i]->cols != solutions * widths[i])
            return sti_claim_fails(f, "P13", "%s does not have %d rows", names[i], solutions);
    bool some = false;
    for (int r = 0; r < solutions; r++) {
        if (!check_solution(f, &q, r, v[0]->value + (size_t)r * (size_t)f->u, v[1]->value + (size_t)r * (size_t)f->p,
                            v[2]->value + (size_t)r * (size_t)f->n, v[3]->value + (size_t)r * (size_t)f->m,
                            v[4]->value[r], v[5]->value[r]))
            return false;
        some = some || v[5]->value[r] == 1;
    }
    for (int i = 0; i < 6; i++) sti_claim_judged(f, v[i]);
    sti_claim_judged(f, count);
    if (f->answer->outcome == STI_STICKING_YES) return sti_claim_verdict(f, "P13", STI_HOLDS);
    if (some) return sti_claim_verdict(f, "P13", STI_HOLDS);
    if (p->verdict == STI_NOT_APPLICABLE) return sti_claim_fails(f, "P13", "it applies");
    if (p->verdict == STI_HOLDS && f->answer->outcome != STI_STICKING_YES)
        return sti_claim_fails(f, "P13", "it holds, and no solution is within the discs");
    return true;
}

// ---- (69)

// acc = G lambda + g, and Coulomb's law: separate, stick, or slip against the acceleration.
static bool check_law(sti_sticking_facts* f, int r, int i, int mode, const double* lambda, const double* acc) {
    const sti_instant_contact* c = sti_sticking_data_contact(f->d, i);
    const double *l = lambda + f->d->first[i], *a = acc + f->d->first[i];
    double force = 0, size = 0, t = 0, s = 0, along = 0;
    for (int h = 0; h <= c->tangent_count; h++) {
        force = fmax(force, fmax(fabs(l[h]), f->size_l[f->d->first[i] + h]));
        const sti_fractions D = h == 0 ? f->N : f->H;
        int at = 0;
        for (int j = 0; j < i; j++) at += sti_sticking_data_contact(f->d, j)->tangent_count;
        const int col = h == 0 ? i : at + h - 1;
        for (int j = 0; j < f->n; j++) size = fmax(size, sti_fractions_size(D, j * D.cols + col) * f->size_a[j]);
        size = fmax(size, fabs(a[h]));
        if (h == 0) continue;
        t = hypot(t, l[h]);
        s = hypot(s, a[h]);
        along += l[h] * a[h];
    }
    const double e = 1e-6;
    bool good = l[0] >= -e * force && a[0] >= -e * size && (l[0] <= e * force || a[0] <= e * size) &&
                t <= c->mu * l[0] + e * force;
    if (l[0] > e * force && s > e * size)
        good = good && t >= c->mu * l[0] - e * force && along <= -(1 - 1e-4) * t * s + e * force * size;
    if (mode == STI_MODE_SEPARATE) good = good && l[0] <= e * force;
    if (mode == STI_MODE_SLIDE) good = good && t >= c->mu * l[0] - e * force;
    if (mode == STI_MODE_STICK) good = good && s <= e * size && a[0] <= e * size;
    return good ||
           sti_claim_fails(
               f, "E69",
               "solution %d: contact %d does not obey the law: lambda_n %.3g, |lambda_t| %.3g, a_n %.3g, |a_t| %.3g", r,
               i, l[0], t, a[0], s);
}

static bool check_69(sti_sticking_facts* f) {
    sti_algebra* k = &f->k;
    const sti_proposition* p = sti_claim(f, "E69");
    int d = f->m > 0 ? 1 + sti_sticking_data_contact(f->d, 0)->tangent_count : 0;
    bool even = d >= 2;
    for (int i = 0; i < f->m; i++) even = even && 1 + sti_sticking_data_contact(f->d, i)->tangent_count == d;
    if (f->slides || !f->definite || f->m == 0 || f->bilateral || !even)
        return sti_claim_verdict(f, "E69", STI_NOT_APPLICABLE);
    const sti_named *modes = sti_claim_number(f, "E69", "modes"), *lambda = sti_claim_number(f, "E69", "lambda");
    const sti_named* acc = sti_claim_number(f, "E69", "acceleration");
    if (p != NULL && p->verdict == STI_NOT_APPLICABLE) return sti_claim_fails(f, "E69", "it applies");
    if (modes == NULL || lambda == NULL || acc == NULL || f->p == 0 || f->p > 2 * MOST) return true;
    const int count = lambda->rows * lambda->cols / f->p;
    if (acc->rows * acc->cols != count * f->p ||
        modes->rows * modes->cols != (f->m == 1 && f->rank_C == f->p ? count : f->m))
        return sti_claim_fails(f, "E69", "the numbers do not fit each other");
    if (p->verdict == STI_HOLDS && count == 0) return sti_claim_fails(f, "E69", "it holds without a solution");
    if (p->verdict == STI_HOLDS_NOT && count > 0) return sti_claim_fails(f, "E69", "it has a solution");
    for (int r = 0; r < count; r++) {
        double order[2 * MOST];
        const double *l = lambda->value + (size_t)r * (size_t)f->p, *a = acc->value + (size_t)r * (size_t)f->p;
        for (int c = 0; c < f->p; c++) {
            order[c] = l[f->flat[c]];
            if (!isfinite(order[c]) || !isfinite(a[f->flat[c]]))
                return sti_claim_fails(f, "E69", "solution %d has a number that is not finite", r);
        }
        const sti_fractions x = sti_fractions_from_doubles(k, f->p, 1, order);
        const sti_fractions load = sti_fractions_sum(k, sti_fractions_product(k, f->C, x), f->F, -1);
        const sti_fractions free_a = sti_fractions_product(k, f->Minv, load);
        const sti_fractions expected =
            sti_fractions_sum(k, sti_fractions_product(k, sti_fractions_transpose(k, f->C), free_a), f->c, 1);
        if (sti_algebra_failed(k)) return true;
        for (int c = 0; c < f->p; c++) {
            const double value = sti_fractions_double(k, expected, c, 0);
            if (!(fabs(value - a[f->flat[c]]) <= 1e2 * f->tol * (sti_fractions_size(expected, c) + fabs(value))))
                return sti_claim_fails(f, "E69", "solution %d: acceleration %d is %.10g, not %.10g", r, c, value,
                                       a[f->flat[c]]);
        }
        for (int i = 0; i < f->m; i++) {
            const double mode = modes->value[f->m == 1 && f->rank_C == f->p ? r : i];
            if (!isnan(mode) && mode != STI_MODE_SEPARATE && mode != STI_MODE_STICK && mode != STI_MODE_SLIDE)
                return sti_claim_fails(f, "E69", "mode %g: there is none", mode);
            if (!check_law(f, r, i, isnan(mode) ? -1 : (int)mode, l, a)) return false;
        }
    }
    sti_claim_judged(f, modes);
    sti_claim_judged(f, lambda);
    sti_claim_judged(f, acc);
    return true;
}

bool sti_check_section_5(sti_sticking_facts* f) {
    return check_13(f) && check_69(f);
}
