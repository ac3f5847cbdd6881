// bodies_read.c: a scene of bodies from JSON; include/stiction/scene.h shows one, docs/runs.md has all fields.
//
// The text is kept, so that a setting ("mu=0.3") can have everything evaluated anew.
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "documents/bodies_json.h"
#include "documents/document.h"
#include "documents/scene.h"
#include "exact/rationals.h"
#include "formats/file.h"

#define COUNT_OF(list) ((int)(sizeof(list) / sizeof(list)[0]))
enum { MOST_BODIES = 1000000 };

// ---- repetition

static sti_status read_repeat(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object, bool* repeated,
                              int* count) {
    const sti_json_value* value = sti_json_field(object, "repeat");
    const sti_place place = sti_place_key(up, "repeat"), at_count = sti_place_key(&place, "count");
    static const char* const names[] = {"count", "offset"};
    *repeated = value != NULL;
    *count = 1;
    if (value == NULL) return STI_OK;
    if (!sti_json_is_object(value)) return sti_bodies_read_count(r, &place, value, 0, MOST_BODIES, count);
    const sti_status status = sti_bodies_check_names(r, &place, value, names, COUNT_OF(names));
    if (status != STI_OK) return status;
    return sti_bodies_read_count(r, &at_count, sti_json_field(value, "count"), 0, MOST_BODIES, count);
}

sti_status sti_bodies_read_each(sti_bodies_reader* r, const char* key, sti_bodies_item* read) {
    const sti_json_value* list = sti_json_field(r->tree->root, key);
    const sti_place up = sti_place_key(NULL, key);
    if (list != NULL && !sti_json_is_array(list)) return sti_json_fail(r->tree, &up, list, "a list is expected");
    sti_status status = STI_OK;
    int k = 0;
    for (const sti_json_value* v = list != NULL ? list->child : NULL; status == STI_OK && v != NULL; v = v->next) {
        const sti_place at = sti_place_index(&up, k++);
        bool repeated = false;
        int count = 0;
        if (!sti_json_is_object(v)) return sti_json_fail(r->tree, &at, v, "an object { .. } is expected");
        status = read_repeat(r, &at, v, &repeated, &count);
        for (int i = 0; status == STI_OK && i < count; i++) {
            sti_bodies_repeat(r, repeated, i);
            status = read(r, &at, v, repeated, i);
        }
        sti_bodies_repeat(r, false, 0);
    }
    return status;
}

sti_status sti_bodies_read_own_name(sti_bodies_reader* r, const sti_place* place, const sti_json_value* value,
                                    bool repeated, int index, char out[STI_BODIES_NAME]) {
    const sti_status status = sti_bodies_read_name(r, place, value, out);
    if (status != STI_OK || !repeated || strchr(value->text, '{') != NULL) return status;
    const size_t length = strlen(out);
    if (length + 12 > STI_BODIES_NAME) return sti_json_fail(r->tree, place, value, "too long a name");
    snprintf(out + length, STI_BODIES_NAME - length, " %d", index);
    return STI_OK;
}

// ---- bodies

// The plane: one number. Space: three on the diagonal, or three rows of three.
static sti_status read_inertia(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                               double inertia[9]) {
    const sti_json_value* value = sti_json_field(object, "inertia");
    if (r->dim == 2) return sti_bodies_read_field(r, up, object, "inertia", &inertia[8]);
    if (sti_json_is_array(value) && sti_json_is_array(value->child)) {
        const sti_place place = sti_place_key(up, "inertia");
        double* rows = NULL;
        int count = 0;
        sti_status status = sti_bodies_read_rows(r, up, object, "inertia", 3, &count, &rows);
        if (status == STI_OK && count != 3)
            status = sti_json_fail(r->tree, &place, value, "three rows of three are expected");
        if (status == STI_OK) memcpy(inertia, rows, 9 * sizeof *inertia);
        sti_free(r->env, rows);
        return status;
    }
    double diagonal[3] = {0};
    const sti_status status = sti_bodies_read_vector(r, up, object, "inertia", 3, diagonal);
    for (int k = 0; k < 3; k++) inertia[4 * k] = diagonal[k];
    return status;
}

