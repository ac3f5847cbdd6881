// Every reference case of S1, through the public interface.
#include <math.h>
#include <stiction/impact.h>
#include <stiction/painleve.h>
#include <stiction/velocities.h>

#include "support/few_contacts.h"
#include "support/oracle.h"

static sti_env* env;

// ---- reading

static const cJSON* input(const cJSON* item, const char* name) {
    return oracle_get(item, "inputs", name);
}

static double number(const cJSON* item, const char* name) {
    const cJSON* x = input(item, name);
    assert_non_null(x);
    return cJSON_GetNumberValue(x);
}

static double entry(const cJSON* matrix, int i, int j) {
    return cJSON_GetNumberValue(cJSON_GetArrayItem(cJSON_GetArrayItem(matrix, i), j));
}

static void close_to(const char* id, const char* what, double found, double expected, double tol) {
    if (fabs(found - expected) <= tol * (1 + fabs(expected))) return;
    fail_msg("%s: %s: %.15g, expected %.15g", id, what, found, expected);
}

static void check_number(const cJSON* item, const cJSON* expected, const char* name, double found) {
    const cJSON* x = cJSON_GetObjectItemCaseSensitive(expected, name);
    if (x == NULL || cJSON_IsNull(x)) return;
    close_to(oracle_id(item), name, found, cJSON_GetNumberValue(x), 1e-9);
}

static void check_flag(const cJSON* item, const cJSON* expected, const char* name, bool found) {
    const cJSON* x = cJSON_GetObjectItemCaseSensitive(expected, name);
    if (x == NULL) return;
    if (cJSON_IsTrue(x) != found) fail_msg("%s: %s: %d", oracle_id(item), name, found);
}

static void check_vector(const cJSON* item, const cJSON* expected, const char* name, const double* found, int count) {
    const cJSON* x = cJSON_GetObjectItemCaseSensitive(expected, name);
    if (x == NULL) return;
    assert_int_equal(cJSON_GetArraySize(x), count);
    for (int i = 0; i < count; i++) close_to(oracle_id(item), name, found[i], oracle_entry(x, i), 1e-9);
}

// columns: the reference lists one vector per column, we one per row.
static void check_matrix(const cJSON* item, const cJSON* expected, const char* name, const double* found, int rows,
                         int cols, bool columns) {
    const cJSON* x = cJSON_GetObjectItemCaseSensitive(expected, name);
    if (x == NULL) return;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++)
            close_to(oracle_id(item), name, found[i * cols + j], columns ? entry(x, j, i) : entry(x, i, j), 1e-9);
    }
}

// ---- instants out of the inputs

static void read_mass(const cJSON* item, few_contacts* f) {
    const cJSON *M = input(item, "M"), *diagonal = input(item, "M_diag"), *masses = input(item, "masses");
    if (M != NULL) {
        for (int i = 0; i < f->in.n; i++) {
            for (int j = 0; j < f->in.n; j++) f->M[i * f->in.n + j] = entry(M, i, j);
        }
    } else if (diagonal != NULL || masses != NULL) {
        for (int i = 0; i < f->in.n; i++) few_mass(f, i, oracle_entry(diagonal != NULL ? diagonal : masses, i));
    } else {
        const double m = number(item, "m");
        few_mass(f, 0, m);
        few_mass(f, 1, m);
        if (input(item, "R") != NULL)
            few_mass(f, 2, m * pow(number(item, "R"), 2) / 2);
        else
            few_mass(f, 2, m * (pow(number(item, "l"), 2) + pow(number(item, "L"), 2)) / 12);
    }
}

