// vi_compare.c: relays: ours beside Siconos, on the same data, in the same run; and affine variational inequalities,
// ours alone.
//
//     relay monotone     M = A A'/n + I/10, q random of size 2, x in [-1, 1]^n
//     relay indefinite   M random in [-1, 1]: there always is a solution, since the box is bounded
//     avi monotone       the same M over { A x <= b, -3 <= x <= 3 }, 2 n rows, b > 0
//     avi indefinite     M random over the same polyhedra
//
// Every run has a process of its own, stopped at the time limit. A point is judged here, from x alone: how far it is
// outside of K, and the gap F(x)'(x - y), y the least of F(x)'y over K by a linear program, over 1 + |F||x|; solved
// means both below 1e-8. Printed: problems solved of 20, and the CPU time of a solve in the mean over those that both
// sides solved, the least of three calls after a first one. CSV on stdout, a table on stderr.
#include <math.h>
#include <stiction/stiction.h>
#include <string.h>

#include "base/rng.h"
#include "measure.h"

#ifdef STI_HAVE_SICONOS
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/NumericsVerbose.h>
#include <siconos/numerics/RelayProblem.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/relay_cst.h>
#endif

enum { TRIALS = 20, MOST = 80, CALLS = 4 };  // the first call of a process pays for its pages: it is not counted

typedef struct problem {
    int n, m;
    double M[MOST * MOST], q[MOST], A[2 * MOST * MOST], b[2 * MOST], lb[MOST], ub[MOST];
} problem;

typedef struct outcome {
    double x[MOST];
    double time_s;
    int returned;
} outcome;

typedef struct job {
    problem* p;
    int solver;
} job;

static double symmetric(sti_rng* rng) {
    return 2 * sti_rng_u01(rng) - 1;
}

// ---- problems. Rows are kept as A x >= b.

static void make(problem* p, int n, bool monotone, bool polyhedron, uint64_t seed) {
    sti_rng rng = {seed};
    double B[MOST * MOST];
    p->n = n;
    p->m = polyhedron ? 2 * n : 0;
    for (int k = 0; k < n * n; k++) B[k] = symmetric(&rng);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = monotone ? 0.1 * (i == j) : B[i * n + j];
            for (int k = 0; k < n && monotone; k++) sum += B[i * n + k] * B[j * n + k] / n;
            p->M[i * n + j] = sum;
        }
        p->q[i] = 2 * symmetric(&rng);
        p->lb[i] = polyhedron ? -3 : -1;
        p->ub[i] = -p->lb[i];
    }
    for (int k = 0; k < p->m * n; k++) p->A[k] = symmetric(&rng);
    for (int i = 0; i < p->m; i++) p->b[i] = -0.2 - sti_rng_u01(&rng);
}

static sti_avi view(problem* p) {
    return (sti_avi){.n = p->n,
                     .m = p->m,
                     .M = sti_matrix_dense_view(p->n, p->n, p->M),
                     .A = sti_matrix_dense_view(p->m, p->n, p->A),
                     .q = p->q,
                     .b = p->b,
                     .lb = p->lb,
                     .ub = p->ub};
}

// How far x is from solving: the larger of the way outside of K and of the relative gap.
static double distance(sti_env* env, problem* p, const double* x) {
    double F[MOST], zero[MOST * MOST] = {0}, worst = 0, gap = 0, size = 0, length = 0;
    for (int i = 0; i < p->n; i++) {
        F[i] = p->q[i];
        for (int j = 0; j < p->n; j++) F[i] += p->M[i * p->n + j] * x[j];
        if (!isfinite(x[i])) return INFINITY;
        worst = fmax(worst, fmax(p->lb[i] - x[i], x[i] - p->ub[i]));
        size += F[i] * F[i];
        length += x[i] * x[i];
    }
    for (int i = 0; i < p->m; i++) {
        double row = -p->b[i];
        for (int j = 0; j < p->n; j++) row += p->A[i * p->n + j] * x[j];
        worst = fmax(worst, -row);
    }
    sti_avi program = view(p);
    program.M = sti_matrix_dense_view(p->n, p->n, zero);
    program.q = F;
    sti_lcp_answer a;
    if (sti_avi_solve(env, &program, NULL, &a) != STI_OK || a.outcome != STI_SOLVED) return INFINITY;
    for (int i = 0; i < p->n; i++) gap += F[i] * (x[i] - a.u[i]);
    sti_lcp_answer_clear(env, &a);
    return fmax(worst, fabs(gap) / (1 + sqrt(size * length)));
}

// ---- solvers

// rounded: without the proof in integers that small problems end with.
static void solve_ours(problem* p, bool rounded, outcome* out) {
    sti_env* env;
    sti_lcp_answer a;
    if (sti_env_create(NULL, &env) != STI_OK) return;
    const sti_avi avi = view(p);
    sti_lcp_options o = sti_lcp_options_default();
    o.rounded = rounded;
    for (int k = 0; k < CALLS; k++) {
        const double begin = bench_cpu();
        out->returned = sti_avi_solve(env, &avi, &o, &a) == STI_OK && a.outcome == STI_SOLVED;
        out->time_s = k == 0 ? INFINITY : fmin(out->time_s, bench_cpu() - begin);
        if (out->returned) memcpy(out->x, a.u, (size_t)p->n * sizeof *a.u);
        sti_lcp_answer_clear(env, &a);
    }
    sti_env_destroy(env);
}

