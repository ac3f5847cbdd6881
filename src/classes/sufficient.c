// sufficient.c: is M column sufficient?
//
//     x_i (Mx)_i <= 0 for all i    =>    x_i (Mx)_i = 0 for all i         Cottle, Pang & Venkateswaran 1989
//
// P and positive semidefinite matrices are, and a column sufficient matrix is P0. When M is not P0, a minimal negative
// minor det M_aa gives a counterexample: with G = M_aa^-1 and y = M_aa x,
//     - G_ii = det M_(a-i) / det M_aa <= 0. If G_ii < 0: x = G e_i has x_i y_i = G_ii < 0 and y = 0 elsewhere in a;
//     - if all G_ii = 0: G_ij G_ji = -det M_(a-i-j) / det M_aa >= 0, and not all are zero as G is not. y = e_i -+ e_j
//       with the sign that makes G_ij y_i y_j and G_ji y_i y_j nonpositive, one of them negative.
// Outside a x is zero, so y does not matter there.
//
// Otherwise, for small n, every index i that could have x_i y_i < 0 is tried (x -> -x: x_i > 0, y_i < 0, and by scaling
// x_i >= 1, y_i <= -1 in integer units). The other products are linear once the sign of x_j is fixed,
//
//     x_j >= 0, y_j <= 0     or     x_j <= 0, y_j >= 0,
//
// so: solve the linear feasibility problem with the signs fixed so far; infeasible closes the case; a vertex with no
// product x_j y_j > 0 is a counterexample; otherwise branch on the first such j. Exact dictionaries throughout.
#include <string.h>

#include "base/arena.h"
#include "classes/classes.h"
#include "exact/dictionary.h"

enum { ORDER_LIMIT = 12, NODES_PER_WORK = 100 };

// ---- not P0

// x = G y for the inverse in the table (row i holds d times row pivot[i] of G), y = e_i + b e_j.
static void combine(sti_exact* x, const sti_int* table, int k, const int* pivot, int i, int j, int b, sti_int* out) {
    sti_int factor = {0};
    sti_int_set_i64(x, &factor, b);
    for (int r = 0; r < k; r++) {
        const sti_int* row = table + (size_t)r * (size_t)(2 * k) + k;
        sti_int* to = &out[pivot[r]];
        sti_int_set(x, to, &row[i]);
        if (b != 0) sti_int_addmul(x, to, &row[j], &factor);
    }
    sti_int_clear(x->env, &factor);
}

static int inverse_sign(const sti_int* table, int k, const int* row_of, const sti_int* d, int i, int j) {
    return sti_int_sign(&table[(size_t)row_of[i] * (size_t)(2 * k) + (size_t)(k + j)]) * sti_int_sign(d);
}

// Which y: i, j and b as above. False: the minor is not minimal in the sense needed.
static bool choose(const sti_int* table, int k, const int* row_of, const sti_int* d, int* i, int* j, int* b) {
    *j = *b = 0;
    for (*i = 0; *i < k; ++*i) {
        if (inverse_sign(table, k, row_of, d, *i, *i) < 0) return true;
    }
    for (*i = 0; *i < k; ++*i) {
        for (*j = *i + 1; *j < k; ++*j) {
            if (inverse_sign(table, k, row_of, d, *i, *i) != 0 || inverse_sign(table, k, row_of, d, *j, *j) != 0)
                continue;
            const int up = inverse_sign(table, k, row_of, d, *i, *j), down = inverse_sign(table, k, row_of, d, *j, *i);
            *b = up + down > 0 ? -1 : 1;
            if (up * down >= 0 && up + down != 0) return true;
        }
    }
    return false;
}

static sti_status from_negative_minor(sti_specimen* s, sti_class_finding* f, const int* set, int k) {
    sti_exact* x = &s->x;
    const size_t width = 2 * (size_t)k;
    sti_int d = {0};
    sti_int* table = sti_int_array(x, (size_t)k * width);
    sti_int* block = sti_int_array(x, (size_t)k * (size_t)k);
    sti_int* v = sti_int_array(x, (size_t)k);
    int* pivot = sti_alloc_array(s->env, 2 * (size_t)k, sizeof *pivot);
    if (pivot == NULL) x->status = STI_ERR_MEMORY;
    sti_status status = x->status;
    if (status == STI_OK) {
        // one scale for all rows: the inverse is then that of M_aa up to a positive factor
        sti_specimen_image(s, set, k, set, k, block, NULL, NULL);
        for (size_t i = 0; i < (size_t)k; i++) {
            for (size_t j = 0; j < (size_t)k; j++) sti_int_swap(&table[i * width + j], &block[i * (size_t)k + j]);
            sti_int_set_i64(x, &table[i * width + (size_t)k + i], 1);
        }
        const int rank = sti_int_eliminate(x, table, k, (int)width, k, pivot, &d);
        status = x->status;
        int* row_of = pivot + k;
        int i, j, b;
        for (int r = 0; r < rank; r++) row_of[pivot[r]] = r;
        if (status == STI_OK && rank == k && choose(table, k, row_of, &d, &i, &j, &b)) {
            combine(x, table, k, pivot, i, j, b, v);
            for (int r = 0; r < k && sti_int_sign(&d) < 0; r++) sti_int_neg(&v[r]);
            sti_finding_say(f, STI_NO, true, "from a negative principal minor of order %d", k);
            status = x->status == STI_OK ? sti_finding_set_vector(s, f, set, k, v) : x->status;
        }
    }
    sti_int_array_free(s->env, table, (size_t)k * width);
    sti_int_array_free(s->env, block, (size_t)k * (size_t)k);
    sti_int_array_free(s->env, v, (size_t)k);
    sti_free(s->env, pivot);
    sti_int_clear(s->env, &d);
    return status;
}

