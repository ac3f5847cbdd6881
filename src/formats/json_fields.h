// json_fields.h: fields of a JSON object by their names. A field that is null is as good as missing.
#ifndef STI_FORMATS_JSON_FIELDS_H
#define STI_FORMATS_JSON_FIELDS_H

#include "formats/json_tree.h"

// up: the place of the object, NULL for the root.
const sti_json_value* sti_json_field(const sti_json_value* object, const char* key);

// One of a list of words; *out stays when it is missing.
sti_status sti_json_read_word(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                              const char* key, const char* const* words, int count, int* out);
// A number; `missing` when it is not there.
sti_status sti_json_read_double(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                                const char* key, double missing, double* out);
sti_status sti_json_read_bool(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                              const char* key,
                              bool* out);  // false when missing
sti_status sti_json_read_long(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                              const char* key,
                              long* out);  // from 0 to 2^53; 0 when missing
// Text, cut to size; empty when missing.
sti_status sti_json_read_text(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                              const char* key, char* out, size_t size);
// Warn of the names in an object that are none of these, nor "comment". up: its place, NULL for the root.
void sti_json_warn_unknown(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                           const char* const* known, int count);
// The same as an error: for what would have changed the meaning had its name been right.
sti_status sti_json_check_names(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                                const char* const* known, int count);
// Is it a list of `count` entries?
sti_status sti_json_check_list(const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                               int count);
// A list of `count` numbers, null for those that are none (NAN); *out stays NULL when it is missing. Also on failure
// *out is the caller's to free.
sti_status sti_json_read_doubles(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                                 const char* key, int count, double** out);

#endif
