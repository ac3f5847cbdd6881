// json_write.h: JSON text, written value by value. Keys are NULL inside arrays. A failed allocation is remembered
// in status, and what follows is dropped.
#ifndef STI_FORMATS_JSON_WRITE_H
#define STI_FORMATS_JSON_WRITE_H

#include <stiction/linalg.h>

#include "base/env.h"

enum { STI_JSON_DEPTH = 80 };  // more than a text that was read can have

typedef struct sti_json {
    sti_env* env;
    sti_status status;  // sticky
    char* text;         // (capacity)
    size_t size, capacity;
    int depth;
    bool started[STI_JSON_DEPTH];  // a value stands before, at this depth
    char close[STI_JSON_DEPTH];
} sti_json;

void sti_json_begin(sti_json* j, sti_env* env);  // opens the outermost object
void sti_json_object(sti_json* j, const char* key);
void sti_json_array(sti_json* j, const char* key);
void sti_json_end(sti_json* j);    // closes the innermost
void sti_json_break(sti_json* j);  // a line break before the next value
void sti_json_null(sti_json* j, const char* key);
void sti_json_bool(sti_json* j, const char* key, bool value);
void sti_json_integer(sti_json* j, const char* key, int64_t value);
void sti_json_double(sti_json* j, const char* key, double value);        // 17 digits; null when not finite
void sti_json_digits(sti_json* j, const char* key, const char* digits);  // a number as it was read
void sti_json_text(sti_json* j, const char* key, const char* text);
void sti_json_doubles(sti_json* j, const char* key, const double* x, size_t count);  // NULL: null
void sti_json_indices(sti_json* j, const char* key, const int* x, size_t count);
// Exact: always text, "2/3"; or a number wherever a double holds it, and text elsewhere.
void sti_json_fraction(sti_json* j, const char* key, const sti_rationals* r, size_t i);
void sti_json_fraction_short(sti_json* j, const char* key, const sti_rationals* r, size_t i);

// Close the outermost object and hand over the text (0-ended, size without the 0), or free it on failure.
sti_status sti_json_finish(sti_json* j, char** out, size_t* size);

#endif
