// fuzz_checkpoint.c: any edits of a checkpoint with parts of several sizes. What is loaded is what was saved: each part
// has a sum.
#include "fuzz.h"

enum { PARTS = 4 };

static const char* const names[PARTS] = {"empty", "byte", "words", "bed"};
static char content[PARTS][1000], path[256];
static const size_t sizes[PARTS] = {0, 1, 160, 1000};
static char* file;
static size_t file_size;

static void remove_file(void) {
    unlink(path);
}

static void make_checkpoint(sti_env* env) {
    sti_part parts[PARTS];
    for (int p = 0; p < PARTS; p++) {
        for (size_t k = 0; k < sizes[p]; k++) content[p][k] = (char)(17 * k + (size_t)p);
        parts[p] = (sti_part){.name = names[p], .bytes = content[p], .size = sizes[p]};
    }
    fuzz_name(path, "-checkpoint.h5");
    atexit(remove_file);
    fuzz_must(env, sti_checkpoint_save(env, path, parts, PARTS));
    file = fuzz_read(path, &file_size);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    sti_env* env = fuzz_env();
    if (file == NULL) make_checkpoint(env);
    // the first byte may cut the file short
    const size_t cut = size > 0 && data[0] < 128 ? file_size * data[0] / 128 : 0;
    char* bytes = fuzz_edited(size > 0 ? data + 1 : data, size > 0 ? size - 1 : 0, file, file_size);
    if (bytes == NULL) return 0;
    fuzz_write(path, bytes, file_size - cut);
    for (int p = 0; p < PARTS; p++) {
        void* part;
        size_t part_size;
        const sti_status status = sti_checkpoint_load(env, path, names[p], &part, &part_size);
        if (status != STI_OK)
            fuzz_check_error(env, status);
        else
            for (size_t k = 0; k < part_size; k++) ((volatile char*)part)[k] = ((char*)part)[k];
        sti_env_free(env, part);
    }
    free(bytes);
    return 0;
}