static void read_instant(const cJSON* item, few_contacts* f) {
    const cJSON* gradients = input(item, "grad_h_columns");
    if (gradients == NULL) gradients = input(item, "grad_h");
    const cJSON* tangents = input(item, "H_T");
    const cJSON *mu = input(item, "mu"), *E = input(item, "E_nn"), *e = input(item, "e"), *e_t = input(item, "e_t");
    const cJSON* v = input(item, "qdot_minus");
    if (v == NULL) v = input(item, "qdot");
    few_begin(f, cJSON_GetArraySize(gradients));
    read_mass(item, f);
    for (int j = 0; v != NULL && j < f->in.n; j++) f->v[j] = oracle_entry(v, j);
    const int p = cJSON_GetArraySize(cJSON_GetArrayItem(gradients, 0));
    for (int i = 0; i < p; i++) {
        double n[FEW_N], t[FEW_N];
        for (int j = 0; j < f->in.n; j++) {
            n[j] = entry(gradients, j, i);
            if (tangents != NULL) t[j] = entry(tangents, j, i);
        }
        sti_instant_contact* c = few_add(f, n, tangents != NULL ? t : NULL, 0, 0);
        c->bilateral = i == 0 && strstr(cJSON_GetStringValue(cJSON_GetObjectItem(item, "title")), "bilateral x_A");
        if (cJSON_IsArray(mu)) c->mu = oracle_entry(mu, i);
        if (cJSON_IsNumber(mu)) c->mu = cJSON_GetNumberValue(mu);
        if (cJSON_IsNumber(e)) c->restitution = cJSON_GetNumberValue(e);
        if (cJSON_IsArray(e_t)) c->restitution_t = oracle_entry(e_t, i);
        if (cJSON_IsNumber(e_t)) c->restitution_t = cJSON_GetNumberValue(e_t);
    }
    if (E != NULL) {
        for (int i = 0; i < p * p; i++) f->E[i] = entry(E, i / p, i % p);
        f->in.restitution = f->E;
    }
}

// ---- quasi-velocities

static void check_velocities(const cJSON* item, const cJSON* x) {
    few_contacts f;
    sti_velocities* k;
    read_instant(item, &f);
    assert_int_equal(sti_velocities_create(env, &f.in, NULL, &k), STI_OK);
    const int n = k->n, c = k->count, d = k->tangent_count, s = k->slip_count;
    check_vector(item, x, "norm_grad_h", k->norm, c);
    check_matrix(item, x, "n_q_columns", k->n_q, c, n, true);
    if (d == 1) check_matrix(item, x, "t_q_columns", k->t_q, d, n, true);
    if (d == 1) check_matrix(item, x, "Xi", k->Xi, n, n, false);
    check_matrix(item, x, "G", k->G, c, c, false);
    check_matrix(item, x, "kinetic_angles_rad", k->angle, c, c, false);
    check_vector(item, x, "qdot_norm", k->qdot_norm, c);
    if (d == 1) check_vector(item, x, "qdot_tan", k->qdot_tan, d);
    check_number(item, x, "T", k->T);
    check_number(item, x, "T", k->T_quasi);
    check_number(item, x, "T_norm", k->T_norm);
    check_number(item, x, "T_tan", k->T_tan);
    check_matrix(item, x, "projector_tangent", k->tangent_projector, n, n, false);
    check_matrix(item, x, "n_q^T H_T", k->n_H, c, s, false);
    if (d == 1) check_matrix(item, x, "t_q^T H_T", k->t_H, d, s, false);
    check_vector(item, x, "v_t", k->v_t, s);
    check_vector(item, x, "v_t", k->v_t_quasi, s);
    check_matrix(item, x, "G_schur_17", k->G_u, k->unilateral_count, k->unilateral_count, false);
    check_vector(item, x, "compatible_velocity", k->compatible, n);
    check_number(item, x, "T_compatible", k->T_compatible);
    check_number(item, x, "T_compatible", k->T_compatible_16);
    for (int j = 0; j < n; j++) close_to(oracle_id(item), "qdot = Xi'D v", k->back[j], f.v[j], 1e-12);
    sti_velocities_destroy(env, k);
}

// ---- impact laws

