// newton.c: semismooth Newton for contact with Coulomb friction, inside a proximal-point method.
//
//     u = W r + q,      Signorini's condition and Coulomb's law between r_c and u_c at every contact c
//
// Why proximal. W is singular as soon as contacts are redundant (a box on four corners), so r is not unique, and
// Newton's matrix at a solution is singular. The proximal problem around a centre z,
//
//     v = W r + q + A (r - z),    A_c = alpha / rho_c,    rho_c = d / trace W_cc,     the law between r_c and v_c, (1)
//
// has the matrix W + A, is well conditioned for moderate alpha, and its solution solves the first problem when r = z.
// Its error is then alpha |r - z|, so alpha ~ residual makes the method as fast as Newton's near a solution
// (Rockafellar 1976 for the convex case; Acary, Bremond & Huber 2018). Without convexity nothing promises that alpha
// may be lowered: it falls while (1) is easily solved, and is raised when it is not.
//
// Newton for (1). On the function of Alart & Curnier (curnier.h), whose linear pieces are the modes separate, stick,
// slide. The next point r+ solves the equations of the pieces on which r lies; contacts that separate leave the system.
// Linear systems: block LU over the contact graph (linalg/blocks.h), GMRES with incomplete factors (krylov.h) where
// that would be too large or W is only an operator. u is linear in r, so a step costs one product with W, whatever its
// length.
//
// Globalization. The merit m is the norm of the function of Alart & Curnier for (1). Full steps are taken, also uphill,
// while the lowest merit of the excursion falls (a watchdog: Chamberlain et al. 1982); then back to the best point,
// from where one step must satisfy Armijo's condition. This leaves the kinks at which a monotone search creeps, and a
// repeated merit ends a cycle of modes at once. When (1) does not yield, alpha grows tenfold and a few sweeps of block
// Gauss-Seidel are tried. When the residual itself stalls, the method starts again from other points (sweeps backwards,
// from zero).
//
// Islands. No block of W joins two islands of the contact graph: they are solved one after the other, each to its share
// of the error, each with its own alpha and its own steps.
//
// Outcomes. STI_END_SOLUTION: the natural map of the given problem (not (1), not the function of Alart & Curnier) is at
// most tol. Anything else proves nothing. The point returned is the best seen, island by island.
//
// Cost. One factorization (lu.cost products of blocks) and one product with W a step; 5 to 20 steps for most problems,
// hundreds for hard ones. max_iterations limits the steps of the whole run.
//
// Departures. D1: (1) is solved only until its merit is halved, not exactly. D2: the watchdog measures progress within
// an excursion, so that a long one may go on while it descends.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "contact/curnier.h"
#include "contact/krylov.h"
#include "contact/local.h"
#include "linalg/blocks.h"

enum {
    FIRST_SWEEPS = 7,    // of Gauss-Seidel before the first step, after 3 from the guess: at least
    MOST_SWEEPS = 100,   // and at most
    REPAIR_SWEEPS = 10,  // after a failure
    INNER_LIMIT = 40,    // Newton steps for one centre
    IDLE_LIMIT = 3,      // steps of an excursion that do not lower its merit
    HALVINGS = 6,        // of a step
    STALL_STEPS = 100,   // steps without progress before a restart
    STEP_LIMIT = 1000,   // steps for one island
    ROUND_LIMIT = 3,     // passes over the islands
    RESTARTS = 5,        // other points to start from
    KRYLOV_BASIS = 40,
    KRYLOV_PRODUCTS = 200,
    VECTORS = 9,
};

#define ARMIJO 1e-4
#define REDUCTION 0.5     // of the merit, and the centre is moved
#define ALPHA_FIRST 1e-2  // bounds of alpha
#define ALPHA_LEAST 1e-7  // below, rounding in the factors of a singular W costs more than alpha
#define ALPHA_MOST 10
#define ALPHA_OF_RESIDUAL 10  // alpha over the residual, near a solution
#define NEAR 1e-4             // a guess with this residual is not swept
#define FAR 1e4  // forces above FAR |rho q| are no candidates: far enough out every residual relative to |r| is small
#define FACTOR_BLOCKS ((int64_t)1 << 22)  // larger factors are made incomplete
#define FACTOR_COST 1e8                   // and costlier ones
#define KRYLOV_TOL 1e-3
#define TINY_PIVOT 1e-14

