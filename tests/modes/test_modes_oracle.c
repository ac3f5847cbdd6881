// test_modes_oracle.c: the reference cases of S2 through the public interface.
#include <math.h>

#include "support/mode_scene.h"
#include "support/oracle.h"

static double number(const cJSON* object, const char* name) {
    const cJSON* value = cJSON_GetObjectItemCaseSensitive(object, name);
    assert_non_null(value);
    return cJSON_GetNumberValue(value);
}

static void vector(const cJSON* array, double* out, int count) {
    assert_int_equal(cJSON_GetArraySize(array), count);
    for (int i = 0; i < count; i++) out[i] = oracle_entry(array, i);
}

static void field(const cJSON* object, const char* name, double* out, int count) {
    vector(cJSON_GetObjectItemCaseSensitive(object, name), out, count);
}

static void expect(double value, double expected) {
    if (fabs(value - expected) > 1e-9 * fmax(1, fabs(expected)))
        print_message("%.15g instead of %.15g\n", value, expected);
    assert_true(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected)));
}

// m, J, contacts with r and n; mu a list, or with the contact.
static void read_planar(mode_scene* s, sti_env* env, const cJSON* inputs) {
    const double m = number(inputs, "m"), J = number(inputs, "J"), mass[3] = {m, m, J};
    scene_open(s, env, 3, mass);
    const cJSON* contacts = cJSON_GetObjectItemCaseSensitive(inputs, "contacts");
    const cJSON* mu = cJSON_GetObjectItemCaseSensitive(inputs, "mu");
    for (int i = 0; i < cJSON_GetArraySize(contacts); i++) {
        const cJSON* c = cJSON_GetArrayItem(contacts, i);
        double r[2], n[2];
        field(c, "r", r, 2);
        field(c, "n", n, 2);
        const double own = mu != NULL ? oracle_entry(mu, i) : 0;
        sti_instant_contact* made = scene_planar(s, r, n, own);
        const char* status = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(c, "status"));
        if (status != NULL && strncmp(status, "separated", 9) == 0) made->gap = 0.1;
    }
}

static sti_modes* solve(mode_scene* s, const cJSON* wrench, sti_modes_options o) {
    const size_t n = (size_t)s->instant.n;
    double w[SCENE_DOF];
    vector(wrench, w, (int)n);
    sti_rationals* exact = scene_numbers(s, w, n);
    o.wrench_exact = exact;
    sti_modes* modes = scene_modes(s, &o);
    sti_rationals_destroy(exact);
    return modes;
}

// The modes with the fit (or strict and limit together) are exactly the listed ones.
static void expect_modes(const sti_modes* modes, bool limits, const cJSON* expected) {
    int count = 0;
    for (int i = 0; i < modes->mode_count; i++) {
        const sti_mode_fit fit = modes->modes[i].fit;
        count += fit == STI_MODE_STRICT || (limits && fit == STI_MODE_LIMIT);
    }
    assert_int_equal(count, cJSON_GetArraySize(expected));
    const cJSON* item;
    cJSON_ArrayForEach(item, expected) {
        const int at = sti_modes_find(modes, cJSON_GetStringValue(item));
        assert_true(at >= 0);
        assert_true(modes->modes[at].fit == STI_MODE_STRICT || limits);
    }
}

