// order.c: how fast the alpha schemes converge, and that nothing creeps.
//
//     spring     a stiff chain: two masses, springs of 1 and 1e4, cubic, damped, driven; no joints, M constant
//     double     double pendulum in angles: M(q) and Coriolis forces
//     joint      pendulum in x, y with a rod as a joint
//     stick      the stick-slip block of S3 2.2.3, against its exact piecewise solution
//
// Error: largest deviation of the position at the end (stick: over all steps). References of the first three are
// Runge-Kutta solutions of order 4 with 1e5 steps or more, of the last its closed form with events to 1e-15. `old` is the
// scheme as printed, `ahead` takes mass, inertial forces and gradients at q + h v / 2, and keeps the balance of energy unless
// it says so.
//
// Then the creep of a block on a slope and of a mass held between fingers, ten seconds each.
//
// CSV to stdout, a table to stderr, a picture order.svg in STI_BENCH_RESULTS.
#include <math.h>
#include <stdlib.h>
#include <stiction/stiction.h>
#include <string.h>

#include "svg.h"

enum { CASES = 4, KINDS = 5, STEPS = 6 };

static const char* const case_names[CASES] = {"spring", "double", "joint", "stick"};

typedef struct kind {
    const char* name;
    double alpha;
    sti_geometry geometry;
    bool balance;
    svg_pen pen;
} kind;

static const kind kinds[KINDS] = {
    {"alpha 1, old", 1, STI_GEOMETRY_OLD, false, {"#c0392b", 2, NULL}},
    {"alpha 1/2, old", 0.5, STI_GEOMETRY_OLD, false, {"#2471a3", 2, "5 3"}},
    {"alpha 1, ahead", 1, STI_GEOMETRY_AHEAD, true, {"#e59866", 2, NULL}},
    {"alpha 1/2, ahead, no balance", 0.5, STI_GEOMETRY_AHEAD, false, {"#82c99b", 2, "5 3"}},
    {"alpha 1/2, ahead", 0.5, STI_GEOMETRY_AHEAD, true, {"#1e8449", 2, NULL}}};

static const double ends[CASES] = {2, 1, 1, 10};
static const double first_step[CASES] = {0.02, 0.02, 0.02, 0.1};
static const double pi = 3.14159265358979323846;

static void must(sti_env* env, sti_status status) {
    if (status == STI_OK) return;
    fprintf(stderr, "order: %s\n", sti_env_error(env)->text);
    exit(3);
}

// ---- the systems, and the right sides of their equations

static sti_system* make(sti_env* env, int which) {
    sti_system* s = NULL;
    const sti_system_contact_text rod = {.name = "rod", .gap = "(x^2 + y^2 - 1)/2"};
    const sti_system_contact_text ground = {
        .name = "ground", .gap = "y", .slip_count = 1, .slip = (const char*[]){"x'"}, .mu = "0.8"};
    const sti_system_text texts[CASES] = {
        {.coordinate_count = 2,
         .coordinates = (const char*[]){"x", "y"},
         .kinetic = "(x'^2 + y'^2)/2",
         .potential = "x^2/2 + x^4/4 + 1e4*(y - x)^2/2",
         .forces = (const char*[]){"cos(3*t) - 0.1*x'", "-20*y'"},
         .q = (const char*[]){"1", "1"}},
        {.coordinate_count = 2,
         .coordinates = (const char*[]){"a", "b"},
         .kinetic = "a'^2 + b'^2/2 + a'*b'*cos(a - b)",
         .potential = "-9.81*(2*cos(a) + cos(b))",
         .q = (const char*[]){"2", "1"}},
        {.coordinate_count = 2,
         .coordinates = (const char*[]){"x", "y"},
         .kinetic = "(x'^2 + y'^2)/2",
         .potential = "9.81*y",
         .joint_count = 1,
         .joints = &rod,
         .q = (const char*[]){"sin(pi/3)", "-cos(pi/3)"}},
        {.coordinate_count = 2,
         .coordinates = (const char*[]){"x", "y"},
         .kinetic = "(x'^2 + y'^2)/2",
         .potential = "9.81*y",
         .forces = (const char*[]){"8*cos(t)", "0"},
         .contact_count = 1,
         .contacts = &ground,
         .q = (const char*[]){"3", "0"}},
    };
    must(env, sti_system_create(env, &texts[which], &s));
    return s;
}

