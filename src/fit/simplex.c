// simplex.c: the method of Nelder and Mead, restarted.
//
// Reflection 1, expansion 2, contraction 1/2, shrinking 1/2; the first simplex has the corners x and x with one
// coordinate longer by `edge`. When it has shrunk to rounding the method begins again from the best corner, until a
// round of simplices of several sizes and both orientations brings nothing. That matters for the largest residual,
// whose kinks let a simplex collapse early. Points outside of the box are moved to its faces.
//
// Where the end leaves a parameter open and the box has an end on every side, starts elsewhere in it are tried too.
//
// Departure from the source: none in the moves; ties are broken by the order of the corners, so the same start gives
// the same bits.
#include <math.h>
#include <stiction/fit.h>
#include <string.h>

#include "base/env.h"
#include "fit/fit.h"

typedef struct search {
    sti_env* env;
    const sti_fit_problem* p;
    const sti_fit_options* o;
    sti_fit_answer* a;
    int n;
    double* corner;                      // (n + 1 x n)
    double* f;                           // (n + 1)
    double *centre, *trial, *other, *r;  // (n), (n), (n), (m)
    double least;  // a value that is rounding of the one at the start: nothing is left to be found
    sti_status status;
} search;

sti_fit_options sti_fit_options_default(void) {
    return (sti_fit_options){.norm = STI_FIT_LARGEST, .edge = 0.05, .max_evaluations = 100000, .most_restarts = 200};
}

double sti_fit_size(sti_fit_norm norm, const double* r, int m) {
    double most = 0, scale = 0, sum = 1;
    for (int i = 0; i < m; i++) {
        if (!isfinite(r[i])) return INFINITY;
        const double x = fabs(r[i]);
        most = fmax(most, x);
        if (x > scale) {
            sum = 1 + sum * (scale / x) * (scale / x);
            scale = x;
        } else if (x > 0) {
            sum += (x / scale) * (x / scale);
        }
    }
    return norm == STI_FIT_LARGEST ? most : scale > 0 ? scale * sqrt(sum) : 0;
}

static double* row(const search* s, int i) {
    return s->corner + (size_t)i * (size_t)s->n;
}

static double value_at(search* s, double* x) {
    for (int i = 0; i < s->n; i++) {
        if (s->p->low != NULL) x[i] = fmax(x[i], s->p->low[i]);
        if (s->p->high != NULL) x[i] = fmin(x[i], s->p->high[i]);
    }
    if (s->status != STI_OK) return INFINITY;
    s->status = s->p->residuals(s->p->user, x, s->r);
    s->a->evaluations++;
    return s->status == STI_OK ? sti_fit_size(s->o->norm, s->r, s->p->m) : INFINITY;
}

// Best first; equal ones keep their order.
static void sort(const search* s) {
    for (int i = 1; i <= s->n; i++) {
        const double f = s->f[i];
        memcpy(s->other, row(s, i), (size_t)s->n * sizeof *s->other);
        int k = i;
        for (; k > 0 && s->f[k - 1] > f; k--) {
            s->f[k] = s->f[k - 1];
            memcpy(row(s, k), row(s, k - 1), (size_t)s->n * sizeof *s->other);
        }
        s->f[k] = f;
        memcpy(row(s, k), s->other, (size_t)s->n * sizeof *s->other);
    }
}

static void set_up(search* s, const double* x, double edge) {
    for (int k = 0; k <= s->n; k++) {
        memcpy(row(s, k), x, (size_t)s->n * sizeof *x);
        if (k > 0) row(s, k)[k - 1] = x[k - 1] != 0 ? x[k - 1] * (1 + edge) : edge / 200;
        s->f[k] = value_at(s, row(s, k));
    }
    sort(s);
}

// centre + factor (centre - worst)
static double try_at(search* s, double factor, double* x) {
    for (int i = 0; i < s->n; i++) x[i] = s->centre[i] + factor * (s->centre[i] - row(s, s->n)[i]);
    return value_at(s, x);
}

static void replace_worst(const search* s, const double* x, double f) {
    memcpy(row(s, s->n), x, (size_t)s->n * sizeof *x);
    s->f[s->n] = f;
}

static void shrink(search* s) {
    for (int k = 1; k <= s->n; k++) {
        for (int i = 0; i < s->n; i++) row(s, k)[i] = row(s, 0)[i] + 0.5 * (row(s, k)[i] - row(s, 0)[i]);
        s->f[k] = value_at(s, row(s, k));
    }
}

