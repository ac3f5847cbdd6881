// friction.c: the least coefficient of friction for which all contacts stick (S0 proposition 11).
//
//     least k :  |lambda_t,i| <= k w_i |lambda_n,i|  for the contacts asked about, the other conditions as they are
//
// over the whole family of multipliers. w = 1: the same coefficient everywhere; w = mu: one factor for all; w = 1 at
// one contact and the given mu elsewhere: that contact's own least coefficient.
//
// For fixed k the largest margin d(k),  k w_i lambda_n,i - |lambda_t,i| >= d, is a conic program, and d grows with k:
//                                       the least k
// is its root. Newton's method, d'(k) = sum_i u_i w_i lambda_n,i with the multipliers u of the bounds (sum u = 1), kept
// inside a bracket. Where d >= 0 the largest ratio |lambda_t,i| / (w_i lambda_n,i) is another upper bound (Dinkelbach
// 1967; Crouzeix, Ferland, Schaible 1985). The start is the lambda whose least normal force is largest; when even that
// is negative there is no finite k.
//
// The last digits come from Newton's method on the optimality conditions of the whole (friction_newton.c).
//
// Internal forces may grow without limit (a block between two walls): normal forces are bounded by force_limit, and a
// least k found at that bound is not attained. It is then looked for among the directions of growth, by the same method
// with F = 0, rates 0 and sum lambda_n = 1; when all contacts asked about share in the growth, that k is the infimum.
//
// All that is floating point, and it looks for a margin: where a contact must be at the apex of its cone below some k,
// d(k) is zero on a whole interval, and its root is not the least k. For plane contacts and polygons a given k is
// decided without rounding. What was found is tried a little above and below, and where it fails the least k is
// bracketed by such decisions. For discs idle contacts are tried one choice after the other.
//
// S0 proposition 11 says that a finite coefficient exists whenever the contact problem without discs is solvable; that
// is false when a solution needs lambda_t at a contact with lambda_n = 0 (errata S0-E10). Here a_n = 0 is asked, and
// "exists" is decided.
#include "sticking/friction.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 60 };

static double ratio_of(const sti_quest* q, int i, const double* lambda) {
    const double normal = (q->s->bilateral[i] ? q->sign[i] : 1) * lambda[q->s->first[i]];
    const double t = sti_posed_reach(q->s, i, lambda);
    if (t <= 1e-11 * q->s->force) return 0;
    return normal > 0 ? t / (q->weight[i] * normal) : INFINITY;
}

double sti_quest_ratio(const sti_quest* q, const double* lambda) {
    double most = 0;
    for (int i = 0; i < q->s->nc; i++)
        if (q->weight[i] > 0) most = fmax(most, ratio_of(q, i, lambda));
    return most;
}

// Bounds on the normal forces of the contacts asked about: 0 <= lambda_n <= limit, and the margin off the first of them
// when there is no other place for it.
static void add_bounds(const sti_quest* q, sti_cone_program* g, int margin, bool normals) {
    const sti_posed* s = q->s;
    for (int i = 0; i < s->nc; i++) {
        if (q->weight[i] == 0 || q->idle[i]) continue;
        const int side = s->bilateral[i] ? q->sign[i] : 1, column = 1 + s->n + s->first[i];
        int r = sti_program_add(g, STI_ROW_NONNEGATIVE, i);
        sti_program_put(g, r, column, side);
        if (normals) sti_program_put(g, r, 1 + margin, -1);
        r = sti_program_add(g, STI_ROW_NONNEGATIVE, i);
        sti_program_put(g, r, 0, q->limit);
        sti_program_put(g, r, column, -side);
    }
    const int r = sti_program_add(g, STI_ROW_NONNEGATIVE, -1);
    sti_program_put(g, r, 0, q->limit);
    sti_program_put(g, r, 1 + margin, -1);
    if (!q->growth) return;
    for (int row = 0; row < s->n + s->q; row++) sti_program_put(g, row, 0, 0);
    const int sum = sti_program_add(g, STI_ROW_ZERO, -1);
    sti_program_put(g, sum, 0, -1);
    for (int i = 0; i < s->nc; i++)
        if (q->weight[i] > 0) sti_program_put(g, sum, 1 + s->n + s->first[i], s->bilateral[i] ? q->sign[i] : 1);
}

