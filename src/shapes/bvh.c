// bvh.c: a binary tree of axis-parallel boxes over numbered items.
//
// Built from the top: the items of a node are split at the median of their centres along the longest side of the box of
// those centres, ties by item number. So the depth is at most 1 + log2 n, the tree depends on the boxes alone, and a
// build costs O(n log n). When boxes move, a sweep from the last node to the first refits all boxes in O(n); the sum of
// their half areas tells how loose the tree has become.
#include "shapes/bvh.h"

#include <math.h>

sti_status sti_bvh_reserve(sti_bvh* tree, sti_env* env, int count) {
    if (count <= tree->capacity) return STI_OK;
    sti_bvh_node* node = sti_alloc_array(env, 2 * (size_t)count, sizeof *node);
    int* order = sti_alloc_array(env, (size_t)count, sizeof *order);
    if (node == NULL || order == NULL) {
        sti_free(env, node);
        sti_free(env, order);
        return STI_ERR_MEMORY;
    }
    sti_bvh_clear(tree, env);
    tree->node = node;
    tree->order = order;
    tree->capacity = count;
    return STI_OK;
}

void sti_bvh_clear(sti_bvh* tree, sti_env* env) {
    sti_free(env, tree->node);
    sti_free(env, tree->order);
    *tree = (sti_bvh){0};
}

static double centre(const sti_aabb* box, int k) {
    return 0.5 * box->lower[k] + 0.5 * box->upper[k];
}

static bool before(const sti_aabb* boxes, int k, int i, int j) {
    const double x = centre(boxes + i, k), y = centre(boxes + j, k);
    return x < y || (x == y && i < j);
}

// Rearranges order[0..count) so that entry m stands where sorting would put it, smaller ones before it.
static void select_median(int* order, int count, int m, const sti_aabb* boxes, int k) {
    int low = 0, high = count - 1;
    while (low < high) {
        const int pivot = order[low + (high - low) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (before(boxes, k, order[i], pivot)) i++;
            while (before(boxes, k, pivot, order[j])) j--;
            if (i <= j) {
                const int swap = order[i];
                order[i++] = order[j];
                order[j--] = swap;
            }
        }
        if (m <= j) {
            high = j;
        } else if (m >= i) {
            low = i;
        } else {
            return;
        }
    }
}

static int longest_axis(const int* order, int count, const sti_aabb* boxes) {
    int best = 0;
    double longest = -1;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < count; i++) {
            const double c = centre(boxes + order[i], k);
            low = fmin(low, c);
            high = fmax(high, c);
        }
        if (high - low > longest) {
            longest = high - low;
            best = k;
        }
    }
    return best;
}

static sti_aabb join(const sti_aabb* a, const sti_aabb* b) {
    sti_aabb c;
    for (int k = 0; k < 3; k++) {
        c.lower[k] = fmin(a->lower[k], b->lower[k]);
        c.upper[k] = fmax(a->upper[k], b->upper[k]);
    }
    return c;
}

// In the plane, where z has no extent, it is the area of the rectangle.
static double half_area(const sti_aabb* box) {
    const double x = box->upper[0] - box->lower[0], y = box->upper[1] - box->lower[1];
    const double z = box->upper[2] - box->lower[2];
    return x * y + y * z + z * x;
}

double sti_bvh_refit(sti_bvh* tree, const sti_aabb* boxes) {
    double sum = 0;
    for (int i = 2 * tree->count - 2; i >= 0; i--) {
        sti_bvh_node* node = tree->node + i;
        if (node->left < 0) {
            node->box = boxes[node->item];
        } else {
            node->box = join(&tree->node[node->left].box, &tree->node[node->right].box);
            sum += half_area(&node->box);
        }
    }
    if (!(tree->built > 0)) return sum > 0 ? INFINITY : 1;
    return sum / tree->built;
}

void sti_bvh_build(sti_bvh* tree, int count, const int* items, const sti_aabb* boxes) {
    struct {
        int first, count, node;
    } stack[64];
    tree->count = count;
    if (count == 0) return;
    for (int i = 0; i < count; i++) tree->order[i] = items[i];
    int depth = 0, next = 1;
    stack[depth].first = 0;
    stack[depth].count = count;
    stack[depth++].node = 0;
    while (depth > 0) {
        depth--;
        const int first = stack[depth].first, n = stack[depth].count;
        sti_bvh_node* node = tree->node + stack[depth].node;
        if (n == 1) {
            *node = (sti_bvh_node){.left = -1, .right = -1, .item = tree->order[first]};
            continue;
        }
        const int half = n / 2;
        select_median(tree->order + first, n, half, boxes, longest_axis(tree->order + first, n, boxes));
        *node = (sti_bvh_node){.left = next, .right = next + 1, .item = -1};
        stack[depth].first = first + half;
        stack[depth].count = n - half;
        stack[depth++].node = next + 1;
        stack[depth].first = first;
        stack[depth].count = half;
        stack[depth++].node = next;
        next += 2;
    }
    tree->built = 0;
    sti_bvh_refit(tree, boxes);
    for (int i = 0; i < 2 * count - 1; i++) {
        if (tree->node[i].left >= 0) tree->built += half_area(&tree->node[i].box);
    }
}

bool sti_bvh_query(const sti_bvh* tree, const sti_aabb* box, bool (*visit)(void* user, int item), void* user) {
    int stack[64], depth = 0;
    if (tree->count == 0) return true;
    stack[depth++] = 0;
    while (depth > 0) {
        const sti_bvh_node* node = tree->node + stack[--depth];
        if (!sti_aabb_overlap(&node->box, box)) continue;
        if (node->left < 0) {
            if (!visit(user, node->item)) return false;
        } else {
            stack[depth++] = node->right;
            stack[depth++] = node->left;
        }
    }
    return true;
}
