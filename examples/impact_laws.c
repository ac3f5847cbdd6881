// Three equal balls in a row, the first one arriving: what the impact laws say, and whether a restitution matrix that
// sends only the last ball away may be used whatever the velocities before. Asserts the textbook answers.
#include <math.h>
#include <stdio.h>
#include <stiction/stiction.h>

static double rounded(double x) {
    return fabs(x) < 1e-12 ? 0 : x;
}

static int fail(sti_env* env, const char* what) {
    fprintf(stderr, "%s: %s\n", what, sti_env_error(env)->text);
    return 1;
}

int main(void) {
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, F[3] = {0}, v[3] = {1, 0, 0};
    const double n1[3] = {-1, 1, 0}, n2[3] = {0, -1, 1};
    const sti_instant_contact contacts[2] = {{.name = "1-2", .restitution = 1, .n = n1},
                                             {.name = "2-3", .restitution = 1, .n = n2}};
    // Newton's cradle: column 1 of E is (0, 1), so that (1, 0, 0) becomes (0, 0, 1)
    const double E[4] = {0, 1, 1, 0};
    const sti_instant instant = {
        .n = 3, .contact_count = 2, .M = M, .F = F, .v = v, .contacts = contacts, .restitution = NULL};
    sti_env* env;
    sti_impact *moreau = NULL, *cradle = NULL;
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    if (sti_impact_create(env, &instant, NULL, &moreau) != STI_OK) return fail(env, "impact");
    sti_impact_options options = sti_impact_options_default();
    options.E = E;
    if (sti_impact_create(env, &instant, &options, &cradle) != STI_OK) return fail(env, "impact");

    const sti_impact_solution* a = moreau->laws[STI_IMPACT_MOREAU].solutions;
    const sti_impact_solution* b = cradle->laws[STI_IMPACT_GENERAL].solutions;
    printf("Moreau, e = 1:   (%.4f, %.4f, %.4f), energy change %g\n", a->v[0], a->v[1], a->v[2],
           rounded(a->energy.direct));
    printf("Newton's cradle: (%.4f, %.4f, %.4f), energy change %g\n", b->v[0], b->v[1], b->v[2],
           rounded(b->energy.direct));
    printf("the cradle's matrix is %sadmissible for every velocity\n",
           cradle->test->admissible == STI_YES ? "" : "not ");

    sti_impact_verification check;
    bool good =
        sti_verify_impact(env, &instant, cradle, STI_IMPACT_GENERAL, 0, 1e-12, &check) == STI_OK && check.accepted;
    good = good && fabs(a->v[0] + 1.0 / 3) < 1e-12 && fabs(a->v[2] - 2.0 / 3) < 1e-12;
    good = good && fabs(b->v[0]) < 1e-12 && fabs(b->v[2] - 1) < 1e-12 && fabs(b->energy.direct) < 1e-12;
    good = good && cradle->test->admissible == STI_YES && cradle->test->corollary1;
    sti_impact_destroy(env, moreau);
    sti_impact_destroy(env, cradle);
    sti_env_destroy(env);
    return good ? 0 : 1;
}
