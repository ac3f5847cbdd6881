// lcp_compare.c: our LCP solvers beside those of Siconos, on the same data, in the same run.
//
// Families, all dense, from one seeded generator:
//
//     monotone    M = A A'/n + S - S' + I/10, A n x n, q random: positive definite, not symmetric
//     halfrank    M = A A'/n, A n x n/2, q = w* - M z* from a complementary pair: positive semidefinite, singular
//     friction2d  Stewart-Trinkle form in the plane, 2 directions a contact, n = 4 contacts:
//     friction3d  and in space, 4 directions a contact, n = 6 contacts; random contacts between random bodies
//
//         z = (c_n; beta; lambda),   M = [N'M^-1N  N'M^-1D  0;  D'M^-1N  D'M^-1D  E;  mu  -E'  0],   q = (N'v; D'v; 0)
//
//     copositive, singular as soon as contacts are redundant, solvable for every v.
//
// Every run has a process of its own: it is stopped at the time limit, its memory is what it added to the resident
// set, and nobody's workspace is warm. Time is CPU time of the solve alone, the least of the repeats. The residual
//
//     |min(z, M z + q)| / |q|     (Euclidean)
//
// is computed here, from z alone. A speed ratio is given only between runs that both reached --tol. CSV goes to
// stdout, a table to stderr.
//
// Beside a pivoting method stands the work of its pivots on a tableau of n (n+1) numbers, 2 n^2 flops each, and the
// rate at which that would have been done: the limit for a method that updates a tableau is the speed of dgemm.
#include <math.h>
#include <stiction/stiction.h>
#include <string.h>

#include "base/rng.h"
#include "measure.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef STI_HAVE_SICONOS
#include <siconos/numerics/LCP_Solvers.h>
#include <siconos/numerics/LinearComplementarityProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/NumericsVerbose.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/lcp_cst.h>
#endif

// ---- problems ----

typedef struct problem {
    const char* family;
    int n;
    double* M;  // row major    (n x n)
    double* q;  //              (n)
} problem;

static double symmetric(sti_rng* rng) {
    return 2 * sti_rng_u01(rng) - 1;
}

static double* numbers(size_t count) {
    return bench_memory(count, sizeof(double));
}

// M += A A' / n for A n x k in rows; only dot products of rows, a few seconds at n = 2000.
static void add_gram(double* M, const double* A, int n, int k, double factor) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            const double *a = A + (size_t)i * (size_t)k, *b = A + (size_t)j * (size_t)k;
            double s[4] = {0};
            int c = 0;
            for (; c + 3 < k; c += 4) {
                for (int l = 0; l < 4; l++) s[l] += a[c + l] * b[c + l];
            }
            for (; c < k; c++) s[0] += a[c] * b[c];
            const double v = factor * (s[0] + s[1] + s[2] + s[3]);
            M[(size_t)i * (size_t)n + (size_t)j] += v;
            if (i != j) M[(size_t)j * (size_t)n + (size_t)i] += v;
        }
    }
}

static void pose_monotone(problem* p, sti_rng* rng) {
    const int n = p->n;
    const size_t N = (size_t)n;
    double* A = numbers(N * N);
    for (size_t k = 0; k < N * N; k++) A[k] = symmetric(rng);
    add_gram(p->M, A, n, n, 1.0 / n);
    for (size_t i = 0; i < N; i++) {
        p->M[i * N + i] += 0.1;
        for (size_t j = 0; j < i; j++) {
            const double s = symmetric(rng) / sqrt((double)n);
            p->M[i * N + j] += s;
            p->M[j * N + i] -= s;
        }
        p->q[i] = symmetric(rng);
    }
    free(A);
}

static void pose_halfrank(problem* p, sti_rng* rng) {
    const int n = p->n, k = n / 2 > 0 ? n / 2 : 1;
    const size_t N = (size_t)n;
    double* A = numbers(N * (size_t)k);
    double* z = numbers(N);
    for (size_t l = 0; l < N * (size_t)k; l++) A[l] = symmetric(rng);
    add_gram(p->M, A, n, k, 1.0 / n);
    for (size_t i = 0; i < N; i++) {
        const double v = symmetric(rng);
        z[i] = v > 0 ? v : 0;
        p->q[i] = v > 0 ? 0 : -v;
    }
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) p->q[i] -= p->M[i * N + j] * z[j];
    }
    free(A);
    free(z);
}

