// Impacts by the energetic coefficient in runs: rows of balls of published papers, a bouncing dimer, systems and bodies
// alike.
#include "step/step_tools.h"
#include "support/failing_env.h"
#include "support/group_env.h"

// A row of touching balls of mass 1, the first with speed 1.
static sti_document* row_of_balls(int count, double e) {
    static char text[20000];
    size_t at = (size_t)snprintf(text, sizeof text, "{\"kind\": \"system\", \"coordinates\": [");
    for (int i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s\"x%d\"", i > 0 ? "," : "", i);
    at += (size_t)snprintf(text + at, sizeof text - at, "], \"kinetic\": \"0");
    for (int i = 0; i < count; i++) at += (size_t)snprintf(text + at, sizeof text - at, "+x%d'^2/2", i);
    at += (size_t)snprintf(text + at, sizeof text - at, "\", \"contacts\": [");
    for (int i = 0; i + 1 < count; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s{\"gap\": \"x%d-x%d-1\", \"restitution\": %g}",
                               i > 0 ? "," : "", i + 1, i, e);
    at += (size_t)snprintf(text + at, sizeof text - at, "], \"state\": {\"q\": [");
    for (int i = 0; i < count; i++) at += (size_t)snprintf(text + at, sizeof text - at, "%s%d", i > 0 ? "," : "", i);
    at += (size_t)snprintf(text + at, sizeof text - at, "], \"v\": [");
    for (int i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%d", i > 0 ? "," : "", i == 0);
    snprintf(text + at, sizeof text - at, "]}}");
    sti_document* p;
    must(group_env, sti_document_parse(group_env, text, strlen(text), "row", &p));
    return p;
}

static void after_the_impact(int count, double e, double exponent, const double* stiffness, double* v) {
    sti_document* p = row_of_balls(count, e);
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    o.law = STI_IMPACT_LZB;
    o.exponent = exponent;
    o.stiffness = stiffness;
    sti_stepper* s = make_stepper(group_env, sti_system_of(p), &o);
    const sti_step_report r = step_on(group_env, s);
    assert_int_equal(r.collisions, 1);
    memcpy(v, sti_stepper_v(s), (size_t)count * sizeof *v);
    sti_stepper_destroy(s);
    sti_document_destroy(p);
}

// Balls with springs of force K d^eta between them, integrated in time by the classical method of Runge and Kutta: no
// code shared. Balls that part do not move away during an impact: d, the compression, waits at 0.
static void integrate(int count, double eta, const double* K, double* v) {
    double d[40] = {0}, k[4][80], y[80];
    const double h = 2e-4, weight[4] = {1, 2, 2, 1}, ahead[4] = {0, 0.5, 0.5, 1};
    for (int i = 0; i < count; i++) v[i] = i == 0;
    bool pressed = true;
    for (long step = 0; pressed && step < 4000000; step++) {
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < 2 * count; i++)
                y[i] = (i < count ? d[i] : v[i - count]) + (stage > 0 ? h * ahead[stage] * k[stage - 1][i] : 0);
            memset(k[stage], 0, sizeof k[stage]);
            for (int i = 0; i + 1 < count; i++) {
                const double force = y[i] > 0 ? (K != NULL ? K[i] : 1) * pow(y[i], eta) : 0;
                k[stage][i] = y[count + i] - y[count + i + 1];
                k[stage][count + i] -= force;
                k[stage][count + i + 1] += force;
            }
        }
        pressed = false;
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < count; i++) {
                d[i] += h * weight[stage] * k[stage][i] / 6;
                v[i] += h * weight[stage] * k[stage][count + i] / 6;
            }
        }
        for (int i = 0; i + 1 < count; i++) {
            d[i] = fmax(d[i], 0);
            pressed = pressed || d[i] > 0 || v[i] > v[i + 1];
        }
    }
}

// Hinch and Saint-Jean (Proc. R. Soc. A 455 (1999) 3201): in a long row with Hertz's contacts the first ball comes back
// with 7.1 % of its speed, and the last leaves with 98.6 %.
static void a_long_row_of_balls_breaks_up_as_published(void** state) {
    (void)state;
    double v[40], energy = 0, sum = 0;
    after_the_impact(40, 1, 1.5, NULL, v);
    assert_near(v[0], -0.071, 5e-4);
    assert_near(v[39], 0.986, 1e-3);
    for (int i = 0; i < 40; i++) {
        energy += v[i] * v[i];
        sum += v[i];
        if (i > 0) assert_true(v[i] >= v[i - 1] - 1e-12);
    }
    assert_near(energy, 1, 1e-9);
    assert_near(sum, 1, 1e-12);
}

