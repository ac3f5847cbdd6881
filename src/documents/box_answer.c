// box_answer.c: the answer of stiction analyze robust --box read back, as far as the checker looks at it.
//
//     {"kind": "robust-box", "set": "mu=0.2", "h": 0.05, "steps": 20, "proved": true, "pieces": 4, "slip": null,
//      "contacts": [{"mode": "stick", "friction": 0,
//                    "place": {"part": 0, "against": "tip", "other": 0, "own": false, "corner": 0, "face": 3}}],
//      "doubts": [{"what": "x", "thing": 0, "low": -0.01, "high": 0.02}],
//      "start": [..], "end_low": [..], "end_high": [..]}
//
// and of a system by formulas, with contacts, coordinates and parameters by their names:
//
//     {"kind": "robust-motion-box", "set": null, "h": 0.01, "alpha": 1, "steps": 20, "proved": true, "pieces": 1,
//      "contacts": [{"name": "slope", "mode": "stick"}], "doubts": [{"what": "x'", "low": -0.1, "high": 0.2}],
//      "time": 0, "start": [..], "end_low": [..], "end_high": [..]}
//
// Nothing of it is believed: that contacts and doubts are of things that are there is looked at by the checker.
#include <math.h>
#include <stiction/plan.h>
#include <string.h>

#include "documents/document.h"
#include "formats/file.h"
#include "formats/json_fields.h"

enum { MOST = 1000000 };

typedef struct reader {
    sti_json_tree tree;
    int parts;
    sti_robust_box* out;
    sti_push_contact* contacts;
    sti_push_mode* modes;
    signed char* friction;
    sti_push_doubt* doubts;
    const sti_system* system;  // of a box of one, with what follows
    sti_motion_claim* motion;
    sti_motion_doubt* motion_doubts;
} reader;

static sti_status read_index(const reader* k, const sti_place* up, const sti_json_value* object, const char* key,
                             int* out) {
    const sti_place place = sti_place_key(up, key);
    const sti_json_value* value = sti_json_field(object, key);
    long x = 0;
    if (value == NULL) return sti_json_fail(&k->tree, &place, NULL, "a number from 0 is expected");
    const sti_status status = sti_json_read_long(&k->tree, up, object, key, &x);
    if (status == STI_OK && x > MOST) return sti_json_fail(&k->tree, &place, value, "at most %d is expected", MOST);
    *out = (int)x;
    return status;
}

static sti_status read_finite(const reader* k, const sti_place* up, const sti_json_value* object, const char* key,
                              double* out) {
    const sti_place place = sti_place_key(up, key);
    const sti_status status = sti_json_read_double(&k->tree, up, object, key, NAN, out);
    if (status != STI_OK || isfinite(*out)) return status;
    return sti_json_fail(&k->tree, &place, sti_json_field(object, key), "a number is expected");
}

// An object of a list, after its place.
static sti_status read_object(const reader* k, const sti_place* at, const sti_json_value* one) {
    return sti_json_is_object(one) ? STI_OK : sti_json_fail(&k->tree, at, one, "an object { .. } is expected");
}

static sti_status read_list(const reader* k, const char* key, const sti_json_value** list, int* count) {
    const sti_place place = sti_place_key(NULL, key);
    *list = sti_json_field(k->tree.root, key);
    if (!sti_json_is_array(*list)) return sti_json_fail(&k->tree, &place, *list, "a list is expected");
    *count = sti_json_count(*list);
    return *count <= MOST ? STI_OK : sti_json_fail(&k->tree, &place, *list, "at most %d are expected", MOST);
}

// ---- contacts

