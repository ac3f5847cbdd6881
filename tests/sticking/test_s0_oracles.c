// Every visible reference case of S0, through the public functions. A case is recognized by its topic and by what it
// gives and expects, not by its number, so other cases of the same kinds run through the same code.
#include <math.h>

#include "support/failing_env.h"
#include "support/instant_tools.h"
#include "support/oracle.h"

static sti_env* env;
static const cJSON *in, *expected;
static double tol;
static int compared;

// ---- reading

static const cJSON* get(const cJSON* object, const char* name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static double number(const char* name) {
    const cJSON* item = get(in, name);
    if (item == NULL) fail_msg("input %s is missing", name);
    return cJSON_GetNumberValue(item);
}

static double number_or(const char* name, double other) {
    return get(in, name) != NULL ? cJSON_GetNumberValue(get(in, name)) : other;
}

static double entry(const cJSON* matrix, int i, int j) {
    return oracle_entry(cJSON_GetArrayItem(matrix, i), j);
}

static const char* text(const cJSON* item, const char* name) {
    const char* value = cJSON_GetStringValue(get(item, name));
    return value != NULL ? value : "";
}

// ---- comparing

static void near(const char* what, double value, double reference) {
    if (!(fabs(value - reference) <= tol * fmax(1, fabs(reference))))
        fail_msg("%s: %.14g, expected %.14g", what, value, reference);
    compared++;
}

static void near_list(const char* what, const double* value, const cJSON* list) {
    const int count = cJSON_GetArraySize(list);
    for (int i = 0; i < count; i++) near(what, value[i], oracle_entry(list, i));
}

static void near_matrix(const char* what, const sti_named* value, const cJSON* matrix) {
    assert_non_null(value);
    assert_int_equal(value->rows, cJSON_GetArraySize(matrix));
    for (int i = 0; i < value->rows; i++)
        for (int j = 0; j < value->cols; j++) near(what, value->value[i * value->cols + j], entry(matrix, i, j));
}

// The field `field` of what is expected, if there, against the number `name` of a proposition.
static void field(const sti_proposition* p, const char* name, const cJSON* object, const char* field_name) {
    const cJSON* item = get(object, field_name);
    if (item == NULL || cJSON_IsNull(item)) return;
    const sti_named* value = sti_proposition_number(p, name);
    if (value == NULL) fail_msg("proposition %s has no number %s", p != NULL ? p->id : "?", name);
    if (cJSON_IsBool(item))
        near(field_name, value->value[0], cJSON_IsTrue(item));
    else if (cJSON_IsNumber(item))
        near(field_name, value->value[0], cJSON_GetNumberValue(item));
    else if (cJSON_IsArray(cJSON_GetArrayItem(item, 0)))
        near_matrix(field_name, value, item);
    else
        near_list(field_name, value->value, item);
}

// Rays or lines as sets: each expected one is there, up to length (and sign for lines), and no other.
static void same_directions(const sti_named* value, const cJSON* list, bool lines) {
    assert_non_null(value);
    assert_int_equal(value->rows, cJSON_GetArraySize(list));
    for (int i = 0; i < value->rows; i++) {
        bool found = false;
        for (int k = 0; k < value->rows; k++) {
            double dot = 0, a = 0, b = 0;
            for (int j = 0; j < value->cols; j++) {
                const double v = value->value[k * value->cols + j], w = entry(list, i, j);
                dot += v * w;
                a += v * v;
                b += w * w;
            }
            found = found || (lines ? fabs(dot) : dot) >= (1 - 1e-12) * sqrt(a * b);
        }
        assert_true(found);
        compared++;
    }
}

// ---- instants

static tool_instant T;

static void add_contacts(const cJSON* normals, const cJSON* tangents, const cJSON* rates_n, const cJSON* rates_t,
                         const cJSON* mu, bool bilateral) {
    const int n = cJSON_GetArraySize(normals), m = cJSON_GetArraySize(cJSON_GetArrayItem(normals, 0));
    const int t = tangents != NULL ? cJSON_GetArraySize(cJSON_GetArrayItem(tangents, 0)) : 0;
    assert_int_equal(n, T.instant.n);
    const int each = t / m;
    for (int k = 0; k < m; k++) {
        const double coefficient = cJSON_IsArray(mu)    ? oracle_entry(mu, k)
                                   : cJSON_IsNumber(mu) ? cJSON_GetNumberValue(mu)
                                                        : 1;
        sti_instant_contact* c = tool_contact(&T, bilateral, each, coefficient);
        const int i = T.instant.contact_count - 1;
        for (int j = 0; j < n; j++) {
            T.n[i][j] = entry(normals, j, k);
            for (int h = 0; h < each; h++) T.t[i][h * n + j] = entry(tangents, j, k * each + h);
        }
        c->n_rate = rates_n != NULL ? oracle_entry(rates_n, k) : 0;
        for (int h = 0; h < each; h++) T.t_rate[i][h] = rates_t != NULL ? oracle_entry(rates_t, k * each + h) : 0;
    }
}

static void open_instant(int n) {
    tool_open(&T, n);
    const cJSON *M = get(in, "M"), *diagonal = get(in, "M_diag"), *F = get(in, "F");
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            T.M[i * n + j] = cJSON_IsArray(M)             ? entry(M, i, j)
                             : i == j && diagonal != NULL ? oracle_entry(diagonal, i)
                                                          : i == j;
        if (cJSON_IsArray(F)) T.F[i] = oracle_entry(F, i);
    }
}

static void general_instant(bool bilateral) {
    const cJSON* normals = get(in, "grad_hn");
    open_instant(cJSON_GetArraySize(normals));
    add_contacts(normals, get(in, "H_t"), get(in, "cdot_n"), get(in, "cdot_t"), get(in, "mu"), bilateral);
}

