// test_contact_solve.c: contact problems through the front door. Files, changes of units, order and frames, bodies whose
// motion is known in closed form, joints, massless velocities, the edges of the data, memory that runs out. Every
// solved answer passes the independent check.
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stiction/io.h>
#include <stiction/verify.h>
#include <string.h>

#include "base/rng.h"
#include "support/failing_env.h"

static sti_env* open_env(void) {
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    return env;
}

// Solve with tol; the answer must be solved and accepted.
static sti_contact_answer solve_by(sti_env* env, const sti_contact_problem* p, sti_contact_solver solver, double tol,
                                   const char* name) {
    sti_contact_options options = sti_contact_options_default();
    options.solver = solver;
    options.tol = tol;
    sti_contact_answer a;
    const sti_status status = sti_contact_solve(env, p, &options, &a);
    if (status != STI_OK) print_message("%s: %s\n", name, sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
    sti_contact_verification v;
    assert_int_equal(sti_verify_contact(env, p, &a, tol * (1 + 1e-6), &v), STI_OK);
    if (a.outcome != STI_SOLVED || !v.accepted)
        print_message("%s by %s: %s, residual %g; %s\n", name, sti_contact_solver_text(solver), a.reason, a.residual,
                      v.text);
    assert_int_equal(a.outcome, STI_SOLVED);
    assert_true(v.accepted);
    return a;
}

static sti_contact_answer solve(sti_env* env, const sti_contact_problem* p, double tol, const char* name) {
    return solve_by(env, p, STI_CONTACT_AUTO, tol, name);
}

static double largest(const double* x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// --- files ---------------------------------------------------------------------------------------------------------

static sti_problem* load(sti_env* env, const char* name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/problems/%s", STI_SHARED_DIR, name);
    sti_problem* file;
    assert_int_equal(sti_problem_load(env, path, &file), STI_OK);
    assert_non_null(sti_problem_contact(file));
    return file;
}

static bool problems_are_there(void) {
    DIR* folder = opendir(STI_SHARED_DIR "/problems");
    if (folder == NULL) return false;
    closedir(folder);
    return true;
}

static void every_problem_of_the_collection_is_solved_and_accepted(void** state) {
    (void)state;
    static const char* const kinds[] = {"fc2d", "fc3d", "gfc2d", "gfc3d"};
    sti_env* env = open_env();
    int count = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/problems/%s", STI_SHARED_DIR, kinds[k]);
        DIR* folder = opendir(path);
        if (folder == NULL) continue;
        for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
            if (strstr(entry->d_name, ".hdf5") == NULL) continue;
            char name[512];
            snprintf(name, sizeof name, "%s/%s", kinds[k], entry->d_name);
            sti_problem* file = load(env, name);
            sti_contact_answer a = solve(env, sti_problem_contact(file), 1e-8, name);
            sti_contact_answer_clear(env, &a);
            sti_problem_destroy(file);
            count++;
        }
        closedir(folder);
    }
    sti_env_destroy(env);
    print_message("%s (%d problems)\n", count == 0 ? "no collection of problems here" : "the collection", count);
    if (count == 0) skip();
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

// How one problem is made of another: contact c of the new one is contact from[c] of the old one, its tangents turned by
// angle[c]; velocities are multiplied by `speed` and forces by `force`.
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
        sti_problem* file = load(env, names[k]);
        assert_unchanged(env, sti_problem_contact(file), names[k], 1e-6);
        sti_problem_destroy(file);
    }
    sti_env_destroy(env);
}

static double* scaled(const double* x, size_t n, double factor) {
    double* y = malloc((n + 1) * sizeof *y);
    for (size_t i = 0; i < n; i++) y[i] = factor * x[i];
    return y;
}

