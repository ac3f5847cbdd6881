// mesh_gltf.c: glTF 2.0, as text and as GLB: triangles and the transforms of nodes.
//
// Read       positions (float, or quantized as whole numbers), indices (8, 16, 32 bits), sparse ones too; triangles,
//            strips and fans; buffers in the file, in a file beside it, or as base64; matrix, or translation, rotation
//            and scale of nodes; the scene that the file names, or its first, or all nodes where there is none.
// Not read   everything that is not geometry; compressed buffers are refused.
// Axes       y is up in glTF and z in a robot: (x, y, z) becomes (x, -z, y), as the engines do that read glTF for
//            robots.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/size.h"
#include "formats/file.h"
#include "formats/json_tree.h"
#include "formats/mesh_file.h"

enum { MOST_BYTES = 1 << 29, MOST_BUFFERS = 64, MOST_NODES = 10000, MOST_DEPTH = 32, MOST_VERTICES = 1 << 24 };

typedef struct bytes {
    const unsigned char* data;
    char* owned;  // NULL: part of the file
    size_t size;
} bytes;

typedef struct reader {
    sti_env* env;
    const char* name;
    sti_json_tree tree;
    bytes chunk;  // of a GLB
    bytes buffer[MOST_BUFFERS];
    int buffer_count, nodes;
    sti_mesh_data* out;
} reader;

static sti_status fail(const reader* r, const char* what, int64_t index, const char* text) {
    return sti_file_fail(r->env, STI_ERR_INPUT, r->name, "%s[%lld]: %s", what, (long long)index, text);
}

// A whole number of an object that is not negative; usual: it is missing. -1: it is something else.
static int64_t whole(const sti_json_value* object, const char* key, int64_t usual) {
    const sti_json_value* v = sti_json_get(object, key);
    if (v == NULL) return usual;
    return sti_json_is_number(v) && v->number >= 0 && v->number <= 9e15 && v->number == floor(v->number)
               ? (int64_t)v->number
               : -1;
}

static const sti_json_value* item(const reader* r, const char* list, int64_t index) {
    const sti_json_value* v = sti_json_get(r->tree.root, list);
    return sti_json_is_array(v) && index >= 0 && index < v->count ? sti_json_item(v, (int)index) : NULL;
}

// ---- buffers

static int base64_value(char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+' || c == '-' ? 62
           : c == '/' || c == '_' ? 63
                                  : -1;
}

static sti_status decode(reader* r, const char* text, int index, bytes* out) {
    const size_t length = strcspn(text, "=");
    out->owned = sti_alloc(r->env, sti_size_add(length, 1));
    if (out->owned == NULL) return STI_ERR_MEMORY;
    unsigned held = 0;
    int bits = 0;
    for (size_t k = 0; k < length; k++) {
        const int value = base64_value(text[k]);
        if (value < 0) return fail(r, "buffers", index, "uri: no base64");
        held = (held << 6 | (unsigned)value) & 0xffffffu;
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        out->owned[out->size++] = (char)(unsigned char)(held >> bits & 0xffu);
    }
    out->data = (const unsigned char*)out->owned;
    return STI_OK;
}

// A file beside this one, and nowhere else.
static sti_status read_beside(reader* r, const char* uri, int index, bytes* out) {
    const char* slash = strrchr(r->name, '/');
    const size_t folder = slash != NULL ? (size_t)(slash + 1 - r->name) : 0;
    const size_t size = sti_size_add(sti_size_add(folder, strlen(uri)), 1);
    char* path = sti_alloc(r->env, size);
    if (path == NULL) return STI_ERR_MEMORY;
    snprintf(path, size, "%.*s%s", (int)folder, r->name, uri);
    char* rest = path + folder;
    sti_text_unescape(rest);
    const bool beside = rest[0] != '/' && strstr(rest, "..") == NULL && strstr(rest, "://") == NULL;
    const sti_status status =
        !beside ? fail(r, "buffers", index, "uri: a file in the folder of this one is expected")
        : access(path, F_OK) != 0
            ? sti_file_fail(r->env, STI_ERR_INPUT, r->name,
                            "buffers[%d]: uri: \"%.200s\": no such file beside this one", index, rest)
            : sti_file_read(r->env, path, MOST_BYTES, &out->owned, &out->size);
    sti_free(r->env, path);
    out->data = (const unsigned char*)out->owned;
    return status;
}

