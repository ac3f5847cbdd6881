// The life of a simulation: named fields in a file, a run that goes on bit by bit, one that is stopped, saved by
// others, failing allocations.
#include <stdio.h>
#include <stdlib.h>
#include <stiction/stiction.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/group_env.h"
#include "support/near.h"

static const char scene[] =
    "{\"kind\": \"navigation\", \"step\": 0.02, \"time\": 2, \"parameters\": {\"f\": 1},"
    " \"vehicles\": [{\"name\": \"a\", \"cage\": 0.2, \"force\": [\"f\", 0], \"q\": [0, 0]},"
    "  {\"name\": \"b\", \"cage\": 0.2, \"force\": [\"-f\", 0], \"q\": [1, 0.1]}],"
    " \"walls\": [{\"point\": [0, -0.3], \"normal\": [0, 1]}]}";

// A peg pushed down on a floor: it moves for 40 steps, and then there is no solution.
static const char peg[] =
    "{\"kind\": \"manipulation\", \"h\": 0.05, \"steps\": 60, \"parameters\": {\"speed\": 0.05}, \"mu\": 0.2,"
    " \"parts\": [{\"name\": \"peg\", \"polygon\": [[-0.8, -0.4], [0.8, -0.4], [0.8, 0.4], [-0.8, 0.4]],"
    "  \"support\": {\"points\": [[0.4, 0, 1], [-0.2, 0.35, 1], [-0.2, -0.35, 1]]}, \"pose\": [0, 0.2, 0]}],"
    " \"fixtures\": [{\"name\": \"floor\", \"polygon\": [[-2, -1], [2, -1], [2, -0.4], [-2, -0.4]]}],"
    " \"probes\": [{\"name\": \"probe\", \"tips\": [[0, 0.6]], \"direction\": \"-pi/2\", \"speed\": \"speed\"}]}";

// A ball that bounces, and slides where it lands.
static const char ball[] =
    "{\"kind\": \"system\", \"coordinates\": [\"x\", \"y\"], \"parameters\": {\"e\": 0.5, \"rise\": 1},"
    " \"kinetic\": \"(x'^2 + y'^2)/2\", \"potential\": \"9.81*y\","
    " \"contacts\": [{\"name\": \"floor\", \"gap\": \"y\", \"slip\": [\"x'\"], \"mu\": 0.1, \"restitution\": \"e\"},"
    "  {\"name\": \"wall\", \"gap\": \"2 - x\", \"restitution\": \"e\"}],"
    " \"state\": {\"q\": [0, \"rise\"], \"v\": [3, 0]}}";

// A box dropped on the ground, turned a little, with a start that overlaps.
static const char box[] =
    "{\"kind\": \"scene\", \"dimension\": 2, \"parameters\": {\"mu\": 0.5},"
    " \"materials\": {\"wood\": {\"mu\": \"mu\", \"restitution\": 0.2}},"
    " \"bodies\": [{\"name\": \"ground\", \"fixed\": true, \"material\": \"wood\","
    "   \"shape\": {\"type\": \"halfspace\", \"normal\": [0, 1]}},"
    "  {\"name\": \"low\", \"material\": \"wood\", \"shape\": {\"type\": \"disc\", \"radius\": 0.1}, \"position\": [1, "
    "0.099]},"
    "  {\"name\": \"box\", \"material\": \"wood\", \"shape\": {\"type\": \"box\", \"half\": [0.2, 0.1]},"
    "   \"position\": [0, 0.3], \"angle\": 0.2, \"velocity\": [0.5, 0]}],"
    " \"step\": {\"h\": 0.01}, \"time\": 1}";

// Grains that flow through an opening, and come in again.
static const char flow[] =
    "{\"kind\": \"scene\", \"bed\": {\"layout\": \"pebble-bed\", \"count\": 40, \"cylinder\": 2.5, \"opening\": 1.8,"
    " \"recirculate\": true}, \"step\": {\"h\": 0.01, \"tol\": 1e-4}, \"time\": 2, \"until\": {\"kinetic\": 0}}";

static const char bed[] =
    "{\"kind\": \"scene\", \"bed\": {\"layout\": \"settle\", \"count\": 10}, \"time\": 20, \"until\": {\"kinetic\": "
    "1e-6}}";

static char dir[200], csv[300];

static void must(sti_status status) {
    if (status != STI_OK) print_error("%s\n", sti_env_error(group_env)->text);
    assert_int_equal(status, STI_OK);
}

// In the folder of that name, anew.
static void use(const char* name) {
    snprintf(dir, sizeof dir, "test_run_%ld_%s", (long)getpid(), name);
    snprintf(csv, sizeof csv, "%s/steps.csv", dir);
    mkdir(dir, 0777);
}

static void drop(void) {
    static const char* const names[] = {"trajectory.h5", "checkpoint.h5", "steps.csv",
                                        "fields.h5",     "contacts.csv",  "trajectory.xdmf"};
    for (int k = 0; k < 6; k++) {
        char path[300];
        snprintf(path, sizeof path, "%s/%s", dir, names[k]);
        remove(path);
    }
    rmdir(dir);
}

static sti_status make(sti_env* in, sti_simulation** out) {
    const sti_run_source source = {.text = scene, .size = sizeof scene - 1, .name = "scene.json", .settings = "f=0.9"};
    return sti_navigation_simulation(in, &source, out);
}

static sti_status make_peg(sti_env* in, sti_simulation** out) {
    const sti_run_source source = {.text = peg, .size = sizeof peg - 1, .settings = "speed=0.1"};
    return sti_push_simulation(in, &source, 0, out);
}

// Its restitution as a matrix, which the checkpoint has to keep.
static sti_status make_ball(sti_env* in, sti_simulation** out) {
    const sti_run_source source = {.text = ball, .size = sizeof ball - 1, .settings = "rise=0.5"};
    const double E[] = {0.6, 0, 0, 0.4};
    sti_stepper_options options = sti_stepper_options_default(STI_SCHEME_ALPHA);
    options.law = STI_IMPACT_GENERAL;
    options.E = E;
    options.alpha = 0.75;
    return sti_system_simulation(in, &source, &options, out);
}

