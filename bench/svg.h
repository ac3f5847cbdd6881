// svg.h: a small writer of pictures: a chart with axes, linear or logarithmic, lines and a legend.
//
// An SVG file is text; what is drawn goes straight into it. Coordinates of a chart are those of its data.
#ifndef STI_BENCH_SVG_H
#define STI_BENCH_SVG_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct svg_axis {
    double low, high;
    bool log;           // both ends positive
    double step;        // between ticks; of a logarithmic axis the factor, a power of ten
    const char* label;  // NULL: none
} svg_axis;

typedef struct svg_chart {
    FILE* file;
    double left, top, width, height;
    svg_axis x, y;
} svg_chart;

typedef struct svg_pen {
    const char* colour;
    double width;
    const char* dash;  // NULL: none, or as in stroke-dasharray
} svg_pen;

static inline FILE* svg_open(const char* path, double width, double height) {
    FILE* f = fopen(path, "w");
    if (f == NULL) return NULL;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"%g\" height=\"%g\" fill=\"white\"/>\n",
            width, height, width, height, width, height);
    return f;
}

// True: written whole.
static inline bool svg_close(FILE* f) {
    fputs("</svg>\n", f);
    const bool good = ferror(f) == 0;
    return fclose(f) == 0 && good;
}

// anchor: start, middle, end
static inline void svg_text(FILE* f, double x, double y, const char* anchor, const char* extra, const char* text) {
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor, extra);
    for (; *text != 0; text++) {
        if (*text == '<' || *text == '&')
            fputs(*text == '<' ? "&lt;" : "&amp;", f);
        else
            fputc(*text, f);
    }
    fputs("</text>\n", f);
}

static inline double svg_place(const svg_axis* a, double value) {
    if (a->log) return log(value / a->low) / log(a->high / a->low);
    return (value - a->low) / (a->high - a->low);
}

static inline double svg_x(const svg_chart* c, double x) {
    return c->left + c->width * svg_place(&c->x, x);
}

static inline double svg_y(const svg_chart* c, double y) {
    return c->top + c->height * (1 - svg_place(&c->y, y));
}

static inline void svg_segment(FILE* f, double x0, double y0, double x1, double y1, svg_pen pen) {
    fprintf(f, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%g\"", x0, y0, x1,
            y1, pen.colour, pen.width);
    if (pen.dash != NULL) fprintf(f, " stroke-dasharray=\"%s\"", pen.dash);
    fputs("/>\n", f);
}

static inline void svg_curve(const svg_chart* c, int count, const double* x, const double* y, svg_pen pen) {
    fprintf(c->file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%g\"", pen.colour, pen.width);
    if (pen.dash != NULL) fprintf(c->file, " stroke-dasharray=\"%s\"", pen.dash);
    fputs(" points=\"", c->file);
    for (int i = 0; i < count; i++) fprintf(c->file, "%.1f,%.1f ", svg_x(c, x[i]), svg_y(c, y[i]));
    fputs("\"/>\n", c->file);
}

static inline void svg_dot(const svg_chart* c, double x, double y, const char* colour) {
    fprintf(c->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", svg_x(c, x), svg_y(c, y), colour);
}

// Frame, ticks with numbers and grid, labels.
static inline void svg_axes(const svg_chart* c, const char* title) {
    const svg_pen grid = {"#dddddd", 1, NULL}, frame = {"#444444", 1, NULL};
    const double right = c->left + c->width, bottom = c->top + c->height;
    for (int axis = 0; axis < 2; axis++) {
        const svg_axis* a = axis == 0 ? &c->x : &c->y;
        for (int k = 0; k < 40; k++) {
            const double value = a->log ? a->low * pow(a->step, k) : a->low + k * a->step;
            if (value > a->high * (1 + 1e-9)) break;
            char number[32];
            if (a->log && (value > 9999 || value < 0.0099))
                snprintf(number, sizeof number, "1e%.0f", log10(value));
            else
                snprintf(number, sizeof number, "%.4g", value);
            if (axis == 0) {
                svg_segment(c->file, svg_x(c, value), c->top, svg_x(c, value), bottom, grid);
                svg_text(c->file, svg_x(c, value), bottom + 15, "middle", " font-size=\"10\"", number);
            } else {
                svg_segment(c->file, c->left, svg_y(c, value), right, svg_y(c, value), grid);
                svg_text(c->file, c->left - 4, svg_y(c, value) + 4, "end", " font-size=\"10\"", number);
            }
        }
    }
    svg_segment(c->file, c->left, c->top, c->left, bottom, frame);
    svg_segment(c->file, c->left, bottom, right, bottom, frame);
    svg_text(c->file, c->left + c->width / 2, c->top - 8, "middle", " font-weight=\"bold\"", title);
    if (c->x.label != NULL) svg_text(c->file, c->left + c->width / 2, bottom + 32, "middle", "", c->x.label);
    if (c->y.label != NULL) {
        char turn[80];
        snprintf(turn, sizeof turn, " transform=\"rotate(-90 %.1f %.1f)\"", c->left - 40, c->top + c->height / 2);
        svg_text(c->file, c->left - 40, c->top + c->height / 2, "middle", turn, c->y.label);
    }
}

// Line k of a legend whose upper left corner is at (x, y).
static inline void svg_legend(FILE* f, double x, double y, int k, svg_pen pen, const char* text) {
    const double at = y + 14 * k;
    svg_segment(f, x, at - 4, x + 22, at - 4, pen);
    svg_text(f, x + 27, at, "start", " font-size=\"10\"", text);
}

#endif
