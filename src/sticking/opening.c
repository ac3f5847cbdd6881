// opening.c: contacts free to open: (60), (65 a, b).
//
//     M a + F = C lambda,   a_n = 0 at bilateral contacts,   a_t = 0,   0 <= lambda_n _|_ a_n >= 0 at unilateral ones
//         (43)
//
// and lambda in the discs. (43) is the optimality system of  min 1/2 a'M a + F'a
//     over the constraints on a, a convex program:
// every a that solves it goes with every lambda that does. With one solution a, these lambda are all those of
//
//     C lambda = M a + F,   lambda_n >= 0,   lambda_n = 0 where a_n > 0
//
// and with the discs lambda_t = 0 there too. That is the question (61) with the forces and the rows a_n = 0 of these
// contacts left out (a_t = 0 is still asked of them), and decide.c answers it, with its proofs; M may be
// singular.
//
// So all hangs on the signs of a_n. An LCP solver proposes them; then, where exact arithmetic has a say, a linear
// program in integers confirms a solution of (43) with these signs, and a_n > 0 is a statement about rationals. When
// the proposal fails, other signs are tried, the least certain first. In floating point a_n is compared with the terms
// that were summed,
//
//     |c_n| + sum_j |n_j| ( |a_j| + sum_k |M^+_jk| ( |F_k| + sum_l |C_kl lambda_l| ) ),
//
// which does not vanish with a_n. Between ROUNDING and CLEAR of them it may be either, and (60) is decided both ways:
// two answers that differ are "unknown".
#include <math.h>
#include <string.h>

#include "sticking/sticking.h"

#define ROUNDING 1e-12
#define CLEAR 1e-8

enum { TRIES_MOST = 1024, FLIPS_MOST = 10 };

typedef struct opening {
    sti_sticking* r;
    const sti_posed* s;
    sti_opening* out;
    int free_count;  // n + the multipliers that are not unilateral normals
    int pairs;       // unilateral contacts
    int* place;      // multiplier -> index among the free (>= 0) or -1 - pair   (p)
    double *A, *C, *D, *B, *a, *b;
    double* size;  // what a_n is compared with                              (nc)
} opening;

// ---- (43) as a mixed LCP, in floating point

static sti_status take(opening* o) {
    const sti_posed* s = o->s;
    o->free_count = s->n;
    o->place = sti_arena_ints(s->pool, (size_t)s->p);
    if (o->place == NULL) return s->pool->status;
    for (int i = 0; i < s->nc; i++) {
        for (int k = 0; k <= s->tangents[i]; k++)
            o->place[s->first[i] + k] = k == 0 && !s->bilateral[i] ? -1 - o->pairs++ : o->free_count++;
    }
    const size_t f = (size_t)o->free_count, m = (size_t)o->pairs;
    o->A = sti_arena_doubles(s->pool, f * f);
    o->C = sti_arena_doubles(s->pool, f * m);
    o->D = sti_arena_doubles(s->pool, m * f);
    o->B = sti_arena_doubles(s->pool, m * m);
    o->a = sti_arena_doubles(s->pool, f);
    o->b = sti_arena_doubles(s->pool, m);
    o->size = sti_arena_doubles(s->pool, (size_t)s->nc);
    return s->pool->status;
}

// Direction k of contact i: a free multiplier with its equation, or a complementary pair.
static void pose_direction(opening* o, int i, int k) {
    const sti_posed* s = o->s;
    const size_t f = (size_t)o->free_count, m = (size_t)o->pairs;
    const int at = o->place[s->first[i] + k];
    *(at >= 0 ? &o->a[at] : &o->b[-1 - at]) = s->c[s->row[i] + k];
    for (size_t j = 0; j < (size_t)s->n; j++) {
        const double v = s->C[j * (size_t)s->p + (size_t)(s->first[i] + k)];
        if (at >= 0) {
            o->A[j * f + (size_t)at] = -v;
            o->A[(size_t)at * f + j] = v;
        } else {
            o->C[j * m + (size_t)(-1 - at)] = -v;
            o->D[(size_t)(-1 - at) * f + j] = v;
        }
    }
}

