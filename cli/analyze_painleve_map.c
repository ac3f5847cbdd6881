// analyze_painleve_map.c: the axes of a Painleve map, and the map as a table and as a picture.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze_painleve.h"
#include "file.h"
#include "svg.h"
#include "view.h"

enum { DEFAULT_POINTS = 181, DEFAULT_FRICTION = 121 };

// ---- axes

static int find_coordinate(const sti_system* system, const char* name) {
    for (int i = 0; i < sti_system_coordinate_count(system); i++) {
        if (strcmp(sti_system_coordinate(system, i), name) == 0) return i;
    }
    return -1;
}

// name=low:high:count
static int parse_axis(const cli* c, const sti_system* system, char* text, sti_painleve_axis* axis, char* name) {
    char* equals = strchr(text, '=');
    char* first = equals != NULL ? strchr(equals, ':') : NULL;
    char* second = first != NULL ? strchr(first + 1, ':') : NULL;
    double count;
    if (second == NULL)
        return cli_fail_usage(c, "--grid: %.60s: name=low:high:count expected, like theta=0:1.57:200", text);
    *equals = *first = *second = '\0';
    const size_t length = strlen(text);
    snprintf(name, 64, "%.60s", text);
    if (!cli_parse_number(equals + 1, &axis->low) || !cli_parse_number(first + 1, &axis->high) ||
        !cli_parse_number(second + 1, &count) || count < 1 || count > 1e6 || count != floor(count))
        return cli_fail_usage(c, "--grid: %.60s=%.30s:%.30s:%.30s: numbers expected, and a count from 1", text,
                              equals + 1, first + 1, second + 1);
    axis->count = (int)count;
    axis->kind = STI_PAINLEVE_COORDINATE;
    if (length > 1 && text[length - 1] == '\'') {
        axis->kind = STI_PAINLEVE_VELOCITY;
        text[length - 1] = '\0';
    }
    axis->index = find_coordinate(system, text);
    if (axis->index < 0 && axis->kind == STI_PAINLEVE_COORDINATE && strcmp(text, "mu") == 0) {
        axis->kind = STI_PAINLEVE_FRICTION;
        axis->index = 0;
    }
    if (axis->index < 0) return cli_fail_usage(c, "--grid: %.60s: no such coordinate, and not mu", text);
    return CLI_DONE;
}

static int parse_grid(const cli* c, cli_painleve_request* r, const sti_system* system) {
    char* copy = strdup(r->grid);
    if (copy == NULL) return cli_fail_memory(c);
    int code = CLI_DONE;
    for (char* next = copy; code == CLI_DONE && next != NULL;) {
        char *item = next, *comma = strchr(item, ',');
        if (comma != NULL) *comma = '\0';
        next = comma != NULL ? comma + 1 : NULL;
        if (r->def.axis_count == 2)
            code = cli_fail_usage(c, "--grid: more than two axes");
        else
            code = parse_axis(c, system, item, &r->def.axes[r->def.axis_count], r->axis_name[r->def.axis_count]);
        r->def.axis_count++;
    }
    free(copy);
    return code;
}

// Does mu_c change along coordinate i alone, the others kept? Looked at in a few places.
static int look_along(const cli* c, const cli_painleve_request* r, const cli_instant* in, int i, bool* changes,
                      double* least) {
    sti_painleve_map_def def = r->def;
    sti_painleve_map* map = NULL;
    def.axis_count = 1;
    def.keep_open = true;
    def.axes[0] = (sti_painleve_axis){STI_PAINLEVE_COORDINATE, i, 0, acos(0.0), 41};
    if (sti_painleve_map_create(c->env, in->system, &def, &map) != STI_OK) return cli_fail_about(c, r->path);
    *changes = false;
    *least = map->mu_c;
    double low = INFINITY, high = 0;
    for (int k = 0; k < map->count[0]; k++) {
        const double rate = 1 / map->cells[k].mu_c;  // 0 where nothing is critical
        if (map->cells[k].outcome == STI_PAINLEVE_APART) continue;
        low = fmin(low, rate);
        high = fmax(high, rate);
    }
    if (high > low + 1e-9 * high) *changes = true;
    sti_painleve_map_destroy(c->env, map);
    return CLI_DONE;
}

static int choose_axes(const cli* c, cli_painleve_request* r, const cli_instant* in) {
    const int n = sti_system_coordinate_count(in->system);
    double least = INFINITY;
    int which = 0;
    for (int i = 0; i < n; i++) {
        bool changes = false;
        double here = INFINITY;
        const int code = look_along(c, r, in, i, &changes, &here);
        if (code != CLI_DONE) return code;
        if (i == 0 || changes) least = here;
        which = changes ? i : which;
        if (changes) break;
    }
    r->def.axis_count = 2;
    r->def.axes[0] = (sti_painleve_axis){STI_PAINLEVE_COORDINATE, which, 0, acos(0.0), DEFAULT_POINTS};
    const double top = isfinite(least) ? 2 * least : 2;
    r->def.axes[1] = (sti_painleve_axis){STI_PAINLEVE_FRICTION, 0, 0, top, DEFAULT_FRICTION};
    snprintf(r->axis_name[0], sizeof r->axis_name[0], "%.60s", sti_system_coordinate(in->system, which));
    snprintf(r->axis_name[1], sizeof r->axis_name[1], "mu");
    return CLI_DONE;
}

