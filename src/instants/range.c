// range.c: the first number of an instant that is too large to be multiplied.
#include "instants/range.h"

#include <math.h>
#include <stdio.h>

#include "base/env.h"

#define MOST 1e100

static sti_status check(sti_env* env, const char* field, const double* x, size_t count) {
    for (size_t k = 0; x != NULL && k < count; k++) {
        if (fabs(x[k]) > MOST)
            return STI_FAIL(env, STI_ERR_INPUT, (int64_t)k, "%s, entry %zu: %g: too large to compute with, at most %g",
                            field, k, x[k], MOST);
    }
    return STI_OK;
}

static sti_status check_contact(sti_env* env, const sti_instant* a, int i) {
    const sti_instant_contact* c = &a->contacts[i];
    const size_t n = (size_t)a->n, tangents = (size_t)c->tangent_count;
    const struct {
        const char* name;
        const double* x;
        size_t count;
    } field[] = {{"n", c->n, n},
                 {"t", c->t, n * tangents},
                 {"n_rate", &c->n_rate, 1},
                 {"t_rate", c->t_rate, tangents},
                 {"n_offset", &c->n_offset, 1},
                 {"t_offset", c->t_offset, tangents},
                 {"mu", &c->mu, 1},
                 {"mu_kinetic", &c->mu_kinetic, 1},
                 {"restitution", &c->restitution, 1},
                 {"restitution_t", &c->restitution_t, 1}};
    sti_status status = STI_OK;
    for (size_t k = 0; status == STI_OK && k < sizeof field / sizeof field[0]; k++) {
        char name[64];
        snprintf(name, sizeof name, "contacts[%d].%s", i, field[k].name);
        status = check(env, name, field[k].x, field[k].count);
    }
    return status;
}

sti_status sti_range_check(sti_env* env, const sti_instant* a) {
    const size_t n = (size_t)a->n, p = (size_t)a->contact_count;
    sti_status status = check(env, "M", a->M, n * n);
    if (status == STI_OK) status = check(env, "F", a->F, n);
    if (status == STI_OK) status = check(env, "v", a->v, n);
    if (status == STI_OK) status = check(env, "restitution", a->restitution, p * p);
    for (int i = 0; status == STI_OK && i < a->contact_count; i++) status = check_contact(env, a, i);
    return status;
}
