// light.c: shadows, crevices, and from rays to pixels.
//
// Colours are added as amounts of light, which are about the squares of what a file holds.
#include <math.h>

#include "draw/raster.h"

// A spiral of directions, out to length 1.
void sti_rings_fill(sti_rings* r) {
    const double golden = 2.399963229728653;
    for (int turn = 0; turn < 16; turn++) {
        for (int k = 0; k < 16; k++) {
            const double angle = golden * k + 2 * M_PI * turn / 16;
            const double length = sqrt((k + (turn % 4 + 0.5) / 4) / 16);
            r->at[turn][2 * k] = length * cos(angle);
            r->at[turn][2 * k + 1] = length * sin(angle);
        }
    }
}

double sti_depth_openness(const sti_depth* b, const sti_rings* rings, int i, int j, double z, const double slope[2],
                          double reach, double fade) {
    enum { COUNT = 16, TURNS = 16 };
    const sti_camera* c = &b->view;
    const double span = reach * c->scale;
    const double* ring = rings->at[(5 * i + 11 * j + 7 * (i / 4) + 3 * (j / 4)) % TURNS];
    double closed = 0;
    // every second direction, the others for the rays beside it: a pixel gathers both, and looking around is the cost
    for (int k = (i + j) % 2; k < COUNT; k += 2) {
        const int x = i + (int)floor(span * ring[2 * k] + 0.5), y = j + (int)floor(span * ring[2 * k + 1] + 0.5);
        if (x < 0 || y < 0 || x >= c->width || y >= c->height) continue;
        const double own = z + (slope[0] * (x - i) - slope[1] * (y - j)) / c->scale;
        const double nearer = own - b->depth[(size_t)y * (size_t)c->width + (size_t)x] - 0.12 * reach;
        if (nearer > 0) closed += fmin(1, 2 * nearer / reach) / (1 + nearer * nearer / (fade * fade * reach * reach));
    }
    return 1 - 2 * closed / COUNT;
}

double sti_depth_lit_part(const sti_depth* b, const double p[3], double bias) {
    const sti_camera* c = &b->view;
    const double u = (dot3(c->right, p) - c->left) * c->scale, v = (c->top - dot3(c->up, p)) * c->scale;
    const double z = dot3(c->into, p) - bias;
    // far outside nothing casts a shadow
    if (!(u > -2 && v > -2 && u < c->width + 2 && v < c->height + 2)) return 1;
    const int i = (int)floor(u), j = (int)floor(v);
    int free_rays = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            const int x = i + dx, y = j + dy;
            const bool there = x >= 0 && y >= 0 && x < c->width && y < c->height;
            free_rays += !there || b->depth[(size_t)y * (size_t)c->width + (size_t)x] > z;
        }
    }
    return free_rays / 9.0;
}

void sti_light_add(double sum[3], const double rgb[3], double factor) {
    for (int i = 0; i < 3; i++) sum[i] += factor * rgb[i];
}

void sti_light_background(double t, double rgb[3]) {
    rgb[0] = 0.985 - 0.10 * t;
    rgb[1] = 0.985 - 0.09 * t;
    rgb[2] = 0.99 - 0.07 * t;
}

void sti_image_develop(sti_image* image, int samples, sti_trace trace, const void* scene) {
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            double sum[3] = {0};
            for (int j = 0; j < samples; j++) {
                for (int i = 0; i < samples; i++) trace(scene, samples * x + i, samples * y + j, sum);
            }
            unsigned char* rgb = image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
            for (int i = 0; i < 3; i++)
                rgb[i] = (unsigned char)lround(255 * sqrt(fmin(1, sum[i] / (samples * samples))));
        }
    }
}
