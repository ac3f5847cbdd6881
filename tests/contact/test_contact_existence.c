// test_contact_existence.c: whether a contact problem can have a solution: wedges, squeezes and joints whose answer is
// known by hand; every witness and every dual vector is recomputed here.
#include <math.h>
#include <stdio.h>
#include <stiction/cone.h>
#include <stiction/contact.h>
#include <string.h>

#include "base/rng.h"
#include "contact/problem_tools.h"
#include "support/failing_env.h"
#include "support/open_env.h"

// --- checks from the data ------------------------------------------------------------------------------------------

// Coefficient of x_j in row i of (u; bilateral rows).
static double moves(const sti_contact_problem* p, int i, int j) {
    const int n = p->dimension * p->contact_count;
    if (p->global) return i < n ? entry(&p->H, j, i) : entry(&p->G, j, i - n);
    if (i < n) return j < n ? entry(&p->W, i, j) : entry(&p->V, i, j - n);
    return j < n ? entry(&p->V, j, i - n) : entry(&p->R, i - n, j - n);
}

static double slip(int d, const double* u) {
    return d == 2 ? fabs(u[1]) : hypot(u[1], u[2]);
}

// The motion of a test that holds: is u in K* (mu = 0 without friction), data (w, b) counted or not?
static void assert_witness(const sti_contact_problem* p, const sti_contact_existence* x, const sti_contact_test* t,
                           bool data, bool friction) {
    const int d = p->dimension, n = d * p->contact_count, nb = p->bilateral_count;
    const double *w = p->global ? p->w : p->q, *b = p->global ? p->b : p->s;
    double u[64], size = 1e-300;
    assert_true(n + nb <= 64);
    for (int i = 0; i < n + nb; i++) {
        u[i] = !data ? 0 : i < n ? w[i] : b[i - n];
        double sum = fabs(u[i]);
        for (int j = 0; j < x->motion_count; j++) {
            u[i] += moves(p, i, j) * t->motion[j];
            sum += fabs(moves(p, i, j) * t->motion[j]);
        }
        size = fmax(size, sum);
    }
    for (int c = 0; c < p->contact_count; c++) {
        const double least = u[d * c] - (friction ? p->mu[c] * slip(d, u + d * c) : 0);
        assert_true(least >= -1e-9 * size);
    }
    for (int k = n; k < n + nb; k++) assert_true(fabs(u[k]) <= 1e-8 * size);
}

// The forces of a test that fails: in K, moving nothing. Returns r'w + lambda'b over the sum of sizes.
static double assert_dual(const sti_contact_problem* p, const sti_contact_existence* x, const sti_contact_test* t,
                          bool friction) {
    const int d = p->dimension, n = d * p->contact_count, nb = p->bilateral_count;
    const double *w = p->global ? p->w : p->q, *b = p->global ? p->b : p->s;
    double work = 0, size = 1e-300, largest = 0, force = 0;
    for (int c = 0; c < p->contact_count; c++) {
        const double* r = t->r + (size_t)d * (size_t)c;
        assert_true(r[0] >= 0);
        assert_true(slip(d, r) <= (friction ? p->mu[c] : 0) * r[0] * (1 + 1e-12));
    }
    for (int i = 0; i < n + nb; i++) {
        force = fmax(force, fabs(i < n ? t->r[i] : t->lambda[i - n]));
        for (int j = 0; j < x->motion_count; j++) largest = fmax(largest, fabs(moves(p, i, j)));
    }
    assert_true(force > 0);
    for (int j = 0; j < x->motion_count; j++) {
        double sum = 0;
        for (int i = 0; i < n + nb; i++) sum += moves(p, i, j) * (i < n ? t->r[i] : t->lambda[i - n]);
        assert_true(fabs(sum) <= 1e-8 * largest * force);
    }
    for (int i = 0; i < n + nb; i++) {
        const double term = i < n ? w[i] * t->r[i] : b[i - n] * t->lambda[i - n];
        work += term;
        size += fabs(term);
    }
    return work / size;
}

