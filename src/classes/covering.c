// covering.c: do the complementary cones of M cover R^n (class Q), or at least all feasible q (class Q0)?
//
// Source: R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, 1992, sections 3.1, 3.2 and 6.1;
// S3 1.2.3. D1: they characterize the classes and give no procedure; this one is for small orders alone.
//
// K(M) is closed, so what it leaves out of R^n, or of the inside of pos(I, -M), is open. Degenerate cones have no
// inside, and a nonempty open set does not fit into finitely many of them. So only full cones count:
//
//     a cell P = { R q > 0 };  some q in it by linear programming;
//         a full cone C = { r_i q >= 0 } that holds q, and then
//     P without C is, up to faces,  the union over i of  P and { r_1 q > 0, .., r_(i-1) q > 0, r_i q < 0 }
//
// A cell is done when it is empty; a q in no full cone is moved a little, until it is in no degenerate one either. Each
// step takes away a cone, so a branch has at most 2^n of them. A cell for Q0 is kept inside pos(I, -M) by writing q = w
// - M z with w, z > 0.
#include <math.h>
#include <stdio.h>
#include <stiction/covering.h>
#include <string.h>

#include "base/rng.h"
#include "classes/classes.h"
#include "exact/dictionary.h"

typedef struct cover {
    sti_env* env;
    sti_exact* x;
    int n, cones;
    sti_int* A;         // M by a positive factor, integers                       (n x n)
    sti_int* normal;    // of full cones: r_i, primitive                          (cones x n x n)
    signed char* sign;  // of det M_alpha,alpha                                  (cones)
    sti_int* row;       // R: what confines the cell                              (capacity x n)
    int rows, capacity;
    bool feasible;  // only inside pos(I, -M)
    long cells, most;
    sti_int* q;    // the last point                                             (n)
    sti_int* try;  // (n)
    sti_int t;
} cover;

// ---- the cones

// Generator i of C(alpha): I_i, or -A_i.
static void generator(cover* c, int alpha, int i, sti_int* out, size_t stride) {
    for (int k = 0; k < c->n; k++) {
        sti_int* entry = &out[(size_t)k * stride];
        if ((alpha >> i & 1) == 0) {
            sti_int_set_i64(c->x, entry, k == i);
        } else {
            sti_int_set(c->x, entry, &c->A[(size_t)k * (size_t)c->n + (size_t)i]);
            sti_int_neg(entry);
        }
    }
}

static sti_int* normal_of(const cover* c, int alpha, int i) {
    const size_t n = (size_t)c->n;
    return &c->normal[((size_t)alpha * n + (size_t)i) * n];
}

// Rows of the inverse of the generators, up to positive factors.
static void invert_cone(cover* c, int alpha, sti_int* T, int* pivot) {
    const int n = c->n;
    sti_int d = {0};
    for (int i = 0; i < n; i++) {
        generator(c, alpha, i, T + i, 2 * (size_t)n);
        for (int k = 0; k < n; k++)
            sti_int_set_i64(c->x, &T[(size_t)k * 2 * (size_t)n + (size_t)n + (size_t)i], k == i);
    }
    sti_int_set_i64(c->x, &d, 1);
    const int rank = sti_int_eliminate(c->x, T, n, 2 * n, n, pivot, &d);
    for (int r = 0; r < n && rank == n; r++) {
        sti_int* out = normal_of(c, alpha, pivot[r]);
        for (int k = 0; k < n; k++) {
            sti_int_set(c->x, &out[k], &T[(size_t)r * 2 * (size_t)n + (size_t)n + (size_t)k]);
            if (sti_int_sign(&d) < 0) sti_int_neg(&out[k]);
        }
        sti_int_make_primitive(c->x, out, (size_t)n);
    }
    sti_int_clear(c->env, &d);
}

static sti_status find_cones(cover* c) {
    const size_t n = (size_t)c->n;
    int index[STI_COVERING_MOST], pivot[STI_COVERING_MOST];
    sti_minors minors = {0};
    sti_int* T = sti_int_array(c->x, 2 * n * n);
    if (T != NULL && sti_minors_init(&minors, c->x, c->A, c->n) == STI_OK) {
        for (int alpha = 0; alpha < c->cones && c->x->status == STI_OK; alpha++) {
            int k = 0;
            for (int i = 0; i < c->n; i++) {
                if (alpha >> i & 1) index[k++] = i;
            }
            c->sign[alpha] = (signed char)(k == 0 ? 1 : sti_minors_sign(&minors, index, k));
            if (c->sign[alpha] != 0) invert_cone(c, alpha, T, pivot);
        }
    }
    sti_minors_clear(&minors);
    sti_int_array_free(c->env, T, 2 * n * n);
    return c->x->status;
}

