// problem.c: the last step of a run as a problem that any solver takes, and as a file.
#include <stiction/io.h>

#include "run/simulation.h"

sti_status sti_run_problem_make(sti_env* env, const sti_run* run, sti_run_problem* out) {
    const sti_simulation* s = sti_run_simulation(run);
    *out = (sti_run_problem){0};
    if (s->type->problem == NULL)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "steps of kind %s pose no problem", s->type->kind);
    return s->type->problem(s->self, env, out);
}

void sti_run_problem_clear(sti_env* env, sti_run_problem* problem) {
    if (problem->drop != NULL) problem->drop(env, problem->memory);
    *problem = (sti_run_problem){0};
}

sti_status sti_run_problem_save(sti_env* env, const sti_run_problem* p, const char* title, const char* description,
                                const char* path) {
    const sti_contact_answer* a = p->contact_answer;
    if (p->mlcp != NULL) return sti_mlcp_save(env, p->mlcp, path);
    const bool claimed = a != NULL && a->outcome == STI_SOLVED, guessed = a != NULL && !claimed;
    const sti_contact_guess guess =
        guessed ? (sti_contact_guess){.r = a->r, .u = a->u, .v = a->v, .lambda = a->lambda} : (sti_contact_guess){0};
    const sti_contact_info info = {
        .title = title, .description = description, .guess_count = guessed ? 1 : 0, .guesses = guessed ? &guess : NULL};
    const sti_status status = sti_contact_save(env, p->contact, &info, path);
    return status == STI_OK && claimed ? sti_contact_answer_save(env, p->contact, a, path) : status;
}
