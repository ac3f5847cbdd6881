// Systems by C functions in every stepper: the same motion as by formulas, functions that stop to know, failing memory.
#include "step/step_tools.h"

// A cart on a rail with a pendulum, and a stop at x = 1: M(q), inertial forces, damping, friction at the stop and in
// the rail.
typedef struct cart {
    double mu_rail;
    double e;      // restitution of the stop
    double limit;  // of x, beyond which nothing is known
} cart;

static bool cart_values(void* user, double t, const double* q, const double* v, sti_system_values* out) {
    const cart* k = user;
    const double c = cos(q[2]), s = sin(q[2]);
    const double M[9] = {3, 0, c, 0, 3, s, c, s, 1}, inertia[3] = {-s * v[2] * v[2], c * v[2] * v[2], 0};
    const double force[3] = {-0.1 * v[0], -29.43 - 0.1 * v[1], -9.81 * s - 0.05 * v[2]};
    (void)t;
    if (q[0] > k->limit) return false;
    memcpy(out->M, M, sizeof M);
    for (int i = 0; i < 3; i++) {
        out->F[i] = inertia[i] - force[i];
        out->k[i] = force[i];
        out->k_v[4 * i] = i < 2 ? -0.1 : -0.05;
    }
    out->k_q[8] = -9.81 * c;
    out->kinetic = (2 * (v[0] * v[0] + v[1] * v[1]) + pow(v[0] + c * v[2], 2) + pow(v[1] + s * v[2], 2)) / 2;
    out->potential = 29.43 * q[1] - 9.81 * c;
    out->contacts[0].gap = 1 - q[0];
    out->contacts[0].mu = 0.2;
    out->contacts[0].restitution = k->e;
    out->n[0] = -1;
    out->t[2] = 1;
    out->contacts[1].gap = q[1];
    out->contacts[1].mu = k->mu_rail;
    out->n[3 + 1] = 1;
    out->t[3 + 0] = 1;
    return true;
}

static const char* const names[] = {"x", "y", "a"};

static sti_system* by_function(sti_env* where, cart* user) {
    sti_system* system;
    must(where, sti_system_create_def(where,
                                      &(sti_system_def){.coordinate_count = 3,
                                                        .coordinates = names,
                                                        .contact_count = 1,
                                                        .joint_count = 1,
                                                        .contact_names = (const char*[]){"stop", "rail"},
                                                        .tangent_count = (int[]){1, 1},
                                                        .q = (double[]){0, 0, 0.8},
                                                        .v = (double[]){2, 0, 1},
                                                        .evaluate = cart_values,
                                                        .user = user},
                                      &system));
    return system;
}

static sti_system* by_formulas(double mu_rail, double e) {
    sti_system* system;
    const double parameters[] = {mu_rail, e};
    const sti_system_contact_text stop = {.name = "stop",
                                          .gap = "1 - x",
                                          .slip_count = 1,
                                          .slip = (const char*[]){"a'"},
                                          .mu = "0.2",
                                          .restitution = "e"};
    const sti_system_contact_text rail = {
        .name = "rail", .gap = "y", .slip_count = 1, .slip = (const char*[]){"x'"}, .mu = "mu"};
    must(group_env,
         sti_system_create(group_env,
                           &(sti_system_text){.parameter_count = 2,
                                              .parameter_names = (const char*[]){"mu", "e"},
                                              .parameters = parameters,
                                              .coordinate_count = 3,
                                              .coordinates = names,
                                              .kinetic = "x'^2 + y'^2 + ((x' + cos(a)*a')^2 + (y' + sin(a)*a')^2)/2",
                                              .potential = "29.43*y - 9.81*cos(a)",
                                              .forces = (const char*[]){"-x'/10", "-y'/10", "-a'/20"},
                                              .contact_count = 1,
                                              .contacts = &stop,
                                              .joint_count = 1,
                                              .joints = &rail,
                                              .q = (const char*[]){"0", "0", "0.8"},
                                              .v = (const char*[]){"2", "0", "1"}},
                           &system));
    return system;
}

enum { VARIANTS = 9 };

