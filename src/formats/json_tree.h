// json_tree.h: JSON text as a checked tree, and values of it with the place they stand at.
#ifndef STI_FORMATS_JSON_TREE_H
#define STI_FORMATS_JSON_TREE_H

#include <stiction/linalg.h>

#include "base/env.h"

typedef enum sti_json_type {
    STI_JSON_NULL,
    STI_JSON_FALSE,
    STI_JSON_TRUE,
    STI_JSON_NUMBER,
    STI_JSON_STRING,
    STI_JSON_ARRAY,
    STI_JSON_OBJECT
} sti_json_type;

typedef struct sti_json_value {
    sti_json_type type;
    int count;         // of a list or an object: its values
    const char* key;   // in an object; NULL elsewhere
    const char* text;  // of a string; of a number: its digits
    double number;
    const struct sti_json_value *child, *next;  // the first value in it; the one after it
} sti_json_value;

// NULL, which stands for a missing value, is nothing of these.
static inline bool sti_json_is(const sti_json_value* v, sti_json_type type) {
    return v != NULL && v->type == type;
}
static inline bool sti_json_is_null(const sti_json_value* v) {
    return sti_json_is(v, STI_JSON_NULL);
}
static inline bool sti_json_is_true(const sti_json_value* v) {
    return sti_json_is(v, STI_JSON_TRUE);
}
static inline bool sti_json_is_bool(const sti_json_value* v) {
    return sti_json_is(v, STI_JSON_TRUE) || sti_json_is(v, STI_JSON_FALSE);
}
static inline bool sti_json_is_number(const sti_json_value* v) {
    return sti_json_is(v, STI_JSON_NUMBER);
}
static inline bool sti_json_is_string(const sti_json_value* v) {
    return sti_json_is(v, STI_JSON_STRING);
}
static inline bool sti_json_is_array(const sti_json_value* v) {
    return sti_json_is(v, STI_JSON_ARRAY);
}
static inline bool sti_json_is_object(const sti_json_value* v) {
    return sti_json_is(v, STI_JSON_OBJECT);
}
static inline int sti_json_count(const sti_json_value* v) {
    return v != NULL ? v->count : 0;
}
static inline const char* sti_json_string(const sti_json_value* v) {  // NULL: it is none
    return sti_json_is_string(v) ? v->text : NULL;
}
const sti_json_value* sti_json_item(const sti_json_value* list, int index);         // NULL: there is none
const sti_json_value* sti_json_get(const sti_json_value* object, const char* key);  // the same
bool sti_json_same(const sti_json_value* a, const sti_json_value* b);  // numbers by value, fields in any order

typedef struct sti_json_tree {
    sti_env* env;
    const char* name;            // of the file, for messages; borrowed
    const sti_json_value* root;  // an object
    sti_json_value* values;      // all of them
    char* text;                  // what they point into
    const char* source;          // what the tree was made of, comments blanked out; NULL: not kept; borrowed
    const char* directory;       // of the file, with its slash; NULL: the text came from memory; borrowed
    bool by_digits;          // sti_json_read_exact takes numbers by their digits: 0.4 is 2/5, not the double next to it
    sti_rationals* scratch;  // (1) for numbers given as text
} sti_json_tree;

// text (size bytes and a 0 after them) is altered: comments become blanks. What is accepted is JSON as RFC 8259 has
// it, // and /* */ comments, and a byte order mark; not more than 64 levels; no key twice in one object.
sti_status sti_json_tree_create(sti_env* env, char* text, size_t size, const char* name, sti_json_tree* out);
void sti_json_tree_clear(sti_json_tree* tree);

// The tree of a text that the scan has accepted, in room for as many values as it counted. text is altered and stays in
// use.
const sti_json_value* sti_json_build(char* text, sti_json_value* room);

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
sti_status sti_json_fail(const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                         const char* format, ...) __attribute__((format(printf, 4, 5)));

// "file: contacts[0].colour: what is odd about it" as a warning.
void sti_json_warn(const sti_json_tree* tree, const sti_place* place, const char* text);

// One number: a JSON number, or text like "2/3", "0.4", "-7". The double nearest to it (finite), and whether the double
// is exactly it.
sti_status sti_json_read_number(const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                                double* out, bool* is_double);
// The same number without rounding into entry i of r.
sti_status sti_json_read_exact(const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                               sti_rationals* r, size_t i);
// A whole number from least to most.
sti_status sti_json_read_integer(const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                                 int64_t least, int64_t most, int64_t* out);

#endif