static void check_moreau(const cJSON* item, const cJSON* x) {
    const cJSON* per;
    cJSON_ArrayForEach(per, cJSON_GetObjectItem(x, "per_e")) {
        few_contacts f;
        sti_impact* k;
        read_instant(item, &f);
        for (int i = 0; i < f.in.contact_count; i++)
            f.contact[i].restitution = cJSON_GetNumberValue(cJSON_GetObjectItem(per, "e"));
        assert_int_equal(sti_impact_create(env, &f.in, NULL, &k), STI_OK);
        check_matrix(item, x, "G", k->G, k->p, k->p, false);
        check_vector(item, x, "qdot_norm_minus", k->qdot_norm, k->p);
        const sti_impact_solution* s = k->laws[STI_IMPACT_MOREAU].solutions;
        assert_int_equal(k->laws[STI_IMPACT_MOREAU].count, 1);
        check_vector(item, per, "qdot_plus", s->v, k->n);
        check_vector(item, per, "impulses_p_n", s->p_n, k->p);
        check_vector(item, per, "pbar_n", s->pbar_n, k->p);
        check_vector(item, per, "qdot_norm_plus", s->qdot_norm, k->p);
        check_number(item, per, "T_L", s->energy.direct);
        check_number(item, per, "T_L", s->energy.f40);
        check_number(item, per, "T_L", s->energy.f47);
        const cJSON* active = cJSON_GetObjectItem(per, "active");
        for (int i = 0, at = 0; i < k->p; i++) {
            const bool has = s->pbar_n[i] > 1e-9;
            if (has) assert_int_equal((int)oracle_entry(active, at++), i + 1);
        }
        assert_true(s->kinematic && s->kinetic && s->energetic);
        sti_impact_destroy(env, k);
    }
}

static void check_general(const cJSON* item, const cJSON* x) {
    few_contacts f;
    sti_impact* k;
    read_instant(item, &f);
    assert_int_equal(sti_impact_create(env, &f.in, NULL, &k), STI_OK);
    const sti_impact_solution* s = k->laws[STI_IMPACT_GENERAL].solutions;
    assert_int_equal(k->laws[STI_IMPACT_GENERAL].count, 1);
    check_matrix(item, x, "G", k->G, k->p, k->p, false);
    check_vector(item, x, "qdot_norm_minus", k->qdot_norm, k->p);
    check_vector(item, x, "qdot_norm_plus", s->qdot_norm, k->p);
    check_vector(item, x, "qdot_plus", s->v, k->n);
    check_vector(item, x, "pbar_n", s->pbar_n, k->p);
    check_vector(item, x, "p_n", s->p_n, k->p);
    check_number(item, x, "T_L", s->energy.direct);
    check_number(item, x, "T_L", s->energy.f40);
    check_number(item, x, "f47", s->energy.f47);
    check_number(item, x, "f48", s->energy.f48);
    check_number(item, x, "f49", s->energy.f49);
    check_number(item, x, "f50_corrected", s->energy.f50);
    check_matrix(item, x, "E_unnormalised", k->E_plain, k->p, k->p, false);
    check_flag(item, x, "kinematically_consistent", s->kinematic);
    check_flag(item, x, "kinetically_consistent", s->kinetic);
    check_flag(item, x, "energetically_consistent", s->energetic);
    sti_impact_destroy(env, k);
}

static void check_criteria(const cJSON* item, const cJSON* x) {
    double G[36], E[36];
    const int p = cJSON_GetArraySize(input(item, "G"));
    for (int i = 0; i < p * p; i++) {
        G[i] = entry(input(item, "G"), i / p, i % p);
        E[i] = entry(input(item, "E_nn"), i / p, i % p);
    }
    sti_restitution_test* t;
    assert_int_equal(sti_restitution_test_create(env, p, G, E, &t), STI_OK);
    check_number(item, x, "copositive_min_on_simplex", t->simplex_min);
    check_flag(item, x, "prop2_copositive", t->prop2 == STI_YES);
    check_number(item, x, "lambda_min_S", t->lambda_min);
    check_flag(item, x, "dissipative_for_all_vectors", t->dissipative);
    check_number(item, x, "prop5_commutation_residual", t->commutation);
    check_number(item, x, "spectral_radius_E", t->spectral_radius);
    check_number(item, x, "prop6_sigma_max", t->sigma_max);
    check_number(item, x, "prop6_bound", t->prop6_bound);
    check_number(item, x, "prop7_frobenius_lhs", t->frobenius);
    check_number(item, x, "prop7_frobenius_bound", t->prop7_bound);
    check_number(item, x, "prop7_spectral_bound", t->prop6_bound);
    check_number(item, x, "sigma_max_B", t->sigma_max_B);
    check_flag(item, x, "prop6_holds", t->prop6);
    check_flag(item, x, "prop7_holds_frobenius", t->prop7);
    check_flag(item, x, "prop8_i_E_nonnegative", t->prop8_i);
    check_flag(item, x, "prop8_ii_kinetic", t->prop8_ii);
    check_flag(item, x, "prop8_iii_copositive", t->prop8_iii == STI_YES);
    check_flag(item, x, "prop8_admissible", t->admissible == STI_YES);
    check_number(item, x, "corollary1_iii_residual", t->conservative);
    check_vector(item, x, "eigenvalues_E_moduli", t->moduli, p);
    sti_restitution_test_destroy(env, t);
}

