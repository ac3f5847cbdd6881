// instant_read.c: an instant by numbers, from JSON.
//
//     {"kind": "instant",
//      "M": [[..]] or "M_diag": [..], "F": [..], "v": [..], "time": t, "coordinates": ["x", ..],
//          or {"file": "M.mtx"}
//      "contacts": [{"name": "tip", "type": "unilateral", "mu": 0.4, "mu_kinetic": 0.3, "n": [..], "t": [[..]],
//                    "n_rate": 0, "t_rate": [..], "n_offset": 0, "t_offset": [..], "gap": 0, "mode": "stick",
//                    "restitution": 0, "restitution_t": 0, "ellipse": {"axes": [1, 0.4], "angle": 0.3},
//                    or "polygon": [[1, 0], [0, 1], [-1, -1]]}],
//      "restitution": [[..]]}
//
// Only M (or M_diag) and the n of each contact must be there. A number outside quotes is taken by its digits, so 0.4 is
// 2/5; each is kept as a rational beside the double nearest to it. Only the speeds of surfaces that move (n_offset,
// t_offset), the restitutions and corners of polygons are doubles alone. With an ellipse the rows of t are stretched
// (docs/contact.md), and all of the instant is in doubles.
//
// The work goes in two passes: sizes first, so that everything is allocated at once, then values.

#include "documents/instant_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "documents/document.h"
#include "exact/rationals.h"
#include "formats/file.h"
#include "formats/json_fields.h"
#include "formats/json_matrix.h"
#include "system/instant.h"

enum { MOST_VELOCITIES = 3000, MOST_CONTACTS = 5000, MOST_ROWS = 2, MOST_CORNERS = 64 };

static const char* const root_names[] = {"kind", "name",        "M",    "M_diag",   "F",
                                         "v",    "coordinates", "time", "contacts", "restitution"};
static const char* const contact_names[] = {
    "name", "type", "mu",          "mu_kinetic",    "n",        "t",        "n_rate",  "t_rate",
    "gap",  "mode", "restitution", "restitution_t", "n_offset", "t_offset", "ellipse", "polygon"};

typedef struct reader {
    const sti_json_tree* tree;
    sti_instant_store* s;
    int n, contact_count;
    int* tangent_count;  // (contact_count)
    int* corner_count;   // (contact_count)
    sti_field M;         // of a matrix that is not a list of rows
} reader;

// ---- pass 1: sizes

static sti_status check_rows(const reader* r, const sti_place* place, const sti_json_value* list, int rows, int cols) {
    sti_status status = sti_json_check_list(r->tree, place, list, rows);
    int i = 0;
    for (const sti_json_value* row = status == STI_OK ? list->child : NULL; status == STI_OK && row != NULL;
         row = row->next) {
        const sti_place at = sti_place_index(place, i++);
        status = sti_json_check_list(r->tree, &at, row, cols);
    }
    return status;
}

static sti_status measure_mass(reader* r) {
    const sti_json_value *M = sti_json_field(r->tree->root, "M"), *diag = sti_json_field(r->tree->root, "M_diag");
    const sti_json_value* given = diag != NULL ? diag : M;
    const sti_place place = sti_place_key(NULL, diag != NULL ? "M_diag" : "M");
    if (M != NULL && diag != NULL)
        return sti_json_fail(r->tree, &place, diag, "M is given too: one of them is expected");
    const bool object = sti_json_is_object(given);
    if (!sti_json_is_array(given) && !object)
        return sti_json_fail(r->tree, &place, given,
                             diag != NULL ? "a list of numbers is expected" : "a list of rows is expected, or M_diag");
    sti_status status = STI_OK;
    if (object && diag != NULL) status = sti_json_read_vector(r->tree, &place, given, &r->M);
    if (object && diag == NULL) status = sti_json_read_matrix(r->tree, &place, given, &r->M);
    if (status != STI_OK) return status;
    r->n = object ? r->M.rows : sti_json_count(given);
    if (r->n < 1 || r->n > MOST_VELOCITIES)
        return sti_json_fail(r->tree, &place, given, "from 1 to %d velocities are expected", MOST_VELOCITIES);
    if (object && diag == NULL && r->M.cols != r->n)
        return sti_json_fail(r->tree, &place, given, "%d x %d: a square matrix is expected", r->n, r->M.cols);
    return diag != NULL || object ? STI_OK : check_rows(r, &place, M, r->n, r->n);
}

