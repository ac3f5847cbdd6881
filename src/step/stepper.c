// stepper.c: the driver: a system, a scheme and a state that moves.
//
// One step of the alpha scheme with contacts at the level of velocities:
//
//     1. active set: joints and contacts with gap <= gap_tol; rule `held`: of these the ones that do not open (n'v <= 0),
//        and all that were closed in the last step
//     2. contacts that touch anew and approach hit at once: impact law at (t, q, v)
//     3. trial step with the active set
//     4. an open contact has crossed: go to the first touching on the cubic (locate.c), impact law there; then either on
//        with what is left of the step, or (S3 after 2.1.22) the rest is dropped and time is (l + 1) h all the same
//     5. otherwise the trial becomes the state; positions are projected (project.c)
//
// The rule (2.1.11) alone lets go of a contact whose gap has drifted to the open side, and locates it again as a collision
// later on; and it keeps a contact that has just bounced in the problem, so that a landing within the same step is
// not seen as one. Both are errors of the order of h in the velocity. `held` keeps a closed contact in the problem, where
// the complementarity decides, until it opens there (c_n = 0); and one that opens after an impact is out of it, and lands by
// step 4.
//
// A contact that is held has n'u = 0 but with alpha < 1 its v oscillates (v+ = -v): that is no approach, and step 2 does
// not look at it.
//
// After collision_limit collisions in one step restitution is 0 for the rest of it, and every contact that took part in
// one of them stays closed, or opens by the complementarity of the step: accumulations of ever smaller bounces, or of a block
// that rocks from corner to corner, end there. After as many again the rest of the step is dropped, and the report says how
// much.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "step/step.h"

static const char* const scheme_texts[] = {
#define STI_X(code, text) text,
    STI_SCHEME_LIST(STI_X)
#undef STI_X
};

const char* sti_scheme_text(sti_scheme scheme) {
    const size_t k = (size_t)scheme;
    return k < sizeof scheme_texts / sizeof *scheme_texts ? scheme_texts[k] : "?";
}

bool sti_scheme_parse(const char* name, sti_scheme* out) {
    for (int k = 0; k < STI_SCHEME_COUNT; k++) {
        if (strcmp(name, scheme_texts[k]) != 0) continue;
        *out = (sti_scheme)k;
        return true;
    }
    return false;
}

sti_stepper_options sti_stepper_options_default(sti_scheme scheme) {
    sti_stepper_options o = {.scheme = scheme,
                             .step = 0.01,
                             .alpha = 0.5,
                             .facets = 8,
                             .gap_tol = 1e-12,
                             .stabilize = true,
                             .substep = true,
                             .collision_limit = 16,
                             .law = STI_IMPACT_POISSON,
                             .dissipate = true};
    if (scheme != STI_SCHEME_ALPHA) {
        o.alpha = 1;
        o.level = STI_LEVEL_GAP;
        o.gap_tol = INFINITY;
    }
    return o;
}

static sti_status check(sti_env* env, const sti_system* system, const sti_stepper_options* o) {
    if ((unsigned)o->scheme >= STI_SCHEME_COUNT)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "scheme %d", (int)o->scheme);
    if (!(o->step > 0) || !isfinite(o->step))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "step %g: a positive number is needed", o->step);
    if (!(o->alpha > 0 && o->alpha <= 1))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "alpha %g is not in (0, 1]", o->alpha);
    const bool three = o->scheme == STI_SCHEME_CONVEX && o->facets == 3;
    if (!three && (o->facets < 4 || o->facets % 2 != 0))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "facets %d: an even number, 4 or more%s", o->facets,
                        o->scheme == STI_SCHEME_CONVEX ? ", or 3" : "");
    if (!(o->gap_tol >= 0)) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "gap_tol %g is negative", o->gap_tol);
    if (o->collision_limit < 1)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "collision_limit %d: at least 1", o->collision_limit);
    if (o->law != STI_IMPACT_POISSON && o->law != STI_IMPACT_POISSON_PRINTED && o->law != STI_IMPACT_MOREAU)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "law %s: poisson, poisson_printed and moreau are offered here",
                        sti_impact_law_text(o->law));
    if (sti_system_coordinate_count(system) < 1) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "no coordinates");
    return STI_OK;
}

