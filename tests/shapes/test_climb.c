// The climb along edges ends as high as a look at all vertices.
#include "shape_tools.h"
#include "shapes/shape.h"

static double highest(const core* c, vec d) {
    double most = -INFINITY;
    for (int i = 0; i < c->vertex_count; i++) most = fmax(most, vec_dot(d, vec_of(c->vertex + 3 * (size_t)i)));
    return most;
}

static void expect_highest(const core* c, vec d) {
    const double most = highest(c, d), tol = 1e-14 * vec_norm(d) * (c->size + vec_norm(vec_of(c->centre)));
    for (int k = 0; k < 5; k++) {
        const int v = sti_core_climb(c, d, k * (c->vertex_count - 1) / 4);
        assert_true(vec_dot(d, vec_of(c->vertex + 3 * (size_t)v)) >= most - tol);
    }
}

static const core* core_of(const sti_shape* shape) {
    assert_non_null(shape->core.near_start);
    return &shape->core;
}

// Random points in a long box, far from the origin: along any direction, along normals of faces and along edges.
static void random_hulls_are_climbed_to_the_top(void** state) {
    (void)state;
    enum { MOST = 2000 };
    sti_env* env = open_env();
    sti_rng rng = {.state = 5};
    double* points = sti_alloc_array(env, MOST, 3 * sizeof *points);
    assert_non_null(points);
    for (int count = 200; count <= MOST; count += 600) {
        for (int i = 0; i < count; i++) {
            vec p = {between(&rng, -1, 1), between(&rng, -1, 1), between(&rng, -1, 1)};
            p = vec_scale(1 / vec_norm(p), p);
            vec_store((vec){7 + p.x, 20 * p.y - 3, 0.1 * p.z}, points + 3 * (size_t)i);
        }
        sti_shape* shape;
        assert_int_equal(sti_shape_create_convex(env, 3, count, points, &shape), STI_OK);
        const core* c = core_of(shape);
        for (int k = 0; k < 300; k++)
            expect_highest(c, (vec){between(&rng, -1, 1), between(&rng, -1, 1), between(&rng, -1, 1)});
        for (int f = 0; f < c->face_count; f++) expect_highest(c, vec_of(c->plane + 4 * (size_t)f));
        for (int e = 0; e < c->edge_count; e++)
            expect_highest(c, vec_sub(vec_of(c->vertex + 3 * (size_t)c->edge[2 * e]),
                                      vec_of(c->vertex + 3 * (size_t)c->edge[2 * e + 1])));
        sti_shape_destroy(shape);
    }
    sti_free(env, points);
    sti_env_destroy(env);
}

// A drum whose ends are flat within 1e-11 of its size only: they are one face each, whose corners lie at heights of
// their own.
static void faces_that_are_nearly_flat_are_climbed_to_the_top(void** state) {
    (void)state;
    enum { AROUND = 60 };
    sti_env* env = open_env();
    sti_rng rng = {.state = 6};
    double points[2 * AROUND][3];
    for (int i = 0; i < 2 * AROUND; i++) {
        const double turn = 2 * 3.141592653589793 * (i / 2) / AROUND;
        vec_store((vec){cos(turn), sin(turn), (i % 2 == 0 ? 1 : -1) + 1e-11 * between(&rng, 0, 1)}, points[i]);
    }
    sti_shape* shape;
    assert_int_equal(sti_shape_create_convex(env, 3, 2 * AROUND, points[0], &shape), STI_OK);
    const core* c = core_of(shape);
    assert_int_equal(c->face_count, AROUND + 2);
    for (int k = 0; k < 200; k++) {
        const double lean = k == 0 ? 0 : 1e-13 * pow(10, k % 12);
        expect_highest(c, (vec){lean * between(&rng, -1, 1), lean * between(&rng, -1, 1), k % 2 == 0 ? 1 : -1});
    }
    sti_shape_destroy(shape);
    sti_env_destroy(env);
}

static void few_vertices_are_all_looked_at(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape* box;
    assert_int_equal(sti_shape_create_box(env, 3, (double[]){1, 2, 3}, &box), STI_OK);
    assert_null(box->core.near_start);
    sti_shape_destroy(box);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_hulls_are_climbed_to_the_top),
        cmocka_unit_test(faces_that_are_nearly_flat_are_climbed_to_the_top),
        cmocka_unit_test(few_vertices_are_all_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
