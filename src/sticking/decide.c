// decide.c: can all contacts stick? The decision and its proof.
//
// Unknowns are a and lambda. All conditions but the friction of bilateral contacts are convex: equations (61 a), signs,
// and discs |lambda_t| <= mu lambda_n. At a bilateral contact lambda_n has either sign, and the set |lambda_t| <= mu
// |lambda_n| is two cones: a tree over these signs. A node leaves the contacts below it open (nothing is asked of their
// friction), so when it has no point, none of its leaves has one, and one certificate closes them all.
//
// At a node, in this order:
//
//     exact     no discs (2D, polygons, no friction): a linear program in integers. A vertex, or a Farkas vector.
//     unique    discs, but one lambda only: each disc is an inequality between squares of rationals.
//     inside    a limit case of the next kind, when the pyramids inside the discs have a vertex: in integers again.
//     conic     otherwise: the point of largest margin d in
//                   mu lambda_n - |lambda_t| >= d,   lambda_n >= d without friction,   d <= size of the forces.
//               d > band sticks, d < -band does not, and the multipliers of the program are the certificate (their
//               combination of the conditions is d < 0); between them is a limit case. The band is tol times the
//               size of the forces.
//
// Exact arithmetic decides about the numbers as given. Constraints that are redundant only up to rounding (a table
// whose legs were turned by an angle) are independent as given, and the exact answer about them is a statement about
// rounding errors. This shows in the rank of the equations: when the exact rank differs from the one with tolerance,
// or the exact equations contradict each other by less than 1e-9, the decision is taken with tolerance, and
// near_redundant says so.
//
// The certificate of a leaf (y, z) is in sti_sticking_answer. In terms of the rows of the program, with multipliers u
// of the inequalities: sum u_r row_r + y'(F + M a - C lambda) + z'(c + A'a) is a negative constant; signs of y and z
// are turned in the answer, so that y'F + z'c > 0.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sticking/sticking.h"

typedef struct search {
    sti_sticking* r;
    const sti_posed* s;
    bool exact;         // nodes are decided in integers
    signed char* sign;  // of the node                   (nc)
    int leaves;         // looked at
    bool found, limit, gave_up;
    const char* why;  // it gave up, in words
    bool best_exact;
    double best_margin;
    double* best;  // (n+p)
    signed char* best_sign;
    int leaf_capacity;
} search;

// ---- one branch in floating point

// The margin that x really has: the least of the rows from which the unknown d is taken off.
static double primal_margin(const sti_cone_program* g, const double* x, int d) {
    double least = INFINITY;
    for (int r = 0; r < g->rows; r++) {
        const double share = g->row[(size_t)r * ((size_t)g->size + 1) + 1 + (size_t)d];
        if (g->owner[r] < 0 || share == 0) continue;
        double value = sti_program_row_value(g, r, x) - share * x[d], tails = 0;
        for (int t = r + 1; g->kind[r] == STI_ROW_HEAD && t < g->rows && g->kind[t] == STI_ROW_TAIL; t++)
            tails = hypot(tails, sti_program_row_value(g, t, x));
        least = fmin(least, value - tails);
    }
    return least;
}

// What the multipliers prove: no point has a larger margin. Their combination of the rows, without d, is a constant, up
// to what rounding leaves of the unknowns: too little for unknowns of a million times their size to matter, or
// INFINITY.
static double dual_margin(const sti_posed* s, const sti_cone_program* g, const double* dual, int d) {
    double constant = 0, sum = 0, miss = 0;
    for (int j = 0; j <= g->size; j++) {
        double total = 0;
        for (int r = 0; r < g->rows; r++) total += dual[r] * g->row[(size_t)r * ((size_t)g->size + 1) + (size_t)j];
        if (j == 0)
            constant = total;
        else if (j == 1 + d)
            sum = -total;
        else
            miss += fabs(total) * s->size[j - 1];
    }
    return sum > 0 && constant < 0 && miss * 1e6 <= -constant ? constant / sum : INFINITY;
}