static sti_status read_contact(reader* k, const sti_place* at, const sti_json_value* one, int i) {
    static const char* const sides[] = {"part", "fixture", "tip"};
    static const sti_push_against of[] = {STI_PUSH_PART, STI_PUSH_FIXTURE, STI_PUSH_TIP};
    static const sti_push_mode modes[] = {STI_PUSH_STICK, STI_PUSH_SLIDE_LEFT, STI_PUSH_SLIDE_RIGHT};
    const char* words[3];
    for (int j = 0; j < 3; j++) words[j] = sti_push_mode_text(modes[j]);
    int mode = 0, side = 0;
    double sign = 0;
    sti_push_contact* c = &k->contacts[i];
    sti_status status = read_object(k, at, one);
    if (status == STI_OK) status = sti_json_read_word(&k->tree, at, one, "mode", words, 3, &mode);
    if (status == STI_OK) status = sti_json_read_double(&k->tree, at, one, "friction", 0, &sign);
    const sti_place in = sti_place_key(at, "place");
    const sti_json_value* place = status == STI_OK ? sti_json_field(one, "place") : NULL;
    if (status == STI_OK) status = read_object(k, &in, place);
    if (status == STI_OK) status = sti_json_read_word(&k->tree, &in, place, "against", sides, 3, &side);
    if (status == STI_OK) status = read_index(k, &in, place, "part", &c->part);
    if (status == STI_OK) status = read_index(k, &in, place, "other", &c->other);
    if (status == STI_OK) status = sti_json_read_bool(&k->tree, &in, place, "own", &c->own);
    double corner = 0;
    if (status == STI_OK) status = read_finite(k, &in, place, "corner", &corner);
    if (status == STI_OK && !(corner >= -1 && corner <= MOST && corner == floor(corner)))
        status = sti_json_fail(&k->tree, &in, place, "corner: -1, or a number from 0, is expected");
    if (status == STI_OK) c->corner = (int)corner;
    if (status == STI_OK) status = read_index(k, &in, place, "face", &c->face);
    c->against = of[side];
    k->modes[i] = modes[mode];
    k->friction[i] = (signed char)(sign > 0 ? 1 : sign < 0 ? -1 : 0);
    return status;
}

static sti_status read_contacts(reader* k) {
    const sti_json_value* list;
    const sti_place place = sti_place_key(NULL, "contacts");
    sti_push_box* box = &k->out->box;
    sti_status status = read_list(k, "contacts", &list, &box->contact_count);
    if (status != STI_OK) return status;
    const size_t count = (size_t)box->contact_count;
    box->contacts = k->contacts = sti_alloc_array_zero(k->tree.env, count, sizeof *k->contacts);
    box->modes = k->modes = sti_alloc_array_zero(k->tree.env, count, sizeof *k->modes);
    box->friction = k->friction = sti_alloc_array_zero(k->tree.env, count, 1);
    if (k->contacts == NULL || k->modes == NULL || k->friction == NULL) return STI_ERR_MEMORY;
    for (int i = 0; status == STI_OK && i < box->contact_count; i++) {
        const sti_place at = sti_place_index(&place, i);
        status = read_contact(k, &at, sti_json_item(list, i), i);
    }
    return status;
}

// ---- doubts

static sti_status read_doubts(reader* k) {
    const sti_json_value* list;
    const sti_place place = sti_place_key(NULL, "doubts");
    const char* words[STI_DOUBT_COUNT];
    sti_push_box* box = &k->out->box;
    sti_status status = read_list(k, "doubts", &list, &box->doubt_count);
    if (status != STI_OK) return status;
    for (int j = 0; j < STI_DOUBT_COUNT; j++) words[j] = sti_doubt_text((sti_doubt_kind)j);
    box->doubts = k->doubts = sti_alloc_array_zero(k->tree.env, (size_t)box->doubt_count, sizeof *k->doubts);
    if (k->doubts == NULL) return STI_ERR_MEMORY;
    for (int i = 0; status == STI_OK && i < box->doubt_count; i++) {
        const sti_place at = sti_place_index(&place, i);
        const sti_json_value* one = sti_json_item(list, i);
        int what = 0;
        status = read_object(k, &at, one);
        if (status == STI_OK) status = sti_json_read_word(&k->tree, &at, one, "what", words, STI_DOUBT_COUNT, &what);
        if (status == STI_OK) status = read_index(k, &at, one, "thing", &k->doubts[i].of);
        if (status == STI_OK) status = read_finite(k, &at, one, "low", &k->doubts[i].low);
        if (status == STI_OK) status = read_finite(k, &at, one, "high", &k->doubts[i].high);
        k->doubts[i].kind = (sti_doubt_kind)what;
    }
    return status;
}

// ---- numbers

static sti_status read_numbers(const reader* k, const char* key, int count, double* out) {
    const sti_place place = sti_place_key(NULL, key);
    double* list = NULL;
    sti_status status = sti_json_read_doubles(&k->tree, NULL, k->tree.root, key, count, &list);
    if (status == STI_OK && list == NULL)
        status = sti_json_fail(&k->tree, &place, NULL, "%d numbers are expected", count);
    for (int i = 0; status == STI_OK && i < count; i++) {
        out[i] = list[i];
        if (!isfinite(list[i])) status = sti_json_fail(&k->tree, &place, NULL, "finite numbers are expected");
    }
    sti_free(k->tree.env, list);
    return status;
}

static sti_status check_kind(const reader* k, const char* word) {
    const sti_place place = sti_place_key(NULL, "kind");
    const sti_json_value* kind = sti_json_field(k->tree.root, "kind");
    if (sti_json_is_string(kind) && strcmp(kind->text, word) == 0) return STI_OK;
    return sti_json_fail(&k->tree, &place, kind, "\"%s\" is expected", word);
}

