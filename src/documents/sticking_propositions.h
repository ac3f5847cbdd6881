// sticking_propositions.h: the table of propositions of an answer about sticking, as JSON and back.
#ifndef STI_DOCUMENTS_STICKING_PROPOSITIONS_H
#define STI_DOCUMENTS_STICKING_PROPOSITIONS_H

#include <stiction/sticking.h>

#include "formats/json_fields.h"
#include "formats/json_write.h"

void sti_propositions_write(sti_json* j, const sti_sticking_answer* answer);
// list NULL: none. What was read so far is the answer's also after a failure.
sti_status sti_propositions_read(sti_env* env, const sti_json_tree* tree, const sti_place* up,
                                 const sti_json_value* object, sti_sticking_answer* answer);
void sti_propositions_clear(sti_env* env, sti_sticking_answer* answer);

#endif
