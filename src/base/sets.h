// sets.h: disjoint sets of 0 .. n-1 by union and find. A set is known by its least member, so numbering does not depend
// on the order of the joins.
//
//     for (int i = 0; i < n; i++) parent[i] = i;
#ifndef STI_BASE_SETS_H
#define STI_BASE_SETS_H

// The least member of the set of i, as far as it is known; the path is halved on the way.
static inline int sti_sets_root(int* parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static inline void sti_sets_join(int* parent, int a, int b) {
    a = sti_sets_root(parent, a);
    b = sti_sets_root(parent, b);
    parent[a < b ? b : a] = a < b ? a : b;
}

#endif
