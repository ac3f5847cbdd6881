// interior.c: min 1/2 u'Q u + c'u,  A u = s,  lo <= u <= hi,  lo <= s <= hi,
//     by a primal-dual interior-point method with Mehrotra's
// predictor and corrector; block-angular Q and A as in S3 (3.1.6), so each Newton system is an arrow (3.1.7).
//
//     Q u + c + A'l - zl + zu = 0        zl (u - lo) = mu,  zu (hi - u) = mu
//     l = wu - wl                        wl (s - lo) = mu,  wu (hi - s) = mu         rows that are no equations
//     A u - s = 0
//
// A Newton step for the targets  zl du + (u - lo) dzl = cl,  -zu du + (hi - u) dzu = cu,  and likewise for the rows, is
//
//     (Q + D) du + A'dl = -(Q u + c + A'l - zl + zu) + cl/(u - lo) - cu/(hi - u),     D = zl/(u - lo) + zu/(hi - u)
//     A du - E dl       = -(A u - s) - E g,     g = cu/(hi - s) - cl/(s - lo),     1/E = wl/(s - lo) + wu/(hi - s)
//
// with E = 0 and ds = 0 for an equation, ds = E (dl - g) elsewhere. Far from its sides a row has a large E, and that is
// a difference of nearly the same numbers; there ds = A du + A u - s, and dl = ds/E + g. An equation is a row with lo =
// hi; a variable with lo = hi is held by a large D, a row without sides by a large E.
//
// | S3   | u | A, Q | D_0 .. D_N |                  The block -E of K_i is 0 in S3, which has equations alone.
// | here | u | A, Q | D          |
//
// D1: variables without bounds get a small D, equations a small E: proximal terms around the current point and its
//     multipliers, which vanish with the steps. A careful run adds as much to all D and E: better pivots, but residuals
//     fall slowly where large multipliers change. They grow where a pivot has the wrong sign or refinement fails.
// D2: multipliers of scenario i are divided by p_i (program.h); mu is a mean with the weights p_i.
// D3: a step of length alpha leaves 1 - alpha of the residuals. Where more is left, directions are refined from then
//     on.
//
// Cost of an iteration: a factorization of every K_i with n + p more columns, and four solutions with it; linear in the
// number of scenarios. What a block contributes to a sum is gathered by groups of scenarios, so any number of threads
// gives the same bits.
#include "stochastic/interior.h"

#include <math.h>
#include <string.h>

#include "stochastic/kernel.h"

enum { CORRECTIONS = 6 };

static const double SHORT_OF = 0.995;                          // of the way to the boundary
static const double PROXIMAL = 1e-8, LARGEST_PROXIMAL = 1e-4;  // D1
static const double ENOUGH = 1e-15;                            // of a right side: a remainder that needs no refinement
static const double TENTH = 0.1;        // of the tolerance: residuals that are looked at no closer
static const double LEAST_STEP = 1e-9;  // below, nothing moves any more
static const double LARGEST = 1e14;     // beyond, an iterate runs away
static const double DEEP = 1e-4;        // of the tolerance: a gap at which residuals that do not fall will not

// A pair of sides: of the variables, or of the rows.
typedef struct barrier {
    size_t count;
    double *at, *low, *high;  // the value and its sides
    double *a, *b;            // multipliers of low and high; 0 where there is no such side
    double *ca, *cb;          // targets of their products
    double* d;                // step of `at`
} barrier;

typedef struct sums {
    double objective, products, weight;  // sum of products, and of the number of them
    double first, second;                // products after a step: products + first alpha + second alpha^2
    double primal, dual;                 // largest residuals
    double step;                         // longest step
    double size;                         // largest |u| or |l|
} sums;

typedef struct interior {
    sti_env* env;
    const sti_stochastic_layout* L;
    sti_tasks* tasks;
    sti_arrow arrow;
    barrier u, s;
    double* l;        // multipliers of the rows
    double* dl;       // step
    double *rd, *rp;  // residuals
    double* moved;    // A du of the rows; NULL: all are equations
    double *eu, *el;  // what a solution leaves of the Newton system; el is where moved is
    double *D, *E;
    bool refine;        // solutions leave more than rounding
    double proximal;    // D1
    double everywhere;  // of it, in all D and E
    bool careful;
    bool astray;  // refinement failed in the last step
    double tol;
    double* block;  // all of these arrays
    sums* part;     // of each chunk, and of block 0 (chunks + 1)
    double* share;  // of each chunk: what it adds to rd and rp of block 0     (chunks x (n + p))
    double scale_primal, scale_dual;
} interior;

