// geometry.c: geometry of the search: distances of poses, extents of sets, what overlaps what.
#include <math.h>
#include <string.h>

#include "plan/plan.h"

double sti_angle_wrap(double a) {
    return remainder(a, 2 * M_PI);
}

double sti_pose_distance(const double a[3], const double b[3], double metric) {
    const double turn = metric * sti_angle_wrap(a[2] - b[2]);
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + turn * turn);
}

void sti_pose_set_bounds(const sti_pose_set* s, double low[3], double high[3]) {
    const double c = cos(s->angle), d = sin(s->angle);
    const double x[2] = {c * s->low[0], c * s->high[0]}, y[2] = {-d * s->low[1], -d * s->high[1]};
    const double z[2] = {d * s->low[0], d * s->high[0]}, w[2] = {c * s->low[1], c * s->high[1]};
    low[0] = fmin(x[0], x[1]) + fmin(y[0], y[1]);
    high[0] = fmax(x[0], x[1]) + fmax(y[0], y[1]);
    low[1] = fmin(z[0], z[1]) + fmin(w[0], w[1]);
    high[1] = fmax(z[0], z[1]) + fmax(w[0], w[1]);
    low[2] = s->low[2];
    high[2] = s->high[2];
}

bool sti_outline_meets(const sti_outline* o, const double pose[3], const double p[2], double room) {
    const double c = cos(pose[2]), s = sin(pose[2]), dx = p[0] - pose[0], dy = p[1] - pose[1];
    const double x = c * dx + s * dy, y = c * dy - s * dx;
    if (o->vertex_count == 0) return hypot(x, y) < o->radius + room;
    bool inside = false;
    for (int i = 0, j = o->vertex_count - 1; i < o->vertex_count; j = i++) {
        const double *a = o->vertices + 2 * (ptrdiff_t)j, *b = o->vertices + 2 * (ptrdiff_t)i;
        const double ex = b[0] - a[0], ey = b[1] - a[1];
        const double f = fmin(fmax(((x - a[0]) * ex + (y - a[1]) * ey) / (ex * ex + ey * ey), 0), 1);
        if (hypot(x - a[0] - f * ex, y - a[1] - f * ey) < room) return true;
        if ((a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / ey * ex) inside = !inside;
    }
    return inside;
}

static void corner(const sti_outline* o, const double pose[3], int i, double in, double p[2]) {
    const double c = cos(pose[2]), s = sin(pose[2]);
    const double x = o->vertex_count > 0 ? in * o->vertices[2 * i] : 0,
                 y = o->vertex_count > 0 ? in * o->vertices[2 * i + 1] : 0;
    p[0] = pose[0] + c * x - s * y;
    p[1] = pose[1] + s * x + c * y;
}

// Corners drawn in by a little towards the origin.
static const double INWARD = 1 - 1e-6;

static bool reaches_into(const sti_outline* a, const double pose_a[3], const sti_outline* b, const double pose_b[3]) {
    const int count = a->vertex_count > 0 ? a->vertex_count : 1;
    for (int i = 0; i < count; i++) {
        double p[2];
        corner(a, pose_a, i, INWARD, p);
        if (sti_outline_meets(b, pose_b, p, a->vertex_count > 0 ? 0 : INWARD * a->radius)) return true;
    }
    return false;
}

static double side_of(const double a[2], const double b[2], const double p[2]) {
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

static bool edges_cross(const sti_outline* a, const double pose_a[3], const sti_outline* b, const double pose_b[3]) {
    for (int i = 0; i < a->vertex_count; i++) {
        double p[2], q[2], u[2], v[2];
        corner(a, pose_a, i, INWARD, p);
        corner(a, pose_a, (i + 1) % a->vertex_count, INWARD, q);
        for (int j = 0; j < b->vertex_count; j++) {
            corner(b, pose_b, j, 1, u);
            corner(b, pose_b, (j + 1) % b->vertex_count, 1, v);
            if (side_of(p, q, u) * side_of(p, q, v) < 0 && side_of(u, v, p) * side_of(u, v, q) < 0) return true;
        }
    }
    return false;
}

bool sti_outlines_overlap(const sti_outline* a, const double pose_a[3], const sti_outline* b, const double pose_b[3]) {
    double reach = a->radius + b->radius;
    for (int i = 0; i < a->vertex_count; i++) reach = fmax(reach, hypot(a->vertices[2 * i], a->vertices[2 * i + 1]));
    double other = b->radius;
    for (int i = 0; i < b->vertex_count; i++) other = fmax(other, hypot(b->vertices[2 * i], b->vertices[2 * i + 1]));
    if (hypot(pose_a[0] - pose_b[0], pose_a[1] - pose_b[1]) > reach + other) return false;
    return reaches_into(a, pose_a, b, pose_b) || reaches_into(b, pose_b, a, pose_a) ||
           edges_cross(a, pose_a, b, pose_b);
}

int sti_pose_blocked(const sti_manipulation* m, int part, const double pose[3], const double* q) {
    const sti_outline o = sti_manipulation_part_outline(m, part);
    const int fixtures = sti_manipulation_fixture_count(m);
    for (int i = 0; i < fixtures; i++) {
        double at[3];
        const sti_outline f = sti_manipulation_fixture_outline(m, i);
        sti_manipulation_fixture_pose(m, i, at);
        if (sti_outlines_overlap(&o, pose, &f, at)) return i;
    }
    for (int i = 0; i < sti_manipulation_part_count(m); i++) {
        const sti_outline f = sti_manipulation_part_outline(m, i);
        if (i != part && sti_outlines_overlap(&o, pose, &f, q + 3 * (ptrdiff_t)i)) return fixtures + i;
    }
    return -1;
}
