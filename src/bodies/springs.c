// springs.c: forces that are given: gravity, pushes of the caller, springs of joints and between points; their energy.
//
// A spring acts along one row: the derivative of a length or of a joint's coordinate c,
//
//     force = -stiffness (c - rest) - damping c',      f += force row',      K = stiffness row' row,
//         D = damping row' row
//
// K is the part of the derivative of the force that is positive semidefinite whatever the state. The turning of the row
// itself, force times the second derivative of c, is not: it is negative for a spring pressed together, where an
// implicit step would lose its minimum. Of a spring between points its positive parts are kept, each as a row without
// force:
//
//     across the line of a stretched spring     stiffness (1 - rest / distance):    the tension pulls the line straight
//     turning of a body under the force f e     f (r'e 1 - (r e' + e r') / 2):      at the arm r from its centre
//
// The second is the work of f along the curve on which its point goes, x + r + theta x r + 1/2 theta x (theta x r). Its
// eigenvalues are f (r_e + |r|) / 2, f (r_e - |r|) / 2 in the plane of r and e, and f r_e about their normal; the first
// is never negative, the second never positive. Without it a body that hangs on a strong spring would swing by radians
// in a step.
#include <math.h>

#include "bodies/bodies.h"
#include "linalg/vec3.h"

#define SLIGHT 1e-9  // of an arm: no row

static void spring_point(const sti_world* world, int body, const double at[3], double p[3]) {
    if (body < 0) {
        memcpy(p, at, 3 * sizeof *p);
        return;
    }
    const sti_placed* placed = &world->placed[body];
    double arm[3];
    sub3(at, world->bodies->mass[body].centre, arm);
    mul3(placed->R, arm, p);
    for (int k = 0; k < 3; k++) p[k] += placed->x[k];
}

// p_A, p_B, and the unit vector from the first to the second; its length, 0 where there is none.
static double spring_line(const sti_world* world, const sti_spring* spring, double pa[3], double pb[3], double e[3]) {
    spring_point(world, spring->a, spring->at_a, pa);
    spring_point(world, spring->b, spring->at_b, pb);
    sub3(pb, pa, e);
    const double distance = norm3(e);
    for (int k = 0; distance > 0 && k < 3; k++) e[k] /= distance;
    return distance;
}

// Directions across the unit vector e.
static void across(int dim, const double e[3], double t1[3], double t2[3]) {
    if (dim == 3) {
        sti_tangent_frame(e, t1, t2);
        return;
    }
    t1[0] = -e[1];
    t1[1] = e[0];
    t1[2] = 0;
}

// The force f e (f > 0) turns a body towards itself: rows of that stiffness, at most dim - 1.
static int turning_soft(const sti_world* world, int body, const double point[3], const double e[3], double f,
                        sti_soft* soft) {
    double r[3], t[3], n[3] = {0, 0, 1};
    int count = 0;
    if (!sti_body_moves(world, body)) return 0;
    sub3(point, world->placed[body].x, r);
    const double along = dot3(r, e), length = norm3(r);
    for (int k = 0; k < 3; k++) t[k] = r[k] - along * e[k];
    const double aside = norm3(t), most = (along + length) / 2;
    if (world->dim == 3 && most > SLIGHT * length) {
        double axis[3];
        if (aside > SLIGHT * length) {
            for (int k = 0; k < 3; k++) t[k] /= aside;
            cross3(e, t, n);
        } else {
            sti_tangent_frame(e, t, n);
        }
        const double scale = hypot(aside / 2, most);
        for (int k = 0; k < 3; k++) axis[k] = (most * t[k] - aside / 2 * e[k]) / scale;
        soft[count] = (sti_soft){.stiffness = f * most};
        sti_row_turn(world, body, -1, axis, &soft[count++].row);
    }
    if (along > SLIGHT * length) {
        soft[count] = (sti_soft){.stiffness = f * along};
        sti_row_turn(world, body, -1, n, &soft[count++].row);
    }
    return count;
}

// Between points that coincide a spring with a length of its own has no direction to push in, and does not; one of
// length 0 pulls all ways alike.
static int spring_soft(const sti_world* world, const sti_spring* spring, const double* v, sti_soft* soft) {
    double pa[3], pb[3], t[3][3];
    const double distance = spring_line(world, spring, pa, pb, t[0]);
    if ((spring->stiffness == 0 && spring->damping == 0) || (distance == 0 && spring->rest > 0)) return 0;
    if (distance == 0) {
        t[0][0] = 1;
        t[0][1] = t[0][2] = 0;
    }
    across(world->dim, t[0], t[1], t[2]);
    const double pull = distance > 0 ? spring->stiffness * (1 - spring->rest / distance) : spring->stiffness;
    sti_row_point(world, spring->b, spring->a, pb, pa, t[0], &soft[0].row);
    soft[0].stiffness = spring->stiffness;
    soft[0].damping = spring->damping;
    soft[0].force =
        -spring->stiffness * (distance - spring->rest) - spring->damping * sti_row_apply(world, &soft[0].row, v);
    int count = 1;
    for (int k = 1; k < world->dim && pull > 0; k++) {
        soft[count] = (sti_soft){.stiffness = pull};
        sti_row_point(world, spring->b, spring->a, pb, pa, t[k], &soft[count++].row);
    }
    const double tension = spring->stiffness * (distance - spring->rest), back[3] = {-t[0][0], -t[0][1], -t[0][2]};
    if (tension == 0) return count;
    count += turning_soft(world, spring->a, pa, tension > 0 ? t[0] : back, fabs(tension), soft + count);
    return count + turning_soft(world, spring->b, pb, tension > 0 ? back : t[0], fabs(tension), soft + count);
}

