// test_certificates.c: proofs that there is no solution pass, forged ones do not; those of random problems against
// plain 64-bit integer arithmetic.
#include "base/rng.h"
#include "verify_tools.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_farkas_vector_passes_and_its_forgeries_do_not),
        ROOM_TEST(sparse_and_dense_storage_give_the_same_verdict),
        ROOM_TEST(inconsistent_equations_have_certificates),
        ROOM_TEST(free_variables_take_part_in_certificates_and_solutions),
        ROOM_TEST(random_certificates_agree_with_integer_arithmetic),
        ROOM_TEST(many_leaves_are_all_looked_at),
    };
    return cmocka_run_group_tests_name("certificates", tests, NULL, NULL);
}