static void expect(sti_env* env, const sti_contact_problem* p, sti_contact_finding pointed, sti_contact_finding strict,
                   sti_contact_finding feasible, const char* name, sti_contact_existence* x) {
    assert_int_equal(sti_contact_existence_analyze(env, p, 0, x), STI_OK);
    if (x->pointed.finding != pointed || x->strict.finding != strict || x->feasible.finding != feasible)
        fail_msg("%s: pointed %s (margin %g, defect %g), strict %s (%g, %g), feasible %s (%g, %g)", name,
                 sti_contact_finding_text(x->pointed.finding), x->pointed.margin, x->pointed.defect,
                 sti_contact_finding_text(x->strict.finding), x->strict.margin, x->strict.defect,
                 sti_contact_finding_text(x->feasible.finding), x->feasible.margin, x->feasible.defect);
    if (pointed == STI_FINDING_HOLDS) assert_witness(p, x, &x->pointed, false, true);
    if (strict == STI_FINDING_HOLDS) assert_witness(p, x, &x->strict, true, true);
    if (feasible == STI_FINDING_HOLDS) assert_witness(p, x, &x->feasible, true, false);
    if (pointed == STI_FINDING_FAILS) assert_dual(p, x, &x->pointed, true);
    if (strict == STI_FINDING_FAILS) assert_true(assert_dual(p, x, &x->strict, true) <= 1e-6);
    if (feasible == STI_FINDING_FAILS) assert_true(assert_dual(p, x, &x->feasible, false) < 0);
}

// --- a particle between two walls ----------------------------------------------------------------------------------

// Normals at the angle phi to the left and right of the vertical, mass m: 0 is the ground twice, pi/2 two facing walls.
// w is the velocity with which each wall leaves.
typedef struct wedge {
    double M[4], H[8], f[2], w[4], mu[2], W[16], q[4];
    sti_contact_problem global, local;
} wedge;

static void make_wedge(wedge* k, double phi, double mu, double mass, double leave) {
    *k = (wedge){.M = {mass, 0, 0, mass}, .f = {0.1 * mass, -mass}, .mu = {mu, mu}, .w = {leave, 0, leave, 0}};
    const double s = sin(phi), c = fabs(phi - M_PI / 2) < 1e-12 ? 0 : cos(phi);
    // columns: normal and tangent of each wall
    const double H[8] = {s, c, -s, c, c, -s, c, s};
    memcpy(k->H, H, sizeof H);
    for (int i = 0; i < 4; i++) {
        k->q[i] = k->w[i];
        for (int a = 0; a < 2; a++) {
            k->q[i] += H[4 * a + i] * k->f[a] / mass;
            for (int j = 0; j < 4; j++) k->W[4 * i + j] += H[4 * a + i] * H[4 * a + j] / mass;
        }
    }
    k->global = (sti_contact_problem){.dimension = 2,
                                      .contact_count = 2,
                                      .mu = k->mu,
                                      .global = true,
                                      .velocity_count = 2,
                                      .M = sti_matrix_dense_view(2, 2, k->M),
                                      .H = sti_matrix_dense_view(2, 4, k->H),
                                      .f = k->f,
                                      .w = k->w};
    k->local = (sti_contact_problem){
        .dimension = 2, .contact_count = 2, .mu = k->mu, .W = sti_matrix_dense_view(4, 4, k->W), .q = k->q};
}

// The cones hold opposite forces when 2 atan mu >= pi - 2 phi, mu tan(phi) >= 1.
static void a_wedge_is_pointed_below_its_angle(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double masses[] = {1, 1e-6, 1e6}, leaves[] = {-1, 0, 1e-6, 3e5};
    for (int way = 0; way < 24; way++) {
        for (double phi = 0.3; phi < 1.5; phi += 0.2) {
            const bool pointed = way % 2 == 0;
            wedge k;
            const double leave = leaves[way / 2 % 4], mass = masses[way / 8];
            make_wedge(&k, phi, (pointed ? 0.999 : 1.001) / tan(phi), mass, leave);
            for (int form = 0; form < 2; form++) {
                sti_contact_existence x;
                const sti_contact_finding strict = pointed || leave > 0 ? STI_FINDING_HOLDS : STI_FINDING_FAILS;
                expect(env, form == 0 ? &k.local : &k.global, pointed ? STI_FINDING_HOLDS : STI_FINDING_FAILS, strict,
                       STI_FINDING_HOLDS, "wedge", &x);
                assert_true(x.definite);
                assert_int_equal(x.exists, strict == STI_FINDING_HOLDS);
                assert_int_equal(x.kernel_dimension, 2);
                assert_int_equal(x.negative_count, 0);
                assert_int_equal(x.still_count, 0);
                assert_true(fabs(x.block_ratio - 1) <= 1e-12);
                sti_contact_existence_clear(env, &x);
            }
        }
    }
    sti_env_destroy(env);
}

