// sticking.c: the check of a claim about sticking, from the instant and the claim alone.
//
// "Sticks": a and lambda are put into M a + F = C lambda, A'a + c = 0 and the friction bounds. An exact point must
// satisfy all of them without rounding; the floating point within tol, relative to the terms of each equation.
//
// "Does not": every leaf is a vector (y, z) with
//
//     M y + A z = 0,    u_i = -C_i'y in the dual cone of contact i,    y'F + z'c > 0,
//
// and the leaves must cover all signs of bilateral friction forces. Products are summed as rationals, also for
// multipliers that were found in floating point; what these miss by rounding gives the bound
// |(a, lambda)|_1 >= (y'F + z'c) / miss for every solution, and the claim passes when that is far beyond the forces.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "verify/check.h"
#include "verify/data.h"
#include "verify/sticking_data.h"

#define FAR 1e5

// A contact that opens: no force, and nothing is asked of a_n.
static int is_open(const sti_sticking_data* d, int i) {
    return d->opens != NULL && d->opens[i];
}

static bool is_rough(const sti_sticking_data* d, int i) {
    const sti_instant_contact* contact = sti_sticking_data_contact(d, i);
    return contact->tangent_count > 0 && (d->slides[i] ? contact->mu_kinetic : contact->mu) > 0;
}

// ---- sticks, in floating point

// Row j of M a + F - C lambda, relative to its terms and to those that forces of their size would have.
static double dynamics_residual(const sti_sticking_data* d, const sti_sticking_answer* answer, int j) {
    const sti_instant* instant = d->instant;
    const int n = instant->n;
    long double sum = instant->F[j];
    double size = fabs(instant->F[j]);
    for (int k = 0; k < n; k++) {
        const double m = instant->M[(size_t)j * (size_t)n + (size_t)k];
        sum += (long double)m * answer->a[k];
        size += fabs(m) * (fabs(answer->a[k]) + d->size_a[k]);
    }
    for (int i = 0; i < d->count; i++) {
        const sti_instant_contact* contact = sti_sticking_data_contact(d, i);
        for (int k = 0; k <= contact->tangent_count; k++) {
            const double c = k == 0 ? contact->n[j] : contact->t[(size_t)(k - 1) * (size_t)n + (size_t)j];
            sum -= (long double)c * answer->lambda[d->first[i] + k];
            size += fabs(c) * (fabs(answer->lambda[d->first[i] + k]) + d->size_l[d->first[i] + k]);
        }
    }
    return size > 0 ? (double)fabsl(sum) / size : (double)fabsl(sum);
}

// Row k of A'a + c at contact i, likewise.
static double rate_residual(const sti_sticking_data* d, const sti_sticking_answer* answer, int i, int k) {
    const sti_instant_contact* contact = sti_sticking_data_contact(d, i);
    const int n = d->instant->n;
    const double* v = k == 0 ? contact->n : contact->t + (size_t)(k - 1) * (size_t)n;
    const double rate = k == 0 ? contact->n_rate : contact->t_rate[k - 1];
    long double sum = rate;
    double size = fabs(rate);
    for (int j = 0; j < n; j++) {
        sum += (long double)v[j] * answer->a[j];
        size += fabs(v[j]) * (fabs(answer->a[j]) + d->size_a[j]);
    }
    return size > 0 ? (double)fabsl(sum) / size : (double)fabsl(sum);
}

static double equation_residual(const sti_sticking_data* d, const sti_sticking_answer* answer) {
    double worst = 0;
    for (int j = 0; j < d->instant->n; j++) worst = fmax(worst, dynamics_residual(d, answer, j));
    for (int i = 0; i < d->count; i++)
        for (int k = is_open(d, i); k < d->row[i + 1] - d->row[i]; k++)
            worst = fmax(worst, rate_residual(d, answer, i, k));
    return worst;
}

// Corner form of the polygon: mu lambda_n - m_k'lambda_t for its facets, the least of them.
static double polygon_margin(const sti_sticking_data* d, int i, int facets, double mu, const double* r) {
    double least = INFINITY;
    for (int k = 0; k < sti_sticking_data_facets(d, i, facets); k++) {
        double m[2];
        sti_sticking_data_facet(d, i, facets, k, m);
        least = fmin(least, mu * r[0] - m[0] * r[1] - m[1] * r[2]);
    }
    return least;
}

