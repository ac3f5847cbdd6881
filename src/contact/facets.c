// facets.c: Lemke's method for small contact problems: the cone cut to facets, refined where r touches them.
//
//     u = W r + q,     K contains r,     K* contains u + mu |u_t| n,     orthogonal        (contact by contact)
//
// With the disc |r_t| <= mu r_n replaced by the polygon of the vertices mu r_n d_1 ... mu r_n d_k, d_j unit vectors,
// Coulomb's law becomes linear complementarity (Stewart & Trinkle 1996; Anitescu & Potra 1997; S3 (1.1.6), (2.1.8)):
//
//     r_t = sum_j beta_j d_j
//     0 <= r_n     _|_  u_n                           >= 0
//     0 <= beta_j  _|_  d_j . u_t + lambda            >= 0           j = 1 ... k                                   (1)
//     0 <= lambda  _|_  mu r_n - sum_j beta_j         >= 0
//
// an LCP w = M z + b in z = (r_n, beta, lambda), 2 + k pairs for each contact (one where mu = 0). lambda is the slip
// as the polygon sees it. Let W be symmetric and positive semidefinite. Then z'M z = r'W r + sum mu r_n lambda >= 0:
// M is copositive. For z >= 0 with M z >= 0, z'M z = 0 we have W r = 0, r in K, and z'b = r'q = r'(W r0 + q) for any
// r0. So S3 theorem 1.2.8 applies, and Lemke's method finds a solution of (1), as soon as K* contains W r0 + q for
// some r0, whatever mu is and however singular W. No iterative method of this room has such a theorem: that is what
// this one is for. It is run through <stiction/problem.h>.
//
// In the plane d = +1, -1 is all there is, and (1) is Coulomb's law itself: one LCP, answered to rounding. In space the
// polygon lies inside the disc, and a contact that slides is held by a force that is wrong by up to half the angle
// between two vertices. What is done about that:
//
// D1  Four vertices, a cross, at first.
// D2  A few iterations of Newton's method on the round law (newton.c), from the answer of (1), or from a guess.
// D3  If that does not reach tol, vertices are put where the force is: the cross of every contact is turned to the
//     direction phi of r_t - rho u_t at the answer, and phi + delta, phi - delta are added where the contact slides
//     or nearly does. delta starts at WIDTH and shrinks by SHRINK at a contact as long as the new phi lies within
//     delta of the old: the error of the answer is O(delta).
//
// What an outcome proves. Solution: the natural map of the round law is at most tol; facets have no part in the
// verdict. Limit, stalled: nothing. A ray of Lemke's method proves nothing by itself; when its part in the u_n is a
// Farkas vector of the contact problem, without rounding (emptiness.h), there is no solution, in the plane or in
// space: the run then ends with STI_END_RAY. (A Farkas vector of (1) has no part in the rows of beta: the column of
// lambda forbids it.) In the plane small islands that end on another ray are searched through all choices of modes in
// exact arithmetic; when none is left the run ends with STI_END_EXHAUSTED. That too is a proof, but its tree of cases
// has no place in the answer.
//
// Cost: islands are posed alone, 4 pairs for each contact in the plane and 6 to 8 in space; about half as many pivots,
// each of the square of the number of pairs at most. An iteration is a pivot, or a step of Newton's method.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "contact/cone.h"
#include "contact/emptiness.h"
#include "contact/local.h"
#include "contact/watch.h"
#include "par/graph.h"

enum {
    PAIRS = 1600,  // of the largest LCP: islands of 400 contacts in the plane, 200 in space
    VERTICES = 6,  // of a polygon, at most
    POLISH = 30,   // Newton iterations at a time
    ROUNDS = 12,   // polygons tried
    RAYS = 3,      // rounds that may end on rays
    EXACT = 24,    // pairs up to which all choices of modes are searched in the plane: six contacts
    NODES = 5000,  // of that search
};

static const double WIDTH = 0.3;    // rad
static const double SHRINK = 0.15;  // of delta, from one polygon to the next
static const double NEARLY = 0.7;   // |r_t| / (mu r_n) from which the arc around r_t matters: a square reaches so far

