// avi.c: affine variational inequalities over polyhedra: the mixed problem written down anew, and its answer judged.
//
//     [A C; D B] = [M -E' -A' -I I; E 0 0 0 0; A 0 0 0 0; I 0 0 0 0; -I 0 0 0 0],    (a; b) = (q; -e; -b; -lb; ub)
//
// column by column, from the last rows up: nothing here is shared with the room that solves it.
#include <math.h>
#include <stiction/vi.h>

#include "exact/rationals.h"

typedef struct wide {
    sti_env* env;
    const sti_avi* p;
    int free_count, pairs, order;
    double *A, *C, *D, *B, *side;
    sti_rationals *matrix, *vector;
    sti_status status;
} wide;

static bool has(const double* bound, int i) {
    return bound != NULL && isfinite(bound[i]);
}

// The place of (row, col) in its block.
static double* cell(wide* w, int row, int col) {
    const int f = w->free_count, m = w->pairs;
    if (row < f && col < f) return &w->A[(size_t)row * (size_t)f + (size_t)col];
    if (row < f) return &w->C[(size_t)row * (size_t)m + (size_t)(col - f)];
    if (col < f) return &w->D[(size_t)(row - f) * (size_t)f + (size_t)col];
    return &w->B[(size_t)(row - f) * (size_t)m + (size_t)(col - f)];
}

static void write_number(wide* w, sti_rationals* to, size_t at, double* place, double value, const sti_rationals* exact,
                         size_t from, bool negative) {
    if (w->status != STI_OK) return;
    *place = negative ? -value : value;
    if (to == NULL) return;
    w->status = exact == NULL ? sti_rationals_set_double(to, at, *place) : sti_rationals_copy(to, at, exact, from);
    if (w->status == STI_OK && exact != NULL && negative) sti_int_neg(&to->num[at]);
}

static void write_entry(wide* w, int row, int col, double value, const sti_rationals* exact, size_t from,
                        bool negative) {
    const size_t at = (size_t)row * (size_t)w->order + (size_t)col;
    write_number(w, w->matrix, at, cell(w, row, col), value, exact, from, negative);
}

static void write_side(wide* w, int row, double value, const sti_rationals* exact, int from, bool negative) {
    write_number(w, w->vector, (size_t)row, &w->side[row], value, exact, (size_t)from, negative);
}

// Row i of a constraint g'x (>)= h as row `row` of the problem, and its normal in the equations of M x + q.
static void write_constraint(wide* w, int row, const sti_matrix* G, const sti_rationals* exact, int i) {
    for (int j = 0; j < w->p->n; j++) {
        const double g = sti_matrix_get(G, i, j);
        const size_t from = (size_t)i * (size_t)w->p->n + (size_t)j;
        if (g == 0) continue;
        write_entry(w, row, j, g, exact, from, false);
        write_entry(w, j, row, g, exact, from, true);
    }
}

static void write_all(wide* w) {
    const sti_avi* p = w->p;
    int row = w->order;
    for (int i = p->n - 1; i >= 0; i--) {
        if (!has(p->ub, i)) continue;
        row--;
        write_side(w, row, p->ub[i], p->ub_exact, i, false);
        write_entry(w, row, i, 1, NULL, 0, true);
        write_entry(w, i, row, 1, NULL, 0, false);
    }
    for (int i = p->n - 1; i >= 0; i--) {
        if (!has(p->lb, i)) continue;
        row--;
        write_side(w, row, p->lb[i], p->lb_exact, i, true);
        write_entry(w, row, i, 1, NULL, 0, false);
        write_entry(w, i, row, 1, NULL, 0, true);
    }
    for (int i = p->m - 1; i >= 0; i--) {
        row--;
        write_side(w, row, p->b[i], p->b_exact, i, true);
        write_constraint(w, row, &p->A, p->A_exact, i);
    }
    for (int i = p->k - 1; i >= 0; i--) {
        row--;
        write_side(w, row, p->e[i], p->e_exact, i, true);
        write_constraint(w, row, &p->E, p->E_exact, i);
    }
    for (int i = 0; i < p->n; i++) {
        write_side(w, i, p->q[i], p->q_exact, i, false);
        for (int j = 0; j < p->n; j++) {
            const double M = sti_matrix_get(&p->M, i, j);
            if (M != 0) write_entry(w, i, j, M, p->M_exact, (size_t)i * (size_t)p->n + (size_t)j, false);
        }
    }
}

static double* zeros(wide* w, int rows, int cols) {
    double* block = sti_alloc_array_zero(w->env, sti_size_mul((size_t)rows, (size_t)cols), sizeof *block);
    if (block == NULL) w->status = STI_ERR_MEMORY;
    return block;
}

static void open_wide(wide* w) {
    const sti_avi* p = w->p;
    w->free_count = p->n + p->k;
    w->pairs = p->m;
    for (int i = 0; i < p->n; i++) w->pairs += has(p->lb, i) + has(p->ub, i);
    w->order = w->free_count + w->pairs;
    w->A = zeros(w, w->free_count, w->free_count);
    w->C = zeros(w, w->free_count, w->pairs);
    w->D = zeros(w, w->pairs, w->free_count);
    w->B = zeros(w, w->pairs, w->pairs);
    w->side = zeros(w, w->order, 1);
    if (w->status != STI_OK || p->M_exact == NULL) return;
    w->status = sti_rationals_create(w->env, sti_size_mul((size_t)w->order, (size_t)w->order), &w->matrix);
    if (w->status == STI_OK) w->status = sti_rationals_create(w->env, (size_t)w->order, &w->vector);
}

sti_status sti_verify_avi(sti_env* env, const sti_avi* avi, const sti_lcp_answer* answer, double tol,
                          sti_verification* out) {
    wide w = {.env = env, .p = avi};
    *out = (sti_verification){.residual = NAN};
    open_wide(&w);
    if (w.status == STI_OK) write_all(&w);
    const int f = w.free_count, m = w.pairs;
    const sti_mlcp mlcp = {.n = f,
                           .m = m,
                           .A = sti_matrix_dense_view(f, f, w.A),
                           .C = sti_matrix_dense_view(f, m, w.C),
                           .D = sti_matrix_dense_view(m, f, w.D),
                           .B = sti_matrix_dense_view(m, m, w.B),
                           .a = w.side,
                           .b = w.side != NULL ? w.side + f : NULL,
                           .matrix_exact = w.matrix,
                           .vector_exact = w.vector};
    if (w.status == STI_OK) w.status = sti_verify_mlcp(env, &mlcp, answer, tol, out);
    double* blocks[] = {w.A, w.C, w.D, w.B, w.side};
    for (int k = 0; k < 5; k++) sti_free(env, blocks[k]);
    sti_rationals_destroy(w.matrix);
    sti_rationals_destroy(w.vector);
    return w.status;
}
