// unilateral.c: S0 section 3.1: the augmented contact LCP (35)-(38) and proposition 6. With bilateral contacts
// the tangents H_t,u are joined by (H_t,b, grad h_b), as S0 section 4.2 says.
//
// A_c is symmetric and semidefinite: z >= 0, A_c z >= 0, z'A_c z = 0 means A_c z = 0, and the condition of (iv) is
// z'H_c >= 0 on the cone { z >= 0, A_c z = 0 }.
#include <math.h>
#include <string.h>

#include "sticking/blocks.h"

static const char* const ids[] = {"P6.i", "P6.ii", "P6.iii", "P6.iv"};
static const char* const titles[] = {"the contact LCP (37) has one solution for every H_c: A_c > 0",
                                     "solutions of (37) differ by the kernel of A_c",
                                     "grad h lambda_n and the acceleration are unique",
                                     "the contact LCP (37) is solvable: z'H_c >= 0 on its homogeneous solutions"};

// lambda_n of all extreme solutions of (43), one row each.
static sti_status basic_solutions(const sti_sticking_blocks* b, double** out, int* count) {
    sti_lcp_solution_set* set = NULL;
    *out = NULL;
    *count = 0;
    if (!b->exact) return STI_OK;
    const sti_status status = sti_blocks_solutions(b, b->u_contact, &set);
    if (status != STI_OK || set == NULL) return status;
    const size_t f = (size_t)(b->n + b->x), u = (size_t)b->u;
    double* rows = sti_arena_doubles(b->pool, (size_t)set->vertex_count * u);
    for (int k = 0; rows != NULL && k < set->vertex_count; k++)
        memcpy(rows + (size_t)k * u, set->vertex + (size_t)k * (f + u) + f, u * sizeof *rows);
    *out = rows;
    *count = set->vertex_count;
    sti_lcp_solution_set_destroy(b->s->env, set);
    return b->pool->status;
}

// Least z'H_c on { z >= 0, A_c z = 0, sum z = 1 }. A_c z = 0 exactly when U z + X y = 0 for some y, and then
// z'H_c = c_u'z + c_x'y: the data themselves, and nothing that was computed from them.
static sti_status homogeneous(const sti_sticking_blocks* b, double* value, double** z) {
    const int u = b->u, size = b->u + b->x;
    sti_cone_program p = {0};
    double* c = sti_arena_doubles(b->pool, (size_t)size);
    sti_status status = sti_program_open(&p, b->pool, size, b->n + u + 1, false);
    if (status != STI_OK) return status;
    for (int j = 0; j < b->n; j++) {
        const int r = sti_program_add(&p, STI_ROW_ZERO, -1);
        for (int k = 0; k < u; k++) sti_program_put(&p, r, 1 + k, b->U[(size_t)j * u + k]);
        for (int k = 0; k < b->x; k++) sti_program_put(&p, r, 1 + u + k, b->X[(size_t)j * b->x + k]);
    }
    const int sum = sti_program_add(&p, STI_ROW_ZERO, -1);
    sti_program_put(&p, sum, 0, -1);
    for (int k = 0; k < size; k++) c[k] = k < u ? b->c_u[k] : b->c_x[k - u];
    for (int k = 0; k < u; k++) {
        sti_program_put(&p, sum, 1 + k, 1);
        sti_program_put(&p, sti_program_add(&p, STI_ROW_NONNEGATIVE, -1), 1 + k, 1);
    }
    status = sti_program_reduce(&p);
    *value = NAN;  // the cone is {0}
    *z = NULL;
    if (status != STI_OK || p.outside > 1e-9) return status;
    sti_program_answer answer;
    status = sti_program_minimize(&p, c, NULL, &answer);
    if (status != STI_OK || answer.outcome != STI_CONIC_SOLVED) return status;
    double terms = 0;
    for (int k = 0; k < size; k++) terms += fabs(c[k] * answer.x[k]);
    *value = answer.value;
    if (sti_blocks_sign(*value, terms) == 0) *value = 0;
    *z = answer.x;
    return STI_OK;
}

// (37) is solvable exactly when (43) is: the condition of (iv) is that no Farkas vector of the constraints exists.
static sti_status proposition_6_iv(const sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t,
                                   int kernel) {
    double value = NAN, *z = NULL;
    const sti_status status = kernel > 0 ? homogeneous(b, &value, &z) : STI_OK;
    if (status != STI_OK) return status;
    const sti_outcome outcome = r->answer.opening.contact_problem;
    const sti_holds verdict = kernel == 0 || outcome == STI_SOLVED ? STI_HOLDS
                              : outcome == STI_NO_SOLUTION         ? STI_HOLDS_NOT
                                                                   : STI_HOLDS_UNKNOWN;
    sti_propositions_begin(t, ids[3], titles[3]);
    if (kernel == 0 || (isnan(value) && verdict == STI_HOLDS))
        sti_propositions_verdict(t, verdict, "there is no homogeneous solution but 0");
    else
        sti_propositions_verdict(t, verdict, "least z'H_c is %.6g over sum z = 1", value);
    if (z != NULL) sti_propositions_vector(t, "z", b->u, z);
    return STI_OK;
}