typedef struct newton {
    sti_arena memory;
    const sti_contact_local* p;
    const sti_contact_options* options;
    sti_bsr diagonal;         // of an operator: the blocks W_cc stand for W in the factors
    sti_bsr_pattern pattern;  // of W, or of that diagonal
    sti_blocks lu;
    sti_krylov krylov;         // when the factors are incomplete
    sti_contact_block* one;    // for sweeps                        (nc)
    sti_contact_piece* piece;  // modes at the point at hand        (nc)
    double* tiny;              // smallest pivots                   (nc)
    unsigned char* dim;        // equations of a contact            (nc)
    double* vectors;           // all that follow                   (VECTORS x d nc)
    double *center, *r_next, *u_next, *r_safe, *u_safe, *r_best, *y, *z, *w;
    double *r, *u;  // the point, of the caller

    int first, last;  // the island: contacts lu.order[first] ... lu.order[last - 1]
    double alpha;
    double size;     // |r| or |rho q| of the island, the larger
    double target;   // error at which the island is done
    double error;    // natural map at r, not divided
    double best;     // the least so far, that of r_best
    double others2;  // squared error of the other islands, for the trace
    double unit;     // of the residual
    long steps;
    bool stopped;  // a limit of the caller was met
    bool missed;   // an island did not reach its target: more rounds would not help
    double start_s;
} newton;

static void newton_clear(newton* n) {
    sti_env* env = n->p->env;
    sti_free(env, n->diagonal.row_start);
    sti_free(env, n->diagonal.col);
    sti_free(env, n->diagonal.diagonal);
    sti_blocks_clear(&n->lu, env);
    sti_krylov_clear(&n->krylov);
    sti_arena_clear(&n->memory);
}

// The diagonal blocks of an operator as a block-sparse matrix.
static sti_status diagonal_make(const sti_contact_local* p, sti_bsr* D) {
    const size_t nc = (size_t)p->nc;
    *D = (sti_bsr){.d = p->d, .n = p->nc, .block = p->diagonal};
    D->row_start = sti_alloc_array(p->env, nc + 1, sizeof *D->row_start);
    D->col = sti_alloc_array(p->env, nc, sizeof *D->col);
    D->diagonal = sti_alloc_array(p->env, nc, sizeof *D->diagonal);
    if (D->row_start == NULL || D->col == NULL || D->diagonal == NULL) return STI_ERR_MEMORY;
    for (int c = 0; c < p->nc; c++) {
        D->row_start[c] = D->diagonal[c] = c;
        D->col[c] = c;
    }
    D->row_start[nc] = p->nc;
    return STI_OK;
}

// Vectors, and what the sweeps need.
static sti_status reserve(newton* n) {
    const sti_contact_local* p = n->p;
    const size_t nc = (size_t)p->nc, size = nc * (size_t)p->d;
    n->memory = sti_arena_make(p->env);
    n->one = sti_arena_raw(&n->memory, nc, sizeof *n->one);
    n->piece = sti_arena_raw(&n->memory, nc, sizeof *n->piece);
    n->tiny = sti_arena_raw(&n->memory, nc, sizeof *n->tiny);
    n->dim = sti_arena_take(&n->memory, nc, sizeof *n->dim);
    n->vectors = sti_arena_take(&n->memory, VECTORS * size, sizeof *n->vectors);
    if (n->memory.status != STI_OK) return n->memory.status;
    double** slot[VECTORS] = {&n->center, &n->r_next, &n->u_next, &n->r_safe, &n->u_safe,
                              &n->r_best, &n->y,      &n->z,      &n->w};
    for (size_t i = 0; i < VECTORS; i++) *slot[i] = n->vectors + i * size;
    for (size_t c = 0; c < nc; c++)
        sti_contact_block_prepare(p->d, p->mu[c], p->diagonal + c * (size_t)(p->d * p->d), &n->one[c]);
    return STI_OK;
}

