// Recordings and checkpoints: what libhdf5 reads of them, what a killed process or a full disk leaves, and going on.
#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>

#include "support/io_tools.h"

// ---- reading by other code than ours

static long rows_of(hid_t file, const char* name, int rank_expected) {
    hsize_t size[4] = {0};
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    assert_true(set >= 0);
    assert_int_equal(H5Sget_simple_extent_ndims(space), rank_expected);
    H5Sget_simple_extent_dims(space, size, NULL);
    H5Sclose(space);
    H5Dclose(set);
    return (long)size[0];
}

static void read_all(hid_t file, const char* name, hid_t type, void* out) {
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(set >= 0);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    H5Dclose(set);
}

// ---- a recording with every kind of series; row k of each is known

typedef struct sample {
    sti_recording* r;
    int time, number, point, cloud;
} sample;

static const double fixed[6] = {1, 2, 3, 4, 5, 6};
static const sti_series_def sample_defs[4] = {{"steps/time", STI_RECORD_DOUBLE, 0, 0, 0},
                                              {"number", STI_RECORD_INT, 0, 0, 7},
                                              {"steps/point", STI_RECORD_LONG, 0, 2, 100},
                                              {"frames/cloud", STI_RECORD_DOUBLE, 5, 3, 1}};

static sti_status declare(sample* s) {
    sti_status status = sti_recording_put_text(s->r, "about", "grains \xe2\x80\xa6");
    if (status == STI_OK) status = sti_recording_put(s->r, "frames/fixed", STI_RECORD_DOUBLE, 2, 3, fixed);
    int* const series[4] = {&s->time, &s->number, &s->point, &s->cloud};
    for (int k = 0; status == STI_OK && k < 4; k++) status = sti_recording_series(s->r, &sample_defs[k], series[k]);
    return status;
}

static sti_status append(const sample* s, long first, long last) {
    sti_status status = STI_OK;
    for (long k = first; status == STI_OK && k < last; k++) {
        const double time = 0.5 * (double)k;
        const int number = (int)(-3 * k);
        const long point[2] = {k, k << 33};
        double cloud[15];
        for (int i = 0; i < 15; i++) cloud[i] = (double)k + 0.01 * i;
        status = sti_recording_append(s->r, s->time, 1, &time);
        if (status == STI_OK) status = sti_recording_append(s->r, s->number, 1, &number);
        if (status == STI_OK) status = sti_recording_append(s->r, s->point, 1, point);
        if (status == STI_OK) status = sti_recording_append(s->r, s->cloud, 1, cloud);
    }
    return status;
}

static void make(sti_env* env, const char* path, sample* s) {
    assert_int_equal(sti_recording_create(env, path, &s->r), STI_OK);
    assert_int_equal(declare(s), STI_OK);
}

static void expect_rows(const char* path, long count) {
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_int_equal(rows_of(file, "steps/time", 1), count);
    assert_int_equal(rows_of(file, "number", 1), count);
    assert_int_equal(rows_of(file, "steps/point", 2), count);
    assert_int_equal(rows_of(file, "frames/cloud", 3), count);
    double* cloud = malloc(15 * (size_t)(count + 1) * sizeof *cloud);
    double* time = malloc((size_t)(count + 1) * sizeof *time);
    long* point = malloc(2 * (size_t)(count + 1) * sizeof *point);
    int* number = malloc((size_t)(count + 1) * sizeof *number);
    double table[6];
    read_all(file, "frames/fixed", H5T_NATIVE_DOUBLE, table);
    assert_memory_equal(table, fixed, sizeof fixed);
    if (count > 0) {
        read_all(file, "steps/time", H5T_NATIVE_DOUBLE, time);
        read_all(file, "number", H5T_NATIVE_INT, number);
        read_all(file, "steps/point", H5T_NATIVE_LONG, point);
        read_all(file, "frames/cloud", H5T_NATIVE_DOUBLE, cloud);
    }
    for (long k = 0; k < count; k++) {
        assert_true(time[k] == 0.5 * (double)k && number[k] == -3 * k);
        assert_true(point[2 * k] == k && point[2 * k + 1] == k << 33);
        for (int i = 0; i < 15; i++) assert_true(cloud[15 * k + i] == (double)k + 0.01 * i);
    }
    free(cloud);
    free(time);
    free(point);
    free(number);
    assert_true(H5Fclose(file) >= 0);
}