static bool is_fixed(const barrier* b, size_t k) {
    return b->low[k] == b->high[k];
}

// ---- memory

static void divide(barrier* b, size_t count, double** at, double* value) {
    b->count = count;
    double** parts[] = {&b->low, &b->high, &b->a, &b->b, &b->ca, &b->cb, &b->d};
    b->at = value;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++, *at += count) *parts[k] = *at;
}

static sti_status reserve(interior* k, sti_stochastic_point* point) {
    const sti_stochastic_layout* L = k->L;
    const size_t nv = L->var[L->blocks], nr = L->row[L->blocks], chunks = (size_t)L->chunks;
    k->block = sti_alloc_array_zero(k->env, sti_size_add(sti_size_mul(10, nv), sti_size_mul(12, nr)), sizeof *k->block);
    k->part = sti_alloc_array_zero(k->env, chunks + 1, sizeof *k->part);
    k->share = sti_alloc_array_zero(k->env, sti_size_mul(chunks, (size_t)(L->p->n + L->p->p)), sizeof *k->share);
    if (k->block == NULL || k->part == NULL || k->share == NULL) return STI_ERR_MEMORY;
    double* at = k->block;
    divide(&k->u, nv, &at, point->u);
    k->rd = at, at += nv;
    k->D = at, at += nv;
    double* value = at;
    at += nr;
    divide(&k->s, nr, &at, value);
    k->l = point->l;
    k->dl = at, at += nr;
    k->rp = at, at += nr;
    k->E = at, at += nr;
    k->moved = k->el = at, at += nr;
    k->eu = at;
    return STI_OK;
}

static bool has_inequalities(const interior* k) {
    double any = 0;
    for (size_t j = 0; j < k->s.count; j++) any = fmax(any, !is_fixed(&k->s, j));
    sti_stochastic_layout_most(k->L, &any, 1);
    return any > 0;
}

static void release(interior* k) {
    sti_arrow_clear(&k->arrow);
    sti_tasks_destroy(k->tasks);
    sti_free(k->env, k->block);
    sti_free(k->env, k->part);
    sti_free(k->env, k->share);
}

// ---- loops over blocks: block 0 by itself, the others by chunks; sums in the order of the chunks

typedef void block_work(interior* k, int i, sums* s, double* share);

typedef struct loop {
    interior* k;
    block_work* work;
} loop;

static void run_chunk(void* context, int chunk, int worker) {
    const loop* w = context;
    interior* k = w->k;
    const size_t order = (size_t)k->arrow.order;
    (void)worker;
    k->part[chunk] = (sums){.step = 1 / SHORT_OF};
    double* share = k->share + (size_t)chunk * order;
    memset(share, 0, order * sizeof *share);
    for (int i = sti_stochastic_layout_chunk(k->L, chunk); i < sti_stochastic_layout_chunk(k->L, chunk + 1); i++)
        w->work(k, i, &k->part[chunk], share);
}

static void join(sums* to, const sums* s) {
    to->objective += s->objective;
    to->products += s->products;
    to->weight += s->weight;
    to->first += s->first;
    to->second += s->second;
    to->primal = fmax(to->primal, s->primal);
    to->dual = fmax(to->dual, s->dual);
    to->step = fmin(to->step, s->step);
    to->size = fmax(to->size, s->size);
}

// x (count) = what the scenarios add to block 0, from entry `from` of their shares on.
static void gather(interior* k, int from, int count, double* x) {
    const size_t order = (size_t)k->arrow.order;
    for (int j = 0; j < count; j++) x[j] = 0;
    for (int c = 0; c < k->L->chunks; c++) {
        const double* share = k->share + (size_t)c * order + (size_t)from;
        for (int j = 0; j < count; j++) x[j] += share[j];
    }
    sti_stochastic_layout_sum(k->L, x, (size_t)count);
}

