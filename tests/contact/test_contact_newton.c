// Newton's method for contact: closed forms, known solutions, invariances, real problems, and what it does when it
// cannot.
#include <stdio.h>
#include <stiction/io.h>
#include <unistd.h>

#include "support/contact_pile.h"
#include "support/open_env.h"
#include "support/random.h"

// A local problem with a dense W.
typedef struct posed {
    sti_env* env;
    int d, nc;
    double *W, *q, *mu;  // row major (d nc x d nc), (d nc), (nc)
    sti_contact_local local;
    sti_contact_operator op;  // the same W as an operator
} posed;

static posed pose(sti_env* env, int d, int nc) {
    const size_t n = (size_t)(d * nc);
    return (posed){.env = env,
                   .d = d,
                   .nc = nc,
                   .W = calloc(n * n + 1, sizeof(double)),
                   .q = calloc(n + 1, sizeof(double)),
                   .mu = calloc((size_t)nc + 1, sizeof(double))};
}

static void prepare(posed* p) {
    const sti_matrix W = sti_matrix_dense_view(p->d * p->nc, p->d * p->nc, p->W);
    p->local = (sti_contact_local){.env = p->env, .d = p->d, .nc = p->nc, .mu = p->mu, .q = p->q};
    assert_int_equal(sti_bsr_from_matrix(p->env, &W, p->d, &p->local.W), STI_OK);
    assert_int_equal(sti_contact_local_finish(&p->local), STI_OK);
}

static void drop_posed(posed* p) {
    sti_contact_local_clear(&p->local);
    free(p->W);
    free(p->q);
    free(p->mu);
}

static void multiply(void* user, const double* x, double* y) {
    const posed* p = user;
    const int n = p->d * p->nc;
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++) y[i] += p->W[i * n + j] * x[j];
    }
}

static void as_operator(posed* p) {
    p->op = (sti_contact_operator){.apply = multiply, .user = p, .diagonal = p->local.diagonal};
    p->local.op = &p->op;
}

typedef struct answer {
    sti_contact_run run;
    double *r, *u;
} answer;

static sti_contact_options with_tol(double tol) {
    return (sti_contact_options){.solver = STI_CONTACT_NEWTON, .tol = tol};
}

static answer solve(const sti_contact_local* p, double tol, const double* guess) {
    const size_t n = (size_t)(p->d * p->nc);
    const sti_contact_options options = with_tol(tol);
    answer a = {.r = calloc(n + 1, sizeof(double)), .u = calloc(n + 1, sizeof(double))};
    if (guess != NULL) memcpy(a.r, guess, n * sizeof *guess);
    a.run = (sti_contact_run){.r = a.r, .u = a.u};
    assert_int_equal(sti_contact_method_newton(p, &options, &a.run), STI_OK);
    for (size_t i = 0; i < n; i++) assert_true(isfinite(a.r[i]) && isfinite(a.u[i]));
    return a;
}

static void drop(answer* a) {
    free(a->r);
    free(a->u);
}

// The laws themselves, contact by contact, without projections: every violation relative to the largest force and
// velocity of the problem. u is recomputed from the entries of W.
static double violation(const posed* p, const double* r) {
    const int d = p->d, n = d * p->nc;
    double force = 0, velocity = 0, worst = 0;
    double* u = malloc((size_t)n * sizeof *u + 1);
    for (int i = 0; i < n; i++) {
        u[i] = p->q[i];
        for (int j = 0; j < n; j++) u[i] += p->W[i * n + j] * r[j];
        force = fmax(force, fabs(r[i]));
        velocity = fmax(velocity, fmax(fabs(u[i]), fabs(p->q[i])));
    }
    for (int c = 0; c < p->nc; c++) {
        const double *rc = r + d * c, *uc = u + d * c, mu = p->mu[c];
        const double rt = d == 2 ? fabs(rc[1]) : hypot(rc[1], rc[2]), ut = d == 2 ? fabs(uc[1]) : hypot(uc[1], uc[2]);
        worst = fmax(worst, -rc[0] / force);
        worst = fmax(worst, -uc[0] / velocity);
        worst = fmax(worst, fmin(rc[0] / force, uc[0] / velocity));
        worst = fmax(worst, (rt - mu * rc[0]) / force);
        // sliding takes the whole friction, against the slip
        const double power = rc[1] * uc[1] + (d == 3 ? rc[2] * uc[2] : 0);
        worst = fmax(worst, (power + mu * rc[0] * ut) / (force * velocity));
    }
    free(u);
    return force > 0 ? worst : 0;
}