static void spring_rate(double t, const double* z, double* d) {
    d[0] = z[2];
    d[1] = z[3];
    d[2] = -z[0] - z[0] * z[0] * z[0] + 1e4 * (z[1] - z[0]) + cos(3 * t) - 0.1 * z[2];
    d[3] = -1e4 * (z[1] - z[0]) - 20 * z[3];
}

static void double_rate(double t, const double* z, double* d) {
    (void)t;
    const double c = cos(z[0] - z[1]), s = sin(z[0] - z[1]);
    const double f = -z[3] * z[3] * s - 2 * 9.81 * sin(z[0]), g = z[2] * z[2] * s - 9.81 * sin(z[1]);
    d[0] = z[2];
    d[1] = z[3];
    d[2] = (f - c * g) / (2 - c * c);
    d[3] = (2 * g - c * f) / (2 - c * c);
}

static void pendulum_rate(double t, const double* z, double* d) {
    (void)t;
    d[0] = z[2];
    d[1] = 0;
    d[2] = -9.81 * sin(z[0]);
    d[3] = 0;
}

static void reference(int which, double* q) {
    void (*const rate[])(double, const double*, double*) = {spring_rate, double_rate, pendulum_rate};
    double z[4] = {1, 1, 0, 0}, k[4][4], x[4];
    if (which == 1) z[0] = 2;
    if (which == 2) z[0] = pi / 3;
    const long steps = 200000;
    const double h = ends[which] / (double)steps, part[4] = {0, 0.5, 0.5, 1};
    for (long l = 0; l < steps; l++) {
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < 4; i++) x[i] = z[i] + (s > 0 ? part[s] * h * k[s - 1][i] : 0);
            rate[which](h * ((double)l + part[s]), x, k[s]);
        }
        for (int i = 0; i < 4; i++) z[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
    q[0] = which == 2 ? sin(z[0]) : z[0];
    q[1] = which == 2 ? -cos(z[0]) : z[1];
}

// ---- the block: x'' = 8 cos t -+ 7.848 while it slips, from rest at t0 in the direction of the force

typedef struct phases {
    int count;
    double t[20], x[20];
    bool slips[20];
} phases;

static double slip_velocity(double t0, double t) {
    return 8 * (sin(t) - sin(t0)) - copysign(7.848, cos(t0)) * (t - t0);
}

static double slip_distance(double t0, double t) {
    const double d = t - t0;
    return -8 * (cos(t) - cos(t0)) - 8 * sin(t0) * d - copysign(7.848, cos(t0)) * d * d / 2;
}

static phases exact_phases(double end) {
    phases p = {.count = 1, .x = {3}, .slips = {true}};
    while (p.t[p.count - 1] < end && p.count < 20) {
        const int k = p.count - 1;
        double a = p.t[k] + 1e-3, b = a;
        if (p.slips[k]) {
            while (slip_velocity(p.t[k], b) * cos(p.t[k]) > 0) b += 1e-3;
            for (int i = 0; i < 80; i++) {
                const double m = (a + b) / 2;
                if (slip_velocity(p.t[k], m) * cos(p.t[k]) > 0)
                    a = m;
                else
                    b = m;
            }
            p.x[p.count] = p.x[k] + slip_distance(p.t[k], b);
        } else {
            // the force reaches the bound next at pi - acos(7.848 / 8) or pi later, and so on
            const double c = acos(7.848 / 8);
            b = pi - c;
            while (b <= p.t[k]) b += pi;
            p.x[p.count] = p.x[k];
        }
        p.t[p.count] = b;
        p.slips[p.count++] = !p.slips[k];
    }
    return p;
}

static double exact_position(const phases* p, double t) {
    int k = 0;
    while (k + 1 < p->count && p->t[k + 1] <= t) k++;
    return p->x[k] + (p->slips[k] ? slip_distance(p->t[k], t) : 0);
}

// ---- measuring

static double measure(sti_env* env, const sti_system* system, int which, const kind* k, double h) {
    sti_stepper* s;
    sti_step_report r;
    sti_stepper_options o = k->geometry == STI_GEOMETRY_OLD ? sti_stepper_options_printed(STI_SCHEME_ALPHA)
                                                            : sti_stepper_options_default(STI_SCHEME_ALPHA);
    o.alpha = k->alpha;
    o.balance = k->balance;
    o.step = h;
    must(env, sti_stepper_create(env, system, &o, &s));
    const phases p = exact_phases(ends[3]);
    const int count = (int)lround(ends[which] / h);
    double error = 0;
    for (int l = 1; l <= count; l++) {
        must(env, sti_stepper_step(s, &r));
        if (r.outcome != STI_SOLVED) {
            fprintf(stderr, "order: %s: %s\n", case_names[which], r.why);
            exit(1);
        }
        if (which == 3) error = fmax(error, fabs(sti_stepper_q(s)[0] - exact_position(&p, l * h)));
    }
    if (which < 3) {
        double q[2];
        reference(which, q);
        for (int i = 0; i < 2; i++) error = fmax(error, fabs(sti_stepper_q(s)[i] - q[i]));
    }
    sti_stepper_destroy(s);
    return error;
}

