// velocities.c: Newton's method on the velocities of rigid bodies, for problems with many more contacts than bodies.
//
//     A (v - v_free) = H r,      u = H'v + w,      r in K,   u + mu |u_t| n in K*,   orthogonal              A = M / s
//
// A wall of bricks has a dozen contacts for each brick: W = H' A^-1 H is large, nearly dense and singular, A is block
// diagonal and definite. So the unknowns are the velocities. With the map of Alart and Curnier (1991),
//     p_n = max(0, r_n - rho u_n),       p_t = the vector of length at most mu p_n that is nearest to r_t - rho u_t,
//
// whose fixed points r = p are those of Coulomb's law for every rho > 0, the method of multipliers (Hestenes 1969,
// Powell 1969) repeats
//
//     find v with     F(v) = A (v - v_free) - H p(r - rho u(v)) = 0,       then      r <- p.
//
// F is piecewise smooth, and Newton's method on it has the matrix A + sum rho H_c D_c H_c',
//
//     open   D = 0          stick   D = 1          slide   D = [ 1, 0 ; mu y, (mu p_n / |x_t|) (1 - y y') ],
//
// with x = r - rho u, y = x_t / |x_t| (D is of_map): a block for each two bodies that touch, factored as a sparse
// matrix of blocks (linalg/blocks.h). Singular W costs nothing: the impulses are one choice of many, the velocities are
// unique. Without contacts that slide the matrix is symmetric and positive definite. With them the column mu y couples
// friction to the pressure: sliding is followed at once, and not by a fixed point over given slips. Steps are cut until
// |F| falls in the metric of A^-1; where that fails, v goes from piece to piece of F (velocity_piecewise.c), and where
// that fails too, along the direction of given pressures (D without mu y, the problem of Tresca, symmetric and
// definite).
//
// r changes by what rho leaves: rho = kappa d / trace W_cc, and a larger kappa takes fewer rounds, each with harder
// steps. kappa grows while a round takes few steps, and falls when it takes many. A factor is used again while it
// serves: steps with the last one come first.
//
// Sweeps (velocity_sweeps.c) come first where bodies move: from the last impulses the cheapest way to 1e-3. From far
// away (a residual above FAR) interior points follow (velocity_interior.c), which find most of the modes.
//
// What is proved: nothing but the point, whose residual (docs/contact.md) is measured on the data. Coulomb's law is not
// monotone, and no theorem says that the rounds converge. They end after NEWTONS factorizations, or when nothing is
// gained any more. r may drift along stresses that hardly change u until a contact changes its mode, some hundreds of
// times (docs/bodies.md), and the residual does not fall all the way: rounds go on from a worse point (AWAY), and back
// to the best one where they lose themselves; a round that was not solved is made again with a smaller kappa.
//
// Cost: a factorization is of the order of n^1.5 for a wall of n bricks. For free bodies and contacts: bilateral rows,
// and masses that couple bodies, are left to the local form.
#include "contact/velocities.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/cone.h"
#include "contact/local.h"

enum {
    NEWTONS = 500,  // factorizations for an island; fewer where there are more contacts than
    LARGE = 2000,   //   this: as many as take the same time, but no less than
    NEWTONS_LEAST = 100,
    TAKEN = 400,  // contacts from which on a step of bodies takes what there is (bodies/islands.c)
    INNER = 15,   // in a round
    IDLE = 200,   // rounds that gain nothing
    HALVINGS = 7,
};
#define KAPPA 30.0
#define KAPPA_MOST 1e7
#define KAPPA_LEAST 3.0
#define GROWTH 1.4      // of kappa, after a round with few steps
#define AWAY 1e3        // times the best residual: back from there
#define UNSOLVED 100.0  // times its tolerance: a round that ends with this |F| did not find its root
#define NEARLY 3.0      // times the tolerance: rounds that gain little end here, because a step of bodies has a margin
#define FAR 1e-2        // residual from which on the interior-point method comes first, and
#define FAR_STILL 2e-3  //   where nothing moves yet

