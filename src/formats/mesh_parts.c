// mesh_parts.c: a concave mesh as convex parts, with what that changes.
//
// Method     The mesh is cut by planes across x, y and z, part by part. What of a solid lies in a box has its extreme
//            points on the surface within the box, where edges of the box pass the surface, and at corners of the box
//            that are inside: so the hull of a part is the hull of its triangles, clipped by the box, and of those
//            corners (a winding number above 1/2 is inside, also where the mesh has holes). No caps have to be made.
// Depth      of a part is how far any point of its surface lies below the faces of its hull: 0 where it is convex. The
//            part with the largest depth is cut through its deepest point, or in the middle, whichever of these six
//            cuts leaves the smaller depth; until all are within the bound, or there are MOST.
// Error      The hulls cover the solid. The largest depth says how much farther they reach; it is taken at the corners,
//            the middles of edges and the middles of all clipped triangles. Of parts with more than THIN points those
//            that lie farthest in DIRECTIONS are kept, and how far others stick out counts as well.
// Compare Lien & Amato 2007 (approximate convex decomposition).
#include "formats/mesh_parts.h"

#include <math.h>
#include <string.h>

#include "formats/mesh_file.h"

enum { MOST = 64, CORNERS = 12, THIN = 1500, DIRECTIONS = 400, GLANCE = 400 };
#define AWAY 0.02  // of the extent of a part: cuts keep off its ends by as much

typedef struct part {
    double low[3], high[3];
    double* point;  // corners of clipped triangles, then samples    (count + samples, 3)
    int count, samples, room;
    int* triangle;  // that reach into the box, of a part that is kept
    int triangles;
    sti_shape* hull;  // NULL: flat
    double depth, deepest[3];
} part;

static void clear(sti_env* env, part* p) {
    sti_free(env, p->point);
    sti_free(env, p->triangle);
    sti_shape_destroy(p->hull);
    *p = (part){0};
}

static sti_status put(sti_env* env, part* p, const double x[3]) {
    if (p->count + p->samples == p->room) {
        const int room = p->room < 256 ? 256 : sti_count_mul(2, p->room);
        double* longer = sti_realloc_array(env, p->point, (size_t)room, 3 * sizeof *longer);
        if (longer == NULL) return STI_ERR_MEMORY;
        p->point = longer;
        p->room = room;
    }
    memcpy(p->point + 3 * (size_t)(p->count + p->samples), x, 3 * sizeof *x);
    return STI_OK;
}

// ---- what lies in a box

// The polygon on the side of the plane x_k = at where sign (x_k - at) <= 0. Returns how many corners are left.
static int cut(int count, double in[CORNERS][3], int k, double at, double sign, double out[CORNERS][3]) {
    int kept = 0;
    for (int i = 0; i < count && kept + 2 <= CORNERS; i++) {
        const double *a = in[i], *b = in[(i + 1) % count];
        const double da = sign * (a[k] - at), db = sign * (b[k] - at);
        if (da <= 0) memcpy(out[kept++], a, 3 * sizeof *a);
        if (!((da < 0 && db > 0) || (da > 0 && db < 0))) continue;
        for (int e = 0; e < 3; e++) out[kept][e] = a[e] + da / (da - db) * (b[e] - a[e]);
        out[kept++][k] = at;
    }
    return kept;
}

// Does what is left of the triangle lie in the plane x_k = at, with the solid not on the side of the box? sign: outward
// there.
static bool belongs_beyond(double corner[3][3], int count, double polygon[CORNERS][3], int k, double at, double sign) {
    for (int i = 0; i < count; i++) {
        if (polygon[i][k] != at) return false;
    }
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    const double normal = (corner[1][l] - corner[0][l]) * (corner[2][m] - corner[0][m]) -
                          (corner[1][m] - corner[0][m]) * (corner[2][l] - corner[0][l]);
    const bool flat = corner[0][k] == at && corner[1][k] == at && corner[2][k] == at;
    return !flat || !(sign * normal > 0);
}

// The triangle clipped by the box, into `polygon`.
static int clip(const part* p, const sti_mesh_data* mesh, int triangle, double polygon[CORNERS][3]) {
    double other[CORNERS][3], corner[3][3];
    int count = 3;
    for (int i = 0; i < 3; i++)
        memcpy(polygon[i], mesh->vertices + 3 * (size_t)mesh->triangles[3 * (size_t)triangle + (size_t)i],
               sizeof polygon[i]);
    memcpy(corner, polygon, sizeof corner);
    for (int k = 0; k < 3 && count > 0; k++) {
        count = cut(count, polygon, k, p->low[k], -1, other);
        if (count > 0) count = cut(count, other, k, p->high[k], 1, polygon);
    }
    const double outward = mesh->volume < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) {
        if (belongs_beyond(corner, count, polygon, k, p->low[k], -outward)) return 0;
        if (belongs_beyond(corner, count, polygon, k, p->high[k], outward)) return 0;
    }
    return count;
}

