// test_verify.c: true answers pass, forged ones do not. Every kind of claim, every kind of forgery; certificates and
// solutions of random problems against plain 64-bit integer arithmetic.
#include <math.h>
#include <stdio.h>
#include <stiction/verify.h>
#include <string.h>

#include "base/rng.h"
#include "support/failing_env.h"

typedef struct room {
    sti_env* env;
    sti_verification v;
} room;

static int room_open(void** state) {
    room* r = calloc(1, sizeof *r);
    if (r == NULL || sti_env_create(NULL, &r->env) != STI_OK) return 1;
    *state = r;
    return 0;
}

static int room_close(void** state) {
    room* r = *state;
    sti_env_destroy(r->env);
    free(r);
    return 0;
}

// Calls that must succeed as calls; the verdict is left in r->v.
static bool lcp_passes(room* r, const sti_lcp* lcp, const sti_lcp_answer* answer) {
    assert_int_equal(sti_verify_lcp(r->env, lcp, answer, 1e-10, &r->v), STI_OK);
    assert_true(r->v.text[0] != '\0');
    if (!r->v.accepted) assert_false(r->v.exact);
    return r->v.accepted;
}

static bool mlcp_passes(room* r, const sti_mlcp* mlcp, const sti_lcp_answer* answer) {
    assert_int_equal(sti_verify_mlcp(r->env, mlcp, answer, 1e-10, &r->v), STI_OK);
    assert_true(r->v.text[0] != '\0');
    if (!r->v.accepted) assert_false(r->v.exact);
    return r->v.accepted;
}

static void assert_says(const room* r, const char* words) {
    if (strstr(r->v.text, words) == NULL) fprintf(stderr, "'%s' does not say '%s'\n", r->v.text, words);
    assert_non_null(strstr(r->v.text, words));
}

static sti_rationals* fractions(sti_env* env, size_t count, const char* const* text) {
    sti_rationals* r;
    assert_int_equal(sti_rationals_create(env, count, &r), STI_OK);
    for (size_t i = 0; i < count; i++) assert_int_equal(sti_rationals_set_text(r, i, text[i]), STI_OK);
    return r;
}

static sti_lcp_answer solved(int free_count, double* u, int n, double* z) {
    return (sti_lcp_answer){.outcome = STI_SOLVED, .free_count = free_count, .n = n, .u = u, .z = z};
}

static sti_lcp_answer no_solution(int free_count, int n, int leaves, signed char* fixed, double* y) {
    return (sti_lcp_answer){.outcome = STI_NO_SOLUTION,
                            .free_count = free_count,
                            .n = n,
                            .certificate = {.proof = leaves == 1 ? STI_PROOF_FARKAS : STI_PROOF_BRANCH,
                                            .free_count = free_count,
                                            .pair_count = n,
                                            .leaf_count = leaves,
                                            .fixed = fixed,
                                            .y = y,
                                            .exact = true,
                                            .bound = INFINITY}};
}

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

// ---- certificates

// w_0 = -z_0 - 2 z_1 - 1: no feasible point.
static void a_farkas_vector_passes_and_its_forgeries_do_not(void** state) {
    room* r = *state;
    double M[4] = {-1, -2, 0, 1}, q[2] = {-1, -3}, y[2] = {1, 0};
    signed char fixed[2] = {0, 0};
    const sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, M), .q = q};
    sti_lcp_answer answer = no_solution(0, 2, 1, fixed, y);
    assert_true(lcp_passes(r, &lcp, &answer));
    assert_true(r->v.exact);
    assert_int_equal(r->v.claim, STI_NO_SOLUTION);
    assert_int_equal(r->v.leaves_checked, 1);
    assert_true(fabs(r->v.margin + 1.0 / 3) < 1e-15);
    assert_true(isnan(r->v.residual) && isnan(r->v.natural));

    const struct {
        double y0, y1;
        const char* says;
    } forged[] = {
        {-1, 0, "y_0 is negative"},       {1, -1e-300, "y_1 is negative"}, {0, 0, "not negative"},
        {0, 1, "(x'C + y'B)_1"},          {1, 2.5, "(x'C + y'B)_1"},       {NAN, 0, "multiplier 0 is"},
        {1, INFINITY, "multiplier 1 is"},
    };
    for (size_t k = 0; k < sizeof forged / sizeof *forged; k++) {
        y[0] = forged[k].y0;
        y[1] = forged[k].y1;
        assert_false(lcp_passes(r, &lcp, &answer));
        assert_says(r, forged[k].says);
        assert_int_equal(r->v.leaves_checked, 0);
    }
    // a case fixed where nothing may be: the rest is not covered
    y[0] = 1;
    y[1] = 0;
    fixed[1] = 1;
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_says(r, "w_1 = 0");
    fixed[1] = 2;
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_says(r, "fixes pair 1 by 2");
}

