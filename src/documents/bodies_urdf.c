// bodies_urdf.c: robots in scenes of bodies, and a URDF file as a scene of its own.
//
//     "urdf": [{"file": "arm.urdf", "name": "left", "position": [..], "rotation": .., "fixed": true, "material":
//     "rubber",
//               "joints": {"shoulder": 0.3},
//               "motors": {"finger": {"speed": -0.1, "force": 20}},
//               "springs": {"shoulder": {"stiffness": 400, "damping": 40, "rest": 0.3}},
//               "friction": {"elbow": 0.5}, "sides": 32, "folders": ["meshes"]}]
//
// "text" instead of "file" holds the robot itself, as one text or as a list of lines.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/bodies_json.h"
#include "documents/document.h"
#include "formats/file.h"
#include "formats/json_write.h"

enum { MOST_BYTES = 1 << 26 };  // of a robot
#define COUNT_OF(list) ((int)(sizeof(list) / sizeof(list)[0]))

typedef struct source {
    char* path;  // of the file, or of a text in the folder of the scene
    char* text;  // NULL: a file
    char** folder;
    int folder_count;
    sti_urdf_setting* setting;
    int setting_count;
} source;

static void clear(sti_env* env, source* k) {
    for (int i = 0; i < k->folder_count; i++) sti_free(env, k->folder[i]);
    sti_free(env, k->folder);
    sti_free(env, k->path);
    sti_free(env, k->text);
    sti_free(env, k->setting);
}

// ---- where it stands

// name as seen from the folder of the scene
static char* beside(const sti_bodies_reader* r, const char* name) {
    const char* folder = name[0] == '/' || r->directory == NULL ? "" : r->directory;
    const size_t size = strlen(folder) + strlen(name) + 1;
    char* path = sti_alloc(r->env, size);
    if (path != NULL) snprintf(path, size, "%s%s", folder, name);
    return path;
}

// The whole file is one: its lines are those of the robot.
static bool is_robot(const sti_bodies_reader* r) {
    static const char* const known[] = {".urdf", ".xacro", ".xml", ".sdf", ".world", ".mjcf"};
    bool is = false;
    for (int k = 0; k < COUNT_OF(known); k++) is = is || sti_file_has_suffix(r->tree->name, known[k]);
    return is;
}

static sti_status read_lines(const sti_bodies_reader* r, const sti_place* place, const sti_json_value* value,
                             char** out) {
    const sti_json_value* first = sti_json_is_array(value) ? value->child : value;
    size_t size = 1, at = 0;
    for (const sti_json_value* line = first; line != NULL; line = line == value ? NULL : line->next) {
        if (!sti_json_is_string(line))
            return sti_json_fail(r->tree, place, line, "text, or a list of lines, is expected");
        size += strlen(line->text) + 1;
    }
    *out = sti_alloc(r->env, size);
    if (*out == NULL) return STI_ERR_MEMORY;
    (*out)[0] = '\0';
    for (const sti_json_value* line = first; line != NULL; line = line == value ? NULL : line->next)
        at += (size_t)snprintf(*out + at, size - at, "%s\n", line->text);
    return STI_OK;
}

static sti_status read_source(const sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                              source* k) {
    const sti_json_value *file = sti_json_field(object, "file"), *text = sti_json_field(object, "text");
    const sti_place at_file = sti_place_key(up, "file"), at_text = sti_place_key(up, "text");
    if (text != NULL) {
        if (file != NULL) return sti_json_fail(r->tree, &at_file, file, "not together with \"text\"");
        k->path = is_robot(r) ? sti_strdup(r->env, r->tree->name) : beside(r, "text");
        return k->path != NULL ? read_lines(r, &at_text, text, &k->text) : STI_ERR_MEMORY;
    }
    if (!sti_json_is_string(file) || file->text[0] == '\0')
        return sti_json_fail(r->tree, &at_file, file, "the name of a URDF file, or \"text\", is expected");
    if (r->directory == NULL && file->text[0] != '/')
        return sti_json_fail(r->tree, &at_file, file, "a scene read from memory cannot name a file beside it");
    k->path = beside(r, file->text);
    return k->path != NULL ? STI_OK : STI_ERR_MEMORY;
}

