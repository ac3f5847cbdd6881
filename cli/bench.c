// bench.c: stiction bench: every solver on every problem found, as a table.
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "contact.h"
#include "file.h"

typedef struct row {
    char* problem;
    sti_kind kind;
    int n, m;  // of an LCP: m = 0; of a contact problem: contacts, and velocities of the global form
    const char* solver;
    bool ran;  // false: the method does not take this problem
    sti_outcome outcome;
    sti_termination termination;
    double residual;
    long iterations;
    double time_s;
} row;

typedef struct bench {
    const cli* c;
    char** path;  // (path_count)
    size_t path_count, path_capacity;
    row* rows;  // (row_count)
    size_t row_count, row_capacity;
    bool use[STI_LCP_SOLVER_COUNT];
    bool use_contact[STI_CONTACT_SOLVER_COUNT];
    double time_limit;
    double tol;  // 0: the default of each kind
    int skipped;
} bench;

// ---- files

static bool is_problem_name(const char* name) {
    static const char* const suffixes[] = {".json", ".hdf5", ".h5"};
    const size_t n = strlen(name);
    for (size_t k = 0; k < sizeof suffixes / sizeof suffixes[0]; k++) {
        const size_t m = strlen(suffixes[k]);
        if (n > m && strcmp(name + n - m, suffixes[k]) == 0) return true;
    }
    return false;
}

static bool add_path(bench* b, const char* path) {
    if (b->path_count == b->path_capacity) {
        const size_t capacity = 2 * b->path_capacity + 16;
        char** bigger = realloc(b->path, capacity * sizeof *bigger);
        if (bigger == NULL) return false;
        b->path = bigger;
        b->path_capacity = capacity;
    }
    b->path[b->path_count] = strdup(path);
    return b->path[b->path_count] != NULL && ++b->path_count > 0;
}

static int by_name(const void* a, const void* b) {
    return strcmp(*(char* const*)a, *(char* const*)b);
}

// Problem files below a folder. Links are not followed into folders, so there are no rounds.
static int walk(bench* b, const char* folder, int depth) {
    enum { DEEPEST = 8 };
    DIR* dir = opendir(folder);
    if (dir == NULL) return cli_fail_usage(b->c, "%s: %s", folder, strerror(errno));
    int code = CLI_DONE;
    for (struct dirent* e = readdir(dir); code == CLI_DONE && e != NULL; e = readdir(dir)) {
        struct stat info;
        if (e->d_name[0] == '.') continue;
        const size_t size = strlen(folder) + strlen(e->d_name) + 2;
        char* path = malloc(size);
        if (path == NULL) {
            code = cli_fail_memory(b->c);
            break;
        }
        snprintf(path, size, "%s/%s", folder, e->d_name);
        if (lstat(path, &info) == 0) {
            if (S_ISDIR(info.st_mode) && depth < DEEPEST)
                code = walk(b, path, depth + 1);
            else if (S_ISREG(info.st_mode) && is_problem_name(path) && !add_path(b, path))
                code = cli_fail_memory(b->c);
        }
        free(path);
    }
    closedir(dir);
    return code;
}

static int gather(bench* b, const char* path) {
    struct stat info;
    const size_t before = b->path_count;
    if (stat(path, &info) != 0) return cli_fail_usage(b->c, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(info.st_mode)) return add_path(b, path) ? CLI_DONE : cli_fail_memory(b->c);
    const int code = walk(b, path, 0);
    if (code == CLI_DONE && b->path_count > before)
        qsort(b->path + before, b->path_count - before, sizeof *b->path, by_name);
    return code;
}

// ---- running

static row* add_row(bench* b, const char* path, const sti_document* problem, const char* solver) {
    if (b->row_count == b->row_capacity) {
        const size_t capacity = 2 * b->row_capacity + 64;
        row* bigger = realloc(b->rows, capacity * sizeof *bigger);
        if (bigger == NULL) return NULL;
        b->rows = bigger;
        b->row_capacity = capacity;
    }
    row* r = &b->rows[b->row_count];
    *r = (row){.problem = strdup(path), .kind = sti_document_kind(problem), .solver = solver, .residual = NAN};
    if (r->problem == NULL) return NULL;
    b->row_count++;
    return r;
}

