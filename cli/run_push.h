// run_push.h: stiction run with a scene of parts and probes: its report and its picture.
#ifndef STICTION_CLI_RUN_PUSH_H
#define STICTION_CLI_RUN_PUSH_H

#include "run.h"

enum { CLI_PUSH_SHOTS = 9 };

typedef struct cli_push_run {
    const cli_run_request* request;
    const char* dir;  // NULL: no files
    sti_run* run;
    sti_run_state state;
    const sti_push_run* of;
    const sti_manipulation* scene;
    const sti_push* push;
    const double* curve;  // time and poses of each step, for pictures     (curve_rows x (1 + 3 parts))
    size_t curve_rows;
} cli_push_run;

// run_push_report.c
int cli_push_report(const cli* c, const cli_push_run* run);  // summary.json, and stdout
// A step without a solution: what proves it ("certificate"), and why.
void cli_push_put_certificate(cli_json* j, const sti_manipulation* m, const sti_push_report* r);
void cli_push_say_jam(const cli* c, const sti_push_report* r);
// run_push_picture.c
int cli_push_picture(const cli* c, const cli_push_run* run);  // scene.svg

// Takes the problem; NULL: --resume.
int cli_run_push(cli* c, const cli_run_request* request, sti_document* problem);

#endif
