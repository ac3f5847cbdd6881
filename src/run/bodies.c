// bodies.c: the life of bodies: every step checked by the rules of the verifier, sums of what steps report, instants
// for pictures.
//
// Steps that are not solved are made with what there was, and told: no step ends such a run.
//
//     trajectory.h5   as sti_world_record writes it (stiction/recording.h)
#include <math.h>
#include <string.h>

#include "run/meter.h"
#include "run/simulation.h"

typedef struct life {
    sti_source source;  // first
    sti_world_run run;  // what sti_world_run_of shows
    sti_world* world;
    sti_run_checker* checker;
    sti_world_record* record;  // NULL: no files
    sti_meter* meter;
    unsigned char* hit;  // by an impact in the last step              (bodies)
    double* sum;         // impulses on each body                      (3 bodies)
    double accept;
    bool (*interrupted)(void* user);  // of the options
    void* user;
    long steps;    // until the end
    bool stepped;  // since the run was begun or resumed
} life;

static const sti_member members[] = {
    STI_MEMBER(sti_world_run, STI_LONG, steps),
    STI_MEMBER(sti_world_run, STI_LONG, unsolved),
    STI_MEMBER(sti_world_run, STI_LONG, first_unsolved),
    STI_MEMBER(sti_world_run, STI_LONG, at_rest),
    STI_MEMBER(sti_world_run, STI_LONG, accepted),
    STI_MEMBER(sti_world_run, STI_LONG, first_accepted),
    STI_MEMBER(sti_world_run, STI_LONG, iterations),
    STI_MEMBER(sti_world_run, STI_LONG, most_iterations),
    STI_MEMBER(sti_world_run, STI_LONG, impacts),
    STI_MEMBER(sti_world_run, STI_LONG, landings),
    STI_MEMBER(sti_world_run, STI_LONG, most_contacts),
    STI_MEMBER(sti_world_run, STI_LONG, most_touching),
    STI_MEMBER(sti_world_run, STI_LONG, frame_every),
    STI_MEMBER(sti_world_run, STI_DOUBLE, first_energy),
    STI_MEMBER(sti_world_run, STI_DOUBLE, peak_kinetic),
    STI_MEMBER(sti_world_run, STI_DOUBLE, work),
    STI_MEMBER(sti_world_run, STI_DOUBLE, mended),
    STI_MEMBER(sti_world_run, STI_DOUBLE, gain),
    STI_MEMBER(sti_world_run, STI_DOUBLE, worst_gain),
    STI_MEMBER(sti_world_run, STI_DOUBLE, impact_energy),
    STI_MEMBER(sti_world_run, STI_DOUBLE, landing_energy),
    STI_MEMBER(sti_world_run, STI_DOUBLE, impact_gain),
    STI_MEMBER(sti_world_run, STI_DOUBLE, accepted_residual),
    STI_MEMBER(sti_world_run, STI_DOUBLE, start_overlap),
    STI_MEMBER(sti_world_run, STI_DOUBLE, start_moved),
    STI_MEMBER(sti_world_run, STI_DOUBLE, start_energy),
    STI_MEMBER(sti_world_run, STI_DOUBLE, start_left),
    STI_MEMBER(sti_world_run, STI_LONG, start_steps),
    STI_MEMBER(sti_world_run, STI_INT, start_a),
    STI_MEMBER(sti_world_run, STI_INT, start_b),
    STI_MEMBER(sti_world_run, STI_DOUBLE, worst_residual),
    STI_MEMBER(sti_world_run, STI_DOUBLE, worst_penetration),
    STI_MEMBER(sti_world_run, STI_DOUBLE, worst_drift),
    STI_MEMBER(sti_world_run, STI_DOUBLE, worst_drift_rate),
    STI_MEMBER(sti_world_run, STI_DOUBLE, worst_corrected),
    STI_MEMBER(sti_world_run, STI_DOUBLE, time_detect_s),
    STI_MEMBER(sti_world_run, STI_DOUBLE, time_solve_s),
    STI_MEMBER(sti_world_run, STI_DOUBLE, time_rest_s),
    STI_MEMBER(sti_world_run, STI_DOUBLE, time_check_s),
    STI_MEMBER(sti_world_run, STI_CHARS, why),
};

