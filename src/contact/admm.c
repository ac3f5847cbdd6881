// admm.c: alternating directions for the Coulomb problem
//
//     u = W r + q,     K contains r,     K* contains u + mu |u_t| n,     orthogonal        (contact by contact)
//
// that is, u_n >= 0 complementary to r_n >= 0, and r_t = P_D(r_t - u_t) with D the disc of radius mu r_n. The linear
// part and the law are dealt with in turn, each by its own resolvent: a solve with W + a diagonal, factored once, and
// a projection for every contact. In variables scaled contact by contact, r_c = t_c x_c and t_c u_c, a positive
// number each so that the law stays the law,
//
//     y_n = max(0, w_n),    y_t = P_D(w_t) with D of radius mu y_n,    z = w - y        -z stands for T u          (1)
//     x = (T W T + I)^-1 (y - z - T q)                                                                             (2)
//     w <- w + alpha (x - y)                                                            alpha = 1.6                (3)
//
// the over-relaxed method of Boyd, Parikh, Chu, Peleato & Eckstein (2011, sections 3.1 and 3.4.3) written with the
// one vector w = y + z that carries its state (Eckstein & Bertsekas 1992: it is Douglas and Rachford's method). A
// point where x = y solves the problem: (2) says -z = T u, and (1) is the law for (y, -z).
//
// sigma_c = rho_c / t_c^2, rho_c = d / trace W_cc, is the penalty of contact c without units, y - x the residual.
//
// For discs of fixed radii (1)-(3) converges for every W with positive semidefinite symmetric part whenever there is a
// solution. With the radii moving along nothing is proved.
//
// Departures.
// D1  No outer loop over the radii: they are renewed in every iteration (De Saxce's shift and the projection on K are
//     worse for mu > 1, since the shift magnifies errors of u_t). Where the iteration cycles the best point is taken up
//     again with penalties nearer to each other (STAGES).
// D2  A penalty for each contact: 0 would be best for one that sticks, infinite for one that separates. Residual
//     balancing (Boyd et al., 3.4.1) contact by contact: primal |x - y+| against dual |y+ - y| moves sigma_c, in a
//     range that grows as the residual falls (SPREAD). Each change costs a factorization, so they come ever rarer;
//     one that has thrown the iteration far back is undone.
// D3  Anderson acceleration (anderson.h) of w. A state whose residual |x - y| is above the least since the penalties
//     last changed is refused, and the plain step of the last good one taken instead.
//
// W may be a little unsymmetric: the theory above asks no more than a positive semidefinite symmetric part.
//
// What an outcome proves. Solution: the natural map with W as given is at most tol, in the cone. Else nothing.
//
// Cost: an ordering and a few factorizations (by blocks over the contact graph, or dense when the factors have hardly
// a zero); an iteration solves with the factors. The residual of x comes free with (2); that of y is measured when it
// matters, and every CHECK iterations.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "contact/anderson.h"
#include "contact/cone.h"
#include "contact/watch.h"
#include "linalg/blocks.h"
#include "linalg/dense.h"

enum {
    CHUNK = 4096,        // numbers in a piece of the acceleration's vectors
    CHECK = 10,          // iterations between measured residuals
    PATIENCE = 30,       // iterations before penalties are judged
    FIRST_BALANCE = 12,  // iterations before the penalties are looked at
    DENSE_ORDER = 100,   // unknowns from which a full W is worth a dense factorization
};

static const double RELAXATION = 1.6;  // alpha
static const double SIGMA = 0.3;       // first penalty
static const double GUESSED = 10;      // ... times or divided by this, where a guess tells
static const double SPREAD = 10;       // sigma_c stays within this factor of SIGMA ...
static const double TRUSTED = 1e-3;  // ... until the residual is below this; then the factor grows like residual^(-3/4)
static const double STEP = 10;       // largest change of sigma_c at a time
static const double RECOVER = 3;     // growth of a range that was narrowed, with every look
static const double WORSE = 100;     // residual over the best one, at which penalties are given up
static const double WORTH = 5;       // the largest change for which factoring pays
static const double REST = 1.25;     // growth of the interval between balancings
static const int64_t BLOCK_LIMIT = 10000000;  // blocks in the factors
static const double COST_LIMIT = 1e9;         // products of blocks in a factorization

