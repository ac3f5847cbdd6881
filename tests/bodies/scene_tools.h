// scene_tools.h: small scenes for tests of motion, by the public header alone.
#ifndef TESTS_BODIES_SCENE_TOOLS_H
#define TESTS_BODIES_SCENE_TOOLS_H

#include <math.h>
#include <stdio.h>
#include <stiction/bodies.h>
#include <stiction/contact.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/near.h"
#include "support/open_env.h"
#include "support/pose_tools.h"

#define PI 3.14159265358979323846
#define GRAVITY 9.81

// Gravity downwards: -y in the plane, -z in space.
static inline sti_bodies* open_scene(sti_env* env, int dim) {
    sti_bodies* bodies;
    assert_int_equal(sti_bodies_create(env, dim, &bodies), STI_OK);
    const double g[3] = {0, dim == 2 ? -GRAVITY : 0, dim == 3 ? -GRAVITY : 0};
    sti_bodies_set_gravity(bodies, g);
    return bodies;
}

// A half-space that rises to the right by the angle.
static inline int add_ground(sti_env* env, sti_bodies* bodies, double angle) {
    sti_body body = sti_body_default();
    body.name = "ground";
    body.fixed = true;
    int index;
    assert_int_equal(sti_bodies_add(bodies, &body, &index), STI_OK);
    const double n2[2] = {-sin(angle), cos(angle)}, n3[3] = {-sin(angle), 0, cos(angle)};
    sti_shape* shape;
    const int dim = sti_bodies_dim(bodies);
    assert_int_equal(sti_shape_create_halfspace(env, dim, dim == 2 ? n2 : n3, 0, &shape), STI_OK);
    assert_int_equal(sti_bodies_add_shape(bodies, index, shape, NULL, 0), STI_OK);
    return index;
}

static inline int add_shape_body(sti_bodies* bodies, sti_shape* shape, const sti_body* body) {
    int index;
    assert_int_equal(sti_bodies_add(bodies, body, &index), STI_OK);
    assert_int_equal(sti_bodies_add_shape(bodies, index, shape, NULL, 0), STI_OK);
    return index;
}

static inline int add_box(sti_env* env, sti_bodies* bodies, double a, double b, double c, sti_pose pose) {
    const double half[3] = {a, b, c};
    sti_shape* shape;
    assert_int_equal(sti_shape_create_box(env, sti_bodies_dim(bodies), half, &shape), STI_OK);
    sti_body body = sti_body_default();
    body.pose = pose;
    return add_shape_body(bodies, shape, &body);
}

static inline int add_ball(sti_env* env, sti_bodies* bodies, double radius, sti_pose pose, double vx) {
    sti_shape* shape;
    assert_int_equal(sti_shape_create_sphere(env, sti_bodies_dim(bodies), radius, &shape), STI_OK);
    sti_body body = sti_body_default();
    body.pose = pose;
    body.v[0] = vx;
    return add_shape_body(bodies, shape, &body);
}

// A cube of half side a that stands on the slope.
static inline int add_cube_on_slope(sti_env* env, sti_bodies* bodies, double a, double angle) {
    sti_pose pose;
    if (sti_bodies_dim(bodies) == 2) {
        pose = sti_pose_planar(-a * sin(angle), a * cos(angle), angle);
    } else {
        pose = at(-a * sin(angle), 0, a * cos(angle));
        pose.q[0] = cos(angle / 2);
        pose.q[2] = -sin(angle / 2);
    }
    return add_box(env, bodies, a, a, a, pose);
}

static inline int add_joint(sti_bodies* bodies, sti_joint* joint, double x, double y, double z) {
    const double point[3] = {x, y, z}, axis[3] = {0, 1, 0};
    int index;
    assert_int_equal(sti_joint_place(bodies, point, sti_bodies_dim(bodies) == 3 ? axis : NULL, joint), STI_OK);
    assert_int_equal(sti_bodies_add_joint(bodies, joint, &index), STI_OK);
    return index;
}

// A wall that drives a slider against its limit: no velocity obeys both.
static inline sti_bodies* open_driven_slider(sti_env* env, int dim) {
    sti_bodies* bodies = open_scene(env, dim);
    const int box = add_box(env, bodies, 0.1, 0.1, 0.1, at(0, 0, 0));
    sti_body body = sti_body_default();
    body.fixed = true;
    body.v[0] = 1;
    body.pose = at(-0.2, 0, 0);
    const double half[3] = {0.1, 0.1, 0.1}, point[3] = {0}, axis[3] = {1, 0, 0};
    sti_shape* shape;
    assert_int_equal(sti_shape_create_box(env, dim, half, &shape), STI_OK);
    add_shape_body(bodies, shape, &body);
    sti_joint slide = sti_joint_default(STI_JOINT_PRISMATIC, -1, box);
    slide.axis[0].lower = -0.5;
    slide.axis[0].upper = 0;
    assert_int_equal(sti_joint_place(bodies, point, axis, &slide), STI_OK);
    assert_int_equal(sti_bodies_add_joint(bodies, &slide, NULL), STI_OK);
    return bodies;
}

// Two digits more than the default, for the closed forms.
static inline sti_world_options accurate(void) {
    sti_world_options options = sti_world_options_default();
    options.tol = 1e-10;
    return options;
}

// options NULL: accurate()
static inline sti_world* open_world(sti_env* env, const sti_bodies* bodies, const sti_world_options* options) {
    const sti_world_options own = options != NULL ? *options : accurate();
    sti_world* world;
    const sti_status status = sti_world_create(env, bodies, &own, &world);
    if (status != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    return world;
}

// One step: solved, and without energy from nowhere.
static inline sti_world_report step(sti_env* env, sti_world* world) {
    sti_world_report report;
    const sti_status status = sti_world_step(world, &report);
    if (status != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    if (!report.solved) fail_msg("step %ld: residual %g: %s", report.step, report.residual, report.why);
    const double size = fabs(report.kinetic) + fabs(report.potential) + 1;
    if (report.gain > 1e-11 * size) fail_msg("step %ld: gained %g of %g", report.step, report.gain, size);
    return report;
}

static inline double distance(const sti_pose* p, const sti_pose* q) {
    return sqrt((p->x[0] - q->x[0]) * (p->x[0] - q->x[0]) + (p->x[1] - q->x[1]) * (p->x[1] - q->x[1]) +
                (p->x[2] - q->x[2]) * (p->x[2] - q->x[2]));
}

// The verifier, which shares nothing with the solvers, accepts problem and answer of the last step.
static inline void assert_verified(sti_env* env, const sti_world* world, double tol) {
    const sti_contact_answer* answer;
    const sti_contact_problem* problem = sti_world_problem(world, &answer);
    sti_contact_verification v;
    assert_int_equal(sti_verify_contact(env, problem, answer, tol, &v), STI_OK);
    if (!v.accepted) fail_msg("step %ld: %s", sti_world_steps(world), v.text);
}

#endif
