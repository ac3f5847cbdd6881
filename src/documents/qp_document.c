// qp_document.c: quadratic programs from fields.
#include <math.h>
#include <stiction/qp.h>

#include "documents/document.h"
#include "formats/file.h"

enum { P, C, A, L, U, LB, UB };

static const sti_form form = {.kind = "qp",
                              .field_count = 7,
                              .field = {{"P", true, true, false},
                                        {"c", false, false, false},
                                        {"A", true, true, false},
                                        {"l", false, true, true},
                                        {"u", false, true, true},
                                        {"lb", false, true, true},
                                        {"ub", false, true, true}},
                              .size_count = 2,
                              .size = {"n", "m"},
                              .exact = STI_EXACT_NEVER};

typedef struct store {
    sti_qp qp;  // first member: what sti_qp_of hands out; its matrices are owned
    double *c, *l, *u, *lb, *ub;
} store;

static void destroy(sti_env* env, void* content) {
    store* s = content;
    if (s == NULL) return;
    sti_matrix_clear(env, &s->qp.P);
    sti_matrix_clear(env, &s->qp.A);
    sti_free(env, s->c);
    sti_free(env, s->l);
    sti_free(env, s->u);
    sti_free(env, s->lb);
    sti_free(env, s->ub);
    sti_free(env, s);
}

// A vector of bounds, NULL when it is not given; entries that are none become `none`.
static sti_status take_side(sti_fields* fields, int which, int count, double none, double** out) {
    sti_field* f = &fields->field[which];
    const char* name = form.field[which].name;
    if (!f->given) return STI_OK;
    if (f->rows != count)
        return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file,
                             "%s: %d entries: %d are expected, one for each %s", name, f->rows, count,
                             name[1] == '\0' ? "row of A" : "variable");
    *out = sti_field_take_vector(f);
    for (int i = 0; i < count; i++) {
        if (isnan((*out)[i])) (*out)[i] = none;
    }
    return STI_OK;
}

static sti_status check(sti_fields* fields, int n, int m) {
    const sti_field* f = fields->field;
    if (n == 0)
        return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file, "c: empty: at least one entry is expected");
    sti_status status = sti_fields_check_size(fields, 0, n, "c");
    if (status == STI_OK) status = sti_fields_check_size(fields, 1, m, "A");
    if (status == STI_OK && f[P].given)
        status = sti_fields_check_shape(fields, P, n, n, "n x n with n the length of c");
    if (status == STI_OK && f[A].given)
        status = sti_fields_check_shape(fields, A, m, n, "as many columns as c has entries");
    return status;
}

static sti_status assemble(sti_fields* fields, void** out) {
    sti_field* f = fields->field;
    const int n = f[C].rows, m = f[A].given ? f[A].rows : 0;
    sti_status status = check(fields, n, m);
    if (status != STI_OK) return status;
    store* s = *out = sti_alloc_array_zero(fields->env, 1, sizeof *s);
    if (s == NULL) return STI_ERR_MEMORY;
    status = take_side(fields, L, m, -INFINITY, &s->l);
    if (status == STI_OK) status = take_side(fields, U, m, INFINITY, &s->u);
    if (status == STI_OK) status = take_side(fields, LB, n, -INFINITY, &s->lb);
    if (status == STI_OK) status = take_side(fields, UB, n, INFINITY, &s->ub);
    if (status != STI_OK) return status;
    s->c = sti_field_take_vector(&f[C]);
    s->qp = (sti_qp){.n = n,
                     .m = m,
                     .P = sti_field_take_matrix(&f[P]),
                     .A = sti_field_take_matrix(&f[A]),
                     .c = s->c,
                     .l = s->l,
                     .u = s->u,
                     .lb = s->lb,
                     .ub = s->ub};
    return STI_OK;
}

const sti_kind_row sti_kind_qp = {.form = &form, .assemble = assemble, .destroy = destroy};

const sti_qp* sti_qp_of(const sti_document* document) {
    return sti_document_content(document, STI_KIND_QP);
}
