// system.c: the life of a system by formulas: sums of what its steps report, contacts with their collisions, and a step
// that has no solution is the end.
//
//     trajectory.h5   steps/      time, q, v, v_alpha, kinetic, potential, residual, ..       one row a step
//                     contacts/   gap, impulse_n, impulse_t, mode, slip                       one row a step
//                     system   the file, as text;   coordinates, contact_names   one name a line
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "run/meter.h"
#include "run/simulation.h"

static const double default_time = 10;

typedef struct life {
    sti_source source;   // first
    sti_system_run run;  // what sti_system_run_of shows
    sti_stepper_options options;
    double* E;          // law general; NULL: each contact's own  (contacts x contacts, without joints)
    double* stiffness;  // law lzb; NULL: alike                   (contacts, without joints)
    sti_stepper* stepper;
    sti_meter* meter;
    sti_instant* instant;  // where the meter looks
    bool* closed;          // at the end of the last step          (contacts)
    sti_system* own;       // of bodies; NULL: the document's
    double start;
} life;

enum {
    TIME,
    Q,
    V,
    V_ALPHA,
    KINETIC,
    POTENTIAL,
    RESIDUAL,
    COLLISIONS,
    WORK,
    FRICTION,
    PIECES,
    EVENTS,
    GAP,
    IMPULSE_N,
    IMPULSE_T,
    MODE,
    SLIP,
    SERIES
};

static const sti_member members[] = {
    STI_MEMBER(sti_system_run, STI_LONG, steps),
    STI_MEMBER(sti_system_run, STI_LONG, collisions),
    STI_MEMBER(sti_system_run, STI_LONG, most_active),
    STI_MEMBER(sti_system_run, STI_DOUBLE, first_energy),
    STI_MEMBER(sti_system_run, STI_DOUBLE, least_energy),
    STI_MEMBER(sti_system_run, STI_DOUBLE, largest_rise),
    STI_MEMBER(sti_system_run, STI_DOUBLE, last_kinetic),
    STI_MEMBER(sti_system_run, STI_DOUBLE, last_potential),
    STI_MEMBER(sti_system_run, STI_DOUBLE, work),
    STI_MEMBER(sti_system_run, STI_DOUBLE, loss),
    STI_MEMBER(sti_system_run, STI_DOUBLE, defect),
    STI_MEMBER(sti_system_run, STI_LONG, pieces),
    STI_MEMBER(sti_system_run, STI_LONG, most_pieces),
    STI_MEMBER(sti_system_run, STI_LONG, relaxed),
    STI_MEMBER(sti_system_run, STI_DOUBLE, collision_energy),
    STI_MEMBER(sti_system_run, STI_DOUBLE, gain),
    STI_MEMBER(sti_system_run, STI_DOUBLE, dropped),
    STI_MEMBER(sti_system_run, STI_DOUBLE, worst_residual),
    STI_MEMBER(sti_system_run, STI_DOUBLE, worst_penetration),
    STI_MEMBER(sti_system_run, STI_DOUBLE, worst_drift),
    STI_MEMBER(sti_system_run, STI_DOUBLE, worst_correction),
    STI_MEMBER(sti_system_run, STI_DOUBLE, worst_lift),
    STI_MEMBER(sti_system_run, STI_DOUBLE, worst_drift_rate),
    STI_MEMBER(sti_system_run, STI_DOUBLE, worst_duality_gap),
    STI_MEMBER(sti_system_run, STI_DOUBLE, facet_impulse),
    STI_MEMBER(sti_system_run, STI_DOUBLE, worst_facet),
    STI_MEMBER(sti_system_run, STI_LONG, facet_steps),
    STI_MEMBER(sti_system_run, STI_LONG, facet_passed),
    STI_MEMBER(sti_system_run, STI_INT, index),
    STI_MEMBER(sti_system_run, STI_LONG, events),
    STI_MEMBER(sti_system_run, STI_DOUBLE, stepped),
    STI_MEMBER(sti_system_run, STI_INT, event_count),
};

static const sti_member event_members[] = {
    STI_MEMBER(sti_event, STI_DOUBLE, time),
    STI_MEMBER(sti_event, STI_INT, kind),
    STI_MEMBER(sti_event, STI_INT, contact),
};

static const sti_member kind_member = {"kinds", STI_LONG, 0, sizeof(long)};

static const sti_member contact_members[] = {
    STI_MEMBER(sti_system_run_contact, STI_LONG, collisions),
    STI_MEMBER(sti_system_run_contact, STI_DOUBLE, first),
    STI_MEMBER(sti_system_run_contact, STI_DOUBLE, last),
    STI_MEMBER(sti_system_run_contact, STI_DOUBLE, gap),
    STI_MEMBER(sti_system_run_contact, STI_DOUBLE, impulse_n),
    STI_MEMBER(sti_system_run_contact, STI_DOUBLE, impulse_t),
    STI_MEMBER(sti_system_run_contact, STI_DOUBLE, slip),
    STI_MEMBER(sti_system_run_contact, STI_DOUBLE, hit),
    STI_MEMBER(sti_system_run_contact, STI_DOUBLE, lift),
    STI_MEMBER(sti_system_run_contact, STI_DOUBLE, most_lift),
    STI_MEMBER(sti_system_run_contact, STI_INT, mode),
};

