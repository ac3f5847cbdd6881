// problem.c: kinds of problems, and the step from fields with sizes to a problem.
#include "io/problem.h"

#include <math.h>
#include <string.h>

#include "exact/rationals.h"
#include "io/bodies_json.h"
#include "io/fclib.h"
#include "io/file.h"

static const sti_kind_form forms[] = {
    {.kind = STI_KIND_LCP,
     .field_count = 2,
     .field = {{"M", true, false, false}, {"q", false, false, false}},
     .size_count = 1,
     .size = {"n"}},
    {.kind = STI_KIND_MLCP,
     .field_count = 6,
     .field = {{"A", true, false, false},
               {"C", true, false, false},
               {"D", true, false, false},
               {"B", true, false, false},
               {"a", false, false, false},
               {"b", false, false, false}},
     .size_count = 2,
     .size = {"n", "m"}},
    {.kind = STI_KIND_QP,
     .field_count = 7,
     .field = {{"P", true, true, false},
               {"c", false, false, false},
               {"A", true, true, false},
               {"l", false, true, true},
               {"u", false, true, true},
               {"lb", false, true, true},
               {"ub", false, true, true}},
     .size_count = 2,
     .size = {"n", "m"}},
    {.kind = STI_KIND_L1,
     .field_count = 2,
     .field = {{"A", true, false, false}, {"b", false, false, false}},
     .size_count = 2,
     .size = {"n", "m"}},
    {.kind = STI_KIND_CONE,
     .field_count = 4,
     .field = {{"rays", true, true, false},
               {"lines", true, true, false},
               {"inequalities", true, true, false},
               {"equations", true, true, false}},
     .size_count = 1,
     .size = {"dimension"}},
    {.kind = STI_KIND_MATRICES,
     .field_count = STI_MATRIX_COUNT,
     .field = {{"P", true, true, false},
               {"N", true, true, false},
               {"G", true, true, false},
               {"E", true, true, false},
               {"D", true, true, false},
               {"n_H", true, true, false},
               {"T", true, true, false},
               {"mu", false, true, false}}},
};
enum { FORM_COUNT = sizeof forms / sizeof forms[0] };

const char* sti_kind_text(sti_kind kind) {
    switch (kind) {
#define STI_X(code, text) \
    case code:            \
        return text;
        STI_KIND_LIST(STI_X)
#undef STI_X
    }
    return "none";
}

sti_status sti_kind_form_find(sti_env* env, const char* file, const char* name, const sti_kind_form** out) {
    for (int k = 0; k < FORM_COUNT; k++) {
        if (strcmp(sti_kind_text(forms[k].kind), name) == 0) {
            *out = &forms[k];
            return STI_OK;
        }
    }
    if (strcmp(name, sti_kind_text(STI_KIND_CONTACT)) == 0)
        return sti_file_fail(env, STI_ERR_INPUT, file, "kind: \"%s\": read from HDF5 files of FCLIB only", name);
    if (strcmp(name, sti_kind_text(STI_KIND_INSTANT)) == 0 || strcmp(name, sti_kind_text(STI_KIND_SYSTEM)) == 0 ||
        strcmp(name, sti_kind_text(STI_KIND_SCENE)) == 0 || strcmp(name, sti_kind_text(STI_KIND_GRASP)) == 0 ||
        strcmp(name, sti_kind_text(STI_KIND_ROOT)) == 0 || strcmp(name, sti_kind_text(STI_KIND_BOUND)) == 0 ||
        strcmp(name, sti_kind_text(STI_KIND_MANIPULATION)) == 0)
        return sti_file_fail(env, STI_ERR_INPUT, file, "kind: \"%s\": read from JSON files only", name);
    return sti_file_fail(
        env, STI_ERR_INPUT, file,
        "kind: \"%.40s\": no such kind, \"lcp\", \"mlcp\", \"qp\", \"cone\", \"l1\", \"instant\", \"grasp\", "
        "\"matrices\", \"system\", \"scene\", \"manipulation\", \"root\" or \"bound\" is expected",
        name);
}

