// stepper.c: a system, a scheme and a state that moves: its life, its options, its state. What one step consists of is
// in advance.c.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "step/smooth.h"
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

static const char* const event_texts[] = {
#define STI_X(code, text) text,
    STI_EVENT_LIST(STI_X)
#undef STI_X
};

const char* sti_event_text(sti_event_kind kind) {
    const size_t k = (size_t)kind;
    return k < sizeof event_texts / sizeof *event_texts ? event_texts[k] : "?";
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
                             .dissipate = true,
                             .exponent = 1.5,
                             .refine = 10,
                             .balance = true,
                             .index = 2,
                             .event_tol = 1e-10};
    if (scheme != STI_SCHEME_ALPHA) {
        o.refine = 0;
        o.balance = false;
        o.alpha = 1;
        o.level = STI_LEVEL_GAP;
        o.gap_tol = INFINITY;
    }
    return o;
}

sti_stepper_options sti_stepper_options_printed(sti_scheme scheme) {
    sti_stepper_options o = sti_stepper_options_default(scheme);
    o.geometry = STI_GEOMETRY_OLD;
    o.active = STI_ACTIVE_GAP;
    o.law = STI_IMPACT_POISSON_PRINTED;
    o.stabilize = o.substep = o.dissipate = o.balance = false;
    o.refine = 0;
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
    const sti_status law = sti_step_law_check(env, o->law);
    if (law != STI_OK) return law;
    const int springs = sti_system_contact_count(system) - sti_system_joint_count(system);
    const sti_status stiff = sti_step_springs_check(env, springs, o->stiffness, o->exponent);
    if (stiff != STI_OK) return stiff;
    if (o->refine < 0 || o->refine > 40)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "refine %d: from 0 to 40", o->refine);
    if (o->index != 2 && o->index != 3) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "index %d: 2 or 3", o->index);
    if (o->index == 3 && (o->scheme != STI_SCHEME_ALPHA || o->events != STI_EVENTS_OFF))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "index 3: joints at the level of positions need scheme alpha%s",
                        o->events != STI_EVENTS_OFF ? " without events" : "");
    if (o->events != STI_EVENTS_OFF && (o->scheme != STI_SCHEME_ALPHA || o->level != STI_LEVEL_VELOCITY))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "events are located with scheme alpha at the level of velocities");
    if (!(o->event_tol > 0 && o->event_tol < 1))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "event_tol %g is not in (0, 1)", o->event_tol);
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
    double** const lists[] = {&s->gap,     &s->gap_trial,    &s->gap_work, &s->impulse_n,
                              &s->opening, &s->collision_at, &s->lifts};
    double** const pairs[] = {&s->impulse_t, &s->slip};
    const size_t v = sizeof vectors / sizeof *vectors, m = sizeof matrices / sizeof *matrices;
    const size_t l = sizeof lists / sizeof *lists, d = sizeof pairs / sizeof *pairs;
    const size_t size =
        3 * STI_STEP_JUMPS * n + v * n + m * n * n + (l + 2 * d + 6) * p + p * (facets < 3 ? 3 : facets) * n;
    s->memory = sti_arena_make(s->env);
    s->numbers = sti_arena_take(&s->memory, size, sizeof *s->numbers);
    s->held = sti_arena_take(&s->memory, 4 * p, 1);
    s->active = sti_arena_take(&s->memory, p, sizeof *s->active);
    s->tangent_count = sti_arena_take(&s->memory, p, sizeof *s->tangent_count);
    if (s->memory.status != STI_OK) return s->memory.status;
    s->slides = s->held + p;
    s->mode = s->slides + p;
    s->touched = s->mode + p;
    double* next = s->numbers;
    for (size_t i = 0; i < v; i++, next += n) *vectors[i] = next;
    for (size_t i = 0; i < m; i++, next += n * n) *matrices[i] = next;
    for (size_t i = 0; i < l; i++, next += p) *lists[i] = next;
    for (size_t i = 0; i < d; i++, next += 2 * p) *pairs[i] = next;
    for (size_t i = 0; i < 2; i++, next += 3 * p) *triples[i] = next;
    s->jump = next;
    s->rows = next + 3 * STI_STEP_JUMPS * n;
    return STI_OK;
}

