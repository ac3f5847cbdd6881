// settle.c: a world after a step as an instant whose velocities hold its joints and closed contacts.
#include <math.h>

#include "bodies/bodies.h"

// Of the velocities of an instant, those of a body: its centre's and its spin, along the axes of the world.
static sti_status set_velocity(sti_world* world, int body, const double* of) {
    sti_pose pose;
    double R[9], v[3] = {0, 0, 0}, w[3] = {0, 0, 0};
    sti_world_pose(world, body, &pose);
    sti_pose_rotation(&pose, R);
    for (int i = 0; i < world->dim; i++) v[i] = of[i];
    if (world->dim == 2) w[2] = of[2];
    for (int i = 0; world->dim == 3 && i < 3; i++) {
        for (int l = 0; l < 3; l++) w[i] += R[3 * i + l] * of[3 + l];
    }
    return sti_world_set(world, body, NULL, v, w);
}

static sti_status set_velocities(sti_world* world, const sti_instant* of) {
    const int size = world->dim == 2 ? 3 : 6;
    sti_status status = STI_OK;
    for (int body = 0, at = 0; status == STI_OK && body < world->bodies->count; body++) {
        if (world->bodies->body[body].fixed || at + size > of->n) continue;
        status = set_velocity(world, body, of->v + at);
        at += size;
    }
    return status;
}

static sti_status copy_world(sti_env* env, const sti_world* world, sti_world** out) {
    sti_world_options options = world->options;
    void* bytes = NULL;
    size_t size = 0;
    options.start_as_given = true;
    sti_status status = sti_world_create(env, world->bodies, &options, out);
    if (status == STI_OK) status = sti_world_save_state(world, &bytes, &size);
    if (status == STI_OK) status = sti_world_load_state(*out, bytes, size);
    sti_env_free(world->env, bytes);
    return status;
}

sti_status sti_world_instant_settled(sti_env* env, const sti_world* world, double gap_tol, sti_instant_settled* told,
                                     sti_instant** out) {
    double g[3];
    sti_settle_options options = sti_settle_options_default();
    sti_world* copy = NULL;
    sti_instant *as_it_is = NULL, *first = NULL;
    *out = NULL;
    sti_bodies_gravity(world->bodies, g);
    options.gap_tol = gap_tol;
    options.floor = 100 * fmax(world->options.tol, 1e-8) * world->options.h * hypot(hypot(g[0], g[1]), g[2]);
    sti_status status = copy_world(env, world, &copy);
    if (status == STI_OK) status = sti_world_instant(env, copy, gap_tol, &as_it_is);
    if (status == STI_OK) status = sti_instant_settle(env, as_it_is, &options, told, &first);
    if (status == STI_OK) status = set_velocities(copy, first);
    sti_instant_destroy(env, as_it_is);
    as_it_is = NULL;
    if (status == STI_OK) status = sti_world_instant(env, copy, gap_tol, &as_it_is);
    if (status == STI_OK) status = sti_instant_settle(env, as_it_is, &options, NULL, out);
    sti_instant_destroy(env, first);
    sti_instant_destroy(env, as_it_is);
    sti_world_destroy(copy);
    return status;
}
