// graph.h: islands and colours of a sparse symmetric pattern given by rows.
#ifndef STI_PAR_GRAPH_H
#define STI_PAR_GRAPH_H

#include "base/env.h"

typedef struct sti_graph {
    int n;                     // vertices
    const int64_t* row_start;  // (n+1)
    const int* col;            // neighbours; the vertex itself may be among them
} sti_graph;

// Islands: sets of vertices that no edge joins. order (n) lists the vertices island by island, ascending inside; start
// (n+1, of which *count + 1 are set) has the first place of each island. Islands are numbered by their least vertex.
// An edge given in one direction only counts.
sti_status sti_graph_islands(sti_env* env, const sti_graph* g, int* order, int* start, int* count);

// Clusters and colours, for sweeps in which many vertices are visited at a time. The vertices of list (count), which
// meet no others, are gathered into clusters of at most `size` neighbouring ones, and the clusters coloured so that
// no edge joins two of one colour. list is then sorted by colour and cluster: cluster k has the places
// cluster_start[k] .. cluster_start[k+1] - 1, and colour c the clusters colour_start[c] .. colour_start[c+1] - 1.
// Both starts have room for count + 1 numbers. *colours = 0, and the list as it was: some edge was given in one
// direction only.
//
// Breadth-first search from the first vertex that is left makes the clusters, and each takes the least colour that no
// neighbour has. Clusters are found from the edges alone, so they are compact however the vertices are numbered.
sti_status sti_graph_colour(sti_env* env, const sti_graph* g, int size, int count, int* list, int* cluster_start,
                            int* colour_start, int* colours);

#endif
