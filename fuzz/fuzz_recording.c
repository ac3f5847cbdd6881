// fuzz_recording.c: any edits of the recording of a small world, which is then read whole and verified against its
// scene; or, when the first byte is odd, of a recording that goes on: of its file, or of the state that the checkpoint
// keeps of it.
#include "fuzz_world.h"

static char path[256], xdmf[256];
static char* file;
static void* state;
static size_t file_size, state_size;

static void remove_files(void) {
    unlink(path);
    unlink(xdmf);
}

static sti_status record(sti_env* env, const void* from, size_t size, int steps, void** bytes, size_t* bytes_size) {
    sti_world* world = fuzz_world(env);
    sti_world_record* r = NULL;
    sti_world_report report;
    sti_status status = sti_world_record_create(env, path, fuzz_world_bodies(env), fuzz_scene, from, size, &r);
    if (status == STI_OK && from == NULL) status = sti_world_record_frame(r, world);
    for (int k = 0; status == STI_OK && k < steps; k++) {
        status = sti_world_step(world, &report);
        if (status == STI_OK) status = sti_world_record_step(r, &report);
        if (status == STI_OK && k % 3 == 0) status = sti_world_record_frame(r, world);
    }
    if (status == STI_OK) status = sti_world_record_commit(r, false);
    if (status == STI_OK && bytes != NULL) status = sti_world_record_save_state(r, bytes, bytes_size);
    sti_world_record_destroy(r);
    sti_world_destroy(world);
    return status;
}

static void make_recording(sti_env* env) {
    fuzz_name(path, "-run.h5");
    fuzz_name(xdmf, "-run.xdmf");
    atexit(remove_files);
    fuzz_must(env, record(env, NULL, 0, FUZZ_WORLD_STEPS, &state, &state_size));
    file = fuzz_read(path, &file_size);
}

static void read_back(sti_env* env) {
    sti_recorded_world world;
    sti_run_verification found;
    sti_run_verify_options o = sti_run_verify_options_default();
    sti_status status = sti_recorded_world_load(env, path, &world);
    if (status != STI_OK) {
        fuzz_check_error(env, status);
        return;
    }
    o.bodies = fuzz_world_bodies(env);
    status = sti_verify_recorded_world(env, &world, &o, &found);
    if (status != STI_OK) fuzz_check_error(env, status);
    sti_recorded_world_clear(env, &world);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    sti_env* env = fuzz_env();
    if (file == NULL) make_recording(env);
    if (size == 0) return 0;
    const int what = data[0] % 4;
    char* bytes = fuzz_edited(data + 1, what == 3 ? 0 : size - 1, file, file_size);
    char* kept = fuzz_edited(data + 1, what == 3 ? size - 1 : 0, state, state_size);
    if (bytes == NULL || kept == NULL) abort();
    fuzz_write(path, bytes, file_size);
    if (what % 2 == 0) {
        read_back(env);
    } else {
        const sti_status status = record(env, kept, state_size, 3, NULL, NULL);
        if (status != STI_OK) fuzz_check_error(env, status);
    }
    free(bytes);
    free(kept);
    return 0;
}
