// Grasps: least friction and quality against closed forms, against brute force over directions, and every claim
// checked.
#include <math.h>
#include <stiction/grasp.h>

#include "base/rng.h"
#include "support/failing_env.h"
#include "support/group_env.h"
#include "support/instant_tools.h"
#include "support/rational_lp.h"
#include "support/sanitized.h"

enum { TRIALS = SANITIZED ? 100 : 1000 };

static const double pi = 3.14159265358979323846;

static void planar(tool_instant* t, double x, double y, double nx, double ny, double mu) {
    tool_contact(t, false, 1, mu);
    const int i = t->instant.contact_count - 1;
    const double n[3] = {nx, ny, x * ny - y * nx}, s[3] = {-ny, nx, x * nx + y * ny};
    memcpy(t->n[i], n, sizeof n);
    memcpy(t->t[i], s, sizeof s);
}

// A contact in space at p with the inward unit normal n, and a frame of its own.
static void spatial(tool_instant* t, const double* p, const double* n, double mu) {
    double axis[3][3] = {{n[0], n[1], n[2]}};
    const int m = fabs(n[0]) < 0.6 ? 0 : 1;
    const double length = sqrt(1 - n[m] * n[m]);
    for (int k = 0; k < 3; k++) axis[1][k] = ((k == m) - n[m] * n[k]) / length;
    for (int k = 0; k < 3; k++)
        axis[2][k] = n[(k + 1) % 3] * axis[1][(k + 2) % 3] - n[(k + 2) % 3] * axis[1][(k + 1) % 3];
    tool_spatial(t, p, (const double(*)[3])axis, mu);
}

static sti_grasp_friction least(const tool_instant* t, sti_grasp_friction_kind kind) {
    sti_grasp_friction f;
    bool accepted = false;
    assert_int_equal(sti_grasp_friction_analyze(group_env, &t->instant, NULL, kind, &f), STI_OK);
    assert_int_equal(sti_verify_grasp_friction(group_env, &t->instant, NULL, &f, 1e-8, &accepted), STI_OK);
    assert_true(accepted);
    return f;
}

static void expect_least(const tool_instant* t, double mu, double tol) {
    sti_grasp_friction f = least(t, STI_GRASP_COMMON);
    assert_int_equal(f.closes, STI_YES);
    assert_true(f.low <= mu * (1 + tol) && f.high >= mu * (1 - tol));
    assert_true(f.high - f.low <= tol * mu);
    sti_grasp_friction_clear(group_env, &f);
}

// Two fingers close exactly when the line between them lies in both cones (Nguyen): mu > tan of the larger angle.
static void two_fingers_need_the_tangent_of_the_angle_to_their_line(void** state) {
    (void)state;
    sti_rng rng = {5};
    for (int trial = 0; trial < 200; trial++) {
        const double a = 1.2 * sti_rng_u01(&rng) - 0.6, b = 1.2 * sti_rng_u01(&rng) - 0.6, turn = 6 * sti_rng_u01(&rng),
                     c = cos(turn), s = sin(turn);
        tool_instant t;
        tool_open(&t, 3);
        planar(&t, -c, -s, cos(turn + a), sin(turn + a), 0.3);
        planar(&t, c, s, -cos(turn + b), -sin(turn + b), 0.3);
        expect_least(&t, tan(fmax(fabs(a), fabs(b))), 1e-11);
    }
}

static void a_rational_antipodal_grasp_is_bracketed_to_the_last_bits(void** state) {
    (void)state;
    tool_instant t;
    tool_open(&t, 3);
    planar(&t, -1, 0, 0.8, 0.6, 0.3);  // tan = 3/4
    planar(&t, 1, 0, -0.8, -0.6, 0.3);
    sti_grasp_friction f = least(&t, STI_GRASP_COMMON);
    assert_true(f.low < 0.75 + 1e-12 && f.high > 0.75 - 1e-12 && f.high - f.low < 1e-12);
    assert_true(f.at_high.exact && f.at_low.closed == STI_NO);
    sti_grasp_friction_clear(group_env, &f);
    f = least(&t, STI_GRASP_FACTOR);  // 0.75 / 0.3
    assert_true(f.low < 2.5 + 1e-11 && f.high > 2.5 - 1e-11 && f.high - f.low < 1e-11);
    sti_grasp_friction_clear(group_env, &f);
}