static sti_status read_folders(const sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                               source* k) {
    const sti_json_value* list = sti_json_field(object, "folders");
    const sti_place place = sti_place_key(up, "folders");
    if (list == NULL) return STI_OK;
    if (!sti_json_is_array(list)) return sti_json_fail(r->tree, &place, list, "a list of names is expected");
    k->folder = sti_alloc_array_zero(r->env, (size_t)sti_json_count(list), sizeof *k->folder);
    if (k->folder == NULL) return STI_ERR_MEMORY;
    for (const sti_json_value* v = list->child; v != NULL; v = v->next) {
        const sti_place at = sti_place_index(&place, k->folder_count);
        if (!sti_json_is_string(v)) return sti_json_fail(r->tree, &at, v, "the name of a folder is expected");
        char* folder = beside(r, v->text);
        if (folder == NULL) return STI_ERR_MEMORY;
        k->folder[k->folder_count++] = folder;
    }
    return STI_OK;
}

// ---- what is said of its joints

static sti_status read_setting(sti_bodies_reader* r, const sti_place* at, const char* key, const sti_json_value* v,
                               sti_urdf_setting* s) {
    static const char* const motor[] = {"speed", "force"};
    static const char* const spring[] = {"stiffness", "damping", "rest"};
    sti_status status = STI_OK;
    if (strcmp(key, "joints") == 0) return sti_bodies_read_number(r, at, v, &s->position);
    if (strcmp(key, "friction") == 0) return sti_bodies_read_number(r, at, v, &s->friction);
    if (strcmp(key, "motors") == 0) {
        s->motor_speed = 0;
        status = sti_bodies_check_names(r, at, v, motor, COUNT_OF(motor));
        if (status == STI_OK) status = sti_bodies_read_field(r, at, v, "speed", &s->motor_speed);
        return status == STI_OK ? sti_bodies_read_field(r, at, v, "force", &s->motor_force) : status;
    }
    status = sti_bodies_check_names(r, at, v, spring, COUNT_OF(spring));
    if (status == STI_OK) status = sti_bodies_read_field(r, at, v, "stiffness", &s->stiffness);
    if (status == STI_OK) status = sti_bodies_read_field(r, at, v, "damping", &s->damping);
    return status == STI_OK ? sti_bodies_read_field(r, at, v, "rest", &s->rest) : status;
}

// "joints.shoulder=0.3", or "joints.left/shoulder=0.3" for a robot that has a name: positions at the start.
static sti_status take_settings(sti_bodies_reader* r, const char* prefix, source* k) {
    const sti_place up = sti_place_key(NULL, "joints");
    const size_t length = prefix != NULL ? strlen(prefix) : 0;
    for (int i = 0; i < r->settings.count; i++) {
        const char* name = r->settings.one[i].name;
        if (strncmp(name, "joints.", 7) != 0) continue;
        name += 7;
        if (prefix != NULL && (strncmp(name, prefix, length) != 0 || name[length] != '/')) continue;
        sti_urdf_setting* s = &k->setting[k->setting_count++];
        *s = sti_urdf_setting_default(prefix != NULL ? name + length + 1 : name);
        const sti_place at = sti_place_key(&up, name);
        const sti_status status = sti_bodies_read_formula(r, &at, r->settings.one[i].value, &s->position);
        if (status != STI_OK) return status;
        r->settings.one[i].used = true;
    }
    return STI_OK;
}

static sti_status read_settings(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                                const char* prefix, source* k) {
    static const char* const keys[] = {"joints", "motors", "springs", "friction"};
    size_t room = (size_t)r->settings.count;
    for (int i = 0; i < COUNT_OF(keys); i++) {
        const sti_json_value* list = sti_json_field(object, keys[i]);
        const sti_place place = sti_place_key(up, keys[i]);
        if (list == NULL) continue;
        if (!sti_json_is_object(list))
            return sti_json_fail(r->tree, &place, list, "an object { .. } with the names of joints is expected");
        room += (size_t)sti_json_count(list);
    }
    k->setting = sti_alloc_array(r->env, room, sizeof *k->setting);
    if (k->setting == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < COUNT_OF(keys); i++) {
        const sti_json_value* list = sti_json_field(object, keys[i]);
        const sti_place place = sti_place_key(up, keys[i]);
        for (const sti_json_value* v = list != NULL ? list->child : NULL; v != NULL; v = v->next) {
            const sti_place at = sti_place_key(&place, v->key);
            sti_urdf_setting* s = &k->setting[k->setting_count++];
            *s = sti_urdf_setting_default(v->key);
            const sti_status status = read_setting(r, &at, keys[i], v, s);
            if (status != STI_OK) return status;
        }
    }
    return take_settings(r, prefix, k);
}

// ---- all of it

