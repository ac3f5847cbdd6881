// plan_read.c: a plan of pushes, from JSON.
//
//     {"kind": "plan", "scene": "peg-push", "set": "mu=0.2", "h": 0.05, "probe": 0, "shortest": false, "reached": true,
//      "noise": {"pose": [0.01, 0.01, 0.02], "mu": 0.05, "tip": 0.002},
//      "goals": [{"part": 0, "pose": [1, 0.5, 0], "tolerance": [0.02, 0.02, 0.05]}],
//      "start": [..], "start_sets": [{"angle": 0, "low": [..], "high": [..]}, ..],
//      "pushes": [{"part": 0, "edge": 3, "at": [-1, 0], "angle": 0, "speed": 0.3, "steps": 40, "cuts": [1, 1, 1],
//                  "poses": [..], "sets": [{"angle": 0, "low": [..], "high": [..]}, ..]}, ..]}
//
// Poses are three numbers of every part, after the push; sets are those of every part, along and across their angle.
#include <math.h>
#include <stiction/plan.h>
#include <string.h>

#include "documents/document.h"
#include "formats/file.h"
#include "formats/json_fields.h"

#define COUNT_OF(list) ((int)(sizeof(list) / sizeof(list)[0]))

static const char* const root_names[] = {"kind",    "scene",  "set",   "h",       "probe", "shortest",
                                         "reached", "proved", "noise", "goals",   "start", "start_sets",
                                         "pushes",  "tries",  "nodes", "replays", "time_s"};
static const char* const noise_names[] = {"pose", "mu", "tip"};
static const char* const goal_names[] = {"part", "name", "pose", "tolerance"};
static const char* const push_names[] = {"part", "edge", "at", "angle", "speed", "steps", "cuts", "poses", "sets"};
static const char* const set_names[] = {"angle", "low", "high"};

typedef struct store {
    sti_plan plan;
    char scene[1000], settings[1000];
} store;

static void destroy(sti_env* env, void* content) {
    store* s = content;
    if (s == NULL) return;
    sti_free(env, s->plan.goals);
    sti_free(env, s->plan.pushes);
    sti_free(env, s->plan.poses);
    sti_free(env, s->plan.sets);
    sti_free(env, s);
}

// ---- fields that have to be there

static sti_status need_numbers(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                               const char* key, int count, double* out) {
    double* list = NULL;
    const sti_place place = sti_place_key(up, key);
    sti_status status = sti_json_read_doubles(tree, up, object, key, count, &list);
    if (status == STI_OK && list == NULL) status = sti_json_fail(tree, &place, NULL, "%d numbers are expected", count);
    for (int i = 0; status == STI_OK && i < count; i++) {
        out[i] = list[i];
        if (!isfinite(list[i])) status = sti_json_fail(tree, &place, NULL, "finite numbers are expected");
    }
    sti_free(tree->env, list);
    return status;
}

static sti_status need_number(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                              const char* key, double* out) {
    const sti_place place = sti_place_key(up, key);
    const sti_status status = sti_json_read_double(tree, up, object, key, NAN, out);
    if (status != STI_OK || isfinite(*out)) return status;
    return sti_json_fail(tree, &place, sti_json_field(object, key), "a number is expected");
}

static sti_status need_index(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                             const char* key, int* out) {
    const sti_place place = sti_place_key(up, key);
    long x = 0;
    const sti_json_value* value = sti_json_field(object, key);
    if (value == NULL) return sti_json_fail(tree, &place, NULL, "a number from 0 is expected");
    const sti_status status = sti_json_read_long(tree, up, object, key, &x);
    if (status == STI_OK && x > 1000000) return sti_json_fail(tree, &place, value, "at most 1000000 is expected");
    *out = (int)x;
    return status;
}

static sti_status need_sets(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                            const char* key, int count, sti_pose_set* out) {
    const sti_place place = sti_place_key(up, key);
    const sti_json_value* list = sti_json_field(object, key);
    sti_status status = sti_json_check_list(tree, &place, list, count);
    for (int i = 0; status == STI_OK && i < count; i++) {
        const sti_place at = sti_place_index(&place, i);
        const sti_json_value* one = sti_json_item(list, i);
        if (!sti_json_is_object(one))
            return sti_json_fail(tree, &at, one, "{\"angle\": .., \"low\": [..], \"high\": [..]} is expected");
        status = sti_json_check_names(tree, &at, one, set_names, COUNT_OF(set_names));
        if (status == STI_OK) status = need_number(tree, &at, one, "angle", &out[i].angle);
        if (status == STI_OK) status = need_numbers(tree, &at, one, "low", 3, out[i].low);
        if (status == STI_OK) status = need_numbers(tree, &at, one, "high", 3, out[i].high);
    }
    return status;
}

