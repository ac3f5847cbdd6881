// xml.c: XML text as a tree, read by Expat.
//
// Expat takes its memory from functions without a user pointer. The environment it works for stands in a variable of
// the thread while it works, and nowhere else; an environment belongs to one thread at a time, and Expat calls nobody
// who would read another document meanwhile.
#include "formats/xml.h"

#include <expat.h>
#include <limits.h>
#include <string.h>

#include "formats/file.h"

enum { MOST_LEVELS = 64 };

typedef struct reader {
    sti_xml* xml;
    XML_Parser parser;
    const char* name;
    sti_xml_node* open;  // the element we are in; NULL: outside of the root
    int level;
    bool keep;   // text
    char* held;  // text of the element we are in, since its beginning    (held_count)
    size_t held_count, held_room;
    sti_status status;
} reader;

static _Thread_local sti_env* memory;

static void* take(size_t size) {
    return sti_alloc(memory, size);
}

static void* take_again(void* p, size_t size) {
    return sti_realloc(memory, p, size);
}

static void give_back(void* p) {
    sti_free(memory, p);
}

static int line_of(XML_Parser parser) {
    const XML_Size line = XML_GetCurrentLineNumber(parser);
    return line > INT_MAX ? INT_MAX : (int)line;
}

static void stop(reader* r, sti_status status) {
    if (r->status == STI_OK) r->status = status;
    XML_StopParser(r->parser, XML_FALSE);
}

// One block for the element, its attributes and all their text.
static sti_xml_node* make_node(sti_env* env, const char* name, const char** pairs) {
    int count = 0;
    size_t text = strlen(name) + 1;
    for (; pairs[2 * (size_t)count] != NULL; count++)
        text += strlen(pairs[2 * (size_t)count]) + strlen(pairs[2 * (size_t)count + 1]) + 2;
    const size_t head = sizeof(sti_xml_node) + (size_t)count * sizeof(sti_xml_attribute);
    sti_xml_node* node = sti_alloc(env, sti_size_add(head, text));
    if (node == NULL) return NULL;
    *node = (sti_xml_node){.attribute_count = count, .attribute = (sti_xml_attribute*)(node + 1)};
    char* at = (char*)node + head;
    const size_t length = strlen(name) + 1;
    node->name = memcpy(at, name, length);
    at += length;
    for (int k = 0; k < count; k++) {
        const size_t a = strlen(pairs[2 * (size_t)k]) + 1, b = strlen(pairs[2 * (size_t)k + 1]) + 1;
        node->attribute[k].name = memcpy(at, pairs[2 * (size_t)k], a);
        node->attribute[k].value = memcpy(at + a, pairs[2 * (size_t)k + 1], b);
        at += a + b;
    }
    return node;
}

static void XMLCALL on_start(void* user, const XML_Char* name, const XML_Char** pairs) {
    reader* r = user;
    sti_xml* xml = r->xml;
    if (r->status != STI_OK) return;
    const int line = line_of(r->parser);
    if (++r->level > MOST_LEVELS) {
        stop(r, sti_file_fail(xml->env, STI_ERR_INPUT, r->name, "line %d: <%.40s>: more than %d levels of elements",
                              line, name, MOST_LEVELS));
        return;
    }
    sti_xml_node* node = make_node(xml->env, name, pairs);
    if (node == NULL) {
        stop(r, STI_ERR_MEMORY);
        return;
    }
    node->line = line;
    node->up = r->open;
    node->made = xml->made;
    xml->made = node;
    if (node->up == NULL)
        xml->root = node;
    else if (node->up->child == NULL)
        node->up->child = node->up->last = node;
    else
        node->up->last = node->up->last->next = node;
    r->open = node;
    r->held_count = 0;
}

static void XMLCALL on_text(void* user, const XML_Char* text, int length) {
    reader* r = user;
    const size_t need = sti_size_add(r->held_count, (size_t)length);
    if (r->status != STI_OK || r->open == NULL || r->open->child != NULL) return;
    if (need > r->held_room) {
        const size_t room = sti_size_add(sti_size_mul(2, need), 64);
        char* longer = sti_realloc(r->xml->env, r->held, room);
        if (longer == NULL) {
            stop(r, STI_ERR_MEMORY);
            return;
        }
        r->held = longer;
        r->held_room = room;
    }
    memcpy(r->held + r->held_count, text, (size_t)length);
    r->held_count = need;
}

