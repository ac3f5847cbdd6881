// manipulation.c: the life of parts and probes: every step checked, phases of modes kept, and a step without a solution
// is the end.
//
//     trajectory.h5   steps/      time, q, v, residual, penetration, dissipation, contacts    one row a step
//                     contacts/   step, part, against, other, mode, point, normal, gap,
//                         one row a contact and step
//                                 lambda_n, lambda_t, slip
//                     manipulation   the file, as text
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "run/simulation.h"

#define CHECK_TOL 1e-7  // deviations are parts of a scale

typedef struct life {
    sti_source source;  // first
    sti_push_run run;   // what sti_push_run_of shows
    double* before;     // poses before the step                        (3 parts)
    int phase_room;
    bool no_check;
} life;

enum {
    TIME,
    Q,
    V,
    RESIDUAL,
    PENETRATION,
    DISSIPATION,
    CONTACTS,
    STEP,
    PART,
    AGAINST,
    OTHER,
    MODE,
    POINT,
    NORMAL,
    GAP,
    LAMBDA_N,
    LAMBDA_T,
    SLIP,
    SERIES
};

static const sti_member members[] = {
    STI_MEMBER(sti_push_run, STI_LONG, steps),         STI_MEMBER(sti_push_run, STI_LONG, most_contacts),
    STI_MEMBER(sti_push_run, STI_DOUBLE, residual),    STI_MEMBER(sti_push_run, STI_DOUBLE, penetration),
    STI_MEMBER(sti_push_run, STI_DOUBLE, dissipation), STI_MEMBER(sti_push_run, STI_DOUBLE, worst_check),
    STI_MEMBER(sti_push_run, STI_BOOL, refuted),       STI_MEMBER(sti_push_run, STI_CHARS, check),
};

static size_t numbers_of(const life* l) {
    return 3 * (size_t)sti_manipulation_part_count(l->run.scene);
}

// ---- begin

static void clear(void* self) {
    life* l = self;
    sti_push_destroy(l->run.push);
    sti_free(l->source.env, l->run.phases);
    sti_free(l->source.env, l->before);
}

// With the scene of the source; h 0: that of the scene.
static sti_status begin(life* l, double h) {
    l->run.scene = sti_manipulation_of(l->source.document);
    l->run.h = h > 0 ? h : sti_manipulation_step(l->run.scene);
    l->before = sti_alloc_array_zero(l->source.env, numbers_of(l), sizeof *l->before);
    if (l->before == NULL) return STI_ERR_MEMORY;
    return sti_push_create(l->source.env, l->run.scene, l->run.h, &l->run.push);
}

sti_status sti_push_simulation(sti_env* env, const sti_run_source* source, double h, sti_simulation** out) {
    sti_status status = sti_simulation_begin(env, &sti_simulation_manipulation, source, out);
    if (status == STI_OK) status = begin((*out)->self, h);
    return sti_simulation_begun(status, out);
}

static sti_status prepare(void* self, const sti_run_options* options, long steps) {
    (void)steps;
    ((life*)self)->no_check = options->no_check;
    return STI_OK;
}

static void now(const void* self, sti_moment* out) {
    const sti_push_run* run = &((const life*)self)->run;
    *out = (sti_moment){.steps = run->steps,
                        .time = sti_push_time(run->push),
                        .h = run->h,
                        .end = (double)sti_manipulation_steps(run->scene) * sti_manipulation_step(run->scene)};
}

// ---- steps

// "probe stick, slot slide+" of the contacts that are closed.
static void modes_text(const sti_push_run* run, char* text) {
    const sti_push_report* r = &run->report;
    size_t at = 0;
    text[0] = '\0';
    for (int i = 0; i < r->contact_count && at + 1 < STI_PUSH_MODES; i++) {
        char name[100];
        if (r->forces[i].mode == STI_PUSH_OPEN) continue;
        sti_manipulation_contact_text(run->scene, &r->contacts[i], name, sizeof name);
        at += (size_t)snprintf(text + at, STI_PUSH_MODES - at, "%s%s %s", at > 0 ? ", " : "", name,
                               sti_push_mode_text(r->forces[i].mode));
    }
}

