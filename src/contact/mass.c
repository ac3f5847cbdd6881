// mass.c: factors of the pieces of a mass matrix.
//
// A body has six velocities at most: L U with exchange of rows, unrolled by hand (tiny.c). A finite-element mesh has
// thousands that are coupled to a few neighbours each. Where M is symmetric there, it is factored as it is, sparse:
//
//     M = L D L',        fill-reducing order, fronts for large ones (ldl.h)
//
// and the rows that contacts touch come last in that order where that pays. Then X on those rows needs no more than the
// last columns of L: the factor of what M is to the contacts once all other velocities are eliminated. Asking for all
// of X would cost a solve with the whole of L for every column of H, more than the factorization.
//
// A piece that is not symmetric, not definite, or nearly full becomes a dense matrix with L U.
//
// Condition. Of L U that of LAPACK. Of L D L' the norm of the inverse is estimated by products with it (Hager 1984;
// Higham 1988): a lower bound, mostly exact.
#include "contact/mass.h"

#include <math.h>
#include <string.h>

enum {
    MAX_DENSE = 6000,
    SPARSE = 48,    // velocities from which on a sparse factor is tried
    FULL = 3,       // of size x size entries one in so many: a dense factor costs less
    ESTIMATES = 5,  // products for a condition
};
static const double SYMMETRIC = 1e-13;  // |m_ij - m_ji| over the root of m_ii m_jj

// The row of a velocity in the piece, -1: it is in another one, which only an entry of value 0 may join
static int row_in(const sti_mass_large* k, const sti_mass_piece* piece, int velocity) {
    const int row = k->place_in[velocity];
    return row < piece->size && piece->index[row] == velocity ? row : -1;
}

static double unit_of(const sti_mass_piece* piece, const double* scale, int row) {
    return piece->scaled ? scale[piece->index[row]] : 1;
}

// ---- the pattern

// The pattern of the piece by columns, rows ascending: col_start (size + 1), row. Its entries.
static int64_t list_entries(const sti_mass_large* k, const sti_mass_piece* piece, int64_t* col_start, int* row) {
    int64_t count = 0;
    for (int j = 0; j < piece->size; j++) {
        const int64_t* start = k->M->col_start + piece->index[j];
        col_start[j] = count;
        for (int64_t e = start[0]; e < start[1]; e++) {
            const int i = row_in(k, piece, k->M->row[e]);
            if (i < 0) continue;
            if (row != NULL) row[count] = i;
            count++;
        }
    }
    col_start[piece->size] = count;
    return count;
}

static double* diagonal_of(const sti_mass_large* k, const sti_mass_piece* piece) {
    for (int j = 0; j < piece->size; j++) k->room[j] = sti_matrix_get(k->M, piece->index[j], piece->index[j]);
    return k->room;
}

// Every entry below the diagonal meets its mirror: columns are gone through in order, and with each the rows of the
// columns before it, where `next` points at what has not been met yet (size).
static bool is_symmetric(const sti_mass_large* k, const sti_mass_piece* piece, const double* diagonal, int64_t* next) {
    const sti_matrix* M = k->M;
    for (int j = 0; j < piece->size; j++) {
        if (!(diagonal[j] > 0)) return false;
        next[j] = M->col_start[piece->index[j]];
    }
    for (int j = 0; j < piece->size; j++) {
        const int64_t end = M->col_start[piece->index[j] + 1];
        for (int64_t e = next[j]; e < end; e++) {
            const int i = row_in(k, piece, k->M->row[e]);
            if (i < 0 || i == j) continue;
            if (i < j) return false;  // nothing met it
            const int64_t last = M->col_start[piece->index[i] + 1];
            while (next[i] < last && row_in(k, piece, M->row[next[i]]) < 0) next[i]++;
            if (next[i] == last || row_in(k, piece, M->row[next[i]]) != j) return false;
            const double apart = fabs(M->value[e] - M->value[next[i]++]);
            if (!(apart <= SYMMETRIC * sqrt(diagonal[i] * diagonal[j]))) return false;
        }
    }
    return true;
}

// All but the sparse factor
static void clear_rooms(sti_mass_large* k) {
    sti_dense_factor_clear(&k->dense);
    sti_arena_clear(&k->memory);
}

void sti_mass_large_destroy(sti_mass_large* k) {
    if (k == NULL) return;
    sti_ldl_clear(&k->ldl);
    clear_rooms(k);
    sti_free(k->env, k);
}

// ---- patterns that are kept

struct sti_contact_memory {
    sti_env* env;
    sti_mass_large *first, *last;  // with nothing but their sparse factors
};