bool sti_kind_form_knows(const sti_kind_form* form, const char* name) {
    for (int k = 0; k < form->field_count; k++) {
        if (strcmp(form->field[k].name, name) == 0) return true;
    }
    for (int k = 0; k < form->size_count; k++) {
        if (strcmp(form->size[k], name) == 0) return true;
    }
    return strcmp(name, "kind") == 0 || strcmp(name, "name") == 0 || strcmp(name, "comment") == 0;
}

void sti_field_clear(sti_env* env, sti_field* field) {
    sti_matrix_clear(env, &field->matrix);
    sti_free(env, field->vector);
    sti_rationals_destroy(field->exact);
    *field = (sti_field){0};
}

// A declared size that is not the one the data has.
static sti_status check_size(sti_env* env, const char* file, const char* name, int64_t declared, int64_t found,
                             const char* of) {
    if (declared < 0 || declared == found) return STI_OK;
    return sti_file_fail(env, STI_ERR_INPUT, file, "%s: %lld: %s has %lld", name, (long long)declared, of,
                         (long long)found);
}

// The matrix under `name` has to be rows x cols. A list of no rows has no width and fits when nothing is in it.
static sti_status check_shape(sti_env* env, const char* file, const char* name, sti_field* f, int rows, int cols,
                              const char* why) {
    const bool empty = rows == 0 || cols == 0;
    if (f->rows == 0 && f->cols < 0 && empty) {
        f->matrix.rows = f->rows = rows;
        f->matrix.cols = f->cols = cols;
    }
    if (f->rows == rows && f->cols == cols) return STI_OK;
    return sti_file_fail(env, STI_ERR_INPUT, file, "%s: %d x %d: %d x %d is expected, %s", name, f->rows,
                         f->cols < 0 ? 0 : f->cols, rows, cols, why);
}

static sti_matrix take_matrix(sti_field* f) {
    const sti_matrix M = f->matrix;
    f->matrix = (sti_matrix){0};
    return M;
}

static double* take_vector(sti_field* f) {
    double* v = f->vector;
    f->vector = NULL;
    return v;
}

static sti_rationals* take_exact(sti_field* f) {
    sti_rationals* r = f->exact;
    f->exact = NULL;
    return r;
}