// The matrix of law general over contacts and joints.
static sti_status copy_restitution(sti_stepper* s) {
    const int contacts = s->p - s->joint_count;
    const double* E = s->options.E;
    s->options.E = NULL;  // the caller's
    if (E == NULL) return STI_OK;
    s->E = sti_alloc_array_zero(s->env, (size_t)s->p * (size_t)s->p, sizeof *s->E);
    if (s->E == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < contacts; i++) {
        for (int j = 0; j < contacts; j++) {
            const double e = E[sti_at(contacts, i, j)];
            if (!isfinite(e)) return STI_FAIL(s->env, STI_ERR_ARGUMENT, i, "E: entry %d, %d is not finite", i, j);
            s->E[sti_at(s->p, i, j)] = e;
        }
    }
    return STI_OK;
}

static sti_status copy_stiffness(sti_stepper* s) {
    const double* stiffness = s->options.stiffness;
    s->options.stiffness = NULL;  // the caller's
    if (stiffness == NULL) return STI_OK;
    s->stiffness = sti_alloc_array_zero(s->env, (size_t)s->p, sizeof *s->stiffness);
    if (s->stiffness == NULL) return STI_ERR_MEMORY;
    memcpy(s->stiffness, stiffness, (size_t)(s->p - s->joint_count) * sizeof *stiffness);
    return STI_OK;
}

// Friction polygons are columns of the problem with facets, sections of that with cones; what has the disc, or facets
// in its rows, takes none.
static sti_status check_polygons(const sti_stepper* s) {
    const sti_stepper_options* o = &s->options;
    const int i = sti_instant_polygon(s->instant, INFINITY);
    if (i < 0) return STI_OK;
    const char* const what = o->scheme == STI_SCHEME_CONVEX  ? "scheme convex"
                             : o->events != STI_EVENTS_OFF   ? "events"
                             : sti_step_is_energetic(o->law) ? "this impact law"
                                                             : NULL;
    if (what == NULL) return STI_OK;
    return STI_FAIL(s->env, STI_ERR_INPUT, i, "contact \"%.60s\" has a friction polygon, which %s does not take",
                    s->instant->contacts[i].name, what);
}

static sti_status make_problems(sti_stepper* s) {
    for (int i = 0; i < s->p; i++) {
        const sti_instant_contact* c = &s->instant->contacts[i];
        s->tangent_count[i] = c->tangent_count;
        if (s->options.friction == STI_FRICTION_CONE && c->bilateral && c->tangent_count > 0 && c->mu > 0)
            return STI_FAIL(s->env, STI_ERR_INPUT, i, "joint \"%.60s\" has friction: this needs friction by facets",
                            c->name);
    }
    const int facets = s->options.facets == 3 ? 4 : s->options.facets, most = sti_impulses_most(s->instant, facets);
    sti_status status = check_polygons(s);
    if (status == STI_OK) status = sti_impulses_init(&s->impact, s->env, s->n, s->p, s->tangent_count, most);
    s->impact.facets = facets;
    if (status != STI_OK) return status;
    if (s->options.scheme != STI_SCHEME_CONVEX) {
        status = sti_impulses_init(&s->impulses, s->env, s->n, s->p, s->tangent_count, most);
        s->impulses.facets = facets;
        return status;
    }
    // each facet of a contact is a contact without friction of its own
    const int count = s->p * s->options.facets;
    int* none = sti_alloc_array_zero(s->env, (size_t)count, sizeof *none);
    if (none == NULL) return STI_ERR_MEMORY;
    status = sti_impulses_init(&s->impulses, s->env, s->n, count, none, facets);
    sti_free(s->env, none);
    return status;
}

// Where collisions are not located they are inelastic: what asks for more is not left out in silence.
static sti_status check_restitution(const sti_stepper* s) {
    const sti_stepper_options* o = &s->options;
    const bool inelastic =
        o->scheme == STI_SCHEME_CONVEX || (o->scheme == STI_SCHEME_ALPHA && o->level == STI_LEVEL_GAP);
    for (int i = 0; inelastic && i < s->p - s->joint_count; i++) {
        const sti_instant_contact* c = &s->instant->contacts[i];
        if (c->restitution != 0 || c->restitution_t != 0)
            return STI_FAIL(
                s->env, STI_ERR_INPUT, i,
                "contact \"%.60s\" has restitution %g; impacts of scheme %s are inelastic: restitution 0, or "
                "scheme alpha",
                c->name, c->restitution != 0 ? c->restitution : c->restitution_t,
                o->scheme == STI_SCHEME_CONVEX ? "convex" : "alpha with level gap");
    }
    return STI_OK;
}

