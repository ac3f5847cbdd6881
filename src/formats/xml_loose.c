// xml_loose.c: text that is nearly XML, as readers take it that do not ask for all of XML.
//
// Files made by hand and by old programs have been read by such readers alone, so nobody noticed. Every fault is mended
// where it stands, and lines keep their numbers:
//
//     text or a blank before the declaration, text after the last element     blanks
//     a declaration that is none: no version first, no "?>"                   blanks: UTF-8
//     an encoding that Expat does not know, like utf8, or that it is not      blanks: UTF-8
//     a comment with "--" in it                                               blanks in it
//     & that begins no entity of XML                                          &amp;
//     bytes that are not UTF-8, where that is the encoding                    ?
#include <string.h>
#include <strings.h>

#include "formats/file.h"
#include "formats/xml.h"

// Blanks in place of all that is not the end of a line.
static void blank(char* from, const char* to) {
    for (; from < to; from++) {
        if (*from != '\n') *from = ' ';
    }
}

// Past comments and declarations: the first tag of an element; NULL: there is none.
static char* first_element(char* text) {
    for (char* at = strchr(text, '<'); at != NULL; at = strchr(at, '<')) {
        const char* end = strncmp(at, "<!--", 4) == 0 ? "-->" : at[1] == '?' ? "?>" : at[1] == '!' ? ">" : NULL;
        if (end == NULL) return at;
        at = strstr(at, end);
        if (at == NULL) return NULL;
    }
    return NULL;
}

// ---- before and after

