// scene_read.c: a scene from JSON; include/stiction/scene.h shows its fields.
#include <math.h>
#include <string.h>

#include "documents/bodies_json.h"
#include "documents/document.h"
#include "documents/scene.h"
#include "formats/file.h"
#include "formats/json_fields.h"

static const char* const sections[] = {"bed", "step", "until"};
enum { SECTION_COUNT = sizeof sections / sizeof sections[0], MOST_NAMES = 40 };

static const sti_json_value* section_of(const sti_json_tree* tree, const char* section) {
    return section[0] == '\0' ? tree->root : sti_json_field(tree->root, section);
}

static sti_status read_field(const sti_json_tree* tree, const sti_scene_field* f, sti_bed_scene* scene, bool needed) {
    const sti_json_value* object = section_of(tree, f->section);
    const sti_json_value* value = object != NULL ? sti_json_field(object, f->name) : NULL;
    const sti_place up = sti_place_key(NULL, f->section);
    const sti_place place = sti_place_key(f->section[0] != '\0' ? &up : NULL, f->name);
    char expected[160];
    if (value == NULL && !needed) return STI_OK;
    if ((f->layouts >> scene->bed.layout & 1) == 0)
        return sti_json_fail(tree, &place, value, "the layout %s has no such parameter",
                             sti_layout_text(scene->bed.layout));
    const char* word = sti_json_is_string(value) ? value->text : NULL;
    double number = -1;
    const bool flag = f->kind == STI_SCENE_FLAG;
    bool good = sti_json_is_string(value) || (flag ? sti_json_is_bool(value) : sti_json_is_number(value));
    if (good && word == NULL) number = flag ? (sti_json_is_true(value) ? 1 : 0) : value->number;
    if (good) good = sti_scene_assign(f, scene, word, number, expected, sizeof expected);
    if (good) return STI_OK;
    sti_bed_scene scratch = *scene;  // for what would have been right
    sti_scene_assign(f, &scratch, "", 0, expected, sizeof expected);
    return sti_json_fail(tree, &place, value, "%s is expected", expected);
}

static sti_status check_sections(const sti_json_tree* tree) {
    for (int k = 0; k < SECTION_COUNT; k++) {
        const sti_json_value* object = sti_json_field(tree->root, sections[k]);
        const sti_place place = sti_place_key(NULL, sections[k]);
        if (object == NULL && k == 0)
            return sti_json_fail(tree, &place, NULL, "a scene has a \"bed\" { .. } of grains, or \"bodies\" [ .. ]");
        if (object != NULL && !sti_json_is_object(object))
            return sti_json_fail(tree, &place, object, "an object { .. } is expected");
    }
    return STI_OK;
}

// ---- "walls"

static sti_status read_numbers(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                               const char* key, int count, double* out) {
    double* list = NULL;
    const sti_place place = sti_place_key(up, key);
    const sti_json_value* value = sti_json_field(object, key);
    if (value == NULL) return sti_json_fail(tree, &place, NULL, "a list of %d numbers is expected", count);
    sti_status status = sti_json_read_doubles(tree, up, object, key, count, &list);
    const sti_json_value* entry = value->child;
    for (int k = 0; status == STI_OK && k < count; k++, entry = entry->next) {
        out[k] = list[k];
        const sti_place at = sti_place_index(&place, k);
        if (!isfinite(list[k])) status = sti_json_fail(tree, &at, entry, "a number is expected");
    }
    sti_free(tree->env, list);
    return status;
}

static sti_status read_ellipse(const sti_json_tree* tree, const sti_place* up, const sti_json_value* ellipse,
                               sti_scene_friction* f) {
    static const char* const names[] = {"axes", "angle"};
    const sti_place place = sti_place_key(up, "ellipse");
    if (!sti_json_is_object(ellipse)) return sti_json_fail(tree, &place, ellipse, "an object { .. } is expected");
    f->shape = STI_SECTION_ELLIPSE;
    sti_status status = sti_json_check_names(tree, &place, ellipse, names, 2);
    if (status == STI_OK) status = read_numbers(tree, &place, ellipse, "axes", 2, f->axes);
    if (status == STI_OK) status = sti_json_read_double(tree, &place, ellipse, "angle", 0, &f->angle);
    return status;
}

