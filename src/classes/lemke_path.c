// lemke_path.c: the path of Lemke's method through complementary cones, exactly, for small problems that are looked at.
//
//     w = q + z0 d + M z,   w, z, z0 >= 0,   w'z = 0
//
// Along the path w and z stay complementary, so q + z0 d lies in C(alpha), alpha the indices whose z is in the basis or
// enters it. Where several variables fall to 0 at once it is the path of q + (t, t^2, ..) for small t > 0.
#include <math.h>
#include <stiction/covering.h>

#include "base/env.h"
#include "exact/dictionary.h"
#include "exact/rationals.h"

enum { PIVOTS_MOST = 10000 };

// Variables: z_i is i, z0 is n, w_i is n + 1 + i.
typedef struct walk {
    sti_env* env;
    sti_exact x;
    int n;
    sti_dictionary* D;
    sti_lemke_path* path;
    int capacity;
} walk;

static void write_rows(walk* w, const sti_lcp* p, const double* d) {
    const int n = w->n;
    for (int i = 0; i < n; i++) {
        // each row by a factor of its own, which changes units of w_i and nothing else
        if (p->M_exact != NULL) {
            sti_int* row = sti_int_array(&w->x, (size_t)n + 2);
            sti_rationals* line = NULL;
            w->x.status = row == NULL ? w->x.status : sti_rationals_create(w->env, (size_t)n + 2, &line);
            for (int j = 0; w->x.status == STI_OK && j < n; j++)
                w->x.status = sti_rationals_copy(line, (size_t)j, p->M_exact, (size_t)i * (size_t)n + (size_t)j);
            if (w->x.status == STI_OK) w->x.status = sti_rationals_set_double(line, (size_t)n, d == NULL ? 1 : d[i]);
            if (w->x.status == STI_OK)
                w->x.status = p->q_exact != NULL ? sti_rationals_copy(line, (size_t)n + 1, p->q_exact, (size_t)i)
                                                 : sti_rationals_set_double(line, (size_t)n + 1, p->q[i]);
            if (w->x.status == STI_OK) sti_int_row_from_rationals(&w->x, row, line, 0, (size_t)n + 2, NULL, NULL);
            for (int j = 0; w->x.status == STI_OK && j <= n + 1; j++)
                sti_int_set(&w->x, sti_dictionary_at(w->D, i, j == n + 1 ? 0 : j + 1), &row[j]);
            sti_rationals_destroy(line);
            sti_int_array_free(w->env, row, (size_t)n + 2);
            continue;
        }
        double* line = sti_alloc_array(w->env, (size_t)n + 2, sizeof *line);
        sti_int* row = sti_int_array(&w->x, (size_t)n + 2);
        if (line == NULL) w->x.status = STI_ERR_MEMORY;
        for (int j = 0; w->x.status == STI_OK && j < n; j++) line[j] = sti_matrix_get(&p->M, i, j);
        if (w->x.status == STI_OK) {
            line[n] = d == NULL ? 1 : d[i];
            line[n + 1] = p->q[i];
            sti_int_row_from_doubles(&w->x, row, line, (size_t)n + 2, 1, NULL, NULL);
        }
        for (int j = 0; w->x.status == STI_OK && j <= n + 1; j++)
            sti_int_set(&w->x, sti_dictionary_at(w->D, i, j == n + 1 ? 0 : j + 1), &row[j]);
        sti_free(w->env, line);
        sti_int_array_free(w->env, row, (size_t)n + 2);
    }
}

static double z0_now(walk* w) {
    const int row = sti_dictionary_row_of(w->D, w->n);
    return row < 0 ? 0 : sti_int_ratio(&w->x, sti_dictionary_at(w->D, row, 0), &w->D->d);
}

static void add_piece(walk* w, int entering, double from, double to) {
    sti_lemke_path* p = w->path;
    if (p->count == w->capacity) {
        w->capacity = w->capacity > 0 ? 2 * w->capacity : 16;
        void* more = sti_realloc_array(w->env, p->piece, (size_t)w->capacity, sizeof *p->piece);
        if (more == NULL) {
            w->x.status = STI_ERR_MEMORY;
            return;
        }
        p->piece = more;
    }
    int alpha = entering < w->n ? 1 << entering : 0;
    for (int i = 0; i < w->n; i++) {
        if (sti_dictionary_row_of(w->D, i) >= 0) alpha |= 1 << i;
    }
    p->piece[p->count++] = (sti_lemke_piece){alpha, from, to};
}

static int column_of(const sti_dictionary* D, int variable) {
    for (int j = 0; j < D->cols; j++) {
        if (D->nonbasic[j] == variable) return j;
    }
    return -1;
}

// The basic variable of row i for q + (t, t^2, ..), t > 0 small: its coefficient of t^k. A basic w_(k-1) has one
// of its own; a nonbasic one, 0 now, is what its column takes away.
static void digit(walk* w, int i, int k, sti_int* out) {
    const sti_dictionary* D = w->D;
    if (k == 0) {
        sti_int_set(&w->x, out, sti_dictionary_at(D, i, 0));
        return;
    }
    const int variable = w->n + k, column = column_of(D, variable);
    sti_int_set_i64(&w->x, out, 0);
    if (D->basic[i] == variable) sti_int_set(&w->x, out, &D->d);
    if (column < 0) return;
    sti_int_set(&w->x, out, sti_dictionary_at(D, i, column + 1));
    sti_int_neg(out);
}

