// xml.h: XML text as a tree of elements with their attributes and lines. Text is kept of elements without others in
// them, on request.
#ifndef STI_FORMATS_XML_H
#define STI_FORMATS_XML_H

#include "base/env.h"

typedef struct sti_xml_attribute {
    const char* name;
    char* value;
} sti_xml_attribute;

typedef struct sti_xml_node {
    const char* name;
    int line;
    int attribute_count;
    sti_xml_attribute* attribute;  // (attribute_count)
    char* text;                    // NULL: not kept
    struct sti_xml_node* up;
    struct sti_xml_node* child;
    struct sti_xml_node* last;  // child
    struct sti_xml_node* next;
    struct sti_xml_node* made;  // the element that was made before this one, anywhere
} sti_xml_node;

typedef struct sti_xml {
    sti_env* env;
    sti_xml_node* root;
    sti_xml_node* made;  // the latest
} sti_xml;

// name stands for the file in messages. A document type with declarations of its own is refused: entities that unfold
// into more than the file is long have no use here. At most 64 levels.
sti_status sti_xml_create(sti_env* env, const char* text, size_t size, const char* name, sti_xml* out);
sti_status sti_xml_create_with_text(sti_env* env, const char* text, size_t size, const char* name, sti_xml* out);
void sti_xml_clear(sti_xml* xml);

// What of a text was mended.
enum {
    STI_XML_LEAD = 1,
    STI_XML_TRAIL = 2,
    STI_XML_ENCODING = 4,
    STI_XML_COMMENT = 8,
    STI_XML_AMPERSAND = 16,
    STI_XML_BYTES = 32,
    STI_XML_DECLARATION = 64
};

// Text that is nearly XML, made into XML (xml_loose.c): *out ends with a 0, free with sti_free. NULL: nothing to mend.
sti_status sti_xml_loosen(sti_env* env, const char* text, size_t size, char** out, unsigned* mended);

// Another value of an attribute of a node of this tree.
sti_status sti_xml_set(sti_xml* xml, sti_xml_node* node, int attribute, const char* value);

const char* sti_xml_get(const sti_xml_node* node, const char* attribute);             // NULL: not there
const sti_xml_node* sti_xml_find(const sti_xml_node* node, const char* name);         // first child of that name
const sti_xml_node* sti_xml_find_after(const sti_xml_node* child, const char* name);  // the next one beside it

#endif
