// formulas.h: formulas of named variables on an exact tape, for enclosures.
//
// The language is that of systems (system/expression.h). Here 0.1 stands for a tenth and pi for the number; there is no
// time and there are no velocities.
#ifndef STI_INTERVAL_FORMULAS_H
#define STI_INTERVAL_FORMULAS_H

#include "system/expression.h"

typedef struct sti_formulas {
    sti_tape tape;
    sti_scope scope;
} sti_formulas;

// Names are borrowed. field: how messages name the list of variables.
sti_status sti_formulas_open(sti_formulas* f, sti_env* env, const char* field, const char* const* variables, int count);
void sti_formulas_close(sti_formulas* f);  // accepts a zero struct

sti_status sti_formulas_define(sti_formulas* f, const char* field, const char* name, const char* formula);
// A second name for a variable or a definition.
sti_status sti_formulas_alias(sti_formulas* f, const char* name, const char* same_as);
sti_status sti_formulas_add(sti_formulas* f, const char* field, const char* formula, int* entry);

#endif