static sti_status pose(opening* o) {
    const sti_posed* s = o->s;
    const sti_status status = take(o);
    if (status != STI_OK) return status;
    for (int j = 0; j < s->n; j++) {
        o->a[j] = s->instant->F[j];
        memcpy(o->A + (size_t)j * (size_t)o->free_count, s->instant->M + (size_t)j * (size_t)s->n,
               (size_t)s->n * sizeof *o->A);
    }
    for (int i = 0; i < s->nc; i++)
        for (int k = 0; k <= s->tangents[i]; k++) pose_direction(o, i, k);
    return STI_OK;
}

static sti_status keep_solution(opening* o, const sti_lcp_answer* answer) {
    const sti_posed* s = o->s;
    sti_opening* out = o->out;
    out->a = sti_arena_copy(s->pool, answer->u, (size_t)s->n);
    out->lambda = sti_arena_doubles(s->pool, (size_t)s->p);
    out->a_n = sti_arena_doubles(s->pool, (size_t)s->nc);
    if (s->pool->status != STI_OK) return s->pool->status;
    for (int k = 0; k < s->p; k++)
        out->lambda[k] = o->place[k] >= 0 ? answer->u[o->place[k]] : answer->z[-1 - o->place[k]];
    for (int i = 0; i < s->nc; i++) out->a_n[i] = s->bilateral[i] ? 0 : answer->w[-1 - o->place[s->first[i]]];
    return STI_OK;
}

static sti_status solve(opening* o) {
    const int f = o->free_count, m = o->pairs;
    const sti_mlcp mlcp = {.n = f,
                           .m = m,
                           .A = sti_matrix_dense_view(f, f, o->A),
                           .C = sti_matrix_dense_view(f, m, o->C),
                           .D = sti_matrix_dense_view(m, f, o->D),
                           .B = sti_matrix_dense_view(m, m, o->B),
                           .a = o->a,
                           .b = o->b};
    const sti_lcp_options options = sti_lcp_options_default();
    sti_lcp_answer answer;
    sti_status status = sti_mlcp_solve(o->s->env, &mlcp, &options, &answer);
    if (status != STI_OK) return status;
    o->out->contact_problem = answer.outcome;
    if (answer.outcome == STI_SOLVED) status = keep_solution(o, &answer);
    sti_lcp_answer_clear(o->s->env, &answer);
    return status;
}

// What sticks solves (43) as well, and nothing opens: for a solver that missed it, which rounding can bring about where
// constraints are redundant.
static sti_status keep_sticking(opening* o) {
    const sti_posed* s = o->s;
    const sti_sticking_answer* answer = &o->r->answer;
    if (o->out->contact_problem == STI_SOLVED || answer->outcome != STI_STICKING_YES) return STI_OK;
    o->out->a = sti_arena_copy(s->pool, answer->a, (size_t)s->n);
    o->out->lambda = sti_arena_copy(s->pool, answer->lambda, (size_t)s->p);
    o->out->a_n = sti_arena_doubles(s->pool, (size_t)s->nc);
    o->out->contact_problem = STI_SOLVED;
    return s->pool->status;
}

// What every a_n was summed from, by absolute values.
static sti_status measure(opening* o) {
    const sti_posed* s = o->s;
    const int n = s->n;
    double *load = sti_arena_doubles(s->pool, (size_t)n), *M;
    sti_svd f;
    sti_status status = sti_svd_make(s->pool, n, n, s->instant->M, STI_SMALL_RANK_TOL, &f);
    if (status == STI_OK) status = sti_svd_pinv(s->pool, &f, &M);
    if (status != STI_OK || load == NULL) return status != STI_OK ? status : s->pool->status;
    for (int j = 0; j < n; j++) {
        load[j] = fabs(s->instant->F[j]);
        for (int l = 0; l < s->p; l++) load[j] += fabs(s->C[(size_t)j * (size_t)s->p + (size_t)l] * o->out->lambda[l]);
    }
    for (int i = 0; i < s->nc; i++) {
        const double* direction = sti_posed_contact(s, i)->n;
        o->size[i] = fabs(s->c[s->row[i]]);
        for (int j = 0; j < n; j++) {
            double part = fabs(o->out->a[j]);
            for (int k = 0; k < n; k++) part += fabs(M[(size_t)j * (size_t)n + (size_t)k]) * load[k];
            o->size[i] += fabs(direction[j]) * part;
        }
    }
    return STI_OK;
}

// ---- (43) without rounding