static const char* why_open(const sti_misfit* m, double tol) {
    return m->equations > tol  ? "the equations contradict each other, but by too little for a proof"
           : m->friction > tol ? "the best forces found miss the friction of contacts that slide, which proves nothing"
                               : "the best forces found pass a friction bound, which does not prove that all others do";
}

sti_status sti_branch_largest_margin(const sti_posed* s, const signed char* sign, sti_branch* out) {
    *out = (sti_branch){.outcome = STI_STICKING_UNKNOWN, .margin = NAN};
    const int d = s->n + s->p;
    const double band = s->options.tol * s->force;
    const double cap = s->options.force_limit > 0 ? s->options.force_limit : s->force;
    sti_status status = sti_posed_program(s, sign, 1, 1, d, false, &out->program);
    if (status != STI_OK) return status;
    sti_cone_program* g = &out->program;
    const int r = sti_program_add(g, STI_ROW_NONNEGATIVE, -1);
    sti_program_put(g, r, 0, cap);
    sti_program_put(g, r, 1 + d, -1);
    status = sti_program_reduce(g);
    if (status != STI_OK) return status;
    double* c = sti_arena_doubles(s->pool, (size_t)g->size);
    if (c == NULL) return s->pool->status;
    if (g->outside > 1e-9) {  // the equations contradict each other
        out->outcome = STI_STICKING_NO;
        out->margin = -INFINITY;
        out->dual = sti_arena_doubles(s->pool, (size_t)g->rows);
        for (int i = 0; out->dual != NULL && i < g->equations.m; i++) out->dual[g->equation[i]] = g->witness[i];
        return s->pool->status;
    }
    c[d] = -1;
    sti_program_answer answer;
    status = sti_program_minimize(g, c, NULL, &answer);
    if (status != STI_OK) return status;
    // whatever the solver says of its end, margins are measured on what it hands over
    const double margin = fmin(primal_margin(g, answer.x, d), cap);
    answer.dual[r] = 0;
    sti_program_lift(g, answer.dual);
    if (s->pool->status != STI_OK) return s->pool->status;
    const sti_misfit misfit = sti_posed_misfit(s, sign, answer.x);
    const bool holds = misfit.equations <= s->options.tol && misfit.friction <= s->options.tol;
    if (margin > band && holds) {
        out->outcome = STI_STICKING_YES;
    } else if (dual_margin(s, g, answer.dual, d) < -band) {
        out->outcome = STI_STICKING_NO;
        out->dual = answer.dual;
    } else if (margin >= -band && holds) {
        out->outcome = STI_STICKING_LIMIT;
    }
    if (out->outcome == STI_STICKING_UNKNOWN) out->why = why_open(&misfit, s->options.tol);
    out->x = answer.x;
    out->margin = margin;
    return STI_OK;
}

void sti_branch_close(sti_branch* b) {
    sti_program_close(&b->program);
}

// ---- leaves

static sti_status new_leaf(search* k, sti_sticking_leaf** out) {
    sti_sticking_answer* answer = &k->r->answer;
    const sti_posed* s = k->s;
    if (answer->leaf_count == k->leaf_capacity) {
        const int more = k->leaf_capacity == 0 ? 4 : 2 * k->leaf_capacity;
        sti_sticking_leaf* list = sti_arena_take(s->pool, (size_t)more, sizeof *list);
        if (list == NULL) return s->pool->status;
        if (answer->leaf_count > 0) memcpy(list, answer->leaves, (size_t)answer->leaf_count * sizeof *list);
        answer->leaves = list;
        k->leaf_capacity = more;
    }
    sti_sticking_leaf* leaf = *out = &answer->leaves[answer->leaf_count];
    leaf->sign = sti_arena_take(s->pool, (size_t)s->nc, 1);
    leaf->y = sti_arena_doubles(s->pool, (size_t)s->n);
    leaf->z = sti_arena_doubles(s->pool, (size_t)s->q);
    if (s->options.facets > 0) leaf->w = sti_arena_doubles(s->pool, (size_t)s->nc * (size_t)s->options.facets);
    if (s->pool->status != STI_OK) return s->pool->status;
    memcpy(leaf->sign, k->sign, (size_t)s->nc);
    answer->leaf_count++;
    return STI_OK;
}