static sti_sticking* analyze(const sti_sticking_options* options) {
    sti_sticking* r;
    const sti_status status = sti_sticking_create(env, &T.instant, options, &r);
    if (status != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    sti_sticking_verification check;
    assert_int_equal(sti_verify_sticking(env, &T.instant, &r->answer, 1e-9, &check), STI_OK);
    if (r->answer.outcome != STI_STICKING_UNKNOWN && !check.accepted) fail_msg("not accepted: %s", check.text);
    return r;
}

static const sti_proposition* find(const sti_sticking* r, const char* id) {
    const sti_proposition* p = sti_proposition_find(r->answer.propositions, r->answer.proposition_count, id);
    if (p == NULL) fail_msg("no proposition %s", id);
    return p;
}

// ---- kinds

static void kkt_case(void) {  // proposition 1
    general_instant(true);
    sti_sticking* r = analyze(NULL);
    const sti_proposition *one = find(r, "P1.i"), *two = find(r, "P1.ii");
    field(one, "rank_C", expected, "rank_C");
    field(one, "number_of_multipliers", expected, "number_of_multipliers");
    field(one, "dim_kerM_cap_kerCT", expected, "dim_kerM_cap_kerCT");
    field(one, "Mb_invertible", expected, "Mb_invertible");
    field(two, "stacked_consistency", expected, "stacked_consistency_cdot_in_im_CT");
    field(two, "solvable_for_given_F", expected, "solvable_for_given_F");
    field(two, "separately_unique", expected, "grad_h_lambda_n_and_H_lambda_t_separately_unique");
    field(two, "qdd_unique", expected, "qdd_unique");
    if (cJSON_IsTrue(get(expected, "qdd_unique")) || get(expected, "qdd_unique") == NULL)
        field(two, "qdd", expected, "qdd");
    field(two, "C_lambda", expected, "C_lambda");
    const cJSON* lambda = get(expected, "lambda_n_then_lambda_t");
    const int m = T.instant.contact_count;
    for (int i = 0; lambda != NULL && i < cJSON_GetArraySize(lambda); i++) {
        const sti_named* v = sti_proposition_number(two, i < m ? "lambda_n" : "lambda_t");
        near("lambda", v->value[i < m ? i : i - m], oracle_entry(lambda, i));
    }
    sti_sticking_destroy(r);
}

static void independent_case(void) {  // proposition 2
    general_instant(true);
    sti_sticking* r = analyze(NULL);
    const sti_proposition* p = find(r, "P2");
    field(p, "G_nn", expected, "G_nn");
    field(p, "S_G", expected, "S_G");
    field(p, "lambda_n", expected, "lam_n");
    field(p, "lambda_t", expected, "lam_t");
    field(p, "qdd", expected, "qdd");
    field(p, "margins", expected, "margins");
    assert_int_equal(r->answer.outcome == STI_STICKING_YES, cJSON_IsTrue(get(expected, "all_sticking")));
    sti_sticking_destroy(r);
}

static void rod_case(void) {  // proposition 3: forces along a line
    const double m = number("m"), l = number("l_half"), theta = number("theta");
    tool_open(&T, 3);
    tool_mass(&T, (double[]){m, m, m * l * l / 3});
    T.F[1] = m * number("g");
    tool_contact(&T, true, 1, number("mu"));
    T.n[0][1] = T.t[0][0] = 1;
    T.n[0][2] = -l * cos(theta);
    T.t[0][2] = l * sin(theta);
    sti_sticking* r = analyze(NULL);
    const sti_proposition* p = find(r, "P3");
    const double *Wn = sti_proposition_number(p, "W_n")->value, *Wt = sti_proposition_number(p, "W_t")->value;
    near("an", Wn[1] * T.F[1], cJSON_GetNumberValue(get(expected, "an")));
    near("bn", -Wn[0], cJSON_GetNumberValue(get(expected, "bn")));
    near("at", Wt[1] * T.F[1], cJSON_GetNumberValue(get(expected, "at")));
    near("bt", -Wt[0], cJSON_GetNumberValue(get(expected, "bt")));
    sti_sticking_destroy(r);
    const double d[3] = {-1, 0, 0};
    sti_force_intervals list;
    assert_int_equal(sti_sticking_force_line(env, &T.instant, NULL, d, &list), STI_OK);
    const cJSON* intervals = get(expected, "intervals");
    assert_int_equal(list.count, cJSON_GetArraySize(intervals));
    for (int i = 0; i < list.count; i++) {
        const cJSON* pair = cJSON_GetArrayItem(intervals, i);
        for (int side = 0; side < 2; side++) {
            const double value = side == 0 ? list.low[i] : list.high[i];
            if (cJSON_IsNull(cJSON_GetArrayItem(pair, side)))
                assert_true(isinf(value));
            else
                near("interval", value, oracle_entry(pair, side));
        }
    }
    sti_force_intervals_clear(env, &list);
}

static void redundant_case(void) {  // lemma 1, (31), proposition 5
    general_instant(true);
    sti_sticking* r = analyze(NULL);
    const sti_proposition *one = find(r, "L1"), *five = find(r, "P5");
    field(one, "rank_E", expected, "rank_E");
    field(one, "rank_D", expected, "rank_D");
    field(one, "Q_nonsingular", expected, "Q_nonsingular");
    field(one, "Q", expected, "Q");
    assert_int_equal(r->kkt_solvable, cJSON_IsTrue(get(expected, "consistent")));
    field(five, "qdd", expected, "qdd");
    field(five, "lambda_n", expected, "lam_n");
    field(five, "lambda_t", expected, "lam_t");
    field(five, "margins", expected, "margins_of_minimum_norm_solution");
    assert_int_equal(r->least_sticks, cJSON_IsTrue(get(expected, "minimum_norm_solution_sticks")));
    sti_sticking_destroy(r);
}

// The planar block of S0 figure 2: corner 1 at (+L/2, -l/2), corner 2 at (-L/2, -l/2).
static void block(double m, double l, double L, double theta, double rate, int corner, double mu) {
    tool_open(&T, 3);
    tool_mass(&T, (double[]){m, m, m * (l * l + L * L) / 12});
    for (int j = 0; j < 3; j++) T.F[j] = oracle_entry(get(in, "F"), j);
    for (int c = 1; c <= 2; c++) {
        if (corner != 0 && c != corner) continue;
        sti_instant_contact* contact = tool_contact(&T, false, 1, mu);
        const int i = T.instant.contact_count - 1;
        const double side = c == 1 ? 1 : -1, s = sin(theta), k = cos(theta);
        T.n[i][1] = T.t[i][0] = 1;
        T.n[i][2] = l / 2 * s + side * L / 2 * k;
        T.t[i][2] = l / 2 * k - side * L / 2 * s;
        contact->n_rate = (l / 2 * k - side * L / 2 * s) * rate * rate;
        T.t_rate[i][0] = -(l / 2 * s + side * L / 2 * k) * rate * rate;
    }
}

static void corner_case(void) {  // example 2
    block(number("m"), number("l"), number("L"), number("theta"), number_or("thetadot", 0), 2, number("mu"));
    sti_sticking* r = analyze(NULL);
    const sti_proposition *six = find(r, "P6.i"), *whole = find(r, "E43");
    field(six, "A_c", expected, "A_c");
    field(six, "minus_grad_h_Mc_F", expected, "minus_grad_h_Mc_F");
    field(six, "H_c", expected, "H_c");
    field(whole, "lambda_n", expected, "lam_n");
    field(whole, "lambda_t", expected, "lam_t");
    field(whole, "qdd", expected, "qdd");
    field(whole, "a_n", expected, "a_n");
    assert_int_equal(r->answer.outcome == STI_STICKING_YES, cJSON_IsTrue(get(expected, "sticking")));
    if (cJSON_IsNumber(get(expected, "required_mu")))
        near("required_mu", r->least_common.mu, cJSON_GetNumberValue(get(expected, "required_mu")));
    sti_sticking_destroy(r);
}

static void groove_case(void) {  // proposition 6, redundant
    general_instant(false);
    sti_sticking* r = analyze(NULL);
    const sti_proposition *one = find(r, "P6.i"), *two = find(r, "P6.ii");
    field(one, "A_c", expected, "A_c");
    field(one, "H_c", expected, "H_c");
    field(one, "rank_gradh_H", expected, "rank_gradh_H");
    field(one, "eigenvalues", expected, "eigenvalues");
    field(find(r, "P6.iii"), "qdd", expected, "qdd");
    const cJSON* null_vector = cJSON_CreateArray();
    cJSON_AddItemReferenceToArray((cJSON*)null_vector, (cJSON*)get(expected, "null_vector"));
    same_directions(sti_proposition_number(two, "null_vectors"), null_vector, true);
    cJSON_Delete((cJSON*)null_vector);
    field(two, "basic_solutions", expected, "basic_solutions");
    sti_sticking_destroy(r);
}

static void feasibility_case(void) {  // proposition 7: several instants in one case
    const cJSON *item, *whole = in;
    cJSON_ArrayForEach(item, expected) {
        const cJSON* part = get(get(whole, "cases"), text(item, "case"));
        open_instant(cJSON_GetArraySize(get(whole, "M")));
        add_contacts(get(part, "grad_hn"), get(whole, "H_t"), get(part, "cdot_n"), get(part, "cdot_t"), NULL, false);
        sti_sticking* r = analyze(NULL);
        const sti_proposition *seven = find(r, "P7"), *solved = find(r, "E43");
        field(seven, "feasible", item, "feasible");
        field(seven, "literal_reading_feasible", item, "literal_reading_feasible");
        field(solved, "qdd", item, "qdd");
        field(solved, "lambda_n", item, "lam_n");
        field(solved, "lambda_t", item, "lam_t");
        sti_sticking_destroy(r);
    }
}

static void set_E_case(void) {  // proposition 8
    // columns of H_t that belong to no contact are bilateral constraints without friction: the set E is the same
    const cJSON *normals = get(in, "grad_hn"), *tangents = get(in, "H_t");
    const int n = cJSON_GetArraySize(normals), m = cJSON_GetArraySize(cJSON_GetArrayItem(normals, 0));
    const int t = cJSON_GetArraySize(cJSON_GetArrayItem(tangents, 0));
    open_instant(n);
    for (int k = 0; k < m; k++) {
        sti_instant_contact* c = tool_contact(&T, false, k < t ? 1 : 0, 1);
        c->n_rate = oracle_entry(get(in, "cdot_n"), k);
        for (int j = 0; j < n; j++) T.n[k][j] = entry(normals, j, k);
        for (int j = 0; j < n && k < t; j++) T.t[k][j] = entry(tangents, j, k);
        if (k < t) T.t_rate[k][0] = oracle_entry(get(in, "cdot_t"), k);
    }
    for (int k = m; k < t; k++) {
        sti_instant_contact* c = tool_contact(&T, true, 0, 0);
        c->n_rate = oracle_entry(get(in, "cdot_t"), k);
        for (int j = 0; j < n; j++) T.n[k][j] = entry(tangents, j, k);
    }
    sti_sticking* r = analyze(NULL);
    const sti_proposition *eight = find(r, "P8.i"), *solved = find(r, "E43");
    const cJSON* E = get(expected, "E");
    field(eight, "E_trivial", expected, "E_trivial");
    same_directions(sti_proposition_number(eight, "x_rays"), get(E, "x_rays"), false);
    same_directions(sti_proposition_number(eight, "x_lines"), get(E, "x_lines"), true);
    same_directions(sti_proposition_number(eight, "y_rays"), get(E, "y_rays"), false);
    same_directions(sti_proposition_number(eight, "y_lines"), get(E, "y_lines"), true);
    field(solved, "solvable", expected, "solvable");
    field(solved, "M_qdd", expected, "M_qdd");
    const cJSON *ln = get(expected, "lam_n"), *lt = get(expected, "lam_t");
    const sti_named *value_n = sti_proposition_number(solved, "lambda_n"),
                    *value_t = sti_proposition_number(solved, "lambda_t");
    for (int k = 0; cJSON_IsArray(ln) && k < m; k++) near("lam_n", value_n->value[k], oracle_entry(ln, k));
    for (int k = 0; cJSON_IsArray(lt) && k < t; k++)
        near("lam_t", k < m ? value_t->value[k] : value_n->value[k], oracle_entry(lt, k));
    field(solved, "a_n", expected, "a_n");
    sti_sticking_destroy(r);
}

static void two_feet(double mu) {
    const double l = number("l"), L = number("L"), m = number("m");
    block(m, l, L, number_or("theta", 0), 0, 0, mu);
}

static void feet_case(void) {  // corollary 2, examples 1 and 4
    two_feet(number("mu_for_decision"));
    sti_sticking* r = analyze(NULL);
    const sti_proposition *two = find(r, "C2"), *eight = find(r, "P8.i"), *solved = find(r, "E43");
    field(two, "rank_H", expected, "rank_H");
    field(two, "imH_cap_N_trivial", expected, "imH_cap_N_trivial");
    same_directions(sti_proposition_number(eight, "y_lines"), get(expected, "E_y_lines"), true);
    field(eight, "E_trivial", expected, "E_trivial");
    field(solved, "qdd", expected, "qdd");
    field(solved, "lambda_n", expected, "lam_n");
    const double* lt = sti_proposition_number(solved, "lambda_t")->value;
    near("sum_lam_t", lt[0] + lt[1], cJSON_GetNumberValue(get(expected, "sum_lam_t")));
    near("mu_min", r->least_common.mu, cJSON_GetNumberValue(get(expected, "mu_min")));
    assert_int_equal(r->answer.outcome == STI_STICKING_YES, cJSON_IsTrue(get(expected, "sticking_for_mu_0_5")));
    sti_sticking_destroy(r);
}

static void discs_case(void) {  // propositions 9 and 10
    general_instant(false);
    sti_sticking* r = analyze(NULL);
    const sti_proposition *nine = find(r, "P9.ii"), *ten = find(r, "P10");
    field(nine, "A_c", expected, "A_c");
    field(nine, "H_c", expected, "H_c");
    field(nine, "lambda_n", expected, "lam_n");
    field(nine, "F_tilde", expected, "F_tilde");
    field(nine, "lambda_t", expected, "lam_t");
    field(nine, "ratios", expected, "ratios");
    field(nine, "qdd", expected, "qdd");
    field(ten, "minimum_polygon", expected, "qp_octagon_min");
    field(ten, "z_polygon", expected, "z_octagon");
    field(ten, "minimum_disc", expected, "qp_disk_min");
    field(ten, "z_disc", expected, "z_disk");
    field(ten, "sticks_disc", expected, "sticking_disk");
    field(ten, "sticks_polygon", expected, "sticking_octagon");
    assert_int_equal(r->answer.opening.outcome == STI_STICKING_YES, cJSON_IsTrue(get(expected, "sticking_disk")));
    sti_sticking_destroy(r);
}

static void least_friction(void) {
    sti_sticking_options options = sti_sticking_options_default();
    sti_sticking* r = analyze(&options);
    near("mu_min", r->least_common.mu, cJSON_GetNumberValue(get(expected, "mu_min")));
    const cJSON* X = get(expected, "optimal_internal_force_X");
    if (X != NULL) {  // force along x at the first contact
        const double* lambda = r->least_common.lambda;
        near("X", T.n[0][0] * lambda[0] + T.t[0][0] * lambda[1], cJSON_GetNumberValue(X));
    }
    sti_sticking_destroy(r);
}

static void table_case(void) {  // a table on legs at (+-x, +-y, z)
    double x, y, z;
    assert_int_equal(sscanf(text(in, "legs"), "(+-%lf,+-%lf,%lf)", &x, &y, &z), 3);
    open_instant(6);
    for (int leg = 0; leg < 4; leg++) {
        const double p[3] = {leg % 2 ? -x : x, leg / 2 ? -y : y, z};
        tool_contact(&T, false, 2, 1);
        const double axis[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
        for (int k = 0; k < 3; k++) {
            double* row = k == 0 ? T.n[leg] : T.t[leg] + (k - 1) * 6;
            for (int j = 0; j < 3; j++) row[j] = axis[k][j];
            row[3] = p[1] * axis[k][2] - p[2] * axis[k][1];
            row[4] = p[2] * axis[k][0] - p[0] * axis[k][2];
            row[5] = p[0] * axis[k][1] - p[1] * axis[k][0];
        }
    }
    least_friction();
}

static void tipping_case(void) {  // (61) against (43)
    two_feet(1);
    sti_sticking* r = analyze(NULL);
    const cJSON *a = get(expected, "eq61"), *b = get(expected, "eq43");
    const sti_proposition *five = find(r, "P5"), *solved = find(r, "E43");
    const double *lt = sti_proposition_number(five, "lambda_t")->value,
                 *lt43 = sti_proposition_number(solved, "lambda_t")->value;
    field(five, "lambda_n", a, "lam_n");
    field(five, "qdd", a, "qdd");
    near("sum_lam_t", lt[0] + lt[1], cJSON_GetNumberValue(get(a, "sum_lam_t")));
    const double* ln = sti_proposition_number(five, "lambda_n")->value;
    assert_int_equal(ln[0] >= 0 && ln[1] >= 0, cJSON_IsTrue(get(a, "b_satisfied")));
    field(solved, "lambda_n", b, "lam_n");
    field(solved, "qdd", b, "qdd");
    field(solved, "a_n", b, "a_n");
    near("sum_lam_t", lt43[0] + lt43[1], cJSON_GetNumberValue(get(b, "sum_lam_t")));
    sti_sticking_destroy(r);
}

static void coupling_case(void) {  // proposition 12
    open_instant(cJSON_GetArraySize(get(in, "grad_hnu")));
    add_contacts(get(in, "grad_hnu"), get(in, "H_tu"), NULL, NULL, NULL, false);
    add_contacts(get(in, "grad_hnb"), get(in, "H_tb"), NULL, NULL, NULL, true);
    sti_sticking* r = analyze(NULL);
    const sti_proposition* p = find(r, "P12");
    field(p, "lhs", expected, "lhs");
    field(p, "rhs", expected, "rhs");
    field(p, "A_c", expected, "A_c");
    field(p, "A_c_positive_definite", expected, "A_c_positive_definite");
    assert_int_equal(p->verdict == STI_HOLDS, cJSON_IsTrue(get(expected, "inequality_holds")));
    sti_sticking_destroy(r);
}

// Block with a pendulum on top (S0 example 3, appendix D with the physical kinetic energy), theta = 0.
static void pendulum_case(void) {
    const double m = number("m"), mb = number("mbar"), l = number("l"), L = number("L"), a = number("a"),
                 g = number("g");
    const cJSON *q = get(in, "q"), *v = get(in, "qdot");
    const double theta = oracle_entry(q, 2), alpha = oracle_entry(q, 3), w = v != NULL ? oracle_entry(v, 3) : 0;
    const double Ip = mb * a * a / 12, IG = m * (l * l + L * L) / 12;
    // velocity of the pendulum's centre: J (theta', alpha')
    const double s = sin(alpha + theta), c = cos(alpha + theta);
    const double J[2][2] = {{-a / 2 * s - l / 2 * cos(theta), -a / 2 * s}, {a / 2 * c - l / 2 * sin(theta), a / 2 * c}};
    tool_open(&T, 4);
    double(*M)[4] = (double(*)[4])T.M;
    M[0][0] = M[1][1] = m + mb;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            M[i][2 + k] = M[2 + k][i] = mb * J[i][k];
            M[2 + i][2 + k] = mb * (J[0][i] * J[0][k] + J[1][i] * J[1][k]) + Ip;
        }
    }
    M[2][2] += IG;
    const cJSON* reference = get(expected, "M");
    for (int i = 0; reference != NULL && i < 4; i++)
        for (int k = 0; k < 4; k++) near("M", M[i][k], entry(reference, i, k));
    if (v == NULL) return;
    assert_true(theta == 0 && oracle_entry(v, 2) == 0);
    // at theta' = 0 only alpha'^2 enters: acceleration -(a/2) w^2 (c, s) of the pendulum's centre
    const double pull[2] = {-mb * a / 2 * w * w * c, -mb * a / 2 * w * w * s + mb * g};
    T.F[0] = pull[0];
    T.F[1] = pull[1] + m * g;
    for (int k = 0; k < 2; k++) T.F[2 + k] = J[0][k] * pull[0] + J[1][k] * pull[1];
    for (int corner = 0; corner < 2; corner++) {
        tool_contact(&T, false, 1, 1);
        T.n[corner][1] = T.t[corner][0] = 1;
        T.n[corner][2] = (corner == 0 ? 1 : -1) * L / 2;
        T.t[corner][2] = l / 2;
    }
    sti_sticking* r = analyze(NULL);
    const sti_proposition* solved = find(r, "E43");
    field(solved, "qdd", expected, "qdd");
    field(solved, "lambda_n", expected, "lam_n");
    const double* lt = sti_proposition_number(solved, "lambda_t")->value;
    near("sum_lam_t", lt[0] + lt[1], cJSON_GetNumberValue(get(expected, "sum_lam_t")));
    near("mu_min", r->least_common.mu, cJSON_GetNumberValue(get(expected, "mu_min")));
    sti_sticking_destroy(r);
}