static const sti_member last_members[] = {
    STI_MEMBER(sti_world_report, STI_LONG, step),
    STI_MEMBER(sti_world_report, STI_DOUBLE, time),
    STI_MEMBER(sti_world_report, STI_BOOL, solved),
    STI_MEMBER(sti_world_report, STI_BOOL, sound),
    STI_MEMBER(sti_world_report, STI_DOUBLE, residual),
    STI_MEMBER(sti_world_report, STI_LONG, iterations),
    STI_MEMBER(sti_world_report, STI_INT, contacts),
    STI_MEMBER(sti_world_report, STI_INT, touching),
    STI_MEMBER(sti_world_report, STI_INT, sticking),
    STI_MEMBER(sti_world_report, STI_INT, joint_rows),
    STI_MEMBER(sti_world_report, STI_DOUBLE, kinetic),
    STI_MEMBER(sti_world_report, STI_DOUBLE, potential),
    STI_MEMBER(sti_world_report, STI_DOUBLE, work),
    STI_MEMBER(sti_world_report, STI_DOUBLE, gain),
    STI_MEMBER(sti_world_report, STI_DOUBLE, mended),
    STI_MEMBER(sti_world_report, STI_INT, impacts),
    STI_MEMBER(sti_world_report, STI_DOUBLE, impact_energy),
    STI_MEMBER(sti_world_report, STI_DOUBLE, impact_gain),
    STI_MEMBER(sti_world_report, STI_INT, landings),
    STI_MEMBER(sti_world_report, STI_DOUBLE, landing_energy),
    STI_MEMBER(sti_world_report, STI_DOUBLE, impact_time),
    STI_MEMBER(sti_world_report, STI_DOUBLE, penetration),
    STI_MEMBER(sti_world_report, STI_DOUBLE, drift),
    STI_MEMBER(sti_world_report, STI_DOUBLE, drift_rate),
    STI_MEMBER(sti_world_report, STI_DOUBLE, corrected),
    STI_MEMBER(sti_world_report, STI_BOOL, at_rest),
};

static size_t bodies_of(const life* l) {
    return (size_t)sti_bodies_count(l->run.scene->bodies);
}

static size_t shot_size(const life* l) {
    return 1 + 7 * bodies_of(l);
}

// ---- begin

static void clear(void* self) {
    life* l = self;
    sti_world_record_destroy(l->record);
    sti_run_checker_destroy(l->checker);
    sti_world_destroy(l->world);
    sti_free(l->source.env, l->run.shot);
    sti_free(l->source.env, l->sum);
    sti_free(l->source.env, l->hit);
    sti_meter_destroy(l->meter);
}

// The next row of the meter: velocities of all bodies.
static void take_row(life* l, double normal) {
    double* v = sti_meter_velocity(l->meter);
    for (size_t k = 0; k < bodies_of(l); k++) sti_world_velocity(l->world, (int)k, v + 6 * k, v + 6 * k + 3);
    sti_meter_row(l->meter, sti_world_time(l->world), normal);
}

// With the scene of the source.
static sti_status make_world(life* l) {
    l->run.scene = sti_world_scene_of(l->source.document);
    if (l->run.scene == NULL)
        return STI_FAIL(l->source.env, STI_ERR_INPUT, -1, "bodies: missing: a scene of bodies is expected");
    l->sum = sti_alloc_array_zero(l->source.env, 3 * bodies_of(l) + 1, sizeof *l->sum);
    l->run.shot = sti_alloc_array_zero(l->source.env, sti_size_mul(STI_WORLD_SHOTS, shot_size(l)), sizeof *l->run.shot);
    l->hit = sti_alloc_array_zero(l->source.env, bodies_of(l) + 1, 1);
    if (l->sum == NULL || l->run.shot == NULL || l->hit == NULL) return STI_ERR_MEMORY;
    sti_status status = sti_world_create(l->source.env, l->run.scene->bodies, &l->run.scene->step, &l->world);
    l->run.world = l->world;
    if (status == STI_OK)
        status = sti_meter_create(l->source.env, 6 * (int)bodies_of(l), l->run.scene->step.alpha, &l->meter);
    if (status != STI_OK) return status;
    l->run.measure = &l->meter->m;
    take_row(l, 0);
    return STI_OK;
}