// Prop. 3: the disk in an angle, E = diag(e).
static void check_energy_ratio(const cJSON* item, const cJSON* x) {
    few_contacts f;
    sti_impact* k;
    few_begin(&f, 3);
    few_mass(&f, 0, 2.5);
    few_mass(&f, 1, 2.5);
    few_mass(&f, 2, 2.5 * 0.4 * 0.4 / 2);
    for (int j = 0; j < 3; j++) f.v[j] = oracle_entry(input(item, "qdot_minus"), j);
    few_add(&f, (double[]){0, 1, 0}, NULL, 0, number(item, "e"));
    few_add(&f, (double[]){1, 0, 0}, NULL, 0, number(item, "e"));
    assert_int_equal(sti_impact_create(env, &f.in, NULL, &k), STI_OK);
    const double change = k->laws[STI_IMPACT_NEWTON].solutions->energy.direct;
    check_number(item, x, "T_minus", k->T);
    check_number(item, x, "T_plus", k->T + change);
    check_number(item, x, "ratio", (k->T + change) / k->T);
    check_number(item, x, "ratio_normal", (k->T_norm + change) / k->T_norm);
    sti_impact_destroy(env, k);
}

static void check_quasi(const cJSON* item, const cJSON* x) {
    few_contacts f;
    sti_impact* k;
    double E[9], t_q[3];
    read_instant(item, &f);
    for (int i = 0; i < 9; i++) E[i] = entry(input(item, "E"), i / 3, i % 3);
    for (int i = 0; i < 3; i++) t_q[i] = entry(input(item, "t_q"), i, 0);
    sti_impact_options o = sti_impact_options_default();
    o.E_quasi = E;
    o.t_q = t_q;
    assert_int_equal(sti_impact_create(env, &f.in, &o, &k), STI_OK);
    const sti_impact_answer* a = &k->laws[STI_IMPACT_QUASI];
    check_flag(item, x, "range_condition", a->count == 1);
    check_vector(item, x, "v_minus", k->quasi_before, 3);
    check_vector(item, x, "v_plus", k->quasi_after, 3);
    check_number(item, x, "T_L", k->quasi_energy[0]);
    check_number(item, x, "T_L", k->quasi_energy[1]);
    if (a->count == 1) {
        const sti_impact_solution* s = a->solutions;
        sti_velocities* v;
        double quasi[3];
        const sti_velocities_options vo = {.gap_tol = 1e-9, .t_q = t_q};
        assert_int_equal(sti_velocities_create(env, &f.in, &vo, &v), STI_OK);
        sti_velocities_to_quasi(v, f.v, quasi);
        check_vector(item, x, "v_minus", quasi, 3);
        sti_velocities_to_quasi(v, s->v, quasi);
        check_vector(item, x, "v_plus", quasi, 3);
        sti_velocities_destroy(env, v);
        check_number(item, x, "T_L", s->energy.direct);
        check_number(item, x, "T_L", s->energy.f63);
        check_number(item, x, "T_L", s->energy.f64);
        check_number(item, x, "T_L_62_corrected", s->energy.f62);
        check_vector(item, x, "pn_bar", s->pbar_n, k->p);
        double sum = 0;
        for (int l = 0; l < k->s; l++) sum += s->p_t[l];
        check_number(item, x, "sum_p_t", sum);
    }
    check_number(item, x, "prop9_lhs", k->quasi_norm[0]);
    check_number(item, x, "prop9_rhs", k->quasi_bound[0]);
    check_number(item, x, "lambda_min", k->quasi_lambda_min);
    sti_impact_destroy(env, k);
}

