// recording.h: what a run leaves behind: a recording that grows, and checkpoints to go on from.
//
// A recording is an HDF5 file of named series that only grow. It is written by our own code, in such an order that the
// file on the disk is whole at every moment: rows go to places that nobody looks at yet, and a commit moves all series
// to their new length by one write of 96 bytes. A killed process or a full disk loses what came after the last commit,
// and nothing else.
//
// A checkpoint is a file of named parts, written beside the old one and then put in its place.
#ifndef STICTION_RECORDING_H
#define STICTION_RECORDING_H

#include <stdbool.h>
#include <stiction/granular.h>
#include <stiction/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- recordings

typedef struct sti_recording sti_recording;

typedef enum sti_record_type { STI_RECORD_DOUBLE, STI_RECORD_INT, STI_RECORD_LONG } sti_record_type;  // 8, 4, 8 bytes

// A series of rows; a row is one number, `columns` of them, or `items` times `columns`.
typedef struct sti_series_def {
    const char* name;  // "group/name" or "name"
    sti_record_type type;
    int items;    // 0: rows are vectors, or numbers
    int columns;  // 0: rows are numbers
    long chunk;   // rows that stand together in the file; 0: chosen from the size of a row
} sti_series_def;

STI_API sti_status sti_recording_create(sti_env* env, const char* path, sti_recording** out);
STI_API void sti_recording_destroy(sti_recording* r);  // without a commit; NULL is taken

// *series is its number, counted from 0 in the order of these calls.
STI_API sti_status sti_recording_series(sti_recording* r, const sti_series_def* def, int* series);
STI_API sti_status sti_recording_append(sti_recording* r, int series, long rows, const void* data);
STI_API long sti_recording_rows(const sti_recording* r, int series);  // those not committed too

// Data that do not grow: rows x columns (columns 0: a vector), or a text.
STI_API sti_status sti_recording_put(sti_recording* r, const char* name, sti_record_type type, long rows, int columns,
                                     const void* data);
STI_API sti_status sti_recording_put_text(sti_recording* r, const char* name, const char* text);

// From now on the file shows everything so far. sync: also after the machine itself fails.
STI_API sti_status sti_recording_commit(sti_recording* r, bool sync);

// Where the recording stands after a commit, as bytes (free with sti_env_free), and a recording that goes on from
// there: what was recorded later is cut off. The same series have to be made and the same data put, in the same order;
// what is there already is not written again.
STI_API sti_status sti_recording_save_state(const sti_recording* r, void** bytes, size_t* size);
STI_API sti_status sti_recording_resume(sti_env* env, const char* path, const void* bytes, size_t size,
                                        sti_recording** out);

// Data of a recording by name, "frames/x", read back whole; free with sti_env_free. Rows of items times columns are one
// row of `columns` numbers. Not there: NULL and STI_OK. STI_ERR_INPUT: no such file, a damaged one, or numbers that are
// not finite.
STI_API sti_status sti_recorded_numbers(sti_env* env, const char* path, const char* name, double** values, long* rows,
                                        long* columns);
STI_API sti_status sti_recorded_text(sti_env* env, const char* path, const char* name, char** text);

// ---- checkpoints

typedef struct sti_part {
    const char* name;
    const void* bytes;
    size_t size;
} sti_part;

STI_API sti_status sti_checkpoint_save(sti_env* env, const char* path, const sti_part* parts, int count);
// One part, whole and unharmed or not at all; *bytes are freed with sti_env_free.
STI_API sti_status sti_checkpoint_load(sti_env* env, const char* path, const char* name, void** bytes, size_t* size);

// ---- the state of a bed

// Everything that later steps depend on, to the last bit (free with sti_env_free), and the bed back from it: its
// further steps have the same bits as those of the bed that was saved, for any number of workers. STI_ERR_INPUT: the
// bytes are not such a state, or of another version.
STI_API sti_status sti_bed_save_state(const sti_bed* bed, void** bytes, size_t* size);
STI_API sti_status sti_bed_load_state(sti_env* env, const void* bytes, size_t size, sti_bed** out);

