// contact.c: our contact solvers beside those of Siconos, on real problems, in the same run.
//
// Problems: every FCLIB file under fc2d, fc3d, gfc2d and gfc3d of the collection; with --generate SEED those of
// contact_families.h instead, from 10 to --largest contacts. Solvers: ours, all of them, and every
// configuration of Siconos that the reference of the collection names (contact_siconos.h). Start: zero.
//
// Equal accuracy. An entry counts only when the independent verifier (sti_verify_contact) finds a residual of at most
// tol on the data of the file. Solvers of Siconos measure themselves in other ways, so each is given 10 tol, tol, tol /
// 10, ... for its own tolerance until ours holds, and the first run that does is the one that counts.
//
// Time is CPU time of one thread in one call, the least of repeats: for ours all of sti_contact_solve but modes and
// margins (nobody else computes them), for Siconos the driver, its data ready in the storage it likes best. Every call
// has a process of its own and a limit on its CPU time: a hundred times what our auto took, at least --floor and at
// most --limit (all of --limit where nobody of Siconos solves the problem otherwise). --budget bounds the whole run.
// The fastest of Siconos and our auto are then measured again in turns, so that a burst of other work hits both.
//
// CSV to stdout, a table to stderr; to the folder --pictures performance profiles (contact_1e-4.svg, contact_1e-8.svg)
// and contact.md, the table again.
//
//     single    the one solver of Siconos that solves most in a group of problems; the fastest of those
//     virtual   for every problem the fastest solver of Siconos
#include <dirent.h>

#include "contact_families.h"
#include "contact_siconos.h"
#include "measure.h"
#include "profile.h"

enum { OURS = STI_CONTACT_SOLVER_COUNT, SOLVERS = OURS + SICONOS_SOLVERS, PROBLEMS = 128, TOLS = 2, GROUPS = 3 };

static const double tols[TOLS] = {1e-4, 1e-8};
static const char* const group_names[GROUPS] = {"FC2D", "FC3D", "global"};

typedef struct settings {
    const char* folder;    // of the collection
    const char* pictures;  // folder; NULL: none
    const char* only;      // problems, comma separated; NULL: all
    bool ours_only;
    const char* seed;  // of generated problems; NULL: those of the folder
    int largest;       // contacts of those
    double limit_s, floor_s, budget_s;
    int rounds;
} settings;

typedef struct posed {
    char family[12];
    char name[96];
    int group;
    const sti_contact_problem* problem;
    sti_document* owner;
} posed;

typedef enum ending { SKIPPED, SOLVED, INEXACT, GAVE_UP, TOO_SLOW, CRASHED, FALSE_CLAIM } ending;

static const char* const ending_text[] = {"skipped", "solved", "inexact", "gave up", "slow", "crashed", "FALSE CLAIM"};

typedef struct entry {
    ending end;
    double residual;  // of the verifier
    double own_tol;   // what the solver was asked for
    double cpu_s;     // least of the repeats
    long iterations;
    double limit_s;
} entry;

static entry entries[TOLS][PROBLEMS][SOLVERS];

static const char* who(int s) {
    return s < OURS ? "stiction" : "siconos";
}

static const char* solver_name(int s) {
#ifdef STI_HAVE_SICONOS
    if (s >= OURS) return siconos_solvers[s - OURS].name;
#endif
    return sti_contact_solver_text((sti_contact_solver)s);
}

// ---- one call ----

typedef struct job {
    const sti_contact_problem* problem;
    int solver;
    double tol, own_tol;
    double repeat_s;  // repeats until so much time is used
} job;

static double verified_residual(sti_env* env, const job* j, const sti_contact_answer* answer, bool* accepted) {
    sti_contact_verification check;
    *accepted = false;
    if (sti_verify_contact(env, j->problem, answer, j->tol, &check) != STI_OK) return NAN;
    *accepted = check.accepted;
    return check.residual;
}

// Short calls are timed several at once: reading the clock takes as long as the smallest problem.
enum { BATCH = 16 };

