// test_verify_run.c: recorded runs of bodies: true ones pass, forged ones do not, damaged files are named.
#include <math.h>
#include <stdio.h>
#include <stiction/verify.h>
#include <string.h>

#include "base/rng.h"
#include "support/io_tools.h"

// A box that slides, a ball that falls on the floor, a bob on a hinge.
static const char scene_text[] =
    "{\"kind\": \"scene\", \"dimension\": 3, \"time\": 1, \"bodies\": ["
    "{\"name\": \"floor\", \"fixed\": true, \"shape\": {\"type\": \"halfspace\", \"normal\": [0, 0, 1]}},"
    "{\"name\": \"box\", \"shape\": {\"type\": \"box\", \"half\": [0.5, 0.5, 0.5]}, \"position\": [0, 0, 0.5],"
    " \"velocity\": [1, 0, 0]},"
    "{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.25}, \"position\": [0, 3, 0.4]},"
    "{\"name\": \"bob\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.25}, \"position\": [5, 0, 3]}],"
    "\"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"bodies\": [\"world\", \"bob\"], \"point\": [4, 0, 3],"
    " \"axis\": [0, 1, 0]}]}";
enum { BODIES = 4, BOX = 1, BALL = 2, BOB = 3, STEPS = 40 };

static sti_document* parse_scene(sti_env* env) {
    sti_document* problem;
    assert_int_equal(sti_document_parse(env, scene_text, strlen(scene_text), "scene", &problem), STI_OK);
    return problem;
}

static const sti_bodies* bodies_of(const sti_document* problem) {
    return sti_world_scene_of(problem)->bodies;
}

static void record(sti_env* env, const char* text, const char* name) {
    sti_document* problem;
    assert_int_equal(sti_document_parse(env, text, strlen(text), "scene", &problem), STI_OK);
    const sti_world_scene* scene = sti_world_scene_of(problem);
    sti_world* world;
    sti_world_record* record;
    assert_int_equal(sti_world_create(env, scene->bodies, &scene->step, &world), STI_OK);
    assert_int_equal(sti_world_record_create(env, io_path(name), scene->bodies, text, NULL, 0, &record), STI_OK);
    assert_int_equal(sti_world_record_frame(record, world), STI_OK);
    for (int k = 0; k < STEPS; k++) {
        sti_world_report report;
        assert_int_equal(sti_world_step(world, &report), STI_OK);
        assert_int_equal(sti_world_record_step(record, &report), STI_OK);
        assert_int_equal(sti_world_record_frame(record, world), STI_OK);
    }
    assert_int_equal(sti_world_record_commit(record, false), STI_OK);
    sti_world_record_destroy(record);
    sti_world_destroy(world);
    sti_document_destroy(problem);
}

static int make_run(void** state) {
    sti_env* env = io_env(NULL);
    *state = env;
    io_folder_make();
    record(env, scene_text, "t.h5");
    return 0;
}

static int drop_run(void** state) {
    io_folder_remove();
    sti_env_destroy(*state);
    return 0;
}

static sti_run_verification verify(sti_env* env, const sti_recorded_world* w, const sti_bodies* bodies) {
    sti_run_verify_options options = sti_run_verify_options_default();
    sti_run_verification v;
    options.bodies = bodies;
    assert_int_equal(sti_verify_recorded_world(env, w, &options, &v), STI_OK);
    return v;
}

static void a_run_of_ours_passes_every_check(void** state) {
    sti_env* env = *state;
    sti_recorded_world w;
    assert_int_equal(sti_recorded_world_load(env, io_path("t.h5"), &w), STI_OK);
    assert_string_equal(w.scene, scene_text);
    assert_true(w.body_count == BODIES && w.step_count == STEPS && w.frame_count == STEPS + 1 && w.contact_count > 0);
    sti_document* problem = parse_scene(env);
    const sti_run_verification v = verify(env, &w, bodies_of(problem));
    for (int i = 0; i < STI_RUN_CHECK_COUNT; i++) {
        const sti_run_check* k = &v.check[i];
        if (!k->holds || k->looked == 0)
            fail_msg("%s: %g, looked at %ld", sti_run_check_name((sti_run_check_kind)i), k->worst, k->looked);
    }
    assert_true(v.accepted);
    // without the scene: what needs it is left out
    const sti_run_verification alone = verify(env, &w, NULL);
    assert_true(alone.accepted && alone.check[STI_RUN_LAW].looked > 0);
    assert_true(alone.check[STI_RUN_JOINT].looked == 0 && alone.check[STI_RUN_PENETRATION].looked == 0 &&
                alone.check[STI_RUN_MOMENTUM].looked == 0);
    sti_recorded_world_clear(env, &w);
    sti_document_destroy(problem);
}

