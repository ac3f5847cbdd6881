// The driver: collisions inside steps, stacks, redundant joints, states that are saved and restored,
// wrong options, failing memory.
#include "step/step_tools.h"

static sti_system* ball(const char* e) {
    sti_system* system;
    const sti_system_contact_text table = {.name = "table", .gap = "y", .restitution = e};
    must(group_env, sti_system_create(group_env,
                                      &(sti_system_text){.coordinate_count = 1,
                                                         .coordinates = (const char*[]){"y"},
                                                         .kinetic = "y'^2/2",
                                                         .potential = "9.81*y",
                                                         .contact_count = 1,
                                                         .contacts = &table,
                                                         .q = (const char*[]){"1"}},
                                      &system));
    return system;
}

static void a_ball_bounces_as_printed(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* expected = cJSON_GetObjectItem(oracle_find(root, "POI-14"), "expected");
    const cJSON* collisions = cJSON_GetObjectItem(expected, "collisions");
    sti_system* system = ball("0.5");
    const sti_stepper_options o = printed(0.5, 0.01);
    sti_stepper* s = make_stepper(group_env, system, &o);
    int seen = 0;
    for (int l = 1; l <= 300; l++) {
        const sti_step_report r = step_on(group_env, s);
        if (r.collisions > 0) {
            const cJSON* c = cJSON_GetArrayItem(collisions, seen++);
            assert_int_equal(r.collisions, 1);
            if (c != NULL) {
                assert_near(cJSON_GetNumberValue(cJSON_GetObjectItem(c, "step")), l, 0);
                assert_near(r.collision_time, cJSON_GetNumberValue(cJSON_GetObjectItem(c, "t_star")), 1e-9);
                assert_near(r.v_minus[0], cJSON_GetNumberValue(cJSON_GetObjectItem(c, "v_minus")), 1e-9);
                assert_near(r.v_plus[0], cJSON_GetNumberValue(cJSON_GetObjectItem(c, "v_plus")), 1e-9);
            }
        }
        char name[16];
        snprintf(name, sizeof name, "%d", l);
        const cJSON* sample = cJSON_GetObjectItem(cJSON_GetObjectItem(expected, "samples"), name);
        if (sample == NULL) continue;
        assert_near(sti_stepper_q(s)[0], number_at(sample, 0), 1e-9);
        assert_near(sti_stepper_v(s)[0], number_at(sample, 1), 1e-9);
    }
    assert_near(cJSON_GetNumberValue(cJSON_GetObjectItem(expected, "n_collisions")), seen, 0);
    sti_stepper_destroy(s);
    sti_system_destroy(system);
    cJSON_Delete(root);
}

// Default settings: the step goes on after a collision, so impact times and energies are those of the exact motion, and
// the accumulation of bounces ends at rest.
static void a_ball_as_printed_ends_with_the_energy_of_the_reference(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* energy = oracle_get(oracle_find(root, "POI-16"), "expected", "scheme_final_energy_h_0.01_0.001");
    sti_system* system = ball("0.5");
    for (int k = 0; k < 2; k++) {
        const sti_stepper_options o = printed(0.5, k == 0 ? 0.01 : 0.001);
        sti_stepper* s = make_stepper(group_env, system, &o);
        sti_step_report r = {0};
        const int count = (int)lround(3 / o.step);
        for (int l = 0; l < count; l++) r = step_on(group_env, s);
        assert_near(r.kinetic + r.potential, number_at(energy, k), 1e-10 * number_at(energy, k));
        sti_stepper_destroy(s);
    }
    sti_system_destroy(system);
    cJSON_Delete(root);
}

