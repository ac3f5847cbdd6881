// contact_cases.h: what every method for contact problems has to pass: closed forms, the collection, changes of order,
// frames and units, warm starts, limits, data without a solution, memory that runs out.
//
// A claim of "solved" is believed only when the independent verifier accepts it.
#ifndef TESTS_SUPPORT_CONTACT_CASES_H
#define TESTS_SUPPORT_CONTACT_CASES_H

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stiction/contact.h>
#include <stiction/io.h>
#include <string.h>

#include "base/rng.h"
#include "contact/problem_tools.h"
#include "support/failing_env.h"
#include "support/open_env.h"

static inline sti_contact_options case_options(sti_contact_solver solver, double tol) {
    sti_contact_options options = sti_contact_options_default();
    options.solver = solver;
    options.tol = tol;
    return options;
}

// Any outcome; a claim of "solved" is verified.
static inline sti_contact_answer case_try(sti_env* env, const sti_contact_problem* p,
                                          const sti_contact_options* options, const char* name) {
    sti_contact_answer a;
    const sti_status status = sti_contact_solve(env, p, options, &a);
    if (status != STI_OK) fail_msg("%s: %s", name, sti_env_error(env)->text);
    if (a.outcome != STI_SOLVED) return a;
    sti_contact_verification v;
    assert_int_equal(sti_verify_contact(env, p, &a, options->tol * (1 + 1e-6), &v), STI_OK);
    if (!v.accepted) fail_msg("%s: called solved, residual %g; %s", name, a.residual, v.text);
    return a;
}

static inline sti_contact_answer case_solve(sti_env* env, const sti_contact_problem* p, sti_contact_solver solver,
                                            double tol, const char* name) {
    const sti_contact_options options = case_options(solver, tol);
    const sti_contact_answer a = case_try(env, p, &options, name);
    if (a.outcome != STI_SOLVED) fail_msg("%s: residual %g; %s", name, a.residual, a.reason);
    return a;
}

// ---- local problems with W dense, everything owned

typedef struct case_local {
    double *W, *q, *mu;
    sti_contact_problem p;
} case_local;

static inline case_local case_local_make(int d, int nc) {
    const size_t n = (size_t)(d * nc);
    case_local m = {.W = calloc(n * n + 1, sizeof(double)),
                    .q = calloc(n + 1, sizeof(double)),
                    .mu = calloc((size_t)nc + 1, sizeof(double))};
    m.p = (sti_contact_problem){
        .dimension = d, .contact_count = nc, .mu = m.mu, .W = sti_matrix_dense_view((int)n, (int)n, m.W), .q = m.q};
    return m;
}

static inline void case_local_free(case_local* m) {
    free(m->W);
    free(m->q);
    free(m->mu);
}

// W = B'B + I / 10, q at random: as a rule some contacts of each mode, and velocities that are unique for small mu.
static inline case_local case_local_random(int d, int nc, double mu, uint64_t seed) {
    case_local m = case_local_make(d, nc);
    sti_rng rng = {.state = seed};
    const int n = d * nc, rank = 2 * n;
    double* B = malloc((size_t)(rank * n) * sizeof *B);
    for (int i = 0; i < rank * n; i++) B[i] = 2 * sti_rng_u01(&rng) - 1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < rank; k++) m.W[i * n + j] += B[k * n + i] * B[k * n + j];
        }
        m.W[i * n + i] += 0.1;
        m.q[i] = 2 * sti_rng_u01(&rng) - 1.5;
    }
    for (int c = 0; c < nc; c++) m.mu[c] = mu;
    free(B);
    return m;
}

// ---- one contact