// nu, a_n, a_t, c_n, c_t of a planar solution, or its ranges.
static void expect_solution(const sti_modes* modes, const sti_mode* mode, const cJSON* expected) {
    const sti_mode_solution* s = mode->solution;
    const int n = modes->n, contacts = modes->contact_count, K = contacts + modes->tangent_total;
    const cJSON* ranges = cJSON_GetObjectItemCaseSensitive(expected, "nu_ranges_closed_cone");
    if (ranges != NULL) {
        assert_false(s->acceleration_unique);
        for (int k = 0; k < n; k++) {
            double range[2];
            vector(cJSON_GetArrayItem(ranges, k), range, 2);
            assert_true(fabs(sti_rationals_double(s->low, (size_t)k) - range[0]) < 1e-9);
            assert_true(fabs(sti_rationals_double(s->high, (size_t)k) - range[1]) < 1e-9);
        }
        return;
    }
    assert_true(s->acceleration_unique);
    double nu[SCENE_DOF];
    field(expected, "nu", nu, n);
    for (int k = 0; k < n; k++) expect(sti_rationals_double(s->point, (size_t)k), nu[k]);
    if (cJSON_GetObjectItemCaseSensitive(expected, "forces") != NULL) {
        assert_false(s->forces_unique);
        return;
    }
    assert_true(s->forces_unique);
    static const char* const names[4] = {"a_n", "a_t", "c_n", "c_t"};
    for (int part = 0; part < 4; part++) {
        double value[SCENE_CONTACTS];
        field(expected, names[part], value, contacts);
        for (int i = 0; i < contacts; i++)
            expect(sti_rationals_double(s->point, (size_t)(n + (part / 2) * K + 2 * i + part % 2)), value[i]);
    }
}

static void expect_solutions(const sti_modes* modes, const cJSON* expected) {
    const cJSON* item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(expected, "solutions"))
        expect_solution(modes, &modes->modes[sti_modes_find(modes, item->string)], item);
}

// The rows of both tables are the same up to order and positive factors.
static void expect_rows(sti_rows rows, const cJSON* expected) {
    assert_int_equal(rows.count, cJSON_GetArraySize(expected));
    const cJSON* item;
    cJSON_ArrayForEach(item, expected) {
        double e[SCENE_DOF], best = 1;
        vector(item, e, rows.dimension);
        for (int i = 0; i < rows.count; i++) {
            const double* r = rows.value + (size_t)i * (size_t)rows.dimension;
            double ee = 0, rr = 0, distance = 0;
            for (int k = 0; k < rows.dimension; k++) {
                ee = hypot(ee, e[k]);
                rr = hypot(rr, r[k]);
            }
            for (int k = 0; k < rows.dimension; k++) distance = fmax(distance, fabs(e[k] / ee - r[k] / rr));
            best = fmin(best, distance);
        }
        assert_true(best < 1e-9);
    }
}

typedef struct fixture {
    cJSON* root;
    sti_env* env;
} fixture;

static int open_fixture(void** state) {
    static fixture f;
    f.root = oracle_open("papers");
    if (f.root != NULL) assert_int_equal(sti_env_create(NULL, &f.env), STI_OK);
    *state = &f;
    return 0;
}

static int close_fixture(void** state) {
    fixture* f = *state;
    cJSON_Delete(f->root);
    sti_env_destroy(f->env);
    return 0;
}

static const cJSON* begin(void** state, const char* id, sti_env** env) {
    const fixture* f = *state;
    if (f->root == NULL) skip();
    *env = f->env;
    const cJSON* item = oracle_find(f->root, id);
    assert_non_null(item);
    return item;
}

static void s2_01_wrench_cone_of_a_mode(void** state) {
    sti_env* env;
    const cJSON* item = begin(state, "S2-01", &env);
    mode_scene s;
    read_planar(&s, env, cJSON_GetObjectItemCaseSensitive(item, "inputs"));
    scene_make_exact(&s);
    sti_modes* modes = scene_modes(&s, NULL);
    const int la = sti_modes_find(modes, "la");
    assert_true(la >= 0);
    const sti_polycone* cone = modes->modes[la].wrenches->cone;
    assert_true(modes->modes[la].wrenches->is_cone);
    assert_true(sti_polycone_is_exact(cone));
    assert_int_equal(sti_polycone_dimension(cone), 3);
    expect_rows(sti_polycone_rays(cone), oracle_get(item, "expected", "generators_primitive_integer"));
    expect_rows(sti_polycone_inequalities(cone), oracle_get(item, "expected", "faces_primitive_integer"));
    sti_modes_destroy(modes);
    scene_close(&s);
}

