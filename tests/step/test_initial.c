// Consistent initialization: the cases of S3 1.3, positions and velocities that have to be moved, redundant and
// contradicting joints, failing memory.
#include "step/step_tools.h"

static sti_initial* initialize(const sti_system* system, const double* q, const double* v) {
    sti_initial* i;
    must(group_env, sti_initial_create(group_env, system, NAN, q, v, &i));
    return i;
}

static void run_case(const cJSON* root, const char* id, const sti_system_text* text, double tol) {
    const cJSON* item = oracle_find(root, id);
    double q[16], v[16];
    sti_system* system;
    must(group_env, sti_system_create(group_env, text, &system));
    for (int i = 0; i < text->coordinate_count; i++) {
        q[i] = number_at(oracle_get(item, "inputs", "q0"), i);
        v[i] = number_at(oracle_get(item, "inputs", "v0"), i);
    }
    sti_initial* i = initialize(system, q, v);
    assert_int_equal(i->outcome, STI_INITIAL_CONSISTENT);
    assert_memory_equal(i->q, q, (size_t)text->coordinate_count * sizeof *q);
    assert_memory_equal(i->v, v, (size_t)text->coordinate_count * sizeof *v);
    assert_int_equal(i->rank, text->joint_count);
    same_vector(oracle_get(item, "expected", "a0"), i->n, i->a, tol);
    same_vector(oracle_get(item, "expected", "c_nu0"), i->joint_count, i->c_nu, tol);
    sti_initial_destroy(group_env, i);
    sti_system_destroy(system);
}

static void reference_accelerations_and_multipliers_hold(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const sti_system_contact_text point = {.gap = "(x^2 + y^2 - 1)/2"};
    run_case(root, "DAE-01",
             &(sti_system_text){.coordinate_count = 2,
                                .coordinates = (const char*[]){"x", "y"},
                                .kinetic = "(x'^2 + y'^2)/2",
                                .potential = "9.81*y",
                                .joint_count = 1,
                                .joints = &point},
             1e-12);
    const sti_system_contact_text rod[] = {{.gap = "x - 0.6*sin(th)"}, {.gap = "y + 0.6*cos(th)"}};
    run_case(root, "DAE-03",
             &(sti_system_text){.coordinate_count = 3,
                                .coordinates = (const char*[]){"x", "y", "th"},
                                .kinetic = "x'^2 + y'^2 + 0.12*th'^2",
                                .potential = "2*9.81*y",
                                .joint_count = 2,
                                .joints = rod},
             1e-12);
    const sti_system_contact_text crank[] = {{.gap = "x1 - 0.25*cos(t1)"},
                                             {.gap = "y1 - 0.25*sin(t1)"},
                                             {.gap = "x1 + 0.25*cos(t1) - x2 + 0.6*cos(t2)"},
                                             {.gap = "y1 + 0.25*sin(t1) - y2 + 0.6*sin(t2)"},
                                             {.gap = "x2 + 0.6*cos(t2) - x3"},
                                             {.gap = "y2 + 0.6*sin(t2) - y3"},
                                             {.gap = "y3"},
                                             {.gap = "t3"}};
    run_case(
        root, "DAE-04",
        &(sti_system_text){.coordinate_count = 9,
                           .coordinates = (const char*[]){"x1", "y1", "t1", "x2", "y2", "t2", "x3", "y3", "t3"},
                           .kinetic = "(x1'^2 + y1'^2)/2 + t1'^2/96 + x2'^2 + y2'^2 + 0.12*t2'^2 + (x3'^2 + y3'^2)/4 + "
                                      "0.05*t3'^2",
                           .forces = (const char*[]){"0", "-9.81", "3", "0", "-19.62", "0", "-5", "-4.905", "0"},
                           .joint_count = 8,
                           .joints = crank},
        1e-10);
    cJSON_Delete(root);
}

static const char* const plane[] = {"x", "y"};

