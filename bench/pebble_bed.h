// pebble_bed.h: what the studies of the pebble bed share: their settings, a bed as S3 has it, the ways to solve it.
#ifndef STI_BENCH_PEBBLE_BED_H
#define STI_BENCH_PEBBLE_BED_H

#include <stdint.h>
#include <stiction/granular.h>
#include <string.h>

#include "measure.h"
#include "svg.h"
#ifdef STI_HAVE_TAO
#include "stiction_tao.h"
#endif

enum { COUNTS = 8, LENGTHS = 4 };

typedef struct settings {
    const char* studies;
    const char* only;     // names of ways, between commas; NULL: all
    const char* keep;     // folder of falls that were simulated before; NULL: none
    const char* results;  // folder for pictures; NULL: none
    double counts[COUNTS];
    int count_count;
    double h[LENGTHS];
    int h_count;
    double tol;  // of the simulation
    double largest;
    double limit_s;  // CPU time of each run
    double stop_at;  // clock after which no run is begun
    double threads;
} settings;

static inline sti_env* open_env(int workers) {
    sti_env_def def = sti_env_def_default();
    def.workers = workers;
    sti_env* env;
    if (sti_env_create(&def, &env) != STI_OK) exit(3);
    return env;
}

static inline void must(sti_env* env, sti_status status) {
    if (status == STI_OK) return;
    fprintf(stderr, "pebble_bed: %s\n", sti_env_error(env)->text);
    exit(3);
}

// ---- ways: law and solver by one name; without a law: facets, as in S3

typedef struct way {
    const char* name;
    sti_law law;
    sti_bed_solver solver;
    const char* tao;  // instead of solver: a method of libstiction_tao
    const char* colour;
} way;

static const way ways[] = {
    {"ipm", STI_LAW_FACETS, STI_BED_IPM, NULL, "#222222"},
    {"tron", STI_LAW_FACETS, STI_BED_TRON, NULL, "#9467bd"},
    {"blmvm", STI_LAW_FACETS, STI_BED_BLMVM, NULL, "#ff7f0e"},
    {"apgd", STI_LAW_FACETS, STI_BED_APGD, NULL, "#1f77b4"},
    {"bb", STI_LAW_FACETS, STI_BED_BB, NULL, "#2ca02c"},
    {"gs", STI_LAW_FACETS, STI_BED_GS, NULL, "#d62728"},
#ifdef STI_HAVE_TAO
    {"tao:blmvm", STI_LAW_FACETS, STI_BED_GS, "tao:blmvm", "#7f7f7f"},
    {"tao:tron", STI_LAW_FACETS, STI_BED_GS, "tao:tron", "#bcbd22"},
    {"tao:bqpip", STI_LAW_FACETS, STI_BED_GS, "tao:bqpip", "#aec7e8"},
#endif
    {"cone:ipm", STI_LAW_CONE, STI_BED_IPM, NULL, "#98df8a"},
    {"cone:apgd", STI_LAW_CONE, STI_BED_APGD, NULL, "#17becf"},
    {"cone:gs", STI_LAW_CONE, STI_BED_GS, NULL, "#8c564b"},
    {"coulomb:gs", STI_LAW_COULOMB, STI_BED_GS, NULL, "#e377c2"},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static inline bool is_asked(const settings* set, const way* w) {
    return set->only == NULL || bench_listed(set->only, w->name, strlen(w->name));
}

static inline bool is_late(const settings* set) {
    return bench_wall() > set->stop_at;
}

static inline void use_way(sti_env* env, sti_bed* bed, const way* w) {
#ifdef STI_HAVE_TAO
    sti_bed_method method;
    if (w->tao == NULL) return;
    if (!sti_tao_method(w->tao, &method)) exit(3);
    must(env, sti_bed_use(bed, &method));
#else
    (void)env;
    (void)bed;
    (void)w;
#endif
}

static inline void end_ways(void) {
#ifdef STI_HAVE_TAO
    sti_tao_shutdown();
#endif
}

// ---- beds

// S3's step: all of a penetration taken back, eps = max(0.05, 2 h v_max).
static inline sti_bed_options thesis_options(double h, const way* w, double tol) {
    sti_bed_options o = sti_bed_options_default();
    o.h = h;
    o.law = w->law;
    o.solver = w->solver;
    o.tol = tol;
    o.eps = 0.05;
    o.eps_speed = 2;
    return o;
}

static inline sti_bed* make_bed(sti_env* env, int count, const sti_bed_options* o, sti_grains* g) {
    const sti_pebble_bed def = sti_pebble_bed_default(count);
    sti_bed* bed;
    must(env, sti_grains_pebble_bed(env, &def, g));
    must(env, sti_bed_create(env, g, o, &bed));
    return bed;
}

// The same bed with other options: positions and velocities stay, impulses are found anew.
static inline sti_bed* with_options(sti_env* env, sti_bed* bed, const sti_grains* g, const sti_bed_options* o) {
    const size_t n = 3 * (size_t)g->count;
    double* state = bench_memory(3 * n, sizeof *state);
    sti_bed* other;
    sti_bed_get(bed, state, state + n, state + 2 * n);
    sti_bed_destroy(bed);
    must(env, sti_bed_create(env, g, o, &other));
    must(env, sti_bed_set(other, state, state + n, state + 2 * n));
    free(state);
    return other;
}

static inline sti_packing measure_packing(sti_env* env, const sti_grains* g, const sti_bed* bed) {
    double* x = bench_memory(3 * (size_t)g->count, sizeof *x);
    sti_packing p;
    sti_bed_get(bed, x, NULL, NULL);
    must(env, sti_grains_packing(env, g, x, &p));
    free(x);
    return p;
}

#endif