static sti_status read_buffers(reader* r) {
    const sti_json_value* list = sti_json_get(r->tree.root, "buffers");
    if (sti_json_count(list) > MOST_BUFFERS) return fail(r, "buffers", MOST_BUFFERS, "more buffers than are read");
    const sti_json_value* v = sti_json_is_array(list) ? list->child : NULL;
    for (int k = 0; v != NULL; k++, v = v->next) {
        const char* uri = sti_json_string(sti_json_get(v, "uri"));
        const bool inside = uri != NULL && strncmp(uri, "data:", 5) == 0;
        const char* data = inside ? strstr(uri, "base64,") : NULL;
        bytes* buffer = &r->buffer[k];
        sti_status status = STI_OK;
        r->buffer_count = k + 1;
        if (data != NULL)
            status = decode(r, data + 7, k, buffer);
        else if (inside)
            status = fail(r, "buffers", k, "uri: of data that stand in it base64 alone is read");
        else if (uri != NULL)
            status = read_beside(r, uri, k, buffer);
        else
            *buffer = (bytes){.data = r->chunk.data, .size = r->chunk.size};
        if (status != STI_OK) return status;
        const int64_t said = whole(v, "byteLength", -1);
        if (said < 0 || (uint64_t)said > buffer->size)
            return sti_file_fail(r->env, STI_ERR_INPUT, r->name, "buffers[%d]: byteLength: %lld: there are %zu bytes",
                                 k, (long long)said, buffer->size);
    }
    return STI_OK;
}

// ---- accessors

typedef struct column {
    const unsigned char* at;
    char* owned;  // NULL: part of a buffer
    int64_t count;
    uint64_t stride;
    int64_t type;  // componentType
    bool normalized;
} column;

static int component_size(int64_t type) {
    return type == 5126 || type == 5125 ? 4 : type == 5122 || type == 5123 ? 2 : type == 5120 || type == 5121 ? 1 : 0;
}

static uint32_t little(const unsigned char* p, int size) {
    uint32_t value = 0;
    for (int k = size; k-- > 0;) value = value << 8 | p[k];
    return value;
}

// Where `count` elements of `size` bytes stand that an accessor, or a part of it, names; all within their buffer.
static sti_status find_view(const reader* r, int64_t index, const sti_json_value* part, int64_t count, uint64_t size,
                            const unsigned char** at, uint64_t* stride) {
    const int64_t view_index = whole(part, "bufferView", -1);
    const sti_json_value* view = item(r, "bufferViews", view_index);
    if (view == NULL) return fail(r, "accessors", index, "bufferView: there is none");
    const int64_t buffer = whole(view, "buffer", -1), begin = whole(view, "byteOffset", 0);
    const int64_t length = whole(view, "byteLength", -1), offset = whole(part, "byteOffset", 0);
    const int64_t given = whole(view, "byteStride", 0);
    if (buffer < 0 || buffer >= r->buffer_count || begin < 0 || length < 0 || offset < 0 || given < 0 || given > 65536)
        return fail(r, "bufferViews", view_index, "its numbers fit no buffer");
    *stride = given > 0 ? (uint64_t)given : size;
    const uint64_t last = count > 0 ? sti_u64_add(sti_u64_mul((uint64_t)count - 1, *stride), size) : 0;
    const uint64_t end = sti_u64_add((uint64_t)begin, (uint64_t)length);
    if (sti_u64_add((uint64_t)offset, last) > (uint64_t)length || end > r->buffer[buffer].size)
        return fail(r, "accessors", index, "reaches beyond its buffer");
    *at = r->buffer[buffer].data + begin + offset;
    return STI_OK;
}

