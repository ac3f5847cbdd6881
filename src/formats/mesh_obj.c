// mesh_obj.c: OBJ: vertices ("v x y z") and faces ("f a b c ..", "a/b/c", from 1, or from the end when negative). A
// face with more corners is cut into triangles from its first one, one with fewer than three is a line, passed over.
// "o" and "g" begin another part. "usemtl" gives a colour, from the file beside it that "mtllib" names. Everything else
// in the file is passed over.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/file.h"
#include "formats/mesh_file.h"

// The vertex that a corner names; -1: none.
static int corner(const char* word, size_t length, int vertex_count) {
    uint64_t number = 0;
    size_t at = 0;
    const bool from_end = word[0] == '-';
    if (from_end) at++;
    const size_t first = at;
    for (; at < length && word[at] >= '0' && word[at] <= '9'; at++)
        number = sti_u64_add(sti_u64_mul(10, number), (uint64_t)(word[at] - '0'));
    if (at == first || (at < length && word[at] != '/') || number < 1 || number > (uint64_t)vertex_count) return -1;
    return from_end ? vertex_count - (int)number : (int)number - 1;
}

// ---- colours

typedef struct library {
    char* text;  // of materials; NULL: none
    int asked;   // how often: each time it is gone through
} library;

enum { MOST_LIBRARY = 1 << 18, MOST_ASKED = 4096 };

// The next word of the line is this name.
static bool is_next(sti_words* words, const char* name, size_t size) {
    const size_t length = sti_words_next(words);
    return length == size && strncmp(words->at, name, size) == 0;
}

// The diffuse colour of a material in the text of an MTL file; 0: it has none, or there is no such material.
static int color_of(const char* text, const char* name, size_t length) {
    sti_words words = {text, 1};
    bool here = false;
    do {
        const size_t size = sti_words_next(&words);
        const char* word = words.at;
        words.at += size;
        double x[3];
        if (size == 6 && strncmp(word, "newmtl", 6) == 0)
            here = is_next(&words, name, length);
        else if (here && size == 2 && strncmp(word, "Kd", 2) == 0 && sti_words_numbers(&words, 3, x))
            return sti_mesh_rgb(x[0], x[1], x[2]);
    } while (sti_words_line(&words));
    return 0;
}

// The text of the library of materials beside the file, and nowhere else; NULL: there is none that can be read.
static sti_status read_library(sti_env* env, const char* name, sti_words* words, library* out) {
    const char* slash = strrchr(name, '/');
    const size_t folder = slash != NULL ? (size_t)(slash + 1 - name) : 0, length = sti_words_next(words);
    size_t size;
    if (out->text != NULL || length == 0 || words->at[0] == '/') return STI_OK;
    char* path = sti_alloc(env, sti_size_add(sti_size_add(folder, length), 1));
    if (path == NULL) return STI_ERR_MEMORY;
    snprintf(path, folder + length + 1, "%.*s%.*s", (int)folder, name, (int)length, words->at);
    const bool beside = strstr(path + folder, "..") == NULL && access(path, R_OK) == 0;
    const sti_status status = beside ? sti_file_read(env, path, MOST_LIBRARY, &out->text, &size) : STI_OK;
    sti_free(env, path);
    if (status != STI_OK) out->text = NULL;
    return status == STI_ERR_MEMORY ? status : STI_OK;
}

// "mtllib NAME" and "usemtl NAME": of the triangles that follow.
static sti_status read_material(sti_env* env, const char* name, const char* word, size_t length, sti_words* words,
                                library* materials, sti_mesh_data* out) {
    if (length == 6 && strncmp(word, "mtllib", 6) == 0) return read_library(env, name, words, materials);
    if (length != 6 || strncmp(word, "usemtl", 6) != 0) return STI_OK;
    const size_t size = sti_words_next(words);
    const bool known = materials->text != NULL && size > 0 && materials->asked++ < MOST_ASKED;
    out->paint = known ? color_of(materials->text, words->at, size) : 0;
    return STI_OK;
}

// ---- faces

static sti_status read_face(sti_env* env, const char* name, sti_words* words, sti_mesh_data* out) {
    int count = 0, first = -1, before = -1;
    for (size_t length = sti_words_next(words); length > 0; length = sti_words_next(words)) {
        if (length == 1 && *words->at == '\\' && strchr("\r\n", words->at[1]) != NULL) {  // goes on in the next line
            words->at++;
            if (!sti_words_line(words)) break;
            continue;
        }
        const int now = corner(words->at, length, out->vertex_count);
        if (now < 0)
            return sti_file_fail(env, STI_ERR_INPUT, name, "line %d: f: \"%.*s\": the number of a vertex is expected",
                                 words->line, length < 40 ? (int)length : 40, words->at);
        if (count >= 2) {
            const sti_status status = sti_mesh_add_triangle(env, out, first, before, now);
            if (status != STI_OK) return status;
        }
        if (count++ == 0) first = now;
        before = now;
        words->at += length;
    }
    return STI_OK;
}

static sti_status read_lines(sti_env* env, const char* text, const char* name, library* materials, sti_mesh_data* out) {
    sti_words words = {text, 1};
    do {
        const size_t length = sti_words_next(&words);
        const char* word = words.at;
        const char kind = length == 1 ? *word : '\0';
        words.at += length;
        sti_status status = STI_OK;
        double x[3];
        if (kind == 'v') {
            if (!sti_words_numbers(&words, 3, x))
                return sti_file_fail(env, STI_ERR_INPUT, name, "line %d: v: three numbers are expected", words.line);
            status = sti_mesh_add_vertex(env, out, x);
        } else if (kind == 'o' || kind == 'g') {
            status = sti_mesh_add_group(env, out);
        } else if (kind == 'f') {
            status = read_face(env, name, &words, out);
        } else {
            status = read_material(env, name, word, length, &words, materials, out);
        }
        if (status != STI_OK) return status;
    } while (sti_words_line(&words));
    return STI_OK;
}

sti_status sti_mesh_read_obj(sti_env* env, const char* text, size_t size, const char* name, sti_mesh_data* out) {
    library materials = {0};
    if (strlen(text) != size) return sti_file_fail(env, STI_ERR_INPUT, name, "a byte 0 in the text of an OBJ file");
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;  // says UTF-8
    const sti_status status = read_lines(env, text, name, &materials, out);
    sti_free(env, materials.text);
    return status;
}
