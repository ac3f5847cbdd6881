// instant_json.h: instants by numbers from JSON.
#ifndef STI_IO_INSTANT_JSON_H
#define STI_IO_INSTANT_JSON_H

#include <stiction/io.h>

#include "io/json_tree.h"

sti_status sti_instant_read_json(sti_json_tree* tree, sti_problem** out);

#endif
