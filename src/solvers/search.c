// search.c: tree search through the complementary cones, in exact arithmetic.
//
//     Is q in pos C_M(alpha) for some alpha, and for which?            S3 definitions 1.2.3, 1.2.4, (1.2.7)
//
// A node fixes some pairs, z_i = 0 or w_i = 0, and holds a dictionary of what is left of the feasible set
// FEA(q, M). It is closed when that is empty, and then the dictionary yields a Farkas vector; the closed nodes
// together are the proof that there is no solution. Otherwise it is split at a pair. For matrices in general position
// about 2^k P(Bin(2n-k, 1/2) >= n) of the 2^k nodes at depth k survive (Wendel 1962): a thousand in all at n = 20
// instead of a million. Degenerate data have more, since cones overlap. Each child starts from its parent's
// dictionary, a few pivots of n^2 integer operations away.
//
// Looking for one solution, the search stops at the first vertex that happens to be complementary and goes first to
// the side that is nearer. The order of the search affects time, never the verdict.
#include <math.h>
#include <string.h>

#include "solvers/exact_lcp.h"

typedef struct sti_search {
    sti_exact_lcp* e;
    const sti_search_def* def;
    sti_search_result* result;
    sti_dictionary** level;  // one dictionary per depth, made when first reached      (n+1)
    signed char* fixed;      // +1: z_i = 0, -1: w_i = 0, 0: open                       (n)
    bool stop;
    bool limit;
    long piece_count;
    // leaves of the proof
    int leaf_count;
    int leaf_capacity;
    signed char* leaf_fixed;  // (leaf_capacity x n)
    sti_int* leaf_y;          // (leaf_capacity x (n+free)): rows of w, then equations
} sti_search;

static sti_status grow_leaves(sti_search* s) {
    sti_env* env = s->e->x.env;
    const size_t n = (size_t)s->e->n, rows = n + (size_t)s->e->free_count;
    const int capacity = s->leaf_capacity > 0 ? 2 * s->leaf_capacity : 16;
    signed char* fixed = sti_realloc(env, s->leaf_fixed, (size_t)capacity * (n > 0 ? n : 1));
    if (fixed != NULL) s->leaf_fixed = fixed;
    sti_int* y =
        fixed != NULL ? sti_realloc(env, s->leaf_y, (size_t)capacity * (rows > 0 ? rows : 1) * sizeof *y) : NULL;
    if (y == NULL) return STI_ERR_MEMORY;
    memset(y + (size_t)s->leaf_capacity * rows, 0, (size_t)(capacity - s->leaf_capacity) * rows * sizeof *y);
    s->leaf_y = y;
    s->leaf_capacity = capacity;
    return STI_OK;
}

// The node is empty: keep the vector that says so, in terms of the original rows.
static sti_status close_node(sti_search* s, sti_dictionary* D) {
    if (!s->def->keep_proof || s->result->found) return STI_OK;
    sti_exact* x = &s->e->x;
    const size_t n = (size_t)s->e->n, rows = n + (size_t)s->e->free_count;
    if (s->leaf_count == s->leaf_capacity) {
        const sti_status status = grow_leaves(s);
        if (status != STI_OK) return status;
    }
    const size_t k = (size_t)s->leaf_count;
    memcpy(s->leaf_fixed + k * n, s->fixed, n);
    s->leaf_count++;
    sti_int* y = s->leaf_y + k * rows;
    sti_dictionary_farkas(D, y);
    // y weighs scaled rows; weigh the original ones: y_i num_i / den_i, brought to integers
    sti_int l = {0}, t = {0};
    sti_int_set_i64(x, &l, 1);
    for (size_t i = 0; i < rows; i++) sti_int_lcm(x, &l, &l, &s->e->scale_den[i]);
    for (size_t i = 0; i < rows && x->status == STI_OK; i++) {
        sti_int_divexact(x, &t, &l, &s->e->scale_den[i]);
        sti_int_mul(x, &t, &t, &s->e->scale_num[i]);
        sti_int_mul(x, &y[i], &y[i], &t);
    }
    sti_int_make_primitive(x, y, rows);
    sti_int_clear(x->env, &l);
    sti_int_clear(x->env, &t);
    return x->status;
}