static void s2_03_accelerations_near_an_edge(void** state) {
    sti_env* env;
    const cJSON* item = begin(state, "S2-03", &env);
    mode_scene s;
    read_planar(&s, env, cJSON_GetObjectItemCaseSensitive(item, "inputs"));
    scene_make_exact(&s);
    const cJSON* expected;
    cJSON_ArrayForEach(expected, cJSON_GetObjectItemCaseSensitive(item, "expected")) {
        sti_modes* modes = solve(&s, cJSON_GetObjectItemCaseSensitive(expected, "wrench"), sti_modes_options_default());
        const int la = sti_modes_find(modes, "la");
        assert_non_null(modes->modes[la].solution);
        expect_solution(modes, &modes->modes[la], expected);
        sti_modes_destroy(modes);
    }
    scene_close(&s);
}

static void s2_04_modes_of_a_disc(void** state) {
    sti_env* env;
    const cJSON* item = begin(state, "S2-04", &env);
    mode_scene s;
    read_planar(&s, env, cJSON_GetObjectItemCaseSensitive(item, "inputs"));
    scene_make_exact(&s);
    const cJSON* expected;
    cJSON_ArrayForEach(expected, cJSON_GetObjectItemCaseSensitive(item, "expected")) {
        sti_modes* modes = solve(&s, cJSON_GetObjectItemCaseSensitive(expected, "wrench"), sti_modes_options_default());
        expect_modes(modes, false, cJSON_GetObjectItemCaseSensitive(expected, "strictly_consistent_modes"));
        expect_modes(modes, true, cJSON_GetObjectItemCaseSensitive(expected, "closed_cone_modes"));
        expect_solutions(modes, expected);
        sti_modes_destroy(modes);
    }
    scene_close(&s);
}

static void s2_07_fixture_of_three_contacts(void** state) {
    sti_env* env;
    const cJSON* item = begin(state, "S2-07", &env);
    mode_scene s;
    read_planar(&s, env, cJSON_GetObjectItemCaseSensitive(item, "inputs"));
    scene_make_exact(&s);
    const cJSON* feasible = oracle_get(item, "expected", "kinematically_feasible");
    const cJSON* expected;
    cJSON_ArrayForEach(expected, oracle_get(item, "expected", "per_wrench")) {
        sti_modes* modes = solve(&s, cJSON_GetObjectItemCaseSensitive(expected, "wrench"), sti_modes_options_default());
        assert_int_equal((int)modes->potential, (int)oracle_number(item, "expected", "potential"));
        assert_int_equal(modes->mode_count, cJSON_GetArraySize(feasible));
        const cJSON* name;
        cJSON_ArrayForEach(name, feasible) assert_true(sti_modes_find(modes, cJSON_GetStringValue(name)) >= 0);
        expect_modes(modes, false, cJSON_GetObjectItemCaseSensitive(expected, "strictly_consistent_modes"));
        expect_solutions(modes, expected);
        sti_modes_destroy(modes);
    }
    scene_close(&s);
}

// Is the choice (names of the positive variables) in the list?
static bool has_choice(const cJSON* list, const sti_mode_count* count, int choice) {
    const cJSON* item;
    cJSON_ArrayForEach(item, list) {
        bool same = true;
        for (int p = 0; p < count->pairs; p++) {
            const int first = count->first[choice * count->pairs + p];
            if (strcmp(cJSON_GetStringValue(cJSON_GetArrayItem(item, p)), count->pair_name[p][first ? 0 : 1]) != 0)
                same = false;
        }
        if (same) return true;
    }
    return false;
}

