// stochastic_ipopt.c: a stochastic program as one quadratic program of all scenarios, by Ipopt with what it is linked
// with (Debian: coinor-libipopt-dev, MUMPS).
//
//     bench_stochastic_ipopt FILE [TOL [RUNS]]
//
// and, before it and in the same process, by sti_stochastic_solve on one thread, RUNS times (3), of which the fastest
// counts. Ipopt is told that the constraints are linear and the Hessian constant, and uses Mehrotra's steps, as its
// manual advises for convex quadratic programs. One JSON object on stdout: objective, iterations, CPU seconds of the
// solve alone, and the MB by which the process grew at most above what it had with the problem read (Ipopt: with its
// triplets too); and in "ours" the same of us.
#include <IpStdCInterface.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/stochastic.h>
#include <string.h>
#include <time.h>

typedef struct triplets {
    size_t count, room;
    int *row, *col;
    double* value;
} triplets;

typedef struct whole {
    size_t n, m;    // variables and rows of all
    triplets J, H;  // the rows; the lower triangle of the Hessian
    double *c, *lb, *ub, *rl, *ru;
    long iterations;
} whole;

static void die(const char* why) {
    fprintf(stderr, "bench_stochastic_ipopt: %s\n", why);
    exit(2);
}

static void add(triplets* t, size_t row, size_t col, double value) {
    if (t->count == t->room) {
        t->room = 2 * t->room + 1024;
        t->row = realloc(t->row, t->room * sizeof *t->row);
        t->col = realloc(t->col, t->room * sizeof *t->col);
        t->value = realloc(t->value, t->room * sizeof *t->value);
        if (t->row == NULL || t->col == NULL || t->value == NULL) die("no memory");
    }
    t->row[t->count] = (int)row;
    t->col[t->count] = (int)col;
    t->value[t->count++] = value;
}

static void put(triplets* t, const sti_matrix* A, double f, size_t row, size_t col, bool lower) {
    for (int i = 0; i < A->rows; i++) {
        for (int j = 0; j < (lower ? i + 1 : A->cols); j++) {
            const double value = f * sti_matrix_get(A, i, j);
            if (value != 0) add(t, row + (size_t)i, col + (size_t)j, value);
        }
    }
}

static void fill(double* to, const double* from, size_t count, double missing, double f) {
    for (size_t k = 0; k < count; k++)
        to[k] = from == NULL ? missing : isfinite(from[k]) ? f * from[k] : copysign(2e19, from[k]);
}

static void build(const sti_stochastic* p, whole* w) {
    w->n = (size_t)p->n, w->m = (size_t)p->p;
    for (int i = 0; i < p->scenario_count; i++) w->n += (size_t)p->scenarios[i].m, w->m += (size_t)p->scenarios[i].q;
    double* block = calloc(3 * w->n + 2 * w->m, sizeof *block);
    if (block == NULL) die("no memory");
    w->c = block, w->lb = w->c + w->n, w->ub = w->lb + w->n, w->rl = w->ub + w->n, w->ru = w->rl + w->m;
    fill(w->c, p->c0, (size_t)p->n, 0, 1);
    fill(w->lb, p->lb, (size_t)p->n, 0, 1);
    fill(w->ub, p->ub, (size_t)p->n, 2e19, 1);
    fill(w->rl, p->bl, (size_t)p->p, 0, 1);
    fill(w->ru, p->bu, (size_t)p->p, 0, 1);
    put(&w->H, &p->Q0, 1, 0, 0, true);
    put(&w->J, &p->T0, 1, 0, 0, false);
    size_t v = (size_t)p->n, r = (size_t)p->p;
    for (int i = 0; i < p->scenario_count; i++) {
        const sti_scenario* s = &p->scenarios[i];
        const size_t m = (size_t)s->m, q = (size_t)s->q;
        fill(w->c + v, s->c, m, 0, s->probability);
        fill(w->lb + v, s->lb, m, 0, 1);
        fill(w->ub + v, s->ub, m, 2e19, 1);
        fill(w->rl + r, s->dl, q, 0, 1);
        fill(w->ru + r, s->du, q, 0, 1);
        put(&w->H, &s->Q, s->probability, v, v, true);
        put(&w->J, &s->T, s->probability, 0, v, false);
        put(&w->J, s->W0.rows > 0 ? &s->W0 : &p->W0, 1, r, 0, false);
        put(&w->J, &s->W, 1, r, v, false);
        v += m, r += q;
    }
}

