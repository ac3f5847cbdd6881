// gradient.c: projected gradients for the cone problem, accelerated (apgd) or with spectral steps (bb).
//
// For slips s the convex problem is (fixed_point.h)
//
//     min f(r) = 1/2 r'W r + (q + mu s n)'r      over K,       gradient  g = W r + q + mu s n.                     (1)
//
// Both take W as an operator, one product in an iteration. Lengths are measured contact by contact in units of rho_c =
// d / trace W_cc, |d|_D^2 = sum |d_c|^2 / rho_c: P_K stays the projection, and the natural map is a step of length one.
//
// apgd: the accelerated method of convex/accelerated.h (with backtracking: Mazhar, Heyn, Negrut & Tasora 2015,
// algorithm 1).
//
// bb: the spectral projected gradient (Birgin, Martinez & Raydan 2000):
//
//     d = P_K(r - a D g) - r,     r+ = r + lambda d,     f(r+) <= max of the last HISTORY values + 1e-4 lambda g'd (2)
//
// with a from the two quotients of Barzilai & Borwein, a1 = |d|_D^2 / d'W d and a2 = d'W d / |W d|_{1/D}^2, chosen by
// their ratio, the short one as the least of the last few (Bonettini, Zanella & Zanni 2009, section 3.2). W d gives f
// along d exactly, and the next velocity: no product is spent on the search. Velocities are computed afresh when a
// point is measured, so that no drift builds up.
//
// Coulomb's law. D1: the steps above with the projection on K replaced by one on what the law asks of r given u,
//
//     x_n = max(0, r_n - a rho u_n),     x_t = P_D(r_t - a rho u_t),     D the disc of radius mu x_n               (3)
//
// without slips (Jean & Moreau 1987; its fixed points are the solutions). That is no gradient step any more, and bb
// takes it without search. D2: where the residual stands still for a while, (1) with slips that follow the velocity,
// s <- s + omega (|u_t| - s), omega ever smaller; the while doubles each time (STAGES). D1 is better for mu > 1, where
// mu s magnifies every error of u_t. What does not converge is left to fixed_point.c, with s held.
//
// Convergence of (1): f falls to its minimum over K, like 1/k^2 for apgd, whenever there is one. W may be a little
// unsymmetric: f is then kept by summing its changes along the path. What an outcome proves. Solution: the natural map
// is at most tol, r in the cone. Limit, stalled: nothing. |r - P_K(r - D g)| is at most the length of a step of size a
// over min(a, 1), so points are measured in full only when that comes near tol, and every CHECK iterations.
#include <math.h>
#include <string.h>

#include "contact/cone.h"
#include "contact/fixed_point.h"
#include "convex/accelerated.h"

enum {
    CHECK = 10,     // iterations between measured residuals
    WINDOW = 2000,  // iterations in which the residual must move, for the outer loop of fixed_point.c
    HISTORY = 3,    // bb: values of f that a step is compared with
    SHORT = 5,      // bb: short steps remembered
};

static const double FIRST_L = 2;
static const double FORGET = 0.97;  // apgd: L shrinks by this, so that it follows the curvature where the iteration is
static const double DESCENT = 1e-4;
static const double LEAST_STEP = 1e-8, LARGEST_STEP = 1e8;  // of bb

// D1, D2
typedef struct stage {
    bool disc;     // D1; otherwise D2
    double omega;  // of D2
    long window;   // iterations in which the residual must move
} stage;

static const stage STAGES[] = {
    {true, 1, 300}, {false, 0.25, 600}, {false, 1 / 16., 1200}, {false, 1 / 64., 2400}, {true, 1, 4000}};

typedef struct gradient gradient;

typedef struct method {
    const char* name;
    void (*begin)(gradient* k);  // at r, with u = W r + q
    void (*step)(gradient* k);
} method;

