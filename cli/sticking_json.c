// sticking_json.c: the answer of stiction analyze sticking as one JSON object.
#include <math.h>

#include "sticking.h"
#include "tables.h"

static void put_contacts(cli_json* j, const sti_instant* in, const sti_sticking* s) {
    int at = 0;
    cli_json_array(j, "contacts");
    for (int i = 0; i < s->answer.contact_count; i++) {
        const sti_instant_contact* contact = &in->contacts[s->answer.contact[i]];
        const size_t tangents = (size_t)contact->tangent_count;
        cli_json_object(j, NULL);
        cli_json_text(j, "name", contact->name);
        cli_json_text(j, "type", contact->pressed ? "bounded" : contact->bilateral ? "bilateral" : "unilateral");
        cli_json_text(j, "state", s->slides[i] ? "slide" : "stick");
        cli_json_number(j, "mu", s->slides[i] ? contact->mu_kinetic : contact->mu);
        const bool forces = s->answer.lambda != NULL, ranges = s->lower != NULL;
        cli_json_number(j, "lambda_n", forces ? s->answer.lambda[at] : NAN);
        cli_json_numbers(j, "lambda_t", forces ? s->answer.lambda + at + 1 : NULL, tangents);
        cli_json_number(j, "margin", forces ? s->margins[i] : NAN);
        cli_json_number(j, "required_mu", forces ? s->required_mu[i] : NAN);
        cli_json_numbers(j, "lower", ranges ? s->lower + at : NULL, 1 + tangents);
        cli_json_numbers(j, "upper", ranges ? s->upper + at : NULL, 1 + tangents);
        cli_json_verdict(j, "redundant", !ranges ? STI_UNDECIDED : s->redundant[i] ? STI_YES : STI_NO);
        cli_json_number(j, "least_mu", s->least_own != NULL ? s->least_own[i] : NAN);
        cli_json_end(j);
        at += 1 + contact->tangent_count;
    }
    cli_json_end(j);
}

static void put_equations(cli_json* j, const sti_sticking* s) {
    const sti_sticking_answer* a = &s->answer;
    cli_json_object(j, "equations");
    cli_json_bool(j, "solvable", s->kkt_solvable);
    cli_json_number(j, "residual", s->kkt_residual);
    cli_json_integer(j, "rank_C", s->rank_C);
    cli_json_integer(j, "kernel_dimension", s->kernel_dimension);
    cli_json_numbers(j, "a_least", s->a_least, (size_t)a->n);
    cli_json_numbers(j, "lambda_least", s->lambda_least, (size_t)a->multiplier_count);
    cli_json_numbers(j, "margins_least", s->margins_least, (size_t)a->contact_count);
    if (s->least_sticks != STI_UNDECIDED) cli_json_bool(j, "least_sticks", s->least_sticks == STI_YES);
    cli_json_matrix(j, "self_stress", s->self_stress, s->self_stress_count, a->multiplier_count);
    cli_json_numbers(j, "witness", s->kkt_witness, (size_t)(a->n + a->acceleration_count));
    cli_json_end(j);
}

static void put_family(cli_json* j, const sti_sticking* s) {
    const size_t p = (size_t)s->answer.multiplier_count;
    cli_json_object(j, "family");
    cli_json_integer(j, "dimension", s->family_dimension);
    cli_json_bool(j, "complete", s->family_complete);
    cli_json_bool(j, "cut_short", s->cut_short);
    cli_json_numbers(j, "lower", s->lower, p);
    cli_json_numbers(j, "upper", s->upper, p);
    cli_json_end(j);
}

static void put_opening(cli_json* j, const sti_sticking* s) {
    const sti_sticking_answer* a = &s->answer;
    if (!a->opening.asked) {
        cli_json_null(j, "opening");
        return;
    }
    cli_json_object(j, "opening");
    cli_json_text(j, "without_discs", sti_outcome_text(a->opening.contact_problem));
    cli_json_text(j, "outcome", sti_sticking_outcome_text(a->opening.outcome));
    cli_json_bool(j, "exact", a->opening.exact);
    cli_json_numbers(j, "a", a->opening.a, (size_t)a->n);
    cli_json_numbers(j, "lambda", a->opening.lambda, (size_t)a->multiplier_count);
    cli_json_numbers(j, "a_n", a->opening.a_n, (size_t)a->contact_count);
    cli_json_end(j);
}