static void move(search* s) {
    const int n = s->n;
    for (int i = 0; i < n; i++) {
        s->centre[i] = 0;
        for (int k = 0; k < n; k++) s->centre[i] += row(s, k)[i] / n;
    }
    const double reflected = try_at(s, 1, s->trial);
    if (reflected < s->f[0]) {
        const double expanded = try_at(s, 2, s->other);
        if (expanded < reflected)
            replace_worst(s, s->other, expanded);
        else
            replace_worst(s, s->trial, reflected);
    } else if (reflected < s->f[n - 1]) {
        replace_worst(s, s->trial, reflected);
    } else {
        const bool outside = reflected < s->f[n];
        const double contracted = try_at(s, outside ? 0.5 : -0.5, s->other);
        if (contracted < (outside ? reflected : s->f[n]))
            replace_worst(s, s->other, contracted);
        else
            shrink(s);
    }
    sort(s);
    s->a->iterations++;
}

// Corners that agree to rounding, or values that do.
static bool collapsed(const search* s) {
    double wide = 0;
    for (int i = 0; i < s->n; i++) {
        for (int k = 1; k <= s->n; k++)
            wide = fmax(wide, fabs(row(s, k)[i] - row(s, 0)[i]) / (fabs(row(s, 0)[i]) + 1e-12));
    }
    return wide <= 1e-14 || (wide <= 1e-10 && s->f[s->n] - s->f[0] <= 1e-16 * fabs(s->f[0]));
}

static bool may_go_on(const search* s) {
    return s->status == STI_OK && s->a->evaluations < s->o->max_evaluations;
}

// One descent from x; the best corner goes back into x when it is better.
static bool descend(search* s, double* x, double edge, double* f) {
    set_up(s, x, edge);
    while (may_go_on(s) && !collapsed(s) && s->f[0] > s->least) move(s);
    if (!(s->f[0] < *f)) return false;
    const bool better = !(s->f[0] >= *f * (1 - 1e-9));
    memcpy(x, row(s, 0), (size_t)s->n * sizeof *x);
    *f = s->f[0];
    return better;
}

static void run(search* s) {
    static const double sizes[] = {1, -1, 4, -4, 0.05, -0.05, 10, 1e-3};
    double* x = s->a->x;
    memcpy(x, s->p->start, (size_t)s->n * sizeof *x);
    s->a->value = value_at(s, x);
    s->least = isfinite(s->a->value) ? 1e-13 * s->a->value : 0;
    bool better = true;
    while (better && may_go_on(s) && s->a->restarts <= s->o->most_restarts) {
        better = false;
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && !better && may_go_on(s); k++) {
            better = descend(s, x, sizes[k] * s->o->edge, &s->a->value);
            s->a->restarts++;
            if (s->a->value <= s->least) break;
        }
        if (s->a->value <= s->least) break;
    }
    s->a->converged = (!better || s->a->value <= s->least) && may_go_on(s);
    if (s->status == STI_OK) s->status = s->p->residuals(s->p->user, x, s->a->r);
    for (int i = 0; i < s->n; i++)
        s->a->at_bound[i] =
            (s->p->low != NULL && x[i] <= s->p->low[i]) || (s->p->high != NULL && x[i] >= s->p->high[i]);
}

static sti_status reserve(search* s) {
    const size_t n = (size_t)s->n, m = (size_t)s->p->m;
    sti_fit_answer* a = s->a;
    a->x = sti_alloc_array_zero(s->env, n, sizeof *a->x);
    a->r = sti_alloc_array_zero(s->env, m, sizeof *a->r);
    a->at_bound = sti_alloc_array_zero(s->env, n, sizeof *a->at_bound);
    a->singular = sti_alloc_array_zero(s->env, n, sizeof *a->singular);
    a->direction = sti_alloc_array_zero(s->env, sti_size_mul(n, n), sizeof *a->direction);
    s->corner = sti_alloc_array_zero(s->env, sti_size_add(sti_size_mul(n + 1, n + 4), m), sizeof *s->corner);
    if (a->x == NULL || a->r == NULL || a->at_bound == NULL || a->singular == NULL || a->direction == NULL ||
        s->corner == NULL)
        return STI_ERR_MEMORY;
    s->f = s->corner + (n + 1) * n;
    s->centre = s->f + n + 1;
    s->trial = s->centre + n;
    s->other = s->trial + n;
    s->r = s->other + n;
    return STI_OK;
}