int cli_painleve_axes(const cli* c, cli_painleve_request* r, const cli_instant* in) {
    return r->grid != NULL ? parse_grid(c, r, in->system) : choose_axes(c, r, in);
}

static double point_of(const sti_painleve_axis* axis, int i) {
    if (axis->count == 1) return axis->low;
    return i == axis->count - 1 ? axis->high : axis->low + (axis->high - axis->low) * i / (axis->count - 1);
}

// ---- table

int cli_painleve_csv(const cli* c, const cli_painleve_request* r, const sti_painleve_map* map) {
    const size_t total = (size_t)map->count[0] * (size_t)map->count[1];
    char* text = malloc(total * 128 + 256);
    if (text == NULL) return cli_fail_memory(c);
    size_t size = 0;
    const bool two = r->def.axis_count > 1;
    size += (size_t)sprintf(text, "%s%s%s,outcome,mu_c,friction\n", r->axis_name[0], two ? "," : "",
                            two ? r->axis_name[1] : "");
    for (int j = 0; j < map->count[1]; j++) {
        for (int i = 0; i < map->count[0]; i++) {
            const sti_painleve_cell* cell = &map->cells[(size_t)j * (size_t)map->count[0] + (size_t)i];
            size += (size_t)sprintf(text + size, "%.17g", point_of(&r->def.axes[0], i));
            if (two) size += (size_t)sprintf(text + size, ",%.17g", point_of(&r->def.axes[1], j));
            size += (size_t)sprintf(text + size, ",%s,%.17g,%.17g\n", sti_painleve_case_text(cell->outcome), cell->mu_c,
                                    cell->mu);
        }
    }
    const int code = cli_write_file(c, r->csv, text, size);
    free(text);
    return code;
}

// ---- picture

static const char* const colors[] = {"#d5e8d4", "#9fc5a8", "#f4d58d", "#d1495b", "#bbbbbb", "#ffffff"};

static const char* const case_words[STI_PAINLEVE_CASE_COUNT] = {"unique, whatever the load", "one solution",
                                                                "several solutions",         "no solution",
                                                                "undecided (a border)",      "contacts apart"};

static void add_legend(cli_svg* s, const sti_painleve_map* map) {
    for (int i = 0; i < STI_PAINLEVE_CASE_COUNT; i++) {
        if (map->number[i] > 0) cli_svg_legend(s, colors[i], case_words[i]);
    }
}

// With friction on one axis, the curve mu_c over the other.
static void draw_curve(cli_svg* s, const cli_painleve_request* r, const sti_painleve_map* map, double* x, double* y) {
    int count = 0;
    for (int i = 0; i < map->count[0]; i++) {
        const double mu_c = map->cells[i].mu_c;
        const bool there = isfinite(mu_c) && mu_c < 4 * r->def.axes[1].high;
        if (there) {
            x[count] = point_of(&r->def.axes[0], i);
            y[count++] = mu_c;
        }
        if (!there || i + 1 == map->count[0]) {
            cli_svg_polyline(s, x, y, count, "#333333", 1.6);
            count = 0;
        }
    }
}

// One axis: the curve of mu_c alone.
static int draw_line(const cli* c, const cli_painleve_request* r, const sti_painleve_map* map, double* x, double* y) {
    double top = 0;
    int count = 0;
    for (int i = 0; i < map->count[0]; i++) {
        if (!isfinite(map->cells[i].mu_c)) continue;
        x[count] = point_of(&r->def.axes[0], i);
        y[count++] = map->cells[i].mu_c;
    }
    top = isfinite(map->mu_c) ? 4 * map->mu_c : 1;
    cli_svg s;
    cli_svg_begin(&s, &(cli_svg_axes){.title = "critical friction",
                                      .x_label = r->axis_name[0],
                                      .y_label = "mu_c",
                                      .x_low = fmin(r->def.axes[0].low, r->def.axes[0].high),
                                      .x_high = fmax(r->def.axes[0].low, r->def.axes[0].high),
                                      .y_low = 0,
                                      .y_high = top});
    cli_svg_polyline(&s, x, y, count, cli_svg_color(0), 2);
    if (isfinite(map->mu_c)) cli_svg_point(&s, map->at[0], map->mu_c, "#333333", 4);
    return cli_svg_save(&s, c, r->picture);
}

