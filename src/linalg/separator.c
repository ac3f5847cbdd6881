// separator.c: a vertex separator of a graph, by levels (Hendrickson & Leland 1995; Karypis & Kumar 1998).
//
// The graph is made coarser by contracting heavy edges until it has some hundred vertices; there a few regions grown
// from different seeds are tried, and the best separator is carried back, level by level, and bettered on each by moves
// of single vertices (Fiduccia & Mattheyses 1982, for vertex separators as in Ashcraft & Liu 1997): moving v from the
// separator to a side pulls v's neighbours on the other side into the separator, so it gains
//
//     weight(v) - weight of v's neighbours on the other side.
//
// Moves are made in the order of their gain, losses too, each vertex once; of all separators on the way the lightest
// one with balanced sides is kept. Ties are broken by the number of the vertex, and the seeds come from a generator
// with a fixed start, so the same graph gives the same separator.
//
// Cost: a small multiple of the edges on each level, and the levels shrink.
#include "linalg/separator.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"

enum {
    COARSEST = 100,     // vertices from which on nothing is contracted
    MIDDLE = 2000,      // vertices from which on several ways are tried
    WAYS = 3,           // that many
    LEVELS = 40,        // halving 2^31 vertices takes 31
    SEEDS = 4,          // regions that are tried on the coarsest graph
    PASSES = 8,         // of moves on a level; the last ones seldom gain
    MOST_LOSSES = 1000  // moves without a gain before a pass ends
};

static const double HEAVIEST_SIDE = 0.65;  // of all weight

sti_status sti_weighted_graph_init(sti_env* env, int n, int edges, sti_weighted_graph* g) {
    *g = (sti_weighted_graph){.n = n};
    g->memory = sti_arena_make(env);
    g->start = sti_arena_raw(&g->memory, (size_t)n + 1, sizeof *g->start);
    g->to = sti_arena_raw(&g->memory, (size_t)edges, sizeof *g->to);
    g->edge_weight = sti_arena_raw(&g->memory, (size_t)edges, sizeof *g->edge_weight);
    g->vertex_weight = sti_arena_raw(&g->memory, (size_t)n, sizeof *g->vertex_weight);
    if (g->memory.status == STI_OK) return STI_OK;
    sti_weighted_graph_clear(g);
    return STI_ERR_MEMORY;
}

void sti_weighted_graph_clear(sti_weighted_graph* g) {
    sti_arena_clear(&g->memory);
    *g = (sti_weighted_graph){0};
}

static int64_t total_weight(const sti_weighted_graph* g) {
    int64_t sum = 0;
    for (int v = 0; v < g->n; v++) sum += g->vertex_weight[v];
    return sum;
}

// ---- coarser graphs

// Vertices by their degree, those of one degree in a random order. scratch (n).
static void visiting_order(const sti_weighted_graph* g, sti_rng* rng, int* order, int* scratch) {
    enum { DEGREES = 64 };
    int first[DEGREES + 1] = {0};
    for (int v = 0; v < g->n; v++) scratch[v] = v;
    for (int k = g->n - 1; k > 0; k--) {
        const int j = sti_rng_int(rng, 0, k), t = scratch[k];
        scratch[k] = scratch[j];
        scratch[j] = t;
    }
    for (int v = 0; v < g->n; v++) {
        const int degree = g->start[v + 1] - g->start[v];
        first[(degree < DEGREES ? degree : DEGREES - 1) + 1]++;
    }
    for (int d = 0; d < DEGREES; d++) first[d + 1] += first[d];
    for (int k = 0; k < g->n; k++) {
        const int degree = g->start[scratch[k] + 1] - g->start[scratch[k]];
        order[first[degree < DEGREES ? degree : DEGREES - 1]++] = scratch[k];
    }
}

// Pairs along heavy edges: coarse[v] is the vertex of the coarser graph that v goes into. The number of those.
static int match(const sti_weighted_graph* g, int64_t heaviest, const int* order, int* coarse) {
    int count = 0;
    for (int v = 0; v < g->n; v++) coarse[v] = -1;
    for (int k = 0; k < g->n; k++) {
        const int v = order[k];
        if (coarse[v] >= 0) continue;
        int best = -1, weight = 0;
        for (int e = g->start[v]; e < g->start[v + 1]; e++) {
            const int u = g->to[e];
            if (coarse[u] >= 0 || g->edge_weight[e] <= weight) continue;
            if ((int64_t)g->vertex_weight[u] + g->vertex_weight[v] > heaviest) continue;
            best = u;
            weight = g->edge_weight[e];
        }
        if (best >= 0) coarse[best] = count;
        coarse[v] = count++;
    }
    return count;
}