static void hessian_times(const whole* w, const double* x, double* y) {
    memset(y, 0, w->n * sizeof *y);
    for (size_t k = 0; k < w->H.count; k++) {
        const int i = w->H.row[k], j = w->H.col[k];
        y[i] += w->H.value[k] * x[j];
        if (i != j) y[j] += w->H.value[k] * x[i];
    }
}

static Bool objective(Index n, Number* x, Bool fresh, Number* value, UserDataPtr user) {
    const whole* w = user;
    double sum = 0;
    (void)fresh;
    for (size_t k = 0; k < w->H.count; k++) {
        const int i = w->H.row[k], j = w->H.col[k];
        sum += (i == j ? 0.5 : 1) * w->H.value[k] * x[i] * x[j];
    }
    for (Index j = 0; j < n; j++) sum += w->c[j] * x[j];
    *value = sum;
    return TRUE;
}

static Bool gradient(Index n, Number* x, Bool fresh, Number* g, UserDataPtr user) {
    const whole* w = user;
    (void)fresh;
    hessian_times(w, x, g);
    for (Index j = 0; j < n; j++) g[j] += w->c[j];
    return TRUE;
}

static Bool rows(Index n, Number* x, Bool fresh, Index m, Number* g, UserDataPtr user) {
    const whole* w = user;
    (void)n, (void)fresh;
    memset(g, 0, (size_t)m * sizeof *g);
    for (size_t k = 0; k < w->J.count; k++) g[w->J.row[k]] += w->J.value[k] * x[w->J.col[k]];
    return TRUE;
}

static void give(const triplets* t, Index* row, Index* col, Number* value, double f) {
    if (value == NULL) {
        memcpy(row, t->row, t->count * sizeof *row);
        memcpy(col, t->col, t->count * sizeof *col);
    } else {
        for (size_t k = 0; k < t->count; k++) value[k] = f * t->value[k];
    }
}

static Bool jacobian(Index n, Number* x, Bool fresh, Index m, Index count, Index* row, Index* col, Number* value,
                     UserDataPtr user) {
    const whole* w = user;
    (void)n, (void)x, (void)fresh, (void)m, (void)count;
    give(&w->J, row, col, value, 1);
    return TRUE;
}

static Bool hessian(Index n, Number* x, Bool fresh, Number factor, Index m, Number* lambda, Bool fresh_lambda,
                    Index count, Index* row, Index* col, Number* value, UserDataPtr user) {
    const whole* w = user;
    (void)n, (void)x, (void)fresh, (void)m, (void)lambda, (void)fresh_lambda, (void)count;
    give(&w->H, row, col, value, factor);
    return TRUE;
}

static Bool count_steps(Index mode, Index iteration, Number value, Number primal, Number dual, Number mu, Number step,
                        Number shift, Number alpha_dual, Number alpha_primal, Index trials, UserDataPtr user) {
    whole* w = user;
    (void)mode, (void)value, (void)primal, (void)dual, (void)mu, (void)step, (void)shift, (void)alpha_dual;
    (void)alpha_primal, (void)trials;
    w->iterations = iteration;
    return TRUE;
}

static double cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A line of /proc/self/status in MB.
static double status_mb(const char* name) {
    FILE* file = fopen("/proc/self/status", "r");
    char line[256];
    double kb = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) kb = atof(line + strlen(name));
    }
    if (file != NULL) fclose(file);
    return kb / 1024;
}

