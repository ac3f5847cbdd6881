// class_oracle.h: matrix classes by brute force in 128-bit integers, for small integer matrices; and witnesses
// checked with GMP rationals. Shares no code and no algorithm with the library: classes are decided by looking at all
// minors, all faces of the simplex, all extreme rays.
#ifndef TESTS_SUPPORT_CLASS_ORACLE_H
#define TESTS_SUPPORT_CLASS_ORACLE_H

#include <gmp.h>
#include <math.h>
#include <stiction/classes.h>
#include <string.h>

#include "base/rng.h"
#include "support/failing_env.h"

enum { BRUTE_MAX = 7 };
typedef __int128 wide;

typedef struct brute {
    int n;
    int m[BRUTE_MAX][BRUTE_MAX];
} brute;

// Determinant of the k x k table, fraction-free.
static inline wide brute_det(wide a[BRUTE_MAX][BRUTE_MAX], int k) {
    wide previous = 1;
    int sign = 1;
    for (int c = 0; c < k; c++) {
        int r = c;
        while (r < k && a[r][c] == 0) r++;
        if (r == k) return 0;
        if (r != c) {
            sign = -sign;
            for (int j = 0; j < k; j++) {
                const wide t = a[r][j];
                a[r][j] = a[c][j];
                a[c][j] = t;
            }
        }
        for (int i = c + 1; i < k; i++) {
            for (int j = c + 1; j < k; j++) a[i][j] = (a[i][j] * a[c][c] - a[i][c] * a[c][j]) / previous;
        }
        previous = a[c][c];
    }
    return sign * previous;
}

static inline wide brute_minor(const brute* b, unsigned set, bool symmetric) {
    wide a[BRUTE_MAX][BRUTE_MAX];
    int index[BRUTE_MAX], k = 0;
    for (int i = 0; i < b->n; i++) {
        if ((set >> i & 1) != 0) index[k++] = i;
    }
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < k; j++) a[i][j] = b->m[index[i]][index[j]] + (symmetric ? b->m[index[j]][index[i]] : 0);
    }
    return brute_det(a, k);
}

// All principal minors >= least (1: positive, 0: none negative).
static inline bool brute_minors(const brute* b, bool symmetric, int least) {
    for (unsigned set = 1; set < 1u << b->n; set++) {
        if (brute_minor(b, set, symmetric) < least) return false;
    }
    return true;
}

// Least value of x'(M + M')x on the simplex as a fraction: over all faces with a nonsingular bordered matrix
// [S e; e' 0] and a positive stationary point; a minimizer of least support is one of them.
static inline void brute_simplex(const brute* b, wide* top, wide* bottom) {
    *bottom = 0;
    for (unsigned set = 1; set < 1u << b->n; set++) {
        int index[BRUTE_MAX], k = 0;
        for (int i = 0; i < b->n; i++) {
            if ((set >> i & 1) != 0) index[k++] = i;
        }
        wide solution[BRUTE_MAX + 1] = {0};             // k <= BRUTE_MAX - 1: the unknowns, then the determinant
        for (int column = -1; column <= k; column++) {  // Cramer: right side (0, .., 0, 1), unknowns x and -value
            wide a[BRUTE_MAX][BRUTE_MAX];
            for (int i = 0; i <= k; i++) {
                for (int j = 0; j <= k; j++) {
                    a[i][j] = i < k && j < k     ? b->m[index[i]][index[j]] + b->m[index[j]][index[i]]
                              : i == k && j == k ? 0
                                                 : 1;
                    if (j == column) a[i][j] = i == k;
                }
            }
            const wide det = brute_det(a, k + 1);
            if (column < 0)
                solution[k + 1] = det;
            else
                solution[column] = det;
            if (column < 0 && det == 0) break;
        }
        const wide d = solution[k + 1];
        if (d == 0) continue;
        bool positive = true;
        for (int i = 0; i < k; i++) positive = positive && (d > 0 ? solution[i] > 0 : solution[i] < 0);
        if (!positive) continue;
        const wide t = d > 0 ? -solution[k] : solution[k], u = d > 0 ? d : -d;
        if (*bottom == 0 || t * *bottom < *top * u) {
            *top = t;
            *bottom = u;
        }
    }
}

// Extreme rays of { z >= 0, A z >= 0 } (n <= 5): all choices of n-1 of the 2n inequalities taken as equations of rank
// n-1.
typedef struct brute_rays {
    int count;
    wide z[4000][BRUTE_MAX];
} brute_rays;