// A mass alone is spread evenly over the shapes: the density that gives it.
static sti_status spread_mass(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object, int count,
                              const sti_shape_item* shapes, sti_body* body) {
    const sti_place place = sti_place_key(up, "mass");
    double size = 0;
    for (int k = 0; k < count; k++) {
        sti_shape_mass m = {0};
        const sti_status status = sti_bodies_blame(r, up, sti_shape_measure(r->env, shapes[k].shape, 1, &m));
        if (status != STI_OK) return status;
        size += m.size;
    }
    if (!(body->mass > 0))
        return sti_json_fail(r->tree, &place, sti_json_field(object, "mass"), "%.9g, and a mass above 0 is expected",
                             body->mass);
    if (count == 0)
        return sti_json_fail(r->tree, &place, sti_json_field(object, "mass"),
                             "\"inertia\" too is expected for a body without shapes");
    body->density = body->mass / size;
    if (!(body->density <= STI_DENSITY_LIMIT))
        return sti_json_fail(r->tree, &place, sti_json_field(object, "mass"),
                             "%.9g, and on shapes of size %.3g that is a density of %.3g, too large to compute with",
                             body->mass, size, body->density);
    return STI_OK;
}

static sti_status read_mass(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object, int count,
                            const sti_shape_item* shapes, sti_body* body) {
    const bool density = sti_json_field(object, "density") != NULL, mass = sti_json_field(object, "mass") != NULL;
    const bool inertia = sti_json_field(object, "inertia") != NULL, centre = sti_json_field(object, "centre") != NULL;
    const sti_place at_density = sti_place_key(up, "density"), at_mass = sti_place_key(up, "mass"),
                    at_shapes = sti_place_key(up, "shapes");
    if (density && (mass || inertia || centre))
        return sti_json_fail(r->tree, &at_density, sti_json_field(object, "density"),
                             "not together with \"mass\", \"inertia\" or \"centre\"");
    if ((inertia || centre) && !mass) return sti_json_fail(r->tree, &at_mass, NULL, "needed with \"inertia\"");
    if (centre && !inertia)
        return sti_json_fail(r->tree, &at_mass, sti_json_field(object, "mass"), "\"centre\" needs \"inertia\" too");
    if (body->fixed) return STI_OK;
    sti_status status = sti_bodies_read_field(r, up, object, "density", &body->density);
    if (status == STI_OK && density && !(body->density > 0))
        status = sti_json_fail(r->tree, &at_density, sti_json_field(object, "density"),
                               "%.9g, and a density above 0 is expected", body->density);
    if (status == STI_OK) status = sti_bodies_read_field(r, up, object, "mass", &body->mass);
    if (status == STI_OK) status = sti_bodies_read_vector(r, up, object, "centre", r->dim, body->centre);
    if (status == STI_OK && inertia) status = read_inertia(r, up, object, body->inertia);
    if (status == STI_OK && mass && !inertia) return spread_mass(r, up, object, count, shapes, body);
    if (status == STI_OK && inertia) body->density = 0;
    if (status == STI_OK && !mass && count == 0)
        status = sti_json_fail(r->tree, &at_shapes, NULL, "shapes, or \"mass\" and \"inertia\", are expected");
    return status;
}

static sti_status read_offset(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object, int index,
                              sti_body* body) {
    const sti_json_value* repeat = sti_json_field(object, "repeat");
    const sti_place place = sti_place_key(up, "repeat");
    double offset[3] = {0};
    if (!sti_json_is_object(repeat)) return STI_OK;
    const sti_status status = sti_bodies_read_vector(r, &place, repeat, "offset", r->dim, offset);
    for (int k = 0; k < r->dim; k++) body->pose.x[k] += index * offset[k];
    return status;
}

static sti_status read_motion(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object, sti_body* body) {
    sti_status status = sti_bodies_read_vector(r, up, object, "velocity", r->dim, body->v);
    if (status != STI_OK) return status;
    return r->dim == 2 ? sti_bodies_read_field(r, up, object, "angular_velocity", &body->w[2])
                       : sti_bodies_read_vector(r, up, object, "angular_velocity", 3, body->w);
}

// The shapes go over to the bodies one by one; what is left in the list stays the caller's.
static sti_status add_body(sti_bodies_reader* r, const sti_place* up, const sti_body* body, int count,
                           sti_shape_item* shapes) {
    int index = 0;
    sti_status status = sti_bodies_blame(r, up, sti_bodies_add(r->bodies, body, &index));
    for (int k = 0; status == STI_OK && k < count; k++) {
        sti_shape* shape = shapes[k].shape;
        shapes[k].shape = NULL;
        status = sti_bodies_blame(r, up,
                                  sti_bodies_add_shape(r->bodies, index, shape, &shapes[k].place, shapes[k].material));
    }
    return status;
}