// ---- forgeries, each with the check that has to find it

static size_t at(long frame, int body, int columns) {
    return ((size_t)frame * BODIES + (size_t)body) * (size_t)columns;
}

// A contact of that body that carries, while the box still slides.
static long loaded(const sti_recorded_world* w, int body) {
    for (long i = (long)w->contact_end[5]; i < w->contact_count; i++) {
        if ((int)w->contact_body[2 * i + 1] == body || (int)w->contact_body[2 * i] == body) {
            if (w->r[3 * i] > 0) return i;
        }
    }
    fail_msg("no contact of body %d carries", body);
    return 0;
}

static void leave_unsolved(sti_recorded_world* w) {
    w->solved[7] = 0;
}
static void turn_time_back(sti_recorded_world* w) {
    w->time[9] = w->time[5];
}
static void skip_a_frame(sti_recorded_world* w) {
    w->frame_step[12] = 11;
}
static void stretch_a_rotation(sti_recorded_world* w) {
    w->q[at(17, BALL, 4)] *= 1 + 1e-4;
}
static void jump(sti_recorded_world* w) {
    w->x[at(30, BOX, 3) + 1] += 0.3;
}
static void hide_energy(sti_recorded_world* w) {
    w->kinetic[15] *= 0.9;
}
static void gain_energy(sti_recorded_world* w) {
    for (long s = 20; s < w->step_count; s++) w->potential[s] += 10;
}
// The same, and a contact of the floor with itself that presses hard, as if that were what the run is measured by.
static void gain_energy_under_a_press(sti_recorded_world* w) {
    const long i = loaded(w, BOX);
    gain_energy(w);
    w->contact_body[2 * i] = w->contact_body[2 * i + 1] = 0;
    w->contact_shape[2 * i] = w->contact_shape[2 * i + 1] = 0;
    w->r[3 * i] = 1e9;
    w->gap[i] = 0;
    for (int a = 0; a < 3; a++) w->u[3 * i + a] = 0;
}
static void tilt_a_normal(sti_recorded_world* w) {
    w->n[3 * loaded(w, BOX)] += 1e-3;
}
static void pull(sti_recorded_world* w) {
    w->r[3 * loaded(w, BOX)] *= -1;
}
static void rub_too_hard(sti_recorded_world* w) {
    w->r[3 * loaded(w, BOX) + 1] *= 3;
    w->r[3 * loaded(w, BOX) + 2] *= 3;
}
static void slide_without_friction(sti_recorded_world* w) {
    const long i = loaded(w, BOX);
    w->r[3 * i + 1] = w->r[3 * i + 2] = 0;
}
static void press_while_opening(sti_recorded_world* w) {
    w->u[3 * loaded(w, BOX)] += 0.1;
}
static void push_from_nowhere(sti_recorded_world* w) {
    w->v[at(10, BALL, 3) + 1] += 1e-3;
}
static void open_the_hinge(sti_recorded_world* w) {
    for (long f = 0; f < w->frame_count; f++) w->x[at(f, BOB, 3) + 1] += 0.01;
}
static void sink(sti_recorded_world* w) {
    for (long f = 0; f < w->frame_count; f++) w->x[at(f, BOX, 3) + 2] -= 0.01;
}

