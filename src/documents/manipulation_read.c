// manipulation_read.c: a scene of parts, fixtures and probes, from JSON.
//
//     {"kind": "manipulation", "parameters": {"rho": 0.4},
//      "parts": [{"name": "peg", "polygon": [[-0.8, -0.4], ..], "pose": [0, 0, 0],
//                 "support": {"points": [["rho", 0, 1], ..]}}],
//                     or {"E": [[..]]}, {"pressure": "1 + x"}; "disc": r
//      "fixtures": [{"polygon": [[..]], "mu": 0.1}],
//      "probes": [{"tips": [[-0.8, 0.2]], "direction": 0, "speed": 0.1, "duration": 5, "active": true}],
//      "friction": [{"between": ["peg", "probe 1"], "mu": 0.3}], "mu": 0.2, "h": 0.05, "steps": 100}
//
// Wherever a number stands, a formula of the parameters may. What sti_manipulation_create finds wrong already names the
// field, so only the file is put in front.
#include <string.h>

#include "documents/document.h"
#include "documents/plane_json.h"
#include "formats/file.h"
#include "formats/json_fields.h"

#define COUNT_OF(list) ((int)(sizeof(list) / sizeof(list)[0]))

static const char* const root_names[] = {"kind",     "name",   "description", "parameters", "definitions", "parts",
                                         "fixtures", "probes", "friction",    "mu",         "h",           "steps"};
static const char* const part_names[] = {"name", "polygon", "disc", "support", "pose"};
static const char* const support_names[] = {"E", "points", "pressure", "axes"};
static const char* const fixture_names[] = {"name", "polygon", "disc", "pose", "mu"};
static const char* const probe_names[] = {"name",  "tips",     "radius", "active", "direction",
                                          "speed", "duration", "begin",  "path",   "mu"};
static const char* const pair_names[] = {"between", "mu"};

typedef struct store {
    sti_manipulation* scene;
    sti_texts texts;
    sti_manipulation_text text;
} store;

static void destroy(sti_env* env, void* posed) {
    store* s = posed;
    if (s == NULL) return;
    sti_manipulation_destroy(s->scene);
    sti_texts_clear(&s->texts);
    sti_free(env, s);
}

// ---- the things of a scene

static sti_status read_support(sti_texts* s, const sti_json_tree* tree, const sti_place* up,
                               const sti_json_value* object, sti_support_text* out) {
    static const char* const axes[] = {"part", "world"};
    const sti_json_value* value = sti_json_field(object, "support");
    const sti_place place = sti_place_key(up, "support");
    int rows = 0, world = 0;
    if (!sti_json_is_object(value))
        return sti_json_fail(tree, &place, value, "{\"points\": ..}, {\"E\": ..} or {\"pressure\": ..} is expected");
    sti_status status = sti_json_check_names(tree, &place, value, support_names, COUNT_OF(support_names));
    if (status == STI_OK) status = sti_plane_rows(s, tree, &place, value, "E", 3, &out->E, &rows);
    const sti_place at = sti_place_key(&place, "E");
    if (status == STI_OK && out->E != NULL && rows != 3)
        status = sti_json_fail(tree, &at, sti_json_field(value, "E"), "3 rows are expected");
    if (status == STI_OK) status = sti_plane_rows(s, tree, &place, value, "points", 3, &out->points, &out->point_count);
    if (status == STI_OK) status = sti_plane_formula(s, tree, &place, value, "pressure", &out->pressure);
    if (status == STI_OK) status = sti_json_read_word(tree, &place, value, "axes", axes, 2, &world);
    out->fixed = world == 1;
    return status;
}