// Sign of row i over |its entry| less row r over |its own|, to the first power of t in which they differ, up to t^most.
static int compare_rows(walk* w, int c, int i, int r, int most) {
    int order = 0;
    for (int k = 0; k <= most && order == 0 && w->x.status == STI_OK; k++) {
        sti_int *const left = &w->x.tmp[1], *const right = &w->x.tmp[2];
        digit(w, i, k, left);
        sti_int_mul(&w->x, left, left, sti_dictionary_at(w->D, r, c + 1));
        digit(w, r, k, right);
        sti_int_mul(&w->x, right, right, sti_dictionary_at(w->D, i, c + 1));
        order = sti_int_cmp(left, right);
    }
    return order * sti_int_sign(sti_dictionary_at(w->D, r, c + 1));
}

// The row whose variable is first to fall to 0 (or, at the beginning, the last to rise to it) as column c grows. Of
// several it is the one for q + (t, t^2, ..), so no basis comes twice; z0 goes before all others.
static int leaving_row(walk* w, int c, bool first) {
    sti_dictionary* D = w->D;
    int row = -1;
    for (int i = 0; i < w->n; i++) {
        const int entry = sti_int_sign(sti_dictionary_at(D, i, c + 1));
        if (first ? entry <= 0 || sti_int_sign(sti_dictionary_at(D, i, 0)) >= 0 : entry >= 0) continue;
        if (row < 0) {
            row = i;
            continue;
        }
        const int order = compare_rows(w, c, i, row, 0), z0 = w->n;
        if (order == 0 && (D->basic[i] == z0 || D->basic[row] == z0)) {
            row = D->basic[i] == z0 ? i : row;
        } else if (order < 0 || (order == 0 && compare_rows(w, c, i, row, w->n) < 0)) {
            row = i;
        }
    }
    return row;
}

static int complement(const walk* w, int variable) {
    return variable < w->n ? variable + w->n + 1 : variable - w->n - 1;
}

static void follow(walk* w) {
    const int n = w->n;
    int entering = n, row = leaving_row(w, n, true);
    double from = INFINITY;
    if (row < 0) {  // q >= 0
        add_piece(w, n, INFINITY, 0);
        w->path->solved = true;
        return;
    }
    for (long k = 0; k < PIVOTS_MOST && w->x.status == STI_OK; k++) {
        const int column = column_of(w->D, entering);
        if (row < 0) {
            add_piece(w, entering, from,
                      sti_int_sign(sti_dictionary_at(w->D, sti_dictionary_row_of(w->D, n), column + 1)) > 0 ? INFINITY
                                                                                                            : from);
            return;
        }
        const int leaving = w->D->basic[row];
        const int piece = w->path->count;
        add_piece(w, entering, from, 0);
        sti_dictionary_pivot(w->D, row, column);
        from = z0_now(w);
        if (w->x.status == STI_OK) w->path->piece[piece].to = from;
        w->path->solved = leaving == n;
        if (leaving == n) return;
        entering = complement(w, leaving);
        row = leaving_row(w, column_of(w->D, entering), false);
    }
    if (w->x.status == STI_OK)
        w->x.status = STI_FAIL(w->env, STI_ERR_SIZE, -1, "the path has not ended after %d pivots", PIVOTS_MOST);
}

sti_status sti_lemke_path_create(sti_env* env, const sti_lcp* lcp, const double* d, sti_lemke_path** out) {
    *out = NULL;
    if (lcp == NULL || lcp->n < 1 || lcp->n > 30 || lcp->M.rows != lcp->n || lcp->M.cols != lcp->n)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a problem of 1 to 30 pairs is expected");
    for (int i = 0; i < lcp->n; i++) {
        if (!isfinite(lcp->q[i]) || (d != NULL && !(d[i] > 0 && isfinite(d[i]))))
            return STI_FAIL(env, STI_ERR_ARGUMENT, i, "q[%d], d[%d]: finite numbers, d above 0, are expected", i, i);
    }
    walk w = {.env = env, .n = lcp->n};
    sti_exact_init(&w.x, env);
    w.path = sti_alloc_array_zero(env, 1, sizeof *w.path);
    if (w.path == NULL)
        w.x.status = STI_ERR_MEMORY;
    else if (sti_dictionary_create(&w.x, lcp->n, lcp->n + 1, &w.D) == STI_OK) {
        w.path->n = lcp->n;
        write_rows(&w, lcp, d);
        if (w.x.status == STI_OK) follow(&w);
        sti_dictionary_destroy(w.D);
    }
    const sti_status status = w.x.status;
    sti_exact_clear(&w.x);
    if (status == STI_OK)
        *out = w.path;
    else
        sti_lemke_path_destroy(env, w.path);
    return status;
}

void sti_lemke_path_destroy(sti_env* env, sti_lemke_path* path) {
    if (path == NULL) return;
    sti_free(env, path->piece);
    sti_free(env, path);
}
