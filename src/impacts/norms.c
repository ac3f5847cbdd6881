// norms.c: the conditions that compare norms (S0 Corollary 5; S1 Props 6, 7, 9, 14, Lemmas 1, 2), on given matrices.
//
// All follow from |x'A y| <= |x| |A| |y| and lambda_min(S) = 1 / |S^-1| in the spectral norm. Frobenius norms are not
// smaller than spectral ones, so in them each condition is stronger and says less (S1-E22).
#include <math.h>
#include <stdio.h>
#include <stiction/norms.h>
#include <string.h>

#include "linalg/svd.h"

enum { SIGNS_MOST = 12 };
#define STRICTLY (1 - 1e-12)

typedef struct work {
    sti_env* env;
    sti_arena pool;
    const sti_matrices* m;
    sti_norm_test* out;
} work;

const char* sti_norm_text(sti_norm_question question) {
#define STI_X(code, text) text,
    static const char* const texts[] = {STI_NORM_LIST(STI_X)};
#undef STI_X
    return (unsigned)question < STI_NORM_COUNT ? texts[question] : "unknown";
}

static size_t area(int rows, int cols) {
    return (size_t)rows * (size_t)cols;
}

// Frobenius, spectral.
static sti_status norms(work* w, int rows, int cols, const double* A, double* out) {
    sti_svd f;
    const sti_status status = sti_svd_make(&w->pool, rows, cols, A, 0, &f);
    if (status != STI_OK) return status;
    out[0] = sti_small_norm((int)area(rows, cols), A);
    out[1] = rows > 0 && cols > 0 ? f.s[0] : 0;
    return STI_OK;
}

static sti_status least_eigenvalue(work* w, int n, const double* A, double* out) {
    double* S = sti_arena_doubles(&w->pool, area(n, n));
    double* V = sti_arena_doubles(&w->pool, area(n, n));
    double* e = sti_arena_doubles(&w->pool, (size_t)n);
    if (w->pool.status != STI_OK) return w->pool.status;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            S[area(i, n) + (size_t)j] = 0.5 * (A[area(i, n) + (size_t)j] + A[area(j, n) + (size_t)i]);
    }
    const sti_status status = sti_small_eigen(&w->pool, n, S, e, V);
    if (status == STI_OK) *out = e[0];
    return status;
}

// The inverse of the symmetric part, when that is positive definite.
static sti_status invert(work* w, int n, const double* A, const char* name, bool symmetric, double** out) {
    double* S = sti_arena_doubles(&w->pool, area(n, n));
    *out = sti_arena_doubles(&w->pool, area(n, n));
    if (w->pool.status != STI_OK) return w->pool.status;
    double skew = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const double a = A[area(i, n) + (size_t)j], b = A[area(j, n) + (size_t)i];
            S[area(i, n) + (size_t)j] = 0.5 * (a + b);
            skew = fmax(skew, fabs(a - b));
        }
    }
    const sti_status status = sti_small_inverse(&w->pool, n, S, *out, &w->out->applies);
    if (status != STI_OK) return status;
    if (!w->out->applies)
        snprintf(w->out->why, sizeof w->out->why, "the symmetric part of %s is not positive definite", name);
    if (symmetric && skew > 1e-12 * sti_small_max(area(n, n), A)) {
        w->out->applies = false;
        snprintf(w->out->why, sizeof w->out->why, "%s is not symmetric", name);
    }
    return STI_OK;
}

static sti_status ask_sum(work* w) {
    const int n = w->m->sum_size;
    double *inverse, size[2];
    double* D = sti_arena_doubles(&w->pool, area(n, n));
    if (D == NULL) return w->pool.status;
    sti_status status = invert(w, n, w->m->P, "P", false, &inverse);
    if (status == STI_OK) status = norms(w, n, n, w->m->N, w->out->left);
    if (status == STI_OK && w->out->applies) status = norms(w, n, n, inverse, size);
    for (int f = 0; status == STI_OK && f < 2 && w->out->applies; f++) w->out->right[f] = 1 / size[f];
    for (size_t k = 0; k < area(n, n); k++) D[k] = w->m->P[k] + w->m->N[k];
    return status == STI_OK ? least_eigenvalue(w, n, D, &w->out->lambda_min) : status;
}

// |E| against G or D, and the form that E may not enlarge: A - E'A E, A = G^-1 or D.
static sti_status ask_restitution(work* w, const double* G, const char* name, bool quasi) {
    const int n = w->m->E_size;
    const double* E = w->m->E;
    double *inverse, size[2], own[2];
    double* AE = sti_arena_doubles(&w->pool, area(n, n));
    double* S = sti_arena_doubles(&w->pool, area(n, n));
    if (w->pool.status != STI_OK) return w->pool.status;
    sti_status status = invert(w, n, G, name, true, &inverse);
    if (status != STI_OK || !w->out->applies) return status;
    status = norms(w, n, n, E, w->out->left);
    if (status == STI_OK) status = norms(w, n, n, inverse, size);
    if (status == STI_OK) status = norms(w, n, n, G, own);
    for (int f = 0; status == STI_OK && f < 2; f++) w->out->right[f] = 1 / sqrt(size[f] * own[f]);
    const double* A = quasi ? G : inverse;
    sti_small_multiply(n, n, n, A, E, AE);
    sti_small_multiply_tn(n, n, n, E, AE, S);
    for (size_t k = 0; k < area(n, n); k++) S[k] = A[k] - S[k];
    return status == STI_OK ? least_eigenvalue(w, n, S, &w->out->lambda_min) : status;
}

