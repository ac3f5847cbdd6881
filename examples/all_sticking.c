// Can a ladder stand? Its foot is held in a rough slot (bilateral), its top leans on a rough wall (unilateral). The
// four contact forces are one too many for the three equations of motion, so they are a family; the question is about
// all of it.
#include <math.h>
#include <stdio.h>
#include <stiction/stiction.h>

static int failures = 0;

static void expect(int condition, const char* what) {
    if (condition) return;
    fprintf(stderr, "not as expected: %s\n", what);
    failures++;
}

int main(void) {
    const double m = 3, l = 1.1, theta = 0.7, c = l * cos(theta), s = l * sin(theta);
    const double M[] = {m, 0, 0, 0, m, 0, 0, 0, m * l * l / 3}, F[] = {0, 9.81 * m, 0}, v[3] = {0}, rate[1] = {0};
    const double slot_n[] = {0, 1, -c}, slot_t[] = {1, 0, s}, wall_n[] = {-1, 0, s}, wall_t[] = {0, 1, c};
    sti_instant_contact contacts[] = {
        {.name = "slot", .bilateral = true, .mu = 0.5, .tangent_count = 1, .n = slot_n, .t = slot_t, .t_rate = rate},
        {.name = "wall", .mu = 0.5, .tangent_count = 1, .n = wall_n, .t = wall_t, .t_rate = rate},
    };
    const sti_instant instant = {
        .n = 3, .contact_count = 2, .tangent_total = 2, .M = M, .F = F, .v = v, .contacts = contacts};
    const double least = (1 - sin(theta)) / cos(theta);  // by hand: the least coefficient of friction

    sti_env* env;
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    for (int slippery = 0; slippery < 2; slippery++) {
        contacts[0].mu = contacts[1].mu = slippery ? 0.4 : 0.5;
        sti_sticking* r;
        sti_sticking_verification check;
        if (sti_sticking_create(env, &instant, NULL, &r) != STI_OK) return 1;
        printf("mu = %g: %s\n", contacts[0].mu, sti_sticking_outcome_text(r->answer.outcome));
        if (r->answer.outcome == STI_STICKING_YES)
            printf("    wall pushes with %.3f to %.3f\n", r->lower[2], r->upper[2]);
        printf("    least coefficient of friction %.6f\n", r->least_common.mu);
        expect(r->answer.outcome == (slippery ? STI_STICKING_NO : STI_STICKING_YES), "outcome");
        expect(fabs(r->least_common.mu - least) < 1e-9, "least friction");
        expect(!r->least_sticks, "the least-norm forces alone would say no, either way");
        expect(sti_verify_sticking(env, &instant, &r->answer, 1e-9, &check) == STI_OK && check.accepted,
               "verification");
        printf("    verifier: %s\n", check.text);
        sti_sticking_destroy(r);
    }
    sti_env_destroy(env);
    return failures != 0;
}
