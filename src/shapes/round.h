// round.h: cylinders and cones: exact contacts by prisms that are turned about the axis.
#ifndef STI_SHAPES_ROUND_H
#define STI_SHAPES_ROUND_H

#include "shapes/manifold.h"

static inline bool sti_shape_is_round(const sti_shape* s) {
    return s->kind == STI_SHAPE_CYLINDER || s->kind == STI_SHAPE_CONE;
}

// R (a to somewhere) of a, turned about its axis such that a generator faces d, in the frame of R.
void sti_round_face(double R[9], vec d);
// As sti_pair_touches and sti_pair_nearest, of two shapes, one of them round at least; R and t of `p`, whose cores are
// theirs.
void sti_round_touches(const sti_shape* a, const sti_shape* b, const pair* p, double limit, touch_list* list);
touch sti_round_nearest(const sti_shape* a, const sti_shape* b, const pair* p);
// The same for a round a and the triangle of p: its core a and its R are set so that a faces it best. False: farther
// than the limit.
bool sti_round_face_triangle(const sti_shape* a, pair* p, double limit);

#endif
