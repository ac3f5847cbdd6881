// frames.h: the frames of a recording: their times, and where all of it stands, to go on from there.
#ifndef STI_IO_FRAMES_H
#define STI_IO_FRAMES_H

#include <stiction/run.h>

#include "base/env.h"

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
