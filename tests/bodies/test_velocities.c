// test_velocities.c: islands with many contacts, solved for their velocities.
#include "bodies/motion.h"
#include "scene_tools.h"

// A wall of bricks in running bond; its top row moves with vx.
static sti_bodies* wall(sti_env* env, int dim, int rows, int columns, double vx) {
    sti_bodies* bodies = open_scene(env, dim);
    add_ground(env, bodies, 0);
    const double half[3] = {0.125, dim == 2 ? 0.03 : 0.06, 0.03};
    for (int k = 0; k < rows * columns; k++) {
        const int row = k / columns, column = k % columns;
        const double x = 0.2525 * (column + 0.4 * (row % 2)), up = 0.06 * row + 0.03;
        sti_shape* shape;
        assert_int_equal(sti_shape_create_box(env, dim, half, &shape), STI_OK);
        sti_body body = sti_body_default();
        body.pose = dim == 2 ? at(x, up, 0) : at(x, 0, up);
        if (row == rows - 1) body.v[0] = vx;
        add_shape_body(bodies, shape, &body);
    }
    return bodies;
}

static sti_world_options coarse(double h) {
    sti_world_options options = sti_world_options_default();
    options.h = h;
    return options;
}

// Velocities that r gives the bodies, from v_free.
static void velocities_by(sti_world* world, const double* r, double* v) {
    struct sti_world_solve* s = world->solve;
    const size_t n = (size_t)(world->nv * world->moving);
    double* f = calloc(n, sizeof *f);
    assert_non_null(f);
    sti_acts_add_forces(world, &s->acts, r, f);
    sti_world_mass_solve(world, f, v);
    for (size_t i = 0; i < n; i++) v[i] = s->scale * v[i] + s->v_free[i];
    free(f);
}

static void the_answer_is_that_of_the_local_form(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        for (int sliding = 0; sliding < 2; sliding++) {
            sti_bodies* bodies = wall(env, dim, 3, 3, sliding ? 0.5 : 0);
            sti_world_options options = accurate();
            options.stabilize = false;
            sti_world* world = open_world(env, bodies, &options);
            step(env, world);
            struct sti_world_solve* s = world->solve;
            const size_t n = (size_t)(world->nv * world->moving), rows = (size_t)(dim * s->acts.count);
            int* list = calloc((size_t)s->acts.count, sizeof *list);
            double* v = calloc(n, sizeof *v);
            assert_true(list != NULL && v != NULL);
            for (int c = 0; c < s->acts.count; c++) list[c] = c;
            sti_links_factor(world, options.alpha, options.h);
            for (int guess = 0; guess < 2; guess++) {  // from the solution, and from nothing
                double reached;
                long iterations = 0;
                if (guess == 1) memset(s->acts.r, 0, rows * sizeof *s->acts.r);
                assert_int_equal(sti_island_velocities(world, &s->acts, s->acts.count, list, s->v_free, 1e-10, &reached,
                                                       &iterations),
                                 STI_OK);
                assert_true(reached <= 1e-10);
                if (guess == 0 && sliding) assert_true(iterations <= 3);
                velocities_by(world, s->acts.r, v);
                for (size_t i = 0; i < n; i++) assert_near(v[i], s->u[i], 1e-8);
            }
            free(list);
            free(v);
            sti_world_destroy(world);
            sti_bodies_destroy(bodies);
        }
    }
    sti_env_destroy(env);
}

