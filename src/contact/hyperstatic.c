// hyperstatic.c: the part of r that the problem leaves open, and the smallest r.
//
// The velocities of a solution fix what each contact may carry:
//
//     separates      u_n > 0                r_c = 0
//     slides         u_n = 0, u_t != 0      r_c = z_c e_c,  z_c >= 0,
//         e_c the unit vector against u_t on the border of K
//     sticks         u = 0                  r_c in K
//
// Every such r that also makes the same motion, C_u'r + C_b'lambda = the same (motion.h), is a solution with the same
// velocities, and there are no others with them: a convex set, the point r itself when nothing is redundant. Its
// smallest element solves
//
//     min 1/2 |E z|^2    subject to    C_u'E z + C_b'dl = C_u'r,    z in the cones above
//
// with r = E z, E_c = e_c or I: a conic program, sparse, with nx equations. e_c is taken from r_c, not from u_t, so
// that r itself is feasible without rounding. The directions in which r is open span at most the kernel of E'W E, whose
// dimension is counted (inertia.c); it is the dimension of the set unless r is held at the borders of the cones. If it
// is 0, r is determined and nothing else is computed.
//
// A contact counts as sticking or sliding when the velocity that says otherwise is so small that all of them together
// stay within half the tolerance: then a closed contact that carries nothing now may carry something in the smallest r.
//
// The result is judged like any other point, by its residual on the original data; if that is not a solution, r stays.
#include "contact/hyperstatic.h"

#include <math.h>
#include <stdio.h>
#include <stiction/conic.h>
#include <string.h>

#include "base/arena.h"
#include "contact/cone.h"
#include "contact/entries.h"
#include "contact/inertia.h"
#include "contact/motion.h"

static const double near_enough = 1e-8;  // residual of the program: r is then the smallest to about 1e-4 of its size

typedef struct carrier {
    sti_arena memory;
    sti_env* env;
    const sti_contact_local* p;
    sti_motion m;
    int* dim;       // numbers z of each contact: 0, 1 or d                     (nc)
    int* first;     // and where they begin                                     (nc+1)
    double* basis;  // columns of E_c, see sti_bsr_restrict                     (nc x d x d)
    double unit;    // |r|
} carrier;

static void drop_carrier(carrier* k) {
    sti_motion_clear(&k->m);
    sti_arena_clear(&k->memory);
}

// --- what each contact may carry -----------------------------------------------------------------------------------

// The direction of a sliding force: that of r, or where r is too small (or the contact was not said to slide) to have
// one, against u_t.
static void slide_along(int d, double mu, double least, const double* r, const double* u, double* e) {
    const double size = hypot(r[0], sti_cone_slip_safe(d, r)), slip = sti_cone_slip_safe(d, u),
                 length = sqrt(1 + mu * mu);
    for (int i = 0; i < d; i++)
        e[i] = size > least || slip == 0 ? r[i] / size : i == 0 ? 1 / length : -mu * u[i] / (slip * length);
}

static void classify(carrier* k, const sti_contact_answer* a, double tol) {
    const sti_contact_local* p = k->p;
    const int d = p->d;
    const double small = 0.5 * tol * fmax(k->unit, p->scale) / sqrt(p->nc > 0 ? p->nc : 1);
    for (int c = 0; c < p->nc; c++) {
        const double *r = a->r + (size_t)d * (size_t)c, *u = a->u + (size_t)d * (size_t)c, rho = p->rho[c];
        double* E = k->basis + (size_t)c * (size_t)(d * d);
        const double slip = rho * sti_cone_slip_safe(d, u), part = rho * fabs(u[0]);
        sti_contact_mode mode = (sti_contact_mode)a->mode[c];
        if (hypot(part, slip) <= small)
            mode = STI_MODE_STICK;
        else if (part <= small && mode == STI_MODE_SEPARATE)
            mode = STI_MODE_SLIDE;
        memset(E, 0, (size_t)(d * d) * sizeof *E);
        k->dim[c] = mode == STI_MODE_SEPARATE ? 0 : mode == STI_MODE_STICK && p->mu[c] > 0 ? d : 1;
        if (k->dim[c] == 1 && mode == STI_MODE_SLIDE)
            slide_along(d, p->mu[c], 1e-3 * k->unit / sqrt(p->nc), r, u, E);
        else
            for (int i = 0; i < k->dim[c]; i++) E[i * d + i] = 1;
        k->first[c + 1] = k->first[c] + k->dim[c];
    }
}

static sti_status open_carrier(sti_contact_reduction* red, const sti_contact_answer* a, double tol, carrier* k) {
    sti_env* env = red->env;
    const sti_contact_local* p = &red->local;
    const size_t nc = (size_t)p->nc;
    *k = (carrier){.env = env, .p = p};
    const sti_status status = sti_motion_create(env, red->problem, &k->m);
    if (status != STI_OK) return status;
    k->memory = sti_arena_make(env);
    k->dim = sti_arena_raw(&k->memory, nc, sizeof *k->dim);
    k->first = sti_arena_take(&k->memory, nc + 1, sizeof *k->first);
    k->basis = sti_arena_raw(&k->memory, nc * (size_t)(p->d * p->d), sizeof *k->basis);
    if (k->memory.status != STI_OK) return k->memory.status;
    for (int i = 0; i < p->d * p->nc; i++) k->unit = hypot(k->unit, a->r[i]);
    classify(k, a, tol);
    return STI_OK;
}

