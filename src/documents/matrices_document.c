// matrices_document.c: matrices that somebody brings along, from fields.
#include <stiction/norms.h>

#include "documents/document.h"
#include "exact/rationals.h"
#include "formats/file.h"

enum { P, N, G, E, D, N_H, T, MU, COUNT };

static const sti_form form = {.kind = "matrices",
                              .field_count = COUNT,
                              .field = {{"P", true, true, false},
                                        {"N", true, true, false},
                                        {"G", true, true, false},
                                        {"E", true, true, false},
                                        {"D", true, true, false},
                                        {"n_H", true, true, false},
                                        {"T", true, true, false},
                                        {"mu", false, true, false}},
                              .exact = STI_EXACT_WHOLE};

typedef struct store {
    sti_matrices matrices;  // first member: what sti_matrices_of hands out
    double* table[COUNT];   // NULL: not given
    sti_rationals* exact;   // of T
} store;

static void destroy(sti_env* env, void* content) {
    store* s = content;
    if (s == NULL) return;
    for (int k = 0; k < COUNT; k++) sti_free(env, s->table[k]);
    sti_rationals_destroy(s->exact);
    sti_free(env, s);
}

// One of the matrices, dense; rows or cols -1: any.
static sti_status take_table(sti_fields* fields, int which, int rows, int cols, const char* why, double** out) {
    const sti_field* f = &fields->field[which];
    const char* name = form.field[which].name;
    if (f->cols < 1 || f->rows < 1)
        return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file, "%s: empty: at least one row is expected", name);
    if ((int64_t)f->rows * f->cols > STI_FILE_CONE_MOST)
        return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file, "%s: %d x %d: more than %d entries", name,
                             f->rows, f->cols, STI_FILE_CONE_MOST);
    const sti_status status =
        sti_fields_check_shape(fields, which, rows < 0 ? f->rows : rows, cols < 0 ? f->cols : cols, why);
    return status == STI_OK ? sti_fields_take_dense(fields, which, out) : status;
}

static sti_status take_tables(sti_fields* fields, const sti_matrices* m, double** table) {
    const sti_field* f = fields->field;
    const struct {
        int which, rows, cols;
        const char* why;
    } shapes[] = {{P, m->sum_size, m->sum_size, "a square matrix"},
                  {N, m->sum_size, m->sum_size, "as large as P"},
                  {G, m->size, m->size, "a square matrix"},
                  {E, m->E_size, m->E_size, "a square matrix"},
                  {D, m->E_size, m->E_size, "as large as E"},
                  {N_H, f[G].given ? m->size : -1, -1, "as many rows as G has"},
                  {T, -1, -1, ""}};
    sti_status status = STI_OK;
    bool any = f[MU].given;
    for (size_t k = 0; status == STI_OK && k < sizeof shapes / sizeof shapes[0]; k++) {
        const int which = shapes[k].which;
        if (!f[which].given) continue;
        any = true;
        status = take_table(fields, which, shapes[k].rows, shapes[k].cols, shapes[k].why, &table[which]);
    }
    if (status == STI_OK && !any)
        status = sti_file_fail(fields->env, STI_ERR_INPUT, fields->file,
                               "no matrix: P, N, G, E, D, n_H, T or mu is expected");
    return status;
}

static sti_status check(const sti_fields* fields, const sti_matrices* m) {
    const sti_field* f = fields->field;
    if (f[G].given && f[E].given && !f[D].given && m->E_size != m->size)
        return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file, "E: %d x %d: %d x %d is expected, as large as G",
                             m->E_size, m->E_size, m->size, m->size);
    if (f[MU].given && f[MU].rows != m->slip_count)
        return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file,
                             "mu: %d entries: %d are expected, one per column of n_H", f[MU].rows, m->slip_count);
    return STI_OK;
}

static sti_status assemble(sti_fields* fields, void** out) {
    sti_field* f = fields->field;
    store* s = *out = sti_alloc_array_zero(fields->env, 1, sizeof *s);
    if (s == NULL) return STI_ERR_MEMORY;
    sti_matrices* m = &s->matrices;
    *m = (sti_matrices){.sum_size = f[P].given ? f[P].rows : f[N].rows,
                        .size = f[G].rows,
                        .E_size = f[E].given ? f[E].rows : f[D].rows,
                        .slip_count = f[N_H].given ? f[N_H].cols : f[MU].rows,
                        .rows = f[T].rows,
                        .cols = f[T].cols};
    sti_status status = take_tables(fields, m, s->table);
    if (status == STI_OK) status = check(fields, m);
    if (status != STI_OK) return status;
    s->table[MU] = sti_field_take_vector(&f[MU]);
    s->exact = sti_field_take_exact(&f[T]);
    m->P = s->table[P];
    m->N = s->table[N];
    m->G = s->table[G];
    m->E = s->table[E];
    m->D = s->table[D];
    m->n_H = s->table[N_H];
    m->T = s->table[T];
    m->mu = s->table[MU];
    m->exact = s->exact;
    return STI_OK;
}

const sti_kind_row sti_kind_matrices = {.form = &form, .assemble = assemble, .destroy = destroy};

const sti_matrices* sti_matrices_of(const sti_document* document) {
    return sti_document_content(document, STI_KIND_MATRICES);
}
