// structure.c: the structure of S3 theorem 1.2.10 in an MLCP.
//
//     ( 0 )   ( Q  -F  -H ) ( x )   ( -k )
//     ( 0 ) = ( F'  0   0 ) ( y ) + (  0 ),      s >= 0, l >= 0, l's = 0
//     ( s )   ( H'  0   N ) ( l )   (  b )
//
// Q positive definite (it need not be symmetric), N copositive, b >= 0: there is a solution, for every k. F may have
// dependent columns: the equations F'x = 0 are homogeneous and F y is all that enters.
//
// Free variables and equations are paired by position, in any order. The diagonal tells x from y: Q has a positive one.
// The problem stays the same when a y or its equation is multiplied by a number, so row y_j of A may be any nonzero
// multiple of column y_j; and when the equations of x are all multiplied by -1, so a negative diagonal is read with
// the sign turned. All comparisons are exact.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "classes/classes.h"

typedef struct reading {
    sti_env* env;
    const sti_mlcp* mlcp;
    sti_specimen s;        // [A C; D B], rows of x with the sign turned where that is needed      (n+m)
    sti_rationals* exact;  // entries of s when the data are exact; owned
    double* entries;       // (n+m)^2
    bool turned;
    bool scaled;  // some row y_j is not the negative mirror of its column
    sti_mlcp_structure* out;
} reading;

static int vector_sign(const sti_mlcp* p, int i) {  // of (a; b)
    if (p->vector_exact != NULL) return sti_rationals_sign(p->vector_exact, (size_t)i);
    const double v = i < p->n ? p->a[i] : p->b[i - p->n];
    return (v > 0) - (v < 0);
}

static sti_status mismatch(reading* r, const char* format, int i) {
    r->out->matches = STI_NO;
    const int start = snprintf(r->out->how, sizeof r->out->how, "the block pattern is not there: ");
    snprintf(r->out->how + start, sizeof r->out->how - (size_t)start, format, i);
    return STI_OK;
}

// ---- the matrix in one piece

static void place(double* entries, size_t order, const sti_matrix* block, int row, int col) {
    if (block->dense != NULL) {
        for (int i = 0; i < block->rows; i++) {
            for (int j = 0; j < block->cols; j++)
                entries[(size_t)(row + i) * order + (size_t)(col + j)] =
                    block->dense[(size_t)i * (size_t)block->cols + (size_t)j];
        }
    } else if (block->col_start != NULL) {
        for (int j = 0; j < block->cols; j++) {
            for (int64_t e = block->col_start[j]; e < block->col_start[j + 1]; e++)
                entries[(size_t)(row + block->row[e]) * order + (size_t)(col + j)] += block->value[e];
        }
    }
}

static sti_status check(sti_env* env, const sti_mlcp* p) {
    const size_t order = (size_t)p->n + (size_t)p->m;
    if (p->n < 0 || p->m < 0 || p->A.rows != p->n || p->A.cols != p->n || p->C.rows != p->n || p->C.cols != p->m ||
        p->D.rows != p->m || p->D.cols != p->n || p->B.rows != p->m || p->B.cols != p->m)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "blocks of an MLCP do not fit %d equations and %d pairs", p->n,
                        p->m);
    if ((p->matrix_exact != NULL && sti_rationals_count(p->matrix_exact) != order * order) ||
        (p->vector_exact != NULL && sti_rationals_count(p->vector_exact) != order))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "exact data of an MLCP do not fit order %zu", order);
    for (int i = 0; i < p->n; i++) {
        if (!isfinite(p->a[i])) return STI_FAIL(env, STI_ERR_ARGUMENT, i, "a[%d] is not a finite number", i);
    }
    for (int i = 0; i < p->m; i++) {
        if (!isfinite(p->b[i])) return STI_FAIL(env, STI_ERR_ARGUMENT, i, "b[%d] is not a finite number", i);
    }
    return STI_OK;
}

