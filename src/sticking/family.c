// family.c: the set of all admissible contact forces: the range of each multiplier, the dimension of the set,
// and friction bounds that follow from the other conditions.
//
// The set is { lambda : (61) }, a section of the product of the friction cones; with bilateral friction a union of
// such sections, one for each choice of signs. Ranges are linear programs: in integers where there are no discs
// (the ends are then exact, up to their last rounding), conic programs otherwise.
//
// The bound of contact i is redundant when the other conditions imply it, that is, when mu lambda_n - d'lambda_t has no
// negative value for any direction d once the bound is left out. In 2D there are two directions, for a polygon its
// facets. For a disc 32 directions are tried: a negative value disproves it, and
// mu lambda_n >= d'lambda_t / cos(pi/32) for all of them proves it; between the two the answer is no.
#include <math.h>
#include <string.h>

#include "sticking/sticking.h"

enum { BRANCH_MOST = 64, DIRECTIONS = 32 };

// ---- ranges

typedef struct hull {  // points seen, for the dimension of the set
    int count, capacity;
    double* point;  // (capacity x p)
} hull;

static void add_point(hull* h, const sti_posed* s, const double* lambda) {
    if (h->count < h->capacity)
        memcpy(h->point + (size_t)h->count++ * (size_t)s->p, lambda, (size_t)s->p * sizeof(double));
}

// Ends not reached in time, from number k on: lower, upper of the first multiplier, and so on.
static void leave_open(sti_sticking* r, int k) {
    for (; k < 2 * r->memory->posed.p; k++) (k % 2 == 0 ? r->lower : r->upper)[k / 2] = NAN;
}

static sti_status ranges_exactly(sti_sticking* r, sti_cone_program* g, hull* h, bool* feasible) {
    const sti_posed* s = &r->memory->posed;
    sti_exact_program e = {0};
    sti_rationals* x = NULL;
    double* lambda = sti_arena_doubles(s->pool, (size_t)s->p);
    sti_status status = s->pool->status;
    if (status == STI_OK) status = sti_exact_program_open(&e, g);
    *feasible = status == STI_OK && e.feasible;
    if (*feasible) status = sti_rationals_create(s->env, (size_t)g->size, &x);
    for (int k = 0; status == STI_OK && *feasible && k < 2 * s->p; k++) {
        double value = NAN;
        if (sti_sticking_late(r)) {
            leave_open(r, k);
            break;
        }
        status = sti_exact_program_least(&e, s->n + k / 2, k % 2 == 0 ? 1 : -1, &value);
        if (k % 2 == 0) r->lower[k / 2] = fmin(r->lower[k / 2], value);
        if (k % 2 == 1) r->upper[k / 2] = fmax(r->upper[k / 2], -value);
        if (status == STI_OK) status = sti_exact_program_point(&e, x);
        for (int j = 0; status == STI_OK && j < s->p; j++) lambda[j] = sti_rationals_double(x, (size_t)(s->n + j));
        if (status == STI_OK) add_point(h, s, lambda);
    }
    sti_rationals_destroy(x);
    sti_exact_program_close(&e);
    return status;
}

static sti_status ranges_conic(sti_sticking* r, sti_cone_program* g, hull* h, bool* feasible) {
    const sti_posed* s = &r->memory->posed;
    sti_status status = sti_program_reduce(g);
    if (status != STI_OK) return status;
    *feasible = g->outside < 1e-9;
    double* c = sti_arena_doubles(s->pool, (size_t)g->size);
    if (c == NULL) return s->pool->status;
    for (int k = 0; *feasible && k < 2 * s->p; k++) {
        if (sti_sticking_late(r)) {
            leave_open(r, k);
            break;
        }
        sti_program_answer answer;
        const int j = s->n + k / 2, sign = k % 2 == 0 ? 1 : -1;
        c[j] = sign;
        status = sti_program_minimize(g, c, NULL, &answer);
        c[j] = 0;
        if (status != STI_OK) return status;
        double value = answer.value;
        if (answer.outcome == STI_CONIC_INFEASIBLE) *feasible = false;
        if (answer.outcome == STI_CONIC_UNBOUNDED) value = -INFINITY;
        if (answer.outcome != STI_CONIC_SOLVED && answer.outcome != STI_CONIC_UNBOUNDED) value = NAN;
        if (sign > 0) r->lower[k / 2] = isnan(value) ? NAN : fmin(r->lower[k / 2], value);
        if (sign < 0) r->upper[k / 2] = isnan(value) ? NAN : fmax(r->upper[k / 2], -value);
        if (answer.outcome == STI_CONIC_SOLVED) add_point(h, s, answer.x + s->n);
        if (g->freedom == 0 && *feasible) {  // one point: all ranges at once
            for (int l = 0; l < s->p; l++) {
                r->lower[l] = fmin(r->lower[l], answer.x[s->n + l]);
                r->upper[l] = fmax(r->upper[l], answer.x[s->n + l]);
            }
            break;
        }
    }
    return STI_OK;
}

