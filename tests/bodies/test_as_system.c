// Bodies as a system: its rows are the derivatives of its gaps, its motion keeps what mechanics keeps; and by events
// against closed forms: bounces that accumulate, a disc that lands and rolls, a block on a shaken cart, a pendulum on a
// joint that hits a wall, motors and dry friction of joints. What is refused; worlds that follow; failing memory.
#include <stdio.h>
#include <stiction/stiction.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/group_env.h"
#include "support/near.h"

static const double pi = 3.14159265358979323846, g = 9.81;

enum { MOST = 100, WIDTH = 64 };

typedef struct scene {
    sti_document* document;
    sti_world* world;
    sti_system* system;
    int n, p;
} scene;

static sti_status try_scene(sti_env* env, const char* text, scene* out) {
    *out = (scene){0};
    sti_status status = sti_document_parse(env, text, strlen(text), "scene", &out->document);
    if (status != STI_OK) return status;
    const sti_world_scene* of = sti_world_scene_of(out->document);
    assert_non_null(of);
    status = sti_world_create(env, of->bodies, &of->step, &out->world);
    if (status == STI_OK) status = sti_world_system(env, out->world, &out->system);
    if (status != STI_OK) return status;
    out->n = sti_system_coordinate_count(out->system);
    out->p = sti_system_contact_count(out->system);
    assert_true(out->n <= WIDTH);
    return status;
}

static void close_scene(scene* s) {
    sti_system_destroy(s->system);
    sti_world_destroy(s->world);
    sti_document_destroy(s->document);
}

static scene open_scene(const char* text) {
    scene s;
    const sti_status status = try_scene(group_env, text, &s);
    if (status != STI_OK) fail_msg("%s", sti_env_error(group_env)->text);
    return s;
}

static int coordinate(const scene* s, const char* name) {
    for (int i = 0; i < s->n; i++) {
        if (strcmp(sti_system_coordinate(s->system, i), name) == 0) return i;
    }
    fail_msg("no coordinate %s", name);
    return -1;
}

// ---- rows

