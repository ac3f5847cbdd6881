// run_sweep.c: stiction run --sweep: one scene with many values of a parameter, each run in a process of its own, and
// what their summaries say as a table and a plot.
#include "run_sweep.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "svg.h"

enum { MOST_RUNS = 10000, MOST_JOBS = 64, MOST_COLUMNS = 400, MOST_TEXT = 1 << 22, PLOTTED = 4 };

typedef struct column {
    char* name;
    double* value;  // of each run; NAN: it does not say       (count)
} column;

typedef struct sweep {
    const cli* c;
    const cli_run_sweep* ask;
    char name[80];
    double from, to;
    int count;
    double* at;   // values                                     (count)
    int* code;    // exit codes; -1: not run                    (count)
    FILE** said;  // stdout of each                             (count)
    column columns[MOST_COLUMNS];
    int column_count;
} sweep;

// ---- what is asked

static int parse(const cli* c, const char* text, sweep* s) {
    double count = NAN;
    char* at = NULL;
    const size_t length = strcspn(text, "=");
    bool good = text[length] == '=' && length > 0 && length < sizeof s->name;
    if (good) {
        memcpy(s->name, text, length);
        s->from = strtod(text + length + 1, &at);
        good = at != text + length + 1 && *at == ':';
    }
    if (good) {
        const char* second = at + 1;
        s->to = strtod(second, &at);
        good = at != second && *at == ':' && cli_parse_number(at + 1, &count);
    }
    good = good && isfinite(s->from) && isfinite(s->to) && count == floor(count) && count >= 1 && count <= MOST_RUNS;
    if (!good)
        return cli_fail_usage(c, "--sweep: %.80s: NAME=FROM:TO:N expected, like mu=0.1:0.9:9, at most %d values", text,
                              MOST_RUNS);
    s->count = (int)count;
    return CLI_DONE;
}

static const char* alien_option(const cli_run_request* r) {
    return r->out != NULL        ? "--out"
           : r->resume != NULL   ? "--resume"
           : r->contacts != NULL ? "--contacts"
           : r->attempts != NULL ? "--attempts"
           : r->problem != NULL  ? "--problem"
           : r->picture          ? "--picture"
                                 : NULL;
}

// ---- the runs

static void run_one(const sweep* s, const cli_run_request* r, int k, cli_run_one* one, void* user) {
    cli c = *s->c;
    cli_run_request mine = *r;
    const size_t size = (r->settings != NULL ? strlen(r->settings) : 0) + sizeof s->name + 40;
    char* settings = malloc(size);
    if (settings == NULL || dup2(fileno(s->said[k]), STDOUT_FILENO) < 0) _exit(CLI_INTERNAL);
    snprintf(settings, size, "%s%s%s=%.17g", r->settings != NULL ? r->settings : "", r->settings != NULL ? "," : "",
             s->name, s->at[k]);
    if (k > 0 && freopen("/dev/null", "w", stderr) == NULL) _exit(CLI_INTERNAL);  // one line of what all would say
    mine.settings = settings;
    mine.csv = NULL;
    c.json = true;
    c.quiet = true;
    const int code = one(&c, &mine, user);
    _exit(fflush(stdout) == 0 ? code : CLI_INTERNAL);
}

// As many at a time as asked for. After a signal, or past the time limit, no more are begun.
static int run_all(sweep* s, const cli_run_request* r, cli_run_one* one, void* user) {
    pid_t pid[MOST_JOBS];
    int of[MOST_JOBS], busy = 0, next = 0;
    cli_run_progress progress = cli_run_progress_begin(0);
    fflush(NULL);
    while (busy > 0 || (next < s->count && !cli_run_stopped())) {
        if (busy < s->ask->jobs && next < s->count && !cli_run_stopped()) {
            const pid_t child = fork();
            if (child == 0) run_one(s, r, next, one, user);
            if (child < 0 && busy == 0)
                return cli_fail_usage(s->c, "--sweep: no process can be begun: %s", strerror(errno));
            if (child > 0) {
                pid[busy] = child;
                of[busy++] = next++;
                continue;
            }
        }
        int status;
        const pid_t done = wait(&status);
        if (done < 0 && errno == EINTR) continue;
        for (int k = 0; k < busy; k++) {
            if (pid[k] != done) continue;
            s->code[of[k]] = WIFEXITED(status) ? WEXITSTATUS(status) : CLI_INTERNAL;
            pid[k] = pid[busy - 1];
            of[k] = of[--busy];
            break;
        }
        char text[80];
        snprintf(text, sizeof text, "%d of %d runs", next - busy, s->count);
        cli_run_progress_show(s->c, &progress, (double)(next - busy) / s->count, text);
    }
    cli_run_progress_clear(&progress);
    return CLI_DONE;
}

// ---- what the summaries say: numbers and truths of the object and of objects in it, "energy.end"; lists are left out

