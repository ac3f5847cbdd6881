// simulation.h: what a kind of simulation tells the run about itself: one row of functions, at the end of the file of that kind.
#ifndef STI_RUN_SIMULATION_H
#define STI_RUN_SIMULATION_H

#include <stdio.h>
#include <stiction/run.h>
#include <stiction/simulation.h>

#include "base/env.h"
#include "run/store.h"

enum { STI_MOST_SERIES = 24, STI_TABLES = 2 };  // tables: of steps, of contacts

typedef struct sti_moment {
    long steps;
    double time, h, start;
    double end;  // of the document
} sti_moment;

typedef struct sti_simulation_type {
    const char* kind;                                             // word of its documents
    long version;                                                 // of the fields that save puts
    void (*prepare)(void* self, const sti_run_options* options);  // before the first step; NULL: nothing to do
    void (*now)(const void* self, sti_moment* out);
    // made: its files are written; over: the simulation is at its end, with or without that step
    sti_status (*step)(void* self, bool* made, bool* over);
    sti_status (*save)(const void* self, sti_store* out);
    sti_status (*load)(sti_env* env, const sti_store* in, void** self);
    void (*destroy)(void* self);
    // The recording: its series, what stands beside them, and the rows of the start or of the last step.
    int (*series)(const void* self, sti_series_def* defs);    // at most STI_MOST_SERIES
    sti_status (*texts)(const void* self, sti_recording* r);  // NULL: none
    sti_status (*record)(const void* self, sti_recording* r, const int* series);
    // The same for tables.
    int tables;
    void (*header)(const void* self, int table, FILE* f);
    void (*lines)(const void* self, int table, FILE* f);
    size_t (*curve_columns)(const void* self);
    void (*curve)(const void* self, double* row);
} sti_simulation_type;

struct sti_simulation {
    sti_env* env;
    const sti_simulation_type* type;
    void* self;
};

extern const sti_simulation_type sti_simulation_navigation, sti_simulation_manipulation, sti_simulation_system;

// Takes self over.
sti_status sti_simulation_make(sti_env* env, const sti_simulation_type* type, void* self, sti_simulation** out);
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
void sti_source_save(const sti_source* source, sti_store* out);
sti_status sti_source_load(sti_env* env, const sti_store* in, sti_kind kind, sti_source* out);
void sti_source_clear(sti_source* source);

// ---- tables.c: lines of a table

void sti_table_name(FILE* f, const char* name);  // as part of a column's name
void sti_table_number(FILE* f, double x);        // after a comma; NAN: nothing

#endif