typedef sti_contact_velocities task;
typedef sti_piece mode;

// ---- the map

// p and the mode of x.
static mode map(int d, double mu, const double* x, double* p) {
    sti_cone_project_disc(d, mu, x, p);
    if (!(x[0] > 0)) return STI_PIECE_OPEN;
    return mu > 0 && sti_cone_slip(d, x) <= mu * x[0] ? STI_PIECE_STICK : STI_PIECE_SLIDE;
}

// D (d x d, by rows). given: for given pressures.
static void of_map(int d, double mu, mode how, const double* x, bool given, double* D) {
    memset(D, 0, (size_t)(d * d) * sizeof *D);
    if (how == STI_PIECE_OPEN) return;
    D[0] = 1;
    if (how == STI_PIECE_STICK) {
        for (int a = 1; a < d; a++) D[a * (d + 1)] = 1;
        return;
    }
    const double t = sti_cone_slip(d, x);
    if (!(mu > 0 && t > 0)) return;
    const double y[2] = {x[1] / t, d == 3 ? x[2] / t : 0}, across = mu * x[0] / t;
    for (int a = 1; a < d; a++) {
        D[a * d] = given ? 0 : mu * y[a - 1];
        for (int b = 1; b < d; b++) D[a * d + b] = across * ((a == b) - y[a - 1] * y[b - 1]);
    }
}

// ---- F

static const double* side_of(const task* k, int i, int side) {
    return k->H + (size_t)(2 * i + side) * (size_t)(k->d * k->nv);
}

static inline __attribute__((always_inline)) void add_relative(const task* k, int d, int nv, const double* v,
                                                               double* u) {
    for (int i = 0; i < 2 * k->count; i++) {
        const int body = k->body[i];
        if (body < 0) continue;
        const double *h = k->H + (size_t)i * (size_t)(d * nv), *at = v + (size_t)(body * nv);
        for (int a = 0; a < d; a++, h += nv) {
            double s = 0;
            for (int e = 0; e < nv; e++) s += h[e] * at[e];
            u[(i / 2) * d + a] += s;
        }
    }
}

void sti_contact_velocities_relative(const task* k, const double* v, double* u) {
    memcpy(u, k->w, (size_t)(k->count * k->d) * sizeof *u);
    if (k->d == 3)
        add_relative(k, 3, 6, v, u);
    else
        add_relative(k, 2, 3, v, u);
}

static inline __attribute__((always_inline)) void add_forces(const task* k, int d, int nv, const double* r, double sign,
                                                             double* f) {
    for (int i = 0; i < 2 * k->count; i++) {
        const double *h = k->H + (size_t)i * (size_t)(d * nv), *p = r + (size_t)((i / 2) * d);
        if (k->body[i] < 0 || p[0] == 0) continue;
        double* at = f + (size_t)(k->body[i] * nv);
        for (int a = 0; a < d; a++, h += nv) {
            const double s = sign * p[a];
            for (int e = 0; e < nv; e++) at[e] += s * h[e];
        }
    }
}

void sti_contact_velocities_add_forces(const task* k, const double* r, double sign, double* f) {
    if (k->d == 3)
        add_forces(k, 3, 6, r, sign, f);
    else
        add_forces(k, 2, 3, r, sign, f);
}

void sti_contact_velocities_mass_solve(const task* k, int body, const double* f, double* y) {
    const int d = k->d, turns = k->nv - d;
    const double *inverse = k->inverse + 10 * (size_t)body, *J = inverse + 1;
    for (int e = 0; e < d; e++) y[e] = inverse[0] * f[e];
    for (int e = 0; e < turns; e++) {
        y[d + e] = 0;
        for (int c = 0; c < turns; c++) y[d + e] += J[e * turns + c] * f[d + c];
    }
}

