// predict.c: where a free part goes when a tip pushes it and sticks.
//
// With J = [1 0 -r_y; 0 1 r_x] at the tip, E u = J'f and J u = v: f = (J E^-1 J')^-1 v, u = E^-1 J'f. The planner looks
// for pushes among these; what it takes is then made by the stepper, with everything there is to touch.
#include <math.h>

#include "plan/plan.h"

void sti_touch_place(const sti_outline* o, sti_plan_touch* t) {
    if (o->vertex_count == 0) {
        const double f = 2 * M_PI * t->along;
        t->n[0] = -cos(f);
        t->n[1] = -sin(f);
        t->r[0] = -o->radius * t->n[0];
        t->r[1] = -o->radius * t->n[1];
        return;
    }
    const double *a = o->vertices + 2 * (ptrdiff_t)t->edge,
                 *b = o->vertices + 2 * (ptrdiff_t)((t->edge + 1) % o->vertex_count);
    const double dx = b[0] - a[0], dy = b[1] - a[1], size = hypot(dx, dy);
    t->r[0] = a[0] + t->along * dx;
    t->r[1] = a[1] + t->along * dy;
    t->n[0] = -dy / size;
    t->n[1] = dx / size;
}

// One short way v of the tip at r, both in the world.
static bool move(const double E[9], const double r[2], const double v[2], double u[3], double f[2]) {
    const double J[6] = {1, 0, -r[1], 0, 1, r[0]};
    double A[9], AJ[6], S[4];
    const double c0 = E[4] * E[8] - E[5] * E[7], c1 = E[5] * E[6] - E[3] * E[8], c2 = E[3] * E[7] - E[4] * E[6];
    const double det = E[0] * c0 + E[1] * c1 + E[2] * c2;
    if (!(det > 0)) return false;
    A[0] = c0 / det;
    A[3] = A[1] = c1 / det;
    A[6] = A[2] = c2 / det;
    A[4] = (E[0] * E[8] - E[2] * E[6]) / det;
    A[5] = A[7] = (E[1] * E[6] - E[0] * E[7]) / det;
    A[8] = (E[0] * E[4] - E[1] * E[3]) / det;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++)
            AJ[2 * i + k] = A[3 * i] * J[3 * k] + A[3 * i + 1] * J[3 * k + 1] + A[3 * i + 2] * J[3 * k + 2];
    }
    for (int k = 0; k < 4; k++)
        S[k] = J[3 * (k / 2)] * AJ[k % 2] + J[3 * (k / 2) + 1] * AJ[2 + k % 2] + J[3 * (k / 2) + 2] * AJ[4 + k % 2];
    const double d = S[0] * S[3] - S[1] * S[2];
    if (!(d > 0)) return false;
    f[0] = (S[3] * v[0] - S[1] * v[1]) / d;
    f[1] = (S[0] * v[1] - S[2] * v[0]) / d;
    for (int i = 0; i < 3; i++) u[i] = AJ[2 * i] * f[0] + AJ[2 * i + 1] * f[1];
    return true;
}

bool sti_touch_predict(const sti_manipulation* m, int part, double mu, const double pose[3], const sti_plan_touch* t,
                       double out[3]) {
    enum { STEPS = 16 };
    const double heading = pose[2] + atan2(t->n[1], t->n[0]) + t->angle;
    const double v[2] = {t->way / STEPS * cos(heading), t->way / STEPS * sin(heading)};
    for (int i = 0; i < 3; i++) out[i] = pose[i];
    for (int l = 0; l < STEPS; l++) {
        const double c = cos(out[2]), s = sin(out[2]);
        const double r[2] = {c * t->r[0] - s * t->r[1], s * t->r[0] + c * t->r[1]};
        const double n[2] = {c * t->n[0] - s * t->n[1], s * t->n[0] + c * t->n[1]};
        double E[9], u[3], f[2];
        sti_manipulation_damping(m, part, out[2], E);
        if (!move(E, r, v, u, f)) return false;
        const double fn = f[0] * n[0] + f[1] * n[1], ft = f[1] * n[0] - f[0] * n[1];
        if (!(fn > 0) || fabs(ft) > mu * fn) return false;
        for (int i = 0; i < 3; i++) out[i] += u[i];
    }
    return true;
}
