// test_sections.c: friction that is not a disc: ellipses, polygons, supports; closed forms, other code, changes of
// coordinates.
#include <math.h>
#include <stiction/stiction.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/near.h"
#include "support/open_env.h"
#include "support/random.h"

enum { MOST = 6, ROOM = 3 * MOST };

typedef struct made {
    double W[ROOM * ROOM], q[ROOM], mu[MOST];
    double vertex[MOST][2 * 12];
    sti_section section[MOST];
    sti_contact_problem p;
} made;

// The superellipse |x|^4 + |y / 2|^4 = 1 by its support function: p = 4, dual exponent 4/3
static double superellipse(void* user, const double* y, double* x) {
    (void)user;
    const double a = 1, b = 2, e = 4.0 / 3, u = pow(fabs(a * y[0]), e), v = pow(fabs(b * y[1]), e);
    const double h = pow(u + v, 1 / e);
    x[0] = copysign(a * pow(u / (u + v), 0.25), y[0]);
    x[1] = copysign(b * pow(v / (u + v), 0.25), y[1]);
    return h;
}

static void make_polygon(sti_rng* rng, double* vertex, sti_section* s) {
    const int n = sti_rng_int(rng, 3, 8);
    const double shift = between(rng, 0, 6), a = between(rng, 0.3, 2), b = between(rng, 0.3, 2);
    for (int j = 0; j < n; j++) {  // on an ellipse, so convex
        const double angle = shift + 2 * M_PI * (j + between(rng, -0.2, 0.2)) / n;
        vertex[2 * j] = a * cos(angle);
        vertex[2 * j + 1] = b * sin(angle);
    }
    *s = (sti_section){.shape = STI_SECTION_POLYGON, .vertex_count = n, .vertex = vertex};
}

static void make(sti_rng* rng, int contacts, const sti_section_shape* shapes, int kinds, made* m) {
    const int n = 3 * contacts, rank = sti_rng_int(rng, n < 6 ? n : 6, n + 3);
    double H[ROOM + 3][ROOM];
    for (int k = 0; k < rank; k++) {
        for (int i = 0; i < n; i++) H[k][i] = symmetric(rng);
    }
    for (int i = 0; i < n; i++) {
        m->q[i] = i % 3 == 0 ? between(rng, -1, 0.3) : symmetric(rng);
        for (int j = 0; j < n; j++) {
            m->W[i * n + j] = 0;
            for (int k = 0; k < rank; k++) m->W[i * n + j] += H[k][i] * H[k][j];
        }
    }
    for (int c = 0; c < contacts; c++) {
        sti_section* s = &m->section[c];
        m->mu[c] = between(rng, 0.1, 1);
        *s = (sti_section){.shape = shapes[sti_rng_int(rng, 0, kinds - 1)]};
        if (s->shape == STI_SECTION_ELLIPSE) {
            s->axes[0] = between(rng, 0.2, 2);
            s->axes[1] = between(rng, 0.2, 2);
            s->angle = between(rng, -4, 4);
        }
        if (s->shape == STI_SECTION_POLYGON) make_polygon(rng, m->vertex[c], s);
        if (s->shape == STI_SECTION_SUPPORT) s->support = superellipse;
    }
    m->p =
        (sti_contact_problem){.dimension = 3, .contact_count = contacts, .mu = m->mu, .section = m->section, .q = m->q};
    m->p.W = sti_matrix_dense_view(n, n, m->W);
}

