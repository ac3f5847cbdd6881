// manifold.h: contact points of one pair before they are chosen and turned to the world.
#ifndef STI_SHAPES_MANIFOLD_H
#define STI_SHAPES_MANIFOLD_H

#include "shapes/pair.h"

#define STI_TOUCH_MAX (4 * STI_CORE_MAX_LOOP)

// A point between the cores, in the frame of b: pb on the core of b, pb + d n on the core of a.
typedef struct touch {
    vec pb;
    vec n;     // unit, from b to a
    double d;  // signed distance of the cores
    uint64_t id;
} touch;

typedef struct touch_list {
    int count;
    touch touch[STI_TOUCH_MAX];
} touch_list;

// What touches; the letters r and i of a clipped face are those of its reference and of the face that is clipped.
typedef enum feature {
    FEATURE_VERTEX_A = 1,  // vertex of a
    FEATURE_VERTEX_B,      // vertex of b
    FEATURE_EDGES,         // edge of a, edge of b
    FEATURE_SIDES_A,       // two edges of a that should have met
    FEATURE_SIDES_B,
    FEATURE_POINTS,  // least vertices of the closest simplices of a and b
} feature;

static inline uint64_t touch_id(feature kind, int fa, int fb) {
    return (uint64_t)kind << 58 | (uint64_t)(unsigned)fa << 18 | (uint64_t)(unsigned)fb;
}

static inline uint64_t touch_id_triangle(uint64_t id, int triangle) {
    return id | (uint64_t)(unsigned)triangle << 36;
}

// Adds a touch; a full list is first thinned.
void sti_touch_add(touch_list* list, touch t);
// Keeps at most max touches: the one with the least d, and those that span the largest area.
void sti_touch_reduce(touch_list* list, int max);
void sti_touch_reduce_to(touch_list* list, int max, double deep);  // and whatever has d < deep
// Do a few of them stand for all? Where they are touches of one plane: only if their ends lie in a plane, too.
bool sti_touch_flat(const touch_list* list);

// Points of the face (of a: on_a) that is the reference and of the best face, edge or corner of the other core, at most
// limit apart. Adds them to the list.
void sti_pair_clip(const pair* p, bool on_a, int face, double limit, touch_list* list);

// All touches with d <= limit: the closest one first decides the normal (manifold.c).
void sti_pair_touches(const pair* p, double limit, touch_list* list);
// The closest touch alone, however far.
touch sti_pair_nearest(const pair* p);
// The same for a triangle b of a mesh: neighbour (3 x 3) holds for each edge the direction, in the plane of the
// triangle across it, that leads into that triangle; zero when there is none.
void sti_pair_touches_triangle(const pair* p, const vec neighbour[3], double limit, touch_list* list);

#endif