static sti_status make_box(sti_env* in, sti_simulation** out) {
    const sti_run_source source = {.text = box, .size = sizeof box - 1, .settings = "mu=0.3"};
    return sti_world_simulation(in, &source, out);
}

// The same by events.
static sti_status make_located(sti_env* in, sti_simulation** out) {
    const sti_run_source source = {.text = box, .size = sizeof box - 1, .settings = "mu=0.3"};
    return sti_world_system_simulation(in, &source, NULL, out);
}

static sti_status make_flow(sti_env* in, sti_simulation** out) {
    const sti_run_source source = {.text = flow, .size = sizeof flow - 1, .name = "flow", .settings = "mu=0.3"};
    return sti_bed_simulation(in, &source, out);
}

static sti_run_options with_files(double time) {
    sti_run_options o = sti_run_options_default();
    o.dir = dir;
    o.csv = csv;
    o.time = time;
    o.curve = true;
    return o;
}

static char* contents(const char* name, long* size) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE* f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = ftell(f);
    rewind(f);
    char* bytes = malloc((size_t)*size + 1);
    assert_int_equal(fread(bytes, 1, (size_t)*size, f), *size);
    fclose(f);
    return bytes;
}

// ---- fields

static void fields_come_back_by_their_names(void** state) {
    (void)state;
    use("fields");
    char path[300];
    snprintf(path, sizeof path, "%s/fields.h5", dir);
    sti_store *out, *in;
    const double x[] = {1.5, -0.0, 1e300};
    const int64_t i[] = {INT64_MIN, 7};
    size_t count;
    must(sti_store_create(group_env, &out));
    sti_store_put_numbers(out, "x", x, 3);
    sti_store_put_integers(out, "i", i, 2);
    sti_store_put_text(out, "words", "two words\nand a line");
    sti_store_put_bytes(out, "raw", "\0\1\2", 3);
    sti_store_put_numbers(out, "none", NULL, 0);
    must(sti_store_save(out, path));
    must(sti_store_load(group_env, path, &in));
    const double* y = sti_store_numbers(in, "x", &count);
    assert_int_equal(count, 3);
    assert_memory_equal(x, y, sizeof x);
    const int64_t* j = sti_store_integers(in, "i", &count);
    assert_int_equal(count, 2);
    assert_memory_equal(i, j, sizeof i);
    assert_string_equal(sti_store_text(in, "words"), "two words\nand a line");
    assert_memory_equal(sti_store_bytes(in, "raw", &count), "\0\1\2", 3);
    assert_non_null(sti_store_numbers(in, "none", &count));
    assert_int_equal(count, 0);
    assert_null(sti_store_numbers(in, "i", &count));  // of another type
    assert_null(sti_store_text(in, "y"));
    sti_store_destroy(in);
    sti_store_destroy(out);
    drop();
}

// ---- runs

static bool stop_soon(void* user) {
    int* left = user;
    return (*left)-- == 0;
}

static void a_stopped_run_goes_on_bit_by_bit(void** state) {
    (void)state;
    sti_simulation* s;
    sti_run *run, *whole;
    sti_run_state now;
    long size, whole_size;
    int left = 37;
    use("whole");
    must(make(group_env, &s));
    sti_run_options o = with_files(0);
    must(sti_run_create(group_env, s, &o, &whole));
    must(sti_run_go(whole));
    char* expected = contents("steps.csv", &whole_size);
    drop();
    use("parts");
    must(make(group_env, &s));
    o = with_files(0);
    o.stopped = stop_soon;
    o.user = &left;
    must(sti_run_create(group_env, s, &o, &run));
    must(sti_run_go(run));
    sti_run_now(run, &now);
    assert_int_equal(now.end, STI_RUN_END_STOPPED);
    assert_int_equal(now.steps, 37);
    sti_run_destroy(run);
    o = with_files(0);
    must(sti_run_resume(group_env, dir, &o, &run));
    must(sti_run_go(run));
    sti_run_now(run, &now);
    assert_int_equal(now.end, STI_RUN_END_TIME);
    assert_int_equal(now.begun, 37);
    assert_int_equal(now.steps, 100);
    char* got = contents("steps.csv", &size);
    assert_int_equal(size, whole_size);
    assert_memory_equal(got, expected, (size_t)size);
    const sti_navigation_run *a = sti_navigation_run_of(whole), *b = sti_navigation_run_of(run);
    assert_true(a->event_count > 0);
    assert_int_equal(a->event_count, b->event_count);
    assert_int_equal(a->switches, b->switches);
    assert_true(a->least_gap == b->least_gap && a->residual == b->residual);
    size_t rows, columns, other;
    const double *c = sti_run_curve(whole, &rows, &columns), *d = sti_run_curve(run, &other, &columns);
    assert_int_equal(rows, 101);
    assert_int_equal(other, rows);
    assert_memory_equal(c, d, rows * columns * sizeof *c);
    free(got);
    free(expected);
    sti_run_destroy(run);
    sti_run_destroy(whole);
    drop();
}

static void single_steps_have_the_bits_of_a_run(void** state) {
    (void)state;
    sti_simulation* s;
    sti_run *whole, *run;
    sti_run_state now;
    long size, whole_size;
    use("whole");
    must(make_ball(group_env, &s));
    sti_run_options o = with_files(0.5);
    must(sti_run_create(group_env, s, &o, &whole));
    must(sti_run_go(whole));
    char* expected = contents("steps.csv", &whole_size);
    drop();
    use("single");
    must(make_ball(group_env, &s));
    o = with_files(0.5);
    must(sti_run_create(group_env, s, &o, &run));
    for (sti_run_now(run, &now); !now.over; sti_run_now(run, &now)) {
        must(sti_run_step(run));
        if (now.steps == 20) must(sti_run_checkpoint(run));
    }
    assert_int_equal(now.steps, now.last);
    must(sti_run_step(run));  // over: nothing is done
    must(sti_run_checkpoint(run));
    char* got = contents("steps.csv", &size);
    assert_int_equal(size, whole_size);
    assert_memory_equal(got, expected, (size_t)size);
    sti_run_destroy(run);
    must(sti_run_resume(group_env, dir, &o, &run));  // the checkpoint is whole
    sti_run_now(run, &now);
    assert_true(now.over && now.steps == now.last);
    free(got);
    free(expected);
    sti_run_destroy(run);
    sti_run_destroy(whole);
    drop();
}

