// checkpoint.c: checkpoints: named parts in one HDF5 file, written beside the old file and put in its place.
//
// A part is a list of 64-bit words: its size in bytes, a sum over its bytes, then the bytes.
#include <stdio.h>
#include <stiction/recording.h>
#include <string.h>

#include "formats/file.h"
#include "formats/hdf5_file.h"

enum { LEAD = 2 };
#define MOST_WORDS ((uint64_t)1 << 33)

// FNV-1a over 64-bit words.
static uint64_t sum_of(const uint64_t* word, size_t count) {
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t k = 0; k < count; k++) sum = sti_u64_mul_wrapping(sum ^ word[k], UINT64_C(0x100000001b3));
    return sum;
}

static sti_status put_part(sti_env* env, sti_recording* file, const sti_part* part) {
    const size_t count = sti_size_add(part->size, 7) / 8;
    uint64_t* word = sti_alloc_array(env, sti_size_add(count, LEAD), sizeof *word);
    if (word == NULL) return STI_ERR_MEMORY;
    if (count > 0) word[LEAD + count - 1] = 0;
    if (part->size > 0) memcpy(word + LEAD, part->bytes, part->size);
    word[0] = part->size;
    word[1] = sum_of(word + LEAD, count);
    const sti_status status = sti_recording_put(file, part->name, STI_RECORD_LONG, (long)(count + LEAD), 0, word);
    sti_free(env, word);
    return status;
}

sti_status sti_checkpoint_save(sti_env* env, const char* path, const sti_part* parts, int count) {
    char* temporary;
    sti_status status = sti_file_begin(env, path, &temporary);
    if (status != STI_OK) return status;
    sti_recording* file = NULL;
    status = sti_recording_create(env, temporary, &file);
    for (int k = 0; status == STI_OK && k < count; k++) status = put_part(env, file, &parts[k]);
    if (status == STI_OK) status = sti_recording_commit(file, false);
    sti_recording_destroy(file);
    if (status == STI_OK) return sti_file_commit(env, path, temporary);
    sti_file_abandon(env, temporary);
    return status;
}

static sti_status load_part(const sti_h5* h, const char* name, void** bytes, size_t* size) {
    sti_h5_dataset d = {0};
    bool found;
    uint64_t header;
    int64_t* word = NULL;
    sti_status status = sti_h5_find(h, h->root, name, &found, &header);
    if (status == STI_OK && !found) status = sti_h5_fail(h, name, "missing: not a checkpoint");
    if (status != STI_OK) return status;
    status = sti_h5_dataset_open(h, header, name, MOST_WORDS, &d);
    if (status != STI_OK) return status;
    if (!d.is_dataset || d.rank != 1 || d.width != 8 || d.count < LEAD)
        status = sti_h5_fail(h, name, "not a part of a checkpoint");
    else
        status = sti_h5_dataset_integers(h, &d, name, &word);
    const uint64_t whole = d.count;
    sti_h5_dataset_clear(h, &d);
    if (status != STI_OK) return status;
    const uint64_t count = whole - LEAD;
    const uint64_t* data = (const uint64_t*)word + LEAD;
    const uint64_t length = (uint64_t)word[0];
    if (sti_u64_add(length, 7) / 8 != count || (uint64_t)word[1] != sum_of(data, (size_t)count)) {
        sti_free(h->env, word);
        return sti_h5_fail(h, name, "damaged: its sum is another");
    }
    memmove(word, data, (size_t)length);
    *bytes = word;
    *size = (size_t)length;
    return STI_OK;
}

sti_status sti_checkpoint_load(sti_env* env, const char* path, const char* name, void** bytes, size_t* size) {
    static const unsigned char magic[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char lead[8];
    size_t got;
    sti_h5 h;
    *bytes = NULL;
    *size = 0;
    sti_status status = sti_file_peek(env, path, lead, sizeof lead, &got);
    if (status == STI_OK && (got < sizeof lead || memcmp(lead, magic, sizeof lead) != 0))
        status = sti_file_fail(env, STI_ERR_INPUT, path, "not a checkpoint");
    if (status == STI_OK) status = sti_h5_open(env, path, &h);
    if (status != STI_OK) return status;
    status = load_part(&h, name, bytes, size);
    sti_h5_close(&h);
    return status;
}
