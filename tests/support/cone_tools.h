// cone_tools.h: tables, random cones and comparisons for the tests of the cones room.
#ifndef TESTS_SUPPORT_CONE_TOOLS_H
#define TESTS_SUPPORT_CONE_TOOLS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka wants the four above first
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/cone.h>
#include <string.h>

#include "base/rng.h"
#include "support/open_env.h"

static inline sti_rows floating_rows(int count, int dimension, const double* value) {
    return (sti_rows){.count = count, .dimension = dimension, .value = value};
}

// Exact table with the same numbers; *exact is freed by the caller.
static inline sti_rows exact_rows(sti_env* env, int count, int dimension, const double* value, sti_rationals** exact) {
    assert_int_equal(sti_rationals_create(env, (size_t)count * (size_t)dimension, exact), STI_OK);
    for (size_t i = 0; i < (size_t)count * (size_t)dimension; i++)
        assert_int_equal(sti_rationals_set_double(*exact, i, value[i]), STI_OK);
    return (sti_rows){.count = count, .dimension = dimension, .value = value, .exact = *exact};
}

// Cones from doubles that stand for themselves: exact (the doubles as fractions) or floating.
static inline sti_polycone* make_cone(sti_env* env, bool exact, bool span, int d, int n1, const double* first, int n2,
                                      const double* second) {
    sti_rationals *e1 = NULL, *e2 = NULL;
    const sti_rows a = exact ? exact_rows(env, n1, d, first, &e1) : floating_rows(n1, d, first);
    const sti_rows b = exact ? exact_rows(env, n2, d, second, &e2) : floating_rows(n2, d, second);
    sti_polycone* cone;
    const sti_status status = span ? sti_polycone_create_span(env, d, &a, &b, NULL, &cone)
                                   : sti_polycone_create_face(env, d, &a, &b, NULL, &cone);
    if (status != STI_OK) print_message("%s\n", sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
    sti_rationals_destroy(e1);
    sti_rationals_destroy(e2);
    return cone;
}

static inline void assert_cones_equal(const sti_polycone* a, const sti_polycone* b) {
    bool equal;
    assert_int_equal(sti_polycone_equal(a, b, &equal), STI_OK);
    assert_true(equal);
}

static inline void assert_rows_identical(sti_rows a, sti_rows b) {
    assert_int_equal(a.count, b.count);
    assert_int_equal(a.dimension, b.dimension);
    for (int i = 0; i < a.count * a.dimension; i++) assert_true(a.value[i] == b.value[i]);
}

// The rows of `a` are `expected` in some order, each up to a positive factor.
static inline void assert_rows_are(sti_rows a, int count, const double* expected, double tol) {
    assert_int_equal(a.count, count);
    const int d = a.dimension;
    for (int i = 0; i < count; i++) {
        bool found = false;
        for (int r = 0; r < count && !found; r++) {
            double uu = 0, vv = 0, worst = 0;
            for (int j = 0; j < d; j++) {
                uu = fmax(uu, fabs(expected[i * d + j]));
                vv = fmax(vv, fabs(a.value[r * d + j]));
            }
            for (int j = 0; j < d; j++) worst = fmax(worst, fabs(expected[i * d + j] / uu - a.value[r * d + j] / vv));
            found = worst <= tol;
        }
        if (!found) print_message("expected row %d is missing\n", i);
        assert_true(found);
    }
}

static inline void random_integers(sti_rng* rng, int count, int size, double* out) {
    for (int i = 0; i < count; i++) out[i] = sti_rng_int(rng, -size, size);
}

static inline double row_dot(const double* a, const double* b, int d) {
    double s = 0;
    for (int j = 0; j < d; j++) s += a[j] * b[j];
    return s;
}

#endif
