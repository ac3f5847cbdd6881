// Random boxes, alone or hinged together, thrown on a rough floor: a hundred steps each without a failure, an overlap,
// an open hinge or energy from nowhere. With an argument, that many times as many: 23 makes ten thousand scenes.
#include "base/rng.h"
#include "step/step_tools.h"

static int times = 1;

enum { BODIES = 3, CORNERS = 4 * BODIES, TEXT = 240 };

// The formulas of one chain of boxes.
typedef struct chain {
    char names[3 * BODIES][16], q[3 * BODIES][40], v[3 * BODIES][40];
    char kinetic[BODIES * TEXT], potential[BODIES * TEXT], mu[20], e[20];
    char gap[CORNERS][TEXT], slip[CORNERS][TEXT], hinge[2 * BODIES][TEXT];
    const char *name[3 * BODIES], *start_q[3 * BODIES], *start_v[3 * BODIES], *slips[CORNERS][1];
    sti_system_contact_text contacts[CORNERS], joints[2 * BODIES];
    int corners, hinges;
} chain;

static void add_body(chain* c, sti_rng* rng, int i) {
    const int k = i + 1;
    const double a = 0.2 + sti_rng_u01(rng), b = 0.2 + sti_rng_u01(rng), m = 4 * a * b, I = m * (a * a + b * b) / 3;
    const bool flat = sti_rng_u01(rng) < 0.3;
    size_t used = strlen(c->kinetic);
    snprintf(c->kinetic + used, TEXT, "%s%.9f/2*(x%d'^2 + y%d'^2) + %.9f/2*t%d'^2", i > 0 ? " + " : "", m, k, k, I, k);
    used = strlen(c->potential);
    snprintf(c->potential + used, TEXT, "%s%.9f*9.81*y%d", i > 0 ? " + " : "", m, k);
    for (int s = 0; s < 4; s++) {
        const double px = s & 1 ? a : -a, py = s & 2 ? b : -b;
        const int j = c->corners++;
        snprintf(c->gap[j], TEXT, "y%d + (%.9f)*sin(t%d) + (%.9f)*cos(t%d)", k, px, k, py, k);
        snprintf(c->slip[j], TEXT, "x%d' - t%d'*((%.9f)*sin(t%d) + (%.9f)*cos(t%d))", k, k, px, k, py, k);
        c->slips[j][0] = c->slip[j];
        c->contacts[j] = (sti_system_contact_text){
            .gap = c->gap[j], .slip_count = 1, .slip = c->slips[j], .mu = c->mu, .restitution = c->e};
    }
    const double angle = flat ? 0 : 6 * sti_rng_u01(rng), height = flat ? b : a + b + sti_rng_u01(rng);
    const double start[3] = {2.0 * i, height, angle};
    for (int j = 0; j < 3; j++) {
        const int at = 3 * i + j;
        snprintf(c->names[at], sizeof c->names[at], "%c%d", "xyt"[j], k);
        snprintf(c->q[at], sizeof c->q[at], "%.9f", start[j]);
        snprintf(c->v[at], sizeof c->v[at], "%.6f", flat && j > 0 ? 0 : 4 * sti_rng_u01(rng) - 2);
        c->name[at] = c->names[at];
        c->start_q[at] = c->q[at];
        c->start_v[at] = c->v[at];
    }
}

static void add_hinge(chain* c, int i) {
    for (int axis = 0; axis < 2; axis++) {
        const int j = c->hinges++;
        const char *x = axis == 0 ? "x" : "y", *f = axis == 0 ? "cos" : "sin";
        snprintf(c->hinge[j], TEXT, "%s%d - %s%d + 0.5*(%s(t%d) + %s(t%d))", x, i + 1, x, i + 2, f, i + 1, f, i + 2);
        c->joints[j] = (sti_system_contact_text){.gap = c->hinge[j]};
    }
}

static sti_system* random_chain(sti_rng* rng, chain* c, int bodies) {
    sti_system* system;
    *c = (chain){.corners = 0};
    snprintf(c->mu, sizeof c->mu, "%.3f", sti_rng_u01(rng) < 0.2 ? 0 : 1.2 * sti_rng_u01(rng));
    snprintf(c->e, sizeof c->e, "%.3f", sti_rng_u01(rng) < 0.3 ? 0 : sti_rng_u01(rng));
    for (int i = 0; i < bodies; i++) add_body(c, rng, i);
    for (int i = 0; i + 1 < bodies; i++) add_hinge(c, i);
    must(group_env, sti_system_create(group_env,
                                      &(sti_system_text){.coordinate_count = 3 * bodies,
                                                         .coordinates = c->name,
                                                         .kinetic = c->kinetic,
                                                         .potential = c->potential,
                                                         .contact_count = c->corners,
                                                         .contacts = c->contacts,
                                                         .joint_count = c->hinges,
                                                         .joints = c->joints,
                                                         .q = c->start_q,
                                                         .v = c->start_v},
                                      &system));
    return system;
}

// Number of collisions; -1: the start overlaps the floor.
static int throw_down(const sti_system* system, sti_stepper_options o, int trial) {
    sti_stepper* s = make_stepper(group_env, system, &o);
    account a = account_open(group_env, system, s);
    int collisions = 0;
    const bool overlaps = sti_stepper_initial(s)->penetrating >= 0;
    for (int l = 0; !overlaps && l < 100; l++) {
        const sti_step_report r = step_on(group_env, s);
        account_enter(&a, &r);
        if (!(a.rise <= 1e-10 * a.size)) fail_msg("trial %d, step %d: energy rises by %g", trial, l, a.rise);
        if (!(r.penetration <= 1e-9 && r.drift <= 1e-9))
            fail_msg("trial %d, step %d: penetration %g, drift %g", trial, l, r.penetration, r.drift);
        assert_true(r.residual <= 1e-7 && r.dropped == 0);
        collisions += r.collisions;
    }
    sti_stepper_destroy(s);
    return overlaps ? -1 : collisions;
}

static void run(int bodies, int share, sti_stepper_options o) {
    sti_rng rng = {(uint64_t)(17 + bodies)};
    const int trials = times * share;
    int thrown = 0;
    for (int trial = 0; trial < trials; trial++) {
        static chain c;
        sti_system* system = random_chain(&rng, &c, bodies);
        thrown += throw_down(system, o, trial) >= 0;
        sti_system_destroy(system);
    }
    assert_true(thrown >= trials / 5);
}

static void single_boxes_fall(void** state) {
    (void)state;
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    run(1, 200, o);
    o.law = STI_IMPACT_MOREAU;
    run(1, 100, o);
    o.law = STI_IMPACT_NEWTON;
    run(1, 50, o);
}

static void hinged_boxes_fall(void** state) {
    (void)state;
    const sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    run(2, 60, o);
    run(3, 15, o);
}

static void boxes_fall_with_the_round_cone(void** state) {
    (void)state;
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    o.friction = STI_FRICTION_CONE;
    run(1, 10, o);
}

int main(int count, char** arguments) {
    if (count > 1 && atoi(arguments[1]) > 0) times = atoi(arguments[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_boxes_fall),
        cmocka_unit_test(hinged_boxes_fall),
        cmocka_unit_test(boxes_fall_with_the_round_cone),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