// The conditions at q->k. friction: the bounds asked about, with the margin; without it only lambda_n >= 0 there, from
// which the margin is taken off when normals is set. An idle contact has lambda = 0.
static sti_status build(sti_quest* q, bool friction, bool normals, sti_cone_program* g) {
    const sti_posed* s = q->s;
    const int d = s->n + s->p;
    for (int i = 0; i < s->nc; i++) {
        if (q->weight[i] == 0) continue;
        q->mu[i] = q->k * q->weight[i];
        q->rough[i] = 1;
    }
    sti_status status = sti_posed_program(&q->t, q->sign, 1, 2 * s->nc + 3 + s->p, d, false, g);
    if (status != STI_OK) return status;
    for (int row = 0; row < g->rows; row++) {  // drop bounds: rows that hold for every x
        double* v = g->row + (size_t)row * ((size_t)g->size + 1);
        const int i = g->owner[row];
        if (g->kind[row] == STI_ROW_ZERO || i < 0 || q->weight[i] == 0 || (friction && !q->idle[i])) continue;
        memset(v, 0, ((size_t)g->size + 1) * sizeof *v);
        if (g->kind[row] != STI_ROW_TAIL) v[0] = 1;
    }
    for (int i = 0; i < s->nc; i++) {
        for (int h = 0; q->idle[i] && h <= s->tangents[i]; h++)
            sti_program_put(g, sti_program_add(g, STI_ROW_ZERO, i), 1 + s->n + s->first[i] + h, 1);
    }
    add_bounds(q, g, d, normals);
    if (!friction && !normals) sti_program_put(g, sti_program_add(g, STI_ROW_ZERO, -1), 1 + d, 1);
    status = sti_program_reduce_like(g, &q->last);
    q->last = *g;
    return status;
}

// Without bounds on friction lambda_t may run off along self-stress: a small weight on its square holds it.
static double* light_weights(const sti_quest* q, const sti_cone_program* g) {
    const sti_posed* s = q->s;
    double* weight = sti_arena_doubles(s->pool, (size_t)g->size);
    for (int i = 0; weight != NULL && i < s->nc; i++)
        for (int h = 1; h <= s->tangents[i]; h++) weight[s->n + s->first[i] + h] = 1e-9 / s->force;
    return weight;
}

static sti_status margin_within(sti_quest* q, bool normals, sti_cone_program* g, sti_program_answer* answer) {
    const sti_posed* s = q->s;
    *answer = (sti_program_answer){.outcome = STI_CONIC_INFEASIBLE};
    const sti_status status = build(q, !normals, normals, g);
    if (status != STI_OK || g->outside > 1e-9) return status;
    double* c = sti_arena_doubles(s->pool, (size_t)g->size);
    if (c == NULL) return s->pool->status;
    c[s->n + s->p] = -1;
    double* weight = normals ? light_weights(q, g) : NULL;
    return s->pool->status == STI_OK ? sti_program_minimize(g, c, weight, answer) : s->pool->status;
}

// A limit far from the forces spoils the units of the program. A closer one does when the best point does not touch it.
static sti_status best_margin(sti_quest* q, bool normals, sti_cone_program* g, sti_program_answer* answer) {
    const double limit = q->limit;
    sti_status status = margin_within(q, normals, g, answer);
    if (status != STI_OK || answer->outcome == STI_CONIC_SOLVED || answer->outcome == STI_CONIC_INFEASIBLE || q->growth)
        return status;
    for (double near = 1e3 * q->s->force; near > 5 * q->s->force && near < limit; near /= 10) {
        sti_cone_program closer = {0};
        sti_program_answer other;
        q->limit = near;
        status = margin_within(q, normals, &closer, &other);
        q->limit = limit;
        bool inside = status == STI_OK && other.outcome == STI_CONIC_SOLVED;
        for (int i = 0; inside && i < q->s->nc; i++)
            inside = q->weight[i] == 0 || fabs(other.x[q->s->n + q->s->first[i]]) < 0.5 * near;
        if (status != STI_OK) return status;
        if (!inside) continue;
        *g = closer;
        *answer = other;
        return STI_OK;
    }
    return status;
}