// Bodies as a system: from a checkpoint in the middle of its events the same rows and sums, and what it says of them.
static void bodies_by_events_go_on_bit_by_bit(void** state) {
    (void)state;
    char* table[2];
    long size[2];
    sti_run* run[2];
    for (int k = 0; k < 2; k++) {
        sti_simulation* s;
        int left = 31;
        use(k == 0 ? "whole" : "parts");
        must(make_located(group_env, &s));
        sti_run_options o = with_files(0);
        o.stopped = k == 0 ? NULL : stop_soon;
        o.user = &left;
        must(sti_run_create(group_env, s, &o, &run[k]));
        must(sti_run_go(run[k]));
        if (k == 1) {
            sti_run_destroy(run[k]);
            o.stopped = NULL;
            must(sti_run_resume(group_env, dir, &o, &run[k]));
            must(sti_run_go(run[k]));
        }
        table[k] = contents("steps.csv", &size[k]);
        drop();
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(table[0], table[1], (size_t)size[0]);
    const sti_system_run *x = sti_system_run_of(run[0]), *y = sti_system_run_of(run[1]);
    sti_run_state now;
    sti_run_now(run[1], &now);
    assert_string_equal(now.kind, "bodies_system");
    assert_null(sti_world_run_of(run[1]));
    assert_int_equal(now.steps, 100);
    assert_true(x->options->events == STI_EVENTS_AUTO && x->options->step == 0.01);
    assert_true(x->events > 2 && x->kinds[STI_EVENT_IMPACT] > 1);
    assert_int_equal(x->events, y->events);
    for (int k = 0; k < x->event_count; k++) assert_true(x->event[k].time == y->event[k].time);
    for (int k = 0; k < 2; k++) {
        free(table[k]);
        sti_run_destroy(run[k]);
    }
}

// The peg to its end, with both tables; stop: after so many steps, and then on from the checkpoint; -1: in one go.
static sti_run* push_peg(int stop, char** tables, long* sizes) {
    char path[300];
    sti_simulation* s;
    sti_run* run;
    snprintf(path, sizeof path, "%s/contacts.csv", dir);
    sti_run_options o = with_files(0);
    o.contacts = path;
    o.stopped = stop >= 0 ? stop_soon : NULL;
    o.user = &stop;
    must(make_peg(group_env, &s));
    must(sti_run_create(group_env, s, &o, &run));
    must(sti_run_go(run));
    if (o.stopped != NULL) {
        sti_run_destroy(run);
        o.stopped = NULL;
        must(sti_run_resume(group_env, dir, &o, &run));
        must(sti_run_go(run));
    }
    tables[0] = contents("steps.csv", &sizes[0]);
    tables[1] = contents("contacts.csv", &sizes[1]);
    drop();
    return run;
}

static void parts_go_on_until_they_are_stuck(void** state) {
    (void)state;
    char *a[2], *b[2];
    long sizes[2], others[2];
    sti_run_state now;
    use("peg");
    sti_run* whole = push_peg(-1, a, sizes);
    sti_run_now(whole, &now);
    assert_string_equal(now.kind, "manipulation");
    assert_int_equal(now.end, STI_RUN_END_ITSELF);
    use("peg_parts");
    sti_run* run = push_peg(17, b, others);
    const sti_push_run *x = sti_push_run_of(whole), *y = sti_push_run_of(run);
    assert_null(sti_navigation_run_of(run));
    assert_true(x->jammed && y->jammed && !x->refuted);
    assert_int_equal(x->report.end, STI_PUSH_STUCK);
    assert_int_equal(x->steps, 40);
    assert_int_equal(y->steps, x->steps);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(sizes[k], others[k]);
        assert_memory_equal(a[k], b[k], (size_t)sizes[k]);
        free(a[k]);
        free(b[k]);
    }
    assert_true(x->dissipation > 0 && x->dissipation == y->dissipation && x->worst_check == y->worst_check);
    assert_true(x->phase_count > 0);
    assert_int_equal(x->phase_count, y->phase_count);
    for (int k = 0; k < x->phase_count; k++) {
        assert_int_equal(x->phases[k].first, y->phases[k].first);
        assert_int_equal(x->phases[k].last, y->phases[k].last);
        assert_string_equal(x->phases[k].modes, y->phases[k].modes);
    }
    sti_run_destroy(run);
    sti_run_destroy(whole);
}

static void same_measures(const sti_run_measure* x, const sti_run_measure* y) {
    assert_true(x->sizes.speed == y->sizes.speed && x->sizes.variation == y->sizes.variation);
    assert_true(x->sizes.weighted_variation == y->sizes.weighted_variation && x->sizes.impulses == y->sizes.impulses);
    assert_true(x->sizes.jump == y->sizes.jump && x->sizes.jump_time == y->sizes.jump_time);
    assert_true(x->atoms > 0 && x->atoms == y->atoms && x->atom_sum == y->atom_sum);
    assert_int_equal(x->atom_count, y->atom_count);
    assert_memory_equal(x->atom_time, y->atom_time, sizeof x->atom_time);
    assert_memory_equal(x->atom_size, y->atom_size, sizeof x->atom_size);
    assert_true(x->located == y->located && x->looked == y->looked && x->touched == y->touched);
    assert_true(x->pointed == y->pointed || (isnan(x->pointed) && isnan(y->pointed)));
    assert_true(x->mass_varies == y->mass_varies && x->mass_flat == y->mass_flat);
}

// The ball for a second, stopped after so many steps; -1: in one go.
static sti_run* throw_ball(int stop, char** tables, long* sizes) {
    sti_simulation* s;
    sti_run* run;
    sti_run_options o = with_files(1);
    o.stopped = stop >= 0 ? stop_soon : NULL;
    o.user = &stop;
    must(make_ball(group_env, &s));
    must(sti_run_create(group_env, s, &o, &run));
    must(sti_run_go(run));
    if (o.stopped != NULL) {
        sti_run_destroy(run);
        o.stopped = NULL;
        must(sti_run_resume(group_env, dir, &o, &run));
        must(sti_run_go(run));
    }
    tables[0] = contents("steps.csv", &sizes[0]);
    tables[1] = contents("trajectory.h5", &sizes[1]);
    drop();
    return run;
}