static sti_status read_polygon(const sti_json_tree* tree, const sti_place* up, const sti_json_value* polygon,
                               sti_scene_friction* f) {
    const sti_place place = sti_place_key(up, "polygon");
    const int count = sti_json_is_array(polygon) ? sti_json_count(polygon) : 0;
    if (count < 3 || count > STI_SCENE_CORNERS)
        return sti_json_fail(tree, &place, polygon, "a list of 3 to %d corners is expected", STI_SCENE_CORNERS);
    f->shape = STI_SECTION_POLYGON;
    f->corner_count = count;
    int k = 0;
    for (const sti_json_value* corner = polygon->child; corner != NULL; corner = corner->next, k++) {
        const sti_place at = sti_place_index(&place, k);
        sti_status status = sti_json_check_list(tree, &at, corner, 2);
        int i = 0;
        for (const sti_json_value* x = corner->child; status == STI_OK && x != NULL; x = x->next, i++) {
            bool is_double;
            const sti_place here = sti_place_index(&at, i);
            status = sti_json_read_number(tree, &here, x, &f->corner[k][i], &is_double);
        }
        if (status != STI_OK) return status;
    }
    return STI_OK;
}

static sti_status read_which(const sti_json_tree* tree, const sti_place* up, const sti_json_value* which,
                             sti_scene_friction* f) {
    const sti_place place = sti_place_key(up, "which");
    const int count = sti_json_is_array(which) ? sti_json_count(which) : 0;
    if (count < 1 || count > STI_SCENE_WALLS)
        return sti_json_fail(tree, &place, which, "a list of 1 to %d numbers of walls is expected", STI_SCENE_WALLS);
    f->wall_count = count;
    int k = 0;
    for (const sti_json_value* x = which->child; x != NULL; x = x->next, k++) {
        const sti_place at = sti_place_index(&place, k);
        if (!sti_json_is_number(x) || !(x->number >= 0 && x->number < STI_SCENE_WALLS) || x->number != (int)x->number)
            return sti_json_fail(tree, &at, x, "a number of a wall from 0 is expected");
        f->wall[k] = (int)x->number;
    }
    return STI_OK;
}

static sti_status read_walls(const sti_json_tree* tree, sti_scene_friction* f) {
    static const char* const names[] = {"along", "ellipse", "polygon", "which"};
    const sti_json_value* walls = sti_json_field(tree->root, "walls");
    const sti_place place = sti_place_key(NULL, "walls");
    if (walls == NULL) return STI_OK;
    if (!sti_json_is_object(walls)) return sti_json_fail(tree, &place, walls, "an object { .. } is expected");
    const sti_json_value *ellipse = sti_json_field(walls, "ellipse"), *polygon = sti_json_field(walls, "polygon"),
                         *which = sti_json_field(walls, "which");
    sti_status status = sti_json_check_names(tree, &place, walls, names, 4);
    if (status == STI_OK && (ellipse == NULL) == (polygon == NULL))
        status = sti_json_fail(tree, &place, walls, "\"ellipse\" or \"polygon\" is expected, one of them");
    if (status == STI_OK) status = read_numbers(tree, &place, walls, "along", 3, f->along);
    if (status == STI_OK && ellipse != NULL) status = read_ellipse(tree, &place, ellipse, f);
    if (status == STI_OK && polygon != NULL) status = read_polygon(tree, &place, polygon, f);
    if (status == STI_OK && which != NULL) status = read_which(tree, &place, which, f);
    return status;
}

// A name that is not known is a mistake: with another it would have acted.
static sti_status check_names(const sti_json_tree* tree) {
    const char* names[MOST_NAMES] = {"kind", "name", "description", "walls"};
    int count = 4;
    for (int k = 0; k < SECTION_COUNT; k++) names[count++] = sections[k];
    for (int k = 0; k < sti_scene_field_count && count < MOST_NAMES; k++) {
        if (sti_scene_fields[k].section[0] == '\0') names[count++] = sti_scene_fields[k].name;
    }
    sti_status status = sti_json_check_names(tree, NULL, tree->root, names, count);
    for (int s = 0; status == STI_OK && s < SECTION_COUNT; s++) {
        const sti_json_value* object = sti_json_field(tree->root, sections[s]);
        const sti_place place = sti_place_key(NULL, sections[s]);
        count = 0;
        for (int k = 0; k < sti_scene_field_count && count < MOST_NAMES; k++) {
            if (strcmp(sti_scene_fields[k].section, sections[s]) == 0) names[count++] = sti_scene_fields[k].name;
        }
        if (object != NULL) status = sti_json_check_names(tree, &place, object, names, count);
    }
    return status;
}

// A text that was cut may end within a character.
static void trim(char* text) {
    for (char* p = text; *p != '\0';) {
        const int size = sti_text_utf8(p);
        if (size == 0) *p = '\0';
        p += size;
    }
}