// ker A_c: eigenvectors of the scaled matrix A_ij / sqrt(A0_ii A0_jj), A0 = U'M^-1 U, scaled back and made orthonormal.
static sti_status null_vectors(const sti_sticking_blocks* b, const sti_augmented* g, double** out) {
    const int u = b->u;
    sti_arena* pool = b->pool;
    double *scale = sti_arena_doubles(pool, (size_t)u), *S = sti_arena_copy(pool, g->A, (size_t)u * (size_t)u);
    double *w = sti_arena_doubles(pool, (size_t)u), *V = sti_arena_doubles(pool, (size_t)u * (size_t)u);
    *out = V;
    if (pool->status != STI_OK || g->kernel == 0) return pool->status;
    for (int i = 0; i < u; i++) {
        double sum = 0;
        for (int j = 0; j < b->n; j++)
            for (int k = 0; k < b->n; k++)
                sum += b->U[(size_t)j * u + i] * b->Minv[(size_t)j * b->n + k] * b->U[(size_t)k * u + i];
        scale[i] = sum > 0 ? 1 / sqrt(sum) : 1;
    }
    for (int i = 0; i < u; i++)
        for (int j = 0; j < u; j++) S[(size_t)i * u + j] *= scale[i] * scale[j];
    sti_status status = sti_small_eigen(pool, u, S, w, V);
    if (status != STI_OK) return status;
    for (int i = 0; i < g->kernel; i++)
        for (int j = 0; j < u; j++) V[(size_t)i * u + j] *= scale[j];
    sti_svd f;
    status = sti_svd_make(pool, g->kernel, u, V, 0, &f);
    if (status != STI_OK) return status;
    memcpy(V, f.V, (size_t)g->kernel * (size_t)u * sizeof *V);
    return sti_small_canonical(pool, g->kernel, u, V);
}

static void refuse(sti_propositions_table* t, const char* why) {
    for (int i = 0; i < 4; i++) {
        sti_propositions_begin(t, ids[i], titles[i]);
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "%s", why);
    }
}

sti_status sti_propositions_unilateral(sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t) {
    const char* why = b->slides           ? "a contact slides"
                      : b->u == 0         ? "there is no unilateral contact"
                      : !b->definite      ? "M is singular: assumption 1 fails"
                      : !b->X_independent ? "tangents are dependent: assumption 1 fails"
                                          : NULL;
    if (why != NULL) {
        refuse(t, why);
        return STI_OK;
    }
    sti_arena* pool = b->pool;
    sti_augmented g;
    sti_status status = sti_blocks_augmented(b, &g);
    const int u = b->u;
    double *w = sti_arena_doubles(pool, (size_t)u), *V = sti_arena_doubles(pool, (size_t)u * (size_t)u), *kernel, *rows;
    int count = 0;
    if (pool->status != STI_OK) return pool->status;
    if (status == STI_OK) status = sti_small_eigen(pool, u, g.A, w, V);
    if (status == STI_OK) status = null_vectors(b, &g, &kernel);
    if (status == STI_OK) status = basic_solutions(b, &rows, &count);
    if (status != STI_OK) return status;
    for (int i = 0; i < g.kernel; i++) w[i] = 0;

    sti_propositions_begin(t, ids[0], titles[0]);
    sti_propositions_verdict(t, g.kernel == 0 ? STI_HOLDS : STI_HOLDS_NOT, "least eigenvalue of A_c is %.6g", w[0]);
    sti_propositions_matrix(t, "A_c", u, u, g.A);
    sti_propositions_vector(t, "minus_grad_h_Mc_F", u, g.first);
    sti_propositions_vector(t, "H_c", u, g.H);
    sti_propositions_vector(t, "eigenvalues", u, w);
    sti_propositions_number(t, "rank_gradh_H", b->rank_C);

    sti_propositions_begin(t, ids[1], titles[1]);
    sti_propositions_verdict(t, STI_HOLDS, g.kernel == 0 ? "the kernel is {0}" : "the kernel has dimension %d",
                             g.kernel);
    sti_propositions_matrix(t, "null_vectors", g.kernel, u, kernel);
    if (rows != NULL) sti_propositions_matrix(t, "basic_solutions", count, u, rows);

    const int meet = b->rank_U + b->rank_X - b->rank_C;
    sti_propositions_begin(t, ids[2], titles[2]);
    sti_propositions_verdict(t, meet == 0 ? STI_HOLDS : STI_HOLDS_NOT,
                             meet == 0
                                 ? "im grad h and im H meet only in 0"
                                 : "im grad h and im H meet in dimension %d; the acceleration is unique since M > 0",
                             meet);
    if (r->answer.opening.a != NULL) sti_propositions_vector(t, "qdd", b->n, r->answer.opening.a);
    return proposition_6_iv(r, b, t, g.kernel);
}
