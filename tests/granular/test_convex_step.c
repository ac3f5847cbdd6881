// test_convex_step.c: steps with a convex law by every solver: the reference programs, and agreement of all of them.
#include "granular/bed_tools.h"
#include "support/near.h"
#include "support/oracle.h"
#include "support/sanitized.h"

enum { MOST = 100 };

typedef struct scene {
    sti_grains g;
    double x[3 * MOST], v[3 * MOST], w[3 * MOST], radius[MOST], mass[MOST];
    sti_wall walls[6];
} scene;

static void begin(scene* s, int count, double radius, double mu) {
    *s = (scene){0};
    s->g = (sti_grains){.count = count,
                        .x = s->x,
                        .v = s->v,
                        .w = s->w,
                        .radius = s->radius,
                        .mass = s->mass,
                        .mu = mu,
                        .gravity = {0, 0, -9.81},
                        .walls = s->walls};
    for (int k = 0; k < count; k++) {
        s->radius[k] = radius;
        s->mass[k] = 1;
    }
}

static void add_plane(scene* s, double px, double py, double pz, double nx, double ny, double nz) {
    s->walls[s->g.wall_count++] =
        (sti_wall){.kind = STI_WALL_PLANE, .point = {px, py, pz}, .axis = {nx, ny, nz}, .mu = s->g.mu};
}

static sti_bed_options exact_options(const cJSON* item, sti_bed_solver solver) {
    sti_bed_options o = sti_bed_options_default();
    o.law = STI_LAW_FACETS;
    o.solver = solver;
    o.h = oracle_number(item, "inputs", "h");
    o.tol = 1e-11;
    o.eps = oracle_number(item, "inputs", "eps");
    return o;
}

static void read_state(const cJSON* item, scene* s) {
    const cJSON* x = oracle_get(item, "inputs", "x");
    const cJSON* v = oracle_get(item, "inputs", "v");
    const bool one = !cJSON_IsArray(cJSON_GetArrayItem(x, 0));
    begin(s, one ? 1 : cJSON_GetArraySize(x), oracle_number(item, "inputs", "R"), oracle_number(item, "inputs", "mu"));
    for (int k = 0; k < s->g.count; k++) {
        for (int i = 0; i < 3; i++) {
            s->x[3 * k + i] = oracle_entry(one ? x : cJSON_GetArrayItem(x, k), i);
            if (cJSON_IsArray(v)) {
                const cJSON* vk = one ? v : cJSON_GetArrayItem(v, k);
                s->v[3 * k + i] = oracle_entry(vk, i);
                s->w[3 * k + i] = oracle_entry(vk, 3 + i);
            }
        }
    }
    add_plane(s, 0, 0, 0, 0, 0, 1);
}

static void check_velocities(const cJSON* expected, const sti_bed* bed, double tol) {
    double v[3 * MOST], w[3 * MOST];
    sti_bed_get(bed, NULL, v, w);
    for (int k = 0; k < sti_bed_count(bed); k++) {
        for (int i = 0; i < 3; i++) {
            assert_near(v[3 * k + i], oracle_entry(expected, 6 * k + i), tol);
            assert_near(w[3 * k + i], oracle_entry(expected, 6 * k + 3 + i), tol);
        }
    }
}

static void every_solver_gives_the_reference_velocities_of_small_programs(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    sti_env* env = open_env();
    int checked = 0;
    const cJSON* item;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        if (strncmp(oracle_id(item), "CQP-", 4) != 0 || !cJSON_IsArray(oracle_get(item, "inputs", "x")) ||
            oracle_get(item, "inputs", "p_k") == NULL || oracle_get(item, "expected", "v") == NULL)
            continue;
        for (int k = 0; k < STI_BED_SOLVER_COUNT; k++) {
            scene s;
            read_state(item, &s);
            sti_bed_options o = exact_options(item, (sti_bed_solver)k);
            o.facets = (int)oracle_number(item, "inputs", "p_k");
            sti_bed* bed;
            assert_int_equal(sti_bed_create(env, &s.g, &o, &bed), STI_OK);
            sti_bed_report report;
            assert_int_equal(sti_bed_step(bed, &report), STI_OK);
            check_velocities(oracle_get(item, "expected", "v"), bed, 2e-9);
            assert_near(report.objective, oracle_number(item, "expected", "primal_objective"), 1e-9);
            assert_true(report.gap < 1e-8);
            sti_bed_destroy(bed);
        }
        checked++;
    }
    assert_true(checked >= 2);
    cJSON_Delete(root);
    sti_env_destroy(env);
}

