// sticking_text.c: the answer of stiction analyze sticking in words, the table of propositions, and the steps of S0
// 4.2.
#include <math.h>
#include <string.h>

#include "sticking.h"
#include "tables.h"

static const char* verdict_color(const cli* c, sti_holds verdict) {
    return verdict == STI_HOLDS ? cli_good(c) : verdict == STI_HOLDS_NOT ? cli_bad(c) : "";
}

static const char* outcome_words(sti_sticking_outcome outcome) {
    switch (outcome) {
        case STI_STICKING_YES:
            return "yes";
        case STI_STICKING_NO:
            return "no";
        case STI_STICKING_LIMIT:
            return "on the boundary, within the tolerance";
        default:
            return "not decided";
    }
}

// Numbers that are rounding beside the forces are shown as 0.
static double force_size(const sti_instant* in, const sti_sticking* s) {
    double size = 0;
    for (int j = 0; j < in->n; j++) size = fmax(size, fabs(in->F[j]));
    for (int k = 0; s->answer.lambda != NULL && k < s->answer.multiplier_count; k++)
        size = fmax(size, fabs(s->answer.lambda[k]));
    return size > 0 ? 100 * size : 1;
}

static const char* short_number(double x, double scale) {
    static char texts[8][24];
    static int next;
    char* text = texts[next++ % 8];
    if (fabs(x) <= 1e-12 * scale) x = 0;
    if (isnan(x))
        snprintf(text, sizeof texts[0], "-");
    else
        snprintf(text, sizeof texts[0], "%.6g", x);
    return text;
}

static void say_row(const cli* c, const char* label, const double* x, int count, double scale) {
    cli_say(c, "    %-24s", label);
    for (int i = 0; i < count; i++) cli_say(c, " %12s", short_number(x[i], scale));
    cli_say(c, "\n");
}

// Contact by contact: lambda (p).
static void say_multipliers(const cli* c, const sti_instant* in, const sti_sticking* s, const double* lambda,
                            const double* margins) {
    const double scale = force_size(in, s);
    bool spatial = false;
    for (int i = 0; i < s->answer.contact_count; i++)
        spatial = spatial || in->contacts[s->answer.contact[i]].tangent_count == 2;
    cli_say(c, "    %-14s %12s %12s%s%s\n", "contact", "lambda_n", "lambda_t", spatial ? "             " : "",
            margins != NULL ? "       margin" : "");
    for (int i = 0, at = 0; i < s->answer.contact_count; i++) {
        const int tangents = in->contacts[s->answer.contact[i]].tangent_count;
        cli_say(c, "    %-14.40s %12s", cli_sticking_name(in, s, i), short_number(lambda[at], scale));
        for (int k = 0; k < (spatial ? 2 : 1); k++) {
            if (k < tangents)
                cli_say(c, " %12s", short_number(lambda[at + 1 + k], scale));
            else if (margins != NULL || s->slides[i])
                cli_say(c, " %12s", "");
        }
        if (margins != NULL) cli_say(c, " %12s", short_number(margins[i], scale));
        cli_say(c, "%s\n", s->slides[i] ? "  slides" : "");
        at += 1 + tangents;
    }
}

// How fast the motion y moves the two sides of a contact that can give way against each other; *size: what that is made
// of.
static double speed_there(const sti_instant* in, const sti_instant_contact* contact, const double* y, double* size) {
    double most = 0;
    if (contact->bilateral && contact->mu == 0) return 0;
    for (int k = 0; k <= contact->tangent_count; k++) {
        const double* row = k == 0 ? contact->n : contact->t + (size_t)(k - 1) * (size_t)in->n;
        double sum = 0;
        for (int j = 0; j < in->n; j++) {
            sum += row[j] * y[j];
            *size = fmax(*size, fabs(row[j] * y[j]));
        }
        most = fmax(most, fabs(sum));
    }
    return most;
}

