// table.c: a table of propositions, written row by row.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sticking/sticking.h"

#define STI_X(code, text) text,
static const char* const holds_names[] = {STI_HOLDS_LIST(STI_X)};
#undef STI_X

const char* sti_holds_text(sti_holds verdict) {
    return holds_names[verdict];
}

const sti_proposition* sti_proposition_find(const sti_proposition* table, int count, const char* id) {
    for (int i = 0; i < count; i++)
        if (strcmp(table[i].id, id) == 0) return &table[i];
    return NULL;
}

const sti_named* sti_proposition_number(const sti_proposition* p, const char* name) {
    for (int i = 0; p != NULL && i < p->number_count; i++)
        if (strcmp(p->numbers[i].name, name) == 0) return &p->numbers[i];
    return NULL;
}

sti_status sti_propositions_open(sti_propositions_table* t, sti_arena* pool, int capacity) {
    *t = (sti_propositions_table){.pool = pool, .capacity = capacity};
    t->list = sti_arena_take(pool, (size_t)capacity, sizeof *t->list);
    return pool->status;
}

enum { NUMBERS_MOST = 24 };

sti_proposition* sti_propositions_begin(sti_propositions_table* t, const char* id, const char* title) {
    STI_ASSERT(t->count < t->capacity);
    sti_named* numbers = sti_arena_take(t->pool, NUMBERS_MOST, sizeof *numbers);
    if (numbers == NULL) return NULL;
    sti_proposition* p = &t->list[t->count++];
    *p = (sti_proposition){.id = id, .title = title, .numbers = numbers};
    t->numbers = numbers;
    t->room = NUMBERS_MOST;
    return p;
}

void sti_propositions_verdict(sti_propositions_table* t, sti_holds verdict, const char* format, ...) {
    if (t->count == 0) return;
    sti_proposition* p = &t->list[t->count - 1];
    p->verdict = verdict;
    va_list list;
    va_start(list, format);
    vsnprintf(p->reason, sizeof p->reason, format, list);
    va_end(list);
}

// Numbers that say yes or no.
static bool is_truth(const char* name) {
    static const char* const names[] = {"Mb_invertible",
                                        "stacked_consistency",
                                        "solvable_for_given_F",
                                        "separately_unique",
                                        "qdd_unique",
                                        "all_sticking",
                                        "Q_nonsingular",
                                        "sticks_polygon",
                                        "sticks_disc",
                                        "attained",
                                        "A_c_positive_definite",
                                        "E_trivial",
                                        "imH_cap_N_trivial",
                                        "rates_in_image",
                                        "solvable",
                                        "feasible",
                                        "literal_reading_feasible"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (strcmp(names[k], name) == 0) return true;
    }
    return false;
}

static void add(sti_propositions_table* t, const char* name, sti_named_form form, int rows, int cols,
                const double* value) {
    if (t->pool->status != STI_OK || t->count == 0) return;
    sti_proposition* p = &t->list[t->count - 1];
    STI_ASSERT(p->number_count < t->room);
    double* copy = sti_arena_copy(t->pool, value, (size_t)rows * (size_t)cols);
    if (copy == NULL) return;
    t->numbers[p->number_count++] = (sti_named){.name = name, .form = form, .rows = rows, .cols = cols, .value = copy};
}

void sti_propositions_number(sti_propositions_table* t, const char* name, double value) {
    add(t, name, is_truth(name) ? STI_NAMED_TRUTH : STI_NAMED_NUMBER, 1, 1, &value);
}

void sti_propositions_vector(sti_propositions_table* t, const char* name, int count, const double* value) {
    add(t, name, strcmp(name, "modes") == 0 ? STI_NAMED_MODES : STI_NAMED_VECTOR, 1, count, value);
}

void sti_propositions_matrix(sti_propositions_table* t, const char* name, int rows, int cols, const double* value) {
    add(t, name, STI_NAMED_MATRIX, rows, cols, value);
}
