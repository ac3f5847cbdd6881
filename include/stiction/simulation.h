// simulation.h: the life of a simulation, whatever moves in it: steps until an end, a recording, tables, checkpoints,
// and going on from them.
//
//     sti_run_source source = {.text = text, .size = size, .name = "scene.json"};
//     sti_simulation_create(env, &source, &simulation);
//     sti_run_options options = sti_run_options_default();
//     options.dir = "out";                                  // trajectory.h5, checkpoint.h5
//     sti_run_create(env, simulation, &options, &run);       // or: sti_run_resume(env, "out", &options, &run)
//     sti_run_go(run);
//     sti_navigation_run_of(run)->least_gap ..              // what there is to tell
//     sti_run_destroy(run);
//
// A checkpoint holds named fields, and each kind has a version of its own for them. docs/runs.md says what stands in
// the files.
#ifndef STICTION_SIMULATION_H
#define STICTION_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>
#include <stiction/document.h>
#include <stiction/manipulation.h>
#include <stiction/navigation.h>
#include <stiction/path.h>
#include <stiction/scene.h>
#include <stiction/step.h>
#include <stiction/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- named fields

typedef struct sti_store sti_store;

STI_API sti_status sti_store_create(sti_env* env, sti_store** out);
STI_API void sti_store_destroy(sti_store* fields);  // accepts NULL

// Data are copied. A put that fails is remembered: sti_store_save tells it. Names are up to 99 characters without
// blanks.
STI_API void sti_store_put_numbers(sti_store* fields, const char* name, const double* x, size_t count);
STI_API void sti_store_put_integers(sti_store* fields, const char* name, const int64_t* x, size_t count);
STI_API void sti_store_put_text(sti_store* fields, const char* name, const char* text);
STI_API void sti_store_put_bytes(sti_store* fields, const char* name, const void* bytes, size_t size);

// NULL: there is no such field, or it is of another type. What is returned lives as long as the fields.
STI_API const double* sti_store_numbers(const sti_store* fields, const char* name, size_t* count);
STI_API const int64_t* sti_store_integers(const sti_store* fields, const char* name, size_t* count);
STI_API const char* sti_store_text(const sti_store* fields, const char* name);
STI_API const void* sti_store_bytes(const sti_store* fields, const char* name, size_t* size);

// A file of them, a checkpoint: whole or not at all. STI_ERR_INPUT: not such a file, a damaged one, or one of an
// earlier version.
STI_API sti_status sti_store_save(const sti_store* fields, const char* path);
STI_API sti_status sti_store_load(sti_env* env, const char* path, sti_store** out);

// ---- simulations

typedef struct sti_simulation sti_simulation;

// What a simulation is made from: the text of a document, and settings for it. All is copied.
typedef struct sti_run_source {
    const char* text;
    size_t size;
    const char* name;      // for messages; NULL: "text"
    const char* settings;  // "mu=0.5,step=0.01", as sti_document_set takes them; NULL: none
} sti_run_source;

// Of whatever moves in the document, by its defaults; what a kind has options for beside settings, its own function
// below takes. STI_ERR_INPUT: nothing moves in it.
STI_API sti_status sti_simulation_create(sti_env* env, const sti_run_source* source, sti_simulation** out);
STI_API void sti_simulation_destroy(sti_simulation* s);  // accepts NULL
// Steps that make up the time until `end` (0: the document's), at least one. STI_ERR_INPUT: more than 1e12.
STI_API sti_status sti_simulation_steps(const sti_simulation* s, double end, long* steps);

// ---- runs

typedef struct sti_run sti_run;

typedef enum sti_run_end {
    STI_RUN_END_TIME,     // it came to the time that was asked for
    STI_RUN_END_STOPPED,  // `stopped` or `interrupted` said so
    STI_RUN_END_ITSELF    // nothing more can or will happen: a step without a solution, a deadlock
} sti_run_end;