// Place of the multiplier of inequality row `row` in w, -1: it has none.
static int facet_of(const sti_posed* s, const sti_cone_program* g, int row) {
    const int i = g->owner[row];
    if (s->options.facets == 0 || g->kind[row] != STI_ROW_NONNEGATIVE || i < 0 || s->slides[i] || !s->rough[i] ||
        s->tangents[i] != 2)
        return -1;
    int first = row;
    while (first > 0 && g->owner[first - 1] == i && g->kind[first - 1] == STI_ROW_NONNEGATIVE) first--;
    return i * s->options.facets + (row - first);
}

// Multipliers of the rows as a leaf; the first n + q rows of every program are the equations (61 a).
static void fill_leaf(const sti_posed* s, const sti_cone_program* g, const double* dual, sti_sticking_leaf* leaf) {
    for (int j = 0; j < s->n; j++) leaf->y[j] = -dual[j];
    for (int j = 0; j < s->q; j++) leaf->z[j] = -dual[s->n + j];
    for (int row = s->n + s->q; row < g->rows; row++) {
        const int at = facet_of(s, g, row);
        if (at >= 0) leaf->w[at] = dual[row];
    }
}

static sti_status fill_leaf_exactly(search* k, const sti_cone_program* g, const sti_rationals* dual,
                                    sti_sticking_leaf* leaf) {
    const sti_posed* s = k->s;
    const size_t count = (size_t)(s->n + s->q) + (size_t)s->nc * (size_t)s->options.facets;
    sti_status status = sti_sticking_rationals(k->r, count, &leaf->exact);
    for (int j = 0; status == STI_OK && j < s->n + s->q; j++) {
        status = sti_rationals_copy(leaf->exact, (size_t)j, dual, (size_t)j);
        if (status == STI_OK) sti_int_neg(&leaf->exact->num[j]);
    }
    for (int row = s->n + s->q; status == STI_OK && row < g->rows; row++) {
        const int at = facet_of(s, g, row);
        if (at >= 0) status = sti_rationals_copy(leaf->exact, (size_t)(s->n + s->q + at), dual, (size_t)row);
    }
    return status;
}

// The most that a unit of friction in the polygon gets of -u_t.
static double pull_of_corners(const sti_instant_contact* c, const double* u) {
    double most = 0;
    for (int k = 0; k < c->corner_count; k++)
        most = fmax(most, -(c->corner[2 * k] * u[0] + c->corner[2 * k + 1] * u[1]));
    return most;
}

// How far the multipliers of the leaf miss M y + A z = 0 and the dual cones, in the largest entry: any solution has
// |(a, lambda)|_1 >= (y'F + z'c) / miss.
static double leaf_bound(const sti_posed* s, const sti_sticking_leaf* leaf) {
    const sti_instant* instant = s->instant;
    double miss = 0, strict = sti_small_dot(s->n, leaf->y, instant->F) + sti_small_dot(s->q, leaf->z, s->c);
    for (int j = 0; j < s->n; j++) {
        double sum = sti_small_dot(s->n, instant->M + (size_t)j * (size_t)s->n, leaf->y);
        sum += sti_small_dot(s->q, s->A + (size_t)j * (size_t)s->q, leaf->z);
        miss = fmax(miss, fabs(sum));
    }
    for (int i = 0; i < s->nc; i++) {
        if (sti_posed_is_open(s, i)) continue;
        double u[3] = {0}, t = 0;
        for (int k = 0; k <= s->tangents[i]; k++) {
            for (int j = 0; j < s->n; j++)
                u[k] -= leaf->y[j] * s->C[(size_t)j * (size_t)s->p + (size_t)(s->first[i] + k)];
            if (k > 0) t = hypot(t, u[k]);
        }
        if (sti_posed_contact(s, i)->corner_count > 0) t = pull_of_corners(sti_posed_contact(s, i), u + 1);
        const int sign = s->bilateral[i] ? leaf->sign[i] : 1;
        if (s->slides[i] && sign != 0) {
            u[0] *= sign;
            for (int k = 1; k <= s->tangents[i]; k++) u[0] -= s->mu[i] * s->slip[s->first[i] + k] * u[k];
            miss = fmax(miss, -u[0]);
        } else if (sign == 0) {
            miss = fmax(miss, fmax(fabs(u[0]), s->rough[i] ? t : 0));
        } else {
            miss = fmax(miss, (s->rough[i] ? s->mu[i] * t : 0) - sign * u[0]);
        }
    }
    return miss > 0 ? strict / miss : INFINITY;
}

