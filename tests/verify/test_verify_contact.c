// test_verify_contact.c: answers to contact problems: true ones pass, forged ones do not, broken ones are named.
#include <math.h>
#include <stdio.h>
#include <stiction/contact.h>
#include <string.h>

#include "base/rng.h"
#include "support/failing_env.h"
#include "support/open_env.h"

// One 3D contact under a unit mass that is pushed down and sideways: u = r + q. With mu = 1/2 and q = (-2, -3, 0) it
// slides: r = (2, 1, 0), u = (0, -2, 0).
typedef struct slider {
    double W[9], q[3], mu[1], r[3];
    sti_contact_problem p;
    sti_contact_answer a;
} slider;

static void make_slider(slider* s) {
    *s = (slider){.W = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .q = {-2, -3, 0}, .mu = {0.5}, .r = {2, 1, 0}};
    s->p = (sti_contact_problem){
        .dimension = 3, .contact_count = 1, .mu = s->mu, .W = sti_matrix_dense_view(3, 3, s->W), .q = s->q};
    s->a = (sti_contact_answer){.outcome = STI_SOLVED, .dimension = 3, .contact_count = 1, .r = s->r};
}

// The same in global form, with a bilateral row that holds a fourth velocity at 5: M = I, lambda = 5 - 7.
typedef struct held {
    double M[16], H[12], G[4], f[4], w[3], b[1], mu[1], r[3], v[4], lambda[1];
    sti_contact_problem p;
    sti_contact_answer a;
} held;

static void make_held(held* s) {
    *s = (held){.f = {-2, -3, 0, 7}, .b = {-5}, .mu = {0.5}, .r = {2, 1, 0}, .v = {0, -2, 0, 5}, .lambda = {-2}};
    for (int i = 0; i < 4; i++) s->M[5 * i] = 1;
    for (int i = 0; i < 3; i++) s->H[4 * i] = 1;
    s->G[3] = 1;
    s->p = (sti_contact_problem){.dimension = 3,
                                 .contact_count = 1,
                                 .mu = s->mu,
                                 .global = true,
                                 .bilateral_count = 1,
                                 .velocity_count = 4,
                                 .M = sti_matrix_dense_view(4, 4, s->M),
                                 .H = sti_matrix_dense_view(4, 3, s->H),
                                 .G = sti_matrix_dense_view(4, 1, s->G),
                                 .f = s->f,
                                 .w = s->w,
                                 .b = s->b};
    s->a = (sti_contact_answer){.outcome = STI_SOLVED,
                                .dimension = 3,
                                .contact_count = 1,
                                .velocity_count = 4,
                                .bilateral_count = 1,
                                .r = s->r,
                                .v = s->v,
                                .lambda = s->lambda};
}

static sti_contact_verification check(sti_env* env, const sti_contact_problem* p, const sti_contact_answer* a) {
    sti_contact_verification out;
    assert_int_equal(sti_verify_contact(env, p, a, 1e-12, &out), STI_OK);
    assert_true(out.text[0] != '\0');
    return out;
}

static void assert_rejected(sti_env* env, const sti_contact_problem* p, const sti_contact_answer* a,
                            const char* words) {
    const sti_contact_verification out = check(env, p, a);
    assert_false(out.accepted);
    if (strstr(out.text, words) == NULL) fprintf(stderr, "'%s' does not say '%s'\n", out.text, words);
    assert_non_null(strstr(out.text, words));
}

static void true_answers_are_accepted(void** state) {
    (void)state;
    sti_env* env = open_env();
    slider s;
    make_slider(&s);
    sti_contact_verification out = check(env, &s.p, &s.a);
    assert_true(out.accepted);
    assert_int_equal(out.claim, STI_SOLVED);
    assert_true(out.residual <= 1e-15 && out.residual_equation == 0);
    assert_int_equal(out.worst_contact, 0);
    assert_true(out.worst_cone_violation <= 1e-15 && out.worst_penetration <= 1e-15);
    assert_true(out.worst_complementarity <= 1e-15);
    held h;
    make_held(&h);
    out = check(env, &h.p, &h.a);
    assert_true(out.accepted);
    sti_contact_problem none = {.dimension = 2};
    sti_contact_answer nothing = {.outcome = STI_SOLVED, .dimension = 2};
    out = check(env, &none, &nothing);
    assert_true(out.accepted);
    assert_int_equal(out.worst_contact, -1);
    sti_env_destroy(env);
}

