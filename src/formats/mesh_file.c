// mesh_file.c: triangles from files: which format, vertices made one, what the mesh encloses.
#include "formats/mesh_file.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "formats/file.h"

enum { MOST_BYTES = 1 << 29 };

static bool ends_with(const char* path, const char* suffix) {
    const size_t a = strlen(path), b = strlen(suffix);
    return a >= b && strcasecmp(path + a - b, suffix) == 0;
}

bool sti_mesh_file_known(const char* path) {
    static const char* const known[] = {".stl", ".obj", ".dae", ".gltf", ".glb"};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (ends_with(path, known[k])) return true;
    }
    return false;
}

void sti_mesh_data_clear(sti_env* env, sti_mesh_data* mesh) {
    sti_free(env, mesh->vertices);
    sti_free(env, mesh->triangles);
    sti_free(env, mesh->color);
    sti_free(env, mesh->group);
    *mesh = (sti_mesh_data){0};
}

void sti_mesh_turn_up(sti_mesh_data* mesh, const double scale[3]) {
    for (size_t i = 0; i < (size_t)mesh->vertex_count; i++) {
        double* p = mesh->vertices + 3 * i;
        const double y = p[1] / scale[1], z = p[2] / scale[2];
        p[1] = 0 - scale[1] * z;
        p[2] = scale[2] * y;
    }
    mesh->y_up = false;
}

// ---- what the readers use

static sti_status grow(sti_env* env, int* capacity, void** list, size_t size) {
    const int bigger = *capacity < 64 ? 64 : sti_count_mul(2, *capacity);
    void* longer = sti_realloc_array(env, *list, (size_t)bigger, size);
    if (longer == NULL) return STI_ERR_MEMORY;
    *list = longer;
    *capacity = bigger;
    return STI_OK;
}

static sti_status too_many(sti_env* env, const sti_mesh_data* mesh, int most, const char* what) {
    return sti_file_fail(env, STI_ERR_INPUT, mesh->name, "more than %d %s, the most that are read", most, what);
}

sti_status sti_mesh_add_vertex(sti_env* env, sti_mesh_data* mesh, const double x[3]) {
    if (mesh->vertex_count == STI_MESH_MOST_VERTICES) return too_many(env, mesh, STI_MESH_MOST_VERTICES, "vertices");
    if (mesh->vertex_count == mesh->vertex_capacity) {
        const sti_status status =
            grow(env, &mesh->vertex_capacity, (void**)&mesh->vertices, 3 * sizeof *mesh->vertices);
        if (status != STI_OK) return status;
    }
    memcpy(mesh->vertices + 3 * (size_t)mesh->vertex_count++, x, 3 * sizeof *x);
    return STI_OK;
}

sti_status sti_mesh_add_triangle(sti_env* env, sti_mesh_data* mesh, int a, int b, int c) {
    if (mesh->triangle_count == STI_MESH_MOST_TRIANGLES)
        return too_many(env, mesh, STI_MESH_MOST_TRIANGLES, "triangles");
    if (mesh->triangle_count == mesh->triangle_capacity) {
        int room = mesh->triangle_capacity;
        sti_status status = grow(env, &room, (void**)&mesh->color, sizeof *mesh->color);
        if (status == STI_OK)
            status = grow(env, &mesh->triangle_capacity, (void**)&mesh->triangles, 3 * sizeof *mesh->triangles);
        if (status != STI_OK) return status;
    }
    mesh->color[mesh->triangle_count] = mesh->paint;
    memcpy(mesh->triangles + 3 * (size_t)mesh->triangle_count++, (int[]){a, b, c}, 3 * sizeof(int));
    return STI_OK;
}

static int byte_of(double x) {
    return (int)(255 * fmin(fmax(x, 0), 1) + 0.5);  // what is no number becomes 0
}

int sti_mesh_rgb(double r, double g, double b) {
    return STI_MESH_RGB(byte_of(r), byte_of(g), byte_of(b));
}

sti_status sti_mesh_add_group(sti_env* env, sti_mesh_data* mesh) {
    if (mesh->group_count > 0 && mesh->group[mesh->group_count - 1] == mesh->triangle_count) return STI_OK;
    if (mesh->group_count == mesh->group_capacity) {
        const sti_status status = grow(env, &mesh->group_capacity, (void**)&mesh->group, sizeof *mesh->group);
        if (status != STI_OK) return status;
    }
    mesh->group[mesh->group_count++] = mesh->triangle_count;
    return STI_OK;
}

void sti_mesh_compose(const double outer[12], const double inner[12], double out[12]) {
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 4; c++)
            out[4 * r + c] = outer[4 * r] * inner[c] + outer[4 * r + 1] * inner[4 + c] +
                             outer[4 * r + 2] * inner[8 + c] + (c == 3 ? outer[4 * r + 3] : 0);
    }
}