static void a_ball_bounces_exactly_and_comes_to_rest(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* expected = cJSON_GetObjectItem(oracle_find(root, "POI-16"), "expected");
    sti_system* system = ball("0.5");
    sti_stepper* s = make_stepper(group_env, system, NULL);
    int seen = 0;
    double last = INFINITY;
    for (int l = 1; l <= 300; l++) {
        const sti_step_report r = step_on(group_env, s);
        if (r.collisions == 1 && seen < 5) {
            assert_near(r.collision_time, number_at(cJSON_GetObjectItem(expected, "impact_times"), seen), 1e-10);
            assert_near((r.kinetic + r.potential) / 9.81,
                        number_at(cJSON_GetObjectItem(expected, "energy_after_impact_over_initial"), seen), 1e-11);
            seen++;
        }
        assert_true(r.kinetic + r.potential <= last * (1 + 1e-12) + 1e-12);
        last = r.kinetic + r.potential;
    }
    assert_int_equal(seen, 5);
    assert_near(sti_stepper_q(s)[0], 0, 1e-12);
    assert_near(sti_stepper_v(s)[0], 0, 1e-12);
    sti_stepper_destroy(s);
    sti_system_destroy(system);
    cJSON_Delete(root);
}

// Unit boxes on top of each other, each corner on the face below: twice as many contacts as hold them.
static void a_stack_of_boxes_stands_still(void** state) {
    (void)state;
    enum { BOXES = 6, TEXT = 300 };
    static char names[3 * BOXES][16], starts[3 * BOXES][16], gap[2 * BOXES][2 * TEXT], slip[2 * BOXES][2 * TEXT];
    static char kinetic[BOXES * TEXT], potential[BOXES * TEXT];
    const char *name[3 * BOXES], *start[3 * BOXES], *slips[2 * BOXES][1];
    sti_system_contact_text contacts[2 * BOXES];
    for (int i = 0; i < BOXES; i++) {
        const double q[3] = {0, 0.5 + i, 0};
        for (int k = 0; k < 3; k++) {
            snprintf(names[3 * i + k], sizeof names[0], "%c%d", "xya"[k], i);
            snprintf(starts[3 * i + k], sizeof starts[0], "%g", q[k]);
            name[3 * i + k] = names[3 * i + k];
            start[3 * i + k] = starts[3 * i + k];
        }
        const char* plus = i > 0 ? " + " : "";
        snprintf(kinetic + strlen(kinetic), TEXT, "%s(x%d'^2 + y%d'^2)/2 + a%d'^2/12", plus, i, i, i);
        snprintf(potential + strlen(potential), TEXT, "%s9.81*y%d", plus, i);
        for (int side = 0; side < 2; side++) {
            const int c = 2 * i + side, j = i - 1;
            const double p = side == 0 ? -0.5 : 0.5;
            char X[80], Y[80], U[120], V[120];  // the corner from its box's centre, and its velocity
            snprintf(X, sizeof X, "(%g*cos(a%d) + 0.5*sin(a%d))", p, i, i);
            snprintf(Y, sizeof Y, "(%g*sin(a%d) - 0.5*cos(a%d))", p, i, i);
            snprintf(U, sizeof U, "(x%d' - a%d'*%s)", i, i, Y);
            snprintf(V, sizeof V, "(y%d' + a%d'*%s)", i, i, X);
            if (i == 0) {
                snprintf(gap[c], sizeof gap[0], "y0 + %s", Y);
                snprintf(slip[c], sizeof slip[0], "%s", U);
            } else {
                snprintf(gap[c], sizeof gap[0], "-sin(a%d)*(x%d + %s - x%d) + cos(a%d)*(y%d + %s - y%d) - 0.5", j, i, X,
                         j, j, i, Y, j);
                snprintf(slip[c], sizeof slip[0],
                         "cos(a%d)*(%s - x%d' + a%d'*(y%d + %s - y%d)) + sin(a%d)*(%s - y%d' - a%d'*(x%d + %s - x%d))",
                         j, U, j, j, i, Y, j, j, V, j, j, i, X, j);
            }
            slips[c][0] = slip[c];
            contacts[c] = (sti_system_contact_text){.gap = gap[c], .slip_count = 1, .slip = slips[c], .mu = "0.5"};
        }
    }
    sti_system* system;
    must(group_env, sti_system_create(group_env,
                                      &(sti_system_text){.coordinate_count = 3 * BOXES,
                                                         .coordinates = name,
                                                         .kinetic = kinetic,
                                                         .potential = potential,
                                                         .contact_count = 2 * BOXES,
                                                         .contacts = contacts,
                                                         .q = start},
                                      &system));
    for (int cone = 0; cone < 2; cone++) {
        sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
        if (cone == 1) o.friction = STI_FRICTION_CONE;
        sti_stepper* s = make_stepper(group_env, system, &o);
        for (int l = 0; l < 100; l++) step_on(group_env, s);
        for (int i = 0; i < 3 * BOXES; i++) assert_near(sti_stepper_q(s)[i], i % 3 == 1 ? i / 3 + 0.5 : 0, 1e-10);
        sti_stepper_destroy(s);
    }
    sti_system_destroy(system);
}

