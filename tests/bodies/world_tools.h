// world_tools.h: a world that stands still: places, velocities and what joints remember, without anything that steps
// it.
#ifndef TESTS_BODIES_WORLD_TOOLS_H
#define TESTS_BODIES_WORLD_TOOLS_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "bodies/bodies.h"
#include "support/failing_env.h"
#include "support/near.h"
#include "support/open_env.h"
#include "support/pose_tools.h"

// ---- bodies

static inline sti_bodies* open_bodies(sti_env* env, int dim) {
    sti_bodies* bodies;
    assert_int_equal(sti_bodies_create(env, dim, &bodies), STI_OK);
    return bodies;
}

static inline sti_shape* sphere(sti_env* env, int dim, double radius) {
    sti_shape* shape;
    assert_int_equal(sti_shape_create_sphere(env, dim, radius, &shape), STI_OK);
    return shape;
}

static inline sti_shape* box(sti_env* env, int dim, double x, double y, double z) {
    const double half[3] = {x, y, z};
    sti_shape* shape;
    assert_int_equal(sti_shape_create_box(env, dim, half, &shape), STI_OK);
    return shape;
}

static inline sti_shape* ground(sti_env* env, int dim) {  // z <= 0 in space, y <= 0 in the plane
    const double up[3] = {0, dim == 2 ? 1 : 0, 1};
    sti_shape* shape;
    assert_int_equal(sti_shape_create_halfspace(env, dim, up, 0, &shape), STI_OK);
    return shape;
}

static inline int add_body(sti_bodies* bodies, const char* name, bool fixed, sti_pose pose, sti_shape* shape) {
    sti_body body = sti_body_default();
    int index;
    body.name = name;
    body.fixed = fixed;
    body.pose = pose;
    assert_int_equal(sti_bodies_add(bodies, &body, &index), STI_OK);
    if (shape != NULL) assert_int_equal(sti_bodies_add_shape(bodies, index, shape, NULL, 0), STI_OK);
    return index;
}

// A body with a given mass whose centre is off its origin and whose inertia is not diagonal.
static inline int add_lump(sti_bodies* bodies, sti_rng* rng, sti_pose pose) {
    sti_body body = sti_body_default();
    int index;
    body.pose = pose;
    body.density = 0;
    body.mass = between(rng, 0.5, 2);
    for (int k = 0; k < sti_bodies_dim(bodies); k++) body.centre[k] = between(rng, -0.3, 0.3);
    const double I[9] = {2, 0.1, 0.2, 0.1, 1.5, -0.1, 0.2, -0.1, 1};
    memcpy(body.inertia, I, sizeof I);
    assert_int_equal(sti_bodies_add(bodies, &body, &index), STI_OK);
    return index;
}

// ---- a world at rest

static inline void* zeros(size_t count, size_t size) {
    void* p = calloc(count + 1, size);
    assert_non_null(p);
    return p;
}

static inline void world_open(sti_world* world, sti_env* env, const sti_bodies* bodies) {
    *world = (sti_world){.env = env, .bodies = bodies, .dim = bodies->dim, .size = 1};
    const size_t n = (size_t)bodies->count, joints = (size_t)bodies->joint_count;
    world->nv = bodies->dim == 2 ? 3 : 6;
    world->options.points = 4;
    world->slot = zeros(n, sizeof *world->slot);
    world->placed = zeros(n, sizeof *world->placed);
    for (int i = 0; i < bodies->count; i++) {
        world->slot[i] = bodies->body[i].fixed ? -1 : world->moving++;
        sti_placed_from_pose(&bodies->mass[i], &bodies->body[i].pose, &world->placed[i]);
    }
    world->v = zeros((size_t)world->moving * 6, sizeof(double));
    world->push = zeros((size_t)world->moving * 6, sizeof(double));
    world->axis = zeros(2 * joints, sizeof *world->axis);
    world->turned = zeros(2 * joints, sizeof(double));
    world->gear_value = zeros(joints, sizeof(double));
    for (size_t i = 0; i < joints; i++) memcpy(world->axis + 2 * i, bodies->joint[i].axis, 2 * sizeof *world->axis);
    sti_world_turned_update(world);
}

static inline void world_close(sti_world* world) {
    sti_world_detect_destroy(world);
    sti_free(world->env, world->contact);
    free(world->slot);
    free(world->placed);
    free(world->v);
    free(world->push);
    free(world->axis);
    free(world->turned);
    free(world->gear_value);
}

// All bodies move for the time t with the velocities v.
static inline void world_move(sti_world* world, double t, const double* v) {
    for (int i = 0; i < world->bodies->count; i++) {
        if (world->slot[i] < 0) continue;
        double d[6];
        for (int k = 0; k < world->nv; k++) d[k] = t * v[world->nv * world->slot[i] + k];
        sti_placed_move(world->dim, d, &world->placed[i]);
    }
}

static inline void random_velocity(sti_rng* rng, const sti_world* world, double* v) {
    for (int k = 0; k < world->moving * world->nv; k++) v[k] = between(rng, -1, 1);
}

#endif
