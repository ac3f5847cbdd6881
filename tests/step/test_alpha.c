// The alpha schemes against the reference cases of S3: stiff springs, Coriolis forces, joints, stick and slip, gaps at
// position level, facets in space; orders of convergence; the round cone against facets.
#include "step/step_tools.h"

static void a_stiff_spring_follows_its_recursion(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* item = oracle_find(root, "ALP-01");
    sti_system* system;
    must(group_env, sti_system_create(group_env,
                                      &(sti_system_text){.parameter_count = 2,
                                                         .parameter_names = (const char*[]){"K", "c"},
                                                         .parameters = (double[]){1e6, 10},
                                                         .coordinate_count = 1,
                                                         .coordinates = (const char*[]){"x"},
                                                         .kinetic = "x'^2/2",
                                                         .potential = "K*x^2/2",
                                                         .forces = (const char*[]){"-c*x'"},
                                                         .q = (const char*[]){"1"},
                                                         .v = (const char*[]){"0"}},
                                      &system));
    const double alphas[] = {1, 0.75, 0.5};
    const char* const names[] = {"alpha=1", "alpha=0.75", "alpha=0.5"};
    for (int k = 0; k < 3; k++) {
        const cJSON* expected = oracle_get(item, "expected", names[k]);
        const sti_stepper_options o = printed(alphas[k], 0.01);
        sti_stepper* s = make_stepper(group_env, system, &o);
        for (int l = 0; l < 10; l++) step_on(group_env, s);
        const double q = cJSON_GetNumberValue(cJSON_GetObjectItem(expected, "q_10"));
        const double v = cJSON_GetNumberValue(cJSON_GetObjectItem(expected, "v_10"));
        assert_near(sti_stepper_q(s)[0], q, 1e-6 * fabs(q));
        assert_near(sti_stepper_v(s)[0], v, 1e-6 * fabs(v));
        sti_stepper_destroy(s);
    }
    sti_system_destroy(system);
    cJSON_Delete(root);
}

// ---- a free rigid body: F(w) w = (I w) x w with the skew matrix of (2.1.2)

static const double inertia[3] = {1, 2, 3};

static bool free_body(void* user, double t, const double* q, const double* w, sti_system_values* out) {
    (void)user, (void)t, (void)q;
    double a[3];
    out->kinetic = 0;
    for (int i = 0; i < 3; i++) {
        out->M[i * 3 + i] = inertia[i];
        a[i] = inertia[i] * w[i];
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out->F[i] = -(a[j] * w[k] - a[k] * w[j]);
        out->kinetic += a[i] * w[i] / 2;
    }
    return true;
}

static bool skew(void* user, double t, const double* q, const double* w, double* G) {
    (void)user, (void)t, (void)q;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        G[i * 3 + k] = inertia[j] * w[j];
        G[i * 3 + j] = -inertia[k] * w[k];
    }
    return true;
}

static void a_free_body_turns_as_the_corrected_formula_says(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* item = oracle_find(root, "ALP-02");
    const double w0[3] = {0.1, 1, 0.2};
    sti_system* system;
    must(group_env,
         sti_system_create_def(
             group_env,
             &(sti_system_def){
                 .coordinate_count = 3, .coordinates = (const char*[]){"a", "b", "c"}, .v = w0, .evaluate = free_body},
             &system));
    const char* const names[] = {"alpha=1", "alpha=0.5"};
    for (int k = 0; k < 2; k++) {
        const cJSON* expected = cJSON_GetObjectItem(
            cJSON_GetObjectItem(oracle_get(item, "expected", names[k]), "corrected k~ (h F v)"), "w");
        sti_stepper_options o = printed(k == 0 ? 1 : 0.5, 0.01);
        o.inertial = skew;
        sti_stepper* s = make_stepper(group_env, system, &o);
        const double energy = 0.5 * (0.01 + 2 + 3 * 0.04);
        sti_step_report r = {0};
        for (int l = 0; l < 500; l++) r = step_on(group_env, s);
        for (int i = 0; i < 3; i++) assert_near(sti_stepper_v(s)[i], number_at(expected, i), 1e-9);
        if (k == 1) assert_near(r.kinetic, energy, 1e-12);
        sti_stepper_destroy(s);
    }
    // geometry ahead takes the whole derivative and is of second order: three digits better
    const cJSON* exact = oracle_get(item, "expected", "reference_w(5)");
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    o.inertial = skew;
    sti_stepper* s = make_stepper(group_env, system, &o);
    for (int l = 0; l < 500; l++) step_on(group_env, s);
    for (int i = 0; i < 3; i++) assert_near(sti_stepper_v(s)[i], number_at(exact, i), 1e-4);
    sti_stepper_destroy(s);
    sti_system_destroy(system);
    cJSON_Delete(root);
}

