// certificate.c: the check of a no-solution claim.
//
// Leaf k of the certificate has multipliers x (n), y (m) and fixes some pairs (see sti_certificate). For every
// solution of its case
//
//     (x'A + y'D) u + (x'C + y'B) z + (x'a + y'b) = x'(A u + C z + a) + y'(D u + B z + b) = y'w >= 0
//
// where w_i = 0 or y_i >= 0. With p = x'A + y'D = 0, g = x'C + y'B <= 0 where z may be positive, and x'a + y'b < 0
// the left side is negative: there is none. All three are decided in integers, on the data as given, so no rounding
// enters. Multipliers that were found in floating point often miss p = 0 and g <= 0 by a rounding; they still prove
//
//     |u|_1 + |z|_1 >= bound = -(x'a + y'b) / max(|p_j|, g_j)
//
// for every solution of the case, and the claim passes, marked as not exact, when the bound is far beyond the size
// that the data suggest. A negative y_i is not excused: a sign is not subject to rounding.
//
// Leaves are read in batches, so that each column of the data is turned into integers once per batch.
#include <math.h>
#include <stdio.h>

#include "verify/check.h"

#define BATCH 64
#define FAR 1e6  // a bound this many times the size of a solution makes a rounded certificate acceptable

typedef struct batch {
    int first;  // leaves first .. first+count
    int count;
    sti_int* y;                      // multipliers, integers under a positive scale per leaf    (BATCH x N)
    sti_int* strict;                 // x'a + y'b                                                (BATCH)
    double* bound;                   // least of the bounds above; INFINITY: exact               (BATCH)
    int* violated;                   // the column that gave it                                  (BATCH)
    sti_int vector_num, vector_den;  // scale of the image of (a; b)
    sti_int t, r;
} batch;

static const signed char* fixed_of(const sti_certificate* c, int leaf) {
    return c->fixed + (size_t)leaf * (size_t)c->pair_count;
}

// Shape of the certificate, before anything is computed; rejected when it is malformed.
static bool well_formed(const sti_check* k, const sti_certificate* c, sti_verification* out) {
    const size_t N = (size_t)k->n + (size_t)k->m;
    if (c->proof != STI_PROOF_FARKAS && c->proof != STI_PROOF_BRANCH)
        sti_check_reject(out, "claims no solution without a certificate");
    else if (c->free_count != k->n || c->pair_count != k->m)
        sti_check_reject(out, "the certificate is for %d free variables and %d pairs, the problem has %d and %d",
                         c->free_count, c->pair_count, k->n, k->m);
    else if (c->leaf_count < 1)
        sti_check_reject(out, "the certificate has %d leaves", c->leaf_count);
    else if (c->proof == STI_PROOF_FARKAS && c->leaf_count != 1)
        sti_check_reject(out, "a Farkas certificate has one leaf, not %d", c->leaf_count);
    else if ((c->fixed == NULL && k->m > 0) || (c->y == NULL && c->y_exact == NULL))
        sti_check_reject(out, "the certificate has no %s", c->fixed == NULL ? "cases" : "multipliers");
    else if (c->y_exact != NULL && sti_rationals_count(c->y_exact) != (size_t)c->leaf_count * N)
        sti_check_reject(out, "the certificate has %zu exact multipliers for %d leaves of %zu",
                         sti_rationals_count(c->y_exact), c->leaf_count, N);
    else
        return true;
    return false;
}

static bool leaf_well_formed(const sti_check* k, const sti_certificate* c, int leaf, sti_verification* out) {
    for (int i = 0; i < k->m; i++) {
        const int f = fixed_of(c, leaf)[i];
        if (f != 0 && f != 1 && f != -1) {
            sti_check_reject(out, "leaf %d fixes pair %d by %d, not by +1 or -1", leaf, i, f);
            return false;
        }
    }
    const int N = k->n + k->m;
    for (int i = 0; c->y_exact == NULL && i < N; i++) {
        const double v = c->y[(size_t)leaf * (size_t)N + (size_t)i];
        if (!isfinite(v)) {
            sti_check_reject(out, "leaf %d: multiplier %d is %g", leaf, i, v);
            return false;
        }
    }
    return true;
}