// What the process has now, from where its largest size counts anew.
static double begin_growth(void) {
    malloc_trim(0);
    FILE* file = fopen("/proc/self/clear_refs", "w");
    if (file != NULL) fputs("5", file), fclose(file);
    return status_mb("VmRSS:");
}

static void solve_ours(sti_env* env, const sti_stochastic* p, double tol, int runs, char* out, size_t size) {
    double best = INFINITY, objective = 0, mb = 0;
    long iterations = 0;
    for (int r = 0; r < runs; r++) {
        sti_stochastic_options options = sti_stochastic_options_default();
        sti_stochastic_answer answer;
        options.tol = tol;
        const double before = begin_growth(), begin = cpu_now();
        if (sti_stochastic_solve(env, p, &options, &answer) != STI_OK) die(sti_env_error(env)->text);
        const double took = cpu_now() - begin;
        if (answer.outcome != STI_CONIC_SOLVED) die(answer.reason);
        if (took < best) best = took;
        mb = status_mb("VmHWM:") - before;
        objective = answer.objective;
        iterations = answer.iterations;
        sti_stochastic_answer_clear(env, &answer);
    }
    snprintf(out, size, "{\"objective\": %.15g, \"iterations\": %ld, \"cpu_s\": %.6g, \"mb\": %.1f}", objective,
             iterations, best, mb);
}

int main(int argc, char** argv) {
    sti_env* env = NULL;
    sti_document* document;
    whole w = {0};
    if (argc < 2 || sti_env_create(NULL, &env) != STI_OK) die("FILE [TOL [RUNS]]");
    if (sti_document_load(env, argv[1], &document) != STI_OK) die(sti_env_error(env)->text);
    if (sti_stochastic_of(document) == NULL) die("not a list of scenarios");
    const double tol = argc > 2 ? atof(argv[2]) : 1e-8;
    char ours[200];
    solve_ours(env, sti_stochastic_of(document), tol, argc > 3 ? atoi(argv[3]) : 3, ours, sizeof ours);
    printf("{\"ours\": %s", ours);
    fflush(stdout);
    build(sti_stochastic_of(document), &w);
    double *x = calloc(w.n, sizeof *x), value = 0;
    if (x == NULL) die("no memory");
    for (size_t j = 0; j < w.n; j++) x[j] = 1;
    IpoptProblem nlp = CreateIpoptProblem((Index)w.n, w.lb, w.ub, (Index)w.m, w.rl, w.ru, (Index)w.J.count,
                                          (Index)w.H.count, 0, objective, rows, gradient, jacobian, hessian);
    if (nlp == NULL) die("Ipopt refuses the problem");
    AddIpoptNumOption(nlp, "tol", tol);
    AddIpoptIntOption(nlp, "print_level", 0);
    AddIpoptStrOption(nlp, "sb", "yes");
    const char* const yes[] = {"mehrotra_algorithm", "jac_c_constant", "jac_d_constant", "hessian_constant"};
    for (int k = 0; k < 4; k++) AddIpoptStrOption(nlp, (char*)yes[k], "yes");
    SetIntermediateCallback(nlp, count_steps);
    const double before = begin_growth(), begin = cpu_now();
    const enum ApplicationReturnStatus status = IpoptSolve(nlp, x, NULL, &value, NULL, NULL, NULL, &w);
    printf(", \"objective\": %.15g, \"iterations\": %ld, \"cpu_s\": %.6g, \"mb\": %.1f, \"status\": %d}\n", value,
           w.iterations, cpu_now() - begin, status_mb("VmHWM:") - before, (int)status);
    FreeIpoptProblem(nlp);
    sti_document_destroy(document);
    sti_env_destroy(env);
    free(x);
    free(w.c);
    return status == Solve_Succeeded ? 0 : 1;
}
