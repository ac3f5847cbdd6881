// What an instant is, by counting: tables, joints that repeat each other, singular masses, motions.
#include <math.h>

#include "support/failing_env.h"
#include "support/group_env.h"
#include "support/instant_tools.h"

static sti_instant_facts describe(const tool_instant* t) {
    sti_instant_facts f;
    assert_int_equal(sti_instant_describe(group_env, &t->instant, 1e-9, &f), STI_OK);
    return f;
}

// Four legs: 12 rows of rank 6, normals of rank 3 (S0-E5).
static void make_table(tool_instant* t) {
    tool_open(t, 6);
    tool_mass(t, (double[]){2, 2, 2, 1, 1, 1});
    for (int i = 0; i < 4; i++)
        tool_spatial(t, (double[]){i % 2 ? 1 : -1, i / 2 ? 1 : -1, -1},
                     (const double[3][3]){{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}, 0.4);
}

static void a_table_is_redundant(void** state) {
    (void)state;
    tool_instant t;
    make_table(&t);
    t.contact[3].gap = 0;
    sti_instant_facts f = describe(&t);
    assert_true(f.n == 6 && f.mass_rank == 6 && f.motion_rank == 6 && f.joint_count == 0 && f.touching == 4);
    assert_true(f.normal_rank == 3 && f.rank == 6 && f.slip_count == 8);
    assert_true(f.normal_redundancy == 1 && f.redundancy == 6 && f.sliding == 0 && f.approaching == 0);
    t.contact[3].gap = 0.1;  // three legs: nothing is redundant among the normals
    f = describe(&t);
    assert_true(f.touching == 3 && f.apart == 1 && f.normal_redundancy == 0 && f.redundancy == 3);
    t.contact[0].mu = 0;
    f = describe(&t);
    assert_true(f.slip_count == 4 && f.redundancy == 1);
}

static void motions_are_told(void** state) {
    (void)state;
    tool_instant t;
    make_table(&t);
    t.v[0] = 3;
    t.v[2] = -1;
    sti_instant_facts f = describe(&t);
    assert_true(f.sliding == 4 && f.approaching == 4 && fabs(f.kinetic - 10) < 1e-14);
    t.contact[1].state = STI_INSTANT_STICK;
    assert_int_equal(describe(&t).sliding, 3);
}

static void repeated_joints_and_singular_masses(void** state) {
    (void)state;
    tool_instant t;
    tool_open(&t, 3);
    tool_mass(&t, (double[]){1, 1, 0});
    for (int i = 0; i < 2; i++) {
        tool_contact(&t, true, 0, 0);
        t.n[i][0] = 1 + i;
    }
    sti_instant_facts f = describe(&t);
    assert_true(f.joint_count == 2 && f.joint_rank == 1 && f.mass_rank == 2 && f.motion_rank == 2);
    assert_true(f.redundancy == 1 && f.normal_redundancy == 1);
    t.n[1][0] = 0;
    t.n[1][2] = 5;
    f = describe(&t);
    assert_true(f.joint_rank == 2 && f.motion_rank == 3 && f.redundancy == 0);
    t.F[0] = NAN;
    assert_int_equal(sti_instant_describe(group_env, &t.instant, 1e-9, &f), STI_ERR_INPUT);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    tool_instant t;
    make_table(&t);
    for (long k = 0;; k++) {
        failing_env f;
        sti_instant_facts facts;
        failing_env_open(&f, k);
        const sti_status status = sti_instant_describe(f.env, &t.instant, 1e-9, &facts);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_redundant),
        cmocka_unit_test(motions_are_told),
        cmocka_unit_test(repeated_joints_and_singular_masses),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