static int side(cover* c, const sti_int* r, const sti_int* q) {
    sti_int_set_i64(c->x, &c->t, 0);
    for (int k = 0; k < c->n; k++) sti_int_addmul(c->x, &c->t, &r[k], &q[k]);
    return sti_int_sign(&c->t);
}

static bool holds(cover* c, int alpha, const sti_int* q) {
    for (int i = 0; i < c->n; i++) {
        if (side(c, normal_of(c, alpha, i), q) < 0) return false;
    }
    return true;
}

// A full cone with q in it, -1: there is none.
static int full_cone_of(cover* c, const sti_int* q) {
    for (int alpha = 0; alpha < c->cones; alpha++) {
        if (c->sign[alpha] != 0 && holds(c, alpha, q)) return alpha;
    }
    return -1;
}

// Is q a nonnegative combination of these vectors (count columns of n entries, one after the other)?
static bool is_combination(cover* c, const sti_int* vectors, int count, const sti_int* q) {
    sti_dictionary* D;
    const sti_status status = sti_dictionary_create(c->x, c->n, count, &D);
    if (status != STI_OK) {
        c->x->status = status;
        return false;
    }
    for (int i = 0; i < c->n; i++) {
        D->kind[count + i] = STI_VAR_ZERO;
        sti_int_set(c->x, sti_dictionary_at(D, i, 0), &q[i]);
        sti_int_neg(sti_dictionary_at(D, i, 0));
        for (int j = 0; j < count; j++)
            sti_int_set(c->x, sti_dictionary_at(D, i, j + 1), &vectors[(size_t)j * (size_t)c->n + (size_t)i]);
    }
    const bool found = sti_dictionary_feasible(D);
    sti_dictionary_destroy(D);
    return found;
}

static bool in_degenerate_cone(cover* c, const sti_int* q) {
    const size_t n = (size_t)c->n;
    bool found = false;
    sti_int* vectors = sti_int_array(c->x, n * n);
    for (int alpha = 0; vectors != NULL && !found && alpha < c->cones; alpha++) {
        if (c->sign[alpha] != 0) continue;
        for (int i = 0; i < c->n; i++) generator(c, alpha, i, vectors + (size_t)i * n, 1);
        found = is_combination(c, vectors, c->n, q);
    }
    sti_int_array_free(c->env, vectors, n * n);
    return found;
}

static bool is_feasible(cover* c, const sti_int* q) {
    const size_t n = (size_t)c->n;
    bool found = false;
    sti_int* vectors = sti_int_array(c->x, 2 * n * n);
    if (vectors != NULL) {
        for (int i = 0; i < c->n; i++) {
            generator(c, 0, i, vectors + (size_t)i * n, 1);
            generator(c, 1 << i, i, vectors + (n + (size_t)i) * n, 1);
        }
        found = is_combination(c, vectors, 2 * c->n, q);
    }
    sti_int_array_free(c->env, vectors, 2 * n * n);
    return found;
}

// ---- cells

// Row k of { R q >= 1 } in the variables of the cell: q itself, or w - 1 and z - 1 of q = w - A z.
static void write_row(cover* c, sti_dictionary* D, int k) {
    const size_t n = (size_t)c->n;
    const sti_int* R = &c->row[(size_t)k * n];
    sti_int* constant = sti_dictionary_at(D, k, 0);
    sti_int_set_i64(c->x, constant, -1);
    for (size_t j = 0; j < n; j++) {
        sti_int_set(c->x, sti_dictionary_at(D, k, (int)j + 1), &R[j]);
        if (!c->feasible) continue;
        sti_int* entry = sti_dictionary_at(D, k, (int)(n + j) + 1);
        sti_int_set_i64(c->x, entry, 0);
        for (size_t i = 0; i < n; i++) sti_int_addmul(c->x, entry, &R[i], &c->A[i * n + j]);
        sti_int_neg(entry);
        sti_int_add(c->x, constant, constant, &R[j]);
        sti_int_add(c->x, constant, constant, entry);
    }
}

// q from the values of w - 1 and z - 1 (2 n), all over one d > 0.
static void combine(cover* c, const sti_int* value, const sti_int* d) {
    const size_t n = (size_t)c->n;
    for (size_t i = 0; i < n; i++) {
        sti_int_add(c->x, &c->q[i], &value[i], d);
        for (size_t j = 0; j < n; j++) {
            sti_int_add(c->x, &c->t, &value[n + j], d);
            sti_int_neg(&c->t);
            sti_int_addmul(c->x, &c->q[i], &c->A[i * n + j], &c->t);
        }
    }
}