// ---- branch and bound

// Variables of a dictionary: x_j -> j, and n + j -> -y_j. A flipped pair stands for -x_j, y_j.
typedef struct branching {
    sti_arena memory;
    sti_specimen* s;
    sti_exact* x;
    int n;
    sti_int* rows;        // integer rows of M                            (n x n)
    sti_dictionary** D;   // one for each depth                           (n+1)
    unsigned char* kind;  // what each depth asks of the variables        ((n+1) x 2n)
    bool* flipped;        // of pair j at each depth                      ((n+1) x n)
    int* all;             //                                              (n)
    sti_int* value;       // x of the vertex                              (n)
    long nodes, node_limit;
} branching;

static void flip(sti_dictionary* D, int variable) {
    const int row = sti_dictionary_row_of(D, variable);
    if (row >= 0) {
        for (int j = 0; j <= D->cols; j++) sti_int_neg(sti_dictionary_at(D, row, j));
        return;
    }
    int col = 0;
    while (D->nonbasic[col] != variable) col++;
    for (int i = 0; i < D->rows; i++) sti_int_neg(sti_dictionary_at(D, i, col + 1));
}

// x_i = 1 + x_i', y_i = -1 - y_i' for the index under trial; everything else free.
static void load_root(branching* b, int i) {
    const int n = b->n;
    sti_dictionary* D = b->D[0];
    sti_int one = {0};
    sti_int_set_i64(b->x, &one, 1);
    for (int r = 0; r < n; r++) {
        for (int c = 0; c <= n; c++) {
            sti_int* to = sti_dictionary_at(D, r, c);
            sti_int_set(b->x, to, &b->rows[r * n + (c == 0 ? i : c - 1)]);
            sti_int_neg(to);
        }
        D->basic[r] = n + r;
        D->nonbasic[r] = r;
    }
    sti_int* constant = sti_dictionary_at(D, i, 0);
    sti_int_sub(b->x, constant, constant, &one);
    sti_int_set_i64(b->x, &D->d, 1);
    for (int j = 0; j < 2 * n; j++) b->kind[j] = j == i || j == n + i ? STI_VAR_NONNEGATIVE : STI_VAR_FREE;
    for (int j = 0; j < n; j++) b->flipped[j] = false;
    sti_int_clear(b->x->env, &one);
}

static int value_sign(const sti_dictionary* D, int variable) {
    const int row = sti_dictionary_row_of(D, variable);
    return row < 0 ? 0 : sti_int_sign(sti_dictionary_at(D, row, 0));
}

static void read_point(branching* b, int depth, int i) {
    const sti_dictionary* D = b->D[depth];
    for (int j = 0; j < b->n; j++) {
        const int row = sti_dictionary_row_of(D, j);
        sti_int* to = &b->value[j];
        sti_int_set_i64(b->x, to, 0);
        if (row >= 0) sti_int_set(b->x, to, sti_dictionary_at(D, row, 0));
        if (b->flipped[depth * b->n + j]) sti_int_neg(to);
    }
    sti_int_add(b->x, &b->value[i], &b->value[i], &D->d);
}

