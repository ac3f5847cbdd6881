// normal.c: A'D^-1 A of a sparse A: pattern, values, factors, solutions.
//
// D has entries from 0 to infinity as the method goes on, so the matrix comes close to singular in a harmless way: the
// rows that matter keep it regular where it has to be. Where A itself lacks rank (flat parts of an image, a stencil
// that does not see a checkerboard) a shift of the diagonal, relative to each entry, keeps the pivots positive, and
// refinement takes its effect out again of the components that are determined.
#include "l1/normal.h"

#include <math.h>
#include <string.h>

#include "linalg/matrix.h"
#include "linalg/vector.h"

static const double SHIFT = 1e-14;         // of a diagonal entry, to begin with
static const double LARGEST_SHIFT = 1e-6;  // the matrix is given up beyond
static const double SETTLED = 1e-6;        // residual from which on refinement stops
static const double ROUNDING = 1e-14;      // of a sum, over its terms
static const double ROW = 1e-9;            // of a row, over what its entries make of the largest x

static const double CG_SETTLED = 1e-7;  // of the residual in the norm of the preconditioner

enum { REFINEMENTS = 4, MOST_CG = 3000, FEWEST = 8, MOST = 400 };  // entries of a column of incomplete factors

static sti_status by_rows(sti_l1_normal* N) {
    const sti_matrix* A = N->A;
    const size_t nnz = (size_t)A->col_start[N->n];
    N->row_start = sti_alloc_array(N->env, (size_t)N->m + 1, sizeof *N->row_start);
    N->col = sti_alloc_array(N->env, nnz, sizeof *N->col);
    N->value = sti_alloc_array(N->env, nnz, sizeof *N->value);
    if (N->row_start == NULL || N->col == NULL || N->value == NULL) return STI_ERR_MEMORY;
    sti_matrix_by_rows(A, N->row_start, N->col, N->value);
    return STI_OK;
}

// The columns that share a row with column j, and j itself, ascending order not needed; their number.
static int64_t neighbours(sti_l1_normal* N, int j, int* out) {
    const sti_matrix* A = N->A;
    int64_t count = 0;
    N->place[j] = j;
    if (out != NULL) out[count] = j;
    count++;
    for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) {
        const int i = A->row[k];
        for (int64_t e = N->row_start[i]; e < N->row_start[i + 1]; e++) {
            const int c = N->col[e];
            if (N->place[c] == j) continue;
            N->place[c] = j;
            if (out != NULL) out[count] = c;
            count++;
        }
    }
    return count;
}

// Incomplete factors in the memory that there is.
static sti_status init_part(sti_l1_normal* N, double memory) {
    const double least = (double)sti_incomplete_bytes(N->n, FEWEST);
    const double more = (double)sti_incomplete_bytes(N->n, FEWEST + 1) - least;
    if (memory < least)
        return STI_FAIL(N->env, STI_ERR_ARGUMENT, -1,
                        "memory: %.3g MB for factors of order %d: at least %.3g are needed", memory / 1e6, N->n,
                        least / 1e6);
    const int entries = (int)fmin(FEWEST + (memory - least) / more, MOST);
    N->cg = sti_alloc_array(N->env, 3 * (size_t)N->n, sizeof *N->cg);
    if (N->cg == NULL) return STI_ERR_MEMORY;
    return sti_incomplete_init(&N->part, N->env, N->n, N->ldl.col_start, N->ldl.row, entries);
}

static sti_status find_pattern(sti_l1_normal* N, double memory) {
    int64_t* start = sti_alloc_array(N->env, (size_t)N->n + 1, sizeof *start);
    if (start == NULL) return STI_ERR_MEMORY;
    start[0] = 0;
    for (int j = 0; j < N->n; j++) N->place[j] = -1;
    for (int j = 0; j < N->n; j++) start[j + 1] = start[j] + neighbours(N, j, NULL);
    int* row = sti_alloc_array(N->env, (size_t)start[N->n], sizeof *row);
    sti_status status = STI_OK;
    if (row == NULL) {
        status = STI_ERR_MEMORY;
    } else {
        for (int j = 0; j < N->n; j++) N->place[j] = -1;
        for (int j = 0; j < N->n; j++) neighbours(N, j, row + start[j]);
        const size_t most = memory > 0 && memory < (double)PTRDIFF_MAX ? (size_t)memory : SIZE_MAX;
        status = sti_ldl_init_within(&N->ldl, N->env, N->n, start, row, most);
    }
    sti_free(N->env, row);
    sti_free(N->env, start);
    if (status == STI_OK && N->ldl.withheld) status = init_part(N, memory);
    return status;
}

