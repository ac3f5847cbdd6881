// Proofs of emptiness: exact sums, whole numbers found behind rounded ones, and what must not pass.
#include <math.h>

#include "contact/emptiness.h"
#include "contact/local.h"
#include "support/failing_env.h"
#include "support/open_env.h"

enum { NC = 2, N = 4 };

// A particle between two walls, in the plane: u_n1 + u_n2 = q_n1 + q_n2.
typedef struct squeeze {
    double W[N * N], q[N], mu[NC];
    sti_contact_local p;
} squeeze;

static void make(sti_env* env, double a, double b, squeeze* s) {
    *s = (squeeze){.W = {a, 0, -b, 0, 0, 1, 0, 1, -a, 0, b, 0, 0, 1, 0, 1}, .q = {-1, 0, -1, 0}, .mu = {0.3, 0.3}};
    const sti_matrix view = sti_matrix_dense_view(N, N, s->W);
    s->p = (sti_contact_local){.env = env, .d = 2, .nc = NC, .mu = s->mu, .q = s->q};
    assert_int_equal(sti_bsr_from_matrix(env, &view, 2, &s->p.W), STI_OK);
    assert_int_equal(sti_contact_local_finish(&s->p), STI_OK);
}

static bool proved(const squeeze* s, double v0, double v1, double y[NC]) {
    const double v[NC] = {v0, v1};
    bool yes;
    assert_int_equal(sti_contact_prove_empty(&s->p, v, y, &yes), STI_OK);
    return yes;
}

static void whole_numbers_are_found_behind_rounded_ones(void** state) {
    (void)state;
    sti_env* env = open_env();
    squeeze s;
    double y[NC];
    make(env, 1, 1, &s);
    assert_true(proved(&s, 0.3, 0.3 * (1 + 1e-12), y));
    assert_true(y[0] == 1 && y[1] == 1);
    assert_true(proved(&s, 5, 5, y));
    assert_true(y[0] == 5 && y[1] == 5);  // right as it is
    sti_contact_local_clear(&s.p);
    sti_env_destroy(env);
}

// Products that cancel but for rounding do not cancel.
static void the_last_bit_counts(void** state) {
    (void)state;
    sti_env* env = open_env();
    squeeze s;
    double y[NC];
    const double a = 1.0 / 3, y0 = 1 + 0x1p-30, y1 = 1 + 0x1p-52;
    make(env, a, a, &s);
    assert_true(proved(&s, y0, y0, y));
    assert_false(proved(&s, 1, y0, y) && y[0] != y[1]);
    assert_true(proved(&s, 1, y1, y));  // not as it is, but 1 and 1 are near
    assert_true(y[0] == y[1]);
    s.p.W.block[0] = nextafter(a, 1);
    assert_false(proved(&s, 1, 1, y));
    sti_contact_local_clear(&s.p);
    sti_env_destroy(env);
}

static void what_is_no_proof_does_not_pass(void** state) {
    (void)state;
    sti_env* env = open_env();
    squeeze s;
    double y[NC];
    make(env, 1, 1, &s);
    assert_false(proved(&s, 1, 0.5, y));  // does not cancel
    assert_false(proved(&s, 0, 0, y));    // says nothing
    assert_false(proved(&s, -1, -1, y));  // of the wrong sign
    assert_false(proved(&s, NAN, 1, y));  // not a number
    s.q[2] = 1;
    assert_false(proved(&s, 1, 1, y));  // the gap just stays: u_n = 0 is possible
    s.q[2] = 1 - 0x1p-53;
    assert_true(proved(&s, 1, 1, y));  // it closes, by the least there is
    s.q[0] = -1e-300, s.q[2] = 0;
    assert_false(proved(&s, 1, 1, y));  // too small for exact products: refused
    sti_contact_local_clear(&s.p);
    sti_env_destroy(env);
}

static void failed_allocations_are_survived(void** state) {
    (void)state;
    failing_env f;
    failing_env_open(&f, -1);
    squeeze s;
    make(f.env, 1, 1, &s);
    f.fail_at = f.count;
    const double v[NC] = {1, 1};
    double y[NC];
    bool yes = true;
    assert_int_equal(sti_contact_prove_empty(&s.p, v, y, &yes), STI_ERR_MEMORY);
    assert_false(yes);
    f.fail_at = -1;
    sti_contact_local_clear(&s.p);
    failing_env_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_are_found_behind_rounded_ones),
        cmocka_unit_test(the_last_bit_counts),
        cmocka_unit_test(what_is_no_proof_does_not_pass),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
