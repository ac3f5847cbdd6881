// found.c: what a search has found so far.
#include "roots/found.h"

void sti_found_clear(sti_found* f) {
    if (f->env == NULL) return;
    sti_free(f->env, f->root);
    sti_free(f->env, f->runs);
    sti_free(f->env, f->leaf_box);
    sti_free(f->env, f->leaf);
    *f = (sti_found){0};
}

static bool boxes_meet(const sti_interval* a, const sti_interval* b, int n) {
    for (int k = 0; k < n; k++) {
        if (!iv_meets(a[k], b[k])) return false;
    }
    return true;
}

static bool box_inside(const sti_interval* a, const sti_interval* b, int n) {
    for (int k = 0; k < n; k++) {
        if (!iv_inside(a[k], b[k])) return false;
    }
    return true;
}

// Are these the same root? Sure when one lies where the other is alone.
static bool is_same(sti_equations* q, sti_proved* old, const sti_proved* new) {
    bool point = true;  // both at the same point
    for (int k = 0; k < q->n; k++) point = point && iv_is_point(old->x[k]) && iv_is(new->x[k], old->x[k].low);
    if (point) return true;
    if (old->unique && box_inside(new->x, old->region, q->n)) return true;
    if (new->unique && box_inside(old->x, new->region, q->n)) return true;
    return boxes_meet(old->x, new->x, q->n) && sti_extend_region(q, old, new->x);
}

static void join(sti_proved* old, const sti_proved* new, int n) {
    if (!old->unique && new->unique) {
        old->unique = true;
        memcpy(old->region, new->region, sizeof old->region);
    }
    if (new->proof == STI_ROOT_EXACT) old->proof = STI_ROOT_EXACT;
    for (int k = 0; k < n; k++) {
        if (iv_meets(old->x[k], new->x[k])) old->x[k] = iv_meet(old->x[k], new->x[k]);
    }
}

static sti_status grow_roots(sti_found* f) {
    const int capacity = 2 * f->root_capacity + 16;
    sti_proved* root = sti_realloc(f->env, f->root, (size_t)capacity * sizeof *root);
    if (root != NULL) f->root = root;
    long* runs = root == NULL ? NULL : sti_realloc(f->env, f->runs, (size_t)capacity * sizeof *runs);
    if (runs == NULL) return STI_ERR_MEMORY;
    f->runs = runs;
    f->root_capacity = capacity;
    return STI_OK;
}

sti_status sti_found_add(sti_found* f, sti_equations* q, const sti_proved* root, int* at) {
    for (int i = 0; i < f->root_count; i++) {
        *at = i;
        if (is_same(q, &f->root[i], root)) {
            join(&f->root[i], root, f->n);
            return STI_OK;
        }
        if (boxes_meet(f->root[i].x, root->x, f->n)) f->unsure = true;
    }
    if (f->root_count == f->root_capacity) {
        const sti_status status = grow_roots(f);
        if (status != STI_OK) return status;
    }
    int i = f->root_count++;
    for (; i > 0 && f->root[i - 1].x[0].low > root->x[0].low; i--) {
        f->root[i] = f->root[i - 1];
        f->runs[i] = f->runs[i - 1];
    }
    f->root[i] = *root;
    f->runs[i] = 0;
    *at = i;
    return STI_OK;
}

sti_status sti_found_leaf(sti_found* f, const sti_interval* box, sti_root_leaf kind) {
    const size_t n = (size_t)f->n;
    if (f->leaf_count == f->leaf_capacity) {
        const int capacity = 2 * f->leaf_capacity + 64;
        sti_interval* boxes = sti_realloc(f->env, f->leaf_box, (size_t)capacity * n * sizeof *boxes);
        if (boxes != NULL) f->leaf_box = boxes;
        unsigned char* kinds = boxes == NULL ? NULL : sti_realloc(f->env, f->leaf, (size_t)capacity);
        if (kinds == NULL) return STI_ERR_MEMORY;
        f->leaf = kinds;
        f->leaf_capacity = capacity;
    }
    memcpy(f->leaf_box + (size_t)f->leaf_count * n, box, n * sizeof *box);
    f->leaf[f->leaf_count++] = (unsigned char)kind;
    return STI_OK;
}
