// set.c: everything that may follow one velocity before impact (S1 section 3.1.3, around (53)).
//
//     y >= 0,     G^-1 (y - r) >= 0,     y'G^-1 y <= r'G^-1 r,          r = qdot_norm-
//
// A convex set, bounded by the ellipsoid of conserved energy. For one contact it is an interval. For two the ellipse is
// y = sqrt(r'G^-1 r) G^1/2 (cos a, sin a); each line h'y = g cuts it at angles where (G^1/2 h)'(cos a, sin a) = g,
// between which nothing changes, so the midpoints decide. Extreme values are taken at corners of the polygon, at those
// cuts, or where the ellipse itself is extreme. Printed (53) has a wrong sign (S1-E10).
#include <math.h>
#include <string.h>

#include "impacts/work.h"
#include "linalg/dense_algebra.h"

typedef struct plane {
    double G_inv[4], root[4];  // G^-1 and G^1/2
    double r[2];
    double radius;   // sqrt(r'G^-1 r)
    double h[4][2];  // rows h'y >= g
    double g[4];
    double cut[8];  // angles where the ellipse crosses a line, ascending
    int cut_count;
} plane;

static void fill_plane(const double* G, const double* G_inv, const double* r, plane* k) {
    double copy[4], w[2], V[4];
    memcpy(copy, G, sizeof copy);
    memcpy(k->G_inv, G_inv, sizeof k->G_inv);
    memcpy(k->r, r, sizeof k->r);
    sti_dense_eigen(2, copy, w, V);
    for (int i = 0; i < 4; i++)
        k->root[i] = sqrt(w[0]) * V[i / 2] * V[i % 2] + sqrt(w[1]) * V[2 + i / 2] * V[2 + i % 2];
    k->radius = sqrt(sti_small_form(2, G_inv, r, r));
    for (int i = 0; i < 2; i++) {
        k->h[i][i] = 1;
        memcpy(k->h[2 + i], G_inv + (size_t)2 * (size_t)i, 2 * sizeof(double));
        k->g[2 + i] = sti_vector_dot(2, k->h[2 + i], r);
    }
}

static void at_angle(const plane* k, double angle, double* y) {
    const double c = k->radius * cos(angle), s = k->radius * sin(angle);
    y[0] = k->root[0] * c + k->root[1] * s;
    y[1] = k->root[2] * c + k->root[3] * s;
}

static bool inside(const plane* k, const double* y, double tol) {
    for (int i = 0; i < 4; i++) {
        const double size = fabs(k->h[i][0]) + fabs(k->h[i][1]);
        if (sti_vector_dot(2, k->h[i], y) < k->g[i] - tol * size * k->radius) return false;
    }
    return sti_small_form(2, k->G_inv, y, y) <= k->radius * k->radius * (1 + 4 * tol);
}

static void find_cuts(plane* k) {
    const double turn = 2 * acos(-1.0);
    for (int i = 0; i < 4; i++) {
        double a[2];
        sti_small_apply_transposed(2, 2, k->root, k->h[i], a);
        const double length = k->radius * hypot(a[0], a[1]);
        if (!(fabs(k->g[i]) <= length)) continue;
        const double middle = atan2(a[1], a[0]), half = acos(k->g[i] / length);
        for (int side = -1; side <= 1; side += 2) {
            double angle = fmod(middle + side * half + 2 * turn, turn);
            int j = k->cut_count++;
            for (; j > 0 && k->cut[j - 1] > angle; j--) k->cut[j] = k->cut[j - 1];
            k->cut[j] = angle;
        }
    }
}

static void find_arcs(const plane* k, sti_restitution_set* set) {
    const double turn = 2 * acos(-1.0);
    int first = -1;  // begin after a gap, so that an arc is not torn at angle 0
    bool good[8];
    for (int i = 0; i < k->cut_count; i++) {
        const double next = i + 1 < k->cut_count ? k->cut[i + 1] : k->cut[0] + turn;
        double y[2];
        at_angle(k, 0.5 * (k->cut[i] + next), y);
        good[i] = next - k->cut[i] > 1e-12 && inside(k, y, 1e-12);
        if (!good[i]) first = i;
    }
    bool open = false;
    for (int step = 1; first >= 0 && step <= k->cut_count; step++) {
        const int i = (first + step) % k->cut_count;
        if (good[i] && !open && set->arc_count < 4) {
            at_angle(k, k->cut[i], set->arcs[set->arc_count].from);
            open = true;
        } else if (!good[i] && open) {
            at_angle(k, k->cut[i], set->arcs[set->arc_count++].to);
            open = false;
        }
    }
}

static void consider(const plane* k, const double* y, double* low, double* high) {
    if (!inside(k, y, 1e-9)) return;
    for (int i = 0; i < 2; i++) {
        low[i] = fmin(low[i], y[i]);
        high[i] = fmax(high[i], y[i]);
    }
}

static void find_range(const plane* k, double* low, double* high) {
    double y[2];
    low[0] = low[1] = INFINITY;
    high[0] = high[1] = -INFINITY;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < i; j++) {
            const double det = k->h[i][0] * k->h[j][1] - k->h[i][1] * k->h[j][0];
            if (fabs(det) < 1e-14) continue;
            y[0] = (k->g[i] * k->h[j][1] - k->g[j] * k->h[i][1]) / det;
            y[1] = (k->h[i][0] * k->g[j] - k->h[j][0] * k->g[i]) / det;
            consider(k, y, low, high);
        }
    }
    for (int i = 0; i < k->cut_count; i++) {
        at_angle(k, k->cut[i], y);
        consider(k, y, low, high);
    }
    for (int i = 0; i < 4; i++) {
        const int axis = i / 2;
        const double angle = atan2(k->root[2 * axis + 1], k->root[2 * axis]);
        at_angle(k, i % 2 == 0 ? angle : angle + acos(-1.0), y);
        consider(k, y, low, high);
    }
    for (int i = 0; i < 2; i++) {  // rounding of a zero
        if (fabs(low[i]) < 1e-14 * k->radius) low[i] = 0;
    }
}

sti_status sti_impact_set(sti_impact_work* w) {
    const int p = w->out->p;
    sti_restitution_set* set = &w->out->set;
    if (p < 1 || p > 2 || !w->out->independent || !w->out->impact) return STI_OK;
    double* low = sti_arena_doubles(w->pool, (size_t)p);
    double* high = sti_arena_doubles(w->pool, (size_t)p);
    if (w->pool->status != STI_OK) return w->pool->status;
    *set = (sti_restitution_set){.p = p, .column = -1, .d = 1, .low = low, .high = high};
    int moving = 0;
    for (int i = 0; i < p; i++) {
        if (fabs(w->u[i]) <= w->options.tol * w->speed) continue;
        moving++;
        set->column = i;
    }
    if (moving != 1) set->column = -1;
    double r[2] = {0};
    for (int i = 0; i < p; i++) {
        if (set->column < 0) r[i] = w->u[i];
        if (set->column == i) r[i] = -1;
    }
    if (p == 1) {
        high[0] = fabs(r[0]);
        set->a = 1 / (r[0] * r[0]);
        return STI_OK;
    }
    plane k = {0};
    fill_plane(w->out->G, w->G_inv, r, &k);
    const double square = k.radius * k.radius;
    set->a = k.G_inv[0] / square;
    set->b = 2 * k.G_inv[1] / square;
    set->c = k.G_inv[3] / square;
    find_cuts(&k);
    find_arcs(&k, set);
    find_range(&k, low, high);
    return STI_OK;
}
