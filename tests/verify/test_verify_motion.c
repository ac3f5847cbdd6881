// test_verify_motion.c: recorded runs of systems by formulas and of grains: true ones pass, and whatever is forged in
// them is found by the check that is for it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/stiction.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/group_env.h"
#include "support/near.h"

// A block that slides and comes to rest, a ball that bounces on it not at all, and a pendulum by a joint.
static const char text[] =
    "{\"kind\": \"system\", \"coordinates\": [\"x\", \"y\", \"a\", \"b\"],"
    " \"kinetic\": \"(x'^2 + y'^2 + a'^2 + b'^2)/2\", \"potential\": \"9.81*(y + b)\","
    " \"contacts\": [{\"name\": \"floor\", \"gap\": \"y\", \"slip\": [\"x'\"], \"mu\": 0.3, \"restitution\": 0.5}],"
    " \"joints\": [{\"name\": \"rod\", \"constraint\": \"a^2 + b^2 - 1\"}],"
    " \"state\": {\"q\": [0, 0.2, 1, 0], \"v\": [2, 0, 0, 0]}}";
enum { N = 4, P = 2, STEPS = 100 };

static char path[300], scratch[200];

static void must(sti_status status) {
    if (status != STI_OK) print_error("%s\n", sti_env_error(group_env)->text);
    assert_int_equal(status, STI_OK);
}

static void file(const char* name, char* out, size_t size) {
    snprintf(out, size, "%s/%s", scratch, name);
}

static void drop(void) {
    static const char* const names[] = {"trajectory.h5", "checkpoint.h5", "bed.h5",
                                        "bed.h5.xdmf",   "bed.xdmf",      "other.h5"};
    char name[300];
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        file(names[k], name, sizeof name);
        remove(name);
    }
    rmdir(scratch);
}

static void use(const char* name) {
    snprintf(scratch, sizeof scratch, "test_verify_motion_%ld_%s", (long)getpid(), name);
    snprintf(path, sizeof path, "%s/trajectory.h5", scratch);
    mkdir(scratch, 0777);
}

// ---- systems

static const sti_system* load_system(sti_recorded_system* w, sti_document** document) {
    const sti_run_source source = {.text = text, .size = sizeof text - 1};
    sti_run_options o = sti_run_options_default();
    sti_simulation* s;
    sti_run* run;
    use("system");
    o.dir = scratch;
    o.time = STEPS * 0.01;
    must(sti_system_simulation(group_env, &source, NULL, &s));
    must(sti_run_create(group_env, s, &o, &run));
    must(sti_run_go(run));
    sti_run_destroy(run);
    must(sti_recorded_system_load(group_env, path, w));
    drop();
    must(sti_document_parse(group_env, w->text, strlen(w->text), "system", document));
    return sti_system_of(*document);
}

static sti_system_verification judge(const sti_recorded_system* w, const sti_system* system) {
    sti_system_verification v;
    must(sti_verify_recorded_system(group_env, w, system, NULL, &v));
    return v;
}

static void a_true_run_of_a_system_is_accepted(void** state) {
    (void)state;
    sti_recorded_system w;
    sti_document* document;
    const sti_system* system = load_system(&w, &document);
    assert_int_equal(w.rows, STEPS + 1);
    assert_int_equal(w.n, N);
    assert_int_equal(w.contact_count, P);
    const sti_system_verification v = judge(&w, system);
    for (int k = 0; k < STI_SYSTEM_CHECK_COUNT; k++) {
        if (!v.check[k].holds) fail_msg("%s: %g", sti_system_check_name((sti_system_check_kind)k), v.check[k].worst);
        assert_true(v.check[k].looked > 0);
    }
    assert_true(v.accepted);
    assert_true(v.drift < 1e-10 && v.overlap < 1e-10);
    // constant mass and forces: nothing is explained by the step, and nothing has to be but by the pendulum
    assert_true(v.momentum_defect < 1e-2);
    sti_document_destroy(document);
    sti_recorded_system_clear(group_env, &w);
}

// One number forged; the check that has to find it.
static void forged(sti_recorded_system* w, const sti_system* system, double* x, double by, sti_system_check_kind kind) {
    const double kept = *x;
    *x += by;
    const sti_system_verification v = judge(w, system);
    if (v.check[kind].holds) fail_msg("%s does not see it", sti_system_check_name(kind));
    assert_false(v.accepted);
    *x = kept;
    assert_true(judge(w, system).accepted);
}

