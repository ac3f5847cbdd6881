// view_run.c: one run as data of the page: what moves, curves, and what the run says of itself.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run.h"
#include "view.h"

int cli_view_read(const cli* c, const char* path, const char* name, long columns, long* rows, double** out) {
    long high, wide;
    if (sti_recorded_numbers(c->env, path, name, out, &high, &wide) != STI_OK) return cli_fail_about(c, path);
    if (*out == NULL) return cli_fail_usage(c, "%.200s: %s: missing", path, name);
    if (wide != columns || (*rows >= 0 && high != *rows))
        return cli_fail_usage(c, "%.200s: %s: %ld x %ld: other sizes are expected", path, name, high, wide);
    *rows = high;
    return CLI_DONE;
}

long cli_view_stride(cli_page* p, long frames, double bytes) {
    const double most = 32e6;
    long stride = 1;
    while (stride < frames && bytes * floor((double)frames / (double)stride) > most) stride++;
    if (stride > 1) cli_page_note(p, "One of %ld recorded frames is shown, so that the page stays small.", stride);
    return stride;
}

// ---- curves

enum { MOST_CURVE = 20000, MOST_COORDINATES = 6 };

static void put_series(cli_page* p, const char* name, const double* y, long columns, long column, long rows) {
    const long stride = 1 + rows / MOST_CURVE;
    double* x = malloc((size_t)(rows + 1) * sizeof *x);
    size_t count = 0;
    if (x == NULL) {
        p->json.broken = true;
        return;
    }
    for (long k = 0; k < rows; k += stride) x[count++] = y[k * columns + column];
    cli_json_object(&p->json, NULL);
    cli_json_text(&p->json, "name", name);
    cli_page_numbers(p, "values", CLI_PAGE_F64, x, count);
    cli_json_end(&p->json);
    free(x);
}

static void put_group(cli_page* p, const char* title, char names[][80], int count, bool shown, bool log) {
    cli_json_object(&p->json, NULL);
    cli_json_text(&p->json, "title", title);
    cli_json_array(&p->json, "names");
    for (int k = 0; k < count; k++) cli_json_text(&p->json, NULL, names[k]);
    cli_json_end(&p->json);
    cli_json_bool(&p->json, "shown", shown);
    cli_json_bool(&p->json, "log", log);
    cli_json_end(&p->json);
}

// The coordinates of a system by formulas as curves, the first few: their names, and how many.
static int put_coordinates(const cli* c, cli_page* p, const char* path, long rows, char names[][80], int* count) {
    double* q = NULL;
    char* text = NULL;
    long high = 0, columns = 0;
    int code = CLI_DONE;
    *count = 0;
    if (sti_recorded_text(c->env, path, "coordinates", &text) != STI_OK ||
        sti_recorded_numbers(c->env, path, "steps/q", &q, &high, &columns) != STI_OK)
        code = cli_fail_about(c, path);
    const char* name = text;
    for (long k = 0;
         code == CLI_DONE && text != NULL && q != NULL && high == rows && k < columns && k < MOST_COORDINATES; k++) {
        const int length = (int)strcspn(name, "\n");
        snprintf(names[k], sizeof names[k], "%.*s", length < 60 ? length : 60, name);
        put_series(p, names[k], q, columns, k, rows);
        name += length + (name[length] == '\n');
        ++*count;
    }
    sti_env_free(c->env, text);
    sti_env_free(c->env, q);
    return code;
}

static const struct {
    const char* title;
    char names[2][80];
    bool shown, log;
} all_groups[] = {
    {"energy", {"kinetic", "potential"}, true, false}, {"residual of each step", {"residual", ""}, true, true},
    {"contacts", {"contacts", ""}, false, false},      {"penetration", {"penetration", ""}, false, false},
    {"least gap", {"least_gap", ""}, true, false},     {"dissipation of each step", {"dissipation", ""}, true, false}};
enum { GROUPS = sizeof all_groups / sizeof all_groups[0] };