static void a_forged_run_is_found_out(void** state) {
    static const struct {
        const char* name;
        void (*forge)(sti_recorded_world* w);
        sti_run_check_kind found;
    } list[] = {{"leave_unsolved", leave_unsolved, STI_RUN_SOLVED},
                {"turn_time_back", turn_time_back, STI_RUN_ORDER},
                {"skip_a_frame", skip_a_frame, STI_RUN_ORDER},
                {"stretch_a_rotation", stretch_a_rotation, STI_RUN_ROTATION},
                {"jump", jump, STI_RUN_MOTION},
                {"hide_energy", hide_energy, STI_RUN_KINETIC},
                {"gain_energy", gain_energy, STI_RUN_ENERGY},
                {"gain_energy_under_a_press", gain_energy_under_a_press, STI_RUN_ENERGY},
                {"tilt_a_normal", tilt_a_normal, STI_RUN_BASIS},
                {"pull", pull, STI_RUN_CONE},
                {"rub_too_hard", rub_too_hard, STI_RUN_CONE},
                {"slide_without_friction", slide_without_friction, STI_RUN_LAW},
                {"press_while_opening", press_while_opening, STI_RUN_LAW},
                {"push_from_nowhere", push_from_nowhere, STI_RUN_MOMENTUM},
                {"open_the_hinge", open_the_hinge, STI_RUN_JOINT},
                {"sink", sink, STI_RUN_PENETRATION}};
    sti_env* env = *state;
    sti_document* problem = parse_scene(env);
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        sti_recorded_world w;
        assert_int_equal(sti_recorded_world_load(env, io_path("t.h5"), &w), STI_OK);
        list[k].forge(&w);
        const sti_run_verification v = verify(env, &w, bodies_of(problem));
        if (v.accepted || v.check[list[k].found].holds)
            fail_msg("%s: not found by %s", list[k].name, sti_run_check_name(list[k].found));
        assert_true(v.check[list[k].found].frame >= 0);
        sti_recorded_world_clear(env, &w);
    }
    sti_document_destroy(problem);
}

// A run of the same scene without friction: it says the friction of the scene, and that nothing slides. All its numbers
// fit each other but these.
static void friction_that_is_not_there_is_missed(void** state) {
    static const char smooth[] =
        "\"pairs\": [{\"materials\": [\"default\", \"default\"], \"mu\": 0}], \"dimension\": 3,";
    sti_env* env = *state;
    char text[4000];
    const char *at = strstr(scene_text, "\"dimension\": 3,"), *rest = at + strlen("\"dimension\": 3,");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - scene_text), scene_text, smooth, rest);
    record(env, text, "smooth.h5");
    sti_recorded_world w;
    assert_int_equal(sti_recorded_world_load(env, io_path("smooth.h5"), &w), STI_OK);
    sti_document *own, *problem = parse_scene(env);
    assert_int_equal(sti_document_parse(env, text, strlen(text), "scene", &own), STI_OK);
    assert_true(verify(env, &w, bodies_of(own)).accepted);
    sti_run_verification v = verify(env, &w, bodies_of(problem));
    assert_true(!v.accepted && !v.check[STI_RUN_CONE].holds);  // mu is not that of the materials
    for (long i = 0; i < w.contact_count; i++) {
        w.mu[i] = 0.5;
        w.u[3 * i + 1] = w.u[3 * i + 2] = 0;
    }
    v = verify(env, &w, bodies_of(problem));
    for (int i = 0; i < STI_RUN_CHECK_COUNT; i++) assert_int_equal(v.check[i].holds, i != STI_RUN_LAW);
    sti_recorded_world_clear(env, &w);
    sti_document_destroy(problem);
    sti_document_destroy(own);
}

// ---- a block between two walls, which may press on it as hard as they like, and a ball that falls far away

static const char press_text[] =
    "{\"kind\": \"scene\", \"dimension\": 3, \"time\": 1, \"bodies\": ["
    "{\"name\": \"floor\", \"fixed\": true, \"shape\": {\"type\": \"halfspace\", \"normal\": [0, 0, 1]}},"
    "{\"name\": \"block\", \"shape\": {\"type\": \"box\", \"half\": [0.5, 0.5, 0.5]}, \"position\": [0, 0, 0.5]},"
    "{\"name\": \"left\", \"fixed\": true, \"shape\": {\"type\": \"halfspace\", \"normal\": [1, 0, 0], \"offset\": "
    "-0.5}},"
    "{\"name\": \"right\", \"fixed\": true, \"shape\": {\"type\": \"halfspace\", \"normal\": [-1, 0, 0], \"offset\": "
    "-0.5}},"
    "{\"name\": \"ball\", \"density\": 1, \"shape\": {\"type\": \"sphere\", \"radius\": 0.25}, \"position\": [0, 9, "
    "3]}]}";
enum { PRESSED = 5, FREE_BALL = 4 };

static void press(sti_recorded_world* w) {
    for (long i = 0; i < w->contact_count; i++) {
        if (fabs(w->n[3 * i]) < 0.5) continue;
        w->r[3 * i] = 1e9;
        w->r[3 * i + 1] = w->r[3 * i + 2] = 0;
    }
}
static void press_and_push(sti_recorded_world* w) {
    press(w);
    w->v[((size_t)10 * PRESSED + FREE_BALL) * 3] += 1e-3;
}
static void press_and_lift(sti_recorded_world* w) {
    press(w);
    for (long s = 20; s < w->step_count; s++) w->potential[s] += 10;
}

