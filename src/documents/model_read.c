// model_read.c: a model by a formula of t, for fits, from JSON.
//
//     {"kind": "model", "parameters": {"a": 1, "b": 1, "c": 0.2}, "model": "a*exp(-b*t) + c"}
//         or "model": {"y": "..", ..}
//
// It is kept as a system without motion: the formulas stand where gaps do, and sti_system_gap evaluates them.
#include <stiction/fit.h>
#include <string.h>

#include "documents/document.h"
#include "documents/texts.h"
#include "formats/file.h"
#include "formats/json_fields.h"

static const char* const names[] = {"kind", "name", "description", "parameters", "definitions", "model"};

typedef struct reader {
    const sti_json_tree* tree;
    sti_texts texts;
    sti_system_text text;
} reader;

static sti_status read_parameters(reader* r) {
    const sti_json_value* object = sti_json_field(r->tree->root, "parameters");
    const sti_place up = sti_place_key(NULL, "parameters");
    if (object != NULL && !sti_json_is_object(object))
        return sti_json_fail(r->tree, &up, object, "an object { .. } is expected");
    const size_t count = (size_t)sti_json_count(object);
    const char** name = sti_texts_array(&r->texts, count, sizeof *name);
    double* value = sti_texts_array(&r->texts, count, sizeof *value);
    sti_status status = r->texts.status;
    int k = 0;
    for (const sti_json_value* v = object != NULL ? object->child : NULL; status == STI_OK && v != NULL;
         v = v->next, k++) {
        const sti_place place = sti_place_key(&up, v->key);
        bool is_double;
        name[k] = v->key;
        status = sti_json_read_number(r->tree, &place, v, &value[k], &is_double);
    }
    r->text.parameter_count = k;
    r->text.parameter_names = name;
    r->text.parameters = value;
    return status;
}

static sti_status read_definitions(reader* r) {
    const sti_json_value* object = sti_json_field(r->tree->root, "definitions");
    const sti_place up = sti_place_key(NULL, "definitions");
    if (object != NULL && !sti_json_is_object(object))
        return sti_json_fail(r->tree, &up, object, "an object { .. } is expected");
    sti_system_named* list = sti_texts_array(&r->texts, (size_t)sti_json_count(object), sizeof *list);
    sti_status status = r->texts.status;
    int k = 0;
    for (const sti_json_value* v = object != NULL ? object->child : NULL; status == STI_OK && v != NULL;
         v = v->next, k++) {
        const sti_place place = sti_place_key(&up, v->key);
        list[k].name = v->key;
        status = sti_texts_formula(&r->texts, r->tree, &place, v, &list[k].formula);
    }
    r->text.definition_count = k;
    r->text.definitions = list;
    return status;
}

static sti_status read_outputs(reader* r) {
    const sti_json_value* value = sti_json_field(r->tree->root, "model");
    const sti_place place = sti_place_key(NULL, "model");
    if (value == NULL) return sti_json_fail(r->tree, &place, NULL, "a formula of t is expected");
    const bool many = sti_json_is_object(value);
    const int count = many ? sti_json_count(value) : 1;
    if (count < 1) return sti_json_fail(r->tree, &place, value, "at least one formula of t is expected");
    sti_system_contact_text* out = sti_texts_array(&r->texts, (size_t)count, sizeof *out);
    if (out == NULL) return r->texts.status;
    sti_status status = STI_OK;
    const sti_json_value* v = many ? value->child : value;
    for (int k = 0; status == STI_OK && k < count; k++, v = v->next) {
        const sti_place at = sti_place_key(&place, v->key);
        out[k].name = many ? v->key : "y";
        status = sti_texts_formula(&r->texts, r->tree, many ? &at : &place, v, &out[k].gap);
    }
    r->text.contact_count = count;
    r->text.contacts = out;
    return status;
}

static sti_status create(reader* r, sti_system** out) {
    static const char* const coordinate[] = {"_"};
    r->text.coordinate_count = 1;
    r->text.coordinates = coordinate;
    r->text.kinetic = "0";
    sti_status status = sti_system_create(r->tree->env, &r->text, out);
    if (status != STI_ERR_INPUT) return status;
    char message[sizeof r->tree->env->error.text];
    memcpy(message, r->tree->env->error.text, sizeof message);
    return sti_file_fail(r->tree->env, status, r->tree->name, "model: %s", message);
}

static sti_status read(sti_json_tree* tree, void** out) {
    reader r = {.tree = tree, .texts = {.env = tree->env}};
    sti_system* system = NULL;
    sti_status status = read_parameters(&r);
    if (status == STI_OK) status = read_definitions(&r);
    if (status == STI_OK) status = read_outputs(&r);
    if (status == STI_OK) status = create(&r, &system);
    if (status == STI_OK) sti_json_warn_unknown(tree, NULL, tree->root, names, sizeof names / sizeof names[0]);
    sti_texts_clear(&r.texts);
    *out = system;
    return status;
}

static void destroy(sti_env* env, void* content) {
    (void)env;
    sti_system_destroy(content);
}

// First everything is looked at, then set.
static sti_status set(sti_env* env, void* content, const sti_settings* settings) {
    sti_status status = sti_settings_check(env, settings, NULL, NULL);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; status == STI_OK && i < settings->count; i++) {
            const sti_setting* one = &settings->one[i];
            double value = 0;
            int k = 0;
            while (k < sti_system_parameter_count(content) && strcmp(sti_system_parameter(content, k), one->name) != 0)
                k++;
            status = sti_setting_number(env, one, &value);
            if (status == STI_OK && k == sti_system_parameter_count(content))
                status = STI_FAIL(env, STI_ERR_INPUT, -1, "%.60s: no such parameter", one->name);
            if (status == STI_OK && pass == 1) status = sti_system_set(content, one->name, value);
        }
    }
    return status;
}

const sti_kind_row sti_kind_model = {.read = read, .destroy = destroy, .set = set};

sti_system* sti_model_of(const sti_document* document) {
    return sti_document_content(document, STI_KIND_MODEL);
}