static void a_system_goes_on_with_its_collisions_and_its_law(void** state) {
    (void)state;
    char *a[2], *b[2];
    long sizes[2], others[2];
    size_t rows, columns, other;
    use("ball");
    sti_run* whole = throw_ball(-1, a, sizes);
    use("ball_parts");
    sti_run* run = throw_ball(47, b, others);  // between two collisions
    const sti_system_run *x = sti_system_run_of(whole), *y = sti_system_run_of(run);
    assert_null(sti_push_run_of(run));
    assert_int_equal(x->steps, 100);
    assert_true(x->contact[0].collisions > 1 && x->contact[1].collisions == 1);
    assert_true(x->contact[0].first < 0.47 && x->contact[1].first > 0.6);
    assert_int_equal(y->options->law, STI_IMPACT_GENERAL);
    assert_memory_equal(x->options->E, y->options->E, 4 * sizeof(double));
    for (int k = 0; k < 2; k++) {
        assert_int_equal(sizes[k], others[k]);
        if (k == 0) assert_memory_equal(a[k], b[k], (size_t)sizes[k]);
        free(a[k]);
        free(b[k]);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(x->contact[i].collisions, y->contact[i].collisions);
        assert_true(x->contact[i].first == y->contact[i].first && x->contact[i].last == y->contact[i].last);
    }
    assert_true(x->first_energy == y->first_energy && x->collision_energy == y->collision_energy);
    assert_true(x->worst_residual == y->worst_residual && x->loss == y->loss);
    same_measures(x->measure, y->measure);
    const double *c = sti_run_curve(whole, &rows, &columns), *d = sti_run_curve(run, &other, &columns);
    assert_int_equal(columns, 7);
    assert_int_equal(rows, 101);
    assert_int_equal(other, rows);
    assert_memory_equal(c, d, rows * columns * sizeof *c);
    sti_run_destroy(run);
    sti_run_destroy(whole);
}

static bool stop_from_then_on(void* user) {
    int* left = user;
    return (*left)-- <= 0;
}

// The box for half a second, with both tables and every third step as a frame; stop: as above, within: when it was
// asked so often by steps.
static sti_run* drop_box(int stop, bool within, char** tables, long* sizes) {
    char path[300];
    sti_simulation* s;
    sti_run* run;
    sti_run_options o = with_files(0.5);
    snprintf(path, sizeof path, "%s/contacts.csv", dir);
    o.contacts = path;
    o.frame = 0.03;
    o.stopped = stop >= 0 && !within ? stop_soon : NULL;
    o.interrupted = stop >= 0 && within ? stop_from_then_on : NULL;
    o.user = &stop;
    must(make_box(group_env, &s));
    must(sti_run_create(group_env, s, &o, &run));
    must(sti_run_go(run));
    if (o.stopped != NULL || o.interrupted != NULL) {
        sti_run_state now;
        sti_run_now(run, &now);
        assert_int_equal(now.end, STI_RUN_END_STOPPED);
        assert_true(now.over && !now.in_step && now.steps < now.last);
        sti_run_destroy(run);
        o.stopped = o.interrupted = NULL;
        must(sti_run_resume(group_env, dir, &o, &run));
        must(sti_run_go(run));
    }
    tables[0] = contents("steps.csv", &sizes[0]);
    tables[1] = contents("contacts.csv", &sizes[1]);
    return run;
}

// within: stopped in a step, not between two.
static void box_goes_on(bool within) {
    char *a[2], *b[2], path[300];
    long sizes[2], others[2];
    sti_recorded_world w[2];
    use("box");
    snprintf(path, sizeof path, "%s/trajectory.h5", dir);
    sti_run* whole = drop_box(-1, within, a, sizes);
    must(sti_recorded_world_load(group_env, path, &w[0]));
    drop();
    use("box_parts");
    snprintf(path, sizeof path, "%s/trajectory.h5", dir);
    sti_run* run = drop_box(19, within, b, others);
    must(sti_recorded_world_load(group_env, path, &w[1]));
    drop();
    const sti_world_run *x = sti_world_run_of(whole), *y = sti_world_run_of(run);
    assert_null(sti_system_run_of(run));
    assert_int_equal(x->steps, 50);
    assert_int_equal(y->steps, 50);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(sizes[k], others[k]);
        assert_memory_equal(a[k], b[k], (size_t)sizes[k]);
        free(a[k]);
        free(b[k]);
    }
    sti_run_verification v[2];
    sti_run_checker_result(x->checker, &v[0]);
    sti_run_checker_result(y->checker, &v[1]);
    assert_true(v[0].accepted && v[1].accepted);
    for (int k = 0; k < STI_RUN_CHECK_COUNT; k++) {
        assert_int_equal(v[0].check[k].looked, v[1].check[k].looked);
        assert_true(v[0].check[k].worst == v[1].check[k].worst);
    }
    // step 0, 3, .. 48, and the last one
    assert_int_equal(w[0].frame_count, 18);
    assert_int_equal(w[1].frame_count, 18);
    assert_int_equal(x->frames, 18);
    assert_memory_equal(w[0].x, w[1].x, 18 * 3 * 3 * sizeof(double));
    assert_true(x->start_steps > 0 && x->start_overlap > 9e-4 && x->start_overlap == y->start_overlap);
    assert_true(x->impacts > 0 && x->impacts == y->impacts && x->impact_energy == y->impact_energy);
    same_measures(x->measure, y->measure);
    assert_int_equal(x->shots, STI_WORLD_SHOTS);
    assert_int_equal(y->shots, x->shots);
    assert_memory_equal(x->shot, y->shot, (size_t)x->shots * 22 * sizeof(double));
    for (int k = 0; k < 2; k++) sti_recorded_world_clear(group_env, &w[k]);
    sti_run_destroy(run);
    sti_run_destroy(whole);
}

