// avi.c: affine variational inequalities over polyhedra as mixed complementarity problems.
//
//     x in K = { A x >= b, E x = e, lb <= x <= ub },    (M x + q)'(y - x) >= 0   for all y in K                    (1)
//
// (1) says that x solves the linear program  min (M x + q)'y over K,
//     so by duality of linear programs, which asks nothing of the
// constraints, (1) holds iff there are multipliers with
//
//     M x + q - E'l - A'v - v_lb + v_ub = 0,   E x = e,   0 <= v _|_ A x - b >= 0,   ...                          (2)
//
// that is an MLCP with A, C, D, B = [M -E'; E 0], [-A' -I I; 0], [A 0; I 0; -I 0], 0. A certificate that (2) has no
// solution is one that (1) has none. The numbers of (2) are those of (1) and their negatives, so exact data stay exact.
// A bounded box is asked first (box.c); what that leaves open goes to (2).
#include <math.h>
#include <stdio.h>
#include <stiction/vi.h>
#include <string.h>

#include "exact/rationals.h"
#include "linalg/check.h"
#include "vi/box.h"

// ---- (1) to (2)

static bool is_finite_bound(const double* bound, int i) {
    return bound != NULL && isfinite(bound[i]);
}

// Where the numbers go: [A C; D B] of order N, row major, and (a; b), as doubles or exact.
typedef struct filling {
    double *matrix, *vector;
    sti_rationals *matrix_exact, *vector_exact;
    size_t order;
    sti_status status;
} filling;

// One number, with its sign, at (i, j); j = order: of the vector.
static void put(filling* f, size_t i, size_t j, int sign, double value, const sti_rationals* exact, size_t at) {
    const bool in_vector = j == f->order;
    const size_t place = in_vector ? i : i * f->order + j;
    if (f->status != STI_OK) return;
    (in_vector ? f->vector : f->matrix)[place] = sign * value;
    sti_rationals* to = in_vector ? f->vector_exact : f->matrix_exact;
    if (to == NULL) return;
    f->status = exact != NULL ? sti_rationals_copy(to, place, exact, at) : sti_rationals_set_double(to, place, value);
    if (f->status == STI_OK && sign < 0) sti_int_neg(&to->num[place]);
}

static void put_rows(filling* f, const sti_matrix* G, const sti_rationals* exact, size_t first, size_t column) {
    for (int i = 0; i < G->rows; i++) {
        for (int j = 0; j < G->cols; j++) {
            const double value = sti_matrix_get(G, i, j);
            if (value != 0)
                put(f, first + (size_t)i, column + (size_t)j, 1, value, exact, (size_t)i * (size_t)G->cols + (size_t)j);
        }
    }
}

static void put_transposed(filling* f, const sti_matrix* G, const sti_rationals* exact, size_t column) {
    for (int i = 0; i < G->rows; i++) {
        for (int j = 0; j < G->cols; j++) {
            const double value = sti_matrix_get(G, i, j);
            if (value != 0)
                put(f, (size_t)j, column + (size_t)i, -1, value, exact, (size_t)i * (size_t)G->cols + (size_t)j);
        }
    }
}

static void put_bounds(filling* f, const sti_avi* p, const int* pair_of, int pairs) {
    const size_t free_count = (size_t)p->n + (size_t)p->k;
    for (int r = p->m; r < pairs; r++) {
        const bool upper = pair_of[r] >= p->m + p->n;
        const size_t i = (size_t)(pair_of[r] - p->m - (upper ? p->n : 0)), at = free_count + (size_t)r;
        put(f, at, i, upper ? -1 : 1, 1, NULL, 0);
        put(f, i, at, upper ? 1 : -1, 1, NULL, 0);
        put(f, at, f->order, upper ? 1 : -1, upper ? p->ub[i] : p->lb[i], upper ? p->ub_exact : p->lb_exact, i);
    }
}

