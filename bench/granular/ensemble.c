// ensemble.c: what the numbers of src/granular/tuning.h are tried against: beds of all layouts, sizes, friction, steps
// and tolerances, and grains of one size and of many.
//
//     bench_ensemble [--rest] [--falls] [--only LAYOUT] [--seeds N] [--large]      rest and falls without either
//
// --rest: a bed falls with the numbers as they are; from that state every variant goes on for 200 steps, the last 150
// of which count. Drums go on turning.
// --falls: whole falls from the start, for several seeds, since a fall is chaotic and one says little.
// CSV on stdout: part, scene, variant, sweeps a step, most sweeps, CPU ms a step, unsolved steps, mean kinetic energy
// of a grain; on stderr tables: for each variant and kind of bed, time and sweeps over those of the numbers as they
// are, geometric means, and the worst of all scenes.
//
// A number or a heuristic stays where it wins in the mean and loses nowhere by much; bench/granular/README.md has the
// record.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/recording.h>
#include <stiction/stiction.h>
#include <string.h>
#include <time.h>

#include "granular/bed.h"

enum { VARIANTS = 16, STEPS = 200, COUNTED = 150 };

typedef enum kind { PEBBLES, SETTLE, BOX, HOPPER, DRUM, HEAP, MIXED, KINDS } kind;
static const char* const kind_text[KINDS] = {"pebble bed", "settle", "box", "hopper", "drum", "heap", "mixed sizes"};

typedef struct scene {
    kind kind;
    const char* layout;
    int count;
    const char* set;  // parameters, "mu=0.8 spread=0.5"
    double h, tol, until;
    bool large;
} scene;

static const scene scenes[] = {
    {PEBBLES, "pebble-bed", 800, "recover=0.2", 0.01, 1e-4, 6, false},
    {PEBBLES, "pebble-bed", 1600, "mu=0.8", 0.01, 1e-4, 5, false},
    {PEBBLES, "pebble-bed", 1600, "mu=0.1", 0.02, 1e-4, 6, false},
    {PEBBLES, "pebble-bed", 800, "", 0.01, 1e-5, 4, false},
    {PEBBLES, "pebble-bed", 800, "law=cone", 0.01, 1e-5, 4, false},
    {SETTLE, "settle", 400, "", 0.002, 1e-4, 1.6, false},
    {SETTLE, "settle", 1600, "mu=0.1", 0.004, 1e-3, 1.6, false},
    {SETTLE, "settle", 3200, "", 0.002, 1e-4, 1.6, false},
    {BOX, "box", 1000, "recover=0.2", 0.01, 1e-4, 5, false},
    {BOX, "box", 1000, "recover=0.2 mu=0.8", 0.005, 1e-4, 4, false},
    {BOX, "box", 1000, "recover=0.2 width=6 mu=0.1", 0.01, 1e-3, 6, false},
    {HOPPER, "hopper", 800, "recover=0.2", 0.01, 1e-4, 5, false},
    {HOPPER, "hopper", 800, "recover=0.2 mu=0.1", 0.01, 1e-4, 5, false},
    {HOPPER, "hopper", 800, "recover=0.2 mu=0.8 slope=60", 0.02, 1e-5, 5, false},
    {DRUM, "drum", 800, "recover=0.2 mu=0.5", 0.01, 1e-4, 4, false},
    {DRUM, "drum", 800, "recover=0.2 mu=0.2 spin=1", 0.02, 1e-3, 4, false},
    {DRUM, "drum", 400, "recover=0.2 mu=0.8", 0.005, 1e-5, 3, false},
    {HEAP, "heap", 800, "recover=0.2 mu=0.5", 0.01, 1e-4, 5, false},
    {HEAP, "heap", 800, "recover=0.2 mu=1", 0.005, 1e-4, 4, false},
    {HEAP, "heap", 800, "recover=0.2 mu=0.2", 0.02, 1e-3, 5, false},
    {MIXED, "box", 1000, "recover=0.2 spread=0.5", 0.01, 1e-4, 5, false},
    {MIXED, "drum", 800, "recover=0.2 mu=0.5 spread=0.5", 0.01, 1e-4, 4, false},
    {MIXED, "heap", 800, "recover=0.2 mu=0.5 spread=0.3", 0.01, 1e-4, 5, false},
    {MIXED, "hopper", 800, "recover=0.2 mu=0.1 spread=0.7", 0.005, 1e-3, 5, false},
    {BOX, "box", 8000, "recover=0.2", 0.01, 1e-4, 5, true},
    {HOPPER, "hopper", 6400, "recover=0.2", 0.01, 1e-4, 6, true},
    {DRUM, "drum", 6400, "recover=0.2 mu=0.5", 0.01, 1e-4, 4, true},
    {MIXED, "box", 6400, "recover=0.2 spread=0.5", 0.01, 1e-4, 5, true},
    {PEBBLES, "pebble-bed", 10000, "recover=0.2", 0.01, 1e-4, 7, true},
    {PEBBLES, "pebble-bed", 30000, "recover=0.2", 0.01, 1e-4, 9, true},
};

