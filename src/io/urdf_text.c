// urdf_text.c: URDF: text that is no XML yet, and substitution that xacro or a launch file would have done.
#include <string.h>

#include "io/file.h"
#include "io/urdf.h"

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

// XML allows nothing before its declaration, not even a blank, and no text before the first element. Both are blanked, the
// declaration too where something stands before it: UTF-8 is what is left then.
sti_status sti_urdf_clean(sti_urdf_model* m, const char* text, size_t size, char** out) {
    *out = NULL;
    if (strlen(text) < size || m->options->strict) return STI_OK;
    const char *first = first_element(text), *declaration = strstr(text, "<?xml "), *mark = strchr(text, '<');
    const size_t lead = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    const bool late = first != NULL && declaration != NULL && declaration < first && declaration > text + lead;
    const bool words =
        first != NULL && mark > text + lead && strspn(text + lead, " \t\r\n") < (size_t)(mark - text) - lead;
    if (!late && !words) return STI_OK;
    char* copy = sti_alloc(m->env, size + 1);
    if (copy == NULL) return STI_FAIL(m->env, STI_ERR_MEMORY, -1, "text of %.200s", m->file);
    memcpy(copy, text, size + 1);
    blank(copy + lead, copy + (mark - text));
    const char* end = late ? strstr(declaration, "?>") : NULL;
    if (end != NULL) blank(copy + (declaration - text), copy + (end - text) + 2);
    *out = copy;
    const sti_xml_node top = {.name = "robot", .line = 1};
    const sti_status status =
        sti_urdf_mend(m, &top, NULL, "", "text or a comment before the XML declaration is passed over");
    if (status == STI_OK) return STI_OK;
    sti_free(m->env, copy);
    *out = NULL;
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