typedef struct facets {
    const sti_contact_local* p;
    sti_contact_watch watch;
    int island_count;
    int* order;          // contacts, island by island                     (nc)
    int* start;          // place of each island there                     (nc+1)
    int largest;         // contacts of the largest island
    int* first;          // pair of r_n of contact c, in its island        (nc)
    int* count;          // vertices of its polygon                        (nc)
    double* vertex;      // d_j                                            (nc x VERTICES x 2)
    double* phi;         //                                                (nc)
    double* delta;       // 0: a plain cross                               (nc)
    double* r;           // the answers of (1), then of Newton's method    (d nc)
    double* u;           // W r + q                                        (d nc)
    double* multiplier;  // of u_n >= 0, and room for exact ones           (2 nc)
    bool empty;          // there is no solution: Farkas
    bool impossible;     // there is none: every choice of modes was excluded
    int rays;            // rounds in which an island ended on a ray
    // (1) of the island at hand
    int N;      // pairs
    double* M;  // row major     (N x N)
    double* b;  //               (N)
} facets;

// ---- polygons

static void set_polygon(facets* k, int c) {
    double* d = k->vertex + (size_t)c * 2 * VERTICES;
    if (k->p->mu[c] == 0) {
        k->count[c] = 0;
        return;
    }
    if (k->p->d == 2) {
        d[0] = 1, d[1] = 0, d[2] = -1, d[3] = 0;
        k->count[c] = 2;
        return;
    }
    const double x = cos(k->phi[c]), y = sin(k->phi[c]), delta = k->delta[c];
    const double cross[] = {x, y, -y, x, -x, -y, y, -x};  // opposite ones exactly so
    memcpy(d, cross, sizeof cross);
    k->count[c] = 4;
    if (delta == 0) return;
    const double beside[] = {cos(k->phi[c] + delta), sin(k->phi[c] + delta), cos(k->phi[c] - delta),
                             sin(k->phi[c] - delta)};
    memcpy(d + 8, beside, sizeof beside);
    k->count[c] = 6;
}

static double turn_between(double a, double b) {
    return fabs(remainder(a - b, 2 * M_PI));
}

// D3: where r_t - rho u_t points, at (r, u); first: nothing is known of the old directions.
static void aim(facets* k, const double* r, const double* u, bool first) {
    const sti_contact_local* p = k->p;
    if (p->d == 2) return;
    for (int c = 0; c < p->nc; c++) {
        const double *rc = r + 3 * (size_t)c, *uc = u + 3 * (size_t)c;
        const double x = rc[1] - p->rho[c] * uc[1], y = rc[2] - p->rho[c] * uc[2];
        if (!(hypot(x, y) > 0)) continue;
        const double phi = atan2(y, x);
        const bool matters = rc[0] > 0 && hypot(x, y) > NEARLY * p->mu[c] * rc[0];
        if (!first && !matters)
            k->delta[c] = 0;
        else if (!first && k->delta[c] == 0)
            k->delta[c] = WIDTH;
        else if (turn_between(phi, k->phi[c]) <= k->delta[c])
            k->delta[c] *= SHRINK;
        k->phi[c] = phi;
    }
}

// ---- the LCP (1)

// Block (i, j) of M from W_ij.
static void put_block(facets* k, int i, int j, const double* W) {
    const int d = k->p->d, ni = k->count[i], nj = k->count[j];
    const size_t N = (size_t)k->N;
    const double *di = k->vertex + (size_t)i * 2 * VERTICES, *dj = k->vertex + (size_t)j * 2 * VERTICES;
    double* M = k->M + (size_t)k->first[i] * N + (size_t)k->first[j];
    M[0] = W[0];
    for (int b = 0; b < nj; b++) {
        M[1 + b] = W[1] * dj[2 * b];
        if (d == 3) M[1 + b] += W[2] * dj[2 * b + 1];
    }
    for (int a = 0; a < ni; a++) {
        double* row = M + (size_t)(1 + a) * N;
        const double x = di[2 * a], y = di[2 * a + 1];
        double t[3] = {0};  // (0, d_a)' W_ij
        for (int e = 0; e < d; e++) t[e] = x * W[d + e] + (d == 3 ? y * W[2 * d + e] : 0);
        row[0] = t[0];
        for (int b = 0; b < nj; b++) row[1 + b] = t[1] * dj[2 * b] + (d == 3 ? t[2] * dj[2 * b + 1] : 0);
    }
}