static sti_status check(sti_env* env, const sti_fit_problem* p) {
    if (p->n < 1 || p->n > 100)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%d parameters: 1 to 100 are expected", p->n);
    if (p->m < 1) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%d residuals: at least 1 is expected", p->m);
    for (int i = 0; i < p->n; i++) {
        const double low = p->low != NULL ? p->low[i] : -INFINITY, high = p->high != NULL ? p->high[i] : INFINITY;
        if (!isfinite(p->start[i])) return STI_FAIL(env, STI_ERR_ARGUMENT, i, "start[%d]: not finite", i);
        if (!(low <= high)) return STI_FAIL(env, STI_ERR_ARGUMENT, i, "bounds[%d]: %g is above %g", i, low, high);
    }
    return STI_OK;
}

static sti_status fit_from(sti_env* env, const sti_fit_problem* problem, const sti_fit_options* options,
                           sti_fit_answer* answer) {
    *answer = (sti_fit_answer){.n = problem->n, .m = problem->m};
    search s = {.env = env, .p = problem, .o = options, .a = answer, .n = problem->n};
    sti_status status = reserve(&s);
    if (status == STI_OK) {
        run(&s);
        status = s.status;
    }
    if (status == STI_OK) status = sti_fit_determine(env, problem, answer);
    sti_free(env, s.corner);
    if (status != STI_OK) sti_fit_answer_clear(env, answer);
    return status;
}

// A direction that is open where the residual is not 0 may be one in a part of the box only (a tip that sticks says
// nothing about friction): other parts are asked too, where the box has an end on every side.
static bool asks_elsewhere(const sti_fit_problem* p, const sti_fit_answer* a) {
    if (a->undetermined == 0 || !isfinite(a->value) || a->value <= 1e-9 * p->scale) return false;
    for (int i = 0; i < p->n; i++) {
        if (p->low == NULL || p->high == NULL || !isfinite(p->low[i]) || !isfinite(p->high[i])) return false;
    }
    return true;
}

// The parameter that has the largest part in the last direction, the most open one.
static int open_parameter(const sti_fit_answer* a) {
    const double* d = a->direction + (size_t)(a->n - 1) * (size_t)a->n;
    int most = 0;
    for (int i = 1; i < a->n; i++) {
        if (fabs(d[i]) > fabs(d[most])) most = i;
    }
    return most;
}

sti_status sti_fit_solve(sti_env* env, const sti_fit_problem* problem, const sti_fit_options* options,
                         sti_fit_answer* answer) {
    static const double places[] = {1. / 64, 1. / 32, 1. / 16, 1. / 8, 1. / 4, 1. / 2, 3. / 4, 1};
    enum { PLACES = sizeof places / sizeof places[0] };
    const sti_fit_options usual = sti_fit_options_default();
    const sti_fit_options* o = options != NULL ? options : &usual;
    *answer = (sti_fit_answer){.n = problem->n, .m = problem->m};
    sti_status status = check(env, problem);
    if (status == STI_OK) status = fit_from(env, problem, o, answer);
    if (status != STI_OK || !asks_elsewhere(problem, answer)) return status;
    double* start = sti_alloc_array_zero(env, (size_t)problem->n, sizeof *start);
    if (start == NULL) status = STI_ERR_MEMORY;
    sti_fit_problem there = *problem;
    there.start = start;
    for (int k = 0; status == STI_OK && k < PLACES && asks_elsewhere(problem, answer); k++) {
        sti_fit_answer other;
        const int j = open_parameter(answer);
        for (int i = 0; i < problem->n; i++) start[i] = problem->start[i];
        start[j] = problem->low[j] + places[k] * (problem->high[j] - problem->low[j]);
        status = fit_from(env, &there, o, &other);
        if (status != STI_OK) break;
        const long iterations = answer->iterations + other.iterations,
                   evaluations = answer->evaluations + other.evaluations;
        const int restarts = answer->restarts + other.restarts;
        if (other.value < answer->value * (1 - 1e-9)) {
            const sti_fit_answer worse = *answer;
            *answer = other;
            other = worse;
        }
        sti_fit_answer_clear(env, &other);
        answer->iterations = iterations;
        answer->evaluations = evaluations;
        answer->restarts = restarts;
    }
    sti_free(env, start);
    if (status != STI_OK) sti_fit_answer_clear(env, answer);
    return status;
}

void sti_fit_answer_clear(sti_env* env, sti_fit_answer* a) {
    sti_free(env, a->x);
    sti_free(env, a->r);
    sti_free(env, a->at_bound);
    sti_free(env, a->singular);
    sti_free(env, a->direction);
    *a = (sti_fit_answer){0};
}