static sti_status read_body(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object, bool repeated,
                            int index) {
    static const char* const names[] = {"name",    "fixed",    "shape",    "shapes", "material",
                                        "density", "mass",     "inertia",  "centre", "position",
                                        "angle",   "rotation", "velocity", "repeat", "angular_velocity"};
    const sti_place at_name = sti_place_key(up, "name");
    const sti_json_value* name = sti_json_field(object, "name");
    char text[STI_BODIES_NAME];
    sti_body body = sti_body_default();
    int count = 0;
    sti_shape_item* shapes = NULL;
    if (sti_bodies_count(r->bodies) >= MOST_BODIES)
        return sti_json_fail(r->tree, up, object, "more than %d", MOST_BODIES);
    sti_status status = sti_bodies_check_names(r, up, object, names, COUNT_OF(names));
    if (status == STI_OK && name != NULL) status = sti_bodies_read_own_name(r, &at_name, name, repeated, index, text);
    if (name != NULL) body.name = text;
    if (status == STI_OK && name != NULL && strcmp(text, "world") == 0)
        status = sti_json_fail(r->tree, &at_name, name, "this name stands for the world");
    if (status == STI_OK) status = sti_json_read_bool(r->tree, up, object, "fixed", &body.fixed);
    if (status == STI_OK) status = sti_bodies_read_pose(r, up, object, "position", &body.pose);
    if (status == STI_OK) status = read_offset(r, up, object, index, &body);
    if (status == STI_OK) status = read_motion(r, up, object, &body);
    if (status == STI_OK) status = sti_bodies_read_shapes(r, up, object, &count, &shapes);
    if (status == STI_OK) status = read_mass(r, up, object, count, shapes, &body);
    if (status == STI_OK) status = add_body(r, up, &body, count, shapes);
    sti_bodies_shapes_clear(r->env, count, shapes);
    return status;
}

// ---- the step

typedef enum step_kind { NUMBER, WHOLE, FLAG, SOLVER, LAW } step_kind;
static const struct {
    const char* name;
    step_kind kind;
    size_t offset;  // in sti_world_options
    double low, high;
    bool above;  // greater than low
} step_fields[] = {
#define AT(member) offsetof(sti_world_options, member)
    {"h", NUMBER, AT(h), 0, 1e9, true},
    {"alpha", NUMBER, AT(alpha), 0.5, 1, false},
    {"tol", NUMBER, AT(tol), 0, 1, true},
    {"solver", SOLVER, AT(solver), 0, 0, false},
    {"impact", LAW, AT(law), 0, 0, false},
    {"exponent", NUMBER, AT(exponent), 1, 1000, false},
    {"rest_speed", NUMBER, AT(rest_speed), 0, 1e9, false},
    {"dissipate", FLAG, AT(dissipate), 0, 0, false},
    {"index", WHOLE, AT(index), 2, 3, false},
    {"stabilize", FLAG, AT(stabilize), 0, 0, false},
    {"stabilize_tol", NUMBER, AT(stabilize_tol), 0, 1, true},
    {"points", WHOLE, AT(points), 1, STI_SHAPE_MAX_POINTS, false},
    {"start_as_given", FLAG, AT(start_as_given), 0, 0, false},
#undef AT
};

// A word of a setting or of the file.
static bool assign_word(sti_world_options* o, step_kind kind, size_t offset, const char* word, const char** expected) {
    if (kind == FLAG) {
        *expected = "true or false";
        const bool yes = strcmp(word, "true") == 0;
        memcpy((char*)o + offset, &yes, sizeof yes);
        return yes || strcmp(word, "false") == 0;
    }
    if (kind == SOLVER) {
#define STI_X(code, name) #name ", "
        *expected = "auto, " STI_CONTACT_METHOD_LIST(STI_X) "velocities";
#undef STI_X
        return sti_contact_solver_parse(word, &o->solver);
    }
    const sti_impact_law laws[] = {STI_IMPACT_NEWTON, STI_IMPACT_POISSON, STI_IMPACT_STRONGE, STI_IMPACT_LZB};
    *expected = "newton, poisson, stronge or lzb";
    for (int k = 0; k < COUNT_OF(laws); k++) {
        if (strcmp(word, sti_impact_law_text(laws[k])) != 0) continue;
        o->law = laws[k];
        return true;
    }
    return false;
}