static int draw_plane(const cli* c, const cli_painleve_request* r, const sti_painleve_map* map, signed char* class_of,
                      double* x, double* y) {
    const sti_painleve_axis* a = r->def.axes;
    for (int j = 0; j < map->count[1]; j++) {
        for (int i = 0; i < map->count[0]; i++) {
            const int from_i = a[0].high >= a[0].low ? i : map->count[0] - 1 - i;
            const int from_j = a[1].high >= a[1].low ? j : map->count[1] - 1 - j;
            const size_t to = (size_t)j * (size_t)map->count[0] + (size_t)i;
            class_of[to] = (signed char)map->cells[(size_t)from_j * (size_t)map->count[0] + (size_t)from_i].outcome;
        }
    }
    // a point is the middle of its cell
    const double half[2] = {0.5 * fabs(a[0].high - a[0].low) / fmax(1, a[0].count - 1),
                            0.5 * fabs(a[1].high - a[1].low) / fmax(1, a[1].count - 1)};
    cli_svg s;
    cli_svg_begin(&s, &(cli_svg_axes){.title = "contact LCP with friction",
                                      .x_label = r->axis_name[0],
                                      .y_label = r->axis_name[1],
                                      .x_low = fmin(a[0].low, a[0].high) - half[0],
                                      .x_high = fmax(a[0].low, a[0].high) + half[0],
                                      .y_low = fmin(a[1].low, a[1].high) - half[1],
                                      .y_high = fmax(a[1].low, a[1].high) + half[1]});
    cli_svg_cells(&s, map->count[0], map->count[1], class_of, colors);
    add_legend(&s, map);
    if (a[1].kind == STI_PAINLEVE_FRICTION) {
        draw_curve(&s, r, map, x, y);
        cli_svg_legend(&s, "#333333", "critical friction");
        char note[64];
        snprintf(note, sizeof note, "mu_c = %.6g", map->mu_c);
        if (isfinite(map->mu_c)) {
            cli_svg_point(&s, map->at[0], map->mu_c, "#333333", 4);
            cli_svg_text(&s, map->at[0], map->mu_c - 0.05 * (a[1].high - a[1].low), CLI_SVG_MIDDLE, note);
        }
    }
    return cli_svg_save(&s, c, r->picture);
}

int cli_painleve_picture(const cli* c, const cli_painleve_request* r, const sti_painleve_map* map) {
    const size_t total = (size_t)map->count[0] * (size_t)map->count[1];
    signed char* class_of = malloc(total);
    double* x = malloc(2 * (size_t)map->count[0] * sizeof *x);
    int code;
    if (class_of == NULL || x == NULL)
        code = cli_fail_memory(c);
    else if (r->def.axis_count == 1)
        code = draw_line(c, r, map, x, x + map->count[0]);
    else
        code = draw_plane(c, r, map, class_of, x, x + map->count[0]);
    free(class_of);
    free(x);
    return code;
}

// ---- page: the same to hover over (web/src/map.js)

static void put_axis(cli_page* p, const char* name, const sti_painleve_axis* axis, int count) {
    cli_json_object(&p->json, NULL);
    cli_json_text(&p->json, "name", name);
    cli_json_number(&p->json, "low", axis->low);
    cli_json_number(&p->json, "high", axis->high);
    cli_json_integer(&p->json, "count", count);
    cli_json_end(&p->json);
}

int cli_painleve_page(const cli* c, const cli_painleve_request* r, const sti_painleve_map* map) {
    const size_t total = (size_t)map->count[0] * (size_t)map->count[1];
    double* x = malloc(2 * total * sizeof *x);
    cli_page p = {0};
    if (x == NULL) return cli_fail_memory(c);
    const int there = cli_page_check(c);
    if (there != CLI_DONE) {
        free(x);
        return there;
    }
    for (size_t k = 0; k < total; k++) {
        x[k] = map->cells[k].outcome;
        x[total + k] = isfinite(map->cells[k].mu_c) ? map->cells[k].mu_c : -1;
    }
    cli_json_begin(&p.json);
    cli_json_array(&p.json, "runs");
    cli_json_object(&p.json, NULL);
    cli_json_text(&p.json, "kind", "map");
    cli_json_text(&p.json, "title", r->path);
    cli_json_text(&p.json, "description",
                  "contact LCP with friction: how many solutions, and the friction that is critical");
    cli_json_array(&p.json, "cases");
    for (int i = 0; i < STI_PAINLEVE_CASE_COUNT; i++) cli_json_text(&p.json, NULL, case_words[i]);
    cli_json_end(&p.json);
    cli_json_array(&p.json, "axes");
    for (int i = 0; i < 2; i++)
        put_axis(&p, i < r->def.axis_count ? r->axis_name[i] : "", &r->def.axes[i], map->count[i]);
    cli_json_end(&p.json);
    cli_page_numbers(&p, "classes", CLI_PAGE_U8, x, total);
    cli_page_numbers(&p, "mu_c", CLI_PAGE_F64, x + total, total);
    cli_json_array(&p.json, "series");
    cli_json_end(&p.json);
    free(x);
    return cli_page_save(c, &p, r->page);
}
