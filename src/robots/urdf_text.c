// urdf_text.c: URDF: text that is no XML yet, and substitution that xacro or a launch file would have done.
//
//     $(optenv NAME default)     its default
//     $(arg NAME)                the default of <xacro:arg name="NAME" default=".."/>
//
// The library reads no environment. What has no default is left as it stands: a number cannot be read from it then.
#include <stdio.h>
#include <string.h>

#include "formats/file.h"
#include "robots/urdf.h"

// What a mended text is remarked with, in the order of its bits.
static const char* const faults[] = {
    "text or a comment before the XML declaration is passed over",
    "text after the end of the robot is passed over",
    "an encoding that XML does not know is taken for UTF-8",
    "comments with \"--\" in them, which XML forbids, are passed over",
    "an & that begins no entity of XML is taken as it stands",
    "bytes that are not UTF-8 are taken for question marks",
    "an XML declaration that is none is passed over",
};

sti_status sti_urdf_clean(sti_urdf_model* m, const char* text, size_t size, char** out) {
    const sti_xml_node top = {.name = "robot", .line = 1};
    unsigned mended = 0;
    *out = NULL;
    if (m->options->strict) return STI_OK;
    sti_status status = sti_xml_loosen(m->env, text, size, out, &mended);
    for (size_t k = 0; status == STI_OK && k < sizeof faults / sizeof faults[0]; k++) {
        if ((mended >> k & 1u) != 0) status = sti_urdf_mend(m, &top, NULL, "", faults[k]);
    }
    return status;
}

// ---- substitution

typedef struct piece {
    const char* at;
    size_t length;
} piece;

// The first "$(WORD NAME rest)" of a text, nothing nested in it; *name and *rest: without blanks around them.
static const char* find_call(const char* text, const char* word, piece* name, piece* rest, const char** end) {
    const size_t length = strlen(word);
    for (const char* at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        *end = strpbrk(at + length, "()");
        if (*end == NULL || **end == '(') continue;
        const char* from = at + length + strspn(at + length, " \t");
        *name = (piece){from, strcspn(from, " \t)")};
        from += name->length + strspn(from + name->length, " \t");
        *rest = (piece){from, (size_t)(*end - from)};
        (*end)++;
        return at;
    }
    return NULL;
}

// The default of an argument of xacro; NULL: it has none.
static const char* default_of(const sti_urdf_model* m, const piece* name) {
    for (const sti_xml_node* node = m->xml.made; node != NULL; node = node->made) {
        const char* own = strcmp(node->name, "xacro:arg") == 0 ? sti_xml_get(node, "name") : NULL;
        if (own != NULL && strlen(own) == name->length && strncmp(own, name->at, name->length) == 0)
            return sti_xml_get(node, "default");
    }
    return NULL;
}

// One call in a value less. *done: there is none that has a default, or what comes of it is too long to be meant.
static sti_status take_default(sti_urdf_model* m, sti_xml_node* node, int attribute, bool* done) {
    enum { MOST_LENGTH = 4096 };
    const char* value = node->attribute[attribute].value;
    piece name, rest;
    const char *end, *at = find_call(value, "$(optenv ", &name, &rest, &end);
    if (at == NULL) {
        at = find_call(value, "$(arg ", &name, &rest, &end);
        const char* given = at != NULL ? default_of(m, &name) : NULL;
        rest = given != NULL ? (piece){given, strlen(given)} : (piece){NULL, 0};
        if (given == NULL) at = NULL;
    }
    const size_t size = at != NULL ? strlen(value) + rest.length + 1 : 0;
    *done = at == NULL || size > MOST_LENGTH;
    if (*done) return STI_OK;
    char text[MOST_LENGTH];
    snprintf(text, size, "%.*s%.*s%s", (int)(at - value), value, (int)rest.length, rest.at, end);
    return sti_xml_set(&m->xml, node, attribute, text);
}

// left: how many calls may be taken yet.
static sti_status substitute(sti_urdf_model* m, sti_xml_node* node, int* left) {
    sti_status status = STI_OK;
    bool taken = false;
    for (int k = 0; k < node->attribute_count; k++) {
        bool done = strstr(node->attribute[k].value, "$(") == NULL;
        while (status == STI_OK && !done && *left > 0) {
            status = take_default(m, node, k, &done);
            taken = taken || !done;
            --*left;
        }
    }
    if (!taken || status != STI_OK) return status;
    return sti_urdf_mend(m, node, NULL, "",
                         "$(optenv NAME ..) or $(arg NAME): its default; the environment is not read");
}

sti_status sti_urdf_substitute(sti_urdf_model* m) {
    enum { MOST_CALLS = 10000 };  // in a file: defaults may name each other
    sti_status status = STI_OK;
    int left = MOST_CALLS;
    for (sti_xml_node* node = m->xml.made; status == STI_OK && node != NULL && !m->options->strict; node = node->made)
        status = substitute(m, node, &left);
    return status;
}