static sti_contact_answer solve(sti_env* env, const sti_contact_problem* p, sti_contact_solver solver) {
    sti_contact_options o = sti_contact_options_default();
    o.solver = solver;
    o.max_iterations = 1000;  // what has no solution goes on for long
    sti_contact_answer a;
    const sti_status status = sti_contact_solve(env, p, &o, &a);
    if (status != STI_OK) print_message("%s\n", sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
    return a;
}

static bool accepted(sti_env* env, const sti_contact_problem* p, const sti_contact_answer* a) {
    sti_contact_verification v;
    assert_int_equal(sti_verify_contact(env, p, a, 1e-8, &v), STI_OK);
    if (!v.accepted) print_message("%s; solver says %g\n", v.text, a->residual);
    return v.accepted;
}

// ---- closed forms

// A block on a plane, pulled by (fx, fy) with weight 1: with an ellipse of half axes mu a, mu b it stays while
// (fx / mu a)^2 + (fy / mu b)^2 <= 1; when it slides, -u_t is normal to the ellipse at r_t.
static void a_block_on_a_grained_plane_sticks_and_slides_as_the_ellipse_says(void** state) {
    (void)state;
    sti_env* env = open_env();
    double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, mu = 0.5;
    const sti_section grain = {.shape = STI_SECTION_ELLIPSE, .axes = {1, 0.4}, .angle = 0.3};
    for (int k = 0; k < 50; k++) {
        const double angle = 0.13 * k, pull = 0.1 + 0.01 * k, q[3] = {-1, pull * cos(angle), pull * sin(angle)};
        const sti_contact_problem p = {.dimension = 3,
                                       .contact_count = 1,
                                       .mu = &mu,
                                       .section = &grain,
                                       .W = sti_matrix_dense_view(3, 3, W),
                                       .q = q};
        const double c = cos(0.3), s = sin(0.3), x = (c * q[1] + s * q[2]) / 0.5, y = (c * q[2] - s * q[1]) / 0.2;
        static const sti_contact_solver solvers[] = {STI_CONTACT_AUTO, STI_CONTACT_GS,    STI_CONTACT_NEWTON,
                                                     STI_CONTACT_IPM,  STI_CONTACT_LEMKE, STI_CONTACT_ADMM};
        for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
            sti_contact_answer a = solve(env, &p, solvers[i]);
            assert_int_equal(a.outcome, STI_SOLVED);
            assert_true(accepted(env, &p, &a));
            const double ex = (c * a.r[1] + s * a.r[2]) / 0.5, ey = (c * a.r[2] - s * a.r[1]) / 0.2;
            assert_near(a.r[0], 1, 1e-7);
            assert_int_equal(a.mode[0], hypot(x, y) <= 1 ? STI_MODE_STICK : STI_MODE_SLIDE);
            if (hypot(x, y) <= 1) {
                assert_near(a.r[1], -q[1], 1e-7);
                assert_near(a.r[2], -q[2], 1e-7);
            } else {
                assert_near(hypot(ex, ey), 1, 1e-6);
                const double nx = c * ex / 0.5 - s * ey / 0.2, ny = s * ex / 0.5 + c * ey / 0.2;  // normal at r_t
                assert_near((nx * a.u[2] - ny * a.u[1]) / hypot(nx, ny), 0, 1e-6);
                assert_true(nx * a.u[1] + ny * a.u[2] < 0);
            }
            sti_contact_answer_clear(env, &a);
        }
    }
    sti_env_destroy(env);
}

// Easy one way, hard the other: a ratchet. Pulled forward it slides at a force where, pulled back, it stays.
static void a_ratchet_holds_one_way_and_slips_the_other(void** state) {
    (void)state;
    sti_env* env = open_env();
    double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, mu = 1;
    static const double vertex[] = {0.8, -0.5, 0.8, 0.5, -0.2, 0.5, -0.2, -0.5};  // holds 0.8 along +x, 0.2 along -x
    const sti_section ratchet = {.shape = STI_SECTION_POLYGON, .vertex_count = 4, .vertex = vertex};
    static const sti_contact_solver solvers[] = {STI_CONTACT_AUTO, STI_CONTACT_GS, STI_CONTACT_NEWTON, STI_CONTACT_IPM,
                                                 STI_CONTACT_LEMKE};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        for (int way = -1; way <= 1; way += 2) {
            const double q[3] = {-1, way * 0.5, 0};
            const sti_contact_problem p = {.dimension = 3,
                                           .contact_count = 1,
                                           .mu = &mu,
                                           .section = &ratchet,
                                           .W = sti_matrix_dense_view(3, 3, W),
                                           .q = q};
            sti_contact_answer a = solve(env, &p, solvers[i]);
            assert_int_equal(a.outcome, STI_SOLVED);
            assert_true(accepted(env, &p, &a));
            assert_int_equal(a.mode[0], way < 0 ? STI_MODE_STICK : STI_MODE_SLIDE);
            assert_near(a.u[1], way < 0 ? 0 : 0.3, 1e-7);
            assert_near(a.margin[0], 0.3, 1e-7);
            sti_contact_answer_clear(env, &a);
        }
    }
    sti_env_destroy(env);
}

// ---- random problems

