// solve.c: stochastic programs: data checked, the method run, the answer measured on the data as given; where there is
// no answer, a certificate sought by two further programs (derived.h).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/vector.h"
#include "stochastic/check.h"
#include "stochastic/derived.h"
#include "stochastic/equilibrate.h"
#include "stochastic/interior.h"
#include "stochastic/measure.h"

static const double PROVES = 1e-8;      // residual up to which a direction counts
static const double LEAST_BOUND = 1e6;  // a Farkas vector has to exclude all points of this size
static const double NEARLY = 1e-5;      // residual and gap of a point that casts doubt on a proof with rounding
static const double SLACK = 100;        // the tolerance is that of the method; on the data it is this much looser

sti_stochastic_options sti_stochastic_options_default(void) {
    return (sti_stochastic_options){.tol = 1e-9, .max_iterations = 100};
}

void sti_stochastic_answer_clear(sti_env* env, sti_stochastic_answer* a) {
    void* owned[] = {a->x, a->y, a->pi, a->l, a->y_start, a->l_start};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) sti_free(env, owned[k]);
    *a = (sti_stochastic_answer){0};
}

static sti_status reserve(sti_env* env, const sti_stochastic_layout* L, sti_stochastic_answer* a) {
    const size_t n = (size_t)L->p->n, p = (size_t)L->p->p, count = (size_t)L->blocks;
    *a = (sti_stochastic_answer){
        .n = L->p->n, .p = L->p->p, .scenario_count = L->p->scenario_count, .bound = NAN, .gap = NAN};
    a->y_count = L->var[L->blocks] - n;
    a->l_count = L->row[L->blocks] - p;
    a->x = sti_alloc_array_zero(env, n, sizeof *a->x);
    a->y = sti_alloc_array_zero(env, a->y_count, sizeof *a->y);
    a->pi = sti_alloc_array_zero(env, p, sizeof *a->pi);
    a->l = sti_alloc_array_zero(env, a->l_count, sizeof *a->l);
    a->y_start = sti_alloc_array_zero(env, count, sizeof *a->y_start);
    a->l_start = sti_alloc_array_zero(env, count, sizeof *a->l_start);
    if (a->x == NULL || a->y == NULL || a->pi == NULL || a->l == NULL || a->y_start == NULL || a->l_start == NULL)
        return STI_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        a->y_start[i] = L->var[i + 1] - n;
        a->l_start[i] = L->row[i + 1] - p;
    }
    return STI_OK;
}

// ---- between answers and points of the method, whose multipliers are divided by probabilities

typedef struct room {
    double *u, *l;  // (all variables), (all rows)
} room;

static sti_status room_open(sti_env* env, const sti_stochastic_layout* L, room* r) {
    r->u = sti_alloc_array_zero(env, L->var[L->blocks], sizeof *r->u);
    r->l = sti_alloc_array_zero(env, L->row[L->blocks], sizeof *r->l);
    if (r->u != NULL && r->l != NULL) return STI_OK;
    sti_free(env, r->u);
    sti_free(env, r->l);
    *r = (room){0};
    return STI_ERR_MEMORY;
}

static void room_close(sti_env* env, room* r) {
    sti_free(env, r->u);
    sti_free(env, r->l);
}

static bool fits(const sti_stochastic_layout* L, const sti_stochastic_answer* a) {
    return a->x != NULL && a->y != NULL && a->pi != NULL && a->l != NULL && a->n == L->p->n && a->p == L->p->p &&
           a->y_count == L->var[L->blocks] - (size_t)a->n && a->l_count == L->row[L->blocks] - (size_t)a->p;
}

static void copy(double* to, const double* from, size_t count) {
    if (count > 0) memcpy(to, from, count * sizeof *to);
}