// ---- nodes

// Is an open bilateral contact inside one of its cones anyway? Strictly, so that rounding has no say.
static bool open_contacts_fit(const search* k, const double* lambda) {
    for (int i = 0; i < k->s->nc; i++) {
        if (!k->s->choice[i] || k->sign[i] != 0) continue;
        if (k->s->slides[i] || !(sti_posed_margin(k->s, i, lambda) > k->s->options.tol * k->s->force)) return false;
    }
    return true;
}

static bool all_signed(const search* k) {
    for (int i = 0; i < k->s->nc; i++) {
        if (k->s->choice[i] && k->sign[i] == 0) return false;
    }
    return true;
}

// The branch of the point kept: open contacts are on the side of their lambda_n.
static void keep_signs(search* k) {
    for (int i = 0; i < k->s->nc; i++) {
        const double normal = k->best[k->s->n + k->s->first[i]];
        k->best_sign[i] = k->sign[i] != 0 || !k->s->choice[i] ? k->sign[i] : (signed char)(normal < 0 ? -1 : 1);
    }
}

static void keep_point(search* k, const double* x, double margin) {
    memcpy(k->best, x, (size_t)(k->s->n + k->s->p) * sizeof *x);
    keep_signs(k);
    k->best_margin = margin;
}

static sti_status keep_exact_point(search* k, sti_exact_program* e) {
    const sti_posed* s = k->s;
    sti_sticking_answer* answer = &k->r->answer;
    sti_rationals* x = NULL;
    sti_status status = sti_sticking_rationals(k->r, (size_t)(s->n + s->p), &x);
    if (status == STI_OK) status = sti_exact_program_point(e, x);
    if (status == STI_OK) status = sti_sticking_rationals(k->r, (size_t)s->n, &answer->a_exact);
    if (status == STI_OK) status = sti_sticking_rationals(k->r, (size_t)s->p, &answer->lambda_exact);
    for (int j = 0; status == STI_OK && j < s->n + s->p; j++) {
        const bool a = j < s->n;
        status =
            sti_rationals_copy(a ? answer->a_exact : answer->lambda_exact, (size_t)(a ? j : j - s->n), x, (size_t)j);
        if (status == STI_OK) k->best[j] = sti_rationals_double(x, (size_t)j);
    }
    return status;
}

