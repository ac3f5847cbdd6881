// analyze_impact_text.c: an impact told in words and small tables.
#include <math.h>
#include <string.h>

#include "analyze_impact.h"
#include "tables.h"

double cli_impact_spread(const sti_impact* k, const sti_impact_energy* e) {
    const double all[] = {e->direct, e->f40, e->f47, e->f48, e->f49, e->f50,
                          e->f51,    e->f62, e->f63, e->f64, e->f77, e->f78};
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (isnan(all[i])) continue;
        low = fmin(low, all[i]);
        high = fmax(high, all[i]);
    }
    return (high - low) / fmax(k->T, 1e-300);
}

bool cli_impact_check(const cli* c, const cli_impact_request* r, const cli_instant* in, const sti_impact* k,
                      cli_impact_checks* out) {
    *out = (cli_impact_checks){0};
    for (int l = 0; l < STI_IMPACT_LAW_COUNT; l++) {
        if (r->law != NULL && strcmp(r->law, sti_impact_law_text((sti_impact_law)l)) != 0) continue;
        for (int i = 0; i < k->laws[l].count; i++) {
            sti_impact_verification v;
            if (sti_verify_impact(c->env, in->instant, k, (sti_impact_law)l, i, 1e-9, &v) != STI_OK) return false;
            if (v.law_checked) {
                out->checked++;
                out->accepted += v.accepted;
            } else {
                out->partly++;
                out->sound += v.momentum <= 1e-9 && v.joints <= 1e-9 && v.energy <= 1e-9 && v.normal <= 1e-9 &&
                              v.tangential <= 1e-9;
            }
        }
    }
    return true;
}

static void say_rules(const cli* c, const sti_impact_solution* x) {
    if (x->kinematic && x->kinetic && x->energetic) {
        cli_say(c, "  %sadmissible%s", cli_good(c), cli_plain(c));
        return;
    }
    cli_say(c, "  %snot admissible:%s%s%s%s", cli_bad(c), x->kinematic ? "" : " kinematic",
            x->kinetic ? "" : " kinetic", x->energetic ? "" : " energetic", cli_plain(c));
}

