// Contacts free to open (60): which of them open is a sign of an acceleration, and rounding has no sign.
#include <math.h>

#include "support/failing_env.h"
#include "support/instant_tools.h"

static sti_env* env;

static sti_sticking* analyze(const tool_instant* t) {
    sti_sticking* r;
    assert_int_equal(sti_sticking_create(env, &t->instant, NULL, &r), STI_OK);
    return r;
}

static const sti_proposition* find(const sti_sticking* r, const char* id) {
    const sti_proposition* p = sti_proposition_find(r->answer.propositions, r->answer.proposition_count, id);
    assert_non_null(p);
    return p;
}

// A block of height l and width L on one corner, turned by angle: S0 example 2.
static void block_on_corner(tool_instant* t, double angle, double mu, double units) {
    const double l = 1.2 * units, L = 0.8 * units, mass = 2, g = 9.81 * units;
    const double x = l / 2 * sin(angle) - L / 2 * cos(angle), y = l / 2 * cos(angle) + L / 2 * sin(angle);
    tool_open(t, 3);
    tool_mass(t, (double[]){mass, mass, mass * (l * l + L * L) / 12});
    t->F[1] = mass * g;
    tool_contact(t, false, 1, mu);
    t->n[0][1] = 1;
    t->n[0][2] = x;
    t->t[0][0] = 1;
    t->t[0][2] = y;
}

// Its only multipliers, (n, t)'M^-1 (n, t) lambda = (n, t)'M^-1 F.
static void corner_forces(const tool_instant* t, double* normal, double* tangent) {
    long double G[3] = {0}, b[2] = {0};
    for (int j = 0; j < 3; j++) {
        const long double n = t->n[0][j], h = t->t[0][j], m = t->M[4 * j];
        G[0] += n * n / m;
        G[1] += n * h / m;
        G[2] += h * h / m;
        b[0] += n * t->F[j] / m;
        b[1] += h * t->F[j] / m;
    }
    const long double d = G[0] * G[2] - G[1] * G[1];
    *normal = (double)((G[2] * b[0] - G[1] * b[1]) / d);
    *tangent = (double)((G[0] * b[1] - G[1] * b[0]) / d);
}

static void a_block_on_a_corner_keeps_its_contact_at_every_angle(void** state) {
    (void)state;
    static const double units[] = {1, 1e-6, 1e6};
    int held = 0, slips = 0;
    for (int trial = 0; trial < 87; trial++) {
        tool_instant t;
        double normal, tangent;
        block_on_corner(&t, 0.05 + 0.05 * (trial % 29), 0.05, units[trial / 29]);
        corner_forces(&t, &normal, &tangent);
        assert_true(normal > 0);
        sti_sticking* r = analyze(&t);
        const sti_opening* o = &r->answer.opening;
        const bool sticks = fabs(tangent) <= 0.05 * normal;
        held += sticks;
        slips += !sticks;
        assert_int_equal(o->contact_problem, STI_SOLVED);
        assert_int_equal(o->outcome, sticks ? STI_STICKING_YES : STI_STICKING_NO);
        assert_false(o->opens[0]);
        assert_true(o->a_n[0] == 0);
        assert_true(fabs(o->lambda[0] - normal) <= 1e-12 * normal);
        static const char* const same[] = {"P2", "P9.i", "P9.ii", "P10"};
        for (int k = 0; k < 4; k++) assert_int_equal(find(r, same[k])->verdict, sticks ? STI_HOLDS : STI_HOLDS_NOT);
        sti_sticking_destroy(r);
    }
    assert_true(held >= 3 && slips >= 60);
}

// Two such bodies in one instant, one pulled off: its contact opens, whatever the other does, and no force is left to
// it.
static void the_contact_that_is_pulled_off_opens_and_no_other(void** state) {
    (void)state;
    for (int trial = 0; trial < 4; trial++) {
        const int pulled = trial % 2;
        const bool sideways = trial >= 2;
        tool_instant one, t;
        block_on_corner(&one, 0.9, 0.6, 1);
        tool_open(&t, 6);
        for (int i = 0; i < 2; i++) {
            tool_contact(&t, false, 1, 0.6);
            for (int j = 0; j < 3; j++) {
                t.M[7 * (3 * i + j)] = one.M[4 * j];
                t.n[i][3 * i + j] = one.n[0][j];
                t.t[i][3 * i + j] = one.t[0][j];
                t.F[3 * i + j] = i == pulled ? -one.F[j] : one.F[j];
            }
        }
        if (sideways) t.F[3 * pulled] = 1;
        sti_sticking* r = analyze(&t);
        const sti_opening* o = &r->answer.opening;
        assert_int_equal(o->contact_problem, STI_SOLVED);
        assert_true(o->opens[pulled] && o->a_n[pulled] > 1);
        assert_true(!o->opens[1 - pulled] && o->a_n[1 - pulled] == 0);
        // a_t = 0 is asked of an open contact too: pulled sideways as well, it would need a force for that
        assert_int_equal(o->outcome, sideways ? STI_STICKING_NO : STI_STICKING_YES);
        assert_true(o->exact && o->leaf_count == sideways);
        sti_sticking_destroy(r);
    }
}