// What does not come from W: b, and the pairs of lambda.
static void put_law(facets* k, int c) {
    const int d = k->p->d;
    const double *q = k->p->q + (size_t)d * (size_t)c, *vertex = k->vertex + (size_t)c * 2 * VERTICES;
    const size_t N = (size_t)k->N, n = (size_t)k->first[c], last = n + (size_t)k->count[c] + 1;
    k->b[n] = q[0];
    if (k->count[c] == 0) return;
    for (size_t row = n + 1; row < last; row++, vertex += 2) {
        k->b[row] = q[1] * vertex[0] + (d == 3 ? q[2] * vertex[1] : 0);
        k->M[row * N + last] = 1;
        k->M[last * N + row] = -1;
    }
    k->M[last * N + n] = k->p->mu[c];
    k->b[last] = 0;
}

static void pose(facets* k, int island) {
    const sti_contact_local* p = k->p;
    const sti_bsr* W = &p->W;
    const int *contact = k->order + k->start[island], n = k->start[island + 1] - k->start[island];
    k->N = 0;
    for (int i = 0; i < n; i++) {
        set_polygon(k, contact[i]);
        k->first[contact[i]] = k->N;
        k->N += k->count[contact[i]] > 0 ? 2 + k->count[contact[i]] : 1;
    }
    const size_t N = (size_t)k->N;
    memset(k->M, 0, N * N * sizeof *k->M);
    for (int i = 0; i < n; i++) {
        const int c = contact[i];
        for (int64_t e = W->row_start[c]; e < W->row_start[c + 1]; e++)
            put_block(k, c, W->col[e], W->block + (size_t)e * (size_t)(p->d * p->d));
        put_law(k, c);
    }
}

// r of z; z = NULL is 0.
static void read_point(facets* k, int island, const double* z) {
    const sti_contact_local* p = k->p;
    for (int place = k->start[island]; place < k->start[island + 1]; place++) {
        const int c = k->order[place];
        double* r = k->r + (size_t)p->d * (size_t)c;
        memset(r, 0, (size_t)p->d * sizeof *r);
        if (z == NULL) continue;
        const double *zc = z + k->first[c], *d = k->vertex + (size_t)c * 2 * VERTICES;
        r[0] = zc[0];
        for (int j = 0; j < k->count[c]; j++) {
            for (int i = 1; i < p->d; i++) r[i] += zc[1 + j] * d[2 * j + i - 1];
        }
        sti_cone_project(p->d, p->mu[c], r, r);
    }
}

// The multipliers of u_n >= 0 in what Lemke's method has left of the problem: do they exclude a solution?
static sti_status read_ray(facets* k, int island, const sti_lcp_answer* answer) {
    const int nc = k->p->nc;
    const double* y = answer->certificate.leaf_count == 1 ? answer->certificate.y : answer->ray.dz;
    if (y == NULL) return STI_OK;
    memset(k->multiplier, 0, (size_t)nc * sizeof *y);
    for (int place = k->start[island]; place < k->start[island + 1]; place++) {
        const int c = k->order[place];
        k->multiplier[c] = fmax(y[k->first[c]], 0);
    }
    double* exact = k->watch.run->multipliers != NULL ? k->watch.run->multipliers : k->multiplier + nc;
    return sti_contact_prove_empty(k->p, k->multiplier, exact, &k->empty);
}

// What is left of the caller's time, for a stage; 0: there is no limit.
static double time_left(const sti_contact_watch* watch) {
    return watch->deadline < INFINITY ? fmax(watch->deadline - sti_clock(), 1e-9) : 0;
}

// A ray that proves nothing, in the plane: is there a solution at all? (1) is the law itself, its data are those of the
// problem, and the search is exact.
static sti_status search_modes(facets* k, int island, const sti_lcp* lcp) {
    sti_lcp_options options = sti_lcp_options_default();
    options.solver = STI_LCP_ENUM;
    options.max_iterations = NODES;
    options.time_limit_s = time_left(&k->watch);
    sti_lcp_answer answer;
    const sti_status status = sti_lcp_solve(k->p->env, lcp, &options, &answer);
    if (status != STI_OK) return status;
    if (answer.outcome == STI_SOLVED) read_point(k, island, answer.z);
    k->impossible = answer.outcome == STI_NO_SOLUTION && answer.certificate.exact;
    sti_lcp_answer_clear(k->p->env, &answer);
    return STI_OK;
}

