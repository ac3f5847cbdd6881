// Triangles from STL and OBJ files: what is read, what becomes of it, and every mistake with file and line.
#include "io/mesh_file.h"
#include "io_tools.h"

static const double same[3] = {1, 1, 1};

static const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

// A tetrahedron of volume 1, `faces` of its sides.
static size_t binary(unsigned char* bytes, int faces) {
    memset(bytes, 'x', 80);
    memcpy(bytes, "solid, but binary", 17);
    memcpy(bytes + 80, &(uint32_t){(uint32_t)faces}, 4);
    size_t at = 84;
    for (int t = 0; t < faces; t++) {
        float x[12] = {0};
        for (int k = 0; k < 9; k++) x[3 + k] = (float)corner[face[t][k / 3]][k % 3];
        memcpy(bytes + at, x, sizeof x);
        memset(bytes + at + 48, 0, 2);
        at += 50;
    }
    bytes[at] = 0;
    return at;
}

static size_t text_of(char* text, size_t size) {
    size_t at = (size_t)snprintf(text, size, "solid t\n");
    for (int t = 0; t < 4; t++) {
        at += (size_t)snprintf(text + at, size - at, "  facet normal 0 0 0\n    outer loop\n");
        for (int k = 0; k < 3; k++) {
            const double* p = corner[face[t][k]];
            at += (size_t)snprintf(text + at, size - at, "      vertex %g %ge0 %g\r\n", p[0], p[1], p[2]);
        }
        at += (size_t)snprintf(text + at, size - at, "    endloop\n  endfacet\n");
    }
    return at + (size_t)snprintf(text + at, size - at, "endsolid t\n");
}

static void expect_tetrahedron(const sti_mesh_data* m) {
    assert_true(m->vertex_count == 4 && m->triangle_count == 4 && m->dropped == 0 && m->closed);
    assert_true(fabs(m->volume - 1) <= 1e-15);
}

static void a_tetrahedron_is_the_same_in_every_format(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_mesh_data m;
    unsigned char bytes[300];
    char text[2000];
    size_t size = binary(bytes, 4);
    assert_int_equal(sti_mesh_file_parse(env, (char*)bytes, size, "t.STL", same, &m), STI_OK);
    expect_tetrahedron(&m);
    sti_mesh_data_clear(env, &m);
    size = text_of(text, sizeof text);
    assert_int_equal(sti_mesh_file_parse(env, text, size, "t.stl", same, &m), STI_OK);
    expect_tetrahedron(&m);
    sti_mesh_data_clear(env, &m);
    static const char obj[] =
        "# c\no t\nv 0 0 0\nv 1 0 0 1.0\nv 0 2 0\nvn 0 0 1\nv 0 0 3\nusemtl x\nf 1 3 2\nf 1/1 2/2 4/3\n"
        "f -4//1 -1//1 -2//1\ns off\nf 2/1/1 3/2/1 4/3/1";
    assert_int_equal(sti_mesh_file_parse(env, obj, strlen(obj), "t.obj", same, &m), STI_OK);
    expect_tetrahedron(&m);
    sti_mesh_data_clear(env, &m);
    sti_env_destroy(env);
}

static void a_mirror_keeps_triangles_looking_outward(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_mesh_data m;
    unsigned char bytes[300];
    const size_t size = binary(bytes, 4);
    assert_int_equal(sti_mesh_file_parse(env, (char*)bytes, size, "t.stl", (double[]){-1, 2, 0.5}, &m), STI_OK);
    expect_tetrahedron(&m);
    assert_true(m.vertices[3 * m.triangles[1]] <= 0);
    sti_mesh_data_clear(env, &m);
    sti_env_destroy(env);
}

static void open_meshes_and_triangles_without_area_are_noticed(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_mesh_data m;
    unsigned char bytes[300];
    size_t size = binary(bytes, 3);
    assert_int_equal(sti_mesh_file_parse(env, (char*)bytes, size, "t.stl", same, &m), STI_OK);
    assert_true(!m.closed && m.triangle_count == 3);
    sti_mesh_data_clear(env, &m);
    static const char flat[] = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 4\nf 1 1 2\n";
    assert_int_equal(sti_mesh_file_parse(env, flat, strlen(flat), "t.obj", same, &m), STI_OK);
    assert_true(m.triangle_count == 1 && m.dropped == 2);
    sti_mesh_data_clear(env, &m);
    sti_env_destroy(env);
}