// Three fingers evenly around a disc: normals meet in the middle, so any friction closes; unevenly, with gaps g_i of
// which one is beyond pi: the two at its ends have to hold against each other, mu > tan((gap - pi) / 2).
static void three_fingers_on_a_disc(void** state) {
    (void)state;
    for (int trial = 0; trial < 12; trial++) {
        const double gap = pi + 0.1 * (trial + 1);
        tool_instant t;
        tool_open(&t, 3);
        for (int i = 0; i < 3; i++) {
            const double angle = i == 0 ? gap / 2 : i == 1 ? -gap / 2 : pi + 0.05;
            planar(&t, cos(angle), sin(angle), -cos(angle), -sin(angle), 0.2);
        }
        expect_least(&t, tan((gap - pi) / 2), 1e-11);
    }
    tool_instant t;
    tool_open(&t, 3);
    for (int i = 0; i < 3; i++) {
        const double angle = 2 * pi * i / 3;
        planar(&t, cos(angle), sin(angle), -cos(angle), -sin(angle), 0.2);
    }
    sti_grasp_friction f = least(&t, STI_GRASP_COMMON);
    assert_true(f.closes == STI_YES && f.low == 0 && f.high < 1e-15);
    sti_grasp_friction_clear(group_env, &f);
}

static void form_closure_needs_no_friction(void** state) {
    (void)state;
    tool_instant t;
    tool_open(&t, 3);
    planar(&t, -1, 0.5, 1, 0, 0.1);
    planar(&t, 1, -0.5, -1, 0, 0.1);
    planar(&t, 0.5, -1, 0, 1, 0.1);
    planar(&t, -0.5, 1, 0, -1, 0.1);
    sti_grasp_friction f = least(&t, STI_GRASP_COMMON);
    assert_true(f.closes == STI_YES && f.low == 0 && f.high == 0);
    sti_grasp_friction_clear(group_env, &f);
}

static void no_friction_helps_contacts_on_one_side(void** state) {
    (void)state;
    tool_instant t;
    tool_open(&t, 3);
    planar(&t, -1, 0, 0, 1, 0.5);
    sti_grasp_friction f = least(&t, STI_GRASP_COMMON);
    assert_int_equal(f.closes, STI_NO);
    assert_true(f.y != NULL && f.why[0] != '\0');
    f.y[1] = fabs(f.y[1]) + 1;  // a wrong load is not accepted
    bool accepted = true;
    assert_int_equal(sti_verify_grasp_friction(group_env, &t.instant, NULL, &f, 1e-9, &accepted), STI_OK);
    assert_false(accepted);
    sti_grasp_friction_clear(group_env, &f);
    tool_open(&t, 6);  // two points in space: the turn about their line
    spatial(&t, (double[]){-1, 0, 0}, (double[]){1, 0, 0}, 0.5);
    spatial(&t, (double[]){1, 0, 0}, (double[]){-1, 0, 0}, 0.5);
    f = least(&t, STI_GRASP_COMMON);
    assert_int_equal(f.closes, STI_NO);
    sti_grasp_friction_clear(group_env, &f);
}

// Three fingers evenly on a circle of a ball at the height z: their normals point to the middle, so each needs
// mu > tan(angle between its normal and the plane of the three) to hold against the others.
static void three_fingers_on_a_ball(void** state) {
    (void)state;
    for (int trial = 0; trial < 5; trial++) {
        const double lift = 0.1 + 0.12 * trial;
        tool_instant t;
        tool_open(&t, 6);
        for (int i = 0; i < 3; i++) {
            const double angle = 2 * pi * i / 3 + 0.2;
            const double p[3] = {cos(lift) * cos(angle), cos(lift) * sin(angle), sin(lift)},
                         n[3] = {-p[0], -p[1], -p[2]};
            spatial(&t, p, n, 0.4);
        }
        expect_least(&t, tan(lift), 1e-6);
    }
}

