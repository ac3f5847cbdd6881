// meter.h: a run as a measure, taken step by step in memory that does not grow.
#ifndef STI_RUN_METER_H
#define STI_RUN_METER_H

#include <stiction/instant.h>
#include <stiction/simulation.h>

enum { STI_METER_ROWS = 64 };  // velocities, generators: more are too large to look at the cone

typedef struct sti_meter {
    sti_env* env;
    int n;         // velocities
    long rows;     // taken so far
    long next;     // step at which an instant is looked at
    long looked;   // because something changed
    double* v;     // of the last three rows, row k in place k % 3    (3 x n)
    double* mass;  // of the first instant; NULL: none               (mass_n x mass_n)
    int mass_n;
    sti_run_measure m;
} sti_meter;

sti_status sti_meter_create(sti_env* env, int n, double alpha, sti_meter** out);
void sti_meter_destroy(sti_meter* meter);  // accepts NULL

// The next row: its velocity is written to what sti_meter_velocity returns, then it is taken.
double* sti_meter_velocity(sti_meter* meter);
void sti_meter_row(sti_meter* meter, double t, double normal);
// The velocities of the last row, to be set anew where something else than a step changed them; and of the row before
// it (NULL: there is none).
double* sti_meter_last(sti_meter* meter);
const double* sti_meter_before(const sti_meter* meter);
// Sum of squares of what `count` components from `first` on changed in the last row.
double sti_meter_change(const sti_meter* meter, int first, int count);
void sti_meter_atom(sti_meter* meter, double t, double size);

// Whether to look at the end of this step: when steps have grown by a sixteenth, or by half with more than 24
// velocities, and at changes, one in 16 steps at most. changed: it collided, or other contacts are closed than before.
bool sti_meter_due(sti_meter* meter, long step, bool changed);
// One that is due and is too large for it, or has no instant.
void sti_meter_pass(sti_meter* meter);
// Mass, and the cone of joints and of contacts that are marked as closed (contact_count; more of the instant are open).
sti_status sti_meter_look(sti_meter* meter, const sti_instant* instant, const bool* closed, int contact_count);

void sti_meter_save(const sti_meter* meter, sti_store* out);
sti_status sti_meter_load(sti_meter* meter, const sti_store* in);

#endif
