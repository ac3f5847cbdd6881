// fuzz_stepper_state.c: any edits of the saved state of a stepper, which then goes on and is saved again. The first
// byte chooses the scheme.
#include "fuzz.h"

enum { SCHEMES = STI_SCHEME_COUNT };

static sti_system* ball_on_a_line;
static void* whole[SCHEMES];
static size_t whole_size[SCHEMES];

static void make_system(sti_env* env) {
    const sti_system_contact_text ground = {
        .gap = "y + x^2/10", .slip_count = 1, .slip = (const char*[]){"x'"}, .mu = "0.5"};
    const sti_system_contact_text rod = {.gap = "z - x"};
    const sti_system_text text = {.coordinate_count = 3,
                                  .coordinates = (const char*[]){"x", "y", "z"},
                                  .kinetic = "(x'^2 + y'^2 + z'^2)/2",
                                  .potential = "10*y",
                                  .contact_count = 1,
                                  .contacts = &ground,
                                  .joint_count = 1,
                                  .joints = &rod,
                                  .q = (const char*[]){"0", "0.02", "0"},
                                  .v = (const char*[]){"1", "-1", "1"}};
    fuzz_must(env, sti_system_create(env, &text, &ball_on_a_line));
}

static sti_stepper* make_stepper(sti_env* env, int scheme) {
    const sti_stepper_options o = sti_stepper_options_default((sti_scheme)scheme);
    sti_stepper* s;
    fuzz_must(env, sti_stepper_create(env, ball_on_a_line, &o, &s));
    return s;
}

static void make_state(sti_env* env, int scheme) {
    sti_stepper* s = make_stepper(env, scheme);
    for (int k = 0; k < 5; k++) {
        fuzz_must(env, sti_stepper_step(s, NULL));
    }
    fuzz_must(env, sti_stepper_save_state(s, &whole[scheme], &whole_size[scheme]));
    sti_stepper_destroy(s);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    sti_env* env = fuzz_env();
    if (size == 0) return 0;
    const int scheme = data[0] % SCHEMES;
    if (ball_on_a_line == NULL) make_system(env);
    if (whole[scheme] == NULL) make_state(env, scheme);
    char* bytes = fuzz_edited(data + 1, size - 1, whole[scheme], whole_size[scheme]);
    if (bytes == NULL) return 0;
    sti_stepper* s = make_stepper(env, scheme);
    sti_status status = sti_stepper_load_state(s, bytes, whole_size[scheme]);
    for (int k = 0; status == STI_OK && k < 2; k++) status = sti_stepper_step(s, NULL);
    void* again = NULL;
    size_t again_size;
    if (status == STI_OK) status = sti_stepper_save_state(s, &again, &again_size);
    if (status != STI_OK) fuzz_check_error(env, status);
    sti_env_free(env, again);
    sti_stepper_destroy(s);
    free(bytes);
    return 0;
}