// Rows of t: a list of rows, or one row without brackets around it.
static sti_status measure_tangent(const reader* r, const sti_place* up, const sti_json_value* contact, int* rows) {
    const sti_json_value* t = sti_json_field(contact, "t");
    const sti_place place = sti_place_key(up, "t");
    *rows = 0;
    if (t == NULL) return STI_OK;
    if (!sti_json_is_array(t)) return sti_json_fail(r->tree, &place, t, "a list of rows is expected");
    const bool flat = t->child != NULL && !sti_json_is_array(t->child);
    *rows = flat ? 1 : sti_json_count(t);
    if (flat) return sti_json_check_list(r->tree, &place, t, r->n);
    if (*rows > MOST_ROWS)
        return sti_json_fail(r->tree, &place, t, "at most %d rows are expected: one in the plane, two in space",
                             MOST_ROWS);
    return check_rows(r, &place, t, *rows, r->n);
}

static sti_status measure_polygon(const reader* r, const sti_place* up, const sti_json_value* contact, int* corners) {
    const sti_json_value* polygon = sti_json_field(contact, "polygon");
    const sti_place place = sti_place_key(up, "polygon");
    *corners = 0;
    if (polygon == NULL) return STI_OK;
    if (!sti_json_is_array(polygon)) return sti_json_fail(r->tree, &place, polygon, "a list of corners is expected");
    if (sti_json_field(contact, "ellipse") != NULL)
        return sti_json_fail(r->tree, &place, polygon, "ellipse is given too: one of them is expected");
    *corners = sti_json_count(polygon);
    if (*corners < 3 || *corners > MOST_CORNERS)
        return sti_json_fail(r->tree, &place, polygon, "3 to %d corners are expected", MOST_CORNERS);
    return check_rows(r, &place, polygon, *corners, 2);
}

static sti_status measure_contacts(reader* r) {
    const sti_json_value* list = sti_json_field(r->tree->root, "contacts");
    const sti_place place = sti_place_key(NULL, "contacts");
    if (list != NULL && !sti_json_is_array(list)) return sti_json_fail(r->tree, &place, list, "a list is expected");
    r->contact_count = list != NULL ? sti_json_count(list) : 0;
    if (r->contact_count > MOST_CONTACTS)
        return sti_json_fail(r->tree, &place, list, "at most %d contacts are expected", MOST_CONTACTS);
    const size_t p = (size_t)r->contact_count;
    r->tangent_count = sti_alloc_array_zero(r->tree->env, sti_size_mul(2, p), sizeof *r->tangent_count);
    r->corner_count = r->tangent_count + (r->tangent_count != NULL ? p : 0);
    if (r->tangent_count == NULL) return STI_ERR_MEMORY;
    sti_status status = STI_OK;
    const sti_json_value* contact = list != NULL ? list->child : NULL;
    for (int i = 0; status == STI_OK && contact != NULL; contact = contact->next, i++) {
        const sti_place at = sti_place_index(&place, i), at_n = sti_place_key(&at, "n");
        if (!sti_json_is_object(contact)) return sti_json_fail(r->tree, &at, contact, "an object { .. } is expected");
        const sti_json_value* n = sti_json_field(contact, "n");
        if (n == NULL) return sti_json_fail(r->tree, &at_n, NULL, "the gradient of the gap, %d numbers", r->n);
        status = sti_json_check_list(r->tree, &at_n, n, r->n);
        if (status == STI_OK) status = measure_tangent(r, &at, contact, &r->tangent_count[i]);
        if (status == STI_OK) status = measure_polygon(r, &at, contact, &r->corner_count[i]);
    }
    return status;
}