static void check_implicit(const cJSON* item, const cJSON* x) {
    few_contacts f;
    sti_impact* k;
    read_instant(item, &f);
    for (int i = 0; i < f.in.contact_count; i++) f.contact[i].restitution_t = number(item, "e");
    const bool rough = strstr(cJSON_GetStringValue(input(item, "W")), "V_t={0}") != NULL;
    assert_int_equal(sti_impact_create(env, &f.in, NULL, &k), STI_OK);
    const sti_impact_answer* a = &k->laws[rough ? STI_IMPACT_IMPLICIT_ROUGH : STI_IMPACT_IMPLICIT_SMOOTH];
    assert_int_equal(a->count, 1);
    check_vector(item, x, "qdot_plus", a->solutions->v, k->n);
    check_number(item, x, "T_L", a->solutions->energy.direct);
    check_number(item, x, "T_L", a->solutions->energy.f47);
    check_number(item, x, "v_t_plus", a->solutions->v_t[0]);
    sti_velocities* v;
    double quasi[3];
    assert_int_equal(sti_velocities_create(env, &f.in, NULL, &v), STI_OK);
    sti_velocities_to_quasi(v, a->solutions->v, quasi);
    check_vector(item, x, "v_plus", quasi, 3);
    sti_velocities_destroy(env, v);
    sti_impact_destroy(env, k);
}

static const sti_impact_bound* bound_of(const sti_impact* k, const cJSON* xi) {
    int pattern = 0;
    for (int i = 0; xi != NULL && i < k->p; i++) {
        if (oracle_entry(xi, i) < 0) pattern |= 1 << i;
    }
    assert_int_equal(k->bound_count, 1 << k->p);
    return &k->bounds[pattern];
}

static void check_friction(const cJSON* item, const cJSON* x) {
    few_contacts f;
    sti_impact* k;
    read_instant(item, &f);
    assert_int_equal(sti_impact_create(env, &f.in, NULL, &k), STI_OK);
    const sti_impact_answer* a = &k->laws[STI_IMPACT_FRICTION];
    const cJSON *solutions = cJSON_GetObjectItem(x, "solutions"), *one;
    assert_true(a->complete);
    if (a->count != cJSON_GetArraySize(solutions)) {
        for (int i = 0; i < a->count; i++) print_message("%s: mode %s\n", oracle_id(item), a->solutions[i].mode);
        fail_msg("%s: %d solutions of (68)", oracle_id(item), a->count);
    }
    check_number(item, x, "T_minus", k->T);
    int pressing = 0;  // the cases count those without a negative impulse
    for (int i = 0; i < a->count; i++) pressing += a->solutions[i].kinetic;
    check_number(item, x, "number_admissible", pressing);
    if (cJSON_GetObjectItem(x, "inverse") != NULL) {
        const sti_impact_bound* b = bound_of(k, NULL);
        check_matrix(item, x, "inverse", b->Eq, k->p, k->p, false);
    }
    bool all_plus = false;
    cJSON_ArrayForEach(one, solutions) {
        const char* mode = cJSON_GetStringValue(cJSON_GetObjectItem(one, "mode"));
        const sti_impact_solution* s = NULL;
        for (int i = 0; i < a->count; i++) {
            if (strcmp(a->solutions[i].mode, mode) == 0) s = &a->solutions[i];
        }
        if (s == NULL) fail_msg("%s: mode %s is missing", oracle_id(item), mode);
        all_plus = all_plus || strspn(mode, "+") == strlen(mode);
        check_vector(item, one, "qdot_plus", s->v, k->n);
        check_vector(item, one, "v_t_plus", s->v_t, k->s);
        if (s->dimension == 0) check_vector(item, one, "p_n", s->p_n, k->p);
        if (s->dimension == 0) check_vector(item, one, "p_t", s->p_t, k->s);
        double sum = 0;
        for (int l = 0; l < k->s; l++) sum += s->p_t[l];
        check_number(item, one, "sum_p_t", sum);
        check_number(item, one, "T_L", s->energy.direct);
        check_number(item, one, "T_L", s->energy.f47);
        check_number(item, one, "T_L", s->energy.f77);
        if (!isnan(s->energy.f78)) check_number(item, one, "T_L", s->energy.f78);
        check_flag(item, one, "kinetically_admissible", s->kinetic);
    }
    check_flag(item, x, "mode_pp_exists", all_plus);
    sti_impact_destroy(env, k);
}

