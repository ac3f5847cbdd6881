// The energy of steps: every built-in system with default settings, the balance of work, friction and impacts, pieces
// of steps that are too long, what is not judged.
#include <dirent.h>

#include "step/step_tools.h"

// Ten seconds with default settings: every step is solved, everything is finite, nothing overlaps, joints are closed,
// and energy less work never rises: conservative scenes keep it, the others lose it. The bound is rounding, not the
// order.
static void run_scene(const char* name, sti_document* scene) {
    const sti_system* system = sti_system_of(scene);
    sti_stepper* s = make_stepper(group_env, system, NULL);
    account a = account_open(group_env, system, s);
    const int n = sti_system_coordinate_count(system);
    // the plate of the dimer shakes: its gap depends on t, and then the balance of a step is measured, not corrected
    const double rounding = strcmp(name, "bouncing-dimer.json") == 0 ? 1e-6 : 1e-11;
    bool rough = false;
    for (int l = 0; l < 1000; l++) {
        const sti_step_report r = step_on(group_env, s);
        account_enter(&a, &r);
        for (int i = 0; i < n; i++) assert_true(isfinite(sti_stepper_q(s)[i]) && isfinite(sti_stepper_v(s)[i]));
        if (!(a.rise <= rounding * a.size)) fail_msg("%s: step %ld: energy rises by %g", name, r.step, a.rise);
        if (!(r.drift <= 1e-10 && r.penetration <= 1e-9))
            fail_msg("%s: step %ld: drift %g, penetration %g", name, r.step, r.drift, r.penetration);
        if (r.dropped > 0) fail_msg("%s: step %ld: %g of it dropped", name, r.step, r.dropped);
        assert_true(r.loss <= 1e-12 && r.collision_energy <= 1e-12 * a.size);
        rough = rough || r.loss < -1e-12 || r.collisions > 0;
    }
    // the account closes, up to what could not be given back
    const double open = a.least - a.first - a.loss - a.collisions;
    if (!(open <= 1e-10 * a.size && open >= -1e-3 * a.size)) fail_msg("%s: the account is off by %g", name, open);
    if (!rough && a.loss > -1e-12) assert_true(open >= -1e-10 * a.size);
    sti_stepper_destroy(s);
}

static void energy_never_grows_in_any_built_in_system(void** state) {
    (void)state;
    DIR* folder = opendir(STI_SOURCE_DIR "/scenes");
    assert_non_null(folder);
    int seen = 0;
    for (const struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[800];
        sti_document* scene;
        if (strstr(entry->d_name, ".json") == NULL) continue;
        snprintf(path, sizeof path, "%s/scenes/%s", STI_SOURCE_DIR, entry->d_name);
        if (sti_document_load(group_env, path, &scene) != STI_OK) continue;  // beds and worlds are other kinds of files
        if (sti_document_kind(scene) == STI_KIND_SYSTEM) {
            run_scene(entry->d_name, scene);
            seen++;
        }
        sti_document_destroy(scene);
    }
    closedir(folder);
    assert_true(seen >= 20);
}

// The crank turns by 1.5 radians in a step of 0.01 s: pieces, and the motion of steps a hundred times shorter.
static void a_step_that_is_too_long_is_made_of_pieces(void** state) {
    (void)state;
    sti_document* scene = load_scene(group_env, "slider-crank");
    double angle[2], energy[2];
    for (int k = 0; k < 2; k++) {
        sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
        o.step = k == 0 ? 0.01 : 1e-4;
        sti_stepper* s = make_stepper(group_env, sti_system_of(scene), &o);
        const int count = (int)lround(0.1 / o.step);
        sti_step_report r = {0};
        int most = 0;
        for (int l = 0; l < count; l++) {
            r = step_on(group_env, s);
            most = r.pieces - r.collisions > most ? r.pieces - r.collisions : most;
        }
        assert_true(k == 0 ? most >= 8 : most <= 2);
        angle[k] = sti_stepper_q(s)[0];
        energy[k] = r.kinetic + r.potential;
        sti_stepper_destroy(s);
    }
    assert_near(angle[0], angle[1], 2e-3 * angle[1]);
    assert_near(energy[0], energy[1], 5e-3 * energy[1]);
    sti_document_destroy(scene);
}