static sti_status reserve(sti_stepper* s) {
    const size_t n = (size_t)s->n, p = (size_t)s->p, facets = (size_t)s->options.facets;
    double** const vectors[] = {&s->q,      &s->v,      &s->v_alpha, &s->q_trial, &s->v_trial, &s->u_trial,
                                &s->k0,     &s->k1,     &s->c,       &s->other,   &s->q_ahead, &s->v_other,
                                &s->root_q, &s->root_v, &s->dq,      &s->v_minus, &s->v_plus};
    double** const matrices[] = {&s->k_q, &s->k_v, &s->c_v};
    double** const triples[] = {&s->defect, &s->multiplier};
    double** const lists[] = {&s->gap, &s->gap_trial, &s->gap_work, &s->impulse_n, &s->opening};
    double** const pairs[] = {&s->impulse_t, &s->slip};
    const size_t v = sizeof vectors / sizeof *vectors, m = sizeof matrices / sizeof *matrices;
    const size_t l = sizeof lists / sizeof *lists, d = sizeof pairs / sizeof *pairs;
    const size_t size = v * n + m * n * n + (l + 2 * d + 6) * p + p * (facets < 3 ? 3 : facets) * n;
    s->numbers = sti_alloc_array_zero(s->env, size, sizeof *s->numbers);
    s->held = sti_alloc_array_zero(s->env, 4 * p, 1);
    s->active = sti_alloc_array_zero(s->env, p, sizeof *s->active);
    s->tangent_count = sti_alloc_array_zero(s->env, p, sizeof *s->tangent_count);
    if (s->numbers == NULL || s->held == NULL || s->active == NULL || s->tangent_count == NULL)
        return STI_FAIL(s->env, STI_ERR_MEMORY, -1, "stepper of %d coordinates and %d contacts", s->n, s->p);
    s->slides = s->held + p;
    s->mode = s->slides + p;
    s->touched = s->mode + p;
    double* next = s->numbers;
    for (size_t i = 0; i < v; i++, next += n) *vectors[i] = next;
    for (size_t i = 0; i < m; i++, next += n * n) *matrices[i] = next;
    for (size_t i = 0; i < l; i++, next += p) *lists[i] = next;
    for (size_t i = 0; i < d; i++, next += 2 * p) *pairs[i] = next;
    for (size_t i = 0; i < 2; i++, next += 3 * p) *triples[i] = next;
    s->rows = next;
    return STI_OK;
}

static sti_status make_problems(sti_stepper* s) {
    for (int i = 0; i < s->p; i++) {
        const sti_instant_contact* c = &s->instant->contacts[i];
        s->tangent_count[i] = c->tangent_count;
        if (s->options.friction == STI_FRICTION_CONE && c->bilateral && c->tangent_count > 0 && c->mu > 0)
            return STI_FAIL(s->env, STI_ERR_INPUT, i, "joint \"%.60s\" has friction: this needs friction by facets",
                            c->name);
    }
    const int facets = s->options.facets == 3 ? 4 : s->options.facets;
    sti_status status = sti_impulses_init(&s->impact, s->env, s->n, s->p, s->tangent_count, facets);
    if (status != STI_OK) return status;
    if (s->options.scheme != STI_SCHEME_CONVEX)
        return sti_impulses_init(&s->impulses, s->env, s->n, s->p, s->tangent_count, facets);
    // each facet of a contact is a contact without friction of its own
    const int count = s->p * s->options.facets;
    int* none = sti_alloc_array_zero(s->env, (size_t)count, sizeof *none);
    if (none == NULL) return STI_FAIL(s->env, STI_ERR_MEMORY, -1, "facets");
    status = sti_impulses_init(&s->impulses, s->env, s->n, count, none, facets);
    sti_free(s->env, none);
    return status;
}

static void take_state(sti_stepper* s, double t, const double* q, const double* v) {
    const size_t n = (size_t)s->n;
    s->start = s->time = t;
    s->step = 0;
    memcpy(s->q, q, n * sizeof *q);
    memcpy(s->v, v, n * sizeof *v);
    memcpy(s->v_alpha, v, n * sizeof *v);
    memset(s->held, 0, (size_t)s->p);
    for (int i = 0; i < s->p; i++) {
        const sti_instant_contact* c = &s->instant->contacts[i];
        s->slides[i] = 0;
        for (int a = 0; a < c->tangent_count; a++) {
            const double slip =
                sti_step_dot(s->n, c->t + sti_step_at(s->n, a, 0), v) + (c->t_offset != NULL ? c->t_offset[a] : 0);
            if (fabs(slip) > 1e-12 * (1 + sti_step_largest(s->n, v))) s->slides[i] = 1;
        }
    }
}