static bool joint_moves(const sti_world* world, const sti_joint* joint) {
    return sti_body_moves(world, joint->a) || sti_body_moves(world, joint->b);
}

int sti_world_soft_count(const sti_world* world) {
    return (3 * world->dim - 2) * world->bodies->spring_count + 2 * world->bodies->joint_count;
}

int sti_world_soft(const sti_world* world, const double* v, sti_soft* soft) {
    const sti_bodies* bodies = world->bodies;
    int count = 0;
    for (int i = 0; i < bodies->joint_count; i++) {
        const sti_joint* joint = &bodies->joint[i];
        const int axes = joint_moves(world, joint) ? sti_joint_axis_count(world->dim, joint->kind) : 0;
        for (int k = 0; k < axes; k++) {
            const sti_joint_axis* axis = &world->axis[2 * (size_t)i + (size_t)k];
            if (axis->stiffness == 0 && axis->damping == 0) continue;
            sti_soft* s = &soft[count++];
            const double c = sti_joint_coordinate(world, i, k, &s->row);
            s->stiffness = axis->stiffness;
            s->damping = axis->damping;
            s->force = -axis->stiffness * (c - axis->rest) - axis->damping * sti_row_apply(world, &s->row, v);
        }
    }
    for (int i = 0; i < bodies->spring_count; i++) {
        const sti_spring* spring = &bodies->spring[i];
        if (sti_body_moves(world, spring->a) || sti_body_moves(world, spring->b))
            count += spring_soft(world, spring, v, soft + count);
    }
    return count;
}

void sti_world_gravity(const sti_world* world, double* f) {
    for (int body = 0; body < world->bodies->count; body++) {
        const int slot = world->slot[body];
        if (slot < 0) continue;
        const double* push = world->push + 6 * (size_t)slot;
        double* fb = f + (size_t)world->nv * (size_t)slot;
        for (int k = 0; k < world->dim; k++)
            fb[k] += world->bodies->mass[body].mass * world->bodies->gravity[k] + push[k];
        if (world->dim == 2) {
            fb[2] += push[5];
        } else {
            double torque[3];
            mul3_transposed(world->placed[body].R, push + 3, torque);
            axpy3(1, torque, fb + 3);
        }
    }
}

// One entry: with a, or with b where a does not move.
static double add_energy(const sti_world* world, double* by_body, int a, int b, double energy) {
    if (by_body != NULL) by_body[sti_body_moves(world, a) ? a : b] += energy;
    return energy;
}

double sti_world_potential(const sti_world* world, double* by_body) {
    const sti_bodies* bodies = world->bodies;
    double sum = 0;
    if (by_body != NULL) memset(by_body, 0, (size_t)bodies->count * sizeof *by_body);
    for (int body = 0; body < bodies->count; body++) {
        if (world->slot[body] < 0) continue;
        sum += add_energy(world, by_body, body, body,
                          -bodies->mass[body].mass * dot3(bodies->gravity, world->placed[body].x));
    }
    for (int i = 0; i < bodies->joint_count; i++) {
        const sti_joint* joint = &bodies->joint[i];
        const int axes = joint_moves(world, joint) ? sti_joint_axis_count(world->dim, joint->kind) : 0;
        for (int k = 0; k < axes; k++) {
            const sti_joint_axis* axis = &world->axis[2 * (size_t)i + (size_t)k];
            if (axis->stiffness == 0) continue;
            const double c = sti_joint_coordinate(world, i, k, NULL) - axis->rest;
            sum += add_energy(world, by_body, joint->a, joint->b, 0.5 * axis->stiffness * c * c);
        }
    }
    for (int i = 0; i < bodies->spring_count; i++) {
        const sti_spring* spring = &bodies->spring[i];
        double pa[3], pb[3], e[3];
        const double stretch = spring_line(world, spring, pa, pb, e) - spring->rest;
        if (sti_body_moves(world, spring->a) || sti_body_moves(world, spring->b))
            sum += add_energy(world, by_body, spring->a, spring->b, 0.5 * spring->stiffness * stretch * stretch);
    }
    return sum;
}