static double largest(const double* x, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static void say_solution(const cli* c, const sti_impact* k, const char* name, const sti_impact_solution* x) {
    char label[40];
    snprintf(label, sizeof label, "%s%s%s", name, x->mode != NULL ? " " : "", x->mode != NULL ? x->mode : "");
    cli_say(c, "%s%-22s%s T_L = %s", cli_strong(c), label, cli_plain(c), cli_text_number(x->energy.direct, k->T));
    say_rules(c, x);
    if (x->dimension > 0) cli_say(c, "  (impulses: a family of dimension %d)", x->dimension);
    if (x->unique[0] == STI_NO || x->unique[1] == STI_NO) cli_say(c, "  (one of several velocities)");
    cli_say(c, "\n");
    const double velocity = largest(k->v, k->n), impulse = velocity > 0 ? 2 * k->T / velocity : 0;
    cli_say_row_near(c, "  v+", x->v, k->n, velocity);
    cli_say_row_near(c, "  p_n", x->p_n, k->p, impulse);
    if (k->s > 0) cli_say_row_near(c, "  p_t", x->p_t, k->s, impulse);
    if (k->m > 0) cli_say_row_near(c, "  p of joints", x->p_joint, k->m, impulse);
}

static void say_laws(const cli* c, const cli_impact_request* r, const sti_impact* k) {
    double spread = 0;
    for (int l = 0; l < STI_IMPACT_LAW_COUNT; l++) {
        const sti_impact_answer* a = &k->laws[l];
        const char* name = sti_impact_law_text((sti_impact_law)l);
        if (r->law != NULL ? strcmp(r->law, name) != 0 : !a->applies) continue;
        if (a->count == 0)
            cli_say(c, "%s%-22s%s %s: %s\n", cli_strong(c), name, cli_plain(c),
                    a->applies ? "no solution" : "not asked", a->why);
        for (int i = 0; i < a->count; i++) {
            say_solution(c, k, name, &a->solutions[i]);
            spread = fmax(spread, cli_impact_spread(k, &a->solutions[i].energy));
        }
        if (l == STI_IMPACT_FRICTION && a->count > 0)
            cli_say(c, "  %d solution%s of S1 (68), %d admissible\n", a->count, a->count == 1 ? "" : "s",
                    a->admissible);
    }
    cli_say(c, "energy change by all formulas: %s\n", spread <= 1e-10 ? "they agree" : "they differ; see --json");
}

static const char* word(bool holds) {
    return holds ? "holds" : "does not hold";
}

static void say_matrix_test(const cli* c, const sti_impact* k) {
    const sti_restitution_test* t = k->test;
    if (t == NULL) return;
    cli_say(c, "%sE for all velocities before impact%s (S1 Props 2 to 8): %s%s%s\n", cli_strong(c), cli_plain(c),
            t->admissible == STI_YES ? cli_good(c) : cli_bad(c),
            t->admissible == STI_YES  ? "admissible"
            : t->admissible == STI_NO ? "not admissible"
                                      : "undecided",
            cli_plain(c));
    cli_say(c, "  Prop 2  ");
    if (!isnan(t->simplex_min))
        cli_say(c, "least x'Sx on the simplex %s: ", cli_text_number(t->simplex_min, t->conservative));
    cli_say(c, "%s\n", t->prop2 == STI_YES ? "copositive" : t->prop2 == STI_NO ? "not copositive" : "undecided");
    if (isfinite(t->epsilon))
        cli_say(c, "  Prop 4  E'G^-1E may be multiplied by less than %s\n", cli_text_number(t->epsilon, 0));
    if (t->prop5 == STI_UNDECIDED)
        cli_say(c, "  Prop 5  not applicable, G^-1E - E'G^-1 has entries up to %s\n",
                cli_text_number(t->commutation, 0));
    else
        cli_say(c, "  Prop 5  spectral radius %s <= 1 %s\n", cli_text_number(t->spectral_radius, 0),
                word(t->prop5 == STI_YES));
    cli_say(c, "  Prop 6  sigma_max %s <= %s %s\n", cli_text_number(t->sigma_max, 0),
            cli_text_number(t->prop6_bound, 0), word(t->prop6));
    cli_say(c, "  Prop 7  |E| %s < %s %s (Frobenius); %s < %s %s (spectral)\n", cli_text_number(t->frobenius, 0),
            cli_text_number(t->prop7_bound, 0), word(t->prop7), cli_text_number(t->sigma_max, 0),
            cli_text_number(t->prop6_bound, 0), word(t->prop7_spectral));
    cli_say(c, "  Prop 8  (i) E >= 0 %s, (ii) G^-1(I + E) >= 0 %s, (iii) %s\n", word(t->prop8_i), word(t->prop8_ii),
            t->prop8_iii == STI_UNDECIDED ? "undecided" : word(t->prop8_iii == STI_YES));
    cli_say(c, "  Cor 1   conservative: %s\n", t->corollary1 ? "yes" : "no");
    if (t->witness == NULL) return;
    cli_say(c, "  witness: violates the %s condition by %s\n", t->broken, cli_text_number(t->violation, 0));
    cli_say_row(c, "  qdot_norm-", t->witness, t->p);
    cli_say_row(c, "  v-", k->witness_v, k->n);
}

static void say_set(const cli* c, const sti_impact* k) {
    const sti_restitution_set* s = &k->set;
    if (s->p == 0) return;
    if (s->column >= 0)
        cli_say(c, "%sadmissible after this velocity%s: y = column %d of E\n", cli_strong(c), cli_plain(c),
                s->column + 1);
    else
        cli_say(c, "%sadmissible after this velocity%s: y = qdot_norm+\n", cli_strong(c), cli_plain(c));
    for (int i = 0; i < s->p; i++)
        cli_say(c, "  %s <= y_%d <= %s\n", cli_text_number(s->low[i], s->high[i]), i + 1,
                cli_text_number(s->high[i], 0));
    if (s->p != 2) return;
    cli_say(c, "  conservative: %s y_1^2 %+.8g y_1 y_2 %+.8g y_2^2 = 1\n", cli_text_number(s->a, 0),
            fabs(s->b) < 1e-14 * s->a ? 0 : s->b, s->c);
    for (int i = 0; i < s->arc_count; i++) {
        const double size = fmax(s->high[0], s->high[1]);
        cli_say(c, "    from (%s, %s)", cli_text_number(s->arcs[i].from[0], size),
                cli_text_number(s->arcs[i].from[1], size));
        cli_say(c, " to (%s, %s)\n", cli_text_number(s->arcs[i].to[0], size), cli_text_number(s->arcs[i].to[1], size));
    }
}

static void say_bounds(const cli* c, const sti_impact* k) {
    bool rough = false;
    for (int i = 0; i < k->p; i++) rough = rough || k->mu[i] > 0;
    if (!rough || k->bound_count == 0) return;
    cli_say(c, "%sS1 Theorem 2%s: energy is lost when all contacts slide as told and\n", cli_strong(c), cli_plain(c));
    for (int q = 0; q < k->bound_count; q++) {
        const sti_impact_bound* b = &k->bounds[q];
        char sign[16] = "";
        for (int i = 0; i < b->p; i++) sign[i] = b->xi[i] > 0 ? '+' : '-';
        if (!b->applies) {
            cli_say(c, "  %-6s not applicable: G - n_q'H_T[mu] is singular\n", sign);
            continue;
        }
        cli_say(c, "  %-6s (i) %s > %s %s", sign, cli_text_number(b->lambda_min, 1), cli_text_number(b->lambda_max, 1),
                word(b->condition_i));
        if (b->condition_i)
            cli_say(c, "; (ii) %s >= %s (Frobenius), %s (spectral): %s", cli_text_number(b->ratio, 0),
                    cli_text_number(b->bound_ii[0], 0), cli_text_number(b->bound_ii[1], 0),
                    b->theorem2[0]   ? "holds"
                    : b->theorem2[1] ? "holds in the spectral norm"
                                     : "does not hold");
        cli_say(c, "\n");
    }
}

static void say_quasi(const cli* c, const sti_impact* k) {
    if (!k->laws[STI_IMPACT_QUASI].applies) return;
    cli_say(c, "%sS1 Prop 9%s: |E| %s < %s %s (Frobenius)", cli_strong(c), cli_plain(c),
            cli_text_number(k->quasi_norm[0], 0), cli_text_number(k->quasi_bound[0], 0),
            word(k->quasi_norm[0] < k->quasi_bound[0]));
    cli_say(c, "; %s < %s %s (spectral)\n", cli_text_number(k->quasi_norm[1], 0), cli_text_number(k->quasi_bound[1], 0),
            word(k->quasi_norm[1] < k->quasi_bound[1]));
    cli_say(c, "  least eigenvalue of D - E'DE: %s\n", cli_text_number(k->quasi_lambda_min, 0));
}

int cli_impact_say(const cli* c, const cli_impact_request* r, const cli_instant* in, const sti_impact* k) {
    cli_say(c, "%s: %d velocities, %d touching contact%s", r->path, k->n, k->p, k->p == 1 ? "" : "s");
    for (int i = 0; i < k->p; i++) cli_say(c, "%s %s", i == 0 ? ":" : ",", in->instant->contacts[k->contact[i]].name);
    cli_say(c, "\n");
    cli_say_row(c, "v-", k->v, k->n);
    cli_say_row(c, "qdot_norm-", k->qdot_norm, k->p);
    if (k->s > 0) cli_say_row(c, "v_t-", k->v_t, k->s);
    cli_say(c, "  %-22s %14s = %s normal + %s tangential\n", "T-", cli_text_number(k->T, 0),
            cli_text_number(k->T_norm, k->T), cli_text_number(k->T_tan, k->T));
    cli_say_matrix(c, "G", k->G, k->p, k->p);
    cli_say_matrix(c, "E", k->E, k->p, k->p);
    if (!k->impact) cli_say(c, "  no contact approaches: there is no impact\n");
    if (!k->independent) cli_say(c, "  the gradients are dependent\n");
    if (k->singular) cli_say(c, "  M is singular: the limit of M + eps 1; the joints hold what has no mass");
    if (k->singular && k->idle > 0) cli_say(c, ", but for %d direction%s", k->idle, k->idle == 1 ? "" : "s");
    if (k->singular) cli_say(c, "\n");
    if (k->incompatible > 0)
        cli_say(c, "  v- does not fit the joints (%s): they act first\n", cli_text_number(k->incompatible, 0));
    say_laws(c, r, k);
    cli_impact_checks checks;
    if (!cli_impact_check(c, r, in, k, &checks)) return cli_fail_about(c, r->path);
    cli_say(c, "independent check: ");
    if (checks.checked > 0) cli_say(c, "%d of %d solutions accepted", checks.accepted, checks.checked);
    if (checks.partly > 0)
        cli_say(c, "%s%d of %d for momentum and energy only", checks.checked > 0 ? ", " : "", checks.sound,
                checks.partly);
    cli_say(c, "%s\n", checks.checked + checks.partly == 0 ? "nothing to check" : "");
    if (r->law != NULL) {
        if (strcmp(r->law, "quasi") == 0) say_quasi(c, k);
        return CLI_DONE;
    }
    say_matrix_test(c, k);
    say_set(c, k);
    say_bounds(c, k);
    say_quasi(c, k);
    return CLI_DONE;
}