struct gradient {
    const sti_contact_local* p;
    const method* method;
    sti_contact_watch watch;
    int n;                // d nc
    const double* s;      // slips                               (nc)
    double* slip;         // those that follow the velocity      (nc)
    double omega;         // at this rate; 0: s is held
    bool disc;            // no slips: D1
    double* r;            //                                     (n)
    double* u;            // W r + q                             (n)
    double* d;            // bb                                  (n)
    double* Wd;           // bb                                  (n)
    double bound;         // on |r - P_K(r - D g)| where the last step began
    double unit;          // of r, by which that is divided in the natural map; as of the last point measured
    sti_accelerated way;  // apgd: r and u are its x and g
    // bb
    double a;
    double balance;        // a2 / a1 below which a2 is taken
    double f;              // since the slips last changed
    long steps;            // since then
    double past[HISTORY];  // last values of f
    double shorts[SHORT];  // last values of a2
};

// x = P_K(point - step D (velocity + mu s n)) of contact c; D1: one after the other, x_n and then x_t in its disc.
static inline void project_step(const gradient* k, int c, const double* point, const double* velocity, double step,
                                double* x) {
    const int d = k->p->d;
    const double mu = k->p->mu[c], a = step * k->p->rho[c];
    double e[3] = {point[0] - a * velocity[0], point[1] - a * velocity[1], 0};
    if (d == 3) e[2] = point[2] - a * velocity[2];
    if (k->disc) {
        sti_cone_project_disc(d, mu, e, x);
        return;
    }
    e[0] -= a * mu * k->s[c];
    sti_cone_project(d, mu, e, x);
}

// D2
static void follow_slips(gradient* k, const double* velocity) {
    if (k->omega == 0 || k->disc) return;
    for (int c = 0; c < k->p->nc; c++) {
        const double slip = sti_cone_slip(k->p->d, velocity + (size_t)k->p->d * (size_t)c);
        k->slip[c] += k->omega * (slip - k->slip[c]);
    }
}

static void multiply(const sti_contact_local* p, const double* x, double* y) {
    if (p->op != NULL)
        p->op->apply(p->op->user, x, y);
    else
        sti_bsr_multiply(&p->W, x, y);
}

// ---- apgd

static void apgd_project(void* user, const double* y, const double* g, double step, double* x) {
    const gradient* k = user;
    for (int c = 0; c < k->p->nc; c++) {
        const size_t at = (size_t)k->p->d * (size_t)c;
        project_step(k, c, y + at, g + at, step, x + at);
    }
}

static void apgd_gradient(void* user, const double* x, double* g) {
    sti_contact_local_apply(((const gradient*)user)->p, x, g);
}

// False: no product is left for another try.
static bool apgd_again(void* user) {
    gradient* k = user;
    if (k->watch.run->iterations + 1 >= k->watch.limit) return false;
    k->watch.run->iterations++;
    return true;
}

static void apgd_begin(gradient* k) {
    sti_accelerated_begin(&k->way);
}

static void apgd_step(gradient* k) {
    follow_slips(k, k->way.gy);
    sti_accelerated_step(&k->way);
    k->r = k->way.x;
    k->u = k->way.g;
    k->bound = fmax(k->way.L / FORGET, 1) * k->way.way;
}

// ---- bb

static void bb_begin(gradient* k) {
    k->f = 0;
    k->steps = 0;
}

// Largest lambda that (2) takes, by safeguarded minimization of the parabola: slope = g'd, curvature = d'W d.
static double search(const gradient* k, double slope, double curvature) {
    double highest = k->f;
    for (int i = 0; i < HISTORY && i < k->steps; i++) highest = fmax(highest, k->past[i]);
    double lambda = 1;
    while (k->f + lambda * (slope + 0.5 * lambda * curvature) > highest + DESCENT * lambda * slope && lambda > 1e-12) {
        const double lowest = -slope / curvature;
        lambda = lowest >= 0.1 * lambda && lowest <= 0.9 * lambda ? lowest : 0.5 * lambda;
    }
    return lambda;
}