static void say_header(const cli* c) {
    cli_say(c, "%s%-28s %-7s %9s  %-12s %9s %10s %10s%s\n", cli_strong(c), "problem", "solver", "n", "outcome",
            "residual", "iterations", "time [s]", cli_plain(c));
}

// The name of a file without its folder, its end when it is long.
static const char* short_name(const char* path) {
    enum { WIDTH = 28 };
    const char* slash = strrchr(path, '/');
    const char* name = slash != NULL ? slash + 1 : path;
    const size_t length = strlen(name);
    return length > WIDTH ? name + length - WIDTH : name;
}

static void say_row(const bench* b, const row* r) {
    const cli* c = b->c;
    if (b->row_count == 1) say_header(c);
    char size[24], residual[24] = "-";
    if (r->kind == STI_KIND_MLCP)
        snprintf(size, sizeof size, "%d+%d", r->n, r->m);
    else
        snprintf(size, sizeof size, "%d", r->n);
    if (isfinite(r->residual)) snprintf(residual, sizeof residual, "%.1e", r->residual);
    cli_say(c, "%-28s %-7s %9s  ", short_name(r->problem), r->solver, size);
    if (!r->ran) {
        cli_say(c, "%-12s %9s %10s %10s\n", "-", "-", "-", "-");
        return;
    }
    const char* color = r->outcome == STI_SOLVED        ? cli_good(c)
                        : r->outcome == STI_NO_SOLUTION ? cli_bad(c)
                                                        : cli_unsure(c);
    cli_say(c, "%s%-12s%s %9s %10ld %10.3g\n", color, sti_outcome_text(r->outcome), cli_plain(c), residual,
            r->iterations, r->time_s);
}

static void keep(row* r, sti_outcome outcome, sti_termination termination, double residual, long iterations,
                 double time_s) {
    r->ran = termination != STI_END_NOT_APPLICABLE;
    r->outcome = outcome;
    r->termination = termination;
    r->residual = residual;
    r->iterations = iterations;
    r->time_s = time_s;
}

static int run_one(bench* b, const char* path, const sti_document* problem, sti_lcp_solver solver) {
    const sti_lcp* lcp = sti_lcp_of(problem);
    const sti_mlcp* mlcp = sti_mlcp_of(problem);
    sti_lcp_options o = sti_lcp_options_default();
    o.solver = solver;
    o.time_limit_s = b->time_limit;
    if (b->tol > 0) o.tol = b->tol;
    row* r = add_row(b, path, problem, sti_lcp_solver_text(solver));
    if (r == NULL) return cli_fail_memory(b->c);
    r->n = lcp != NULL ? lcp->n : mlcp->n;
    r->m = lcp != NULL ? 0 : mlcp->m;
    sti_lcp_answer a;
    const sti_status status =
        lcp != NULL ? sti_lcp_solve(b->c->env, lcp, &o, &a) : sti_mlcp_solve(b->c->env, mlcp, &o, &a);
    if (status != STI_OK && status != STI_ERR_SIZE) return cli_fail_about(b->c, path);
    if (status == STI_OK) {
        keep(r, a.outcome, a.termination, a.residual, a.iterations, a.time_s);
        sti_lcp_answer_clear(b->c->env, &a);
    }
    say_row(b, r);
    return CLI_DONE;
}

static int run_contact(bench* b, const char* path, const sti_document* problem, sti_contact_solver solver) {
    const sti_contact_problem* p = sti_contact_problem_of(problem);
    sti_contact_options o = sti_contact_options_default();
    o.solver = solver;
    o.time_limit_s = b->time_limit;
    o.describe = false;
    if (b->tol > 0) o.tol = b->tol;
    row* r = add_row(b, path, problem, sti_contact_solver_text(solver));
    if (r == NULL) return cli_fail_memory(b->c);
    r->n = p->contact_count;
    r->m = p->global ? p->velocity_count : 0;
    sti_contact_answer a;
    const sti_status status = sti_contact_solve(b->c->env, p, &o, &a);
    if (status != STI_OK && status != STI_ERR_SIZE) return cli_fail_about(b->c, path);
    if (status == STI_OK) {
        keep(r, a.outcome, a.termination, a.residual, a.iterations, a.time_s);
        sti_contact_answer_clear(b->c->env, &a);
    }
    say_row(b, r);
    return CLI_DONE;
}

