// shape_tools.h: random shapes and poses, and checks that know nothing of the pair tests.
#ifndef TESTS_SHAPES_SHAPE_TOOLS_H
#define TESTS_SHAPES_SHAPE_TOOLS_H

#include <math.h>
#include <stdio.h>
#include <stiction/shapes.h>
#include <string.h>

#include "base/rng.h"
#include "support/failing_env.h"
#include "support/near.h"
#include "support/open_env.h"
#include "support/pose_tools.h"

static inline double dot3(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// A bounded convex shape of any kind, about one in size.
static inline sti_shape* random_convex(sti_env* env, sti_rng* rng, int dim, int kind) {
    sti_shape* shape = NULL;
    double half[3], points[3 * 24];
    switch (kind) {
        case 0:
            assert_int_equal(sti_shape_create_sphere(env, dim, between(rng, 0.1, 1), &shape), STI_OK);
            break;
        case 1:
            assert_int_equal(sti_shape_create_capsule(env, dim, between(rng, 0.1, 1), between(rng, 0.1, 0.5), &shape),
                             STI_OK);
            break;
        case 2:
            for (int k = 0; k < 3; k++) half[k] = between(rng, 0.1, 1);
            assert_int_equal(sti_shape_create_box(env, dim, half, &shape), STI_OK);
            break;
        default: {
            const int count = sti_rng_int(rng, 6, 24);
            for (int i = 0; i < dim * count; i++) points[i] = between(rng, -1, 1);
            if (sti_shape_create_convex(env, dim, count, points, &shape) != STI_OK)
                fail_msg("%s", sti_env_error(env)->text);
            break;
        }
    }
    return shape;
}

static inline double shape_radius(const sti_shape* s) {
    int count;
    const double* v = sti_shape_vertices(s, &count);
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, sqrt(dot3(v + 3 * i, v + 3 * i)));
    const sti_shape_kind kind = sti_shape_kind_of(s);
    return kind == STI_SHAPE_SPHERE || kind == STI_SHAPE_CAPSULE ? sti_shape_reach(s) - most : 0;
}

// max over the posed shape of n'x
static inline double extent(const sti_shape* s, const sti_pose* pose, const double* n) {
    int count;
    const double* v = sti_shape_vertices(s, &count);
    double most = -INFINITY;
    for (int i = 0; i < count; i++) {
        double x[3];
        sti_pose_apply(pose, v + 3 * i, x);
        most = fmax(most, dot3(n, x));
    }
    return most + shape_radius(s);
}

// min over a of n'x - max over b of n'x: how far n parts them
static inline double parting(const sti_shape* a, const sti_pose* pa, const sti_shape* b, const sti_pose* pb,
                             const double* n) {
    const double back[3] = {-n[0], -n[1], -n[2]};
    return -extent(a, pa, back) - extent(b, pb, n);
}

// How far x is outside the posed polytope, by its planes (a polytope) or its segment (round ones).
static inline double outside(const sti_shape* s, const sti_pose* pose, const double* x) {
    double p[3];
    sti_pose_apply_inverse(pose, x, p);
    int count;
    const double* v = sti_shape_vertices(s, &count);
    const sti_shape_kind kind = sti_shape_kind_of(s);
    if (kind == STI_SHAPE_SPHERE || kind == STI_SHAPE_CAPSULE) {
        double e[3], w[3], t = 0;
        for (int k = 0; k < 3; k++) e[k] = v[3 * (count - 1) + k] - v[k];
        for (int k = 0; k < 3; k++) w[k] = p[k] - v[k];
        if (count == 2) t = fmin(1, fmax(0, dot3(w, e) / dot3(e, e)));
        for (int k = 0; k < 3; k++) w[k] -= t * e[k];
        return sqrt(dot3(w, w)) - shape_radius(s);
    }
    double most = -INFINITY;
    for (int f = 0; f < sti_shape_face_count(s); f++) {
        double plane[4];
        int n;
        sti_shape_face(s, f, plane, &n);
        most = fmax(most, dot3(plane, p) - plane[3]);
    }
    return most;
}

static inline void check_contact(const sti_shape_contact* c, int dim) {
    assert_near(dot3(c->normal, c->normal), 1, 1e-14);
    double t1[3], t2[3];
    if (dim == 3) {
        sti_tangent_frame(c->normal, t1, t2);
        for (int k = 0; k < 3; k++) {
            assert_near(c->t1[k], t1[k], 0);
            assert_near(c->t2[k], t2[k], 0);
        }
        assert_near(dot3(c->t2, c->t2), 1, 1e-14);
        assert_near(dot3(c->t1, c->t2), 0, 1e-14);
        assert_near(dot3(c->normal, c->t2), 0, 1e-14);
    } else {
        assert_near(c->t1[0], -c->normal[1], 0);
        assert_near(c->t1[1], c->normal[0], 0);
        assert_near(c->normal[2], 0, 0);
    }
    assert_near(dot3(c->t1, c->t1), 1, 1e-14);
    assert_near(dot3(c->normal, c->t1), 0, 1e-14);
    for (int k = 0; k < 3; k++)
        assert_near(c->point_a[k] - c->point_b[k], c->gap * c->normal[k], 1e-14 * (64 + fabs(c->point_b[k])));
    assert_true(isfinite(c->gap));
}

static inline double least_gap(int count, const sti_shape_contact* c) {
    double least = INFINITY;
    for (int i = 0; i < count; i++) least = fmin(least, c[i].gap);
    return least;
}

#endif