// Exact tables are kept for all of the instant or for none of it.
static bool wants_exact(const reader* r) {
    size_t count = 0;
    int total = 0;
    const sti_json_value* list = sti_json_field(r->tree->root, "contacts");
    for (const sti_json_value* c = list != NULL ? list->child : NULL; c != NULL; c = c->next) {
        if (sti_json_field(c, "ellipse") != NULL) return false;
    }
    for (int i = 0; i < r->contact_count; i++) total += r->tangent_count[i];
    for (int k = 0; k < STI_INSTANT_TABLES; k++) count += sti_instant_exact_size(r->n, r->contact_count, total, k);
    return count <= STI_FILE_EXACT_MOST;
}

// ---- pass 2: values

// One number: nearest double, and exactly into entry k of a table (unless that is NULL).
static sti_status take(const reader* r, const sti_place* place, const sti_json_value* value, double* out,
                       sti_rationals* table, size_t k) {
    bool is_double;
    sti_status status = sti_json_read_number(r->tree, place, value, out, &is_double);
    if (status != STI_OK || table == NULL) return status;
    status = sti_json_read_exact(r->tree, place, value, table, k);
    if (status == STI_OK && *out == 0 && sti_rationals_sign(table, k) != 0)
        status = sti_json_fail(r->tree, place, value, "not zero, and too small to be near any other double");
    return status;
}

// A list whose length has been checked, into entries k, k + step, ... of out and of the table.
static sti_status take_list(const reader* r, const sti_place* place, const sti_json_value* list, double* out,
                            sti_rationals* table, size_t k, size_t step) {
    sti_status status = STI_OK;
    int j = 0;
    for (const sti_json_value* value = list->child; status == STI_OK && value != NULL; value = value->next, k += step) {
        const sti_place at = sti_place_index(place, j++);
        status = take(r, &at, value, &out[k], table, k);
    }
    return status;
}

static sti_status take_rows(const reader* r, const sti_place* place, const sti_json_value* list, double* out,
                            sti_rationals* table, size_t k, size_t width) {
    sti_status status = STI_OK;
    int i = 0;
    for (const sti_json_value* row = list->child; status == STI_OK && row != NULL; row = row->next, k += width) {
        const sti_place at = sti_place_index(place, i++);
        status = take_list(r, &at, row, out, table, k, 1);
    }
    return status;
}

// A field that came as {"file"}, or as {"entries"}, into entries 0, step, .. of out and of the table.
static sti_status take_object(const reader* r, const sti_place* place, const sti_json_value* value, sti_field* f,
                              double* out, sti_rationals* table, size_t step) {
    sti_matrix dense = {0};
    sti_status status = STI_OK;
    if (table != NULL) status = sti_json_read_field_exact(r->tree, place, value, f);
    if (status == STI_OK && sti_matrix_is_sparse(&f->matrix))
        status = sti_matrix_to_dense(r->tree->env, &f->matrix, &dense);
    const double* x = f->vector != NULL ? f->vector : dense.dense != NULL ? dense.dense : f->matrix.dense;
    for (size_t k = 0; status == STI_OK && k < sti_size_mul((size_t)f->rows, (size_t)f->cols); k++) {
        out[k * step] = x[k];
        if (table != NULL) status = sti_rationals_copy(table, sti_size_mul(k, step), f->exact, k);
    }
    sti_matrix_clear(r->tree->env, &dense);
    return status;
}

// A list of the root, or {"file"}, that may be missing (all 0).
static sti_status take_vector(const reader* r, const char* key, double* out, sti_rationals* table) {
    const sti_json_value* value = sti_json_field(r->tree->root, key);
    const sti_place place = sti_place_key(NULL, key);
    if (value == NULL) return STI_OK;
    sti_status status;
    if (sti_json_is_object(value)) {
        sti_field f = {0};
        status = sti_json_read_vector(r->tree, &place, value, &f);
        if (status == STI_OK && f.rows != r->n)
            status = sti_json_fail(r->tree, &place, value, "%d numbers: %d are expected", f.rows, r->n);
        if (status == STI_OK) status = take_object(r, &place, value, &f, out, table, 1);
        sti_field_clear(r->tree->env, &f);
        return status;
    }
    status = sti_json_check_list(r->tree, &place, value, r->n);
    return status == STI_OK ? take_list(r, &place, value, out, table, 0, 1) : status;
}