// Three fingers, q = (x, y, theta, x1, y2, x3) (S0 example 5, corrected). Material points; normal and tangent of each.
static void fingers(const double* mu, const double (*tip)[2], double theta, bool below) {
    const double s = sin(theta), c = cos(theta);
    const double n[3][2] = {
        {c, s}, {below ? -s : s, below ? c : -c}, {-c, -s}};  // grad of the gap with respect to (x, y)
    const double t[3][2] = {{s, -c}, {c, s}, {s, -c}};
    for (int i = 0; i < 3; i++) {
        tool_contact(&T, false, 1, mu[i]);
        // the finger moves along x (1, 3) or y (2); gap = (object point - tip).n up to a constant
        const double r[2] = {tip[i][0], tip[i][1]};
        T.n[i][0] = n[i][0];
        T.n[i][1] = n[i][1];
        T.n[i][2] = n[i][1] * r[0] - n[i][0] * r[1];
        T.t[i][0] = -t[i][0];
        T.t[i][1] = -t[i][1];
        T.t[i][2] = -(t[i][1] * r[0] - t[i][0] * r[1]);
        const int axis = i == 1 ? 1 : 0;
        T.n[i][3 + i] = -n[i][axis];
        T.t[i][3 + i] = t[i][axis];
    }
}