static void s2_09_box_has_ten_modes_six_of_them_named(void** state) {
    sti_env* env;
    const cJSON* item = begin(state, "S2-09", &env);
    sti_mode_count* count;
    assert_int_equal(sti_mode_count_create(env, STI_FRICTION_BOX, 2, 0, oracle_number(item, "inputs", "mu"), &count),
                     STI_OK);
    assert_int_equal((int)count->choices, 32);
    assert_int_equal(count->feasible, 10);
    assert_int_equal(count->named, 6);
    const cJSON *all = oracle_get(item, "expected", "feasible_choices"), *named = oracle_get(item, "expected", "named"),
                *degenerate = oracle_get(item, "expected", "degenerate");
    for (int i = 0; i < count->feasible; i++) {
        assert_true(has_choice(all, count, i));
        const bool between = count->kind[i] == STI_CHOICE_BETWEEN;
        assert_true(has_choice(between ? degenerate : named, count, i));
        assert_int_equal(count->dimension[i], 3);
    }
    sti_mode_count_destroy(count);
}

static void s2_11_and_13_k_sides_have_2k_plus_2_modes(void** state) {
    static const char* const ids[2] = {"S2-11", "S2-13"};
    for (int c = 0; c < 2; c++) {
        sti_env* env;
        const cJSON* item = begin(state, ids[c], &env);
        const cJSON* e = cJSON_GetObjectItemCaseSensitive(item, "expected");
        const int k = (int)oracle_number(item, "inputs", "k");
        for (int rough = 0; rough < 2; rough++) {
            sti_mode_count* count;
            const double mu = rough ? oracle_number(item, "inputs", "mu") : 0;
            assert_int_equal(sti_mode_count_create(env, STI_FRICTION_SIDES, 2, k, mu, &count), STI_OK);
            assert_int_equal((int)count->choices, (int)number(e, "choices"));
            assert_int_equal(count->feasible, (int)number(e, rough ? "feasible_mu_positive" : "feasible_mu_zero"));
            if (rough) {
                assert_int_equal(count->by_kind[STI_CHOICE_ROLL], (int)number(e, "rolling"));
                assert_int_equal(count->by_kind[STI_CHOICE_SLIDE], (int)number(e, "sliding_one_direction"));
                assert_int_equal(count->by_kind[STI_CHOICE_BETWEEN], (int)number(e, "sliding_two_adjacent_directions"));
                assert_int_equal(count->by_kind[STI_CHOICE_SEPARATE], (int)number(e, "separation"));
            }
            sti_mode_count_destroy(count);
        }
    }
}

static void expect_table(const double* value, const cJSON* rows) {
    const cJSON *row, *entry;
    int at = 0;
    cJSON_ArrayForEach(row, rows) {
        if (!cJSON_IsArray(row)) {
            assert_true(fabs(value[at++] - cJSON_GetNumberValue(row)) < 1e-9);
            continue;
        }
        cJSON_ArrayForEach(entry, row) assert_true(fabs(value[at++] - cJSON_GetNumberValue(entry)) < 1e-9);
    }
}

// The rod of S2-15 and S2-17.
static void read_rod(mode_scene* s, sti_env* env, const cJSON* inputs, const char* mu) {
    const double m = number(inputs, "m"), mass[3] = {m, m, number(inputs, "J")};
    const cJSON* c = cJSON_GetObjectItemCaseSensitive(inputs, "contact");
    double r[2], n[2];
    field(c, "r", r, 2);
    field(c, "n", n, 2);
    scene_open(s, env, 3, mass);
    scene_planar(s, r, n, number(inputs, mu));
}

