// bodies_formula.c: numbers, names and settings of a scene of bodies.
//
// A number is a number, or text with a formula of the parameters, the definitions and, within "repeat", of the index i.
// The formulas go onto one tape, so a text that is used for a thousand bodies stands there once.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "documents/bodies_json.h"
#include "formats/file.h"

// ---- failures

sti_status sti_bodies_blame(const sti_bodies_reader* r, const sti_place* place, sti_status status) {
    if (status == STI_OK || status == STI_ERR_MEMORY || status == STI_ERR_INTERNAL) return status;
    char where[160] = "", message[sizeof r->env->error.text];
    memcpy(message, r->env->error.text, sizeof message);
    if (place == NULL) return sti_file_fail(r->env, STI_ERR_INPUT, r->tree->name, "%s", message);
    sti_place_text(place, where, sizeof where);
    return sti_file_fail(r->env, STI_ERR_INPUT, r->tree->name, "%s: %s", where, message);
}

sti_status sti_bodies_check_names(const sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                                  const char* const* names, int count) {
    if (!sti_json_is_object(object)) return sti_json_fail(r->tree, up, object, "an object { .. } is expected");
    return sti_json_check_names(r->tree, up, object, names, count);
}

// ---- formulas

static sti_status make_room(sti_bodies_reader* r) {
    if (r->tape.count <= r->entry_room) return STI_OK;
    const int room = sti_count_mul(2, r->tape.count);
    double* entry = sti_realloc_array(r->env, r->entry, (size_t)room, sizeof *entry);
    if (entry != NULL) r->entry = entry;
    unsigned char* used = sti_realloc(r->env, r->used, (size_t)room);
    if (used != NULL) r->used = used;
    if (entry == NULL || used == NULL) return STI_ERR_MEMORY;
    r->entry_room = room;
    return STI_OK;
}

static double apply(const sti_bodies_reader* r, const sti_node* node) {
    if (node->op == STI_OP_CONSTANT) return node->value;
    if (node->op == STI_OP_INPUT) return r->parameter[node->a];
    sti_partials p = {0};
    sti_op_evaluate(node->op, r->entry[node->a], node->b >= 0 ? r->entry[node->b] : 0, 0, false, &p);
    return p.f;
}

sti_status sti_bodies_read_formula(sti_bodies_reader* r, const sti_place* place, const char* text, double* out) {
    char where[160];
    int last = 0;
    sti_place_text(place, where, sizeof where);
    sti_status status = sti_expression_compile(&r->scope, where, text, &last);
    if (status == STI_ERR_INPUT) return sti_bodies_blame(r, NULL, status);
    if (status == STI_OK) status = make_room(r);
    if (status != STI_OK) return status;
    sti_tape_reach(&r->tape, last, r->used);
    for (int k = 0; k <= last; k++) {
        const sti_node* node = &r->tape.node[k];
        if (!r->used[k]) continue;
        if (node->op == STI_OP_INPUT && node->a > r->parameter_count)
            return sti_file_fail(r->env, STI_ERR_INPUT, r->tree->name, "%s: \"%.40s\": t has no value here", where,
                                 text);
        if (node->op == STI_OP_INPUT && node->a == r->parameter_count && !r->repeating)
            return sti_file_fail(r->env, STI_ERR_INPUT, r->tree->name,
                                 "%s: \"%.40s\": i has a value only where there is \"repeat\"", where, text);
        r->entry[k] = apply(r, node);
    }
    *out = r->entry[last];
    if (!isfinite(*out))
        return sti_file_fail(r->env, STI_ERR_INPUT, r->tree->name, "%s: \"%.40s\": has no finite value", where, text);
    return STI_OK;
}

sti_status sti_bodies_read_number(sti_bodies_reader* r, const sti_place* place, const sti_json_value* value,
                                  double* out) {
    if (sti_json_is_string(value)) return sti_bodies_read_formula(r, place, value->text, out);
    if (!sti_json_is_number(value))
        return sti_json_fail(r->tree, place, value, "a number, or a formula in quotes, is expected");
    *out = value->number;
    return isfinite(*out) ? STI_OK : sti_json_fail(r->tree, place, value, "too large, a finite number is expected");
}