// The same for grains that come in again at the top; the bed is the one that the state was taken with.
STI_API sti_status sti_recirculation_save_state(const sti_recirculation* r, void** bytes, size_t* size);
STI_API sti_status sti_recirculation_load_state(sti_env* env, const sti_bed* bed, const void* bytes, size_t size,
                                                sti_recirculation** out);

// ---- a recorded bed
//
//     grains/   radius, mass, layer      of each grain            walls/   kind, point, axis, radius, slope, spin, mu
//     steps/    time, kinetic, potential, residual, ...           one row a step
//     frames/   step, time, x, v, w, contact_end                  one row a frame
//     contacts/ a, b, n, gap, r, lift                             those of frame f end before row contact_end[f]
//     jamming/  step, time, pointed, touching, freed, ...         one row a test, if there were any
//
// An .xdmf file beside it lets ParaView open the frames.

typedef struct sti_bed_record sti_bed_record;

// state NULL: a new file at path; otherwise one that goes on.
STI_API sti_status sti_bed_record_create(sti_env* env, const char* path, const sti_grains* grains, const char* scene,
                                         const void* state, size_t state_size, sti_bed_record** out);
STI_API void sti_bed_record_destroy(sti_bed_record* r);  // without a commit; NULL is taken
STI_API sti_status sti_bed_record_step(sti_bed_record* r, const sti_bed_report* report);
STI_API sti_status sti_bed_record_frame(sti_bed_record* r, const sti_bed* bed, long step);
STI_API sti_status sti_bed_record_jamming(sti_bed_record* r, const sti_bed* bed, long step,
                                          const sti_bed_jamming* jamming);
STI_API sti_status sti_bed_record_commit(sti_bed_record* r, bool sync);  // and the .xdmf file
STI_API long sti_bed_record_frames(const sti_bed_record* r);
STI_API sti_status sti_bed_record_save_state(const sti_bed_record* r, void** bytes, size_t* size);

// ---- recorded bodies
//
//     bodies/   name, dimension, fixed, mass, centre, inertia     joints/   name
//     steps/    time, residual, kinetic, potential, ...           one row a step
//     frames/   step, time, x, q, v, w, joint_.., contact_end     one row a frame
//     contacts/ body, shape, id, mode, gap, n, r, u, ...          those of frame f end before row contact_end[f]
//     surfaces/ topology, body; frames/surface                    the shapes as polygons, for ParaView
//
// docs/runs.md says what stands in the columns. An .xdmf file beside it lets ParaView open the frames.

typedef struct sti_world_record sti_world_record;

// state NULL: a new file at path; otherwise one that goes on. scene: its text.
STI_API sti_status sti_world_record_create(sti_env* env, const char* path, const sti_bodies* bodies, const char* scene,
                                           const void* state, size_t state_size, sti_world_record** out);
STI_API void sti_world_record_destroy(sti_world_record* r);  // without a commit; NULL is taken
STI_API sti_status sti_world_record_step(sti_world_record* r, const sti_world_report* report);
STI_API sti_status sti_world_record_frame(sti_world_record* r, const sti_world* world);
STI_API sti_status sti_world_record_commit(sti_world_record* r, bool sync);  // and the .xdmf file
STI_API long sti_world_record_frames(const sti_world_record* r);
STI_API sti_status sti_world_record_save_state(const sti_world_record* r, void** bytes, size_t* size);

// A recording of bodies, read back whole. Numbers of contacts belong to the step that ends with their frame.
typedef struct sti_recorded_world {
    int dim, body_count;
    long step_count, frame_count, contact_count;
    char* scene;  // as text
    // bodies
    int64_t* fixed;                   // (body_count)
    double *mass, *centre, *inertia;  // (body_count), (body_count x 3), (body_count x 9); about the centre, body axes
    // steps
    double *time, *kinetic, *potential, *work, *mended, *corrected, *penetration;  // (step_count)
    int64_t *solved, *impacts;                                                     // (step_count)
    // frames
    int64_t *frame_step, *contact_end;  // (frame_count)
    double* frame_time;                 // (frame_count)
    double *x, *q, *v, *w;              // (frame_count x body_count x 3, 4, 3, 3)
    // contacts
    double *contact_body, *contact_shape;            // whole numbers      (contact_count x 2)
    double *gap, *mu, *point, *n, *t1, *t2, *r, *u;  // (contact_count), then (contact_count x 3) from point on
} sti_recorded_world;

