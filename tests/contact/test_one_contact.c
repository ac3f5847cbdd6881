// The one-contact solver: the natural map of its answers, in long double, over the whole range of blocks.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/contact.h"
#include "support/failing_env.h"
#include "support/random.h"

// |r - P_K(r - rho (u + mu |u_t| n))| / max(|r|, rho |b|), rho = d / trace A.
static double natural_map(int d, long double mu, const double* A, const double* b, const double* r) {
    long double trace = 0, u[3], x[3], p[3] = {0}, e = 0, rr = 0, bb = 0;
    for (int i = 0; i < d; i++) trace += A[i * (d + 1)];
    const long double rho = trace > 0 ? d / trace : 1;
    for (int i = 0; i < d; i++) {
        u[i] = b[i];
        for (int j = 0; j < d; j++) u[i] += (long double)A[i * d + j] * r[j];
    }
    const long double slip = d == 2 ? fabsl(u[1]) : hypotl(u[1], u[2]);
    for (int i = 0; i < d; i++) x[i] = r[i] - rho * (u[i] + (i == 0 ? mu * slip : 0));
    const long double norm = d == 2 ? fabsl(x[1]) : hypotl(x[1], x[2]);
    if (norm <= mu * x[0]) {
        for (int i = 0; i < d; i++) p[i] = x[i];
    } else if (mu * norm > -x[0]) {
        p[0] = (x[0] + mu * norm) / (1 + mu * mu);
        for (int i = 1; i < d; i++) p[i] = mu * p[0] / norm * x[i];
    }
    for (int i = 0; i < d; i++) {
        e += (r[i] - p[i]) * (r[i] - p[i]);
        rr += (long double)r[i] * r[i];
        bb += (rho * b[i]) * (rho * b[i]);
    }
    const long double unit = fmaxl(sqrtl(rr), sqrtl(bb));
    return (double)(unit > 0 ? sqrtl(e) / unit : sqrtl(e));
}

static double power(sti_rng* rng, double low, double high) {
    return pow(10, low + (high - low) * sti_rng_u01(rng));
}

typedef enum spectrum { ROUND, WIDE, ONE_LARGE, SINGULAR, RANK_ONE, NO_TANGENT, DIAGONAL, LOPSIDED, SPECTRA } spectrum;

// A = Q diag(l) Q', Q random orthogonal.
static void random_block(sti_rng* rng, int d, spectrum kind, double* A) {
    double Q[3][3], l[3];
    memset(A, 0, (size_t)(d * d) * sizeof *A);
    for (int i = 0; i < d; i++) {
        for (int j = 0; j < d; j++) Q[i][j] = symmetric(rng);
        for (int k = 0; k < i; k++) {
            double t = 0;
            for (int j = 0; j < d; j++) t += Q[i][j] * Q[k][j];
            for (int j = 0; j < d; j++) Q[i][j] -= t * Q[k][j];
        }
        double t = 0;
        for (int j = 0; j < d; j++) t += Q[i][j] * Q[i][j];
        for (int j = 0; j < d; j++) Q[i][j] /= sqrt(t);
    }
    for (int i = 0; i < d; i++) {
        switch (kind) {
            case WIDE:
                l[i] = power(rng, -14, 0);
                break;
            case ONE_LARGE:
                l[i] = i == 0 ? 1 : power(rng, -14, 0);
                break;
            case SINGULAR:
                l[i] = i == d - 1 ? 0 : power(rng, -3, 0);
                break;
            case RANK_ONE:
                l[i] = i == 0;
                break;
            default:
                l[i] = power(rng, -1, 1);
                break;
        }
        if (kind == DIAGONAL) A[i * (d + 1)] = l[i];
    }
    if (kind == NO_TANGENT) A[0] = 1;
    if (kind == DIAGONAL || kind == NO_TANGENT) return;
    for (int i = 0; i < d; i++) {
        for (int j = 0; j <= i; j++) {
            for (int k = 0; k < d; k++) A[i * d + j] += l[k] * Q[k][i] * Q[k][j];
            A[j * d + i] = A[i * d + j];
        }
    }
    if (kind == LOPSIDED) {
        for (int i = 0; i < d * d; i++) A[i] += 0.03 * power(rng, -8, 0) * symmetric(rng);
    }
}

static double random_mu(sti_rng* rng) {
    switch (sti_rng_int(rng, 0, 4)) {
        case 0:
            return 0;
        case 1:
            return power(rng, -8, 0);
        case 2:
            return power(rng, 0, 8);
        default:
            return sti_rng_u01(rng);
    }
}

