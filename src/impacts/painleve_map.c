// painleve_map.c: critical friction and the number of solutions over a grid of configurations (S1 section 4).
//
// A grid point fixes some coordinates and velocities. The contacts that touch at the starting configuration (all of
// them when none does) are held closed: the coordinates that are not on an axis move by Newton's method with steps of
// least length until the gaps vanish, then the free velocities by one step of least length until the gap rates do. A
// point where that fails is "apart". With keep_open nothing moves, and the contacts are taken as if they touched.
//
// At each point the matrix of (26) is judged for all directions of slip: the least mu_c, and "unique" when every D is a
// P-matrix. Otherwise the solutions of the LCP with the forces of that state are counted for the directions that agree
// with the slips (both, where a contact rests), and the worst is kept: none before several before one. Counting is in
// floating point, so a point within rounding of a border is "undecided".
//
// The least mu_c is sought further between the points: mu_c is the least of many smooth functions, so a search by
// shrinking intervals, axis by axis, that uses no derivatives is followed by a bisection on a central difference. That
// finds a smooth minimum to several more digits than values alone would; its result is kept only when it is no worse,
// so a kink stays where it is.
#include <math.h>
#include <string.h>

#include "impacts/painleve_matrix.h"
#include "linalg/dense_algebra.h"
#include "linalg/vector.h"

typedef struct owned_map {
    sti_painleve_map m;  // first
    sti_arena pool;
} owned_map;

typedef struct map_work {
    sti_env* env;
    const sti_system* system;
    const sti_painleve_map_def* def;
    sti_painleve_map* out;
    sti_arena* pool;
    sti_instant* instant;
    int n, contacts, held;    // coordinates, contacts and joints, those held closed
    bool* closed;             // (contacts)
    bool *fixed_q, *fixed_v;  // on an axis                                     (n)
    double *q, *v;            // (n)
    double *A, *rhs, *x, *Z, *work;
    int *column, *index;
    // the last state that was looked at: friction alone does not change the parts of the matrix
    sti_painleve_matrix matrix;
    double matrix_mu_c, last[2];
    bool matrix_closed, matrix_known;
} map_work;

sti_painleve_map_def sti_painleve_map_def_default(void) {
    return (sti_painleve_map_def){.gap_tol = 1e-6, .refine = true};
}

// ---- a state on the constraints

// One step of least length: free entries of x move so that rows of the held gradients vanish with `lack`. False: no
// step.
static bool step(map_work* w, const bool* fixed, const double* lack, double* x) {
    int free_count = 0;
    for (int j = 0; j < w->n; j++) {
        if (!fixed[j]) w->column[free_count++] = j;
    }
    int row = 0;
    for (int i = 0; i < w->contacts; i++) {
        if (!w->closed[i]) continue;
        for (int c = 0; c < free_count; c++) w->A[sti_at(free_count, row, c)] = w->instant->contacts[i].n[w->column[c]];
        w->rhs[row++] = -lack[i];
    }
    const sti_dense_family f = sti_dense_solve(row, free_count, w->A, w->rhs, 1e-10, w->x, w->Z, w->work, w->index);
    for (int c = 0; c < free_count; c++) x[w->column[c]] += w->x[c];
    return f.consistent;
}

// The instant at (w->q, w->v), both moved onto the constraints. *closed false: they cannot be.
static sti_status close_contacts(map_work* w, double* lack, bool* closed) {
    *closed = false;
    if (w->def->keep_open) {
        const sti_status status = sti_system_instant_update(w->system, w->def->time, w->q, w->v, w->instant);
        *closed = status == STI_OK;
        return status == STI_ERR_INPUT ? STI_OK : status;  // a formula has no value here
    }
    for (int iteration = 0; iteration < 40; iteration++) {
        const sti_status status = sti_system_instant_update(w->system, w->def->time, w->q, w->v, w->instant);
        if (status == STI_ERR_INPUT) return STI_OK;  // a formula has no value here
        if (status != STI_OK) return status;
        double worst = 0, size = 1;
        for (int i = 0; i < w->contacts; i++) {
            lack[i] = w->instant->contacts[i].gap;
            if (w->closed[i]) worst = fmax(worst, fabs(lack[i]));
        }
        size = fmax(size, sti_vector_largest(w->n, w->q));
        if (worst <= 1e-13 * size) {
            *closed = true;
            break;
        }
        if (!step(w, w->fixed_q, lack, w->q) && iteration > 20) return STI_OK;
    }
    if (!*closed) return STI_OK;
    for (int i = 0; i < w->contacts; i++)
        lack[i] = w->instant->contacts[i].n_offset + sti_vector_dot(w->n, w->instant->contacts[i].n, w->v);
    if (!step(w, w->fixed_v, lack, w->v)) {
        *closed = false;
        return STI_OK;
    }
    return sti_system_instant_update(w->system, w->def->time, w->q, w->v, w->instant);
}