sti_status sti_contact_memory_create(sti_env* env, sti_contact_memory** out) {
    *out = sti_alloc_array_zero(env, 1, sizeof **out);
    if (*out == NULL) return STI_ERR_MEMORY;
    (*out)->env = env;
    return STI_OK;
}

void sti_contact_memory_destroy(sti_contact_memory* memory) {
    if (memory == NULL) return;
    sti_contact_memory_forget(memory);
    sti_free(memory->env, memory);
}

bool sti_contact_memory_is_of(const sti_contact_memory* memory, const sti_env* env) {
    return memory->env == env;
}

void sti_contact_memory_forget(sti_contact_memory* memory) {
    while (memory != NULL && memory->first != NULL) {
        sti_mass_large* next = memory->first->next;
        sti_mass_large_destroy(memory->first);
        memory->first = next;
    }
    if (memory != NULL) memory->last = NULL;
}

void sti_contact_memory_keep(sti_contact_memory* memory, sti_mass_large* k) {
    if (memory == NULL || k == NULL || k->ldl.n == 0) {
        sti_mass_large_destroy(k);
        return;
    }
    clear_rooms(k);
    k->next = NULL;
    *(memory->first == NULL ? &memory->first : &memory->last->next) = k;
    memory->last = k;
}

// The factor of the same piece of a problem before; or a new one, in the order of an alike one
static sti_status find_factor(sti_mass_large* k, int size, const int64_t* col_start, const int* row, int columns,
                              sti_contact_memory* memory) {
    const sti_ldl* alike = NULL;
    sti_mass_large* before = NULL;
    for (sti_mass_large* m = memory != NULL ? memory->first : NULL; m != NULL; before = m, m = m->next) {
        if (!sti_ldl_is_same(&m->ldl, size, col_start, row, k->touched_count, k->touched, columns)) continue;
        k->ldl = m->ldl;
        m->ldl = (sti_ldl){0};
        *(before == NULL ? &memory->first : &before->next) = m->next;
        if (memory->last == m) memory->last = before;
        sti_mass_large_destroy(m);
        return STI_OK;
    }
    for (sti_mass_large* m = memory != NULL ? memory->first : NULL; m != NULL && alike == NULL; m = m->next) {
        if (sti_ldl_is_alike(&m->ldl, size, col_start, row, k->touched_count)) alike = &m->ldl;
    }
    return sti_ldl_init_few(&k->ldl, k->env, size, col_start, row, k->touched_count, k->touched, columns, alike);
}

// L D L' where the piece is symmetric and sparse; otherwise ldl.n stays 0.
static sti_status try_sparse(sti_mass_large* k, const sti_mass_piece* piece, int columns, sti_contact_memory* memory) {
    sti_env* env = k->env;
    const size_t size = (size_t)piece->size;
    if (piece->size < SPARSE) return STI_OK;
    int64_t* col_start = sti_alloc_array(env, 2 * size + 1, sizeof *col_start);
    if (col_start == NULL) return STI_ERR_MEMORY;
    const int64_t count = list_entries(k, piece, col_start, NULL);
    sti_status status = STI_OK;
    if ((double)count * FULL <= (double)size * (double)size &&
        is_symmetric(k, piece, diagonal_of(k, piece), col_start + size + 1)) {
        int* row = sti_alloc_array(env, (size_t)count, sizeof *row);
        if (row == NULL) {
            status = STI_ERR_MEMORY;
        } else {
            list_entries(k, piece, col_start, row);
            status = find_factor(k, piece->size, col_start, row, columns, memory);
        }
        sti_free(env, row);
    }
    sti_free(env, col_start);
    return status;
}

static sti_status become_dense(sti_mass_large* k, int size) {
    sti_ldl_clear(&k->ldl);
    if (size > MAX_DENSE)
        return STI_FAIL(
            k->env, STI_ERR_SIZE, -1,
            "M couples %d velocities; at most %d are factored together where M is not sparse, symmetric and "
            "definite",
            size, MAX_DENSE);
    return sti_dense_factor_init(&k->dense, k->env, size);
}

static sti_status reserve(sti_mass_large* k, const sti_mass_piece* piece, const unsigned char* touched, int columns) {
    const size_t size = (size_t)piece->size;
    k->memory = sti_arena_make(k->env);
    k->line = sti_arena_raw(&k->memory, size, sizeof *k->line);
    k->touched = sti_arena_raw(&k->memory, size, sizeof *k->touched);
    if (k->memory.status != STI_OK) return k->memory.status;
    for (int i = 0; i < piece->size; i++) {
        k->line[i] = touched[piece->index[i]] ? k->touched_count : -1;
        if (k->line[i] >= 0) k->touched[k->touched_count++] = i;
    }
    const size_t count = (size_t)k->touched_count;
    k->room = sti_arena_raw(&k->memory, 3 * size + STI_LDL_TOGETHER * count, sizeof *k->room);
    k->X = sti_arena_raw(&k->memory, count * (size_t)columns, sizeof *k->X);
    return k->memory.status;
}

