// sticking_unilateral.c: S0 section 3.1: the augmented contact LCP (35)-(38) and proposition 6. With bilateral contacts
// the tangents H_t,u are joined by (H_t,b, grad h_b), as S0 section 4.2 says.
//
// A_c is symmetric and semidefinite: z >= 0, A_c z >= 0, z'A_c z = 0 means A_c z = 0, and the condition of (iv) is
// z'H_c >= 0 on the cone { z >= 0, A_c z = 0 }.
#include <math.h>
#include <string.h>

#include "analyze/sticking_blocks.h"

static const char* const ids[] = {"P6.i", "P6.ii", "P6.iii", "P6.iv"};
static const char* const titles[] = {"the contact LCP (37) has one solution for every H_c: A_c > 0",
                                     "solutions of (37) differ by the kernel of A_c",
                                     "grad h lambda_n and the acceleration are unique",
                                     "the contact LCP (37) is solvable: z'H_c >= 0 on its homogeneous solutions"};

// All solutions of (43) at their extreme points, without rounding: lambda_n of each, one row.
static sti_status basic_solutions(const sti_blocks* b, double** out, int* count) {
    const sti_posed* s = b->s;
    *out = NULL;
    *count = 0;
    const int f = b->n + b->x, u = b->u, size = f + u;
    if (u > 10 || size > 40) return STI_OK;
    sti_pool* pool = b->pool;
    double *A = sti_pool_doubles(pool, (size_t)f * (size_t)f), *C = sti_pool_doubles(pool, (size_t)f * (size_t)u);
    double *D = sti_pool_doubles(pool, (size_t)u * (size_t)f), *B = sti_pool_doubles(pool, (size_t)u * (size_t)u);
    double *a = sti_pool_doubles(pool, (size_t)f), *v = sti_pool_doubles(pool, (size_t)u);
    if (pool->status != STI_OK) return pool->status;
    for (int j = 0; j < b->n; j++) {
        a[j] = s->instant->F[j];
        for (int k = 0; k < b->n; k++) A[(size_t)j * f + k] = s->instant->M[(size_t)j * b->n + k];
        for (int k = 0; k < b->x; k++) {
            A[(size_t)j * f + b->n + k] = -b->X[(size_t)j * b->x + k];
            A[(size_t)(b->n + k) * f + j] = b->X[(size_t)j * b->x + k];
        }
        for (int k = 0; k < u; k++) {
            C[(size_t)j * u + k] = -b->U[(size_t)j * u + k];
            D[(size_t)k * f + j] = b->U[(size_t)j * u + k];
        }
    }
    memcpy(a + b->n, b->c_x, (size_t)b->x * sizeof *a);
    memcpy(v, b->c_u, (size_t)u * sizeof *v);
    const sti_mlcp mlcp = {.n = f,
                           .m = u,
                           .A = sti_matrix_dense_view(f, f, A),
                           .C = sti_matrix_dense_view(f, u, C),
                           .D = sti_matrix_dense_view(u, f, D),
                           .B = sti_matrix_dense_view(u, u, B),
                           .a = a,
                           .b = v};
    sti_lcp_solution_set* set = NULL;
    sti_status status = sti_mlcp_enumerate(s->env, &mlcp, 4096, 0, &set);
    if (status != STI_OK) return status;
    double* rows = sti_pool_doubles(pool, (size_t)set->vertex_count * (size_t)u);
    for (int k = 0; rows != NULL && k < set->vertex_count; k++)
        memcpy(rows + (size_t)k * (size_t)u, set->vertex + (size_t)k * (size_t)(f + u) + f, (size_t)u * sizeof *rows);
    *out = rows;
    *count = set->vertex_count;
    sti_lcp_solution_set_destroy(s->env, set);
    return pool->status;
}

// Least z'H_c on { z >= 0, A_c z = 0, sum z = 1 }: positive or zero means solvable.
static sti_status homogeneous(const sti_blocks* b, const sti_augmented* g, double* value, double** z) {
    const int u = b->u;
    sti_program p = {0};
    sti_status status = sti_program_open(&p, b->pool, u, 2 * u + 1, false);
    if (status != STI_OK) return status;
    const double size = sti_small_max((size_t)u * (size_t)u, g->A);
    for (int i = 0; i < u; i++) {
        const int r = sti_program_add(&p, STI_ROW_ZERO, -1);
        for (int j = 0; j < u && size > 0; j++) {
            const double entry = g->A[(size_t)i * u + j] / size;
            sti_program_put(&p, r, 1 + j, fabs(entry) > 1e-14 ? entry : 0);
        }
        // a row that is zero but for rounding must not be scaled up
        if (sti_small_max((size_t)u, p.row + (size_t)r * (size_t)(u + 1) + 1) < 1e-11)
            for (int j = 0; j < u; j++) sti_program_put(&p, r, 1 + j, 0);
    }
    const int sum = sti_program_add(&p, STI_ROW_ZERO, -1);
    sti_program_put(&p, sum, 0, -1);
    for (int j = 0; j < u; j++) {
        sti_program_put(&p, sum, 1 + j, 1);
        sti_program_put(&p, sti_program_add(&p, STI_ROW_NONNEGATIVE, -1), 1 + j, 1);
    }
    status = sti_program_reduce(&p);
    *value = NAN;  // the cone is {0}
    *z = NULL;
    if (status != STI_OK || p.outside > 1e-9) return status;
    sti_program_answer answer;
    status = sti_program_minimize(&p, g->H, NULL, &answer);
    if (status != STI_OK || answer.outcome != STI_CONIC_SOLVED) return status;
    *value = sti_small_dot(u, answer.x, g->H);
    *z = answer.x;
    return STI_OK;
}

