// gate.c: can a part mode still lead to a solution? A linear program over generators, with n rows.
//
//     w = sum_q z_q M q + sum_l y_l M l - sum_g z_g J g,     z >= 0
//
// q, l: rays and lines of the closed accelerations (cell.c; every contact keeps a_n >= 0 there, decided or not),
// g: generators of the forces of the choices made, and of the friction cone where a contact is still open. When rates
// do not vanish one more row says that the rays add up to a point: sum of last coordinates = 1. The program has as many
// rows as there are velocities, however many contacts; that is why it is used on the way, and lp.c at the end.
//
// Most questions are answered "no", and a "no" is cheap to prove: y with y'g >= 0 for all rays, y'l = 0 for all lines
// and y'w < 0. Nonnegative least squares in doubles (Lawson & Hanson 1974, ch. 23) finds the point nearest to w, and
// minus the remainder is such a y up to rounding. It is made exact: where the point rests on a generator, y'g = 0 is
// solved in integers for some coordinates of y, the others keep their rounded values; then all signs are looked at
// without rounding. When that fails, and for every "yes" that must be certain, exact pivots decide.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "exact/determinant.h"
#include "linalg/vector.h"
#include "modes/enumerate.h"

typedef struct gate {
    modes_model* m;
    const int* choice;
    const modes_cell* cell;
    int rows, cols, lines;  // lines are the first columns
    sti_int* T;             // row by row: -target, then the columns      (rows x (cols+1))
    double* A;              // columns of length 1, then the target       ((cols+1) x rows)
    double* unit;           // real = image x unit, of each row           (rows)
} gate;

// Columns -------------------------------------------------------------------------------------------------------------

static int force_count(const gate* g, int i) {
    const modes_contact* c = &g->m->contacts[i];
    return g->choice[i] < 0 ? c->generator_count : c->choices[g->choice[i]].count;
}

static const sti_int* force_at(const gate* g, int i, int k) {
    const modes_contact* c = &g->m->contacts[i];
    if (g->choice[i] >= 0) return modes_generator_at(c, &c->choices[g->choice[i]], k);
    return c->generators + (size_t)k * (size_t)(1 + c->tangents);
}

static sti_int* entry(const gate* g, int r, int col) {  // col 0: minus the target
    return &g->T[(size_t)r * (size_t)(g->cols + 1) + (size_t)col];
}

static void fill_row(gate* g, int r) {
    modes_model* m = g->m;
    sti_exact* x = &m->x;
    const sti_int* row = modes_dynamics_at(m, r);
    sti_int* T = entry(g, r, 0);
    sti_int_set(x, &T[0], &row[m->n + m->K]);
    sti_int_neg(&T[0]);
    int col = 1;
    for (int i = 0; i < g->cell->line_count + g->cell->ray_count; i++, col++) {
        for (int k = 0; k < m->n; k++) sti_int_addmul(x, &T[col], &row[k], &modes_cell_at(g->cell, i)[k]);
    }
    for (int i = 0; i < m->contact_count; i++) {
        const modes_contact* c = &m->contacts[i];
        for (int f = 0; f < force_count(g, i); f++, col++) {
            for (int k = 0; k <= c->tangents; k++)
                sti_int_addmul(x, &T[col], &row[m->n + c->value + k], &force_at(g, i, f)[k]);
            sti_int_neg(&T[col]);
        }
    }
    g->unit[r] = sti_int_ratio(x, &m->row_den[r], &m->row_num[r]);
}

static sti_status open_gate(gate* g) {
    modes_model* m = g->m;
    g->lines = g->cell->line_count;
    g->rows = m->homogeneous ? m->n : m->n + 1;
    g->cols = g->cell->line_count + g->cell->ray_count;
    for (int i = 0; i < m->contact_count; i++) g->cols += force_count(g, i);
    const size_t total = (size_t)g->rows * (size_t)(g->cols + 1);
    g->T = sti_int_array(&m->x, total);
    g->A = sti_alloc_array(m->env, total, sizeof *g->A);
    g->unit = sti_alloc_array(m->env, (size_t)g->rows, sizeof *g->unit);
    if (m->x.status != STI_OK || g->A == NULL || g->unit == NULL)
        return m->x.status != STI_OK ? m->x.status : STI_ERR_MEMORY;
    for (int r = 0; r < m->n; r++) fill_row(g, r);
    if (!m->homogeneous) {
        sti_int_set_i64(&m->x, entry(g, m->n, 0), -1);
        g->unit[m->n] = 1;
        for (int i = 0; i < g->cell->line_count + g->cell->ray_count; i++)
            sti_int_set(&m->x, entry(g, m->n, 1 + i), &modes_cell_at(g->cell, i)[m->n]);
    }
    return m->x.status;
}