// A solution of (43) in which the contacts marked in `opens` carry nothing and the others stay.
static sti_status try_signs(opening* o, const unsigned char* opens, bool* found) {
    const sti_posed* s = o->s;
    sti_opening* out = o->out;
    sti_cone_program g = {0};
    sti_exact_program e = {0};
    sti_rationals* x = NULL;
    sti_status status = sti_posed_equations(s, true, &g);
    for (int i = 0; status == STI_OK && i < s->nc; i++) {
        if (s->bilateral[i]) continue;
        if (opens[i]) g.kind[s->n + s->row[i]] = STI_ROW_NONNEGATIVE;
        const int row = sti_program_add(&g, opens[i] ? STI_ROW_ZERO : STI_ROW_NONNEGATIVE, i);
        sti_program_put(&g, row, 1 + s->n + s->first[i], 1);
    }
    if (status == STI_OK) status = s->pool->status;
    if (status == STI_OK) status = sti_exact_program_open(&e, &g);
    *found = status == STI_OK && e.feasible;
    if (*found) status = sti_rationals_create(s->env, (size_t)(s->n + s->p), &x);
    if (*found && status == STI_OK) status = sti_exact_program_point(&e, x);
    for (int i = 0; *found && status == STI_OK && i < s->nc; i++) {
        int sign = 0;
        if (!s->bilateral[i]) status = sti_program_exact_value(&g, s->n + s->row[i], x, &sign, &out->a_n[i]);
        out->opens[i] = sign > 0;
    }
    for (int j = 0; *found && status == STI_OK && j < s->n + s->p; j++) {
        const bool a = j < s->n;
        status = sti_rationals_copy(a ? out->a_exact : out->lambda_exact, (size_t)(a ? j : j - s->n), x, (size_t)j);
        if (status == STI_OK) *(a ? &out->a[j] : &out->lambda[j - s->n]) = sti_rationals_double(x, (size_t)j);
    }
    sti_rationals_destroy(x);
    sti_exact_program_close(&e);
    sti_program_close(&g);
    return status;
}