static sti_status assemble_lcp(sti_problem* p, const char* file, sti_field* f, const int64_t* sizes) {
    sti_field *M = &f[0], *q = &f[1];
    if (q->rows == 0) return sti_file_fail(p->env, STI_ERR_INPUT, file, "q: empty: at least one entry is expected");
    sti_status status = check_size(p->env, file, "n", sizes[0], q->rows, "q");
    if (status == STI_OK) status = check_shape(p->env, file, "M", M, q->rows, q->rows, "n x n with n the length of q");
    if (status != STI_OK) return status;
    p->vector[0] = take_vector(q);
    p->exact[0] = take_exact(M);
    p->exact[1] = take_exact(q);
    p->lcp =
        (sti_lcp){.n = q->rows, .M = take_matrix(M), .q = p->vector[0], .M_exact = p->exact[0], .q_exact = p->exact[1]};
    return STI_OK;
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

static sti_status join_exact(sti_problem* p, const sti_field* f, size_t n, size_t m) {
    const size_t width = n + m;
    sti_status status = sti_rationals_create(p->env, sti_size_mul(width, width), &p->exact[0]);
    if (status == STI_OK) status = sti_rationals_create(p->env, width, &p->exact[1]);
    if (status == STI_OK) status = copy_block(p->exact[0], width, 0, 0, &f[0]);
    if (status == STI_OK) status = copy_block(p->exact[0], width, 0, n, &f[1]);
    if (status == STI_OK) status = copy_block(p->exact[0], width, n, 0, &f[2]);
    if (status == STI_OK) status = copy_block(p->exact[0], width, n, n, &f[3]);
    if (status == STI_OK) status = copy_block(p->exact[1], 1, 0, 0, &f[4]);
    if (status == STI_OK) status = copy_block(p->exact[1], 1, n, 0, &f[5]);
    return status;
}

static sti_status assemble_mlcp(sti_problem* p, const char* file, sti_field* f, const int64_t* sizes) {
    const int n = f[4].rows, m = f[5].rows;
    if (n == 0 && m == 0)
        return sti_file_fail(p->env, STI_ERR_INPUT, file, "a, b: both empty: at least one entry is expected");
    sti_status status = check_size(p->env, file, "n", sizes[0], n, "a");
    if (status == STI_OK) status = check_size(p->env, file, "m", sizes[1], m, "b");
    if (status == STI_OK) status = check_shape(p->env, file, "A", &f[0], n, n, "n x n with n the length of a");
    if (status == STI_OK) status = check_shape(p->env, file, "C", &f[1], n, m, "n x m with n, m the lengths of a, b");
    if (status == STI_OK) status = check_shape(p->env, file, "D", &f[2], m, n, "m x n with n, m the lengths of a, b");
    if (status == STI_OK) status = check_shape(p->env, file, "B", &f[3], m, m, "m x m with m the length of b");
    if (status == STI_OK && f[0].exact != NULL) status = join_exact(p, f, (size_t)n, (size_t)m);
    if (status != STI_OK) return status;
    p->vector[0] = take_vector(&f[4]);
    p->vector[1] = take_vector(&f[5]);
    p->mlcp = (sti_mlcp){.n = n,
                         .m = m,
                         .A = take_matrix(&f[0]),
                         .C = take_matrix(&f[1]),
                         .D = take_matrix(&f[2]),
                         .B = take_matrix(&f[3]),
                         .a = p->vector[0],
                         .b = p->vector[1],
                         .matrix_exact = p->exact[0],
                         .vector_exact = p->exact[1]};
    return STI_OK;
}

// A vector of bounds, NULL when it is not given; entries that are none become `none`.
static sti_status take_side(sti_problem* p, const char* file, const char* name, sti_field* f, int count, double none,
                            double** out) {
    *out = NULL;
    if (!f->given) return STI_OK;
    if (f->rows != count)
        return sti_file_fail(p->env, STI_ERR_INPUT, file, "%s: %d entries: %d are expected, one for each %s", name,
                             f->rows, count, name[1] == '\0' ? "row of A" : "variable");
    *out = take_vector(f);
    for (int i = 0; i < count; i++) {
        if (isnan((*out)[i])) (*out)[i] = none;
    }
    return STI_OK;
}

static sti_status assemble_qp(sti_problem* p, const char* file, sti_field* f, const int64_t* sizes) {
    const int n = f[1].rows, m = f[2].given ? f[2].rows : 0;
    if (n == 0) return sti_file_fail(p->env, STI_ERR_INPUT, file, "c: empty: at least one entry is expected");
    sti_status status = check_size(p->env, file, "n", sizes[0], n, "c");
    if (status == STI_OK) status = check_size(p->env, file, "m", sizes[1], m, "A");
    if (status == STI_OK && f[0].given)
        status = check_shape(p->env, file, "P", &f[0], n, n, "n x n with n the length of c");
    if (status == STI_OK && f[2].given)
        status = check_shape(p->env, file, "A", &f[2], m, n, "as many columns as c has entries");
    if (status == STI_OK) status = take_side(p, file, "l", &f[3], m, -INFINITY, &p->side[0]);
    if (status == STI_OK) status = take_side(p, file, "u", &f[4], m, INFINITY, &p->side[1]);
    if (status == STI_OK) status = take_side(p, file, "lb", &f[5], n, -INFINITY, &p->side[2]);
    if (status == STI_OK) status = take_side(p, file, "ub", &f[6], n, INFINITY, &p->side[3]);
    if (status != STI_OK) return status;
    p->vector[0] = take_vector(&f[1]);
    p->qp = (sti_qp){.n = n,
                     .m = m,
                     .P = take_matrix(&f[0]),
                     .A = take_matrix(&f[2]),
                     .c = p->vector[0],
                     .l = p->side[0],
                     .u = p->side[1],
                     .lb = p->side[2],
                     .ub = p->side[3]};
    return STI_OK;
}

static sti_status assemble_l1(sti_problem* p, const char* file, sti_field* f, const int64_t* sizes) {
    sti_field *A = &f[0], *b = &f[1];
    if (b->rows == 0) return sti_file_fail(p->env, STI_ERR_INPUT, file, "b: empty: at least one entry is expected");
    const int m = b->rows, n = A->cols < 0 ? 0 : A->cols;
    if (n == 0) return sti_file_fail(p->env, STI_ERR_INPUT, file, "A: empty: at least one column is expected");
    sti_status status = check_size(p->env, file, "n", sizes[0], n, "A");
    if (status == STI_OK) status = check_size(p->env, file, "m", sizes[1], m, "b");
    if (status == STI_OK) status = check_shape(p->env, file, "A", A, m, n, "as many rows as b has entries");
    if (status != STI_OK) return status;
    p->vector[0] = take_vector(b);
    p->l1 = (sti_l1){.m = m, .n = n, .A = take_matrix(A), .b = p->vector[0]};
    return STI_OK;
}

// The dimension: of the rows there are, or the declared one.
static sti_status cone_dimension(sti_env* env, const char* file, const sti_kind_form* form, const sti_field* f,
                                 int64_t declared, int* out) {
    int64_t dimension = declared;
    for (int k = 0; k < 4; k++) {
        if (!f[k].given || f[k].cols < 0) continue;
        if (dimension >= 0 && f[k].cols != dimension)
            return sti_file_fail(env, STI_ERR_INPUT, file, "%s: rows of %d: %lld is expected, as %s",
                                 form->field[k].name, f[k].cols, (long long)dimension,
                                 declared >= 0 ? "dimension says" : "in the other table");
        dimension = f[k].cols;
    }
    if (dimension < 0)
        return sti_file_fail(env, STI_ERR_INPUT, file, "dimension: missing: needed where there are no rows");
    if (dimension == 0) return sti_file_fail(env, STI_ERR_INPUT, file, "dimension: 0: at least 1 is expected");
    for (int k = 0; k < 4; k++) {
        if (f[k].rows > STI_IO_CONE_MOST / dimension)
            return sti_file_fail(env, STI_ERR_INPUT, file, "%s: %d x %lld: more than %d entries", form->field[k].name,
                                 f[k].rows, (long long)dimension, STI_IO_CONE_MOST);
    }
    *out = (int)dimension;
    return STI_OK;
}

static sti_status take_rows(sti_problem* p, int k, sti_field* f, bool exact, int dimension, sti_rows* out) {
    *out = (sti_rows){.count = f->rows, .dimension = dimension};
    sti_matrix dense = {0};
    sti_status status = STI_OK;
    if (sti_matrix_is_sparse(&f->matrix)) {
        status = sti_matrix_to_dense(p->env, &f->matrix, &dense);
    } else {
        dense = take_matrix(f);
    }
    if (status != STI_OK) return status;
    p->vector[k] = dense.dense;
    out->value = dense.dense;
    if (!exact) return STI_OK;
    p->exact[k] = take_exact(f);
    if (p->exact[k] == NULL) status = sti_rationals_create(p->env, 0, &p->exact[k]);
    out->exact = p->exact[k];
    return status;
}

static sti_status assemble_cone(sti_problem* p, const char* file, const sti_kind_form* form, sti_field* f,
                                const int64_t* sizes) {
    const bool span = f[0].given || f[1].given, face = f[2].given || f[3].given;
    if (span && face)
        return sti_file_fail(p->env, STI_ERR_INPUT, file,
                             "both rays or lines and inequalities or equations: one form is expected");
    if (!span && !face)
        return sti_file_fail(p->env, STI_ERR_INPUT, file,
                             "rays: missing: rays and lines, or inequalities and equations, are expected");
    sti_field *first = &f[span ? 0 : 2], *second = &f[span ? 1 : 3];
    p->cone.span = span;
    sti_status status = cone_dimension(p->env, file, form, f, sizes[0], &p->cone.dimension);
    const bool exact = first->exact != NULL || second->exact != NULL;
    if (status == STI_OK) status = take_rows(p, 0, first, exact, p->cone.dimension, &p->cone.first);
    if (status == STI_OK) status = take_rows(p, 1, second, exact, p->cone.dimension, &p->cone.second);
    return status;
}

// One of the matrices, dense; rows or cols -1: any.
static sti_status take_table(sti_problem* p, const char* file, const sti_kind_form* form, sti_field* fields, int k,
                             int rows, int cols, const char* why) {
    sti_field* f = &fields[k];
    const char* name = form->field[k].name;
    if (f->cols < 1 || f->rows < 1)
        return sti_file_fail(p->env, STI_ERR_INPUT, file, "%s: empty: at least one row is expected", name);
    if ((int64_t)f->rows * f->cols > STI_IO_CONE_MOST)
        return sti_file_fail(p->env, STI_ERR_INPUT, file, "%s: %d x %d: more than %d entries", name, f->rows, f->cols,
                             STI_IO_CONE_MOST);
    sti_status status = check_shape(p->env, file, name, f, rows < 0 ? f->rows : rows, cols < 0 ? f->cols : cols, why);
    sti_matrix dense = {0};
    if (status == STI_OK && sti_matrix_is_sparse(&f->matrix))
        status = sti_matrix_to_dense(p->env, &f->matrix, &dense);
    else if (status == STI_OK)
        dense = take_matrix(f);
    p->table[k] = dense.dense;
    return status;
}

static sti_status assemble_matrices(sti_problem* p, const char* file, const sti_kind_form* form, sti_field* f) {
    enum { P, N, G, E, D, N_H, T, MU };
    sti_matrices* m = &p->matrices;
    *m = (sti_matrices){.sum_size = f[P].given ? f[P].rows : f[N].rows,
                        .size = f[G].rows,
                        .E_size = f[E].given ? f[E].rows : f[D].rows,
                        .slip_count = f[N_H].given ? f[N_H].cols : f[MU].rows,
                        .rows = f[T].rows,
                        .cols = f[T].cols};
    const struct {
        int k, rows, cols;
        const char* why;
    } tables[] = {{P, m->sum_size, m->sum_size, "a square matrix"},
                  {N, m->sum_size, m->sum_size, "as large as P"},
                  {G, m->size, m->size, "a square matrix"},
                  {E, m->E_size, m->E_size, "a square matrix"},
                  {D, m->E_size, m->E_size, "as large as E"},
                  {N_H, f[G].given ? m->size : -1, -1, "as many rows as G has"},
                  {T, -1, -1, ""}};
    sti_status status = STI_OK;
    bool any = f[MU].given;
    for (size_t k = 0; status == STI_OK && k < sizeof tables / sizeof tables[0]; k++) {
        if (!f[tables[k].k].given) continue;
        any = true;
        status = take_table(p, file, form, f, tables[k].k, tables[k].rows, tables[k].cols, tables[k].why);
    }
    if (status == STI_OK && !any)
        status = sti_file_fail(p->env, STI_ERR_INPUT, file, "no matrix: P, N, G, E, D, n_H, T or mu is expected");
    if (status == STI_OK && f[G].given && f[E].given && !f[D].given && m->E_size != m->size)
        status = sti_file_fail(p->env, STI_ERR_INPUT, file, "E: %d x %d: %d x %d is expected, as large as G", m->E_size,
                               m->E_size, m->size, m->size);
    if (status == STI_OK && f[MU].given && f[MU].rows != m->slip_count)
        status = sti_file_fail(p->env, STI_ERR_INPUT, file, "mu: %d entries: %d are expected, one per column of n_H",
                               f[MU].rows, m->slip_count);
    if (status != STI_OK) return status;
    p->vector[0] = take_vector(&f[MU]);
    p->exact[0] = take_exact(&f[T]);
    m->P = p->table[P];
    m->N = p->table[N];
    m->G = p->table[G];
    m->E = p->table[E];
    m->D = p->table[D];
    m->n_H = p->table[N_H];
    m->T = p->table[T];
    m->mu = p->vector[0];
    m->exact = p->exact[0];
    return STI_OK;
}

sti_status sti_problem_create(sti_env* env, sti_kind kind, sti_problem** out) {
    *out = sti_alloc_array_zero(env, 1, sizeof **out);
    if (*out == NULL) return STI_FAIL(env, STI_ERR_MEMORY, -1, "problem");
    (*out)->env = env;
    (*out)->kind = kind;
    return STI_OK;
}

sti_status sti_problem_assemble(sti_env* env, const char* file, const sti_kind_form* form, sti_field* fields,
                                const int64_t* sizes, sti_problem** out) {
    *out = NULL;
    sti_problem* p;
    sti_status status = sti_problem_create(env, form->kind, &p);
    if (status != STI_OK) return status;
    if (form->kind == STI_KIND_LCP)
        status = assemble_lcp(p, file, fields, sizes);
    else if (form->kind == STI_KIND_MLCP)
        status = assemble_mlcp(p, file, fields, sizes);
    else if (form->kind == STI_KIND_QP)
        status = assemble_qp(p, file, fields, sizes);
    else if (form->kind == STI_KIND_L1)
        status = assemble_l1(p, file, fields, sizes);
    else if (form->kind == STI_KIND_MATRICES)
        status = assemble_matrices(p, file, form, fields);
    else
        status = assemble_cone(p, file, form, fields, sizes);
    if (status == STI_OK)
        *out = p;
    else
        sti_problem_destroy(p);
    return status;
}

sti_status sti_problem_assemble_contact(sti_env* env, sti_fclib* contact, sti_problem** out) {
    const sti_status status = sti_problem_create(env, STI_KIND_CONTACT, out);
    if (status == STI_OK)
        (*out)->contact = contact;
    else
        sti_fclib_destroy(env, contact);
    return status;
}

void sti_problem_destroy(sti_problem* p) {
    if (p == NULL) return;
    sti_matrix_clear(p->env, &p->lcp.M);
    sti_matrix_clear(p->env, &p->mlcp.A);
    sti_matrix_clear(p->env, &p->mlcp.C);
    sti_matrix_clear(p->env, &p->mlcp.D);
    sti_matrix_clear(p->env, &p->mlcp.B);
    sti_matrix_clear(p->env, &p->qp.P);
    sti_matrix_clear(p->env, &p->qp.A);
    sti_matrix_clear(p->env, &p->l1.A);
    for (int k = 0; k < 4; k++) sti_free(p->env, p->side[k]);
    for (int k = 0; k < STI_MATRIX_COUNT; k++) sti_free(p->env, p->table[k]);
    for (int k = 0; k < 2; k++) {
        sti_free(p->env, p->vector[k]);
        sti_rationals_destroy(p->exact[k]);
    }
    sti_fclib_destroy(p->env, p->contact);
    sti_instant_destroy(p->env, p->instant);
    sti_system_destroy(p->system);
    sti_free(p->env, p->scene);
    sti_world_scene_destroy(p->env, p->world);
    sti_world_source_destroy(p->env, p->source);
    if (p->posed != NULL) p->destroy_posed(p->env, p->posed);
    sti_free(p->env, p);
}

sti_kind sti_problem_kind(const sti_problem* problem) {
    return problem->kind;
}

const sti_lcp* sti_problem_lcp(const sti_problem* problem) {
    return problem->kind == STI_KIND_LCP ? &problem->lcp : NULL;
}

const sti_mlcp* sti_problem_mlcp(const sti_problem* problem) {
    return problem->kind == STI_KIND_MLCP ? &problem->mlcp : NULL;
}

const sti_qp* sti_problem_qp(const sti_problem* problem) {
    return problem->kind == STI_KIND_QP ? &problem->qp : NULL;
}

const sti_l1* sti_problem_l1(const sti_problem* problem) {
    return problem->kind == STI_KIND_L1 ? &problem->l1 : NULL;
}

const sti_cone_input* sti_problem_cone(const sti_problem* problem) {
    return problem->kind == STI_KIND_CONE ? &problem->cone : NULL;
}

const sti_matrices* sti_problem_matrices(const sti_problem* problem) {
    return problem->kind == STI_KIND_MATRICES ? &problem->matrices : NULL;
}

const sti_contact_problem* sti_problem_contact(const sti_problem* problem) {
    return problem->kind == STI_KIND_CONTACT ? &problem->contact->problem : NULL;
}

const sti_contact_info* sti_problem_contact_info(const sti_problem* problem) {
    return problem->kind == STI_KIND_CONTACT ? &problem->contact->info : NULL;
}

const sti_instant* sti_problem_instant(const sti_problem* problem) {
    return problem->kind == STI_KIND_INSTANT || problem->kind == STI_KIND_GRASP ? problem->instant : NULL;
}

sti_system* sti_problem_system(const sti_problem* problem) {
    return problem->kind == STI_KIND_SYSTEM ? problem->system : NULL;
}

const sti_scene* sti_problem_scene(const sti_problem* problem) {
    return problem->kind == STI_KIND_SCENE ? problem->scene : NULL;
}

const sti_world_scene* sti_problem_world(const sti_problem* problem) {
    return problem->kind == STI_KIND_SCENE ? problem->world : NULL;
}

sti_status sti_problem_parse(sti_env* env, const char* text, size_t size, const char* name, sti_problem** out) {
    *out = NULL;
    if (size > STI_IO_TEXT_MOST) return sti_file_fail(env, STI_ERR_INPUT, name, "too long to be read as text");
    char* copy = sti_alloc(env, sti_size_add(size, 1));
    if (copy == NULL) return STI_FAIL(env, STI_ERR_MEMORY, -1, "text of %.200s", name);
    if (size > 0) memcpy(copy, text, size);
    copy[size] = '\0';
    const sti_status status = sti_problem_read_json(env, copy, size, name, NULL, out);
    sti_free(env, copy);
    return status;
}

// The folder of a file, with its slash; "" for the current one. NULL: no memory.
static char* folder_of(sti_env* env, const char* path) {
    char* folder = sti_strdup(env, path);
    if (folder == NULL) return NULL;
    char* slash = strrchr(folder, '/');
    if (slash != NULL)
        slash[1] = '\0';
    else
        folder[0] = '\0';
    return folder;
}

sti_status sti_problem_load(sti_env* env, const char* path, sti_problem** out) {
    static const unsigned char hdf5[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    static const char market[] = "%%MatrixMarket";
    unsigned char head[16];
    size_t count;
    *out = NULL;
    sti_status status = sti_file_peek(env, path, head, sizeof head, &count);
    if (status != STI_OK) return status;
    if (count >= sizeof hdf5 && memcmp(head, hdf5, sizeof hdf5) == 0) return sti_problem_read_hdf5(env, path, out);
    if (count >= sizeof market - 1 && memcmp(head, market, sizeof market - 1) == 0)
        return sti_file_fail(
            env, STI_ERR_INPUT, path,
            "a matrix, not a problem; name it in a problem: {\"kind\": \"lcp\", \"M\": {\"file\": ...}, ...}");
    if (sti_file_has_suffix(path, ".hdf5") || sti_file_has_suffix(path, ".h5"))
        return sti_file_fail(env, STI_ERR_INPUT, path, "not an HDF5 file: its signature is missing");
    char* text;
    size_t size;
    status = sti_file_read(env, path, STI_IO_TEXT_MOST, &text, &size);
    if (status != STI_OK) return status;
    char* folder = folder_of(env, path);
    if (folder == NULL)
        status = STI_FAIL(env, STI_ERR_MEMORY, -1, "folder of %.200s", path);
    else
        status = sti_problem_read_json(env, text, size, path, folder, out);
    sti_free(env, folder);
    sti_free(env, text);
    return status;
}

// A field that can be written: of the right shape, with finite entries.
static sti_status check_outgoing(sti_env* env, const sti_outgoing* f, const char* path) {
    const bool sparse = f->matrix != NULL && sti_matrix_is_sparse(f->matrix);
    if (f->rows < 0 || f->cols < 0 || (f->matrix != NULL && (f->matrix->rows != f->rows || f->matrix->cols != f->cols)))
        return sti_file_fail(env, STI_ERR_ARGUMENT, path, "%s: not %d x %d", f->name, f->rows, f->cols);
    const size_t area = (size_t)f->rows * (size_t)f->cols;
    const double* value = f->matrix == NULL ? f->vector : sparse ? f->matrix->value : f->matrix->dense;
    const size_t count = sparse ? (size_t)f->matrix->col_start[f->cols] : area;
    if (count > 0 && value == NULL) return sti_file_fail(env, STI_ERR_ARGUMENT, path, "%s: has no entries", f->name);
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(value[k]))
            return sti_file_fail(env, STI_ERR_ARGUMENT, path, "%s: %g: only finite numbers can be saved", f->name,
                                 value[k]);
    }
    return STI_OK;
}