static void fingers_case(void) {
    const double L = number("L"), l = number("l"), m = number("m");
    const cJSON *tips = get(in, "finger_tips"), *masses = get(in, "finger_masses"), *G = get(in, "G");
    double tip[3][2], mu[3];
    for (int i = 0; i < 3; i++) {
        mu[i] = oracle_entry(get(in, "mu"), i);
        for (int k = 0; k < 2; k++) tip[i][k] = entry(tips, i, k) - oracle_entry(G, k);
    }
    tool_open(&T, 6);
    tool_mass(&T, (double[]){m, m, m * (L * L + l * l) / 12, oracle_entry(masses, 0), oracle_entry(masses, 1),
                             oracle_entry(masses, 2)});
    for (int j = 0; j < 6; j++) T.F[j] = oracle_entry(get(in, "F"), j);
    fingers(mu, (const double(*)[2])tip, number("theta"), strstr(text(in, "finger2"), "bottom") != NULL);
    const cJSON *normals = get(expected, "grad_hn"), *tangents = get(expected, "H_t");
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 6; j++) {
            near("grad_hn", T.n[i][j], entry(normals, j, i));
            near("H_t", T.t[i][j], entry(tangents, j, i));
        }
    }
    sti_sticking* r = analyze(NULL);
    const sti_proposition* p = find(r, "P2");
    near("rank", r->rank_C, cJSON_GetNumberValue(get(expected, "rank")));
    field(p, "lambda_n", expected, "lam_n");
    field(p, "lambda_t", expected, "lam_t");
    field(p, "qdd", expected, "qdd");
    field(p, "margins", expected, "margins");
    assert_int_equal(r->answer.outcome == STI_STICKING_YES, cJSON_IsTrue(get(expected, "all_sticking")));
    sti_sticking_destroy(r);
}

