// lcp_document.c: linear complementarity problems, mixed ones too, from fields and back.
#include <stiction/io.h>

#include "documents/document.h"
#include "exact/rationals.h"
#include "formats/file.h"

// ---- lcp

static const sti_form lcp_form = {.kind = "lcp",
                                  .field_count = 2,
                                  .field = {{"M", true, false, false}, {"q", false, false, false}},
                                  .size_count = 1,
                                  .size = {"n"}};

typedef struct lcp_store {
    sti_lcp lcp;  // first member: what sti_lcp_of hands out; its matrix is owned
    double* q;
    sti_rationals *M_exact, *q_exact;
} lcp_store;

static void destroy_lcp(sti_env* env, void* content) {
    lcp_store* s = content;
    if (s == NULL) return;
    sti_matrix_clear(env, &s->lcp.M);
    sti_free(env, s->q);
    sti_rationals_destroy(s->M_exact);
    sti_rationals_destroy(s->q_exact);
    sti_free(env, s);
}

static sti_status assemble_lcp(sti_fields* fields, void** out) {
    enum { M, Q };
    sti_field* f = fields->field;
    const int n = f[Q].rows;
    if (n == 0)
        return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file, "q: empty: at least one entry is expected");
    sti_status status = sti_fields_check_size(fields, 0, n, "q");
    if (status == STI_OK) status = sti_fields_check_shape(fields, M, n, n, "n x n with n the length of q");
    if (status != STI_OK) return status;
    lcp_store* s = *out = sti_alloc_array_zero(fields->env, 1, sizeof *s);
    if (s == NULL) return STI_ERR_MEMORY;
    s->q = sti_field_take_vector(&f[Q]);
    s->M_exact = sti_field_take_exact(&f[M]);
    s->q_exact = sti_field_take_exact(&f[Q]);
    s->lcp =
        (sti_lcp){.n = n, .M = sti_field_take_matrix(&f[M]), .q = s->q, .M_exact = s->M_exact, .q_exact = s->q_exact};
    return STI_OK;
}

sti_status sti_lcp_save(sti_env* env, const sti_lcp* lcp, const char* path) {
    const int n = lcp->n;
    const size_t width = (size_t)n;
    // exact data of one part stands beside the doubles of the other
    const sti_outgoing fields[2] = {
        {.name = "M", .matrix = &lcp->M, .rows = n, .cols = n, .exact = lcp->M_exact, .stride = width},
        {.name = "q", .vector = lcp->q, .rows = n, .cols = 1, .exact = lcp->q_exact, .stride = 1},
    };
    return sti_fields_save(env, &lcp_form, fields, n, -1, path);
}

static sti_status save_lcp(sti_env* env, const void* content, const char* path) {
    return sti_lcp_save(env, content, path);
}

const sti_kind_row sti_kind_lcp = {
    .form = &lcp_form, .assemble = assemble_lcp, .destroy = destroy_lcp, .save = save_lcp};

const sti_lcp* sti_lcp_of(const sti_document* document) {
    return sti_document_content(document, STI_KIND_LCP);
}

// ---- mlcp

static const sti_form mlcp_form = {.kind = "mlcp",
                                   .field_count = 6,
                                   .field = {{"A", true, false, false},
                                             {"C", true, false, false},
                                             {"D", true, false, false},
                                             {"B", true, false, false},
                                             {"a", false, false, false},
                                             {"b", false, false, false}},
                                   .size_count = 2,
                                   .size = {"n", "m"}};

typedef struct mlcp_store {
    sti_mlcp mlcp;  // first member: what sti_mlcp_of hands out; its matrices are owned
    double *a, *b;
    sti_rationals *matrix, *vector;
} mlcp_store;

static void destroy_mlcp(sti_env* env, void* content) {
    mlcp_store* s = content;
    if (s == NULL) return;
    sti_matrix_clear(env, &s->mlcp.A);
    sti_matrix_clear(env, &s->mlcp.C);
    sti_matrix_clear(env, &s->mlcp.D);
    sti_matrix_clear(env, &s->mlcp.B);
    sti_free(env, s->a);
    sti_free(env, s->b);
    sti_rationals_destroy(s->matrix);
    sti_rationals_destroy(s->vector);
    sti_free(env, s);
}

// Entries of a block without rounding, into rows first_row.. and columns first_col.. of a matrix `width` wide.
static sti_status copy_block(sti_rationals* to, size_t width, size_t first_row, size_t first_col, const sti_field* f) {
    for (size_t i = 0; i < (size_t)f->rows; i++) {
        for (size_t j = 0; j < (size_t)f->cols; j++) {
            const size_t place = sti_size_mul(first_row + i, width) + first_col + j;
            const sti_status status = sti_rationals_copy(to, place, f->exact, sti_size_mul(i, (size_t)f->cols) + j);
            if (status != STI_OK) return status;
        }
    }
    return STI_OK;
}

