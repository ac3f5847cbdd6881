// pebble_bed.c: the two studies of S3 2.3, and how a step grows with the bed.
//
//     optimization   one and the same step, from a bed in the middle of its impact, by every solver, and by PETSc/TAO where
//                    libstiction_tao was built: iterations, time, memory, precision
//     simulation     the whole fall with every solver until the kinetic energy per pebble is below 1e-2: figure 2.5, E(t) and
//                    E_rel, the distance of each from the interior-point run
//     scaling        a settled bed of 10^3 to 4 10^5 pebbles, Coulomb's law: time for a step and a sweep, memory, and the part of
//                    the memory bandwidth (a triad measured in the same run) that a sweep moves
//
//     bench_pebble_bed [--studies optimization,simulation,scaling] [--counts 800,1600] [--largest 400000] [--limit 120]
//
// CSV to stdout, tables to stderr, pictures (pebble_bed_energy.svg, pebble_bed_scaling.svg) to STI_BENCH_RESULTS. Every run
// has a process of its own and `limit` seconds of CPU time.
#include <stdint.h>
#include <stiction/granular.h>
#include <string.h>

#include "measure.h"
#include "svg.h"
#ifdef STI_HAVE_TAO
#include "stiction_tao.h"
#endif

enum { COUNTS = 8, SAMPLES = 400, TRIAD = 1 << 23 };

typedef struct settings {
    const char* studies;
    int counts[COUNTS];
    int count_count;
    long largest;
    double limit_s;
} settings;

static sti_env* open_env(int workers) {
    sti_env_def def = sti_env_def_default();
    def.workers = workers;
    sti_env* env;
    if (sti_env_create(&def, &env) != STI_OK) exit(3);
    return env;
}

static void must(sti_env* env, sti_status status) {
    if (status == STI_OK) return;
    fprintf(stderr, "pebble_bed: %s\n", sti_env_error(env)->text);
    exit(3);
}

// S3's step: three facets, all of a penetration taken back, eps = max(0.05, 2 h v_max).
static sti_bed_options thesis_options(double h, sti_bed_solver solver, double tol) {
    sti_bed_options o = sti_bed_options_default();
    o.h = h;
    o.law = STI_LAW_FACETS;
    o.solver = solver;
    o.tol = tol;
    o.eps = 0.05;
    o.eps_speed = 2;
    return o;
}

static sti_bed* make_bed(sti_env* env, int count, const sti_bed_options* o) {
    const sti_pebble_bed def = sti_pebble_bed_default(count);
    sti_grains g;
    sti_bed* bed;
    must(env, sti_grains_pebble_bed(env, &def, &g));
    must(env, sti_bed_create(env, &g, o, &bed));
    sti_grains_clear(env, &g);
    return bed;
}

// ---- optimization test

typedef struct job {
    int count;
    double h, tol;
    sti_bed_solver solver;
    int workers;
    const char* tao;  // instead of solver: a method of libstiction_tao
} job;

#ifdef STI_HAVE_TAO
static const char* const tao_names[] = {"tao:blmvm", "tao:tron", "tao:bqpip"};
enum { TAO_NAMES = 3 };

static void use_tao(sti_env* env, sti_bed* bed, const char* name) {
    sti_bed_method method;
    if (!sti_tao_method(name, &method)) exit(3);
    must(env, sti_bed_use(bed, &method));
}
#else
static const char* const tao_names[] = {NULL};
enum { TAO_NAMES = 0 };

static void use_tao(sti_env* env, sti_bed* bed, const char* name) {
    (void)env;
    (void)bed;
    (void)name;
}

static void sti_tao_shutdown(void) {}
#endif

typedef struct optimized {
    int contacts;
    long iterations;
    double cpu_s, peak_mb, residual, gap, objective;
} optimized;

