// contact_scaling.c: how time and memory of block Gauss-Seidel grow with the problem.
//
// Problems of 10^2 to 10^5 contacts from contact_generate.h, in global form. Every size has a process of its own.
//
//     setup_s     reduction of the global form: W is assembled
//     sweep_s     one sweep of gs, extrapolation and all: the difference of a run with MANY and one with FEW sweeps
//     part        what a sweep moves (9 numbers and an index for each block of W, and the vectors of the extrapolation)
//                 a
//                 second, over the rate of a triad a[i] = b[i] + s c[i] far beyond the caches, measured in the same run
//     alloc_mb    most memory that the library held at a time; rss_mb: peak of the whole process, data included
//     speedup_2   wall time of the sweeps with one worker over that with two; same_bits: r agrees in every bit
//     solve_...   auto to 1e-4, within --limit seconds
//
// CSV to stdout, a table to stderr; to the folder --pictures contact_scaling.svg and contact_scaling.md, the table
// again. The exponent is that of the line log sweep_s = a + k log blocks through all sizes (least squares), the same
// for memory.
#include <stdint.h>

#include "contact/anderson.h"
#include "contact/contact.h"
#include "contact/reduce.h"
#include "contact_generate.h"
#include "measure.h"
#include "svg.h"

enum { FEW = 4, MANY = 24, SIZES = 7, FAMILIES = 3, REPEATS = 5, TRIAD = 1 << 23 };

static const int sizes[SIZES] = {100, 300, 1000, 3000, 10000, 30000, 100000};
static const char* const families[FAMILIES] = {"wall", "stacks", "spheres"};

typedef struct settings {
    const char* pictures;
    const char* families;
    long largest;
    double limit_s;   // of a solve
    double budget_s;  // of the whole
} settings;

typedef struct row {
    bool done;
    int bodies, contacts;
    int64_t blocks;
    double setup_s, sweep_s;
    double wall_1, wall_2;  // of MANY - FEW sweeps
    bool same_bits;
    double alloc_mb, rss_mb;
    sti_outcome outcome;
    double solve_s, residual;
    long iterations;
    char how[120];
} row;

// ---- memory that is counted ----

typedef struct counter {
    size_t now, most;
} counter;

typedef union header {
    size_t size;
    max_align_t align;
} header;

static void counted_free(void* user, void* p) {
    counter* c = user;
    header* h = (header*)p - 1;
    c->now -= h->size;
    free(h);
}

static void* counted_alloc(void* user, size_t size) {
    counter* c = user;
    header* h = malloc(sizeof *h + size);
    if (h == NULL) return NULL;
    h->size = size;
    c->now += size;
    if (c->now > c->most) c->most = c->now;
    return h + 1;
}

static void* counted_realloc(void* user, void* p, size_t size) {
    header* old = (header*)p - 1;
    void* fresh = counted_alloc(user, size);
    if (fresh == NULL) return NULL;
    memcpy(fresh, p, old->size < size ? old->size : size);
    counted_free(user, p);
    return fresh;
}

static sti_env* open_env(int workers, counter* c) {
    sti_env_def def = sti_env_def_default();
    def.workers = workers;
    def.alloc = counted_alloc;
    def.realloc = counted_realloc;
    def.free = counted_free;
    def.alloc_user = c;
    sti_env* env = NULL;
    if (sti_env_create(&def, &env) != STI_OK) exit(3);
    return env;
}

// ---- one size ----

typedef struct sweeps {
    double cpu_s, wall_s;
    long count;
    uint64_t hash;  // of r
} sweeps;

// gs from zero on the reduced problem, as sti_contact_solve calls it, without what comes before and after.
static sweeps run_sweeps(const sti_contact_local* local, long count) {
    sti_contact_options o = sti_contact_options_default();
    o.tol = 1e-100;  // never reached
    o.max_iterations = count;
    const size_t n = (size_t)(local->d * local->nc);
    double* point = bench_memory(2 * n, sizeof *point);
    sti_contact_run run = {.r = point, .u = point + n, .residual = INFINITY};
    sweeps s = {.hash = 14695981039346656037u};
    const double cpu = bench_cpu(), wall = bench_wall();
    if (sti_contact_method_gs(local, &o, &run) != STI_OK) exit(3);
    s.cpu_s = bench_cpu() - cpu;
    s.wall_s = bench_wall() - wall;
    s.count = run.iterations;
    const unsigned char* bytes = (const unsigned char*)point;
    for (size_t i = 0; i < n * sizeof *point; i++) s.hash = (s.hash ^ bytes[i]) * 1099511628211u;
    free(point);
    return s;
}

