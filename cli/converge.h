// converge.h: stiction converge: one scene run with several steps, and what is compared.
#ifndef STICTION_CLI_CONVERGE_H
#define STICTION_CLI_CONVERGE_H

#include "run.h"

enum { CLI_CONVERGE_STEPS = 12, CLI_CONVERGE_VARIANTS = 8, CLI_CONVERGE_ERRORS = 6, CLI_CONVERGE_SIZES = 5 };

// One way to step, and what it gave for each step. Errors and sizes are in the order of their names.
typedef struct cli_converge_variant {
    char name[48];
    sti_stepper_options system;
    sti_world_options world;
    bool by_events;  // of bodies: their system, with the options of systems
    sti_bed_options bed;
    sti_path* path[CLI_CONVERGE_STEPS];
    double size[CLI_CONVERGE_STEPS][CLI_CONVERGE_SIZES];
    double error[CLI_CONVERGE_STEPS][CLI_CONVERGE_ERRORS];  // NAN: not known
    double order[CLI_CONVERGE_ERRORS];                      // from the last two errors; NAN: not known
    double growth[CLI_CONVERGE_SIZES];                      // s of size ~ h^-s, least squares; NAN: not known
} cli_converge_variant;

extern const char* const cli_converge_error_names[CLI_CONVERGE_ERRORS];
extern const char* const cli_converge_size_names[CLI_CONVERGE_SIZES];

typedef enum cli_converge_reference {
    CLI_CONVERGE_FINE,          // a run of the same kind with an eighth of the least step
    CLI_CONVERGE_EVENTS,        // a run by events with the least step, errors of 1e-12
    CLI_CONVERGE_EXTRAPOLATED,  // differences of neighbours, extrapolated after Richardson
    CLI_CONVERGE_CLOSED         // formulas of t
} cli_converge_reference;

typedef struct cli_converge {
    const cli* c;
    const char* file;
    sti_document* problem;
    sti_system* system;  // one of the three
    const sti_world_scene* world;
    const sti_bed_scene* bed;
    double time;
    int step_count;
    double h[CLI_CONVERGE_STEPS];  // descending
    cli_converge_reference reference;
    double reference_step;  // NAN: extrapolated
    int variant_count;
    cli_converge_variant variant[CLI_CONVERGE_VARIANTS];
    cli_run_progress progress;
    double work, done;  // steps in all, and made
} cli_converge;

// converge_path.c: a run as a path; *out is the caller's. CLI_NO with its line: a step was not solved.
int cli_converge_run(cli_converge* w, const cli_converge_variant* v, double h, sti_path** out);
int cli_converge_closed(cli_converge* w, const char* formulas, sti_path** out);  // formulas "x=..,x'=.."

// converge_report.c
void cli_converge_say(const cli_converge* w);
int cli_converge_json(const cli_converge* w);
int cli_converge_draw(const cli_converge* w, const char* path);

#endif
