// pebble_fall.h: the simulation test of S3 2.3: the whole fall until rest by every solver, and figure 2.5.
//
// A step is solved to `tol` until the bed is near rest, E = 0.1 for each pebble, and to 1e-6 from there on: what E_rel
// needs in a fall that is chaotic, and what a bed at rest needs.
//
// Rest: the kinetic energy for each pebble stays below 1e-4 for 20 steps; `balance`, `depth` and the packing are taken
// over those steps, `peak` is the worst penetration before. E_rel is the distance from the reference run of the same
// law, the first in the list of ways whose run has ended within its limit: its maximum while the bed is not near rest,
// and the time until which it stays within 1 %. Runs of different laws differ from the first slip on and are not
// compared.
#ifndef STI_BENCH_PEBBLE_FALL_H
#define STI_BENCH_PEBBLE_FALL_H

#include "pebble_bed.h"

enum { SAMPLES = 1200, CALM = 20 };

#define NEAR_REST 0.1  // kinetic energy for each pebble

typedef struct fall {
    int samples;
    double t[SAMPLES], energy[SAMPLES];
    double cpu_s, peak_mb, residual, peak, depth, slow, rest, balance;
    sti_packing packing;
    long iterations, steps, unsolved;
} fall;

typedef struct fall_job {
    int count;
    double h, tol;
    const way* w;
} fall_job;

static void simulate(void* context, void* out) {
    const fall_job* j = context;
    fall* f = out;
    *f = (fall){.slow = NAN, .rest = NAN, .balance = NAN, .depth = NAN};
    sti_env* env = open_env(1);
    const sti_bed_options o = thesis_options(j->h, j->w, j->tol);
    sti_grains g;
    sti_bed* bed = make_bed(env, j->count, &o, &g);
    use_way(env, bed, j->w);
    const double before = bench_cpu();
    double balance = 0, depth = 0;
    int calm = 0;
    bool falling = true;
    while (calm < CALM && f->samples < SAMPLES && f->steps * j->h < 12) {
        sti_bed_report report;
        must(env, sti_bed_step(bed, &report));
        const double t = ++f->steps * j->h;
        f->unsolved += !report.solved;
        if (falling) f->residual = fmax(f->residual, report.residual);
        f->peak = fmax(f->peak, report.penetration);
        f->iterations += report.iterations;
        f->t[f->samples] = t;
        f->energy[f->samples++] = report.kinetic;
        if (t > 1 && isnan(f->slow) && report.kinetic < 1e-2 * j->count) f->slow = t;
        if (falling && t > 1 && report.kinetic < NEAR_REST * j->count) {
            const sti_bed_options gentle = thesis_options(j->h, j->w, fmax(j->tol, 1e-6));
            bed = with_options(env, bed, &g, &gentle);
            use_way(env, bed, j->w);
            falling = false;
        }
        calm = t > 1 && report.kinetic < 1e-4 * j->count ? calm + 1 : 0;
        balance = calm > 0 ? balance + report.balance / CALM : 0;
        depth = calm > 0 ? fmax(depth, report.penetration) : 0;
        if (calm == CALM) {
            f->rest = t;
            f->balance = balance;
            f->depth = depth;
        }
    }
    f->cpu_s = bench_cpu() - before;
    f->peak_mb = bench_peak_mb();
    f->packing = measure_packing(env, &g, bed);
    sti_grains_clear(env, &g);
    sti_bed_destroy(bed);
    end_ways();
    sti_env_destroy(env);
}

// ---- falls that are kept: a run of the study goes on where the last one was stopped

static void kept_path(const settings* set, const fall_job* j, char* path, size_t size) {
    snprintf(path, size, "%s/fall_%d_%g_%g_%s", set->keep, j->count, j->h, j->tol, j->w->name);
}

static bool load_fall(const settings* set, const fall_job* j, fall* f) {
    char path[512];
    if (set->keep == NULL) return false;
    kept_path(set, j, path, sizeof path);
    FILE* file = fopen(path, "rb");
    if (file == NULL) return false;
    const bool good = fread(f, sizeof *f, 1, file) == 1 && fgetc(file) == EOF && f->samples <= SAMPLES;
    fclose(file);
    return good;
}

static void save_fall(const settings* set, const fall_job* j, const fall* f) {
    char path[512];
    if (set->keep == NULL) return;
    kept_path(set, j, path, sizeof path);
    FILE* file = fopen(path, "wb");
    if (file == NULL || fwrite(f, sizeof *f, 1, file) != 1) fprintf(stderr, "pebble_bed: %s: not written\n", path);
    if (file != NULL) fclose(file);
}

// ---- comparison

typedef struct distance {
    double most;    // of |E / E_ref - 1| while E_ref > NEAR_REST for each pebble
    double within;  // time until which it is at most 0.01
} distance;

static distance compare(const fall* f, const fall* r, int count) {
    distance d = {0, 0};
    bool close = true;
    for (int k = 0; k < f->samples && k < r->samples && r->energy[k] > 0; k++) {
        const double rel = fabs(f->energy[k] / r->energy[k] - 1);
        if (r->energy[k] > NEAR_REST * count || r->t[k] < 1) d.most = fmax(d.most, rel);
        close = close && rel <= 1e-2;
        if (close) d.within = f->t[k];
    }
    return d;
}

