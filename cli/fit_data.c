// fit_data.c: measurements from a CSV table: a line of names, then numbers.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

enum { LINE = 1 << 16 };

// The next field of a line; *at is moved behind it, NULL after the last.
static char* next_field(char** at) {
    char* field = *at;
    char* comma = strchr(field, ',');
    *at = comma != NULL ? comma + 1 : NULL;
    if (comma != NULL) *comma = '\0';
    while (isspace((unsigned char)*field) || *field == '"') field++;
    for (char* end = field + strlen(field); end > field && (isspace((unsigned char)end[-1]) || end[-1] == '"');)
        *--end = '\0';
    return field;
}

static int read_names(const cli* c, char* text, cli_fit_data* d) {
    if ((unsigned char)text[0] == 0xef) text += 3;  // byte order mark
    for (char* at = text; at != NULL; d->column_count++) {
        if (d->column_count == CLI_FIT_COLUMNS)
            return cli_fail_usage(c, "%.200s: more than %d columns", d->path, (int)CLI_FIT_COLUMNS);
        snprintf(d->name[d->column_count], CLI_FIT_NAME, "%s", next_field(&at));
    }
    return CLI_DONE;
}

// Is the name that of something with a unit behind it: "x [mm]", "x (mm)", "x_mm"?
static bool has_unit(const char* name, const char* of) {
    static const char* const units[] = {"m",      "mm",      "cm",   "um",  "km", "in", "deg",
                                        "degree", "degrees", "grad", "rad", "s",  "ms", "min"};
    const size_t length = strlen(of);
    if (strncmp(name, of, length) != 0 || name[length] == '\0') return false;
    const char* rest = name + length + strspn(name + length, " ");
    if (*rest == '[' || *rest == '(') return true;
    if (*rest != '_' && rest == name + length) return false;
    rest += *rest == '_';
    for (size_t k = 0; k < sizeof units / sizeof units[0]; k++) {
        if (strcmp(rest, units[k]) == 0) return true;
    }
    return false;
}

// A column that would be left out though it is something that is compared, in other units.
static int refuse_units(const cli* c, const cli_fit_scene* scene, const cli_fit_data* d, int k) {
    const char* of = has_unit(d->name[k], "t") ? "t" : NULL;
    for (int i = 0; i < scene->output_count && of == NULL; i++) {
        if (has_unit(d->name[k], scene->output[i])) of = scene->output[i];
    }
    return of == NULL
               ? CLI_DONE
               : cli_fail_usage(c, "%.200s: column %.60s: numbers in the units of the scene, named %.60s, are expected",
                                d->path, d->name[k], of);
}

// Which columns are time, outputs of the scene, or its parameters.
static int find_roles(const cli* c, const cli_fit_scene* scene, cli_fit_data* d) {
    d->time = -1;
    for (int k = 0; k < d->column_count; k++) {
        bool known = strcmp(d->name[k], "t") == 0;
        if (known) d->time = k;
        for (int i = 0; i < scene->output_count && !known; i++) {
            known = strcmp(d->name[k], scene->output[i]) == 0;
            if (!known) continue;
            d->of[d->output_count] = i;
            d->output[d->output_count++] = k;
        }
        if (known) continue;
        if (!cli_fit_has_parameter(scene, d->name[k], NULL)) {
            const int code = refuse_units(c, scene, d, k);
            if (code != CLI_DONE) return code;
            continue;
        }
        for (int i = 0; i < scene->parameter_count; i++) {
            if (strcmp(scene->parameter[i], d->name[k]) == 0)
                return cli_fail_usage(c, "%.200s: column %.60s: is to be fitted, and cannot be given too", d->path,
                                      d->name[k]);
        }
        d->setting[d->setting_count++] = k;
    }
    char list[400] = "";
    for (int i = 0; i < scene->output_count && strlen(list) + CLI_FIT_NAME + 3 < sizeof list; i++) {
        if (i > 0) strcat(list, ", ");
        strcat(list, scene->output[i]);
    }
    if (d->time < 0) return cli_fail_usage(c, "%.200s: no column t: the first line names the columns", d->path);
    if (d->output_count == 0)
        return cli_fail_usage(c, "%.200s: no column to compare: %.300s are expected", d->path, list);
    return CLI_DONE;
}