static const sti_member option_members[] = {
    STI_MEMBER(sti_stepper_options, STI_INT, scheme),          STI_MEMBER(sti_stepper_options, STI_DOUBLE, step),
    STI_MEMBER(sti_stepper_options, STI_DOUBLE, alpha),        STI_MEMBER(sti_stepper_options, STI_INT, geometry),
    STI_MEMBER(sti_stepper_options, STI_INT, friction),        STI_MEMBER(sti_stepper_options, STI_INT, facets),
    STI_MEMBER(sti_stepper_options, STI_INT, active),          STI_MEMBER(sti_stepper_options, STI_INT, level),
    STI_MEMBER(sti_stepper_options, STI_DOUBLE, gap_tol),      STI_MEMBER(sti_stepper_options, STI_BOOL, stabilize),
    STI_MEMBER(sti_stepper_options, STI_BOOL, settle),         STI_MEMBER(sti_stepper_options, STI_BOOL, substep),
    STI_MEMBER(sti_stepper_options, STI_INT, collision_limit), STI_MEMBER(sti_stepper_options, STI_INT, law),
    STI_MEMBER(sti_stepper_options, STI_BOOL, dissipate),      STI_MEMBER(sti_stepper_options, STI_DOUBLE, exponent),
    STI_MEMBER(sti_stepper_options, STI_INT, refine),          STI_MEMBER(sti_stepper_options, STI_BOOL, balance),
    STI_MEMBER(sti_stepper_options, STI_BOOL, start_as_given), STI_MEMBER(sti_stepper_options, STI_INT, index),
    STI_MEMBER(sti_stepper_options, STI_INT, events),          STI_MEMBER(sti_stepper_options, STI_DOUBLE, event_tol),
};

_Static_assert(sizeof(sti_scheme) == sizeof(int) && sizeof(sti_event_kind) == sizeof(int) &&
                   sizeof(sti_impact_law) == sizeof(int),
               "enums are saved as ints");

static size_t contacts_of(const life* l) {
    return (size_t)sti_system_contact_count(l->run.system);
}

static size_t coordinates_of(const life* l) {
    return (size_t)sti_system_coordinate_count(l->run.system);
}

// Those without joints, which stand behind them.
static int open_contacts(const life* l) {
    return sti_system_contact_count(l->run.system) - sti_system_joint_count(l->run.system);
}

// ---- begin

static void clear(void* self) {
    life* l = self;
    sti_stepper_destroy(l->stepper);
    sti_meter_destroy(l->meter);
    sti_instant_destroy(l->source.env, l->instant);
    sti_free(l->source.env, l->closed);
    sti_free(l->source.env, l->run.contact);
    sti_free(l->source.env, l->E);
    sti_free(l->source.env, l->stiffness);
    sti_system_destroy(l->own);
}

static sti_status copy(sti_env* env, const double* x, size_t count, double** out) {
    if (x == NULL) return STI_OK;
    *out = sti_alloc_array(env, count + 1, sizeof **out);
    if (*out == NULL) return STI_ERR_MEMORY;
    if (count > 0) memcpy(*out, x, count * sizeof *x);
    return STI_OK;
}

// Copies of what the options point to.
static sti_status keep_laws(life* l, const double* E, const double* stiffness) {
    const size_t count = (size_t)open_contacts(l);
    sti_status status = copy(l->source.env, E, count * count, &l->E);
    if (status == STI_OK) status = copy(l->source.env, stiffness, count, &l->stiffness);
    l->options.E = l->E;
    l->options.stiffness = l->stiffness;
    return status;
}

// From what is kept of the contacts; one that is closed may carry nothing. Whether there are others than before.
static bool find_closed(life* l) {
    const double tol = isfinite(l->options.gap_tol) ? l->options.gap_tol : 1e-12;
    bool changed = false;
    for (int i = 0; i < open_contacts(l); i++) {
        const bool closed = l->run.contact[i].mode != STI_MODE_SEPARATE || l->run.contact[i].gap <= tol;
        changed = changed || closed != l->closed[i];
        l->closed[i] = closed;
    }
    return changed;
}

static sti_status make_contacts(life* l) {
    const size_t count = contacts_of(l);
    l->run.contact = sti_alloc_array_zero(l->source.env, count + 1, sizeof *l->run.contact);
    l->closed = sti_alloc_array_zero(l->source.env, count + 1, sizeof *l->closed);
    if (l->run.contact == NULL || l->closed == NULL) return STI_ERR_MEMORY;
    const sti_status status = sti_system_instant(l->source.env, l->run.system, sti_stepper_time(l->stepper),
                                                 sti_stepper_q(l->stepper), sti_stepper_v(l->stepper), &l->instant);
    if (status != STI_OK) return status;
    for (size_t i = 0; i < count; i++)
        l->run.contact[i] = (sti_system_run_contact){.first = NAN,
                                                     .last = NAN,
                                                     .hit = NAN,
                                                     .gap = l->instant->contacts[i].gap,
                                                     .tangents = l->instant->contacts[i].tangent_count};
    find_closed(l);
    return STI_OK;
}