static void assert_solved(const answer* a, double tol) {
    if (a->run.termination != STI_END_SOLUTION) print_message("%s\n", a->run.reason);
    assert_int_equal(a->run.termination, STI_END_SOLUTION);
    assert_true(a->run.residual <= tol);
}

// W = B B' of the given rank, about a third of the blocks of B filled, so that W has a pattern.
static void random_W(posed* p, int rank, sti_rng* rng) {
    const int n = p->d * p->nc;
    double* B = calloc((size_t)(n * rank) + 1, sizeof(double));
    for (int c = 0; c < p->nc; c++) {
        for (int k = 0; k < rank; k++) {
            if (sti_rng_int(rng, 0, 2) != 0 && k % p->nc != c) continue;
            for (int i = 0; i < p->d; i++) B[(p->d * c + i) * rank + k] = symmetric(rng);
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < rank; k++) p->W[i * n + j] += B[i * rank + k] * B[j * rank + k];
        }
    }
    free(B);
}

// q for which r is a solution: modes at random.
static void random_solution(posed* p, double mu_most, double* r, double* u, sti_rng* rng) {
    const int d = p->d, n = d * p->nc;
    for (int c = 0; c < p->nc; c++) {
        const double angle = 3.2 * symmetric(rng), t[2] = {d == 3 ? cos(angle) : (angle > 0 ? 1 : -1), sin(angle)};
        double *rc = r + d * c, *uc = u + d * c;
        const double mu = p->mu[c] = c % 5 == 4 ? 0 : mu_most * sti_rng_u01(rng);
        for (int i = 0; i < d; i++) rc[i] = uc[i] = 0;
        const int mode = sti_rng_int(rng, 0, 2);
        if (mode == 0) {
            uc[0] = sti_rng_u01(rng);
            for (int i = 1; i < d; i++) uc[i] = symmetric(rng);
            continue;
        }
        rc[0] = 0.1 + sti_rng_u01(rng);
        for (int i = 1; i < d; i++) {
            rc[i] = -t[i - 1] * mu * rc[0] * (mode == 1 ? 0.9 * sti_rng_u01(rng) : 1);
            uc[i] = mode == 1 && mu > 0 ? 0 : 0.3 * t[i - 1];
        }
    }
    for (int i = 0; i < n; i++) {
        p->q[i] = u[i];
        for (int j = 0; j < n; j++) p->q[i] -= p->W[i * n + j] * r[j];
    }
}

static void newton_agrees_with_the_exact_solver_of_one_contact(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 11};
    for (int k = 0; k < 200; k++) {
        const int d = 2 + k % 2;
        posed p = pose(env, d, 1);
        random_W(&p, d + 1, &rng);
        for (int i = 0; i < d; i++) p.q[i] = symmetric(&rng);
        p.mu[0] = k % 7 == 0 ? 0 : 0.8 * sti_rng_u01(&rng);
        prepare(&p);
        double r[3];
        sti_contact_solve_one(d, p.mu[0], p.W, p.q, r);
        as_operator(&p);  // no Gauss-Seidel in front: the steps are Newton's own
        answer a = solve(&p.local, 1e-12, NULL);
        assert_solved(&a, 1e-12);
        const double size = fmax(p.local.scale, fabs(r[0]));
        for (int i = 0; i < d; i++) assert_true(fabs(a.r[i] - r[i]) <= 1e-8 * size);
        drop(&a);
        drop_posed(&p);
    }
    sti_env_destroy(env);
}

