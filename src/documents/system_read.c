// system_read.c: a system by formulas, from JSON.
//
//     {"kind": "system",
//      "parameters": {"m": 1, "l": "1/2"}, "definitions": {"yc": "l/2*sin(theta)"}, "coordinates": ["x", "theta"],
//      "kinetic": "m/2*x'^2 + ..", "potential": "m*g*yc", "forces": {"x": "8*cos(t)"},
//      "contacts": [{"name": "tip", "gap": "..", "slip": [".."], "mu": "mu", "mu_kinetic": 0.3, "restitution": 0}],
//      "joints": [{"name": "hinge", "constraint": "..", "slip": [".."], "mu": 0.1}],
//      "state": {"t": 0, "q": [0, "atan(2)"], "v": [1, 0]}}
//
// Wherever a formula may stand, a number may. The texts stay in the tree; sti_system_create takes them from there, and
// what it finds wrong already names field and column, so only the file is put in front.
#include <math.h>
#include <stdio.h>
#include <stiction/system.h>
#include <string.h>

#include "base/arena.h"
#include "documents/document.h"
#include "formats/file.h"
#include "formats/json_fields.h"
#include "system/system.h"

enum { MOST_SLIPS = 2 };

static const char* const root_names[] = {"kind",        "name",     "description", "parameters",
                                         "definitions", "kinetic",  "coordinates", "potential",
                                         "forces",      "contacts", "joints",      "state"};
static const char* const contact_names[] = {"name",       "gap",         "constraint",    "slip",    "mu",
                                            "mu_kinetic", "restitution", "restitution_t", "polygon", "ellipse"};
static const char* const state_names[] = {"t", "q", "v"};
#define COUNT_OF(list) ((int)(sizeof(list) / sizeof(list)[0]))

typedef struct reader {
    sti_arena memory;
    const sti_json_tree* tree;
    sti_system_text text;
    // what the text points at
    const char** parameter_names;
    double* parameters;
    sti_system_named* definitions;
    const char** coordinates;
    const char** forces;
    sti_system_contact_text* contacts;  // contacts, then joints
    double* corners;                    // of friction polygons, in order
    size_t corner_count;
    char** stretched;  // slips of contacts with an ellipse, NULL: none          (2 x contacts and joints)
    size_t stretched_count;
    const char** slips;  // two for each
    const char** start;  // q, then v
} reader;

static sti_status read_name(const reader* r, const sti_place* place, const sti_json_value* value, const char** out) {
    if (!sti_json_is_string(value) || value->text[0] == '\0')
        return sti_json_fail(r->tree, place, value, "a name is expected");
    *out = value->text;
    return STI_OK;
}

// A formula, or a number as the text it is written with. *out stays where the field is missing.
static sti_status read_formula(const reader* r, const sti_place* place, const sti_json_value* value, const char** out) {
    if (value == NULL) return STI_OK;
    if (!sti_json_is_string(value) && !sti_json_is_number(value))
        return sti_json_fail(r->tree, place, value, "a formula in quotes, or a number, is expected");
    *out = value->text;
    return STI_OK;
}

static sti_status read_field(const reader* r, const sti_place* up, const sti_json_value* object, const char* key,
                             const char** out) {
    const sti_place place = sti_place_key(up, key);
    return read_formula(r, &place, sti_json_field(object, key), out);
}

// A field that is an object, or missing (*count 0).
static sti_status find_object(const reader* r, const char* key, const sti_json_value** out, int* count) {
    const sti_place place = sti_place_key(NULL, key);
    *out = sti_json_field(r->tree->root, key);
    *count = *out != NULL ? sti_json_count(*out) : 0;
    if (*out != NULL && !sti_json_is_object(*out))
        return sti_json_fail(r->tree, &place, *out, "an object { .. } is expected");
    return STI_OK;
}

static sti_status find_list(const reader* r, const char* key, const sti_json_value** out, int* count) {
    const sti_place place = sti_place_key(NULL, key);
    *out = sti_json_field(r->tree->root, key);
    *count = *out != NULL ? sti_json_count(*out) : 0;
    if (*out != NULL && !sti_json_is_array(*out)) return sti_json_fail(r->tree, &place, *out, "a list is expected");
    return STI_OK;
}