// A pendulum whose rod is there three times, falling on a table: the same motion as with one rod.
static void redundant_joints_change_nothing(void** state) {
    (void)state;
    const sti_system_contact_text table = {.name = "table", .gap = "y + 0.9", .restitution = "0.4"};
    const sti_system_contact_text rods[] = {
        {.gap = "x^2 + y^2 - 1"}, {.gap = "hypot(x, y) - 1"}, {.gap = "5*(x^2 + y^2) - 5"}};
    double q[2][2];
    for (int k = 0; k < 2; k++) {
        sti_system* system;
        must(group_env, sti_system_create(group_env,
                                          &(sti_system_text){.coordinate_count = 2,
                                                             .coordinates = (const char*[]){"x", "y"},
                                                             .kinetic = "(x'^2 + y'^2)/2",
                                                             .potential = "9.81*y",
                                                             .contact_count = 1,
                                                             .contacts = &table,
                                                             .joint_count = k == 0 ? 1 : 3,
                                                             .joints = rods,
                                                             .q = (const char*[]){"1", "0"}},
                                          &system));
        sti_stepper* s = make_stepper(group_env, system, NULL);
        int collisions = 0;
        for (int l = 0; l < 150; l++) {
            const sti_step_report r = step_on(group_env, s);
            collisions += r.collisions;
            assert_true(r.drift < 1e-11 && r.penetration < 1e-11);
        }
        assert_true(collisions > 1);
        memcpy(q[k], sti_stepper_q(s), sizeof q[k]);
        sti_stepper_destroy(s);
        sti_system_destroy(system);
    }
    assert_near(q[1][0], q[0][0], 1e-9);
    assert_near(q[1][1], q[0][1], 1e-9);
}

// A bar on three parallel rods of equal length: one of them is redundant, and only where all are closed.
static void a_bar_on_three_rods_swings_like_a_pendulum(void** state) {
    (void)state;
    const sti_system_contact_text rods[] = {{.gap = "(x - cos(a) + 1)^2 + (y - sin(a))^2 - 1"},
                                            {.gap = "x^2 + y^2 - 1"},
                                            {.gap = "(x + cos(a) - 1)^2 + (y + sin(a))^2 - 1"}};
    sti_system *bar, *pendulum;
    must(group_env, sti_system_create(group_env,
                                      &(sti_system_text){.coordinate_count = 3,
                                                         .coordinates = (const char*[]){"x", "y", "a"},
                                                         .kinetic = "(x'^2 + y'^2)/2 + a'^2/6",
                                                         .potential = "9.81*y",
                                                         .joint_count = 3,
                                                         .joints = rods,
                                                         .q = (const char*[]){"sin(1)", "-cos(1)", "0"}},
                                      &bar));
    must(group_env, sti_system_create(group_env,
                                      &(sti_system_text){.coordinate_count = 1,
                                                         .coordinates = (const char*[]){"p"},
                                                         .kinetic = "p'^2/2",
                                                         .potential = "-9.81*cos(p)",
                                                         .q = (const char*[]){"1"}},
                                      &pendulum));
    sti_stepper *s = make_stepper(group_env, bar, NULL), *reference = make_stepper(group_env, pendulum, NULL);
    assert_int_equal(sti_stepper_initial(s)->rank, 2);
    for (int l = 0; l < 200; l++) {
        assert_true(step_on(group_env, s).drift < 1e-11);
        step_on(group_env, reference);
    }
    const double p = sti_stepper_q(reference)[0];
    assert_near(sti_stepper_q(s)[0], sin(p), 5e-4);
    assert_near(sti_stepper_q(s)[1], -cos(p), 5e-4);
    assert_near(sti_stepper_q(s)[2], 0, 1e-12);
    sti_stepper_destroy(s);
    sti_stepper_destroy(reference);
    sti_system_destroy(bar);
    sti_system_destroy(pendulum);
}

