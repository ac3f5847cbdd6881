// ldl.c: ordering by AMD or by nested dissection, factors by LDL (SuiteSparse) or by fronts, in memory of our own.
//
// AMD is entered at amd_2, below its allocating front, with a copy of the pattern that it may destroy; LDL never
// allocates. So a failed allocation is always ours to see.
#include "linalg/ldl.h"

#include <amd.h>
#include <ldl.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "linalg/dissection.h"

static const double MUCH = 5e5;   // multiplications from which on fronts are faster
static const double LARGE = 1e9;  // multiplications from which on a dissection costs less than it may save

static sti_status copy_pattern(sti_ldl* f, const int64_t* col_start, const int* row) {
    const int64_t nnz = col_start[f->n];
    if (nnz > INT_MAX / 4) return STI_FAIL(f->env, STI_ERR_SIZE, -1, "sparse matrix with %lld entries", (long long)nnz);
    f->nnz = (int)nnz;
    f->col_start = sti_alloc_array(f->env, (size_t)f->n + 1, sizeof *f->col_start);
    f->row = sti_alloc_array(f->env, (size_t)nnz, sizeof *f->row);
    f->value = sti_alloc_array_zero(f->env, (size_t)nnz, sizeof *f->value);
    if (f->col_start == NULL || f->row == NULL || f->value == NULL)
        return STI_FAIL(f->env, STI_ERR_MEMORY, -1, "pattern with %d entries", f->nnz);
    for (int j = 0; j <= f->n; j++) f->col_start[j] = (int)col_start[j];
    memcpy(f->row, row, (size_t)nnz * sizeof *row);
    return STI_OK;
}

static sti_status reserve_columns(sti_ldl* f) {
    const size_t n = (size_t)f->n;
    f->order = sti_alloc_array(f->env, n, sizeof *f->order);
    f->place = sti_alloc_array(f->env, n, sizeof *f->place);
    f->parent = sti_alloc_array(f->env, n, sizeof *f->parent);
    f->L_start = sti_alloc_array(f->env, n + 1, sizeof *f->L_start);
    f->L_count = sti_alloc_array(f->env, n, sizeof *f->L_count);
    f->D = sti_alloc_array(f->env, n, sizeof *f->D);
    f->work = sti_alloc_array(f->env, n, sizeof *f->work);
    f->pattern = sti_alloc_array(f->env, n, sizeof *f->pattern);
    f->flag = sti_alloc_array(f->env, n, sizeof *f->flag);
    if (f->order == NULL || f->place == NULL || f->parent == NULL || f->L_start == NULL || f->L_count == NULL ||
        f->D == NULL || f->work == NULL || f->pattern == NULL || f->flag == NULL)
        return STI_FAIL(f->env, STI_ERR_MEMORY, -1, "columns of L, order %d", f->n);
    return STI_OK;
}

// Fill-reducing order. amd_2 wants each column without its diagonal entry, room of a fifth more than that plus n to
// work in, and seven vectors, two of which come back as the order and its inverse.
static sti_status find_order(sti_ldl* f) {
    const int n = f->n;
    const int room = f->nnz + f->nnz / 5 + n + 1;
    int* scratch = sti_alloc_array(f->env, (size_t)room + 7 * (size_t)n, sizeof *scratch);
    if (scratch == NULL) return STI_FAIL(f->env, STI_ERR_MEMORY, -1, "ordering of %d columns", n);
    int* entries = scratch;
    int *start = scratch + room, *length = start + n, *nv = length + n, *head = nv + n;
    int *elen = head + n, *degree = elen + n, *w = degree + n;
    int at = 0;
    for (int j = 0; j < n; j++) {
        start[j] = at;
        for (int k = f->col_start[j]; k < f->col_start[j + 1]; k++) {
            if (f->row[k] != j) entries[at++] = f->row[k];
        }
        length[j] = at - start[j];
    }
    amd_2(n, start, entries, length, room, at, nv, f->place, f->order, head, elen, degree, w, NULL, NULL);
    sti_free(f->env, scratch);
    return STI_OK;
}

