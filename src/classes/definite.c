// definite.c: is x'Mx > 0, or >= 0, for all x != 0?
//
// Only the symmetric part matters; M + M' stands for it. In this order, each step a proof:
//
//     1. the diagonal. M_ii < 0: x = e_i. M_ii = 0: not definite, x = e_i; and not semidefinite when row i of M + M'
//        is not zero, since then -2 t |b| + c < 0 for large t. A zero row is left out of what follows.
//     2. Cholesky in floating point of  D (M + M') D - shift I,  D powers of two that bring the diagonal into [1, 4).
//        A factorization that runs to its end is that of a matrix off by at most  (n+1) u trace  in norm (Demmel 1989;
//        Rump 2006), so with a larger shift the matrix itself is positive definite.
//     3. the eigenvector of the least eigenvalue, rounded to few bits, so that x'Mx < 0 holds with its error bound.
//     4. up to order 60: L D L' in integers. Pivots on positive diagonal entries of the Schur complement; a negative
//        one, or a zero one with something beside it, lifts to a vector; nothing left but zeros is semidefinite, of the
//        rank of the pivots, and every zero lifts to a kernel vector.
//     5. beyond: Cholesky with +shift. Success means: no eigenvalue of D (M + M') D below -2 shift, which is
//        semidefinite up to rounding, and is said to be that.
//
// Step 4 costs n^3 products of integers of up to n times the bits of the data, step 2 n^3/3 flops. A matrix too large
// for step 4 is first cut into the connected parts of its graph.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "classes/classes.h"
#include "linalg/lapack.h"

// The part under test: indices with a positive diagonal, and M + M' on them in floating point.
typedef struct part {
    sti_arena memory;
    sti_specimen* s;
    int k;
    int* index;      // into M                                                     (k)
    int* exponent;   // D_i = 2^-exponent_i                                        (k)
    double* F;       // D (M + M') D, both triangles                               (k x k)
    double* G;       // work: a factor, or eigenvectors                            (k x k)
    double* vector;  //                                                            (k)
    double* other;   // (3 k): eigenvalues, work of dsyev
    double spread;   // bound on the largest row sum of |F - true|
    double shift;    // beyond the backward error of a Cholesky factorization of F
} part;

static sti_status make_part(part* p, sti_specimen* s, int capacity) {
    *p = (part){.s = s};
    const size_t k = (size_t)capacity;
    p->memory = sti_arena_make(s->env);
    p->index = sti_arena_raw(&p->memory, k, sizeof *p->index);
    p->exponent = sti_arena_raw(&p->memory, k, sizeof *p->exponent);
    p->F = sti_arena_raw(&p->memory, k * k, sizeof *p->F);
    p->G = sti_arena_raw(&p->memory, k * k, sizeof *p->G);
    p->vector = sti_arena_raw(&p->memory, k, sizeof *p->vector);
    p->other = sti_arena_raw(&p->memory, 4 * k + 1, sizeof *p->other);
    const sti_status status = p->memory.status;
    if (status != STI_OK) sti_arena_clear(&p->memory);
    return status;
}

// Fill F. False: it does not fit floating point, and only integers can tell.
static bool load_part(part* p) {
    const sti_specimen* s = p->s;
    const double u = 0x1p-53;
    const size_t k = (size_t)p->k;
    for (size_t i = 0; i < k; i++) {
        int e;
        frexp(sti_specimen_at(s, p->index[i], p->index[i]), &e);
        p->exponent[i] = e >= 0 ? e / 2 : -((1 - e) / 2);  // the diagonal of 2M then lies in [1, 4)
    }
    double trace = 0;
    p->spread = 0;
    for (size_t i = 0; i < k; i++) {
        double row = 0;
        for (size_t j = 0; j < k; j++) {
            const int e = -(p->exponent[i] + p->exponent[j]);
            const double a = ldexp(sti_specimen_at(s, p->index[i], p->index[j]), e);
            const double b = ldexp(sti_specimen_at(s, p->index[j], p->index[i]), e);
            p->F[i * k + j] = a + b;
            row += u * fabs(a + b) + (s->exact != NULL ? u * (fabs(a) + fabs(b)) : 0) + 0x1p-1060;
        }
        trace += p->F[i * k + i];
        if (!(row <= p->spread)) p->spread = row;
    }
    p->spread *= 1.01;
    p->shift = 2 * (p->spread + (double)(k + 3) * u * trace);
    return isfinite(p->shift);
}