static bool is_used(const cli_fit_data* d, int column) {
    if (column == d->time) return true;
    for (int i = 0; i < d->output_count; i++) {
        if (d->output[i] == column) return true;
    }
    for (int i = 0; i < d->setting_count; i++) {
        if (d->setting[i] == column) return true;
    }
    return false;
}

static int read_row(const cli* c, char* text, int line, cli_fit_data* d) {
    double* cell = d->cell + (size_t)d->rows * (size_t)d->column_count;
    char* at = text;
    for (int k = 0; k < d->column_count; k++) {
        if (at == NULL)
            return cli_fail_usage(c, "%.200s: line %d: %d columns, %d are expected", d->path, line, k, d->column_count);
        const char* field = next_field(&at);
        cell[k] = NAN;
        if (is_used(d, k) && !cli_parse_number(field, &cell[k]))
            return cli_fail_usage(c, "%.200s: line %d: %.60s: \"%.40s\": a number is expected%s", d->path, line,
                                  d->name[k], field, field[0] == '\0' ? "; data may not have gaps" : "");
    }
    if (at != NULL) return cli_fail_usage(c, "%.200s: line %d: more than %d columns", d->path, line, d->column_count);
    if (!(cell[d->time] >= 0))
        return cli_fail_usage(c, "%.200s: line %d: t: %g: not below 0 is expected", d->path, line, cell[d->time]);
    d->line[d->rows++] = line;
    return CLI_DONE;
}

static bool make_room(cli_fit_data* d, int room) {
    double* cell = realloc(d->cell, (size_t)room * (size_t)d->column_count * sizeof *cell);
    if (cell != NULL) d->cell = cell;
    int* line = realloc(d->line, (size_t)room * sizeof *line);
    if (line != NULL) d->line = line;
    int* group = realloc(d->group, (size_t)room * sizeof *group);
    if (group != NULL) d->group = group;
    return cell != NULL && line != NULL && group != NULL;
}

static void find_groups(cli_fit_data* d) {
    for (int r = 0; r < d->rows; r++) {
        d->group[r] = -1;
        for (int s = 0; s < r && d->group[r] < 0; s++) {
            bool same = true;
            for (int k = 0; k < d->setting_count && same; k++) {
                const size_t at = (size_t)d->setting[k], n = (size_t)d->column_count;
                same = d->cell[(size_t)r * n + at] == d->cell[(size_t)s * n + at];
            }
            if (same) d->group[r] = d->group[s];
        }
        if (d->group[r] < 0) d->group[r] = d->group_count++;
    }
}

static int read_rows(const cli* c, FILE* f, const cli_fit_scene* scene, cli_fit_data* d) {
    static char text[LINE];
    int line = 0, room = 0, code = CLI_DONE;
    while (code == CLI_DONE && fgets(text, sizeof text, f) != NULL) {
        line++;
        if (strchr(text, '\n') == NULL && !feof(f))
            return cli_fail_usage(c, "%.200s: line %d: too long", d->path, line);
        text[strcspn(text, "\r\n")] = '\0';
        if (text[strspn(text, " \t")] == '\0' || text[0] == '#') continue;
        if (d->column_count == 0) {
            code = read_names(c, text, d);
            if (code == CLI_DONE) code = find_roles(c, scene, d);
            continue;
        }
        if (d->rows == room) {
            room = 2 * room + 256;
            if (room > 1 << 24) return cli_fail_usage(c, "%.200s: too many lines", d->path);
            if (!make_room(d, room)) return cli_fail_memory(c);
        }
        code = read_row(c, text, line, d);
    }
    if (code == CLI_DONE && d->column_count == 0)
        return cli_fail_usage(c, "%.200s: empty: a line of names is expected", d->path);
    if (code == CLI_DONE && d->rows == 0) return cli_fail_usage(c, "%.200s: no numbers below the names", d->path);
    return code;
}

int cli_fit_read(const cli* c, const char* path, const cli_fit_scene* scene, cli_fit_data* out) {
    FILE* f;
    *out = (cli_fit_data){.path = path};
    int code = cli_open_to_read(c, path, &f);
    if (code != CLI_DONE) return code;
    code = read_rows(c, f, scene, out);
    if (f != stdin) fclose(f);
    if (code == CLI_DONE) find_groups(out);
    return code;
}

void cli_fit_drop(cli_fit_data* d) {
    free(d->cell);
    free(d->line);
    free(d->group);
    *d = (cli_fit_data){0};
}
