// json_fields.c: fields of a JSON object by their names.
#include "formats/json_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const sti_json_value* sti_json_field(const sti_json_value* object, const char* key) {
    const sti_json_value* value = sti_json_get(object, key);
    return sti_json_is_null(value) ? NULL : value;
}

// One of a list of words; *out stays when it is missing.
sti_status sti_json_read_word(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                              const char* key, const char* const* words, int count, int* out) {
    const sti_json_value* value = sti_json_field(object, key);
    const sti_place place = sti_place_key(up, key);
    if (value == NULL) return STI_OK;
    for (int k = 0; sti_json_is_string(value) && k < count; k++) {
        if (strcmp(words[k], value->text) == 0) {
            *out = k;
            return STI_OK;
        }
    }
    char list[160] = "";
    for (int k = 0; k < count; k++) {
        const size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s", k > 0 ? ", " : "", words[k]);
    }
    return sti_json_fail(tree, &place, value, "one of %s is expected", list);
}

// A number; `missing` when it is null or not there.
sti_status sti_json_read_double(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                                const char* key, double missing, double* out) {
    const sti_json_value* value = sti_json_field(object, key);
    const sti_place place = sti_place_key(up, key);
    bool is_double;
    *out = missing;
    return value == NULL ? STI_OK : sti_json_read_number(tree, &place, value, out, &is_double);
}

sti_status sti_json_read_bool(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                              const char* key, bool* out) {
    const sti_json_value* value = sti_json_field(object, key);
    const sti_place place = sti_place_key(up, key);
    if (value != NULL && !sti_json_is_bool(value))
        return sti_json_fail(tree, &place, value, "true or false is expected");
    *out = sti_json_is_true(value);
    return STI_OK;
}

sti_status sti_json_read_long(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                              const char* key, long* out) {
    const sti_json_value* value = sti_json_field(object, key);
    const sti_place place = sti_place_key(up, key);
    int64_t n = 0;
    const sti_status status =
        value == NULL ? STI_OK : sti_json_read_integer(tree, &place, value, 0, INT64_C(1) << 53, &n);
    *out = (long)n;
    return status;
}

// Text, cut to size.
sti_status sti_json_read_text(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                              const char* key, char* out, size_t size) {
    const sti_json_value* value = sti_json_field(object, key);
    const sti_place place = sti_place_key(up, key);
    if (value != NULL && !sti_json_is_string(value)) return sti_json_fail(tree, &place, value, "text is expected");
    snprintf(out, size, "%s", value != NULL ? value->text : "");
    return STI_OK;
}

// The next value from `value` on whose name is none of these, nor "comment"; NULL: there is none.
static const sti_json_value* next_unknown(const sti_json_value* value, const char* const* known, int count) {
    for (; value != NULL; value = value->next) {
        bool found = strcmp(value->key, "comment") == 0;
        for (int k = 0; !found && k < count; k++) found = strcmp(value->key, known[k]) == 0;
        if (!found) break;
    }
    return value;
}

void sti_json_warn_unknown(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                           const char* const* known, int count) {
    const sti_json_value* value = next_unknown(object->child, known, count);
    for (; value != NULL; value = next_unknown(value->next, known, count)) {
        const sti_place place = sti_place_key(up, value->key);
        sti_json_warn(tree, &place, "no such field, ignored");
    }
}

sti_status sti_json_check_names(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                                const char* const* known, int count) {
    const sti_json_value* value = next_unknown(object->child, known, count);
    if (value == NULL) return STI_OK;
    const sti_place place = sti_place_key(up, value->key);
    return sti_json_fail(tree, &place, value, "no such field");
}

sti_status sti_json_check_list(const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                               int count) {
    if (!sti_json_is_array(value)) return sti_json_fail(tree, place, value, "a list of %d is expected", count);
    if (sti_json_count(value) != count) return sti_json_fail(tree, place, value, "%d entries are expected", count);
    return STI_OK;
}

// A list of `count` numbers, null for those that are none; *out stays NULL when it is missing.
sti_status sti_json_read_doubles(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                                 const char* key, int count, double** out) {
    const sti_json_value* list = sti_json_field(object, key);
    const sti_place place = sti_place_key(up, key);
    if (list == NULL) return STI_OK;
    sti_status status = sti_json_check_list(tree, &place, list, count);
    if (status != STI_OK) return status;
    *out = sti_alloc_array(tree->env, (size_t)count, sizeof **out);
    if (*out == NULL) return STI_ERR_MEMORY;
    int i = 0;
    for (const sti_json_value* value = list->child; status == STI_OK && value != NULL; value = value->next, i++) {
        const sti_place at = sti_place_index(&place, i);
        bool is_double;
        if (sti_json_is_null(value))
            (*out)[i] = NAN;
        else
            status = sti_json_read_number(tree, &at, value, &(*out)[i], &is_double);
    }
    return status;
}