// Newton's cradle, five balls: springs integrated in time give the same.
static void rows_of_balls_are_those_of_springs_in_time(void** state) {
    (void)state;
    const double K[4] = {1, 2.5, 0.4, 1.2};
    for (int round = 0; round < 4; round++) {
        const double eta = round % 2 == 0 ? 1.5 : 1, *stiffness = round < 2 ? NULL : K;
        double v[5], w[5];
        after_the_impact(5, 1, eta, stiffness, v);
        integrate(5, eta, stiffness, w);
        for (int i = 0; i < 5; i++) assert_near(v[i], w[i], 2e-6);
    }
}

// With e = 0 a row moves on as one; less restitution, less energy.
static void restitution_goes_from_one_lump_to_a_row_that_parts(void** state) {
    (void)state;
    double last = 1.0 / 8;
    for (int k = 0; k <= 10; k++) {
        double v[4], energy = 0;
        after_the_impact(4, 0.1 * k, 1.5, NULL, v);
        for (int i = 0; i < 4; i++) {
            energy += v[i] * v[i] / 2;
            if (k == 0) assert_near(v[i], 0.25, 1e-9);
        }
        assert_true(energy >= last - 1e-9 && energy <= 0.5 + 1e-9);
        last = energy;
    }
    assert_near(last, 0.5, 1e-9);
}

// The same row as bodies: five spheres that touch, in space, without friction.
static void bodies_strike_as_systems_do(void** state) {
    (void)state;
    double v[5];
    after_the_impact(5, 0.8, 1.5, NULL, v);
    sti_bodies* bodies;
    sti_world* world;
    const sti_material steel = {.name = "steel", .mu = 0, .restitution = 0.8};
    int material;
    must(group_env, sti_bodies_create(group_env, 3, &bodies));
    sti_bodies_set_gravity(bodies, (double[]){0, 0, 0});
    must(group_env, sti_bodies_add_material(bodies, &steel, &material));
    for (int i = 0; i < 5; i++) {
        sti_body body = sti_body_default();
        sti_shape* ball;
        int index;
        body.pose.x[0] = i;
        body.v[0] = i == 0;
        must(group_env, sti_bodies_add(bodies, &body, &index));
        must(group_env, sti_shape_create_sphere(group_env, 3, 0.5, &ball));
        must(group_env, sti_bodies_add_shape(bodies, index, ball, NULL, material));
    }
    sti_world_options o = sti_world_options_default();
    o.law = STI_IMPACT_LZB;
    must(group_env, sti_world_create(group_env, bodies, &o, &world));
    sti_world_report r;
    must(group_env, sti_world_step(world, &r));
    assert_true(r.solved && r.impacts == 1);
    for (int i = 0; i < 5; i++) {
        double at[3], w[3];
        sti_world_velocity(world, i, at, w);
        assert_near(at[0], v[i], 1e-7);
    }
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
}

typedef struct drift {
    double speed;    // radii a period
    double high[2];  // largest gap of each end
    double hits;     // of the right end in a period
} drift;

static drift dimer(double aspect) {
    char settings[40];
    drift d = {0};
    sti_document* p = load_scene(group_env, "bouncing-dimer");
    snprintf(settings, sizeof settings, "A_r=%g", aspect);
    must(group_env, sti_document_set(p, settings));
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    o.law = STI_IMPACT_LZB;
    o.step = 0.02;
    sti_stepper* s = make_stepper(group_env, sti_system_of(p), &o);
    const long half = 1500;
    const double periods = half * o.step * 0.55;
    double start = 0;
    for (long k = 0; k < 2 * half; k++) {
        const sti_step_report r = step_on(group_env, s);
        if (k == half) start = sti_stepper_q(s)[0];
        for (int i = 0; i < 2 && k > half; i++) d.high[i] = fmax(d.high[i], r.gap[i]);
        if (k > half && r.collisions > 0 && !isnan(r.collision_at[1])) d.hits += 1 / periods;
    }
    d.speed = (sti_stepper_q(s)[0] - start) / periods;
    sti_stepper_destroy(s);
    sti_document_destroy(p);
    return d;
}

// Dorbolo, Volfson, Tsimring and Kudrolli (Phys. Rev. Lett. 95 (2005) 044101): in the first excited mode one end stays
// at the plate, the other bounces in phase with it; the speed and the direction of the drift depend on the aspect
// ratio.
static void a_dimer_drifts_by_its_aspect_ratio(void** state) {
    (void)state;
    const drift slender = dimer(5.7), stout = dimer(3.9);
    const drift both[2] = {slender, stout};
    for (int i = 0; i < 2; i++) {
        assert_true(both[i].high[0] < 0.02 && both[i].high[1] > 0.4);
        assert_near(both[i].hits, 1, 0.05);
    }
    assert_true(stout.speed > 0.005 && slender.speed < -0.005);
}

