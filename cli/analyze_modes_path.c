// analyze_modes_path.c: modes along a path of wrenches, over the states of a run, or over instants in time, and the
// graph of transitions.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze_modes.h"
#include "file.h"

enum { LABEL = 1000 };

// A sample at which the modes are others than before.
typedef struct turn {
    double time;
    char label[LABEL];
} turn;

typedef struct journey {
    const cli* c;
    cli_modes_request* r;
    sti_mode_graph* graph;
    cli_json j;
    int samples;
    int turn_count, turn_capacity;
    turn* turns;  // free with free()       (turn_count)
} journey;

static int note(journey* v, double time, const char* label) {
    if (v->turn_count > 0 && strcmp(label, v->turns[v->turn_count - 1].label) == 0) return CLI_DONE;
    if (v->turn_count == v->turn_capacity) {
        const int capacity = v->turn_capacity > 0 ? 2 * v->turn_capacity : 16;
        turn* grown = realloc(v->turns, (size_t)capacity * sizeof *grown);
        if (grown == NULL) return cli_fail_memory(v->c);
        v->turns = grown;
        v->turn_capacity = capacity;
    }
    turn* to = &v->turns[v->turn_count++];
    to->time = time;
    snprintf(to->label, sizeof to->label, "%s", label);
    return CLI_DONE;
}

static int add_sample(journey* v, double time, const char* label) {
    if (sti_mode_graph_add(v->graph, time, label) != STI_OK) return cli_fail_env(v->c);
    cli_json_object(&v->j, NULL);
    cli_json_number(&v->j, "t", time);
    cli_json_text(&v->j, "mode", label);
    cli_json_end(&v->j);
    v->samples++;
    return note(v, time, label);
}

// One sample: the modes of an instant under a wrench (NULL: its own).
static int visit(journey* v, const char* name, const sti_instant* in, double time, const sti_rationals* wrench) {
    sti_modes_options o = v->r->options;
    o.want = STI_MODES_CONSISTENT;
    o.wrench_exact = wrench;
    sti_modes* m;
    if (sti_modes_create(v->c->env, in, &o, &m) != STI_OK) return cli_fail_about(v->c, name);
    char label[LABEL];
    cli_modes_label(m, label, sizeof label);
    sti_modes_destroy(m);
    return add_sample(v, time, label);
}

static int visit_line(journey* v, const sti_instant* in, char* line, int number) {
    char what[300];
    char* comma = strchr(line, ',');
    double time;
    snprintf(what, sizeof what, "%.200s: line %d", v->r->csv, number);
    if (comma == NULL) return cli_fail_usage(v->c, "%s: t,w_1,..,w_%d expected", what, in->n);
    *comma = '\0';
    if (!cli_parse_number(line, &time)) return cli_fail_usage(v->c, "%s: %.60s: a time expected", what, line);
    sti_rationals* wrench;
    int code = cli_modes_wrench(v->c, comma + 1, what, in->n, &wrench);
    if (code == CLI_DONE) code = visit(v, v->r->path[0], in, time, wrench);
    sti_rationals_destroy(wrench);
    return code;
}

// Lines of the file; those that begin with neither a digit nor a sign (headings, remarks) are passed over.
static int follow_file(journey* v, const sti_instant* in) {
    FILE* f;
    int code = cli_open_to_read(v->c, v->r->csv, &f);
    if (code != CLI_DONE) return code;
    char* line = NULL;
    size_t capacity = 0;
    for (int number = 1; code == CLI_DONE && getline(&line, &capacity, f) >= 0; number++) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strchr("0123456789+-.", line[0]) == NULL || line[0] == '\0') continue;
        code = visit_line(v, in, line, number);
    }
    free(line);
    fclose(f);
    if (code == CLI_DONE && v->samples == 0) code = cli_fail_usage(v->c, "%.200s: no line t,w_1,..", v->r->csv);
    return code;
}

// ---- states of a run

// A state of the run; numbers: t, q (n), v (n), and the weighted velocities (n) where the file has them. Those are the
// ones that tell stick from slip: with alpha = 1/2 the others change their sign at every step of a contact that sticks
// (S3 2.2.3).
typedef struct voyage {
    journey* v;
    const cli_instant* in;
    sti_instant* instant;           // of the system, made anew at each state
    sti_instant_contact* contacts;  // a copy, with what is decided of each    (contact_count)
    double* number;                 // (1 + 3 n)
    bool weighted;                  // the file has weighted velocities
    double speed;                   // largest |v| of the run
} voyage;

