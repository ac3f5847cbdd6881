// run.h: the check of a recorded run while it is made.
#ifndef STI_VERIFY_RUN_H
#define STI_VERIFY_RUN_H

#include <math.h>
#include <stiction/verify.h>

#include "base/env.h"

typedef struct sti_run_data {
    sti_env* env;
    const sti_recorded_world* w;
    const sti_run_verify_options* options;
    sti_run_verification* out;
    double length, speed, energy;  // scales; above 0
    unsigned char* tied;           // body has a joint                   (bodies)
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

void sti_run_centre(const sti_run_data* k, long frame, int body, double c[3]);
sti_pose sti_run_pose(const sti_run_data* k, long frame, int body);
// Length of the step that ends with this frame; 0: the recording does not say.
double sti_run_step_length(const sti_run_data* k, long frame);
// This frame ends the step that begins with the one before it.
bool sti_run_follows(const sti_run_data* k, long frame);

// run_motion.c, run_contacts.c, run_shapes.c
void sti_run_check_motion(sti_run_data* k);
sti_status sti_run_check_contacts(sti_run_data* k);
sti_status sti_run_check_shapes(sti_run_data* k);

#endif