// ---- its parts

static sti_status read_goals(store* s, const sti_json_tree* tree) {
    const sti_place place = sti_place_key(NULL, "goals");
    const sti_json_value* list = sti_json_field(tree->root, "goals");
    sti_plan* p = &s->plan;
    if (!sti_json_is_array(list) || sti_json_count(list) < 1)
        return sti_json_fail(tree, &place, list, "a list of goals is expected");
    p->goal_count = sti_json_count(list);
    p->goals = sti_alloc_array_zero(tree->env, (size_t)p->goal_count, sizeof *p->goals);
    if (p->goals == NULL) return STI_ERR_MEMORY;
    sti_status status = STI_OK;
    for (int i = 0; status == STI_OK && i < p->goal_count; i++) {
        const sti_place at = sti_place_index(&place, i);
        const sti_json_value* one = sti_json_item(list, i);
        sti_plan_goal* g = &p->goals[i];
        if (!sti_json_is_object(one)) return sti_json_fail(tree, &at, one, "{\"part\": .., \"pose\": ..} is expected");
        status = sti_json_check_names(tree, &at, one, goal_names, COUNT_OF(goal_names));
        if (status == STI_OK) status = need_index(tree, &at, one, "part", &g->part);
        if (status == STI_OK && g->part >= p->part_count)
            status = sti_json_fail(tree, &at, one, "part %d: there are %d", g->part, p->part_count);
        if (status == STI_OK) status = need_numbers(tree, &at, one, "pose", 3, g->pose);
        if (status == STI_OK) status = need_numbers(tree, &at, one, "tolerance", 3, g->tolerance);
    }
    return status;
}

// Where the numbers of the i-th place begin; there is memory for them.
static size_t place_of(int i, int each) {
    return sti_size_mul((size_t)i, (size_t)each);
}

static sti_status read_push(store* s, const sti_json_tree* tree, const sti_place* at, const sti_json_value* one,
                            int i) {
    const int parts = s->plan.part_count;
    sti_plan_push* u = &s->plan.pushes[i];
    double cuts[3];
    int steps = 0;
    if (!sti_json_is_object(one)) return sti_json_fail(tree, at, one, "{\"part\": .., \"at\": ..} is expected");
    sti_status status = sti_json_check_names(tree, at, one, push_names, COUNT_OF(push_names));
    if (status == STI_OK) status = need_index(tree, at, one, "part", &u->part);
    if (status == STI_OK && u->part >= parts)
        status = sti_json_fail(tree, at, one, "part %d: there are %d", u->part, parts);
    if (status == STI_OK) status = need_index(tree, at, one, "edge", &u->edge);
    if (status == STI_OK) status = need_numbers(tree, at, one, "at", 2, u->at);
    if (status == STI_OK) status = need_number(tree, at, one, "angle", &u->angle);
    if (status == STI_OK) status = need_number(tree, at, one, "speed", &u->speed);
    if (status == STI_OK) status = need_index(tree, at, one, "steps", &steps);
    if (status == STI_OK && steps < 1) status = sti_json_fail(tree, at, one, "steps: at least 1 is expected");
    if (status == STI_OK) status = need_numbers(tree, at, one, "cuts", 3, cuts);
    for (int j = 0; status == STI_OK && j < 3; j++) {
        if (!(cuts[j] >= 0 && cuts[j] <= 64)) status = sti_json_fail(tree, at, one, "cuts: 0 to 64 are expected");
        if (status == STI_OK) u->cuts[j] = (int)cuts[j];
    }
    u->steps = steps;
    if (status == STI_OK)
        status = need_numbers(tree, at, one, "poses", sti_count_mul(3, parts),
                              s->plan.poses + place_of(i + 1, sti_count_mul(3, parts)));
    return status == STI_OK ? need_sets(tree, at, one, "sets", parts, s->plan.sets + place_of(i + 1, parts)) : status;
}