// What is no problem, or a cone, is passed over in a folder; what was asked for by name has to be one.
static int run_file(bench* b, const char* path, bool named) {
    const cli* c = b->c;
    sti_document* problem = NULL;
    const sti_status status = sti_document_load(c->env, path, &problem);
    int code = CLI_DONE;
    if (status != STI_OK) {
        if (named || status == STI_ERR_MEMORY) return cli_fail_about(c, path);
        if (c->verbose && !c->quiet) fprintf(stderr, "stiction: skipped: %s\n", sti_env_error(c->env)->text);
        b->skipped++;
    } else if (sti_lcp_of(problem) != NULL || sti_mlcp_of(problem) != NULL) {
        for (int k = 0; code == CLI_DONE && k < STI_LCP_SOLVER_COUNT; k++) {
            if (b->use[k]) code = run_one(b, path, problem, (sti_lcp_solver)k);
        }
    } else if (sti_contact_problem_of(problem) != NULL) {
        for (int k = 0; code == CLI_DONE && k < STI_CONTACT_SOLVER_COUNT; k++) {
            if (b->use_contact[k]) code = run_contact(b, path, problem, (sti_contact_solver)k);
        }
    } else if (named) {
        code = cli_fail_usage(c, "%s: kind: %s: bench takes \"lcp\", \"mlcp\" or \"contact\"", path,
                              sti_kind_text(sti_document_kind(problem)));
    } else {
        b->skipped++;
    }
    sti_document_destroy(problem);
    return code;
}

// ---- results

static void put_csv_text(FILE* out, const char* text) {
    fputc('"', out);
    for (const char* p = text; *p != '\0'; p++) {
        if (*p == '"') fputc('"', out);
        fputc(*p, out);
    }
    fputc('"', out);
}

static void put_csv(FILE* out, const bench* b) {
    fprintf(out, "problem,kind,n,m,solver,outcome,termination,residual,iterations,time_s,version\n");
    for (size_t k = 0; k < b->row_count; k++) {
        const row* r = &b->rows[k];
        put_csv_text(out, r->problem);
        fprintf(out, ",%s,%d,%d,%s,%s,%s,", sti_kind_text(r->kind), r->n, r->m, r->solver,
                r->ran ? sti_outcome_text(r->outcome) : "",
                r->ran ? sti_termination_text(r->termination) : "not_applicable");
        if (r->ran && isfinite(r->residual)) fprintf(out, "%.17g", r->residual);
        if (r->ran)
            fprintf(out, ",%ld,%.9g,%s\n", r->iterations, r->time_s, sti_version());
        else
            fprintf(out, ",,,%s\n", sti_version());
    }
}

static int write_csv(const bench* b, const char* path) {
    cli_file f;
    const int code = cli_file_open(b->c, path, &f);
    if (code != CLI_DONE) return code;
    put_csv(f.out, b);
    return cli_file_close(b->c, &f, true);
}

static int print_json(const bench* b, int code) {
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "bench");
    cli_json_text(&j, "version", sti_version());
    cli_json_integer(&j, "skipped", b->skipped);
    cli_json_array(&j, "rows");
    for (size_t k = 0; k < b->row_count; k++) {
        const row* r = &b->rows[k];
        cli_json_object(&j, NULL);
        cli_json_text(&j, "problem", r->problem);
        cli_json_text(&j, "kind", sti_kind_text(r->kind));
        cli_json_integer(&j, "n", r->n);
        cli_json_count(&j, "m", r->kind != STI_KIND_LCP ? r->m : -1);
        cli_json_text(&j, "solver", r->solver);
        cli_json_text(&j, "outcome", r->ran ? sti_outcome_text(r->outcome) : NULL);
        cli_json_text(&j, "termination", sti_termination_text(r->ran ? r->termination : STI_END_NOT_APPLICABLE));
        cli_json_number(&j, "residual", r->residual);
        cli_json_integer(&j, "iterations", r->iterations);
        cli_json_number(&j, "time_s", r->time_s);
        cli_json_end(&j);
    }
    return cli_json_print(&j, b->c, code);
}