static bool cholesky_runs(part* p, double shift) {
    const size_t k = (size_t)p->k;
    memcpy(p->G, p->F, k * k * sizeof *p->G);
    for (size_t i = 0; i < k; i++) p->G[i * k + i] += shift;
    return sti_lapack_cholesky('L', p->k, p->G) == STI_LAPACK_DONE;
}

// ---- step 1

static sti_status say_no(sti_specimen* s, sti_class_finding* f, const int* index, int k, sti_int* v, const char* how) {
    if (f->verdict != STI_UNDECIDED) return STI_OK;
    sti_finding_say(f, STI_NO, true, "%s", how);
    return sti_finding_set_vector(s, f, index, k, v);
}

static sti_status say_no_unit(sti_specimen* s, sti_class_finding* f, int i, const char* how) {
    sti_int one = {0};
    sti_int_set_i64(&s->x, &one, 1);
    const sti_status status = say_no(s, f, &i, 1, &one, how);
    sti_int_clear(s->env, &one);
    return status;
}

// M_ii = 0 and b = M_ij + M_ji != 0: with c = M_jj >= 0 (all times the same scale) x = (2c + |b|, -2 sign(b) |b|) has
// x_i x_j b + x_j^2 c = -2 |b|^3 < 0.
static sti_status say_no_pair(sti_specimen* s, sti_class_finding* f, int i, int j) {
    sti_exact* x = &s->x;
    const int pair[2] = {i, j};
    sti_int* B = sti_int_array(x, 4);
    sti_int* v = sti_int_array(x, 2);
    if (x->status == STI_OK) {
        sti_specimen_symmetric_image(s, pair, 2, B, NULL, NULL);
        const bool negative = sti_int_sign(&B[1]) < 0;
        if (negative) sti_int_neg(&B[1]);
        sti_int_add(x, &v[0], &B[3], &B[1]);
        sti_int_add(x, &v[1], &B[1], &B[1]);
        if (!negative) sti_int_neg(&v[1]);
    }
    sti_status status = x->status;
    if (status == STI_OK) status = say_no(s, f, pair, 2, v, "zero on the diagonal, not zero beside it");
    sti_int_array_free(s->env, B, 4);
    sti_int_array_free(s->env, v, 2);
    return status;
}

static sti_status look_at_diagonal(sti_specimen* s, const int* index, int k, sti_class_finding* definite,
                                   sti_class_finding* semidefinite) {
    sti_status status = STI_OK;
    for (int i = 0; i < k && status == STI_OK; i++) {
        const int sign = sti_specimen_sign(s, index[i], index[i]);
        if (sign > 0) continue;
        const char* how = sign < 0 ? "a diagonal entry is negative" : "a diagonal entry is zero";
        status = say_no_unit(s, definite, index[i], how);
        if (status == STI_OK && sign < 0) status = say_no_unit(s, semidefinite, index[i], how);
        for (int j = 0; j < k && status == STI_OK && semidefinite->verdict == STI_UNDECIDED; j++) {
            if (j != i && sti_specimen_sum_sign(s, index[i], index[j]) != 0) {
                status = s->x.status;
                if (status == STI_OK) status = say_no_pair(s, semidefinite, index[i], index[j]);
            }
        }
    }
    return status;
}

// ---- step 3

// r'(M + M')r in scaled coordinates is below zero with its error bound.
static bool proves_negative(const part* p, const double* r) {
    const size_t k = (size_t)p->k;
    double value = 0, size = 0, length = 0;
    for (size_t i = 0; i < k; i++) {
        double row = 0, row_size = 0;
        for (size_t j = 0; j < k; j++) {
            row += p->F[i * k + j] * r[j];
            row_size += fabs(p->F[i * k + j] * r[j]);
        }
        value += row * r[i];
        size += row_size * fabs(r[i]);
        length += r[i] * r[i];
    }
    const double bound = 1.1 * (2 * (double)k + 4) * 0x1p-53 * size + 1.1 * p->spread * length;
    return value + bound < 0;
}

