// newton.c: one Newton step, for whoever wants to look at it: the system (2.5.8) by its reduction (2.5.9).
//
// With ds = -(r_s + S dv)/V and dv = (V (Bt'dlambda + r_v) - r_s)/S the third row becomes
//
//     A dx + D dlambda = -g,     g = r_lambda + Bt S^-1 (V r_v - r_s),     D = Bt S^-1 V Bt' = v+/s+ + v-/s-,
//
// and the first one  A'D^-1 A dx = rhs,  rhs = r_x - A'D^-1 g.
#include <math.h>
#include <stiction/l1.h>
#include <string.h>

#include "l1/normal.h"
#include "linalg/check.h"

static const double SOLVED = 1e-6;  // residual beyond which the step counts as none

enum { REFINEMENTS = 2 };

void sti_l1_step_clear(sti_env* env, sti_l1_step* step) {
    double* owned[] = {step->dx, step->dv, step->dlambda, step->ds, step->D, step->rhs};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) sti_free(env, owned[k]);
    *step = (sti_l1_step){0};
}

static sti_status check_positive(sti_env* env, const char* name, const double* x, int count) {
    const sti_status status = sti_vector_check(env, name, x, count);
    for (int i = 0; status == STI_OK && i < count; i++) {
        if (!(x[i] > 0))
            return STI_FAIL(env, STI_ERR_ARGUMENT, i, "%s[%d]: %g: a positive number is expected", name, i, x[i]);
    }
    return status;
}

static sti_status check_optional(sti_env* env, const char* name, const double* x, int count) {
    return x != NULL ? sti_vector_check(env, name, x, count) : STI_OK;
}

static sti_status check(sti_env* env, const sti_l1* p, const sti_l1_step_system* w) {
    if (p->m < 1 || p->n < 1 || p->m > INT32_MAX / 2)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%d x %d: at least 1 x 1 is expected", p->m, p->n);
    sti_status status = sti_matrix_check(env, "A", &p->A, p->m, p->n, false);
    if (status != STI_OK) return status;
    if (w->D != NULL) {
        status = check_positive(env, "D", w->D, p->m);
        return status == STI_OK ? sti_vector_check(env, "rhs", w->rhs, p->n) : status;
    }
    status = check_positive(env, "v", w->v, 2 * p->m);
    if (status == STI_OK) status = check_positive(env, "s", w->s, 2 * p->m);
    if (status == STI_OK) status = check_optional(env, "r_x", w->r_x, p->n);
    if (status == STI_OK) status = check_optional(env, "r_v", w->r_v, 2 * p->m);
    if (status == STI_OK) status = check_optional(env, "r_lambda", w->r_lambda, p->m);
    if (status == STI_OK) status = check_optional(env, "r_s", w->r_s, 2 * p->m);
    return status;
}

static sti_status reserve(sti_env* env, const sti_l1* p, bool whole, sti_l1_step* out) {
    const size_t m = (size_t)p->m, n = (size_t)p->n;
    *out = (sti_l1_step){.m = p->m, .n = p->n};
    out->dx = sti_alloc_array_zero(env, n, sizeof *out->dx);
    out->D = sti_alloc_array_zero(env, m, sizeof *out->D);
    out->rhs = sti_alloc_array_zero(env, n, sizeof *out->rhs);
    if (whole) {
        out->dv = sti_alloc_array_zero(env, 2 * m, sizeof *out->dv);
        out->dlambda = sti_alloc_array_zero(env, m, sizeof *out->dlambda);
        out->ds = sti_alloc_array_zero(env, 2 * m, sizeof *out->ds);
    }
    if (out->dx != NULL && out->D != NULL && out->rhs != NULL &&
        (!whole || (out->dv != NULL && out->dlambda != NULL && out->ds != NULL)))
        return STI_OK;
    return STI_ERR_MEMORY;
}

static double at(const double* x, int i) {
    return x != NULL ? x[i] : 0;
}

// (V r_v - r_s)/S of one variable
static double lifted(const sti_l1_step_system* w, int i) {
    return (w->v[i] * at(w->r_v, i) - at(w->r_s, i)) / w->s[i];
}

// D, and g in dlambda; rhs = r_x - A'D^-1 g. weight (m): 1 / D.
static void reduce(const sti_l1_step_system* w, const sti_l1_normal* N, double* weight, sti_l1_step* out) {
    const int m = out->m;
    for (int i = 0; i < m; i++) {
        out->D[i] = w->v[i] / w->s[i] + w->v[m + i] / w->s[m + i];
        out->dlambda[i] = at(w->r_lambda, i) - lifted(w, i) + lifted(w, m + i);
        weight[i] = out->dlambda[i] / out->D[i];
    }
    sti_l1_multiply_transposed(N, weight, out->rhs);
    for (int j = 0; j < out->n; j++) out->rhs[j] = at(w->r_x, j) - out->rhs[j];
    for (int i = 0; i < m; i++) weight[i] = 1 / out->D[i];
}

