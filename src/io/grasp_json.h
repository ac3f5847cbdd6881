// grasp_json.h: grasps by points and normals from JSON.
#ifndef STI_IO_GRASP_JSON_H
#define STI_IO_GRASP_JSON_H

#include <stiction/io.h>

#include "io/json_tree.h"

sti_status sti_grasp_read_json(sti_json_tree* tree, sti_problem** out);

#endif
