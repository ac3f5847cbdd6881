// contact_modes.c: a block on the floor is pushed: which modes are possible, which one happens, how far is the next.
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
    // one planar body of mass 2 and inertia 1; corners at (-1, -1) and (1, -1), normal (0, 1), tangent to the left
    static const double M[9] = {2, 0, 0, 0, 2, 0, 0, 0, 1}, F[3] = {4, 10, 0}, v[3] = {0, 0, 0}, at_rest[1] = {0};
    static const double n[2][3] = {{0, 1, -1}, {0, 1, 1}}, t[3] = {-1, 0, -1};
    const sti_instant_contact contacts[2] = {
        {.name = "left", .mu = 0.5, .mu_kinetic = 0.5, .tangent_count = 1, .n = n[0], .t = t, .t_rate = at_rest},
        {.name = "right", .mu = 0.5, .mu_kinetic = 0.5, .tangent_count = 1, .n = n[1], .t = t, .t_rate = at_rest},
    };
    const sti_instant block = {
        .n = 3, .contact_count = 2, .tangent_total = 2, .M = M, .F = F, .v = v, .contacts = contacts};

    sti_env* env;
    CHECK(sti_env_create(NULL, &env) == STI_OK);
    sti_modes* modes;
    CHECK(sti_modes_create(env, &block, NULL, &modes) == STI_OK);
    printf("%d of %g modes are possible\n", modes->mode_count, modes->potential);
    for (int i = 0; i < modes->mode_count; i++) {
        const sti_mode* mode = &modes->modes[i];
        printf("  %s %-12s margin %9.6f\n", mode->text, sti_mode_fit_text(mode->fit), mode->wrenches->margin);
    }

    // pushed by 4 to the left against a friction limit of 5: it sticks, and 1 / sqrt(1 + mu^2) more makes it slide left
    const int sticks = sti_modes_find(modes, "nn"), slides = sti_modes_find(modes, "ll");
    CHECK(modes->strict_count == 1 && modes->modes[sticks].fit == STI_MODE_STRICT);
    CHECK(modes->change_from == sticks && modes->change_to == slides);
    CHECK(fabs(modes->change_size - 1 / sqrt(1.25)) < 1e-12);
    printf("%s\n", modes->change_face);

    sti_modes_verification check;
    CHECK(sti_verify_modes(env, &block, NULL, modes, &check) == STI_OK && check.accepted);
    printf("%s\n", check.text);
    sti_modes_destroy(modes);
    sti_env_destroy(env);
    return 0;
}