// A cube with mass 1 thrown at (s, 0, -1) on four contacts: all its momentum is taken if mu >= s, otherwise mu of it.
static void cube_on_four_contacts_sticks_iff_mu_at_least_tangent(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int k = 0; k < 40; k++) {
        const double s = 0.25 * sin(k), angle = 0.7 * k, mu = 0.01 + 0.02 * (k % 20);
        const double velocity[3] = {s * cos(angle), s * sin(angle), -1};
        pile p;
        pile_cubes(env, 1, mu, velocity, &p);
        answer a = solve(&p.local, 1e-12, NULL);
        assert_solved(&a, 1e-12);
        double normal = 0, slip = 0;
        for (int c = 0; c < 4; c++) {
            normal += a.r[3 * c];
            slip = fmax(slip, hypot(a.u[3 * c + 1], a.u[3 * c + 2]));
        }
        assert_true(fabs(normal - 1) <= 1e-10);
        assert_true(fabs(slip - fmax(0, fabs(s) - mu)) <= 1e-10);
        drop(&a);
        pile_free(&p);
    }
    sti_env_destroy(env);
}

static void newton_finds_known_solutions(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 5};
    for (int k = 0; k < 120; k++) {
        const int d = 2 + k % 2, nc = 1 + k % 13, n = d * nc;
        double r[39], u[39];
        posed p = pose(env, d, nc);
        random_W(&p, n + 2, &rng);  // regular: the solution is unique for small mu
        random_solution(&p, 0.2, r, u, &rng);
        prepare(&p);
        answer a = solve(&p.local, 1e-12, NULL);
        assert_solved(&a, 1e-12);
        assert_true(violation(&p, a.r) <= 1e-9);
        double size = p.local.scale;
        for (int i = 0; i < n; i++) size = fmax(size, fabs(r[i]));
        for (int i = 0; i < n; i++) assert_true(fabs(a.r[i] - r[i]) <= 1e-5 * size);
        drop(&a);
        drop_posed(&p);
    }
    sti_env_destroy(env);
}

static void newton_solves_problems_with_singular_W(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 6};
    for (int k = 0; k < 120; k++) {
        const int d = 2 + k % 2, nc = 2 + k % 12, n = d * nc, rank = 1 + n / (2 + k % 4);
        double r[39], u[39];
        posed p = pose(env, d, nc);
        random_W(&p, rank, &rng);
        random_solution(&p, 0.6, r, u, &rng);
        prepare(&p);
        answer a = solve(&p.local, 1e-10, NULL);
        assert_solved(&a, 1e-10);
        assert_true(violation(&p, a.r) <= 1e-6);
        drop(&a);
        drop_posed(&p);
    }
    sti_env_destroy(env);
}

static void newton_solves_towers_and_piles(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int k = 0; k < 6; k++) {
        const double mu = k % 3 == 0 ? 0 : 0.4 * k, velocity[3] = {0.02 * k, 0.01, -0.3};
        pile p;
        if (k < 3)
            pile_cubes(env, 12, mu + 0.1, velocity, &p);
        else
            pile_spheres(env, 2 + k % 2, 4, 2 + k % 2 == 2 ? 1 : 4, 5, mu, &p);
        answer a = solve(&p.local, 1e-12, NULL);
        assert_solved(&a, 1e-12);
        drop(&a);
        pile_free(&p);
    }
    sti_env_destroy(env);
}

// The problem seen otherwise: contact i of the new one is contact from[i] of the old, its tangents turned by turn[i],
// velocities times a, forces times b.
static posed seen_otherwise(const posed* p, int nc, const int* from, const double* turn, double a, double b) {
    const int d = p->d, n = d * nc, old = d * p->nc;
    posed s = pose(p->env, d, nc);
    double* R = calloc((size_t)(n * old), sizeof(double));  // rows: new directions in the old ones
    for (int c = 0; c < nc; c++) {
        const double t = d == 3 && turn != NULL ? turn[c] : 0;
        double* at = R + d * c * old + d * from[c];
        at[0] = 1;
        at[old + 1] = cos(t);
        if (d == 3) {
            at[old + 2] = sin(t);
            at[2 * old + 1] = -sin(t);
            at[2 * old + 2] = cos(t);
        }
        s.mu[c] = p->mu[from[c]];
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < old; k++) {
            if (R[i * old + k] == 0) continue;
            s.q[i] += a * R[i * old + k] * p->q[k];
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int l = d * from[j / d]; l < d * from[j / d] + d; l++) sum += p->W[k * old + l] * R[j * old + l];
                s.W[i * n + j] += a / b * R[i * old + k] * sum;
            }
        }
    }
    free(R);
    prepare(&s);
    return s;
}