static inline void brute_ray_of(const brute* A, const int* active, wide* z) {  // generalized cross product
    const int n = A->n;
    for (int drop = 0; drop < n; drop++) {
        wide a[BRUTE_MAX][BRUTE_MAX];
        for (int r = 0; r < n - 1; r++) {
            int c = 0;
            for (int j = 0; j < n; j++) {
                if (j == drop) continue;
                a[r][c++] = active[r] < n ? active[r] == j : A->m[active[r] - n][j];
            }
        }
        z[drop] = (drop % 2 == 0 ? 1 : -1) * brute_det(a, n - 1);
    }
}

static inline void brute_extreme_rays(const brute* A, brute_rays* out) {
    const int n = A->n;
    int active[BRUTE_MAX];
    out->count = 0;
    for (unsigned set = 0; set < 1u << (2 * n); set++) {
        if (__builtin_popcount(set) != n - 1) continue;
        int k = 0;
        for (int i = 0; i < 2 * n; i++) {
            if ((set >> i & 1) != 0) active[k++] = i;
        }
        wide z[BRUTE_MAX];
        brute_ray_of(A, active, z);
        for (int sign = 1; sign >= -1; sign -= 2) {
            bool inside = true, zero = true;
            for (int i = 0; i < n; i++) {
                wide y = 0;
                for (int j = 0; j < n; j++) y += sign * A->m[i][j] * z[j];
                inside = inside && y >= 0 && sign * z[i] >= 0;
                zero = zero && z[i] == 0;
            }
            if (zero || !inside) continue;
            assert_true(out->count < 4000);
            for (int i = 0; i < n; i++) out->z[out->count][i] = sign * z[i];
            out->count++;
        }
    }
}

// Column sufficient: for each sign pattern s the cone { z >= 0, -S M S z >= 0 } must not hold, for any i, one ray
// with z_i > 0 and one with y_i > 0 (their sum would be a counterexample).
static inline bool brute_sufficient(const brute* b, brute_rays* rays) {
    for (unsigned s = 0; s < 1u << b->n; s++) {
        brute A = {.n = b->n};
        for (int i = 0; i < b->n; i++) {
            for (int j = 0; j < b->n; j++) A.m[i][j] = ((s >> i & 1) == (s >> j & 1)) ? -b->m[i][j] : b->m[i][j];
        }
        brute_extreme_rays(&A, rays);
        for (int i = 0; i < b->n; i++) {
            bool z_positive = false, y_positive = false;
            for (int r = 0; r < rays->count; r++) {
                wide y = 0;
                for (int j = 0; j < b->n; j++) y += A.m[i][j] * rays->z[r][j];
                z_positive = z_positive || rays->z[r][i] > 0;
                y_positive = y_positive || y > 0;
            }
            if (z_positive && y_positive) return false;
        }
    }
    return true;
}

// ---- random matrices of many kinds, degenerate ones among them

static inline brute brute_random(sti_rng* rng, int n) {
    brute b = {.n = n};
    const int kind = sti_rng_int(rng, 0, 9), size = sti_rng_int(rng, 1, 4);
    int G[BRUTE_MAX][BRUTE_MAX];
    const int rank = sti_rng_int(rng, 1, n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            b.m[i][j] = sti_rng_int(rng, -size, size);
            G[i][j] = sti_rng_int(rng, -2, 2);
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            int gram = 0;
            for (int k = 0; k < rank; k++) gram += G[i][k] * G[j][k];
            if (kind == 1 || kind == 2) b.m[i][j] = gram;                                     // semidefinite
            if (kind == 2 && i != j) b.m[i][j] += i < j ? G[i][j] : -G[j][i];                 // and skew
            if (kind == 3 && j < i) b.m[i][j] = b.m[j][i];                                    // symmetric
            if (kind == 4) b.m[i][j] = i == j ? abs(b.m[i][j]) + size : -abs(b.m[i][j]);      // Z
            if (kind == 5 && i == j) b.m[i][j] = abs(b.m[i][j]);                              // diagonal >= 0
            if (kind == 6 && j < i) b.m[i][j] = sti_rng_int(rng, 0, 3) == 0 ? b.m[i][j] : 0;  // nearly triangular
            if (kind == 7) b.m[i][j] = i == j ? 1 : b.m[i][j] > 0 ? 1 : -1;                   // +-1
            if (kind == 8)
                b.m[i][j] = i < rank && j < rank ? gram : i >= rank && j >= rank ? 0 : i < j ? G[i][j] : -G[j][i];
            if (kind == 9 && i == j) b.m[i][j] += 2 * size;  // often P
        }
    }
    if (kind == 7) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < i; j++) b.m[i][j] = b.m[j][i];
        }
    }
    return b;
}

