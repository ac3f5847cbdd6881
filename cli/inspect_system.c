// inspect_system.c: stiction inspect with a system by formulas, or with a bed of grains: what there is at the start.
#include <math.h>
#include <stdlib.h>
#include <stiction/sticking.h>

#include "documents.h"
#include "inspect_bodies.h"
#include "inspect_instant.h"

enum { MOST = 16 };  // lines of a list

// ---- systems

typedef struct state {
    int n, contacts, joints;  // coordinates; contacts with the joints, which are the last of them
    double t, kinetic, potential;
    double *q, *v, *gap;  // (n), (n), (contacts)
    int rank;             // of the mass matrix
} state;

static sti_status read_state(const sti_system* system, state* s) {
    sti_status status = sti_system_state(system, &s->t, s->q, s->v);
    if (status == STI_OK) status = sti_system_mass(system, s->t, s->q, NULL, &s->rank);
    if (status == STI_OK) status = sti_system_energy(system, s->t, s->q, s->v, &s->kinetic, &s->potential);
    if (status == STI_OK) status = sti_system_gap(system, s->t, s->q, s->gap);
    return status;
}

static void put_regularity(cli_json* j, int n, const sti_gap_regularity* r) {
    cli_json_object(j, "prox_regular");
    cli_json_bool(j, "found", r->found);
    cli_json_text(j, "why", r->found ? NULL : r->why);
    cli_json_integer(j, "gaps", r->gaps);
    cli_json_number(j, "radius", r->radius);
    cli_json_number(j, "constant", r->constant);
    cli_json_number(j, "opening", r->opening);
    cli_json_number(j, "bend", r->bend);
    if (r->found)
        cli_json_numbers(j, "v", r->v, (size_t)n);
    else
        cli_json_null(j, "v");
    cli_json_end(j);
}

static void say_regularity(const cli* c, const sti_gap_regularity* r) {
    if (!r->found)
        cli_say(c, "  whether the set of admissible positions is prox-regular here is not known: %s\n", r->why);
    else if (r->gaps == 0)
        cli_say(c, "  no gap closes within %.4g of this position\n", r->radius);
    else
        cli_say(c,
                "  the set of admissible positions is prox-regular within %.4g of this one: constant %.4g = opening "
                "%.4g / bend %.4g, of %d gap%s\n",
                r->radius, r->constant, r->opening, r->bend, r->gaps, r->gaps == 1 ? "" : "s");
}

static int print_system(const cli* c, const sti_system* system, const state* s, const cli_instant_facts* facts,
                        const sti_gap_regularity* regularity) {
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "system");
    cli_json_array(&j, "coordinates");
    for (int k = 0; k < s->n; k++) cli_json_text(&j, NULL, sti_system_coordinate(system, k));
    cli_json_end(&j);
    cli_json_object(&j, "parameters");
    for (int k = 0; k < sti_system_parameter_count(system); k++)
        cli_json_number(&j, sti_system_parameter(system, k), sti_system_parameter_value(system, k));
    cli_json_end(&j);
    cli_json_integer(&j, "mass_rank", s->rank);
    cli_json_number(&j, "time", s->t);
    cli_json_numbers(&j, "q", s->q, (size_t)s->n);
    cli_json_numbers(&j, "v", s->v, (size_t)s->n);
    cli_json_number(&j, "kinetic", s->kinetic);
    cli_json_number(&j, "potential", s->potential);
    cli_json_array(&j, "contacts");
    for (int k = 0; k < s->contacts; k++) {
        cli_json_object(&j, NULL);
        cli_json_text(&j, "name", sti_system_contact(system, k));
        cli_json_text(&j, "type", k < s->contacts - s->joints ? "unilateral" : "bilateral");
        cli_json_number(&j, "gap", s->gap[k]);
        cli_json_end(&j);
    }
    cli_json_end(&j);
    put_regularity(&j, s->n, regularity);
    cli_instant_facts_json(&j, facts);
    return cli_json_print(&j, c, CLI_DONE);
}

static void say_system(const cli* c, const char* path, const sti_system* system, const state* s,
                       const cli_instant_facts* facts, const sti_gap_regularity* regularity) {
    const int open = s->contacts - s->joints, parameters = sti_system_parameter_count(system);
    cli_say(c, "%s: a system by formulas: %d %s, %d %s, %d %s\n", path, s->n, s->n == 1 ? "coordinate" : "coordinates",
            open, open == 1 ? "contact" : "contacts", s->joints, s->joints == 1 ? "joint" : "joints");
    for (int k = 0; k < s->n && k < MOST; k++)
        cli_say(c, "    %-16s %.7g, velocity %.7g\n", sti_system_coordinate(system, k), s->q[k], s->v[k]);
    if (s->n > MOST) cli_say(c, "    .. and %d more\n", s->n - MOST);
    for (int k = 0; k < s->contacts && k < MOST; k++)
        cli_say(c, "    %-16s %s %.3g\n", sti_system_contact(system, k), k < open ? "contact, gap" : "joint, defect",
                s->gap[k]);
    if (s->contacts > MOST) cli_say(c, "    .. and %d more\n", s->contacts - MOST);
    if (parameters > 0) cli_say(c, "  parameters, for --set:");
    for (int k = 0; k < parameters; k++)
        cli_say(c, "%s %s = %.7g", k > 0 ? "," : "", sti_system_parameter(system, k),
                sti_system_parameter_value(system, k));
    if (parameters > 0) cli_say(c, "\n");
    cli_say(c, "  mass matrix of rank %d of %d%s; kinetic energy %.6g, potential %.6g\n", s->rank, s->n,
            s->rank < s->n ? ": singular" : "", s->kinetic, s->potential);
    cli_instant_facts_say(c, facts);
    if (open > 0) say_regularity(c, regularity);
    cli_say(c, "  stiction analyze looks at this instant, stiction run moves it\n");
}

