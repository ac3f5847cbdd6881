// grains.c: the life of a bed of grains: sums of what steps report, rest, tests for jamming on the way, grains that
// leave and come in again.
//
// A bed is at rest when its kinetic energy, once above the scene's "until", stays below it for as long as a grain takes
// to fall by its diameter: whatever moves stands still for a moment where it turns. A run that is gone on with to a
// later time goes on past rest.
//
//     trajectory.h5   as sti_bed_record writes it (stiction/recording.h)
#include <math.h>
#include <string.h>

#include "run/meter.h"
#include "run/simulation.h"

typedef struct life {
    sti_source source;  // first
    sti_bed_run run;    // what sti_bed_run_of shows
    sti_bed_scene scene;
    char* text;  // the scene with its settings, for the recording
    sti_grains grains;
    sti_bed* bed;
    sti_recirculation* flow;  // NULL: the bottom is closed
    sti_bed_record* record;   // NULL: no files
    sti_meter* meter;
    unsigned char* hit;        // in this step                            (grains)
    sti_bed_contact* contact;  // room for those of a step                (contact_room)
    size_t contact_room;
    double jamming_every, jamming_limit_s;
    double accept;
    double until;      // kinetic energy below which it may rest
    long until_steps;  // in a row
    double start_kinetic;
    bool past_rest;
    bool stepped;  // since the run was begun or resumed
} life;

static const sti_member members[] = {
    STI_MEMBER(sti_bed_run, STI_CHARS, name),
    STI_MEMBER(sti_bed_run, STI_CHARS, method),
    STI_MEMBER(sti_bed_run, STI_LONG, steps),
    STI_MEMBER(sti_bed_run, STI_LONG, unsolved),
    STI_MEMBER(sti_bed_run, STI_LONG, first_unsolved),
    STI_MEMBER(sti_bed_run, STI_LONG, deep),
    STI_MEMBER(sti_bed_run, STI_LONG, accepted),
    STI_MEMBER(sti_bed_run, STI_LONG, first_accepted),
    STI_MEMBER(sti_bed_run, STI_DOUBLE, accepted_residual),
    STI_MEMBER(sti_bed_run, STI_LONG, iterations),
    STI_MEMBER(sti_bed_run, STI_LONG, most_iterations),
    STI_MEMBER(sti_bed_run, STI_LONG, most_contacts),
    STI_MEMBER(sti_bed_run, STI_LONG, quiet),
    STI_MEMBER(sti_bed_run, STI_LONG, frame_every),
    STI_MEMBER(sti_bed_run, STI_LONG, frames),
    STI_MEMBER(sti_bed_run, STI_DOUBLE, worst_residual),
    STI_MEMBER(sti_bed_run, STI_DOUBLE, worst_penetration),
    STI_MEMBER(sti_bed_run, STI_DOUBLE, worst_cone),
    STI_MEMBER(sti_bed_run, STI_DOUBLE, worst_lift),
    STI_MEMBER(sti_bed_run, STI_DOUBLE, worst_gap),
    STI_MEMBER(sti_bed_run, STI_DOUBLE, worst_momentum),
    STI_MEMBER(sti_bed_run, STI_DOUBLE, first_energy),
    STI_MEMBER(sti_bed_run, STI_DOUBLE, peak_kinetic),
    STI_MEMBER(sti_bed_run, STI_LONG, jamming_tests),
    STI_MEMBER(sti_bed_run, STI_LONG, jamming_holds),
    STI_MEMBER(sti_bed_run, STI_LONG, jamming_fails),
    STI_MEMBER(sti_bed_run, STI_DOUBLE, jamming_first),
    STI_MEMBER(sti_bed_run, STI_DOUBLE, time_search_s),
    STI_MEMBER(sti_bed_run, STI_DOUBLE, time_solve_s),
    STI_MEMBER(sti_bed_run, STI_DOUBLE, time_rest_s),
};

