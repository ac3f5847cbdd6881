// mesh.h: triangle meshes, made and searched.
#ifndef STI_SHAPES_MESH_H
#define STI_SHAPES_MESH_H

#include "shapes/shape.h"

sti_status sti_shape_mesh_fill(sti_shape* shape, int vertex_count, const double* vertices, int triangle_count,
                               const int* triangles);
void sti_shape_mesh_clear(sti_shape* shape);  // accepts shapes that are no mesh

#endif
