// navigation.c: the life of vehicles in cages: changes of the basis are events, and a deadlock away from the goals is
// the end.
//
//     trajectory.h5   navigation                                                         the document
//                     steps/      time, q, v, least_gap, residual, contacts, pressing    one row a step
//                     pressing/   pair, contact (gap, n, impulse)                        one row a contact that presses
#include <math.h>
#include <string.h>

#include "run/simulation.h"

typedef struct life {
    sti_source source;       // first
    sti_navigation_run run;  // what sti_navigation_run_of shows
} life;

enum { TIME, Q, V, LEAST_GAP, RESIDUAL, CONTACTS, PRESSING, PAIR, CONTACT, SERIES };

static const sti_member members[] = {
    STI_MEMBER(sti_navigation_run, STI_LONG, steps),         STI_MEMBER(sti_navigation_run, STI_LONG, switches),
    STI_MEMBER(sti_navigation_run, STI_LONG, most_contacts), STI_MEMBER(sti_navigation_run, STI_LONG, most_islands),
    STI_MEMBER(sti_navigation_run, STI_DOUBLE, least_gap),   STI_MEMBER(sti_navigation_run, STI_DOUBLE, residual),
};

static void clear(void* self) {
    life* l = self;
    for (int i = 0; i < l->run.event_count; i++) {
        sti_free(l->source.env, l->run.events[i].before);
        sti_free(l->source.env, l->run.events[i].after);
    }
    sti_free(l->source.env, l->run.events);
    sti_free(l->source.env, l->run.basis);
}

static void begin(life* l) {
    l->run.nav = sti_navigation_of(l->source.document);
    l->run.least_gap = INFINITY;
}

sti_status sti_navigation_simulation(sti_env* env, const sti_run_source* source, sti_simulation** out) {
    const sti_status status = sti_simulation_begin(env, &sti_simulation_navigation, source, out);
    if (status == STI_OK) begin((*out)->self);
    return status;
}

static void now(const void* self, sti_moment* out) {
    const life* l = self;
    *out = (sti_moment){.steps = l->run.steps,
                        .time = sti_navigation_time(l->run.nav),
                        .h = sti_navigation_step_length(l->run.nav),
                        .end = sti_navigation_end(l->run.nav)};
}

// ---- steps

static int* copy_pairs(sti_env* env, const int* pairs, int count) {
    int* copy = sti_alloc_array(env, 2 * (size_t)count + 1, sizeof *copy);
    if (copy != NULL && count > 0) memcpy(copy, pairs, 2 * (size_t)count * sizeof *copy);
    return copy;
}

// The event takes the two lists over where there is room for it.
static sti_status add_event(life* l, long step, int* before, int before_count, const int* after, int after_count) {
    sti_navigation_run* run = &l->run;
    sti_navigation_event* more = sti_realloc_array(l->source.env, run->events, (size_t)run->event_count + 1,
                                                   sizeof *more);  // at most 1000 times
    if (more != NULL) run->events = more;
    int* copy = more != NULL ? copy_pairs(l->source.env, after, after_count) : NULL;
    if (copy == NULL) return STI_ERR_MEMORY;
    run->events[run->event_count++] = (sti_navigation_event){
        .step = step, .before = before, .after = copy, .before_count = before_count, .after_count = after_count};
    return STI_OK;
}

// The basis of the step, and the event when it is another one.
static sti_status keep_basis(life* l) {
    sti_navigation_run* run = &l->run;
    const sti_navigation_report* r = &run->report;
    int* basis = sti_alloc_array(l->source.env, 2 * (size_t)r->contact_count + 1, sizeof *basis);
    int count = 0;
    if (basis == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < r->contact_count; i++) {
        if (!(r->contacts[i].impulse > 0)) continue;
        basis[2 * count] = r->contacts[i].vehicle;
        basis[2 * count++ + 1] = r->contacts[i].other;
    }
    const size_t size = 2 * (size_t)count * sizeof *basis;
    run->changed = count != run->basis_count || (count > 0 && memcmp(basis, run->basis, size) != 0);
    sti_status status = STI_OK;
    bool taken = false;
    if (run->changed && run->event_count < STI_NAVIGATION_EVENTS) {
        status = add_event(l, r->step - 1, run->basis, run->basis_count, basis, count);
        taken = status == STI_OK;
    }
    run->switches += run->changed;
    if (!taken) sti_free(l->source.env, run->basis);
    run->basis = basis;
    run->basis_count = count;
    return status;
}

// Not those that are where they want to be.
static bool is_lost(const sti_navigation* nav) {
    for (int i = 0; i < sti_navigation_count(nav); i++) {
        double goal[2];
        const double* q = sti_navigation_q(nav) + 2 * (ptrdiff_t)i;
        if (!sti_navigation_goal(nav, i, goal) || hypot(q[0] - goal[0], q[1] - goal[1]) > sti_navigation_cage(nav, i))
            return true;
    }
    return false;
}

