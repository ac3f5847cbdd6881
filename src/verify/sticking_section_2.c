// sticking_section_2.c: the check of propositions 1 to 5, corollary 1 and lemma 1 of S0.
#include <math.h>

#include "verify/sticking_facts.h"

// |r_i| <= tol size_i for every entry of r, size: that of r's own terms and `reach` (may be NULL).
static bool vanishes(sti_sticking_facts* f, const char* id, const char* what, sti_fractions r, const double* reach) {
    for (int i = 0; i < r.rows && !sti_algebra_failed(&f->k); i++) {
        const double value = fabs(sti_fractions_double(&f->k, r, i, 0));
        const double size = sti_fractions_size(r, i) + (reach != NULL ? reach[i] : 0);
        if (!(value <= f->tol * size)) return sti_claim_fails(f, id, "%s fails in row %d by %.2e", what, i, value);
    }
    return true;
}

// M a + F = C lambda and A'a + c = 0, lambda = (n; t).
static bool solves(sti_sticking_facts* f, const char* id, sti_fractions a, sti_fractions lambda) {
    sti_algebra* k = &f->k;
    double* reach = sti_alloc_array_zero(k->env, (size_t)(f->n + f->p), sizeof *reach);
    if (reach == NULL) {
        sti_algebra_fail(k);
        return true;
    }
    const sti_fractions Ma = sti_fractions_sum(k, sti_fractions_product(k, f->M, a), f->F, 1);
    const sti_fractions r = sti_fractions_sum(k, Ma, sti_fractions_product(k, f->C, lambda), -1);
    for (int j = 0; j < f->n && !sti_algebra_failed(k); j++)
        for (int c = 0; c < f->p + f->n; c++)
            reach[j] += c < f->p ? sti_fractions_size(f->C, j * f->p + c) * f->size_l[f->flat[c]]
                                 : sti_fractions_size(f->M, j * f->n + c - f->p) * f->size_a[c - f->p];
    bool good = vanishes(f, id, "M a + F = C lambda", r, reach);
    const sti_fractions At = sti_fractions_transpose(k, f->A);
    const sti_fractions s = sti_fractions_sum(k, sti_fractions_product(k, At, a), f->c_A, 1);
    for (int c = 0; c < f->A.cols && !sti_algebra_failed(k); c++) {
        reach[c] = 0;
        for (int j = 0; j < f->n; j++) reach[c] += sti_fractions_size(f->A, j * f->A.cols + c) * f->size_a[j];
    }
    good = good && vanishes(f, id, "A'a + c = 0", s, reach);
    sti_free(k->env, reach);
    return good;
}

// The least norm (31): orthogonal to the kernel of the equations, accelerations in units of largest C over largest M.
static bool has_least_norm(sti_sticking_facts* f, const char* id, sti_fractions a, sti_fractions lambda) {
    sti_algebra* k = &f->k;
    const sti_fractions upper = sti_fractions_join(k, f->M, f->C), Ct = sti_fractions_transpose(k, f->C);
    const sti_fractions lower = sti_fractions_join(k, Ct, sti_fractions_make(k, f->p, f->p));
    const sti_fractions Z = sti_fractions_kernel(k, sti_fractions_stack(k, upper, lower));
    if (sti_algebra_failed(k)) return true;
    double M = 0, C = 0;
    for (int i = 0; i < f->n * f->n; i++) M = fmax(M, sti_fractions_size(f->M, i));
    for (int i = 0; i < f->n * f->p; i++) C = fmax(C, sti_fractions_size(f->C, i));
    const double metric = M > 0 && C > 0 ? C / M : 1;
    for (int c = 0; c < Z.cols; c++) {
        double sum = 0, terms = 0;
        for (int j = 0; j < f->n + f->p; j++) {
            const bool acceleration = j < f->n;
            const double x = sti_fractions_double(k, acceleration ? a : lambda, acceleration ? j : j - f->n, 0);
            // the kernel is that of (M, C; C', 0): lambda enters with the other sign
            const double z = (acceleration ? 1 : -1) * sti_fractions_double(k, Z, j, c);
            const double weight = acceleration ? 1 / (metric * metric) : 1;
            const double size = acceleration ? f->size_a[j] : f->size_l[f->flat[j - f->n]];
            sum += x * z * weight;
            terms += (fabs(x) + size) * fabs(z) * weight;
        }
        if (!(fabs(sum) <= 1e3 * f->tol * terms))
            return sti_claim_fails(f, id, "the solution has not the least norm: %.1e", fabs(sum) / terms);
    }
    return true;
}