// Example 3: the matrix of the mode "-" at both corners, and its inverse.
static void check_example_3(const cJSON* item, const cJSON* x) {
    few_contacts f;
    sti_impact* k;
    read_instant(item, &f);
    assert_int_equal(sti_impact_create(env, &f.in, NULL, &k), STI_OK);
    const double f0 = k->norm[0] * k->norm[0], kappa = k->n_H[0] * k->norm[0];
    const double A = f0 * (1 + k->G[1]) / 2, B = f0 * (1 - k->G[1]) / 2;
    check_number(item, x, "f0", f0);
    check_number(item, x, "mu_low", (A - B) / kappa);
    check_number(item, x, "mu_high", (A + B) / kappa);
    const sti_impact_bound* b = &k->bounds[3];
    check_matrix(item, x, "inverse", b->Eq, 2, 2, false);
    sti_painleve* q;
    assert_int_equal(sti_painleve_create(env, &f.in, NULL, &q), STI_OK);
    const sti_painleve_pattern* pattern = NULL;
    for (int i = 0; i < q->pattern_count; i++) {
        if (q->patterns[i].xi[0] == -1 && q->patterns[i].xi[1] == -1) pattern = &q->patterns[i];
    }
    check_matrix(item, x, "matrix", pattern->D, 2, 2, false);
    check_number(item, x, "mu_pd", pattern->mu_definite);
    sti_painleve_destroy(env, q);
    sti_impact_destroy(env, k);
}

static void check_particle(const cJSON* item, const cJSON* x) {
    few_contacts f;
    sti_impact* k;
    const cJSON* v = input(item, "velocity");
    few_begin(&f, 2);
    few_mass(&f, 0, number(item, "m"));
    few_mass(&f, 1, number(item, "m"));
    f.v[0] = cJSON_GetNumberValue(cJSON_GetObjectItem(v, "xdot"));
    f.v[1] = cJSON_GetNumberValue(cJSON_GetObjectItem(v, "ydot"));
    few_add(&f, (double[]){0, 1}, (double[]){1, 0}, number(item, "mu"), number(item, "e_n"));
    assert_int_equal(sti_impact_create(env, &f.in, NULL, &k), STI_OK);
    const sti_impact_bound* b = &k->bounds[0];
    check_number(item, x, "lambda_min_Mbar", b->lambda_min);
    check_number(item, x, "lambda_max_K", b->lambda_max);
    check_flag(item, x, "condition_i", b->condition_i);
    if (b->condition_i) check_number(item, x, "bound_ii", b->bound_ii[0]);
    if (b->condition_i) check_number(item, x, "bound_ii", b->bound_ii[1]);
    check_number(item, x, "ratio", b->ratio);
    check_number(item, x, "T_L", b->energy);
    const sti_impact_answer* a = &k->laws[STI_IMPACT_FRICTION];
    assert_int_equal(a->count, 1);
    check_number(item, x, "xdot_plus", a->solutions->v[0]);
    check_number(item, x, "ydot_plus", a->solutions->v[1]);
    sti_impact_destroy(env, k);
}

static void check_theorem_2(const cJSON* item, const cJSON* x) {
    few_contacts f;
    sti_impact* k;
    read_instant(item, &f);
    assert_int_equal(sti_impact_create(env, &f.in, NULL, &k), STI_OK);
    const sti_impact_bound* b = bound_of(k, input(item, "xi"));
    check_matrix(item, x, "E_q", b->Eq, k->p, k->p, false);
    check_matrix(item, x, "Mbar", b->Mbar, k->p, k->p, false);
    check_matrix(item, x, "K", b->K, k->p, k->p, false);
    check_number(item, x, "lambda_min_Mbar", b->lambda_min);
    check_number(item, x, "lambda_max_K", b->lambda_max);
    check_flag(item, x, "condition_i", b->condition_i);
    if (b->condition_i) check_number(item, x, "bound_ii_frobenius", b->bound_ii[0]);
    if (b->condition_i) check_number(item, x, "bound_ii_spectral", b->bound_ii[1]);
    check_number(item, x, "T_L", b->energy);
    sti_impact_destroy(env, k);
}

// ---- contact LCP

static const sti_painleve_pattern* pattern_of(const sti_painleve* k, const cJSON* xi) {
    for (int q = 0; q < k->pattern_count; q++) {
        bool same = true;
        for (int i = 0; i < k->p; i++) same = same && k->patterns[q].xi[i] == oracle_entry(xi, i);
        if (same) return &k->patterns[q];
    }
    return NULL;
}