// Lemke's method on (1) of an island. *ray: it ended on one.
static sti_status pivot(facets* k, int island, bool* ray) {
    bool falling = false;
    for (int i = 0; i < k->N; i++) falling = falling || k->b[i] < 0;
    if (!falling) {
        read_point(k, island, NULL);
        return STI_OK;
    }
    sti_contact_run* run = k->watch.run;
    const sti_lcp lcp = {.n = k->N, .M = sti_matrix_dense_view(k->N, k->N, k->M), .q = k->b};
    sti_lcp_options options = sti_lcp_options_default();
    options.solver = STI_LCP_LEMKE;
    options.tol = 1e-300;  // the verdict is taken on the contact problem
    options.max_iterations = k->watch.limit - run->iterations;
    options.time_limit_s = time_left(&k->watch);
    sti_lcp_answer answer;
    sti_status status = sti_lcp_solve(k->p->env, &lcp, &options, &answer);
    if (status != STI_OK) return status;
    run->iterations += answer.iterations > 0 ? answer.iterations : 1;
    read_point(k, island, answer.z);
    const bool ended = answer.termination == STI_END_RAY;
    if (ended) status = read_ray(k, island, &answer);
    sti_lcp_answer_clear(k->p->env, &answer);
    if (status == STI_OK && ended && !k->empty && k->p->d == 2 && k->N <= EXACT) status = search_modes(k, island, &lcp);
    *ray = *ray || ended;
    return status;
}

// Has the island its share of the residual, at (r, u)?
static bool settled(const facets* k, int island) {
    const sti_contact_local* p = k->p;
    double error2 = 0;
    for (int place = k->start[island]; place < k->start[island + 1]; place++) {
        const size_t c = (size_t)k->order[place], at = (size_t)p->d * c;
        error2 += sti_contact_natural_map_one(p->d, p->mu[c], p->rho[c], k->r + at, k->u + at);
    }
    const double share = (double)(k->start[island + 1] - k->start[island]) / p->nc, tol = k->watch.options->tol;
    return error2 <= share * tol * tol * p->scale * p->scale;
}

// One polygon for every contact of the islands that are not settled: their answers, measured. Stops between islands
// when the limits are reached.
static sti_status cut(facets* k, bool first) {
    const sti_contact_watch* watch = &k->watch;
    sti_status status = STI_OK;
    bool ray = false;
    for (int island = 0; island < k->island_count && status == STI_OK; island++) {
        if (k->empty || k->impossible) break;
        if (!first && settled(k, island)) continue;
        if (watch->run->iterations >= watch->limit || (watch->deadline < INFINITY && sti_clock() > watch->deadline) ||
            sti_late(watch->p->env))
            break;
        pose(k, island);
        status = pivot(k, island, &ray);
    }
    if (status != STI_OK) return status;
    k->rays += ray;
    sti_contact_local_apply(k->p, k->r, k->u);
    sti_contact_watch_point(&k->watch, k->r, k->u);
    return STI_OK;
}

// D2
static sti_status polish(facets* k) {
    sti_contact_run* run = k->watch.run;
    sti_contact_options options = *k->watch.options;
    const long left = k->watch.limit - run->iterations;
    options.max_iterations = left < POLISH ? left : POLISH;
    options.time_limit_s = time_left(&k->watch);
    options.trace = NULL;
    sti_contact_run one = {.r = k->r, .u = k->u};
    const sti_status status = sti_contact_method_newton(k->p, &options, &one);
    if (status != STI_OK) return status;
    run->iterations += one.iterations;
    sti_contact_watch_point(&k->watch, k->r, k->u);
    return STI_OK;
}

// ---- around the loop