// (y, z) with M y + A z = 0, C'y = 0, y'F + z'c != 0.
static bool is_witness(sti_sticking_facts* f, const char* id) {
    sti_algebra* k = &f->k;
    sti_fractions w;
    const int q = f->A.cols;
    if (!sti_claim_column(f, id, "witness", f->n + q, &w)) return false;
    if (w.num == NULL || f->slides) return true;  // with friction that opposes sliding it is another one
    const sti_fractions row = sti_fractions_transpose(k, w);
    int* list = sti_alloc_array(k->env, (size_t)(f->n + q) + 1, sizeof *list);
    if (list == NULL) {
        sti_algebra_fail(k);
        return true;
    }
    for (int j = 0; j < f->n + q; j++) list[j] = j;
    const sti_fractions y = sti_fractions_transpose(k, sti_fractions_columns(k, row, list, f->n));
    const sti_fractions z = sti_fractions_transpose(k, sti_fractions_columns(k, row, list + f->n, q));
    sti_free(k->env, list);
    const sti_fractions b =
        sti_fractions_sum(k, sti_fractions_product(k, f->M, y), sti_fractions_product(k, f->A, z), 1);
    const sti_fractions Ct = sti_fractions_transpose(k, f->C);
    const sti_fractions load = sti_fractions_sum(k, sti_fractions_product(k, sti_fractions_transpose(k, y), f->F),
                                                 sti_fractions_product(k, sti_fractions_transpose(k, z), f->c_A), 1);
    if (sti_algebra_failed(k)) return true;
    // what is missed, for unknowns of their size, is far below what is claimed
    const sti_fractions pull = sti_fractions_product(k, Ct, y);
    double miss = 0;
    for (int j = 0; j < f->n; j++) miss += fabs(sti_fractions_double(k, b, j, 0)) * f->size_a[j];
    for (int c = 0; c < f->p; c++) miss += fabs(sti_fractions_double(k, pull, c, 0)) * f->size_l[f->flat[c]];
    if (!(fabs(sti_fractions_double(k, load, 0, 0)) > 1e5 * miss) || sti_fractions_sign(load, 0, 0) == 0)
        return sti_claim_fails(f, id, "the witness proves nothing");
    return true;
}

static bool check_1(sti_sticking_facts* f) {
    sti_algebra* k = &f->k;
    const bool independent = f->rank_C == f->p, trivial = f->kernel == 0;
    const sti_fractions Ct = sti_fractions_transpose(k, f->C);
    const bool stacked = sti_fractions_rank(k, sti_fractions_join(k, Ct, f->c)) == f->rank_C;
    bool good = sti_claim_verdict(f, "P1.i",
                                  f->slides                ? STI_NOT_APPLICABLE
                                  : independent && trivial ? STI_HOLDS
                                                           : STI_HOLDS_NOT) &&
                sti_claim_integer(f, "P1.i", "rank_C", f->rank_C) &&
                sti_claim_integer(f, "P1.i", "number_of_multipliers", f->p) &&
                sti_claim_integer(f, "P1.i", "dim_kerM_cap_kerCT", f->kernel) &&
                sti_claim_integer(f, "P1.i", "Mb_invertible", independent && trivial) &&
                sti_claim_verdict(f, "P1.ii",
                                  f->slides            ? STI_NOT_APPLICABLE
                                  : stacked && trivial ? STI_HOLDS
                                                       : STI_HOLDS_NOT) &&
                sti_claim_integer(f, "P1.ii", "stacked_consistency", stacked) &&
                sti_claim_integer(f, "P1.ii", "separately_unique", f->rank_N + f->rank_H == f->rank_C) &&
                sti_claim_integer(f, "P1.ii", "qdd_unique", trivial);
    if (!f->slides) good = good && sti_claim_integer(f, "P1.ii", "solvable_for_given_F", f->solvable);
    sti_fractions a, lambda;
    good = good && sti_claim_column(f, "P1.ii", "qdd", f->n, &a) && sti_claim_lambda(f, "P1.ii", &lambda);
    if (good && a.num != NULL && lambda.num != NULL)
        good = solves(f, "P1.ii", a, lambda) && has_least_norm(f, "P1.ii", a, lambda) &&
               sti_claim_matrix(f, "P1.ii", "C_lambda", sti_fractions_product(k, f->C, lambda));
    return good && is_witness(f, "P1.ii");
}