static void facing_walls_that_close_leave_no_motion(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double leaves[] = {-1, 0, 1, -1e-6, -1e6};
    for (int way = 0; way < 10; way++) {
        const double leave = leaves[way / 2];
        wedge k;
        make_wedge(&k, M_PI / 2, way % 2 == 0 ? 0.3 : 0, 2, leave);
        for (int form = 0; form < 2; form++) {
            sti_contact_existence x;
            expect(env, form == 0 ? &k.local : &k.global, STI_FINDING_FAILS,
                   leave > 0 ? STI_FINDING_HOLDS : STI_FINDING_FAILS, leave < 0 ? STI_FINDING_FAILS : STI_FINDING_HOLDS,
                   "facing walls", &x);
            // the dual vector is the pair of opposite forces, exactly
            if (leave < 0) assert_true(x.feasible.r[0] == x.feasible.r[2] && x.feasible.r[0] > 0);
            sti_contact_existence_clear(env, &x);
        }
    }
    sti_env_destroy(env);
}

// --- joints --------------------------------------------------------------------------------------------------------

// A particle over the ground on a rail, x' = -b_0, in two copies that may contradict each other.
static void joints_may_hold_a_particle_off_or_contradict(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int way = 0; way < 3; way++) {
        double M[4] = {1, 0, 0, 1}, H[4] = {0, 1, 1, 0}, G[4] = {0}, f[2] = {0, -1}, w[2] = {0}, b[2] = {0},
               mu[1] = {0.5};
        // way 0: the rail goes sideways; 1: it goes down into the ground; 2: two rails sideways, not equally fast
        if (way == 0) G[0] = 1, G[1] = 1, b[0] = b[1] = -1;
        if (way == 1) G[2] = 1, G[3] = 1, b[0] = b[1] = 1;
        if (way == 2) G[0] = 1, G[1] = 1, b[0] = -1, b[1] = -2;
        const sti_contact_problem p = {.dimension = 2,
                                       .contact_count = 1,
                                       .mu = mu,
                                       .global = true,
                                       .bilateral_count = 2,
                                       .velocity_count = 2,
                                       .M = sti_matrix_dense_view(2, 2, M),
                                       .H = sti_matrix_dense_view(2, 2, H),
                                       .G = sti_matrix_dense_view(2, 2, G),
                                       .f = f,
                                       .w = w,
                                       .b = b};
        sti_contact_existence x;
        expect(env, &p, way == 1 ? STI_FINDING_FAILS : STI_FINDING_HOLDS,
               way == 0 ? STI_FINDING_HOLDS : STI_FINDING_FAILS, way == 0 ? STI_FINDING_HOLDS : STI_FINDING_FAILS,
               "rails", &x);
        sti_contact_existence_clear(env, &x);
    }
    sti_env_destroy(env);
}

// --- the plane: exact answers from polyhedral cones ----------------------------------------------------------------

enum { MOST = 4 };

// Integer data, mu in halves: the edges (1, +-mu) of the cones are rays, and both tests ask whether rays, with the
// columns of G as lines, can add up to zero. data: with (w, b) as one more coordinate and the ray (0, 1).
typedef struct planar {
    double M[MOST * MOST], H[MOST * 2 * MOST], G[MOST * 2], f[MOST], w[2 * MOST], b[2], mu[MOST];
    sti_contact_problem p;
} planar;