// A file written by a program may have M symmetric up to rounding only: then the upper triangle counts.
static sti_status make_symmetric(const reader* r) {
    const size_t n = (size_t)r->n;
    double* M = r->s->M;
    double largest = 0;
    for (size_t k = 0; k < sti_size_mul(n, n); k++) largest = fmax(largest, fabs(M[k]));
    sti_status status = STI_OK;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; status == STI_OK && j < n; j++) {
            const sti_place place = sti_place_key(NULL, "M"), row = sti_place_index(&place, (int64_t)j),
                            at = sti_place_index(&row, (int64_t)i);
            if (fabs(M[j * n + i] - M[i * n + j]) > 1e-12 * largest)
                return sti_file_fail(r->tree->env, STI_ERR_INPUT, r->tree->name,
                                     "M[%zu][%zu]: %.12g: M[%zu][%zu] is %.12g, a symmetric matrix is expected", j, i,
                                     M[j * n + i], i, j, M[i * n + j]);
            if (M[j * n + i] != M[i * n + j])
                sti_json_warn(r->tree, &at, "differs by rounding from the entry across, which is taken for both");
            M[j * n + i] = M[i * n + j];
            if (r->s->exact.M != NULL)
                status =
                    sti_rationals_copy(r->s->exact.M, sti_size_mul(j, n) + i, r->s->exact.M, sti_size_mul(i, n) + j);
        }
    }
    return status;
}

static sti_status take_mass(reader* r) {
    const sti_json_value* diag = sti_json_field(r->tree->root, "M_diag");
    const sti_place place = sti_place_key(NULL, diag != NULL ? "M_diag" : "M");
    const sti_json_value* given = sti_json_field(r->tree->root, place.key);
    const size_t n = (size_t)r->n, step = diag != NULL ? n + 1 : 1;
    sti_status status;
    if (sti_json_is_object(given))
        status = take_object(r, &place, given, &r->M, r->s->M, r->s->exact.M, step);
    else if (diag != NULL)
        status = take_list(r, &place, diag, r->s->M, r->s->exact.M, 0, step);
    else
        status = take_rows(r, &place, given, r->s->M, r->s->exact.M, 0, n);
    return status == STI_OK && diag == NULL ? make_symmetric(r) : status;
}

static sti_status take_names(const reader* r) {
    const sti_json_value* list = sti_json_field(r->tree->root, "coordinates");
    const sti_place place = sti_place_key(NULL, "coordinates");
    if (list == NULL) return STI_OK;
    sti_status status = sti_json_check_list(r->tree, &place, list, r->n);
    int k = 0;
    for (const sti_json_value* value = status == STI_OK ? list->child : NULL; status == STI_OK && value != NULL;
         value = value->next, k++) {
        const sti_place at = sti_place_index(&place, k);
        if (!sti_json_is_string(value) || value->text[0] == '\0')
            status = sti_json_fail(r->tree, &at, value, "a name is expected");
        else
            status = sti_instant_store_name(r->tree->env, r->s, k, value->text);
    }
    return status;
}

sti_status sti_instant_read_name(const sti_json_tree* tree, sti_instant_store* store, int n, const sti_place* up,
                                 const sti_json_value* contact, int i) {
    const sti_json_value* value = sti_json_field(contact, "name");
    const sti_place place = sti_place_key(up, "name");
    char standard[32];
    snprintf(standard, sizeof standard, "contact %d", i + 1);
    if (value != NULL && (!sti_json_is_string(value) || value->text[0] == '\0'))
        return sti_json_fail(tree, &place, value, "a name is expected");
    const char* name = value != NULL ? value->text : standard;
    for (int k = 0; k < i; k++) {
        if (strcmp(store->contacts[k].name, name) == 0)
            return sti_json_fail(tree, &place, value, "contacts[%d] has the name \"%.40s\" already", k, name);
    }
    return sti_instant_store_name(tree->env, store, n + i, name);
}