// Room for one more.
static sti_status grow_phases(life* l) {
    if (l->run.phase_count < l->phase_room) return STI_OK;
    const int room = sti_count_mul(2, l->phase_room + 8);
    sti_push_phase* more = sti_realloc_array(l->source.env, l->run.phases, (size_t)room, sizeof *more);
    if (more == NULL) return STI_ERR_MEMORY;
    l->run.phases = more;
    l->phase_room = room;
    return STI_OK;
}

static sti_status keep_phase(life* l) {
    sti_push_run* run = &l->run;
    sti_push_phase last = {.first = run->report.step - 1, .last = run->report.step - 1};
    modes_text(run, last.modes);
    if (run->phase_count > 0 && strcmp(run->phases[run->phase_count - 1].modes, last.modes) == 0) {
        run->phases[run->phase_count - 1].last = last.last;
        return STI_OK;
    }
    const sti_status status = grow_phases(l);
    if (status == STI_OK) run->phases[run->phase_count++] = last;
    return status;
}

static sti_status check_step(life* l, double t) {
    sti_push_run* run = &l->run;
    sti_push_verification v;
    if (l->no_check || run->report.end == STI_PUSH_UNKNOWN) return STI_OK;
    const sti_status status = sti_verify_push(l->source.env, run->scene, t, run->h, l->before, sti_push_q(run->push),
                                              &run->report, CHECK_TOL, &v);
    if (status != STI_OK) return status;
    run->worst_check = fmax(run->worst_check, v.worst);
    if (v.accepted || run->refuted) return STI_OK;
    run->refuted = true;
    snprintf(run->check, sizeof run->check, "step %ld: %.200s", run->steps + 1, v.text);
    return STI_OK;
}

static sti_status step(void* self, bool* made, bool* over) {
    life* l = self;
    sti_push_run* run = &l->run;
    const sti_push_report* r = &run->report;
    const double t = sti_push_time(run->push);
    memcpy(l->before, sti_push_q(run->push), numbers_of(l) * sizeof *l->before);
    sti_status status = sti_push_step(run->push, &run->report);
    if (status == STI_OK) status = check_step(l, t);
    if (status != STI_OK) return status;
    if (r->contact_count > run->most_contacts) run->most_contacts = r->contact_count;
    run->jammed = r->end != STI_PUSH_MOVED;
    *made = !run->jammed;
    *over = run->jammed;
    if (run->jammed) return STI_OK;
    run->steps = r->step;
    run->residual = fmax(run->residual, r->residual);
    run->penetration = fmax(run->penetration, r->penetration);
    run->dissipation += r->dissipation;
    return keep_phase(l);
}

// ---- the recording

static int series(const void* self, sti_series_def* defs) {
    const int n = (int)numbers_of(self);
    const sti_series_def all[SERIES] = {
        [TIME] = {.name = "steps/time"},
        [Q] = {.name = "steps/q", .columns = n},
        [V] = {.name = "steps/v", .columns = n},
        [RESIDUAL] = {.name = "steps/residual"},
        [PENETRATION] = {.name = "steps/penetration"},
        [DISSIPATION] = {.name = "steps/dissipation"},
        [CONTACTS] = {.name = "steps/contacts", .type = STI_RECORD_INT},
        [STEP] = {.name = "contacts/step", .type = STI_RECORD_LONG},
        [PART] = {.name = "contacts/part", .type = STI_RECORD_INT},
        [AGAINST] = {.name = "contacts/against", .type = STI_RECORD_INT},
        [OTHER] = {.name = "contacts/other", .type = STI_RECORD_INT},
        [MODE] = {.name = "contacts/mode", .type = STI_RECORD_INT},
        [POINT] = {.name = "contacts/point", .columns = 2},
        [NORMAL] = {.name = "contacts/normal", .columns = 2},
        [GAP] = {.name = "contacts/gap"},
        [LAMBDA_N] = {.name = "contacts/lambda_n"},
        [LAMBDA_T] = {.name = "contacts/lambda_t"},
        [SLIP] = {.name = "contacts/slip"},
    };
    memcpy(defs, all, sizeof all);
    return SERIES;
}

