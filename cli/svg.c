// svg.c: pictures of the command as SVG text.
//
// The picture is built in memory in two parts: shapes as they come, and, when it is saved, the frame around them with
// ticks, labels and legend. Data coordinates become picture coordinates when a shape is drawn (y up in the data, down
// in the picture), with two decimals: the same data gives the same bytes.
#include "svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 76, TOP = 52, BOTTOM = 64, RIGHT = 24, FRAME_WIDTH = 520, FRAME_HEIGHT = 420 };

const char* cli_svg_color(int i) {
    static const char* const colors[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44",
                                         "#66ccee", "#aa3377", "#ee8866", "#777777"};
    const int count = (int)(sizeof colors / sizeof colors[0]);
    return colors[(i % count + count) % count];
}

// ---- text

static void put(cli_svg* s, const char* text, size_t size) {
    if (s->broken) return;
    if (size > s->capacity - s->size) {
        size_t capacity = s->capacity < 4096 ? 4096 : s->capacity;
        while (capacity - s->size < size && capacity <= SIZE_MAX / 2) capacity *= 2;
        char* bigger = capacity - s->size < size ? NULL : realloc(s->text, capacity);
        if (bigger == NULL) {
            s->broken = true;
            return;
        }
        s->text = bigger;
        s->capacity = capacity;
    }
    memcpy(s->text + s->size, text, size);
    s->size += size;
}

static void __attribute__((format(printf, 2, 3))) putf(cli_svg* s, const char* format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    const int size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (size > 0) put(s, text, (size_t)size < sizeof text ? (size_t)size : sizeof text - 1);
}

static void put_escaped(cli_svg* s, const char* text) {
    for (const char* p = text; *p != '\0'; p++) {
        if (*p == '<')
            put(s, "&lt;", 4);
        else if (*p == '>')
            put(s, "&gt;", 4);
        else if (*p == '&')
            put(s, "&amp;", 5);
        else if ((unsigned char)*p < 0x20 || *p == 0x7f)
            put(s, "?", 1);
        else
            put(s, p, 1);
    }
}

// ---- from data to the picture

// Kept within what every viewer can draw: a cone's far corner may be very far.
static double bounded(double x) {
    return x > 1e5 ? 1e5 : x < -1e5 ? -1e5 : x;
}

static double px(const cli_svg* s, double x) {
    return bounded(LEFT + (x - s->axes.x_low) / (s->axes.x_high - s->axes.x_low) * s->width);
}

static double py(const cli_svg* s, double y) {
    if (s->axes.y_log) {
        const double high = log10(s->axes.y_high), low = log10(s->axes.y_low);
        return bounded(TOP + (high - log10(fmax(y, 1e-300))) / (high - low) * s->height);
    }
    return bounded(TOP + (s->axes.y_high - y) / (s->axes.y_high - s->axes.y_low) * s->height);
}

static void widen(double* low, double* high) {
    if (!(*high > *low)) {
        const double middle = isfinite(*low) ? *low : 0.0, half = 0.5 * fmax(1.0, fabs(middle));
        *low = middle - half;
        *high = middle + half;
    }
}

void cli_svg_begin(cli_svg* s, const cli_svg_axes* axes) {
    *s = (cli_svg){.axes = *axes, .width = FRAME_WIDTH, .height = FRAME_HEIGHT};
    widen(&s->axes.x_low, &s->axes.x_high);
    if (axes->y_log && !(axes->y_low > 0)) s->axes.y_low = 1e-300;
    if (axes->y_log && !(axes->y_high > 1.0001 * s->axes.y_low)) s->axes.y_high = 10 * s->axes.y_low;
    widen(&s->axes.y_low, &s->axes.y_high);
    if (!axes->equal) return;
    const double x = s->axes.x_high - s->axes.x_low, y = s->axes.y_high - s->axes.y_low;
    if (x / y > s->width / s->height)
        s->height = fmax(40.0, s->width * y / x);
    else
        s->width = fmax(40.0, s->height * x / y);
}

// ---- shapes

static void put_path(cli_svg* s, const double* x, const double* y, int count) {
    for (int i = 0; i < count; i++) putf(s, "%s%.2f,%.2f", i > 0 ? " " : "", px(s, x[i]), py(s, y[i]));
}

void cli_svg_polyline(cli_svg* s, const double* x, const double* y, int count, const char* color, double width) {
    if (count < 2) return;
    putf(s, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%.2f\" stroke-linejoin=\"round\" points=\"", color,
         width);
    put_path(s, x, y, count);
    putf(s, "\"/>\n");
}

