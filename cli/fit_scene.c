// fit_scene.c: what a scene says at the instants of the data: parts and probes, systems by formulas, formulas of t.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

// ---- names

static void add_output(cli_fit_scene* s, const char* name, const char* tail) {
    if (s->output_count == CLI_FIT_COLUMNS) return;
    snprintf(s->output[s->output_count++], CLI_FIT_NAME, "%.40s%.20s", name, tail);
}

int cli_fit_outputs(const cli* c, cli_fit_scene* s) {
    static const char* const words[] = {"x", "y", "theta"};
    if (s->bodies || s->grains) {
        cli_fit_outputs_bodies(s);
    } else if (s->parts != NULL) {
        const int parts = sti_manipulation_part_count(s->parts);
        for (int i = 0; i < 3 * parts; i++) {
            char tail[CLI_FIT_NAME] = "";
            if (parts > 1) snprintf(tail, sizeof tail, ":%.40s", sti_manipulation_part(s->parts, i / 3));
            add_output(s, words[i % 3], tail);
        }
    } else if (s->system != NULL) {
        const int n = sti_system_coordinate_count(s->system);
        for (int i = 0; i < 2 * n; i++) add_output(s, sti_system_coordinate(s->system, i % n), i < n ? "" : "'");
    } else {
        for (int i = 0; i < sti_system_contact_count(s->model); i++) add_output(s, sti_system_contact(s->model, i), "");
    }
    return s->output_count > 0 ? CLI_DONE : cli_fail_usage(c, "%.200s: nothing to compare with data", s->path);
}

bool cli_fit_has_parameter(const cli_fit_scene* s, const char* name, double* value) {
    if (s->bodies || s->grains) return cli_fit_has_parameter_bodies(s, name, value);
    const sti_system* system = s->system != NULL ? s->system : s->model;
    const int count =
        s->parts != NULL ? sti_manipulation_parameter_count(s->parts) : sti_system_parameter_count(system);
    for (int k = 0; k < count; k++) {
        const char* other =
            s->parts != NULL ? sti_manipulation_parameter(s->parts, k) : sti_system_parameter(system, k);
        if (strcmp(other, name) != 0) continue;
        if (value != NULL)
            *value = s->parts != NULL ? sti_manipulation_parameter_value(s->parts, k)
                                      : sti_system_parameter_value(system, k);
        return true;
    }
    return false;
}

// ---- one experiment

typedef struct experiment {
    const cli_fit_scene* s;
    const cli_fit_data* d;
    int group;
    double until;
    double* out;  // (rows x output_count of the data)
} experiment;

static double cell(const experiment* e, int row, int column) {
    return e->d->cell[(size_t)row * (size_t)e->d->column_count + (size_t)column];
}

// Parameters x and those of the experiment. False: the scene does not take them.
static bool set_parameters(const experiment* e, const double* x, int row) {
    const char* names[2 * CLI_FIT_COLUMNS];
    double values[2 * CLI_FIT_COLUMNS];
    int count = 0;
    for (int i = 0; i < e->s->parameter_count; i++, count++) {
        names[count] = e->s->parameter[i];
        values[count] = x[i];
    }
    for (int i = 0; i < e->d->setting_count; i++, count++) {
        names[count] = e->d->name[e->d->setting[i]];
        values[count] = cell(e, row, e->d->setting[i]);
    }
    if (e->s->bodies || e->s->grains) return cli_fit_set_bodies(e->s, count, names, values);
    if (e->s->parts != NULL) return sti_manipulation_set(e->s->parts, count, names, values) == STI_OK;
    sti_system* system = e->s->system != NULL ? e->s->system : e->s->model;
    for (int i = 0; i < count; i++) {
        if (!isfinite(values[i]) || sti_system_set(system, names[i], values[i]) != STI_OK) return false;
    }
    return true;
}

// The state moved from `before` at t0 to `now` at t1: rows between get their share of both.
static void fill(const experiment* e, double t0, const double* before, double t1, const double* now) {
    const double slack = 1e-9 * (t1 - t0);
    for (int r = 0; r < e->d->rows; r++) {
        const double t = cell(e, r, e->d->time);
        if (e->d->group[r] != e->group || t < t0 - slack || t > t1 + slack) continue;
        const double f = fmin(fmax((t - t0) / (t1 - t0), 0), 1);
        for (int k = 0; k < e->d->output_count; k++) {
            const int i = e->d->of[k];
            e->out[(size_t)r * (size_t)e->d->output_count + (size_t)k] = f >= 1 ? now[i]
                                                                         : f <= 0
                                                                             ? before[i]
                                                                             : before[i] + f * (now[i] - before[i]);
        }
    }
}