// Edges of the coarse vertex c, which u goes into, added to those it has; at[] has their places.
static void add_edges(const sti_weighted_graph* g, int u, int c, const int* coarse, sti_weighted_graph* out, int* at,
                      int* end) {
    for (int e = g->start[u]; e < g->start[u + 1]; e++) {
        const int to = coarse[g->to[e]];
        if (to == c) continue;
        if (at[to] < out->start[c]) {
            at[to] = (*end)++;
            out->to[at[to]] = to;
            out->edge_weight[at[to]] = 0;
        }
        out->edge_weight[at[to]] += g->edge_weight[e];
    }
}

// member (2 n), at (n) are scratch.
static sti_status contract(sti_env* env, const sti_weighted_graph* g, const int* coarse, int count, int* member,
                           int* at, sti_weighted_graph* out) {
    const sti_status status = sti_weighted_graph_init(env, count, g->start[g->n], out);
    if (status != STI_OK) return status;
    for (int k = 0; k < 2 * count; k++) member[k] = -1;
    for (int v = 0; v < g->n; v++) member[2 * coarse[v] + (member[2 * coarse[v]] >= 0)] = v;
    for (int c = 0; c < count; c++) at[c] = -1;
    int end = 0;
    for (int c = 0; c < count; c++) {
        out->start[c] = end;
        out->vertex_weight[c] = 0;
        for (int k = 0; k < 2; k++) {
            const int v = member[2 * c + k];
            if (v < 0) continue;
            out->vertex_weight[c] += g->vertex_weight[v];
            add_edges(g, v, c, coarse, out, at, &end);
        }
    }
    out->start[count] = end;
    return STI_OK;
}

// ---- moves

// Vertices of the separator in a heap by what their move to one side gains.
typedef struct heap {
    int count;
    int* vertex;  //                                   (n)
    int* place;   // of a vertex in the heap, -1: not  (n)
    int* gain;    // of a vertex                       (n)
} heap;

typedef struct refinement {
    const sti_weighted_graph* g;
    signed char* part;
    int64_t weight[3];  // of the sides and of the separator
    int64_t most;       // weight of a side
    int favoured;  // the side that takes a vertex which gains the same on both: a separator slides to the other one
    heap to[2];    // by side
    bool* moved;   // (n)
    int* changed;  // vertices whose part changed, in order       (3 n)
    signed char* before;  // their part before                           (3 n)
    int changes;
} refinement;

static bool comes_before(const heap* h, int a, int b) {
    return h->gain[a] != h->gain[b] ? h->gain[a] > h->gain[b] : a < b;
}

static void heap_put(heap* h, int k, int v) {
    h->vertex[k] = v;
    h->place[v] = k;
}

static void heap_rise(heap* h, int k, int v) {
    while (k > 0 && comes_before(h, v, h->vertex[(k - 1) / 2])) {
        heap_put(h, k, h->vertex[(k - 1) / 2]);
        k = (k - 1) / 2;
    }
    heap_put(h, k, v);
}

static void heap_sink(heap* h, int k, int v) {
    for (;;) {
        int child = 2 * k + 1;
        if (child >= h->count) break;
        if (child + 1 < h->count && comes_before(h, h->vertex[child + 1], h->vertex[child])) child++;
        if (!comes_before(h, h->vertex[child], v)) break;
        heap_put(h, k, h->vertex[child]);
        k = child;
    }
    heap_put(h, k, v);
}

static void heap_insert(heap* h, int v) {
    heap_rise(h, h->count++, v);
}

static void heap_remove(heap* h, int v) {
    const int k = h->place[v], last = h->vertex[--h->count];
    h->place[v] = -1;
    if (last == v) return;
    if (k > 0 && comes_before(h, last, h->vertex[(k - 1) / 2])) {
        heap_rise(h, k, last);
    } else {
        heap_sink(h, k, last);
    }
}

