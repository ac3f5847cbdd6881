// gs.h: the inside of block Gauss-Seidel: what an island needs while it settles.
#ifndef STI_CONTACT_GS_H
#define STI_CONTACT_GS_H

#include "contact/anderson.h"
#include "contact/contact.h"

enum { STI_GS_CHUNK = 256 };  // contacts in one item of a parallel loop; a fixed shape for all sums

typedef struct sti_gs {
    const sti_contact_local* p;
    const sti_contact_options* options;
    double* r;                 // the point, improved in place                          (d nc)
    sti_contact_block* block;  // W_cc, prepared                                        (nc)
    double* step;              // part of the way to the local solution that is taken   (nc)
    double* stretch;           // 1 / sqrt(rho): r times this is in units of sqrt(energy)  (nc)
    int* order;                // contacts, island by island                            (nc)
    int* cluster_start;        // of the large islands, see sti_gs_island               (nc+1)
    int* colour_start;         // the same                                              (nc+1)
    double stop_at;            // clock; INFINITY: no time limit
} sti_gs;

// Contacts that no block of W joins to others.
typedef struct sti_gs_island {
    int first, count;  // place in order
    // 0: swept in the order of the list. Otherwise in clusters, colour by colour (par/graph.h), whose starts, counted
    // from `first`, are at cluster_start + first and colour_start + first: an island has fewer clusters than
    // contacts.
    int colours;
    // Of a large island: its rows of W without W_cc in the order of the sweep, columns as in W. In that order they
    // are not near each other in W, and a sweep is as fast as memory.
    int64_t* row_start;  // NULL: not made                 (count+1)
    int* col;
    double* block;
    double error2;  // |natural map|^2 at r
    double size2;   // |r|^2
    long sweeps;
    bool done;     // error2 is within the goal it was given
    bool stalled;  // no progress for long, or not a number
    bool crawls;   // given up: it would take more sweeps than it may, presumably
} sti_gs_island;

// Scratch of one worker.
typedef struct sti_gs_lane {
    int capacity;      // contacts of the largest island it can take
    sti_tasks* tasks;  // threads for the inside of an island; NULL: none
    sti_anderson mix;
    double* before;        // r before the sweep, by places of the island    (d capacity)
    double* after;         // r after it                                     (d capacity)
    double* move;          // after - before, stretched                      (d capacity)
    double* target;        // where an extrapolation points                  (d capacity)
    double* keep;          // the plain point it started from                (d capacity)
    double* best;          // the best point measured                        (d capacity)
    double* partial;       // sums of the chunks                             (chunks x 2)
    unsigned char* still;  // sweeps in which the contact did not move       (capacity)
    unsigned char* sleep;  // sweeps for which it is skipped                 (capacity)
    void* memory;
} sti_gs_lane;

sti_status sti_gs_lane_create(sti_env* env, int d, int capacity, sti_gs_lane* lane);
void sti_gs_lane_destroy(sti_env* env, sti_gs_lane* lane);

// The unit of r, squared, in which natural maps have to be small. The natural map is relative to |r|, and where there
// is no solution forces may grow for ever and make any map small; here they count up to a thousand times |rho q|,
// which is far above what real problems have.
static inline double sti_gs_unit2(const sti_contact_local* p, double size2) {
    const double scale2 = p->scale * p->scale;
    return size2 > scale2 ? (size2 < 1e6 * scale2 ? size2 : 1e6 * scale2) : scale2;
}

// What an island has to reach: error2 <= share unit2 tol^2, in the unit of all forces.
typedef struct sti_gs_goal {
    double tol;
    double share;
    double other2;     // |r|^2 of the other islands
    long sweep_limit;  // sweeps of the island in all
    bool report;       // trace residuals: the island is the whole problem
    double at_most;    // not 0: give up what would take more sweeps even for this share
} sti_gs_goal;

void sti_gs_settle(const sti_gs* s, sti_gs_lane* lane, const sti_gs_goal* goal, sti_gs_island* island);
// error2 and size2 of the island at r.
void sti_gs_measure(const sti_gs* s, sti_gs_lane* lane, sti_gs_island* island);

#endif