// Without the correction a conservative system keeps its energy to the second order, with it to rounding; errors of the
// motion stay of second order.
static void conservative_motion_keeps_its_energy(void** state) {
    (void)state;
    sti_document* scene = load_scene(group_env, "four-bar");
    double rise[2], x[3];
    for (int k = 0; k < 5; k++) {
        sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
        o.step = (double[]){0.02, 0.01, 0.02, 0.01, 0.001}[k];
        o.balance = k >= 2;
        sti_stepper* s = make_stepper(group_env, sti_system_of(scene), &o);
        account a = account_open(group_env, sti_system_of(scene), s);
        const int count = (int)lround(2 / o.step);
        for (int l = 0; l < count; l++) {
            const sti_step_report r = step_on(group_env, s);
            account_enter(&a, &r);
            assert_true(r.work == 0 && r.pieces == 1);
        }
        if (k < 2)
            rise[k] = a.rise;
        else
            x[k - 2] = sti_stepper_q(s)[0];
        if (k >= 2) assert_true(a.rise <= 1e-12 && a.least >= a.first - 1e-12);
        sti_stepper_destroy(s);
    }
    assert_near(rise[0] / rise[1], 4, 0.2);
    assert_near((x[0] - x[2]) / (x[1] - x[2]), 4, 0.6);
    sti_document_destroy(scene);
}

// A block that a belt drags along: friction takes the half of what the belt gives until it moves with it.
static void the_work_of_belts_and_forces_is_counted(void** state) {
    (void)state;
    sti_system* system;
    const sti_system_contact_text belt = {
        .name = "belt", .gap = "y", .slip_count = 1, .slip = (const char*[]){"x' - 2"}, .mu = "0.3"};
    must(group_env, sti_system_create(group_env,
                                      &(sti_system_text){.coordinate_count = 2,
                                                         .coordinates = (const char*[]){"x", "y"},
                                                         .kinetic = "3*(x'^2 + y'^2)/2",
                                                         .potential = "3*9.81*y",
                                                         .contact_count = 1,
                                                         .contacts = &belt},
                                      &system));
    sti_stepper* s = make_stepper(group_env, system, NULL);
    account a = account_open(group_env, system, s);
    sti_step_report r = {0};
    for (int l = 0; l < 200; l++) {
        r = step_on(group_env, s);
        account_enter(&a, &r);
    }
    assert_near(sti_stepper_v_alpha(s)[0], 2, 1e-12);
    assert_near(a.work, 12, 0.2);  // m v^2, up to the step in which it catches up
    assert_near(a.loss, -6, 0.2);
    assert_near(r.kinetic + r.potential, a.work + a.loss, 1e-12);
    assert_true(a.rise <= 1e-12);
    sti_stepper_destroy(s);
    sti_system_destroy(system);
    // a driven, damped spring, and a spring whose stiffness changes in time
    const sti_system_text texts[] = {{.coordinate_count = 1,
                                      .coordinates = (const char*[]){"x"},
                                      .kinetic = "x'^2/2",
                                      .potential = "10*x^2",
                                      .forces = (const char*[]){"cos(3*t) - x'/5"}},
                                     {.coordinate_count = 1,
                                      .coordinates = (const char*[]){"x"},
                                      .kinetic = "x'^2/2",
                                      .potential = "(10 + sin(t))*x^2 + x^4",
                                      .q = (const char*[]){"1"}}};
    for (int k = 0; k < 2; k++) {
        must(group_env, sti_system_create(group_env, &texts[k], &system));
        s = make_stepper(group_env, system, NULL);
        a = account_open(group_env, system, s);
        for (int l = 0; l < 300; l++) {
            r = step_on(group_env, s);
            account_enter(&a, &r);
            assert_near(r.kinetic + r.potential - a.work, a.first, 1e-10);
        }
        assert_true(fabs(a.work) > 1e-3);
        sti_stepper_destroy(s);
        sti_system_destroy(system);
    }
}

static bool silent(void* user, double t, const double* q, const double* v, sti_system_values* out) {
    (void)user, (void)t;
    out->M[0] = 1;
    out->F[0] = sin(q[0]);  // k is left out
    out->kinetic = v[0] * v[0] / 2;
    out->potential = -cos(q[0]);
    return true;
}