// Least margin of lambda, and in *off how far it misses conditions that are equations.
static double least_margin(const sti_sticking_data* d, int facets, const double* lambda, double* off) {
    double least = INFINITY;
    *off = 0;
    for (int i = 0; i < d->count; i++) {
        const sti_instant_contact* contact = sti_sticking_data_contact(d, i);
        const double* r = lambda + d->first[i];
        double size = 0;
        for (int k = 1; k <= contact->tangent_count; k++) size = hypot(size, r[k]);
        if (is_open(d, i)) {
            *off = fmax(*off, fmax(size, fabs(r[0])));
            continue;
        }
        if (!contact->bilateral) least = fmin(least, is_rough(d, i) && !d->slides[i] ? INFINITY : r[0]);
        if (!is_rough(d, i)) {
            *off = fmax(*off, size);
        } else if (d->slides[i]) {
            for (int k = 0; k < contact->tangent_count; k++)
                *off = fmax(*off, fabs(r[k + 1] + contact->mu_kinetic * fabs(r[0]) * d->slip[i][k]));
        } else {
            const double v[3] = {contact->bilateral ? fabs(r[0]) : r[0], r[1], contact->tangent_count > 1 ? r[2] : 0};
            const bool polygon = facets > 0 && contact->tangent_count == 2;
            least = fmin(least, polygon ? polygon_margin(d, i, facets, contact->mu, v) : contact->mu * v[0] - size);
        }
    }
    return least;
}

// ---- sticks, without rounding

// A row of coefficients times (a, lambda) plus a constant, as the accumulator.
static void sum_dynamics(sti_sticking_data* d, const sti_sticking_answer* answer, size_t j) {
    const size_t n = (size_t)d->instant->n;
    sti_sum_clear(d);
    sti_sum_add(d, d->table.F, j, 1);
    for (size_t k = 0; k < n; k++) sti_sum_add_product(d, d->table.M, j * n + k, answer->a_exact, k, 1);
    for (int i = 0; i < d->count; i++) {
        const int tangents = sti_sticking_data_contact(d, i)->tangent_count;
        for (int k = 0; k <= tangents; k++) {
            const size_t line = k == 0 ? (size_t)d->contact[i] : (size_t)(d->t_first[i] + k - 1);
            sti_sum_add_product(d, k == 0 ? d->table.n : d->table.t, line * n + j, answer->lambda_exact,
                                (size_t)(d->first[i] + k), -1);
        }
    }
}