static sti_status wrong_value(const sti_bodies_reader* r, const sti_place* place, const char* value,
                              const char* expected) {
    char where[160];
    sti_place_text(place, where, sizeof where);
    return sti_file_fail(r->env, STI_ERR_INPUT, r->tree->name, "%s: %.60s: %s is expected", where, value, expected);
}

static sti_status read_step_number(sti_bodies_reader* r, const sti_place* place, int k, const char* setting,
                                   const sti_json_value* value, sti_world_options* o) {
    double x = 0;
    const sti_status status =
        setting != NULL ? sti_bodies_read_formula(r, place, setting, &x) : sti_bodies_read_number(r, place, value, &x);
    if (status != STI_OK) return status;
    const double low = step_fields[k].low, high = step_fields[k].high;
    const bool whole = step_fields[k].kind == WHOLE;
    if (!(x >= low && x <= high) || (step_fields[k].above && x == low) || (whole && x != floor(x))) {
        char shown[40], expected[120];
        snprintf(shown, sizeof shown, "%.12g", x);
        snprintf(expected, sizeof expected, "a %s %s %g %s %g", whole ? "whole number" : "number",
                 step_fields[k].above ? "greater than" : "from", low, step_fields[k].above ? "and up to" : "to", high);
        return wrong_value(r, place, shown, expected);
    }
    if (whole)
        memcpy((char*)o + step_fields[k].offset, &(int){(int)x}, sizeof(int));
    else
        memcpy((char*)o + step_fields[k].offset, &x, sizeof x);
    return STI_OK;
}

static sti_status read_step_field(sti_bodies_reader* r, const sti_place* up, const sti_json_value* step, int k,
                                  sti_world_options* o) {
    const char* name = step_fields[k].name;
    const step_kind kind = step_fields[k].kind;
    const sti_json_value* value = step != NULL ? sti_json_field(step, name) : NULL;
    const char* setting = sti_bodies_setting(r, "step", name);
    const sti_place place = sti_place_key(up, name);
    const char* expected = NULL;
    if (value == NULL && setting == NULL) return STI_OK;
    if (kind == NUMBER || kind == WHOLE) return read_step_number(r, &place, k, setting, value, o);
    if (setting != NULL) {
        return assign_word(o, kind, step_fields[k].offset, setting, &expected)
                   ? STI_OK
                   : wrong_value(r, &place, setting, expected);
    }
    const char* word = sti_json_is_string(value) && kind != FLAG ? value->text
                       : sti_json_is_bool(value) && kind == FLAG ? (sti_json_is_true(value) ? "true" : "false")
                                                                 : "";
    if (assign_word(o, kind, step_fields[k].offset, word, &expected)) return STI_OK;
    return sti_json_fail(r->tree, &place, value, "%s is expected", expected);
}

static sti_status read_step(sti_bodies_reader* r, sti_world_scene* scene) {
    const sti_json_value* step = sti_json_field(r->tree->root, "step");
    const sti_place up = sti_place_key(NULL, "step"), at_time = sti_place_key(NULL, "time");
    const char* names[COUNT_OF(step_fields)];
    for (int k = 0; k < COUNT_OF(step_fields); k++) names[k] = step_fields[k].name;
    sti_status status = step != NULL ? sti_bodies_check_names(r, &up, step, names, COUNT_OF(names)) : STI_OK;
    scene->step = sti_world_options_default();
    for (int k = 0; status == STI_OK && k < COUNT_OF(step_fields); k++)
        status = read_step_field(r, &up, step, k, &scene->step);
    if (status != STI_OK) return status;
    const sti_json_value* time = sti_json_field(r->tree->root, "time");
    const char* setting = sti_bodies_setting(r, "", "time");
    if (time == NULL && setting == NULL) return sti_json_fail(r->tree, &at_time, NULL, "needed: when the run ends");
    status = setting != NULL ? sti_bodies_read_formula(r, &at_time, setting, &scene->time)
                             : sti_bodies_read_number(r, &at_time, time, &scene->time);
    if (status == STI_OK && !(scene->time > 0 && scene->time <= 1e12)) {
        char shown[40];
        snprintf(shown, sizeof shown, "%.12g", scene->time);
        status = wrong_value(r, &at_time, shown, "a number greater than 0 and up to 1e12");
    }
    return status;
}

// ---- the scene

void sti_world_scene_destroy(sti_env* env, sti_world_scene* scene) {
    if (scene == NULL) return;
    for (int k = 0; scene->parameter_names != NULL && k < scene->parameter_count; k++)
        sti_free(env, (void*)scene->parameter_names[k]);
    sti_free(env, (void*)scene->parameter_names);
    sti_free(env, (void*)scene->parameters);
    sti_bodies_robots_clear(env, scene);
    sti_bodies_destroy((sti_bodies*)scene->bodies);
    sti_free(env, scene);
}