static sti_status step(void* self, bool* made, bool* over) {
    life* l = self;
    sti_navigation_run* run = &l->run;
    const sti_navigation_report* r = &run->report;
    const sti_status status = sti_navigation_step(run->nav, &run->report);
    if (status != STI_OK) return status;
    run->failed = r->outcome != STI_SOLVED;
    *made = !run->failed;
    *over = run->failed;
    if (run->failed) return STI_OK;
    run->steps = r->step;
    run->least_gap = fmin(run->least_gap, r->least_gap);
    run->residual = fmax(run->residual, r->residual);
    if (r->contact_count > run->most_contacts) run->most_contacts = r->contact_count;
    if (r->islands > run->most_islands) run->most_islands = r->islands;
    run->deadlock = r->deadlock && is_lost(run->nav);
    *over = run->deadlock;
    return keep_basis(l);
}

// ---- files

static int series(const void* self, sti_series_def* defs) {
    const life* l = self;
    const int n = 2 * sti_navigation_count(l->run.nav);
    defs[TIME] = (sti_series_def){.name = "steps/time"};
    defs[Q] = (sti_series_def){.name = "steps/q", .columns = n};
    defs[V] = (sti_series_def){.name = "steps/v", .columns = n};
    defs[LEAST_GAP] = (sti_series_def){.name = "steps/least_gap"};
    defs[RESIDUAL] = (sti_series_def){.name = "steps/residual"};
    defs[CONTACTS] = (sti_series_def){.name = "steps/contacts", .type = STI_RECORD_INT};
    defs[PRESSING] = (sti_series_def){.name = "steps/pressing", .type = STI_RECORD_INT};
    defs[PAIR] = (sti_series_def){.name = "pressing/pair", .type = STI_RECORD_INT, .columns = 2};
    defs[CONTACT] = (sti_series_def){.name = "pressing/contact", .columns = 4};
    return SERIES;
}

static sti_status record(const void* self, sti_recording* recording, const int* series_of) {
    const life* l = self;
    const sti_navigation_report* r = &l->run.report;
    const double time = sti_navigation_time(l->run.nav), gap = isfinite(r->least_gap) ? r->least_gap : 0;
    int pressing = 0;
    const void* const rows[PAIR] = {
        &time,    sti_navigation_q(l->run.nav), sti_navigation_v(l->run.nav), &gap, &r->residual, &r->contact_count,
        &pressing};
    sti_status status = STI_OK;
    for (int i = 0; status == STI_OK && i < r->contact_count; i++) {
        const sti_cage_contact* c = &r->contacts[i];
        const int pair[2] = {c->vehicle, c->other};
        const double numbers[4] = {c->gap, c->n[0], c->n[1], c->impulse};
        if (!(c->impulse > 0)) continue;
        pressing++;
        status = sti_recording_append(recording, series_of[PAIR], 1, pair);
        if (status == STI_OK) status = sti_recording_append(recording, series_of[CONTACT], 1, numbers);
    }
    for (int k = 0; status == STI_OK && k < PAIR; k++)
        status = sti_recording_append(recording, series_of[k], 1, rows[k]);
    return status;
}

static sti_status texts(const void* self, sti_recording* r) {
    return sti_recording_put_text(r, "navigation", ((const life*)self)->source.text);
}

// ---- tables: of steps, of contacts that press

static void header(const void* self, int table, FILE* f) {
    static const char* const words[] = {"x", "y", "x'", "y'"};
    const life* l = self;
    const int count = sti_navigation_count(l->run.nav);
    if (table == 1) {
        fprintf(f, "step,t,vehicle,with,gap,n_x,n_y,impulse,force\n");
        return;
    }
    fprintf(f, "t");
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < count; i++) {
            fprintf(f, ",%s", words[k]);
            if (count == 1) continue;
            fputc(':', f);
            sti_table_name(f, sti_navigation_vehicle(l->run.nav, i));
        }
    }
    fprintf(f, ",residual,least_gap,contacts,pressing,switch\n");
}

static void put_pressing(const sti_navigation_run* run, FILE* f) {
    const sti_navigation_report* r = &run->report;
    for (int i = 0; i < r->contact_count; i++) {
        const sti_cage_contact* c = &r->contacts[i];
        char name[100];
        if (!(c->impulse > 0)) continue;
        sti_navigation_other_text(run->nav, c->other, name, sizeof name);
        fprintf(f, "%ld,%.17g,", r->step, sti_navigation_time(run->nav));
        sti_table_name(f, sti_navigation_vehicle(run->nav, c->vehicle));
        fputc(',', f);
        sti_table_name(f, name);
        sti_table_number(f, c->gap);
        sti_table_number(f, c->n[0]);
        sti_table_number(f, c->n[1]);
        sti_table_number(f, c->impulse);
        sti_table_number(f, c->impulse / sti_navigation_step_length(run->nav));
        fputc('\n', f);
    }
}

