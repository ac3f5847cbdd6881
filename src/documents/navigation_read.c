// navigation_read.c: vehicles in cages, walls and obstacles, from JSON.
//
//     {"kind": "navigation", "parameters": {"k": 2},
//      "vehicles": [{"name": "cart", "cage": 0.3, "mass": 1, "force": ["2 - k*x'", "-0.5 - k*y'"], "q": [0, 1], "v":
//      [0, 0],
//                    "goal": [10, 0]}],           "count": 50 makes a fleet; i and n are names of its formulas
//      "walls": [{"point": [0, 0], "normal": [0, 1]}], "obstacles": [{"disc": 0.5, "pose": [4, 0, 0]}],
//      "h": 0.02, "time": 12}
#include <stiction/navigation.h>
#include <string.h>

#include "documents/document.h"
#include "documents/plane_json.h"
#include "formats/file.h"
#include "formats/json_fields.h"

#define COUNT_OF(list) ((int)(sizeof(list) / sizeof(list)[0]))

static const char* const root_names[] = {"kind",     "name",  "description", "parameters", "definitions",
                                         "vehicles", "walls", "obstacles",   "h",          "time"};
static const char* const vehicle_names[] = {"name", "count", "cage", "mass", "force", "q", "v", "goal"};
static const char* const wall_names[] = {"name", "point", "normal"};
static const char* const obstacle_names[] = {"name", "polygon", "disc", "pose"};

typedef struct store {
    sti_navigation* nav;
    sti_texts texts;
    sti_navigation_text text;
    double* values;  // of the parameters                                      (text.parameter_count)
} store;

static void destroy(sti_env* env, void* posed) {
    store* s = posed;
    if (s == NULL) return;
    sti_navigation_destroy(s->nav);
    sti_texts_clear(&s->texts);
    sti_free(env, s);
}

static sti_status read_vehicle(sti_texts* s, const sti_json_tree* tree, const sti_place* at, const sti_json_value* v,
                               void* out) {
    sti_vehicle_text* it = out;
    const sti_json_value *count = sti_json_field(v, "count"), *cage = sti_json_field(v, "cage");
    const sti_place at_count = sti_place_key(at, "count"), at_cage = sti_place_key(at, "cage"),
                    at_force = sti_place_key(at, "force");
    int64_t many = 0;
    sti_status status = sti_json_check_names(tree, at, v, vehicle_names, COUNT_OF(vehicle_names));
    if (status == STI_OK) status = sti_plane_name(s, tree, at, v, &it->name);
    if (status == STI_OK && count != NULL) status = sti_json_read_integer(tree, &at_count, count, 1, 1000000, &many);
    it->count = (int)many;
    if (status == STI_OK && cage == NULL)
        status = sti_json_fail(tree, &at_cage, NULL, "a radius is expected, or the vertices of a polygon");
    if (status == STI_OK && sti_json_field(v, "force") == NULL)
        status = sti_json_fail(tree, &at_force, NULL, "two formulas are expected");
    if (status == STI_OK && sti_json_is_array(cage))
        status = sti_plane_rows(s, tree, at, v, "cage", 2, &it->corners, &it->corner_count);
    else if (status == STI_OK)
        status = sti_plane_formula(s, tree, at, v, "cage", &it->cage);
    if (status == STI_OK) status = sti_plane_formula(s, tree, at, v, "mass", &it->mass);
    if (status == STI_OK) status = sti_plane_fixed(s, tree, at, v, "force", 2, it->force);
    if (status == STI_OK) status = sti_plane_fixed(s, tree, at, v, "q", 2, it->q);
    if (status == STI_OK) status = sti_plane_fixed(s, tree, at, v, "v", 2, it->v);
    return status == STI_OK ? sti_plane_fixed(s, tree, at, v, "goal", 2, it->goal) : status;
}

static sti_status read_wall(sti_texts* s, const sti_json_tree* tree, const sti_place* at, const sti_json_value* v,
                            void* out) {
    sti_wall_text* w = out;
    const sti_place at_normal = sti_place_key(at, "normal");
    sti_status status = sti_json_check_names(tree, at, v, wall_names, COUNT_OF(wall_names));
    if (status == STI_OK) status = sti_plane_name(s, tree, at, v, &w->name);
    if (status == STI_OK) status = sti_plane_fixed(s, tree, at, v, "point", 2, w->point);
    if (status == STI_OK && sti_json_field(v, "normal") == NULL)
        status = sti_json_fail(tree, &at_normal, NULL, "[x, y] towards the free side is expected");
    return status == STI_OK ? sti_plane_fixed(s, tree, at, v, "normal", 2, w->normal) : status;
}

