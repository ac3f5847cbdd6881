// json_tree.c: JSON text as a checked tree.
#include "formats/json_tree.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "exact/rationals.h"
#include "formats/file.h"
#include "formats/json_scan.h"

enum { SHORT_TEXT = 4000, LONGEST_TEXT = 200000 };  // characters of a number in quotes

// Readers take the one value of a name, so a name given twice is a mistake. Objects of ours have few names; a limit
// keeps the comparison of all pairs short.
static sti_status check_names(const sti_json_tree* tree, const sti_json_value* object) {
    enum { MOST_NAMES = 1000 };
    int count = 0;
    for (const sti_json_value* a = object->child; a != NULL; a = a->next) {
        if (++count > MOST_NAMES)
            return sti_file_fail(tree->env, STI_ERR_INPUT, tree->name, "an object with more than %d names", MOST_NAMES);
        for (const sti_json_value* b = object->child; b != a; b = b->next) {
            if (strcmp(a->key, b->key) == 0)
                return sti_file_fail(tree->env, STI_ERR_INPUT, tree->name, "%.60s: given twice", a->key);
        }
    }
    return STI_OK;
}

// Walk every list and object; at most STI_JSON_LEVELS deep, as the scan has seen.
static sti_status check_all_names(const sti_json_tree* tree, const sti_json_value* value) {
    sti_status status = sti_json_is_object(value) ? check_names(tree, value) : STI_OK;
    for (const sti_json_value* child = value->child; status == STI_OK && child != NULL; child = child->next) {
        if (child->child != NULL) status = check_all_names(tree, child);
    }
    return status;
}

const sti_json_value* sti_json_item(const sti_json_value* list, int index) {
    const sti_json_value* v = list != NULL ? list->child : NULL;
    for (; v != NULL && index > 0; index--) v = v->next;
    return v;
}

const sti_json_value* sti_json_get(const sti_json_value* object, const char* key) {
    const sti_json_value* v = sti_json_is_object(object) ? object->child : NULL;
    while (v != NULL && strcmp(v->key, key) != 0) v = v->next;
    return v;
}

// The scan allows 64 levels.
bool sti_json_same(const sti_json_value* a, const sti_json_value* b) {  // NOLINT(misc-no-recursion)
    if (a == NULL || b == NULL || a->type != b->type || a->count != b->count) return a == b;
    if (a->type == STI_JSON_NUMBER) return a->number == b->number;
    if (a->type == STI_JSON_STRING) return strcmp(a->text, b->text) == 0;
    const sti_json_value* other = b->child;
    for (const sti_json_value* v = a->child; v != NULL; v = v->next) {
        if (!sti_json_same(v, v->key != NULL ? sti_json_get(b, v->key) : other)) return false;
        other = other->next;
    }
    return true;
}

sti_status sti_json_tree_create(sti_env* env, char* text, size_t size, const char* name, sti_json_tree* out) {
    size_t count;
    *out = (sti_json_tree){.env = env, .name = name};
    sti_status status = sti_json_scan(env, text, size, name, &count);
    if (status != STI_OK) return status;
    status = sti_rationals_create(env, 1, &out->scratch);
    if (status != STI_OK) return status;
    out->values = sti_alloc_array(env, count, sizeof *out->values);
    out->text = sti_alloc(env, sti_size_add(size, 1));
    if (out->values == NULL || out->text == NULL) {
        sti_json_tree_clear(out);
        return STI_ERR_MEMORY;
    }
    memcpy(out->text, text, size);
    out->text[size] = '\0';
    out->root = sti_json_build(out->text, out->values);
    if (!sti_json_is_object(out->root))
        status = sti_file_fail(env, STI_ERR_INPUT, name, "a JSON object { ... } is expected");
    if (status == STI_OK) status = check_all_names(out, out->root);
    if (status != STI_OK) sti_json_tree_clear(out);
    return status;
}

void sti_json_tree_clear(sti_json_tree* tree) {
    sti_free(tree->env, tree->values);
    sti_free(tree->env, tree->text);
    sti_rationals_destroy(tree->scratch);
    *tree = (sti_json_tree){.env = tree->env, .name = tree->name};
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

static void write_value(const sti_json_value* value, char* text, size_t size) {
    if (value == NULL)
        snprintf(text, size, "missing");
    else if (sti_json_is_number(value))
        snprintf(text, size, "%.12g", value->number);
    else if (sti_json_is_string(value))
        snprintf(text, size, "\"%.40s%s\"", value->text, strlen(value->text) > 40 ? "..." : "");
    else if (sti_json_is_array(value))
        snprintf(text, size, "a list of %d", sti_json_count(value));
    else if (sti_json_is_object(value))
        snprintf(text, size, "an object");
    else
        snprintf(text, size, "%s", sti_json_is_null(value) ? "null" : sti_json_is_true(value) ? "true" : "false");
}

sti_status sti_json_fail(const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                         const char* format, ...) {
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

sti_status sti_json_read_number(const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                                double* out, bool* is_double) {
    *is_double = true;
    if (sti_json_is_number(value)) {
        *out = value->number;
        return isfinite(*out) ? STI_OK : sti_json_fail(tree, place, value, "too large, a finite number is expected");
    }
    sti_status status = sti_json_read_exact(tree, place, value, tree->scratch, 0);
    if (status != STI_OK) return status;
    *out = sti_rationals_double(tree->scratch, 0);
    if (isnan(*out)) return STI_ERR_MEMORY;
    *is_double = sti_rationals_is_double(tree->scratch, 0);
    if (!isfinite(*out)) return sti_json_fail(tree, place, value, "too large, not near any double");
    if (*out == 0 && sti_rationals_sign(tree->scratch, 0) != 0)
        return sti_json_fail(tree, place, value, "not zero, and too small to be near any other double");
    return STI_OK;
}

// Exact answers can have integers of many thousand digits: [-]digits or [-]digits/digits, longer than the rooms of
// exact arithmetic take as text. STI_ERR_INPUT: it is neither.
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

sti_status sti_json_read_exact(const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                               sti_rationals* r, size_t i) {
    if (sti_json_is_number(value) && !tree->by_digits) return sti_rationals_set_double(r, i, value->number);
    if (!sti_json_is_string(value) && !sti_json_is_number(value))
        return sti_json_fail(tree, place, value, "a number, or a fraction in quotes like \"2/3\", is expected");
    const size_t length = strlen(value->text);
    if (length > LONGEST_TEXT) return sti_json_fail(tree, place, value, "more than %d characters", LONGEST_TEXT);
    const sti_status status =
        length > SHORT_TEXT ? read_long_text(r, i, value->text) : sti_rationals_set_text(r, i, value->text);
    if (status == STI_ERR_INPUT)
        return sti_json_fail(tree, place, value,
                             "not a number, nor a fraction like \"2/3\" with a denominator other than 0");
    return status;
}

sti_status sti_json_read_integer(const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                                 int64_t least, int64_t most, int64_t* out) {
    const double x = sti_json_is_number(value) ? value->number : NAN;
    if (!(x >= (double)least && x <= (double)most && x == floor(x)))
        return sti_json_fail(tree, place, value, "a whole number from %lld to %lld is expected", (long long)least,
                             (long long)most);
    *out = (int64_t)x;
    return STI_OK;
}