// Values of z_i and w_i at the vertex shown, as doubles times the common denominator; exact zeros stay zeros.
static void pair_values(const sti_dictionary* D, int n, double* z, double* w) {
    memset(z, 0, (size_t)n * sizeof *z);
    memset(w, 0, (size_t)n * sizeof *w);
    for (int i = 0; i < D->rows; i++) {
        const int v = D->basic[i];
        const sti_int* value = sti_dictionary_at(D, i, 0);
        if (v < n)
            z[v] = sti_int_double(value);
        else if (v >= D->cols && v < D->cols + n)
            w[v - D->cols] = sti_int_double(value);
    }
}

// The vertex is complementary: a solution.
static sti_status take_solution(sti_search* s, const sti_dictionary* D, const double* z) {
    sti_search_result* r = s->result;
    const int n = s->e->n;
    // Prefer the alpha of the basis itself; where both or neither of a pair are basic, the positive one counts.
    for (int i = 0; i < n; i++) r->alpha[i] = z[i] > 0;
    for (int i = 0; i < D->rows; i++) {
        if (D->basic[i] < n && sti_dictionary_row_of(D, D->cols + D->basic[i]) < 0) r->alpha[D->basic[i]] = 1;
    }
    const sti_status status = sti_rationals_create(s->e->x.env, (size_t)(n + s->e->free_count), &r->solution);
    if (status != STI_OK) return status;
    for (int i = 0; i < D->rows; i++) {
        if (D->basic[i] < n + s->e->free_count) {
            const sti_status set =
                sti_rationals_set_ratio(r->solution, (size_t)D->basic[i], sti_dictionary_at(D, i, 0), &D->d);
            if (set != STI_OK) return set;
        }
    }
    r->found = true;
    s->stop = true;
    return STI_OK;
}

// All pairs are fixed: q lies in this cone. A basis, when no held variable is left among the rows.
static sti_status visit_leaf(sti_search* s, sti_dictionary* D) {
    bool nonsingular = true;
    for (int i = 0; i < D->rows; i++) {
        if (D->kind[D->basic[i]] == STI_VAR_ZERO) nonsingular = false;
    }
    s->piece_count++;
    if (!s->def->leaf(s->def->leaf_user, D, s->fixed, nonsingular)) {
        s->limit = true;
        s->stop = true;
    }
    return s->e->x.status;
}

static sti_status visit(sti_search* s, int depth);

static sti_status visit_child(sti_search* s, int depth, int pair, bool z_zero) {
    sti_exact_lcp* e = s->e;
    if (s->level[depth + 1] == NULL) {
        const sti_status status =
            sti_dictionary_create(&e->x, e->n + e->free_count, e->n + e->free_count, &s->level[depth + 1]);
        if (status != STI_OK) return status;
    }
    sti_dictionary* child = s->level[depth + 1];
    sti_dictionary_copy(child, s->level[depth]);
    child->kind[z_zero ? pair : child->cols + pair] = STI_VAR_ZERO;
    s->fixed[pair] = z_zero ? 1 : -1;
    const bool feasible = sti_dictionary_feasible(child);
    sti_status status = e->x.status;
    if (status == STI_OK) status = feasible ? visit(s, depth + 1) : close_node(s, child);
    s->fixed[pair] = 0;
    return status;
}

// s->level[depth] is feasible.
static sti_status visit(sti_search* s, int depth) {
    sti_exact_lcp* e = s->e;
    const int n = e->n;
    if (s->result->nodes++ >= s->def->max_nodes && !(n == depth)) {
        s->limit = true;
        s->stop = true;
        return STI_OK;
    }
    if (isfinite(s->def->deadline) && sti_now(e->x.env) > s->def->deadline) {
        s->limit = true;
        s->stop = true;
        return STI_OK;
    }
    sti_dictionary* D = s->level[depth];
    double* value = sti_alloc_array(e->x.env, 2 * (size_t)n, sizeof *value);
    if (value == NULL) return STI_ERR_MEMORY;
    double *z = value, *w = value + n;
    pair_values(D, n, z, w);
    int pair = -1;
    bool z_first = true;
    for (int i = 0; i < n && pair < 0; i++) {
        if (s->fixed[i] == 0 && z[i] > 0 && w[i] > 0) {
            pair = i;
            z_first = z[i] <= w[i];
        }
    }
    sti_status status = STI_OK;
    if (pair < 0 && !s->def->all) {
        status = take_solution(s, D, z);
        sti_free(e->x.env, value);
        return status;
    }
    for (int i = 0; i < n && pair < 0; i++) {
        if (s->fixed[i] == 0) {
            pair = i;
            z_first = z[i] <= 0;
        }
    }
    sti_free(e->x.env, value);
    if (pair < 0) return visit_leaf(s, D);
    status = visit_child(s, depth, pair, z_first);
    if (status == STI_OK && !s->stop) status = visit_child(s, depth, pair, !z_first);
    return status;
}