static void keep_shot(life* l) {
    double* row = l->run.shot + shot_size(l) * (size_t)l->run.shots++;
    row[0] = sti_world_time(l->world);
    for (size_t k = 0; k < bodies_of(l); k++) {
        sti_pose pose;
        sti_world_pose(l->world, (int)k, &pose);
        memcpy(row + 1 + 7 * k, pose.x, sizeof pose.x);
        memcpy(row + 4 + 7 * k, pose.q, sizeof pose.q);
    }
}

static sti_status begin(life* l) {
    sti_status status = make_world(l);
    if (status == STI_OK && l->run.scene->robot_count > 0) status = sti_source_embed(&l->source);
    if (status != STI_OK) return status;
    sti_world_energy(l->world, &l->run.last.kinetic, &l->run.last.potential);
    l->run.first_energy = l->run.last.kinetic + l->run.last.potential;
    l->run.peak_kinetic = l->run.last.kinetic;
    keep_shot(l);
    return STI_OK;
}

sti_status sti_world_simulation(sti_env* env, const sti_run_source* source, sti_simulation** out) {
    sti_status status = sti_simulation_begin(env, &sti_simulation_bodies, source, out);
    if (status == STI_OK) status = begin((*out)->self);
    return sti_simulation_begun(status, out);
}

static sti_status make_checker(life* l) {
    sti_run_verify_options options = sti_run_verify_options_default();
    options.tol = fmax(options.tol, l->run.scene->step.tol);
    options.bodies = l->run.scene->bodies;
    options.alpha = l->run.scene->step.alpha;
    const sti_status status = sti_run_checker_create(l->source.env, &options, &l->checker);
    l->run.checker = l->checker;
    return status;
}

// Every step, or as asked; fewer of a scene so large that its frames would fill a fifth of a gigabyte.
static long frame_distance(const life* l, double frame, long steps) {
    const double h = l->run.scene->step.h;
    if (frame > 0) return (long)fmax(1, fmin(floor(frame / h + 0.5), 1e15));
    const double bytes = 2000.0 * fmax(1, (double)bodies_of(l)), frames = fmax(100, 2e8 / bytes);
    return (long)ceil((double)steps / frames);
}

static sti_status prepare(void* self, const sti_run_options* options, long steps) {
    life* l = self;
    l->accept = options->accept;
    l->interrupted = options->interrupted;
    l->user = options->user;
    l->steps = steps;
    if (l->run.frame_every == 0) l->run.frame_every = frame_distance(l, options->frame, steps);
    if (options->no_check) {  // a run that was checked goes on without
        sti_run_checker_destroy(l->checker);
        l->run.checker = l->checker = NULL;
    }
    if (options->no_check || l->run.steps > 0 || l->checker != NULL) return STI_OK;
    const sti_status status = make_checker(l);
    return status == STI_OK ? sti_run_checker_look_world(l->checker, l->world, NULL) : status;
}

static void now(const void* self, sti_moment* out) {
    const life* l = self;
    *out = (sti_moment){
        .steps = l->run.steps, .time = sti_world_time(l->world), .h = l->run.scene->step.h, .end = l->run.scene->time};
}

// ---- steps

// An overlap of the start lasts until it is lifted.
static void add_start(sti_world_run* t, const sti_world_report* r) {
    if (!(r->given > 0)) return;
    if (r->given > t->start_overlap) {
        t->start_overlap = r->given;
        t->start_a = r->given_a;
        t->start_b = r->given_b;
    }
    t->start_steps++;
    t->start_left = r->penetration;
    if (!(r->penetration < r->given)) return;  // mending in vain is taken back
    t->start_moved += r->corrected;
    t->start_energy += r->mended;
}

