// sticking_propositions.c: propositions as JSON:
//
//     [{"id": "P6.i", "title": "..", "verdict": "holds", "reason": "..", "numbers": {"A_c": [[..], ..], "rank": 2}},
//     ..]
//
// A number, true or false, a list of numbers or of modes, a list of rows; what is not finite is null.
#include "documents/sticking_propositions.h"

#include <math.h>
#include <stiction/contact.h>
#include <string.h>

#include "base/size.h"
#include "documents/document.h"

#define STI_X(code, text) text,
static const char* const verdicts[] = {STI_HOLDS_LIST(STI_X)};
static const char* const modes[] = {STI_CONTACT_MODE_LIST(STI_X)};
#undef STI_X

enum { PROPOSITIONS_MOST = 64, NUMBERS_MOST = 64, NAME_MOST = 80, MODES = sizeof modes / sizeof modes[0] };

static void write_modes(sti_json* j, const sti_named* v) {
    sti_json_array(j, v->name);
    for (int i = 0; i < v->cols; i++) {
        if (v->value[i] >= 0 && v->value[i] < MODES)
            sti_json_text(j, NULL, modes[(int)v->value[i]]);
        else
            sti_json_null(j, NULL);
    }
    sti_json_end(j);
}

static void write_number(sti_json* j, const sti_named* v) {
    switch (v->form) {
        case STI_NAMED_NUMBER:
            sti_json_double(j, v->name, v->value[0]);
            break;
        case STI_NAMED_TRUTH:
            if (isnan(v->value[0]))
                sti_json_null(j, v->name);
            else
                sti_json_bool(j, v->name, v->value[0] != 0);
            break;
        case STI_NAMED_VECTOR:
            sti_json_doubles(j, v->name, v->value, (size_t)v->cols);
            break;
        case STI_NAMED_MODES:
            write_modes(j, v);
            break;
        case STI_NAMED_MATRIX:
            sti_json_array(j, v->name);
            for (int i = 0; i < v->rows; i++)
                sti_json_doubles(j, NULL, v->value + (size_t)i * (size_t)v->cols, (size_t)v->cols);
            sti_json_end(j);
            break;
    }
}

void sti_propositions_write(sti_json* j, const sti_sticking_answer* answer) {
    sti_json_array(j, "propositions");
    for (int i = 0; i < answer->proposition_count; i++) {
        const sti_proposition* p = &answer->propositions[i];
        sti_json_object(j, NULL);
        sti_json_text(j, "id", p->id);
        sti_json_text(j, "title", p->title);
        sti_json_text(j, "verdict", verdicts[p->verdict]);
        sti_json_text(j, "reason", p->reason);
        sti_json_object(j, "numbers");
        for (int k = 0; k < p->number_count; k++) write_number(j, &p->numbers[k]);
        sti_json_end(j);
        sti_json_end(j);
    }
    sti_json_end(j);
}

// ---- reading

static sti_status copy_text(sti_env* env, const char* text, const char** out) {
    const size_t size = strlen(text) + 1;
    char* copy = sti_alloc(env, size);
    if (copy == NULL) return STI_ERR_MEMORY;
    memcpy(copy, text, size);
    *out = copy;
    return STI_OK;
}

static sti_status read_value(const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                             double* out) {
    const char* word = sti_json_string(value);
    *out = NAN;
    if (sti_json_is_number(value)) *out = value->number;
    if (sti_json_is_bool(value)) *out = sti_json_is_true(value);
    for (int k = 0; word != NULL && k < MODES; k++)
        if (strcmp(word, modes[k]) == 0) *out = k;
    return sti_json_is_null(value) || !isnan(*out)
               ? STI_OK
               : sti_json_fail(tree, place, value, "a number, true, false, a mode or null is expected");
}

static sti_status read_row(const sti_json_tree* tree, const sti_place* place, const sti_json_value* list, double* out) {
    sti_status status = STI_OK;
    int64_t i = 0;
    for (const sti_json_value* value = list->child; status == STI_OK && value != NULL; value = value->next, i++) {
        const sti_place at = sti_place_index(place, i);
        status = read_value(tree, &at, value, &out[i]);
    }
    return status;
}

static bool has_words(const sti_json_value* list) {
    for (const sti_json_value* value = list->child; value != NULL; value = value->next)
        if (sti_json_is_string(value)) return true;
    return false;
}

static sti_named_form form_of(const sti_json_value* value) {
    if (!sti_json_is_array(value)) return sti_json_is_bool(value) ? STI_NAMED_TRUTH : STI_NAMED_NUMBER;
    if (sti_json_is_array(value->child)) return STI_NAMED_MATRIX;
    return has_words(value) ? STI_NAMED_MODES : STI_NAMED_VECTOR;
}