// Which contacts asked about have lambda_n = 0 for every choice of the others?
static sti_status find_idle(sti_quest* q) {
    const sti_posed* s = q->s;
    sti_cone_program g = {0};
    sti_status status = build(q, false, false, &g);
    if (status != STI_OK) return status;
    double *c = sti_arena_doubles(s->pool, (size_t)g.size), *weight = light_weights(q, &g);
    if (s->pool->status != STI_OK) return s->pool->status;
    for (int i = 0; i < s->nc; i++) {
        if (q->weight[i] == 0) continue;
        const int at = s->n + s->first[i], side = s->bilateral[i] ? q->sign[i] : 1;
        sti_program_answer answer;
        c[at] = -side;
        status = sti_program_minimize(&g, c, weight, &answer);
        c[at] = 0;
        if (status != STI_OK) return status;
        q->idle[i] = answer.outcome == STI_CONIC_SOLVED && side * answer.x[at] <= s->options.tol * s->force;
    }
    return STI_OK;
}

// ---- one branch

// A point whose normal forces are positive, or zero where they must be, and the k it needs. None: no k is enough.
static sti_status start(sti_quest* q) {
    const sti_posed* s = q->s;
    const double band = s->options.tol * s->force;
    sti_cone_program g = {0};
    sti_program_answer answer;
    q->k = 1;
    q->found = q->refused = false;
    memset(q->idle, 0, (size_t)s->nc * sizeof *q->idle);
    for (int round = 0; round < 2; round++) {
        const sti_status status = best_margin(q, true, &g, &answer);
        if (status != STI_OK) return status;
        q->refused = answer.outcome == STI_CONIC_INFEASIBLE;
        if (answer.outcome != STI_CONIC_SOLVED) return STI_OK;
        const double margin = answer.x[s->n + s->p];
        q->refused = margin < -band;
        memcpy(q->lambda, answer.x + s->n, (size_t)s->p * sizeof *q->lambda);
        q->k = sti_quest_ratio(q, q->lambda);
        q->found = margin > band && isfinite(q->k);
        if (q->found || q->refused) return STI_OK;
        const sti_status idle = find_idle(q);
        if (idle != STI_OK) return idle;
    }
    return STI_OK;
}

// d'(k) at the point found.
static double slope_of(const sti_quest* q, const sti_cone_program* g, const sti_program_answer* answer) {
    const sti_posed* s = q->s;
    double sum = 0, weight = 0;
    for (int row = 0; row < g->rows; row++) {
        const int i = g->owner[row];
        const double margin = g->row[(size_t)row * ((size_t)g->size + 1) + (size_t)g->size];  // coefficient of d
        if (margin == 0 || i < 0 || q->weight[i] == 0) continue;
        const double normal = (s->bilateral[i] ? q->sign[i] : 1) * answer->x[s->n + s->first[i]];
        weight += answer->dual[row];
        sum += answer->dual[row] * q->weight[i] * normal;
    }
    return weight > 0 ? sum / weight : NAN;
}

// Is friction needed at all? d(0) >= 0 up to rounding.
static sti_status try_zero(sti_quest* q, bool* enough) {
    sti_cone_program g = {0};
    sti_program_answer answer;
    const double k = q->k;
    q->k = 0;
    const sti_status status = best_margin(q, false, &g, &answer);
    *enough =
        status == STI_OK && answer.outcome == STI_CONIC_SOLVED && answer.x[q->s->n + q->s->p] >= -1e-12 * q->s->force;
    if (*enough)
        memcpy(q->lambda, answer.x + q->s->n, (size_t)q->s->p * sizeof *q->lambda);
    else
        q->k = k;
    return status;
}