static sti_status read_parameters(reader* r) {
    const sti_json_value* object;
    sti_status status = find_object(r, "parameters", &object, &r->text.parameter_count);
    if (status != STI_OK) return status;
    const size_t count = (size_t)r->text.parameter_count;
    r->parameter_names = sti_alloc_array_zero(r->tree->env, count, sizeof *r->parameter_names);
    r->parameters = sti_alloc_array_zero(r->tree->env, count, sizeof *r->parameters);
    if (r->parameter_names == NULL || r->parameters == NULL) return STI_ERR_MEMORY;
    const sti_place up = sti_place_key(NULL, "parameters");
    int k = 0;
    for (const sti_json_value* v = object != NULL ? object->child : NULL; status == STI_OK && v != NULL;
         v = v->next, k++) {
        const sti_place place = sti_place_key(&up, v->key);
        bool is_double;
        r->parameter_names[k] = v->key;
        status = sti_json_read_number(r->tree, &place, v, &r->parameters[k], &is_double);
    }
    return status;
}

static sti_status read_definitions(reader* r) {
    const sti_json_value* object;
    sti_status status = find_object(r, "definitions", &object, &r->text.definition_count);
    if (status != STI_OK) return status;
    r->definitions = sti_alloc_array_zero(r->tree->env, (size_t)r->text.definition_count, sizeof *r->definitions);
    if (r->definitions == NULL) return STI_ERR_MEMORY;
    const sti_place up = sti_place_key(NULL, "definitions");
    int k = 0;
    for (const sti_json_value* v = object != NULL ? object->child : NULL; status == STI_OK && v != NULL;
         v = v->next, k++) {
        const sti_place place = sti_place_key(&up, v->key);
        r->definitions[k].name = v->key;
        status = read_formula(r, &place, v, &r->definitions[k].formula);
    }
    return status;
}

static sti_status read_coordinates(reader* r) {
    const sti_json_value* list;
    const sti_place up = sti_place_key(NULL, "coordinates");
    sti_status status = find_list(r, "coordinates", &list, &r->text.coordinate_count);
    if (status != STI_OK) return status;
    if (list == NULL) return sti_json_fail(r->tree, &up, NULL, "a list of names is expected");
    const size_t n = (size_t)r->text.coordinate_count;
    r->memory = sti_arena_make(r->tree->env);
    r->coordinates = sti_arena_take(&r->memory, n, sizeof *r->coordinates);
    r->forces = sti_arena_take(&r->memory, n, sizeof *r->forces);
    r->start = sti_arena_take(&r->memory, sti_size_mul(2, n), sizeof *r->start);
    if (r->memory.status != STI_OK) return r->memory.status;
    int k = 0;
    for (const sti_json_value* v = list->child; status == STI_OK && v != NULL; v = v->next, k++) {
        const sti_place place = sti_place_index(&up, k);
        status = read_name(r, &place, v, &r->coordinates[k]);
    }
    return status;
}

static sti_status read_forces(const reader* r) {
    const sti_json_value* object;
    int count;
    sti_status status = find_object(r, "forces", &object, &count);
    const sti_place up = sti_place_key(NULL, "forces");
    for (const sti_json_value* v = status == STI_OK && object != NULL ? object->child : NULL;
         status == STI_OK && v != NULL; v = v->next) {
        const sti_place place = sti_place_key(&up, v->key);
        int k = 0;
        while (k < r->text.coordinate_count && strcmp(r->coordinates[k], v->key) != 0) k++;
        if (k == r->text.coordinate_count)
            status = sti_json_fail(r->tree, &place, v, "no such coordinate");
        else
            status = read_formula(r, &place, v, &r->forces[k]);
    }
    return status;
}

// "slip": one formula, or a list of them
static sti_status read_slips(const reader* r, const sti_place* up, const sti_json_value* contact, const char** slips,
                             sti_system_contact_text* out) {
    const sti_json_value* value = sti_json_field(contact, "slip");
    const sti_place place = sti_place_key(up, "slip");
    out->slip = slips;
    if (value == NULL) return STI_OK;
    if (!sti_json_is_array(value)) {
        out->slip_count = 1;
        return read_formula(r, &place, value, &slips[0]);
    }
    if (sti_json_count(value) > MOST_SLIPS)
        return sti_json_fail(r->tree, &place, value, "at most %d formulas are expected: one in the plane, two in space",
                             MOST_SLIPS);
    sti_status status = STI_OK;
    for (const sti_json_value* v = value->child; status == STI_OK && v != NULL; v = v->next) {
        const sti_place at = sti_place_index(&place, out->slip_count);
        status = read_formula(r, &at, v, &slips[out->slip_count++]);
    }
    return status;
}