static void count_solved(const sti_section_shape* shapes, int kinds, const sti_contact_solver* solvers,
                         int solver_count, int cases, double least) {
    sti_env* env = open_env();
    for (int i = 0; i < solver_count; i++) {
        sti_rng rng = {.state = 11};
        int solved = 0, wrong = 0;
        for (int k = 0; k < cases; k++) {
            made m;
            make(&rng, sti_rng_int(&rng, 1, MOST), shapes, kinds, &m);
            sti_contact_answer a = solve(env, &m.p, solvers[i]);
            solved += a.outcome == STI_SOLVED || a.outcome == STI_NO_SOLUTION;
            wrong += (a.outcome == STI_SOLVED || a.outcome == STI_NO_SOLUTION) && !accepted(env, &m.p, &a);
            sti_contact_answer_clear(env, &a);
        }
        print_message("%s: %d of %d settled, %d rejected\n", sti_contact_solver_text(solvers[i]), solved, cases, wrong);
        assert_int_equal(wrong, 0);
        assert_true(solved >= least * cases);
    }
    sti_env_destroy(env);
}

static const sti_contact_solver all[] = {STI_CONTACT_AUTO, STI_CONTACT_GS, STI_CONTACT_NEWTON, STI_CONTACT_IPM,
                                         STI_CONTACT_LEMKE};

static void random_ellipses_are_solved_and_accepted(void** state) {
    (void)state;
    static const sti_section_shape shapes[] = {STI_SECTION_ELLIPSE, STI_SECTION_DISC};
    count_solved(shapes, 2, all, 1, 200, 0.9);
    count_solved(shapes, 2, all + 1, 4, 30, 0.6);
}

static void random_polygons_are_solved_and_accepted(void** state) {
    (void)state;
    static const sti_section_shape shapes[] = {STI_SECTION_POLYGON};
    count_solved(shapes, 1, all, 1, 200, 0.9);
    count_solved(shapes, 1, all + 1, 4, 30, 0.5);
}

static void random_mixtures_are_solved_and_accepted(void** state) {
    (void)state;
    static const sti_section_shape shapes[] = {STI_SECTION_POLYGON, STI_SECTION_ELLIPSE, STI_SECTION_DISC,
                                               STI_SECTION_SUPPORT};
    count_solved(shapes, 4, all, 1, 80, 0.9);
    count_solved(shapes, 4, all + 1, 4, 30, 0.5);
}

// One contact on a polygon against a search through all pieces of its law by other code: the LCP of S3 (1.1.6),
// enumerated.
static void one_contact_on_a_polygon_is_a_solution_of_its_enumerated_lcp(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const sti_section_shape shapes[] = {STI_SECTION_POLYGON};
    sti_rng rng = {.state = 5};
    for (int k = 0; k < 300; k++) {
        made m;
        make(&rng, 1, shapes, 1, &m);
        const int v = m.section[0].vertex_count, N = v + 2;
        double E[3][16] = {{1}}, M[16 * 16] = {0}, b[16] = {0};
        for (int j = 0; j < v; j++) E[1][1 + j] = m.vertex[0][2 * j], E[2][1 + j] = m.vertex[0][2 * j + 1];
        for (int i = 0; i < N; i++) {
            for (int x = 0; x < 3; x++) b[i] += E[x][i] * m.q[x];
            for (int j = 0; j < N; j++) {
                for (int x = 0; x < 9; x++) M[i * N + j] += E[x / 3][i] * m.W[x] * E[x % 3][j];
            }
        }
        for (int j = 1; j <= v; j++) M[j * N + N - 1] = 1, M[(N - 1) * N + j] = -1;
        M[(N - 1) * N] = m.mu[0];
        const sti_lcp lcp = {.n = N, .M = sti_matrix_dense_view(N, N, M), .q = b};
        sti_lcp_options o = sti_lcp_options_default();
        o.solver = STI_LCP_LEMKE;
        sti_lcp_answer z;
        assert_int_equal(sti_lcp_solve(env, &lcp, &o, &z), STI_OK);
        sti_contact_answer a = solve(env, &m.p, STI_CONTACT_GS);
        assert_int_equal(a.outcome, STI_SOLVED);
        assert_int_equal(z.outcome, STI_SOLVED);
        sti_contact_answer other = a;  // the point of the LCP by our judge
        double r[3] = {0}, u[3];
        for (int x = 0; x < 3; x++) {
            for (int j = 0; j < N; j++) r[x] += E[x][j] * z.z[j];
        }
        other.r = r;
        other.u = u;
        assert_int_equal(sti_contact_residual(env, &m.p, &other), STI_OK);
        assert_true(other.residual <= 1e-9);
        sti_contact_answer_clear(env, &a);
        sti_lcp_answer_clear(env, &z);
    }
    sti_env_destroy(env);
}