void sti_contact_velocities_follow(task* k, const double* r, double* v) {
    const int nv = k->nv;
    memset(k->step, 0, (size_t)(k->bodies * nv) * sizeof *k->step);
    sti_contact_velocities_add_forces(k, r, 1, k->step);
    for (int b = 0; b < k->bodies; b++) {
        double y[6];
        sti_contact_velocities_mass_solve(k, b, k->step + (size_t)(b * nv), y);
        for (int e = 0; e < nv; e++) v[b * nv + e] = k->v_free[b * nv + e] + y[e];
    }
}

void sti_contact_velocities_imbalance(const task* k, const double* v, const double* r, double* F) {
    const int nv = k->nv;
    for (int b = 0; b < k->bodies; b++) {
        const double* A = k->A + (size_t)(b * nv * nv);
        double y[6];
        for (int e = 0; e < nv; e++) y[e] = v[b * nv + e] - k->v_free[b * nv + e];
        for (int e = 0; e < nv; e++) {
            double s = 0;
            for (int c = 0; c < nv; c++) s += A[e * nv + c] * y[c];
            F[b * nv + e] = s;
        }
    }
    sti_contact_velocities_add_forces(k, r, -1, F);
}

double sti_contact_velocities_evaluate(task* k, const double* v, double* size) {
    const int d = k->d, nv = k->nv;
    double merit = 0, all = 0;
    sti_contact_velocities_relative(k, v, k->u);
    for (int i = 0; i < k->count; i++) {
        double *x = k->x + (size_t)(i * d), *p = k->p + (size_t)(i * d), square = 0;
        for (int a = 0; a < d; a++) x[a] = k->r[i * d + a] - k->kappa * k->rho[i] * k->u[i * d + a];
        k->mode[i] = (unsigned char)map(d, k->mu[i], x, p);
        for (int a = 0; a < d; a++) square += p[a] * p[a];
        all += square / k->rho[i];
    }
    sti_contact_velocities_imbalance(k, v, k->p, k->F);
    for (int b = 0; b < k->bodies; b++) {
        double y[6];
        sti_contact_velocities_mass_solve(k, b, k->F + (size_t)(b * nv), y);
        for (int e = 0; e < nv; e++) merit += y[e] * k->F[b * nv + e];
    }
    *size = all;
    return merit;
}

// ---- its derivative

// block e += G'E, G and E (d x nv)
static inline __attribute__((always_inline)) void add_product(int d, int nv, double* restrict at,
                                                              const double* restrict G, const double* restrict E) {
    for (int c = 0; c < nv; c++, at += nv) {
        for (int a = 0; a < d; a++) {
            const double s = E[a * nv + c];
            for (int r = 0; r < nv; r++) at[r] += s * G[a * nv + r];
        }
    }
}

static inline __attribute__((always_inline)) void add_blocks(task* k, int d, int nv, int i, const double* D) {
    const int *body = k->body + 2 * (size_t)i, *place = k->place + 2 * (size_t)i;
    const size_t size = (size_t)(nv * nv);
    for (int side = 0; side < 2; side++) {
        if (body[side] < 0) continue;
        const double* h = side_of(k, i, side);
        double E[18];
        for (int a = 0; a < d; a++) {
            for (int e = 0; e < nv; e++) {
                double s = 0;
                for (int b = 0; b < d; b++) s += D[a * d + b] * h[b * nv + e];
                E[a * nv + e] = s;
            }
        }
        add_product(d, nv, k->blocks.value + (size_t)k->self[body[side]] * size, h, E);
        if (body[1 - side] >= 0)
            add_product(d, nv, k->blocks.value + (size_t)place[side] * size, side_of(k, i, 1 - side), E);
    }
}

void sti_contact_velocities_add_contact(task* k, int i, const double* D) {
    if (k->d == 3)
        add_blocks(k, 3, 6, i, D);
    else
        add_blocks(k, 2, 3, i, D);
}