static sums over_ranks(const sti_stochastic_layout* L, sums s) {
    if (L->team == NULL) return s;
    double sum[] = {s.objective, s.products, s.weight, s.first, s.second}, most[] = {s.primal, s.dual, s.size, -s.step};
    sti_stochastic_layout_sum(L, sum, sizeof sum / sizeof *sum);
    sti_stochastic_layout_most(L, most, sizeof most / sizeof *most);
    return (sums){.objective = sum[0],
                  .products = sum[1],
                  .weight = sum[2],
                  .first = sum[3],
                  .second = sum[4],
                  .primal = most[0],
                  .dual = most[1],
                  .size = most[2],
                  .step = -most[3]};
}

// What block 0 begins with: nothing, rd and rp, moved rows, or eu and el.
typedef enum whole { NOTHING, RESIDUALS, STEPS, REMAINDERS } whole;

static sums for_blocks(interior* k, block_work* work, whole begins) {
    loop w = {k, work};
    sums all = {.step = 1 / SHORT_OF};
    sti_tasks_run(k->tasks, k->L->chunks, run_chunk, &w);
    const int n = k->L->p->n, p = k->L->p->p;
    if (begins == RESIDUALS || begins == REMAINDERS) gather(k, 0, n, begins == RESIDUALS ? k->rd : k->eu);
    if (begins != NOTHING) gather(k, n, p, begins == RESIDUALS ? k->rp : begins == STEPS ? k->moved : k->el);
    work(k, 0, &all, NULL);
    if (!sti_stochastic_layout_leads(k->L)) all = (sums){.step = 1 / SHORT_OF};
    for (int c = 0; c < k->L->chunks; c++) join(&all, &k->part[c]);
    return over_ranks(k->L, all);
}

// ---- residuals

static double larger(double a, double b) {
    return b > a ? b : a;
}

static void count_products(const barrier* b, size_t from, size_t to, double weight, sums* s) {
    double sum = 0;
    int count = 0;
    for (size_t j = from; j < to; j++) {
        if (is_fixed(b, j)) continue;
        if (isfinite(b->low[j])) sum += b->a[j] * (b->at[j] - b->low[j]), count++;
        if (isfinite(b->high[j])) sum += b->b[j] * (b->high[j] - b->at[j]), count++;
        s->size = larger(s->size, fabs(b->at[j]));
    }
    s->products += weight * sum;
    s->weight += weight * count;
}

// rd = Q u + c + A'l [+ T'pi] - zl + zu and rp = A u [+ W0 x] - s of a block; its shares of those of block 0.
static void residual_block(interior* k, int i, sums* s, double* share) {
    const sti_stochastic_layout* L = k->L;
    const size_t v = L->var[i], r = L->row[i], v_end = L->var[i + 1], r_end = L->row[i + 1];
    const double* c = sti_stochastic_layout_c(L, i);
    const double weight = sti_stochastic_layout_weight(L, i);
    double objective = 0;
    if (i > 0) {
        memset(k->rd + v, 0, (v_end - v) * sizeof *k->rd);
        memset(k->rp + r, 0, (r_end - r) * sizeof *k->rp);
        sti_block_multiply_transposed(sti_stochastic_layout_W0(L, i), weight, k->l + r, share);
        sti_block_multiply(&L->p->scenarios[i - 1].T, weight, k->u.at + v, share + L->p->n);
        sti_block_multiply(sti_stochastic_layout_W0(L, i), 1, k->u.at, k->rp + r);
    }
    double* gradient = k->u.d + v;  // free at this time
    memset(gradient, 0, (v_end - v) * sizeof *gradient);
    sti_block_multiply(sti_stochastic_layout_Q(L, i), 1, k->u.at + v, gradient);
    for (size_t j = v; j < v_end; j++) {
        const double cost = c != NULL ? c[j - v] : 0;
        objective += k->u.at[j] * (0.5 * k->u.d[j] + cost);
        k->rd[j] += k->u.d[j] + cost;
    }
    sti_block_multiply_transposed(sti_stochastic_layout_A(L, i), 1, k->l + r, k->rd + v);
    if (i > 0) sti_block_multiply_transposed(&L->p->scenarios[i - 1].T, 1, k->l, k->rd + v);
    sti_block_multiply(sti_stochastic_layout_A(L, i), 1, k->u.at + v, k->rp + r);
    for (size_t j = v; j < v_end; j++) {
        k->rd[j] += k->u.b[j] - k->u.a[j];
        if (!is_fixed(&k->u, j)) s->dual = larger(s->dual, fabs(k->rd[j]));
    }
    for (size_t j = r; j < r_end; j++) {
        const bool free = isinf(k->s.low[j]) && isinf(k->s.high[j]);
        k->rp[j] = free ? 0 : k->rp[j] - k->s.at[j];
        s->primal = larger(s->primal, fabs(k->rp[j]));
        s->size = larger(s->size, fabs(k->l[j]));
    }
    s->objective += weight * objective;
    count_products(&k->u, v, v_end, weight, s);
    count_products(&k->s, r, r_end, weight, s);
}

