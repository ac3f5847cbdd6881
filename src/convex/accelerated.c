// accelerated.c: see accelerated.h.
#include "convex/accelerated.h"

#include <math.h>
#include <string.h>

#include "convex/scaled.h"

enum { DOUBLINGS = 60 };  // of L in a step

void sti_accelerated_place(sti_accelerated* k, double* memory) {
    double** const part[STI_ACCELERATED_VECTORS] = {&k->x, &k->g, &k->y, &k->gy, &k->last, &k->glast};
    for (int i = 0; i < STI_ACCELERATED_VECTORS; i++) *part[i] = memory + (size_t)i * (size_t)k->n;
}

void sti_accelerated_begin(sti_accelerated* k) {
    k->t = 1;
    memcpy(k->y, k->x, (size_t)k->n * sizeof *k->y);
    memcpy(k->gy, k->g, (size_t)k->n * sizeof *k->gy);
}

// x+, with L raised as far as it asks.
static void descend(sti_accelerated* k) {
    const int n = k->n;
    const double *w = k->weight, *y = k->y, *gy = k->gy;
    for (int tries = 0; tries < DOUBLINGS; tries++) {
        double curvature, plain, length;
        k->project(k->user, y, gy, 1 / k->L, k->x);
        k->gradient(k->user, k->x, k->g);
        const double *x = k->x, *g = k->g;
        STI_SUM4(curvature, n, (x[i] - y[i]) * (g[i] - gy[i]));
        STI_SUM4(plain, n, (x[i] - y[i]) * (x[i] - y[i]));
        length = plain;
        if (w != NULL) STI_SUM4(length, n, w[i] * ((x[i] - y[i]) * (x[i] - y[i])));
        k->way = sqrt(plain);
        if (!(curvature > k->L * length * (1 + 1e-10)) || (k->again != NULL && !k->again(k->user))) return;
        k->L = fmax(2 * k->L, fmin(curvature / length, 8 * k->L));
    }
}

void sti_accelerated_step(sti_accelerated* k) {
    const int n = k->n;
    sti_trade(&k->x, &k->last);
    sti_trade(&k->g, &k->glast);
    descend(k);
    const double *w = k->weight, *x = k->x, *g = k->g, *last = k->last, *glast = k->glast;
    double *y = k->y, *gy = k->gy, against;
    if (w != NULL)
        STI_SUM4(against, n, w[i] * ((y[i] - x[i]) * (x[i] - last[i])));
    else
        STI_SUM4(against, n, (y[i] - x[i]) * (x[i] - last[i]));
    const double square = k->t * k->t, next = 0.5 * (k->t * sqrt(square + 4) - square);
    const double beta = against > 0 ? 0 : k->t * (1 - k->t) / (square + next);
    k->t = against > 0 ? 1 : next;
    for (int i = 0; i < n; i++) {
        y[i] = x[i] + beta * (x[i] - last[i]);
        gy[i] = g[i] + beta * (g[i] - glast[i]);
    }
    k->L *= k->forget;
}
