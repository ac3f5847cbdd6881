// hull.c: the hull of points in a few dimensions, by gift wrapping.
//
// Chand & Kapur 1970. A face is n points whose hyperplane a'x <= b has all others below it. Leaving out one of them
// leaves a ridge; turning the hyperplane about the ridge, away from the point left out, until it meets the next point
// gives the face across. Faces are joined by ridges, so from one face on all are met: the list is complete when every
// ridge of every face on it has been crossed. That is the proof; where the pieces came from does not matter.
//
// Points are drawn towards 0 by parts of their own (STI_HULL_PULL times a number from 0 to 1 that depends on the
// index), so that faces have n points each. If 0 is inside the hull, the points stay inside it, and what is proved of
// their hull is proved of the hull: its ball is no larger.
#include "verify/hull.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "verify/check.h"

enum { N = STI_HULL_N_MOST };
#define BELOW 1e-10  // rounding of a'x - b

typedef struct face {
    short vertex[N];  // ascending
    double a[N], b;
} face;

typedef struct hull {
    sti_env* env;
    int n, count;
    double* p;  // (count x n)
    face* faces;
    int face_count, capacity, limit;
    int* table;  // faces by their vertices, -1: free   (slots)
    size_t slots;
    bool broken;  // rounding was in the way, or too many faces
} hull;

static const double* at(const hull* h, int i) {
    return h->p + (size_t)i * (size_t)h->n;
}

// Takes out of v its parts along the rows of E, twice; false: nothing is left.
static bool straighten(int n, int rows, double (*E)[N], double* v) {
    const double before = sqrt(sti_check_sum(n, v, v));
    for (int twice = 0; twice < 2; twice++) {
        for (int r = 0; r < rows; r++) {
            const double part = sti_check_sum(n, E[r], v);
            for (int k = 0; k < n; k++) v[k] -= part * E[r][k];
        }
    }
    const double size = sqrt(sti_check_sum(n, v, v));
    if (!(size > 1e-12 * before)) return false;
    for (int k = 0; k < n; k++) v[k] /= size;
    return true;
}

// An orthonormal basis of the directions between the points of a list; returns how many, -1: they are dependent.
static int make_basis(const hull* h, const short* list, int count, double (*E)[N]) {
    for (int i = 1; i < count; i++) {
        for (int k = 0; k < h->n; k++) E[i - 1][k] = at(h, list[i])[k] - at(h, list[0])[k];
        if (!straighten(h->n, i - 1, E, E[i - 1])) return -1;
    }
    return count - 1;
}

// Turns a about the points of the list towards c, both orthogonal to it, until another point is met; -1: none is.
static int turn(const hull* h, const short* list, int count, double* a, const double* c) {
    const double* origin = at(h, list[0]);
    double least = 3.2, x_best = 0, y_best = 0;
    int met = -1;
    for (int i = 0; i < h->count; i++) {
        bool listed = false;
        for (int k = 0; k < count; k++) listed = listed || list[k] == i;
        if (listed) continue;
        double x = 0, y = 0;
        for (int k = 0; k < h->n; k++) {
            const double w = at(h, i)[k] - origin[k];
            x -= a[k] * w;
            y += c[k] * w;
        }
        const double angle = atan2(fmax(x, 0), y);
        if (angle >= least) continue;
        least = angle;
        met = i;
        x_best = fmax(x, 0);
        y_best = y;
    }
    const double size = hypot(x_best, y_best);
    if (met < 0 || !(size > 0)) return -1;
    for (int k = 0; k < h->n; k++) a[k] = a[k] * y_best / size + c[k] * x_best / size;
    return met;
}

// ---- the list of faces

static size_t slot_of(const hull* h, const short* vertex) {
    uint64_t x = 1469598103934665603u;
    for (int k = 0; k < h->n; k++) x = (x ^ (uint64_t)vertex[k]) * 1099511628211u;
    size_t slot = (size_t)(x ^ x >> 29) % h->slots;
    while (h->table[slot] >= 0 && memcmp(h->faces[h->table[slot]].vertex, vertex, (size_t)h->n * sizeof *vertex) != 0)
        slot = (slot + 1) % h->slots;
    return slot;
}

static void sort(short* list, int count) {
    for (int i = 1; i < count; i++) {
        for (int j = i; j > 0 && list[j] < list[j - 1]; j--) {
            const short t = list[j];
            list[j] = list[j - 1];
            list[j - 1] = t;
        }
    }
}

static sti_status grow(hull* h) {
    const int capacity = h->capacity > 0 ? 2 * h->capacity : 64;
    face* faces = sti_realloc(h->env, h->faces, (size_t)capacity * sizeof *faces);
    if (faces == NULL) return STI_ERR_MEMORY;
    h->faces = faces;
    int* table = sti_alloc_array(h->env, 4 * (size_t)capacity, sizeof *table);
    if (table == NULL) return STI_ERR_MEMORY;
    sti_free(h->env, h->table);
    h->table = table;
    h->slots = 4 * (size_t)capacity;
    h->capacity = capacity;
    for (size_t k = 0; k < h->slots; k++) table[k] = -1;
    for (int f = 0; f < h->face_count; f++) table[slot_of(h, faces[f].vertex)] = f;
    return STI_OK;
}

