// study_sections.c: SEED COUNT: a point of random mass on a floor, pulled by a random force, with friction in a random
// section: does every way of asking tell the same motion, and the right one?
//
// The law makes the force in mu lambda_n S that is nearest to the pull in the metric of the inverse mass, which is
// found here by going round the border of S: corners and sides of a polygon, a curve in its parameter otherwise.
//
//     a contact problem     auto and newton: solved, velocities and verdict of the verifier
//     with a polygon also   sticking (the least factor is the gauge), modes (the one that is strict), both verified,
//                           and a step of a system by formulas, whose velocity is linear in time
//
// Exit code 1: something was wrong.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/stiction.h>
#include <string.h>

#include "base/rng.h"

enum { MOST = 8 };

typedef struct tally {
    int sticks, slides, polygons, wrong;
} tally;

typedef struct point {
    unsigned long seed;
    int trial;
    double mass[3], pull[2], weight, mu;  // mass: of z, x, y; weight along z
    double corner[2 * MOST], a, b, turn;  // half axes
    sti_section section;
    double x[2];  // accelerations, as they should be
} point;

static double between(sti_rng* rng, double low, double high) {
    return low + (high - low) * sti_rng_u01(rng);
}

static void complain(const point* k, tally* t, const char* what) {
    fprintf(stderr, "seed %lu, point %d: %s\n", k->seed, k->trial, what);
    t->wrong++;
}

static double superellipse(void* user, const double* y, double* x) {
    const point* k = user;
    const double e = 4.0 / 3, u = pow(fabs(k->a * y[0]), e), v = pow(fabs(k->b * y[1]), e);
    x[0] = copysign(k->a * pow(u / (u + v), 0.25), y[0]);
    x[1] = copysign(k->b * pow(v / (u + v), 0.25), y[1]);
    return pow(u + v, 1 / e);
}

static void make(sti_rng* rng, point* k) {
    for (int i = 0; i < 3; i++) k->mass[i] = between(rng, 0.3, 3);
    for (int i = 0; i < 2; i++) k->pull[i] = between(rng, -8, 8);
    k->weight = between(rng, 1, 9);
    k->mu = between(rng, 0.1, 1);
    k->a = between(rng, 0.3, 2);
    k->b = between(rng, 0.3, 2);
    k->turn = between(rng, 0, 6);
    const int kind = k->trial % 4, corners = sti_rng_int(rng, 3, MOST);
    for (int j = 0; j < corners; j++) {
        const double angle = k->turn + 2 * 3.14159265358979 * (j + between(rng, -0.2, 0.2)) / corners;
        k->corner[2 * j] = k->a * cos(angle);
        k->corner[2 * j + 1] = k->b * sin(angle);
    }
    k->section = (sti_section){.shape = STI_SECTION_POLYGON, .vertex_count = corners, .vertex = k->corner};
    if (kind == 1) k->section = (sti_section){.shape = STI_SECTION_ELLIPSE, .axes = {k->a, k->b}, .angle = k->turn};
    if (kind == 2) k->section = (sti_section){.shape = STI_SECTION_SUPPORT, .support = superellipse, .user = k};
}

// ---- the truth

// Border of the section, times mu and the weight, at the parameter 0 <= s < 1.
static void border(const point* k, double s, double x[2]) {
    const double angle = 2 * 3.141592653589793 * s, c = cos(angle), d = sin(angle), size = k->mu * k->weight;
    if (k->section.shape == STI_SECTION_ELLIPSE) {
        x[0] = size * (cos(k->turn) * k->a * c - sin(k->turn) * k->b * d);
        x[1] = size * (sin(k->turn) * k->a * c + cos(k->turn) * k->b * d);
    } else if (k->section.shape == STI_SECTION_SUPPORT) {
        x[0] = size * k->a * copysign(sqrt(fabs(c)), c);
        x[1] = size * k->b * copysign(sqrt(fabs(d)), d);
    } else {
        const int n = k->section.vertex_count, j = (int)floor(s * n) % n, l = (j + 1) % n;
        const double part = s * n - floor(s * n);
        for (int i = 0; i < 2; i++) x[i] = size * ((1 - part) * k->corner[2 * j + i] + part * k->corner[2 * l + i]);
    }
}

// Twice the kinetic energy of what is left of the pull.
static double left(const point* k, double s, double a[2]) {
    double x[2];
    border(k, s - floor(s), x);
    for (int i = 0; i < 2; i++) a[i] = (x[i] - k->pull[i]) / k->mass[1 + i];
    return k->mass[1] * a[0] * a[0] + k->mass[2] * a[1] * a[1];
}

