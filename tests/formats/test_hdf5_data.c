// test_hdf5_data.c: datasets whose sizes are lies. A file of ours is altered where it says how large its chunks and
// sides are.
#include "formats/hdf5_file.h"
#include "support/fclib_file.h"
#include "support/io_tools.h"

enum { WIDE = 1 << 17 };

// One row of 1 x WIDE numbers, in a chunk of its own.
static void write_deep(sti_env* env, const char* path) {
    sti_recording* file;
    const sti_series_def def = {.name = "deep", .type = STI_RECORD_DOUBLE, .items = 1, .columns = WIDE, .chunk = 1};
    int series;
    double* row = calloc(WIDE, sizeof *row);
    assert_int_equal(sti_recording_create(env, path, &file), STI_OK);
    assert_int_equal(sti_recording_series(file, &def, &series), STI_OK);
    assert_int_equal(sti_recording_append(file, series, 1, row), STI_OK);
    assert_int_equal(sti_recording_commit(file, false), STI_OK);
    sti_recording_destroy(file);
    free(row);
}

static void put(unsigned char* to, uint64_t value, int bytes) {
    for (int k = 0; k < bytes; k++, value >>= 8) to[k] = (unsigned char)value;
}

// The first place of these numbers, of so many bytes each.
static unsigned char* find(unsigned char* bytes, size_t size, const uint64_t* number, int count, int width) {
    unsigned char pattern[64];
    for (int k = 0; k < count; k++) put(pattern + k * width, number[k], width);
    const size_t length = (size_t)(count * width);
    size_t at = 0;
    while (at + length <= size && memcmp(bytes + at, pattern, length) != 0) at++;
    assert_true(at + length <= size);
    return bytes + at;
}

// Any answer but one about memory, and no reading beyond a buffer: the sanitized twin sees to that.
static sti_status read_deep(sti_env* env, const char* path) {
    sti_h5 h;
    sti_h5_dataset d;
    bool found;
    uint64_t header;
    double* x = NULL;
    assert_int_equal(sti_h5_open(env, path, &h), STI_OK);
    assert_int_equal(sti_h5_find(&h, h.root, "deep", &found, &header), STI_OK);
    assert_true(found);
    sti_status status = sti_h5_dataset_open_deep(&h, header, "deep", INT32_MAX, &d);
    if (status == STI_OK) status = sti_h5_dataset_doubles(&h, &d, "deep", &x);
    sti_env_free(env, x);
    sti_h5_dataset_clear(&h, &d);
    sti_h5_close(&h);
    return status;
}

static void chunks_whose_product_wraps_around_are_damaged(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    io_folder_make();
    const char* path = io_path("deep.h5");
    write_deep(env, path);
    assert_int_equal(read_deep(env, path), STI_OK);
    size_t size;
    unsigned char* bytes = whole_file(path, &size);
    unsigned char* chunk = find(bytes, size, (uint64_t[]){1, 1, WIDE, 8}, 4, 4);
    unsigned char* stored = find(bytes, size, (uint64_t[]){8 * WIDE, 0, 0, 0, 0, 0, 0}, 7, 4);
    for (int high = 0; high < 32; high++) {
        for (int wide = 0; wide <= 17; wide++) {
            if (high + wide == 0) continue;
            put(chunk, (uint64_t)1 << high, 4);
            put(chunk + 4, (uint64_t)1 << wide, 4);
            // stored bytes as the product wraps around, so that the chunk itself looks right
            put(stored, high + wide + 17 + 3 < 64 ? (uint64_t)1 << (high + wide + 17 + 3) : 0, 4);
            io_write(path, bytes, size);
            assert_int_equal(read_deep(env, path), STI_ERR_INPUT);
            assert_non_null(strstr(sti_env_error(env)->text, "deep.h5: deep: "));
        }
    }
    free(bytes);
    io_folder_remove();
    sti_env_destroy(env);
}

static void sides_beyond_the_file_are_bad_input_and_not_a_lack_of_memory(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    io_folder_make();
    const char* path = io_path("deep.h5");
    write_deep(env, path);
    size_t size;
    unsigned char* bytes = whole_file(path, &size);
    unsigned char* side = find(bytes, size, (uint64_t[]){1, 1, WIDE}, 3, 8);
    unsigned char* chunk = find(bytes, size, (uint64_t[]){1, 1, WIDE, 8}, 4, 4);
    const uint64_t rows[] = {2, 1 << 20, INT32_MAX, UINT32_MAX, UINT64_MAX}, chunks[] = {1, 1 << 10, 1 << 30};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t k = 0; k < sizeof chunks / sizeof *chunks; k++) {
            for (uint64_t items = 1; items < 1 << 20; items *= 16) {
                put(side, rows[i], 8);
                put(side + 8, items, 8);
                put(chunk, chunks[k], 4);
                io_write(path, bytes, size);
                assert_int_equal(read_deep(env, path), STI_ERR_INPUT);
            }
        }
    }
    free(bytes);
    io_folder_remove();
    sti_env_destroy(env);
}

static void a_matrix_whose_bytes_wrap_around_is_bad_input_and_not_a_lack_of_memory(void** state) {
    (void)state;
    enum { ROWS = 31, COLUMNS = 77 };
    sti_env* env = io_env(NULL);
    io_folder_make();
    const char* path = io_path("deep.h5");
    const double matrix[ROWS * COLUMNS] = {0};
    sti_recording* file;
    assert_int_equal(sti_recording_create(env, path, &file), STI_OK);
    assert_int_equal(sti_recording_put(file, "deep", STI_RECORD_DOUBLE, ROWS, COLUMNS, matrix), STI_OK);
    assert_int_equal(sti_recording_commit(file, false), STI_OK);
    sti_recording_destroy(file);
    assert_int_equal(read_deep(env, path), STI_OK);
    size_t size;
    unsigned char* bytes = whole_file(path, &size);
    unsigned char* side = find(bytes, size, (uint64_t[]){ROWS, COLUMNS}, 2, 8);
    for (int k = 20; k < 31; k++) {
        put(side, (uint64_t)1 << k, 8);
        put(side + 8, (uint64_t)1 << 30, 8);
        io_write(path, bytes, size);
        assert_int_equal(read_deep(env, path), STI_ERR_INPUT);
    }
    put(side + 8, INT32_MAX, 8);
    put(side, INT32_MAX, 8);
    io_write(path, bytes, size);
    assert_int_equal(read_deep(env, path), STI_ERR_INPUT);
    free(bytes);
    io_folder_remove();
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_whose_product_wraps_around_are_damaged),
        cmocka_unit_test(sides_beyond_the_file_are_bad_input_and_not_a_lack_of_memory),
        cmocka_unit_test(a_matrix_whose_bytes_wrap_around_is_bad_input_and_not_a_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
