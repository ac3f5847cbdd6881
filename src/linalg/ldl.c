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
static const double ONCE = 2e10;  // the same where solves are for a few rows, mostly with one factorization
static const double SLOW = 8;     // how much longer a multiplication of a solve takes than one of a factorization

static sti_status copy_pattern(sti_ldl* f, const int64_t* col_start, const int* row) {
    const int64_t nnz = col_start[f->n];
    if (nnz > INT_MAX / 4) return STI_FAIL(f->env, STI_ERR_SIZE, -1, "sparse matrix with %lld entries", (long long)nnz);
    f->nnz = (int)nnz;
    f->memory = sti_arena_make(f->env);
    f->col_start = sti_arena_raw(&f->memory, (size_t)f->n + 1, sizeof *f->col_start);
    f->row = sti_arena_raw(&f->memory, (size_t)nnz, sizeof *f->row);
    f->value = sti_arena_take(&f->memory, (size_t)nnz, sizeof *f->value);
    if (f->memory.status != STI_OK) return f->memory.status;
    for (int j = 0; j <= f->n; j++) f->col_start[j] = (int)col_start[j];
    memcpy(f->row, row, (size_t)nnz * sizeof *row);
    return STI_OK;
}

static sti_status reserve_columns(sti_ldl* f) {
    const size_t n = (size_t)f->n;
    f->order = sti_arena_raw(&f->memory, n, sizeof *f->order);
    f->place = sti_arena_raw(&f->memory, n, sizeof *f->place);
    f->parent = sti_arena_raw(&f->memory, n, sizeof *f->parent);
    f->L_start = sti_arena_raw(&f->memory, n + 1, sizeof *f->L_start);
    f->L_count = sti_arena_raw(&f->memory, n, sizeof *f->L_count);
    f->D = sti_arena_raw(&f->memory, n, sizeof *f->D);
    f->work = sti_arena_raw(&f->memory, n, sizeof *f->work);
    f->pattern = sti_arena_raw(&f->memory, n, sizeof *f->pattern);
    f->flag = sti_arena_raw(&f->memory, n, sizeof *f->flag);
    return f->memory.status;
}

// Fill-reducing order. amd_2 wants each column without its diagonal entry, room of a fifth more than that plus n to
// work in, and seven vectors, two of which come back as the order and its inverse.
static sti_status find_order(sti_ldl* f) {
    const int n = f->n;
    const int room = f->nnz + f->nnz / 5 + n + 1;
    int* scratch = sti_alloc_array(f->env, (size_t)room + 7 * (size_t)n, sizeof *scratch);
    if (scratch == NULL) return STI_ERR_MEMORY;
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

// The tree and the counts for pivots that have moved: pivot j is `to[j]` now. scratch (2 n).
static void relabel(sti_ldl* f, const int* to, int* scratch) {
    const int n = f->n;
    int *parent = scratch, *count = scratch + n;
    for (int j = 0; j < n; j++) {
        parent[to[j]] = f->parent[j] < 0 ? -1 : to[f->parent[j]];
        count[to[j]] = f->L_count[j];
    }
    memcpy(f->parent, parent, (size_t)n * sizeof *parent);
    memcpy(f->L_count, count, (size_t)n * sizeof *count);
}

// Pivots in another order with the same fill: every subtree of the elimination tree becomes a range. scratch (3 n).
static void postorder(sti_ldl* f, int* scratch) {
    const int n = f->n;
    int *head = scratch, *next = head + n, *order = next + n, *path = f->flag, *to = f->pattern;
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
                to[j] = done;
                order[done++] = f->order[j];
                depth--;
            }
        }
    }
    memcpy(f->order, order, (size_t)n * sizeof *order);
    invert_order(f);
    relabel(f, to, scratch);
}