static const sti_member last_members[] = {
    STI_MEMBER(sti_bed_report, STI_LONG, step),
    STI_MEMBER(sti_bed_report, STI_DOUBLE, time),
    STI_MEMBER(sti_bed_report, STI_INT, contacts),
    STI_MEMBER(sti_bed_report, STI_INT, touching),
    STI_MEMBER(sti_bed_report, STI_DOUBLE, residual),
    STI_MEMBER(sti_bed_report, STI_DOUBLE, objective),
    STI_MEMBER(sti_bed_report, STI_DOUBLE, gap),
    STI_MEMBER(sti_bed_report, STI_LONG, iterations),
    STI_MEMBER(sti_bed_report, STI_BOOL, solved),
    STI_MEMBER(sti_bed_report, STI_BOOL, sound),
    STI_MEMBER(sti_bed_report, STI_DOUBLE, kinetic),
    STI_MEMBER(sti_bed_report, STI_DOUBLE, potential),
    STI_MEMBER(sti_bed_report, STI_DOUBLE, penetration),
    STI_MEMBER(sti_bed_report, STI_DOUBLE, overlap),
    STI_MEMBER(sti_bed_report, STI_DOUBLE, cone_violation),
    STI_MEMBER(sti_bed_report, STI_DOUBLE, balance),
    STI_MEMBER(sti_bed_report, STI_DOUBLE, momentum),
    STI_MEMBER(sti_bed_report, STI_DOUBLE, impulses),
    STI_MEMBER(sti_bed_report, STI_DOUBLE, lift),
};

// ---- begin

static void clear(void* self) {
    life* l = self;
    sti_bed_record_destroy(l->record);
    sti_meter_destroy(l->meter);
    sti_free(l->source.env, l->hit);
    sti_free(l->source.env, l->contact);
    sti_recirculation_destroy(l->source.env, l->flow);
    sti_bed_destroy(l->bed);
    sti_grains_clear(l->source.env, &l->grains);
    sti_env_free(l->source.env, l->text);
}

static double largest_radius(const sti_grains* g) {
    double radius = 0;
    for (int k = 0; k < g->count; k++) radius = fmax(radius, g->radius[k]);
    return radius;
}

// The mean of the scene is that of grains of diameter 1 under 9.81; others have other energies m g d.
static void find_rest(life* l) {
    enum { LEAST = 20 };
    const sti_bed_layout* bed = &l->scene.bed;
    const double diameter = bed->radius > 0 ? 2 * bed->radius : 1, gravity = bed->gravity > 0 ? bed->gravity / 9.81 : 1;
    const double mean = l->scene.until_mean * pow(diameter, 4) * gravity, *g = l->grains.gravity;
    const double pull = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const double steps = pull > 0 ? ceil(sqrt(4 * largest_radius(&l->grains) / pull) / l->scene.step.h) : 0;
    l->until = fmax(l->scene.until_kinetic, mean * l->grains.count);
    l->until_steps = steps > LEAST ? (long)fmin(steps, 1e9) : LEAST;
}

static void find_energy(life* l) {
    const sti_grains* g = &l->grains;
    double potential = 0;
    for (int k = 0; k < g->count; k++) {
        const double *v = g->v + 3 * (size_t)k, *w = g->w + 3 * (size_t)k, *x = g->x + 3 * (size_t)k;
        const double m = g->mass[k], I = 0.4 * m * g->radius[k] * g->radius[k];
        for (int i = 0; i < 3; i++) {
            l->start_kinetic += 0.5 * m * v[i] * v[i] + 0.5 * I * w[i] * w[i];
            potential -= m * g->gravity[i] * x[i];
        }
    }
    l->run.first_energy = l->start_kinetic + potential;
}

// Scene, its text and its grains, of the source.
static sti_status make_grains(life* l) {
    const sti_bed_scene* scene = sti_bed_scene_of(l->source.document);
    if (scene == NULL) return STI_FAIL(l->source.env, STI_ERR_INPUT, -1, "bed: missing: a scene of grains is expected");
    l->scene = *scene;
    sti_status status = sti_bed_scene_json(l->source.env, &l->scene, &l->text);
    if (status == STI_OK) status = sti_bed_scene_grains(l->source.env, &l->scene, &l->grains);
    if (status != STI_OK) return status;
    l->run.scene = &l->scene;
    l->run.grains = &l->grains;
    find_rest(l);
    find_energy(l);
    return STI_OK;
}