// What presses in balance may be any number, and is no measure of anything else.
static void a_balanced_press_hides_nothing(void** state) {
    sti_env* env = *state;
    record(env, press_text, "press.h5");
    sti_document* problem;
    assert_int_equal(sti_document_parse(env, press_text, strlen(press_text), "scene", &problem), STI_OK);
    static const struct {
        void (*forge)(sti_recorded_world* w);
        int found;
    } list[] = {{press, -1}, {press_and_push, STI_RUN_MOMENTUM}, {press_and_lift, STI_RUN_ENERGY}};
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        sti_recorded_world w;
        assert_int_equal(sti_recorded_world_load(env, io_path("press.h5"), &w), STI_OK);
        list[k].forge(&w);
        const sti_run_verification v = verify(env, &w, bodies_of(problem));
        for (int i = 0; i < STI_RUN_CHECK_COUNT; i++) {
            const bool may = i != list[k].found && !(k == 1 && (i == STI_RUN_KINETIC || i == STI_RUN_ENERGY));
            if (may && !v.check[i].holds)
                fail_msg("%zu: %s: %g", k, sti_run_check_name((sti_run_check_kind)i), v.check[i].worst);
        }
        if (list[k].found >= 0) assert_false(v.check[list[k].found].holds);
        sti_recorded_world_clear(env, &w);
    }
    sti_document_destroy(problem);
}

static void bodies_of_another_scene_are_refused(void** state) {
    sti_env* env = *state;
    sti_recorded_world w;
    assert_int_equal(sti_recorded_world_load(env, io_path("t.h5"), &w), STI_OK);
    static const char other[] =
        "{\"kind\": \"scene\", \"dimension\": 3, \"time\": 1, \"bodies\": [{\"shape\": {\"type\": \"sphere\", "
        "\"radius\": 1}}]}";
    sti_document* problem;
    assert_int_equal(sti_document_parse(env, other, strlen(other), "other", &problem), STI_OK);
    sti_run_verify_options options = sti_run_verify_options_default();
    sti_run_verification v;
    options.bodies = bodies_of(problem);
    assert_int_equal(sti_verify_recorded_world(env, &w, &options, &v), STI_ERR_ARGUMENT);
    sti_document_destroy(problem);
    problem = parse_scene(env);
    options.bodies = bodies_of(problem);
    w.contact_shape[0] = 77;
    assert_int_equal(sti_verify_recorded_world(env, &w, &options, &v), STI_ERR_ARGUMENT);
    options = (sti_run_verify_options){.tol = NAN};
    assert_int_equal(sti_verify_recorded_world(env, &w, &options, &v), STI_ERR_ARGUMENT);
    sti_recorded_world_clear(env, &w);
    sti_document_destroy(problem);
}

// ---- files

static unsigned char* read_bytes(const char* path, size_t* size) {
    FILE* f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    unsigned char* bytes = malloc(*size);
    assert_true(bytes != NULL && fread(bytes, 1, *size, f) == *size && fclose(f) == 0);
    return bytes;
}

static void one_number_changed_in_the_file_is_found(void** state) {
    sti_env* env = *state;
    sti_recorded_world w;
    size_t size;
    assert_int_equal(sti_recorded_world_load(env, io_path("t.h5"), &w), STI_OK);
    unsigned char* bytes = read_bytes(io_path("t.h5"), &size);
    const double old = w.v[at(10, BOX, 3)], forged = old + 1e-3;
    int changed = 0;
    for (size_t i = 0; i + sizeof old <= size; i++) {
        if (memcmp(bytes + i, &old, sizeof old) != 0) continue;
        memcpy(bytes + i, &forged, sizeof forged);
        changed++;
    }
    assert_true(changed > 0);
    sti_recorded_world_clear(env, &w);
    io_write(io_path("forged.h5"), bytes, size);
    free(bytes);
    assert_int_equal(sti_recorded_world_load(env, io_path("forged.h5"), &w), STI_OK);
    sti_document* problem = parse_scene(env);
    const sti_run_verification v = verify(env, &w, bodies_of(problem));
    assert_true(!v.accepted && !v.check[STI_RUN_MOMENTUM].holds && !v.check[STI_RUN_KINETIC].holds);
    sti_recorded_world_clear(env, &w);
    sti_document_destroy(problem);
}

