// urdf_shapes.c: URDF: collision geometry as shapes.
//
// Mesh       of a body that moves: the convex hull, of each part where the file has parts. With very many vertices
//            those are taken that lie farthest in
//            directions spread evenly over the sphere (a spiral; the box of the mesh made a cube first), and how far
//            any other one sticks out of the hull is measured. Of a fixed body: the triangles themselves.
// Files      package://NAME/REST is looked for in every folder above the URDF file, and as REST alone in one called
//            NAME;
//            then in the folders of the options. Other names start in the folder of the file, then in those, then in
//            every folder above the file.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/file.h"
#include "formats/mesh_parts.h"
#include "robots/urdf.h"

#define PI 3.141592653589793

// ---- where a mesh lies

// folder/name when there is such a file: *out is the caller's then.
static sti_status try_path(sti_env* env, const char* folder, size_t length, const char* name, char** out) {
    const size_t size = sti_size_add(length, strlen(name) + 2);
    char* path = sti_alloc(env, size);
    if (path == NULL) return STI_ERR_MEMORY;
    snprintf(path, size, "%.*s%s%s", (int)length, folder, length > 0 && folder[length - 1] != '/' ? "/" : "", name);
    if (access(path, F_OK) == 0)
        *out = path;
    else
        sti_free(env, path);
    return STI_OK;
}

// Does the folder hold a package.xml with this name in it?
static sti_status is_package(sti_env* env, const char* folder, size_t length, const char* name, size_t package,
                             bool* is) {
    enum { MOST_BYTES = 1 << 20 };
    char *path = NULL, *text = NULL;
    size_t size;
    sti_xml xml = {0};
    *is = false;
    sti_status status = try_path(env, folder, length, "package.xml", &path);
    if (status != STI_OK || path == NULL) return status;
    status = sti_file_read(env, path, MOST_BYTES, &text, &size);
    if (status == STI_OK) status = sti_xml_create_with_text(env, text, size, path, &xml);
    if (status == STI_OK) {
        const sti_xml_node* said = sti_xml_find(xml.root, "name");
        const char* at = said != NULL && said->text != NULL ? said->text : "";
        at += strspn(at, " \t\r\n");
        *is = strcspn(at, " \t\r\n") == package && strncmp(at, name, package) == 0;
        sti_xml_clear(&xml);
    }
    sti_free(env, text);
    sti_free(env, path);
    return status == STI_ERR_MEMORY ? status : STI_OK;  // a broken one names no package
}

// In one folder: package/rest, or rest when the folder is the package, by its own name or by that of its package.xml.
static sti_status try_package(sti_env* env, const char* folder, size_t length, const char* name, char** out) {
    const size_t package = strcspn(name, "/");
    sti_status status = try_path(env, folder, length, name, out);
    if (status != STI_OK || *out != NULL || name[package] == '\0') return status;
    size_t begin = length;
    while (begin > 0 && folder[begin - 1] != '/') begin--;
    bool is = length - begin == package && strncmp(folder + begin, name, package) == 0;
    if (!is) status = is_package(env, folder, length, name, package, &is);
    if (status == STI_OK && is) status = try_path(env, folder, length, name + package + 1, out);
    return status;
}

typedef sti_status try_folder(sti_env* env, const char* folder, size_t length, const char* name, char** out);

// In a folder and in all above it, from the nearest on.
static sti_status try_above(const sti_urdf_model* m, try_folder* try, const char* folder, size_t length,
                            const char* name, char** out) {
    char here[PATH_MAX], *start = NULL;
    sti_status status = STI_OK;
    if (length + 2 < sizeof here) {
        snprintf(here, sizeof here, "%.*s", (int)length, folder);
        char full[PATH_MAX];
        if (realpath(length > 0 ? here : ".", full) != NULL) start = memcpy(here, full, sizeof here);
    }
    for (size_t end = start != NULL ? strlen(start) : 0; status == STI_OK && *out == NULL && end > 0;) {
        status = try(m->env, start, end, name, out);
        while (end > 0 && start[end - 1] != '/') end--;
        while (end > 0 && start[end - 1] == '/') end--;
    }
    return status;
}

