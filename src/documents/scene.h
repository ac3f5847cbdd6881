// scene.h: the parameters of a scene by their names, for the reader of files and for settings given as text.
#ifndef STI_DOCUMENTS_SCENE_H
#define STI_DOCUMENTS_SCENE_H

#include <stiction/scene.h>

#include "formats/json_tree.h"

typedef enum sti_scene_kind {
    STI_SCENE_NUMBER,  // double
    STI_SCENE_INT,     // int
    STI_SCENE_LONG,    // long
    STI_SCENE_SEED,    // uint64_t, up to 2^53
    STI_SCENE_FLAG,    // bool
    STI_SCENE_LAYOUT,  // words
    STI_SCENE_LAW,
    STI_SCENE_SOLVER
} sti_scene_kind;

typedef struct sti_scene_field {
    const char* section;  // "bed", "step", "until"; "": the root
    const char* name;
    sti_scene_kind kind;
    size_t offset;  // in sti_bed_scene
    double low, high;
    bool above;        // the value has to be greater than low
    unsigned layouts;  // one bit for each layout that takes it
} sti_scene_field;

extern const sti_scene_field sti_scene_fields[];
extern const int sti_scene_field_count;
double sti_scene_time_unit(
    const sti_bed_scene* scene);  // steps of beds that differ in size or gravity alone go with it

// A value given as a word or as a number. False: `expected` (size bytes) says what would have been right.
bool sti_scene_assign(const sti_scene_field* field, sti_bed_scene* scene, const char* word, double number,
                      char* expected, size_t size);

// "description", cut to its room at the end of a character.
sti_status sti_scene_read_description(const sti_json_tree* tree, char out[STI_SCENE_TEXT]);

#endif