// Contacts that do not feel each other strike as each would alone, by Stronge's law.
static void contacts_apart_strike_alone(void** state) {
    (void)state;
    double M[36] = {0}, F[6] = {0}, v[6] = {0.5, -1, 0.3, -0.2, -2, 0.1}, one[6];
    const double n[2][6] = {{0, 1, 0.6}, {0, 0, 0, 0, 1, -0.3}}, t[2][6] = {{1, 0, 0.8}, {0, 0, 0, 1, 0, 0.9}};
    for (int i = 0; i < 6; i++) M[7 * i] = i % 3 == 2 ? 0.4 : 1;
    const double none[1] = {0};
    sti_instant_contact c[2];
    for (int i = 0; i < 2; i++)
        c[i] = (sti_instant_contact){.name = i == 0 ? "a" : "b",
                                     .mu = 0.3,
                                     .mu_kinetic = 0.3,
                                     .restitution = 0.5 + 0.2 * i,
                                     .tangent_count = 1,
                                     .n = n[i],
                                     .t = t[i],
                                     .t_rate = none};
    sti_instant in = {.n = 6, .contact_count = 2, .tangent_total = 2, .M = M, .F = F, .v = v, .contacts = c};
    sti_collision_options o = sti_collision_options_default();
    sti_collision* k;
    o.law = STI_IMPACT_STRONGE;
    must(group_env, sti_collision_create(group_env, &in, &o, &k));
    assert_int_equal(k->outcome, STI_SOLVED);
    memcpy(one, k->v, sizeof one);
    assert_true(k->energy[2] < k->energy[0] && k->gain == 0);
    sti_collision_destroy(group_env, k);
    for (int i = 0; i < 2; i++) {
        sti_instant alone = in;
        alone.contact_count = alone.tangent_total = 1;
        alone.contacts = &c[i];
        must(group_env, sti_collision_create(group_env, &alone, &o, &k));
        for (int j = 3 * i; j < 3 * i + 3; j++) assert_near(k->v[j], one[j], 1e-7);
        sti_collision_destroy(group_env, k);
    }
}

static void wrong_springs_are_refused(void** state) {
    (void)state;
    sti_document* p = row_of_balls(3, 1);
    sti_stepper* s;
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    o.law = STI_IMPACT_LZB;
    o.exponent = 0.5;
    assert_int_equal(sti_stepper_create(group_env, sti_system_of(p), &o, &s), STI_ERR_ARGUMENT);
    o.exponent = 1.5;
    o.stiffness = (double[]){1, -1};
    assert_int_equal(sti_stepper_create(group_env, sti_system_of(p), &o, &s), STI_ERR_ARGUMENT);
    o.stiffness = (double[]){1, NAN};
    assert_int_equal(sti_stepper_create(group_env, sti_system_of(p), &o, &s), STI_ERR_ARGUMENT);
    sti_document_destroy(p);
}

// An energetic law has no impact with another coefficient; it is not taken as inelastic in silence.
static void a_restitution_that_is_no_part_of_the_work_is_refused(void** state) {
    (void)state;
    const sti_impact_law laws[] = {STI_IMPACT_STRONGE, STI_IMPACT_LZB, STI_IMPACT_POISSON};
    const double e[] = {-0.5, 1.5};
    for (int k = 0; k < 6; k++) {
        sti_document* p = row_of_balls(3, e[k % 2]);
        sti_stepper* s;
        sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
        o.law = laws[k / 2];
        const bool energetic = o.law != STI_IMPACT_POISSON;
        assert_int_equal(sti_stepper_create(group_env, sti_system_of(p), &o, &s), energetic ? STI_ERR_INPUT : STI_OK);
        if (energetic) assert_non_null(strstr(sti_env_error(group_env)->text, "restitution"));
        sti_stepper_destroy(s);
        sti_document_destroy(p);
    }
}