static void make_planar(planar* k, int nc, int nv, int nb, sti_rng* rng) {
    *k = (planar){0};
    for (int i = 0; i < nv; i++) k->M[i * nv + i] = 1 + i;
    for (int i = 0; i < nv * 2 * nc; i++) k->H[i] = sti_rng_int(rng, -2, 2);
    for (int i = 0; i < nv * nb; i++) k->G[i] = sti_rng_int(rng, -1, 1);
    for (int i = 0; i < 2 * nc; i++) k->w[i] = sti_rng_int(rng, -2, 2);
    for (int i = 0; i < nb; i++) k->b[i] = sti_rng_int(rng, -1, 1);
    for (int c = 0; c < nc; c++) k->mu[c] = 0.5 * sti_rng_int(rng, 0, 3);
    k->p = (sti_contact_problem){.dimension = 2,
                                 .contact_count = nc,
                                 .mu = k->mu,
                                 .global = true,
                                 .bilateral_count = nb,
                                 .velocity_count = nv,
                                 .M = sti_matrix_dense_view(nv, nv, k->M),
                                 .H = sti_matrix_dense_view(nv, 2 * nc, k->H),
                                 .G = sti_matrix_dense_view(nv, nb, k->G),
                                 .f = k->f,
                                 .w = k->w,
                                 .b = k->b};
}

static sti_rationals* exact_of(sti_env* env, const double* x, int count) {
    sti_rationals* r;
    assert_int_equal(sti_rationals_create(env, (size_t)count, &r), STI_OK);
    for (int i = 0; i < count; i++) assert_int_equal(sti_rationals_set_double(r, (size_t)i, x[i]), STI_OK);
    return r;
}

static bool exactly_pointed(sti_env* env, const planar* k, bool data) {
    const int nv = k->p.velocity_count, nb = k->p.bilateral_count, dim = nv + data;
    double ray[(2 * MOST + 1) * (MOST + 1)] = {0}, line[2 * (MOST + 1)] = {0};
    int rays = 0;
    for (int c = 0; c < k->p.contact_count; c++) {
        for (int side = -1; side <= 1; side += 2) {
            double* x = ray + (size_t)(rays++ * dim);
            for (int i = 0; i < dim; i++) {
                const double* row = i < nv ? k->H + (size_t)(i * 2 * k->p.contact_count) : k->w;
                x[i] = row[2 * c] + side * k->mu[c] * row[2 * c + 1];
            }
        }
    }
    if (data) ray[rays++ * dim + nv] = 1;
    int lines = 0;
    for (int j = 0; j < nb; j++) {
        double size = 0;
        for (int i = 0; i < dim; i++) {
            line[lines * dim + i] = i < nv ? k->G[i * nb + j] : k->b[j];
            size += fabs(line[lines * dim + i]);
        }
        bool parallel = lines == 1;
        for (int a = 0; lines == 1 && a < dim * dim; a++)
            parallel = parallel && line[a / dim] * line[dim + a % dim] == line[a % dim] * line[dim + a / dim];
        lines += size > 0 && !parallel;  // lines that depend on each other have a meaning of their own there
    }
    sti_rationals *ray_exact = exact_of(env, ray, rays * dim), *line_exact = exact_of(env, line, lines * dim);
    const sti_rows given = {.count = rays, .dimension = dim, .value = ray, .exact = ray_exact};
    const sti_rows free_rows = {.count = lines, .dimension = dim, .value = line, .exact = line_exact};
    sti_pointedness out;
    assert_int_equal(sti_rows_pointedness(env, dim, &given, lines > 0 ? &free_rows : NULL, NULL, &out), STI_OK);
    const bool pointed = out.pointed;
    sti_pointedness_clear(env, &out);
    sti_rationals_destroy(ray_exact);
    sti_rationals_destroy(line_exact);
    return pointed;
}

