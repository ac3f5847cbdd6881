// test_instant_forces.c: motors and dry friction of joints in the instant of a world: thresholds in closed form, and
// what a step of the same world does.
#include <stiction/modes.h>
#include <stiction/sticking.h>

#include "scene_tools.h"

#define MASS 2.0

// One body of mass 2 in the plane, without gravity unless given, on a joint to the world at its centre.
typedef struct machine {
    sti_env* env;
    sti_bodies* bodies;
    sti_world* world;
} machine;

static machine machine_open(sti_joint_kind kind, const sti_joint_axis* axis, const double g[3], double speed) {
    machine m = {.env = open_env()};
    assert_int_equal(sti_bodies_create(m.env, 2, &m.bodies), STI_OK);
    sti_bodies_set_gravity(m.bodies, g);
    sti_body body = sti_body_default();
    body.name = "body";
    body.density = 0;
    body.mass = MASS;
    body.inertia[8] = 0.5;
    if (kind == STI_JOINT_PRISMATIC) body.v[0] = speed;
    if (kind == STI_JOINT_REVOLUTE) body.w[2] = speed;
    int index;
    assert_int_equal(sti_bodies_add(m.bodies, &body, &index), STI_OK);
    sti_joint joint = sti_joint_default(kind, -1, index);
    const double origin[3] = {0, 0, 0}, x[3] = {1, 0, 0};
    joint.name = "joint";
    joint.axis[0] = *axis;
    assert_int_equal(sti_joint_place(m.bodies, origin, kind == STI_JOINT_PRISMATIC ? x : NULL, &joint), STI_OK);
    assert_int_equal(sti_bodies_add_joint(m.bodies, &joint, NULL), STI_OK);
    sti_world_options options = sti_world_options_default();
    options.h = 0.01;
    assert_int_equal(sti_world_create(m.env, m.bodies, &options, &m.world), STI_OK);
    return m;
}

static void machine_close(machine* m) {
    sti_world_destroy(m->world);
    sti_bodies_destroy(m->bodies);
    sti_env_destroy(m->env);
}

static sti_joint_axis plain_axis(void) {
    return sti_joint_default(STI_JOINT_PRISMATIC, -1, 0).axis[0];
}

static sti_instant* instant_now(const machine* m) {
    sti_instant* a;
    if (sti_world_instant(m->env, m->world, 1e-9, &a) != STI_OK) fail_msg("%s", sti_env_error(m->env)->text);
    return a;
}

static void push(machine* m, double force, double torque) {
    const double f[3] = {force, 0, 0}, t[3] = {0, 0, torque};
    assert_int_equal(sti_world_push(m->world, 0, f, t), STI_OK);
}

// The verdict of the instant, checked, and the same from a step: nothing moves, exactly, or something does.
static bool holds(machine* m) {
    sti_instant* a = instant_now(m);
    sti_sticking* s;
    sti_sticking_verification v;
    assert_int_equal(sti_sticking_create(m->env, a, NULL, &s), STI_OK);
    const sti_sticking_outcome outcome = s->answer.outcome;
    assert_true(outcome == STI_STICKING_YES || outcome == STI_STICKING_NO);
    assert_int_equal(sti_verify_sticking(m->env, a, &s->answer, 1e-9, &v), STI_OK);
    assert_true(v.accepted);
    sti_sticking_destroy(s);
    sti_instant_destroy(m->env, a);
    return outcome == STI_STICKING_YES;
}

static bool rests(machine* m) {
    sti_world_report report;
    double v[3], w[3];
    for (int k = 0; k < 3; k++) assert_int_equal(sti_world_step(m->world, &report), STI_OK);
    assert_true(report.solved);
    sti_world_velocity(m->world, 0, v, w);
    return v[0] == 0 && v[1] == 0 && w[2] == 0;
}

static const double weightless[3] = {0, 0, 0};

static void a_motor_below_its_speed_pushes_with_all_it_has(void** state) {
    (void)state;
    sti_joint_axis axis = plain_axis();
    axis.motor_speed = 1;
    axis.motor_force = 5;
    for (int k = 0; k < 3; k++) {  // below, above, at its speed
        const double speed[3] = {0, 2, 1}, force[3] = {-5, 5, 0};
        machine m = machine_open(STI_JOINT_PRISMATIC, &axis, weightless, speed[k]);
        sti_instant* a = instant_now(&m);
        assert_near(a->F[0], force[k], 0);
        assert_int_equal(a->n, k == 2 ? 4 : 3);
        assert_int_equal(a->contact_count, k == 2 ? 3 : 2);
        if (k == 2) {
            const sti_instant_contact* c = &a->contacts[2];
            assert_string_equal(c->name, "joint motor");
            assert_string_equal(a->names[3], "joint motor");
            assert_true(c->pressed);
            assert_near(a->F[3], 5, 0);
            assert_near(c->t[0] * a->v[0] + c->t_offset[0], 0, 1e-15);
        }
        sti_instant_destroy(m.env, a);
        machine_close(&m);
    }
}