// One worker and two take turns on the same reduced problem.
static void measure_sweeps(const generated* g, row* r) {
    counter c = {0};
    sti_env* env[2] = {open_env(1, &c), open_env(2, &c)};
    sti_contact_reduction red;
    double few = INFINITY, many = INFINITY, few_wall[2] = {INFINITY, INFINITY}, many_wall[2] = {INFINITY, INFINITY};
    uint64_t hash[2][2] = {{0}};
    long between = 1;
    const double begin = bench_cpu();
    if (sti_contact_reduce(env[0], &g->problem, &red) != STI_OK) exit(3);
    r->setup_s = bench_cpu() - begin;
    const int repeats = g->contact_count < 3000 ? 10 * REPEATS : REPEATS;
    for (int k = 0; k < repeats; k++) {
        for (int w = 0; w < 2; w++) {
            sti_contact_local local = red.local;
            local.env = env[w];
            const sweeps s = run_sweeps(&local, FEW), m = run_sweeps(&local, MANY);
            if (w == 0) few = fmin(few, s.cpu_s), many = fmin(many, m.cpu_s);
            few_wall[w] = fmin(few_wall[w], s.wall_s);
            many_wall[w] = fmin(many_wall[w], m.wall_s);
            between = m.count > s.count ? m.count - s.count : 1;
            hash[w][0] = s.hash, hash[w][1] = m.hash;
        }
    }
    r->same_bits = hash[0][0] == hash[1][0] && hash[0][1] == hash[1][1];
    r->sweep_s = (many - few) / (double)between;
    r->wall_1 = many_wall[0] - few_wall[0];
    r->wall_2 = many_wall[1] - few_wall[1];
    r->alloc_mb = (double)c.most / 1048576;
    sti_contact_reduction_clear(&red);
    for (int w = 0; w < 2; w++) sti_env_destroy(env[w]);
}

static void measure_solve(const generated* g, double limit_s, row* r) {
    counter c = {0};
    sti_env* env = open_env(1, &c);
    sti_contact_options o = sti_contact_options_default();
    o.tol = 1e-4;
    o.time_limit_s = limit_s;
    sti_contact_answer a;
    const double begin = bench_cpu();
    if (sti_contact_solve(env, &g->problem, &o, &a) != STI_OK) exit(3);
    r->solve_s = bench_cpu() - begin;
    sti_contact_verification check;
    if (sti_verify_contact(env, &g->problem, &a, o.tol, &check) != STI_OK) exit(3);
    r->residual = a.outcome == STI_SOLVED ? check.residual : a.residual;
    r->outcome = a.outcome;
    r->iterations = a.iterations;
    for (int k = 0; k < a.attempt_count; k++) {
        const size_t used = strlen(r->how);
        snprintf(r->how + used, sizeof r->how - used, "%s%s %ld", k > 0 ? " + " : "",
                 sti_contact_solver_text(a.attempts[k].solver), a.attempts[k].iterations);
    }
    sti_contact_answer_clear(env, &a);
    sti_env_destroy(env);
}

typedef struct job {
    const char* family;
    int contacts;
    double limit_s;
} job;

static void work(void* context, void* out) {
    const job* j = context;
    row* r = out;
    generated g;
    if (!generate(j->family, j->contacts, &g)) exit(2);
    r->bodies = g.body_count;
    r->contacts = g.contact_count;
    r->blocks = g.block_count;
    measure_sweeps(&g, r);
    r->rss_mb = bench_peak_mb();
    measure_solve(&g, j->limit_s, r);
    r->done = true;
    generated_clear(&g);
}

// ---- memory bandwidth ----

static void triad(void* context, void* out) {
    (void)context;
    double* a = bench_memory(TRIAD, sizeof *a);
    double* b = bench_memory(TRIAD, sizeof *b);
    double* c = bench_memory(TRIAD, sizeof *c);
    for (size_t i = 0; i < TRIAD; i++) b[i] = (double)i, c[i] = 1;
    double best = INFINITY;
    for (int k = 0; k < 20; k++) {
        const double begin = bench_cpu();
        for (size_t i = 0; i < TRIAD; i++) a[i] = b[i] + 0.5 * c[i];
        best = fmin(best, bench_cpu() - begin);
        if (a[TRIAD / 2] < 0) exit(3);  // never: the loop is used
        b[k] = a[k];
    }
    *(double*)out = 3.0 * TRIAD * sizeof(double) / best;
}

// W once, both histories of the extrapolation once, and a dozen vectors of the length of r.
static double sweep_bytes(const row* r) {
    const double numbers = 3.0 * r->contacts, vectors = 2 * STI_ANDERSON_DEPTH + 12;
    return (double)r->blocks * (9 * sizeof(double) + sizeof(int)) + vectors * numbers * sizeof(double);
}

