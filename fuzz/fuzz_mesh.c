// fuzz_mesh.c: any bytes as a mesh; the first one says in which format.
#include "base/env.h"
#include "formats/mesh_file.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const double scale[3] = {1, 2, -1};
    static const char* const names[] = {"fuzz.obj", "fuzz.stl", "fuzz.dae", "fuzz.gltf", "fuzz.glb"};
    sti_env* env = fuzz_env();
    sti_mesh_data mesh;
    if (size == 0) return 0;
    char* text = malloc(size);  // a 0 in the place of the first byte, behind the others
    if (text == NULL) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    const sti_status status = sti_mesh_file_parse(env, text, size - 1, names[data[0] % 5], scale, &mesh);
    if (status != STI_OK) fuzz_check_error(env, status);
    for (int k = 0; k < 3 * mesh.triangle_count; k++) {
        if (mesh.triangles[k] < 0 || mesh.triangles[k] >= mesh.vertex_count) abort();
    }
    volatile double sink = fuzz_sum(mesh.vertices, 3 * (size_t)mesh.vertex_count);
    (void)sink;
    sti_mesh_data_clear(env, &mesh);
    free(text);
    return 0;
}