static void heap_change(heap* h, int v, int by) {
    const int k = h->place[v];
    h->gain[v] += by;
    if (k < 0) return;
    if (by > 0) {
        heap_rise(h, k, v);
    } else {
        heap_sink(h, k, v);
    }
}

static void set_part(refinement* r, int v, int part) {
    r->changed[r->changes] = v;
    r->before[r->changes++] = r->part[v];
    r->weight[r->part[v]] -= r->g->vertex_weight[v];
    r->weight[part] += r->g->vertex_weight[v];
    r->part[v] = (signed char)part;
}

static void undo(refinement* r, int changes) {
    while (r->changes > changes) {
        const int v = r->changed[--r->changes], part = r->before[r->changes];
        r->weight[r->part[v]] -= r->g->vertex_weight[v];
        r->weight[part] += r->g->vertex_weight[v];
        r->part[v] = (signed char)part;
    }
}

// v, which is in the separator, with its gains.
static void enter(refinement* r, int v) {
    const sti_weighted_graph* g = r->g;
    int pulled[3] = {0, 0, 0};
    for (int e = g->start[v]; e < g->start[v + 1]; e++) pulled[r->part[g->to[e]]] += g->vertex_weight[g->to[e]];
    for (int s = 0; s < 2; s++) {
        r->to[s].gain[v] = g->vertex_weight[v] - pulled[1 - s];
        if (!r->moved[v]) heap_insert(&r->to[s], v);
    }
}

// v leaves the separator for side s.
static void move(refinement* r, int v, int s) {
    const sti_weighted_graph* g = r->g;
    for (int k = 0; k < 2; k++) heap_remove(&r->to[k], v);
    r->moved[v] = true;
    set_part(r, v, s);
    for (int e = g->start[v]; e < g->start[v + 1]; e++) {
        const int u = g->to[e];
        if (r->part[u] == STI_SEPARATOR) {
            heap_change(&r->to[1 - s], u, -g->vertex_weight[v]);
        } else if (r->part[u] == 1 - s) {
            for (int k = g->start[u]; k < g->start[u + 1]; k++) {
                if (r->part[g->to[k]] == STI_SEPARATOR) heap_change(&r->to[s], g->to[k], g->vertex_weight[u]);
            }
            set_part(r, u, STI_SEPARATOR);
            enter(r, u);
        }
    }
}

// The side that the next vertex goes to, -1: no move keeps the balance.
static int next_side(const refinement* r) {
    int best = -1;
    for (int s = 0; s < 2; s++) {
        const heap* h = &r->to[s];
        if (h->count == 0) continue;
        const int v = h->vertex[0];
        if (r->weight[s] + r->g->vertex_weight[v] > r->most && r->weight[s] >= r->weight[1 - s]) continue;
        if (best < 0) {
            best = s;
            continue;
        }
        const int gain = h->gain[v], other = r->to[best].gain[r->to[best].vertex[0]];
        if (gain > other || (gain == other && s == r->favoured)) best = s;
    }
    return best;
}

// Lighter separators are better, then better balance; sides that are too heavy are worse than anything.
static int64_t badness(const refinement* r) {
    const int64_t larger = r->weight[0] > r->weight[1] ? r->weight[0] : r->weight[1];
    return larger <= r->most ? r->weight[STI_SEPARATOR] : (int64_t)1 << 40 | larger;
}

static int64_t difference(const refinement* r) {
    const int64_t d = r->weight[0] - r->weight[1];
    return d < 0 ? -d : d;
}

// Whether it gained.
static bool refine_once(refinement* r) {
    const sti_weighted_graph* g = r->g;
    r->to[0].count = r->to[1].count = r->changes = 0;
    for (int v = 0; v < g->n; v++) {
        r->moved[v] = false;
        r->to[0].place[v] = r->to[1].place[v] = -1;
    }
    for (int v = 0; v < g->n; v++) {
        if (r->part[v] == STI_SEPARATOR) enter(r, v);
    }
    const int64_t before = badness(r);
    int64_t best = before, closest = difference(r);
    int keep = 0, losses = 0;
    while (losses < MOST_LOSSES && r->changes < 2 * g->n) {
        const int s = next_side(r);
        if (s < 0) break;
        move(r, r->to[s].vertex[0], s);
        const int64_t now = badness(r), apart = difference(r);
        losses++;
        if (now < best || (now == best && apart < closest)) {
            best = now;
            closest = apart;
            keep = r->changes;
            losses = 0;
        }
    }
    undo(r, keep);
    return best < before;
}

