// force.c: which forces make all contacts stick (S0 section 4.2, step 6; propositions 3 and 5 as questions).
//
// Over F + B f the conditions stay convex in (a, lambda, f) for each choice of the signs of bilateral friction, so the
// best f of a branch is a linear or conic program, and the best of all branches is the answer. Without discs and with a
// linear cost it is solved in integers.
//
// The set of all F is  { C lambda - M a : lambda in the cones, A'a + c = 0 } = -M a0 + C K + M ker A',  a cone with its
// apex at -M a0 when K is polyhedral.
#include <math.h>
#include <string.h>

#include "sticking/sticking.h"

enum { CHOICES_MOST = 10 };

typedef struct task {
    sti_arena pool;
    sti_posed s;
    bool exact;
    int choices;
    signed char* sign;  // (nc)
} task;

static sti_status open_task(task* k, sti_env* env, const sti_instant* instant, const sti_sticking_options* options) {
    const sti_sticking_options standard = sti_sticking_options_default();
    *k = (task){.pool = sti_arena_make(env)};
    sti_status status = sti_posed_make(&k->s, &k->pool, instant, options != NULL ? options : &standard);
    if (status != STI_OK) return status;
    k->sign = sti_arena_take(&k->pool, (size_t)k->s.nc, 1);
    if (k->sign == NULL) return k->pool.status;
    for (int i = 0; i < k->s.nc; i++) k->choices += k->s.choice[i];
    if (k->choices > CHOICES_MOST)
        return STI_FAIL(env, STI_ERR_SIZE, k->choices, "%d bilateral contacts with friction: too many choices of signs",
                        k->choices);
    bool near = true;
    if (k->s.exact && k->s.polyhedral) status = sti_posed_near_redundant(&k->s, &near);
    k->exact = !near;
    return status;
}

static void set_branch(task* k, int branch) {
    for (int i = 0, bit = 0; i < k->s.nc; i++) k->sign[i] = k->s.choice[i] ? (branch >> bit++ & 1 ? -1 : 1) : 0;
}

// Unknowns (a, lambda, f, cost): the cost as an unknown of its own, for the exact way.
static sti_status pose(task* k, const sti_force_choice* c, sti_cone_program* g) {
    const sti_posed* s = &k->s;
    const int count = c->count, f = s->n + s->p;
    sti_status status = sti_posed_program(s, k->sign, count + 1, 2 * count + 1, -1, k->exact, g);
    if (status != STI_OK) return status;
    for (int j = 0; j < s->n; j++) {
        for (int l = 0; l < count; l++) {
            const double entry = c->B != NULL ? c->B[(size_t)j * (size_t)count + (size_t)l] : j == l;
            sti_program_put(g, j, 1 + f + l, entry);
        }
    }
    for (int l = 0; l < count; l++) {
        for (int side = 0; side < 2; side++) {
            const double* limit = side == 0 ? c->low : c->high;
            if (limit == NULL || !isfinite(limit[l])) continue;
            const int r = sti_program_add(g, STI_ROW_NONNEGATIVE, -1);
            sti_program_put(g, r, 0, side == 0 ? -limit[l] : limit[l]);
            sti_program_put(g, r, 1 + f + l, side == 0 ? 1 : -1);
        }
    }
    const int r = sti_program_add(g, STI_ROW_ZERO, -1);
    sti_program_put(g, r, 1 + f + count, -1);
    for (int l = 0; l < count; l++) sti_program_put(g, r, 1 + f + l, c->cost != NULL ? c->cost[l] : 0);
    return s->pool->status;
}

typedef struct best {
    sti_conic_outcome outcome;
    double value;
    double* x;  // (n + p + count + 1)
} best;

