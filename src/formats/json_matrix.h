// json_matrix.h: matrices and vectors from JSON, as lists or from files.
#ifndef STI_FORMATS_JSON_MATRIX_H
#define STI_FORMATS_JSON_MATRIX_H

#include "formats/fields.h"
#include "formats/json_tree.h"

// The field hands out what it was read into, also on failure.
sti_status sti_json_read_matrix(const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                                sti_field* f);
sti_status sti_json_read_vector(const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                                sti_field* f);
// The second reading of a field, without rounding: f->exact.
sti_status sti_json_read_field_exact(const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                                     sti_field* f);

#endif
