// run_sweep.h: stiction run --sweep: many runs of one scene, and what they say as a table.
#ifndef STICTION_CLI_RUN_SWEEP_H
#define STICTION_CLI_RUN_SWEEP_H

#include "run.h"

typedef struct cli_run_sweep {
    const char* values;  // "mu=0.1:0.9:9"
    long jobs;           // at a time
    const char* csv;     // NULL: none
    const char* plot;    // NULL: none
    const char* of;      // what it shows, "residual,energy.end"
    const char* title;
} cli_run_sweep;

// A run of the request, in a process of its own; its summary goes to stdout, its exit code is returned.
typedef int cli_run_one(cli* c, const cli_run_request* request, void* user);

int cli_run_swept(const cli* c, const cli_run_sweep* ask, const cli_run_request* request, cli_run_one* one, void* user);

#endif