static double rate(const voyage* w, const double* row, double offset) {
    double sum = offset;
    for (int k = 0; k < w->instant->n; k++) sum += row[k] * w->instant->v[k];
    return sum;
}

// A rate counts as zero when it is below 1e-6 of what the fastest velocity of the run would make of it: a run rounds,
// and contacts that last do so up to the residual of each step.
static bool is_still(const voyage* w, const double* row, double offset) {
    double size = 0;
    for (int k = 0; k < w->instant->n; k++) size += fabs(row[k]);
    return fabs(rate(w, row, offset)) <= 1e-6 * size * w->speed;
}

// Contacts that last are said to stick or to slide. True: one touches and approaches.
static bool decide_states(const voyage* w) {
    bool impact = false;
    for (int i = 0; i < w->instant->contact_count; i++) {
        sti_instant_contact* c = &w->contacts[i];
        *c = w->instant->contacts[i];
        if (!c->bilateral && (c->gap > w->v->r->options.gap_tol || !is_still(w, c->n, c->n_offset))) {
            impact = impact || (c->gap <= w->v->r->options.gap_tol && rate(w, c->n, c->n_offset) < 0);
            continue;
        }
        c->state = STI_INSTANT_STICK;
        for (int k = 0; k < c->tangent_count; k++) {
            const double* row = c->t + (size_t)k * (size_t)w->instant->n;
            if (!is_still(w, row, c->t_offset != NULL ? c->t_offset[k] : 0)) c->state = STI_INSTANT_SLIDE;
        }
    }
    return impact;
}

static const double* velocities(const voyage* w) {
    return w->number + 1 + (w->weighted ? 2 : 1) * sti_system_coordinate_count(w->in->system);
}

// The first columns of a line.
static int read_state(voyage* w, char* line, int line_number) {
    const int n = sti_system_coordinate_count(w->in->system), count = 1 + (w->weighted ? 3 : 2) * n;
    for (int k = 0; k < count; k++) {
        char* end = line + strcspn(line, ",");
        const bool last = *end == '\0';
        *end = '\0';
        if (!cli_parse_number(line, &w->number[k]) || (last && k + 1 < count))
            return cli_fail_usage(w->v->c, "%.200s: line %d: t, %d coordinates and as many velocities%s expected",
                                  w->v->r->trajectory, line_number, n, w->weighted ? ", twice," : "");
        line = last ? end : end + 1;
    }
    return CLI_DONE;
}

static int visit_state(voyage* w) {
    const cli* c = w->v->c;
    if (sti_system_instant_update(w->in->system, w->number[0], w->number + 1, velocities(w), w->instant) != STI_OK)
        return cli_fail_about(c, w->v->r->path[0]);
    if (decide_states(w)) return add_sample(w->v, w->number[0], "impact");
    sti_instant at = *w->instant;
    at.contacts = w->contacts;
    return visit(w->v, w->v->r->path[0], &at, w->number[0], NULL);
}

// Twice through the file: the largest velocity first, then the states.
static int sail(voyage* w, FILE* f) {
    const int n = sti_system_coordinate_count(w->in->system);
    char* line = NULL;
    size_t capacity = 0;
    int code = CLI_DONE;
    for (int pass = 0; pass < 2 && code == CLI_DONE; pass++) {
        rewind(f);
        for (int number = 1; code == CLI_DONE && getline(&line, &capacity, f) >= 0; number++) {
            line[strcspn(line, "\r\n")] = '\0';
            if (strchr("0123456789+-.", line[0]) == NULL || line[0] == '\0') {
                w->weighted = w->weighted || strstr(line, "'_alpha") != NULL;  // the head
                continue;
            }
            code = read_state(w, line, number);
            for (int k = 0; k < n && pass == 0; k++) w->speed = fmax(w->speed, fabs(velocities(w)[k]));
            if (code == CLI_DONE && pass == 1) code = visit_state(w);
        }
    }
    free(line);
    return code;
}