// The next row of the meter, from the state of the stepper.
static void take_row(life* l, double normal) {
    memcpy(sti_meter_velocity(l->meter), sti_stepper_v(l->stepper), coordinates_of(l) * sizeof(double));
    sti_meter_row(l->meter, sti_stepper_time(l->stepper), normal);
}

static sti_status make_meter(life* l) {
    const sti_status status = sti_meter_create(l->source.env, (int)coordinates_of(l), l->options.alpha, &l->meter);
    if (status != STI_OK) return status;
    l->meter->m.located = l->options.scheme == STI_SCHEME_ALPHA && l->options.level == STI_LEVEL_VELOCITY;
    l->run.measure = &l->meter->m;
    take_row(l, 0);
    return STI_OK;
}

// With the system of the source and the options of the life.
static sti_status make_stepper(life* l) {
    const sti_status status = sti_stepper_create(l->source.env, l->run.system, &l->options, &l->stepper);
    if (status != STI_OK) return status;
    l->start = sti_stepper_time(l->stepper);
    l->run.stepper = l->stepper;
    l->run.options = &l->options;
    const sti_status made = make_contacts(l);
    return made == STI_OK ? make_meter(l) : made;
}

// The system of the document, or that of its bodies.
static sti_status find_system(life* l) {
    const sti_world_scene* scene = sti_world_scene_of(l->source.document);
    sti_world* world = NULL;
    l->run.system = sti_system_of(l->source.document);
    if (scene == NULL) return STI_OK;
    sti_status status = sti_world_create(l->source.env, scene->bodies, &scene->step, &world);
    if (status == STI_OK) status = sti_world_system(l->source.env, world, &l->own);
    sti_world_destroy(world);
    l->run.system = l->own;
    return status;
}

static sti_status begin(life* l, const sti_stepper_options* options) {
    l->options = options != NULL ? *options : sti_stepper_options_default(STI_SCHEME_ALPHA);
    if (l->options.inertial != NULL)
        return STI_FAIL(l->source.env, STI_ERR_ARGUMENT, -1, "inertial: a function: a checkpoint cannot hold it");
    sti_status status = find_system(l);
    if (status == STI_OK) status = keep_laws(l, l->options.E, l->options.stiffness);
    if (status == STI_OK) status = make_stepper(l);
    if (status != STI_OK) return status;
    double kinetic, potential;
    status = sti_system_energy(l->run.system, l->start, sti_stepper_q(l->stepper), sti_stepper_v(l->stepper), &kinetic,
                               &potential);
    l->run.first_energy = l->run.least_energy = kinetic + potential;
    l->run.worst_duality_gap = NAN;
    l->run.last_kinetic = kinetic;
    l->run.last_potential = potential;
    return status;
}

sti_status sti_system_simulation(sti_env* env, const sti_run_source* source, const sti_stepper_options* options,
                                 sti_simulation** out) {
    sti_status status = sti_simulation_begin(env, &sti_simulation_system, source, out);
    if (status == STI_OK) status = begin((*out)->self, options);
    return sti_simulation_begun(status, out);
}

sti_status sti_world_system_simulation(sti_env* env, const sti_run_source* source, const sti_stepper_options* options,
                                       sti_simulation** out) {
    sti_status status = sti_simulation_begin(env, &sti_simulation_world_system, source, out);
    if (status != STI_OK) return sti_simulation_begun(status, out);
    life* l = (*out)->self;
    const sti_world_scene* scene = sti_world_scene_of(l->source.document);
    sti_stepper_options standard = sti_stepper_options_default(STI_SCHEME_ALPHA);
    standard.events = STI_EVENTS_AUTO;
    standard.step = scene->step.h;
    standard.law = scene->step.law;
    if (scene->robot_count > 0) status = sti_source_embed(&l->source);
    if (status == STI_OK) status = begin(l, options != NULL ? options : &standard);
    return sti_simulation_begun(status, out);
}

static void now(const void* self, sti_moment* out) {
    const life* l = self;
    const sti_world_scene* scene = sti_world_scene_of(l->source.document);
    *out = (sti_moment){.steps = l->run.steps,
                        .time = sti_stepper_time(l->stepper),
                        .h = l->options.step,
                        .start = l->start,
                        .end = l->start + (scene != NULL ? scene->time : default_time)};
}

// ---- steps

