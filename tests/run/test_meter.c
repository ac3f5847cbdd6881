// A run as a measure: a bouncing ball in closed form, as a system and as a body; the same as a path of all steps, of
// grains too; which impacts are kept; hypotheses that fail; failing allocations.
#include <math.h>
#include <stdio.h>
#include <stiction/stiction.h>
#include <string.h>

#include "run/meter.h"
#include "support/group_env.h"
#include "support/near.h"

static const double g = 9.81;

static const char ball[] =
    "{\"kind\": \"system\", \"coordinates\": [\"y\"], \"parameters\": {\"m\": 2, \"e\": 0.8},"
    " \"kinetic\": \"m/2*y'^2\", \"potential\": \"9.81*m*y\","
    " \"contacts\": [{\"name\": \"table\", \"gap\": \"y\", \"restitution\": \"e\"}], \"state\": {\"q\": [1], \"v\": "
    "[0]}}";

// A block between a floor and a ceiling: both touch, and no velocity opens both.
static const char wedged[] =
    "{\"kind\": \"system\", \"coordinates\": [\"x\", \"y\"], \"parameters\": {\"room\": 0},"
    " \"kinetic\": \"(x'^2 + (1 + x^2)*y'^2)/2\", \"potential\": \"9.81*y\","
    " \"contacts\": [{\"name\": \"floor\", \"gap\": \"y\", \"slip\": [\"x'\"], \"mu\": 0.1},"
    "  {\"name\": \"ceiling\", \"gap\": \"room - y\", \"slip\": [\"x'\"], \"mu\": 0.1}],"
    " \"state\": {\"q\": [0, 0], \"v\": [1, 0]}}";

static const char disc[] =
    "{\"kind\": \"scene\", \"dimension\": 2, \"gravity\": [0, -9.81], \"parameters\": {\"e\": 0.5},"
    " \"materials\": {\"steel\": {\"mu\": 0.3, \"restitution\": \"e\"}},"
    " \"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"material\": \"steel\","
    "   \"shape\": {\"type\": \"halfspace\", \"normal\": [0, 1]}},"
    "  {\"name\": \"ball\", \"material\": \"steel\", \"mass\": 2, \"inertia\": 0.01,"
    "   \"shape\": {\"type\": \"disc\", \"radius\": 0.1}, \"position\": [0, 1.1]}],"
    " \"step\": {\"h\": 0.001, \"alpha\": 0.5}, \"time\": 1}";

static void must(sti_status status) {
    if (status != STI_OK) print_error("%s\n", sti_env_error(group_env)->text);
    assert_int_equal(status, STI_OK);
}

static sti_status go(sti_env* in, sti_simulation* s, double time, sti_run** out) {
    sti_run_options o = sti_run_options_default();
    o.time = time;
    const sti_status status = sti_run_create(in, s, &o, out);
    return status == STI_OK ? sti_run_go(*out) : status;
}

static sti_run* run_system(const char* text, const char* settings, const sti_stepper_options* options, double time) {
    const sti_run_source source = {.text = text, .size = strlen(text), .settings = settings};
    sti_simulation* s;
    sti_run* run;
    must(sti_system_simulation(group_env, &source, options, &s));
    must(go(group_env, s, time, &run));
    return run;
}

// From a height of 1: impact k at t_k with the speed e^k V, each an atom of (1 + e) e^k V; between impacts gravity
// turns the velocity, and in a step of length h with an impact the two work against each other.
static void a_bouncing_ball_has_the_measures_of_its_closed_form(void** state) {
    (void)state;
    const double e = 0.8, m = 2, V = sqrt(2 * g), h = 0.01, T = 3;
    sti_run* run = run_system(ball, NULL, NULL, T);
    const sti_run_measure* x = sti_system_run_of(run)->measure;
    double t = V / g, speed = V, sum = 0, before = 0;
    int count = 0;
    for (; t < T; t += 2 * speed / g, count++) {
        assert_near(x->atom_time[count], t, 1e-9);
        assert_near(x->atom_size[count], (1 + e) * speed, 1e-9);
        sum += (1 + e) * speed;
        speed *= e;
        if (count == 0) before = g * h * floor(t / h);  // speed at the end of the last step of the fall
    }
    assert_int_equal(count, 6);
    assert_int_equal(x->atoms, count);
    assert_int_equal(x->atom_count, count);
    assert_true(x->located);
    assert_near(x->atom_sum, sum, 1e-8);
    assert_near(x->sizes.impulses, m * sum, 1e-8);
    assert_near(x->sizes.variation, sum + g * T - 2 * g * h * count, 1e-8);
    assert_near(x->sizes.speed, before, 1e-9);
    assert_near(x->sizes.jump, (1 + e) * V - g * h, 1e-9);
    assert_near(x->sizes.jump_time, 0.46, 1e-12);
    assert_near(x->pointed, 1, 1e-12);
    assert_true(x->touched >= count && x->passed == 0 && !x->mass_varies && !x->mass_flat);
    sti_run_destroy(run);
}