static void refine(refinement* r, const sti_weighted_graph* g, signed char* part) {
    r->g = g;
    r->part = part;
    const int64_t all = total_weight(g);
    r->most = (int64_t)(HEAVIEST_SIDE * (double)all);
    for (int k = 0; k < 3; k++) r->weight[k] = 0;
    for (int v = 0; v < g->n; v++) r->weight[part[v]] += g->vertex_weight[v];
    int idle = 0;
    for (int pass = 0; pass < PASSES && idle < 2; pass++) {
        r->favoured = pass % 2;
        idle = refine_once(r) ? 0 : idle + 1;
    }
}

static void drop_refinement(sti_env* env, refinement* r) {
    for (int s = 0; s < 2; s++) {
        sti_free(env, r->to[s].vertex);
        sti_free(env, r->to[s].place);
        sti_free(env, r->to[s].gain);
    }
    sti_free(env, r->moved);
    sti_free(env, r->changed);
    sti_free(env, r->before);
    *r = (refinement){0};
}

static sti_status reserve_refinement(sti_env* env, int n, refinement* r) {
    *r = (refinement){0};
    bool all = true;
    for (int s = 0; s < 2; s++) {
        r->to[s].vertex = sti_alloc_array(env, (size_t)n, sizeof(int));
        r->to[s].place = sti_alloc_array(env, (size_t)n, sizeof(int));
        r->to[s].gain = sti_alloc_array(env, (size_t)n, sizeof(int));
        all = all && r->to[s].vertex != NULL && r->to[s].place != NULL && r->to[s].gain != NULL;
    }
    r->moved = sti_alloc_array(env, (size_t)n, sizeof *r->moved);
    r->changed = sti_alloc_array(env, 3 * (size_t)n, sizeof *r->changed);
    r->before = sti_alloc_array(env, 3 * (size_t)n, sizeof *r->before);
    if (all && r->moved != NULL && r->changed != NULL && r->before != NULL) return STI_OK;
    drop_refinement(env, r);
    return STI_ERR_MEMORY;
}

// ---- the coarsest graph

// Side A is grown from a vertex until it has half of the weight; its border is the separator. queue (n), part (n).
static void grow(const sti_weighted_graph* g, sti_rng* rng, int* queue, signed char* part) {
    const int64_t half = total_weight(g) / 2;
    int64_t weight = 0;
    int head = 0, tail = 0;
    for (int v = 0; v < g->n; v++) part[v] = STI_SIDE_B;
    while (weight < half) {
        if (head == tail) {  // the first vertex, or one of another component
            int v = sti_rng_int(rng, 0, g->n - 1);
            while (part[v] != STI_SIDE_B) v = (v + 1) % g->n;
            part[v] = STI_SIDE_A;
            queue[tail++] = v;
        }
        const int v = queue[head++];
        weight += g->vertex_weight[v];
        for (int e = g->start[v]; e < g->start[v + 1]; e++) {
            if (part[g->to[e]] != STI_SIDE_B) continue;
            part[g->to[e]] = STI_SIDE_A;
            queue[tail++] = g->to[e];
        }
    }
    while (head < tail) part[queue[head++]] = STI_SEPARATOR;  // reached and not taken
}

// The best of some regions. trial (n), queue (n).
static void separate_coarsest(const sti_weighted_graph* g, sti_rng* rng, refinement* r, int* queue, signed char* trial,
                              signed char* part) {
    int64_t best = INT64_MAX;
    for (int k = 0; k < SEEDS; k++) {
        grow(g, rng, queue, trial);
        refine(r, g, trial);
        if (badness(r) >= best) continue;
        best = badness(r);
        memcpy(part, trial, (size_t)g->n);
    }
}

// ---- all levels

typedef struct levels {
    int count;                         // coarser graphs
    sti_weighted_graph graph[LEVELS];  // graph[k] is coarser than graph[k-1], graph[0] than the one given
    int* coarse[LEVELS];               // where a vertex of the finer graph went
} levels;