// Rounded eigenvector -> integers v with v_i = r_i 2^(top - exponent_i).
static sti_status say_no_eigenvector(part* p, const double* r, sti_class_finding* definite,
                                     sti_class_finding* semidefinite) {
    sti_specimen* s = p->s;
    sti_exact* x = &s->x;
    const size_t k = (size_t)p->k;
    sti_int* v = sti_int_array(x, k);
    if (v == NULL) return x->status;
    int top = p->exponent[0];
    for (size_t i = 1; i < k; i++) top = p->exponent[i] > top ? p->exponent[i] : top;
    for (size_t i = 0; i < k; i++) {
        sti_int_set_i64(x, &v[i], (int64_t)r[i]);
        sti_int_shl(x, &v[i], &v[i], (size_t)(top - p->exponent[i]));
    }
    sti_status status = x->status;
    const char* how = "eigenvector of a negative eigenvalue, rounded";
    if (status == STI_OK) status = say_no(s, definite, p->index, p->k, v, how);
    if (status == STI_OK) status = say_no(s, semidefinite, p->index, p->k, v, how);
    sti_int_array_free(s->env, v, k);
    return status;
}

static sti_status try_eigenvector(part* p, sti_class_finding* definite, sti_class_finding* semidefinite) {
    const size_t k = (size_t)p->k;
    if (p->k > STI_EIGENVALUE_LIMIT) return STI_OK;
    memcpy(p->G, p->F, k * k * sizeof *p->G);
    const int work_size = 3 * p->k + 1;
    const int end = sti_lapack_symmetric_eigen(true, p->k, p->G, p->other, p->other + k, work_size);
    if (end != STI_LAPACK_DONE || !(p->other[0] < 0)) return STI_OK;
    double largest = 0;
    for (size_t i = 0; i < k; i++) largest = fmax(largest, fabs(p->G[i]));
    for (int bits = 5; bits <= 45 && largest > 0; bits += 10) {
        for (size_t i = 0; i < k; i++) p->vector[i] = rint(ldexp(p->G[i] / largest, bits));
        if (proves_negative(p, p->vector)) return say_no_eigenvector(p, p->vector, definite, semidefinite);
    }
    return STI_OK;
}

// ---- step 4

// After pivots on P the table holds d A^-1 B in rows P and d times the Schur complement elsewhere. A vector of the
// Schur complement, a on j and b on l (l < 0: none), lifts by x_P = -A^-1 B z with the same value of the form.
static void lift(sti_exact* x, const sti_int* T, int k, const bool* pivoted, const sti_int* d, int j, int l, int b,
                 sti_int* v) {
    sti_int factor = {0};
    sti_int_set_i64(x, &factor, -b);
    for (int i = 0; i < k; i++) {
        if (pivoted[i]) {
            sti_int_set(x, &v[i], &T[(size_t)i * (size_t)k + (size_t)j]);
            sti_int_neg(&v[i]);
            if (l >= 0) sti_int_addmul(x, &v[i], &T[(size_t)i * (size_t)k + (size_t)l], &factor);
        } else {
            sti_int_set_i64(x, &v[i], 0);
        }
    }
    sti_int_set(x, &v[j], d);
    sti_int_neg(&factor);
    if (l >= 0) sti_int_mul(x, &v[l], d, &factor);
    sti_int_clear(x->env, &factor);
}

typedef struct elimination {
    sti_int* T;     // (k x k)
    sti_int* v;     // (k)
    bool* pivoted;  // (k)
    sti_int d;
} elimination;