static void planar_problems_agree_with_exact_cones(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 23};
    int count[2][2] = {{0}};
    for (int trial = 0; trial < 600; trial++) {
        planar k;
        make_planar(&k, 1 + trial % MOST, 1 + trial / 4 % MOST, trial % 3, &rng);
        sti_contact_existence x;
        const bool pointed = exactly_pointed(env, &k, false), strict = exactly_pointed(env, &k, true);
        assert_int_equal(sti_contact_existence_analyze(env, &k.p, 0, &x), STI_OK);
        if (x.pointed.finding != (pointed ? STI_FINDING_HOLDS : STI_FINDING_FAILS) ||
            x.strict.finding != (strict ? STI_FINDING_HOLDS : STI_FINDING_FAILS))
            fail_msg("trial %d: pointed %d, found %s; strict %d, found %s", trial, pointed,
                     sti_contact_finding_text(x.pointed.finding), strict, sti_contact_finding_text(x.strict.finding));
        assert_true(x.feasible.finding == STI_FINDING_HOLDS || x.feasible.finding == STI_FINDING_FAILS);
        if (strict) assert_int_equal(x.feasible.finding, STI_FINDING_HOLDS);
        if (x.feasible.finding == STI_FINDING_FAILS) assert_true(assert_dual(&k.p, &x, &x.feasible, false) < 0);
        if (x.feasible.finding == STI_FINDING_HOLDS) assert_witness(&k.p, &x, &x.feasible, true, false);
        assert_true(x.definite);
        count[pointed][strict]++;
        sti_contact_existence_clear(env, &x);
    }
    // each combination that can occur did: pointed and not strict needs rails that contradict
    assert_true(count[0][0] > 20 && count[0][1] > 20 && count[1][1] > 20 && count[1][0] > 0);
    sti_env_destroy(env);
}

// --- promises ------------------------------------------------------------------------------------------------------

// Random problems in the plane and in space, whole numbers or not, with joints that may be redundant or contradict; the
// local form is that of the global one.
typedef struct mixture {
    double M[36], H[72], G[12], f[6], w[12], b[2], mu[4], W[144], V[24], R[4], q[12], s[2];
    sti_contact_problem global, local;
} mixture;

static void draw(double* x, int n, int most, bool whole, sti_rng* rng) {
    for (int i = 0; i < n; i++) x[i] = whole ? sti_rng_int(rng, -most, most) : most * (2 * sti_rng_u01(rng) - 1);
}

static void make_mixture(mixture* k, int d, bool whole, sti_rng* rng) {
    *k = (mixture){0};
    const int nc = sti_rng_int(rng, 1, 4), nv = sti_rng_int(rng, 1, 6), nb = sti_rng_int(rng, 0, 2), n = d * nc;
    for (int i = 0; i < nv; i++) k->M[i * nv + i] = 1 + i;
    draw(k->H, nv * n, 2, whole, rng);
    draw(k->G, nv * nb, 1, whole, rng);
    draw(k->f, nv, 3, true, rng);
    draw(k->w, n, 2, true, rng);
    draw(k->b, nb, 1, true, rng);
    for (int c = 0; c < nc; c++) k->mu[c] = 0.4 * sti_rng_int(rng, 0, 3);
    memcpy(k->q, k->w, sizeof k->w);
    memcpy(k->s, k->b, sizeof k->b);
    for (int v = 0; v < nv; v++) {
        const double *H = k->H + (size_t)(v * n), *G = k->G + (size_t)(v * nb), m = k->M[v * nv + v];
        for (int i = 0; i < n; i++) {
            k->q[i] += H[i] * k->f[v] / m;
            for (int j = 0; j < n; j++) k->W[i * n + j] += H[i] * H[j] / m;
            for (int j = 0; j < nb; j++) k->V[i * nb + j] += H[i] * G[j] / m;
        }
        for (int i = 0; i < nb; i++) {
            k->s[i] += G[i] * k->f[v] / m;
            for (int j = 0; j < nb; j++) k->R[i * nb + j] += G[i] * G[j] / m;
        }
    }
    k->global = (sti_contact_problem){.dimension = d,
                                      .contact_count = nc,
                                      .mu = k->mu,
                                      .global = true,
                                      .bilateral_count = nb,
                                      .velocity_count = nv,
                                      .M = sti_matrix_dense_view(nv, nv, k->M),
                                      .H = sti_matrix_dense_view(nv, n, k->H),
                                      .G = sti_matrix_dense_view(nv, nb, k->G),
                                      .f = k->f,
                                      .w = k->w,
                                      .b = k->b};
    k->local = (sti_contact_problem){.dimension = d,
                                     .contact_count = nc,
                                     .mu = k->mu,
                                     .bilateral_count = nb,
                                     .W = sti_matrix_dense_view(n, n, k->W),
                                     .q = k->q,
                                     .V = sti_matrix_dense_view(n, nb, k->V),
                                     .R = sti_matrix_dense_view(nb, nb, k->R),
                                     .s = k->s};
}