// "lemke,pgs,gs": the solvers to use, of every kind that has one of the name; all of them when NULL.
static int choose_solvers(bench* b, const char* list) {
    for (int k = 0; k < STI_LCP_SOLVER_COUNT; k++) b->use[k] = list == NULL;
    for (int k = 0; k < STI_CONTACT_SOLVER_COUNT; k++) b->use_contact[k] = list == NULL;
    while (list != NULL && *list != '\0') {
        char name[40];
        const size_t length = strcspn(list, ",");
        sti_lcp_solver solver;
        sti_contact_solver contact;
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), list);
        const bool one = sti_lcp_solver_parse(name, &solver), other = sti_contact_solver_parse(name, &contact);
        if (!one && !other)
            return cli_fail_usage(b->c,
                                  "--solver: %s: no such solver; there are " CLI_LCP_SOLVERS
                                  ", and of contact problems " CLI_CONTACT_SOLVERS,
                                  name);
        if (one) b->use[solver] = true;
        if (other) b->use_contact[contact] = true;
        list += length + (list[length] == ',');
    }
    return CLI_DONE;
}

static int run_all(bench* b, char** paths, int count, const char* csv) {
    int code = CLI_DONE;
    for (int i = 0; code == CLI_DONE && i < count; i++) {
        const size_t first = b->path_count;
        struct stat info;
        const bool named = stat(paths[i], &info) != 0 || !S_ISDIR(info.st_mode);
        code = gather(b, paths[i]);
        for (size_t k = first; code == CLI_DONE && k < b->path_count; k++) code = run_file(b, b->path[k], named);
    }
    if (code == CLI_DONE && b->row_count == 0)
        code = cli_fail_usage(b->c, "%s: no problem found that these solvers take", paths[0]);
    if (code == CLI_DONE && csv != NULL) code = write_csv(b, csv);
    if (code == CLI_DONE && b->skipped > 0)
        cli_say(b->c, "%d file%s skipped, no LCP, MLCP or contact problem\n", b->skipped, b->skipped == 1 ? "" : "s");
    if (code == CLI_DONE && b->c->json) code = print_json(b, code);
    return code;
}

static int run(cli* c, int argc, char** argv) {
    enum { MOST_PATHS = 256 };
    static char here[] = "problems";
    bench b = {.c = c, .time_limit = 10};
    const char *solvers = NULL, *csv = NULL;
    const cli_option options[] = {
        {"--solver", CLI_TEXT, "NAME,..", "only these solvers", &solvers},
        {"--csv", CLI_TEXT, "FILE", "write the table to this file", &csv},
        {"--tol", CLI_POSITIVE, "TOL", "residual at which a point counts as a solution", &b.tol},
        {"--time-limit", CLI_POSITIVE, "S", "for each solve (10)", &b.time_limit},
    };
    char* paths[MOST_PATHS];
    int code;
    int count = cli_parse(c, options, sizeof options / sizeof options[0], argc, argv, paths, 0, MOST_PATHS, &code);
    if (count < 0) return code;
    if (count == 0) {
        paths[0] = here;
        count = 1;
    }
    code = choose_solvers(&b, solvers);
    if (code == CLI_DONE) code = run_all(&b, paths, count, csv);
    for (size_t k = 0; k < b.path_count; k++) free(b.path[k]);
    for (size_t k = 0; k < b.row_count; k++) free(b.rows[k].problem);
    free(b.path);
    free(b.rows);
    return code;
}

const cli_verb cli_verb_bench = {
    .name = "bench",
    .arguments = "[PATH..] [options]",
    .summary = "run every solver on every problem found, as a table",
    .details =
        "PATH is a file or a folder, which is searched for .json, .hdf5 and .h5 files (default: problems). A\n"
        "solver that does not take a problem shows a dash. n counts pairs (of an MLCP: free variables + pairs),\n"
        "of a contact problem the contacts. Compare times only at equal residuals.\n\n"
        "example:\n"
        "    echo '{\"kind\": \"lcp\", \"M\": [[2, 1], [1, 2]], \"q\": [-5, -6]}' > p.json\n"
        "    stiction bench p.json --solver lemke,auto --csv table.csv\n",
    .run = run,
};