// Order, islands and room for the factors.
static sti_status reserve_factors(newton* n) {
    const sti_contact_local* p = n->p;
    sti_status status = p->op != NULL ? diagonal_make(p, &n->diagonal) : STI_OK;
    if (status == STI_OK) status = sti_bsr_pattern_make(&n->memory, p->op != NULL ? &n->diagonal : &p->W, &n->pattern);
    // the diagonal alone is never the whole of an operator: incomplete
    if (status == STI_OK)
        status = sti_blocks_shape_within(&n->lu, p->env, p->nc, p->d, n->pattern.first, n->pattern.near,
                                         p->op != NULL ? 0 : FACTOR_BLOCKS, FACTOR_COST);
    if (status == STI_OK && !n->lu.complete) status = sti_krylov_init(&n->krylov, p->env, p->d * p->nc, KRYLOV_BASIS);
    for (int c = 0; c < p->nc && status == STI_OK; c++) n->tiny[c] = TINY_PIVOT / p->rho[c];
    return status;
}

static void copy(const newton* n, double* to, const double* from) {
    const size_t d = (size_t)n->p->d;
    for (int k = n->first; k < n->last; k++) {
        const size_t c = d * (size_t)n->lu.order[k];
        for (size_t i = c; i < c + d; i++) to[i] = from[i];
    }
}

static void apply(const newton* n, const double* r, double* u) {
    const sti_contact_local* p = n->p;
    const size_t d = (size_t)p->d;
    if (p->op != NULL) {
        sti_contact_local_apply(p, r, u);
        return;
    }
    for (int k = n->first; k < n->last; k++) {
        const int c = n->lu.order[k];
        double* uc = u + d * (size_t)c;
        sti_bsr_row_multiply(&p->W, c, r, uc);
        for (size_t i = 0; i < d; i++) uc[i] += p->q[d * (size_t)c + i];
    }
}

static void solve_contact(newton* n, int c) {
    const sti_contact_local* p = n->p;
    const int d = p->d;
    const double* A = p->diagonal + (size_t)(d * d) * (size_t)c;
    double *r = n->r + (size_t)d * (size_t)c, b[3];
    sti_bsr_row_multiply(&p->W, c, n->r, b);
    for (int i = 0; i < d; i++) {
        b[i] += p->q[(size_t)d * (size_t)c + (size_t)i];
        for (int j = 0; j < d; j++) b[i] -= A[i * d + j] * r[j];
    }
    sti_contact_block_solve(&n->one[c], b, r);
}

// Block Gauss-Seidel, forwards (the order of elimination) or backwards. r changes, u does not follow.
static void sweep(newton* n, int count, bool backwards) {
    for (int i = 0; i < count; i++) {
        for (int k = n->first; k < n->last; k++)
            solve_contact(n, n->lu.order[backwards ? n->last - 1 - (k - n->first) : k]);
    }
}

// v = u + A (r - z) of the contact.
static inline void proximal_velocity(const newton* n, int c, double* v) {
    const int d = n->p->d;
    const size_t at = (size_t)d * (size_t)c;
    const double a = n->alpha / n->p->rho[c];
    for (int i = 0; i < d; i++) v[i] = n->u[at + (size_t)i] + a * (n->r[at + (size_t)i] - n->center[at + (size_t)i]);
}

static double merit(const newton* n) {
    const sti_contact_local* p = n->p;
    double sum = 0;
    for (int k = n->first; k < n->last; k++) {
        const int c = n->lu.order[k];
        double v[3];
        proximal_velocity(n, c, v);
        sum += sti_curnier(p->d, p->mu[c], p->rho[c] / (1 + n->alpha), n->r + (size_t)p->d * (size_t)c, v, NULL);
    }
    return sqrt(sum);
}

// Natural map of the island at (r, u): error and size, and the best point.
static void measure(newton* n) {
    const sti_contact_local* p = n->p;
    const int d = p->d;
    double sum = 0, r2 = 0, q2 = 0;
    for (int k = n->first; k < n->last; k++) {
        const int c = n->lu.order[k];
        const double *r = n->r + (size_t)d * (size_t)c, *u = n->u + (size_t)d * (size_t)c, rho = p->rho[c];
        const double* q = p->q + (size_t)d * (size_t)c;
        sum += sti_contact_natural_map_one(d, p->mu[c], rho, r, u);
        for (int i = 0; i < d; i++) {
            r2 += r[i] * r[i];
            q2 += rho * q[i] * (rho * q[i]);
        }
    }
    n->error = sqrt(sum);
    n->size = sqrt(fmax(r2, q2));
    if (n->error < n->best && sqrt(r2) <= FAR * p->scale) {
        n->best = n->error;
        copy(n, n->r_best, n->r);
    }
}