static void call_ours(sti_env* env, const job* j, int count, entry* e) {
    sti_contact_options options = sti_contact_options_default();
    options.solver = (sti_contact_solver)j->solver;
    options.tol = j->own_tol;
    options.describe = false;
    sti_contact_answer answer[BATCH];
    sti_status status = STI_OK;
    const double begin = bench_cpu();
    int made = 0;
    for (; made < count && status == STI_OK; made += status == STI_OK)
        status = sti_contact_solve(env, j->problem, &options, &answer[made]);
    const double cpu = (bench_cpu() - begin) / count;
    if (status == STI_OK) {
        bool accepted;
        e->cpu_s = fmin(e->cpu_s, cpu);
        e->residual = verified_residual(env, j, &answer[0], &accepted);
        e->iterations = answer[0].iterations;
        e->end = answer[0].outcome != STI_SOLVED ? GAVE_UP : accepted ? SOLVED : FALSE_CLAIM;
    }
    for (int k = 0; k < made; k++) sti_contact_answer_clear(env, &answer[k]);
}

#ifdef STI_HAVE_SICONOS
static void call_siconos(sti_env* env, const job* j, int count, entry* e) {
    const sti_contact_problem* p = j->problem;
    const size_t n = (size_t)(p->dimension * p->contact_count), nv = p->global ? (size_t)p->velocity_count : 0;
    double* point = bench_memory(2 * n + nv, sizeof *point);
    const siconos_result result = siconos_solve(&siconos_solvers[j->solver - OURS], p, j->own_tol, count, point);
    const sti_contact_answer answer = {.outcome = STI_SOLVED,
                                       .dimension = p->dimension,
                                       .contact_count = p->contact_count,
                                       .velocity_count = (int)nv,
                                       .r = point,
                                       .u = point + n,
                                       .v = p->global ? point + 2 * n : NULL};
    bool accepted = false;
    e->cpu_s = fmin(e->cpu_s, result.cpu_s);
    e->residual = verified_residual(env, j, &answer, &accepted);
    e->iterations = result.iterations;
    e->end = accepted ? SOLVED : result.info == 0 ? INEXACT : GAVE_UP;
    free(point);
}
#endif

static void work(void* context, void* out) {
    const job* j = context;
    entry* e = out;
    sti_env* env = NULL;
    if (sti_env_create(NULL, &env) != STI_OK) _exit(3);
    const double begin = bench_cpu();
    for (int k = 0; k < 100; k++) {
        const int count = k > 0 && e->cpu_s < 1e-4 ? BATCH : 1;
#ifdef STI_HAVE_SICONOS
        if (j->solver >= OURS)
            call_siconos(env, j, count, e);
        else
#endif
            call_ours(env, j, count, e);
        if (e->end != SOLVED || bench_cpu() - begin > j->repeat_s) break;
    }
    sti_env_destroy(env);
}

static entry call_apart(const job* j, double limit_s) {
    const entry fresh = {.end = GAVE_UP, .residual = NAN, .cpu_s = INFINITY, .own_tol = j->own_tol, .limit_s = limit_s};
    entry e = fresh;
    job mine = *j;
    const bench_end end = bench_apart(work, &mine, &e, sizeof e, limit_s);
    if (end == BENCH_RETURNED) return e;
    e = fresh;
    e.end = end == BENCH_SLOW ? TOO_SLOW : CRASHED;
    return e;
}

// As many tolerances of its own as the solver needs to satisfy the verifier.
static entry measure(const sti_contact_problem* p, int s, double tol, double limit_s) {
    job j = {.problem = p, .solver = s, .tol = tol, .own_tol = tol, .repeat_s = fmin(0.01, 0.2 * limit_s)};
    if (s < OURS) return call_apart(&j, limit_s);
    entry e = {.end = SKIPPED};
    for (int k = -1; k <= 5; k++) {
        j.own_tol = fmax(tol * pow(10, -k), 1e-15);
        e = call_apart(&j, limit_s);
        if (e.end != INEXACT) break;
    }
    return e;
}