// Inside: by the half planes of 4000 places of the border, which goes round counterclockwise.
static bool solve(point* k, double* margin) {
    enum { PLACES = 4000 };
    const int n =
        k->section.shape == STI_SECTION_POLYGON ? PLACES / k->section.vertex_count * k->section.vertex_count : PLACES;
    int best = 0;
    double a[2], least = INFINITY;
    *margin = INFINITY;
    for (int j = 0; j < n; j++) {
        double x[2], y[2];
        border(k, (double)j / n, x);
        border(k, (double)((j + 1) % n) / n, y);
        const double area = x[0] * y[1] - x[1] * y[0];
        *margin = fmin(*margin, 1 - ((y[1] - x[1]) * k->pull[0] + (x[0] - y[0]) * k->pull[1]) / area);
        const double value = left(k, (double)j / n, a);
        if (value < least) best = j;
        least = fmin(least, value);
    }
    k->x[0] = k->x[1] = 0;
    if (*margin > 0) return true;
    double low = (best - 1.0) / n, high = (best + 1.0) / n;
    const double golden = 0.5 * (sqrt(5) - 1);
    for (int l = 0; l < 90; l++) {
        const double p = high - golden * (high - low), q = low + golden * (high - low);
        if (left(k, p, a) < left(k, q, a))
            high = q;
        else
            low = p;
    }
    (void)left(k, 0.5 * (low + high), k->x);
    return false;
}

// ---- what is asked

static bool as_expected(const point* k, const double* x, double tol) {
    return fabs(x[0] - k->x[0]) <= tol * (1 + fabs(k->x[0])) && fabs(x[1] - k->x[1]) <= tol * (1 + fabs(k->x[1]));
}

static void ask_problem(sti_env* env, const point* k, tally* t) {
    const sti_contact_solver solvers[] = {STI_CONTACT_AUTO, STI_CONTACT_NEWTON};
    double W[9] = {0}, q[3] = {-k->weight / k->mass[0]};
    for (int i = 0; i < 3; i++) W[4 * i] = 1 / k->mass[i];
    for (int i = 0; i < 2; i++) q[1 + i] = -k->pull[i] / k->mass[1 + i];
    const sti_contact_problem p = {.dimension = 3,
                                   .contact_count = 1,
                                   .mu = &k->mu,
                                   .section = &k->section,
                                   .W = sti_matrix_dense_view(3, 3, W),
                                   .q = q};
    for (int s = 0; s < 2; s++) {
        sti_contact_options o = sti_contact_options_default();
        sti_contact_answer a;
        sti_contact_verification v;
        o.solver = solvers[s];
        if (sti_contact_solve(env, &p, &o, &a) != STI_OK || a.outcome != STI_SOLVED) {
            complain(k, t, "the contact problem is not solved");
            sti_contact_answer_clear(env, &a);
            continue;
        }
        if (!as_expected(k, a.u + 1, 1e-5)) complain(k, t, "the contact problem has another velocity");
        if (sti_verify_contact(env, &p, &a, 1e-8, &v) != STI_OK || !v.accepted)
            complain(k, t, "the answer to the contact problem is rejected");
        sti_contact_answer_clear(env, &a);
    }
}