static int choice_count(const sti_posed* s) {
    int count = 0;
    for (int i = 0; i < s->nc; i++) count += s->choice[i];
    return count;
}

// The signs of branch `index`: bit by bit over the contacts that have a choice.
static void set_signs(const sti_posed* s, int index, signed char* sign) {
    for (int i = 0, bit = 0; i < s->nc; i++) sign[i] = s->choice[i] ? (index >> bit++ & 1 ? -1 : 1) : 0;
}

// Many linear programs in long integers: only while the table is small.
static bool exact_is_cheap(const sti_posed* s) {
    int rows = s->n + s->q;
    for (int i = 0; i < s->nc; i++) rows += s->tangents[i] == 2 && s->options.facets > 0 ? sti_posed_facets(s, i) : 2;
    return (long)rows * (s->n + s->p) <= 2500;
}

static sti_status ranges(sti_sticking* r, hull* h) {
    const sti_posed* s = &r->memory->posed;
    signed char* sign = sti_arena_take(s->pool, (size_t)s->nc, 1);
    if (sign == NULL) return s->pool->status;
    const int choices = choice_count(s);
    r->family_complete = choices <= 6;
    const int branches = r->family_complete ? 1 << choices : 1;
    for (int b = 0; b < branches && !(b > 0 && sti_sticking_late(r)); b++) {
        set_signs(s, b, sign);
        for (int i = 0; !r->family_complete && i < s->nc; i++)
            if (s->choice[i]) sign[i] = r->answer.lambda[s->first[i]] < 0 ? -1 : 1;
        sti_cone_program g = {0};
        bool feasible = false;
        const bool exact = s->exact && s->polyhedral && !r->near_redundant && exact_is_cheap(s);
        sti_status status = sti_posed_program(s, sign, 0, 0, -1, exact, &g);
        if (status == STI_OK) status = exact ? ranges_exactly(r, &g, h, &feasible) : ranges_conic(r, &g, h, &feasible);
        sti_program_close(&g);
        if (status != STI_OK) return status;
    }
    if (r->cut_short && branches > 1) leave_open(r, 0);
    r->family_complete = r->family_complete && !r->cut_short;
    return STI_OK;
}

// With points inside all bounds the set is as large as the affine family; on the boundary it is at least the hull of
// the points where the ranges end.
static sti_status dimension(sti_sticking* r, const hull* h) {
    const sti_posed* s = &r->memory->posed;
    sti_cone_program g = {0};
    int inside = 0;
    if (r->margin > s->options.tol * s->force) {
        signed char* sign = sti_arena_take(s->pool, (size_t)s->nc, 1);
        if (sign == NULL) return s->pool->status;
        for (int i = 0; i < s->nc; i++)
            if (s->choice[i]) sign[i] = r->answer.lambda[s->first[i]] < 0 ? -1 : 1;
        sti_status status = sti_posed_program(s, sign, 0, 0, -1, false, &g);
        if (status == STI_OK) status = sti_program_reduce(&g);
        if (status != STI_OK) return status;
        double* part = sti_arena_doubles(s->pool, (size_t)g.freedom * (size_t)s->p);
        if (part == NULL) return s->pool->status;
        for (int k = 0; k < g.freedom; k++)
            memcpy(part + (size_t)k * (size_t)s->p, g.basis + (size_t)k * (size_t)g.size + s->n,
                   (size_t)s->p * sizeof *part);
        sti_svd f;
        status = sti_svd_make(s->pool, g.freedom, s->p, part, 0, &f);
        if (status != STI_OK) return status;
        while (inside < (g.freedom < s->p ? g.freedom : s->p) && f.s[inside] > 1e-7) inside++;
        r->family_dimension = inside;
        return STI_OK;
    }
    if (r->cut_short) return STI_OK;
    double* spread = sti_arena_doubles(s->pool, (size_t)(h->count > 0 ? h->count : 1) * (size_t)s->p);
    if (spread == NULL) return s->pool->status;
    for (int k = 1; k < h->count; k++) {
        for (int j = 0; j < s->p; j++)
            spread[(size_t)k * (size_t)s->p + (size_t)j] =
                (h->point[(size_t)k * (size_t)s->p + (size_t)j] - h->point[j]) / s->force;
    }
    sti_svd f;
    const sti_status status = sti_svd_make(s->pool, h->count, s->p, spread, 0, &f);
    if (status != STI_OK) return status;
    while (inside < (h->count < s->p ? h->count : s->p) && f.s[inside] > 1e-7) inside++;
    r->family_dimension = inside;
    return STI_OK;
}