static void invert_order(sti_ldl* f) {
    for (int k = 0; k < f->n; k++) f->place[f->order[k]] = k;
}

// Pivots in another order with the same fill: every subtree of the elimination tree becomes a range. scratch (3 n).
static void postorder(sti_ldl* f, int* scratch) {
    const int n = f->n;
    int *head = scratch, *next = head + n, *order = next + n, *path = f->flag;
    for (int j = 0; j < n; j++) head[j] = -1;
    for (int j = n - 1; j >= 0; j--) {
        if (f->parent[j] < 0) continue;
        next[j] = head[f->parent[j]];
        head[f->parent[j]] = j;
    }
    int done = 0;
    for (int root = 0; root < n; root++) {
        if (f->parent[root] >= 0) continue;
        int depth = 0;
        path[0] = root;
        while (depth >= 0) {
            const int j = path[depth], child = head[j];
            if (child >= 0) {
                head[j] = next[child];
                path[++depth] = child;
            } else {
                order[done++] = f->order[j];
                depth--;
            }
        }
    }
    memcpy(f->order, order, (size_t)n * sizeof *order);
    invert_order(f);
}

static sti_status find_fronts(sti_ldl* f) {
    int* scratch = sti_alloc_array(f->env, 3 * (size_t)f->n, sizeof *scratch);
    if (scratch == NULL) return STI_FAIL(f->env, STI_ERR_MEMORY, -1, "ordering of %d columns", f->n);
    postorder(f, scratch);
    sti_free(f->env, scratch);
    ldl_symbolic(f->n, f->col_start, f->row, f->L_start, f->parent, f->L_count, f->flag, f->order, f->place);
    return sti_fronts_init(&f->fronts, f->env, f->n, f->col_start, f->row, f->order, f->place, f->parent, f->L_count);
}

// Columns of L in the order at hand, and the multiplications of a factorization.
static double analyze_order(sti_ldl* f) {
    ldl_symbolic(f->n, f->col_start, f->row, f->L_start, f->parent, f->L_count, f->flag, f->order, f->place);
    double work = 0;
    f->lnz = 0;
    for (int j = 0; j < f->n; j++) {  // L_start is the same sum in 32 bits
        f->lnz += f->L_count[j];
        work += (double)f->L_count[j] * f->L_count[j];
    }
    return work;
}

// Nested dissection in place of minimum degree, where that is less work.
static sti_status try_dissection(sti_ldl* f, double* work) {
    const size_t bytes = (size_t)f->n * sizeof *f->order;
    int* before = sti_alloc_array(f->env, (size_t)f->n, sizeof *before);
    if (before == NULL) return STI_FAIL(f->env, STI_ERR_MEMORY, -1, "ordering of %d columns", f->n);
    memcpy(before, f->order, bytes);
    const sti_status status = sti_dissection_order(f->env, f->n, f->col_start, f->row, f->order);
    if (status == STI_OK) {
        invert_order(f);
        const double other = analyze_order(f);
        if (other >= *work) {
            memcpy(f->order, before, bytes);
            invert_order(f);
            analyze_order(f);
        } else {
            *work = other;
        }
    }
    sti_free(f->env, before);
    return status;
}

static sti_status find_pattern(sti_ldl* f, bool columns) {
    double work = analyze_order(f);
    if (work >= LARGE) {
        const sti_status status = try_dissection(f, &work);
        if (status != STI_OK) return status;
    }
    if (!columns && (work >= MUCH || f->lnz > INT_MAX)) return find_fronts(f);
    if (f->lnz > INT_MAX) return STI_FAIL(f->env, STI_ERR_SIZE, -1, "L with %lld entries", (long long)f->lnz);
    f->L_row = sti_alloc_array(f->env, (size_t)f->lnz, sizeof *f->L_row);
    f->L_value = sti_alloc_array(f->env, (size_t)f->lnz, sizeof *f->L_value);
    if (f->L_row == NULL || f->L_value == NULL)
        return STI_FAIL(f->env, STI_ERR_MEMORY, -1, "L with %lld entries", (long long)f->lnz);
    return STI_OK;
}