static size_t slurp(const char* path, unsigned char** bytes) {
    FILE* f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    const size_t size = (size_t)ftell(f);
    rewind(f);
    *bytes = malloc(size + 1);
    assert_int_equal(fread(*bytes, 1, size, f), size);
    fclose(f);
    return size;
}

// ---- growing

static void libhdf5_reads_what_was_committed(void** state) {
    (void)state;
    static const long lengths[] = {0, 1, 6, 7, 8, 64, 65, 449, 4096, 4097, 4500};  // around the sizes of tree nodes
    io_folder_make();
    sti_env* env = io_env(NULL);
    sample s;
    make(env, io_path("r.h5"), &s);
    long before = 0;
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        assert_int_equal(append(&s, before, lengths[k]), STI_OK);
        assert_int_equal(sti_recording_commit(s.r, k % 2 == 0), STI_OK);
        assert_int_equal(sti_recording_rows(s.r, s.cloud), lengths[k]);
        expect_rows(io_path("r.h5"), lengths[k]);
        before = lengths[k];
    }
    sti_recording_destroy(s.r);
    expect_rows(io_path("r.h5"), before);
    sti_document* p;
    assert_int_equal(sti_document_load(env, io_path("r.h5"), &p), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "\"run\"");
    sti_env_destroy(env);
    io_folder_remove();
}

// The superblock is the last thing a commit writes. Without it the file is the one before, whatever else was written.
static void a_file_is_the_last_commit_until_the_superblock_is_written(void** state) {
    (void)state;
    io_folder_make();
    sti_env* env = io_env(NULL);
    sample s;
    make(env, io_path("r.h5"), &s);
    long before = 0;
    for (long length = 50; length < 700; length = 3 * length + 1) {
        unsigned char *old, *new;
        assert_int_equal(append(&s, before, length), STI_OK);
        assert_int_equal(sti_recording_commit(s.r, false), STI_OK);
        slurp(io_path("r.h5"), &old);
        assert_int_equal(append(&s, length, 2 * length), STI_OK);
        if (length > 60) expect_rows(io_path("r.h5"), length);  // rows that nobody has committed
        assert_int_equal(sti_recording_commit(s.r, false), STI_OK);
        const size_t size = slurp(io_path("r.h5"), &new);
        memcpy(new, old, 96);
        io_write(io_path("torn.h5"), new, size);
        expect_rows(io_path("torn.h5"), length);
        free(old);
        free(new);
        before = 2 * length;
    }
    sti_recording_destroy(s.r);
    sti_env_destroy(env);
    io_folder_remove();
}

static void a_recording_goes_on_from_any_commit(void** state) {
    (void)state;
    static const long cuts[] = {0, 1, 63, 64, 65, 100, 700, 4097};
    io_folder_make();
    sti_env* env = io_env(NULL);
    for (size_t k = 0; k < sizeof cuts / sizeof cuts[0]; k++) {
        sample s;
        void* bytes;
        size_t size;
        make(env, io_path("r.h5"), &s);
        assert_int_equal(append(&s, 0, cuts[k]), STI_OK);
        assert_int_equal(sti_recording_commit(s.r, false), STI_OK);
        assert_int_equal(sti_recording_save_state(s.r, &bytes, &size), STI_OK);
        assert_int_equal(append(&s, cuts[k], 2 * cuts[k] + 200), STI_OK);  // will be cut off
        assert_int_equal(sti_recording_commit(s.r, false), STI_OK);
        sti_recording_destroy(s.r);
        assert_int_equal(sti_recording_resume(env, io_path("r.h5"), bytes, size, &s.r), STI_OK);
        assert_int_equal(declare(&s), STI_OK);
        assert_int_equal(sti_recording_rows(s.r, s.time), cuts[k]);
        assert_int_equal(sti_recording_commit(s.r, false), STI_OK);
        expect_rows(io_path("r.h5"), cuts[k]);
        assert_int_equal(append(&s, cuts[k], cuts[k] + 300), STI_OK);
        assert_int_equal(sti_recording_commit(s.r, false), STI_OK);
        expect_rows(io_path("r.h5"), cuts[k] + 300);
        sti_recording_destroy(s.r);
        sti_env_free(env, bytes);
    }
    sti_env_destroy(env);
    io_folder_remove();
}