static void from_answer(const sti_stochastic_layout* L, const sti_stochastic_answer* a, room* r) {
    copy(r->u, a->x, (size_t)a->n);
    copy(r->u + a->n, a->y, a->y_count);
    copy(r->l, a->pi, (size_t)a->p);
    copy(r->l + a->p, a->l, a->l_count);
    for (int i = 1; i < L->blocks; i++) {
        for (size_t k = L->row[i]; k < L->row[i + 1]; k++) r->l[k] /= sti_stochastic_layout_weight(L, i);
    }
}

static void to_answer(const sti_stochastic_layout* L, const room* r, sti_stochastic_answer* a) {
    copy(a->x, r->u, (size_t)a->n);
    copy(a->y, r->u + a->n, a->y_count);
    copy(a->pi, r->l, (size_t)a->p);
    for (int i = 1; i < L->blocks; i++) {
        for (size_t k = L->row[i]; k < L->row[i + 1]; k++)
            a->l[k - (size_t)a->p] = r->l[k] * sti_stochastic_layout_weight(L, i);
    }
}

// ---- certificates

static void forget(double* x, size_t count) {
    for (size_t k = 0; k < count; k++) x[k] = NAN;
}

// The point of a program in the form of another one that has its first variables and rows.
static void first_parts(const sti_stochastic_layout* from, const room* r, const sti_stochastic_layout* L,
                        sti_stochastic_answer* a) {
    for (int i = 0; i < L->blocks; i++) {
        double* u = i == 0 ? a->x : a->y + (L->var[i] - (size_t)a->n);
        double* l = i == 0 ? a->pi : a->l + (L->row[i] - (size_t)a->p);
        copy(u, r->u + from->var[i], (size_t)sti_stochastic_layout_m(L, i));
        for (int k = 0; k < sti_stochastic_layout_q(L, i); k++)
            l[k] = r->l[from->row[i] + (size_t)k] * sti_stochastic_layout_weight(L, i);
    }
}

// Solve a derived program; its point goes into the answer.
static sti_status solve_derived(sti_env* env, const sti_stochastic_layout* L, const sti_derived* d,
                                const sti_stochastic_options* o, double deadline, sti_stochastic_way way,
                                sti_stochastic_answer* a) {
    sti_stochastic_layout M;
    room r = {0};
    sti_stochastic_options quiet = *o;
    quiet.trace = NULL;
    sti_status status = sti_stochastic_layout_create(env, &d->program, L->team, &M);
    if (status == STI_OK) status = room_open(env, &M, &r);
    status = sti_stochastic_layout_agree(env, L, status);
    sti_stochastic_point point = {.u = r.u, .l = r.l};
    if (status == STI_OK) status = sti_stochastic_interior(env, &M, &quiet, deadline, way, &point);
    if (status == STI_OK) first_parts(&M, &r, L, a);
    a->iterations += point.iterations;
    room_close(env, &r);
    sti_stochastic_layout_clear(env, &M);
    return status;
}

// Entries of a Farkas vector on sides that are not there are rounding, and set to 0.
static void clean_farkas(const sti_stochastic_layout* L, sti_stochastic_answer* a, double* low, double* high) {
    double largest = 0;
    for (int k = 0; k < a->p; k++) largest = fmax(largest, fabs(a->pi[k]));
    for (size_t k = 0; k < a->l_count; k++) largest = fmax(largest, fabs(a->l[k]));
    sti_stochastic_layout_most(L, &largest, 1);
    for (int i = 0; i < L->blocks; i++) {
        double* l = i == 0 ? a->pi : a->l + (L->row[i] - (size_t)a->p);
        sti_stochastic_layout_sides(L, i, low, high);
        for (int k = 0; k < sti_stochastic_layout_q(L, i); k++) {
            l[k] = largest > 0 ? -l[k] / largest : 0;
            if (isinf(l[k] >= 0 ? low[k] : high[k]) && fabs(l[k]) < 1e-6) l[k] = 0;
        }
    }
}