static double noise(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

// Some way off from where it starts, with velocities.
static void shake(const scene* s, unsigned seed, double* q, double* v) {
    assert_int_equal(sti_system_state(s->system, NULL, q, v), STI_OK);
    for (int i = 0; i < s->n; i++) {
        q[i] += 0.2 * noise(&seed);
        v[i] = noise(&seed);
    }
}

static void gaps_at(const scene* s, const double* q, const double* v, double part, double* gap) {
    double there[WIDTH];
    for (int i = 0; i < s->n; i++) there[i] = q[i] + part * v[i];
    assert_int_equal(sti_system_gap(s->system, 0, there, gap), STI_OK);
}

// contacts: all, or without joints, whose turning rows are derivatives only where they are closed.
static void rows_agree_with_gaps(const char* text, int skip, const char* without) {
    scene s = open_scene(text);
    double q[WIDTH], v[WIDTH], low[2 * WIDTH], high[2 * WIDTH], middle[2 * WIDTH];
    for (unsigned seed = 1; seed < 20; seed++) {
        sti_instant* in;
        const double d = 1e-5, wide = 1e-3;
        shake(&s, seed, q, v);
        assert_int_equal(sti_system_instant(group_env, s.system, 0, q, v, &in), STI_OK);
        for (int part = 0; part < 2; part++) {
            gaps_at(&s, q, v, part == 0 ? -d : -wide, low);
            gaps_at(&s, q, v, part == 0 ? d : wide, high);
            gaps_at(&s, q, v, 0, middle);
            for (int i = 0; i < s.p - skip; i++) {
                const sti_instant_contact* c = &in->contacts[i];
                double rate = 0;
                if (without != NULL && strstr(c->name, without) != NULL) continue;
                for (int k = 0; k < s.n; k++) rate += c->n[k] * v[k];
                if (part == 0) assert_near(rate, (high[i] - low[i]) / (2 * d), 1e-8);
                if (part == 1 && fabs(middle[i]) < 0.01)
                    assert_near(c->n_rate, (high[i] - 2 * middle[i] + low[i]) / (wide * wide), 1e-4);
            }
        }
        sti_instant_destroy(group_env, in);
    }
    close_scene(&s);
}

static const char tumbling[] =
    "{\"kind\": \"scene\", \"time\": 1, \"step\": {\"h\": 0.01}, \"dimension\": 3, \"bodies\": ["
    "{\"name\": \"floor\", \"fixed\": true, \"shape\": {\"type\": \"halfspace\", \"normal\": [0.1, 0, 1]}},"
    "{\"name\": \"block\", \"position\": [0, 0, 0.3], \"shape\": {\"type\": \"box\", \"half\": [0.5, 0.4, 0.3]}},"
    "{\"name\": \"ball\", \"position\": [0.1, 0.2, 0.9], \"shape\": {\"type\": \"sphere\", \"radius\": 0.25}},"
    "{\"name\": \"pill\", \"position\": [2, 0, 0.3],"
    " \"shape\": {\"type\": \"capsule\", \"half_length\": 0.4, \"radius\": 0.2}}],"
    "\"joints\": [{\"name\": \"link\", \"type\": \"distance\", \"bodies\": [\"block\", \"pill\"],"
    " \"points\": [[0.5, 0, 0.3], [1.6, 0, 0.3]]}]}";

static const char polygons[] =
    "{\"kind\": \"scene\", \"time\": 1, \"step\": {\"h\": 0.01}, \"dimension\": 2, \"bodies\": ["
    "{\"name\": \"table\", \"fixed\": true, \"shape\": {\"type\": \"box\", \"half\": [2, 0.5]}},"
    "{\"name\": \"block\", \"position\": [0, 0.8], \"shape\": {\"type\": \"box\", \"half\": [0.5, 0.3]}},"
    "{\"name\": \"pill\", \"position\": [1.3, 0.7],"
    " \"shape\": {\"type\": \"capsule\", \"half_length\": 0.4, \"radius\": 0.2}},"
    "{\"name\": \"disc\", \"position\": [0, 1.4], \"shape\": {\"type\": \"sphere\", \"radius\": 0.3}}]}";

static const char linked[] =
    "{\"kind\": \"scene\", \"time\": 1, \"step\": {\"h\": 0.01}, \"dimension\": 2, \"bodies\": ["
    "{\"name\": \"arm\", \"position\": [0.5, 0], \"shape\": {\"type\": \"box\", \"half\": [0.5, 0.1]}},"
    "{\"name\": \"hand\", \"position\": [1.5, 0], \"shape\": {\"type\": \"box\", \"half\": [0.5, 0.1]}}],"
    "\"joints\": [{\"name\": \"shoulder\", \"type\": \"revolute\", \"bodies\": [\"world\", \"arm\"], \"point\": [0, 0],"
    " \"limits\": [-1, 1], \"friction\": 2}, {\"name\": \"elbow\", \"type\": \"revolute\","
    " \"bodies\": [\"arm\", \"hand\"], \"point\": [1, 0], \"motor\": {\"speed\": 1, \"force\": 3}}]}";

static void rows_are_the_derivatives_of_gaps(void** state) {
    (void)state;
    rows_agree_with_gaps(tumbling, 0, "nothing");
    rows_agree_with_gaps(polygons, 0, NULL);
    rows_agree_with_gaps(linked, 0, NULL);
}

// ---- motion without contacts

static sti_stepper* by_events(const scene* s, double h) {
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    sti_stepper* stepper;
    o.events = STI_EVENTS_AUTO;
    o.step = h;
    o.law = sti_world_scene_of(s->document)->step.law;
    if (sti_stepper_create(group_env, s->system, &o, &stepper) != STI_OK)
        fail_msg("%s", sti_env_error(group_env)->text);
    return stepper;
}

typedef struct motion {
    sti_event event[MOST];
    int events;
    double stepped, unaccounted;
} motion;

static motion run_to(const scene* s, sti_stepper* stepper, double end) {
    motion m = {0};
    double T, V;
    assert_int_equal(
        sti_system_energy(s->system, sti_stepper_time(stepper), sti_stepper_q(stepper), sti_stepper_v(stepper), &T, &V),
        STI_OK);
    double expected = T + V, last = T + V;
    while (sti_stepper_time(stepper) < end - 1e-9) {
        sti_step_report r;
        if (sti_stepper_step(stepper, &r) != STI_OK) fail_msg("%s", sti_env_error(group_env)->text);
        if (r.outcome != STI_SOLVED) fail_msg("%s", r.why);
        for (int k = 0; k < r.events && k < STI_STEP_EVENTS && m.events < MOST; k++) m.event[m.events++] = r.event[k];
        m.stepped += r.stepped;
        expected += r.work + r.loss + r.collision_energy;
        last = r.kinetic + r.potential;
    }
    m.unaccounted = fabs(last - expected);
    return m;
}

// A body with three moments turns many times: energy and momentum in world axes stay, and the quaternion has length 1.
static void a_free_body_keeps_energy_and_momentum_over_many_turns(void** state) {
    (void)state;
    scene s = open_scene(
        "{\"kind\": \"scene\", \"time\": 1, \"step\": {\"h\": 0.01}, \"dimension\": 3, \"gravity\": [0, 0, 0], "
        "\"bodies\": [{\"name\": \"body\","
        "\"mass\": 2, \"inertia\": [1, 2, 3], \"angular_velocity\": [0.1, 7, 0.2], \"velocity\": [1, 0, 0]}]}");
    sti_stepper* stepper = by_events(&s, 0.05);
    double before[3] = {0.1, 14, 0.6}, v[3], w[3], L[3], R[9];
    const motion m = run_to(&s, stepper, 20);
    assert_near(m.unaccounted, 0, 1e-7);
    assert_int_equal(sti_world_follow(s.world, sti_stepper_q(stepper), sti_stepper_v(stepper)), STI_OK);
    sti_pose pose;
    sti_world_pose(s.world, 0, &pose);
    sti_world_velocity(s.world, 0, v, w);
    sti_pose_rotation(&pose, R);
    for (int i = 0; i < 3; i++) {
        L[i] = 0;
        for (int k = 0; k < 3; k++) {
            double own = 0;
            for (int a = 0; a < 3; a++) own += R[3 * a + k] * w[a];
            L[i] += R[3 * i + k] * (1 + k) * own;
        }
        assert_near(L[i], before[i], 1e-7);
    }
    assert_near(pose.x[0], 20, 1e-12);
    const double* e = sti_stepper_q(stepper) + 3;
    assert_near(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3], 1, 1e-11);
    sti_stepper_destroy(stepper);
    close_scene(&s);
}