// Schemes that do not locate impacts: the first step brings the ball to the table, the second stops it. It ends at
// rest, so that the table gave back all that gravity gave.
static void impacts_that_are_not_located_are_those_of_steps(void** state) {
    (void)state;
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_CONVEX);
    o.step = 1e-3;
    sti_run* run = run_system(ball, "e=0", &o, 0.6);
    const sti_run_measure* x = sti_system_run_of(run)->measure;
    assert_false(x->located);
    assert_int_equal(x->atoms, 1);
    assert_near(x->atom_time[0], sqrt(2 / g), 2e-3);
    assert_true(x->atom_size[0] > 0 && x->atom_size[0] < sqrt(2 * g) + 0.02);
    assert_near(x->sizes.variation, 2 * sqrt(2 * g), 0.02);
    assert_near(x->sizes.impulses, 2 * g * 0.6, 0.03);
    sti_run_destroy(run);
}

static void a_ball_as_a_body_has_them_up_to_h(void** state) {
    (void)state;
    const sti_run_source source = {.text = disc, .size = sizeof disc - 1};
    sti_simulation* s;
    sti_run* run;
    const double e = 0.5, V = sqrt(2 * g), first = V / g, second = first + 2 * e * V / g;
    must(sti_world_simulation(group_env, &source, &s));
    must(go(group_env, s, 1, &run));
    const sti_run_measure* x = sti_world_run_of(run)->measure;
    assert_true(second < 1 && second + 2 * e * e * V / g > 1);
    assert_int_equal(x->atoms, 2);
    assert_near(x->atom_time[0], first, 2e-3);
    assert_near(x->atom_time[1], second, 2e-3);
    assert_near(x->atom_size[0], (1 + e) * V, 0.03);
    assert_near(x->atom_size[1], (1 + e) * e * V, 0.03);
    assert_near(x->sizes.variation, (1 + e) * (1 + e) * V + g, 0.05);
    assert_near(x->sizes.speed, V, 0.02);
    assert_true(x->alpha == 0.5 && x->looked <= 2 && (isnan(x->pointed) || fabs(x->pointed - 1) < 1e-9));
    sti_run_destroy(run);
}

// It begins and ends at rest: the floor gave back all that gravity gave.
static void impulses_of_a_body_that_stays_down_are_its_weight_over_the_time(void** state) {
    (void)state;
    const sti_run_source source = {.text = disc, .size = sizeof disc - 1, .settings = "e=0,step.alpha=1"};
    sti_simulation* s;
    sti_run* run;
    must(sti_world_simulation(group_env, &source, &s));
    must(go(group_env, s, 1, &run));
    const sti_run_measure* x = sti_world_run_of(run)->measure;
    assert_near(x->sizes.impulses, 2 * g, 0.03);
    assert_near(x->pointed, 1, 1e-9);  // (n, t, arm t) with mu 0.3: the middle generator
    assert_true(x->touched > 10 && x->passed == 0 && x->pointed_at > 0.4);
    assert_int_equal(x->atoms, 1);
    assert_true(x->atom_size[0] > 0 && x->atom_size[0] < sqrt(2 * g) + 0.02);
    assert_near(x->sizes.variation, 2 * sqrt(2 * g), 0.02);
    sti_run_destroy(run);
}