// A face by its points and its normal, unless it is there. Every point has to be below it.
static sti_status put(hull* h, short* vertex, const double* a) {
    sort(vertex, h->n);
    if (h->face_count == h->capacity) {
        const sti_status status = grow(h);
        if (status != STI_OK) return status;
    }
    const size_t slot = slot_of(h, vertex);
    if (h->table[slot] >= 0) return STI_OK;
    face* f = &h->faces[h->face_count];
    memcpy(f->vertex, vertex, sizeof f->vertex);
    // the normal again from the points, so that errors do not add up from face to face
    double E[N][N];
    memcpy(f->a, a, sizeof f->a);
    const int rows = make_basis(h, vertex, h->n, E);
    if (rows < 0 || !straighten(h->n, rows, E, f->a)) {
        h->broken = true;
        return STI_OK;
    }
    f->b = sti_check_sum(h->n, f->a, at(h, vertex[0]));
    for (int i = 0; i < h->count; i++) {
        if (sti_check_sum(h->n, f->a, at(h, i)) > f->b + BELOW) h->broken = true;
    }
    if (h->face_count + 1 > h->limit) h->broken = true;
    if (!h->broken) h->table[slot] = h->face_count++;
    return STI_OK;
}

// ---- wrapping

// The first face: a hyperplane that touches one point, turned until it touches n.
static sti_status begin(hull* h) {
    short list[N] = {0};
    double a[N] = {1}, E[N][N];
    for (int i = 1; i < h->count; i++) {
        if (at(h, i)[0] > at(h, list[0])[0]) list[0] = (short)i;
    }
    for (int count = 1; count < h->n; count++) {
        double c[N] = {0};
        const int rows = make_basis(h, list, count, E);
        if (rows < 0) return h->broken = true, STI_OK;
        memcpy(E[rows], a, sizeof a);
        bool found = false;
        for (int k = 0; k < h->n && !found; k++) {
            memset(c, 0, sizeof c);
            c[k] = 1;
            found = straighten(h->n, rows + 1, E, c) && fabs(c[k]) > 0.1;
        }
        const int met = found ? turn(h, list, count, a, c) : -1;
        if (met < 0) return h->broken = true, STI_OK;
        list[count] = (short)met;
    }
    return put(h, list, a);
}

// The face across the ridge without vertex k of face f.
static sti_status cross(hull* h, int f, int k) {
    short ridge[N];
    double E[N][N], a[N], c[N];
    const face old = h->faces[f];
    for (int i = 0, j = 0; i < h->n; i++) {
        if (i != k) ridge[j++] = old.vertex[i];
    }
    const int rows = make_basis(h, ridge, h->n - 1, E);
    memcpy(a, old.a, sizeof a);
    if (rows >= 0) memcpy(E[rows], a, sizeof a);
    for (int j = 0; j < h->n; j++) c[j] = at(h, ridge[0])[j] - at(h, old.vertex[k])[j];
    const int met = rows >= 0 && straighten(h->n, rows + 1, E, c) ? turn(h, ridge, h->n - 1, a, c) : -1;
    if (met < 0) {
        h->broken = true;
        return STI_OK;
    }
    ridge[h->n - 1] = (short)met;
    return put(h, ridge, a);
}

// From 0 to 1, another for every index.
static double part(int i) {
    uint64_t x = (uint64_t)(i + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    return (double)(x >> 11) * 0x1p-53;
}

sti_status sti_hull_radius(sti_env* env, int n, int count, const double* points, int face_limit, double* radius,
                           bool* done) {
    hull h = {.env = env, .n = n, .count = count, .limit = face_limit};
    *done = false;
    *radius = NAN;
    if (n < 2 || n > N || count <= n || count > 30000) return STI_OK;
    h.p = sti_alloc_array(env, (size_t)count * (size_t)n, sizeof *h.p);
    if (h.p == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < count * n; i++) h.p[i] = points[i] * (1 - STI_HULL_PULL * part(i / n));
    sti_status status = begin(&h);
    for (int f = 0; status == STI_OK && !h.broken && f < h.face_count; f++) {
        if (f % 64 == 63) status = sti_check_time(env, "wrapping a hull");
        for (int k = 0; status == STI_OK && !h.broken && k < n; k++) status = cross(&h, f, k);
    }
    *done = status == STI_OK && !h.broken;
    double least = INFINITY;
    for (int f = 0; f < h.face_count; f++) least = fmin(least, h.faces[f].b);
    *radius = least - BELOW;
    sti_free(env, h.p);
    sti_free(env, h.faces);
    sti_free(env, h.table);
    return status;
}
