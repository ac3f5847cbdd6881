// document.c: documents of any kind: the list of kinds, and what is done with a document through its row.
#include "documents/document.h"

#include <stdio.h>
#include <string.h>

#include "formats/file.h"

static const struct {
    const char* word;
    unsigned uses;
    const sti_kind_row* row;
} kinds[STI_KIND_COUNT] = {
#define STI_X(code, name, uses) [code] = {#name, uses, &sti_kind_##name},
    STI_KIND_LIST(STI_X)
#undef STI_X
};

static const struct {
    unsigned flag;
    const char* word;
} uses[] = {
#define STI_X(code, flag, text) {code, text},
    STI_USE_LIST(STI_X)
#undef STI_X
};
enum { USE_COUNT = sizeof uses / sizeof uses[0] };

const char* sti_kind_text(sti_kind kind) {
    return kind > STI_KIND_NONE && kind < STI_KIND_COUNT ? kinds[kind].word : "none";
}

bool sti_kind_parse(const char* text, sti_kind* out) {
    for (int k = STI_KIND_NONE + 1; k < STI_KIND_COUNT; k++) {
        if (strcmp(kinds[k].word, text) != 0) continue;
        *out = (sti_kind)k;
        return true;
    }
    return false;
}

unsigned sti_kind_uses(sti_kind kind) {
    return kind > STI_KIND_NONE && kind < STI_KIND_COUNT ? kinds[kind].uses : 0;
}

const sti_kind_row* sti_kind_row_of(sti_kind kind) {
    return kinds[kind].row;
}

// ---- lists of words

// Word k of count behind those before it: ", ", or " or " before the last.
static void put_word(char* text, size_t size, int k, int count, const char* quote, const char* word) {
    const size_t at = strlen(text);
    snprintf(text + at, size - at, "%s%s%s%s", k == 0 ? "" : k < count - 1 ? ", " : " or ", quote, word, quote);
}

static void put_kinds(const bool* in, char* text, size_t size) {
    int count = 0, k = 0;
    for (int kind = STI_KIND_NONE + 1; kind < STI_KIND_COUNT; kind++) count += in[kind];
    text[0] = '\0';
    for (int kind = STI_KIND_NONE + 1; kind < STI_KIND_COUNT; kind++) {
        if (in[kind]) put_word(text, size, k++, count, "\"", kinds[kind].word);
    }
}

void sti_use_kinds(unsigned wanted, char* text, size_t size) {
    bool in[STI_KIND_COUNT] = {false};
    for (int kind = 0; kind < STI_KIND_COUNT; kind++) in[kind] = (kinds[kind].uses & wanted) != 0;
    put_kinds(in, text, size);
}

void sti_kind_uses_text(sti_kind kind, char* text, size_t size) {
    const unsigned flags = sti_kind_uses(kind);
    int count = 0, k = 0;
    for (int use = 0; use < USE_COUNT; use++) count += (flags & uses[use].flag) != 0;
    text[0] = '\0';
    for (int use = 0; use < USE_COUNT; use++) {
        if ((flags & uses[use].flag) != 0) put_word(text, size, k++, count, "", uses[use].word);
    }
}

static bool can_read(sti_kind kind, bool json) {
    const sti_kind_row* row = kinds[kind].row;
    return row != NULL && (row->form != NULL || (json ? row->read != NULL : row->read_hdf5 != NULL));
}

void sti_kind_words(bool json, char* text, size_t size) {
    bool in[STI_KIND_COUNT] = {false};
    for (int kind = 0; kind < STI_KIND_COUNT; kind++) in[kind] = can_read((sti_kind)kind, json);
    put_kinds(in, text, size);
}

sti_status sti_kind_find(sti_env* env, const char* file, const char* word, bool json, sti_kind* out) {
    char words[300];
    if (!sti_kind_parse(word, out)) {
        sti_kind_words(json, words, sizeof words);
        return sti_file_fail(env, STI_ERR_INPUT, file, "kind: \"%.40s\": no such kind, %s is expected", word, words);
    }
    if (can_read(*out, json)) return STI_OK;
    if (can_read(*out, true))
        return sti_file_fail(env, STI_ERR_INPUT, file, "kind: \"%s\": read from JSON files only", word);
    return sti_file_fail(env, STI_ERR_INPUT, file, "kind: \"%s\": read from HDF5 files of FCLIB only", word);
}

// ---- documents