// A round ellipse is the disc, and a support function of the disc is, too.
static void a_round_ellipse_and_a_round_support_give_the_disc(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const sti_section_shape shapes[] = {STI_SECTION_DISC};
    sti_rng rng = {.state = 3};
    for (int k = 0; k < 100; k++) {
        made m;
        make(&rng, 2, shapes, 1, &m);
        sti_contact_problem disc = m.p;
        disc.section = NULL;
        sti_contact_answer a = solve(env, &disc, STI_CONTACT_AUTO);
        m.section[0] = (sti_section){.shape = STI_SECTION_ELLIPSE, .axes = {1, 1}, .angle = 0.7};
        sti_contact_answer b = a;
        assert_int_equal(sti_contact_residual(env, &m.p, &b), STI_OK);
        if (a.outcome == STI_SOLVED) assert_true(b.residual <= 4e-8);
        sti_contact_answer_clear(env, &a);
    }
    sti_env_destroy(env);
}

// ---- sections themselves

static void projection_gauge_and_support_agree(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const sti_section_shape shapes[] = {STI_SECTION_POLYGON, STI_SECTION_ELLIPSE, STI_SECTION_DISC,
                                               STI_SECTION_SUPPORT};
    sti_rng rng = {.state = 17};
    for (int k = 0; k < 1000; k++) {
        made m;
        make(&rng, 1, shapes, 4, &m);
        const sti_section* s = &m.section[0];
        assert_int_equal(sti_section_check(env, s), STI_OK);
        const double z[2] = {4 * symmetric(&rng), 4 * symmetric(&rng)};
        double p[2], x[2];
        const double far = sti_section_project(s, z, p, NULL), t = sti_section_gauge(s, z);
        assert_true((far <= 0) == (t <= 1));
        if (far > 0) {
            const double n[2] = {(z[0] - p[0]) / far, (z[1] - p[1]) / far};
            assert_near(hypot(z[0] - p[0], z[1] - p[1]), far, 1e-9);
            assert_near(sti_section_support(s, n, x), n[0] * p[0] + n[1] * p[1], 1e-9);
            assert_near(sti_section_gauge(s, p), 1, 1e-8);
        }
        const double edge[2] = {z[0] / t, z[1] / t};
        assert_near(sti_section_project(s, edge, p, NULL), 0, 1e-9);
    }
    sti_env_destroy(env);
}

static void what_is_no_section_is_refused_by_name(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double clockwise[] = {1, 0, 0, -1, -1, 0}, beside[] = {1, 1, 2, 1, 1, 2},
                        bent[] = {1, 0, 0.1, 0.1, 0, 1, -1, -1};
    const sti_section bad[] = {{.shape = STI_SECTION_ELLIPSE, .axes = {1, 0}},
                               {.shape = STI_SECTION_ELLIPSE, .axes = {1, NAN}},
                               {.shape = STI_SECTION_POLYGON, .vertex_count = 2, .vertex = beside},
                               {.shape = STI_SECTION_POLYGON, .vertex_count = 3, .vertex = clockwise},
                               {.shape = STI_SECTION_POLYGON, .vertex_count = 3, .vertex = beside},
                               {.shape = STI_SECTION_POLYGON, .vertex_count = 4, .vertex = bent},
                               {.shape = STI_SECTION_SUPPORT},
                               {.shape = (sti_section_shape)9}};
    double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, mu = 1, q[3] = {-1, 0, 0};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const sti_contact_problem p = {.dimension = 3,
                                       .contact_count = 1,
                                       .mu = &mu,
                                       .section = &bad[k],
                                       .W = sti_matrix_dense_view(3, 3, W),
                                       .q = q};
        sti_contact_answer a;
        assert_int_equal(sti_contact_solve(env, &p, NULL, &a), STI_ERR_ARGUMENT);
    }
    const sti_section good = {
        .shape = STI_SECTION_POLYGON, .vertex_count = 3, .vertex = (double[]){1, 0, -1, 1, -1, -1}};
    const sti_contact_problem p = {
        .dimension = 3, .contact_count = 1, .mu = &mu, .section = &good, .W = sti_matrix_dense_view(3, 3, W), .q = q};
    sti_contact_options o = sti_contact_options_default();
    sti_contact_answer a;
    o.solver = STI_CONTACT_BB;
    assert_int_equal(sti_contact_solve(env, &p, &o, &a), STI_ERR_ARGUMENT);
    o.solver = STI_CONTACT_AUTO;
    o.minimum_norm = true;
    assert_int_equal(sti_contact_solve(env, &p, &o, &a), STI_ERR_ARGUMENT);
    sti_env_destroy(env);
}

