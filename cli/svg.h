// svg.h: pictures of the command: plots with axes, drawn in the units of the data, written as an SVG file.
//
//     cli_svg s;
//     cli_svg_begin(&s, &(cli_svg_axes){.title = "...", .x_label = "w_x", .y_label = "w_y", .x_low = -1, ...});
//     cli_svg_polygon(&s, x, y, count, cli_svg_color(0), 0.3);
//     cli_svg_legend(&s, cli_svg_color(0), "stick");
//     code = cli_svg_save(&s, c, path);
//
// Several plots stand below each other, with one x axis, when cli_svg_next follows after the shapes of the first.
//
// Shapes are drawn in the order of the calls and cut off at the frame. Memory failure is remembered and reported by
// cli_svg_save. Colours are "#rrggbb".
#ifndef STICTION_CLI_SVG_H
#define STICTION_CLI_SVG_H

#include "cli.h"

typedef struct cli_svg_axes {
    const char* title;  // NULL: none
    const char* x_label;
    const char* y_label;
    double x_low, x_high;  // the frame; widened when empty
    double y_low, y_high;
    bool equal;     // one unit is as long on both axes
    bool y_log;     // y on a scale of powers of ten; all y must be positive
    double margin;  // part of the range of y that is left free above and below; not with y_log
    double height;  // of the frame, in picture units; 0: the usual one
} cli_svg_axes;

// Curves that may cover each other are told apart by width and dashes.
typedef struct cli_svg_pen {
    const char* color;
    double width;
    const char* dash;  // as in SVG, "6 4"; NULL: none
} cli_svg_pen;

enum { CLI_SVG_LEGEND = 16 };

typedef struct cli_svg {
    char* text;  // shapes so far          (capacity)
    size_t size, capacity;
    bool broken;
    cli_svg_axes axes;
    int frames;
    double top, width, height;  // of the last frame, in picture units
    double whole_width;         // of all that is drawn
    int legend_count;           // of the last frame
    char legend_color[CLI_SVG_LEGEND][8];
    char legend_text[CLI_SVG_LEGEND][48];
    double legend_width[CLI_SVG_LEGEND];  // of a line; 0: a square
    const char* legend_dash[CLI_SVG_LEGEND];
} cli_svg;

typedef enum cli_svg_anchor { CLI_SVG_START, CLI_SVG_MIDDLE, CLI_SVG_END } cli_svg_anchor;

const char* cli_svg_color(int i);  // eight colours that are told apart also by the colour-blind, over and over

// Borrows the texts of the axes, and the dashes of pens, until cli_svg_save.
void cli_svg_begin(cli_svg* s, const cli_svg_axes* axes);
// The frame so far is done; another one follows below it.
void cli_svg_next(cli_svg* s, const cli_svg_axes* axes);
void cli_svg_polyline(cli_svg* s, const double* x, const double* y, int count, const char* color, double width);
void cli_svg_curve(cli_svg* s, const double* x, const double* y, int count, const cli_svg_pen* pen, const char* legend);
void cli_svg_arrow(cli_svg* s, double x, double y, double to_x, double to_y, const char* color);
void cli_svg_polygon(cli_svg* s, const double* x, const double* y, int count, const char* color, double opacity);
void cli_svg_point(cli_svg* s, double x, double y, const char* color, double radius);
// The text begins, ends or has its middle at (x, y).
void cli_svg_text(cli_svg* s, double x, double y, cli_svg_anchor anchor, const char* text);
// A grid over the whole frame: cell (i, j) from the lower left, of class[j * columns + i], in the colour of that class;
// a negative class is left blank.
void cli_svg_cells(cli_svg* s, int columns, int rows, const signed char* class_of, const char* const* colors);
void cli_svg_legend(cli_svg* s, const char* color, const char* text);  // at most CLI_SVG_LEGEND are kept

// Written whole or not at all; frees. CLI_DONE, or the exit code of the error line that was written.
int cli_svg_save(cli_svg* s, const cli* c, const char* path);
void cli_svg_drop(cli_svg* s);  // frees without writing

#endif