enum { MOST_CORNERS = 64 };

// x times the first slip and y times the second.
static sti_status stretch_slip(reader* r, double x, double y, const char* first, const char* second, const char** out) {
    const size_t size = strlen(first) + strlen(second) + 80;
    char* text = sti_alloc(r->tree->env, size);
    if (text == NULL) return STI_ERR_MEMORY;
    snprintf(text, size, "(%.17g)*(%s)+(%.17g)*(%s)", x, first, y, second);
    r->stretched[r->stretched_count++] = text;
    *out = text;
    return STI_OK;
}

// Friction in an ellipse is a disc in other coordinates (docs/contact.md): the slips are T' times those of the file.
static sti_status read_ellipse(reader* r, const sti_place* up, const sti_json_value* contact, const char** slips,
                               const sti_system_contact_text* of) {
    static const char* const names[] = {"axes", "angle"};
    const sti_json_value* ellipse = sti_json_field(contact, "ellipse");
    const sti_place place = sti_place_key(up, "ellipse"), at_axes = sti_place_key(&place, "axes");
    double a[2], angle = 0;
    bool is_double;
    if (ellipse == NULL) return STI_OK;
    if (!sti_json_is_object(ellipse) || of->slip_count != 2 || of->corner_count > 0)
        return sti_json_fail(r->tree, &place, ellipse,
                             "{\"axes\": [a, b], \"angle\": ..} is expected, with two slips and no polygon");
    const sti_json_value* axes = sti_json_field(ellipse, "axes");
    sti_status status = sti_json_check_names(r->tree, &place, ellipse, names, 2);
    if (status == STI_OK && axes == NULL) status = sti_json_fail(r->tree, &at_axes, NULL, "two half axes, times mu");
    if (status == STI_OK) status = sti_json_check_list(r->tree, &at_axes, axes, 2);
    for (int i = 0; status == STI_OK && i < 2; i++) {
        const sti_place at = sti_place_index(&at_axes, i);
        status = sti_json_read_number(r->tree, &at, sti_json_item(axes, i), &a[i], &is_double);
    }
    if (status == STI_OK) status = sti_json_read_double(r->tree, &place, ellipse, "angle", 0, &angle);
    if (status == STI_OK && !(a[0] > 0 && a[1] > 0))
        status = sti_json_fail(r->tree, &at_axes, axes, "positive half axes are expected");
    if (status != STI_OK) return status;
    const double c = cos(angle), s = sin(angle);
    const char *first = slips[0], *second = slips[1];
    status = stretch_slip(r, c * a[0], s * a[0], first, second, &slips[0]);
    return status == STI_OK ? stretch_slip(r, -s * a[1], c * a[1], first, second, &slips[1]) : status;
}

static sti_status read_polygon(reader* r, const sti_place* up, const sti_json_value* contact,
                               sti_system_contact_text* out) {
    const sti_json_value* list = sti_json_field(contact, "polygon");
    const sti_place place = sti_place_key(up, "polygon");
    if (list == NULL) return STI_OK;
    const int count = sti_json_is_array(list) ? sti_json_count(list) : 0;
    if (count < 3 || count > MOST_CORNERS)
        return sti_json_fail(r->tree, &place, list, "a list of 3 to %d corners is expected", MOST_CORNERS);
    double* corner = r->corners + 2 * r->corner_count;
    sti_status status = STI_OK;
    int k = 0;
    for (const sti_json_value* row = list->child; status == STI_OK && row != NULL; row = row->next, k++) {
        const sti_place at = sti_place_index(&place, k);
        status = sti_json_check_list(r->tree, &at, row, 2);
        for (int i = 0; status == STI_OK && i < 2; i++) {
            const sti_place entry = sti_place_index(&at, i);
            bool is_double;
            status = sti_json_read_number(r->tree, &entry, sti_json_item(row, i), &corner[2 * k + i], &is_double);
        }
    }
    r->corner_count += (size_t)count;
    out->corner_count = count;
    out->corner = corner;
    return status;
}