void sti_contact_velocities_begin_matrix(task* k) {
    const size_t size = (size_t)(k->nv * k->nv);
    memset(k->blocks.value, 0, (size_t)k->blocks.count * size * sizeof *k->blocks.value);
    for (int b = 0; b < k->bodies; b++)
        memcpy(k->blocks.value + (size_t)k->self[b] * size, k->A + (size_t)b * size, size * sizeof *k->A);
}

bool sti_contact_velocities_factor(task* k, bool given) {
    const int d = k->d;
    bool symmetric = true;
    sti_contact_velocities_begin_matrix(k);
    for (int i = 0; i < k->count; i++) {
        double D[9];
        if (k->mode[i] == STI_PIECE_OPEN) continue;
        of_map(d, k->mu[i], (mode)k->mode[i], k->x + (size_t)(i * d), given, D);
        symmetric = symmetric && (given || k->mode[i] == STI_PIECE_STICK || k->mu[i] == 0);
        for (int e = 0; e < d * d; e++) D[e] *= k->kappa * k->rho[i];
        sti_contact_velocities_add_contact(k, i, D);
    }
    k->factors++;
    memcpy(k->mode_factored, k->mode, (size_t)k->count);
    return sti_blocks_factor(&k->blocks, symmetric);
}

// ---- the method

// Residual of docs/contact.md for r, on the local form of the island. Changes u.
double sti_contact_velocities_residual(task* k, const double* r) {
    const int d = k->d;
    double e2 = 0, r2 = 0;
    sti_contact_velocities_follow(k, r, k->trial);
    sti_contact_velocities_relative(k, k->trial, k->u);
    for (int i = 0; i < k->count; i++) {
        const double *u = k->u + (size_t)(i * d), *at = r + (size_t)(i * d);
        for (int a = 0; a < d; a++) r2 += at[a] * at[a];
        e2 += sti_contact_natural_map_one(d, k->mu[i], k->rho[i], at, u);
    }
    return sqrt(e2 / fmax(fmin(r2, 1e4 * k->drive), k->drive));
}

// v moves along `step` until |F| falls; false: it did not. *merit is that of the new v.
static bool descend(task* k, double enough, int halvings, double* merit, double* size) {
    const size_t n = (size_t)(k->bodies * k->nv);
    double part = 1;
    for (int i = 0; i <= halvings; i++, part /= 2) {
        for (size_t e = 0; e < n; e++) k->trial[e] = k->v[e] + part * k->step[e];
        const double next = sti_contact_velocities_evaluate(k, k->trial, size);
        if (!(next <= (1 - enough * part) * *merit)) continue;
        memcpy(k->v, k->trial, n * sizeof *k->v);
        *merit = next;
        return true;
    }
    return false;
}

void sti_contact_velocities_direction(task* k) {
    const size_t n = (size_t)(k->bodies * k->nv);
    for (size_t i = 0; i < n; i++) k->step[i] = -k->F[i];
    sti_blocks_solve(&k->blocks, k->step);
}

// Newton's method on F until |F| <= tol |p|. How many factorizations it took, -1: it got no farther. *left: |F| / |p|.
static int find_root(task* k, int most, double tol, double* left) {
    double size, merit = sti_contact_velocities_evaluate(k, k->v, &size);
    const int before = k->factors;
    bool stuck = false;
    while (!stuck && merit > tol * tol * size) {
        if (k->usable && memcmp(k->mode, k->mode_factored, (size_t)k->count) == 0) {
            sti_contact_velocities_direction(k);
            if (descend(k, 0.99, 0, &merit, &size)) continue;
            merit = sti_contact_velocities_evaluate(k, k->v, &size);
        }
        if (k->factors - before >= most) break;
        k->usable = sti_contact_velocities_factor(k, false);
        if (k->usable) {
            sti_contact_velocities_direction(k);
            if (descend(k, 1e-4, HALVINGS, &merit, &size)) continue;
            merit = sti_contact_velocities_evaluate(k, k->v, &size);
        }
        k->usable = false;
        if (sti_contact_velocities_cross(k, &merit, &size)) continue;
        stuck = sti_contact_velocities_spent(k) || !sti_contact_velocities_factor(k, true);
        if (stuck) break;
        sti_contact_velocities_direction(k);
        stuck = !descend(k, 1e-4, HALVINGS, &merit, &size);
    }
    *left = sqrt(merit / size);
    return stuck ? -1 : k->factors - before;
}