static void forged_points_are_rejected_with_what_they_violate(void** state) {
    (void)state;
    sti_env* env = open_env();
    slider s;
    for (int k = 0; k < 3; k++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            make_slider(&s);
            s.r[k] += 1e-3 * sign;
            assert_rejected(env, &s.p, &s.a, "not solved");
        }
    }
    make_slider(&s);
    s.r[1] = 1.5;  // outside the cone: (2, 1.5) is 0.5 / sqrt(1.25) away from |t| <= n / 2
    sti_contact_verification out = check(env, &s.p, &s.a);
    assert_true(fabs(out.worst_cone_violation - 0.5 / sqrt(1.25)) <= 1e-15);
    make_slider(&s);
    memset(s.r, 0, sizeof s.r);
    out = check(env, &s.p, &s.a);
    assert_true(out.worst_penetration == 2 && out.worst_cone_violation == 0);
    make_slider(&s);
    s.r[1] = -1;  // friction that pushes along the sliding: in the cone, but it gains energy
    assert_rejected(env, &s.p, &s.a, "not solved");
    make_slider(&s);
    s.r[0] = 4, s.r[1] = 2;  // separates with a force: power 4 * (2 + 1/2) - 2
    out = check(env, &s.p, &s.a);
    assert_false(out.accepted);
    assert_true(fabs(out.worst_complementarity - (4 * (2 + 0.5) + 2 * -1)) <= 1e-14);
    sti_env_destroy(env);
}

static void what_the_answer_says_of_itself_is_not_believed(void** state) {
    (void)state;
    sti_env* env = open_env();
    slider s;
    make_slider(&s);
    double lie[3] = {0, 0, 0};
    s.a.u = lie;
    s.a.residual = 1;
    assert_true(check(env, &s.p, &s.a).accepted);
    s.r[0] = 3;
    s.a.residual = 0;
    assert_rejected(env, &s.p, &s.a, "not solved");
    sti_env_destroy(env);
}

static void every_equation_of_a_global_problem_counts(void** state) {
    (void)state;
    sti_env* env = open_env();
    held h;
    for (int k = 0; k < 8; k++) {
        make_held(&h);
        double* entry = k < 3 ? &h.r[k] : k < 7 ? &h.v[k - 3] : &h.lambda[0];
        *entry += 1e-6;
        assert_rejected(env, &h.p, &h.a, "not solved");
    }
    make_held(&h);
    h.v[3] = 6;  // M v = H r + G l + f holds, and the row is violated by 1, where f and b alone make 2 and l undoes 1
    h.lambda[0] = -1;
    const sti_contact_verification out = check(env, &h.p, &h.a);
    assert_true(fabs(out.residual_equation - 1 / (3 + 1e-5 * (6 + 5))) <= 1e-11);
    sti_env_destroy(env);
}