// The pieces on which the point lies.
static void linearize(newton* n) {
    const sti_contact_local* p = n->p;
    for (int k = n->first; k < n->last; k++) {
        const int c = n->lu.order[k];
        double v[3];
        proximal_velocity(n, c, v);
        sti_curnier(p->d, p->mu[c], p->rho[c] / (1 + n->alpha), n->r + (size_t)p->d * (size_t)c, v, &n->piece[c]);
        n->dim[c] = (unsigned char)n->piece[c].dim;
    }
}

// Rows of contact c of Newton's matrix E (W + A) G + K, in their places for the factorization.
static void assemble_row(newton* n, const sti_bsr* W, int c) {
    const int d = W->d;
    const sti_contact_piece* piece = &n->piece[c];
    for (int64_t t = W->row_start[c]; t < W->row_start[c + 1]; t++) {
        const int j = W->col[t];
        if (n->piece[j].dim == 0) continue;
        double T[9];
        memcpy(T, W->block + t * d * d, (size_t)(d * d) * sizeof *T);
        for (int i = 0; i < d && j == c; i++) T[i * d + i] += n->alpha / n->p->rho[c];
        sti_piece_columns(d, &n->piece[j], T);
        sti_piece_rows(d, piece, T);
        if (j == c) sti_piece_stiffness(d, piece, T);
        double* to = n->lu.value + (size_t)n->pattern.entry[t] * (size_t)(d * d);
        for (int i = 0; i < d; i++) {
            for (int l = 0; l < d; l++) to[l * d + i] = T[i * d + l];
        }
    }
}

// Newton's matrix and the preconditioner as maps, for GMRES over all contacts.
static void newton_product(void* user, const double* x, double* y) {
    const newton* n = user;
    const sti_contact_local* p = n->p;
    const size_t d = (size_t)p->d;
    double *r = n->r_next, *u = n->u_next;
    for (size_t c = 0; c < (size_t)p->nc; c++) sti_piece_force(p->d, &n->piece[c], x + d * c, r + d * c);
    if (p->op != NULL)
        p->op->apply(p->op->user, r, u);
    else
        sti_bsr_multiply(&p->W, r, u);
    for (size_t c = 0; c < (size_t)p->nc; c++) {
        const sti_contact_piece* piece = &n->piece[c];
        for (size_t i = 0; i < d; i++) u[d * c + i] += n->alpha / p->rho[c] * r[d * c + i];
        sti_piece_equation(p->d, piece, u + d * c, y + d * c);
        if (piece->slide && piece->dim == 2) y[d * c + 1] += piece->stiff * x[d * c + 1];
    }
}

static void newton_precondition(void* user, const double* x, double* y) {
    newton* n = user;
    memcpy(y, x, (size_t)n->krylov.n * sizeof *y);
    sti_blocks_solve_part(&n->lu, n->first, n->last, n->dim, y);
}

// y from the right side in y, all contacts. What is solved for is the change from the coordinates of r, so that the
// tolerance is relative to what is still wrong.
static void solve_krylov(newton* n) {
    const size_t d = (size_t)n->p->d, size = (size_t)n->krylov.n;
    double *from = n->z, *rest = n->w;
    for (size_t c = 0; c < (size_t)n->p->nc; c++)
        sti_piece_coordinates(n->p->d, &n->piece[c], n->r + d * c, from + d * c);
    newton_product(n, from, rest);
    for (size_t i = 0; i < size; i++) rest[i] = n->y[i] - rest[i];
    sti_krylov_solve(&n->krylov, newton_product, newton_precondition, n, rest, KRYLOV_TOL, KRYLOV_PRODUCTS, n->y);
    for (size_t i = 0; i < size; i++) n->y[i] += from[i];
}

