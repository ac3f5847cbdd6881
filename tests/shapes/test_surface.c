// Shapes as polygons: on the shape, closed, seen counterclockwise from outside.
#include "shape_tools.h"

// Area of a polygon in the plane; volume inside a closed surface in space (divergence theorem).
static double measure(const sti_surface* s, int dim) {
    double sum = 0;
    for (int f = 0; f < s->face_count; f++) {
        const int *c = s->corners + s->face_start[f], n = s->face_start[f + 1] - s->face_start[f];
        for (int k = 0; k < n; k++) {
            const double *a = s->vertices + 3 * c[0], *p = s->vertices + 3 * c[k],
                         *q = s->vertices + 3 * c[(k + 1) % n];
            if (dim == 2) {
                sum += 0.5 * (p[0] * q[1] - p[1] * q[0]);
            } else {
                sum += (a[0] * (p[1] * q[2] - p[2] * q[1]) + a[1] * (p[2] * q[0] - p[0] * q[2]) +
                        a[2] * (p[0] * q[1] - p[1] * q[0])) /
                       6;
            }
        }
    }
    return sum;
}

static sti_status make(sti_env* env, int which, sti_shape** out) {
    static const double half[3] = {1, 2, 3};
    static const double flat[8] = {0, 0, 2, 0, 3, 1, 1, 2};
    static const double tetra[12] = {0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1};
    static const double box_mesh[12] = {0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1};
    static const int triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    switch (which) {
        case 0:
            return sti_shape_create_sphere(env, 2, 2, out);
        case 1:
            return sti_shape_create_capsule(env, 2, 3, 0.5, out);
        case 2:
            return sti_shape_create_box(env, 2, half, out);
        case 3:
            return sti_shape_create_convex(env, 2, 4, flat, out);
        case 4:
            return sti_shape_create_sphere(env, 3, 2, out);
        case 5:
            return sti_shape_create_capsule(env, 3, 3, 0.5, out);
        case 6:
            return sti_shape_create_box(env, 3, half, out);
        case 7:
            return sti_shape_create_convex(env, 3, 4, tetra, out);
        default:
            return sti_shape_create_mesh(env, 4, box_mesh, 4, triangles, out);
    }
}

static void surfaces_enclose_what_the_shape_does(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int which = 0; which < 9; which++) {
        sti_shape* shape;
        sti_surface s;
        assert_int_equal(make(env, which, &shape), STI_OK);
        assert_int_equal(sti_surface_make(env, shape, 1, &s), STI_OK);
        double size = 1;  // of the mesh
        if (which < 8) {
            sti_shape_mass m;
            assert_int_equal(sti_shape_measure(env, shape, 1, &m), STI_OK);
            size = m.size;
        }
        const bool round = which == 0 || which == 1 || which == 4 || which == 5;
        const double found = measure(&s, sti_shape_dim(shape));
        assert_true(round ? found < size && found > 0.85 * size : fabs(found - size) < 1e-12 * size);
        sti_surface_clear(env, &s);
        sti_shape_destroy(shape);
    }
    sti_env_destroy(env);
}

static void a_half_space_is_a_piece_of_its_face(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape* shape;
    sti_surface s;
    const double n[3] = {0, 3, 4};
    assert_int_equal(sti_shape_create_halfspace(env, 3, n, 10, &shape), STI_OK);
    assert_int_equal(sti_surface_make(env, shape, 5, &s), STI_OK);
    assert_int_equal(s.vertex_count, 4);
    for (int k = 0; k < 4; k++) assert_near(0.6 * s.vertices[3 * k + 1] + 0.8 * s.vertices[3 * k + 2], 2, 1e-12);
    sti_surface_clear(env, &s);
    sti_shape_destroy(shape);
    assert_int_equal(sti_shape_create_halfspace(env, 2, n, 0, &shape), STI_OK);
    assert_int_equal(sti_surface_make(env, shape, 5, &s), STI_OK);
    assert_near(measure(&s, 2), 10, 1e-12);  // 2 extent long, a tenth of that deep
    sti_surface_clear(env, &s);
    sti_shape_destroy(shape);
    sti_env_destroy(env);
}

static void every_allocation_that_fails_is_survived(void** state) {
    (void)state;
    for (int which = 0; which < 9; which++) {
        for (long k = 0;; k++) {
            failing_env f;
            sti_shape* shape = NULL;
            sti_surface s = {0};
            failing_env_open(&f, k);
            sti_status status = make(f.env, which, &shape);
            if (status == STI_OK) status = sti_surface_make(f.env, shape, 1, &s);
            assert_true(status == STI_OK || status == STI_ERR_MEMORY);
            sti_surface_clear(f.env, &s);
            sti_shape_destroy(shape);
            if (failing_env_close(&f)) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_enclose_what_the_shape_does),
        cmocka_unit_test(a_half_space_is_a_piece_of_its_face),
        cmocka_unit_test(every_allocation_that_fails_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
