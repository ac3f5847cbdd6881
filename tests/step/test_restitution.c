// Impact laws by restitution: the cases of S1 for Moreau, Newton, the full matrix and friction; chains of balls; Kane's
// pendulum, where Newton's law with friction gains energy; pulls that are relaxed; agreement with the analysis of
// impacts.
#include "base/rng.h"
#include "step/step_tools.h"
#include "support/few_contacts.h"

static double entry(const cJSON* matrix, int i, int j) {
    return oracle_double(group_env, cJSON_GetArrayItem(cJSON_GetArrayItem(matrix, i), j));
}

// The instant of a case of S1; its matrix in f->E.
static void pose(const cJSON* item, few_contacts* f) {
    const cJSON *columns = oracle_get(item, "inputs", "grad_h_columns"), *H = oracle_get(item, "inputs", "H_T");
    const cJSON *M = oracle_get(item, "inputs", "M"), *diagonal = oracle_get(item, "inputs", "M_diag");
    const cJSON *E = oracle_get(item, "inputs", "E_nn"), *v = oracle_get(item, "inputs", "qdot_minus");
    const cJSON *mu = oracle_get(item, "inputs", "mu"), *e_t = oracle_get(item, "inputs", "e_t");
    const int n = cJSON_GetArraySize(columns), p = cJSON_GetArraySize(cJSON_GetArrayItem(columns, 0));
    few_begin(f, n);
    for (int i = 0; i < n; i++) {
        f->v[i] = number_at(v, i);
        for (int j = 0; j < n; j++) f->M[i * n + j] = M != NULL ? entry(M, i, j) : i == j ? number_at(diagonal, i) : 0;
    }
    for (int c = 0; c < p; c++) {
        double normal[FEW_N], tangent[FEW_N];
        for (int i = 0; i < n; i++) {
            normal[i] = entry(columns, i, c);
            tangent[i] = H != NULL ? entry(H, i, c) : 0;
        }
        sti_instant_contact* k = few_add(f, normal, H != NULL ? tangent : NULL, mu != NULL ? number_at(mu, c) : 0,
                                         E != NULL ? entry(E, c, c) : 0);
        if (e_t != NULL) k->restitution_t = number_at(e_t, c);
        for (int j = 0; E != NULL && j < p; j++) f->E[c * p + j] = entry(E, c, j);
    }
}

static sti_collision* collide(const few_contacts* f, sti_impact_law law, const double* E, bool dissipate) {
    sti_collision_options o = sti_collision_options_default();
    sti_collision* k;
    o.law = law;
    o.E = E;
    o.dissipate = dissipate;
    must(group_env, sti_collision_create(group_env, &f->in, &o, &k));
    assert_int_equal(k->outcome, STI_SOLVED);
    return k;
}

// No pull, no gap that closes, no energy from nowhere.
static void admissible(const few_contacts* f, const sti_collision* k) {
    for (int c = 0; c < f->in.contact_count; c++) {
        double u = 0;
        for (int i = 0; i < f->in.n; i++) u += f->n[c][i] * k->v[i];
        assert_true(k->p_n[c] >= -1e-12 && u >= -1e-9);
        if (f->contact[c].tangent_count == 1) assert_true(fabs(k->p_t[c]) <= f->contact[c].mu * k->p_n[c] + 1e-9);
    }
    assert_true(k->energy[2] <= k->energy[0] * (1 + 1e-9));
}

static void moreau_cases_of_s1(void** state) {
    (void)state;
    cJSON* root = oracle_open("papers");
    if (root == NULL) skip();
    int seen = 0;
    const cJSON *item, *row;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        const cJSON* rows = oracle_get(item, "expected", "per_e");
        if (rows == NULL || oracle_get(item, "inputs", "grad_h_columns") == NULL) continue;
        few_contacts f;
        pose(item, &f);
        cJSON_ArrayForEach(row, rows) {
            for (int c = 0; c < f.in.contact_count; c++)
                f.contact[c].restitution = cJSON_GetNumberValue(cJSON_GetObjectItem(row, "e"));
            sti_collision* k = collide(&f, STI_IMPACT_MOREAU, NULL, false);
            bool opens = false;  // a contact that opens before is left alone here, and closes by (43) as written
            for (int c = 0; c < f.in.contact_count; c++) {
                double u = 0;
                for (int i = 0; i < f.in.n; i++) u += f.n[c][i] * f.v[i];
                opens = opens || u > 1e-12;
            }
            if (!opens) same_vector(cJSON_GetObjectItem(row, "qdot_plus"), f.in.n, k->v, 1e-9);
            if (!opens) same_vector(cJSON_GetObjectItem(row, "impulses_p_n"), f.in.contact_count, k->p_n, 1e-9);
            admissible(&f, k);
            sti_collision_destroy(group_env, k);
            seen++;
        }
    }
    cJSON_Delete(root);
    assert_true(seen >= 8);
}