// r_next, u_next: the solution of the linear pieces at (r, u). False when there is none in finite numbers.
static bool newton_target(newton* n) {
    const sti_contact_local* p = n->p;
    const int d = p->d;
    linearize(n);
    for (int k = n->first; k < n->last; k++) {
        const int c = n->lu.order[k];
        const size_t at = (size_t)d * (size_t)c;
        double g[3];
        for (int i = 0; i < d; i++) g[i] = n->alpha / p->rho[c] * n->center[at + (size_t)i] - p->q[at + (size_t)i];
        sti_piece_equation(d, &n->piece[c], g, n->y + at);
        if (n->dim[c] > 0) assemble_row(n, p->op != NULL ? &n->diagonal : &p->W, c);
    }
    n->steps++;
    if (!sti_blocks_factor_part(&n->lu, n->first, n->last, n->dim, n->tiny)) return false;
    if (n->lu.complete)
        sti_blocks_solve_part(&n->lu, n->first, n->last, n->dim, n->y);
    else
        solve_krylov(n);
    for (int k = n->first; k < n->last; k++) {
        const size_t at = (size_t)d * (size_t)n->lu.order[k];
        sti_piece_force(d, &n->piece[n->lu.order[k]], n->y + at, n->r_next + at);
        for (int i = 0; i < d; i++) {
            if (!isfinite(n->r_next[at + (size_t)i])) return false;
        }
    }
    apply(n, n->r_next, n->u_next);
    return true;
}

// A limit of the caller: Newton steps or seconds.
static bool limit_met(newton* n) {
    const sti_contact_options* o = n->options;
    if (o->max_iterations > 0 && n->steps >= o->max_iterations) n->stopped = true;
    if (o->time_limit_s > 0 && sti_clock() - n->start_s > o->time_limit_s) n->stopped = true;
    if (sti_late(n->p->env)) n->stopped = true;
    return n->stopped;
}

static void tell(const newton* n) {
    if (n->options->trace == NULL) return;
    n->options->trace(n->options->trace_user, "newton", n->steps,
                      sqrt(n->others2 + n->error * n->error) / (n->unit > 0 ? n->unit : 1));
}

// From the safe point towards the target, halving until the merit falls. False: back at the safe point.
static bool search_line(newton* n, double safe_merit, double* m) {
    const size_t d = (size_t)n->p->d;
    double t = 1;
    for (int i = 0; i < HALVINGS; i++, t *= 0.5) {
        for (int k = n->first; k < n->last; k++) {
            const size_t at = d * (size_t)n->lu.order[k];
            for (size_t j = at; j < at + d; j++) {
                n->r[j] = n->r_safe[j] + t * (n->r_next[j] - n->r_safe[j]);
                n->u[j] = n->u_safe[j] + t * (n->u_next[j] - n->u_safe[j]);
            }
        }
        *m = merit(n);
        if (*m <= (1 - ARMIJO * t) * safe_merit) return true;
    }
    return false;
}

static void to_safe(newton* n) {
    copy(n, n->r, n->r_safe);
    copy(n, n->u, n->u_safe);
}

static void make_safe(newton* n) {
    copy(n, n->r_safe, n->r);
    copy(n, n->u_safe, n->u);
}

// Newton's method for (1) around center = r, until the merit is halved. Returns the number of steps, or 0 when it is
// not halved; r is then the point of least merit.
static int solve_proximal(newton* n) {
    copy(n, n->center, n->r);
    const double first = merit(n);
    double m = first, safe = first, lowest = INFINITY, last[2] = {-1, -1};
    double tried = INFINITY;  // merit from which the last excursion came back
    bool free = true;         // on an excursion: any full step is taken
    int idle = 0;
    make_safe(n);
    for (int i = 0; i < INNER_LIMIT && !limit_met(n); i++) {
        if (!newton_target(n)) break;
        if (free) {
            copy(n, n->r, n->r_next);
            copy(n, n->u, n->u_next);
            m = merit(n);
            if (!isfinite(m)) break;
        } else if (!search_line(n, safe, &m)) {
            break;
        }
        measure(n);
        tell(n);
        if (n->error <= n->target || m <= REDUCTION * first) return i + 1;

        const bool cycle = fabs(m - last[1]) <= 1e-9 * m;
        last[1] = last[0];
        last[0] = m;
        if (m < (1 - ARMIJO) * safe) {
            safe = m;
            make_safe(n);
            free = m < 0.9 * tried;
            lowest = INFINITY;
            idle = 0;
        } else if (!free) {
            break;
        } else {
            idle = m < 0.9 * lowest ? 0 : idle + 1;
            lowest = fmin(lowest, m);
            if (idle >= IDLE_LIMIT || cycle) {
                to_safe(n);
                free = false;
                tried = safe;
                last[0] = last[1] = -1;
            }
        }
    }
    to_safe(n);
    measure(n);
    return 0;
}