// Closure by a linear program of its own: f_n >= 1, |f_t| <= mu f_n - 1, all in balance; and three rows that span.
static bool closes(const tool_instant* t, double mu) {
    const int count = t->instant.contact_count;
    rational_lp lp;
    mpq_t one;
    mpq_init(one);
    mpq_set_si(one, -1, 1);
    rational_lp_open(&lp, 2 * count, 3 + 3 * count);
    for (int j = 0; j < 3; j++) {
        mpq_t* row = rational_lp_add(&lp, true);
        for (int i = 0; i < count; i++) {
            mpq_set_d(row[1 + 2 * i], t->n[i][j]);
            mpq_set_d(row[2 + 2 * i], t->t[i][j]);
        }
    }
    for (int i = 0; i < count; i++) {
        for (int side = -1; side <= 1; side++) {
            mpq_t* row = rational_lp_add(&lp, false);
            mpq_set(row[0], one);
            mpq_set_d(row[1 + 2 * i], side == 0 ? 1 : mu);
            mpq_set_si(row[2 + 2 * i], side, 1);
        }
    }
    const bool feasible = rational_lp_feasible(&lp);
    rational_lp_close(&lp);
    mpq_clear(one);
    return feasible;
}

static void random_brackets_agree_with_a_rational_program(void** state) {
    (void)state;
    sti_rng rng = {41};
    int never = 0, found = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        const int fingers = 2 + trial % 3;
        tool_instant t;
        tool_open(&t, 3);
        for (int i = 0; i < fingers; i++) {  // coordinates in sixteenths: ties happen
            const double a = 0.0625 * sti_rng_int(&rng, 0, 100), b = a + 0.0625 * sti_rng_int(&rng, -20, 20);
            planar(&t, 0.0625 * nearbyint(32 * cos(a)), 0.0625 * nearbyint(16 * sin(a)), -cos(b), -sin(b), 0.5);
        }
        sti_grasp_friction f = least(&t, STI_GRASP_COMMON);
        never += f.closes == STI_NO;
        if (f.closes == STI_YES && f.high > 0) {
            found++;
            assert_true(closes(&t, f.high) && !closes(&t, f.low));
            assert_true(f.high - f.low <= 1e-12 * f.high || f.low == 0);
        } else if (f.closes == STI_NO) {
            assert_false(closes(&t, 1000));
        }
        assert_int_not_equal(f.closes, STI_UNDECIDED);
        sti_grasp_friction_clear(group_env, &f);
    }
    assert_true(never > TRIALS / 20 && found > TRIALS / 2);
}

// ---- quality

static sti_grasp_quality measure(const tool_instant* t, const sti_grasp_options* o) {
    sti_grasp_quality q;
    sti_grasp_verification v;
    assert_int_equal(sti_grasp_quality_analyze(group_env, &t->instant, o, &q), STI_OK);
    assert_true(q.applies);
    assert_int_equal(sti_verify_grasp_quality(group_env, &t->instant, o, &q, 200000, &v), STI_OK);
    if (!v.accepted) print_error("%s: %.15g %.15g, %d points\n", v.text, q.lower, q.upper, q.point_count);
    assert_true(v.accepted && v.lower_checked);
    return q;
}

// Antipodal on the unit disc, mu = 1: the points (+-1, +-1, +-1), and the ball in their hull, a tetrahedron with edges
// 2 sqrt 2: radius 1 / sqrt 3. In general (1, mu, mu): the faces x + y / mu + z / mu = 1 and its turns.
static void antipodal_quality_in_closed_form(void** state) {
    (void)state;
    for (int trial = 1; trial <= 20; trial++) {
        const double mu = 0.1 * trial;
        tool_instant t;
        tool_open(&t, 3);
        planar(&t, -1, 0, 1, 0, mu);
        planar(&t, 1, 0, -1, 0, mu);
        sti_grasp_quality q = measure(&t, NULL);
        const double expected = 1 / sqrt(1 + 2 / (mu * mu));
        assert_true(fabs(q.upper - expected) < 1e-11 && fabs(q.lower - expected) < 1e-11);
        assert_true(q.length == 1);
        sti_grasp_quality_clear(group_env, &q);
        sti_grasp_options o = sti_grasp_options_default();
        o.length = 2;  // half the torques
        q = measure(&t, &o);
        const double half = 1 / sqrt(1 + 5 / (mu * mu));
        assert_true(fabs(q.upper - half) < 1e-11);
        sti_grasp_quality_clear(group_env, &q);
    }
}

static double symmetric(sti_rng* rng) {
    return 2 * sti_rng_u01(rng) - 1;
}