// Velocities of s, carried back, are those of p.
static void assert_same_velocities(const posed* p, const double* u, const posed* s, const double* us, const int* from,
                                   const double* turn, double a, double tol) {
    const int d = p->d;
    double size = 0;
    for (int i = 0; i < d * p->nc; i++) size = fmax(size, fmax(fabs(u[i]), fabs(p->q[i])));
    for (int c = 0; c < s->nc; c++) {
        const double t = d == 3 && turn != NULL ? turn[c] : 0, *x = us + d * c, *y = u + d * from[c];
        const double back[3] = {x[0], cos(t) * x[1] - (d == 3 ? sin(t) * x[2] : 0),
                                d == 3 ? sin(t) * x[1] + cos(t) * x[2] : 0};
        for (int i = 0; i < d; i++) assert_true(fabs(back[i] / a - y[i]) <= tol * size);
    }
}

static void velocities_do_not_depend_on_units_order_frames_or_copies(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 8};
    for (int k = 0; k < 30; k++) {
        const int d = 2 + k % 2, nc = 3 + k % 7;
        double r[30], u[30], turn[20];
        int same[20], shuffled[20], twice[20];
        posed p = pose(env, d, nc);
        random_W(&p, d * nc + 2, &rng);
        random_solution(&p, 0.2, r, u, &rng);
        prepare(&p);
        answer a = solve(&p.local, 1e-13, NULL);
        assert_solved(&a, 1e-13);
        for (int c = 0; c < nc; c++) {
            same[c] = twice[c] = twice[nc + c] = shuffled[c] = c;
            turn[c] = 3 * symmetric(&rng);
        }
        for (int c = nc - 1; c > 0; c--) {
            const int j = sti_rng_int(&rng, 0, c), t = shuffled[c];
            shuffled[c] = shuffled[j];
            shuffled[j] = t;
        }
        const struct {
            int nc;
            const int* from;
            const double* turn;
            double a, b;
        } view[] = {{nc, same, NULL, 1e-6, 1},     {nc, same, NULL, 1e6, 1},   {nc, same, NULL, 1e6, 1e-6},
                    {nc, same, NULL, 1e-6, 1e-6},  {nc, shuffled, NULL, 1, 1}, {nc, same, turn, 1, 1},
                    {nc, shuffled, turn, 1e3, 10}, {2 * nc, twice, NULL, 1, 1}};
        for (size_t v = 0; v < sizeof view / sizeof *view; v++) {
            posed s = seen_otherwise(&p, view[v].nc, view[v].from, view[v].turn, view[v].a, view[v].b);
            answer b = solve(&s.local, 1e-13, NULL);
            assert_solved(&b, 1e-13);
            assert_same_velocities(&p, a.u, &s, b.u, view[v].from, view[v].turn, view[v].a, 1e-6);
            drop(&b);
            drop_posed(&s);
        }
        drop(&a);
        drop_posed(&p);
    }
    sti_env_destroy(env);
}

static void operator_gives_the_velocities_of_the_matrix(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 21};
    for (int k = 0; k < 20; k++) {
        const int d = 2 + k % 2, nc = 2 + k % 9, n = d * nc;
        double r[33], u[33];
        posed p = pose(env, d, nc);
        random_W(&p, n + 2, &rng);
        random_solution(&p, 0.2, r, u, &rng);
        prepare(&p);
        answer a = solve(&p.local, 1e-12, NULL);
        as_operator(&p);
        answer b = solve(&p.local, 1e-12, NULL);
        assert_solved(&a, 1e-12);
        assert_solved(&b, 1e-12);
        for (int i = 0; i < n; i++) assert_true(fabs(a.u[i] - b.u[i]) <= 1e-6 * (1 + fabs(a.u[i])));
        drop(&a);
        drop(&b);
        drop_posed(&p);
    }
    sti_env_destroy(env);
}

