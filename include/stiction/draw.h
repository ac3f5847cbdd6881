// draw.h: pictures: small renderers of spheres in a vessel, cut open, and of bodies; PNG files.
#ifndef STICTION_DRAW_H
#define STICTION_DRAW_H

#include <stdbool.h>
#include <stiction/bodies.h>
#include <stiction/granular.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sti_image {
    int width, height;
    unsigned char* rgb;  // rows from the top   (height x width x 3)
} sti_image;

STI_API sti_status sti_image_make(sti_env* env, int width, int height, sti_image* out);  // black
STI_API void sti_image_clear(sti_env* env, sti_image* image);
// PNG, whole or not at all.
STI_API sti_status sti_image_save(sti_env* env, const sti_image* image, const char* path);
// The same into memory; free with sti_env_free.
STI_API sti_status sti_image_png(sti_env* env, const sti_image* image, void** bytes, size_t* size);

// PNG of any kind, PGM or PPM; more than 8 bits are rounded, what is transparent is taken as opaque.
STI_API sti_status sti_image_load(sti_env* env, const char* path, sti_image* out);

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

// ---- rigid bodies

typedef struct sti_world_view {
    int width, height;  // pixels; height 0: the one that fits
    int samples;        // along a side of each pixel, 1 .. 4
    double turn;        // space: the viewer stands on the side of negative y, turned about z by this; NAN: one of four
                        // turns, from which half-spaces are seen from outside and the scene is widest
    double tilt;        // space: how far the viewer looks down, radians
    bool edges;         // dark lines along edges and outlines
    int ghost_count;    // other instants, drawn pale; the first is the palest
    const sti_pose* ghosts;  // of the body frames, instant by instant          (ghost_count x bodies)
    int look_count;          // what bodies look like besides, or instead of, their shapes
    const sti_look* looks;
    bool plain;         // looks in the colours of their bodies, too
    int contact_count;  // impulses are drawn as arrows, sti_world_arrows
    const sti_world_contact* contacts;
} sti_world_view;

STI_API sti_world_view sti_world_view_default(void);

// Bodies with their frames at poses (bodies). In space z is up; in the plane the viewer looks straight on it. The
// picture shows all that moves, at all instants, but what has gone far away from the rest. color (bodies x 3) holds
// red, green and blue of each body; NULL: as of STI_WORLD_BY_BODY. The picture is made here; clear it with
// sti_image_clear.
STI_API sti_status sti_draw_world(sti_env* env, const sti_bodies* bodies, const sti_pose* poses,
                                  const unsigned char* color, const sti_world_view* view, sti_image* out);

// Impulses as one wants to see them: on the body that moves, or of two on the one that is pushed up. What two bodies
// exchange within about `reach` is one arrow, at the centre of the normal parts.
typedef struct sti_world_arrow {
    double at[3], impulse[3];  // world axes
} sti_world_arrow;

// arrows has room for contact_count; *count of them are filled, without those below a hundredth of the largest.
STI_API sti_status sti_world_arrows(sti_env* env, const sti_bodies* bodies, const sti_world_contact* contacts,
                                    int contact_count, double reach, sti_world_arrow* arrows, int* count);

typedef enum sti_world_color {
    STI_WORLD_BY_BODY,   // eight colours that go together, over and over
    STI_WORLD_BY_SPEED,  // of the centre of mass: the fastest is dark red
    STI_WORLD_BY_FORCE,  // sum of the normal impulses of the last step: the largest is dark red
} sti_world_color;

// Colours for bodies: rgb (bodies x 3). What is fixed is grey. world may be NULL for STI_WORLD_BY_BODY.
STI_API sti_status sti_world_colors(sti_env* env, const sti_bodies* bodies, const sti_world* world, sti_world_color by,
                                    unsigned char* rgb);

#ifdef __cplusplus
}
#endif
#endif