static void every_allocation_with_sections_may_fail(void** state) {
    (void)state;
    static const sti_section_shape shapes[][2] = {{STI_SECTION_ELLIPSE, STI_SECTION_DISC},
                                                  {STI_SECTION_POLYGON, STI_SECTION_SUPPORT}};
    for (int kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i < (kind == 0 ? 1 : sizeof all / sizeof *all); i++) {
            sti_rng rng = {.state = 8};
            made m;
            make(&rng, 2, shapes[kind], 2, &m);
            sti_contact_options o = sti_contact_options_default();
            o.solver = all[i];
            for (long k = 0;; k++) {
                failing_env f;
                failing_env_open(&f, k);
                sti_contact_answer a;
                sti_contact_existence x;
                sti_status status = sti_section_check(f.env, &m.section[0]);
                if (status == STI_OK) status = sti_contact_solve(f.env, &m.p, &o, &a);
                if (status == STI_OK) {
                    status = sti_contact_existence_analyze(f.env, &m.p, 0, &x);
                    if (status == STI_OK) sti_contact_existence_clear(f.env, &x);
                    sti_contact_answer_clear(f.env, &a);
                }
                if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
                if (failing_env_close(&f)) break;
            }
        }
    }
}

// z - p is normal to the border at p, and p lies on it
static void points_beside_an_ellipse_as_thin_as_a_needle_find_the_nearest_one(void** state) {
    sti_rng rng = {11};
    (void)state;
    for (int trial = 0; trial < 20000; trial++) {
        sti_section s = {.shape = STI_SECTION_ELLIPSE, .angle = between(&rng, -4, 4)};
        s.axes[0] = pow(10, between(&rng, -1.5, 1.5));
        s.axes[1] = pow(10, between(&rng, -1.5, 1.5));
        const double at = between(&rng, 0, 7), out = 1 + pow(10, between(&rng, -9, 2)), c = cos(s.angle),
                     d = sin(s.angle);
        const double x = out * s.axes[0] * cos(at), y = out * s.axes[1] * sin(at),
                     z[2] = {c * x - d * y, d * x + c * y};
        double p[2], D[4];
        const double far = sti_section_project(&s, z, p, D);
        assert_true(far > 0 && fabs(sti_section_gauge(&s, p) - 1) < 1e-11);
        const double px = (c * p[0] + d * p[1]) / s.axes[0], py = (c * p[1] - d * p[0]) / s.axes[1];
        const double size = hypot(px / s.axes[0], py / s.axes[1]);
        const double nx = px / s.axes[0] / size, ny = py / s.axes[1] / size;
        const double N[2] = {c * nx - d * ny, d * nx + c * ny};
        assert_true(fabs(p[0] + far * N[0] - z[0]) + fabs(p[1] + far * N[1] - z[1]) < 1e-9 * hypot(z[0], z[1]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_beside_an_ellipse_as_thin_as_a_needle_find_the_nearest_one),
        cmocka_unit_test(a_block_on_a_grained_plane_sticks_and_slides_as_the_ellipse_says),
        cmocka_unit_test(a_ratchet_holds_one_way_and_slips_the_other),
        cmocka_unit_test(random_ellipses_are_solved_and_accepted),
        cmocka_unit_test(random_polygons_are_solved_and_accepted),
        cmocka_unit_test(random_mixtures_are_solved_and_accepted),
        cmocka_unit_test(one_contact_on_a_polygon_is_a_solution_of_its_enumerated_lcp),
        cmocka_unit_test(a_round_ellipse_and_a_round_support_give_the_disc),
        cmocka_unit_test(projection_gauge_and_support_agree),
        cmocka_unit_test(what_is_no_section_is_refused_by_name),
        cmocka_unit_test(every_allocation_with_sections_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