static sti_status read_number(sti_env* env, const sti_json_tree* tree, const sti_place* place,
                              const sti_json_value* value, sti_named* out) {
    const bool list = sti_json_is_array(value);
    out->form = form_of(value);
    out->rows = out->form == STI_NAMED_MATRIX ? sti_json_count(value) : 1;
    out->cols = list ? sti_json_count(out->form == STI_NAMED_MATRIX ? value->child : value) : 1;
    out->value = sti_alloc_array(env, sti_size_mul((size_t)out->rows, (size_t)out->cols), sizeof *out->value);
    if (out->value == NULL) return STI_ERR_MEMORY;
    if (!list) return read_value(tree, place, value, out->value);
    if (out->form != STI_NAMED_MATRIX) return read_row(tree, place, value, out->value);
    sti_status status = STI_OK;
    int i = 0;
    for (const sti_json_value* row = value->child; status == STI_OK && row != NULL; row = row->next, i++) {
        const sti_place at = sti_place_index(place, i);
        status = sti_json_check_list(tree, &at, row, out->cols);
        if (status == STI_OK) status = read_row(tree, &at, row, out->value + (size_t)i * (size_t)out->cols);
    }
    return status;
}

static sti_status read_numbers(sti_env* env, const sti_json_tree* tree, const sti_place* up,
                               const sti_json_value* object, sti_proposition* p) {
    const sti_place place = sti_place_key(up, "numbers");
    if (object == NULL) return STI_OK;
    const int count = sti_json_is_object(object) ? sti_json_count(object) : -1;
    if (count < 0 || count > NUMBERS_MOST)
        return sti_json_fail(tree, &place, object, "an object with at most %d numbers is expected", NUMBERS_MOST);
    sti_named* numbers = sti_alloc_array_zero(env, (size_t)count, sizeof *numbers);
    if (numbers == NULL) return STI_ERR_MEMORY;
    p->numbers = numbers;
    sti_status status = STI_OK;
    for (const sti_json_value* value = object->child; status == STI_OK && value != NULL; value = value->next) {
        const sti_place at = sti_place_key(&place, value->key);
        sti_named* v = &numbers[p->number_count++];
        status = copy_text(env, value->key, &v->name);
        if (status == STI_OK) status = read_number(env, tree, &at, value, v);
    }
    return status;
}

static sti_status read_one(sti_env* env, const sti_json_tree* tree, const sti_place* place,
                           const sti_json_value* object, sti_proposition* p) {
    char id[NAME_MOST] = "", title[2 * NAME_MOST] = "";
    int verdict = STI_NOT_APPLICABLE;
    if (!sti_json_is_object(object)) return sti_json_fail(tree, place, object, "an object is expected");
    sti_status status = sti_json_read_text(tree, place, object, "id", id, sizeof id);
    if (status == STI_OK) status = sti_json_read_text(tree, place, object, "title", title, sizeof title);
    if (status == STI_OK) status = sti_json_read_text(tree, place, object, "reason", p->reason, sizeof p->reason);
    if (status == STI_OK)
        status = sti_json_read_word(tree, place, object, "verdict", verdicts,
                                    (int)(sizeof verdicts / sizeof verdicts[0]), &verdict);
    p->verdict = (sti_holds)verdict;
    if (status == STI_OK) status = copy_text(env, id, &p->id);
    if (status == STI_OK) status = copy_text(env, title, &p->title);
    return status == STI_OK ? read_numbers(env, tree, place, sti_json_field(object, "numbers"), p) : status;
}

sti_status sti_propositions_read(sti_env* env, const sti_json_tree* tree, const sti_place* up,
                                 const sti_json_value* object, sti_sticking_answer* answer) {
    const sti_json_value* list = sti_json_field(object, "propositions");
    const sti_place place = sti_place_key(up, "propositions");
    if (list == NULL) return STI_OK;
    const int count = sti_json_is_array(list) ? sti_json_count(list) : -1;
    if (count < 0 || count > PROPOSITIONS_MOST)
        return sti_json_fail(tree, &place, list, "a list of at most %d propositions is expected", PROPOSITIONS_MOST);
    answer->propositions = sti_alloc_array_zero(env, (size_t)count, sizeof *answer->propositions);
    if (answer->propositions == NULL) return STI_ERR_MEMORY;
    sti_status status = STI_OK;
    for (const sti_json_value* value = list->child; status == STI_OK && value != NULL; value = value->next) {
        const sti_place at = sti_place_index(&place, answer->proposition_count);
        status = read_one(env, tree, &at, value, &answer->propositions[answer->proposition_count++]);
    }
    return status;
}

void sti_propositions_clear(sti_env* env, sti_sticking_answer* answer) {
    for (int i = 0; i < answer->proposition_count; i++) {
        sti_proposition* p = &answer->propositions[i];
        for (int k = 0; k < p->number_count; k++) {
            sti_free(env, (char*)p->numbers[k].name);
            sti_free(env, p->numbers[k].value);
        }
        sti_free(env, (sti_named*)p->numbers);
        sti_free(env, (char*)p->id);
        sti_free(env, (char*)p->title);
    }
    sti_free(env, answer->propositions);
}
