// simulation.h: what a kind of simulation tells the run about itself: one row of functions, at the end of the file of
// that kind.
#ifndef STI_RUN_SIMULATION_H
#define STI_RUN_SIMULATION_H

#include <stdio.h>
#include <stiction/recording.h>
#include <stiction/simulation.h>

#include "base/env.h"
#include "run/store.h"

enum { STI_MOST_SERIES = 24, STI_TABLES = 3 };  // tables: of steps, of contacts, of attempts

typedef struct sti_moment {
    long steps;
    double time, h, start;
    double end;  // of the document
    bool over;   // nothing more happens by itself: a bed at rest
} sti_moment;

typedef struct sti_simulation_type {
    const char* kind;   // word of checkpoints
    long version;       // of the fields that save puts
    sti_kind document;  // what it is made from
    size_t size;        // of self, which begins with its sti_source
    // Before the first step, after load too. steps: until the end. NULL: nothing to do.
    sti_status (*prepare)(void* self, const sti_run_options* options, long steps);
    void (*now)(const void* self, sti_moment* out);
    // made: its files are written; over: the simulation is at its end, with or without that step
    sti_status (*step)(void* self, bool* made, bool* over);
    // After each step, its files and whoever looks at it, before its checkpoint: what goes on between two steps. NULL:
    // nothing.
    sti_status (*turn)(void* self);
    // The last step as a problem. NULL: it poses none.
    sti_status (*problem)(const void* self, sti_env* env, sti_run_problem* out);
    sti_status (*save)(const void* self, sti_store* out);
    sti_status (*load)(void* self, const sti_store* in);  // self: its source is there, all else is zero
    void (*clear)(void* self);                            // all but the source; of one that was half made too
    // The recording: its series, what stands beside them, and the rows of the start or of the last step.
    int (*series)(const void* self, sti_series_def* defs);    // at most STI_MOST_SERIES
    sti_status (*texts)(const void* self, sti_recording* r);  // NULL: none
    sti_status (*record)(const void* self, sti_recording* r, const int* series);
    // In place of these three: a recording of its own. state NULL: a new file; write: the start or the last step;
    // conclude: what is written after the last step and not part of the checkpoint, since a run that goes on has it
    // elsewhere. NULL: nothing.
    sti_status (*open)(void* self, const char* path, const void* state, size_t size);
    sti_status (*write)(void* self);
    sti_status (*commit)(void* self);
    sti_status (*position)(const void* self, void** bytes, size_t* size);
    sti_status (*conclude)(void* self);
    // The same for tables.
    int tables;
    void (*header)(const void* self, int table, FILE* f);
    sti_status (*lines)(const void* self, int table, FILE* f);
    size_t (*curve_columns)(const void* self);
    void (*curve)(const void* self, double* row);
} sti_simulation_type;

struct sti_simulation {
    sti_env* env;
    const sti_simulation_type* type;
    void* self;
};

extern const sti_simulation_type sti_simulation_navigation, sti_simulation_manipulation, sti_simulation_system,
    sti_simulation_world_system, sti_simulation_bodies, sti_simulation_grains;

// With its document, all else of self zero.
sti_status sti_simulation_begin(sti_env* env, const sti_simulation_type* type, const sti_run_source* from,
                                sti_simulation** out);
// Of a simulation that could not be begun nothing is left, *out becomes NULL. Returns status.
sti_status sti_simulation_begun(sti_status status, sti_simulation** out);
const sti_simulation* sti_run_simulation(const sti_run* run);
const void* sti_run_self(const sti_run* run, const sti_simulation_type* type);  // NULL: of another type

// ---- source.c: the document that a simulation is made from

typedef struct sti_source {
    sti_env* env;
    char* text;      // ended by 0                                     (size)
    char* settings;  // NULL: none
    size_t size;
    sti_document* document;
} sti_source;

sti_status sti_source_open(sti_env* env, const sti_run_source* from, sti_kind kind, sti_source* out);
// Robots from other files become part of the text.
sti_status sti_source_embed(sti_source* source);
void sti_source_save(const sti_source* source, sti_store* out);
sti_status sti_source_load(sti_env* env, const sti_store* in, sti_kind kind, sti_source* out);
void sti_source_clear(sti_source* source);

// ---- tables.c: lines of a table

void sti_table_name(FILE* f, const char* name);  // as part of a column's name
void sti_table_number(FILE* f, double x);        // after a comma; NAN: nothing

#endif