enum { NEVER = 1000000 };  // sweeps

typedef struct variant {
    const char* name;
    sti_tuning tuning;
} variant;

static variant with(const char* name) {
    return (variant){name, sti_tuning_default};
}

static int make_variants(variant* v) {
    int n = 0;
    v[n++] = with("as it is");
    v[n] = with("no sweeps foreseen");
    v[n++].tuning.foreseen_most = 0;
    v[n] = with("start: last impulse");
    v[n].tuning.fresh[0] = v[n].tuning.fresh[1] = 1;
    v[n].tuning.last[0] = v[n].tuning.last[1] = 0;
    n++;
    v[n] = with("start: mean alone");
    v[n].tuning.last[0] = v[n].tuning.last[1] = 0;
    n++;
    v[n] = with("momentum at once");
    v[n++].tuning.plain = 1;
    v[n] = with("plain 16");
    v[n++].tuning.plain = 16;
    v[n] = with("no restarts");
    v[n].tuning.period = v[n].tuning.period_convex = NEVER;
    n++;
    v[n] = with("cap 1 - 0.1 mu");
    v[n++].tuning.cap_mu = 0.1;
    v[n] = with("no patience");
    v[n++].tuning.patience = NEVER;
    v[n] = with("always upright");
    v[n++].tuning.upright = 0;
    v[n] = with("longest side");
    v[n++].tuning.upright = 1e9;
    return n;
}

typedef struct outcome {
    double sweeps, ms, kinetic;
    long most, unsolved;
} outcome;

static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void must(sti_env* env, sti_status status) {
    if (status == STI_OK) return;
    fprintf(stderr, "%s\n", sti_env_error(env)->text);
    exit(1);
}

static void set_all(sti_env* env, sti_bed_scene* def, const char* settings) {
    char text[64];
    snprintf(text, sizeof text, "%s", settings);
    for (char* word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        char* value = strchr(word, '=');
        *value++ = '\0';
        must(env, sti_bed_scene_set(env, def, word, value));
    }
}

static sti_bed* make_bed(sti_env* env, const scene* s, uint64_t seed) {
    sti_layout layout = STI_LAYOUT_PEBBLE_BED;
    for (int k = 0; k < STI_LAYOUT_COUNT; k++) {
        if (strcmp(sti_layout_text((sti_layout)k), s->layout) == 0) layout = (sti_layout)k;
    }
    sti_bed_scene def = sti_bed_scene_default(layout, s->count);
    sti_grains grains;
    sti_bed* bed;
    def.bed.seed = seed;
    def.step.h = s->h;
    def.step.tol = s->tol;
    set_all(env, &def, s->set);
    must(env, sti_bed_scene_grains(env, &def, &grains));
    must(env, sti_bed_create(env, &grains, &def.step, &bed));
    sti_grains_clear(env, &grains);
    return bed;
}

// So many steps, of which those from `from` on count.
static outcome go(sti_env* env, sti_bed* bed, int steps, int from) {
    outcome o = {0};
    double start = cpu_ms();
    for (int k = 0; k < steps; k++) {
        sti_bed_report r;
        if (k == from) start = cpu_ms();
        must(env, sti_bed_step(bed, &r));
        if (k < from) continue;
        o.sweeps += (double)r.iterations;
        o.kinetic += r.kinetic / sti_bed_count(bed);
        o.unsolved += !r.solved;
        if (r.iterations > o.most) o.most = r.iterations;
    }
    const double counted = steps - from;
    o.ms = (cpu_ms() - start) / counted;
    o.sweeps /= counted;
    o.kinetic /= counted;
    return o;
}

typedef struct totals {
    double log_ms[KINDS], log_sweeps[KINDS], worst_ms, worst_sweeps;
    int scenes[KINDS];
    long unsolved;
} totals;

static void put(const char* part, const scene* s, const variant* v, const outcome* o, const outcome* base, totals* t) {
    printf("%s,%s %d %s h=%g tol=%g,%s,%.3f,%ld,%.4f,%ld,%.3g\n", part, s->layout, s->count, s->set, s->h, s->tol,
           v->name, o->sweeps, o->most, o->ms, o->unsolved, o->kinetic);
    fflush(stdout);
    const double ms = o->ms / base->ms, sweeps = (o->sweeps + 1) / (base->sweeps + 1);
    t->log_ms[s->kind] += log(ms);
    t->log_sweeps[s->kind] += log(sweeps);
    t->worst_ms = fmax(t->worst_ms, ms);
    t->worst_sweeps = fmax(t->worst_sweeps, sweeps);
    t->unsolved += o->unsolved;
    t->scenes[s->kind]++;
}