static sti_status read_obstacle(sti_texts* s, const sti_json_tree* tree, const sti_place* at, const sti_json_value* v,
                                void* out) {
    sti_obstacle_text* o = out;
    sti_status status = sti_json_check_names(tree, at, v, obstacle_names, COUNT_OF(obstacle_names));
    if (status == STI_OK) status = sti_plane_name(s, tree, at, v, &o->name);
    if (status == STI_OK) status = sti_plane_outline(s, tree, at, v, &o->outline);
    return status == STI_OK ? sti_plane_fixed(s, tree, at, v, "pose", 3, o->pose) : status;
}

static sti_status read_all(store* s, const sti_json_tree* tree) {
    sti_navigation_text t = {0};
    sti_plane_names names = {0};
    double* values = NULL;
    sti_status status = sti_plane_parameters(&s->texts, tree, &names);
    t.parameter_count = names.parameter_count;
    t.parameter_names = names.parameter_names;
    if (status == STI_OK) {
        values = sti_texts_array(&s->texts, (size_t)names.parameter_count, sizeof *values);
        status = s->texts.status;
    }
    for (int k = 0; status == STI_OK && k < names.parameter_count; k++) values[k] = names.parameters[k];
    t.parameters = s->values = values;
    t.definition_count = names.definition_count;
    t.definitions = names.definitions;
    if (status == STI_OK)
        status = sti_plane_list(&s->texts, tree, "vehicles", sizeof *t.vehicles, read_vehicle,
                                (const void**)&t.vehicles, &t.vehicle_count);
    if (status == STI_OK)
        status =
            sti_plane_list(&s->texts, tree, "walls", sizeof *t.walls, read_wall, (const void**)&t.walls, &t.wall_count);
    if (status == STI_OK)
        status = sti_plane_list(&s->texts, tree, "obstacles", sizeof *t.obstacles, read_obstacle,
                                (const void**)&t.obstacles, &t.obstacle_count);
    if (status == STI_OK) status = sti_texts_field(&s->texts, tree, "h", &t.step);
    if (status == STI_OK) status = sti_texts_field(&s->texts, tree, "time", &t.time);
    s->text = t;
    if (status == STI_OK) status = sti_navigation_create(tree->env, &t, &s->nav);
    return status;
}

static sti_status read(sti_json_tree* tree, void** out) {
    store* s = *out = sti_alloc_array_zero(tree->env, 1, sizeof *s);
    if (s == NULL) return STI_ERR_MEMORY;
    s->texts.env = tree->env;
    sti_status status = read_all(s, tree);
    if (status == STI_ERR_INPUT && strncmp(tree->env->error.text, tree->name, strlen(tree->name)) != 0) {
        char message[sizeof tree->env->error.text];
        memcpy(message, tree->env->error.text, sizeof message);
        status = sti_file_fail(tree->env, status, tree->name, "%s", message);
    }
    if (status == STI_OK) sti_json_warn_unknown(tree, NULL, tree->root, root_names, COUNT_OF(root_names));
    return status;
}

static sti_status set_one(sti_env* env, const store* s, const sti_setting* setting) {
    int k = 0;
    while (k < s->text.parameter_count && strcmp(s->text.parameter_names[k], setting->name) != 0) k++;
    if (k == s->text.parameter_count)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "%.60s: no such parameter", setting->name);
    return sti_setting_number(env, setting, &s->values[k]);
}

// All at once: the vehicles are made anew.
static sti_status set(sti_env* env, void* content, const sti_settings* settings) {
    store* s = content;
    sti_navigation* other = NULL;
    const size_t count = (size_t)s->text.parameter_count;
    double* old = sti_alloc_array_zero(env, count, sizeof *old);
    if (old == NULL) return STI_ERR_MEMORY;
    for (size_t k = 0; k < count; k++) old[k] = s->values[k];
    sti_status status = sti_settings_check(env, settings, NULL, NULL);
    for (int i = 0; status == STI_OK && i < settings->count; i++) status = set_one(env, s, &settings->one[i]);
    if (status == STI_OK) status = sti_navigation_create(env, &s->text, &other);
    if (status == STI_OK) {
        sti_navigation_destroy(s->nav);
        s->nav = other;
    }
    for (size_t k = 0; status != STI_OK && k < count; k++) s->values[k] = old[k];
    sti_free(env, old);
    return status;
}

const sti_kind_row sti_kind_navigation = {.read = read, .destroy = destroy, .set = set};

sti_navigation* sti_navigation_of(const sti_document* document) {
    const store* s = sti_document_content(document, STI_KIND_NAVIGATION);
    return s != NULL ? s->nav : NULL;
}