static void states_of_other_recordings_are_refused(void** state) {
    (void)state;
    io_folder_make();
    sti_env* env = io_env(NULL);
    sample s;
    void* bytes;
    size_t size;
    make(env, io_path("r.h5"), &s);
    assert_int_equal(append(&s, 0, 200), STI_OK);
    assert_int_equal(sti_recording_commit(s.r, false), STI_OK);
    assert_int_equal(sti_recording_save_state(s.r, &bytes, &size), STI_OK);
    sti_recording_destroy(s.r);
    uint64_t* word = bytes;
    for (size_t k = 0; k < size / 8; k++) {
        const uint64_t right = word[k], wrong[] = {UINT64_MAX, right + 1, UINT64_MAX / 3, 0};
        for (size_t i = 0; i < 4; i++) {
            word[k] = wrong[i];
            s.r = NULL;
            sti_status status = sti_recording_resume(env, io_path("r.h5"), bytes, size, &s.r);
            if (status == STI_OK) status = declare(&s);
            assert_true(status == STI_OK || status == STI_ERR_INPUT);  // and no crash
            sti_recording_destroy(s.r);
        }
        word[k] = right;
    }
    assert_int_equal(sti_recording_resume(env, io_path("r.h5"), bytes, 8, &s.r), STI_ERR_INPUT);
    io_write_text(io_path("short.h5"), "short");
    assert_int_equal(sti_recording_resume(env, io_path("short.h5"), bytes, size, &s.r), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "not the recording");
    assert_int_equal(sti_recording_resume(env, io_path("none.h5"), bytes, size, &s.r), STI_ERR_IO);
    sti_env_free(env, bytes);
    sti_env_destroy(env);
    io_folder_remove();
}

