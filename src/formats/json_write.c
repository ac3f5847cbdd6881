// json_write.c: JSON text, written value by value.
#include "formats/json_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "exact/rationals.h"
#include "formats/file.h"

static void put(sti_json* j, const char* text, size_t size) {
    if (j->status != STI_OK) return;
    if (j->capacity - j->size <= size) {
        const size_t capacity = sti_size_add(sti_size_mul(2, sti_size_add(j->capacity, size)), 256);
        char* bigger = sti_realloc(j->env, j->text, capacity);
        if (bigger == NULL) {
            j->status = STI_ERR_MEMORY;
            return;
        }
        j->text = bigger;
        j->capacity = capacity;
    }
    memcpy(j->text + j->size, text, size);
    j->size += size;
}

static void put_text(sti_json* j, const char* text) {
    put(j, text, strlen(text));
}

// A string; what is not UTF-8 becomes the replacement character.
static void put_quoted(sti_json* j, const char* text) {
    put(j, "\"", 1);
    for (const char* p = text; *p != '\0';) {
        const unsigned char c = (unsigned char)*p;
        const int length = sti_text_utf8(p);
        char escape[8] = "\\ufffd";
        if (c == '"' || c == '\\')
            snprintf(escape, sizeof escape, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            snprintf(escape, sizeof escape, "\\u%04x", c);
        else if (length > 0)
            escape[0] = '\0';
        if (escape[0] != '\0')
            put_text(j, escape);
        else
            put(j, p, (size_t)length);
        p += length > 1 ? length : 1;
    }
    put(j, "\"", 1);
}

// What stands before a value: the comma, and the key of an object's field.
static void put_lead(sti_json* j, const char* key) {
    if (j->started[j->depth]) put(j, ", ", 2);
    j->started[j->depth] = true;
    if (key == NULL) return;
    put_quoted(j, key);
    put(j, ": ", 2);
}

static void open_level(sti_json* j, char open, char close) {
    put(j, &open, 1);
    STI_ASSERT(j->depth + 1 < STI_JSON_DEPTH);
    j->depth++;
    j->started[j->depth] = false;
    j->close[j->depth] = close;
}

void sti_json_begin(sti_json* j, sti_env* env) {
    *j = (sti_json){.env = env};
    open_level(j, '{', '}');
}

void sti_json_object(sti_json* j, const char* key) {
    put_lead(j, key);
    open_level(j, '{', '}');
}

void sti_json_array(sti_json* j, const char* key) {
    put_lead(j, key);
    open_level(j, '[', ']');
}

void sti_json_end(sti_json* j) {
    put(j, &j->close[j->depth], 1);
    j->depth--;
}

void sti_json_break(sti_json* j) {
    if (j->started[j->depth]) put(j, ",", 1);
    j->started[j->depth] = false;
    put(j, "\n ", 2);
}

void sti_json_null(sti_json* j, const char* key) {
    put_lead(j, key);
    put_text(j, "null");
}

void sti_json_bool(sti_json* j, const char* key, bool value) {
    put_lead(j, key);
    put_text(j, value ? "true" : "false");
}

void sti_json_integer(sti_json* j, const char* key, int64_t value) {
    char text[32];
    put_lead(j, key);
    snprintf(text, sizeof text, "%lld", (long long)value);
    put_text(j, text);
}

void sti_json_double(sti_json* j, const char* key, double value) {
    if (!isfinite(value)) {
        sti_json_null(j, key);
        return;
    }
    char text[40];
    size_t to = 0;
    put_lead(j, key);
    snprintf(text, sizeof text, "%.17g", value);
    // the decimal point of the locale, whatever it is, becomes a point
    bool point = false;
    for (const char* from = text; *from != '\0'; from++) {
        if (strchr("+-0123456789e", *from) != NULL) {
            text[to++] = *from;
        } else if (!point) {
            text[to++] = '.';
            point = true;
        }
    }
    put(j, text, to);
}

void sti_json_digits(sti_json* j, const char* key, const char* digits) {
    put_lead(j, key);
    put_text(j, digits);
}

void sti_json_text(sti_json* j, const char* key, const char* text) {
    put_lead(j, key);
    put_quoted(j, text);
}

void sti_json_doubles(sti_json* j, const char* key, const double* x, size_t count) {
    if (x == NULL) {
        sti_json_null(j, key);
        return;
    }
    sti_json_array(j, key);
    for (size_t i = 0; i < count; i++) sti_json_double(j, NULL, x[i]);
    sti_json_end(j);
}

void sti_json_indices(sti_json* j, const char* key, const int* x, size_t count) {
    sti_json_array(j, key);
    for (size_t i = 0; i < count; i++) sti_json_integer(j, NULL, x[i]);
    sti_json_end(j);
}

void sti_json_fraction(sti_json* j, const char* key, const sti_rationals* r, size_t i) {
    char* text;
    if (j->status != STI_OK) return;
    j->status = sti_rationals_text(r, i, &text);
    if (j->status != STI_OK) return;
    sti_json_text(j, key, text);
    sti_free(r->x.env, text);  // the numbers may live in another environment than the text
}

void sti_json_fraction_short(sti_json* j, const char* key, const sti_rationals* r, size_t i) {
    if (sti_rationals_is_double(r, i))
        sti_json_double(j, key, sti_rationals_double(r, i));
    else
        sti_json_fraction(j, key, r, i);
}

sti_status sti_json_finish(sti_json* j, char** out, size_t* size) {
    sti_json_end(j);
    put(j, "", 1);
    if (j->status != STI_OK) {
        sti_free(j->env, j->text);
        *out = NULL;
        return j->status;
    }
    *out = j->text;
    if (size != NULL) *size = j->size - 1;
    return STI_OK;
}