static sti_status texts(const void* self, sti_recording* r) {
    return sti_recording_put_text(r, "manipulation", ((const life*)self)->source.text);
}

// One row of each series from `first` on.
static sti_status append(sti_recording* to, const int* series_of, int first, const void* const* rows, int count) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < count; k++)
        status = sti_recording_append(to, series_of[first + k], 1, rows[k]);
    return status;
}

static sti_status record(const void* self, sti_recording* to, const int* series_of) {
    const sti_push_run* run = &((const life*)self)->run;
    const sti_push_report* r = &run->report;
    const double time = sti_push_time(run->push);
    const void* const rows[] = {&time,           sti_push_q(run->push), sti_push_v(run->push), &r->residual,
                                &r->penetration, &r->dissipation,       &r->contact_count};
    sti_status status = append(to, series_of, TIME, rows, STEP - TIME);
    for (int i = 0; status == STI_OK && i < r->contact_count; i++) {
        const sti_push_contact* k = &r->contacts[i];
        const sti_push_force* f = &r->forces[i];
        const long number = r->step;
        const int against = (int)k->against, mode = (int)f->mode;
        const void* const row[] = {&number, &k->part, &against,     &k->other,    &mode,   k->point,
                                   k->n,    &k->gap,  &f->lambda_n, &f->lambda_t, &f->slip};
        status = append(to, series_of, STEP, row, SERIES - STEP);
    }
    return status;
}

// ---- tables: of steps, of contacts

static void header(const void* self, int table, FILE* f) {
    static const char* const column[] = {"x", "y", "theta", "x'", "y'", "theta'"};
    static const char* const words[] = {"mode:", "gap:", "lambda_n:", "lambda_t:", "slip:"};
    const sti_manipulation* scene = ((const life*)self)->run.scene;
    const int parts = sti_manipulation_part_count(scene), tips = sti_manipulation_tip_count(scene);
    if (table == 1) {
        fprintf(f, "step,t,part,with,mode,x,y,n_x,n_y,mu,gap,opening,lambda_n,lambda_t,slip\n");
        return;
    }
    fprintf(f, "t");
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < parts; i++) {
            fprintf(f, ",%s", column[k]);
            if (parts == 1) continue;
            fputc(':', f);
            sti_table_name(f, sti_manipulation_part(scene, i));
        }
    }
    fprintf(f, ",residual,penetration,dissipation,contacts,closed");
    for (int i = 0; i < tips; i++) {
        char name[100];
        const sti_push_contact at = {.against = STI_PUSH_TIP, .other = i};
        sti_manipulation_contact_text(scene, &at, name, sizeof name);
        for (int k = 0; k < 5; k++) {
            fprintf(f, ",%s", words[k]);
            sti_table_name(f, name);
        }
    }
    fprintf(f, ",modes\n");
}

// The contact of a tip that presses most, or is nearest; -1: it touches nothing.
static int contact_of(const sti_push_report* r, int tip) {
    int best = -1;
    for (int i = 0; i < r->contact_count; i++) {
        if (r->contacts[i].against != STI_PUSH_TIP || r->contacts[i].other != tip) continue;
        if (best < 0 || r->forces[i].lambda_n > r->forces[best].lambda_n) best = i;
    }
    return best;
}