// sign of the diagonal of A, from the assembled entries
static int diagonal_sign(const reading* r, int i) {
    const size_t order = (size_t)r->mlcp->n + (size_t)r->mlcp->m, at = (size_t)i * order + (size_t)i;
    if (r->mlcp->matrix_exact != NULL) return sti_rationals_sign(r->mlcp->matrix_exact, at);
    return (r->entries[at] > 0) - (r->entries[at] < 0);
}

// Tell x from y by the diagonal of A. Mixed signs: no match.
static sti_status divide(reading* r) {
    sti_mlcp_structure* out = r->out;
    bool plus = false, minus = false;
    out->x = sti_alloc_array(r->env, (size_t)r->mlcp->n, sizeof *out->x);
    out->y = sti_alloc_array(r->env, (size_t)r->mlcp->n, sizeof *out->y);
    if (out->x == NULL || out->y == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < r->mlcp->n; i++) {
        const int sign = diagonal_sign(r, i);
        if (sign == 0)
            out->y[out->y_count++] = i;
        else
            out->x[out->x_count++] = i;
        plus = plus || sign > 0;
        minus = minus || sign < 0;
        if (plus && minus) return mismatch(r, "the diagonal of A has both signs (row %d)", i);
    }
    r->turned = minus;
    return STI_OK;
}

static sti_status turn_rows(reading* r) {
    const size_t order = (size_t)r->mlcp->n + (size_t)r->mlcp->m;
    sti_status status = STI_OK;
    if (r->mlcp->matrix_exact != NULL)
        status = sti_rationals_slice(r->env, r->mlcp->matrix_exact, 0, order * order, &r->exact);
    for (int i = 0; i < r->out->x_count && status == STI_OK && r->turned; i++) {
        for (size_t j = 0; j < order; j++) {
            const size_t at = (size_t)r->out->x[i] * order + j;
            r->entries[at] = -r->entries[at];
            if (r->exact != NULL) sti_int_neg(&r->exact->num[at]);
        }
    }
    return status;
}

// ---- the pattern

// Row y_j of A and column y_j, both on x: one a nonzero multiple of the other. -1: as printed, row = -column.
static sti_status proportional(reading* r, int j, bool* yes, bool* mirrored) {
    sti_exact* x = &r->s.x;
    const int k = r->out->x_count;
    *yes = *mirrored = true;
    sti_int* t = sti_int_array(x, 2 * (size_t)k + 2);
    if (t == NULL) return x->status;
    sti_int *row = t, *col = t + k, *left = t + 2 * k, *right = left + 1;
    sti_specimen_image(&r->s, &j, 1, r->out->x, k, row, NULL, NULL);
    sti_specimen_image(&r->s, r->out->x, k, &j, 1, col, NULL, NULL);
    int first = 0;
    while (first < k && row[first].size == 0 && col[first].size == 0) first++;
    if (first < k && (row[first].size == 0 || col[first].size == 0)) *yes = false;
    for (int i = first; i < k && *yes && x->status == STI_OK; i++) {
        sti_int_mul(x, left, &row[i], &col[first]);
        sti_int_mul(x, right, &col[i], &row[first]);
        *yes = sti_int_cmp(left, right) == 0;
    }
    if (first < k && *yes) {  // equal in size as well: compare the entries themselves
        const int pair[2] = {j, r->out->x[first]};
        *mirrored = sti_int_sign(&row[first]) != sti_int_sign(&col[first]) &&
                    sti_specimen_sum_sign(&r->s, pair[0], pair[1]) == 0;
    }
    sti_int_array_free(r->env, t, 2 * (size_t)k + 2);
    return x->status;
}

