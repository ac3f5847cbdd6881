// texts.c: texts of a file that outlive its tree, owned together.
#include "documents/texts.h"

#include <string.h>

#include "formats/json_fields.h"
#include "formats/json_matrix.h"

void sti_texts_clear(sti_texts* t) {
    for (int i = 0; i < t->count; i++) sti_free(t->env, t->block[i]);
    if (t->env != NULL) sti_free(t->env, t->block);
    *t = (sti_texts){0};
}

static void* keep(sti_texts* t, void* block) {
    if (block != NULL && t->count == t->capacity) {
        const int capacity = sti_count_mul(2, t->capacity + 8);
        void** grown = sti_realloc_array(t->env, t->block, (size_t)capacity, sizeof *grown);
        if (grown == NULL) {
            sti_free(t->env, block);
            block = NULL;
        } else {
            t->block = grown;
            t->capacity = capacity;
        }
    }
    if (block != NULL)
        t->block[t->count++] = block;
    else
        t->status = STI_ERR_MEMORY;
    return block;
}

void* sti_texts_array(sti_texts* t, size_t count, size_t size) {
    return keep(t, sti_alloc_array_zero(t->env, count, size));
}

const char* sti_texts_copy(sti_texts* t, const char* text) {
    return text == NULL ? NULL : keep(t, sti_strdup(t->env, text));
}

sti_status sti_texts_formula(sti_texts* t, const sti_json_tree* tree, const sti_place* place,
                             const sti_json_value* value, const char** out) {
    if (value == NULL) return STI_OK;
    if (!sti_json_is_string(value) && !sti_json_is_number(value))
        return sti_json_fail(tree, place, value, "a formula in quotes, or a number, is expected");
    *out = sti_texts_copy(t, value->text);
    return t->status;
}

sti_status sti_texts_field(sti_texts* t, const sti_json_tree* tree, const char* key, const char** out) {
    const sti_place place = sti_place_key(NULL, key);
    return sti_texts_formula(t, tree, &place, sti_json_field(tree->root, key), out);
}

sti_status sti_texts_list(sti_texts* t, const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                          const char* const** out, int* count) {
    if (value == NULL) return STI_OK;
    const bool one = !sti_json_is_array(value);
    const int n = one ? 1 : sti_json_count(value);
    const char** list = sti_texts_array(t, (size_t)n, sizeof *list);
    if (list == NULL) return t->status;
    const sti_json_value* entry = one ? value : value->child;
    for (int i = 0; i < n; i++, entry = one ? NULL : entry->next) {
        const sti_place at = sti_place_index(place, i);
        const sti_status status = sti_texts_formula(t, tree, one ? place : &at, entry, &list[i]);
        if (status != STI_OK) return status;
    }
    *out = list;
    *count = n;
    return STI_OK;
}

sti_status sti_texts_named(sti_texts* t, const sti_json_tree* tree, const sti_system_named** out, int* count) {
    static const char* const keys[] = {"parameters", "definitions"};
    const sti_json_value* object[2];
    int total = 0;
    for (int k = 0; k < 2; k++) {
        const sti_place place = sti_place_key(NULL, keys[k]);
        object[k] = sti_json_field(tree->root, keys[k]);
        if (object[k] != NULL && !sti_json_is_object(object[k]))
            return sti_json_fail(tree, &place, object[k], "an object { .. } is expected");
        total += object[k] != NULL ? sti_json_count(object[k]) : 0;
    }
    sti_system_named* named = sti_texts_array(t, (size_t)total, sizeof *named);
    if (named == NULL) return t->status;
    for (int k = 0, at = 0; k < 2; k++) {
        const sti_place up = sti_place_key(NULL, keys[k]);
        for (const sti_json_value* value = object[k] != NULL ? object[k]->child : NULL; value != NULL;
             value = value->next, at++) {
            const sti_place place = sti_place_key(&up, value->key);
            named[at].name = sti_texts_copy(t, value->key);
            const sti_status status = sti_texts_formula(t, tree, &place, value, &named[at].formula);
            if (status != STI_OK) return status;
        }
    }
    *out = named;
    *count = total;
    return t->status;
}

sti_status sti_texts_start(sti_texts* t, const sti_json_tree* tree, int n, bool open, const double** out) {
    const sti_json_value* value = sti_json_field(tree->root, "start");
    const sti_place place = sti_place_key(NULL, "start");
    sti_field f = {.open = open};
    if (value == NULL) return STI_OK;
    sti_status status = sti_json_read_vector(tree, &place, value, &f);
    if (status == STI_OK && f.rows != n) status = sti_json_fail(tree, &place, value, "%d entries are expected", n);
    if (status == STI_OK) {
        double* kept = sti_texts_array(t, (size_t)n, sizeof *kept);
        for (int k = 0; kept != NULL && k < n; k++) kept[k] = f.vector[k];
        *out = kept;
        status = t->status;
    }
    sti_field_clear(tree->env, &f);
    return status;
}
