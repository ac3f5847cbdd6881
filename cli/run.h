// run.h: what runs share, whatever moves in them: the request, the folder, progress, signals, the clock of checkpoints.
#ifndef STICTION_CLI_RUN_H
#define STICTION_CLI_RUN_H

#include "cli.h"

typedef struct cli_run_request {
    const char* scene;              // file or built-in scene; NULL with --resume
    const char* out;                // --out DIR; with --resume: that folder. NULL: no files
    const char* resume;             // --resume DIR
    const char* settings;           // --set
    const char* law;                // --law
    const char* solver;             // --solver
    const char* csv;                // --csv FILE
    const char* contacts;           // --contacts FILE
    const char* attempts;           // --attempts FILE
    const char* colour;             // --colour
    const char* view;               // --view: a name, or degrees
    const char* size;               // --size: pixels
    const char* at;                 // --at: the time that scene.png shows
    double time, step, tol, frame;  // 0: not given
    double accept;                  // --accept: residual up to which a step that misses its tolerance may pass; 0: none
    double checkpoint;              // seconds between two
    long threads;                   // 0: as many as there are processors
    const char* problem;            // --problem FILE: of the last step
    double jamming_limit;           // seconds; 0: none
    double jamming_every;           // time between two tests before the end; 0: none
    const char* noise;              // --noise: of a plan
    long repeat, seed;              // --repeat, --seed: of a plan
    bool picture, force, jamming;
    bool check, no_check;
} cli_run_request;

// The scene of the request in time: what stiction run does without --resume.
struct cli_system_request;
struct cli_robot_request;
int cli_run_scene(cli* c, const cli_run_request* r, const struct cli_system_request* own,
                  const struct cli_robot_request* robot);

// ---- the folder

// dir/name, for free(); NULL: memory ran out.
char* cli_run_path(const char* dir, const char* name);
// Made when it is not there. A folder that holds a run, or a file of another that a run would replace, is refused
// unless
// --force; what a run left that was killed before its first checkpoint is taken away.
int cli_run_folder(const cli* c, const char* dir, bool force);
// A run that fails before it can be gone on with takes its files away again, and the folder if it was made for it;
// keep: from now on it can be.
void cli_run_folder_undo(void);
void cli_run_folder_keep(void);
// What the library failed to write: the line, and CLI_INTERNAL unless the place itself was wrong.
int cli_run_fail_output(const cli* c);

// A step that the library could not make: scene or folder, the step, and why.
int cli_run_fail_step(const cli* c, const char* name, long step, double time);

// ---- how far

// Scene, or the folder that is gone on with.
static inline const char* cli_run_name(const cli_run_request* r) {
    return r->scene != NULL ? r->scene : r->resume;
}
// Steps of h that make up time, at least one; so many that no run would end are refused.
int cli_run_steps(const cli* c, const char* name, double time, double h, long* steps);
// With --resume: whether there was anything to do.
// How a run ended, in words before "at t = .."; itself: where the simulation ended it.
const char* cli_run_ended(sti_run_end end, const char* itself);
void cli_run_say_idle(const cli* c, const cli_run_request* r, long steps, double time);

// ---- signals: after SIGINT, SIGTERM or SIGHUP, or past --time-limit, the run ends with the step it is in; a second
// signal ends the process

void cli_run_catch_signals(void);
bool cli_run_stopped(void);

// ---- time

double cli_run_peak_memory(void);  // bytes of the process at its largest

typedef struct cli_run_progress {
    bool shown;
    double start, last;
    double from;  // part that was done at the start, 0 .. 1
} cli_run_progress;

// A bar with the part done (0 .. 1), a text, and the time left; on a terminal, five times a second at most.
cli_run_progress cli_run_progress_begin(double from);
void cli_run_progress_show(const cli* c, cli_run_progress* p, double part, const char* text);
void cli_run_progress_clear(const cli_run_progress* p);

// ---- files (run_files.c)

// The file of that name, or the built-in scene; ended by 0, for free().
int cli_run_read_text(const cli* c, const char* name, char** text, size_t* size);
bool cli_run_has_part(const cli* c, const char* dir, const char* name);  // the checkpoint of that folder
// Whether a file can be written where an option wants it (path NULL: nothing is wanted). Nothing is changed. out: a
// folder that may still be to be made. whole: the file is written beside and renamed.
int cli_run_check_output(const cli* c, const char* option, const char* path, const char* out, bool whole);
void cli_run_csv_name(FILE* csv, const char* name);  // as part of a column's name
void cli_run_csv_number(FILE* csv, double x);        // after a comma; NAN: nothing
// The summary, closed: summary.json in dir (NULL: no file), and stdout with --json. Takes j.
int cli_run_summary(const cli* c, const char* dir, cli_json* j);

// energy.svg in dir, from a table with the time first and, from column `kinetic` on, kinetic and potential energy
// (run_picture.c).
int cli_run_energy_picture(const cli* c, const char* dir, const double* table, size_t rows, size_t columns,
                           size_t kinetic);

// --size, where it was given.
int cli_run_size(const cli* c, const cli_run_request* r, int* width, int* height);

// ---- runs of the library (run_drive.c)

typedef sti_status cli_run_maker(sti_env* env, const sti_run_source* source, const cli_run_request* request,
                                 sti_simulation** out);

// The simulation of the scene that is asked for. problem: the same, read before; --set is tried on it, for the message.
int cli_run_simulation(const cli* c, const cli_run_request* request, sti_document* problem, cli_run_maker* make,
                       sti_simulation** out);
// A text among the fields of the checkpoint in a folder, like "kind"; "": there is none, or the checkpoint cannot be
// read.
void cli_run_field(const cli* c, const char* dir, const char* name, char* value, size_t size);

typedef void cli_run_text(const sti_run* run, char* text, size_t size);  // beside the bar of progress

// How the command drives a run.
typedef struct cli_run_driver {
    const cli* c;
    const cli_run_request* request;
    cli_run_text* text;
    bool curve;                    // kept without --picture too, for a picture of a later run
    const sti_bed_method* method;  // of grains
    // Before the first step and after each; another code than CLI_DONE ends the run. NULL: nothing to do.
    int (*watch)(void* user, const sti_run* run);
    void* user;
    cli_run_progress progress;
    bool begun;
    int code;
} cli_run_driver;

// To the end. Takes the simulation over; NULL: the run that --resume names. *out: also of a run that failed, NULL:
// there is none.
int cli_run_drive_by(cli_run_driver* d, sti_simulation* simulation, sti_run** out);
// --problem: is it a name that such a file may have? json: .json too.
int cli_run_problem_name(const cli* c, const cli_run_request* r, bool json);
// --problem: the last step as a contact problem, with its point.
int cli_run_save_problem(const cli* c, const sti_run* run, const char* title, const char* description, const char* path,
                         double* residual);
int cli_run_save_last(const cli* c, const sti_run* run, const cli_run_request* r);  // where --problem asks for it
int cli_run_drive(const cli* c, const cli_run_request* request, sti_simulation* simulation, cli_run_text* text,
                  sti_run** out);

// ---- kinds of runs

int cli_run_bed(cli* c, const cli_run_request* request, const sti_bed_scene* scene);  // scene NULL: --resume

#endif