// One row of the Jacobian: direction d at arms r_a, r_b of two bodies, 3 + 3 numbers each (plane: 2 + 1).
static void put_row(double* row, int body, double sign, const double* d, const double* r, int dim) {
    const int dof = dim == 3 ? 6 : 3;
    double* at = row + (size_t)body * (size_t)dof;
    for (int k = 0; k < dim; k++) at[k] += sign * d[k];
    if (dim == 2) {
        at[2] += sign * (r[0] * d[1] - r[1] * d[0]);
    } else {
        at[3] += sign * (r[1] * d[2] - r[2] * d[1]);
        at[4] += sign * (r[2] * d[0] - r[0] * d[2]);
        at[5] += sign * (r[0] * d[1] - r[1] * d[0]);
    }
}

// Normal and two tangents (one in the plane), orthonormal.
static void random_frame(sti_rng* rng, int dim, double frame[3][3]) {
    double length = 0;
    memset(frame, 0, 9 * sizeof(double));
    do {
        length = 0;
        for (int k = 0; k < dim; k++) {
            frame[0][k] = symmetric(rng);
            length += frame[0][k] * frame[0][k];
        }
    } while (length < 0.01 || length > 1);
    for (int k = 0; k < dim; k++) frame[0][k] /= sqrt(length);
    if (dim == 2) {
        frame[1][0] = -frame[0][1], frame[1][1] = frame[0][0];
        return;
    }
    int m = 0;
    for (int k = 1; k < 3; k++) {
        if (fabs(frame[0][k]) < fabs(frame[0][m])) m = k;
    }
    const double size = sqrt(1 - frame[0][m] * frame[0][m]);
    for (int k = 0; k < 3; k++) frame[1][k] = ((k == m) - frame[0][m] * frame[0][k]) / size;
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        frame[2][k] = frame[0][a] * frame[1][b] - frame[0][b] * frame[1][a];
    }
}

// dim = 2 or 3, with 2 or 4 directions a contact. Twice as many contacts as bodies; body 0 stands still.
static void pose_friction(problem* p, sti_rng* rng, int dim) {
    const int facets = dim == 3 ? 4 : 2, dof = dim == 3 ? 6 : 3;
    const int contacts = p->n / (2 + facets), bodies = contacts / 2 + 2, cols = bodies * dof;
    const int rows = contacts * (1 + facets), n = p->n;
    double* J = numbers((size_t)rows * (size_t)cols);  // rows: n, then D contact by contact; times M^-1/2
    double* v = numbers((size_t)cols);
    for (int k = dof; k < cols; k++) v[k] = symmetric(rng);
    for (int c = 0; c < contacts; c++) {
        const int a = (int)(sti_rng_u01(rng) * bodies);
        const int b = (a + 1 + (int)(sti_rng_u01(rng) * (bodies - 1))) % bodies;
        double frame[3][3], ra[3], rb[3];
        random_frame(rng, dim, frame);
        for (int k = 0; k < 3; k++) ra[k] = symmetric(rng), rb[k] = symmetric(rng);
        for (int f = 0; f <= facets; f++) {
            const int row = f == 0 ? c : contacts + c * facets + f - 1;
            const double sign = f > 0 && f % 2 == 0 ? -1 : 1;
            const double* d = frame[f == 0 ? 0 : (f + 1) / 2];
            put_row(J + (size_t)row * (size_t)cols, a, sign, d, ra, dim);
            put_row(J + (size_t)row * (size_t)cols, b, -sign, d, rb, dim);
        }
    }
    for (int i = 0; i < rows; i++) {
        double* Ji = J + (size_t)i * (size_t)cols;
        for (int k = 0; k < dof; k++) Ji[k] = 0;  // body 0
        for (int k = 0; k < cols; k++) p->q[i] += Ji[k] * v[k];
        for (int k = 0; k < cols; k++) {  // masses and inertias from 0.5 to 2, the same for each body whatever the row
            const int which = 2 * (k / dof) + (k % dof >= dim);
            Ji[k] /= sqrt(0.5 + 1.5 * fmod(0.618034 * which, 1));
        }
    }
    double* W = numbers((size_t)rows * (size_t)rows);
    add_gram(W, J, rows, cols, 1);
    for (int i = 0; i < rows; i++) {
        memcpy(p->M + (size_t)i * (size_t)n, W + (size_t)i * (size_t)rows, (size_t)rows * sizeof(double));
    }
    for (int c = 0; c < contacts; c++) {
        const int l = rows + c;
        p->M[(size_t)l * (size_t)n + (size_t)c] = 0.2 + 0.6 * sti_rng_u01(rng);  // mu
        for (int f = 0; f < facets; f++) {
            const int row = contacts + c * facets + f;
            p->M[(size_t)row * (size_t)n + (size_t)l] = 1;
            p->M[(size_t)l * (size_t)n + (size_t)row] = -1;
        }
    }
    free(J);
    free(v);
    free(W);
}