static void global_problems_do_not_depend_on_units(void** state) {
    (void)state;
    static const char* const names[] = {"gfc3d/GFC3D_Example0.hdf5", "gfc3d/GFC3D_Example1.hdf5",
                                        "gfc3d/GFC3D_TwoRods1.hdf5", "gfc2d/gfc2d_granularflowonwall_00000_00117.hdf5"};
    if (!problems_are_there()) {
        print_message("no collection of problems here\n");
        skip();
    }
    sti_env* env = open_env();
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        sti_problem* file = load(env, names[k]);
        for (int way = 0; way < 3; way++) {
            const double speed = way == 0 ? 1e-6 : 1e6, force = way == 1 ? 1e-6 : 1e6;
            sti_contact_problem p = *sti_problem_contact(file);
            assert_true(sti_matrix_is_sparse(&p.M));
            const size_t nv = (size_t)p.velocity_count, n = (size_t)(p.dimension * p.contact_count);
            double* M = scaled(p.M.value, (size_t)p.M.col_start[nv], force / speed);
            double *f = scaled(p.f, nv, force), *w = scaled(p.w, n, speed);
            double* b = scaled(p.b, (size_t)p.bilateral_count, speed);
            p.M.value = M, p.f = f, p.w = w, p.b = b;
            sti_contact_answer a = solve(env, &p, 1e-8, names[k]);
            sti_contact_answer_clear(env, &a);
            free(M), free(f), free(w), free(b);
        }
        sti_problem_destroy(file);
    }
    sti_env_destroy(env);
}

// --- a box on a plane ----------------------------------------------------------------------------------------------

// A cube of side and mass 1, four corners of its lower face on the plane; v is the velocity and spin after a step in which
// gravity gives the impulse (sin a, 0, -cos a).
typedef struct box {
    double M[36], H[72], G[12], f[6], w[12], b[2], mu[4], W[144], q[12];
    sti_contact_problem global, local;
} box;

static void make_box(box* m, double slope, double mu) {
    *m = (box){.f = {sin(slope), 0, -cos(slope)}, .mu = {mu, mu, mu, mu}};
    for (int i = 0; i < 6; i++) m->M[7 * i] = i < 3 ? 1 : 1.0 / 6;
    static const double axis[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};  // normal and tangents
    for (int c = 0; c < 4; c++) {
        const double x[3] = {c & 1 ? 0.5 : -0.5, c & 2 ? 0.5 : -0.5, -0.5};
        for (int k = 0; k < 3; k++) {
            const double* n = axis[k];
            const double lever[3] = {x[1] * n[2] - x[2] * n[1], x[2] * n[0] - x[0] * n[2], x[0] * n[1] - x[1] * n[0]};
            for (int i = 0; i < 3; i++) {
                m->H[i * 12 + 3 * c + k] = n[i];
                m->H[(i + 3) * 12 + 3 * c + k] = lever[i];
            }
        }
    }
    for (int i = 0; i < 12; i++) {
        for (int k = 0; k < 6; k++) {
            m->q[i] += m->H[k * 12 + i] * m->f[k] / m->M[7 * k];
            for (int j = 0; j < 12; j++) m->W[i * 12 + j] += m->H[k * 12 + i] * m->H[k * 12 + j] / m->M[7 * k];
        }
    }
    m->global = (sti_contact_problem){.dimension = 3,
                                      .contact_count = 4,
                                      .mu = m->mu,
                                      .global = true,
                                      .velocity_count = 6,
                                      .M = sti_matrix_dense_view(6, 6, m->M),
                                      .H = sti_matrix_dense_view(6, 12, m->H),
                                      .f = m->f,
                                      .w = m->w};
    m->local = (sti_contact_problem){
        .dimension = 3, .contact_count = 4, .mu = m->mu, .W = sti_matrix_dense_view(12, 12, m->W), .q = m->q};
}

// Rows that hold the box along the slope, `count` times the same.
static void hold(box* m, int count) {
    for (int k = 0; k < count; k++) m->G[k] = 1;
    m->global.bilateral_count = count;
    m->global.G = sti_matrix_dense_view(6, count, m->G);
    m->global.b = m->b;
}

static double normal_sum(const sti_contact_answer* a) {
    double sum = 0;
    for (int c = 0; c < a->contact_count; c++) sum += a->r[a->dimension * c];
    return sum;
}