static void ten_grains_in_a_box_follow_the_reference_for_all_steps(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    sti_env* env = open_env();
    const cJSON* item;
    int checked = 0;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        const cJSON* x0 = oracle_get(item, "inputs", "x0");
        if (strncmp(oracle_id(item), "CQP-", 4) != 0 || x0 == NULL || oracle_get(item, "inputs", "side") == NULL)
            continue;
        const cJSON* v0 = oracle_get(item, "inputs", "v0");
        const double side = oracle_number(item, "inputs", "side");
        for (int k = 0; k < STI_BED_SOLVER_COUNT; k++) {
            scene s;
            begin(&s, cJSON_GetArraySize(x0), oracle_number(item, "inputs", "R"), oracle_number(item, "inputs", "mu"));
            for (int a = 0; a < s.g.count; a++) {
                for (int i = 0; i < 3; i++) {
                    s.x[3 * a + i] = oracle_entry(cJSON_GetArrayItem(x0, a), i);
                    s.v[3 * a + i] = oracle_entry(cJSON_GetArrayItem(v0, a), i);
                    s.w[3 * a + i] = oracle_entry(cJSON_GetArrayItem(v0, a), 3 + i);
                }
            }
            add_plane(&s, 0, 0, 0, 0, 0, 1);
            add_plane(&s, 0, 0, 0, 1, 0, 0);
            add_plane(&s, side, 0, 0, -1, 0, 0);
            add_plane(&s, 0, 0, 0, 0, 1, 0);
            add_plane(&s, 0, side, 0, 0, -1, 0);
            const sti_bed_options o = exact_options(item, (sti_bed_solver)k);
            sti_bed* bed;
            assert_int_equal(sti_bed_create(env, &s.g, &o, &bed), STI_OK);
            sti_bed_report report;
            assert_int_equal(sti_bed_step(bed, &report), STI_OK);
            const cJSON* first = oracle_get(item, "expected", "step1");
            assert_int_equal(report.contacts,
                             (int)cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(first, "n_contacts")));
            check_velocities(cJSON_GetObjectItemCaseSensitive(first, "v"), bed, 2e-9);
            assert_near(report.objective,
                        cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(first, "primal_objective")), 1e-8);
            const cJSON* steps = oracle_get(item, "expected", "per_step_[ncontacts,KE,mean_z]");
            for (int step = 0;; step++) {
                assert_int_equal(report.contacts, (int)oracle_entry(cJSON_GetArrayItem(steps, step), 0));
                assert_near(report.kinetic, oracle_entry(cJSON_GetArrayItem(steps, step), 1), 1e-7);
                if (step + 1 == cJSON_GetArraySize(steps)) break;
                assert_int_equal(sti_bed_step(bed, &report), STI_OK);
            }
            double x[3 * MOST];
            sti_bed_get(bed, x, NULL, NULL);
            for (int i = 0; i < 3 * s.g.count; i++)
                assert_near(x[i],
                            oracle_entry(cJSON_GetArrayItem(oracle_get(item, "expected", "x_final"), i / 3), i % 3),
                            1e-7);
            sti_bed_destroy(bed);
        }
        checked++;
    }
    assert_true(checked > 0);
    cJSON_Delete(root);
    sti_env_destroy(env);
}

