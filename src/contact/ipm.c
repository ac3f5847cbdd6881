// ipm.c: an interior-point method for the convex problem, and Coulomb's law around it.
//
// For slips s the problem is convex (fixed_point.h)
//
//     min 1/2 r'W r + (q + mu s n)'r,        |r_t| <= mu r_n      at every contact,
//
// a program over second-order cones: with the rows (mu r_n, r_t) in Q it is the form of stiction/conic.h, P = W, A =
// -diag(mu, 1, 1), b = 0, and the method of conic/ipm.c solves it in 10 to 20 steps whatever the conditioning of W, the
// redundancy of contacts or the size of mu. The outer loop of fixed_point.c then looks for the slips (De Saxce & Feng
// 1998; Acary, Cadoux, Lemarechal & Malick 2011); every solution is the guess of the next one.
//
// Departures.
// D1  mu = 0: r_t = 0 is known, and the contact keeps one variable, r_n >= 0.
// D2  W that is not symmetric (measured data are so to a few digits). The program has the symmetric part; the rest goes
//     with
//     the slips into the linear term, at the last r:  c = q + mu s n + (W - P) r. Repeated, that is a fixed point as
//                                                     well,
//     and a fast one while the skew part is small against W.
// D3  P = W + delta I with -delta r in the linear term, the proximal-point method: where W is indefinite by more than
//     rounding
//     (the least delta of 1e-8, 1e-7, .. of the mean diagonal entry that makes P convex; more than LARGEST_SHIFT is
//     refused), and where the residual stands still without it: with redundant contacts r is not unique, and the convex
//     problem is solved to far more digits once it is.
// D4  r is measured in units of |rho q| / sqrt(nc), so that the program's tolerances mean the same for all units.
//
// D5  the convex problem of s = 0 comes first: its solution is the Coulomb solution already where every contact sticks
//     or parts,
//     whatever mu is, while the slips of a bad guess would lift contacts by mu times their size. Where the loop stands
//     still, it is tried once more from that point, if that is better.
//
// What an outcome proves. Solution: the natural map of the Coulomb problem is at most tol, r in the cone. Stalled,
// limit: nothing; in particular not that there is no solution, even where a convex problem was found unbounded (an r in
// K that moves nothing and that q pushes): other slips may hold it.
//
// Cost: for each step a sparse L D L' of order about 2 d nc, that is n^3 / 3 for a W without zeros; the ordering is
// found once.
#include "conic/ipm.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "contact/cone.h"
#include "contact/fixed_point.h"

enum {
    WINDOW = 300,     // steps in which the residual must move
    CORRECTIONS = 8,  // D2, D3: programs for one set of slips
    FAILURES = 2,     // convex problems without a solution before giving up
    LARGEST = 60000,  // variables
};

static const double WORK = 1e11;                 // multiplications in all, when the caller sets no limit
static const double SHIFTS[] = {0, 1e-6, 1e-4};  // D3, in turn
static const double LEAST_SHIFT = 1e-8;
static const double LARGEST_SHIFT = 0.2;  // D3
static const double ASYMMETRY = 1e-12;    // of W that is left alone
static const double SHARE = 1e-2;         // first accuracy of a program, relative to what is asked of the natural map
static const double BEST = 1e-15;         // and the best that is ever asked for

typedef struct ipm {
    sti_arena memory;
    const sti_contact_local* p;
    sti_contact_watch watch;
    int N;            // variables
    double unit;      // D4
    double shift;     // D3: delta
    double mean;      // diagonal entry of P, without the shift
    bool skew;        // W is not symmetric
    bool corrects;    // P is not W: one of the two
    int failures;     // convex problems without a solution, in a row
    int* first;       // first variable of each contact       (nc)
    int* size;        // cones of the program                 (nc)
    double* c;        // of the program                       (N)
    double* b;        // zeros                                (N)
    double* x;        // r in the units of the program        (N)
    double* Px;       //                                      (N)
    sti_matrix P, A;  //
    sti_conic program;
    double* still;  // D5: r, u of s = 0 and its slips       (2 d nc + nc)
    sti_conic_ipm* method;
    sti_conic_answer answer;
    bool guess;    // answer.y belongs to a solution
    double share;  // accuracy of the next program, relative to what is asked of the natural map
} ipm;