static void answers_that_do_not_fit_are_named(void** state) {
    (void)state;
    sti_env* env = open_env();
    slider s;
    held h;
    make_slider(&s);
    s.a.outcome = STI_UNKNOWN;
    assert_rejected(env, &s.p, &s.a, "claims nothing");
    s.a.outcome = STI_LIMIT;
    assert_rejected(env, &s.p, &s.a, "claims nothing");
    s.a.outcome = STI_NO_SOLUTION;
    assert_rejected(env, &s.p, &s.a, "no proof");
    s.a.outcome = (sti_outcome)77;
    assert_rejected(env, &s.p, &s.a, "no outcome 77");
    make_slider(&s);
    s.a.contact_count = 2;
    assert_rejected(env, &s.p, &s.a, "2 contacts");
    make_slider(&s);
    s.a.dimension = 2;
    assert_rejected(env, &s.p, &s.a, "dimension 2");
    make_slider(&s);
    s.a.r = NULL;
    assert_rejected(env, &s.p, &s.a, "no r");
    make_slider(&s);
    s.r[2] = NAN;
    assert_rejected(env, &s.p, &s.a, "r[2] is");
    s.r[2] = INFINITY;
    assert_rejected(env, &s.p, &s.a, "r[2] is inf");
    make_held(&h);
    h.a.v = NULL;
    assert_rejected(env, &h.p, &h.a, "must bring v");
    make_held(&h);
    h.a.velocity_count = 3;
    assert_rejected(env, &h.p, &h.a, "3 velocities");
    make_held(&h);
    h.a.lambda = NULL;
    assert_rejected(env, &h.p, &h.a, "no lambda");
    make_held(&h);
    h.a.bilateral_count = 0;
    assert_rejected(env, &h.p, &h.a, "0 bilateral rows");
    make_held(&h);
    h.v[1] = NAN;
    assert_rejected(env, &h.p, &h.a, "v[1] is");
    make_held(&h);
    h.lambda[0] = NAN;
    assert_rejected(env, &h.p, &h.a, "lambda[0] is");
    sti_env_destroy(env);
}

static void assert_ill_posed(sti_env* env, const sti_contact_problem* p, const sti_contact_answer* a,
                             const char* words) {
    sti_contact_verification out;
    assert_int_equal(sti_verify_contact(env, p, a, 1e-8, &out), STI_ERR_ARGUMENT);
    assert_false(out.accepted);
    assert_non_null(strstr(sti_env_error(env)->text, words));
}

static void ill_posed_problems_are_errors(void** state) {
    (void)state;
    sti_env* env = open_env();
    slider s;
    held h;
    sti_contact_verification out;
    make_slider(&s);
    assert_int_equal(sti_verify_contact(env, &s.p, &s.a, 1e-8, NULL), STI_ERR_ARGUMENT);
    assert_int_equal(sti_verify_contact(env, NULL, &s.a, 1e-8, &out), STI_ERR_ARGUMENT);
    assert_int_equal(sti_verify_contact(env, &s.p, NULL, 1e-8, &out), STI_ERR_ARGUMENT);
    assert_int_equal(sti_verify_contact(env, &s.p, &s.a, NAN, &out), STI_ERR_ARGUMENT);
    s.mu[0] = -1;
    assert_ill_posed(env, &s.p, &s.a, "mu[0]");
    make_slider(&s);
    s.W[4] = NAN;
    assert_ill_posed(env, &s.p, &s.a, "W");
    make_slider(&s);
    s.p.q = NULL;
    assert_ill_posed(env, &s.p, &s.a, "q is missing");
    make_slider(&s);
    s.p.W.rows = 2;
    assert_ill_posed(env, &s.p, &s.a, "2 x 3");
    make_slider(&s);
    s.p.W.dense = NULL;
    assert_ill_posed(env, &s.p, &s.a, "no entries");
    make_slider(&s);
    s.p.dimension = 4;
    assert_ill_posed(env, &s.p, &s.a, "dimension");
    make_slider(&s);
    int64_t start[4] = {0, 1, 2, 3};
    int row[3] = {0, 1, 3};
    s.p.W = (sti_matrix){.rows = 3, .cols = 3, .col_start = start, .row = row, .value = s.W};
    assert_ill_posed(env, &s.p, &s.a, "row 3");
    start[1] = 5;
    assert_ill_posed(env, &s.p, &s.a, "W");
    make_held(&h);
    h.p.G.cols = 3;
    assert_ill_posed(env, &h.p, &h.a, "G is");
    sti_env_destroy(env);
}

// --- no solution --------------------------------------------------------------------------------------------------

// A particle of mass 2 between two walls that close at the speeds 1 and 3, and a rail: y = (1, 1), k = -4.
typedef struct squeeze {
    double M[4], H[8], G[2], f[2], w[4], b[1], mu[2], W[16], q[4], V[4], R[1], s[1], y[2], lambda[1];
    sti_contact_problem global, local;
    sti_contact_answer a;
} squeeze;