// Figure 2.5: E(t), and the distance of each run from the reference of its law.
static void draw_falls(const settings* set, int count, double h, const fall* falls, const int* reference) {
    char path[512], title[96];
    if (set->results == NULL) return;
    snprintf(path, sizeof path, "%s/pebble_bed_energy_%d_%g.svg", set->results, count, h);
    FILE* file = svg_open(path, 1080, 420);
    if (file == NULL) return;
    const double end = 5;
    snprintf(title, sizeof title, "kinetic energy, %d pebbles, h = %g, tol %g", count, h, set->tol);
    const double top = pow(10, ceil(log10(50.0 * count)));
    svg_chart c = {file, 70, 40, 380, 320, {0, end, false, 0.5, "t"}, {1e-4 * top / 10, top, true, 10, "E"}};
    svg_axes(&c, title);
    svg_chart d = {file, 560, 40, 380, 320, {0, end, false, 0.5, "t"}, {1e-8, 1, true, 10, "|E - E_ref| / E_ref"}};
    svg_axes(&d, "E_rel: distance from the reference of the law");
    for (int s = 0, line = 0; s < WAYS; s++) {
        const fall *f = &falls[s], *r = reference[s] >= 0 ? &falls[reference[s]] : NULL;
        double x[SAMPLES], y[SAMPLES], z[SAMPLES];
        int points = 0, others = 0;
        for (int k = 0; k < f->samples && f->t[k] <= end; k++, points++) {
            x[points] = f->t[k];
            y[points] = fmin(fmax(f->energy[k], c.y.low), c.y.high);
        }
        if (points == 0) continue;
        const svg_pen pen = {ways[s].colour, 1.3, ways[s].law == STI_LAW_FACETS ? NULL : "5 3"};
        svg_curve(&c, points, x, y, pen);
        svg_legend(file, 960, 60, line++, pen, ways[s].name);
        for (int k = 0; r != NULL && r != f && k < points && k < r->samples; k++, others++)
            z[others] = fmin(1, fmax(1e-8, r->energy[k] > 0 ? fabs(f->energy[k] / r->energy[k] - 1) : 0));
        if (others > 0) svg_curve(&d, others, x, z, pen);
    }
    svg_close(file);
}

static void print_fall(const fall_job* j, const fall* f, const fall* r, const char* reference) {
    const distance d = r != NULL && r != f ? compare(f, r, j->count) : (distance){NAN, NAN};
    const double R = 0.5;
    fprintf(stderr, "%6d %6g %-10s %8.1f %9ld %5ld %9.1e %6.2f %6.2f %9.1e %9.1e %8.5f %7.4f %7.3f %8.1e %6.2f %s\n",
            j->count, j->h, j->w->name, f->cpu_s, f->iterations, f->unsolved, f->residual, f->slow, f->rest,
            f->peak / R, f->depth / R, f->balance, f->packing.bottom, f->packing.mean_height, d.most, d.within,
            r == f ? "(reference)" : reference);
    printf("simulation,%d,%g,%s,%g,%ld,%ld,%ld,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", j->count,
           j->h, j->w->name, j->tol, f->steps, f->unsolved, f->iterations, f->cpu_s, f->peak_mb, f->residual, f->slow,
           f->rest, f->peak / R, f->depth / R, f->balance, f->packing.bottom, f->packing.mean_height, d.most, d.within);
    fflush(stdout);
}

static void simulate_all(const settings* set, int count, double h) {
    static fall falls[WAYS];
    int reference[WAYS], first[STI_LAW_COUNT];
    for (int k = 0; k < STI_LAW_COUNT; k++) first[k] = -1;
    for (int s = 0; s < WAYS; s++) {
        fall_job j = {count, h, set->tol, &ways[s]};
        reference[s] = -1;
        falls[s] = (fall){0};
        if (!is_asked(set, j.w)) continue;
        bool done = load_fall(set, &j, &falls[s]);
        if (!done && is_late(set)) {
            fprintf(stderr, "%6d %6g %-10s not begun: the budget is spent\n", count, h, j.w->name);
            continue;
        }
        if (!done) {
            done = bench_apart(simulate, &j, &falls[s], sizeof falls[s], set->limit_s) == BENCH_RETURNED;
            if (done) save_fall(set, &j, &falls[s]);
        }
        if (!done) {
            falls[s] = (fall){0};
            fprintf(stderr, "%6d %6g %-10s not within %g s\n", count, h, j.w->name, set->limit_s);
            printf("simulation,%d,%g,%s,%g,,,,,,,,,,,,,,,\n", count, h, j.w->name, j.tol);
            continue;
        }
        if (first[j.w->law] < 0) first[j.w->law] = s;
        reference[s] = first[j.w->law];
        print_fall(&j, &falls[s], &falls[reference[s]], ways[reference[s]].name);
    }
    draw_falls(set, count, h, falls, reference);
}

static void study_simulation(const settings* set) {
    fprintf(stderr,
            "\nthe whole fall, tol %g; lengths in radii\n%6s %6s %-10s %8s %9s %5s %9s %6s %6s %9s %9s %8s %7s %7s %8s "
            "%6s\n",
            set->tol, "N", "h", "way", "cpu s", "iter", "open", "residual", "slow", "rest", "peak", "depth", "balance",
            "packing", "mean z", "E_rel", "t(1%)");
    printf(
        "study,N,h,way,tol,steps,unsolved,iterations,cpu_s,peak_mb,residual,slow_s,rest_s,peak_over_R,depth_over_R,"
        "balance,packing,mean_height,E_rel,t_one_percent\n");
    for (int c = 0; c < set->count_count; c++) {
        for (int k = 0; k < set->h_count; k++) simulate_all(set, (int)set->counts[c], set->h[k]);
    }
}

#endif