// As <stiction/step.h> says: M a = G(v) v + k. For a free body I w' = -w x I w that is G = [I w]x.
static bool as_the_header_says(void* user, double t, const double* q, const double* w, double* G) {
    const double sign = user != NULL ? -1 : 1;  // or the other way round
    (void)t, (void)q;
    const double L[3] = {inertia[0] * w[0], inertia[1] * w[1], inertia[2] * w[2]};
    const double cross[9] = {0, -L[2], L[1], L[2], 0, -L[0], -L[1], L[0], 0};
    for (int i = 0; i < 9; i++) G[i] = sign * cross[i];
    return true;
}

static void a_matrix_by_the_header_keeps_the_energy_and_one_of_the_other_sign_is_refused(void** state) {
    (void)state;
    const double w0[3] = {0.1, 1, 0.2}, energy = 0.5 * (0.01 + 2 + 3 * 0.04);
    sti_system* system;
    must(group_env,
         sti_system_create_def(
             group_env,
             &(sti_system_def){
                 .coordinate_count = 3, .coordinates = (const char*[]){"a", "b", "c"}, .v = w0, .evaluate = free_body},
             &system));
    sti_stepper_options o = printed(0.5, 0.01);
    o.inertial = as_the_header_says;
    sti_stepper* s = make_stepper(group_env, system, &o);
    for (int l = 0; l < 500; l++) assert_near(step_on(group_env, s).kinetic, energy, 1e-12);
    sti_stepper_destroy(s);
    o.inertial_user = &o;
    s = make_stepper(group_env, system, &o);
    assert_int_equal(sti_stepper_step(s, NULL), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(group_env)->text, "inertial: at t = 0"));
    sti_stepper_destroy(s);
    sti_system_destroy(system);
}

static sti_system* pendulum(void) {
    sti_system* system;
    const sti_system_contact_text rod = {.name = "rod", .gap = "(x^2 + y^2 - 1)/2"};
    must(group_env,
         sti_system_create(group_env,
                           &(sti_system_text){.coordinate_count = 2,
                                              .coordinates = (const char*[]){"x", "y"},
                                              .kinetic = "(x'^2 + y'^2)/2",
                                              .potential = "9.81*y",
                                              .joint_count = 1,
                                              .joints = &rod,
                                              .q = (const char*[]){"0.8660254037844385", "-0.5000000000000001"}},
                           &system));
    return system;
}

static void a_pendulum_drifts_as_printed(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* item = oracle_find(root, "DAE-07");
    sti_system* system = pendulum();
    const double alphas[] = {1, 0.75, 0.5};
    const char* const names[] = {"alpha=1", "alpha=0.75", "alpha=0.5"};
    for (int k = 0; k < 3; k++) {
        const cJSON* expected = oracle_get(item, "expected", names[k]);
        sti_stepper_options o = printed(alphas[k], 0.01);
        o.start_as_given = true;
        sti_stepper* s = make_stepper(group_env, system, &o);
        sti_step_report r = {0};
        for (int l = 0; l < 100; l++) r = step_on(group_env, s);
        for (int i = 0; i < 2; i++) {
            assert_near(sti_stepper_q(s)[i], number_at(cJSON_GetObjectItem(expected, "q_N"), i), 1e-10);
            assert_near(sti_stepper_v(s)[i], number_at(cJSON_GetObjectItem(expected, "v_N"), i), 1e-10);
        }
        assert_near(r.drift, cJSON_GetNumberValue(cJSON_GetObjectItem(expected, "drift_Theta_N")), 1e-10);
        sti_stepper_destroy(s);
    }
    sti_system_destroy(system);
    cJSON_Delete(root);
}