static void drop_levels(sti_env* env, levels* l) {
    for (int k = 0; k < l->count; k++) {
        sti_weighted_graph_clear(&l->graph[k]);
        sti_free(env, l->coarse[k]);
    }
}

// Coarser graphs until one has at most `limit` vertices. scratch (4 n).
static sti_status coarsen(sti_env* env, const sti_weighted_graph* g, int limit, sti_rng* rng, int* scratch, levels* l) {
    const int64_t heaviest = 1 + total_weight(g) * 3 / 2 / COARSEST;
    sti_status status = STI_OK;
    while (status == STI_OK && g->n > limit && l->count < LEVELS) {
        int* coarse = sti_alloc_array(env, (size_t)g->n, sizeof *coarse);
        if (coarse == NULL) return STI_ERR_MEMORY;
        visiting_order(g, rng, scratch, scratch + g->n);
        const int count = match(g, heaviest, scratch, coarse);
        if (count > g->n - g->n / 10) {  // stars: not worth a level
            sti_free(env, coarse);
            break;
        }
        sti_weighted_graph* next = &l->graph[l->count];
        status = contract(env, g, coarse, count, scratch, scratch + 2 * (size_t)g->n, next);
        if (status == STI_OK) {
            l->coarse[l->count++] = coarse;
        } else {
            sti_free(env, coarse);
        }
        g = next;
    }
    return status;
}

static const sti_weighted_graph* coarsest(const sti_weighted_graph* g, const levels* l) {
    return l->count > 0 ? &l->graph[l->count - 1] : g;
}

// part of the coarsest graph becomes part of g. trial (n).
static void carry_back(const sti_weighted_graph* g, const levels* l, refinement* r, signed char* trial,
                       signed char* part) {
    for (int k = l->count - 1; k >= 0; k--) {
        const sti_weighted_graph* finer = k > 0 ? &l->graph[k - 1] : g;
        memcpy(trial, part, (size_t)l->graph[k].n);
        for (int v = 0; v < finer->n; v++) part[v] = trial[l->coarse[k][v]];
        refine(r, finer, part);
    }
}

typedef struct search {
    sti_arena memory;
    sti_env* env;
    sti_rng* rng;
    refinement r;
    int* scratch;               // (4 n)
    signed char *trial, *best;  // (n)
} search;

// The best of a few ways down to the coarsest graph and back. part (n).
static sti_status separate_middle(search* s, const sti_weighted_graph* g, signed char* part) {
    int64_t least = INT64_MAX;
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < WAYS; k++) {
        levels l = {0};
        status = coarsen(s->env, g, COARSEST, s->rng, s->scratch, &l);
        if (status == STI_OK) {
            separate_coarsest(coarsest(g, &l), s->rng, &s->r, s->scratch, s->trial, s->best);
            carry_back(g, &l, &s->r, s->trial, s->best);
            if (badness(&s->r) < least) {
                least = badness(&s->r);
                memcpy(part, s->best, (size_t)g->n);
            }
        }
        drop_levels(s->env, &l);
    }
    return status;
}

sti_status sti_separator_find(sti_env* env, const sti_weighted_graph* g, sti_rng* rng, signed char* part) {
    search s = {.env = env, .rng = rng};
    levels l = {0};
    s.memory = sti_arena_make(env);
    s.scratch = sti_arena_raw(&s.memory, 4 * (size_t)g->n, sizeof *s.scratch);
    s.trial = sti_arena_raw(&s.memory, (size_t)g->n, sizeof *s.trial);
    s.best = sti_arena_raw(&s.memory, (size_t)g->n, sizeof *s.best);
    sti_status status = reserve_refinement(env, g->n, &s.r);
    if (status == STI_OK) status = s.memory.status;
    if (status == STI_OK) status = coarsen(env, g, MIDDLE, rng, s.scratch, &l);
    if (status == STI_OK) status = separate_middle(&s, coarsest(g, &l), part);
    if (status == STI_OK) carry_back(g, &l, &s.r, s.trial, part);
    drop_levels(env, &l);
    drop_refinement(env, &s.r);
    sti_arena_clear(&s.memory);
    return status;
}