sti_status sti_scene_read_description(const sti_json_tree* tree, char out[STI_SCENE_TEXT]) {
    const sti_status status = sti_json_read_text(tree, NULL, tree->root, "description", out, STI_SCENE_TEXT);
    trim(out);
    return status;
}

static sti_status read_scene(const sti_json_tree* tree, sti_bed_scene* scene) {
    sti_status status = check_sections(tree);
    if (status == STI_OK) status = sti_scene_read_description(tree, scene->description);
    for (int k = 0; status == STI_OK && k < sti_scene_field_count; k++) {  // the layout comes first
        const sti_scene_field* f = &sti_scene_fields[k];
        const bool needed =
            f->kind == STI_SCENE_LAYOUT || strcmp(f->name, "count") == 0 || strcmp(f->name, "time") == 0;
        status = read_field(tree, f, scene, needed);
    }
    if (status == STI_OK) status = read_walls(tree, &scene->walls);
    const sti_json_value* step = sti_json_field(tree->root, "step");
    if (status == STI_OK && (step == NULL || sti_json_field(step, "h") == NULL))
        scene->step.h *= sti_scene_time_unit(scene);
    return status == STI_OK ? check_names(tree) : status;
}

// ---- the kind: grains or bodies

typedef struct store {
    bool bodies;
    sti_bed_scene grains;
    sti_world_source world;
} store;

static sti_status read(sti_json_tree* tree, void** out) {
    store* s = *out = sti_alloc_array_zero(tree->env, 1, sizeof *s);
    if (s == NULL) return STI_ERR_MEMORY;
    s->bodies = sti_json_field(tree->root, "bodies") != NULL || sti_json_field(tree->root, "urdf") != NULL;
    if (s->bodies) return sti_world_source_read(tree, &s->world);
    s->grains = sti_bed_scene_default(STI_LAYOUT_PEBBLE_BED, 1);
    return read_scene(tree, &s->grains);
}

static void destroy(sti_env* env, void* content) {
    store* s = content;
    if (s == NULL) return;
    sti_world_source_clear(env, &s->world);
    sti_free(env, s);
}

// Another radius, or another gravity, has another step, unless that is given as well.
static sti_status set_grains(sti_env* env, sti_bed_scene* scene, const sti_settings* settings) {
    sti_bed_scene changed = *scene;
    sti_status status = sti_settings_check(env, settings, NULL, NULL);
    bool step = false;
    for (int k = 0; status == STI_OK && k < settings->count; k++) {
        const char* name = settings->one[k].name;
        status = sti_bed_scene_set(env, &changed, name, settings->one[k].value);
        step = step || strcmp(name, "h") == 0 || strcmp(name, "step.h") == 0;
    }
    const double before = sti_scene_time_unit(scene), now = sti_scene_time_unit(&changed);
    if (!step && now != before) changed.step.h *= now / before;
    if (status == STI_OK) *scene = changed;
    return status;
}

static sti_status set(sti_env* env, void* content, const sti_settings* settings) {
    store* s = content;
    return s->bodies ? sti_world_source_set(env, &s->world, settings) : set_grains(env, &s->grains, settings);
}

static sti_status text(sti_env* env, const void* content, char** out) {
    const store* s = content;
    return s->bodies ? sti_world_source_text(env, &s->world, false, out) : sti_bed_scene_json(env, &s->grains, out);
}

static sti_status save(sti_env* env, const void* content, const char* path) {
    const store* s = content;
    char* written = NULL;
    if (!sti_file_has_suffix(path, ".json"))
        return sti_file_fail(env, STI_ERR_ARGUMENT, path, "a name that ends in .json is expected");
    sti_status status = s->bodies ? sti_world_source_text(env, &s->world, true, &written)
                                  : sti_bed_scene_json(env, &s->grains, &written);
    if (status == STI_OK) status = sti_file_write(env, path, written, strlen(written));
    sti_free(env, written);
    return status;
}

const sti_kind_row sti_kind_scene = {.read = read, .destroy = destroy, .set = set, .text = text, .save = save};

const sti_bed_scene* sti_bed_scene_of(const sti_document* document) {
    const store* s = sti_document_content(document, STI_KIND_SCENE);
    return s != NULL && !s->bodies ? &s->grains : NULL;
}

const sti_world_scene* sti_world_scene_of(const sti_document* document) {
    const store* s = sti_document_content(document, STI_KIND_SCENE);
    return s != NULL && s->bodies ? s->world.scene : NULL;
}
