// A program against an installed Stiction: one small LCP, solved and checked.
#include <math.h>
#include <stdio.h>
#include <stiction/stiction.h>
#include <string.h>

int main(int argc, char** argv) {
    if (argc > 1 && strcmp(argv[1], sti_version()) != 0) {
        fprintf(stderr, "version %s, expected %s\n", sti_version(), argv[1]);
        return 1;
    }
    double M[] = {2, 1, 1, 2};
    double q[] = {-5, -6};
    sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, M), .q = q};
    sti_lcp_options options = sti_lcp_options_default();
    sti_lcp_answer answer;
    sti_verification check;
    sti_env* env;
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    int bad = sti_lcp_solve(env, &lcp, &options, &answer) != STI_OK;
    if (!bad) {
        // z = (4/3, 7/3)
        bad = answer.outcome != STI_SOLVED || fabs(answer.z[0] - 4.0 / 3) > 1e-12 ||
              fabs(answer.z[1] - 7.0 / 3) > 1e-12 ||
              sti_verify_lcp(env, &lcp, &answer, options.tol, &check) != STI_OK || !check.accepted;
        printf("%s: z = (%g, %g)\n", sti_outcome_text(answer.outcome), answer.z[0], answer.z[1]);
        sti_lcp_answer_clear(env, &answer);
    }
    sti_env_destroy(env);
    return bad;
}