static sti_status solve_exactly(task* k, const sti_cone_program* g, best* out) {
    sti_exact_program e = {0};
    sti_rationals* x = NULL;
    out->outcome = STI_CONIC_INFEASIBLE;
    sti_status status = sti_exact_program_open(&e, g);
    if (status == STI_OK && e.feasible) {
        out->outcome = STI_CONIC_SOLVED;
        status = sti_exact_program_least(&e, g->size - 1, 1, &out->value);
        if (isinf(out->value)) out->outcome = STI_CONIC_UNBOUNDED;
        if (status == STI_OK) status = sti_rationals_create(k->s.env, (size_t)g->size, &x);
        if (status == STI_OK) status = sti_exact_program_point(&e, x);
        for (int j = 0; status == STI_OK && j < g->size; j++) out->x[j] = sti_rationals_double(x, (size_t)j);
    }
    sti_rationals_destroy(x);
    sti_exact_program_close(&e);
    return status;
}

static sti_status solve_conic(task* k, sti_cone_program* g, const double* weight, best* out) {
    out->outcome = STI_CONIC_INFEASIBLE;
    sti_status status = sti_program_reduce(g);
    if (status != STI_OK || g->outside > 1e-9) return status;
    double* c = sti_arena_doubles(&k->pool, (size_t)g->size);
    if (c == NULL) return k->pool.status;
    c[g->size - 1] = 1;
    sti_program_answer answer;
    status = sti_program_minimize(g, c, weight, &answer);
    if (status != STI_OK) return status;
    out->outcome = answer.outcome;
    out->value = answer.outcome == STI_CONIC_UNBOUNDED ? -INFINITY : answer.value;
    memcpy(out->x, answer.x, (size_t)g->size * sizeof *out->x);
    return STI_OK;
}

static sti_status solve_branch(task* k, const sti_force_choice* c, best* out) {
    sti_cone_program g = {0};
    double* weight = NULL;
    const int first = k->s.n + k->s.p;
    sti_status status = pose(k, c, &g);
    if (status == STI_OK) {
        out->x = sti_arena_doubles(&k->pool, (size_t)g.size);
        weight = sti_arena_doubles(&k->pool, (size_t)g.size);
        status = k->pool.status;
    }
    for (int l = 0; status == STI_OK && c->weight != NULL && l < c->count; l++) weight[first + l] = c->weight[l];
    if (status == STI_OK) {
        status = k->exact && c->weight == NULL ? solve_exactly(k, &g, out)
                                               : solve_conic(k, &g, c->weight != NULL ? weight : NULL, out);
    }
    sti_program_close(&g);
    return status;
}

// A pull B_l'y that the box leaves open on its side is 0, and rounding here: y is put at right angles to these columns.
static void clear_open_pulls(const sti_posed* s, const sti_force_choice* c, double* y) {
    const size_t n = (size_t)s->n, count = (size_t)c->count;
    for (int pass = 0; pass < 3; pass++) {
        for (size_t l = 0; l < count; l++) {
            double pull = 0, square = 0;
            for (size_t j = 0; j < n; j++) {
                const double b = c->B != NULL ? c->B[j * count + l] : j == l;
                pull += b * y[j];
                square += b * b;
            }
            const double* limit = pull > 0 ? c->low : c->high;
            if (square == 0 || (limit != NULL && isfinite(limit[l]))) continue;
            for (size_t j = 0; j < n; j++) y[j] -= pull / square * (c->B != NULL ? c->B[j * count + l] : j == l);
        }
    }
}