static void add_solved(sti_world_run* t, const sti_world_report* r, double accept) {
    if (!r->solved && t->unsolved++ == 0) {
        t->first_unsolved = r->step;
        snprintf(t->why, sizeof t->why, "%s", r->why);
    }
    if (!r->solved && r->sound && r->residual <= accept) {
        if (t->accepted++ == 0) t->first_accepted = r->step;
        t->accepted_residual = fmax(t->accepted_residual, r->residual);
    }
}

static void add_up(sti_world_run* t, const sti_world_report* r) {
    t->steps = r->step;
    add_start(t, r);
    t->landings += r->landings;
    t->landing_energy += r->landing_energy;
    t->at_rest += r->at_rest;
    t->iterations += r->iterations;
    if (r->iterations > t->most_iterations) t->most_iterations = r->iterations;
    if (r->contacts > t->most_contacts) t->most_contacts = r->contacts;
    if (r->touching > t->most_touching) t->most_touching = r->touching;
    t->impacts += r->impacts;
    t->work += r->work;
    t->mended += r->mended;
    t->gain += fmax(0, r->gain);
    t->worst_gain = fmax(t->worst_gain, r->gain);
    t->impact_energy += r->impact_energy;
    t->impact_gain += r->impact_gain;
    t->peak_kinetic = fmax(t->peak_kinetic, r->kinetic);
    t->worst_residual = fmax(t->worst_residual, r->residual);
    t->worst_penetration = fmax(t->worst_penetration, r->penetration);
    t->worst_drift = fmax(t->worst_drift, r->drift);
    t->worst_drift_rate = fmax(t->worst_drift_rate, r->drift_rate);
    t->worst_corrected = fmax(t->worst_corrected, r->corrected);
    t->time_detect_s += r->time_detect_s;
    t->time_solve_s += r->time_solve_s;
    t->time_rest_s += r->time_rest_s;
    t->last = *r;
}

enum { MOST_IMPACTS = 32 };  // that the cone is looked at for: it takes as long as some steps

// The cone of what touches at the end of the step. Nothing that touches is not looked at.
static sti_status look(life* l) {
    const sti_bodies* bodies = l->run.scene->bodies;
    sti_instant* in = NULL;
    size_t moving = 0, dof = sti_bodies_dim(bodies) == 3 ? 6 : 3;
    for (size_t k = 0; k < bodies_of(l); k++) moving += !sti_bodies_body(bodies, (int)k)->fixed;
    sti_status status = STI_ERR_SIZE;
    if (moving * dof <= STI_METER_ROWS) status = sti_world_instant(l->source.env, l->world, 1e-8, &in);
    if (status == STI_ERR_MEMORY) return status;
    if (status != STI_OK) {  // also of accelerations that have no value here
        sti_meter_pass(l->meter);
        return STI_OK;
    }
    bool* closed = sti_alloc_array(l->source.env, (size_t)in->contact_count + 1, sizeof *closed);
    status = closed == NULL ? STI_ERR_MEMORY : STI_OK;
    for (int i = 0; status == STI_OK && i < in->contact_count; i++) closed[i] = !in->contacts[i].bilateral;
    if (status == STI_OK) status = sti_meter_look(l->meter, in, closed, in->contact_count);
    sti_free(l->source.env, closed);
    sti_instant_destroy(l->source.env, in);
    return status;
}

// A step with impacts is an atom: what it changed of the velocities of those that were hit.
static void measure(life* l, const sti_world_report* r) {
    int count = 0;
    double normal = 0, change = 0;
    const sti_world_contact* list = sti_world_contacts(l->world, &count);
    memset(l->hit, 0, bodies_of(l));
    for (int k = 0; k < count; k++) {
        normal += list[k].r[0];
        if (!isnan(list[k].hit)) l->hit[list[k].a] = l->hit[list[k].b] = 1;
    }
    take_row(l, normal);
    if (r->impacts + r->landings == 0) return;
    for (size_t k = 0; k < bodies_of(l); k++) change += l->hit[k] ? sti_meter_change(l->meter, 6 * (int)k, 6) : 0;
    sti_meter_atom(l->meter, isnan(r->impact_time) ? r->time : r->impact_time, sqrt(change));
}