static sti_status lines(const void* self, int table, FILE* f) {
    const sti_navigation_run* run = &((const life*)self)->run;
    const sti_navigation_report* r = &run->report;
    const int count = sti_navigation_count(run->nav);
    if (table == 1) {
        put_pressing(run, f);
        return STI_OK;
    }
    fprintf(f, "%.17g", sti_navigation_time(run->nav));
    for (int k = 0; k < 4; k++) {
        const double* x = (k < 2 ? sti_navigation_q(run->nav) : sti_navigation_v(run->nav)) + k % 2;
        for (int i = 0; i < count; i++) fprintf(f, ",%.17g", x[2 * i]);
    }
    sti_table_number(f, r->residual);
    sti_table_number(f, r->step > 0 && isfinite(r->least_gap) ? r->least_gap : NAN);
    fprintf(f, ",%d,%d,%d\n", r->contact_count, run->basis_count, run->changed);
    return STI_OK;
}

static size_t curve_columns(const void* self) {
    return 2 * (size_t)sti_navigation_count(((const life*)self)->run.nav);
}

static void curve(const void* self, double* row) {
    memcpy(row, sti_navigation_q(((const life*)self)->run.nav), curve_columns(self) * sizeof *row);
}

// ---- the last step as a problem

static void drop_problem(sti_env* env, void* memory) {
    sti_navigation_problem_clear(env, memory);
    sti_free(env, memory);
}

static sti_status problem(const void* self, sti_env* env, sti_run_problem* out) {
    const life* l = self;
    if (l->run.report.step == 0)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "no step was made since the run was begun or resumed");
    sti_navigation_problem* p = sti_alloc_array_zero(env, 1, sizeof *p);
    if (p == NULL) return STI_ERR_MEMORY;
    const sti_status status = sti_navigation_pose(env, l->run.nav, p);
    out->memory = p;
    out->drop = drop_problem;
    out->mlcp = &p->mlcp;
    if (status != STI_OK) sti_run_problem_clear(env, out);
    return status;
}

// ---- checkpoints: events as numbers one after the other, each as step, contacts before and after, and their pairs

static void put_pairs(int64_t* list, size_t* at, const int* pairs, int count) {
    for (int k = 0; k < 2 * count; k++) list[(*at)++] = pairs[k];
}

// Of the contacts of the basis, which the next step begins with.
static sti_status save_impulses(const life* l, sti_store* out) {
    const sti_navigation_report* r = &l->run.report;
    double* impulses = sti_alloc_array(l->source.env, (size_t)l->run.basis_count + 1, sizeof *impulses);
    int count = 0;
    if (impulses == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < l->run.basis_count; i++) impulses[i] = 0;
    for (int i = 0; i < r->contact_count && count < l->run.basis_count; i++) {
        if (r->contacts[i].impulse > 0) impulses[count++] = r->contacts[i].impulse;
    }
    sti_store_put_numbers(out, "impulses", impulses, (size_t)l->run.basis_count);
    sti_free(l->source.env, impulses);
    return STI_OK;
}

static sti_status save_events(const life* l, sti_store* out) {
    const sti_navigation_run* run = &l->run;
    size_t size = 0, at = 0;
    for (int i = 0; i < run->event_count; i++)
        size += 3 + 2 * ((size_t)run->events[i].before_count + (size_t)run->events[i].after_count);
    int64_t* list = sti_alloc_array(l->source.env, size + 2 * (size_t)run->basis_count + 1, sizeof *list);
    if (list == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < run->event_count; i++) {
        const sti_navigation_event* e = &run->events[i];
        list[at++] = e->step;
        list[at++] = e->before_count;
        list[at++] = e->after_count;
        put_pairs(list, &at, e->before, e->before_count);
        put_pairs(list, &at, e->after, e->after_count);
    }
    sti_store_put_integers(out, "events", list, at);
    at = 0;
    put_pairs(list, &at, run->basis, run->basis_count);
    sti_store_put_integers(out, "basis", list, at);
    sti_free(l->source.env, list);
    return save_impulses(l, out);
}

static sti_status save(const void* self, sti_store* out) {
    const life* l = self;
    const size_t n = curve_columns(self);
    sti_store_put_members(out, "navigation", &l->run, members, STI_MEMBER_COUNT(members));
    sti_store_put_numbers(out, "q", sti_navigation_q(l->run.nav), n);
    sti_store_put_numbers(out, "v", sti_navigation_v(l->run.nav), n);
    return save_events(l, out);
}