void sti_mesh_place(const double place[12], const double x[3], double out[3]) {
    for (int r = 0; r < 3; r++)
        out[r] = place[4 * r] * x[0] + place[4 * r + 1] * x[1] + place[4 * r + 2] * x[2] + place[4 * r + 3];
}

static void turn_around(sti_mesh_data* mesh, int from) {
    for (size_t t = (size_t)from; t < (size_t)mesh->triangle_count; t++) {
        const int swap = mesh->triangles[3 * t + 1];
        mesh->triangles[3 * t + 1] = mesh->triangles[3 * t + 2];
        mesh->triangles[3 * t + 2] = swap;
    }
}

void sti_mesh_face(sti_mesh_data* mesh, int from, const double place[12]) {
    const double *a = place, *b = place + 4, *c = place + 8;
    const double det =
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
    if (det < 0) turn_around(mesh, from);
}

size_t sti_words_next(sti_words* words) {
    words->at += strspn(words->at, " \t\r\f\v");
    return strcspn(words->at, " \t\r\f\v\n");
}

bool sti_words_line(sti_words* words) {
    words->at += strcspn(words->at, "\n");
    if (*words->at == '\0') return false;
    words->at++;
    words->line++;
    return true;
}

bool sti_words_numbers(sti_words* words, int count, double* out) {
    for (int k = 0; k < count; k++) {
        const size_t length = sti_words_next(words);
        const char* end;
        out[k] = sti_text_double(words->at, &end);
        if (length == 0 || end != words->at + length || !(fabs(out[k]) <= 1e30)) return false;
        words->at = end;
    }
    return true;
}

// ---- vertices at the same place

typedef struct spot {
    double x[3];
    int index;
} spot;

static int compare_spots(const void* a, const void* b) {
    const spot *s = a, *t = b;
    for (int k = 0; k < 3; k++) {
        if (s->x[k] != t->x[k]) return s->x[k] < t->x[k] ? -1 : 1;
    }
    return s->index < t->index ? -1 : s->index > t->index;
}

// Vertices keep the order in which they first come. to (vertex_count): the new number of each.
static void renumber(sti_mesh_data* mesh, spot* spots, int* to) {
    const int n = mesh->vertex_count;
    qsort(spots, (size_t)n, sizeof *spots, compare_spots);
    for (int i = 0; i < n; i++) {  // the first of those at one place: it sorts first
        const double *x = spots[i].x, *y = spots[i > 0 ? i - 1 : 0].x;
        const bool same = i > 0 && x[0] == y[0] && x[1] == y[1] && x[2] == y[2];
        to[spots[i].index] = same ? to[spots[i - 1].index] : spots[i].index;
    }
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (to[i] == i) {
            memmove(mesh->vertices + 3 * (size_t)count, mesh->vertices + 3 * (size_t)i, 3 * sizeof(double));
            to[i] = count++;
        } else {
            to[i] = to[to[i]];
        }
    }
    mesh->vertex_count = count;
}

static sti_status weld(sti_env* env, sti_mesh_data* mesh) {
    const size_t n = (size_t)mesh->vertex_count;
    sti_arena memory = sti_arena_make(env);
    spot* spots = sti_arena_raw(&memory, n, sizeof *spots);
    int* to = sti_arena_raw(&memory, n, sizeof *to);
    if (memory.status == STI_OK) {
        for (size_t i = 0; i < n; i++) {
            for (int k = 0; k < 3; k++) {
                mesh->vertices[3 * i + k] += 0.0;  // -0 is 0
                spots[i].x[k] = mesh->vertices[3 * i + k];
            }
            spots[i].index = (int)i;
        }
        renumber(mesh, spots, to);
        for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++) mesh->triangles[k] = to[mesh->triangles[k]];
    }
    const bool done = memory.status == STI_OK;
    sti_arena_clear(&memory);
    return done ? STI_OK : STI_ERR_MEMORY;
}

// ---- triangles

static double span2(const double* a, const double* b) {
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

// Is twice the area beyond what shapes take for a line?
static bool has_area(const sti_mesh_data* mesh, const int* t) {
    const double *a = mesh->vertices + 3 * (size_t)t[0], *b = mesh->vertices + 3 * (size_t)t[1],
                 *c = mesh->vertices + 3 * (size_t)t[2];
    const double e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, f[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    const double n[3] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]};
    const double longest = fmax(span2(a, b), fmax(span2(b, c), span2(c, a)));
    return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) > 1e-11 * longest;
}

