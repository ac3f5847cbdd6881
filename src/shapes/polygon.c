// polygon.c: convex hull of points in the plane, by Andrew's chains with exact turns.
//
// Afterwards corners that stand out by less than 1e-10 of the size are dropped: their two edges would have normals made
// of rounding.
#include <math.h>
#include <stdlib.h>

#include "shapes/orient.h"
#include "shapes/shape.h"

static int compare(const void* x, const void* y) {
    const double *p = x, *q = y;
    if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
    return (p[1] > q[1]) - (p[1] < q[1]);
}

// Lower chain from left to right, upper chain back; h (2 count + 1 points). Returns the number of corners.
static int chains(int count, const double* p, double* h) {
    int k = 0;
    for (int half = 0; half < 2; half++) {
        const int fewest = half == 0 ? 2 : k + 1;  // corners that the chain has, at least, when it may turn back
        for (int j = half; j < count; j++) {
            const double* x = p + 2 * (size_t)(half == 0 ? j : count - 1 - j);
            while (k >= fewest && sti_orient_planar(h + 2 * ((size_t)k - 2), h + 2 * ((size_t)k - 1), x) <= 0) k--;
            h[2 * (size_t)k] = x[0];
            h[2 * (size_t)k + 1] = x[1];
            k++;
        }
    }
    return k - 1;  // the first corner came again
}

static double height(const double* a, const double* b, const double* c) {  // of b over the line from a to c
    const double x = c[0] - a[0], y = c[1] - a[1], length = hypot(x, y);
    if (length == 0) return hypot(b[0] - a[0], b[1] - a[1]);
    return fabs(x * (b[1] - a[1]) - y * (b[0] - a[0])) / length;
}

static int drop_flat_corners(int count, double* h, double tol) {
    for (int i = 0; i < count && count >= 3;) {
        const int before = (i + count - 1) % count, after = (i + 1) % count;
        if (height(h + 2 * (size_t)before, h + 2 * (size_t)i, h + 2 * (size_t)after) > tol) {
            i++;
            continue;
        }
        for (int j = 2 * i; j < 2 * (count - 1); j++) h[j] = h[j + 2];
        count--;
        i = i > 0 ? i - 1 : 0;
    }
    return count;
}

static sti_status store(sti_shape* shape, int count, const double* h) {
    core_arrays arrays;
    sti_status status = sti_shape_core_reserve(shape, count, 0, count, 2 * count, &arrays);
    if (status != STI_OK) return status;
    for (int i = 0; i < count; i++) {
        arrays.vertex[3 * (size_t)i] = h[2 * (size_t)i];
        arrays.vertex[3 * (size_t)i + 1] = h[2 * (size_t)i + 1];
        arrays.loop_vertex[2 * i] = i;
        arrays.loop_vertex[2 * i + 1] = (i + 1) % count;
        arrays.face_start[i + 1] = 2 * (i + 1);
    }
    return sti_shape_core_finish(shape, &arrays);
}

sti_status sti_shape_hull_planar(sti_shape* shape, int count, const double* points) {
    sti_env* env = shape->env;
    double* p = sti_alloc_array(env, 2 * (3 * (size_t)count + 1), sizeof *p);
    if (p == NULL) return STI_ERR_MEMORY;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 2 * count; i++) {
        p[i] = points[i];
        low[i % 2] = fmin(low[i % 2], points[i]);
        high[i % 2] = fmax(high[i % 2], points[i]);
    }
    double* h = p + 2 * (size_t)count;
    qsort(p, (size_t)count, 2 * sizeof *p, compare);
    int corners = chains(count, p, h);
    if (corners >= 3) corners = drop_flat_corners(corners, h, 1e-10 * hypot(high[0] - low[0], high[1] - low[1]));
    sti_status status = STI_OK;
    if (corners < 3) {
        status = STI_FAIL(env, STI_ERR_INPUT, -1, "the %d points of the polygon lie on a line", count);
    } else if (corners > 1 << 16) {
        status = STI_FAIL(env, STI_ERR_SIZE, corners, "polygon of %d corners", corners);
    } else {
        status = store(shape, corners, h);
    }
    sti_free(env, p);
    return status;
}