static void set_kappa(task* k, double kappa) {
    k->kappa = kappa;
    k->usable = false;
}

static bool has_friction(const task* k) {
    for (int i = 0; i < k->count; i++) {
        if (k->mu[i] > 0) return true;
    }
    return false;
}

static double enough_for(const task* k, double tol) {
    return k->margin && k->count >= TAKEN && has_friction(k) ? NEARLY * tol : tol;
}

// r from farther away; its residual, and `trial` its velocities. What stands still is left to the interior-point
// method: impulses well inside their cones are those with which rest can be proved.
static double approach(task* k, double tol) {
    const size_t rows = (size_t)(k->count * k->d);
    bool moves = !has_friction(k);
    for (int i = 0; i < k->bodies * k->nv && !moves; i++) moves = k->v_before[i] != 0;
    double best = sti_contact_velocities_residual(k, k->r);
    if (best > tol && moves) best = sti_contact_velocities_sweep(k, tol, best);
    if (best <= fmax(tol, moves ? FAR : FAR_STILL)) return sti_contact_velocities_residual(k, k->r);
    memcpy(k->r_before, k->r, rows * sizeof *k->r);
    const double found = sti_contact_velocities_interior(k, tol);
    memcpy(k->r, found < best ? k->best : k->r_before, rows * sizeof *k->r);
    return sti_contact_velocities_residual(k, k->r);
}

// v of the guess, which `trial` holds, or those before the step: whichever comes nearer.
static void choose_start(task* k) {
    const size_t n = (size_t)(k->bodies * k->nv);
    double size;
    memcpy(k->v, k->trial, n * sizeof *k->v);
    const double with = sti_contact_velocities_evaluate(k, k->v, &size);
    const double without = sti_contact_velocities_evaluate(k, k->v_before, &size);
    if (without < with) memcpy(k->v, k->v_before, n * sizeof *k->v);
}

// Factorizations that are left
static int most_factors(const task* k) {
    long most = NEWTONS;
    if (k->count >= LARGE) {
        const long fewer = (long)NEWTONS / 2 * LARGE / k->count;
        most = fewer > NEWTONS_LEAST ? fewer : NEWTONS_LEAST;
    }
    const long left = k->limit - k->passes - k->factors;
    return (int)(k->limit > 0 && left < most ? (left > 0 ? left : 0) : most);
}