// The other parts of the step, from dx; e (m) is scratch.
static void extend(const sti_l1_step_system* w, const sti_l1_normal* N, double* e, sti_l1_step* out) {
    const int m = out->m;
    sti_l1_multiply(N, out->dx, e);
    for (int i = 0; i < m; i++) {
        out->dlambda[i] = -(e[i] + out->dlambda[i]) / out->D[i];
        for (int side = 0; side < 2; side++) {
            const int k = i + side * m;
            const double across = side == 0 ? -out->dlambda[i] : out->dlambda[i];
            out->dv[k] = w->v[k] / w->s[k] * across + lifted(w, k);
            out->ds[k] = -at(w->r_v, k) - across;
        }
    }
}

// f (n) = rhs - A'D^-1 A dx; its largest entry over that of rhs. e (m) is scratch.
static double residual(const sti_l1_normal* N, const sti_l1_step* s, double* e, double* f) {
    double worst = 0, size = 0;
    sti_l1_multiply(N, s->dx, e);
    for (int i = 0; i < s->m; i++) e[i] /= s->D[i];
    sti_l1_multiply_transposed(N, e, f);
    for (int j = 0; j < s->n; j++) {
        f[j] = s->rhs[j] - f[j];
        worst = fmax(worst, fabs(f[j]));
        size = fmax(size, fabs(s->rhs[j]));
    }
    return size > 0 ? worst / size : worst;
}

// dx, refined to what rounding allows; f, z (n) are scratch.
static void solve(sti_l1_normal* N, double* e, double* f, double* z, sti_l1_step* out) {
    sti_l1_normal_solve(N, out->rhs, out->dx);
    for (int k = 0; k < REFINEMENTS; k++) {
        residual(N, out, e, f);
        sti_l1_normal_solve(N, f, z);
        for (int j = 0; j < out->n; j++) out->dx[j] += z[j];
    }
    out->residual = residual(N, out, e, f);
}

static sti_status find(sti_env* env, const sti_l1_step_system* w, sti_l1_normal* N, double* scratch, sti_l1_step* out) {
    double *weight = scratch, *e = weight + out->m, *f = e + out->m, *z = f + out->n;
    if (w->D != NULL) {
        memcpy(out->D, w->D, (size_t)out->m * sizeof *out->D);
        memcpy(out->rhs, w->rhs, (size_t)out->n * sizeof *out->rhs);
        for (int i = 0; i < out->m; i++) weight[i] = 1 / out->D[i];
    } else {
        reduce(w, N, weight, out);
    }
    out->residual = INFINITY;
    if (sti_l1_normal_factor(N, weight)) solve(N, e, f, z, out);
    if (!(out->residual <= SOLVED))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "A: of less than full rank: there is no such step");
    if (w->D == NULL) extend(w, N, e, out);
    return STI_OK;
}

static sti_status step_sparse(sti_env* env, const sti_l1* p, const sti_l1_step_system* w, sti_l1_step* out) {
    sti_l1_normal N = {0};
    const size_t count = sti_size_mul(2, sti_size_add((size_t)p->m, (size_t)p->n));
    double* scratch = sti_alloc_array(env, count, sizeof *scratch);
    sti_status status = reserve(env, p, w->D == NULL, out);
    if (status == STI_OK && scratch == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) status = sti_l1_normal_init(&N, env, &p->A, 0);
    if (status == STI_OK) status = find(env, w, &N, scratch, out);
    sti_l1_normal_clear(&N);
    sti_free(env, scratch);
    if (status != STI_OK) sti_l1_step_clear(env, out);
    return status;
}

sti_status sti_l1_newton_step(sti_env* env, const sti_l1* problem, const sti_l1_step_system* system,
                              sti_l1_step* step) {
    *step = (sti_l1_step){0};
    sti_status status = check(env, problem, system);
    if (status != STI_OK) return status;
    sti_l1 sparse = *problem;
    const bool dense = !sti_matrix_is_sparse(&problem->A);
    if (dense) status = sti_matrix_to_sparse(env, &problem->A, &sparse.A);
    if (status == STI_OK) status = step_sparse(env, &sparse, system, step);
    if (dense) sti_matrix_clear(env, &sparse.A);
    return status;
}