static void finger_forces_case(void) {  // for which finger forces
    const double L = number("L"), l = number("l"), m = number("m"), g = number("g");
    const cJSON* offsets = get(in, "offsets");
    const bool below = get(offsets, "bottom") != NULL;
    const double tip[3][2] = {{-L / 2, cJSON_GetNumberValue(get(offsets, "left"))},
                              {cJSON_GetNumberValue(get(offsets, below ? "bottom" : "top")), below ? -l / 2 : l / 2},
                              {L / 2, cJSON_GetNumberValue(get(offsets, "right"))}};
    double mu[3];
    for (int i = 0; i < 3; i++) mu[i] = oracle_entry(get(in, "mu"), i);
    tool_open(&T, 6);
    tool_mass(&T, (double[]){m, m, m * (L * L + l * l) / 12, 1, 1, 1});
    T.F[1] = m * g;
    fingers(mu, tip, 0, below);
    sti_sticking* r = analyze(NULL);
    const sti_proposition* p = find(r, "P3");
    const double* W = sti_proposition_number(p, "W_t")->value;
    const double B[6][3] = {{0}, {0}, {0}, {-1, 0, 0}, {0, below ? -1 : 1, 0}, {0, 0, 1}};  // F = F0 + B P
    for (int i = 0; i < 3; i++) {
        near("b", W[i * 6 + 1] * m * g, oracle_entry(get(expected, "b"), i));
        for (int k = 0; k < 3; k++) near("B", W[i * 6 + 3 + k] * B[3 + k][k], entry(get(expected, "B"), i, k));
    }
    sti_sticking_destroy(r);
    // least P1 = P3 at P2 = 2, then least P1 + P3
    const double squeeze[12] = {0, 0, 0, 0, 0, 0, -1, 0, 0, B[4][1], 1, 0};
    const double equal_cost[2] = {1, 0}, low[2] = {-INFINITY, 2}, high[2] = {INFINITY, 2};
    sti_force_choice choice = {.count = 2, .B = squeeze, .cost = equal_cost, .low = low, .high = high};
    sti_force_answer best;
    assert_int_equal(sti_sticking_force(env, &T.instant, NULL, &choice, &best), STI_OK);
    near("min_equal_squeeze", best.value, cJSON_GetNumberValue(get(expected, "min_equal_squeeze")));
    sti_force_answer_clear(env, &best);
    const double cost[3] = {1, 0, 1}, low3[3] = {-INFINITY, 2, -INFINITY}, high3[3] = {INFINITY, 2, INFINITY};
    choice = (sti_force_choice){.count = 3, .B = &B[0][0], .cost = cost, .low = low3, .high = high3};
    assert_int_equal(sti_sticking_force(env, &T.instant, NULL, &choice, &best), STI_OK);
    near("lp_min", best.value, cJSON_GetNumberValue(get(expected, "lp_min_P1_plus_P3")));
    near_list("lp_minimiser", best.f, get(expected, "lp_minimiser"));
    sti_force_answer_clear(env, &best);
}