// The point after a failure: swept, where that lowers the residual.
static void repair(newton* n) {
    if (n->p->op != NULL) return;
    const double before = n->error;
    make_safe(n);
    sweep(n, REPAIR_SWEEPS, false);
    apply(n, n->r, n->u);
    measure(n);
    if (n->error <= before) return;
    to_safe(n);
    n->error = before;
}

// Another point to start from. False when there is no other.
static bool restart(newton* n, int kind) {
    static const struct {
        bool zero, backwards;
        int sweeps;
    } start[RESTARTS] = {{false, true, 40}, {true, false, 0}, {true, true, 40}, {true, false, 2}, {true, false, 200}};
    if (kind >= RESTARTS || n->p->op != NULL) return false;
    copy(n, n->r, n->r_best);
    for (int k = n->first; k < n->last && start[kind].zero; k++) {
        const size_t at = (size_t)n->p->d * (size_t)n->lu.order[k];
        for (size_t i = at; i < at + (size_t)n->p->d; i++) n->r[i] = 0;
    }
    sweep(n, start[kind].sweeps, start[kind].backwards);
    apply(n, n->r, n->u);
    measure(n);
    return true;
}

// alpha after a success in so many steps; failed: the last value that did not succeed.
static double next_alpha(const newton* n, int steps, double failed) {
    double factor = steps <= 3 ? 0.1 : 0.3;
    if (steps <= 3 && n->alpha * factor <= 1.5 * failed) factor = 0.5;
    const double alpha = n->alpha * factor;
    return steps <= 1 ? fmin(alpha, ALPHA_OF_RESIDUAL * n->error / n->size) : alpha;
}

// alpha at a new starting point.
static double first_alpha(const newton* n) {
    return fmin(ALPHA_OF_RESIDUAL * n->error / n->size, ALPHA_FIRST);
}

// One island, from (r, u) to its best point.
static void solve_island(newton* n) {
    n->best = n->error;
    copy(n, n->r_best, n->r);
    const long begin = n->steps;
    long progress = begin;  // step at which the residual was last seen to fall
    double seen = n->error, alpha = first_alpha(n), failed = 0;
    int kind = 0;
    while (n->error > n->target && n->steps - begin < STEP_LIMIT && !limit_met(n)) {
        if (n->error < 0.9 * seen) {
            seen = n->error;
            progress = n->steps;
        } else if (n->steps - progress > STALL_STEPS) {
            if (!restart(n, kind++)) break;
            seen = n->error;
            progress = n->steps;
            alpha = first_alpha(n);
            failed = 0;
            continue;
        }
        n->alpha = fmax(ALPHA_LEAST, fmin(alpha, ALPHA_MOST));
        const int steps = solve_proximal(n);
        if (steps > 0) {
            alpha = next_alpha(n, steps, failed);
        } else {
            failed = n->alpha;
            alpha = 10 * n->alpha;
            repair(n);
        }
    }
    copy(n, n->r, n->r_best);
    apply(n, n->r, n->u);
}

// Everything at once when GMRES solves: its vectors span all contacts, and incomplete factors have one island.
static void choose_island(newton* n, int i) {
    n->first = n->lu.island_start[i];
    n->last = n->lu.island_start[i + 1];
}

// All islands in turn, each to its share of the error that tol allows.
static void solve_round(newton* n, double share, double residual) {
    const size_t size = (size_t)n->p->d * (size_t)n->p->nc;
    double r2 = 0;
    for (size_t i = 0; i < size; i++) r2 += n->r[i] * n->r[i];
    n->unit = fmax(fmin(sqrt(r2), FAR * n->p->scale), n->p->scale);
    n->others2 = residual * residual * n->unit * n->unit;
    for (int i = 0; i < n->lu.islands && !n->stopped; i++) {
        choose_island(n, i);
        n->target = share * n->options->tol * n->unit * sqrt((double)(n->last - n->first) / n->p->nc);
        n->best = INFINITY;
        measure(n);
        if (n->error <= n->target) continue;
        n->others2 = fmax(n->others2 - n->error * n->error, 0);
        solve_island(n);
        n->others2 += n->best * n->best;
        if (n->best > n->target) n->missed = true;
    }
}

