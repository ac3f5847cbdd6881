// A covariance and a bound of it, both enclosed: U has the density 6 x (1 - x) on [0, 1], and |cov(U^2, exp U)| is
// bounded by half the product of least concave majorants of moduli of continuity (Chebyshev and Gruess).
#include <stdio.h>
#include <stiction/stiction.h>

int main(void) {
    const sti_bound_problem problem = {.what = STI_BOUND_GRUESS,
                                       .low = "0",
                                       .high = "1",
                                       .f = "x^2",
                                       .g = "exp(x)",
                                       .A = {.density = "6*x*(1-x)"},
                                       .one_functional = true};
    sti_env* env;
    sti_bound_answer answer;
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    if (sti_bound_solve(env, &problem, &answer) != STI_OK) {
        fprintf(stderr, "%s\n", sti_env_error(env)->text);
        return 1;
    }
    const sti_interval *cov = sti_bound_find(&answer, "covariance"), *bound = sti_bound_find(&answer, "bound");
    printf("cov(U^2, exp U) lies in [%.15g, %.15g]\n", cov->low, cov->high);
    printf("and is at most %.9g, by the inequality\n", bound->high / 2);

    const double e = 2.718281828459045, by_hand = (180 - 66 * e) - 0.3 * (18 - 6 * e);  // E U^2 exp U - E U^2 E exp U
    const int good = answer.outcome == STI_SOLVED && cov->high <= bound->high / 2 && cov->high - cov->low < 1e-13 &&
                     by_hand > cov->low - 1e-13 && by_hand < cov->high + 1e-13;
    sti_bound_answer_clear(env, &answer);
    sti_env_destroy(env);
    return !good;
}
