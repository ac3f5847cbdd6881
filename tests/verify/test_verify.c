// test_verify.c: true answers pass, forged ones do not: solutions, rays, claims of nothing, malformed answers.
#include "verify_tools.h"

// ---- solutions

static double M2[] = {2, 1, 1, 2};
static double q2[] = {-5, -6};

static sti_lcp lcp2(void) {
    return (sti_lcp){.n = 2, .M = sti_matrix_dense_view(2, 2, M2), .q = q2};
}

static void true_solutions_pass_with_their_residuals(void** state) {
    room* r = *state;
    const sti_lcp lcp = lcp2();
    double z[2] = {4.0 / 3, 7.0 / 3}, w[2] = {0, 0};
    sti_lcp_answer answer = solved(0, NULL, 2, z);
    assert_true(lcp_passes(r, &lcp, &answer));
    assert_false(r->v.exact);
    assert_int_equal(r->v.claim, STI_SOLVED);
    assert_true(r->v.residual < 1e-15 && r->v.natural < 1e-15);
    assert_true(r->v.residual_equation == 0 && r->v.residual_z == 0);
    assert_true(isnan(r->v.margin) && r->v.leaves_checked == 0);
    answer.w = w;
    assert_true(lcp_passes(r, &lcp, &answer));
}

static void residuals_are_those_of_the_header(void** state) {
    room* r = *state;
    const sti_lcp lcp = lcp2();
    double z[2] = {-1, 4};  // w = (-3, 1)
    sti_lcp_answer answer = solved(0, NULL, 2, z);
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_true(r->v.residual_equation == 0);
    assert_true(fabs(r->v.residual_z - 1.0 / 4) < 1e-15);
    assert_true(fabs(r->v.residual_w - 3.0 / 6) < 1e-15);
    assert_true(fabs(r->v.residual_gap - (1.0 * 3 + 4 * 1) / (6 * 4)) < 1e-15);
    assert_true(r->v.residual == r->v.residual_w);
    assert_true(fabs(r->v.natural - sqrt(9 + 1) / sqrt(25 + 36)) < 1e-15);
}

static void forged_solutions_fail_and_the_index_is_named(void** state) {
    room* r = *state;
    const sti_lcp lcp = lcp2();
    double z[2], w[2] = {0, 0};
    sti_lcp_answer answer = solved(0, NULL, 2, z);
    const struct {
        double z0, z1;
        const char* says;
    } forged[] = {
        {4.0 / 3, -7.0 / 3, "z_1"},
        {-1e-5, 3, "z_0"},
        {4.0 / 3, 7.0 / 3 - 1e-6, "w_1"},
        {1, 1, "w_1"},
        {5, 6, "complementary"},
        {NAN, 1, "z_0 is nan"},
        {1, INFINITY, "z_1 is inf"},
        {1, -INFINITY, "z_1 is"},
        {4.0 / 3 + 1e-6, 7.0 / 3 + 1e-6, "complementary"},
        {1e308, 1e308, "range"},
    };
    for (size_t k = 0; k < sizeof forged / sizeof *forged; k++) {
        z[0] = forged[k].z0;
        z[1] = forged[k].z1;
        assert_false(lcp_passes(r, &lcp, &answer));
        assert_says(r, forged[k].says);
    }
    z[0] = 4.0 / 3;
    z[1] = 7.0 / 3;
    answer.w = w;
    w[1] = 1e-3;
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_says(r, "w_1");
    w[1] = NAN;
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_says(r, "w_1");
}

// w = 1e16 z_0 - 1e16 z_1 + z_2 - 1 in plain doubles, summed left to right, loses the 1.
static void sums_do_not_cancel(void** state) {
    room* r = *state;
    double M[9] = {1e16, 1, -1e16, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 0, -1}, z[3] = {1, 0, 1};
    const sti_lcp lcp = {.n = 3, .M = sti_matrix_dense_view(3, 3, M), .q = q};
    sti_lcp_answer answer = solved(0, NULL, 3, z);
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_says(r, "w_0 = -1");
}