static void matrix_cases_of_s1(void** state) {
    (void)state;
    cJSON* root = oracle_open("papers");
    if (root == NULL) skip();
    int kept = 0, relaxed = 0;
    const cJSON* item;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        const cJSON *v = oracle_get(item, "expected", "qdot_plus"), *E = oracle_get(item, "inputs", "E_nn");
        if (v == NULL || E == NULL || oracle_get(item, "expected", "kinetically_consistent") == NULL) continue;
        few_contacts f;
        pose(item, &f);
        sti_collision* k = collide(&f, STI_IMPACT_GENERAL, f.E, true);
        bool diagonal = true;
        for (int i = 0; i < f.in.contact_count; i++)
            for (int j = 0; j < f.in.contact_count; j++)
                diagonal = diagonal && (i == j || f.E[i * f.in.contact_count + j] == 0);
        if (cJSON_IsTrue(oracle_get(item, "expected", "kinetically_consistent")) &&
            cJSON_IsTrue(oracle_get(item, "expected", "energetically_consistent"))) {
            same_vector(v, f.in.n, k->v, 1e-9);
            same_vector(oracle_get(item, "expected", "p_n"), f.in.contact_count, k->p_n, 1e-9);
            assert_near(k->energy[2] - k->energy[0], oracle_number(item, "expected", "T_L"), 1e-9);
            assert_int_equal(k->relaxed, 0);
            kept++;
        } else {
            assert_true(k->relaxed > 0 || k->kept < 1);
            relaxed++;
        }
        admissible(&f, k);
        if (diagonal) {
            sti_collision* newton = collide(&f, STI_IMPACT_NEWTON, NULL, true);
            for (int i = 0; i < f.in.n; i++) assert_near(newton->v[i], k->v[i], 1e-12);
            sti_collision_destroy(group_env, newton);
        }
        sti_collision_destroy(group_env, k);
    }
    cJSON_Delete(root);
    assert_true(kept >= 3 && relaxed >= 1);
}

static void friction_cases_of_s1(void** state) {
    (void)state;
    cJSON* root = oracle_open("papers");
    if (root == NULL) skip();
    int kept = 0, relaxed = 0;
    const cJSON *item, *solution;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        const cJSON* solutions = oracle_get(item, "expected", "solutions");
        if (solutions == NULL || oracle_get(item, "inputs", "E_nn") == NULL ||
            oracle_get(item, "inputs", "M_diag") == NULL)
            continue;
        few_contacts f;
        pose(item, &f);
        sti_collision* k = collide(&f, STI_IMPACT_GENERAL, f.E, false);
        int fits = 0, count = 0;
        cJSON_ArrayForEach(solution, solutions) {
            if (!cJSON_IsTrue(cJSON_GetObjectItem(solution, "kinetically_admissible"))) continue;
            double off = 0;
            for (int i = 0; i < f.in.n; i++)
                off = fmax(off, fabs(k->v[i] - number_at(cJSON_GetObjectItem(solution, "qdot_plus"), i)));
            fits += off <= 1e-9;
            count++;
        }
        if (count > 0) assert_true(fits == 1 && k->relaxed == 0);
        if (count == 0) assert_true(k->relaxed > 0);
        kept += count > 0;
        relaxed += count == 0;
        sti_collision_destroy(group_env, k);
    }
    cJSON_Delete(root);
    assert_true(kept >= 3 && relaxed >= 1);
}

