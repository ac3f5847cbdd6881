// mesh_stl.c: STL, binary and text. Normals that stand in the file are not used: the order of the vertices says them.
#include <math.h>
#include <string.h>
#include <strings.h>

#include "formats/file.h"
#include "formats/mesh_file.h"

enum { HEADER = 84, RECORD = 50 };

static uint32_t whole_number(const unsigned char* p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static double small_float(const unsigned char* p) {
    const uint32_t bits = whole_number(p);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static bool is_word(const sti_words* words, size_t length, const char* word) {
    return length == strlen(word) && strncasecmp(words->at, word, length) == 0;
}

// Is "facet" or "outer" among the first words of the text? Both come before any triangle.
static bool has_facet(const char* text) {
    enum { MOST_WORDS = 1000 };
    sti_words words = {text, 1};
    for (int k = 0; k < MOST_WORDS; k++) {
        const size_t length = sti_words_next(&words);
        if (is_word(&words, length, "facet") || is_word(&words, length, "outer")) return true;
        words.at += length;
        if (length == 0 && !sti_words_line(&words)) return false;
    }
    return false;
}

// Text begins with "solid"; so do some binary files, whose length gives them away, or that no facet follows.
static bool is_binary(const char* text, size_t size) {
    if (size < HEADER) return false;
    const uint64_t needed = HEADER + (uint64_t)RECORD * whole_number((const unsigned char*)text + 80);
    return needed == size || !has_facet(text);
}

static sti_status read_binary(sti_env* env, const char* text, size_t size, const char* name, sti_mesh_data* out) {
    const unsigned char* bytes = (const unsigned char*)text;
    const uint32_t count = whole_number(bytes + 80);
    if (HEADER + (uint64_t)RECORD * count > size)
        return sti_file_fail(env, STI_ERR_INPUT, name, "STL of %lu triangles: %llu bytes are expected, there are %zu",
                             (unsigned long)count, (unsigned long long)(HEADER + (uint64_t)RECORD * count), size);
    if (count > STI_MESH_MOST_TRIANGLES)
        return sti_file_fail(env, STI_ERR_INPUT, name, "STL of %lu triangles: more than %d, the most that are read",
                             (unsigned long)count, STI_MESH_MOST_TRIANGLES);
    for (uint32_t t = 0; t < count; t++) {
        const unsigned char* record = bytes + HEADER + (size_t)RECORD * t;
        const int first = out->vertex_count;
        sti_status status = STI_OK;
        for (int i = 0; status == STI_OK && i < 3; i++) {
            double x[3];
            for (int k = 0; k < 3; k++) x[k] = small_float(record + 12 + 12 * (size_t)i + 4 * (size_t)k);
            if (!(fabs(x[0]) <= 1e30 && fabs(x[1]) <= 1e30 && fabs(x[2]) <= 1e30))
                return sti_file_fail(env, STI_ERR_INPUT, name, "triangle %lu: vertex (%g, %g, %g) is not finite",
                                     (unsigned long)t, x[0], x[1], x[2]);
            status = sti_mesh_add_vertex(env, out, x);
        }
        if (status == STI_OK) status = sti_mesh_add_triangle(env, out, first, first + 1, first + 2);
        if (status != STI_OK) return status;
    }
    return STI_OK;
}

typedef struct loop {
    int corners;  // of the loop we are in; -1: outside
    const char* name;
} loop;

static sti_status read_word(sti_env* env, loop* in, sti_words* words, size_t length, sti_mesh_data* out) {
    const bool outer = is_word(words, length, "outer"), vertex = is_word(words, length, "vertex");
    const bool end = is_word(words, length, "endloop");
    const bool name = is_word(words, length, "solid") || is_word(words, length, "endsolid");
    words->at += length;
    if (name) {
        words->at += strcspn(words->at, "\r\n");  // a name, in which any word may stand
    } else if (outer) {
        if (in->corners >= 0)
            return sti_file_fail(env, STI_ERR_INPUT, in->name, "line %d: a loop within a loop", words->line);
        in->corners = 0;
    } else if (vertex) {
        double x[3];
        if (in->corners < 0 || in->corners > 2 || !sti_words_numbers(words, 3, x))
            return sti_file_fail(env, STI_ERR_INPUT, in->name, "line %d: vertex: three numbers are expected%s",
                                 words->line, in->corners < 0 || in->corners > 2 ? ", three times in a loop" : "");
        in->corners++;
        return sti_mesh_add_vertex(env, out, x);
    } else if (end) {
        if (in->corners != 3)
            return sti_file_fail(env, STI_ERR_INPUT, in->name, "line %d: endloop: three vertices are expected",
                                 words->line);
        in->corners = -1;
        const int n = out->vertex_count;
        return sti_mesh_add_triangle(env, out, n - 3, n - 2, n - 1);
    }
    return STI_OK;
}

// What matters of the text: "outer loop", three times "vertex x y z", "endloop", in large or small letters.
static sti_status read_text(sti_env* env, const char* text, const char* name, sti_mesh_data* out) {
    sti_words words = {text, 1};
    loop in = {-1, name};
    do {
        for (size_t length = sti_words_next(&words); length > 0; length = sti_words_next(&words)) {
            const sti_status status = read_word(env, &in, &words, length, out);
            if (status != STI_OK) return status;
        }
    } while (sti_words_line(&words));
    if (in.corners >= 0) return sti_file_fail(env, STI_ERR_INPUT, name, "line %d: the file ends in a loop", words.line);
    return STI_OK;
}

sti_status sti_mesh_read_stl(sti_env* env, const char* text, size_t size, const char* name, sti_mesh_data* out) {
    if (is_binary(text, size)) return read_binary(env, text, size, name, out);
    if (strncasecmp(text + strspn(text, " \t\r\n"), "solid", 5) != 0 && !has_facet(text))
        return sti_file_fail(env, STI_ERR_INPUT, name, "neither binary STL (%zu bytes) nor text that begins with solid",
                             size);
    return read_text(env, text, name, out);
}
