// homogeneous.c: the test of S3 theorem 1.2.8 (S0 theorem 1; Cottle, Pang & Stone 1992, theorem 3.8.6).
//
// For copositive M, LCP(q, M) has a solution when
//
//     v >= 0, Mv >= 0, v'Mv = 0    =>    q'v >= 0.                                     (1.2.10)
//
// Left of the arrow stands SOL(0, M), a union of polyhedral cones { v_i = 0 or (Mv)_i = 0 for each i }. So the least
// q'v over v in SOL(0, M), e'v = 1 decides the implication. It is found by branch and bound over the pairs: at each
// node some v_i or (Mv)_i are held at zero and q'v is minimized over what is left, exactly (dictionary.h). Nothing left
// closes the node, and so does a minimum not below the best so far; a minimizer that is complementary is a new best;
// otherwise the first pair with v_i (Mv)_i > 0 is branched on. The simplex e'v = 1 keeps every minimum finite.
//
// What follows:   implication, M copositive (proved)          solvable
//                 a minimizer with q'v < 0 and M'v <= 0       not solvable: v'w = v'Mz + v'q < 0 for every z >= 0
//                 M is P (proved)                             solvable, for every q
//                 otherwise                                   open
//
// The theorem has no converse: M = [0 1; 0 0], q = (-1, 0) violates (1.2.10) with v = (1, 0), and z = (0, 1) solves.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "classes/classes.h"
#include "exact/dictionary.h"

enum { ORDER_LIMIT = 60 };
static const double entry_limit = 4e7;  // table entries that may be pivoted before the test says "undecided"

// Rows of the dictionary: (Mv)_i -> n + i, then e'v - 1 (held at zero), then q'v (free).
typedef struct bounding {
    sti_arena memory;
    sti_specimen s;
    sti_exact* x;
    int n;
    sti_dictionary** D;   // one for each depth                              (n+1)
    unsigned char* kind;  // what each depth asks of the variables           ((n+1) x (2n+2))
    int* all;             // 0 .. n-1                                        (n)
    sti_int* q;           // q times q_num / q_den                           (n)
    sti_int q_num, q_den;
    bool found;
    sti_int* best;  // v times best_d, of the best point                     (n)
    sti_int best_d;
    sti_int best_top, best_bottom;  // q'v of it, in scaled units
    double entries;                 // pivoted so far
    bool exhausted;                 // the limit was met
} bounding;

static void clear_bounding(bounding* b) {
    sti_env* env = b->s.env;
    if (env == NULL) return;
    const size_t n = (size_t)b->n;
    for (size_t i = 0; b->D != NULL && i <= n; i++) sti_dictionary_destroy(b->D[i]);
    sti_arena_clear(&b->memory);
    sti_int_array_free(env, b->q, n);
    sti_int_array_free(env, b->best, n);
    sti_int_clear(env, &b->q_num);
    sti_int_clear(env, &b->q_den);
    sti_int_clear(env, &b->best_d);
    sti_int_clear(env, &b->best_top);
    sti_int_clear(env, &b->best_bottom);
    sti_specimen_clear(&b->s);
}

// The root: everything nonnegative but the last two rows.
static void load_root(bounding* b) {
    const int n = b->n;
    sti_dictionary* D = b->D[0];
    for (int i = 0; i < n; i++) sti_specimen_image(&b->s, &i, 1, b->all, n, sti_dictionary_at(D, i, 1), NULL, NULL);
    for (int j = 0; j < n; j++) {
        sti_int_set_i64(b->x, sti_dictionary_at(D, n, j + 1), 1);
        sti_int_set(b->x, sti_dictionary_at(D, n + 1, j + 1), &b->q[j]);
    }
    sti_int_set_i64(b->x, sti_dictionary_at(D, n, 0), -1);
    memset(b->kind, STI_VAR_NONNEGATIVE, 2 * (size_t)n);
    b->kind[2 * n] = STI_VAR_ZERO;
    b->kind[2 * n + 1] = STI_VAR_FREE;
}

static sti_status make_bounding(bounding* b, sti_env* env, const sti_lcp* lcp) {
    memset(b, 0, sizeof *b);
    const sti_classes_options options = sti_classes_options_default();
    sti_status status = sti_specimen_init(&b->s, env, &lcp->M, lcp->M_exact, &options);
    if (status != STI_OK) return status;
    b->x = &b->s.x;
    b->n = lcp->n;
    const size_t n = (size_t)b->n;
    if (b->n > ORDER_LIMIT) return STI_OK;
    b->memory = sti_arena_make(env);
    b->D = sti_arena_take(&b->memory, n + 1, sizeof *b->D);
    b->kind = sti_arena_raw(&b->memory, (n + 1) * (2 * n + 2), 1);
    b->all = sti_arena_raw(&b->memory, n, sizeof *b->all);
    b->q = sti_int_array(b->x, n);
    b->best = sti_int_array(b->x, n);
    if (b->memory.status != STI_OK || b->x->status != STI_OK) return STI_ERR_MEMORY;
    status = sti_dictionary_create(b->x, b->n + 2, b->n, &b->D[0]);
    if (status != STI_OK) return status;
    for (int i = 0; i < b->n; i++) b->all[i] = i;
    if (lcp->q_exact != NULL)
        sti_int_row_from_rationals(b->x, b->q, lcp->q_exact, 0, n, &b->q_num, &b->q_den);
    else
        sti_int_row_from_doubles(b->x, b->q, lcp->q, n, 1, &b->q_num, &b->q_den);
    load_root(b);
    return b->x->status;
}

