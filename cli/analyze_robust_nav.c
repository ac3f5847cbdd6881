// analyze_robust_nav.c: stiction analyze robust with vehicles in cages: how long do the same contacts press.
//
// Every step is solved whole; where its contacts are independent the solution is the only one, and the basis of the
// first step fits a later one exactly if the same contacts press there. Forces that stay above zero and gaps that stay
// open are the margin.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze.h"

typedef struct margin {
    double force, opening;
} margin;

typedef struct search {
    const cli* c;
    const cli_robust_nav* r;
    int* basis;  // vehicle and other of those that press in the first step       (2 count)
    int count;
    margin* margins;  // (looked)
    long looked, switch_step;
    sti_navigation_report report;  // of the last step
} search;

static int press_index(const search* s, const sti_cage_contact* k) {
    for (int i = 0; i < s->count; i++) {
        if (s->basis[2 * i] == k->vehicle && s->basis[2 * i + 1] == k->other) return i;
    }
    return -1;
}

static const sti_cage_contact* find(const search* s, int vehicle, int other) {
    const sti_cage_contact* found = NULL;
    for (int p = 0; p < s->report.contact_count; p++) {
        const sti_cage_contact* k = &s->report.contacts[p];
        if (k->vehicle == vehicle && k->other == other && (found == NULL || k->impulse > found->impulse)) found = k;
    }
    return found;
}

static bool opens(const search* s, int i) {
    const sti_cage_contact* k = find(s, s->basis[2 * i], s->basis[2 * i + 1]);
    return k == NULL || !(k->impulse > 0);
}

static bool closes(const search* s, const sti_cage_contact* k) {
    return k->impulse > 0 && press_index(s, k) < 0;
}

static bool is_switch(const search* s) {
    for (int i = 0; i < s->count; i++) {
        if (opens(s, i)) return true;
    }
    for (int p = 0; p < s->report.contact_count; p++) {
        if (closes(s, &s->report.contacts[p])) return true;
    }
    return false;
}

// Gaps at the end of the step, by its own linearization.
static margin margin_of(const search* s) {
    const double h = sti_navigation_step_length(s->r->nav);
    const double* v = sti_navigation_v(s->r->nav);
    margin m = {INFINITY, INFINITY};
    for (int p = 0; p < s->report.contact_count; p++) {
        const sti_cage_contact* k = &s->report.contacts[p];
        double gap = k->gap;
        for (int j = 0; j < 2; j++)
            gap += h * k->n[j] * (v[2 * k->vehicle + j] - (k->other >= 0 ? v[2 * k->other + j] : 0));
        if (k->impulse > 0)
            m.force = fmin(m.force, k->impulse / h);
        else
            m.opening = fmin(m.opening, gap);
    }
    return m;
}

static int look(search* s) {
    s->switch_step = -1;
    for (long l = 0; l < s->r->steps; l++) {
        if (sti_navigation_step(s->r->nav, &s->report) != STI_OK) return cli_fail_about(s->c, s->r->path);
        if (s->report.outcome != STI_SOLVED) return CLI_DONE;
        if (l == 0) {
            s->basis = malloc((2 * (size_t)s->report.contact_count + 1) * sizeof *s->basis);
            if (s->basis == NULL) return cli_fail_memory(s->c);
            for (int p = 0; p < s->report.contact_count; p++) {
                const sti_cage_contact* k = &s->report.contacts[p];
                if (!(k->impulse > 0)) continue;
                s->basis[2 * s->count] = k->vehicle;
                s->basis[2 * s->count++ + 1] = k->other;
            }
        }
        s->margins[s->looked++] = margin_of(s);
        if (l > 0 && is_switch(s)) {
            s->switch_step = l;
            return CLI_DONE;
        }
    }
    return CLI_DONE;
}

// ---- what is told

static void name(const search* s, int vehicle, int other, char* text, size_t size) {
    char what[100];
    sti_navigation_other_text(s->r->nav, other, what, sizeof what);
    snprintf(text, size, "%s on %s", sti_navigation_vehicle(s->r->nav, vehicle), what);
}