static sti_status init(sti_ldl* f, sti_env* env, int n, const int64_t* col_start, const int* row, bool columns) {
    *f = (sti_ldl){.env = env, .n = n, .deadline = (double)INFINITY};
    sti_status status = copy_pattern(f, col_start, row);
    if (status == STI_OK) status = reserve_columns(f);
    if (status == STI_OK) status = find_order(f);
    if (status == STI_OK) status = find_pattern(f, columns);
    if (status != STI_OK) sti_ldl_clear(f);
    return status;
}

sti_status sti_ldl_init(sti_ldl* f, sti_env* env, int n, const int64_t* col_start, const int* row) {
    return init(f, env, n, col_start, row, false);
}

sti_status sti_ldl_init_columns(sti_ldl* f, sti_env* env, int n, const int64_t* col_start, const int* row) {
    return init(f, env, n, col_start, row, true);
}

void sti_ldl_clear(sti_ldl* f) {
    if (f->env == NULL) return;
    sti_fronts_clear(&f->fronts);
    sti_free(f->env, f->col_start);
    sti_free(f->env, f->row);
    sti_free(f->env, f->value);
    sti_free(f->env, f->order);
    sti_free(f->env, f->place);
    sti_free(f->env, f->parent);
    sti_free(f->env, f->L_start);
    sti_free(f->env, f->L_count);
    sti_free(f->env, f->L_row);
    sti_free(f->env, f->L_value);
    sti_free(f->env, f->D);
    sti_free(f->env, f->work);
    sti_free(f->env, f->pattern);
    sti_free(f->env, f->flag);
    *f = (sti_ldl){0};
}

int sti_ldl_factor(sti_ldl* f) {
    if (f->fronts.count > 0) {
        f->fronts.deadline = f->deadline;
        const int bad = sti_fronts_factor(&f->fronts, f->col_start, f->row, f->value, f->order, f->place, f->D);
        return bad < 0 ? bad : f->order[bad];
    }
    const int done = ldl_numeric(f->n, f->col_start, f->row, f->value, f->L_start, f->parent, f->L_count, f->L_row,
                                 f->L_value, f->D, f->work, f->pattern, f->flag, f->order, f->place);
    if (done < f->n) return f->order[done];  // D is zero there
    for (int k = 0; k < f->n; k++) {
        if (!isfinite(f->D[k])) return f->order[k];
    }
    return -1;
}

int sti_ldl_nonpositive_count(const sti_ldl* f) {
    int count = 0;
    for (int k = 0; k < f->n; k++) count += !(f->D[k] > 0);
    return count;
}

double sti_ldl_pivot_ratio(const sti_ldl* f) {
    double low = INFINITY, high = 0;
    for (int k = 0; k < f->n; k++) {
        low = fmin(low, fabs(f->D[k]));
        high = fmax(high, fabs(f->D[k]));
    }
    return f->n == 0 ? 1 : low / high;
}

void sti_ldl_solve(sti_ldl* f, double* x) {
    ldl_perm(f->n, f->work, x, f->order);
    if (f->fronts.count > 0) {
        sti_fronts_solve(&f->fronts, f->D, f->work);
        ldl_permt(f->n, x, f->work, f->order);
        return;
    }
    ldl_lsolve(f->n, f->work, f->L_start, f->L_row, f->L_value);
    ldl_dsolve(f->n, f->work, f->D);
    ldl_ltsolve(f->n, f->work, f->L_start, f->L_row, f->L_value);
    ldl_permt(f->n, x, f->work, f->order);
}