static void fill(filling* f, const sti_avi* p, const int* pair_of, int pairs) {
    const size_t n = (size_t)p->n, free_count = n + (size_t)p->k;
    put_rows(f, &p->M, p->M_exact, 0, 0);
    put_transposed(f, &p->E, p->E_exact, n);
    put_transposed(f, &p->A, p->A_exact, free_count);
    put_rows(f, &p->E, p->E_exact, n, 0);
    put_rows(f, &p->A, p->A_exact, free_count, 0);
    for (size_t i = 0; i < n; i++) put(f, i, f->order, 1, p->q[i], p->q_exact, i);
    for (size_t i = 0; i < (size_t)p->k; i++) put(f, n + i, f->order, -1, p->e[i], p->e_exact, i);
    for (size_t i = 0; i < (size_t)p->m; i++) put(f, free_count + i, f->order, -1, p->b[i], p->b_exact, i);
    put_bounds(f, p, pair_of, pairs);
}

static sti_status check_matrix(sti_env* env, const sti_matrix* A, int rows, int cols, const char* name) {
    if ((A->rows != rows || A->cols != cols) && rows > 0)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%s is %d x %d, %d x %d is expected", name, A->rows, A->cols, rows,
                        cols);
    return rows > 0 ? sti_matrix_check(env, name, A, rows, cols, true) : STI_OK;
}

static sti_status check(sti_env* env, const sti_avi* p) {
    if (p == NULL || p->n < 1 || p->m < 0 || p->k < 0)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "there is no inequality with at least one unknown");
    sti_status status = check_matrix(env, &p->M, p->n, p->n, "M");
    if (status == STI_OK) status = check_matrix(env, &p->A, p->m, p->n, "A");
    if (status == STI_OK) status = check_matrix(env, &p->E, p->k, p->n, "E");
    if (status == STI_OK) status = sti_vector_check(env, "q", p->q, p->n);
    if (status == STI_OK) status = p->m > 0 ? sti_vector_check(env, "b", p->b, p->m) : STI_OK;
    if (status == STI_OK) status = p->k > 0 ? sti_vector_check(env, "e", p->e, p->k) : STI_OK;
    for (int i = 0; status == STI_OK && i < p->n; i++) {
        if ((p->lb != NULL && (isnan(p->lb[i]) || p->lb[i] == INFINITY)) ||
            (p->ub != NULL && (isnan(p->ub[i]) || p->ub[i] == -INFINITY)))
            status = STI_FAIL(env, STI_ERR_ARGUMENT, i, "bounds of x[%d]: numbers are expected", i);
    }
    return status;
}

// The four blocks of the filled matrix, as matrices of their own.
static sti_status cut(sti_env* env, const filling* f, int free_count, int pairs, sti_mlcp* out) {
    const struct {
        sti_matrix* block;
        int row, col, rows, cols;
    } part[4] = {{&out->A, 0, 0, free_count, free_count},
                 {&out->C, 0, free_count, free_count, pairs},
                 {&out->D, free_count, 0, pairs, free_count},
                 {&out->B, free_count, free_count, pairs, pairs}};
    for (int k = 0; k < 4; k++) {
        const size_t rows = (size_t)part[k].rows, cols = (size_t)part[k].cols;
        double* entries = sti_alloc_array(env, sti_size_mul(rows, cols), sizeof *entries);
        if (entries == NULL) return STI_ERR_MEMORY;
        for (size_t i = 0; i < rows; i++)
            memcpy(entries + i * cols, f->matrix + ((size_t)part[k].row + i) * f->order + (size_t)part[k].col,
                   cols * sizeof *entries);
        *part[k].block = sti_matrix_dense_view((int)rows, (int)cols, entries);
    }
    return STI_OK;
}

void sti_avi_mlcp_clear(sti_env* env, sti_avi_mlcp* posed) {
    sti_mlcp* p = &posed->mlcp;
    sti_matrix_clear(env, &p->A);
    sti_matrix_clear(env, &p->C);
    sti_matrix_clear(env, &p->D);
    sti_matrix_clear(env, &p->B);
    sti_free(env, (double*)p->a);
    sti_rationals_destroy((sti_rationals*)p->matrix_exact);
    sti_rationals_destroy((sti_rationals*)p->vector_exact);
    sti_free(env, posed->pair_of);
    *posed = (sti_avi_mlcp){0};
}