// A mass between two fingers with a guide (S0 example 6): contacts: the guide, then the fingers.
static void guided(bool moving) {
    const int n = moving ? 6 : 4, finger[2] = {2, moving ? 4 : 3};
    const cJSON* F = get(in, "F");
    tool_open(&T, n);
    for (int j = 0; j < n; j++) T.M[j * n + j] = 1;
    if (!moving) {
        tool_mass(&T, (double[]){number("m"), number("m"), number("m1"), number("m2")});
        T.F[1] = number("m") * number("g");
        T.F[2] = number("F1");
        T.F[3] = number("F2");
    } else {
        for (int j = 0; j < n; j++) T.F[j] = oracle_entry(F, j);
    }
    tool_contact(&T, true, 0, 0);
    T.n[0][0] = 1;
    for (int i = 0; i < 2; i++) {
        tool_contact(&T, false, 1, number(i == 0 ? "mu1" : "mu2"));
        T.n[1 + i][0] = i == 0 ? 1 : -1;
        T.n[1 + i][finger[i]] = i == 0 ? -1 : 1;
        T.t[1 + i][1] = 1;
        if (moving) T.t[1 + i][finger[i] + 1] = -1;
    }
}

static void guided_case(void) {
    const bool moving = get(in, "masses") != NULL;
    guided(moving);
    sti_sticking* r = analyze(NULL);
    const sti_proposition* five = find(r, "P5");
    const double *ln = sti_proposition_number(five, "lambda_n")->value,
                 *lt = sti_proposition_number(five, "lambda_t")->value;
    near("lam_nb", ln[0], cJSON_GetNumberValue(get(expected, "lam_nb")));
    near_list("lam_nu", ln + 1, get(expected, "lam_nu"));
    field(five, "qdd", expected, "qdd");
    assert_int_equal(r->answer.outcome == STI_STICKING_YES, cJSON_IsTrue(get(expected, "all_sticking")));
    if (get(expected, "sum_lam_t") != NULL)
        near("sum_lam_t", lt[0] + lt[1], cJSON_GetNumberValue(get(expected, "sum_lam_t")));
    if (get(expected, "capacity") != NULL)
        near("capacity", T.contact[1].mu * ln[1] + T.contact[2].mu * ln[2],
             cJSON_GetNumberValue(get(expected, "capacity")));
    if (cJSON_IsArray(get(expected, "lam_t"))) near_list("lam_t", lt, get(expected, "lam_t"));
    if (cJSON_IsArray(get(expected, "margins"))) near_list("margins", r->margins_least + 1, get(expected, "margins"));
    const cJSON* interval = get(expected, "lam_t1_interval");
    if (cJSON_IsArray(interval)) {
        near("interval", r->lower[2], oracle_entry(interval, 0));
        near("interval", r->upper[2], oracle_entry(interval, 1));
    } else if (interval != NULL) {
        assert_null(r->lower);
    }
    sti_sticking_destroy(r);
}