// Elements that stand elsewhere, by their numbers, in place of those of the column.
static sti_status put_sparse(const reader* r, int64_t index, const sti_json_value* sparse, uint64_t size, column* out) {
    const sti_json_value *numbers = sti_json_get(sparse, "indices"), *values = sti_json_get(sparse, "values");
    const int64_t count = whole(sparse, "count", -1), type = whole(numbers, "componentType", -1);
    const int bytes_each = component_size(type);
    const unsigned char *number, *value;
    uint64_t step, stride;
    if (count < 0 || count > out->count || bytes_each == 0 || type == 5126)
        return fail(r, "accessors", index, "sparse: no count, or no type of whole numbers");
    sti_status status = find_view(r, index, numbers, count, (uint64_t)bytes_each, &number, &step);
    if (status == STI_OK) status = find_view(r, index, values, count, size, &value, &stride);
    for (int64_t k = 0; status == STI_OK && k < count; k++) {
        const uint32_t to = little(number + (uint64_t)k * step, bytes_each);
        if (to >= out->count) return fail(r, "accessors", index, "sparse: an index beyond its count");
        memcpy(out->owned + to * size, value + (uint64_t)k * stride, size);
    }
    return status;
}

// Its own bytes: those of its view, or zeros where it has none, with what is sparse in them.
static sti_status own_column(const reader* r, int64_t index, const sti_json_value* a, uint64_t size, column* out) {
    const sti_json_value* sparse = sti_json_get(a, "sparse");
    out->owned = sti_alloc_array_zero(r->env, sti_size_add((size_t)out->count, 1), (size_t)size);
    if (out->owned == NULL) return STI_ERR_MEMORY;
    for (int64_t k = 0; out->at != NULL && k < out->count; k++)
        memcpy(out->owned + (uint64_t)k * size, out->at + (uint64_t)k * out->stride, size);
    out->at = (const unsigned char*)out->owned;
    out->stride = size;
    return put_sparse(r, index, sparse, size, out);
}

// An accessor whose elements have `parts` components. owned is the caller's, also where it fails.
static sti_status find_column(const reader* r, int64_t index, int parts, column* out) {
    const sti_json_value* a = item(r, "accessors", index);
    *out = (column){0};
    if (a == NULL) return fail(r, "accessors", index, "there is none");
    out->type = whole(a, "componentType", -1);
    out->count = whole(a, "count", -1);
    out->normalized = sti_json_is_true(sti_json_get(a, "normalized"));
    const bool sparse = sti_json_get(a, "sparse") != NULL;
    const uint64_t size = sti_u64_mul((uint64_t)component_size(out->type), (uint64_t)parts);
    if (size == 0) return fail(r, "accessors", index, "componentType: not one of glTF");
    if (out->count < 0 || out->count > MOST_VERTICES) return fail(r, "accessors", index, "count: none, or too large");
    const bool zeros = sparse && sti_json_get(a, "bufferView") == NULL;
    const sti_status status = zeros ? STI_OK : find_view(r, index, a, out->count, size, &out->at, &out->stride);
    return status == STI_OK && sparse ? own_column(r, index, a, size, out) : status;
}

// Whole numbers stand for themselves, or for parts of the largest of their type.
static double component(const column* c, int64_t row, int part) {
    const int size = component_size(c->type);
    const uint32_t bits = little(c->at + (uint64_t)row * c->stride + (size_t)size * (size_t)part, size);
    float x;
    memcpy(&x, &bits, sizeof x);
    const bool is_signed = c->type == 5120 || c->type == 5122;
    const double span = size == 1 ? 256 : 65536, most = is_signed ? span / 2 - 1 : span - 1;
    if (c->type == 5126) return x;
    const double value = is_signed && bits > most ? bits - span : bits;
    return c->normalized ? fmax(value / most, -1) : value;
}

// ---- primitives