static void particles_on_a_rod_hit_the_table_at_once(void** state) {
    (void)state;
    sti_document* scene = load_scene(group_env, "particles-on-rod");
    sti_stepper* s = make_stepper(group_env, sti_system_of(scene), NULL);
    const sti_step_report r = step_on(group_env, s);
    assert_int_equal(r.collisions, 1);
    assert_near(r.v_plus[0], -12.0 / 17, 1e-11);
    assert_near(r.v_plus[3], -18.0 / 17, 1e-11);
    assert_near(r.collision_energy, 18.0 / 17 - 4, 1e-11);
    sti_stepper_destroy(s);
    sti_document_destroy(scene);
}

static void friction_in_a_joint_brakes_a_bead(void** state) {
    (void)state;
    // a bead on a horizontal rail, pressed against it by its weight: it stops after v^2 / (2 mu g)
    const sti_system_contact_text rail = {
        .name = "rail", .gap = "y", .slip_count = 1, .slip = (const char*[]){"x'"}, .mu = "0.5"};
    sti_system* system;
    must(group_env, sti_system_create(group_env,
                                      &(sti_system_text){.coordinate_count = 2,
                                                         .coordinates = (const char*[]){"x", "y"},
                                                         .kinetic = "(x'^2 + y'^2)/2",
                                                         .potential = "9.81*y",
                                                         .joint_count = 1,
                                                         .joints = &rail,
                                                         .v = (const char*[]){"1", "0"}},
                                      &system));
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    o.step = 0.001;
    sti_stepper* s = make_stepper(group_env, system, &o);
    for (int l = 0; l < 300; l++) step_on(group_env, s);
    assert_near(sti_stepper_q(s)[0], 1 / (2 * 0.5 * 9.81), 1e-5);
    assert_near(sti_stepper_v_alpha(s)[0], 0, 1e-12);
    sti_stepper_destroy(s);
    o.friction = STI_FRICTION_CONE;
    assert_int_equal(sti_stepper_create(group_env, system, &o, &s), STI_ERR_INPUT);
    sti_system_destroy(system);
}

static void a_resumed_run_has_the_same_bits(void** state) {
    (void)state;
    sti_document* scene = load_scene(group_env, "rocking-block");
    sti_stepper *a = make_stepper(group_env, sti_system_of(scene), NULL),
                *b = make_stepper(group_env, sti_system_of(scene), NULL);
    for (int l = 0; l < 20; l++) step_on(group_env, a);
    void* bytes;
    size_t size;
    must(group_env, sti_stepper_save_state(a, &bytes, &size));
    must(group_env, sti_stepper_load_state(b, bytes, size));
    for (int l = 0; l < 20; l++) {
        step_on(group_env, a);
        step_on(group_env, b);
    }
    const size_t n = (size_t)sti_system_coordinate_count(sti_system_of(scene)) * sizeof(double);
    assert_memory_equal(sti_stepper_q(a), sti_stepper_q(b), n);
    assert_memory_equal(sti_stepper_v(a), sti_stepper_v(b), n);
    assert_true(sti_stepper_time(a) == sti_stepper_time(b));
    assert_int_equal(sti_stepper_load_state(b, bytes, size - 1), STI_ERR_INPUT);
    ((char*)bytes)[0] = 'x';
    assert_int_equal(sti_stepper_load_state(b, bytes, size), STI_ERR_INPUT);
    sti_env_free(group_env, bytes);
    sti_stepper_destroy(a);
    sti_stepper_destroy(b);
    sti_document_destroy(scene);
}