sti_status sti_mass_large_create(sti_env* env, const sti_matrix* M, const sti_mass_piece* piece, const int* place_in,
                                 const unsigned char* touched, int columns, sti_contact_memory* memory,
                                 sti_mass_large** out) {
    sti_mass_large* k = *out = sti_alloc_array_zero(env, 1, sizeof *k);
    if (k == NULL) return STI_ERR_MEMORY;
    k->env = env;
    k->M = M;
    k->place_in = place_in;
    k->columns = columns;
    sti_status status = reserve(k, piece, touched, columns);
    if (status == STI_OK) status = try_sparse(k, piece, columns, memory);
    if (status == STI_OK && k->ldl.n == 0) status = become_dense(k, piece->size);
    if (status == STI_OK) return STI_OK;
    sti_mass_large_destroy(k);
    *out = NULL;
    return status;
}

// ---- numbers

// A dense piece, row major
static void load_dense(const sti_mass_piece* piece, const sti_matrix* M, const int* place_in, const double* scale,
                       double* A) {
    const size_t size = (size_t)piece->size;
    memset(A, 0, size * size * sizeof *A);
    for (size_t j = 0; j < size; j++) {
        const int col = piece->index[j];
        for (int64_t k = M->col_start[col]; k < M->col_start[col + 1]; k++) {
            if (M->value[k] != 0) A[(size_t)place_in[M->row[k]] * size + j] += M->value[k];
        }
    }
    for (size_t i = 0; i < size; i++) A[i * size + i] += piece->delta;
    for (size_t i = 0; piece->scaled && i < size; i++) {
        for (size_t j = 0; j < size; j++) A[i * size + j] *= scale[piece->index[i]] * scale[piece->index[j]];
    }
}

// The largest absolute row sum
static double load_sparse(sti_mass_large* k, const sti_mass_piece* piece, const double* scale) {
    double *value = k->ldl.value, *sum = k->room, norm = 0;
    for (int i = 0; i < piece->size; i++) sum[i] = 0;
    for (int j = 0; j < piece->size; j++) {
        const int64_t* start = k->M->col_start + piece->index[j];
        for (int64_t e = start[0]; e < start[1]; e++) {
            const int i = row_in(k, piece, k->M->row[e]);
            if (i < 0) continue;
            double x = k->M->value[e] + (i == j ? piece->delta : 0);
            if (piece->scaled) x *= scale[piece->index[i]] * scale[piece->index[j]];
            *value++ = x;
            sum[i] += fabs(x);
        }
    }
    for (int i = 0; i < piece->size; i++) {
        if (!(sum[i] <= norm)) norm = sum[i];
    }
    return norm;
}

// 1 / (|A| |A^-1|), estimated
static double rcond_of(sti_mass_large* k, double norm) {
    const int n = k->ldl.n;
    double *x = k->room, *y = x + n, *signs = y + n, most = 0;
    for (int i = 0; i < n; i++) x[i] = 1.0 / n;
    for (int step = 0; step < ESTIMATES; step++) {
        double size = 0, along = 0;
        int top = 0;
        memcpy(y, x, (size_t)n * sizeof *y);
        sti_ldl_solve(&k->ldl, y);
        for (int i = 0; i < n; i++) {
            size += fabs(y[i]);
            signs[i] = y[i] < 0 ? -1 : 1;
        }
        if (!(size > most)) break;
        most = size;
        sti_ldl_solve(&k->ldl, signs);
        for (int i = 0; i < n; i++) {
            along += signs[i] * x[i];
            if (fabs(signs[i]) > fabs(signs[top])) top = i;
        }
        if (fabs(signs[top]) <= along) break;
        for (int i = 0; i < n; i++) x[i] = i == top;
    }
    const double condition = norm * most;
    return condition > 0 && isfinite(condition) ? 1 / condition : 0;
}

// The largest absolute row sum of a small piece, before it is factored; a NaN stays
static double row_sum_norm(const sti_mass_piece* piece) {
    double norm = 0;
    for (int i = 0; i < piece->size; i++) {
        double sum = 0;
        for (int j = 0; j < piece->size; j++) sum += fabs(piece->lu[i * piece->size + j]);
        if (!(sum <= norm)) norm = sum;
    }
    return norm;
}

static bool factor_small(sti_mass_piece* piece, double* rcond) {
    const double norm = row_sum_norm(piece);
    const bool regular = sti_tiny_lu(piece->size, piece->lu, piece->pivot);
    *rcond = regular ? sti_tiny_lu_rcond(piece->size, piece->lu, piece->pivot, norm) : 0;
    return regular || isfinite(norm);
}