// ---- independent contacts

typedef struct unique {
    sti_fractions G, Ginv, W, V, lambda, a;
    int least, boundary;  // least sign of the margins, contacts with none; 2: not known
    int near;             // contacts with a margin that is rounding
    double margin;
} unique;

static void make_unique(sti_sticking_facts* f, unique* q) {
    sti_algebra* k = &f->k;
    bool regular;
    const sti_fractions MC = sti_fractions_product(k, f->Minv, f->C), Ct = sti_fractions_transpose(k, f->C);
    q->G = sti_fractions_product(k, Ct, MC);
    q->Ginv = sti_fractions_inverse(k, q->G, &regular);
    q->W = sti_fractions_product(k, q->Ginv, sti_fractions_transpose(k, MC));
    const sti_fractions zero = sti_fractions_make(k, f->p, 1);
    q->V = sti_fractions_sum(k, zero, sti_fractions_product(k, q->Ginv, f->c), -1);
    q->lambda = sti_fractions_sum(k, sti_fractions_product(k, q->W, f->F), q->V, 1);
    const sti_fractions load = sti_fractions_sum(k, sti_fractions_product(k, f->C, q->lambda), f->F, -1);
    q->a = sti_fractions_product(k, f->Minv, load);
}

static bool check_margins(sti_sticking_facts* f, unique* q, double* margins, double* terms) {
    q->least = 1;
    q->margin = INFINITY;
    for (int i = 0, at = f->m; i < f->m; i++) {
        const sti_instant_contact* c = sti_sticking_data_contact(f->d, i);
        int sign;
        margins[i] = sti_facts_margin(f, i, q->lambda, &terms[i], &sign);
        bool pulled = false;
        for (int s = 0; s < c->tangent_count; s++, at++)
            pulled = pulled || (c->mu == 0 && sti_fractions_sign(q->lambda, at, 0) != 0);
        if (isnan(margins[i]))
            sign = 1;
        else
            q->boundary += sign == 0;
        q->near += sign != 0 && fabs(margins[i]) <= 1e-9 * terms[i];
        if (margins[i] < q->margin) q->margin = margins[i];
        if (pulled) sign = -1;
        if (sign == 2)
            q->least = q->least < 0 ? -1 : 2;
        else if (q->least != 2 && sign < q->least)
            q->least = sign;
        if (sign == -1) q->least = -1;
    }
    return sti_claim_doubles(f, "P2", "margins", f->m, margins, terms);
}

static sti_fractions schur(sti_sticking_facts* f, sti_fractions G, bool pseudo) {
    sti_algebra* k = &f->k;
    int list[64];
    for (int i = 0; i < 64; i++) list[i] = i;
    const sti_fractions left = sti_fractions_transpose(k, sti_fractions_columns(k, G, list, f->m));          // rows n
    const sti_fractions right = sti_fractions_transpose(k, sti_fractions_columns(k, G, list + f->m, f->t));  // rows t
    const sti_fractions nn = sti_fractions_columns(k, left, list, f->m),
                        nt = sti_fractions_columns(k, left, list + f->m, f->t);
    const sti_fractions tt = sti_fractions_columns(k, right, list + f->m, f->t), tn = sti_fractions_transpose(k, nt);
    bool regular;
    const sti_fractions inverse = pseudo ? sti_fractions_pseudo_inverse(k, nn) : sti_fractions_inverse(k, nn, &regular);
    return sti_fractions_sum(k, tt, sti_fractions_product(k, tn, sti_fractions_product(k, inverse, nt)), -1);
}