static void ask_instant(sti_env* env, const point* k, double margin, tally* t) {
    static const double n[3] = {1, 0, 0}, rows[6] = {0, 1, 0, 0, 0, 1}, zero[3] = {0};
    const double F[3] = {k->weight, k->pull[0], k->pull[1]};
    double M[9] = {0};
    for (int i = 0; i < 3; i++) M[4 * i] = k->mass[i];
    const sti_instant_contact c = {.name = "foot",
                                   .mu = k->mu,
                                   .mu_kinetic = k->mu,
                                   .tangent_count = 2,
                                   .n = n,
                                   .t = rows,
                                   .t_rate = zero,
                                   .corner_count = k->section.vertex_count,
                                   .corner = k->corner};
    const sti_instant in = {.n = 3, .contact_count = 1, .tangent_total = 2, .M = M, .F = F, .v = zero, .contacts = &c};
    sti_sticking* s;
    sti_sticking_verification v;
    if (sti_sticking_create(env, &in, NULL, &s) != STI_OK) {
        complain(k, t, sti_env_error(env)->text);
        return;
    }
    if (s->answer.outcome != (margin > 0 ? STI_STICKING_YES : STI_STICKING_NO)) complain(k, t, "sticking is wrong");
    if (!(fabs(s->least_factor.mu - (1 - margin)) <= 1e-7)) complain(k, t, "another least factor");
    if (sti_verify_sticking(env, &in, &s->answer, 1e-9, &v) != STI_OK || !v.accepted)
        complain(k, t, "the answer about sticking is rejected");
    sti_sticking_destroy(s);
    sti_modes_options o = sti_modes_options_default();
    sti_modes* m;
    sti_modes_verification w;
    o.model = STI_FRICTION_SIDES;
    o.sides = k->section.vertex_count;
    if (sti_modes_create(env, &in, &o, &m) != STI_OK) {
        complain(k, t, sti_env_error(env)->text);
        return;
    }
    int strict = 0;
    for (int j = 0; j < m->mode_count; j++) {
        if (m->modes[j].fit != STI_MODE_STRICT) continue;
        double a[2];
        for (size_t i = 0; i < 2; i++) a[i] = sti_rationals_double(m->modes[j].solution->point, 1 + i);
        strict++;
        if (!as_expected(k, a, 1e-6)) complain(k, t, "a mode has another acceleration");
    }
    if (strict != 1) complain(k, t, "not one strict mode");
    if (sti_verify_modes(env, &in, &o, m, &w) != STI_OK || !w.accepted) complain(k, t, "the modes are rejected");
    sti_modes_destroy(m);
}

// From rest with constant forces: v+ = h a, exactly.
static void ask_step(sti_env* env, const point* k, tally* t) {
    char text[2000];
    int at = snprintf(
        text, sizeof text,
        "{\"kind\": \"system\", \"coordinates\": [\"z\", \"x\", \"y\"], \"kinetic\": \"(%.17g*z'^2 + %.17g*x'^2 "
        "+ %.17g*y'^2)/2\", \"potential\": \"%.17g*z + %.17g*x + %.17g*y\", \"contacts\": [{\"gap\": \"z\", "
        "\"slip\": [\"x'\", \"y'\"], \"mu\": %.17g, \"polygon\": [",
        k->mass[0], k->mass[1], k->mass[2], k->weight, k->pull[0], k->pull[1], k->mu);
    for (int j = 0; j < k->section.vertex_count; j++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s[%.17g, %.17g]", j > 0 ? ", " : "", k->corner[2 * j],
                       k->corner[2 * j + 1]);
    at += snprintf(text + at, sizeof text - (size_t)at, "]}]}");
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    sti_document* document = NULL;
    sti_stepper* s = NULL;
    o.alpha = 1;
    sti_step_report r;
    sti_status status = sti_document_parse(env, text, (size_t)at, "point", &document);
    if (status == STI_OK) status = sti_stepper_create(env, sti_system_of(document), &o, &s);
    if (status == STI_OK) status = sti_stepper_step(s, &r);
    if (status != STI_OK || r.outcome != STI_SOLVED) {
        complain(k, t, status != STI_OK ? sti_env_error(env)->text : "the step is not solved");
    } else {
        const double a[2] = {sti_stepper_v(s)[1] / 0.01, sti_stepper_v(s)[2] / 0.01};
        if (!as_expected(k, a, 1e-6)) complain(k, t, "the step has another velocity");
    }
    sti_stepper_destroy(s);
    sti_document_destroy(document);
}

int main(int argc, char** argv) {
    if (argc != 3) {
        fprintf(stderr, "study_sections SEED COUNT\n");
        return 2;
    }
    point k = {.seed = strtoul(argv[1], NULL, 10)};
    const int count = atoi(argv[2]);
    sti_rng rng = {k.seed};
    sti_env* env;
    tally t = {0};
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    for (k.trial = 0; k.trial < count; k.trial++) {
        double margin;
        make(&rng, &k);
        const bool sticks = solve(&k, &margin);
        if (fabs(margin) < 1e-5) continue;  // on the border, up to what going round it can tell
        t.sticks += sticks;
        t.slides += !sticks;
        ask_problem(env, &k, &t);
        if (k.section.shape != STI_SECTION_POLYGON) continue;
        t.polygons++;
        ask_instant(env, &k, margin, &t);
        ask_step(env, &k, &t);
    }
    sti_env_destroy(env);
    printf("study_sections: seed %lu, %d points: stick %d, slide %d, %d with polygons asked four ways; %d wrong\n",
           k.seed, count, t.sticks, t.slides, t.polygons, t.wrong);
    return t.wrong > 0;
}