// Whatever the bytes are: a recording of right sizes, or an error.
static void damaged_files_do_no_harm(void** state) {
    sti_env* env = *state;
    size_t size;
    sti_rng rng = {5};
    unsigned char* bytes = read_bytes(io_path("t.h5"), &size);
    sti_document* problem = parse_scene(env);
    for (int k = 0; k < 150; k++) {
        unsigned char* copy = malloc(size);
        memcpy(copy, bytes, size);
        const size_t cut = k % 3 == 0 ? (size_t)(sti_rng_u01(&rng) * (double)size) : size;
        // headers are few among the numbers: every second time at the beginning or in the last part of the file
        for (int i = 0; i < 4; i++) {
            const double u = sti_rng_u01(&rng);
            const size_t where =
                k % 2 == 0 ? (size_t)(u * (double)size) : size - 1 - (size_t)(u * fmin(60000, (double)size));
            copy[where] ^= (unsigned char)(1 + 254 * sti_rng_u01(&rng));
        }
        io_write(io_path("damaged.h5"), copy, cut);
        free(copy);
        sti_recorded_world w;
        if (sti_recorded_world_load(env, io_path("damaged.h5"), &w) != STI_OK) continue;
        sti_run_verify_options options = sti_run_verify_options_default();
        sti_run_verification v;
        options.bodies = bodies_of(problem);
        (void)sti_verify_recorded_world(env, &w, &options, &v);
        sti_recorded_world_clear(env, &w);
    }
    free(bytes);
    sti_document_destroy(problem);
}

static void a_file_of_something_else_is_named(void** state) {
    sti_env* env = *state;
    sti_recorded_world w;
    sti_recording* r;
    const double one = 1;
    int series;
    assert_int_equal(sti_recording_create(env, io_path("o.h5"), &r), STI_OK);
    assert_int_equal(sti_recording_series(r, &(sti_series_def){.name = "steps/time"}, &series), STI_OK);
    assert_int_equal(sti_recording_append(r, series, 1, &one), STI_OK);
    assert_int_equal(sti_recording_commit(r, false), STI_OK);
    sti_recording_destroy(r);
    assert_int_equal(sti_recorded_world_load(env, io_path("o.h5"), &w), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, "not the recording of a run of bodies"));
    assert_true(sti_recorded_world_load(env, io_path("none.h5"), &w) != STI_OK);
}

// ---- while the run is made

// Every step is shown to the checker; what is found is what the recording of the same run shows.
static void a_run_checked_as_it_goes_has_the_verdict_of_its_recording(void** state) {
    sti_env* env = *state;
    sti_recorded_world w;
    assert_int_equal(sti_recorded_world_load(env, io_path("t.h5"), &w), STI_OK);
    sti_document* problem = parse_scene(env);
    const sti_world_scene* scene = sti_world_scene_of(problem);
    const sti_run_verification after = verify(env, &w, scene->bodies);
    sti_run_verify_options options = sti_run_verify_options_default();
    options.bodies = scene->bodies;
    sti_world* world;
    sti_run_checker *checker, *second;
    assert_int_equal(sti_world_create(env, scene->bodies, &scene->step, &world), STI_OK);
    assert_int_equal(sti_run_checker_create(env, &options, &checker), STI_OK);
    assert_int_equal(sti_run_checker_look_world(checker, world, NULL), STI_OK);
    for (int k = 0; k < STEPS; k++) {
        sti_world_report report;
        assert_int_equal(sti_world_step(world, &report), STI_OK);
        assert_int_equal(sti_run_checker_look_world(checker, world, &report), STI_OK);
        if (k != 20) continue;
        void* bytes;  // on from a checkpoint
        size_t size;
        assert_int_equal(sti_run_checker_save_state(checker, &bytes, &size), STI_OK);
        assert_int_equal(sti_run_checker_create(env, &options, &second), STI_OK);
        assert_int_equal(sti_run_checker_load_state(second, bytes, size - 1), STI_ERR_INPUT);
        assert_int_equal(sti_run_checker_load_state(second, bytes, size), STI_OK);
        sti_env_free(env, bytes);
        sti_run_checker_destroy(checker);
        checker = second;
    }
    sti_run_verification live;
    sti_run_checker_result(checker, &live);
    assert_true(live.accepted);
    for (int i = 0; i < STI_RUN_CHECK_COUNT; i++) {
        const sti_run_check *a = &live.check[i], *b = &after.check[i];
        if (a->looked != b->looked || a->worst != b->worst || a->limit != b->limit || a->frame != b->frame ||
            a->body != b->body)
            fail_msg("%s: %g at %ld, %ld looked at; recorded: %g at %ld, %ld",
                     sti_run_check_name((sti_run_check_kind)i), a->worst, a->frame, a->looked, b->worst, b->frame,
                     b->looked);
    }
    sti_run_checker_destroy(checker);
    sti_world_destroy(world);
    sti_document_destroy(problem);
    sti_recorded_world_clear(env, &w);
}