// Powers of lengths of gradients overflow: the step says so, and no velocity is a NaN.
static void springs_that_numbers_do_not_hold_give_no_impact(void** state) {
    (void)state;
    const double exponents[] = {1e6, 1.5};
    for (int k = 0; k < 2; k++) {
        sti_document* p = row_of_balls(3, 1);
        sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
        o.law = STI_IMPACT_LZB;
        o.exponent = exponents[k];
        o.stiffness = (double[]){1e300, 1e-300};
        sti_stepper* s = make_stepper(group_env, sti_system_of(p), &o);
        sti_step_report r;
        must(group_env, sti_stepper_step(s, &r));
        for (int i = 0; i < 3; i++) assert_true(isfinite(sti_stepper_v(s)[i]));
        assert_true(r.outcome != STI_SOLVED);
        assert_non_null(strstr(r.why, "exponent"));
        sti_stepper_destroy(s);
        sti_document_destroy(p);
    }
}

static void every_failing_allocation_is_survived(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_document* p = NULL;
        sti_stepper* s = NULL;
        const char* text =
            "{\"kind\": \"system\", \"coordinates\": [\"x\", \"y\"], \"kinetic\": \"x'^2 + y'^2\", \"contacts\": ["
            "{\"gap\": \"x\", \"slip\": [\"y'\"], \"mu\": 0.3, \"restitution\": 0.5},"
            "{\"gap\": \"x - y\", \"restitution\": 0.5}],"
            " \"state\": {\"q\": [0, 0], \"v\": [-1, 2]}}";
        sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
        o.law = STI_IMPACT_LZB;
        o.stiffness = (double[]){1, 2};
        sti_step_report r;
        sti_status status = sti_document_parse(f.env, text, strlen(text), "text", &p);
        if (status == STI_OK) status = sti_stepper_create(f.env, sti_system_of(p), &o, &s);
        if (status == STI_OK) status = sti_stepper_step(s, &r);
        if (status == STI_OK)
            assert_int_equal(r.collisions, 1);
        else
            assert_int_equal(status, STI_ERR_MEMORY);
        sti_stepper_destroy(s);
        sti_document_destroy(p);
        if (failing_env_close(&f)) break;
    }
}

// Two bodies on a joint strike a floor: the island becomes an instant, and every allocation on the way may fail.
static void worlds_survive_failing_allocations_in_an_impact(void** state) {
    (void)state;
    const char* text =
        "{\"kind\": \"scene\", \"dimension\": 2, \"materials\": {\"m\": {\"mu\": 0.3, \"restitution\": 0.6, "
        "\"stiffness\": 2}}, \"bodies\": [{\"name\": \"floor\", \"fixed\": true, \"material\": \"m\", \"shape\": "
        "{\"type\": "
        "\"halfspace\", \"normal\": [0, 1]}}, {\"name\": \"a\", \"material\": \"m\", \"position\": [0, 0.5], "
        "\"velocity\": [1, -2], "
        "\"shape\": {\"type\": \"disc\", \"radius\": 0.5}}, {\"name\": \"b\", \"material\": \"m\", \"position\": [1.5, "
        "0.5], "
        "\"velocity\": [1, -2], \"shape\": {\"type\": \"disc\", \"radius\": 0.5}}], \"joints\": [{\"type\": "
        "\"revolute\", "
        "\"bodies\": [\"a\", \"b\"], \"point\": [0.75, 0.5]}], \"step\": {\"h\": 0.01, \"impact\": \"lzb\"}, \"time\": "
        "1}";
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_document* p = NULL;
        sti_world* world = NULL;
        sti_world_report r;
        sti_status status = sti_document_parse(f.env, text, strlen(text), "text", &p);
        if (status == STI_OK)
            status = sti_world_create(f.env, sti_world_scene_of(p)->bodies, &sti_world_scene_of(p)->step, &world);
        if (status == STI_OK) status = sti_world_step(world, &r);
        if (status == STI_OK)
            assert_true(r.impacts == 2 && r.solved);
        else if (status != STI_ERR_MEMORY)
            fail_msg("allocation %ld: %s", k, sti_env_error(f.env)->text);
        sti_world_destroy(world);
        sti_document_destroy(p);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_row_of_balls_breaks_up_as_published),
        cmocka_unit_test(rows_of_balls_are_those_of_springs_in_time),
        cmocka_unit_test(restitution_goes_from_one_lump_to_a_row_that_parts),
        cmocka_unit_test(bodies_strike_as_systems_do),
        cmocka_unit_test(a_dimer_drifts_by_its_aspect_ratio),
        cmocka_unit_test(contacts_apart_strike_alone),
        cmocka_unit_test(wrong_springs_are_refused),
        cmocka_unit_test(a_restitution_that_is_no_part_of_the_work_is_refused),
        cmocka_unit_test(springs_that_numbers_do_not_hold_give_no_impact),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(worlds_survive_failing_allocations_in_an_impact),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
