// test_contact_invariance.c: what must not matter: units, order, frames, repeated contacts, bodies in two halves. The
// same outcome, and the same velocities where these are unique, to rounding times condition.
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stiction/contact.h>
#include <stiction/io.h>
#include <string.h>

#include "base/rng.h"
#include "contact/problem_tools.h"
#include "support/contact_box.h"
#include "support/failing_env.h"
#include "support/open_env.h"

// Solved with tol, and accepted.
static sti_contact_answer solve(sti_env* env, const sti_contact_problem* p, double tol, const char* name) {
    sti_contact_options options = sti_contact_options_default();
    options.tol = tol;
    sti_contact_answer a;
    sti_contact_verification v;
    assert_int_equal(sti_contact_solve(env, p, &options, &a), STI_OK);
    assert_int_equal(sti_verify_contact(env, p, &a, tol, &v), STI_OK);
    if (!v.accepted) fail_msg("%s: %s, residual %g; %s", name, a.reason, a.residual, v.text);
    return a;
}

static bool problems_are_there(void) {
    DIR* folder = opendir(STI_SHARED_DIR "/problems");
    if (folder == NULL) return false;
    closedir(folder);
    return true;
}

// --- local problems made from others -------------------------------------------------------------------------------

// W dense, everything owned.
typedef struct local {
    double *W, *q, *mu;
    sti_contact_problem p;
} local;

static local make_local(int d, int nc) {
    const size_t n = (size_t)(d * nc);
    local m = {.W = calloc(n * n + 1, sizeof(double)),
               .q = calloc(n + 1, sizeof(double)),
               .mu = calloc((size_t)nc + 1, sizeof(double))};
    m.p = (sti_contact_problem){
        .dimension = d, .contact_count = nc, .mu = m.mu, .W = sti_matrix_dense_view((int)n, (int)n, m.W), .q = m.q};
    return m;
}

static void drop_local(local* m) {
    free(m->W);
    free(m->q);
    free(m->mu);
}

// How one problem is made of another: contact c of the new one is contact from[c] of the old one, its tangents turned
// by angle[c]; velocities are multiplied by `speed` and forces by `force`.
typedef struct change {
    int nc;
    int from[400];
    double angle[400];
    double speed, force;
} change;

static void turn_of(int d, double angle, double R[3][3]) {
    memset(R, 0, 9 * sizeof(double));
    R[0][0] = 1;
    R[1][1] = d == 2 ? (cos(angle) < 0 ? -1 : 1) : cos(angle);  // a line can only be reversed
    if (d == 2) return;
    R[1][2] = -sin(angle), R[2][1] = sin(angle), R[2][2] = cos(angle);
}

// y = scale R_c x of contact from[c]
static void carry(const change* h, int d, double scale, const double* x, double* y) {
    for (int c = 0; c < h->nc; c++) {
        double R[3][3];
        turn_of(d, h->angle[c], R);
        for (int i = 0; i < d; i++) {
            y[d * c + i] = 0;
            for (int j = 0; j < d; j++) y[d * c + i] += scale * R[i][j] * x[d * h->from[c] + j];
        }
    }
}

static local change_local(sti_env* env, const sti_contact_problem* p, const change* h) {
    const int d = p->dimension, n = d * p->contact_count, m = d * h->nc;
    local out = make_local(d, h->nc);
    sti_matrix W;
    assert_int_equal(sti_matrix_to_dense(env, &p->W, &W), STI_OK);
    double *half = malloc((size_t)n * (size_t)m * sizeof *half), *column = malloc((size_t)n * sizeof *column);
    for (int j = 0; j < n; j++) {  // half (n x m): columns of T W, as rows
        for (int i = 0; i < n; i++) column[i] = W.dense[(size_t)i * (size_t)n + (size_t)j];
        carry(h, d, h->speed / h->force, column, half + (size_t)j * (size_t)m);
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) column[j] = half[(size_t)j * (size_t)m + (size_t)i];
        carry(h, d, 1, column, out.W + (size_t)i * (size_t)m);
    }
    carry(h, d, h->speed, p->q, out.q);
    for (int c = 0; c < h->nc; c++) out.mu[c] = p->mu[h->from[c]];
    free(half);
    free(column);
    sti_matrix_clear(env, &W);
    return out;
}