// From a k that is enough down to the least one.
static sti_status narrow(sti_quest* q) {
    const sti_posed* s = q->s;
    bool enough = false;
    sti_status status = try_zero(q, &enough);
    if (status != STI_OK || enough) return status;
    double low = 0, high = q->k, *x = NULL;
    sti_cone_program g = {0};
    for (int round = 0; status == STI_OK && round < ROUNDS; round++) {
        sti_program_answer answer;
        status = best_margin(q, false, &g, &answer);
        if (status != STI_OK || answer.x == NULL || !(answer.residual < 1e-7)) break;
        const double d = answer.x[s->n + s->p];
        x = answer.x;
        memcpy(q->lambda, x + s->n, (size_t)s->p * sizeof *q->lambda);
        if (d >= 0)
            high = fmin(high, fmin(q->k, sti_quest_ratio(q, q->lambda)));
        else
            low = fmax(low, q->k);
        double next = q->k - d / slope_of(q, &g, &answer);
        if (!(next > low && next < high))
            next = high - low > 1e-3 * high ? (low + high) / 2 : fmax(low, fmin(next, high));
        if (!isfinite(next)) next = (low + high) / 2;
        const double step = fabs(next - q->k);
        q->k = next;
        if (step <= 1e-14 * q->k || high - low <= 1e-14 * high) break;
    }
    if (status == STI_OK && x != NULL && q->k > 0) status = sti_quest_polish(q, &g, x);
    return status;
}

// Contacts asked about that carry nothing: with some of them idle less may do. All choices, while they are few.
static sti_status try_idle(sti_quest* q) {
    enum { FEW = 5 };
    const sti_posed* s = q->s;
    int asked[FEW], count = 0;
    for (int i = 0; i < s->nc; i++) {
        if (q->weight[i] == 0 || q->idle[i]) continue;
        if (count == FEW) return STI_OK;
        asked[count++] = i;
    }
    double* lambda = sti_arena_copy(s->pool, q->lambda, (size_t)s->p);
    sti_status status = s->pool->status;
    double least = q->k;
    for (unsigned set = 1; status == STI_OK && least > 1e-12 && set < 1U << count; set++) {
        sti_cone_program g = {0};
        sti_program_answer answer;
        for (int j = 0; j < count; j++) q->idle[asked[j]] = set >> j & 1;
        q->k = least * (1 - 1e-6);
        status = best_margin(q, false, &g, &answer);
        if (status == STI_OK && answer.outcome == STI_CONIC_SOLVED && answer.residual < 1e-7 &&
            answer.x[s->n + s->p] >= -1e-12 * s->force)
            status = narrow(q);
        else
            q->k = least;
        if (status != STI_OK || !(q->k < least)) continue;
        least = q->k;
        memcpy(lambda, q->lambda, (size_t)s->p * sizeof *lambda);
    }
    for (int j = 0; j < count; j++) q->idle[asked[j]] = false;
    q->k = least;
    if (status == STI_OK) memcpy(q->lambda, lambda, (size_t)s->p * sizeof *lambda);
    return status;
}

static sti_status descend(sti_quest* q) {
    sti_status status = start(q);
    if (status == STI_OK && q->found) status = narrow(q);
    return status;
}

// ---- without rounding

static int side_of(const sti_quest* q, int i) {
    return q->s->bilateral[i] ? q->sign[i] : 1;
}