static int put_curves(const cli* c, cli_page* p, const char* path) {
    double *time = NULL, *y = NULL;
    char coordinate[MOST_COORDINATES][80];
    int has[GROUPS] = {0}, coordinates = 0;
    long rows = -1, count = 0;
    int code = cli_view_read(c, path, "steps/time", 1, &rows, &time);
    if (code != CLI_DONE) return code;
    const long stride = 1 + rows / MOST_CURVE;
    if (stride > 1) cli_page_note(p, "Curves have one of %ld steps.", stride);
    for (long k = 0; k < rows; k += stride) time[count++] = time[k];
    cli_page_numbers(p, "curve_time", CLI_PAGE_F64, time, (size_t)count);
    cli_json_array(&p->json, "series");
    for (int g = 0; code == CLI_DONE && g < GROUPS; g++) {
        for (int i = 0; code == CLI_DONE && i < 2 && all_groups[g].names[i][0] != '\0'; i++) {
            char name[120];
            long high = 0, wide = 0;
            snprintf(name, sizeof name, "steps/%s", all_groups[g].names[i]);
            if (sti_recorded_numbers(c->env, path, name, &y, &high, &wide) != STI_OK) code = cli_fail_about(c, path);
            if (code == CLI_DONE && y != NULL && high == rows && wide == 1) {
                put_series(p, all_groups[g].names[i], y, 1, 0, rows);
                has[g] = i + 1;
            }
            sti_env_free(c->env, y);
            y = NULL;
        }
    }
    if (code == CLI_DONE) code = put_coordinates(c, p, path, rows, coordinate, &coordinates);
    cli_json_end(&p->json);
    sti_env_free(c->env, time);
    if (code != CLI_DONE) return code;
    cli_json_array(&p->json, "groups");
    if (coordinates > 0) put_group(p, "coordinates", coordinate, coordinates, true, false);
    for (int g = 0; g < GROUPS; g++) {
        char names[2][80];
        memcpy(names, all_groups[g].names, sizeof names);
        if (has[g] > 0) put_group(p, all_groups[g].title, names, has[g], all_groups[g].shown, all_groups[g].log);
    }
    cli_json_end(&p->json);
    return CLI_DONE;
}

// ---- what a run says of itself: summary.json, as text that the page reads with care

char* cli_view_text(const char* path, size_t most) {
    FILE* f = fopen(path, "rb");
    char* text = f != NULL ? malloc(most + 1) : NULL;
    const size_t size = text != NULL ? fread(text, 1, most + 1, f) : 0;
    if (f != NULL) fclose(f);
    if (text == NULL || size > most) {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    return text;
}

static void put_summary(cli_page* p, const char* folder) {
    char* path = cli_run_path(folder, "summary.json");
    char* text = path != NULL ? cli_view_text(path, 1 << 21) : NULL;
    cli_json_text(&p->json, "summary", text);
    free(text);
    free(path);
}

// ---- the run

static int put_frames(const cli* c, cli_page* p, const char* path) {
    double *fixed = NULL, *radius = NULL;
    long rows, columns;
    char* system = NULL;
    int code = CLI_DONE;
    if (sti_recorded_numbers(c->env, path, "bodies/fixed", &fixed, &rows, &columns) != STI_OK ||
        sti_recorded_numbers(c->env, path, "grains/radius", &radius, &rows, &columns) != STI_OK ||
        sti_recorded_text(c->env, path, "system", &system) != STI_OK)
        code = cli_fail_about(c, path);
    else if (fixed != NULL)
        code = cli_view_bodies(c, p, path);
    else if (radius != NULL)
        code = cli_view_bed(c, p, path);
    else if (system == NULL)
        code = cli_view_plane(c, p, path);
    else {
        double* time = NULL;
        rows = -1;
        cli_json_text(&p->json, "kind", "curves");
        code = cli_view_read(c, path, "steps/time", 1, &rows, &time);
        if (code == CLI_DONE) {
            cli_json_object(&p->json, "frames");
            cli_page_numbers(p, "time", CLI_PAGE_F64, time, (size_t)rows);
            cli_json_end(&p->json);
        }
        sti_env_free(c->env, time);
    }
    sti_env_free(c->env, fixed);
    sti_env_free(c->env, radius);
    sti_env_free(c->env, system);
    return code;
}

int cli_view_run(const cli* c, cli_page* p, const char* folder, const char* title) {
    struct stat info;
    const bool is_folder = stat(folder, &info) == 0 && S_ISDIR(info.st_mode);
    char* path = is_folder ? cli_run_path(folder, "trajectory.h5") : strdup(folder);
    if (path == NULL) return cli_fail_memory(c);
    if (stat(path, &info) != 0) {
        free(path);
        return cli_fail_usage(c, "%.200s: no trajectory.h5 there; the folder of a run is expected", folder);
    }
    cli_json_object(&p->json, NULL);
    cli_json_text(&p->json, "title", title);
    if (is_folder) put_summary(p, folder);
    int code = put_frames(c, p, path);
    if (code == CLI_DONE) code = put_curves(c, p, path);
    if (code == CLI_DONE) {
        cli_page_put_notes(p);
        cli_json_end(&p->json);
    }
    free(path);
    return code;
}