// ---- one point

static void set_point(map_work* w, const double* at_axes) {
    memcpy(w->q, w->def->q, (size_t)w->n * sizeof *w->q);
    memcpy(w->v, w->def->v, (size_t)w->n * sizeof *w->v);
    for (int a = 0; a < w->def->axis_count; a++) {
        const sti_painleve_axis* axis = &w->def->axes[a];
        if (axis->kind == STI_PAINLEVE_COORDINATE) w->q[axis->index] = at_axes[a];
        if (axis->kind == STI_PAINLEVE_VELOCITY) w->v[axis->index] = at_axes[a];
    }
}

// Contacts that are not held are left out by a gap of their own.
static sti_status read_matrix(map_work* w, sti_painleve_matrix* k) {
    sti_instant_contact* contacts = (sti_instant_contact*)w->instant->contacts;
    for (int i = 0; i < w->contacts; i++) contacts[i].gap = w->closed[i] ? 0 : 1;
    sti_space* space = NULL;
    sti_painleve_limit limit;
    const sti_status status =
        sti_painleve_read(w->env, w->instant, (sti_space_choice){.gap_tol = 0.5}, &space, k, &limit);
    sti_space_destroy(space);
    return status;
}

// Is D a P-matrix for every possible direction?
static sti_status judge_P(const sti_painleve_matrix* k, const double* mu, bool* always) {
    double xi[STI_PAINLEVE_MOST], D[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST];
    *always = true;
    for (unsigned pattern = 0; *always && pattern < 1U << k->rough_count; pattern++) {
        bool possible;
        sti_painleve_directions(k, pattern, xi);
        const sti_status status = sti_painleve_possible(k, xi, &possible);
        if (status != STI_OK) return status;
        sti_painleve_matrix_fill(k, mu, xi, D);
        for (unsigned set = 1; possible && set < 1U << k->p; set++) {
            if (!(sti_painleve_minor_relative(k->p, D, set) > STI_PAINLEVE_MINOR_TOL)) *always = false;
        }
    }
    return STI_OK;
}

// none before several before undecided before one
static int badness(sti_painleve_case c) {
    return c == STI_PAINLEVE_NONE ? 4 : c == STI_PAINLEVE_SEVERAL ? 3 : c == STI_PAINLEVE_UNDECIDED ? 2 : 1;
}

static sti_status judge(const sti_painleve_matrix* k, const double* mu, bool common, double mu_c,
                        sti_painleve_case* out) {
    double xi[STI_PAINLEVE_MOST], D[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST];
    bool always = common && mu[0] < mu_c * (1 - 1e-12);
    sti_status status = common ? STI_OK : judge_P(k, mu, &always);
    *out = always ? STI_PAINLEVE_UNIQUE : STI_PAINLEVE_ONE;
    for (unsigned pattern = 0; status == STI_OK && !always && pattern < 1U << k->rough_count; pattern++) {
        bool possible = false;
        if (!sti_painleve_directions(k, pattern, xi)) continue;
        status = sti_painleve_possible(k, xi, &possible);
        if (status != STI_OK || !possible) continue;
        sti_painleve_matrix_fill(k, mu, xi, D);
        const sti_painleve_case here = sti_painleve_count(k->p, D, k->b);
        if (badness(here) > badness(*out)) *out = here;
    }
    return status;
}

// The matrix at this point, w->matrix, unless it is the last one with another friction.
static sti_status prepare(map_work* w, const double* at_axes, double* lack, double* friction) {
    static const double ones[STI_PAINLEVE_MOST] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    bool same = w->matrix_known;
    *friction = NAN;
    for (int a = 0; a < w->def->axis_count; a++) {
        if (w->def->axes[a].kind == STI_PAINLEVE_FRICTION)
            *friction = at_axes[a];
        else
            same = same && at_axes[a] == w->last[a];
    }
    if (same) return STI_OK;
    w->matrix_known = false;
    memcpy(w->last, at_axes, sizeof w->last);
    set_point(w, at_axes);
    sti_status status = close_contacts(w, lack, &w->matrix_closed);
    if (status == STI_OK && w->matrix_closed) status = read_matrix(w, &w->matrix);
    if (status == STI_OK && w->matrix_closed) status = sti_painleve_critical(&w->matrix, ones, &w->matrix_mu_c);
    w->matrix_known = status == STI_OK;
    return status;
}

