// cone_document.c: polyhedral cones from fields, by rays and lines or by inequalities and equations.
#include <stiction/cone.h>

#include "documents/document.h"
#include "exact/rationals.h"
#include "formats/file.h"

static const sti_form form = {.kind = "cone",
                              .field_count = 4,
                              .field = {{"rays", true, true, false},
                                        {"lines", true, true, false},
                                        {"inequalities", true, true, false},
                                        {"equations", true, true, false}},
                              .size_count = 1,
                              .size = {"dimension"},
                              .exact = STI_EXACT_WHOLE};

typedef struct store {
    sti_cone_input cone;      // first member: what sti_cone_input_of hands out
    double* table[2];         // of its first and second rows
    sti_rationals* exact[2];  // NULL, NULL: not exact
} store;

static void destroy(sti_env* env, void* content) {
    store* s = content;
    for (int k = 0; s != NULL && k < 2; k++) {
        sti_free(env, s->table[k]);
        sti_rationals_destroy(s->exact[k]);
    }
    sti_free(env, s);
}

// The dimension: of the rows there are, or the declared one.
static sti_status find_dimension(const sti_fields* fields, int* out) {
    const sti_field* f = fields->field;
    const int64_t declared = fields->size[0];
    int64_t dimension = declared;
    for (int k = 0; k < form.field_count; k++) {
        if (!f[k].given || f[k].cols < 0) continue;
        if (dimension >= 0 && f[k].cols != dimension)
            return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file, "%s: rows of %d: %lld is expected, as %s",
                                 form.field[k].name, f[k].cols, (long long)dimension,
                                 declared >= 0 ? "dimension says" : "in the other table");
        dimension = f[k].cols;
    }
    if (dimension < 0)
        return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file,
                             "dimension: missing: needed where there are no rows");
    if (dimension == 0)
        return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file, "dimension: 0: at least 1 is expected");
    for (int k = 0; k < form.field_count; k++) {
        if (f[k].rows > STI_FILE_CONE_MOST / dimension)
            return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file, "%s: %d x %lld: more than %d entries",
                                 form.field[k].name, f[k].rows, (long long)dimension, STI_FILE_CONE_MOST);
    }
    *out = (int)dimension;
    return STI_OK;
}

static sti_status take_rows(sti_fields* fields, store* s, int k, int which, bool exact, sti_rows* out) {
    sti_field* f = &fields->field[which];
    *out = (sti_rows){.count = f->rows, .dimension = s->cone.dimension};
    sti_status status = sti_fields_take_dense(fields, which, &s->table[k]);
    out->value = s->table[k];
    if (status != STI_OK || !exact) return status;
    s->exact[k] = sti_field_take_exact(f);
    if (s->exact[k] == NULL) status = sti_rationals_create(fields->env, 0, &s->exact[k]);
    out->exact = s->exact[k];
    return status;
}

static sti_status assemble(sti_fields* fields, void** out) {
    const sti_field* f = fields->field;
    const bool span = f[0].given || f[1].given, face = f[2].given || f[3].given;
    if (span && face)
        return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file,
                             "both rays or lines and inequalities or equations: one form is expected");
    if (!span && !face)
        return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file,
                             "rays: missing: rays and lines, or inequalities and equations, are expected");
    store* s = *out = sti_alloc_array_zero(fields->env, 1, sizeof *s);
    if (s == NULL) return STI_ERR_MEMORY;
    const int first = span ? 0 : 2, second = span ? 1 : 3;
    s->cone.span = span;
    sti_status status = find_dimension(fields, &s->cone.dimension);
    const bool exact = f[first].exact != NULL || f[second].exact != NULL;
    if (status == STI_OK) status = take_rows(fields, s, 0, first, exact, &s->cone.first);
    if (status == STI_OK) status = take_rows(fields, s, 1, second, exact, &s->cone.second);
    return status;
}

const sti_kind_row sti_kind_cone = {.form = &form, .assemble = assemble, .destroy = destroy};

const sti_cone_input* sti_cone_input_of(const sti_document* document) {
    return sti_document_content(document, STI_KIND_CONE);
}
