// Triangles from STL and OBJ files: what is read, what becomes of it, and every mistake with file and line.
#include "formats/mesh_file.h"
#include "support/io_tools.h"

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

static void turn_to_capitals(char* text, size_t size) {
    for (size_t k = 0; k < size; k++) text[k] = text[k] >= 'a' && text[k] <= 'z' ? (char)(text[k] - 32) : text[k];
}

static void ends_of_lines_as_blanks(char* text, size_t size) {
    for (size_t k = 0; k < size; k++) text[k] = text[k] == '\n' ? '\r' : text[k];
}

static void programs_write_stl_and_obj_in_many_ways(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_mesh_data m;
    char bytes[400], text[2000];
    size_t size = binary((unsigned char*)bytes, 4);  // begins with "solid", and something follows its triangles
    memcpy(bytes + size, "made by", 8);
    assert_int_equal(sti_mesh_file_parse(env, bytes, size + 7, "t.stl", same, &m), STI_OK);
    expect_tetrahedron(&m);
    sti_mesh_data_clear(env, &m);
    for (int way = 0; way < 3; way++) {
        size = text_of(text, sizeof text);
        if (way == 0) turn_to_capitals(text, size);
        if (way == 1) ends_of_lines_as_blanks(text, size);
        if (way == 2) memcpy(text, "\n   \n   \n", 7);  // no "solid"
        assert_int_equal(sti_mesh_file_parse(env, text, size, "t.stl", same, &m), STI_OK);
        expect_tetrahedron(&m);
        sti_mesh_data_clear(env, &m);
    }
    static const char obj[] =
        "\xef\xbb\xbfv 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nl 1 2\nf 1 2\nf 1 3 \\\n 2\nf 1 \\\r\n 2 4\nf 1 4 3\nf 2 3 "
        "4\n";
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
        {"t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", "a mesh without triangles"},
        {"t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 \\\n x\n", "line 5: f: \"x\""},
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
        {"t.ply", "ply\n", ".stl, .obj, .dae, .gltf or .glb is expected"},
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

// ---- COLLADA and glTF

#define DAE(unit, inside, node)                                                                      \
    "<COLLADA><asset><unit meter='" unit                                                             \
    "'/><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id='g'><mesh>"                  \
    "<source id='s'><float_array count='12'>0 0 0 1 0 0 0 2 0 0 0 3</float_array><technique_common>" \
    "<accessor source='#a' count='4' stride='3'/></technique_common></source>"                       \
    "<vertices id='v'><input semantic='POSITION' source='#s'/></vertices>" inside                    \
    "</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id='scene'>" node   \
    "</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#scene'/></scene></COLLADA>"
#define VERTEX "<input semantic='VERTEX' source='#v' offset='0'/>"
#define FACES "<triangles count='4'>" VERTEX "<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>"
#define SHOWN "<node><instance_geometry url='#g'/></node>"

static void collada_gives_the_same_by_triangles_lists_and_polygons(void** state) {
    (void)state;
    static const char* const good[] = {
        DAE("1", FACES, SHOWN),
        DAE("1",
            "<polylist count='4'>" VERTEX "<input semantic='NORMAL' source='#n' offset='1'/><vcount>3 3 3 3</vcount>"
            "<p>0 9 2 9 1 9 0 9 1 9 3 9 0 9 3 9 2 9 1 9 2 9 3 9</p></polylist>",
            SHOWN),
        DAE("1", "<polygons>" VERTEX "<p>0 2 1</p><p>0 1 3</p><p>0 3 2</p><p>1 2 3</p></polygons>", SHOWN),
        DAE("1", "<triangles count='0'/>" FACES, SHOWN),
        DAE("1", "<tristrips>" VERTEX "<p>0 2 1 3 0 2</p></tristrips>", SHOWN),
        DAE("1", "<trifans>" VERTEX "<p>0 2 1 3 2</p></trifans><triangles>" VERTEX "<p>1 2 3</p></triangles>", SHOWN),
        DAE("1", FACES, "<!-- a -- b --><node><extra>R & D</extra><instance_geometry url='#g'/></node>"),
        // a mirror, a shear and back, from where it looks
        DAE("1", FACES, "<node><scale>-1 1 1</scale><instance_geometry url='#g'/></node>"),
        DAE("1", FACES, "<node><skew>30 0 1 0 1 0 0</skew><instance_geometry url='#g'/></node>"),
        DAE("1", FACES, "<node><lookat>1 2 3 4 5 7 0 1 0</lookat><instance_geometry url='#g'/></node>"),
        // units and transforms that cancel
        DAE("0.01", FACES,
            "<node><scale>100 100 100</scale><node><translate>1 2 3</translate><rotate>0 0 1 90</rotate>"
            "<matrix>0 1 0 0 -1 0 0 0 0 0 1 0 0 0 0 1</matrix><translate>-1 -2 -3</translate>"
            "<instance_geometry url='#g'/></node></node>"),
        DAE("0,010", FACES, "<node><scale>100 100 100</scale><instance_geometry url='#g'/></node>"),
    };
    sti_env* env = io_env(NULL);
    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++) {
        sti_mesh_data m;
        if (sti_mesh_file_parse(env, good[k], strlen(good[k]), "t.dae", same, &m) != STI_OK)
            print_error("%s\n", sti_env_error(env)->text);
        assert_true(m.vertex_count == 4 && m.triangle_count == 4 && m.closed);
        assert_true(fabs(m.volume - 1) <= 1e-14);
        sti_mesh_data_clear(env, &m);
    }
    sti_env_destroy(env);
}

