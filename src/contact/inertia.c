// inertia.c: counting eigenvalues by two factorizations.
//
// The matrix is scaled to unit diagonal first, so that the count does not depend on units or on heavy bodies. tau is a
// thousand times the rounding of a matrix of order a thousand or so, and far below the softest motions of the stacks
// and piles met in practice, which go like 1 / n^2: an eigenvalue between the two is a question of the data. L D L'
// without pivoting serves, although S - tau I is indefinite: pivots that belong to the kernel are of the size of tau,
// and what they multiply is of the size of tau as well.
#include "contact/inertia.h"

#include <math.h>

#include "contact/entries.h"
#include "linalg/ldl.h"

static const double vanishing = 1e-10;

// Negative pivots of S + shift I; a shift that hits an eigenvalue is moved a little.
static int count_below(sti_ldl* f, const sti_matrix* S, double shift) {
    for (int attempt = 0; attempt < 8; attempt++) {
        for (int j = 0; j < S->cols; j++) {
            for (int64_t k = S->col_start[j]; k < S->col_start[j + 1]; k++)
                f->value[k] = S->value[k] + (S->row[k] == j ? shift : 0);
        }
        if (sti_ldl_factor(f) < 0) return sti_ldl_nonpositive_count(f);
        shift *= 1.37;
    }
    return -1;
}

sti_status sti_inertia_count(sti_env* env, const sti_matrix* A, int* negative, int* zero) {
    sti_entries e = {.env = env};
    sti_matrix S;
    *negative = *zero = -1;
    sti_entries_add_matrix(&e, A, false, 0, 0, 0.5);
    sti_entries_add_matrix(&e, A, true, 0, 0, 0.5);
    for (int i = 0; i < A->rows; i++) sti_entries_add(&e, i, i, 0);
    sti_status status = sti_entries_finish(&e, A->rows, A->rows, &S);
    if (status != STI_OK) return status;
    double* scale = sti_alloc_array(env, (size_t)A->rows, sizeof *scale);
    sti_ldl f = {0};
    status = scale != NULL ? sti_ldl_init(&f, env, A->rows, S.col_start, S.row) : STI_ERR_MEMORY;
    if (status == STI_OK) {
        for (int i = 0; i < A->rows; i++) {
            const double x = sti_matrix_get(&S, i, i);
            scale[i] = x > 0 ? 1 / sqrt(x) : 1;
        }
        for (int j = 0; j < A->rows; j++) {
            for (int64_t k = S.col_start[j]; k < S.col_start[j + 1]; k++) S.value[k] *= scale[j] * scale[S.row[k]];
        }
        const int below = count_below(&f, &S, -vanishing);
        *negative = count_below(&f, &S, vanishing);
        *zero = below >= 0 && *negative >= 0 ? below - *negative : -1;
    }
    sti_ldl_clear(&f);
    sti_free(env, scale);
    sti_matrix_clear(env, &S);
    return status == STI_ERR_SIZE ? STI_OK : status;
}

sti_status sti_bsr_restrict(sti_env* env, const sti_bsr* W, const int* dim, const double* basis, sti_matrix* out) {
    const int d = W->d;
    sti_entries e = {.env = env};
    *out = (sti_matrix){0};
    int* first = sti_alloc_array(env, (size_t)W->n + 1, sizeof *first);
    if (first == NULL) return STI_ERR_MEMORY;
    first[0] = 0;
    for (int c = 0; c < W->n; c++) first[c + 1] = first[c] + (basis != NULL ? dim[c] : d);
    for (int c = 0; c < W->n; c++) {
        for (int64_t k = W->row_start[c]; k < W->row_start[c + 1]; k++) {
            const int j = W->col[k];
            const double* block = W->block + k * d * d;
            for (int a = 0; a < first[c + 1] - first[c]; a++) {
                for (int b = 0; b < first[j + 1] - first[j]; b++) {
                    double x = basis == NULL ? block[a * d + b] : 0;
                    for (int i = 0; basis != NULL && i < d * d; i++)
                        x += basis[(c * d + a) * d + i / d] * block[i] * basis[(j * d + b) * d + i % d];
                    sti_entries_add(&e, first[c] + a, first[j] + b, x);
                }
            }
        }
    }
    const int n = first[W->n];
    sti_free(env, first);
    return sti_entries_finish(&e, n, n, out);
}