static sti_status open_batch(sti_check* k, batch* b, int leaf_count) {
    const size_t N = (size_t)k->n + (size_t)k->m, room = leaf_count < BATCH ? (size_t)leaf_count : BATCH;
    *b = (batch){0};
    b->y = sti_int_array(&k->x, room * N);
    b->strict = sti_int_array(&k->x, room);
    b->bound = sti_alloc_array(k->env, room, sizeof *b->bound);
    b->violated = sti_alloc_array(k->env, room, sizeof *b->violated);
    if (b->y == NULL || b->strict == NULL || b->bound == NULL || b->violated == NULL) return STI_ERR_MEMORY;
    return STI_OK;
}

static void close_batch(sti_check* k, batch* b, int leaf_count) {
    const size_t N = (size_t)k->n + (size_t)k->m, room = leaf_count < BATCH ? (size_t)leaf_count : BATCH;
    sti_int_array_free(k->env, b->y, room * N);
    sti_int_array_free(k->env, b->strict, room);
    sti_free(k->env, b->bound);
    sti_free(k->env, b->violated);
    sti_int_clear(k->env, &b->vector_num);
    sti_int_clear(k->env, &b->vector_den);
    sti_int_clear(k->env, &b->t);
    sti_int_clear(k->env, &b->r);
}

static void load_multipliers(sti_check* k, const sti_certificate* c, batch* b) {
    const size_t N = (size_t)k->n + (size_t)k->m;
    for (int l = 0; l < b->count; l++) {
        const size_t from = ((size_t)b->first + (size_t)l) * N;
        sti_int* y = b->y + (size_t)l * N;
        if (c->y_exact != NULL)
            sti_int_row_from_rationals(&k->x, y, c->y_exact, from, N, NULL, NULL);
        else
            sti_int_row_from_doubles(&k->x, y, c->y + from, N, 1, NULL, NULL);
        b->bound[l] = INFINITY;
        b->violated[l] = -1;
    }
}

// x'a + y'b of every leaf, and out->margin: the one nearest to 0, over |(x, y)|_1 |(a; b)|_inf.
static sti_status weigh_vector(sti_check* k, batch* b, sti_verification* out) {
    const int N = k->n + k->m;
    const sti_status status = sti_check_column(k, N);
    if (status != STI_OK) return status;
    sti_int_set(&k->x, &b->vector_num, &k->scale_num);
    sti_int_set(&k->x, &b->vector_den, &k->scale_den);
    int top = 0;  // entry of (a; b) that is largest
    for (int i = 1; i < N; i++) {
        sti_int_set(&k->x, &b->t, &k->image[i]);
        sti_int_set(&k->x, &b->r, &k->image[top]);
        if (sti_int_sign(&b->t) < 0) sti_int_neg(&b->t);
        if (sti_int_sign(&b->r) < 0) sti_int_neg(&b->r);
        if (sti_int_cmp(&b->t, &b->r) > 0) top = i;
    }
    for (int l = 0; l < b->count && k->x.status == STI_OK; l++) {
        const sti_int* y = b->y + (size_t)l * (size_t)N;
        sti_check_dot(k, &b->strict[l], y, k->image, N);
        sti_int_set_i64(&k->x, &b->t, 0);
        for (int i = 0; i < N; i++) {
            if (sti_int_sign(&y[i]) < 0)
                sti_int_sub(&k->x, &b->t, &b->t, &y[i]);
            else
                sti_int_add(&k->x, &b->t, &b->t, &y[i]);
        }
        sti_int_mul(&k->x, &b->t, &b->t, &k->image[top]);
        if (sti_int_sign(&b->t) < 0) sti_int_neg(&b->t);
        const double margin = b->t.size == 0 ? 0 : sti_int_ratio(&k->x, &b->strict[l], &b->t);
        if (!(out->margin >= margin)) out->margin = margin;
    }
    return k->x.status;
}

// Column j of p or g for every leaf; where it has the wrong sign the bound goes down.
static sti_status weigh_column(sti_check* k, const sti_certificate* c, batch* b, int j) {
    const int N = k->n + k->m;
    const sti_status status = sti_check_column(k, j);
    if (status != STI_OK) return status;
    for (int l = 0; l < b->count && k->x.status == STI_OK; l++) {
        if (j >= k->n && fixed_of(c, b->first + l)[j - k->n] > 0) continue;  // z_j = 0 here
        sti_check_dot(k, &b->t, b->y + (size_t)l * (size_t)N, k->image, N);
        const int sign = sti_int_sign(&b->t);
        if (sign == 0 || (j >= k->n && sign < 0)) continue;
        // -(x'a + y'b) / |p_j|, each brought back to the units of the data; rounded to nearest, then down
        sti_int_mul(&k->x, &b->t, &b->t, &k->scale_den);
        sti_int_mul(&k->x, &b->t, &b->t, &b->vector_num);
        sti_int_mul(&k->x, &b->r, &b->strict[l], &b->vector_den);
        sti_int_mul(&k->x, &b->r, &b->r, &k->scale_num);
        if (k->x.status != STI_OK) break;
        const double bound = fabs(sti_int_ratio(&k->x, &b->r, &b->t)) * (1 - 0x1p-52);
        if (bound < b->bound[l]) {
            b->bound[l] = bound;
            b->violated[l] = j;
        }
    }
    return k->x.status;
}