static sti_status eliminate(part* p, elimination* e, sti_class_finding* definite, sti_class_finding* semidefinite) {
    sti_specimen* s = p->s;
    sti_exact* x = &s->x;
    const int k = p->k;
    int rank = 0;
    while (x->status == STI_OK) {
        int next = -1, zero = -1;
        for (int i = 0; i < k; i++) {
            if (e->pivoted[i]) continue;
            const int sign = sti_int_sign(&e->T[(size_t)i * (size_t)k + (size_t)i]);
            if (sign < 0) {
                lift(x, e->T, k, e->pivoted, &e->d, i, -1, 0, e->v);
                sti_status status = say_no(s, definite, p->index, k, e->v, "L D L' has a negative pivot");
                if (status == STI_OK)
                    status = say_no(s, semidefinite, p->index, k, e->v, "L D L' has a negative pivot");
                return status;
            }
            if (sign > 0 && next < 0) next = i;
            if (sign == 0 && zero < 0) zero = i;
        }
        if (next >= 0) {
            sti_int_jordan(x, e->T, k, k, next, next, &e->d);
            e->pivoted[next] = true;
            rank++;
            continue;
        }
        if (zero < 0) break;
        sti_status status = STI_OK;
        lift(x, e->T, k, e->pivoted, &e->d, zero, -1, 0, e->v);
        if (x->status == STI_OK) status = say_no(s, definite, p->index, k, e->v, "singular: a kernel vector of M + M'");
        for (int i = 0; i < k && status == STI_OK; i++) {
            for (int j = 0; j < i; j++) {
                const int sign = sti_int_sign(&e->T[(size_t)i * (size_t)k + (size_t)j]);
                if (e->pivoted[i] || e->pivoted[j] || sign == 0) continue;
                lift(x, e->T, k, e->pivoted, &e->d, i, j, -sign, e->v);
                return say_no(s, semidefinite, p->index, k, e->v, "L D L' leaves a zero pivot with an entry beside it");
            }
        }
        if (status != STI_OK) return status;
        break;
    }
    if (x->status != STI_OK) return x->status;
    if (definite->verdict == STI_UNDECIDED)
        sti_finding_say(definite, STI_YES, true, "L D L' in integers: all pivots positive");
    sti_finding_say(semidefinite, STI_YES, true, "L D L' in integers: no negative pivot, rank %d", rank);
    return STI_OK;
}

// Seconds, roughly, that step 4 takes with integers of so many bits.
static double elimination_cost(int k, size_t bits) {
    const double limbs = (double)k * (double)bits / 64;
    return 1e-9 * pow(k, 3) * (30 + limbs * limbs);
}

static sti_status decide_in_integers(part* p, sti_class_finding* definite, sti_class_finding* semidefinite) {
    sti_specimen* s = p->s;
    sti_exact* x = &s->x;
    const size_t k = (size_t)p->k;
    elimination e = {.T = sti_int_array(x, k * k), .v = sti_int_array(x, k)};
    e.pivoted = sti_alloc_array_zero(s->env, k, sizeof *e.pivoted);
    if (e.pivoted == NULL) x->status = STI_ERR_MEMORY;
    size_t bits = 0;
    if (x->status == STI_OK) {
        sti_specimen_symmetric_image(s, p->index, p->k, e.T, NULL, NULL);
        for (size_t i = 0; i < k * k; i++) bits = sti_int_bits(&e.T[i]) > bits ? sti_int_bits(&e.T[i]) : bits;
        sti_int_set_i64(x, &e.d, 1);
    }
    sti_status status = x->status;
    if (status == STI_OK && elimination_cost(p->k, bits) < 4) status = eliminate(p, &e, definite, semidefinite);
    sti_int_array_free(s->env, e.T, k * k);
    sti_int_array_free(s->env, e.v, k);
    sti_free(s->env, e.pivoted);
    sti_int_clear(s->env, &e.d);
    return status;
}

// ---- the steps together

static sti_status decide_part(part* p, sti_class_finding* definite, sti_class_finding* semidefinite) {
    const bool fits = load_part(p);
    if (fits && cholesky_runs(p, -p->shift)) {
        const bool whole = definite->verdict == STI_UNDECIDED;  // no zero rows were left out
        if (whole) sti_finding_say(definite, STI_YES, true, "Cholesky factors exist with a margin above rounding");
        sti_finding_say(semidefinite, STI_YES, true, "Cholesky factors%s exist with a margin above rounding",
                        whole ? "" : " of the rows that are not zero");
        return STI_OK;
    }
    sti_status status = STI_OK;
    if (fits && p->k > 8) status = try_eigenvector(p, definite, semidefinite);
    if (status == STI_OK && semidefinite->verdict == STI_UNDECIDED && p->k <= STI_INTEGER_LIMIT)
        status = decide_in_integers(p, definite, semidefinite);
    if (status != STI_OK || semidefinite->verdict != STI_UNDECIDED) return status;
    if (fits && cholesky_runs(p, p->shift))
        sti_finding_say(semidefinite, STI_YES, false, "no eigenvalue below %.1e with the diagonal scaled to [1, 4)",
                        -2 * p->shift);
    else
        sti_finding_say(semidefinite, STI_UNDECIDED, false, "an eigenvalue is too close to zero for order %d", p->k);
    if (definite->verdict == STI_UNDECIDED)
        sti_finding_say(definite, STI_UNDECIDED, false, "an eigenvalue is too close to zero for order %d", p->k);
    return STI_OK;
}

