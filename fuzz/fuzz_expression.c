// fuzz_expression.c: any bytes as the formulas of a system: a line each for kinetic energy, gap, slip and start. What
// compiles is evaluated.
#include "fuzz.h"

enum { LINES = 4, LONGEST = 4000 };

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static char text[LONGEST + 1];
    sti_env* env = fuzz_env();
    const char* line[LINES] = {"0", "0", "0", "0"};
    if (size > LONGEST) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    char* next = text;
    for (int k = 0; k < LINES && next != NULL; k++) {
        line[k] = next;
        next = strchr(next, '\n');
        if (next != NULL) *next++ = '\0';
    }
    const char* const slip[] = {line[2]};
    const sti_system_contact_text contact = {.gap = line[1], .slip_count = 1, .slip = slip, .mu = "m"};
    const sti_system_named definition = {"d", "x*sin(y) + t"};
    const sti_system_text formulas = {.parameter_count = 1,
                                      .parameter_names = (const char*[]){"m"},
                                      .parameters = (const double[]){2},
                                      .definition_count = 1,
                                      .definitions = &definition,
                                      .coordinate_count = 2,
                                      .coordinates = (const char*[]){"x", "y"},
                                      .kinetic = line[0],
                                      .potential = "m*y",
                                      .contact_count = 1,
                                      .contacts = &contact,
                                      .q = (const char*[]){line[3], "1/3"}};
    sti_system* system;
    sti_status status = sti_system_create(env, &formulas, &system);
    if (status != STI_OK) {
        fuzz_check_error(env, status);
        return 0;
    }
    double t, q[2], v[2];
    sti_instant* instant = NULL;
    status = sti_system_state(system, &t, q, v);
    if (status == STI_OK) status = sti_system_instant(env, system, t, q, v, &instant);
    if (status != STI_OK) fuzz_check_error(env, status);
    sti_instant_destroy(env, instant);
    sti_system_destroy(system);
    return 0;
}