// An energetic law gives back e^2 of the work of compression: with another e it would have no impact at all.
static sti_status check_energetic(const sti_stepper* s) {
    const double* E = s->E != NULL ? s->E : s->instant->restitution;
    if (!sti_step_is_energetic(s->options.law)) return STI_OK;
    for (int i = 0; i < s->p - s->joint_count; i++) {
        const sti_instant_contact* c = &s->instant->contacts[i];
        const double e = E != NULL ? E[sti_at(s->p, i, i)] : c->restitution;
        if (e >= 0 && e <= 1) continue;
        return STI_FAIL(s->env, STI_ERR_INPUT, i, "contact \"%.60s\" has restitution %g: from 0 to 1 with law %s",
                        c->name, e, sti_impact_law_text(s->options.law));
    }
    return STI_OK;
}

static void take_state(sti_stepper* s, double t, const double* q, const double* v) {
    const size_t n = (size_t)s->n;
    s->start = s->time = t;
    s->step = 0;
    s->piece = s->surplus = 0;
    memcpy(s->q, q, n * sizeof *q);
    memcpy(s->v, v, n * sizeof *v);
    memcpy(s->v_alpha, v, n * sizeof *v);
    memset(s->held, 0, (size_t)s->p);
    for (int i = 0; i < s->p; i++) {
        const sti_instant_contact* c = &s->instant->contacts[i];
        s->slides[i] = 0;
        for (int a = 0; a < c->tangent_count; a++) {
            const double slip =
                sti_vector_dot(s->n, c->t + sti_at(s->n, a, 0), v) + (c->t_offset != NULL ? c->t_offset[a] : 0);
            if (fabs(slip) > 1e-12 * (1 + sti_vector_largest(s->n, v))) s->slides[i] = 1;
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
    if (status == STI_OK) status = check_restitution(s);
    if (status == STI_OK) status = check_energetic(s);
    if (status == STI_OK) status = make_problems(s);
    if (status == STI_OK) status = sti_step_collision_room(s->env, s->instant, &s->collision);
    if (status == STI_OK && s->options.events != STI_EVENTS_OFF) status = sti_smooth_create(s);
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
    if (s == NULL) return STI_ERR_MEMORY;
    *s = (sti_stepper){.env = env,
                       .system = system,
                       .options = *o,
                       .alpha = o->alpha,
                       .n = sti_system_coordinate_count(system),
                       .p = sti_system_contact_count(system),
                       .joint_count = sti_system_joint_count(system)};
    status = reserve(s);
    if (status == STI_OK) status = copy_restitution(s);
    if (status == STI_OK) status = copy_stiffness(s);
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
    sti_smooth_destroy(env, stepper->smooth);
    sti_arena_clear(&stepper->memory);
    sti_free(env, stepper->E);
    sti_free(env, stepper->stiffness);
    sti_free(env, stepper);
}

// ---- one step

static sti_status conclude(sti_stepper* s, sti_step_report* report) {
    sti_status status = sti_system_gap(s->system, s->time, s->q, s->gap);
    if (status == STI_OK)
        status = sti_system_energy(s->system, s->time, s->q, s->v, &report->kinetic, &report->potential);
    for (int i = 0; status == STI_OK && i < s->p; i++) {
        if (i >= s->p - s->joint_count) report->drift = fmax(report->drift, fabs(s->gap[i]));
        if (i < s->p - s->joint_count) report->penetration = fmax(report->penetration, -s->gap[i]);
    }
    if (s->joint_count == 0 || status != STI_OK) return status;
    report->index = s->smooth != NULL ? 1 : s->options.scheme == STI_SCHEME_ALPHA ? s->options.index : 2;
    status = sti_system_instant_update(s->system, s->time, s->q, s->v, s->instant);
    for (int i = s->p - s->joint_count; status == STI_OK && i < s->p; i++)
        report->drift_rate = fmax(report->drift_rate, fabs(sti_step_rate(s, i, s->v)));
    return status;
}

sti_status sti_stepper_step(sti_stepper* s, sti_step_report* report) {
    sti_step_report own, *r = report != NULL ? report : &own;
    *r = (sti_step_report){.outcome = STI_SOLVED,
                           .collision_time = NAN,
                           .kinetic = NAN,
                           .potential = NAN,
                           .gap = s->gap,
                           .lifts = s->lifts,
                           .objective = NAN,
                           .duality_gap = NAN,
                           .impulse_n = s->impulse_n,
                           .impulse_t = s->impulse_t,
                           .jump_time = s->jump_time,
                           .jump_size = s->jump_size,
                           .jump_q = s->jump,
                           .jump_minus = s->jump + STI_STEP_JUMPS * (size_t)s->n,
                           .jump_plus = s->jump + 2 * STI_STEP_JUMPS * (size_t)s->n,
                           .collision_at = s->collision_at,
                           .event = s->event,
                           .mode = s->mode,
                           .slip = s->slip,
                           .opening = s->opening};
    const size_t n = (size_t)s->n, p = (size_t)s->p;
    memset(s->impulse_n, 0, p * sizeof *s->impulse_n);
    memset(s->impulse_t, 0, 2 * p * sizeof *s->impulse_t);
    memset(s->lifts, 0, p * sizeof *s->lifts);
    memset(s->mode, STI_MODE_SEPARATE, p);
    for (size_t i = 0; i < p; i++) s->collision_at[i] = NAN;
    // the state as it was, for a step that fails half way
    double* kept = sti_alloc_array(s->env, 3 * n, sizeof *kept);
    unsigned char* flags = sti_alloc_array(s->env, 2 * p, 1);
    const double piece = s->piece, surplus = s->surplus;
    sti_status status = kept != NULL && flags != NULL ? STI_OK : STI_ERR_MEMORY;
    if (status == STI_OK) {
        memcpy(kept, s->q, 3 * n * sizeof *kept);
        memcpy(flags, s->held, 2 * p);
        status = s->smooth != NULL ? sti_step_by_events(s, r) : sti_step_advance(s, s->options.step, r);
        if (status == STI_OK && r->outcome == STI_SOLVED) {
            s->step++;
            s->time = s->start + (double)s->step * s->options.step;
        } else {
            memcpy(s->q, kept, 3 * n * sizeof *kept);
            memcpy(s->held, flags, 2 * p);
            s->piece = piece;
            s->surplus = surplus;
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
    double start, piece, surplus;
} saved_head;

static const char saved_magic[8] = "stiStep2";

sti_status sti_stepper_save_state(const sti_stepper* s, void** bytes, size_t* size) {
    const size_t numbers = 3 * (size_t)s->n * sizeof(double), flags = 2 * (size_t)s->p;
    *size = sizeof(saved_head) + numbers + flags;
    unsigned char* to = sti_alloc(s->env, *size);
    *bytes = to;
    if (to == NULL) return STI_ERR_MEMORY;
    saved_head head = {
        .n = s->n, .p = s->p, .step = s->step, .start = s->start, .piece = s->piece, .surplus = s->surplus};
    memcpy(head.magic, saved_magic, sizeof head.magic);
    memcpy(to, &head, sizeof head);
    memcpy(to + sizeof head, s->q, numbers);
    memcpy(to + sizeof head + numbers, s->held, flags);
    return STI_OK;
}

sti_status sti_stepper_load_state(sti_stepper* s, const void* bytes, size_t size) {
    const size_t numbers = 3 * (size_t)s->n * sizeof(double), flags = 2 * (size_t)s->p;
    saved_head head;
    if (size != sizeof head + numbers + flags) return STI_FAIL(s->env, STI_ERR_INPUT, -1, "state of another size");
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.magic, saved_magic, sizeof head.magic) != 0 || head.n != s->n || head.p != s->p || head.step < 0)
        return STI_FAIL(s->env, STI_ERR_INPUT, -1, "not the state of a stepper for this system");
    const unsigned char* from = bytes;
    s->step = (long)head.step;
    s->start = head.start;
    s->piece = head.piece;
    s->surplus = head.surplus;
    s->time = s->start + (double)s->step * s->options.step;
    memcpy(s->q, from + sizeof head, numbers);
    memcpy(s->held, from + sizeof head + numbers, flags);
    return STI_OK;
}

// ---- the problem as such

sti_status sti_stepper_pose(sti_env* env, sti_stepper* s, sti_stepper_problem* out) {
    sti_impulses* p = &s->impulses;
    const bool round = s->options.friction == STI_FRICTION_CONE;
    *out = (sti_stepper_problem){0};
    if (s->step == 0 || p->count == 0)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "no step was made, or nothing was in touch in the last one");
    if (round && s->options.scheme == STI_SCHEME_CONVEX)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a step of scheme convex with round cones is a conic program");
    if (round) {
        const sti_status status = sti_impulses_pose_cone(env, p, &out->contact, &out->memory);
        out->round = status == STI_OK && out->contact.contact_count > 0;
        if (status != STI_OK || out->round) return status;
        sti_stepper_problem_clear(env, out);
    }
    sti_impulses_pose(p);
    out->mlcp = sti_impulses_mlcp(p);
    return STI_OK;
}

void sti_stepper_problem_clear(sti_env* env, sti_stepper_problem* problem) {
    sti_free(env, problem->memory);
    *problem = (sti_stepper_problem){0};
}