// Do the contacts stick with coefficients k w, normal forces asked about not above `limit`? Decided exactly; lambda (p)
// is such a point, when there is one.
static sti_status holds_at(sti_quest* q, double k, double limit, bool* holds, double* lambda) {
    const sti_posed* s = q->s;
    const int first = s->n + s->q;  // rows before are equations
    sti_cone_program g = {0};
    sti_exact_program e = {0};
    sti_rationals* x = NULL;
    *holds = false;
    for (int i = 0; i < s->nc; i++) {
        q->rough[i] = q->weight[i] > 0 || s->rough[i];
        if (q->weight[i] > 0) q->mu[i] = k * q->weight[i];
    }
    sti_status status = sti_posed_program(&q->t, q->sign, 0, 2 * s->nc, -1, true, &g);
    for (int r = first; status == STI_OK && r < g.rows; r++) {
        const int i = g.owner[r];
        if (g.kind[r] == STI_ROW_NONNEGATIVE && i >= 0 && q->weight[i] > 0)
            sti_program_put(&g, r, 1 + s->n + s->first[i], side_of(q, i) * (k * q->weight[i]));
    }
    for (int i = 0; status == STI_OK && i < s->nc; i++) {
        if (q->weight[i] == 0) continue;
        // a cone that k closes keeps its lambda_n >= 0
        int r = sti_program_add(&g, STI_ROW_NONNEGATIVE, i);
        sti_program_put(&g, r, 1 + s->n + s->first[i], side_of(q, i));
        if (isinf(limit)) continue;
        r = sti_program_add(&g, STI_ROW_NONNEGATIVE, i);
        sti_program_put(&g, r, 0, limit);
        sti_program_put(&g, r, 1 + s->n + s->first[i], -side_of(q, i));
    }
    if (status == STI_OK) status = s->pool->status;
    if (status == STI_OK) status = sti_exact_program_open(&e, &g);
    if (status == STI_OK && e.feasible) {
        *holds = true;
        status = sti_rationals_create(s->env, (size_t)g.size, &x);
        if (status == STI_OK) status = sti_exact_program_point(&e, x);
        for (int j = 0; status == STI_OK && j < s->p; j++) lambda[j] = sti_rationals_double(x, (size_t)(s->n + j));
    }
    sti_rationals_destroy(x);
    sti_exact_program_close(&e);
    sti_program_close(&g);
    return status;
}

// The least k between one that fails and one that does not.
static sti_status bracket(sti_quest* q, double low, double high, double* lambda) {
    sti_status status = STI_OK;
    for (int round = 0; status == STI_OK && round < 200 && high - low > 1e-14 * high; round++) {
        const double k = low > 0 && high > 4 * low ? sqrt(low * high) : low + (high - low) / 2;
        bool holds;
        if (k <= low || k >= high) break;
        status = holds_at(q, k, INFINITY, &holds, lambda);
        if (holds)
            high = k;
        else
            low = k;
        if (high < 1e-12) high = low = 0;
    }
    q->k = high;
    return status;
}

static double above(double k) {
    return k * (1 + 1e-9) + 1e-12;
}

static double below(double k) {
    return k * (1 - 1e-9) - 1e-12;
}

// Is there less than k in this branch?
static sti_status beats(sti_quest* q, double k, bool* out) {
    double* lambda = sti_arena_doubles(q->s->pool, (size_t)q->s->p);
    *out = false;
    if (lambda == NULL) return q->s->pool->status;
    return below(k) > 0 ? holds_at(q, below(k), INFINITY, out, lambda) : STI_OK;
}

// Does the point found need no more than k, with normal forces well within the limit, none of which is rounding that
// friction hangs on?
static bool is_attained(const sti_quest* q) {
    for (int i = 0; i < q->s->nc; i++) {
        const double normal = fabs(q->lambda[q->s->first[i]]);
        if (q->weight[i] > 0 && normal > 0.5 * q->limit) return false;
        if (q->weight[i] > 0 && normal < 1e-7 * q->s->force && ratio_of(q, i, q->lambda) > 0) return false;
    }
    return sti_quest_ratio(q, q->lambda) <= above(q->k);
}