static change same(int nc) {
    change h = {.nc = nc, .speed = 1, .force = 1};
    for (int c = 0; c < nc; c++) h.from[c] = c;
    return h;
}

static void shuffle(change* h, sti_rng* rng) {
    for (int c = h->nc - 1; c > 0; c--) {
        const int k = sti_rng_int(rng, 0, c), t = h->from[c];
        h->from[c] = h->from[k];
        h->from[k] = t;
    }
}

enum { CHANGES = 6 };

static change change_of(int kind, int nc, sti_rng* rng) {
    change h = same(nc);
    if (kind == 0) h.speed = 1e-6, h.force = 1e6;
    if (kind == 1) h.speed = 1e6, h.force = 1e-6;
    if (kind == 2) h.speed = 1e6, h.force = 1e6;
    if (kind == 3) shuffle(&h, rng);
    for (int c = 0; kind == 4 && c < nc; c++) h.angle[c] = 6.28 * sti_rng_u01(rng);
    if (kind == 5) h.from[h.nc++] = nc / 2;
    return h;
}

// The changed problem is solved, and with the velocities of the first, where these are unique.
static void assert_unchanged(sti_env* env, const sti_contact_problem* p, const char* name, double agreement) {
    const int n = p->dimension * p->contact_count;
    sti_rng rng = {.state = 11};
    sti_contact_answer a = solve(env, p, 1e-10, name);
    double* want = malloc(((size_t)n + 3) * sizeof *want);
    for (int kind = 0; kind < CHANGES; kind++) {
        const change h = change_of(kind, p->contact_count, &rng);
        local m = change_local(env, p, &h);
        sti_contact_answer b = solve(env, &m.p, 1e-10, name);
        carry(&h, p->dimension, h.speed, a.u, want);
        const int size = p->dimension * h.nc;
        const double unit = fmax(largest(want, size), largest(m.q, size));
        for (int i = 0; i < size; i++) want[i] -= b.u[i];
        if (!(largest(want, size) <= agreement * unit))
            print_message("%s, change %d: velocities differ by %g of %g\n", name, kind, largest(want, size), unit);
        assert_true(largest(want, size) <= agreement * unit);
        sti_contact_answer_clear(env, &b);
        drop_local(&m);
    }
    free(want);
    sti_contact_answer_clear(env, &a);
}

// W = B'B + a little of I for the given rank, q at random: as a rule some contacts of each mode.
static local random_local(int d, int nc, int rank, double mu, sti_rng* rng) {
    local m = make_local(d, nc);
    const int n = d * nc;
    double* B = malloc((size_t)(rank * n) * sizeof *B);
    for (int i = 0; i < rank * n; i++) B[i] = 2 * sti_rng_u01(rng) - 1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < rank; k++) m.W[i * n + j] += B[k * n + i] * B[k * n + j];
        }
        m.W[i * n + i] += 0.1;
        m.q[i] = 2 * sti_rng_u01(rng) - 1.5;
    }
    for (int c = 0; c < nc; c++) m.mu[c] = mu;
    free(B);
    return m;
}

static void small_problems_do_not_depend_on_units_order_or_frames(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 5};
    for (int trial = 0; trial < 24; trial++) {
        const int d = 2 + trial % 2, nc = 1 + trial / 2;
        local m = random_local(d, nc, 2 * d * nc, 0.1, &rng);
        char name[40];
        snprintf(name, sizeof name, "random problem %d", trial);
        assert_unchanged(env, &m.p, name, 1e-6);
        drop_local(&m);
    }
    sti_env_destroy(env);
}