static void bodies_go_on_with_their_check_and_their_sums(void** state) {
    (void)state;
    box_goes_on(false);
}

static void a_step_of_bodies_that_was_given_up_is_made_again(void** state) {
    (void)state;
    box_goes_on(true);
}

static void grains_are_no_bodies(void** state) {
    (void)state;
    const sti_run_source source = {.text = bed, .size = sizeof bed - 1};
    sti_simulation* s;
    assert_int_equal(sti_world_simulation(group_env, &source, &s), STI_ERR_INPUT);
    assert_null(s);
    assert_non_null(strstr(sti_env_error(group_env)->text, "a scene of bodies is expected"));
    const sti_run_source boxes = {.text = box, .size = sizeof box - 1};
    assert_int_equal(sti_bed_simulation(group_env, &boxes, &s), STI_ERR_INPUT);
    assert_null(s);
    assert_non_null(strstr(sti_env_error(group_env)->text, "a scene of grains is expected"));
}

// ---- grains

// A flow until 1.7, in one go or with an interruption after step `part`; what was recorded, and its table.
static sti_run* let_flow(long part, sti_recorded_bed* recorded, char** table, long* size) {
    sti_simulation* s;
    sti_run* run;
    char path[300];
    snprintf(path, sizeof path, "%s/trajectory.h5", dir);
    sti_run_options o = with_files(part > 0 ? 0.01 * (double)part : 1.7);
    o.frame = 0.5;
    o.jamming_every = 0.1;
    must(make_flow(group_env, &s));
    must(sti_run_create(group_env, s, &o, &run));
    must(sti_run_go(run));
    if (part > 0) {
        sti_run_destroy(run);
        o = with_files(1.7);
        o.jamming_every = 0.1;
        must(sti_run_resume(group_env, dir, &o, &run));
        must(sti_run_go(run));
    }
    must(sti_recorded_bed_load(group_env, path, recorded));
    *table = contents("steps.csv", size);
    return run;
}

static void a_bed_goes_on_with_its_flow_its_frames_and_its_tests(void** state) {
    (void)state;
    sti_recorded_bed r[2];
    char* table[2];
    long size[2];
    use("flow");
    sti_run* whole = let_flow(0, &r[0], &table[0], &size[0]);
    drop();
    use("flow_parts");
    sti_run* run = let_flow(123, &r[1], &table[1], &size[1]);
    drop();
    const sti_bed_run *x = sti_bed_run_of(whole), *y = sti_bed_run_of(run);
    assert_null(sti_world_run_of(run));
    assert_int_equal(x->steps, 170);
    assert_int_equal(y->steps, 170);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(table[0], table[1], (size_t)size[0]);
    // frames of steps 0, 50, 100, 150 and the last one; that of the interruption is gone
    for (int k = 0; k < 2; k++) {
        assert_int_equal(r[k].frame_count, 5);
        assert_int_equal(r[k].step_count, 170);
    }
    assert_int_equal(x->frames, 5);
    assert_int_equal(y->frames, 5);
    assert_memory_equal(r[0].x, r[1].x, 5 * 40 * 3 * sizeof(double));
    assert_memory_equal(r[0].r, r[1].r, (size_t)r[0].contact_count * 3 * sizeof(double));
    assert_int_equal(x->jamming_tests, 17);
    assert_int_equal(y->jamming_tests, 17);
    const sti_outflow f[] = {sti_recirculation_outflow(x->flow), sti_recirculation_outflow(y->flow)};
    assert_true(f[0].left > 0 && f[0].left == f[1].left && f[0].last_time == f[1].last_time);
    assert_true(x->worst_residual == y->worst_residual && x->last.kinetic == y->last.kinetic);
    assert_string_equal(y->name, "flow");
    for (int k = 0; k < 2; k++) {
        sti_recorded_bed_clear(group_env, &r[k]);
        free(table[k]);
    }
    sti_run_destroy(run);
    sti_run_destroy(whole);
}

static void a_bed_ends_at_rest_and_goes_on_past_it(void** state) {
    (void)state;
    const sti_run_source source = {.text = bed, .size = sizeof bed - 1};
    sti_simulation* s;
    sti_run* run;
    sti_run_state now;
    long size[2];
    use("rest");
    sti_run_options o = sti_run_options_default();
    o.dir = dir;
    must(sti_bed_simulation(group_env, &source, &s));
    must(sti_run_create(group_env, s, &o, &run));
    must(sti_run_go(run));
    sti_run_now(run, &now);
    const long rested = now.steps;
    assert_int_equal(now.end, STI_RUN_END_ITSELF);
    assert_true(now.over && rested < now.last);
    assert_true(sti_bed_run_of(run)->last.kinetic < 1e-6);
    sti_run_destroy(run);
    // it is over: no step, and not a byte of its files changes
    char* before = contents("trajectory.h5", &size[0]);
    must(sti_run_resume(group_env, dir, NULL, &run));
    must(sti_run_go(run));
    sti_run_now(run, &now);
    assert_int_equal(now.steps, rested);
    assert_int_equal(now.end, STI_RUN_END_ITSELF);
    sti_run_destroy(run);
    char* after = contents("trajectory.h5", &size[1]);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(before, after, (size_t)size[0]);
    // a later time is meant
    o.time = now.time + 20 * now.h;
    must(sti_run_resume(group_env, dir, &o, &run));
    must(sti_run_go(run));
    sti_run_now(run, &now);
    assert_int_equal(now.steps, rested + 20);
    assert_int_equal(now.end, STI_RUN_END_TIME);
    sti_run_destroy(run);
    free(before);
    free(after);
    drop();
}