static bool check_gains(sti_sticking_facts* f, const unique* q) {
    double expected[64], size[64];
    for (int i = 0, at = f->m; i < f->m; i++) {
        const int tangents = sti_sticking_data_contact(f->d, i)->tangent_count;
        expected[i] = size[i] = 0;
        for (int s = 0; s <= tangents; s++) {
            const int row = s == 0 ? i : at++;
            for (int j = 0; j < f->n; j++) {
                expected[i] = hypot(expected[i], sti_fractions_double(&f->k, q->W, row, j));
                size[i] = hypot(size[i], sti_fractions_size(q->W, row * f->n + j));
            }
        }
    }
    return sti_claim_doubles(f, "P4.i", "force_gain", f->m, expected, size);
}

// Where the verdict does not hang on it, what is on the boundary may have been taken for rounding, and the other way
// round.
static bool check_boundary(sti_sticking_facts* f, const unique* q) {
    const sti_proposition* p = sti_claim(f, "P4.ii");
    const sti_named* v = sti_claim_number(f, "P4.ii", "on_boundary");
    if (v == NULL || p->verdict == STI_HOLDS || p->verdict == STI_HOLDS_NOT)
        return sti_claim_integer(f, "P4.ii", "on_boundary", q->boundary);
    if (v->rows * v->cols != 1 || !(v->value[0] >= 0 && v->value[0] <= q->boundary + q->near) ||
        v->value[0] != floor(v->value[0]))
        return sti_claim_fails(f, "P4.ii", "on_boundary is at most %d", q->boundary + q->near);
    sti_claim_judged(f, v);
    return true;
}

static bool check_4(sti_sticking_facts* f, const unique* q, const double* margins, const double* terms) {
    double size = 0, time = INFINITY, time_size = 0;
    const sti_named* rate = sti_claim_number(f, "P4.i", "lipschitz");
    const double L = rate != NULL ? rate->value[0] : NAN;
    for (int i = 0; i < f->m; i++) {
        const sti_instant_contact* c = sti_sticking_data_contact(f->d, i);
        if (isnan(margins[i])) continue;
        const double slope = c->tangent_count > 0 && c->mu > 0 ? hypot(1, c->mu) : 1;
        size = fmax(size, terms[i]);
        time = fmin(time, fmax(margins[i], 0) / (slope * L));
        time_size = fmax(time_size, terms[i] / (slope * L));
    }
    bool good = q->least == 2 || sti_claim_verdict(f, "P4.i", q->least > 0 ? STI_HOLDS : STI_HOLDS_NOT);
    if (q->least == -1)
        good = good && sti_claim_verdict(f, "P4.ii", STI_NOT_APPLICABLE);
    else if (q->least != 2) {
        good = good && sti_claim_verdict(f, "P4.ii", q->boundary > 0 ? STI_HOLDS : STI_HOLDS_NOT);
    }
    if (q->least != 2) good = good && check_boundary(f, q);
    sti_claim_judged(f, rate);  // an option, given back
    return good && sti_claim_double(f, "P4.i", "least_margin", q->margin, size) &&
           sti_claim_double(f, "P4.i", "time_to_slip_at_least", time, time_size) && check_gains(f, q);
}

static bool moves(const sti_sticking_facts* f) {
    for (int j = 0; j < f->n; j++)
        if (f->d->instant->v[j] != 0) return true;
    return !sti_fractions_is_zero(f->c);
}

static bool check_equilibrium(sti_sticking_facts* f, const unique* q) {
    if (moves(f)) return sti_claim_verdict(f, "C1", STI_NOT_APPLICABLE);
    double most = 0, size = 0;
    int rests = 1;
    for (int j = 0; j < f->n; j++) {
        const double a = fabs(sti_fractions_double(&f->k, q->a, j, 0));
        most = fmax(most, a);
        size = fmax(size, sti_fractions_size(q->a, j));
        if (a > 1e-9 * sti_fractions_size(q->a, j))
            rests = 0;
        else if (a > 1e-14 * sti_fractions_size(q->a, j) && rests == 1)
            rests = 2;
    }
    bool good = true;
    if (q->least == -1 || rests == 0)
        good = sti_claim_verdict(f, "C1", STI_HOLDS_NOT);
    else if (q->least != 2 && rests == 1)
        good = sti_claim_verdict(f, "C1", STI_HOLDS);
    return good && sti_claim_double(f, "C1", "largest_acceleration", most, size);
}