// What the tests promise is kept by the solver: a solution where one must exist, a proof where there is none; and what
// the solver claims, also against forces that run away, is what the verifier accepts.
static void promises_are_kept(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 29};
    int solved = 0, refuted = 0;
    for (int trial = 0; trial < 800; trial++) {
        mixture k;
        make_mixture(&k, 2 + trial % 2, trial / 2 % 2 == 0, &rng);
        const sti_contact_problem* p = trial / 4 % 2 == 0 ? &k.global : &k.local;
        sti_contact_options options = sti_contact_options_default();
        options.minimum_norm = trial % 3 == 0;
        sti_contact_existence x;
        sti_contact_answer a;
        sti_contact_verification v;
        assert_int_equal(sti_contact_existence_analyze(env, p, 0, &x), STI_OK);
        assert_int_equal(sti_contact_solve(env, p, &options, &a), STI_OK);
        assert_int_equal(sti_verify_contact(env, p, &a, 1.000001e-8, &v), STI_OK);
        const bool claims = a.outcome == STI_SOLVED || a.outcome == STI_NO_SOLUTION;
        const bool none = x.feasible.finding == STI_FINDING_FAILS;
        if (none != (a.outcome == STI_NO_SOLUTION) || (x.exists && a.outcome != STI_SOLVED) || claims != v.accepted)
            fail_msg("trial %d: %s, %s; %s", trial, sti_outcome_text(a.outcome), a.reason, v.text);
        solved += x.exists;
        refuted += none;
        sti_contact_answer_clear(env, &a);
        sti_contact_existence_clear(env, &x);
    }
    assert_true(solved > 100 && refuted > 100);
    sti_env_destroy(env);
}

// --- the edges -----------------------------------------------------------------------------------------------------

static void matrices_are_described(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_contact_existence x;
    wedge k;
    make_wedge(&k, 0.5, 0.3, 2, 0);
    k.M[0] = 2e9;
    assert_int_equal(sti_contact_existence_analyze(env, &k.global, 0, &x), STI_OK);
    assert_true(x.definite && fabs(x.mass_ratio - 1e9) <= 1);
    sti_contact_existence_clear(env, &x);
    k.M[0] = 0;  // a massless direction: a strict motion proves nothing
    assert_int_equal(sti_contact_existence_analyze(env, &k.global, 0, &x), STI_OK);
    assert_false(x.definite || x.exists);
    assert_int_equal(x.strict.finding, STI_FINDING_HOLDS);
    sti_contact_existence_clear(env, &x);
    make_wedge(&k, 0.5, 0.3, 2, 0);
    k.W[1] += 0.1;  // not symmetric
    assert_int_equal(sti_contact_existence_analyze(env, &k.local, 0, &x), STI_OK);
    assert_false(x.definite || x.exists);
    sti_contact_existence_clear(env, &x);
    make_wedge(&k, 0.5, 0.3, 2, 0);
    for (int i = 0; i < 4; i++) k.W[i] = k.W[4 * i] = 0;  // the first normal moves nothing
    for (int i = 0; i < 4; i++) k.W[4 + i] = k.W[4 * i + 1] = 0;
    k.W[5] = -1;
    assert_int_equal(sti_contact_existence_analyze(env, &k.local, 0, &x), STI_OK);
    assert_int_equal(x.negative_count, 1);
    assert_int_equal(x.still_count, 1);
    sti_contact_existence_clear(env, &x);
    sti_env_destroy(env);
}