static void exact_solutions_are_checked_exactly(void** state) {
    room* r = *state;
    const sti_lcp lcp = lcp2();
    double z[2] = {4.0 / 3, 7.0 / 3};
    sti_lcp_answer answer = solved(0, NULL, 2, z);
    answer.exact = true;
    assert_false(lcp_passes(r, &lcp, &answer));  // the doubles alone do not hold exactly
    assert_says(r, "exactly, ");

    answer.z_exact = fractions(r->env, 2, (const char* const[]){"4/3", "7/3"});
    assert_true(lcp_passes(r, &lcp, &answer));
    assert_true(r->v.exact);
    answer.exact = false;  // claims less than it shows
    assert_true(lcp_passes(r, &lcp, &answer));
    assert_true(r->v.exact);

    assert_int_equal(sti_rationals_set_text(answer.z_exact, 1, "70000000000000001/30000000000000000"), STI_OK);
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_says(r, "both positive");
    assert_int_equal(sti_rationals_set_text(answer.z_exact, 1, "69999999999999999/30000000000000000"), STI_OK);
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_says(r, "exactly, w_0 is negative");
    assert_int_equal(sti_rationals_set_text(answer.z_exact, 1, "7/4"), STI_OK);
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_says(r, "z_1");
    sti_rationals_destroy(answer.z_exact);

    double tiny[2] = {0, 3}, q[2] = {-3, -6};
    const sti_lcp other = {.n = 2, .M = lcp.M, .q = q};
    answer = solved(0, NULL, 2, tiny);
    answer.exact = true;  // integers: exact as doubles
    assert_true(lcp_passes(r, &other, &answer));
    assert_true(r->v.exact);
    answer.z_exact = fractions(r->env, 2, (const char* const[]){"-1e-40", "3"});
    assert_false(lcp_passes(r, &other, &answer));
    assert_says(r, "exactly, z_0 is negative");
    sti_rationals_destroy(answer.z_exact);
    answer.z_exact = fractions(r->env, 1, (const char* const[]){"0"});
    assert_false(lcp_passes(r, &other, &answer));
    assert_says(r, "1 entries");
    sti_rationals_destroy(answer.z_exact);
}

// z_1 = 2 / eps, z_0 = (1 + 3 z_1) / 5: their doubles miss the first equation by 0.01, and the exact point does not.
static void exact_points_need_no_small_residual(void** state) {
    room* r = *state;
    double M[4] = {5, -3, -5, 3 + 3 * 0x1p-46}, q[2] = {-1, -1};
    const sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, M), .q = q};
    double z[2] = {140737488355329.0 / 5, 140737488355328.0 / 3};
    sti_lcp_answer answer = solved(0, NULL, 2, z);
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_true(r->v.residual > 1e-4);
    answer.z_exact = fractions(r->env, 2, (const char* const[]){"140737488355329/5", "140737488355328/3"});
    assert_true(lcp_passes(r, &lcp, &answer));
    assert_true(r->v.exact);
    z[0] *= 1 + 1e-12;  // not its doubles
    assert_false(lcp_passes(r, &lcp, &answer));
    z[0] = 140737488355329.0 / 5;
    assert_int_equal(sti_rationals_set_text(answer.z_exact, 0, "140737488355330/5"), STI_OK);
    assert_false(lcp_passes(r, &lcp, &answer));
    sti_rationals_destroy(answer.z_exact);
}

static void exact_data_count_as_the_problem(void** state) {
    room* r = *state;
    double M[1] = {1.0 / 3}, q[1] = {-1}, z[1] = {3};
    sti_lcp lcp = {.n = 1, .M = sti_matrix_dense_view(1, 1, M), .q = q};
    sti_lcp_answer answer = solved(0, NULL, 1, z);
    answer.z_exact = fractions(r->env, 1, (const char* const[]){"3"});
    assert_false(lcp_passes(r, &lcp, &answer));  // 3 fl(1/3) < 1
    assert_says(r, "exactly, w_0 is negative");
    sti_rationals* M_exact = fractions(r->env, 1, (const char* const[]){"1/3"});
    sti_rationals* q_exact = fractions(r->env, 1, (const char* const[]){"-1"});
    lcp.M_exact = M_exact;
    assert_true(lcp_passes(r, &lcp, &answer));  // exact matrix, vector in doubles
    assert_true(r->v.exact);
    lcp.q_exact = q_exact;
    assert_true(lcp_passes(r, &lcp, &answer));
    assert_true(r->v.exact);
    lcp.M_exact = NULL;
    assert_false(lcp_passes(r, &lcp, &answer));
    sti_rationals_destroy(M_exact);
    sti_rationals_destroy(q_exact);
    sti_rationals_destroy(answer.z_exact);
}

