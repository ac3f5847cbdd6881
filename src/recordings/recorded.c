// recorded.c: datasets of a recording, read back one by one by their names.
#include <stiction/recording.h>

#include "formats/hdf5_file.h"
#include "formats/hdf5_text.h"

enum { LONGEST_TEXT = 1 << 26 };

static sti_status read_numbers(const sti_h5* h, const char* name, double** values, long* rows, long* columns) {
    bool found;
    uint64_t header = 0;
    sti_h5_dataset d = {0};
    sti_status status = sti_h5_find_path(h, name, &found, &header);
    if (status != STI_OK || !found) return status;
    status = sti_h5_dataset_open_deep(h, header, name, INT32_MAX, &d);
    if (status == STI_OK && !d.is_dataset) status = sti_h5_fail(h, name, "not a dataset");
    if (status == STI_OK) status = sti_h5_dataset_doubles(h, &d, name, values);
    if (status == STI_OK) {
        *rows = d.rank > 0 ? (long)d.size[0] : 1;
        *columns = d.rank > 1 ? (long)d.size[1] : 1;
    }
    sti_h5_dataset_clear(h, &d);
    return status;
}

sti_status sti_recorded_numbers(sti_env* env, const char* path, const char* name, double** values, long* rows,
                                long* columns) {
    sti_h5 h;
    *values = NULL;
    *rows = *columns = 0;
    sti_status status = sti_h5_open(env, path, &h);
    if (status != STI_OK) return status;
    status = read_numbers(&h, name, values, rows, columns);
    sti_h5_close(&h);
    return status;
}

sti_status sti_recorded_text(sti_env* env, const char* path, const char* name, char** text) {
    sti_h5 h;
    bool found = false;
    uint64_t header = 0;
    *text = NULL;
    sti_status status = sti_h5_open(env, path, &h);
    if (status != STI_OK) return status;
    status = sti_h5_find_path(&h, name, &found, &header);
    if (status == STI_OK && found) status = sti_h5_text(&h, header, name, LONGEST_TEXT, text);
    sti_h5_close(&h);
    return status;
}
