// interior.c: the primal program of a convex step by a primal-dual interior-point method (what S3 2.3 did with OOQP).
//
//     min 1/2 v'Mv - (M v_0)'v      subject to      e_s'(H_k'v) + Phi/h >= 0,   or   (u_n, mu u_t) in the round cone
//
// in the 6 N velocities (v, W). Each step of the method of src/conic factors [M A'; A -D], whose Schur complement
// M + A'D^-1 A is the matrix of the normal equations and has one 6 x 6 block for each pair in contact. The multipliers
// are the impulses.
//
// What is asked for is the natural map of the step. Two things may leave it large where the program is solved as a
// program:
//
//   - a contact on the border between open and closed: impulse and slack both go to zero as the root of the gap, so the
//     program has to be solved to the square of the tolerance;
//   - grains that fall together: v is large against slips Phi/h that are zero up to rounding, and nothing can be said
//     relative to those. In w = v - v_0, what the contacts add to the free motion, min 1/2 w'Mw with e_s'(H_k'v_0) +
//     Phi/h in place of Phi/h, the right side has the size of the answer.
//
// So the program is solved again, to a smaller tolerance and then from the other origin, until the map is small enough;
// the best of them is kept.
//
// Contacts that are left out. Far more pairs are near than touch (S3's eps takes 23 contacts for each pebble along in a
// fall, and 6 carry something), and fill grows with all of them. So the program begins with those that carried an
// impulse, are almost closed, or would be broken through by the free motion. Where its solution breaks through others,
// these are taken in and it is solved again; where it does not, they have the impulse zero and obey the law, so what
// was solved is the whole program.
#include <math.h>
#include <stiction/conic.h>
#include <string.h>

#include "base/arena.h"
#include "granular/dual.h"

static const double NEAR = 0.1;  // of the largest radius: gaps that are almost closed

typedef struct rows {
    int count;       // rows of A
    int64_t* start;  // of each row           (count+1)
    int* col;        // up to 12 for each row
    double* value;
    double* b;
} rows;

// Row of -(direction)'(H'v): direction acts on a, against it on b, and turns both.
static void put_row(const sti_bed* bed, const sti_touch* t, const double direction[3], double right, rows* r) {
    const double* n = t->n;
    const double turn[3] = {n[1] * direction[2] - n[2] * direction[1], n[2] * direction[0] - n[0] * direction[2],
                            n[0] * direction[1] - n[1] * direction[0]};
    int64_t at = r->start[r->count];
    for (int side = 0; side < 2; side++) {
        const int g = side == 0 ? t->a : t->b;
        if (g >= bed->n) continue;
        for (int i = 0; i < 3; i++) {
            r->col[at] = 6 * g + i;
            r->value[at++] = side == 0 ? -direction[i] : direction[i];
        }
        for (int i = 0; i < 3; i++) {
            r->col[at] = 6 * g + 3 + i;
            r->value[at++] = turn[i];
        }
    }
    r->b[r->count++] = right;
    r->start[r->count] = at;
}

// The slip that the wall's own motion makes, along the direction.
static double wall_part(const sti_bed* bed, const sti_touch* t, const double* direction) {
    return t->b < bed->n ? 0 : -dot3(bed->grain[t->b].v, direction);
}

static void fill_rows(const sti_dual* d, const bool* inside, rows* r) {
    const sti_bed* bed = d->bed;
    r->count = 0;
    r->start[0] = 0;
    for (int slab = 0; slab < bed->slab_count; slab++) {
        for (int k = 0; k < bed->touch_count[slab]; k++) {
            const sti_touch* t = &bed->touch[bed->touch_first[slab] + k];
            if (!inside[d->first[slab] + k]) continue;
            if (d->e != NULL) {
                const double* e = d->e + 3 * (size_t)(d->first[slab] + k) * (size_t)d->width;
                for (int s = 0; s < d->width; s++, e += 3) put_row(bed, t, e, t->off + wall_part(bed, t, e), r);
                continue;
            }
            double t1[3], t2[3];
            const double mu = bed->grain[t->b].mu;
            sti_tangents(t->n, t1, t2);
            for (int i = 0; i < 3; i++) {
                t1[i] *= mu;
                t2[i] *= mu;
            }
            put_row(bed, t, t->n, t->off + wall_part(bed, t, t->n), r);
            put_row(bed, t, t1, wall_part(bed, t, t1), r);
            put_row(bed, t, t2, wall_part(bed, t, t2), r);
        }
    }
}

