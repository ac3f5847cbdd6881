// A box on a slope of 20 degrees. With mu = 0.5 it rests: after 1000 steps every coordinate still has the bits it
// started with. With mu = 0.3 it slides, with the acceleration g (sin a - mu cos a).
#include <math.h>
#include <stdio.h>
#include <stiction/stiction.h>

static const double g = 9.81, slope = 20 * 3.14159265358979323846 / 180;

// The slope is a half-space that never moves, the box stands on it, turned with it.
static sti_bodies* build(sti_env* env, double mu) {
    const double gravity[3] = {0, 0, -g}, normal[3] = {sin(slope), 0, cos(slope)}, half[3] = {0.5, 0.4, 0.3};
    sti_bodies* bodies;
    sti_shape *ground, *cube;
    int wood, floor, box;
    if (sti_bodies_create(env, 3, &bodies) != STI_OK) return NULL;
    sti_bodies_set_gravity(bodies, gravity);

    sti_body body = sti_body_default();
    body.name = "slope";
    body.fixed = true;
    if (sti_bodies_add_material(bodies, &(sti_material){.name = "wood", .mu = mu}, &wood) != STI_OK ||
        sti_bodies_add(bodies, &body, &floor) != STI_OK ||
        sti_shape_create_halfspace(env, 3, normal, 0, &ground) != STI_OK ||
        sti_bodies_add_shape(bodies, floor, ground, NULL, wood) != STI_OK)
        return NULL;

    body = sti_body_default();
    body.name = "box";
    for (int k = 0; k < 3; k++) body.pose.x[k] = half[2] * normal[k];
    body.pose.q[0] = cos(slope / 2);
    body.pose.q[2] = sin(slope / 2);
    if (sti_bodies_add(bodies, &body, &box) != STI_OK || sti_shape_create_box(env, 3, half, &cube) != STI_OK ||
        sti_bodies_add_shape(bodies, box, cube, NULL, wood) != STI_OK)
        return NULL;
    return bodies;
}

// How far the box is from its start after 1000 steps of 0.001; -1: something went wrong.
static double slide(sti_env* env, double mu) {
    sti_world_options options = sti_world_options_default();
    options.h = 0.001;
    sti_world* world;
    sti_bodies* bodies = build(env, mu);
    if (bodies == NULL || sti_world_create(env, bodies, &options, &world) != STI_OK) return -1;
    sti_pose start, end;
    sti_world_report report = {.solved = true};
    sti_world_pose(world, 1, &start);
    while (report.solved && sti_world_steps(world) < 1000)
        if (sti_world_step(world, &report) != STI_OK) return -1;
    sti_world_pose(world, 1, &end);
    const double dx = end.x[0] - start.x[0], dy = end.x[1] - start.x[1], dz = end.x[2] - start.x[2];
    const double moved = report.solved ? sqrt(dx * dx + dy * dy + dz * dz) : -1;
    printf("mu = %.1f: moved %.17g in %g s; last residual %.1e, %d contacts stick\n", mu, moved, sti_world_time(world),
           report.residual, report.sticking);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    return moved;
}

int main(void) {
    sti_env* env;
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    const double rest = slide(env, 0.5), moved = slide(env, 0.3);
    const double exact = 0.5 * g * (sin(slope) - 0.3 * cos(slope));
    const bool good = rest == 0 && fabs(moved - exact) < 0.002 * exact;
    if (!good) fprintf(stderr, "%s, %g expected where it slides\n", sti_env_error(env)->text, exact);
    sti_env_destroy(env);
    return !good;
}