// The verdict over several parts: any "no" decides; otherwise the weakest of the others.
static void weaken(sti_class_finding* all, const sti_class_finding* one, bool first) {
    if (all->verdict == STI_NO) return;
    if (first || one->verdict == STI_NO || one->verdict == STI_UNDECIDED ||
        (all->verdict == STI_YES && all->exact && !one->exact))
        *all = *one;
}

static sti_status decide_by_parts(part* p, const int* index, int k, sti_class_finding* definite,
                                  sti_class_finding* semidefinite) {
    sti_env* env = p->s->env;
    int* label = sti_alloc_array(env, 2 * (size_t)k, sizeof *label);
    if (label == NULL) return STI_ERR_MEMORY;
    const int parts = sti_specimen_parts(p->s, index, k, false, label, label + k);
    sti_status status = p->s->x.status;
    const bool known = definite->verdict != STI_UNDECIDED;
    for (int c = 0; c < parts && status == STI_OK && semidefinite->verdict != STI_NO; c++) {
        sti_class_finding one[2] = {{0}, {0}};
        sti_finding_clear(env, &one[0]);
        sti_finding_clear(env, &one[1]);
        p->k = 0;
        for (int i = 0; i < k; i++) {
            if (label[i] == c) p->index[p->k++] = index[i];
        }
        status = decide_part(p, &one[0], &one[1]);
        if (known || (definite->verdict == STI_NO && one[0].verdict == STI_NO))
            sti_finding_clear(env, &one[0]);
        else
            weaken(definite, &one[0], c == 0);
        weaken(semidefinite, &one[1], c == 0);
    }
    sti_free(env, label);
    return status;
}

sti_status sti_specimen_definite(sti_specimen* s, const int* index, int k, sti_class_finding* definite,
                                 sti_class_finding* semidefinite) {
    sti_finding_clear(s->env, definite);
    sti_finding_clear(s->env, semidefinite);
    sti_status status = look_at_diagonal(s, index, k, definite, semidefinite);
    if (status != STI_OK || semidefinite->verdict != STI_UNDECIDED) return status;
    part p;
    status = make_part(&p, s, k);
    if (status != STI_OK) return status;
    int* kept = sti_alloc_array(s->env, (size_t)k, sizeof *kept);
    int count = 0;
    for (int i = 0; kept != NULL && i < k; i++) {
        if (sti_specimen_sign(s, index[i], index[i]) > 0) kept[count++] = index[i];
    }
    if (kept == NULL) {
        status = STI_ERR_MEMORY;
    } else if (count == 0) {
        if (k == 0) sti_finding_say(definite, STI_YES, true, "there is no x other than zero");
        sti_finding_say(semidefinite, STI_YES, true, "M + M' is zero");
    } else if (count <= STI_INTEGER_LIMIT) {
        p.k = count;
        memcpy(p.index, kept, (size_t)count * sizeof *kept);
        status = decide_part(&p, definite, semidefinite);
    } else {
        status = decide_by_parts(&p, kept, count, definite, semidefinite);
    }
    sti_free(s->env, kept);
    sti_arena_clear(&p.memory);
    return status;
}

sti_status sti_specimen_eigenvalues(sti_specimen* s, double* least, double* largest) {
    *least = *largest = NAN;
    const size_t n = (size_t)s->n;
    if (s->n == 0 || s->n > STI_EIGENVALUE_LIMIT) return STI_OK;
    const int work_size = 3 * s->n + 1;
    double* S = sti_alloc_array(s->env, n * n + n + (size_t)work_size, sizeof *S);
    if (S == NULL) return STI_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) S[i * n + j] = 0.5 * s->m[i * n + j] + 0.5 * s->m[j * n + i];
    }
    if (sti_lapack_symmetric_eigen(false, s->n, S, S + n * n, S + n * n + n, work_size) == STI_LAPACK_DONE) {
        *least = S[n * n];
        *largest = S[n * n + n - 1];
    }
    sti_free(s->env, S);
    return STI_OK;
}