static void problems_of_the_collection_do_not_depend_on_units_order_or_frames(void** state) {
    (void)state;
    static const char* const names[] = {
        "fc2d/FC2D_SliderCrankLagrangian00000.hdf5",
        "fc2d/FrictionContactProblem00031.hdf5",
        "fc3d/FrictionContact3D_1c.hdf5",
        "fc3d/FrictionContact3D_RR_1c.hdf5",
        "fc3d/OneObject-i100000-499.hdf5",
        "fc3d/NESpheres_10_1.hdf5",
        "fc3d/Rover1039.hdf5",
        "fc3d/Rover4144.hdf5",
    };
    if (!problems_are_there()) {
        print_message("no collection of problems here\n");
        skip();
    }
    sti_env* env = open_env();
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        sti_document* file = load(env, names[k]);
        assert_unchanged(env, sti_contact_problem_of(file), names[k], 1e-6);
        sti_document_destroy(file);
    }
    sti_env_destroy(env);
}

// --- global problems made from others ------------------------------------------------------------------------------

// Everything dense and owned.
typedef struct global {
    double *M, *H, *G, *f, *w, *b, *mu;
    sti_contact_problem p;
} global;

static global make_global(int d, int nc, int nv, int nb) {
    const size_t n = (size_t)(d * nc), v = (size_t)nv, j = (size_t)nb;
    global m = {.M = calloc(v * v + 1, sizeof(double)),
                .H = calloc(v * n + 1, sizeof(double)),
                .G = calloc(v * j + 1, sizeof(double)),
                .f = calloc(v + 1, sizeof(double)),
                .w = calloc(n + 1, sizeof(double)),
                .b = calloc(j + 1, sizeof(double)),
                .mu = calloc((size_t)nc + 1, sizeof(double))};
    m.p = (sti_contact_problem){.dimension = d,
                                .contact_count = nc,
                                .mu = m.mu,
                                .global = true,
                                .bilateral_count = nb,
                                .velocity_count = nv,
                                .M = sti_matrix_dense_view(nv, nv, m.M),
                                .H = sti_matrix_dense_view(nv, d * nc, m.H),
                                .G = sti_matrix_dense_view(nv, nb, m.G),
                                .f = m.f,
                                .w = m.w,
                                .b = m.b};
    return m;
}

static void drop_global(global* m) {
    free(m->M), free(m->H), free(m->G), free(m->f), free(m->w), free(m->b), free(m->mu);
}

// sti_matrix_get of a matrix that may be empty
static global change_global(const sti_contact_problem* p, const change* h) {
    const int d = p->dimension, nv = p->velocity_count, nb = p->bilateral_count, n = d * p->contact_count;
    global m = make_global(d, h->nc, nv, nb);
    double* row = malloc(((size_t)n + 1) * sizeof *row);
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++) m.M[i * nv + j] = h->force / h->speed * entry(&p->M, i, j);
        for (int j = 0; j < nb; j++) m.G[i * nb + j] = entry(&p->G, i, j);
        for (int j = 0; j < n; j++) row[j] = entry(&p->H, i, j);
        carry(h, d, 1, row, m.H + (size_t)i * (size_t)(d * h->nc));
        m.f[i] = h->force * p->f[i];
    }
    carry(h, d, h->speed, p->w, m.w);
    for (int j = 0; j < nb; j++) m.b[j] = h->speed * p->b[j];
    for (int c = 0; c < h->nc; c++) m.mu[c] = p->mu[h->from[c]];
    free(row);
    return m;
}

// How far velocities y are from `scale` times x, relative to these and to what the forces alone would make of rest.
static double apart(const sti_contact_problem* p, const double* x, double scale, const double* y) {
    double most = 0, size = 1e-300;
    for (int i = 0; i < p->velocity_count; i++) {
        const double mass = entry(&p->M, i, i);
        most = fmax(most, fabs(scale * x[i] - y[i]));
        size = fmax(size, scale * fmax(fabs(x[i]), mass > 0 ? fabs(p->f[i]) / mass : 0));
    }
    return most / size;
}