// ---- redundancy

// Take the bounds of contact i out of the program.
static void relax(sti_cone_program* g, int i) {
    for (int row = 0; row < g->rows; row++) {
        if (g->owner[row] != i || g->kind[row] == STI_ROW_ZERO) continue;
        double* v = g->row + (size_t)row * ((size_t)g->size + 1);
        memset(v, 0, ((size_t)g->size + 1) * sizeof *v);
        if (g->kind[row] != STI_ROW_TAIL) v[0] = 1;
    }
}

// Least of mu lambda_n - d'lambda_t / stretch over the rest; d is direction k of `count`.
static sti_status least_in_direction(const sti_posed* s, const sti_cone_program* g, int i, int k, int count, double* c,
                                     double stretch, double* out) {
    double d[2] = {k == 0 ? 1 : -1, 0};
    if (s->tangents[i] == 2 && s->options.facets > 0) sti_posed_facet(s, i, k, d);
    if (s->tangents[i] == 2 && s->options.facets == 0) {
        d[0] = cos(2 * M_PI * k / count);
        d[1] = sin(2 * M_PI * k / count);
    }
    double* at = c + s->n + s->first[i];
    at[0] = s->mu[i];
    for (int t = 0; t < s->tangents[i]; t++) at[1 + t] = -d[t] / stretch;
    sti_program_answer answer;
    const sti_status status = sti_program_minimize(g, c, NULL, &answer);
    memset(at, 0, (size_t)(1 + s->tangents[i]) * sizeof *at);
    *out = status == STI_OK && answer.outcome == STI_CONIC_SOLVED ? answer.value : -INFINITY;
    return status;
}

static sti_status is_redundant(sti_sticking* r, int i, sti_cone_program* last) {
    const sti_posed* s = &r->memory->posed;
    sti_cone_program g = {0};
    double* c = sti_arena_doubles(s->pool, (size_t)(s->n + s->p));
    sti_status status = s->pool->status;
    if (status == STI_OK) status = sti_posed_program(s, NULL, 0, 0, -1, false, &g);
    if (status != STI_OK) return status;
    relax(&g, i);
    status = sti_program_reduce_like(&g, last);
    *last = g;
    const bool friction = s->rough[i] && !s->slides[i],
               disc = friction && s->tangents[i] == 2 && s->options.facets == 0;
    const int count = !friction ? 1 : s->tangents[i] == 1 ? 2 : disc ? DIRECTIONS : sti_posed_facets(s, i);
    const double band = -s->options.tol * s->force, stretch = disc ? cos(M_PI / DIRECTIONS) : 1;
    bool redundant = true;
    for (int k = 0; status == STI_OK && redundant && k < count; k++) {
        double value = 0;
        if (friction) {
            status = least_in_direction(s, &g, i, k, count, c, stretch, &value);
        } else {
            sti_program_answer answer;
            c[s->n + s->first[i]] = 1;
            status = sti_program_minimize(&g, c, NULL, &answer);
            value = status == STI_OK && answer.outcome == STI_CONIC_SOLVED ? answer.value : -INFINITY;
        }
        redundant = value >= band;
    }
    r->redundant[i] = redundant;
    return status;
}

sti_status sti_sticking_family(sti_sticking* r) {
    const sti_posed* s = &r->memory->posed;
    if (r->answer.outcome != STI_STICKING_YES) return STI_OK;
    hull h = {.capacity = 2 * s->p * BRANCH_MOST};
    r->lower = sti_arena_doubles(s->pool, (size_t)s->p);
    r->upper = sti_arena_doubles(s->pool, (size_t)s->p);
    r->redundant = sti_arena_take(s->pool, (size_t)s->nc, sizeof *r->redundant);
    const int branches = choice_count(s) <= 6 ? 1 << choice_count(s) : 1;
    h.capacity = 2 * s->p * branches;
    h.point = sti_arena_doubles(s->pool, (size_t)h.capacity * (size_t)s->p);
    if (s->pool->status != STI_OK) return s->pool->status;
    for (int k = 0; k < s->p; k++) {
        r->lower[k] = INFINITY;
        r->upper[k] = -INFINITY;
    }
    sti_status status = ranges(r, &h);
    if (status == STI_OK) status = dimension(r, &h);
    sti_cone_program last = {0};
    for (int i = 0; status == STI_OK && i < s->nc && !sti_sticking_late(r); i++) {
        const bool bounded = !s->bilateral[i];
        if (bounded && choice_count(s) == 0) status = is_redundant(r, i, &last);
    }
    return status;
}