static void a_bed_solved_by_a_method_wants_it_again(void** state) {
    (void)state;
    const char facets[] =
        "{\"kind\": \"scene\", \"bed\": {\"layout\": \"settle\", \"count\": 4}, \"time\": 1,"
        " \"step\": {\"law\": \"facets\", \"solver\": \"tron\"}}";
    const sti_run_source source = {.text = facets, .size = sizeof facets - 1};
    const sti_bed_method method = {.name = "mine", .solve = NULL};
    sti_simulation* s;
    sti_run* run;
    use("method");
    sti_run_options o = with_files(0.01);
    o.method = &method;
    must(sti_bed_simulation(group_env, &source, &s));
    must(sti_run_create(group_env, s, &o, &run));
    sti_run_destroy(run);
    must(sti_run_resume(group_env, dir, &o, &run));  // before its first step it may be solved by another
    sti_run_destroy(run);
    drop();
    use("method_on");
    o = with_files(0.01);
    must(sti_bed_simulation(group_env, &source, &s));
    must(sti_run_create(group_env, s, &o, &run));
    must(sti_run_go(run));
    assert_true(sti_bed_run_of(run)->steps > 0);
    sti_run_destroy(run);
    o = with_files(0.02);
    o.method = &method;
    assert_int_equal(sti_run_resume(group_env, dir, &o, &run), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(group_env)->text, "method: \"mine\": the run was begun with \"\""));
    drop();
}

// ---- steps as problems

static void the_last_step_is_a_problem_with_its_point(void** state) {
    (void)state;
    sti_status (*const of[])(sti_env*, sti_simulation**) = {make_flow, make_box};
    use("problem");
    char path[300];
    snprintf(path, sizeof path, "%s/fields.h5", dir);
    for (int k = 0; k < 2; k++) {
        sti_simulation* s;
        sti_run* run;
        sti_run_problem p;
        sti_contact_verification v;
        sti_run_options o = sti_run_options_default();
        o.time = 0.6;
        must(of[k](group_env, &s));
        must(sti_run_create(group_env, s, &o, &run));
        assert_int_equal(sti_run_problem_make(group_env, run, &p), STI_ERR_ARGUMENT);  // there is none yet
        sti_run_problem_clear(group_env, &p);
        must(sti_run_go(run));
        must(sti_run_problem_make(group_env, run, &p));
        assert_int_equal(p.contact_answer->outcome, STI_SOLVED);
        must(sti_verify_contact(group_env, p.contact, p.contact_answer, 4e-4, &v));
        assert_true(v.accepted);
        must(sti_run_problem_save(group_env, &p, "a step", NULL, path));
        sti_document* d;
        must(sti_document_load(group_env, path, &d));
        assert_int_equal(sti_contact_problem_of(d)->contact_count, p.contact->contact_count);
        sti_document_destroy(d);
        remove(path);
        sti_run_problem_clear(group_env, &p);
        sti_run_destroy(run);
    }
    drop();
}

// A block that slides on a slope in space, with facets or the round cone.
static sti_status make_slope(sti_env* in, bool round, sti_simulation** out) {
    const char text[] =
        "{\"kind\": \"system\", \"coordinates\": [\"x\", \"y\", \"z\"], \"kinetic\": \"(x'^2 + y'^2 + z'^2)/2\","
        " \"potential\": \"9*z - 3*x\", \"contacts\": [{\"gap\": \"z\", \"slip\": [\"x'\", \"y'\"], \"mu\": 0.2}],"
        " \"state\": {\"q\": [0, 0, 0], \"v\": [0, 1, 0]}}";
    const sti_run_source source = {.text = text, .size = sizeof text - 1};
    sti_stepper_options options = sti_stepper_options_default(STI_SCHEME_ALPHA);
    options.alpha = 1;
    if (round) options.friction = STI_FRICTION_CONE;
    return sti_system_simulation(in, &source, &options, out);
}

static sti_status make_facets(sti_env* in, sti_simulation** out) {
    return make_slope(in, false, out);
}

static sti_status make_cone(sti_env* in, sti_simulation** out) {
    return make_slope(in, true, out);
}

// The velocities of the last step, n of them, by the length of a step.
static int velocities_of(const sti_run* run, const double** v, double* unit) {
    *unit = 1;
    if (sti_navigation_run_of(run) != NULL) {
        *v = sti_navigation_v(sti_navigation_run_of(run)->nav);
        return 4;
    }
    if (sti_push_run_of(run) != NULL) {
        *v = sti_push_v(sti_push_run_of(run)->push);
        *unit = sti_push_run_of(run)->h;  // u = h v
        return 3;
    }
    *v = sti_stepper_v_alpha(sti_system_run_of(run)->stepper);
    return 3;
}

// Any solver that takes it finds the velocities that the step found.
static void steps_of_every_kind_are_problems(void** state) {
    (void)state;
    sti_status (*const of[])(sti_env*, sti_simulation**) = {make, make_peg, make_facets, make_cone};
    for (int k = 0; k < 4; k++) {
        sti_simulation* s;
        sti_run* run;
        sti_run_problem p;
        sti_run_options o = sti_run_options_default();
        o.time = k == 0 ? 2 : 0.5;
        must(of[k](group_env, &s));
        must(sti_run_create(group_env, s, &o, &run));
        if (k != 1) assert_int_equal(sti_run_problem_make(group_env, run, &p), STI_ERR_ARGUMENT);  // none yet
        if (k != 1) sti_run_problem_clear(group_env, &p);
        must(sti_run_go(run));
        must(sti_run_problem_make(group_env, run, &p));
        const double* v;
        double unit;
        const int n = velocities_of(run, &v, &unit);
        if (k == 3) {
            sti_contact_options tight = sti_contact_options_default();
            sti_contact_answer a;
            tight.tol = 1e-12;
            assert_null(p.mlcp);
            must(sti_contact_solve(group_env, p.contact, &tight, &a));
            assert_int_equal(a.outcome, STI_SOLVED);
            for (int i = 0; i < n; i++) assert_near(a.v[i], v[i], 1e-9);
            sti_contact_answer_clear(group_env, &a);
        } else {
            sti_lcp_answer a;
            assert_null(p.contact);
            assert_true(p.mlcp->m > 0);
            must(sti_mlcp_solve(group_env, p.mlcp, NULL, &a));
            assert_int_equal(a.outcome, STI_SOLVED);
            for (int i = 0; i < n; i++) assert_near(a.u[i], unit * v[i], 1e-9);
            sti_lcp_answer_clear(group_env, &a);
        }
        sti_run_problem_clear(group_env, &p);
        sti_run_destroy(run);
    }
}

