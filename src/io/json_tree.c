// json_tree.c: JSON text as a checked tree.
#include "io/json_tree.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "exact/rationals.h"
#include "io/file.h"
#include "io/json_scan.h"

enum { SHORT_TEXT = 4000, LONGEST_TEXT = 200000 };  // characters of a number in quotes

// Readers take the one value of a name, so a name given twice is a mistake. Objects of ours have few names; a limit
// keeps the comparison of all pairs short.
static sti_status check_names(const sti_json_tree* tree, const cJSON* object) {
    enum { MOST_NAMES = 1000 };
    int count = 0;
    for (const cJSON* a = object->child; a != NULL; a = a->next) {
        if (++count > MOST_NAMES)
            return sti_file_fail(tree->env, STI_ERR_INPUT, tree->name, "an object with more than %d names", MOST_NAMES);
        for (const cJSON* b = object->child; b != a; b = b->next) {
            if (strcmp(a->string, b->string) == 0)
                return sti_file_fail(tree->env, STI_ERR_INPUT, tree->name, "%.60s: given twice", a->string);
        }
    }
    return STI_OK;
}

// Walk every list and object; at most STI_JSON_LEVELS deep, as the scan has seen.
static sti_status check_all_names(const sti_json_tree* tree, const cJSON* value) {
    sti_status status = cJSON_IsObject(value) ? check_names(tree, value) : STI_OK;
    for (const cJSON* child = value->child; status == STI_OK && child != NULL; child = child->next) {
        if (child->child != NULL) status = check_all_names(tree, child);
    }
    return status;
}

sti_status sti_json_tree_create(sti_env* env, char* text, size_t size, const char* name, sti_json_tree* out) {
    *out = (sti_json_tree){.env = env, .name = name};
    sti_status status = sti_json_scan(env, text, size, name);
    if (status != STI_OK) return status;
    status = sti_rationals_create(env, 1, &out->scratch);
    if (status != STI_OK) return status;
    out->root = cJSON_ParseWithLength(text, size);
    if (out->root == NULL) status = STI_FAIL(env, STI_ERR_MEMORY, -1, "tree of %.200s", name);
    if (status == STI_OK && !cJSON_IsObject(out->root))
        status = sti_file_fail(env, STI_ERR_INPUT, name, "a JSON object { ... } is expected");
    if (status == STI_OK) status = check_all_names(out, out->root);
    if (status != STI_OK) sti_json_tree_clear(out);
    return status;
}

void sti_json_tree_clear(sti_json_tree* tree) {
    cJSON_Delete(tree->root);
    sti_rationals_destroy(tree->scratch);
    tree->root = NULL;
    tree->scratch = NULL;
}

// Numbers of the text, outside strings, from left to right: *p is moved behind the next one; returns its length.
static size_t next_number(const char** p) {
    const char* s = *p;
    while (*s != '-' && (*s < '0' || *s > '9')) {
        if (*s++ != '"') continue;
        while (*s != '"') s += *s == '\\' ? 2 : 1;
        s++;
    }
    const size_t length = strspn(s, "+-.0123456789eE");
    *p = s + length;
    return length;
}

// The tree has its numbers in the order of the text. A node of cJSON that is a number has its text slot free, and frees
// what is in it.
static sti_status keep_digits(sti_json_tree* tree, cJSON* value, const char** p) {
    sti_status status = STI_OK;
    if (cJSON_IsNumber(value)) {
        const size_t length = next_number(p);
        value->valuestring = cJSON_malloc(length + 1);
        if (value->valuestring == NULL) return STI_FAIL(tree->env, STI_ERR_MEMORY, -1, "digits of %.200s", tree->name);
        memcpy(value->valuestring, *p - length, length);
        value->valuestring[length] = '\0';
    }
    for (cJSON* child = value->child; status == STI_OK && child != NULL; child = child->next)
        status = keep_digits(tree, child, p);
    return status;
}

sti_status sti_json_tree_keep_digits(sti_json_tree* tree, const char* text) {
    return keep_digits(tree, tree->root, &text);
}

static size_t write_place(const sti_place* place, char* text, size_t size) {
    size_t at = place->up != NULL ? write_place(place->up, text, size) : 0;
    if (at + 1 >= size) return at;
    int step;
    if (place->key == NULL)
        step = snprintf(text + at, size - at, "[%lld]", (long long)place->index);
    else
        step = snprintf(text + at, size - at, "%s%.40s", place->up != NULL ? "." : "", place->key);
    at += (size_t)step;
    return at < size ? at : size - 1;
}

void sti_place_text(const sti_place* place, char* text, size_t size) {
    write_place(place, text, size);
}