static sti_status read_material(const sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                                int* out) {
    const sti_json_value* value = sti_json_field(object, "material");
    const sti_place place = sti_place_key(up, "material");
    if (value == NULL) return STI_OK;
    for (int k = 0; sti_json_is_string(value) && k < sti_bodies_material_count(r->bodies); k++) {
        if (strcmp(sti_bodies_material(r->bodies, k)->name, value->text) != 0) continue;
        *out = k;
        return STI_OK;
    }
    return sti_json_fail(r->tree, &place, value, "the name of a material is expected");
}

// "auto": on the ground; a number: of the root link.
static sti_status read_height(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                              sti_urdf_options* options) {
    const sti_json_value* value = sti_json_field(object, "height");
    const sti_place place = sti_place_key(up, "height");
    if (value == NULL) return STI_OK;
    options->on_ground = sti_json_is_string(value) && strcmp(value->text, "auto") == 0;
    return options->on_ground ? STI_OK : sti_bodies_read_number(r, &place, value, &options->place.x[2]);
}

static sti_status read_start(const sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                             sti_urdf_options* options) {
    const sti_json_value* value = sti_json_field(object, "pose");
    const sti_place place = sti_place_key(up, "pose");
    if (value == NULL || (sti_json_is_string(value) && sti_urdf_pose_parse(value->text, &options->pose))) return STI_OK;
    return sti_json_fail(r->tree, &place, value, "\"zero\", \"middle\" or \"home\" is expected");
}

static sti_status read_collide(const sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                               sti_urdf_options* options) {
    const sti_json_value* value = sti_json_field(object, "collide");
    const sti_place place = sti_place_key(up, "collide");
    const char* text = sti_json_string(value);
    options->collide_visual = text != NULL && strcmp(text, "visual") == 0;
    if (value == NULL || options->collide_visual || (text != NULL && strcmp(text, "collision") == 0)) return STI_OK;
    return sti_json_fail(r->tree, &place, value, "\"collision\" or \"visual\" is expected");
}

static sti_status read_show(const sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                            sti_urdf_options* options) {
    const sti_json_value* value = sti_json_field(object, "show");
    const sti_place place = sti_place_key(up, "show");
    if (value == NULL || (sti_json_is_string(value) && sti_urdf_show_parse(value->text, &options->show))) return STI_OK;
    return sti_json_fail(r->tree, &place, value, "\"nothing\", \"collision\" or \"visual\" is expected");
}

static sti_status read_options(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                               sti_urdf_options* options) {
    const sti_place at_sides = sti_place_key(up, "sides");
    sti_status status = sti_bodies_read_pose(r, up, object, "position", &options->place);
    if (status == STI_OK && sti_json_field(object, "fixed") != NULL)
        status = sti_json_read_bool(r->tree, up, object, "fixed", &options->fixed);
    if (status == STI_OK && sti_json_field(object, "strict") != NULL)
        status = sti_json_read_bool(r->tree, up, object, "strict", &options->strict);
    if (status == STI_OK) status = read_collide(r, up, object, options);
    if (status == STI_OK) status = read_show(r, up, object, options);
    if (status == STI_OK) status = read_height(r, up, object, options);
    if (status == STI_OK) status = read_start(r, up, object, options);
    if (status == STI_OK) status = read_material(r, up, object, &options->material);
    if (status == STI_OK) status = sti_bodies_read_field(r, up, object, "decompose", &options->decompose);
    if (status == STI_OK && sti_json_field(object, "sides") != NULL)
        status = sti_bodies_read_count(r, &at_sides, sti_json_field(object, "sides"), 3, 256, &options->sides);
    return status;
}

static sti_status add_robot(sti_bodies_reader* r, const sti_place* up, const source* k, sti_urdf_options* options) {
    sti_world_scene* scene = r->scene;
    sti_urdf_report* longer =
        sti_realloc_array(r->env, (void*)scene->robots, (size_t)scene->robot_count + 1, sizeof *longer);
    if (longer == NULL) return STI_ERR_MEMORY;
    scene->robots = longer;
    sti_urdf_report* report = &longer[scene->robot_count++];
    options->folder_count = k->folder_count;
    options->folders = (const char* const*)k->folder;
    options->setting_count = k->setting_count;
    options->settings = k->setting;
    const sti_status status =
        k->text != NULL ? sti_urdf_parse(r->env, k->text, strlen(k->text), k->path, options, r->bodies, report)
                        : sti_urdf_add(r->env, k->path, options, r->bodies, report);
    return is_robot(r) ? status : sti_bodies_blame(r, up, status);
}