static sti_status find_package(const sti_urdf_model* m, const char* folder, size_t length, const char* name,
                               char** out) {
    sti_status status = try_above(m, try_package, folder, length, name, out);
    for (int k = 0; status == STI_OK && *out == NULL && k < m->options->folder_count; k++)
        status = try_package(m->env, m->options->folders[k], strlen(m->options->folders[k]), name, out);
    return status;
}

// *out: NULL where there is no such file.
static sti_status look_for(const sti_urdf_model* m, const char* name, char** out) {
    const char *slash = strrchr(m->file, '/'), *cut = strstr(name, "://");
    const size_t length = slash == NULL ? 0 : (size_t)(slash - m->file) + (slash == m->file);
    const bool here = cut == NULL || strncmp(name, "file://", 7) == 0;
    char found[PATH_MAX];
    if (here && cut != NULL) name = cut + 3;
    const size_t end = strcspn(name, ")");
    if (here && strncmp(name, "$(find ", 7) == 0 &&
        name[end] == ')') {  // as launch files have it: $(find package)/rest
        snprintf(found, sizeof found, "%.*s%s", (int)(end - 7), name + 7, name + end + 1);
        return find_package(m, m->file, length, found, out);
    }
    if (!here) return find_package(m, m->file, length, cut + 3, out);
    const bool absolute = name[0] == '/';
    sti_status status = try_path(m->env, m->file, absolute ? 0 : length, name, out);
    for (int k = 0; !absolute && status == STI_OK && *out == NULL && k < m->options->folder_count; k++)
        status = try_path(m->env, m->options->folders[k], strlen(m->options->folders[k]), name, out);
    if (absolute || status != STI_OK || *out != NULL) return status;
    return try_above(m, try_path, m->file, length, name, out);
}

// The name with / for \, and characters for their escapes. *out: NULL where that changes nothing or finds nothing.
static sti_status look_for_tidy(sti_urdf_model* m, const sti_xml_node* node, const char* name, char** out) {
    char* tidy = sti_strdup(m->env, name);
    if (tidy == NULL) return STI_ERR_MEMORY;
    for (char* at = tidy; *at != '\0'; at++) {
        if (*at == '\\') *at = '/';
    }
    sti_text_unescape(tidy);
    sti_status status = strcmp(tidy, name) != 0 ? look_for(m, tidy, out) : STI_OK;
    if (status == STI_OK && *out != NULL)
        status = sti_urdf_mend(m, node, "filename", "", "\\ is taken for /, and %20 for a blank");
    sti_free(m->env, tidy);
    return status;
}

static sti_status find_mesh(sti_urdf_model* m, const sti_urdf_geometry* g, char** out) {
    const sti_xml_node* node = sti_xml_find(sti_xml_find(g->node, "geometry"), "mesh");
    *out = NULL;
    sti_status status = look_for(m, g->file, out);
    if (status == STI_OK && *out == NULL && !m->options->strict) status = look_for_tidy(m, node, g->file, out);
    if (status != STI_OK) {
        sti_free(m->env, *out);
        return status;
    }
    if (*out != NULL) return STI_OK;
    return sti_urdf_fail(m, node, "filename",
                         "no such file beside this one or above it%s; a folder to look in can be named (--folder DIR)",
                         m->options->folder_count > 0 ? ", nor in other folders that were named" : "");
}

sti_status sti_urdf_read_mesh(sti_urdf_model* m, const sti_urdf_geometry* g, sti_mesh_data* out) {
    char* path;
    *out = (sti_mesh_data){0};
    sti_status status = find_mesh(m, g, &path);
    if (status != STI_OK) return status;
    status = sti_mesh_file_read(m->env, path, g->size, out);
    if (status == STI_OK && out->y_up && m->turn_up) sti_mesh_turn_up(out, g->size);
    sti_free(m->env, path);
    return status;
}