static void close_gate(gate* g) {
    sti_env* env = g->m->env;
    sti_int_array_free(env, g->T, g->T != NULL ? (size_t)g->rows * (size_t)(g->cols + 1) : 0);
    sti_free(env, g->A);
    sti_free(env, g->unit);
}

// Floating guess ------------------------------------------------------------------------------------------------------

// Columns of length 1; integers may be beyond the range of doubles, so each is divided by its largest entry first.
static void round_columns(gate* g) {
    sti_exact* x = &g->m->x;
    for (int c = 0; c <= g->cols; c++) {
        double* a = g->A + (size_t)(c < g->cols ? c : g->cols) * (size_t)g->rows;
        const int col = c < g->cols ? 1 + c : 0;
        const sti_int* largest = entry(g, 0, col);
        for (int r = 1; r < g->rows; r++) {
            if (sti_int_bits(entry(g, r, col)) > sti_int_bits(largest)) largest = entry(g, r, col);
        }
        const int turn = (col == 0 ? -1 : 1) * (sti_int_sign(largest) < 0 ? -1 : 1);
        for (int r = 0; r < g->rows; r++)
            a[r] = sti_int_sign(largest) == 0 ? 0 : turn * sti_int_ratio(x, entry(g, r, col), largest) * g->unit[r];
        const double length = sqrt(sti_vector_dot((size_t)g->rows, a, a));
        for (int r = 0; r < g->rows && length > 0; r++) a[r] /= length;
    }
}

typedef struct nnls {
    double *Q, *R;     // orthogonal factors of the columns in use   (rows x rows) each, column major
    double *z, *rest;  // coefficients of those, remainder           (rows)
    double* last;      // coefficients before, not negative for rays (rows)
    int* used;         // columns in use                             (rows)
    bool* in;          // (cols)
    int count;
} nnls;

// Least squares over the columns in use: z and the remainder. Factors before column `first` stand. False: they are
// dependent.
static bool fit(const gate* g, nnls* s, int first) {
    const int n = g->rows;
    for (int j = first; j < s->count; j++) {
        double* q = s->Q + (size_t)j * (size_t)n;
        memcpy(q, g->A + (size_t)s->used[j] * (size_t)n, (size_t)n * sizeof *q);
        for (int i = 0; i < j; i++) s->R[j * n + i] = 0;
        for (int pass = 0; pass < 2; pass++) {  // Gram-Schmidt, twice
            for (int i = 0; i < j; i++) {
                const double* p = s->Q + (size_t)i * (size_t)n;
                const double c = sti_vector_dot((size_t)n, p, q);
                s->R[j * n + i] += c;
                for (int k = 0; k < n; k++) q[k] -= c * p[k];
            }
        }
        s->R[j * n + j] = sqrt(sti_vector_dot((size_t)n, q, q));
        if (s->R[j * n + j] < 1e-10) return false;
        for (int k = 0; k < n; k++) q[k] /= s->R[j * n + j];
    }
    memcpy(s->rest, g->A + (size_t)g->cols * (size_t)n, (size_t)n * sizeof *s->rest);
    for (int j = 0; j < s->count; j++) {
        const double* q = s->Q + (size_t)j * (size_t)n;
        s->z[j] = sti_vector_dot((size_t)n, q, s->rest);
        for (int k = 0; k < n; k++) s->rest[k] -= s->z[j] * q[k];
    }
    for (int j = s->count - 1; j >= 0; j--) {
        s->z[j] /= s->R[j * n + j];
        for (int i = 0; i < j; i++) s->z[i] -= s->R[j * n + i] * s->z[j];
    }
    return true;
}

static void drop(nnls* s, int j) {
    const size_t left = (size_t)(s->count - j - 1);
    s->in[s->used[j]] = false;
    memmove(s->used + j, s->used + j + 1, left * sizeof *s->used);
    memmove(s->last + j, s->last + j + 1, left * sizeof *s->last);
    s->count--;
}

