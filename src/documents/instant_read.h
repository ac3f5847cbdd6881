// instant_read.h: what files of instants and of grasps have in common.
#ifndef STI_DOCUMENTS_INSTANT_READ_H
#define STI_DOCUMENTS_INSTANT_READ_H

#include "formats/json_tree.h"
#include "system/instant.h"

// The name of contact i, name n + i of the store: "contact 1", ... where none is given. Names tell contacts apart in
// answers, so each is there once.
sti_status sti_instant_read_name(const sti_json_tree* tree, sti_instant_store* store, int n, const sti_place* up,
                                 const sti_json_value* contact, int i);

#endif