// The verdict on one leaf of the batch, once everything is weighed.
static bool leaf_holds(const sti_check* k, const sti_certificate* c, const batch* b, int l, double least_bound,
                       sti_verification* out) {
    const int N = k->n + k->m, leaf = b->first + l, j = b->violated[l];
    for (int i = 0; i < k->m; i++) {
        if (fixed_of(c, leaf)[i] >= 0 && sti_int_sign(&b->y[(size_t)l * (size_t)N + (size_t)(k->n + i)]) < 0) {
            sti_check_reject(out, "leaf %d: the multiplier y_%d is negative", leaf, i);
            return false;
        }
    }
    if (sti_int_sign(&b->strict[l]) >= 0)
        sti_check_reject(out, "leaf %d: x'a + y'b is not negative", leaf);
    else if (b->bound[l] < least_bound && j < k->n)
        sti_check_reject(out, "leaf %d: (x'A + y'D)_%d is not zero", leaf, j);
    else if (b->bound[l] < least_bound)
        sti_check_reject(out, "leaf %d: (x'C + y'B)_%d is positive", leaf, j - k->n);
    else
        return true;
    return false;
}

// Every leaf by itself. Ends at the first that fails, out->text saying why; *bound is the least over the leaves.
static sti_status check_leaves(sti_check* k, const sti_certificate* c, sti_verification* out, double* bound) {
    const double least_bound = FAR * sti_check_solution_size(k);
    batch b;
    sti_status status = open_batch(k, &b, c->leaf_count);
    bool holds = true;
    for (; status == STI_OK && holds && b.first < c->leaf_count; b.first += b.count) {
        b.count = c->leaf_count - b.first < BATCH ? c->leaf_count - b.first : BATCH;
        for (int l = 0; l < b.count && holds; l++) holds = leaf_well_formed(k, c, b.first + l, out);
        if (!holds) break;
        load_multipliers(k, c, &b);
        status = weigh_vector(k, &b, out);
        for (int j = 0; j < k->n + k->m && status == STI_OK; j++) status = weigh_column(k, c, &b, j);
        for (int l = 0; l < b.count && status == STI_OK && holds; l++) {
            holds = leaf_holds(k, c, &b, l, least_bound, out);
            if (holds) out->leaves_checked++;
            if (b.bound[l] < *bound) *bound = b.bound[l];
        }
    }
    close_batch(k, &b, c->leaf_count);
    return status;
}

sti_status sti_check_certificate(sti_check* k, const sti_certificate* c, sti_verification* out) {
    if (!well_formed(k, c, out)) return STI_OK;
    double bound = INFINITY;
    sti_status status = check_leaves(k, c, out, &bound);
    if (status != STI_OK || out->leaves_checked < c->leaf_count) return status;

    bool covered;
    char missing[200];
    status = sti_check_cover(k->env, c->fixed, c->leaf_count, k->m, &covered, missing, sizeof missing);
    if (status != STI_OK) return status;
    if (!covered) return sti_check_reject(out, "%s", missing);

    const bool exact = isinf(bound);
    if (c->exact && !exact)
        return sti_check_reject(out, "the certificate claims to be exact and holds only up to rounding");
    if (!exact && c->bound > bound * (1 + 1e-9))
        return sti_check_reject(out, "the certificate claims |u|_1 + |z|_1 >= %.6g for every solution, and proves %.6g",
                                c->bound, bound);
    out->accepted = true;
    out->exact = exact;
    const bool one = c->leaf_count == 1;
    if (exact)
        snprintf(out->text, sizeof out->text, "no solution: %d Farkas vector%s every case, checked without rounding",
                 c->leaf_count, one ? " covers" : "s cover");
    else
        snprintf(out->text, sizeof out->text,
                 "no solution with |u|_1 + |z|_1 below %.3g: %d Farkas vector%s only up to rounding", bound,
                 c->leaf_count, one ? " holds" : "s hold");
    return STI_OK;
}
