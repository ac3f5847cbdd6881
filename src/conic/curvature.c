// curvature.c: is P symmetric and positive semidefinite?
//
// P + shift I must have an L D L' with positive pivots (balanced units, shift = CURVATURE times the largest entry). For
// a P that is not positive semidefinite the claims of the method would be false: a stationary point is not a minimum
// there. Rounding in P and in the factors is what the shift allows for. Cost: one sparse factorization of order n.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "conic/scaled.h"
#include "linalg/ldl.h"

static const double ASYMMETRY = 1e-9;   // of P, relative to its largest entry, that counts as rounding
static const double CURVATURE = 1e-11;  // negative eigenvalue that counts as rounding

// Pattern of P with its whole diagonal, and P + shift I in it. at (nnz + n) rows, in ascending order.
static void fill_shifted(const sti_matrix* P, double shift, int64_t* start, int* row, double* value) {
    int64_t at = 0;
    for (int j = 0; j < P->cols; j++) {
        start[j] = at;
        bool diagonal = false;
        for (int64_t e = P->col_start[j]; e < P->col_start[j + 1] || !diagonal;) {
            const int i = e < P->col_start[j + 1] ? P->row[e] : P->cols;
            const bool here = !diagonal && i >= j, stored = !here || i == j;
            row[at] = here ? j : i;
            value[at++] = (stored ? P->value[e] : 0) + (here ? shift : 0);
            diagonal = diagonal || here;
            e += stored;
        }
    }
    start[P->cols] = at;
}

sti_status sti_conic_scaled_curvature(const sti_conic_scaled* k, int* column) {
    sti_env* env = k->env;
    *column = -1;
    const size_t n = (size_t)k->n, room = (size_t)k->P.col_start[k->n] + n;
    double size = 0;
    for (int64_t e = 0; e < k->P.col_start[k->n]; e++) size = fmax(size, fabs(k->P.value[e]));
    if (size == 0) return STI_OK;
    sti_arena memory = sti_arena_make(env);
    int64_t* start = sti_arena_raw(&memory, n + 1, sizeof *start);
    int* row = sti_arena_raw(&memory, room, sizeof *row);
    double* value = sti_arena_raw(&memory, room, sizeof *value);
    sti_ldl ldl = {0};
    sti_status status = STI_OK;
    if (memory.status != STI_OK) status = STI_ERR_MEMORY;
    if (status == STI_OK) {
        fill_shifted(&k->P, CURVATURE * size, start, row, value);
        status = sti_ldl_init(&ldl, env, k->n, start, row);
    }
    if (status == STI_OK) {
        memcpy(ldl.value, value, (size_t)start[n] * sizeof *value);
        *column = sti_ldl_factor(&ldl);
        for (int p = 0; *column < 0 && p < k->n; p++) {
            if (ldl.D[p] < 0) *column = ldl.order[p];
        }
    }
    sti_ldl_clear(&ldl);
    sti_arena_clear(&memory);
    return status;
}

// P without its scaling must agree with its symmetrized copy.
static sti_status check_symmetry(sti_env* env, const sti_conic* p, const sti_conic_scaled* k) {
    const double unit = k->kappa * k->beta * k->beta;
    double size = 0, error = 0;
    int worst = -1;
    for (int j = 0; j < k->n; j++) {
        for (int64_t e = k->P.col_start[j]; e < k->P.col_start[j + 1]; e++) {
            const int i = k->P.row[e];
            if (i > j) break;
            const double s = k->P.value[e] / (unit * k->D[i] * k->D[j]),
                         difference = fabs(s - sti_matrix_get(&p->P, i, j));
            size = fmax(size, fabs(s));
            if (difference > error) {
                error = difference;
                worst = j;
            }
        }
    }
    if (error > ASYMMETRY * size)
        return STI_FAIL(env, STI_ERR_ARGUMENT, worst, "P is not symmetric in column %d", worst);
    return STI_OK;
}

sti_status sti_conic_check_objective(sti_env* env, const sti_conic* p, const sti_conic_scaled* k) {
    int column = -1;
    sti_status status = check_symmetry(env, p, k);
    if (status == STI_OK) status = sti_conic_scaled_curvature(k, &column);
    if (status == STI_OK && column >= 0)
        status =
            STI_FAIL(env, STI_ERR_ARGUMENT, column, "P is not positive semidefinite (pivot of variable %d)", column);
    return status;
}
