// analyze_modes_text.c: the answer of stiction analyze modes for people, and the count of one contact's choices.
#include <math.h>
#include <string.h>

#include "analyze_modes.h"
#include "tables.h"

enum { SHOWN_MODES = 40, SHOWN_ROWS = 24, SHOWN_ENTRIES = 12 };

static void say_contacts(const cli* c, const sti_instant* in, const sti_modes* m) {
    for (int i = 0; i < m->contact_count; i++) {
        const sti_modes_contact* own = &m->contacts[i];
        cli_say(c, "  %-16s %s:", in->contacts[i].name, sti_contact_status_text(own->status));
        for (int k = 0; k < own->choice_count && k < SHOWN_MODES; k++) cli_say(c, " %s", own->word[k]);
        cli_say(c, own->choice_count > SHOWN_MODES ? " ...\n" : "\n");
    }
}

static void say_feasible(const cli* c, const cli_modes_request* r, const sti_modes* m) {
    bool spaced = false;
    for (int i = 0; i < m->mode_count; i++) spaced = spaced || strchr(m->modes[i].text, ' ') != NULL;
    if (r->consistent)
        cli_say(c, "%.12g potential modes\n", m->potential);
    else if (m->all_kinematic)
        cli_say(c, "%.12g potential modes, %d kinematically feasible\n", m->potential, m->mode_count);
    else
        cli_say(
            c,
            "%.12g potential modes, at least %d kinematically feasible: the search is %snot complete%s (--max-modes, "
            "--time-limit)\n",
            m->potential, m->mode_count, cli_unsure(c), cli_plain(c));
    for (int i = 0; i < m->mode_count && i < SHOWN_MODES; i++)
        cli_say(c, "%s%s", i == 0 ? "  " : spaced ? ", " : " ", m->modes[i].text);
    if (m->mode_count > 0) cli_say(c, m->mode_count > SHOWN_MODES ? " ...\n" : "\n");
    if (!r->infeasible) return;
    cli_say(c, "%s%d infeasible%s\n", m->all_infeasible ? "" : "at least ", m->infeasible_count,
            m->infeasible_count > 0 ? ", each with a reason (--json), as limits only:" : "");
    for (int i = 0; i < m->infeasible_count && i < SHOWN_MODES; i++)
        cli_say(c, "%s%s", i == 0 ? "  " : spaced ? ", " : " ", m->infeasible[i].text);
    if (m->infeasible_count > 0) cli_say(c, m->infeasible_count > SHOWN_MODES ? " ...\n" : "\n");
}

// "0", "-30/11", or "~1.2345678" for a fraction nobody would read.
static void number_text(const cli* c, char* text, size_t size, const sti_rationals* r, size_t i) {
    char pair[64];
    cli_text_rationals(c, pair, sizeof pair, r, i, 1, 1);
    snprintf(text, size, "%.*s", (int)(strlen(pair) - 2), pair + 1);  // without the brackets
}

static void range_text(const cli* c, char* text, size_t size, const sti_mode_solution* s, size_t i) {
    char low[40] = "-inf", high[40] = "inf";
    if (s->low_finite[i]) number_text(c, low, sizeof low, s->low, i);
    if (s->high_finite[i]) number_text(c, high, sizeof high, s->high, i);
    if (strcmp(low, high) == 0)
        snprintf(text, size, "%s", low);
    else
        snprintf(text, size, "[%s, %s]", low, high);
}

static void say_solution(const cli* c, const sti_instant* in, const sti_modes* m, const sti_mode_solution* s) {
    const size_t n = (size_t)m->n, K = (size_t)(m->contact_count + m->tangent_total);
    char text[96];
    cli_say(c, "      a = (");
    for (size_t i = 0; i < n && i < SHOWN_ENTRIES; i++) {
        range_text(c, text, sizeof text, s, i);
        cli_say(c, "%s%s", i > 0 ? ", " : "", text);
    }
    cli_say(c, n > SHOWN_ENTRIES ? ", ...)\n" : ")\n");
    size_t at = 0;
    static const char* const axis[3] = {"n", "t", "o"};
    for (int i = 0; i < m->contact_count; i++) {
        const size_t parts = 1 + (size_t)in->contacts[i].tangent_count;
        cli_say(c, "      %s:", in->contacts[i].name);
        for (size_t force = 0; force < 2; force++) {
            for (size_t k = 0; k < parts; k++) {
                range_text(c, text, sizeof text, s, n + force * K + at + k);
                cli_say(c, "%s %c_%s = %s", force + k > 0 ? "," : "", force ? 'c' : 'a', axis[k], text);
            }
        }
        cli_say(c, "\n");
        at += parts;
    }
    if (!s->acceleration_unique || !s->forces_unique)
        cli_say(c, "      not unique: %s; in brackets the range over the closed set\n",
                s->acceleration_unique ? "the forces"
                : s->forces_unique     ? "the acceleration"
                                       : "acceleration and forces");
    if (s->vertex_count >= 0)
        cli_say(c, "      the set has dimension %d, %d corner%s, %d ray%s\n", s->dimension, s->vertex_count,
                s->vertex_count == 1 ? "" : "s", s->ray_count, s->ray_count == 1 ? "" : "s");
}