// Rows taken one by one are those of a path, to the last bit.
static void measures_are_those_of_a_path_of_all_steps(void** state) {
    (void)state;
    const sti_run_source source = {.text = ball, .size = sizeof ball - 1};
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    o.alpha = 0.7;
    sti_document* document;
    sti_stepper* s;
    sti_path* path;
    sti_path_measures p;
    sti_run* run = run_system(ball, NULL, &o, 2);
    const sti_path_measures* x = &sti_system_run_of(run)->measure->sizes;
    must(sti_document_parse(group_env, source.text, source.size, "ball", &document));
    must(sti_stepper_create(group_env, sti_system_of(document), &o, &s));
    must(sti_path_create(group_env, 1, 1, o.alpha, &path));
    must(sti_path_add(path, 0, sti_stepper_q(s), sti_stepper_v(s), 0));
    for (int l = 0; l < 200; l++) {
        sti_step_report r;
        must(sti_stepper_step(s, &r));
        must(sti_path_add(path, sti_stepper_time(s), sti_stepper_q(s), sti_stepper_v(s), r.impulse_n[0]));
    }
    sti_path_measure(path, &p);
    assert_true(p.variation > 10 && p.variation == x->variation && p.weighted_variation == x->weighted_variation);
    assert_true(p.speed == x->speed && p.jump == x->jump && p.jump_time == x->jump_time);
    assert_true(p.impulses == x->impulses);
    sti_path_destroy(path);
    sti_stepper_destroy(s);
    sti_document_destroy(document);
    sti_run_destroy(run);
}

static const char grains[] =
    "{\"kind\": \"scene\", \"bed\": {\"layout\": \"box\", \"count\": 12, \"seed\": 4, \"mu\": 0.3},"
    " \"step\": {\"h\": 0.01, \"tol\": 1e-8}, \"time\": 1}";

// What a step changed of the grains that others, or walls, ran into; -1: of none.
static double change_of_hit(const sti_bed* bed, int n, const double* before, const double* after, double least) {
    sti_bed_contact contact[400];
    bool hit[20] = {false}, any = false;
    double sum = 0;
    const int count = sti_bed_contact_count(bed);
    assert_true(count <= 400 && n <= 20);
    sti_bed_contacts(bed, contact);
    for (int k = 0; k < count; k++) {
        const sti_bed_contact* c = &contact[k];
        double speed = 0, force = 0;
        for (int i = 0; i < 3; i++) {
            speed += c->n[i] * (before[3 * c->a + i] - (c->b >= 0 ? before[3 * c->b + i] : 0));
            force += c->n[i] * c->r[i];
        }
        if (force <= 0 || -speed <= least) continue;
        hit[c->a] = any = true;
        if (c->b >= 0) hit[c->b] = true;
    }
    double most = 0;
    for (int k = 0; k < 6 * n; k++) sum += hit[k % (3 * n) / 3] ? pow(after[k] - before[k], 2) : 0;
    for (int k = 0; k < n; k++) {
        const double *x = before + 3 * k, *y = after + 3 * k;
        most = fmax(most, hypot(hypot(y[0] - x[0], y[1] - x[1]), y[2] - x[2]));
    }
    return any && most > least / 2 ? sqrt(sum) : -1;
}

static void grains_have_the_measures_of_their_steps(void** state) {
    (void)state;
    const sti_run_source source = {.text = grains, .size = sizeof grains - 1};
    sti_simulation* s;
    sti_run* run;
    sti_document* document;
    sti_grains start;
    sti_bed* bed;
    sti_path* path;
    sti_path_measures p;
    sti_bed_report r;
    double v[2][72], x[36], hits = 0, sum = 0;
    must(sti_bed_simulation(group_env, &source, &s));
    must(go(group_env, s, 1, &run));
    const sti_run_measure* m = sti_bed_run_of(run)->measure;
    must(sti_document_parse(group_env, source.text, source.size, "grains", &document));
    must(sti_bed_scene_grains(group_env, sti_bed_scene_of(document), &start));
    must(sti_bed_create(group_env, &start, &sti_bed_scene_of(document)->step, &bed));
    must(sti_path_create(group_env, 36, 72, 1, &path));
    sti_bed_get(bed, x, v[0], v[0] + 36);
    must(sti_path_add(path, 0, x, v[0], 0));
    for (int l = 0; l < 100; l++) {
        double *before = v[l % 2], *after = v[1 - l % 2];
        must(sti_bed_step(bed, &r));
        sti_bed_get(bed, x, after, after + 36);
        must(sti_path_add(path, r.time, x, after, r.impulses));
        const double size = change_of_hit(bed, 12, before, after, 2 * 0.01 * g);
        hits += size >= 0;
        sum += size >= 0 ? size : 0;
    }
    sti_path_measure(path, &p);
    assert_true(p.variation > 20 && p.variation == m->sizes.variation && p.speed == m->sizes.speed);
    assert_true(p.weighted_variation == m->sizes.weighted_variation && p.jump == m->sizes.jump);
    assert_true(p.impulses > 1 && p.impulses == m->sizes.impulses);
    assert_true(hits > 2 && hits < 90 && (double)m->atoms == hits);
    assert_near(m->atom_sum, sum, 1e-12 * sum);
    sti_path_destroy(path);
    sti_bed_destroy(bed);
    sti_grains_clear(group_env, &start);
    sti_document_destroy(document);
    sti_run_destroy(run);
}

