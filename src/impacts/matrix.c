// matrix.c: may a restitution matrix be used whatever the velocity before impact? (S1 Props 2, 4 to 8, Cor. 1)
//
// With S = G^-1 - E'G^-1 E the energy change is T_L = -1/2 qdot_norm-' S qdot_norm-, and velocities before an impact
// are qdot_norm- <= 0. So the law is
//
//     kinematic    for all  iff  E >= 0,
//     kinetic      for all  iff  G^-1 (I + E) >= 0,
//     energetic    for all  iff  S is copositive,
//
// which is Prop 8. Each "iff" is constructive: a negative entry (i, j) of the first two breaks the rule at contact i
// for qdot_norm- = -e_j, and an x >= 0 with x'S x < 0 gains energy for qdot_norm- = -x. Copositivity is decided by the
// least value of x'S x on the simplex, found exactly for the rounded S; values above -1e-12 of the largest entry of
// G^-1 count as zero, because S itself carries rounding of that size. With too many contacts for that it may stay
// undecided, unless S is positive semidefinite. Props 5, 6, 7 are sufficient or conditional; they are told with both
// sides of their inequalities. Corrections: S1-E8 (spectral radius), S1-E11, S1-E12 (B = G^-1/2 E G^1/2), S1-E13
// (epsilon* = 1 / lambda_max(G E'G^-1 E)).
#include <math.h>
#include <stdio.h>
#include <stiction/impact.h>
#include <string.h>

#include "impacts/work.h"
#include "linalg/dense_algebra.h"

typedef struct owned_test {
    sti_restitution_test t;  // first
    sti_arena pool;
} owned_test;

typedef struct test_work {
    sti_env* env;
    sti_restitution_test* t;
    sti_arena* pool;
    int p;
    const double *G, *E;
    double *G_inv, *S, *root, *root_inv;  // (p x p)
    double* work;                         // (5 p^2 + 2 p)
    double zero;                          // sizes below are rounding
} test_work;

static double symmetric_least(const test_work* k, const double* A, double* largest) {
    const int p = k->p;
    double *copy = k->work, *w = copy + (size_t)p * (size_t)p;
    for (int i = 0; i < p; i++) {
        for (int j = 0; j < p; j++) copy[sti_at(p, i, j)] = 0.5 * (A[sti_at(p, i, j)] + A[sti_at(p, j, i)]);
    }
    sti_dense_eigen(p, copy, w, NULL);
    if (largest != NULL) *largest = w[p - 1];
    return w[0];
}

// G^-1, G^1/2, G^-1/2 from one eigendecomposition.
static sti_status take_roots(test_work* k) {
    const int p = k->p;
    double *copy = k->work, *V = copy + (size_t)p * (size_t)p, *w = V + (size_t)p * (size_t)p;
    memcpy(copy, k->G, (size_t)p * (size_t)p * sizeof *copy);
    sti_dense_eigen(p, copy, w, V);
    if (!(w[0] > 1e-14 * w[p - 1]))
        return STI_FAIL(k->env, STI_ERR_INPUT, -1, "G: not positive definite, least eigenvalue %g", w[0]);
    for (int l = 0; l < p; l++) {
        for (int i = 0; i < p; i++) {
            for (int j = 0; j < p; j++) {
                const double part = V[sti_at(p, l, i)] * V[sti_at(p, l, j)];
                k->G_inv[sti_at(p, i, j)] += part / w[l];
                k->root[sti_at(p, i, j)] += part * sqrt(w[l]);
                k->root_inv[sti_at(p, i, j)] += part / sqrt(w[l]);
            }
        }
    }
    k->t->prop6_bound = sqrt(w[0] / w[p - 1]);
    k->zero = 1e-12 * fmax(1.0, sti_vector_largest(p * p, k->E)) / w[0];
    return STI_OK;
}

static sti_status reserve(test_work* k) {
    const size_t size = (size_t)k->p * (size_t)k->p;
    k->G_inv = sti_arena_doubles(k->pool, size);
    k->S = sti_arena_doubles(k->pool, size);
    k->root = sti_arena_doubles(k->pool, size);
    k->root_inv = sti_arena_doubles(k->pool, size);
    k->work = sti_arena_doubles(k->pool, 5 * size + 2 * (size_t)k->p);
    return k->pool->status;
}