static sti_status match_y(reading* r, int j) {
    const int n = r->mlcp->n, m = r->mlcp->m;
    for (int i = 0; i < r->out->y_count; i++) {
        if (sti_specimen_sign(&r->s, j, r->out->y[i]) != 0)
            return mismatch(r, "free variable %d: its equation holds another y", j);
    }
    for (int l = 0; l < m; l++) {
        if (sti_specimen_sign(&r->s, j, n + l) != 0)
            return mismatch(r, "free variable %d: its row of C is not zero", j);
        if (sti_specimen_sign(&r->s, n + l, j) != 0)
            return mismatch(r, "free variable %d: its column of D is not zero", j);
    }
    if (vector_sign(r->mlcp, j) != 0) return mismatch(r, "free variable %d: its entry of a is not zero", j);
    bool yes, mirrored;
    const sti_status status = proportional(r, j, &yes, &mirrored);
    if (status != STI_OK) return status;
    if (!yes) return mismatch(r, "free variable %d: its row and column of A are not multiples of each other", j);
    r->scaled = r->scaled || !mirrored;
    return STI_OK;
}

static sti_status match_x(reading* r, int i) {
    const int n = r->mlcp->n, m = r->mlcp->m;
    for (int l = 0; l < m; l++) {  // C = -H, D = H'
        if (sti_specimen_sum_sign(&r->s, i, n + l) != 0) return mismatch(r, "free variable %d: C is not -D' there", i);
    }
    return r->s.x.status;
}

// ---- what it implies

static int rank_of(reading* r, const int* row, int rows, const int* col, int cols, sti_status* status) {
    sti_exact* x = &r->s.x;
    const size_t count = (size_t)rows * (size_t)cols;
    if ((double)count * (rows < cols ? rows : cols) > 300000) return -1;
    sti_int d = {0};
    int rank = 0;
    sti_int* table = sti_int_array(x, count);
    int* pivot = sti_alloc_array(r->env, (size_t)rows, sizeof *pivot);
    if (pivot == NULL) x->status = STI_ERR_MEMORY;
    if (x->status == STI_OK) {
        sti_specimen_image(&r->s, row, rows, col, cols, table, NULL, NULL);
        rank = sti_int_eliminate(x, table, rows, cols, cols, pivot, &d);
    }
    sti_int_array_free(r->env, table, count);
    sti_free(r->env, pivot);
    sti_int_clear(r->env, &d);
    *status = x->status;
    return rank;
}

static sti_status find_ranks(reading* r) {
    sti_mlcp_structure* out = r->out;
    sti_status status = STI_OK;
    int* all = sti_alloc_array(r->env, (size_t)r->mlcp->n, sizeof *all);
    if (all == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < r->mlcp->n; i++) all[i] = i;
    out->rank_A = rank_of(r, all, r->mlcp->n, all, r->mlcp->n, &status);
    if (status == STI_OK) out->rank_F = rank_of(r, out->x, out->x_count, out->y, out->y_count, &status);
    sti_free(r->env, all);
    return status;
}

static sti_verdict sure(const sti_class_finding* f) {
    return f->exact ? f->verdict : STI_UNDECIDED;
}

static sti_status judge(reading* r) {
    sti_mlcp_structure* out = r->out;
    const int n = r->mlcp->n, m = r->mlcp->m;
    sti_class_finding definite = {0}, semidefinite = {0}, copositive = {0}, strictly = {0};
    int* pairs = sti_alloc_array(r->env, (size_t)m, sizeof *pairs);
    if (pairs == NULL) return STI_ERR_MEMORY;
    out->b_nonnegative = true;
    for (int l = 0; l < m; l++) {
        pairs[l] = n + l;
        if (vector_sign(r->mlcp, n + l) < 0) out->b_nonnegative = false;
    }
    sti_status status = sti_specimen_definite(&r->s, out->x, out->x_count, &definite, &semidefinite);
    if (status == STI_OK) status = sti_specimen_copositive(&r->s, pairs, m, &copositive, &strictly);
    out->Q_positive_definite = sure(&definite);
    out->N_copositive = sure(&copositive);
    sti_finding_clear(r->env, &definite);
    sti_finding_clear(r->env, &semidefinite);
    sti_finding_clear(r->env, &copositive);
    sti_finding_clear(r->env, &strictly);
    sti_free(r->env, pairs);
    return status;
}