// Where the corner (0, 2, 0) of the tetrahedron goes.
static void collada_moves_points_by_skew_and_lookat(void** state) {
    (void)state;
    static const struct {
        const char* text;
        double x[3];
    } moved[] = {
        {DAE("1", FACES, "<node><skew>45 0 1 0 3 0 0</skew><instance_geometry url='#g'/></node>"), {2, 2, 0}},
        // from (1, 0, 0) to the origin: its z is x, and its y is z
        {DAE("1", FACES, "<node><lookat>1 0 0 0 0 0 0 0 1</lookat><instance_geometry url='#g'/></node>"), {1, 0, 2}},
    };
    sti_env* env = io_env(NULL);
    for (size_t k = 0; k < sizeof moved / sizeof moved[0]; k++) {
        sti_mesh_data m;
        assert_int_equal(sti_mesh_file_parse(env, moved[k].text, strlen(moved[k].text), "t.dae", same, &m), STI_OK);
        for (int i = 0; i < 3; i++) assert_true(fabs(m.vertices[6 + i] - moved[k].x[i]) <= 1e-14);
        sti_mesh_data_clear(env, &m);
    }
    sti_env_destroy(env);
}

// a tetrahedron: 4 positions, then 12 indices of one byte each; `cut` bytes are missing at the end
static size_t glb(const char* json, size_t cut, char* out) {
    const size_t length = strlen(json), padded = (length + 3) / 4 * 4;
    float x[12];
    for (int k = 0; k < 12; k++) x[k] = (float)corner[k / 3][k % 3];
    memset(out, ' ', 20 + padded);
    memcpy(out, "glTF\2\0\0\0", 8);
    memcpy(out + 12, &(uint32_t){(uint32_t)padded}, 4);
    memcpy(out + 16, "JSON", 4);
    memcpy(out + 20, json, length);
    char* chunk = out + 20 + padded;
    memcpy(chunk, &(uint32_t){60}, 4);
    memcpy(chunk + 4, "BIN\0", 4);
    memcpy(chunk + 8, x, sizeof x);
    for (int k = 0; k < 12; k++) chunk[8 + 48 + k] = (char)face[k / 3][k % 3];
    const size_t size = 20 + padded + 8 + 60;
    memcpy(out + 8, &(uint32_t){(uint32_t)size}, 4);
    out[size - cut] = '\0';
    return size - cut;
}