static void add_events(sti_system_run* run, const sti_step_report* r) {
    run->events += r->events;
    run->stepped += r->stepped;
    for (int k = 0; k < r->events && k < STI_STEP_EVENTS; k++) {
        run->kinds[r->event[k].kind]++;
        if (run->event_count < STI_RUN_EVENTS) run->event[run->event_count++] = r->event[k];
    }
}

static void add_up(sti_system_run* run, const sti_step_report* r) {
    run->work += r->work;
    run->loss += r->loss;
    run->defect += r->defect;
    run->pieces += r->pieces;
    if (r->pieces > run->most_pieces) run->most_pieces = r->pieces;
    const double energy = r->kinetic + r->potential - (isnan(run->work) ? 0 : run->work);
    run->steps = r->step;
    run->collisions += r->collisions;
    if (r->active > run->most_active) run->most_active = r->active;
    run->largest_rise = fmax(run->largest_rise, energy - run->least_energy);
    run->least_energy = fmin(run->least_energy, energy);
    run->last_kinetic = r->kinetic;
    run->last_potential = r->potential;
    run->collision_energy += r->collision_energy;
    run->gain += r->gain;
    run->relaxed += r->relaxed;
    run->dropped += r->dropped;
    run->worst_residual = fmax(run->worst_residual, r->residual);
    run->worst_penetration = fmax(run->worst_penetration, r->penetration);
    run->worst_drift = fmax(run->worst_drift, r->drift);
    run->worst_drift_rate = fmax(run->worst_drift_rate, r->drift_rate);
    run->index = r->index;
    run->worst_duality_gap = fmax(run->worst_duality_gap, r->duality_gap);
    add_events(run, r);
    run->worst_correction = fmax(run->worst_correction, r->corrected);
    run->worst_lift = fmax(run->worst_lift, r->lift);
}

static void keep_contacts(life* l, const sti_step_report* r) {
    for (size_t i = 0; i < contacts_of(l); i++) {
        sti_system_run_contact* k = &l->run.contact[i];
        k->mode = r->mode[i];
        k->gap = r->gap[i];
        k->impulse_n = r->impulse_n[i];
        k->hit = r->collision_at[i];
        k->lift = r->lifts[i];
        k->most_lift = fmax(k->most_lift, k->lift);
        memcpy(k->impulse_t, r->impulse_t + 2 * i, sizeof k->impulse_t);
        memcpy(k->slip, r->slip + 2 * i, sizeof k->slip);
        if (isnan(k->hit)) continue;
        if (k->collisions++ == 0) k->first = k->hit;
        k->last = k->hit;
    }
}

// Impacts: located ones, or the change of the velocity in a step that closes contacts.
static void measure_impacts(life* l, const sti_step_report* r) {
    for (int k = 0; k < r->jump_count; k++) sti_meter_atom(l->meter, r->jump_time[k], r->jump_size[k]);
    if (l->meter->m.located)
        l->meter->m.atoms += r->collisions - r->jump_count;
    else if (r->collisions > 0)
        sti_meter_atom(l->meter, r->collision_time, sqrt(sti_meter_change(l->meter, 0, (int)coordinates_of(l))));
}

// The cone of the contacts that are closed at the end of the step; where there are none, of those that collided last in
// it.
static sti_status look(life* l, const sti_step_report* r) {
    const int contacts = open_contacts(l);
    double last = -INFINITY;
    bool any = false;
    sti_status status = sti_system_instant_update(l->run.system, sti_stepper_time(l->stepper),
                                                  sti_stepper_q(l->stepper), sti_stepper_v(l->stepper), l->instant);
    if (status != STI_OK) return status;
    for (int i = 0; i < contacts; i++) {
        any = any || l->closed[i];
        if (!isnan(r->collision_at[i])) last = fmax(last, r->collision_at[i]);
    }
    for (int i = 0; !any && i < contacts; i++) l->closed[i] = r->collision_at[i] == last;
    status = sti_meter_look(l->meter, l->instant, l->closed, contacts);
    for (int i = 0; !any && i < contacts; i++) l->closed[i] = false;
    return status;
}

// What a sum of directions of the facets adds up to at least, to be t: K at equal angles, the first along the first
// tangent, as steps take them.
static double facet_sum(int facets, const double* t) {
    const int count = facets == 3 ? 4 : facets;
    double most = 0;
    for (int k = 0; k < count; k++) {
        const double edge = (2 * k + 1) * M_PI / count;
        most = fmax(most, (cos(edge) * t[0] + sin(edge) * t[1]) / cos(M_PI / count));
    }
    return most;
}