// The force e of least |e| with which some f of the box sticks: M a + F + B f + e = C lambda. At the least the
// multipliers (y, z) of these equations and of A'a + c = 0 are such a motion: y = -e, M y + A z = 0, -C'y in the dual
// cones, f least for y'B f in the box, and y'(F + B f) + z'c = |e|^2.
static sti_status find_witness(task* k, const sti_force_choice* c, sti_force_answer* out) {
    const sti_posed* s = &k->s;
    const size_t n = (size_t)s->n, p = (size_t)s->p, q = (size_t)s->q, count = (size_t)c->count;
    double* B = sti_arena_doubles(&k->pool, n * (count + n));
    double* limits = sti_arena_doubles(&k->pool, 2 * (count + n));
    if (B == NULL || limits == NULL) return k->pool.status;
    for (size_t j = 0; j < n; j++) {
        for (size_t l = 0; l < count; l++) B[j * (count + n) + l] = c->B != NULL ? c->B[j * count + l] : j == l;
        B[j * (count + n) + count + j] = 1;
    }
    for (size_t l = 0; l < count + n; l++) {
        limits[l] = l < count && c->low != NULL ? c->low[l] : -INFINITY;
        limits[count + n + l] = l < count && c->high != NULL ? c->high[l] : INFINITY;
    }
    const sti_force_choice wider = {.count = (int)(count + n), .B = B, .low = limits, .high = limits + count + n};
    sti_cone_program g = {0};
    set_branch(k, 0);
    sti_status status = pose(k, &wider, &g);
    if (status == STI_OK) status = sti_program_reduce(&g);
    double* weight = status == STI_OK ? sti_arena_doubles(&k->pool, (size_t)g.size) : NULL;
    sti_program_answer a = {0};
    if (status == STI_OK && weight == NULL) status = k->pool.status;
    if (status == STI_OK && g.outside <= 1e-9) {
        for (size_t j = 0; j < n; j++) weight[n + p + count + j] = 1;
        status = sti_program_minimize(&g, NULL, weight, &a);
    }
    if (status == STI_OK && a.x != NULL && a.outcome == STI_CONIC_SOLVED) {
        const double* e = a.x + n + p + count;
        sti_svd held;
        double* pull = sti_arena_doubles(&k->pool, n);
        out->y = sti_alloc_array(s->env, n, sizeof *out->y);
        out->z = sti_alloc_array_zero(s->env, q, sizeof *out->z);
        out->worst = sti_alloc_array(s->env, count, sizeof *out->worst);
        if (out->y == NULL || out->z == NULL || out->worst == NULL || pull == NULL) status = STI_ERR_MEMORY;
        double size = 0;
        for (size_t j = 0; status == STI_OK && j < n; j++) out->y[j] = -e[j];
        if (status == STI_OK) clear_open_pulls(s, c, out->y);
        for (size_t j = 0; status == STI_OK && j < n; j++) size += out->y[j] * out->y[j];
        for (size_t j = 0; status == STI_OK && j < n; j++)
            pull[j] = -sti_small_dot(s->n, s->instant->M + j * n, out->y);
        if (status == STI_OK && q > 0) status = sti_svd_make(&k->pool, s->n, s->q, s->A, 1e-11, &held);
        if (status == STI_OK && q > 0) sti_svd_solve(&held, pull, out->z);
        for (size_t l = 0; status == STI_OK && l < count; l++) out->worst[l] = a.x[n + p + l];
        out->acceleration_count = s->q;
        out->gap = size;
    }
    sti_program_close(&g);
    return status;
}

static void drop_witness(sti_env* env, sti_force_answer* a) {
    sti_free(env, a->y);
    sti_free(env, a->z);
    sti_free(env, a->worst);
    a->y = a->z = a->worst = NULL;
    a->gap = NAN;
}

// A witness that does not pass the check is not told.
static sti_status add_witness(task* k, const sti_instant* instant, const sti_sticking_options* options,
                              const sti_force_choice* c, sti_force_answer* out) {
    bool accepted = false;
    const sti_sticking_options o = options != NULL ? *options : sti_sticking_options_default();
    if (k->choices > 0 || o.facets > 0 || k->s.options.facets > 0) return STI_OK;
    sti_status status = find_witness(k, c, out);
    if (status == STI_OK && out->y != NULL)
        status = sti_verify_no_force(k->s.env, instant, &o, c, out, 1e-7, &accepted);
    if (!accepted) drop_witness(k->s.env, out);
    return status;
}

void sti_force_answer_clear(sti_env* env, sti_force_answer* answer) {
    drop_witness(env, answer);
    sti_free(env, answer->f);
    sti_free(env, answer->a);
    sti_free(env, answer->lambda);
    *answer = (sti_force_answer){0};
}

// +1: a is the better outcome of the two.
static bool is_better(const best* a, const best* b) {
    if (a->outcome == STI_CONIC_UNBOUNDED) return b->outcome != STI_CONIC_UNBOUNDED;
    if (a->outcome != STI_CONIC_SOLVED) return false;
    return b->outcome != STI_CONIC_UNBOUNDED && (b->outcome != STI_CONIC_SOLVED || a->value < b->value);
}