static void a_box_below_the_friction_angle_sticks(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double slopes[] = {0, 0.1, 0.3, 0.45};  // atan 0.5 = 0.4636
    for (size_t k = 0; k < sizeof slopes / sizeof *slopes; k++) {
        for (int s = 0; s < STI_CONTACT_SOLVER_COUNT; s++) {
            for (int form = 0; form < 2; form++) {
                box m;
                make_box(&m, slopes[k], 0.5);
                const sti_contact_problem* p = form == 0 ? &m.local : &m.global;
                const double tol = s == STI_CONTACT_AUTO ? 1e-13 : 1e-8, near = s == STI_CONTACT_AUTO ? 1e-12 : 1e-6;
                sti_contact_answer a = solve_by(env, p, (sti_contact_solver)s, tol, "box at rest");
                assert_true(largest(a.u, 12) <= near);
                assert_true(fabs(normal_sum(&a) - cos(slopes[k])) <= near);
                for (int c = 0; c < 4; c++) {  // sticks: pressed, and inside the cone
                    if (s == STI_CONTACT_AUTO) assert_int_equal(a.mode[c], STI_MODE_STICK);
                    assert_true(a.r[3 * c] > 0);
                    assert_true(hypot(a.r[3 * c + 1], a.r[3 * c + 2]) <= 0.5 * a.r[3 * c] + near);
                }
                sti_contact_answer_clear(env, &a);
            }
        }
    }
    sti_env_destroy(env);
}

static void a_box_above_the_friction_angle_slides_as_it_must(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double slopes[] = {0.48, 0.6, 0.75};  // it would tip beyond pi / 4
    for (size_t k = 0; k < sizeof slopes / sizeof *slopes; k++) {
        const double speed = sin(slopes[k]) - 0.5 * cos(slopes[k]);
        for (int s = 0; s < STI_CONTACT_SOLVER_COUNT; s++) {
            for (int form = 0; form < 2; form++) {
                box m;
                make_box(&m, slopes[k], 0.5);
                sti_contact_answer a =
                    solve_by(env, form == 0 ? &m.local : &m.global, (sti_contact_solver)s, 1e-10, "sliding box");
                for (int c = 0; c < 4; c++) {
                    assert_true(fabs(a.u[3 * c]) <= 1e-8 && fabs(a.u[3 * c + 2]) <= 1e-8);
                    assert_true(fabs(a.u[3 * c + 1] - speed) <= 1e-8);
                }
                assert_true(fabs(normal_sum(&a) - cos(slopes[k])) <= 1e-8);
                if (form == 1) assert_true(fabs(a.v[0] - speed) <= 1e-8);
                sti_contact_answer_clear(env, &a);
            }
        }
    }
    sti_env_destroy(env);
}

// --- joints and massless velocities --------------------------------------------------------------------------------

// The joint lets the box down at the speed 1/8, slower than it would go by itself: l = 1/8 - sin + mu cos.
static void joints_slow_a_box_on_a_steep_slope_also_when_redundant(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int s = 0; s < STI_CONTACT_SOLVER_COUNT; s++) {
        for (int way = 0; way < 4; way++) {
            const int count = 1 + way % 2;
            const double mu = way < 2 ? 0 : 0.5;
            box m;
            make_box(&m, 0.7, mu);
            hold(&m, count);
            m.b[0] = m.b[1] = -0.125;
            sti_contact_answer a = solve_by(env, &m.global, (sti_contact_solver)s, 1e-8, "box on joints");
            assert_true(fabs(a.v[0] - 0.125) <= 1e-6 && largest(a.v + 1, 5) <= 1e-6);
            assert_true(fabs(normal_sum(&a) - cos(0.7)) <= 1e-6);
            const double pull = count == 1 ? a.lambda[0] : a.lambda[0] + a.lambda[1];
            assert_true(fabs(pull - (0.125 - sin(0.7) + mu * cos(0.7))) <= 1e-6);
            sti_contact_answer_clear(env, &a);
        }
    }
    sti_env_destroy(env);
}

// A joint at rest, b = 0 and G'v = 0: measured against the velocities it undoes, not against its own rounding.
static void joints_at_rest_hold_a_box(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int way = 0; way < 4; way++) {
        box m;
        make_box(&m, 0.7, way < 2 ? 0 : 0.5);
        hold(&m, 1 + way % 2);
        sti_contact_answer a = solve(env, &m.global, 1e-8, "box held at rest");
        assert_true(largest(a.v, 6) <= 1e-7);
        assert_true(fabs(normal_sum(&a) - cos(0.7)) <= 1e-7);
        sti_contact_answer_clear(env, &a);
    }
    sti_env_destroy(env);
}