void cli_svg_polygon(cli_svg* s, const double* x, const double* y, int count, const char* color, double opacity) {
    if (count < 3) return;
    putf(s, "<polygon fill=\"%s\" fill-opacity=\"%.2f\" stroke=\"%s\" stroke-width=\"1.2\" points=\"", color, opacity,
         color);
    put_path(s, x, y, count);
    putf(s, "\"/>\n");
}

void cli_svg_point(cli_svg* s, double x, double y, const char* color, double radius) {
    putf(s, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"%s\" stroke=\"#ffffff\" stroke-width=\"1\"/>\n",
         px(s, x), py(s, y), radius, color);
}

void cli_svg_text(cli_svg* s, double x, double y, cli_svg_anchor anchor, const char* text) {
    static const char* const anchors[] = {"start", "middle", "end"};
    putf(s, "<text class=\"note\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\">", px(s, x), py(s, y), anchors[anchor]);
    put_escaped(s, text);
    putf(s, "</text>\n");
}

// Neighbours of one class in a row become one rectangle, which keeps large maps small.
void cli_svg_cells(cli_svg* s, int columns, int rows, const signed char* class_of, const char* const* colors) {
    for (int j = 0; j < rows; j++) {
        const double y0 = TOP + s->height * (rows - 1 - j) / rows, y1 = TOP + s->height * (rows - j) / rows;
        for (int i = 0, end; i < columns; i = end) {
            const signed char class = class_of[(size_t)j * (size_t)columns + (size_t)i];
            for (end = i + 1; end < columns; end++) {
                if (class_of[(size_t)j * (size_t)columns + (size_t)end] != class) break;
            }
            if (class < 0) continue;
            const double x0 = LEFT + s->width * i / columns, x1 = LEFT + s->width * end / columns;
            putf(s, "<rect class=\"cell\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", x0, y0,
                 x1 - x0 + 0.05, y1 - y0 + 0.05, colors[class]);
        }
    }
}

void cli_svg_legend(cli_svg* s, const char* color, const char* text) {
    if (s->legend_count == CLI_SVG_LEGEND) return;
    const int k = s->legend_count++;
    snprintf(s->legend_color[k], sizeof s->legend_color[k], "%s", color);
    snprintf(s->legend_text[k], sizeof s->legend_text[k], "%s", text);
}

// ---- the frame

// Distance of ticks: 1, 2 or 5 times a power of ten, about five on the axis.
static double tick_step(double low, double high) {
    const double rough = (high - low) / 5.0, power = pow(10.0, floor(log10(rough))), lead = rough / power;
    return (lead < 1.5 ? 1.0 : lead < 3.5 ? 2.0 : lead < 7.5 ? 5.0 : 10.0) * power;
}

static void put_ticks(cli_svg* s, bool horizontal) {
    const double low = horizontal ? s->axes.x_low : s->axes.y_low, high = horizontal ? s->axes.x_high : s->axes.y_high;
    const double step = tick_step(low, high), first = ceil(low / step - 1e-9);
    for (int k = 0; k < 20; k++) {
        double at = (first + k) * step;
        if (at > high + 1e-9 * step) break;
        if (fabs(at) < 1e-9 * step) at = 0;  // no "-0"
        if (horizontal)
            putf(s,
                 "<line class=\"tick\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/>"
                 "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">%.6g</text>\n",
                 px(s, at), TOP + s->height, px(s, at), TOP + s->height + 5, px(s, at), TOP + s->height + 19, at);
        else
            putf(s,
                 "<line class=\"tick\" x1=\"%d\" y1=\"%.2f\" x2=\"%d\" y2=\"%.2f\"/>"
                 "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">%.6g</text>\n",
                 LEFT - 5, py(s, at), LEFT, py(s, at), LEFT - 9, py(s, at) + 4, at);
    }
}

// Powers of ten, ten of them at most.
static void put_power_ticks(cli_svg* s) {
    const int low = (int)ceil(log10(s->axes.y_low) - 1e-9), high = (int)floor(log10(s->axes.y_high) + 1e-9);
    const int step = (high - low) / 10 + 1;
    for (int k = low; k <= high; k += step) {
        const double y = py(s, pow(10, k));
        putf(s,
             "<line class=\"tick\" x1=\"%d\" y1=\"%.2f\" x2=\"%d\" y2=\"%.2f\"/>"
             "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">1e%d</text>\n",
             LEFT - 5, y, LEFT, y, LEFT - 9, y + 4, k);
    }
}