static void check_rod(const cJSON* item, const cJSON* x) {
    const cJSON* row;
    const double m = number(item, "m"), l = number(item, "l_half"), g = number(item, "g");
    cJSON_ArrayForEach(row, x) {
        few_contacts f;
        sti_painleve* k;
        const double theta = cJSON_GetNumberValue(cJSON_GetObjectItem(row, "theta"));
        const double rate = cJSON_GetNumberValue(cJSON_GetObjectItem(row, "thetadot"));
        const double sign = cJSON_GetNumberValue(cJSON_GetObjectItem(row, "sign_vt"));
        few_begin(&f, 3);
        few_mass(&f, 0, m);
        few_mass(&f, 1, m);
        few_mass(&f, 2, m * l * l / 3);
        f.F[1] = m * g;
        f.v[0] = 10 * sign;
        f.v[1] = l * cos(theta) * rate;
        f.v[2] = rate;
        sti_instant_contact* c = few_add(&f, (double[]){0, 1, -l * cos(theta)}, (double[]){1, 0, l * sin(theta)},
                                         cJSON_GetNumberValue(cJSON_GetObjectItem(row, "mu")), 0);
        c->n_rate = l * sin(theta) * rate * rate;
        assert_int_equal(sti_painleve_create(env, &f.in, NULL, &k), STI_OK);
        assert_int_equal(k->pattern_count, 2);
        const sti_painleve_pattern* pattern = &k->patterns[sign > 0 ? 0 : 1];
        assert_true(pattern->actual);
        check_number(item, row, "D", pattern->D[0]);
        check_number(item, row, "b", k->b[0]);
        const cJSON *solutions = cJSON_GetObjectItem(row, "solutions"), *one;
        assert_int_equal(pattern->solutions->vertex_count, cJSON_GetArraySize(solutions));
        cJSON_ArrayForEach(one, solutions) {
            const double bar = cJSON_GetNumberValue(cJSON_GetObjectItem(one, "lam_bar"));
            bool found = false;
            for (int i = 0; i < pattern->solutions->vertex_count; i++) {
                const double z = pattern->solutions->vertex[i];
                if (fabs(z - bar) > 1e-9 * (1 + fabs(bar))) continue;
                found = true;
                check_number(item, one, "lam_n", z / k->norm[0]);
                check_number(item, one, "acc_norm", pattern->D[0] * z + k->b[0]);
            }
            assert_true(found);
        }
        const int count = cJSON_GetArraySize(solutions);
        assert_int_equal(k->outcome, count == 0                                             ? STI_PAINLEVE_NONE
                                     : count == 2                                           ? STI_PAINLEVE_SEVERAL
                                     : pattern->D[0] > 0 && k->patterns[sign > 0 ? 1 : 0].P ? STI_PAINLEVE_UNIQUE
                                                                                            : k->outcome);
        sti_painleve_destroy(env, k);
    }
}

// The oscillator as a system whose gap has the gradient (tan theta, 1) in the masses (m1, m2), slip along theta.
static void check_oscillator(const cJSON* item, const cJSON* x) {
    const double values[] = {number(item, "m1"), number(item, "m2")};
    const sti_system_contact_text contact = {.name = "tip",
                                             .gap = "y - log(cos(theta))",
                                             .slip_count = 1,
                                             .slip = (const char* const[]){"theta'"},
                                             .mu = "1"};
    const sti_system_text text = {.parameter_count = 2,
                                  .parameter_names = (const char* const[]){"m1", "m2"},
                                  .parameters = values,
                                  .coordinate_count = 2,
                                  .coordinates = (const char* const[]){"theta", "y"},
                                  .kinetic = "m1/2*theta'^2 + m2/2*y'^2",
                                  .contact_count = 1,
                                  .contacts = &contact};
    sti_system* system;
    sti_painleve_map* map;
    assert_int_equal(sti_system_create(env, &text, &system), STI_OK);
    const double zero[2] = {0, 0};
    sti_painleve_map_def def = sti_painleve_map_def_default();
    def.q = def.v = zero;
    def.axis_count = 1;
    def.axes[0] = (sti_painleve_axis){STI_PAINLEVE_COORDINATE, 0, number(item, "theta"), 1.5, 1};
    assert_int_equal(sti_painleve_map_create(env, system, &def, &map), STI_OK);
    check_number(item, x, "mu_c", map->cells[0].mu_c);
    sti_painleve_map_destroy(env, map);
    def.axes[0] = (sti_painleve_axis){STI_PAINLEVE_COORDINATE, 0, 0.05, 1.5, 60};
    assert_int_equal(sti_painleve_map_create(env, system, &def, &map), STI_OK);
    check_number(item, x, "mu_c_min", map->mu_c);
    check_number(item, x, "theta_min", map->at[0]);
    sti_painleve_map_destroy(env, map);
    sti_system_destroy(system);
}

