// urdf_text.c: URDF: text that is no XML yet, and substitution that xacro or a launch file would have done.
#include <string.h>

#include "formats/file.h"
#include "robots/urdf.h"

// Blanks in place of all that is not the end of a line.
static void blank(char* from, const char* to) {
    for (; from < to; from++) {
        if (*from != '\n') *from = ' ';
    }
}

// The first tag of an element; NULL: none. Comments and declarations are passed over.
static const char* first_element(const char* text) {
    for (const char* at = strchr(text, '<'); at != NULL; at = strchr(at, '<')) {
        const char* end = strncmp(at, "<!--", 4) == 0 ? "-->" : at[1] == '?' ? "?>" : at[1] == '!' ? ">" : NULL;
        if (end == NULL) return at;
        at = strstr(at, end);
        if (at == NULL) return NULL;
    }
    return NULL;
}

// XML allows nothing before its declaration, not even a blank, and no text before the first element. Both are blanked,
// the declaration too where something stands before it: UTF-8 is what is left then. True: something was.
static bool blank_lead(char* text) {
    char *mark = strchr(text, '<'), *declaration = strstr(text, "<?xml ");
    const char* first = first_element(text);
    char* begin = text + (strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    if (first == NULL) return false;
    const bool late = declaration != NULL && declaration < first && declaration > begin;
    const bool words = strspn(begin, " \t\r\n") < (size_t)(mark - begin);
    char* end = late ? strstr(declaration, "?>") : NULL;
    if (late || words) blank(begin, mark);
    if (end != NULL) blank(declaration, end + 2);
    return late || words;
}

sti_status sti_urdf_clean(sti_urdf_model* m, const char* text, size_t size, char** out) {
    const sti_xml_node top = {.name = "robot", .line = 1};
    *out = NULL;
    if (m->options->strict || memchr(text, '\0', size) != NULL) return STI_OK;
    char* copy = sti_alloc(m->env, sti_size_add(size, 1));  // text need not end with a 0
    if (copy == NULL) return STI_FAIL(m->env, STI_ERR_MEMORY, -1, "text of %.200s", m->file);
    memcpy(copy, text, size);
    copy[size] = '\0';
    const bool blanked = blank_lead(copy);
    const sti_status status =
        blanked ? sti_urdf_mend(m, &top, NULL, "", "text or a comment before the XML declaration is passed over")
                : STI_OK;
    if (blanked && status == STI_OK)
        *out = copy;
    else
        sti_free(m->env, copy);
    return status;
}

// $(optenv NAME default words): what stands after the name, in place. It is shorter.
static bool take_default(char* value) {
    static const char mark[] = "$(optenv ";
    char* at = strstr(value, mark);
    char* end = at != NULL ? strchr(at, ')') : NULL;
    if (end == NULL) return false;
    char* from = at + strlen(mark);
    from += strspn(from, " \t");
    from += strcspn(from, " \t)");
    from += strspn(from, " \t");
    const size_t length = (size_t)(end - from);
    memmove(at, from, length);
    memmove(at + length, end + 1, strlen(end + 1) + 1);
    return true;
}

sti_status sti_urdf_substitute(sti_urdf_model* m) {
    sti_status status = STI_OK;
    for (sti_xml_node* node = m->xml.made; status == STI_OK && node != NULL && !m->options->strict; node = node->made) {
        bool taken = false;
        for (int k = 0; k < node->attribute_count; k++) {
            while (take_default(node->attribute[k].value)) taken = true;
        }
        if (taken)
            status = sti_urdf_mend(m, node, NULL, "", "$(optenv NAME ..): its default; the environment is not read");
    }
    return status;
}
