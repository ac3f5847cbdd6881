// All roots of an oscillatory function, each in an interval that is proved to hold exactly one, and the proof that
// there are no others; then the same claim checked by code that shares nothing with the search.
#include <stdio.h>
#include <stiction/stiction.h>

int main(void) {
    const char *x = "x", *low = "-10", *high = "10", *equation = "sin(10*x) + x/2 = 1";
    sti_root_problem problem = {.variable_count = 1,
                                .variables = &x,
                                .low = &low,
                                .high = &high,
                                .equations = &equation,
                                .options = sti_root_options_default()};
    problem.options.method = STI_ROOT_ALL;

    sti_env* env;
    sti_root_answer answer;
    sti_root_verification check;
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    if (sti_root_solve(env, &problem, NULL, &answer) != STI_OK) {
        fprintf(stderr, "%s\n", sti_env_error(env)->text);
        return 1;
    }
    printf("%s: %d roots%s\n", equation, answer.root_count, answer.complete ? ", and no others in [-10, 10]" : "");
    for (int i = 0; i < answer.root_count; i++)
        printf("    [%.16g, %.16g]\n", answer.roots[i].x[0].low, answer.roots[i].x[0].high);

    int good = answer.complete && answer.root_count == 13;
    good = good && sti_verify_root(env, &problem, &answer, &check) == STI_OK && check.accepted;
    printf("verifier: %s\n", check.text);
    sti_root_answer_clear(env, &answer);
    sti_env_destroy(env);
    return !good;
}