// Newton's law with e = 1 and contacts at rest: all balls but the first go on together. The matrix that reverses the
// order of the contacts is conservative, and lets the last ball go alone. Poisson's law compresses all contacts at
// once, and agrees with Newton's.
static void chains_of_balls_follow_their_closed_forms(void** state) {
    (void)state;
    const char* const names[] = {"balls-3", "balls-4"};
    for (int k = 0; k < 2; k++) {
        const int n = 3 + k, p = n - 1;
        double reverse[9] = {0};
        for (int i = 0; i < p; i++) reverse[i * p + p - 1 - i] = 1;
        for (int law = 0; law < 4; law++) {
            sti_document* scene = load_scene(group_env, names[k]);
            sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
            o.law =
                (sti_impact_law[]){STI_IMPACT_NEWTON, STI_IMPACT_GENERAL, STI_IMPACT_GENERAL, STI_IMPACT_POISSON}[law];
            if (law == 2) o.E = reverse;
            sti_stepper* s = make_stepper(group_env, sti_system_of(scene), &o);
            const sti_step_report r = step_on(group_env, s);
            assert_int_equal(r.collisions, 1);
            assert_int_equal(r.relaxed, 0);
            assert_near(r.collision_energy, 0, 1e-13);
            for (int i = 0; i < n; i++) {
                const double together = i == 0 ? 2.0 / n - 1 : 2.0 / n, alone = i == n - 1 ? 1 : 0;
                assert_near(r.v_plus[i], law != 2 ? together : alone, 1e-13);
            }
            sti_stepper_destroy(s);
            sti_document_destroy(scene);
        }
    }
}

// A planar particle, S1 after Prop. 10 with erratum 18: v_t+ = v_t- - m proj([-1, 1]; (1 + e_t) v_t- / m), m = mu (1 +
// e) |v_n-|
static void tangential_restitution_follows_the_particle_formula(void** state) {
    (void)state;
    for (int k = 0; k < 40; k++) {
        few_contacts f;
        few_begin(&f, 2);
        f.M[0] = f.M[3] = 1;
        f.v[0] = -2 + 0.1 * k;
        f.v[1] = -1.5;
        sti_instant_contact* c = few_add(&f, (double[]){0, 1}, (double[]){1, 0}, 0.3, 0.5);
        c->restitution_t = 0.4;
        sti_collision* r = collide(&f, STI_IMPACT_NEWTON, NULL, true);
        const double m = 0.3 * 1.5 * 1.5;
        assert_near(r->v[0], f.v[0] - m * fmax(-1, fmin(1, 1.4 * f.v[0] / m)), 1e-12);
        assert_near(r->v[1], 0.75, 1e-12);
        sti_collision_destroy(group_env, r);
    }
}

// ---- Kane's pendulum: two rods of mass and length 1 swing down on a rough floor

static void kane(few_contacts* f, double e, double mu, double W[4]) {
    const double q[2] = {0.3490658503988659, 0.5235987755982988}, a = 4.0 / 3, b = cos(q[0] - q[1]) / 2, c = 1.0 / 3;
    const double n[2] = {sin(q[0]), sin(q[1])}, t[2] = {cos(q[0]), cos(q[1])}, det = a * c - b * b;
    few_begin(f, 2);
    f->M[0] = a;
    f->M[1] = f->M[2] = b;
    f->M[3] = c;
    f->v[0] = -0.1;
    f->v[1] = -0.2;
    few_add(f, n, t, mu, e);
    const double* rows[2] = {n, t};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            W[2 * i + j] = (c * rows[i][0] * rows[j][0] - b * (rows[i][0] * rows[j][1] + rows[i][1] * rows[j][0]) +
                            a * rows[i][1] * rows[j][1]) /
                           det;
}

// (68) with one contact, by its three modes; the change of energy.
static double kane_energy(const double W[4], const double u[2], double e, double mu, double after[2]) {
    for (int mode = -1; mode <= 1; mode++) {
        const double det = W[0] * W[3] - W[1] * W[2], right = -(1 + e) * u[0];
        double p[2];
        p[0] = mode == 0 ? (W[3] * right + W[1] * u[1]) / det : right / (W[0] - mode * mu * W[1]);
        p[1] = mode == 0 ? (-W[0] * u[1] - W[2] * right) / det : -mode * mu * p[0];
        for (int i = 0; i < 2; i++) after[i] = u[i] + W[2 * i] * p[0] + W[2 * i + 1] * p[1];
        if (p[0] < 0 || (mode == 0 ? fabs(p[1]) > mu * p[0] : mode * after[1] <= 0)) continue;
        return ((u[0] + after[0]) * p[0] + (u[1] + after[1]) * p[1]) / 2;
    }
    fail_msg("no mode");
    return NAN;
}