static void make_squeeze(squeeze* k, int bilateral) {
    *k = (squeeze){.M = {2, 0, 0, 2},
                   .H = {1, 0, -1, 0, 0, 1, 0, 1},
                   .G = {0, 1},
                   .f = {0.3, 1},
                   .w = {-1, 0, -3, 0},
                   .b = {-1},
                   .mu = {0.3, 0.4},
                   .y = {1, 1}};
    for (int i = 0; i < 4; i++) {
        for (int a = 0; a < 2; a++) {
            k->q[i] += k->H[4 * a + i] * k->f[a] / 2;
            k->V[i] += k->H[4 * a + i] * k->G[a] / 2;
            for (int j = 0; j < 4; j++) k->W[4 * i + j] += k->H[4 * a + i] * k->H[4 * a + j] / 2;
        }
        k->q[i] += k->w[i];
    }
    k->R[0] = 0.5;
    k->s[0] = k->f[1] / 2 + k->b[0];
    k->global = (sti_contact_problem){.dimension = 2,
                                      .contact_count = 2,
                                      .mu = k->mu,
                                      .global = true,
                                      .bilateral_count = bilateral,
                                      .velocity_count = 2,
                                      .M = sti_matrix_dense_view(2, 2, k->M),
                                      .H = sti_matrix_dense_view(2, 4, k->H),
                                      .G = sti_matrix_dense_view(2, bilateral, k->G),
                                      .f = k->f,
                                      .w = k->w,
                                      .b = k->b};
    k->local = (sti_contact_problem){.dimension = 2,
                                     .contact_count = 2,
                                     .mu = k->mu,
                                     .bilateral_count = bilateral,
                                     .W = sti_matrix_dense_view(4, 4, k->W),
                                     .q = k->q,
                                     .V = sti_matrix_dense_view(4, bilateral, k->V),
                                     .R = sti_matrix_dense_view(bilateral, bilateral, k->R),
                                     .s = k->s};
    k->a = (sti_contact_answer){
        .outcome = STI_NO_SOLUTION,
        .dimension = 2,
        .contact_count = 2,
        .bilateral_count = bilateral,
        .certificate = {
            .proof = STI_PROOF_FARKAS, .y = k->y, .lambda = bilateral > 0 ? k->lambda : NULL, .bound = INFINITY}};
}

static void proofs_of_no_solution_are_accepted(void** state) {
    (void)state;
    sti_env* env = open_env();
    squeeze k;
    for (int way = 0; way < 4; way++) {
        make_squeeze(&k, way / 2);
        const sti_contact_problem* p = way % 2 == 0 ? &k.global : &k.local;
        sti_contact_verification out = check(env, p, &k.a);
        assert_true(out.accepted && out.exact && isinf(out.bound) && isnan(out.residual));
        assert_int_equal(out.claim, STI_NO_SOLUTION);
        // up to rounding: no longer for every solution
        k.y[1] = 1 + 0x1p-50;
        k.a.certificate.bound = 1e10;
        out = check(env, p, &k.a);
        assert_true(out.accepted && !out.exact && out.bound > 1e14 && out.bound < 1e16);
        // sparse data, the same verdict
        sti_matrix sparse;
        sti_contact_problem again = *p;
        assert_int_equal(sti_matrix_to_sparse(env, p->global ? &p->H : &p->W, &sparse), STI_OK);
        *(p->global ? &again.H : &again.W) = sparse;
        assert_true(check(env, &again, &k.a).bound == out.bound);
        sti_matrix_clear(env, &sparse);
    }
    sti_env_destroy(env);
}