// Multipliers into the variables of the dual; zero for the contacts left out.
static void take_multipliers(sti_dual* d, const bool* inside, const double* y) {
    const sti_bed* bed = d->bed;
    memset(d->x, 0, (size_t)d->m * sizeof *d->x);
    for (int slab = 0; slab < bed->slab_count; slab++) {
        for (int k = 0; k < bed->touch_count[slab]; k++) {
            const sti_touch* t = &bed->touch[bed->touch_first[slab] + k];
            if (!inside[d->first[slab] + k]) continue;
            double* x = d->x + (size_t)(d->first[slab] + k) * (size_t)d->width;
            if (d->e != NULL) {
                for (int s = 0; s < d->width; s++) x[s] = y[s] > 0 ? y[s] : 0;
            } else {
                const double mu = bed->grain[t->b].mu;
                double t1[3], t2[3];
                sti_tangents(t->n, t1, t2);
                for (int i = 0; i < 3; i++) x[i] = y[0] * t->n[i] + mu * (y[1] * t1[i] + y[2] * t2[i]);
            }
            y += d->width;
        }
    }
}

// How far a contact without impulse is from breaking through: the least e_s'u + Phi/h, or u_n + Phi/h - mu |u_t|.
static double slack(const sti_dual* d, const sti_touch* t, const double* g) {
    double least = INFINITY;
    if (d->e != NULL) {
        for (int s = 0; s < d->width; s++) least = fmin(least, g[s]);
        return least;
    }
    const double un = dot3(g, t->n), u2 = dot3(g, g) - un * un;
    return un - d->bed->grain[t->b].mu * sqrt(u2 > 0 ? u2 : 0);
}

// Take in the contacts that are left out and have less slack than `least`, for g the gradient of the dual. How many.
static int take_in(const sti_dual* d, const double* g, double least, bool* inside) {
    const sti_bed* bed = d->bed;
    int count = 0;
    for (int slab = 0; slab < bed->slab_count; slab++) {
        for (int k = 0; k < bed->touch_count[slab]; k++) {
            const int at = d->first[slab] + k;
            const sti_touch* t = &bed->touch[bed->touch_first[slab] + k];
            if (inside[at] || !(slack(d, t, g + (size_t)at * (size_t)d->width) < least)) continue;
            inside[at] = true;
            count++;
        }
    }
    return count;
}

// The first choice, x the impulses to start from.
static void choose(const sti_dual* d, bool* inside) {
    const sti_bed* bed = d->bed;
    for (int slab = 0; slab < bed->slab_count; slab++) {
        for (int k = 0; k < bed->touch_count[slab]; k++) {
            const sti_touch* t = &bed->touch[bed->touch_first[slab] + k];
            const bool carried = t->r[0] != 0 || t->r[1] != 0 || t->r[2] != 0;
            inside[d->first[slab] + k] = carried || t->off * bed->options.h <= NEAR * bed->largest;
        }
    }
    take_in(d, d->kappa, 0, inside);
}

// Rows as compressed columns: A is the transpose of what was filled.
static void transpose(const rows* r, int n, sti_matrix* A) {
    memset(A->col_start, 0, (size_t)(n + 1) * sizeof *A->col_start);
    for (int64_t k = 0; k < r->start[r->count]; k++) A->col_start[r->col[k] + 1]++;
    for (int j = 0; j < n; j++) A->col_start[j + 1] += A->col_start[j];
    for (int i = 0; i < r->count; i++) {
        for (int64_t k = r->start[i]; k < r->start[i + 1]; k++) {
            const int64_t at = A->col_start[r->col[k]]++;
            A->row[at] = i;
            A->value[at] = r->value[k];
        }
    }
    for (int j = n; j > 0; j--) A->col_start[j] = A->col_start[j - 1];
    A->col_start[0] = 0;
}

static void fill_mass(const sti_bed* bed, sti_matrix* P, double* c) {
    for (int k = 0; k < bed->n; k++) {
        for (int i = 0; i < 6; i++) {
            const int at = 6 * k + i;
            P->col_start[at] = at;
            P->row[at] = at;
            P->value[at] = (i < 3 ? 1.0 : 0.4) * bed->mass[k];
            c[at] = -P->value[at] * bed->begin[at];
        }
    }
    P->col_start[6 * bed->n] = 6 * bed->n;
}

// From now on the unknown is v - v_0.
static void move_origin(const sti_bed* bed, const rows* r, double* c) {
    for (int i = 0; i < r->count; i++) {
        for (int64_t k = r->start[i]; k < r->start[i + 1]; k++) r->b[i] -= r->value[k] * bed->begin[r->col[k]];
    }
    memset(c, 0, 6 * (size_t)bed->n * sizeof *c);
}

typedef struct interior {
    sti_dual* d;
    const sti_quadratic_goal* goal;
    sti_conic program;
    rows rows;
    double* c;
    bool* inside;                // (contacts)
    double *g, *scratch, *best;  // (m)
    long iterations;
    bool limited;  // by the caller; otherwise an attempt ends by itself
} interior;