static void what_is_forged_in_a_system_is_found(void** state) {
    (void)state;
    sti_recorded_system w;
    sti_document* document;
    const sti_system* system = load_system(&w, &document);
    long slides = -1;  // a step on the floor, without collisions
    for (long k = 1; k < STEPS && slides < 0; k++) {
        if (w.impulse_n[P * k] > 0 && w.collisions[k] == 0 && w.v[N * k] > 0.1) slides = k;
    }
    assert_true(slides > 0);
    const double p = w.impulse_n[P * slides];
    forged(&w, system, &w.impulse_n[P * slides], 0.1 * p, STI_SYSTEM_MOMENTUM);
    forged(&w, system, &w.impulse_n[P * slides], -2 * p, STI_SYSTEM_CONE);
    forged(&w, system, &w.impulse_t[2 * P * slides], -0.1 * p, STI_SYSTEM_CONE);
    forged(&w, system, &w.impulse_t[2 * P * slides], 0.2 * p, STI_SYSTEM_LAW);
    forged(&w, system, &w.impulse_n[P * 5], 0.5 * p, STI_SYSTEM_REACH);  // high above the floor
    forged(&w, system, &w.impulse_n[P * 5], 0.5 * p, STI_SYSTEM_MOMENTUM);
    forged(&w, system, &w.v[N * 7], 0.01, STI_SYSTEM_MOMENTUM);
    forged(&w, system, &w.kinetic[7], 1.0, STI_SYSTEM_ENERGY);
    forged(&w, system, &w.kinetic[9], 1e-3, STI_SYSTEM_STATE);
    forged(&w, system, &w.gap[P * 9], 1e-3, STI_SYSTEM_STATE);
    forged(&w, system, &w.q[N * STEPS + 1], -0.2, STI_SYSTEM_STATE);
    forged(&w, system, &w.gap[P * STEPS], -0.2, STI_SYSTEM_PENETRATION);
    forged(&w, system, &w.gap[P * STEPS + 1], 0.2, STI_SYSTEM_JOINT);
    forged(&w, system, &w.time[40], 0.011, STI_SYSTEM_ORDER);
    sti_document_destroy(document);
    sti_recorded_system_clear(group_env, &w);
}

// An impulse of one step, however large, is no measure of those of another.
static void a_huge_impulse_hides_no_other(void** state) {
    (void)state;
    sti_recorded_system w;
    sti_document* document;
    const sti_system* system = load_system(&w, &document);
    long slides = -1;
    for (long k = 1; k < STEPS && slides < 0; k++) {
        if (w.impulse_n[P * k] > 0 && w.collisions[k] == 0 && w.v[N * k] > 0.1) slides = k;
    }
    const double p = w.impulse_n[P * slides];
    w.impulse_n[P * 5] += 1e9;
    assert_true(judge(&w, system).check[STI_SYSTEM_CONE].holds);
    w.impulse_t[2 * P * slides] -= 0.1 * p;
    assert_false(judge(&w, system).check[STI_SYSTEM_CONE].holds);
    w.impulse_t[2 * P * slides] += 0.3 * p;
    assert_false(judge(&w, system).check[STI_SYSTEM_LAW].holds);
    sti_document_destroy(document);
    sti_recorded_system_clear(group_env, &w);
}

static void another_system_is_refused(void** state) {
    (void)state;
    sti_recorded_system w;
    sti_document *document, *other;
    const char ball[] = "{\"kind\": \"system\", \"coordinates\": [\"y\"], \"kinetic\": \"y'^2/2\"}";
    const sti_system* system = load_system(&w, &document);
    sti_system_verification v;
    must(sti_document_parse(group_env, ball, sizeof ball - 1, "ball", &other));
    assert_int_equal(sti_verify_recorded_system(group_env, &w, sti_system_of(other), NULL, &v), STI_ERR_ARGUMENT);
    sti_system_verify_options o = sti_system_verify_options_default();
    o.tol = NAN;
    assert_int_equal(sti_verify_recorded_system(group_env, &w, system, &o, &v), STI_ERR_ARGUMENT);
    sti_recorded_system_clear(group_env, &w);
    assert_int_equal(sti_recorded_system_load(group_env, "no/such.h5", &w), STI_ERR_IO);
    assert_null(w.q);
    sti_document_destroy(document);
    sti_document_destroy(other);
}