static void check_block(const cJSON* item, const cJSON* x) {
    few_contacts f;
    sti_painleve* k;
    read_instant(item, &f);
    const cJSON *per = NULL, *mus = cJSON_GetObjectItem(x, "per_mu");
    cJSON_ArrayForEach(per, mus) {
        const double mu = cJSON_GetNumberValue(cJSON_GetObjectItem(per, "mu"));
        const double both[2] = {mu, mu};
        sti_painleve_options o = sti_painleve_options_default();
        o.mu = both;
        assert_int_equal(sti_painleve_create(env, &f.in, &o, &k), STI_OK);
        const sti_painleve_pattern* pattern = pattern_of(k, input(item, "xi"));
        check_number(item, x, "mu_c", pattern->mu_c);
        check_matrix(item, per, "D", pattern->D, 2, 2, false);
        const cJSON* minors = cJSON_GetObjectItem(per, "principal_minors");
        check_number(item, minors, "1", pattern->minors[0]);
        check_number(item, minors, "2", pattern->minors[1]);
        check_number(item, minors, "1,2", pattern->minors[2]);
        check_flag(item, per, "P_matrix", pattern->P);
        sti_painleve_destroy(env, k);
    }
    if (mus != NULL) return;
    assert_int_equal(sti_painleve_create(env, &f.in, NULL, &k), STI_OK);
    const sti_painleve_pattern* pattern = pattern_of(k, input(item, "xi"));
    check_number(item, x, "mu_prop14_frobenius", pattern->mu_14[0]);
    check_number(item, x, "mu_prop14_spectral", pattern->mu_14[1]);
    check_number(item, x, "mu_positive_definite", pattern->mu_definite);
    check_number(item, x, "mu_P", pattern->mu_c);
    sti_painleve_destroy(env, k);
}

// ---- all of them

static void check_case(const cJSON* item) {
    const cJSON* x = cJSON_GetObjectItemCaseSensitive(item, "expected");
    const char* topic = cJSON_GetStringValue(cJSON_GetObjectItem(item, "topic"));
    if (strcmp(topic, "S1 quasi-velocities") == 0)
        check_velocities(item, x);
    else if (strcmp(topic, "S1 Moreau impact law") == 0)
        check_moreau(item, x);
    else if (strcmp(topic, "S1 generalized restitution") == 0)
        check_general(item, x);
    else if (input(item, "G") != NULL)
        check_criteria(item, x);
    else if (cJSON_GetObjectItem(x, "ratio_normal") != NULL)
        check_energy_ratio(item, x);
    else if (input(item, "E") != NULL)
        check_quasi(item, x);
    else if (strcmp(topic, "S1 implicit restitution operator") == 0)
        check_implicit(item, x);
    else if (cJSON_GetObjectItem(x, "f0") != NULL)
        check_example_3(item, x);
    else if (cJSON_GetObjectItem(x, "solutions") != NULL)
        check_friction(item, x);
    else if (input(item, "velocity") != NULL)
        check_particle(item, x);
    else if (cJSON_GetObjectItem(x, "E_q") != NULL)
        check_theorem_2(item, x);
    else if (input(item, "rows") != NULL)
        check_rod(item, x);
    else if (input(item, "m1") != NULL)
        check_oscillator(item, x);
    else if (input(item, "xi") != NULL)
        check_block(item, x);
    else
        fail_msg("%s: a case of a kind that is not known here", oracle_id(item));
}

static void every_case_of_s1_holds(void** state) {
    (void)state;
    cJSON* root = oracle_open("papers");
    if (root == NULL) skip();
    const cJSON* item;
    int count = 0;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        if (strncmp(oracle_id(item), "S1-", 3) != 0) continue;
        check_case(item);
        count++;
    }
    cJSON_Delete(root);
    print_message("%d cases of S1\n", count);
    assert_true(count >= 35);
}

int main(void) {
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_case_of_s1_holds)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sti_env_destroy(env);
    return failed;
}