// Room for the corners of all contacts.
static size_t count_corners(const sti_json_value* list) {
    size_t count = 0;
    for (const sti_json_value* v = list != NULL ? list->child : NULL; v != NULL; v = v->next) {
        const sti_json_value* polygon = sti_json_is_object(v) ? sti_json_field(v, "polygon") : NULL;
        if (sti_json_is_array(polygon)) count += (size_t)sti_json_count(polygon);
    }
    return count;
}

static sti_status read_contact(reader* r, const sti_place* at, const sti_json_value* contact, const char* gap,
                               const char** slips, sti_system_contact_text* out) {
    if (!sti_json_is_object(contact)) return sti_json_fail(r->tree, at, contact, "an object { .. } is expected");
    const sti_json_value* name = sti_json_field(contact, "name");
    const sti_place at_name = sti_place_key(at, "name"), at_gap = sti_place_key(at, gap);
    sti_status status = name != NULL ? read_name(r, &at_name, name, &out->name) : STI_OK;
    if (status == STI_OK && sti_json_field(contact, gap) == NULL)
        status = sti_json_fail(r->tree, &at_gap, NULL, "a formula is expected");
    if (status == STI_OK) status = read_field(r, at, contact, gap, &out->gap);
    if (status == STI_OK) status = read_slips(r, at, contact, slips, out);
    if (status == STI_OK) status = read_field(r, at, contact, "mu", &out->mu);
    if (status == STI_OK) status = read_field(r, at, contact, "mu_kinetic", &out->mu_kinetic);
    if (status == STI_OK) status = read_field(r, at, contact, "restitution", &out->restitution);
    if (status == STI_OK) status = read_field(r, at, contact, "restitution_t", &out->restitution_t);
    if (status == STI_OK) status = read_polygon(r, at, contact, out);
    if (status == STI_OK) status = read_ellipse(r, at, contact, slips, out);
    if (status == STI_OK) sti_json_warn_unknown(r->tree, at, contact, contact_names, COUNT_OF(contact_names));
    return status;
}

static sti_status read_contacts(reader* r) {
    const sti_json_value *contacts, *joints;
    sti_status status = find_list(r, "contacts", &contacts, &r->text.contact_count);
    if (status == STI_OK) status = find_list(r, "joints", &joints, &r->text.joint_count);
    if (status != STI_OK) return status;
    const size_t count = (size_t)r->text.contact_count + (size_t)r->text.joint_count;
    r->contacts = sti_arena_take(&r->memory, count, sizeof *r->contacts);
    const size_t corners = sti_size_add(count_corners(contacts), count_corners(joints));
    r->corners = sti_arena_take(&r->memory, sti_size_mul(2, corners), sizeof *r->corners);
    r->slips = sti_arena_take(&r->memory, sti_size_mul(MOST_SLIPS, count), sizeof *r->slips);
    r->stretched = sti_arena_take(&r->memory, sti_size_mul(2, count), sizeof *r->stretched);
    if (r->memory.status != STI_OK) return r->memory.status;
    size_t i = 0;
    for (int part = 0; part < 2; part++) {
        const sti_json_value* list = part == 0 ? contacts : joints;
        const sti_place up = sti_place_key(NULL, part == 0 ? "contacts" : "joints");
        int k = 0;
        for (const sti_json_value* v = list != NULL ? list->child : NULL; status == STI_OK && v != NULL;
             v = v->next, i++) {
            const sti_place at = sti_place_index(&up, k++);
            status =
                read_contact(r, &at, v, part == 0 ? "gap" : "constraint", r->slips + MOST_SLIPS * i, &r->contacts[i]);
        }
    }
    return status;
}

static sti_status read_start(const reader* r, const sti_place* up, const sti_json_value* state, const char* key,
                             const char** out) {
    const sti_json_value* list = sti_json_field(state, key);
    const sti_place place = sti_place_key(up, key);
    if (list == NULL) return STI_OK;
    sti_status status = sti_json_check_list(r->tree, &place, list, r->text.coordinate_count);
    int k = 0;
    for (const sti_json_value* v = status == STI_OK ? list->child : NULL; status == STI_OK && v != NULL;
         v = v->next, k++) {
        const sti_place at = sti_place_index(&place, k);
        status = read_formula(r, &at, v, &out[k]);
    }
    return status;
}

