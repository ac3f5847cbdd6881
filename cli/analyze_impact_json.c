// analyze_impact_json.c: everything about an impact as JSON.
#include <math.h>
#include <string.h>

#include "analyze_impact.h"
#include "tables.h"

static void put_energy(cli_json* j, const sti_impact_energy* e) {
    cli_json_object(j, "energy_change_by");
    cli_json_number(j, "direct", e->direct);
    cli_json_number(j, "40", e->f40);
    cli_json_number(j, "47", e->f47);
    cli_json_number(j, "48", e->f48);
    cli_json_number(j, "49", e->f49);
    cli_json_number(j, "50", e->f50);
    cli_json_number(j, "51", e->f51);
    cli_json_number(j, "62", e->f62);
    cli_json_number(j, "63", e->f63);
    cli_json_number(j, "64", e->f64);
    cli_json_number(j, "77", e->f77);
    cli_json_number(j, "78", e->f78);
    cli_json_end(j);
}

static void put_check(const cli* c, cli_json* j, const cli_instant* in, const sti_impact* k, int law, int i) {
    sti_impact_verification v;
    if (sti_verify_impact(c->env, in->instant, k, (sti_impact_law)law, i, 1e-9, &v) != STI_OK) {
        cli_json_null(j, "verification");
        return;
    }
    cli_json_object(j, "verification");
    cli_json_bool(j, "accepted", v.accepted);
    cli_json_bool(j, "law_checked", v.law_checked);
    cli_json_number(j, "momentum", v.momentum);
    cli_json_number(j, "joints", v.joints);
    cli_json_number(j, "normal", v.normal);
    cli_json_number(j, "tangential", v.tangential);
    cli_json_number(j, "energy", v.energy);
    cli_json_text(j, "text", v.text);
    cli_json_end(j);
}

static double normal_energy(const sti_impact* k, const double* qdot_norm) {
    double sum = 0;
    if (k->test == NULL) return NAN;
    for (int i = 0; i < k->p; i++) {
        for (int l = 0; l < k->p; l++) sum += 0.5 * qdot_norm[i] * k->test->G_inv[i * k->p + l] * qdot_norm[l];
    }
    return sum;
}

static void put_solution(const cli* c, cli_json* j, const cli_instant* in, const sti_impact* k, int law, int i) {
    const sti_impact_solution* x = &k->laws[law].solutions[i];
    const size_t n = (size_t)k->n, p = (size_t)k->p, s = (size_t)k->s;
    cli_json_object(j, NULL);
    cli_json_text(j, "mode", x->mode);
    cli_json_numbers(j, "v", x->v, n);
    cli_json_numbers(j, "qdot_norm", x->qdot_norm, p);
    cli_json_numbers(j, "v_t", x->v_t, s);
    cli_json_numbers(j, "p_n", x->p_n, p);
    cli_json_numbers(j, "pbar_n", x->pbar_n, p);
    cli_json_numbers(j, "p_t", x->p_t, s);
    cli_json_numbers(j, "p_joint", x->p_joint, (size_t)k->m);
    cli_json_integer(j, "impulse_family_dimension", x->dimension);
    cli_json_number(j, "T_plus", k->T + x->energy.direct);
    cli_json_number(j, "T_norm_plus", normal_energy(k, x->qdot_norm));
    cli_json_number(j, "T_L", x->energy.direct);
    put_energy(j, &x->energy);
    cli_json_bool(j, "kinematic", x->kinematic);
    cli_json_bool(j, "kinetic", x->kinetic);
    cli_json_bool(j, "energetic", x->energetic);
    cli_json_number(j, "residual_momentum", x->momentum);
    cli_json_number(j, "residual_law", x->law);
    const bool phases = x->v_c != NULL;  // compression and decompression
    cli_json_numbers(j, "v_compression", x->v_c, n);
    cli_json_numbers(j, "p_n_compression", phases ? x->p_n_c : NULL, p);
    cli_json_numbers(j, "p_t_compression", phases ? x->p_t_c : NULL, s);
    cli_json_numbers(j, "p_n_extra", phases ? x->p_n_x : NULL, p);
    cli_json_numbers(j, "p_t_decompression", phases ? x->p_t_x : NULL, s);
    cli_json_array(j, "velocity_unique");
    for (int f = 0; f < 2; f++) cli_json_verdict(j, NULL, phases ? x->unique[f] : STI_UNDECIDED);
    cli_json_end(j);
    cli_json_numbers(j, "work_compression", x->work_c, p);
    cli_json_numbers(j, "work_friction", x->work_t, s);
    put_check(c, j, in, k, law, i);
    cli_json_end(j);
}