// ---- all calls ----

static bool better(const entry* a, const entry* b) {
    return a->end == SOLVED && (b == NULL || a->cpu_s < b->cpu_s);
}

static const entry* fastest_siconos(const entry* e) {
    const entry* best = NULL;
    for (int s = OURS; s < SOLVERS; s++) {
        if (better(&e[s], best)) best = &e[s];
    }
    return best;
}

// Nobody of Siconos was within the limit: those that were stopped get all the time there is.
static void second_chance(const settings* set, const sti_contact_problem* p, double tol, double deadline, entry* e) {
    if (fastest_siconos(e) != NULL) return;
    for (int s = OURS; s < SOLVERS; s++) {
        if (e[s].end == TOO_SLOW && e[s].limit_s < set->limit_s && bench_wall() < deadline)
            e[s] = measure(p, s, tol, set->limit_s);
    }
}

// Auto and the contenders once more, in turns.
static void again(const settings* set, const sti_contact_problem* p, double tol, entry* e) {
    const entry* best = fastest_siconos(e);
    const double bar = best != NULL ? 1.5 * best->cpu_s : 0;
    for (int round = 0; round < set->rounds; round++) {
        for (int s = 0; s < SOLVERS; s++) {
            const bool ours = s == STI_CONTACT_AUTO;
            if (e[s].end != SOLVED || e[s].cpu_s > 0.5 || (!ours && (s < OURS || e[s].cpu_s > bar))) continue;
            const job j = {.problem = p, .solver = s, .tol = tol, .own_tol = e[s].own_tol, .repeat_s = 0.01};
            const entry more = call_apart(&j, fmax(10 * e[s].cpu_s, 1));
            if (more.end == SOLVED) e[s].cpu_s = fmin(e[s].cpu_s, more.cpu_s);
        }
    }
}

static void measure_problem(const settings* set, const posed* p, double tol, double deadline, entry* e) {
    double limit = set->limit_s;
    for (int s = 0; s < SOLVERS; s++) {
        e[s] = (entry){.end = SKIPPED, .residual = NAN, .cpu_s = INFINITY};
        if (bench_wall() > deadline && s > 0) continue;
#ifdef STI_HAVE_SICONOS
        if (s >= OURS && (set->ours_only || !siconos_fits(&siconos_solvers[s - OURS], p->problem))) continue;
#endif
        e[s] = measure(p->problem, s, tol, limit);
        if (s == STI_CONTACT_AUTO && e[s].end == SOLVED)
            limit = fmin(set->limit_s, fmax(set->floor_s, 100 * e[s].cpu_s));
    }
    second_chance(set, p->problem, tol, deadline, e);
    again(set, p->problem, tol, e);
    for (int s = 0; s < SOLVERS; s++) {
        if (e[s].end == SKIPPED) continue;
        printf("%s,%s,%d,%d,%.0e,%s,%s,%s,%.3e,%.0e,%ld,%.9f,%.3f,", p->family, p->name, p->problem->contact_count,
               p->problem->dimension, tol, who(s), solver_name(s), ending_text[e[s].end], e[s].residual, e[s].own_tol,
               e[s].iterations, e[s].cpu_s, e[s].limit_s);
        if (e[s].end == SOLVED && e[0].end == SOLVED) printf("%.3f", e[s].cpu_s / e[0].cpu_s);
        printf(",%s\n", sti_version());
    }
    fflush(stdout);
    const entry* best = fastest_siconos(e);
    fprintf(stderr, "  %-44s %5d  auto %9.3f ms %8.1e %-8s", p->name, p->problem->contact_count, 1e3 * e[0].cpu_s,
            e[0].residual, ending_text[e[0].end]);
    if (best != NULL)
        fprintf(stderr, "  best Siconos %9.3f ms  %6.2f (%s)", 1e3 * best->cpu_s, best->cpu_s / e[0].cpu_s,
                solver_name((int)(best - e)));
    fprintf(stderr, "\n");
}

// ---- problems ----