static void put_least(cli_json* j, const char* key, const sti_least_friction* l, int p) {
    cli_json_object(j, key);
    cli_json_verdict(j, "exists", l->exists);
    cli_json_bool(j, "attained", l->attained);
    cli_json_number(j, "mu", l->mu);
    cli_json_numbers(j, "lambda", l->exists == STI_YES ? l->lambda : NULL, (size_t)p);
    cli_json_end(j);
}

static void put_modes(cli_json* j, const sti_named* v) {
    cli_json_array(j, v->name);
    for (int i = 0; i < v->cols; i++) {
        const double mode = v->value[i];
        cli_json_text(j, NULL, isnan(mode) ? NULL : sti_contact_mode_text((sti_contact_mode)(int)mode));
    }
    cli_json_end(j);
}

static void put_named(cli_json* j, const sti_named* v) {
    switch (v->form) {
        case STI_NAMED_NUMBER:
            cli_json_number(j, v->name, v->value[0]);
            break;
        case STI_NAMED_TRUTH:
            cli_json_verdict(j, v->name, isnan(v->value[0]) ? STI_UNDECIDED : v->value[0] != 0 ? STI_YES : STI_NO);
            break;
        case STI_NAMED_VECTOR:
            cli_json_numbers(j, v->name, v->value, (size_t)v->cols);
            break;
        case STI_NAMED_MODES:
            put_modes(j, v);
            break;
        case STI_NAMED_MATRIX:
            cli_json_matrix(j, v->name, v->value, v->rows, v->cols);
            break;
    }
}