// From r. The best point stays in k->best.
static double iterate(task* k, double tol) {
    const size_t rows = (size_t)(k->count * k->d), n = (size_t)(k->bodies * k->nv);
    double best = approach(k, tol), inner = 1e-2, most = KAPPA_MOST, size, left;
    const int last = k->factors + most_factors(k);
    const double enough = enough_for(k, tol);
    set_kappa(k, KAPPA);
    choose_start(k);
    memcpy(k->best, k->r, rows * sizeof *k->r);
    memcpy(k->v_best, k->v, n * sizeof *k->v);
    bool gains = true;
    for (int round = 0, idle = 0; k->factors < last && best > (gains ? tol : enough) && idle < IDLE; round++) {
        if ((k->deadline < INFINITY && sti_clock() > k->deadline) || sti_late(k->env)) break;
        memcpy(k->v_root, k->v, n * sizeof *k->v);
        const int steps = find_root(k, last - k->factors < INNER ? last - k->factors : INNER, inner, &left);
        idle++;
        if (round > 0 && !(left <= UNSOLVED * inner)) {
            memcpy(k->v, k->v_root, n * sizeof *k->v);
            most = fmax(KAPPA, k->kappa / 2);
            set_kappa(k, fmax(KAPPA_LEAST, k->kappa / 4));
            continue;
        }
        sti_contact_velocities_evaluate(k, k->v, &size);
        memcpy(k->r, k->p, rows * sizeof *k->r);
        const double now = sti_contact_velocities_residual(k, k->r);
        if (now < 0.9 * best) idle = 0;
        gains = now < 0.5 * best;
        if (now < best) {
            best = now;
            memcpy(k->best, k->r, rows * sizeof *k->r);
            memcpy(k->v_best, k->v, n * sizeof *k->v);
        } else if (!(now <= AWAY * best) && round > 0) {  // lost: back to where it was
            memcpy(k->r, k->best, rows * sizeof *k->r);
            memcpy(k->v, k->v_best, n * sizeof *k->v);
            most = fmax(KAPPA, k->kappa / 2);
            set_kappa(k, fmax(KAPPA_LEAST, k->kappa / 4));
            continue;
        }
        inner = fmin(inner, 0.02 * best);
        if (steps >= 0 && steps <= 3 && k->kappa < most) set_kappa(k, fmin(most, (steps == 0 ? 8 : GROWTH) * k->kappa));
        most = fmin(KAPPA_MOST, 1.5 * most);
        if ((steps < 0 || steps > 8) && k->kappa > KAPPA_LEAST) set_kappa(k, k->kappa / 3);
    }
    return best;
}

// ---- the data

sti_status sti_contact_velocities_reserve(task* k, sti_env* env, int dim, int count, int bodies) {
    k->env = env;
    k->d = dim;
    k->nv = dim == 2 ? 3 : 6;
    k->count = count;
    k->bodies = bodies;
    k->limit = 0;
    k->margin = false;
    k->deadline = INFINITY;
    const size_t c = (size_t)count, d = (size_t)k->d, nv = (size_t)k->nv, n = (size_t)bodies;
    if (k->memory.env == NULL) k->memory = sti_arena_make(env);
    sti_arena* a = &k->memory;
    sti_arena_reset(a);
    k->body = sti_arena_raw(a, 2 * c, sizeof *k->body);
    k->place = sti_arena_raw(a, 2 * c, sizeof *k->place);
    k->first = sti_arena_raw(a, n + 1, sizeof *k->first);
    k->self = sti_arena_raw(a, n, sizeof *k->self);
    k->near = sti_arena_raw(a, 2 * c + 2 * n, sizeof *k->near);
    k->mode = sti_arena_raw(a, c, 1);
    k->mode_factored = sti_arena_raw(a, c, 1);
    k->cones = (sti_cones){.m = (int)(c * d), .count = count, .degree = count};
    k->cones.at = sti_arena_raw(a, c, sizeof *k->cones.at);
    k->cones.dim = sti_arena_raw(a, c, sizeof *k->cones.dim);
    k->H = sti_arena_raw(a, c * 2 * d * nv, sizeof *k->H);
    double** vectors[] = {&k->w, &k->r,  &k->x,  &k->u, &k->p,   &k->best,    &k->r_before,     &k->z,
                          &k->s, &k->dz, &k->ds, &k->e, &k->aim, &k->cones.w, &k->cones.lambda, &k->cross};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = sti_arena_raw(a, c * d, sizeof(double));
    double** numbers[] = {&k->mu, &k->rho, &k->cones.eta};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] = sti_arena_raw(a, c, sizeof(double));
    k->give = sti_arena_raw(a, 2 * c, sizeof *k->give);
    double** velocities[] = {&k->v, &k->v_free, &k->v_before, &k->v_best, &k->v_root,
                             &k->F, &k->step,   &k->trial,    &k->kept};
    for (size_t i = 0; i < sizeof velocities / sizeof *velocities; i++)
        *velocities[i] = sti_arena_raw(a, n * nv, sizeof(double));
    k->A = sti_arena_raw(a, n * nv * nv, sizeof *k->A);
    k->inverse = sti_arena_raw(a, 10 * n, sizeof *k->inverse);
    return a->status;
}