// A state that is not where its speeds lead, in the ground and without the energy it says: found in the step it comes
// in.
static void a_forged_step_is_found_at_once(void** state) {
    sti_env* env = *state;
    sti_document* problem = parse_scene(env);
    const sti_world_scene* scene = sti_world_scene_of(problem);
    sti_run_verify_options options = sti_run_verify_options_default();
    options.bodies = scene->bodies;
    sti_world* world;
    sti_run_checker* checker;
    assert_int_equal(sti_world_create(env, scene->bodies, &scene->step, &world), STI_OK);
    assert_int_equal(sti_run_checker_create(env, &options, &checker), STI_OK);
    sti_world_report report;
    assert_int_equal(sti_world_step(world, &report), STI_OK);
    assert_int_equal(sti_run_checker_look_world(checker, world, &report), STI_ERR_ARGUMENT);  // the start comes first
    assert_int_equal(sti_run_checker_look_world(checker, world, NULL), STI_OK);
    sti_pose pose;
    sti_world_pose(world, BOX, &pose);
    pose.x[2] -= 0.1;
    assert_int_equal(sti_world_set(world, BOX, &pose, NULL, NULL), STI_OK);
    assert_int_equal(sti_run_checker_look_world(checker, world, &report), STI_OK);
    sti_run_verification v;
    sti_run_checker_result(checker, &v);
    assert_true(!v.accepted && !v.check[STI_RUN_MOTION].holds && !v.check[STI_RUN_PENETRATION].holds);
    assert_int_equal(v.check[STI_RUN_PENETRATION].frame, 1);
    assert_true(v.check[STI_RUN_START].worst == 0 && v.check[STI_RUN_JOINT].holds);
    sti_run_checker_destroy(checker);
    options.bodies = NULL;
    assert_int_equal(sti_run_checker_create(env, &options, &checker), STI_ERR_ARGUMENT);
    sti_world_destroy(world);
    sti_document_destroy(problem);
}

static void a_checker_survives_every_failed_allocation(void** state) {
    sti_document* problem = parse_scene(*state);
    const sti_world_scene* scene = sti_world_scene_of(problem);
    sti_world* world;
    sti_world_report report;
    assert_int_equal(sti_world_create(*state, scene->bodies, &scene->step, &world), STI_OK);
    assert_int_equal(sti_world_step(world, &report), STI_OK);
    sti_pose pose[BODIES];
    double v[3 * BODIES], w[3 * BODIES];
    for (int b = 0; b < BODIES; b++) {
        sti_world_pose(world, b, &pose[b]);
        sti_world_velocity(world, b, v + 3 * b, w + 3 * b);
    }
    const sti_run_moment moment = {
        .time = sti_world_time(world), .pose = pose, .v = v, .w = w, .report = &report};  // without contacts
    bool done = false;
    for (long k = 0; !done; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_run_verify_options options = sti_run_verify_options_default();
        options.bodies = scene->bodies;
        sti_run_checker* checker = NULL;
        void* bytes = NULL;
        size_t size;
        sti_status status = sti_run_checker_create(f.env, &options, &checker);
        if (status == STI_OK) status = sti_run_checker_look_world(checker, world, NULL);
        if (status == STI_OK) status = sti_run_checker_look_world(checker, world, &report);
        if (status == STI_OK) status = sti_run_checker_look(checker, &moment);
        if (status == STI_OK) status = sti_run_checker_save_state(checker, &bytes, &size);
        if (status == STI_OK) status = sti_run_checker_load_state(checker, bytes, size);
        assert_true(status == STI_OK || status == STI_ERR_MEMORY);
        sti_env_free(f.env, bytes);
        sti_run_checker_destroy(checker);
        done = failing_env_close(&f);
        assert_true(!done || status == STI_OK);
    }
    sti_world_destroy(world);
    sti_document_destroy(problem);
}