static sti_status start(sti_stepper* s) {
    sti_status status = sti_initial_create(s->env, s->system, NAN, NULL, NULL, &s->initial);
    if (status != STI_OK) return status;
    const sti_initial* i = s->initial;
    const bool given = s->options.start_as_given;
    if (!given && i->outcome == STI_INITIAL_INCONSISTENT)
        return STI_FAIL(s->env, STI_ERR_INPUT, i->worst_joint, "start: %.400s", i->why);
    memcpy(s->q, i->q, (size_t)s->n * sizeof *s->q);
    memcpy(s->v, i->v, (size_t)s->n * sizeof *s->v);
    if (given) status = sti_system_state(s->system, NULL, s->q, s->v);
    if (status == STI_OK) status = sti_system_instant(s->env, s->system, i->time, s->q, s->v, &s->instant);
    if (status == STI_OK) status = make_problems(s);
    if (status == STI_OK) status = sti_step_collision_room(s->env, s->instant, &s->collision);
    if (status == STI_OK) take_state(s, i->time, s->q, s->v);
    return status;
}

sti_status sti_stepper_create(sti_env* env, const sti_system* system, const sti_stepper_options* options,
                              sti_stepper** out) {
    *out = NULL;
    const sti_stepper_options standard = sti_stepper_options_default(STI_SCHEME_ALPHA);
    const sti_stepper_options* o = options != NULL ? options : &standard;
    sti_status status = check(env, system, o);
    if (status != STI_OK) return status;
    sti_stepper* s = sti_alloc_array_zero(env, 1, sizeof *s);
    if (s == NULL) return STI_FAIL(env, STI_ERR_MEMORY, -1, "stepper");
    *s = (sti_stepper){.env = env,
                       .system = system,
                       .options = *o,
                       .n = sti_system_coordinate_count(system),
                       .p = sti_system_contact_count(system),
                       .joint_count = sti_system_joint_count(system)};
    status = reserve(s);
    if (status == STI_OK) status = start(s);
    if (status == STI_OK)
        *out = s;
    else
        sti_stepper_destroy(s);
    return status;
}

void sti_stepper_destroy(sti_stepper* stepper) {
    if (stepper == NULL) return;
    sti_env* env = stepper->env;
    sti_initial_destroy(env, stepper->initial);
    sti_instant_destroy(env, stepper->instant);
    sti_collision_destroy(env, stepper->collision);
    sti_impulses_clear(&stepper->impulses);
    sti_impulses_clear(&stepper->impact);
    sti_free(env, stepper->numbers);
    sti_free(env, stepper->held);
    sti_free(env, stepper->active);
    sti_free(env, stepper->tangent_count);
    sti_free(env, stepper);
}

// ---- one step

static bool locates(const sti_stepper* s) {
    return s->options.scheme == STI_SCHEME_ALPHA && s->options.level == STI_LEVEL_VELOCITY;
}

// Rate of gap i at the velocity v, from the instant; up to `slow` it counts as 0.
static double gap_rate(const sti_stepper* s, int i, const double* v) {
    const sti_instant_contact* c = &s->instant->contacts[i];
    return sti_step_dot(s->n, c->n, v) + c->n_offset;
}

static double slow(const sti_stepper* s) {
    return 1e-12 * (1 + sti_step_largest(s->n, s->v));
}

// Step 1; the instant is the one at (q, v) afterwards. *hits: step 2 has something to do.
static sti_status choose_active(sti_stepper* s, bool* hits) {
    sti_status status = sti_system_gap(s->system, s->time, s->q, s->gap);
    if (status == STI_OK) status = sti_system_instant_update(s->system, s->time, s->q, s->v, s->instant);
    const bool rule = s->options.active == STI_ACTIVE_HELD && locates(s);
    *hits = false;
    for (int i = 0; status == STI_OK && i < s->p; i++) {
        const double rate = gap_rate(s, i, s->v);
        s->active[i] = s->gap[i] <= s->options.gap_tol;
        if (rule) s->active[i] = s->held[i] || (s->active[i] && rate <= slow(s));
        if (i >= s->p - s->joint_count)
            s->active[i] = true;
        else if (locates(s) && s->active[i] && !s->held[i] && rate < -slow(s))
            *hits = true;
    }
    return status;
}

