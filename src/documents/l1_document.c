// l1_document.c: least sums of absolute values from fields and back.
#include <stiction/l1.h>

#include "documents/document.h"
#include "formats/file.h"

enum { A, B };

static const sti_form form = {.kind = "l1",
                              .field_count = 2,
                              .field = {{"A", true, false, false}, {"b", false, false, false}},
                              .size_count = 2,
                              .size = {"n", "m"},
                              .exact = STI_EXACT_NEVER};

typedef struct store {
    sti_l1 l1;  // first member: what sti_l1_of hands out; its matrix is owned
    double* b;
} store;

static void destroy(sti_env* env, void* content) {
    store* s = content;
    if (s == NULL) return;
    sti_matrix_clear(env, &s->l1.A);
    sti_free(env, s->b);
    sti_free(env, s);
}

static sti_status assemble(sti_fields* fields, void** out) {
    sti_field* f = fields->field;
    const int m = f[B].rows, n = f[A].cols < 0 ? 0 : f[A].cols;
    if (m == 0)
        return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file, "b: empty: at least one entry is expected");
    if (n == 0)
        return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file, "A: empty: at least one column is expected");
    sti_status status = sti_fields_check_size(fields, 0, n, "A");
    if (status == STI_OK) status = sti_fields_check_size(fields, 1, m, "b");
    if (status == STI_OK) status = sti_fields_check_shape(fields, A, m, n, "as many rows as b has entries");
    if (status != STI_OK) return status;
    store* s = *out = sti_alloc_array_zero(fields->env, 1, sizeof *s);
    if (s == NULL) return STI_ERR_MEMORY;
    s->b = sti_field_take_vector(&f[B]);
    s->l1 = (sti_l1){.m = m, .n = n, .A = sti_field_take_matrix(&f[A]), .b = s->b};
    return STI_OK;
}

sti_status sti_l1_save(sti_env* env, const sti_l1* problem, const char* path) {
    const int m = problem->m, n = problem->n;
    const sti_outgoing fields[2] = {
        {.name = "A", .matrix = &problem->A, .rows = m, .cols = n},
        {.name = "b", .vector = problem->b, .rows = m, .cols = 1},
    };
    return sti_fields_save(env, &form, fields, n, m, path);
}

static sti_status save(sti_env* env, const void* content, const char* path) {
    return sti_l1_save(env, content, path);
}

const sti_kind_row sti_kind_l1 = {.form = &form, .assemble = assemble, .destroy = destroy, .save = save};

const sti_l1* sti_l1_of(const sti_document* document) {
    return sti_document_content(document, STI_KIND_L1);
}