// One number of a contact, left as it is where the field is missing.
static sti_status take_field(const reader* r, const sti_place* up, const sti_json_value* contact, const char* key,
                             double* out, sti_rationals* table, int i) {
    const sti_json_value* value = sti_json_field(contact, key);
    const sti_place place = sti_place_key(up, key);
    return value == NULL ? STI_OK : take(r, &place, value, out, table, (size_t)i);
}

static sti_status take_friction(const reader* r, const sti_place* up, const sti_json_value* contact, int i) {
    sti_instant_contact* c = &r->s->contacts[i];
    const sti_json_value* mu = sti_json_field(contact, "mu");
    const sti_place place = sti_place_key(up, "mu");
    sti_status status = take_field(r, up, contact, "mu", &c->mu, r->s->exact.mu, i);
    if (status == STI_OK && c->mu > 0 && c->tangent_count == 0)
        status = sti_json_fail(r->tree, &place, mu, "friction needs t, the tangent map");
    c->mu_kinetic = c->mu;
    if (status == STI_OK && r->s->exact.mu != NULL)
        status = sti_rationals_copy(r->s->exact.mu_kinetic, (size_t)i, r->s->exact.mu, (size_t)i);
    if (status == STI_OK) status = take_field(r, up, contact, "mu_kinetic", &c->mu_kinetic, r->s->exact.mu_kinetic, i);
    return status;
}

// One number for each tangent row; for a single row the brackets may be left out.
static sti_status take_tangents(const reader* r, const sti_place* up, const sti_json_value* contact, const char* key,
                                int i, double* out, sti_rationals* table, size_t row) {
    const sti_json_value* value = sti_json_field(contact, key);
    const sti_place place = sti_place_key(up, key);
    if (value == NULL) return STI_OK;
    if (!sti_json_is_array(value) && r->tangent_count[i] == 1) return take(r, &place, value, &out[row], table, row);
    const sti_status status = sti_json_check_list(r->tree, &place, value, r->tangent_count[i]);
    return status == STI_OK ? take_list(r, &place, value, out, table, row, 1) : status;
}

// n, t and their rates; `row` is the first row of t among those of all contacts.
static sti_status take_geometry(const reader* r, const sti_place* up, const sti_json_value* contact, int i,
                                size_t row) {
    sti_instant_contact* c = &r->s->contacts[i];
    sti_instant_exact* e = &r->s->exact;
    const size_t n = (size_t)r->n;
    const sti_json_value* t = sti_json_field(contact, "t");
    const sti_place at_n = sti_place_key(up, "n"), at_t = sti_place_key(up, "t");
    sti_status status = take_list(r, &at_n, sti_json_field(contact, "n"), r->s->n, e->n, sti_size_mul((size_t)i, n), 1);
    if (status == STI_OK && t != NULL && t->child != NULL) {
        if (sti_json_is_array(t->child))
            status = take_rows(r, &at_t, t, r->s->t, e->t, sti_size_mul(row, n), n);
        else
            status = take_list(r, &at_t, t, r->s->t, e->t, sti_size_mul(row, n), 1);
    }
    if (status == STI_OK) status = take_field(r, up, contact, "n_rate", &c->n_rate, e->n_rate, i);
    if (status == STI_OK) status = take_tangents(r, up, contact, "t_rate", i, r->s->t_rate, e->t_rate, row);
    if (status == STI_OK) status = take_field(r, up, contact, "n_offset", &c->n_offset, NULL, i);
    if (status == STI_OK) status = take_tangents(r, up, contact, "t_offset", i, r->s->t_offset, NULL, row);
    return status;
}