// XML allows nothing before its declaration, not even a blank, and no text before the first element. Both are blanked,
// the declaration too where something stands before it: UTF-8 is what is left then.
static bool blank_lead(char* text, const char* first) {
    char *mark = strchr(text, '<'), *declaration = strstr(text, "<?xml ");
    char* begin = text + (strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    const bool late = declaration != NULL && declaration < first && declaration > begin;
    const bool words = strspn(begin, " \t\r\n") < (size_t)(mark - begin);
    char* end = late ? strstr(declaration, "?>") : NULL;
    if (late || words) blank(begin, mark);
    if (end != NULL) blank(declaration, end + 2);
    return late || words;
}

// Behind the last end of the root, comments apart.
static bool blank_trail(char* text, const char* first) {
    const size_t length = strcspn(first + 1, " \t\r\n/>");
    const char* last = NULL;
    for (const char* at = strstr(first, "</"); at != NULL; at = strstr(at + 2, "</")) {
        if (strncmp(at + 2, first + 1, length) == 0 && strspn(at + 2 + length, " \t\r\n>") > 0) last = at;
    }
    char* end = last != NULL ? text + (last - text) + strcspn(last, ">") : NULL;
    if (end == NULL || *end == '\0') return false;
    for (end += 1 + strspn(end + 1, " \t\r\n"); strncmp(end, "<!--", 4) == 0; end += strspn(end, " \t\r\n")) {
        char* over = strstr(end + 4, "-->");
        if (over == NULL) break;
        end = over + 3;
    }
    if (*end == '\0') return false;
    blank(end, text + strlen(text));
    return true;
}

// A declaration says its version first, in quotes, and ends with "?>" before any other tag.
static bool blank_declaration(char* text) {
    char* begin = text + (strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    if (strncmp(begin, "<?xml", 5) != 0 || strchr(" \t\r\n?>", begin[5]) == NULL) return false;
    char* end = strchr(begin, '>');
    if (end == NULL) return false;
    const char* at = begin + 5 + strspn(begin + 5, " \t\r\n");
    const char* value = at + strcspn(at, "\"'>");
    const bool versioned = strncmp(at, "version", 7) == 0 && (*value == '"' || *value == '\'');
    if (end[-1] == '?' && versioned) return false;
    blank(begin, end + 1);
    return true;
}

// encoding="NAME" of the declaration. *utf8: it is that, or is none any more.
static bool blank_encoding(char* text, bool* utf8) {
    static const char* const known[] = {"utf-8", "iso-8859-1", "us-ascii"};
    char* begin = text + (strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    const char* end = strncmp(begin, "<?xml ", 6) == 0 ? strstr(begin, "?>") : NULL;
    char* at = end != NULL ? strstr(begin, "encoding") : NULL;
    *utf8 = true;
    if (at == NULL || at > end) return false;
    char* name = at + strcspn(at, "\"'");
    const char quote[] = {*name, '\0'};
    const size_t length = *name != '\0' ? strcspn(name + 1, quote) : 0;
    if (name >= end || name + 1 + length >= end) return false;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (strlen(known[k]) != length || strncasecmp(known[k], name + 1, length) != 0) continue;
        *utf8 = k == 0;
        return false;
    }
    blank(at, name + length + 2);
    return true;
}

// ---- between

// &name; or &#number; of XML itself.
static bool is_entity(const char* at) {
    static const char* const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (strncmp(at, names[k], strlen(names[k])) == 0) return true;
    }
    if (at[1] != '#') return false;
    const bool hexadecimal = at[2] == 'x';
    const size_t digits = strspn(at + 2 + hexadecimal, hexadecimal ? "0123456789abcdefABCDEF" : "0123456789");
    return digits > 0 && at[2 + hexadecimal + digits] == ';';
}

// The end of the comment or of the section of characters that begins here; NULL: none does.
static char* past_section(char* at) {
    const bool comment = strncmp(at, "<!--", 4) == 0;
    if (!comment && strncmp(at, "<![CDATA[", 9) != 0) return NULL;
    char* end = strstr(at + 4, comment ? "-->" : "]]>");
    return end != NULL ? end + 3 : NULL;
}

// Blanks where a comment has "--" in it, or ends with a '-' of its own.
static bool mend_comment(char* at, char* end) {
    char* const close = end - 3;
    const char* dashes = strncmp(at, "<!--", 4) == 0 ? strstr(at + 4, "--") : close;
    if (dashes >= close && !(dashes == close && close > at + 4 && close[-1] == '-')) return false;
    blank(at + 4, close);
    return true;
}

static bool mend_bytes(char* at, const char* end) {
    bool any = false;
    while (at < end) {
        const int length = sti_text_utf8(at);
        if (length == 0) *at = '?';
        any = any || length == 0;
        at += length > 1 ? length : 1;
    }
    return any;
}

// Comments, and how many & begin no entity outside of sections.
static size_t mend_inside(char* text, unsigned* mended) {
    size_t stray = 0;
    while (*text != '\0') {
        char* end = *text == '<' ? past_section(text) : NULL;
        if (end != NULL && mend_comment(text, end)) *mended |= STI_XML_COMMENT;
        stray += *text == '&' && !is_entity(text);
        text = end != NULL ? end : text + 1;
    }
    if (stray > 0) *mended |= STI_XML_AMPERSAND;
    return stray;
}

// With &amp; for each of them.
static void copy_ampersands(char* from, char* to) {
    while (*from != '\0') {
        const char* end = *from == '<' ? past_section(from) : NULL;
        const bool stray = *from == '&' && !is_entity(from);
        *to++ = *from++;
        while (end != NULL && from < end) *to++ = *from++;
        if (!stray) continue;
        memcpy(to, "amp;", 4);
        to += 4;
    }
    *to = '\0';
}

static size_t mend(char* text, size_t size, unsigned* mended) {
    if (blank_declaration(text)) *mended |= STI_XML_DECLARATION;
    const char* first = first_element(text);
    bool utf8;
    if (first == NULL) return 0;
    if (blank_lead(text, first)) *mended |= STI_XML_LEAD;
    if (blank_trail(text, first)) *mended |= STI_XML_TRAIL;
    if (blank_encoding(text, &utf8)) *mended |= STI_XML_ENCODING;
    if (utf8 && mend_bytes(text, text + size)) *mended |= STI_XML_BYTES;
    return mend_inside(text, mended);
}

sti_status sti_xml_loosen(sti_env* env, const char* text, size_t size, char** out, unsigned* mended) {
    *out = NULL;
    *mended = 0;
    if (memchr(text, '\0', size) != NULL) return STI_OK;
    char* copy = sti_alloc(env, sti_size_add(size, 1));  // text need not end with a 0
    if (copy == NULL) return STI_ERR_MEMORY;
    memcpy(copy, text, size);
    copy[size] = '\0';
    const size_t stray = mend(copy, size, mended);
    if (*mended != 0 && stray == 0) {
        *out = copy;
        return STI_OK;
    }
    sti_status status = STI_OK;
    if (stray > 0) {
        *out = sti_alloc(env, sti_size_add(sti_size_add(size, sti_size_mul(4, stray)), 1));
        if (*out != NULL)
            copy_ampersands(copy, *out);
        else
            status = STI_ERR_MEMORY;
    }
    sti_free(env, copy);
    return status;
}