typedef struct sti_run_options {
    double time;           // where it ends; 0: the document's, or that of the run that is gone on with (default 0)
    const char* dir;       // a folder that is there, for trajectory.h5 and checkpoint.h5; NULL: no files (default)
    const char* csv;       // a table with one line a step; NULL: none (default)
    const char* contacts;  // bodies, grains, parts: one line a contact and step; NULL: none (default)
    const char* attempts;  // of bodies: one line for each solver that was tried on an island; NULL: none (default)
    double checkpoint_s;   // seconds between two checkpoints (default 60)
    bool curve;            // keep a row of numbers for each step (default false)
    double frame;          // of bodies and grains: time between two frames of the recording; 0: chosen (default 0)
    // Of bodies and grains: residual up to which a step that misses its tolerance counts as accepted; 0: none
    // (default).
    double accept;
    bool no_check;  // of parts and bodies: steps are not checked by code of its own (default false)
    // of grains: as in sti_bed_use, of a resumed run that of its start; NULL: none (default)
    const sti_bed_method* method;
    double jamming_every;         // of grains: time between two tests for jamming on the way; 0: none (default)
    double jamming_limit_s;       // seconds for each of them; 0: no limit (default)
    bool (*stopped)(void* user);  // asked before each step; NULL: never
    // Asked often while a step of bodies is made, from any thread of it: where it says true, the step is given up and
    // the run ends before it, as if stopped there. It may look at a flag, no more; NULL: steps are not interrupted.
    bool (*interrupted)(void* user);
    void (*stepped)(void* user, const sti_run* run);  // after each step, with its files; NULL: nothing to call
    void (*saved)(void* user);                        // after each checkpoint; NULL: nothing to call
    void* user;
} sti_run_options;

STI_API sti_run_options sti_run_options_default(void);

// Takes the simulation over, also when it fails. options NULL: defaults.
STI_API sti_status sti_run_create(sti_env* env, sti_simulation* simulation, const sti_run_options* options,
                                  sti_run** out);
// From the checkpoint of a folder; options->dir is not looked at. Steps have the bits of a run that was never
// interrupted.
STI_API sti_status sti_run_resume(sti_env* env, const char* dir, const sti_run_options* options, sti_run** out);
STI_API void sti_run_destroy(sti_run* run);  // accepts NULL
// Steps until the end, and the last checkpoint. A run that was over when it was resumed makes none, and keeps its files
// as they are.
STI_API sti_status sti_run_go(sti_run* run);

// Or one step at a time, for programs that live in between: nothing where it is over, as sti_run_now says. Checkpoints
// are the caller's then, at least one after the last step.
STI_API sti_status sti_run_step(sti_run* run);
STI_API sti_status sti_run_checkpoint(sti_run* run);

typedef struct sti_run_state {
    const char* kind;         // of the document: "system"
    long steps, begun, last;  // now, when this process began, at the end
    double time, h;
    bool over;  // no further step: now is the last one, for whoever asks about it in `stepped`
    sti_run_end end;
    bool in_step;  // a call that failed did so in a step, not in its files
    double time_s, time_step_s, time_files_s;
} sti_run_state;

STI_API void sti_run_now(const sti_run* run, sti_run_state* out);
// With options.curve: the start and each step, rows x columns; what stands in them is said at each kind below.
STI_API const double* sti_run_curve(const sti_run* run, size_t* rows, size_t* columns);

// ---- the last step as a problem that any solver takes

// One of the two: of bodies, grains, and systems with round cones a contact problem; of systems with facets, parts and
// vehicles a mixed one.
typedef struct sti_run_problem {
    const sti_contact_problem* contact;
    const sti_contact_answer* contact_answer;  // the point of the step, with its residual on this problem; NULL: none
    const sti_mlcp* mlcp;
    void* memory;
    void (*drop)(sti_env* env, void* memory);
} sti_run_problem;

// Lives until the next step, or until it is cleared. STI_ERR_ARGUMENT: no step was made, or it posed no problem.
STI_API sti_status sti_run_problem_make(sti_env* env, const sti_run* run, sti_run_problem* out);
STI_API void sti_run_problem_clear(sti_env* env, sti_run_problem* problem);
// A contact problem to an FCLIB file (.hdf5, .h5): with the point as its solution where it counts as solved, as a guess
// where not. Texts may be NULL. A mixed one as JSON, without texts.
STI_API sti_status sti_run_problem_save(sti_env* env, const sti_run_problem* problem, const char* title,
                                        const char* description, const char* path);

// ---- vehicles in cages

// The contacts that press, before and after a step, as pairs of vehicle and other.
typedef struct sti_navigation_event {
    long step;
    int *before, *after;            // (2 before_count), (2 after_count)
    int before_count, after_count;  // contacts
} sti_navigation_event;

enum { STI_NAVIGATION_EVENTS = 1000 };  // the first so many are kept

typedef struct sti_navigation_run {
    sti_navigation* nav;
    sti_navigation_report report;  // of the last step; step 0: none was made since the run was begun or resumed
    long steps, switches, most_contacts, most_islands;
    double least_gap, residual;  // over all steps
    bool deadlock, failed;       // how it ended by itself
    bool changed;                // the last step has another basis than the one before
    int* basis;                  // vehicle and other of each contact that presses      (2 basis_count)
    int basis_count;
    int event_count;
    sti_navigation_event* events;  // (event_count)
} sti_navigation_run;