static void positions_and_velocities_are_moved_the_least(void** state) {
    (void)state;
    // a particle on the unit circle, mass 1 in x and 4 in y
    const sti_system_contact_text circle = {.name = "circle", .gap = "x^2 + y^2 - 1"};
    const sti_system_text text = {
        .coordinate_count = 2, .coordinates = plane, .kinetic = "x'^2/2 + 2*y'^2", .joint_count = 1, .joints = &circle};
    sti_system* system;
    must(group_env, sti_system_create(group_env, &text, &system));
    sti_initial* i = initialize(system, (double[]){1.2, 0}, (double[]){3, 2});
    assert_int_equal(i->outcome, STI_INITIAL_PROJECTED);
    assert_near(i->q[0], 1, 1e-12);
    assert_near(i->q[1], 0, 1e-12);
    assert_near(i->v[0], 0, 1e-12);
    assert_near(i->v[1], 2, 1e-12);
    assert_near(i->moved_v, 3, 1e-12);
    assert_near(i->defect_q[0], 0.44, 1e-12);
    assert_true(i->defect_q[1] < 1e-12 && i->defect_v[1] < 1e-12);
    assert_near(i->a[0], -4, 1e-10);
    assert_non_null(strstr(i->why, "circle"));
    sti_initial_destroy(group_env, i);
    // far away: still on the circle, and the velocity tangential
    i = initialize(system, (double[]){-30, 40}, (double[]){1, 1});
    assert_int_equal(i->outcome, STI_INITIAL_PROJECTED);
    assert_near(hypot(i->q[0], i->q[1]), 1, 1e-12);
    assert_near(i->q[0] * i->v[0] + i->q[1] * i->v[1], 0, 1e-12);
    sti_initial_destroy(group_env, i);
    sti_system_destroy(system);
}

static void moving_joints_set_the_velocity(void** state) {
    (void)state;
    const sti_system_contact_text belt = {.name = "belt", .gap = "x - 3*t - t^2"};
    const sti_system_text text = {
        .coordinate_count = 2, .coordinates = plane, .kinetic = "x'^2 + y'^2", .joint_count = 1, .joints = &belt};
    sti_system* system;
    must(group_env, sti_system_create(group_env, &text, &system));
    sti_initial* i = initialize(system, NULL, NULL);
    assert_near(i->v[0], 3, 1e-12);
    assert_near(i->a[0], 2, 1e-12);
    assert_near(i->c_nu[0], 4, 1e-12);
    sti_initial_destroy(group_env, i);
    sti_system_destroy(system);
}

static void redundant_joints_share_their_force(void** state) {
    (void)state;
    const sti_system_contact_text twice[] = {{.name = "a", .gap = "y"}, {.name = "b", .gap = "2*y"}};
    const sti_system_text text = {.coordinate_count = 2,
                                  .coordinates = plane,
                                  .kinetic = "x'^2/2 + y'^2/2",
                                  .potential = "10*y",
                                  .joint_count = 2,
                                  .joints = twice};
    sti_system* system;
    must(group_env, sti_system_create(group_env, &text, &system));
    sti_initial* i = initialize(system, NULL, NULL);
    assert_int_equal(i->outcome, STI_INITIAL_CONSISTENT);
    assert_int_equal(i->rank, 1);
    assert_near(i->c_nu[0] + 2 * i->c_nu[1], 10, 1e-12);
    assert_near(i->a[1], 0, 1e-12);
    assert_non_null(strstr(i->why, "redundant"));
    sti_initial_destroy(group_env, i);
    sti_system_destroy(system);
}