static void write_value(const cJSON* value, char* text, size_t size) {
    if (value == NULL)
        snprintf(text, size, "missing");
    else if (cJSON_IsNumber(value))
        snprintf(text, size, "%.12g", value->valuedouble);
    else if (cJSON_IsString(value))
        snprintf(text, size, "\"%.40s%s\"", value->valuestring, strlen(value->valuestring) > 40 ? "..." : "");
    else if (cJSON_IsArray(value))
        snprintf(text, size, "a list of %d", cJSON_GetArraySize(value));
    else if (cJSON_IsObject(value))
        snprintf(text, size, "an object");
    else
        snprintf(text, size, "%s", cJSON_IsNull(value) ? "null" : cJSON_IsTrue(value) ? "true" : "false");
}

sti_status sti_json_fail(const sti_json_tree* tree, const sti_place* place, const cJSON* value, const char* format,
                         ...) {
    char where[120], what[80], message[200];
    sti_place_text(place, where, sizeof where);
    write_value(value, what, sizeof what);
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return sti_file_fail(tree->env, STI_ERR_INPUT, tree->name, "%s: %s: %s", where, what, message);
}

void sti_json_warn(const sti_json_tree* tree, const sti_place* place, const char* text) {
    char where[120];
    sti_place_text(place, where, sizeof where);
    sti_log(tree->env, STI_LOG_WARNING, "%.200s: %s: %s", tree->name, where, text);
}

sti_status sti_json_read_number(const sti_json_tree* tree, const sti_place* place, const cJSON* value, double* out,
                                bool* is_double) {
    *is_double = true;
    if (cJSON_IsNumber(value)) {
        *out = value->valuedouble;
        return isfinite(*out) ? STI_OK : sti_json_fail(tree, place, value, "too large, a finite number is expected");
    }
    sti_status status = sti_json_read_exact(tree, place, value, tree->scratch, 0);
    if (status != STI_OK) return status;
    *out = sti_rationals_double(tree->scratch, 0);
    if (isnan(*out)) return STI_FAIL(tree->env, STI_ERR_MEMORY, -1, "a fraction as a double");
    *is_double = sti_rationals_is_double(tree->scratch, 0);
    if (!isfinite(*out)) return sti_json_fail(tree, place, value, "too large, not near any double");
    if (*out == 0 && sti_rationals_sign(tree->scratch, 0) != 0)
        return sti_json_fail(tree, place, value, "not zero, and too small to be near any other double");
    return STI_OK;
}

// Exact answers can have integers of many thousand digits: [-]digits or [-]digits/digits, longer than the rooms of exact
// arithmetic take as text. STI_ERR_INPUT: it is neither.
static sti_status read_long_text(sti_rationals* r, size_t i, const char* text) {
    const bool negative = *text == '-';
    const char* num = text + negative;
    const size_t num_count = strspn(num, "0123456789");
    const bool fraction = num[num_count] == '/';
    const char* den = fraction ? num + num_count + 1 : "1";
    const size_t den_count = strspn(den, "0123456789");
    if (num_count == 0 || den_count == 0 || den[den_count] != '\0' || (!fraction && num[num_count] != '\0'))
        return STI_ERR_INPUT;
    sti_exact x;
    sti_int a = {0}, b = {0};
    sti_exact_init(&x, r->x.env);
    sti_int_set_digits(&x, &a, num, num_count);
    sti_int_set_digits(&x, &b, den, den_count);
    if (negative) sti_int_neg(&a);
    sti_status status = x.status;
    if (status == STI_OK) status = b.size == 0 ? STI_ERR_INPUT : sti_rationals_set_ratio(r, i, &a, &b);
    sti_int_clear(x.env, &a);
    sti_int_clear(x.env, &b);
    sti_exact_clear(&x);
    return status;
}

sti_status sti_json_read_exact(const sti_json_tree* tree, const sti_place* place, const cJSON* value, sti_rationals* r,
                               size_t i) {
    if (cJSON_IsNumber(value) && value->valuestring == NULL) return sti_rationals_set_double(r, i, value->valuedouble);
    if (!cJSON_IsString(value) && !cJSON_IsNumber(value))
        return sti_json_fail(tree, place, value, "a number, or a fraction in quotes like \"2/3\", is expected");
    const size_t length = strlen(value->valuestring);
    if (length > LONGEST_TEXT) return sti_json_fail(tree, place, value, "more than %d characters", LONGEST_TEXT);
    const sti_status status = length > SHORT_TEXT ? read_long_text(r, i, value->valuestring)
                                                  : sti_rationals_set_text(r, i, value->valuestring);
    if (status == STI_ERR_INPUT)
        return sti_json_fail(tree, place, value,
                             "not a number, nor a fraction like \"2/3\" with a denominator other than 0");
    return status;
}

sti_status sti_json_read_integer(const sti_json_tree* tree, const sti_place* place, const cJSON* value, int64_t least,
                                 int64_t most, int64_t* out) {
    const double x = cJSON_IsNumber(value) ? value->valuedouble : NAN;
    if (!(x >= (double)least && x <= (double)most && x == floor(x)))
        return sti_json_fail(tree, place, value, "a whole number from %lld to %lld is expected", (long long)least,
                             (long long)most);
    *out = (int64_t)x;
    return STI_OK;
}
