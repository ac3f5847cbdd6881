// pebble_bed.c: the two studies of S3 2.3, how a step grows with the bed, and 3,200 pebbles against the clock.
//
//     optimization   one and the same step, from a bed in the middle of its impact, by every solver, and by PETSc/TAO
//                    where
//                    libstiction_tao was built: iterations, time, memory, precision
//     scaling        a settled bed of 10^3 to 4 10^5 pebbles, Coulomb's law: time for a step and a sweep, memory, and
//                    the part
//                    of the memory bandwidth that a sweep moves                                  pebble_scaling.h
//     realtime       3,200 pebbles at h = 0.05 to rest: simulated time over wall time            pebble_scaling.h
//     simulation     the whole fall by every solver until rest: figure 2.5, E(t) and E_rel, and the ensemble at rest
//                    (force
//                    balance, penetration, packing)                                              pebble_fall.h
//
//     bench_pebble_bed [--studies optimization,scaling,realtime,simulation] [--counts 800,1600] [--h 0.05,0.01] [--tol
//     1e-6]
//                      [--only ipm,apgd] [--largest 400000] [--threads 2] [--limit S] [--budget S] [--keep DIR]
//
// CSV to stdout, one table for each study; the same for eyes to stderr; pictures (pebble_bed_energy_*.svg,
// pebble_bed_scaling.svg) to STI_BENCH_RESULTS. Every run has a process of its own and `limit` seconds of CPU time;
// after `budget` seconds none is begun. With --keep the falls of the simulation are left in a folder, and a later call
// does not repeat them.
#include "pebble_bed.h"

#include "pebble_fall.h"
#include "pebble_scaling.h"

// ---- optimization test

typedef struct job {
    int count;
    double h, tol;
    const way* w;
} job;

typedef struct optimized {
    int contacts;
    long iterations;
    double cpu_s, peak_mb, residual, gap, objective;
} optimized;

// A bed that has fallen for 0.9 s, by accelerated gradients, and then the one step.
static void optimize(void* context, void* out) {
    const job* j = context;
    sti_env* env = open_env(1);
    const way gradient = {"apgd", STI_LAW_FACETS, STI_BED_APGD, NULL, NULL};
    const sti_bed_options falling = thesis_options(0.01, &gradient, 1e-3), one = thesis_options(j->h, j->w, j->tol);
    sti_grains g;
    sti_bed* bed = make_bed(env, j->count, &falling, &g);
    for (int k = 0; k < 90; k++) must(env, sti_bed_step(bed, NULL));
    bed = with_options(env, bed, &g, &one);
    use_way(env, bed, j->w);
    sti_bed_report report;
    const double before = bench_cpu();
    must(env, sti_bed_step(bed, &report));
    *(optimized*)out = (optimized){report.contacts, report.iterations, bench_cpu() - before, bench_peak_mb(),
                                   report.residual, report.gap,        report.objective};
    sti_bed_destroy(bed);
    sti_grains_clear(env, &g);
    end_ways();
    sti_env_destroy(env);
}

static void optimize_all(const settings* set, int count, double h) {
    for (int s = 0; s < WAYS; s++) {
        job j = {count, h, 1e-8, &ways[s]};
        optimized r;
        if (j.w->law != STI_LAW_FACETS || !is_asked(set, j.w)) continue;
        if (is_late(set) || bench_apart(optimize, &j, &r, sizeof r, set->limit_s) != BENCH_RETURNED) {
            fprintf(stderr, "%6d %6g %-10s not within %g s, or the budget is spent\n", count, h, j.w->name,
                    set->limit_s);
            printf("optimization,%d,%g,%s,,,,,,,\n", count, h, j.w->name);
            continue;
        }
        fprintf(stderr, "%6d %6g %-10s %9d %10ld %9.3f %8.0f %9.1e %9.1e\n", count, h, j.w->name, r.contacts,
                r.iterations, r.cpu_s, r.peak_mb, r.residual, r.gap);
        printf("optimization,%d,%g,%s,%d,%ld,%.6g,%.6g,%.6g,%.6g,%.17g\n", count, h, j.w->name, r.contacts,
               r.iterations, r.cpu_s, r.peak_mb, r.residual, r.gap, r.objective);
        fflush(stdout);
    }
}

