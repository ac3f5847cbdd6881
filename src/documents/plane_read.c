// plane_read.c: what files of parts, vehicles and their like share: rows of formulas, outlines, parameters, lists of
// objects.
#include "documents/plane_json.h"
#include "formats/json_fields.h"

// ---- parts of fields

sti_status sti_plane_formula(sti_texts* s, const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                             const char* key, const char** out) {
    const sti_place place = sti_place_key(up, key);
    return sti_texts_formula(s, tree, &place, sti_json_field(object, key), out);
}

// A list of `count` formulas into out.
sti_status sti_plane_row(sti_texts* s, const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                         int count, const char** out) {
    if (!sti_json_is_array(value) || sti_json_count(value) != count)
        return sti_json_fail(tree, place, value, "a list of %d numbers or formulas is expected", count);
    sti_status status = STI_OK;
    int k = 0;
    for (const sti_json_value* v = value->child; status == STI_OK && v != NULL; v = v->next, k++) {
        const sti_place at = sti_place_index(place, k);
        status = sti_texts_formula(s, tree, &at, v, &out[k]);
        if (status == STI_OK && out[k] == NULL) status = sti_json_fail(tree, &at, v, "a number or formula is expected");
    }
    return status;
}

// A list of rows of `width` formulas.
sti_status sti_plane_rows(sti_texts* s, const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                          const char* key, int width, const char* const** out, int* count) {
    const sti_json_value* list = sti_json_field(object, key);
    const sti_place place = sti_place_key(up, key);
    *out = NULL;
    *count = 0;
    if (list == NULL) return STI_OK;
    const int n = sti_json_is_array(list) ? sti_json_count(list) : 0;
    if (n < 1) return sti_json_fail(tree, &place, list, "a list of lists of %d numbers is expected", width);
    const char** text = sti_texts_array(s, sti_size_mul((size_t)n, (size_t)width), sizeof *text);
    if (text == NULL) return s->status;
    sti_status status = STI_OK;
    for (const sti_json_value* v = list->child; status == STI_OK && v != NULL; v = v->next, (*count)++) {
        const sti_place at = sti_place_index(&place, *count);
        status = sti_plane_row(s, tree, &at, v, width, text + sti_size_mul((size_t)*count, (size_t)width));
    }
    *out = text;
    return status;
}

// An optional list of fixed length.
sti_status sti_plane_fixed(sti_texts* s, const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                           const char* key, int count, const char** out) {
    const sti_json_value* value = sti_json_field(object, key);
    const sti_place place = sti_place_key(up, key);
    return value == NULL ? STI_OK : sti_plane_row(s, tree, &place, value, count, out);
}

sti_status sti_plane_name(sti_texts* s, const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                          const char** out) {
    const sti_json_value* value = sti_json_field(object, "name");
    const sti_place place = sti_place_key(up, "name");
    if (value == NULL) return STI_OK;
    if (!sti_json_is_string(value) || value->text[0] == '\0')
        return sti_json_fail(tree, &place, value, "a name is expected");
    *out = sti_texts_copy(s, value->text);
    return s->status;
}

sti_status sti_plane_outline(sti_texts* s, const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                             sti_outline_text* out) {
    const sti_json_value* disc = sti_json_field(object, "disc");
    const sti_place place = sti_place_key(up, "disc");
    if ((disc == NULL) == (sti_json_field(object, "polygon") == NULL))
        return sti_json_fail(tree, up, NULL, "\"polygon\" or \"disc\" is expected");
    sti_status status = sti_plane_rows(s, tree, up, object, "polygon", 2, &out->vertices, &out->vertex_count);
    if (status == STI_OK) status = sti_texts_formula(s, tree, &place, disc, &out->radius);
    return status;
}

// A list of objects, each read into `size` bytes.
sti_status sti_plane_list(sti_texts* s, const sti_json_tree* tree, const char* key, size_t size,
                          sti_status (*read)(sti_texts*, const sti_json_tree*, const sti_place*, const sti_json_value*,
                                             void*),
                          const void** out, int* count) {
    const sti_json_value* list = sti_json_field(tree->root, key);
    const sti_place up = sti_place_key(NULL, key);
    *out = NULL;
    *count = 0;
    if (list == NULL) return STI_OK;
    if (!sti_json_is_array(list)) return sti_json_fail(tree, &up, list, "a list is expected");
    char* room = sti_texts_array(s, (size_t)sti_json_count(list), size);
    if (room == NULL) return s->status;
    sti_status status = STI_OK;
    for (const sti_json_value* v = list->child; status == STI_OK && v != NULL; v = v->next, (*count)++) {
        const sti_place at = sti_place_index(&up, *count);
        if (!sti_json_is_object(v)) return sti_json_fail(tree, &at, v, "an object { .. } is expected");
        status = read(s, tree, &at, v, room + sti_size_mul((size_t)*count, size));
    }
    *out = room;
    return status;
}

// Parameters are numbers; definitions formulas.
sti_status sti_plane_parameters(sti_texts* s, const sti_json_tree* tree, sti_plane_names* out) {
    const sti_json_value *object = sti_json_field(tree->root, "parameters"),
                         *named = sti_json_field(tree->root, "definitions");
    const sti_place up = sti_place_key(NULL, "parameters"), up_named = sti_place_key(NULL, "definitions");
    if (object != NULL && !sti_json_is_object(object))
        return sti_json_fail(tree, &up, object, "an object { .. } is expected");
    if (named != NULL && !sti_json_is_object(named))
        return sti_json_fail(tree, &up_named, named, "an object { .. } is expected");
    const char** names = sti_texts_array(s, (size_t)sti_json_count(object) + 1, sizeof *names);
    double* values = sti_texts_array(s, (size_t)sti_json_count(object) + 1, sizeof *values);
    sti_system_named* list = sti_texts_array(s, (size_t)sti_json_count(named) + 1, sizeof *list);
    sti_status status = s->status;
    int k = 0;
    for (const sti_json_value* v = object != NULL ? object->child : NULL; status == STI_OK && v != NULL;
         v = v->next, k++) {
        const sti_place place = sti_place_key(&up, v->key);
        bool is_double;
        names[k] = sti_texts_copy(s, v->key);
        status = sti_json_read_number(tree, &place, v, &values[k], &is_double);
        if (status == STI_OK) status = s->status;
    }
    int d = 0;
    for (const sti_json_value* v = named != NULL ? named->child : NULL; status == STI_OK && v != NULL;
         v = v->next, d++) {
        const sti_place place = sti_place_key(&up_named, v->key);
        list[d].name = sti_texts_copy(s, v->key);
        status = sti_texts_formula(s, tree, &place, v, &list[d].formula);
        if (status == STI_OK) status = s->status;
    }
    out->parameter_count = k;
    out->parameter_names = names;
    out->parameters = values;
    out->definition_count = d;
    out->definitions = list;
    return status;
}