static void sparse_and_dense_storage_give_the_same_verdict(void** state) {
    room* r = *state;
    double dense[9] = {-1, -2, 0, 0, 3, 0, 0, 0, -4}, q[3] = {-1, 1, 2}, y[3] = {3, 2, 1}, z[3] = {0, 0, 0.5};
    signed char fixed[3] = {0};
    double value[4] = {-1, -2, 3, -4};
    int row[4] = {0, 0, 1, 2};
    int64_t start[4] = {0, 1, 3, 4};
    const sti_lcp a = {.n = 3, .M = sti_matrix_dense_view(3, 3, dense), .q = q};
    const sti_lcp b = {.n = 3, .M = {.rows = 3, .cols = 3, .col_start = start, .row = row, .value = value}, .q = q};
    for (int k = 0; k < 5; k++) {
        sti_lcp_answer answer = k < 3 ? no_solution(0, 3, 1, fixed, y) : solved(0, NULL, 3, z);
        answer.exact = k == 4;
        if (k == 1) y[1] = 0;
        if (k == 2) y[2] = 0;
        q[0] = k >= 3 ? 0 : -1;
        const bool first = lcp_passes(r, &a, &answer);
        const sti_verification v = r->v;
        assert_int_equal(lcp_passes(r, &b, &answer), first);
        assert_int_equal(first, k > 0);
        assert_string_equal(r->v.text, v.text);
        assert_memory_equal(&r->v.residual, &v.residual, sizeof(double));
        assert_memory_equal(&r->v.margin, &v.margin, sizeof(double));
    }
}

// u / 10 = 1 and 3 u / 10 = 2: the multipliers (3, -1) prove it exactly for the fractions; for their doubles the
// combination of the left sides is 2.8e-17, not 0.
static void inconsistent_equations_have_certificates(void** state) {
    room* r = *state;
    double A[4] = {0.1, 0, 0.3, 0}, C[2] = {0, 0}, D[2] = {0, 0}, B[1] = {1}, a[2] = {-1, -2}, b[1] = {0};
    double xy[3] = {3, -1, 0};
    signed char fixed[1] = {0};
    sti_mlcp mlcp = {.n = 2,
                     .m = 1,
                     .A = sti_matrix_dense_view(2, 2, A),
                     .C = sti_matrix_dense_view(2, 1, C),
                     .D = sti_matrix_dense_view(1, 2, D),
                     .B = sti_matrix_dense_view(1, 1, B),
                     .a = a,
                     .b = b};
    sti_lcp_answer answer = no_solution(2, 1, 1, fixed, xy);
    assert_false(mlcp_passes(r, &mlcp, &answer));
    assert_says(r, "claims to be exact");
    answer.certificate.exact = false;
    answer.certificate.bound = NAN;
    assert_true(mlcp_passes(r, &mlcp, &answer));
    assert_false(r->v.exact);
    assert_says(r, "up to rounding");
    assert_says(r, "3.6e+16");
    answer.certificate.bound = 3.5e16;
    assert_true(mlcp_passes(r, &mlcp, &answer));
    answer.certificate.bound = 3.7e16;
    assert_false(mlcp_passes(r, &mlcp, &answer));
    assert_says(r, "proves 3.60");

    const char* const matrix[] = {"1/10", "0", "0", "3/10", "0", "0", "0", "0", "1"};
    const char* const vector[] = {"-1", "-2", "0"};
    sti_rationals* matrix_exact = fractions(r->env, 9, matrix);
    sti_rationals* vector_exact = fractions(r->env, 3, vector);
    mlcp.matrix_exact = matrix_exact;
    mlcp.vector_exact = vector_exact;
    answer.certificate.exact = true;
    answer.certificate.bound = INFINITY;
    assert_true(mlcp_passes(r, &mlcp, &answer));
    assert_true(r->v.exact);

    // forged: wrong multipliers, and a column of C that is not orthogonal
    xy[0] = 3.001;
    assert_false(mlcp_passes(r, &mlcp, &answer));
    assert_says(r, "(x'A + y'D)_0 is not zero");
    xy[0] = -3;
    xy[1] = 1;
    assert_false(mlcp_passes(r, &mlcp, &answer));
    assert_says(r, "x'a + y'b is not negative");
    xy[0] = 3;
    xy[1] = -1;
    assert_int_equal(sti_rationals_set_text(matrix_exact, 2, "1e-30"), STI_OK);
    assert_false(mlcp_passes(r, &mlcp, &answer));
    assert_says(r, "claims to be exact");
    sti_rationals_destroy(matrix_exact);
    sti_rationals_destroy(vector_exact);

    // the multipliers as exact fractions; the doubles beside them do not count then
    const char* const exact_xy[] = {"3/7", "-1/7", "0"};
    answer.certificate.y_exact = fractions(r->env, 3, exact_xy);
    mlcp.matrix_exact = mlcp.vector_exact = NULL;
    A[0] = 1;
    A[2] = 3;
    xy[0] = NAN;
    assert_true(mlcp_passes(r, &mlcp, &answer));
    assert_true(r->v.exact);
    answer.certificate.y = NULL;
    assert_true(mlcp_passes(r, &mlcp, &answer));
    sti_rationals_destroy(answer.certificate.y_exact);
}