static void a_hundred_pebbles_keep_the_reference_energy_while_it_is_determined(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    sti_env* env = open_env();
    const cJSON* item;
    int checked = 0;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        const cJSON* steps = oracle_get(item, "expected", "l");
        if (strncmp(oracle_id(item), "PBR-", 4) != 0 || steps == NULL || oracle_number(item, "inputs", "N") > 200)
            continue;
        sti_grains g =
            pebbles(env, (int)oracle_number(item, "inputs", "N"), (uint64_t)oracle_number(item, "inputs", "seed"));
        sti_bed_options o = reference_options(STI_BED_IPM, 1e-9);
        o.h = oracle_number(item, "inputs", "h");
        sti_bed* bed = bed_of(env, &g, &o);
        sti_bed_report report = {0};
        const cJSON* tolerance = oracle_get(item, "tolerance", "rel_by_l");
        for (int k = 0; k < cJSON_GetArraySize(steps); k++) {
            while (report.step < (long)oracle_entry(steps, k)) assert_int_equal(sti_bed_step(bed, &report), STI_OK);
            char key[16];
            snprintf(key, sizeof key, "%ld", report.step);
            const double E = oracle_entry(oracle_get(item, "expected", "E"), k);
            const double tol = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(tolerance, key));
            if (fabs(report.kinetic - E) > tol * E)
                print_message("step %ld: %.12g, reference %.12g\n", report.step, report.kinetic, E);
            assert_near(report.kinetic, E, tol * E);
        }
        sti_bed_destroy(bed);
        checked++;
    }
    assert_true(checked > 0);
    cJSON_Delete(root);
    sti_env_destroy(env);
}

// E(t) is chaotic after a second: what every run shares are the ranges of the reference ensemble.
static void a_hundred_pebbles_come_to_rest_as_the_reference_ensemble_does(void** state) {
    (void)state;
    if (SANITIZED) {
        print_message("skipped: thousands of steps are for the release tree\n");
        skip();
    }
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    sti_env* env = open_env();
    const cJSON* item;
    int checked = 0;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        const cJSON* seeds = oracle_get(item, "inputs", "seeds");
        if (strncmp(oracle_id(item), "PBR-", 4) != 0 || seeds == NULL || oracle_number(item, "inputs", "N") > 200)
            continue;
        const int runs = cJSON_GetArraySize(seeds) < 2 ? cJSON_GetArraySize(seeds) : 2;
        for (int run = 0; run < runs; run++) {
            sti_grains g = pebbles(env, (int)oracle_number(item, "inputs", "N"), (uint64_t)oracle_entry(seeds, run));
            sti_bed_options o = reference_options(STI_BED_APGD, 1e-5);
            o.h = oracle_number(item, "inputs", "h");
            sti_bed* bed;
            assert_int_equal(sti_bed_create(env, &g, &o, &bed), STI_OK);
            sti_bed_report report = {0};
            double slow = NAN, deepest = 0, balance[20] = {0};
            while (report.time < 8 && (report.time <= 1 || report.kinetic >= 1e-7 * g.count)) {
                assert_int_equal(sti_bed_step(bed, &report), STI_OK);
                assert_true(report.solved);
                if (isnan(slow) && report.time > 1 && report.kinetic <= 1e-2 * g.count) slow = report.time;
                deepest = fmax(deepest, report.penetration);
                balance[report.step % 20] = report.balance / 20;
            }
            double carried = 0;
            for (int k = 0; k < 20; k++) carried += balance[k];
            sti_packing p;
            sti_bed_get(bed, g.x, NULL, NULL);
            assert_int_equal(sti_grains_packing(env, &g, g.x, &p), STI_OK);
            assert_true(slow >= 1.5 && slow <= 3.5);
            assert_true(report.kinetic <= 1e-4 * g.count);
            assert_true(deepest <= 1e-3);
            assert_near(carried, 1, 5e-3);
            assert_true(p.bottom >= 0.50 && p.bottom <= 0.57);
            assert_true(p.mean_height >= 2.68 && p.mean_height <= 2.84);
            sti_bed_destroy(bed);
            sti_grains_clear(env, &g);
        }
        checked++;
    }
    assert_true(checked > 0);
    cJSON_Delete(root);
    sti_env_destroy(env);
}

