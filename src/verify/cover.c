// cover.c: do the leaves of a tree of cases cover every case?
//
// A leaf is a row of {0, +1, -1}: it stands for all sign vectors s in {+1, -1}^m that agree with it where it is
// not 0. The leaves cover everything exactly when every group below does, beginning with all leaves and no choice
// made: a group is covered when one of its leaves fixes nothing that is still open; it is not when it is empty;
// otherwise choose a pair and look at both halves, a leaf that leaves the pair open belonging to both.
//
// The leaves of a true tree always have a pair that all of them fix (that of the root), so nothing is ever looked
// at twice and the work is (leaves) x (depth). Leaves of other origin may overlap; deciding the cover is then as
// hard as any tautology, so the work has a limit, and a check that runs into it rejects rather than guesses.
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "verify/check.h"

#define WORK_LIMIT 300000000L  // entries of `fixed` looked at

typedef struct frame {
    int count;         // the group: order[0 .. count), and its halves begin there too
    int pair;          // the pair chosen
    signed char side;  // the half being looked at: +1, then -1
} frame;

typedef struct cover {
    sti_arena memory;
    const sti_env* env;
    const signed char* fixed;  // (leaf_count x m)
    int m;
    int* order;    // leaves, grouped                             (leaf_count)
    int* open;     // pairs a leaf fixes beyond the choices made  (leaf_count)
    frame* stack;  // choices made, outermost first                (m)
    bool* chosen;  // pairs of the stack                           (m)
    int depth;
    long work;
} cover;

static inline signed char at(const cover* c, int leaf, int pair) {
    return c->fixed[(size_t)leaf * (size_t)c->m + (size_t)pair];
}

// A pair that every leaf of the group fixes, else the one that most of them fix; the first of several. Only pairs
// that the first leaf fixes are asked: it fixes at least one that is open.
static int choose_pair(cover* c, int count) {
    int best = -1, most = 0;
    for (int pair = 0; pair < c->m && most < count; pair++) {
        if (at(c, c->order[0], pair) == 0 || c->chosen[pair]) continue;
        int fixing = 0, seen = 0;
        while (seen < count && fixing + (count - seen) > most) fixing += at(c, c->order[seen++], pair) != 0;
        c->work += seen;
        if (fixing > most) {
            most = fixing;
            best = pair;
        }
    }
    c->work += c->m;
    return best;
}

// Bring the leaves of the frame's group that belong to its half to the front; returns how many. `by` is -1 on the
// way down (those that fix the pair have one less open), +1 to undo it (the order does not matter then).
static int enter_half(cover* c, const frame* f, int by) {
    int members = 0;
    for (int i = 0; i < f->count; i++) {
        const int leaf = c->order[i];
        const signed char value = at(c, leaf, f->pair);
        if (value != 0 && value != f->side) continue;
        if (value != 0) c->open[leaf] += by;
        c->order[i] = c->order[members];
        c->order[members++] = leaf;
    }
    c->work += f->count;
    return members;
}

static bool one_leaf_is_enough(cover* c, int count) {
    c->work += count;
    for (int i = 0; i < count; i++) {
        if (c->open[c->order[i]] == 0) return true;
    }
    return false;
}

typedef enum verdict { COVERED, MISSING, TOO_MUCH, TOO_LATE } verdict;

// Depth first, +1 before -1. At MISSING the stack holds the case that no leaf covers.
static verdict walk(cover* c, int leaf_count) {
    int count = leaf_count;
    for (;;) {
        if (count == 0) return MISSING;
        if (c->work > WORK_LIMIT) return TOO_MUCH;
        if (sti_late(c->env)) return TOO_LATE;
        if (!one_leaf_is_enough(c, count)) {
            frame* f = &c->stack[c->depth++];
            *f = (frame){.count = count, .pair = choose_pair(c, count), .side = 1};
            c->chosen[f->pair] = true;
            count = enter_half(c, f, -1);
            continue;
        }
        // covered: leave finished choices, then turn to the second half of the innermost one left
        while (c->depth > 0 && c->stack[c->depth - 1].side < 0) {
            const frame* f = &c->stack[--c->depth];
            enter_half(c, f, 1);
            c->chosen[f->pair] = false;
        }
        if (c->depth == 0) return COVERED;
        frame* f = &c->stack[c->depth - 1];
        enter_half(c, f, 1);
        f->side = -1;
        count = enter_half(c, f, -1);
    }
}

static void name_case(const cover* c, char* text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "no leaf covers the case");
    for (int d = 0; d < c->depth && used + 32 < size; d++) {
        const frame* f = &c->stack[d];
        const char* more = d + 1 < c->depth && used + 64 >= size ? ", ..." : "";
        used += (size_t)snprintf(text + used, size - used, "%s %c_%d = 0%s", d > 0 ? "," : "", f->side > 0 ? 'z' : 'w',
                                 f->pair, more);
    }
    if (c->depth == 0) snprintf(text, size, "there are no leaves");
}

sti_status sti_check_cover(sti_env* env, const signed char* fixed, int leaf_count, int pair_count, bool* covered,
                           char* text, size_t size) {
    *covered = false;
    cover c = {.env = env, .fixed = fixed, .m = pair_count};
    c.memory = sti_arena_make(env);
    c.order = sti_arena_raw(&c.memory, (size_t)leaf_count, sizeof *c.order);
    c.open = sti_arena_take(&c.memory, (size_t)leaf_count, sizeof *c.open);
    c.stack = sti_arena_raw(&c.memory, (size_t)pair_count, sizeof *c.stack);
    c.chosen = sti_arena_take(&c.memory, (size_t)pair_count, sizeof *c.chosen);
    sti_status status = STI_OK;
    if (c.memory.status != STI_OK) {
        status = STI_ERR_MEMORY;
    } else {
        for (int k = 0; k < leaf_count; k++) {
            c.order[k] = k;
            for (int i = 0; i < pair_count; i++) c.open[k] += at(&c, k, i) != 0;
        }
        const verdict v = walk(&c, leaf_count);
        *covered = v == COVERED;
        if (v == TOO_LATE) status = sti_check_time(env, "checking that leaves cover every case");
        if (v == MISSING) name_case(&c, text, size);
        if (v == TOO_MUCH) snprintf(text, size, "the cover of %d overlapping leaves is too hard to check", leaf_count);
    }
    sti_arena_clear(&c.memory);
    return status;
}