static void put_laws(const cli* c, cli_json* j, const cli_impact_request* r, const cli_instant* in,
                     const sti_impact* k) {
    cli_json_object(j, "laws");
    for (int l = 0; l < STI_IMPACT_LAW_COUNT; l++) {
        const sti_impact_answer* a = &k->laws[l];
        const char* name = sti_impact_law_text((sti_impact_law)l);
        if (r->law != NULL && strcmp(r->law, name) != 0) continue;
        cli_json_object(j, name);
        cli_json_bool(j, "applies", a->applies);
        cli_json_bool(j, "complete", a->complete);
        cli_json_integer(j, "count", a->count);
        cli_json_integer(j, "admissible", a->admissible);
        cli_json_text(j, "why", a->why[0] != '\0' ? a->why : NULL);
        cli_json_array(j, "solutions");
        for (int i = 0; i < a->count; i++) put_solution(c, j, in, k, l, i);
        cli_json_end(j);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void put_pair(cli_json* j, const char* key, const double* x) {
    if (x == NULL) {
        cli_json_null(j, key);
        return;
    }
    cli_json_object(j, key);
    cli_json_number(j, "frobenius", x[0]);
    cli_json_number(j, "spectral", x[1]);
    cli_json_end(j);
}

static void put_test(cli_json* j, const sti_impact* k) {
    const sti_restitution_test* t = k->test;
    if (t == NULL) {
        cli_json_null(j, "restitution_matrix");
        return;
    }
    const int p = t->p;
    cli_json_object(j, "restitution_matrix");
    cli_json_matrix(j, "S", t->S, p, p);
    cli_json_number(j, "simplex_min", t->simplex_min);
    cli_json_numbers(j, "simplex_argmin", t->argmin, (size_t)p);
    cli_json_verdict(j, "prop2_copositive", t->prop2);
    cli_json_verdict(j, "prop2_strictly_copositive", t->prop2_strict);
    cli_json_number(j, "lambda_min", t->lambda_min);
    cli_json_bool(j, "dissipative_for_all_vectors", t->dissipative);
    cli_json_number(j, "prop4_epsilon", t->epsilon);
    cli_json_number(j, "prop5_commutation", t->commutation);
    cli_json_verdict(j, "prop5", t->prop5);
    cli_json_number(j, "spectral_radius", t->spectral_radius);
    cli_json_number(j, "prop6_sigma_max", t->sigma_max);
    cli_json_number(j, "prop6_bound", t->prop6_bound);
    cli_json_bool(j, "prop6", t->prop6);
    cli_json_number(j, "prop7_frobenius", t->frobenius);
    cli_json_number(j, "prop7_bound_frobenius", t->prop7_bound);
    cli_json_bool(j, "prop7", t->prop7);
    cli_json_number(j, "prop7_bound_spectral", t->prop6_bound);
    cli_json_bool(j, "prop7_spectral", t->prop7_spectral);
    cli_json_number(j, "sigma_max_B", t->sigma_max_B);
    cli_json_bool(j, "prop8_i", t->prop8_i);
    cli_json_bool(j, "prop8_ii", t->prop8_ii);
    cli_json_verdict(j, "prop8_iii", t->prop8_iii);
    cli_json_verdict(j, "admissible", t->admissible);
    cli_json_matrix(j, "G_inverse_I_plus_E", t->kinetic, p, p);
    cli_json_number(j, "corollary1_residual", t->conservative);
    cli_json_bool(j, "corollary1", t->corollary1);
    cli_json_numbers(j, "eigenvalue_moduli", t->moduli, (size_t)p);
    cli_json_numbers(j, "witness_qdot_norm", t->witness, (size_t)p);
    cli_json_numbers(j, "witness_velocity", k->witness_v, (size_t)k->n);
    cli_json_text(j, "witness_breaks", t->witness != NULL ? t->broken : NULL);
    cli_json_number(j, "witness_violation", t->witness != NULL ? t->violation : NAN);
    cli_json_end(j);
}

static void put_holds(cli_json* j, const char* key, bool known, bool holds) {
    cli_json_verdict(j, key, !known ? STI_UNDECIDED : holds ? STI_YES : STI_NO);
}

// One pattern of sliding; null where the theorem does not apply.
static void put_bound(cli_json* j, const sti_impact_bound* b) {
    cli_json_object(j, NULL);
    cli_json_numbers(j, "xi", b->xi, (size_t)b->p);
    cli_json_bool(j, "applies", b->applies);
    const bool known = b->applies;
    cli_json_matrix(j, "E_q", known ? b->Eq : NULL, b->p, b->p);
    cli_json_matrix(j, "Mbar", known ? b->Mbar : NULL, b->p, b->p);
    cli_json_matrix(j, "K", known ? b->K : NULL, b->p, b->p);
    put_pair(j, "lemma1", known ? b->lemma1 : NULL);
    put_pair(j, "lemma2", known ? b->lemma2 : NULL);
    cli_json_number(j, "lambda_min_Mbar", known ? b->lambda_min : NAN);
    cli_json_number(j, "lambda_max_K", known ? b->lambda_max : NAN);
    put_holds(j, "condition_i", known, b->condition_i);
    put_pair(j, "bound_ii", known ? b->bound_ii : NULL);
    cli_json_number(j, "ratio", known ? b->ratio : NAN);
    put_holds(j, "holds_frobenius", known, b->theorem2[0]);
    put_holds(j, "holds_spectral", known, b->theorem2[1]);
    cli_json_number(j, "T_L", known ? b->energy : NAN);
    put_holds(j, "prop10", known, b->prop10);
    cli_json_end(j);
}

static void put_bounds(cli_json* j, const sti_impact* k) {
    cli_json_array(j, "theorem2");
    for (int i = 0; i < k->bound_count; i++) put_bound(j, &k->bounds[i]);
    cli_json_end(j);
}

static void put_set(cli_json* j, const sti_impact* k) {
    const sti_restitution_set* s = &k->set;
    if (s->p == 0) {
        cli_json_null(j, "admissible_set");
        return;
    }
    cli_json_object(j, "admissible_set");
    cli_json_count(j, "column", s->column);
    const double ellipse[4] = {s->a, s->b, s->c, s->d};
    cli_json_numbers(j, "ellipse", ellipse, 4);
    cli_json_array(j, "conservative_arcs");
    for (int i = 0; i < s->arc_count; i++) {
        cli_json_array(j, NULL);
        cli_json_numbers(j, NULL, s->arcs[i].from, 2);
        cli_json_numbers(j, NULL, s->arcs[i].to, 2);
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_numbers(j, "least", s->low, (size_t)s->p);
    cli_json_numbers(j, "largest", s->high, (size_t)s->p);
    cli_json_end(j);
}

int cli_impact_json(const cli* c, const cli_impact_request* r, const cli_instant* in, const sti_impact* k, int code) {
    const int p = k->p;
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "impact");
    cli_json_text(&j, "file", r->path);
    cli_json_array(&j, "contacts");
    for (int i = 0; i < p; i++) cli_json_text(&j, NULL, in->instant->contacts[k->contact[i]].name);
    cli_json_end(&j);
    cli_json_bool(&j, "impact", k->impact);
    cli_json_numbers(&j, "norm_grad_h", k->norm, (size_t)p);
    cli_json_matrix(&j, "G", k->G, p, p);
    cli_json_bool(&j, "independent", k->independent);
    cli_json_matrix(&j, "n_H", k->n_H, p, k->s);
    cli_json_matrix(&j, "E", k->E, p, p);
    cli_json_matrix(&j, "E_unnormalised", k->E_plain, p, p);
    cli_json_numbers(&j, "mu", k->mu, (size_t)p);
    cli_json_numbers(&j, "e_t", k->e_t, (size_t)p);
    cli_json_numbers(&j, "v_minus", k->v, (size_t)k->n);
    cli_json_numbers(&j, "qdot_norm_minus", k->qdot_norm, (size_t)p);
    cli_json_numbers(&j, "v_t_minus", k->v_t, (size_t)k->s);
    cli_json_number(&j, "T_minus", k->T);
    cli_json_number(&j, "T_norm_minus", k->T_norm);
    cli_json_number(&j, "T_tan_minus", k->T_tan);
    cli_json_number(&j, "joint_violation", k->incompatible);
    cli_json_bool(&j, "mass_singular", k->singular);
    cli_json_integer(&j, "idle", k->idle);
    put_laws(c, &j, r, in, k);
    put_test(&j, k);
    put_set(&j, k);
    put_bounds(&j, k);
    cli_json_object(&j, "prop9");
    cli_json_number(&j, "range_residual", k->quasi_range);
    cli_json_numbers(&j, "v_minus", k->quasi_before, (size_t)k->n);
    cli_json_numbers(&j, "v_plus", k->quasi_after, (size_t)k->n);
    cli_json_number(&j, "T_L_63", k->quasi_energy[0]);
    cli_json_number(&j, "T_L_64", k->quasi_energy[1]);
    put_pair(&j, "norm", k->quasi_norm);
    put_pair(&j, "bound", k->quasi_bound);
    cli_json_number(&j, "lambda_min", k->quasi_lambda_min);
    cli_json_end(&j);
    return cli_json_print(&j, c, code);
}