static void energy_that_is_not_known_is_not_judged(void** state) {
    (void)state;
    // a mass that grows, a kinetic energy with terms linear in the velocity, a function that does not tell its forces
    const char* const kinetic[] = {"(1 + t)*x'^2/2", "x'^2/2 + x'*sin(x)^2 + x^2"};
    for (int k = 0; k < 3; k++) {
        sti_system* system;
        if (k < 2)
            must(group_env, sti_system_create(group_env,
                                              &(sti_system_text){.coordinate_count = 1,
                                                                 .coordinates = (const char*[]){"x"},
                                                                 .kinetic = kinetic[k],
                                                                 .potential = "-cos(x)",
                                                                 .q = (const char*[]){"1"},
                                                                 .v = (const char*[]){"1"}},
                                              &system));
        else
            must(group_env, sti_system_create_def(group_env,
                                                  &(sti_system_def){.coordinate_count = 1,
                                                                    .coordinates = (const char*[]){"x"},
                                                                    .q = (double[]){1},
                                                                    .v = (double[]){1},
                                                                    .evaluate = silent},
                                                  &system));
        sti_stepper* s = make_stepper(group_env, system, NULL);
        for (int l = 0; l < 20; l++) {
            const sti_step_report r = step_on(group_env, s);
            assert_true(isnan(r.work) && isnan(r.loss) && isnan(r.defect) && r.pieces == 1);
        }
        sti_stepper_destroy(s);
        sti_system_destroy(system);
    }
}

// Every alpha from 1/2 on, from rest and in motion: no gain, and few steps that are cut.
static void no_alpha_gains_energy(void** state) {
    (void)state;
    const char* const names[] = {"four-bar", "tilted-block", "bouncing-ball", "planar-box"};
    for (int k = 0; k < 16; k++) {
        sti_document* scene = load_scene(group_env, names[k % 4]);
        sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
        o.alpha = (double[]){0.5, 0.6, 0.75, 1}[k / 4];
        sti_stepper* s = make_stepper(group_env, sti_system_of(scene), &o);
        account a = account_open(group_env, sti_system_of(scene), s);
        int pieces = 0, collisions = 0;
        for (int l = 0; l < 100; l++) {
            const sti_step_report r = step_on(group_env, s);
            account_enter(&a, &r);
            pieces += r.pieces;
            collisions += r.collisions;
            assert_true(a.rise <= 1e-11 * a.size);
        }
        assert_true(pieces <= 200 + 2 * collisions);
        sti_stepper_destroy(s);
        sti_document_destroy(scene);
    }
}

// Pieces and what is still to be taken out are part of the state.
static void pieces_are_saved_with_the_state(void** state) {
    (void)state;
    sti_document* scene = load_scene(group_env, "slider-crank");
    const sti_system* system = sti_system_of(scene);
    sti_stepper *a = make_stepper(group_env, system, NULL), *b = make_stepper(group_env, system, NULL);
    for (int l = 0; l < 7; l++) step_on(group_env, a);
    void* bytes;
    size_t size;
    must(group_env, sti_stepper_save_state(a, &bytes, &size));
    must(group_env, sti_stepper_load_state(b, bytes, size));
    for (int l = 0; l < 5; l++) assert_int_equal(step_on(group_env, a).pieces, step_on(group_env, b).pieces);
    assert_memory_equal(sti_stepper_q(a), sti_stepper_q(b), 3 * sizeof(double));
    assert_memory_equal(sti_stepper_v(a), sti_stepper_v(b), 3 * sizeof(double));
    sti_env_free(group_env, bytes);
    sti_stepper_destroy(a);
    sti_stepper_destroy(b);
    sti_document_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_never_grows_in_any_built_in_system),
        cmocka_unit_test(a_step_that_is_too_long_is_made_of_pieces),
        cmocka_unit_test(conservative_motion_keeps_its_energy),
        cmocka_unit_test(the_work_of_belts_and_forces_is_counted),
        cmocka_unit_test(energy_that_is_not_known_is_not_judged),
        cmocka_unit_test(no_alpha_gains_energy),
        cmocka_unit_test(pieces_are_saved_with_the_state),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
