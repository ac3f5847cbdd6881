// avi_document.c: affine variational inequalities over polyhedra, relays among them, from fields and back; answers as
// JSON.
//
//     {"kind": "avi", "M": [[..]], "q": [..], "A": [[..]], "b": [..], "E": [[..]], "e": [..], "lb": [0, null], "ub":
//     [..]} {"kind": "relay", "M": [[..]], "q": [..], "lb": [-1, -1], "ub": [1, 1]}
//
// Of an avi M and q are needed; A x >= b and E x = e come in twos. Of a relay lb is -1 and ub is 1 where they are not
// given.
#include <math.h>
#include <stdio.h>
#include <stiction/io.h>
#include <stiction/vi.h>
#include <string.h>

#include "documents/document.h"
#include "documents/json_answer.h"
#include "exact/rationals.h"
#include "formats/file.h"

static const sti_form avi_form = {.kind = "avi",
                                  .field_count = 8,
                                  .field = {{"M", true, false, false},
                                            {"q", false, false, false},
                                            {"A", true, true, false},
                                            {"b", false, true, false},
                                            {"E", true, true, false},
                                            {"e", false, true, false},
                                            {"lb", false, true, true},
                                            {"ub", false, true, true}},
                                  .size_count = 2,
                                  .size = {"n", "m"}};

static const sti_form relay_form = {.kind = "relay",
                                    .field_count = 4,
                                    .field = {{"M", true, false, false},
                                              {"q", false, false, false},
                                              {"lb", false, true, true},
                                              {"ub", false, true, true}},
                                    .size_count = 1,
                                    .size = {"n"}};

typedef struct store {
    sti_avi avi;  // first member: what sti_avi_of hands out; what it points to is owned
} store;

static void destroy(sti_env* env, void* content) {
    store* s = content;
    if (s == NULL) return;
    sti_avi* p = &s->avi;
    sti_matrix_clear(env, &p->M);
    sti_matrix_clear(env, &p->A);
    sti_matrix_clear(env, &p->E);
    const double* vectors[] = {p->q, p->b, p->e, p->lb, p->ub};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) sti_free(env, (double*)vectors[k]);
    const sti_rationals* exact[] = {p->M_exact, p->A_exact, p->E_exact,  p->q_exact,
                                    p->b_exact, p->e_exact, p->lb_exact, p->ub_exact};
    for (size_t k = 0; k < sizeof exact / sizeof exact[0]; k++) sti_rationals_destroy((sti_rationals*)exact[k]);
    sti_free(env, s);
}

// Bounds, one for each unknown. null, and 1e20 and more in size, is none; what is not given is `usual` everywhere, NAN:
// no bounds.
static sti_status take_bounds(sti_fields* fields, int which, int n, double none, double usual, const double** out,
                              const sti_rationals** exact) {
    sti_field* f = &fields->field[which];
    const char* name = fields->form->field[which].name;
    if (!f->given && isnan(usual)) return STI_OK;
    if (f->given && f->rows != n)
        return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file,
                             "%s: %d entries: %d are expected, one for each unknown", name, f->rows, n);
    double* bound = f->given ? sti_field_take_vector(f) : sti_alloc_array(fields->env, (size_t)n, sizeof *bound);
    if (bound == NULL) return STI_ERR_MEMORY;
    *out = bound;
    *exact = sti_field_take_exact(f);
    for (int i = 0; i < n; i++) {
        if (f->given && (none < 0 ? bound[i] >= 1e20 : bound[i] <= -1e20))
            return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file,
                                 "%s[%d]: %g: less than 1e20 in size is expected", name, i, bound[i]);
        if (!f->given)
            bound[i] = usual;
        else if (isnan(bound[i]) || fabs(bound[i]) >= 1e20)
            bound[i] = none;
    }
    return STI_OK;
}

static sti_status take_rows(sti_fields* fields, int matrix, int n, int* rows, sti_matrix* out, const double** side,
                            const sti_rationals** matrix_exact, const sti_rationals** side_exact) {
    sti_field* f = fields->field;
    const char *name = fields->form->field[matrix].name, *other = fields->form->field[matrix + 1].name;
    if (f[matrix].given != f[matrix + 1].given)
        return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file, "%s is given without %s",
                             f[matrix].given ? name : other, f[matrix].given ? other : name);
    if (!f[matrix].given) return STI_OK;
    *rows = f[matrix + 1].rows;
    char why[60];
    snprintf(why, sizeof why, "as many rows as %s has entries, as many columns as q", other);
    const sti_status status = sti_fields_check_shape(fields, matrix, *rows, n, why);
    if (status != STI_OK) return status;
    *matrix_exact = sti_field_take_exact(&f[matrix]);
    *side_exact = sti_field_take_exact(&f[matrix + 1]);
    *side = sti_field_take_vector(&f[matrix + 1]);
    *out = sti_field_take_matrix(&f[matrix]);
    return STI_OK;
}