// ---- report ----

static double exponent(const row* rows, double (*of)(const row*)) {
    double x[SIZES], y[SIZES];
    int n = 0;
    for (int k = 0; k < SIZES; k++) {
        if (!rows[k].done || !(of(&rows[k]) > 0)) continue;
        x[n] = (double)rows[k].blocks;
        y[n++] = of(&rows[k]);
    }
    return bench_exponent(n, x, y);
}

static double time_of(const row* r) {
    return r->sweep_s;
}

static double memory_of(const row* r) {
    return r->alloc_mb;
}

static void report(const char* family, const row* r, double bandwidth) {
    if (!r->done) {
        fprintf(stderr, "%-8s stopped at the limit, or crashed\n", family);
        return;
    }
    const double rate = sweep_bytes(r) / r->sweep_s;
    printf("%s,%d,%d,%lld,%.6f,%.9f,%.3f,%.3f,%.3f,%.2f,%.2f,%.3f,%d,%s,%.3e,%ld,%.6f,%s,%s\n", family, r->bodies,
           r->contacts, (long long)r->blocks, r->setup_s, r->sweep_s, 1e9 * r->sweep_s / (double)r->blocks, rate / 1e9,
           rate / bandwidth, r->alloc_mb, r->rss_mb, r->wall_1 / r->wall_2, r->same_bits,
           r->outcome == STI_SOLVED ? "solved" : "open", r->residual, r->iterations, r->solve_s, r->how, sti_version());
    fflush(stdout);
    fprintf(stderr, "%-8s %7d %9lld %9.4f %10.3f %6.2f %5.2f %8.1f %8.1f %6.2f %-4s %8.1e %8.3f  %s\n", family,
            r->contacts, (long long)r->blocks, r->setup_s, 1e3 * r->sweep_s, 1e9 * r->sweep_s / (double)r->blocks,
            rate / bandwidth, r->alloc_mb, r->rss_mb, r->wall_1 / r->wall_2, r->same_bits ? "same" : "DIFF",
            r->residual, r->solve_s, r->how);
}

// contact_scaling.md: the table again.
static void write_table(const settings* set, const row rows[FAMILIES][SIZES], double bandwidth) {
    char path[4096];
    snprintf(path, sizeof path, "%s/contact_scaling.md", set->pictures);
    FILE* f = fopen(path, "w");
    if (f == NULL) return;
    fprintf(f,
            "| family | contacts | blocks | sweep, ms | ns / block | part of triad | library, MiB | process, MiB |"
            " two threads | to 1e-4 | s |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int k = 0; k < FAMILIES * SIZES; k++) {
        const row* r = &rows[k / SIZES][k % SIZES];
        if (!r->done) continue;
        fprintf(f, "| %s | %d | %lld | %.3g | %.1f | %.2f | %.1f | %.0f | %.2f%s | %s%s | %.2g |\n",
                families[k / SIZES], r->contacts, (long long)r->blocks, 1e3 * r->sweep_s,
                1e9 * r->sweep_s / (double)r->blocks, sweep_bytes(r) / r->sweep_s / bandwidth, r->alloc_mb, r->rss_mb,
                r->wall_1 / r->wall_2, r->same_bits ? "" : " OTHER BITS", r->how,
                r->outcome == STI_SOLVED ? "" : ", open", r->solve_s);
    }
    fclose(f);
    fprintf(stderr, "table: %s\n", path);
}

static const char* const colours[FAMILIES] = {"#d62728", "#1f77b4", "#2ca02c"};

static void draw_chart(FILE* file, double left, const row rows[FAMILIES][SIZES], double (*of)(const row*),
                       double factor, svg_axis y, const char* title) {
    const svg_chart c = {.file = file,
                         .left = left,
                         .top = 30,
                         .width = 320,
                         .height = 260,
                         .x = {.low = 1e3, .high = 1e7, .log = true, .step = 10, .label = "blocks of W"},
                         .y = y};
    svg_axes(&c, title);
    for (int f = 0; f < FAMILIES; f++) {
        double px[SIZES], py[SIZES];
        int n = 0;
        for (int k = 0; k < SIZES; k++) {
            const double value = factor * of(&rows[f][k]);
            if (!rows[f][k].done || !(value > y.low) || (double)rows[f][k].blocks < c.x.low) continue;
            px[n] = (double)rows[f][k].blocks;
            py[n++] = value;
            svg_dot(&c, px[n - 1], value, colours[f]);
        }
        const svg_pen pen = {colours[f], 1.5, NULL};
        char text[64];
        snprintf(text, sizeof text, "%s, exponent %.2f", families[f], exponent(rows[f], of));
        if (n > 0) svg_curve(&c, n, px, py, pen);
        if (n > 0) svg_legend(file, left + 12, c.top + 16, f, pen, text);
    }
    // slope one, for the eye
    const double x[2] = {1e3, 1e7}, start = y.low * 2, line[2] = {start, fmin(start * 1e4, y.high)};
    const svg_pen pen = {"#999999", 1, "4,3"};
    svg_curve(&c, 2, x, line, pen);
    svg_legend(file, left + 12, c.top + 16, FAMILIES, pen, "slope 1");
}

