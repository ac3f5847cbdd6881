// pebble_scaling.h: how a step grows with the bed, and whether 3,200 pebbles keep up with the clock.
//
// The state that is measured is a bed at rest, by the same measure for every size: for QUIET steps of the kind that is
// measured (Coulomb's law, h = 0.01, 1e-4, a fifth of a penetration taken back in a step, as in the settle test) the
// mean energy of a pebble has been below REST (N / 10^4)^(2/3). The tolerance is relative to the impulses, which grow
// with the depth, and so do the speeds that it lets pass. At 10^4 the bound is a speed of 0.014, a seventh of what
// gravity gives in a step.
//
// How it gets there. The vessel is that of S3, and keeps its proportions: with N the bed grows in depth as well. The
// pebbles do not start above the cone, as there, but inside it: circles on planes as in the layout of S3, from the
// plate up, SPACING apart, so that none touch and a bed sinks by a sixth of its height. They come down by the same
// steps, to 1e-3 until the mean energy is below FALLEN of a diameter's fall for each of the N^(1/3) pebbles above each
// other, then to 1e-4. A bed that has not come to rest after MOST steps more is measured all the same, and said to be
// awake, and so is one whose energy after the last of the measured steps is above that bound. Energy, depth, balance
// and packing are in the table.
//
// Beds of one size differ, by how much moves in them: several of each size are measured (other seeds), as far as time
// allows, and the table has their means, and the least and the most sweeps of a bed.
//
// A sweep is timed alone, in a step that makes SWEEPS of them whatever the residual. Its memory traffic, counted once
// for each line that must come and go: a contact 64 bytes in and out, its last impulse 32, a grain 64 and its last
// velocities 64. Reads of the residual, every so many sweeps, are not counted, so the part of the bandwidth is a lower
// bound. The bandwidth is that of a triad with as many threads, measured before and after.
#ifndef STI_BENCH_PEBBLE_SCALING_H
#define STI_BENCH_PEBBLE_SCALING_H

#include <pthread.h>

#include "pebble_bed.h"

enum {
    TRIAD = 1 << 23,
    TRIAD_ROUNDS = 6,
    SWEEPS = 96,
    DOWN_MOST = 400,
    MOST = 1200,
    QUIET = 300,
    MEASURED = 300,
    SIZES = 5,
    THREADS = 64
};

#define REST 1e-4     // mean energy of a pebble of mass 1, among 10^4
#define FALLEN 2e-4   // of g, the diameter and N^(1/3)
#define SPACING 1.03  // diameters
#define JITTER 0.008  // none touch: SPACING - 2 sqrt(3) JITTER > 1

// ---- bandwidth

typedef struct triad_part {
    double *a, *b, *c;
    pthread_barrier_t* gate;
    double best;
} triad_part;

static void* run_triad(void* context) {
    triad_part* p = context;
    p->best = INFINITY;
    for (int k = 0; k < TRIAD_ROUNDS; k++) {
        pthread_barrier_wait(p->gate);
        const double before = bench_wall();
        for (int i = 0; i < TRIAD; i++) p->a[i] = p->b[i] + 0.5 * p->c[i];
        pthread_barrier_wait(p->gate);
        p->best = fmin(p->best, bench_wall() - before);
        p->b[k] = p->a[TRIAD - 1 - k];
    }
    return NULL;
}

// Bytes in a second; a written line is read first: 32 bytes for each element.
static void triad(void* context, void* out) {
    const int threads = *(int*)context;
    triad_part part[THREADS];
    pthread_t id[THREADS];
    pthread_barrier_t gate;
    pthread_barrier_init(&gate, NULL, (unsigned)threads);
    for (int k = 0; k < threads; k++) {
        double* memory = bench_memory(3 * (size_t)TRIAD, sizeof *memory);
        for (size_t i = 0; i < 3 * (size_t)TRIAD; i++) memory[i] = (double)(i & 7);
        part[k] = (triad_part){memory, memory + TRIAD, memory + 2 * (size_t)TRIAD, &gate, 0};
        if (pthread_create(&id[k], NULL, run_triad, &part[k]) != 0) exit(3);
    }
    double best = 0;
    for (int k = 0; k < threads; k++) {
        pthread_join(id[k], NULL);
        best = fmax(best, part[k].best);
        free(part[k].a);
    }
    pthread_barrier_destroy(&gate);
    *(double*)out = 32.0 * TRIAD * threads / best;
}