// b = u - A r of a point of each kind: apart, sticking inside and on the cone, sliding, grazing.
static void consistent_velocity(sti_rng* rng, int d, double mu, const double* A, double* b) {
    const int kind = sti_rng_int(rng, 0, 4);
    const double angle = d == 2 ? M_PI * sti_rng_int(rng, 0, 1) : 7 * sti_rng_u01(rng);
    const double rn = power(rng, -3, 3), un = power(rng, -3, 3), t[2] = {cos(angle), d == 2 ? 0 : sin(angle)};
    double r[3] = {0}, u[3] = {0};
    if (kind == 0 || kind == 4) {
        u[0] = kind == 0 ? un : 0;
        for (int i = 1; i < d; i++) u[i] = symmetric(rng);
    } else {
        const double part = kind == 1 ? sti_rng_u01(rng) : 1;
        r[0] = rn;
        for (int i = 1; i < d; i++) {
            r[i] = part * mu * rn * t[i - 1];
            if (kind == 3) u[i] = -un * t[i - 1];
        }
    }
    for (int i = 0; i < d; i++) {
        long double x = u[i];
        for (int j = 0; j < d; j++) x -= (long double)A[i * d + j] * r[j];
        b[i] = (double)x;
    }
}

static void answers_solve_the_contact_to_rounding_for_every_block(void** state) {
    (void)state;
    sti_rng rng = {.state = 2024};
    for (long trial = 0; trial < 400000; trial++) {
        const int d = sti_rng_int(&rng, 2, 3);
        const spectrum kind = (spectrum)sti_rng_int(&rng, 0, SPECTRA - 1);
        const bool singular = kind == SINGULAR || kind == RANK_ONE;
        const double mu = random_mu(&rng);
        double A[9], b[3] = {0}, r[3];
        random_block(&rng, d, kind, A);
        // with singular S not every velocity has an answer
        if (singular || sti_rng_int(&rng, 0, 1) == 0) {
            consistent_velocity(&rng, d, mu, A, b);
        } else {
            for (int i = 0; i < d; i++)
                b[i] = symmetric(&rng) * (sti_rng_int(&rng, 0, 3) == 0 ? power(&rng, -20, 0) : 1);
        }
        const double scale_A = ldexp(1, sti_rng_int(&rng, -498, 498)), scale_b = ldexp(1, sti_rng_int(&rng, -498, 498));
        const bool scaled = sti_rng_int(&rng, 0, 1) == 0;
        double As[9], bs[3];
        for (int i = 0; i < d * d; i++) As[i] = scaled ? A[i] * scale_A : A[i];
        for (int i = 0; i < d; i++) bs[i] = scaled ? b[i] * scale_b : b[i];
        sti_contact_solve_one(d, mu, As, bs, r);
        if (scaled) {
            if (!(fabs(r[0]) < 1e300 && fabs(r[1]) < 1e300 && (d == 2 || fabs(r[2]) < 1e300))) continue;
            for (int i = 0; i < d; i++) r[i] = (r[i] / scale_b) * scale_A;
            if (fabs(log2(scale_A) - log2(scale_b)) > 900) continue;  // denormal on the way
        }
        // u_t of a sticking contact is rounding, and the map weighs it with mu; a jammed one of rank one is a little
        // worse
        const double error = natural_map(d, mu, A, b, r) / (1 + mu);
        if (!(error <= (singular ? 1e-9 : 1e-14)))
            print_message("trial %ld: d %d kind %d mu %.17g error %.3g\n", trial, d, (int)kind, mu, error);
        assert_true(error <= (singular ? 1e-9 : 1e-14));
    }
}

static void pushed_apart_or_grazing_there_is_no_force(void** state) {
    (void)state;
    const double A[9] = {2, 0.3, 0.1, 0.3, 1, 0, 0.1, 0, 1};
    double r[3];
    for (int k = 0; k < 2; k++) {
        const double b[3] = {k, -5, 7};
        assert_int_equal(sti_contact_solve_one(3, 0.5, A, b, r), STI_MODE_SEPARATE);
        for (int i = 0; i < 3; i++) assert_true(r[i] == 0);
    }
}

static void without_friction_only_the_normal_pushes(void** state) {
    (void)state;
    const double A[4] = {4, 1, 1, 3}, b[2] = {-8, 5};
    double r[2];
    assert_int_equal(sti_contact_solve_one(2, 0, A, b, r), STI_MODE_SLIDE);
    assert_true(r[0] == 2 && r[1] == 0);
}