typedef struct stage {
    double spread;  // D2: widest range of penalties
    long window;    // iterations in which the best residual must fall by one in a hundred
} stage;

static const stage STAGES[] = {{1e4, 500}, {100, 1000}, {1, 2000}, {1e4, 4000}};

typedef struct admm {
    const sti_contact_local* p;
    sti_contact_watch watch;
    int n;             // d nc
    sti_arena memory;  // of the pattern
    sti_bsr_pattern pattern;
    sti_blocks sparse;       // factors of T W T + I
    bool full;               // or dense ones
    sti_dense_factor dense;  //
    sti_anderson acceleration;
    double* sigma;  //                                            (nc)
    double* t;      // r_c = t_c x_c                              (nc)
    double* next;   // penalties to come                          (nc)
    double* w;      // state                                      (n)
    double* g;      // (3) of the state                           (n)
    double* f;      // g minus the state, -alpha R                (n)
    double* x;      //                                            (n)
    double* y;      //                                            (n)
    double* v;      // T (W x + q)                                (n)
    double* r;      // T x or T y                                 (n)
    double* u;      // W r + q                                    (n)
    const stage* stage;
    double spread;  // range of sigma_c around SIGMA, either way
    double widest;  // and the most it may become
    double last;    // residual of the last point measured
    double least;   // least |f| since the last change of penalties
    bool trial;     // w came from the acceleration
    long since;     // iterations since the penalties were looked at
    double rest;    // iterations until they are looked at again
    double before;  // residual when they were
    double price;   // of a factorization, in iterations
} admm;

// ---- the resolvent of W

// Memory for the factors; *fits false: they would be too large.
static sti_status reserve_factors(admm* k, bool* fits) {
    const sti_contact_local* p = k->p;
    k->memory = sti_arena_make(p->env);
    sti_status status = sti_bsr_pattern_make(&k->memory, &p->W, &k->pattern);
    if (status == STI_OK)
        status = sti_blocks_shape_within(&k->sparse, p->env, p->nc, p->d, k->pattern.first, k->pattern.near,
                                         BLOCK_LIMIT, COST_LIMIT);
    if (status != STI_OK) return status;
    const double blocks = p->nc + 2.0 * k->sparse.fill, all = (double)p->nc * (double)p->nc;
    *fits = k->sparse.complete;
    k->price = 2 * k->sparse.cost / fmax(blocks, 1);
    k->full = *fits && k->n >= DENSE_ORDER && blocks > 0.5 * all;
    return k->full ? sti_dense_factor_init(&k->dense, p->env, k->n) : STI_OK;
}

// Block (i, j) of T W T + I, from W_ij: entries of a row `across` apart, of a column `down`.
static void put_block(const admm* k, int i, int j, const double* W, double* out, size_t down, size_t across) {
    const int d = k->p->d;
    const double scale = k->t[i] * k->t[j];
    for (int a = 0; a < d; a++) {
        for (int b = 0; b < d; b++) out[(size_t)a * down + (size_t)b * across] = scale * W[a * d + b];
        if (i == j) out[(size_t)a * (down + across)] += 1;
    }
}

// Factors of T W T + I for the present penalties. False when they are not finite, or a pivot of dense ones is zero.
static bool factor(admm* k) {
    const sti_contact_local* p = k->p;
    const sti_bsr* W = &p->W;
    const size_t d = (size_t)p->d, n = (size_t)k->n, dd = d * d;
    double* all = k->full ? sti_dense_factor_load(&k->dense, k->n) : k->sparse.value;
    if (k->full) memset(all, 0, n * n * sizeof *all);
    for (int c = 0; c < p->nc; c++) k->t[c] = sqrt(p->rho[c] / k->sigma[c]);
    for (int i = 0; i < p->nc; i++) {
        for (int64_t e = W->row_start[i]; e < W->row_start[i + 1]; e++) {
            const int j = W->col[e];
            if (k->full)
                put_block(k, i, j, W->block + (size_t)e * dd, all + (d * (size_t)i) * n + d * (size_t)j, n, 1);
            else
                put_block(k, i, j, W->block + (size_t)e * dd, all + (size_t)k->pattern.entry[e] * dd, 1, d);
        }
    }
    if (k->full) return sti_dense_factor_lu(&k->dense);
    return sti_blocks_factor(&k->sparse, k->pattern.symmetric);
}