// The program of the contacts inside.
static void pose(interior* s) {
    const sti_bed* bed = s->d->bed;
    fill_rows(s->d, s->inside, &s->rows);
    s->program.m = s->program.A.rows = s->rows.count;
    if (s->d->e != NULL) {
        s->program.nonnegative = s->rows.count;
    } else {
        s->program.cone_count = s->rows.count / 3;
    }
    transpose(&s->rows, 6 * bed->n, &s->program.A);
    fill_mass(bed, &s->program.P, s->c);
}

static sti_status solve_once(interior* s, double tol) {
    sti_conic_options options = sti_conic_options_default();
    options.tol = tol;
    if (s->limited) options.max_iterations = s->goal->max_iterations - s->iterations;
    sti_conic_answer answer;
    const sti_status status = sti_conic_solve(s->d->bed->env, &s->program, &options, &answer);
    if (status != STI_OK) return status;
    take_multipliers(s->d, s->inside, answer.y);
    s->iterations += answer.iterations;
    sti_conic_answer_clear(s->d->bed->env, &answer);
    return STI_OK;
}

// The velocity that a contact left out may break through with: what it changes in the map is below its tolerance.
static double negligible(const interior* s) {
    double sum = 0;
    for (int i = 0; i < s->d->m; i++) sum += s->d->x[i] * s->d->x[i];
    return 0.1 * s->goal->tol * sqrt(sum / (s->d->m + 1)) / s->d->rho[0];
}

static sti_status solve_until(interior* s) {
    enum { ATTEMPTS = 4 };
    const double first = fmin(0.1 * s->goal->tol, 1e-9), tol[ATTEMPTS] = {first, 1e-4 * first, first, 1e-4 * first};
    const sti_quadratic q = sti_dual_quadratic(s->d);
    double least = INFINITY;
    memcpy(s->best, s->d->x, (size_t)s->d->m * sizeof *s->best);
    for (int k = 0; k < ATTEMPTS && !(least <= s->goal->tol) && s->iterations < s->goal->max_iterations; k++) {
        if (k == 2) move_origin(s->d->bed, &s->rows, s->c);
        const sti_status status = solve_once(s, fmax(tol[k], 1e-15));
        if (status != STI_OK) return status;
        const double map = sti_quadratic_residual(&q, s->d->x, s->g, s->scratch, NULL);
        if (map < least) {
            least = map;
            memcpy(s->best, s->d->x, (size_t)s->d->m * sizeof *s->best);
        }
        if (k == 0 && take_in(s->d, s->g, -negligible(s), s->inside) > 0) {
            pose(s);
            k = -1;
        }
    }
    memcpy(s->d->x, s->best, (size_t)s->d->m * sizeof *s->best);
    return STI_OK;
}

sti_status sti_dual_interior(sti_dual* d, const sti_quadratic_goal* goal, long* iterations) {
    const sti_bed* bed = d->bed;
    sti_env* env = bed->env;
    const size_t n = 6 * (size_t)bed->n, m = (size_t)d->m, contacts = (size_t)bed->touches, entries = 12 * m + 1;
    sti_arena memory = sti_arena_make(env);
    double* number = sti_arena_raw(&memory, 2 * entries + 4 * m + 2 * n + 1, sizeof *number);
    int64_t* start = sti_arena_raw(&memory, m + 1 + 2 * (n + 1), sizeof *start);
    int* index = sti_arena_raw(&memory, 2 * entries + n + contacts, sizeof *index);
    bool* inside = sti_arena_raw(&memory, contacts, sizeof *inside);
    sti_status status = STI_OK;
    if (memory.status != STI_OK) {
        status = STI_ERR_MEMORY;
    } else if (contacts > 0) {
        double* vectors = number + 2 * entries;
        interior s = {.d = d,
                      .goal = goal,
                      .limited = bed->options.max_iterations > 0,
                      .inside = inside,
                      .rows = {.start = start, .col = index, .value = number, .b = vectors},
                      .g = vectors + m,
                      .scratch = vectors + 2 * m,
                      .best = vectors + 3 * m,
                      .c = vectors + 4 * m};
        s.program = (sti_conic){.n = (int)n, .c = s.c, .b = s.rows.b, .cone_size = index + 2 * entries + n};
        s.program.A =
            (sti_matrix){.cols = (int)n, .col_start = start + m + 1, .row = index + entries, .value = number + entries};
        s.program.P = (sti_matrix){.rows = (int)n,
                                   .cols = (int)n,
                                   .col_start = start + m + 1 + n + 1,
                                   .row = index + 2 * entries,
                                   .value = vectors + 4 * m + n};
        for (size_t k = 0; k < contacts; k++) index[2 * entries + n + k] = 3;
        choose(d, inside);
        pose(&s);
        status = solve_until(&s);
        *iterations += s.iterations;
    }
    sti_arena_clear(&memory);
    return status;
}