// Impact at (time, q) from velocity v; its outcome in s->collision, its account in the report.
static sti_status collide(sti_stepper* s, const double* q, const double* v, sti_step_report* report) {
    sti_collision_options o = sti_collision_options_default();
    o.law = s->options.law;
    o.facets = s->impact.facets;
    o.dissipate = s->options.dissipate;
    if (report->collisions >= s->options.collision_limit) o.restitution_scale = 0;
    sti_status status = sti_system_instant_update(s->system, s->time, q, v, s->instant);
    if (status == STI_OK) status = sti_step_collide(&s->impact, s->instant, s->active, v, &o, s->collision);
    if (status == STI_OK && s->collision->outcome != STI_SOLVED && o.restitution_scale > 0) {
        // the law has no solution here; an inelastic impact has one
        o.restitution_scale = 0;
        snprintf(report->why, sizeof report->why, "%s impact has no solution at t = %.9g: taken as inelastic",
                 sti_impact_law_text(o.law), s->time);
        status = sti_step_collide(&s->impact, s->instant, s->active, v, &o, s->collision);
    }
    const sti_collision* c = s->collision;
    report->residual = fmax(report->residual, c->residual);
    if (status != STI_OK || c->outcome != STI_SOLVED) {
        report->outcome = c->outcome;
        if (status == STI_OK) snprintf(report->why, sizeof report->why, "impact at t = %.9g: %.180s", s->time, c->why);
        return status;
    }
    memcpy(s->v_minus, v, (size_t)s->n * sizeof *v);
    memcpy(s->v_plus, c->v, (size_t)s->n * sizeof *v);
    if (report->collisions++ == 0) report->collision_time = s->time;
    report->v_minus = s->v_minus;
    report->v_plus = s->v_plus;
    report->collision_energy += c->energy[2] - c->energy[0];
    if (c->gain > 0) report->gain += c->gain;
    int a = 0;
    const bool all = s->options.active == STI_ACTIVE_GAP || report->collisions > s->options.collision_limit;
    for (int i = 0; i < s->p; i++) {
        s->impulse_n[i] += c->p_n[i];
        for (int k = 0; k < s->tangent_count[i]; k++) s->impulse_t[sti_step_at(2, i, k)] += c->p_t[a++];
        s->touched[i] = s->touched[i] || s->active[i];
        s->held[i] = all ? s->touched[i] : s->active[i] && gap_rate(s, i, c->v) <= slow(s);
    }
    memcpy(s->v, c->v, (size_t)s->n * sizeof *s->v);
    return STI_OK;
}

static sti_status try_step(sti_stepper* s, double h, sti_step_report* report) {
    sti_status status = STI_OK;
    if (s->options.scheme == STI_SCHEME_ALPHA) status = sti_step_alpha(s, h);
    if (s->options.scheme == STI_SCHEME_CONVEX) status = sti_step_convex(s, h, &report->lift);
    if (s->options.scheme == STI_SCHEME_QUASISTATIC) status = sti_step_quasistatic(s, h);
    if (status != STI_OK) return status;
    report->outcome = s->impulses.outcome;
    report->residual = fmax(report->residual, s->impulses.residual);
    if (report->outcome != STI_SOLVED) snprintf(report->why, sizeof report->why, "%s", s->impulses.why);
    return STI_OK;
}

