// run_world.h: stiction run with a scene of bodies: what the run knows about itself, its files, and how it reports.
#ifndef STICTION_CLI_RUN_WORLD_H
#define STICTION_CLI_RUN_WORLD_H

#include "run_system.h"

// Sums over the steps so far; a checkpoint holds them as they are.
typedef struct cli_world_tally {
    long steps, unsolved, first_unsolved, at_rest;
    long accepted, first_accepted;  // of the unsolved ones: --accept
    long iterations, most_iterations;
    long impacts, landings;
    long most_contacts, most_touching;
    long csv_bytes, contacts_bytes;  // written so far
    long frame_every;                // steps between two frames
    double first_energy, peak_kinetic;
    double work, mended;      // sums
    double gain, worst_gain;  // energy that appeared beyond work: sum of what was above 0, largest in one step
    double impact_energy, landing_energy, impact_gain;  // sums
    double accepted_residual;                           // worst of the accepted ones
    // overlaps of the start: deepest, of which bodies, steps that it took, way and energy of lifting them, what is left
    double start_overlap, start_moved, start_energy, start_left;
    long start_steps;
    int start_a, start_b;
    double worst_residual, worst_penetration, worst_drift, worst_corrected;
    double time_detect_s, time_solve_s, time_rest_s, time_files_s, time_check_s, time_s;
    char why[240];  // of the first step that was not solved
    sti_world_report last;
} cli_world_tally;

typedef enum cli_world_end { CLI_WORLD_TIME, CLI_WORLD_STOPPED } cli_world_end;

enum { CLI_WORLD_SHOTS = 7 };  // instants that a picture shows

typedef struct cli_world_run {
    const cli_run_request* request;
    const cli_system_request* own;
    const char* dir;  // NULL: no files
    char* text;       // the file, ended by 0
    size_t text_size;
    char* settings;         // --set and the options that stand for settings; "": none
    sti_document* problem;  // owned
    const sti_world_scene* scene;
    sti_world* world;
    sti_world_record* record;  // NULL: no files
    FILE *csv, *contacts;
    sti_run_checker* checker;  // NULL: --no-check
    cli_world_tally tally;
    long begun;     // steps there were when this process began
    double* curve;  // time, kinetic, potential energy: the start and each step           (3 x (steps + 1))
    size_t curve_room;
    double* shot;  // time, then places of all bodies (x, q), for each instant of a picture  (shots x (1 + 7 bodies))
    int shots;
    sti_world_view view;  // of the picture, if it is in space
    double at;            // the time it shows; INFINITY: the end
    bool drawn;           // it is there already
    cli_world_end end;
} cli_world_run;

// run_world.c
int cli_world_checker(const cli* c, cli_world_run* run);  // made, unless --no-check
// Takes the problem over. name NULL: --resume, without a problem.
int cli_run_world(cli* c, const cli_run_request* request, const cli_system_request* own, sti_document* problem,
                  const char* name);

// run_world_files.c
int cli_world_checkpoint(const cli* c, cli_world_run* run);
int cli_world_restore(const cli* c, cli_world_run* run);
int cli_world_record_begin(const cli* c, cli_world_run* run, const void* state, size_t size);  // state NULL: a new file
int cli_world_csv_open(const cli* c, cli_world_run* run);
int cli_world_csv_line(const cli* c, cli_world_run* run);
int cli_world_contacts_open(const cli* c, cli_world_run* run);  // --contacts
int cli_world_contacts_lines(const cli* c, cli_world_run* run);
bool cli_world_keep_curve(cli_world_run* run, double kinetic, double potential);
int cli_world_save_problem(const cli* c, const cli_world_run* run);  // --problem

// run_world_report.c
int cli_world_report(const cli* c, const cli_world_run* run);  // summary.json, and stdout

// run_world_robots.c
void cli_world_robots_say(const cli* c, const sti_world_scene* scene);  // on stderr
void cli_world_robots_json(cli_json* j, const sti_world_scene* scene);

// run_world_picture.c
bool cli_world_keep_shot(cli_world_run* run);
int cli_world_view_read(const cli* c, cli_world_run* run);       // --view, --size, --at
int cli_world_picture_at(const cli* c, cli_world_run* run);      // scene.png, when --at is reached
int cli_world_pictures(const cli* c, const cli_world_run* run);  // scene.svg or scene.png, energy.svg

#endif