static void hypotheses_that_fail_are_seen_to_fail(void** state) {
    (void)state;
    sti_run* run = run_system(wedged, NULL, NULL, 0.1);
    const sti_run_measure* x = sti_system_run_of(run)->measure;
    assert_true(x->pointed == 0 && x->mass_varies && !x->mass_flat && x->touched > 0);
    sti_run_destroy(run);
    run = run_system(wedged, "room=1", NULL, 0.1);
    x = sti_system_run_of(run)->measure;
    assert_true(x->pointed > 0.5);
    sti_run_destroy(run);
}

// A point slides on a floor, 0.165 radians off a corner: that corner is 2 sin(0.165 / 2) of the friction away from the
// round one in the first step, and no corner is ever farther than 2 sin(pi / 16).
static void what_facets_changed_is_bounded(void** state) {
    (void)state;
    static const char point[] =
        "{\"kind\": \"system\", \"coordinates\": [\"x\", \"y\", \"z\"], \"kinetic\": \"(x'^2 + y'^2 + z'^2)/2\","
        " \"potential\": \"9.81*z\", \"contacts\": [{\"name\": \"floor\", \"gap\": \"z\", \"slip\": [\"x'\", \"y'\"],"
        " \"mu\": 0.3}], \"state\": {\"q\": [0, 0, 0], \"v\": [3, 0.5, 0]}}";
    const double pi = 3.14159265358979, bound = 0.3 * g * 0.001;
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    o.step = 0.001;
    sti_run* run = run_system(point, NULL, &o, 0.001);
    const sti_system_run* x = sti_system_run_of(run);
    assert_true(x->facet_steps == 1 && x->facet_passed == 0);
    assert_near(x->facet_impulse, bound * 2 * sin(atan(0.5 / 3) / 2), 1e-3 * bound);
    assert_near(x->worst_facet * bound, x->facet_impulse, 1e-12);
    sti_run_destroy(run);
    for (o.facets = 8; o.facets <= 64; o.facets *= 2) {
        run = run_system(point, NULL, &o, 1.5);  // to rest, and there
        x = sti_system_run_of(run);
        assert_true(x->facet_steps == 1500 && x->worst_facet > 0);
        assert_true(x->worst_facet <= 2 * sin(pi / 2 / o.facets) * (1 + 1e-9));
        sti_run_destroy(run);
    }
    o.facets = 8;
    o.friction = STI_FRICTION_CONE;
    run = run_system(point, NULL, &o, 0.1);
    assert_true(sti_system_run_of(run)->facet_steps == 0);
    sti_run_destroy(run);
}

// 250 impacts in a shuffled order of sizes: those kept are the hundred largest, in order of time.
static void the_largest_impacts_are_kept_in_order_of_time(void** state) {
    (void)state;
    sti_meter* meter;
    double sum = 0;
    must(sti_meter_create(group_env, 1, 1, &meter));
    for (int k = 0; k < 250; k++) {
        const double size = 1 + k * 77 % 250;  // each of 1 .. 250 once
        sti_meter_atom(meter, k, size);
        sum += size;
    }
    const sti_run_measure* m = &meter->m;
    assert_int_equal(m->atoms, 250);
    assert_int_equal(m->atom_count, STI_RUN_ATOMS);
    assert_near(m->atom_sum, sum, 0);
    for (int k = 0; k < m->atom_count; k++) {
        assert_true(m->atom_size[k] > 150 && (k == 0 || m->atom_time[k] > m->atom_time[k - 1]));
        assert_near(m->atom_size[k], 1 + (int)m->atom_time[k] * 77 % 250, 0);
    }
    sti_meter_destroy(meter);
}