// u = z + 1, w = -u: u > 0 and w >= 0 cannot be; a Farkas vector with an equation multiplier of its own sign.
static void free_variables_take_part_in_certificates_and_solutions(void** state) {
    room* r = *state;
    double A[1] = {1}, C[1] = {-1}, D[1] = {-1}, B[1] = {0}, a[1] = {-1}, b[1] = {0}, xy[2] = {1, 1};
    double u[1] = {1}, z[1] = {0}, w[1] = {0};
    signed char fixed[1] = {0};
    const sti_mlcp mlcp = {.n = 1,
                           .m = 1,
                           .A = sti_matrix_dense_view(1, 1, A),
                           .C = sti_matrix_dense_view(1, 1, C),
                           .D = sti_matrix_dense_view(1, 1, D),
                           .B = sti_matrix_dense_view(1, 1, B),
                           .a = a,
                           .b = b};
    sti_lcp_answer answer = no_solution(1, 1, 1, fixed, xy);
    assert_true(mlcp_passes(r, &mlcp, &answer));
    assert_true(r->v.exact);
    for (int i = 0; i < 2; i++) {
        xy[i] = -1;
        assert_false(mlcp_passes(r, &mlcp, &answer));
        xy[i] = 1;
    }
    D[0] = 1;  // now w = u = z + 1 > 0: solved by z = 0
    assert_false(mlcp_passes(r, &mlcp, &answer));
    answer = solved(1, u, 1, z);
    w[0] = 1;
    answer.w = w;
    answer.exact = true;
    assert_true(mlcp_passes(r, &mlcp, &answer));
    assert_true(r->v.exact);
    u[0] = 2;
    assert_false(mlcp_passes(r, &mlcp, &answer));
    assert_says(r, "equation 0");
    assert_true(r->v.residual_equation == 1);
    u[0] = NAN;
    assert_false(mlcp_passes(r, &mlcp, &answer));
    assert_says(r, "u_0");
    answer.u = NULL;
    assert_false(mlcp_passes(r, &mlcp, &answer));
    assert_says(r, "no u");
}

// ---- random certificates, against 64-bit integers

enum { N = 3, CASES = 8 };

typedef struct proof3 {
    signed char fixed[CASES * N];
    double y[CASES * N];
    int leaves;
} proof3;

static int64_t det3(const int64_t m[3][3]) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// Solve H y = rhs times det H by Cramer's rule; returns det H.
static int64_t cramer(const int64_t H[3][3], const int64_t rhs[3], int64_t y[3]) {
    for (int c = 0; c < 3; c++) {
        int64_t m[3][3];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) m[i][j] = j == c ? rhs[i] : H[i][j];
        }
        y[c] = det3(m);
    }
    return det3(H);
}

// The case alpha (bit i: w_i = 0, else z_i = 0) has one point when its basis is nonsingular. If some z_i or w_i is
// negative there, multipliers with (y'M)_j = 0 for j in alpha except the offender close the case:
//     z_i < 0:  y = 0 outside alpha, y'M_.j = -[i = j] for j in alpha:   y'q = z_i
//     w_i < 0:  y_i = 1, else 0 outside alpha, y'M_.j = 0 for j in alpha:  y'q = w_i
// Returns 1: closed, 0: a solution, -1: singular.
static int close_case(const int M[N][N], const int q[N], int alpha, double* y) {
    for (int i = 0; i < N; i++) {
        int64_t H[3][3], rhs[3], v[3], value = 0;
        for (int j = 0; j < N; j++) {
            const bool in = (alpha >> j & 1) != 0;
            for (int k = 0; k < N; k++) H[j][k] = in ? M[k][j] : k == j;
            rhs[j] = in ? -(j == i) : (j == i);
        }
        const int64_t det = cramer((const int64_t(*)[3])H, rhs, v);
        if (det == 0) return -1;
        for (int k = 0; k < N; k++) value += v[k] * q[k];
        if ((det > 0 ? value : -value) >= 0) continue;
        for (int k = 0; k < N; k++) y[k] = (double)(det > 0 ? v[k] : -v[k]);
        return 1;
    }
    return 0;
}