// Size of accelerations that the load alone would give: what zero is measured against.
static double free_acceleration(const sti_blocks* b) {
    const size_t n = (size_t)b->n;
    return sti_small_max(n, b->s->instant->F) * sti_small_max(n * n, b->Minv) * sti_small_max(n * (size_t)b->u, b->U);
}

sti_status sti_propositions_unilateral(sti_sticking* r, const sti_blocks* b, sti_propositions_table* t) {
    const char* why = b->slides           ? "a contact slides"
                      : b->u == 0         ? "there is no unilateral contact"
                      : !b->definite      ? "M is singular: assumption 1 fails"
                      : !b->X_independent ? "tangents are dependent: assumption 1 fails"
                                          : NULL;
    if (why != NULL) {
        for (int i = 0; i < 4; i++) {
            sti_propositions_begin(t, ids[i], titles[i]);
            sti_propositions_verdict(t, STI_NOT_APPLICABLE, "%s", why);
        }
        return STI_OK;
    }
    sti_pool* pool = b->pool;
    sti_augmented g;
    sti_status status = sti_blocks_augmented(b, &g);
    const int u = b->u;
    double *w = sti_pool_doubles(pool, (size_t)u), *V = sti_pool_doubles(pool, (size_t)u * (size_t)u), *z, value, *rows;
    if (pool->status != STI_OK) return pool->status;
    if (status == STI_OK) status = sti_small_eigen(pool, u, g.A, w, V);
    if (status != STI_OK) return status;
    // zero is judged against U'M^-1 U, of which A_c is a Schur complement
    double whole = 0;
    for (int i = 0; i < u; i++) {
        double sum = 0;
        for (int j = 0; j < b->n; j++)
            for (int k = 0; k < b->n; k++)
                sum += b->U[(size_t)j * u + i] * b->Minv[(size_t)j * b->n + k] * b->U[(size_t)k * u + i];
        whole = fmax(whole, sum);
    }
    int kernel = 0;
    while (kernel < u && w[kernel] < 1e-11 * whole) kernel++;

    sti_propositions_begin(t, ids[0], titles[0]);
    sti_propositions_verdict(t, kernel == 0 ? STI_HOLDS : STI_HOLDS_NOT, "least eigenvalue of A_c is %.6g",
                             kernel > 0 ? 0 : w[0]);
    sti_propositions_matrix(t, "A_c", u, u, g.A);
    sti_propositions_vector(t, "minus_grad_h_Mc_F", u, g.first);
    sti_propositions_vector(t, "H_c", u, g.H);
    sti_propositions_vector(t, "eigenvalues", u, w);
    sti_propositions_number(t, "rank_gradh_H", r->rank_C);

    sti_propositions_begin(t, ids[1], titles[1]);
    sti_propositions_verdict(t, STI_HOLDS, kernel == 0 ? "the kernel is {0}" : "the kernel has dimension %d", kernel);
    status = sti_small_canonical(pool, kernel, u, V);
    sti_propositions_matrix(t, "null_vectors", kernel, u, V);
    int count = 0;
    if (status == STI_OK) status = basic_solutions(b, &rows, &count);
    if (status != STI_OK) return status;
    sti_propositions_matrix(t, "basic_solutions", count, u, rows);

    int rank_U, rank_X;
    status = sti_small_rank(pool, b->n, u, b->U, &rank_U);
    if (status == STI_OK) status = sti_small_rank(pool, b->n, b->x, b->X, &rank_X);
    if (status != STI_OK) return status;
    const bool apart = rank_U + rank_X == r->rank_C;
    sti_propositions_begin(t, ids[2], titles[2]);
    sti_propositions_verdict(t, apart ? STI_HOLDS : STI_HOLDS_NOT,
                             apart ? "im grad h and im H meet only in 0"
                                   : "im grad h and im H meet in dimension %d; the acceleration is unique since M > 0",
                             rank_U + rank_X - r->rank_C);
    if (r->opening_a != NULL) sti_propositions_vector(t, "qdd", b->n, r->opening_a);

    status = homogeneous(b, &g, &value, &z);
    if (status != STI_OK) return status;
    const double band = 1e-9 * fmax(sti_small_max((size_t)u, g.H), free_acceleration(b));
    sti_propositions_begin(t, ids[3], titles[3]);
    if (isnan(value))
        sti_propositions_verdict(t, STI_HOLDS, "there is no homogeneous solution but 0");
    else
        sti_propositions_verdict(t, value >= -band ? STI_HOLDS : STI_HOLDS_NOT, "least z'H_c is %.6g over sum z = 1",
                                 fabs(value) <= band ? 0 : value);
    if (z != NULL) sti_propositions_vector(t, "z", u, z);
    return STI_OK;
}