static void resolve(admm* k, double* x) {
    if (k->full)
        sti_dense_factor_solve(&k->dense, x);
    else
        sti_blocks_solve(&k->sparse, x);
}

// ---- steps

// (1): y of w, at contact c.
static inline void project(const admm* k, int c, const double* w, double* y) {
    const int d = k->p->d;
    const double n = fmax(w[0], 0), radius = k->p->mu[c] * n, norm = sti_cone_slip(d, w),
                 part = norm > radius ? radius / norm : 1;
    y[0] = n;
    for (int i = 1; i < d; i++) y[i] = part * w[i];
}

// (1) and (2): y, x, and the velocity of x.
static void evaluate(admm* k) {
    const sti_contact_local* p = k->p;
    const int d = p->d;
    for (int c = 0; c < p->nc; c++) {
        const size_t at = (size_t)d * (size_t)c;
        const double *w = k->w + at, *q = p->q + at, t = k->t[c];
        double *y = k->y + at, *x = k->x + at;
        project(k, c, w, y);
        for (int i = 0; i < d; i++) x[i] = 2 * y[i] - w[i] - t * q[i];
    }
    memcpy(k->v, k->x, (size_t)k->n * sizeof *k->v);
    resolve(k, k->x);
    for (int c = 0; c < p->nc; c++) {  // the right side minus x is T W T x = T W r
        const double t = k->t[c];
        for (int i = d * c; i < d * (c + 1); i++) {
            k->v[i] += t * p->q[i] - k->x[i];
            k->r[i] = t * k->x[i];
        }
    }
}

// Natural map of r = T x, from the velocities that came with it: what sti_contact_natural_map would say, but for
// rounding.
static double estimate(const admm* k) {
    const sti_contact_local* p = k->p;
    const int d = p->d;
    double sum = 0, size = 0;
    for (int c = 0; c < p->nc; c++) {
        const size_t at = (size_t)d * (size_t)c;
        const double *r = k->r + at, *v = k->v + at, step = p->rho[c] / k->t[c];
        double e[3];
        for (int i = 0; i < d; i++) e[i] = r[i] - step * v[i];
        e[0] -= step * p->mu[c] * sti_cone_slip(d, v);
        sti_cone_project(d, p->mu[c], e, e);
        for (int i = 0; i < d; i++) {
            sum += (r[i] - e[i]) * (r[i] - e[i]);
            size += r[i] * r[i];
        }
    }
    const double unit = fmax(sqrt(size), p->scale);
    return unit > 0 ? sqrt(sum) / unit : sqrt(sum);
}

// y is in the cone, x only nearly: y is what we offer.
static void measure(admm* k) {
    const int d = k->p->d;
    for (int i = 0; i < k->n; i++) k->r[i] = k->t[i / d] * k->y[i];
    sti_contact_local_apply(k->p, k->r, k->u);
    k->last = sti_contact_watch_point(&k->watch, k->r, k->u);
}

// f and g of (3); returns |f|.
static double relax(admm* k) {
    double sum = 0;
    for (int i = 0; i < k->n; i++) {
        k->f[i] = RELAXATION * (k->x[i] - k->y[i]);
        k->g[i] = k->w[i] + k->f[i];
        sum += k->f[i] * k->f[i];
    }
    return sqrt(sum);
}

// D3: the state was a poor guess; on with (3) of the last good one.
static void step_back(admm* k) {
    memcpy(k->w, k->acceleration.g_last, (size_t)k->n * sizeof *k->w);
    sti_anderson_forget(&k->acceleration);
    k->trial = false;
}

static void accelerate(admm* k, double size) {
    sti_anderson_push(&k->acceleration, k->f, k->g);
    k->least = fmin(k->least, size);
    k->trial = sti_anderson_mix(&k->acceleration, k->w);
    if (!k->trial) memcpy(k->w, k->g, (size_t)k->n * sizeof *k->w);
}