static void a_step_that_cannot_be_evaluated_changes_nothing(void** state) {
    (void)state;
    // the force has no value once x is above 1
    sti_system* system;
    must(group_env, sti_system_create(group_env,
                                      &(sti_system_text){.coordinate_count = 1,
                                                         .coordinates = (const char*[]){"x"},
                                                         .kinetic = "x'^2/2",
                                                         .forces = (const char*[]){"sqrt(1 - x)"},
                                                         .v = (const char*[]){"5"}},
                                      &system));
    sti_stepper* s = make_stepper(group_env, system, NULL);
    sti_status status = STI_OK;
    double q = 0, v = 0, t = 0;
    for (int l = 0; l < 100 && status == STI_OK; l++) {
        q = sti_stepper_q(s)[0];
        v = sti_stepper_v(s)[0];
        t = sti_stepper_time(s);
        status = sti_stepper_step(s, NULL);
    }
    assert_int_equal(status, STI_ERR_INPUT);
    assert_true(sti_stepper_q(s)[0] == q && sti_stepper_v(s)[0] == v && sti_stepper_time(s) == t);
    // and from another state it goes on
    must(group_env, sti_stepper_set(s, 2, (double[]){0}, (double[]){-1}));
    step_on(group_env, s);
    assert_near(sti_stepper_time(s), 2.01, 1e-15);
    assert_int_equal(sti_stepper_set(s, 2, (double[]){7}, (double[]){0}), STI_ERR_INPUT);
    sti_stepper_destroy(s);
    sti_system_destroy(system);
}

static void wrong_options_are_refused(void** state) {
    (void)state;
    sti_system* system = ball("0");
    sti_stepper* s;
    const sti_stepper_options good = sti_stepper_options_default(STI_SCHEME_ALPHA);
    for (int k = 0; k < 7; k++) {
        sti_stepper_options o = good;
        if (k == 0) o.step = 0;
        if (k == 1) o.alpha = 0;
        if (k == 2) o.alpha = 1.5;
        if (k == 3) o.facets = 7;
        if (k == 4) o.gap_tol = NAN;
        if (k == 5) o.law = STI_IMPACT_QUASI;
        if (k == 6) o.collision_limit = 0;
        assert_int_equal(sti_stepper_create(group_env, system, &o, &s), STI_ERR_ARGUMENT);
        assert_null(s);
    }
    sti_scheme scheme;
    assert_true(sti_scheme_parse("convex", &scheme) && scheme == STI_SCHEME_CONVEX);
    assert_false(sti_scheme_parse("conve", &scheme));
    assert_string_equal(sti_scheme_text(STI_SCHEME_QUASISTATIC), "quasistatic");
    sti_system_destroy(system);
}

static sti_system* falling_ball(const char* restitution) {
    sti_system* system;
    const sti_system_contact_text ground = {.name = "ground", .gap = "y", .restitution = restitution};
    must(group_env, sti_system_create(group_env,
                                      &(sti_system_text){.coordinate_count = 1,
                                                         .coordinates = (const char*[]){"y"},
                                                         .kinetic = "y'^2/2",
                                                         .potential = "9.81*y",
                                                         .contact_count = 1,
                                                         .contacts = &ground,
                                                         .q = (const char*[]){"1"}},
                                      &system));
    return system;
}