// The trial becomes the state.
static sti_status accept(sti_stepper* s, double h, sti_step_report* report) {
    const sti_impulses* p = &s->impulses;
    memset(s->mode, STI_MODE_SEPARATE, (size_t)s->p);
    memset(s->slip, 0, 2 * (size_t)s->p * sizeof *s->slip);
    report->active = 0;
    memset(s->opening, 0, (size_t)s->p * sizeof *s->opening);
    for (int j = 0; j < p->count; j++) {
        const int i = p->contacts[j].contact;
        const bool facet = s->options.scheme == STI_SCHEME_CONVEX && !p->contacts[j].bilateral;
        if (!facet) s->mode[i] = p->mode[j];
        if (!facet) s->opening[i] = p->rho[j];
        s->impulse_n[i] += p->c_n[j];
        for (int a = 0; !facet && a < 2; a++) {
            s->impulse_t[sti_step_at(2, i, a)] += p->c_t[sti_step_at(2, j, a)];
            s->slip[sti_step_at(2, i, a)] = p->slip[sti_step_at(2, j, a)];
        }
    }
    if (s->options.scheme == STI_SCHEME_CONVEX) sti_step_convex_read(s);
    for (int i = 0; i < s->p; i++) {
        report->active += s->active[i] && i < s->p - s->joint_count;
        s->held[i] = s->active[i] && s->mode[i] != STI_MODE_SEPARATE;
        if (s->held[i]) s->slides[i] = s->mode[i] == STI_MODE_SLIDE;
    }
    if (s->options.stabilize) {
        const sti_status status = sti_step_project(s, s->time + h, true, s->q_trial, &report->corrected);
        if (status != STI_OK) return status;
    }
    if (s->options.settle && s->options.scheme == STI_SCHEME_ALPHA) {
        const sti_status status = sti_step_settle(s, s->time + h, s->q_trial, s->v_trial);
        if (status != STI_OK) return status;
    }
    const size_t size = (size_t)s->n * sizeof *s->q;
    memcpy(s->q, s->q_trial, size);
    memcpy(s->v, s->v_trial, size);
    memcpy(s->v_alpha, s->u_trial, size);
    return STI_OK;
}

// Step 4, after sti_step_locate. *rest is what is left of the step.
static sti_status turn(sti_stepper* s, double tau, int which, double* rest, sti_step_report* report) {
    s->time += tau;
    *rest -= tau;
    for (int i = 0; i < s->p - s->joint_count; i++)
        s->active[i] = s->gap_work[i] <= s->options.gap_tol || (s->active[i] && s->held[i]) || i == which;
    const sti_status status = collide(s, s->root_q, s->root_v, report);
    if (status != STI_OK || report->outcome != STI_SOLVED) return status;
    memcpy(s->q, s->root_q, (size_t)s->n * sizeof *s->q);
    memcpy(s->v_alpha, s->v, (size_t)s->n * sizeof *s->v);
    return STI_OK;
}

static sti_status advance(sti_stepper* s, sti_step_report* report) {
    double rest = s->options.step;
    for (;;) {
        bool hits = false;
        sti_status status = choose_active(s, &hits);
        if (status == STI_OK && hits) {
            status = collide(s, s->q, s->v, report);
            if (status == STI_OK) status = choose_active(s, &hits);
        }
        if (status == STI_OK && report->outcome == STI_SOLVED) status = try_step(s, rest, report);
        if (status != STI_OK || report->outcome != STI_SOLVED) return status;
        int which = -1;
        double tau = 0;
        if (locates(s)) status = sti_step_locate(s, rest, &tau, &which);
        if (status != STI_OK) return status;
        if (which < 0) return accept(s, rest, report);
        if (tau == 0) {
            // it lifts too little to be seen, and is pressed back: closed
            s->held[which] = 1;
            continue;
        }
        status = turn(s, tau, which, &rest, report);
        if (status != STI_OK || report->outcome != STI_SOLVED) return status;
        if (!s->options.substep || !(rest > 1e-12 * s->options.step) ||
            report->collisions >= 2 * s->options.collision_limit) {
            report->dropped = rest;
            return STI_OK;
        }
    }
}

static sti_status conclude(sti_stepper* s, sti_step_report* report) {
    sti_status status = sti_system_gap(s->system, s->time, s->q, s->gap);
    if (status == STI_OK)
        status = sti_system_energy(s->system, s->time, s->q, s->v, &report->kinetic, &report->potential);
    for (int i = 0; status == STI_OK && i < s->p; i++) {
        if (i >= s->p - s->joint_count) report->drift = fmax(report->drift, fabs(s->gap[i]));
        if (i < s->p - s->joint_count) report->penetration = fmax(report->penetration, -s->gap[i]);
    }
    return status;
}

