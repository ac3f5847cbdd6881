// verify.c: the independent check of answers: what is claimed decides what is checked.
//
//     solved        solution.c: residuals on the original data, the claimed w, the exact point when there is one
//     no solution   certificate.c: every Farkas vector; cover.c: the cases they close are all there are
//     otherwise     nothing is claimed, nothing is accepted
//
// A secondary ray is checked here. The ray of Lemke's method gives v >= 0, M v >= 0, v'M v = 0; with v'q < 0 that
// proves the absence of solutions for some classes of M (copositive ones, S3 theorem 1.2.8), but not for all:
// M = [0 1; 0 0], q = (-1, 0), v = (1, 0) has all of it, and z = (0, 1) is a solution. M'v <= 0 proves it always.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "verify/check.h"

sti_status sti_check_reject(sti_verification* out, const char* format, ...) {
    out->accepted = false;
    out->exact = false;
    va_list args;
    va_start(args, format);
    vsnprintf(out->text, sizeof out->text, format, args);
    va_end(args);
    return STI_OK;
}

static sti_status verify_answer(sti_check* k, const sti_lcp_answer* answer, double tol, sti_verification* out) {
    if (answer->outcome == STI_UNKNOWN || answer->outcome == STI_LIMIT) return sti_check_reject(out, "claims nothing");
    if (answer->outcome != STI_SOLVED && answer->outcome != STI_NO_SOLUTION)
        return sti_check_reject(out, "there is no outcome %d", (int)answer->outcome);
    if (answer->free_count != k->n || answer->n != k->m)
        return sti_check_reject(out, "the answer has %d free variables and %d pairs, the problem %d and %d",
                                answer->free_count, answer->n, k->n, k->m);
    if (answer->outcome == STI_SOLVED) return sti_check_solution(k, answer, tol, out);
    return sti_check_certificate(k, &answer->certificate, out);
}

static sti_status begin(sti_env* env, const void* problem, const sti_lcp_answer* answer, double tol,
                        sti_verification* out) {
    if (out == NULL) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the verdict is NULL, and a place for it is expected");
    *out = (sti_verification){.residual = NAN,
                              .residual_equation = NAN,
                              .residual_z = NAN,
                              .residual_w = NAN,
                              .residual_gap = NAN,
                              .natural = NAN,
                              .margin = NAN};
    if (problem == NULL || answer == NULL)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "there is no %s", problem == NULL ? "problem" : "answer");
    if (!(tol >= 0) || isinf(tol)) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the tolerance is %g", tol);
    out->claim = answer->outcome;
    return STI_OK;
}

sti_status sti_verify_lcp(sti_env* env, const sti_lcp* lcp, const sti_lcp_answer* answer, double tol,
                          sti_verification* out) {
    sti_status status = begin(env, lcp, answer, tol, out);
    if (status != STI_OK) return status;
    sti_check k;
    status = sti_check_open_lcp(&k, env, lcp);
    if (status == STI_OK) status = verify_answer(&k, answer, tol, out);
    sti_check_close(&k);
    return status;
}

sti_status sti_verify_mlcp(sti_env* env, const sti_mlcp* mlcp, const sti_lcp_answer* answer, double tol,
                           sti_verification* out) {
    sti_status status = begin(env, mlcp, answer, tol, out);
    if (status != STI_OK) return status;
    sti_check k;
    status = sti_check_open_mlcp(&k, env, mlcp);
    if (status == STI_OK) status = verify_answer(&k, answer, tol, out);
    sti_check_close(&k);
    return status;
}

// What the conditions on v come to. The signs are exact; the numbers are each condition's value over the sum of
// the magnitudes of its terms, for a test up to rounding.
typedef struct ray_parts {
    bool nonnegative, rises, complementary, descends, falls;  // v >= 0, M v >= 0, v_i (M v)_i = 0, v'q < 0, M'v <= 0
    double least_v;                                           // over the largest |v_i|
    double rise;                                              // least (M v)_i
    double power;                                             // v'M v
    double slope;                                             // v'q
    double fall;                                              // largest (M'v)_j
} ray_parts;

typedef struct ray_work {
    sti_int* v;  // integer image of v (m), then a 1 to the same scale
    sti_int sum, size, term;
} ray_work;

// sum = line'v of the line in k->image; returns it over the sum of the magnitudes of its terms.
static double weigh_line(sti_check* k, ray_work* r) {
    sti_int_set_i64(&k->x, &r->sum, 0);
    sti_int_set_i64(&k->x, &r->size, 0);
    for (int i = 0; i < k->m && k->x.status == STI_OK; i++) {
        if (k->image[i].size == 0 || r->v[i].size == 0) continue;
        sti_int_mul(&k->x, &r->term, &k->image[i], &r->v[i]);
        sti_int_add(&k->x, &r->sum, &r->sum, &r->term);
        if (sti_int_sign(&r->term) < 0) sti_int_neg(&r->term);
        sti_int_add(&k->x, &r->size, &r->size, &r->term);
    }
    return k->x.status != STI_OK || r->size.size == 0 ? 0 : sti_int_ratio(&k->x, &r->sum, &r->size);
}

