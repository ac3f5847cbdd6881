// active_range.c: which gaps a step takes along: too few, and grains come to lie in each other; too many, and they
// cost.
//
//     bed     the pebble bed of S3, 100 pebbles, seeds 1 and 2, one and a half seconds
//     box     100 grains poured into a box, the same
//     row     ten grains at rest, a gap between any two, hit by one so fast that it would pass them in a step
//     cloud   64 grains on a lattice, each flying its own way, so fast that they meet several others in a step
//
// The rule (eps 0) takes along what the faster of two grains can cover in the step at the speed it has when the step
// begins, gravity and 0.02 radii (S3 2.3.6 with eps of each pair). Pairs that meet head on, or of which one is thrown
// faster than it flew, may be missed at first: the row and the cloud show that. Beside it one eps for all pairs. For
// each: deepest overlap at any time, in radii, contacts of a step, CPU time of a step. CSV to stdout, a table to
// stderr.
#include <math.h>
#include <stdlib.h>
#include <stiction/granular.h>
#include <string.h>

#include "base/rng.h"
#include "measure.h"

enum { SCENES = 4, RANGES = 5, STEPS = 3, LAWS = 2, ROW = 11, CLOUD = 64 };

static const char* const names[SCENES] = {"bed", "box", "row", "cloud"};
static const double ranges[RANGES] = {0, 0.02, 0.1, 0.5, 2};  // in radii of 0.5: as S3's eps, in units of length
static const double lengths[STEPS] = {0.05, 0.02, 0.01};

static void must(sti_env* env, sti_status status) {
    if (status == STI_OK) return;
    fprintf(stderr, "active_range: %s\n", sti_env_error(env)->text);
    exit(3);
}

static void begin(sti_grains* g, int count) {
    *g = (sti_grains){.count = count, .mu = 0.3};
    g->x = bench_memory(3 * (size_t)count, sizeof(double));
    g->v = bench_memory(3 * (size_t)count, sizeof(double));
    g->w = bench_memory(3 * (size_t)count, sizeof(double));
    g->radius = bench_memory((size_t)count, sizeof(double));
    g->mass = bench_memory((size_t)count, sizeof(double));
    for (int k = 0; k < count; k++) {
        g->radius[k] = 0.5;
        g->mass[k] = 1;
    }
}

// The first goes three radii in a step of length h.
static void make_row(double h, sti_grains* g) {
    begin(g, ROW);
    for (int k = 0; k < ROW; k++) g->x[3 * k] = 1.1 * k;
    g->v[0] = 1.5 / h;
}

static void make_cloud(double h, sti_grains* g) {
    sti_rng rng = {.state = 1};
    begin(g, CLOUD);
    for (int k = 0; k < CLOUD; k++) {
        const int at[3] = {k % 4, k / 4 % 4, k / 16};
        for (int i = 0; i < 3; i++) {
            g->x[3 * k + i] = 1.3 * at[i] + 0.1 * sti_rng_u01(&rng);
            g->v[3 * k + i] = (2 * sti_rng_u01(&rng) - 1 - 0.5 * (at[i] - 1.5)) / h;
        }
    }
}

static void make(sti_env* env, int scene, int seed, double h, sti_grains* g) {
    sti_pebble_bed bed = sti_pebble_bed_default(100);
    bed.seed = (uint64_t)seed;
    if (scene == 0) must(env, sti_grains_pebble_bed(env, &bed, g));
    if (scene == 1)
        must(env, sti_grains_box(env, &(sti_grain_pour){.count = 100, .seed = (uint64_t)seed, .mu = 0.3}, g));
    if (scene == 2) make_row(h, g);
    if (scene == 3) make_cloud(h, g);
}

static void drop(sti_env* env, int scene, sti_grains* g) {
    if (scene < 2) {
        sti_grains_clear(env, g);
        return;
    }
    free(g->x);
    free(g->v);
    free(g->w);
    free(g->radius);
    free(g->mass);
}

typedef struct result {
    double overlap, contacts, us;
    int unsolved;
} result;

static void add(sti_env* env, int scene, int seed, sti_law law, double h, double eps, result* r, long* steps) {
    const double ends[SCENES] = {1.5, 1.5, 6 * h, 6 * h};
    sti_grains g;
    sti_bed* bed;
    sti_bed_options o = sti_bed_options_default();
    o.law = law;
    if (law != STI_LAW_COULOMB) o.solver = STI_BED_APGD;
    o.h = h;
    o.tol = 1e-5;
    o.eps = eps;
    make(env, scene, seed, h, &g);
    must(env, sti_bed_create(env, &g, &o, &bed));
    drop(env, scene, &g);
    const double start = bench_cpu();
    for (long l = 0; l < lround(ends[scene] / h); l++, ++*steps) {
        sti_bed_report report;
        must(env, sti_bed_step(bed, &report));
        r->overlap = fmax(r->overlap, fmax(report.overlap, report.penetration) / 0.5);
        r->contacts += report.contacts;
        r->unsolved += report.residual > o.tol;
    }
    r->us += 1e6 * (bench_cpu() - start);
    sti_bed_destroy(bed);
}

int main(void) {
    const sti_law laws[LAWS] = {STI_LAW_COULOMB, STI_LAW_CONE};
    sti_env* env;
    if (sti_env_create(NULL, &env) != STI_OK) return 3;
    printf("scene,law,h,eps,overlap_radii,contacts,us_a_step,unsolved\n");
    for (int scene = SCENES - 1; scene >= 0; scene--) {
        for (int l = 0; l < LAWS * STEPS; l++) {
            const sti_law law = laws[l / STEPS];
            const double h = lengths[l % STEPS];
            fprintf(stderr, "%-6s %-8s h %-5g", names[scene], sti_law_text(law), h);
            for (int k = 0; k < RANGES; k++) {
                result r = {0};
                long steps = 0;
                for (int seed = 1; seed <= (scene < 2 ? 2 : 1); seed++)
                    add(env, scene, seed, law, h, ranges[k], &r, &steps);
                const double contacts = r.contacts / (double)steps, us = r.us / (double)steps;
                printf("%s,%s,%g,%g,%.3g,%.1f,%.1f,%d\n", names[scene], sti_law_text(law), h, ranges[k], r.overlap,
                       contacts, us, r.unsolved);
                fprintf(stderr, "  |%5g: %8.2e %4.0f %5.0f us", ranges[k], r.overlap, contacts, us);
            }
            fprintf(stderr, "\n");
        }
    }
    sti_env_destroy(env);
    return 0;
}