// Unit mass on the ground: pushed with tangent velocity s against normal velocity 1 it sticks iff s <= mu.
static void unit_mass_sticks_iff_mu_is_large_enough(void** state) {
    (void)state;
    const double A[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double r[3];
    assert_int_equal(sti_contact_solve_one(3, 0.5, A, (double[3]){-1, 0.3, 0.4}, r), STI_MODE_STICK);
    assert_true(r[0] == 1 && r[1] == -0.3 && r[2] == -0.4);
    assert_int_equal(sti_contact_solve_one(3, 0.5, A, (double[3]){-1, 3, 4}, r), STI_MODE_SLIDE);
    assert_true(fabs(r[0] - 1) <= 4 * DBL_EPSILON && fabs(r[1] + 0.3) <= 4 * DBL_EPSILON &&
                fabs(r[2] + 0.4) <= 4 * DBL_EPSILON);
}

static void powers_of_two_scale_the_answer_exactly(void** state) {
    (void)state;
    sti_rng rng = {.state = 5};
    for (int trial = 0; trial < 2000; trial++) {
        double A[9], b[3], r[3], rs[3];
        random_block(&rng, 3, ROUND, A);
        for (int i = 0; i < 3; i++) b[i] = symmetric(&rng);
        const double mu = sti_rng_u01(&rng);
        sti_contact_solve_one(3, mu, A, b, r);
        for (int i = 0; i < 9; i++) A[i] = ldexp(A[i], -20);
        for (int i = 0; i < 3; i++) b[i] = ldexp(b[i], 15);
        sti_contact_solve_one(3, mu, A, b, rs);
        for (int i = 0; i < 3; i++) assert_true(rs[i] == ldexp(r[i], 35));
    }
}

static void prepared_block_gives_the_same_answers(void** state) {
    (void)state;
    sti_rng rng = {.state = 6};
    for (int trial = 0; trial < 1000; trial++) {
        const int d = 2 + trial % 2;
        double A[9], b[3], r[3], once[3];
        random_block(&rng, d, trial % 3 == 0 ? LOPSIDED : ROUND, A);
        sti_contact_block block;
        sti_contact_block_prepare(d, 0.3, A, &block);
        for (int k = 0; k < 20; k++) {
            for (int i = 0; i < d; i++) b[i] = symmetric(&rng);
            const sti_contact_mode mode = sti_contact_block_solve(&block, b, r);
            assert_int_equal(mode, sti_contact_solve_one(d, 0.3, A, b, once));
            for (int i = 0; i < d; i++) assert_true(fabs(r[i] - once[i]) <= 1e-12 * (fabs(once[0]) + fabs(once[1])));
        }
    }
}

// A = [1 1; 1 1], mu = 2, b = (-1, 5): u_n = 0 asks for r_n + r_t = 1, sliding for r_t = -2 r_n. No answer exists.
static void jammed_contact_gives_a_bounded_force(void** state) {
    (void)state;
    double r[3];
    sti_contact_solve_one(2, 2, (double[4]){1, 1, 1, 1}, (double[2]){-1, 5}, r);
    assert_true(isfinite(r[0]) && isfinite(r[1]) && r[0] >= 0 && fabs(r[1]) <= 2 * r[0] && r[0] < 10);
    sti_contact_solve_one(3, 2, (double[9]){1, 1, 1, 1, 1, 1, 1, 1, 1}, (double[3]){-1, 5, 5}, r);
    assert_true(isfinite(r[0]) && r[0] >= 0 && hypot(r[1], r[2]) <= 2 * r[0] * (1 + 1e-14) && r[0] < 10);
}

static void block_that_cannot_push_gives_nothing(void** state) {
    (void)state;
    double r[3] = {1, 1, 1};
    const double A[9] = {0};
    assert_int_equal(sti_contact_solve_one(3, 0.5, A, (double[3]){-1, 1, 0}, r), STI_MODE_SEPARATE);
    for (int i = 0; i < 3; i++) assert_true(r[i] == 0);
}

static void not_a_number_comes_out_as_such(void** state) {
    (void)state;
    const double A[4] = {1, 0, 0, 1};
    double r[2];
    sti_contact_solve_one(2, 0.5, A, (double[2]){-1, NAN}, r);
    assert_true(isnan(r[0]) || isnan(r[1]));
    sti_contact_solve_one(2, 0.5, A, (double[2]){NAN, 0}, r);
    assert_true(isnan(r[0]) || isnan(r[1]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_solve_the_contact_to_rounding_for_every_block),
        cmocka_unit_test(pushed_apart_or_grazing_there_is_no_force),
        cmocka_unit_test(without_friction_only_the_normal_pushes),
        cmocka_unit_test(unit_mass_sticks_iff_mu_is_large_enough),
        cmocka_unit_test(powers_of_two_scale_the_answer_exactly),
        cmocka_unit_test(prepared_block_gives_the_same_answers),
        cmocka_unit_test(jammed_contact_gives_a_bounded_force),
        cmocka_unit_test(block_that_cannot_push_gives_nothing),
        cmocka_unit_test(not_a_number_comes_out_as_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