static void bilateral_rows_of_a_local_problem_are_kept(void** state) {
    (void)state;
    sti_env* env = open_env();
    // two contacts under unit masses; a joint makes their tangential velocities equal
    for (int redundant = 0; redundant < 2; redundant++) {
        double W[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, q[4] = {-1, 2, -1, 0}, mu[2] = {0.1, 0.2};
        double V[8] = {0}, R[4] = {2, 0, 0, 0}, s[2] = {-2, -2};
        const int nb = 1 + redundant;
        for (int k = 0; k < nb; k++) V[nb + k] = -1, V[3 * nb + k] = 1;
        // 0 = V'r + R l + s with R = V'V: the joint acts on the masses themselves
        if (redundant) R[1] = R[2] = R[3] = 2;
        const sti_contact_problem p = {.dimension = 2,
                                       .contact_count = 2,
                                       .mu = mu,
                                       .bilateral_count = nb,
                                       .W = sti_matrix_dense_view(4, 4, W),
                                       .q = q,
                                       .V = sti_matrix_dense_view(4, nb, V),
                                       .R = sti_matrix_dense_view(nb, nb, R),
                                       .s = s};
        sti_contact_answer a = solve(env, &p, 1e-10, "joined sliders");
        assert_true(fabs(a.u[1] - a.u[3]) <= 1e-9);
        assert_true(fabs(a.u[1] - (2 - 0.3) / 2) <= 1e-9);  // both slide: momentum 2, friction 0.1 + 0.2
        sti_contact_answer_clear(env, &a);
    }
    sti_env_destroy(env);
}

// A block (mass 1) on a massless plate on the ground, 2D: v = (block x, y, plate x, y). Pushed by fx, pressed by 1.
static void a_massless_plate_passes_the_force_on(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double units[] = {1, 1e-6, 1e6};
    for (int way = 0; way < 6; way++) {
        const double mass = units[way / 2], fx = way % 2 == 0 ? 0.2 : 0.8, mu[2] = {0.5, 0.6};
        double M[16] = {mass, 0, 0, 0, 0, mass};
        double H[16] = {0, 1, 0, 0, 1, 0, 0, 0, 0, -1, 0, 1, -1, 0, 1, 0};  // columns: n, t of each contact
        const double f[4] = {fx, -1, 0, 0}, w[4] = {0};
        const sti_contact_problem p = {.dimension = 2,
                                       .contact_count = 2,
                                       .mu = mu,
                                       .global = true,
                                       .velocity_count = 4,
                                       .M = sti_matrix_dense_view(4, 4, M),
                                       .H = sti_matrix_dense_view(4, 4, H),
                                       .f = f,
                                       .w = w};
        sti_contact_answer a = solve(env, &p, 1e-8, "plate");
        assert_true(fabs(a.r[0] - 1) <= 1e-6 && fabs(a.r[2] - 1) <= 1e-6);
        assert_true(fabs(mass * a.v[0] - (way % 2 == 0 ? 0 : 0.3)) <= 1e-6);
        assert_true(fabs(mass * a.v[2]) <= 1e-6);
        sti_contact_answer_clear(env, &a);
    }
    sti_env_destroy(env);
}

// The block and a massless handle that a joint makes slower by 1/10 in x; the force acts on the handle, the contact on the block, or the other
// way round.
static void a_massless_handle_is_held_by_its_joints(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double units[] = {1, 1e-6, 1e6};
    for (int way = 0; way < 6; way++) {
        const double mass = units[way / 2], mu[1] = {0.5};
        double M[16] = {mass, 0, 0, 0, 0, mass}, H[8] = {0}, G[8] = {1, 0, 0, 1, -1, 0, 0, -1};
        double f[4] = {0}, w[2] = {0}, b[2] = {-0.1 / mass, 0};
        const int touched = way % 2 == 0 ? 0 : 2, pushed = 2 - touched;
        H[2 * touched + 1] = 1, H[2 * (touched + 1)] = 1;
        f[pushed] = 0.8, f[pushed + 1] = -1;
        const sti_contact_problem p = {.dimension = 2,
                                       .contact_count = 1,
                                       .mu = mu,
                                       .global = true,
                                       .bilateral_count = 2,
                                       .velocity_count = 4,
                                       .M = sti_matrix_dense_view(4, 4, M),
                                       .H = sti_matrix_dense_view(4, 2, H),
                                       .G = sti_matrix_dense_view(4, 2, G),
                                       .f = f,
                                       .w = w,
                                       .b = b};
        sti_contact_answer a = solve(env, &p, 1e-8, "handle");
        assert_true(fabs(a.r[0] - 1) <= 1e-6);
        assert_true(fabs(mass * a.v[0] - 0.3) <= 1e-6 && fabs(mass * a.v[2] - 0.2) <= 1e-6);
        sti_contact_answer_clear(env, &a);
    }
    sti_env_destroy(env);
}

// --- the edges of the data -----------------------------------------------------------------------------------------

static void nothing_to_touch_is_solved(void** state) {
    (void)state;
    sti_env* env = open_env();
    double M[4] = {2, 0, 0, 4}, f[2] = {2, 2}, none[1] = {0};
    const sti_contact_problem local_form = {.dimension = 3, .q = none};
    const sti_contact_problem global_form = {.dimension = 3,
                                             .global = true,
                                             .velocity_count = 2,
                                             .M = sti_matrix_dense_view(2, 2, M),
                                             .H = sti_matrix_dense_view(2, 0, none),
                                             .f = f,
                                             .w = none};
    for (int s = 0; s < STI_CONTACT_SOLVER_COUNT; s++) {
        sti_contact_answer a = solve_by(env, &local_form, (sti_contact_solver)s, 1e-8, "no contact");
        assert_int_equal(a.worst_contact, -1);
        sti_contact_answer_clear(env, &a);
        a = solve_by(env, &global_form, (sti_contact_solver)s, 1e-8, "no contact");
        assert_true(a.v[0] == 1 && a.v[1] == 0.5);
        sti_contact_answer_clear(env, &a);
    }
    sti_env_destroy(env);
}

static void friction_may_be_absent_or_huge(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int s = 0; s < STI_CONTACT_SOLVER_COUNT; s++) {
        box m;
        make_box(&m, 0.5, 0);
        sti_contact_answer a = solve_by(env, &m.local, (sti_contact_solver)s, 1e-8, "ice");
        for (int c = 0; c < 4; c++) assert_true(fabs(a.u[3 * c + 1] - sin(0.5)) <= 1e-6);
        sti_contact_answer_clear(env, &a);
    }
    static const double mus[] = {1e1, 1e2, 1e4, 1e6};
    for (int k = 0; k < 4; k++) {
        box m;
        make_box(&m, 0.5, mus[k]);
        sti_contact_answer a = solve(env, &m.local, 1e-8, "glue");
        assert_true(largest(a.u, 12) <= 1e-6);
        sti_contact_answer_clear(env, &a);
    }
    sti_env_destroy(env);
}