static sti_status keep_parameters(const sti_bodies_reader* r, sti_world_scene* scene) {
    const size_t count = (size_t)r->parameter_count;
    const sti_json_value* object = sti_json_field(r->tree->root, "parameters");
    char** names = sti_alloc_array_zero(r->env, count, sizeof *names);
    double* values = sti_alloc_array(r->env, count, sizeof *values);
    scene->parameter_names = (const char* const*)names;
    scene->parameters = values;
    bool good = names != NULL && values != NULL;
    if (good) scene->parameter_count = r->parameter_count;
    if (good && count > 0) memcpy(values, r->parameter, sti_size_mul(count, sizeof *values));
    size_t k = 0;
    for (const sti_json_value* v = object != NULL ? object->child : NULL; good && v != NULL; v = v->next, k++) {
        names[k] = sti_strdup(r->env, v->key);
        good = names[k] != NULL;
    }
    return good ? STI_OK : STI_ERR_MEMORY;
}

static sti_status read_frame(sti_bodies_reader* r, sti_world_scene* scene) {
    static const char* const names[] = {"kind",    "name",      "description", "parameters", "definitions", "dimension",
                                        "gravity", "materials", "pairs",       "bodies",     "joints",      "springs",
                                        "ignore",  "step",      "time",        "urdf",       "settings"};
    const sti_place at_bed = sti_place_key(NULL, "bed"), at_dimension = sti_place_key(NULL, "dimension");
    const sti_json_value *root = r->tree->root, *bed = sti_json_field(root, "bed");
    int64_t dim = 0;
    if (bed != NULL) return sti_json_fail(r->tree, &at_bed, bed, "not together with \"bodies\"");
    sti_status status = sti_bodies_check_names(r, NULL, root, names, COUNT_OF(names));
    if (status == STI_OK) status = sti_scene_read_description(r->tree, scene->description);
    if (status == STI_OK)
        status = sti_json_read_integer(r->tree, &at_dimension, sti_json_field(root, "dimension"), 2, 3, &dim);
    r->dim = (int)dim;
    if (status == STI_OK) status = sti_bodies_formulas_begin(r);
    if (status == STI_OK) status = keep_parameters(r, scene);
    if (status == STI_OK) status = sti_bodies_create(r->env, r->dim, &r->bodies);
    if (status != STI_OK) return status;
    scene->bodies = r->bodies;
    double g[3] = {0};
    g[r->dim - 1] = -9.81;
    status = sti_bodies_read_vector(r, NULL, root, "gravity", r->dim, g);
    sti_bodies_set_gravity(r->bodies, g);
    return status;
}

// A setting of the run alone, that no body and no formula sees.
static bool is_of_step(const char* setting) {
    return strncmp(setting, "step.", 5) == 0 || strcmp(setting, "time") == 0;
}

static sti_status check_settings(const sti_bodies_reader* r, const sti_world_scene* scene, bool step_alone) {
    for (int k = 0; k < r->settings.count; k++) {
        char list[300] = "";
        size_t at = 0;
        if (r->settings.one[k].used || (step_alone && !is_of_step(r->settings.one[k].name))) continue;
        for (int i = 0; i < scene->parameter_count + COUNT_OF(step_fields) && at < sizeof list; i++) {
            const bool own = i < scene->parameter_count;
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%s, ", own ? "" : "step.",
                                   own ? scene->parameter_names[i] : step_fields[i - scene->parameter_count].name);
        }
        return sti_file_fail(r->env, STI_ERR_INPUT, r->tree->name, "%.60s: no such parameter; there are %stime",
                             r->settings.one[k].name, list);
    }
    return STI_OK;
}

// step_alone: no bodies.
static sti_status read_all(sti_bodies_reader* r, bool step_alone, sti_world_scene* scene) {
    sti_status status = read_frame(r, scene);
    if (status == STI_OK) status = read_step(r, scene);
    if (step_alone) return status == STI_OK ? check_settings(r, scene, true) : status;
    if (status == STI_OK) status = sti_bodies_read_materials(r);
    if (status == STI_OK) status = sti_bodies_read_each(r, "bodies", read_body);
    if (status == STI_OK) status = sti_bodies_read_robots(r, scene);  // takes the settings of its joints
    if (status == STI_OK) status = check_settings(r, scene, false);
    if (status == STI_OK) status = sti_bodies_read_joints(r);
    if (status == STI_OK) status = sti_bodies_read_springs(r);
    return status;
}