static column* find_column(sweep* s, const char* name) {
    for (int k = 0; k < s->column_count; k++) {
        if (strcmp(s->columns[k].name, name) == 0) return &s->columns[k];
    }
    if (s->column_count == MOST_COLUMNS) return NULL;
    column* made = &s->columns[s->column_count];
    *made = (column){.name = strdup(name), .value = malloc((size_t)s->count * sizeof *made->value)};
    if (made->name == NULL || made->value == NULL) {
        free(made->name);
        free(made->value);
        return NULL;
    }
    for (int k = 0; k < s->count; k++) made->value[k] = NAN;
    s->column_count++;
    return made;
}

// Past a string that begins at `at`; its text, without regard to escapes, goes to out.
static const char* past_text(const char* at, char* out, size_t size) {
    size_t length = 0;
    for (at++; *at != '\0' && *at != '"'; at++) {
        if (*at == '\\' && at[1] != '\0') at++;
        if (length + 1 < size) out[length++] = *at;
    }
    if (size > 0) out[length] = '\0';
    return *at == '"' ? at + 1 : at;
}

static const char* past_list(const char* at) {
    int depth = 0;
    while (*at != '\0') {
        if (*at == '"') {
            at = past_text(at, NULL, 0);
            continue;
        }
        depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
        at++;
        if (depth == 0) break;
    }
    return at;
}

// The members of an object whose first brace is at `at`.
static const char* take_object(sweep* s, int run, const char* at, const char* lead) {
    static const char parameters[] = "parameters";
    for (at++; *at != '\0' && *at != '}';) {
        char key[80], name[200];
        if (*at != '"') {
            at++;
            continue;
        }
        at = past_text(at, key, sizeof key);
        while (*at == ':' || *at == ' ') at++;
        snprintf(name, sizeof name, "%s%s%s", lead, lead[0] != '\0' ? "." : "", key);
        char* end;
        const bool truth = strncmp(at, "true", 4) == 0, lie = strncmp(at, "false", 5) == 0;
        const double x = truth ? 1 : lie ? 0 : strtod(at, &end);
        if (*at == '{') {
            at = strcmp(key, parameters) == 0 ? past_list(at) : take_object(s, run, at, name);
        } else if (*at == '[') {
            at = past_list(at);
        } else if (*at == '"') {
            at = past_text(at, NULL, 0);
        } else if (truth || lie || end != at) {
            column* to = find_column(s, name);
            if (to != NULL) to->value[run] = x;
        }
        while (*at != '\0' && *at != ',' && *at != '}') at++;
    }
    return *at == '}' ? at + 1 : at;
}

static int take_summaries(sweep* s) {
    char* text = malloc(MOST_TEXT + 1);
    if (text == NULL) return cli_fail_memory(s->c);
    for (int k = 0; k < s->count; k++) {
        rewind(s->said[k]);
        text[fread(text, 1, MOST_TEXT, s->said[k])] = '\0';
        if (text[0] == '{' && (s->code[k] == CLI_DONE || s->code[k] == CLI_NO)) take_object(s, k, text, "");
    }
    free(text);
    return CLI_DONE;
}

// ---- table and plot

static int write_table(const sweep* s) {
    cli_file f;
    const int code = cli_file_open(s->c, s->ask->csv, &f);
    if (code != CLI_DONE) return code;
    fprintf(f.out, "%s,code", s->name);
    for (int i = 0; i < s->column_count; i++) fprintf(f.out, ",%s", s->columns[i].name);
    fputc('\n', f.out);
    for (int k = 0; k < s->count; k++) {
        fprintf(f.out, "%.17g,", s->at[k]);
        if (s->code[k] >= 0) fprintf(f.out, "%d", s->code[k]);
        for (int i = 0; i < s->column_count; i++) cli_run_csv_number(f.out, s->columns[i].value[k]);
        fputc('\n', f.out);
    }
    return cli_file_close(s->c, &f, true);
}

static int check_plotted(const sweep* s, const char* names, const column* out[PLOTTED], int* count) {
    for (*count = 0; *names != '\0' && *count < PLOTTED;) {
        const size_t length = strcspn(names, ",");
        const column* found = NULL;
        for (int i = 0; i < s->column_count; i++) {
            const column* one = &s->columns[i];
            if (strlen(one->name) == length && strncmp(one->name, names, length) == 0) found = one;
        }
        if (found == NULL)
            return cli_fail_usage(s->c, "--of: %.*s: no such number in the summaries; --csv shows which there are",
                                  (int)length, names);
        out[(*count)++] = found;
        names += length + (names[length] == ',');
    }
    return CLI_DONE;
}

