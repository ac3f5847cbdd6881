// run_system.h: stiction run with a system by formulas: what the run knows about itself, its files, and how it reports.
#ifndef STICTION_CLI_RUN_SYSTEM_H
#define STICTION_CLI_RUN_SYSTEM_H

#include "run.h"

// Options of systems alone. NULL and 0: not given.
typedef struct cli_system_request {
    const char* scheme;    // --scheme alpha, convex, quasistatic
    double alpha;          // --alpha
    const char* geometry;  // --geometry ahead, old
    const char* impact;    // --impact poisson, poisson_printed, moreau, newton, general, or a matrix
    long facets;           // --facets
    bool printed;          // --printed: every choice as in S3
    bool settle;           // --settle: no alternating velocities at closed contacts
} cli_system_request;

// Sums over the steps so far; a checkpoint holds them as they are.
typedef struct cli_system_tally {
    long steps;
    long collisions;
    long most_active;
    long csv_bytes;
    // of kinetic + potential - work, the work as far as it is known; the rise is above the least before
    double first_energy, least_energy, largest_rise;
    double last_kinetic, last_potential;
    double work, loss, defect;  // as in sti_step_report; NAN: not known
    long pieces, most_pieces, relaxed;
    double collision_energy, gain, dropped;
    double worst_residual, worst_penetration, worst_drift, worst_correction, worst_lift;
    double time_step_s, time_files_s, time_s;
} cli_system_tally;

typedef enum cli_system_end { CLI_SYSTEM_TIME, CLI_SYSTEM_STOPPED, CLI_SYSTEM_FAILED } cli_system_end;

enum { CLI_SYSTEM_SERIES = 16 };

// Of a contact: its last step, and its collisions so far. A checkpoint holds it as it is.
typedef struct cli_system_contact {
    long collisions;
    double first, last;  // of them
    double gap, impulse_n, impulse_t[2], slip[2], hit;
} cli_system_contact;

typedef struct cli_system_run {
    const cli_run_request* request;
    const cli_system_request* own;
    const char* dir;  // NULL: no files
    char* text;       // the file                                    (text_size)
    size_t text_size;
    char* settings;  // --set, kept for a resumed run; NULL: none
    char* impact;    // --impact, likewise
    double* E;       // the matrix in it; NULL: none                (contacts x contacts, without joints)
    sti_document* problem;
    const sti_system* system;  // of the problem
    sti_stepper_options options;
    sti_stepper* stepper;
    double end_time;
    sti_recording* record;  // NULL: no files
    int series[CLI_SYSTEM_SERIES];
    FILE* csv;
    double* curve;  // time, coordinates, weighted velocities, energies of each step, for pictures
                    //                                               (curve_rows x (3 + 2 n))
    size_t curve_rows, curve_room;
    unsigned char* mode;          // of the last step                 (contacts and joints)
    cli_system_contact* contact;  // (contacts and joints)
    int* tangents;                // directions of slip               (contacts and joints)
    cli_system_tally tally;
    long begun;  // steps there were when this process began
    cli_system_end end;
    char why[256];  // of a step that failed
} cli_system_run;

// run_system_files.c
int cli_system_record_begin(const cli* c, cli_system_run* run, const void* state,
                            size_t size);                                                      // state NULL: a new file
int cli_system_record_step(const cli* c, cli_system_run* run, const sti_step_report* report);  // NULL: the start
int cli_system_checkpoint(const cli* c, cli_system_run* run);
int cli_system_restore(const cli* c, cli_system_run* run);
int cli_system_csv_open(const cli* c, cli_system_run* run);
int cli_system_csv_line(const cli* c, cli_system_run* run, const sti_step_report* report);  // NULL: the start

// run_system_report.c
int cli_system_report(const cli* c, const cli_system_run* run);   // summary.json, and stdout
int cli_system_picture(const cli* c, const cli_system_run* run);  // positions.svg, velocities.svg, energy.svg

// run_system.c
int cli_system_load(const cli* c, cli_system_run* run, const char* name);  // problem and system from run->text
int cli_system_contacts(const cli* c, cli_system_run* run);                // what is kept of contacts, made
int cli_system_impact(const cli* c, cli_system_run* run);                  // law and matrix from run->impact

// name NULL: --resume.
int cli_run_system(cli* c, const cli_run_request* request, const cli_system_request* own, const char* name);

#endif