// ---- impacts

// Times of impact t_1 + 2 t_1 (e + e^2 + ..); rest after t_1 (1 + e) / (1 - e).
static void a_ball_bounces_geometrically_and_comes_to_rest(void** state) {
    (void)state;
    const char* const texts[2] = {
        "{\"kind\": \"scene\", \"time\": 1, \"step\": {\"h\": 0.01}, \"dimension\": 2, \"materials\": {\"m\": {\"mu\": "
        "0.3, \"restitution\": 0.6}}, "
        "\"bodies\": ["
        "{\"name\": \"floor\", \"fixed\": true, \"shape\": {\"type\": \"halfspace\", \"normal\": [0, 1]}},"
        "{\"name\": \"ball\", \"material\": \"m\", \"position\": [0, 1.5],"
        " \"shape\": {\"type\": \"sphere\", \"radius\": 0.5}}]}",
        "{\"kind\": \"scene\", \"time\": 1, \"step\": {\"h\": 0.01}, \"dimension\": 3, \"materials\": {\"m\": {\"mu\": "
        "0.3, \"restitution\": 0.6}}, "
        "\"bodies\": ["
        "{\"name\": \"table\", \"fixed\": true, \"shape\": {\"type\": \"box\", \"half\": [1, 1, 0.1]},"
        " \"position\": [0, 0, -0.1]},"
        "{\"name\": \"ball\", \"material\": \"m\", \"position\": [0, 0, 1.5],"
        " \"shape\": {\"type\": \"sphere\", \"radius\": 0.5}}]}"};
    for (int k = 0; k < 2; k++) {
        scene s = open_scene(texts[k]);
        sti_stepper* stepper = by_events(&s, 0.02);
        const double first = sqrt(2 / g), e = 0.6, rest = first * (1 + e) / (1 - e), last = 0.02 * floor(rest / 0.02);
        const motion m = run_to(&s, stepper, last);
        double t = first, flight = 2 * first;
        int seen = 0;
        for (; t < last; t += flight *= e, seen++) {
            assert_int_equal(m.event[seen].kind, STI_EVENT_IMPACT);
            assert_near(m.event[seen].time, t, 1e-10);
        }
        assert_true(seen > 5);
        assert_int_equal(seen, m.events);
        assert_true(m.stepped == 0);
        assert_near(m.unaccounted, 0, 1e-8 * 3000);
        const motion over = run_to(&s, stepper, last + 0.1);
        assert_true(over.stepped > 0 && over.stepped < 0.02);
        assert_near(sti_stepper_q(stepper)[k + 1], 0.5, 1e-11);
        for (int i = 0; i < s.n; i++) assert_near(sti_stepper_v(stepper)[i], 0, 1e-10);
        assert_true(run_to(&s, stepper, last + 0.3).stepped == 0);
        sti_stepper_destroy(stepper);
        close_scene(&s);
    }
}