// Variables of contact c: all of r_c, or r_n alone.
static int width(const ipm* k, int c) {
    return k->p->mu[c] > 0 ? k->p->d : 1;
}

// Rows of the program: contacts without friction first, then the cones in order. Their variables are in the same order.
static void number_variables(ipm* k) {
    int at = 0;
    for (int c = 0; c < k->p->nc; c++) {
        if (k->p->mu[c] == 0) k->first[c] = at++;
    }
    k->program.nonnegative = at;
    for (int c = 0; c < k->p->nc; c++) {
        if (k->p->mu[c] == 0) continue;
        k->first[c] = at;
        at += k->p->d;
        k->size[k->program.cone_count++] = k->p->d;
    }
    k->N = at;
}

static sti_status reserve(ipm* k) {
    const size_t nc = (size_t)k->p->nc, n = (size_t)k->p->d * nc;
    sti_env* env = k->p->env;
    k->memory = sti_arena_make(env);
    k->first = sti_arena_raw(&k->memory, nc, sizeof *k->first);
    k->size = sti_arena_raw(&k->memory, nc, sizeof *k->size);
    k->c = sti_arena_take(&k->memory, 4 * n, sizeof *k->c);
    if (k->memory.status != STI_OK) return k->memory.status;
    k->b = k->c + n;
    k->x = k->b + n;
    k->Px = k->x + n;
    number_variables(k);
    return STI_OK;
}

static sti_status reserve_entries(sti_env* env, int n, int64_t entries, sti_matrix* A) {
    *A = (sti_matrix){.rows = n, .cols = n};
    A->col_start = sti_alloc_array_zero(env, (size_t)n + 2, sizeof *A->col_start);
    A->row = sti_alloc_array(env, (size_t)entries, sizeof *A->row);
    A->value = sti_alloc_array(env, (size_t)entries, sizeof *A->value);
    if (A->col_start == NULL || A->row == NULL || A->value == NULL) return STI_ERR_MEMORY;
    return STI_OK;
}

// W' in the numbering of the variables, times unit^2: a row of W is a column of it. Contacts are taken in the order of
// their variables, and entries of a column sorted by insertion: contacts ascend, but not their variables.
static sti_status copy_W(ipm* k) {
    const sti_bsr* W = &k->p->W;
    const int d = W->d;
    const sti_status status = reserve_entries(k->p->env, k->N, W->row_start[W->n] * d * d, &k->P);
    if (status != STI_OK) return status;
    int64_t at = 0;
    for (int pass = 0; pass < 2; pass++) {  // without friction, then with
        for (int c = 0; c < W->n; c++) {
            if ((k->p->mu[c] > 0) != (pass == 1)) continue;
            for (int i = 0; i < width(k, c); i++) {
                const int column = k->first[c] + i;
                for (int kind = 0; kind < 2; kind++) {
                    for (int64_t e = W->row_start[c]; e < W->row_start[c + 1]; e++) {
                        const int other = W->col[e];
                        if ((k->p->mu[other] > 0) != (kind == 1)) continue;
                        for (int j = 0; j < width(k, other); j++) {
                            k->P.row[at] = k->first[other] + j;
                            k->P.value[at++] = k->unit * k->unit * W->block[e * d * d + i * d + j];
                        }
                    }
                }
                k->P.col_start[column + 1] = at;
            }
        }
    }
    return STI_OK;
}