// Curve: the positions (2 vehicles).
STI_API sti_status sti_navigation_simulation(sti_env* env, const sti_run_source* source, sti_simulation** out);
STI_API const sti_navigation_run* sti_navigation_run_of(const sti_run* run);  // NULL: of another kind

// ---- parts and probes

enum { STI_PUSH_MODES = 200 };

// Steps in a row with the same closed contacts in the same modes.
typedef struct sti_push_phase {
    long first, last;
    char modes[STI_PUSH_MODES];  // "probe stick, slot slide+"
} sti_push_phase;

typedef struct sti_push_run {
    const sti_manipulation* scene;
    sti_push* push;
    sti_push_report report;  // of the last step; step 0: none was made since the run was begun or resumed
    double h;
    long steps, most_contacts;
    double residual, penetration;  // worst over all steps
    double dissipation;            // sum
    double worst_check;            // deviation that a check found
    bool refuted;                  // a step did not pass its check
    char check[240];               // what the first such check said
    bool jammed;                   // it ended with a step without a solution, which the report explains
    int phase_count;
    sti_push_phase* phases;  // (phase_count)
} sti_push_run;

// h: length of a step; 0: the document's. Curve: the time and the poses (1 + 3 parts).
STI_API sti_status sti_push_simulation(sti_env* env, const sti_run_source* source, double h, sti_simulation** out);
STI_API const sti_push_run* sti_push_run_of(const sti_run* run);  // NULL: of another kind

// ---- a run as a measure: the motion as a function of bounded variation, and the atoms of dv (S3 1.4, theorems 2.2.4,
// 2.2.5)

enum { STI_RUN_ATOMS = 100 };

typedef struct sti_run_measure {
    sti_path_measures sizes;  // as of a path of all steps
    double alpha;             // of the weighted velocity; the theorems ask for 1/2 <= alpha <= 1
    long atoms;               // impacts; of bodies steps with impacts
    double atom_sum;          // of their sizes |v+ - v-|
    bool located;    // at instants of their own; false: sizes are of steps, and an impact may be spread over two
    int atom_count;  // those kept: the largest, in order of time
    double atom_time[STI_RUN_ATOMS], atom_size[STI_RUN_ATOMS];
    // Of systems and bodies, at ends of steps: the first 16, then every sixteenth part later, and the first 200 with a
    // collision, or after which other contacts are closed (of bodies the first 32 with impacts). Contacts count that
    // are closed there, else those of the last collision of the step. Of bodies only where contacts carry.
    long looked, touched;         // instants; those of them at which a contact was closed
    long passed;                  // of the latter: too large to look at the cone (over 64 velocities or rays), or open
    double pointed, pointed_at;   // least margin of the total friction cone as in pointed.h; NAN: none was looked at
    bool mass_varies, mass_flat;  // M is not the same at two of them; not positive definite at the first
} sti_run_measure;

// ---- bodies

enum { STI_WORLD_SHOTS = 7 };  // instants that are kept, for pictures

typedef struct sti_world_run {
    const sti_world_scene* scene;
    const sti_world* world;
    const sti_run_checker* checker;  // NULL: without checks
    const sti_run_measure* measure;
    // of the last step, also of a run that was resumed; its clocks and `why` of this process alone
    sti_world_report last;
    long steps, unsolved, first_unsolved, at_rest;
    long accepted, first_accepted;  // of the unsolved ones: sound, and within options.accept
    long iterations, most_iterations;
    long impacts, landings;
    long most_contacts, most_touching;
    long frame_every, frames;  // steps between two frames; frames in the recording
    double first_energy, peak_kinetic;
    double work, mended;      // sums
    double gain, worst_gain;  // energy that appeared beyond work: sum of what was above 0, largest in one step
    double impact_energy, landing_energy, impact_gain;  // sums
    double accepted_residual;                           // worst of the accepted ones
    // overlaps of the start: deepest, of which bodies, steps that it took, way and energy of lifting them, what is left
    double start_overlap, start_moved, start_energy, start_left;
    long start_steps;
    int start_a, start_b;
    double worst_residual, worst_penetration, worst_drift, worst_drift_rate, worst_corrected;
    double time_detect_s, time_solve_s, time_rest_s, time_check_s;
    char why[240];  // of the first step that was not solved
    int shots;      // spread over the run, the start among them
    double* shot;   // time, then places of all bodies (x, q)            (shots x (1 + 7 bodies))
} sti_world_run;

// The scene's own text, with robots from other files in it, stands in the checkpoint. Tables: of steps, of contacts
// that carry, and of attempts (sti_world_attempts). Curve: time, kinetic and potential energy (3).
STI_API sti_status sti_world_simulation(sti_env* env, const sti_run_source* source, sti_simulation** out);
STI_API const sti_world_run* sti_world_run_of(const sti_run* run);  // NULL: of another kind