static int only_problems(const struct dirent* d) {
    const size_t length = strlen(d->d_name);
    return length > 5 && strcmp(d->d_name + length - 5, ".hdf5") == 0;
}

static int load_family(sti_env* env, const settings* set, const char* family, int group, posed* list, int count) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", set->folder, family);
    struct dirent** found = NULL;
    const int files = scandir(path, &found, only_problems, alphasort);
    for (int i = 0; i < files; i++) {
        posed* p = &list[count];
        const size_t length = strlen(found[i]->d_name) - 5;
        snprintf(path, sizeof path, "%s/%s/%s", set->folder, family, found[i]->d_name);
        const bool wanted = set->only == NULL || bench_listed(set->only, found[i]->d_name, length);
        if (count < PROBLEMS && wanted && sti_document_load(env, path, &p->owner) == STI_OK) {
            p->problem = sti_contact_problem_of(p->owner);
            p->group = group;
            snprintf(p->family, sizeof p->family, "%s", family);
            snprintf(p->name, sizeof p->name, "%.*s", (int)length, found[i]->d_name);
            count += p->problem != NULL;
        }
        free(found[i]);
    }
    free(found);
    return count;
}

// ---- what was learned ----

typedef struct score {
    int solved;
    double log_time;  // sum over what it solved, relative to the virtual best
} score;

// The solver of Siconos that solves most of the group; the fastest of those. -1: none solves any.
static int single_best(const posed* list, int count, int group, int t) {
    score best = {0};
    int who_best = -1;
    for (int s = OURS; s < SOLVERS; s++) {
        score mine = {0};
        for (int p = 0; p < count; p++) {
            const entry* e = entries[t][p];
            if (list[p].group != group || e[s].end != SOLVED) continue;
            mine.solved++;
            mine.log_time += log(e[s].cpu_s / fastest_siconos(e)->cpu_s);
        }
        if (mine.solved > best.solved ||
            (mine.solved > 0 && mine.solved == best.solved && mine.log_time < best.log_time))
            best = mine, who_best = s;
    }
    return who_best;
}

static void summary_group(const posed* list, int count, int group, int t) {
    const int single = single_best(list, count, group, t);
    int problems = 0, solved = 0, theirs = 0, single_solved = 0, faster = 0;
    double log_virtual = 0, log_single = 0, least = INFINITY;
    for (int p = 0; p < count; p++) {
        if (list[p].group != group) continue;
        const entry* e = entries[t][p];
        const entry* best = fastest_siconos(e);
        problems++;
        solved += e[0].end == SOLVED;
        theirs += best != NULL;
        if (e[0].end != SOLVED || best == NULL) continue;
        log_virtual += log(best->cpu_s / e[0].cpu_s);
        if (e[single].end != SOLVED) continue;
        const double ratio = e[single].cpu_s / e[0].cpu_s;
        log_single += log(ratio);
        least = fmin(least, ratio);
        single_solved++;
        faster += ratio > 1;
    }
    if (problems == 0) return;
    fprintf(stderr, "%-7s tol %.0e: auto solves %d of %d, Siconos together %d", group_names[group], tols[t], solved,
            problems, theirs);
    if (theirs > 0)
        fprintf(stderr,
                "; virtual best / auto %.2f in geometric mean; %s, the best single one, solves %d: auto is faster on"
                " %d, ratio %.2f in the mean, %.2f at least",
                exp(log_virtual / theirs), solver_name(single), single_solved, faster, exp(log_single / single_solved),
                least);
    fprintf(stderr, "\n");
}

static void summary(const posed* list, int count) {
    int false_claims = 0;
    for (int t = 0; t < TOLS; t++) {
        double sum = 0;
        int both = 0;
        for (int p = 0; p < count; p++) {
            const entry* e = entries[t][p];
            const entry* best = fastest_siconos(e);
            for (int s = 0; s < OURS; s++) false_claims += e[s].end == FALSE_CLAIM;
            if (e[0].end != SOLVED || best == NULL) continue;
            sum += log(best->cpu_s / e[0].cpu_s);
            both++;
        }
        fprintf(stderr, "\n");
        for (int g = 0; g < GROUPS; g++) summary_group(list, count, g, t);
        if (both > 0)
            fprintf(stderr,
                    "all     tol %.0e: virtual best of Siconos / auto %.2f in geometric mean over %d problems\n",
                    tols[t], exp(sum / both), both);
    }
    fprintf(stderr, "\nclaims of ours that the verifier rejects: %d\n", false_claims);
}