// A bed that has fallen for 0.9 s, by accelerated gradients, and then the one step.
static void optimize(void* context, void* out) {
    const job* j = context;
    sti_env* env = open_env(1);
    const sti_bed_options fall = thesis_options(0.01, STI_BED_APGD, 1e-3);
    sti_bed* bed = make_bed(env, j->count, &fall);
    for (int k = 0; k < 90; k++) must(env, sti_bed_step(bed, NULL));
    const size_t n = 3 * (size_t)j->count;
    double* state = bench_memory(3 * n, sizeof *state);
    sti_bed_get(bed, state, state + n, state + 2 * n);
    sti_bed_destroy(bed);
    const sti_bed_options one = thesis_options(j->h, j->solver, j->tol);
    bed = make_bed(env, j->count, &one);
    must(env, sti_bed_set(bed, state, state + n, state + 2 * n));
    if (j->tao != NULL) use_tao(env, bed, j->tao);
    sti_bed_report report;
    const double before = bench_cpu();
    must(env, sti_bed_step(bed, &report));
    *(optimized*)out = (optimized){report.contacts, report.iterations, bench_cpu() - before, bench_peak_mb(),
                                   report.residual, report.gap,        report.objective};
    sti_bed_destroy(bed);
    sti_tao_shutdown();
    free(state);
    sti_env_destroy(env);
}

static void study_optimization(const settings* set) {
    fprintf(stderr, "\none step during the impact, tol 1e-8\n%6s %6s %-9s %9s %10s %9s %8s %9s %9s\n", "N", "h",
            "solver", "contacts", "iterations", "cpu s", "MB", "residual", "gap");
    for (int c = 0; c < set->count_count; c++) {
        for (int hk = 0; hk < 2; hk++) {
            for (int s = 0; s < STI_BED_SOLVER_COUNT + TAO_NAMES; s++) {
                job j = {.count = set->counts[c], .h = hk == 0 ? 0.05 : 0.01, .tol = 1e-8};
                if (s < STI_BED_SOLVER_COUNT)
                    j.solver = (sti_bed_solver)s;
                else
                    j.tao = tao_names[s - STI_BED_SOLVER_COUNT];
                optimized r;
                const char* name = j.tao != NULL ? j.tao : sti_bed_solver_text(j.solver);
                if (bench_apart(optimize, &j, &r, sizeof r, set->limit_s) != BENCH_RETURNED) {
                    fprintf(stderr, "%6d %6g %-9s not within %g s\n", j.count, j.h, name, set->limit_s);
                    printf("optimization,%d,%g,%s,,,,,,,,,,,,,,,\n", j.count, j.h, name);
                    continue;
                }
                fprintf(stderr, "%6d %6g %-9s %9d %10ld %9.3f %8.0f %9.1e %9.1e\n", j.count, j.h, name, r.contacts,
                        r.iterations, r.cpu_s, r.peak_mb, r.residual, r.gap);
                printf("optimization,%d,%g,%s,%d,%ld,%.6g,%.6g,%.6g,%.6g,%.17g,,,,,,,,\n", j.count, j.h, name,
                       r.contacts, r.iterations, r.cpu_s, r.peak_mb, r.residual, r.gap, r.objective);
                fflush(stdout);
            }
        }
    }
}

// ---- simulation test

typedef struct fall {
    int samples;
    double t[SAMPLES], energy[SAMPLES];
    double cpu_s, peak_mb, worst_residual, worst_penetration, rest, balance;
    sti_packing packing;
    long iterations;
} fall;

