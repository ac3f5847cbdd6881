// dissection.c: nested dissection (George 1973) over separators of any graph (separator.c).
//
// A separator comes last in the order, its two sides before it, each ordered in the same way; so nothing is filled in
// between the sides. On a grid of N vertices L has O(N log N) entries and takes O(N^(3/2)) multiplications, against a
// small power more for minimum degree; for graphs without small separators it is no gain, so the caller compares
// (ldl.c). Pieces of a hundred vertices and fewer are ordered by approximate minimum degree.
//
// Memory: at most two copies of the graph, since the sides of a part are done one after the other.
#include "linalg/dissection.h"

#include <amd.h>
#include <string.h>

#include "linalg/separator.h"

enum { LEAF = 120, DEEPEST = 64 };

typedef struct dissection {
    sti_env* env;
    sti_rng rng;
    int* local;  // of a vertex of the part at hand: its number in a piece of it    (n)
} dissection;

// The pieces of g by part[]: graphs of side A and of side B, and their vertices; names[v] is the vertex of the whole
// graph.
typedef struct piece {
    sti_weighted_graph graph;
    int* names;  // (graph.n)
} piece;

static void drop_piece(sti_env* env, piece* p) {
    sti_weighted_graph_clear(&p->graph);
    sti_free(env, p->names);
    *p = (piece){0};
}

static sti_status cut_out(dissection* d, const piece* whole, const signed char* part, int side, piece* out) {
    const sti_weighted_graph* g = &whole->graph;
    int count = 0, edges = 0;
    *out = (piece){0};
    for (int v = 0; v < g->n; v++) {
        if (part[v] != side) continue;
        d->local[v] = count++;
        for (int e = g->start[v]; e < g->start[v + 1]; e++) edges += part[g->to[e]] == side;
    }
    sti_status status = sti_weighted_graph_init(d->env, count, edges, &out->graph);
    if (status != STI_OK) return status;
    out->names = sti_alloc_array(d->env, (size_t)count, sizeof *out->names);
    if (out->names == NULL) {
        drop_piece(d->env, out);
        return STI_ERR_MEMORY;
    }
    int end = 0;
    for (int v = 0; v < g->n; v++) {
        if (part[v] != side) continue;
        const int w = d->local[v];
        out->graph.start[w] = end;
        out->graph.vertex_weight[w] = g->vertex_weight[v];
        out->names[w] = whole->names[v];
        for (int e = g->start[v]; e < g->start[v + 1]; e++) {
            if (part[g->to[e]] != side) continue;
            out->graph.to[end] = d->local[g->to[e]];
            out->graph.edge_weight[end++] = g->edge_weight[e];
        }
    }
    out->graph.start[count] = end;
    return STI_OK;
}

// A small piece, or one without a separator, by minimum degree.
static sti_status order_leaf(dissection* d, const piece* p, int* order) {
    const int n = p->graph.n, edges = p->graph.start[n], room = edges + edges / 5 + n + 1;
    int* scratch = sti_alloc_array(d->env, (size_t)room + 9 * (size_t)n, sizeof *scratch);
    if (scratch == NULL) return STI_ERR_MEMORY;
    int *entries = scratch, *start = scratch + room, *length = start + n, *nv = length + n, *next = nv + n;
    int *last = next + n, *head = last + n, *elen = head + n, *degree = elen + n, *w = degree + n;
    memcpy(entries, p->graph.to, (size_t)edges * sizeof *entries);
    for (int v = 0; v < n; v++) {
        start[v] = p->graph.start[v];
        length[v] = p->graph.start[v + 1] - p->graph.start[v];
    }
    amd_2(n, start, entries, length, room, edges, nv, next, last, head, elen, degree, w, NULL, NULL);
    for (int k = 0; k < n; k++) order[k] = p->names[last[k]];
    sti_free(d->env, scratch);
    return STI_OK;
}

static sti_status dissect(dissection* d, piece* whole, int depth, int* order);

// The vertices of the separator last, before them side A and side B.
static sti_status order_parts(dissection* d, piece* whole, const signed char* part, int depth, int* order) {
    int count[3] = {0, 0, 0};
    for (int v = 0; v < whole->graph.n; v++) count[part[v]]++;
    int* end = order + count[0] + count[1];
    for (int v = 0; v < whole->graph.n; v++) {
        if (part[v] == STI_SEPARATOR) *end++ = whole->names[v];
    }
    piece side[2] = {0};
    sti_status status = cut_out(d, whole, part, STI_SIDE_A, &side[0]);
    if (status == STI_OK) status = cut_out(d, whole, part, STI_SIDE_B, &side[1]);
    drop_piece(d->env, whole);
    if (status == STI_OK) status = dissect(d, &side[0], depth + 1, order);
    if (status == STI_OK) status = dissect(d, &side[1], depth + 1, order + count[0]);
    for (int s = 0; s < 2; s++) drop_piece(d->env, &side[s]);
    return status;
}

// Takes what the piece owns.
static sti_status dissect(dissection* d, piece* whole, int depth, int* order) {
    const int n = whole->graph.n;
    if (n <= LEAF || depth == DEEPEST) return order_leaf(d, whole, order);
    signed char* part = sti_alloc_array(d->env, (size_t)n, sizeof *part);
    if (part == NULL) return STI_ERR_MEMORY;
    sti_status status = sti_separator_find(d->env, &whole->graph, &d->rng, part);
    int count[3] = {0, 0, 0};
    for (int v = 0; status == STI_OK && v < n; v++) count[part[v]]++;
    if (status == STI_OK)
        status = count[0] > 0 && count[1] > 0 ? order_parts(d, whole, part, depth, order) : order_leaf(d, whole, order);
    sti_free(d->env, part);
    return status;
}

static sti_status graph_of(sti_env* env, int n, const int* col_start, const int* row, piece* out) {
    *out = (piece){0};
    sti_status status = sti_weighted_graph_init(env, n, col_start[n], &out->graph);
    if (status != STI_OK) return status;
    out->names = sti_alloc_array(env, (size_t)n, sizeof *out->names);
    if (out->names == NULL) {
        drop_piece(env, out);
        return STI_ERR_MEMORY;
    }
    int end = 0;
    for (int j = 0; j < n; j++) {
        out->names[j] = j;
        out->graph.start[j] = end;
        out->graph.vertex_weight[j] = 1;
        for (int k = col_start[j]; k < col_start[j + 1]; k++) {
            if (row[k] == j) continue;
            out->graph.to[end] = row[k];
            out->graph.edge_weight[end++] = 1;
        }
    }
    out->graph.start[n] = end;
    return STI_OK;
}

sti_status sti_dissection_order(sti_env* env, int n, const int* col_start, const int* row, int* order) {
    dissection d = {.env = env, .rng = {1}};
    piece whole = {0};
    d.local = sti_alloc_array(env, (size_t)n, sizeof *d.local);
    sti_status status = d.local != NULL ? graph_of(env, n, col_start, row, &whole) : STI_ERR_MEMORY;
    if (status == STI_OK) status = dissect(&d, &whole, 0, order);
    drop_piece(env, &whole);
    sti_free(env, d.local);
    return status;
}