static void belt_case(void) {  // proposition 13
    const double m = number("m"), l = number("l"), L = number("L");
    const cJSON *sliding = get(in, "sliding"), *sticking = get(in, "sticking");
    const cJSON *normals = get(in, "grad_hn_columns_1_2"), *tangents = get(in, "H_t_columns_1_2");
    open_instant(3);
    tool_mass(&T, (double[]){m, m, m * (l * l + L * L) / 12});
    add_contacts(normals, tangents, NULL, NULL, NULL, false);
    const int slide = text(sliding, "contact")[0] - '1', stick = 1 - slide;
    T.contact[slide].state = STI_INSTANT_SLIDE;
    T.contact[slide].mu = T.contact[slide].mu_kinetic = cJSON_GetNumberValue(get(sliding, "mu"));
    T.contact[stick].state = STI_INSTANT_STICK;
    T.contact[stick].mu = cJSON_GetNumberValue(get(sticking, "mu"));
    T.v[0] = cJSON_GetNumberValue(get(sliding, "sign_vt"));
    sti_sticking* r = analyze(NULL);
    const sti_proposition* p = find(r, "P13");
    field(p, "A", expected, "A");
    field(p, "b", expected, "b");
    const cJSON *solutions = get(expected, "solutions"), *one;
    near("solutions", sti_proposition_number(p, "solutions")->value[0], cJSON_GetArraySize(solutions));
    cJSON_ArrayForEach(one, solutions) {  // as a set: the one with this lambda_n
        const sti_named *ln = sti_proposition_number(p, "lambda_n"), *lambda = sti_proposition_number(p, "lambda");
        const sti_named *a = sti_proposition_number(p, "qdd"), *a_n = sti_proposition_number(p, "a_n");
        int k = 0;
        while (k < ln->rows && fabs(ln->value[2 * k] - cJSON_GetNumberValue(get(one, "lam_n_st"))) > 1e-6) k++;
        assert_true(k < ln->rows);
        near("lam_n_st", ln->value[2 * k], cJSON_GetNumberValue(get(one, "lam_n_st")));
        near("lam_n_sl", ln->value[2 * k + 1], cJSON_GetNumberValue(get(one, "lam_n_sl")));
        near("lam_t_st", lambda->value[4 * k + 2 * stick + 1], cJSON_GetNumberValue(get(one, "lam_t_st")));
        near("lam_t_sl", lambda->value[4 * k + 2 * slide + 1], cJSON_GetNumberValue(get(one, "lam_t_sl")));
        near_list("qdd", a->value + 3 * k, get(one, "qdd"));
        near("a_n_st", a_n->value[2 * k + stick], cJSON_GetNumberValue(get(one, "a_n_st")));
        near("a_n_sl", a_n->value[2 * k + slide], cJSON_GetNumberValue(get(one, "a_n_sl")));
        if (cJSON_IsNumber(get(one, "required_mu_st")))
            near("required", sti_proposition_number(p, "required_mu")->value[k],
                 cJSON_GetNumberValue(get(one, "required_mu_st")));
        near("admissible", sti_proposition_number(p, "admissible")->value[k],
             cJSON_IsTrue(get(one, "sticking_admissible")));
    }
    sti_sticking_destroy(r);
}

static void plank_case(void) {  // section 5 in space: plank slides on the plane, block sticks on the plank
    const double plank = number("m_plank"), load = number("m_block");
    const cJSON *g = get(in, "gravity_in_plane_frame"), *d = get(in, "slide_direction"),
                *push = get(in, "force_on_block");
    tool_open(&T, 6);
    tool_mass(&T, (double[]){plank, plank, plank, load, load, load});
    for (int k = 0; k < 3; k++) {
        T.F[k] = -plank * oracle_entry(g, k);
        T.F[3 + k] = -load * oracle_entry(g, k) - (k < 2 ? oracle_entry(push, k) : 0);
    }
    for (int k = 0; k < 2; k++) T.v[k] = T.v[3 + k] = oracle_entry(d, k);
    tool_contact(&T, false, 2, number("mu_stick"))->state = STI_INSTANT_STICK;
    tool_contact(&T, false, 2, number("mu_slide"))->state = STI_INSTANT_SLIDE;
    T.n[0][5] = T.n[1][2] = 1;
    T.n[0][2] = -1;
    for (int k = 0; k < 2; k++) {
        T.t[0][k * 6 + 3 + k] = T.t[1][k * 6 + k] = 1;
        T.t[0][k * 6 + k] = -1;
    }
    sti_sticking* r = analyze(NULL);
    assert_int_equal(r->answer.outcome == STI_STICKING_YES, cJSON_IsTrue(get(expected, "admissible")));
    const sti_proposition* p = find(r, "P13");
    const double *lambda = sti_proposition_number(p, "lambda")->value, *a = sti_proposition_number(p, "qdd")->value;
    near_list("qdd", a, get(expected, "qdd"));
    near("lam_n_st", lambda[0], cJSON_GetNumberValue(get(expected, "lam_n_st")));
    near("lam_n_sl", lambda[3], cJSON_GetNumberValue(get(expected, "lam_n_sl")));
    near_list("lam_t_st", lambda + 1, get(expected, "lam_t_st"));
    near("required_mu", sti_proposition_number(p, "required_mu")->value[0],
         cJSON_GetNumberValue(get(expected, "required_mu")));
    sti_sticking_destroy(r);
}

static void rest_case(void) {  // one contact at rest: all solutions for each wrench
    const cJSON *J = get(in, "J"), *r = get(in, "r"), *wrench;
    double rows[3][6];
    const char* const names[3] = {"n", "t1", "t2"};
    for (int k = 0; k < 3; k++) {
        const cJSON* v = get(in, names[k]);
        for (int j = 0; j < 3; j++) {
            rows[k][j] = oracle_entry(v, j);
            rows[k][3 + j] = oracle_entry(r, (j + 1) % 3) * oracle_entry(v, (j + 2) % 3) -
                             oracle_entry(r, (j + 2) % 3) * oracle_entry(v, (j + 1) % 3);
        }
    }
    double G[9] = {0};
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 6; j++)
            G[i] += rows[i / 3][j] * rows[i % 3][j] / (j < 3 ? number("m") : oracle_entry(J, j - 3));
    cJSON_ArrayForEach(wrench, get(in, "applied_wrenches")) {
        double b[3] = {0};
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 6; j++)
                b[k] += rows[k][j] * oracle_entry(wrench, j) / (j < 3 ? number("m") : oracle_entry(J, j - 3));
        sti_rest_solution list[STI_REST_MOST];
        int count;
        assert_int_equal(sti_contact_at_rest(env, 3, G, b, number("mu"), list, &count), STI_OK);
        const cJSON *want = get(expected, wrench->string), *one;
        assert_int_equal(count, cJSON_GetArraySize(want));
        cJSON_ArrayForEach(one, want) {
            bool found = false;
            for (int i = 0; i < count; i++) {
                double off = 0;
                for (int k = 0; k < 3; k++) {
                    off = fmax(off, fabs(list[i].lambda[k] - oracle_entry(get(one, "lam"), k)));
                    off = fmax(off, fabs(list[i].acceleration[k] - oracle_entry(get(one, "a"), k)));
                }
                found = found || (strcmp(sti_rest_text(list[i].mode), text(one, "mode")) == 0 && off < 20 * tol);
            }
            assert_true(found);
            compared++;
        }
    }
}