static sti_status add_positions(reader* r, int64_t index, const double place[12], int* first, int64_t* count) {
    column c;
    sti_status status = find_column(r, index, 3, &c);
    if (status == STI_OK && c.type == 5125)
        status = fail(r, "accessors", index, "componentType: positions are floats (5126) or have 8 or 16 bits");
    *first = r->out->vertex_count;
    *count = c.count;
    for (int64_t i = 0; status == STI_OK && i < c.count; i++) {
        const double x[3] = {component(&c, i, 0), component(&c, i, 1), component(&c, i, 2)};
        double y[3];
        sti_mesh_place(place, x, y);
        if (fabs(y[0]) <= 1e30 && fabs(y[1]) <= 1e30 && fabs(y[2]) <= 1e30)
            status = sti_mesh_add_vertex(r->env, r->out, (double[]){y[0], -y[2], y[1]});
        else
            status = fail(r, "accessors", index, "a position that is not finite");
    }
    sti_free(r->env, c.owned);
    return status;
}

// Corner i of the primitive; -1: beyond its positions.
static int corner(const column* indices, int64_t i, int first, int64_t count) {
    const int size = component_size(indices->type);
    const int64_t at = indices->at != NULL ? (int64_t)little(indices->at + (uint64_t)i * indices->stride, size) : i;
    return at < count ? first + (int)at : -1;
}

// The base colour of the material, from linear light to that of screens; 0: there is none.
static int color_of(const reader* r, const sti_json_value* primitive) {
    const sti_json_value* material = item(r, "materials", whole(primitive, "material", -1));
    const sti_json_value* plain = material != NULL ? sti_json_get(material, "pbrMetallicRoughness") : NULL;
    const sti_json_value* list = plain != NULL ? sti_json_get(plain, "baseColorFactor") : NULL;
    double x[3] = {1, 1, 1};
    const sti_json_value* v = sti_json_is_array(list) ? list->child : NULL;
    for (int k = 0; k < 3 && v != NULL; k++, v = v->next) x[k] = sti_json_is_number(v) ? v->number : 1;
    for (int k = 0; k < 3; k++) x[k] = pow(fmin(fmax(x[k], 0), 1), 1 / 2.2);
    return sti_json_is_array(list) ? sti_mesh_rgb(x[0], x[1], x[2]) : 0;
}

static sti_status add_corners(reader* r, const column* indices, int mode, int first, int64_t count, int64_t indexed) {
    const int64_t corners = indices->at != NULL ? indices->count : count, step = mode == 4 ? 3 : 1;
    for (int64_t i = 0; i + 2 < corners; i += step) {
        const bool odd = mode == 5 && i % 2 == 1;  // every other triangle of a strip is turned
        const int a = corner(indices, mode == 6 ? 0 : odd ? i + 1 : i, first, count);
        const int b = corner(indices, odd ? i : i + 1, first, count), c = corner(indices, i + 2, first, count);
        if (a < 0 || b < 0 || c < 0) return fail(r, "accessors", indexed, "an index beyond the positions there are");
        const sti_status status = sti_mesh_add_triangle(r->env, r->out, a, b, c);
        if (status != STI_OK) return status;
    }
    return STI_OK;
}

static sti_status add_primitive(reader* r, const sti_json_value* primitive, const double place[12]) {
    const int64_t mode = whole(primitive, "mode", 4), indexed = whole(primitive, "indices", -2);
    const int64_t position = whole(sti_json_get(primitive, "attributes"), "POSITION", -1);
    if (mode < 4 || mode > 6 || position < 0) return STI_OK;  // points and lines, and what extensions give places
    int first = 0;
    int64_t count = 0;
    const int before = r->out->triangle_count;
    r->out->paint = color_of(r, primitive);
    column indices = {.type = 5125};
    sti_status status = add_positions(r, position, place, &first, &count);
    if (status == STI_OK && indexed != -2) status = find_column(r, indexed, 1, &indices);
    if (status == STI_OK && indices.type == 5126) status = fail(r, "accessors", indexed, "indices are whole numbers");
    if (status == STI_OK) status = add_corners(r, &indices, (int)mode, first, count, indexed);
    sti_free(r->env, indices.owned);
    sti_mesh_face(r->out, before, place);
    return status;
}

