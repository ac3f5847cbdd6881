// json_scan.h: the grammar of JSON, checked before any tree is built.
#ifndef STI_FORMATS_JSON_SCAN_H
#define STI_FORMATS_JSON_SCAN_H

#include "base/env.h"

enum { STI_JSON_LEVELS = 64, STI_JSON_NUMBER_LENGTH = 63 };

// Check text (size bytes) and blank its comments. What is wrong is answered with line and column. *count: values in it.
sti_status sti_json_scan(sti_env* env, char* text, size_t size, const char* name, size_t* count);

#endif
