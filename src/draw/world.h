// world.h: a picture of rigid bodies while it is made.
#ifndef STI_DRAW_WORLD_H
#define STI_DRAW_WORLD_H

#include "base/env.h"
#include "draw/raster.h"

typedef enum draw_kind {
    DRAW_FACE,
    DRAW_BALL,
    DRAW_ROD,
    DRAW_END,     // a ball that closes a rod
    DRAW_GROUND,  // a half-space
    DRAW_MARK,    // an arrow: before everything, one colour
    DRAW_RIM,     // around it, pale
} draw_kind;

// What the rays of a buffer point to. Coordinates are counted from the middle of the scene.
typedef struct draw_item {
    draw_kind kind;
    int body;      // -1: a link between bodies, or a mark
    int shot;      // -1: now; otherwise a ghost
    int look;      // whose colour it has; -1: that of the body
    double at[3];  // centre of a ball, one end of a rod, the middle of a ground
    double n[3];   // outward normal; of a rod its direction
    double radius;
} draw_item;

typedef struct draw_world {
    sti_env* env;
    const sti_bodies* bodies;
    const sti_pose* poses;
    const sti_world_view* view;
    bool plane;
    double low[3], high[3];  // box of what has to be seen
    double centre[3], size;  // its middle and diagonal
    double typical;          // mean diagonal of the boxes around shapes that move
    sti_aabb* spots;         // boxes of the shapes that have to be seen             (spot_count)
    int spot_count;
    bool* replaced;        // bodies whose shapes are not shown                             (bodies)
    bool* looks;           // bodies that have looks                                        (bodies)
    unsigned char* color;  // of each body                                           (bodies x 3)
    draw_item* items;
    int item_count, item_room;
    sti_rings rings;
    sti_depth seen, ghost, lit;  // by the viewer, now and then; by the light
} draw_world;

static inline bool draw_is_mark(const draw_item* t) {
    return t != NULL && (t->kind == DRAW_MARK || t->kind == DRAW_RIM);
}

// Where body is at an instant; -1: now.
void sti_draw_world_spring_ends(const draw_world* w, const sti_spring* spring, double end[2][3]);
static inline const sti_pose* draw_world_pose(const draw_world* w, int body, int shot) {
    return shot < 0 ? &w->poses[body]
                    : &w->view->ghosts[(size_t)shot * (size_t)sti_bodies_count(w->bodies) + (size_t)body];
}

// The box around a look, with its body at an instant.
void sti_draw_look_bounds(const draw_world* w, const sti_look* look, int shot, sti_aabb* out);

// world_view.c: what has to be seen, and the cameras.
sti_status sti_draw_world_measure(draw_world* w);
sti_status sti_draw_world_aim(draw_world* w);
// Outward normal and offset of a half-space, counted from the middle of the scene.
sti_status sti_draw_world_plane(const draw_world* w, int shape, double n[3], double* offset);

// world_put.c: everything into the buffers.
sti_status sti_draw_world_put(draw_world* w);
sti_status sti_draw_world_add(draw_world* w, const draw_item* item, int* index);

// world_arrows.c: impulses of contacts.
sti_status sti_draw_world_put_arrows(draw_world* w);

// world_shade.c: what a ray sees.
void sti_draw_world_trace(const void* world, int i, int j, double sum[3]);

#endif