static void memory_that_runs_out_is_survived(void** state) {
    sti_document* problem = parse_scene(*state);
    bool done = false;
    for (long k = 0; !done; k++) {
        failing_env f;
        sti_recorded_world w;
        sti_run_verification v;
        failing_env_open(&f, k);
        sti_status status = sti_recorded_world_load(f.env, io_path("t.h5"), &w);
        if (status == STI_OK) {
            sti_run_verify_options options = sti_run_verify_options_default();
            options.bodies = bodies_of(problem);
            status = sti_verify_recorded_world(f.env, &w, &options, &v);
            assert_true(status == STI_OK ? v.accepted : !v.accepted);
            sti_recorded_world_clear(f.env, &w);
        }
        assert_true(status == STI_OK || status == STI_ERR_MEMORY);
        done = failing_env_close(&f);
        assert_true(!done || status == STI_OK);
    }
    sti_document_destroy(problem);
}

// ---- what a step may leave

// A box at rest on the floor for three steps. In the last one its contacts open at `opening` of the largest speed, and
// the energy grows by `times` what their impulses do with that.
static sti_run_verification lifted(sti_env* env, double opening, double times) {
    static const char text[] =
        "{\"kind\": \"scene\", \"dimension\": 3, \"time\": 1, \"bodies\": ["
        "{\"name\": \"floor\", \"fixed\": true, \"shape\": {\"type\": \"halfspace\", \"normal\": [0, 0, 1]}},"
        "{\"name\": \"box\", \"shape\": {\"type\": \"box\", \"half\": [0.5, 0.5, 0.5]}, \"position\": [0, 0, 0.5]}]}";
    enum { FLOOR_AND_BOX = 2, MOST = 16 };
    sti_document* problem;
    sti_world* world;
    sti_run_checker* checker;
    sti_world_report report;
    sti_run_verification v;
    assert_int_equal(sti_document_parse(env, text, strlen(text), "scene", &problem), STI_OK);
    const sti_world_scene* scene = sti_world_scene_of(problem);
    sti_run_verify_options options = sti_run_verify_options_default();
    options.bodies = scene->bodies;
    assert_int_equal(sti_world_create(env, scene->bodies, &scene->step, &world), STI_OK);
    assert_int_equal(sti_run_checker_create(env, &options, &checker), STI_OK);
    assert_int_equal(sti_run_checker_look_world(checker, world, NULL), STI_OK);
    for (int step = 0; step < 2; step++) {
        assert_int_equal(sti_world_step(world, &report), STI_OK);
        assert_int_equal(sti_run_checker_look_world(checker, world, &report), STI_OK);
    }
    assert_int_equal(sti_world_step(world, &report), STI_OK);
    sti_pose pose[FLOOR_AND_BOX];
    double speeds[2][3 * FLOOR_AND_BOX], power = 0;
    sti_world_contact contacts[MOST];
    sti_run_moment m = {.time = report.time, .pose = pose, .v = speeds[0], .w = speeds[1], .report = &report};
    const sti_world_contact* now = sti_world_contacts(world, &m.contact_count);
    assert_true(m.contact_count > 0 && m.contact_count <= MOST && report.kinetic == 0);
    memcpy(contacts, now, (size_t)m.contact_count * sizeof *now);
    for (int b = 0; b < FLOOR_AND_BOX; b++) {
        sti_world_pose(world, b, &pose[b]);
        sti_world_velocity(world, b, speeds[0] + 3 * b, speeds[1] + 3 * b);
    }
    const double speed = 9.81 * scene->step.h;  // what gravity gives in a step
    for (int i = 0; i < m.contact_count; i++) {
        contacts[i].u[0] = opening * speed;
        power += contacts[i].r[0] * contacts[i].u[0];
    }
    assert_true(power > 0);
    report.potential += times * power;
    m.contacts = contacts;
    assert_int_equal(sti_run_checker_look(checker, &m), STI_OK);
    sti_run_checker_result(checker, &v);
    sti_run_checker_destroy(checker);
    sti_world_destroy(world);
    sti_document_destroy(problem);
    return v;
}

// What the law lets pass at each contact is the energy that may come from all of them; no more may.
static void energy_and_law_let_the_same_pass(void** state) {
    const double tol = sti_run_verify_options_default().tol;
    sti_run_verification v = lifted(*state, 0.9 * tol, 1);
    if (!v.accepted) fail_msg("law %g, energy %g", v.check[STI_RUN_LAW].worst, v.check[STI_RUN_ENERGY].worst);
    v = lifted(*state, 0.9 * tol, 1.1);
    assert_true(!v.accepted && v.check[STI_RUN_LAW].holds && !v.check[STI_RUN_ENERGY].holds);
    v = lifted(*state, 1.1 * tol, 0);
    assert_true(!v.accepted && !v.check[STI_RUN_LAW].holds && v.check[STI_RUN_ENERGY].holds);
}