static int find_facts(const cli* c, const char* path, const sti_system* system, const state* s,
                      cli_instant_facts* out) {
    sti_instant* instant = NULL;
    if (sti_system_instant(c->env, system, s->t, s->q, s->v, &instant) != STI_OK) return cli_fail_about(c, path);
    const int code = cli_instant_facts_find(c, path, instant, out);
    sti_instant_destroy(c->env, instant);
    return code;
}

int cli_system_inspect(const cli* c, const cli_inspect_request* q, const sti_document* document) {
    const char* path = q->path;
    const sti_system* system = sti_system_of(document);
    state s = {.n = sti_system_coordinate_count(system),
               .contacts = sti_system_contact_count(system),
               .joints = sti_system_joint_count(system)};
    const size_t n = (size_t)s.n;
    s.q = calloc(2 * n + (size_t)s.contacts + 1, sizeof *s.q);
    if (s.q == NULL) return cli_fail_memory(c);
    s.v = s.q + n;
    s.gap = s.v + n;
    cli_instant_facts facts = {0};
    sti_gap_regularity regularity = {0};
    int code = read_state(system, &s) == STI_OK ? CLI_DONE : cli_fail_about(c, path);
    if (code == CLI_DONE && sti_gap_regularity_find(c->env, system, s.t, s.q, &regularity) != STI_OK)
        code = cli_fail_about(c, path);
    if (code == CLI_DONE) code = find_facts(c, path, system, &s, &facts);
    if (code == CLI_DONE && c->json)
        code = print_system(c, system, &s, &facts, &regularity);
    else if (code == CLI_DONE)
        say_system(c, path, system, &s, &facts, &regularity);
    cli_instant_facts_clear(c, &facts);
    sti_gap_regularity_clear(c->env, &regularity);
    free(s.q);
    return code;
}

// ---- beds

int cli_bed_inspect(const cli* c, const char* path, const sti_bed_scene* scene) {
    static const char* const kinds[] = {
        [STI_WALL_PLANE] = "plane", [STI_WALL_CYLINDER] = "cylinder", [STI_WALL_CONE] = "cone"};
    sti_grains g;
    if (sti_bed_scene_grains(c->env, scene, &g) != STI_OK) return cli_fail_about(c, path);
    double mass = 0, least = INFINITY, most = 0, low = INFINITY, high = -INFINITY;
    for (int k = 0; k < g.count; k++) {
        mass += g.mass[k];
        least = fmin(least, g.radius[k]);
        most = fmax(most, g.radius[k]);
        low = fmin(low, g.x[3 * (size_t)k + 2] - g.radius[k]);
        high = fmax(high, g.x[3 * (size_t)k + 2] + g.radius[k]);
    }
    int code = CLI_DONE;
    if (c->json) {
        cli_json j;
        cli_json_begin(&j);
        cli_json_text(&j, "kind", "scene");
        cli_json_text(&j, "of", "grains");
        cli_json_text(&j, "description", scene->description);
        cli_json_text(&j, "layout", sti_layout_text(scene->bed.layout));
        cli_json_integer(&j, "grain_count", g.count);
        cli_json_number(&j, "mass", mass);
        cli_json_number(&j, "radius_least", least);
        cli_json_number(&j, "radius_most", most);
        cli_json_number(&j, "bottom", low);
        cli_json_number(&j, "top", high);
        cli_json_number(&j, "mu", scene->bed.mu);
        cli_json_array(&j, "walls");
        for (int k = 0; k < g.wall_count; k++) cli_json_text(&j, NULL, kinds[g.walls[k].kind]);
        cli_json_end(&j);
        cli_json_number(&j, "h", scene->step.h);
        cli_json_text(&j, "law", sti_law_text(scene->step.law));
        cli_json_number(&j, "time", scene->time);
        code = cli_json_print(&j, c, CLI_DONE);
    } else {
        cli_say(c, "%s: a bed of %d grains, layout %s, friction %g\n", path, g.count,
                sti_layout_text(scene->bed.layout), scene->bed.mu);
        cli_say(c, "  radius %.4g", least);
        if (most > least) cli_say(c, " to %.4g", most);
        cli_say(c, ", mass %.6g in all, between heights %.4g and %.4g\n  walls:", mass, low, high);
        for (int k = 0; k < g.wall_count; k++) cli_say(c, "%s %s", k > 0 ? "," : "", kinds[g.walls[k].kind]);
        cli_say(c, "\n  steps of %g by the law %s, to t = %g; stiction run moves it\n", scene->step.h,
                sti_law_text(scene->step.law), scene->time);
    }
    sti_grains_clear(c->env, &g);
    return code;
}