static void a_wall_of_sixty_stands(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = wall(env, 3, 10, 6, 0);
    const sti_world_options options = coarse(0.005);
    sti_world* world = open_world(env, bodies, &options);
    sti_pose before, after;
    sti_world_pose(world, 60, &before);
    for (int i = 0; i < 20; i++) {
        const sti_world_report report = step(env, world);
        assert_true(report.contacts >= 400);
    }
    sti_world_pose(world, 60, &after);
    assert_true(distance(&before, &after) <= 1e-12);
    assert_verified(env, world, 1e-8);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// The top row slides over the others and comes to rest; every step is verified, and a second run has the same bits.
static void a_row_slides_on_a_wall(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_pose end[2][30];
    for (int run = 0; run < 2; run++) {
        sti_bodies* bodies = wall(env, 3, 6, 5, 0.3);
        const sti_world_options options = coarse(0.005);
        sti_world* world = open_world(env, bodies, &options);
        for (int i = 0; i < 16; i++) {
            const sti_world_report report = step(env, world);
            assert_true(report.contacts >= 200);
            if (run == 0) assert_verified(env, world, 1e-8);
        }
        for (int k = 0; k < 30; k++) sti_world_pose(world, k + 1, &end[run][k]);
        assert_near(end[run][29].x[0] - sti_bodies_body(bodies, 30)->pose.x[0], 0.3 * 0.3 / (2 * 0.5 * GRAVITY), 2e-3);
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    assert_memory_equal(end[0], end[1], sizeof end[0]);
    sti_env_destroy(env);
}

// Impulses that are wrong by a tenth, as those of the last step are: sweeps suffice for a loose tolerance, and nothing
// is factored.
static void a_loose_tolerance_takes_sweeps_alone(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        sti_bodies* bodies = wall(env, dim, 4, 4, 0.5);
        sti_world_options options = accurate();
        options.stabilize = false;
        sti_world* world = open_world(env, bodies, &options);
        step(env, world);
        struct sti_world_solve* s = world->solve;
        int* list = calloc((size_t)s->acts.count, sizeof *list);
        assert_non_null(list);
        for (int c = 0; c < s->acts.count; c++) list[c] = c;
        for (int i = 0; i < dim * s->acts.count; i++) s->acts.r[i] *= i / dim % 2 == 0 ? 1.1 : 0.9;
        sti_links_factor(world, options.alpha, options.h);
        double reached;
        long iterations = 0;
        assert_int_equal(
            sti_island_velocities(world, &s->acts, s->acts.count, list, s->v_free, 1e-3, &reached, &iterations),
            STI_OK);
        assert_true(reached <= 1e-3);
        assert_int_equal(iterations, 0);
        for (int c = 0; c < s->acts.count; c++) {  // Coulomb's cone holds exactly on the way
            const double* r = s->acts.r + (size_t)(dim * c);
            assert_true(r[0] >= 0 && hypot(r[1], dim == 3 ? r[2] : 0) <= s->acts.act[c].mu * r[0] * (1 + 1e-14));
        }
        free(list);
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

// A wall of sixty, and a ball that flies into it.
static sti_world* open_hit_wall(sti_env* env, double tol, sti_bodies** bodies) {
    *bodies = wall(env, 3, 10, 6, 0);
    sti_shape* shape;
    assert_int_equal(sti_shape_create_sphere(env, 3, 0.1, &shape), STI_OK);
    sti_body ball = sti_body_default();
    ball.pose = at(0.75, -0.2, 0.35);
    ball.v[1] = 8;
    add_shape_body(*bodies, shape, &ball);
    sti_world_options options = coarse(0.005);
    options.tol = tol;
    return open_world(env, *bodies, &options);
}

// How many attempts of the last step began again from no forces.
static int begun_again(const sti_world* world) {
    int count, again = 0;
    const sti_world_attempt* attempt = sti_world_attempts(world, &count);
    for (int k = 0; k < count; k++) again += strstr(attempt[k].why, "from forces of zero") != NULL;
    return again;
}

// A ball flies into a wall of sixty: every step is solved to the loose tolerance that was asked, and overlaps stay
// small.
static void a_wall_that_is_hit_is_solved(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_pose end[2][61];
    for (int run = 0; run < 2; run++) {
        sti_bodies* bodies;
        sti_world* world = open_hit_wall(env, 1e-3, &bodies);
        int struck = 0;
        for (int i = 0; i < 20; i++) {
            const sti_world_report report = step(env, world);
            assert_true(report.solved);
            assert_true(report.penetration <= 1e-4);
            struck += report.touching > 0 && report.sticking < report.touching;
            assert_int_equal(begun_again(world), 0);  // what is nearly solved goes on from where it is
            if (run == 0) assert_verified(env, world, 1e-3);
        }
        assert_true(struck > 10);
        for (int k = 0; k < 61; k++) sti_world_pose(world, k + 1, &end[run][k]);
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    assert_memory_equal(end[0], end[1], sizeof end[0]);
    sti_env_destroy(env);
}

// The same wall while it falls, sharply: most steps are solved, those that are not say so, and what is called solved
// is verified.
static void a_wall_that_falls_is_mostly_solved(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies;
    sti_world* world = open_hit_wall(env, 1e-6, &bodies);
    int unsolved = 0;
    for (int i = 0; i < 30; i++) {
        sti_world_report report;
        assert_int_equal(sti_world_step(world, &report), STI_OK);
        unsolved += !report.solved;
        assert_true(report.solved == (report.sound && report.residual <= 1e-6));
        assert_true(report.solved == (report.why[0] == '\0'));
        assert_true(report.residual <= 1e-4);
        if (report.solved) assert_verified(env, world, 1e-6);
    }
    assert_true(unsolved <= 3);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// Overlaps from the start are gone after one step, in a large island too.
static void overlaps_of_a_large_island_at_rest_are_mended(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 3);
    add_ground(env, bodies, 0);
    const double half[3] = {0.125, 0.06, 0.03}, overlap = 1e-4;
    for (int k = 0; k < 60; k++) {
        const int row = k / 6, column = k % 6;
        sti_shape* shape;
        assert_int_equal(sti_shape_create_box(env, 3, half, &shape), STI_OK);
        sti_body body = sti_body_default();
        body.pose = at(0.2525 * (column + 0.4 * (row % 2)), 0, (0.06 - overlap) * row + 0.03 - overlap);
        add_shape_body(bodies, shape, &body);
    }
    const sti_world_options options = coarse(0.005);
    sti_world* world = open_world(env, bodies, &options);
    for (int i = 0; i < 3; i++) {
        const sti_world_report report = step(env, world);
        assert_true(report.contacts >= 400);
        assert_true(report.penetration <= 1e-9);
    }
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static sti_status step_wall(sti_env* env, const sti_bodies* bodies) {
    const sti_world_options options = coarse(0.005);
    sti_world* world;
    sti_status status = sti_world_create(env, bodies, &options, &world);
    if (status != STI_OK) return status;
    sti_world_report report;
    status = sti_world_step(world, &report);
    if (status == STI_OK) assert_true(report.solved);
    sti_world_destroy(world);
    return status;
}

// Which solver ran on which island, and why, is one question; and the caller's options are what they were.
static void a_step_tells_what_it_tried(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const sti_contact_solver asked[] = {STI_CONTACT_AUTO, STI_CONTACT_VELOCITIES, STI_CONTACT_GS};
    for (int k = 0; k < 3; k++) {
        sti_bodies* bodies = wall(env, 2, 3, 4, 0.3);
        sti_world_options options = coarse(0.005);
        options.solver = asked[k];
        sti_world* world = open_world(env, bodies, &options);
        int count, tried = 0;
        for (int i = 0; i < 3; i++) {
            assert_int_equal(sti_world_step(world, NULL), STI_OK);
            assert_int_equal(world->options.solver, asked[k]);
            const sti_world_attempt* list = sti_world_attempts(world, &count);
            for (int j = 0; j < count; j++) {
                assert_true(list[j].contacts > 0 && list[j].body >= 0);
                assert_true(list[j].why[0] != '\0' && list[j].iterations >= 0);
                if (asked[k] != STI_CONTACT_AUTO) tried += list[j].solver == asked[k];
                if (asked[k] == STI_CONTACT_AUTO) tried += list[j].solved;
            }
        }
        assert_true(tried > 0);
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

static void failed_allocations_are_survived(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = wall(env, 3, 6, 5, 0.3);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        const sti_status status = step_wall(f.env, bodies);
        assert_true(status == STI_OK || status == STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_is_that_of_the_local_form),
        cmocka_unit_test(a_wall_of_sixty_stands),
        cmocka_unit_test(a_row_slides_on_a_wall),
        cmocka_unit_test(a_loose_tolerance_takes_sweeps_alone),
        cmocka_unit_test(a_wall_that_is_hit_is_solved),
        cmocka_unit_test(a_wall_that_falls_is_mostly_solved),
        cmocka_unit_test(overlaps_of_a_large_island_at_rest_are_mended),
        cmocka_unit_test(a_step_tells_what_it_tried),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