static sti_status join_exact(sti_env* env, mlcp_store* s, const sti_field* f, size_t n, size_t m) {
    const size_t width = n + m;
    sti_status status = sti_rationals_create(env, sti_size_mul(width, width), &s->matrix);
    if (status == STI_OK) status = sti_rationals_create(env, width, &s->vector);
    if (status == STI_OK) status = copy_block(s->matrix, width, 0, 0, &f[0]);
    if (status == STI_OK) status = copy_block(s->matrix, width, 0, n, &f[1]);
    if (status == STI_OK) status = copy_block(s->matrix, width, n, 0, &f[2]);
    if (status == STI_OK) status = copy_block(s->matrix, width, n, n, &f[3]);
    if (status == STI_OK) status = copy_block(s->vector, 1, 0, 0, &f[4]);
    if (status == STI_OK) status = copy_block(s->vector, 1, n, 0, &f[5]);
    return status;
}

static sti_status check_mlcp(sti_fields* fields, int n, int m) {
    if (n == 0 && m == 0)
        return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file,
                             "a, b: both empty: at least one entry is expected");
    sti_status status = sti_fields_check_size(fields, 0, n, "a");
    if (status == STI_OK) status = sti_fields_check_size(fields, 1, m, "b");
    if (status == STI_OK) status = sti_fields_check_shape(fields, 0, n, n, "n x n with n the length of a");
    if (status == STI_OK) status = sti_fields_check_shape(fields, 1, n, m, "n x m with n, m the lengths of a, b");
    if (status == STI_OK) status = sti_fields_check_shape(fields, 2, m, n, "m x n with n, m the lengths of a, b");
    if (status == STI_OK) status = sti_fields_check_shape(fields, 3, m, m, "m x m with m the length of b");
    return status;
}

static sti_status assemble_mlcp(sti_fields* fields, void** out) {
    sti_field* f = fields->field;
    const int n = f[4].rows, m = f[5].rows;
    sti_status status = check_mlcp(fields, n, m);
    if (status != STI_OK) return status;
    mlcp_store* s = *out = sti_alloc_array_zero(fields->env, 1, sizeof *s);
    if (s == NULL) return STI_ERR_MEMORY;
    if (f[0].exact != NULL) status = join_exact(fields->env, s, f, (size_t)n, (size_t)m);
    if (status != STI_OK) return status;
    s->a = sti_field_take_vector(&f[4]);
    s->b = sti_field_take_vector(&f[5]);
    s->mlcp = (sti_mlcp){.n = n,
                         .m = m,
                         .A = sti_field_take_matrix(&f[0]),
                         .C = sti_field_take_matrix(&f[1]),
                         .D = sti_field_take_matrix(&f[2]),
                         .B = sti_field_take_matrix(&f[3]),
                         .a = s->a,
                         .b = s->b,
                         .matrix_exact = s->matrix,
                         .vector_exact = s->vector};
    return STI_OK;
}

sti_status sti_mlcp_save(sti_env* env, const sti_mlcp* mlcp, const char* path) {
    const int n = mlcp->n, m = mlcp->m;
    const size_t top = (size_t)n, width = (size_t)n + (size_t)m, below = sti_size_mul(top, width);
    const sti_rationals *E = mlcp->matrix_exact, *e = mlcp->vector_exact;
    const sti_outgoing fields[6] = {
        {.name = "A", .matrix = &mlcp->A, .rows = n, .cols = n, .exact = E, .stride = width},
        {.name = "C", .matrix = &mlcp->C, .rows = n, .cols = m, .exact = E, .first = top, .stride = width},
        {.name = "D", .matrix = &mlcp->D, .rows = m, .cols = n, .exact = E, .first = below, .stride = width},
        {.name = "B", .matrix = &mlcp->B, .rows = m, .cols = m, .exact = E, .first = below + top, .stride = width},
        {.name = "a", .vector = mlcp->a, .rows = n, .cols = 1, .exact = e, .stride = 1},
        {.name = "b", .vector = mlcp->b, .rows = m, .cols = 1, .exact = e, .first = top, .stride = 1},
    };
    return sti_fields_save(env, &mlcp_form, fields, n, m, path);
}

static sti_status save_mlcp(sti_env* env, const void* content, const char* path) {
    return sti_mlcp_save(env, content, path);
}

const sti_kind_row sti_kind_mlcp = {
    .form = &mlcp_form, .assemble = assemble_mlcp, .destroy = destroy_mlcp, .save = save_mlcp};

const sti_mlcp* sti_mlcp_of(const sti_document* document) {
    return sti_document_content(document, STI_KIND_MLCP);
}
