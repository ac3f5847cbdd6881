// A block on a rough ground, pulled to and fro by 8 cos t (S3 section 2.2.3): it slips, sticks, and slips back, seven
// events in ten seconds, each found within a step. While it sticks it does not move at all.
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
    const sti_system_contact_text ground = {
        .name = "ground", .gap = "y", .slip_count = 1, .slip = (const char*[]){"x'"}, .mu = "0.8"};
    const sti_system_text text = {.coordinate_count = 2,
                                  .coordinates = (const char*[]){"x", "y"},
                                  .kinetic = "(x'^2 + y'^2)/2",
                                  .potential = "9.81*y",
                                  .forces = (const char*[]){"8*cos(t)", "0"},
                                  .contact_count = 1,
                                  .contacts = &ground,
                                  .q = (const char*[]){"3", "0"}};
    const double exact[] = {0.3386, 2.9463, 3.5328, 6.0879, 6.6744, 9.2295, 9.8160};  // it sticks, slips, sticks, ...
    sti_env* env;
    sti_system* system;
    sti_stepper* stepper;
    sti_stepper_options options = sti_stepper_options_default(STI_SCHEME_ALPHA);
    options.alpha = 1;
    options.step = 0.005;
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    if (sti_system_create(env, &text, &system) != STI_OK) return 1;
    if (sti_stepper_create(env, system, &options, &stepper) != STI_OK) return 1;

    int events = 0, last = STI_MODE_SLIDE;
    double x = sti_stepper_q(stepper)[0];
    while (sti_stepper_time(stepper) < 10 - options.step / 2) {
        sti_step_report r;
        if (sti_stepper_step(stepper, &r) != STI_OK || r.outcome != STI_SOLVED) return 1;
        const double moved = sti_stepper_q(stepper)[0] - x;
        x += moved;
        if (r.mode[0] == STI_MODE_STICK) expect(fabs(moved) < 1e-15, "no creep while it sticks");
        if (r.mode[0] == last) continue;
        printf("t = %6.3f: %s at x = %.6f\n", r.time, sti_contact_mode_text(r.mode[0]), x);
        expect(events < 7 && fabs(r.time - exact[events]) < 2 * options.step, "time of the event");
        events++;
        last = r.mode[0];
    }
    expect(events == 7, "number of events");
    expect(fabs(x - 2.991303) < 1e-3, "position at the end");
    sti_stepper_destroy(stepper);
    sti_system_destroy(system);
    sti_env_destroy(env);
    return failures != 0;
}