// A disc that falls from 1/2 with speed 3 to the right. The impact takes mu v_n of the speed and sets it spinning; then
// it slides, 3 mu g slower in its slip each second, until it rolls.
static void a_disc_lands_slides_and_rolls(void** state) {
    (void)state;
    scene s = open_scene(
        "{\"kind\": \"scene\", \"time\": 1, \"step\": {\"h\": 0.01}, \"dimension\": 2, \"materials\": {\"m\": {\"mu\": "
        "0.2}}, \"bodies\": ["
        "{\"name\": \"floor\", \"material\": \"m\", \"fixed\": true,"
        " \"shape\": {\"type\": \"halfspace\", \"normal\": [0, 1]}},"
        "{\"name\": \"disc\", \"material\": \"m\", \"position\": [0, 0.75], \"velocity\": [3, 0],"
        " \"shape\": {\"type\": \"sphere\", \"radius\": 0.25}}]}");
    sti_stepper* stepper = by_events(&s, 0.03);
    const double mu = 0.2, down = sqrt(g), hit = down / g, slip = 3 - 3 * mu * down, rolls = hit + slip / (3 * mu * g);
    const double speed = 3 - mu * down - mu * g * (rolls - hit);
    assert_true(slip > 0);
    const motion m = run_to(&s, stepper, 1.5);
    assert_int_equal(m.events, 2);
    assert_int_equal(m.event[0].kind, STI_EVENT_IMPACT);
    assert_near(m.event[0].time, hit, 1e-10);
    assert_int_equal(m.event[1].kind, STI_EVENT_STICKS);
    assert_near(m.event[1].time, rolls, 1e-9);
    const int x = coordinate(&s, "disc.x"), angle = coordinate(&s, "disc.angle");
    assert_near(sti_stepper_v(stepper)[x], speed, 1e-9);
    assert_near(sti_stepper_v(stepper)[angle], -speed / 0.25, 1e-8);
    assert_near(m.unaccounted, 0, 1e-6);
    sti_stepper_destroy(stepper);
    close_scene(&s);
}

// K of the modulus k, by arithmetic and geometric means.
static double complete_integral(double k) {
    double a = 1, b = sqrt(1 - k * k);
    for (int i = 0; i < 40; i++) {
        const double m = (a + b) / 2;
        b = sqrt(a * b);
        a = m;
    }
    return pi / (2 * a);
}

static const char pendulum[] =
    "{\"kind\": \"scene\", \"time\": 1, \"step\": {\"h\": 0.01}, \"dimension\": 2, \"materials\": {\"m\": {\"mu\": 0, "
    "\"restitution\": 0.5}}, \"bodies\": ["
    "{\"name\": \"wall\", \"material\": \"m\", \"fixed\": true,"
    " \"shape\": {\"type\": \"halfspace\", \"normal\": [1, 0], \"offset\": -0.1}},"
    "{\"name\": \"bob\", \"material\": \"m\", \"position\": [0.8, -0.6],"
    " \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}],"
    "\"joints\": [{\"name\": \"pin\", \"type\": \"revolute\", \"bodies\": [\"world\", \"bob\"], \"point\": [0, 0]}]}";

// A bob on a pin, let go from the right, and a wall where it hangs straight: quarter and half periods between impacts,
// amplitudes from e^2 of the energy.
static void a_pendulum_on_a_joint_hits_a_wall(void** state) {
    (void)state;
    scene s = open_scene(pendulum);
    sti_stepper* stepper = by_events(&s, 0.02);
    const double e = 0.5, omega = sqrt(g / (1 + 0.01 / 2));
    const motion m = run_to(&s, stepper, 5);
    double amplitude = acos(0.6), t = 0;
    int k = 0;
    for (bool begun = false;; begun = true, k++) {
        if (begun) amplitude = acos(1 - e * e * (1 - cos(amplitude)));
        t += (begun ? 2 : 1) * complete_integral(sin(amplitude / 2)) / omega;
        if (t > 5) break;
        assert_true(k < m.events);
        assert_int_equal(m.event[k].kind, STI_EVENT_IMPACT);
        assert_near(m.event[k].time, t, 1e-8);
    }
    assert_true(k > 3);
    assert_int_equal(k, m.events);
    assert_near(m.unaccounted, 0, 1e-6);
    sti_stepper_destroy(stepper);
    close_scene(&s);
}