static double residual_of(const newton* n) {
    return sti_contact_natural_map(n->p, n->r, n->u, NULL);
}

// Sweeps worth one factorization: a better first set of modes saves several. A local solve counts as 200 products.
static int first_sweep_count(const newton* n) {
    const int d = n->p->d, nc = n->p->nc;
    const double factor = n->lu.cost * d * d * d, pass = (double)n->p->W.row_start[nc] * d * d + 200.0 * nc;
    return (int)fmax(FIRST_SWEEPS, fmin(MOST_SWEEPS, factor / pass));
}

// The first sweeps need no order; a problem that they solve is not worth factors. Looked at after 1 and 3.
static void sweep_guess(newton* n, double* residual) {
    for (int i = 0; i < 3; i++) {
        for (int c = 0; c < n->p->nc; c++) solve_contact(n, c);
        if (i == 1) continue;
        sti_contact_local_apply(n->p, n->r, n->u);
        *residual = residual_of(n);
        if (*residual <= n->options->tol) return;
    }
}

static void sweep_more(newton* n, double* residual) {
    n->first = 0;
    n->last = n->p->nc;
    sweep(n, first_sweep_count(n), false);
    apply(n, n->r, n->u);
    *residual = residual_of(n);
}

// All that happens between the guess and the first step of Newton. A guess that is better than what became of it is
// kept.
static sti_status begin(newton* n, bool settled, double* residual) {
    const size_t bytes = (size_t)n->p->d * (size_t)n->p->nc * sizeof *n->r;
    const bool sweeps = n->p->op == NULL && !settled && !(*residual <= NEAR);
    const double before = *residual;
    sti_status status = reserve(n);
    if (status != STI_OK) return status;
    memcpy(n->r_best, n->r, bytes);
    if (sweeps) sweep_guess(n, residual);
    if (*residual <= n->options->tol) return STI_OK;
    status = reserve_factors(n);
    if (status != STI_OK) return status;
    if (sweeps) sweep_more(n, residual);
    if (*residual <= before) return STI_OK;
    memcpy(n->r, n->r_best, bytes);
    sti_contact_local_apply(n->p, n->r, n->u);
    *residual = before;
    return STI_OK;
}

static void conclude(const newton* n, sti_contact_run* run) {
    run->iterations = n->steps;
    if (run->residual <= n->options->tol)
        run->termination = STI_END_SOLUTION;
    else
        run->termination = n->stopped ? STI_END_LIMIT : STI_END_STALLED;
    snprintf(run->reason, sizeof run->reason, "natural map %.2e after %ld Newton steps on %d islands, %s",
             run->residual, n->steps, n->lu.islands, n->lu.complete ? "block LU" : "GMRES with incomplete factors");
}

sti_status sti_contact_method_newton(const sti_contact_local* p, const sti_contact_options* options,
                                     sti_contact_run* run) {
    newton n = {.p = p, .options = options, .r = run->r, .u = run->u, .start_s = sti_clock()};
    sti_contact_local_apply(p, run->r, run->u);
    run->residual = residual_of(&n);
    if (!isfinite(run->residual)) {  // a guess out of range
        memset(run->r, 0, (size_t)p->d * (size_t)p->nc * sizeof *run->r);
        sti_contact_local_apply(p, run->r, run->u);
        run->residual = residual_of(&n);
    }
    sti_status status = STI_OK;
    if (!(run->residual <= options->tol)) {
        status = begin(&n, run->swept, &run->residual);
        for (int round = 0; round < ROUND_LIMIT && status == STI_OK && run->residual > options->tol && !n.stopped;
             round++) {
            solve_round(&n, round == 0 ? 0.7 : 0.1, run->residual);
            sti_contact_local_apply(p, run->r, run->u);
            run->residual = residual_of(&n);
            if (n.missed) break;
        }
    }
    if (status == STI_OK) conclude(&n, run);
    newton_clear(&n);
    return status;
}