static void drop_flat(sti_mesh_data* mesh) {
    int kept = 0, group = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        while (group < mesh->group_count && mesh->group[group] == t) mesh->group[group++] = kept;
        const int* from = mesh->triangles + 3 * (size_t)t;
        if (!has_area(mesh, from)) continue;
        mesh->color[kept] = mesh->color[t];
        memmove(mesh->triangles + 3 * (size_t)kept++, from, 3 * sizeof *from);
    }
    while (group < mesh->group_count) mesh->group[group++] = kept;
    mesh->dropped = mesh->triangle_count - kept;
    mesh->triangle_count = kept;
}

typedef struct edge {
    int low, high;
    int way;  // +1: from low to high
} edge;

static int compare_edges(const void* a, const void* b) {
    const edge *s = a, *t = b;
    if (s->low != t->low) return s->low < t->low ? -1 : 1;
    if (s->high != t->high) return s->high < t->high ? -1 : 1;
    return s->way < t->way ? -1 : s->way > t->way;
}

// Closed: every edge comes twice, once either way.
static sti_status find_closed(sti_env* env, sti_mesh_data* mesh) {
    const size_t n = 3 * (size_t)mesh->triangle_count;
    edge* edges = sti_alloc_array(env, n, sizeof *edges);
    if (edges == NULL) return STI_ERR_MEMORY;
    for (size_t k = 0; k < n; k++) {
        const int a = mesh->triangles[k], b = mesh->triangles[k % 3 == 2 ? k - 2 : k + 1];
        edges[k] = (edge){a < b ? a : b, a < b ? b : a, a < b ? 1 : -1};
    }
    qsort(edges, n, sizeof *edges, compare_edges);
    bool closed = n > 0 && n % 2 == 0;
    for (size_t k = 0; closed && k < n; k += 2) {
        const edge *s = &edges[k], *t = &edges[k + 1];
        closed = s->low == t->low && s->high == t->high && s->way != t->way &&
                 (k + 2 == n || edges[k + 2].low != s->low || edges[k + 2].high != s->high);
    }
    sti_free(env, edges);
    mesh->closed = closed;
    return STI_OK;
}

// Sum of the tetrahedra between the triangles and the first vertex.
static double volume_of(const sti_mesh_data* mesh) {
    double sum = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        double e[3][3];
        for (int i = 0; i < 3; i++) {
            const double* p = mesh->vertices + 3 * (size_t)mesh->triangles[3 * (size_t)t + i];
            for (int k = 0; k < 3; k++) e[i][k] = p[k] - mesh->vertices[k];
        }
        sum += e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
               e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    }
    return sum / 6;
}

static void apply_scale(sti_mesh_data* mesh, const double scale[3]) {
    for (size_t i = 0; i < (size_t)mesh->vertex_count; i++) {
        for (int k = 0; k < 3; k++) mesh->vertices[3 * i + k] *= scale[k];
    }
    if (!(scale[0] * scale[1] * scale[2] > 0)) turn_around(mesh, 0);
}

static sti_status finish(sti_env* env, const char* name, const double scale[3], sti_mesh_data* mesh) {
    if (mesh->triangle_count == 0) return sti_file_fail(env, STI_ERR_INPUT, name, "a mesh without triangles");
    apply_scale(mesh, scale);
    sti_status status = weld(env, mesh);
    if (status != STI_OK) return status;
    drop_flat(mesh);
    if (mesh->triangle_count == 0)
        return sti_file_fail(env, STI_ERR_INPUT, name, "a mesh of triangles that have no area");
    mesh->volume = volume_of(mesh);
    return find_closed(env, mesh);
}

sti_status sti_mesh_file_parse(sti_env* env, const char* text, size_t size, const char* name, const double scale[3],
                               sti_mesh_data* out) {
    *out = (sti_mesh_data){.name = name};
    const bool gltf = ends_with(name, ".gltf") || ends_with(name, ".glb");
    sti_status status = ends_with(name, ".obj")   ? sti_mesh_read_obj(env, text, size, name, out)
                        : ends_with(name, ".stl") ? sti_mesh_read_stl(env, text, size, name, out)
                        : ends_with(name, ".dae") ? sti_mesh_read_dae(env, text, size, name, out)
                        : gltf                    ? sti_mesh_read_gltf(env, text, size, name, out)
                               : sti_file_fail(env, STI_ERR_INPUT, name, ".stl, .obj, .dae, .gltf or .glb is expected");
    if (status == STI_OK) status = finish(env, name, scale, out);
    out->name = NULL;  // the caller's
    if (status != STI_OK) sti_mesh_data_clear(env, out);
    return status;
}

sti_status sti_mesh_file_read(sti_env* env, const char* path, const double scale[3], sti_mesh_data* out) {
    char* text;
    size_t size;
    *out = (sti_mesh_data){0};
    sti_status status = sti_file_read(env, path, MOST_BYTES, &text, &size);
    if (status == STI_OK) status = sti_mesh_file_parse(env, text, size, path, scale, out);
    sti_free(env, text);
    return status;
}
