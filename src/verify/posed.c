// posed.c: the posed problem as the checker sees it: one square matrix and one vector, read by rows and columns,
// as doubles or as integers under a positive scale (signs of sums do not depend on the scale).
#include <math.h>
#include <string.h>

#include "verify/check.h"
#include "verify/data.h"

static sti_status open_checked(sti_check* k) {
    static const char* const names[2][2] = {{"A", "C"}, {"D", "B"}};
    sti_env* env = k->env;
    const int size[2] = {k->n, k->m};
    if (k->n < 0 || k->m < 0) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "sizes %d, %d are negative", k->n, k->m);
    const size_t N = (size_t)k->n + (size_t)k->m;
    if (N > INT32_MAX / 2) return STI_FAIL(env, STI_ERR_SIZE, -1, "%zu variables are too many", N);
    sti_status status = STI_OK;
    for (int r = 0; r < 2; r++) {
        for (int c = 0; c < 2 && status == STI_OK; c++)
            status = sti_check_data_matrix(env, k->n == 0 ? "M" : names[r][c], &k->block[r][c], size[r], size[c], true);
        if (status == STI_OK)
            status = sti_check_data_vector(env, r == 0 ? "a" : k->n == 0 ? "q" : "b", k->vector[r], size[r]);
    }
    if (status != STI_OK) return status;
    if (k->matrix_exact != NULL && sti_rationals_count(k->matrix_exact) != N * N)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the exact matrix does not have %zu x %zu entries", N, N);
    if (k->vector_exact != NULL && sti_rationals_count(k->vector_exact) != N)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the exact vector does not have %zu entries", N);

    k->line = sti_alloc_array_zero(env, N + 1, sizeof *k->line);
    k->image = sti_int_array(&k->x, N + 1);
    if (k->line == NULL || k->image == NULL) return STI_ERR_MEMORY;
    if (k->matrix_exact == NULL && k->vector_exact == NULL) return STI_OK;
    return sti_rationals_create(env, N + 1, &k->fractions);
}

sti_status sti_check_open_lcp(sti_check* k, sti_env* env, const sti_lcp* lcp) {
    *k = (sti_check){.env = env, .m = lcp->n, .matrix_exact = lcp->M_exact, .vector_exact = lcp->q_exact};
    sti_exact_init(&k->x, env);
    k->block[1][1] = lcp->M;
    k->vector[1] = lcp->q;
    return open_checked(k);
}

sti_status sti_check_open_mlcp(sti_check* k, sti_env* env, const sti_mlcp* mlcp) {
    *k = (sti_check){.env = env,
                     .n = mlcp->n,
                     .m = mlcp->m,
                     .block = {{mlcp->A, mlcp->C}, {mlcp->D, mlcp->B}},
                     .vector = {mlcp->a, mlcp->b},
                     .matrix_exact = mlcp->matrix_exact,
                     .vector_exact = mlcp->vector_exact};
    sti_exact_init(&k->x, env);
    return open_checked(k);
}

void sti_check_close(sti_check* k) {
    sti_free(k->env, k->line);
    sti_rationals_destroy(k->fractions);
    sti_int_array_free(k->env, k->image, (size_t)k->n + (size_t)k->m + 1);
    sti_int_clear(k->env, &k->scale_num);
    sti_int_clear(k->env, &k->scale_den);
    sti_exact_clear(&k->x);
}

static void block_column(const sti_matrix* A, int rows, int j, double* out) {
    if (A->dense != NULL) {
        for (int i = 0; i < rows; i++) out[i] = A->dense[(size_t)i * (size_t)A->cols + (size_t)j];
        return;
    }
    memset(out, 0, (size_t)rows * sizeof *out);
    for (int64_t e = A->col_start[j]; e < A->col_start[j + 1]; e++) out[A->row[e]] = A->value[e];
}

// Column j < N, or the vector for j = N, as doubles into k->line.
static void load_column(const sti_check* k, int j) {
    const int n = k->n, m = k->m;
    if (j == n + m) {
        for (int i = 0; i < n; i++) k->line[i] = k->vector[0][i];
        for (int i = 0; i < m; i++) k->line[n + i] = k->vector[1][i];
        return;
    }
    const int c = j < n ? 0 : 1, local = j < n ? j : j - n;
    if (n > 0) block_column(&k->block[0][c], n, local, k->line);
    if (m > 0) block_column(&k->block[1][c], m, local, k->line + n);
}