static sti_status take_map(sti_fields* fields, store** out) {
    enum { M, Q };
    sti_field* f = fields->field;
    const int n = f[Q].rows;
    if (n == 0)
        return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file, "q: empty: at least one entry is expected");
    sti_status status = sti_fields_check_size(fields, 0, n, "q");
    if (status == STI_OK) status = sti_fields_check_shape(fields, M, n, n, "n x n with n the length of q");
    if (status != STI_OK) return status;
    store* s = *out = sti_alloc_array_zero(fields->env, 1, sizeof *s);
    if (s == NULL) return STI_ERR_MEMORY;
    s->avi.n = n;
    s->avi.M_exact = sti_field_take_exact(&f[M]);
    s->avi.q_exact = sti_field_take_exact(&f[Q]);
    s->avi.q = sti_field_take_vector(&f[Q]);
    s->avi.M = sti_field_take_matrix(&f[M]);
    return STI_OK;
}

static sti_status assemble_avi(sti_fields* fields, void** out) {
    enum { A = 2, E = 4, LB = 6, UB };
    store* s = NULL;
    sti_status status = take_map(fields, &s);
    *out = s;
    if (status != STI_OK) return status;
    sti_avi* p = &s->avi;
    status = take_rows(fields, A, p->n, &p->m, &p->A, &p->b, &p->A_exact, &p->b_exact);
    if (status == STI_OK) status = take_rows(fields, E, p->n, &p->k, &p->E, &p->e, &p->E_exact, &p->e_exact);
    if (status == STI_OK) status = sti_fields_check_size(fields, 1, p->m, "b");
    if (status == STI_OK) status = take_bounds(fields, LB, p->n, -INFINITY, NAN, &p->lb, &p->lb_exact);
    if (status == STI_OK) status = take_bounds(fields, UB, p->n, INFINITY, NAN, &p->ub, &p->ub_exact);
    return status;
}

static sti_status assemble_relay(sti_fields* fields, void** out) {
    enum { LB = 2, UB };
    store* s = NULL;
    sti_status status = take_map(fields, &s);
    *out = s;
    if (status != STI_OK) return status;
    sti_avi* p = &s->avi;
    status = take_bounds(fields, LB, p->n, -INFINITY, -1, &p->lb, &p->lb_exact);
    if (status == STI_OK) status = take_bounds(fields, UB, p->n, INFINITY, 1, &p->ub, &p->ub_exact);
    return status;
}

// ---- out

// Bounds as files have them: 1e20 for one that is none. Copies, exact ones too; NULL of NULL.
typedef struct written {
    double* bound;
    sti_rationals* exact;
} written;

static sti_status write_bounds(sti_env* env, int n, const double* bound, const sti_rationals* exact, written* out) {
    *out = (written){0};
    if (bound == NULL) return STI_OK;
    out->bound = sti_alloc_array(env, (size_t)n, sizeof *out->bound);
    if (out->bound == NULL) return STI_ERR_MEMORY;
    sti_status status = exact != NULL ? sti_rationals_slice(env, exact, 0, (size_t)n, &out->exact) : STI_OK;
    for (int i = 0; status == STI_OK && i < n; i++) {
        out->bound[i] = bound[i];
        if (isfinite(bound[i])) continue;
        out->bound[i] = bound[i] < 0 ? -1e20 : 1e20;
        if (out->exact != NULL) status = sti_rationals_set_double(out->exact, (size_t)i, out->bound[i]);
    }
    return status;
}

static void drop_bounds(sti_env* env, written* w) {
    sti_free(env, w->bound);
    sti_rationals_destroy(w->exact);
}