// Two rails that contradict each other prove it without any contact.
static void contradicting_rails_are_a_proof(void** state) {
    (void)state;
    sti_env* env = open_env();
    double M[1] = {1}, G[2] = {1, 1}, f[1] = {0}, b[2] = {-1, -1.5}, lambda[2] = {-1, 1};
    const sti_contact_problem p = {.dimension = 3,
                                   .global = true,
                                   .bilateral_count = 2,
                                   .velocity_count = 1,
                                   .M = sti_matrix_dense_view(1, 1, M),
                                   .G = sti_matrix_dense_view(1, 2, G),
                                   .f = f,
                                   .b = b};
    sti_contact_answer a = {.outcome = STI_NO_SOLUTION,
                            .dimension = 3,
                            .bilateral_count = 2,
                            .certificate = {.proof = STI_PROOF_FARKAS, .lambda = lambda, .bound = INFINITY}};
    assert_true(check(env, &p, &a).exact);
    lambda[0] = 1, lambda[1] = -1;
    assert_rejected(env, &p, &a, "prove nothing");
    sti_env_destroy(env);
}

// Where there is no solution forces that run away make every residual small that is relative to them.
static void forces_that_run_away_are_rejected(void** state) {
    (void)state;
    sti_env* env = open_env();
    squeeze k;
    double r[4] = {1e15, 0, 1e15, 0}, v[2] = {0.15, 0.5}, lambda[1] = {0};
    for (int way = 0; way < 4; way++) {
        make_squeeze(&k, way / 2);
        if (way == 2) v[1] = lambda[0] = 1;  // what the rail asks for
        k.a = (sti_contact_answer){.outcome = STI_SOLVED,
                                   .dimension = 2,
                                   .contact_count = 2,
                                   .bilateral_count = way / 2,
                                   .velocity_count = way % 2 == 0 ? 2 : 0,
                                   .r = r,
                                   .v = way % 2 == 0 ? v : NULL,
                                   .lambda = lambda};
        assert_rejected(env, way % 2 == 0 ? &k.global : &k.local, &k.a, "forces that are");
    }
    // so far away that the data are lost in any precision, and nothing is left to be seen
    r[0] = r[2] = 0x1p200;
    make_squeeze(&k, 0);
    k.a = (sti_contact_answer){.outcome = STI_SOLVED, .dimension = 2, .contact_count = 2, .r = r};
    assert_rejected(env, &k.local, &k.a, "forces that are");
    sti_env_destroy(env);
}

static void forged_proofs_are_rejected(void** state) {
    (void)state;
    sti_env* env = open_env();
    squeeze k;
    for (int way = 0; way < 4; way++) {
        const int bilateral = way / 2;
        for (int forgery = 0; forgery < 9; forgery++) {
            make_squeeze(&k, bilateral);
            const sti_contact_problem* p = way % 2 == 0 ? &k.global : &k.local;
            sti_contact_certificate* c = &k.a.certificate;
            const char* words = NULL;
            if (forgery == 0) c->proof = STI_PROOF_NONE, words = "no proof";
            if (forgery == 1) c->y = NULL, words = "no y";
            if (forgery == 2) k.y[0] = -1, words = "y[0]";
            if (forgery == 3) k.y[1] = NAN, words = "y[1]";
            if (forgery == 4) k.y[0] = k.y[1] = 0, words = "prove nothing";
            if (forgery == 5) k.y[0] = 2, words = "only exclude";
            if (forgery == 6) k.y[0] = 1 + 0x1p-50, words = "the bound is";  // which was claimed to be infinite
            if (forgery == 7 && bilateral == 0) continue;
            if (forgery == 7) c->lambda = NULL, words = "no lambda";
            if (forgery == 8) k.w[0] = k.w[2] = 1, k.q[0] += 2, k.q[2] += 4, words = "prove nothing";
            assert_rejected(env, p, &k.a, words);
        }
    }
    make_squeeze(&k, 0);
    k.a.contact_count = 1;
    assert_rejected(env, &k.local, &k.a, "1 contacts");
    sti_env_destroy(env);
}

// --- random points: the same numbers as the library's own residual, by other code ---------------------------------

enum { RANDOM_CONTACTS = 5, RANDOM_BILATERAL = 2, RANDOM_VELOCITIES = 9, ROOM = 15 };

