// json.c: one JSON object, built in memory and printed whole, so that a failure half way prints nothing.
//
// The library writes its files by a writer of its own, src/formats/json_write.c. That one is not public: a library of
// mechanics has no business exporting a writer of JSON, and the command uses nothing that is not public.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static void put(cli_json* j, const char* text, size_t size) {
    if (j->broken) return;
    if (size > j->capacity - j->size) {
        size_t capacity = j->capacity < 1024 ? 1024 : j->capacity;
        while (capacity - j->size < size && capacity <= SIZE_MAX / 2) capacity *= 2;
        char* bigger = capacity - j->size < size ? NULL : realloc(j->text, capacity);
        if (bigger == NULL) {
            j->broken = true;
            return;
        }
        j->text = bigger;
        j->capacity = capacity;
    }
    memcpy(j->text + j->size, text, size);
    j->size += size;
}

static void put_text(cli_json* j, const char* text) {
    put(j, text, strlen(text));
}

// Bytes of the UTF-8 character at text; 0: it is none.
static int utf8_length(const char* text) {
    const unsigned char* s = (const unsigned char*)text;
    if (s[0] < 0x80) return 1;
    // the range of the second byte keeps out long forms, surrogates and what lies beyond the last plane
    const unsigned char low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
    int length = 0;
    if (s[0] >= 0xc2 && s[0] <= 0xdf)
        length = 2;
    else if ((s[0] & 0xf0) == 0xe0)
        length = 3;
    else if (s[0] >= 0xf0 && s[0] <= 0xf4)
        length = 4;
    if (length == 0 || s[1] < low || s[1] > high) return 0;
    for (int k = 2; k < length; k++) {
        if ((s[k] & 0xc0) != 0x80) return 0;
    }
    return length;
}

// A quoted string. Names come from file systems, and may hold anything: what is not UTF-8 becomes the replacement
// character.
static void put_quoted(cli_json* j, const char* text) {
    put(j, "\"", 1);
    for (const char* p = text; *p != '\0';) {
        const unsigned char c = (unsigned char)*p;
        const int length = utf8_length(p);
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
static void put_lead(cli_json* j, const char* key) {
    if (j->started[j->depth]) put(j, ", ", 2);
    j->started[j->depth] = true;
    if (key == NULL) return;
    put_quoted(j, key);
    put(j, ": ", 2);
}

static void open_level(cli_json* j, char open, char close) {
    put(j, &open, 1);
    if (j->depth + 1 >= CLI_JSON_DEPTH) {
        j->broken = true;
        return;
    }
    j->depth++;
    j->started[j->depth] = false;
    j->close[j->depth] = close;
}

void cli_json_begin(cli_json* j) {
    *j = (cli_json){0};
    open_level(j, '{', '}');
}

void cli_json_object(cli_json* j, const char* key) {
    put_lead(j, key);
    open_level(j, '{', '}');
}

void cli_json_array(cli_json* j, const char* key) {
    put_lead(j, key);
    open_level(j, '[', ']');
}

void cli_json_end(cli_json* j) {
    if (j->depth == 0) return;
    put(j, &j->close[j->depth], 1);
    j->depth--;
}

void cli_json_number(cli_json* j, const char* key, double value) {
    char text[40] = "null";
    put_lead(j, key);
    if (isfinite(value)) snprintf(text, sizeof text, "%.17g", value);
    put_text(j, text);
}

void cli_json_integer(cli_json* j, const char* key, long long value) {
    char text[32];
    put_lead(j, key);
    snprintf(text, sizeof text, "%lld", value);
    put_text(j, text);
}

void cli_json_count(cli_json* j, const char* key, long long value) {
    if (value < 0)
        cli_json_null(j, key);
    else
        cli_json_integer(j, key, value);
}

void cli_json_text(cli_json* j, const char* key, const char* text) {
    put_lead(j, key);
    if (text == NULL)
        put_text(j, "null");
    else
        put_quoted(j, text);
}

void cli_json_bool(cli_json* j, const char* key, bool value) {
    put_lead(j, key);
    put_text(j, value ? "true" : "false");
}

void cli_json_verdict(cli_json* j, const char* key, sti_verdict verdict) {
    put_lead(j, key);
    put_text(j, verdict == STI_YES ? "true" : verdict == STI_NO ? "false" : "null");
}

void cli_json_null(cli_json* j, const char* key) {
    put_lead(j, key);
    put_text(j, "null");
}

void cli_json_numbers(cli_json* j, const char* key, const double* x, size_t count) {
    if (x == NULL) {
        cli_json_null(j, key);
        return;
    }
    cli_json_array(j, key);
    for (size_t i = 0; i < count; i++) cli_json_number(j, NULL, x[i]);
    cli_json_end(j);
}

void cli_json_indices(cli_json* j, const char* key, const int* x, size_t count) {
    if (x == NULL) {
        cli_json_null(j, key);
        return;
    }
    cli_json_array(j, key);
    for (size_t i = 0; i < count; i++) cli_json_integer(j, NULL, x[i]);
    cli_json_end(j);
}

void cli_json_set(cli_json* j, const char* key, const unsigned char* in, int count) {
    if (in == NULL) {
        cli_json_null(j, key);
        return;
    }
    cli_json_array(j, key);
    for (int i = 0; i < count; i++) {
        if (in[i]) cli_json_integer(j, NULL, i);
    }
    cli_json_end(j);
}

void cli_json_rational(cli_json* j, const cli* c, const char* key, const sti_rationals* r, size_t i) {
    char* text = NULL;
    if (r != NULL && sti_rationals_text(r, i, &text) != STI_OK) {
        j->broken = true;
        return;
    }
    cli_json_text(j, key, text);
    sti_env_free(c->env, text);
}

void cli_json_rationals(cli_json* j, const cli* c, const char* key, const sti_rationals* r, size_t first,
                        size_t count) {
    if (r == NULL) {
        cli_json_null(j, key);
        return;
    }
    cli_json_array(j, key);
    for (size_t i = 0; i < count; i++) cli_json_rational(j, c, NULL, r, first + i);
    cli_json_end(j);
}

void cli_json_raw(cli_json* j, const char* key, const char* json) {
    put_lead(j, key);
    put_text(j, json);
}

static bool printed;

bool cli_json_printed(void) {
    return printed;
}

int cli_json_print(cli_json* j, const cli* c, int code) {
    while (j->depth > 0) cli_json_end(j);
    put(j, "\n", 1);
    const bool broken = j->broken;
    if (!broken) fwrite(j->text, 1, j->size, stdout);  // a failed write is noticed when main flushes
    printed = printed || !broken;
    cli_json_drop(j);
    return broken ? cli_fail_memory(c) : code;
}

const char* cli_json_close(cli_json* j, size_t* size) {
    while (j->depth > 0) cli_json_end(j);
    put(j, "\n", 2);  // and its end
    *size = j->size > 0 ? j->size - 1 : 0;
    return j->broken ? NULL : j->text;
}

void cli_json_drop(cli_json* j) {
    free(j->text);
    *j = (cli_json){0};
}