// ---- a table to read ----

static void ratio_cell(FILE* f, const entry* theirs, const entry* ours, const char* name) {
    if (theirs == NULL || theirs->end != SOLVED || ours->end != SOLVED)
        fprintf(f, " - |");
    else if (name == NULL)
        fprintf(f, " %.1f |", theirs->cpu_s / ours->cpu_s);
    else
        fprintf(f, " %.1f (%s) |", theirs->cpu_s / ours->cpu_s, name);
}

// contact.md: for every problem the time of auto, and how many times longer the best single solver and the best of all
// take.
static void write_table(const settings* set, const posed* list, int count) {
    char path[4096];
    snprintf(path, sizeof path, "%s/contact.md", set->pictures);
    FILE* f = fopen(path, "w");
    if (f == NULL) return;
    fprintf(f, "| problem | contacts |");
    for (int t = 0; t < TOLS; t++) fprintf(f, " auto %.0e, us | / single | / virtual best |", tols[t]);
    fprintf(f, "\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int p = 0; p < count; p++) {
        fprintf(f, "| %s | %d |", list[p].name, list[p].problem->contact_count);
        for (int t = 0; t < TOLS; t++) {
            const entry* e = entries[t][p];
            const entry* best = fastest_siconos(e);
            const int single = single_best(list, count, list[p].group, t);
            if (e[0].end == SOLVED)
                fprintf(f, " %.3g |", 1e6 * e[0].cpu_s);
            else
                fprintf(f, " open |");
            ratio_cell(f, single >= 0 ? &e[single] : NULL, &e[0], NULL);
            ratio_cell(f, best, &e[0], best != NULL ? solver_name((int)(best - e)) : NULL);
        }
        fprintf(f, "\n");
    }
    fclose(f);
    fprintf(stderr, "table: %s\n", path);
}

// ---- pictures ----

static const char* const colours[] = {"#d62728", "#1f77b4", "#2ca02c", "#ff7f0e", "#9467bd",
                                      "#8c564b", "#17becf", "#bcbd22", "#e377c2", "#555555"};
enum { COLOURS = sizeof colours / sizeof colours[0], NAMED = 4, PANEL = 330, PLOT = 250 };

// Solved, then quick: the order of a legend. The virtual best of Siconos stands behind the last solver.
static double merit(const profile* f, int s) {
    double sum = 0;
    for (int p = 0; p < f->problems; p++) {
        const double t = f->time[p * f->solvers + s];
        if (isfinite(t)) sum += 100 - log(t / profile_least(f, p));
    }
    return sum;
}