static int follow_run(journey* v, const cli_instant* in) {
    if (in->system == NULL)
        return cli_fail_usage(v->c, "--trajectory: %.200s is an instant; a system expected", v->r->path[0]);
    FILE* f;
    const int opened = cli_open_to_read(v->c, v->r->trajectory, &f);
    if (opened != CLI_DONE) return opened;
    voyage w = {.v = v, .in = in};
    const size_t n = (size_t)sti_system_coordinate_count(in->system), contacts = (size_t)in->instant->contact_count;
    w.number = calloc(1 + 3 * n, sizeof *w.number);
    w.contacts = calloc(contacts + 1, sizeof *w.contacts);
    int code = w.number == NULL || w.contacts == NULL ? cli_fail_memory(v->c) : CLI_DONE;
    if (code == CLI_DONE) {
        sti_system_state(in->system, &w.number[0], w.number + 1, w.number + 1 + n);
        if (sti_system_instant(v->c->env, in->system, w.number[0], w.number + 1, w.number + 1 + n, &w.instant) !=
            STI_OK)
            code = cli_fail_about(v->c, v->r->path[0]);
    }
    if (code == CLI_DONE) code = sail(&w, f);
    if (code == CLI_DONE && v->samples == 0)
        code = cli_fail_usage(v->c, "%.200s: no line t,q_1,..,v_n", v->r->trajectory);
    sti_instant_destroy(v->c->env, w.instant);
    free(w.contacts);
    free(w.number);
    fclose(f);
    return code;
}

// ---- the whole

static int follow(journey* v) {
    int code = CLI_DONE;
    for (int i = 0; i < v->r->path_count && code == CLI_DONE; i++) {
        cli_instant in;
        code = cli_instant_load(v->c, v->r->path[i], &v->r->at, &in);
        if (code != CLI_DONE) return code;
        cli_modes_own_polygon(v->r, in.instant);
        if (v->r->trajectory != NULL)
            code = follow_run(v, &in);
        else
            code = v->r->csv != NULL ? follow_file(v, in.instant)
                                     : visit(v, v->r->path[i], in.instant, in.instant->time, NULL);
        cli_instant_clear(v->c, &in);
    }
    return code;
}

static void put_graph(journey* v) {
    const sti_mode_node* nodes;
    const sti_mode_edge* edges;
    const int node_count = sti_mode_graph_nodes(v->graph, &nodes), edge_count = sti_mode_graph_edges(v->graph, &edges);
    cli_json_array(&v->j, "nodes");
    for (int i = 0; i < node_count; i++) {
        cli_json_object(&v->j, NULL);
        cli_json_text(&v->j, "mode", nodes[i].text);
        cli_json_number(&v->j, "first_time", nodes[i].first_time);
        cli_json_integer(&v->j, "visits", nodes[i].visits);
        cli_json_end(&v->j);
    }
    cli_json_end(&v->j);
    cli_json_array(&v->j, "edges");
    for (int i = 0; i < edge_count; i++) {
        cli_json_object(&v->j, NULL);
        cli_json_text(&v->j, "from", nodes[edges[i].from].text);
        cli_json_text(&v->j, "to", nodes[edges[i].to].text);
        cli_json_number(&v->j, "first_time", edges[i].first_time);
        cli_json_integer(&v->j, "count", edges[i].count);
        cli_json_end(&v->j);
    }
    cli_json_end(&v->j);
    for (int i = 0; i < v->turn_count; i++) cli_say(v->c, "  t = %-12.9g %s\n", v->turns[i].time, v->turns[i].label);
    cli_say(v->c, "%d samples, %d modes, %d transitions\n", v->samples, node_count, edge_count);
    for (int i = 0; i < edge_count; i++)
        cli_say(v->c, "  %s -> %s, first at t = %.9g, %d time%s\n", nodes[edges[i].from].text, nodes[edges[i].to].text,
                edges[i].first_time, edges[i].count, edges[i].count == 1 ? "" : "s");
}

int cli_modes_path(const cli* c, cli_modes_request* r) {
    if (r->wrench_text != NULL)
        return cli_fail_usage(c, "--wrench: %s", r->csv != NULL ? "--path gives the wrenches" : "one FILE expected");
    if (r->trajectory != NULL && !(r->gap_tol > 0)) r->options.gap_tol = 1e-6;
    journey v = {.c = c, .r = r};
    if (sti_mode_graph_create(c->env, &v.graph) != STI_OK) return cli_fail_env(c);
    cli_json_begin(&v.j);
    cli_json_text(&v.j, "kind", "mode_path");
    cli_json_array(&v.j, "samples");
    int code = follow(&v);
    cli_json_end(&v.j);
    if (code == CLI_DONE) put_graph(&v);
    sti_mode_graph_destroy(v.graph);
    free(v.turns);
    if (code == CLI_DONE && r->output != NULL && !v.j.broken) {
        while (v.j.depth > 0) cli_json_end(&v.j);
        code = cli_write_file(c, r->output, v.j.text, v.j.size);
    }
    if (code == CLI_DONE && c->json) return cli_json_print(&v.j, c, CLI_DONE);
    cli_json_drop(&v.j);
    return code;
}