// Friction in an ellipse: half axes, times mu, and the angle of the first from the first row of t. t' = T't with T its
// map of the disc, so that r_t' in the disc makes r_t = T r_t' in the ellipse; the same for the rates of t.
static sti_status take_ellipse(const reader* r, const sti_place* up, const sti_json_value* contact, int i, size_t row) {
    static const char* const names[] = {"axes", "angle"};
    const sti_json_value* ellipse = sti_json_field(contact, "ellipse");
    const sti_place place = sti_place_key(up, "ellipse"), at_axes = sti_place_key(&place, "axes");
    const sti_place at_angle = sti_place_key(&place, "angle");
    double a[2], angle = 0;
    if (ellipse == NULL) return STI_OK;
    if (!sti_json_is_object(ellipse) || r->tangent_count[i] != 2)
        return sti_json_fail(r->tree, &place, ellipse,
                             "{\"axes\": [a, b], \"angle\": ..} is expected, with two rows of t");
    sti_status status = sti_json_check_names(r->tree, &place, ellipse, names, 2);
    const sti_json_value *axes = sti_json_field(ellipse, "axes"), *turn = sti_json_field(ellipse, "angle");
    if (status == STI_OK && axes == NULL) status = sti_json_fail(r->tree, &at_axes, NULL, "two half axes, times mu");
    if (status == STI_OK) status = sti_json_check_list(r->tree, &at_axes, axes, 2);
    if (status == STI_OK) status = take_list(r, &at_axes, axes, a, NULL, 0, 1);
    if (status == STI_OK && turn != NULL) status = take(r, &at_angle, turn, &angle, NULL, 0);
    if (status == STI_OK && !(a[0] > 0 && a[1] > 0))
        status = sti_json_fail(r->tree, &at_axes, axes, "positive half axes are expected");
    if (status != STI_OK) return status;
    const double c = cos(angle), s = sin(angle), T[4] = {c * a[0], -s * a[1], s * a[0], c * a[1]};
    double* const lists[] = {r->s->t + row * (size_t)r->n, r->s->t_rate + row, r->s->t_offset + row};
    for (int k = 0; k < 3; k++) {
        const size_t step = k == 0 ? (size_t)r->n : 1;
        for (size_t j = 0; j < step; j++) {
            const double x = lists[k][j], y = lists[k][step + j];
            lists[k][j] = T[0] * x + T[2] * y;
            lists[k][step + j] = T[1] * x + T[3] * y;
        }
    }
    return STI_OK;
}

static sti_status take_polygon(const reader* r, const sti_place* up, const sti_json_value* contact, int i) {
    const sti_place place = sti_place_key(up, "polygon");
    const sti_instant_contact* c = &r->s->contacts[i];
    if (c->corner_count == 0) return STI_OK;
    double* corner = r->s->corner + (c->corner - r->s->corner);
    return take_rows(r, &place, sti_json_field(contact, "polygon"), corner, NULL, 0, 2);
}

static sti_status take_contact(const reader* r, const sti_place* at, const sti_json_value* contact, int i, size_t row) {
    static const char* const types[] = {"unilateral", "bilateral", "bounded"};
    static const char* const modes[] = {"by_velocity", "stick", "slide"};
    sti_instant_contact* c = &r->s->contacts[i];
    int type = 0, mode = STI_INSTANT_BY_VELOCITY;
    sti_status status = sti_instant_read_name(r->tree, r->s, r->n, at, contact, i);
    if (status == STI_OK) status = sti_json_read_word(r->tree, at, contact, "type", types, 3, &type);
    if (status == STI_OK) status = sti_json_read_word(r->tree, at, contact, "mode", modes, 3, &mode);
    c->bilateral = type == 1;
    c->pressed = type == 2;
    c->state = (sti_instant_state)mode;
    if (status == STI_OK) status = take_friction(r, at, contact, i);
    if (status == STI_OK) status = take_geometry(r, at, contact, i, row);
    if (status == STI_OK) status = take_ellipse(r, at, contact, i, row);
    if (status == STI_OK) status = take_polygon(r, at, contact, i);
    if (status == STI_OK) status = take_field(r, at, contact, "gap", &c->gap, r->s->exact.gap, i);
    if (status == STI_OK) status = take_field(r, at, contact, "restitution", &c->restitution, NULL, i);
    if (status == STI_OK) status = take_field(r, at, contact, "restitution_t", &c->restitution_t, NULL, i);
    sti_json_warn_unknown(r->tree, at, contact, contact_names, (int)(sizeof contact_names / sizeof contact_names[0]));
    return status;
}