static sti_status make_any(sti_env* in, const char* text, sti_simulation** out) {
    const sti_run_source source = {.text = text, .size = strlen(text)};
    return sti_simulation_create(in, &source, out);
}

static void whatever_moves_in_a_document_is_made(void** state) {
    (void)state;
    static const char* const texts[] = {scene, peg, ball, box, bed};
    static const char* const kinds[] = {"navigation", "manipulation", "system", "bodies", "grains"};
    sti_simulation* s;
    for (int k = 0; k < 5; k++) {
        sti_run* run;
        sti_run_state now;
        must(make_any(group_env, texts[k], &s));
        must(sti_run_create(group_env, s, NULL, &run));
        sti_run_now(run, &now);
        assert_string_equal(now.kind, kinds[k]);
        sti_run_destroy(run);
    }
    assert_int_equal(make_any(group_env, "{\"kind\": \"lcp\", \"M\": [[1]], \"q\": [1]}", &s), STI_ERR_INPUT);
    assert_null(s);
    assert_non_null(strstr(sti_env_error(group_env)->text, "nothing moves in a document of kind lcp"));
}

static bool none(void* user, double t, const double* q, const double* v, double* G) {
    (void)user, (void)t, (void)q, (void)v;
    G[0] = G[1] = G[2] = G[3] = 0;
    return true;
}

static void a_system_with_a_function_of_its_own_is_refused(void** state) {
    (void)state;
    const sti_run_source source = {.text = ball, .size = sizeof ball - 1};
    sti_stepper_options options = sti_stepper_options_default(STI_SCHEME_ALPHA);
    sti_simulation* s;
    options.inertial = none;
    assert_int_equal(sti_system_simulation(group_env, &source, &options, &s), STI_ERR_ARGUMENT);
    assert_null(s);
    assert_non_null(strstr(sti_env_error(group_env)->text, "inertial: a function"));
}

// ---- checkpoints that are not ours

static void refuse(const char* expected) {
    sti_run* run;
    assert_int_equal(sti_run_resume(group_env, dir, NULL, &run), STI_ERR_INPUT);
    assert_null(run);
    if (strstr(sti_env_error(group_env)->text, expected) == NULL) fail_msg("%s", sti_env_error(group_env)->text);
}

static void what_others_saved_is_refused_with_the_reason(void** state) {
    (void)state;
    char path[300];
    use("others");
    snprintf(path, sizeof path, "%s/checkpoint.h5", dir);
    const sti_part old[] = {{"system", "text", 4}, {"manipulation", "text", 4}}, none = {"mine", "text", 4};
    for (int k = 0; k < 2; k++) {
        must(sti_checkpoint_save(group_env, path, &old[k], 1));
        refuse("saved by an earlier version");
    }
    must(sti_checkpoint_save(group_env, path, &none, 1));
    refuse("not a checkpoint");
    const int64_t versions[] = {1, 99, 3, 99, 1};
    const char* const kinds[] = {"manipulation", "navigation", "navigation", "manipulation", "weather"};
    const char* const words[] = {"document: missing", "version: 99 of navigation: 3 expected", "document: missing",
                                 "version: 99 of manipulation: 1 expected", "kind: weather"};
    for (int k = 0; k < 5; k++) {
        sti_store* f;
        must(sti_store_create(group_env, &f));
        sti_store_put_text(f, "kind", kinds[k]);
        sti_store_put_integers(f, "version", &versions[k], 1);
        must(sti_store_save(f, path));
        sti_store_destroy(f);
        refuse(words[k]);
    }
    drop();
}

static void bad_requests_are_refused(void** state) {
    (void)state;
    sti_simulation* s;
    sti_run* run;
    const char lcp[] = "{\"kind\": \"lcp\", \"M\": [[1]], \"q\": [1]}";
    const sti_run_source other = {.text = lcp, .size = sizeof lcp - 1};
    assert_int_equal(sti_navigation_simulation(group_env, &other, &s), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(group_env)->text, "\"navigation\" expected"));
    long steps;
    must(make(group_env, &s));
    assert_int_equal(sti_simulation_steps(s, 1e12, &steps), STI_ERR_INPUT);
    must(sti_simulation_steps(s, 0, &steps));
    assert_int_equal(steps, 100);
    sti_run_options o = sti_run_options_default();
    o.attempts = "attempts.csv";                                              // vehicles have none
    assert_int_equal(sti_run_create(group_env, s, &o, &run), STI_ERR_INPUT);  // takes the simulation
    assert_null(run);
}

// ---- failing allocations

// stride 1: every one. Each round waits for the disk, so where there are many allocations every stride-th one fails.
static void fail_every_allocation(sti_status (*of)(sti_env*, sti_simulation**), const char* name, long stride) {
    use(name);
    for (long k = 0;; k += stride) {
        failing_env f;
        failing_env_open(&f, k);
        sti_simulation* s = NULL;
        sti_run* run = NULL;
        long steps;
        sti_run_options o = with_files(0.1);
        sti_status status = of(f.env, &s);
        if (status == STI_OK) status = sti_simulation_steps(s, 0, &steps);
        if (status == STI_OK) status = sti_run_create(f.env, s, &o, &run);
        const bool single = of == make_peg;  // of one kind: each checkpoint waits for the disk
        if (status == STI_OK && single) status = sti_run_step(run);
        if (status == STI_OK && single) status = sti_run_checkpoint(run);
        if (status == STI_OK) status = sti_run_go(run);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_run_destroy(run);
        if (failing_env_close(&f)) break;
    }
    for (long k = 0;; k += stride) {
        failing_env f;
        failing_env_open(&f, k);
        sti_run* run = NULL;
        sti_run_options o = with_files(0.2);
        sti_status status = sti_run_resume(f.env, dir, &o, &run);
        if (status == STI_OK) status = sti_run_go(run);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_run_destroy(run);
        if (failing_env_close(&f)) break;
    }
    drop();
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    fail_every_allocation(make, "failing", 1);
    fail_every_allocation(make_peg, "failing_peg", 1);
    fail_every_allocation(make_ball, "failing_ball", 1);
    fail_every_allocation(make_box, "failing_box", 1);
    fail_every_allocation(make_located, "failing_located", 1);
    fail_every_allocation(make_flow, "failing_flow", 7);
}