// Largest |P - S| of S = P symmetrized, relative to the largest entry. Both sparse, S with the pattern of P and P'.
static double asymmetry(const sti_matrix* P, const sti_matrix* S) {
    double size = 0, difference = 0;
    for (int j = 0; j < P->cols; j++) {
        int64_t e = P->col_start[j];
        for (int64_t s = S->col_start[j]; s < S->col_start[j + 1]; s++) {
            double entry = 0;
            if (e < P->col_start[j + 1] && P->row[e] == S->row[s]) entry = P->value[e++];
            size = fmax(size, fabs(entry));
            difference = fmax(difference, fabs(entry - S->value[s]));
        }
    }
    return size > 0 ? difference / size : 0;
}

// D2: P is the symmetric part of W.
static sti_status set_P(ipm* k) {
    sti_env* env = k->p->env;
    sti_status status = copy_W(k);
    sti_matrix given = k->P;
    k->P = (sti_matrix){0};
    if (status == STI_OK) status = sti_matrix_to_sparse(env, &given, &k->P);
    if (status == STI_OK) status = sti_conic_symmetrize(env, &k->P);
    if (status == STI_OK) k->skew = asymmetry(&given, &k->P) > ASYMMETRY;
    sti_matrix_clear(env, &given);
    return status;
}

static sti_status set_A(ipm* k) {
    const sti_status status = reserve_entries(k->p->env, k->N, k->N, &k->A);
    if (status != STI_OK) return status;
    for (int c = 0; c < k->p->nc; c++) {
        for (int i = 0; i < width(k, c); i++) {
            const int j = k->first[c] + i;
            k->A.row[j] = j;
            k->A.value[j] = i == 0 && k->p->mu[c] > 0 ? -k->p->mu[c] : -1;
        }
    }
    for (int j = 0; j <= k->N; j++) k->A.col_start[j] = j;
    return STI_OK;
}

// D3: delta on the diagonal of P
static void add_shift(ipm* k, double delta) {
    for (int j = 0; j < k->N; j++) {
        for (int64_t e = k->P.col_start[j]; e < k->P.col_start[j + 1]; e++) {
            if (k->P.row[e] == j) k->P.value[e] += delta;
        }
    }
}

static double mean_diagonal(const ipm* k) {
    double sum = 0;
    for (int j = 0; j < k->N; j++) {
        for (int64_t e = k->P.col_start[j]; e < k->P.col_start[j + 1]; e++) sum += k->P.row[e] == j ? k->P.value[e] : 0;
    }
    return sum > 0 ? sum / k->N : 1;
}

// The method for the program, with the least shift from `relative` on that makes it convex. *fits: there is one.
static sti_status set_method(ipm* k, double relative, bool* fits) {
    sti_env* env = k->p->env;
    sti_conic_ipm_destroy(k->method);
    k->method = NULL;
    k->guess = false;
    k->share = SHARE;
    *fits = false;
    for (; relative <= LARGEST_SHIFT; relative = relative < LEAST_SHIFT ? LEAST_SHIFT : 10 * relative) {
        add_shift(k, k->mean * relative - k->shift);
        k->shift = k->mean * relative;
        int column = -1;
        sti_status status = sti_conic_ipm_create(env, &k->program, &k->method);
        if (status == STI_OK) status = sti_conic_scaled_curvature(sti_conic_ipm_scaled(k->method), &column);
        if (status != STI_OK) return status;
        k->corrects = k->skew || k->shift > 0;
        *fits = column < 0;
        if (*fits) return STI_OK;
        sti_conic_ipm_destroy(k->method);
        k->method = NULL;
    }
    return STI_OK;
}

