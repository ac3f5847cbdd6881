// broadphase.c: which of many boxes overlap.
//
// Bounded boxes live in a tree (bvh.h). It is refitted at every call and rebuilt when the number of boxes changed or
// the refit made it twice as loose as it was when built. Unbounded boxes, those of half-spaces, are few and are tried
// against every other box. Pairs come out sorted by the numbers of the boxes: neither the shape of the tree nor its
// history shows.
#include <math.h>
#include <stdlib.h>

#include "base/env.h"
#include "shapes/bvh.h"

struct sti_broadphase {
    sti_env* env;
    sti_bvh tree;
    int count;          // boxes of the last call
    int capacity;       // boxes there is room for
    int bounded_count;  // of them in the tree
    int* bounded;       // (capacity)
    int unbounded_count;
    int* unbounded;    // (capacity)
    bool* is_bounded;  // of the last call (capacity)
    sti_box_pair* pair;
    int pair_count, pair_capacity;
};

sti_status sti_broadphase_create(sti_env* env, sti_broadphase** out) {
    *out = NULL;
    sti_broadphase* broad = sti_alloc(env, sizeof *broad);
    if (broad == NULL) return STI_ERR_MEMORY;
    *broad = (sti_broadphase){.env = env};
    *out = broad;
    return STI_OK;
}

void sti_broadphase_destroy(sti_broadphase* broad) {
    if (broad == NULL) return;
    sti_bvh_clear(&broad->tree, broad->env);
    sti_free(broad->env, broad->bounded);
    sti_free(broad->env, broad->unbounded);
    sti_free(broad->env, broad->is_bounded);
    sti_free(broad->env, broad->pair);
    sti_free(broad->env, broad);
}

static sti_status reserve(sti_broadphase* broad, int count) {
    if (count <= broad->capacity) return STI_OK;
    const size_t room = (size_t)count + (size_t)count / 2;
    int* bounded = sti_realloc(broad->env, broad->bounded, room * sizeof *bounded);
    if (bounded != NULL) broad->bounded = bounded;
    int* unbounded = sti_realloc(broad->env, broad->unbounded, room * sizeof *unbounded);
    if (unbounded != NULL) broad->unbounded = unbounded;
    bool* is_bounded = sti_realloc(broad->env, broad->is_bounded, room * sizeof *is_bounded);
    if (is_bounded != NULL) broad->is_bounded = is_bounded;
    if (bounded == NULL || unbounded == NULL || is_bounded == NULL) return STI_ERR_MEMORY;
    broad->capacity = (int)room;
    return STI_OK;
}

static bool is_finite_box(const sti_aabb* box) {
    for (int k = 0; k < 3; k++) {
        if (!isfinite(box->lower[k]) || !isfinite(box->upper[k])) return false;
    }
    return true;
}

static sti_status check(sti_broadphase* broad, int count, const sti_aabb* boxes) {
    if (count < 0 || count > INT32_MAX / 4) return STI_FAIL(broad->env, STI_ERR_ARGUMENT, count, "%d boxes", count);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            if (!(boxes[i].lower[k] <= boxes[i].upper[k]))
                return STI_FAIL(broad->env, STI_ERR_INPUT, i, "box %d: side %d runs from %g to %g", i, k,
                                boxes[i].lower[k], boxes[i].upper[k]);
        }
    }
    return STI_OK;
}

// Sorts boxes into the two lists. Returns whether the same ones as last time are bounded.
static bool divide(sti_broadphase* broad, int count, const sti_aabb* boxes) {
    bool same = count == broad->count;
    broad->bounded_count = broad->unbounded_count = 0;
    for (int i = 0; i < count; i++) {
        const bool bounded = is_finite_box(boxes + i);
        if (same && bounded != broad->is_bounded[i]) same = false;
        broad->is_bounded[i] = bounded;
        if (bounded) {
            broad->bounded[broad->bounded_count++] = i;
        } else {
            broad->unbounded[broad->unbounded_count++] = i;
        }
    }
    broad->count = count;
    return same;
}

static bool push(sti_broadphase* broad, int i, int j) {
    if (broad->pair_count == broad->pair_capacity) {
        if (broad->pair_capacity > INT32_MAX / 2) return false;
        const int room = broad->pair_capacity > 0 ? 2 * broad->pair_capacity : 64;
        sti_box_pair* pair = sti_realloc(broad->env, broad->pair, (size_t)room * sizeof *pair);
        if (pair == NULL) return false;
        broad->pair = pair;
        broad->pair_capacity = room;
    }
    broad->pair[broad->pair_count++] = i < j ? (sti_box_pair){i, j} : (sti_box_pair){j, i};
    return true;
}

typedef struct search {
    sti_broadphase* broad;
    const bool* still;  // may be NULL
    int i;              // the box that asks
} search;

static bool meet(void* user, int j) {
    const search* s = user;
    if (j <= s->i || (s->still != NULL && s->still[s->i] && s->still[j])) return true;
    return push(s->broad, s->i, j);
}

static int compare(const void* x, const void* y) {
    const sti_box_pair *p = x, *q = y;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

static bool collect(sti_broadphase* broad, const sti_aabb* boxes, const bool* still) {
    search s = {.broad = broad, .still = still};
    for (int k = 0; k < broad->bounded_count; k++) {
        s.i = broad->bounded[k];
        if (!sti_bvh_query(&broad->tree, boxes + s.i, meet, &s)) return false;
    }
    for (int k = 0; k < broad->unbounded_count; k++) {
        const int i = broad->unbounded[k];
        for (int j = 0; j < broad->count; j++) {
            if (j == i || (!broad->is_bounded[j] && j < i)) continue;  // two unbounded ones meet once
            if (still != NULL && still[i] && still[j]) continue;
            if (sti_aabb_overlap(boxes + i, boxes + j) && !push(broad, i, j)) return false;
        }
    }
    return true;
}

sti_status sti_broadphase_update(sti_broadphase* broad, int count, const sti_aabb* boxes, const bool* still,
                                 const sti_box_pair** pairs, int* pair_count) {
    *pairs = NULL;
    *pair_count = 0;
    sti_status status = check(broad, count, boxes);
    if (status == STI_OK) status = reserve(broad, count);
    if (status != STI_OK) return status;
    const bool same = divide(broad, count, boxes);
    if (!same || sti_bvh_refit(&broad->tree, boxes) > 2) {
        broad->count = -1;  // until the tree stands, no call may refit it
        status = sti_bvh_reserve(&broad->tree, broad->env, broad->bounded_count);
        if (status != STI_OK) return status;
        sti_bvh_build(&broad->tree, broad->bounded_count, broad->bounded, boxes);
        broad->count = count;
    }
    broad->pair_count = 0;
    if (!collect(broad, boxes, still)) return STI_ERR_MEMORY;
    if (broad->pair_count > 1) qsort(broad->pair, (size_t)broad->pair_count, sizeof *broad->pair, compare);
    *pairs = broad->pair;
    *pair_count = broad->pair_count;
    return STI_OK;
}