// The next step length, of Barzilai and Borwein's two.
static void choose_length(gradient* k, double length, double curvature, double square) {
    if (!(curvature > 0) || !(square > 0)) {
        k->a = LARGEST_STEP;
        return;
    }
    const double a1 = length / curvature, a2 = curvature / square;
    k->shorts[k->steps % SHORT] = a2;
    if (a2 < k->balance * a1) {
        k->a = a2;
        for (int i = 0; i < SHORT && i < k->steps; i++) k->a = fmin(k->a, k->shorts[i]);
        k->balance *= 0.7;
    } else {
        k->a = a1;
        k->balance *= 1.3;
    }
    k->a = fmin(fmax(k->a, LEAST_STEP), LARGEST_STEP);
}

static void bb_step(gradient* k) {
    const sti_contact_local* p = k->p;
    const int d = p->d;
    double slope = 0, plain = 0, length = 0, curvature = 0, square = 0;
    follow_slips(k, k->u);
    for (int c = 0; c < p->nc; c++) {
        const size_t at = (size_t)d * (size_t)c;
        const double *r = k->r + at, *u = k->u + at;
        double *e = k->d + at, e2 = 0;
        project_step(k, c, r, u, k->a, e);
        for (int i = 0; i < d; i++) {
            e[i] -= r[i];
            slope += u[i] * e[i];
            e2 += e[i] * e[i];
        }
        if (!k->disc) slope += p->mu[c] * k->s[c] * e[0];
        plain += e2;
        length += e2 / p->rho[c];
    }
    k->bound = sqrt(plain) / fmin(k->a, 1);
    multiply(p, k->d, k->Wd);
    for (int c = 0; c < p->nc; c++) {
        double v2 = 0;
        for (int i = d * c; i < d * (c + 1); i++) {
            curvature += k->d[i] * k->Wd[i];
            v2 += k->Wd[i] * k->Wd[i];
        }
        square += v2 * p->rho[c];
    }
    const double lambda = k->disc ? 1 : search(k, slope, curvature);
    k->f += lambda * (slope + 0.5 * lambda * curvature);
    for (int i = 0; i < k->n; i++) {
        k->r[i] += lambda * k->d[i];
        k->u[i] += lambda * k->Wd[i];
    }
    k->past[k->steps % HISTORY] = k->f;
    k->steps++;
    choose_length(k, length, curvature, square);
}

// ---- the loop

// Velocities afresh, and the natural map: of (1) with s held, otherwise the true one, which the watch notes.
static double measure(gradient* k) {
    double size = 0;
    for (int i = 0; i < k->n; i++) size += k->r[i] * k->r[i];
    k->unit = fmax(sqrt(size), k->p->scale);
    sti_contact_local_apply(k->p, k->r, k->u);
    if (k->omega == 0) return sti_contact_convex_map(k->p, k->s, k->r, k->u);
    return sti_contact_watch_point(&k->watch, k->r, k->u);
}

// One iteration; *residual is renewed when the point was worth measuring. False: the iterates have left the finite
// numbers.
static bool advance(gradient* k, double tol, double* residual) {
    k->method->step(k);
    k->watch.run->iterations++;
    if (!isfinite(k->bound)) return false;
    if (k->bound <= 2 * tol * k->unit || k->watch.run->iterations % CHECK == 0) *residual = measure(k);
    return true;
}

static void load(gradient* k, const double* r, const double* u) {
    for (int c = 0; c < k->p->nc; c++) {
        const size_t at = (size_t)k->p->d * (size_t)c;
        sti_cone_project(k->p->d, k->p->mu[c], r + at, k->r + at);
    }
    memcpy(k->u, u, (size_t)k->n * sizeof *u);
    if (memcmp(k->r, r, (size_t)k->n * sizeof *r) != 0) sti_contact_local_apply(k->p, k->r, k->u);
    k->unit = k->p->scale;
    k->method->begin(k);
}

