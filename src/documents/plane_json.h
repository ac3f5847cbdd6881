// plane_json.h: fields that scenes in the plane share: rows of formulas, outlines, parameters, lists of objects.
#ifndef STI_DOCUMENTS_PLANE_JSON_H
#define STI_DOCUMENTS_PLANE_JSON_H

#include <stiction/manipulation.h>

#include "documents/texts.h"

// A formula, or a number; *out stays where the field is missing.
sti_status sti_plane_formula(sti_texts* s, const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                             const char* key, const char** out);
// A list of `count` formulas into out.
sti_status sti_plane_row(sti_texts* s, const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                         int count, const char** out);
// A list of rows of `width` formulas; *out NULL where the field is missing.
sti_status sti_plane_rows(sti_texts* s, const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                          const char* key, int width, const char* const** out, int* count);
// An optional list of fixed length.
sti_status sti_plane_fixed(sti_texts* s, const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                           const char* key, int count, const char** out);
sti_status sti_plane_name(sti_texts* s, const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                          const char** out);
// "polygon" or "disc"
sti_status sti_plane_outline(sti_texts* s, const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                             sti_outline_text* out);
// A list of objects, each read into `size` bytes.
sti_status sti_plane_list(sti_texts* s, const sti_json_tree* tree, const char* key, size_t size,
                          sti_status (*read)(sti_texts*, const sti_json_tree*, const sti_place*, const sti_json_value*,
                                             void*),
                          const void** out, int* count);

// "parameters" are numbers, "definitions" formulas.
typedef struct sti_plane_names {
    int parameter_count;
    const char* const* parameter_names;
    const double* parameters;
    int definition_count;
    const sti_system_named* definitions;
} sti_plane_names;

sti_status sti_plane_parameters(sti_texts* s, const sti_json_tree* tree, sti_plane_names* out);

#endif
