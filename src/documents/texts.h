// texts.h: texts of a file that outlive its tree, owned together; and fields that hold formulas or numbers.
#ifndef STI_DOCUMENTS_TEXTS_H
#define STI_DOCUMENTS_TEXTS_H

#include <stiction/system.h>

#include "formats/json_tree.h"

// Blocks that are freed together. A failed allocation is remembered in status.
typedef struct sti_texts {
    sti_env* env;
    sti_status status;
    int count, capacity;
    void** block;
} sti_texts;

void sti_texts_clear(sti_texts* t);
void* sti_texts_array(sti_texts* t, size_t count, size_t size);  // all 0; NULL on failure
const char* sti_texts_copy(sti_texts* t, const char* text);      // NULL of NULL, and on failure

// A formula, or a number as the text it is written with (the tree keeps digits). *out stays where value is NULL.
sti_status sti_texts_formula(sti_texts* t, const sti_json_tree* tree, const sti_place* place,
                             const sti_json_value* value, const char** out);
sti_status sti_texts_field(sti_texts* t, const sti_json_tree* tree, const char* key, const char** out);
// A list of formulas, or one that stands for a list of one. *out stays NULL where the field is missing.
sti_status sti_texts_list(sti_texts* t, const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                          const char* const** out, int* count);
// The fields of "parameters" and of "definitions", in this order.
sti_status sti_texts_named(sti_texts* t, const sti_json_tree* tree, const sti_system_named** out, int* count);
// The vector "start" of n entries; open: null stands for "none". *out stays where the field is missing.
sti_status sti_texts_start(sti_texts* t, const sti_json_tree* tree, int n, bool open, const double** out);

#endif
