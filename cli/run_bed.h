// run_bed.h: the parts of a bed's run: what it knows about itself, its files, and how it reports.
#ifndef STICTION_CLI_RUN_BED_H
#define STICTION_CLI_RUN_BED_H

#include "run.h"

typedef enum cli_bed_end { CLI_BED_TIME, CLI_BED_REST, CLI_BED_STOPPED } cli_bed_end;

// Sums over the steps so far; a checkpoint holds them as they are.
typedef struct cli_bed_tally {
    long steps;
    long unsolved, first_unsolved;
    long deep;                      // of them: grains in each other too far
    long accepted, first_accepted;  // of them: --accept
    double accepted_residual;       // worst of these
    long iterations;
    long most_iterations;
    double worst_residual;
    double worst_penetration;
    double worst_cone;
    double worst_lift;
    double worst_gap;  // convex laws
    double worst_momentum;
    double peak_kinetic;
    double first_energy;  // kinetic and potential at the start
    double time_search_s, time_solve_s, time_rest_s, time_files_s, time_s;
    long frame_every;  // steps between two frames
    long csv_bytes;    // written so far
    long most_contacts;
    long quiet;                            // steps in a row with less kinetic energy than the scene's "until"
    long frames;                           // in the trajectory of a run that is over
    long jam_tests, jam_holds, jam_fails;  // of --jamming-every
    double jam_first;                      // time of the first one that fails
    cli_bed_end end;                       // why it ended, once it has
    char solver[16];                       // of libstiction_tao; empty: the scene's
    char scene[200];                       // as it was asked for
    sti_bed_report last;
} cli_bed_tally;

typedef struct cli_bed_run {
    const cli_run_request* request;
    sti_scene scene;
    char* scene_json;  // of the library
    const char* dir;   // NULL: no files
    sti_grains grains;
    sti_bed* bed;
    sti_recirculation* flow;  // NULL: the bottom is closed
    sti_bed_record* record;   // NULL: no files, or no step to write into them
    void* record_state;       // where a later run goes on, where that is before the last frame; NULL: where it stands
    size_t record_size;
    FILE* csv;
    cli_bed_tally tally;
    long begun;     // steps there were when this process began
    double* curve;  // time and kinetic energy of each step       (2 x steps)
    size_t curve_room;
    bool past_rest;  // it was at rest and goes on to a later time all the same
    bool over;
    cli_bed_end end;
    double colour_high;  // what the darkest colour of a picture by force or speed stands for; 0: none was asked for
    // of the last step, when asked for
    double* force;  // sum of the normal forces on each grain, for a picture          (n)
    int step_code;  // CLI_DONE, or why it could not be answered
    double problem_residual;
    sti_bed_jamming jamming;
    int* ends;  // grains a, b of its contacts, where there is a self-stress   (2 x contacts)
} cli_bed_run;

enum { CLI_BED_CSV_GRAINS = 100 };  // beds up to this many have their coordinates in the CSV file

// run_bed_files.c
int cli_bed_checkpoint(const cli* c, cli_bed_run* run);
int cli_bed_restore(const cli* c, cli_bed_run* run);  // scene, bed, flow and tally from the folder
int cli_bed_restore_record(const cli* c, cli_bed_run* run);
int cli_bed_csv_open(const cli* c, cli_bed_run* run);
int cli_bed_csv_line(const cli* c, cli_bed_run* run);
bool cli_bed_keep_curve(cli_bed_run* run, double time, double kinetic);

// run_tao.c: solvers of PETSc/TAO
bool cli_bed_tao_named(const char* solver);
int cli_bed_tao_begin(const cli* c, cli_bed_run* run);  // the bed solves by tally.solver from now on, if there is one
void cli_bed_tao_end(void);
const char* cli_bed_solver_name(const cli_bed_run* run);

// run_bed_step.c: --problem, --jamming, and forces for a picture
int cli_bed_ask(const cli* c, cli_bed_run* run);        // --jamming-every
int cli_bed_last_step(const cli* c, cli_bed_run* run);  // while the bed still has the contacts of the step
bool cli_bed_by_force(const cli_bed_run* run);          // a picture is asked for, with the forces
void cli_bed_step_json(cli_json* j, const cli_bed_run* run);
void cli_bed_step_say(const cli* c, const cli_bed_run* run);

// run_bed_report.c
int cli_bed_report(const cli* c, const cli_bed_run* run);  // summary.json, and stdout
int cli_bed_pictures(const cli* c, cli_bed_run* run);      // bed.png, energy.svg

#endif
