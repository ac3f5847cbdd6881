// mesh_parts.h: a concave mesh as convex parts.
#ifndef STI_FORMATS_MESH_PARTS_H
#define STI_FORMATS_MESH_PARTS_H

#include <stiction/shapes.h>

#include "formats/mesh_file.h"

typedef struct sti_mesh_hulls {
    int count;            // at most 64
    sti_shape* hull[64];  // the caller's
    double error;         // how far below the faces of its hull any point of the surface lies, as far as it was looked
    double volume;        // of all hulls
} sti_mesh_hulls;

// Cuts until the error is at most `bound`, or there are 64 parts, or no cut helps. count 0: the mesh is flat.
sti_status sti_mesh_parts(sti_env* env, const sti_mesh_data* mesh, double bound, sti_mesh_hulls* out);

#endif
