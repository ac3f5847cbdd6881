// modes_answer.c: the answer of stiction analyze modes read back, as far as the checker looks at it.
//
//     {"kind": "modes", "model": "box", "sides": k, "contacts_only": .., "gap_tol": .., "velocity_tol": ..,
//      "corners": [[x, y], ..], "wrench_exact": [..],
//      "contacts": [{"status": .., "choices": [..]}],
//      "modes": [{"choice": [..], "fit": .., "witness": [..], "solution": {"a_exact": [..],
//                 "contact_accelerations_exact": [..], "forces_exact": [..]}}],
//      "exists": .., "held": [..], "certificate": {"cases": [{"choices": [..], "y": [..], "nu": [..]}]}}
//
// Nothing of it is believed: sizes are those of the instant, and what is missing or odd is named with its place.
#include <stdio.h>
#include <stiction/modes.h>
#include <string.h>

#include "documents/document.h"
#include "formats/file.h"
#include "formats/json_fields.h"

enum { MOST_MODES = 1000000, MOST_CHOICES = 300 };

typedef struct reader {
    sti_json_tree tree;
    const sti_instant* instant;
    sti_modes* out;
    int K;
} reader;

// A list of `count` exact numbers under a key, into entries first .. of r.
static sti_status read_numbers(reader* k, const sti_place* up, const sti_json_value* object, const char* key, int count,
                               sti_rationals* r, size_t first) {
    const sti_place place = sti_place_key(up, key);
    const sti_json_value* list = sti_json_field(object, key);
    sti_status status = sti_json_check_list(&k->tree, &place, list, count);
    const sti_json_value* value = status == STI_OK ? list->child : NULL;
    for (int i = 0; i < count && status == STI_OK; i++, value = value->next) {
        const sti_place at = sti_place_index(&place, i);
        status = sti_json_read_exact(&k->tree, &at, value, r, first + (size_t)i);
    }
    return status;
}

static sti_status read_options(reader* k, sti_modes_options* o) {
    static const char* const models[2] = {"box", "sides"};
    int model = 0;
    long sides = 0;
    *o = sti_modes_options_default();
    sti_status status = sti_json_read_word(&k->tree, NULL, k->tree.root, "model", models, 2, &model);
    if (status == STI_OK) status = sti_json_read_long(&k->tree, NULL, k->tree.root, "sides", &sides);
    if (status == STI_OK) status = sti_json_read_bool(&k->tree, NULL, k->tree.root, "contacts_only", &o->contacts_only);
    if (status == STI_OK)
        status = sti_json_read_double(&k->tree, NULL, k->tree.root, "gap_tol", o->gap_tol, &o->gap_tol);
    if (status == STI_OK)
        status = sti_json_read_double(&k->tree, NULL, k->tree.root, "velocity_tol", o->velocity_tol, &o->velocity_tol);
    o->model = model == 0 ? STI_FRICTION_BOX : STI_FRICTION_SIDES;
    if (model == 1) o->sides = sides > 64 ? 65 : (int)sides;
    return status;
}

static sti_status read_corners(reader* k, const sti_modes_options* o) {
    const int count = o->model == STI_FRICTION_BOX ? 4 : o->sides;
    const sti_place place = sti_place_key(NULL, "corners");
    const sti_json_value* list = sti_json_field(k->tree.root, "corners");
    if (count < 3 || count > 64)
        return sti_json_fail(&k->tree, &place, list, "3 to 64 sides are expected, not %d", count);
    sti_status status = sti_json_check_list(&k->tree, &place, list, count);
    if (status == STI_OK) status = sti_rationals_create(k->tree.env, 2 * (size_t)count, &k->out->corners);
    const sti_json_value* row = status == STI_OK ? list->child : NULL;
    for (int i = 0; i < count && status == STI_OK; i++, row = row->next) {
        const sti_place at = sti_place_index(&place, i);
        status = sti_json_check_list(&k->tree, &at, row, 2);
        for (int c = 0; c < 2 && status == STI_OK; c++) {
            const sti_place entry = sti_place_index(&at, c);
            status = sti_json_read_exact(&k->tree, &entry, sti_json_item(row, c), k->out->corners,
                                         2 * (size_t)i + (size_t)c);
        }
    }
    k->out->corner_count = count;
    return status;
}

