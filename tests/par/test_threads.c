// Everything that runs in threads, once and small: the same bits as by one thread, here; no races, in the tree of the
// thread sanitizer. And two programs at once, each with an environment of its own.
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "bodies/scene_tools.h"
#include "granular/bed_tools.h"
#include "linalg/ldl.h"
#include "support/contact_pile.h"
#include "support/scenario_case.h"

enum { WORKERS = 3, STEPS = 6, BOXES = 24 };

// ---- one call, several workers

static void sweeps_over_contacts(void** state) {
    (void)state;
    double* first = NULL;
    for (int workers = 1; workers <= WORKERS; workers += WORKERS - 1) {
        sti_env* env = open_env_of(workers);
        pile p;
        pile_spheres(env, 2, 40, 1, 40, 0.3, &p);
        const size_t n = (size_t)(2 * p.contact_count);
        double *r = calloc(n, sizeof *r), *u = calloc(n, sizeof *u);
        sti_contact_run run = {.r = r, .u = u};
        const sti_contact_options options = {
            .solver = STI_CONTACT_GS, .tol = 1e-7, .max_iterations = 40, .relaxation = 1};
        assert_int_equal(sti_contact_method_gs(&p.local, &options, &run), STI_OK);
        if (first == NULL) {
            first = r;
        } else {
            assert_memory_equal(first, r, n * sizeof *r);
            free(r);
        }
        free(u);
        pile_free(&p);
        sti_env_destroy(env);
    }
    free(first);
}

// Pebbles that land: search, sweeps in slabs with momentum, measures; with a convex law products of the dual too.
static double* landed(sti_env* env, sti_law law, int count) {
    sti_grains g;
    sti_bed_options o = sti_bed_options_default();
    o.recover = 0.2;
    o.tol = 1e-4;
    o.law = law;
    if (law == STI_LAW_FACETS) o.solver = STI_BED_APGD;
    assert_int_equal(sti_grains_settle(env, count, 1, &g), STI_OK);
    sti_bed* bed = bed_of(env, &g, &o);
    for (int k = 0; k < STEPS; k++) assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
    double* x = calloc(3 * (size_t)count, sizeof *x);
    sti_bed_get(bed, x, NULL, NULL);
    sti_bed_destroy(bed);
    return x;
}

static void beds(void** state) {
    (void)state;
    enum { COUNT = 400 };
    const sti_law laws[] = {STI_LAW_COULOMB, STI_LAW_FACETS};
    for (size_t k = 0; k < sizeof laws / sizeof laws[0]; k++) {
        double* x[2];
        for (int i = 0; i < 2; i++) {
            sti_env* env = open_env_of(i == 0 ? 1 : WORKERS);
            x[i] = landed(env, laws[k], COUNT);
            sti_env_destroy(env);
        }
        assert_memory_equal(x[0], x[1], 3 * COUNT * sizeof(double));
        free(x[0]);
        free(x[1]);
    }
}

// Boxes side by side and on each other, all islands of one step.
static sti_pose* fallen(sti_env* env) {
    sti_bodies* bodies = open_scene(env, 3);
    add_ground(env, bodies, 0);
    for (int k = 0; k < BOXES; k++) add_box(env, bodies, 0.1, 0.1, 0.1, at(0.19 * (k % 10), 0, 0.1 + 0.21 * (k / 10)));
    sti_world_options options = sti_world_options_default();
    sti_world* world = open_world(env, bodies, &options);
    for (int k = 0; k < STEPS; k++) assert_int_equal(sti_world_step(world, NULL), STI_OK);
    sti_pose* poses = calloc(BOXES, sizeof *poses);
    for (int k = 0; k < BOXES; k++) sti_world_pose(world, 1 + k, &poses[k]);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    return poses;
}

static void bodies_that_fall(void** state) {
    (void)state;
    sti_pose* poses[2];
    for (int i = 0; i < 2; i++) {
        sti_env* env = open_env_of(i == 0 ? 1 : WORKERS);
        poses[i] = fallen(env);
        sti_env_destroy(env);
    }
    assert_memory_equal(poses[0], poses[1], BOXES * sizeof(sti_pose));
    free(poses[0]);
    free(poses[1]);
}

