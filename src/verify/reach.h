// reach.h: the inside of the proof of where a push takes a set of poses: what is in the way of it.
#ifndef STI_VERIFY_REACH_H
#define STI_VERIFY_REACH_H

#include <stiction/manipulation.h>

#include "base/arena.h"
#include "base/env.h"
#include "verify/forms.h"

typedef struct reach_edge {
    place from, along, out;
    num length;
} reach_edge;

// E at the point where turning and shifting do not meet: least of both, that point, how far it is from the origin.
typedef struct reach_metric {
    double shift, turn, off;
    place d;
} reach_metric;

// Something that stands still during the push: a fixture, another part, a tip of another probe.
typedef struct reach_thing {
    int corners;  // 1 of a disc: its centre
    double radius;
    place* at;          // (corners)
    reach_edge* edges;  // (corners); NULL of a disc
    double middle[2], reach;
    double mu;     // with the part that is pushed
    bool free;     // another part
    place origin;  // of that
    reach_metric metric;
} reach_thing;

// What is doubted in a step: where the first tip is on the edge, the gaps of the tips (of one tip: gap and angle),
// friction, slip of two tips that stick, place of the tool; then poses of other parts, three each.
enum { AT_S, AT_GAP, AT_SECOND, AT_MU, AT_SLIP, AT_TOOL_X, AT_TOOL_Y, AT_OTHERS };

// A box of states: AT_S .. AT_SLIP.
typedef struct reach_box {
    bool any;
    double low[5], high[5];
} reach_box;

// Axes of the edge: along it (counterclockwise), and into the part, from the origin of the part.
typedef struct reach {
    sti_arena memory;
    sti_env* env;
    const sti_manipulation* m;
    const sti_push_course* course;
    sti_push_reach* out;
    sti_pose_set before, after;  // of the part, of a piece
    sti_affine_room k;
    int tips, first_tip;
    double radius;     // of the tips
    place tip, apart;  // first tip before the first step; the second from it
    place way;         // of the tool in a step
    double way_size;
    int sign;             // of the second tip along the edge from the first
    num square;           // of the distance of the tips
    num ex, ey;           // of the edge, in axes of the part
    place start, corner;  // of the edge, in its axes: (a_e, a_m)
    num length;
    num E[9];  // in axes of the edge; fixed: in those of the world
    bool fixed;
    num mu;
    double mu_low, mu_high;
    int corners;
    place* vertices;          // of the part, in axes of the edge                 (corners)
    reach_edge* own_edges;    // (corners)
    reach_thing* things;      // (thing_count)
    place* thing_points;      // all of them
    reach_edge* thing_edges;  // all of them
    int thing_count;
    double part_reach;
    double rough;               // largest friction of the part with anything
    bool coarse;                // what failed last would hold for shorter steps, as far as is known
    reach_box now[4], next[4];  // by which tips were closed in the step before
} reach;

// Forms of a cell of states.
typedef struct reach_state {
    num s[2], g[2], mu, slip;
    num theta;         // of one tip
    num off;           // of the tool, along the edge
    num de, dm;        // second tip from the first, axes of the edge
    num cosine, sine;  // of the edge in the world
    num we, wm;        // way of the tool in a step, axes of the edge
    num E[9];
} reach_state;

// What is known in a step about solutions that press the part against something else.
typedef struct reach_rivals {
    reach_metric metric;
    double slip, tool;               // largest of a tip, largest force, of a solution in which the tool alone presses
    double shift, angle;             // how the part moves in that
    double most;                     // L at most
    double rub, share, spare, rest;  // mu m; 1 - k; of (3): what is taken from gaps by mu m, and its first term
} reach_rivals;

bool sti_reach_fail(reach* r, const char* format, ...) __attribute__((format(printf, 2, 3)));

// ---- reach_apart.c

sti_status sti_reach_things(reach* r);  // the part's edges and all that stands still
void sti_reach_things_free(reach* r);
bool sti_reach_others_rest(reach* r);  // parts that are not pushed touch nothing
// u: displacement of the part in the step, axes of the edge, as ranges. Nothing but the tips comes to the part, nothing
//    to the tips.
bool sti_reach_apart(reach* r, const reach_state* x, const num u[3], long step);

// ---- reach_rivals.c

bool sti_reach_rivals_bound(reach* r, const reach_state* x, const num u[3], reach_rivals* out);
// That a contact does not press in any solution: its gap at the end in those of the tool alone, how far its point is
// from the origin of the part, its friction, the way of the other side, nu^2 of the other side.
bool sti_reach_excluded(const reach_rivals* v, double gap, double from, double mu, double way, double give);
bool sti_reach_metric(reach* r, int part, reach_metric* out);    // of another part; false: its damping may be singular
double sti_reach_nu_square(const reach_metric* k, double from);  // of a point so far from the origin, at most

#endif