static void the_residual_does_not_depend_on_units(void** state) {
    room* r = *state;
    for (int a = -30; a <= 30; a += 15) {
        for (int b = -30; b <= 30; b += 15) {
            const double fm = pow(10, a), fq = pow(10, b);
            double M[4], q[2], z[2] = {1.1 * 4 / 3 * fq / fm, 7.0 / 3 * fq / fm};
            for (int i = 0; i < 4; i++) M[i] = M2[i] * fm;
            for (int i = 0; i < 2; i++) q[i] = q2[i] * fq;
            const sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, M), .q = q};
            sti_lcp_answer answer = solved(0, NULL, 2, z);
            assert_false(lcp_passes(r, &lcp, &answer));
            const double gap = (4.0 / 3 * 1.1 * 0.8 / 3 + 7.0 / 3 * 0.4 / 3) / (6 * 7.0 / 3);
            assert_true(fabs(r->v.residual - gap) < 1e-14);
        }
    }
}

// ---- claims of nothing, and malformed answers

static void claims_of_nothing_are_not_accepted(void** state) {
    room* r = *state;
    const sti_lcp lcp = lcp2();
    double z[2] = {4.0 / 3, 7.0 / 3};
    sti_lcp_answer answer = solved(0, NULL, 2, z);
    answer.outcome = STI_UNKNOWN;
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_string_equal(r->v.text, "claims nothing");
    assert_int_equal(r->v.claim, STI_UNKNOWN);
    answer.outcome = STI_LIMIT;
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_string_equal(r->v.text, "claims nothing");
    memcpy(&answer.outcome, &(int){77}, sizeof(int));
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_says(r, "no outcome 77");
}

static void malformed_answers_are_rejected(void** state) {
    room* r = *state;
    const sti_lcp lcp = lcp2();
    double z[2] = {4.0 / 3, 7.0 / 3}, y[2] = {1, 1};
    signed char fixed[2] = {0, 0};
    sti_lcp_answer answer = solved(0, NULL, 3, z);
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_says(r, "3 pairs");
    answer = solved(1, z, 2, z);
    assert_false(lcp_passes(r, &lcp, &answer));
    answer = solved(0, NULL, 2, NULL);
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_says(r, "no z");

    const sti_lcp_answer good = no_solution(0, 2, 1, fixed, y);
    sti_certificate* c = &answer.certificate;
    answer = good;
    c->proof = STI_PROOF_NONE;
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_says(r, "without a certificate");
    c->proof = STI_PROOF_SOLUTION;
    assert_false(lcp_passes(r, &lcp, &answer));
    answer = good;
    c->pair_count = 3;
    assert_false(lcp_passes(r, &lcp, &answer));
    answer = good;
    c->free_count = 1;
    assert_false(lcp_passes(r, &lcp, &answer));
    for (int count = -1; count <= 0; count++) {
        answer = good;
        c->leaf_count = count;
        assert_false(lcp_passes(r, &lcp, &answer));
        assert_says(r, "leaves");
    }
    answer = good;
    c->leaf_count = 2;
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_says(r, "one leaf");
    answer = good;
    c->fixed = NULL;
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_says(r, "no cases");
    answer = good;
    c->y = NULL;
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_says(r, "no multipliers");
    answer = good;
    c->y_exact = fractions(r->env, 3, (const char* const[]){"1", "1", "1"});
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_says(r, "3 exact multipliers");
    sti_rationals_destroy(c->y_exact);
}