// Tries the k that was found, or that none was, and repairs it. *attained: with normal forces within the limit.
static sti_status settle(sti_quest* q, bool* attained) {
    const double far = 1e9;
    double* lambda = sti_arena_doubles(q->s->pool, (size_t)q->s->p);
    if (lambda == NULL) return q->s->pool->status;
    bool zero = false;
    sti_status status = STI_OK;
    if (q->found && q->k > 0 && below(q->k) <= 0) status = holds_at(q, 0, INFINITY, &zero, lambda);
    if (status != STI_OK) return status;
    if (zero) {
        q->k = 0;
        memcpy(q->lambda, lambda, (size_t)q->s->p * sizeof *lambda);
    }
    *attained = q->found && is_attained(q);
    bool holds = *attained, less = !q->found;
    if (!holds) status = holds_at(q, above(q->found ? q->k : far), INFINITY, &holds, lambda);
    if (status == STI_OK && holds) {
        if (q->found) status = beats(q, q->k, &less);
        if (status == STI_OK && !less && *attained) return STI_OK;
        if (status == STI_OK && less) status = holds_at(q, 0, INFINITY, &holds, lambda);
        if (status == STI_OK && less && !holds)
            status = bracket(q, 0, q->found ? below(q->k) : above(far), lambda);
        else if (less)
            q->k = 0;
        q->found = true;
    } else if (status == STI_OK && q->found) {
        status = holds_at(q, far, INFINITY, &q->found, lambda);
        q->refused = !q->found;
        if (status == STI_OK && q->found) status = bracket(q, above(q->k), far, lambda);
    }
    if (status != STI_OK || !q->found) return status;
    status = holds_at(q, above(q->k), q->limit, attained, lambda);
    if (status != STI_OK || sti_quest_ratio(q, q->lambda) <= above(q->k)) return status;
    if (!*attained) status = holds_at(q, q->k * 1.001 + 1e-9, INFINITY, &holds, lambda);
    memcpy(q->lambda, lambda, (size_t)q->s->p * sizeof *lambda);
    return status;
}

// ---- all branches

// Not every contact grows: with a hundred times the forces, is a fiftieth enough? Then any coefficient is, with forces
// that grow like its inverse.
static sti_status vanish(const sti_quest* q, sti_least_friction* out) {
    sti_quest h = *q;
    h.lambda = sti_arena_copy(q->s->pool, q->lambda, (size_t)q->s->p);
    if (h.lambda == NULL) return q->s->pool->status;
    h.limit = 100 * q->limit;
    const sti_status status = descend(&h);
    if (status == STI_OK && h.found && h.k <= q->k / 50) out->mu = 0;
    return status;
}

// The infimum over growing internal forces, when every contact asked about grows.
static sti_status grow(sti_quest* q, sti_least_friction* out) {
    const sti_posed* s = q->s;
    sti_quest h = *q;
    sti_posed unit = *s;
    unit.force = 1;
    h.s = &unit;
    h.t.force = 1;
    h.limit = 2;
    h.growth = true;
    const sti_status status = descend(&h);
    if (status != STI_OK) return status;
    bool all = h.found && h.k <= out->mu;
    for (int i = 0; i < s->nc; i++) all = all && (q->weight[i] == 0 || fabs(h.lambda[s->first[i]]) >= 1e-7);
    if (!all) return vanish(q, out);
    out->mu = h.k;
    return STI_OK;
}

// A branch that has no less may have as much with forces within the limit, where those before had not.
static sti_status attains(sti_quest* q, sti_least_friction* out) {
    return out->attained ? STI_OK : holds_at(q, above(out->mu), q->limit, &out->attained, out->lambda);
}