static void put_tip(FILE* f, const sti_push_report* r, int tip) {
    const int i = contact_of(r, tip);
    if (i < 0) {
        fprintf(f, ",%s,,,,", r->step > 0 ? "N" : "");
        return;
    }
    fprintf(f, ",%c", sti_push_mode_letter(r->forces[i].mode));
    sti_table_number(f, r->contacts[i].gap);
    sti_table_number(f, r->forces[i].lambda_n);
    sti_table_number(f, r->forces[i].lambda_t);
    sti_table_number(f, r->forces[i].slip);
}

static void put_step(const sti_push_run* run, FILE* f) {
    const sti_push_report* r = &run->report;
    const int parts = sti_manipulation_part_count(run->scene);
    const double *q = sti_push_q(run->push), *v = sti_push_v(run->push);
    int closed = 0;
    fprintf(f, "%.17g", sti_push_time(run->push));
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < parts; i++) fprintf(f, ",%.17g", k < 3 ? q[3 * i + k] : v[3 * i + k - 3]);
    }
    for (int i = 0; i < r->contact_count; i++) closed += r->forces[i].mode != STI_PUSH_OPEN;
    sti_table_number(f, r->residual);
    sti_table_number(f, r->penetration);
    sti_table_number(f, r->dissipation);
    fprintf(f, ",%d,%d", r->contact_count, closed);
    for (int i = 0; i < sti_manipulation_tip_count(run->scene); i++) put_tip(f, r, i);
    fputc(',', f);
    for (int i = 0; i < r->contact_count; i++) fputc(sti_push_mode_letter(r->forces[i].mode), f);
    fputc('\n', f);
}

static void put_contacts(const sti_push_run* run, FILE* to) {
    const sti_push_report* r = &run->report;
    for (int i = 0; i < r->contact_count; i++) {
        const sti_push_contact* k = &r->contacts[i];
        const sti_push_force* f = &r->forces[i];
        char name[100];
        sti_manipulation_contact_text(run->scene, k, name, sizeof name);
        fprintf(to, "%ld,%.17g,", r->step, r->time);
        sti_table_name(to, sti_manipulation_part(run->scene, k->part));
        fputc(',', to);
        sti_table_name(to, name);
        fprintf(to, ",%s,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", sti_push_mode_text(f->mode),
                k->point[0], k->point[1], k->n[0], k->n[1], k->mu, k->gap, f->opening, f->lambda_n, f->lambda_t,
                f->slip);
    }
}

static sti_status lines(const void* self, int table, FILE* f) {
    const sti_push_run* run = &((const life*)self)->run;
    if (table == 0)
        put_step(run, f);
    else
        put_contacts(run, f);
    return STI_OK;
}

static size_t curve_columns(const void* self) {
    return 1 + numbers_of(self);
}

static void curve(const void* self, double* row) {
    const life* l = self;
    row[0] = sti_push_time(l->run.push);
    memcpy(row + 1, sti_push_q(l->run.push), numbers_of(l) * sizeof *row);
}

// ---- the last step as a problem

static void drop_problem(sti_env* env, void* memory) {
    sti_push_problem_clear(env, memory);
    sti_free(env, memory);
}

static sti_status problem(const void* self, sti_env* env, sti_run_problem* out) {
    const life* l = self;
    sti_push_problem* p = sti_alloc_array_zero(env, 1, sizeof *p);
    if (p == NULL) return STI_ERR_MEMORY;
    const sti_status status = sti_push_pose(env, l->run.push, p);
    out->memory = p;
    out->drop = drop_problem;
    out->mlcp = &p->mlcp;
    if (status != STI_OK) sti_run_problem_clear(env, out);
    return status;
}

// ---- checkpoints: phases as first and last step and length of the text of modes, and these texts one after the other