sti_status sti_sticking_force(sti_env* env, const sti_instant* instant, const sti_sticking_options* options,
                              const sti_force_choice* choice, sti_force_answer* out) {
    *out = (sti_force_answer){.outcome = STI_CONIC_UNKNOWN, .value = NAN, .gap = NAN};
    task k = {0};
    best top = {.outcome = STI_CONIC_INFEASIBLE};
    sti_status status = open_task(&k, env, instant, options);
    if (status == STI_OK && (choice->count < 0 || (choice->B == NULL && choice->count != instant->n)))
        status = STI_FAIL(env, STI_ERR_ARGUMENT, choice->count, "%d force directions", choice->count);
    bool unknown = false;
    for (int b = 0; status == STI_OK && b < 1 << k.choices; b++) {
        best here = {.outcome = STI_CONIC_UNKNOWN};
        set_branch(&k, b);
        status = solve_branch(&k, choice, &here);
        unknown = unknown || here.outcome == STI_CONIC_UNKNOWN || here.outcome == STI_CONIC_LIMIT;
        if (status == STI_OK && is_better(&here, &top)) top = here;
    }
    if (status == STI_OK) {
        out->outcome = top.outcome == STI_CONIC_INFEASIBLE && unknown ? STI_CONIC_UNKNOWN : top.outcome;
        out->exact = k.exact && choice->weight == NULL && out->outcome != STI_CONIC_UNKNOWN;
        if (top.outcome == STI_CONIC_SOLVED || top.outcome == STI_CONIC_UNBOUNDED) out->value = top.value;
    }
    if (status == STI_OK && top.outcome == STI_CONIC_SOLVED) {
        const size_t n = (size_t)k.s.n, p = (size_t)k.s.p, count = (size_t)choice->count;
        out->a = sti_alloc_array(env, n, sizeof *out->a);
        out->lambda = sti_alloc_array(env, p, sizeof *out->lambda);
        out->f = sti_alloc_array(env, count, sizeof *out->f);
        if (out->a == NULL || out->lambda == NULL || out->f == NULL) {
            status = STI_ERR_MEMORY;
        } else {
            memcpy(out->a, top.x, n * sizeof *out->a);
            memcpy(out->lambda, top.x + n, p * sizeof *out->lambda);
            memcpy(out->f, top.x + n + p, count * sizeof *out->f);
        }
    }
    if (status == STI_OK && out->outcome == STI_CONIC_INFEASIBLE)
        status = add_witness(&k, instant, options, choice, out);
    if (status != STI_OK) sti_force_answer_clear(env, out);
    sti_arena_clear(&k.pool);
    return status;
}

// ---- along a line

static void merge(sti_force_intervals* list, double low, double high) {
    int at = 0;
    while (at < list->count && list->low[at] < low) at++;
    for (int i = list->count; i > at; i--) {
        list->low[i] = list->low[i - 1];
        list->high[i] = list->high[i - 1];
    }
    list->low[at] = low;
    list->high[at] = high;
    list->count++;
    int kept = 0;  // join what overlaps
    for (int i = 1; i < list->count; i++) {
        const double slack = 1e-12 * (1 + fabs(list->high[kept]));
        if (list->low[i] <= list->high[kept] + slack) {
            list->high[kept] = fmax(list->high[kept], list->high[i]);
        } else {
            kept++;
            list->low[kept] = list->low[i];
            list->high[kept] = list->high[i];
        }
    }
    list->count = kept + 1;
}