#define GLTF(buffer, view, count, node)                                                                   \
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[" node          \
    "],"                                                                                                  \
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"                    \
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":" count                            \
    ",\"type\":\"VEC3\"},"                                                                                \
    "{\"bufferView\":1,\"componentType\":5121,\"count\":12,\"type\":\"SCALAR\"}],"                        \
    "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":48},{\"buffer\":0,\"byteOffset\":48," \
    "\"byteLength\":" view "}],\"buffers\":[" buffer "]}"
#define PLAIN "{\"mesh\":0}"

static void gltf_gives_the_same_with_z_up(void** state) {
    (void)state;
    static const char* const good[] = {
        GLTF("{\"byteLength\":60}", "12", "4", PLAIN),
        GLTF("{\"byteLength\":60}", "12", "4",
             "{\"children\":[1],\"translation\":[1,0,0]},{\"mesh\":0,\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,-1,0,0,1]}"),
    };
    sti_env* env = io_env(NULL);
    char bytes[4000];
    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++) {
        sti_mesh_data m;
        const size_t size = glb(good[k], 0, bytes);
        if (sti_mesh_file_parse(env, bytes, size, "t.glb", same, &m) != STI_OK)
            print_error("%s\n", sti_env_error(env)->text);
        expect_tetrahedron(&m);
        double low[3] = {0, 0, 0}, top[3] = {0, 0, 0};
        for (int i = 0; i < 12; i++) {
            low[i % 3] = fmin(low[i % 3], m.vertices[i]);
            top[i % 3] = fmax(top[i % 3], m.vertices[i]);
        }
        assert_true(top[0] == 1 && low[1] == -3 && top[1] == 0 && top[2] == 2);  // z is y of the file
        sti_mesh_data_clear(env, &m);
    }
    sti_env_destroy(env);
}

// The third corner of the tetrahedron, and the fourth, come from elsewhere or as whole numbers.
#define ACCESSORS(first, second, views)                                                                                \
    "{\"nodes\":[{\"children\":[1]},{\"mesh\":0}],"                                                                    \
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],\"accessors\":[" first "," second \
    "],\"bufferViews\":[" views "],\"buffers\":[{\"byteLength\":60}]}"
#define INDICES "{\"bufferView\":1,\"componentType\":5121,\"count\":12,\"type\":\"SCALAR\"}"
#define VIEWS "{\"buffer\":0,\"byteLength\":48},{\"buffer\":0,\"byteOffset\":48,\"byteLength\":12}"

static void gltf_without_scenes_with_sparse_and_quantized_positions(void** state) {
    (void)state;
    // all zero but the second, third and fourth: by the indices 2 1 3 at byte 49 .. of the tetrahedron's own, 2 1 0 1 3
    static const char sparse[] = ACCESSORS(
        "{\"componentType\":5126,\"count\":4,\"sparse\":{\"count\":2,\"indices\":{\"bufferView\":1,\"byteOffset\":1,"
        "\"componentType\":5121},\"values\":{\"bufferView\":0,\"byteOffset\":12}}}",
        INDICES, VIEWS);
    static const char whole[] = ACCESSORS(
        "{\"bufferView\":1,\"componentType\":5121,\"normalized\":true,\"count\":4,\"type\":\"VEC3\"}", INDICES, VIEWS);
    static const char beyond[] = ACCESSORS(
        "{\"componentType\":5126,\"count\":2,\"sparse\":{\"count\":2,\"indices\":{\"bufferView\":1,"
        "\"componentType\":5121},\"values\":{\"bufferView\":0}}}",
        INDICES, VIEWS);
    sti_env* env = io_env(NULL);
    char bytes[4000];
    sti_mesh_data m;
    size_t size = glb(sparse, 0, bytes);
    // positions 2 and 1 become (1, 0, 0) and (0, 2, 0), z up; 0 and 3 stay 0, so two triangles are flat
    assert_int_equal(sti_mesh_file_parse(env, bytes, size, "t.glb", same, &m), STI_OK);
    assert_true(m.vertex_count == 3 && m.triangle_count == 2 && m.dropped == 2);
    assert_true(m.vertices[5] == 2 && m.vertices[6] == 1 && m.vertices[8] == 0);
    sti_mesh_data_clear(env, &m);
    size = glb(whole, 0, bytes);
    assert_int_equal(sti_mesh_file_parse(env, bytes, size, "t.glb", same, &m), STI_OK);
    assert_true(m.vertices[1] == -1.0 / 255 && m.vertices[2] == 2.0 / 255);  // (0, 2, 1), z up
    sti_mesh_data_clear(env, &m);
    size = glb(beyond, 0, bytes);
    assert_int_equal(sti_mesh_file_parse(env, bytes, size, "t.glb", same, &m), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "sparse: an index beyond its count");
    sti_env_destroy(env);
}