static sti_status read_contact(reader* k, const sti_place* place, const sti_json_value* from, sti_modes_contact* to) {
    const char* words[STI_CONTACT_STATUS_JOINT + 1];
    int status_word = -1;
    for (int i = 0; i <= STI_CONTACT_STATUS_JOINT; i++) words[i] = sti_contact_status_text((sti_contact_status)i);
    sti_status status =
        sti_json_read_word(&k->tree, place, from, "status", words, STI_CONTACT_STATUS_JOINT + 1, &status_word);
    const sti_place choices = sti_place_key(place, "choices");
    const sti_json_value* list = sti_json_field(from, "choices");
    if (status == STI_OK && status_word < 0) {
        const sti_place at = sti_place_key(place, "status");
        return sti_json_fail(&k->tree, &at, NULL, "the status of a contact is expected");
    }
    const int count = sti_json_is_array(list) ? sti_json_count(list) : 0;
    if (status == STI_OK && (count < 1 || count > MOST_CHOICES))
        return sti_json_fail(&k->tree, &choices, list, "the modes of a contact are expected");
    if (status != STI_OK) return status;
    to->status = (sti_contact_status)status_word;
    to->word = sti_alloc_array_zero(k->tree.env, (size_t)count, sizeof *to->word);
    if (to->word == NULL) return STI_ERR_MEMORY;
    to->choice_count = count;
    int i = 0;
    for (const sti_json_value* word = list->child; word != NULL; word = word->next, i++) {
        const sti_place at = sti_place_index(&choices, i);
        if (!sti_json_is_string(word) || strlen(word->text) >= sizeof to->word[0])
            return sti_json_fail(&k->tree, &at, word, "a short word is expected");
        snprintf(to->word[i], sizeof to->word[i], "%s", word->text);
    }
    return STI_OK;
}

static sti_status read_contacts(reader* k) {
    const sti_place place = sti_place_key(NULL, "contacts");
    const sti_json_value* list = sti_json_field(k->tree.root, "contacts");
    const int count = k->instant->contact_count;
    sti_status status = sti_json_check_list(&k->tree, &place, list, count);
    if (status != STI_OK) return status;
    k->out->contacts = sti_alloc_array_zero(k->tree.env, (size_t)count, sizeof *k->out->contacts);
    if (k->out->contacts == NULL) return STI_ERR_MEMORY;
    const sti_json_value* contact = list->child;
    for (int i = 0; i < count && status == STI_OK; i++, contact = contact->next) {
        const sti_place at = sti_place_index(&place, i);
        status = read_contact(k, &at, contact, &k->out->contacts[i]);
    }
    return status;
}

static sti_status read_solution(reader* k, const sti_place* up, const sti_json_value* from, sti_mode* to) {
    const sti_json_value* solution = sti_json_field(from, "solution");
    if (solution == NULL) return STI_OK;
    const int n = k->instant->n;
    to->solution = sti_alloc_array_zero(k->tree.env, 1, sizeof *to->solution);
    if (to->solution == NULL) return STI_ERR_MEMORY;
    const sti_place place = sti_place_key(up, "solution");
    sti_rationals** point = &to->solution->point;
    sti_status status = sti_rationals_create(k->tree.env, (size_t)n + 2 * (size_t)k->K, point);
    if (status == STI_OK) status = read_numbers(k, &place, solution, "a_exact", n, *point, 0);
    if (status == STI_OK)
        status = read_numbers(k, &place, solution, "contact_accelerations_exact", k->K, *point, (size_t)n);
    if (status == STI_OK) status = read_numbers(k, &place, solution, "forces_exact", k->K, *point, (size_t)(n + k->K));
    return status;
}