static void tell_farkas(sti_stochastic_answer* a) {
    if (isinf(a->bound))
        snprintf(a->reason, sizeof a->reason, "a combination of the rows that no point within the bounds satisfies");
    else
        snprintf(a->reason, sizeof a->reason,
                 "a combination of the rows that no point within the bounds and with |(x, y)|_1 below %.1e satisfies",
                 a->bound);
}

static sti_status seek_farkas(sti_env* env, const sti_stochastic_layout* L, const sti_stochastic_options* o,
                              double deadline, sti_stochastic_way way, sti_stochastic_answer* a) {
    sti_derived d;
    sti_status status = sti_stochastic_layout_agree(env, L, sti_derived_elastic(env, L, &d));
    if (status == STI_OK) status = solve_derived(env, L, &d, o, deadline, way, a);
    sti_derived_clear(env, &d);
    if (status != STI_OK) return status;
    const size_t most = (size_t)(L->most_q > a->p ? L->most_q : a->p);
    double* sides = sti_alloc_array(env, sti_size_mul(2, most), sizeof *sides);
    if (sides == NULL) status = STI_ERR_MEMORY;
    status = sti_stochastic_layout_agree(env, L, status);
    if (status == STI_OK) clean_farkas(L, a, sides, sides + most);
    sti_free(env, sides);
    if (status == STI_OK) status = sti_stochastic_measure_farkas(env, L, a);
    if (status != STI_OK || !(a->bound >= LEAST_BOUND)) return status;
    a->outcome = STI_CONIC_INFEASIBLE;
    forget(a->x, (size_t)a->n);
    forget(a->y, a->y_count);
    tell_farkas(a);
    return STI_OK;
}

static sti_status seek_ray(sti_env* env, const sti_stochastic_layout* L, const sti_stochastic_options* o,
                           double deadline, sti_stochastic_way way, sti_stochastic_answer* a) {
    sti_derived d;
    sti_status status = sti_stochastic_layout_agree(env, L, sti_derived_ray(env, L, &d));
    if (status == STI_OK) status = solve_derived(env, L, &d, o, deadline, way, a);
    sti_derived_clear(env, &d);
    if (status == STI_OK) status = sti_stochastic_measure_ray(env, L, a);
    if (status != STI_OK || !(a->objective < 0) || !(a->residual <= PROVES * -a->objective)) return status;
    for (int k = 0; k < a->n; k++) a->x[k] /= -a->objective;
    for (size_t k = 0; k < a->y_count; k++) a->y[k] /= -a->objective;
    a->outcome = STI_CONIC_UNBOUNDED;
    a->objective = NAN;
    forget(a->pi, (size_t)a->p);
    forget(a->l, a->l_count);
    snprintf(a->reason, sizeof a->reason, "a direction along which no row or bound ends and the objective falls");
    return STI_OK;
}

// ---- the whole

static bool is_warm(const sti_stochastic_layout* L, const sti_stochastic_answer* start) {
    const bool warm = start != NULL && fits(L, start) && sti_vector_is_finite((size_t)L->p->n, start->x) &&
                      sti_vector_is_finite(start->y_count, start->y) &&
                      sti_vector_is_finite((size_t)L->p->p, start->pi) &&
                      sti_vector_is_finite(start->l_count, start->l);
    double cold = !warm;
    sti_stochastic_layout_most(L, &cold, 1);
    return !(cold > 0);
}

static bool is_late(sti_env* env, const sti_stochastic_layout* L, double deadline) {
    double late = isfinite(deadline) && sti_now(env) > deadline;
    sti_stochastic_layout_most(L, &late, 1);
    return late > 0;
}

static bool is_good(const sti_stochastic_options* o, const sti_stochastic_answer* a) {
    return a->residual <= SLACK * o->tol && a->gap <= SLACK * o->tol;
}