static sti_status count_open(const carrier* k, int* dimension) {
    sti_matrix W;
    int negative;
    sti_status status = sti_bsr_restrict(k->env, &k->p->W, k->dim, k->basis, &W);
    if (status == STI_OK) status = sti_inertia_count(k->env, &W, &negative, dimension);
    sti_matrix_clear(k->env, &W);
    return status;
}

// --- the program ---------------------------------------------------------------------------------------------------

typedef struct program {
    sti_arena memory;
    sti_conic conic;
    double *c, *b;   // (n), (m)
    int* cone_size;  // (cone_count)
} program;

static void drop_program(sti_env* env, program* q) {
    sti_matrix_clear(env, &q->conic.P);
    sti_matrix_clear(env, &q->conic.A);
    sti_arena_clear(&q->memory);
}

// z of the present r
static double coordinate(const carrier* k, const double* r, int c, int a) {
    const int d = k->p->d;
    double z = 0;
    for (int i = 0; i < d; i++) z += k->basis[(c * d + a) * d + i] * r[d * c + i];
    return z;
}

// The part of column `at` of C' that z_(first + a) of its contact multiplies.
static double entry(const carrier* k, int j, int64_t at, int a) {
    const sti_motion* m = &k->m;
    const int i = m->C.row[at], d = m->d;
    return m->C.value[at] * m->step[j] * k->basis[(i / d * d + a) * d + i % d];
}

// Largest entry of equation j, in the units of its contacts. Directions known to 1e-10 leave entries of that size where
// the exact ones have none, and such an equation says nothing.
static double strength(const carrier* k, int j) {
    const sti_motion* m = &k->m;
    double most = 0;
    for (int64_t at = m->C.col_start[j]; at < m->C.col_start[j + 1]; at++) {
        const int i = m->C.row[at];
        if (i >= m->n) most = fmax(most, fabs(m->C.value[at]) * m->step[j] * m->weight[i]);
        for (int a = 0; i < m->n && a < k->dim[i / m->d]; a++)
            most = fmax(most, fabs(entry(k, j, at, a)) * m->weight[i]);
    }
    return most;
}

// Equations C_u'E z + C_b'dl = C_u'E z_0, over the unit of r.
static void put_equations(const carrier* k, const double* r, double noise, sti_entries* e, program* q) {
    const sti_motion* m = &k->m;
    const int d = m->d, nz = k->first[m->nc];
    int rows = 0;
    for (int j = 0; j < m->nx; j++) {
        double right = 0;
        if (!(strength(k, j) > noise)) continue;
        for (int64_t at = m->C.col_start[j]; at < m->C.col_start[j + 1]; at++) {
            const int i = m->C.row[at], c = i / d;
            if (i >= m->n) sti_entries_add(e, rows, nz + i - m->n, m->C.value[at] * m->step[j] * m->weight[i]);
            for (int a = 0; i < m->n && a < k->dim[c]; a++) {
                const double x = entry(k, j, at, a);
                if (x == 0) continue;
                sti_entries_add(e, rows, k->first[c] + a, x);
                right += x * coordinate(k, r, c, a) / k->unit;
            }
        }
        q->b[rows++] = right;
    }
    q->conic.zero = rows;
}

static void put_cones(const carrier* k, sti_entries* e, program* q) {
    const int d = k->p->d, nc = k->p->nc;
    int row = q->conic.zero, cones = 0;
    for (int c = 0; c < nc; c++) {
        if (k->dim[c] == 1) sti_entries_add(e, row++, k->first[c], -1);
    }
    q->conic.nonnegative = row - q->conic.zero;
    for (int c = 0; c < nc; c++) {
        if (k->dim[c] != d) continue;
        const double mu = k->p->mu[c], stretch = 1 / fmax(1, mu);
        for (int i = 0; i < d; i++) sti_entries_add(e, row++, k->first[c] + i, -stretch * (i == 0 ? mu : 1));
        q->cone_size[cones++] = d;
    }
    q->conic.cone_count = cones;
    q->conic.m = row;
}