sti_status sti_stepper_step(sti_stepper* s, sti_step_report* report) {
    sti_step_report own, *r = report != NULL ? report : &own;
    *r = (sti_step_report){.outcome = STI_SOLVED,
                           .collision_time = NAN,
                           .kinetic = NAN,
                           .potential = NAN,
                           .gap = s->gap,
                           .impulse_n = s->impulse_n,
                           .impulse_t = s->impulse_t,
                           .mode = s->mode,
                           .slip = s->slip,
                           .opening = s->opening};
    const size_t n = (size_t)s->n, p = (size_t)s->p;
    memset(s->impulse_n, 0, p * sizeof *s->impulse_n);
    memset(s->impulse_t, 0, 2 * p * sizeof *s->impulse_t);
    memset(s->mode, STI_MODE_SEPARATE, p);
    memset(s->touched, 0, p);
    // the state as it was, for a step that fails half way
    double* kept = sti_alloc_array(s->env, 3 * n, sizeof *kept);
    unsigned char* flags = sti_alloc_array(s->env, 2 * p, 1);
    sti_status status = kept != NULL && flags != NULL ? STI_OK : STI_FAIL(s->env, STI_ERR_MEMORY, -1, "step");
    if (status == STI_OK) {
        memcpy(kept, s->q, 3 * n * sizeof *kept);
        memcpy(flags, s->held, 2 * p);
        status = advance(s, r);
        if (status == STI_OK && r->outcome == STI_SOLVED) {
            s->step++;
            s->time = s->start + (double)s->step * s->options.step;
        } else {
            memcpy(s->q, kept, 3 * n * sizeof *kept);
            memcpy(s->held, flags, 2 * p);
            s->time = s->start + (double)s->step * s->options.step;
        }
    }
    sti_free(s->env, kept);
    sti_free(s->env, flags);
    if (status == STI_OK) status = conclude(s, r);
    r->step = s->step;
    r->time = s->time;
    return status;
}

// ---- state

double sti_stepper_time(const sti_stepper* stepper) {
    return stepper->time;
}

const double* sti_stepper_q(const sti_stepper* stepper) {
    return stepper->q;
}

const double* sti_stepper_v(const sti_stepper* stepper) {
    return stepper->v;
}

const double* sti_stepper_v_alpha(const sti_stepper* stepper) {
    return stepper->v_alpha;
}

const sti_initial* sti_stepper_initial(const sti_stepper* stepper) {
    return stepper->initial;
}

sti_status sti_stepper_set(sti_stepper* s, double t, const double* q, const double* v) {
    const sti_status status = sti_system_instant_update(s->system, t, q, v, s->instant);
    if (status != STI_OK) return STI_FAIL(s->env, status, -1, "state at t = %g has no finite instant", t);
    take_state(s, t, q, v);
    return STI_OK;
}

typedef struct saved_head {
    char magic[8];
    int32_t n, p;
    int64_t step;
    double start;
} saved_head;

static const char saved_magic[8] = "stiStep1";

sti_status sti_stepper_save(const sti_stepper* s, void** bytes, size_t* size) {
    const size_t numbers = 3 * (size_t)s->n * sizeof(double), flags = 2 * (size_t)s->p;
    *size = sizeof(saved_head) + numbers + flags;
    unsigned char* to = sti_alloc(s->env, *size);
    *bytes = to;
    if (to == NULL) return STI_FAIL(s->env, STI_ERR_MEMORY, -1, "state of a stepper");
    saved_head head = {.n = s->n, .p = s->p, .step = s->step, .start = s->start};
    memcpy(head.magic, saved_magic, sizeof head.magic);
    memcpy(to, &head, sizeof head);
    memcpy(to + sizeof head, s->q, numbers);
    memcpy(to + sizeof head + numbers, s->held, flags);
    return STI_OK;
}

sti_status sti_stepper_load(sti_stepper* s, const void* bytes, size_t size) {
    const size_t numbers = 3 * (size_t)s->n * sizeof(double), flags = 2 * (size_t)s->p;
    saved_head head;
    if (size != sizeof head + numbers + flags) return STI_FAIL(s->env, STI_ERR_INPUT, -1, "state of another size");
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.magic, saved_magic, sizeof head.magic) != 0 || head.n != s->n || head.p != s->p || head.step < 0)
        return STI_FAIL(s->env, STI_ERR_INPUT, -1, "not the state of a stepper for this system");
    const unsigned char* from = bytes;
    s->step = (long)head.step;
    s->start = head.start;
    s->time = s->start + (double)s->step * s->options.step;
    memcpy(s->q, from + sizeof head, numbers);
    memcpy(s->held, from + sizeof head + numbers, flags);
    return STI_OK;
}