static void s2_15_lcp_of_a_rolling_rod(void** state) {
    sti_env* env;
    const cJSON* item = begin(state, "S2-15", &env);
    const cJSON *inputs = cJSON_GetObjectItemCaseSensitive(item, "inputs"),
                *e = cJSON_GetObjectItemCaseSensitive(item, "expected");
    mode_scene s;
    read_rod(&s, env, inputs, "mu");
    double w[3];
    field(inputs, "wrench", w, 3);
    sti_modes_options o = sti_modes_options_default();
    o.wrench = w;
    sti_modes_lcp* lcp;
    assert_int_equal(sti_modes_lcp_create(env, &s.instant, &o, &lcp), STI_OK);
    assert_int_equal(lcp->lcp.n, 3);
    expect_table(lcp->A, cJSON_GetObjectItemCaseSensitive(e, "A"));
    expect_table(lcp->b_contact, cJSON_GetObjectItemCaseSensitive(e, "b_contact"));
    expect_table(lcp->lcp.M.dense, cJSON_GetObjectItemCaseSensitive(e, "B"));
    expect_table(lcp->lcp.q, cJSON_GetObjectItemCaseSensitive(e, "b"));
    sti_lcp_solution_set* set;
    assert_int_equal(sti_lcp_enumerate(env, &lcp->lcp, 0, 0, &set), STI_OK);
    const cJSON* solutions = cJSON_GetObjectItemCaseSensitive(e, "solutions");
    assert_int_equal(set->vertex_count, cJSON_GetArraySize(solutions));
    expect_table(set->vertex, cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(solutions, 0), "z"));
    sti_lcp_solution_set_destroy(env, set);
    sti_modes_lcp_destroy(lcp);

    sti_modes* modes = scene_modes(&s, &o);
    expect_modes(modes, false, cJSON_GetObjectItemCaseSensitive(e, "consistent_modes"));
    const cJSON* roll = cJSON_GetArrayItem(solutions, 0);
    const sti_rationals* point = modes->modes[sti_modes_find(modes, "n")].solution->point;
    static const char* const names[4] = {"a_n", "a_t", "c_n", "c_t"};
    for (int k = 0; k < 4; k++) expect(sti_rationals_double(point, (size_t)(3 + k)), number(roll, names[k]));
    sti_modes_destroy(modes);
}

static void s2_17_sliding_rod_has_no_mode_or_two(void** state) {
    sti_env* env;
    const cJSON* item = begin(state, "S2-17", &env);
    const cJSON *inputs = cJSON_GetObjectItemCaseSensitive(item, "inputs"),
                *e = cJSON_GetObjectItemCaseSensitive(item, "expected");
    mode_scene s;
    read_rod(&s, env, inputs, "mu_k");
    s.v[0] = -number(inputs, "sign_vt");  // t = (-1, 0)
    scene_make_exact(&s);
    const cJSON* wrenches = cJSON_GetObjectItemCaseSensitive(inputs, "wrenches");

    sti_modes* none = solve(&s, cJSON_GetObjectItemCaseSensitive(wrenches, "A"), sti_modes_options_default());
    assert_int_equal(none->strict_count + none->limit_count, 0);
    assert_false(none->exists);
    assert_true(none->certificate.case_count > 0);
    sti_modes_destroy(none);

    sti_modes* two = solve(&s, cJSON_GetObjectItemCaseSensitive(wrenches, "B"), sti_modes_options_default());
    assert_int_equal(two->strict_count, 2);
    assert_true(two->exists);
    assert_false(two->acceleration_unique);
    const cJSON* solution;
    cJSON_ArrayForEach(solution, cJSON_GetObjectItemCaseSensitive(e, "solutions_B")) {
        const bool separate =
            strcmp(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(solution, "mode")), "separate") == 0;
        const sti_mode* mode = &two->modes[sti_modes_find(two, separate ? "s" : "l")];
        expect(sti_rationals_double(mode->solution->point, 3), number(solution, "a_n"));
        expect(sti_rationals_double(mode->solution->point, 5), number(solution, "c_n"));
    }
    sti_modes_destroy(two);

    for (int c = 0; c < 2; c++) {
        double w[3];
        field(wrenches, c == 0 ? "A" : "B", w, 3);
        sti_modes_options o = sti_modes_options_default();
        o.wrench = w;
        sti_modes_lcp* lcp;
        assert_int_equal(sti_modes_lcp_create(env, &s.instant, &o, &lcp), STI_OK);
        assert_int_equal(lcp->lcp.n, 1);
        expect(lcp->lcp.M.dense[0], number(e, "B"));
        expect(lcp->lcp.q[0], number(e, c == 0 ? "b_A" : "b_B"));
        sti_modes_lcp_destroy(lcp);
    }
    scene_close(&s);
}