static sti_status look_at(map_work* w, const double* at_axes, bool count, sti_painleve_cell* cell, double* lack) {
    *cell = (sti_painleve_cell){.outcome = STI_PAINLEVE_APART, .mu_c = INFINITY, .mu = NAN};
    double friction, mu[STI_PAINLEVE_MOST];
    sti_status status = sti_check_time(w->env, "looking at points of a map");
    if (status == STI_OK) status = prepare(w, at_axes, lack, &friction);
    if (status != STI_OK || !w->matrix_closed) return status;
    const sti_painleve_matrix* k = &w->matrix;
    bool common = true;
    cell->mu_c = w->matrix_mu_c;
    for (int j = 0; j < k->p; j++) {
        mu[j] = isnan(friction) ? k->mu[j] : friction;
        common = common && mu[j] == mu[0];
    }
    cell->mu = sti_vector_largest(k->p, mu);
    return count && k->p > 0 ? judge(k, mu, common, cell->mu_c, &cell->outcome) : STI_OK;
}

// ---- the least mu_c

typedef struct search {
    map_work* w;
    double* lack;
    double at[2];
    double low[2], high[2];
    sti_status status;
} search;

static double value_at(search* s, int axis, double x) {
    double point[2] = {s->at[0], s->at[1]};
    point[axis] = x;
    sti_painleve_cell cell;
    if (s->status == STI_OK) s->status = look_at(s->w, point, false, &cell, s->lack);
    return s->status == STI_OK ? cell.mu_c : INFINITY;
}

// A derivative of fourth order, times 12 h.
static double slope(search* s, int axis, double x, double h) {
    return 8 * (value_at(s, axis, x + h) - value_at(s, axis, x - h)) -
           (value_at(s, axis, x + 2 * h) - value_at(s, axis, x - 2 * h));
}

// Golden section on [a, b]; then, when the minimum is inside and smooth, bisection on the slope.
static double least_on_axis(search* s, int axis) {
    const double ratio = 0.5 * (sqrt(5.0) - 1);
    double a = s->low[axis], b = s->high[axis], x = b - ratio * (b - a), y = a + ratio * (b - a);
    double fx = value_at(s, axis, x), fy = value_at(s, axis, y);
    while (b - a > 1e-7 * (1 + fabs(a))) {
        if (fx <= fy) {
            b = y, y = x, fy = fx;
            x = b - ratio * (b - a);
            fx = value_at(s, axis, x);
        } else {
            a = x, x = y, fx = fy;
            y = a + ratio * (b - a);
            fy = value_at(s, axis, y);
        }
    }
    double best = fx <= fy ? x : y;
    const double h = 1e-4 * (s->high[axis] - s->low[axis]), ends[2] = {s->low[axis], s->high[axis]};
    for (int e = 0; e < 2; e++) {
        if (value_at(s, axis, ends[e]) < value_at(s, axis, best)) best = ends[e];
    }
    if (best - 4 * h < s->low[axis] || best + 4 * h > s->high[axis])
        return value_at(s, axis, best) < value_at(s, axis, s->at[axis]) ? best : s->at[axis];
    a = best - 2 * h, b = best + 2 * h;
    for (int i = 0; i < 40; i++) {
        const double middle = 0.5 * (a + b);
        if (slope(s, axis, middle, h) > 0)
            b = middle;
        else
            a = middle;
    }
    const double middle = 0.5 * (a + b);
    if (value_at(s, axis, middle) <= value_at(s, axis, best) * (1 + 1e-13)) best = middle;
    // where the axis does not matter, stay
    return value_at(s, axis, best) < value_at(s, axis, s->at[axis]) * (1 - 1e-15) ? best : s->at[axis];
}

