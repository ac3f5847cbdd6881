// Thousands of small LCPs of every class: does `auto` agree with exhaustive enumeration in exact arithmetic?
//
// The enumeration here is independent of the library: S3 theorem 1.2.6 says that a solvable LCP has a solution
// whose columns of (I, -M) are linearly independent, so all 3^n supports (z_i, w_i or neither) with independent
// columns are tried, in 128-bit integers (entries are small: every minor fits).
#include <math.h>
#include <stdio.h>
#include <stiction/problem.h>
#include <string.h>

#include "base/rng.h"
#include "support/failing_env.h"
#include "support/sanitized.h"

enum { MAX_N = 8 };

typedef __int128 wide;

typedef struct small_lcp {
    int n;
    int M[MAX_N][MAX_N];
    int q[MAX_N];
} small_lcp;

// Is q = sum of columns (support) with unique nonnegative coefficients? Fraction-free elimination.
static bool support_solves(const small_lcp* p, const int* choice) {
    const int n = p->n;
    wide T[MAX_N][MAX_N + 1];
    int cols = 0;
    for (int j = 0; j < n; j++) {
        if (choice[j] == 0) continue;
        for (int i = 0; i < n; i++) T[i][cols] = choice[j] == 1 ? -p->M[i][j] : (i == j);
        cols++;
    }
    for (int i = 0; i < n; i++) T[i][cols] = p->q[i];
    wide d = 1;
    for (int k = 0; k < cols; k++) {
        int r = k;
        while (r < n && T[r][k] == 0) r++;
        if (r == n) return false;  // dependent
        for (int j = 0; j <= cols; j++) {
            const wide t = T[r][j];
            T[r][j] = T[k][j];
            T[k][j] = t;
        }
        for (int i = 0; i < n; i++) {
            if (i == k) continue;
            for (int j = k + 1; j <= cols; j++) T[i][j] = (T[i][j] * T[k][k] - T[i][k] * T[k][j]) / d;
            T[i][k] = 0;
        }
        d = T[k][k];
    }
    for (int i = 0; i < n; i++) {
        if (i >= cols && T[i][cols] != 0) return false;                                // inconsistent
        if (i < cols && T[i][cols] != 0 && (T[i][cols] < 0) != (d < 0)) return false;  // negative
    }
    return true;
}

static bool solvable(const small_lcp* p, int* choice, int k) {
    if (k == p->n) return support_solves(p, choice);
    for (choice[k] = 0; choice[k] < 3; choice[k]++) {
        if (solvable(p, choice, k + 1)) return true;
    }
    return false;
}

// --- families ------------------------------------------------------------------------------------------------------

static void fill(small_lcp* p, sti_rng* rng, int low, int high) {
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->n; j++) p->M[i][j] = sti_rng_int(rng, low, high);
        p->q[i] = sti_rng_int(rng, -4, 3);
    }
}

static void gram(small_lcp* p, sti_rng* rng, int rank, bool skew) {
    int A[MAX_N][MAX_N];
    for (int i = 0; i < p->n; i++) {
        for (int k = 0; k < rank; k++) A[i][k] = sti_rng_int(rng, -2, 2);
    }
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->n; j++) {
            p->M[i][j] = 0;
            for (int k = 0; k < rank; k++) p->M[i][j] += A[i][k] * A[j][k];
        }
    }
    for (int i = 0; skew && i < p->n; i++) {
        for (int j = 0; j < i; j++) {
            const int s = sti_rng_int(rng, -2, 2);
            p->M[i][j] += s;
            p->M[j][i] -= s;
        }
    }
}