static void draw(const settings* set, const row rows[FAMILIES][SIZES]) {
    char path[4096];
    snprintf(path, sizeof path, "%s/contact_scaling.svg", set->pictures);
    FILE* file = svg_open(path, 850, 350);
    if (file == NULL) {
        fprintf(stderr, "bench_contact_scaling: cannot write %s\n", path);
        return;
    }
    draw_chart(file, 70, rows, time_of, 1e3,
               (svg_axis){.low = 1e-3, .high = 1e3, .log = true, .step = 10, .label = "ms"}, "one sweep, one thread");
    draw_chart(file, 490, rows, memory_of, 1,
               (svg_axis){.low = 0.1, .high = 1e4, .log = true, .step = 10, .label = "MiB"}, "memory held at most");
    fprintf(stderr, svg_close(file) ? "picture: %s\n" : "bench_contact_scaling: cannot write %s\n", path);
}

static bool read_arguments(int count, char** word, settings* set) {
    for (int k = 1; k < count; k += 2) {
        const char* value = k + 1 < count ? word[k + 1] : NULL;
        if (value == NULL) return false;
        if (strcmp(word[k], "--families") == 0)
            set->families = value;
        else if (strcmp(word[k], "--largest") == 0)
            set->largest = strtol(value, NULL, 10);
        else if (strcmp(word[k], "--limit") == 0)
            set->limit_s = strtod(value, NULL);
        else if (strcmp(word[k], "--budget") == 0)
            set->budget_s = strtod(value, NULL);
        else if (strcmp(word[k], "--pictures") == 0)
            set->pictures = value;
        else
            return false;
    }
    return set->limit_s > 0 && set->budget_s > 0;
}

int main(int count, char** word) {
    settings set = {.pictures = getenv("STI_BENCH_RESULTS"),
                    .families = "wall,stacks,spheres",
                    .largest = 100000,
                    .limit_s = 30,
                    .budget_s = 540};
    if (!read_arguments(count, word, &set)) {
        fprintf(stderr,
                "usage: bench_contact_scaling [--families wall,stacks,spheres] [--largest 100000] [--limit 30]\n"
                "                             [--budget 540] [--pictures FOLDER]      limits in seconds\n");
        return 2;
    }
    double bandwidth = NAN;
    bench_apart(triad, NULL, &bandwidth, sizeof bandwidth, 60);
    fprintf(stderr, "triad: %.1f GB/s\n", bandwidth / 1e9);
    fprintf(stderr, "%-8s %7s %9s %9s %10s %6s %5s %8s %8s %6s %-4s %8s %8s  %s\n", "family", "contacts", "blocks",
            "setup s", "sweep ms", "ns/bl", "part", "alloc MB", "rss MB", "2 thr", "bits", "residual", "solve s",
            "how");
    printf(
        "family,bodies,contacts,blocks,setup_s,sweep_s,ns_per_block,gb_per_s,part_of_triad,alloc_mb,rss_mb,speedup_2,"
        "same_bits,solve,residual,iterations,solve_s,how,version\n");
    static row rows[FAMILIES][SIZES];
    const double deadline = bench_wall() + set.budget_s;
    for (int k = 0; k < SIZES; k++) {
        for (int f = 0; f < FAMILIES; f++) {
            if (sizes[k] > set.largest || bench_wall() > deadline) continue;
            if (!bench_listed(set.families, families[f], strlen(families[f]))) continue;
            job j = {.family = families[f], .contacts = sizes[k], .limit_s = set.limit_s};
            row r = {0};
            if (bench_apart(work, &j, &r, sizeof r, 300) == BENCH_RETURNED) rows[f][k] = r;
            report(families[f], &rows[f][k], bandwidth);
        }
    }
    for (int f = 0; f < FAMILIES; f++)
        fprintf(stderr, "%-8s sweep time ~ blocks^%.2f, memory ~ blocks^%.2f\n", families[f],
                exponent(rows[f], time_of), exponent(rows[f], memory_of));
    if (set.pictures != NULL) {
        draw(&set, rows);
        write_table(&set, rows, bandwidth);
    }
    return 0;
}