static sti_status take_contacts(const reader* r) {
    const sti_json_value* list = sti_json_field(r->tree->root, "contacts");
    const sti_place place = sti_place_key(NULL, "contacts");
    sti_status status = STI_OK;
    size_t row = 0;
    const sti_json_value* contact = list != NULL ? list->child : NULL;
    for (int i = 0; status == STI_OK && contact != NULL; contact = contact->next, i++) {
        const sti_place at = sti_place_index(&place, i);
        status = take_contact(r, &at, contact, i, row);
        row += (size_t)r->tangent_count[i];
    }
    return status;
}

static sti_status take_restitution(const reader* r) {
    const sti_json_value* list = sti_json_field(r->tree->root, "restitution");
    const sti_place place = sti_place_key(NULL, "restitution");
    if (list == NULL) return STI_OK;
    const sti_status status = check_rows(r, &place, list, r->contact_count, r->contact_count);
    return status == STI_OK ? take_rows(r, &place, list, r->s->restitution, NULL, 0, (size_t)r->contact_count) : status;
}

static sti_status take_all(reader* r) {
    sti_instant_store* s = r->s;
    sti_status status = take_mass(r);
    if (status == STI_OK) status = take_vector(r, "F", s->F, s->exact.F);
    if (status == STI_OK) status = take_vector(r, "v", s->v, s->exact.v);
    if (status == STI_OK) status = take_names(r);
    if (status == STI_OK) status = sti_json_read_double(r->tree, NULL, r->tree->root, "time", 0, &s->instant.time);
    if (status == STI_OK) status = take_contacts(r);
    if (status == STI_OK) status = take_restitution(r);
    if (status != STI_OK) return status;
    status = sti_instant_check(r->tree->env, &s->instant);
    if (status == STI_ERR_INPUT) {  // say in which file
        char text[sizeof r->tree->env->error.text];
        memcpy(text, r->tree->env->error.text, sizeof text);
        status = sti_file_fail(r->tree->env, status, r->tree->name, "%s", text);
    }
    return status;
}

static sti_status read(sti_json_tree* tree, void** out) {
    reader r = {.tree = tree};
    tree->by_digits = true;
    sti_status status = measure_mass(&r);
    if (status == STI_OK) status = measure_contacts(&r);
    const sti_instant_shape shape = {.n = r.n,
                                     .contact_count = r.contact_count,
                                     .tangent_count = r.tangent_count,
                                     .corner_count = r.corner_count,
                                     .exact = status == STI_OK && wants_exact(&r),
                                     .restitution = sti_json_field(tree->root, "restitution") != NULL};
    if (status == STI_OK) status = sti_instant_store_create(tree->env, &shape, &r.s);
    if (status == STI_OK) status = take_all(&r);
    if (status == STI_OK)
        sti_json_warn_unknown(tree, NULL, tree->root, root_names, (int)(sizeof root_names / sizeof root_names[0]));
    *out = r.s;
    sti_field_clear(tree->env, &r.M);
    sti_free(tree->env, r.tangent_count);
    return status;
}

static void destroy(sti_env* env, void* content) {
    sti_instant_store_destroy(env, content);
}

static sti_status save(sti_env* env, const void* content, const char* path) {
    const sti_instant_store* s = content;
    return sti_instant_save(env, &s->instant, path);
}

const sti_kind_row sti_kind_instant = {.read = read, .destroy = destroy, .save = save};

const sti_instant* sti_instant_of(const sti_document* document) {
    const sti_instant_store* s = sti_document_content(document, STI_KIND_INSTANT);
    if (s == NULL) s = sti_document_content(document, STI_KIND_GRASP);
    return s != NULL ? &s->instant : NULL;
}