// ---- grains

enum { STI_BED_TABLE_GRAINS = 100 };  // beds up to this many have their coordinates in the table

typedef struct sti_bed_run {
    const sti_bed_scene* scene;
    const sti_grains* grains;  // at their start
    const sti_bed* bed;
    const sti_recirculation* flow;  // NULL: the bottom is closed
    const sti_run_measure* measure;
    sti_bed_report last;  // of the last step, also of a run that was resumed; its clocks of this process alone
    char name[200];       // of the source
    char method[32];      // of options.method; empty: the solver of the scene
    long steps, unsolved, first_unsolved;
    long deep;                      // of the unsolved ones: grains in each other too far
    long accepted, first_accepted;  // of them: sound, and within options.accept
    double accepted_residual;       // worst of these
    long iterations, most_iterations, most_contacts;
    long quiet;                // steps in a row with less kinetic energy than the scene's "until"
    long frame_every, frames;  // steps between two frames; frames in the recording
    double worst_residual, worst_penetration, worst_cone, worst_lift, worst_gap, worst_momentum;
    double first_energy, peak_kinetic;
    long jamming_tests, jamming_holds, jamming_fails;  // of options.jamming_every
    double jamming_first;                              // time of the first one that fails
    double time_search_s, time_solve_s, time_rest_s;
} sti_bed_run;

// It ends by itself where the bed comes to rest. Tables: of steps, of contacts that carry. Curve: time and kinetic
// energy (2).
STI_API sti_status sti_bed_simulation(sti_env* env, const sti_run_source* source, sti_simulation** out);
STI_API const sti_bed_run* sti_bed_run_of(const sti_run* run);  // NULL: of another kind

// ---- systems by formulas

// Of a contact or a joint: its last step, and its collisions so far.
typedef struct sti_system_run_contact {
    long collisions;
    double first, last;  // of them; NAN: none
    double gap, impulse_n, impulse_t[2], slip[2], hit;
    double lift, most_lift;  // convex: in its last step, and the largest
    int mode, tangents;      // sti_contact_mode; directions of slip
} sti_system_run_contact;

enum { STI_RUN_EVENTS = 200 };

typedef struct sti_system_run {
    const sti_system* system;
    const sti_stepper* stepper;
    const sti_stepper_options* options;
    const sti_run_measure* measure;
    sti_step_report report;  // of the last step; step 0: none was made since the run was begun or resumed
    long steps, collisions, most_active;
    // of kinetic + potential - work, the work as far as it is known; the rise is above the least before
    double first_energy, least_energy, largest_rise;
    double last_kinetic, last_potential;
    double work, loss, defect;  // as in sti_step_report; NAN: not known
    long pieces, most_pieces, relaxed;
    double collision_energy, gain, dropped;
    double worst_residual, worst_penetration, worst_drift, worst_correction, worst_lift;
    double worst_drift_rate, worst_duality_gap;  // the latter NAN: another scheme than convex
    int index;                                   // of the joints, as in sti_step_report
    long events, kinds[STI_EVENT_COUNT];         // located, and how many of each kind
    double stepped;                              // time that was stepped where they accumulate
    int event_count;                             // the first STI_RUN_EVENTS of them
    sti_event event[STI_RUN_EVENTS];
    // Friction by facets in space: impulses along the tangents which, beside those of the steps, would make them steps
    // with the round cone; their sum, the largest of a step in parts of its sum of mu c_n (mu at rest, where it
    // sticks). 0: nothing was changed.
    // Steps of several pieces, or with collisions, are passed over.
    double facet_impulse, worst_facet;
    long facet_steps, facet_passed;  // steps with such friction that were looked at, and passed over
    bool failed;
    char why[256];                    // of a step that failed
    sti_system_run_contact* contact;  // (contacts and joints)
} sti_system_run;

// options NULL: defaults of alpha; all is copied, E too. inertial must be NULL: a checkpoint cannot hold a function.
// Without an end it runs for 10 units of time. Curve: time, positions, weighted velocities, kinetic and potential
// energy (3 + 2 coordinates).
STI_API sti_status sti_system_simulation(sti_env* env, const sti_run_source* source, const sti_stepper_options* options,
                                         sti_simulation** out);
// The same of a scene of bodies, as the system that sti_world_system makes of it; it runs for the time of the scene.
// options NULL: by events, with the step and the impact law of the scene.
STI_API sti_status sti_world_system_simulation(sti_env* env, const sti_run_source* source,
                                               const sti_stepper_options* options, sti_simulation** out);
STI_API const sti_system_run* sti_system_run_of(const sti_run* run);  // of both; NULL: of another kind

#ifdef __cplusplus
}
#endif
#endif