// D2: penalties by which primal and dual residual of every contact would be alike. Returns the largest change, as a
// factor.
static double choose_penalties(admm* k) {
    const sti_contact_local* p = k->p;
    const int d = p->d;
    const double trust = pow(TRUSTED / fmax(k->watch.run->residual, 1e-300), 0.75);
    k->spread = fmin(SPREAD * fmax(trust, 1), k->widest);
    double change = 1;
    for (int c = 0; c < p->nc; c++) {
        const size_t at = (size_t)d * (size_t)c;
        double plain[3] = {0}, y[3], primal = 0, dual = 0;
        for (int i = 0; i < d; i++) plain[i] = k->w[at + (size_t)i] + k->x[at + (size_t)i] - k->y[at + (size_t)i];
        project(k, c, plain, y);
        for (int i = 0; i < d; i++) {
            const double a = k->x[at + (size_t)i] - y[i], b = y[i] - k->y[at + (size_t)i];
            primal += a * a;
            dual += b * b;
        }
        double ratio = 1;
        if (primal > 0 || dual > 0) ratio = dual > 0 ? fmin(fmax(sqrt(sqrt(primal / dual)), 1 / STEP), STEP) : STEP;
        k->next[c] = fmin(fmax(k->sigma[c] * ratio, SIGMA / k->spread), SIGMA * k->spread);
        change = fmax(change, fmax(k->next[c] / k->sigma[c], k->sigma[c] / k->next[c]));
    }
    return change;
}

// The map has changed: what was learned about it is void.
static void forget(admm* k) {
    sti_anderson_forget(&k->acceleration);
    k->trial = false;
    k->least = INFINITY;
}

// A state for the best point known: y = r / t, and -z = T u, but no part of u_n that closes.
static void load_best(admm* k) {
    const sti_contact_local* p = k->p;
    const int d = p->d;
    const sti_contact_run* run = k->watch.run;
    for (int c = 0; c < p->nc; c++) {
        const size_t at = (size_t)d * (size_t)c;
        const double *r = run->r + at, *u = run->u + at, t = k->t[c];
        double* w = k->w + at;
        for (int i = 0; i < d; i++) w[i] = r[i] / t;
        project(k, c, w, w);
        w[0] -= t * fmax(u[0], 0);
        for (int i = 1; i < d; i++) w[i] -= t * u[i];
    }
    forget(k);
    k->since = 0;
    k->before = run->residual;
}

// Have the last penalties done harm? A while is given to them.
static bool thrown_back(const admm* k) {
    return k->since >= PATIENCE && k->spread > 1 && k->last > WORSE * k->watch.run->residual;
}

// Back to the best point, with penalties nearer to each other.
static bool narrow(admm* k) {
    k->spread = k->widest = fmax(0.1 * k->spread, 1);
    for (int c = 0; c < k->p->nc; c++) k->sigma[c] = fmin(fmax(k->sigma[c], SIGMA / k->spread), SIGMA * k->spread);
    if (!factor(k)) return false;
    load_best(k);
    return true;
}

// New penalties where they are worth a factorization: r = T y and u = -z / T stay as they are after (3).
static bool rescale(admm* k) {
    const sti_contact_local* p = k->p;
    const int d = p->d;
    for (int c = 0; c < p->nc; c++) {
        const double s = sqrt(k->next[c] / k->sigma[c]);
        const size_t at = (size_t)d * (size_t)c;
        double y[3];
        project(k, c, k->g + at, y);
        for (int i = 0; i < d; i++) k->w[at + (size_t)i] = y[i] * s + (k->g[at + (size_t)i] - y[i]) / s;
        k->sigma[c] = k->next[c];
    }
    forget(k);
    k->rest *= REST;
    return factor(k);
}

// A look at the penalties. *changed: the next state is set. False: the new ones cannot be factored.
static bool balance(admm* k, bool* changed) {
    const double was = k->before, now = k->watch.run->residual, gain = log(was / now);
    const double left = log(now / k->watch.options->tol);
    // at this rate tol is reached before a factorization could pay for itself
    const bool near = gain > 0 && (double)k->since * left < k->price * gain;
    k->since = 0;
    k->before = now;
    k->widest = fmin(RECOVER * k->widest, k->stage->spread);
    *changed = !near && choose_penalties(k) > WORTH;
    return *changed ? rescale(k) : true;
}

static void iterate(admm* k) {
    sti_contact_run* run = k->watch.run;
    while (!sti_contact_watch_stop(&k->watch)) {
        evaluate(k);
        run->iterations++;
        const double size = relax(k);
        if (!isfinite(size)) {
            sti_contact_watch_end(&k->watch, STI_END_STALLED, "the iterates diverge");
            return;
        }
        if (estimate(k) <= 3 * k->watch.options->tol || run->iterations % CHECK == 0) measure(k);
        k->since++;
        if (k->trial && size > k->least) {
            step_back(k);
            continue;
        }
        bool changed = thrown_back(k);
        if (changed ? !narrow(k) : (double)k->since >= k->rest && !balance(k, &changed)) {
            sti_contact_watch_end(&k->watch, STI_END_STALLED, "W cannot be factored");
            return;
        }
        if (!changed) accelerate(k, size);
    }
}