static void keep_text(reader* r) {
    if (!r->keep || r->open->child != NULL || r->held_count == 0) return;
    r->open->text = sti_alloc(r->xml->env, sti_size_add(r->held_count, 1));
    if (r->open->text == NULL) {
        stop(r, STI_ERR_MEMORY);
        return;
    }
    memcpy(r->open->text, r->held, r->held_count);
    r->open->text[r->held_count] = '\0';
    r->held_count = 0;
}

static void XMLCALL on_end(void* user, const XML_Char* name) {
    reader* r = user;
    (void)name;
    if (r->status != STI_OK || r->open == NULL) return;
    keep_text(r);
    r->open = r->open->up;
    r->level--;
}

static void XMLCALL on_doctype(void* user, const XML_Char* name, const XML_Char* system, const XML_Char* public,
                               int has_declarations) {
    reader* r = user;
    (void)name, (void)system, (void)public;
    if (has_declarations != 0)
        stop(r, sti_file_fail(r->xml->env, STI_ERR_INPUT, r->name,
                              "line %d: <!DOCTYPE>: declarations of entities and the like are not accepted",
                              line_of(r->parser)));
}

static sti_status read(reader* r, const char* text, size_t size) {
    sti_env* env = r->xml->env;
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);
    if (r->keep) XML_SetCharacterDataHandler(r->parser, on_text);
    if (XML_Parse(r->parser, text, (int)size, XML_TRUE) == XML_STATUS_OK || r->status != STI_OK) return r->status;
    const enum XML_Error error = XML_GetErrorCode(r->parser);
    if (error == XML_ERROR_NO_MEMORY) return STI_FAIL(env, STI_ERR_MEMORY, -1, "XML of %.200s", r->name);
    return sti_file_fail(env, STI_ERR_INPUT, r->name, "line %d, column %d: not valid XML: %s", line_of(r->parser),
                         (int)(XML_GetCurrentColumnNumber(r->parser) % INT_MAX) + 1, XML_ErrorString(error));
}

static sti_status create(sti_env* env, const char* text, size_t size, const char* name, bool keep, sti_xml* out) {
    const XML_Memory_Handling_Suite suite = {take, take_again, give_back};
    *out = (sti_xml){.env = env};
    if (size > INT_MAX / 2) return sti_file_fail(env, STI_ERR_INPUT, name, "%zu bytes of XML are too many", size);
    sti_env* const before = memory;
    memory = env;
    reader r = {.xml = out, .name = name, .keep = keep, .parser = XML_ParserCreate_MM(NULL, &suite, NULL)};
    if (r.parser == NULL)
        r.status = STI_ERR_MEMORY;
    else
        r.status = read(&r, text, size);
    if (r.parser != NULL) XML_ParserFree(r.parser);
    memory = before;
    sti_free(env, r.held);
    if (r.status != STI_OK) sti_xml_clear(out);
    return r.status;
}

sti_status sti_xml_create(sti_env* env, const char* text, size_t size, const char* name, sti_xml* out) {
    return create(env, text, size, name, false, out);
}

sti_status sti_xml_create_with_text(sti_env* env, const char* text, size_t size, const char* name, sti_xml* out) {
    return create(env, text, size, name, true, out);
}

void sti_xml_clear(sti_xml* xml) {
    for (sti_xml_node* node = xml->made; node != NULL;) {
        sti_xml_node* before = node->made;
        sti_free(xml->env, node->text);
        sti_free(xml->env, node);
        node = before;
    }
    *xml = (sti_xml){.env = xml->env};
}

// A node without a place in the tree keeps the text.
sti_status sti_xml_set(sti_xml* xml, sti_xml_node* node, int attribute, const char* value) {
    const char* none[] = {NULL};
    sti_xml_node* keeper = make_node(xml->env, value, none);
    if (keeper == NULL) return STI_ERR_MEMORY;
    keeper->made = xml->made;
    xml->made = keeper;
    node->attribute[attribute].value = (char*)(keeper + 1);
    return STI_OK;
}

const char* sti_xml_get(const sti_xml_node* node, const char* attribute) {
    for (int k = 0; k < node->attribute_count; k++) {
        if (strcmp(node->attribute[k].name, attribute) == 0) return node->attribute[k].value;
    }
    return NULL;
}

static const sti_xml_node* first_named(const sti_xml_node* node, const char* name) {
    while (node != NULL && strcmp(node->name, name) != 0) node = node->next;
    return node;
}

const sti_xml_node* sti_xml_find(const sti_xml_node* node, const char* name) {
    return first_named(node->child, name);
}

const sti_xml_node* sti_xml_find_after(const sti_xml_node* child, const char* name) {
    return first_named(child->next, name);
}