sti_status sti_bodies_read_field(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                                 const char* key, double* out) {
    const sti_json_value* value = sti_json_field(object, key);
    const sti_place place = sti_place_key(up, key);
    return value != NULL ? sti_bodies_read_number(r, &place, value, out) : STI_OK;
}

static sti_status read_list(sti_bodies_reader* r, const sti_place* place, const sti_json_value* value, int count,
                            double* out) {
    sti_status status = sti_json_check_list(r->tree, place, value, count);
    int k = 0;
    for (const sti_json_value* v = status == STI_OK ? value->child : NULL; status == STI_OK && v != NULL;
         v = v->next, k++) {
        const sti_place at = sti_place_index(place, k);
        status = sti_bodies_read_number(r, &at, v, &out[k]);
    }
    return status;
}

sti_status sti_bodies_read_vector(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                                  const char* key, int count, double* out) {
    const sti_json_value* value = sti_json_field(object, key);
    const sti_place place = sti_place_key(up, key);
    return value != NULL ? read_list(r, &place, value, count, out) : STI_OK;
}

sti_status sti_bodies_read_rows(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                                const char* key, int width, int* count, double** out) {
    enum { MOST = 10000000 };
    const sti_json_value* value = sti_json_field(object, key);
    const sti_place place = sti_place_key(up, key);
    *out = NULL;
    *count = 0;
    if (!sti_json_is_array(value)) return sti_json_fail(r->tree, &place, value, "a list of points is expected");
    const int rows = sti_json_count(value);
    if (rows > MOST) return sti_json_fail(r->tree, &place, value, "more than %d", MOST);
    *out = sti_alloc_array(r->env, (size_t)rows, (size_t)width * sizeof **out);
    if (*out == NULL) return STI_ERR_MEMORY;
    sti_status status = STI_OK;
    for (const sti_json_value* v = value->child; status == STI_OK && v != NULL; v = v->next, ++*count) {
        const sti_place at = sti_place_index(&place, *count);
        status = read_list(r, &at, v, width, *out + (size_t)*count * (size_t)width);
    }
    return status;
}

sti_status sti_bodies_read_count(sti_bodies_reader* r, const sti_place* place, const sti_json_value* value, int least,
                                 int most, int* out) {
    double x = 0;
    const sti_status status = sti_bodies_read_number(r, place, value, &x);
    if (status != STI_OK) return status;
    if (!(x >= least && x <= most && x == floor(x)))
        return sti_json_fail(r->tree, place, value, "%.9g, and a whole number from %d to %d is expected", x, least,
                             most);
    *out = (int)x;
    return STI_OK;
}

// ---- names

// The formula between { and }, as a whole number behind what is there already.
static sti_status put_braces(sti_bodies_reader* r, const sti_place* place, const sti_json_value* value,
                             const char** text, char* out, size_t* at) {
    char formula[STI_BODIES_NAME];
    const char* end = strchr(*text, '}');
    const size_t length = end != NULL ? (size_t)(end - *text) - 1 : 0;
    double x = 0;
    if (end == NULL || length >= sizeof formula)
        return sti_json_fail(r->tree, place, value, "{ without }, which would hold a formula");
    memcpy(formula, *text + 1, length);
    formula[length] = '\0';
    const sti_status status = sti_bodies_read_formula(r, place, formula, &x);
    if (status != STI_OK) return status;
    if (x != floor(x) || fabs(x) > 1e15)
        return sti_json_fail(r->tree, place, value, "{%.40s} is %.9g, and a whole number is expected", formula, x);
    *at += (size_t)snprintf(out + *at, STI_BODIES_NAME - *at, "%.0f", x + 0.0);
    *text = end + 1;
    return STI_OK;
}

sti_status sti_bodies_read_name(sti_bodies_reader* r, const sti_place* place, const sti_json_value* value,
                                char out[STI_BODIES_NAME]) {
    size_t at = 0;
    sti_status status = STI_OK;
    if (!sti_json_is_string(value) || value->text[0] == '\0')
        return sti_json_fail(r->tree, place, value, "a name is expected");
    for (const char* p = value->text; status == STI_OK && *p != '\0';) {
        if (*p == '{')
            status = put_braces(r, place, value, &p, out, &at);
        else
            out[at++] = *p++;
        if (at >= STI_BODIES_NAME - 1)
            return sti_json_fail(r->tree, place, value, "longer than %d bytes", STI_BODIES_NAME - 2);
    }
    out[at] = '\0';
    return status;
}