// Everything the verifier must check, by plain integers and enumeration.
static bool holds3(const int M[N][N], const int q[N], const proof3* p) {
    for (int k = 0; k < p->leaves; k++) {
        const signed char* fixed = p->fixed + k * N;
        const double* y = p->y + k * N;
        int64_t strict = 0;
        for (int j = 0; j < N; j++) {
            int64_t g = 0;
            for (int i = 0; i < N; i++) g += (int64_t)y[i] * M[i][j];
            if (g > 0 && fixed[j] <= 0) return false;
            if (y[j] < 0 && fixed[j] >= 0) return false;
            strict += (int64_t)y[j] * q[j];
        }
        if (strict >= 0) return false;
    }
    for (int s = 0; s < CASES; s++) {
        bool found = false;
        for (int k = 0; k < p->leaves && !found; k++) {
            found = true;
            for (int i = 0; i < N; i++)
                found = found && (p->fixed[k * N + i] == 0 || (p->fixed[k * N + i] > 0) == (s >> i & 1));
        }
        if (!found) return false;
    }
    return true;
}

// A random problem without solution and its proof by all eight cases; false: this one has a solution or is singular.
static bool random_proof(sti_rng* rng, int M[N][N], int q[N], proof3* p) {
    p->leaves = CASES;
    for (int i = 0; i < N; i++) {
        q[i] = sti_rng_int(rng, -5, 3);
        for (int j = 0; j < N; j++) M[i][j] = sti_rng_int(rng, -4, 4);
    }
    for (int alpha = 0; alpha < CASES; alpha++) {
        if (close_case((const int(*)[N])M, q, alpha, p->y + alpha * N) != 1) return false;
        for (int i = 0; i < N; i++) p->fixed[alpha * N + i] = (alpha >> i & 1) != 0 ? -1 : 1;
    }
    return true;
}

// Merge two leaves that differ in the sign of one pair when the vector of one serves for both: certificates of every
// shape. False: there are no such leaves (any more).
static bool merge_leaves(const int M[N][N], const int q[N], proof3* p) {
    for (int a = 0; a < p->leaves; a++) {
        for (int b = 0; b < p->leaves; b++) {
            int differ = 0, pair = 0;
            for (int i = 0; i < N; i++) {
                const int fa = p->fixed[a * N + i], fb = p->fixed[b * N + i];
                if (fa == fb) continue;
                differ += fa == -fb ? 1 : N;
                pair = i;
            }
            if (differ != 1) continue;
            proof3 merged = *p;
            merged.fixed[a * N + pair] = 0;
            memmove(merged.fixed + b * N, p->fixed + (p->leaves - 1) * N, N);
            memmove(merged.y + b * N, p->y + (p->leaves - 1) * N, N * sizeof(double));
            if (a == p->leaves - 1) merged.fixed[b * N + pair] = 0;  // a itself moved to the place of b
            merged.leaves--;
            if (!holds3(M, q, &merged)) continue;
            *p = merged;
            return true;
        }
    }
    return false;
}

static void random_certificates_agree_with_integer_arithmetic(void** state) {
    room* r = *state;
    sti_rng rng = {41};
    int proofs = 0, merged = 0, forged_accepted = 0;
    while (proofs < 1500) {
        int M[N][N], q[N];
        double Md[N * N], qd[N];
        proof3 p;
        if (!random_proof(&rng, M, q, &p)) continue;
        proofs++;
        while (proofs % 2 == 0 && merge_leaves((const int(*)[N])M, q, &p)) merged++;
        for (int i = 0; i < N; i++) {
            qd[i] = q[i];
            for (int j = 0; j < N; j++) Md[i * N + j] = M[i][j];
        }
        const sti_lcp lcp = {.n = N, .M = sti_matrix_dense_view(N, N, Md), .q = qd};
        sti_lcp_answer answer = no_solution(0, N, p.leaves, p.fixed, p.y);
        assert_true(holds3((const int(*)[N])M, q, &p));
        assert_true(lcp_passes(r, &lcp, &answer));
        assert_true(r->v.exact);
        assert_int_equal(r->v.leaves_checked, p.leaves);
        assert_true(r->v.margin < 0);

        for (int f = 0; f < 10; f++) {  // one thing changed: the verdict is that of the integers
            proof3 forged = p;
            sti_lcp_answer claim = no_solution(0, N, p.leaves, forged.fixed, forged.y);
            const int at = sti_rng_int(&rng, 0, p.leaves * N - 1);
            if (f < 3)
                forged.fixed[at] = (signed char)sti_rng_int(&rng, -1, 1);
            else if (f < 8)
                forged.y[at] += sti_rng_int(&rng, 0, 1) * 2 - 1;
            else if (f == 8)
                forged.y[at] = -forged.y[at];
            else if (p.leaves > 1)
                forged.leaves--;
            claim.certificate.leaf_count = forged.leaves;
            claim.certificate.proof = forged.leaves == 1 ? STI_PROOF_FARKAS : STI_PROOF_BRANCH;
            const bool expected = holds3((const int(*)[N])M, q, &forged);
            forged_accepted += expected;
            assert_int_equal(lcp_passes(r, &lcp, &claim), expected);
        }
    }
    assert_true(merged > 100);
    assert_true(forged_accepted > 100);  // some changes leave a proof a proof
}

