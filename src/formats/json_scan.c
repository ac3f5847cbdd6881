// json_scan.c: the grammar of JSON (RFC 8259), checked before any tree is built.
//
// What is wrong is said here, with line and column, without recursion and without memory. json_build.c then has nothing
// to refuse.
//
// Added to JSON: // and /* */ comments between tokens (turned into blanks, so that positions stay), a byte order
// mark, and bytes above 127 in strings whether they are UTF-8 or not.
#include "formats/json_scan.h"

#include <string.h>

#include "formats/file.h"

typedef struct scan {
    sti_env* env;
    const char* name;
    char* text;
    size_t size;
    size_t at;
    size_t values;  // so far
    int depth;
    char open[STI_JSON_LEVELS];  // '{' or '[' of each level
} scan;

// "file: line 3, column 7: ...", for the byte at `at`.
static sti_status fail(const scan* s, size_t at, const char* what) {
    size_t line = 1, start = 0;
    for (size_t i = 0; i < at && i < s->size; i++) {
        if (s->text[i] == '\n') {
            line++;
            start = i + 1;
        }
    }
    return sti_file_fail(s->env, STI_ERR_INPUT, s->name, "line %zu, column %zu: %s", line, at - start + 1, what);
}

static char peek(const scan* s) {
    return s->at < s->size ? s->text[s->at] : '\0';
}

static void blank(scan* s, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        if (s->text[i] != '\n') s->text[i] = ' ';
    }
}

static sti_status skip_comment(scan* s) {
    const size_t from = s->at;
    const char kind = s->at + 1 < s->size ? s->text[s->at + 1] : '\0';
    if (kind == '/') {
        const char* end = memchr(s->text + from, '\n', s->size - from);
        s->at = end != NULL ? (size_t)(end - s->text) : s->size;
    } else if (kind == '*') {
        size_t i = from + 2;
        while (i + 1 < s->size && !(s->text[i] == '*' && s->text[i + 1] == '/')) i++;
        if (i + 1 >= s->size) return fail(s, from, "this comment has no end");
        s->at = i + 2;
    } else {
        return fail(s, from, "'/' where a value is expected; comments are // or /* */");
    }
    blank(s, from, s->at);
    return STI_OK;
}

static sti_status skip_space(scan* s) {
    for (;;) {
        const char c = peek(s);
        if (c == '/') {
            const sti_status status = skip_comment(s);
            if (status != STI_OK) return status;
        } else if (s->at < s->size && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
            s->at++;
        } else {
            return STI_OK;
        }
    }
}