static void conclude(reading* r) {
    sti_mlcp_structure* out = r->out;
    const char* changed = r->turned && r->scaled ? ", equations of x times -1 and of y scaled"
                          : r->turned            ? ", equations of x times -1"
                          : r->scaled            ? ", equations or variables y scaled"
                                                 : "";
    const char* missing = out->Q_positive_definite == STI_NO    ? "Q is not positive definite"
                          : out->Q_positive_definite != STI_YES ? "Q is not proved positive definite"
                          : out->N_copositive == STI_NO         ? "N is not copositive"
                          : out->N_copositive != STI_YES        ? "N is not proved copositive"
                          : !out->b_nonnegative                 ? "b has a negative entry"
                                                                : NULL;
    if (missing == NULL) out->solvable = STI_YES;
    snprintf(out->how, sizeof out->how, "the block pattern is there%s; %s", changed,
             missing != NULL ? missing : "Q positive definite, N copositive, b >= 0: there is a solution");
}

static sti_status recognize(reading* r) {
    const size_t order = (size_t)r->mlcp->n + (size_t)r->mlcp->m;
    const sti_mlcp* p = r->mlcp;
    r->entries = sti_alloc_array_zero(r->env, order * order, sizeof *r->entries);
    if (r->entries == NULL) return STI_ERR_MEMORY;
    place(r->entries, order, &p->A, 0, 0);
    place(r->entries, order, &p->C, 0, p->n);
    place(r->entries, order, &p->D, p->n, 0);
    place(r->entries, order, &p->B, p->n, p->n);
    sti_status status = divide(r);
    if (status == STI_OK) status = turn_rows(r);
    const sti_matrix view = sti_matrix_dense_view((int)order, (int)order, r->entries);
    const sti_classes_options options = r->s.options;
    if (status == STI_OK) status = sti_specimen_init(&r->s, r->env, &view, r->exact, &options);
    sti_mlcp_structure* out = r->out;
    if (status == STI_OK) status = find_ranks(r);
    for (int i = 0; i < out->y_count && status == STI_OK && out->matches != STI_NO; i++) status = match_y(r, out->y[i]);
    for (int i = 0; i < out->x_count && status == STI_OK && out->matches != STI_NO; i++) status = match_x(r, out->x[i]);
    if (status != STI_OK || out->matches == STI_NO) return status;
    out->matches = STI_YES;
    status = judge(r);
    if (status == STI_OK) conclude(r);
    return status;
}

static void leave_open(sti_mlcp_structure* t) {
    t->matches = t->Q_positive_definite = t->N_copositive = t->solvable = STI_UNDECIDED;
    t->rank_A = t->rank_F = -1;
}

sti_status sti_mlcp_structure_create(sti_env* env, const sti_mlcp* mlcp, const sti_classes_options* options,
                                     sti_mlcp_structure** out) {
    *out = NULL;
    sti_status status = check(env, mlcp);
    if (status != STI_OK) return status;
    sti_mlcp_structure* t = sti_alloc_array_zero(env, 1, sizeof *t);
    if (t == NULL) return STI_ERR_MEMORY;
    leave_open(t);
    reading r = {.env = env, .mlcp = mlcp, .out = t};
    r.s.options = options != NULL ? *options : sti_classes_options_default();
    if (mlcp->n + mlcp->m <= STI_SPECIMEN_LIMIT)
        status = recognize(&r);
    else
        snprintf(t->how, sizeof t->how, "order %d is above %d", mlcp->n + mlcp->m, STI_SPECIMEN_LIMIT);
    sti_specimen_clear(&r.s);
    sti_rationals_destroy(r.exact);
    sti_free(env, r.entries);
    if (status == STI_ERR_TIME) {  // what it says may rest on half a computation
        leave_open(t);
        snprintf(t->how, sizeof t->how, "the time limit was reached");
        status = STI_OK;
    }
    if (status == STI_OK)
        *out = t;
    else
        sti_mlcp_structure_destroy(env, t);
    return status;
}

void sti_mlcp_structure_destroy(sti_env* env, sti_mlcp_structure* structure) {
    if (structure == NULL) return;
    sti_free(env, structure->x);
    sti_free(env, structure->y);
    sti_free(env, structure);
}