// What facets changed. A contact that sticks does so within the disc too. One that slides with the slip s has the
// impulse c_t of a corner or a side, whose sum is mu c_n with the friction that the step took; with the impulse delta =
// -mu c_n s / |s| - c_t added it is Coulomb's. So the step is one with the round cone under these impulses more, and
// they are shown to be at most 2 sin(pi / 2K) mu c_n. A slip that is rounding has no direction: it is none.
static void measure_facets(life* l, const sti_step_report* r) {
    double sum = 0, most = 0;
    const sti_stepper_options* o = &l->options;
    if (o->scheme != STI_SCHEME_ALPHA || o->friction != STI_FRICTION_FACETS || o->events != STI_EVENTS_OFF) return;
    double fastest = 1;
    for (size_t j = 0; j < coordinates_of(l); j++) fastest = fmax(fastest, fabs(sti_stepper_v(l->stepper)[j]));
    for (int i = 0; i < open_contacts(l); i++) {
        const sti_instant_contact* c = &l->instant->contacts[i];
        const double *t = r->impulse_t + 2 * i, *s = r->slip + 2 * i, speed = hypot(s[0], s[1]);
        const bool slides = r->mode[i] == STI_MODE_SLIDE && speed > 1e-12 * fastest;
        if (c->tangent_count != 2 || c->corner_count > 0) continue;
        const double bound = slides ? facet_sum(o->facets, t) : c->mu * r->impulse_n[i];
        if (!(bound > 0)) continue;
        most += bound;
        if (slides) sum += hypot(t[0] + bound * s[0] / speed, t[1] + bound * s[1] / speed);
    }
    if (!(most > 0)) return;
    if (r->pieces > 1 || r->collisions > 0) {
        l->run.facet_passed++;
        return;
    }
    l->run.facet_steps++;
    l->run.facet_impulse += sum;
    l->run.worst_facet = fmax(l->run.worst_facet, sum / most);
}

static sti_status measure(life* l, const sti_step_report* r) {
    double normal = 0;
    for (int i = 0; i < open_contacts(l); i++) normal += r->impulse_n[i];
    const bool changed = find_closed(l) || r->collisions > 0;
    take_row(l, normal);
    measure_impacts(l, r);
    measure_facets(l, r);
    return sti_meter_due(l->meter, r->step, changed) ? look(l, r) : STI_OK;
}

static sti_status step(void* self, bool* made, bool* over) {
    life* l = self;
    sti_step_report r;
    const sti_status status = sti_stepper_step(l->stepper, &r);
    if (status != STI_OK) return status;
    *made = r.outcome == STI_SOLVED;
    *over = l->run.failed = !*made;
    if (l->run.failed) {
        snprintf(l->run.why, sizeof l->run.why, "%s: %.200s", sti_outcome_text(r.outcome), r.why);
        return STI_OK;
    }
    l->run.report = r;
    add_up(&l->run, &r);
    keep_contacts(l, &r);
    return measure(l, &r);
}

// ---- the recording

static int series(const void* self, sti_series_def* defs) {
    const life* l = self;
    const int n = (int)coordinates_of(l), p = (int)contacts_of(l);
    const sti_series_def all[SERIES] = {
        [TIME] = {.name = "steps/time"},
        [Q] = {.name = "steps/q", .columns = n},
        [V] = {.name = "steps/v", .columns = n},
        [V_ALPHA] = {.name = "steps/v_alpha", .columns = n},
        [KINETIC] = {.name = "steps/kinetic"},
        [POTENTIAL] = {.name = "steps/potential"},
        [RESIDUAL] = {.name = "steps/residual"},
        [COLLISIONS] = {.name = "steps/collisions", .type = STI_RECORD_INT},
        [WORK] = {.name = "steps/work"},
        [FRICTION] = {.name = "steps/friction"},
        [PIECES] = {.name = "steps/pieces", .type = STI_RECORD_INT},
        [EVENTS] = {.name = "steps/events", .type = STI_RECORD_INT},
        [GAP] = {.name = "contacts/gap", .columns = p},
        [IMPULSE_N] = {.name = "contacts/impulse_n", .columns = p},
        [IMPULSE_T] = {.name = "contacts/impulse_t", .items = p, .columns = 2},
        [MODE] = {.name = "contacts/mode", .type = STI_RECORD_INT, .columns = p},
        [SLIP] = {.name = "contacts/slip", .items = p, .columns = 2},
    };
    memcpy(defs, all, sizeof all);
    return p > 0 ? SERIES : GAP;
}