static void every_solver_reaches_the_optimum_of_one_step_of_the_pebble_bed(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    sti_env* env = open_env();
    const cJSON* item;
    int checked = 0;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        const char* file = cJSON_GetStringValue(oracle_get(item, "inputs", "state"));
        if (strncmp(oracle_id(item), "PBR-11", 6) != 0 || file == NULL) continue;
        static double x[3 * REFERENCE_COUNT], v[3 * REFERENCE_COUNT], w[3 * REFERENCE_COUNT];
        assert_true(reference_state(x, v, w));
        for (int k = 0; k < STI_BED_SOLVER_COUNT; k++) {
            const sti_bed_options o = reference_options((sti_bed_solver)k, 1e-8);
            sti_bed* bed = bed_of_pebbles(env, REFERENCE_COUNT, &o);
            assert_int_equal(sti_bed_set(bed, x, v, w), STI_OK);
            sti_bed_report report;
            assert_int_equal(sti_bed_step(bed, &report), STI_OK);
            print_message("%-6s %6ld iterations, residual %.1e, gap %.1e, %.4f s\n", sti_bed_solver_text(o.solver),
                          report.iterations, report.residual, report.gap, report.time_solve_s);
            assert_int_equal(report.contacts, (int)oracle_number(item, "expected", "n_contacts"));
            const double best = oracle_number(item, "expected", "primal_objective");
            assert_near(report.objective, best, 1e-8 * fabs(best));
            const double E = oracle_number(item, "expected", "kinetic_energy_next");
            assert_near(report.kinetic, E, 1e-6 * E);
            sti_bed_destroy(bed);
        }
        checked++;
    }
    assert_true(checked > 0);
    cJSON_Delete(root);
    sti_env_destroy(env);
}

static void solvers_of_the_round_cone_agree_with_each_other(void** state) {
    (void)state;
    sti_env* env = open_env();
    double best[4];
    const sti_bed_solver solvers[] = {STI_BED_APGD, STI_BED_BB, STI_BED_IPM, STI_BED_GS};
    for (int k = 0; k < 4; k++) {
        sti_bed_options o = reference_options(solvers[k], 1e-9);
        o.law = STI_LAW_CONE;
        o.h = 0.05;
        sti_bed* bed = bed_of_pebbles(env, 60, &o);
        sti_bed_report report;
        for (int step = 0; step < 12; step++) assert_int_equal(sti_bed_step(bed, &report), STI_OK);
        best[k] = report.kinetic;
        assert_near(best[k], best[0], 1e-5 * best[0]);
        sti_bed_destroy(bed);
    }
    sti_env_destroy(env);
}

// Two part at great speed, two others close slowly: no impulse at all is no answer, however small they are beside it.
static void a_contact_that_breaks_through_is_seen_beside_others_that_part_much_faster(void** state) {
    (void)state;
    sti_env* env = open_env();
    int solvers = 0;
    for (int k = 0; k < 2 * STI_BED_SOLVER_COUNT; k++) {
        scene s;
        begin(&s, 4, 0.5, 0.3);
        const double x[12] = {0, 0, 0, 1.02, 0, 0, 0, 10, 0, 1.0001, 10, 0};
        const double v[12] = {-100, 0, 0, 100, 0, 0, 0.005, 0, 0, -0.005, 0, 0};
        memcpy(s.x, x, sizeof x);
        memcpy(s.v, v, sizeof v);
        s.g.gravity[2] = 0;
        sti_bed_options o = sti_bed_options_default();
        o.law = k % 2 == 0 ? STI_LAW_CONE : STI_LAW_FACETS;
        o.solver = (sti_bed_solver)(k / 2);
        o.h = 0.05;
        o.eps = 0.1;
        sti_bed* bed;
        if (sti_bed_create(env, &s.g, &o, &bed) != STI_OK) continue;
        sti_bed_report report;
        assert_int_equal(sti_bed_step(bed, &report), STI_OK);
        assert_true(report.solved);
        assert_true(report.touching >= 1);
        assert_true(report.penetration <= 1e-7);
        sti_bed_destroy(bed);
        solvers++;
    }
    assert_int_equal(solvers, 2 * STI_BED_SOLVER_COUNT - 2);
    sti_env_destroy(env);
}

static void no_method_makes_more_iterations_than_it_may(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int k = 0; k < STI_BED_SOLVER_COUNT; k++) {
        sti_bed_options o = reference_options((sti_bed_solver)k, 1e-13);
        o.max_iterations = 3;
        o.h = 0.05;
        sti_bed* bed = bed_of_pebbles(env, 60, &o);
        for (int step = 0; step < 12; step++) {
            sti_bed_report report;
            assert_int_equal(sti_bed_step(bed, &report), STI_OK);
            assert_true(report.iterations <= o.max_iterations + 1);  // one may be under way
            assert_int_equal(report.solved, report.residual <= o.tol);
        }
        sti_bed_destroy(bed);
    }
    sti_env_destroy(env);
}