// ---- around the loop

static sti_status reserve(admm* k) {
    const size_t nc = (size_t)k->p->nc, n = (size_t)k->n;
    k->sigma = sti_alloc_array_zero(k->p->env, 3 * nc + 8 * n, sizeof *k->sigma);
    if (k->sigma == NULL) return STI_ERR_MEMORY;
    k->t = k->sigma + nc;
    k->next = k->t + nc;
    double** vectors[] = {&k->w, &k->g, &k->f, &k->x, &k->y, &k->v, &k->r, &k->u};
    for (size_t i = 0; i < 8; i++) *vectors[i] = k->next + nc + i * n;
    const sti_status status = sti_anderson_create(k->p->env, k->n, CHUNK, &k->acceleration);
    if (status == STI_OK) sti_anderson_begin(&k->acceleration, k->n, NULL);
    return status;
}

static void release(admm* k) {
    sti_free(k->p->env, k->sigma);
    sti_dense_factor_clear(&k->dense);
    sti_blocks_clear(&k->sparse, k->p->env);
    sti_arena_clear(&k->memory);
    sti_anderson_destroy(k->p->env, &k->acceleration);
}

// D2, before anything is known but the guess: what it says of a contact, if it is any good.
static void first_penalties(admm* k) {
    const sti_contact_local* p = k->p;
    const sti_contact_run* run = k->watch.run;
    const int d = p->d;
    const double apart = fmin(GUESSED, k->stage->spread);
    bool known = false;
    for (int i = 0; i < k->n && run->residual < 0.1 && !known; i++) known = run->r[i] != 0;
    for (int c = 0; c < p->nc; c++) {
        const double *r = run->r + (size_t)d * (size_t)c, *u = run->u + (size_t)d * (size_t)c;
        double x[3] = {0};
        for (int i = 0; i < d; i++) x[i] = r[i] - p->rho[c] * u[i];
        x[0] -= p->rho[c] * p->mu[c] * sti_cone_slip(d, u);
        const double slip = sti_cone_slip(d, x);
        k->sigma[c] = SIGMA;
        if (known && slip < p->mu[c] * x[0]) k->sigma[c] /= apart;
        if (known && p->mu[c] * slip < -x[0]) k->sigma[c] *= apart;
    }
}

static void solve(admm* k) {
    for (size_t i = 0; i < sizeof STAGES / sizeof *STAGES; i++) {
        k->stage = &STAGES[i];
        k->widest = k->stage->spread;
        k->rest = FIRST_BALANCE;
        k->watch.window = k->stage->window;
        sti_contact_watch_renew(&k->watch);
        first_penalties(k);
        if (!factor(k)) {
            sti_contact_watch_end(&k->watch, STI_END_STALLED, "W cannot be factored");
            return;
        }
        load_best(k);
        iterate(k);
        if (k->watch.run->termination != STI_END_STALLED) return;
    }
}

sti_status sti_contact_method_admm(const sti_contact_local* p, const sti_contact_options* options,
                                   sti_contact_run* run) {
    admm k = {.p = p, .n = p->d * p->nc, .spread = 1};
    const double entries = p->op != NULL ? 0 : (double)p->W.row_start[p->nc] * p->d * p->d;
    sti_contact_watch_start(&k.watch, "admm", p, options, run, 4 * entries, STAGES[0].window);
    if (p->op != NULL) {
        sti_contact_watch_end(&k.watch, STI_END_NOT_APPLICABLE, "W must be given as a matrix");
        return STI_OK;
    }
    if (sti_contact_watch_stop(&k.watch)) return STI_OK;
    bool fits = false;
    sti_status status = reserve(&k);
    if (status == STI_OK) status = reserve_factors(&k, &fits);
    if (status == STI_OK && fits) solve(&k);
    if (status == STI_OK && !fits)
        sti_contact_watch_end(&k.watch, STI_END_NOT_APPLICABLE, "the factors of W would be too large");
    release(&k);
    return status;
}