// W = diag(a, b, b), falling at speed 1 and sliding at speed s: r_n = 1 / a, and it sticks as long as s / b <= mu / a.
static inline void case_one_contact(sti_contact_solver solver) {
    sti_env* env = open_env();
    static const double a[] = {1, 3, 1e-3, 1e4}, ratio[] = {1, 0.2, 3.5}, mus[] = {0, 0.1, 0.7, 3};
    for (int k = 0; k < 4 * 3 * 4 * 5 * 2; k++) {
        const int d = 2 + k % 2;
        const double an = a[k / 2 % 4], at = an * ratio[k / 8 % 3], mu = mus[k / 24 % 4], s = 0.5 * (k / 96);
        case_local m = case_local_make(d, 1);
        for (int i = 0; i < d; i++) m.W[i * d + i] = i == 0 ? an : at;
        m.mu[0] = mu;
        m.q[0] = -1;
        m.q[1] = d == 2 ? s : 0.6 * s;
        if (d == 3) m.q[2] = -0.8 * s;
        sti_contact_answer x = case_solve(env, &m.p, solver, 1e-10, "one contact");
        const double slip = fmax(0, s - mu * at / an), speed = d == 2 ? fabs(x.u[1]) : hypot(x.u[1], x.u[2]);
        assert_true(fabs(x.r[0] * an - 1) <= 1e-8 && fabs(x.u[0]) <= 1e-8);
        assert_true(fabs(speed - slip) <= 1e-8 * (1 + s));
        assert_true(fabs(at * x.r[1] + m.q[1] - (s > 0 ? m.q[1] * slip / s : 0)) <= 1e-8 * (1 + s));
        sti_contact_answer_clear(env, &x);

        m.q[0] = 0.25;  // parting: nothing acts
        x = case_solve(env, &m.p, solver, 1e-10, "a contact that parts");
        assert_true(largest(x.r, d) == 0);
        sti_contact_answer_clear(env, &x);
        case_local_free(&m);
    }
    sti_env_destroy(env);
}

// ---- a block on a slope

// A cube of side and mass 1 on the four corners of its lower face (in the plane: a square on two), after a step in
// which gravity gives the impulse (sin a, -cos a). W has rank 6 (3): the four forces are not determined.
static inline case_local case_block(int d, double slope, double mu) {
    const int nc = d == 3 ? 4 : 2, n = d * nc;
    case_local m = case_local_make(d, nc);
    static const double axis[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};  // normal and tangents
    double H[6][12] = {{0}}, inverse[6] = {1, 1, 1, 6, 6, 6};
    const double f[6] = {sin(slope), 0, -cos(slope)};
    for (int c = 0; c < nc; c++) {
        const double x[3] = {c & 1 ? 0.5 : -0.5, d == 2 ? 0 : c & 2 ? 0.5 : -0.5, -0.5};
        for (int k = 0; k < d; k++) {
            const double* t = axis[k];
            const double arm[3] = {x[1] * t[2] - x[2] * t[1], x[2] * t[0] - x[0] * t[2], x[0] * t[1] - x[1] * t[0]};
            for (int i = 0; i < 3; i++) H[i][d * c + k] = t[i], H[i + 3][d * c + k] = arm[i];
        }
        m.mu[c] = mu;
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 6; k++) {
            m.q[i] += H[k][i] * inverse[k] * f[k];
            for (int j = 0; j < n; j++) m.W[i * n + j] += H[k][i] * inverse[k] * H[k][j];
        }
    }
    return m;
}

// Below atan mu it sticks; above, all corners slide at sin a - mu cos a. It would tip beyond 45 degrees.
static inline void case_block_on_a_slope(sti_contact_solver solver) {
    sti_env* env = open_env();
    static const double slopes[] = {0, 0.1, 0.3, 0.45, 0.48, 0.6, 0.75}, mu = 0.5;  // atan 0.5 = 0.4636
    for (int k = 0; k < 14; k++) {
        const int d = 2 + k % 2, nc = d == 2 ? 2 : 4;
        const double slope = slopes[k / 2], speed = fmax(0, sin(slope) - mu * cos(slope));
        case_local m = case_block(d, slope, mu);
        sti_contact_answer a = case_solve(env, &m.p, solver, 1e-10, "block on a slope");
        double weight = 0, hold = 0;
        for (int c = 0; c < nc; c++) {
            weight += a.r[d * c];
            hold += a.r[d * c + 1];
            assert_true(fabs(a.u[d * c]) <= 1e-8 && fabs(a.u[d * c + 1] - speed) <= 1e-8);
            if (d == 3) assert_true(fabs(a.u[d * c + 2]) <= 1e-8);
        }
        assert_true(fabs(weight - cos(slope)) <= 1e-8);
        assert_true(fabs(hold - speed + sin(slope)) <= 1e-8);
        sti_contact_answer_clear(env, &a);
        case_local_free(&m);
    }
    sti_env_destroy(env);
}

