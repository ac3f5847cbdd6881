// mesh_obj.c: OBJ: vertices ("v x y z") and faces ("f a b c ..", "a/b/c", from 1, or from the end when negative). A face
// with more corners is cut into triangles from its first one. "o" and "g" begin another part. Everything else in the file is passed over.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"
#include "io/mesh_file.h"

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

static sti_status read_face(sti_env* env, const char* name, sti_words* words, sti_mesh_data* out) {
    int count = 0, first = -1, before = -1;
    for (size_t length = sti_words_next(words); length > 0; length = sti_words_next(words)) {
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
    if (count >= 3) return STI_OK;
    return sti_file_fail(env, STI_ERR_INPUT, name, "line %d: f: three corners at least are expected", words->line);
}

sti_status sti_mesh_read_obj(sti_env* env, const char* text, size_t size, const char* name, sti_mesh_data* out) {
    sti_words words = {text, 1};
    if (strlen(text) != size) return sti_file_fail(env, STI_ERR_INPUT, name, "a byte 0 in the text of an OBJ file");
    do {
        const size_t length = sti_words_next(&words);
        if (length != 1) continue;
        const char kind = *words.at;
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
        }
        if (status != STI_OK) return status;
    } while (sti_words_line(&words));
    return STI_OK;
}
