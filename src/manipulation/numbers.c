// numbers.c: the numbers of a scene: formulas of the parameters, and of t where something moves, on one tape.
#include "manipulation/manipulation.h"

sti_status sti_numbers_open(sti_numbers* k, sti_env* env, const sti_manipulation_text* text,
                            const char* const* coordinates, int n) {
    sti_status status = STI_OK;
    *k = (sti_numbers){.env = env};
    sti_tape_init(&k->tape, env, text->parameter_count, n);
    k->scope.tape = &k->tape;
    for (int i = 0; status == STI_OK && i < text->parameter_count; i++)
        status = sti_scope_parameter(&k->scope, "parameters", text->parameter_names[i], i);
    for (int i = 0; status == STI_OK && i < n; i++)
        status = sti_scope_coordinate(&k->scope, "pressure", coordinates[i], i);
    for (int i = 0; status == STI_OK && i < text->definition_count; i++)
        status =
            sti_scope_definition(&k->scope, "definitions", text->definitions[i].name, text->definitions[i].formula);
    return status;
}

void sti_numbers_close(sti_numbers* k) {
    if (k->env == NULL) return;
    sti_program_clear(k->env, &k->program);
    sti_jets_clear(&k->jets);
    sti_scope_clear(&k->scope);
    sti_tape_clear(&k->tape);
    sti_free(k->env, k->entry);
    sti_free(k->env, k->inputs);
    *k = (sti_numbers){0};
}

// Does it depend on time, or on a velocity?
static sti_status check_inputs(const sti_numbers* k, const char* field, int entry, bool moving) {
    sti_env* env = k->env;
    unsigned char* used = sti_alloc_array(env, (size_t)entry + 1, 1);
    if (used == NULL) return STI_ERR_MEMORY;
    sti_tape_reach(&k->tape, entry, used);
    bool time = false, rate = false;
    for (int i = 0; i <= entry; i++) {
        const sti_node* x = &k->tape.node[i];
        if (!used[i] || x->op != STI_OP_INPUT) continue;
        if (x->a == sti_tape_time(&k->tape))
            time = true;
        else if (x->a >= sti_tape_first_v(&k->tape))
            rate = true;
    }
    sti_free(env, used);
    if (rate) return STI_FAIL(env, STI_ERR_INPUT, -1, "%s: a velocity in it, and there is none here", field);
    if (time && !moving)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "%s: depends on t; only a \"path\" may move with time", field);
    return STI_OK;
}

sti_status sti_numbers_add(sti_numbers* k, const char* field, const char* text, const char* missing, bool moving,
                           int* number) {
    if (k->count == k->capacity) {
        const int capacity = k->capacity > 0 ? 2 * k->capacity : 64;
        int* entry = sti_realloc_array(k->env, k->entry, (size_t)capacity, sizeof *entry);
        if (entry == NULL) return STI_ERR_MEMORY;
        k->entry = entry;
        k->capacity = capacity;
    }
    int entry;
    sti_status status = sti_expression_compile(&k->scope, field, text != NULL ? text : missing, &entry);
    if (status == STI_OK) status = check_inputs(k, field, entry, moving);
    if (status != STI_OK) return status;
    *number = k->count;
    k->entry[k->count++] = entry;
    return STI_OK;
}

sti_status sti_numbers_seal(sti_numbers* k) {
    const size_t inputs = (size_t)k->tape.parameter_count + 2 * (size_t)k->tape.n + 1;
    k->inputs = sti_alloc_array_zero(k->env, inputs, sizeof *k->inputs);
    if (k->inputs == NULL) return STI_ERR_MEMORY;
    sti_status status = sti_jets_init(&k->jets, k->env, &k->tape);
    if (status == STI_OK) status = sti_program_init(&k->program, k->env, &k->tape);
    if (status != STI_OK) return status;
    for (int i = 0; i < k->count; i++) sti_program_want(&k->program, k->entry[i], 1);
    sti_program_finish(&k->program, &k->tape);
    return STI_OK;
}

void sti_numbers_at(sti_numbers* k, const double* parameters, const double* coordinates, double t) {
    const int p = k->tape.parameter_count, n = k->tape.n;
    for (int i = 0; i < p; i++) k->inputs[i] = parameters[i];
    for (int i = 0; i < n; i++) k->inputs[p + i] = coordinates[i];
    k->inputs[p + 2 * n] = t;
    sti_jets_evaluate(&k->jets, &k->program, k->inputs);
}

double sti_numbers_value(const sti_numbers* k, int number) {
    return k->jets.x[k->entry[number]];
}

double sti_numbers_rate(const sti_numbers* k, int number) {
    return sti_jets_gradient(&k->jets, k->entry[number], 2 * k->tape.n);
}

// A whole exponent that is written as a number; -1: it is none.
static int exponent_of(const sti_node* x) {
    const bool whole = x->op == STI_OP_CONSTANT && x->value >= 0 && x->value <= 100 && x->value == (int)x->value;
    return whole ? (int)x->value : -1;
}

sti_status sti_numbers_degree(const sti_numbers* k, int number, int* degree) {
    const int entry = k->entry[number];
    int* d = sti_alloc_array(k->env, (size_t)entry + 1, sizeof *d);
    if (d == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i <= entry; i++) {
        const sti_node* x = &k->tape.node[i];
        const int a = sti_op_arguments(x->op) > 0 ? d[x->a] : 0, b = sti_op_arguments(x->op) > 1 ? d[x->b] : 0;
        const int first = sti_tape_first_q(&k->tape);
        d[i] = -1;
        if (x->op == STI_OP_CONSTANT)
            d[i] = 0;
        else if (x->op == STI_OP_INPUT)
            d[i] = x->a >= first && x->a < first + k->tape.n ? 1 : 0;
        else if (a < 0 || b < 0)
            d[i] = -1;
        else if (x->op == STI_OP_ADD || x->op == STI_OP_SUBTRACT)
            d[i] = a > b ? a : b;
        else if (x->op == STI_OP_MULTIPLY)
            d[i] = a + b;
        else if (x->op == STI_OP_NEGATE || (x->op == STI_OP_DIVIDE && b == 0))
            d[i] = a;
        else if (a == 0 && b == 0)
            d[i] = 0;
        else if (x->op == STI_OP_POW && exponent_of(&k->tape.node[x->b]) >= 0)
            d[i] = a * exponent_of(&k->tape.node[x->b]);
        if (d[i] > 1000) d[i] = -1;
    }
    *degree = d[entry];
    sti_free(k->env, d);
    return STI_OK;
}
