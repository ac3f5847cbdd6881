// fuzz_state.c: any edits of the state of a small bed in motion, which is then loaded, steps and is saved again.
#include <stiction/recording.h>

#include "fuzz.h"
#include "granular/bed.h"

enum { GRAINS = 24, STEPS = 130, ITERATIONS = 20 };

static void* whole;
static size_t whole_size;

static void make_state(sti_env* env) {
    const sti_pebble_bed def = sti_pebble_bed_default(GRAINS);
    sti_bed_options o = sti_bed_options_default();
    o.h = 0.01;
    sti_grains g;
    sti_bed* bed;
    if (sti_grains_pebble_bed(env, &def, &g) != STI_OK || sti_bed_create(env, &g, &o, &bed) != STI_OK) abort();
    for (int k = 0; k < STEPS; k++) {
        if (sti_bed_step(bed, NULL) != STI_OK) abort();
    }
    if (sti_bed_contact_count(bed) == 0 || sti_bed_save_state(bed, &whole, &whole_size) != STI_OK) abort();
    sti_bed_destroy(bed);
    sti_grains_clear(env, &g);
}

// The bed may not be able to move, but it says so.
static void use(sti_env* env, sti_bed* bed) {
    sti_bed_report report;
    void* bytes;
    size_t size;
    bed->options.max_iterations = ITERATIONS;
    for (int k = 0; k < 2; k++) {
        const sti_status status = sti_bed_step(bed, &report);
        if (status != STI_OK) fuzz_check_error(env, status);
    }
    const sti_status status = sti_bed_save_state(bed, &bytes, &size);
    if (status != STI_OK) fuzz_check_error(env, status);
    sti_env_free(env, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    sti_env* env = fuzz_env();
    if (whole == NULL) make_state(env);
    char* bytes = fuzz_edited(data, size, whole, whole_size);
    if (bytes == NULL) return 0;
    sti_bed* bed;
    const sti_status status = sti_bed_load_state(env, bytes, whole_size, &bed);
    if (status == STI_OK)
        use(env, bed);
    else
        fuzz_check_error(env, status);
    sti_bed_destroy(bed);
    free(bytes);
    return 0;
}
