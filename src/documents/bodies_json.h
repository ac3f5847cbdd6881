// bodies_json.h: the reader of scenes of bodies: formulas, settings, names, shapes, joints.
#ifndef STI_DOCUMENTS_BODIES_JSON_H
#define STI_DOCUMENTS_BODIES_JSON_H

#include <stiction/scene.h>

#include "documents/document.h"
#include "formats/json_fields.h"
#include "system/expression.h"

typedef struct sti_bodies_reader {
    const sti_json_tree* tree;
    sti_env* env;
    const char* directory;  // of the file, with its slash; NULL: read from memory
    sti_settings settings;  // values that take the place of those in the file
    // formulas
    sti_tape tape;
    sti_scope scope;
    int parameter_count;
    double* parameter;    // values, then the index i of a repetition    (parameter_count + 1)
    double* entry;        // values of the tape's entries                (entry_room)
    unsigned char* used;  // (entry_room)
    int entry_room;
    bool repeating;  // i has a value
    // what is made
    sti_bodies* bodies;
    int dim;
    sti_world_scene* scene;  // what robots are reported in
} sti_bodies_reader;

enum { STI_BODIES_NAME = 128 };  // bytes of a name, with its end

// ---- bodies_formula.c

sti_status sti_bodies_formulas_begin(sti_bodies_reader* r);  // "parameters" and "definitions", with the settings
void sti_bodies_formulas_end(sti_bodies_reader* r);
void sti_bodies_repeat(sti_bodies_reader* r, bool on, int index);

// A failure of the library in the words of the file: "file: place: text".
sti_status sti_bodies_blame(const sti_bodies_reader* r, const sti_place* place, sti_status status);
// No names but these, and "comment".
sti_status sti_bodies_check_names(const sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                                  const char* const* names, int count);
sti_status sti_bodies_read_formula(sti_bodies_reader* r, const sti_place* place, const char* text, double* out);
sti_status sti_bodies_read_number(sti_bodies_reader* r, const sti_place* place, const sti_json_value* value,
                                  double* out);
// Fields that may be missing: *out stays then.
sti_status sti_bodies_read_field(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                                 const char* key, double* out);
sti_status sti_bodies_read_vector(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                                  const char* key, int count, double* out);
// A list of rows of `width` numbers; *out is freed with sti_free, also on failure.
sti_status sti_bodies_read_rows(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                                const char* key, int width, int* count, double** out);
// A whole number from least to most, as a number or a formula.
sti_status sti_bodies_read_count(sti_bodies_reader* r, const sti_place* place, const sti_json_value* value, int least,
                                 int most, int* out);
// Text with formulas in braces: "link {i + 1}".
sti_status sti_bodies_read_name(sti_bodies_reader* r, const sti_place* place, const sti_json_value* value,
                                char out[STI_BODIES_NAME]);
// The setting of that name ("h", "step.h"), or NULL; it counts as used.
const char* sti_bodies_setting(sti_bodies_reader* r, const char* section, const char* name);

// ---- bodies_shape.c

// "position" (or "at") with "angle" in the plane, "rotation" in space.
sti_status sti_bodies_read_pose(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                                const char* key, sti_pose* out);
sti_status sti_bodies_read_materials(sti_bodies_reader* r);  // "materials" and "pairs"

typedef struct sti_shape_item {
    sti_shape* shape;
    sti_pose place;
    int material;
} sti_shape_item;

// "shape" or "shapes" of a body; *out has *count shapes, freed by sti_bodies_shapes_clear, also on failure.
sti_status sti_bodies_read_shapes(sti_bodies_reader* r, const sti_place* up, const sti_json_value* body, int* count,
                                  sti_shape_item** out);
void sti_bodies_shapes_clear(sti_env* env, int count, sti_shape_item* shapes);

// ---- bodies_joint.c

sti_status sti_bodies_read_joints(sti_bodies_reader* r);   // "joints"
sti_status sti_bodies_read_springs(sti_bodies_reader* r);  // "springs" and "ignore"

// ---- bodies_urdf.c

sti_status sti_bodies_read_robots(sti_bodies_reader* r, sti_world_scene* scene);  // "urdf"
void sti_bodies_robots_clear(sti_env* env, sti_world_scene* scene);
bool sti_urdf_begins(const char* text);  // XML, not JSON
// JSON text of a scene with that robot alone, its base fixed; free with sti_free.
sti_status sti_urdf_scene(sti_env* env, const char* text, const char* name, char** out);

// ---- bodies_read.c

// Every object of the list under `key`, as often as its "repeat" says.
typedef sti_status sti_bodies_item(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                                   bool repeated, int index);
sti_status sti_bodies_read_each(sti_bodies_reader* r, const char* key, sti_bodies_item* read);
// The name of a thing; one that is repeated and has no braces gets its index behind it.
sti_status sti_bodies_read_own_name(sti_bodies_reader* r, const sti_place* place, const sti_json_value* value,
                                    bool repeated, int index, char out[STI_BODIES_NAME]);

// A scene, and what it is read from again when a setting changes. Cleared also after failures.
typedef struct sti_world_source {
    sti_world_scene* scene;
    char* name;
    char* text;
    char* directory;  // NULL: read from memory
    char* settings;
} sti_world_source;

sti_status sti_world_source_read(const sti_json_tree* tree, sti_world_source* out);
sti_status sti_world_source_set(sti_env* env, sti_world_source* source, const sti_settings* settings);
// Text that reads back as the same elsewhere (bodies_urdf.c), with its settings or without; free with sti_free.
sti_status sti_world_source_text(sti_env* env, const sti_world_source* source, bool settings, char** out);
void sti_world_source_clear(sti_env* env, sti_world_source* source);
void sti_world_scene_destroy(sti_env* env, sti_world_scene* scene);

#endif