// A particle between two closing walls: u_n1 + u_n2 = -2 whatever r is. Large r makes any residual relative to it small.
static void an_infeasible_squeeze_is_never_called_solved(void** state) {
    (void)state;
    sti_env* env = open_env();
    double W[16] = {1, 0, -1, 0, 0, 1, 0, 1, -1, 0, 1, 0, 0, 1, 0, 1}, q[4] = {-1, 0, -1, 0}, mu[2] = {0.3, 0.3};
    const sti_contact_problem p = {
        .dimension = 2, .contact_count = 2, .mu = mu, .W = sti_matrix_dense_view(4, 4, W), .q = q};
    static const double tols[] = {1e-3, 1e-4, 1e-8};
    for (int s = 0; s < STI_CONTACT_SOLVER_COUNT; s++) {
        for (int k = 0; k < 3; k++) {
            sti_contact_options options = sti_contact_options_default();
            options.solver = (sti_contact_solver)s;
            options.tol = tols[k];
            sti_contact_answer a;
            assert_int_equal(sti_contact_solve(env, &p, &options, &a), STI_OK);
            if (a.outcome == STI_SOLVED) fail_msg("%s at %g: solved", sti_contact_solver_text(options.solver), tols[k]);
            assert_true(a.diagnosis[0] != '\0');
            sti_contact_answer_clear(env, &a);
        }
    }
    sti_env_destroy(env);
}

static void assert_refused(sti_env* env, const sti_contact_problem* p, const char* words) {
    sti_contact_answer a;
    assert_int_equal(sti_contact_solve(env, p, NULL, &a), STI_ERR_ARGUMENT);
    if (strstr(sti_env_error(env)->text, words) == NULL)
        print_message("'%s' does not say '%s'\n", sti_env_error(env)->text, words);
    assert_non_null(strstr(sti_env_error(env)->text, words));
    assert_null(a.r);
}