static sti_status read_pushes(store* s, const sti_json_tree* tree) {
    const sti_place place = sti_place_key(NULL, "pushes");
    const sti_json_value* list = sti_json_field(tree->root, "pushes");
    sti_plan* p = &s->plan;
    if (!sti_json_is_array(list)) return sti_json_fail(tree, &place, list, "a list of pushes is expected");
    p->push_count = sti_json_count(list);
    const size_t count = (size_t)p->push_count, parts = (size_t)p->part_count;
    p->pushes = sti_alloc_array_zero(tree->env, count, sizeof *p->pushes);
    p->poses =
        sti_alloc_array_zero(tree->env, sti_size_mul(sti_size_mul(3, parts), sti_size_add(count, 1)), sizeof *p->poses);
    p->sets = sti_alloc_array_zero(tree->env, sti_size_mul(parts, sti_size_add(count, 1)), sizeof *p->sets);
    if ((count > 0 && p->pushes == NULL) || p->poses == NULL || p->sets == NULL) return STI_ERR_MEMORY;
    sti_status status = need_numbers(tree, NULL, tree->root, "start", sti_count_mul(3, p->part_count), p->poses);
    if (status == STI_OK) status = need_sets(tree, NULL, tree->root, "start_sets", p->part_count, p->sets);
    for (int i = 0; status == STI_OK && i < p->push_count; i++) {
        const sti_place at = sti_place_index(&place, i);
        status = read_push(s, tree, &at, sti_json_item(list, i), i);
    }
    return status;
}

static sti_status read_noise(store* s, const sti_json_tree* tree) {
    const sti_place place = sti_place_key(NULL, "noise");
    const sti_json_value* noise = sti_json_field(tree->root, "noise");
    sti_plan_noise* n = &s->plan.noise;
    if (!sti_json_is_object(noise)) return sti_json_fail(tree, &place, noise, "{\"pose\": [..], ..} is expected");
    sti_status status = sti_json_check_names(tree, &place, noise, noise_names, COUNT_OF(noise_names));
    if (status == STI_OK) status = need_numbers(tree, &place, noise, "pose", 3, n->pose);
    if (status == STI_OK) status = need_number(tree, &place, noise, "mu", &n->mu);
    if (status == STI_OK) status = need_number(tree, &place, noise, "tip", &n->tip);
    if (status == STI_OK && !(n->pose[0] >= 0 && n->pose[1] >= 0 && n->pose[2] >= 0 && n->mu >= 0 && n->tip >= 0))
        status = sti_json_fail(tree, &place, noise, "no number below 0 is expected");
    return status;
}

static sti_status read(sti_json_tree* tree, void** out) {
    store* s = *out = sti_alloc_array_zero(tree->env, 1, sizeof *s);
    if (s == NULL) return STI_ERR_MEMORY;
    sti_plan* p = &s->plan;
    const sti_json_value* start = sti_json_field(tree->root, "start");
    const sti_place at_start = sti_place_key(NULL, "start"), at_h = sti_place_key(NULL, "h");
    p->part_count = sti_json_count(start) / 3;
    if (!sti_json_is_array(start) || p->part_count < 1 || p->part_count > 1000)
        return sti_json_fail(tree, &at_start, start, "three numbers of each part are expected");
    sti_status status = sti_json_read_text(tree, NULL, tree->root, "scene", s->scene, sizeof s->scene);
    if (status == STI_OK) status = sti_json_read_text(tree, NULL, tree->root, "set", s->settings, sizeof s->settings);
    if (status == STI_OK) status = need_number(tree, NULL, tree->root, "h", &p->h);
    if (status == STI_OK && !(p->h > 0)) status = sti_json_fail(tree, &at_h, NULL, "%g: above 0 is expected", p->h);
    if (status == STI_OK) status = need_index(tree, NULL, tree->root, "probe", &p->probe);
    if (status == STI_OK) status = sti_json_read_bool(tree, NULL, tree->root, "shortest", &p->shortest);
    if (status == STI_OK) status = sti_json_read_bool(tree, NULL, tree->root, "reached", &p->reached);
    if (status == STI_OK) status = read_noise(s, tree);
    if (status == STI_OK) status = read_goals(s, tree);
    if (status == STI_OK) status = read_pushes(s, tree);
    if (status == STI_OK) sti_json_warn_unknown(tree, NULL, tree->root, root_names, COUNT_OF(root_names));
    return status;
}

const sti_kind_row sti_kind_plan = {.read = read, .destroy = destroy};

const sti_plan* sti_plan_of(const sti_document* document, const char** scene, const char** settings) {
    const store* s = sti_document_content(document, STI_KIND_PLAN);
    if (s == NULL) return NULL;
    *scene = s->scene;
    *settings = s->settings;
    return &s->plan;
}