// ---- grains

enum { GRAINS = 20, BED_STEPS = 60 };

static void load_bed_by(sti_recorded_bed* w, const char* step) {
    char name[300], scene[300];
    sti_grains g;
    sti_bed* bed;
    sti_bed_record* record;
    sti_document* document;
    const int size = snprintf(scene, sizeof scene,
                              "{\"kind\": \"scene\", \"bed\": {\"layout\": \"box\", \"count\": 20, \"mu\": 0.4},"
                              " \"step\": {%s}, \"time\": 1}",
                              step);
    use("bed");
    file("bed.h5", name, sizeof name);
    must(sti_document_parse(group_env, scene, (size_t)size, "scene", &document));
    const sti_bed_scene* of = sti_bed_scene_of(document);
    must(sti_bed_scene_grains(group_env, of, &g));
    must(sti_bed_create(group_env, &g, &of->step, &bed));
    must(sti_bed_record_create(group_env, name, &g, scene, NULL, 0, &record));
    must(sti_bed_record_frame(record, bed, 0));
    for (int k = 1; k <= BED_STEPS; k++) {
        sti_bed_report report;
        must(sti_bed_step(bed, &report));
        must(sti_bed_record_step(record, &report));
        must(sti_bed_record_frame(record, bed, k));
    }
    must(sti_bed_record_commit(record, false));
    sti_bed_record_destroy(record);
    sti_bed_destroy(bed);
    sti_grains_clear(group_env, &g);
    sti_document_destroy(document);
    must(sti_recorded_bed_load(group_env, name, w));
    drop();
}

static void load_bed(sti_recorded_bed* w) {
    load_bed_by(w, "");
}

static sti_bed_verification judge_bed(const sti_recorded_bed* w) {
    sti_bed_verification v;
    must(sti_verify_recorded_bed(group_env, w, NULL, &v));
    return v;
}

static void a_true_run_of_grains_is_accepted(void** state) {
    (void)state;
    sti_recorded_bed w;
    load_bed(&w);
    assert_int_equal(w.count, GRAINS);
    assert_int_equal(w.frame_count, BED_STEPS + 1);
    assert_true(w.contact_count > 100);
    const sti_bed_verification v = judge_bed(&w);
    for (int k = 0; k < STI_BED_CHECK_COUNT; k++) {
        if (!v.check[k].holds) fail_msg("%s: %g", sti_bed_check_name((sti_bed_check_kind)k), v.check[k].worst);
        assert_true(v.check[k].looked > 0);
    }
    assert_true(v.accepted && v.check[STI_BED_MOMENTUM].worst < 1e-12 && v.check[STI_BED_LAW].worst < 1.01e-4);
    sti_recorded_bed_clear(group_env, &w);
}

static void forged_bed(sti_recorded_bed* w, double* x, double by, sti_bed_check_kind kind) {
    const double kept = *x;
    *x += by;
    const sti_bed_verification v = judge_bed(w);
    if (v.check[kind].holds) fail_msg("%s does not see it", sti_bed_check_name(kind));
    assert_false(v.accepted);
    *x = kept;
}