// Is the minimum shown by D below the best? The objective row reads d q'v = T_0.
static bool is_better(bounding* b, const sti_dictionary* D) {
    if (!b->found) return true;
    const sti_int* top = sti_dictionary_at(D, sti_dictionary_row_of(D, 2 * b->n + 1), 0);
    sti_int left = {0}, right = {0};
    sti_int_mul(b->x, &left, top, &b->best_bottom);
    sti_int_mul(b->x, &right, &b->best_top, &D->d);
    const bool better = sti_int_cmp(&left, &right) < 0;
    sti_int_clear(b->x->env, &left);
    sti_int_clear(b->x->env, &right);
    return better;
}

static void take_best(bounding* b, const sti_dictionary* D) {
    for (int j = 0; j < b->n; j++) {
        const int row = sti_dictionary_row_of(D, j);
        sti_int_set_i64(b->x, &b->best[j], 0);
        if (row >= 0) sti_int_set(b->x, &b->best[j], sti_dictionary_at(D, row, 0));
    }
    sti_int_set(b->x, &b->best_d, &D->d);
    sti_int_set(b->x, &b->best_top, sti_dictionary_at(D, sti_dictionary_row_of(D, 2 * b->n + 1), 0));
    sti_int_set(b->x, &b->best_bottom, &D->d);
    b->found = true;
}

static bool is_positive(const sti_dictionary* D, int variable) {
    const int row = sti_dictionary_row_of(D, variable);
    return row >= 0 && sti_int_sign(sti_dictionary_at(D, row, 0)) > 0;
}

static void explore(bounding* b, int depth) {
    const int n = b->n;
    sti_dictionary* D = b->D[depth];
    const size_t count = 2 * (size_t)n + 2;
    unsigned char* kind = b->kind + (size_t)depth * count;
    memcpy(D->kind, kind, count);
    const long before = D->pivots;
    int column;
    const bool feasible = sti_dictionary_feasible(D);
    if (feasible) sti_dictionary_minimize(D, 2 * n + 1, &column);
    b->entries += (double)(D->pivots - before) * (double)(D->rows * (D->cols + 1));
    if (b->x->status != STI_OK || !feasible || !is_better(b, D)) return;
    int pair = -1;
    for (int i = 0; i < n && pair < 0; i++) {
        if (is_positive(D, i) && is_positive(D, n + i)) pair = i;
    }
    if (pair < 0) {
        take_best(b, D);
        return;
    }
    if (b->entries > entry_limit) b->exhausted = true;
    if (b->D[depth + 1] == NULL) {
        const sti_status status = sti_dictionary_create(b->x, n + 2, n, &b->D[depth + 1]);
        if (b->x->status == STI_OK) b->x->status = status;
        if (b->x->status != STI_OK) return;
    }
    for (int side = 0; side < 2 && !b->exhausted && b->x->status == STI_OK; side++) {
        sti_dictionary_copy(b->D[depth + 1], D);
        memcpy(kind + count, kind, count);
        kind[count + (size_t)(side == 0 ? n + pair : pair)] = STI_VAR_ZERO;  // (Mv)_i = 0 first, then v_i = 0
        if (b->x->status == STI_OK) explore(b, depth + 1);
    }
}

// M'v <= 0 for the best point?
static bool is_farkas(bounding* b) {
    bool yes = true;
    sti_int sum = {0};
    sti_int* column = sti_int_array(b->x, (size_t)b->n);
    for (int j = 0; j < b->n && yes && b->x->status == STI_OK; j++) {
        sti_specimen_image(&b->s, b->all, b->n, &j, 1, column, NULL, NULL);
        sti_int_set_i64(b->x, &sum, 0);
        for (int i = 0; i < b->n; i++) sti_int_addmul(b->x, &sum, &column[i], &b->best[i]);
        yes = sti_int_sign(&sum) <= 0;
    }
    sti_int_array_free(b->s.env, column, (size_t)b->n);
    sti_int_clear(b->s.env, &sum);
    return yes && b->x->status == STI_OK;
}

