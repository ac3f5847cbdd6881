// place.c: bodies in space, rows on their velocities, masses.
//
// A body is where its centre of mass x and its axes R are. Its velocity (v, w) has v in world axes and w in body axes,
// so the point p of it moves with v + R w x (p - x), along e with
//
//     e'(v + R w x (p - x)) = e'v + w' R'((p - x) x e):           row (e ; R'((p - x) x e))
//
// In the plane w is one number and the row is (e_x, e_y, (p - x) x e).
#include "bodies/bodies.h"
#include "linalg/vec3.h"

// ---- places

static void normalise(double q[4]) {
    const double s = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) q[k] /= s;
}

static void set_rotation(sti_placed* placed) {
    sti_pose pose = {.x = {0}};
    memcpy(pose.q, placed->q, sizeof pose.q);
    sti_pose_rotation(&pose, placed->R);
}

void sti_placed_from_pose(const sti_body_mass* mass, const sti_pose* pose, sti_placed* out) {
    double c[3];
    memcpy(out->q, pose->q, sizeof out->q);
    normalise(out->q);
    set_rotation(out);
    mul3(out->R, mass->centre, c);
    for (int k = 0; k < 3; k++) out->x[k] = pose->x[k] + c[k];
}

void sti_placed_to_pose(const sti_body_mass* mass, const sti_placed* placed, sti_pose* out) {
    double c[3];
    mul3(placed->R, mass->centre, c);
    sub3(placed->x, c, out->x);
    memcpy(out->q, placed->q, sizeof out->q);
}

// q exp(phi / 2): half the angle, t = |phi| / 2, makes (cos t, sin t / |phi| phi). What does not turn keeps its bits.
void sti_placed_move(int dim, const double* d, sti_placed* placed) {
    double phi[3] = {0, 0, 0};
    if (dim == 2) {
        phi[2] = d[2];
    } else {
        memcpy(phi, d + 3, sizeof phi);
    }
    for (int k = 0; k < dim; k++) placed->x[k] += d[k];
    const double angle = dim == 2 ? fabs(phi[2]) : norm3(phi);
    if (!(angle > 0)) return;
    const double s = sin(0.5 * angle) / angle;
    const double turn[4] = {cos(0.5 * angle), s * phi[0], s * phi[1], s * phi[2]};
    double q[4];
    quaternion_product(placed->q, turn, q);
    normalise(q);
    memcpy(placed->q, q, sizeof q);
    set_rotation(placed);
}

// ---- rows

// One side: sign (e ; R'((p - x) x e)). Returns the number of the body, -1 where nothing moves.
static int point_side(const sti_world* world, int body, const double* p, const double* e, double sign, double j[6]) {
    for (int k = 0; k < 6; k++) j[k] = 0;
    if (!sti_body_moves(world, body)) return -1;
    const sti_placed* at = &world->placed[body];
    double arm[3], moment[3];
    sub3(p, at->x, arm);
    cross3(arm, e, moment);
    if (world->dim == 2) {
        j[0] = sign * e[0];
        j[1] = sign * e[1];
        j[2] = sign * moment[2];
        return body;
    }
    for (int k = 0; k < 3; k++) j[k] = sign * e[k];
    mul3_transposed(at->R, moment, j + 3);
    for (int k = 3; k < 6; k++) j[k] *= sign;
    return body;
}

static int turn_side(const sti_world* world, int body, const double* e, double sign, double j[6]) {
    for (int k = 0; k < 6; k++) j[k] = 0;
    if (!sti_body_moves(world, body)) return -1;
    if (world->dim == 2) {
        j[2] = sign * e[2];
        return body;
    }
    mul3_transposed(world->placed[body].R, e, j + 3);
    for (int k = 3; k < 6; k++) j[k] *= sign;
    return body;
}

void sti_row_point(const sti_world* world, int a, int b, const double point_a[3], const double point_b[3],
                   const double e[3], sti_row* row) {
    row->wide = false;
    row->a = point_side(world, a, point_a, e, 1, row->ja);
    row->b = point_side(world, b, point_b, e, -1, row->jb);
}