// ---- hulls

// Vertices that are farthest in `count` directions, in the order of the mesh. points (vertex_count x 3) gets them.
static sti_status thin(const sti_urdf_model* m, const sti_mesh_data* mesh, int count, double* points, int* kept) {
    const size_t n = (size_t)mesh->vertex_count;
    bool* used = sti_alloc_array_zero(m->env, n, sizeof *used);
    if (used == NULL) return STI_ERR_MEMORY;
    double low[3], high[3], side[3];
    for (int k = 0; k < 3; k++) low[k] = high[k] = mesh->vertices[k];
    for (size_t i = 0; i < sti_size_mul(3, n); i++) {
        low[i % 3] = fmin(low[i % 3], mesh->vertices[i]);
        high[i % 3] = fmax(high[i % 3], mesh->vertices[i]);
    }
    for (int k = 0; k < 3; k++) side[k] = high[k] > low[k] ? high[k] - low[k] : 1;
    for (int d = 0; d < count; d++) {
        const double z = 1 - (2.0 * d + 1) / count, r = sqrt(1 - z * z), turn = 2.399963229728653 * d;
        const double e[3] = {r * cos(turn) / side[0], r * sin(turn) / side[1], z / side[2]};
        size_t best = 0;
        double most = -INFINITY;
        for (size_t i = 0; i < n; i++) {
            const double* p = mesh->vertices + 3 * i;
            const double reach = e[0] * p[0] + e[1] * p[1] + e[2] * p[2];
            if (reach > most) most = reach, best = i;
        }
        used[best] = true;
    }
    *kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (used[i]) memcpy(points + 3 * (size_t)(*kept)++, mesh->vertices + 3 * i, 3 * sizeof *points);
    }
    sti_free(m->env, used);
    return STI_OK;
}

// How far vertices of the mesh stick out of the hull's faces; beyond `enough` it is not looked for more.
static double sticks_out(const sti_mesh_data* mesh, const sti_shape* hull, double enough) {
    double most = 0;
    for (int f = 0; f < sti_shape_face_count(hull) && most <= enough; f++) {
        double plane[4];
        int corners;
        sti_shape_face(hull, f, plane, &corners);
        for (size_t i = 0; i < (size_t)mesh->vertex_count; i++) {
            const double* p = mesh->vertices + 3 * i;
            const double out = plane[0] * p[0] + plane[1] * p[1] + plane[2] * p[2] - plane[3];
            most = out > most ? out : most;
        }
    }
    return most;
}

// Of hulls beside the mesh they stand for, into text.
static void say_volume(const sti_mesh_data* mesh, double hulls, char* text, size_t size) {
    text[0] = '\0';
    if (!mesh->closed || mesh->volume == 0) return;
    const double excess = hulls / fabs(mesh->volume) - 1;
    if (fabs(excess) < 5e-4)
        snprintf(text, size, ", of the same volume");
    else
        snprintf(text, size, ", of a volume %.3g %% %s", 100 * fabs(excess), excess > 0 ? "larger" : "smaller");
}

static sti_status remark_hull(sti_urdf_model* m, const sti_urdf_geometry* g, const sti_mesh_data* mesh, bool thinned,
                              const sti_shape* hull) {
    char text[160] = "", volume[80];
    int corners = 0;
    sti_shape_mass mass;
    sti_shape_vertices(hull, &corners);
    const sti_status status = sti_shape_measure(m->env, hull, 1, &mass);
    if (status != STI_OK) return status;
    say_volume(mesh, mass.size, volume, sizeof volume);
    if (thinned)
        snprintf(text, sizeof text, "; vertices that were left out stick out of it by at most %.3g",
                 sticks_out(mesh, hull, INFINITY));
    return sti_urdf_remark_add(m, STI_URDF_APPROXIMATED, g->node, NULL,
                               "mesh of %d triangles: its convex hull with %d corners%s%s", mesh->triangle_count,
                               corners, volume, text);
}