static void newtons_law_with_friction_gains_energy_and_is_drawn_back(void** state) {
    (void)state;
    int gains = 0;
    for (int k = 0; k < 60; k++) {
        few_contacts f;
        double W[4], after[2], u[2] = {0, 0};
        const double e = 0.25 * (1 + k % 4), mu = 0.1 * (1 + k / 4);
        kane(&f, e, mu, W);
        for (int i = 0; i < 2; i++) {
            u[0] += f.n[0][i] * f.v[i];
            u[1] += f.t[0][i] * f.v[i];
        }
        const double change = kane_energy(W, u, e, mu, after);
        sti_collision *raw = collide(&f, STI_IMPACT_NEWTON, NULL, false),
                      *r = collide(&f, STI_IMPACT_NEWTON, NULL, true);
        assert_near(raw->energy[2] - raw->energy[0], change, 1e-12);
        assert_near(f.n[0][0] * raw->v[0] + f.n[0][1] * raw->v[1], -e * u[0], 1e-12);
        assert_near(f.t[0][0] * raw->v[0] + f.t[0][1] * raw->v[1], after[1], 1e-12);
        assert_true(raw->kept == 1);
        admissible(&f, r);
        if (change > 1e-12) {
            assert_near(raw->gain, change, 1e-12);
            assert_near(r->gain, change, 1e-12);
            assert_near(r->energy[2], r->energy[0], 1e-12);
            assert_true(r->kept < 1 && strstr(r->why, "scaled back") != NULL);
            gains++;
        } else {
            assert_true(r->kept == 1 && r->gain == 0);
        }
        sti_collision_destroy(group_env, raw);
        sti_collision_destroy(group_env, r);
    }
    assert_true(gains >= 5);
}

// The analysis enumerates all modes of (68). Where it finds a solution that does not pull, it is the one here, or
// another of several.
static void outcomes_agree_with_the_analysis_of_impacts(void** state) {
    (void)state;
    sti_rng rng = {21};
    int same_ones = 0, pulls = 0;
    for (int trial = 0; trial < 200; trial++) {
        few_contacts f;
        const int n = sti_rng_int(&rng, 3, 5), p = sti_rng_int(&rng, 1, 2);
        few_begin(&f, n);
        for (int i = 0; i < n; i++) {
            f.M[i * n + i] = 0.5 + sti_rng_u01(&rng);
            f.v[i] = 2 * sti_rng_u01(&rng) - 1;
        }
        for (int c = 0; c < p; c++) {
            double normal[FEW_N], tangent[FEW_N], u = 0;
            for (int i = 0; i < n; i++) {
                normal[i] = 2 * sti_rng_u01(&rng) - 1;
                tangent[i] = 2 * sti_rng_u01(&rng) - 1;
                u += normal[i] * f.v[i];
            }
            for (int i = 0; u > 0 && i < n; i++) normal[i] = -normal[i];
            few_add(&f, normal, tangent, 0.5 * sti_rng_u01(&rng), 0)->restitution_t = 0.3 * sti_rng_u01(&rng);
        }
        for (int i = 0; i < p * p; i++) f.E[i] = 0.5 * sti_rng_u01(&rng);
        sti_impact_options io = sti_impact_options_default();
        io.E = f.E;
        sti_impact* other;
        must(group_env, sti_impact_create(group_env, &f.in, &io, &other));
        const sti_impact_answer* law = &other->laws[STI_IMPACT_FRICTION];
        sti_collision* k = collide(&f, STI_IMPACT_GENERAL, f.E, false);
        int fits = 0, pressing = 0;
        for (int j = 0; j < law->count; j++) {
            pressing += law->solutions[j].kinetic;
            double off = 0;
            for (int i = 0; i < n; i++) off = fmax(off, fabs(k->v[i] - law->solutions[j].v[i]));
            fits += law->solutions[j].kinetic && off <= 1e-8;
        }
        if (k->relaxed == 0) assert_true(!law->complete || fits >= 1);
        if (law->complete && pressing == 0) assert_true(k->relaxed > 0);
        same_ones += fits >= 1;
        pulls += k->relaxed > 0;
        sti_collision_destroy(group_env, k);
        sti_impact_destroy(group_env, other);
    }
    assert_true(same_ones > 100 && pulls > 5);
}