// From the best point, within one step of the grid, the axes in turn.
static sti_status refine(map_work* w, double* lack) {
    search s = {.w = w, .lack = lack, .at = {w->out->at[0], w->out->at[1]}};
    int moving = 0;
    for (int a = 0; a < w->def->axis_count; a++) {
        const sti_painleve_axis* axis = &w->def->axes[a];
        const double step_size = axis->count > 1 ? (axis->high - axis->low) / (axis->count - 1) : 0;
        s.low[a] = fmax(fmin(axis->low, axis->high), s.at[a] - fabs(step_size));
        s.high[a] = fmin(fmax(axis->low, axis->high), s.at[a] + fabs(step_size));
        moving += axis->kind == STI_PAINLEVE_COORDINATE && axis->count > 1;
    }
    for (int round = 0; round < (moving > 1 ? 30 : 1); round++) {
        double moved = 0;
        for (int a = 0; a < w->def->axis_count; a++) {
            if (w->def->axes[a].kind != STI_PAINLEVE_COORDINATE || w->def->axes[a].count < 2) continue;
            const double x = least_on_axis(&s, a);
            moved = fmax(moved, fabs(x - s.at[a]));
            s.at[a] = x;
        }
        if (s.status != STI_OK || moved < 1e-10) break;
    }
    sti_painleve_cell cell;
    if (s.status == STI_OK) s.status = look_at(w, s.at, false, &cell, lack);
    if (s.status != STI_OK || !(cell.mu_c <= w->out->mu_c)) return s.status;
    w->out->mu_c = cell.mu_c;
    memcpy(w->out->at, s.at, sizeof s.at);
    memcpy((double*)w->out->q, w->q, (size_t)w->n * sizeof *w->q);
    w->out->refined = moving > 0;
    return STI_OK;
}

// ---- the grid

static double coordinate(const sti_painleve_axis* axis, int i) {
    if (axis->count == 1) return axis->low;
    return i == axis->count - 1 ? axis->high : axis->low + (axis->high - axis->low) * i / (axis->count - 1);
}

static sti_status fill_grid(map_work* w, double* lack) {
    sti_painleve_map* out = w->out;
    const size_t total = (size_t)out->count[0] * (size_t)out->count[1];
    sti_painleve_cell* cells = sti_arena_take(w->pool, total, sizeof *cells);
    double* best = sti_arena_doubles(w->pool, (size_t)w->n);
    if (w->pool->status != STI_OK) return w->pool->status;
    out->mu_c = INFINITY;
    // friction runs fastest, whichever axis it is
    const bool first_fast = w->def->axes[0].kind == STI_PAINLEVE_FRICTION;
    const int slow_count = out->count[first_fast ? 1 : 0], fast_count = out->count[first_fast ? 0 : 1];
    for (int slow = 0; slow < slow_count; slow++) {
        for (int fast = 0; fast < fast_count; fast++) {
            const int i = first_fast ? fast : slow, j = first_fast ? slow : fast;
            const double point[2] = {coordinate(&w->def->axes[0], i),
                                     w->def->axis_count > 1 ? coordinate(&w->def->axes[1], j) : 0};
            sti_painleve_cell* cell = &cells[sti_at(out->count[0], j, i)];
            const sti_status status = look_at(w, point, true, cell, lack);
            if (status != STI_OK) return status;
            out->number[cell->outcome]++;
            if (cell->mu_c >= out->mu_c) continue;
            out->mu_c = cell->mu_c;
            memcpy(out->at, point, sizeof point);
            memcpy(best, w->q, (size_t)w->n * sizeof *best);
        }
    }
    out->cells = cells;
    out->q = best;
    return STI_OK;
}

static sti_status check_def(const map_work* w) {
    const sti_painleve_map_def* def = w->def;
    if (def->axis_count < 1 || def->axis_count > 2)
        return STI_FAIL(w->env, STI_ERR_ARGUMENT, def->axis_count, "a map has 1 or 2 axes, not %d", def->axis_count);
    for (int a = 0; a < def->axis_count; a++) {
        const sti_painleve_axis* axis = &def->axes[a];
        if (axis->kind != STI_PAINLEVE_FRICTION && (axis->index < 0 || axis->index >= w->n))
            return STI_FAIL(w->env, STI_ERR_ARGUMENT, axis->index, "axis %d: no coordinate %d", a, axis->index);
        if (!isfinite(axis->low) || !isfinite(axis->high) || axis->count < 1 || axis->count > 1000000)
            return STI_FAIL(w->env, STI_ERR_ARGUMENT, a, "axis %d: %d points from %g to %g", a, axis->count, axis->low,
                            axis->high);
        if (axis->kind == STI_PAINLEVE_FRICTION && fmin(axis->low, axis->high) < 0)
            return STI_FAIL(w->env, STI_ERR_ARGUMENT, a, "axis %d: friction from %g: below 0", a, axis->low);
    }
    if (def->axis_count == 2 && (double)def->axes[0].count * def->axes[1].count > 1e7)
        return STI_FAIL(w->env, STI_ERR_SIZE, -1, "a map of %d by %d points is too large", def->axes[0].count,
                        def->axes[1].count);
    return STI_OK;
}

