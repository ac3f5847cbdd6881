// lasting.c: how long all contacts stick while the load changes: S0 proposition 4 for contacts that act on each other.
//
// Let (a, lambda) stick with a margin, and K answer the load: for every e_j
//
//     M (K e_j)_a - C (K e_j)_lambda = -e_j,     A'(K e_j)_a = 0
//
// with the friction of contacts that slide, and none where there is none. For F + d the point (a, lambda) + K d solves
// (61 a) as well. The margin mu |lambda_n| - |lambda_t| of contact i falls by at most
//
//     fall_i |d|,     fall_i = max( |mu K_n + K_t|, |mu K_n - K_t| )                   in the plane
//                              min( mu |K_n| + |K_t|, sqrt(1 + mu^2) |K_i| )           in space
//                              |K_n|                        of |lambda_n|: without friction, and of joints that slide
//
// in Frobenius norms of the rows of K. So as long as the load changes by at most L in a unit of time and the position
// and velocity, with them M, C, A and the rates, are these, there are forces that hold all contacts until
//
//     T = min_i margin_i / (fall_i L).
//
// Where forces and accelerations are unique there are no others, and proposition 4 (its proof needs no more) says that
// the contacts do stick until then. Otherwise that is not known: the same load may be carried by forces that do not
// hold. T is a lower bound; K is the answer of least norm.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sticking/sticking.h"

#define ANSWERS 1e-9  // that K may miss of an equation of length 1, in parts of K and of the load

// A joint that slides: its friction turns where its normal force does.
static bool turns(const sti_posed* s, int i) {
    return s->slides[i] && s->choice[i];
}

// Equations (rows x size): those of (61 a), friction of joints that slide as it is at lambda, none where there is none.
static sti_status pose_response(const sti_posed* s, const double* lambda, int* rows, double** E) {
    sti_cone_program g = {0};
    sti_status status = sti_posed_equations(s, false, &g);
    const int size = s->n + s->p;
    int more = 0;
    for (int i = 0; i < s->nc; i++) more += (!s->rough[i] && !s->slides[i]) || turns(s, i) ? s->tangents[i] : 0;
    if (status == STI_OK) *E = sti_arena_doubles(s->pool, (size_t)(g.rows + more) * (size_t)size + 1);
    if (status == STI_OK && *E == NULL) status = s->pool->status;
    for (int r = 0; status == STI_OK && r < g.rows; r++)
        memcpy(*E + (size_t)r * (size_t)size, g.row + (size_t)r * (size_t)(size + 1) + 1,
               (size_t)size * sizeof(double));
    *rows = g.rows;
    for (int i = 0; status == STI_OK && i < s->nc; i++) {
        const int at = s->n + s->first[i];
        for (int k = 0; k < s->tangents[i] && ((!s->rough[i] && !s->slides[i]) || turns(s, i)); k++) {
            double* row = *E + (size_t)(*rows)++ * (size_t)size;
            row[at + 1 + k] = 1;
            if (turns(s, i)) row[at] = (lambda[s->first[i]] > 0 ? 1 : -1) * s->mu[i] * s->slip[s->first[i] + 1 + k];
        }
    }
    sti_program_close(&g);
    return status;
}

// A bounded force's own velocity: its load is the bound, and no load changes it.
static bool is_bound(const sti_posed* s, int j) {
    for (int i = 0; i < s->nc; i++)
        if (sti_posed_contact(s, i)->pressed && sti_posed_contact(s, i)->n[j] != 0) return true;
    return false;
}

// K (size x n), least norm in even units. *answered false: some change of load has none.
static sti_status respond(const sti_posed* s, const double* lambda, double** out, bool* answered) {
    const int size = s->n + s->p;
    double *E = NULL, *K = sti_arena_doubles(s->pool, (size_t)size * (size_t)s->n);
    int rows = 0;
    sti_status status = K != NULL ? pose_response(s, lambda, &rows, &E) : s->pool->status;
    if (status != STI_OK) return status;
    double* scaled = sti_arena_doubles(s->pool, (size_t)rows * (size_t)size);
    double* b = sti_arena_doubles(s->pool, (size_t)rows);
    double *scale = sti_arena_doubles(s->pool, (size_t)rows), *x = sti_arena_doubles(s->pool, (size_t)size);
    if (s->pool->status != STI_OK) return s->pool->status;
    for (int r = 0; r < rows; r++) {
        double* row = scaled + (size_t)r * (size_t)size;
        for (int k = 0; k < size; k++) row[k] = E[(size_t)r * (size_t)size + (size_t)k] * s->unit[k];
        scale[r] = sti_small_norm(size, row);
        for (int k = 0; k < size && scale[r] > 0; k++) row[k] /= scale[r];
    }
    sti_svd f;
    status = sti_svd_make(s->pool, rows, size, scaled, STI_SMALL_RANK_TOL, &f);
    *answered = true;
    for (int j = 0; status == STI_OK && j < s->n; j++) {
        if (is_bound(s, j)) continue;
        *answered = *answered && scale[j] > 0;
        memset(b, 0, (size_t)rows * sizeof *b);
        b[j] = scale[j] > 0 ? -1 / scale[j] : 0;  // the equations of M a come first
        sti_svd_solve(&f, b, x);
        const double reach = ANSWERS * (fabs(b[j]) + sti_small_norm(size, x));
        for (int r = 0; r < rows; r++)  // rows have length 1 here
            *answered = *answered && fabs(sti_small_dot(size, scaled + (size_t)r * (size_t)size, x) - b[r]) <= reach;
        for (int k = 0; k < size; k++) K[(size_t)k * (size_t)s->n + (size_t)j] = x[k] * s->unit[k];
    }
    *out = K;
    return status;
}