// With coarse tolerances steps are as long as asked for: the error falls with the fifth power of h across an impact
// that is elastic in part.
static void the_order_lasts_across_impacts(void** state) {
    (void)state;
    double at[3];
    scene s = open_scene(pendulum);
    for (int k = 0; k < 3; k++) {
        sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
        sti_stepper* stepper;
        o.events = STI_EVENTS_AUTO;
        o.step = k < 2 ? 0.05 / (1 << k) : 0.0025;
        o.event_tol = 0.5;
        assert_int_equal(sti_stepper_create(group_env, s.system, &o, &stepper), STI_OK);
        assert_true(run_to(&s, stepper, 3).events > 1);
        at[k] = sti_stepper_q(stepper)[0];
        sti_stepper_destroy(stepper);
    }
    assert_true(fabs(at[1] - at[2]) > 1e-12);
    assert_true(log2(fabs(at[0] - at[2]) / fabs(at[1] - at[2])) > 4);
    close_scene(&s);
}

// ---- friction

// Friction mu takes a box without speed up to that of the belt in v / (mu g), in the plane and on its four corners.
static void a_box_on_a_belt_sticks_in_time(void** state) {
    (void)state;
    const char* const texts[2] = {
        "{\"kind\": \"scene\", \"time\": 1, \"step\": {\"h\": 0.01}, \"dimension\": 2, \"materials\": {\"m\": {\"mu\": "
        "0.3}}, \"bodies\": ["
        "{\"name\": \"belt\", \"fixed\": true, \"velocity\": [1, 0], \"material\": \"m\","
        " \"shape\": {\"type\": \"box\", \"half\": [5, 1]}, \"position\": [0, -1]},"
        "{\"name\": \"box\", \"material\": \"m\", \"position\": [0, 0.2],"
        " \"shape\": {\"type\": \"box\", \"half\": [0.3, 0.2]}}]}",
        "{\"kind\": \"scene\", \"time\": 1, \"step\": {\"h\": 0.01}, \"dimension\": 3, \"materials\": {\"m\": {\"mu\": "
        "0.3}}, \"bodies\": ["
        "{\"name\": \"belt\", \"fixed\": true, \"velocity\": [1, 0, 0], \"material\": \"m\","
        " \"shape\": {\"type\": \"halfspace\", \"normal\": [0, 0, 1]}},"
        "{\"name\": \"box\", \"material\": \"m\", \"position\": [0, 0, 0.2],"
        " \"shape\": {\"type\": \"box\", \"half\": [0.3, 0.2, 0.2]}}]}"};
    for (int k = 0; k < 2; k++) {
        scene s = open_scene(texts[k]);
        sti_stepper* stepper = by_events(&s, 0.02);
        const motion m = run_to(&s, stepper, 0.6);
        assert_true(m.events >= 1);
        for (int i = 0; i < m.events; i++) {
            assert_int_equal(m.event[i].kind, STI_EVENT_STICKS);
            assert_near(m.event[i].time, 1 / (0.3 * g), 1e-8);
        }
        assert_near(sti_stepper_v(stepper)[0], 1, 1e-9);
        assert_near(sti_stepper_q(stepper)[0], 0.6 - 1 / (0.6 * g), 1e-9);
        for (int i = 1; i < s.n; i++) assert_near(sti_stepper_v(stepper)[i], 0, 1e-9);
        assert_near(m.unaccounted, 0, 1e-6);
        sti_stepper_destroy(stepper);
        close_scene(&s);
    }
}

