// sticking_opening.c: the check of the version of sticking in which contacts may open, (60), and of the contact problem
// (43).
//
// A solution of (43) is put into
//
//     M a + F = C lambda,   a_t = 0,   a_n = 0 (bilateral),   0 <= lambda_n _|_ a_n >= 0 (unilateral)
//
// in rationals where it is exact, otherwise within tol of the terms of each row. It tells which contacts open; a claim
// about (60) is then one about sticking, without their forces and rows, and is checked as such. That (43) has no
// solution is shown by a Farkas vector of the constraints or a direction of descent.
#include <math.h>
#include <stdio.h>

#include "verify/data.h"
#include "verify/sticking_data.h"

// a_n of contact i in the accumulator.
static void sum_rate(sti_sticking_data* d, int i, int k, const sti_rationals* a, bool rate) {
    const size_t n = (size_t)d->instant->n;
    const size_t line = k == 0 ? (size_t)d->contact[i] : (size_t)(d->t_first[i] + k - 1);
    sti_sum_clear(d);
    if (rate) sti_sum_add(d, k == 0 ? d->table.n_rate : d->table.t_rate, line, 1);
    for (size_t j = 0; j < n; j++) sti_sum_add_product(d, k == 0 ? d->table.n : d->table.t, line * n + j, a, j, 1);
}

static void sum_dynamics(sti_sticking_data* d, const sti_rationals* a, const sti_rationals* lambda, size_t j) {
    const size_t n = (size_t)d->instant->n;
    sti_sum_clear(d);
    sti_sum_add(d, d->table.F, j, 1);
    for (size_t k = 0; k < n; k++) sti_sum_add_product(d, d->table.M, j * n + k, a, k, 1);
    for (int i = 0; i < d->count; i++) {
        for (int k = 0; k <= sti_sticking_data_contact(d, i)->tangent_count; k++) {
            const size_t line = k == 0 ? (size_t)d->contact[i] : (size_t)(d->t_first[i] + k - 1);
            sti_sum_add_product(d, k == 0 ? d->table.n : d->table.t, line * n + j, lambda, (size_t)(d->first[i] + k),
                                -1);
        }
    }
}

static double rate_size(const sti_sticking_data* d, int i, int k, const double* a) {
    const sti_instant_contact* c = sti_sticking_data_contact(d, i);
    const double* v = k == 0 ? c->n : c->t + (size_t)(k - 1) * (size_t)d->instant->n;
    double size = fabs(k == 0 ? c->n_rate : c->t_rate[k - 1]);
    for (int j = 0; j < d->instant->n; j++) size += fabs(v[j]) * (fabs(a[j]) + d->size_a[j]);
    return size;
}

// ---- a solution of (43) without rounding

static sti_status check_exact_contact(sti_sticking_data* d, const sti_opening* o, int i, double tol,
                                      sti_sticking_verification* out) {
    const sti_instant_contact* c = sti_sticking_data_contact(d, i);
    for (int k = 1; k <= c->tangent_count; k++) {
        sum_rate(d, i, k, o->a_exact, true);
        if (sti_sum_sign(d) != 0) return STI_REJECT(out, "(43): contact %s: a_t is not zero", c->name);
    }
    sum_rate(d, i, 0, o->a_exact, true);
    const int rate = sti_sum_sign(d), normal = sti_rationals_sign(o->lambda_exact, (size_t)d->first[i]);
    if (c->bilateral ? rate != 0 : rate < 0 || normal < 0 || (rate > 0 && normal > 0))
        return STI_REJECT(out, "(43): contact %s: 0 <= lambda_n _|_ a_n >= 0 fails", c->name);
    if (o->opens[i] != (!c->bilateral && rate > 0))
        return STI_REJECT(out, "(43): contact %s %s", c->name, rate > 0 ? "opens" : "does not open");
    const double value = sti_sum_double(d);
    if (!c->bilateral && !(fabs(value - o->a_n[i]) <= tol * rate_size(d, i, 0, o->a)))
        return STI_REJECT(out, "(43): contact %s: a_n is %.10g, not %.10g", c->name, value, o->a_n[i]);
    return STI_OK;
}