// The support function from scratch.
static double h(const tool_instant* t, int n, double length, const double* u) {
    double most = 0;
    for (int i = 0; i < t->instant.contact_count; i++) {
        double v[3] = {0};
        for (int k = 0; k <= (n == 3 ? 1 : 2); k++) {
            const double* row = k == 0 ? t->n[i] : t->t[i] + (k - 1) * n;
            for (int j = 0; j < n; j++) v[k] += row[j] * u[j] / (j < (n == 3 ? 2 : 3) ? 1 : length);
        }
        most = fmax(most, v[0] + t->contact[i].mu * hypot(v[1], v[2]));
    }
    return most;
}

static void bounds_hold_in_random_directions(void** state) {
    (void)state;
    sti_rng rng = {17};
    int closed = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        const int fingers = sti_rng_int(&rng, 2, 6);
        tool_instant t;
        tool_open(&t, 3);
        for (int i = 0; i < fingers; i++) {
            const double a = 7 * sti_rng_u01(&rng), b = a + symmetric(&rng);
            planar(&t, cos(a) * 2, sin(a), -cos(b), -sin(b), sti_rng_u01(&rng));
        }
        sti_grasp_quality q = measure(&t, NULL);
        assert_true(q.upper - q.lower <= 1e-9);
        closed += q.lower > 0;
        for (int k = 0; k < 200; k++) {
            double u[3], size = 0;
            for (int j = 0; j < 3; j++) {
                u[j] = symmetric(&rng);
                size = hypot(size, u[j]);
            }
            for (int j = 0; j < 3; j++) u[j] /= size;
            assert_true(h(&t, 3, q.length, u) >= q.lower - 1e-12);
        }
        sti_closure c;
        assert_int_equal(sti_force_closure_analyze(group_env, &t.instant, NULL, &c), STI_OK);
        assert_true((c.closed == STI_YES) == (q.upper > 0));
        sti_closure_clear(group_env, &c);
        sti_grasp_quality_clear(group_env, &q);
    }
    assert_true(closed > 3 * TRIALS / 10 && closed < TRIALS);
}

static void round_cones_are_between_the_bounds(void** state) {
    (void)state;
    sti_rng rng = {23};
    int closed = 0;
    for (int trial = 0; trial < 12; trial++) {
        tool_instant t;
        tool_open(&t, 6);
        for (int i = 0; i < 3 + trial % 2; i++) {
            double p[3], size = 0;
            for (int j = 0; j < 3; j++) {
                p[j] = symmetric(&rng) + (j == 0 ? cos(2.1 * i) : j == 1 ? sin(2.1 * i) : 0) * 1.5;
                size = hypot(size, p[j]);
            }
            const double n[3] = {-p[0] / size, -p[1] / size, -p[2] / size};
            spatial(&t, p, n, 0.5 + 0.5 * sti_rng_u01(&rng));
        }
        sti_grasp_quality q = measure(&t, NULL);
        assert_true(q.lower <= q.upper && q.lower >= 0);
        if (q.upper > 0) assert_true(q.lower >= 0.98 * q.upper);
        closed += q.lower > 0;
        double least_seen = INFINITY, best[6] = {0};
        for (int k = 0; k < 20000; k++) {  // many directions, then smaller and smaller steps from the best
            double u[6], size = 0;
            for (int j = 0; j < 6; j++) {
                u[j] = k < 4000 ? symmetric(&rng) : best[j] + symmetric(&rng) * pow(0.9995, k - 4000);
                size = hypot(size, u[j]);
            }
            for (int j = 0; j < 6; j++) u[j] /= size;
            const double reach = h(&t, 6, q.length, u);
            if (reach >= least_seen) continue;
            least_seen = reach;
            memcpy(best, u, sizeof u);
        }
        assert_true(least_seen >= q.lower - 1e-12);
        sti_grasp_quality_clear(group_env, &q);
    }
    assert_true(closed >= 4);
}

