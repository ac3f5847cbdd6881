// system_json.h: systems by formulas from JSON.
#ifndef STI_IO_SYSTEM_JSON_H
#define STI_IO_SYSTEM_JSON_H

#include <stiction/io.h>

#include "io/json_tree.h"

sti_status sti_system_read_json(sti_json_tree* tree, sti_problem** out);

#endif
