// run_push.h: stiction run with a scene of parts and probes: what the run knows about itself, its files, and how it reports.
#ifndef STICTION_CLI_RUN_PUSH_H
#define STICTION_CLI_RUN_PUSH_H

#include "run.h"

enum { CLI_PUSH_SERIES = 18, CLI_PUSH_MODES = 200, CLI_PUSH_SHOTS = 9 };

// Sums over the steps so far; a checkpoint holds them as they are.
typedef struct cli_push_tally {
    long steps, most_contacts, csv_bytes, contacts_bytes;
    double worst_residual, worst_penetration, dissipation, worst_check;
    double time_s;
} cli_push_tally;

// Steps in a row with the same closed contacts in the same modes.
typedef struct cli_push_phase {
    long first, last;
    char modes[CLI_PUSH_MODES];  // "probe stick, slot slide+"
} cli_push_phase;

typedef enum cli_push_end { CLI_PUSH_TIME, CLI_PUSH_STOPPED, CLI_PUSH_JAMMED } cli_push_end;

typedef struct cli_push_run {
    const cli_run_request* request;
    const char* dir;  // NULL: no files
    char* text;       // the file                                    (text_size)
    size_t text_size;
    char* settings;  // --set, kept for a resumed run; NULL: none
    sti_document* problem;
    const sti_manipulation* scene;  // of the problem
    sti_push* push;
    double h;
    long last_step;  // where the run ends
    sti_recording* record;
    int series[CLI_PUSH_SERIES];
    FILE *csv, *contacts;
    double* before;  // poses before the step                        (3 parts)
    double* curve;   // time and poses of each step, for pictures     (curve_rows x (1 + 3 parts))
    size_t curve_rows, curve_room;
    cli_push_phase* phases;
    size_t phase_count, phase_room;
    sti_push_report report;  // of the last step; step 0: none was made
    bool refuted;            // a step did not pass its check
    char check[240];         // what the first such check said
    cli_push_tally tally;
    long begun;
    cli_push_end end;
} cli_push_run;

// run_push_files.c
int cli_push_record_begin(const cli* c, cli_push_run* run, const void* state, size_t size);  // state NULL: a new file
int cli_push_record_step(const cli* c, cli_push_run* run, const sti_push_report* report);    // NULL: the start
int cli_push_checkpoint(const cli* c, cli_push_run* run);
int cli_push_restore(const cli* c, cli_push_run* run);
int cli_push_tables_open(const cli* c, cli_push_run* run);
int cli_push_tables_line(const cli* c, cli_push_run* run, const sti_push_report* report);  // NULL: the start

// run_push_report.c
int cli_push_report(const cli* c, const cli_push_run* run);  // summary.json, and stdout
// run_push_picture.c
int cli_push_picture(const cli* c, const cli_push_run* run);  // scene.svg

// run_push.c
int cli_push_load(const cli* c, cli_push_run* run, const char* name);  // problem, scene and push from run->text

// name NULL: --resume.
int cli_run_push(cli* c, const cli_run_request* request, const char* name);

#endif