static void say_moved(const cli* c, const sti_instant* in, const sti_sticking* s, const double* y) {
    enum { MOST = 8 };
    double size = 0;
    int count = 0;
    for (int i = 0; i < s->answer.contact_count; i++)
        (void)speed_there(in, &in->contacts[s->answer.contact[i]], y, &size);
    for (int i = 0; i < s->answer.contact_count; i++) {
        if (!(speed_there(in, &in->contacts[s->answer.contact[i]], y, &size) > 1e-6 * size)) continue;
        if (count < MOST) cli_say(c, "%s%s", count == 0 ? "    y moves " : ", ", cli_sticking_name(in, s, i));
        count++;
    }
    if (count > MOST) cli_say(c, " and %d more", count - MOST);
    if (count > 0) cli_say(c, "\n");
}

static void say_certificate(const cli* c, const sti_instant* in, const sti_sticking* s) {
    if (s->answer.leaf_count != 1) {
        cli_say(c, "    %d leaves, one for each case of the signs; --json has them\n", s->answer.leaf_count);
        return;
    }
    const sti_sticking_leaf* leaf = &s->answer.leaves[0];
    double size = 0;
    for (int j = 0; j < in->n; j++) size = fmax(size, fabs(leaf->y[j]));
    for (int j = 0; size == 0 && j < s->answer.acceleration_count; j++) size = fmax(size, fabs(leaf->z[j]));
    cli_say(c, "    y = (");
    for (int j = 0; j < in->n; j++) cli_say(c, "%s%s", j > 0 ? ", " : "", short_number(leaf->y[j] / size, 1));
    cli_say(c, ")");
    double rates = 0;
    for (int j = 0; j < s->answer.acceleration_count; j++) rates = fmax(rates, fabs(leaf->z[j]));
    if (rates > 0) cli_say(c, ", z = (");
    for (int j = 0; rates > 0 && j < s->answer.acceleration_count; j++)
        cli_say(c, "%s%s", j > 0 ? ", " : "", short_number(leaf->z[j] / size, 1));
    cli_say(c, rates > 0 ? ")\n" : "\n");
    say_moved(c, in, s, leaf->y);
}

static void say_family(const cli* c, const sti_instant* in, const sti_sticking* s) {
    const double scale = force_size(in, s);
    if (s->lower == NULL) return;
    if (s->family_dimension < 0)
        cli_say(c, "  admissible contact forces: dimension not found within the time limit\n");
    else
        cli_say(c, "  admissible contact forces: dimension %d\n", s->family_dimension);
    int open = 0;
    for (int k = 0; k < s->answer.multiplier_count; k++) open += isnan(s->lower[k]) || isnan(s->upper[k]);
    if (open > 0 && s->cut_short)
        cli_say(c, "    %d of %d ranges were not found within the time limit (--time-limit)\n", open,
                s->answer.multiplier_count);
    if (s->family_dimension == 0) return;
    for (int i = 0, at = 0; i < s->answer.contact_count; i++) {
        const int tangents = in->contacts[s->answer.contact[i]].tangent_count;
        for (int k = 0; k <= tangents; k++) {
            if (isnan(s->lower[at + k]) && isnan(s->upper[at + k])) continue;
            static const char* const names[] = {"lambda_n", "lambda_t1", "lambda_t2"};
            cli_say(c, "    %-14.40s %-10s from %12s to %12s%s\n", k == 0 ? cli_sticking_name(in, s, i) : "",
                    tangents == 1 && k == 1 ? "lambda_t" : names[k], short_number(s->lower[at + k], scale),
                    short_number(s->upper[at + k], scale),
                    k == 0 && s->redundant[i] ? "   its bound is redundant" : "");
        }
        at += 1 + tangents;
    }
}

static void say_friction(const cli* c, const sti_sticking* s) {
    const sti_least_friction* l = &s->least_common;
    if (l->exists == STI_YES)
        cli_say(c, "  least coefficient of friction, the same at all contacts: %.10g%s\n", l->mu,
                l->attained ? "" : ", approached with growing internal forces");
    else if (l->exists == STI_NO)
        cli_say(c, "  no coefficient of friction is enough\n");
    if (s->least_factor.exists == STI_YES)
        cli_say(c, "  all mu may be multiplied by %s%.10g%s\n", s->least_factor.attained ? "" : "anything above ",
                s->least_factor.mu, s->least_factor.attained ? ", not by less" : "");
}