static void malformed_problems_are_argument_errors(void** state) {
    room* r = *state;
    double z[2] = {1, 1}, M[4] = {1, 0, 0, 1}, q[2] = {-1, -1}, v[2] = {1, 1};
    const sti_lcp good = {.n = 2, .M = sti_matrix_dense_view(2, 2, M), .q = q};
    const sti_lcp_answer answer = solved(0, NULL, 2, z);
    sti_ray_check check;
    assert_int_equal(sti_verify_lcp(r->env, NULL, &answer, 0, &r->v), STI_ERR_ARGUMENT);
    assert_int_equal(sti_verify_lcp(r->env, &good, NULL, 0, &r->v), STI_ERR_ARGUMENT);
    assert_int_equal(sti_verify_lcp(r->env, &good, &answer, 0, NULL), STI_ERR_ARGUMENT);
    assert_int_equal(sti_verify_lcp(r->env, &good, &answer, -1, &r->v), STI_ERR_ARGUMENT);
    assert_int_equal(sti_verify_lcp(r->env, &good, &answer, NAN, &r->v), STI_ERR_ARGUMENT);
    assert_int_equal(sti_verify_mlcp(r->env, NULL, &answer, 0, &r->v), STI_ERR_ARGUMENT);
    assert_int_equal(sti_verify_ray(r->env, NULL, v, 0, &check), STI_ERR_ARGUMENT);
    assert_int_equal(sti_verify_ray(r->env, &good, NULL, 0, &check), STI_ERR_ARGUMENT);
    assert_int_equal(sti_verify_ray(r->env, &good, v, -1, &check), STI_ERR_ARGUMENT);
    assert_int_equal(sti_verify_ray(r->env, &good, v, 0, NULL), STI_ERR_ARGUMENT);

    sti_lcp bad = good;
    bad.n = -1;
    assert_int_equal(sti_verify_lcp(r->env, &bad, &answer, 0, &r->v), STI_ERR_ARGUMENT);
    bad = good;
    bad.n = 3;
    assert_int_equal(sti_verify_lcp(r->env, &bad, &answer, 0, &r->v), STI_ERR_ARGUMENT);
    bad = good;
    bad.q = NULL;
    assert_int_equal(sti_verify_lcp(r->env, &bad, &answer, 0, &r->v), STI_ERR_ARGUMENT);
    bad = good;
    bad.M.dense = NULL;
    assert_int_equal(sti_verify_lcp(r->env, &bad, &answer, 0, &r->v), STI_ERR_ARGUMENT);
    assert_int_equal(sti_verify_ray(r->env, &bad, v, 0, &check), STI_ERR_ARGUMENT);
    M[2] = NAN;
    assert_int_equal(sti_verify_lcp(r->env, &good, &answer, 0, &r->v), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(r->env)->text, "M[1][0]"));
    M[2] = 0;
    q[1] = INFINITY;
    assert_int_equal(sti_verify_lcp(r->env, &good, &answer, 0, &r->v), STI_ERR_ARGUMENT);
    assert_int_equal(sti_env_error(r->env)->index, 1);
    q[1] = -1;

    double value[2] = {1, 1};
    int row[2] = {0, 1};
    int64_t start[3] = {0, 1, 2};
    bad.M = (sti_matrix){.rows = 2, .cols = 2, .col_start = start, .row = row, .value = value};
    assert_int_equal(sti_verify_lcp(r->env, &bad, &answer, 0, &r->v), STI_OK);
    assert_true(r->v.accepted);
    row[1] = 2;
    assert_int_equal(sti_verify_lcp(r->env, &bad, &answer, 0, &r->v), STI_ERR_ARGUMENT);
    row[1] = -1;
    assert_int_equal(sti_verify_lcp(r->env, &bad, &answer, 0, &r->v), STI_ERR_ARGUMENT);
    row[1] = 1;
    start[1] = 3;
    assert_int_equal(sti_verify_lcp(r->env, &bad, &answer, 0, &r->v), STI_ERR_ARGUMENT);
    start[1] = 0;
    assert_int_equal(sti_verify_lcp(r->env, &bad, &answer, 0, &r->v), STI_OK);  // column 1 holds both rows
    start[1] = 1;
    value[0] = NAN;
    assert_int_equal(sti_verify_lcp(r->env, &bad, &answer, 0, &r->v), STI_ERR_ARGUMENT);
    bad.M.value = NULL;
    assert_int_equal(sti_verify_lcp(r->env, &bad, &answer, 0, &r->v), STI_ERR_ARGUMENT);

    sti_rationals* short_array = fractions(r->env, 1, (const char* const[]){"1"});
    bad = good;
    bad.M_exact = short_array;
    assert_int_equal(sti_verify_lcp(r->env, &bad, &answer, 0, &r->v), STI_ERR_ARGUMENT);
    bad = good;
    bad.q_exact = short_array;
    assert_int_equal(sti_verify_lcp(r->env, &bad, &answer, 0, &r->v), STI_ERR_ARGUMENT);
    sti_rationals_destroy(short_array);
}

static void empty_problems_are_solved_by_nothing(void** state) {
    room* r = *state;
    const sti_lcp none = {0};
    sti_lcp_answer answer = solved(0, NULL, 0, NULL);
    answer.exact = true;
    assert_true(lcp_passes(r, &none, &answer));
    assert_true(r->v.exact && r->v.residual == 0);
    double y[1] = {1};
    answer = no_solution(0, 0, 1, NULL, y);
    assert_false(lcp_passes(r, &none, &answer));
    assert_says(r, "not negative");
    // equations alone: 0 u = 1
    double A[1] = {0}, a[1] = {-1};
    const sti_mlcp equation = {.n = 1, .A = sti_matrix_dense_view(1, 1, A), .a = a};
    answer = no_solution(1, 0, 1, NULL, y);
    assert_true(mlcp_passes(r, &equation, &answer));
    assert_true(r->v.exact);
    sti_ray_check check;
    assert_int_equal(sti_verify_ray(r->env, &none, NULL, 0, &check), STI_OK);
    assert_false(check.homogeneous || check.descends || check.farkas);
}