// A point inside the cell, in c->q. False: the cell is empty.
static bool find_point(cover* c) {
    const int columns = c->feasible ? 2 * c->n : c->n;
    sti_dictionary* D;
    sti_int* value = sti_int_array(c->x, (size_t)columns);
    const sti_status status = value != NULL ? sti_dictionary_create(c->x, c->rows + 1, columns, &D) : c->x->status;
    if (status != STI_OK) {
        c->x->status = status;
        sti_int_array_free(c->env, value, (size_t)columns);
        return false;
    }
    for (int j = 0; j < columns; j++) D->kind[j] = (unsigned char)(c->feasible ? STI_VAR_NONNEGATIVE : STI_VAR_FREE);
    for (int k = 0; k < c->rows; k++) write_row(c, D, k);
    sti_int_set_i64(c->x, sti_dictionary_at(D, c->rows, 0), 1);  // a row that always holds: there may be no other
    const bool found = sti_dictionary_feasible(D);
    for (int j = 0; j < columns && found; j++) {
        const int row = sti_dictionary_row_of(D, j);
        if (row >= 0) sti_int_set(c->x, &value[j], sti_dictionary_at(D, row, 0));
    }
    if (found && c->feasible) combine(c, value, &D->d);
    for (int i = 0; i < c->n && found && !c->feasible; i++) sti_int_set(c->x, &c->q[i], &value[i]);
    if (found) sti_int_make_primitive(c->x, c->q, (size_t)c->n);
    sti_dictionary_destroy(D);
    sti_int_array_free(c->env, value, (size_t)columns);
    return found && c->x->status == STI_OK;
}

static void push_row(cover* c, const sti_int* r, bool negative) {
    sti_int* out = &c->row[(size_t)c->rows++ * (size_t)c->n];
    for (int k = 0; k < c->n; k++) {
        sti_int_set(c->x, &out[k], &r[k]);
        if (negative) sti_int_neg(&out[k]);
    }
}

// c->q is in no full cone: a point near it that is in no cone at all, in c->q. False: none was found.
static bool leave_all_cones(cover* c) {
    sti_rng rng = {1};
    for (int attempt = 0; attempt < 60 && c->x->status == STI_OK; attempt++) {
        for (int i = 0; i < c->n; i++) {
            sti_int_shl(c->x, &c->try[i], &c->q[i], attempt == 0 ? 0 : (size_t)(2 + attempt));
            sti_int_set_i64(c->x, &c->t, attempt == 0 ? 0 : sti_rng_int(&rng, -3, 3));
            sti_int_add(c->x, &c->try[i], &c->try[i], &c->t);
        }
        if (full_cone_of(c, c->try) >= 0 || in_degenerate_cone(c, c->try)) continue;
        if (c->feasible && !is_feasible(c, c->try)) continue;
        for (int i = 0; i < c->n; i++) sti_int_set(c->x, &c->q[i], &c->try[i]);
        return c->x->status == STI_OK;
    }
    return false;
}

typedef enum ending { COVERED, LEFT_OUT, OPEN } ending;

static ending search(cover* c) {
    if (++c->cells > c->most) return OPEN;
    if (!find_point(c)) return c->x->status == STI_OK ? COVERED : OPEN;
    const int alpha = full_cone_of(c, c->q);
    if (alpha < 0) return leave_all_cones(c) ? LEFT_OUT : OPEN;
    const int base = c->rows;
    ending end = COVERED;
    for (int i = 0; i < c->n && end == COVERED; i++) {
        push_row(c, normal_of(c, alpha, i), true);
        end = search(c);
        c->rows = base + i;
        push_row(c, normal_of(c, alpha, i), false);
    }
    c->rows = base;
    return end;
}

// ---- the two questions

static sti_status keep_point(cover* c, double** q, sti_rationals** exact) {
    sti_int one = {0};
    *q = sti_alloc_array(c->env, (size_t)c->n, sizeof **q);
    sti_status status = *q == NULL ? STI_ERR_MEMORY : sti_rationals_create(c->env, (size_t)c->n, exact);
    sti_int_make_primitive(c->x, c->q, (size_t)c->n);
    sti_int_set_i64(c->x, &one, 1);
    for (int i = 0; status == STI_OK && i < c->n; i++) {
        status = sti_rationals_set_ratio(*exact, (size_t)i, &c->q[i], &one);
        (*q)[i] = sti_int_double(&c->q[i]);
    }
    sti_int_clear(c->env, &one);
    return status == STI_OK ? c->x->status : status;
}

static sti_status ask(cover* c, bool feasible, sti_verdict* verdict, double** q, sti_rationals** exact) {
    c->feasible = feasible;
    c->rows = 0;
    const ending end = search(c);
    *verdict = end == COVERED ? STI_YES : end == LEFT_OUT ? STI_NO : STI_UNDECIDED;
    if (c->x->status != STI_OK) return c->x->status;
    return end == LEFT_OUT ? keep_point(c, q, exact) : STI_OK;
}

