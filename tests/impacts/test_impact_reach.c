// test_impact_reach.c: S1 proposition 1: the restitution matrix that leads to a stated velocity after impact.
#include <math.h>
#include <stiction/impact.h>

#include "support/failing_env.h"
#include "support/near.h"
#include "support/open_env.h"
#include "support/random.h"

enum { MOST = 5 };

static double form(int p, const double* G_inv, const double* x) {
    double sum = 0;
    for (int i = 0; i < p * p; i++) sum += x[i / p] * G_inv[i] * x[i % p];
    return sum;
}

static void make(sti_rng* rng, int p, double* G, double* before, double* after) {
    double L[MOST * MOST];
    for (int i = 0; i < p * p; i++) L[i] = symmetric(rng);
    for (int i = 0; i < p * p; i++) {
        G[i] = i % (p + 1) == 0 ? 0.3 : 0;
        for (int k = 0; k < p; k++) G[i] += L[i / p * p + k] * L[i % p * p + k];
    }
    for (int i = 0; i < p; i++) before[i] = between(rng, -2, 0.2), after[i] = between(rng, 0, 1.5);
}

// E before = -after, and the judge of matrices, which knows nothing of this, says dissipative exactly when no energy is
// gained.
static void the_matrix_gives_the_velocity_and_is_dissipative_where_it_can_be(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 4};
    int dissipative = 0;
    for (int k = 0; k < 1000; k++) {
        const int p = sti_rng_int(&rng, 1, MOST);
        double G[MOST * MOST], before[MOST], after[MOST], E[MOST * MOST];
        make(&rng, p, G, before, after);
        assert_int_equal(sti_restitution_reaching(env, p, G, before, after, E), STI_OK);
        for (int i = 0; i < p; i++) {
            double sum = after[i];
            for (int j = 0; j < p; j++) sum += E[i * p + j] * before[j];
            assert_near(sum, 0, 1e-12);
        }
        sti_restitution_test* t;
        assert_int_equal(sti_restitution_test_create(env, p, G, E, &t), STI_OK);
        const double b = form(p, t->G_inv, before), a = form(p, t->G_inv, after);
        if (fabs(a - b) > 1e-6 * b) {
            assert_int_equal(t->dissipative, a < b);
            dissipative += a < b;
        }
        assert_near(t->sigma_max_B, sqrt(a / b), 1e-9 * (1 + sqrt(a / b)));
        sti_restitution_test_destroy(env, t);
    }
    assert_in_range(dissipative, 100, 900);
    sti_env_destroy(env);
}

static void what_cannot_be_reached_is_refused(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double G[4] = {1, 0, 0, 1}, flat[4] = {1, 1, 1, 1}, zero[2] = {0}, one[2] = {1, 0};
    double E[4];
    assert_int_equal(sti_restitution_reaching(env, 2, G, zero, one, E), STI_ERR_INPUT);
    assert_int_equal(sti_restitution_reaching(env, 2, flat, one, one, E), STI_ERR_INPUT);
    assert_int_equal(sti_restitution_reaching(env, 0, G, one, one, E), STI_ERR_ARGUMENT);
    assert_int_equal(sti_restitution_reaching(env, 2, G, zero, zero, E), STI_OK);
    assert_true(E[0] == 0 && E[3] == 0);
    // rounding is neither a velocity nor a rank
    const double nearly[4] = {1, 1, 1, 1 + 4e-16}, still[2] = {1e-17, 0};
    assert_int_equal(sti_restitution_reaching(env, 2, nearly, one, one, E), STI_ERR_INPUT);
    assert_int_equal(sti_restitution_reaching(env, 2, G, still, one, E), STI_ERR_INPUT);
    const double thin[4] = {1, 1, 1, 1 + 1e-9}, slow[2] = {1e-9, 0};
    assert_int_equal(sti_restitution_reaching(env, 2, thin, one, one, E), STI_OK);
    assert_int_equal(sti_restitution_reaching(env, 2, G, slow, one, E), STI_OK);
    sti_env_destroy(env);
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        const double G[4] = {1, 0, 0, 1}, one[2] = {1, 0};
        double E[4];
        const sti_status status = sti_restitution_reaching(f.env, 2, G, one, one, E);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_matrix_gives_the_velocity_and_is_dissipative_where_it_can_be),
        cmocka_unit_test(what_cannot_be_reached_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