// ---- rays

static sti_ray_check ray(room* r, int n, double* M, double* q, double* v, double tol) {
    const sti_lcp lcp = {.n = n, .M = sti_matrix_dense_view(n, n, M), .q = q};
    sti_ray_check check;
    assert_int_equal(sti_verify_ray(r->env, &lcp, v, tol, &check), STI_OK);
    return check;
}

// All that a secondary ray gives, and yet z = (0, 1) solves the problem: a ray alone proves nothing.
static void a_descending_homogeneous_ray_is_not_a_proof(void** state) {
    room* r = *state;
    double M[4] = {0, 1, 0, 0}, q[2] = {-1, 0}, v[2] = {1, 0}, z[2] = {0, 1}, y[2] = {1, 0};
    signed char fixed[2] = {0, 0};
    const sti_ray_check check = ray(r, 2, M, q, v, 1e-12);
    assert_true(check.homogeneous && check.descends && check.exact);
    assert_false(check.farkas);
    const sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, M), .q = q};
    sti_lcp_answer answer = solved(0, NULL, 2, z);
    answer.exact = true;
    assert_true(lcp_passes(r, &lcp, &answer));
    assert_true(r->v.exact);
    answer = no_solution(0, 2, 1, fixed, y);
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_says(r, "(x'C + y'B)_1 is positive");
}

static void rays_are_judged_condition_by_condition(void** state) {
    room* r = *state;
    double M[4] = {0, 1, -1, 0}, q[2] = {-1, 1}, v[2] = {0, 0};
    sti_ray_check c = ray(r, 2, M, q, v, 0);  // v = 0
    assert_false(c.homogeneous || c.descends || c.farkas);
    v[0] = 1;  // M v = (0, -1)
    c = ray(r, 2, M, q, v, 0);
    assert_true(c.exact && c.descends && !c.homogeneous);
    M[2] = 0;
    M[1] = -1;  // M'v = (0, -1), M v = 0
    c = ray(r, 2, M, q, v, 0);
    assert_true(c.exact && c.descends && c.homogeneous && c.farkas);
    M[0] = 1e-300;  // v'M v > 0, whatever the tolerance allows
    c = ray(r, 2, M, q, v, 0);
    assert_true(c.exact && c.descends && !c.homogeneous && !c.farkas);
    M[0] = 0;
    q[0] = 0;
    c = ray(r, 2, M, q, v, 0);
    assert_true(c.exact && c.homogeneous && !c.descends && !c.farkas);
    q[0] = -1e-310;
    c = ray(r, 2, M, q, v, 0);
    assert_true(c.exact && c.homogeneous && c.descends && c.farkas);
    v[1] = -1e-320;
    c = ray(r, 2, M, q, v, 0);
    assert_true(!c.homogeneous && !c.farkas);
    v[1] = NAN;
    c = ray(r, 2, M, q, v, 0);
    assert_false(c.homogeneous || c.descends || c.farkas);
    v[1] = INFINITY;
    c = ray(r, 2, M, q, v, 0);
    assert_false(c.homogeneous || c.descends || c.farkas);
}

// 3 fl(0.1) - fl(0.3) is 2.8e-17: zero up to rounding, and the verdict says that it is only that.
static void rounded_rays_are_marked_as_such(void** state) {
    room* r = *state;
    double M[4] = {0.1, -0.3, -0.1, 0.3}, q[2] = {-1, -1}, v[2] = {3, 1};
    sti_ray_check c = ray(r, 2, M, q, v, 1e-12);
    assert_true(c.homogeneous && c.descends && !c.exact);
    c = ray(r, 2, M, q, v, 0);
    assert_true(!c.homogeneous && c.exact);
    const char* const text[] = {"1/10", "-3/10", "-0.1", "-0.3e0"};
    sti_rationals* M_exact = fractions(r->env, 4, text);
    assert_int_equal(sti_rationals_set_text(M_exact, 3, "3/10"), STI_OK);
    const sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, M), .q = q, .M_exact = M_exact};
    assert_int_equal(sti_verify_ray(r->env, &lcp, v, 0, &c), STI_OK);
    assert_true(c.homogeneous && c.descends && c.exact && !c.farkas);
    sti_rationals_destroy(M_exact);
}