static double bandwidth(int threads) {
    double rate = NAN;
    return bench_apart(triad, &threads, &rate, sizeof rate, 60) == BENCH_RETURNED ? rate : NAN;
}

// ---- one size

typedef struct scale_job {
    int count, threads;
    uint64_t seed;
} scale_job;

typedef struct scaled {
    int contacts, fall_steps, calm_steps;
    double settle_s, step_ms, sweep_ms, search_ms, sweeps, residual, peak_mb;
    double energy, depth, balance, packing;  // the state
    double least, most;                      // sweeps, of several beds
} scaled;

static sti_bed_options step_options(double h, double tol) {
    sti_bed_options o = sti_bed_options_default();
    o.h = h;
    o.tol = tol;
    o.recover = 0.2;
    return o;
}

static double rest_energy(int count) {
    return REST * pow(count / 1e4, 2.0 / 3);
}

// splitmix64, uniform in -1 .. 1
static double draw(uint64_t* state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

// Pebbles of diameter 1 in plate, cone and cylinder (walls 0, 1, 2), from the plate up.
static void fill_vessel(sti_grains* g, uint64_t seed) {
    const double pi = 3.14159265358979323846, clear = 0.5 + 2 * JITTER;
    int placed = 0;
    for (double z = clear; placed < g->count; z += SPACING) {
        const double in_cone =
            g->walls[1].radius + g->walls[1].slope * z - clear * sqrt(1 + g->walls[1].slope * g->walls[1].slope);
        const double widest = fmin(in_cone, g->walls[2].radius - clear);
        for (int circle = 0; placed < g->count && SPACING * circle <= widest; circle++) {
            const int on_circle = circle == 0 ? 1 : (int)floor(pi / asin(0.5 / circle));
            const double first = pi * draw(&seed);
            for (int j = 0; placed < g->count && j < on_circle; j++, placed++) {
                const double angle = first + 2 * pi * j / on_circle, r = SPACING * circle;
                const double at[3] = {r * cos(angle), r * sin(angle), z};
                for (int i = 0; i < 3; i++) g->x[3 * (size_t)placed + (size_t)i] = at[i] + JITTER * draw(&seed);
            }
        }
    }
}

static sti_bed* settle(sti_env* env, const scale_job* j, sti_grains* g, scaled* s) {
    const sti_bed_options falling = step_options(0.01, 1e-3), calm = step_options(0.01, 1e-4);
    const int count = j->count;
    const sti_pebble_bed def = sti_pebble_bed_default(count);
    const double begin = bench_wall();
    sti_bed* bed;
    sti_bed_report report = {.kinetic = INFINITY};
    must(env, sti_grains_pebble_bed(env, &def, g));
    fill_vessel(g, j->seed);
    must(env, sti_bed_create(env, g, &falling, &bed));
    for (int k = 0; k < DOWN_MOST && (k < 50 || report.kinetic > FALLEN * 9.81 * cbrt(count) * count); k++) {
        must(env, sti_bed_step(bed, &report));
        s->fall_steps++;
    }
    bed = with_options(env, bed, g, &calm);
    for (int quiet = 0; quiet < QUIET && s->calm_steps < MOST; s->calm_steps++) {
        must(env, sti_bed_step(bed, &report));
        quiet = report.kinetic < rest_energy(count) * count ? quiet + 1 : 0;
    }
    s->settle_s = bench_wall() - begin;
    return bed;
}

static void scale(void* context, void* out) {
    const scale_job* j = context;
    sti_env* env = open_env(j->threads);
    sti_grains g;
    scaled s = {0};
    sti_bed* bed = settle(env, j, &g, &s);
    sti_bed_report report = {0};
    for (int k = 0; k < MEASURED; k++) {
        const double before = bench_wall();
        must(env, sti_bed_step(bed, &report));
        s.step_ms += 1e3 / MEASURED * (bench_wall() - before);
        s.search_ms += 1e3 / MEASURED * report.time_search_s;
        s.sweeps += (double)report.iterations / MEASURED;
        s.residual = fmax(s.residual, report.residual);
    }
    s.peak_mb = bench_peak_mb();
    s.contacts = report.contacts;
    s.energy = report.kinetic / j->count;
    s.depth = report.penetration / 0.5;
    s.balance = report.balance;
    s.packing = measure_packing(env, &g, bed).bottom;
    sti_bed_options o = step_options(0.01, 1e-300);
    o.max_iterations = SWEEPS;
    bed = with_options(env, bed, &g, &o);
    s.sweep_ms = INFINITY;
    for (int k = 0; k < 2; k++) {
        must(env, sti_bed_step(bed, &report));
        s.sweep_ms = fmin(s.sweep_ms, 1e3 * report.time_solve_s / SWEEPS);
    }
    *(scaled*)out = s;
    sti_bed_destroy(bed);
    sti_grains_clear(env, &g);
    sti_env_destroy(env);
}

// Means of the beds of one size; of what a state is judged by (residual, energy, depth, balance), of memory and of the
// steps it took to get there the worst. False: no time.
static bool scale_beds(const settings* set, scale_job j, int beds, scaled* out) {
    *out = (scaled){.balance = 1, .least = INFINITY};
    long contacts = 0;
    for (int k = 0; k < beds; k++) {
        scaled s;
        j.seed = (uint64_t)k + 1;
        if (is_late(set) || bench_apart(scale, &j, &s, sizeof s, 20 * set->limit_s) != BENCH_RETURNED) return false;
        out->settle_s += s.settle_s / beds;
        out->step_ms += s.step_ms / beds;
        out->sweep_ms += s.sweep_ms / beds;
        out->search_ms += s.search_ms / beds;
        out->sweeps += s.sweeps / beds;
        out->packing += s.packing / beds;
        out->least = fmin(out->least, s.sweeps);
        out->most = fmax(out->most, s.sweeps);
        out->residual = fmax(out->residual, s.residual);
        out->energy = fmax(out->energy, s.energy);
        out->depth = fmax(out->depth, s.depth);
        out->peak_mb = fmax(out->peak_mb, s.peak_mb);
        if (fabs(s.balance - 1) >= fabs(out->balance - 1)) out->balance = s.balance;
        contacts += s.contacts;
        out->fall_steps = s.fall_steps > out->fall_steps ? s.fall_steps : out->fall_steps;
        out->calm_steps = s.calm_steps > out->calm_steps ? s.calm_steps : out->calm_steps;
    }
    out->contacts = (int)(contacts / beds);
    return true;
}

enum { SWEEP_MS, STEP_MS, SEARCH_MS, PEAK_MB, OF_TRIAD, CURVES };

static const char* const curve_colour[CURVES] = {"#d62728", "#2ca02c", "#9467bd", "#1f77b4", "#7f7f7f"};

static void draw_curve(const svg_chart* c, int points, const double* x, const double* y, int k, int line,
                       const char* name) {
    const svg_pen pen = {curve_colour[k], 1.5, NULL};
    svg_curve(c, points, x, y, pen);
    for (int i = 0; i < points; i++) svg_dot(c, x[i], y[i], pen.colour);
    svg_legend(c->file, c->left + 15, c->top + 15, line, pen, name);
}

// Left: time and memory, with their exponents. Right: what one pebble costs, and the part of the bandwidth.
static void draw_scaling(const settings* set, int points, const double* x, double y[CURVES][SIZES]) {
    static const char* const name[] = {"one sweep, ms", "one step at 1e-4, ms", "of it search, ms", "memory, MB"};
    const svg_pen guide = {"#999999", 1, "4 3"};
    char text[512];
    if (set->results == NULL || points < 2) return;
    snprintf(text, sizeof text, "%s/pebble_bed_scaling.svg", set->results);
    FILE* file = svg_open(text, 1000, 430);
    if (file == NULL) return;
    svg_chart c = {file, 70, 40, 400, 330, {1e3, 1e6, true, 10, "pebbles"}, {1e-2, 1e5, true, 10, "ms, MB"}};
    svg_axes(&c, "a bed at rest, Coulomb's law");
    svg_segment(file, svg_x(&c, 1e3), svg_y(&c, 0.02), svg_x(&c, 1e6), svg_y(&c, 20), guide);
    for (int k = SWEEP_MS; k <= PEAK_MB; k++) {
        snprintf(text, sizeof text, "%s: N^%.2f", name[k], bench_exponent(points, x, y[k]));
        draw_curve(&c, points, x, y[k], k, k, text);
    }
    svg_legend(file, c.left + 15, c.top + 15, PEAK_MB + 1, guide, "N^1");
    double each[SIZES], most = 0;
    for (int i = 0; i < points; i++) most = fmax(most, fmax(1e3 * y[STEP_MS][i] / x[i], y[OF_TRIAD][i]));
    const double tick = most > 1.2 ? 0.5 : 0.1, top = tick * ceil(1.4 * most / tick);
    svg_chart d = {
        file, 560, 40, 400, 330, {1e3, 1e6, true, 10, "pebbles"}, {0, top, false, tick, "us; part of the triad"}};
    svg_axes(&d, "for each pebble");
    static const char* const each_name[] = {"one sweep, us", "one step at 1e-4, us", "of it search, us"};
    for (int k = SWEEP_MS; k <= SEARCH_MS; k++) {
        for (int i = 0; i < points; i++) each[i] = 1e3 * y[k][i] / x[i];
        draw_curve(&d, points, x, each, k, k, each_name[k]);
    }
    draw_curve(&d, points, x, y[OF_TRIAD], OF_TRIAD, 3, "bandwidth of a sweep over that of a triad");
    svg_close(file);
}

static void study_scaling(const settings* set) {
    static const int counts[SIZES] = {1000, 3200, 10000, 100000, 400000}, beds[SIZES] = {6, 6, 6, 3, 1};
    const int threads = (int)set->threads;
    double x[SIZES], y[CURVES][SIZES];
    int points = 0;
    const double rate = bandwidth(threads);
    fprintf(stderr,
            "\na step of a settled bed, Coulomb's law, h = 0.01, tol 1e-4, %d threads; triad %.1f GB/s\n%7s %4s %9s "
            "%9s %8s %11s "
            "%9s %9s %7s %8s %9s %8s | %8s %8s %8s %8s %9s %8s\n",
            threads, rate / 1e9, "N", "beds", "contacts", "ms/step", "sweeps", "of one bed", "sweep ms", "search ms",
            "MB", "ns/cont", "of triad", "residual", "E/N", "depth", "balance", "packing", "steps", "settle s");
    printf(
        "study,N,beds,h,threads,contacts,step_ms,sweeps,sweeps_least,sweeps_most,sweep_ms,search_ms,peak_mb,part_of_"
        "triad,triad_gb_s,residual,"
        "energy,depth_over_R,balance,packing,fall_steps,calm_steps,settle_s\n");
    for (int k = 0; k < SIZES && counts[k] <= set->largest; k++) {
        scaled s;
        if (!scale_beds(set, (scale_job){counts[k], threads, 1}, beds[k], &s)) {
            fprintf(stderr, "%7d not within its time, or the budget is spent\n", counts[k]);
            continue;
        }
        const double bytes = (128.0 + 64.0) * s.contacts + 256.0 * counts[k];
        const double part = bytes / (1e-3 * s.sweep_ms) / rate;
        fprintf(stderr,
                "%7d %4d %9d %9.3f %8.2f %4.1f to %3.1f %9.3f %9.3f %7.0f %8.2f %9.2f %8.1e | %8.1e %8.1e %8.4f %8.4f "
                "%4d+%4d %8.1f%s\n",
                counts[k], beds[k], s.contacts, s.step_ms, s.sweeps, s.least, s.most, s.sweep_ms, s.search_ms,
                s.peak_mb, 1e6 * s.sweep_ms / s.contacts, part, s.residual, s.energy, s.depth, s.balance, s.packing,
                s.fall_steps, s.calm_steps, s.settle_s, s.energy < rest_energy(counts[k]) ? "" : "  awake");
        printf(
            "scaling,%d,%d,0.01,%d,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%d,%d,%."
            "6g\n",
            counts[k], beds[k], threads, s.contacts, s.step_ms, s.sweeps, s.least, s.most, s.sweep_ms, s.search_ms,
            s.peak_mb, part, rate / 1e9, s.residual, s.energy, s.depth, s.balance, s.packing, s.fall_steps,
            s.calm_steps, s.settle_s);
        fflush(stdout);
        x[points] = counts[k];
        y[SWEEP_MS][points] = s.sweep_ms;
        y[STEP_MS][points] = s.step_ms;
        y[SEARCH_MS][points] = s.search_ms;
        y[OF_TRIAD][points] = part;
        y[PEAK_MB][points++] = s.peak_mb;
    }
    if (points > 1)
        fprintf(stderr, "least squares: sweep ~ N^%.2f, step ~ N^%.2f, memory ~ N^%.2f; triad at the end %.1f GB/s\n",
                bench_exponent(points, x, y[SWEEP_MS]), bench_exponent(points, x, y[STEP_MS]),
                bench_exponent(points, x, y[PEAK_MB]), bandwidth(threads) / 1e9);
    draw_scaling(set, points, x, y);
}

// ---- against the clock

typedef struct race {
    double time, wall_s, residual, depth, balance;
    long steps, unsolved, iterations;
    bool rest;
} race;

typedef struct race_job {
    int threads;
    const way* w;
} race_job;

// 3,200 pebbles at h = 0.05 and 1e-4, from the layout to rest (E below 1e-4 for each pebble).
static void run_race(void* context, void* out) {
    const race_job* j = context;
    sti_env* env = open_env(j->threads);
    sti_bed_options o = sti_bed_options_default();
    o.h = 0.05;
    o.law = j->w->law;
    o.solver = j->w->solver;
    o.tol = 1e-4;
    sti_grains g;
    sti_bed* bed = make_bed(env, 3200, &o, &g);
    race r = {0};
    const double begin = bench_wall();
    while (!r.rest && r.time < 10) {
        sti_bed_report report;
        must(env, sti_bed_step(bed, &report));
        r.time = report.time;
        r.steps++;
        r.unsolved += !report.solved;
        r.iterations += report.iterations;
        r.residual = fmax(r.residual, report.residual);
        r.depth = report.penetration / 0.5;
        r.balance = report.balance;
        r.rest = report.time > 1 && report.kinetic < 1e-4 * 3200;
    }
    r.wall_s = bench_wall() - begin;
    *(race*)out = r;
    sti_bed_destroy(bed);
    sti_grains_clear(env, &g);
    sti_env_destroy(env);
}

static void study_realtime(const settings* set) {
    static const char* const names = "coulomb:gs,cone:gs,cone:apgd,gs,apgd,tron";
    fprintf(
        stderr, "\n3,200 pebbles to rest, h = 0.05, tol 1e-4, %d threads\n%-10s %8s %8s %8s %6s %6s %9s %9s %9s %9s\n",
        (int)set->threads, "way", "time", "wall s", "ratio", "steps", "open", "residual", "iter", "depth", "balance");
    printf("study,N,h,way,threads,time,wall_s,steps,unsolved,iterations,residual,depth_over_R,balance\n");
    for (int s = 0; s < WAYS; s++) {
        race_job j = {(int)set->threads, &ways[s]};
        race r;
        if (!bench_listed(names, j.w->name, strlen(j.w->name)) || !is_asked(set, j.w)) continue;
        if (is_late(set) || bench_apart(run_race, &j, &r, sizeof r, set->limit_s) != BENCH_RETURNED) {
            fprintf(stderr, "%-10s not within %g s, or the budget is spent\n", j.w->name, set->limit_s);
            continue;
        }
        fprintf(stderr, "%-10s %8.2f %8.2f %8.2f %6ld %6ld %9.1e %9ld %9.1e %9.4f\n", j.w->name, r.time, r.wall_s,
                r.time / r.wall_s, r.steps, r.unsolved, r.residual, r.iterations, r.depth, r.balance);
        printf("realtime,3200,0.05,%s,%d,%.6g,%.6g,%ld,%ld,%ld,%.6g,%.6g,%.6g\n", j.w->name, (int)set->threads, r.time,
               r.wall_s, r.steps, r.unsolved, r.iterations, r.residual, r.depth, r.balance);
        fflush(stdout);
    }
}

#endif