static void say_margin(const cli* c, const sti_mode_wrenches* w) {
    if (w == NULL) return;
    const char* face = w->face >= 0 && w->face < w->face_count ? w->face_text[w->face] : NULL;
    cli_say(c, ", margin %s", cli_text_number(w->margin, 0));
    if (w->face < 0 && w->margin == 0) cli_say(c, ": the set is thin");
    if (face != NULL && face[0] != '\0') cli_say(c, " (%s)", face);
}

static void say_rows(const cli* c, const char* name, sti_rows rows, char* const* meaning) {
    char text[400];
    if (rows.count == 0) return;
    cli_say(c, "  %s\n", name);
    for (int i = 0; i < rows.count && i < SHOWN_ROWS; i++) {
        cli_text_rationals(c, text, sizeof text, rows.exact, (size_t)i * (size_t)rows.dimension, rows.dimension,
                           SHOWN_ENTRIES);
        cli_say(c, "    %s%s%s\n", text, meaning != NULL ? "  " : "",
                meaning == NULL      ? ""
                : meaning[i] != NULL ? meaning[i]
                                     : "at infinity");
    }
    if (rows.count > SHOWN_ROWS) cli_say(c, "    and %d more\n", rows.count - SHOWN_ROWS);
}

static void say_wrenches(const cli* c, const sti_mode* mode) {
    const sti_mode_wrenches* w = mode->wrenches;
    if (w == NULL) return;
    cli_say(c, "wrenches of mode %s: a %s of dimension %d\n", mode->text, w->is_cone ? "cone" : "polyhedron",
            sti_polycone_dimension(w->cone) - (w->is_cone ? 0 : 1));
    say_rows(c, w->is_cone ? "rays" : "rays (w, 1) or (w, 0)", sti_polycone_rays(w->cone), NULL);
    say_rows(c, "lines", sti_polycone_lines(w->cone), NULL);
    say_rows(c, w->is_cone ? "faces F w <= 0" : "faces F (w, 1) <= 0", sti_polycone_inequalities(w->cone),
             w->face_text);
    say_rows(c, "equations", sti_polycone_equations(w->cone), NULL);
}

static void say_change(const cli* c, const sti_modes* m) {
    char text[400];
    if (m->change == NULL) return;
    if (m->change_from >= 0 && m->change_size == 0) {
        cli_say(c, "the wrenches of %s are a thin set: the slightest change off it ends the mode\n",
                m->modes[m->change_from].text);
        return;
    }
    cli_text_numbers(text, sizeof text, m->change, m->n, SHOWN_ENTRIES);
    cli_say(c, "least change of the wrench: %s, of size %s", text, cli_text_number(m->change_size, 0));
    if (m->change_from >= 0) cli_say(c, ", ends %s", m->modes[m->change_from].text);
    if (m->change_to >= 0)
        cli_say(c, "%s %s", m->change_from >= 0 ? ", beyond it" : ", reaches", m->modes[m->change_to].text);
    cli_say(c, "\n");
}

static void say_verdict(const cli* c, const sti_modes* m) {
    char text[400];
    cli_text_rationals(c, text, sizeof text, m->wrench, 0, m->n, SHOWN_ENTRIES);
    const char* verdict = "one motion";
    const bool sure = m->all_consistent || !m->acceleration_unique;
    if (!m->decided)
        verdict = "whether there is a solution was not decided in time";
    else if (!m->exists)
        verdict = "no solution";
    else if (m->strict_count + m->limit_count == 0)
        verdict = "solutions only where a gap keeps its size, which is no mode";
    else if (!m->acceleration_unique)
        verdict = "several motions";
    else if (!sure)
        verdict = "whether there are other motions is not known";
    else if (!m->forces_unique)
        verdict = "one motion, the forces are not unique";
    cli_say(c, "wrench %s: %s%d strictly consistent, %d limit%s; %s%s%s\n", text, m->all_consistent ? "" : "at least ",
            m->strict_count, m->limit_count, m->all_consistent ? "" : " (search not complete)",
            !m->decided || !sure                  ? cli_unsure(c)
            : m->exists && m->acceleration_unique ? cli_good(c)
                                                  : cli_bad(c),
            verdict, cli_plain(c));
    if (m->decided && !m->exists)
        cli_say(c, "  proof: %d case%s with a Farkas vector (--json, --output)\n", m->certificate.case_count,
                m->certificate.case_count == 1 ? "" : "s, each");
}