static void a_matrix_that_asks_a_gap_to_close_is_relaxed(void** state) {
    (void)state;
    few_contacts f;
    few_begin(&f, 2);
    f.M[0] = f.M[3] = 1;
    f.v[0] = f.v[1] = -1;
    few_add(&f, (double[]){1, 0}, NULL, 0, 0);
    few_add(&f, (double[]){0, 1}, NULL, 0, 0);
    const double E[4] = {0.5, 0, -1, 0.2};
    sti_collision* k = collide(&f, STI_IMPACT_GENERAL, E, true);
    assert_near(k->v[0], 0.5, 1e-14);
    assert_near(k->v[1], 0, 1e-14);
    assert_int_equal(k->relaxed, 1);
    sti_collision_destroy(group_env, k);
}

static void steppers_take_every_law(void** state) {
    (void)state;
    const sti_impact_law laws[] = {STI_IMPACT_POISSON, STI_IMPACT_POISSON_PRINTED, STI_IMPACT_MOREAU, STI_IMPACT_NEWTON,
                                   STI_IMPACT_GENERAL};
    const char* const names[] = {"planar-box", "disk-in-angle", "slider-crank", "particles-on-rod"};
    const double full[16] = {0.3, 0.2, 0, 0, 0.1, 0.3, 0, 0, 0, 0, 0.3, 0.2, 0, 0, 0.1, 0.3};
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
            sti_document* scene = load_scene(group_env, names[m]);
            sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
            o.law = laws[k];
            if (laws[k] == STI_IMPACT_GENERAL && m == 2) o.E = full;
            sti_stepper* s = make_stepper(group_env, sti_system_of(scene), &o);
            double least = INFINITY, size = 0;
            for (int l = 0; l < 30; l++) {
                const sti_step_report r = step_on(group_env, s);
                const double energy = r.kinetic + r.potential;
                size = fmax(size, fabs(energy));
                assert_true(energy <= least + 1e-11 * size && r.penetration <= 1e-9);
                least = fmin(least, energy);
            }
            sti_stepper_destroy(s);
            sti_document_destroy(scene);
        }
    }
}

static void wrong_requests_are_refused(void** state) {
    (void)state;
    sti_document* scene = load_scene(group_env, "balls-3");
    sti_stepper* s;
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    o.law = STI_IMPACT_FRICTION;
    assert_int_equal(sti_stepper_create(group_env, sti_system_of(scene), &o, &s), STI_ERR_ARGUMENT);
    o.law = STI_IMPACT_GENERAL;
    o.E = (double[]){0, NAN, 0, 0};
    assert_int_equal(sti_stepper_create(group_env, sti_system_of(scene), &o, &s), STI_ERR_ARGUMENT);
    assert_null(s);
    sti_document_destroy(scene);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    const double E[4] = {0, 1, 1, 0};
    for (long at = 0;; at++) {
        failing_env f;
        sti_document* scene = NULL;
        sti_stepper* s = NULL;
        failing_env_open(&f, -1);
        scene = load_scene(f.env, "balls-3");
        f.count = 0;
        f.fail_at = at;
        sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
        o.law = STI_IMPACT_GENERAL;
        o.E = E;
        sti_status status = sti_stepper_create(f.env, sti_system_of(scene), &o, &s);
        if (status == STI_OK) status = sti_stepper_step(s, NULL);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_stepper_destroy(s);
        sti_document_destroy(scene);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moreau_cases_of_s1),
        cmocka_unit_test(matrix_cases_of_s1),
        cmocka_unit_test(friction_cases_of_s1),
        cmocka_unit_test(chains_of_balls_follow_their_closed_forms),
        cmocka_unit_test(tangential_restitution_follows_the_particle_formula),
        cmocka_unit_test(newtons_law_with_friction_gains_energy_and_is_drawn_back),
        cmocka_unit_test(outcomes_agree_with_the_analysis_of_impacts),
        cmocka_unit_test(a_matrix_that_asks_a_gap_to_close_is_relaxed),
        cmocka_unit_test(steppers_take_every_law),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