static sti_status prepare(ipm* k, bool* fits) {
    k->unit = k->p->scale > 0 ? k->p->scale / sqrt(k->p->nc) : 1;
    sti_status status = reserve(k);
    if (status == STI_OK) status = set_P(k);
    if (status == STI_OK) status = set_A(k);
    if (status != STI_OK) return status;
    k->program.n = k->program.m = k->N;
    k->program.A = k->A;
    k->program.c = k->c;
    k->program.b = k->b;
    k->program.cone_size = k->size;
    for (int c = 0; c < k->p->nc; c++) {  // the units of the program come from this c
        for (int i = 0; i < width(k, c); i++) k->c[k->first[c] + i] = k->unit * k->p->q[k->p->d * c + i];
    }
    k->program.P = k->P;
    k->mean = mean_diagonal(k);
    status = set_method(k, 0, fits);
    if (status == STI_OK) status = sti_conic_answer_reserve(k->p->env, &k->program, &k->answer);
    return status;
}

static void release(ipm* k) {
    sti_env* env = k->p->env;
    sti_conic_ipm_destroy(k->method);
    sti_conic_answer_clear(env, &k->answer);
    sti_matrix_clear(env, &k->P);
    sti_matrix_clear(env, &k->A);
    sti_arena_clear(&k->memory);
    sti_free(env, k->still);
}

// --- the convex problem --------------------------------------------------------------------------------------------

// The linear term: q + mu s n, or with D2, D3: W r + q + mu s n - P r at the last r, u = W r + q.
static void set_c(ipm* k, const double* s, const double* r, const double* u) {
    const sti_contact_local* p = k->p;
    for (int c = 0; c < p->nc; c++) {
        for (int i = 0; i < width(k, c); i++) {
            const int at = p->d * c + i, j = k->first[c] + i;
            k->x[j] = r[at] / k->unit;
            k->c[j] = k->unit * ((k->corrects ? u[at] : p->q[at]) + (i == 0 ? p->mu[c] * s[c] : 0));
        }
    }
    if (!k->corrects) return;
    sti_conic_multiply(&k->P, k->x, k->Px);
    for (int j = 0; j < k->N; j++) k->c[j] -= k->Px[j];
}

// r in K from the answer, and u = W r + q. False: there is no point in it.
static bool take_point(ipm* k, double* r, double* u) {
    const sti_contact_local* p = k->p;
    if (k->answer.outcome == STI_CONIC_INFEASIBLE || k->answer.outcome == STI_CONIC_UNBOUNDED) return false;
    for (int j = 0; j < k->N; j++) {
        if (!isfinite(k->answer.x[j])) return false;
    }
    for (int c = 0; c < p->nc; c++) {
        double* rc = r + (size_t)p->d * (size_t)c;
        for (int i = 0; i < p->d; i++) rc[i] = i < width(k, c) ? k->unit * k->answer.x[k->first[c] + i] : 0;
        sti_cone_project(p->d, p->mu[c], rc, rc);
    }
    sti_contact_local_apply(p, r, u);
    return true;
}

static void run(ipm* k, double tol, long budget) {
    sti_conic_options options = {.tol = fmin(fmax(k->share * tol, BEST), 1e-4), .max_iterations = budget};
    if (k->watch.deadline < INFINITY) options.time_limit_s = fmax(k->watch.deadline - sti_clock(), 1e-3);
    options.guess_x = k->guess ? k->x : NULL;
    options.guess_y = k->guess ? k->answer.y : NULL;
    sti_conic_ipm_run(k->method, &options, &k->answer);
}

static sti_status solve_convex(void* user, const double* s, double tol, long budget, double* r, double* u,
                               long* spent) {
    ipm* k = user;
    const sti_contact_local* p = k->p;
    sti_contact_local_apply(p, r, u);
    *spent = 0;
    double before = INFINITY;
    for (int round = 0; round < CORRECTIONS && *spent < budget; round++) {
        set_c(k, s, r, u);
        run(k, tol, budget - *spent);
        *spent += k->answer.iterations;
        if (!take_point(k, r, u)) {
            k->guess = false;
            if (++k->failures > FAILURES) k->watch.window = 0;  // the residual stands still from now on
            return STI_OK;
        }
        k->failures = 0;
        k->guess = true;
        const double now = sti_contact_convex_map(p, s, r, u);
        if (now <= tol) break;
        const bool slow = !(now < 0.5 * before), exact = k->answer.outcome != STI_CONIC_SOLVED || k->share * tol < BEST;
        if (exact && (slow || !k->corrects)) break;
        if (slow || !k->corrects) k->share *= 0.1;  // the program was solved, but not well enough
        before = now;
    }
    return STI_OK;
}

