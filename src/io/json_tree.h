// json_tree.h: JSON text as a checked tree, and values of it with the place they stand at.
#ifndef STI_IO_JSON_TREE_H
#define STI_IO_JSON_TREE_H

#include <cjson/cJSON.h>
#include <stiction/linalg.h>

#include "base/env.h"

typedef struct sti_json_tree {
    sti_env* env;
    const char* name;        // of the file, for messages; borrowed
    cJSON* root;             // an object
    sti_rationals* scratch;  // (1) for numbers given as text
} sti_json_tree;

// text (size bytes and a 0 after them) is altered: comments become blanks. What is accepted is JSON as RFC 8259 has
// it, // and /* */ comments, and a byte order mark; not more than 64 levels; no key twice in one object.
sti_status sti_json_tree_create(sti_env* env, char* text, size_t size, const char* name, sti_json_tree* out);
void sti_json_tree_clear(sti_json_tree* tree);

// From here on sti_json_read_exact takes numbers outside quotes by their digits too: 0.4 is 2/5, not the double next to
// it. text is the one the tree was made of.
sti_status sti_json_tree_keep_digits(sti_json_tree* tree, const char* text);

// Where a value stands: a chain from the value up to a field of the root. Lives on the stack of the reader.
typedef struct sti_place {
    const struct sti_place* up;
    const char* key;  // NULL: an entry of a list
    int64_t index;
} sti_place;

static inline sti_place sti_place_key(const sti_place* up, const char* key) {
    return (sti_place){.up = up, .key = key, .index = -1};
}
static inline sti_place sti_place_index(const sti_place* up, int64_t index) {
    return (sti_place){.up = up, .index = index};
}

// "M[3][2]" into text (size bytes, always ended).
void sti_place_text(const sti_place* place, char* text, size_t size);

// "file: M[3][2]: "abc": what is expected". value NULL: it is missing.
sti_status sti_json_fail(const sti_json_tree* tree, const sti_place* place, const cJSON* value, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

// "file: contacts[0].colour: what is odd about it" as a warning.
void sti_json_warn(const sti_json_tree* tree, const sti_place* place, const char* text);

// One number: a JSON number, or text like "2/3", "0.4", "-7". The double nearest to it (finite), and whether the double is
// exactly it.
sti_status sti_json_read_number(const sti_json_tree* tree, const sti_place* place, const cJSON* value, double* out,
                                bool* is_double);
// The same number without rounding into entry i of r.
sti_status sti_json_read_exact(const sti_json_tree* tree, const sti_place* place, const cJSON* value, sti_rationals* r,
                               size_t i);
// A whole number from least to most.
sti_status sti_json_read_integer(const sti_json_tree* tree, const sti_place* place, const cJSON* value, int64_t least,
                                 int64_t most, int64_t* out);

#endif