// ---- the Newton system

static double quotient(double x, double by) {
    return isinf(by) ? 0 : x / by;
}

static double curvature(const barrier* b, size_t j) {
    return quotient(b->a[j], b->at[j] - b->low[j]) + quotient(b->b[j], b->high[j] - b->at[j]);
}

static void diagonals(interior* k) {
    for (size_t j = 0; j < k->u.count; j++) {
        const bool free = isinf(k->u.low[j]) && isinf(k->u.high[j]);
        k->D[j] = is_fixed(&k->u, j) ? STI_KERNEL_FROZEN : free ? k->proximal : curvature(&k->u, j);
    }
    for (size_t j = 0; j < k->s.count; j++) {
        const bool free = isinf(k->s.low[j]) && isinf(k->s.high[j]);
        k->E[j] = is_fixed(&k->s, j) ? k->proximal : free ? STI_KERNEL_FROZEN : 1 / curvature(&k->s, j);
    }
}

// Targets of the predictor: products to 0.
static void aim_at_zero(barrier* b) {
    for (size_t j = 0; j < b->count; j++) {
        b->ca[j] = isinf(b->low[j]) ? 0 : -b->a[j] * (b->at[j] - b->low[j]);
        b->cb[j] = isinf(b->high[j]) ? 0 : -b->b[j] * (b->high[j] - b->at[j]);
    }
}

// Steps of the multipliers that belong to the step of the value.
static double step_a(const barrier* b, size_t j) {
    return quotient(b->ca[j] - b->a[j] * b->d[j], b->at[j] - b->low[j]);
}
static double step_b(const barrier* b, size_t j) {
    return quotient(b->cb[j] + b->b[j] * b->d[j], b->high[j] - b->at[j]);
}

// Targets of the corrector: products to sigma mu, with the second-order term of the predictor, and products so far.
static void aim_at_centre(barrier* b, double target) {
    for (size_t j = 0; j < b->count; j++) {
        if (is_fixed(b, j)) continue;
        const double da = step_a(b, j), db = step_b(b, j);
        if (isfinite(b->low[j])) b->ca[j] += target - b->d[j] * da;
        if (isfinite(b->high[j])) b->cb[j] += target + b->d[j] * db;
    }
}

static double pull(const barrier* b, size_t j) {  // cb/(high - at) - ca/(at - low)
    return quotient(b->cb[j], b->high[j] - b->at[j]) - quotient(b->ca[j], b->at[j] - b->low[j]);
}

// moved = A du [+ W0 dx] of a block; its share of block 0.
static void move_block(interior* k, int i, sums* s, double* share) {
    const sti_stochastic_layout* L = k->L;
    (void)s;
    if (i > 0) {
        memset(k->moved + L->row[i], 0, (size_t)sti_stochastic_layout_q(L, i) * sizeof *k->moved);
        sti_block_multiply(sti_stochastic_layout_W0(L, i), 1, k->u.d, k->moved + L->row[i]);
        sti_block_multiply(&L->p->scenarios[i - 1].T, sti_stochastic_layout_weight(L, i), k->u.d + L->var[i],
                           share + L->p->n);
    }
    sti_block_multiply(sti_stochastic_layout_A(L, i), 1, k->u.d + L->var[i], k->moved + L->row[i]);
}

// Where rows are far from their sides.
static void move_rows(interior* k) {
    if (k->moved == NULL) return;
    for_blocks(k, move_block, STEPS);
    for (size_t j = 0; j < k->s.count; j++) {
        if (is_fixed(&k->s, j) || k->E[j] >= STI_KERNEL_FROZEN || k->E[j] < 1) continue;
        k->s.d[j] = k->moved[j] + k->rp[j];
        k->dl[j] = k->s.d[j] / k->E[j] + pull(&k->s, j);
    }
}