// A cart on a spring, let go from A, with a block on top that friction takes along as far as it can. It slips at once:
//     cart x = c + (A - c) cos w t, c = mu m g / k, w^2 = k / M;    block x' = -mu g t
// until both speeds agree; then both swing with W^2 = k / (M + m) until W^2 |x| = mu g, and it slips anew.
static void a_block_on_a_shaken_cart_sticks_and_slips(void** state) {
    (void)state;
    scene s = open_scene(
        "{\"kind\": \"scene\", \"time\": 1, \"step\": {\"h\": 0.01}, \"dimension\": 2, \"materials\": {\"ice\": "
        "{\"mu\": 0}, \"m\": {\"mu\": 0.3}}, "
        "\"bodies\": ["
        "{\"name\": \"floor\", \"material\": \"ice\", \"fixed\": true,"
        " \"shape\": {\"type\": \"halfspace\", \"normal\": [0, 1]}},"
        "{\"name\": \"cart\", \"material\": \"m\", \"density\": 1, \"position\": [0.4, 0.25],"
        " \"shape\": {\"type\": \"box\", \"half\": [2, 0.25]}},"
        "{\"name\": \"block\", \"material\": \"m\", \"density\": 1, \"position\": [0.4, 0.6],"
        " \"shape\": {\"type\": \"box\", \"half\": [0.25, 0.1]}}],"
        "\"springs\": [{\"bodies\": [\"world\", \"cart\"], \"points\": [[-5, 0.25], [0.4, 0.25]],"
        " \"stiffness\": 20, \"rest\": 5}]}");
    sti_stepper* stepper = by_events(&s, 0.05);
    const double M = 2, m = 0.1, k = 20, mu = 0.3, A = 0.4, c = mu * m * g / k, w = sqrt(k / M), W = sqrt(k / (M + m));
    assert_true(W * W * A > mu * g);
    double low = 0.1 / w, high = 0;  // speeds agree after half a swing: (A - c) w sin w t = mu g t
    for (high = low; (A - c) * w * sin(w * high) > mu * g * high;) high += 0.01;
    low = high - 0.01;
    for (int i = 0; i < 100; i++) {
        const double middle = (low + high) / 2;
        *((A - c) * w * sin(w * middle) > mu * g * middle ? &low : &high) = middle;
    }
    const double x = c + (A - c) * cos(w * low), v = -mu * g * low, X = sqrt(x * x + v * v / (W * W));
    assert_true(W * W * fabs(x) < mu * g);
    assert_true(W * W * X > mu * g);
    // x = -X sin(W (t - t_0)): through 0 at t_0, then to -mu g / W^2
    const double phase = asin(fmax(-1, fmin(1, -x / X))), slips = low + (asin(mu * g / (W * W * X)) - phase) / W;
    const motion got = run_to(&s, stepper, slips + 0.1);
    assert_true(got.events >= 2);
    int i = 0;
    assert_int_equal(got.event[i].kind, STI_EVENT_STICKS);
    while (i < got.events && got.event[i].kind == STI_EVENT_STICKS) assert_near(got.event[i++].time, low, 1e-8);
    assert_true(i < got.events);
    for (; i < got.events; i++) {
        assert_int_equal(got.event[i].kind, STI_EVENT_SLIPS);
        assert_near(got.event[i].time, slips, 1e-8);
    }
    assert_near(got.unaccounted, 0, 1e-8);
    sti_stepper_destroy(stepper);
    close_scene(&s);
}

// A wheel of inertia J: its motor reaches the speed after J speed / torque and holds it; dry friction stops it after J
// speed / torque; a limit stops it in an inelastic impact.
static void motors_and_friction_of_joints_have_their_events(void** state) {
    (void)state;
    const char* const axis[3] = {"\"motor\": {\"speed\": 3, \"force\": 2}", "\"friction\": 2", "\"limits\": [-1, 0.5]"};
    const double start[3] = {0, 3, 3}, J = 4, time[3] = {J * 3 / 2, J * 3 / 2, 0.5 / 3.0}, end[3] = {3, 0, 0};
    const sti_event_kind kind[3] = {STI_EVENT_STICKS, STI_EVENT_STICKS, STI_EVENT_IMPACT};
    for (int dim = 2; dim <= 3; dim++) {
        for (int k = 0; k < 3; k++) {
            char text[900];
            snprintf(text, sizeof text,
                     "{\"kind\": \"scene\", \"time\": 1, \"step\": {\"h\": 0.01}, \"dimension\": %d, \"gravity\": %s, "
                     "\"bodies\": [{\"name\": \"wheel\","
                     " \"mass\": 2, \"inertia\": %s, \"angular_velocity\": %s%g%s}], \"joints\": [{\"name\": \"shaft\","
                     " \"type\": \"revolute\", \"bodies\": [\"world\", \"wheel\"], \"point\": %s, %s%s}]}",
                     dim, dim == 2 ? "[0, 0]" : "[0, 0, 0]", dim == 2 ? "4" : "[1, 1, 4]", dim == 2 ? "" : "[0, 0, ",
                     start[k], dim == 2 ? "" : "]", dim == 2 ? "[0, 0]" : "[0, 0, 0]",
                     dim == 2 ? "" : "\"axis\": [0, 0, 1], ", axis[k]);
            scene s = open_scene(text);
            sti_stepper* stepper = by_events(&s, 0.07);
            const motion m = run_to(&s, stepper, time[k] + 0.5);  // no event on the end of a step
            assert_int_equal(m.events, 1);
            assert_int_equal(m.event[0].kind, kind[k]);
            assert_near(m.event[0].time, time[k], 1e-9);
            assert_int_equal(sti_world_follow(s.world, sti_stepper_q(stepper), sti_stepper_v(stepper)), STI_OK);
            double v[3], w[3];
            sti_world_velocity(s.world, 0, v, w);
            assert_near(w[2], end[k], 1e-9);
            assert_near(m.unaccounted, 0, 1e-7);
            sti_stepper_destroy(stepper);
            close_scene(&s);
        }
    }
}