// D5: the problem without slips. Its point is shown to the watch at once when it solves the problem.
static sti_status solve_still(ipm* k) {
    const sti_contact_local* p = k->p;
    const size_t n = (size_t)p->d * (size_t)p->nc;
    k->still = sti_alloc_array_zero(p->env, 2 * n + (size_t)p->nc, sizeof *k->still);
    if (k->still == NULL) return STI_ERR_MEMORY;
    double *r = k->still, *u = r + n, *s = u + n;
    long spent = 0;
    const sti_status status = solve_convex(k, s, k->watch.options->tol, k->watch.limit, r, u, &spent);
    k->watch.run->iterations += spent;
    k->guess = false;
    if (status == STI_OK && sti_contact_natural_map(p, r, u, NULL) <= k->watch.options->tol)
        sti_contact_watch_point(&k->watch, r, u);
    return status;
}

// One stage, from the best point so far.
static sti_status stage(ipm* k) {
    const sti_contact_convex convex = {.user = k, .solve = solve_convex};
    sti_contact_watch_renew(&k->watch);
    return sti_contact_fixed_point(&k->watch, &convex);
}

static sti_status solve(ipm* k) {
    const sti_contact_run* best = k->watch.run;
    bool fits = true;
    if (k->watch.options->max_iterations <= 0)
        k->watch.limit = (long)fmin(fmax(WORK / fmax(sti_conic_ipm_work(k->method), 1), 200), 5000);
    sti_status status = solve_still(k);
    if (status == STI_OK) status = stage(k);
    const double stalled = best->residual;
    if (status == STI_OK && best->termination == STI_END_STALLED) {
        sti_contact_watch_point(&k->watch, k->still, k->still + (size_t)k->p->d * (size_t)k->p->nc);
        if (best->residual < stalled) status = stage(k);  // D5
    }
    for (size_t i = 1; i < sizeof SHIFTS / sizeof *SHIFTS; i++) {  // D3
        if (status != STI_OK || best->termination != STI_END_STALLED || k->failures > FAILURES) break;
        if (k->mean * SHIFTS[i] <= k->shift) continue;
        status = set_method(k, SHIFTS[i], &fits);
        if (status != STI_OK || !fits) break;
        status = stage(k);
    }
    if (status == STI_OK && k->failures > FAILURES && best->termination == STI_END_STALLED)
        sti_contact_watch_end(&k->watch, STI_END_STALLED, "the convex problem has no solution");
    return status;
}

sti_status sti_contact_method_ipm(const sti_contact_local* p, const sti_contact_options* options,
                                  sti_contact_run* run_out) {
    ipm k = {.p = p};
    sti_contact_watch_start(&k.watch, "ipm", p, options, run_out, 1, WINDOW);
    if (p->op != NULL || (double)p->d * p->nc > LARGEST) {
        sti_contact_watch_end(&k.watch, STI_END_NOT_APPLICABLE,
                              p->op != NULL ? "W must be given as a matrix" : "the factors would be too large");
        return STI_OK;
    }
    if (sti_contact_watch_stop(&k.watch)) return STI_OK;
    bool fits = false;
    sti_status status = prepare(&k, &fits);
    if (status == STI_OK && fits)
        status = solve(&k);
    else if (status == STI_OK)
        sti_contact_watch_end(&k.watch, STI_END_NOT_APPLICABLE, "W is far from positive semidefinite");
    release(&k);
    return status;
}