static void every_allocation_of_a_bed_may_fail(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_simulation* s = NULL;
        sti_run* run = NULL;
        sti_run_options o = sti_run_options_default();
        o.time = 0.05;
        o.jamming_every = 0.02;
        sti_status status = make_flow(f.env, &s);
        if (status == STI_OK) status = sti_run_create(f.env, s, &o, &run);
        if (status == STI_OK) status = sti_run_go(run);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_run_destroy(run);
        if (failing_env_close(&f)) break;
    }
}

static void posing_a_step_may_fail_too(void** state) {
    (void)state;
    use("posing");
    char path[300];
    snprintf(path, sizeof path, "%s/fields.h5", dir);
    sti_simulation* s;
    sti_run* run;
    sti_run_options o = sti_run_options_default();
    o.time = 0.3;
    must(make_flow(group_env, &s));
    must(sti_run_create(group_env, s, &o, &run));
    must(sti_run_go(run));
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_run_problem p;
        sti_status status = sti_run_problem_make(f.env, run, &p);
        if (status == STI_OK) status = sti_run_problem_save(f.env, &p, "a step", "of grains", path);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_run_problem_clear(f.env, &p);
        if (failing_env_close(&f)) break;
    }
    sti_run_destroy(run);
    drop();
}

// Of the other kinds, without a file.
static void posing_any_step_may_fail(void** state) {
    (void)state;
    sti_status (*const of[])(sti_env*, sti_simulation**) = {make, make_peg, make_facets, make_cone};
    for (int kind = 0; kind < 4; kind++) {
        sti_simulation* s;
        sti_run* run;
        sti_run_options o = sti_run_options_default();
        o.time = kind == 0 ? 2 : 0.1;
        must(of[kind](group_env, &s));
        must(sti_run_create(group_env, s, &o, &run));
        must(sti_run_go(run));
        sti_stepper* stepper = kind >= 2 ? (sti_stepper*)sti_system_run_of(run)->stepper : NULL;
        const sti_navigation* nav = kind == 0 ? sti_navigation_run_of(run)->nav : NULL;
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            sti_run_problem p;
            sti_stepper_problem of_stepper = {0};
            sti_navigation_problem of_nav = {0};
            sti_status status = sti_run_problem_make(f.env, run, &p);
            if (status == STI_OK && stepper != NULL) status = sti_stepper_pose(f.env, stepper, &of_stepper);
            if (status == STI_OK && nav != NULL) status = sti_navigation_pose(f.env, nav, &of_nav);
            if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
            sti_run_problem_clear(f.env, &p);
            sti_stepper_problem_clear(f.env, &of_stepper);
            sti_navigation_problem_clear(f.env, &of_nav);
            if (failing_env_close(&f)) break;
        }
        sti_run_destroy(run);
    }
}

static void making_any_may_fail(void** state) {
    (void)state;
    static const char* const texts[] = {scene, peg, ball, box};
    for (int kind = 0; kind < 4; kind++) {
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            const sti_run_source source = {.text = texts[kind], .size = strlen(texts[kind])};
            sti_simulation* s;
            const sti_status status = sti_simulation_create(f.env, &source, &s);
            if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
            sti_simulation_destroy(s);
            if (failing_env_close(&f)) break;
        }
    }
}

static void fields_may_fail_too(void** state) {
    (void)state;
    use("store");
    char path[300];
    snprintf(path, sizeof path, "%s/fields.h5", dir);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_store *out = NULL, *in = NULL;
        const double x = 1;
        sti_status status = sti_store_create(f.env, &out);
        if (status == STI_OK) {
            sti_store_put_numbers(out, "x", &x, 1);
            sti_store_put_bytes(out, "raw", "abc", 3);
            status = sti_store_save(out, path);
        }
        if (status == STI_OK) status = sti_store_load(f.env, path, &in);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_store_destroy(out);
        sti_store_destroy(in);
        if (failing_env_close(&f)) break;
    }
    drop();
}

// Without options: all steps of the document, and no files.
static void default_options_run_to_the_end(void** state) {
    (void)state;
    sti_simulation* s;
    sti_run* run;
    sti_run_state now;
    must(make(group_env, &s));
    must(sti_run_create(group_env, s, NULL, &run));
    must(sti_run_go(run));
    sti_run_now(run, &now);
    assert_int_equal(now.end, STI_RUN_END_TIME);
    assert_true(now.over && now.steps == now.last && now.steps > 1);
    sti_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_come_back_by_their_names),
        cmocka_unit_test(default_options_run_to_the_end),
        cmocka_unit_test(a_stopped_run_goes_on_bit_by_bit),
        cmocka_unit_test(single_steps_have_the_bits_of_a_run),
        cmocka_unit_test(bodies_by_events_go_on_bit_by_bit),
        cmocka_unit_test(parts_go_on_until_they_are_stuck),
        cmocka_unit_test(a_system_goes_on_with_its_collisions_and_its_law),
        cmocka_unit_test(bodies_go_on_with_their_check_and_their_sums),
        cmocka_unit_test(a_step_of_bodies_that_was_given_up_is_made_again),
        cmocka_unit_test(grains_are_no_bodies),
        cmocka_unit_test(a_bed_goes_on_with_its_flow_its_frames_and_its_tests),
        cmocka_unit_test(a_bed_ends_at_rest_and_goes_on_past_it),
        cmocka_unit_test(a_bed_solved_by_a_method_wants_it_again),
        cmocka_unit_test(the_last_step_is_a_problem_with_its_point),
        cmocka_unit_test(a_system_with_a_function_of_its_own_is_refused),
        cmocka_unit_test(what_others_saved_is_refused_with_the_reason),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_allocation_of_a_bed_may_fail),
        cmocka_unit_test(steps_of_every_kind_are_problems),
        cmocka_unit_test(whatever_moves_in_a_document_is_made),
        cmocka_unit_test(posing_a_step_may_fail_too),
        cmocka_unit_test(posing_any_step_may_fail),
        cmocka_unit_test(making_any_may_fail),
        cmocka_unit_test(fields_may_fail_too),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