// Four hexadecimal digits at `at`; -1: there are none.
static int hex4(const scan* s, size_t at) {
    int value = 0;
    if (at + 4 > s->size) return -1;
    for (size_t i = at; i < at + 4; i++) {
        const char c = s->text[i];
        if (c >= '0' && c <= '9')
            value = value << 4 | (c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value << 4 | (c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            value = value << 4 | (c - 'A' + 10);
        else
            return -1;
    }
    return value;
}

// What follows a backslash at s->at.
static sti_status scan_escape(scan* s) {
    const size_t from = s->at;
    const char c = s->at + 1 < s->size ? s->text[s->at + 1] : '\0';
    if (c != '\0' && strchr("\"\\/bfnrt", c) != NULL) {
        s->at += 2;
        return STI_OK;
    }
    const int first = c == 'u' ? hex4(s, from + 2) : -1;
    if (first < 0) return fail(s, from, "no such escape in a string");
    if (first == 0) return fail(s, from, "the character 0 is not allowed in a string");
    s->at += 6;
    if (first < 0xD800 || first > 0xDFFF) return STI_OK;
    const bool pair = s->at + 2 <= s->size && s->text[s->at] == '\\' && s->text[s->at + 1] == 'u';
    const int second = pair && first < 0xDC00 ? hex4(s, s->at + 2) : -1;
    if (second < 0xDC00 || second > 0xDFFF) return fail(s, from, "half of a surrogate pair in a string");
    s->at += 6;
    return STI_OK;
}

static sti_status scan_string(scan* s) {
    const size_t from = s->at++;
    while (s->at < s->size) {
        const unsigned char c = (unsigned char)s->text[s->at];
        if (c == '"') {
            s->at++;
            return STI_OK;
        }
        if (c < 0x20) return fail(s, s->at, "a line break or control character inside a string");
        if (c == '\\') {
            const sti_status status = scan_escape(s);
            if (status != STI_OK) return status;
        } else {
            s->at++;
        }
    }
    return fail(s, from, "this string has no end");
}

static size_t skip_digits(scan* s) {
    const size_t from = s->at;
    while (peek(s) >= '0' && peek(s) <= '9') s->at++;
    return s->at - from;
}

static sti_status scan_number(scan* s) {
    const size_t from = s->at;
    if (peek(s) == '-') s->at++;
    const char first = peek(s);
    const size_t digits = skip_digits(s);
    if (digits == 0) return fail(s, from, "'-' without digits; only finite numbers are allowed");
    if (first == '0' && digits > 1) return fail(s, from, "a number does not start with 0 and another digit");
    if (peek(s) == '.') {
        s->at++;
        if (skip_digits(s) == 0) return fail(s, from, "a decimal point without digits after it");
    }
    if (peek(s) == 'e' || peek(s) == 'E') {
        s->at++;
        if (peek(s) == '+' || peek(s) == '-') s->at++;
        if (skip_digits(s) == 0) return fail(s, from, "an exponent without digits");
    }
    if (s->at - from > STI_JSON_NUMBER_LENGTH)
        return fail(s, from, "a number of more than 63 characters; in quotes it may be longer and stays exact");
    return STI_OK;
}

static sti_status scan_word(scan* s) {
    static const char* const words[] = {"true", "false", "null"};
    for (int k = 0; k < 3; k++) {
        const size_t length = strlen(words[k]);
        if (s->size - s->at >= length && memcmp(s->text + s->at, words[k], length) == 0) {
            s->at += length;
            return STI_OK;
        }
    }
    const char c = peek(s);
    if (s->at >= s->size) return fail(s, s->at, "the text ends where a value is expected");
    if (c == 'N' || c == 'n' || c == 'I' || c == 'i')
        return fail(s, s->at, "this word is not a value; only finite numbers are allowed");
    if (c == ']' || c == '}') return fail(s, s->at, "a closing bracket where a value is expected (a comma too many?)");
    if (c == ',') return fail(s, s->at, "a comma where a value is expected");
    if ((unsigned char)c < 0x20 || (unsigned char)c > 0x7e) return fail(s, s->at, "not JSON text (a binary file?)");
    return fail(s, s->at, "a value is expected here");
}

// A key and its colon; or the end of an empty object.
static sti_status scan_key(scan* s) {
    if (peek(s) != '"') {
        if (s->at >= s->size) return fail(s, s->at, "the text ends inside an object");
        if (peek(s) == '}') return fail(s, s->at, "a comma before a closing bracket");
        return fail(s, s->at, "a name in double quotes is expected here");
    }
    sti_status status = scan_string(s);
    if (status == STI_OK) status = skip_space(s);
    if (status == STI_OK && peek(s) != ':') status = fail(s, s->at, "a colon is expected after a name");
    if (status == STI_OK) {
        s->at++;
        status = skip_space(s);
    }
    return status;
}

// One value, or the opening of a list or object whose first value comes next (*opened).
static sti_status scan_value(scan* s, bool* opened) {
    const char c = peek(s);
    *opened = false;
    s->values++;
    if (c == '"') return scan_string(s);
    if (c == '-' || (c >= '0' && c <= '9')) return scan_number(s);
    if (c != '{' && c != '[') return scan_word(s);
    if (s->depth == STI_JSON_LEVELS) return fail(s, s->at, "more than 64 levels of brackets");
    s->open[s->depth++] = c;
    s->at++;
    const sti_status status = skip_space(s);
    if (status != STI_OK) return status;
    if (peek(s) == (c == '{' ? '}' : ']')) {
        s->depth--;
        s->at++;
        return STI_OK;
    }
    *opened = true;
    return c == '{' ? scan_key(s) : STI_OK;
}

// After a value: closing brackets, then a comma and what leads to the next value, or the end (*done).
static sti_status scan_after(scan* s, bool* done) {
    for (;;) {
        const sti_status status = skip_space(s);
        if (status != STI_OK) return status;
        if (s->depth == 0) {
            *done = true;
            return STI_OK;
        }
        const bool object = s->open[s->depth - 1] == '{';
        const char c = peek(s);
        if (c == (object ? '}' : ']')) {
            s->depth--;
            s->at++;
            continue;
        }
        if (s->at >= s->size) return fail(s, s->at, "the text ends inside a list or an object");
        if (c != ',') return fail(s, s->at, object ? "a comma or } is expected here" : "a comma or ] is expected here");
        s->at++;
        const sti_status skipped = skip_space(s);
        return skipped != STI_OK || !object ? skipped : scan_key(s);
    }
}

sti_status sti_json_scan(sti_env* env, char* text, size_t size, const char* name, size_t* count) {
    scan s = {.env = env, .name = name, .text = text, .size = size};
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) s.at = 3;
    sti_status status = skip_space(&s);
    if (status == STI_OK && s.at == size)
        return sti_file_fail(env, STI_ERR_INPUT, name, "empty, a JSON object is expected");
    bool done = false;
    while (status == STI_OK && !done) {
        bool opened;
        status = scan_value(&s, &opened);
        if (status == STI_OK && !opened) status = scan_after(&s, &done);
    }
    if (status == STI_OK && s.at < size) status = fail(&s, s.at, "text after the end of the JSON value");
    *count = s.values;
    return status;
}