static bool check_2_to_4(sti_sticking_facts* f, bool* unique_sticks) {
    static const char* const ids[] = {"P2", "P3", "C1", "P4.i", "P4.ii"};
    bool good = true;
    *unique_sticks = false;
    if (f->slides || !f->definite || f->rank_C < f->p || f->p == 0 || f->p > 64) {
        for (int i = 0; i < 5 && good; i++) good = sti_claim_verdict(f, ids[i], STI_NOT_APPLICABLE);
        return good;
    }
    sti_algebra* k = &f->k;
    unique q = {0};
    double margins[64], terms[64];
    int list[64];
    for (int i = 0; i < 64; i++) list[i] = i;
    make_unique(f, &q);
    if (sti_algebra_failed(k)) return true;
    good = check_margins(f, &q, margins, terms);
    *unique_sticks = q.least == 0 || q.least == 1;
    if (q.least != 2) {
        good = good && sti_claim_verdict(f, "P2", q.least >= 0 ? STI_HOLDS : STI_HOLDS_NOT);
        good = good && sti_claim_truth(f, "P2", "all_sticking", q.least >= 0);
    }
    const sti_fractions Gn = sti_fractions_transpose(k, sti_fractions_columns(k, q.G, list, f->m));
    const sti_fractions Wt = sti_fractions_transpose(k, q.W), row = sti_fractions_transpose(k, q.lambda);
    const sti_fractions V = sti_fractions_transpose(k, q.V);
    good =
        good && sti_claim_matrix(f, "P2", "G_nn", sti_fractions_columns(k, Gn, list, f->m)) &&
        sti_claim_matrix(f, "P2", "S_G", schur(f, q.G, false)) &&
        sti_claim_matrix(f, "P2", "lambda_n", sti_fractions_columns(k, row, list, f->m)) &&
        sti_claim_matrix(f, "P2", "lambda_t", sti_fractions_columns(k, row, list + f->m, f->t)) &&
        sti_claim_matrix(f, "P2", "qdd", q.a) && sti_claim_verdict(f, "P3", STI_HOLDS) &&
        sti_claim_matrix(f, "P3", "W_n", sti_fractions_transpose(k, sti_fractions_columns(k, Wt, list, f->m))) &&
        sti_claim_matrix(f, "P3", "W_t", sti_fractions_transpose(k, sti_fractions_columns(k, Wt, list + f->m, f->t))) &&
        sti_claim_matrix(f, "P3", "V_n", sti_fractions_columns(k, V, list, f->m)) &&
        sti_claim_matrix(f, "P3", "V_t", sti_fractions_columns(k, V, list + f->m, f->t));
    return good && check_equilibrium(f, &q) && check_4(f, &q, margins, terms);
}

// ---- lemma 1 and proposition 5

static bool check_lemma(sti_sticking_facts* f) {
    sti_algebra* k = &f->k;
    if (f->p > 64) return true;
    const sti_fractions Ct = sti_fractions_transpose(k, f->C);
    const sti_fractions E = sti_fractions_sum(k, f->M, sti_fractions_product(k, f->C, Ct), 1);
    const sti_fractions D =
        sti_fractions_product(k, Ct, sti_fractions_product(k, sti_fractions_pseudo_inverse(k, E), f->C));
    const bool regular = f->rank_C - f->rank_N == f->t;
    const sti_fractions Q = schur(f, D, true);
    double most = 0;  // D has eigenvalues at most one; decompositions round in the norm, times the condition
    for (int i = 0; i < f->p && !sti_algebra_failed(k); i++) most = fmax(most, fabs(sti_fractions_double(k, D, i, i)));
    for (int i = 0; i < f->t * f->t && !sti_algebra_failed(k); i++) Q.size[i] = 1e4 * most;
    return sti_claim_verdict(f, "L1", regular ? STI_HOLDS : STI_HOLDS_NOT) &&
           sti_claim_integer(f, "L1", "rank_E", sti_fractions_rank(k, E)) &&
           sti_claim_integer(f, "L1", "rank_D", f->rank_C) && sti_claim_integer(f, "L1", "Q_nonsingular", regular) &&
           sti_claim_matrix(f, "L1", "Q", Q);
}