static void assert_global_unchanged(sti_env* env, const sti_contact_problem* p, double tol, double agreement,
                                    const char* name) {
    sti_rng rng = {.state = 17};
    sti_contact_answer a = solve(env, p, tol, name);
    for (int kind = 0; kind < CHANGES; kind++) {
        if (p->contact_count == 0 && kind > 2) continue;
        const change h = change_of(kind, p->contact_count, &rng);
        global m = change_global(p, &h);
        sti_contact_answer b = solve(env, &m.p, tol, name);
        if (!(apart(p, a.v, h.speed, b.v) <= agreement))
            fail_msg("%s, change %d: velocities differ by %g", name, kind, apart(p, a.v, h.speed, b.v));
        sti_contact_answer_clear(env, &b);
        drop_global(&m);
    }
    sti_contact_answer_clear(env, &a);
}

static void global_problems_do_not_depend_on_units_order_or_frames(void** state) {
    (void)state;
    static const char* const names[] = {"gfc3d/GFC3D_Example0.hdf5", "gfc3d/GFC3D_Example1.hdf5",
                                        "gfc3d/GFC3D_TwoRods1.hdf5", "gfc2d/gfc2d_granularflowonwall_00069_00350.hdf5"};
    if (!problems_are_there()) {
        print_message("no collection of problems here\n");
        skip();
    }
    sti_env* env = open_env();
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        sti_document* file = load(env, names[k]);
        assert_global_unchanged(env, sti_contact_problem_of(file), 1e-10, 1e-6, names[k]);
        sti_document_destroy(file);
    }
    sti_env_destroy(env);
}

// Also where contacts are redundant from the start, and with joints.
static void boxes_do_not_depend_on_units_order_or_frames(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int way = 0; way < 8; way++) {
        contact_box m;
        make_box(&m, way / 2 % 2 == 0 ? 0.3 : 0.6, 0.5);
        m.f[4] = 0.02;  // a little spin, so that the corners differ
        if (way >= 4) hold_box(&m, 1 + way % 2);
        if (way >= 4) m.b[0] = m.b[1] = -0.125;
        char name[40];
        snprintf(name, sizeof name, "box %d", way);
        assert_global_unchanged(env, &m.global, 1e-10, 1e-6, name);
        sti_env_destroy(env);
        env = open_env();
    }
    sti_env_destroy(env);
}

// --- bodies in two halves ------------------------------------------------------------------------------------------

// Every body twice, with a share of its mass and force each, every contact on one of the two, and all of it glued: the
// velocities of each half are those of the whole. times: how often each row of the glue is repeated.
static global split(const sti_contact_problem* p, double share, int times) {
    const int d = p->dimension, nv = p->velocity_count, nb = p->bilateral_count, n = d * p->contact_count;
    global m = make_global(d, p->contact_count, 2 * nv, nb + times * nv);
    const int wide = nb + times * nv;
    for (int half = 0; half < 2; half++) {
        const double part = half == 0 ? share : 1 - share;
        for (int i = 0; i < nv; i++) {
            const int row = half * nv + i;
            for (int j = 0; j < nv; j++) m.M[row * 2 * nv + half * nv + j] = part * entry(&p->M, i, j);
            for (int j = 0; j < n; j++) m.H[row * n + j] = j / d % 2 == half ? entry(&p->H, i, j) : 0;
            for (int j = 0; j < nb && half == 0; j++) m.G[row * wide + j] = entry(&p->G, i, j);
            for (int k = 0; k < times; k++) m.G[row * wide + nb + k * nv + i] = half == 0 ? 1 : -1;
            m.f[row] = part * p->f[i];
        }
    }
    for (int j = 0; j < n; j++) m.w[j] = p->w[j];
    for (int j = 0; j < nb; j++) m.b[j] = p->b[j];
    for (int c = 0; c < p->contact_count; c++) m.mu[c] = p->mu[c];
    return m;
}

