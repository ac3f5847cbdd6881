// draw.h: pictures: a small renderer of spheres in a vessel, cut open, and PNG files.
#ifndef STICTION_DRAW_H
#define STICTION_DRAW_H

#include <stdbool.h>
#include <stiction/granular.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sti_image {
    int width, height;
    unsigned char* rgb;  // rows from the top   (height x width x 3)
} sti_image;

STI_API sti_status sti_image_create(sti_env* env, int width, int height, sti_image* out);  // black
STI_API void sti_image_clear(sti_env* env, sti_image* image);
// PNG, whole or not at all.
STI_API sti_status sti_image_save(sti_env* env, const sti_image* image, const char* path);
// The same into memory; free with sti_env_free.
STI_API sti_status sti_image_png(sti_env* env, const sti_image* image, void** bytes, size_t* size);

// Colours: one of eight that are told apart also by the colour-blind, over and over; or from pale yellow (0) over
// orange to dark red (1).
STI_API void sti_color_of_class(int i, unsigned char rgb[3]);
STI_API void sti_color_of_value(double value, unsigned char rgb[3]);

typedef struct sti_bed_view {
    int width, height;  // pixels; height 0: the one that fits
    bool cut;           // the half of vessel and grains that is nearer to the viewer is taken away
    double tilt;        // how far the viewer looks down, radians
    int samples;        // along a side of each pixel, 1 .. 4
} sti_bed_view;

STI_API sti_bed_view sti_bed_view_default(void);

// Grains at x (count x 3) in their vessel, seen along y with z up; color (count x 3) holds red, green and blue of each
// grain. The picture is made here; clear it with sti_image_clear.
STI_API sti_status sti_draw_bed(sti_env* env, const sti_grains* grains, const double* x, const unsigned char* color,
                                const sti_bed_view* view, sti_image* out);

#ifdef __cplusplus
}
#endif
#endif