// From the last coefficients towards those of least squares, until a ray reaches zero and leaves; again, until none
// does. False: the columns are dependent.
static bool approach(const gate* g, nnls* s) {
    for (;;) {
        double part = 1;
        int leaves = -1;
        for (int j = 0; j < s->count; j++) {
            if (s->used[j] < g->lines || s->z[j] > 0) continue;
            const double step = s->last[j] > 0 ? s->last[j] / (s->last[j] - s->z[j]) : 0;
            if (leaves >= 0 && step >= part) continue;
            part = step;
            leaves = j;
        }
        for (int j = 0; j < s->count; j++) s->last[j] += part * (s->z[j] - s->last[j]);
        if (leaves < 0) return true;
        drop(s, leaves);
        if (!fit(g, s, leaves)) return false;
    }
}

// The nearest point: columns in use and remainder. False: no clear answer within a bound on the steps.
static bool find_nearest(const gate* g, nnls* s) {
    const int n = g->rows;
    for (int c = 0; c < g->lines; c++) {
        if (s->count == n) return false;
        s->used[s->count++] = c;
        s->in[c] = true;
    }
    if (!fit(g, s, 0)) return false;
    for (int j = 0; j < s->count; j++) s->last[j] = s->z[j];
    for (int step = 0; step < 16 * n + 32; step++) {
        int best = -1;
        double most = 1e-10;
        for (int c = g->lines; c < g->cols; c++) {
            const double p = s->in[c] ? 0 : sti_vector_dot((size_t)n, s->rest, g->A + (size_t)c * (size_t)n);
            if (p > most) {
                most = p;
                best = c;
            }
        }
        if (best < 0) return true;
        if (s->count == n) return true;  // the columns in use span the space: nothing remains
        s->last[s->count] = 0;
        s->used[s->count++] = best;
        s->in[best] = true;
        if (!fit(g, s, s->count - 1) || !(s->z[s->count - 1] > 0) || !approach(g, s)) return false;
    }
    return false;
}

// Exact proof of "no" -------------------------------------------------------------------------------------------------

// y := rounded minus remainder, corrected so that y'g = 0 exactly for the columns in use. Integers.
static bool make_exact(const gate* g, const nnls* s, sti_int* y) {
    sti_exact* x = &g->m->x;
    const int n = g->rows;
    const size_t total = (size_t)s->count * (size_t)n;
    sti_int* E = sti_int_array(x, total);
    sti_arena memory = sti_arena_make(x->env);
    int* pivot = sti_arena_raw(&memory, (size_t)n, sizeof *pivot);
    bool* fixed = sti_arena_take(&memory, (size_t)n, sizeof *fixed);
    sti_int d = {0};
    if ((memory.status != STI_OK) && x->status == STI_OK) x->status = STI_ERR_MEMORY;
    bool good = x->status == STI_OK;
    double largest = 0;
    for (int r = 0; r < n; r++) largest = fmax(largest, fabs(s->rest[r] * g->unit[r]));
    for (int j = 0; j < s->count && good; j++) {
        for (int r = 0; r < n; r++) sti_int_set(x, &E[(size_t)j * (size_t)n + (size_t)r], entry(g, r, 1 + s->used[j]));
    }
    if (good) good = sti_int_eliminate(x, E, s->count, n, n, pivot, &d) == s->count;
    for (int j = 0; j < s->count && good; j++) fixed[pivot[j]] = true;
    for (int r = 0; r < n && good; r++) {
        const double value = -s->rest[r] * g->unit[r] / largest;  // y of the image rows, at most 1
        if (fixed[r]) continue;
        sti_int_set_double(x, &y[r], nearbyint(ldexp(value, 50)), 0);
    }
    if (s->count == 0 && good) sti_int_set_i64(x, &d, 1);
    for (int j = 0; j < s->count && good; j++) {  // d y_pivot = -sum over the free coordinates
        sti_int* to = &y[pivot[j]];
        sti_int_set_i64(x, to, 0);
        for (int r = 0; r < n; r++) {
            if (!fixed[r]) sti_int_addmul(x, to, &E[(size_t)j * (size_t)n + (size_t)r], &y[r]);
        }
        sti_int_neg(to);
        if (sti_int_sign(&d) < 0) sti_int_neg(to);
    }
    if (sti_int_sign(&d) < 0) sti_int_neg(&d);
    for (int r = 0; r < n && good; r++) {
        if (!fixed[r]) sti_int_mul(x, &y[r], &y[r], &d);
    }
    sti_int_clear(x->env, &d);
    sti_int_array_free(x->env, E, E != NULL ? total : 0);
    sti_arena_clear(&memory);
    return good && x->status == STI_OK;
}