static void dry_friction_holds_up_to_its_bound(void** state) {
    (void)state;
    sti_joint_axis axis = plain_axis();
    axis.friction = 2;
    for (int brake = 0; brake < 2; brake++) {  // a motor that wants to stand still adds its force
        const double bound = brake ? 5 : 2;
        axis.motor_force = brake ? 3 : 0;
        for (int k = 0; k < 4; k++) {
            const double part[4] = {0, 0.999, 1.001, -1.001};
            machine m = machine_open(STI_JOINT_PRISMATIC, &axis, weightless, 0);
            push(&m, part[k] * bound, 0);
            char note[200];
            sti_world_instant_note(m.world, note, sizeof note);
            assert_string_equal(note, "");
            assert_int_equal(holds(&m), k < 2);
            assert_int_equal(rests(&m), k < 2);
            machine_close(&m);
        }
    }
}

static void friction_of_a_joint_that_moves_is_a_known_force(void** state) {
    (void)state;
    sti_joint_axis axis = plain_axis();
    axis.friction = 2;
    machine m = machine_open(STI_JOINT_PRISMATIC, &axis, weightless, -0.5);
    sti_instant* a = instant_now(&m);
    assert_int_equal(a->n, 3);
    assert_near(a->F[0], -2, 0);  // the force is +2, against the motion
    sti_instant_destroy(m.env, a);
    machine_close(&m);
}

// S0's bilateral contact: one component of the reaction, of either sign.
static void friction_of_a_slider_is_mu_times_its_reaction(void** state) {
    (void)state;
    sti_joint_axis axis = plain_axis();
    axis.mu = 0.25;
    for (int k = 0; k < 4; k++) {
        const double part[2] = {0.999, 1.001}, g[3] = {0, k / 2 == 0 ? -10 : 10, 0};
        machine m = machine_open(STI_JOINT_PRISMATIC, &axis, g, 0);
        push(&m, part[k % 2] * 0.25 * MASS * 10, 0);
        char note[200];
        sti_world_instant_note(m.world, note, sizeof note);
        assert_string_equal(note, "");
        assert_int_equal(holds(&m), k % 2 == 0);
        assert_int_equal(rests(&m), k % 2 == 0);
        machine_close(&m);
    }
}

// Two components: the rows are turned along the reaction, whose direction is that of the load. The note says what is
// assumed.
static void friction_of_a_pin_is_mu_radius_times_its_reaction(void** state) {
    (void)state;
    sti_joint_axis axis = plain_axis();
    axis.mu = 0.4;
    axis.radius = 0.05;
    for (int k = 0; k < 8; k++) {
        const double angle = 0.3 + k / 2, g[3] = {10 * cos(angle), 10 * sin(angle), 0};
        machine m = machine_open(STI_JOINT_REVOLUTE, &axis, g, 0);
        push(&m, 0, (k % 2 == 0 ? 0.999 : -1.001) * 0.4 * 0.05 * MASS * 10);
        char note[400], cut[12];
        sti_world_instant_note(m.world, note, sizeof note);
        sti_world_instant_note(m.world, cut, sizeof cut);
        assert_non_null(strstr(note, "joint joint: friction is mu times"));
        assert_memory_equal(note, cut, sizeof cut - 1);
        assert_int_equal(holds(&m), k % 2 == 0);
        assert_int_equal(rests(&m), k % 2 == 0);
        machine_close(&m);
    }
}

// Bounded forces do not make a closure, are no surfaces whose coefficient could be asked for, and never separate.
static void bounded_forces_are_told_from_surfaces(void** state) {
    (void)state;
    sti_joint_axis axis = plain_axis();
    axis.friction = 2;
    machine m = machine_open(STI_JOINT_PRISMATIC, &axis, weightless, 0);
    push(&m, 3, 0);
    sti_instant* a = instant_now(&m);
    sti_closure closure;
    bool accepted;
    assert_int_equal(sti_force_closure_analyze(m.env, a, NULL, &closure), STI_OK);
    assert_int_equal(closure.closed, STI_NO);
    assert_int_equal(closure.n, 3);
    assert_int_equal(closure.contact_count, 2);
    assert_int_equal(sti_verify_closure(m.env, a, NULL, true, &closure, 1e-9, &accepted), STI_OK);
    assert_true(accepted);
    sti_closure_clear(m.env, &closure);
    sti_sticking* s;
    assert_int_equal(sti_sticking_create(m.env, a, NULL, &s), STI_OK);
    assert_int_equal(s->answer.outcome, STI_STICKING_NO);
    assert_true(isnan(s->least_common.mu));
    sti_sticking_destroy(s);
    sti_modes* modes;
    sti_modes_verification v;
    assert_int_equal(sti_modes_create(m.env, a, NULL, &modes), STI_OK);
    assert_int_equal(modes->contacts[2].choice_count, 3);
    assert_int_equal(modes->mode_count, 3);
    assert_int_equal(modes->strict_count, 1);
    assert_int_equal(modes->modes[sti_modes_find(modes, "jjl")].fit, STI_MODE_STRICT);  // slips along +x: 2 a = 3 - 2
    assert_near(sti_rationals_double(modes->modes[sti_modes_find(modes, "jjl")].solution->point, 0), 0.5, 0);
    assert_int_equal(sti_verify_modes(m.env, a, NULL, modes, &v), STI_OK);
    assert_true(v.accepted);
    sti_modes_destroy(modes);
    sti_instant_destroy(m.env, a);
    machine_close(&m);
}