// Entry (i, j) of one block; rows ascend in a column, so bisection finds it.
static double block_entry(const sti_matrix* A, int i, int j) {
    if (A->dense != NULL) return A->dense[(size_t)i * (size_t)A->cols + (size_t)j];
    int64_t low = A->col_start[j], high = A->col_start[j + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (A->row[middle] == i) return A->value[middle];
        if (A->row[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

static double entry(const sti_check* k, int i, int j) {
    const int n = k->n, r = i < n ? 0 : 1, c = j < n ? 0 : 1;
    return block_entry(&k->block[r][c], r == 0 ? i : i - n, c == 0 ? j : j - n);
}

// Line entry `at` as a fraction: entry `index` of the exact array where there is one, else the double.
static sti_status set_fraction(sti_check* k, size_t at, const sti_rationals* exact, size_t index) {
    if (exact != NULL) return sti_rationals_copy(k->fractions, at, exact, index);
    return sti_rationals_set_double(k->fractions, at, k->line[at]);
}

static sti_status integer_image(sti_check* k, size_t count, bool fractions) {
    if (fractions)
        sti_int_row_from_rationals(&k->x, k->image, k->fractions, 0, count, &k->scale_num, &k->scale_den);
    else
        sti_int_row_from_doubles(&k->x, k->image, k->line, count, 1, &k->scale_num, &k->scale_den);
    return k->x.status;
}

sti_status sti_check_column(sti_check* k, int j) {
    const size_t N = (size_t)k->n + (size_t)k->m, column = (size_t)j;
    load_column(k, j);
    const sti_rationals* exact = column == N ? k->vector_exact : k->matrix_exact;
    sti_status status = STI_OK;
    for (size_t i = 0; exact != NULL && i < N && status == STI_OK; i++)
        status = set_fraction(k, i, exact, column == N ? i : i * N + column);
    return status == STI_OK ? integer_image(k, N, exact != NULL) : status;
}

sti_status sti_check_row(sti_check* k, int i) {
    const size_t N = (size_t)k->n + (size_t)k->m, row = (size_t)i;
    for (int j = 0; j < k->n + k->m; j++) k->line[j] = entry(k, i, j);
    k->line[N] = i < k->n ? k->vector[0][i] : k->vector[1][i - k->n];
    const bool fractions = k->matrix_exact != NULL || k->vector_exact != NULL;
    sti_status status = STI_OK;
    for (size_t j = 0; fractions && j < N && status == STI_OK; j++)
        status = set_fraction(k, j, k->matrix_exact, row * N + j);
    if (fractions && status == STI_OK) status = set_fraction(k, N, k->vector_exact, row);
    return status == STI_OK ? integer_image(k, N + 1, fractions) : status;
}

sti_status sti_check_point(sti_check* k, const sti_rationals* exact, const double* u, const double* z, sti_int* out) {
    const size_t n = (size_t)k->n, N = n + (size_t)k->m;
    if (exact == NULL) {
        for (size_t i = 0; i < N; i++) k->line[i] = i < n ? u[i] : z[i - n];
        k->line[N] = 1;
        sti_int_row_from_doubles(&k->x, out, k->line, N + 1, 1, NULL, NULL);
        return k->x.status;
    }
    sti_rationals* point;
    sti_status status = sti_rationals_create(k->env, N + 1, &point);
    for (size_t i = 0; i < N && status == STI_OK; i++) status = sti_rationals_copy(point, i, exact, i);
    if (status == STI_OK) status = sti_rationals_set_double(point, N, 1);
    if (status == STI_OK) sti_int_row_from_rationals(&k->x, out, point, 0, N + 1, NULL, NULL);
    sti_rationals_destroy(point);
    return status == STI_OK ? k->x.status : status;
}

void sti_check_dot(sti_check* k, sti_int* r, const sti_int* a, const sti_int* b, int count) {
    sti_int_set_i64(&k->x, r, 0);
    for (int i = 0; i < count && k->x.status == STI_OK; i++) {
        if (a[i].size != 0 && b[i].size != 0) sti_int_addmul(&k->x, r, &a[i], &b[i]);
    }
}

double sti_check_vector_size(const sti_check* k) {
    double size = 0;
    for (int i = 0; i < k->n; i++) size = fmax(size, fabs(k->vector[0][i]));
    for (int i = 0; i < k->m; i++) size = fmax(size, fabs(k->vector[1][i]));
    return size;
}

double sti_check_solution_size(const sti_check* k) {
    const int N = k->n + k->m;
    double least = INFINITY;
    for (int j = 0; j < N; j++) {
        load_column(k, j);
        double size = 0;
        for (int i = 0; i < N; i++) size = fmax(size, fabs(k->line[i]));
        if (size > 0) least = fmin(least, size);
    }
    return sti_check_vector_size(k) / least;
}