// Contacts in the order in which their signs are doubtful: the smaller of a_n and lambda_n, each relative to its size.
static sti_status order_doubts(const opening* o, bool proposed, unsigned char* opens, int* order, int* count) {
    const sti_posed* s = o->s;
    double* doubt = sti_arena_doubles(s->pool, (size_t)s->nc);
    if (doubt == NULL) return s->pool->status;
    *count = 0;
    for (int i = 0; i < s->nc; i++) {
        if (s->bilateral[i]) continue;
        const double a = proposed && o->size[i] > 0 ? o->out->a_n[i] / o->size[i] : 0;
        const double normal = proposed ? o->out->lambda[s->first[i]] / s->force : 0;
        opens[i] = a > normal;
        doubt[i] = fabs(a - normal);
        int at = (*count)++;
        for (; at > 0 && doubt[order[at - 1]] > doubt[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
    return STI_OK;
}

// Signs near the proposed ones, until some fit.
static sti_status search_signs(opening* o, unsigned char* opens, const int* order, int count, int from, int to,
                               bool* found) {
    unsigned char* tried = sti_arena_take(o->s->pool, (size_t)o->s->nc, 1);
    sti_status status = o->s->pool->status;
    if (count > FLIPS_MOST) count = FLIPS_MOST;
    for (int round = from; status == STI_OK && !*found && round < to && round >> count == 0; round++) {
        memcpy(tried, opens, (size_t)o->s->nc);
        for (int bit = 0; bit < count; bit++)
            if (round >> bit & 1) tried[order[bit]] ^= 1;
        status = try_signs(o, tried, found);
    }
    return status;
}

static sti_status refute(opening* o, bool exact, bool* refuted) {
    sti_constraints k;
    sti_status status = sti_posed_constraints(o->r, o->s, exact, true, &k);
    if (status == STI_OK && k.outcome != STI_CONIC_INFEASIBLE) status = sti_posed_descent(o->r, o->s, exact, &k);
    if (status != STI_OK) return status;
    sti_opening* out = o->out;
    out->farkas = k.farkas;
    out->farkas_exact = k.farkas_exact;
    out->descent = k.descent;
    out->descent_exact = k.descent_exact;
    *refuted = k.farkas != NULL || k.descent != NULL;
    return STI_OK;
}

static sti_status take_exact(opening* o) {
    const sti_posed* s = o->s;
    sti_opening* out = o->out;
    if (out->a == NULL) {
        out->a = sti_arena_doubles(s->pool, (size_t)s->n);
        out->lambda = sti_arena_doubles(s->pool, (size_t)s->p);
        out->a_n = sti_arena_doubles(s->pool, (size_t)s->nc);
    }
    sti_status status = s->pool->status;
    if (status == STI_OK) status = sti_sticking_rationals(o->r, (size_t)s->n, &out->a_exact);
    if (status == STI_OK) status = sti_sticking_rationals(o->r, (size_t)s->p, &out->lambda_exact);
    return status;
}

// Either a solution in rationals, or a proof in rationals that there is none; neither: floating point keeps its say.
static sti_status settle(opening* o) {
    const sti_posed* s = o->s;
    sti_opening* out = o->out;
    const bool proposed = out->contact_problem == STI_SOLVED;
    int *order = sti_arena_ints(s->pool, (size_t)s->nc), count = 0;
    unsigned char* opens = sti_arena_take(s->pool, (size_t)s->nc, 1);
    bool found = false, refuted = false;
    sti_status status = s->pool->status;
    if (status == STI_OK) status = take_exact(o);
    if (status == STI_OK) status = order_doubts(o, proposed, opens, order, &count);
    if (status == STI_OK && proposed) status = search_signs(o, opens, order, count, 0, 1, &found);
    if (status == STI_OK && !found) status = refute(o, true, &refuted);
    if (status == STI_OK && !found && !refuted) status = search_signs(o, opens, order, count, 0, TRIES_MOST, &found);
    if (status != STI_OK) return status;
    out->exact = found || refuted;
    if (found) out->contact_problem = STI_SOLVED;
    if (refuted) out->contact_problem = STI_NO_SOLUTION;
    if (!found) out->a_exact = out->lambda_exact = NULL;
    if (!found && (refuted || !proposed)) out->a = out->lambda = out->a_n = NULL;
    return STI_OK;
}

// ---- (60): the contacts that stay closed

// Leaves of the others, with a zero for every row a_n = 0 that an open contact has lost.
static sti_status widen_leaf(opening* o, const sti_posed* closed, const sti_sticking_leaf* from,
                             sti_sticking_leaf* leaf) {
    const sti_posed* s = o->s;
    const size_t n = (size_t)s->n, w = (size_t)s->nc * (size_t)s->options.facets;
    sti_status status = STI_OK;
    *leaf = *from;
    leaf->z = sti_arena_doubles(s->pool, (size_t)s->q);
    if (leaf->z == NULL) return s->pool->status;
    if (from->exact != NULL) status = sti_sticking_rationals(o->r, n + (size_t)s->q + w, &leaf->exact);
    for (size_t j = 0; status == STI_OK && leaf->exact != NULL && j < n; j++)
        status = sti_rationals_copy(leaf->exact, j, from->exact, j);
    for (size_t j = 0; status == STI_OK && leaf->exact != NULL && j < w; j++)
        status = sti_rationals_copy(leaf->exact, n + (size_t)s->q + j, from->exact, n + (size_t)closed->q + j);
    for (int i = 0; i < s->nc; i++) {
        for (int k = 0; status == STI_OK && k < closed->row[i + 1] - closed->row[i]; k++) {
            const size_t to = (size_t)(s->row[i] + k + o->out->opens[i]), at = (size_t)(closed->row[i] + k);
            leaf->z[to] = from->z[at];
            if (leaf->exact != NULL) status = sti_rationals_copy(leaf->exact, n + to, from->exact, n + at);
        }
    }
    return status;
}

static sti_status keep_leaves(opening* o, const sti_posed* closed, const sti_sticking_answer* from) {
    sti_opening* out = o->out;
    out->leaves = sti_arena_take(o->s->pool, (size_t)from->leaf_count, sizeof *out->leaves);
    sti_status status = o->s->pool->status;
    for (int l = 0; status == STI_OK && l < from->leaf_count; l++)
        status = widen_leaf(o, closed, &from->leaves[l], &out->leaves[l]);
    if (status == STI_OK) out->leaf_count = from->leaf_count;
    out->bound = from->bound;
    return status;
}

// Multipliers in the discs instead of those that solved (43).
static sti_status keep_point(opening* o, const sti_sticking_answer* from) {
    const size_t p = (size_t)o->s->p;
    sti_opening* out = o->out;
    sti_status status = STI_OK;
    if (from->outcome != STI_STICKING_YES) return STI_OK;
    memcpy(out->lambda, from->lambda, p * sizeof *out->lambda);
    for (size_t k = 0; status == STI_OK && out->exact && from->lambda_exact != NULL && k < p; k++)
        status = sti_rationals_copy(out->lambda_exact, k, from->lambda_exact, k);
    return status;
}

// The question (61) of the contacts that do not open.
static sti_status ask_closed(opening* o, sti_posed* closed, sti_sticking* sub) {
    bool any = false;
    for (int i = 0; i < o->s->nc; i++) any = any || o->out->opens[i];
    *sub = (sti_sticking){.memory = o->r->memory, .answer = o->r->answer};
    *closed = *o->s;
    if (!any) return STI_OK;  // that is the answer itself
    sub->answer = (sti_sticking_answer){0};
    sti_status status = sti_posed_open(o->s, o->out->opens, closed);
    if (status == STI_OK) status = sti_sticking_equations(sub, closed);
    if (status == STI_OK) status = sti_sticking_decide(sub, closed);
    return status;
}

static sti_status decide(opening* o) {
    sti_opening* out = o->out;
    sti_posed closed;
    sti_sticking sub;
    sti_status status = ask_closed(o, &closed, &sub);
    if (status != STI_OK) return status;
    out->outcome = sub.answer.outcome;
    const bool exact = out->exact && sub.answer.exact;
    if (out->outcome == STI_STICKING_NO)
        status = keep_leaves(o, &closed, &sub.answer);
    else
        status = keep_point(o, &sub.answer);
    out->exact = exact;
    return status;
}

// In floating point: contacts whose a_n is neither clearly positive nor rounding are taken either way.
static sti_status decide_with_tolerance(opening* o) {
    const sti_posed* s = o->s;
    sti_opening* out = o->out;
    bool doubtful = false;
    for (int i = 0; i < s->nc; i++) {
        out->opens[i] = out->a_n[i] > CLEAR * o->size[i];
        doubtful = doubtful || (!out->opens[i] && out->a_n[i] > ROUNDING * o->size[i]);
    }
    sti_status status = decide(o);
    if (status != STI_OK || !doubtful) return status;
    const sti_sticking_outcome first = out->outcome;
    for (int i = 0; i < s->nc; i++) out->opens[i] = out->a_n[i] > ROUNDING * o->size[i];
    status = decide(o);
    if (out->outcome != first) out->outcome = STI_STICKING_UNKNOWN;
    return status;
}

static sti_status judge(opening* o) {
    sti_opening* out = o->out;
    bool refuted = out->contact_problem == STI_NO_SOLUTION && out->exact;
    sti_status status = STI_OK;
    if (out->contact_problem == STI_NO_SOLUTION && !out->exact) {
        status = refute(o, false, &refuted);
        if (status == STI_OK && !refuted) out->contact_problem = STI_UNKNOWN;
    }
    if (refuted) out->outcome = STI_STICKING_NO;
    if (status != STI_OK || out->contact_problem != STI_SOLVED) return status;
    return out->exact ? decide(o) : decide_with_tolerance(o);
}

sti_status sti_sticking_opening(sti_sticking* r) {
    const sti_posed* s = &r->memory->posed;
    opening o = {.r = r, .s = s, .out = &r->answer.opening};
    *o.out = (sti_opening){.contact_problem = STI_UNKNOWN, .outcome = STI_STICKING_UNKNOWN, .bound = INFINITY};
    for (int i = 0; i < s->nc; i++)
        if (s->slides[i]) return STI_OK;
    o.out->asked = true;
    o.out->opens = sti_arena_take(s->pool, (size_t)s->nc, 1);
    sti_status status = pose(&o);
    if (status == STI_OK) status = solve(&o);
    if (status == STI_OK) status = keep_sticking(&o);
    if (status == STI_OK && o.out->contact_problem == STI_SOLVED) status = measure(&o);
    if (status == STI_OK && s->exact && !r->near_redundant) status = settle(&o);
    return status == STI_OK ? judge(&o) : status;
}
