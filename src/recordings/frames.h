// frames.h: what the recordings of beds and of bodies share: one row of numbers a step, taken from a report by place;
// the times of the frames, and where all of it stands, to go on from there.
#ifndef STI_RECORDINGS_FRAMES_H
#define STI_RECORDINGS_FRAMES_H

#include <stiction/recording.h>

#include "base/env.h"

// One number of every step: where it stands in the report.
typedef struct sti_step_column {
    const char* name;
    sti_record_type type;
    size_t offset;
} sti_step_column;

#define STI_STEP_COLUMN(report, member, kind) \
    { "steps/" #member, STI_RECORD_##kind, offsetof(report, member) }

// series (count): made for each column; and a row appended to all.
sti_status sti_steps_make(sti_recording* file, const sti_step_column* columns, int count, int* series);
sti_status sti_steps_append(sti_recording* file, const sti_step_column* columns, int count, const int* series,
                            const void* report);

typedef struct sti_frames {
    double* time;  // (count)
    size_t count, room;
} sti_frames;

void sti_frames_clear(sti_env* env, sti_frames* frames);
sti_status sti_frames_keep(sti_env* env, sti_frames* frames, double time);

// As bytes (free with sti_env_free): number of frames, their times, then the state of the recording; and back, into a
// recording at path that goes on.
sti_status sti_frames_state(sti_env* env, const sti_frames* frames, const sti_recording* file, void** bytes,
                            size_t* size);
sti_status sti_frames_resume(sti_env* env, sti_frames* frames, const char* path, const void* bytes, size_t size,
                             sti_recording** file);

#endif
