// Solve an LCP, w = M z + q, 0 <= w _|_ z >= 0, and have the answer checked by code that shares nothing with the
// solver. Twice with the same M: a q that has a solution, and one that has none, which comes with a proof.
#include <stdio.h>
#include <stiction/stiction.h>

static int failures = 0;

static void expect(int condition, const char* what) {
    if (condition) return;
    fprintf(stderr, "not as expected: %s\n", what);
    failures++;
}

static void solve(sti_env* env, const sti_lcp* lcp, sti_outcome expected) {
    sti_lcp_options options = sti_lcp_options_default();
    sti_lcp_answer answer;
    sti_verification check;
    if (sti_lcp_solve(env, lcp, &options, &answer) != STI_OK) {
        expect(0, sti_env_error(env)->text);
        return;
    }
    printf("q = (%g, %g): %s, by %s\n", lcp->q[0], lcp->q[1], sti_outcome_text(answer.outcome),
           sti_lcp_solver_text(answer.solver));
    if (answer.outcome == STI_SOLVED) {
        printf("    z = (%g, %g), w = (%g, %g), residual %.1e\n", answer.z[0], answer.z[1], answer.w[0], answer.w[1],
               answer.residual);
    }
    // One leaf with nothing fixed: y >= 0, y'M <= 0, y'q < 0, so not even z >= 0, w >= 0 can hold together.
    const sti_certificate* c = &answer.certificate;
    if (answer.outcome == STI_NO_SOLUTION && c->leaf_count == 1) {
        printf("    %s vector y = (%g, %g)\n", sti_proof_text(c->proof), c->y[0], c->y[1]);
    }
    expect(answer.outcome == expected, "outcome");
    expect(sti_verify_lcp(env, lcp, &answer, options.tol, &check) == STI_OK && check.accepted, "verification");
    printf("    verifier: %s\n", check.text);
    sti_lcp_answer_clear(env, &answer);
}

int main(void) {
    double M[] = {1, -1,  // two contacts squeezing one body along a line
                  -1, 1};
    double q_good[] = {-1, 2};
    double q_bad[] = {-1, 0.5};  // both gaps close faster than the body can give way
    sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, M)};

    sti_env* env;
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    lcp.q = q_good;
    solve(env, &lcp, STI_SOLVED);
    lcp.q = q_bad;
    solve(env, &lcp, STI_NO_SOLUTION);
    sti_env_destroy(env);
    return failures != 0;
}
