// every_method.h: what every method must do, as tests. Who includes it has the list of its methods as `methods` before.
#ifndef TESTS_CONTACT_EVERY_METHOD_H
#define TESTS_CONTACT_EVERY_METHOD_H

enum { METHODS = sizeof methods / sizeof methods[0] };

static void one_contact_is_solved_in_closed_form(void** state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) case_one_contact(methods[k]);
}

static void a_block_sticks_below_the_friction_angle_and_slides_above(void** state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) case_block_on_a_slope(methods[k]);
}

static void the_hyperstatic_cube_sticks_exactly(void** state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) case_hyperstatic_cube(methods[k]);
}

static void order_frames_and_units_do_not_matter(void** state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) case_order_frames_and_units(methods[k]);
}

static void a_good_guess_helps_and_a_bad_one_does_not_mislead(void** state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) case_warm_start(methods[k]);
}

static void limits_are_kept(void** state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) case_limits(methods[k]);
}

static void failed_allocations_are_survived(void** state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) case_memory_runs_out(methods[k]);
}

#define TESTS_OF_EVERY_METHOD                                                                                          \
    cmocka_unit_test(one_contact_is_solved_in_closed_form),                                                            \
        cmocka_unit_test(a_block_sticks_below_the_friction_angle_and_slides_above),                                    \
        cmocka_unit_test(the_hyperstatic_cube_sticks_exactly), cmocka_unit_test(order_frames_and_units_do_not_matter), \
        cmocka_unit_test(a_good_guess_helps_and_a_bad_one_does_not_mislead), cmocka_unit_test(limits_are_kept),        \
        cmocka_unit_test(failed_allocations_are_survived)

#endif