// ---- the scene, and what it is read from again when a setting changes

static sti_status read_scene(const sti_json_tree* tree, const char* settings, bool step_alone, sti_world_scene** out) {
    sti_bodies_reader r = {.tree = tree, .env = tree->env, .directory = tree->directory};
    *out = sti_alloc_array_zero(tree->env, 1, sizeof **out);
    if (*out == NULL) return STI_ERR_MEMORY;
    sti_status status = sti_settings_cut(tree->env, settings, &r.settings);
    if (status == STI_ERR_INPUT)
        status = sti_file_fail(tree->env, status, tree->name, "settings: %.80s: name=value,.. is expected", settings);
    if (status == STI_OK) status = read_all(&r, step_alone, *out);
    sti_bodies_formulas_end(&r);
    sti_settings_clear(tree->env, &r.settings);
    return status;
}

sti_status sti_world_source_read(const sti_json_tree* tree, sti_world_source* out) {
    sti_env* env = tree->env;
    const sti_json_value* field = sti_json_field(tree->root, "settings");
    const sti_place place = sti_place_key(NULL, "settings");
    if (field != NULL && !sti_json_is_string(field))
        return sti_json_fail(tree, &place, field, "a text like \"mu=0.3,step.h=0.01\" is expected");
    const char* settings = field != NULL ? field->text : "";
    const sti_status status = read_scene(tree, settings, false, &out->scene);
    if (status != STI_OK) return status;
    out->name = sti_strdup(env, tree->name);
    out->text = sti_strdup(env, tree->source);
    out->directory = tree->directory != NULL ? sti_strdup(env, tree->directory) : NULL;
    out->settings = sti_strdup(env, settings);
    if (out->name != NULL && out->text != NULL && out->settings != NULL &&
        (out->directory != NULL || tree->directory == NULL))
        return STI_OK;
    return STI_ERR_MEMORY;
}

void sti_world_source_clear(sti_env* env, sti_world_source* s) {
    sti_world_scene_destroy(env, s->scene);
    sti_free(env, s->name);
    sti_free(env, s->text);
    sti_free(env, s->directory);
    sti_free(env, s->settings);
}

static sti_status read_again(sti_env* env, const sti_world_source* s, const char* settings, bool step_alone,
                             sti_world_scene** out) {
    sti_json_tree tree;
    char* text = sti_strdup(env, s->text);
    if (text == NULL) return STI_ERR_MEMORY;
    sti_status status = sti_json_tree_create(env, text, strlen(text), s->name, &tree);
    if (status == STI_OK) {
        tree.directory = s->directory;
        status = read_scene(&tree, settings, step_alone, out);
        sti_json_tree_clear(&tree);
    }
    sti_free(env, text);
    return status;
}

// A parameter "h" is not "step.h".
static bool is_parameter(const void* content, const char* name) {
    const sti_world_scene* scene = content;
    for (int k = 0; k < scene->parameter_count; k++) {
        if (strcmp(scene->parameter_names[k], name) == 0) return true;
    }
    return false;
}

sti_status sti_world_source_set(sti_env* env, sti_world_source* s, const sti_settings* settings) {
    const size_t size = strlen(s->settings) + strlen(settings->text) + 2;
    sti_world_scene* scene = NULL;
    bool step_alone = true;  // then bodies stay as they are: robots with large meshes take their time
    for (int k = 0; k < settings->count; k++) step_alone = step_alone && is_of_step(settings->one[k].name);
    sti_status status = sti_settings_check(env, settings, is_parameter, s->scene);
    if (status != STI_OK) return status;
    char* all = sti_alloc(env, size);
    if (all == NULL) return STI_ERR_MEMORY;
    snprintf(all, size, "%s%s%s", s->settings, s->settings[0] != '\0' ? "," : "", settings->text);
    status = read_again(env, s, all, step_alone, &scene);
    if (status != STI_OK) {
        sti_world_scene_destroy(env, scene);
        sti_free(env, all);
        return status;
    }
    if (step_alone) {
        s->scene->step = scene->step;
        s->scene->time = scene->time;
    }
    sti_world_scene_destroy(env, step_alone ? scene : s->scene);
    sti_free(env, s->settings);
    if (!step_alone) s->scene = scene;
    s->settings = all;
    return STI_OK;
}
