// test_scaled.c: an LCP in units near one, and back.
#include "solvers/scaled.h"
#include "support/failing_env.h"
#include "support/lcp_families.h"
#include "support/open_env.h"

static void scaling_rounds_nothing(void** state) {
    enum { N = 25 };
    family f = family_make(FAMILY_DEFINITE, N, 3);
    sti_rng rng = {9};
    for (int i = 0; i < N; i++) {
        const double unit = pow(10, sti_rng_int(&rng, -40, 40));
        f.q[i] *= unit;
        for (int j = 0; j < N; j++) {
            f.lcp.M.dense[i * N + j] *= unit;
            f.lcp.M.dense[j * N + i] *= unit;
        }
    }
    sti_scaled_lcp p;
    assert_int_equal(sti_scaled_lcp_init(&p, *state, &f.lcp), STI_OK);
    double largest_q = 0;
    for (int i = 0; i < N; i++) {
        assert_true(ldexp(p.q[i], p.q_exponent - p.exponent[i]) == f.q[i]);
        largest_q = fmax(largest_q, fabs(p.q[i]));
        double largest = 0;
        for (int j = 0; j < N; j++) {
            largest = fmax(largest, fabs(p.M.dense[i * N + j]));
            assert_true(ldexp(p.M.dense[i * N + j], -p.exponent[i] - p.exponent[j]) == f.lcp.M.dense[i * N + j]);
        }
        assert_true(largest > 0.2 && largest < 4);
    }
    assert_true(largest_q >= 1 && largest_q < 2);
    assert_false(p.symmetric);

    double z[N], scaled[N], back[N];
    for (int i = 0; i < N; i++) z[i] = i % 3 == 0 ? -1 : sti_rng_u01(&rng);
    sti_scaled_lcp_enter(&p, z, scaled);
    assert_true(sti_scaled_lcp_leave(&p, scaled, back));
    for (int i = 0; i < N; i++) assert_true(back[i] == fmax(z[i], 0));
    scaled[4] = NAN;
    assert_false(sti_scaled_lcp_leave(&p, scaled, back));
    assert_true(back[0] == 0 && back[4] == 0);
    sti_scaled_lcp_clear(&p);
    sti_scaled_lcp_clear(&p);
    family_clear(&f);
}

static void a_point_beyond_the_doubles_is_refused(void** state) {
    double m = 1e-200, q = -1e200, z;
    const sti_lcp lcp = {.n = 1, .M = sti_matrix_dense_view(1, 1, &m), .q = &q};
    sti_scaled_lcp p;
    assert_int_equal(sti_scaled_lcp_init(&p, *state, &lcp), STI_OK);
    const double one = 1;
    assert_false(sti_scaled_lcp_leave(&p, &one, &z));
    assert_true(z == 0);
    sti_scaled_lcp_clear(&p);
}

static void sparse_stays_sparse_where_that_pays(void** state) {
    sti_scaled_lcp p;
    family f = family_obstacle(30, 30, 1);
    assert_int_equal(sti_scaled_lcp_init(&p, *state, &f.lcp), STI_OK);
    assert_true(sti_matrix_is_sparse(&p.M) && p.symmetric && p.applicable);
    sti_scaled_lcp_clear(&p);
    f.lcp.M.value[1] *= 1.001;  // no longer symmetric
    assert_int_equal(sti_scaled_lcp_init(&p, *state, &f.lcp), STI_OK);
    assert_true(!sti_matrix_is_sparse(&p.M) && !p.symmetric && p.applicable);
    sti_scaled_lcp_clear(&p);
    family_clear(&f);

    f = family_obstacle(2, 2, 1);  // nearly full
    assert_int_equal(sti_scaled_lcp_init(&p, *state, &f.lcp), STI_OK);
    assert_true(!sti_matrix_is_sparse(&p.M) && p.symmetric);
    sti_scaled_lcp_clear(&p);
    family_clear(&f);

    f = family_obstacle(STI_SCALED_DENSE_LIMIT + 1, 1, 1);
    f.lcp.M.value[1] = -0.75;
    assert_int_equal(sti_scaled_lcp_init(&p, *state, &f.lcp), STI_OK);
    assert_false(p.applicable);
    sti_scaled_lcp_clear(&p);
    family_clear(&f);
}

static void missing_diagonal_entries_are_stored(void** state) {
    // a chain of 40 without its first, a middle, and its last diagonal entry
    enum { N = 40 };
    family f = family_obstacle(N, 1, 1);
    int64_t to = 0, start = 0;
    for (int j = 0; j < N; j++) {
        const int64_t end = f.lcp.M.col_start[j + 1];
        for (int64_t k = start; k < end; k++) {
            if (f.lcp.M.row[k] == j && (j == 0 || j == 9 || j == N - 1)) continue;
            f.lcp.M.row[to] = f.lcp.M.row[k];
            f.lcp.M.value[to++] = f.lcp.M.value[k];
        }
        start = end;
        f.lcp.M.col_start[j + 1] = to;
    }
    sti_scaled_lcp p;
    assert_int_equal(sti_scaled_lcp_init(&p, *state, &f.lcp), STI_OK);
    assert_true(sti_matrix_is_sparse(&p.M));
    assert_int_equal(p.M.col_start[N], 3 * N - 2);
    for (int i = 0; i < N; i++) {
        bool diagonal = false;
        for (int64_t k = p.M.col_start[i]; k < p.M.col_start[i + 1]; k++) {
            diagonal = diagonal || p.M.row[k] == i;
            assert_true(k == p.M.col_start[i] || p.M.row[k] > p.M.row[k - 1]);
            assert_true(ldexp(p.M.value[k], -p.exponent[i] - p.exponent[p.M.row[k]]) ==
                        sti_matrix_get(&f.lcp.M, p.M.row[k], i));
        }
        assert_true(diagonal);
    }
    sti_scaled_lcp_clear(&p);
    family_clear(&f);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    family problems[3] = {family_make(FAMILY_SPD, 5, 1), family_obstacle(20, 1, 1), family_obstacle(3, 2, 1)};
    for (int p = 0; p < 3; p++) {
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            sti_scaled_lcp s;
            const sti_status status = sti_scaled_lcp_init(&s, f.env, &problems[p].lcp);
            if (status == STI_OK)
                sti_scaled_lcp_clear(&s);
            else
                assert_int_equal(status, STI_ERR_MEMORY);
            if (failing_env_close(&f)) break;
        }
        family_clear(&problems[p]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scaling_rounds_nothing),
        cmocka_unit_test(a_point_beyond_the_doubles_is_refused),
        cmocka_unit_test(sparse_stays_sparse_where_that_pays),
        cmocka_unit_test(missing_diagonal_entries_are_stored),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