static void what_is_forged_in_grains_is_found(void** state) {
    (void)state;
    sti_recorded_bed w;
    load_bed(&w);
    const long last = BED_STEPS, c = (long)w.contact_end[last] - 1;
    const size_t grain = 3 * ((size_t)last * GRAINS + 4);
    long carries = c;  // a contact of the last frame that carries
    while (carries > (long)w.contact_end[last - 1] && !(fabs(w.r[3 * carries]) + fabs(w.r[3 * carries + 2]) > 0))
        carries--;
    const double *n = w.n + 3 * carries, *r = w.r + 3 * carries;
    const double p = n[0] * r[0] + n[1] * r[1] + n[2] * r[2];
    assert_true(p > 0);
    forged_bed(&w, &w.solved[3], -1, STI_BED_SOLVED);
    forged_bed(&w, &w.frame_time[4], 1, STI_BED_ORDER);
    forged_bed(&w, &w.x[grain], 0.01, STI_BED_MOTION);
    forged_bed(&w, &w.v[grain], 0.1, STI_BED_KINETIC);
    forged_bed(&w, &w.v[grain], 0.1, STI_BED_MOMENTUM);
    forged_bed(&w, &w.w[grain], 0.1, STI_BED_SPIN);
    forged_bed(&w, &w.n[3 * carries], 0.01, STI_BED_NORMAL);
    forged_bed(&w, &w.gap[carries], 0.01, STI_BED_NORMAL);
    forged_bed(&w, &w.gap[carries], 0.01, STI_BED_LAW);
    for (int i = 0; i < 3; i++) w.r[3 * carries + i] -= 2 * p * n[i];
    assert_false(judge_bed(&w).check[STI_BED_CONE].holds);
    for (int i = 0; i < 3; i++) w.r[3 * carries + i] += 2 * p * n[i];
    for (int i = 0; i < 3; i++) w.x[grain + (size_t)i] = w.x[grain + 3 + (size_t)i] + (i == 0 ? 0.1 : 0);
    assert_false(judge_bed(&w).check[STI_BED_PENETRATION].holds);
    sti_recorded_bed_clear(group_env, &w);
}

// The impulses of steps by facets obey their law: where one is changed, or facets stand otherwise, they do not.
static void the_law_of_facets_is_looked_at(void** state) {
    (void)state;
    sti_recorded_bed w;
    sti_bed_verification v;
    sti_bed_verify_options o = sti_bed_verify_options_default();
    for (o.facets = 3; o.facets <= 6; o.facets++) {
        char law[80];
        snprintf(law, sizeof law, "\"law\": \"facets\", \"facets\": %d, \"solver\": \"apgd\", \"tol\": 1e-7", o.facets);
        load_bed_by(&w, law);
        o.law = STI_LAW_FACETS;
        o.step_tol = 1e-7;
        must(sti_verify_recorded_bed(group_env, &w, &o, &v));
        if (!v.accepted) print_error("%d facets: law %g\n", o.facets, v.check[STI_BED_LAW].worst);
        assert_true(v.accepted && v.check[STI_BED_LAW].looked > 10);
        o.facets++;
        must(sti_verify_recorded_bed(group_env, &w, &o, &v));
        assert_true(v.check[STI_BED_LAW].worst > 1e-3);
        o.facets--;
        o.law = STI_LAW_CONE;
        must(sti_verify_recorded_bed(group_env, &w, &o, &v));
        assert_true(v.check[STI_BED_LAW].worst > 1e-3);
        sti_recorded_bed_clear(group_env, &w);
    }
    o.law = STI_LAW_FACETS;
    o.facets = 2;
    load_bed(&w);
    assert_int_equal(sti_verify_recorded_bed(group_env, &w, &o, &v), STI_ERR_ARGUMENT);
    sti_recorded_bed_clear(group_env, &w);
}

// Walls with an ellipse, then with a polygon; told to be turned, or a disc, they are no longer those of the run.
static void friction_of_walls_that_is_no_disc_is_looked_at(void** state) {
    (void)state;
    static const char* const walls[] = {"\"ellipse\": {\"axes\": [1.2, 0.3]}",
                                        "\"polygon\": [[1.2, 0], [0, 0.3], [-1.2, 0], [0, -0.3]]"};
    const sti_bed_verify_options o = {.tol = 1e-6, .step_tol = 1e-7, .facets = 3, .recover = 1};
    for (int k = 0; k < 2; k++) {
        char step[200];
        sti_recorded_bed w;
        sti_bed_verification v;
        snprintf(step, sizeof step, "\"tol\": 1e-7, \"h\": 0.02}, \"walls\": {\"along\": [1, 2, 3], %s", walls[k]);
        load_bed_by(&w, step);
        must(sti_verify_recorded_bed(group_env, &w, &o, &v));
        assert_true(v.accepted && v.check[STI_BED_LAW].looked > 10 && v.check[STI_BED_CONE].looked > 100);
        w.friction[0].along[0] = -1;
        must(sti_verify_recorded_bed(group_env, &w, &o, &v));
        assert_true(!v.check[STI_BED_LAW].holds && !v.check[STI_BED_CONE].holds);
        w.friction[0].along[0] = 1;
        const sti_section kept = w.friction[0].section;
        w.friction[0].section = (sti_section){.shape = STI_SECTION_DISC};
        must(sti_verify_recorded_bed(group_env, &w, &o, &v));
        assert_false(v.check[STI_BED_LAW].holds);
        w.friction[0].section = kept;
        w.friction[0].section.axes[1] = -1;
        w.friction[0].section.vertex_count = 2;
        assert_int_equal(sti_verify_recorded_bed(group_env, &w, &o, &v), STI_ERR_ARGUMENT);
        w.friction[0].section = kept;
        memset(w.friction[0].along, 0, sizeof w.friction[0].along);
        assert_int_equal(sti_verify_recorded_bed(group_env, &w, &o, &v), STI_ERR_ARGUMENT);
        sti_recorded_bed_clear(group_env, &w);
    }
}