static sti_status weigh_rows(sti_check* k, const double* v, ray_work* r, ray_parts* p) {
    double power = 0, power_size = 0;
    sti_status status = STI_OK;
    for (int i = 0; i < k->m && status == STI_OK; i++) {
        status = sti_check_row(k, i);
        if (status != STI_OK) break;
        const double value = weigh_line(k, r);
        const int sign = sti_int_sign(&r->sum);
        double size = 0;
        for (int j = 0; j < k->m; j++) size += fabs(k->line[j] * v[j]);
        p->rises = p->rises && sign >= 0;
        p->complementary = p->complementary && (sign == 0 || v[i] == 0);
        p->rise = fmin(p->rise, value);
        power += v[i] * value * size;
        power_size += fabs(v[i]) * size;
        status = k->x.status;
    }
    p->power = power_size > 0 ? power / power_size : 0;
    return status;
}

static sti_status weigh_columns(sti_check* k, ray_work* r, ray_parts* p) {
    sti_status status = STI_OK;
    for (int j = 0; j <= k->m && status == STI_OK; j++) {
        status = sti_check_column(k, j);
        if (status != STI_OK) break;
        const double value = weigh_line(k, r);
        const int sign = sti_int_sign(&r->sum);
        if (j < k->m) {
            p->falls = p->falls && sign <= 0;
            p->fall = fmax(p->fall, value);
        } else {
            p->descends = sign < 0;
            p->slope = value;
        }
        status = k->x.status;
    }
    return status;
}

// All parts of v, finite and not 0.
static sti_status weigh_ray(sti_check* k, const double* v, ray_parts* p) {
    *p = (ray_parts){.nonnegative = true, .rises = true, .complementary = true, .falls = true};
    double most = 0;
    for (int i = 0; i < k->m; i++) most = fmax(most, fabs(v[i]));
    for (int i = 0; i < k->m; i++) {
        p->nonnegative = p->nonnegative && v[i] >= 0;
        p->least_v = fmin(p->least_v, v[i] / most);
    }
    ray_work r = {.v = sti_int_array(&k->x, (size_t)k->m + 1)};
    sti_status status = r.v == NULL ? k->x.status : sti_check_point(k, NULL, NULL, v, r.v);
    if (status == STI_OK) status = weigh_rows(k, v, &r, p);
    if (status == STI_OK) status = weigh_columns(k, &r, p);
    sti_int_array_free(k->env, r.v, (size_t)k->m + 1);
    sti_int_clear(k->env, &r.sum);
    sti_int_clear(k->env, &r.size);
    sti_int_clear(k->env, &r.term);
    return status;
}

// The exact verdict stands when it proves something, or when rounding would not change it; otherwise the verdict
// up to tol, marked as such.
static sti_ray_check judge(const ray_parts* p, double tol) {
    sti_ray_check exact = {.exact = true}, rounded = {.exact = false};
    exact.homogeneous = p->nonnegative && p->rises && p->complementary;
    exact.descends = p->descends;
    exact.farkas = p->nonnegative && p->falls && p->descends;
    const bool nonnegative = p->least_v >= -tol;
    rounded.homogeneous = nonnegative && p->rise >= -tol && fabs(p->power) <= tol;
    rounded.descends = p->slope < -tol;
    rounded.farkas = nonnegative && p->fall <= tol && rounded.descends;
    const bool proves = exact.farkas || (exact.homogeneous && exact.descends);
    const bool same = exact.homogeneous == rounded.homogeneous && exact.descends == rounded.descends &&
                      exact.farkas == rounded.farkas;
    return proves || same ? exact : rounded;
}

sti_status sti_verify_ray(sti_env* env, const sti_lcp* lcp, const double* v, double tol, sti_ray_check* out) {
    if (out == NULL) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the verdict is NULL, and a place for it is expected");
    *out = (sti_ray_check){.exact = true};
    if (lcp == NULL || (v == NULL && lcp->n > 0))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "there is no %s", lcp == NULL ? "problem" : "ray");
    if (!(tol >= 0) || isinf(tol)) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the tolerance is %g", tol);
    sti_check k;
    sti_status status = sti_check_open_lcp(&k, env, lcp);
    bool candidate = false;  // some entry is not 0, and all are finite
    for (int i = 0; status == STI_OK && i < k.m; i++) candidate = candidate || v[i] != 0;
    for (int i = 0; status == STI_OK && i < k.m; i++) candidate = candidate && isfinite(v[i]);
    if (status == STI_OK && candidate) {
        ray_parts p;
        status = weigh_ray(&k, v, &p);
        if (status == STI_OK) *out = judge(&p, tol);
    }
    sti_check_close(&k);
    return status;
}