static sti_status check_exact_solution(sti_sticking_data* d, const sti_opening* o, double tol,
                                       sti_sticking_verification* out) {
    const size_t n = (size_t)d->instant->n, p = (size_t)d->first[d->count];
    if (o->lambda_exact == NULL || sti_rationals_count(o->a_exact) != n || sti_rationals_count(o->lambda_exact) != p)
        return STI_REJECT(out, "(43): exact numbers are missing");
    sti_status status = STI_OK;
    for (size_t j = 0; j < n && out->accepted; j++) {
        sum_dynamics(d, o->a_exact, o->lambda_exact, j);
        if (sti_sum_sign(d) != 0) STI_REJECT(out, "(43): M a + F = C lambda fails in row %zu", j);
        const double a = sti_rationals_double(o->a_exact, j);
        if (!(fabs(a - o->a[j]) <= tol * (fabs(a) + d->size_a[j])))
            STI_REJECT(out, "(43): a[%zu] is %.10g, not %.10g", j, a, o->a[j]);
    }
    for (int i = 0; i < d->count && out->accepted && status == STI_OK; i++)
        status = check_exact_contact(d, o, i, tol, out);
    if (status == STI_OK) status = d->x.status;
    return status;
}

// ---- a solution of (43) in floating point

// M a + F = C lambda in doubles.
static void check_dynamics(const sti_sticking_data* d, const sti_opening* o, double tol,
                           sti_sticking_verification* out) {
    const sti_instant* in = d->instant;
    const int n = in->n;
    for (int j = 0; j < n && out->accepted; j++) {
        long double sum = in->F[j];
        double size = fabs(in->F[j]);
        for (int k = 0; k < n; k++) {
            const double m = in->M[(size_t)j * (size_t)n + (size_t)k];
            sum += (long double)m * o->a[k];
            size += fabs(m) * (fabs(o->a[k]) + d->size_a[k]);
        }
        for (int i = 0; i < d->count; i++) {
            const sti_instant_contact* c = sti_sticking_data_contact(d, i);
            for (int k = 0; k <= c->tangent_count; k++) {
                const double v = k == 0 ? c->n[j] : c->t[(size_t)(k - 1) * (size_t)n + (size_t)j];
                const int at = d->first[i] + k;
                sum -= (long double)v * o->lambda[at];
                size += fabs(v) * (fabs(o->lambda[at]) + d->size_l[at]);
            }
        }
        if (!(fabsl(sum) <= tol * size)) STI_REJECT(out, "(43): M a + F = C lambda fails in row %d", j);
    }
}

static void check_contact(const sti_sticking_data* d, const sti_opening* o, int i, double tol, bool discs,
                          sti_sticking_verification* out) {
    const sti_instant_contact* c = sti_sticking_data_contact(d, i);
    const int n = d->instant->n;
    for (int k = c->tangent_count; k >= 0 && out->accepted; k--) {
        const double* v = k == 0 ? c->n : c->t + (size_t)(k - 1) * (size_t)n;
        long double sum = k == 0 ? c->n_rate : c->t_rate[k - 1];
        for (int j = 0; j < n; j++) sum += (long double)v[j] * o->a[j];
        const double rate = (double)sum, size = rate_size(d, i, k, o->a), normal = o->lambda[d->first[i]];
        const double force = tol * (fabs(normal) + d->size_l[d->first[i]]);
        if (k > 0 || c->bilateral) {
            if (!(fabs(rate) <= tol * size)) STI_REJECT(out, "(43): contact %s: its acceleration is not zero", c->name);
            continue;
        }
        if (!(fabs(rate - o->a_n[i]) <= tol * size))
            STI_REJECT(out, "(43): contact %s: a_n is %.10g, not %.10g", c->name, rate, o->a_n[i]);
        else if (!(rate >= -tol * size) || !(normal >= -force || discs) || (normal > force && rate > 1e-8 * size))
            STI_REJECT(out, "(43): contact %s: 0 <= lambda_n _|_ a_n >= 0 fails", c->name);
        else if (o->a_exact == NULL && (o->opens[i] ? !(rate > 1e-13 * size) : rate > 1e-7 * size))
            STI_REJECT(out, "(43): contact %s %s", c->name, o->opens[i] ? "does not open" : "opens");
    }
}

// ---- no solution of (43)