sti_status sti_sticking_force_line(sti_env* env, const sti_instant* instant, const sti_sticking_options* options,
                                   const double* d, sti_force_intervals* out) {
    *out = (sti_force_intervals){0};
    task k = {0};
    sti_status status = open_task(&k, env, instant, options);
    if (status == STI_OK) {
        out->low = sti_alloc_array(env, ((size_t)1 << k.choices) + 1, sizeof *out->low);
        out->high = sti_alloc_array(env, ((size_t)1 << k.choices) + 1, sizeof *out->high);
        if (out->low == NULL || out->high == NULL) status = STI_ERR_MEMORY;
    }
    for (int b = 0; status == STI_OK && b < 1 << k.choices; b++) {
        double end[2] = {0, 0};
        bool inside = true;
        set_branch(&k, b);
        for (int side = 0; status == STI_OK && inside && side < 2; side++) {
            const double cost = side == 0 ? 1 : -1;
            const sti_force_choice choice = {.count = 1, .B = d, .cost = &cost};
            best here = {.outcome = STI_CONIC_UNKNOWN};
            status = solve_branch(&k, &choice, &here);
            inside = here.outcome == STI_CONIC_SOLVED || here.outcome == STI_CONIC_UNBOUNDED;
            end[side] = here.outcome == STI_CONIC_UNBOUNDED ? -INFINITY : here.value;
        }
        if (status == STI_OK && inside) merge(out, end[0], -end[1]);
    }
    if (status != STI_OK) sti_force_intervals_clear(env, out);
    sti_arena_clear(&k.pool);
    return status;
}

void sti_force_intervals_clear(sti_env* env, sti_force_intervals* intervals) {
    sti_free(env, intervals->low);
    sti_free(env, intervals->high);
    *intervals = (sti_force_intervals){0};
}

// ---- the whole set

typedef struct generators {
    int count, capacity;
    double* value;  // (capacity x n)
} generators;

static void add_ray(const task* k, generators* g, int i, const double* v) {  // v (1 + tangents): a force at contact i
    const sti_posed* s = &k->s;
    double* row = g->value + (size_t)g->count++ * (size_t)s->n;
    for (int j = 0; j < s->n; j++)
        row[j] = sti_small_dot(1 + s->tangents[i], s->C + (size_t)j * (size_t)s->p + s->first[i], v);
}

static void add_rays(const task* k, generators* rays, generators* lines, int i) {
    const sti_posed* s = &k->s;
    const int sign = s->bilateral[i] ? k->sign[i] : 1, facets = sti_posed_facets(s, i);
    const double* corner = sti_posed_contact(s, i)->corner;
    double v[3] = {sign, 0, 0};
    if (!s->rough[i]) {
        v[0] = 1;
        add_ray(k, s->bilateral[i] ? lines : rays, i, v);
    } else if (s->slides[i]) {
        for (int t = 1; t <= s->tangents[i]; t++) v[t] = -s->mu[i] * s->slip[s->first[i] + t];
        add_ray(k, rays, i, v);
    } else {
        for (int c = 0; c < (s->tangents[i] == 1 ? 2 : facets); c++) {
            const double angle = 2 * M_PI * c / (s->tangents[i] == 1 ? 2 : facets);
            v[1] = s->mu[i] * (s->tangents[i] == 1 ? (c == 0 ? 1 : -1) : cos(angle));
            if (s->tangents[i] == 2) v[2] = s->mu[i] * sin(angle);
            for (int t = 0; corner != NULL && t < 2; t++) v[1 + t] = s->mu[i] * corner[2 * c + t];
            add_ray(k, rays, i, v);
        }
    }
}

static sti_status make_cone(task* k, const sti_svd* held, sti_polycone** out) {
    const sti_posed* s = &k->s;
    const size_t n = (size_t)s->n;
    generators rays = {.capacity = s->nc * (s->options.facets > 2 ? s->options.facets : 2)},
               lines = {.capacity = s->nc + s->n};
    rays.value = sti_arena_doubles(&k->pool, (size_t)rays.capacity * n);
    lines.value = sti_arena_doubles(&k->pool, (size_t)lines.capacity * n);
    if (k->pool.status != STI_OK) return k->pool.status;
    for (int i = 0; i < s->nc; i++) add_rays(k, &rays, &lines, i);
    for (int h = 0; h < s->n - held->rank; h++) {  // M x for x in ker A'
        double* row = lines.value + (size_t)lines.count * n;
        sti_small_multiply(s->n, s->n, 1, s->instant->M, sti_svd_kernel(held, h), row);
        if (sti_small_max(n, row) > 1e-12 * sti_small_max(n * n, s->instant->M)) lines.count++;
    }
    const sti_rows r = {.count = rays.count, .dimension = s->n, .value = rays.value};
    const sti_rows l = {.count = lines.count, .dimension = s->n, .value = lines.value};
    const sti_polycone_options options = sti_polycone_options_default();
    return sti_polycone_create_span(s->env, s->n, &r, &l, &options, out);
}