static bool exact_contact(sti_sticking_data* d, const sti_sticking_answer* answer, int i, sti_rationals* scratch) {
    const sti_instant_contact* contact = sti_sticking_data_contact(d, i);
    const sti_rationals* lambda = answer->lambda_exact;
    const size_t n = (size_t)d->instant->n, at = (size_t)d->first[i];
    for (int k = is_open(d, i); k < d->row[i + 1] - d->row[i]; k++) {  // A'a + c = 0
        const size_t line = k == 0 ? (size_t)d->contact[i] : (size_t)(d->t_first[i] + k - 1);
        sti_sum_clear(d);
        sti_sum_add(d, k == 0 ? d->table.n_rate : d->table.t_rate, line, 1);
        for (size_t j = 0; j < n; j++)
            sti_sum_add_product(d, k == 0 ? d->table.n : d->table.t, line * n + j, answer->a_exact, j, 1);
        if (sti_sum_sign(d) != 0) return false;
    }
    const int normal = sti_rationals_sign(lambda, at), tangents = contact->tangent_count;
    if (!contact->bilateral && normal < 0) return false;
    if (is_open(d, i) && normal != 0) return false;
    if (!is_rough(d, i) || is_open(d, i)) {
        for (int k = 1; k <= tangents; k++)
            if (sti_rationals_sign(lambda, at + (size_t)k) != 0) return false;
        return true;
    }
    if (d->slides[i]) {  // lambda_t = -mu |lambda_n| slip; a slip that is no unit vector of an axis enters as a double
        for (int k = 0; k < tangents; k++) {
            const double slip = d->slip[i][k];
            sti_sum_clear(d);
            sti_sum_add(d, lambda, at + 1 + (size_t)k, 1);
            if (fabs(slip) != 1 && sti_rationals_set_double(scratch, 0, contact->mu_kinetic * slip) != STI_OK)
                return false;
            if (fabs(slip) != 1)
                sti_sum_add_product(d, scratch, 0, lambda, at, normal < 0 ? -1 : 1);
            else
                sti_sum_add_product(d, d->table.mu_kinetic, (size_t)d->contact[i], lambda, at,
                                    (normal < 0 ? -1 : 1) * (slip > 0 ? 1 : -1));
            if (sti_sum_sign(d) != 0) return false;
        }
        return true;
    }
    if (answer->facets > 0 && tangents == 2) {
        for (int k = 0; k < sti_sticking_data_facets(d, i, answer->facets); k++) {
            double m[2];
            sti_sticking_data_facet(d, i, answer->facets, k, m);
            for (int h = 0; h < 2; h++) {
                if (sti_rationals_set_double(scratch, (size_t)h, m[h]) != STI_OK) return false;
            }
            sti_sum_clear(d);
            sti_sum_add_product(d, d->table.mu, (size_t)d->contact[i], lambda, at,
                                contact->bilateral && normal < 0 ? -1 : 1);
            sti_sum_add_product(d, scratch, 0, lambda, at + 1, -1);
            sti_sum_add_product(d, scratch, 1, lambda, at + 2, -1);
            if (sti_sum_sign(d) < 0) return false;
        }
        return true;
    }
    // (mu lambda_n)^2 >= |lambda_t|^2
    sti_sum_clear(d);
    sti_sum_add_product(d, d->table.mu, (size_t)d->contact[i], lambda, at, 1);
    if (sti_sum_store(d, scratch, 0) != STI_OK) return false;
    sti_sum_clear(d);
    sti_sum_add_product(d, scratch, 0, scratch, 0, 1);
    for (int k = 1; k <= tangents; k++) sti_sum_add_product(d, lambda, at + (size_t)k, lambda, at + (size_t)k, -1);
    return sti_sum_sign(d) >= 0;
}

static sti_status check_exact_point(sti_sticking_data* d, const sti_sticking_answer* answer,
                                    sti_sticking_verification* out) {
    sti_rationals* scratch = NULL;
    const size_t n = (size_t)d->instant->n, p = (size_t)d->first[d->count];
    if (answer->a_exact == NULL || answer->lambda_exact == NULL || sti_rationals_count(answer->a_exact) != n ||
        sti_rationals_count(answer->lambda_exact) != p)
        return STI_REJECT(out, "claims to be exact, without the exact numbers");
    sti_status status = sti_rationals_create(d->env, 2, &scratch);
    out->exact = status == STI_OK;
    for (size_t j = 0; status == STI_OK && j < n && out->exact; j++) {
        sum_dynamics(d, answer, j);
        if (sti_sum_sign(d) != 0) {
            out->exact = false;
            STI_REJECT(out, "M a + F = C lambda fails in row %zu", j);
        }
    }
    for (int i = 0; status == STI_OK && i < d->count && out->exact; i++) {
        if (!exact_contact(d, answer, i, scratch)) {
            out->exact = false;
            STI_REJECT(out, "contact %s: its conditions fail at the exact point",
                       sti_sticking_data_contact(d, i)->name);
        }
    }
    sti_rationals_destroy(scratch);
    if (status == STI_OK) status = d->x.status;
    return status;
}

static sti_status check_point(sti_sticking_data* d, const sti_sticking_answer* answer, double tol,
                              sti_sticking_verification* out) {
    const int p = d->first[d->count];
    if (answer->a == NULL || answer->lambda == NULL) return STI_REJECT(out, "no point is given");
    double size = 0, off;
    for (int k = 0; k < p; k++) size = fmax(size, d->size_l[k]);
    for (int k = 0; k < d->instant->n; k++)
        if (!isfinite(answer->a[k])) return STI_REJECT(out, "a[%d] is %g", k, answer->a[k]);
    for (int k = 0; k < p; k++) {
        if (!isfinite(answer->lambda[k])) return STI_REJECT(out, "lambda[%d] is %g", k, answer->lambda[k]);
        size = fmax(size, fabs(answer->lambda[k]));
    }
    out->residual = equation_residual(d, answer);
    out->margin = least_margin(d, answer->facets, answer->lambda, &off);
    if (!(out->residual <= tol)) return STI_REJECT(out, "the equations are missed by %.2e", out->residual);
    if (!(off <= tol * size)) return STI_REJECT(out, "friction of a sliding or smooth contact is missed by %.2e", off);
    if (!(out->margin >= -tol * size)) return STI_REJECT(out, "a friction bound is passed by %.2e", -out->margin);
    out->accepted = true;
    snprintf(out->text, sizeof out->text, "the point satisfies the equations and every friction bound%s",
             answer->exact ? ", without rounding" : " within the tolerance");
    return answer->exact ? check_exact_point(d, answer, out) : STI_OK;
}

