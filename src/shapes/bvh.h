// bvh.h: a binary tree of axis-parallel boxes over numbered items; bvh.c explains it.
#ifndef STI_SHAPES_BVH_H
#define STI_SHAPES_BVH_H

#include <stiction/shapes.h>

#include "base/env.h"

typedef struct sti_bvh_node {
    sti_aabb box;
    int left, right;  // children, both larger than this node's number; a leaf has left = -1
    int item;         // of a leaf
} sti_bvh_node;

typedef struct sti_bvh {
    int count;           // items; 2 count - 1 nodes
    int capacity;        // items there is room for
    double built;        // sum of half areas when built
    sti_bvh_node* node;  // node 0 is the root            (2 capacity)
    int* order;          // items while building          (capacity)
} sti_bvh;

sti_status sti_bvh_reserve(sti_bvh* tree, sti_env* env, int count);
void sti_bvh_clear(sti_bvh* tree, sti_env* env);  // accepts a zero struct

// items (count): numbers of the items; boxes are indexed by them.
void sti_bvh_build(sti_bvh* tree, int count, const int* items, const sti_aabb* boxes);
// New boxes, same items. Returns how many times larger the sum of half areas is than when built.
double sti_bvh_refit(sti_bvh* tree, const sti_aabb* boxes);

static inline bool sti_aabb_overlap(const sti_aabb* a, const sti_aabb* b) {
    for (int k = 0; k < 3; k++) {
        if (a->lower[k] > b->upper[k] || b->lower[k] > a->upper[k]) return false;
    }
    return true;
}

// Calls visit for every item whose box overlaps the given one, in an order fixed by the tree. Ends early, and returns
// false, when visit does.
bool sti_bvh_query(const sti_bvh* tree, const sti_aabb* box, bool (*visit)(void* user, int item), void* user);

#endif