// Instants to look at grow with the logarithm of the steps, whatever happens.
static void few_instants_are_looked_at(void** state) {
    (void)state;
    sti_meter* meter;
    long looked = 0;
    must(sti_meter_create(group_env, 1, 1, &meter));
    for (long k = 1; k <= 1000000; k++) looked += sti_meter_due(meter, k, true);
    assert_true(looked > 200 && looked < 500);
    sti_meter_destroy(meter);
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    const sti_run_source source = {.text = wedged, .size = sizeof wedged - 1};
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_simulation* s = NULL;
        sti_run* run = NULL;
        sti_status status = sti_system_simulation(f.env, &source, NULL, &s);
        if (status == STI_OK) status = go(f.env, s, 0.02, &run);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_run_destroy(run);
        if (failing_env_close(&f)) break;
    }
}

// Along a corner facets change nothing, whatever friction the step took: that of sliding, or what it was at its start.
static void facets_change_nothing_along_a_corner(void** state) {
    (void)state;
    static const char* const frictions[] = {"\"mu\": 0.5, \"mu_kinetic\": 0.3", "\"mu\": \"0.3/(1 + x)\""};
    for (int k = 0; k < 2; k++) {
        char text[500];
        snprintf(text, sizeof text,
                 "{\"kind\": \"system\", \"coordinates\": [\"x\", \"y\", \"z\"], \"kinetic\":"
                 " \"(x'^2 + y'^2 + z'^2)/2\", \"potential\": \"9.81*z\", \"contacts\": [{\"gap\": \"z\","
                 " \"slip\": [\"x'\", \"y'\"], %s}], \"state\": {\"q\": [0, 0, 0], \"v\": [3, 0, 0]}}",
                 frictions[k]);
        sti_run* run = run_system(text, NULL, NULL, 0.2);
        const sti_system_run* x = sti_system_run_of(run);
        assert_true(x->facet_steps > 0);
        assert_near(x->facet_impulse, 0, 1e-12);
        sti_run_destroy(run);
    }
}

// Lying still under oblique slips, Lemke's method leaves a sliding speed that is rounding: it has no direction, and
// what lies still sticks in the disc too.
static void facets_change_nothing_of_what_lies_still(void** state) {
    (void)state;
    static const char text[] =
        "{\"kind\": \"system\", \"coordinates\": [\"x\", \"y\", \"z\"], \"kinetic\": \"(x'^2 + y'^2 + z'^2)/4\","
        " \"potential\": \"0.4*x + 2.6*y - 1.1*z\", \"contacts\": [{\"gap\": \"0.3*y - 0.1*z\", \"mu\": 0.3,"
        " \"slip\": [\"-0.6*y'\", \"0.7*y' - 0.8*z'\"]}]}";
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    o.alpha = 1;
    o.step = 0.005;
    sti_run* run = run_system(text, NULL, &o, 0.5);
    const sti_system_run* x = sti_system_run_of(run);
    assert_true(x->facet_steps == 100 && x->contact[0].impulse_n > 0);
    assert_true(x->facet_impulse == 0 && x->worst_facet == 0);
    sti_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bouncing_ball_has_the_measures_of_its_closed_form),
        cmocka_unit_test(impacts_that_are_not_located_are_those_of_steps),
        cmocka_unit_test(a_ball_as_a_body_has_them_up_to_h),
        cmocka_unit_test(impulses_of_a_body_that_stays_down_are_its_weight_over_the_time),
        cmocka_unit_test(measures_are_those_of_a_path_of_all_steps),
        cmocka_unit_test(grains_have_the_measures_of_their_steps),
        cmocka_unit_test(hypotheses_that_fail_are_seen_to_fail),
        cmocka_unit_test(what_facets_changed_is_bounded),
        cmocka_unit_test(facets_change_nothing_along_a_corner),
        cmocka_unit_test(facets_change_nothing_of_what_lies_still),
        cmocka_unit_test(the_largest_impacts_are_kept_in_order_of_time),
        cmocka_unit_test(few_instants_are_looked_at),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