static void rest(sti_env* env, const scene* s, const variant* v, int count, totals* t) {
    sti_bed* bed = make_bed(env, s, 1);
    void* bytes;
    size_t size;
    outcome base = {0};
    go(env, bed, (int)(s->until / s->h + 0.5), 0);
    must(env, sti_bed_save_state(bed, &bytes, &size));
    sti_bed_destroy(bed);
    for (int k = 0; k < count; k++) {
        must(env, sti_bed_load_state(env, bytes, size, &bed));
        bed->tuning = v[k].tuning;
        must(env, sti_bed_list(bed));  // slabs are cut then
        const outcome o = go(env, bed, STEPS, STEPS - COUNTED);
        if (k == 0) base = o;
        put("rest", s, &v[k], &o, &base, &t[k]);
        sti_bed_destroy(bed);
    }
    sti_env_free(env, bytes);
}

static void fall(sti_env* env, const scene* s, const variant* v, int count, int seeds, totals* t) {
    outcome base = {0};
    const int steps = (int)(s->until / s->h + 0.5);
    for (int k = 0; k < count; k++) {
        outcome all = {0};
        for (int seed = 1; seed <= seeds; seed++) {
            sti_bed* bed = make_bed(env, s, (uint64_t)seed);
            bed->tuning = v[k].tuning;
            const outcome o = go(env, bed, steps, 0);
            all.sweeps += o.sweeps / seeds;
            all.ms += o.ms / seeds;
            all.kinetic += o.kinetic / seeds;
            all.unsolved += o.unsolved;
            if (o.most > all.most) all.most = o.most;
            sti_bed_destroy(bed);
        }
        if (k == 0) base = all;
        put("fall", s, &v[k], &all, &base, &t[k]);
    }
}

static void show(const char* part, const variant* v, int count, const totals* t) {
    int scenes_in = 0;
    for (int i = 0; i < KINDS; i++) scenes_in += t[0].scenes[i];
    if (scenes_in == 0) return;
    fprintf(stderr, "| %s, time (sweeps) |", part);
    for (int i = 0; i < KINDS; i++) {
        if (t[0].scenes[i] > 0) fprintf(stderr, " %s, %d |", kind_text[i], t[0].scenes[i]);
    }
    fprintf(stderr, " all, %d | worst | not solved |\n", scenes_in);
    for (int k = 0; k < count; k++) {
        double ms = 0, sweeps = 0;
        fprintf(stderr, "| %s |", v[k].name);
        for (int i = 0; i < KINDS; i++) {
            const int n = t[k].scenes[i];
            if (n > 0) fprintf(stderr, " %.2f (%.2f) |", exp(t[k].log_ms[i] / n), exp(t[k].log_sweeps[i] / n));
            ms += t[k].log_ms[i];
            sweeps += t[k].log_sweeps[i];
        }
        fprintf(stderr, " %.2f (%.2f) | %.2f (%.2f) | %ld |\n", exp(ms / scenes_in), exp(sweeps / scenes_in),
                t[k].worst_ms, t[k].worst_sweeps, t[k].unsolved);
    }
}

int main(int argc, char** argv) {
    variant v[VARIANTS];
    static totals at_rest[VARIANTS], falling[VARIANTS];
    bool rests = false, falls = false, large = false;
    const char* only = NULL;
    int seeds = 3;
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--rest") == 0)
            rests = true;
        else if (strcmp(argv[k], "--falls") == 0)
            falls = true;
        else if (strcmp(argv[k], "--large") == 0)
            large = true;
        else if (strcmp(argv[k], "--only") == 0 && k + 1 < argc)
            only = argv[++k];
        else if (strcmp(argv[k], "--seeds") == 0 && k + 1 < argc)
            seeds = atoi(argv[++k]);
        else
            return fprintf(stderr, "usage: bench_ensemble [--rest] [--falls] [--large] [--only LAYOUT] [--seeds N]\n"),
                   2;
    }
    sti_env* env;
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    const int count = make_variants(v);
    printf("part,scene,variant,sweeps,most,ms,unsolved,kinetic\n");
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        const scene* s = &scenes[k];
        if ((only != NULL && strcmp(only, s->layout) != 0) || (s->large && !large)) continue;
        if (rests || !falls) rest(env, s, v, count, at_rest);
        if (!s->large && (falls || !rests)) fall(env, s, v, count, seeds, falling);
    }
    show("at rest", v, count, at_rest);
    show("falls", v, count, falling);
    sti_env_destroy(env);
    return 0;
}