static void put_propositions(cli_json* j, const sti_sticking* s) {
    cli_json_array(j, "propositions");
    for (int i = 0; i < s->answer.proposition_count; i++) {
        const sti_proposition* p = &s->answer.propositions[i];
        cli_json_object(j, NULL);
        cli_json_text(j, "id", p->id);
        cli_json_text(j, "title", p->title);
        cli_json_text(j, "verdict", sti_holds_text(p->verdict));
        cli_json_text(j, "reason", p->reason);
        cli_json_object(j, "numbers");
        for (int k = 0; k < p->number_count; k++) put_named(j, &p->numbers[k]);
        cli_json_end(j);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void put_instant(cli_json* j, const sti_instant* in) {
    cli_json_object(j, "instant");
    cli_json_matrix(j, "M", in->M, in->n, in->n);
    cli_json_numbers(j, "F", in->F, (size_t)in->n);
    cli_json_numbers(j, "v", in->v, (size_t)in->n);
    cli_json_array(j, "contacts");
    for (int i = 0; i < in->contact_count; i++) {
        const sti_instant_contact* contact = &in->contacts[i];
        cli_json_object(j, NULL);
        cli_json_text(j, "name", contact->name);
        cli_json_number(j, "gap", contact->gap);
        cli_json_numbers(j, "n", contact->n, (size_t)in->n);
        cli_json_matrix(j, "t", contact->t, contact->tangent_count, in->n);
        cli_json_number(j, "n_rate", contact->n_rate);
        cli_json_numbers(j, "t_rate", contact->t_rate, (size_t)contact->tangent_count);
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_end(j);
}

static void put_set(cli_json* j, const sti_force_set* set) {
    cli_json_object(j, "force_set");
    cli_json_numbers(j, "center", set->center, (size_t)set->n);
    cli_json_count(j, "inside", set->inside);
    cli_json_number(j, "distance", set->place.distance);
    cli_json_number(j, "slack", set->place.slack);
    cli_json_array(j, "cones");
    for (int i = 0; i < set->cone_count; i++) {
        const sti_rows faces = sti_polycone_inequalities(set->cones[i]),
                       equations = sti_polycone_equations(set->cones[i]);
        const sti_rows rays = sti_polycone_rays(set->cones[i]), lines = sti_polycone_lines(set->cones[i]);
        cli_json_object(j, NULL);
        cli_json_matrix(j, "inequalities", faces.value, faces.count, set->n);
        cli_json_matrix(j, "equations", equations.value, equations.count, set->n);
        cli_json_matrix(j, "rays", rays.value, rays.count, set->n);
        cli_json_matrix(j, "lines", lines.value, lines.count, set->n);
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_end(j);
}

static void put_line(cli_json* j, const sti_force_intervals* line) {
    cli_json_array(j, "force_line");
    for (int i = 0; i < line->count; i++) cli_json_numbers(j, NULL, (double[]){line->low[i], line->high[i]}, 2);
    cli_json_end(j);
}

static void put_lasts(cli_json* j, const sti_sticking_time* t) {
    if (!(t->load_rate > 0)) {
        cli_json_null(j, "lasts");
        return;
    }
    cli_json_object(j, "lasts");
    cli_json_bool(j, "found", t->found);
    cli_json_text(j, "why", t->found ? NULL : t->why);
    cli_json_number(j, "load_rate", t->load_rate);
    cli_json_number(j, "time", t->time);
    cli_json_bool(j, "unique", t->unique);
    cli_json_numbers(j, "gain", t->gain, (size_t)t->contact_count);
    cli_json_numbers(j, "until", t->until, (size_t)t->contact_count);
    cli_json_end(j);
}

static void put_force_change(cli_json* j, const sti_force_answer* change, int n) {
    cli_json_object(j, "force_change");
    cli_json_text(j, "outcome", sti_conic_outcome_text(change->outcome));
    cli_json_numbers(j, "f", change->f, (size_t)n);
    cli_json_numbers(j, "witness", change->y, (size_t)n);
    cli_json_numbers(j, "worst", change->worst, (size_t)n);
    cli_json_number(j, "gap", change->gap);
    cli_json_end(j);
}

// What was not asked for is null.
static void put_extra(cli_json* j, const sti_instant* in, const cli_sticking_extra* x) {
    if (x->line_asked)
        put_line(j, &x->line);
    else
        cli_json_null(j, "force_line");
    if (x->change_asked)
        put_force_change(j, &x->change, in->n);
    else
        cli_json_null(j, "force_change");
    put_lasts(j, &x->lasts);
    if (x->set_asked)
        put_set(j, &x->set);
    else
        cli_json_null(j, "force_set");
    cli_json_matrix(j, "force_extent", x->extent, in->n, 2);
}

int cli_sticking_json(const cli* c, const cli_sticking_request* r, const sti_instant* in, const sti_sticking* s,
                      const cli_sticking_extra* x, int code) {
    char* certificate = NULL;
    if (sti_sticking_answer_json(c->env, &s->answer, &certificate) != STI_OK) return cli_fail_env(c);
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "sticking");
    cli_json_text(&j, "file", r->path);
    cli_json_text(&j, "outcome", sti_sticking_outcome_text(s->answer.outcome));
    cli_json_bool(&j, "exact", s->answer.exact);
    cli_json_bool(&j, "near_redundant", s->near_redundant);
    cli_json_number(&j, "gap_rate", s->gap_rate);
    cli_json_text(&j, "reason", s->reason);
    cli_json_text(&j, "note", r->note[0] != '\0' ? r->note : NULL);
    cli_json_number(&j, "margin", s->margin);
    cli_json_numbers(&j, "a", s->answer.a, (size_t)s->answer.n);
    put_contacts(&j, in, s);
    put_equations(&j, s);
    put_family(&j, s);
    put_opening(&j, s);
    cli_json_object(&j, "least_friction");
    put_least(&j, "common", &s->least_common, s->answer.multiplier_count);
    put_least(&j, "factor", &s->least_factor, s->answer.multiplier_count);
    cli_json_numbers(&j, "own", s->least_own, (size_t)s->answer.contact_count);
    cli_json_end(&j);
    put_extra(&j, in, x);
    put_propositions(&j, s);
    put_instant(&j, in);
    if (x->verified) {
        cli_json_object(&j, "verification");
        cli_sticking_put_verified(&j, &x->verification);
        cli_json_end(&j);
    } else {
        cli_json_null(&j, "verification");
    }
    cli_json_raw(&j, "certificate", certificate);
    sti_env_free(c->env, certificate);
    return cli_json_print(&j, c, code);
}