static sti_status read_state(reader* r) {
    const sti_json_value* state;
    int count;
    sti_status status = find_object(r, "state", &state, &count);
    const sti_place up = sti_place_key(NULL, "state");
    if (status != STI_OK || state == NULL) return status;
    status = read_field(r, &up, state, "t", &r->text.time);
    if (status == STI_OK) status = read_start(r, &up, state, "q", r->start);
    if (status == STI_OK) status = read_start(r, &up, state, "v", r->start + r->text.coordinate_count);
    if (status == STI_OK) sti_json_warn_unknown(r->tree, &up, state, state_names, COUNT_OF(state_names));
    return status;
}

static sti_status read_all(reader* r) {
    const sti_json_value* root = r->tree->root;
    const sti_place at_kinetic = sti_place_key(NULL, "kinetic");
    sti_status status = read_parameters(r);
    if (status == STI_OK) status = read_definitions(r);
    if (status == STI_OK) status = read_coordinates(r);
    if (status == STI_OK) status = read_forces(r);
    if (status == STI_OK && sti_json_field(root, "kinetic") == NULL)
        status = sti_json_fail(r->tree, &at_kinetic, NULL, "a formula is expected");
    if (status == STI_OK) status = read_field(r, NULL, root, "kinetic", &r->text.kinetic);
    if (status == STI_OK) status = read_field(r, NULL, root, "potential", &r->text.potential);
    if (status == STI_OK) status = read_contacts(r);
    if (status == STI_OK) status = read_state(r);
    return status;
}

static sti_status create(reader* r, sti_system** out) {
    sti_system_text* text = &r->text;
    text->parameter_names = r->parameter_names;
    text->parameters = r->parameters;
    text->definitions = r->definitions;
    text->coordinates = r->coordinates;
    text->forces = r->forces;
    text->contacts = r->contacts;
    text->joints = r->contacts + text->contact_count;
    text->q = r->start;
    text->v = r->start + text->coordinate_count;
    sti_status status = sti_system_create(r->tree->env, text, out);
    if (status == STI_OK) status = sti_system_state(*out, NULL, NULL, NULL);  // the start has to have values
    if (status == STI_OK) status = sti_system_keep_text(*out, text);
    if (status == STI_ERR_INPUT) {  // say in which file
        char message[sizeof r->tree->env->error.text];
        memcpy(message, r->tree->env->error.text, sizeof message);
        status = sti_file_fail(r->tree->env, status, r->tree->name, "%s", message);
    }
    return status;
}

static sti_status read(sti_json_tree* tree, void** out) {
    reader r = {.tree = tree};
    sti_env* env = tree->env;
    sti_system* system = NULL;
    tree->by_digits = true;
    sti_status status = read_all(&r);
    if (status == STI_OK) status = create(&r, &system);
    if (status == STI_OK) sti_json_warn_unknown(tree, NULL, tree->root, root_names, COUNT_OF(root_names));
    *out = system;
    sti_free(env, r.parameter_names);
    sti_free(env, r.parameters);
    sti_free(env, r.definitions);
    for (size_t k = 0; k < r.stretched_count; k++) sti_free(env, r.stretched[k]);
    sti_arena_clear(&r.memory);
    return status;
}

static void destroy(sti_env* env, void* content) {
    (void)env;
    sti_system_destroy(content);
}

// Names of parameters have no sections.
static bool stands_alone(const void* content, const char* name) {
    (void)content;
    (void)name;
    return true;
}

// First everything is looked at, then set.
static sti_status set(sti_env* env, void* content, const sti_settings* settings) {
    sti_system* system = content;
    const int count = settings->count;
    sti_status status = sti_settings_check(env, settings, stands_alone, system);
    for (int k = 0; status == STI_OK && k < sti_count_mul(2, count); k++) {
        const sti_setting* one = &settings->one[k % count];
        double x;
        status = sti_setting_number(env, one, &x);
        int known = 0;
        while (known < sti_system_parameter_count(system) &&
               strcmp(sti_system_parameter(system, known), one->name) != 0)
            known++;
        const bool unknown = known == sti_system_parameter_count(system);  // sti_system_set says so
        if (status == STI_OK && (k >= count || unknown)) status = sti_system_set(system, one->name, x);
        if (status == STI_ERR_ARGUMENT) status = STI_ERR_INPUT;
    }
    return status;
}

const sti_kind_row sti_kind_system = {.read = read, .destroy = destroy, .set = set};

sti_system* sti_system_of(const sti_document* document) {
    return sti_document_content(document, STI_KIND_SYSTEM);
}