static void say_opening(const cli* c, const sti_instant* in, const sti_sticking* s) {
    const sti_opening* o = &s->answer.opening;
    if (o->a == NULL) {
        if (o->contact_problem == STI_NO_SOLUTION)
            cli_say(c, "  contacts free to open (S0 (60)): no solution, even without discs\n");
        return;
    }
    int open = 0;
    cli_say(c, "  contacts free to open (S0 (60)): %s", outcome_words(o->outcome));
    for (int i = 0; i < s->answer.contact_count; i++) {
        if (!o->opens[i]) continue;
        cli_say(c, "%s%s", open++ == 0 ? "; opens: " : ", ", cli_sticking_name(in, s, i));
    }
    cli_say(c, "\n");
}

static void say_extra(const cli* c, const sti_instant* in, const cli_sticking_extra* x) {
    if (x->line_asked) {
        cli_say(c, "  sticks under F + tau d for");
        for (int i = 0; i < x->line.count; i++)
            cli_say(c, "%s tau from %.10g to %.10g", i > 0 ? " and" : "", x->line.low[i], x->line.high[i]);
        cli_say(c, "%s\n", x->line.count == 0 ? " no tau" : "");
    }
    if (x->change_asked && x->change.outcome == STI_CONIC_SOLVED) {
        double size = 0;
        for (int j = 0; j < in->n; j++) size = fmax(size, fabs(in->F[j]) + fabs(x->change.f[j]));
        cli_say(c, "  least change of F that makes it stick: (");
        for (int j = 0; j < in->n; j++) cli_say(c, "%s%s", j > 0 ? ", " : "", short_number(x->change.f[j], 1e4 * size));
        cli_say(c, ")\n");
    } else if (x->change_asked && x->change.outcome == STI_CONIC_INFEASIBLE) {
        cli_say(c, "  no change of F within the bounds makes it stick\n");
        if (x->change.y != NULL) {
            cli_say(c, "  shown: every one of them drives a motion that no contact force can, along (");
            for (int j = 0; j < in->n; j++) cli_say(c, "%s%.6g", j > 0 ? ", " : "", x->change.y[j]);
            cli_say(c, "), by at least %.3g; checked\n", x->change.gap);
        }
    }
    if (x->lasts.load_rate > 0 && !x->lasts.found)
        cli_say(c, "  time to slip: unknown: %s\n", x->lasts.why);
    else if (x->lasts.found)
        cli_say(c, "  while F changes by at most %.6g in a unit of time, here, %s until %.7g%s\n", x->lasts.load_rate,
                x->lasts.unique ? "all contacts stick" : "forces that hold all contacts exist", x->lasts.time,
                x->lasts.unique ? "" : "; they are not the only ones, so whether all stick is unknown");
    for (int i = 0; x->set_asked && i < x->set.cone_count; i++) {
        const sti_rows faces = sti_polycone_inequalities(x->set.cones[i]),
                       equations = sti_polycone_equations(x->set.cones[i]);
        cli_say(c, "  forces for which it sticks%s: N (F - center) <= 0, %d faces, %d equations\n",
                x->set.cone_count > 1 ? ", one of several cones" : "", faces.count, equations.count);
        say_row(c, "center", x->set.center, in->n, 1);
        for (int k = 0; k < faces.count; k++)
            say_row(c, k == 0 ? "N" : "", faces.value + (size_t)k * (size_t)in->n, in->n, 1);
        for (int k = 0; k < equations.count; k++)
            say_row(c, k == 0 ? "equations" : "", equations.value + (size_t)k * (size_t)in->n, in->n, 1);
        if (x->set.inside == i)
            cli_say(c, "    F is inside, %s from the nearest face\n", short_number(x->set.place.slack, 1));
    }
    for (int j = 0; x->extent != NULL && j < in->n; j++) {
        char label[40];
        snprintf(label, sizeof label, "F[%d] + tau, tau from, to", j);
        if (j == 0) cli_say(c, "  forces for which it sticks: extent along each velocity\n");
        say_row(c, label, x->extent + 2 * j, 2, 1);
    }
    if (x->set_asked && x->set.inside < 0)
        cli_say(c, "    F is outside, at distance %s\n", short_number(x->set.place.distance, 1));
}