// Angle of the pendulum at time 1 from a fine Runge-Kutta solution.
static double pendulum_angle(double end) {
    double th = 3.14159265358979323846 / 3, w = 0;
    const int steps = 20000;
    const double h = end / steps;
    for (int i = 0; i < steps; i++) {
        const double k1 = w, l1 = -9.81 * sin(th);
        const double k2 = w + h / 2 * l1, l2 = -9.81 * sin(th + h / 2 * k1);
        const double k3 = w + h / 2 * l2, l3 = -9.81 * sin(th + h / 2 * k2);
        const double k4 = w + h * l3, l4 = -9.81 * sin(th + h * k3);
        th += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        w += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    return th;
}

static double pendulum_error(const sti_system* system, sti_stepper_options o, double h) {
    o.step = h;
    sti_stepper* s = make_stepper(group_env, system, &o);
    sti_step_report r = {0};
    const int count = (int)lround(1 / h);
    for (int l = 0; l < count; l++) r = step_on(group_env, s);
    const double th = pendulum_angle(1);
    const double error = hypot(sti_stepper_q(s)[0] - sin(th), sti_stepper_q(s)[1] + cos(th));
    if (o.stabilize) assert_true(r.drift < 1e-12);
    sti_stepper_destroy(s);
    return error;
}

static void a_joint_is_of_second_order_with_geometry_ahead_and_of_first_as_printed(void** state) {
    (void)state;
    sti_system* system = pendulum();
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    const double ahead = log2(pendulum_error(system, o, 0.01) / pendulum_error(system, o, 0.005));
    o.stabilize = false;
    const double free = log2(pendulum_error(system, o, 0.01) / pendulum_error(system, o, 0.005));
    o = printed(0.5, 0.01);
    const double old = log2(pendulum_error(system, o, 0.01) / pendulum_error(system, o, 0.005));
    assert_near(ahead, 2, 0.15);
    assert_near(free, 2, 0.15);
    assert_near(old, 1, 0.15);
    sti_system_destroy(system);
}

// ---- stick and slip

// Exact position and velocity at t from the events of SS-01: x'' = 8 cos t - s 7.848 while slipping with sign s.
typedef struct events {
    int count;
    double t[16], x[16];
    bool slip[16];  // slips from here on
} events;

static void read_events(const cJSON* item, events* e) {
    *e = (events){.count = 1, .x = {3}, .slip = {true}};
    const cJSON* event;
    cJSON_ArrayForEach(event, oracle_get(item, "expected", "events")) {
        e->t[e->count] = strtod(cJSON_GetStringValue(cJSON_GetObjectItem(event, "t")), NULL);
        e->x[e->count] = strtod(cJSON_GetStringValue(cJSON_GetObjectItem(event, "x")), NULL);
        e->slip[e->count++] = strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(event, "type")), "slip") == 0;
    }
}

static void exact_motion(const events* e, double t, double* x, double* v) {
    int k = 0;
    while (k + 1 < e->count && e->t[k + 1] <= t) k++;
    *x = e->x[k];
    *v = 0;
    if (!e->slip[k]) return;
    const double t0 = e->t[k], d = t - t0, friction = 0.8 * 9.81 * (cos(t0) > 0 ? 1 : -1);
    *v = 8 * (sin(t) - sin(t0)) - friction * d;
    *x += -8 * (cos(t) - cos(t0)) - 8 * sin(t0) * d - friction * d * d / 2;
}

static void stick_and_slip_follow_the_reference_sequence(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* item = oracle_find(root, "SS-02");
    sti_document* scene = load_scene(group_env, "stick-slip");
    for (int variant = 0; variant < 3; variant++) {
        sti_stepper_options o = variant == 1 ? sti_stepper_options_default(STI_SCHEME_ALPHA) : printed(0.5, 0.01);
        if (variant == 2) o.friction = STI_FRICTION_CONE;
        sti_stepper* s = make_stepper(group_env, sti_system_of(scene), &o);
        const cJSON *v = oracle_get(item, "expected", "v"), *va = oracle_get(item, "expected", "v_alpha");
        const cJSON* q = oracle_get(item, "expected", "q1");
        assert_non_null(v);
        const double tol = variant == 2 ? 1e-9 : 1e-12;
        for (int l = 0; l < cJSON_GetArraySize(v); l++) {
            assert_near(sti_stepper_v(s)[0], number_at(v, l), tol);
            if (va != NULL && l > 0) assert_near(sti_stepper_v_alpha(s)[0], number_at(va, l), tol);
            if (q != NULL) assert_near(sti_stepper_q(s)[0], number_at(q, l), tol);
            step_on(group_env, s);
        }
        sti_stepper_destroy(s);
    }
    sti_document_destroy(scene);
    cJSON_Delete(root);
}