// It leaves contacts out first, takes in those that break through and begins again: what it had by then is not lost.
static void interior_points_return_the_best_they_had_when_their_iterations_end(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_grains g = pebbles(env, 200, 1);
    sti_bed_options o = sti_bed_options_default();
    o.law = STI_LAW_CONE;
    o.h = 0.05;
    o.tol = 1e-6;
    sti_bed* bed;
    assert_int_equal(sti_bed_create(env, &g, &o, &bed), STI_OK);
    for (int k = 0; k < 24; k++) assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
    sti_bed_get(bed, g.x, g.v, g.w);
    sti_bed_destroy(bed);
    o.solver = STI_BED_IPM;
    o.eps = 0.5;
    double last = INFINITY;
    for (o.max_iterations = 8; o.max_iterations <= 128; o.max_iterations *= 2) {
        assert_int_equal(sti_bed_create(env, &g, &o, &bed), STI_OK);
        sti_bed_report report;
        assert_int_equal(sti_bed_step(bed, &report), STI_OK);
        assert_true(report.residual < 0.1 && report.touching > 100);
        assert_true(report.residual <= last);
        last = report.residual;
        sti_bed_destroy(bed);
    }
    assert_true(last <= o.tol);
    sti_grains_clear(env, &g);
    sti_env_destroy(env);
}

static void a_solver_that_does_not_take_the_law_is_refused(void** state) {
    (void)state;
    sti_env* env = open_env();
    scene s;
    begin(&s, 1, 0.5, 0.3);
    sti_bed* bed;
    sti_bed_options o = sti_bed_options_default();
    o.solver = STI_BED_TRON;
    assert_int_equal(sti_bed_create(env, &s.g, &o, &bed), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(env)->text, "tron does not take the law coulomb"));
    o.law = STI_LAW_CONE;
    assert_int_equal(sti_bed_create(env, &s.g, &o, &bed), STI_ERR_ARGUMENT);
    o.law = STI_LAW_FACETS;
    o.facets = 2;
    assert_int_equal(sti_bed_create(env, &s.g, &o, &bed), STI_ERR_ARGUMENT);
    sti_env_destroy(env);
}

// Ten grains at rest, a gap between any two, hit by one that would pass three of them in the step; x (3 count), v (3
// count).
static void hit_row(double h, double x[33], double v[33]) {
    memset(x, 0, 33 * sizeof *x);
    memset(v, 0, 33 * sizeof *v);
    for (int k = 0; k < 11; k++) x[3 * k] = 1.1 * k;
    v[0] = 1.5 / h;
}

// A pair that neither could reach before is hit within the step: the range that was too narrow finds it, and the step
// is that of the problem with all pairs.
static void what_is_thrown_into_others_is_seen_in_the_same_step(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    double x[33], v[33], w[33] = {0}, radius[11], mass[11], after[2][33];
    const double h = 0.02;
    for (int k = 0; k < 11; k++) {
        radius[k] = 0.5;
        mass[k] = 1 + 0.1 * k;
    }
    hit_row(h, x, v);
    const sti_grains g = {.count = 11, .x = x, .v = v, .w = w, .radius = radius, .mass = mass, .mu = 0.3};
    for (int law = 0; law < 2; law++) {
        for (int all = 0; all < 2; all++) {
            sti_bed_options o = sti_bed_options_default();
            o.h = h;
            o.tol = 1e-10;
            if (law == 1) {
                o.law = STI_LAW_CONE;
                o.solver = STI_BED_APGD;
            }
            if (all == 1) o.eps = 20;
            sti_bed* bed;
            sti_bed_report r;
            assert_int_equal(sti_bed_create(env, &g, &o, &bed), STI_OK);
            assert_int_equal(sti_bed_step(bed, &r), STI_OK);
            assert_true(r.solved && r.penetration < 1e-3 * 0.5);
            assert_true(all == 1 ? r.again == 0 : r.again > 0);
            sti_bed_get(bed, NULL, after[all], NULL);
            sti_bed_destroy(bed);
        }
        for (int k = 0; k < 33; k++) assert_near(after[0][k], after[1][k], 1e-6 / h);
    }
    sti_env_destroy(env);
}

