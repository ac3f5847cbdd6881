// study_lcp.c: SEED COUNT: random small LCPs, degenerate and badly scaled, solved by `auto` and held against the
// enumeration of all complementary cones in exact arithmetic.
//
// Right is: "no solution" where no cone contains q, and its certificate accepted by the verifier; "solved" with a point
// that the verifier accepts, where some cone contains q. A point that is good to the tolerance of a problem that,
// exactly, has no solution is counted apart ("near"): the data are that close to those of a solvable problem, and the
// residual says how close. The rest is wrong. Left open (unknown, limit) is what `auto` should not do at this size. The
// last line has the counts; exit code 1: something wrong or left open.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/problem.h>

#include "base/rng.h"

enum { MOST = 8, FAMILIES = 12 };

typedef struct problem {
    int n;
    double M[MOST * MOST], q[MOST];
} problem;

typedef struct counts {
    long tried, solved, none, near, open, wrong;
    long most_iterations;
    double worst;  // residual of what is solved, but not exactly
} counts;

// ---- families

static double power_of_ten(sti_rng* rng, int most) {
    return pow(10, sti_rng_int(rng, -most, most));
}

static void integers(sti_rng* rng, problem* p, int most) {
    for (int k = 0; k < p->n * p->n; k++) p->M[k] = sti_rng_int(rng, -most, most);
    for (int i = 0; i < p->n; i++) p->q[i] = sti_rng_int(rng, -most, most);
}

static void low_rank(sti_rng* rng, problem* p, int rank) {
    int A[MOST][MOST], B[MOST][MOST];
    for (int i = 0; i < p->n; i++) {
        for (int k = 0; k < rank; k++) {
            A[i][k] = sti_rng_int(rng, -5, 5);
            B[i][k] = sti_rng_int(rng, -5, 5);
        }
    }
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->n; j++) {
            p->M[i * p->n + j] = 0;
            for (int k = 0; k < rank; k++) p->M[i * p->n + j] += A[i][k] * B[j][k];
        }
        p->q[i] = sti_rng_int(rng, -5, 5);
    }
}

static void add_diagonal(problem* p, double value) {
    for (int i = 0; i < p->n; i++) p->M[i * p->n + i] += value;
}

static void scale(sti_rng* rng, problem* p, bool rows, bool columns, int most) {
    for (int i = 0; i < p->n; i++) {
        const double r = rows ? power_of_ten(rng, most) : 1, c = columns ? power_of_ten(rng, most) : 1;
        for (int j = 0; j < p->n; j++) {
            p->M[i * p->n + j] *= r;
            p->M[j * p->n + i] *= c;
        }
        p->q[i] *= r;
    }
}

static void twins(sti_rng* rng, problem* p) {
    const int a = sti_rng_int(rng, 0, p->n - 1), b = sti_rng_int(rng, 0, p->n - 1);
    for (int j = 0; j < p->n; j++) p->M[a * p->n + j] = p->M[b * p->n + j];
    for (int j = 0; j < p->n; j++) p->M[j * p->n + a] = p->M[j * p->n + b];
    p->q[a] = p->q[b];
}

static void gram(sti_rng* rng, problem* p, int rank) {
    int A[MOST][MOST];
    for (int i = 0; i < p->n; i++) {
        for (int k = 0; k < rank; k++) A[i][k] = sti_rng_int(rng, -4, 4);
        p->q[i] = sti_rng_int(rng, -4, 4);
    }
    for (int k = 0; k < p->n * p->n; k++) {
        p->M[k] = 0;
        for (int l = 0; l < rank; l++) p->M[k] += A[k / p->n][l] * A[k % p->n][l];
    }
}

static void make(sti_rng* rng, int family, problem* p) {
    p->n = sti_rng_int(rng, 2, MOST);
    const int rank = sti_rng_int(rng, 1, p->n > 2 ? p->n / 2 : 1);
    switch (family) {
        case 0:  // ties
            integers(rng, p, 1);
            break;
        case 1:  // near a matrix of low rank
            low_rank(rng, p, rank);
            for (int i = 0; i < p->n; i++) p->M[i * (p->n + 1)] += power_of_ten(rng, 3) * 1e-12;
            break;
        case 2:
            low_rank(rng, p, rank);
            break;
        case 3:
            integers(rng, p, 5);
            scale(rng, p, true, false, 8);
            break;
        case 4:
            integers(rng, p, 5);
            scale(rng, p, false, true, 8);
            break;
        case 5:
            low_rank(rng, p, rank);
            scale(rng, p, true, true, 5);
            break;
        case 6:  // many zeros in q
            integers(rng, p, 3);
            for (int i = 0; i < p->n; i++) p->q[i] = -(double)(sti_rng_int(rng, 0, 3) == 0);
            break;
        case 7:
            integers(rng, p, 4);
            twins(rng, p);
            twins(rng, p);
            break;
        case 8:  // skew-symmetric, and a little
            integers(rng, p, 4);
            for (int i = 0; i < p->n; i++) {
                for (int j = 0; j <= i; j++) p->M[j * p->n + i] = i == j ? 0 : -p->M[i * p->n + j];
            }
            add_diagonal(p, sti_rng_int(rng, 0, 1) * power_of_ten(rng, 10));
            break;
        case 9:  // numbers of every size
            integers(rng, p, 9);
            for (int k = 0; k < p->n * p->n; k++) p->M[k] *= power_of_ten(rng, 8);
            for (int i = 0; i < p->n; i++) p->q[i] *= power_of_ten(rng, 8);
            break;
        case 10:  // monotone, of low rank, scaled
            gram(rng, p, rank);
            scale(rng, p, true, true, 4);
            break;
        default:  // disturbed in the last digits
            low_rank(rng, p, rank);
            for (int k = 0; k < p->n * p->n; k++) p->M[k] *= 1 + sti_rng_int(rng, -4, 4) * 0x1p-52;
            twins(rng, p);
    }
}