static void stick_and_slip_converge_as_the_table_says(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    events e;
    read_events(oracle_find(root, "SS-01"), &e);
    sti_document* scene = load_scene(group_env, "stick-slip");
    const cJSON* row;
    cJSON_ArrayForEach(row, oracle_get(oracle_find(root, "SS-05"), "expected", "table")) {
        const double h = cJSON_GetNumberValue(cJSON_GetObjectItem(row, "h"));
        if (h < 0.005) continue;  // seconds under the sanitizers
        const sti_stepper_options o = printed(0.5, h);
        sti_stepper* s = make_stepper(group_env, sti_system_of(scene), &o);
        double worst_q = 0, worst_v = 0, worst_va = 0, tv = 0, tva = 0, last_v = 0, last_va = 0, x = 0, v = 0;
        const int count = (int)lround(10 / h);
        for (int l = 1; l <= count; l++) {
            step_on(group_env, s);
            exact_motion(&e, l * h, &x, &v);
            worst_q = fmax(worst_q, fabs(sti_stepper_q(s)[0] - x));
            worst_v = fmax(worst_v, fabs(sti_stepper_v(s)[0] - v));
            worst_va = fmax(worst_va, fabs(sti_stepper_v_alpha(s)[0] - v));
            tv += fabs(sti_stepper_v(s)[0] - last_v);
            if (l > 1) tva += fabs(sti_stepper_v_alpha(s)[0] - last_va);
            last_v = sti_stepper_v(s)[0];
            last_va = sti_stepper_v_alpha(s)[0];
        }
        const struct {
            const char* name;
            double value;
        } found[] = {{"max_q_error", worst_q},
                     {"max_v_error", worst_v},
                     {"max_valpha_error", worst_va},
                     {"TV_v", tv},
                     {"TV_valpha", tva},
                     {"final_q_error", fabs(sti_stepper_q(s)[0] - x)}};
        for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
            const double expected = cJSON_GetNumberValue(cJSON_GetObjectItem(row, found[i].name));
            assert_near(found[i].value, expected, 1e-3 * expected);
        }
        sti_stepper_destroy(s);
    }
    sti_document_destroy(scene);
    cJSON_Delete(root);
}

static void settled_velocities_find_every_event_within_a_step(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    events e;
    read_events(oracle_find(root, "SS-01"), &e);
    sti_document* scene = load_scene(group_env, "stick-slip");
    double error[2];
    for (int k = 0; k < 2; k++) {
        sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
        o.settle = true;
        o.step = k == 0 ? 0.01 : 0.005;
        sti_stepper* s = make_stepper(group_env, sti_system_of(scene), &o);
        int seen = 1, last = STI_MODE_SLIDE;
        error[k] = 0;
        const int count = (int)lround(10 / o.step);
        for (int l = 1; l <= count; l++) {
            const sti_step_report r = step_on(group_env, s);
            double x, v;
            exact_motion(&e, r.time, &x, &v);
            error[k] = fmax(error[k], fabs(sti_stepper_q(s)[0] - x));
            if (r.mode[0] == STI_MODE_STICK) assert_near(sti_stepper_v(s)[0], 0, 1e-15);
            if (r.mode[0] == last) continue;
            assert_near(r.time, e.t[seen++], 1.5 * o.step);
            last = r.mode[0];
        }
        assert_int_equal(seen, e.count);
        sti_stepper_destroy(s);
    }
    assert_true(error[0] < 1e-4 && error[1] < error[0] / 2);
    sti_document_destroy(scene);
    cJSON_Delete(root);
}

// ---- gaps at position level: the vehicle of S3 3.3

static sti_system* vehicle(void) {
    sti_system* system;
    const sti_system_contact_text contacts[] = {{.name = "wall", .gap = "y - 0.3"},
                                                {.name = "obstacle", .gap = "hypot(x - 4, y) - 0.8"}};
    must(group_env, sti_system_create(group_env,
                                      &(sti_system_text){.coordinate_count = 2,
                                                         .coordinates = (const char*[]){"x", "y"},
                                                         .kinetic = "(x'^2 + y'^2)/2",
                                                         .forces = (const char*[]){"2 - 2*x'", "-0.5 - 2*y'"},
                                                         .contact_count = 2,
                                                         .contacts = contacts,
                                                         .q = (const char*[]){"0", "1"}},
                                      &system));
    return system;
}