// 1 inside, 0 outside of a closed mesh: the solid angles of all triangles (Van Oosterom & Strackee 1983).
static double winding(const sti_mesh_data* mesh, const double x[3]) {
    double sum = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        double v[3][3], r[3];
        for (int i = 0; i < 3; i++) {
            const double* p = mesh->vertices + 3 * (size_t)mesh->triangles[3 * (size_t)t + (size_t)i];
            for (int k = 0; k < 3; k++) v[i][k] = p[k] - x[k];
            r[i] = sqrt(v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2]);
        }
        double dot[3], det = 0;
        for (int k = 0; k < 3; k++) {
            const int l = (k + 1) % 3, m = (k + 2) % 3;
            dot[k] = v[k][0] * v[l][0] + v[k][1] * v[l][1] + v[k][2] * v[l][2];
            det += v[0][k] * (v[1][l] * v[2][m] - v[1][m] * v[2][l]);
        }
        sum += atan2(det, r[0] * r[1] * r[2] + dot[0] * r[2] + dot[1] * r[0] + dot[2] * r[1]);
    }
    return sum / (2 * 3.141592653589793);
}

static sti_status put_corners(sti_env* env, const sti_mesh_data* mesh, double sign, part* p) {
    sti_status status = STI_OK;
    for (int i = 0; i < 8 && status == STI_OK; i++) {
        const double x[3] = {i & 1 ? p->high[0] : p->low[0], i & 2 ? p->high[1] : p->low[1],
                             i & 4 ? p->high[2] : p->low[2]};
        if (!(sign * winding(mesh, x) > 0.5)) continue;
        status = put(env, p, x);
        p->count += status == STI_OK;
    }
    return status;
}

// The hull's points, then samples of the surface between them. from: triangles that may reach into the box (NULL: all),
// every stride-th of them.
static sti_status fill(sti_env* env, const sti_mesh_data* mesh, const int* from, int most, int stride, part* p) {
    double polygon[CORNERS][3];
    sti_status status = STI_OK;
    for (int i = 0; i < most && status == STI_OK; i += stride) {
        const int t = from != NULL ? from[i] : i, count = clip(p, mesh, t, polygon);
        if (count > 0 && p->triangle != NULL) p->triangle[p->triangles++] = t;
        for (int e = 0; e < count && status == STI_OK; e++) {
            status = put(env, p, polygon[e]);
            p->count += status == STI_OK;
        }
    }
    for (int i = 0; i < most && status == STI_OK; i += stride) {
        const int count = clip(p, mesh, from != NULL ? from[i] : i, polygon);
        double middle[3] = {0, 0, 0};
        for (int e = 0; e < count && status == STI_OK; e++) {
            double half[3];
            for (int k = 0; k < 3; k++) {
                half[k] = 0.5 * polygon[e][k] + 0.5 * polygon[(e + 1) % count][k];
                middle[k] += polygon[e][k] / count;
            }
            status = put(env, p, half);
            p->samples += status == STI_OK;
        }
        if (count == 0 || status != STI_OK) continue;
        status = put(env, p, middle);
        p->samples += status == STI_OK;
    }
    return status;
}

// ---- hulls

// The points that lie farthest in DIRECTIONS come first; how many.
static int thin(part* p) {
    int kept = 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        const double z = 1 - (2.0 * d + 1) / DIRECTIONS, r = sqrt(1 - z * z), turn = 2.399963229728653 * d;
        const double e[3] = {r * cos(turn), r * sin(turn), z};
        int best = 0;
        double most = -INFINITY;
        for (int i = 0; i < p->count; i++) {
            const double* x = p->point + 3 * (size_t)i;
            const double reach = e[0] * x[0] + e[1] * x[1] + e[2] * x[2];
            if (reach > most) most = reach, best = i;
        }
        if (best < kept) continue;
        double x[3], *a = p->point + 3 * (size_t)kept++, *b = p->point + 3 * (size_t)best;
        memcpy(x, a, sizeof x);
        memcpy(a, b, sizeof x);
        memcpy(b, x, sizeof x);
    }
    return kept;
}

static void measure(part* p) {
    p->depth = 0;
    for (int i = 0; i < p->count + p->samples; i++) {
        const double* x = p->point + 3 * (size_t)i;
        double least = INFINITY;
        for (int f = 0; f < sti_shape_face_count(p->hull); f++) {
            double plane[4];
            int corners;
            sti_shape_face(p->hull, f, plane, &corners);
            least = fmin(least, plane[3] - plane[0] * x[0] - plane[1] * x[1] - plane[2] * x[2]);
        }
        if (!(fabs(least) > p->depth)) continue;
        p->depth = fabs(least);
        memcpy(p->deepest, x, sizeof p->deepest);
    }
}