// Pushed sideways below friction, four corners on the ground: exactly at rest, and nothing is complained about.
static inline void case_hyperstatic_cube(sti_contact_solver solver) {
    sti_env* env = open_env();
    case_local m = case_block(3, 0.2, 0.8);
    sti_contact_answer a = case_solve(env, &m.p, solver, 1e-13, "hyperstatic cube");
    assert_true(largest(a.u, 12) <= 1e-12);
    assert_int_equal(a.diagnosis[0], '\0');
    for (int c = 0; c < 4;
         c++)  // r is not unique: it may lie on the border of the cone, and a corner may carry nothing
        assert_true(a.mode[c] == STI_MODE_STICK || fabs(a.margin[c]) <= 1e-12);
    sti_contact_answer_clear(env, &a);
    case_local_free(&m);
    sti_env_destroy(env);
}

// ---- the collection

enum { CASE_FILES = 200 };

// Paths of the contact problems, ordered; 0: there is no collection.
static inline int case_list(char* paths[CASE_FILES]) {
    static const char* const kinds[] = {"fc2d", "fc3d", "gfc2d", "gfc3d"};
    int count = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/problems/%s", STI_SHARED_DIR, kinds[k]);
        DIR* folder = opendir(path);
        if (folder == NULL) continue;
        for (struct dirent* entry; (entry = readdir(folder)) != NULL && count < CASE_FILES;) {
            if (strstr(entry->d_name, ".hdf5") == NULL) continue;
            const size_t size = strlen(path) + strlen(entry->d_name) + 2;
            paths[count] = malloc(size);
            snprintf(paths[count], size, "%s/%s", path, entry->d_name);
            int at = count++;
            for (; at > 0 && strcmp(paths[at - 1], paths[at]) > 0; at--) {
                char* swap = paths[at];
                paths[at] = paths[at - 1];
                paths[at - 1] = swap;
            }
        }
        closedir(folder);
    }
    return count;
}

static inline sti_document* case_load(sti_env* env, const char* path) {
    sti_document* file;
    assert_int_equal(sti_document_load(env, path, &file), STI_OK);
    assert_non_null(sti_contact_problem_of(file));
    return file;
}

// Problems up to so many contacts are tried with so many iterations; at most `open` of them may stay open.
static inline void case_collection(sti_contact_solver solver, double tol, int largest, long iterations, int open) {
    char* paths[CASE_FILES];
    const int count = case_list(paths);
    if (count == 0) {
        print_message("no collection of problems here\n");
        skip();
    }
    sti_env* env = open_env();
    int tried = 0, solved = 0;
    for (int k = 0; k < count; k++) {
        sti_document* file = case_load(env, paths[k]);
        if (sti_contact_problem_of(file)->contact_count <= largest) {
            sti_contact_options options = case_options(solver, tol);
            options.max_iterations = iterations;
            sti_contact_answer a = case_try(env, sti_contact_problem_of(file), &options, paths[k]);
            tried++;
            solved += a.outcome == STI_SOLVED;
            if (a.outcome != STI_SOLVED) print_message("open: %s: %s\n", strrchr(paths[k], '/') + 1, a.reason);
            sti_contact_answer_clear(env, &a);
        }
        sti_document_destroy(file);
        free(paths[k]);
    }
    sti_env_destroy(env);
    print_message("%s, tol %g: %d of %d\n", sti_contact_solver_text(solver), tol, solved, tried);
    assert_true(solved >= tried - open);
}

// ---- order, frames, units

// Contact c of the new problem is contact from[c] of the old one, its tangents turned by angle[c] (in the plane:
// reversed or not); velocities are multiplied by `speed`, forces by `force`.
typedef struct case_change {
    int nc;
    int from[64];
    double angle[64];
    double speed, force;
} case_change;

// y = scale R_c x of contact from[c]
static inline void case_carry(const case_change* h, int d, double scale, const double* x, double* y) {
    for (int c = 0; c < h->nc; c++) {
        const double *from = x + d * h->from[c], co = cos(h->angle[c]), si = sin(h->angle[c]);
        double* to = y + d * c;
        to[0] = scale * from[0];
        if (d == 2) {
            to[1] = co < 0 ? -scale * from[1] : scale * from[1];
        } else {
            to[1] = scale * (co * from[1] - si * from[2]);
            to[2] = scale * (si * from[1] + co * from[2]);
        }
    }
}