static problem pose(const char* family, int n, uint64_t seed) {
    const int step = strcmp(family, "friction3d") == 0 ? 6 : strcmp(family, "friction2d") == 0 ? 4 : 1;
    n = n / step * step > 0 ? n / step * step : step;
    problem p = {.family = family, .n = n, .M = numbers((size_t)n * (size_t)n), .q = numbers((size_t)n)};
    sti_rng rng = {seed};
    if (strcmp(family, "monotone") == 0)
        pose_monotone(&p, &rng);
    else if (strcmp(family, "halfrank") == 0)
        pose_halfrank(&p, &rng);
    else if (strcmp(family, "friction2d") == 0)
        pose_friction(&p, &rng, 2);
    else
        pose_friction(&p, &rng, 3);
    return p;
}

static void drop(problem* p) {
    free(p->M);
    free(p->q);
    *p = (problem){0};
}

// ---- solvers ----

typedef struct solver {
    const char* who;
    const char* name;
    int id;         // sti_lcp_solver, or the id of Siconos
    bool pivoting;  // iterations are pivots of a tableau
} solver;

static const solver solvers[] = {
    {"stiction", "lemke", STI_LCP_LEMKE, true},
    {"stiction", "auto", STI_LCP_AUTO, false},
#ifdef STI_HAVE_SICONOS
    {"siconos", "LEMKE", SICONOS_LCP_LEMKE, true},
    {"siconos", "PIVOT", SICONOS_LCP_PIVOT, true},
    {"siconos", "PIVOT_LUMOD", SICONOS_LCP_PIVOT_LUMOD, false},
    {"siconos", "PATHSEARCH", SICONOS_LCP_PATHSEARCH, false},
    {"siconos", "AVI_CAOFERRIS", SICONOS_LCP_AVI_CAOFERRIS, false},
    {"siconos", "NEWTONMIN", SICONOS_LCP_NEWTONMIN, false},
    {"siconos", "NEWTON_MIN_FBLSA", SICONOS_LCP_NEWTON_MIN_FBLSA, false},
    {"siconos", "NEWTON_FB_FBLSA", SICONOS_LCP_NEWTON_FB_FBLSA, false},
    {"siconos", "CPG", SICONOS_LCP_CPG, false},
    {"siconos", "PGS", SICONOS_LCP_PGS, false},
    {"siconos", "PSOR", SICONOS_LCP_PSOR, false},
#endif
};
enum { SOLVERS = sizeof solvers / sizeof solvers[0] };

typedef struct result {
    bool finished;  // within the time limit
    int info;       // 0: the solver says it succeeded
    double residual;
    long iterations;
    double cpu_s;      // least of the repeats
    double memory_mb;  // added to the resident set
} result;

static double residual(const problem* p, const double* z) {
    const size_t n = (size_t)p->n;
    double top = 0, bottom = 0;
    for (size_t i = 0; i < n; i++) {
        long double w = p->q[i];
        for (size_t j = 0; j < n; j++) w += (long double)p->M[i * n + j] * z[j];
        const double m = z[i] < (double)w ? z[i] : (double)w;
        if (!isfinite(z[i])) return INFINITY;
        top += m * m;
        bottom += p->q[i] * p->q[i];
    }
    return sqrt(top / bottom);
}

static void solve_ours(const problem* p, int id, double tol, double* z, result* r) {
    sti_env* env = NULL;
    if (sti_env_create(NULL, &env) != STI_OK) return;
    const sti_lcp lcp = {.n = p->n, .M = sti_matrix_dense_view(p->n, p->n, p->M), .q = p->q};
    sti_lcp_options options = sti_lcp_options_default();
    options.solver = (sti_lcp_solver)id;
    options.tol = tol;
    sti_lcp_answer answer;
    const double begin = bench_cpu();
    const sti_status status = sti_lcp_solve(env, &lcp, &options, &answer);
    r->cpu_s = fmin(r->cpu_s, bench_cpu() - begin);
    if (status == STI_OK) {
        memcpy(z, answer.z, (size_t)p->n * sizeof(double));
        r->iterations = answer.iterations;
        r->info = answer.outcome == STI_SOLVED ? 0 : 1 + (int)answer.termination;
        sti_lcp_answer_clear(env, &answer);
    } else {
        r->info = -(int)status;
    }
    sti_env_destroy(env);
}

