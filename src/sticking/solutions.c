// solutions.c: all solutions of the contact problem (43), or of (73) where contacts slide, at their extreme
// points:
//
//     M a + F = X lambda_x + B lambda_u,   X'a + c_x = 0,   0 <= lambda_u _|_ U'a + c_u >= 0,   B = U - H mu v_t/|v_t|
//
// as a mixed LCP with free a and lambda_x, enumerated in integers. B differs from U at contacts that slide. The numbers
// are those of the instant without rounding, but for the slip direction of a contact in space, which is a double.
#include <string.h>

#include "sticking/blocks.h"

enum { PAIRS_MOST = 12, SIZE_MOST = 40, PIECES_MOST = 4096 };

// Rows of the program are those of the LCP's matrix and vector, constants first.
static void add_dynamics(const sti_sticking_blocks* b, sti_cone_program* g, const int* pair) {
    const sti_posed* s = b->s;
    const sti_instant_exact* exact = s->instant->exact;
    const int f = b->n + b->x;
    for (int j = 0; j < b->n; j++) {
        const int row = sti_program_add(g, STI_ROW_ZERO, -1);
        sti_program_put_data(g, row, 0, s->instant->F[j], exact ? exact->F : NULL, (size_t)j, 1);
        sti_posed_mass_row(s, g, row, j);
        for (int k = 0; k < b->x; k++) sti_posed_put_direction(s, g, row, 1 + b->n + k, b->x_multiplier[k], j, -1);
        for (int k = 0; k < b->u; k++) sti_posed_put_pushed(s, g, row, 1 + f + k, pair[k], j);
    }
}

static void add_accelerations(const sti_sticking_blocks* b, sti_cone_program* g, const int* pair) {
    const sti_posed* s = b->s;
    for (int k = 0; k < b->x + b->u; k++) {
        const int row = sti_program_add(g, STI_ROW_ZERO, -1);
        const int multiplier = k < b->x ? b->x_multiplier[k] : s->first[pair[k - b->x]];
        sti_posed_put_rate(s, g, row, 0, multiplier, 1);
        for (int j = 0; j < b->n; j++) sti_posed_put_direction(s, g, row, 1 + j, multiplier, j, 1);
    }
}

// The program's table as the blocks of an MLCP, in doubles; exact: the same in one matrix and one vector.
static sti_status enumerate(const sti_sticking_blocks* b, const sti_cone_program* g, sti_rationals* matrix,
                            sti_rationals* vector, sti_lcp_solution_set** out) {
    const int f = b->n + b->x, u = b->u, size = f + u;
    double* block[4];
    double* constant = sti_arena_doubles(b->pool, (size_t)size);
    for (int h = 0; h < 4; h++)
        block[h] = sti_arena_doubles(b->pool, (size_t)(h < 2 ? f : u) * (size_t)(h % 2 == 0 ? f : u));
    if (b->pool->status != STI_OK) return b->pool->status;
    sti_status status = STI_OK;
    for (int i = 0; i < size; i++) {
        const size_t from = (size_t)i * (size_t)(size + 1);
        constant[i] = g->row[from];
        status = status == STI_OK ? sti_rationals_copy(vector, (size_t)i, g->exact, from) : status;
        for (int j = 0; j < size; j++) {
            const int h = 2 * (i >= f) + (j >= f), cols = j >= f ? u : f;
            block[h][(size_t)(i >= f ? i - f : i) * (size_t)cols + (size_t)(j >= f ? j - f : j)] =
                g->row[from + 1 + (size_t)j];
            if (status == STI_OK)
                status =
                    sti_rationals_copy(matrix, (size_t)i * (size_t)size + (size_t)j, g->exact, from + 1 + (size_t)j);
        }
    }
    const sti_mlcp mlcp = {.n = f,
                           .m = u,
                           .A = sti_matrix_dense_view(f, f, block[0]),
                           .C = sti_matrix_dense_view(f, u, block[1]),
                           .D = sti_matrix_dense_view(u, f, block[2]),
                           .B = sti_matrix_dense_view(u, u, block[3]),
                           .a = constant,
                           .b = constant + f,
                           .matrix_exact = matrix,
                           .vector_exact = vector};
    return status == STI_OK ? sti_mlcp_enumerate(b->s->env, &mlcp, PIECES_MOST, 0, out) : status;
}

sti_status sti_blocks_solutions(const sti_sticking_blocks* b, const int* pair, sti_lcp_solution_set** out) {
    const int size = b->n + b->x + b->u;
    *out = NULL;
    if (b->u > PAIRS_MOST || size > SIZE_MOST) return STI_OK;
    sti_cone_program g = {0};
    sti_rationals *matrix = NULL, *vector = NULL;
    sti_status status = sti_program_open(&g, b->pool, size, size, true);
    if (status == STI_OK) status = sti_rationals_create(b->s->env, (size_t)size * (size_t)size, &matrix);
    if (status == STI_OK) status = sti_rationals_create(b->s->env, (size_t)size, &vector);
    if (status == STI_OK) {
        add_dynamics(b, &g, pair);
        add_accelerations(b, &g, pair);
        status = b->pool->status;
    }
    if (status == STI_OK) status = enumerate(b, &g, matrix, vector, out);
    sti_rationals_destroy(matrix);
    sti_rationals_destroy(vector);
    sti_program_close(&g);
    return status;
}