// +1: a point, kept. -1: none, with a leaf. 0: a point, but open contacts must be looked at.
static sti_status visit_exactly(search* k, int* verdict) {
    const sti_posed* s = k->s;
    sti_cone_program g = {0};
    sti_exact_program e = {0};
    sti_rationals* dual = NULL;
    sti_sticking_leaf* leaf;
    sti_status status = sti_posed_program(s, k->sign, 0, 0, -1, true, &g);
    if (status == STI_OK) status = s->pool->status;
    if (status == STI_OK) status = sti_exact_program_open(&e, &g);
    if (status == STI_OK && e.feasible) {
        status = keep_exact_point(k, &e);
        *verdict = status == STI_OK && (all_signed(k) || open_contacts_fit(k, k->best + s->n)) ? 1 : 0;
        keep_signs(k);
        k->best_margin = sti_posed_least_margin(s, k->best + s->n);
    } else if (status == STI_OK) {
        *verdict = -1;
        status = sti_rationals_create(s->env, (size_t)g.rows, &dual);
        if (status == STI_OK) status = sti_exact_program_farkas(&e, dual);
        if (status == STI_OK) status = new_leaf(k, &leaf);
        if (status == STI_OK) status = fill_leaf_exactly(k, &g, dual, leaf);
        double* rounded = sti_arena_doubles(s->pool, (size_t)g.rows);
        for (int row = 0; status == STI_OK && rounded != NULL && row < g.rows; row++)
            rounded[row] = sti_rationals_double(dual, (size_t)row);
        if (status == STI_OK && rounded != NULL) fill_leaf(s, &g, rounded, leaf);
    }
    sti_rationals_destroy(dual);
    sti_exact_program_close(&e);
    sti_program_close(&g);
    return status == STI_OK ? s->pool->status : status;
}

static sti_status visit_conic(search* k, int* verdict) {
    const sti_posed* s = k->s;
    sti_branch b;
    sti_sticking_leaf* leaf;
    sti_status status = sti_branch_largest_margin(s, k->sign, &b);
    *verdict = 0;
    if (status == STI_OK && b.outcome == STI_STICKING_NO) {
        status = new_leaf(k, &leaf);
        if (status == STI_OK) {
            fill_leaf(s, &b.program, b.dual, leaf);
            *verdict = sti_posed_leaf_proves(s, leaf) ? -1 : 0;
            k->gave_up = *verdict == 0;
            if (k->gave_up)
                k->why = "motions were found that no admissible contact force seems to drive; rounding forbids a proof";
            else
                k->r->answer.bound = fmin(k->r->answer.bound, leaf_bound(s, leaf));
        }
    } else if (status == STI_OK && b.outcome == STI_STICKING_UNKNOWN) {
        k->gave_up = true;
        k->why = b.why;
    } else if (status == STI_OK && (all_signed(k) || open_contacts_fit(k, b.x + s->n))) {
        *verdict = b.outcome == STI_STICKING_YES ? 1 : 2;
        if (*verdict == 1 || !k->limit) keep_point(k, b.x, b.margin);
    }
    sti_branch_close(&b);
    return status;
}

static sti_status visit(search* k) {
    const sti_posed* s = k->s;
    if (++k->leaves > s->options.leaf_limit) {
        k->gave_up = true;
        k->why = "too many choices of the signs of bilateral forces";
        return STI_OK;
    }
    int verdict = 0;
    const sti_status status = k->exact ? visit_exactly(k, &verdict) : visit_conic(k, &verdict);
    if (status != STI_OK || verdict < 0) return status;
    if (verdict == 1) k->found = true;
    if (verdict == 2) k->limit = true;
    if (verdict != 0 || k->gave_up) return STI_OK;
    int i = 0;
    while (i < s->nc && !(s->choice[i] && k->sign[i] == 0)) i++;
    if (i == s->nc) return STI_OK;
    for (int sign = 1; sign >= -1; sign -= 2) {
        k->sign[i] = (signed char)sign;
        const sti_status below = visit(k);
        if (below != STI_OK || k->found) return below;
    }
    k->sign[i] = 0;
    return STI_OK;
}

// ---- one multiplier vector only: discs as inequalities between squares