static void bad_input_is_named(void** state) {
    (void)state;
    sti_env* env = open_env();
    box m;
    make_box(&m, 0, 0.5);
    m.mu[2] = -0.5;
    assert_refused(env, &m.local, "mu[2] is -0.5");
    m.mu[2] = NAN;
    assert_refused(env, &m.global, "mu[2]");
    make_box(&m, 0, 0.5);
    m.W[12 + 3] = NAN;
    assert_refused(env, &m.local, "W[1][3]");
    make_box(&m, 0, 0.5);
    m.q[7] = INFINITY;
    assert_refused(env, &m.local, "q[7] is inf");
    make_box(&m, 0, 0.5);
    m.local.W.rows = 11;
    assert_refused(env, &m.local, "W is 11 x 12");
    m.global.H.cols = 9;
    assert_refused(env, &m.global, "H is 6 x 9");
    m.global.H.cols = 12;
    m.global.f = NULL;
    assert_refused(env, &m.global, "f is missing");
    make_box(&m, 0, 0.5);
    m.local.dimension = 4;
    assert_refused(env, &m.local, "dimension is 4");
    m.local.dimension = 3;
    m.local.contact_count = -1;
    assert_refused(env, &m.local, "negative");
    sti_env_destroy(env);
}

// --- memory --------------------------------------------------------------------------------------------------------

static void failed_allocations_are_survived_by_every_solver(void** state) {
    (void)state;
    for (int s = 0; s < STI_CONTACT_SOLVER_COUNT; s++) {
        for (int form = 0; form < 3; form++) {
            box m;
            make_box(&m, 0.6, 0.5);
            if (form == 2) hold(&m, 2);
            const sti_contact_problem* p = form == 0 ? &m.local : &m.global;
            sti_contact_options options = sti_contact_options_default();
            options.solver = (sti_contact_solver)s;
            for (long k = 0;; k++) {
                failing_env f;
                failing_env_open(&f, k);
                sti_contact_answer a;
                const sti_status status = sti_contact_solve(f.env, p, &options, &a);
                if (status != STI_OK) {
                    assert_int_equal(status, STI_ERR_MEMORY);
                    assert_null(a.r);
                } else {
                    sti_contact_answer_clear(f.env, &a);
                }
                if (failing_env_close(&f)) {
                    assert_int_equal(status, STI_OK);
                    break;
                }
            }
        }
    }
}

static void failed_allocations_are_survived_by_residual_and_description(void** state) {
    (void)state;
    for (int call = 0; call < 2; call++) {
        box m;
        make_box(&m, 0.6, 0.5);
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, -1);
            sti_contact_answer a;
            sti_contact_options options = sti_contact_options_default();
            options.describe = false;
            assert_int_equal(sti_contact_solve(f.env, &m.global, &options, &a), STI_OK);
            f.count = 0;
            f.fail_at = k;
            const sti_status status =
                call == 0 ? sti_contact_residual(f.env, &m.global, &a) : sti_contact_describe(f.env, &m.global, &a);
            if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
            const bool done = f.count <= k;
            f.fail_at = -1;
            sti_contact_answer_clear(f.env, &a);
            failing_env_close(&f);
            if (done) {
                assert_int_equal(status, STI_OK);
                break;
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_problem_of_the_collection_is_solved_and_accepted),
        cmocka_unit_test(small_problems_do_not_depend_on_units_order_or_frames),
        cmocka_unit_test(problems_of_the_collection_do_not_depend_on_units_order_or_frames),
        cmocka_unit_test(global_problems_do_not_depend_on_units),
        cmocka_unit_test(a_box_below_the_friction_angle_sticks),
        cmocka_unit_test(a_box_above_the_friction_angle_slides_as_it_must),
        cmocka_unit_test(joints_slow_a_box_on_a_steep_slope_also_when_redundant),
        cmocka_unit_test(joints_at_rest_hold_a_box),
        cmocka_unit_test(an_infeasible_squeeze_is_never_called_solved),
        cmocka_unit_test(bilateral_rows_of_a_local_problem_are_kept),
        cmocka_unit_test(a_massless_plate_passes_the_force_on),
        cmocka_unit_test(a_massless_handle_is_held_by_its_joints),
        cmocka_unit_test(nothing_to_touch_is_solved),
        cmocka_unit_test(friction_may_be_absent_or_huge),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(failed_allocations_are_survived_by_every_solver),
        cmocka_unit_test(failed_allocations_are_survived_by_residual_and_description),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