static small_lcp make(int family, sti_rng* rng) {
    small_lcp p = {.n = sti_rng_int(rng, 1, MAX_N)};
    fill(&p, rng, -3, 3);
    const int n = p.n;
    switch (family) {
        case 0:
            break;  // anything
        case 1:
            fill(&p, rng, -1, 1);
            break;  // many zeros and ties
        case 2:
            fill(&p, rng, 0, 3);
            break;  // nonnegative: copositive
        case 3:
            gram(&p, rng, n, false);
            break;  // positive semidefinite
        case 4:
            gram(&p, rng, (n + 1) / 2, true);
            break;  // monotone of low rank
        case 5:     // P: triangular with positive diagonal, permuted signs off it
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < i; j++) p.M[i][j] = 0;
                p.M[i][i] = sti_rng_int(rng, 1, 3);
            }
            break;
        case 6:  // Z
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) p.M[i][j] = i == j ? sti_rng_int(rng, 0, 4) : -sti_rng_int(rng, 0, 1);
            }
            break;
        case 7:  // negative: bounded solution sets, many solutions
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) p.M[i][j] = -sti_rng_int(rng, 0, 3);
                p.q[i] = sti_rng_int(rng, -1, 4);
            }
            break;
        case 8:  // rank one and degenerate right sides
            for (int i = 0; i < n; i++) {
                const int c = sti_rng_int(rng, -2, 2);
                for (int j = 0; j < n; j++) p.M[i][j] = c * (j % 2 == 0 ? 1 : -1);
                p.q[i] = sti_rng_int(rng, -1, 0);
            }
            break;
        default: {  // friction: [G, Dt, E; ...] pattern, one facet pair a contact
            const int contacts = n / 4 > 0 ? n / 4 : 1;
            p.n = 4 * contacts;
            small_lcp g = {.n = 2 * contacts};
            fill(&g, rng, -1, 1);
            gram(&g, rng, 2, false);
            memset(p.M, 0, sizeof p.M);
            for (int a = 0; a < contacts; a++) {
                for (int b = 0; b < contacts; b++) {
                    const int nn = g.M[2 * a][2 * b], nt = g.M[2 * a][2 * b + 1], tn = g.M[2 * a + 1][2 * b],
                              tt = g.M[2 * a + 1][2 * b + 1];
                    int(*M)[MAX_N] = p.M;
                    M[4 * a][4 * b] = nn, M[4 * a][4 * b + 1] = nt, M[4 * a][4 * b + 2] = -nt;
                    M[4 * a + 1][4 * b] = tn, M[4 * a + 1][4 * b + 1] = tt, M[4 * a + 1][4 * b + 2] = -tt;
                    M[4 * a + 2][4 * b] = -tn, M[4 * a + 2][4 * b + 1] = -tt, M[4 * a + 2][4 * b + 2] = tt;
                }
                p.M[4 * a + 1][4 * a + 3] = p.M[4 * a + 2][4 * a + 3] = 1;
                p.M[4 * a + 3][4 * a] = sti_rng_int(rng, 0, 2);
                p.M[4 * a + 3][4 * a + 1] = p.M[4 * a + 3][4 * a + 2] = -1;
                p.q[4 * a] = sti_rng_int(rng, -3, 2);
                p.q[4 * a + 1] = sti_rng_int(rng, -3, 3);
                p.q[4 * a + 2] = -p.q[4 * a + 1];
                p.q[4 * a + 3] = 0;
            }
        }
    }
    return p;
}

enum { FAMILIES = 10 };

enum { CASES = SANITIZED ? 1000 : 10000 };

static void auto_agrees_with_exhaustive_exact_enumeration(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    sti_rng rng = {.state = 2026};
    int solved = 0, none = 0;
    for (int k = 0; k < CASES; k++) {
        const small_lcp p = make(k % FAMILIES, &rng);
        double M[MAX_N * MAX_N], q[MAX_N];
        for (int i = 0; i < p.n; i++) {
            for (int j = 0; j < p.n; j++) M[i * p.n + j] = p.M[i][j];
            q[i] = p.q[i];
        }
        const sti_lcp lcp = {.n = p.n, .M = sti_matrix_dense_view(p.n, p.n, M), .q = q};
        sti_lcp_answer answer;
        assert_int_equal(sti_lcp_solve(env, &lcp, NULL, &answer), STI_OK);
        int choice[MAX_N];
        const bool exists = solvable(&p, choice, 0);
        if (answer.outcome != (exists ? STI_SOLVED : STI_NO_SOLUTION))
            fail_msg("case %d, family %d, n %d: auto says %s, enumeration says %s (%s)", k, k % FAMILIES, p.n,
                     sti_outcome_text(answer.outcome), exists ? "solvable" : "no solution", answer.reason);
        sti_verification v;
        assert_int_equal(sti_verify_lcp(env, &lcp, &answer, 1e-10, &v), STI_OK);
        if (!v.accepted || !v.exact) fail_msg("case %d: verifier: %s", k, v.text);
        solved += exists;
        none += !exists;
        sti_lcp_answer_clear(env, &answer);
    }
    print_message("%d solvable, %d without solution, 0 wrong\n", solved, none);
    assert_true(solved > CASES / 10 && none > CASES / 10);
    sti_env_destroy(env);
}

static void every_solver_is_right_or_says_it_does_not_know(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    sti_rng rng = {.state = 7};
    for (int k = 0; k < CASES / 20; k++) {
        const small_lcp p = make(k % FAMILIES, &rng);
        double M[MAX_N * MAX_N], q[MAX_N];
        for (int i = 0; i < p.n; i++) {
            for (int j = 0; j < p.n; j++) M[i * p.n + j] = p.M[i][j];
            q[i] = p.q[i];
        }
        const sti_lcp lcp = {.n = p.n, .M = sti_matrix_dense_view(p.n, p.n, M), .q = q};
        int choice[MAX_N];
        const bool exists = solvable(&p, choice, 0);
        for (int s = 0; s < STI_LCP_SOLVER_COUNT; s++) {
            sti_lcp_options options = sti_lcp_options_default();
            options.solver = (sti_lcp_solver)s;
            sti_lcp_answer answer;
            assert_int_equal(sti_lcp_solve(env, &lcp, &options, &answer), STI_OK);
            if ((answer.outcome == STI_SOLVED && !exists) || (answer.outcome == STI_NO_SOLUTION && exists))
                fail_msg("case %d, family %d: %s says %s, which is false", k, k % FAMILIES,
                         sti_lcp_solver_text((sti_lcp_solver)s), sti_outcome_text(answer.outcome));
            sti_lcp_answer_clear(env, &answer);
        }
    }
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_agrees_with_exhaustive_exact_enumeration),
        cmocka_unit_test(every_solver_is_right_or_says_it_does_not_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