static sti_status least(sti_sticking* r, const double* weight, sti_least_friction* out) {
    const sti_posed* s = &r->memory->posed;
    const size_t nc = (size_t)s->nc;
    sti_quest q = {.s = s, .t = *s};
    q.weight = sti_arena_copy(s->pool, weight, nc);
    q.on = sti_arena_take(s->pool, nc, 1);
    q.mu = sti_arena_copy(s->pool, s->mu, nc);
    q.rough = sti_arena_take(s->pool, nc, 1);
    q.sign = sti_arena_take(s->pool, nc, 1);
    q.idle = sti_arena_take(s->pool, nc, sizeof *q.idle);
    q.lambda = sti_arena_doubles(s->pool, (size_t)s->p);
    out->lambda = sti_arena_doubles(s->pool, (size_t)s->p);
    if (s->pool->status != STI_OK) return s->pool->status;
    *out = (sti_least_friction){.exists = STI_NO, .mu = NAN, .lambda = out->lambda};
    memcpy(q.rough, s->rough, nc);
    int choices = 0;
    bool exact = s->exact && s->polyhedral && !r->near_redundant;
    for (int i = 0; i < s->nc; i++) {
        // a smooth contact in space gets a disc
        if (weight[i] > 0 && s->tangents[i] == 2 && s->options.facets == 0) exact = false;
        q.on[i] = weight[i] > 0;
        choices += s->bilateral[i] && (s->rough[i] || weight[i] > 0);
    }
    q.t.mu = q.mu;
    q.t.rough = q.rough;
    q.t.margin_on = q.on;
    q.t.instant = s->instant;
    q.limit = sti_posed_force_limit(s);
    if (choices > 6) {
        out->exists = STI_UNDECIDED;
        return STI_OK;
    }
    for (int b = 0; b < 1 << choices; b++) {
        for (int i = 0, bit = 0; i < s->nc; i++)
            q.sign[i] = s->bilateral[i] && (s->rough[i] || weight[i] > 0) ? (b >> bit++ & 1 ? -1 : 1) : 0;
        bool attained = false, better = true;
        sti_status status = STI_OK;
        if (exact && out->exists == STI_YES) status = beats(&q, out->mu, &better);
        if (status == STI_OK && !better) {
            status = attains(&q, out);
            if (status != STI_OK) return status;
            continue;
        }
        if (status == STI_OK) status = descend(&q);
        if (status == STI_OK && exact) status = settle(&q, &attained);
        if (status == STI_OK && !exact && q.found) status = try_idle(&q);
        if (status != STI_OK) return status;
        if (!q.found && !q.refused && out->exists == STI_NO) out->exists = STI_UNDECIDED;
        if (!q.found || (out->exists == STI_YES && q.k >= out->mu)) continue;
        out->exists = STI_YES;
        out->mu = q.k;
        out->attained = exact ? attained : true;
        for (int i = 0; i < s->nc && !exact; i++)
            if (weight[i] > 0 && fabs(q.lambda[s->first[i]]) > 0.5 * q.limit) out->attained = false;
        memcpy(out->lambda, q.lambda, (size_t)s->p * sizeof *q.lambda);
        const sti_status grown = exact || out->attained ? STI_OK : grow(&q, out);
        if (grown != STI_OK) return grown;
    }
    // where the contacts stick with the friction they have, some is enough, whatever the conic programs said
    bool some = r->answer.outcome == STI_STICKING_YES;
    for (int i = 0; i < s->nc; i++) some = some && (weight[i] == 0 || s->mu[i] > 0);
    if (some && out->exists == STI_NO) out->exists = STI_UNDECIDED;
    return STI_OK;
}

// Is there a coefficient to ask about? A bounded force has none.
static bool is_surface(const sti_posed* s, int i) {
    return !s->slides[i] && s->tangents[i] > 0 && !sti_posed_contact(s, i)->pressed;
}

sti_status sti_sticking_least_friction(sti_sticking* r) {
    const sti_posed* s = &r->memory->posed;
    double* weight = sti_arena_doubles(s->pool, (size_t)s->nc);
    r->least_own = sti_arena_doubles(s->pool, (size_t)s->nc);
    if (s->pool->status != STI_OK) return s->pool->status;
    bool any = false, given = false;
    for (int i = 0; i < s->nc; i++) {
        r->least_own[i] = NAN;
        if (!is_surface(s, i)) continue;
        weight[i] = 1;
        any = true;
        given = given || s->mu[i] > 0;
    }
    if (!any || !r->kkt_solvable) return STI_OK;
    sti_status status = least(r, weight, &r->least_common);
    for (int i = 0; i < s->nc; i++) weight[i] = weight[i] > 0 ? s->mu[i] : 0;
    if (status == STI_OK && given) status = least(r, weight, &r->least_factor);
    for (int i = 0; status == STI_OK && i < s->nc; i++) {
        if (!is_surface(s, i) || sti_sticking_late(r)) continue;
        memset(weight, 0, (size_t)s->nc * sizeof *weight);
        weight[i] = 1;
        sti_least_friction own = {0};
        status = least(r, weight, &own);
        r->least_own[i] = own.exists == STI_YES ? own.mu : NAN;
    }
    return status;
}