// The hull of the vertices that are farthest in `count` directions.
static sti_status make_thin_hull(sti_urdf_model* m, const sti_mesh_data* mesh, int count, sti_shape** out) {
    double* points = sti_alloc_array(m->env, 3 * (size_t)mesh->vertex_count, sizeof *points);
    if (points == NULL) return STI_ERR_MEMORY;
    int kept = 0;
    sti_status status = thin(m, mesh, count, points, &kept);
    if (status == STI_OK) status = sti_shape_create_convex(m->env, 3, kept, points, out);
    sti_free(m->env, points);
    return status;
}

// A hull of fewer corners in place of one with many, where it is as good: what a step costs grows with them.
static sti_status reduce(sti_urdf_model* m, const sti_mesh_data* mesh, bool* thinned, sti_shape** hull) {
    enum { FEW = 48 };
    const double bound = m->options->hull_error * sti_shape_reach(*hull);
    int corners = 0;
    const double* vertices = sti_shape_vertices(*hull, &corners);
    // no vertex but the hull's own is farthest anywhere, unless some were left out of it already
    const bool exact = !*thinned;
    const sti_mesh_data corner = {.vertex_count = corners, .vertices = (double*)vertices};
    for (int count = FEW; bound > 0 && count < corners; count = sti_count_mul(2, count)) {
        sti_shape* fewer = NULL;
        int left = 0;
        const sti_status status = make_thin_hull(m, exact ? &corner : mesh, count, &fewer);
        if (status == STI_ERR_MEMORY) return status;
        if (status == STI_OK) sti_shape_vertices(fewer, &left);
        const bool better = status == STI_OK && left < corners - corners / 4 &&
                            sticks_out(exact ? &corner : mesh, fewer, bound) <= bound;
        sti_shape_destroy(better ? *hull : fewer);
        if (!better) continue;
        *hull = fewer;
        *thinned = true;
        return STI_OK;
    }
    return STI_OK;
}

// The direction in which points that lie in one plane have no extent; false: they lie on a line.
static bool find_normal(const sti_mesh_data* mesh, double n[3], double* size) {
    const double* p = mesh->vertices;
    double far = 0, most = 0, u[3] = {0};
    for (size_t i = 1; i < (size_t)mesh->vertex_count; i++) {
        const double d[3] = {p[3 * i] - p[0], p[3 * i + 1] - p[1], p[3 * i + 2] - p[2]};
        const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (length > far) far = length, memcpy(u, d, sizeof u);
    }
    for (size_t i = 1; i < (size_t)mesh->vertex_count; i++) {
        const double d[3] = {p[3 * i] - p[0], p[3 * i + 1] - p[1], p[3 * i + 2] - p[2]};
        const double c[3] = {u[1] * d[2] - u[2] * d[1], u[2] * d[0] - u[0] * d[2], u[0] * d[1] - u[1] * d[0]};
        const double area = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
        if (area > most) most = area, memcpy(n, c, sizeof c);
    }
    for (int k = 0; k < 3 && most > 0; k++) n[k] /= most;
    *size = far;
    return most > 1e-9 * far * far;
}

// Flat ones are given a thickness that nobody sees, so that they collide. *out: NULL where they are a line.
static sti_status make_flat_hull(sti_urdf_model* m, int geometry, const sti_mesh_data* mesh, sti_shape** out) {
    double n[3], size;
    if (!find_normal(mesh, n, &size)) return STI_OK;
    const double half = fmax(STI_URDF_THIN, 1e-6 * size) / 2;
    const size_t count = (size_t)mesh->vertex_count;
    double* points = sti_alloc_array(m->env, sti_size_mul(2, count), 3 * sizeof *points);
    if (points == NULL) return STI_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < 3; k++) {
            points[6 * i + k] = mesh->vertices[3 * i + k] - half * n[k];
            points[6 * i + 3 + k] = mesh->vertices[3 * i + k] + half * n[k];
        }
    }
    sti_status status = sti_shape_create_convex(m->env, 3, sti_count_mul(2, mesh->vertex_count), points, out);
    sti_free(m->env, points);
    if (status == STI_OK)
        status = sti_urdf_mend(m, m->geometry[geometry].node, NULL, "a flat mesh has no hull",
                               "mesh: flat: made 1e-6 of its size thick");
    return status;
}