static sti_status read_all(reader* k) {
    const int poses = sti_count_mul(3, k->parts);
    sti_robust_box* out = k->out;
    const sti_status other = check_kind(k, "robust-box");
    if (other != STI_OK) return other;
    const size_t n = sti_size_mul(3, (size_t)k->parts);
    double* start = sti_alloc_array_zero(k->tree.env, n, sizeof *start);
    out->box.start = start;
    out->end = sti_alloc_array_zero(k->tree.env, sti_size_mul(2, n), sizeof *out->end);
    if (start == NULL || out->end == NULL) return STI_ERR_MEMORY;
    sti_status status = sti_json_read_bool(&k->tree, NULL, k->tree.root, "proved", &out->found);
    if (status == STI_OK) status = read_finite(k, NULL, k->tree.root, "h", &out->box.h);
    if (status == STI_OK) status = sti_json_read_long(&k->tree, NULL, k->tree.root, "steps", &out->box.steps);
    if (status == STI_OK) status = sti_json_read_long(&k->tree, NULL, k->tree.root, "pieces", &out->proof.pieces);
    if (status == STI_OK) status = sti_json_read_double(&k->tree, NULL, k->tree.root, "slip", 0, &out->box.slip);
    if (status == STI_OK && out->found) status = read_contacts(k);
    if (status == STI_OK && out->found) status = read_doubts(k);
    if (status == STI_OK) status = read_numbers(k, "start", poses, start);
    if (status == STI_OK && out->found) status = read_numbers(k, "end_low", poses, out->end);
    if (status == STI_OK && out->found) status = read_numbers(k, "end_high", poses, out->end + n);
    return status;
}

// ---- a box of a system by formulas

static sti_status read_motion_contacts(const reader* k, sti_push_mode* modes) {
    static const sti_push_mode of[] = {STI_PUSH_OPEN, STI_PUSH_STICK, STI_PUSH_SLIDE_LEFT, STI_PUSH_SLIDE_RIGHT};
    const char* words[4];
    const sti_json_value* list;
    const sti_place place = sti_place_key(NULL, "contacts");
    int count = 0;
    sti_status status = read_list(k, "contacts", &list, &count);
    for (int j = 0; j < 4; j++) words[j] = sti_push_mode_text(of[j]);
    if (status == STI_OK && count != k->motion->box.contact_count)
        status = sti_json_fail(&k->tree, &place, NULL, "%d are expected, one for each contact of the system",
                               k->motion->box.contact_count);
    for (int i = 0; status == STI_OK && i < count; i++) {
        const sti_place at = sti_place_index(&place, i);
        int mode = 0;
        status = read_object(k, &at, sti_json_item(list, i));
        if (status == STI_OK)
            status = sti_json_read_word(&k->tree, &at, sti_json_item(list, i), "mode", words, 4, &mode);
        modes[i] = of[mode];
    }
    return status;
}

// A coordinate, a velocity or a parameter.
static bool find_doubt(const sti_system* system, const char* name, sti_motion_doubt* out) {
    const size_t size = strlen(name);
    for (int i = 0; i < sti_system_coordinate_count(system); i++) {
        const char* coordinate = sti_system_coordinate(system, i);
        const size_t same = strlen(coordinate);
        if (strncmp(coordinate, name, same) != 0 || size > same + 1 || (size == same + 1 && name[same] != '\''))
            continue;
        *out = (sti_motion_doubt){.kind = size == same ? STI_MOTION_POSITION : STI_MOTION_VELOCITY, .of = i};
        return true;
    }
    for (int i = 0; i < sti_system_parameter_count(system); i++) {
        if (strcmp(sti_system_parameter(system, i), name) != 0) continue;
        *out = (sti_motion_doubt){.kind = STI_MOTION_PARAMETER, .of = i};
        return true;
    }
    return false;
}