// A scheme that cannot bounce does not drop the restitution in silence.
static void schemes_without_restitution_refuse_it(void** state) {
    (void)state;
    sti_system *elastic = falling_ball("0.8"), *dull = falling_ball("0");
    for (int k = 0; k < 2; k++) {
        sti_stepper_options o = sti_stepper_options_default(k == 0 ? STI_SCHEME_CONVEX : STI_SCHEME_ALPHA);
        sti_stepper* s;
        if (k == 1) {
            o.level = STI_LEVEL_GAP;
            o.gap_tol = INFINITY;
            o.alpha = 1;
        }
        assert_int_equal(sti_stepper_create(group_env, elastic, &o, &s), STI_ERR_INPUT);
        assert_non_null(strstr(sti_env_error(group_env)->text, "contact \"ground\" has restitution 0.8"));
        s = make_stepper(group_env, dull, &o);
        // what is lost is lost in one collision, and not by friction that is not there
        double lost = 0, energy = 0;
        int collisions = 0;
        for (int l = 0; l < 100; l++) {
            const sti_step_report r = step_on(group_env, s);
            assert_true(r.loss == 0 && r.work == 0);
            if (r.collisions > 0) {
                assert_near(r.collision_time, sqrt(2 / 9.81), 0.02);
                assert_true(r.collision_at[0] == r.collision_time);
            } else {
                assert_true(isnan(r.collision_at[0]));
            }
            collisions += r.collisions;
            lost += r.collision_energy;
            energy = r.kinetic + r.potential;
        }
        assert_int_equal(collisions, 1);
        assert_near(energy, 0, 1e-9);
        assert_near(lost, -9.81, 0.5);  // the scheme itself loses the rest, O(h)
        sti_stepper_destroy(s);
    }
    sti_system_destroy(elastic);
    sti_system_destroy(dull);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    const sti_scheme schemes[] = {STI_SCHEME_ALPHA, STI_SCHEME_ALPHA, STI_SCHEME_CONVEX, STI_SCHEME_CONVEX,
                                  STI_SCHEME_QUASISTATIC};
    sti_system_contact_text ground = {.gap = "y", .slip_count = 1, .slip = (const char*[]){"x'"}, .mu = "0.3"};
    const sti_system_contact_text rod = {.gap = "(x - z)^2 + y^2 - 1"};
    const sti_system_text text = {.coordinate_count = 3,
                                  .coordinates = (const char*[]){"x", "y", "z"},
                                  .kinetic = "x'^2 + y'^2 + z'^2",
                                  .potential = "y",
                                  .forces = (const char*[]){"-x'", "-y'", "-z'"},
                                  .contact_count = 1,
                                  .contacts = &ground,
                                  .joint_count = 1,
                                  .joints = &rod,
                                  .q = (const char*[]){"1", "0", "0"},
                                  .v = (const char*[]){"1", "-1", "1"}};
    for (int k = 0; k < 5; k++) {
        ground.restitution = schemes[k] == STI_SCHEME_CONVEX ? "0" : "0.5";
        for (long at = 0;; at++) {
            failing_env f;
            sti_system* system = NULL;
            sti_stepper* s = NULL;
            failing_env_open(&f, -1);
            must(f.env, sti_system_create(f.env, &text, &system));
            f.count = 0;
            f.fail_at = at;
            sti_stepper_options o = sti_stepper_options_default(schemes[k]);
            if (k % 2 == 1) o.friction = STI_FRICTION_CONE;
            sti_status status = sti_stepper_create(f.env, system, &o, &s);
            for (int l = 0; status == STI_OK && l < 2; l++) status = sti_stepper_step(s, NULL);
            void* bytes = NULL;
            size_t size;
            if (status == STI_OK) status = sti_stepper_save_state(s, &bytes, &size);
            if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
            sti_env_free(f.env, bytes);
            sti_stepper_destroy(s);
            sti_system_destroy(system);
            if (failing_env_close(&f)) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_bounces_as_printed),
        cmocka_unit_test(a_ball_as_printed_ends_with_the_energy_of_the_reference),
        cmocka_unit_test(a_ball_bounces_exactly_and_comes_to_rest),
        cmocka_unit_test(a_stack_of_boxes_stands_still),
        cmocka_unit_test(redundant_joints_change_nothing),
        cmocka_unit_test(a_bar_on_three_rods_swings_like_a_pendulum),
        cmocka_unit_test(particles_on_a_rod_hit_the_table_at_once),
        cmocka_unit_test(friction_in_a_joint_brakes_a_bead),
        cmocka_unit_test(a_resumed_run_has_the_same_bits),
        cmocka_unit_test(a_step_that_cannot_be_evaluated_changes_nothing),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(schemes_without_restitution_refuse_it),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