sti_status sti_l1_normal_init(sti_l1_normal* N, sti_env* env, const sti_matrix* A, double memory) {
    *N = (sti_l1_normal){.env = env, .m = A->rows, .n = A->cols, .A = A, .deadline = (double)INFINITY};
    N->place = sti_alloc_array(env, (size_t)N->n, sizeof *N->place);
    N->t = sti_alloc_array(env, (size_t)N->m, sizeof *N->t);
    N->r = sti_alloc_array(env, (size_t)N->n, sizeof *N->r);
    N->z = sti_alloc_array(env, (size_t)N->n, sizeof *N->z);
    sti_status status = STI_OK;
    if (N->place == NULL || N->t == NULL || N->r == NULL || N->z == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) status = by_rows(N);
    if (status == STI_OK) status = find_pattern(N, memory);
    if (status != STI_OK) sti_l1_normal_clear(N);
    return status;
}

void sti_l1_normal_clear(sti_l1_normal* N) {
    if (N->env == NULL) return;
    sti_ldl_clear(&N->ldl);
    sti_incomplete_clear(&N->part);
    void* owned[] = {N->row_start, N->col, N->value, N->place, N->t, N->r, N->z, N->cg};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) sti_free(N->env, owned[k]);
    *N = (sti_l1_normal){0};
}

// Column by column; the first entry of each in the pattern is its diagonal.
static void fill_values(sti_l1_normal* N, double shift) {
    const sti_matrix* A = N->A;
    sti_ldl* f = &N->ldl;
    for (int j = 0; j < N->n; j++) {
        const int begin = f->col_start[j], end = f->col_start[j + 1];
        for (int k = begin; k < end; k++) {
            N->place[f->row[k]] = k;
            f->value[k] = 0;
        }
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) {
            const int i = A->row[k];
            const double t = A->value[k] * N->weight[i];
            for (int64_t e = N->row_start[i]; e < N->row_start[i + 1]; e++)
                f->value[N->place[N->col[e]]] += t * N->value[e];
        }
        f->value[begin] = f->value[begin] > 0 ? f->value[begin] * (1 + shift) : 1;  // a column of zeros: x_j stays
    }
}

bool sti_l1_normal_factor(sti_l1_normal* N, const double* weight) {
    N->weight = weight;
    N->ldl.deadline = N->part.deadline = N->deadline;
    if (N->ldl.withheld) {
        fill_values(N, SHIFT);
        const sti_incomplete_end end = sti_incomplete_factor(&N->part, N->ldl.col_start, N->ldl.row, N->ldl.value);
        N->late = end == STI_INCOMPLETE_LATE;
        return end == STI_INCOMPLETE_DONE;
    }
    for (double shift = SHIFT; shift <= LARGEST_SHIFT; shift *= 100) {
        fill_values(N, shift);
        const int bad = sti_ldl_factor(&N->ldl);
        N->late = bad == STI_LDL_LATE;
        if (N->late) return false;
        if (bad < 0 && sti_ldl_nonpositive_count(&N->ldl) == 0) return true;
    }
    return false;
}

void sti_l1_multiply(const sti_l1_normal* N, const double* x, double* y) {
    for (int i = 0; i < N->m; i++) {
        double sum = 0;
        for (int64_t e = N->row_start[i]; e < N->row_start[i + 1]; e++) sum += N->value[e] * x[N->col[e]];
        y[i] = sum;
    }
}