static void put_frame(cli_svg* s) {
    const double middle_x = LEFT + s->width / 2, middle_y = TOP + s->height / 2;
    putf(s, "</g>\n<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%.2f\" height=\"%.2f\"/>\n", LEFT, TOP, s->width,
         s->height);
    put_ticks(s, true);
    if (s->axes.y_log)
        put_power_ticks(s);
    else
        put_ticks(s, false);
    if (s->axes.title != NULL) {
        putf(s, "<text class=\"title\" x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">", middle_x, TOP - 22);
        put_escaped(s, s->axes.title);
        putf(s, "</text>\n");
    }
    if (s->axes.x_label != NULL) {
        putf(s, "<text class=\"label\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">", middle_x, TOP + s->height + 44);
        put_escaped(s, s->axes.x_label);
        putf(s, "</text>\n");
    }
    if (s->axes.y_label != NULL) {
        putf(s, "<text class=\"label\" text-anchor=\"middle\" transform=\"translate(20 %.2f) rotate(-90)\">", middle_y);
        put_escaped(s, s->axes.y_label);
        putf(s, "</text>\n");
    }
    for (int k = 0; k < s->legend_count; k++) {
        const double x = LEFT + s->width + 18, y = TOP + 8 + 22.0 * k;
        putf(s, "<rect class=\"key\" x=\"%.2f\" y=\"%.2f\" width=\"13\" height=\"13\" fill=\"%s\"/>", x, y,
             s->legend_color[k]);
        putf(s, "<text x=\"%.2f\" y=\"%.2f\">", x + 20, y + 11);
        put_escaped(s, s->legend_text[k]);
        putf(s, "</text>\n");
    }
}

// Room to the right of the frame: keys and their texts, at about seven units a letter.
static double legend_width(const cli_svg* s) {
    size_t longest = 0;
    for (int k = 0; k < s->legend_count; k++) {
        const size_t length = strlen(s->legend_text[k]);
        if (length > longest) longest = length;
    }
    return s->legend_count > 0 ? 52 + 7.0 * (double)longest : RIGHT;
}

static void put_head(cli_svg* head, const cli_svg* s) {
    const double width = LEFT + s->width + legend_width(s), height = TOP + s->height + BOTTOM;
    putf(head, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n",
         width, height, width, height);
    putf(head,
         "<style>text{font:12px sans-serif;fill:#333}.title{font-size:15px;font-weight:600}.label{font-size:13px}"
         ".note{paint-order:stroke;stroke:#fff;stroke-width:3px}"
         ".tick{stroke:#555}.frame{fill:none;stroke:#555}.key{stroke:#999;stroke-width:.5}"
         ".cell{shape-rendering:crispEdges}</style>\n");
    putf(head, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fcfcfa\"/>\n");
    putf(head,
         "<clipPath id=\"frame\"><rect x=\"%d\" y=\"%d\" width=\"%.2f\" height=\"%.2f\"/></clipPath>\n"
         "<g clip-path=\"url(#frame)\">\n<rect x=\"%d\" y=\"%d\" width=\"%.2f\" height=\"%.2f\" fill=\"#ffffff\"/>\n",
         LEFT, TOP, s->width, s->height, LEFT, TOP, s->width, s->height);
}

void cli_svg_drop(cli_svg* s) {
    free(s->text);
    *s = (cli_svg){0};
}

int cli_svg_save(cli_svg* s, const cli* c, const char* path) {
    cli_svg whole = {0};
    put_head(&whole, s);
    put_frame(s);
    if (!s->broken) put(&whole, s->text, s->size);
    putf(&whole, "</svg>\n");
    const int code = s->broken || whole.broken ? cli_fail_memory(c) : cli_write_file(c, path, whole.text, whole.size);
    cli_svg_drop(&whole);
    cli_svg_drop(s);
    return code;
}

// ---- the file

int cli_write_file(const cli* c, const char* path, const char* text, size_t size) {
    const size_t length = strlen(path);
    char* temporary = malloc(length + 5);
    if (temporary == NULL) return cli_fail_memory(c);
    memcpy(temporary, path, length);
    memcpy(temporary + length, ".tmp", 5);
    FILE* f = fopen(temporary, "wb");
    bool good = f != NULL;
    if (f != NULL) {
        good = fwrite(text, 1, size, f) == size;
        if (fclose(f) != 0) good = false;
        if (good) good = rename(temporary, path) == 0;
    }
    int code = CLI_DONE;
    if (!good) {
        const int why = errno;
        if (f != NULL) remove(temporary);
        code = cli_fail_usage(c, "%s: cannot be written: %s", path, strerror(why));
        if (f != NULL) code = CLI_INTERNAL;  // the place is there, the writing failed
    }
    free(temporary);
    return code;
}