sti_status sti_document_create(sti_env* env, sti_kind kind, void* content, sti_document** out) {
    *out = sti_alloc(env, sizeof **out);
    if (*out == NULL) {
        kinds[kind].row->destroy(env, content);
        return STI_ERR_MEMORY;
    }
    **out = (sti_document){.env = env, .kind = kind, .content = content};
    return STI_OK;
}

void sti_document_destroy(sti_document* document) {
    if (document == NULL) return;
    kinds[document->kind].row->destroy(document->env, document->content);
    sti_free(document->env, document);
}

sti_kind sti_document_kind(const sti_document* document) {
    return document->kind;
}

void* sti_document_content(const sti_document* document, sti_kind kind) {
    return document->kind == kind ? document->content : NULL;
}

sti_status sti_document_set(sti_document* document, const char* settings) {
    const sti_kind_row* row = kinds[document->kind].row;
    sti_env* env = document->env;
    sti_settings cut;
    if (row->set == NULL)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "kind %s has no parameters", sti_kind_text(document->kind));
    sti_status status = sti_settings_cut(env, settings, &cut);
    if (status == STI_OK) status = row->set(env, document->content, &cut);
    sti_settings_clear(env, &cut);
    return status;
}

sti_status sti_document_save(sti_env* env, const sti_document* document, const char* path) {
    const sti_kind_row* row = kinds[document->kind].row;
    if (row->save != NULL) return row->save(env, document->content, path);
    return sti_file_fail(env, STI_ERR_ARGUMENT, path, "kind %s cannot be written", sti_kind_text(document->kind));
}

sti_status sti_document_text(sti_env* env, const sti_document* document, char** out) {
    const sti_kind_row* row = kinds[document->kind].row;
    *out = NULL;
    if (row->text == NULL)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "kind %s: a scene is expected", sti_kind_text(document->kind));
    return row->text(env, document->content, out);
}

// ---- reading

sti_status sti_document_parse(sti_env* env, const char* text, size_t size, const char* name, sti_document** out) {
    *out = NULL;
    if (size > STI_FILE_TEXT_MOST) return sti_file_fail(env, STI_ERR_INPUT, name, "too long to be read as text");
    char* copy = sti_alloc(env, sti_size_add(size, 1));
    if (copy == NULL) return STI_ERR_MEMORY;
    if (size > 0) memcpy(copy, text, size);
    copy[size] = '\0';
    const sti_status status = sti_document_read_json(env, copy, size, name, NULL, out);
    sti_free(env, copy);
    return status;
}

// The folder of a file, with its slash; "" for the current one. NULL: no memory.
static char* folder_of(sti_env* env, const char* path) {
    char* folder = sti_strdup(env, path);
    if (folder == NULL) return NULL;
    char* slash = strrchr(folder, '/');
    if (slash != NULL)
        slash[1] = '\0';
    else
        folder[0] = '\0';
    return folder;
}

bool sti_document_head_is_hdf5(const unsigned char* head, size_t count) {
    static const unsigned char hdf5[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    return count >= sizeof hdf5 && memcmp(head, hdf5, sizeof hdf5) == 0;
}

sti_status sti_document_load(sti_env* env, const char* path, sti_document** out) {
    static const char market[] = "%%MatrixMarket";
    unsigned char head[16];
    size_t count;
    *out = NULL;
    sti_status status = sti_file_peek(env, path, head, sizeof head, &count);
    if (status != STI_OK) return status;
    if (sti_document_head_is_hdf5(head, count)) return sti_document_read_hdf5(env, path, out);
    if (count >= sizeof market - 1 && memcmp(head, market, sizeof market - 1) == 0)
        return sti_file_fail(
            env, STI_ERR_INPUT, path,
            "a matrix, not a problem; name it in a problem: {\"kind\": \"lcp\", \"M\": {\"file\": ...}, ...}");
    if (sti_file_has_suffix(path, ".hdf5") || sti_file_has_suffix(path, ".h5"))
        return sti_file_fail(env, STI_ERR_INPUT, path, "not an HDF5 file: its signature is missing");
    char* text;
    size_t size;
    status = sti_file_read(env, path, STI_FILE_TEXT_MOST, &text, &size);
    if (status != STI_OK) return status;
    char* folder = folder_of(env, path);
    if (folder == NULL)
        status = STI_ERR_MEMORY;
    else
        status = sti_document_read_json(env, text, size, path, folder, out);
    sti_free(env, folder);
    sti_free(env, text);
    return status;
}
