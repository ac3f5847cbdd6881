// gyro.c: a step of gyroscopic forces alone, body by body:
//
//     I (w* - w) + h w_a x I w_a = 0,        w_a = alpha w* + (1 - alpha) w
//
// by Newton's method. Multiplied by w_a it gives T(w*) - T(w) = -(alpha - 1/2) |w* - w|_I^2: kinetic energy does not
// grow for alpha >= 1/2, and stays for alpha = 1/2.
#include <math.h>
#include <string.h>

#include "bodies/motion.h"
#include "linalg/vec3.h"

enum { GYRO_STEPS = 20, GYRO_HALVINGS = 12 };

// x <- J^-1 x by Cramer's rule; false: singular
static bool solve3(const double J[9], double x[3]) {
    double a[3], b[3], c[3], p[3], q[3], r[3];
    for (int k = 0; k < 3; k++) {
        a[k] = J[3 * k];
        b[k] = J[3 * k + 1];
        c[k] = J[3 * k + 2];
    }
    cross3(b, c, p);
    cross3(c, a, q);
    cross3(a, b, r);
    const double det = dot3(a, p);
    if (!(fabs(det) > 0)) return false;
    const double y[3] = {dot3(p, x) / det, dot3(q, x) / det, dot3(r, x) / det};
    memcpy(x, y, sizeof y);
    return true;
}

// One implicit step of length h from w, by Newton's method; false: it did not converge.
static bool turn_step(const double* I, double h, double alpha, const double* w, double* out) {
    double y[3] = {w[0], w[1], w[2]};
    const double scale = norm3(w);
    for (int step = 0; step < GYRO_STEPS; step++) {
        double a[3], L[3], cross[3], change[3], F[3], J[9];
        for (int k = 0; k < 3; k++) {
            a[k] = alpha * y[k] + (1 - alpha) * w[k];
            change[k] = y[k] - w[k];
        }
        mul3(I, a, L);
        cross3(a, L, cross);
        mul3(I, change, F);
        for (int k = 0; k < 3; k++) F[k] = -(F[k] + h * cross[k]);
        // J = I + alpha h ([a] I - [I a])
        for (int j = 0; j < 3; j++) {
            double column[3] = {I[j], I[3 + j], I[6 + j]}, e[3] = {j == 0, j == 1, j == 2}, x1[3], x2[3];
            cross3(a, column, x1);
            cross3(e, L, x2);
            for (int k = 0; k < 3; k++) J[3 * k + j] = column[k] + alpha * h * (x1[k] + x2[k]);
        }
        if (!solve3(J, F)) return false;
        axpy3(1, F, y);
        if (norm3(F) <= 1e-15 * scale) break;
        if (step == GYRO_STEPS - 1 && norm3(F) > 1e-12 * scale) return false;
    }
    if (!(norm3(y) <= 1e3 * scale)) return false;  // energy does not grow, so a root so far away is none
    memcpy(out, y, sizeof y);
    return true;
}

// Steps are halved where Newton's method does not follow (bodies that turn by radians in a step).
static void turn_body(const double* I, double h, double alpha, double* w) {
    for (int halvings = 0; halvings <= GYRO_HALVINGS; halvings++) {
        const long parts = 1L << halvings;
        double y[3] = {w[0], w[1], w[2]};
        bool done = true;
        for (long i = 0; i < parts && done; i++) done = turn_step(I, h / (double)parts, alpha, y, y);
        if (!done) continue;
        memcpy(w, y, sizeof y);
        return;
    }
}

// Speeds that move nothing by more than rounding within the step are rounding themselves, and are dropped.
static void drop_noise(const sti_world* world, double* v) {
    const int nv = world->nv, d = world->dim;
    for (int i = 0; i < world->moving; i++) {
        double speed = 0;
        for (int k = 0; k < nv; k++) speed = fmax(speed, fabs(v[i * nv + k]) * (k < d ? 1 : world->size));
        if (world->options.h * speed <= STI_STEP_NOISE * world->size)
            memset(v + (size_t)(i * nv), 0, (size_t)nv * sizeof *v);
    }
}

void sti_world_gyroscopic(const sti_world* world, double h, double alpha, const double* v, double* out) {
    memcpy(out, v, (size_t)(world->nv * world->moving) * sizeof *out);
    drop_noise(world, out);
    if (world->dim == 2) return;
    for (int body = 0; body < world->bodies->count; body++) {
        const int slot = world->slot[body];
        if (slot < 0) continue;
        double* w = out + (size_t)(slot * world->nv + 3);
        const double* I = world->bodies->mass[body].inertia;
        double L[3], cross[3];
        mul3(I, w, L);
        cross3(w, L, cross);
        if (norm3(cross) > 1e-15 * norm3(w) * norm3(L)) turn_body(I, h, alpha, w);
    }
}