static bool factor_sparse(sti_mass_piece* piece, const double* scale, double* rcond, bool* finite) {
    sti_mass_large* k = piece->large;
    const double norm = load_sparse(k, piece, scale);
    *finite = isfinite(norm);
    *rcond = 0;
    if (*finite && (sti_ldl_factor(&k->ldl) >= 0 || sti_ldl_nonpositive_count(&k->ldl) > 0)) return false;
    if (*finite) *rcond = rcond_of(k, norm);
    return true;
}

sti_status sti_mass_factor(sti_mass_piece* piece, const sti_matrix* M, const int* place_in, const double* scale,
                           double* rcond, bool* finite) {
    sti_mass_large* k = piece->large;
    if (k == NULL) {
        load_dense(piece, M, place_in, scale, piece->lu);
        *finite = factor_small(piece, rcond);
        return STI_OK;
    }
    if (k->ldl.n > 0) {
        if (factor_sparse(piece, scale, rcond, finite)) return STI_OK;
        if (piece->size > MAX_DENSE && piece->delta == 0)
            return STI_OK;  // perhaps it is semidefinite: the caller adds delta
        const sti_status status = become_dense(k, piece->size);
        if (status != STI_OK) return status;
    }
    load_dense(piece, M, place_in, scale, sti_dense_factor_load(&k->dense, piece->size));
    const bool regular = sti_dense_factor_lu(&k->dense);
    *rcond = regular ? sti_dense_factor_rcond(&k->dense) : 0;
    *finite = regular || isfinite(k->dense.norm);
    return STI_OK;
}

// ---- solution

void sti_mass_solve(const sti_mass_piece* piece, const double* scale, double* x) {
    if (piece->size == 1) {
        x[0] /= piece->lu[0];
        return;
    }
    for (int i = 0; piece->scaled && i < piece->size; i++) x[i] *= scale[piece->index[i]];
    if (piece->large == NULL)
        sti_tiny_lu_solve(piece->size, piece->lu, piece->pivot, x);
    else if (piece->large->ldl.n > 0)
        sti_ldl_solve(&piece->large->ldl, x);
    else
        sti_dense_factor_solve(&piece->large->dense, x);
    for (int i = 0; piece->scaled && i < piece->size; i++) x[i] *= scale[piece->index[i]];
}

// On the rows that contacts touch; x (touched_count x columns), zero elsewhere
static void solve_touched(sti_mass_large* k, int size, int columns, double* x) {
    if (k->ldl.n > 0) {
        sti_ldl_solve_few(&k->ldl, columns, x);
        return;
    }
    double* all = k->room;
    for (int c = 0; c < columns; c++, x += k->touched_count) {
        memset(all, 0, (size_t)size * sizeof *all);
        for (int t = 0; t < k->touched_count; t++) all[k->touched[t]] = x[t];
        sti_dense_factor_solve(&k->dense, all);
        for (int t = 0; t < k->touched_count; t++) x[t] = all[k->touched[t]];
    }
}

void sti_mass_solve_contacts(const sti_mass_piece* piece, const double* scale, const sti_matrix* H, int d) {
    sti_mass_large* k = piece->large;
    const int touched = k->touched_count;
    for (int first = 0; first < k->columns; first += STI_LDL_TOGETHER) {
        const int columns = k->columns - first < STI_LDL_TOGETHER ? k->columns - first : STI_LDL_TOGETHER;
        double* x = k->room + 3 * (size_t)piece->size;
        memset(x, 0, (size_t)touched * (size_t)columns * sizeof *x);
        for (int c = 0; c < columns; c++) {
            const int j = d * piece->contact[(first + c) / d] + (first + c) % d;
            for (int64_t e = H->col_start[j]; e < H->col_start[j + 1]; e++) {
                const int row = row_in(k, piece, H->row[e]);
                if (row >= 0)
                    x[(size_t)c * (size_t)touched + (size_t)k->line[row]] += H->value[e] * unit_of(piece, scale, row);
            }
        }
        solve_touched(k, piece->size, columns, x);
        for (int t = 0; t < touched; t++) {
            double* line = k->X + (size_t)t * (size_t)k->columns + (size_t)first;
            const double unit = unit_of(piece, scale, k->touched[t]);
            for (int c = 0; c < columns; c++) line[c] = unit * x[(size_t)c * (size_t)touched + (size_t)t];
        }
    }
}

const double* sti_mass_line(const sti_mass_piece* piece, int velocity) {
    const sti_mass_large* k = piece->large;
    const int row = row_in(k, piece, velocity);
    return row < 0 ? NULL : k->X + (size_t)k->line[row] * (size_t)k->columns;
}