static sti_status read_robot(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object, bool repeated,
                             int index) {
    static const char* const names[] = {"name",   "file",   "text",    "position", "rotation", "fixed",    "material",
                                        "joints", "motors", "springs", "friction", "sides",    "folders",  "repeat",
                                        "strict", "height", "pose",    "collide",  "show",     "decompose"};
    const sti_place at_name = sti_place_key(up, "name");
    const sti_json_value* name = sti_json_field(object, "name");
    sti_urdf_options options = sti_urdf_options_default();
    char prefix[STI_BODIES_NAME];
    source k = {0};
    sti_status status = sti_bodies_check_names(r, up, object, names, COUNT_OF(names));
    if (status == STI_OK && r->dim != 3) status = sti_json_fail(r->tree, up, object, "a robot needs \"dimension\": 3");
    if (status == STI_OK && name != NULL) status = sti_bodies_read_own_name(r, &at_name, name, repeated, index, prefix);
    if (name != NULL) options.name = prefix;
    if (status == STI_OK) status = read_source(r, up, object, &k);
    if (status == STI_OK) status = read_folders(r, up, object, &k);
    if (status == STI_OK) status = read_options(r, up, object, &options);
    if (status == STI_OK) status = read_settings(r, up, object, options.name, &k);
    if (status == STI_OK) status = add_robot(r, up, &k, &options);
    clear(r->env, &k);
    return status;
}

sti_status sti_bodies_read_robots(sti_bodies_reader* r, sti_world_scene* scene) {
    r->scene = scene;
    return sti_bodies_read_each(r, "urdf", read_robot);
}

void sti_bodies_robots_clear(sti_env* env, sti_world_scene* scene) {
    for (int k = 0; k < scene->robot_count; k++) sti_urdf_report_clear(env, (sti_urdf_report*)&scene->robots[k]);
    sti_free(env, (void*)scene->robots);
}

// ---- a scene that can be read elsewhere

// A value of the tree, as it was given.
static void put_value(sti_json* j, const char* key, const sti_json_value* v) {
    const bool list = v->type == STI_JSON_ARRAY, nested = list || v->type == STI_JSON_OBJECT;
    if (v->type == STI_JSON_STRING) sti_json_text(j, key, v->text);
    if (v->type == STI_JSON_NUMBER) sti_json_digits(j, key, v->text);
    if (v->type == STI_JSON_NULL) sti_json_null(j, key);
    if (sti_json_is_bool(v)) sti_json_bool(j, key, v->type == STI_JSON_TRUE);
    if (!nested) return;
    if (list)
        sti_json_array(j, key);
    else
        sti_json_object(j, key);
    for (const sti_json_value* child = v->child; child != NULL; child = child->next) put_value(j, child->key, child);
    sti_json_end(j);
}

// Folders of the robot seen from the root, and all above `path`, where packages may lie.
static void put_folders(sti_json* j, const sti_json_value* robot, const char* directory, const char* path) {
    char name[PATH_MAX], full[PATH_MAX];
    const sti_json_value* list = sti_json_field(robot, "folders");
    sti_json_array(j, "folders");
    for (const sti_json_value* v = list != NULL ? list->child : NULL; v != NULL; v = v->next) {
        const char* base = v->text[0] == '/' || directory == NULL ? "" : directory;
        snprintf(name, sizeof name, "%s%s", base, v->text);
        if (realpath(name, full) != NULL) sti_json_text(j, NULL, full);
    }
    snprintf(name, sizeof name, "%s", path);
    char* slash = strrchr(name, '/');
    if (slash != NULL) slash[1] = '\0';
    if (realpath(slash != NULL ? name : ".", full) == NULL) full[0] = '\0';
    for (slash = full; slash != NULL && full[0] != '\0';) {
        sti_json_text(j, NULL, full);
        slash = strrchr(full, '/');
        if (slash != NULL) *slash = '\0';
    }
    sti_json_end(j);
}