typedef struct random_problem {
    double W[ROOM * ROOM], V[ROOM * RANDOM_BILATERAL], R[4], q[ROOM], s[2];
    double M[RANDOM_VELOCITIES * RANDOM_VELOCITIES], H[RANDOM_VELOCITIES * ROOM], G[RANDOM_VELOCITIES * 2];
    double f[RANDOM_VELOCITIES], w[ROOM], b[2], mu[RANDOM_CONTACTS];
    double r[ROOM], u[ROOM], v[RANDOM_VELOCITIES], lambda[2];
} random_problem;

static void operate(void* user, const double* x, double* y) {
    const sti_contact_problem* p = user;
    for (int i = 0; i < p->W.rows; i++) {
        y[i] = 0;
        for (int j = 0; j < p->W.cols; j++) y[i] += p->W.dense[i * p->W.cols + j] * x[j];
    }
}

// The first two contacts and the first row, and the first half of the velocities, are joined to the rest by `left` of
// what was there alone, and their data and forces are `scale` times as large.
static void set_apart(random_problem* m, int d, int nb, double left, double scale) {
    const int n = d * RANDOM_CONTACTS, nv = RANDOM_VELOCITIES, first = 2 * d, half = nv / 2;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) m->W[i * n + j] *= (i < first) == (j < first) ? 1 : left;
        for (int j = 0; j < nb; j++) m->V[i * nb + j] *= (i < first) == (j < 1) ? 1 : left;
        if (i < first) m->q[i] *= scale, m->w[i] *= scale, m->r[i] *= scale;
    }
    for (int i = 0; i < nb * nb; i++) m->R[i] = i % (nb + 1) == 0 ? fabs(m->R[i]) : left * m->R[i];
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < n; j++) m->H[i * n + j] *= (i < half) == (j < first) ? 1 : left;
        for (int j = 0; j < nb; j++) m->G[i * nb + j] *= (i < half) == (j < 1) ? 1 : left;
        for (int j = 0; j < nv; j++) m->M[i * nv + j] *= (i < half) == (j < half) ? 1 : left;
        if (i < half) m->f[i] *= scale, m->v[i] *= scale;
    }
    if (nb > 0) m->s[0] *= scale, m->b[0] *= scale, m->lambda[0] *= scale;
}

