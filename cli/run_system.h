// run_system.h: stiction run with a system by formulas: its options, and how it reports.
#ifndef STICTION_CLI_RUN_SYSTEM_H
#define STICTION_CLI_RUN_SYSTEM_H

#include "run.h"

// Options of systems alone. NULL and 0: not given.
typedef struct cli_system_request {
    const char* scheme;    // --scheme alpha, convex, quasistatic
    double alpha;          // --alpha
    const char* geometry;  // --geometry ahead, old
    const char* impact;    // --impact poisson, poisson_printed, moreau, newton, general, stronge, lzb, or a matrix
    cli_list stiffness;    // --stiffness
    double exponent;       // --exponent
    long facets;           // --facets
    bool printed;          // --printed: every choice as in S3
    bool settle;           // --settle: no alternating velocities at closed contacts
    const char* events;    // --events auto, off
    long index;            // --index 2, 3: joints at the level of velocities or of positions
} cli_system_request;

typedef struct cli_system_run {
    const cli_run_request* request;
    const char* dir;  // NULL: no files
    sti_run* run;
    sti_run_state state;
    const sti_system_run* of;
    const double* curve;  // of --picture: sti_system_simulation says what stands in a row   (curve_rows x (3 + 2 n))
    size_t curve_rows;
} cli_system_run;

// run_system_report.c
int cli_system_report(const cli* c, const cli_system_run* run);   // summary.json, and stdout
int cli_system_picture(const cli* c, const cli_system_run* run);  // positions.svg, velocities.svg, energy.svg

// problem NULL: --resume. Takes it over.
int cli_run_system(cli* c, const cli_run_request* request, const cli_system_request* own, sti_document* problem);

#endif
