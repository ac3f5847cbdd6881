// run_shapes.c: of a recorded run: joints and overlaps, from the joints and shapes of the scene at the recorded poses.
//
// Of a joint the distance of its points is looked at, or what of it the joint does not leave free; that of its
// axes is not. Overlaps are those of all shapes whose boxes overlap, but of bodies that were told to ignore each other
// or that a joint connects; those of the start are the caller's, and counted by themselves. Distances of shapes are
// those of the room `shapes`, in which contacts are found as well: the one thing that this check has in common with the
// stepper.
#include <stdint.h>
#include <stdlib.h>

#include "verify/run.h"

// ---- joints

static void place_of(const sti_run_data* k, long frame, int body, const sti_pose* at, double p[3], double axis[3],
                     bool plane) {
    const sti_pose here = body >= 0 ? sti_run_pose(k, frame, body) : sti_pose_identity();
    const sti_pose whole = sti_pose_compose(&here, at);
    double R[9];
    sti_pose_rotation(&whole, R);
    for (int i = 0; i < 3; i++) {
        p[i] = whole.x[i];
        axis[i] = R[3 * i + (plane ? 0 : 2)];  // slides along z, in the plane along x
    }
}

// How far the points of a joint are from where they should be; negative: it says nothing about them.
static double opening_of(const sti_run_data* k, long frame, const sti_joint* joint) {
    double a[3], b[3], axis[3], other[3], d[3];
    const bool plane = k->w->dim == 2;
    place_of(k, frame, joint->a, &joint->at_a, a, axis, plane);
    place_of(k, frame, joint->b, &joint->at_b, b, other, plane);
    for (int i = 0; i < 3; i++) d[i] = b[i] - a[i];
    const double along = sti_run_dot(d, axis), far = sti_run_norm(d);
    switch (joint->kind) {
        case STI_JOINT_FIXED:
        case STI_JOINT_REVOLUTE:
        case STI_JOINT_SPHERICAL:
            return far;
        case STI_JOINT_PRISMATIC:
        case STI_JOINT_CYLINDRICAL:
            for (int i = 0; i < 3; i++) d[i] -= along * axis[i];
            return sti_run_norm(d);
        case STI_JOINT_PLANAR:
            return fabs(along);
        case STI_JOINT_DISTANCE:
            return fabs(far - joint->length);
        default:
            return -1;
    }
}

static void check_joints(sti_run_data* k, long frame) {
    for (int j = 0; j < sti_bodies_joint_count(k->options->bodies); j++) {
        const double open = opening_of(k, frame, sti_bodies_joint(k->options->bodies, j));
        if (open >= 0) sti_run_look(k, STI_RUN_JOINT, open, k->frames_before + frame, j);
    }
}

// ---- overlaps

static uint64_t pair_of(int a, int b) {
    return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

static int compare(const void* a, const void* b) {
    const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

sti_status sti_run_find_apart(sti_run_data* k) {
    const sti_bodies* bodies = k->options->bodies;
    if (bodies == NULL) return STI_OK;
    const int joints = sti_bodies_joint_count(bodies), ignored = sti_bodies_ignored_count(bodies);
    sti_run_pairs* out = &k->apart;
    *out = (sti_run_pairs){.pair = sti_alloc_array(k->env, (size_t)joints + (size_t)ignored, sizeof *out->pair)};
    if (out->pair == NULL) return STI_ERR_MEMORY;
    for (int j = 0; j < joints; j++) {
        const sti_joint* joint = sti_bodies_joint(bodies, j);
        if (joint->a >= 0 && joint->b >= 0 && !joint->collide && joint->kind != STI_JOINT_GEAR)
            out->pair[out->count++] = pair_of(joint->a, joint->b);
    }
    for (int i = 0; i < ignored; i++) {
        int a, b;
        sti_bodies_ignored(bodies, i, &a, &b);
        out->pair[out->count++] = pair_of(a, b);
    }
    if (out->count > 1) qsort(out->pair, (size_t)out->count, sizeof *out->pair, compare);
    return STI_OK;
}

static void check_pair(sti_run_data* k, long frame, int s, int t) {
    sti_shape_contact found[STI_SHAPE_MAX_POINTS];
    sti_pose in_a, in_b;
    int a, b, count = 0;
    const sti_shape* of_a = sti_bodies_shape(k->options->bodies, s, &a, &in_a, NULL);
    const sti_shape* of_b = sti_bodies_shape(k->options->bodies, t, &b, &in_b, NULL);
    const uint64_t pair = pair_of(a, b);
    if (a == b || (k->w->fixed[a] && k->w->fixed[b])) return;
    if (k->apart.count > 0 && bsearch(&pair, k->apart.pair, (size_t)k->apart.count, sizeof pair, compare) != NULL)
        return;
    const sti_pose body_a = sti_run_pose(k, frame, a), body_b = sti_run_pose(k, frame, b);
    const sti_pose at_a = sti_pose_compose(&body_a, &in_a), at_b = sti_pose_compose(&body_b, &in_b);
    double least = 0;
    const sti_status status = sti_shape_contacts(of_a, &at_a, of_b, &at_b, 0, 4, found, &count);
    for (int i = 0; i < count; i++) least = fmin(least, found[i].gap);
    if (status != STI_OK) least = NAN;  // not known to be apart: not accepted
    const long number = k->frames_before + frame;
    sti_run_look(k, number == 0 ? STI_RUN_START : STI_RUN_PENETRATION, -least, number, k->w->fixed[a] ? t : s);
}

static int compare_sweep(const void* a, const void* b) {
    const sti_run_sweep *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return x->shape < y->shape ? -1 : x->shape > y->shape;
}

static bool overlap(const sti_aabb* a, const sti_aabb* b) {
    for (int i = 1; i < 3; i++) {
        if (a->lower[i] > b->upper[i] || b->lower[i] > a->upper[i]) return false;
    }
    return true;
}

// Boxes sorted along x: each against those that begin before it ends.
static void check_all(sti_run_data* k, long frame) {
    const int shapes = sti_bodies_shape_count(k->options->bodies);
    for (int s = 0; s < shapes; s++) {
        int body;
        sti_pose in_body;
        sti_aabb* box = &k->box[s];
        const sti_shape* shape = sti_bodies_shape(k->options->bodies, s, &body, &in_body, NULL);
        const sti_pose here = sti_run_pose(k, frame, body), at = sti_pose_compose(&here, &in_body);
        if (sti_shape_bounds(shape, &at, 0, box) != STI_OK)
            for (int i = 0; i < 3; i++) box->lower[i] = -(box->upper[i] = INFINITY);
        k->sweep[s] = (sti_run_sweep){.low = box->lower[0], .high = box->upper[0], .shape = s};
    }
    if (shapes > 1) qsort(k->sweep, (size_t)shapes, sizeof *k->sweep, compare_sweep);
    for (int s = 0; s < shapes; s++) {
        for (int t = s + 1; t < shapes && k->sweep[t].low <= k->sweep[s].high; t++) {
            const int a = k->sweep[s].shape, b = k->sweep[t].shape;
            if (overlap(&k->box[a], &k->box[b])) check_pair(k, frame, a < b ? a : b, a < b ? b : a);
        }
    }
}

sti_status sti_run_check_shapes(sti_run_data* k, long frame) {
    if (k->options->bodies == NULL) return STI_OK;
    check_joints(k, frame);
    check_all(k, frame);
    return sti_check_time(k->env, "looking for overlaps in recorded frames");
}