static void scenarios(void** state) {
    (void)state;
    scenario_case s;
    scenario_case_make(&s, 4, 5, 2, 3, 200, 14);
    double x[2][4];
    for (int i = 0; i < 2; i++) {
        sti_env* env = open_env_of(i == 0 ? 1 : WORKERS);
        sti_stochastic_answer a;
        assert_int_equal(sti_stochastic_solve(env, &s.program, NULL, &a), STI_OK);
        memcpy(x[i], a.x, sizeof x[i]);
        sti_stochastic_answer_clear(env, &a);
        sti_env_destroy(env);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    scenario_case_free(&s);
}

// Two full blocks that meet in a third: two large fronts, whose products are shared.
enum { BLOCK = 250, ORDER = 2 * BLOCK + 200 };

static double* factored(sti_env* env) {
    int64_t* col_start = calloc(ORDER + 1, sizeof *col_start);
    int* row = calloc((size_t)ORDER * ORDER, sizeof *row);
    double* x = calloc(ORDER, sizeof *x);
    int64_t count = 0;
    for (int j = 0; j < ORDER; j++) {
        for (int i = 0; i < ORDER; i++) {
            if (i / BLOCK == j / BLOCK || i >= 2 * BLOCK || j >= 2 * BLOCK) row[count++] = i;
        }
        col_start[j + 1] = count;
        x[j] = 1;
    }
    sti_ldl f;
    assert_int_equal(sti_ldl_init(&f, env, ORDER, col_start, row), STI_OK);
    assert_int_equal(f.fronts.tasks != NULL, sti_env_workers(env) > 1);
    for (int j = 0; j < ORDER; j++) {
        for (int64_t k = col_start[j]; k < col_start[j + 1]; k++)
            f.value[k] = row[k] == j ? ORDER : cos(j) * cos(row[k]);
    }
    assert_int_equal(sti_ldl_factor(&f), -1);
    sti_ldl_solve(&f, x);
    sti_ldl_clear(&f);
    free(col_start);
    free(row);
    return x;
}

static void factors(void** state) {
    (void)state;
    double* x[2];
    for (int i = 0; i < 2; i++) {
        sti_env* env = open_env_of(i == 0 ? 1 : WORKERS);
        x[i] = factored(env);
        sti_env_destroy(env);
    }
    assert_memory_equal(x[0], x[1], ORDER * sizeof(double));
    free(x[0]);
    free(x[1]);
}

// ---- several programs at once

typedef struct program {
    sti_pose* poses;
    double* x;
} program;

static void* run_both(void* arg) {
    program* p = arg;
    sti_env* env = open_env_of(2);
    p->poses = fallen(env);
    p->x = landed(env, STI_LAW_COULOMB, 200);
    sti_env_destroy(env);
    return NULL;
}

static void programs_side_by_side_do_not_disturb_each_other(void** state) {
    (void)state;
    enum { PROGRAMS = 2 };
    pthread_t thread[PROGRAMS];
    program p[PROGRAMS], alone;
    run_both(&alone);
    for (int i = 0; i < PROGRAMS; i++) assert_int_equal(pthread_create(&thread[i], NULL, run_both, &p[i]), 0);
    for (int i = 0; i < PROGRAMS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < PROGRAMS; i++) {
        assert_memory_equal(alone.poses, p[i].poses, BOXES * sizeof *alone.poses);
        assert_memory_equal(alone.x, p[i].x, 600 * sizeof *alone.x);
        free(p[i].poses);
        free(p[i].x);
    }
    free(alone.poses);
    free(alone.x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_over_contacts),
        cmocka_unit_test(beds),
        cmocka_unit_test(bodies_that_fall),
        cmocka_unit_test(scenarios),
        cmocka_unit_test(factors),
        cmocka_unit_test(programs_side_by_side_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