static inline case_local case_change_local(sti_env* env, const sti_contact_problem* p, const case_change* h) {
    const int d = p->dimension, n = d * h->nc;
    case_local out = case_local_make(d, h->nc);
    sti_matrix W;
    assert_int_equal(sti_matrix_to_dense(env, &p->W, &W), STI_OK);
    double *half = malloc((size_t)(n * n) * sizeof *half), *column = malloc((size_t)n * sizeof *column);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) column[i] = W.dense[i * n + j];
        case_carry(h, d, h->speed / h->force, column, half + (size_t)(j * n));
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) column[j] = half[j * n + i];
        case_carry(h, d, 1, column, out.W + (size_t)(i * n));
    }
    case_carry(h, d, h->speed, p->q, out.q);
    for (int c = 0; c < h->nc; c++) out.mu[c] = p->mu[h->from[c]];
    free(half);
    free(column);
    sti_matrix_clear(env, &W);
    return out;
}

static inline case_change case_change_of(int kind, int nc, sti_rng* rng) {
    case_change h = {.nc = nc, .speed = 1, .force = 1};
    for (int c = 0; c < nc; c++) h.from[c] = c;
    if (kind == 0) h.speed = 1e-6, h.force = 1e6;
    if (kind == 1) h.speed = 1e6, h.force = 1e-6;
    if (kind == 2) h.speed = 1e6, h.force = 1e6;
    for (int c = nc - 1; kind >= 3 && c > 0; c--) {
        const int k = sti_rng_int(rng, 0, c), t = h.from[c];
        h.from[c] = h.from[k];
        h.from[k] = t;
    }
    for (int c = 0; kind >= 4 && c < nc; c++) h.angle[c] = 6.28 * sti_rng_u01(rng);
    return h;
}

// The changed problem is solved as well, with the velocities of the first one.
static inline void case_unchanged(sti_env* env, const sti_contact_problem* p, sti_contact_solver solver, double near,
                                  const char* name) {
    const int d = p->dimension, n = d * p->contact_count;
    sti_rng rng = {.state = 11};
    sti_contact_answer a = case_solve(env, p, solver, 1e-10, name);
    double* want = malloc((size_t)n * sizeof *want);
    for (int kind = 0; kind < 5; kind++) {
        const case_change h = case_change_of(kind, p->contact_count, &rng);
        case_local m = case_change_local(env, p, &h);
        sti_contact_answer b = case_solve(env, &m.p, solver, 1e-10, name);
        case_carry(&h, d, h.speed, a.u, want);
        const double unit = fmax(largest(want, n), largest(m.q, n));
        for (int i = 0; i < n; i++) want[i] -= b.u[i];
        if (!(largest(want, n) <= near * unit))
            fail_msg("%s, change %d: velocities differ by %g of %g", name, kind, largest(want, n), unit);
        sti_contact_answer_clear(env, &b);
        case_local_free(&m);
    }
    free(want);
    sti_contact_answer_clear(env, &a);
}

static inline void case_order_frames_and_units(sti_contact_solver solver) {
    sti_env* env = open_env();
    for (int trial = 0; trial < 16; trial++) {
        char name[40];
        snprintf(name, sizeof name, "random problem %d", trial);
        case_local m = case_local_random(2 + trial % 2, 1 + trial / 2, 0.1, 50 + (uint64_t)trial);
        case_unchanged(env, &m.p, solver, 1e-6, name);
        case_local_free(&m);
    }
    static const char* const names[] = {"fc2d/FrictionContactProblem00031", "fc3d/FrictionContact3D_RR_1c",
                                        "fc3d/NESpheres_10_1", "fc3d/Rover1039", "fc3d/Rover4144"};
    char* paths[CASE_FILES];
    const int count = case_list(paths);
    for (int k = 0; k < count; k++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (strstr(paths[k], names[i]) == NULL) continue;
            sti_document* file = case_load(env, paths[k]);
            case_unchanged(env, sti_contact_problem_of(file), solver, 1e-6, names[i]);
            sti_document_destroy(file);
        }
        free(paths[k]);
    }
    sti_env_destroy(env);
}

// ---- guesses, limits, failure