// A box on a plate that a spring holds up and swings on. Where it turns back hardly any speed is left, and the step
// pays with that for what its straight way does to the spring. After `forged` steps the box gets a push (0: never).
static sti_run_verification carried(sti_env* env, int forged) {
    static const char text[] =
        "{\"kind\": \"scene\", \"dimension\": 3, \"time\": 4, \"materials\": {\"rough\": {\"mu\": 1}}, \"bodies\": ["
        "{\"name\": \"plate\", \"mass\": 1, \"material\": \"rough\", \"position\": [0.5, 0, 0], "
        "\"shape\": {\"type\": \"box\", \"half\": [0.6, 0.2, 0.02]}},"
        "{\"name\": \"box\", \"mass\": 0.5, \"material\": \"rough\", \"position\": [0.9, 0, 0.07], "
        "\"shape\": {\"type\": \"box\", \"half\": [0.05, 0.05, 0.05]}}],"
        "\"joints\": [{\"type\": \"revolute\", \"bodies\": [\"world\", \"plate\"], \"point\": [0, 0, 0], "
        "\"axis\": [0, 1, 0], \"spring\": {\"stiffness\": 400, \"damping\": 0.5}}]}";
    enum { PLATE_AND_BOX = 2, CARRIED_STEPS = 400 };
    sti_document* problem;
    sti_world* world;
    sti_run_checker* checker;
    sti_run_verification v;
    assert_int_equal(sti_document_parse(env, text, strlen(text), "scene", &problem), STI_OK);
    const sti_world_scene* scene = sti_world_scene_of(problem);
    sti_run_verify_options options = sti_run_verify_options_default();
    options.bodies = scene->bodies;
    assert_int_equal(sti_world_create(env, scene->bodies, &scene->step, &world), STI_OK);
    assert_int_equal(sti_run_checker_create(env, &options, &checker), STI_OK);
    assert_int_equal(sti_run_checker_look_world(checker, world, NULL), STI_OK);
    for (int step = 1; step <= CARRIED_STEPS; step++) {
        sti_world_report report;
        sti_pose pose[PLATE_AND_BOX];
        double v_of[3 * PLATE_AND_BOX], w_of[3 * PLATE_AND_BOX];
        assert_int_equal(sti_world_step(world, &report), STI_OK);
        sti_run_moment m = {.time = report.time, .pose = pose, .v = v_of, .w = w_of, .report = &report};
        m.contacts = sti_world_contacts(world, &m.contact_count);
        for (int b = 0; b < PLATE_AND_BOX; b++) {
            sti_world_pose(world, b, &pose[b]);
            sti_world_velocity(world, b, v_of + 3 * b, w_of + 3 * b);
        }
        if (step == forged) v_of[3 + 1] += 1e-3;
        assert_int_equal(sti_run_checker_look(checker, &m), STI_OK);
    }
    sti_run_checker_result(checker, &v);
    sti_run_checker_destroy(checker);
    sti_world_destroy(world);
    sti_document_destroy(problem);
    return v;
}

static void what_a_spring_carries_may_pay_with_its_speed_and_gets_none(void** state) {
    sti_run_verification v = carried(*state, 0);
    if (!v.accepted) fail_msg("momentum %g", v.check[STI_RUN_MOMENTUM].worst);
    v = carried(*state, 200);
    assert_true(!v.accepted && !v.check[STI_RUN_MOMENTUM].holds && v.check[STI_RUN_MOMENTUM].frame == 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_of_ours_passes_every_check),
        cmocka_unit_test(a_forged_run_is_found_out),
        cmocka_unit_test(friction_that_is_not_there_is_missed),
        cmocka_unit_test(a_balanced_press_hides_nothing),
        cmocka_unit_test(bodies_of_another_scene_are_refused),
        cmocka_unit_test(one_number_changed_in_the_file_is_found),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(a_file_of_something_else_is_named),
        cmocka_unit_test(memory_that_runs_out_is_survived),
        cmocka_unit_test(a_run_checked_as_it_goes_has_the_verdict_of_its_recording),
        cmocka_unit_test(a_forged_step_is_found_at_once),
        cmocka_unit_test(energy_and_law_let_the_same_pass),
        cmocka_unit_test(what_a_spring_carries_may_pay_with_its_speed_and_gets_none),
        cmocka_unit_test(a_checker_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, make_run, drop_run);
}