static sti_status save(sti_env* env, sti_kind kind, const sti_outgoing* fields, int n, int m, const char* path) {
    const sti_kind_form* form = NULL;
    sti_status status = sti_kind_form_find(env, path, sti_kind_text(kind), &form);
    for (int k = 0; status == STI_OK && k < form->field_count; k++) status = check_outgoing(env, &fields[k], path);
    if (status != STI_OK) return status;
    if (sti_file_has_suffix(path, ".json")) return sti_problem_write_json(env, form, fields, n, m, path);
    if (sti_file_has_suffix(path, ".hdf5") || sti_file_has_suffix(path, ".h5"))
        return sti_problem_write_hdf5(env, form, fields, n, m, path);
    return sti_file_fail(env, STI_ERR_ARGUMENT, path, "a name that ends in .json, .hdf5 or .h5 is expected");
}

sti_status sti_lcp_save(sti_env* env, const sti_lcp* lcp, const char* path) {
    const int n = lcp->n;
    const size_t width = (size_t)n;
    // exact data of one part stands beside the doubles of the other
    const sti_outgoing fields[2] = {
        {.name = "M", .matrix = &lcp->M, .rows = n, .cols = n, .exact = lcp->M_exact, .stride = width},
        {.name = "q", .vector = lcp->q, .rows = n, .cols = 1, .exact = lcp->q_exact, .stride = 1},
    };
    return save(env, STI_KIND_LCP, fields, n, -1, path);
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
    return save(env, STI_KIND_MLCP, fields, n, m, path);
}

sti_status sti_l1_save(sti_env* env, const sti_l1* problem, const char* path) {
    const int m = problem->m, n = problem->n;
    const sti_outgoing fields[2] = {
        {.name = "A", .matrix = &problem->A, .rows = m, .cols = n},
        {.name = "b", .vector = problem->b, .rows = m, .cols = 1},
    };
    return save(env, STI_KIND_L1, fields, n, m, path);
}