// y'g >= 0 for rays, = 0 for lines, y'w < 0?
static bool is_proof(const gate* g, const sti_int* y) {
    sti_exact* x = &g->m->x;
    sti_int s = {0};
    bool holds = true;
    for (int c = 0; c <= g->cols && holds && x->status == STI_OK; c++) {
        sti_int_set_i64(x, &s, 0);
        for (int r = 0; r < g->rows; r++) sti_int_addmul(x, &s, &y[r], entry(g, r, c));
        const int sign = sti_int_sign(&s);
        holds = c == 0 ? sign > 0 : c <= g->lines ? sign == 0 : sign >= 0;  // column 0 is -w
    }
    sti_int_clear(x->env, &s);
    return holds && x->status == STI_OK;
}

// Away from the boundary ----------------------------------------------------------------------------------------------
//
// Where many generators are orthogonal to the remainder y is on a corner of the dual cone, and rounding takes it out.
// Then y + delta p is tried, with p in the relative interior of the dual cone: p'g = 0 only where every y has y'g = 0,
// for lines and for the generators that add up to zero with positive coefficients. The shortest sum of generators whose
// coefficients add up to one is such a p. Where it is zero its generators are of the second kind: they become
// equations, and what is left of the others across them is looked at again.

typedef struct interior {
    const gate* g;
    double* Q;      // orthonormal: equations                     (rows x rows)
    double* p;      // the direction found                        (rows)
    int* equal;     // columns with y'g = 0                        (rows)
    bool* settled;  // rays that take no part any more            (cols)
    int count;
} interior;

// What is left of v across the equations; its length.
static double across(const interior* d, double* v) {
    const int n = d->g->rows;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < d->count; i++) {
            const double *q = d->Q + (size_t)i * (size_t)n, c = sti_vector_dot((size_t)n, q, v);
            for (int k = 0; k < n; k++) v[k] -= c * q[k];
        }
    }
    return sqrt(sti_vector_dot((size_t)n, v, v));
}

static void add_equation(interior* d, int column) {
    const int n = d->g->rows;
    if (d->count == n) return;
    double* q = d->Q + (size_t)d->count * (size_t)n;
    memcpy(q, d->g->A + (size_t)column * (size_t)n, (size_t)n * sizeof *q);
    const double length = across(d, q);
    d->settled[column] = true;
    if (length < 1e-9) return;  // follows from the others
    for (int k = 0; k < n; k++) q[k] /= length;
    d->equal[d->count++] = column;
}

// One round: the shortest sum of what is left. *done: p is found. False: no clear answer.
static bool shorten(interior* d, gate* h, nnls* s, int* from, bool* done) {
    const int n = d->g->rows;
    h->rows = n + 1;
    h->cols = h->lines = 0;
    for (int c = d->g->lines; c < d->g->cols; c++) {
        double* v = h->A + (size_t)h->cols * (size_t)(n + 1);
        if (d->settled[c]) continue;
        memcpy(v, d->g->A + (size_t)c * (size_t)n, (size_t)n * sizeof *v);
        const double length = across(d, v);
        d->settled[c] = length < 1e-9;
        if (d->settled[c]) continue;
        for (int k = 0; k < n; k++) v[k] /= length;
        v[n] = 1;
        from[h->cols++] = c;
    }
    double* target = h->A + (size_t)h->cols * (size_t)(n + 1);
    for (int k = 0; k <= n; k++) target[k] = k == n;
    memset(s->in, 0, (size_t)d->g->cols * sizeof *s->in);
    s->count = 0;
    *done = true;
    for (int k = 0; k < n; k++) d->p[k] = 0;
    if (h->cols == 0) return true;
    if (!find_nearest(h, s)) return false;
    *done = s->rest[n] > 1e-7;
    for (int k = 0; k < n && *done; k++) d->p[k] = -s->rest[k];
    for (int j = 0; j < s->count && !*done; j++) add_equation(d, from[s->used[j]]);
    return *done || s->count > 0;
}

