// graph.c: islands by union and find, colours greedily.
#include "par/graph.h"

#include <string.h>

#include "base/sets.h"

sti_status sti_graph_islands(sti_env* env, const sti_graph* g, int* order, int* start, int* count) {
    *count = 0;
    int* parent = sti_alloc_array(env, 2 * (size_t)g->n, sizeof *parent);
    if (parent == NULL) return STI_ERR_MEMORY;
    int* island = parent + g->n;
    for (int i = 0; i < g->n; i++) parent[i] = i;
    for (int i = 0; i < g->n; i++) {
        for (int64_t k = g->row_start[i]; k < g->row_start[i + 1]; k++) sti_sets_join(parent, i, g->col[k]);
    }
    // sizes, then places: a counting sort that keeps the order of the vertices
    for (int i = 0; i < g->n; i++) {
        const int root = sti_sets_root(parent, i);
        if (root == i) start[++*count] = 0;
        island[i] = root == i ? *count - 1 : island[root];
        start[island[i] + 1]++;
    }
    start[0] = 0;
    for (int k = 0; k < *count; k++) start[k + 1] += start[k];
    int* place = parent;  // its work is done
    memcpy(place, start, (size_t)*count * sizeof *place);
    for (int i = 0; i < g->n; i++) order[place[island[i]]++] = i;
    sti_free(env, parent);
    return STI_OK;
}

typedef struct clusters {
    const sti_graph* g;
    int count;    // of vertices
    int* member;  // vertices, cluster by cluster                (count)
    int* start;   // first place of each cluster in member       (count+1)
    int* of;      // cluster of a vertex, set for those of list  (n)
    int* colour;  // of a cluster                                (count)
    int* used;    // used[c] = k: a neighbour of cluster k has colour c, or place to sort     (count+1)
    int number;   // of clusters
    int colours;
} clusters;

static void gather(clusters* s, int size, const int* list) {
    for (int a = 0; a < s->count; a++) s->of[list[a]] = -1;
    int filled = 0;
    for (int a = 0; a < s->count; a++) {
        if (s->of[list[a]] >= 0) continue;
        const int k = s->number++, first = filled;
        s->start[k] = first;
        s->of[list[a]] = k;
        s->member[filled++] = list[a];
        for (int head = first; head < filled && filled - first < size; head++) {
            const int i = s->member[head];
            for (int64_t e = s->g->row_start[i]; e < s->g->row_start[i + 1] && filled - first < size; e++) {
                const int j = s->g->col[e];
                if (s->of[j] >= 0) continue;
                s->of[j] = k;
                s->member[filled++] = j;
            }
        }
    }
    s->start[s->number] = filled;
}

// The colours of the clusters that cluster k meets go to `used`; true when one of them is its own.
static bool look_around(clusters* s, int k) {
    bool clash = false;
    for (int a = s->start[k]; a < s->start[k + 1]; a++) {
        const int i = s->member[a];
        for (int64_t e = s->g->row_start[i]; e < s->g->row_start[i + 1]; e++) {
            const int other = s->of[s->g->col[e]];
            if (other == k || s->colour[other] < 0) continue;
            s->used[s->colour[other]] = k;
            clash = clash || s->colour[other] == s->colour[k];
        }
    }
    return clash;
}

// False: an edge that is given in one direction only was missed.
static bool paint(clusters* s) {
    for (int k = 0; k < s->number; k++) s->colour[k] = -1;
    for (int k = 0; k <= s->number; k++) s->used[k] = -1;
    for (int k = 0; k < s->number; k++) {
        look_around(s, k);
        int c = 0;
        while (s->used[c] == k) c++;
        s->colour[k] = c;
        if (c >= s->colours) s->colours = c + 1;
    }
    for (int k = 0; k < s->number; k++) {
        if (look_around(s, k)) return false;
    }
    return true;
}

// Clusters by colour, their vertices ascending.
static void sort_out(clusters* s, int* list, int* cluster_start, int* colour_start) {
    for (int c = 0; c <= s->colours; c++) colour_start[c] = 0;
    for (int k = 0; k < s->number; k++) colour_start[s->colour[k] + 1]++;
    for (int c = 0; c < s->colours; c++) colour_start[c + 1] += colour_start[c];
    int* place = s->used;  // of the next cluster of each colour
    memcpy(place, colour_start, (size_t)s->colours * sizeof *place);
    int* sorted = s->of;  // clusters in their new order; which vertex is where is not asked any more
    for (int k = 0; k < s->number; k++) sorted[place[s->colour[k]]++] = k;
    int filled = 0;
    for (int a = 0; a < s->number; a++) {
        const int k = sorted[a];
        cluster_start[a] = filled;
        for (int b = s->start[k]; b < s->start[k + 1]; b++) {
            int at = filled++;
            for (; at > cluster_start[a] && list[at - 1] > s->member[b]; at--) list[at] = list[at - 1];
            list[at] = s->member[b];
        }
    }
    cluster_start[s->number] = filled;
}

sti_status sti_graph_colour(sti_env* env, const sti_graph* g, int size, int count, int* list, int* cluster_start,
                            int* colour_start, int* colours) {
    *colours = 0;
    const size_t n = (size_t)count;
    int* memory = sti_alloc_array(env, 4 * n + 2 + (size_t)g->n, sizeof *memory);
    if (memory == NULL) return STI_ERR_MEMORY;
    clusters s = {.g = g, .count = count, .member = memory};
    s.start = s.member + n;
    s.colour = s.start + n + 1;
    s.used = s.colour + n;
    s.of = s.used + n + 1;
    gather(&s, size, list);
    if (paint(&s)) {
        sort_out(&s, list, cluster_start, colour_start);
        *colours = s.colours;
    }
    sti_free(env, memory);
    return STI_OK;
}