static sti_status read_part(sti_texts* s, const sti_json_tree* tree, const sti_place* at, const sti_json_value* v,
                            void* out) {
    sti_part_text* p = out;
    sti_status status = sti_json_check_names(tree, at, v, part_names, COUNT_OF(part_names));
    if (status == STI_OK) status = sti_plane_name(s, tree, at, v, &p->name);
    if (status == STI_OK) status = sti_plane_outline(s, tree, at, v, &p->outline);
    if (status == STI_OK) status = read_support(s, tree, at, v, &p->support);
    return status == STI_OK ? sti_plane_fixed(s, tree, at, v, "pose", 3, p->pose) : status;
}

static sti_status read_fixture(sti_texts* s, const sti_json_tree* tree, const sti_place* at, const sti_json_value* v,
                               void* out) {
    sti_fixture_text* f = out;
    sti_status status = sti_json_check_names(tree, at, v, fixture_names, COUNT_OF(fixture_names));
    if (status == STI_OK) status = sti_plane_name(s, tree, at, v, &f->name);
    if (status == STI_OK) status = sti_plane_outline(s, tree, at, v, &f->outline);
    if (status == STI_OK) status = sti_plane_fixed(s, tree, at, v, "pose", 3, f->pose);
    return status == STI_OK ? sti_plane_formula(s, tree, at, v, "mu", &f->mu) : status;
}

static sti_status read_probe(sti_texts* s, const sti_json_tree* tree, const sti_place* at, const sti_json_value* v,
                             void* out) {
    sti_probe_text* p = out;
    const sti_json_value *active = sti_json_field(v, "active"), *direction = sti_json_field(v, "direction");
    const sti_place at_active = sti_place_key(at, "active"), at_tips = sti_place_key(at, "tips");
    sti_status status = sti_json_check_names(tree, at, v, probe_names, COUNT_OF(probe_names));
    if (status == STI_OK) status = sti_plane_name(s, tree, at, v, &p->name);
    if (status == STI_OK && sti_json_field(v, "tips") == NULL)
        status = sti_json_fail(tree, &at_tips, NULL, "a list of [x, y] is expected");
    if (status == STI_OK) status = sti_plane_rows(s, tree, at, v, "tips", 2, &p->tips, &p->tip_count);
    if (status == STI_OK && active != NULL && !sti_json_is_bool(active))
        status = sti_json_fail(tree, &at_active, active, "true or false is expected");
    p->passive = active != NULL && !sti_json_is_true(active);
    if (status == STI_OK && sti_json_is_array(direction))
        status = sti_plane_fixed(s, tree, at, v, "direction", 2, p->direction);
    else if (status == STI_OK)
        status = sti_plane_formula(s, tree, at, v, "direction", &p->angle);
    if (status == STI_OK) status = sti_plane_formula(s, tree, at, v, "radius", &p->radius);
    if (status == STI_OK) status = sti_plane_formula(s, tree, at, v, "speed", &p->speed);
    if (status == STI_OK) status = sti_plane_formula(s, tree, at, v, "begin", &p->begin);
    if (status == STI_OK) status = sti_plane_formula(s, tree, at, v, "duration", &p->until);
    if (status == STI_OK) status = sti_plane_fixed(s, tree, at, v, "path", 2, p->path);
    return status == STI_OK ? sti_plane_formula(s, tree, at, v, "mu", &p->mu) : status;
}

static sti_status read_pair(sti_texts* s, const sti_json_tree* tree, const sti_place* at, const sti_json_value* v,
                            void* out) {
    sti_pair_text* p = out;
    const sti_json_value* between = sti_json_field(v, "between");
    const sti_place place = sti_place_key(at, "between"), at_mu = sti_place_key(at, "mu");
    sti_status status = sti_json_check_names(tree, at, v, pair_names, COUNT_OF(pair_names));
    if (status != STI_OK) return status;
    const sti_json_value *first = sti_json_item(between, 0), *second = sti_json_item(between, 1);
    if (sti_json_count(between) != 2 || !sti_json_is_string(first) || !sti_json_is_string(second))
        return sti_json_fail(tree, &place, between, "a list of two names is expected");
    p->a = sti_texts_copy(s, first->text);
    p->b = sti_texts_copy(s, second->text);
    if (s->status != STI_OK) return s->status;
    status = sti_plane_formula(s, tree, at, v, "mu", &p->mu);
    return status == STI_OK && p->mu == NULL ? sti_json_fail(tree, &at_mu, NULL, "a number is expected") : status;
}