static inline sti_matrix brute_view(const brute* b, double* entries) {
    for (int i = 0; i < b->n; i++) {
        for (int j = 0; j < b->n; j++) entries[i * b->n + j] = b->m[i][j];
    }
    return sti_matrix_dense_view(b->n, b->n, entries);
}

// ---- witnesses, with GMP rationals

static inline void exact_get(sti_env* env, const sti_rationals* r, size_t i, mpq_t out) {
    char* text;
    assert_int_equal(sti_rationals_text(r, i, &text), STI_OK);
    assert_int_equal(mpq_set_str(out, text, 10), 0);
    sti_env_free(env, text);
    mpq_canonicalize(out);
}

// The matrix as rationals: M_exact where given.
static inline mpq_t* exact_matrix(sti_env* env, const sti_matrix* M, const sti_rationals* M_exact) {
    const size_t n = (size_t)M->rows;
    mpq_t* a = malloc((n * n + 1) * sizeof *a);
    assert_non_null(a);
    for (size_t k = 0; k < n * n; k++) {
        mpq_init(a[k]);
        if (M_exact != NULL)
            exact_get(env, M_exact, k, a[k]);
        else
            mpq_set_d(a[k], sti_matrix_get(M, (int)(k / n), (int)(k % n)));
    }
    return a;
}

static inline void exact_free(mpq_t* a, size_t count) {
    for (size_t k = 0; k < count; k++) mpq_clear(a[k]);
    free(a);
}

// y = M x
static inline mpq_t* exact_times(mpq_t* a, mpq_t* x, size_t n) {
    mpq_t* y = malloc((n + 1) * sizeof *y);
    assert_non_null(y);
    mpq_t t;
    mpq_init(t);
    for (size_t i = 0; i < n; i++) {
        mpq_init(y[i]);
        for (size_t j = 0; j < n; j++) {
            mpq_mul(t, a[i * n + j], x[j]);
            mpq_add(y[i], y[i], t);
        }
    }
    mpq_clear(t);
    return y;
}

static inline int exact_det_sign(mpq_t* a, size_t n, const int* index, size_t k, double* value) {
    mpq_t* t = malloc((k * k + 1) * sizeof *t);
    assert_non_null(t);
    mpq_t f, g, det;
    mpq_inits(f, g, det, NULL);
    mpq_set_si(det, 1, 1);
    for (size_t i = 0; i < k * k; i++) {
        mpq_init(t[i]);
        mpq_set(t[i], a[(size_t)index[i / k] * n + (size_t)index[i % k]]);
    }
    for (size_t c = 0; c < k && mpq_sgn(det) != 0; c++) {
        size_t r = c;
        while (r < k && mpq_sgn(t[r * k + c]) == 0) r++;
        if (r == k) {
            mpq_set_si(det, 0, 1);
            break;
        }
        for (size_t j = 0; j < k && r != c; j++) mpq_swap(t[r * k + j], t[c * k + j]);
        if (r != c) mpq_neg(det, det);
        mpq_mul(det, det, t[c * k + c]);
        for (size_t i = c + 1; i < k; i++) {
            mpq_div(f, t[i * k + c], t[c * k + c]);
            for (size_t j = c; j < k; j++) {
                mpq_mul(g, f, t[c * k + j]);
                mpq_sub(t[i * k + j], t[i * k + j], g);
            }
        }
    }
    const int sign = mpq_sgn(det);
    if (value != NULL) *value = mpq_get_d(det);
    exact_free(t, k * k);
    mpq_clears(f, g, det, NULL);
    return sign;
}