static sti_status save_as(sti_env* env, const sti_form* full, const sti_avi* p, const written* low, const written* high,
                          const char* path) {
    const struct {
        const char* name;
        const sti_matrix* matrix;
        const double* vector;
        const sti_rationals* exact;
        int rows;
    } all[8] = {{"M", &p->M, NULL, p->M_exact, p->n},       {"q", NULL, p->q, p->q_exact, p->n},
                {"A", &p->A, NULL, p->A_exact, p->m},       {"b", NULL, p->b, p->b_exact, p->m},
                {"E", &p->E, NULL, p->E_exact, p->k},       {"e", NULL, p->e, p->e_exact, p->k},
                {"lb", NULL, low->bound, low->exact, p->n}, {"ub", NULL, high->bound, high->exact, p->n}};
    sti_form form = {.kind = full->kind, .size_count = full->size_count};
    memcpy(form.size, full->size, sizeof form.size);
    sti_outgoing fields[8];
    for (int k = 0; k < 8; k++) {
        if (all[k].rows == 0 || (all[k].matrix == NULL && all[k].vector == NULL)) continue;
        form.field[form.field_count] = (sti_field_name){.name = all[k].name, .matrix = all[k].matrix != NULL};
        fields[form.field_count++] = (sti_outgoing){.name = all[k].name,
                                                    .matrix = all[k].matrix,
                                                    .vector = all[k].vector,
                                                    .rows = all[k].rows,
                                                    .cols = all[k].matrix != NULL ? p->n : 1,
                                                    .exact = all[k].exact,
                                                    .stride = all[k].matrix != NULL ? (size_t)p->n : 1};
    }
    return sti_fields_save(env, &form, fields, p->n, full->size_count > 1 ? p->m : -1, path);
}

static sti_status save_form(sti_env* env, const sti_form* form, const sti_avi* p, const char* path) {
    written low = {0}, high = {0};
    sti_status status = write_bounds(env, p->n, p->lb, p->lb_exact, &low);
    if (status == STI_OK) status = write_bounds(env, p->n, p->ub, p->ub_exact, &high);
    if (status == STI_OK) status = save_as(env, form, p, &low, &high, path);
    drop_bounds(env, &low);
    drop_bounds(env, &high);
    return status;
}

sti_status sti_avi_save(sti_env* env, const sti_avi* avi, const char* path) {
    return save_form(env, &avi_form, avi, path);
}

static sti_status save_avi(sti_env* env, const void* content, const char* path) {
    return save_form(env, &avi_form, content, path);
}

static sti_status save_relay(sti_env* env, const void* content, const char* path) {
    return save_form(env, &relay_form, content, path);
}

const sti_kind_row sti_kind_avi = {.form = &avi_form, .assemble = assemble_avi, .destroy = destroy, .save = save_avi};
const sti_kind_row sti_kind_relay = {
    .form = &relay_form, .assemble = assemble_relay, .destroy = destroy, .save = save_relay};

const sti_avi* sti_avi_of(const sti_document* document) {
    const sti_avi* avi = sti_document_content(document, STI_KIND_AVI);
    return avi != NULL ? avi : sti_document_content(document, STI_KIND_RELAY);
}

// ---- answers

sti_status sti_avi_answer_json(sti_env* env, const sti_avi* p, const sti_lcp_answer* answer, sti_kind kind,
                               char** out) {
    char *mixed = NULL, *head = NULL;
    *out = NULL;
    double* F = sti_alloc_array(env, (size_t)p->n, sizeof *F);
    if (F == NULL) return STI_ERR_MEMORY;
    for (int i = 0; answer->u != NULL && i < p->n; i++) {
        F[i] = p->q[i];
        for (int j = 0; j < p->n; j++) F[i] += sti_matrix_get(&p->M, i, j) * answer->u[j];
    }
    sti_json j;
    sti_json_begin(&j, env);
    sti_json_text(&j, "kind", sti_kind_text(kind));
    sti_json_doubles(&j, "x", answer->u, (size_t)p->n);
    sti_json_doubles(&j, "F", answer->u != NULL ? F : NULL, (size_t)p->n);
    size_t size = 0;
    sti_status status = sti_json_finish(&j, &head, &size);
    sti_free(env, F);
    if (status == STI_OK) status = sti_lcp_answer_json(env, answer, &mixed);
    // the fields of the mixed problem behind these: its kind is left out
    const char* rest = status == STI_OK ? strchr(mixed, ',') : NULL;
    if (rest != NULL) {
        *out = sti_alloc_array(env, size + strlen(rest) + 1, 1);
        if (*out == NULL) status = STI_ERR_MEMORY;
        if (*out != NULL) snprintf(*out, size + strlen(rest) + 1, "%.*s%s", (int)(size - 1), head, rest);
    }
    sti_free(env, head);
    sti_free(env, mixed);
    return status;
}

sti_status sti_avi_answer_save(sti_env* env, const sti_avi* avi, const sti_lcp_answer* answer, sti_kind kind,
                               const char* path) {
    char* text;
    const sti_status status = sti_avi_answer_json(env, avi, answer, kind, &text);
    return status == STI_OK ? sti_json_save_text(env, text, strlen(text), path) : status;
}
