// fuzz_world_state.c: any edits of the saved state of a small world, or, when the first byte is odd, of the checker
// that watched it. What is loaded goes on for two steps and is saved again.
#include "fuzz_world.h"

static void* whole[2];
static size_t whole_size[2];

static sti_run_checker* make_checker(sti_env* env) {
    sti_run_verify_options o = sti_run_verify_options_default();
    sti_run_checker* checker;
    o.bodies = fuzz_world_bodies(env);
    fuzz_must(env, sti_run_checker_create(env, &o, &checker));
    return checker;
}

static void make_states(sti_env* env) {
    sti_world* world = fuzz_world(env);
    sti_run_checker* checker = make_checker(env);
    sti_world_report report;
    fuzz_must(env, sti_run_checker_look_world(checker, world, NULL));
    for (int k = 0; k < FUZZ_WORLD_STEPS; k++) {
        fuzz_must(env, sti_world_step(world, &report));
        fuzz_must(env, sti_run_checker_look_world(checker, world, &report));
    }
    fuzz_must(env, sti_world_save_state(world, &whole[0], &whole_size[0]));
    fuzz_must(env, sti_run_checker_save_state(checker, &whole[1], &whole_size[1]));
    sti_run_checker_destroy(checker);
    sti_world_destroy(world);
}

static void go_on(sti_env* env, sti_world* world, sti_run_checker* checker) {
    sti_world_report report;
    sti_run_verification found;
    for (int k = 0; k < 2; k++) {
        sti_status status = sti_world_step(world, &report);
        if (status != STI_OK) {
            fuzz_check_error(env, status);
            return;
        }
        status = sti_run_checker_look_world(checker, world, &report);
        if (status != STI_OK) fuzz_check_error(env, status);
    }
    sti_run_checker_result(checker, &found);
    void* bytes;
    size_t size;
    const sti_status status = sti_world_save_state(world, &bytes, &size);
    if (status != STI_OK) fuzz_check_error(env, status);
    // what was saved is what a world can have had
    if (status == STI_OK && sti_world_load_state(world, bytes, size) != STI_OK) fuzz_check_error(env, STI_ERR_INPUT);
    sti_env_free(env, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    sti_env* env = fuzz_env();
    if (whole[0] == NULL) make_states(env);
    if (size == 0) return 0;
    const int which = data[0] % 2;
    char* bytes = fuzz_edited(data + 1, size - 1, whole[which], whole_size[which]);
    if (bytes == NULL) return 0;
    sti_world* world = fuzz_world(env);
    sti_run_checker* checker = make_checker(env);
    sti_status status = sti_world_load_state(world, which == 0 ? bytes : whole[0], whole_size[0]);
    if (status == STI_OK) status = sti_run_checker_load_state(checker, which == 1 ? bytes : whole[1], whole_size[1]);
    if (status == STI_OK)
        go_on(env, world, checker);
    else
        fuzz_check_error(env, status);
    sti_run_checker_destroy(checker);
    sti_world_destroy(world);
    free(bytes);
    return 0;
}