// S, the entries that Prop 5 and Corollary 1 look at, and Prop 4.
static void energy_matrix(test_work* k) {
    const int p = k->p;
    const size_t size = (size_t)p * (size_t)p;
    double *GE = k->work, *EGE = GE + size;
    sti_small_multiply(p, p, p, k->G_inv, k->E, GE);
    sti_small_multiply_tn(p, p, p, k->E, GE, EGE);
    sti_restitution_test* t = k->t;
    for (int i = 0; i < p; i++) {
        for (int j = 0; j < p; j++) {
            const double mean = 0.5 * (EGE[sti_at(p, i, j)] + EGE[sti_at(p, j, i)]);
            k->S[sti_at(p, i, j)] = k->G_inv[sti_at(p, i, j)] - mean;
            t->commutation = fmax(t->commutation, fabs(GE[sti_at(p, i, j)] - GE[sti_at(p, j, i)]));
        }
    }
    t->conservative = sti_vector_largest(p * p, k->S);
    // epsilon*: the largest eigenvalue of G^1/2 E'G^-1E G^1/2 = B'B
    double *half = EGE, *B = half + size;
    sti_small_multiply(p, p, p, k->root_inv, k->E, half);
    sti_small_multiply(p, p, p, half, k->root, B);
    t->sigma_max_B = sti_dense_norm(p, p, B, B + size);
    t->epsilon = t->sigma_max_B > 0 ? 1 / (t->sigma_max_B * t->sigma_max_B) : INFINITY;
}

static sti_status eigenvalues(test_work* k) {
    const int p = k->p;
    double* moduli = sti_arena_doubles(k->pool, (size_t)p);
    if (moduli == NULL) return k->pool->status;
    double *re = k->work, *im = re + p;
    const sti_status status = sti_dense_eigenvalues(k->env, p, k->E, re, im);
    if (status != STI_OK) return status;
    for (int i = 0; i < p; i++) {
        const double modulus = hypot(re[i], im[i]);
        int at = i;
        for (; at > 0 && moduli[at - 1] > modulus; at--) moduli[at] = moduli[at - 1];
        moduli[at] = modulus;
    }
    k->t->moduli = moduli;
    k->t->spectral_radius = moduli[p - 1];
    return STI_OK;
}

// Least x'S x on the simplex, exact for the doubles of S.
static sti_status copositivity(test_work* k) {
    const int p = k->p;
    sti_restitution_test* t = k->t;
    sti_classes* classes = NULL;
    const sti_matrix S = sti_matrix_dense_view(p, p, k->S);
    const sti_status status = sti_classes_create(k->env, &S, NULL, NULL, &classes);
    if (status != STI_OK) return status;
    t->simplex_min = classes->simplex_min;
    t->prop2 = classes->finding[STI_CLASS_COPOSITIVE].verdict;
    t->prop2_strict = classes->finding[STI_CLASS_STRICTLY_COPOSITIVE].verdict;
    const double* at = classes->simplex_argmin;
    if (isnan(t->simplex_min) && classes->finding[STI_CLASS_COPOSITIVE].x != NULL)
        at = classes->finding[STI_CLASS_COPOSITIVE].x;
    if (at != NULL) t->argmin = sti_arena_copy(k->pool, at, (size_t)p);
    sti_classes_destroy(k->env, classes);
    if (k->pool->status != STI_OK) return k->pool->status;
    if (t->prop2 == STI_UNDECIDED && t->dissipative) t->prop2 = STI_YES;
    if (!isnan(t->simplex_min)) {
        t->prop2 = t->simplex_min >= -k->zero ? STI_YES : STI_NO;
        t->prop2_strict = t->simplex_min > k->zero ? STI_YES : STI_NO;
    }
    return STI_OK;
}

static void norms(test_work* k) {
    const int p = k->p;
    sti_restitution_test* t = k->t;
    t->lambda_min = symmetric_least(k, k->S, NULL);
    t->dissipative = t->lambda_min >= -k->zero;
    t->prop5 = t->commutation > k->zero ? STI_UNDECIDED : t->spectral_radius <= 1 + 1e-12 ? STI_YES : STI_NO;
    t->sigma_max = sti_dense_norm(p, p, k->E, k->work);
    t->prop6 = t->sigma_max <= t->prop6_bound * (1 + 1e-12);
    t->frobenius = sti_vector_norm(p * p, k->E);
    t->prop7_bound = 1 / sqrt(sti_vector_norm(p * p, k->G_inv) * sti_vector_norm(p * p, k->G));
    t->prop7 = t->frobenius < t->prop7_bound;
    t->prop7_spectral = t->sigma_max < t->prop6_bound * (1 - 1e-14);
}