static sti_status put_names(const life* l, sti_recording* r, const char* name, int count,
                            const char* (*get)(const sti_system*, int)) {
    size_t size = 1, at = 0;
    for (int i = 0; i < count; i++) size += strlen(get(l->run.system, i)) + 1;
    char* text = sti_alloc(l->source.env, size);
    if (text == NULL) return STI_ERR_MEMORY;
    text[0] = '\0';
    for (int i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s", i > 0 ? "\n" : "", get(l->run.system, i));
    const sti_status status = sti_recording_put_text(r, name, text);
    sti_free(l->source.env, text);
    return status;
}

static sti_status texts(const void* self, sti_recording* r) {
    const life* l = self;
    const int n = (int)coordinates_of(l), p = (int)contacts_of(l);
    sti_status status = put_names(l, r, "coordinates", n, sti_system_coordinate);
    if (status == STI_OK && p > 0) status = put_names(l, r, "contact_names", p, sti_system_contact);
    return status == STI_OK ? sti_recording_put_text(r, "system", l->source.text) : status;
}

// Of a list of contacts: one member of each, `columns` numbers.
static sti_status record_contacts(const life* l, sti_recording* recording, const int* series_of) {
    const size_t p = contacts_of(l);
    sti_arena memory = sti_arena_make(l->source.env);
    double* x = sti_arena_raw(&memory, sti_size_mul(6, p), sizeof *x);
    int* mode = sti_arena_raw(&memory, p, sizeof *mode);
    sti_status status = STI_OK;
    if (memory.status != STI_OK) status = STI_ERR_MEMORY;
    for (size_t i = 0; status == STI_OK && i < p; i++) {
        const sti_system_run_contact* k = &l->run.contact[i];
        x[i] = k->gap;
        x[p + i] = k->impulse_n;
        memcpy(x + 2 * (p + i), k->impulse_t, sizeof k->impulse_t);
        memcpy(x + 2 * (2 * p + i), k->slip, sizeof k->slip);
        mode[i] = k->mode;
    }
    if (status == STI_OK) status = sti_recording_append(recording, series_of[GAP], 1, x);
    if (status == STI_OK) status = sti_recording_append(recording, series_of[IMPULSE_N], 1, x + p);
    if (status == STI_OK) status = sti_recording_append(recording, series_of[IMPULSE_T], 1, x + 2 * p);
    if (status == STI_OK) status = sti_recording_append(recording, series_of[MODE], 1, mode);
    if (status == STI_OK) status = sti_recording_append(recording, series_of[SLIP], 1, x + 4 * p);
    sti_arena_clear(&memory);
    return status;
}

static sti_status record(const void* self, sti_recording* recording, const int* series_of) {
    const life* l = self;
    const sti_step_report* r = &l->run.report;
    const double time = sti_stepper_time(l->stepper);
    const void* const rows[GAP] = {&time,
                                   sti_stepper_q(l->stepper),
                                   sti_stepper_v(l->stepper),
                                   sti_stepper_v_alpha(l->stepper),
                                   &l->run.last_kinetic,
                                   &l->run.last_potential,
                                   &r->residual,
                                   &r->collisions,
                                   &r->work,
                                   &r->loss,
                                   &r->pieces,
                                   &r->events};
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < GAP; k++)
        status = sti_recording_append(recording, series_of[k], 1, rows[k]);
    return status == STI_OK && contacts_of(l) > 0 ? record_contacts(l, recording, series_of) : status;
}

// ---- the table

static const char* const contact_columns[] = {"gap:", "impulse_n:", "impulse_t:", "slip:", "collision:"};

// Of two directions of slip each has a column.
static void put_contact_names(const life* l, int i, FILE* f) {
    for (int k = 0; k < 5; k++) {
        const bool tangential = k == 2 || k == 3;
        const int count = tangential ? l->run.contact[i].tangents : 1;
        for (int a = 0; a < count; a++) {
            fprintf(f, ",%s", contact_columns[k]);
            sti_table_name(f, sti_system_contact(l->run.system, i));
            if (count > 1) fprintf(f, ":%d", a + 1);
        }
    }
}

static void header(const void* self, int table, FILE* f) {
    static const char* const tail[] = {"", "'", "'_alpha"};
    const life* l = self;
    (void)table;
    fprintf(f, "t");
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < (int)coordinates_of(l); i++)
            fprintf(f, ",%s%s", sti_system_coordinate(l->run.system, i), tail[kind]);
    }
    fprintf(f, ",kinetic,potential,residual,collisions,active,penetration,drift,work,friction,pieces");
    for (int i = 0; i < open_contacts(l); i++) {
        fprintf(f, ",mode:");
        sti_table_name(f, sti_system_contact(l->run.system, i));
    }
    fprintf(f, ",collision_time,collision_energy");
    for (int i = 0; i < open_contacts(l); i++) put_contact_names(l, i, f);
    fprintf(f, ",drift_rate,events,stepped,lift,duality_gap");
    for (int i = 0; i < open_contacts(l); i++) {
        fprintf(f, ",lift:");
        sti_table_name(f, sti_system_contact(l->run.system, i));
    }
    fputc('\n', f);
}

static void put_contact(const sti_system_run_contact* k, FILE* f) {
    sti_table_number(f, k->gap);
    sti_table_number(f, k->impulse_n);
    for (int a = 0; a < k->tangents; a++) sti_table_number(f, k->impulse_t[a]);
    for (int a = 0; a < k->tangents; a++) sti_table_number(f, k->slip[a]);
    sti_table_number(f, k->hit);
}

