// step_tools.h: systems from text and from scenes, options as printed, the account of energy, reference vectors: what
// the tests of steppers share.
#ifndef TESTS_STEP_STEP_TOOLS_H
#define TESTS_STEP_STEP_TOOLS_H

#include <math.h>
#include <stdlib.h>
#include <stiction/stiction.h>

#include "support/group_env.h"
#include "support/near.h"
#include "support/oracle.h"

static inline void must(sti_env* env, sti_status status) {
    if (status != STI_OK) print_error("%s\n", sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
}

static inline sti_document* load_scene(sti_env* env, const char* name) {
    char path[400];
    sti_document* p;
    snprintf(path, sizeof path, "%s/scenes/%s.json", STI_SOURCE_DIR, name);
    must(env, sti_document_load(env, path, &p));
    assert_int_equal(sti_document_kind(p), STI_KIND_SYSTEM);
    return p;
}

static inline sti_stepper* make_stepper(sti_env* env, const sti_system* system, const sti_stepper_options* options) {
    sti_stepper* s;
    must(env, sti_stepper_create(env, system, options, &s));
    return s;
}

static inline sti_step_report step_on(sti_env* env, sti_stepper* s) {
    sti_step_report r;
    must(env, sti_stepper_step(s, &r));
    if (r.outcome != STI_SOLVED) print_error("step %ld: %s\n", r.step, r.why);
    assert_int_equal(r.outcome, STI_SOLVED);
    return r;
}

// A number, or "4/3".
static inline double number_at(const cJSON* array, int i) {
    const cJSON* item = cJSON_GetArrayItem(array, i);
    if (!cJSON_IsString(item)) return cJSON_GetNumberValue(item);
    char* end;
    const double above = strtod(cJSON_GetStringValue(item), &end);
    return *end == '/' ? above / strtod(end + 1, NULL) : above;
}

// The vector of a case, each entry within tol of the largest, or of 1.
static inline void same_vector(const cJSON* expected, int n, const double* x, double tol) {
    double size = 1;
    assert_int_equal(cJSON_GetArraySize(expected), n);
    for (int i = 0; i < n; i++) size = fmax(size, fabs(number_at(expected, i)));
    for (int i = 0; i < n; i++) assert_near(x[i], number_at(expected, i), tol * size);
}

// As in S3, with the impact law of the errata.
static inline sti_stepper_options printed(double alpha, double h) {
    sti_stepper_options o = sti_stepper_options_printed(STI_SCHEME_ALPHA);
    o.law = STI_IMPACT_POISSON;
    o.alpha = alpha;
    o.step = h;
    return o;
}

// A sphere on the plane z = 0, velocities (x, y, z, wx, wy, wz): the slip of its lowest point. *user: 1, or -1 for
// tangents against x and y, the wall's side of convention 3 of the cases.
static inline bool sphere_values(void* user, double t, const double* q, const double* v, sti_system_values* out) {
    const double sign = *(const double*)user, m[6] = {1, 1, 1, 0.1, 0.1, 0.1};
    (void)t, (void)v;
    for (int i = 0; i < 6; i++) out->M[i * 6 + i] = m[i];
    out->F[2] = 9.81;
    out->k[2] = -9.81;
    out->contacts[0].gap = q[2] - 0.5;
    out->contacts[0].mu = 0.3;
    out->n[2] = 1;
    out->t[0] = sign;
    out->t[4] = -0.5 * sign;
    out->t[6 + 1] = sign;
    out->t[6 + 3] = 0.5 * sign;
    return true;
}

static inline sti_system* sphere_system(sti_env* env, double* sign) {
    sti_system* system;
    const double q[6] = {0, 0, 0.5}, v[6] = {2, 0.5};
    must(env, sti_system_create_def(env,
                                    &(sti_system_def){.coordinate_count = 6,
                                                      .coordinates = (const char*[]){"x", "y", "z", "a", "b", "c"},
                                                      .contact_count = 1,
                                                      .tangent_count = (int[]){2},
                                                      .q = q,
                                                      .v = v,
                                                      .evaluate = sphere_values,
                                                      .user = sign},
                                    &system));
    return system;
}

// Energy over a run, less the work of forces and moving surfaces.
typedef struct account {
    double first, size, work, loss, collisions, least, rise;
} account;

static inline account account_open(sti_env* env, const sti_system* system, const sti_stepper* s) {
    double kinetic, potential;
    must(env, sti_system_energy(system, sti_stepper_time(s), sti_stepper_q(s), sti_stepper_v(s), &kinetic, &potential));
    return (account){.first = kinetic + potential, .least = kinetic + potential, .size = 1 + kinetic + fabs(potential)};
}

static inline void account_enter(account* a, const sti_step_report* r) {
    a->work += r->work;
    a->loss += r->loss;
    a->collisions += r->collision_energy;
    a->size = fmax(a->size, 1 + r->kinetic + fabs(r->potential) + fabs(a->work));
    const double now = r->kinetic + r->potential - a->work;
    a->rise = fmax(a->rise, now - a->least);
    a->least = fmin(a->least, now);
}

#endif