// ---- does not

static sti_status load_leaf(sti_sticking_data* d, const sti_sticking_answer* answer, const sti_sticking_leaf* leaf,
                            sti_rationals* v) {
    const size_t n = (size_t)answer->n, q = (size_t)answer->acceleration_count;
    const size_t w = (size_t)answer->contact_count * (size_t)answer->facets;
    (void)d;
    sti_status status = STI_OK;
    for (size_t k = 0; status == STI_OK && k < n + q + w; k++) {
        if (leaf->exact != NULL)
            status = sti_rationals_copy(v, k, leaf->exact, k);
        else
            status = sti_rationals_set_double(v, k,
                                              k < n       ? leaf->y[k]
                                              : k < n + q ? leaf->z[k - n]
                                                          : leaf->w[k - n - q]);
    }
    return status;
}

// What a leaf misses: its largest entry, and the sum weighed by the sizes of the unknowns.
typedef struct missed {
    double most, weighed;
} missed;

static void add_miss(missed* m, double value, double size) {
    m->most = fmax(m->most, value);
    m->weighed += value * size;
}

// M y + A z
static void balance_miss(sti_sticking_data* d, const sti_rationals* v, missed* m) {
    const size_t n = (size_t)d->instant->n;
    for (size_t j = 0; j < n; j++) {
        sti_sum_clear(d);
        for (size_t k = 0; k < n; k++) sti_sum_add_product(d, d->table.M, j * n + k, v, k, 1);
        for (int i = 0; i < d->count; i++) {
            for (int k = is_open(d, i); k < d->row[i + 1] - d->row[i]; k++) {
                const size_t line = k == 0 ? (size_t)d->contact[i] : (size_t)(d->t_first[i] + k - 1);
                sti_sum_add_product(d, k == 0 ? d->table.n : d->table.t, line * n + j, v, n + (size_t)(d->row[i] + k),
                                    1);
            }
        }
        if (sti_sum_sign(d) != 0) add_miss(m, fabs(sti_sum_double(d)), d->size_a[j]);
    }
}

// y'F + z'c stays in the accumulator.
static void sum_strictness(sti_sticking_data* d, const sti_rationals* v) {
    const size_t n = (size_t)d->instant->n;
    sti_sum_clear(d);
    for (size_t j = 0; j < n; j++) sti_sum_add_product(d, d->table.F, j, v, j, 1);
    for (int i = 0; i < d->count; i++) {
        for (int k = is_open(d, i); k < d->row[i + 1] - d->row[i]; k++) {
            const size_t line = k == 0 ? (size_t)d->contact[i] : (size_t)(d->t_first[i] + k - 1);
            sti_sum_add_product(d, k == 0 ? d->table.n_rate : d->table.t_rate, line, v, n + (size_t)(d->row[i] + k), 1);
        }
    }
}

// A polygon: u = sum_k w_k (mu sign, -m_k) with w >= 0, w in entries `from` .. of v; entry 3 of scratch is used.
static double polygon_miss(sti_sticking_data* d, int i, int sign, int facets, const sti_rationals* u,
                           const sti_rationals* v, size_t from, sti_rationals* scratch) {
    double miss = 0;
    for (int h = 0; h < 3; h++) {
        sti_sum_clear(d);
        sti_sum_add(d, u, (size_t)h, 1);
        for (int k = 0; k < sti_sticking_data_facets(d, i, facets); k++) {
            double m[2];
            sti_sticking_data_facet(d, i, facets, k, m);
            if (sti_rationals_sign(v, from + (size_t)k) < 0) return INFINITY;
            if (h > 0 && sti_rationals_set_double(scratch, 3, m[h - 1]) != STI_OK) return INFINITY;
            if (h == 0)
                sti_sum_add_product(d, d->table.mu, (size_t)d->contact[i], v, from + (size_t)k, -sign);
            else
                sti_sum_add_product(d, scratch, 3, v, from + (size_t)k, 1);
        }
        if (sti_sum_sign(d) != 0) miss = fmax(miss, fabs(sti_sum_double(d)));
    }
    return miss;
}