// proofs: where there is no point, that there is none, or no best one, is to be shown.
static sti_status run(sti_env* env, const sti_stochastic_layout* L, const sti_stochastic_options* o, double deadline,
                      sti_stochastic_way way, bool proofs, sti_stochastic_answer* a) {
    const bool warm = is_warm(L, o->start);
    room r = {0};
    sti_status status = sti_stochastic_layout_agree(env, L, room_open(env, L, &r));
    if (status != STI_OK) {
        room_close(env, &r);
        return status;
    }
    if (warm) from_answer(L, o->start, &r);
    sti_stochastic_point point = {.u = r.u, .l = r.l};
    status = sti_stochastic_interior(env, L, o, deadline, warm ? STI_STOCHASTIC_WARM : way, &point);
    a->iterations = point.iterations;
    if (status == STI_OK) to_answer(L, &r, a);
    if (status == STI_OK) status = sti_stochastic_measure(env, L, a);
    if (status == STI_OK && is_good(o, a)) {
        a->outcome = STI_CONIC_SOLVED;
        snprintf(a->reason, sizeof a->reason, "point and multipliers are within %.1e of each other", a->gap);
    } else if (status == STI_OK) {
        const bool seek = proofs && !is_late(env, L, deadline);
        a->outcome = STI_CONIC_LIMIT;
        if (seek) status = seek_farkas(env, L, o, deadline, way, a);
        if (status == STI_OK && seek && a->outcome == STI_CONIC_LIMIT) status = seek_ray(env, L, o, deadline, way, a);
        if (status == STI_OK && a->outcome == STI_CONIC_LIMIT) {  // neither: the point is all there is
            to_answer(L, &r, a);
            a->bound = NAN;
            status = sti_stochastic_measure(env, L, a);
            snprintf(a->reason, sizeof a->reason, "%s",
                     point.reason != NULL ? point.reason : "the residual is too large");
        }
    }
    room_close(env, &r);
    return status;
}

static double largest_of(const sti_stochastic_layout* L, const sti_stochastic_answer* a) {
    double size = 0;
    for (int k = 0; k < a->n; k++) size = fmax(size, fabs(a->x[k]));
    for (size_t k = 0; k < a->y_count; k++) size = fmax(size, fabs(a->y[k]));
    sti_stochastic_layout_most(L, &size, 1);
    return size;
}

// How far out points, or multipliers, may be of which a proof with rounding says nothing. INFINITY: it leaves none.
static double reach_of(const sti_stochastic_layout* L, const sti_stochastic_answer* a) {
    if (a->outcome == STI_CONIC_LIMIT) return 0;
    if (a->outcome == STI_CONIC_INFEASIBLE) return a->bound;
    return a->outcome == STI_CONIC_UNBOUNDED ? 1 / (a->residual * largest_of(L, a)) : INFINITY;
}

// |(x, y)|_1, and that of the multipliers
static double length_of(const sti_stochastic_layout* L, const sti_stochastic_answer* a) {
    double first = 0, rest = 0;
    for (int k = 0; k < a->n; k++) first += fabs(a->x[k]);
    for (int k = 0; k < a->p; k++) first += fabs(a->pi[k]);
    for (size_t k = 0; k < a->y_count; k++) rest += fabs(a->y[k]);
    for (size_t k = 0; k < a->l_count; k++) rest += fabs(a->l[k]);
    sti_stochastic_layout_sum(L, &rest, 1);
    return first + rest;
}

// Does what was found in other units hold on the data as given?
static sti_status judge_restored(sti_env* env, const sti_stochastic_layout* L, const sti_stochastic_options* o,
                                 sti_stochastic_answer* a, bool* holds) {
    sti_status status = STI_OK;
    *holds = false;
    if (a->outcome == STI_CONIC_SOLVED) {
        status = sti_stochastic_measure(env, L, a);
        *holds = is_good(o, a);
        snprintf(a->reason, sizeof a->reason, "point and multipliers are within %.1e of each other", a->gap);
    } else if (a->outcome == STI_CONIC_INFEASIBLE) {
        status = sti_stochastic_measure_farkas(env, L, a);
        *holds = a->bound >= LEAST_BOUND;
        tell_farkas(a);
    } else if (a->outcome == STI_CONIC_UNBOUNDED) {
        const double size = largest_of(L, a);
        status = sti_stochastic_measure_ray(env, L, a);
        *holds = a->objective < 0 && a->residual * size <= PROVES * fmin(-a->objective, size);
        a->objective = NAN;
    } else {
        status = sti_stochastic_measure(env, L, a);
    }
    return status;
}

