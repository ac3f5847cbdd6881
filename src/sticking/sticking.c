// sticking.c: the all-sticking analysis of S0 as one call: pose, equations, decision, family, propositions.
#include "sticking/sticking.h"

#include <math.h>
#include <string.h>

#define STI_X(code, text) text,
static const char* const outcome_names[] = {STI_STICKING_OUTCOME_LIST(STI_X)};
#undef STI_X

const char* sti_sticking_outcome_text(sti_sticking_outcome outcome) {
    return outcome_names[outcome];
}

sti_sticking_options sti_sticking_options_default(void) {
    return (sti_sticking_options){.tol = 1e-9,
                                  .gap_tol = 1e-8,
                                  .exact = true,
                                  .exact_limit = 80,
                                  .leaf_limit = 4096,
                                  .family = true,
                                  .propositions = true};
}

sti_status sti_sticking_rationals(sti_sticking* r, size_t count, sti_rationals** out) {
    struct sti_sticking_memory* m = r->memory;
    *out = NULL;
    if (m->rationals_count == m->rationals_capacity) {
        const int more = m->rationals_capacity == 0 ? 8 : 2 * m->rationals_capacity;
        sti_rationals** list = sti_arena_take(&m->pool, (size_t)more, sizeof *list);
        if (list == NULL) return m->pool.status;
        if (m->rationals_count > 0) memcpy(list, m->rationals, (size_t)m->rationals_count * sizeof *list);
        m->rationals = list;
        m->rationals_capacity = more;
    }
    const sti_status status = sti_rationals_create(m->env, count, out);
    if (status == STI_OK) m->rationals[m->rationals_count++] = *out;
    return status;
}

bool sti_sticking_late(sti_sticking* r) {
    if (!r->cut_short && isfinite(r->memory->deadline)) r->cut_short = sti_now(r->memory->env) > r->memory->deadline;
    return r->cut_short;
}

void sti_sticking_destroy(sti_sticking* sticking) {
    if (sticking == NULL) return;
    struct sti_sticking_memory* m = sticking->memory;
    for (int i = 0; i < m->rationals_count; i++) sti_rationals_destroy(m->rationals[i]);
    sti_env* env = m->env;
    sti_arena_clear(&m->pool);
    sti_free(env, m);
    sti_free(env, sticking);
}

// Largest |n'v + n_offset| of the touching contacts whose state the velocity decides; 0 up to rounding.
static double gap_rate(const sti_posed* s) {
    double most = 0;
    for (int i = 0; i < s->nc; i++) {
        const sti_instant_contact* c = sti_posed_contact(s, i);
        double rate = c->n_offset, reach = fabs(c->n_offset);
        for (int j = 0; j < s->n; j++) {
            rate += c->n[j] * s->instant->v[j];
            reach = fmax(reach, fabs(c->n[j] * s->instant->v[j]));
        }
        if (c->state == STI_INSTANT_BY_VELOCITY && fabs(rate) > 1e-9 * reach) most = fmax(most, fabs(rate));
    }
    return most;
}

static sti_status describe(sti_sticking* r) {
    const sti_posed* s = &r->memory->posed;
    r->answer.facets = s->options.facets;
    r->answer.n = s->n;
    r->answer.contact_count = s->nc;
    r->answer.multiplier_count = s->p;
    r->answer.acceleration_count = s->q;
    r->answer.contact = s->contact;
    r->slides = s->slides;
    r->gap_rate = gap_rate(s);
    r->margin = NAN;
    r->family_dimension = -1;
    r->least_common = r->least_factor = (sti_least_friction){.exists = STI_UNDECIDED, .mu = NAN};
    return STI_OK;
}

sti_status sti_sticking_create(sti_env* env, const sti_instant* instant, const sti_sticking_options* options,
                               sti_sticking** out) {
    *out = NULL;
    const sti_sticking_options standard = sti_sticking_options_default();
    sti_sticking* r = sti_alloc_array_zero(env, 1, sizeof *r);
    struct sti_sticking_memory* m = sti_alloc_array_zero(env, 1, sizeof *m);
    if (r == NULL || m == NULL) {
        sti_free(env, r);
        sti_free(env, m);
        return STI_ERR_MEMORY;
    }
    r->memory = m;
    m->env = env;
    m->pool = sti_arena_make(env);
    if (options == NULL) options = &standard;
    m->deadline = sti_deadline(env, options->time_limit_s);
    sti_status status = sti_posed_make(&m->posed, &m->pool, instant, options);
    if (status == STI_OK) status = describe(r);
    if (status == STI_OK) status = sti_sticking_equations(r, &m->posed);
    if (status == STI_OK) status = sti_sticking_decide(r, &m->posed);
    if (status == STI_OK && m->posed.options.family) status = sti_sticking_family(r);
    if (status == STI_OK && m->posed.options.propositions) status = sti_sticking_opening(r);
    if (status == STI_OK && m->posed.options.propositions) status = sti_sticking_least_friction(r);
    const bool discs = status == STI_OK && sti_instant_polygon(instant, m->posed.options.gap_tol) < 0;
    if (discs && m->posed.options.propositions) status = sti_sticking_propositions(r);  // S0 knows no other sections
    if (status == STI_OK)
        *out = r;
    else
        sti_sticking_destroy(r);
    return status;
}
