// energetic.c: impacts by the energetic coefficient (stronge, lzb): the laws of <stiction/impact.h> at the contacts
// that take part.
//
// Each contact gives back e^2 of the work that compression took; none gains energy, so nothing is drawn back. For one
// contact it is Stronge's law. For several at once both are the law of Liu, Zhao and Brogliato, whose springs side by
// side say who gets what: `stronge` with springs alike, `lzb` with those of the options. Friction is Coulomb's at every
// instant of the impact, round in space, and joints are frictionless; there is no second phase, so v_c is not told.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "step/step.h"

bool sti_step_is_energetic(sti_impact_law law) {
    return law == STI_IMPACT_STRONGE || law == STI_IMPACT_LZB;
}

sti_status sti_step_springs_check(sti_env* env, int count, const double* stiffness, double exponent) {
    if (!(exponent >= 1) || !isfinite(exponent))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "exponent %g: 1 (linear springs) or more", exponent);
    for (int i = 0; i < count && stiffness != NULL; i++) {
        if (!(stiffness[i] > 0) || !isfinite(stiffness[i]))
            return STI_FAIL(env, STI_ERR_ARGUMENT, i, "stiffness[%d] %g: a positive number", i, stiffness[i]);
    }
    return STI_OK;
}

typedef struct chosen {
    sti_instant instant;
    sti_instant_contact* contact;  // those that take part              (instant.contact_count)
    int *of, *row;                 // of them: contact of the whole, its first slip
    double* stiffness;             // of them that are no joints; NULL: alike
} chosen;

static void release(sti_env* env, chosen* k) {
    sti_free(env, k->contact);
    sti_free(env, k->of);
    sti_free(env, k->stiffness);
}

static sti_status reserve(sti_env* env, const sti_instant* in, bool springs, chosen* k) {
    const size_t p = (size_t)in->contact_count;
    k->contact = sti_alloc_array(env, p, sizeof *k->contact);
    k->of = sti_alloc_array(env, 2 * p, sizeof *k->of);
    k->stiffness = springs ? sti_alloc_array(env, p, sizeof *k->stiffness) : NULL;
    if (k->contact == NULL || k->of == NULL || (springs && k->stiffness == NULL)) return STI_ERR_MEMORY;
    k->row = k->of + p;
    return STI_OK;
}

static double restitution(const sti_instant* in, const sti_collision_options* options, int i) {
    const double* E = options->E != NULL ? options->E : in->restitution;
    const double e = E != NULL ? E[sti_at(in->contact_count, i, i)] : in->contacts[i].restitution;
    return options->restitution_scale * e;
}

static void choose(const sti_instant* in, const bool* active, const double* v, const sti_collision_options* options,
                   chosen* k) {
    k->instant = (sti_instant){.n = in->n, .time = in->time, .M = in->M, .F = in->F, .v = v, .contacts = k->contact};
    int rows = 0, springs = 0;
    for (int i = 0; i < in->contact_count; i++) {
        const sti_instant_contact* c = &in->contacts[i];
        const int at = rows;
        rows += c->tangent_count;
        if (!active[i]) continue;
        const int j = k->instant.contact_count++;
        k->contact[j] = *c;
        k->contact[j].gap = 0;
        k->contact[j].restitution = restitution(in, options, i);
        k->instant.tangent_total += c->tangent_count;
        k->of[j] = i;
        k->row[j] = at;
        if (k->stiffness != NULL && !c->bilateral) k->stiffness[springs++] = options->stiffness[i];
    }
}

static void take(const sti_impact* made, const sti_impact_solution* x, const chosen* k, sti_collision* out) {
    memcpy(out->v, x->v, (size_t)out->n * sizeof *out->v);
    for (int i = 0; i < made->p; i++) {
        const int j = made->contact[i];
        out->p_n[k->of[j]] = x->p_n[i];
        for (int l = made->slip[i]; l < made->slip[i + 1]; l++) out->p_t[k->row[j] + l - made->slip[i]] = x->p_t[l];
    }
    for (int i = 0; i < made->m; i++) out->p_n[k->of[made->joint[i]]] = x->p_joint[i];
    out->residual = x->momentum;
    out->outcome = STI_SOLVED;
}

sti_status sti_step_energetic(sti_env* env, const sti_instant* in, const bool* active, const double* v,
                              const sti_collision_options* options, sti_collision* out) {
    chosen k = {0};
    sti_impact* made = NULL;
    sti_status status = reserve(env, in, options->law == STI_IMPACT_LZB && options->stiffness != NULL, &k);
    if (status == STI_OK) {
        choose(in, active, v, options, &k);
        sti_impact_options o = sti_impact_options_default();
        o.one_law = true;
        o.law = STI_IMPACT_LZB;
        o.stiffness = k.stiffness;
        if (options->law == STI_IMPACT_LZB) o.exponent = options->exponent;
        int open = 0;
        for (int j = 0; j < k.instant.contact_count; j++) open += !k.contact[j].bilateral;
        if (open == 1) o.law = STI_IMPACT_STRONGE;
        status = sti_impact_create(env, &k.instant, &o, &made);
        if (status == STI_OK && made->laws[o.law].count > 0)
            take(made, made->laws[o.law].solutions, &k, out);
        else if (status == STI_OK)
            snprintf(out->why, sizeof out->why, "%s: %s", sti_impact_law_text(options->law), made->laws[o.law].why);
    }
    sti_impact_destroy(env, made);
    release(env, &k);
    return status;
}
