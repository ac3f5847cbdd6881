// pose.c: places of bodies, frames of normals, boxes around shapes.
#include <math.h>

#include "shapes/round.h"

sti_pose sti_pose_identity(void) {
    return (sti_pose){.q = {1, 0, 0, 0}};
}

sti_pose sti_pose_planar(double x, double y, double angle) {
    return (sti_pose){.x = {x, y, 0}, .q = {cos(0.5 * angle), 0, 0, sin(0.5 * angle)}};
}

// R = I + 2 (w [u] + [u][u]) / |q|^2  for q = (w, u)
void sti_pose_rotation(const sti_pose* pose, double R[9]) {
    const double w = pose->q[0], x = pose->q[1], y = pose->q[2], z = pose->q[3];
    const double s = 2 / (w * w + x * x + y * y + z * z);
    R[0] = 1 - s * (y * y + z * z);
    R[1] = s * (x * y - w * z);
    R[2] = s * (x * z + w * y);
    R[3] = s * (x * y + w * z);
    R[4] = 1 - s * (x * x + z * z);
    R[5] = s * (y * z - w * x);
    R[6] = s * (x * z - w * y);
    R[7] = s * (y * z + w * x);
    R[8] = 1 - s * (x * x + y * y);
}

void sti_pose_apply(const sti_pose* pose, const double p[3], double out[3]) {
    double R[9];
    sti_pose_rotation(pose, R);
    vec_store(vec_add(rotate(R, vec_of(p)), vec_of(pose->x)), out);
}

void sti_pose_apply_inverse(const sti_pose* pose, const double p[3], double out[3]) {
    double R[9];
    sti_pose_rotation(pose, R);
    vec_store(rotate_back(R, vec_sub(vec_of(p), vec_of(pose->x))), out);
}

sti_pose sti_pose_compose(const sti_pose* outer, const sti_pose* inner) {
    const double *p = outer->q, *q = inner->q;
    sti_pose out = {.q = {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
                          p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
                          p[0] * q[2] + p[2] * q[0] + p[3] * q[1] - p[1] * q[3],
                          p[0] * q[3] + p[3] * q[0] + p[1] * q[2] - p[2] * q[1]}};
    sti_pose_apply(outer, inner->x, out.x);
    return out;
}

void sti_tangent_frame(const double n[3], double t1[3], double t2[3]) {
    int m = 0;
    for (int k = 1; k < 3; k++) {
        if (fabs(n[k]) < fabs(n[m])) m = k;
    }
    double e[3] = {0, 0, 0};
    e[m] = 1;
    const vec t = vec_axpy(-n[m], vec_of(n), vec_of(e));
    const vec unit = vec_scale(1 / vec_norm(t), t);
    vec_store(unit, t1);
    vec_store(vec_cross(vec_of(n), unit), t2);
}

bool sti_pose_valid(const sti_pose* pose, int dim) {
    double s = 0;
    for (int k = 0; k < 4; k++) s += pose->q[k] * pose->q[k];
    if (!(s > 1e-100 && s < 1e100)) return false;
    for (int k = 0; k < 3; k++) {
        if (!isfinite(pose->x[k])) return false;
    }
    return dim == 3 || (pose->x[2] == 0 && pose->q[1] == 0 && pose->q[2] == 0);
}

// { n'x <= offset }: only a normal along an axis leaves a side bounded.
static void halfspace_bounds(const sti_shape* shape, const sti_pose* pose, const double* R, sti_aabb* out) {
    const vec n = rotate(R, vec_of(shape->plane));
    double c[3];
    vec_store(n, c);
    const double offset = shape->plane[3] + vec_dot(n, vec_of(pose->x));
    for (int k = 0; k < 3; k++) {
        out->lower[k] = -INFINITY;
        out->upper[k] = INFINITY;
        if (fabs(c[(k + 1) % 3]) > 0 || fabs(c[(k + 2) % 3]) > 0) continue;
        if (c[k] > 0) out->upper[k] = offset / c[k];
        if (c[k] < 0) out->lower[k] = offset / c[k];
    }
}

static void grow(const double* R, const double* x, int count, const double* vertex, sti_aabb* out) {
    for (int i = 0; i < count; i++) {
        double p[3];
        vec_store(vec_add(rotate(R, vec_of(vertex + 3 * (size_t)i)), vec_of(x)), p);
        for (int k = 0; k < 3; k++) {
            if (p[k] < out->lower[k])
                out->lower[k] = p[k];  // fmin and fmax would be calls: a third of a robot's contacts
            if (p[k] > out->upper[k]) out->upper[k] = p[k];
        }
    }
}

// A disc of radius r across the axis z reaches r sqrt(1 - z_k^2) along e_k.
static void round_bounds(const sti_shape* shape, const sti_pose* pose, const double* R, sti_aabb* out) {
    for (int k = 0; k < 3; k++) {
        const double z = R[3 * k + 2], flat = hypot(R[3 * k], R[3 * k + 1]), l = shape->half[0];
        out->upper[k] = pose->x[k] + fmax(shape->rim[0] * flat - l * z, shape->rim[1] * flat + l * z);
        out->lower[k] = pose->x[k] - fmax(shape->rim[0] * flat + l * z, shape->rim[1] * flat - l * z);
    }
}

sti_status sti_shape_bounds(const sti_shape* shape, const sti_pose* pose, double margin, sti_aabb* out) {
    for (int k = 0; k < 3; k++) {
        out->lower[k] = INFINITY;
        out->upper[k] = -INFINITY;
    }
    if (!sti_pose_valid(pose, shape->dim) || !isfinite(margin)) return STI_ERR_ARGUMENT;
    double R[9];
    sti_pose_rotation(pose, R);
    if (shape->kind == STI_SHAPE_HALFSPACE) {
        halfspace_bounds(shape, pose, R, out);
    } else if (sti_shape_is_round(shape)) {
        round_bounds(shape, pose, R, out);
    } else if (shape->kind == STI_SHAPE_MESH) {
        grow(R, pose->x, shape->mesh.vertex_count, shape->mesh.vertex, out);
    } else {
        grow(R, pose->x, shape->core.vertex_count, shape->core.vertex, out);
    }
    for (int k = 0; k < 3; k++) {
        out->lower[k] -= margin + shape->radius;
        out->upper[k] += margin + shape->radius;
    }
    if (shape->dim == 2) out->lower[2] = out->upper[2] = 0;
    return STI_OK;
}