// Two problems side by side, W block diagonal: the forces are those of each alone.
static void islands_together_give_what_they_give_apart(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 31};
    posed part[2], both = pose(env, 3, 11);
    answer alone[2];
    int at = 0;
    for (int k = 0; k < 2; k++) {
        const int nc = 5 + k, n = 3 * nc;
        double r[18], u[18];
        part[k] = pose(env, 3, nc);
        random_W(&part[k], n + 2, &rng);
        random_solution(&part[k], 0.2, r, u, &rng);
        prepare(&part[k]);
        alone[k] = solve(&part[k].local, 1e-13, NULL);
        assert_solved(&alone[k], 1e-13);
        for (int i = 0; i < n; i++) {
            both.q[at + i] = part[k].q[i];
            both.mu[(at + i) / 3] = part[k].mu[i / 3];
            for (int j = 0; j < n; j++) both.W[(at + i) * 33 + at + j] = part[k].W[i * n + j];
        }
        at += n;
    }
    prepare(&both);
    answer a = solve(&both.local, 1e-13, NULL);
    assert_solved(&a, 1e-13);
    at = 0;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3 * part[k].nc; i++) assert_true(fabs(a.u[at + i] - alone[k].u[i]) <= 1e-8);
        at += 3 * part[k].nc;
        drop(&alone[k]);
        drop_posed(&part[k]);
    }
    drop(&a);
    drop_posed(&both);
    sti_env_destroy(env);
}

static void good_guess_is_kept_and_bad_guess_forgiven(void** state) {
    (void)state;
    sti_env* env = open_env();
    pile p;
    pile_cubes(env, 5, 0.4, (double[3]){0.05, 0.02, -0.2}, &p);
    const int n = 3 * p.contact_count;
    answer a = solve(&p.local, 1e-12, NULL);
    assert_solved(&a, 1e-12);

    answer again = solve(&p.local, 1e-12, a.r);
    assert_solved(&again, 1e-12);
    assert_int_equal(again.run.iterations, 0);
    assert_memory_equal(again.r, a.r, (size_t)n * sizeof *a.r);
    drop(&again);

    double* guess = malloc((size_t)n * sizeof *guess);
    for (int k = 0; k < 4; k++) {
        // near the solution, far from it, out of range, not a number
        for (int i = 0; i < n; i++)
            guess[i] = k == 0 ? a.r[i] * (1 + 1e-6 * (i % 3)) : k == 1 ? 10 * (i % 5) - 20 : a.r[i];
        if (k == 2) guess[3] = 1e308;
        if (k == 3) guess[4] = NAN;
        again = solve(&p.local, 1e-12, guess);
        assert_solved(&again, 1e-12);
        drop(&again);
    }
    free(guess);
    drop(&a);
    pile_free(&p);
    sti_env_destroy(env);
}

static void count_trace(void* user, const char* solver, long iteration, double residual) {
    long* count = user;
    assert_string_equal(solver, "newton");
    assert_true(iteration > 0 && residual >= 0);
    ++*count;
}

static void limits_stop_the_method_at_its_best_point(void** state) {
    (void)state;
    sti_env* env = open_env();
    pile p;
    pile_spheres(env, 3, 5, 5, 5, 0.3, &p);
    const size_t n = (size_t)(3 * p.contact_count);
    double *r = calloc(n, sizeof *r), *u = calloc(n, sizeof *u);
    sti_contact_run run = {.r = r, .u = u};
    sti_contact_options options = with_tol(1e-13);
    long count = 0;
    options.trace = count_trace;
    options.trace_user = &count;

    sti_contact_local_apply(&p.local, r, u);
    double before = sti_contact_natural_map(&p.local, r, u, NULL);
    for (int limit = 1; limit < 4; limit++) {
        options.max_iterations = limit;
        memset(r, 0, n * sizeof *r);
        assert_int_equal(sti_contact_method_newton(&p.local, &options, &run), STI_OK);
        assert_true(run.iterations <= limit);
        assert_int_equal(run.termination, STI_END_LIMIT);
        assert_true(run.residual <= before);
        assert_true(run.residual == sti_contact_natural_map(&p.local, r, u, NULL));
    }
    assert_true(count > 0);
    options.max_iterations = 0;
    options.time_limit_s = 1e-9;
    memset(r, 0, n * sizeof *r);
    assert_int_equal(sti_contact_method_newton(&p.local, &options, &run), STI_OK);
    assert_int_equal(run.termination, STI_END_LIMIT);
    assert_true(run.residual <= before);
    free(r);
    free(u);
    pile_free(&p);
    sti_env_destroy(env);
}