static sti_status build(const carrier* k, const double* r, double noise, program* q) {
    sti_env* env = k->env;
    const int nz = k->first[k->p->nc], n = nz + k->m.nb;
    *q = (program){.conic = {.n = n}};
    const size_t rows = (size_t)k->m.nx + (size_t)k->m.n;
    q->memory = sti_arena_make(env);
    q->c = sti_arena_take(&q->memory, (size_t)n, sizeof *q->c);
    q->b = sti_arena_take(&q->memory, rows, sizeof *q->b);
    q->cone_size = sti_arena_raw(&q->memory, (size_t)k->p->nc, sizeof *q->cone_size);
    if (q->memory.status != STI_OK) return q->memory.status;
    sti_entries e = {.env = env};
    put_equations(k, r, noise, &e, q);
    put_cones(k, &e, q);
    sti_status status = sti_entries_finish(&e, q->conic.m, n, &q->conic.A);
    for (int j = 0; j < nz; j++) sti_entries_add(&e, j, j, 1);
    if (status == STI_OK)
        status = sti_entries_finish(&e, n, n, &q->conic.P);
    else
        sti_entries_drop(&e);
    q->conic.c = q->c;
    q->conic.b = q->b;
    q->conic.cone_size = q->cone_size;
    return status;
}

// r (d nc): the smallest instead of the present one, as far as the program was solved. spent: its iterations
static sti_status shrink(const carrier* k, const sti_contact_options* options, double* r, bool* solved) {
    program q;
    sti_conic_answer a = {0};
    sti_conic_options o = sti_conic_options_default();
    o.tol = fmin(1e-9, 0.01 * options->tol);
    o.time_limit_s = options->time_limit_s;
    const int d = k->p->d;
    *solved = false;
    sti_status status = build(k, r, fmax(1e-10, options->tol), &q);
    if (status == STI_OK) status = sti_conic_solve(k->env, &q.conic, &o, &a);
    if (status == STI_OK && a.x != NULL &&
        (a.outcome == STI_CONIC_SOLVED || a.outcome == STI_CONIC_UNKNOWN || a.outcome == STI_CONIC_LIMIT)) {
        for (int c = 0; c < k->p->nc; c++) {
            if (k->dim[c] == 0) continue;
            double sum[3] = {0};
            for (int b = 0; b < k->dim[c]; b++) {
                for (int i = 0; i < d; i++) sum[i] += k->basis[(c * d + b) * d + i] * a.x[k->first[c] + b] * k->unit;
            }
            memcpy(r + (size_t)d * (size_t)c, sum, (size_t)d * sizeof *r);
            if (k->dim[c] == d)
                sti_coulomb_project(d, k->p->mu[c], r + (size_t)d * (size_t)c, r + (size_t)d * (size_t)c);
        }
        *solved = a.residual <= near_enough;
    }
    sti_conic_answer_clear(k->env, &a);
    drop_program(k->env, &q);
    return status;
}

// --- the answer ----------------------------------------------------------------------------------------------------

static double norm_of_difference(const double* x, const double* y, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

// Take over r (d nc) if it solves the problem; otherwise everything is as before.
static sti_status adopt(sti_contact_reduction* red, double tol, double* r, sti_contact_answer* a, bool* taken) {
    const size_t n = (size_t)(red->local.d * red->local.nc);
    double* before = a->r;
    const double least = fmax(tol, a->residual);
    a->r = r;
    sti_status status = sti_contact_expand_and_measure(red, a);
    *taken = status == STI_OK && a->residual <= least;
    a->r = before;
    if (*taken) {
        const double moved = norm_of_difference(before, r, n);
        memcpy(before, r, n * sizeof *r);
        a->undetermined = moved;
    } else if (status == STI_OK) {
        status = sti_contact_expand_and_measure(red, a);
    }
    return status;
}

sti_status sti_contact_count_open(sti_contact_reduction* red, const sti_contact_options* options,
                                  sti_contact_answer* a) {
    carrier k;
    sti_status status = sti_contact_describe(red->env, red->problem, a);
    if (status != STI_OK) return status;
    status = open_carrier(red, a, options->tol, &k);
    if (status == STI_OK) status = count_open(&k, &a->undetermined_dimension);
    if (status == STI_OK && (a->undetermined_dimension == 0 || k.unit == 0)) a->undetermined = 0;
    drop_carrier(&k);
    return status;
}

sti_status sti_contact_minimum_norm(sti_contact_reduction* red, const sti_contact_options* options,
                                    sti_contact_answer* a) {
    sti_env* env = red->env;
    const size_t n = (size_t)(red->local.d * red->local.nc);
    carrier k = {0};
    bool solved = false, taken = false;
    sti_status status = sti_contact_count_open(red, options, a);
    if (status != STI_OK || !isnan(a->undetermined)) return status;
    double* r = sti_alloc_array(env, n, sizeof *r);
    if (r == NULL) return STI_ERR_MEMORY;
    memcpy(r, a->r, n * sizeof *r);
    status = open_carrier(red, a, options->tol, &k);
    if (status == STI_OK) status = shrink(&k, options, r, &solved);
    if (status == STI_OK && solved) status = adopt(red, options->tol, r, a, &taken);
    if (status == STI_OK && !taken) {
        const size_t at = strlen(a->reason);
        snprintf(a->reason + at, sizeof a->reason - at, "; the smallest r was not found");
    }
    sti_free(env, r);
    drop_carrier(&k);
    return status;
}