static sti_status check_leaf(sti_sticking_data* d, const sti_sticking_answer* answer, int index, sti_rationals* v,
                             sti_rationals* u, sti_sticking_verification* out) {
    const sti_sticking_leaf* leaf = &answer->leaves[index];
    const size_t w = (size_t)(answer->n + answer->acceleration_count);
    const size_t total = w + (size_t)answer->contact_count * (size_t)answer->facets;
    if (leaf->exact != NULL ? sti_rationals_count(leaf->exact) != total
                            : leaf->y == NULL || (leaf->z == NULL && answer->acceleration_count > 0) ||
                                  (answer->facets > 0 && leaf->w == NULL))
        return STI_REJECT(out, "leaf %d: multipliers are missing", index);
    sti_status status = load_leaf(d, answer, leaf, v);
    if (status == STI_ERR_ARGUMENT) return STI_REJECT(out, "leaf %d: a multiplier is not a finite number", index);
    missed miss = {0};
    if (status == STI_OK) balance_miss(d, v, &miss);
    for (int i = 0; status == STI_OK && i < d->count; i++) {
        if (is_open(d, i)) continue;
        const sti_instant_contact* contact = sti_sticking_data_contact(d, i);
        const bool rough = is_rough(d, i);
        const int sign = !contact->bilateral ? 1 : rough ? leaf->sign[i] : 0;
        status = sti_sticking_data_pull(d, i, v, u);
        if (status != STI_OK) break;
        const bool polygon = answer->facets > 0 && rough && !d->slides[i] && contact->tangent_count == 2 && sign != 0;
        const double off =
            polygon ? polygon_miss(d, i, sign, answer->facets, u, v, w + (size_t)i * (size_t)answer->facets, u)
                    : sti_dual_miss(d, i, sign, rough, u);
        double size = 0;
        for (int k = 0; k <= contact->tangent_count; k++) size = fmax(size, d->size_l[d->first[i] + k]);
        if (off > 0) add_miss(&miss, off, size);
    }
    if (status != STI_OK) return status;
    sum_strictness(d, v);
    if (d->x.status != STI_OK) return d->x.status;
    const double strict = sti_sum_double(d), bound = miss.most > 0 ? strict / miss.most : INFINITY;
    out->leaves_checked++;
    out->margin = isnan(out->margin) ? strict : fmin(out->margin, strict);
    out->bound = fmin(out->bound, bound);
    if (miss.most > 0) out->exact = false;
    if (sti_sum_sign(d) <= 0) return STI_REJECT(out, "leaf %d: y'F + z'c is not positive", index);
    if (!(strict >= FAR * miss.weighed))
        return STI_REJECT(out, "leaf %d: M y + A z = 0 or a dual cone is missed by %.2e, against %.2e", index,
                          miss.most, strict);
    return STI_OK;
}

