// interior.c: the primal program of a convex step by a primal-dual interior-point method (what S3 2.3 did with OOQP).
//
//     min 1/2 v'Mv - (M v_0)'v      subject to      e_s'(H_k'v) + Phi/h >= 0,   or   (u_n, mu u_t) in the round cone
//
// in the 6 N velocities (v, W). Each step of the method of src/conic factors [M A'; A -D], whose Schur complement
// M + A'D^-1 A is the matrix of the normal equations and has one 6 x 6 block for each pair in contact. The multipliers are
// the impulses.
//
// What is asked for is the natural map of the step. Two things may leave it large where the program is solved as a program:
//
//   - a contact on the border between open and closed: impulse and slack both go to zero as the root of the gap, so the
//     program has to be solved to the square of the tolerance;
//   - grains that fall together: v is large against slips Phi/h that are zero up to rounding, and nothing can be said
//     relative to those. In w = v - v_0, what the contacts add to the free motion, min 1/2 w'Mw with e_s'(H_k'v_0) + Phi/h in
//     place of Phi/h, the right side has the size of the answer.
//
// So the program is solved again, to a smaller tolerance and then from the other origin, until the map is small enough; the
// best of them is kept.
#include <math.h>
#include <stiction/conic.h>
#include <string.h>

#include "granular/dual.h"

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
    return t->b < bed->n ? 0 : -sti_dot3(bed->grain[t->b].v, direction);
}

static void fill_rows(const sti_dual* d, rows* r) {
    const sti_bed* bed = d->bed;
    for (int slab = 0; slab < bed->slab_count; slab++) {
        for (int k = 0; k < bed->touch_count[slab]; k++) {
            const sti_touch* t = &bed->touch[bed->touch_first[slab] + k];
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

// Multipliers into the variables of the dual.
static void take_multipliers(sti_dual* d, const double* y) {
    const sti_bed* bed = d->bed;
    if (d->e != NULL) {
        for (int i = 0; i < d->m; i++) d->x[i] = y[i] > 0 ? y[i] : 0;
        return;
    }
    for (int slab = 0; slab < bed->slab_count; slab++) {
        for (int k = 0; k < bed->touch_count[slab]; k++) {
            const sti_touch* t = &bed->touch[bed->touch_first[slab] + k];
            const size_t at = 3 * (size_t)(d->first[slab] + k);
            const double mu = bed->grain[t->b].mu;
            double t1[3], t2[3];
            sti_tangents(t->n, t1, t2);
            for (size_t i = 0; i < 3; i++)
                d->x[at + i] = y[at] * t->n[i] + mu * (y[at + 1] * t1[i] + y[at + 2] * t2[i]);
        }
    }
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

static sti_status solve_once(sti_dual* d, const sti_conic* program, double tol, long* iterations) {
    sti_conic_options options = sti_conic_options_default();
    options.tol = tol;
    sti_conic_answer answer;
    const sti_status status = sti_conic_solve(d->bed->env, program, &options, &answer);
    if (status != STI_OK) return status;
    take_multipliers(d, answer.y);
    *iterations += answer.iterations;
    sti_conic_answer_clear(d->bed->env, &answer);
    return STI_OK;
}

// c of the program is ours to change.
static sti_status solve_until(sti_dual* d, const sti_conic* program, const rows* r, double* c,
                              const sti_quadratic_goal* goal, long* iterations) {
    enum { ATTEMPTS = 4 };
    const double first = fmin(0.1 * goal->tol, 1e-9), tol[ATTEMPTS] = {first, 1e-4 * first, first, 1e-4 * first};
    const sti_quadratic q = sti_dual_quadratic(d);
    const size_t size = (size_t)d->m + 1;
    double* g = sti_alloc_array(d->bed->env, size, 3 * sizeof *g);
    if (g == NULL) return STI_FAIL(d->bed->env, STI_ERR_MEMORY, -1, "a residual of %d impulses", d->m);
    double *best = g + 2 * size, least = INFINITY;
    sti_status status = STI_OK;
    for (int k = 0; k < ATTEMPTS && status == STI_OK && !(least <= goal->tol); k++) {
        if (k == 2) move_origin(d->bed, r, c);
        status = solve_once(d, program, fmax(tol[k], 1e-15), iterations);
        if (status != STI_OK) break;
        const double map = sti_quadratic_residual(&q, d->x, g, g + size, NULL);
        if (k > 0 && !(map < least)) continue;
        least = map;
        memcpy(best, d->x, (size_t)d->m * sizeof *best);
    }
    if (status == STI_OK) memcpy(d->x, best, (size_t)d->m * sizeof *best);
    sti_free(d->bed->env, g);
    return status;
}

sti_status sti_dual_interior(sti_dual* d, const sti_quadratic_goal* goal, long* iterations) {
    const sti_bed* bed = d->bed;
    sti_env* env = bed->env;
    const size_t n = 6 * (size_t)bed->n, m = (size_t)d->m, entries = 12 * m + 1;
    double* number = sti_alloc_array(env, 2 * entries + m + 2 * n + 1, sizeof *number);
    int64_t* start = sti_alloc_array(env, m + 1 + 2 * (n + 1), sizeof *start);
    int* index = sti_alloc_array(env, 2 * entries + n + (size_t)bed->touches, sizeof *index);
    sti_status status = STI_OK;
    if (number == NULL || start == NULL || index == NULL) {
        status = STI_FAIL(env, STI_ERR_MEMORY, -1, "a program with %d rows", d->m);
        goto done;
    }
    rows r = {.start = start, .col = index, .value = number, .b = number + 2 * entries};
    r.start[0] = 0;
    fill_rows(d, &r);
    double* c = number + 2 * entries + m + n;
    int* cone_size = index + 2 * entries + n;
    for (int k = 0; k < bed->touches; k++) cone_size[k] = 3;
    sti_conic program = {.n = (int)n, .m = d->m, .c = c, .b = r.b};
    program.A = (sti_matrix){
        .rows = d->m, .cols = (int)n, .col_start = start + m + 1, .row = index + entries, .value = number + entries};
    program.P = (sti_matrix){.rows = (int)n,
                             .cols = (int)n,
                             .col_start = start + m + 1 + n + 1,
                             .row = index + 2 * entries,
                             .value = number + 2 * entries + m};
    transpose(&r, (int)n, &program.A);
    fill_mass(bed, &program.P, c);
    if (d->e != NULL) {
        program.nonnegative = d->m;
    } else {
        program.cone_count = bed->touches;
        program.cone_size = cone_size;
    }
    status = solve_until(d, &program, &r, c, goal, iterations);
done:
    sti_free(env, number);
    sti_free(env, start);
    sti_free(env, index);
    return status;
}