static double right_side_u(const interior* k, size_t j) {
    return is_fixed(&k->u, j) ? 0 : -k->rd[j] - pull(&k->u, j);
}
static double right_side_l(const interior* k, size_t j) {
    return -k->rp[j] - (is_fixed(&k->s, j) || k->E[j] >= STI_KERNEL_FROZEN ? 0 : k->E[j] * pull(&k->s, j));
}

static void hold(const interior* k, double* u, double* l) {
    for (size_t j = 0; j < k->u.count; j++) {
        if (is_fixed(&k->u, j)) u[j] = 0;
    }
    for (size_t j = 0; j < k->s.count; j++) {
        if (k->E[j] >= STI_KERNEL_FROZEN) l[j] = 0;
    }
}

// eu, el = right sides less (Q + D) du + A'dl, A du - E dl of a block; its shares of those of block 0.
static void remainder_block(interior* k, int i, sums* s, double* share) {
    const sti_stochastic_layout* L = k->L;
    const size_t v = L->var[i], r = L->row[i], v_end = L->var[i + 1], r_end = L->row[i + 1];
    if (i > 0) {
        memset(k->eu + v, 0, (v_end - v) * sizeof *k->eu);
        memset(k->el + r, 0, (r_end - r) * sizeof *k->el);
        sti_block_multiply_transposed(sti_stochastic_layout_W0(L, i), sti_stochastic_layout_weight(L, i), k->dl + r,
                                      share);
        sti_block_multiply(&L->p->scenarios[i - 1].T, sti_stochastic_layout_weight(L, i), k->u.d + v, share + L->p->n);
        sti_block_multiply(sti_stochastic_layout_W0(L, i), 1, k->u.d, k->el + r);
        sti_block_multiply_transposed(&L->p->scenarios[i - 1].T, 1, k->dl, k->eu + v);
    }
    sti_block_multiply(sti_stochastic_layout_Q(L, i), 1, k->u.d + v, k->eu + v);
    sti_block_multiply_transposed(sti_stochastic_layout_A(L, i), 1, k->dl + r, k->eu + v);
    sti_block_multiply(sti_stochastic_layout_A(L, i), 1, k->u.d + v, k->el + r);
    for (size_t j = v; j < v_end; j++) {
        k->eu[j] = is_fixed(&k->u, j) ? 0 : right_side_u(k, j) - k->eu[j] - (k->D[j] + k->everywhere) * k->u.d[j];
        s->dual = larger(s->dual, fabs(k->eu[j]));
        s->size = larger(s->size, fabs(right_side_u(k, j)));
    }
    for (size_t j = r; j < r_end; j++) {
        k->el[j] =
            k->E[j] >= STI_KERNEL_FROZEN ? 0 : right_side_l(k, j) - k->el[j] + (k->E[j] + k->everywhere) * k->dl[j];
        s->primal = larger(s->primal, fabs(k->el[j]));
        s->size = larger(s->size, fabs(right_side_l(k, j)));
    }
}

// Residuals that count beside the tolerance.
static bool is_more(const interior* k, double primal, double dual) {
    return primal > TENTH * k->tol * k->scale_primal || dual > TENTH * k->tol * k->scale_dual;
}

// Steps of refinement, as long as each divides what is left by two.
static void refine(interior* k) {
    double before = INFINITY;
    for (int c = 0; c < CORRECTIONS; c++) {
        const sums s = for_blocks(k, remainder_block, REMAINDERS);
        const double now = fmax(s.primal, s.dual);
        if (now <= ENOUGH * s.size) return;
        if (!(now < 0.5 * before)) {
            k->astray = is_more(k, s.primal, s.dual);
            return;
        }
        before = now;
        sti_arrow_solve(&k->arrow, k->eu, k->el);
        hold(k, k->eu, k->el);
        for (size_t j = 0; j < k->u.count; j++) k->u.d[j] += k->eu[j];
        for (size_t j = 0; j < k->s.count; j++) k->dl[j] += k->el[j];
    }
}