static void simulate(void* context, void* out) {
    const job* j = context;
    fall* f = out;
    *f = (fall){.rest = NAN};
    sti_env* env = open_env(1);
    const sti_bed_options o = thesis_options(j->h, j->solver, j->tol);
    sti_bed* bed = make_bed(env, j->count, &o);
    const double before = bench_cpu();
    double balance = 0;
    int balances = 0;
    for (int k = 0; f->samples < SAMPLES && k * j->h < 8; k++) {
        sti_bed_report report;
        must(env, sti_bed_step(bed, &report));
        f->worst_residual = fmax(f->worst_residual, report.residual);
        f->worst_penetration = fmax(f->worst_penetration, report.penetration);
        f->iterations += report.iterations;
        if (report.time > 1 && isnan(f->rest) && report.kinetic < 1e-2 * j->count) f->rest = report.time;
        if (!isnan(f->rest)) {
            balance += report.balance;
            balances++;
        }
        if ((k + 1) % (j->h < 0.02 ? 5 : 1) == 0) {
            f->t[f->samples] = report.time;
            f->energy[f->samples++] = report.kinetic;
        }
        if (!isnan(f->rest) && report.time > f->rest + 0.5) break;
    }
    f->cpu_s = bench_cpu() - before;
    f->peak_mb = bench_peak_mb();
    f->balance = balances > 0 ? balance / balances : NAN;
    const sti_pebble_bed def = sti_pebble_bed_default(j->count);
    sti_grains g;
    must(env, sti_grains_pebble_bed(env, &def, &g));
    sti_bed_get(bed, g.x, NULL, NULL);
    must(env, sti_grains_packing(env, &g, g.x, &f->packing));
    sti_grains_clear(env, &g);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

static const char* const colours[] = {"#d62728", "#1f77b4", "#2ca02c", "#ff7f0e", "#9467bd", "#222222"};

static void draw_energy(const char* path, int count, double h, const fall* falls) {
    FILE* file = svg_open(path, 980, 420);
    if (file == NULL) return;
    const double end = 4;
    char title[80];
    snprintf(title, sizeof title, "kinetic energy, %d pebbles, h = %g", count, h);
    svg_chart c = {file, 70, 40, 380, 320, {0, end, false, 0.5, "t"}, {1, 1e5, true, 10, "E"}};
    svg_axes(&c, title);
    svg_chart d = {file, 560, 40, 380, 320, {0, end, false, 0.5, "t"}, {1e-8, 1, true, 10, "|E - E_ipm| / E_ipm"}};
    svg_axes(&d, "distance from the interior-point run");
    const fall* reference = &falls[STI_BED_IPM];
    for (int s = 0; s < STI_BED_SOLVER_COUNT; s++) {
        const fall* f = &falls[s];
        double x[SAMPLES], y[SAMPLES], z[SAMPLES];
        int points = 0, others = 0;
        for (int k = 0; k < f->samples && f->t[k] <= end; k++, points++) {
            x[points] = f->t[k];
            y[points] = fmin(fmax(f->energy[k], 1), 1e5);
        }
        if (points == 0) continue;
        svg_curve(&c, points, x, y, (svg_pen){colours[s], 1.5, NULL});
        svg_legend(file, c.left + 300, 60, s, (svg_pen){colours[s], 1.5, NULL}, sti_bed_solver_text((sti_bed_solver)s));
        for (int k = 0; k < f->samples && k < reference->samples && f->t[k] <= end && s != STI_BED_IPM; k++, others++)
            z[others] = fmin(1, fmax(1e-8, fabs(f->energy[k] / reference->energy[k] - 1)));
        if (others > 0) svg_curve(&d, others, x, z, (svg_pen){colours[s], 1.2, NULL});
    }
    svg_close(file);
}

static void study_simulation(const settings* set) {
    fprintf(stderr, "\nthe whole fall, tol 1e-6\n%6s %6s %-6s %9s %9s %7s %9s %9s %8s %8s %8s\n", "N", "h", "solver",
            "cpu s", "iter", "rest s", "residual", "depth", "balance", "packing", "E_rel");
    const char* folder = getenv("STI_BENCH_RESULTS");
    for (int c = 0; c < set->count_count; c++) {
        for (int hk = 0; hk < 2; hk++) {
            static fall falls[STI_BED_SOLVER_COUNT];
            memset(falls, 0, sizeof falls);
            const double h = hk == 0 ? 0.05 : 0.01;
            for (int s = STI_BED_SOLVER_COUNT - 1; s >= 0; s--) {
                job j = {.count = set->counts[c], .h = h, .tol = 1e-6, .solver = (sti_bed_solver)s};
                const char* name = sti_bed_solver_text(j.solver);
                if (bench_apart(simulate, &j, &falls[s], sizeof falls[s], set->limit_s) != BENCH_RETURNED) {
                    fprintf(stderr, "%6d %6g %-6s not within %g s\n", j.count, h, name, set->limit_s);
                    printf("simulation,%d,%g,%s,,,,,,,,,,,,,,,\n", j.count, h, name);
                    falls[s].samples = 0;
                    continue;
                }
                const fall *f = &falls[s], *r = &falls[STI_BED_IPM];
                double apart = 0;  // until the bed is near rest
                for (int k = 0; k < f->samples && k < r->samples && r->energy[k] > 0.1 * j.count; k++)
                    apart = fmax(apart, fabs(f->energy[k] / r->energy[k] - 1));
                fprintf(stderr, "%6d %6g %-6s %9.2f %9ld %7.2f %9.1e %9.1e %8.4f %8.4f %8.1e\n", j.count, h, name,
                        f->cpu_s, f->iterations, f->rest, f->worst_residual, f->worst_penetration, f->balance,
                        f->packing.bottom, apart);
                printf("simulation,%d,%g,%s,,%ld,%.6g,%.6g,%.6g,,,%.6g,%.6g,%.6g,%.6g,,,,\n", j.count, h, name,
                       f->iterations, f->cpu_s, f->peak_mb, f->worst_residual, f->rest, f->worst_penetration,
                       f->balance, f->packing.bottom);
                fflush(stdout);
            }
            if (folder == NULL) continue;
            char path[512];
            snprintf(path, sizeof path, "%s/pebble_bed_energy_%d_%g.svg", folder, set->counts[c], h);
            draw_energy(path, set->counts[c], h, falls);
        }
    }
}

// ---- scaling

typedef struct scaled {
    int contacts;
    double step_ms, sweep_ms, search_ms, iterations, residual, peak_mb, wall_2;
} scaled;

// Coulomb's law at h = 0.05: falls and settles coarsely, then ten steps are measured at 1e-4.
static void scale(void* context, void* out) {
    const job* j = context;
    sti_env* env = open_env(j->workers);
    sti_bed_options o = sti_bed_options_default();
    o.h = 0.05;
    o.tol = 1e-4;
    o.recover = 0.2;
    o.max_iterations = 60;
    sti_bed* bed = make_bed(env, j->count, &o);
    sti_bed_report report = {0};
    for (int k = 0; k < 100; k++) must(env, sti_bed_step(bed, &report));
    scaled s = {.contacts = report.contacts};
    for (int k = 0; k < 10; k++) {
        const double before = bench_wall();
        must(env, sti_bed_step(bed, &report));
        s.step_ms += 100 * (bench_wall() - before);
        s.sweep_ms += 100 * report.time_solve_s / (double)(report.iterations + 1);
        s.search_ms += 100 * report.time_search_s;
        s.iterations += 0.1 * (double)report.iterations;
        s.residual = fmax(s.residual, report.residual);
    }
    s.peak_mb = bench_peak_mb();
    *(scaled*)out = s;
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

static void triad(void* context, void* out) {
    (void)context;
    double *a = bench_memory(TRIAD, sizeof *a), *b = bench_memory(TRIAD, sizeof *b),
           *c = bench_memory(TRIAD, sizeof *c);
    double best = INFINITY;
    for (int k = 0; k < 8; k++) {
        const double before = bench_wall();
        for (int i = 0; i < TRIAD; i++) a[i] = b[i] + 0.5 * c[i];
        best = fmin(best, bench_wall() - before);
        b[k] = a[TRIAD - 1 - k];
    }
    *(double*)out = 24.0 * TRIAD / best;  // bytes in a second
    free(a);
    free(b);
    free(c);
}

static void study_scaling(const settings* set) {
    static const int counts[] = {1000, 3200, 10000, 32000, 100000, 400000};
    enum { SIZES = sizeof counts / sizeof counts[0] };
    double rate = NAN, x[SIZES], y[SIZES], z[SIZES];
    int points = 0;
    bench_apart(triad, NULL, &rate, sizeof rate, 60);
    fprintf(stderr,
            "\na step of a settled bed, Coulomb's law, tol 1e-4; triad %.1f GB/s\n%7s %9s %9s %7s %9s %9s %8s %9s %7s "
            "%9s\n",
            rate / 1e9, "N", "contacts", "ms/step", "sweeps", "sweep ms", "search ms", "MB", "ns/cont", "of triad",
            "residual");
    for (int k = 0; k < SIZES && counts[k] <= set->largest; k++) {
        job j = {.count = counts[k], .workers = 1};
        scaled s;
        if (bench_apart(scale, &j, &s, sizeof s, 20 * set->limit_s) != BENCH_RETURNED) {
            fprintf(stderr, "%7d not within %g s\n", counts[k], 20 * set->limit_s);
            continue;
        }
        const double bytes =
            64.0 * s.contacts + 24.0 * s.contacts + 128.0 * counts[k];  // contact read, r written, grains
        const double part = bytes / (1e-3 * s.sweep_ms) / rate;
        fprintf(stderr, "%7d %9d %9.2f %7.1f %9.3f %9.3f %8.0f %9.2f %7.2f %9.1e\n", counts[k], s.contacts, s.step_ms,
                s.iterations, s.sweep_ms, s.search_ms, s.peak_mb, 1e6 * s.sweep_ms / s.contacts, part, s.residual);
        printf("scaling,%d,0.05,gs,%d,%.6g,,%.6g,%.6g,,,,,,,%.6g,%.6g,%.6g,%.6g\n", counts[k], s.contacts, s.iterations,
               s.peak_mb, s.residual, s.step_ms, s.sweep_ms, s.search_ms, part);
        fflush(stdout);
        x[points] = counts[k];
        y[points] = s.sweep_ms;
        z[points++] = s.peak_mb;
    }
    if (points > 1)
        fprintf(stderr, "sweep time ~ N^%.2f, memory ~ N^%.2f between the ends\n",
                log(y[points - 1] / y[0]) / log(x[points - 1] / x[0]),
                log(z[points - 1] / z[0]) / log(x[points - 1] / x[0]));
    const char* folder = getenv("STI_BENCH_RESULTS");
    if (folder == NULL || points < 2) return;
    char path[512];
    snprintf(path, sizeof path, "%s/pebble_bed_scaling.svg", folder);
    FILE* file = svg_open(path, 560, 420);
    if (file == NULL) return;
    svg_chart c = {
        file, 70, 40, 440, 320, {1e3, 1e6, true, 10, "pebbles"}, {1e-2, 1e4, true, 10, "sweep, ms; memory, MB"}};
    svg_axes(&c, "one sweep and memory of a settled bed");
    svg_curve(&c, points, x, y, (svg_pen){colours[0], 1.5, NULL});
    svg_curve(&c, points, x, z, (svg_pen){colours[1], 1.5, NULL});
    for (int k = 0; k < points; k++) {
        svg_dot(&c, x[k], y[k], colours[0]);
        svg_dot(&c, x[k], z[k], colours[1]);
    }
    svg_legend(file, 90, 60, 0, (svg_pen){colours[0], 1.5, NULL}, "one sweep, ms");
    svg_legend(file, 90, 60, 1, (svg_pen){colours[1], 1.5, NULL}, "memory, MB");
    svg_close(file);
}

static bool read_arguments(int count, char** word, settings* set) {
    for (int k = 1; k + 1 < count; k += 2) {
        if (strcmp(word[k], "--studies") == 0) {
            set->studies = word[k + 1];
        } else if (strcmp(word[k], "--counts") == 0) {
            set->count_count = 0;
            for (char* p = word[k + 1]; *p != 0 && set->count_count < COUNTS;) {
                set->counts[set->count_count++] = (int)strtol(p, &p, 10);
                if (*p == ',') p++;
            }
        } else if (strcmp(word[k], "--largest") == 0) {
            set->largest = strtol(word[k + 1], NULL, 10);
        } else if (strcmp(word[k], "--limit") == 0) {
            set->limit_s = strtod(word[k + 1], NULL);
        } else {
            return false;
        }
    }
    return count % 2 == 1;
}

int main(int count, char** word) {
    settings set = {.studies = "optimization,simulation,scaling",
                    .counts = {800, 1600},
                    .count_count = 2,
                    .largest = 400000,
                    .limit_s = 30};
    if (!read_arguments(count, word, &set)) {
        fprintf(stderr,
                "usage: bench_pebble_bed [--studies optimization,simulation,scaling] [--counts 800,1600] [--largest "
                "400000]\n"
                "                        [--limit SECONDS for each run]\n");
        return 2;
    }
    printf(
        "study,N,h,solver,contacts,iterations,cpu_s,peak_mb,residual,gap,objective,rest_s,penetration,balance,packing,"
        "step_ms,sweep_ms,search_ms,part_of_triad\n");
    if (strstr(set.studies, "optimization") != NULL) study_optimization(&set);
    if (strstr(set.studies, "simulation") != NULL) study_simulation(&set);
    if (strstr(set.studies, "scaling") != NULL) study_scaling(&set);
    return 0;
}