static void contradictions_are_explained(void** state) {
    (void)state;
    sti_system* system;
    sti_initial* i;
    const sti_system_contact_text apart[] = {{.name = "low", .gap = "y"}, {.name = "high", .gap = "y - 1"}};
    sti_system_text text = {
        .coordinate_count = 2, .coordinates = plane, .kinetic = "x'^2/2 + y'^2/2", .joint_count = 2, .joints = apart};
    must(group_env, sti_system_create(group_env, &text, &system));
    i = initialize(system, NULL, NULL);
    assert_int_equal(i->outcome, STI_INITIAL_INCONSISTENT);
    assert_non_null(strstr(i->why, "cannot be closed"));
    sti_initial_destroy(group_env, i);
    sti_stepper* s;
    assert_int_equal(sti_stepper_create(group_env, system, NULL, &s), STI_ERR_INPUT);
    sti_system_destroy(system);
    const sti_system_contact_text pulled[] = {{.name = "still", .gap = "y"}, {.name = "rises", .gap = "y - t"}};
    text.joints = pulled;
    must(group_env, sti_system_create(group_env, &text, &system));
    i = initialize(system, NULL, NULL);
    assert_int_equal(i->outcome, STI_INITIAL_INCONSISTENT);
    assert_non_null(strstr(i->why, "contradict"));
    sti_initial_destroy(group_env, i);
    sti_system_destroy(system);
    // no mass in y: a force there has no answer, and without one the acceleration is not determined
    text = (sti_system_text){.coordinate_count = 2, .coordinates = plane, .kinetic = "x'^2/2", .potential = "y"};
    must(group_env, sti_system_create(group_env, &text, &system));
    i = initialize(system, NULL, NULL);
    assert_int_equal(i->outcome, STI_INITIAL_SINGULAR);
    sti_initial_destroy(group_env, i);
    sti_system_destroy(system);
    text.potential = "x";
    must(group_env, sti_system_create(group_env, &text, &system));
    i = initialize(system, NULL, NULL);
    assert_int_equal(i->outcome, STI_INITIAL_SINGULAR);
    assert_non_null(strstr(i->why, "not determined"));
    sti_initial_destroy(group_env, i);
    sti_system_destroy(system);
}

static void contacts_at_the_start_are_noticed(void** state) {
    (void)state;
    const sti_system_contact_text ground = {.name = "ground", .gap = "y"};
    const sti_system_text text = {
        .coordinate_count = 2, .coordinates = plane, .kinetic = "x'^2 + y'^2", .contact_count = 1, .contacts = &ground};
    sti_system* system;
    must(group_env, sti_system_create(group_env, &text, &system));
    sti_initial* i = initialize(system, (double[]){0, -0.1}, NULL);
    assert_int_equal(i->penetrating, 0);
    assert_int_equal(i->outcome, STI_INITIAL_OVERLAPPING);  // not "consistent": one truth
    assert_non_null(strstr(i->why, "contact \"ground\" overlaps"));
    sti_initial_destroy(group_env, i);
    i = initialize(system, (double[]){0, 0}, (double[]){1, -1});
    assert_int_equal(i->penetrating, -1);
    assert_int_equal(i->approaching, 0);
    assert_non_null(strstr(i->why, "hits at once"));
    sti_initial_destroy(group_env, i);
    sti_initial* none;
    assert_int_equal(sti_initial_create(group_env, system, NAN, (double[]){0, NAN}, NULL, &none), STI_ERR_INPUT);
    assert_null(none);
    sti_system_destroy(system);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    const sti_system_contact_text circle = {.gap = "x^2 + y^2 - 1"};
    const sti_system_text text = {
        .coordinate_count = 2, .coordinates = plane, .kinetic = "x'^2 + y'^2", .joint_count = 1, .joints = &circle};
    for (long at = 0;; at++) {
        failing_env f;
        sti_system* system = NULL;
        sti_initial* i = NULL;
        failing_env_open(&f, -1);
        must(f.env, sti_system_create(f.env, &text, &system));
        f.count = 0;
        f.fail_at = at;
        const sti_status status = sti_initial_create(f.env, system, 0, (double[]){2, 1}, (double[]){1, 1}, &i);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_initial_destroy(f.env, i);
        sti_system_destroy(system);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_accelerations_and_multipliers_hold),
        cmocka_unit_test(positions_and_velocities_are_moved_the_least),
        cmocka_unit_test(moving_joints_set_the_velocity),
        cmocka_unit_test(redundant_joints_share_their_force),
        cmocka_unit_test(contradictions_are_explained),
        cmocka_unit_test(contacts_at_the_start_are_noticed),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