static sti_status read_mode(reader* k, const sti_place* place, const sti_json_value* from, sti_mode* to) {
    const char* fits[STI_MODE_STRICT + 1];
    int fit = 0;
    char text[256];
    const int contacts = k->instant->contact_count;
    for (int i = 0; i <= STI_MODE_STRICT; i++) fits[i] = sti_mode_fit_text((sti_mode_fit)i);
    sti_status status = sti_json_read_word(&k->tree, place, from, "fit", fits, STI_MODE_STRICT + 1, &fit);
    if (status == STI_OK) status = sti_json_read_text(&k->tree, place, from, "mode", text, sizeof text);
    if (status != STI_OK) return status;
    to->fit = (sti_mode_fit)fit;
    to->text = sti_strdup(k->tree.env, text);
    to->choice = sti_alloc_array(k->tree.env, (size_t)contacts, sizeof *to->choice);
    if (to->text == NULL || to->choice == NULL) return STI_ERR_MEMORY;
    const sti_place choices = sti_place_key(place, "choice");
    const sti_json_value* list = sti_json_field(from, "choice");
    status = sti_json_check_list(&k->tree, &choices, list, contacts);
    const sti_json_value* value = status == STI_OK ? list->child : NULL;
    for (int i = 0; i < contacts && status == STI_OK; i++, value = value->next) {
        const sti_place at = sti_place_index(&choices, i);
        int64_t choice;
        status = sti_json_read_integer(&k->tree, &at, value, 0, k->out->contacts[i].choice_count - 1, &choice);
        if (status == STI_OK) to->choice[i] = (short)choice;
    }
    if (status == STI_OK) status = sti_rationals_create(k->tree.env, (size_t)k->instant->n, &to->witness);
    if (status == STI_OK) status = read_numbers(k, place, from, "witness", k->instant->n, to->witness, 0);
    if (status == STI_OK) status = read_solution(k, place, from, to);
    return status;
}

static sti_status read_modes(reader* k) {
    const sti_place place = sti_place_key(NULL, "modes");
    const sti_json_value* list = sti_json_field(k->tree.root, "modes");
    const int count = sti_json_is_array(list) ? sti_json_count(list) : -1;
    if (count < 0 || count > MOST_MODES) return sti_json_fail(&k->tree, &place, list, "a list of modes is expected");
    k->out->modes = sti_alloc_array_zero(k->tree.env, (size_t)count, sizeof *k->out->modes);
    if (k->out->modes == NULL) return STI_ERR_MEMORY;
    sti_status status = STI_OK;
    const sti_json_value* mode = list->child;
    for (int i = 0; i < count && status == STI_OK; i++, mode = mode->next) {
        const sti_place at = sti_place_index(&place, i);
        k->out->mode_count++;
        status = read_mode(k, &at, mode, &k->out->modes[i]);
        k->out->strict_count += k->out->modes[i].fit == STI_MODE_STRICT;
        k->out->limit_count += k->out->modes[i].fit == STI_MODE_LIMIT;
    }
    return status;
}

// Choices of a case: words, null where the contact is open.
static sti_status read_case_choices(reader* k, const sti_place* up, const sti_json_value* from, short* to) {
    const sti_place place = sti_place_key(up, "choices");
    const sti_json_value* list = sti_json_field(from, "choices");
    sti_status status = sti_json_check_list(&k->tree, &place, list, k->instant->contact_count);
    const sti_json_value* word = status == STI_OK ? list->child : NULL;
    for (int i = 0; i < k->instant->contact_count && status == STI_OK; i++, word = word->next) {
        const sti_modes_contact* c = &k->out->contacts[i];
        const sti_place at = sti_place_index(&place, i);
        to[i] = -1;
        for (int j = 0; j < c->choice_count && sti_json_is_string(word); j++) {
            if (strcmp(c->word[j], word->text) == 0) to[i] = (short)j;
        }
        if (to[i] < 0 && !sti_json_is_null(word))
            status = sti_json_fail(&k->tree, &at, word, "a mode of the contact is expected");
    }
    return status;
}