// One of each stepper.
static sti_stepper_options variant(int k) {
    sti_stepper_options o = sti_stepper_options_default(k == 6 || k == 7 ? STI_SCHEME_CONVEX
                                                        : k == 8         ? STI_SCHEME_QUASISTATIC
                                                                         : STI_SCHEME_ALPHA);
    if (k == 1) o.alpha = 1;
    if (k == 2) o = printed(0.5, 0.01);
    if (k == 3) o.law = STI_IMPACT_NEWTON;
    if (k == 4) o.friction = STI_FRICTION_CONE;
    if (k == 5) {
        o.level = STI_LEVEL_GAP;
        o.gap_tol = INFINITY;
        o.alpha = 1;
    }
    if (k == 7) o.friction = STI_FRICTION_CONE;
    return o;
}

static double restitution(int k) {
    return k >= 5 && k <= 7 ? 0 : 0.5;  // where collisions are not located they are inelastic
}

static double rail_friction(int k) {
    return k < 4 ? 0.1 : 0;  // friction of joints is for facets
}

static void every_stepper_moves_a_function_as_it_moves_formulas(void** state) {
    (void)state;
    for (int k = 0; k < VARIANTS; k++) {
        cart user = {.mu_rail = rail_friction(k), .e = restitution(k), .limit = INFINITY};
        sti_system *a = by_function(group_env, &user), *b = by_formulas(user.mu_rail, user.e);
        const sti_stepper_options o = variant(k);
        sti_stepper *s = make_stepper(group_env, a, &o), *reference = make_stepper(group_env, b, &o);
        int collisions = 0;
        bool closed = false;
        for (int l = 0; l < 200; l++) {
            const sti_step_report r = step_on(group_env, s), other = step_on(group_env, reference);
            assert_int_equal(r.collisions, other.collisions);
            assert_int_equal(r.pieces, other.pieces);
            assert_int_equal(r.mode[0], other.mode[0]);
            if (k != 8) assert_near(r.kinetic + r.potential, other.kinetic + other.potential, 1e-8);
            if (k != 8) assert_near(r.work, other.work, 1e-8);
            collisions += r.collisions;
            closed = closed || r.impulse_n[0] > 0;
            for (int i = 0; i < 3; i++) {
                assert_near(sti_stepper_q(s)[i], sti_stepper_q(reference)[i], 1e-8);
                assert_near(sti_stepper_v(s)[i], sti_stepper_v(reference)[i], 1e-7);
            }
        }
        assert_true(k == 8 || closed);
        if (k < 5) assert_true(collisions > 0);
        sti_stepper_destroy(s);
        sti_stepper_destroy(reference);
        sti_system_destroy(a);
        sti_system_destroy(b);
    }
}

static void a_function_that_stops_to_know_stops_the_step(void** state) {
    (void)state;
    cart user = {.mu_rail = 0, .limit = 0.5};
    sti_system* system = by_function(group_env, &user);
    for (int k = 0; k < VARIANTS; k++) {
        if (k == 8) continue;  // it hardly moves without inertia
        const sti_stepper_options o = variant(k);
        user.e = restitution(k);
        sti_stepper* s = make_stepper(group_env, system, &o);
        sti_status status = STI_OK;
        double x = 0;
        for (int l = 0; l < 200 && status == STI_OK; l++) {
            x = sti_stepper_q(s)[0];
            status = sti_stepper_step(s, NULL);
        }
        assert_int_equal(status, STI_ERR_INPUT);
        assert_true(sti_stepper_q(s)[0] == x && x <= 0.5 && x > 0.4);
        sti_stepper_destroy(s);
    }
    sti_system_destroy(system);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    for (int k = 0; k < VARIANTS; k++) {
        if (k == 4 || k == 6 || k == 7) continue;  // the solvers of cones have their own
        for (long at = 0;; at++) {
            failing_env f;
            cart user = {
                .mu_rail = 0, .e = restitution(k), .limit = INFINITY};  // friction of joints takes hundreds of solves
            sti_stepper* s = NULL;
            failing_env_open(&f, -1);
            sti_system* system = by_function(f.env, &user);
            f.count = 0;
            f.fail_at = at;
            const sti_stepper_options o = variant(k);
            sti_status status = sti_stepper_create(f.env, system, &o, &s);
            if (status == STI_OK) status = sti_stepper_set(s, 0, (double[]){0.995, 0, 0.8}, (double[]){2, 0, 1});
            if (status == STI_OK) status = sti_stepper_step(s, NULL);
            if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
            sti_stepper_destroy(s);
            sti_system_destroy(system);
            if (failing_env_close(&f)) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stepper_moves_a_function_as_it_moves_formulas),
        cmocka_unit_test(a_function_that_stops_to_know_stops_the_step),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
