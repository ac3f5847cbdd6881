// mesh_file.h: triangles from files: STL (binary and text), OBJ, COLLADA and glTF (text and binary).
#ifndef STI_FORMATS_MESH_FILE_H
#define STI_FORMATS_MESH_FILE_H

#include "base/env.h"

// More is refused while it is read: a file may show one geometry ten thousand times.
enum { STI_MESH_MOST_TRIANGLES = 1 << 22, STI_MESH_MOST_VERTICES = 3 * STI_MESH_MOST_TRIANGLES };

#define STI_MESH_RGB(r, g, b) (1 << 24 | (r) << 16 | (g) << 8 | (b))  // each 0 to 255

typedef struct sti_mesh_data {
    const char* name;  // of the file, for messages
    int vertex_count, vertex_capacity;
    double* vertices;  // (vertex_count x 3)
    int triangle_count, triangle_capacity;
    int* triangles;  // counterclockwise from outside      (triangle_count x 3)
    int* color;      // of each triangle, STI_MESH_RGB; 0: the file gives none (triangle_count)
    int paint;       // while it is read: of the triangles that follow
    int group_count, group_capacity;
    int* group;     // first triangle of each part that the file tells apart (group_count); OBJ: o and g
    int dropped;    // triangles without an area, left out
    bool y_up;      // the file says that its y is up; it was not turned (COLLADA)
    bool closed;    // every edge has one triangle on either side
    double volume;  // signed: negative when the triangles of a closed mesh look inward
} sti_mesh_data;

bool sti_mesh_file_known(const char* path);  // by its suffix: .stl, .obj, .dae, .gltf, .glb, large or small letters

// Vertices at the same place are one; scale (3) multiplies them, and a mirroring one turns the triangles around.
sti_status sti_mesh_file_read(sti_env* env, const char* path, const double scale[3], sti_mesh_data* out);
// From memory; text has a 0 after its size bytes. name stands for the file in messages and says the format.
sti_status sti_mesh_file_parse(sti_env* env, const char* text, size_t size, const char* name, const double scale[3],
                               sti_mesh_data* out);
void sti_mesh_data_clear(sti_env* env, sti_mesh_data* mesh);
// y up becomes z up. scale: what its vertices were multiplied by when it was read.
void sti_mesh_turn_up(sti_mesh_data* mesh, const double scale[3]);

// ---- the formats: triangles as the file has them

sti_status sti_mesh_read_stl(sti_env* env, const char* text, size_t size, const char* name, sti_mesh_data* out);
sti_status sti_mesh_read_obj(sti_env* env, const char* text, size_t size, const char* name, sti_mesh_data* out);
sti_status sti_mesh_read_dae(sti_env* env, const char* text, size_t size, const char* name, sti_mesh_data* out);
sti_status sti_mesh_read_gltf(sti_env* env, const char* text, size_t size, const char* name, sti_mesh_data* out);
int sti_mesh_rgb(double r, double g, double b);                    // each 0 to 1, what is beyond is cut
sti_status sti_mesh_add_group(sti_env* env, sti_mesh_data* mesh);  // what follows is another part
// Places of nodes, 3 x 4, row major: out = outer inner; a point.
void sti_mesh_compose(const double outer[12], const double inner[12], double out[12]);
void sti_mesh_place(const double place[12], const double x[3], double out[3]);
void sti_mesh_face(sti_mesh_data* mesh, int from, const double place[12]);  // a mirroring place turned triangles inward
sti_status sti_mesh_add_vertex(sti_env* env, sti_mesh_data* mesh, const double x[3]);
sti_status sti_mesh_add_triangle(sti_env* env, sti_mesh_data* mesh, int a, int b, int c);

// A walk over the words of a text, which knows its line.
typedef struct sti_words {
    const char* at;
    int line;
} sti_words;

// Length of the next word of this line (0: the line has no more), which begins at words->at then.
size_t sti_words_next(sti_words* words);
bool sti_words_line(sti_words* words);  // on to the next line; false: there is none
// The next `count` words of the line as finite numbers.
bool sti_words_numbers(sti_words* words, int count, double* out);

#endif
