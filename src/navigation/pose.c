// pose.c: the contact problem of the last step as it stands, all vehicles at once: a sparse mixed problem in the
// velocities at its end, u = v+, and the impulses z = c of the contacts that were looked at,
//
//     0 = (M - h k_v) v+ - N'c - (M - h k_v) v_free,      0 <= h N v+ + gap  _|_  c >= 0.
//
// islands.c has v+ eliminated, vehicle by vehicle, and solves what touches a common contact together.
#include "base/arena.h"
#include "linalg/matrix.h"
#include "navigation/navigation.h"

// The side of contact c that its k-th entry belongs to: both coordinates of a vehicle, the one with the lower number
// first; -1: it has fewer.
static int side_of(const sti_cage_contact* c, int k, double* sign) {
    const int first = c->other >= 0 && c->other < c->vehicle ? c->other : c->vehicle;
    const int second = c->other < 0 ? -1 : first == c->vehicle ? c->other : c->vehicle;
    const int i = k == 0 ? first : second;
    *sign = i == c->vehicle ? 1 : -1;
    return i;
}

static void put(sti_matrix* A, int row, double value) {
    int64_t* end = &A->col_start[A->cols];  // of the column that is being written
    A->row[*end] = row;
    A->value[(*end)++] = value;
}

static sti_matrix make(sti_arena* memory, int rows, int cols, size_t entries) {
    sti_matrix A = {.rows = rows, .cols = cols};
    A.col_start = sti_arena_take(memory, (size_t)cols + 1, sizeof *A.col_start);
    A.row = sti_arena_ints(memory, entries);
    A.value = sti_arena_doubles(memory, entries);
    return A;
}

// M - h k_v, column by column.
static void put_inertia(const sti_navigation* nav, sti_matrix* A) {
    for (int j = 0; j < A->cols; j++) {
        A->col_start[j] = A->col_start[A->cols];
        const double* B = nav->B + 4 * (size_t)(j / 2);
        for (int k = 0; k < 2; k++) put(A, j - j % 2 + k, B[2 * k + j % 2]);
    }
}

static void put_impulses(const sti_navigation* nav, sti_matrix* C) {
    for (int j = 0; j < C->cols; j++) {
        const sti_cage_contact* c = &nav->contacts[j];
        C->col_start[j] = C->col_start[C->cols];
        for (int k = 0; k < 2; k++) {
            double sign;
            const int i = side_of(c, k, &sign);
            for (int a = 0; i >= 0 && a < 2; a++) put(C, 2 * i + a, -sign * c->n[a]);
        }
    }
}

static sti_status pose(const sti_navigation* nav, sti_arena* memory, sti_mlcp* out) {
    const int n = 2 * nav->count, m = nav->contact_count;
    const size_t most = 4 * (size_t)m;
    double *a = sti_arena_doubles(memory, (size_t)n), *b = sti_arena_doubles(memory, (size_t)m);
    *out = (sti_mlcp){.n = n, .m = m, .a = a, .b = b};
    out->A = make(memory, n, n, 2 * (size_t)n);
    out->C = make(memory, n, m, most);
    out->D = make(memory, m, n, most);
    out->B = make(memory, m, m, 0);
    if (memory->status != STI_OK) return memory->status;
    put_inertia(nav, &out->A);
    put_impulses(nav, &out->C);
    sti_matrix_by_rows(&out->C, out->D.col_start, out->D.row, out->D.value);  // h N = -h C'
    for (int64_t e = 0; e < out->D.col_start[n]; e++) out->D.value[e] *= -nav->h;
    for (int i = 0; i < n; i++) {
        const double *B = nav->B + 4 * (size_t)(i / 2) + 2 * (i % 2), *v = nav->free_v + 2 * (i / 2);
        a[i] = -(B[0] * v[0] + B[1] * v[1]);
    }
    for (int k = 0; k < m; k++) b[k] = sti_navigation_room(nav, &nav->contacts[k]);
    return STI_OK;
}

sti_status sti_navigation_pose(sti_env* env, const sti_navigation* nav, sti_navigation_problem* out) {
    *out = (sti_navigation_problem){0};
    sti_arena* memory = sti_alloc(env, sizeof *memory);
    if (memory == NULL) return STI_ERR_MEMORY;
    *memory = sti_arena_make(env);
    out->memory = memory;
    const sti_status status = pose(nav, memory, &out->mlcp);
    if (status != STI_OK) sti_navigation_problem_clear(env, out);
    return status;
}

void sti_navigation_problem_clear(sti_env* env, sti_navigation_problem* problem) {
    if (problem->memory != NULL) sti_arena_clear(problem->memory);
    sti_free(env, problem->memory);
    *problem = (sti_navigation_problem){0};
}