// Polygons: both bounds agree, up to the grid.
static void facets_leave_no_gap(void** state) {
    (void)state;
    tool_instant t;
    tool_open(&t, 6);
    for (int i = 0; i < 3; i++) {
        const double a = 2 * pi * i / 3, p[3] = {cos(a), sin(a), 0}, n[3] = {-p[0], -p[1], 0};
        spatial(&t, p, n, 0.8);
    }
    sti_grasp_options o = sti_grasp_options_default();
    o.object.facets = 6;
    sti_grasp_quality q = measure(&t, &o);
    assert_true(q.lower > 0.05 && q.upper - q.lower < 1e-7);
    sti_grasp_quality round = measure(&t, NULL);
    assert_true(round.upper >= q.lower);
    // claims that are too large are not accepted
    sti_grasp_verification v;
    round.lower *= 1.3;
    round.upper = fmax(round.upper, round.lower);
    assert_int_equal(sti_verify_grasp_quality(group_env, &t.instant, NULL, &round, 200000, &v), STI_OK);
    assert_false(v.accepted);
    q.upper *= 0.9;
    assert_int_equal(sti_verify_grasp_quality(group_env, &t.instant, &o, &q, 200000, &v), STI_OK);
    assert_false(v.accepted);
    sti_grasp_quality_clear(group_env, &q);
    sti_grasp_quality_clear(group_env, &round);
}

static void quality_is_only_told_of_one_body(void** state) {
    (void)state;
    tool_instant t;
    sti_grasp_quality q;
    tool_open(&t, 4);
    tool_contact(&t, false, 1, 0.3);
    t.n[0][1] = t.t[0][0] = 1;
    assert_int_equal(sti_grasp_quality_analyze(group_env, &t.instant, NULL, &q), STI_OK);
    assert_true(!q.applies && strstr(q.why, "coordinates") != NULL);
    sti_grasp_quality_clear(group_env, &q);
    tool_open(&t, 3);
    planar(&t, -1, 0, 2, 0, 0.3);  // not a unit normal
    assert_int_equal(sti_grasp_quality_analyze(group_env, &t.instant, NULL, &q), STI_OK);
    assert_true(!q.applies && strstr(q.why, "orthonormal") != NULL);
    sti_grasp_quality_clear(group_env, &q);
    sti_grasp_options o = sti_grasp_options_default();
    o.length = -1;
    assert_int_equal(sti_grasp_quality_analyze(group_env, &t.instant, &o, &q), STI_ERR_ARGUMENT);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    for (int what = 0; what < 3; what++) {
        for (long k = 0;; k++) {
            failing_env f;
            tool_instant t;
            tool_open(&t, what == 1 ? 6 : 3);
            if (what == 1) {
                for (int i = 0; i < 3; i++)
                    spatial(&t, (double[]){cos(2.1 * i), sin(2.1 * i), 0}, (double[]){-cos(2.1 * i), -sin(2.1 * i), 0},
                            0.8);
            } else {
                planar(&t, -1, 0, 0.8, 0.6, 1);
                planar(&t, 1, 0, -0.8, -0.6, 1);
            }
            failing_env_open(&f, k < 150 ? k : 150 + (k - 150) * 499);  // the same few places over and over
            sti_status status;
            if (what == 2) {
                sti_grasp_friction g;
                bool accepted;
                status = sti_grasp_friction_analyze(f.env, &t.instant, NULL, STI_GRASP_COMMON, &g);
                if (status == STI_OK) status = sti_verify_grasp_friction(f.env, &t.instant, NULL, &g, 1e-9, &accepted);
                sti_grasp_friction_clear(f.env, &g);
            } else {
                sti_grasp_quality q;
                sti_grasp_options o = sti_grasp_options_default();
                o.object.facets = what == 1 ? 3 : 0;
                sti_grasp_verification v;
                status = sti_grasp_quality_analyze(f.env, &t.instant, &o, &q);
                if (status == STI_OK) status = sti_verify_grasp_quality(f.env, &t.instant, &o, &q, 200000, &v);
                sti_grasp_quality_clear(f.env, &q);
            }
            if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
            if (failing_env_close(&f)) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_fingers_need_the_tangent_of_the_angle_to_their_line),
        cmocka_unit_test(a_rational_antipodal_grasp_is_bracketed_to_the_last_bits),
        cmocka_unit_test(three_fingers_on_a_disc),
        cmocka_unit_test(form_closure_needs_no_friction),
        cmocka_unit_test(no_friction_helps_contacts_on_one_side),
        cmocka_unit_test(three_fingers_on_a_ball),
        cmocka_unit_test(random_brackets_agree_with_a_rational_program),
        cmocka_unit_test(antipodal_quality_in_closed_form),
        cmocka_unit_test(bounds_hold_in_random_directions),
        cmocka_unit_test(round_cones_are_between_the_bounds),
        cmocka_unit_test(facets_leave_no_gap),
        cmocka_unit_test(quality_is_only_told_of_one_body),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