static void say_table(const cli* c, const sti_sticking* s) {
    for (int i = 0; i < s->answer.proposition_count; i++) {
        const sti_proposition* p = &s->answer.propositions[i];
        char verdict[24];
        snprintf(verdict, sizeof verdict, "%s", sti_holds_text(p->verdict));
        for (char* t = verdict; *t != '\0'; t++) *t = *t == '_' ? ' ' : *t;
        cli_say(c, "  %-7s %s%-14s%s %s\n", p->id, verdict_color(c, p->verdict), verdict, cli_plain(c), p->title);
        cli_say(c, "  %-7s %-14s %s\n", "", "", p->reason);
    }
}

void cli_sticking_text(const cli* c, const cli_sticking_request* r, const sti_instant* in, const sti_sticking* s,
                       const cli_sticking_extra* x) {
    const sti_sticking_answer* a = &s->answer;
    const bool yes = a->outcome == STI_STICKING_YES;
    bool slides = false;
    for (int i = 0; i < a->contact_count; i++) slides = slides || s->slides[i];
    cli_say(c, "%s: %d contact%s, %d velocit%s\n", r->path, a->contact_count, a->contact_count == 1 ? "" : "s", a->n,
            a->n == 1 ? "y" : "ies");
    cli_say(c, "  %s: %s%s%s%s\n", slides ? "the others stick while some slide" : "all contacts stick",
            yes                             ? cli_good(c)
            : a->outcome == STI_STICKING_NO ? cli_bad(c)
                                            : cli_unsure(c),
            outcome_words(a->outcome), cli_plain(c), a->exact ? ", proved without rounding" : "");
    cli_say(c, "  %s\n", s->reason);
    if (r->note[0] != '\0') cli_say(c, "  %snote%s: %s\n", cli_unsure(c), cli_plain(c), r->note);
    if (s->gap_rate > 0)
        cli_say(c, "  %snot lasting contacts%s: gap rates up to %.6g; taken as if they lasted\n", cli_unsure(c),
                cli_plain(c), s->gap_rate);
    if (r->table) {
        say_table(c, s);
        return;
    }
    if (a->lambda != NULL) say_multipliers(c, in, s, a->lambda, s->margins);
    if (a->outcome == STI_STICKING_NO) say_certificate(c, in, s);
    if (s->kkt_solvable && s->self_stress_count > 0)
        cli_say(c, "  redundant: %d self-stress direction%s; the least-norm multipliers %s\n", s->self_stress_count,
                s->self_stress_count == 1 ? "" : "s",
                s->least_sticks == STI_YES  ? "stick"
                : s->least_sticks == STI_NO ? "do not stick"
                                            : "are within rounding of the bounds");
    say_family(c, in, s);
    say_opening(c, in, s);
    say_friction(c, s);
    say_extra(c, in, x);
}

// ---- the algorithm

static void say_set_z(const cli* c, const sti_instant* in, const sti_sticking* s) {
    const sti_opening* o = &s->answer.opening;
    if (o->contact_problem != STI_SOLVED) {
        cli_say(c, "step 2  (66) has no solution%s: nothing can stick\n",
                o->contact_problem == STI_NO_SOLUTION ? "" : " that was found");
        return;
    }
    cli_say(c, "step 2  accelerations and free multipliers of (66): the acceleration is\n");
    say_row(c, "a", o->a, in->n, force_size(in, s));
    cli_say(c, "step 3  normal forces of unilateral contacts, and what comes with them\n");
    say_multipliers(c, in, s, o->lambda, NULL);
    if (s->self_stress_count > 0)
        cli_say(c, "        and all that differ from them by %d self-stress direction%s, while lambda_n >= 0\n",
                s->self_stress_count, s->self_stress_count == 1 ? "" : "s");
}

