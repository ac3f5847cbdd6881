// formulas.c: formulas of named variables on an exact tape.
#include "interval/formulas.h"

#include <string.h>

sti_status sti_formulas_open(sti_formulas* f, sti_env* env, const char* field, const char* const* variables,
                             int count) {
    sti_status status = STI_OK;
    *f = (sti_formulas){0};
    sti_tape_init(&f->tape, env, 0, count);
    f->tape.exact = true;
    f->scope.tape = &f->tape;
    for (int k = 0; status == STI_OK && k < count; k++)
        status = sti_scope_coordinate(&f->scope, field, variables[k], k);
    if (status != STI_OK) sti_formulas_close(f);
    return status;
}

void sti_formulas_close(sti_formulas* f) {
    if (f->tape.env == NULL) return;
    sti_scope_clear(&f->scope);
    sti_tape_clear(&f->tape);
}

// Time and velocities are words of the language, but mean nothing here.
static sti_status check_inputs(const sti_formulas* f, const char* field, int entry) {
    sti_env* env = f->tape.env;
    unsigned char* used = sti_alloc_array(env, (size_t)entry + 1, 1);
    if (used == NULL) return STI_ERR_MEMORY;
    sti_tape_reach(&f->tape, entry, used);
    sti_status status = STI_OK;
    for (int i = 0; status == STI_OK && i <= entry; i++) {
        const sti_node* x = &f->tape.node[i];
        if (!used[i] || x->op != STI_OP_INPUT || x->a < f->tape.n) continue;
        status =
            x->a == sti_tape_time(&f->tape)
                ? STI_FAIL(env, STI_ERR_INPUT, -1, "%s: t: no such name; t is time elsewhere, and none here", field)
                : STI_FAIL(env, STI_ERR_INPUT, -1, "%s: %s': a variable has no velocity here", field,
                           f->scope.symbol[x->a - f->tape.n].name);
    }
    sti_free(env, used);
    return status;
}

sti_status sti_formulas_add(sti_formulas* f, const char* field, const char* formula, int* entry) {
    const sti_status status = sti_expression_compile(&f->scope, field, formula, entry);
    return status == STI_OK ? check_inputs(f, field, *entry) : status;
}

sti_status sti_formulas_define(sti_formulas* f, const char* field, const char* name, const char* formula) {
    const sti_status status = sti_scope_definition(&f->scope, field, name, formula);
    return status == STI_OK ? check_inputs(f, field, f->scope.symbol[f->scope.count - 1].entry) : status;
}

sti_status sti_formulas_alias(sti_formulas* f, const char* name, const char* same_as) {
    return sti_scope_definition(&f->scope, name, name, same_as);
}
