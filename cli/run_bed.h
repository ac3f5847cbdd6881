// run_bed.h: stiction run with a bed of grains: what is asked about its last step, and how it reports.
#ifndef STICTION_CLI_RUN_BED_H
#define STICTION_CLI_RUN_BED_H

#include "run.h"

typedef struct cli_bed_run {
    const cli* c;
    const cli_run_request* request;
    const char* dir;  // NULL: no files
    sti_run* run;
    sti_run_state state;
    const sti_bed_run* of;
    const double* curve;  // time and kinetic energy, the start and each step   (curve_rows x 2)
    size_t curve_rows;
    double colour_high;  // what the darkest colour of a picture by force or speed stands for; 0: none was asked for
    // of the last step, when asked for
    double* force;  // sum of the normal forces on each grain, for a picture          (n)
    int step_code;  // CLI_DONE, or why it could not be answered
    double problem_residual;
    sti_bed_jamming jamming;
    int* ends;  // grains a, b of its contacts, where there is a self-stress   (2 x contacts)
} cli_bed_run;

// run_tao.c: solvers of PETSc/TAO
bool cli_bed_tao_named(const char* solver);
int cli_bed_tao_begin(const cli* c, const char* solver, sti_bed_method* method);
void cli_bed_tao_end(void);
const char* cli_bed_solver_name(const cli_bed_run* run);

// run_bed_step.c: --problem, --jamming, and forces for a picture
int cli_bed_last_step(const cli* c, cli_bed_run* run,
                      const sti_run* now);      // while the bed has the contacts of the step
bool cli_bed_by_force(const cli_bed_run* run);  // a picture is asked for, with the forces
void cli_bed_step_json(cli_json* j, const cli_bed_run* run);
void cli_bed_step_say(const cli* c, const cli_bed_run* run);

// run_bed_report.c
int cli_bed_report(const cli* c, const cli_bed_run* run);  // summary.json, and stdout
int cli_bed_pictures(const cli* c, cli_bed_run* run);      // bed.png, energy.svg

#endif