// The robot's file becomes its text. Folders matter only where there are meshes.
static sti_status put_robot(sti_json* j, const sti_json_value* robot, const char* directory) {
    const char *file = sti_json_string(sti_json_field(robot, "file")), *base = directory != NULL ? directory : "";
    char path[PATH_MAX], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s%s", file != NULL && file[0] == '/' ? "" : base, file != NULL ? file : "text");
    if (file != NULL) {
        const sti_status status = sti_file_read(j->env, path, MOST_BYTES, &text, &size);
        if (status != STI_OK) return status;
    }
    const char* said = text != NULL ? text : sti_json_string(sti_json_field(robot, "text"));
    const bool meshes = said == NULL || strstr(said, "filename") != NULL;
    sti_json_object(j, NULL);
    for (const sti_json_value* v = robot->child; v != NULL; v = v->next) {
        const bool replaced =
            (file != NULL && strcmp(v->key, "file") == 0) || (meshes && strcmp(v->key, "folders") == 0);
        if (!replaced) put_value(j, v->key, v);
    }
    if (text != NULL) sti_json_text(j, "text", text);
    if (meshes) put_folders(j, robot, directory, path);
    sti_json_end(j);
    sti_free(j->env, text);
    return j->status;
}

// settings: in place of those that it has; NULL: as it has them
static sti_status put_scene(sti_json* j, const sti_json_value* root, const char* directory, const char* settings) {
    sti_status status = STI_OK;
    for (const sti_json_value* v = root->child; status == STI_OK && v != NULL; v = v->next) {
        if (settings != NULL && strcmp(v->key, "settings") == 0) continue;
        sti_json_break(j);
        if (strcmp(v->key, "urdf") != 0 || !sti_json_is_array(v)) {
            put_value(j, v->key, v);
            continue;
        }
        sti_json_array(j, v->key);
        for (const sti_json_value* robot = v->child; status == STI_OK && robot != NULL; robot = robot->next)
            status = put_robot(j, robot, directory);
        sti_json_end(j);
    }
    if (settings != NULL) sti_json_break(j);
    if (settings != NULL) sti_json_text(j, "settings", settings);
    return status;
}

static sti_status print(const sti_json_tree* tree, const char* directory, const char* settings, char** out) {
    sti_json j;
    char* text;
    sti_json_begin(&j, tree->env);
    const sti_status put = put_scene(&j, tree->root, directory, settings);
    const sti_status status = sti_json_finish(&j, &text, NULL);
    if (put == STI_OK && status == STI_OK)
        *out = text;
    else if (status == STI_OK)
        sti_free(tree->env, text);
    return put != STI_OK ? put : status;
}

sti_status sti_world_source_text(sti_env* env, const sti_world_source* s, bool settings, char** out) {
    const bool changed = settings && s->settings[0] != '\0';
    sti_json_tree tree;
    *out = NULL;
    char* text = sti_strdup(env, s->text);
    if (text == NULL) return STI_ERR_MEMORY;
    sti_status status = sti_json_tree_create(env, text, strlen(text), "scene", &tree);
    if (status == STI_OK && (changed || sti_json_field(tree.root, "urdf") != NULL))
        status = print(&tree, s->directory, changed ? s->settings : NULL, out);
    else if (status == STI_OK)
        *out = sti_strdup(env, s->text);
    if (status == STI_OK && *out == NULL) status = STI_ERR_MEMORY;
    sti_free(env, text);
    sti_json_tree_clear(&tree);
    return status;
}

// ---- a URDF file as a scene

bool sti_urdf_begins(const char* text) {
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
    return text[strspn(text, " \t\r\n")] == '<';
}

// text as a JSON text: at most 6 bytes for one.
static size_t put_text(char* to, const char* text) {
    size_t at = 0;
    to[at++] = '"';
    for (const char* p = text; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\') to[at++] = '\\';
        if ((unsigned char)*p < 0x20)
            at += (size_t)snprintf(to + at, 7, "\\u%04x", (unsigned)*p);
        else
            to[at++] = *p;
    }
    to[at++] = '"';
    to[at] = '\0';
    return at;
}

sti_status sti_urdf_scene(sti_env* env, const char* text, const char* name, char** out) {
    static const char form[] = "{\"kind\": \"scene\", \"description\": ";
    static const char middle[] = ", \"dimension\": 3, \"bodies\": [], \"time\": 10,\n \"urdf\": [{\"text\": ";
    const char *slash = strrchr(name, '/'), *base = slash != NULL ? slash + 1 : name;
    *out = sti_alloc_array(env, strlen(text) + strlen(base) + sizeof form + sizeof middle, 6);
    if (*out == NULL) return STI_ERR_MEMORY;
    char* to = memcpy(*out, form, sizeof form);
    to += strlen(form);
    to += put_text(to, base);
    memcpy(to, middle, sizeof middle);
    to += strlen(middle);
    to += put_text(to, text);
    memcpy(to, "}]}\n", 5);
    return STI_OK;
}