static sti_status lines(const void* self, int table, FILE* f) {
    const life* l = self;
    const sti_step_report* r = &l->run.report;
    const bool stepped = r->step > 0;
    const double* const parts[] = {sti_stepper_q(l->stepper), sti_stepper_v(l->stepper),
                                   sti_stepper_v_alpha(l->stepper)};
    (void)table;
    fprintf(f, "%.17g", sti_stepper_time(l->stepper));
    for (int kind = 0; kind < 3; kind++) {
        for (size_t i = 0; i < coordinates_of(l); i++) fprintf(f, ",%.17g", parts[kind][i]);
    }
    fprintf(f, ",%.17g,%.17g,%.17g,%d,%d,%.17g,%.17g,%.17g,%.17g,%d", l->run.last_kinetic, l->run.last_potential,
            r->residual, r->collisions, r->active, r->penetration, r->drift, r->work, r->loss, r->pieces);
    for (int i = 0; i < open_contacts(l); i++)
        fprintf(f, ",%s", stepped ? sti_contact_mode_text((sti_contact_mode)l->run.contact[i].mode) : "");
    sti_table_number(f, stepped ? r->collision_time : NAN);
    sti_table_number(f, r->collision_energy);
    for (int i = 0; i < open_contacts(l); i++) put_contact(&l->run.contact[i], f);
    sti_table_number(f, r->drift_rate);
    fprintf(f, ",%d,%.17g,%.17g", r->events, r->stepped, r->lift);
    sti_table_number(f, stepped ? r->duality_gap : NAN);
    for (int i = 0; i < open_contacts(l); i++) sti_table_number(f, l->run.contact[i].lift);
    fputc('\n', f);
    return STI_OK;
}

static size_t curve_columns(const void* self) {
    return 3 + 2 * coordinates_of(self);
}

static void curve(const void* self, double* row) {
    const life* l = self;
    const size_t n = coordinates_of(l);
    row[0] = sti_stepper_time(l->stepper);
    memcpy(row + 1, sti_stepper_q(l->stepper), n * sizeof *row);
    memcpy(row + 1 + n, sti_stepper_v_alpha(l->stepper), n * sizeof *row);
    row[1 + 2 * n] = l->run.last_kinetic;
    row[2 + 2 * n] = l->run.last_potential;
}

// ---- the last step as a problem

static void drop_problem(sti_env* env, void* memory) {
    sti_stepper_problem_clear(env, memory);
    sti_free(env, memory);
}

static sti_status problem(const void* self, sti_env* env, sti_run_problem* out) {
    const life* l = self;
    if (l->run.report.step == 0)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "no step was made since the run was begun or resumed");
    sti_stepper_problem* p = sti_alloc_array_zero(env, 1, sizeof *p);
    if (p == NULL) return STI_ERR_MEMORY;
    const sti_status status = sti_stepper_pose(env, l->stepper, p);
    out->memory = p;
    out->drop = drop_problem;
    if (p->round)
        out->contact = &p->contact;
    else
        out->mlcp = &p->mlcp;
    if (status != STI_OK) sti_run_problem_clear(env, out);
    return status;
}

// ---- checkpoints

static sti_status save(const void* self, sti_store* out) {
    const life* l = self;
    void* state;
    size_t size;
    sti_status status = sti_stepper_save_state(l->stepper, &state, &size);
    if (status != STI_OK) return status;
    sti_store_put_members(out, "options", &l->options, option_members, STI_MEMBER_COUNT(option_members));
    if (l->E != NULL)
        sti_store_put_numbers(out, "options.E", l->E, (size_t)open_contacts(l) * (size_t)open_contacts(l));
    if (l->stiffness != NULL) sti_store_put_numbers(out, "options.stiffness", l->stiffness, (size_t)open_contacts(l));
    sti_store_put_numbers(out, "start", &l->start, 1);
    sti_store_put_members(out, "system", &l->run, members, STI_MEMBER_COUNT(members));
    sti_store_put_bytes(out, "state", state, size);
    sti_meter_save(l->meter, out);
    sti_free(l->source.env, state);
    for (int k = 0; status == STI_OK && k < STI_MEMBER_COUNT(event_members); k++)
        status = sti_store_put_column(out, "events", l->run.event, sizeof *l->run.event, (size_t)l->run.event_count,
                                      &event_members[k]);
    if (status == STI_OK)
        status =
            sti_store_put_column(out, "system", l->run.kinds, sizeof l->run.kinds[0], STI_EVENT_COUNT, &kind_member);
    for (int k = 0; status == STI_OK && k < STI_MEMBER_COUNT(contact_members); k++)
        status = sti_store_put_column(out, "contacts", l->run.contact, sizeof *l->run.contact, contacts_of(l),
                                      &contact_members[k]);
    return status;
}