// One stage, from the best point known.
static void follow(gradient* k, const stage* how) {
    double residual = k->watch.run->residual;
    k->s = k->slip;
    k->disc = false;
    k->omega = 1;
    follow_slips(k, k->watch.run->u);
    k->disc = how->disc;
    k->omega = how->omega;
    load(k, k->watch.run->r, k->watch.run->u);
    while (!sti_contact_watch_stop(&k->watch)) {
        if (advance(k, k->watch.options->tol, &residual)) continue;
        sti_contact_watch_end(&k->watch, STI_END_STALLED, "the iterates diverge");
        return;
    }
}

// The convex problem of s, for the outer loop.
static sti_status solve_convex(void* user, const double* s, double tol, long budget, double* r, double* u,
                               long* spent) {
    gradient* k = user;
    const long first = k->watch.run->iterations;
    sti_contact_local_apply(k->p, r, u);
    k->s = s;
    k->omega = 0;
    k->disc = false;
    load(k, r, u);
    double residual = measure(k);
    bool finite = true;
    while (finite && residual > tol && k->watch.run->iterations - first < budget) finite = advance(k, tol, &residual);
    *spent = k->watch.run->iterations - first;
    k->watch.run->iterations = first;  // the outer loop counts them
    if (!finite) return STI_OK;        // r stays
    measure(k);
    memcpy(r, k->r, (size_t)k->n * sizeof *r);
    memcpy(u, k->u, (size_t)k->n * sizeof *u);
    return STI_OK;
}

static sti_status solve(const method* how, const sti_contact_local* p, const sti_contact_options* options,
                        sti_contact_run* run) {
    const size_t n = (size_t)(p->d * p->nc);
    gradient k = {.p = p, .method = how, .n = (int)n, .a = 1 / FIRST_L, .balance = 0.3};
    const double entries = p->op != NULL ? 30 * (double)n : (double)p->W.row_start[p->nc] * p->d * p->d;
    sti_contact_watch_start(&k.watch, how->name, p, options, run, entries + 10 * (double)n, WINDOW);
    if (sti_contact_watch_stop(&k.watch)) return STI_OK;
    double* memory = sti_alloc_array_zero(p->env, (STI_ACCELERATED_VECTORS + 1) * n + (size_t)p->nc, sizeof *memory);
    if (memory == NULL) return STI_ERR_MEMORY;
    double* weight = memory + STI_ACCELERATED_VECTORS * n;
    for (size_t i = 0; i < n; i++) weight[i] = 1 / p->rho[i / (size_t)p->d];
    k.slip = weight + n;
    k.way = (sti_accelerated){.n = (int)n,
                              .weight = weight,
                              .L = FIRST_L,
                              .forget = FORGET,
                              .user = &k,
                              .project = apgd_project,
                              .gradient = apgd_gradient,
                              .again = apgd_again};
    sti_accelerated_place(&k.way, memory);
    k.r = k.way.x;
    k.u = k.way.g;
    k.d = k.way.y;
    k.Wd = k.way.gy;
    for (size_t i = 0; i < sizeof STAGES / sizeof *STAGES; i++) {
        k.watch.window = STAGES[i].window;
        sti_contact_watch_renew(&k.watch);
        follow(&k, &STAGES[i]);
        if (run->termination != STI_END_STALLED) break;
    }
    sti_status status = STI_OK;
    if (run->termination == STI_END_STALLED) {
        const sti_contact_convex convex = {.user = &k, .solve = solve_convex};
        k.watch.window = WINDOW;
        sti_contact_watch_renew(&k.watch);
        status = sti_contact_fixed_point(&k.watch, &convex);
    }
    sti_free(p->env, memory);
    return status;
}

sti_status sti_contact_method_apgd(const sti_contact_local* p, const sti_contact_options* options,
                                   sti_contact_run* run) {
    static const method apgd = {"apgd", apgd_begin, apgd_step};
    return solve(&apgd, p, options, run);
}

sti_status sti_contact_method_bb(const sti_contact_local* p, const sti_contact_options* options, sti_contact_run* run) {
    static const method bb = {"bb", bb_begin, bb_step};
    return solve(&bb, p, options, run);
}