// By how much the margin of contact i falls at most for a unit of load; gain: |(lambda_n, lambda_t)|.
static double fall_of(const sti_posed* s, int i, const double* K, double* gain) {
    const size_t n = (size_t)s->n;
    const double* row = K + (size_t)(s->n + s->first[i]) * n;
    const double normal = sti_small_norm(s->n, row), tangent = sti_small_norm(s->tangents[i] * s->n, row + n);
    *gain = hypot(normal, tangent);
    if (!s->rough[i] || s->slides[i]) return normal;
    if (s->tangents[i] == 1) {
        double sum = 0, difference = 0;
        for (size_t j = 0; j < n; j++) {
            sum = hypot(sum, s->mu[i] * row[j] + row[n + j]);
            difference = hypot(difference, s->mu[i] * row[j] - row[n + j]);
        }
        return fmax(sum, difference);
    }
    return fmin(s->mu[i] * normal + tangent, hypot(1, s->mu[i]) * *gain);
}

static sti_status fill(const sti_sticking* r, double rate, sti_sticking_time* out) {
    const sti_posed* s = &r->memory->posed;
    double* K = NULL;
    bool answered = false;
    sti_status status = respond(s, r->answer.lambda, &K, &answered);
    if (status != STI_OK) return status;
    if (!answered) {
        snprintf(out->why, sizeof out->why, "there is a change of load that no forces of these contacts carry");
        return STI_OK;
    }
    out->contact_count = s->nc;
    out->gain = sti_alloc_array_zero(s->env, (size_t)s->nc, sizeof *out->gain);
    out->until = sti_alloc_array_zero(s->env, (size_t)s->nc, sizeof *out->until);
    if (out->gain == NULL || out->until == NULL) return STI_ERR_MEMORY;
    out->found = true;
    out->time = INFINITY;
    for (int i = 0; i < s->nc; i++) {
        const double fall = fall_of(s, i, K, &out->gain[i]);
        const double margin = turns(s, i) ? fabs(r->answer.lambda[s->first[i]]) : r->margins[i];
        const bool bounded = !isnan(margin) && fall > 0;
        out->until[i] = bounded ? (1 - 1e-9) * fmax(margin, 0) / (fall * rate) : INFINITY;
        out->time = fmin(out->time, out->until[i]);
    }
    out->unique = r->self_stress_count == 0 && r->kernel_dimension == 0 && !r->near_redundant;
    return STI_OK;
}

sti_status sti_sticking_lasts(sti_env* env, const sti_instant* instant, const sti_sticking_options* options,
                              double load_rate, sti_sticking_time* out) {
    sti_sticking_options o = options != NULL ? *options : sti_sticking_options_default();
    sti_sticking* r;
    *out = (sti_sticking_time){.load_rate = load_rate, .time = NAN};
    if (!(load_rate > 0) || !isfinite(load_rate))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "load_rate is %g: a positive number is expected", load_rate);
    o.family = o.propositions = false;
    sti_status status = sti_sticking_create(env, instant, &o, &r);
    if (status != STI_OK) return status;
    if (r->answer.outcome != STI_STICKING_YES || !(r->margin > 0))
        snprintf(out->why, sizeof out->why, "%s",
                 r->answer.outcome == STI_STICKING_YES ? "the contacts stick without a margin"
                                                       : "the contacts are not known to stick");
    else if (r->answer.facets > 0)
        snprintf(out->why, sizeof out->why, "friction is not a disc");
    else
        status = fill(r, load_rate, out);
    sti_sticking_destroy(r);
    if (status != STI_OK) sti_sticking_time_clear(env, out);
    return status;
}

void sti_sticking_time_clear(sti_env* env, sti_sticking_time* t) {
    sti_free(env, t->gain);
    sti_free(env, t->until);
    *t = (sti_sticking_time){0};
}