static void creep(sti_env* env, const char* scene, double h) {
    char path[400];
    sti_document* p;
    sti_stepper* s;
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    o.step = h;
    snprintf(path, sizeof path, "%s/scenes/%s.json", STI_SOURCE_DIR, scene);
    must(env, sti_document_load(env, path, &p));
    const sti_system* system = sti_system_of(p);
    must(env, sti_stepper_create(env, system, &o, &s));
    double q[16] = {0}, worst = 0;
    const int n = sti_system_coordinate_count(system);
    memcpy(q, sti_stepper_q(s), (size_t)n * sizeof *q);
    const int count = (int)lround(10 / h);
    for (int l = 0; l < count; l++) must(env, sti_stepper_step(s, NULL));
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(sti_stepper_q(s)[i] - q[i]));
    fprintf(stderr, "creep of %s in 10 s, h = %g: %.2g\n", scene, h, worst);
    printf("creep,%s,%g,%.17g,\n", scene, h, worst);
    sti_stepper_destroy(s);
    sti_document_destroy(p);
}

static void draw(const double error[CASES][KINDS][STEPS]) {
    const char* folder = getenv("STI_BENCH_RESULTS");
    if (folder == NULL) return;
    char path[400];
    snprintf(path, sizeof path, "%s/order.svg", folder);
    FILE* file = svg_open(path, 60 + 250 * CASES, 380);
    if (file == NULL) return;
    for (int c = 0; c < CASES; c++) {
        const svg_chart chart = {file,
                                 60 + 250.0 * c,
                                 30,
                                 190,
                                 230,
                                 {1e-4, 1e-1, true, 10, "h"},
                                 {1e-9, 1, true, 10, c == 0 ? "error of the position" : NULL}};
        svg_axes(&chart, case_names[c]);
        for (int k = 0; k < KINDS; k++) {
            double h[STEPS], e[STEPS];
            for (int i = 0; i < STEPS; i++) {
                h[i] = first_step[c] / pow(2, i);
                e[i] = fmin(fmax(error[c][k][i], 1e-9), 1);
                svg_dot(&chart, h[i], e[i], kinds[k].pen.colour);
            }
            svg_curve(&chart, STEPS, h, e, kinds[k].pen);
        }
    }
    for (int k = 0; k < KINDS; k++) svg_legend(file, 70, 315, k, kinds[k].pen, kinds[k].name);
    if (!svg_close(file)) fprintf(stderr, "order: %s could not be written\n", path);
}

int main(void) {
    sti_env* env;
    static double error[CASES][KINDS][STEPS];
    if (sti_env_create(NULL, &env) != STI_OK) return 3;
    printf("case,scheme,h,error,order\n");
    for (int c = 0; c < CASES; c++) {
        sti_system* system = make(env, c);
        for (int k = 0; k < KINDS; k++) {
            fprintf(stderr, "%-8s %-28s", case_names[c], kinds[k].name);
            for (int i = 0; i < STEPS; i++) {
                const double h = first_step[c] / pow(2, i);
                error[c][k][i] = measure(env, system, c, &kinds[k], h);
                const double order = i > 0 ? log2(error[c][k][i - 1] / error[c][k][i]) : NAN;
                fprintf(stderr, "  %.1e (%4.2f)", error[c][k][i], order);
                printf("%s,\"%s\",%.17g,%.17g,", case_names[c], kinds[k].name, h, error[c][k][i]);
                if (i > 0) printf("%.3f", order);
                printf("\n");
            }
            fprintf(stderr, "\n");
        }
        sti_system_destroy(system);
    }
    creep(env, "slope-block", 0.01);
    creep(env, "slope-block", 0.002);
    creep(env, "three-fingers", 0.01);
    creep(env, "guided-mass", 0.01);
    draw(error);
    sti_env_destroy(env);
    return 0;
}