void cli_sticking_steps(const cli* c, const sti_instant* in, const sti_sticking* s, const cli_sticking_extra* x) {
    const sti_sticking_answer* a = &s->answer;
    int bilateral = 0;
    for (int i = 0; i < a->contact_count; i++) bilateral += in->contacts[a->contact[i]].bilateral;
    cli_say(c, "All-Sticking Bilateral/Unilateral Contact Algorithm (S0 section 4.2)\n");
    cli_say(c, "step 1  data: n = %d, %d bilateral and %d unilateral contacts touch; mu =", in->n, bilateral,
            a->contact_count - bilateral);
    for (int i = 0; i < a->contact_count; i++) cli_say(c, " %g", in->contacts[a->contact[i]].mu);
    cli_say(c, "\n");
    say_set_z(c, in, s);
    cli_say(c, "step 4  discs: |lambda_t| <= mu |lambda_n| at every contact\n");
    cli_say(c, "step 5  multipliers that are in both, with a_n = 0 (61):");
    if (a->outcome == STI_STICKING_YES) {
        cli_say(c, " a set of dimension %d, for example\n", s->family_dimension);
        say_multipliers(c, in, s, a->lambda, s->margins);
        say_family(c, in, s);
        cli_say(c, "step 7  %sall contacts stick%s\n", cli_good(c), cli_plain(c));
        return;
    }
    cli_say(c, " %s\n", a->outcome == STI_STICKING_NO ? "none" : outcome_words(a->outcome));
    cli_say(c, "step 6  %s; what would make it stick:\n", s->reason);
    say_friction(c, s);
    say_extra(c, in, x);
}

int cli_sticking_proposition(const cli* c, const cli_sticking_request* r, const sti_sticking* s) {
    const sti_proposition* p =
        sti_proposition_find(s->answer.propositions, s->answer.proposition_count, r->proposition);
    if (p == NULL) {
        const char* ids[64];
        for (int i = 0; i < s->answer.proposition_count; i++) ids[i] = s->answer.propositions[i].id;
        const char* near = cli_nearest(r->proposition, ids, s->answer.proposition_count);
        return cli_fail_usage(c, "--proposition: %.40s: no such proposition%s%s; --propositions lists them",
                              r->proposition, near != NULL ? "; did you mean " : "", near != NULL ? near : "");
    }
    char verdict[24];
    snprintf(verdict, sizeof verdict, "%s", sti_holds_text(p->verdict));
    for (char* t = verdict; *t != '\0'; t++) *t = *t == '_' ? ' ' : *t;
    cli_say(c, "%s %s%s%s: %s\n  %s\n", p->id, verdict_color(c, p->verdict), verdict, cli_plain(c), p->title,
            p->reason);
    double scale = 0;  // what is rounding beside the largest number is shown as 0
    for (int k = 0; k < p->number_count; k++)
        for (int l = 0; l < p->numbers[k].rows * p->numbers[k].cols; l++)
            if (isfinite(p->numbers[k].value[l])) scale = fmax(scale, fabs(p->numbers[k].value[l]));
    for (int k = 0; k < p->number_count; k++) {
        const sti_named* v = &p->numbers[k];
        if (v->rows == 0) cli_say(c, "  %-26s %14s\n", v->name, "none");
        for (int i = 0; i < v->rows; i++) {
            cli_say(c, "  %-26s", i == 0 ? v->name : "");
            for (int l = 0; l < v->cols; l++)
                cli_say(c, " %14s", cli_text_number(v->value[(size_t)i * (size_t)v->cols + (size_t)l], 10 * scale));
            cli_say(c, "\n");
        }
    }
    return s->answer.outcome == STI_STICKING_YES ? CLI_DONE : CLI_NO;
}
