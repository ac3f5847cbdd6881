// A rod as formulas, and the instant at which it slides on its tip: the force along the normal that friction makes
// impossible at mu = 4/3 (Painleve).
#include <math.h>
#include <stdio.h>
#include <stiction/stiction.h>

#define CHECK(condition)                                          \
    do {                                                          \
        if (!(condition)) {                                       \
            fprintf(stderr, "not as expected: %s\n", #condition); \
            return 1;                                             \
        }                                                         \
    } while (0)

int main(void) {
    // half length 1, mass 1; xt and yt are the tip
    const sti_system_named definitions[] = {{"xt", "x - cos(theta)"}, {"yt", "y - sin(theta)"}};
    const char* const slip[] = {"xt'"};
    const sti_system_contact_text tip = {.name = "tip", .gap = "yt", .slip_count = 1, .slip = slip, .mu = "mu"};
    const sti_system_text text = {
        .parameter_count = 1,
        .parameter_names = (const char* const[]){"mu"},
        .parameters = (const double[]){1.5},
        .definition_count = 2,
        .definitions = definitions,
        .coordinate_count = 3,
        .coordinates = (const char* const[]){"x", "y", "theta"},
        .kinetic = "(x'^2 + y'^2)/2 + theta'^2/6",
        .potential = "9.81*y",
        .contact_count = 1,
        .contacts = &tip,
        .q = (const char* const[]){"0", "sin(theta)", "atan(2)"},
        .v = (const char* const[]){"-1", "0", "0"},
    };
    sti_env* env;
    sti_system* rod;
    sti_instant* instant;
    double t, q[3], v[3];
    CHECK(sti_env_create(NULL, &env) == STI_OK);
    CHECK(sti_system_create(env, &text, &rod) == STI_OK);
    CHECK(sti_system_state(rod, &t, q, v) == STI_OK);
    CHECK(sti_system_instant(env, rod, t, q, v, &instant) == STI_OK);

    // sliding to the left: the tip accelerates by n' M^-1 (n + mu t) for each newton of normal force
    const sti_instant_contact* c = &instant->contacts[0];
    double normal = 0, friction = 0;
    for (int k = 0; k < 3; k++) {  // M is diagonal
        normal += c->n[k] * c->n[k] / instant->M[4 * k];
        friction += c->n[k] * c->t[k] / instant->M[4 * k];
    }
    printf("n = (%g, %g, %g), t = (%g, %g, %g)\n", c->n[0], c->n[1], c->n[2], c->t[0], c->t[1], c->t[2]);
    printf("acceleration of the tip per newton: %g %+g mu, 0 at mu = %g\n", normal, friction, -normal / friction);
    CHECK(fabs(-normal / friction - 4.0 / 3) < 1e-14);

    sti_instant_destroy(env, instant);
    sti_system_destroy(rod);
    sti_env_destroy(env);
    return 0;
}