static void law_case(void) {  // fixed point
    const cJSON* tests = get(in, "tests");
    for (int i = 0; i < cJSON_GetArraySize(tests); i++) {
        const cJSON *one = cJSON_GetArrayItem(tests, i), *want = cJSON_GetArrayItem(expected, i);
        double lambda[2], v[2], projection[2], residual;
        const int count = cJSON_GetArraySize(get(one, "lam_t"));
        for (int k = 0; k < count; k++) {
            lambda[k] = oracle_entry(get(one, "lam_t"), k);
            v[k] = oracle_entry(get(one, "v_t"), k);
        }
        const bool holds = sti_friction_fixed_point(
            count, lambda, v, cJSON_GetNumberValue(get(one, "lam_n")), cJSON_GetNumberValue(get(one, "mu")),
            cJSON_GetNumberValue(get(one, "rho")), 1e-12, projection, &residual);
        near_list("projection", projection, get(want, "projection"));
        near("residual", residual, cJSON_GetNumberValue(get(want, "residual")));
        assert_int_equal(holds, cJSON_IsTrue(get(want, "satisfies")));
    }
}

static void ladder_case(void) {  // (65): bilateral slot and unilateral wall
    const double m = number("m"), l = number("l_half");
    tool_open(&T, 3);
    tool_mass(&T, (double[]){m, m, m * l * l / 3});
    const cJSON* columns[4] = {get(in, "grad_hnb"), get(in, "H_tb"), get(in, "grad_hnu"), get(in, "H_tu")};
    tool_contact(&T, true, 1, 1);
    tool_contact(&T, false, 1, 1);
    for (int j = 0; j < 3; j++) {
        T.F[j] = oracle_entry(get(in, "F"), j);
        T.n[0][j] = oracle_entry(columns[0], j);
        T.t[0][j] = oracle_entry(columns[1], j);
        T.n[1][j] = oracle_entry(columns[2], j);
        T.t[1][j] = oracle_entry(columns[3], j);
    }
    sti_sticking* r = analyze(NULL);
    near("rank", r->rank_C, cJSON_GetNumberValue(get(expected, "rank")));
    near_list("lam_min_norm", r->lambda_least, get(expected, "lam_min_norm"));
    assert_int_equal(r->self_stress_count, 1);
    const double sign = r->self_stress[0] * oracle_entry(get(expected, "null_vector_unit"), 0) < 0 ? -1 : 1;
    for (int k = 0; k < 4; k++)
        near("null", sign * r->self_stress[k], oracle_entry(get(expected, "null_vector_unit"), k));
    near("mu_min", r->least_common.mu, cJSON_GetNumberValue(get(expected, "mu_min")));
    sti_sticking_destroy(r);
}

// Which of them it is, by what the case gives and expects.
static bool run_case(const cJSON* item) {
    if (get(in, "tests") != NULL)
        law_case();
    else if (get(in, "applied_wrenches") != NULL)
        rest_case();
    else if (get(in, "m_plank") != NULL)
        plank_case();
    else if (get(in, "sliding") != NULL)
        belt_case();
    else if (get(in, "mbar") != NULL)
        pendulum_case();
    else if (get(in, "legs") != NULL)
        table_case();
    else if (get(in, "finger_tips") != NULL)
        fingers_case();
    else if (get(in, "offsets") != NULL)
        finger_forces_case();
    else if (get(in, "mu1") != NULL)
        guided_case();
    else if (get(in, "grad_hnb") != NULL && get(expected, "lhs") != NULL)
        coupling_case();
    else if (get(in, "grad_hnb") != NULL)
        ladder_case();
    else if (get(in, "l_half") != NULL)
        rod_case();
    else if (get(in, "cases") != NULL)
        feasibility_case();
    else if (get(expected, "eq61") != NULL)
        tipping_case();
    else if (get(expected, "E_y_lines") != NULL)
        feet_case();
    else if (get(expected, "E") != NULL)
        set_E_case();
    else if (get(expected, "qp_disk_min") != NULL)
        discs_case();
    else if (get(expected, "basic_solutions") != NULL)
        groove_case();
    else if (get(expected, "A_c") != NULL)
        corner_case();
    else if (get(expected, "rank_E") != NULL)
        redundant_case();
    else if (get(expected, "G_nn") != NULL)
        independent_case();
    else if (get(expected, "Mb_invertible") != NULL)
        kkt_case();
    else if (strstr(text(item, "topic"), "mu_min") != NULL) {
        general_instant(false);
        least_friction();
    } else
        return false;
    return true;
}

static void every_visible_case_of_s0_holds(void** state) {
    (void)state;
    cJSON* root = oracle_open("papers");
    if (root == NULL) skip();
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    int cases = 0;
    const cJSON* item;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        if (strncmp(oracle_id(item), "S0-", 3) != 0) continue;
        in = get(item, "inputs");
        expected = get(item, "expected");
        tol = cJSON_GetNumberValue(get(item, "tolerance"));
        print_message("%s %s\n", oracle_id(item), text(item, "title"));
        if (!run_case(item)) fail_msg("%s: no such kind of case", oracle_id(item));
        cases++;
    }
    print_message("%d cases, %d numbers\n", cases, compared);
    assert_true(cases >= 30);
    sti_env_destroy(env);
    cJSON_Delete(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_visible_case_of_s0_holds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