#ifdef STI_HAVE_SICONOS
// Siconos keeps dense matrices in columns and may overwrite its copy; the copies are not timed.
static void solve_siconos(const problem* p, int id, double tol, double* z, result* r) {
    const size_t n = (size_t)p->n;
    double* M = numbers(n * n);
    double* q = numbers(n);
    double* w = numbers(n);
    for (size_t i = 0; i < n; i++) {
        q[i] = p->q[i];
        z[i] = 0;
        for (size_t j = 0; j < n; j++) M[j * n + i] = p->M[i * n + j];
    }
    NumericsMatrix* storage = NM_create_from_data(NM_DENSE, p->n, p->n, M);
    LinearComplementarityProblem lcp = {.size = p->n, .M = storage, .q = q};
    SolverOptions* options = solver_options_create(id);
    options->dparam[SICONOS_DPARAM_TOL] = tol;
    if (options->iparam[SICONOS_IPARAM_MAX_ITER] < 20 * p->n) options->iparam[SICONOS_IPARAM_MAX_ITER] = 20 * p->n;
    numerics_set_verbose(0);
    const double begin = bench_cpu();
    r->info = linearComplementarity_driver(&lcp, z, w, options);
    r->cpu_s = fmin(r->cpu_s, bench_cpu() - begin);
    r->iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(options);
    free(options);
    NM_free(storage);  // and M with it
    free(q);
    free(w);
}
#endif

typedef struct job {
    const problem* p;
    const solver* s;
    double tol;
    int repeats;
} job;

static void work(void* context, void* out) {
    const job* j = context;
    const problem* p = j->p;
    const solver* s = j->s;
    result* r = out;
    double* z = numbers((size_t)p->n);
    *r = (result){.finished = true, .cpu_s = INFINITY};
    const double before = bench_peak_mb();
    const double begin = bench_cpu();
    for (int k = 0; k < j->repeats; k++) {
#ifdef STI_HAVE_SICONOS
        if (strcmp(s->who, "siconos") == 0)
            solve_siconos(p, s->id, j->tol, z, r);
        else
#endif
            solve_ours(p, s->id, j->tol, z, r);
        if (k == 0) r->memory_mb = bench_peak_mb() - before;
        if (bench_cpu() - begin > 3) break;
    }
    r->residual = residual(p, z);
    free(z);
}

static result run_apart(const problem* p, const solver* s, double tol, int repeats, double limit_s) {
    job j = {p, s, tol, repeats};
    result r;
#ifdef __GLIBC__
    malloc_trim(0);  // pages that the heap keeps would hide what the child takes
#endif
    if (bench_apart(work, &j, &r, sizeof r, limit_s) != BENCH_RETURNED) r = (result){.cpu_s = NAN, .residual = NAN};
    return r;
}

// ---- report ----

typedef struct settings {
    const char* families;  // comma separated
    const char* sizes;
    const char* only;  // solvers, "who:name"; NULL: all
    double tol;
    double limit_s;
    int repeats;
    uint64_t seed;
} settings;

enum { NOT_ASKED = -1000, TOO_SLOW = -1001 };  // info of runs that were not made

// One line of the table; reference: times of our lemke and auto, NAN where they failed.
static void table_line(const settings* set, const solver* s, const result* r, double rate, const double* reference) {
    char name[64];
    snprintf(name, sizeof name, "%s %s", s->who, s->name);
    if (!r->finished) {
        const char* why =
            r->info == TOO_SLOW ? "skipped, too slow at a smaller size" : "stopped at the limit, or crashed";
        fprintf(stderr, "  %-26s %s\n", name, why);
        return;
    }
    fprintf(stderr, "  %-26s %10.1e %9ld %11.6f %9.1f", name, r->residual, r->iterations, r->cpu_s, r->memory_mb);
    if (isnan(rate))
        fprintf(stderr, " %9s", "");
    else
        fprintf(stderr, " %9.2f", rate);
    for (int c = 0; c < 2; c++) {
        if (r->residual <= set->tol && !isnan(reference[c]))
            fprintf(stderr, " %9.2f", r->cpu_s / reference[c]);
        else
            fprintf(stderr, " %9s", "-");
    }
    fprintf(stderr, "\n");
}

static void csv_line(const settings* set, const problem* p, const solver* s, const result* r, double flops, double rate,
                     const double* reference) {
    printf("%s,%d,%s,%s,%d,%d,%.3e,%ld,%.9f,%.2f,", p->family, p->n, s->who, s->name, r->finished, r->info, r->residual,
           r->iterations, r->cpu_s, r->memory_mb);
    if (isnan(flops))
        printf(",,");
    else
        printf("%.6e,%.3f,", flops, rate);
    for (int c = 0; c < 2; c++) {
        if (r->finished && r->residual <= set->tol && !isnan(reference[c])) printf("%.3f", r->cpu_s / reference[c]);
        printf(",");
    }
    printf("%s\n", sti_version());
}