static sti_status report_best(bounding* b, sti_homogeneous_test* t) {
    sti_env* env = b->s.env;
    t->v = sti_alloc_array(env, (size_t)b->n, sizeof *t->v);
    sti_status status = t->v != NULL ? STI_OK : STI_ERR_MEMORY;
    if (status == STI_OK) status = sti_rationals_create(env, (size_t)b->n, &t->v_exact);
    for (int i = 0; i < b->n && status == STI_OK; i++) {
        status = sti_rationals_set_ratio(t->v_exact, (size_t)i, &b->best[i], &b->best_d);
        t->v[i] = sti_int_ratio(b->x, &b->best[i], &b->best_d);
    }
    if (status == STI_OK) {
        sti_int_mul(b->x, &b->best_top, &b->best_top, &b->q_den);
        sti_int_mul(b->x, &b->best_bottom, &b->best_bottom, &b->q_num);
        if (b->x->status == STI_OK && !b->exhausted) t->min_qv = sti_int_ratio(b->x, &b->best_top, &b->best_bottom);
        status = b->x->status;
    }
    return status;
}

static bool is_sure(const sti_classes* classes, sti_class which) {
    return classes != NULL && classes->finding[which].verdict == STI_YES && classes->finding[which].exact;
}

static void conclude(sti_homogeneous_test* t, const sti_classes* classes, bool farkas) {
    const char* what = t->trivial == STI_YES       ? "v = 0 is the only solution of LCP(0, M)"
                       : t->implication == STI_YES ? "q'v >= 0 on all of SOL(0, M)"
                       : t->implication == STI_NO  ? "q'v < 0 for some v in SOL(0, M)"
                                                   : "SOL(0, M) could not be searched within the limits";
    const char* so = "nothing follows";
    if (t->implication == STI_YES && is_sure(classes, STI_CLASS_COPOSITIVE)) {
        t->solvable = STI_YES;
        so = "M is copositive, so LCP(q, M) has a solution";
    } else if (is_sure(classes, STI_CLASS_P)) {
        t->solvable = STI_YES;
        so = "M is a P-matrix, so LCP(q, M) has exactly one solution";
    } else if (t->implication == STI_NO && farkas) {
        t->solvable = STI_NO;
        so = "M'v <= 0 too, so w = Mz + q >= 0 has no solution z >= 0";
    } else if (t->implication == STI_YES) {
        so = "M is not known to be copositive, so nothing follows";
    } else if (t->implication == STI_NO) {
        so = "the theorem has no converse, so nothing follows";
    }
    snprintf(t->how, sizeof t->how, "%s; %s", what, so);
}

static void leave_open(sti_env* env, sti_homogeneous_test* t) {
    sti_free(env, t->v);
    sti_rationals_destroy(t->v_exact);
    *t = (sti_homogeneous_test){
        .trivial = STI_UNDECIDED, .implication = STI_UNDECIDED, .min_qv = NAN, .solvable = STI_UNDECIDED};
}

sti_status sti_homogeneous_test_create(sti_env* env, const sti_lcp* lcp, const sti_classes* classes,
                                       sti_homogeneous_test** out) {
    *out = NULL;
    sti_status status = sti_specimen_check_lcp(env, lcp);
    if (status != STI_OK) return status;
    sti_homogeneous_test* t = sti_alloc_array_zero(env, 1, sizeof *t);
    if (t == NULL) return STI_ERR_MEMORY;
    leave_open(env, t);
    bool farkas = false;
    // v'Mv = 0 with v >= 0 leaves only v = 0; for P: v_i (Mv)_i <= 0 for all i does
    if (lcp->n == 0 || is_sure(classes, STI_CLASS_STRICTLY_COPOSITIVE) || is_sure(classes, STI_CLASS_P)) {
        t->trivial = t->implication = STI_YES;
    } else {
        bounding b;
        status = make_bounding(&b, env, lcp);
        if (status == STI_OK && lcp->n <= ORDER_LIMIT) {
            explore(&b, 0);
            status = b.x->status;
            if (b.found)
                t->trivial = STI_NO;
            else if (!b.exhausted)
                t->trivial = STI_YES;
            if (b.found && sti_int_sign(&b.best_top) < 0)
                t->implication = STI_NO;
            else if (!b.exhausted)
                t->implication = STI_YES;
            if (status == STI_OK && t->implication == STI_NO) farkas = is_farkas(&b);
            if (status == STI_OK && b.found) status = report_best(&b, t);
            if (status == STI_OK) status = b.x->status;
        }
        clear_bounding(&b);
    }
    if (status == STI_ERR_TIME) {  // what it says may rest on half a computation
        leave_open(env, t);
        status = STI_OK;
    }
    if (status != STI_OK) {
        sti_homogeneous_test_destroy(env, t);
        return status;
    }
    conclude(t, classes, farkas);
    *out = t;
    return STI_OK;
}

void sti_homogeneous_test_destroy(sti_env* env, sti_homogeneous_test* test) {
    if (test == NULL) return;
    sti_free(env, test->v);
    sti_rationals_destroy(test->v_exact);
    sti_free(env, test);
}