// With a singular M accelerations are not unique, but the forces of all of them are the same set: "no" is still "no".
static void a_singular_mass_leaves_nothing_open(void** state) {
    (void)state;
    tool_instant t;
    tool_open(&t, 3);
    tool_mass(&t, (double[]){1, 1, 0});
    t.F[0] = 2;
    t.F[1] = 10;
    for (int i = 0; i < 2; i++) {
        tool_contact(&t, false, 1, 0.1);
        t.n[i][1] = t.t[i][0] = 1;
    }
    sti_sticking* r = analyze(&t);
    assert_int_equal(r->answer.opening.outcome, STI_STICKING_NO);
    assert_true(r->answer.opening.exact);
    sti_sticking_destroy(r);
    t.contact[0].mu = t.contact[1].mu = 0.25;
    r = analyze(&t);
    assert_int_equal(r->answer.opening.outcome, STI_STICKING_YES);
    sti_sticking_destroy(r);
    t.F[2] = 1;  // nothing resists this
    r = analyze(&t);
    assert_int_equal(r->answer.opening.contact_problem, STI_NO_SOLUTION);
    assert_non_null(r->answer.opening.descent_exact);
    sti_sticking_destroy(r);
}

// Rounding in place of a zero: the legs of a table turned by an angle are redundant only up to rounding.
static void a_turned_table_stands_on_all_its_legs(void** state) {
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        tool_instant t;
        const double angle = 0.3 + 0.1 * trial, c = cos(angle), s = sin(angle);
        tool_open(&t, 6);
        tool_mass(&t, (double[]){3, 3, 3, 1, 1, 1});
        t.F[2] = 30;
        t.F[0] = 2 * c;
        t.F[1] = 2 * s;
        for (int i = 0; i < 4; i++) {
            const double x = i % 2 ? 1 : -1, y = i / 2 ? 1 : -1, p[3] = {c * x - s * y, s * x + c * y, -0.5};
            tool_spatial(&t, p, (const double[3][3]){{0, 0, 1}, {c, s, 0}, {-s, c, 0}}, 0.4);
        }
        sti_sticking* r = analyze(&t);
        assert_int_equal(r->answer.outcome, STI_STICKING_YES);
        assert_int_equal(r->answer.opening.outcome, STI_STICKING_YES);
        for (int i = 0; i < 4; i++) assert_false(r->answer.opening.opens[i]);
        sti_sticking_destroy(r);
    }
}

static void a_bound_of_dependent_tangents_is_zero(void** state) {
    (void)state;
    tool_instant t;  // a block on two feet: its tangents are the same, at a height that is not a binary fraction
    tool_open(&t, 3);
    tool_mass(&t, (double[]){1, 1, 0.17});
    t.F[1] = 9.81;
    for (int i = 0; i < 2; i++) {
        tool_contact(&t, false, 1, 0.3);
        t.n[i][1] = t.t[i][0] = 1;
        t.n[i][2] = i ? 0.7 : -0.7;
        t.t[i][2] = 0.6;
    }
    sti_sticking* r = analyze(&t);
    const sti_proposition* p = find(r, "P12");
    assert_int_equal(p->verdict, STI_HOLDS_NOT);
    assert_true(sti_proposition_number(p, "rhs")->value[0] == 0);
    sti_sticking_destroy(r);
}

static int open_env(void** state) {
    (void)state;
    return sti_env_create(NULL, &env) == STI_OK ? 0 : -1;
}

static int close_env(void** state) {
    (void)state;
    sti_env_destroy(env);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_on_a_corner_keeps_its_contact_at_every_angle),
        cmocka_unit_test(the_contact_that_is_pulled_off_opens_and_no_other),
        cmocka_unit_test(a_singular_mass_leaves_nothing_open),
        cmocka_unit_test(a_turned_table_stands_on_all_its_legs),
        cmocka_unit_test(a_bound_of_dependent_tangents_is_zero),
    };
    return cmocka_run_group_tests(tests, open_env, close_env);
}
