// text.c: the formulas of a system kept as they were given, for who checks its answers.
#include <string.h>

#include "base/arena.h"
#include "system/system.h"

static const char* copy_text(sti_arena* a, const char* text) {
    if (text == NULL) return NULL;
    char* copy = sti_arena_take(a, strlen(text) + 1, 1);
    if (copy != NULL) memcpy(copy, text, strlen(text) + 1);
    return copy;
}

static const char* const* copy_list(sti_arena* a, const char* const* list, int count) {
    if (list == NULL) return NULL;
    const char** copy = sti_arena_take(a, (size_t)count, sizeof *copy);
    for (int i = 0; copy != NULL && i < count; i++) copy[i] = copy_text(a, list[i]);
    return copy;
}

static const sti_system_contact_text* copy_contacts(sti_arena* a, const sti_system_contact_text* list, int count) {
    sti_system_contact_text* copy = sti_arena_take(a, (size_t)count, sizeof *copy);
    for (int i = 0; copy != NULL && i < count; i++) {
        copy[i] = (sti_system_contact_text){.name = copy_text(a, list[i].name),
                                            .gap = copy_text(a, list[i].gap),
                                            .slip_count = list[i].slip_count,
                                            .slip = copy_list(a, list[i].slip, list[i].slip_count),
                                            .mu = copy_text(a, list[i].mu),
                                            .mu_kinetic = copy_text(a, list[i].mu_kinetic),
                                            .restitution = copy_text(a, list[i].restitution),
                                            .restitution_t = copy_text(a, list[i].restitution_t)};
    }
    return copy;
}

sti_status sti_system_keep_text(sti_system* s, const sti_system_text* text) {
    sti_arena* a = &s->room;
    *a = sti_arena_make(s->env);
    sti_system_named* definitions = sti_arena_take(a, (size_t)text->definition_count, sizeof *definitions);
    for (int i = 0; definitions != NULL && i < text->definition_count; i++) {
        definitions[i].name = copy_text(a, text->definitions[i].name);
        definitions[i].formula = copy_text(a, text->definitions[i].formula);
    }
    s->text = (sti_system_text){.parameter_count = text->parameter_count,
                                .parameter_names = copy_list(a, text->parameter_names, text->parameter_count),
                                .parameters = s->parameters,
                                .definition_count = text->definition_count,
                                .definitions = definitions,
                                .coordinate_count = text->coordinate_count,
                                .coordinates = copy_list(a, text->coordinates, text->coordinate_count),
                                .kinetic = copy_text(a, text->kinetic),
                                .potential = copy_text(a, text->potential),
                                .forces = copy_list(a, text->forces, text->coordinate_count),
                                .contact_count = text->contact_count,
                                .contacts = copy_contacts(a, text->contacts, text->contact_count),
                                .joint_count = text->joint_count,
                                .joints = copy_contacts(a, text->joints, text->joint_count),
                                .time = copy_text(a, text->time),
                                .q = copy_list(a, text->q, text->coordinate_count),
                                .v = copy_list(a, text->v, text->coordinate_count)};
    return a->status;
}

const sti_system_text* sti_system_text_of(const sti_system* s) {
    return s->text.coordinate_count > 0 ? &s->text : NULL;
}