// ---- the other ways of steppers

// At the level of positions, and with the default scheme, the same bodies move alike.
static void every_level_moves_alike(void** state) {
    (void)state;
    double at[3];
    scene s = open_scene(pendulum);
    for (int k = 0; k < 3; k++) {
        sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
        sti_stepper* stepper;
        o.step = 0.001;
        o.events = k == 0 ? STI_EVENTS_AUTO : STI_EVENTS_OFF;
        o.index = k == 2 ? 3 : 2;
        assert_int_equal(sti_stepper_create(group_env, s.system, &o, &stepper), STI_OK);
        double drift = 0;
        while (sti_stepper_time(stepper) < 0.4) {
            sti_step_report r;
            assert_int_equal(sti_stepper_step(stepper, &r), STI_OK);
            assert_int_equal(r.outcome, STI_SOLVED);
            assert_int_equal(r.index, k == 0 ? 1 : k == 1 ? 2 : 3);
            drift = fmax(drift, r.drift);
        }
        assert_true(drift < 1e-11);
        at[k] = sti_stepper_q(stepper)[1];
        sti_stepper_destroy(stepper);
    }
    assert_near(at[1], at[0], 1e-5);
    assert_near(at[2], at[0], 1e-5);
    close_scene(&s);
}

static void a_resumed_run_has_the_same_bits(void** state) {
    (void)state;
    scene s = open_scene(pendulum), again = open_scene(pendulum);
    sti_stepper *one = by_events(&s, 0.02), *two = by_events(&again, 0.02);
    void* bytes;
    size_t size;
    run_to(&s, one, 1);
    assert_int_equal(sti_stepper_save_state(one, &bytes, &size), STI_OK);
    assert_int_equal(sti_stepper_load_state(two, bytes, size), STI_OK);
    sti_env_free(group_env, bytes);
    run_to(&s, one, 2);
    run_to(&again, two, 2);
    assert_memory_equal(sti_stepper_q(one), sti_stepper_q(two), 3 * sizeof(double));
    assert_memory_equal(sti_stepper_v(one), sti_stepper_v(two), 3 * sizeof(double));
    sti_stepper_destroy(one);
    sti_stepper_destroy(two);
    close_scene(&s);
    close_scene(&again);
}

// ---- what is refused, and memory

static void refused(const char* text, const char* why) {
    scene s;
    assert_int_not_equal(try_scene(group_env, text, &s), STI_OK);
    assert_non_null(s.world);
    assert_null(s.system);
    if (strstr(sti_env_error(group_env)->text, why) == NULL) fail_msg("%s", sti_env_error(group_env)->text);
    close_scene(&s);
}

