// run_picture.c: the picture that runs of bodies and of systems share: energies over time.
#include <math.h>
#include <stdlib.h>

#include "run.h"
#include "svg.h"

typedef struct energies {
    const double* table;  // (rows x columns)
    size_t rows, columns, kinetic;
    double base;  // potential energy is counted from the start
} energies;

// kind 0: kinetic, 1: potential, 2: both.
static double value_of(const energies* e, size_t row, int kind) {
    const double* at = e->table + e->columns * row + e->kinetic;
    return (kind != 1 ? at[0] : 0) + (kind != 0 ? at[1] - e->base : 0);
}

int cli_run_energy_picture(const cli* c, const char* dir, const double* table, size_t rows, size_t columns,
                           size_t kinetic) {
    static const char* const names[] = {"kinetic", "potential", "sum of both"};
    // sums below their parts, parts with dashes: all are seen where they agree
    static const cli_svg_pen pens[] = {{"#4477aa", 1.5, NULL}, {"#ee6677", 1.8, "7 4"}, {"#a9c7a9", 4.5, NULL}};
    static const int order[] = {2, 0, 1};
    const energies e = {table, rows, columns, kinetic, table[kinetic + 1]};
    double *x = malloc(2 * rows * sizeof *x), *y = x != NULL ? x + rows : NULL, low = 0, high = 0;
    char* path = cli_run_path(dir, "energy.svg");
    if (x == NULL || path == NULL) {
        free(x);
        free(path);
        return cli_fail_memory(c);
    }
    for (size_t k = 0; k < rows; k++) {
        x[k] = table[columns * k];
        for (int kind = 0; kind < 3; kind++) {
            low = fmin(low, value_of(&e, k, kind));
            high = fmax(high, value_of(&e, k, kind));
        }
    }
    cli_svg s;
    cli_svg_begin(&s, &(cli_svg_axes){.title = "energies over time",
                                      .x_label = "t",
                                      .y_label = "energy, potential from the start",
                                      .x_low = x[0],
                                      .x_high = x[rows - 1],
                                      .y_low = low,
                                      .y_high = high,
                                      .margin = 0.05});
    for (int i = 0; i < 3; i++) {
        for (size_t k = 0; k < rows; k++) y[k] = value_of(&e, k, order[i]);
        cli_svg_curve(&s, x, y, (int)rows, &pens[order[i]], names[order[i]]);
    }
    int code = cli_svg_save(&s, c, path);
    if (code == CLI_USAGE) code = CLI_INTERNAL;
    free(x);
    free(path);
    return code;
}

int cli_run_size(const cli* c, const cli_run_request* r, int* width, int* height) {
    double w = NAN, h = 0;
    char *end = NULL, *cut;
    if (r->size == NULL) return CLI_DONE;
    w = strtod(r->size, &cut);
    if (*cut == 'x')
        h = strtod(cut + 1, &end);
    else
        end = cut;
    const bool whole = end != r->size && *end == '\0' && w == floor(w) && h == floor(h);
    if (!whole || !(w >= 16 && w <= 8192) || !(*cut != 'x' || (h >= 16 && h <= 8192)))
        return cli_fail_usage(c, "--size: %.60s: W or WxH, 16 to 8192 pixels, expected", r->size);
    *width = (int)w;
    if (*cut == 'x') *height = (int)h;
    return CLI_DONE;
}