static void same_input_gives_the_same_bits(void** state) {
    (void)state;
    sti_env* env = open_env();
    pile p;
    pile_spheres(env, 3, 3, 3, 4, 0.5, &p);
    answer a = solve(&p.local, 1e-12, NULL), b = solve(&p.local, 1e-12, NULL);
    assert_int_equal(a.run.iterations, b.run.iterations);
    assert_memory_equal(a.r, b.r, (size_t)(3 * p.contact_count) * sizeof *a.r);
    drop(&a);
    drop(&b);
    pile_free(&p);
    sti_env_destroy(env);
}

// No solution, nothing to solve, nothing that moves: finite numbers, and no claim.
static void nothing_is_claimed_where_there_is_no_solution(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int d = 2; d <= 3; d++) {
        for (int k = 0; k < 4; k++) {
            posed p = pose(env, d, 2);
            const int n = 2 * d;
            for (int i = 0; i < n; i++) p.W[i * n + i] = k == 0 ? 0 : i < d;  // the second contact moves nothing
            for (int i = 0; i < n; i++) p.q[i] = -0.5;
            if (k == 2) p.q[d] = 0.5;  // solvable: it separates
            if (k == 3)
                for (int i = 0; i < n; i++) p.q[i] *= 1e150, p.W[i * n + i] *= 1e150;
            p.mu[0] = p.mu[1] = 0.3;
            prepare(&p);
            answer a = solve(&p.local, 1e-8, NULL);
            if (k == 2)
                assert_solved(&a, 1e-8);
            else
                assert_true(a.run.termination != STI_END_SOLUTION && a.run.residual > 1e-8);
            drop(&a);
            drop_posed(&p);
        }
    }
    posed none = pose(env, 3, 0);
    none.local = (sti_contact_local){.env = env, .d = 3, .mu = none.mu, .q = none.q};
    const sti_matrix empty = {0};
    assert_int_equal(sti_bsr_from_matrix(env, &empty, 3, &none.local.W), STI_OK);
    assert_int_equal(sti_contact_local_finish(&none.local), STI_OK);
    answer a = solve(&none.local, 1e-8, NULL);
    assert_solved(&a, 1e-8);
    drop(&a);
    drop_posed(&none);
    sti_env_destroy(env);
}

static void failed_allocations_leave_nothing_behind(void** state) {
    (void)state;
    for (int as_op = 0; as_op < 2; as_op++) {
        for (long k = 0;; k++) {
            sti_env* env = open_env();
            sti_rng rng = {.state = 3};
            double r[12], u[12];
            posed p = pose(env, 3, 4);
            random_W(&p, 8, &rng);
            random_solution(&p, 0.4, r, u, &rng);
            prepare(&p);
            if (as_op) as_operator(&p);
            failing_env f;
            failing_env_open(&f, k);
            p.local.env = f.env;
            memset(r, 0, sizeof r);
            sti_contact_run run = {.r = r, .u = u};
            const sti_contact_options options = with_tol(1e-13);
            const sti_status status = sti_contact_method_newton(&p.local, &options, &run);
            assert_true(status == STI_OK || status == STI_ERR_MEMORY);
            if (status == STI_ERR_MEMORY) assert_int_equal(sti_env_error(f.env)->status, STI_ERR_MEMORY);
            p.local.env = env;
            const bool done = failing_env_close(&f);
            assert_true(done == (status == STI_OK));
            drop_posed(&p);
            sti_env_destroy(env);
            if (done) break;
            assert_true(k < 100);
        }
    }
}