// ---- failing allocations

static void every_allocation_may_fail(void** state) {
    (void)state;
    sti_recorded_system w;
    sti_document* document;
    const sti_system* system = load_system(&w, &document);
    sti_recorded_bed bed;
    load_bed(&bed);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_system_verification v;
        sti_bed_verification b;
        sti_status status = sti_verify_recorded_system(f.env, &w, system, NULL, &v);
        if (status == STI_OK) status = sti_verify_recorded_bed(f.env, &bed, NULL, &b);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
    sti_document_destroy(document);
    sti_recorded_system_clear(group_env, &w);
    sti_recorded_bed_clear(group_env, &bed);
}

static void reading_may_run_out_of_memory(void** state) {
    (void)state;
    char name[300];
    const sti_run_source source = {.text = text, .size = sizeof text - 1};
    sti_run_options o = sti_run_options_default();
    sti_simulation* s;
    sti_run* run;
    use("reading");
    o.dir = scratch;
    o.time = 0.05;
    must(sti_system_simulation(group_env, &source, NULL, &s));
    must(sti_run_create(group_env, s, &o, &run));
    must(sti_run_go(run));
    sti_run_destroy(run);
    sti_recorded_bed bed;
    assert_int_equal(sti_recorded_bed_load(group_env, path, &bed), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(group_env)->text, "scene: missing"));
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_recorded_system w;
        const sti_status status = sti_recorded_system_load(f.env, path, &w);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_recorded_system_clear(f.env, &w);
        if (failing_env_close(&f)) break;
    }
    file("other.h5", name, sizeof name);
    sti_grains g;
    sti_document* document;
    sti_bed* grains;
    sti_bed_record* record;
    const char scene[] =
        "{\"kind\": \"scene\", \"bed\": {\"layout\": \"box\", \"count\": 5}, \"time\": 1,"
        " \"walls\": {\"along\": [1, 1, 1], \"polygon\": [[1, 0], [0, 1], [-1, -1]]}}";
    must(sti_document_parse(group_env, scene, sizeof scene - 1, "scene", &document));
    must(sti_bed_scene_grains(group_env, sti_bed_scene_of(document), &g));
    must(sti_bed_create(group_env, &g, NULL, &grains));
    must(sti_bed_record_create(group_env, name, &g, scene, NULL, 0, &record));
    must(sti_bed_record_frame(record, grains, 0));
    must(sti_bed_record_commit(record, false));
    sti_bed_record_destroy(record);
    sti_bed_destroy(grains);
    sti_grains_clear(group_env, &g);
    sti_document_destroy(document);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        const sti_status status = sti_recorded_bed_load(f.env, name, &bed);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_recorded_bed_clear(f.env, &bed);
        if (failing_env_close(&f)) break;
    }
    file("other.xdmf", name, sizeof name);
    remove(name);
    drop();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_true_run_of_a_system_is_accepted),
        cmocka_unit_test(what_is_forged_in_a_system_is_found),
        cmocka_unit_test(a_huge_impulse_hides_no_other),
        cmocka_unit_test(another_system_is_refused),
        cmocka_unit_test(a_true_run_of_grains_is_accepted),
        cmocka_unit_test(friction_of_walls_that_is_no_disc_is_looked_at),
        cmocka_unit_test(the_law_of_facets_is_looked_at),
        cmocka_unit_test(what_is_forged_in_grains_is_found),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(reading_may_run_out_of_memory),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