// Does b, found in other units, take the place of a? A proof with rounding gives way to a point beyond its reach, and
// what is nearly one leaves the question open.
static bool outranks(const sti_stochastic_layout* L, double reach, bool holds, const sti_stochastic_answer* b) {
    if (reach == 0) return holds;
    const bool nearly = b->outcome == STI_CONIC_LIMIT && b->residual <= NEARLY && b->gap <= NEARLY;
    const double length = length_of(L, b);
    return (holds || nearly) && length >= reach;
}

// Once more with care and rows and columns of size 1, where the first run came to no end, or to a proof that says
// nothing of points that are far out: one that is there outranks it.
static sti_status run_equilibrated(sti_env* env, const sti_stochastic_layout* L, const sti_stochastic_options* o,
                                   double deadline, sti_stochastic_answer* a) {
    sti_equilibrated s;
    sti_stochastic_layout M = {0};
    sti_stochastic_answer b = {0};
    sti_stochastic_options fresh = *o;
    const double reach = reach_of(L, a);
    bool holds = false;
    fresh.start = NULL;
    sti_status status = sti_equilibrate(env, L, &s);
    if (status != STI_OK) return status;
    status = sti_stochastic_layout_create(env, &s.program, L->team, &M);
    if (status == STI_OK) status = reserve(env, &M, &b);
    status = sti_stochastic_layout_agree(env, L, status);
    if (status == STI_OK) status = run(env, &M, &fresh, deadline, STI_STOCHASTIC_CAREFUL, !(reach > 0), &b);
    if (status == STI_OK) {
        sti_equilibrated_restore(L, &s, &b);
        status = judge_restored(env, L, o, &b, &holds);
    }
    if (status == STI_OK) {
        b.iterations = a->iterations += b.iterations;
        if (outranks(L, reach, holds, &b)) {
            const sti_stochastic_answer t = *a;
            *a = b;
            b = t;
        }
    }
    sti_stochastic_answer_clear(env, &b);
    sti_stochastic_layout_clear(env, &M);
    sti_equilibrated_clear(env, &s);
    return status;
}

sti_status sti_stochastic_solve(sti_env* env, const sti_stochastic* program, const sti_stochastic_options* options,
                                sti_stochastic_answer* answer) {
    const sti_stochastic_options o = options != NULL ? *options : sti_stochastic_options_default();
    const double begin = sti_clock();
    const sti_stochastic_layout team = {.team = o.team};
    sti_stochastic_layout L;
    *answer = (sti_stochastic_answer){0};
    if (!(o.tol > 0)) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "tol: %g: a positive number is expected", o.tol);
    sti_status status = sti_stochastic_check(env, program, o.team);
    if (status != STI_OK) return status;
    status = sti_stochastic_layout_create(env, program, o.team, &L);
    if (status == STI_OK) status = reserve(env, &L, answer);
    status = sti_stochastic_layout_agree(env, &team, status);
    const double deadline = sti_deadline(env, o.time_limit_s);
    if (status == STI_OK) status = run(env, &L, &o, deadline, STI_STOCHASTIC_COLD, true, answer);
    if (status == STI_OK && isfinite(reach_of(&L, answer)) && !is_late(env, &L, deadline))
        status = run_equilibrated(env, &L, &o, deadline, answer);
    sti_stochastic_layout_clear(env, &L);
    answer->time_s = sti_clock() - begin;
    if (status != STI_OK) sti_stochastic_answer_clear(env, answer);
    return status;
}