static void mistakes_name_file_and_line(void** state) {
    (void)state;
    static const char* const bad[][3] = {
        {"t.obj", "", "a mesh without triangles"},
        {"t.obj", "v 0 0\n", "line 1: v: three numbers are expected"},
        {"t.obj", "v 0 0 nan\n", "line 1: v: three numbers are expected"},
        {"t.obj", "v 0 0 1e300\n", "line 1: v: three numbers are expected"},
        {"t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", "line 4: f: three corners"},
        {"t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "line 4: f: \"4\": the number of a vertex"},
        {"t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "f: \"0\""},
        {"t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", "f: \"-4\""},
        {"t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n", "f: \"99999999999999999999\""},
        {"t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n", "f: \"x\""},
        {"t.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "triangles that have no area"},
        {"t.stl", "", "neither binary STL"},
        {"t.stl", "nothing of the kind", "neither binary STL"},
        {"t.stl", "solid\nvertex 0 0 0\n", "line 2: vertex: three numbers are expected, three times in a loop"},
        {"t.stl", "solid\nouter loop\nvertex 0 0 x\n", "line 3: vertex: three numbers"},
        {"t.stl", "solid\nouter loop\nvertex 0 0 0\nendloop", "line 4: endloop: three vertices"},
        {"t.stl", "solid\nouter loop\nouter loop\n", "line 3: a loop within a loop"},
        {"t.stl", "solid\nouter loop\n", "ends in a loop"},
        {"t.ply", "ply\n", ".stl or .obj is expected"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        sti_env* env = io_env(NULL);
        sti_mesh_data m;
        assert_int_equal(sti_mesh_file_parse(env, bad[k][1], strlen(bad[k][1]), bad[k][0], same, &m), STI_ERR_INPUT);
        io_expect_error(env, STI_ERR_INPUT, bad[k][2]);
        io_expect_error(env, STI_ERR_INPUT, bad[k][0]);
        assert_null(m.vertices);
        sti_env_destroy(env);
    }
}

static void binary_files_that_end_early_or_hold_no_numbers_are_refused(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_mesh_data m;
    unsigned char bytes[300];
    const size_t size = binary(bytes, 4);
    memset(bytes, 'x', 80);  // no "solid": then it can only be binary
    for (size_t cut = 84; cut < size; cut += 10) {
        assert_int_equal(sti_mesh_file_parse(env, (char*)bytes, cut, "t.stl", same, &m), STI_ERR_INPUT);
        io_expect_error(env, STI_ERR_INPUT, "STL of 4 triangles: 284 bytes are expected");
    }
    memset(bytes + 84 + 12, 0xff, 4);
    assert_int_equal(sti_mesh_file_parse(env, (char*)bytes, size, "t.stl", same, &m), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "triangle 0: vertex");
    assert_int_equal(sti_mesh_file_read(env, "/no/such/mesh.stl", same, &m), STI_ERR_IO);
    sti_env_destroy(env);
}

static void running_out_of_memory_is_survived(void** state) {
    (void)state;
    char text[2000];
    const size_t size = text_of(text, sizeof text);
    for (long k = 0;; k++) {
        failing_env f;
        sti_mesh_data m;
        failing_env_open(&f, k);
        const sti_status status = sti_mesh_file_parse(f.env, text, size, "t.stl", same, &m);
        assert_true(status == STI_OK || status == STI_ERR_MEMORY);
        sti_mesh_data_clear(f.env, &m);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tetrahedron_is_the_same_in_every_format),
        cmocka_unit_test(a_mirror_keeps_triangles_looking_outward),
        cmocka_unit_test(open_meshes_and_triangles_without_area_are_noticed),
        cmocka_unit_test(mistakes_name_file_and_line),
        cmocka_unit_test(binary_files_that_end_early_or_hold_no_numbers_are_refused),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