// ---- nodes

static bool read_list(const sti_json_value* object, const char* key, int count, double* out) {
    const sti_json_value* list = sti_json_get(object, key);
    if (!sti_json_is_array(list) || list->count != count) return list == NULL;
    const sti_json_value* v = list->child;
    for (int k = 0; k < count; k++, v = v->next) {
        if (!sti_json_is_number(v) || !(fabs(v->number) <= 1e30)) return false;
        out[k] = v->number;
    }
    return true;
}

static sti_status read_place(const reader* r, const sti_json_value* node, int64_t index, double out[12]) {
    double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, t[3] = {0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    if (!read_list(node, "matrix", 16, m) || !read_list(node, "translation", 3, t) ||
        !read_list(node, "rotation", 4, q) || !read_list(node, "scale", 3, s))
        return fail(r, "nodes", index, "its place is not made of finite numbers");
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    double own[12], given[12];
    for (int i = 0; i < 12; i++) {
        const int row = i / 4, col = i % 4;
        own[i] = col == 3 ? t[row] : R[3 * row + col] * s[col];
        given[i] = m[4 * col + row];  // by columns
    }
    sti_mesh_compose(given, own, out);  // one of the two is the identity
    return STI_OK;
}

static const double as_it_is[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static int64_t number_of(const sti_json_value* v) {
    return sti_json_is_number(v) ? (int64_t)fmin(fmax(v->number, -1), INT_MAX) : -1;
}

static sti_status add_node(reader* r, int64_t index, const double outer[12], int depth) {
    const sti_json_value* node = item(r, "nodes", index);
    if (node == NULL) return fail(r, "nodes", index, "there is none");
    if (depth > MOST_DEPTH || r->nodes++ > MOST_NODES) return fail(r, "nodes", index, "too many nodes, or a cycle");
    double own[12], place[12];
    sti_status status = read_place(r, node, index, own);
    if (status != STI_OK) return status;
    sti_mesh_compose(outer, own, place);
    const int64_t mesh_index = whole(node, "mesh", -2);
    if (mesh_index != -2) {
        const sti_json_value* mesh = item(r, "meshes", mesh_index);
        const sti_json_value* list = mesh != NULL ? sti_json_get(mesh, "primitives") : NULL;
        if (!sti_json_is_array(list)) return fail(r, "meshes", mesh_index, "primitives: there are none");
        for (const sti_json_value* p = list->child; status == STI_OK && p != NULL; p = p->next)
            status = add_primitive(r, p, place);
    }
    const sti_json_value* children = sti_json_get(node, "children");
    const sti_json_value* v = sti_json_is_array(children) ? children->child : NULL;
    for (; status == STI_OK && v != NULL; v = v->next) status = add_node(r, number_of(v), place, depth + 1);
    return status;
}

// Without scenes: every node that is the child of none.
static sti_status add_roots(reader* r) {
    const sti_json_value* nodes = sti_json_get(r->tree.root, "nodes");
    const int count = sti_json_is_array(nodes) ? nodes->count : 0;
    bool* child = sti_alloc_array_zero(r->env, (size_t)count + 1, sizeof *child);
    if (child == NULL) return STI_ERR_MEMORY;
    for (const sti_json_value* node = count > 0 ? nodes->child : NULL; node != NULL; node = node->next) {
        const sti_json_value* list = sti_json_get(node, "children");
        for (const sti_json_value* v = sti_json_is_array(list) ? list->child : NULL; v != NULL; v = v->next) {
            const int64_t at = number_of(v);
            if (at >= 0 && at < count) child[at] = true;
        }
    }
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < count; k++) {
        if (!child[k]) status = add_node(r, k, as_it_is, 0);
    }
    sti_free(r->env, child);
    return status;
}

static sti_status add_scene(reader* r) {
    if (sti_json_is_object(sti_json_get(r->tree.root, "meshes")))  // by names
        return sti_file_fail(r->env, STI_ERR_INPUT, r->name, "glTF 1.0 is not read, 2.0 is");
    const int64_t index = whole(r->tree.root, "scene", 0);
    const sti_json_value* scene = item(r, "scenes", index);
    const sti_json_value* required = sti_json_get(r->tree.root, "extensionsRequired");
    for (const sti_json_value* v = sti_json_is_array(required) ? required->child : NULL; v != NULL; v = v->next) {
        const char* extension = sti_json_string(v);
        if (extension != NULL && (strstr(extension, "draco") != NULL || strstr(extension, "meshopt") != NULL))
            return sti_file_fail(r->env, STI_ERR_INPUT, r->name,
                                 "extensionsRequired: %.60s: compressed meshes are not read", extension);
    }
    if (sti_json_get(r->tree.root, "scenes") == NULL) return add_roots(r);
    const sti_json_value* nodes = scene != NULL ? sti_json_get(scene, "nodes") : NULL;
    if (!sti_json_is_array(nodes)) return fail(r, "scenes", index, "nodes: there are none");
    sti_status status = STI_OK;
    for (const sti_json_value* v = nodes->child; status == STI_OK && v != NULL; v = v->next)
        status = add_node(r, number_of(v), as_it_is, 0);
    return status;
}

// ---- the file

// A GLB is a header of 12 bytes and chunks with 8 bytes before each: its JSON first, then its buffer.
static sti_status open_chunks(reader* r, const char* text, size_t size, const char** json, size_t* length) {
    const unsigned char* p = (const unsigned char*)text;
    *json = text;
    *length = size;
    if (size < 4 || memcmp(text, "glTF", 4) != 0) return STI_OK;
    if (size >= 8 && little(p + 4, 4) < 2)
        return sti_file_fail(r->env, STI_ERR_INPUT, r->name, "GLB of glTF 1.0, which is not read, 2.0 is");
    const uint64_t first = size >= 20 ? little(p + 12, 4) : 0;
    if (size < 20 || memcmp(text + 16, "JSON", 4) != 0 || sti_u64_add(20, first) > size)
        return sti_file_fail(r->env, STI_ERR_INPUT, r->name, "GLB of %zu bytes: its first chunk is no whole JSON",
                             size);
    *json = text + 20;
    *length = (size_t)first;
    const uint64_t at = sti_u64_add(20, first);
    if (sti_u64_add(at, 8) > size) return STI_OK;
    const uint64_t second = little(p + at, 4);
    if (sti_u64_add(sti_u64_add(at, 8), second) > size)
        return sti_file_fail(r->env, STI_ERR_INPUT, r->name, "GLB: a chunk of %llu bytes, and there are %zu in all",
                             (unsigned long long)second, size);
    r->chunk = (bytes){.data = p + at + 8, .size = (size_t)second};
    return STI_OK;
}

sti_status sti_mesh_read_gltf(sti_env* env, const char* text, size_t size, const char* name, sti_mesh_data* out) {
    reader r = {.env = env, .name = name, .out = out};
    const char* json;
    size_t length;
    sti_status status = open_chunks(&r, text, size, &json, &length);
    if (status != STI_OK) return status;
    char* copy = sti_alloc(env, sti_size_add(length, 1));
    if (copy == NULL) return STI_ERR_MEMORY;
    memcpy(copy, json, length);
    copy[length] = '\0';
    status = sti_json_tree_create(env, copy, length, name, &r.tree);
    if (status == STI_OK) {
        status = read_buffers(&r);
        if (status == STI_OK) status = add_scene(&r);
        sti_json_tree_clear(&r.tree);
    }
    for (int k = 0; k < r.buffer_count; k++) sti_free(env, r.buffer[k].owned);
    sti_free(env, copy);
    return status;
}