static sti_status read_motion_doubts(reader* k) {
    const sti_json_value* list;
    const sti_place place = sti_place_key(NULL, "doubts");
    sti_motion_box* box = &k->motion->box;
    sti_status status = read_list(k, "doubts", &list, &box->doubt_count);
    if (status != STI_OK) return status;
    box->doubts = k->motion_doubts = sti_alloc_array_zero(k->tree.env, (size_t)box->doubt_count, sizeof *box->doubts);
    if (box->doubts == NULL) return STI_ERR_MEMORY;
    for (int i = 0; status == STI_OK && i < box->doubt_count; i++) {
        const sti_place at = sti_place_index(&place, i), what = sti_place_key(&at, "what");
        const sti_json_value* one = sti_json_item(list, i);
        sti_motion_doubt* d = &k->motion_doubts[i];
        status = read_object(k, &at, one);
        const sti_json_value* name = status == STI_OK ? sti_json_field(one, "what") : NULL;
        if (status == STI_OK && (!sti_json_is_string(name) || !find_doubt(k->system, name->text, d)))
            status = sti_json_fail(&k->tree, &what, name, "a coordinate, a velocity or a parameter is expected");
        if (status == STI_OK) status = read_finite(k, &at, one, "low", &d->low);
        if (status == STI_OK) status = read_finite(k, &at, one, "high", &d->high);
    }
    return status;
}

static sti_status read_motion(reader* k) {
    const int states = sti_count_mul(2, sti_system_coordinate_count(k->system));
    const size_t n = (size_t)states;
    sti_motion_claim* out = k->motion;
    sti_status status = check_kind(k, "robust-motion-box");
    if (status != STI_OK) return status;
    out->box.contact_count = sti_system_contact_count(k->system) - sti_system_joint_count(k->system);
    double* start = sti_alloc_array_zero(k->tree.env, n, sizeof *start);
    sti_push_mode* modes = sti_alloc_array_zero(k->tree.env, (size_t)out->box.contact_count, sizeof *modes);
    out->box.q = start;
    out->box.modes = modes;
    out->end = sti_alloc_array_zero(k->tree.env, sti_size_mul(2, n), sizeof *out->end);
    if (start == NULL || modes == NULL || out->end == NULL) return STI_ERR_MEMORY;
    out->box.v = start + n / 2;
    status = sti_json_read_bool(&k->tree, NULL, k->tree.root, "proved", &out->found);
    if (status == STI_OK) status = read_finite(k, NULL, k->tree.root, "h", &out->box.h);
    if (status == STI_OK) status = read_finite(k, NULL, k->tree.root, "alpha", &out->box.alpha);
    if (status == STI_OK) status = read_finite(k, NULL, k->tree.root, "time", &out->box.time);
    if (status == STI_OK) status = sti_json_read_long(&k->tree, NULL, k->tree.root, "steps", &out->box.steps);
    if (status == STI_OK) status = sti_json_read_long(&k->tree, NULL, k->tree.root, "pieces", &out->proof.pieces);
    if (status == STI_OK) status = read_numbers(k, "start", states, start);
    if (status == STI_OK && out->found) status = read_motion_contacts(k, modes);
    if (status == STI_OK && out->found) status = read_motion_doubts(k);
    if (status == STI_OK && out->found) status = read_numbers(k, "end_low", states, out->end);
    if (status == STI_OK && out->found) status = read_numbers(k, "end_high", states, out->end + n);
    return status;
}

// ---- files

// Reads the file by one of the two, and "set".
static sti_status load(sti_env* env, const char* path, reader* k, sti_status (*read)(reader*), char* settings,
                       size_t size_of_settings) {
    char* text;
    size_t size;
    sti_status status = sti_file_read(env, path, STI_FILE_TEXT_MOST, &text, &size);
    if (status != STI_OK) return status;
    status = sti_json_tree_create(env, text, size, path, &k->tree);
    if (status == STI_OK) {
        status = read(k);
        if (status == STI_OK)
            status = sti_json_read_text(&k->tree, NULL, k->tree.root, "set", settings, size_of_settings);
        sti_json_tree_clear(&k->tree);
    }
    sti_free(env, text);
    return status;
}

sti_status sti_robust_box_load(sti_env* env, int parts, const char* path, char* settings, size_t size,
                               sti_robust_box** out) {
    reader k = {.parts = parts, .out = sti_alloc_array_zero(env, 1, sizeof *k.out)};
    *out = NULL;
    if (k.out == NULL) return STI_ERR_MEMORY;
    const sti_status status = load(env, path, &k, read_all, settings, size);
    if (status == STI_OK)
        *out = k.out;
    else
        sti_robust_box_destroy(env, k.out);
    return status;
}

sti_status sti_motion_claim_load(sti_env* env, const sti_system* system, const char* path, char* settings, size_t size,
                                 sti_motion_claim** out) {
    reader k = {.system = system, .motion = sti_alloc_array_zero(env, 1, sizeof *k.motion)};
    *out = NULL;
    if (k.motion == NULL) return STI_ERR_MEMORY;
    const sti_status status = load(env, path, &k, read_motion, settings, size);
    if (status == STI_OK)
        *out = k.motion;
    else
        sti_motion_claim_destroy(env, k.motion);
    return status;
}