// z: A z = 0, z >= 0 at unilateral normals, c'z < 0. The rows of `v` are z.
static sti_status check_farkas(sti_sticking_data* d, const sti_rationals* z, bool exact,
                               sti_sticking_verification* out) {
    const size_t n = (size_t)d->instant->n;
    double miss = 0;
    for (size_t j = 0; j < n; j++) {
        sti_sum_clear(d);
        for (int i = 0; i < d->count; i++)
            for (int k = 0; k < d->row[i + 1] - d->row[i]; k++) {
                const size_t line = k == 0 ? (size_t)d->contact[i] : (size_t)(d->t_first[i] + k - 1);
                sti_sum_add_product(d, k == 0 ? d->table.n : d->table.t, line * n + j, z, (size_t)(d->row[i] + k), 1);
            }
        if (sti_sum_sign(d) != 0) miss += fabs(sti_sum_double(d)) * d->size_a[j];
    }
    sti_sum_clear(d);
    for (int i = 0; i < d->count; i++)
        for (int k = 0; k < d->row[i + 1] - d->row[i]; k++) {
            const size_t line = k == 0 ? (size_t)d->contact[i] : (size_t)(d->t_first[i] + k - 1);
            sti_sum_add_product(d, k == 0 ? d->table.n_rate : d->table.t_rate, line, z, (size_t)(d->row[i] + k), 1);
            const bool unilateral = k == 0 && !sti_sticking_data_contact(d, i)->bilateral;
            if (unilateral && sti_rationals_sign(z, (size_t)d->row[i]) < 0)
                return STI_REJECT(out, "(43): the Farkas vector pulls at contact %s",
                                  sti_sticking_data_contact(d, i)->name);
        }
    if (sti_sum_sign(d) >= 0 || (exact ? miss > 0 : !(-sti_sum_double(d) >= 1e5 * miss)))
        return STI_REJECT(out, "(43): the Farkas vector proves nothing");
    return STI_OK;
}

// x: M x = 0, no motion along tangents and bilateral normals, U'x >= 0, F'x < 0.
static sti_status check_descent(sti_sticking_data* d, const sti_rationals* x, bool exact,
                                sti_sticking_verification* out) {
    const size_t n = (size_t)d->instant->n;
    double miss = 0;
    for (size_t j = 0; j < n; j++) {
        sti_sum_clear(d);
        for (size_t k = 0; k < n; k++) sti_sum_add_product(d, d->table.M, j * n + k, x, k, 1);
        if (sti_sum_sign(d) != 0) miss += fabs(sti_sum_double(d)) * d->size_a[j];
    }
    for (int i = 0; i < d->count; i++) {
        const sti_instant_contact* c = sti_sticking_data_contact(d, i);
        for (int k = 0; k <= c->tangent_count; k++) {
            sum_rate(d, i, k, x, false);
            const bool held = k > 0 || c->bilateral;
            if (held ? sti_sum_sign(d) != 0 : sti_sum_sign(d) < 0)
                miss += fabs(sti_sum_double(d)) * d->size_l[d->first[i] + k];
        }
    }
    sti_sum_clear(d);
    for (size_t j = 0; j < n; j++) sti_sum_add_product(d, d->table.F, j, x, j, 1);
    if (sti_sum_sign(d) >= 0 || (exact ? miss > 0 : !(-sti_sum_double(d) >= 1e5 * miss)))
        return STI_REJECT(out, "(43): the direction of descent proves nothing");
    return STI_OK;
}

static sti_status with_vector(sti_sticking_data* d, const double* value, const sti_rationals* exact, size_t count,
                              bool farkas, sti_sticking_verification* out) {
    sti_rationals* v = NULL;
    if (exact != NULL && sti_rationals_count(exact) != count)
        return STI_REJECT(out, "(43): its proof has another size");
    sti_status status = sti_rationals_create(d->env, count, &v);
    for (size_t i = 0; status == STI_OK && i < count; i++) {
        if (exact == NULL && !isfinite(value[i])) {
            STI_REJECT(out, "(43): its proof has a number that is not finite");
            break;
        }
        status = exact != NULL ? sti_rationals_copy(v, i, exact, i) : sti_rationals_set_double(v, i, value[i]);
    }
    if (status == STI_OK && out->accepted)
        status = farkas ? check_farkas(d, v, exact != NULL, out) : check_descent(d, v, exact != NULL, out);
    sti_rationals_destroy(v);
    if (status == STI_OK) status = d->x.status;
    return status;
}