static void random_points_get_the_residual_of_the_library(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 7};
    random_problem m;
    for (int trial = 0; trial < 400; trial++) {
        double* all = (double*)&m;
        for (size_t i = 0; i < sizeof m / sizeof *all; i++) all[i] = 2 * sti_rng_u01(&rng) - 1;
        const int d = 2 + trial % 2, n = d * RANDOM_CONTACTS, nb = trial / 2 % 2 * RANDOM_BILATERAL,
                  nv = RANDOM_VELOCITIES;
        for (int i = 0; i < n; i++) m.W[i * n + i] = trial % 5 == 0 && i < d ? 0 : fabs(m.W[i * n + i]);
        for (int i = 0; i < nv; i++) m.M[i * nv + i] = trial % 5 == 0 && i % 3 == 0 ? 0 : fabs(m.M[i * nv + i]);
        for (int c = 0; c < RANDOM_CONTACTS; c++) m.mu[c] = fmax(0, m.mu[c]);
        if (trial % 3 == 2) set_apart(&m, d, nb, trial % 7 == 0 ? 1e-9 : 0, ldexp(1, sti_rng_int(&rng, -60, 60)));
        sti_contact_problem p = {.dimension = d,
                                 .contact_count = RANDOM_CONTACTS,
                                 .mu = m.mu,
                                 .global = trial / 4 % 2 == 1,
                                 .bilateral_count = nb,
                                 .W = sti_matrix_dense_view(n, n, m.W),
                                 .q = m.q,
                                 .V = sti_matrix_dense_view(n, nb, m.V),
                                 .R = sti_matrix_dense_view(nb, nb, m.R),
                                 .s = m.s,
                                 .M = sti_matrix_dense_view(nv, nv, m.M),
                                 .H = sti_matrix_dense_view(nv, n, m.H),
                                 .G = sti_matrix_dense_view(nv, nb, m.G),
                                 .f = m.f,
                                 .w = m.w,
                                 .b = m.b};
        if (p.global) p.velocity_count = nv;
        sti_contact_answer a = {.outcome = STI_SOLVED,
                                .dimension = d,
                                .contact_count = RANDOM_CONTACTS,
                                .bilateral_count = nb,
                                .velocity_count = p.velocity_count,
                                .r = m.r,
                                .u = m.u,
                                .v = m.v,
                                .lambda = m.lambda};
        assert_int_equal(sti_contact_residual(env, &p, &a), STI_OK);
        const sti_contact_verification out = check(env, &p, &a);
        assert_true(fabs(out.residual_contact - a.residual_contact) <= 1e-12 * a.residual_contact);
        assert_true(fabs(out.residual_equation - a.residual_equation) <= 1e-12 * (1 + a.residual_equation));
        assert_int_equal(out.worst_contact, a.worst_contact);
        sti_matrix sparse[2] = {{0}};
        sti_contact_problem again = p;
        assert_int_equal(sti_matrix_to_sparse(env, p.global ? &p.M : &p.W, &sparse[0]), STI_OK);
        assert_int_equal(sti_matrix_to_sparse(env, p.global ? &p.H : &p.R, &sparse[1]), STI_OK);
        *(p.global ? &again.M : &again.W) = sparse[0];
        *(p.global ? &again.H : &again.R) = sparse[1];
        assert_true(fabs(check(env, &again, &a).residual - out.residual) <= 1e-14 * out.residual);
        for (int k = 0; k < 2; k++) sti_matrix_clear(env, &sparse[k]);
        if (p.global) continue;
        double diagonal[RANDOM_CONTACTS * 9];
        for (int c = 0; c < RANDOM_CONTACTS; c++) {
            for (int i = 0; i < d * d; i++) diagonal[c * d * d + i] = m.W[(d * c + i / d) * n + d * c + i % d];
        }
        again = p;
        again.W_op = &(sti_contact_operator){.apply = operate, .user = &p, .diagonal = diagonal};
        assert_int_equal(sti_contact_residual(env, &again, &a), STI_OK);
        assert_true(fabs(check(env, &again, &a).residual - a.residual) <= 1e-12 * a.residual);
    }
    sti_env_destroy(env);
}

static void memory_that_runs_out_is_reported(void** state) {
    (void)state;
    slider s;
    make_slider(&s);
    sti_contact_problem plain = s.p;
    const sti_contact_operator op = {.apply = operate, .user = &plain, .diagonal = s.W};
    s.p.W_op = &op;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_contact_verification out;
        const sti_status status = sti_verify_contact(f.env, &s.p, &s.a, 1e-8, &out);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        assert_int_equal(out.accepted, status == STI_OK);
        if (failing_env_close(&f)) {
            assert_int_equal(k, 5);
            break;
        }
    }
}

static void memory_that_runs_out_over_a_proof_is_reported(void** state) {
    (void)state;
    squeeze s;
    for (int way = 0; way < 2; way++) {
        make_squeeze(&s, 1);
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            sti_contact_verification out;
            const sti_status status = sti_verify_contact(f.env, way == 0 ? &s.global : &s.local, &s.a, 1e-8, &out);
            if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
            assert_int_equal(out.accepted, status == STI_OK);
            if (failing_env_close(&f)) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proofs_of_no_solution_are_accepted),
        cmocka_unit_test(contradicting_rails_are_a_proof),
        cmocka_unit_test(forged_proofs_are_rejected),
        cmocka_unit_test(forces_that_run_away_are_rejected),
        cmocka_unit_test(memory_that_runs_out_over_a_proof_is_reported),
        cmocka_unit_test(true_answers_are_accepted),
        cmocka_unit_test(forged_points_are_rejected_with_what_they_violate),
        cmocka_unit_test(what_the_answer_says_of_itself_is_not_believed),
        cmocka_unit_test(every_equation_of_a_global_problem_counts),
        cmocka_unit_test(answers_that_do_not_fit_are_named),
        cmocka_unit_test(ill_posed_problems_are_errors),
        cmocka_unit_test(random_points_get_the_residual_of_the_library),
        cmocka_unit_test(memory_that_runs_out_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