// Sign of (mu lambda_n)^2 - |lambda_t|^2 at contact i, from exact numbers.
static int disc_sign(sti_exact* x, const sti_posed* s, int i, const sti_rationals* lambda, const sti_rationals* mu,
                     size_t mu_index) {
    sti_int v[3] = {{0}}, num = {0}, sum = {0};
    sti_int one = {0};
    sti_int_row_from_rationals(x, v, lambda, (size_t)s->first[i], 1 + (size_t)s->tangents[i], NULL, NULL);
    sti_int_mul(x, &num, &mu->num[mu_index], &v[0]);
    sti_int_mul(x, &sum, &num, &num);
    for (int k = 1; k <= s->tangents[i]; k++) {
        sti_int_mul(x, &one, &mu->den[mu_index], &v[k]);
        sti_int_mul(x, &one, &one, &one);
        sti_int_sub(x, &sum, &sum, &one);
    }
    const int sign = x->status == STI_OK ? sti_int_sign(&sum) : -1;
    for (int k = 0; k < 3; k++) sti_int_clear(s->env, &v[k]);
    sti_int_clear(s->env, &num);
    sti_int_clear(s->env, &sum);
    sti_int_clear(s->env, &one);
    return sign;
}

// mu_i |lambda_n| - |lambda_t| by squares.
static sti_status disc_margin_sign(const sti_posed* s, int i, const sti_rationals* lambda, int* sign) {
    const sti_instant_exact* exact = s->instant->exact;
    sti_rationals* mu = NULL;
    sti_exact x;
    sti_exact_init(&x, s->env);
    sti_status status = sti_rationals_create(s->env, 1, &mu);
    if (status == STI_OK)
        status = exact != NULL ? sti_rationals_copy(mu, 0, exact->mu, (size_t)s->contact[i])
                               : sti_rationals_set_double(mu, 0, s->mu[i]);
    if (status == STI_OK) *sign = disc_sign(&x, s, i, lambda, mu, 0);
    if (status == STI_OK) status = x.status;
    sti_rationals_destroy(mu);
    sti_exact_clear(&x);
    return status;
}

// The least of mu |lambda_n| - m_k'lambda_t over the facets.
static sti_status polygon_margin_sign(const sti_posed* s, int i, const sti_rationals* lambda, int* sign) {
    const sti_instant_exact* exact = s->instant->exact;
    const int facets = sti_posed_facets(s, i), side = sti_rationals_sign(lambda, (size_t)s->first[i]) < 0 ? -1 : 1;
    sti_cone_program g = {0};
    sti_rationals* own = NULL;
    sti_status status = sti_program_open(&g, s->pool, 3, facets, true);
    if (status == STI_OK) status = sti_rationals_slice(s->env, lambda, (size_t)s->first[i], 3, &own);
    *sign = 1;
    for (int k = 0; status == STI_OK && k < facets; k++) {
        const int row = sti_program_add(&g, STI_ROW_NONNEGATIVE, i);
        double m[2], value;
        int one = 0;
        sti_posed_facet(s, i, k, m);
        sti_program_put_data(&g, row, 1, s->mu[i], exact ? exact->mu : NULL, (size_t)s->contact[i], side);
        for (int h = 0; h < 2; h++) sti_program_put(&g, row, 2 + h, -m[h]);
        status = s->pool->status;
        if (status == STI_OK) status = sti_program_exact_value(&g, row, own, &one, &value);
        if (one < *sign) *sign = one;
    }
    sti_rationals_destroy(own);
    sti_program_close(&g);
    return status;
}

sti_status sti_posed_margin_sign(const sti_posed* s, int i, const sti_rationals* lambda, int* sign) {
    const int normal = sti_rationals_sign(lambda, (size_t)s->first[i]);
    *sign = normal;
    if (!s->rough[i] || s->slides[i] || (!s->bilateral[i] && normal < 0)) return STI_OK;
    return s->tangents[i] == 2 && s->options.facets > 0 ? polygon_margin_sign(s, i, lambda, sign)
                                                        : disc_margin_sign(s, i, lambda, sign);
}

static sti_status check_discs(search* k, bool* inside) {
    const sti_posed* s = k->s;
    sti_status status = STI_OK;
    *inside = true;
    for (int i = 0; status == STI_OK && i < s->nc; i++) {
        int sign = 1;
        if (!s->bilateral[i] || (s->rough[i] && !s->slides[i]))
            status = sti_posed_margin_sign(s, i, k->r->answer.lambda_exact, &sign);
        if (sign < 0) *inside = false;
    }
    return status;
}