// Pairs of a vehicle and what it presses on, made ints again. name: of the field, which may name something that is not
// there.
static sti_status get_pairs(const life* l, const sti_store* in, const char* name, const int64_t* list, size_t count,
                            int** out) {
    const sti_navigation* nav = l->run.nav;
    const int64_t vehicles = sti_navigation_count(nav),
                  still = (int64_t)sti_navigation_wall_count(nav) + sti_navigation_obstacle_count(nav);
    for (size_t k = 0; k < count; k++) {
        const int64_t a = list[2 * k], b = list[2 * k + 1];
        if (a < 0 || a >= vehicles || b < -still || b >= vehicles) return sti_store_missing(in, name);
    }
    int* pairs = sti_alloc_array(l->source.env, 2 * count + 1, sizeof *pairs);
    if (pairs == NULL) return STI_ERR_MEMORY;
    for (size_t k = 0; k < 2 * count; k++) pairs[k] = (int)list[k];
    *out = pairs;
    return STI_OK;
}

// An event at the front of the list; *used: numbers that it takes.
static sti_status load_event(life* l, const sti_store* in, const int64_t* list, size_t left, size_t* used) {
    const uint64_t before = left >= 3 ? (uint64_t)list[1] : 0, after = left >= 3 ? (uint64_t)list[2] : 0;
    int *first = NULL, *second = NULL;
    if (left < 3 || before > left / 2 || after > left / 2 || 3 + 2 * (before + after) > left ||
        l->run.event_count == STI_NAVIGATION_EVENTS)
        return sti_store_missing(in, "events");
    sti_status status = get_pairs(l, in, "events", list + 3, (size_t)before, &first);
    if (status == STI_OK) status = get_pairs(l, in, "events", list + 3 + 2 * before, (size_t)after, &second);
    if (status == STI_OK) status = add_event(l, (long)list[0], first, (int)before, second, (int)after);
    if (status != STI_OK) sti_free(l->source.env, first);
    sti_free(l->source.env, second);
    *used = 3 + 2 * (size_t)(before + after);
    return status;
}

static sti_status load_impulses(life* l, const sti_store* in) {
    size_t size;
    const int count = l->run.basis_count;
    const double* impulses = sti_store_numbers(in, "impulses", &size);
    if (impulses == NULL || size != (size_t)count) return sti_store_missing(in, "impulses");
    sti_cage_contact* pressing = sti_alloc_array_zero(l->source.env, (size_t)count + 1, sizeof *pressing);
    if (pressing == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < count; i++)
        pressing[i] = (sti_cage_contact){
            .vehicle = l->run.basis[2 * i], .other = l->run.basis[2 * i + 1], .impulse = impulses[i]};
    const sti_status status = sti_navigation_press(l->run.nav, count, pressing);
    sti_free(l->source.env, pressing);
    return status;
}

static sti_status load_events(life* l, const sti_store* in) {
    size_t size, used = 0;
    const int64_t* list = sti_store_integers(in, "basis", &size);
    if (list == NULL || size % 2 != 0 || size > INT_MAX) return sti_store_missing(in, "basis");
    sti_status status = get_pairs(l, in, "basis", list, size / 2, &l->run.basis);
    if (status != STI_OK) return status;
    l->run.basis_count = (int)(size / 2);
    status = load_impulses(l, in);
    if (status != STI_OK) return status;
    list = sti_store_integers(in, "events", &size);
    if (list == NULL || size > INT_MAX) return sti_store_missing(in, "events");
    for (size_t at = 0; status == STI_OK && at < size; at += used)
        status = load_event(l, in, list + at, size - at, &used);
    return status;
}

static sti_status load(void* self, const sti_store* in) {
    life* l = self;
    begin(l);
    size_t q_count, v_count;
    const size_t n = curve_columns(l);
    const double *q = sti_store_numbers(in, "q", &q_count), *v = sti_store_numbers(in, "v", &v_count);
    if (q == NULL || q_count != n) return sti_store_missing(in, "q");
    if (v == NULL || v_count != n) return sti_store_missing(in, "v");
    const sti_status status = sti_store_get_members(in, "navigation", &l->run, members, STI_MEMBER_COUNT(members));
    if (status != STI_OK) return status;
    if (l->run.steps < 0) return sti_store_missing(in, "navigation.steps");
    sti_navigation_set(l->run.nav, l->run.steps, q, v);
    return load_events(l, in);
}

const sti_simulation_type sti_simulation_navigation = {
    .kind = "navigation",
    .version = 3,
    .document = STI_KIND_NAVIGATION,
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
    .tables = 2,
    .header = header,
    .lines = lines,
    .curve_columns = curve_columns,
    .curve = curve,
};

const sti_navigation_run* sti_navigation_run_of(const sti_run* run) {
    const life* l = sti_run_self(run, &sti_simulation_navigation);
    return l != NULL ? &l->run : NULL;
}