static sti_status step(void* self, bool* made, bool* over) {
    life* l = self;
    sti_world_report r;
    (void)over;
    sti_env_ask(l->source.env, l->interrupted, l->user);
    sti_status status = sti_world_step(l->world, &r);
    sti_env_ask(l->source.env, NULL, NULL);
    if (status == STI_ERR_TIME && l->interrupted != NULL && l->interrupted(l->user)) return STI_OK;  // none was made
    if (status != STI_OK) return status;
    *made = l->stepped = true;
    const bool changed = r.impacts + r.landings > 0 && l->meter->looked < MOST_IMPACTS;
    add_solved(&l->run, &r, l->accept);
    add_up(&l->run, &r);
    measure(l, &r);
    if (sti_meter_due(l->meter, r.step, changed) && r.touching > 0) status = look(l);
    if (status != STI_OK) return status;
    const double start = sti_clock();
    if (l->checker != NULL) status = sti_run_checker_look_world(l->checker, l->world, &r);
    l->run.time_check_s += sti_clock() - start;
    const double part = (double)l->run.steps / (double)l->steps;
    if (l->run.shots < STI_WORLD_SHOTS && part * (STI_WORLD_SHOTS - 1) >= l->run.shots) keep_shot(l);
    return status;
}

static sti_status problem(const void* self, sti_env* env, sti_run_problem* out) {
    const life* l = self;
    if (l->stepped) out->contact = sti_world_problem(l->world, &out->contact_answer);
    if (out->contact != NULL && out->contact_answer != NULL) return STI_OK;
    return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "step %ld posed no contact problem", l->run.steps);
}

// ---- the recording

static sti_status open_record(void* self, const char* path, const void* state, size_t size) {
    life* l = self;
    const sti_status status =
        sti_world_record_create(l->source.env, path, l->run.scene->bodies, l->source.text, state, size, &l->record);
    if (status == STI_OK) l->run.frames = sti_world_record_frames(l->record);
    return status;
}

static sti_status write_frame(life* l) {
    const sti_status status = sti_world_record_frame(l->record, l->world);
    if (status == STI_OK) l->run.frames = sti_world_record_frames(l->record);
    return status;
}

static sti_status write_moment(void* self) {
    life* l = self;
    const sti_status status = l->run.steps > 0 ? sti_world_record_step(l->record, &l->run.last) : STI_OK;
    return status == STI_OK && l->run.steps % l->run.frame_every == 0 ? write_frame(l) : status;
}

static sti_status commit(void* self) {
    return sti_world_record_commit(((life*)self)->record, true);
}

static sti_status position(const void* self, void** bytes, size_t* size) {
    return sti_world_record_save_state(((const life*)self)->record, bytes, size);
}

// The last frame, where it is none of the regular ones.
static sti_status conclude(void* self) {
    life* l = self;
    return l->run.steps % l->run.frame_every != 0 ? write_frame(l) : STI_OK;
}

// ---- tables

static void put_name(FILE* f, const char* name, const char* tail) {
    fputc(',', f);
    sti_table_name(f, name);
    fputs(tail, f);
}

static void put_body_names(const sti_bodies* b, const char* const* tails, int count, FILE* f) {
    for (int k = 0; k < sti_bodies_count(b); k++) {
        const sti_body* body = sti_bodies_body(b, k);
        for (int i = 0; !body->fixed && i < count; i++) put_name(f, body->name, tails[i]);
    }
}