static sti_status read_certificate(reader* k) {
    const sti_json_value* certificate = sti_json_field(k->tree.root, "certificate");
    if (certificate == NULL) return STI_OK;
    const sti_place up = sti_place_key(NULL, "certificate"), place = sti_place_key(&up, "cases");
    const sti_json_value* list = sti_json_field(certificate, "cases");
    const int count = sti_json_is_array(list) ? sti_json_count(list) : -1, n = k->instant->n;
    if (count < 0 || count > MOST_MODES) return sti_json_fail(&k->tree, &place, list, "a list of cases is expected");
    sti_modes_certificate* to = &k->out->certificate;
    const size_t contacts = (size_t)k->instant->contact_count, width = (size_t)n + (size_t)k->K;
    to->choice = sti_alloc_array(k->tree.env, sti_size_mul((size_t)count, contacts), sizeof *to->choice);
    if (to->choice == NULL) return STI_ERR_MEMORY;
    sti_status status = sti_rationals_create(k->tree.env, sti_size_mul((size_t)count, width), &to->value);
    const sti_json_value* item = list->child;
    for (int i = 0; i < count && status == STI_OK; i++, item = item->next) {
        const sti_place at = sti_place_index(&place, i);
        status = read_case_choices(k, &at, item, to->choice + (size_t)i * contacts);
        if (status == STI_OK) status = read_numbers(k, &at, item, "y", n, to->value, sti_size_mul((size_t)i, width));
        if (status == STI_OK)
            status = read_numbers(k, &at, item, "nu", k->K, to->value, sti_size_mul((size_t)i, width) + (size_t)n);
    }
    to->case_count = count;
    return status;
}

static sti_status read_all(reader* k, sti_modes_options* o) {
    const sti_place place = sti_place_key(NULL, "kind");
    const sti_json_value* kind = sti_json_field(k->tree.root, "kind");
    if (!sti_json_is_string(kind) || strcmp(kind->text, "modes") != 0)
        return sti_json_fail(&k->tree, &place, kind, "\"modes\" is expected");
    sti_status status = read_options(k, o);
    if (status == STI_OK) status = read_corners(k, o);
    if (status == STI_OK) status = read_contacts(k);
    if (status == STI_OK) status = sti_rationals_create(k->tree.env, (size_t)k->instant->n, &k->out->wrench);
    if (status == STI_OK)
        status = read_numbers(k, NULL, k->tree.root, "wrench_exact", k->instant->n, k->out->wrench, 0);
    if (status == STI_OK) status = read_modes(k);
    k->out->asked = k->out->decided = sti_json_field(k->tree.root, "exists") != NULL;
    if (status == STI_OK) status = sti_json_read_bool(&k->tree, NULL, k->tree.root, "exists", &k->out->exists);
    if (status == STI_OK) status = read_certificate(k);
    if (status == STI_OK && sti_json_field(k->tree.root, "held") != NULL) {
        const int count = k->instant->n + k->K;
        status = sti_rationals_create(k->tree.env, (size_t)count, &k->out->held);
        if (status == STI_OK) status = read_numbers(k, NULL, k->tree.root, "held", count, k->out->held, 0);
    }
    o->wrench_exact = k->out->wrench;
    return status;
}

sti_status sti_modes_load(sti_env* env, const sti_instant* instant, const char* path, sti_modes_options* options,
                          sti_modes** out) {
    *out = NULL;
    char* text;
    size_t size;
    sti_status status = sti_file_read(env, path, STI_FILE_TEXT_MOST, &text, &size);
    if (status != STI_OK) return status;
    reader k = {.instant = instant, .K = instant->contact_count + instant->tangent_total};
    status = sti_json_tree_create(env, text, size, path, &k.tree);
    if (status == STI_OK) {
        k.out = sti_alloc_array_zero(env, 1, sizeof *k.out);
        if (k.out == NULL) status = STI_ERR_MEMORY;
        if (k.out != NULL) {
            *k.out = (sti_modes){.env = env,
                                 .n = instant->n,
                                 .contact_count = instant->contact_count,
                                 .tangent_total = instant->tangent_total,
                                 .change_from = -1,
                                 .change_to = -1};
            status = read_all(&k, options);
        }
        if (status == STI_OK)
            *out = k.out;
        else
            sti_modes_destroy(k.out);
        sti_json_tree_clear(&k.tree);
    }
    sti_free(env, text);
    return status;
}