// A solution is recognized at once, and left as it is. A guess that is off by one in 10^5 takes fewer iterations than
// zero, summed over a family; a guess from elsewhere does not mislead.
static inline void case_warm_start(sti_contact_solver solver) {
    sti_env* env = open_env();
    long cold = 0, warm = 0;
    for (int trial = 0; trial < 12; trial++) {
        case_local m = case_local_random(2 + trial % 2, 12, 0.3, 90 + (uint64_t)trial);
        const int n = m.p.dimension * 12;
        sti_contact_answer a = case_solve(env, &m.p, solver, 1e-9, "from zero");
        double* guess = malloc((size_t)n * sizeof *guess);
        memcpy(guess, a.r, (size_t)n * sizeof *guess);
        sti_contact_options options = case_options(solver, 1e-9);
        options.guess_r = guess;
        sti_contact_answer b = case_try(env, &m.p, &options, "from the solution");
        assert_int_equal(b.outcome, STI_SOLVED);
        assert_int_equal(b.iterations, 0);
        assert_memory_equal(b.r, a.r, (size_t)n * sizeof *guess);
        sti_contact_answer_clear(env, &b);

        sti_rng rng = {.state = (uint64_t)trial};
        for (int i = 0; i < n; i++) guess[i] *= 1 + 1e-5 * (2 * sti_rng_u01(&rng) - 1);
        b = case_try(env, &m.p, &options, "from nearby");
        assert_int_equal(b.outcome, STI_SOLVED);
        cold += a.iterations;
        warm += b.iterations;
        sti_contact_answer_clear(env, &b);

        for (int i = 0; i < n; i++) guess[i] = 100 * (2 * sti_rng_u01(&rng) - 1);
        b = case_try(env, &m.p, &options, "from elsewhere");
        assert_int_equal(b.outcome, STI_SOLVED);
        sti_contact_answer_clear(env, &b);
        sti_contact_answer_clear(env, &a);
        free(guess);
        case_local_free(&m);
    }
    print_message("%s: %ld iterations from zero, %ld from nearby\n", sti_contact_solver_text(solver), cold, warm);
    assert_true(warm < cold);
    sti_env_destroy(env);
}

// Limits of the caller hold, and the answer is the best point seen.
static inline void case_limits(sti_contact_solver solver) {
    sti_env* env = open_env();
    case_local m = case_local_random(3, 12, 0.3, 7);
    double last = INFINITY;
    for (long limit = 1; limit <= 16; limit *= 2) {
        sti_contact_options options = case_options(solver, 1e-14);
        options.max_iterations = limit;
        sti_contact_answer a = case_try(env, &m.p, &options, "few iterations");
        assert_true(a.outcome == STI_LIMIT || a.outcome == STI_SOLVED);
        assert_true(a.iterations <= limit);
        assert_true(a.residual <= last);  // a longer run has seen all that a shorter one has
        last = a.residual;
        sti_contact_answer_clear(env, &a);
    }
    sti_contact_options options = case_options(solver, 1e-14);
    options.time_limit_s = 1e-9;
    sti_contact_answer a = case_try(env, &m.p, &options, "no time");
    assert_int_equal(a.outcome, STI_LIMIT);
    assert_true(isfinite(a.residual));
    sti_contact_answer_clear(env, &a);
    case_local_free(&m);
    sti_env_destroy(env);
}

// A particle between two closing walls: u_n1 + u_n2 = -2 whatever r is.
static inline case_local case_squeeze(void) {
    static const double W[16] = {1, 0, -1, 0, 0, 1, 0, 1, -1, 0, 1, 0, 0, 1, 0, 1}, q[4] = {-1, 0, -1, 0};
    case_local m = case_local_make(2, 2);
    memcpy(m.W, W, sizeof W);
    memcpy(m.q, q, sizeof q);
    m.mu[0] = m.mu[1] = 0.3;
    return m;
}

static inline void case_squeeze_is_not_solved(sti_contact_solver solver) {
    sti_env* env = open_env();
    case_local m = case_squeeze();
    static const double tols[] = {1e-3, 1e-4, 1e-8};
    for (int k = 0; k < 3; k++) {
        const sti_contact_options options = case_options(solver, tols[k]);
        sti_contact_answer a = case_try(env, &m.p, &options, "squeeze");
        assert_int_not_equal(a.outcome, STI_SOLVED);
        assert_true(a.reason[0] != '\0');
        sti_contact_answer_clear(env, &a);
    }
    case_local_free(&m);
    sti_env_destroy(env);
}

static inline void case_failed_allocations(const sti_contact_problem* p, sti_contact_solver solver) {
    const sti_contact_options options = case_options(solver, 1e-8);
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
        if (!failing_env_close(&f)) continue;
        assert_int_equal(status, STI_OK);
        return;
    }
}

// Solved, and not solvable: the second goes through every stage of a method.
static inline void case_memory_runs_out(sti_contact_solver solver) {
    case_local m = case_block(3, 0.6, 0.5);
    case_failed_allocations(&m.p, solver);
    case_local_free(&m);
    m = case_squeeze();
    case_failed_allocations(&m.p, solver);
    case_local_free(&m);
}

#endif