// What lies in the box of p, a piece of `of` (NULL: of the whole). whole: with every triangle and the corners of the
// box; otherwise with some of them, to see what it would be like. A part without an inside has no hull, and is none.
static sti_status make(sti_env* env, const sti_mesh_data* mesh, double sign, bool whole, const part* of, part* p) {
    const int most = of != NULL ? of->triangles : mesh->triangle_count, stride = whole ? 1 : 1 + most / GLANCE;
    sti_status status = STI_OK;
    if (whole) {
        p->triangle = sti_alloc_array(env, (size_t)most, sizeof *p->triangle);
        if (p->triangle == NULL) return STI_ERR_MEMORY;
        status = put_corners(env, mesh, sign, p);
    }
    if (status == STI_OK) status = fill(env, mesh, of != NULL ? of->triangle : NULL, most, stride, p);
    if (status != STI_OK || p->count < 4) return status;
    const int kept = p->count > THIN ? thin(p) : p->count;
    status = sti_shape_create_convex(env, 3, kept, p->point, &p->hull);
    if (status == STI_ERR_SIZE) status = sti_shape_create_convex(env, 3, thin(p), p->point, &p->hull);
    if (status == STI_OK) measure(p);
    return status == STI_ERR_MEMORY ? status : STI_OK;
}

// ---- cuts

static sti_status halves(sti_env* env, const sti_mesh_data* mesh, double sign, bool whole, const part* p, int k,
                         double at, part out[2]) {
    sti_status status = STI_OK;
    for (int side = 0; side < 2; side++) {
        out[side] = (part){0};
        memcpy(out[side].low, p->low, sizeof p->low);
        memcpy(out[side].high, p->high, sizeof p->high);
        if (side == 0)
            out[side].high[k] = at;
        else
            out[side].low[k] = at;
        if (status == STI_OK) status = make(env, mesh, sign, whole, p, &out[side]);
    }
    return status;
}

// The best of six cuts of p, into best (2); *found: one makes it shallower.
static sti_status best_cut(sti_env* env, const sti_mesh_data* mesh, double sign, const part* p, part best[2],
                           bool* found) {
    double least = INFINITY, where = 0;
    int across = -1;
    for (int i = 0; i < 6; i++) {
        const int k = i / 2;
        const double extent = p->high[k] - p->low[k], at = i % 2 == 0 ? p->deepest[k] : p->low[k] + 0.5 * extent;
        part pair[2];
        if (!(fmin(at - p->low[k], p->high[k] - at) > AWAY * extent)) continue;
        const sti_status status = halves(env, mesh, sign, false, p, k, at, pair);
        // a cut that leaves one part as deep as before is worth less than one that makes both shallower
        const double depth = fmax(pair[0].depth, pair[1].depth) + 0.1 * fmin(pair[0].depth, pair[1].depth);
        for (int side = 0; side < 2; side++) clear(env, &pair[side]);
        if (status != STI_OK) return status;
        if (!(depth < least)) continue;
        least = depth;
        where = at;
        across = k;
    }
    *found = across >= 0;
    return *found ? halves(env, mesh, sign, true, p, across, where, best) : STI_OK;
}

static sti_status cut_all(sti_env* env, const sti_mesh_data* mesh, double sign, double bound, part* list, int* count) {
    while (*count < MOST) {
        int worst = 0;
        for (int i = 1; i < *count; i++) worst = list[i].depth > list[worst].depth ? i : worst;
        if (!(list[worst].depth > bound)) return STI_OK;
        part best[2];
        memset(best, 0, sizeof best);
        bool found = false;
        const sti_status status = best_cut(env, mesh, sign, &list[worst], best, &found);
        if (status != STI_OK || !found) {
            for (int side = 0; side < 2 && found; side++) clear(env, &best[side]);
            return status;
        }
        clear(env, &list[worst]);
        list[worst] = best[0];
        list[(*count)++] = best[1];
    }
    return STI_OK;
}

sti_status sti_mesh_parts(sti_env* env, const sti_mesh_data* mesh, double bound, sti_mesh_hulls* out) {
    part list[MOST];
    int count = 1;
    *out = (sti_mesh_hulls){0};
    memset(list, 0, sizeof list);
    const double sign = mesh->volume < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) {
        list[0].low[k] = INFINITY;
        list[0].high[k] = -INFINITY;
    }
    for (size_t i = 0; i < sti_size_mul(3, (size_t)mesh->vertex_count); i++) {
        list[0].low[i % 3] = fmin(list[0].low[i % 3], mesh->vertices[i]);
        list[0].high[i % 3] = fmax(list[0].high[i % 3], mesh->vertices[i]);
    }
    sti_status status = make(env, mesh, sign, true, NULL, &list[0]);
    if (status == STI_OK) status = cut_all(env, mesh, sign, bound, list, &count);
    for (int i = 0; i < count; i++) {
        if (status == STI_OK && list[i].hull != NULL) {
            sti_shape_mass mass;
            if (sti_shape_measure(env, list[i].hull, 1, &mass) == STI_OK) out->volume += mass.size;
            out->error = fmax(out->error, list[i].depth);
            out->hull[out->count++] = list[i].hull;
            list[i].hull = NULL;
        }
        clear(env, &list[i]);
    }
    return status;
}