// More leaves than are read at a time: pairs 0..7 in all cases, each closed by a vector of its own; dropping or
// spoiling any one of them is found out.
static void many_leaves_are_all_looked_at(void** state) {
    room* r = *state;
    enum { PAIRS = 9, LEAVES = 256 };
    double M[PAIRS * PAIRS] = {0}, q[PAIRS];
    static signed char fixed[LEAVES * PAIRS];
    static double y[LEAVES * PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        M[i * PAIRS + i] = 1;
        q[i] = i < PAIRS - 1 ? 1 : -1;
    }
    M[PAIRS * PAIRS - 1] = -1;  // w_8 = -z_8 - 1
    for (int s = 0; s < LEAVES; s++) {
        for (int i = 0; i < 8; i++) fixed[s * PAIRS + i] = (s >> i & 1) != 0 ? 1 : -1;
        y[s * PAIRS + 8] = 1 + s;
    }
    const sti_lcp lcp = {.n = PAIRS, .M = sti_matrix_dense_view(PAIRS, PAIRS, M), .q = q};
    sti_lcp_answer answer = no_solution(0, PAIRS, LEAVES, fixed, y);
    assert_true(lcp_passes(r, &lcp, &answer));
    assert_int_equal(r->v.leaves_checked, LEAVES);
    for (int s = 0; s < LEAVES; s += 17) {
        char name[32];
        snprintf(name, sizeof name, "leaf %d:", s);
        y[s * PAIRS + 8] *= -1;
        assert_false(lcp_passes(r, &lcp, &answer));
        assert_says(r, name);
        assert_int_equal(r->v.leaves_checked, s);
        y[s * PAIRS + 8] *= -1;
        const signed char keep = fixed[s * PAIRS];
        fixed[s * PAIRS] = (signed char)-keep;
        assert_false(lcp_passes(r, &lcp, &answer));
        assert_says(r, "no leaf covers");
        fixed[s * PAIRS] = keep;
    }
    answer.certificate.leaf_count = LEAVES - 1;
    assert_false(lcp_passes(r, &lcp, &answer));
    assert_says(r, "z_7 = 0");
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
    assert_non_null(strstr(sti_env_error(r->env)->text, "M[1,0]"));
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
#define TEST(name) cmocka_unit_test_setup_teardown(name, room_open, room_close)
    const struct CMUnitTest tests[] = {
        TEST(true_solutions_pass_with_their_residuals),
        TEST(residuals_are_those_of_the_header),
        TEST(forged_solutions_fail_and_the_index_is_named),
        TEST(sums_do_not_cancel),
        TEST(exact_solutions_are_checked_exactly),
        TEST(exact_data_count_as_the_problem),
        TEST(the_residual_does_not_depend_on_units),
        TEST(a_farkas_vector_passes_and_its_forgeries_do_not),
        TEST(sparse_and_dense_storage_give_the_same_verdict),
        TEST(inconsistent_equations_have_certificates),
        TEST(free_variables_take_part_in_certificates_and_solutions),
        TEST(random_certificates_agree_with_integer_arithmetic),
        TEST(many_leaves_are_all_looked_at),
        TEST(claims_of_nothing_are_not_accepted),
        TEST(malformed_answers_are_rejected),
        TEST(malformed_problems_are_argument_errors),
        TEST(empty_problems_are_solved_by_nothing),
        TEST(a_descending_homogeneous_ray_is_not_a_proof),
        TEST(rays_are_judged_condition_by_condition),
        TEST(rounded_rays_are_marked_as_such),
        TEST(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