static void s2_19_span_form_to_face_form(void** state) {
    sti_env* env;
    const cJSON* item = begin(state, "S2-19", &env);
    oracle_table t = oracle_read(env, oracle_get(item, "inputs", "generators_as_rows"));
    const sti_rows rays = {t.rows, t.cols, t.value, t.exact};
    sti_polycone* cone;
    assert_int_equal(sti_polycone_create_span(env, t.cols, &rays, NULL, NULL, &cone), STI_OK);
    expect_rows(sti_polycone_rays(cone), oracle_get(item, "expected", "extreme_rays"));
    expect_rows(sti_polycone_inequalities(cone), oracle_get(item, "expected", "faces"));
    sti_polycone_destroy(cone);
    oracle_free(&t);
}

static void s2_22_contact_in_space_with_four_sides(void** state) {
    sti_env* env;
    const cJSON* item = begin(state, "S2-22", &env);
    const cJSON* inputs = cJSON_GetObjectItemCaseSensitive(item, "inputs");
    double J[3], r[3], n[3], t[3], o3[3];
    field(inputs, "J", J, 3);
    field(inputs, "r", r, 3);
    field(inputs, "n", n, 3);
    field(inputs, "t", t, 3);
    field(inputs, "o", o3, 3);
    const double m = number(inputs, "m"), mass[6] = {m, m, m, J[0], J[1], J[2]};
    mode_scene s;
    scene_open(&s, env, 6, mass);
    scene_spatial(&s, r, n, t, o3, number(inputs, "mu"));
    scene_make_exact(&s);
    sti_modes_options o = sti_modes_options_default();
    o.model = STI_FRICTION_SIDES;
    o.sides = (int)number(inputs, "k");
    const cJSON* expected;
    cJSON_ArrayForEach(expected, cJSON_GetObjectItemCaseSensitive(item, "expected")) {
        sti_modes* modes = solve(&s, cJSON_GetObjectItemCaseSensitive(expected, "wrench"), o);
        const cJSON* solutions = cJSON_GetObjectItemCaseSensitive(expected, "solutions");
        assert_int_equal(modes->strict_count, cJSON_GetArraySize(solutions));
        const cJSON* e = cJSON_GetArrayItem(solutions, 0);
        const sti_mode* mode = NULL;
        for (int i = 0; i < modes->mode_count; i++) {
            if (modes->modes[i].fit == STI_MODE_STRICT) mode = &modes->modes[i];
        }
        assert_non_null(mode);
        static const char* const names[6] = {"a_n", "a_t", "a_o", "c_n", "c_t", "c_o"};
        for (int k = 0; k < 6; k++)
            expect(sti_rationals_double(mode->solution->point, (size_t)(6 + k)), number(e, names[k]));
        const cJSON* lambda = cJSON_GetObjectItemCaseSensitive(e, "lambda");
        if (lambda != NULL) {  // lambda = max_j -d_j'a_t
            const double a_t = number(e, "a_t"), a_o = number(e, "a_o");
            assert_true(fabs(fmax(fabs(a_t), fabs(a_o)) - cJSON_GetNumberValue(lambda)) < 1e-9);
        }
        // the LCP has the same solution
        double w[6];
        field(expected, "wrench", w, 6);
        sti_modes_options with = o;
        with.wrench = w;
        sti_modes_lcp* lcp;
        assert_int_equal(sti_modes_lcp_create(env, &s.instant, &with, &lcp), STI_OK);
        assert_int_equal(lcp->lcp.n, 6);
        sti_lcp_solution_set* set;
        assert_int_equal(sti_lcp_enumerate(env, &lcp->lcp, 0, 0, &set), STI_OK);
        assert_true(set->vertex_count > 0);
        expect(set->vertex[0], number(e, "c_n"));
        if (lambda != NULL) expect(set->vertex[5], cJSON_GetNumberValue(lambda));
        sti_lcp_solution_set_destroy(env, set);
        sti_modes_lcp_destroy(lcp);
        sti_modes_destroy(modes);
    }
    scene_close(&s);
}