// ---- failed allocations

// Each kind of claim on exact data; the problem and the answer live in another environment.
static void every_failed_allocation_is_survived(void** state) {
    room* r = *state;
    double A[1] = {1.0 / 3}, C[1] = {0.1}, D[1] = {-1.0 / 3}, B[1] = {-0.1}, a[1] = {-1}, b[1] = {0};
    double xy[4] = {1, 1, 1, 1}, u[1] = {3}, z[1] = {0}, v[1] = {1};
    signed char fixed[2] = {1, -1};
    const char* const matrix[] = {"1/3", "1/10", "-1/3", "-1/10"};
    const char* const vector[] = {"-1", "0"};
    const char* const point[] = {"3", "0"};
    const char* const multipliers[] = {"1/3", "1/3", "2/7", "2/7"};
    sti_rationals* matrix_exact = fractions(r->env, 4, matrix);
    sti_rationals* vector_exact = fractions(r->env, 2, vector);
    sti_rationals* z_exact = fractions(r->env, 2, point);
    sti_rationals* y_exact = fractions(r->env, 4, multipliers);
    sti_mlcp mlcp = {.n = 1,
                     .m = 1,
                     .A = sti_matrix_dense_view(1, 1, A),
                     .C = sti_matrix_dense_view(1, 1, C),
                     .D = sti_matrix_dense_view(1, 1, D),
                     .B = sti_matrix_dense_view(1, 1, B),
                     .a = a,
                     .b = b};
    sti_lcp lcp = {.n = 1, .M = sti_matrix_dense_view(1, 1, B), .q = a};
    for (int kind = 0; kind < 7; kind++) {
        const bool exact_data = kind % 2 == 1;
        mlcp.matrix_exact = exact_data ? matrix_exact : NULL;
        mlcp.vector_exact = exact_data ? vector_exact : NULL;
        long k = 0;
        for (bool done = false; !done; k++) {
            failing_env f;
            failing_env_open(&f, k);
            sti_verification verdict = {0};
            sti_ray_check check = {0};
            sti_lcp_answer answer = kind < 4 ? no_solution(1, 1, 2, fixed, xy) : solved(1, u, 1, z);
            if (kind == 2 || kind == 3) answer.certificate.y_exact = y_exact;
            if (kind == 5) answer.z_exact = z_exact;
            sti_status status;
            if (kind == 6)
                status = sti_verify_ray(f.env, &lcp, v, 0, &check);
            else {
                D[0] = kind < 4 ? -1.0 / 3 : 1.0 / 3;  // w = -u/3 - z/10: never; w = u/3 - z/10: solved by z = 0
                assert_int_equal(sti_rationals_set_text(matrix_exact, 2, kind < 4 ? "-1/3" : "1/3"), STI_OK);
                status = sti_verify_mlcp(f.env, &mlcp, &answer, 1e-10, &verdict);
            }
            assert_int_equal(status, f.count <= k ? STI_OK : STI_ERR_MEMORY);
            assert_int_equal(verdict.accepted || check.farkas, status == STI_OK);
            done = failing_env_close(&f);
        }
        assert_true(k > 2);
    }
    sti_rationals_destroy(matrix_exact);
    sti_rationals_destroy(vector_exact);
    sti_rationals_destroy(z_exact);
    sti_rationals_destroy(y_exact);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ROOM_TEST(true_solutions_pass_with_their_residuals),
        ROOM_TEST(residuals_are_those_of_the_header),
        ROOM_TEST(exact_points_need_no_small_residual),
        ROOM_TEST(forged_solutions_fail_and_the_index_is_named),
        ROOM_TEST(sums_do_not_cancel),
        ROOM_TEST(exact_solutions_are_checked_exactly),
        ROOM_TEST(exact_data_count_as_the_problem),
        ROOM_TEST(the_residual_does_not_depend_on_units),
        ROOM_TEST(claims_of_nothing_are_not_accepted),
        ROOM_TEST(malformed_answers_are_rejected),
        ROOM_TEST(malformed_problems_are_argument_errors),
        ROOM_TEST(empty_problems_are_solved_by_nothing),
        ROOM_TEST(a_descending_homogeneous_ray_is_not_a_proof),
        ROOM_TEST(rays_are_judged_condition_by_condition),
        ROOM_TEST(rounded_rays_are_marked_as_such),
        ROOM_TEST(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