static void assert_glued(sti_env* env, const sti_contact_problem* p, const char* name) {
    static const double shares[] = {0.5, 0.1, 0.999};
    sti_contact_answer a = solve(env, p, 1e-10, name);
    for (int way = 0; way < 6; way++) {
        global m = split(p, shares[way / 2], 1 + way % 2);
        sti_contact_answer b = solve(env, &m.p, 1e-9, name);
        for (int half = 0; half < 2; half++) {
            const double off = apart(p, a.v, 1, b.v + half * p->velocity_count);
            // the lighter half amplifies what the residual leaves open
            if (!(off <= 1e-8 / (1 - shares[way / 2])))
                fail_msg("%s in halves, way %d: half %d is %g off", name, way, half, off);
        }
        sti_contact_answer_clear(env, &b);
        drop_global(&m);
    }
    sti_contact_answer_clear(env, &a);
}

static void glued_halves_move_like_the_whole(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int way = 0; way < 4; way++) {
        contact_box m;
        make_box(&m, way % 2 == 0 ? 0.6 : 0.75, way < 2 ? 0.5 : 0);
        if (way == 3) hold_box(&m, 1), m.b[0] = -0.125;
        assert_glued(env, &m.global, "box");
    }
    sti_env_destroy(env);
}

static void glued_problems_of_the_collection_move_like_the_whole(void** state) {
    (void)state;
    static const char* const names[] = {"gfc3d/GFC3D_Example0.hdf5", "gfc3d/GFC3D_Example1.hdf5",
                                        "gfc3d/GFC3D_TwoRods1.hdf5"};
    if (!problems_are_there()) {
        print_message("no collection of problems here\n");
        skip();
    }
    sti_env* env = open_env();
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        sti_document* file = load(env, names[k]);
        assert_glued(env, sti_contact_problem_of(file), names[k]);
        sti_document_destroy(file);
    }
    sti_env_destroy(env);
}

// --- the hyperstatic cube ------------------------------------------------------------------------------------------

static void count_lines(void* user, sti_log_level level, const char* text) {
    (void)level, (void)text;
    ++*(int*)user;
}

// Four coplanar contacts on one box: it sticks to rounding, all four corners alike when asked for the smallest forces,
// and nothing is said about it.
static void the_hyperstatic_cube_sticks_without_a_word(void** state) {
    (void)state;
    int lines = 0;
    sti_env_def def = sti_env_def_default();
    def.log = count_lines;
    def.log_user = &lines;
    sti_env* env;
    assert_int_equal(sti_env_create(&def, &env), STI_OK);
    for (int way = 0; way < 8; way++) {
        contact_box m;
        make_box(&m, way % 2 == 0 ? 0 : 0.3, 0.5);
        sti_contact_options options = sti_contact_options_default();
        options.tol = 1e-12;
        options.minimum_norm = way >= 4;
        sti_contact_answer a;
        assert_int_equal(sti_contact_solve(env, way / 2 % 2 == 0 ? &m.local : &m.global, &options, &a), STI_OK);
        assert_int_equal(a.outcome, STI_SOLVED);
        assert_true(largest(a.u, 12) <= 1e-12);
        for (int c = 0; c < 4; c++) assert_int_equal(a.mode[c], STI_MODE_STICK);
        assert_string_equal(a.diagnosis, "");
        sti_contact_answer_clear(env, &a);
    }
    sti_env_destroy(env);
    assert_int_equal(lines, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_problems_do_not_depend_on_units_order_or_frames),
        cmocka_unit_test(problems_of_the_collection_do_not_depend_on_units_order_or_frames),
        cmocka_unit_test(global_problems_do_not_depend_on_units_order_or_frames),
        cmocka_unit_test(boxes_do_not_depend_on_units_order_or_frames),
        cmocka_unit_test(glued_halves_move_like_the_whole),
        cmocka_unit_test(glued_problems_of_the_collection_move_like_the_whole),
        cmocka_unit_test(the_hyperstatic_cube_sticks_without_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