static sti_status ask_loss(work* w) {
    const int n = w->m->E_size;
    double *inverse, size[2], own[2], E[2];
    double* plus = sti_arena_copy(&w->pool, w->m->E, area(n, n));
    double* minus = sti_arena_copy(&w->pool, w->m->E, area(n, n));
    double* product = sti_arena_doubles(&w->pool, area(n, n));
    double* S = sti_arena_doubles(&w->pool, area(n, n));
    if (w->pool.status != STI_OK) return w->pool.status;
    sti_status status = invert(w, n, w->m->G, "G", true, &inverse);
    if (status != STI_OK || !w->out->applies) return status;
    status = norms(w, n, n, w->m->E, E);
    if (status == STI_OK) status = norms(w, n, n, inverse, size);
    if (status == STI_OK) status = norms(w, n, n, w->m->G, own);
    for (int f = 0; status == STI_OK && f < 2; f++) {
        w->out->left[f] = E[f] * (2 + E[f]) * size[f] * own[f];
        w->out->right[f] = 1;
    }
    for (size_t k = 0; k < area(n, n); k++) {
        const double one = k % (size_t)(n + 1) == 0;
        plus[k] = one + plus[k];
        minus[k] = one - minus[k];
    }
    sti_small_multiply(n, n, n, inverse, plus, product);
    sti_small_multiply_tn(n, n, n, minus, product, S);
    return status == STI_OK ? least_eigenvalue(w, n, S, &w->out->lambda_min) : status;
}

static sti_status ask_friction(work* w) {
    const sti_matrices* m = w->m;
    const int n = m->size, s = m->slip_count;
    double *inverse, size[2], own[2], mu[2] = {0}, least;
    double* D = sti_arena_doubles(&w->pool, area(n, n));
    if (D == NULL) return w->pool.status;
    sti_status status = invert(w, n, m->G, "G", true, &inverse);
    if (status != STI_OK || !w->out->applies) return status;
    status = norms(w, n, n, inverse, size);
    if (status == STI_OK) status = norms(w, n, s, m->n_H, own);
    for (int j = 0; j < s; j++) {
        mu[0] = hypot(mu[0], m->mu[j]);
        mu[1] = fmax(mu[1], fabs(m->mu[j]));
    }
    for (int f = 0; status == STI_OK && f < 2; f++) {
        w->out->left[f] = size[f] * own[f] * mu[f];
        w->out->right[f] = 1;
    }
    if (status != STI_OK || s != n || s > SIGNS_MOST) return status;
    w->out->lambda_min = INFINITY;
    for (unsigned signs = 0; status == STI_OK && signs < 1U << s; signs++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                D[area(i, n) + (size_t)j] = m->G[area(i, n) + (size_t)j] -
                                            m->n_H[area(i, s) + (size_t)j] * m->mu[j] * (signs >> j & 1 ? -1 : 1);
        }
        status = least_eigenvalue(w, n, D, &least);
        w->out->lambda_min = fmin(w->out->lambda_min, least);
    }
    return status;
}

static bool is_asked(const sti_matrices* m, sti_norm_question question) {
    if (question == STI_NORM_SUM) return m->P != NULL && m->N != NULL;
    if (question == STI_NORM_QUASI) return m->D != NULL && m->E != NULL;
    if (question == STI_NORM_FRICTION) return m->G != NULL && m->n_H != NULL && m->mu != NULL;
    return m->G != NULL && m->E != NULL && m->D == NULL && m->E_size == m->size;
}

sti_status sti_norm_test_analyze(sti_env* env, const sti_matrices* matrices, sti_norm_question question,
                                 sti_norm_test* out) {
    *out = (sti_norm_test){.left = {NAN, NAN}, .right = {NAN, NAN}, .lambda_min = NAN};
    out->asked = is_asked(matrices, question);
    if (!out->asked) return STI_OK;
    work w = {.env = env, .pool = sti_arena_make(env), .m = matrices, .out = out};
    sti_status status = STI_OK;
    if (question == STI_NORM_SUM)
        status = ask_sum(&w);
    else if (question == STI_NORM_RESTITUTION)
        status = ask_restitution(&w, matrices->G, "G", false);
    else if (question == STI_NORM_LOSS)
        status = ask_loss(&w);
    else if (question == STI_NORM_QUASI)
        status = ask_restitution(&w, matrices->D, "D", true);
    else
        status = ask_friction(&w);
    for (int f = 0; f < 2; f++) out->holds[f] = out->applies && out->left[f] < out->right[f] * STRICTLY;
    sti_arena_clear(&w.pool);
    return status;
}