static void describe(const cover* c, sti_covering* out) {
    int full = 0;
    for (int alpha = 0; alpha < c->cones; alpha++) full += c->sign[alpha] != 0;
    snprintf(out->text, sizeof out->text, "K(M) is %s: the union of %d full and %d degenerate complementary cones",
             out->Q == STI_YES    ? "the whole space"
             : out->Q0 == STI_YES ? "pos(I, -M), convex, not the whole space"
             : out->Q0 == STI_NO  ? "not convex"
                                  : "not decided",
             full, c->cones - full);
}

static sti_status run(cover* c, sti_specimen* s, sti_covering* out) {
    const size_t n = (size_t)c->n, cones = (size_t)c->cones;
    int all[STI_COVERING_MOST];
    for (int i = 0; i < c->n; i++) all[i] = i;
    c->capacity = c->cones * c->n;
    c->A = sti_int_array(c->x, n * n);
    c->normal = sti_int_array(c->x, cones * n * n);
    c->row = sti_int_array(c->x, (size_t)c->capacity * n);
    c->q = sti_int_array(c->x, n);
    c->try = sti_int_array(c->x, n);
    if (c->x->status == STI_OK) sti_specimen_image(s, all, c->n, all, c->n, c->A, NULL, NULL);
    sti_status status = c->x->status == STI_OK ? find_cones(c) : c->x->status;
    if (status == STI_OK) status = ask(c, false, &out->Q, &out->q_outside, &out->q_outside_exact);
    if (status == STI_OK && out->Q == STI_YES) out->Q0 = STI_YES;
    if (status == STI_OK && out->Q != STI_YES)
        status = ask(c, true, &out->Q0, &out->q_feasible, &out->q_feasible_exact);
    if (status == STI_OK) describe(c, out);
    out->cells = c->cells;
    sti_int_array_free(c->env, c->A, n * n);
    sti_int_array_free(c->env, c->normal, cones * n * n);
    sti_int_array_free(c->env, c->row, (size_t)c->capacity * n);
    sti_int_array_free(c->env, c->q, n);
    sti_int_array_free(c->env, c->try, n);
    sti_int_clear(c->env, &c->t);
    return status;
}

sti_covering_options sti_covering_options_default(void) {
    return (sti_covering_options){.max_cells = 200000};
}

sti_status sti_covering_create(sti_env* env, const sti_matrix* M, const sti_rationals* M_exact,
                               const sti_covering_options* options, sti_covering** out) {
    const sti_classes_options defaults = sti_classes_options_default();
    const sti_covering_options o = options != NULL ? *options : sti_covering_options_default();
    sti_specimen s;
    *out = NULL;
    sti_status status = sti_specimen_init(&s, env, M, M_exact, &defaults);
    if (status != STI_OK) return status;
    if (s.n < 1 || s.n > STI_COVERING_MOST) {
        status = STI_FAIL(env, STI_ERR_SIZE, -1, "order %d: the cones are looked at from order 1 to %d", s.n,
                          STI_COVERING_MOST);
        sti_specimen_clear(&s);
        return status;
    }
    sti_covering* covering = sti_alloc_array_zero(env, 1, sizeof *covering);
    cover c = {.env = env, .x = &s.x, .n = s.n, .cones = 1 << s.n, .most = o.max_cells};
    if (covering != NULL) {
        *covering = (sti_covering){.n = s.n, .cone_count = c.cones, .Q = STI_UNDECIDED, .Q0 = STI_UNDECIDED};
        covering->sign = c.sign = sti_alloc_array_zero(env, (size_t)c.cones, sizeof *c.sign);
    }
    if (covering == NULL || c.sign == NULL)
        status = STI_ERR_MEMORY;
    else
        status = run(&c, &s, covering);
    sti_specimen_clear(&s);
    if (status == STI_OK)
        *out = covering;
    else
        sti_covering_destroy(env, covering);
    return status;
}

void sti_covering_destroy(sti_env* env, sti_covering* covering) {
    if (covering == NULL) return;
    sti_free(env, covering->sign);
    sti_free(env, covering->q_outside);
    sti_free(env, covering->q_feasible);
    sti_rationals_destroy(covering->q_outside_exact);
    sti_rationals_destroy(covering->q_feasible_exact);
    sti_free(env, covering);
}

// The determinants of the generators differ by that of what takes the place of I_i: the sign changes once for -M.
int sti_covering_adjacent(const sti_covering* covering, int alpha, int i) {
    return covering->sign[alpha] * covering->sign[alpha ^ (1 << i)];
}