// Grains that have fallen through the opening come in again within the cylinder.
static sti_status make_flow(life* l) {
    double inner = INFINITY;
    if (!l->scene.bed.recirculate) return STI_OK;
    for (int k = 0; k < l->grains.wall_count; k++) {
        if (l->grains.walls[k].kind == STI_WALL_CYLINDER) inner = fmin(inner, l->grains.walls[k].radius);
    }
    const double radius = largest_radius(&l->grains);
    return sti_recirculation_create(l->source.env, l->bed, -2 * radius, inner - 1.1 * radius, l->scene.bed.seed,
                                    &l->flow);
}

// The velocities of the bed, (v, w) of each grain, to a row of the meter.
static void read_velocities(const life* l, double* row) {
    const size_t n = (size_t)l->grains.count;
    sti_bed_get(l->bed, NULL, row, row + 3 * n);
}

static sti_status make_meter(life* l) {
    l->hit = sti_alloc_array_zero(l->source.env, (size_t)l->grains.count + 1, 1);
    if (l->hit == NULL) return STI_ERR_MEMORY;
    const sti_status status = sti_meter_create(l->source.env, 6 * l->grains.count, 1, &l->meter);
    if (status != STI_OK) return status;
    l->run.measure = &l->meter->m;
    read_velocities(l, sti_meter_velocity(l->meter));
    sti_meter_row(l->meter, sti_bed_time(l->bed), 0);
    return STI_OK;
}

static sti_status begin(life* l, const char* name) {
    sti_status status = make_grains(l);
    if (status == STI_OK) status = sti_bed_create(l->source.env, &l->grains, &l->scene.step, &l->bed);
    if (status == STI_OK) status = make_flow(l);
    if (status == STI_OK) status = make_meter(l);
    if (name != NULL) snprintf(l->run.name, sizeof l->run.name, "%s", name);
    l->run.bed = l->bed;
    l->run.flow = l->flow;
    return status;
}

sti_status sti_bed_simulation(sti_env* env, const sti_run_source* source, sti_simulation** out) {
    sti_status status = sti_simulation_begin(env, &sti_simulation_grains, source, out);
    if (status == STI_OK) status = begin((*out)->self, source->name);
    return sti_simulation_begun(status, out);
}

static bool rests(const life* l) {
    return l->run.peak_kinetic > l->until && l->run.quiet >= l->until_steps;
}

// As asked, or a hundred in all, and fewer of a bed so large that they would fill a gigabyte.
static long frame_distance(const life* l, double frame, long steps) {
    if (frame > 0) return (long)fmax(1, fmin(floor(frame / l->scene.step.h + 0.5), 1e15));
    const double bytes = 400.0 * l->grains.count, frames = fmax(2, fmin(100, 1e9 / bytes));
    return (long)ceil((double)steps / frames);
}

// The method that the run was begun with, or none.
static sti_status use_method(life* l, const sti_bed_method* method) {
    const char* name = method != NULL ? method->name : "";
    if (l->run.steps > 0 && strcmp(name, l->run.method) != 0)
        return STI_FAIL(l->source.env, STI_ERR_INPUT, -1, "method: \"%.60s\": the run was begun with \"%s\"", name,
                        l->run.method);
    if (method == NULL) return STI_OK;
    if (strlen(name) >= sizeof l->run.method)
        return STI_FAIL(l->source.env, STI_ERR_ARGUMENT, -1, "method: a name of at most %zu characters is expected",
                        sizeof l->run.method - 1);
    snprintf(l->run.method, sizeof l->run.method, "%s", name);
    return sti_bed_use(l->bed, method);
}