// Confirms "sticks" without rounding where the equations leave one lambda. Bilateral sliding is left to the conic way.
static sti_status confirm_unique(search* k) {
    const sti_posed* s = k->s;
    if (!s->exact || k->r->near_redundant || k->r->self_stress_count > 0 || !k->r->kkt_solvable) return STI_OK;
    for (int i = 0; i < s->nc; i++) {
        if (s->slides[i] && (s->choice[i] || s->tangents[i] > 1)) return STI_OK;
    }
    double* kept = sti_arena_copy(s->pool, k->best, (size_t)(s->n + s->p));
    if (kept == NULL) return s->pool->status;
    sti_cone_program g = {0};
    sti_exact_program e = {0};
    bool inside = false;
    // signs 0 everywhere, no discs: equations and those of smooth contacts; unilateral discs are asked below
    sti_status status = sti_posed_equations(s, true, &g);
    for (int i = 0; status == STI_OK && i < s->nc; i++) {
        for (int t = 1; !s->rough[i] && t <= s->tangents[i]; t++)
            sti_program_put(&g, sti_program_add(&g, STI_ROW_ZERO, i), 1 + s->n + s->first[i] + t, 1);
    }
    if (status == STI_OK) status = s->pool->status;
    if (status == STI_OK) status = sti_exact_program_open(&e, &g);
    if (status == STI_OK && e.feasible) status = keep_exact_point(k, &e);
    if (status == STI_OK && e.feasible) status = check_discs(k, &inside);
    if (status == STI_OK && inside) {
        k->found = k->best_exact = true;
        k->best_margin = sti_posed_least_margin(s, k->best + s->n);
    } else {
        k->r->answer.a_exact = k->r->answer.lambda_exact = NULL;
        memcpy(k->best, kept, (size_t)(s->n + s->p) * sizeof *kept);
    }
    sti_exact_program_close(&e);
    sti_program_close(&g);
    return status;
}

// A limit case whose contacts can be held inside pyramids (corners on the tangents' axes, so inside the discs) sticks,
// without rounding.
static sti_status confirm_inside(search* k) {
    const sti_posed* s = k->s;
    if (!s->exact || k->r->near_redundant) return STI_OK;
    sti_posed inner = *s;
    inner.options.facets = 4;
    inner.polyhedral = true;
    search h = {.r = k->r, .s = &inner, .exact = true};
    h.sign = sti_arena_take(s->pool, (size_t)s->nc, 1);
    h.best_sign = k->best_sign;
    h.best = sti_arena_doubles(s->pool, (size_t)(s->n + s->p));
    if (s->pool->status != STI_OK) return s->pool->status;
    const sti_status status = visit(&h);
    if (status == STI_OK && h.found) {
        memcpy(k->best, h.best, (size_t)(s->n + s->p) * sizeof *k->best);
        k->best_margin = sti_posed_least_margin(s, k->best + s->n);
        k->found = k->best_exact = true;
    } else {
        k->r->answer.a_exact = k->r->answer.lambda_exact = NULL;
    }
    return status;
}

// ---- the whole

// The point of largest margin in the branch of an exact vertex: a better one to report.
static sti_status move_inside(search* k) {
    const sti_posed* s = k->s;
    sti_branch b;
    sti_status status = sti_branch_largest_margin(s, k->best_sign, &b);
    if (status == STI_OK && b.outcome == STI_STICKING_YES && b.margin > k->best_margin) {
        memcpy(k->best, b.x, (size_t)(s->n + s->p) * sizeof *b.x);
        k->best_margin = b.margin;
    }
    sti_branch_close(&b);
    return status;
}