#ifdef STI_HAVE_SICONOS
static NumericsMatrix* columns(int rows, int cols, const double* A, double sign) {
    NumericsMatrix* out = NM_create(NM_DENSE, rows, cols);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) out->matrix0[i + j * rows] = sign * A[i * cols + j];
    }
    return out;
}

static void solve_relay(problem* p, int id, outcome* out) {
    double w[MOST] = {0};
    RelayProblem* relay = relayProblem_new();
    relay->size = p->n;
    relay->M = columns(p->n, p->n, p->M, 1);
    relay->q = p->q;
    relay->lb = p->lb;
    relay->ub = p->ub;
    SolverOptions* o = solver_options_create(id);
    o->dparam[SICONOS_DPARAM_TOL] = 1e-10;
    o->iparam[SICONOS_IPARAM_MAX_ITER] = 100000;
    for (int k = 0; k < CALLS; k++) {
        memset(out->x, 0, sizeof out->x);
        memset(w, 0, sizeof w);
        const double begin = bench_cpu();
        relay_driver(relay, out->x, w, o);
        out->time_s = k == 0 ? INFINITY : fmin(out->time_s, bench_cpu() - begin);
    }
    out->returned = 1;
}
#endif

static const char* const names[] = {"stiction", "stiction, rounded", "siconos lemke", "siconos pgs",
                                    "siconos caoferris"};
enum { OURS = 2, SOLVERS = sizeof names / sizeof names[0] };

static bool takes(int solver, bool polyhedron) {
#ifdef STI_HAVE_SICONOS
    return solver < OURS || !polyhedron;
#else
    (void)polyhedron;
    return solver < OURS;
#endif
}

static void work(void* context, void* result) {
    const job* j = context;
    outcome* out = result;
    *out = (outcome){0};
    if (j->solver < OURS) solve_ours(j->p, j->solver == 1, out);
#ifdef STI_HAVE_SICONOS
    numerics_set_verbose(0);
    const int ids[] = {0, 0, SICONOS_RELAY_LEMKE, SICONOS_RELAY_PGS, SICONOS_RELAY_AVI_CAOFERRIS};
    if (j->solver >= OURS) solve_relay(j->p, ids[j->solver], out);
#endif
}

// ---- the table

static void compare(sti_env* env, const char* family, int n, bool monotone, bool polyhedron) {
    static problem p;
    double time[SOLVERS][TRIALS];
    bool good[SOLVERS][TRIALS] = {{false}};
    for (int t = 0; t < TRIALS; t++) {
        make(&p, n, monotone, polyhedron, (uint64_t)(1000 * n + t));
        for (int s = 0; s < SOLVERS; s++) {
            outcome out = {.returned = 0};
            job j = {&p, s};
            if (!takes(s, polyhedron)) continue;
            const bool back = bench_apart(work, &j, &out, sizeof out, 10) == BENCH_RETURNED && out.returned;
            good[s][t] = back && distance(env, &p, out.x) <= 1e-8;
            time[s][t] = out.time_s;
        }
    }
    for (int s = 0; s < SOLVERS; s++) {
        int solved = 0, both = 0;
        double ours = 0, theirs = 0;
        if (!takes(s, polyhedron)) continue;
        for (int t = 0; t < TRIALS; t++) {
            solved += good[s][t];
            if (!good[s][t] || !good[0][t]) continue;
            both++;
            ours += time[0][t];
            theirs += time[s][t];
        }
        printf("%s,%d,%s,%d,%d,%.4g,%.4g\n", family, n, names[s], solved, TRIALS, both > 0 ? theirs / both : NAN,
               ours > 0 ? theirs / ours : NAN);
        fprintf(stderr, "%-18s %4d  %-22s %3d of %d  %10.3g s  %8.3g times ours\n", family, n, names[s], solved, TRIALS,
                both > 0 ? theirs / both : NAN, ours > 0 ? theirs / ours : NAN);
    }
}

int main(void) {
    static const int sizes[] = {5, 10, 20, 40, 80};
    sti_env* env;
    if (sti_env_create(NULL, &env) != STI_OK) return 3;
    printf("family,n,solver,solved,of,time_s,times_ours\n");
    for (int k = 0; k < 5; k++) {
        compare(env, "relay monotone", sizes[k], true, false);
        compare(env, "relay indefinite", sizes[k], false, false);
        if (sizes[k] <= 40) compare(env, "avi monotone", sizes[k], true, true);
        if (sizes[k] <= 5) compare(env, "avi indefinite", sizes[k], false, true);
    }
    sti_env_destroy(env);
    return 0;
}