static sti_status prepare(void* self, const sti_run_options* options, long steps) {
    life* l = self;
    l->accept = options->accept;
    l->jamming_every = options->jamming_every;
    l->jamming_limit_s = options->jamming_limit_s;
    if (l->run.frame_every == 0) l->run.frame_every = frame_distance(l, options->frame, steps);
    l->past_rest = l->run.steps > 0 && options->time > 0 && l->run.steps < steps && rests(l);
    return use_method(l, options->method);
}

static void now(const void* self, sti_moment* out) {
    const life* l = self;
    *out = (sti_moment){.steps = l->run.steps,
                        .time = sti_bed_time(l->bed),
                        .h = l->scene.step.h,
                        .end = l->scene.time,
                        .over = rests(l) && !l->past_rest};
}

// ---- steps

static void add_solved(sti_bed_run* t, const sti_bed_report* r, double accept) {
    if (!r->solved && t->unsolved++ == 0) t->first_unsolved = r->step;
    t->deep += !r->sound;
    if (!r->solved && r->sound && r->residual <= accept) {
        if (t->accepted++ == 0) t->first_accepted = r->step;
        t->accepted_residual = fmax(t->accepted_residual, r->residual);
    }
}

static void add_up(sti_bed_run* t, const sti_bed_report* r) {
    t->steps = r->step;
    t->iterations += r->iterations;
    if (r->iterations > t->most_iterations) t->most_iterations = r->iterations;
    if (r->contacts > t->most_contacts) t->most_contacts = r->contacts;
    t->worst_residual = fmax(t->worst_residual, r->residual);
    t->worst_penetration = fmax(t->worst_penetration, fmax(r->penetration, r->overlap));
    t->worst_cone = fmax(t->worst_cone, r->cone_violation);
    t->worst_lift = fmax(t->worst_lift, r->lift);
    t->worst_gap = fmax(t->worst_gap, r->gap);
    t->worst_momentum = fmax(t->worst_momentum, r->momentum);
    t->peak_kinetic = fmax(t->peak_kinetic, r->kinetic);
    t->time_search_s += r->time_search_s;
    t->time_solve_s += r->time_solve_s;
    t->time_rest_s += r->time_rest_s;
    t->last = *r;
}

static sti_status ask_whether_jammed(life* l) {
    sti_bed_run* t = &l->run;
    const double every = fmin(fmax(1, floor(l->jamming_every / l->scene.step.h + 0.5)), 1e15);
    sti_jamming_options options = sti_jamming_options_default();
    sti_bed_jamming found;
    if (!(l->jamming_every > 0) || t->steps % (long)every != 0) return STI_OK;
    options.time_limit_s = l->jamming_limit_s;
    sti_status status = sti_bed_jamming_analyze(l->source.env, l->bed, &options, &found);
    if (status != STI_OK) return status;
    const bool fails = found.pointed == STI_FINDING_FAILS;
    if (fails && t->jamming_fails == 0) t->jamming_first = t->last.time;
    t->jamming_tests++;
    t->jamming_holds += found.pointed == STI_FINDING_HOLDS;
    t->jamming_fails += fails;
    if (l->record != NULL) status = sti_bed_record_jamming(l->record, l->bed, t->steps, &found);
    sti_bed_jamming_clear(l->source.env, &found);
    return status;
}

// Of velocities before the step; walls do not move along their normals.
static double approach(const sti_bed_contact* c, const double* before) {
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum -=
            c->n[i] * (before[3 * (size_t)c->a + (size_t)i] - (c->b >= 0 ? before[3 * (size_t)c->b + (size_t)i] : 0));
    return sum;
}