// The collected leaves as a certificate: equations' multipliers first, then those of w.
static sti_status write_certificate(sti_search* s) {
    sti_env* env = s->e->x.env;
    sti_certificate* c = &s->result->certificate;
    const size_t n = (size_t)s->e->n, nf = (size_t)s->e->free_count, rows = n + nf, leaves = (size_t)s->leaf_count;
    *c = (sti_certificate){.proof = leaves == 1 ? STI_PROOF_FARKAS : STI_PROOF_BRANCH,
                           .free_count = (int)nf,
                           .pair_count = (int)n,
                           .leaf_count = (int)leaves,
                           .exact = true,
                           .bound = INFINITY};
    c->fixed = sti_alloc_array_zero(env, leaves * n, 1);
    c->y = sti_alloc_array(env, leaves * rows, sizeof *c->y);
    if (c->fixed == NULL || c->y == NULL) return STI_ERR_MEMORY;
    sti_status status = sti_rationals_create(env, leaves * rows, &c->y_exact);
    if (status != STI_OK) return status;
    if (n > 0) memcpy(c->fixed, s->leaf_fixed, leaves * n);
    sti_int one = {0};
    sti_int_set_i64(&s->e->x, &one, 1);
    status = s->e->x.status;
    for (size_t k = 0; k < leaves && status == STI_OK; k++) {
        for (size_t i = 0; i < rows && status == STI_OK; i++) {
            const size_t to = k * rows + (i < n ? nf + i : i - n);
            status = sti_rationals_set_ratio(c->y_exact, to, &s->leaf_y[k * rows + i], &one);
            if (status == STI_OK) c->y[to] = sti_rationals_double(c->y_exact, to);
        }
    }
    sti_int_clear(env, &one);
    return status;
}

static void clear_search(sti_search* s) {
    sti_env* env = s->e->x.env;
    const size_t rows = (size_t)s->e->n + (size_t)s->e->free_count;
    if (s->level != NULL) {
        for (int k = 0; k <= s->e->n; k++) sti_dictionary_destroy(s->level[k]);
    }
    sti_free(env, s->level);
    sti_free(env, s->fixed);
    sti_free(env, s->leaf_fixed);
    sti_int_array_free(env, s->leaf_y, (size_t)s->leaf_capacity * rows);
}

sti_status sti_exact_lcp_search(sti_exact_lcp* e, const sti_search_def* def, sti_search_result* out) {
    sti_env* env = e->x.env;
    *out = (sti_search_result){0};
    sti_search s = {.e = e, .def = def, .result = out};
    s.level = sti_alloc_array_zero(env, (size_t)e->n + 1, sizeof *s.level);
    s.fixed = sti_alloc_array_zero(env, (size_t)e->n, 1);
    out->alpha = sti_alloc_array_zero(env, (size_t)e->n, 1);
    sti_status status = STI_OK;
    if (s.level == NULL || s.fixed == NULL || out->alpha == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) status = sti_exact_lcp_dictionary(e, &s.level[0]);
    if (status == STI_OK) {
        const bool feasible = sti_dictionary_feasible(s.level[0]);
        status = e->x.status;
        if (status == STI_OK) status = feasible ? visit(&s, 0) : close_node(&s, s.level[0]);
    }
    out->complete = status == STI_OK && !s.limit;
    const bool none = out->complete && !out->found && s.piece_count == 0;
    if (status == STI_OK && none && def->keep_proof) status = write_certificate(&s);
    if (status == STI_OK && out->found) {
        sti_exact_basis basis;
        status = sti_exact_lcp_solve_basis(e, out->alpha, &basis);
        out->nonsingular = basis.nonsingular;
        sti_exact_basis_clear(&basis);
    }
    clear_search(&s);
    if (status != STI_OK) sti_search_result_clear(env, out);
    return status;
}

void sti_search_result_clear(sti_env* env, sti_search_result* r) {
    sti_free(env, r->alpha);
    sti_rationals_destroy(r->solution);
    sti_certificate_clear(env, &r->certificate);
    *r = (sti_search_result){0};
}