static int list_pairs(const sti_avi* p, int* pair_of) {
    int count = 0;
    for (int i = 0; i < p->m; i++) pair_of[count++] = i;
    for (int i = 0; i < p->n; i++) {
        if (is_finite_bound(p->lb, i)) pair_of[count++] = p->m + i;
    }
    for (int i = 0; i < p->n; i++) {
        if (is_finite_bound(p->ub, i)) pair_of[count++] = p->m + p->n + i;
    }
    return count;
}

sti_status sti_avi_mlcp_make(sti_env* env, const sti_avi* avi, sti_avi_mlcp* out) {
    *out = (sti_avi_mlcp){0};
    sti_status status = check(env, avi);
    if (status != STI_OK) return status;
    out->pair_of = sti_alloc_array(env, (size_t)avi->m + 2 * (size_t)avi->n, sizeof *out->pair_of);
    if (out->pair_of == NULL) return STI_ERR_MEMORY;
    const int pairs = list_pairs(avi, out->pair_of), free_count = avi->n + avi->k;
    const size_t order = (size_t)free_count + (size_t)pairs;
    filling f = {.order = order};
    f.matrix = sti_alloc_array_zero(env, sti_size_mul(order, order), sizeof *f.matrix);
    f.vector = sti_alloc_array_zero(env, order, sizeof *f.vector);
    if (f.matrix == NULL || f.vector == NULL) f.status = STI_ERR_MEMORY;
    if (f.status == STI_OK && avi->M_exact != NULL) {
        f.status = sti_rationals_create(env, sti_size_mul(order, order), &f.matrix_exact);
        if (f.status == STI_OK) f.status = sti_rationals_create(env, order, &f.vector_exact);
    }
    if (f.status == STI_OK) fill(&f, avi, out->pair_of, pairs);
    out->mlcp = (sti_mlcp){.n = free_count,
                           .m = pairs,
                           .a = f.vector,
                           .b = f.vector != NULL ? f.vector + free_count : NULL,
                           .matrix_exact = f.matrix_exact,
                           .vector_exact = f.vector_exact};
    if (f.status == STI_OK) f.status = cut(env, &f, free_count, pairs, &out->mlcp);
    sti_free(env, f.matrix);
    if (f.status != STI_OK) sti_avi_mlcp_clear(env, out);
    return f.status;
}

// ---- solve

sti_status sti_avi_solve(sti_env* env, const sti_avi* avi, const sti_lcp_options* options, sti_lcp_answer* answer) {
    sti_lcp_options o = options != NULL ? *options : sti_lcp_options_default();
    sti_avi_mlcp posed;
    *answer = (sti_lcp_answer){0};
    sti_status status = sti_avi_mlcp_make(env, avi, &posed);
    if (status != STI_OK) return status;
    o.covering = o.start = NULL;
    const bool box = o.solver == STI_LCP_AUTO && sti_avi_is_box(avi);
    if (box) status = sti_avi_solve_box(env, avi, &posed.mlcp, &o, false, answer);
    if (status == STI_OK && answer->outcome != STI_SOLVED) {
        sti_lcp_answer_clear(env, answer);
        status = sti_mlcp_solve(env, &posed.mlcp, &o, answer);
    }
    const bool open = answer->outcome == STI_UNKNOWN || answer->outcome == STI_LIMIT;
    if (status == STI_OK && box && open) {
        sti_lcp_answer first = *answer;
        status = sti_avi_solve_box(env, avi, &posed.mlcp, &o, true, answer);
        if (status == STI_OK && answer->outcome != STI_SOLVED) {
            sti_lcp_answer_clear(env, answer);
            *answer = first;
        } else {
            sti_lcp_answer_clear(env, &first);
        }
    }
    sti_avi_mlcp_clear(env, &posed);
    return status;
}