static void report(const settings* set, const problem* p, const result* r, const double* reference) {
    fprintf(stderr, "\n%s, n = %d\n", p->family, p->n);
    fprintf(stderr, "  %-26s %10s %9s %11s %9s %9s %9s %9s\n", "solver", "residual", "iter", "cpu s", "MB", "GFlop/s",
            "/lemke", "/auto");
    for (int k = 0; k < SOLVERS; k++) {
        if (r[k].info == NOT_ASKED) continue;
        const double flops = solvers[k].pivoting ? 2.0 * p->n * p->n * (double)r[k].iterations : NAN;
        const double rate = flops / r[k].cpu_s / 1e9;
        table_line(set, &solvers[k], &r[k], rate, reference);
        csv_line(set, p, &solvers[k], &r[k], flops, rate, reference);
    }
    fflush(stdout);
}

static void run_family(const settings* set, const char* family) {
    bool slow[SOLVERS] = {false};
    char* end = NULL;
    for (const char* at = set->sizes; *at != 0; at = *end == ',' ? end + 1 : end) {
        const long n = strtol(at, &end, 10);
        if (end == at || n < 1 || n > 20000) break;
        problem p = pose(family, (int)n, set->seed);
        result r[SOLVERS];
        double reference[2] = {NAN, NAN};
        for (int k = 0; k < SOLVERS; k++) {
            char name[64];
            snprintf(name, sizeof name, "%s:%s", solvers[k].who, solvers[k].name);
            r[k] = (result){.info = NOT_ASKED, .residual = NAN, .cpu_s = NAN};
            if (set->only != NULL && !bench_listed(set->only, name, strlen(name))) continue;
            r[k].info = TOO_SLOW;
            if (slow[k]) continue;
            const int repeats = n >= 1000 ? (set->repeats + 1) / 2 : set->repeats;
            r[k] = run_apart(&p, &solvers[k], set->tol / 10, repeats, set->limit_s);
            // the next size is at least twice as large: work grows by 8, iterations besides
            slow[k] = !r[k].finished || r[k].cpu_s > set->limit_s / 10;
            if (k < 2 && r[k].finished && r[k].residual <= set->tol) reference[k] = r[k].cpu_s;
        }
        report(set, &p, r, reference);
        drop(&p);
    }
}

int main(int count, char** word) {
    settings set = {.families = "monotone,halfrank,friction2d,friction3d",
                    .sizes = "50,200,500,1000,2000",
                    .tol = 1e-10,
                    .limit_s = 60,
                    .repeats = 5,
                    .seed = 2024};
    for (int k = 1; k + 1 < count; k += 2) {
        if (strcmp(word[k], "--families") == 0)
            set.families = word[k + 1];
        else if (strcmp(word[k], "--sizes") == 0)
            set.sizes = word[k + 1];
        else if (strcmp(word[k], "--only") == 0)
            set.only = word[k + 1];
        else if (strcmp(word[k], "--tol") == 0)
            set.tol = strtod(word[k + 1], NULL);
        else if (strcmp(word[k], "--limit") == 0)
            set.limit_s = strtod(word[k + 1], NULL);
        else if (strcmp(word[k], "--repeats") == 0)
            set.repeats = (int)strtol(word[k + 1], NULL, 10);
        else if (strcmp(word[k], "--seed") == 0)
            set.seed = strtoull(word[k + 1], NULL, 10);
        else
            count = 0;
    }
    if (count % 2 == 0 || set.repeats < 1 || !(set.limit_s > 0) || !(set.tol > 0)) {
        fprintf(
            stderr,
            "usage: lcp_compare [--families monotone,..] [--sizes 50,200,..] [--only stiction:lemke,..] [--tol 1e-10]\n"
            "                   [--limit seconds] [--repeats 5] [--seed 2024]\n");
        return 2;
    }
    printf(
        "family,n,who,solver,finished,info,residual,iterations,cpu_s,memory_mb,pivot_flops,gflops,times_lemke,"
        "times_auto,version\n");
    static const char* const known[] = {"monotone", "halfrank", "friction2d", "friction3d"};
    for (int k = 0; k < 4; k++) {
        if (bench_listed(set.families, known[k], strlen(known[k]))) run_family(&set, known[k]);
    }
    return 0;
}