static const char* const real_problems[] = {
    "fc2d/FC2D_SliderCrankLagrangian00000",
    "fc2d/FC2D_SliderCrankLagrangian00001",
    "fc2d/FrictionContactProblem00031",
    "fc2d/FrictionContactProblem00237",
    "fc2d/fc2d_granularflowonwall_00667_00000",
    "fc2d/fc2d_granularflowonwall_07002_00801",
    "fc2d/gfc2d_granularflowonwall_00069_00350_reduced",
    "fc3d/BoxesStack1-i100000-32",
    "fc3d/Capsules-i100-889",
    "fc3d/Capsules-i103-990",
    "fc3d/FrictionContact3D_1c",
    "fc3d/FrictionContact3D_RR_1c",
    "fc3d/KaplasTower-i1061-4",
    "fc3d/LMGC_100_PR_PerioBox-i00361-60-03000",
    "fc3d/NESpheres_10_1",
    "fc3d/OneObject-i100000-316",
    "fc3d/OneObject-i100000-499",
    "fc3d/OneObject-i1028-138",
    "fc3d/Rover1039",
    "fc3d/Rover1040",
    "fc3d/Rover1041",
    "fc3d/Rover4144",
    "fc3d/Rover4516",
    "fc3d/Rover4609",
    "fc3d/Rover4622",
};

static void newton_solves_every_real_problem(void** state) {
    (void)state;
    if (access(STI_SHARED_DIR "/problems/fc3d", R_OK) != 0) {
        print_message("shared problems absent\n");
        skip();
    }
    sti_env* env = open_env();
    for (size_t k = 0; k < sizeof real_problems / sizeof *real_problems; k++) {
        char path[512];
        snprintf(path, sizeof path, "%s/problems/%s.hdf5", STI_SHARED_DIR, real_problems[k]);
        sti_document* file;
        assert_int_equal(sti_document_load(env, path, &file), STI_OK);
        const sti_contact_problem* c = sti_contact_problem_of(file);
        sti_contact_local p = {.env = env, .d = c->dimension, .nc = c->contact_count, .mu = c->mu, .q = c->q};
        assert_int_equal(sti_bsr_from_matrix(env, &c->W, p.d, &p.W), STI_OK);
        assert_int_equal(sti_contact_local_finish(&p), STI_OK);
        answer a = solve(&p, 1e-8, NULL);
        if (a.run.termination != STI_END_SOLUTION) print_message("%s\n", real_problems[k]);
        assert_solved(&a, 1e-8);
        answer polished = solve(&p, 1e-12, a.r);
        if (polished.run.termination != STI_END_SOLUTION) print_message("%s\n", real_problems[k]);
        assert_solved(&polished, 1e-12);
        drop(&a);
        drop(&polished);
        sti_contact_local_clear(&p);
        sti_document_destroy(file);
    }
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_agrees_with_the_exact_solver_of_one_contact),
        cmocka_unit_test(cube_on_four_contacts_sticks_iff_mu_at_least_tangent),
        cmocka_unit_test(newton_finds_known_solutions),
        cmocka_unit_test(newton_solves_problems_with_singular_W),
        cmocka_unit_test(newton_solves_towers_and_piles),
        cmocka_unit_test(velocities_do_not_depend_on_units_order_frames_or_copies),
        cmocka_unit_test(operator_gives_the_velocities_of_the_matrix),
        cmocka_unit_test(islands_together_give_what_they_give_apart),
        cmocka_unit_test(good_guess_is_kept_and_bad_guess_forgiven),
        cmocka_unit_test(limits_stop_the_method_at_its_best_point),
        cmocka_unit_test(same_input_gives_the_same_bits),
        cmocka_unit_test(nothing_is_claimed_where_there_is_no_solution),
        cmocka_unit_test(failed_allocations_leave_nothing_behind),
        cmocka_unit_test(newton_solves_every_real_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