// Choices are saved as numbers: those there are.
static sti_status load_options(life* l, const sti_store* in) {
    size_t count;
    sti_stepper_options* o = &l->options;
    *o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    const sti_status status = sti_store_get_members(in, "options", o, option_members, STI_MEMBER_COUNT(option_members));
    if (status != STI_OK) return status;
    const struct {
        int value, last;
        const char* name;
    } choices[] = {{(int)o->scheme, STI_SCHEME_COUNT - 1, "options.scheme"},
                   {(int)o->geometry, STI_GEOMETRY_OLD, "options.geometry"},
                   {(int)o->friction, STI_FRICTION_CONE, "options.friction"},
                   {(int)o->active, STI_ACTIVE_GAP, "options.active"},
                   {(int)o->level, STI_LEVEL_GAP, "options.level"},
                   {(int)o->events, STI_EVENTS_AUTO, "options.events"},
                   {(int)o->law, STI_IMPACT_LAW_COUNT - 1, "options.law"}};
    for (size_t k = 0; k < sizeof choices / sizeof choices[0]; k++) {
        if (choices[k].value < 0 || choices[k].value > choices[k].last) return sti_store_missing(in, choices[k].name);
    }
    const double* E = sti_store_numbers(in, "options.E", &count);
    if (E != NULL && count != (size_t)open_contacts(l) * (size_t)open_contacts(l))
        return sti_store_missing(in, "options.E");
    const double* stiffness = sti_store_numbers(in, "options.stiffness", &count);
    if (stiffness != NULL && count != (size_t)open_contacts(l)) return sti_store_missing(in, "options.stiffness");
    return keep_laws(l, E, stiffness);
}

static sti_status load_events(life* l, const sti_store* in) {
    sti_system_run* run = &l->run;
    if (run->event_count < 0 || run->event_count > STI_RUN_EVENTS) return sti_store_missing(in, "system.event_count");
    sti_status status =
        sti_store_get_column(in, "system", run->kinds, sizeof run->kinds[0], STI_EVENT_COUNT, &kind_member);
    for (int k = 0; status == STI_OK && k < STI_MEMBER_COUNT(event_members); k++)
        status = sti_store_get_column(in, "events", run->event, sizeof *run->event, (size_t)run->event_count,
                                      &event_members[k]);
    for (int k = 0; status == STI_OK && k < run->event_count; k++) {
        const sti_event* e = &run->event[k];
        if ((int)e->kind < 0 || e->kind >= STI_EVENT_COUNT) return sti_store_missing(in, "events.kind");
        if (e->contact < 0 || (size_t)e->contact >= contacts_of(l)) return sti_store_missing(in, "events.contact");
    }
    return status;
}

static sti_status load_state(life* l, const sti_store* in) {
    size_t size;
    const double* start = sti_store_numbers(in, "start", &size);
    if (start == NULL || size != 1) return sti_store_missing(in, "start");
    const void* state = sti_store_bytes(in, "state", &size);
    if (state == NULL) return sti_store_missing(in, "state");
    sti_status status = sti_stepper_load_state(l->stepper, state, size);
    if (status == STI_OK) status = sti_store_get_members(in, "system", &l->run, members, STI_MEMBER_COUNT(members));
    for (int k = 0; status == STI_OK && k < STI_MEMBER_COUNT(contact_members); k++)
        status = sti_store_get_column(in, "contacts", l->run.contact, sizeof *l->run.contact, contacts_of(l),
                                      &contact_members[k]);
    l->start = *start;
    if (status == STI_OK) status = load_events(l, in);
    if (status == STI_OK) status = sti_meter_load(l->meter, in);
    for (size_t i = 0; status == STI_OK && i < contacts_of(l); i++) {
        if (l->run.contact[i].mode < 0 || l->run.contact[i].mode > STI_MODE_SLIDE)
            return sti_store_missing(in, "contacts.mode");
    }
    if (status == STI_OK) find_closed(l);
    return status == STI_OK && l->run.steps < 0 ? sti_store_missing(in, "system.steps") : status;
}

static sti_status load(void* self, const sti_store* in) {
    life* l = self;
    sti_status status = find_system(l);
    if (status == STI_OK) status = load_options(l, in);
    if (status == STI_OK) status = make_stepper(l);
    return status == STI_OK ? load_state(l, in) : status;
}

const sti_simulation_type sti_simulation_system = {
    .kind = "system",
    .version = 4,
    .document = STI_KIND_SYSTEM,
    .size = sizeof(life),
    .now = now,
    .step = step,
    .problem = problem,
    .save = save,
    .load = load,
    .clear = clear,
    .series = series,
    .texts = texts,
    .record = record,
    .tables = 1,
    .header = header,
    .lines = lines,
    .curve_columns = curve_columns,
    .curve = curve,
};

// Bodies as a system.
const sti_simulation_type sti_simulation_world_system = {
    .kind = "bodies_system",
    .version = 1,
    .document = STI_KIND_SCENE,
    .size = sizeof(life),
    .now = now,
    .step = step,
    .save = save,
    .load = load,
    .clear = clear,
    .series = series,
    .texts = texts,
    .record = record,
    .tables = 1,
    .header = header,
    .lines = lines,
    .curve_columns = curve_columns,
    .curve = curve,
};

const sti_system_run* sti_system_run_of(const sti_run* run) {
    const life* l = sti_run_self(run, &sti_simulation_system);
    if (l == NULL) l = sti_run_self(run, &sti_simulation_world_system);
    return l != NULL ? &l->run : NULL;
}