static inline void exact_check_vector(sti_env* env, mpq_t* a, size_t n, sti_class which, const sti_class_finding* f) {
    assert_non_null(f->x);
    assert_non_null(f->x_exact);
    assert_int_equal(f->size, n);
    mpq_t* x = malloc((n + 1) * sizeof *x);
    assert_non_null(x);
    mpq_t form, t;
    mpq_inits(form, t, NULL);
    bool nonzero = false;
    for (size_t i = 0; i < n; i++) {
        mpq_init(x[i]);
        exact_get(env, f->x_exact, i, x[i]);
        nonzero = nonzero || mpq_sgn(x[i]) != 0;
        assert_true(fabs(mpq_get_d(x[i]) - f->x[i]) <= 1e-15 * fabs(f->x[i]));
    }
    assert_true(nonzero);
    mpq_t* y = exact_times(a, x, n);
    bool product_negative = false;
    for (size_t i = 0; i < n; i++) {
        mpq_mul(t, x[i], y[i]);
        mpq_add(form, form, t);
        if (which == STI_CLASS_COPOSITIVE || which == STI_CLASS_STRICTLY_COPOSITIVE) assert_true(mpq_sgn(x[i]) >= 0);
        if (which == STI_CLASS_COLUMN_SUFFICIENT) assert_true(mpq_sgn(t) <= 0);
        product_negative = product_negative || mpq_sgn(t) < 0;
    }
    const bool strict = which == STI_CLASS_POSITIVE_SEMIDEFINITE || which == STI_CLASS_COPOSITIVE;
    if (which == STI_CLASS_COLUMN_SUFFICIENT)
        assert_true(product_negative);
    else
        assert_true(strict ? mpq_sgn(form) < 0 : mpq_sgn(form) <= 0);
    const double value = mpq_get_d(form);
    assert_true(fabs(value - f->value) <= 1e-9 * fabs(value) || fabs(value - f->value) < 1e-300);
    exact_free(x, n);
    exact_free(y, n);
    mpq_clears(form, t, NULL);
}

// Every "no" that claims to be exact carries a witness that holds.
static inline void exact_check_findings(sti_env* env, const sti_matrix* M, const sti_rationals* M_exact,
                                        const sti_classes* c) {
    const size_t n = (size_t)M->rows;
    mpq_t* a = exact_matrix(env, M, M_exact);
    for (int k = 0; k < STI_CLASS_COUNT; k++) {
        const sti_class_finding* f = &c->finding[k];
        assert_true(strlen(f->how) > 0);
        if (f->verdict != STI_NO) {
            assert_null(f->x);
            assert_null(f->index);
            continue;
        }
        const bool by_entry = f->row >= 0;
        if (by_entry) {
            const size_t at = (size_t)f->row * n + (size_t)f->col, mirror = (size_t)f->col * n + (size_t)f->row;
            if (k == STI_CLASS_SYMMETRIC)
                assert_false(mpq_equal(a[at], a[mirror]));
            else if (k == STI_CLASS_NONNEGATIVE)
                assert_true(mpq_sgn(a[at]) < 0);
            else
                assert_true(f->row != f->col && mpq_sgn(a[at]) > 0 && (k == STI_CLASS_Z || k == STI_CLASS_K));
        } else if (f->index != NULL) {
            double value;
            for (int i = 0; i < f->size; i++)
                assert_true(f->index[i] >= 0 && f->index[i] < (int)n && (i == 0 || f->index[i] > f->index[i - 1]));
            const int sign = exact_det_sign(a, n, f->index, (size_t)f->size, &value);
            assert_true(k == STI_CLASS_P0 ? sign < 0 : sign <= 0);
            assert_true(k == STI_CLASS_P || k == STI_CLASS_P0 || k == STI_CLASS_K);
            assert_true(fabs(value - f->value) <= 1e-14 * fabs(value));
        } else {
            exact_check_vector(env, a, n,
                               k == STI_CLASS_P || k == STI_CLASS_K ? STI_CLASS_POSITIVE_DEFINITE : (sti_class)k, f);
        }
    }
    exact_free(a, n * n);
}

// What the tests of a group share.
typedef struct fixture {
    sti_env* env;
    brute_rays* rays;
} fixture;

static inline int open_fixture(void** state) {
    fixture* f = calloc(1, sizeof *f);
    f->rays = calloc(1, sizeof *f->rays);
    assert_int_equal(sti_env_create(NULL, &f->env), STI_OK);
    *state = f;
    return 0;
}

static inline int close_fixture(void** state) {
    fixture* f = *state;
    sti_env_destroy(f->env);
    free(f->rays);
    free(f);
    return 0;
}

#endif
