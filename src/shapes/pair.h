// pair.h: two cores, one seen from the frame of the other, and what the pair tests learn about them.
#ifndef STI_SHAPES_PAIR_H
#define STI_SHAPES_PAIR_H

#include "shapes/shape.h"

// Everything of a pair test is in the frame of b, so that the size of world coordinates does not matter.
typedef struct pair {
    const core* a;
    const core* b;
    double R[9];   // a to b
    vec t;         // origin of a
    double scale;  // size of the larger core
} pair;

static inline vec pair_vertex_a(const pair* p, int i) {
    return vec_add(rotate(p->R, vec_of(p->a->vertex + 3 * (size_t)i)), p->t);
}

static inline vec pair_vertex_b(const pair* p, int i) {
    return vec_of(p->b->vertex + 3 * (size_t)i);
}

static inline vec core_normal(const core* c, int f) {
    return vec_of(c->plane + 4 * (size_t)f);
}

// Number of the vertex farthest along d; on ties the first, or any of a hull with many. from: one that may be near it.
static inline int core_support_from(const core* c, vec d, int from) {
    if (c->near_start != NULL) return sti_core_climb(c, d, from);
    int best = 0;
    double most = vec_dot(d, vec_of(c->vertex));
    for (int i = 1; i < c->vertex_count; i++) {
        const double s = vec_dot(d, vec_of(c->vertex + 3 * (size_t)i));
        if (s > most) {
            most = s;
            best = i;
        }
    }
    return best;
}

static inline int core_support(const core* c, vec d) {
    return core_support_from(c, d, 0);
}

// Closest points of the cores.
typedef struct closest {
    double distance;   // 0: they overlap, or are nearer than 1e-12 of the scale
    bool far;          // stopped early: the distance is larger than the limit; nothing else is set
    vec n;             // unit, from b to a
    vec pa, pb;        // closest points; a common point when they meet in one
    int count;         // corners of the simplex that holds them, 1 to 3; 0 when they overlap
    int ia[3], ib[3];  // its vertices of a and b
} closest;

// limit: distances above it are not of interest.
void sti_pair_closest(const pair* p, double limit, closest* out);

typedef enum axis_kind { AXIS_FACE_A, AXIS_FACE_B, AXIS_EDGES, AXIS_OTHER } axis_kind;

// The direction that parts the cores best.
typedef struct axis {
    axis_kind kind;
    double separation;  // min over a of n'x - max over b of n'x; negative: depth of the overlap
    vec n;              // unit, from b to a
    int fa, fb;         // the face, or the two edges
} axis;

void sti_pair_axis(const pair* p, axis* out);

#endif