// y := rest pushed inside, an exact proof if all goes well. rest (rows): minus the first y.
static bool prove_inside(const gate* g, const double* rest, sti_int* y) {
    sti_env* env = g->m->env;
    const size_t n = (size_t)g->rows, wide = n + 1, cols = (size_t)g->cols;
    double* numbers =
        sti_alloc_array_zero(env, n * n + 2 * n + (cols + 1) * wide + 2 * wide * wide + 3 * wide, sizeof *numbers);
    sti_arena memory = sti_arena_make(env);
    int* ints = sti_arena_raw(&memory, n + wide + 1 + cols, sizeof *ints);
    bool* flags = sti_arena_take(&memory, 2 * cols, sizeof *flags);
    bool proved = false;
    if (memory.status == STI_OK && numbers != NULL) {
        interior d = {.g = g, .Q = numbers, .p = numbers + n * n, .equal = ints, .settled = flags};
        double *slant = d.p + n, *more = slant + n + (cols + 1) * wide;
        gate h = {.m = g->m, .A = slant + n};
        nnls s = {
            .Q = more, .R = more + wide * wide, .z = more + 2 * wide * wide, .rest = more + 2 * wide * wide + wide};
        s.last = s.rest + wide;
        s.used = ints + n;
        s.in = flags + cols;
        bool clear = true, done = false;
        for (int c = 0; c < g->lines; c++) add_equation(&d, c);
        for (size_t round = 0; round <= n && clear && !done; round++)
            clear = shorten(&d, &h, &s, ints + n + wide + 1, &done);
        const double size = sqrt(sti_vector_dot((size_t)g->rows, rest, rest)),
                     length = sqrt(sti_vector_dot((size_t)g->rows, d.p, d.p));
        for (size_t k = 0; k < n; k++) slant[k] = rest[k] / size - (length > 0 ? size / 4 * d.p[k] / length : 0);
        across(&d, slant);
        const nnls inside = {.rest = slant, .used = d.equal, .count = d.count};
        proved = clear && done && make_exact(g, &inside, y) && is_proof(g, y);
    } else {
        g->m->x.status = STI_ERR_MEMORY;
    }
    sti_free(env, numbers);
    sti_arena_clear(&memory);
    return proved;
}

// 0: proved that nothing fits, 1: something seems to fit, -1: unclear.
static int guess(gate* g) {
    sti_env* env = g->m->env;
    sti_exact* x = &g->m->x;
    const size_t n = (size_t)g->rows;
    double* numbers = sti_alloc_array_zero(env, 2 * n * n + 3 * n, sizeof *numbers);
    int* used = sti_alloc_array(env, n + 1, sizeof *used);
    bool* in = sti_alloc_array_zero(env, (size_t)g->cols, sizeof *in);
    sti_int* y = sti_int_array(x, n);
    int answer = -1;
    if (numbers != NULL && used != NULL && in != NULL && x->status == STI_OK) {
        nnls s = {.Q = numbers, .R = numbers + n * n, .z = numbers + 2 * n * n, .rest = numbers + 2 * n * n + n};
        s.last = s.rest + n;
        s.used = used;
        s.in = in;
        round_columns(g);
        if (find_nearest(g, &s)) {
            const bool remains = sqrt(sti_vector_dot((size_t)g->rows, s.rest, s.rest)) > 1e-9;
            answer = !remains ? 1 : prove_inside(g, s.rest, y) || (make_exact(g, &s, y) && is_proof(g, y)) ? 0 : -1;
        }
    } else if (x->status == STI_OK) {
        x->status = STI_ERR_MEMORY;
    }
    sti_int_array_free(env, y, y != NULL ? n : 0);
    sti_free(env, numbers);
    sti_free(env, used);
    sti_free(env, in);
    return answer;
}

// Exact pivots --------------------------------------------------------------------------------------------------------

static sti_status decide(gate* g, bool* fits) {
    sti_exact* x = &g->m->x;
    sti_dictionary* D;
    const sti_status status = sti_dictionary_create(x, g->rows, g->cols, &D);
    if (status != STI_OK) return status;
    for (size_t k = 0; k < (size_t)g->rows * (size_t)(g->cols + 1); k++) sti_int_set(x, &D->T[k], &g->T[k]);
    for (int c = 0; c < g->lines; c++) D->kind[c] = STI_VAR_FREE;
    for (int r = 0; r < g->rows; r++) D->kind[g->cols + r] = STI_VAR_ZERO;
    *fits = sti_dictionary_feasible(D);
    sti_dictionary_destroy(D);
    return x->status;
}

sti_status sti_modes_gate(modes_model* m, const int* choice, const modes_cell* cell, bool certain, bool* fits) {
    gate g = {.m = m, .choice = choice, .cell = cell};
    sti_status status = open_gate(&g);
    if (status == STI_OK) {
        const int answer = guess(&g);
        status = m->x.status;
        *fits = answer != 0;
        if (status == STI_OK && (answer < 0 || (certain && answer > 0))) status = decide(&g, fits);
    }
    close_gate(&g);
    return status;
}