// STI_ERR_INPUT: not such a file, a damaged one, or one with numbers that are not finite; says which.
STI_API sti_status sti_recorded_world_load(sti_env* env, const char* path, sti_recorded_world* out);
STI_API void sti_recorded_world_clear(sti_env* env, sti_recorded_world* world);

// ---- recorded systems by formulas
//
//     steps/    time, q, v, v_alpha, kinetic, potential, ..            one row a step, the start first
//     contacts/ gap, impulse_n, impulse_t, mode, slip                  the same, if there are contacts or joints

typedef struct sti_recorded_system {
    int n, contact_count;  // coordinates; contacts and joints
    long rows;             // steps and the start
    char* text;            // the document
    double *time, *q, *v;  // (rows), (rows x n)
    double *kinetic, *potential;
    double* work;  // NULL: not known
    double *collisions, *pieces;
    double *gap, *impulse_n;  // (rows x contact_count)
    double* impulse_t;        // (rows x contact_count x 2)
} sti_recorded_system;

// STI_ERR_INPUT: not such a file, a damaged one, or one with numbers that are not finite; says which.
STI_API sti_status sti_recorded_system_load(sti_env* env, const char* path, sti_recorded_system* out);
STI_API void sti_recorded_system_clear(sti_env* env, sti_recorded_system* system);

// ---- recorded vehicles in cages
//
//     steps/    time, q, v, least_gap, .., pressing                    one row a step, the start first
//     pressing/ pair, contact
//         one row for each contact that presses, step after step

typedef struct sti_recorded_navigation {
    int count;                         // vehicles
    long rows;                         // steps and the start
    long total;                        // contacts that press
    char* text;                        // the document
    double *time, *q, *v, *least_gap;  // (rows), (rows x 2 count); least_gap: 0 where there is none
    double* pressing;                  // whole numbers: how many press in a step        (rows)
    double* pair;                      // whole numbers: vehicle, other                  (total x 2)
    double* contact;                   // gap before the step, n, impulse                (total x 4)
} sti_recorded_navigation;

// STI_ERR_INPUT: not such a file, a damaged one, or one with numbers that are not finite; says which.
STI_API sti_status sti_recorded_navigation_load(sti_env* env, const char* path, sti_recorded_navigation* out);
STI_API void sti_recorded_navigation_clear(sti_env* env, sti_recorded_navigation* navigation);

// ---- recorded grains, as sti_bed_record writes them

typedef struct sti_recorded_bed {
    int count;
    long step_count, frame_count, contact_count, wall_count;
    char* scene;
    double *radius, *mass;  // (count)
    double mu, gravity[3];
    sti_wall* walls;              // (wall_count)
    sti_wall_friction* friction;  // (wall_count), NULL: discs
    double* corners;              // of their polygons
    // steps
    double *time, *kinetic, *potential, *residual, *solved, *penetration, *overlap;  // (step_count)
    // frames
    double *frame_step, *frame_time, *contact_end;  // whole numbers but the time  (frame_count)
    double *x, *v, *w;                              // (frame_count x count x 3)
    // contacts
    double *a, *b;        // grains, or b < 0: wall -1 - b     (contact_count)
    double *n, *gap, *r;  // (contact_count x 3), (contact_count), (contact_count x 3)
} sti_recorded_bed;

STI_API sti_status sti_recorded_bed_load(sti_env* env, const char* path, sti_recorded_bed* out);
STI_API void sti_recorded_bed_clear(sti_env* env, sti_recorded_bed* bed);

#ifdef __cplusplus
}
#endif
#endif
