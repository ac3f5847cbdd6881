// frames.c: rows of steps, times of frames, and the state of a recording with frames.
#include "recordings/frames.h"

#include <string.h>

_Static_assert(sizeof(long) == 8, "step counts are stored as 64-bit integers");

sti_status sti_steps_make(sti_recording* file, const sti_step_column* columns, int count, int* series) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < count; k++) {
        const sti_series_def def = {.name = columns[k].name, .type = columns[k].type};
        status = sti_recording_series(file, &def, &series[k]);
    }
    return status;
}

sti_status sti_steps_append(sti_recording* file, const sti_step_column* columns, int count, const int* series,
                            const void* report) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < count; k++)
        status = sti_recording_append(file, series[k], 1, (const char*)report + columns[k].offset);
    return status;
}

void sti_frames_clear(sti_env* env, sti_frames* frames) {
    sti_free(env, frames->time);
    *frames = (sti_frames){0};
}

sti_status sti_frames_keep(sti_env* env, sti_frames* frames, double time) {
    if (frames->count == frames->room) {
        const size_t room = sti_size_add(sti_size_mul(2, frames->room), 64);
        double* times = sti_realloc_array(env, frames->time, room, sizeof *times);
        if (times == NULL) return STI_ERR_MEMORY;
        frames->time = times;
        frames->room = room;
    }
    frames->time[frames->count++] = time;
    return STI_OK;
}

sti_status sti_frames_resume(sti_env* env, sti_frames* frames, const char* path, const void* bytes, size_t size,
                             sti_recording** file) {
    uint64_t count = 0;
    if (size >= sizeof count) memcpy(&count, bytes, sizeof count);
    if (size < sizeof count || count > (size - sizeof count) / sizeof(double))
        return STI_FAIL(env, STI_ERR_INPUT, -1, "state of recorded frames: too short");
    sti_status status = STI_OK;
    for (uint64_t k = 0; status == STI_OK && k < count; k++) {
        double time;
        memcpy(&time, (const char*)bytes + sizeof count + k * sizeof time, sizeof time);
        status = sti_frames_keep(env, frames, time);
    }
    const size_t used = sti_size_add(sizeof count, sti_size_mul((size_t)count, sizeof(double)));
    if (status == STI_OK) status = sti_recording_resume(env, path, (const char*)bytes + used, size - used, file);
    return status;
}

sti_status sti_frames_state(sti_env* env, const sti_frames* frames, const sti_recording* file, void** bytes,
                            size_t* size) {
    void* inner;
    size_t inner_size;
    *bytes = NULL;
    *size = 0;
    sti_status status = sti_recording_save_state(file, &inner, &inner_size);
    if (status != STI_OK) return status;
    const uint64_t count = frames->count;
    const size_t times = sti_size_mul(frames->count, sizeof(double)), used = sti_size_add(sizeof count, times);
    char* memory = sti_alloc(env, sti_size_add(used, inner_size));
    if (memory == NULL) {
        status = STI_ERR_MEMORY;
    } else {
        memcpy(memory, &count, sizeof count);
        if (count > 0) memcpy(memory + sizeof count, frames->time, times);
        memcpy(memory + used, inner, inner_size);
        *bytes = memory;
        *size = used + inner_size;
    }
    sti_free(env, inner);
    return status;
}