static int plot(const sweep* s) {
    const column* shown[PLOTTED];
    int count;
    const int code = check_plotted(s, s->ask->of, shown, &count);
    if (code != CLI_DONE) return code;
    cli_svg v;
    for (int i = 0; i < count; i++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < s->count; k++) {
            low = fmin(low, shown[i]->value[k]);
            high = fmax(high, shown[i]->value[k]);
        }
        const cli_svg_axes axes = {.title = i == 0 ? s->ask->title : NULL,
                                   .x_label = s->name,
                                   .y_label = shown[i]->name,
                                   .x_low = fmin(s->from, s->to),
                                   .x_high = fmax(s->from, s->to),
                                   .y_low = isfinite(low) ? low : 0,
                                   .y_high = isfinite(high) ? high : 0,
                                   .margin = 0.08};
        if (i == 0)
            cli_svg_begin(&v, &axes);
        else
            cli_svg_next(&v, &axes);
        for (int k = 0, first = 0; k <= s->count; k++) {  // in pieces, between runs that say nothing
            if (k < s->count && !isnan(shown[i]->value[k])) continue;
            cli_svg_polyline(&v, s->at + first, shown[i]->value + first, k - first, cli_svg_color(i), 1.6);
            first = k + 1;
        }
        for (int k = 0; k < s->count; k++) {
            if (!isnan(shown[i]->value[k])) cli_svg_point(&v, s->at[k], shown[i]->value[k], cli_svg_color(i), 3.5);
        }
    }
    return cli_svg_save(&v, s->c, s->ask->plot);
}

static int report(const sweep* s) {
    int failed = 0, no = 0;
    for (int k = 0; k < s->count; k++) {
        failed += s->code[k] > CLI_NO;
        no += s->code[k] == CLI_NO || s->code[k] < 0;
    }
    const int code = failed > 0 || no > 0 ? CLI_NO : CLI_DONE;
    if (s->c->json) {
        cli_json j;
        cli_json_begin(&j);
        cli_json_text(&j, "kind", "sweep");
        cli_json_text(&j, "parameter", s->name);
        cli_json_numbers(&j, "values", s->at, (size_t)s->count);
        cli_json_indices(&j, "codes", s->code, (size_t)s->count);
        cli_json_object(&j, "columns");
        for (int i = 0; i < s->column_count; i++)
            cli_json_numbers(&j, s->columns[i].name, s->columns[i].value, (size_t)s->count);
        cli_json_end(&j);
        return cli_json_print(&j, s->c, code);
    }
    cli_say(s->c, "%s from %g to %g: %d run%s, %d with exit code 0", s->name, s->from, s->to, s->count,
            s->count == 1 ? "" : "s", s->count - failed - no);
    if (failed > 0) cli_say(s->c, "; %d failed", failed);
    cli_say(s->c, "\n");
    if (s->ask->csv != NULL) cli_say(s->c, "  %s: a line a run, %d numbers each\n", s->ask->csv, s->column_count);
    if (s->ask->plot != NULL) cli_say(s->c, "  %s: %s over %s\n", s->ask->plot, s->ask->of, s->name);
    return code;
}

static bool open_all(sweep* s) {
    const size_t count = (size_t)s->count;
    s->at = malloc(count * sizeof *s->at);
    s->code = malloc(count * sizeof *s->code);
    s->said = calloc(count, sizeof *s->said);
    if (s->at == NULL || s->code == NULL || s->said == NULL) return false;
    for (int k = 0; k < s->count; k++) {
        s->at[k] = s->count > 1 ? s->from + (s->to - s->from) * k / (s->count - 1) : s->from;
        s->code[k] = -1;
        s->said[k] = tmpfile();
        if (s->said[k] == NULL) return false;
    }
    return true;
}

static void close_all(sweep* s) {
    for (int k = 0; s->said != NULL && k < s->count; k++) {
        if (s->said[k] != NULL) fclose(s->said[k]);
    }
    for (int i = 0; i < s->column_count; i++) {
        free(s->columns[i].name);
        free(s->columns[i].value);
    }
    free(s->said);
    free(s->at);
    free(s->code);
    free(s);
}

int cli_run_swept(const cli* c, const cli_run_sweep* ask, const cli_run_request* r, cli_run_one* one, void* user) {
    if (alien_option(r) != NULL) return cli_fail_usage(c, "%s: not together with --sweep", alien_option(r));
    if (ask->jobs > MOST_JOBS) return cli_fail_usage(c, "--jobs: %ld: at most %d expected", ask->jobs, MOST_JOBS);
    sweep* s = calloc(1, sizeof *s);
    if (s == NULL) return cli_fail_memory(c);
    s->c = c;
    s->ask = ask;
    int code = parse(c, ask->values, s);
    if (code == CLI_DONE && !open_all(s)) code = cli_fail_memory(c);
    if (code == CLI_DONE) code = run_all(s, r, one, user);
    if (code == CLI_DONE && s->code[0] > CLI_NO) {  // its line is on stderr already
        code = s->code[0];
    } else if (code == CLI_DONE) {
        code = take_summaries(s);
        if (code == CLI_DONE && ask->csv != NULL) code = write_table(s);
        if (code == CLI_DONE && ask->plot != NULL) code = plot(s);
        if (code == CLI_DONE) code = report(s);
    }
    close_all(s);
    return code;
}
