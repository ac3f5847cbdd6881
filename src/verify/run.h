// run.h: the check of a run while it is made: of a whole recording, or of one that has two frames at a time
// (run_live.c).
#ifndef STI_VERIFY_RUN_H
#define STI_VERIFY_RUN_H

#include <math.h>
#include <stdint.h>
#include <stiction/verify.h>

#include "base/arena.h"
#include "base/env.h"

// What worst values are divided by, from the frames and steps that were seen so far.
typedef struct sti_run_scales {
    double low[3], high[3];  // box around the centres of all that moves
    double reach;            // of the largest shape
    double speed;            // largest of a body, turning included
    double kinetic, potential_low, potential_high;
    double mass;  // of what moves
    int stepped;
} sti_run_scales;

// Of an island in a frame (run_islands.c).
typedef struct sti_run_island {
    double
        speed;  // largest of a body, turning included, before or after, or what the largest impulse gives the lightest
    double impulse;  // largest at a contact, or momentum of a body
    double pressed;  // largest normal impulse
    double mass;     // least
    bool tied;       // one of its bodies has a joint or a spring
} sti_run_island;

// Pairs of bodies that never touch, sorted.
typedef struct sti_run_pairs {
    uint64_t* pair;
    int count;
} sti_run_pairs;

typedef struct sti_run_sweep {
    double low, high;  // along x
    int shape;
} sti_run_sweep;

typedef struct sti_run_data {
    sti_arena memory;
    sti_env* env;
    const sti_recorded_world* w;
    const sti_run_verify_options* options;
    sti_run_verification* out;  // worst values before they are divided by their scales
    sti_run_scales scales;
    long frames_before, steps_before;  // those that w does not have any more
    unsigned char* tied;               // body has a joint or a spring      (bodies)
    double* sum;                       // impulses on it                    (bodies x 3)
    double* size;                      // sum of their sizes                (bodies)
    int* island;                       // its island in the frame; base/sets.h  (bodies)
    sti_run_island* measure;           // at the first one of each island   (bodies)
    sti_run_pairs apart;
    sti_run_sweep* sweep;  // (shapes)
    sti_aabb* box;         // (shapes)
} sti_run_data;

// A value of a check: the largest is kept, with its place.
static inline void sti_run_look(sti_run_data* k, sti_run_check_kind kind, double value, long frame, int body) {
    sti_run_check* c = &k->out->check[kind];
    c->looked++;
    if (!(value > c->worst) && !isnan(value)) return;
    c->worst = isnan(value) ? INFINITY : value;
    c->frame = frame;
    c->body = body;
}

static inline double sti_run_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double sti_run_norm(const double a[3]) {
    return sqrt(sti_run_dot(a, a));
}

// Entry of body `body` in frame `frame` of an array of `columns` numbers each.
static inline const double* sti_run_at(const sti_run_data* k, const double* array, int columns, long frame, int body) {
    return array + ((size_t)frame * (size_t)k->w->body_count + (size_t)body) * (size_t)columns;
}

static inline long sti_run_first_contact(const sti_run_data* k, long frame) {
    return frame > 0 ? (long)k->w->contact_end[frame - 1] : 0;
}

// Contact i acts on something that may move. What a body does to itself, or one that is held to another, no motion
// answers: such an impulse may have any size and measures nothing.
static inline bool sti_run_acts(const sti_run_data* k, long i) {
    const int a = (int)k->w->contact_body[2 * i], b = (int)k->w->contact_body[2 * i + 1];
    return a != b && !(k->w->fixed[a] && k->w->fixed[b]);
}

// Of the bodies of contact i one that moves, or a.
static inline int sti_run_mover(const sti_run_data* k, long i) {
    const int a = (int)k->w->contact_body[2 * i], b = (int)k->w->contact_body[2 * i + 1];
    return k->w->fixed[a] && !k->w->fixed[b] ? b : a;
}

void sti_run_centre(const sti_run_data* k, long frame, int body, double c[3]);
sti_pose sti_run_pose(const sti_run_data* k, long frame, int body);
// Length of the step that ends with this frame; 0: the recording does not say.
double sti_run_step_length(const sti_run_data* k, long frame);
// This frame ends the step that begins with the one before it.
bool sti_run_follows(const sti_run_data* k, long frame);
// Of the box around the centres of all that moves, at all instants so far, and of the shapes.
double sti_run_length(const sti_run_data* k);

// run.c: a check begins and ends; frames and steps in between are seen before they are checked
sti_status sti_run_begin(sti_run_data* k);
void sti_run_end(sti_run_data* k);
void sti_run_see_frame(sti_run_data* k, long frame);
void sti_run_see_step(sti_run_data* k, long step);
sti_status sti_run_check_frame(sti_run_data* k, long frame);
// Worst values over their scales, and the verdict.
void sti_run_conclude(const sti_run_data* k, sti_run_verification* out);

// run_islands.c: of this frame; what belongs to the island of a body
void sti_run_find_islands(sti_run_data* k, long frame, double length);
const sti_run_island* sti_run_island_of(const sti_run_data* k, int body);

// run_motion.c, run_contacts.c, run_shapes.c
void sti_run_check_step(sti_run_data* k, long step);  // counted from 0 in w
void sti_run_check_motion(sti_run_data* k, long frame);
void sti_run_check_contacts(sti_run_data* k, long frame);
sti_status sti_run_check_shapes(sti_run_data* k, long frame);
sti_status sti_run_find_apart(sti_run_data* k);

#endif