void cli_modes_say(const cli* c, const cli_modes_request* r, const sti_instant* in, const sti_modes* m) {
    if (r->note != NULL && r->note[0] != '\0') cli_say(c, "%snote%s: %s\n", cli_unsure(c), cli_plain(c), r->note);
    say_feasible(c, r, m);
    say_contacts(c, in, m);
    if (m->asked) say_verdict(c, m);
    int shown = 0;
    for (int i = 0; i < m->mode_count; i++) {
        const sti_mode* mode = &m->modes[i];
        if (mode->solution == NULL || shown++ >= SHOWN_MODES) continue;
        cli_say(c, "  %s%s%s %s", cli_strong(c), mode->text, cli_plain(c), sti_mode_fit_text(mode->fit));
        say_margin(c, mode->wrenches);
        cli_say(c, "\n");
        say_solution(c, in, m, mode->solution);
    }
    if (m->asked) say_change(c, m);
    cli_modes_say_actuation(c, r, m);
    if (r->mode != NULL) {
        const sti_mode* mode = cli_modes_pick(m, r->mode);
        if (mode->absurd != NULL)
            cli_say(c, "mode %s is infeasible%s\n", mode->text,
                    mode->wrenches == NULL ? ", also as a limit" : ": what follows is its closed set");
        say_wrenches(c, mode);
        if (mode->absurd == NULL && mode->solution == NULL && mode->wrenches != NULL)
            cli_say(c, "  the wrench is %s, at a distance of %s\n", sti_mode_fit_text(mode->fit),
                    cli_text_number(fabs(mode->wrenches->margin), 0));
    }
}

void cli_modes_say_lcp(const cli* c, const sti_modes_lcp* lcp, const sti_lcp_solution_set* set) {
    const int n = lcp->lcp.n;
    cli_say(c, "LCP y = B z + b of size %d\n", n);
    for (int i = 0; i < n; i++) cli_say(c, "  y_%d = %-20s z_%d = %s\n", i, lcp->y_name[i], i, lcp->z_name[i]);
    cli_say_matrix(c, "B", lcp->lcp.M.dense, n, n);
    cli_say_row(c, "b", lcp->lcp.q, n);
    cli_say(c, "%d extreme solution%s, %d ray%s\n", set->vertex_count, set->vertex_count == 1 ? "" : "s",
            set->ray_count, set->ray_count == 1 ? "" : "s");
    for (int i = 0; i < set->vertex_count && i < SHOWN_ROWS; i++)
        cli_say_row(c, "z", set->vertex + (size_t)i * (size_t)n, n);
}

// ---- counting

static void put_count(cli_json* j, const sti_mode_count* k) {
    cli_json_number(j, "choices", k->choices);
    cli_json_integer(j, "feasible", k->feasible);
    cli_json_integer(j, "named", k->named);
    cli_json_object(j, "by_kind");
    for (int i = 0; i <= STI_CHOICE_FREE; i++)
        cli_json_integer(j, sti_choice_kind_text((sti_choice_kind)i), k->by_kind[i]);
    cli_json_end(j);
    cli_json_array(j, "feasible_choices");
    for (int i = 0; i < k->feasible; i++) {
        cli_json_object(j, NULL);
        cli_json_text(j, "kind", sti_choice_kind_text(k->kind[i]));
        cli_json_integer(j, "cone_dimension", k->dimension[i]);
        cli_json_array(j, "positive");
        for (int p = 0; p < k->pairs; p++)
            cli_json_text(j, NULL, k->pair_name[p][k->first[(size_t)i * (size_t)k->pairs + (size_t)p] ? 0 : 1]);
        cli_json_end(j);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void say_count(const cli* c, const char* title, double mu, const sti_mode_count* k) {
    cli_say(c, "%s, mu = %g: %d complementary pairs, %.12g choices, %d feasible", title, mu, k->pairs, k->choices,
            k->feasible);
    if (mu > 0) cli_say(c, " (S2 names %d)", k->named);
    cli_say(c, "\n");
    for (int i = 0; i <= STI_CHOICE_FREE; i++) {
        static const char* const words[] = {"separate", "roll", "slide in one direction",
                                            "slide between two directions", "keep contact, slip free"};
        if (k->by_kind[i] > 0) cli_say(c, "  %d %s\n", k->by_kind[i], words[i]);
    }
}

int cli_modes_count(const cli* c, const cli_modes_request* r) {
    if (r->path_count > 0) return cli_fail_usage(c, "%.200s: --count takes no FILE", r->path[0]);
    const bool sides = r->options.model == STI_FRICTION_SIDES;
    const int count = sides ? 1 : 2;
    char title[3][40] = {"plane", "space, box", ""};
    snprintf(title[2], sizeof title[2], "space, %d sides", r->options.sides);
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "mode_count");
    cli_json_array(&j, "counts");
    for (int model = 0; model < count; model++) {
        for (int rough = 1; rough >= 0; rough--) {
            sti_mode_count* k;
            const double mu = rough ? 0.5 : 0;
            if (sti_mode_count_create(c->env, r->options.model, sides ? 2 : 1 + model, r->options.sides, mu, &k) !=
                STI_OK) {
                cli_json_drop(&j);
                return cli_fail_env(c);
            }
            cli_json_object(&j, NULL);
            cli_json_text(&j, "contact", title[sides ? 2 : model]);
            cli_json_number(&j, "mu", mu);
            put_count(&j, k);
            cli_json_end(&j);
            say_count(c, title[sides ? 2 : model], mu, k);
            sti_mode_count_destroy(k);
        }
    }
    if (c->json) return cli_json_print(&j, c, CLI_DONE);
    cli_json_drop(&j);
    return CLI_DONE;
}