static sti_status read_all(store* s, const sti_json_tree* tree) {
    sti_manipulation_text* t = &s->text;
    sti_plane_names names = {0};
    sti_status status = sti_plane_parameters(&s->texts, tree, &names);
    t->parameter_count = names.parameter_count;
    t->parameter_names = names.parameter_names;
    t->parameters = names.parameters;
    t->definition_count = names.definition_count;
    t->definitions = names.definitions;
    if (status == STI_OK)
        status = sti_plane_list(&s->texts, tree, "parts", sizeof *t->parts, read_part, (const void**)&t->parts,
                                &t->part_count);
    if (status == STI_OK)
        status = sti_plane_list(&s->texts, tree, "fixtures", sizeof *t->fixtures, read_fixture,
                                (const void**)&t->fixtures, &t->fixture_count);
    if (status == STI_OK)
        status = sti_plane_list(&s->texts, tree, "probes", sizeof *t->probes, read_probe, (const void**)&t->probes,
                                &t->probe_count);
    if (status == STI_OK)
        status = sti_plane_list(&s->texts, tree, "friction", sizeof *t->pairs, read_pair, (const void**)&t->pairs,
                                &t->pair_count);
    if (status == STI_OK) status = sti_texts_field(&s->texts, tree, "mu", &t->mu);
    if (status == STI_OK) status = sti_texts_field(&s->texts, tree, "h", &t->step);
    if (status == STI_OK) status = sti_texts_field(&s->texts, tree, "steps", &t->steps);
    return status;
}

static sti_status create(store* s, const sti_json_tree* tree) {
    sti_status status = sti_manipulation_create(tree->env, &s->text, &s->scene);
    if (status != STI_ERR_INPUT) return status;
    char message[sizeof tree->env->error.text];
    memcpy(message, tree->env->error.text, sizeof message);
    return sti_file_fail(tree->env, status, tree->name, "%s", message);
}

static sti_status read(sti_json_tree* tree, void** out) {
    store* s = *out = sti_alloc_array_zero(tree->env, 1, sizeof *s);
    if (s == NULL) return STI_ERR_MEMORY;
    s->texts.env = tree->env;
    sti_status status = read_all(s, tree);
    if (status == STI_OK) status = create(s, tree);
    if (status == STI_OK) sti_json_warn_unknown(tree, NULL, tree->root, root_names, COUNT_OF(root_names));
    return status;
}

// All at once.
static sti_status set(sti_env* env, void* content, const sti_settings* settings) {
    const store* s = content;
    const size_t count = (size_t)settings->count;
    const char** names = sti_alloc_array_zero(env, count, sizeof *names);
    double* values = sti_alloc_array_zero(env, count, sizeof *values);
    sti_status status = sti_settings_check(env, settings, NULL, NULL);
    if (status == STI_OK && (names == NULL || values == NULL)) status = STI_ERR_MEMORY;
    for (size_t k = 0; status == STI_OK && k < count; k++) {
        names[k] = settings->one[k].name;
        status = sti_setting_number(env, &settings->one[k], &values[k]);
    }
    if (status == STI_OK) status = sti_manipulation_set(s->scene, settings->count, names, values);
    sti_free(env, names);
    sti_free(env, values);
    return status;
}

const sti_kind_row sti_kind_manipulation = {.read = read, .destroy = destroy, .set = set};

sti_manipulation* sti_manipulation_of(const sti_document* document) {
    const store* s = sti_document_content(document, STI_KIND_MANIPULATION);
    return s != NULL ? s->scene : NULL;
}
