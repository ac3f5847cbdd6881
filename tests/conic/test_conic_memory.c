// test_conic_memory.c: every allocation of the conic solver and its verifier may fail.
#include "conic_tools.h"
#include "support/failing_env.h"

static void fail_every_allocation(const sti_conic* p) {
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_conic_answer a;
        sti_status status = sti_conic_solve(f.env, p, NULL, &a);
        if (status == STI_OK) {
            sti_conic_verification v;
            status = sti_verify_conic(f.env, p, &a, 1e-9, &v);
            if (status == STI_OK) assert_true(v.accepted);
        }
        if (status != STI_OK) {
            assert_int_equal(status, STI_ERR_MEMORY);
            assert_int_equal(sti_env_error(f.env)->status, STI_ERR_MEMORY);
        }
        sti_conic_answer_clear(f.env, &a);
        if (failing_env_close(&f)) break;
    }
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    sti_rng rng = {31};
    for (int kind = 0; kind < 3; kind++) {
        for (int rank = -1; rank < 8; rank += 8) {
            dense_program d = random_program(&rng, (family)kind, 7, 1, 3, 2, 9, rank);
            fail_every_allocation(&d.p);
            dense_program_free(&d);
        }
    }
}

static void a_refused_program_leaves_nothing_behind(void** state) {
    (void)state;
    double P[] = {1, 2, 2, 1}, A[] = {-1, 0, 0, -1}, b[] = {0, 0}, c[] = {1, 1};
    const sti_conic p = {.n = 2,
                         .m = 2,
                         .P = sti_matrix_dense_view(2, 2, P),
                         .A = sti_matrix_dense_view(2, 2, A),
                         .c = c,
                         .b = b,
                         .nonnegative = 2};
    failing_env f;
    failing_env_open(&f, -1);
    sti_conic_answer a;
    assert_int_equal(sti_conic_solve(f.env, &p, NULL, &a), STI_ERR_ARGUMENT);
    assert_null(a.x);
    failing_env_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(a_refused_program_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