static sti_status reserve(map_work* w) {
    const size_t n = (size_t)w->n, c = (size_t)w->contacts;
    w->closed = sti_arena_take(w->pool, c, sizeof *w->closed);
    w->fixed_q = sti_arena_take(w->pool, n, sizeof *w->fixed_q);
    w->fixed_v = sti_arena_take(w->pool, n, sizeof *w->fixed_v);
    w->q = sti_arena_doubles(w->pool, n);
    w->v = sti_arena_doubles(w->pool, n);
    w->A = sti_arena_doubles(w->pool, c * n);
    w->rhs = sti_arena_doubles(w->pool, c);
    w->x = sti_arena_doubles(w->pool, n);
    w->Z = sti_arena_doubles(w->pool, n * n);
    w->work = sti_arena_doubles(w->pool, c * (n + 1));
    w->column = sti_arena_ints(w->pool, n);
    w->index = sti_arena_ints(w->pool, c + n);
    return w->pool->status;
}

// Which contacts are held: those that touch at the start, joints always; all when no contact touches.
static void choose_held(map_work* w) {
    int touching = 0;
    for (int i = 0; i < w->contacts; i++) {
        const sti_instant_contact* c = &w->instant->contacts[i];
        w->closed[i] = c->bilateral || c->gap <= w->def->gap_tol;
        touching += !c->bilateral && w->closed[i];
    }
    for (int i = 0; touching == 0 && i < w->contacts; i++) w->closed[i] = true;
    for (int i = 0; i < w->contacts; i++) w->held += w->closed[i];
    for (int a = 0; a < w->def->axis_count; a++) {
        if (w->def->axes[a].kind == STI_PAINLEVE_COORDINATE) w->fixed_q[w->def->axes[a].index] = true;
        if (w->def->axes[a].kind == STI_PAINLEVE_VELOCITY) w->fixed_v[w->def->axes[a].index] = true;
    }
}

static sti_status fill(map_work* w) {
    const sti_painleve_map_def* def = w->def;
    sti_status status = check_def(w);
    if (status == STI_OK) status = reserve(w);
    double* lack = sti_arena_doubles(w->pool, (size_t)w->contacts);
    if (status == STI_OK) status = w->pool->status;
    if (status == STI_OK) status = sti_system_instant(w->env, w->system, def->time, def->q, def->v, &w->instant);
    if (status != STI_OK) return status;
    choose_held(w);
    w->out->count[0] = def->axes[0].count;
    w->out->count[1] = def->axis_count > 1 ? def->axes[1].count : 1;
    status = fill_grid(w, lack);
    if (status == STI_OK && def->refine && isfinite(w->out->mu_c)) status = refine(w, lack);
    return status;
}

sti_status sti_painleve_map_create(sti_env* env, const sti_system* system, const sti_painleve_map_def* def,
                                   sti_painleve_map** out) {
    *out = NULL;
    owned_map* made = sti_alloc(env, sizeof *made);
    if (made == NULL) return STI_ERR_MEMORY;
    const int n = sti_system_coordinate_count(system);
    *made = (owned_map){.m = {.n = n}, .pool = sti_arena_make(env)};
    map_work w = {.env = env,
                  .system = system,
                  .def = def,
                  .out = &made->m,
                  .pool = &made->pool,
                  .n = n,
                  .contacts = sti_system_contact_count(system)};
    const sti_status status = fill(&w);
    sti_instant_destroy(env, w.instant);
    if (status == STI_OK)
        *out = &made->m;
    else
        sti_painleve_map_destroy(env, &made->m);
    return status;
}

void sti_painleve_map_destroy(sti_env* env, sti_painleve_map* map) {
    if (map == NULL) return;
    owned_map* made = (owned_map*)map;
    sti_arena_clear(&made->pool);
    sti_free(env, made);
}
