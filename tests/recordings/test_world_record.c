// Recordings of bodies: what libhdf5 reads of them, going on with one, and memory that runs out.
#include <hdf5.h>

#include "support/io_tools.h"

static const char scene_text[] =
    "{\"kind\": \"scene\", \"dimension\": 3, \"time\": 1, \"bodies\": [{\"name\": \"floor\", \"fixed\": true, "
    "\"shape\": "
    "{\"type\": \"halfspace\", \"normal\": [0, 0, 1]}}, {\"name\": \"box\", \"shape\": {\"type\": \"box\", \"half\": "
    "[0.5, "
    "0.5, 0.5]}, \"position\": [0, 0, 0.5], \"velocity\": [1, 0, 0]}, {\"name\": \"bob\", \"shape\": {\"type\": "
    "\"sphere\", "
    "\"radius\": 0.25}, \"position\": [5, 0, 3]}], \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", "
    "\"bodies\": "
    "[\"world\", \"bob\"], \"point\": [4, 0, 3], \"axis\": [0, 1, 0]}]}";
enum { BODIES = 3, VERTICES = 4 + 8 + 114 };

typedef struct stage {
    sti_document* problem;
    sti_world* world;
    sti_world_record* record;
} stage;

static sti_status open_stage(sti_env* env, const char* path, const void* state, size_t size, stage* s) {
    *s = (stage){0};
    sti_status status = sti_document_parse(env, scene_text, strlen(scene_text), "t.json", &s->problem);
    if (status != STI_OK) return status;
    const sti_world_scene* scene = sti_world_scene_of(s->problem);
    status = sti_world_create(env, scene->bodies, &scene->step, &s->world);
    if (status == STI_OK)
        status = sti_world_record_create(env, path, scene->bodies, scene_text, state, size, &s->record);
    return status;
}

static void close_stage(stage* s) {
    sti_world_record_destroy(s->record);
    sti_world_destroy(s->world);
    sti_document_destroy(s->problem);
}

static sti_status take_steps(const stage* s, int count) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < count; k++) {
        sti_world_report report;
        status = sti_world_step(s->world, &report);
        if (status == STI_OK) status = sti_world_record_step(s->record, &report);
        if (status == STI_OK) status = sti_world_record_frame(s->record, s->world);
    }
    return status == STI_OK ? sti_world_record_commit(s->record, false) : status;
}

static int sizes_of(hid_t file, const char* name, hsize_t size[4]) {
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    assert_true(set >= 0);
    const int rank = H5Sget_simple_extent_ndims(space);
    H5Sget_simple_extent_dims(space, size, NULL);
    H5Sclose(space);
    H5Dclose(set);
    return rank;
}

static void expect_size(hid_t file, const char* name, int rank, hsize_t rows, hsize_t items, hsize_t columns) {
    hsize_t size[4] = {0};
    assert_int_equal(sizes_of(file, name, size), rank);
    assert_true(size[0] == rows && (rank < 2 || size[1] == items) && (rank < 3 || size[2] == columns));
}

static void read_last(hid_t file, const char* name, hid_t type, int frames, size_t row, void* out) {
    char* all = malloc((size_t)frames * row);
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0);
    memcpy(out, all + (size_t)(frames - 1) * row, row);
    H5Dclose(set);
    free(all);
}