// All points, then fewer: a hull may be too large, or have a face with too many corners.
static sti_status make_hull(sti_urdf_model* m, int geometry, const sti_mesh_data* mesh, bool* thinned,
                            sti_shape** out) {
    const int few = m->options->hull_points / 4 < 100 ? 100 : m->options->hull_points / 4;
    *thinned = mesh->vertex_count > m->options->hull_points;
    sti_status status = STI_ERR_SIZE;
    if (!*thinned) status = sti_shape_create_convex(m->env, 3, mesh->vertex_count, mesh->vertices, out);
    if (status == STI_ERR_SIZE) {
        *thinned = true;
        status = make_thin_hull(m, mesh, few, out);
    }
    if (status == STI_ERR_INPUT && !m->options->strict) {
        const sti_status flat = make_flat_hull(m, geometry, mesh, out);
        if (flat != STI_OK || *out != NULL) return flat;
    }
    return status == STI_OK ? reduce(m, mesh, thinned, out) : status;
}

static sti_status add_piece(sti_urdf_model* m, int geometry, sti_shape* shape) {
    if (m->piece_count == m->piece_capacity) {
        const int bigger = m->piece_capacity < 16 ? 16 : sti_count_mul(2, m->piece_capacity);
        sti_urdf_piece* longer = sti_realloc_array(m->env, m->piece, (size_t)bigger, sizeof *longer);
        if (longer == NULL) {
            sti_shape_destroy(shape);
            return STI_ERR_MEMORY;
        }
        m->piece = longer;
        m->piece_capacity = bigger;
    }
    m->piece[m->piece_count++] = (sti_urdf_piece){shape, geometry};
    return STI_OK;
}

static sti_status add_hull(sti_urdf_model* m, int geometry, const sti_mesh_data* mesh) {
    sti_shape* hull = NULL;
    bool thinned;
    sti_status status = make_hull(m, geometry, mesh, &thinned, &hull);
    if (status == STI_OK) status = remark_hull(m, &m->geometry[geometry], mesh, thinned, hull);
    if (status == STI_OK) return add_piece(m, geometry, hull);
    sti_shape_destroy(hull);
    return status;
}

// ---- parts of a mesh

// The vertices of the triangles [from, to), as a mesh of their own: vertices and count alone. used (vertex_count): all
// 0.
static void take_part(const sti_mesh_data* mesh, int from, int to, unsigned char* used, sti_mesh_data* part) {
    const int first = sti_count_mul(3, from), end = sti_count_mul(3, to);
    part->vertex_count = 0;
    for (int t = first; t < end; t++) {
        const int v = mesh->triangles[t];
        if (used[v] != 0) continue;
        used[v] = 1;
        memcpy(part->vertices + 3 * (size_t)part->vertex_count++, mesh->vertices + 3 * (size_t)v, 3 * sizeof(double));
    }
    for (int t = first; t < end; t++) used[mesh->triangles[t]] = 0;
}