static void study_optimization(const settings* set) {
    fprintf(stderr, "\none step during the impact, tol 1e-8\n%6s %6s %-10s %9s %10s %9s %8s %9s %9s\n", "N", "h", "way",
            "contacts", "iterations", "cpu s", "MB", "residual", "gap");
    printf("study,N,h,way,contacts,iterations,cpu_s,peak_mb,residual,gap,objective\n");
    for (int c = 0; c < set->count_count; c++) {
        for (int k = 0; k < set->h_count; k++) optimize_all(set, (int)set->counts[c], set->h[k]);
    }
}

// ---- arguments

static int read_list(char* text, double* out, int most) {
    int count = 0;
    for (char *p = text, *end; *p != 0 && count < most; p = *end == ',' ? end + 1 : end) {
        out[count] = strtod(p, &end);
        if (end == p || !(out[count++] > 0)) return 0;
    }
    return count;
}

static bool read_one(settings* set, const char* name, char* value) {
    static const double never = INFINITY;
    double seconds = never;
    if (strcmp(name, "--studies") == 0) return (set->studies = value) != NULL;
    if (strcmp(name, "--only") == 0) return (set->only = value) != NULL;
    if (strcmp(name, "--keep") == 0) return (set->keep = value) != NULL;
    if (strcmp(name, "--counts") == 0) return (set->count_count = read_list(value, set->counts, COUNTS)) > 0;
    if (strcmp(name, "--h") == 0) return (set->h_count = read_list(value, set->h, LENGTHS)) > 0;
    if (strcmp(name, "--tol") == 0) return read_list(value, &set->tol, 1) == 1;
    if (strcmp(name, "--largest") == 0) return read_list(value, &set->largest, 1) == 1;
    if (strcmp(name, "--limit") == 0) return read_list(value, &set->limit_s, 1) == 1;
    if (strcmp(name, "--threads") == 0) return read_list(value, &set->threads, 1) == 1 && set->threads <= THREADS;
    if (strcmp(name, "--budget") != 0 || read_list(value, &seconds, 1) != 1) return false;
    set->stop_at = bench_wall() + seconds;
    return true;
}

int main(int count, char** word) {
    settings set = {.studies = "optimization,scaling,realtime,simulation",
                    .results = getenv("STI_BENCH_RESULTS"),
                    .counts = {800, 1600},
                    .count_count = 2,
                    .h = {0.05, 0.01},
                    .h_count = 2,
                    .tol = 1e-6,
                    .largest = 400000,
                    .limit_s = 60,
                    .stop_at = bench_wall() + 1500,
                    .threads = 2};
    bool good = count % 2 == 1;
    for (int k = 1; good && k + 1 < count; k += 2) good = read_one(&set, word[k], word[k + 1]);
    if (!good) {
        fprintf(
            stderr,
            "usage: bench_pebble_bed [--studies optimization,scaling,realtime,simulation] [--counts 800,1600]\n"
            "                        [--h 0.05,0.01] [--tol 1e-6] [--only ipm,apgd] [--largest 400000] [--threads 2]\n"
            "                        [--limit SECONDS for each run] [--budget SECONDS] [--keep DIR]\n");
        return 2;
    }
    if (strstr(set.studies, "optimization") != NULL) study_optimization(&set);
    if (strstr(set.studies, "scaling") != NULL) study_scaling(&set);
    if (strstr(set.studies, "realtime") != NULL) study_realtime(&set);
    if (strstr(set.studies, "simulation") != NULL) study_simulation(&set);
    return 0;
}