// mu h |t u| of each contact that carries, from velocities and normals alone; the largest is that of the report.
// Coulomb: 0.
static void every_contact_says_what_friction_lifts_it_by(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    for (int law = 0; law < 2; law++) {
        sti_bed_options o = sti_bed_options_default();
        o.h = 0.02;
        o.tol = 1e-7;
        if (law == 1) {
            o.law = STI_LAW_CONE;
            o.solver = STI_BED_APGD;
        }
        sti_bed* bed = bed_of_pebbles(env, 60, &o);
        sti_bed_report r;
        for (int step = 0; step < 60; step++) assert_int_equal(sti_bed_step(bed, &r), STI_OK);
        const int n = sti_bed_count(bed), count = sti_bed_contact_count(bed);
        double* v = calloc(6 * (size_t)n, sizeof *v);
        double most = 0;
        sti_bed_contact* c = calloc((size_t)count + 1, sizeof *c);
        assert_true(v != NULL && c != NULL && count > 20);
        sti_bed_get(bed, NULL, v, v + 3 * (size_t)n);
        sti_bed_contacts(bed, c);
        int slides = 0;
        for (int k = 0; k < count; k++) {
            const double* e = c[k].n;
            double u[3] = {0, 0, 0};
            for (int side = 0; side < 2; side++) {
                const int a = side == 0 ? c[k].a : c[k].b;
                if (a < 0) continue;
                const double *y = v + 3 * (size_t)a, *z = y + 3 * (size_t)n, sign = side == 0 ? 1 : -1;
                // velocity of its surface at -sign n radius
                const double spin[3] = {z[1] * e[2] - z[2] * e[1], z[2] * e[0] - z[0] * e[2],
                                        z[0] * e[1] - z[1] * e[0]};
                for (int i = 0; i < 3; i++) u[i] += sign * (y[i] - sign * 0.5 * spin[i]);
            }
            const double un = dot(u, e), slip = sqrt(fmax(0, dot(u, u) - un * un));
            const double mu = sti_pebble_bed_default(60).mu,
                         lift = law == 0 || dot(c[k].r, e) == 0 ? 0 : mu * o.h * slip;
            assert_near(c[k].lift, lift, 1e-9);
            slides += lift > 1e-6;
            most = fmax(most, c[k].lift);
        }
        assert_true(law == 0 || slides > 5);
        assert_near(r.lift, most, 1e-15);
        free(v);
        free(c);
        sti_bed_destroy(bed);
    }
    sti_env_destroy(env);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    for (int solver = 0; solver < STI_BED_SOLVER_COUNT; solver++) {
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            sti_bed_options o = reference_options((sti_bed_solver)solver, 1e-6);
            o.h = 0.05;
            sti_bed* bed;
            sti_status status = try_pebbles(f.env, 12, 1.4, &o, &bed);  // on the ground at once
            for (int step = 0; step < 2 && status == STI_OK; step++) status = sti_bed_step(bed, NULL);
            sti_bed_destroy(bed);
            const bool done = failing_env_close(&f);
            assert_int_equal(status, done ? STI_OK : STI_ERR_MEMORY);
            if (done) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_solver_gives_the_reference_velocities_of_small_programs),
        cmocka_unit_test(ten_grains_in_a_box_follow_the_reference_for_all_steps),
        cmocka_unit_test(a_hundred_pebbles_keep_the_reference_energy_while_it_is_determined),
        cmocka_unit_test(a_hundred_pebbles_come_to_rest_as_the_reference_ensemble_does),
        cmocka_unit_test(every_solver_reaches_the_optimum_of_one_step_of_the_pebble_bed),
        cmocka_unit_test(solvers_of_the_round_cone_agree_with_each_other),
        cmocka_unit_test(a_solver_that_does_not_take_the_law_is_refused),
        cmocka_unit_test(a_contact_that_breaks_through_is_seen_beside_others_that_part_much_faster),
        cmocka_unit_test(interior_points_return_the_best_they_had_when_their_iterations_end),
        cmocka_unit_test(what_is_thrown_into_others_is_seen_in_the_same_step),
        cmocka_unit_test(every_contact_says_what_friction_lifts_it_by),
        cmocka_unit_test(no_method_makes_more_iterations_than_it_may),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