void sti_l1_multiply_transposed(const sti_l1_normal* N, const double* y, double* x) {
    memset(x, 0, (size_t)N->n * sizeof *x);
    sti_matrix_multiply_transposed_add(N->A, y, x);
}

// q = A'(weight A p)
static void multiply_normal(sti_l1_normal* N, const double* p, double* q) {
    sti_l1_multiply(N, p, N->t);
    for (int i = 0; i < N->m; i++) N->t[i] *= N->weight[i];
    sti_l1_multiply_transposed(N, N->t, q);
}

// r = b - A'(weight A x); its largest entry.
static double residual(sti_l1_normal* N, const double* b, const double* x, double* r) {
    multiply_normal(N, x, r);
    double largest = 0;
    for (int j = 0; j < N->n; j++) {
        r[j] = b[j] - r[j];
        largest = fmax(largest, fabs(r[j]));
    }
    return largest;
}

static void solve_by_gradients(sti_l1_normal* N, const double* b, double* x) {
    const int n = N->n;
    double *r = N->cg, *p = r + n, *q = p + n, *z = N->z;
    memset(x, 0, (size_t)n * sizeof *x);
    memcpy(r, b, (size_t)n * sizeof *r);
    sti_incomplete_solve(&N->part, r, z);
    memcpy(p, z, (size_t)n * sizeof *p);
    double product = sti_vector_dot((size_t)n, r, z);
    const double end = CG_SETTLED * CG_SETTLED * product;
    for (int k = 0; k < MOST_CG && product > end && !N->late; k++, N->cg_count++) {
        multiply_normal(N, p, q);
        const double curvature = sti_vector_dot((size_t)n, p, q), step = product / curvature;
        if (!(curvature > 0) || !isfinite(step)) return;
        for (int j = 0; j < n; j++) {
            x[j] += step * p[j];
            r[j] -= step * q[j];
        }
        sti_incomplete_solve(&N->part, r, z);
        const double next = sti_vector_dot((size_t)n, r, z), turn = next / product;
        for (int j = 0; j < n; j++) p[j] = z[j] + turn * p[j];
        product = next;
        N->late = isfinite(N->deadline) && sti_now(N->env) > N->deadline;
    }
}

void sti_l1_normal_solve(sti_l1_normal* N, const double* b, double* x) {
    if (N->ldl.withheld) {
        solve_by_gradients(N, b, x);
        return;
    }
    const size_t bytes = (size_t)N->n * sizeof *x;
    double norm = 0;
    for (int j = 0; j < N->n; j++) norm = fmax(norm, fabs(b[j]));
    memcpy(x, b, bytes);
    sti_ldl_solve(&N->ldl, x);
    double before = INFINITY;
    for (int k = 0; k < REFINEMENTS; k++) {
        const double now = residual(N, b, x, N->r);
        if (!(now < 0.5 * before)) {  // the last correction was none
            for (int j = 0; k > 0 && now > before && j < N->n; j++) x[j] -= N->z[j];
            return;
        }
        if (now <= SETTLED * norm) return;
        before = now;
        memcpy(N->z, N->r, bytes);
        sti_ldl_solve(&N->ldl, N->z);
        for (int j = 0; j < N->n; j++) x[j] += N->z[j];
    }
}

bool sti_l1_is_rounding(const sti_matrix* A, const double* b, const double* x, const double* r, double* room) {
    double sum = 0, terms = 0, largest = 0;
    for (int j = 0; j < A->cols; j++) largest = fmax(largest, fabs(x[j]));
    for (int i = 0; i < A->rows; i++) {
        sum += fabs(r[i]);
        terms += fabs(b[i]);
        room[i] = fabs(b[i]);
    }
    for (int j = 0; j < A->cols; j++) {
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) {
            terms += fabs(A->value[k] * x[j]);
            room[A->row[k]] += fabs(A->value[k]) * largest;
        }
    }
    bool met = isfinite(terms) && sum <= ROUNDING * terms;
    for (int i = 0; i < A->rows && met; i++) met = fabs(r[i]) <= ROW * room[i];
    return met;
}