// Orthonormal rows that C takes to zero, as many as there are.
static bool check_self_stress(sti_sticking_facts* f) {
    const sti_named* v = sti_claim_number(f, "P5", "self_stress");
    if (v == NULL || sti_algebra_failed(&f->k)) return true;
    const int count = f->p - f->rank_C;
    if (v->rows * v->cols != count * f->p)
        return sti_claim_fails(f, "P5", "self_stress has %d directions, not %d", count, v->rows);
    for (int r = 0; r < count; r++) {
        const double* z = v->value + (size_t)r * (size_t)f->p;  // flat
        for (int s = 0; s <= r; s++) {
            double dot = 0;
            for (int c = 0; c < f->p; c++) dot += z[c] * v->value[(size_t)s * (size_t)f->p + (size_t)c];
            if (!(fabs(dot - (s == r)) <= f->tol)) return sti_claim_fails(f, "P5", "self_stress is not orthonormal");
        }
        for (int j = 0; j < f->n; j++) {
            double sum = 0, terms = 0;
            for (int c = 0; c < f->p; c++) {
                const double term = sti_fractions_double(&f->k, f->C, j, c) * z[f->flat[c]];
                sum += term;
                terms += fabs(sti_fractions_size(f->C, j * f->p + c));
            }
            if (!(fabs(sum) <= f->tol * terms)) return sti_claim_fails(f, "P5", "self_stress is moved by C");
        }
    }
    sti_claim_judged(f, v);
    return true;
}

static bool check_5(sti_sticking_facts* f, bool unique_known, bool unique_sticks) {
    if (f->slides || !f->solvable) return sti_claim_verdict(f, "P5", STI_NOT_APPLICABLE);
    if (f->m > 64) return true;
    sti_fractions a, lambda;
    double margins[64], terms[64];
    if (!sti_claim_column(f, "P5", "qdd", f->n, &a) || !sti_claim_lambda(f, "P5", &lambda)) return false;
    if (a.num == NULL || lambda.num == NULL || sti_algebra_failed(&f->k)) return true;
    bool inside = true, clear = true;
    for (int i = 0, at = f->m; i < f->m; i++) {
        const sti_instant_contact* c = sti_sticking_data_contact(f->d, i);
        int sign;
        margins[i] = sti_facts_margin(f, i, lambda, &terms[i], &sign);
        terms[i] = (1 + c->mu) * f->size_l[f->d->first[i]];
        double drag = 0;
        for (int s = 0; s < c->tangent_count; s++, at++) {
            terms[i] += sti_fractions_size(lambda, at);
            if (c->mu == 0) drag = fmax(drag, fabs(sti_fractions_double(&f->k, lambda, at, 0)));
        }
        if (drag > 1e-9 * terms[i])
            inside = false;
        else if (drag > 0)
            clear = false;
        if (margins[i] < -1e-9 * terms[i])
            inside = false;
        else if (margins[i] < 1e-9 * terms[i])
            clear = false;
    }
    bool good = solves(f, "P5", a, lambda) && has_least_norm(f, "P5", a, lambda) &&
                sti_claim_doubles(f, "P5", "margins", f->m, margins, terms) && check_self_stress(f);
    const sti_proposition* p = sti_claim(f, "P5");
    if (p != NULL && p->verdict == STI_NOT_APPLICABLE) return sti_claim_fails(f, "P5", "it applies");
    if (unique_known) return good && sti_claim_verdict(f, "P5", unique_sticks ? STI_HOLDS : STI_HOLDS_NOT);
    if (!inside || clear) good = good && sti_claim_verdict(f, "P5", inside ? STI_HOLDS : STI_HOLDS_NOT);
    return good;
}

bool sti_check_section_2(sti_sticking_facts* f) {
    bool sticks;
    if (!check_1(f) || !check_2_to_4(f, &sticks) || !check_lemma(f)) return false;
    const bool known =
        !f->slides && f->definite && f->rank_C == f->p && f->p > 0 && f->p <= 64 && f->answer->facets == 0;
    return check_5(f, known, sticks);
}