static sti_status check_unsolvable(sti_sticking_data* d, const sti_opening* o, sti_sticking_verification* out) {
    if (o->outcome != STI_STICKING_NO) return STI_REJECT(out, "(60) sticks without a solution of (43)");
    if (o->exact && o->farkas_exact == NULL && o->descent_exact == NULL)
        return STI_REJECT(out, "(43): claims to be exact, without the exact numbers");
    if (o->farkas != NULL || o->farkas_exact != NULL)
        return with_vector(d, o->farkas, o->farkas_exact, (size_t)d->row[d->count], true, out);
    if (o->descent != NULL || o->descent_exact != NULL)
        return with_vector(d, o->descent, o->descent_exact, (size_t)d->instant->n, false, out);
    return STI_REJECT(out, "(43): no proof that it has no solution");
}

// ---- (60)

// A claim about sticking, of the contacts that do not open.
static sti_status check_closed(sti_sticking_data* d, const sti_sticking_answer* answer, double tol,
                               sti_sticking_verification* out) {
    const sti_opening* o = &answer->opening;
    if (o->outcome == STI_STICKING_UNKNOWN || o->outcome == STI_STICKING_LIMIT) return STI_OK;
    sti_sticking_answer claim = *answer;
    claim.outcome = o->outcome;
    claim.exact = o->exact;
    claim.a = o->a;
    claim.lambda = o->lambda;
    claim.a_exact = o->a_exact;
    claim.lambda_exact = o->lambda_exact;
    claim.leaf_count = o->leaf_count;
    claim.leaves = o->leaves;
    sti_sticking_verification own = {.residual = NAN, .margin = NAN, .bound = NAN};
    d->opens = o->opens;
    const sti_status status = sti_check_claim(d, &claim, tol, &own);
    d->opens = NULL;
    if (status == STI_OK && (!own.accepted || (o->exact && !own.exact)))
        STI_REJECT(out, "(60): %s", own.accepted ? "it is not proved without rounding" : own.text);
    return status;
}

static bool says_nothing(const sti_sticking_data* d, const sti_opening* o) {
    bool opens = false;
    for (int i = 0; o->opens != NULL && i < d->count; i++) opens = opens || o->opens[i];
    return o->a == NULL && o->lambda == NULL && o->a_n == NULL && o->a_exact == NULL && o->lambda_exact == NULL &&
           !opens;
}

static bool complete(const sti_sticking_data* d, const sti_opening* o) {
    const int n = d->instant->n, p = d->first[d->count];
    if (o->a == NULL || o->lambda == NULL || o->a_n == NULL || o->opens == NULL) return false;
    return sti_check_data_finite(o->a, n) && sti_check_data_finite(o->lambda, p) &&
           sti_check_data_finite(o->a_n, d->count);
}

sti_status sti_check_opening(sti_sticking_data* d, const sti_sticking_answer* answer, double tol,
                             sti_sticking_verification* out) {
    const sti_opening* o = &answer->opening;
    if (!o->asked) return STI_OK;
    for (int i = 0; i < d->count; i++)
        if (d->slides[i]) return STI_REJECT(out, "(43): a contact slides");
    if (o->contact_problem != STI_SOLVED && !says_nothing(d, o))
        return STI_REJECT(out, "(43): numbers of a solution that is not claimed");
    if (o->contact_problem == STI_NO_SOLUTION) return check_unsolvable(d, o, out);
    if (o->contact_problem != STI_SOLVED)
        return o->outcome == STI_STICKING_UNKNOWN ? STI_OK : STI_REJECT(out, "(60) without a solution of (43)");
    if (!complete(d, o)) return STI_REJECT(out, "(43): its solution is not complete");
    if (o->exact && o->a_exact == NULL) return STI_REJECT(out, "(43): claims to be exact, without the exact numbers");
    sti_status status = STI_OK;
    if (o->a_exact != NULL) status = check_exact_solution(d, o, tol, out);
    check_dynamics(d, o, tol, out);
    for (int i = 0; i < d->count && out->accepted; i++)
        check_contact(d, o, i, tol, o->outcome == STI_STICKING_YES, out);
    return status == STI_OK && out->accepted ? check_closed(d, answer, tol, out) : status;
}