// A hull for each part that the file tells apart, as programs write that cut a shape into convex ones. *done: it was
// possible; a part that is flat has no hull, and then there is one hull around all of them.
static sti_status add_parts(sti_urdf_model* m, int geometry, const sti_mesh_data* mesh, bool* done) {
    const size_t room = (size_t)mesh->vertex_count;
    const int before = m->piece_count;
    unsigned char* used = sti_alloc_array_zero(m->env, room, 1);
    sti_mesh_data part = {.vertices = sti_alloc_array(m->env, room, 3 * sizeof(double))};
    sti_status status = STI_OK;
    if (used == NULL || part.vertices == NULL) status = STI_ERR_MEMORY;
    for (int k = 0; status == STI_OK && k < mesh->group_count; k++) {
        const int from = k > 0 ? mesh->group[k] : 0;  // what comes before the first belongs to it
        const int to = k + 1 < mesh->group_count ? mesh->group[k + 1] : mesh->triangle_count;
        sti_shape* hull = NULL;
        bool thinned;
        if (from == to) continue;
        take_part(mesh, from, to, used, &part);
        status = make_hull(m, geometry, &part, &thinned, &hull);
        if (status == STI_OK)
            status = add_piece(m, geometry, hull);
        else
            sti_shape_destroy(hull);
    }
    sti_free(m->env, used);
    sti_free(m->env, part.vertices);
    *done = status == STI_OK;
    const int parts = m->piece_count - before;
    if (status == STI_OK)
        return sti_urdf_remark_add(m, STI_URDF_APPROXIMATED, m->geometry[geometry].node, NULL,
                                   parts == 1 ? "mesh of %d triangles: the convex hull of its %d part with triangles"
                                              : "mesh of %d triangles: the convex hulls of its %d parts",
                                   mesh->triangle_count, parts);
    while (m->piece_count > before) sti_shape_destroy(m->piece[--m->piece_count].shape);
    return status == STI_ERR_INPUT ? STI_OK : status;
}

// Convex parts of a concave mesh, where they are asked for. *done: there are some.
static sti_status add_convex_parts(sti_urdf_model* m, int geometry, const sti_mesh_data* mesh, bool* done) {
    const sti_xml_node* node = m->geometry[geometry].node;
    double size = 0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        for (int k = 0; k < 3; k++)
            size = fmax(size, fabs(mesh->vertices[3 * (size_t)i + (size_t)k] - mesh->vertices[k]));
    }
    const double bound = m->options->decompose * size;
    sti_mesh_hulls parts;
    sti_status status = sti_mesh_parts(m->env, mesh, bound, &parts);
    *done = parts.count > 0;
    for (int k = 0; k < parts.count; k++) {
        if (status == STI_OK)
            status = add_piece(m, geometry, parts.hull[k]);
        else
            sti_shape_destroy(parts.hull[k]);
    }
    if (status != STI_OK || !*done) return status;
    char volume[80];
    say_volume(mesh, parts.volume, volume, sizeof volume);
    return sti_urdf_remark_add(m, STI_URDF_APPROXIMATED, node, NULL,
                               "mesh of %d triangles: %d convex parts, its surface at most %.3g below theirs (%.3g was "
                               "asked for)%s",
                               mesh->triangle_count, parts.count, parts.error, bound, volume);
}

static sti_status add_hulls(sti_urdf_model* m, int geometry, const sti_mesh_data* mesh) {
    enum { MOST_PARTS = 256 };
    bool done = false;
    sti_status status = STI_OK;
    if (mesh->group_count > 1 && mesh->group_count <= MOST_PARTS) status = add_parts(m, geometry, mesh, &done);
    if (status == STI_OK && !done && m->options->decompose > 0) status = add_convex_parts(m, geometry, mesh, &done);
    return status != STI_OK || done ? status : add_hull(m, geometry, mesh);
}

static sti_status make_triangles(sti_urdf_model* m, const sti_urdf_geometry* g, sti_mesh_data* mesh, sti_shape** out) {
    sti_status status = STI_OK;
    if (mesh->closed && mesh->volume < 0) {
        for (size_t t = 0; t < (size_t)mesh->triangle_count; t++) {
            const int swap = mesh->triangles[3 * t + 1];
            mesh->triangles[3 * t + 1] = mesh->triangles[3 * t + 2];
            mesh->triangles[3 * t + 2] = swap;
        }
        status = sti_urdf_remark_add(m, STI_URDF_ASSUMED, g->node, NULL,
                                     "mesh: its triangles look inward and were turned around");
    } else if (!mesh->closed) {
        status = sti_urdf_remark_add(m, STI_URDF_ASSUMED, g->node, NULL,
                                     "mesh: is not closed; what lies behind a triangle counts as inside");
    }
    if (status != STI_OK) return status;
    return sti_shape_create_mesh(m->env, mesh->vertex_count, mesh->vertices, mesh->triangle_count, mesh->triangles,
                                 out);
}