static void broken_collada_and_gltf_are_refused_in_one_line(void** state) {
    (void)state;
    static const char* const dae[][2] = {
        {"<robot/>", "<COLLADA> is expected"},
        {DAE("1", "<triangles>" VERTEX "<p>0 2 4</p></triangles>", SHOWN), "<p>: index 4: there are 4 positions"},
        {DAE("1", "<triangles>" VERTEX "<p>0 2 -1</p></triangles>", SHOWN), "one that is no index"},
        {DAE("1", "<triangles>" VERTEX "<p>0 2</p></triangles>", SHOWN), "fewer numbers than its faces have"},
        {DAE("1", "<triangles><p>0 2 1</p></triangles>", SHOWN), "semantic=\"VERTEX\"> is missing"},
        {DAE("1", "<polylist>" VERTEX "<vcount>3</vcount><p>0 2 1 0 1 3</p></polylist>", SHOWN),
         "more corners than <vcount> says"},
        {DAE("1", FACES, "<node><instance_geometry url='#x'/></node>"), "no such geometry"},
        {DAE("1", FACES, "<node id='n'><instance_node url='#n'/></node>"), "too many nodes, or a cycle"},
        {DAE("1", FACES, "<node><scale>1 2 x</scale></node>"), "finite numbers are expected"},
        {DAE("1", FACES, "<node><skew>45 0 0 0 1 0 0</skew></node>"), "an angle and two directions"},
        {DAE("1", FACES, "<node><lookat>1 0 0 1 0 0 0 0 1</lookat></node>"), "two points and a way up"},
        {DAE("1", "<tristrips>" VERTEX "<p>0 2 9</p></tristrips>", SHOWN), "<p>: index 9"},
        {DAE("0,0,1", FACES, SHOWN), "<unit>: meter: \"0,0,1\": a number above 0"},
        {DAE("0", FACES, SHOWN), "<unit>: meter: \"0\""},
        {DAE("1", "", SHOWN), "a mesh without triangles"},
        {"<!DOCTYPE r [<!ENTITY a 'aaaaaaaa'>]><COLLADA/>", "declarations"},
    };
    static const char* const gltf[][2] = {
        {GLTF("{\"byteLength\":61}", "12", "4", PLAIN), "buffers[0]: byteLength: 61: there are 60 bytes"},
        {GLTF("{\"byteLength\":60}", "11", "4", PLAIN), "reaches beyond its buffer"},
        {GLTF("{\"byteLength\":60}", "13", "4", PLAIN), "reaches beyond its buffer"},
        {GLTF("{\"byteLength\":60}", "12", "5", PLAIN), "accessors[0]: reaches beyond its buffer"},
        {GLTF("{\"byteLength\":60}", "12", "3", PLAIN), "an index beyond the positions"},
        {GLTF("{\"byteLength\":60}", "12", "4000000000", PLAIN), "count: none, or too large"},
        {GLTF("{\"byteLength\":60}", "12", "4", "{\"children\":[0]}"), "too many nodes, or a cycle"},
        {GLTF("{\"byteLength\":60}", "12", "4", "{\"mesh\":7}"), "meshes[7]"},
        {GLTF("{\"byteLength\":60,\"uri\":\"../x.bin\"}", "12", "4", PLAIN), "in the folder of this one"},
        {GLTF("{\"byteLength\":60,\"uri\":\"data:;base64,A A\"}", "12", "4", PLAIN), "no base64"},
        {GLTF("{\"byteLength\":60,\"uri\":\"not-there.bin\"}", "12", "4", PLAIN),
         "uri: \"not-there.bin\": no such file beside"},
        {GLTF("{\"byteLength\":60,\"uri\":\"data:,abc\"}", "12", "4", PLAIN), "base64 alone is read"},
        {"{\"meshes\":{\"a\":{}},\"nodes\":{}}", "glTF 1.0 is not read, 2.0 is"},
        {"{\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{}}]}]}", "a mesh without triangles"},
        {"{\"scenes\":[]}", "scenes[0]: nodes: there are none"},
    };
    sti_env* env = io_env(NULL);
    char bytes[4000];
    sti_mesh_data m;
    for (size_t k = 0; k < sizeof dae / sizeof dae[0]; k++) {
        assert_int_equal(sti_mesh_file_parse(env, dae[k][0], strlen(dae[k][0]), "t.dae", same, &m), STI_ERR_INPUT);
        io_expect_error(env, STI_ERR_INPUT, dae[k][1]);
    }
    for (size_t k = 0; k < sizeof gltf / sizeof gltf[0]; k++) {
        const size_t size = glb(gltf[k][0], 0, bytes);
        const sti_status status = sti_mesh_file_parse(env, bytes, size, "t.glb", same, &m);
        assert_true(status == STI_ERR_INPUT || status == STI_ERR_IO);
        io_expect_error(env, status, gltf[k][1]);
    }
    for (size_t cut = 1; cut < 100; cut++) {  // cut short anywhere
        const size_t size = glb(GLTF("{\"byteLength\":60}", "12", "4", PLAIN), cut, bytes);
        assert_int_equal(sti_mesh_file_parse(env, bytes, size, "t.glb", same, &m), STI_ERR_INPUT);
    }
    sti_env_destroy(env);
}