static void solve_direction(interior* k) {
    for (size_t j = 0; j < k->u.count; j++) k->u.d[j] = right_side_u(k, j);
    for (size_t j = 0; j < k->s.count; j++) k->dl[j] = right_side_l(k, j);
    sti_arrow_solve(&k->arrow, k->u.d, k->dl);
    hold(k, k->u.d, k->dl);
    if (k->refine) refine(k);
    for (size_t j = 0; j < k->s.count; j++) {
        const bool none = is_fixed(&k->s, j) || k->E[j] >= STI_KERNEL_FROZEN;
        k->s.d[j] = none ? 0 : k->E[j] * (k->dl[j] - pull(&k->s, j));
        if (k->E[j] >= STI_KERNEL_FROZEN) k->dl[j] = 0;
    }
    move_rows(k);
}

static double shorten(double step, double value, double d) {
    return d * step < -value ? -value / d : step;
}

static void measure_range(const barrier* b, size_t from, size_t to, double weight, sums* s) {
    double first = 0, second = 0;
    for (size_t j = from; j < to; j++) {
        if (is_fixed(b, j)) continue;
        const double d = b->d[j], da = step_a(b, j), db = step_b(b, j);
        if (isfinite(b->low[j])) {
            const double gap = b->at[j] - b->low[j];
            s->step = shorten(shorten(s->step, gap, d), b->a[j], da);
            first += b->a[j] * d + gap * da;
            second += d * da;
        }
        if (isfinite(b->high[j])) {
            const double gap = b->high[j] - b->at[j];
            s->step = shorten(shorten(s->step, gap, -d), b->b[j], db);
            first += gap * db - b->b[j] * d;
            second -= d * db;
        }
    }
    s->first += weight * first;
    s->second += weight * second;
}

static void measure_block(interior* k, int i, sums* s, double* share) {
    (void)share;
    measure_range(&k->u, k->L->var[i], k->L->var[i + 1], sti_stochastic_layout_weight(k->L, i), s);
    measure_range(&k->s, k->L->row[i], k->L->row[i + 1], sti_stochastic_layout_weight(k->L, i), s);
}

// ---- steps

static void advance(barrier* b, double alpha) {
    for (size_t j = 0; j < b->count; j++) {
        if (is_fixed(b, j)) continue;
        const double da = step_a(b, j), db = step_b(b, j);
        b->at[j] += alpha * b->d[j];
        if (isfinite(b->low[j])) b->a[j] += alpha * da;
        if (isfinite(b->high[j])) b->b[j] += alpha * db;
    }
}

static void take_step(interior* k, double alpha) {
    advance(&k->u, alpha);
    advance(&k->s, alpha);
    for (size_t j = 0; j < k->s.count; j++)
        k->l[j] = is_fixed(&k->s, j) ? k->l[j] + alpha * k->dl[j] : k->s.b[j] - k->s.a[j];
}

// Mehrotra's start: the point of least squares and its gradient, pushed inside.
static void push_inside(barrier* b, const double* gradient, double away, double height) {
    for (size_t j = 0; j < b->count; j++) {
        const bool low = isfinite(b->low[j]), high = isfinite(b->high[j]);
        if (is_fixed(b, j)) {
            b->at[j] = b->low[j];
            continue;
        }
        const double inside = low && high ? fmin(away, 0.25 * (b->high[j] - b->low[j])) : away;
        if (low) b->at[j] = fmax(b->at[j], b->low[j] + inside);
        if (high) b->at[j] = fmin(b->at[j], b->high[j] - inside);
        b->a[j] = low ? fmax(gradient[j], height) : 0;
        b->b[j] = high ? fmax(-gradient[j], height) : 0;
    }
}

// Of the variables.
static double mean_size(const sti_stochastic_layout* L, const double* x) {
    const size_t begin = sti_stochastic_layout_leads(L) ? 0 : L->var[1], end = L->var[L->blocks];
    double mean[2] = {0, (double)(end - begin)};
    for (size_t j = begin; j < end; j++) mean[0] += fabs(x[j]);
    sti_stochastic_layout_sum(L, mean, 2);
    return mean[1] > 0 ? mean[0] / mean[1] : 0;
}

static double nearest(double x, double low, double high) {
    return fmin(fmax(x, low), high);
}