// v with n_1'v = n_2'v = 0 and t_2 v = 1, by Cramer's rule; contact 1 is declared to stick.
static void slide_second(mode_scene* s, double sign) {
    const double* rows[3] = {s->n[0], s->n[1], s->t[1]};
    double c[3];
    scene_cross(rows[0], rows[1], c);
    double det = 0;
    for (int k = 0; k < 3; k++) det += c[k] * rows[2][k];
    for (int k = 0; k < 3; k++) s->v[k] = sign * c[k] / det;
    s->contacts[0].state = STI_INSTANT_STICK;
}

static void s2_24_one_rolling_and_one_sliding_contact(void** state) {
    sti_env* env;
    const cJSON* item = begin(state, "S2-24", &env);
    const cJSON *inputs = cJSON_GetObjectItemCaseSensitive(item, "inputs"),
                *e = cJSON_GetObjectItemCaseSensitive(item, "expected");
    mode_scene s;
    read_planar(&s, env, inputs);
    const cJSON* contacts = cJSON_GetObjectItemCaseSensitive(inputs, "contacts");
    s.contacts[0].mu = number(cJSON_GetArrayItem(contacts, 0), "mu_s");
    s.contacts[1].mu_kinetic = number(cJSON_GetArrayItem(contacts, 1), "mu_k");
    slide_second(&s, number(cJSON_GetArrayItem(contacts, 1), "sign_vt"));
    double w[3];
    field(inputs, "wrench", w, 3);
    sti_modes_options o = sti_modes_options_default();
    o.wrench = w;
    sti_modes_lcp* lcp;
    assert_int_equal(sti_modes_lcp_create(env, &s.instant, &o, &lcp), STI_OK);
    assert_int_equal(lcp->lcp.n, 4);
    expect_table(lcp->A, cJSON_GetObjectItemCaseSensitive(e, "A"));
    expect_table(lcp->b_contact, cJSON_GetObjectItemCaseSensitive(e, "b_contact"));
    expect_table(lcp->lcp.M.dense, cJSON_GetObjectItemCaseSensitive(e, "B"));
    expect_table(lcp->lcp.q, cJSON_GetObjectItemCaseSensitive(e, "b"));
    sti_modes_lcp_destroy(lcp);
    sti_modes* modes = scene_modes(&s, &o);
    const cJSON* solutions = cJSON_GetObjectItemCaseSensitive(e, "solutions");
    assert_int_equal(modes->strict_count, cJSON_GetArraySize(solutions));
    for (int i = 0; i < modes->mode_count; i++) {
        if (modes->modes[i].fit != STI_MODE_STRICT) continue;
        double c[4];
        field(cJSON_GetArrayItem(solutions, 0), "c", c, 4);
        for (int k = 0; k < 4; k++)  // ours: n1 t1 n2 t2; theirs: n1 n2 t1 t2
            expect(sti_rationals_double(modes->modes[i].solution->point, (size_t)(3 + 4 + 2 * (k % 2) + k / 2)), c[k]);
    }
    sti_modes_destroy(modes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(s2_01_wrench_cone_of_a_mode),
        cmocka_unit_test(s2_03_accelerations_near_an_edge),
        cmocka_unit_test(s2_04_modes_of_a_disc),
        cmocka_unit_test(s2_07_fixture_of_three_contacts),
        cmocka_unit_test(s2_09_box_has_ten_modes_six_of_them_named),
        cmocka_unit_test(s2_11_and_13_k_sides_have_2k_plus_2_modes),
        cmocka_unit_test(s2_15_lcp_of_a_rolling_rod),
        cmocka_unit_test(s2_17_sliding_rod_has_no_mode_or_two),
        cmocka_unit_test(s2_19_span_form_to_face_form),
        cmocka_unit_test(s2_22_contact_in_space_with_four_sides),
        cmocka_unit_test(s2_24_one_rolling_and_one_sliding_contact),
    };
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