static void parts_of_an_obj_are_told_apart(void** state) {
    (void)state;
    static const char obj[] =
        "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 1 2\ng two\nf 1 4 3\nf 2 3 4\no none\n";
    sti_env* env = io_env(NULL);
    sti_mesh_data m;
    assert_int_equal(sti_mesh_file_parse(env, obj, strlen(obj), "t.obj", same, &m), STI_OK);
    assert_true(m.group_count == 3 && m.group[0] == 0 && m.group[1] == 2 && m.group[2] == 4 && m.dropped == 1);
    sti_mesh_data_clear(env, &m);
    sti_env_destroy(env);
}

static void running_out_of_memory_in_collada_and_gltf_is_survived(void** state) {
    (void)state;
    char bytes[4000];
    const size_t size = glb(GLTF("{\"byteLength\":60}", "12", "4", PLAIN), 0, bytes);
    static const char dae[] = DAE("1", FACES, SHOWN);
    for (int which = 0; which < 2; which++) {
        for (long k = 0;; k++) {
            failing_env f;
            sti_mesh_data m;
            failing_env_open(&f, k);
            const sti_status status = which == 0 ? sti_mesh_file_parse(f.env, dae, strlen(dae), "t.dae", same, &m)
                                                 : sti_mesh_file_parse(f.env, bytes, size, "t.glb", same, &m);
            if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
            if (status == STI_OK) sti_mesh_data_clear(f.env, &m);
            if (failing_env_close(&f)) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collada_gives_the_same_by_triangles_lists_and_polygons),
        cmocka_unit_test(gltf_gives_the_same_with_z_up),
        cmocka_unit_test(broken_collada_and_gltf_are_refused_in_one_line),
        cmocka_unit_test(parts_of_an_obj_are_told_apart),
        cmocka_unit_test(running_out_of_memory_in_collada_and_gltf_is_survived),
        cmocka_unit_test(a_tetrahedron_is_the_same_in_every_format),
        cmocka_unit_test(a_mirror_keeps_triangles_looking_outward),
        cmocka_unit_test(open_meshes_and_triangles_without_area_are_noticed),
        cmocka_unit_test(mistakes_name_file_and_line),
        cmocka_unit_test(programs_write_stl_and_obj_in_many_ways),
        cmocka_unit_test(collada_moves_points_by_skew_and_lookat),
        cmocka_unit_test(gltf_without_scenes_with_sparse_and_quantized_positions),
        cmocka_unit_test(binary_files_that_end_early_or_hold_no_numbers_are_refused),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