static void a_recording_holds_what_the_world_showed(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    io_folder_make();
    stage s;
    assert_int_equal(open_stage(env, io_path("t.h5"), NULL, 0, &s), STI_OK);
    assert_int_equal(take_steps(&s, 3), STI_OK);
    const hid_t file = H5Fopen(io_path("t.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    expect_size(file, "steps/residual", 1, 3, 0, 0);
    expect_size(file, "frames/x", 3, 3, BODIES, 3);
    expect_size(file, "frames/q", 3, 3, BODIES, 4);
    expect_size(file, "frames/joint_coordinate", 3, 3, 1, 2);
    expect_size(file, "frames/surface", 3, 3, VERTICES, 3);
    expect_size(file, "bodies/inertia", 2, BODIES, 9, 0);
    double x[3 * BODIES], surface[3 * VERTICES], angle[2];
    read_last(file, "frames/x", H5T_NATIVE_DOUBLE, 3, sizeof x, x);
    read_last(file, "frames/surface", H5T_NATIVE_DOUBLE, 3, sizeof surface, surface);
    read_last(file, "frames/joint_coordinate", H5T_NATIVE_DOUBLE, 3, sizeof angle, angle);
    sti_pose pose;
    sti_world_pose(s.world, 1, &pose);
    assert_memory_equal(pose.x, x + 3, sizeof pose.x);
    sti_world_joint joint;
    sti_world_joint_state(s.world, 0, &joint);
    assert_true(joint.coordinate[0] == angle[0] && angle[0] != 0);
    for (int k = 4; k < 12; k++) assert_true(fabs(fabs(surface[3 * k] - x[3]) - 0.5) < 1e-9);  // corners of the box
    int count;
    const sti_world_contact* contact = sti_world_contacts(s.world, &count);
    assert_true(count >= 4);
    long end;
    read_last(file, "frames/contact_end", H5T_NATIVE_LONG, 3, sizeof end, &end);
    double r[3];
    read_last(file, "contacts/r", H5T_NATIVE_DOUBLE, (int)end, sizeof r, r);
    assert_memory_equal(r, contact[count - 1].r, sizeof r);
    int bodies[2];
    read_last(file, "contacts/body", H5T_NATIVE_INT, (int)end, sizeof bodies, bodies);
    assert_true(bodies[0] == contact[count - 1].a && bodies[1] == contact[count - 1].b);
    H5Fclose(file);
    struct stat info;
    assert_true(stat(io_path("t.xdmf"), &info) == 0 && info.st_size > 1000);
    close_stage(&s);
    io_folder_remove();
    sti_env_destroy(env);
}

static void a_recording_goes_on_where_its_state_says(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    io_folder_make();
    stage s;
    void *bytes, *world;
    size_t size, world_size;
    assert_int_equal(open_stage(env, io_path("t.h5"), NULL, 0, &s), STI_OK);
    assert_int_equal(take_steps(&s, 2), STI_OK);
    assert_int_equal(sti_world_record_save_state(s.record, &bytes, &size), STI_OK);
    assert_int_equal(sti_world_save_state(s.world, &world, &world_size), STI_OK);
    assert_int_equal(take_steps(&s, 5), STI_OK);  // cut off later
    close_stage(&s);
    assert_int_equal(open_stage(env, io_path("t.h5"), bytes, size, &s), STI_OK);
    assert_int_equal(sti_world_load_state(s.world, world, world_size), STI_OK);
    assert_int_equal(sti_world_record_frames(s.record), 2);
    assert_int_equal(take_steps(&s, 2), STI_OK);
    close_stage(&s);
    const hid_t file = H5Fopen(io_path("t.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    long step;
    expect_size(file, "frames/step", 1, 4, 0, 0);
    read_last(file, "frames/step", H5T_NATIVE_LONG, 4, sizeof step, &step);
    assert_int_equal(step, 4);
    H5Fclose(file);
    assert_int_equal(open_stage(env, io_path("t.h5"), bytes, 4, &s), STI_ERR_INPUT);
    close_stage(&s);
    sti_env_free(env, bytes);
    sti_env_free(env, world);
    io_folder_remove();
    sti_env_destroy(env);
}

static void every_allocation_that_fails_is_survived(void** state) {
    (void)state;
    io_folder_make();
    for (long k = 0;; k++) {
        failing_env f;
        stage s;
        void* bytes = NULL;
        size_t size;
        failing_env_open(&f, k);
        sti_status status = open_stage(f.env, io_path("t.h5"), NULL, 0, &s);
        if (status == STI_OK) status = take_steps(&s, 1);
        if (status == STI_OK) status = sti_world_record_save_state(s.record, &bytes, &size);
        assert_true(status == STI_OK || status == STI_ERR_MEMORY);
        sti_env_free(f.env, bytes);
        close_stage(&s);
        if (failing_env_close(&f)) break;
    }
    io_folder_remove();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_holds_what_the_world_showed),
        cmocka_unit_test(a_recording_goes_on_where_its_state_says),
        cmocka_unit_test(every_allocation_that_fails_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