static sti_status check_leaves(sti_sticking_data* d, const sti_sticking_answer* answer,
                               sti_sticking_verification* out) {
    const size_t nc = (size_t)answer->contact_count;
    if (answer->leaf_count < 1 || answer->leaves == NULL) return STI_REJECT(out, "claims without a certificate");
    signed char* signs = sti_alloc_array(d->env, (size_t)answer->leaf_count * nc, 1);
    sti_rationals *v = NULL, *u = NULL;
    sti_status status = signs != NULL ? STI_OK : STI_ERR_MEMORY;
    const size_t total = (size_t)(answer->n + answer->acceleration_count) + nc * (size_t)answer->facets;
    if (status == STI_OK) status = sti_rationals_create(d->env, total, &v);
    if (status == STI_OK) status = sti_rationals_create(d->env, 4, &u);
    out->exact = out->accepted = true;
    out->bound = INFINITY;
    for (int l = 0; status == STI_OK && l < answer->leaf_count; l++) {
        for (size_t i = 0; i < nc; i++) {
            const int sign = answer->leaves[l].sign != NULL ? answer->leaves[l].sign[i] : 0;
            signs[(size_t)l * nc + i] = (signed char)sign;
            if (sign < -1 || sign > 1 || answer->leaves[l].sign == NULL) out->accepted = false;
        }
    }
    bool covered = false;
    if (status == STI_OK && !out->accepted) STI_REJECT(out, "a leaf has no signs");
    if (status == STI_OK && out->accepted)
        status = sti_check_cover(d->env, signs, answer->leaf_count, answer->contact_count, &covered, out->text,
                                 sizeof out->text);
    if (status == STI_OK && out->accepted && !covered)
        STI_REJECT(out, "the leaves do not cover all signs of bilateral forces");
    for (int l = 0; status == STI_OK && l < answer->leaf_count && out->accepted; l++)
        status = check_leaf(d, answer, l, v, u, out);
    if (status == STI_OK && out->accepted)
        snprintf(out->text, sizeof out->text, "no admissible contact force drives the motion of %d %s%s",
                 answer->leaf_count, answer->leaf_count == 1 ? "leaf" : "leaves",
                 out->exact ? ", without rounding" : "");
    if (!out->accepted) out->exact = false;
    sti_free(d->env, signs);
    sti_rationals_destroy(v);
    sti_rationals_destroy(u);
    return status;
}

sti_status sti_check_claim(sti_sticking_data* d, const sti_sticking_answer* answer, double tol,
                           sti_sticking_verification* out) {
    if (answer->outcome == STI_STICKING_YES || answer->outcome == STI_STICKING_LIMIT)
        return check_point(d, answer, tol, out);
    if (answer->outcome == STI_STICKING_NO) return check_leaves(d, answer, out);
    return STI_REJECT(out, "nothing is claimed");
}

// The rest of the answer: contacts that may open, and the propositions.
static sti_status check_rest(sti_sticking_data* d, const sti_sticking_answer* answer, double tol,
                             sti_sticking_verification* out) {
    const sti_status status = sti_check_opening(d, answer, tol, out);
    return status == STI_OK && out->accepted ? sti_check_propositions(d, answer, tol, out) : status;
}

// Polygons of contacts are no larger than the answer says, and none of them slides.
static bool polygons_fit(const sti_sticking_data* d, const sti_sticking_answer* answer) {
    for (int i = 0; i < d->count; i++) {
        const int corners = sti_sticking_data_contact(d, i)->corner_count;
        if (corners > answer->facets || (corners > 0 && d->slides[i] && is_rough(d, i))) return false;
    }
    return true;
}

sti_status sti_verify_sticking(sti_env* env, const sti_instant* instant, const sti_sticking_answer* answer, double tol,
                               sti_sticking_verification* out) {
    *out = (sti_sticking_verification){.claim = answer->outcome, .residual = NAN, .margin = NAN, .bound = NAN};
    sti_sticking_data d;
    const char* why = NULL;
    sti_status status = sti_sticking_data_open(&d, env, instant, answer->contact_count, answer->contact, NULL, 0, &why);
    if (status == STI_OK && why != NULL) {
        STI_REJECT(out, "%s", why);
    } else if (status == STI_OK &&
               (answer->n != instant->n || answer->multiplier_count != d.first[d.count] ||
                answer->acceleration_count != d.row[d.count] || answer->facets < 0 || answer->facets > 360)) {
        STI_REJECT(out, "the answer is for %d velocities and %d multipliers, the instant has %d and %d", answer->n,
                   answer->multiplier_count, instant->n, d.first[d.count]);
    } else if (status == STI_OK && !polygons_fit(&d, answer)) {
        STI_REJECT(out, "the answer has %d facets, polygons of contacts have more, or slide", answer->facets);
    } else if (status == STI_OK) {
        status = sti_check_claim(&d, answer, tol, out);
        if (status == STI_OK && (out->accepted || answer->outcome == STI_STICKING_UNKNOWN)) {
            const bool decided = out->accepted;
            char kept[sizeof out->text];
            memcpy(kept, out->text, sizeof kept);
            out->accepted = true;
            status = check_rest(&d, answer, tol, out);
            if (out->accepted) memcpy(out->text, kept, sizeof kept);
            out->accepted = out->accepted && decided;
        }
    }
    if (!out->accepted) out->exact = false;
    sti_sticking_data_close(&d);
    return status;
}