static void what_has_no_smooth_gap_is_refused(void** state) {
    (void)state;
    refused(
        "{\"kind\": \"scene\", \"time\": 1, \"step\": {\"h\": 0.01}, \"dimension\": 3, \"bodies\": [{\"name\": \"a\", "
        "\"shape\": {\"type\": \"box\","
        " \"half\": [1, 1, 1]}}, {\"name\": \"b\", \"position\": [0, 0, 3], \"shape\": {\"type\": \"box\","
        " \"half\": [1, 1, 1]}}]}",
        "bodies \"a\" and \"b\": a box against a box");
    refused(
        "{\"kind\": \"scene\", \"time\": 1, \"step\": {\"h\": 0.01}, \"dimension\": 3, \"bodies\": [{\"name\": "
        "\"floor\", \"fixed\": true, \"shape\":"
        " {\"type\": \"halfspace\", \"normal\": [0, 0, 1]}}, {\"name\": \"can\", \"position\": [0, 0, 3], \"shape\":"
        " {\"type\": \"cylinder\", \"half_length\": 1, \"radius\": 1}}]}",
        "a halfspace against a cylinder");
    refused(
        "{\"kind\": \"scene\", \"time\": 1, \"step\": {\"h\": 0.01}, \"dimension\": 2, \"bodies\": [{\"name\": "
        "\"arm\", \"mass\": 1, \"inertia\": 1}],"
        " \"joints\": [{\"name\": \"pin\", \"type\": \"revolute\", \"bodies\": [\"world\", \"arm\"], \"point\": [0, 0],"
        " \"mu\": 0.2}]}",
        "joint \"pin\": mu");
    refused(
        "{\"kind\": \"scene\", \"time\": 1, \"step\": {\"h\": 0.01}, \"dimension\": 3, \"materials\": {\"wood\": "
        "{\"mu\": 0.2, \"grain\": [1, 0, 0],"
        " \"mu_across\": 0.5}}, \"bodies\": [{\"name\": \"floor\", \"fixed\": true, \"shape\": {\"type\": "
        "\"halfspace\","
        " \"normal\": [0, 0, 1]}}, {\"name\": \"plank\", \"material\": \"wood\", \"position\": [0, 0, 3], \"shape\":"
        " {\"type\": \"box\", \"half\": [1, 1, 1]}}]}",
        "has a grain");
    refused(
        "{\"kind\": \"scene\", \"time\": 1, \"step\": {\"h\": 0.01}, \"dimension\": 2, \"bodies\": [{\"name\": "
        "\"floor\", \"fixed\": true, \"shape\":"
        " {\"type\": \"halfspace\", \"normal\": [0, 1]}}]}",
        "nothing moves");
}

static void coordinates_that_are_no_place_are_refused(void** state) {
    (void)state;
    scene s = open_scene(tumbling);
    double q[WIDTH], v[WIDTH];
    assert_int_equal(sti_system_state(s.system, NULL, q, v), STI_OK);
    assert_int_equal(sti_world_follow(s.world, q, v), STI_OK);
    for (int k = 3; k < 7; k++) q[k] = 0;
    assert_int_equal(sti_world_follow(s.world, q, v), STI_ERR_ARGUMENT);
    q[3] = 1;
    q[0] = NAN;
    assert_int_equal(sti_world_follow(s.world, q, v), STI_ERR_ARGUMENT);
    close_scene(&s);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    const char* const texts[3] = {tumbling, polygons, linked};
    for (int i = 0; i < 3; i++) {
        for (long at = 0;; at++) {
            failing_env f;
            scene s;
            failing_env_open(&f, -1);
            assert_int_equal(try_scene(f.env, texts[i], &s), STI_OK);
            sti_system_destroy(s.system);
            f.count = 0;
            f.fail_at = at;
            const sti_status status = sti_world_system(f.env, s.world, &s.system);
            if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
            if (status != STI_OK) assert_null(s.system);
            if (status == STI_OK) {
                double q[WIDTH], v[WIDTH];
                assert_int_equal(sti_system_state(s.system, NULL, q, v), STI_OK);
                assert_int_equal(sti_world_follow(s.world, q, v), STI_OK);
            }
            close_scene(&s);
            if (failing_env_close(&f)) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_the_derivatives_of_gaps),
        cmocka_unit_test(a_free_body_keeps_energy_and_momentum_over_many_turns),
        cmocka_unit_test(a_ball_bounces_geometrically_and_comes_to_rest),
        cmocka_unit_test(a_disc_lands_slides_and_rolls),
        cmocka_unit_test(a_pendulum_on_a_joint_hits_a_wall),
        cmocka_unit_test(the_order_lasts_across_impacts),
        cmocka_unit_test(a_box_on_a_belt_sticks_in_time),
        cmocka_unit_test(a_block_on_a_shaken_cart_sticks_and_slips),
        cmocka_unit_test(motors_and_friction_of_joints_have_their_events),
        cmocka_unit_test(every_level_moves_alike),
        cmocka_unit_test(a_resumed_run_has_the_same_bits),
        cmocka_unit_test(what_has_no_smooth_gap_is_refused),
        cmocka_unit_test(coordinates_that_are_no_place_are_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