// Grains at contacts that carry and closed faster than `least`.
static sti_status find_hit(life* l, double least, bool* any) {
    const size_t count = (size_t)sti_bed_contact_count(l->bed);
    const double* before = sti_meter_before(l->meter);
    if (count > l->contact_room) {
        sti_free(l->source.env, l->contact);
        l->contact_room = 0;
        l->contact = sti_alloc_array(l->source.env, count + count / 4, sizeof *l->contact);
        if (l->contact == NULL) return STI_ERR_MEMORY;
        l->contact_room = count + count / 4;
    }
    if (count > 0) sti_bed_contacts(l->bed, l->contact);
    memset(l->hit, 0, (size_t)l->grains.count);
    for (size_t k = 0; k < count; k++) {
        const sti_bed_contact* c = &l->contact[k];
        if (!(c->r[0] * c->n[0] + c->r[1] * c->n[1] + c->r[2] * c->n[2] > 0) || !(approach(c, before) > least))
            continue;
        l->hit[c->a] = 1;
        *any = true;
        if (c->b >= 0) l->hit[c->b] = 1;
    }
    return STI_OK;
}

// A step in which contacts close faster than two steps of falling make them, and some grain changes by half of that or
// more, is an atom: what it changed of the velocities of these grains.
static sti_status measure(life* l, const sti_bed_report* r) {
    const int n = l->grains.count;
    const double* g = l->grains.gravity;
    const double least = 2 * l->scene.step.h * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    bool any = false;
    double change = 0;
    read_velocities(l, sti_meter_velocity(l->meter));
    sti_meter_row(l->meter, r->time, r->impulses);
    for (int k = 0; k < n && !any; k++) any = sti_meter_change(l->meter, 3 * k, 3) > 0.25 * least * least;
    if (!any) return STI_OK;
    any = false;
    const sti_status status = find_hit(l, least, &any);
    if (status != STI_OK || !any) return status;
    for (int k = 0; k < n; k++) {
        if (l->hit[k]) change += sti_meter_change(l->meter, 3 * k, 3) + sti_meter_change(l->meter, 3 * n + 3 * k, 3);
    }
    sti_meter_atom(l->meter, r->time, sqrt(change));
    return STI_OK;
}

static sti_status step(void* self, bool* made, bool* over) {
    life* l = self;
    sti_bed_report r;
    sti_status status = sti_bed_step(l->bed, &r);
    if (status != STI_OK) return status;
    *made = l->stepped = true;
    add_solved(&l->run, &r, l->accept);
    add_up(&l->run, &r);
    status = measure(l, &r);
    if (status != STI_OK) return status;
    l->run.quiet = r.kinetic < l->until ? l->run.quiet + 1 : 0;
    *over = rests(l) && !l->past_rest;
    return ask_whether_jammed(l);
}

// Grains that have left come in again. Files and callers were before: they want places and contacts of one step.
static sti_status turn(void* self) {
    life* l = self;
    if (l->flow == NULL) return STI_OK;
    const sti_status status = sti_recirculation_apply(l->flow, l->bed, NULL);
    read_velocities(l, sti_meter_last(l->meter));  // coming in again is no motion
    return status;
}

static void drop_problem(sti_env* env, void* memory) {
    if (memory != NULL) sti_bed_problem_clear(env, memory);
    sti_free(env, memory);
}

static sti_status problem(const void* self, sti_env* env, sti_run_problem* out) {
    const life* l = self;
    sti_bed_problem* p = sti_alloc_array_zero(env, 1, sizeof *p);
    if (p == NULL) return STI_ERR_MEMORY;
    const sti_status status = sti_bed_problem_make(env, l->bed, p);
    if (status != STI_OK) {
        sti_free(env, p);
        return status;
    }
    out->contact = &p->problem;
    out->contact_answer = &p->answer;
    out->memory = p;
    out->drop = drop_problem;
    return STI_OK;
}

// ---- the recording

static sti_status write_frame(life* l) {
    const sti_status status = sti_bed_record_frame(l->record, l->bed, l->run.steps);
    if (status == STI_OK) l->run.frames = sti_bed_record_frames(l->record);
    return status;
}

static sti_status open_record(void* self, const char* path, const void* state, size_t size) {
    life* l = self;
    return sti_bed_record_create(l->source.env, path, &l->grains, l->text, state, size, &l->record);
}

