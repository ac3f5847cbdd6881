// oracle.h: reference cases (tests/reference, or ../shared where it is there) for the tests: found by id, numbers read
// as doubles and exactly.
#ifndef TESTS_SUPPORT_ORACLE_H
#define TESTS_SUPPORT_ORACLE_H

#include <cJSON.h>
#include <stdio.h>
#include <stiction/linalg.h>
#include <string.h>

#include "support/failing_env.h"

// A file of the reference values, "thesis/cases.json": that of ../shared, which may hold more, or the one kept here.
// NULL: neither.
static inline FILE* oracle_file(const char* name) {
    static const char* const folders[] = {STI_SHARED_DIR "/oracles", STI_SOURCE_DIR "/tests/reference"};
    char path[512];
    FILE* f = NULL;
    for (int k = 0; k < 2 && f == NULL; k++) {
        snprintf(path, sizeof path, "%s/%s", folders[k], name);
        f = fopen(path, "rb");
    }
    return f;
}

// The list of cases of "papers" or "thesis"; NULL (with a word) when it cannot be read.
static inline cJSON* oracle_open(const char* which) {
    char name[80];
    snprintf(name, sizeof name, "%s/cases.json", which);
    FILE* f = oracle_file(name);
    if (f == NULL) {
        print_message("skipped: no reference values at tests/reference/%s\n", which);
        return NULL;
    }
    fseek(f, 0, SEEK_END);
    const long size = ftell(f);
    rewind(f);
    char* text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, f), size);
    text[size] = '\0';
    fclose(f);
    cJSON* root = cJSON_Parse(text);
    free(text);
    assert_non_null(root);
    return root;
}

static inline const cJSON* oracle_cases(const cJSON* root) {
    return cJSON_IsArray(root) ? root : cJSON_GetObjectItemCaseSensitive(root, "cases");
}

static inline const char* oracle_id(const cJSON* item) {
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "id"));
}

// A case by its id; NULL: not among the visible ones.
static inline const cJSON* oracle_find(const cJSON* root, const char* id) {
    const cJSON* item;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        if (strcmp(oracle_id(item), id) == 0) return item;
    }
    return NULL;
}

static inline const cJSON* oracle_get(const cJSON* item, const char* part, const char* name) {
    return cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(item, part), name);
}

static inline double oracle_number(const cJSON* item, const char* part, const char* name) {
    return cJSON_GetNumberValue(oracle_get(item, part, name));
}

static inline double oracle_entry(const cJSON* list, int i) {
    return cJSON_GetNumberValue(cJSON_GetArrayItem(list, i));
}

// A number or a string "4/3" as a rational of the array.
static inline void oracle_rational(const cJSON* number, sti_rationals* r, size_t i) {
    if (cJSON_IsString(number))
        assert_int_equal(sti_rationals_set_text(r, i, cJSON_GetStringValue(number)), STI_OK);
    else
        assert_int_equal(sti_rationals_set_double(r, i, cJSON_GetNumberValue(number)), STI_OK);
}

static inline double oracle_double(sti_env* env, const cJSON* number) {
    if (!cJSON_IsString(number)) return cJSON_GetNumberValue(number);
    sti_rationals* r;
    assert_int_equal(sti_rationals_create(env, 1, &r), STI_OK);
    oracle_rational(number, r, 0);
    const double value = sti_rationals_double(r, 0);
    sti_rationals_destroy(r);
    return value;
}

// A matrix (or a vector: cols 1) as doubles and, beside them, exact.
typedef struct oracle_table {
    int rows, cols;
    double* value;         // row major
    sti_rationals* exact;  // the same
} oracle_table;

static inline oracle_table oracle_read(sti_env* env, const cJSON* array) {
    oracle_table t = {.rows = cJSON_GetArraySize(array), .cols = 1};
    const cJSON* first = cJSON_GetArrayItem(array, 0);
    const bool nested = cJSON_IsArray(first);
    if (nested) t.cols = cJSON_GetArraySize(first);
    const size_t count = (size_t)t.rows * (size_t)t.cols;
    t.value = malloc((count > 0 ? count : 1) * sizeof *t.value);
    assert_non_null(t.value);
    assert_int_equal(sti_rationals_create(env, count, &t.exact), STI_OK);
    size_t k = 0;
    const cJSON* row;
    cJSON_ArrayForEach(row, array) {
        const cJSON* entry = nested ? row->child : row;
        for (; entry != NULL; entry = nested ? entry->next : NULL) oracle_rational(entry, t.exact, k++);
    }
    assert_int_equal(k, count);
    for (k = 0; k < count; k++) t.value[k] = sti_rationals_double(t.exact, k);
    return t;
}

static inline void oracle_free(oracle_table* t) {
    free(t->value);
    sti_rationals_destroy(t->exact);
    *t = (oracle_table){0};
}

#endif