// rho, 1 / W_nn, 1 / W_tt of every contact, and drive
static void prepare(task* k) {
    const int d = k->d, nv = k->nv;
    k->drive = 0;
    sti_contact_velocities_relative(k, k->v_free, k->u);
    for (int i = 0; i < k->count; i++) {
        double W[3] = {0}, q2 = 0;
        for (int side = 0; side < 2; side++) {
            const double* h = side_of(k, i, side);
            for (int a = 0; a < d && k->body[2 * i + side] >= 0; a++, h += nv) {
                double z[6];
                sti_contact_velocities_mass_solve(k, k->body[2 * i + side], h, z);
                for (int e = 0; e < nv; e++) W[a] += z[e] * h[e];
            }
        }
        const double tangent = d == 2 ? W[1] : fmax(W[1], W[2]);
        k->give[2 * i] = W[0] > 0 ? 1 / W[0] : 0;
        k->give[2 * i + 1] = tangent > 0 ? 1 / tangent : 0;
        for (int a = 0; a < d; a++) q2 += k->u[i * d + a] * k->u[i * d + a];
        k->rho[i] = d / (W[0] + W[1] + W[2]);
        k->drive += k->rho[i] * k->rho[i] * q2;
    }
}

static int compare(const void* a, const void* b) {
    const int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

// Who touches whom: the pattern of the matrix.
static sti_status connect(task* k) {
    const int n = k->bodies;
    memset(k->first, 0, (size_t)(n + 1) * sizeof *k->first);
    for (int i = 0; i < 2 * k->count; i++) {
        if (k->body[i] >= 0 && k->body[i ^ 1] >= 0) k->first[k->body[i] + 1]++;
    }
    for (int b = 0; b < n; b++) k->first[b + 1] += k->first[b] + 1;
    for (int b = 0; b < n; b++) {
        k->self[b] = k->first[b];
        k->near[k->self[b]++] = b;
    }
    for (int i = 0; i < 2 * k->count; i++) {
        if (k->body[i] >= 0 && k->body[i ^ 1] >= 0) k->near[k->self[k->body[i]]++] = k->body[i ^ 1];
    }
    int at = 0;
    for (int b = 0, from = 0; b < n; b++) {  // sorted, each once
        const int end = k->first[b + 1];
        qsort(k->near + from, (size_t)(end - from), sizeof *k->near, compare);
        k->first[b] = at;
        for (int i = from, last = -1; i < end; i++) {
            if (k->near[i] == last) continue;
            last = k->near[i];
            if (last == b) k->self[b] = at;
            k->near[at++] = last;
        }
        from = end;
    }
    k->first[n] = at;
    for (int i = 0; i < 2 * k->count; i++) {
        if (k->body[i] < 0 || k->body[i ^ 1] < 0) continue;
        const int* from = k->near + k->first[k->body[i]];
        const int* found = bsearch(&k->body[i ^ 1], from, (size_t)(k->first[k->body[i] + 1] - k->first[k->body[i]]),
                                   sizeof *from, compare);
        k->place[i] = (int)(found - k->near);
    }
    return sti_blocks_shape(&k->blocks, k->env, n, k->nv, k->first, k->near);
}

sti_status sti_contact_velocities_run(task* k, double tol, double* reached) {
    *reached = INFINITY;
    k->passes = k->factors = 0;
    prepare(k);
    const sti_status status = connect(k);
    if (status == STI_OK && k->drive > 0 && isfinite(k->drive)) *reached = iterate(k, tol);
    return status;
}

void sti_contact_velocities_clear(task* k, sti_env* env) {
    sti_blocks_clear(&k->blocks, env);
    sti_arena_clear(&k->memory);
    *k = (task){0};
}