static void find_scales(interior* k) {
    k->scale_primal = k->scale_dual = 1;
    for (size_t j = 0; j < k->s.count; j++) {
        if (isfinite(k->s.low[j])) k->scale_primal = fmax(k->scale_primal, fabs(k->s.low[j]));
        if (isfinite(k->s.high[j])) k->scale_primal = fmax(k->scale_primal, fabs(k->s.high[j]));
    }
    for (int i = 0; i < k->L->blocks; i++) {
        const double* c = sti_stochastic_layout_c(k->L, i);
        for (int j = 0; c != NULL && j < sti_stochastic_layout_m(k->L, i); j++)
            k->scale_dual = fmax(k->scale_dual, fabs(c[j]));
    }
    sti_stochastic_layout_most(k->L, &k->scale_primal, 1);
    sti_stochastic_layout_most(k->L, &k->scale_dual, 1);
}

// The gradient Q u + c + A'l of all variables into u.d, with the multipliers of the sides at 0.
static void find_gradient(interior* k) {
    memset(k->u.a, 0, k->u.count * sizeof *k->u.a);
    memset(k->u.b, 0, k->u.count * sizeof *k->u.b);
    for_blocks(k, residual_block, RESIDUALS);
    memcpy(k->u.d, k->rd, k->u.count * sizeof *k->rd);
}

static void row_values(interior* k) {
    memset(k->s.at, 0, k->s.count * sizeof *k->s.at);
    for_blocks(k, residual_block, RESIDUALS);
    for (size_t j = 0; j < k->s.count; j++) k->s.at[j] = is_fixed(&k->s, j) ? k->s.low[j] : k->rp[j];
}

static void start_cold(interior* k) {
    for (size_t j = 0; j < k->u.count; j++) k->D[j] = is_fixed(&k->u, j) ? STI_KERNEL_FROZEN : 1;
    for (size_t j = 0; j < k->s.count; j++) k->E[j] = is_fixed(&k->s, j) ? 0 : 1;
    sti_arrow_factor(&k->arrow, k->D, k->E, k->everywhere);
    memset(k->u.at, 0, k->u.count * sizeof *k->u.at);
    memset(k->l, 0, k->s.count * sizeof *k->l);
    for (size_t j = 0; j < k->u.count; j++) {
        if (is_fixed(&k->u, j)) k->u.at[j] = k->u.low[j];
    }
    for (size_t j = 0; j < k->s.count; j++) k->s.at[j] = nearest(0, k->s.low[j], k->s.high[j]);
    find_gradient(k);
    for (size_t j = 0; j < k->u.count; j++) k->u.d[j] = is_fixed(&k->u, j) ? 0 : -k->u.d[j];
    for (size_t j = 0; j < k->s.count; j++) k->dl[j] = -k->rp[j];
    sti_arrow_solve(&k->arrow, k->u.d, k->dl);
    for (size_t j = 0; j < k->u.count; j++) k->u.at[j] += is_fixed(&k->u, j) ? 0 : k->u.d[j];
    memcpy(k->l, k->dl, k->s.count * sizeof *k->l);
}

// Values and multipliers strictly inside; of a warm start closer to the sides.
static void start(interior* k, bool warm) {
    if (!warm) start_cold(k);
    row_values(k);
    find_gradient(k);
    const double part = warm ? 1e-3 : 1;
    const double away = part * fmax(1e-2, mean_size(k->L, k->u.at));
    const double height = part * fmax(1e-2, mean_size(k->L, k->u.d));
    push_inside(&k->u, k->u.d, away, height);
    for (size_t j = 0; j < k->s.count; j++) k->dl[j] = -k->l[j];
    push_inside(&k->s, k->dl, away, height);
    for (size_t j = 0; j < k->s.count; j++) {
        if (!is_fixed(&k->s, j)) k->l[j] = k->s.b[j] - k->s.a[j];
    }
}

// With larger proximal terms where the last step went astray, or a pivot had the wrong sign.
static void factor(interior* k) {
    bool more = k->astray;
    k->astray = false;
    for (;;) {
        if (more) k->proximal = fmin(LARGEST_PROXIMAL, 100 * k->proximal);
        diagonals(k);
        k->everywhere = k->careful ? k->proximal : 0;
        double wrong = sti_arrow_factor(&k->arrow, k->D, k->E, k->everywhere);
        sti_stochastic_layout_most(k->L, &wrong, 1);
        more = wrong > 0;
        if (!more || k->proximal >= LARGEST_PROXIMAL) return;
    }
}