static void a_vehicle_slides_around_its_obstacle(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* expected = cJSON_GetObjectItem(oracle_find(root, "NAV-01"), "expected");
    sti_system* system = vehicle();
    sti_stepper_options o = printed(1, 0.02);
    o.level = STI_LEVEL_GAP;
    o.gap_tol = INFINITY;
    sti_stepper* s = make_stepper(group_env, system, &o);
    const cJSON *switches = cJSON_GetObjectItem(expected, "switch_steps_[l,alpha_before,alpha_after]"), *q;
    int seen = 0;
    unsigned last = 0;
    sti_step_report r = {0};
    for (int l = 0; l < 600; l++) {
        r = step_on(group_env, s);
        const unsigned now = (r.impulse_n[0] > 0) + 2U * (r.impulse_n[1] > 0);
        if (l > 0 && now != last) assert_near(number_at(cJSON_GetArrayItem(switches, seen++), 0), l, 0);
        last = now;
        char name[16];
        snprintf(name, sizeof name, "%d", l + 1);
        q = cJSON_GetObjectItem(cJSON_GetObjectItem(expected, "q"), name);
        for (int i = 0; q != NULL && i < 2; i++) assert_near(sti_stepper_q(s)[i], number_at(q, i), 1e-8);
    }
    assert_int_equal(seen, cJSON_GetArraySize(switches));
    for (int i = 0; i < 2; i++) {
        assert_near(sti_stepper_v(s)[i], number_at(cJSON_GetObjectItem(expected, "final_v"), i), 1e-8);
        assert_near(r.impulse_n[i] / 0.02,
                    number_at(cJSON_GetObjectItem(expected, "final_contact_forces_[wall,obstacle]"), i), 1e-8);
    }
    sti_stepper_destroy(s);
    sti_system_destroy(system);
    cJSON_Delete(root);
}

// ---- friction in space

static void a_sphere_with_four_facets_brakes_along_one_of_them(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* expected = oracle_get(oracle_find(root, "CQP-06"), "expected", "v");
    double sign = 1;
    sti_system* system = sphere_system(group_env, &sign);
    sti_stepper_options o = printed(1, 0.01);
    o.facets = 4;
    sti_stepper* s = make_stepper(group_env, system, &o);
    const sti_step_report r = step_on(group_env, s);
    for (int i = 0; i < 6; i++) assert_near(sti_stepper_v(s)[i], number_at(expected, i), 1e-9);
    assert_near(r.impulse_n[0], 0.0981, 1e-9);
    assert_near(r.impulse_t[0], -0.02943, 1e-9);
    assert_near(r.impulse_t[1], 0, 1e-9);
    assert_int_equal(r.mode[0], STI_MODE_SLIDE);
    sti_stepper_destroy(s);
    sti_system_destroy(system);
    cJSON_Delete(root);
}

static void facets_approach_the_round_cone(void** state) {
    (void)state;
    double sign = 1;
    sti_system* system = sphere_system(group_env, &sign);
    double v[4][6];
    const int facets[] = {8, 32, 128};
    for (int k = 0; k < 4; k++) {
        sti_stepper_options o = printed(1, 0.01);
        if (k < 3)
            o.facets = facets[k];
        else
            o.friction = STI_FRICTION_CONE;
        sti_stepper* s = make_stepper(group_env, system, &o);
        for (int l = 0; l < 10; l++) step_on(group_env, s);
        memcpy(v[k], sti_stepper_v(s), sizeof v[k]);
        sti_stepper_destroy(s);
    }
    // the exact cone brakes against the slip, whose direction does not change
    assert_near(v[3][0] / v[3][1], 4, 1e-9);
    double last = INFINITY;
    for (int k = 0; k < 3; k++) {
        double error = 0;
        for (int i = 0; i < 6; i++) error = fmax(error, fabs(v[k][i] - v[3][i]));
        assert_true(error < last);
        last = error;
    }
    assert_true(last < 1e-3);
    sti_system_destroy(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stiff_spring_follows_its_recursion),
        cmocka_unit_test(a_free_body_turns_as_the_corrected_formula_says),
        cmocka_unit_test(a_matrix_by_the_header_keeps_the_energy_and_one_of_the_other_sign_is_refused),
        cmocka_unit_test(a_pendulum_drifts_as_printed),
        cmocka_unit_test(a_joint_is_of_second_order_with_geometry_ahead_and_of_first_as_printed),
        cmocka_unit_test(stick_and_slip_follow_the_reference_sequence),
        cmocka_unit_test(stick_and_slip_converge_as_the_table_says),
        cmocka_unit_test(settled_velocities_find_every_event_within_a_step),
        cmocka_unit_test(a_vehicle_slides_around_its_obstacle),
        cmocka_unit_test(a_sphere_with_four_facets_brakes_along_one_of_them),
        cmocka_unit_test(facets_approach_the_round_cone),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