static sti_status report_point(search* k) {
    sti_sticking* r = k->r;
    const sti_posed* s = k->s;
    r->answer.a = sti_arena_copy(s->pool, k->best, (size_t)s->n);
    r->answer.lambda = sti_arena_copy(s->pool, k->best + s->n, (size_t)s->p);
    r->margins = sti_arena_doubles(s->pool, (size_t)s->nc);
    r->required_mu = sti_arena_doubles(s->pool, (size_t)s->nc);
    if (s->pool->status != STI_OK) return s->pool->status;
    r->margin = INFINITY;
    for (int i = 0; i < s->nc; i++) {
        const double* v = r->answer.lambda + s->first[i];
        double t = 0;
        for (int j = 1; j <= s->tangents[i]; j++) t = hypot(t, v[j]);
        r->margins[i] = sti_posed_margin(s, i, r->answer.lambda);
        r->required_mu[i] = v[0] != 0 ? t / fabs(v[0]) : NAN;
        if (r->margins[i] < r->margin) r->margin = r->margins[i];
    }
    return STI_OK;
}

static void say_why(search* k) {
    sti_sticking* r = k->r;
    const sti_sticking_answer* a = &r->answer;
    char* text = r->reason;
    const size_t size = sizeof r->reason;
    const char* rounding =
        r->near_redundant ? "; contacts are redundant up to rounding, and are taken to be redundant" : "";
    if (a->outcome == STI_STICKING_YES && a->exact)
        snprintf(text, size, "contact forces inside all friction bounds, confirmed without rounding");
    else if (a->outcome == STI_STICKING_YES)
        snprintf(text, size, "contact forces inside all friction bounds, with margin %.3g%s", r->margin, rounding);
    else if (a->outcome == STI_STICKING_LIMIT)
        snprintf(text, size, "the best contact forces lie within %.1e of the friction bounds, relative to the forces%s",
                 k->s->options.tol, rounding);
    else if (a->outcome == STI_STICKING_NO && !r->kkt_solvable)
        snprintf(text, size, "no acceleration and multipliers satisfy the equations, whatever the friction%s",
                 rounding);
    else if (a->outcome == STI_STICKING_NO)
        snprintf(text, size, "a motion that no admissible contact force can drive%s%s",
                 a->leaf_count > 1 ? ", for every choice of the signs of bilateral forces" : "", rounding);
    else
        snprintf(text, size, "%s%s", k->why, rounding);
}

sti_status sti_sticking_decide(sti_sticking* r, const sti_posed* s) {
    search k = {.r = r, .s = s, .exact = s->exact && s->polyhedral && !r->near_redundant, .best_margin = NAN};
    k.sign = sti_arena_take(s->pool, (size_t)s->nc, 1);
    k.best_sign = sti_arena_take(s->pool, (size_t)s->nc, 1);
    k.best = sti_arena_doubles(s->pool, (size_t)(s->n + s->p));
    if (s->pool->status != STI_OK) return s->pool->status;
    sti_sticking_answer* answer = &r->answer;
    answer->bound = INFINITY;
    sti_status status = visit(&k);
    const bool open = (k.limit || k.gave_up) && !k.exact && k.leaves <= s->options.leaf_limit;
    if (k.found || k.limit || k.gave_up) {
        answer->leaf_count = 0;
        answer->bound = INFINITY;
    }
    if (status == STI_OK && open && !k.found) status = confirm_unique(&k);
    if (status == STI_OK && open && !k.found) status = confirm_inside(&k);
    if (status != STI_OK) return status;
    if (open) answer->leaf_count = 0;
    answer->outcome = k.found     ? STI_STICKING_YES
                      : k.limit   ? STI_STICKING_LIMIT
                      : k.gave_up ? STI_STICKING_UNKNOWN
                                  : STI_STICKING_NO;
    answer->exact = (k.exact && (k.found || answer->outcome == STI_STICKING_NO)) || k.best_exact;
    if (!answer->exact) answer->a_exact = answer->lambda_exact = NULL;
    if (answer->exact && k.found && r->self_stress_count > 0) status = move_inside(&k);
    if (status == STI_OK && (k.found || k.limit)) status = report_point(&k);
    say_why(&k);
    return status;
}