static void draw_panel(FILE* file, const profile* f, int group) {
    const svg_chart c = {.file = file,
                         .left = 50.0 + PANEL * group,
                         .top = 30,
                         .width = PLOT,
                         .height = 220,
                         .x = {.low = 1, .high = 1000, .log = true, .step = 10, .label = "time / least time"},
                         .y = {.low = 0, .high = 1, .step = 0.2, .label = group == 0 ? "part of the problems" : NULL}};
    char title[64];
    snprintf(title, sizeof title, "%s, %d problems", group_names[group], f->problems);
    svg_axes(&c, title);
    const double legend = c.top + c.height + 55;
    const svg_pen faint = {"#c8c8c8", 1, NULL};
    for (int s = OURS; s < SOLVERS; s++) profile_draw(&c, f, s, faint);
    bool drawn[SOLVERS + 1] = {false};
    int line = 0;
    for (int k = 0; k < NAMED; k++) {  // the best ones of Siconos by name
        int best = -1;
        for (int s = OURS; s < SOLVERS; s++) {
            if (!drawn[s] && merit(f, s) > (best < 0 ? 0 : merit(f, best))) best = s;
        }
        if (best < 0) break;
        static const char* const greys[NAMED] = {"#000000", "#444444", "#777777", "#999999"};
        static const char* const dashes[NAMED] = {NULL, "6,3", "2,2", "8,2,2,2"};
        const svg_pen pen = {greys[k], 1.4, dashes[k]};
        char text[64];
        snprintf(text, sizeof text, "Siconos %s", solver_name(best));
        profile_draw(&c, f, best, pen);
        svg_legend(file, c.left + 110, legend, line++, pen, text);
        drawn[best] = true;
    }
    const svg_pen virtual_pen = {"#000000", 2.2, "1,3"};
    profile_draw(&c, f, SOLVERS, virtual_pen);
    svg_legend(file, c.left + 110, legend, line++, virtual_pen, "Siconos, virtual best");
    svg_legend(file, c.left + 110, legend, line++, faint, "Siconos, the others");
    for (int s = OURS - 1; s >= 0; s--) {
        const svg_pen pen = {colours[s % COLOURS], s == STI_CONTACT_AUTO ? 3 : 1.4, NULL};
        profile_draw(&c, f, s, pen);
        svg_legend(file, c.left - 30, legend, s, pen, solver_name(s));
    }
}

static void draw(const settings* set, const posed* list, int count, int t) {
    char path[4096];
    snprintf(path, sizeof path, "%s/contact_1e-%.0f.svg", set->pictures, -log10(tols[t]));
    FILE* file = svg_open(path, 50 + PANEL * GROUPS, 310 + 14 * (OURS > NAMED + 2 ? OURS : NAMED + 2));
    if (file == NULL) {
        fprintf(stderr, "bench_contact: cannot write %s\n", path);
        return;
    }
    bool counts[SOLVERS + 1];
    for (int s = 0; s <= SOLVERS; s++) counts[s] = s < SOLVERS;
    double* time = bench_memory((size_t)count * (SOLVERS + 1), sizeof *time);
    for (int g = 0; g < GROUPS; g++) {
        profile f = {.solvers = SOLVERS + 1, .time = time, .counts = counts};
        for (int p = 0; p < count; p++) {
            if (list[p].group != g) continue;
            const entry* e = entries[t][p];
            const entry* best = fastest_siconos(e);
            double* row = time + (size_t)f.problems++ * (SOLVERS + 1);
            for (int s = 0; s < SOLVERS; s++) row[s] = e[s].end == SOLVED ? e[s].cpu_s : INFINITY;
            row[SOLVERS] = best != NULL ? best->cpu_s : INFINITY;
        }
        if (f.problems > 0) draw_panel(file, &f, g);
    }
    free(time);
    fprintf(stderr, svg_close(file) ? "picture: %s\n" : "bench_contact: cannot write %s\n", path);
}

// ---- the program ----

static int load_all(sti_env* env, const settings* set, posed* list) {
    int problems = load_family(env, set, "fc2d", 0, list, 0);
    problems = load_family(env, set, "fc3d", 1, list, problems);
    problems = load_family(env, set, "gfc2d", 2, list, problems);
    return load_family(env, set, "gfc3d", 2, list, problems);
}