// ---- settings

const char* sti_bodies_setting(sti_bodies_reader* r, const char* section, const char* name) {
    const size_t length = strlen(section);
    const char* found = NULL;
    for (int k = 0; k < r->settings.count; k++) {
        sti_setting* s = &r->settings.one[k];
        const bool full =
            strncmp(s->name, section, length) == 0 && s->name[length] == '.' && strcmp(s->name + length + 1, name) == 0;
        // a short name that is also one of a parameter means the parameter
        if (!full && (s->used || strcmp(s->name, name) != 0)) continue;
        s->used = true;
        found = s->value;
    }
    return found;
}

// ---- parameters and definitions

static sti_status find_object(const sti_bodies_reader* r, const char* key, const sti_json_value** out) {
    const sti_place place = sti_place_key(NULL, key);
    *out = sti_json_field(r->tree->root, key);
    if (*out != NULL && !sti_json_is_object(*out))
        return sti_json_fail(r->tree, &place, *out, "an object { .. } is expected");
    return STI_OK;
}

static sti_status read_parameters(sti_bodies_reader* r, const sti_json_value* object) {
    const sti_place up = sti_place_key(NULL, "parameters");
    sti_status status = STI_OK;
    int k = 0;
    for (const sti_json_value* v = object != NULL ? object->child : NULL; status == STI_OK && v != NULL;
         v = v->next, k++) {
        const sti_place place = sti_place_key(&up, v->key);
        const char* setting = sti_bodies_setting(r, "parameters", v->key);
        status = setting != NULL ? sti_bodies_read_formula(r, &place, setting, &r->parameter[k])
                                 : sti_bodies_read_number(r, &place, v, &r->parameter[k]);
        if (status == STI_OK)
            status = sti_bodies_blame(r, NULL, sti_scope_parameter(&r->scope, "parameters", v->key, k));
    }
    return status;
}

static sti_status read_definitions(sti_bodies_reader* r, const sti_json_value* object) {
    const sti_place up = sti_place_key(NULL, "definitions");
    sti_status status = STI_OK;
    for (const sti_json_value* v = object != NULL ? object->child : NULL; status == STI_OK && v != NULL; v = v->next) {
        const sti_place place = sti_place_key(&up, v->key);
        char where[160];
        if (!sti_json_is_string(v)) return sti_json_fail(r->tree, &place, v, "a formula in quotes is expected");
        sti_place_text(&place, where, sizeof where);
        status = sti_bodies_blame(r, NULL, sti_scope_definition(&r->scope, where, v->key, v->text));
    }
    return status;
}

sti_status sti_bodies_formulas_begin(sti_bodies_reader* r) {
    const sti_json_value *parameters, *definitions;
    sti_status status = find_object(r, "parameters", &parameters);
    if (status == STI_OK) status = find_object(r, "definitions", &definitions);
    if (status != STI_OK) return status;
    r->parameter_count = parameters != NULL ? sti_json_count(parameters) : 0;
    r->parameter = sti_alloc_array_zero(r->env, (size_t)r->parameter_count + 1, sizeof *r->parameter);
    if (r->parameter == NULL) return STI_ERR_MEMORY;
    sti_tape_init(&r->tape, r->env, r->parameter_count + 1, 0);
    r->scope = (sti_scope){.tape = &r->tape};
    status = sti_scope_parameter(&r->scope, "i", "i", r->parameter_count);
    if (status == STI_OK) status = read_parameters(r, parameters);
    if (status == STI_OK) status = read_definitions(r, definitions);
    return status;
}

void sti_bodies_formulas_end(sti_bodies_reader* r) {
    sti_scope_clear(&r->scope);
    sti_tape_clear(&r->tape);
    sti_free(r->env, r->parameter);
    sti_free(r->env, r->entry);
    sti_free(r->env, r->used);
}

void sti_bodies_repeat(sti_bodies_reader* r, bool on, int index) {
    r->repeating = on;
    r->parameter[r->parameter_count] = index;
}