// A file that may not grow stands for a disk that is full.
static void a_full_disk_keeps_the_last_commit(void** state) {
    (void)state;
    struct rlimit was;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    signal(SIGXFSZ, SIG_IGN);
    io_folder_make();
    sti_env* env = io_env(NULL);
    for (rlim_t limit = 20000; limit < 120000; limit += 9001) {
        const struct rlimit small = {.rlim_cur = limit, .rlim_max = was.rlim_max};
        sample s;
        long committed = 0;
        sti_status status = STI_OK;
        make(env, io_path("r.h5"), &s);
        assert_int_equal(sti_recording_commit(s.r, false), STI_OK);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        for (long k = 0; status == STI_OK && k < 4000; k += 37) {
            status = append(&s, k, k + 37);
            if (status == STI_OK) status = sti_recording_commit(s.r, false);
            if (status == STI_OK) committed = k + 37;
        }
        assert_int_equal(status, STI_ERR_IO);
        io_expect_error(env, STI_ERR_IO, "r.h5: cannot be written: ");
        assert_int_equal(sti_recording_commit(s.r, false), STI_ERR_IO);  // and so it stays
        sti_recording_destroy(s.r);
        const sti_part part = {"big", io_folder, sizeof io_folder};
        const struct rlimit none = {.rlim_cur = 200, .rlim_max = was.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
        assert_int_equal(sti_checkpoint_save(env, io_path("c.h5"), &part, 1), STI_ERR_IO);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
        expect_rows(io_path("r.h5"), committed);
        assert_int_equal(io_folder_count(), 1);
    }
    sti_env_destroy(env);
    io_folder_remove();
}

static void bad_series_are_refused(void** state) {
    (void)state;
    io_folder_make();
    sti_env* env = io_env(NULL);
    sti_recording* r;
    int series;
    assert_int_equal(sti_recording_create(env, io_path("r.h5"), &r), STI_OK);
    static const sti_series_def bad[] = {{"", STI_RECORD_INT, 0, 0, 0},
                                         {"a/b/c", STI_RECORD_INT, 0, 0, 0},
                                         {"a/", STI_RECORD_INT, 0, 0, 0},
                                         {"a_name_that_is_longer_than_any_name_should_be", STI_RECORD_INT, 0, 0, 0},
                                         {"a", STI_RECORD_INT, -1, 0, 0},
                                         {"a", (sti_record_type)9, 0, 0, 0},
                                         {"a", STI_RECORD_DOUBLE, INT32_MAX, 3, 1}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        assert_int_not_equal(sti_recording_series(r, &bad[k], &series), STI_OK);
    const sti_series_def good = {"a", STI_RECORD_INT, 0, 0, 0};
    assert_int_equal(sti_recording_series(r, &good, &series), STI_OK);
    assert_int_equal(sti_recording_series(r, &good, &series), STI_ERR_ARGUMENT);
    assert_int_equal(sti_recording_append(r, 1, 1, &series), STI_ERR_ARGUMENT);
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < 100; k++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", k);
        const sti_series_def more = {name, STI_RECORD_INT, 0, 0, 0};
        status = sti_recording_series(r, &more, &series);
    }
    assert_int_equal(status, STI_ERR_SIZE);
    assert_int_equal(sti_recording_commit(r, false), STI_OK);
    sti_recording_destroy(r);
    assert_int_equal(sti_recording_create(env, io_path("no/such/folder.h5"), &r), STI_ERR_IO);
    assert_int_equal(sti_recording_create(env, io_folder, &r), STI_ERR_IO);
    sti_env_destroy(env);
    io_folder_remove();
}

static void recordings_survive_every_failing_allocation(void** state) {
    (void)state;
    io_folder_make();
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sample s = {0};
        void* bytes = NULL;
        size_t size = 0;
        sti_status status = sti_recording_create(f.env, io_path("r.h5"), &s.r);
        if (status == STI_OK) status = declare(&s);
        if (status == STI_OK) status = append(&s, 0, 66);
        if (status == STI_OK) status = sti_recording_commit(s.r, false);
        if (status == STI_OK) status = sti_recording_save_state(s.r, &bytes, &size);
        sti_recording_destroy(s.r);
        s.r = NULL;
        if (status == STI_OK) status = sti_recording_resume(f.env, io_path("r.h5"), bytes, size, &s.r);
        if (status == STI_OK) status = declare(&s);
        if (status == STI_OK) status = append(&s, 66, 70);
        if (status == STI_OK) status = sti_recording_commit(s.r, false);
        sti_recording_destroy(s.r);
        sti_env_free(f.env, bytes);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
    expect_rows(io_path("r.h5"), 70);
    io_folder_remove();
}

// ---- checkpoints

static void checkpoints_come_back_or_are_refused(void** state) {
    (void)state;
    io_folder_make();
    sti_env* env = io_env(NULL);
    char big[5003];
    for (size_t k = 0; k < sizeof big; k++) big[k] = (char)(k * k);
    const sti_part parts[] = {{"big", big, sizeof big}, {"none", NULL, 0}, {"text", "state", 5}};
    const char* path = io_path("c.h5");
    assert_int_equal(sti_checkpoint_save(env, path, parts, 3), STI_OK);
    assert_int_equal(sti_checkpoint_save(env, path, parts, 3), STI_OK);
    assert_int_equal(io_folder_count(), 1);
    void* bytes;
    size_t size;
    for (int k = 0; k < 3; k++) {
        assert_int_equal(sti_checkpoint_load(env, path, parts[k].name, &bytes, &size), STI_OK);
        assert_int_equal(size, parts[k].size);
        if (size > 0) assert_memory_equal(bytes, parts[k].bytes, size);
        sti_env_free(env, bytes);
    }
    assert_int_equal(sti_checkpoint_load(env, path, "other", &bytes, &size), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "c.h5: other: missing");
    // a bit anywhere: the part is right, or it is refused
    unsigned char* file;
    const size_t length = slurp(path, &file);
    for (size_t k = 0; k < length; k += 23) {
        file[k] ^= (unsigned char)(1u << (k % 8));
        io_write(io_path("d.h5"), file, length);
        file[k] ^= (unsigned char)(1u << (k % 8));
        const sti_status status = sti_checkpoint_load(env, io_path("d.h5"), "big", &bytes, &size);
        if (status == STI_OK) {
            assert_int_equal(size, sizeof big);
            assert_memory_equal(bytes, big, sizeof big);
        } else {
            assert_true(status == STI_ERR_INPUT);
        }
        sti_env_free(env, bytes);
    }
    for (size_t k = 0; k < length; k += 997) {
        io_write(io_path("d.h5"), file, k);
        assert_int_not_equal(sti_checkpoint_load(env, io_path("d.h5"), "big", &bytes, &size), STI_OK);
    }
    free(file);
    assert_int_equal(sti_checkpoint_load(env, io_path("nothing.h5"), "big", &bytes, &size), STI_ERR_IO);
    sti_env_destroy(env);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_status status = sti_checkpoint_save(f.env, path, parts, 3);
        bytes = NULL;
        if (status == STI_OK) status = sti_checkpoint_load(f.env, path, "big", &bytes, &size);
        sti_env_free(f.env, bytes);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
    io_folder_remove();
}

// ---- a recorded bed

enum { GRAINS = 30 };

static sti_status record_some(sti_env* env, const char* path, int steps, void** bytes, size_t* size) {
    const sti_pebble_bed def = sti_pebble_bed_default(GRAINS);
    const sti_bed_options o = sti_bed_options_default();
    sti_grains g = {0};
    sti_bed* bed = NULL;
    sti_bed_record* r = NULL;
    static const double corner[] = {1, 0, 0, 0.5, -1, 0, 0, -0.5};
    const sti_section rhombus = {.shape = STI_SECTION_POLYGON, .vertex_count = 4, .vertex = corner};
    sti_status status = sti_grains_pebble_bed(env, &def, &g);
    if (status == STI_OK) status = sti_grains_set_section(env, &g, 2, &rhombus, (const double[3]){0, 0, 1});
    if (status == STI_OK) status = sti_bed_create(env, &g, &o, &bed);
    if (status == STI_OK) status = sti_bed_record_create(env, path, &g, "{}", NULL, 0, &r);
    if (status == STI_OK) status = sti_bed_record_frame(r, bed, 0);
    for (int k = 1; status == STI_OK && k <= steps; k++) {
        sti_bed_report report;
        status = sti_bed_step(bed, &report);
        if (status == STI_OK) status = sti_bed_record_step(r, &report);
        if (status == STI_OK && k % 10 == 0) status = sti_bed_record_frame(r, bed, k);
    }
    if (status == STI_OK) status = sti_bed_record_commit(r, false);
    if (status == STI_OK) status = sti_bed_record_save_state(r, bytes, size);
    if (status == STI_OK) assert_int_equal(sti_bed_record_frames(r), steps / 10 + 1);
    sti_bed_record_destroy(r);
    sti_bed_destroy(bed);
    sti_grains_clear(env, &g);
    return status;
}

static void a_recorded_bed_holds_steps_frames_and_contacts(void** state) {
    (void)state;
    io_folder_make();
    sti_env* env = io_env(NULL);
    void* bytes = NULL;
    size_t size;
    assert_int_equal(record_some(env, io_path("trajectory.h5"), 60, &bytes, &size), STI_OK);
    const hid_t file = H5Fopen(io_path("trajectory.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_int_equal(rows_of(file, "steps/kinetic", 1), 60);
    assert_int_equal(rows_of(file, "steps/solved", 1), 60);
    assert_int_equal(rows_of(file, "frames/x", 3), 7);
    assert_int_equal(rows_of(file, "walls/axis", 2), 3);
    long end[7];
    int contacts[60];
    double time[7], x[7 * GRAINS * 3];
    read_all(file, "frames/contact_end", H5T_NATIVE_LONG, end);
    read_all(file, "steps/contacts", H5T_NATIVE_INT, contacts);
    read_all(file, "frames/time", H5T_NATIVE_DOUBLE, time);
    read_all(file, "frames/x", H5T_NATIVE_DOUBLE, x);
    assert_true(end[0] == 0 && time[0] == 0 && fabs(time[6] - 0.6) < 1e-12);
    for (int k = 1; k < 7; k++) assert_int_equal(end[k] - end[k - 1], contacts[10 * k - 1]);
    assert_int_equal(rows_of(file, "contacts/r", 2), end[6]);
    assert_true(x[2] - x[6 * GRAINS * 3 + 2] > 1);  // it has fallen
    H5Fclose(file);
    unsigned char* xdmf;
    const size_t length = slurp(io_path("trajectory.xdmf"), &xdmf);
    xdmf[length] = '\0';
    int frames = 0;
    for (const char* p = (const char*)xdmf; (p = strstr(p, "<Time ")) != NULL; p++) frames++;
    assert_int_equal(frames, 7);
    assert_non_null(strstr((const char*)xdmf, "trajectory.h5:/frames/x"));
    free(xdmf);
    // with another bed the state does not fit
    const sti_pebble_bed def = sti_pebble_bed_default(GRAINS + 1);
    sti_grains g;
    sti_bed_record* r;
    assert_int_equal(sti_grains_pebble_bed(env, &def, &g), STI_OK);
    assert_int_equal(sti_bed_record_create(env, io_path("trajectory.h5"), &g, "{}", bytes, size, &r), STI_ERR_INPUT);
    assert_int_equal(sti_bed_record_create(env, io_path("trajectory.h5"), &g, "{}", bytes, 3, &r), STI_ERR_INPUT);
    sti_grains_clear(env, &g);
    sti_env_free(env, bytes);
    sti_env_destroy(env);
    io_folder_remove();
}

static void a_name_with_marks_of_xml_is_escaped_in_the_description(void** state) {
    (void)state;
    io_folder_make();
    sti_env* env = io_env(NULL);
    void* bytes = NULL;
    size_t size;
    char name[512];
    snprintf(name, sizeof name, "%s", io_path("a<b>&'c\".h5"));
    assert_int_equal(record_some(env, name, 10, &bytes, &size), STI_OK);
    unsigned char* xdmf;
    const size_t length = slurp(io_path("a<b>&'c\".xdmf"), &xdmf);
    xdmf[length] = '\0';
    assert_non_null(strstr((const char*)xdmf, "a&lt;b&gt;&amp;&apos;c&quot;.h5:/frames/x"));
    assert_null(strstr((const char*)xdmf, "&'"));
    free(xdmf);
    unlink(name);
    unlink(io_path("a<b>&'c\".xdmf"));
    sti_env_free(env, bytes);
    sti_env_destroy(env);
    io_folder_remove();
}

static void a_recorded_bed_survives_every_failing_allocation(void** state) {
    (void)state;
    io_folder_make();
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        void* bytes = NULL;
        size_t size;
        const sti_status status = record_some(f.env, io_path("trajectory.h5"), 10, &bytes, &size);
        sti_env_free(f.env, bytes);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
    io_folder_remove();
}

static void data_are_read_back_by_their_names(void** state) {
    (void)state;
    io_folder_make();
    sti_env* env = io_env(NULL);
    sample s;
    make(env, io_path("named.h5"), &s);
    assert_int_equal(append(&s, 0, 3), STI_OK);
    assert_int_equal(sti_recording_commit(s.r, false), STI_OK);
    sti_recording_destroy(s.r);
    sti_env_destroy(env);
    for (long k = 0;; k++) {
        failing_env f;
        double *cloud = NULL, *none = NULL;
        char* text = NULL;
        long rows, columns, no_rows, no_columns;
        failing_env_open(&f, k);
        sti_status status = sti_recorded_numbers(f.env, io_path("named.h5"), "frames/cloud", &cloud, &rows, &columns);
        if (status == STI_OK)
            status = sti_recorded_numbers(f.env, io_path("named.h5"), "frames/no", &none, &no_rows, &no_columns);
        if (status == STI_OK) status = sti_recorded_text(f.env, io_path("named.h5"), "about", &text);
        if (status == STI_OK) {
            assert_int_equal(rows, 3);
            assert_int_equal(columns, 15);
            assert_true(cloud[2 * 15 + 4] == 2.04);
            assert_null(none);
            assert_string_equal(text, "grains \xe2\x80\xa6");
        } else {
            assert_int_equal(status, STI_ERR_MEMORY);
        }
        sti_env_free(f.env, cloud);
        sti_env_free(f.env, text);
        if (failing_env_close(&f)) break;
    }
    io_folder_remove();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libhdf5_reads_what_was_committed),
        cmocka_unit_test(a_file_is_the_last_commit_until_the_superblock_is_written),
        cmocka_unit_test(a_recording_goes_on_from_any_commit),
        cmocka_unit_test(states_of_other_recordings_are_refused),
        cmocka_unit_test(a_full_disk_keeps_the_last_commit),
        cmocka_unit_test(bad_series_are_refused),
        cmocka_unit_test(recordings_survive_every_failing_allocation),
        cmocka_unit_test(checkpoints_come_back_or_are_refused),
        cmocka_unit_test(a_recorded_bed_holds_steps_frames_and_contacts),
        cmocka_unit_test(a_name_with_marks_of_xml_is_escaped_in_the_description),
        cmocka_unit_test(a_recorded_bed_survives_every_failing_allocation),
        cmocka_unit_test(data_are_read_back_by_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