// The most negative entry of A, and where; 0 when none is below -zero.
static double worst_entry(int p, const double* A, double zero, int* col) {
    double worst = -zero;
    *col = -1;
    for (int i = 0; i < p * p; i++) {
        if (A[i] >= worst) continue;
        worst = A[i];
        *col = i % p;
    }
    return *col >= 0 ? worst : 0;
}

static sti_status admissibility(test_work* k) {
    const int p = k->p;
    sti_restitution_test* t = k->t;
    double* kinetic = sti_arena_doubles(k->pool, (size_t)p * (size_t)p);
    double* witness = sti_arena_doubles(k->pool, (size_t)p);
    if (k->pool->status != STI_OK) return k->pool->status;
    sti_small_multiply(p, p, p, k->G_inv, k->E, kinetic);
    for (int i = 0; i < p * p; i++) kinetic[i] += k->G_inv[i];
    t->kinetic = kinetic;
    int column_i, column_ii;
    const double first = worst_entry(p, k->E, 1e-15 * fmax(1.0, sti_vector_largest(p * p, k->E)), &column_i);
    const double second = worst_entry(p, kinetic, k->zero, &column_ii);
    t->prop8_i = column_i < 0;
    t->prop8_ii = column_ii < 0;
    t->prop8_iii = t->prop2;
    t->admissible = t->prop8_i && t->prop8_ii ? t->prop8_iii : STI_NO;
    t->corollary1 = t->prop8_i && t->prop8_ii && t->conservative <= k->zero;
    if (!t->prop8_i) {
        witness[column_i] = -1;
        t->violation = first;
        snprintf(t->broken, sizeof t->broken, "kinematic");
    } else if (!t->prop8_ii) {
        witness[column_ii] = -1;
        t->violation = second;
        snprintf(t->broken, sizeof t->broken, "kinetic");
    } else if (t->prop2 == STI_NO && t->argmin != NULL) {
        for (int i = 0; i < p; i++) witness[i] = -t->argmin[i];
        t->violation = -0.5 * sti_small_form(p, k->S, witness, witness);
        snprintf(t->broken, sizeof t->broken, "energetic");
    }
    if (t->broken[0] != '\0') t->witness = witness;
    return STI_OK;
}

sti_status sti_restitution_test_create(sti_env* env, int p, const double* G, const double* E,
                                       sti_restitution_test** out) {
    *out = NULL;
    if (p < 1) return STI_FAIL(env, STI_ERR_ARGUMENT, p, "a restitution matrix of order %d", p);
    for (int i = 0; i < p * p; i++) {
        if (!isfinite(G[i]) || !isfinite(E[i]))
            return STI_FAIL(env, STI_ERR_INPUT, i, "G or E: entry %d is not finite", i);
        if (fabs(G[i] - G[sti_at(p, i % p, i / p)]) > 1e-9 * sti_vector_largest(p * p, G))
            return STI_FAIL(env, STI_ERR_INPUT, i, "G: not symmetric at entry %d", i);
    }
    owned_test* made = sti_alloc(env, sizeof *made);
    if (made == NULL) return STI_ERR_MEMORY;
    *made = (owned_test){.t = {.p = p, .simplex_min = NAN}, .pool = sti_arena_make(env)};
    test_work k = {.env = env, .t = &made->t, .pool = &made->pool, .p = p, .G = G, .E = E};
    sti_status status = reserve(&k);
    if (status == STI_OK) status = take_roots(&k);
    if (status == STI_OK) {
        energy_matrix(&k);
        status = eigenvalues(&k);
    }
    if (status == STI_OK) {
        norms(&k);
        status = copositivity(&k);
    }
    if (status == STI_OK) status = admissibility(&k);
    made->t.G_inv = k.G_inv;
    made->t.S = k.S;
    if (status == STI_OK)
        *out = &made->t;
    else
        sti_restitution_test_destroy(env, &made->t);
    return status;
}

void sti_restitution_test_destroy(sti_env* env, sti_restitution_test* test) {
    if (test == NULL) return;
    owned_test* made = (owned_test*)test;
    sti_arena_clear(&made->pool);
    sti_free(env, made);
}