// ---- one problem

static bool check(sti_status status, const sti_env* env, const char* what) {
    if (status == STI_OK) return true;
    fprintf(stderr, "%s: %s\n", what, sti_env_error(env)->text);
    return false;
}

static void judge(const sti_lcp_answer* a, const sti_verification* v, bool exists, counts* c) {
    if (a->iterations > c->most_iterations) c->most_iterations = a->iterations;
    for (int k = 0; k < a->attempt_count; k++)
        if (a->attempts[k].iterations > c->most_iterations) c->most_iterations = a->attempts[k].iterations;
    if (a->outcome == STI_SOLVED && v->accepted) {
        c->solved += exists;
        c->near += !exists;
        if (exists && !v->exact) c->worst = fmax(c->worst, v->residual);
    } else if (a->outcome == STI_NO_SOLUTION && v->accepted && !exists) {
        c->none++;
    } else if (a->outcome == STI_SOLVED || a->outcome == STI_NO_SOLUTION) {
        c->wrong++;
    } else {
        c->open++;
    }
}

// False: a call failed, or what came of it is to be seen.
static bool look_at(sti_env* env, const problem* p, counts* c) {
    problem copy = *p;
    const sti_lcp lcp = {.n = p->n, .M = sti_matrix_dense_view(p->n, p->n, copy.M), .q = copy.q};
    const sti_lcp_options options = sti_lcp_options_default();
    sti_lcp_solution_set* all;
    sti_lcp_answer a;
    sti_verification v;
    const long before = c->wrong + c->open;
    if (!check(sti_lcp_enumerate(env, &lcp, 0, 0, &all), env, "enumeration")) return false;
    const bool exists = all->piece_count > 0, sure = all->complete;
    sti_lcp_solution_set_destroy(env, all);
    if (!check(sti_lcp_solve(env, &lcp, &options, &a), env, "solve")) return false;
    const bool verified = check(sti_verify_lcp(env, &lcp, &a, options.tol, &v), env, "verify");
    if (verified) judge(&a, &v, exists, c);
    sti_lcp_answer_clear(env, &a);
    return verified && sure && c->wrong + c->open == before;
}

static void show(const problem* p, int family, long number) {
    fprintf(stderr, "# problem %ld, family %d\n{\"kind\": \"lcp\", \"M\": [", number, family);
    for (int k = 0; k < p->n * p->n; k++)
        fprintf(stderr, "%s%.17g%s", k % p->n == 0 ? (k > 0 ? ", [" : "[") : ", ", p->M[k],
                k % p->n == p->n - 1 ? "]" : "");
    for (int i = 0; i < p->n; i++) fprintf(stderr, "%s%.17g", i == 0 ? "], \"q\": [" : ", ", p->q[i]);
    fprintf(stderr, "]}\n");
}

int main(int argc, char** argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: study_lcp SEED COUNT\n");
        return 2;
    }
    sti_rng rng = {.state = strtoull(argv[1], NULL, 10)};
    const long count = strtol(argv[2], NULL, 10);
    sti_env* env;
    if (sti_env_create(NULL, &env) != STI_OK) return 3;
    counts c = {0};
    bool good = true;
    for (c.tried = 0; c.tried < count; c.tried++) {
        problem p;
        const int family = (int)(c.tried % FAMILIES);
        make(&rng, family, &p);
        if (look_at(env, &p, &c)) continue;
        show(&p, family, c.tried);
        good = false;
    }
    sti_env_destroy(env);
    printf(
        "study_lcp: seed %s, %ld problems: solved %ld (worst residual %.1e), none %ld, near one %ld, open %ld; at most "
        "%ld "
        "iterations; %ld wrong\n",
        argv[1], c.tried, c.solved, c.worst, c.none, c.near, c.open, c.most_iterations, c.wrong);
    return good && c.most_iterations <= MOST << MOST ? 0 : 1;  // more would be going round
}