static sti_status save_phases(const life* l, sti_store* out) {
    const sti_push_run* run = &l->run;
    const size_t count = (size_t)run->phase_count;
    sti_arena memory = sti_arena_make(l->source.env);
    int64_t* list = sti_arena_raw(&memory, 3 * count + 1, sizeof *list);
    char* modes = sti_arena_raw(&memory, count + 1, STI_PUSH_MODES);
    sti_status status = STI_OK;
    size_t at = 0;
    if (memory.status != STI_OK) status = STI_ERR_MEMORY;
    for (size_t k = 0; status == STI_OK && k < count; k++) {
        const sti_push_phase* p = &run->phases[k];
        const size_t length = strlen(p->modes);
        list[3 * k] = p->first;
        list[3 * k + 1] = p->last;
        list[3 * k + 2] = (int64_t)length;
        memcpy(modes + at, p->modes, length);
        at += length;
    }
    if (status == STI_OK) {
        modes[at] = '\0';
        sti_store_put_integers(out, "phases", list, 3 * count);
        sti_store_put_text(out, "phases.modes", modes);
    }
    sti_arena_clear(&memory);
    return status;
}

static sti_status save(const void* self, sti_store* out) {
    const life* l = self;
    sti_store_put_members(out, "manipulation", &l->run, members, STI_MEMBER_COUNT(members));
    sti_store_put_numbers(out, "h", &l->run.h, 1);
    sti_store_put_numbers(out, "q", sti_push_q(l->run.push), numbers_of(l));
    sti_store_put_numbers(out, "v", sti_push_v(l->run.push), numbers_of(l));
    return save_phases(l, out);
}

static sti_status load_phases(life* l, const sti_store* in) {
    size_t size;
    const int64_t* list = sti_store_integers(in, "phases", &size);
    const char* modes = sti_store_text(in, "phases.modes");
    if (list == NULL || size % 3 != 0 || size > INT_MAX) return sti_store_missing(in, "phases");
    if (modes == NULL) return sti_store_missing(in, "phases.modes");
    size_t left = strlen(modes);
    for (size_t k = 0; k < size; k += 3) {
        const uint64_t length = (uint64_t)list[k + 2];
        if (length >= STI_PUSH_MODES || length > left) return sti_store_missing(in, "phases");
        const sti_status status = grow_phases(l);
        if (status != STI_OK) return status;
        sti_push_phase* p = &l->run.phases[l->run.phase_count++];
        *p = (sti_push_phase){.first = (long)list[k], .last = (long)list[k + 1]};
        memcpy(p->modes, modes, (size_t)length);
        modes += length;
        left -= (size_t)length;
    }
    return STI_OK;
}

static sti_status load(void* self, const sti_store* in) {
    life* l = self;
    size_t count, q_count, v_count;
    const double* h = sti_store_numbers(in, "h", &count);
    if (h == NULL || count != 1 || !(*h > 0)) return sti_store_missing(in, "h");
    sti_status status = begin(l, *h);
    if (status == STI_OK)
        status = sti_store_get_members(in, "manipulation", &l->run, members, STI_MEMBER_COUNT(members));
    if (status != STI_OK) return status;
    const double *q = sti_store_numbers(in, "q", &q_count), *v = sti_store_numbers(in, "v", &v_count);
    if (q == NULL || q_count != numbers_of(l)) return sti_store_missing(in, "q");
    if (v == NULL || v_count != numbers_of(l)) return sti_store_missing(in, "v");
    if (l->run.steps < 0) return sti_store_missing(in, "manipulation.steps");
    sti_push_set(l->run.push, l->run.steps, q, v);
    return load_phases(l, in);
}

const sti_simulation_type sti_simulation_manipulation = {
    .kind = "manipulation",
    .version = 1,
    .document = STI_KIND_MANIPULATION,
    .size = sizeof(life),
    .prepare = prepare,
    .now = now,
    .step = step,
    .problem = problem,
    .save = save,
    .load = load,
    .clear = clear,
    .series = series,
    .texts = texts,
    .record = record,
    .tables = 2,
    .header = header,
    .lines = lines,
    .curve_columns = curve_columns,
    .curve = curve,
};

const sti_push_run* sti_push_run_of(const sti_run* run) {
    const life* l = sti_run_self(run, &sti_simulation_manipulation);
    return l != NULL ? &l->run : NULL;
}