// True: b->value is a counterexample, or x->status is set, or the nodes ran out.
static bool explore(branching* b, int depth, int i) {
    const int n = b->n;
    sti_dictionary* D = b->D[depth];
    if (++b->nodes > b->node_limit) return true;
    memcpy(D->kind, b->kind + (size_t)depth * (size_t)(2 * n), 2 * (size_t)n);
    if (!sti_dictionary_feasible(D)) return b->x->status != STI_OK;
    int branch = -1;
    for (int j = 0; j < n && branch < 0; j++) {
        if (j != i && value_sign(D, j) * value_sign(D, n + j) < 0) branch = j;
    }
    if (branch < 0) {
        read_point(b, depth, i);
        return true;
    }
    for (int side = 0; side < 2; side++) {
        unsigned char* kind = b->kind + (size_t)(depth + 1) * (size_t)(2 * n);
        bool* flipped = b->flipped + (size_t)(depth + 1) * (size_t)n;
        memcpy(kind, kind - 2 * n, 2 * (size_t)n);
        memcpy(flipped, flipped - n, (size_t)n * sizeof *flipped);
        sti_dictionary_copy(b->D[depth + 1], D);
        if (b->x->status != STI_OK) return true;
        if (side == 1) {
            flip(b->D[depth + 1], branch);
            flip(b->D[depth + 1], n + branch);
            flipped[branch] = true;
        }
        kind[branch] = kind[n + branch] = STI_VAR_NONNEGATIVE;
        if (explore(b, depth + 1, i)) return true;
    }
    return false;
}

static sti_status make_branching(branching* b, sti_specimen* s) {
    *b = (branching){.s = s, .x = &s->x, .n = s->n, .node_limit = s->options.work_limit / NODES_PER_WORK};
    const size_t n = (size_t)s->n;
    b->rows = sti_int_array(b->x, n * n);
    b->value = sti_int_array(b->x, n);
    b->memory = sti_arena_make(s->env);
    b->D = sti_arena_take(&b->memory, n + 1, sizeof *b->D);
    b->kind = sti_arena_raw(&b->memory, (n + 1) * 2 * n, 1);
    b->flipped = sti_arena_raw(&b->memory, (n + 1) * n, sizeof *b->flipped);
    b->all = sti_arena_raw(&b->memory, n, sizeof *b->all);
    if (b->memory.status != STI_OK || b->x->status != STI_OK) return STI_ERR_MEMORY;
    sti_status status = STI_OK;
    for (size_t i = 0; i <= n && status == STI_OK; i++) status = sti_dictionary_create(b->x, s->n, s->n, &b->D[i]);
    for (int i = 0; i < s->n; i++) b->all[i] = i;
    if (status == STI_OK) {
        sti_specimen_row_image(s, b->all, s->n, b->rows, NULL, NULL);
        status = b->x->status;
    }
    return status;
}

static void clear_branching(branching* b) {
    sti_env* env = b->s->env;
    const size_t n = (size_t)b->n;
    for (size_t i = 0; b->D != NULL && i <= n; i++) sti_dictionary_destroy(b->D[i]);
    sti_arena_clear(&b->memory);
    sti_int_array_free(env, b->rows, n * n);
    sti_int_array_free(env, b->value, n);
}

static sti_status branch_on_signs(sti_specimen* s, sti_class_finding* f) {
    branching b;
    sti_status status = make_branching(&b, s);
    bool closed = true;
    for (int i = 0; i < s->n && status == STI_OK && closed; i++) {
        load_root(&b, i);
        closed = b.x->status == STI_OK && !explore(&b, 0, i);
        status = b.x->status;
    }
    if (status == STI_OK && closed) {
        sti_finding_say(f, STI_YES, true, "no sign pattern holds a counterexample (%ld linear programs)", b.nodes);
    } else if (status == STI_OK && b.nodes <= b.node_limit) {
        sti_finding_say(f, STI_NO, true, "found by branching on the signs of x");
        status = sti_finding_set_vector(s, f, b.all, s->n, b.value);
    } else if (status == STI_OK) {
        sti_finding_say(f, STI_UNDECIDED, false, "more than %ld linear programs needed", b.node_limit);
    }
    clear_branching(&b);
    return status;
}

sti_status sti_specimen_sufficient(sti_specimen* s, sti_classes* c) {
    sti_class_finding* f = &c->finding[STI_CLASS_COLUMN_SUFFICIENT];
    const sti_class_finding* enough[2] = {&c->finding[STI_CLASS_POSITIVE_SEMIDEFINITE], &c->finding[STI_CLASS_P]};
    for (int i = 0; i < 2; i++) {
        if (enough[i]->verdict != STI_YES || !enough[i]->exact) continue;
        sti_finding_say(f, STI_YES, true, "%s", i == 0 ? "positive semidefinite" : "a P-matrix");
        return STI_OK;
    }
    const sti_class_finding* P0 = &c->finding[STI_CLASS_P0];
    if (P0->verdict == STI_NO && P0->index != NULL) {
        const sti_status status = from_negative_minor(s, f, P0->index, P0->size);
        if (status != STI_OK || f->verdict == STI_NO) return status;
    }
    if (s->n <= ORDER_LIMIT && s->n <= s->options.exact_limit) return branch_on_signs(s, f);
    sti_finding_say(f, STI_UNDECIDED, false, "not semidefinite, not P, and of order above %d", ORDER_LIMIT);
    return STI_OK;
}