// Every family at every size, each from a seed of its own; they stay until the program ends. With `only`: the named
// families.
static int generate_all(sti_env* env, const settings* set, posed* list) {
    enum { SIZES = 6 };
    static const int sizes[SIZES] = {10, 30, 100, 300, 1000, 10000};
    static sti_contact_problem problems[PROBLEMS];
    const uint64_t seed = strtoull(set->seed, NULL, 10);
    int count = 0;
    for (int f = 0; f < FAMILIES; f++) {
        if (set->only != NULL && !bench_listed(set->only, families[f].name, strlen(families[f].name))) continue;
        for (int k = 0; k < SIZES && sizes[k] <= set->largest && count < PROBLEMS; k++, count++) {
            problems[count] = family_make(env, families[f].name, 100 * seed + (uint64_t)(SIZES * f + k), sizes[k]);
            const bool same = k > 0 && count > 0 && strcmp(list[count - 1].family, families[f].name) == 0 &&
                              problems[count].contact_count == problems[count - 1].contact_count;
            if (same) count--;  // the least there is of a family: once
            list[count] = (posed){.group = families[f].group, .problem = &problems[count]};
            snprintf(list[count].family, sizeof list[count].family, "%s", families[f].name);
            snprintf(list[count].name, sizeof list[count].name, "%s_%d", families[f].name,
                     problems[count].contact_count);
        }
    }
    return count;
}

static bool read_arguments(int count, char** word, settings* set) {
    for (int k = 1; k < count; k++) {
        const char* value = k + 1 < count ? word[k + 1] : NULL;
        if (strcmp(word[k], "--ours") == 0) {
            set->ours_only = true;
            continue;
        }
        if (value == NULL) return false;
        if (strcmp(word[k], "--problems") == 0)
            set->folder = value;
        else if (strcmp(word[k], "--pictures") == 0)
            set->pictures = value;
        else if (strcmp(word[k], "--generate") == 0)
            set->seed = value;
        else if (strcmp(word[k], "--only") == 0)
            set->only = value;
        else if (strcmp(word[k], "--largest") == 0)
            set->largest = (int)strtol(value, NULL, 10);
        else if (strcmp(word[k], "--limit") == 0)
            set->limit_s = strtod(value, NULL);
        else if (strcmp(word[k], "--floor") == 0)
            set->floor_s = strtod(value, NULL);
        else if (strcmp(word[k], "--budget") == 0)
            set->budget_s = strtod(value, NULL);
        else if (strcmp(word[k], "--rounds") == 0)
            set->rounds = (int)strtol(value, NULL, 10);
        else
            return false;
        k++;
    }
    return set->limit_s > 0 && set->floor_s > 0 && set->budget_s > 0;
}

int main(int count, char** word) {
    settings set = {.folder = STI_SHARED_DIR "/problems",
                    .pictures = getenv("STI_BENCH_RESULTS"),
                    .largest = 1000,
                    .limit_s = 5,
                    .floor_s = 0.3,
                    .budget_s = 540,
                    .rounds = 5};
    if (!read_arguments(count, word, &set)) {
        fprintf(
            stderr,
            "usage: bench_contact [--problems FOLDER | --generate SEED [--largest 1000]] [--only name,name] [--ours]\n"
            "                     [--pictures FOLDER]\n"
            "                     [--limit 5] [--floor 0.3] [--budget 540] [--rounds 5]       seconds, seconds, "
            "seconds\n");
        return 2;
    }
    sti_env* env = NULL;
    if (sti_env_create(NULL, &env) != STI_OK) return 3;
    static posed list[PROBLEMS];
    const int problems = set.seed != NULL ? generate_all(env, &set, list) : load_all(env, &set, list);
    if (problems == 0) fprintf(stderr, "bench_contact: no problems in %s\n", set.folder);
    printf(
        "family,problem,contacts,dimension,tol,who,solver,outcome,residual,own_tol,iterations,cpu_s,limit_s,times_auto,"
        "version\n");
    const double deadline = bench_wall() + set.budget_s;
    for (int t = 0; t < TOLS && problems > 0; t++) {
        fprintf(stderr, "tol %.0e\n", tols[t]);
        for (int p = 0; p < problems; p++) measure_problem(&set, &list[p], tols[t], deadline, entries[t][p]);
    }
    if (problems > 0) summary(list, problems);
    for (int t = 0; t < TOLS && problems > 0 && set.pictures != NULL; t++) draw(&set, list, problems, t);
    if (problems > 0 && set.pictures != NULL) write_table(&set, list, problems);
    for (int p = 0; p < problems; p++) sti_document_destroy(list[p].owner);
    sti_env_destroy(env);
    return 0;
}