static sti_status solve(facets* k) {
    sti_contact_watch* watch = &k->watch;
    for (int round = 0; round < ROUNDS && k->rays < RAYS; round++) {
        sti_status status = cut(k, round == 0);
        if (status != STI_OK) return status;
        if (k->empty || k->impossible) {
            sti_contact_watch_end(watch, k->empty ? STI_END_RAY : STI_END_EXHAUSTED,
                                  k->empty
                                      ? "some contacts of the local problem close whatever the forces are"
                                      : "every choice of modes of the local problem is impossible, by exact search");
            return STI_OK;
        }
        if (sti_contact_watch_stop(watch)) return STI_OK;
        aim(k, k->r, k->u, false);
        status = polish(k);
        if (status != STI_OK || sti_contact_watch_stop(watch)) return status;
        if (k->p->d == 2) break;  // another polygon would be the same
    }
    sti_contact_watch_end(watch, STI_END_STALLED,
                          k->rays > 0 ? "Lemke's method ends on rays" : "the facets do not settle");
    return STI_OK;
}

// D4
static sti_status start_from_guess(facets* k) {
    const sti_contact_run* run = k->watch.run;
    const size_t size = (size_t)(k->p->d * k->p->nc) * sizeof *k->r;
    bool zero = true;
    for (int i = 0; i < k->p->d * k->p->nc; i++) zero = zero && run->r[i] == 0;
    if (!zero) {
        memcpy(k->r, run->r, size);
        memcpy(k->u, run->u, size);
        const sti_status status = polish(k);
        if (status != STI_OK || sti_contact_watch_stop(&k->watch)) return status;
    }
    aim(k, run->r, run->u, true);
    return STI_OK;
}

// Pairs of one contact, at most.
static size_t most_pairs(int d) {
    return d == 2 ? 4 : 2 + (size_t)VERTICES;
}

static sti_status find_islands(facets* k) {
    const sti_contact_local* p = k->p;
    const size_t nc = (size_t)p->nc;
    k->order = sti_alloc_array_zero(p->env, 4 * nc + 1, sizeof *k->order);
    if (k->order == NULL) return STI_ERR_MEMORY;
    k->start = k->order + nc;
    k->first = k->start + nc + 1;
    k->count = k->first + nc;
    const sti_graph graph = {.n = p->nc, .row_start = p->W.row_start, .col = p->W.col};
    const sti_status status = sti_graph_islands(p->env, &graph, k->order, k->start, &k->island_count);
    for (int i = 0; status == STI_OK && i < k->island_count; i++) {
        const int size = k->start[i + 1] - k->start[i];
        if (size > k->largest) k->largest = size;
    }
    return status;
}

static sti_status reserve(facets* k) {
    sti_env* env = k->p->env;
    const size_t nc = (size_t)k->p->nc, n = (size_t)(k->p->d * k->p->nc), N = (size_t)k->largest * most_pairs(k->p->d);
    k->M = sti_alloc_array(env, N * N, sizeof *k->M);
    k->b = sti_alloc_array_zero(env, N + nc * 2 * VERTICES + 4 * nc + 2 * n, sizeof *k->b);
    if (k->M == NULL || k->b == NULL) return STI_ERR_MEMORY;
    k->vertex = k->b + N;
    k->phi = k->vertex + nc * 2 * VERTICES;
    k->delta = k->phi + nc;
    k->r = k->delta + nc;
    k->u = k->r + n;
    k->multiplier = k->u + n;
    return STI_OK;
}

static sti_status run_watched(facets* k, double pairs) {
    const sti_contact_local* p = k->p;
    if (sti_contact_watch_stop(&k->watch)) return STI_OK;
    if (p->op != NULL || pairs > PAIRS) {
        sti_contact_watch_end(&k->watch, STI_END_NOT_APPLICABLE,
                              p->op != NULL ? "W must be given as a matrix" : "facets are for small islands");
        return STI_OK;
    }
    sti_status status = reserve(k);
    if (status == STI_OK) status = start_from_guess(k);
    if (status == STI_OK && k->watch.run->termination == STI_END_NONE) status = solve(k);
    return status;
}

sti_status sti_contact_method_lemke(const sti_contact_local* p, const sti_contact_options* options,
                                    sti_contact_run* run) {
    facets k = {.p = p};
    sti_status status = p->op == NULL ? find_islands(&k) : STI_OK;
    if (status == STI_OK) {
        const double pairs = (double)k.largest * (double)most_pairs(p->d);
        sti_contact_watch_start(&k.watch, "lemke", p, options, run, pairs * pairs / 4, LONG_MAX);
        status = run_watched(&k, pairs);
    }
    sti_free(p->env, k.M);
    sti_free(p->env, k.b);
    sti_free(p->env, k.order);
    return status;
}