static sti_status follow_parts(const experiment* e) {
    const size_t n = 3 * (size_t)sti_manipulation_part_count(e->s->parts);
    const double h = e->s->h > 0 ? e->s->h : sti_manipulation_step(e->s->parts);
    sti_push* p = NULL;
    double* before = malloc(n * sizeof *before);
    sti_status status = before != NULL ? sti_push_create(e->s->c->env, e->s->parts, h, &p) : STI_ERR_MEMORY;
    while (status == STI_OK && sti_push_time(p) < e->until - 1e-9 * h) {
        sti_push_report r;
        const double t0 = sti_push_time(p);
        memcpy(before, sti_push_q(p), n * sizeof *before);
        status = sti_push_step(p, &r);
        if (status != STI_OK || r.end != STI_PUSH_MOVED) break;
        fill(e, t0, before, sti_push_time(p), sti_push_q(p));
    }
    sti_push_destroy(p);
    free(before);
    return status;
}

static void read_state(const sti_stepper* s, size_t n, double* out) {
    memcpy(out, sti_stepper_q(s), n * sizeof *out);
    memcpy(out + n, sti_stepper_v_alpha(s), n * sizeof *out);
}

static sti_status follow_system(const experiment* e) {
    const size_t n = (size_t)sti_system_coordinate_count(e->s->system);
    sti_stepper* p = NULL;
    double* room = malloc(4 * n * sizeof *room);
    if (room == NULL) return STI_ERR_MEMORY;
    sti_status status = sti_stepper_create(e->s->c->env, e->s->system, &e->s->options, &p);
    const double h = e->s->options.step;
    while (status == STI_OK && sti_stepper_time(p) < e->until - 1e-9 * h) {
        sti_step_report r;
        const double t0 = sti_stepper_time(p);
        read_state(p, n, room);
        status = sti_stepper_step(p, &r);
        if (status != STI_OK || r.outcome != STI_SOLVED) break;
        read_state(p, n, room + 2 * n);
        fill(e, t0, room, sti_stepper_time(p), room + 2 * n);
    }
    sti_stepper_destroy(p);
    free(room);
    return status == STI_ERR_INPUT ? STI_OK : status;  // a start that does not fit: there is no model there
}

static void fill_span(const void* user, const cli_fit_span* span) {
    fill(user, span->t0, span->before, span->t1, span->now);
}

static sti_status follow_bodies(const experiment* e) {
    cli_fit_span span = {.fill = fill_span, .user = e};
    return cli_fit_follow_bodies(e->s, e->until, &span);
}

static sti_status follow_model(const experiment* e) {
    double* value = malloc((size_t)e->s->output_count * sizeof *value);
    if (value == NULL) return STI_ERR_MEMORY;
    for (int r = 0; r < e->d->rows; r++) {
        const double zero[1] = {0};
        if (e->d->group[r] != e->group || sti_system_gap(e->s->model, cell(e, r, e->d->time), zero, value) != STI_OK)
            continue;
        for (int k = 0; k < e->d->output_count; k++)
            e->out[(size_t)r * (size_t)e->d->output_count + (size_t)k] = value[e->d->of[k]];
    }
    free(value);
    return STI_OK;
}

sti_status cli_fit_predict(const cli_fit_scene* s, const cli_fit_data* d, const double* x, double* out) {
    sti_status status = STI_OK;
    for (int i = 0; i < d->rows * d->output_count; i++) out[i] = NAN;
    for (int g = 0; status == STI_OK && g < d->group_count; g++) {
        experiment e = {.s = s, .d = d, .group = g, .out = out};
        int first = -1;
        for (int r = d->rows - 1; r >= 0; r--) {
            if (d->group[r] != g) continue;
            e.until = fmax(e.until, cell(&e, r, d->time));
            first = r;
        }
        if (!set_parameters(&e, x, first)) continue;
        status = s->bodies || s->grains ? follow_bodies(&e)
                 : s->parts != NULL     ? follow_parts(&e)
                 : s->system != NULL    ? follow_system(&e)
                                        : follow_model(&e);
    }
    return status;
}