// Each change: its contact, whether it opens, and for one that closes the force.
static void for_changes(const search* s, void (*tell)(void*, const char*, bool, double), void* to) {
    char text[220];
    const double h = sti_navigation_step_length(s->r->nav);
    for (int i = 0; i < s->count; i++) {
        if (!opens(s, i)) continue;
        name(s, s->basis[2 * i], s->basis[2 * i + 1], text, sizeof text);
        tell(to, text, true, NAN);
    }
    for (int p = 0; p < s->report.contact_count; p++) {
        const sti_cage_contact* k = &s->report.contacts[p];
        if (!closes(s, k)) continue;
        name(s, k->vehicle, k->other, text, sizeof text);
        tell(to, text, false, k->impulse / h);
    }
}

static void put_change(void* to, const char* text, bool open, double force) {
    cli_json* j = to;
    cli_json_object(j, NULL);
    cli_json_text(j, "contact", text);
    cli_json_text(j, "event", open ? "opens" : "closes");
    cli_json_number(j, "force", force);
    cli_json_end(j);
}

static void say_change(void* to, const char* text, bool open, double force) {
    (void)force;
    cli_say(to, "    %s %s\n", text, open ? "opens" : "closes");
}

static int print_json(const search* s, int code) {
    const size_t n = 2 * (size_t)sti_navigation_count(s->r->nav);
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "robust-navigation");
    cli_json_text(&j, "file", s->r->path);
    cli_json_number(&j, "h", sti_navigation_step_length(s->r->nav));
    cli_json_integer(&j, "steps", s->r->steps);
    cli_json_text(&j, "outcome", sti_outcome_text(s->report.outcome));
    cli_json_bool(&j, "robust", code == CLI_DONE);
    cli_json_count(&j, "switch_step", s->switch_step);
    cli_json_array(&j, "broken");
    if (s->switch_step >= 0) for_changes(s, put_change, &j);
    cli_json_end(&j);
    cli_json_array(&j, "basis");
    for (int i = 0; i < s->count; i++) {
        char text[220];
        name(s, s->basis[2 * i], s->basis[2 * i + 1], text, sizeof text);
        cli_json_text(&j, NULL, text);
    }
    cli_json_end(&j);
    cli_json_array(&j, "margins");
    for (long l = 0; l < s->looked; l++) {
        cli_json_object(&j, NULL);
        cli_json_number(&j, "opening", s->margins[l].opening);
        cli_json_number(&j, "force", s->margins[l].force);
        cli_json_end(&j);
    }
    cli_json_end(&j);
    cli_json_numbers(&j, "q", sti_navigation_q(s->r->nav), n);
    return cli_json_print(&j, s->c, code);
}

static void say(const search* s) {
    const cli* c = s->c;
    const long kept = s->looked - (s->switch_step >= 0);
    margin least = {INFINITY, INFINITY};
    for (long l = 0; l < kept; l++) {
        least.force = fmin(least.force, s->margins[l].force);
        least.opening = fmin(least.opening, s->margins[l].opening);
    }
    cli_say(c, "%s: vehicles: %d; %ld steps of %g, %d contacts press in the first\n", s->r->path,
            sti_navigation_count(s->r->nav), s->r->steps, sti_navigation_step_length(s->r->nav), s->count);
    if (s->report.outcome != STI_SOLVED)
        cli_say(c, "  %sstep %ld was not solved%s: %s\n", cli_bad(c), s->looked, cli_plain(c),
                sti_outcome_text(s->report.outcome));
    else if (s->switch_step < 0)
        cli_say(c, "  %srobust%s: the basis of the first step lasts\n", cli_good(c), cli_plain(c));
    else
        cli_say(c, "  %sswitch%s in step %ld:\n", cli_bad(c), cli_plain(c), s->switch_step);
    if (s->switch_step >= 0) for_changes(s, say_change, (void*)c);
    if (isfinite(least.force)) cli_say(c, "  least force of a contact that presses: %.6g\n", least.force);
    if (isfinite(least.opening)) cli_say(c, "  least gap of one that does not: %.6g\n", least.opening);
}

int cli_robust_nav_answer(const cli* c, const cli_robust_nav* question) {
    search s = {.c = c, .r = question, .report = {.outcome = STI_UNKNOWN}};
    s.margins = malloc((size_t)question->steps * sizeof *s.margins);
    int code = s.margins != NULL ? look(&s) : cli_fail_memory(c);
    if (code == CLI_DONE) {
        code = s.report.outcome == STI_SOLVED && s.switch_step < 0 ? CLI_DONE : CLI_NO;
        if (c->json)
            code = print_json(&s, code);
        else
            say(&s);
    }
    free(s.basis);
    free(s.margins);
    return code;
}