static sti_status find_fronts(sti_ldl* f, size_t most) {
    int* scratch = sti_alloc_array(f->env, 3 * (size_t)f->n, sizeof *scratch);
    if (scratch == NULL) return STI_ERR_MEMORY;
    postorder(f, scratch);
    sti_free(f->env, scratch);
    const sti_status status = sti_fronts_init(&f->fronts, f->env, f->n, f->col_start, f->row, f->order, f->place,
                                              f->parent, f->L_count, most);
    f->bytes = f->fronts.bytes;
    return status;
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
    if (before == NULL) return STI_ERR_MEMORY;
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

// Marks the pivots that a solve for the few rows goes through: theirs and those above them in the tree. The entries of
// L in them.
static double mark_reach(sti_ldl* f) {
    double entries = 0;
    for (int j = 0; j < f->n; j++) f->pattern[j] = 0;
    for (int i = 0; i < f->few_count; i++) {
        for (int j = f->place[f->few[i]]; j >= 0 && f->pattern[j] == 0; j = f->parent[j]) {
            f->pattern[j] = 1;
            entries += f->L_count[j];
        }
    }
    return entries;
}

static double solve_work(sti_ldl* f, int solves) {
    return 2 * SLOW * solves * mark_reach(f);
}

// The few rows last, in the order that they have, where that is less work.
static sti_status try_few_last(sti_ldl* f, int solves, double* work) {
    const size_t n = (size_t)f->n;
    int *before = sti_alloc_array(f->env, n, sizeof *before), done = 0;
    if (before == NULL) return STI_ERR_MEMORY;
    const double all = *work + solve_work(f, solves);
    memcpy(before, f->order, n * sizeof *before);
    for (size_t i = 0; i < n; i++) f->pattern[i] = 0;
    for (int i = 0; i < f->few_count; i++) f->pattern[f->few[i]] = 1;
    for (int last = 0; last < 2; last++) {
        for (size_t k = 0; k < n; k++) {
            if (f->pattern[before[k]] == last) f->order[done++] = before[k];
        }
    }
    invert_order(f);
    const double other = analyze_order(f);
    if (other + solve_work(f, solves) < all) {
        *work = other;
    } else {
        memcpy(f->order, before, n * sizeof *before);
        invert_order(f);
        analyze_order(f);
    }
    sti_free(f->env, before);
    return STI_OK;
}

typedef struct wish {
    bool columns;
    const sti_ldl* alike;
    int few_count;
    const int* few;
    int solves;
    size_t most;  // bytes of L
} wish;

static sti_status reserve_entries(sti_ldl* f, size_t most) {
    if (f->lnz > INT_MAX) return STI_FAIL(f->env, STI_ERR_SIZE, -1, "L with %lld entries", (long long)f->lnz);
    f->bytes = (size_t)f->lnz * (sizeof *f->L_row + sizeof *f->L_value);
    if (f->bytes > most) return STI_OK;
    f->L_row = sti_arena_raw(&f->memory, (size_t)f->lnz, sizeof *f->L_row);
    f->L_value = sti_arena_raw(&f->memory, (size_t)f->lnz, sizeof *f->L_value);
    return f->memory.status;
}

// The order that leaves little fill, and what a factorization costs with it
static sti_status find_fill_order(sti_ldl* f, const wish* w, double* work) {
    const size_t bytes = (size_t)f->n * sizeof *f->order;
    sti_status status = STI_OK;
    if (w->alike != NULL) {
        memcpy(f->order, w->alike->fill_order, bytes);
        invert_order(f);
        *work = analyze_order(f);
    } else {
        status = find_order(f);
        if (status != STI_OK) return status;
        *work = analyze_order(f);
        if (*work >= (f->few_count > 0 ? ONCE : LARGE)) status = try_dissection(f, work);
    }
    if (f->fill_order != NULL) memcpy(f->fill_order, f->order, bytes);
    return status;
}

static sti_status find_pattern(sti_ldl* f, const wish* w) {
    double work;
    sti_status status = find_fill_order(f, w, &work);
    if (status == STI_OK && f->few_count > 0) status = try_few_last(f, w->solves, &work);
    if (status != STI_OK) return status;
    const bool fronts = !w->columns && (work >= MUCH || f->lnz > INT_MAX);
    status = fronts ? find_fronts(f, w->most) : reserve_entries(f, w->most);
    f->withheld = status == STI_OK && f->bytes > w->most;
    return status;
}

static sti_status copy_few(sti_ldl* f, int few_count, const int* few) {
    f->fill_order = sti_arena_raw(&f->memory, (size_t)f->n, sizeof *f->fill_order);
    if (few_count == 0) return f->memory.status;
    f->few = sti_arena_raw(&f->memory, (size_t)few_count, sizeof *f->few);
    f->reach = sti_arena_raw(&f->memory, 2 * (size_t)f->n, sizeof *f->reach);
    if (f->memory.status != STI_OK) return f->memory.status;
    f->reach_from = f->reach + f->n;
    memcpy(f->few, few, (size_t)few_count * sizeof *few);
    f->few_count = few_count;
    return STI_OK;
}

// Fronts or columns with a marked pivot; rows become pivots. Once a pivot of a front is marked, so are those after it
// in the front that have anything of it.
static sti_status list_reach(sti_ldl* f) {
    mark_reach(f);
    const bool fronts = f->fronts.count > 0;
    for (int s = 0; s < (fronts ? f->fronts.count : f->n); s++) {
        const int end = fronts ? f->fronts.first[s + 1] : s + 1;
        int from = fronts ? f->fronts.first[s] : s;
        while (from < end && f->pattern[from] == 0) from++;
        if (from == end) continue;
        f->reach_from[f->reach_count] = from;
        f->reach[f->reach_count++] = s;
    }
    for (int i = 0; i < f->few_count; i++) f->few[i] = f->place[f->few[i]];
    const size_t together = fronts ? STI_LDL_TOGETHER : 1, rows = (size_t)sti_fronts_most_rows(&f->fronts);
    f->few_room = sti_arena_raw(&f->memory, together * ((size_t)f->n + rows), sizeof *f->few_room);
    return f->memory.status;
}

static sti_status init(sti_ldl* f, sti_env* env, int n, const int64_t* col_start, const int* row, wish w) {
    *f = (sti_ldl){.env = env, .n = n, .deadline = (double)INFINITY};
    sti_status status = copy_pattern(f, col_start, row);
    if (status == STI_OK) status = reserve_columns(f);
    if (status == STI_OK && w.few != NULL) status = copy_few(f, w.few_count, w.few);
    if (status == STI_OK) status = find_pattern(f, &w);
    if (status == STI_OK && f->few_count > 0) status = list_reach(f);
    if (status != STI_OK) sti_ldl_clear(f);
    return status;
}

sti_status sti_ldl_init(sti_ldl* f, sti_env* env, int n, const int64_t* col_start, const int* row) {
    return init(f, env, n, col_start, row, (wish){.most = SIZE_MAX});
}

sti_status sti_ldl_init_columns(sti_ldl* f, sti_env* env, int n, const int64_t* col_start, const int* row) {
    return init(f, env, n, col_start, row, (wish){.columns = true, .most = SIZE_MAX});
}

sti_status sti_ldl_init_within(sti_ldl* f, sti_env* env, int n, const int64_t* col_start, const int* row, size_t most) {
    return init(f, env, n, col_start, row, (wish){.most = most});
}

sti_status sti_ldl_init_few(sti_ldl* f, sti_env* env, int n, const int64_t* col_start, const int* row, int few_count,
                            const int* few, int solves, const sti_ldl* alike) {
    const wish w = {.few_count = few_count, .few = few, .solves = solves, .most = SIZE_MAX, .alike = alike};
    const sti_status status = init(f, env, n, col_start, row, w);
    if (status == STI_OK) f->solves = solves;
    return status;
}

static bool is_pattern(const sti_ldl* f, int n, const int64_t* col_start, const int* row) {
    if (f->n != n || f->nnz != col_start[n]) return false;
    for (int j = 0; j <= n; j++) {
        if (f->col_start[j] != col_start[j]) return false;
    }
    return memcmp(f->row, row, (size_t)f->nnz * sizeof *row) == 0;
}

bool sti_ldl_is_same(const sti_ldl* f, int n, const int64_t* col_start, const int* row, int few_count, const int* few,
                     int solves) {
    if (f->n != n || f->few_count != few_count || f->solves != solves) return false;
    for (int i = 0; i < few_count; i++) {
        if (f->few[i] != f->place[few[i]]) return false;
    }
    return is_pattern(f, n, col_start, row);
}

bool sti_ldl_is_alike(const sti_ldl* f, int n, const int64_t* col_start, const int* row, int few_count) {
    return f->fill_order != NULL && (f->few_count > 0) == (few_count > 0) && is_pattern(f, n, col_start, row);
}

void sti_ldl_clear(sti_ldl* f) {
    if (f->env == NULL) return;
    sti_fronts_clear(&f->fronts);
    sti_arena_clear(&f->memory);
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

// L y = x in place. Many right-hand sides have few entries, and then y is 0 but on their ways up the tree.
static void solve_lower(const sti_ldl* f, double* x) {
    for (int j = 0; j < f->n; j++) {
        const double y = x[j];
        if (y == 0) continue;
        for (int e = f->L_start[j]; e < f->L_start[j] + f->L_count[j]; e++) x[f->L_row[e]] -= f->L_value[e] * y;
    }
}

void sti_ldl_solve(sti_ldl* f, double* x) {
    ldl_perm(f->n, f->work, x, f->order);
    if (f->fronts.count > 0) {
        sti_fronts_solve(&f->fronts, f->D, f->work);
        ldl_permt(f->n, x, f->work, f->order);
        return;
    }
    solve_lower(f, f->work);
    ldl_dsolve(f->n, f->work, f->D);
    ldl_ltsolve(f->n, f->work, f->L_start, f->L_row, f->L_value);
    ldl_permt(f->n, x, f->work, f->order);
}

// Columns of the reach alone: what is above a pivot in the tree is in it.
static void solve_columns(const sti_ldl* f, double* x) {
    for (int k = 0; k < f->reach_count; k++) {
        const int j = f->reach[k];
        for (int e = f->L_start[j]; e < f->L_start[j] + f->L_count[j]; e++) x[f->L_row[e]] -= f->L_value[e] * x[j];
    }
    for (int k = f->reach_count - 1; k >= 0; k--) {
        const int j = f->reach[k];
        x[j] /= f->D[j];
        for (int e = f->L_start[j]; e < f->L_start[j] + f->L_count[j]; e++) x[j] -= f->L_value[e] * x[f->L_row[e]];
    }
}

static void solve_few_by_fronts(sti_ldl* f, int columns, double* x) {
    const size_t n = (size_t)f->n, few = (size_t)f->few_count;
    double* X = f->few_room;
    for (size_t c = 0; c < (size_t)columns; c++) {
        for (int k = 0; k < f->reach_count; k++) {
            for (int j = f->reach_from[k]; j < f->fronts.first[f->reach[k] + 1]; j++) X[c * n + (size_t)j] = 0;
        }
        for (size_t i = 0; i < few; i++) X[c * n + (size_t)f->few[i]] = x[c * few + i];
    }
    sti_fronts_solve_some(&f->fronts, f->D, f->reach_count, f->reach, f->reach_from, columns, X,
                          X + STI_LDL_TOGETHER * n);
    for (size_t c = 0; c < (size_t)columns; c++) {
        for (size_t i = 0; i < few; i++) x[c * few + i] = X[c * n + (size_t)f->few[i]];
    }
}

void sti_ldl_solve_few(sti_ldl* f, int columns, double* x) {
    if (f->fronts.count > 0) {
        solve_few_by_fronts(f, columns, x);
        return;
    }
    for (int c = 0; c < columns; c++, x += f->few_count) {
        for (int k = 0; k < f->reach_count; k++) f->few_room[f->reach[k]] = 0;
        for (int i = 0; i < f->few_count; i++) f->few_room[f->few[i]] = x[i];
        solve_columns(f, f->few_room);
        for (int i = 0; i < f->few_count; i++) x[i] = f->few_room[f->few[i]];
    }
}
