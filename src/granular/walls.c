// walls.c: distance of spheres from the walls of a vessel, in closed form.
//
// True distances, not squared ones: a squared gap in the linearized constraint Phi + h n'v >= 0 is too large by a
// factor of about four radii (S3 2.3 as printed; docs/granular.md).
#include <math.h>

#include "granular/bed.h"

double sti_wall_gap(const sti_wall* wall, const double x[3], double radius, double n[3]) {
    const double* a = wall->axis;
    const double d[3] = {x[0] - wall->point[0], x[1] - wall->point[1], x[2] - wall->point[2]};
    const double s = a[0] * d[0] + a[1] * d[1] + a[2] * d[2];
    if (wall->kind == STI_WALL_PLANE) {
        for (int i = 0; i < 3; i++) n[i] = a[i];
        return s - radius;
    }
    double e[3];  // away from the axis
    for (int i = 0; i < 3; i++) e[i] = d[i] - s * a[i];
    const double rho = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    if (rho > 0) {
        for (int i = 0; i < 3; i++) e[i] /= rho;
    } else {  // on the axis every direction is as good: the one across the smallest entry of the axis
        const int k = fabs(a[0]) <= fabs(a[1]) && fabs(a[0]) <= fabs(a[2]) ? 0 : fabs(a[1]) <= fabs(a[2]) ? 1 : 2;
        for (int i = 0; i < 3; i++) e[i] = (i == k ? 1.0 : 0.0) - a[k] * a[i];
        const double size = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
        for (int i = 0; i < 3; i++) e[i] /= size;
    }
    if (wall->kind == STI_WALL_CYLINDER) {
        for (int i = 0; i < 3; i++) n[i] = -e[i];
        return wall->radius - rho - radius;
    }
    const double cosine = 1 / sqrt(1 + wall->slope * wall->slope);
    const double distance = cosine * (wall->radius + wall->slope * s - rho);
    if (wall->rim && s - distance * cosine * wall->slope < 0) {  // the nearest point is on the rim
        const double across = rho - wall->radius, size = hypot(across, s);
        if (size > 0) {
            for (int i = 0; i < 3; i++) n[i] = (across * e[i] + s * a[i]) / size;
            return size - radius;
        }
    }
    for (int i = 0; i < 3; i++) n[i] = cosine * (wall->slope * a[i] - e[i]);
    return distance - radius;
}

// Velocity of the wall's surface at x: it turns about its axis.
void sti_wall_velocity(const sti_wall* wall, const double x[3], double v[3]) {
    const double* a = wall->axis;
    const double d[3] = {x[0] - wall->point[0], x[1] - wall->point[1], x[2] - wall->point[2]};
    v[0] = wall->spin * (a[1] * d[2] - a[2] * d[1]);
    v[1] = wall->spin * (a[2] * d[0] - a[0] * d[2]);
    v[2] = wall->spin * (a[0] * d[1] - a[1] * d[0]);
}
