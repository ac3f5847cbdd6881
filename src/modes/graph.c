// graph.c: the graph of mode transitions along a path: which modes were met, and which follows which.
#include <stiction/modes.h>
#include <string.h>

#include "base/env.h"

struct sti_mode_graph {
    sti_env* env;
    int node_count, node_capacity;
    sti_mode_node* nodes;
    int edge_count, edge_capacity;
    sti_mode_edge* edges;
    int current;  // node of the last sample; -1: none
};

sti_status sti_mode_graph_create(sti_env* env, sti_mode_graph** out) {
    *out = sti_alloc_array_zero(env, 1, sizeof **out);
    if (*out == NULL) return STI_ERR_MEMORY;
    (*out)->env = env;
    (*out)->current = -1;
    return STI_OK;
}

void sti_mode_graph_destroy(sti_mode_graph* g) {
    if (g == NULL) return;
    for (int i = 0; i < g->node_count; i++) sti_free(g->env, (char*)g->nodes[i].text);
    sti_free(g->env, g->nodes);
    sti_free(g->env, g->edges);
    sti_free(g->env, g);
}

// Room for one more item of the size; the array, or NULL.
static void* grow(sti_env* env, void* items, int count, int* capacity, size_t size) {
    if (count < *capacity) return items;
    const int more = *capacity > 0 ? 2 * *capacity : 8;
    void* grown = sti_realloc(env, items, (size_t)more * size);
    if (grown != NULL) *capacity = more;
    return grown;
}

static int find_node(const sti_mode_graph* g, const char* mode) {
    for (int i = 0; i < g->node_count; i++) {
        if (strcmp(g->nodes[i].text, mode) == 0) return i;
    }
    return -1;
}

static sti_status add_node(sti_mode_graph* g, double time, const char* mode) {
    sti_mode_node* nodes = grow(g->env, g->nodes, g->node_count, &g->node_capacity, sizeof *nodes);
    if (nodes == NULL) return STI_ERR_MEMORY;
    g->nodes = nodes;
    char* text = sti_strdup(g->env, mode);
    if (text == NULL) return STI_ERR_MEMORY;
    g->nodes[g->node_count++] = (sti_mode_node){.text = text, .first_time = time};
    return STI_OK;
}

static sti_status add_edge(sti_mode_graph* g, int from, int to, double time) {
    for (int i = 0; i < g->edge_count; i++) {
        if (g->edges[i].from != from || g->edges[i].to != to) continue;
        g->edges[i].count++;
        return STI_OK;
    }
    sti_mode_edge* edges = grow(g->env, g->edges, g->edge_count, &g->edge_capacity, sizeof *edges);
    if (edges == NULL) return STI_ERR_MEMORY;
    g->edges = edges;
    g->edges[g->edge_count++] = (sti_mode_edge){.from = from, .to = to, .first_time = time, .count = 1};
    return STI_OK;
}

sti_status sti_mode_graph_add(sti_mode_graph* g, double time, const char* mode) {
    int node = find_node(g, mode);
    if (node < 0) {
        const sti_status status = add_node(g, time, mode);
        if (status != STI_OK) return status;
        node = g->node_count - 1;
    }
    if (g->current >= 0 && g->current != node) {
        const sti_status status = add_edge(g, g->current, node, time);
        if (status != STI_OK) return status;
    }
    if (g->current != node) g->nodes[node].visits++;
    g->current = node;
    return STI_OK;
}

int sti_mode_graph_nodes(const sti_mode_graph* g, const sti_mode_node** out) {
    *out = g->nodes;
    return g->node_count;
}

int sti_mode_graph_edges(const sti_mode_graph* g, const sti_mode_edge** out) {
    *out = g->edges;
    return g->edge_count;
}
