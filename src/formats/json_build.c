// json_build.c: the tree of a JSON text that json_scan.c has found to be right.
//
// One block of memory for all values, counted by the scan, and one for a copy of the text. Strings are decoded where
// they stand, which never lengthens them, and every string and number gets its 0 in the place of what follows it.
// Recursion ends at the 64 levels that the scan lets pass.
#include <string.h>

#include "formats/file.h"
#include "formats/json_tree.h"

typedef struct builder {
    char* at;
    char* cut;  // end of the last number, whose 0 is written as soon as what stands there was read; NULL: none
    sti_json_value* free;
} builder;

static void go(builder* b, size_t count) {
    b->at += count;
    if (b->cut == NULL || b->at <= b->cut) return;
    *b->cut = '\0';
    b->cut = NULL;
}

static void skip_space(builder* b) {
    go(b, strspn(b->at, " \t\r\n"));
}

static unsigned hex4(const char* p) {
    unsigned value = 0;
    for (int k = 0; k < 4; k++) {
        const unsigned c = (unsigned char)p[k];
        value = value << 4 | (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

static char* put_utf8(char* to, unsigned code) {
    int shift = code < 0x80 ? 0 : code < 0x800 ? 6 : code < 0x10000 ? 12 : 18;  // bits behind those of the first byte
    const unsigned lead = shift == 0 ? 0 : shift == 6 ? 0xc0 : shift == 12 ? 0xe0 : 0xf0;
    *to++ = (char)(lead | code >> shift);
    while (shift > 0) {
        shift -= 6;
        *to++ = (char)(0x80 | (code >> shift & 0x3f));
    }
    return to;
}

// The character that a backslash at *from means; *from is moved behind it.
static char* put_escape(char* to, const char** from) {
    static const char names[] = "bfnrt", means[] = "\b\f\n\r\t";
    const char c = (*from)[1];
    *from += 2;
    if (c != 'u') {
        const char* name = strchr(names, c);
        *to++ = name != NULL ? means[name - names] : c;
        return to;
    }
    unsigned code = hex4(*from);
    *from += 4;
    if (code >= 0xd800 && code <= 0xdbff) {
        code = 0x10000 + ((code - 0xd800) << 10) + (hex4(*from + 2) - 0xdc00);
        *from += 6;
    }
    return put_utf8(to, code);
}

static const char* take_string(builder* b) {
    char *first = b->at + 1, *to = first;
    const char* from = first;
    while (*from != '"') {
        if (*from == '\\')
            to = put_escape(to, &from);
        else
            *to++ = *from++;
    }
    go(b, (size_t)(from + 1 - b->at));
    *to = '\0';
    return first;
}

static void take_number(builder* b, sti_json_value* v) {
    const char* end;
    v->type = STI_JSON_NUMBER;
    v->text = b->at;
    v->number = sti_text_double(b->at, &end);
    b->cut = b->at + strspn(b->at, "+-.0123456789eE");
    b->at = b->cut;
}

static void take_word(builder* b, sti_json_value* v) {
    v->type = *b->at == 't' ? STI_JSON_TRUE : *b->at == 'f' ? STI_JSON_FALSE : STI_JSON_NULL;
    go(b, v->type == STI_JSON_FALSE ? 5 : 4);
}

static sti_json_value* take_value(builder* b);

static void take_children(builder* b, sti_json_value* v) {
    const char close = *b->at == '{' ? '}' : ']';
    const sti_json_value** link = &v->child;
    v->type = close == '}' ? STI_JSON_OBJECT : STI_JSON_ARRAY;
    go(b, 1);
    for (skip_space(b); *b->at != close; skip_space(b)) {
        const char* key = NULL;
        if (v->type == STI_JSON_OBJECT) {
            key = take_string(b);
            skip_space(b);
            go(b, 1);  // the colon
        }
        sti_json_value* child = take_value(b);
        child->key = key;
        *link = child;
        link = &child->next;
        v->count++;
        skip_space(b);
        if (*b->at != ',') continue;
        go(b, 1);
    }
    go(b, 1);
}

static sti_json_value* take_value(builder* b) {
    skip_space(b);
    sti_json_value* v = b->free++;
    *v = (sti_json_value){0};
    if (*b->at == '{' || *b->at == '[') {
        take_children(b, v);
    } else if (*b->at == '"') {
        v->type = STI_JSON_STRING;
        v->text = take_string(b);
    } else if (*b->at == '-' || (*b->at >= '0' && *b->at <= '9')) {
        take_number(b, v);
    } else {
        take_word(b, v);
    }
    return v;
}

const sti_json_value* sti_json_build(char* text, sti_json_value* room) {
    builder b = {.at = text, .free = room};
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) b.at += 3;
    return take_value(&b);
}
