// raster.h: what all pictures are made with: a viewer far away, a depth buffer, and what light there is at a point.
//
// The viewer looks along `into`; a point p is seen at (right'p, up'p) and has depth into'p. Nearer things hide what
// is behind them; where depths are equal the thing that came first is kept, so a picture depends on the order of the
// things there alone.
#ifndef STI_DRAW_RASTER_H
#define STI_DRAW_RASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stiction/draw.h>

#include "linalg/vec3.h"

typedef struct sti_camera {
    double right[3], up[3], into[3];  // unit and orthogonal
    double left, top, scale;          // of ray (0, 0); rays for each unit of length
    int width, height;                // rays
} sti_camera;

typedef struct sti_depth {
    sti_camera view;
    bool back;     // the far side of each thing is kept, not the near one
    float* depth;  // INFINITY: nothing                                (height x width)
    int* item;     // -1: none; NULL where it does not matter          (height x width)
} sti_depth;

// Directions in which a ray looks around, in sixteen turns, so that a pixel gathers several of them.
typedef struct sti_rings {
    double at[16][32];
} sti_rings;

// Size, samples and tilt of a picture that a caller may ask for.
sti_status sti_view_check(sti_env* env, int width, int height, int samples, double tilt);

// Upright, along d (not vertical, any length).
void sti_camera_look(sti_camera* c, const double d[3]);
// What has to be seen, (u0, u1) x (v0, v1), widened by a margin, and in the middle of the picture. A height of 0
// becomes the one that fits, but `flattest` to `tallest` times the width.
void sti_camera_frame(sti_camera* c, const double u[2], const double v[2], double margin, double flattest,
                      double tallest);
// The place of the corners of a box in the picture: widens u and v.
void sti_camera_widen(const sti_camera* c, const double low[3], const double high[3], double u[2], double v[2]);
// The point on ray (i, j) at a depth.
void sti_camera_point(const sti_camera* c, int i, int j, double depth, double p[3]);

// A buffer for its view, wiped. With what sti_depth_clear frees, also after a failure.
sti_status sti_depth_make(sti_env* env, sti_depth* b, bool items);
void sti_depth_clear(sti_env* env, sti_depth* b);
void sti_depth_put_ball(sti_depth* b, const double x[3], double radius, int item);
// A round rod from a to b without its ends: balls of the same radius close it.
void sti_depth_put_rod(sti_depth* b, const double a[3], const double e[3], double radius, int item);
void sti_depth_put_triangle(sti_depth* b, const double p[9], int item);  // both sides of it, three corners
// The part of the plane n'p = offset within radius of `centre`.
void sti_depth_put_plane(sti_depth* b, const double n[3], double offset, const double centre[3], double radius,
                         int item);
// All rays with n'p <= offset, n across the view, at one depth.
void sti_depth_put_side(sti_depth* b, const double n[3], double offset, double depth, int item);

void sti_rings_fill(sti_rings* r);
// Part of the rays around that see nothing nearer, for a point at depth z on ray (i, j). slope: how the depth of its
// surface grows to the right and upward, for each unit of length; reach: how far around it looks; fade: what is
// nearer by this many reaches counts half.
double sti_depth_openness(const sti_depth* b, const sti_rings* rings, int i, int j, double z, const double slope[2],
                          double reach, double fade);
// Part of the light that reaches p, where b is seen from the light: the rays around it vote. What is nearer by less
// than `bias` casts no shadow.
double sti_depth_lit_part(const sti_depth* b, const double p[3], double bias);

void sti_light_add(double sum[3], const double rgb[3], double factor);
void sti_light_background(double t, double rgb[3]);  // from the top of the picture (0) to its bottom (1)

// A picture from its rays, samples^2 for each pixel: trace adds the light that ray (i, j) sees.
typedef void (*sti_trace)(const void* scene, int i, int j, double sum[3]);
void sti_image_develop(sti_image* image, int samples, sti_trace trace, const void* scene);

#endif
