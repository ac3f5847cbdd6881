// analyze_modes_json.c: the answer of stiction analyze modes as JSON, on stdout or into a file.
#include "analyze_modes.h"
#include "file.h"

// Exact numbers as text, doubles beside them.
static void put_pair(cli_json* j, const cli* c, const char* key, const char* exact_key, const sti_rationals* r,
                     size_t first, size_t count) {
    cli_json_array(j, key);
    for (size_t i = 0; i < count; i++) cli_json_number(j, NULL, sti_rationals_double(r, first + i));
    cli_json_end(j);
    cli_json_rationals(j, c, exact_key, r, first, count);
}

static void put_contacts(cli_json* j, const sti_instant* in, const sti_modes* m) {
    cli_json_array(j, "contacts");
    for (int i = 0; i < m->contact_count; i++) {
        cli_json_object(j, NULL);
        cli_json_text(j, "name", in->contacts[i].name);
        cli_json_text(j, "status", sti_contact_status_text(m->contacts[i].status));
        cli_json_array(j, "choices");
        for (int k = 0; k < m->contacts[i].choice_count; k++) cli_json_text(j, NULL, m->contacts[i].word[k]);
        cli_json_end(j);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void put_range(cli_json* j, const sti_mode_solution* s, size_t i) {
    cli_json_array(j, NULL);
    if (s->low_finite[i])
        cli_json_number(j, NULL, sti_rationals_double(s->low, i));
    else
        cli_json_null(j, NULL);
    if (s->high_finite[i])
        cli_json_number(j, NULL, sti_rationals_double(s->high, i));
    else
        cli_json_null(j, NULL);
    cli_json_end(j);
}

// Exact rows: numbers where a double holds them, text otherwise; NULL: null.
static void put_points(cli_json* j, const cli* c, const char* key, const sti_rationals* r, int count, size_t width) {
    if (r == NULL) {
        cli_json_null(j, key);
        return;
    }
    cli_json_array(j, key);
    for (int i = 0; i < count; i++) {
        cli_json_array(j, NULL);
        for (size_t k = (size_t)i * width; k < ((size_t)i + 1) * width; k++) {
            if (sti_rationals_is_double(r, k))
                cli_json_number(j, NULL, sti_rationals_double(r, k));
            else
                cli_json_rational(j, c, NULL, r, k);
        }
        cli_json_end(j);
    }
    cli_json_end(j);
}

// a_n, a_t, c_n, c_t of every contact from numbers in the order of contact values.
static void put_by_contact(cli_json* j, const sti_instant* in, const sti_rationals* r, size_t first, const char* normal,
                           const char* tangent) {
    size_t at = first;
    cli_json_array(j, normal);
    for (int i = 0; i < in->contact_count; at += 1 + (size_t)in->contacts[i++].tangent_count)
        cli_json_number(j, NULL, sti_rationals_double(r, at));
    cli_json_end(j);
    at = first;
    cli_json_array(j, tangent);
    for (int i = 0; i < in->contact_count; i++) {
        cli_json_array(j, NULL);
        for (int t = 0; t < in->contacts[i].tangent_count; t++)
            cli_json_number(j, NULL, sti_rationals_double(r, at + 1 + (size_t)t));
        cli_json_end(j);
        at += 1 + (size_t)in->contacts[i].tangent_count;
    }
    cli_json_end(j);
}

static void put_solution(cli_json* j, const cli* c, const sti_instant* in, const sti_modes* m,
                         const sti_mode_solution* s) {
    const size_t n = (size_t)m->n, K = (size_t)(m->contact_count + m->tangent_total);
    cli_json_object(j, "solution");
    cli_json_bool(j, "acceleration_unique", s->acceleration_unique);
    cli_json_bool(j, "forces_unique", s->forces_unique);
    cli_json_count(j, "dimension", s->dimension);
    put_pair(j, c, "a", "a_exact", s->point, 0, n);
    put_by_contact(j, in, s->point, n, "a_n", "a_t");
    put_by_contact(j, in, s->point, n + K, "c_n", "c_t");
    cli_json_rationals(j, c, "contact_accelerations_exact", s->point, n, K);
    cli_json_rationals(j, c, "forces_exact", s->point, n + K, K);
    static const char* const names[3] = {"a_range", "contact_accelerations_range", "forces_range"};
    const size_t first[4] = {0, n, n + K, n + 2 * K};
    for (int part = 0; part < 3; part++) {
        cli_json_array(j, names[part]);
        for (size_t i = first[part]; i < first[part + 1]; i++) put_range(j, s, i);
        cli_json_end(j);
    }
    // of the set of (a, forces), where it is small enough
    const bool known = s->vertex_count >= 0;
    put_points(j, c, "vertices", known ? s->vertices : NULL, s->vertex_count, n + K);
    put_points(j, c, "rays", known ? s->rays : NULL, s->ray_count, n + K);
    put_points(j, c, "lines", known ? s->lines : NULL, s->line_count, n + K);
    cli_json_end(j);
}

static void put_rows(cli_json* j, const cli* c, const char* key, sti_rows rows) {
    if (rows.count > 0) {
        put_points(j, c, key, rows.exact, rows.count, (size_t)rows.dimension);
    } else {
        cli_json_array(j, key);
        cli_json_end(j);
    }
}

static void put_wrenches(cli_json* j, const cli* c, const sti_modes* m, const sti_mode_wrenches* w) {
    cli_json_object(j, "wrenches");
    cli_json_text(j, "set", w->is_cone ? "cone" : "polyhedron");
    cli_json_text(j, "face_convention", w->is_cone ? "F w <= 0, E w = 0" : "F (w, 1) <= 0, E (w, 1) = 0");
    cli_json_integer(j, "dimension", sti_polycone_dimension(w->cone) - (w->is_cone ? 0 : 1));
    put_rows(j, c, "rays", sti_polycone_rays(w->cone));
    put_rows(j, c, "lines", sti_polycone_lines(w->cone));
    put_rows(j, c, "faces", sti_polycone_inequalities(w->cone));
    put_rows(j, c, "equations", sti_polycone_equations(w->cone));
    cli_json_array(j, "face_meaning");
    for (int f = 0; f < w->face_count; f++) cli_json_text(j, NULL, w->face_text[f]);
    cli_json_end(j);
    cli_json_number(j, "margin", w->margin);
    cli_json_count(j, "limiting_face", w->face);
    cli_json_numbers(j, "change", w->change, (size_t)m->n);
    cli_json_end(j);
}

static void put_mode(cli_json* j, const cli* c, const cli_modes_request* r, const sti_instant* in, const sti_modes* m,
                     const sti_mode* mode) {
    cli_json_object(j, NULL);
    cli_json_text(j, "mode", mode->text);
    cli_json_array(j, "choice");
    for (int i = 0; i < m->contact_count; i++) cli_json_integer(j, NULL, mode->choice[i]);
    cli_json_end(j);
    cli_json_text(j, "fit", sti_mode_fit_text(mode->fit));
    cli_json_rationals(j, c, "witness", mode->witness, 0, (size_t)m->n);
    if (mode->solution != NULL)
        put_solution(j, c, in, m, mode->solution);
    else
        cli_json_null(j, "solution");
    if (mode->wrenches != NULL)
        put_wrenches(j, c, m, mode->wrenches);
    else
        cli_json_null(j, "wrenches");
    cli_modes_put_actuation(j, c, r, m, mode->wrenches);
    cli_json_end(j);
}

static void put_infeasible(cli_json* j, const cli* c, const sti_modes* m, bool asked) {
    const size_t K = (size_t)(m->contact_count + m->tangent_total);
    if (!asked) {
        cli_json_null(j, "all_infeasible");
        cli_json_null(j, "infeasible");
        return;
    }
    cli_json_bool(j, "all_infeasible", m->all_infeasible);
    cli_json_array(j, "infeasible");
    for (int i = 0; i < m->infeasible_count; i++) {
        const sti_mode* mode = &m->infeasible[i];
        cli_json_object(j, NULL);
        cli_json_text(j, "mode", mode->text);
        cli_json_rationals(j, c, "absurd", mode->absurd, 0, K);
        if (mode->wrenches != NULL)
            put_wrenches(j, c, m, mode->wrenches);
        else
            cli_json_null(j, "wrenches");
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void put_names(cli_json* j, const char* key, const sti_modes* m, sti_mode_fit low, sti_mode_fit high) {
    if (!m->asked && low > STI_MODE_UNTRIED) {
        cli_json_null(j, key);
        return;
    }
    cli_json_array(j, key);
    for (int i = 0; i < m->mode_count; i++) {
        if (m->modes[i].fit >= low && m->modes[i].fit <= high) cli_json_text(j, NULL, m->modes[i].text);
    }
    cli_json_end(j);
}

static void put_certificate(cli_json* j, const cli* c, const sti_modes* m) {
    const sti_modes_certificate* k = &m->certificate;
    const size_t n = (size_t)m->n, K = (size_t)(m->contact_count + m->tangent_total);
    if (!m->asked || m->exists || !m->decided) {
        cli_json_null(j, "certificate");
        return;
    }
    cli_json_object(j, "certificate");
    cli_json_text(j, "proof", "branch");
    cli_json_array(j, "cases");
    for (int s = 0; s < k->case_count; s++) {
        cli_json_object(j, NULL);
        cli_json_array(j, "choices");
        for (int i = 0; i < m->contact_count; i++) {
            const short choice = k->choice[(size_t)s * (size_t)m->contact_count + (size_t)i];
            cli_json_text(j, NULL, choice >= 0 ? m->contacts[i].word[choice] : NULL);
        }
        cli_json_end(j);
        cli_json_rationals(j, c, "y", k->value, (size_t)s * (n + K), n);
        cli_json_rationals(j, c, "nu", k->value, (size_t)s * (n + K) + n, K);
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_end(j);
}

static void put_change(cli_json* j, const sti_modes* m) {
    if (m->change == NULL) {
        cli_json_null(j, "least_change");
        return;
    }
    cli_json_object(j, "least_change");
    cli_json_number(j, "size", m->change_size);
    cli_json_numbers(j, "wrench", m->change, (size_t)m->n);
    cli_json_text(j, "ends", m->change_from >= 0 ? m->modes[m->change_from].text : NULL);
    cli_json_text(j, "leads_to", m->change_to >= 0 ? m->modes[m->change_to].text : NULL);
    cli_json_text(j, "at", m->change_face);
    cli_json_end(j);
}

static void put_lcp(cli_json* j, const cli* c, const sti_modes_lcp* lcp, const sti_lcp_solution_set* set) {
    if (lcp == NULL) {
        cli_json_null(j, "lcp");
        return;
    }
    const size_t n = (size_t)lcp->lcp.n, rows = (size_t)lcp->rows;
    cli_json_object(j, "lcp");
    cli_json_array(j, "A");
    for (size_t i = 0; i < rows; i++) cli_json_numbers(j, NULL, lcp->A + i * rows, rows);
    cli_json_end(j);
    cli_json_numbers(j, "b_contact", lcp->b_contact, rows);
    cli_json_array(j, "B");
    for (size_t i = 0; i < n; i++) cli_json_numbers(j, NULL, lcp->lcp.M.dense + i * n, n);
    cli_json_end(j);
    cli_json_numbers(j, "b", lcp->lcp.q, n);
    cli_json_array(j, "y");
    for (size_t i = 0; i < n; i++) cli_json_text(j, NULL, lcp->y_name[i]);
    cli_json_end(j);
    cli_json_array(j, "z");
    for (size_t i = 0; i < n; i++) cli_json_text(j, NULL, lcp->z_name[i]);
    cli_json_end(j);
    char* text = NULL;
    if (set != NULL && sti_lcp_solution_set_json(c->env, set, &text) == STI_OK) cli_json_raw(j, "solution_set", text);
    sti_env_free(c->env, text);
    cli_json_end(j);
}

// Not unique is a fact where two solutions are there to show it, unique where no mode can be missing.
static void put_unique(cli_json* j, const char* key, const sti_modes* m, bool unique) {
    const bool shown = m->strict_count + m->limit_count > 0;
    if (m->asked && (m->all_consistent || (shown && !unique)))
        cli_json_bool(j, key, unique);
    else
        cli_json_null(j, key);
}

static void put_all(cli_json* j, const cli* c, const cli_modes_request* r, const sti_instant* in, const sti_modes* m) {
    cli_json_text(j, "kind", "modes");
    cli_json_text(j, "file", r->path[0]);
    cli_json_text(j, "model", r->options.model == STI_FRICTION_BOX ? "box" : "sides");
    cli_json_count(j, "sides", r->options.model == STI_FRICTION_SIDES ? r->options.sides : -1);
    put_points(j, c, "corners", m->corners, m->corner_count, 2);
    cli_json_bool(j, "contacts_only", r->options.contacts_only);
    cli_json_number(j, "gap_tol", r->options.gap_tol);
    cli_json_number(j, "velocity_tol", r->options.velocity_tol);
    cli_json_number(j, "potential", m->potential);
    cli_json_integer(j, "feasible", m->mode_count);
    cli_json_bool(j, "complete", m->complete);
    cli_json_bool(j, "all_kinematic", m->all_kinematic && !r->consistent);
    cli_json_text(j, "note", r->note != NULL && r->note[0] != '\0' ? r->note : NULL);
    put_contacts(j, in, m);
    put_pair(j, c, "wrench", "wrench_exact", m->wrench, 0, (size_t)m->n);
    put_names(j, "kinematically_feasible", m, STI_MODE_UNTRIED, STI_MODE_STRICT);
    const bool known = m->asked && m->decided;
    cli_json_text(j, "outcome", !m->asked ? NULL : !m->decided ? "unknown" : m->exists ? "solved" : "no_solution");
    cli_json_bool(j, "all_consistent", m->asked && m->all_consistent);
    put_names(j, "strict", m, STI_MODE_STRICT, STI_MODE_STRICT);
    put_names(j, "limit", m, STI_MODE_LIMIT, STI_MODE_LIMIT);
    put_names(j, "closed", m, STI_MODE_LIMIT, STI_MODE_STRICT);
    cli_json_verdict(j, "exists", !known ? STI_UNDECIDED : m->exists ? STI_YES : STI_NO);
    put_unique(j, "acceleration_unique", m, m->acceleration_unique);
    put_unique(j, "forces_unique", m, m->forces_unique);
    put_certificate(j, c, m);
    cli_json_rationals(j, c, "held", m->held, 0, (size_t)(m->n + m->contact_count + m->tangent_total));
    put_change(j, m);
    cli_json_array(j, "modes");
    for (int i = 0; i < m->mode_count; i++) put_mode(j, c, r, in, m, &m->modes[i]);
    cli_json_end(j);
    put_infeasible(j, c, m, r->infeasible);
}

int cli_modes_answer(const cli* c, const cli_modes_request* r, const sti_instant* in, const sti_modes* m,
                     const sti_modes_verification* check, const sti_modes_lcp* lcp) {
    int code = m->asked && !m->exists ? CLI_NO : CLI_DONE;
    sti_lcp_solution_set* set = NULL;
    if (lcp != NULL && sti_lcp_enumerate(c->env, &lcp->lcp, 0, 0, &set) != STI_OK) return cli_fail_about(c, r->path[0]);
    if (c->json || r->output != NULL) {
        cli_json j;
        cli_json_begin(&j);
        put_all(&j, c, r, in, m);
        cli_json_object(&j, "verification");
        cli_json_bool(&j, "accepted", check->accepted);
        cli_json_text(&j, "text", check->text);
        cli_json_end(&j);
        put_lcp(&j, c, lcp, set);
        if (r->output != NULL && !j.broken) {
            while (j.depth > 0) cli_json_end(&j);
            const int written = cli_write_file(c, r->output, j.text, j.size);
            if (written != CLI_DONE) code = written;
        }
        if (c->json && code <= CLI_NO)
            code = cli_json_print(&j, c, code);
        else
            cli_json_drop(&j);
    }
    if (!c->json && code <= CLI_NO) {
        cli_modes_say(c, r, in, m);
        cli_say(c, "checked: %s\n", check->text);
        if (lcp != NULL) cli_modes_say_lcp(c, lcp, set);
    }
    sti_lcp_solution_set_destroy(c->env, set);
    return code;
}