static sti_status add_mesh(sti_urdf_model* m, int geometry, bool fixed) {
    const sti_urdf_geometry* g = &m->geometry[geometry];
    sti_mesh_data mesh;
    sti_shape* shape = NULL;
    sti_status status = sti_urdf_read_mesh(m, g, &mesh);
    if (status == STI_OK && mesh.dropped > 0)
        status = sti_urdf_remark_add(m, STI_URDF_IGNORED, g->node, NULL, "mesh: %d triangles of zero area are left out",
                                     mesh.dropped);
    if (status == STI_OK && !fixed) status = add_hulls(m, geometry, &mesh);
    if (status == STI_OK && fixed) {
        status = make_triangles(m, g, &mesh, &shape);
        if (status == STI_OK) status = add_piece(m, geometry, shape);
    }
    sti_mesh_data_clear(m->env, &mesh);
    return status;
}

// ---- the rest

// For comparison: a prism whose corners lie outside of the circle by as much as its sides lie inside, r tan(pi/2n)^2.
static sti_status make_prism(const sti_urdf_model* m, const sti_urdf_geometry* g, sti_shape** out) {
    enum { MOST = 256 };
    double points[2 * MOST][3];
    const int n = m->options->sides;
    const double R = 2 * g->size[0] / (1 + cos(PI / n));
    for (int k = 0; k < n; k++) {
        const double x = R * cos(2 * PI * k / n), y = R * sin(2 * PI * k / n), z = g->size[1] / 2;
        memcpy(points[2 * k], (double[]){x, y, z}, sizeof points[0]);
        memcpy(points[2 * k + 1], (double[]){x, y, -z}, sizeof points[0]);
    }
    return sti_shape_create_convex(m->env, 3, sti_count_mul(2, n), points[0], out);
}

sti_status sti_urdf_plain_shape(const sti_urdf_model* m, const sti_urdf_geometry* g, sti_shape** out) {
    *out = NULL;
    switch (g->form) {
        case STI_URDF_BOX:
            return sti_shape_create_box(m->env, 3, (double[]){g->size[0] / 2, g->size[1] / 2, g->size[2] / 2}, out);
        case STI_URDF_SPHERE:
            return sti_shape_create_sphere(m->env, 3, g->size[0], out);
        case STI_URDF_PLANE:
            return sti_shape_create_halfspace(m->env, 3, g->size, 0, out);
        case STI_URDF_CAPSULE:
            return sti_shape_create_capsule(m->env, 3, g->size[1] / 2, g->size[0], out);
        default:
            if (m->options->sides > 0) return make_prism(m, g, out);
            return sti_shape_create_cylinder(m->env, g->size[1] / 2, g->size[0], out);
    }
}

sti_status sti_urdf_shape(sti_urdf_model* m, int geometry, bool fixed) {
    const sti_urdf_geometry* g = &m->geometry[geometry];
    sti_shape* shape;
    if (g->form == STI_URDF_MESH) return add_mesh(m, geometry, fixed);
    if (g->form == STI_URDF_PLANE && !fixed)
        return sti_urdf_remark_add(m, STI_URDF_IGNORED, g->node, NULL, "a plane of a link that moves: touches nothing");
    sti_status status = sti_urdf_plain_shape(m, g, &shape);
    if (status == STI_OK && g->form == STI_URDF_CYLINDER && m->options->sides > 0)
        status = sti_urdf_remark_add(m, STI_URDF_APPROXIMATED, g->node, NULL,
                                     "cylinder: a prism of %d sides, within %.3g of the round surface",
                                     m->options->sides, g->size[0] * pow(tan(PI / (2.0 * m->options->sides)), 2));
    if (status == STI_OK) return add_piece(m, geometry, shape);
    sti_shape_destroy(shape);
    return status;
}