void sti_row_turn(const sti_world* world, int a, int b, const double e[3], sti_row* row) {
    row->wide = false;
    row->a = turn_side(world, a, e, 1, row->ja);
    row->b = turn_side(world, b, e, -1, row->jb);
}

void sti_world_surface(const sti_world* world, int body, const double point[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = 0;
    if (body < 0 || world->slot[body] >= 0) return;
    const sti_body* fixed = &world->bodies->body[body];
    double arm[3], turn[3];
    sub3(point, world->placed[body].x, arm);
    cross3(fixed->w, arm, turn);
    for (int k = 0; k < world->dim; k++) out[k] = fixed->v[k] + turn[k];
}

// ---- products

static const double* velocity_of(const sti_world* world, int body, const double* v) {
    return v + (size_t)world->nv * (size_t)world->slot[body];
}

double sti_row_apply(const sti_world* world, const sti_row* row, const double* v) {
    double s = 0;
    if (row->a >= 0) {
        const double* va = velocity_of(world, row->a, v);
        for (int k = 0; k < world->nv; k++) s += row->ja[k] * va[k];
    }
    if (row->b >= 0) {
        const double* vb = velocity_of(world, row->b, v);
        for (int k = 0; k < world->nv; k++) s += row->jb[k] * vb[k];
    }
    for (int side = 2; side < sti_row_sides(row); side++) {
        const double* j;
        const int body = sti_row_side(row, side, &j);
        if (body < 0) continue;
        const double* vc = velocity_of(world, body, v);
        for (int k = 0; k < world->nv; k++) s += j[k] * vc[k];
    }
    return s;
}

void sti_row_add(const sti_world* world, const sti_row* row, double s, double* f) {
    for (int side = 0; side < sti_row_sides(row); side++) {
        const double* j;
        const int body = sti_row_side(row, side, &j);
        if (body < 0) continue;
        double* fb = f + (size_t)world->nv * (size_t)world->slot[body];
        for (int k = 0; k < world->nv; k++) fb[k] += s * j[k];
    }
}

// M_b^-1 of one body
static void body_solve(const sti_world* world, int body, const double* f, double* v) {
    const sti_body_mass* mass = &world->bodies->mass[body];
    if (world->dim == 2) {
        v[0] = f[0] / mass->mass;
        v[1] = f[1] / mass->mass;
        v[2] = f[2] * mass->inverse[8];
        return;
    }
    double turn[3];
    mul3(mass->inverse, f + 3, turn);
    for (int k = 0; k < 3; k++) {
        v[k] = f[k] / mass->mass;
        v[k + 3] = turn[k];
    }
}

double sti_row_mass(const sti_world* world, const sti_row* row, const sti_row* other) {
    double s = 0;
    for (int i = 0; i < sti_row_sides(row); i++) {
        const double *j, *j_other;
        const int body = sti_row_side(row, i, &j);
        for (int k = 0; k < sti_row_sides(other); k++) {
            if (body < 0 || body != sti_row_side(other, k, &j_other)) continue;
            double x[6];
            body_solve(world, body, j_other, x);
            for (int m = 0; m < world->nv; m++) s += j[m] * x[m];
        }
    }
    return s;
}

void sti_world_mass_solve(const sti_world* world, const double* f, double* v) {
    for (int body = 0; body < world->bodies->count; body++) {
        if (world->slot[body] < 0) continue;
        const size_t at = (size_t)world->nv * (size_t)world->slot[body];
        body_solve(world, body, f + at, v + at);
    }
}

// ---- energies

double sti_body_kinetic(const sti_world* world, int body, const double* v) {
    if (world->slot[body] < 0) return 0;
    const sti_body_mass* mass = &world->bodies->mass[body];
    const double* u = velocity_of(world, body, v);
    if (world->dim == 2) return 0.5 * (mass->mass * (u[0] * u[0] + u[1] * u[1]) + mass->inertia[8] * u[2] * u[2]);
    double L[3];
    mul3(mass->inertia, u + 3, L);
    return 0.5 * (mass->mass * dot3(u, u) + dot3(u + 3, L));
}

double sti_world_kinetic(const sti_world* world, const double* v) {
    double sum = 0;
    for (int body = 0; body < world->bodies->count; body++) sum += sti_body_kinetic(world, body, v);
    return sum;
}
