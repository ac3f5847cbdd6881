// separator.h: a small set of vertices whose removal parts a graph into two halves.
#ifndef STI_LINALG_SEPARATOR_H
#define STI_LINALG_SEPARATOR_H

#include "base/arena.h"
#include "base/env.h"
#include "base/rng.h"

// An undirected graph with weights; every edge stands in both lists.
typedef struct sti_weighted_graph {
    sti_arena memory;
    int n;
    int* start;          // neighbours of v: to[start[v] .. start[v+1] - 1], without v   (n+1)
    int* to;             //                                                              (start[n])
    int* edge_weight;    //                                                              (start[n])
    int* vertex_weight;  //                                                              (n)
} sti_weighted_graph;

sti_status sti_weighted_graph_init(sti_env* env, int n, int edges, sti_weighted_graph* g);  // edges: both directions
void sti_weighted_graph_clear(sti_weighted_graph* g);                                       // accepts a zero struct

enum { STI_SIDE_A, STI_SIDE_B, STI_SEPARATOR };

// part[v] (n) is one of these, and no edge joins the two sides. A side may be empty where the graph has no small
// separator.
sti_status sti_separator_find(sti_env* env, const sti_weighted_graph* g, sti_rng* rng, signed char* part);

#endif