static void step_header(const life* l, FILE* f) {
    static const char* const place2[] = {".x", ".y", ".angle"};
    static const char* const place3[] = {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"};
    static const char* const motion2[] = {".vx", ".vy", ".w"};
    static const char* const motion3[] = {".vx", ".vy", ".vz", ".wx", ".wy", ".wz"};
    static const char* const impulse[] = {".px", ".py", ".pz"};
    const sti_bodies* b = l->run.scene->bodies;
    const bool plane = sti_bodies_dim(b) == 2;
    fputs("t", f);
    put_body_names(b, plane ? place2 : place3, plane ? 3 : 7, f);
    put_body_names(b, plane ? motion2 : motion3, plane ? 3 : 6, f);
    for (int k = 0; k < sti_bodies_joint_count(b); k++) {
        const sti_joint* joint = sti_bodies_joint(b, k);
        static const char* const of_one[] = {".coordinate"};
        static const char* const of_two[] = {".slide", ".turn"};
        const int axes = sti_joint_axis_count(sti_bodies_dim(b), joint->kind);
        for (int i = 0; i < axes && i < 2; i++) put_name(f, joint->name, axes == 1 ? of_one[i] : of_two[i]);
    }
    fputs(
        ",kinetic,potential,work,gain,residual,solved,iterations,contacts,touching,sticking,impacts,penetration,"
        "drift,impact_time,impact_energy",
        f);
    put_body_names(b, impulse, plane ? 2 : 3, f);
    fputc('\n', f);
}

static void header(const void* self, int table, FILE* f) {
    const life* l = self;
    const bool plane = sti_bodies_dim(l->run.scene->bodies) == 2;
    if (table == 0)
        step_header(l, f);
    else if (table == 2)
        fputs("t,body,contacts,solver,solved,residual,iterations,why\n", f);
    else
        fputs(plane ? "t,a,b,mode,gap,x,y,nx,ny,tx,ty,impulse_n,impulse_t,opening,slip,hit\n"
                    : "t,a,b,mode,gap,x,y,z,nx,ny,nz,t1x,t1y,t1z,t2x,t2y,t2z,impulse_n,impulse_t1,impulse_t2,opening,"
                      "slip_t1,slip_t2,hit\n",
              f);
}

static void put_state(const life* l, FILE* f) {
    const sti_bodies* b = l->run.scene->bodies;
    const bool plane = sti_bodies_dim(b) == 2;
    for (int k = 0; k < sti_bodies_count(b); k++) {
        sti_pose p;
        if (sti_bodies_body(b, k)->fixed) continue;
        sti_world_pose(l->world, k, &p);
        if (plane)
            fprintf(f, ",%.17g,%.17g,%.17g", p.x[0], p.x[1], 2 * atan2(p.q[3], p.q[0]));
        else
            fprintf(f, ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g", p.x[0], p.x[1], p.x[2], p.q[0], p.q[1], p.q[2],
                    p.q[3]);
    }
    for (int k = 0; k < sti_bodies_count(b); k++) {
        double v[3], w[3];
        if (sti_bodies_body(b, k)->fixed) continue;
        sti_world_velocity(l->world, k, v, w);
        if (plane)
            fprintf(f, ",%.17g,%.17g,%.17g", v[0], v[1], w[2]);
        else
            fprintf(f, ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g", v[0], v[1], v[2], w[0], w[1], w[2]);
    }
    for (int k = 0; k < sti_bodies_joint_count(b); k++) {
        sti_world_joint j;
        const int axes = sti_joint_axis_count(sti_bodies_dim(b), sti_bodies_joint(b, k)->kind);
        if (axes == 0) continue;
        sti_world_joint_state(l->world, k, &j);
        for (int i = 0; i < axes && i < 2; i++) fprintf(f, ",%.17g", j.coordinate[i]);
    }
}

// What the contacts of the step gave to each body, in world axes.
static void put_impulses(const life* l, FILE* f) {
    const sti_bodies* b = l->run.scene->bodies;
    const int bodies = sti_bodies_count(b), d = sti_bodies_dim(b);
    double* sum = l->sum;
    int count = 0;
    const sti_world_contact* list = l->run.steps > 0 ? sti_world_contacts(l->world, &count) : NULL;
    memset(sum, 0, 3 * (size_t)bodies * sizeof *sum);
    for (int k = 0; k < count; k++) {
        const double* const axis[3] = {list[k].n, list[k].t1, list[k].t2};
        for (int i = 0; i < 3 * d; i++) {
            const double part = list[k].r[i / 3] * axis[i / 3][i % 3];
            sum[3 * list[k].a + i % 3] += part;
            sum[3 * list[k].b + i % 3] -= part;
        }
    }
    for (int k = 0; k < bodies; k++) {
        for (int i = 0; !sti_bodies_body(b, k)->fixed && i < d; i++) fprintf(f, ",%.17g", sum[3 * k + i]);
    }
}

static void step_line(const life* l, FILE* f) {
    const sti_world_report* s = &l->run.last;
    const bool begun = l->run.steps > 0;
    fprintf(f, "%.17g", sti_world_time(l->world));
    put_state(l, f);
    fprintf(f, ",%.17g,%.17g,%.17g,%.17g,%.17g,%d,%ld,%d,%d,%d,%d,%.17g,%.17g", s->kinetic, s->potential, s->work,
            s->gain, s->residual, !begun || s->solved ? 1 : 0, s->iterations, s->contacts, s->touching, s->sticking,
            s->impacts + s->landings, s->penetration, s->drift);
    sti_table_number(f, begun ? s->impact_time : NAN);
    sti_table_number(f, s->impact_energy + s->landing_energy);
    put_impulses(l, f);
    fputc('\n', f);
}

static void put_numbers(FILE* f, const double* x, int count) {
    for (int i = 0; i < count; i++) fprintf(f, ",%.17g", x[i]);
}

static void contact_lines(const life* l, FILE* f) {
    const sti_bodies* b = l->run.scene->bodies;
    const int d = sti_bodies_dim(b);
    int count = 0;
    const sti_world_contact* list = l->stepped ? sti_world_contacts(l->world, &count) : NULL;
    for (int k = 0; k < count; k++) {
        const sti_world_contact* at = &list[k];
        const double* const three[] = {at->point, at->n, at->t1, at->t2};
        if (!(at->r[0] > 0)) continue;
        fprintf(f, "%.17g", sti_world_time(l->world));
        put_name(f, sti_bodies_body(b, at->a)->name, "");
        put_name(f, sti_bodies_body(b, at->b)->name, "");
        fprintf(f, ",%s,%.17g", sti_contact_mode_text((sti_contact_mode)at->mode), at->gap);
        for (int i = 0; i < (d == 2 ? 3 : 4); i++) put_numbers(f, three[i], d);
        put_numbers(f, at->r, d);
        put_numbers(f, at->u, d);
        sti_table_number(f, at->hit);
        fputc('\n', f);
    }
}

static void attempt_lines(const life* l, FILE* f) {
    int count = 0;
    const sti_world_attempt* list = l->stepped ? sti_world_attempts(l->world, &count) : NULL;
    for (int k = 0; k < count; k++) {
        const sti_world_attempt* at = &list[k];
        fprintf(f, "%.17g", sti_world_time(l->world));
        put_name(f, sti_bodies_body(l->run.scene->bodies, at->body)->name, "");
        fprintf(f, ",%d,%s,%d,%.17g,%ld,\"%s\"\n", at->contacts, sti_contact_solver_text(at->solver),
                at->solved ? 1 : 0, at->residual, at->iterations, at->why);
    }
}

static sti_status lines(const void* self, int table, FILE* f) {
    if (table == 0)
        step_line(self, f);
    else if (table == 1)
        contact_lines(self, f);
    else
        attempt_lines(self, f);
    return STI_OK;
}

static size_t curve_columns(const void* self) {
    (void)self;
    return 3;
}

static void curve(const void* self, double* row) {
    const life* l = self;
    row[0] = sti_world_time(l->world);
    row[1] = l->run.last.kinetic;
    row[2] = l->run.last.potential;
}

// ---- checkpoints: world and check are states of their own, with a version each

static sti_status save(const void* self, sti_store* out) {
    const life* l = self;
    void* bytes;
    size_t size;
    sti_status status = sti_world_save_state(l->world, &bytes, &size);
    if (status != STI_OK) return status;
    sti_store_put_bytes(out, "world", bytes, size);
    sti_meter_save(l->meter, out);
    sti_free(l->source.env, bytes);
    sti_store_put_members(out, "bodies", &l->run, members, STI_MEMBER_COUNT(members));
    sti_store_put_members(out, "last", &l->run.last, last_members, STI_MEMBER_COUNT(last_members));
    sti_store_put_numbers(out, "shots", l->run.shot, (size_t)l->run.shots * shot_size(l));
    if (l->checker != NULL) status = sti_run_checker_save_state(l->checker, &bytes, &size);
    if (l->checker == NULL || status != STI_OK) return status;
    sti_store_put_bytes(out, "check", bytes, size);
    sti_free(l->source.env, bytes);
    return STI_OK;
}

static sti_status load_world(life* l, const sti_store* in) {
    size_t size;
    const void* bytes = sti_store_bytes(in, "world", &size);
    if (bytes == NULL) return sti_store_missing(in, "world");
    sti_status status = sti_world_load_state(l->world, bytes, size);
    bytes = status == STI_OK ? sti_store_bytes(in, "check", &size) : NULL;
    if (bytes == NULL) return status;
    status = make_checker(l);
    return status == STI_OK ? sti_run_checker_load_state(l->checker, bytes, size) : status;
}

static sti_status load_sums(life* l, const sti_store* in) {
    sti_world_run* t = &l->run;
    const long bodies = (long)bodies_of(l);
    size_t size;
    sti_status status = sti_store_get_members(in, "bodies", t, members, STI_MEMBER_COUNT(members));
    if (status == STI_OK)
        status = sti_store_get_members(in, "last", &t->last, last_members, STI_MEMBER_COUNT(last_members));
    if (status != STI_OK) return status;
    status = sti_meter_load(l->meter, in);
    if (status != STI_OK) return status;
    if (t->steps < 0 || t->steps != sti_world_steps(l->world)) return sti_store_missing(in, "bodies.steps");
    if (t->frame_every < 1) return sti_store_missing(in, "bodies.frame_every");
    if (t->start_a < 0 || (t->start_steps != 0 && t->start_a >= bodies)) return sti_store_missing(in, "bodies.start_a");
    if (t->start_b < 0 || (t->start_steps != 0 && t->start_b >= bodies)) return sti_store_missing(in, "bodies.start_b");
    const double* shots = sti_store_numbers(in, "shots", &size);
    if (shots == NULL || size % shot_size(l) != 0 || size / shot_size(l) > STI_WORLD_SHOTS)
        return sti_store_missing(in, "shots");
    t->shots = (int)(size / shot_size(l));
    t->frames = 1 + t->steps / t->frame_every + (t->steps % t->frame_every != 0);  // of a run that was over
    if (size > 0) memcpy(t->shot, shots, size * sizeof *shots);
    return STI_OK;
}

static sti_status load(void* self, const sti_store* in) {
    life* l = self;
    sti_status status = make_world(l);
    if (status == STI_OK) status = load_world(l, in);
    return status == STI_OK ? load_sums(l, in) : status;
}

const sti_simulation_type sti_simulation_bodies = {
    .kind = "bodies",
    .version = 3,
    .document = STI_KIND_SCENE,
    .size = sizeof(life),
    .prepare = prepare,
    .now = now,
    .step = step,
    .problem = problem,
    .save = save,
    .load = load,
    .clear = clear,
    .open = open_record,
    .write = write_moment,
    .commit = commit,
    .position = position,
    .conclude = conclude,
    .tables = 3,
    .header = header,
    .lines = lines,
    .curve_columns = curve_columns,
    .curve = curve,
};

const sti_world_run* sti_world_run_of(const sti_run* run) {
    const life* l = sti_run_self(run, &sti_simulation_bodies);
    return l != NULL ? &l->run : NULL;
}