static sti_status write_moment(void* self) {
    life* l = self;
    const sti_status status = l->run.steps > 0 ? sti_bed_record_step(l->record, &l->run.last) : STI_OK;
    return status == STI_OK && l->run.steps % l->run.frame_every == 0 ? write_frame(l) : status;
}

static sti_status commit(void* self) {
    return sti_bed_record_commit(((life*)self)->record, true);
}

static sti_status position(const void* self, void** bytes, size_t* size) {
    return sti_bed_record_save_state(((const life*)self)->record, bytes, size);
}

// The last frame, where it is none of the regular ones.
static sti_status conclude(void* self) {
    life* l = self;
    return l->run.steps % l->run.frame_every != 0 ? write_frame(l) : STI_OK;
}

// ---- the table

static void put_names(FILE* f, int count, const char* lead) {
    static const char axis[] = "xyz";
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < 3; i++) fprintf(f, ",%s%c%d", lead, axis[i], k);
    }
}

static void header(const void* self, int table, FILE* f) {
    const life* l = self;
    if (table == 1) {
        fputs("t,a,b,gap,nx,ny,nz,impulse_n,impulse_tx,impulse_ty,impulse_tz,lift\n", f);
        return;
    }
    fputc('t', f);
    if (l->grains.count <= STI_BED_TABLE_GRAINS) {
        put_names(f, l->grains.count, "");
        put_names(f, l->grains.count, "v");
        put_names(f, l->grains.count, "w");
    }
    fputs(
        ",kinetic,potential,residual,iterations,solved,contacts,touching,penetration,overlap,cone_violation,balance,"
        "momentum,lift,gap\n",
        f);
}

// Those that carry: the impulse on a, along n and what is left of it; b: a grain, or a wall.
static sti_status contact_lines(const life* l, FILE* f) {
    const int count = sti_bed_contact_count(l->bed);
    sti_bed_contact* list = sti_alloc_array(l->source.env, (size_t)count + 1, sizeof *list);
    if (list == NULL) return STI_ERR_MEMORY;
    sti_bed_contacts(l->bed, list);
    for (int k = 0; k < count; k++) {
        const sti_bed_contact* c = &list[k];
        const double r_n = c->r[0] * c->n[0] + c->r[1] * c->n[1] + c->r[2] * c->n[2];
        if (!(r_n > 0)) continue;
        fprintf(f, "%.17g,%d,", sti_bed_time(l->bed), c->a);
        if (c->b >= 0)
            fprintf(f, "%d", c->b);
        else
            fprintf(f, "wall %d", -1 - c->b);
        fprintf(f, ",%.17g,%.17g,%.17g,%.17g,%.17g", c->gap, c->n[0], c->n[1], c->n[2], r_n);
        for (int i = 0; i < 3; i++) fprintf(f, ",%.17g", c->r[i] - r_n * c->n[i]);
        fprintf(f, ",%.17g\n", c->lift);
    }
    sti_free(l->source.env, list);
    return STI_OK;
}

static void step_line(const life* l, FILE* f) {
    const sti_bed_report* s = &l->run.last;
    const size_t n = (size_t)l->grains.count;
    fprintf(f, "%.17g", s->time);
    if (n <= STI_BED_TABLE_GRAINS) {
        double state[9 * STI_BED_TABLE_GRAINS];
        sti_bed_get(l->bed, state, state + 3 * n, state + 6 * n);
        for (size_t k = 0; k < 9 * n; k++) fprintf(f, ",%.17g", state[k]);
    }
    fprintf(f, ",%.17g,%.17g,%.17g,%ld,%d,%d,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", s->kinetic, s->potential,
            s->residual, s->iterations, s->solved ? 1 : 0, s->contacts, s->touching, s->penetration, s->overlap,
            s->cone_violation, s->balance, s->momentum, s->lift, s->gap);
}

static sti_status lines(const void* self, int table, FILE* f) {
    const life* l = self;
    if (!l->stepped) return STI_OK;  // the start has no report
    if (table == 1) return contact_lines(l, f);
    step_line(l, f);
    return STI_OK;
}

