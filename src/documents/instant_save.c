// instant_save.c: an instant as JSON that reads back as the same numbers, exact ones included.
#include <math.h>
#include <stiction/instant.h>

#include "documents/document.h"
#include "formats/file.h"
#include "formats/json_write.h"

// One number: a whole one as it is, any other from its table as a fraction in quotes, or with 17 digits where there is
// no table. The reader takes decimals by their digits, so 17 digits give back the double but are not exactly it.
static void put(sti_json* j, const char* key, double value, const sti_rationals* table, size_t k) {
    const bool whole = value == floor(value) && fabs(value) <= 0x1p53;
    if (table != NULL && !(whole && sti_rationals_is_double(table, k)))
        sti_json_fraction(j, key, table, k);
    else
        sti_json_double(j, key, value);
}

static void put_list(sti_json* j, const char* key, const double* x, const sti_rationals* table, size_t first,
                     size_t count) {
    sti_json_array(j, key);
    for (size_t k = 0; k < count; k++) put(j, NULL, x[k], table, first + k);
    sti_json_end(j);
}

static void put_rows(sti_json* j, const char* key, const double* x, const sti_rationals* table, size_t first,
                     size_t rows, size_t cols) {
    sti_json_array(j, key);
    for (size_t i = 0; i < rows; i++) put_list(j, NULL, x + i * cols, table, first + sti_size_mul(i, cols), cols);
    sti_json_end(j);
}

// i: the contact; row: its first row of t among those of all contacts
static void put_contact(sti_json* j, const sti_instant* a, size_t i, size_t row) {
    static const sti_instant_exact none = {0};
    const sti_instant_exact* e = a->exact != NULL ? a->exact : &none;
    const sti_instant_contact* c = &a->contacts[i];
    const size_t n = (size_t)a->n, rows = (size_t)c->tangent_count;
    sti_json_break(j);
    sti_json_object(j, NULL);
    sti_json_text(j, "name", c->name);
    sti_json_text(j, "type", c->pressed ? "bounded" : c->bilateral ? "bilateral" : "unilateral");
    if (c->state != STI_INSTANT_BY_VELOCITY) sti_json_text(j, "mode", sti_instant_state_text(c->state));
    put(j, "gap", c->gap, e->gap, i);
    if (rows > 0) {
        put(j, "mu", c->mu, e->mu, i);
        put(j, "mu_kinetic", c->mu_kinetic, e->mu_kinetic, i);
    }
    sti_json_double(j, "restitution", c->restitution);
    sti_json_double(j, "restitution_t", c->restitution_t);
    put_list(j, "n", c->n, e->n, sti_size_mul(i, n), n);
    put(j, "n_rate", c->n_rate, e->n_rate, i);
    if (rows > 0) {
        put_rows(j, "t", c->t, e->t, sti_size_mul(row, n), rows, n);
        put_list(j, "t_rate", c->t_rate, e->t_rate, row, rows);
        bool moves = false;
        for (size_t k = 0; c->t_offset != NULL && k < rows; k++) moves = moves || c->t_offset[k] != 0;
        if (moves) sti_json_doubles(j, "t_offset", c->t_offset, rows);
    }
    if (c->corner_count > 0) put_rows(j, "polygon", c->corner, NULL, 0, (size_t)c->corner_count, 2);
    if (c->n_offset != 0) sti_json_double(j, "n_offset", c->n_offset);
    sti_json_end(j);
}

static void put_instant(sti_json* j, const sti_instant* a) {
    static const sti_instant_exact none = {0};
    const sti_instant_exact* e = a->exact != NULL ? a->exact : &none;
    const size_t n = (size_t)a->n, p = (size_t)a->contact_count;
    sti_json_text(j, "kind", sti_kind_text(STI_KIND_INSTANT));
    sti_json_double(j, "time", a->time);
    if (a->names != NULL) {
        sti_json_array(j, "coordinates");
        for (size_t k = 0; k < n; k++) sti_json_text(j, NULL, a->names[k]);
        sti_json_end(j);
    }
    sti_json_break(j);
    sti_json_array(j, "M");
    for (size_t i = 0; i < n; i++) {
        sti_json_break(j);
        put_list(j, NULL, a->M + i * n, e->M, sti_size_mul(i, n), n);
    }
    sti_json_end(j);
    sti_json_break(j);
    put_list(j, "F", a->F, e->F, 0, n);
    sti_json_break(j);
    put_list(j, "v", a->v, e->v, 0, n);
    sti_json_break(j);
    sti_json_array(j, "contacts");
    size_t row = 0;
    for (size_t i = 0; i < p; i++) {
        put_contact(j, a, i, row);
        row += (size_t)a->contacts[i].tangent_count;
    }
    sti_json_end(j);
    if (a->restitution != NULL) put_rows(j, "restitution", a->restitution, NULL, 0, p, p);
}

sti_status sti_instant_save(sti_env* env, const sti_instant* instant, const char* path) {
    if (!sti_file_has_suffix(path, ".json"))
        return sti_file_fail(env, STI_ERR_ARGUMENT, path, "a name that ends in .json is expected");
    sti_status status = sti_instant_check(env, instant);
    if (status != STI_OK) return status;
    sti_json j;
    char* text;
    size_t size;
    sti_json_begin(&j, env);
    put_instant(&j, instant);
    status = sti_json_finish(&j, &text, &size);
    if (status != STI_OK) return status;
    text[size] = '\n';  // in place of the 0
    status = sti_file_write(env, path, text, size + 1);
    sti_free(env, text);
    return status;
}
