// stochastic_ranks.c: what a rank has to do when the scenarios of a program are shared out, beside one process.
//
//     bench_stochastic_ranks [N/M/P/Q:SCENARIOS,.. [RANKS [RUNS]]]
//
// Ranks are threads here, each with an environment of its own, that sleep while they wait for each other; what they
// bring is added up by each of them. So the CPU time of a thread is the work of a rank, whatever else the machine does,
// and the time of one process over the largest of them is how much faster the ranks would be with a core each and
// messages that take no time. The largest difference of x, pi and the objective is relative to their largest entry.
// Programs are drawn as bench/stochastic.py draws them, with another generator. Least of RUNS (3) runs. CSV to stdout.
#include <math.h>
#include <stiction/stochastic.h>
#include <string.h>

#include "base/rng.h"
#include "measure.h"
#include "support/rank_threads.h"

typedef struct sizes {
    int n, m, p, q, scenarios;
} sizes;

static void die(const char* why) {
    fprintf(stderr, "bench_stochastic_ranks: %s\n", why);
    exit(2);
}

static double* numbers(size_t count) {
    return bench_memory(count, sizeof(double));
}

static double* draw(sti_rng* rng, size_t count, double low, double high) {
    double* out = numbers(count);
    for (size_t k = 0; k < count; k++) out[k] = low + (high - low) * sti_rng_u01(rng);
    return out;
}

static double* draw_convex(sti_rng* rng, int n) {
    const size_t size = (size_t)n;
    double *L = draw(rng, size * size, -1, 1), *Q = numbers(size * size);
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < size; j++) {
            double sum = i == j ? 0.1 : 0;
            for (size_t k = 0; k < size; k++) sum += L[i * size + k] * L[j * size + k];
            Q[i * size + j] = sum;
        }
    }
    free(L);
    return Q;
}

// y (rows) += f A x
static void add_product(const double* A, int rows, int cols, double f, const double* x, double* y) {
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) y[i] += f * A[(size_t)i * (size_t)cols + (size_t)j] * x[j];
    }
}

static sti_stochastic make(sizes s) {
    sti_rng rng = {1};
    const size_t n = (size_t)s.n, m = (size_t)s.m, p = (size_t)s.p, q = (size_t)s.q;
    sti_stochastic out = {.n = s.n, .p = s.p, .scenario_count = s.scenarios};
    double *T0, *W0, *x, *b = numbers(p);
    out.Q0 = sti_matrix_dense_view(s.n, s.n, draw_convex(&rng, s.n));
    out.c0 = draw(&rng, n, -1, 1);
    out.T0 = sti_matrix_dense_view(s.p, s.n, T0 = draw(&rng, p * n, -1, 1));
    out.W0 = sti_matrix_dense_view(s.q, s.n, W0 = draw(&rng, q * n, -1, 1));
    x = draw(&rng, n, 0.5, 1.5);
    add_product(T0, s.p, s.n, 1, x, b);
    sti_scenario* scenarios = bench_memory((size_t)s.scenarios, sizeof *scenarios);
    for (int i = 0; i < s.scenarios; i++) {
        sti_scenario* one = &scenarios[i];
        double *T, *W, *y, *d = numbers(q);
        *one = (sti_scenario){.m = s.m, .q = s.q, .probability = 1.0 / s.scenarios};
        one->Q = sti_matrix_dense_view(s.m, s.m, draw_convex(&rng, s.m));
        one->c = draw(&rng, m, -1, 1);
        one->T = sti_matrix_dense_view(s.p, s.m, T = draw(&rng, p * m, -1, 1));
        one->W = sti_matrix_dense_view(s.q, s.m, W = draw(&rng, q * m, -1, 1));
        y = draw(&rng, m, 0.5, 1.5);
        add_product(W0, s.q, s.n, 1, x, d);
        add_product(W, s.q, s.m, 1, y, d);
        add_product(T, s.p, s.m, one->probability, y, b);
        one->dl = one->du = d;
        free(y);
    }
    free(x);
    out.bl = out.bu = b;
    out.scenarios = scenarios;
    return out;
}

static void* work(void* user) {
    rank_thread* r = user;
    sti_stochastic_options o = sti_stochastic_options_default();
    o.tol = 1e-8;
    if (r->team.size > 1) o.team = &r->team;
    const double begin = bench_cpu();
    if (sti_stochastic_solve(r->env, &r->program, &o, &r->answer) != STI_OK) die(sti_env_error(r->env)->text);
    r->cpu_s = bench_cpu() - begin;
    return NULL;
}

static rank_meeting room;

// The largest CPU time of a rank; the answer of the first one is kept.
static double run(const sti_stochastic* p, int ranks, sti_stochastic_answer* first) {
    static rank_thread r[RANKS_MOST];
    double worst = 0;
    for (int k = 0; k < ranks; k++) {
        r[k] = (rank_thread){0};
        if (sti_env_create(NULL, &r[k].env) != STI_OK) die("no memory");
    }
    rank_threads_share(r, ranks, &room, p);
    rank_threads_run(r, ranks, work);
    for (int k = 0; k < ranks; k++) worst = fmax(worst, r[k].cpu_s);
    sti_stochastic_answer_clear(r[0].env, first);
    *first = r[0].answer;
    for (int k = 1; k < ranks; k++) {
        sti_stochastic_answer_clear(r[k].env, &r[k].answer);
        sti_env_destroy(r[k].env);
    }
    return worst;
}

static double difference(const double* a, const double* b, int count) {
    double worst = 0, size = 0;
    for (int k = 0; k < count; k++) {
        worst = fmax(worst, fabs(a[k] - b[k]));
        size = fmax(size, fabs(a[k]));
    }
    return size > 0 ? worst / size : worst;
}

static void compare(sizes s, int ranks, int runs) {
    const sti_stochastic p = make(s);
    double alone = INFINITY, shared = INFINITY;
    sti_stochastic_answer one = {0}, many = {0};
    for (int k = 0; k < runs; k++) {
        alone = fmin(alone, run(&p, 1, &one));
        shared = fmin(shared, run(&p, ranks, &many));
    }
    const double off = fmax(fmax(difference(one.x, many.x, s.n), difference(one.pi, many.pi, s.p)),
                            fabs(one.objective - many.objective) / fabs(one.objective));
    printf("%d/%d/%d/%d,%d,%d,%.6g,%.6g,%.3f,%ld,%ld,%.1e\n", s.n, s.m, s.p, s.q, s.scenarios, ranks, alone, shared,
           alone / shared, one.iterations, many.iterations, off);
    fflush(stdout);
}

int main(int argc, char** argv) {
    const char* at = argc > 1 ? argv[1] : "4/5/2/3:1000,4/5/2/3:10000,40/60/10/30:100,40/60/10/30:400";
    const int ranks = argc > 2 ? atoi(argv[2]) : 2, runs = argc > 3 ? atoi(argv[3]) : 3;
    if (ranks < 1 || ranks > RANKS_MOST || runs < 1) die("[N/M/P/Q:SCENARIOS,.. [RANKS [RUNS]]], up to 16 ranks");
    printf("sizes,scenarios,ranks,alone_s,rank_s,ratio,iterations,iterations_ranks,difference\n");
    while (*at != '\0') {
        sizes s;
        int used = 0;
        if (sscanf(at, "%d/%d/%d/%d:%d%n", &s.n, &s.m, &s.p, &s.q, &s.scenarios, &used) != 5) die("sizes");
        compare(s, ranks, runs);
        at += used + (at[used] == ',');
    }
    return 0;
}