static size_t curve_columns(const void* self) {
    (void)self;
    return 2;
}

static void curve(const void* self, double* row) {
    const life* l = self;
    row[0] = sti_bed_time(l->bed);
    row[1] = l->run.steps > 0 ? l->run.last.kinetic : l->start_kinetic;
}

// ---- checkpoints: bed and flow are states of their own, with a version each

static sti_status save(const void* self, sti_store* out) {
    const life* l = self;
    void* bytes;
    size_t size;
    sti_status status = sti_bed_save_state(l->bed, &bytes, &size);
    if (status != STI_OK) return status;
    sti_store_put_bytes(out, "bed", bytes, size);
    sti_free(l->source.env, bytes);
    sti_store_put_members(out, "grains", &l->run, members, STI_MEMBER_COUNT(members));
    sti_store_put_members(out, "last", &l->run.last, last_members, STI_MEMBER_COUNT(last_members));
    sti_meter_save(l->meter, out);
    if (l->flow == NULL) return STI_OK;
    status = sti_recirculation_save_state(l->flow, &bytes, &size);
    if (status != STI_OK) return status;
    sti_store_put_bytes(out, "flow", bytes, size);
    sti_free(l->source.env, bytes);
    return STI_OK;
}

static sti_status load_bed(life* l, const sti_store* in) {
    size_t size;
    const void* bytes = sti_store_bytes(in, "bed", &size);
    if (bytes == NULL) return sti_store_missing(in, "bed");
    const sti_status status = sti_bed_load_state(l->source.env, bytes, size, &l->bed);
    if (status != STI_OK) return status;
    l->run.bed = l->bed;
    if (sti_bed_count(l->bed) != l->grains.count)
        return STI_FAIL(l->source.env, STI_ERR_INPUT, -1, "bed: %d grains, the scene has %d", sti_bed_count(l->bed),
                        l->grains.count);
    if (!l->scene.bed.recirculate) return STI_OK;
    bytes = sti_store_bytes(in, "flow", &size);
    if (bytes == NULL) return sti_store_missing(in, "flow");
    const sti_status flows = sti_recirculation_load_state(l->source.env, l->bed, bytes, size, &l->flow);
    l->run.flow = l->flow;
    return flows;
}

static sti_status load_sums(life* l, const sti_store* in) {
    sti_status status = sti_store_get_members(in, "grains", &l->run, members, STI_MEMBER_COUNT(members));
    if (status == STI_OK)
        status = sti_store_get_members(in, "last", &l->run.last, last_members, STI_MEMBER_COUNT(last_members));
    if (status != STI_OK) return status;
    if (l->run.steps < 0 || (l->run.steps > 0 && l->run.steps != l->run.last.step))
        return sti_store_missing(in, "grains.steps");
    return l->run.frame_every < 1 ? sti_store_missing(in, "grains.frame_every") : STI_OK;
}

static sti_status load(void* self, const sti_store* in) {
    life* l = self;
    sti_status status = make_grains(l);
    if (status == STI_OK) status = load_bed(l, in);
    if (status == STI_OK) status = load_sums(l, in);
    if (status == STI_OK) status = make_meter(l);
    return status == STI_OK ? sti_meter_load(l->meter, in) : status;
}

const sti_simulation_type sti_simulation_grains = {
    .kind = "grains",
    .version = 2,
    .document = STI_KIND_SCENE,
    .size = sizeof(life),
    .prepare = prepare,
    .now = now,
    .step = step,
    .turn = turn,
    .problem = problem,
    .save = save,
    .load = load,
    .clear = clear,
    .open = open_record,
    .write = write_moment,
    .commit = commit,
    .position = position,
    .conclude = conclude,
    .tables = 2,
    .header = header,
    .lines = lines,
    .curve_columns = curve_columns,
    .curve = curve,
};

const sti_bed_run* sti_bed_run_of(const sti_run* run) {
    const life* l = sti_run_self(run, &sti_simulation_grains);
    return l != NULL ? &l->run : NULL;
}