static void a_pressed_contact_that_is_not_alone_is_refused(void** state) {
    (void)state;
    sti_joint_axis axis = plain_axis();
    axis.friction = 2;
    machine m = machine_open(STI_JOINT_PRISMATIC, &axis, weightless, 0);
    sti_instant* a = instant_now(&m);
    double F[4], M[16], n[4] = {0, 0, 1, 1};
    for (int k = 0; k < 3; k++) {
        sti_instant wrong = *a;
        sti_instant_contact contacts[3];
        memcpy(F, a->F, sizeof F);
        memcpy(M, a->M, sizeof M);
        memcpy(contacts, a->contacts, sizeof contacts);
        wrong.F = F;
        wrong.M = M;
        wrong.contacts = contacts;
        assert_int_equal(sti_instant_check(m.env, &wrong), STI_OK);
        if (k == 0) F[3] = -1;
        if (k == 1) M[3] = M[12] = 0.1;
        if (k == 2) contacts[0].n = n;
        assert_int_equal(sti_instant_check(m.env, &wrong), STI_ERR_INPUT);
        assert_non_null(strstr(sti_env_error(m.env)->text, "pressed"));
    }
    sti_instant_destroy(m.env, a);
    machine_close(&m);
}

// Two fingers on motors hold a box between them: friction has to carry its weight, 2 mu force >= m g.
static void two_motors_hold_a_box(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 2);
    sti_bodies_set_pair(bodies, 0, 0, 0.5, 0);
    const double mass = 1000 * 0.2 * 0.2, force = 600;
    const int box = add_box(env, bodies, 0.1, 0.1, 0, sti_pose_planar(0, 0, 0));
    for (int side = -1; side <= 1; side += 2) {
        const int finger = add_box(env, bodies, 0.02, 0.05, 0, sti_pose_planar(0.12 * side, 0, 0));
        sti_joint joint = sti_joint_default(STI_JOINT_PRISMATIC, -1, finger);
        const double point[3] = {0, 0, 0}, axis[3] = {-side, 0, 0};
        joint.axis[0].motor_speed = 0.1;
        joint.axis[0].motor_force = force;
        assert_int_equal(sti_joint_place(bodies, point, axis, &joint), STI_OK);
        assert_int_equal(sti_bodies_add_joint(bodies, &joint, NULL), STI_OK);
    }
    sti_world* world;
    sti_instant* a;
    sti_sticking* s;
    assert_int_equal(sti_world_create(env, bodies, NULL, &world), STI_OK);
    assert_int_equal(sti_world_instant(env, world, 1e-9, &a), STI_OK);
    assert_int_equal(sti_sticking_create(env, a, NULL, &s), STI_OK);
    assert_int_equal(s->answer.outcome, STI_STICKING_YES);
    assert_near(s->least_common.mu, mass * GRAVITY / (2 * force), 1e-8);
    double v[3], w[3];
    for (int k = 0; k < 20; k++) assert_int_equal(sti_world_step(world, NULL), STI_OK);
    sti_world_velocity(world, box, v, w);
    assert_true(v[0] == 0 && v[1] == 0 && w[2] == 0);
    sti_sticking_destroy(s);
    sti_instant_destroy(env, a);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void forces_survive_every_failed_allocation(void** state) {
    (void)state;
    sti_joint_axis axis = plain_axis();
    axis.friction = 2;
    axis.mu = 0.1;
    axis.motor_force = 1;
    machine m = machine_open(STI_JOINT_REVOLUTE, &axis, (const double[3]){0, -1, 0}, 0);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_instant* a;
        const sti_status status = sti_world_instant(f.env, m.world, 1e-9, &a);
        if (status != STI_OK) {
            assert_int_equal(status, STI_ERR_MEMORY);
            assert_null(a);
        } else {
            assert_int_equal(a->n, 5);
        }
        sti_instant_destroy(f.env, a);
        if (failing_env_close(&f)) break;
    }
    machine_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_motor_below_its_speed_pushes_with_all_it_has),
        cmocka_unit_test(dry_friction_holds_up_to_its_bound),
        cmocka_unit_test(friction_of_a_joint_that_moves_is_a_known_force),
        cmocka_unit_test(friction_of_a_slider_is_mu_times_its_reaction),
        cmocka_unit_test(friction_of_a_pin_is_mu_radius_times_its_reaction),
        cmocka_unit_test(bounded_forces_are_told_from_surfaces),
        cmocka_unit_test(a_pressed_contact_that_is_not_alone_is_refused),
        cmocka_unit_test(two_motors_hold_a_box),
        cmocka_unit_test(forces_survive_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