// center = -M a0, a0 the least-norm solution of A'a + c = 0. *possible false: there is none.
static sti_status find_center(task* k, sti_svd* held, double* center, bool* possible) {
    const sti_posed* s = &k->s;
    const size_t n = (size_t)s->n, q = (size_t)s->q;
    double *At = sti_arena_doubles(&k->pool, q * n), *a = sti_arena_doubles(&k->pool, n);
    int *rows = sti_arena_ints(&k->pool, q), count = 0;
    if (k->pool.status != STI_OK) return k->pool.status;
    for (int i = 0; i < s->nc; i++)
        for (int h = 0; h < s->row[i + 1] - s->row[i]; h++) rows[count++] = s->first[i] + h;
    for (size_t i = 0; i < q; i++)
        for (size_t j = 0; j < n; j++) At[i * n + j] = s->A[j * q + i];
    sti_status status = sti_svd_make(&k->pool, s->q, s->n, At, STI_SMALL_RANK_TOL, held);
    if (status == STI_OK) status = sti_posed_consistent(s, false, rows, count, s->size, possible);
    if (status != STI_OK) return status;
    sti_svd_solve(held, s->c, a);  // minus a0
    sti_small_multiply(s->n, s->n, 1, s->instant->M, a, center);
    return STI_OK;
}

static sti_status locate(const task* k, sti_force_set* out) {
    const size_t n = (size_t)k->s.n;
    double* load = sti_alloc_array(k->s.env, n, sizeof *load);
    if (load == NULL) return STI_ERR_MEMORY;
    for (size_t j = 0; j < n; j++) load[j] = k->s.instant->F[j] - out->center[j];
    sti_status status = STI_OK;
    out->inside = -1;
    out->place = (sti_cone_point){.distance = INFINITY, .slack = NAN, .face = -1};
    for (int c = 0; status == STI_OK && c < out->cone_count && out->inside < 0; c++) {
        sti_cone_point point;
        status = sti_polycone_locate(out->cones[c], load, &point);
        if (status == STI_OK && point.inside) out->inside = c;
        if (status == STI_OK && (point.inside || point.distance < out->place.distance)) out->place = point;
    }
    sti_free(k->s.env, load);
    return status;
}

sti_status sti_sticking_force_set(sti_env* env, const sti_instant* instant, const sti_sticking_options* options,
                                  sti_force_set* out) {
    *out = (sti_force_set){.n = instant->n, .inside = -1};
    task k = {0};
    sti_svd held;
    bool possible = false;
    sti_status status = open_task(&k, env, instant, options);
    if (status == STI_OK && !k.s.polyhedral)
        status = STI_FAIL(env, STI_ERR_ARGUMENT, -1, "discs in space: the set of forces is no polyhedron; give facets");
    if (status == STI_OK) {
        out->center = sti_alloc_array(env, (size_t)instant->n, sizeof *out->center);
        out->cones = sti_alloc_array_zero(env, (size_t)1 << k.choices, sizeof *out->cones);
        if (out->center == NULL || out->cones == NULL) status = STI_ERR_MEMORY;
    }
    if (status == STI_OK) status = find_center(&k, &held, out->center, &possible);
    for (int b = 0; status == STI_OK && possible && b < 1 << k.choices; b++) {
        set_branch(&k, b);
        status = make_cone(&k, &held, &out->cones[b]);
        if (status == STI_OK) out->cone_count++;
    }
    if (status == STI_OK) status = locate(&k, out);
    if (status != STI_OK) sti_force_set_clear(env, out);
    sti_arena_clear(&k.pool);
    return status;
}

void sti_force_set_clear(sti_env* env, sti_force_set* set) {
    for (int i = 0; i < set->cone_count; i++) sti_polycone_destroy(set->cones[i]);
    sti_free(env, set->cones);
    sti_free(env, set->center);
    *set = (sti_force_set){0};
}