static void what_is_too_large_or_unknown_is_not_tested(void** state) {
    (void)state;
    enum { MANY = 10001 };
    sti_env* env = open_env();
    const double q[2] = {-1, 0}, mu[1] = {0.5}, diagonal[4] = {1, 0, 0, 1};
    const sti_contact_operator op = {.apply = stay, .diagonal = diagonal};
    const sti_contact_problem by_operator = {.dimension = 2, .contact_count = 1, .mu = mu, .W_op = &op, .q = q};
    sti_contact_existence x;
    assert_int_equal(sti_contact_existence_analyze(env, &by_operator, 0, &x), STI_OK);
    assert_int_equal(x.pointed.finding, STI_FINDING_NOT_TESTED);
    assert_true(x.kernel_dimension == -1 && isnan(x.pointed.margin) && !x.exists);
    sti_contact_existence_clear(env, &x);
    double *value = malloc(2 * MANY * sizeof *value), *zero = calloc(2 * MANY, sizeof *zero);
    int* row = malloc(2 * MANY * sizeof *row);
    int64_t* start = malloc((2 * MANY + 1) * sizeof *start);
    for (int i = 0; i < 2 * MANY; i++) value[i] = 1, row[i] = i, start[i] = i;
    start[2 * MANY] = 2 * MANY;
    const sti_contact_problem large = {
        .dimension = 2,
        .contact_count = MANY,
        .mu = zero,
        .W = {.rows = 2 * MANY, .cols = 2 * MANY, .col_start = start, .row = row, .value = value},
        .q = zero};
    assert_int_equal(sti_contact_existence_analyze(env, &large, 0, &x), STI_OK);
    assert_int_equal(x.feasible.finding, STI_FINDING_NOT_TESTED);
    sti_contact_existence_clear(env, &x);
    free(value), free(zero), free(row), free(start);
    sti_env_destroy(env);
}

static void nothing_to_touch_is_solvable(void** state) {
    (void)state;
    sti_env* env = open_env();
    double M[1] = {1}, f[1] = {2}, none[1] = {0};
    const sti_contact_problem p = {.dimension = 3,
                                   .global = true,
                                   .velocity_count = 1,
                                   .M = sti_matrix_dense_view(1, 1, M),
                                   .H = sti_matrix_dense_view(1, 0, none),
                                   .f = f,
                                   .w = none};
    sti_contact_existence x;
    assert_int_equal(sti_contact_existence_analyze(env, &p, 0, &x), STI_OK);
    assert_true(x.exists);
    sti_contact_existence_clear(env, &x);
    const sti_contact_problem bad = {.dimension = 5};
    assert_int_equal(sti_contact_existence_analyze(env, &bad, 0, &x), STI_ERR_ARGUMENT);
    assert_null(x.strict.motion);
    sti_env_destroy(env);
}

static void failed_allocations_are_survived(void** state) {
    (void)state;
    sti_rng rng = {.state = 31};
    for (int trial = 0; trial < 6; trial++) {
        wedge w;
        planar k;
        make_wedge(&w, M_PI / 2, 0.3, 2, trial % 2 == 0 ? -1 : 1);
        make_planar(&k, 3, 3, 2, &rng);
        const sti_contact_problem* p = trial < 2 ? &w.local : trial < 4 ? &w.global : &k.p;
        for (int call = 0; call < 2; call++) {
            for (long at = 0;; at++) {
                failing_env f;
                failing_env_open(&f, at);
                sti_contact_existence x;
                sti_contact_answer a;
                sti_status status;
                if (call == 0) {
                    status = sti_contact_existence_analyze(f.env, p, 0, &x);
                    if (status == STI_OK) sti_contact_existence_clear(f.env, &x);
                } else {  // with the certificate
                    sti_contact_options options = sti_contact_options_default();
                    options.solver = STI_CONTACT_GS;
                    options.max_iterations = 3;
                    status = sti_contact_solve(f.env, p, &options, &a);
                    if (status == STI_OK) sti_contact_answer_clear(f.env, &a);
                }
                if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
                if (failing_env_close(&f)) {
                    assert_int_equal(status, STI_OK);
                    break;
                }
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wedge_is_pointed_below_its_angle),
        cmocka_unit_test(facing_walls_that_close_leave_no_motion),
        cmocka_unit_test(joints_may_hold_a_particle_off_or_contradict),
        cmocka_unit_test(planar_problems_agree_with_exact_cones),
        cmocka_unit_test(promises_are_kept),
        cmocka_unit_test(matrices_are_described),
        cmocka_unit_test(what_is_too_large_or_unknown_is_not_tested),
        cmocka_unit_test(nothing_to_touch_is_solvable),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