// Predictor and corrector; the length of the step.
static double find_step(interior* k, const sums* now) {
    const double mu = now->weight > 0 ? now->products / now->weight : 0;
    factor(k);
    aim_at_zero(&k->u);
    aim_at_zero(&k->s);
    solve_direction(k);
    const sums s = for_blocks(k, measure_block, NOTHING);
    const double step = fmin(1, s.step), after = now->products + step * (s.first + step * s.second);
    const double ratio = now->products > 0 ? fmax(after, 0) / now->products : 0;
    aim_at_centre(&k->u, ratio * ratio * ratio * mu);
    aim_at_centre(&k->s, ratio * ratio * ratio * mu);
    solve_direction(k);
    return fmin(1, SHORT_OF * for_blocks(k, measure_block, NOTHING).step);
}

static bool is_late(const interior* k, double deadline) {
    double late = isfinite(deadline) && sti_now(k->env) > deadline;
    if (isfinite(deadline)) sti_stochastic_layout_most(k->L, &late, 1);
    return late > 0;
}

// NULL: optimal within the tolerance; otherwise why not.
static const char* iterate(interior* k, const sti_stochastic_options* o, double deadline, long* iterations) {
    double least = INFINITY, expected[2] = {INFINITY, INFINITY};
    for (;;) {
        const sums s = for_blocks(k, residual_block, RESIDUALS);
        const double gap = s.products / (1 + fabs(s.objective));
        if (o->trace != NULL) o->trace(o->trace_user, "ipm", *iterations, gap);
        if (s.primal <= o->tol * k->scale_primal && s.dual <= o->tol * k->scale_dual && gap <= o->tol) return NULL;
        if (!(s.size < LARGEST) || !isfinite(s.products)) return "the iterates grow without end";
        if (*iterations >= o->max_iterations) return "the limit of iterations was reached";
        if (is_late(k, deadline)) return "the time limit was reached";
        const double residual = fmax(s.primal / k->scale_primal, s.dual / k->scale_dual);
        const bool hopeless = !k->astray || k->proximal >= LARGEST_PROXIMAL;
        if (s.products > 0 && gap <= DEEP * o->tol && residual > 0.5 * least && hopeless)
            return "rounding leaves a residual";
        least = fmin(least, residual);
        // more than a step of that length leaves (D3)
        const double off_p = s.primal > 2 * expected[0] ? s.primal : 0, off_d = s.dual > 2 * expected[1] ? s.dual : 0;
        if (is_more(k, off_p, off_d)) k->refine = true;
        const double alpha = find_step(k, &s);
        if (!(alpha > LEAST_STEP)) return "within rounding no step is left";
        expected[0] = (1 - alpha) * s.primal;
        expected[1] = (1 - alpha) * s.dual;
        take_step(k, alpha);
        ++*iterations;
    }
}

sti_status sti_stochastic_interior(sti_env* env, const sti_stochastic_layout* L, const sti_stochastic_options* options,
                                   double deadline, sti_stochastic_way way, sti_stochastic_point* point) {
    interior k = {
        .env = env, .L = L, .proximal = PROXIMAL, .tol = options->tol, .careful = way == STI_STOCHASTIC_CAREFUL};
    sti_status status = sti_tasks_create(env, sti_env_workers(env), &k.tasks);
    if (status == STI_OK) status = sti_arrow_create(env, L, k.tasks, &k.arrow);
    if (status == STI_OK) status = reserve(&k, point);
    status = sti_stochastic_layout_agree(env, L, status);
    if (status == STI_OK) {
        for (int i = 0; i < L->blocks; i++) {
            sti_stochastic_layout_bounds(L, i, k.u.low + L->var[i], k.u.high + L->var[i]);
            sti_stochastic_layout_sides(L, i, k.s.low + L->row[i], k.s.high + L->row[i]);
        }
        if (!has_inequalities(&k)) k.moved = NULL;
        find_scales(&k);
        start(&k, way == STI_STOCHASTIC_WARM);
        point->reason = iterate(&k, options, deadline, &point->iterations);
        point->optimal = point->reason == NULL;
    }
    release(&k);
    return status;
}
