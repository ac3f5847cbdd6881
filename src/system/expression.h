// expression.h: formulas as text, onto a tape.
#ifndef STI_SYSTEM_EXPRESSION_H
#define STI_SYSTEM_EXPRESSION_H

#include "system/tape.h"

typedef struct sti_symbol {
    const char* name;  // borrowed
    int entry;         // what it stands for
    int rate;          // what it stands for with ' behind it; -1: not asked for yet
    bool coordinate;
    bool parameter;
} sti_symbol;

// The names a formula may use, beside pi, t and the functions.
typedef struct sti_scope {
    sti_tape* tape;
    int count, capacity;
    sti_symbol* symbol;  // (capacity)
} sti_scope;

void sti_scope_clear(sti_scope* scope);

// field: how messages name the place the name stands at. The name is borrowed. STI_ERR_INPUT: no name, or taken.
sti_status sti_scope_parameter(sti_scope* scope, const char* field, const char* name, int k);
sti_status sti_scope_coordinate(sti_scope* scope, const char* field, const char* name, int k);
sti_status sti_scope_definition(sti_scope* scope, const char* field, const char* name, const char* formula);

// A formula as an entry of the tape. STI_ERR_INPUT: "field: column 7: what is wrong there".
sti_status sti_expression_compile(sti_scope* scope, const char* field, const char* formula, int* entry);

#endif
