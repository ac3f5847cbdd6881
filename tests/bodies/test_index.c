// test_index.c: joints at the level of positions (index 3) beside velocities (index 2), without mending: how open they
// are, that the step is the problem it shows, what rests, springs and contacts beside joints.
#include <math.h>
#include <stdio.h>
#include <stiction/stiction.h>

#include "support/near.h"
#include "support/open_env.h"

typedef struct run {
    double drift, rate, residual, energy;
    long solved;
} run;

static sti_world* open_scene(sti_env* env, const char* name, int index, double alpha, double h, sti_document** file) {
    char path[300];
    snprintf(path, sizeof path, "%s/scenes/%s.json", STI_SOURCE_DIR, name);
    assert_int_equal(sti_document_load(env, path, file), STI_OK);
    const sti_world_scene* scene = sti_world_scene_of(*file);
    sti_world_options options = scene->step;
    sti_world* world;
    options.h = h;
    options.alpha = alpha;
    options.index = index;
    options.stabilize = false;
    assert_int_equal(sti_world_create(env, scene->bodies, &options, &world), STI_OK);
    return world;
}

static run make_steps(sti_env* env, const char* name, int index, double alpha, double h, double time, double* place) {
    sti_document* file;
    sti_world* world = open_scene(env, name, index, alpha, h, &file);
    run all = {0};
    double kinetic, potential;
    sti_world_energy(world, &kinetic, &potential);
    const double before = kinetic + potential;
    for (long k = 0; k < lround(time / h); k++) {
        sti_world_report r;
        const sti_contact_answer* answer;
        sti_contact_verification check;
        assert_int_equal(sti_world_step(world, &r), STI_OK);
        all.drift = fmax(all.drift, r.drift);
        all.rate = fmax(all.rate, r.drift_rate);
        all.solved += r.solved;
        if (k % 10 != 0) continue;  // the problem with its b, by code of its own
        const sti_contact_problem* problem = sti_world_problem(world, &answer);
        assert_int_equal(sti_verify_contact(env, problem, answer, 1e-8, &check), STI_OK);
        if (!check.accepted) fail_msg("%s, index %d, step %ld: %s", name, index, k, check.text);
        all.residual = fmax(all.residual, check.residual);
    }
    assert_int_equal(all.solved, lround(time / h));
    sti_world_energy(world, &kinetic, &potential);
    all.energy = kinetic + potential - before;
    sti_pose pose;
    sti_world_pose(world, sti_bodies_count(sti_world_scene_of(file)->bodies) - 1, &pose);
    for (int i = 0; place != NULL && i < 3; i++) place[i] = pose.x[i];
    sti_world_destroy(world);
    sti_document_destroy(file);
    return all;
}

// Open by O(h^3) a step with index 2, closed to rounding with index 3; redundant joints are in four-bar-3d.
static void positions_hold_to_rounding(void** state) {
    (void)state;
    sti_env* env = open_env();
    const char* const scenes[] = {"chain", "four-bar-3d", "motor-crank", "spinning-top"};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 2; k++) {
            const double alpha = k == 0 ? 0.5 : 1;
            const run two = make_steps(env, scenes[i], 2, alpha, 0.004, 0.4, NULL);
            const run three = make_steps(env, scenes[i], 3, alpha, 0.004, 0.4, NULL);
            if (!(two.drift > 1e-9 && three.drift < 1e-12))
                fail_msg("%s %g: %g %g", scenes[i], alpha, two.drift, three.drift);
            assert_true(three.rate < 10 * two.rate + 1e-12);
            assert_true(i == 2 || three.energy < 1e-8);  // a motor drives the third
        }
    }
    sti_env_destroy(env);
}

// The largest difference of the last body's place to a run with a fine step falls with h^2.
static void the_order_is_two(void** state) {
    (void)state;
    sti_env* env = open_env();
    double fine[3], error[2] = {0, 0};
    make_steps(env, "chain", 3, 0.5, 0.00025, 0.2, fine);
    for (int k = 0; k < 2; k++) {
        double place[3];
        make_steps(env, "chain", 3, 0.5, k == 0 ? 0.004 : 0.002, 0.2, place);
        for (int i = 0; i < 3; i++) error[k] = hypot(error[k], place[i] - fine[i]);
    }
    assert_true(error[1] > 0 && error[0] / error[1] > 3 && error[0] / error[1] < 6);
    sti_env_destroy(env);
}

// A gripper holds a box, at rest to the bit, also with joints at the level of positions.
static void what_rests_rests(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_document* file;
    sti_world* world = open_scene(env, "gripper", 3, 1, 0.01, &file);
    sti_pose before, after;
    sti_world_pose(world, 0, &before);
    for (int k = 0; k < 20; k++) {
        sti_world_report r;
        assert_int_equal(sti_world_step(world, &r), STI_OK);
        assert_true(r.solved && r.at_rest && r.drift_rate == 0);
    }
    sti_world_pose(world, 0, &after);
    for (int i = 0; i < 3; i++) assert_true(before.x[i] == after.x[i]);
    sti_world_destroy(world);
    sti_document_destroy(file);
    sti_env_destroy(env);
}

static void an_index_is_two_or_three(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_document* file;
    sti_world* world = open_scene(env, "chain", 2, 1, 0.01, &file);
    sti_world_options options = sti_world_options_default();
    sti_world* other;
    assert_int_equal(options.index, 2);
    options.index = 1;
    assert_int_equal(sti_world_create(env, sti_world_scene_of(file)->bodies, &options, &other), STI_ERR_ARGUMENT);
    sti_world_destroy(world);
    sti_document_destroy(file);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_hold_to_rounding),
        cmocka_unit_test(the_order_is_two),
        cmocka_unit_test(what_rests_rests),
        cmocka_unit_test(an_index_is_two_or_three),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
