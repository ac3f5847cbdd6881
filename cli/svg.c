// svg.c: pictures of the command as SVG text.
//
// The picture is built in memory: shapes as they come, and, when a frame is done, the frame around them with ticks,
// labels and legend; the head with the size of the whole is put before it when it is saved. Data coordinates become
// picture coordinates when a shape is drawn (y up in the data, down in the picture), with two decimals: the same data
// gives the same bytes.
#include "svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"

enum { LEFT = 76, TOP = 52, BOTTOM = 64, RIGHT = 24, BETWEEN = 16, FRAME_WIDTH = 520, FRAME_HEIGHT = 420 };

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
        return bounded(s->top + (high - log10(fmax(y, 1e-300))) / (high - low) * s->height);
    }
    return bounded(s->top + (s->axes.y_high - y) / (s->axes.y_high - s->axes.y_low) * s->height);
}

static void widen(double* low, double* high) {
    if (!(*high > *low)) {
        const double middle = isfinite(*low) ? *low : 0.0, half = 0.5 * fmax(1.0, fabs(middle));
        *low = middle - half;
        *high = middle + half;
    }
}

// Shapes are cut off at the frame, or a little outside: half of a line on its border is seen.
static void open_frame(cli_svg* s) {
    putf(s,
         "<clipPath id=\"frame%d\"><rect x=\"%d\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/></clipPath>\n"
         "<g clip-path=\"url(#frame%d)\">\n<rect x=\"%d\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
         "fill=\"#ffffff\"/>\n",
         s->frames, LEFT - 1, s->top - 1, s->width + 2, s->height + 2, s->frames, LEFT, s->top, s->width, s->height);
}

static void set_axes(cli_svg* s, const cli_svg_axes* axes) {
    s->axes = *axes;
    s->width = FRAME_WIDTH;
    s->height = axes->height > 0 ? axes->height : FRAME_HEIGHT;
    widen(&s->axes.x_low, &s->axes.x_high);
    if (axes->y_log && !(axes->y_low > 0)) s->axes.y_low = 1e-300;
    if (axes->y_log && !(axes->y_high > 1.0001 * s->axes.y_low)) s->axes.y_high = 10 * s->axes.y_low;
    widen(&s->axes.y_low, &s->axes.y_high);
    const double x = s->axes.x_high - s->axes.x_low, y = s->axes.y_high - s->axes.y_low;
    if (!axes->y_log) {
        s->axes.y_low -= axes->margin * y;
        s->axes.y_high += axes->margin * y;
    }
    if (axes->equal && x / y > s->width / s->height)
        s->height = fmax(40.0, s->width * y / x);
    else if (axes->equal)
        s->width = fmax(40.0, s->height * x / y);
}

void cli_svg_begin(cli_svg* s, const cli_svg_axes* axes) {
    *s = (cli_svg){.frames = 1, .top = TOP};
    set_axes(s, axes);
    open_frame(s);
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

void cli_svg_curve(cli_svg* s, const double* x, const double* y, int count, const cli_svg_pen* pen,
                   const char* legend) {
    if (legend != NULL && s->legend_count < CLI_SVG_LEGEND) {
        s->legend_width[s->legend_count] = pen->width;
        s->legend_dash[s->legend_count] = pen->dash;
        cli_svg_legend(s, pen->color, legend);
    }
    if (pen->dash != NULL) putf(s, "<g stroke-dasharray=\"%s\">", pen->dash);
    cli_svg_polyline(s, x, y, count, pen->color, pen->width);
    if (pen->dash != NULL) putf(s, "</g>\n");
}

// With a pale rim, so that it is seen before everything. Short arrows are heads alone.
void cli_svg_arrow(cli_svg* s, double x, double y, double to_x, double to_y, const char* color) {
    const double x0 = px(s, x), y0 = py(s, y), x1 = px(s, to_x), y1 = py(s, to_y);
    const double length = hypot(x1 - x0, y1 - y0), head = fmin(9.0, length);
    if (!(length > 0.5)) return;
    const double u = (x1 - x0) / length, v = (y1 - y0) / length, bx = x1 - head * u, by = y1 - head * v;
    for (int rim = 1; rim >= 0; rim--) {
        const char* paint = rim == 1 ? "#ffffff" : color;
        putf(s,
             "<path stroke=\"%s\" fill=\"%s\" stroke-width=\"%.1f\" d=\"M%.2f,%.2f L%.2f,%.2f M%.2f,%.2f "
             "L%.2f,%.2f L%.2f,%.2f Z\"/>\n",
             paint, paint, rim == 1 ? 3.4 : 1.4, x0, y0, bx, by, bx - 0.32 * head * v, by + 0.32 * head * u, x1, y1,
             bx + 0.32 * head * v, by - 0.32 * head * u);
    }
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
        const double y0 = s->top + s->height * (rows - 1 - j) / rows, y1 = s->top + s->height * (rows - j) / rows;
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

// Distance of ticks: 1, 2 or 5 times a power of ten, about `count` on the axis.
static double tick_step(double low, double high, double count) {
    const double rough = (high - low) / count, power = pow(10.0, floor(log10(rough))), lead = rough / power;
    return (lead < 1.5 ? 1.0 : lead < 3.5 ? 2.0 : lead < 7.5 ? 5.0 : 10.0) * power;
}

// As many digits as tell one tick from the next.
static void tick_text(char* text, size_t size, double at, double step) {
    const double digits = at != 0 ? ceil(log10(fabs(at) / step)) + 1 : 1;
    snprintf(text, size, "%.*g", (int)fmin(fmax(digits, 6), 16), at);
}

static void put_y_tick(cli_svg* s, double at, const char* text) {
    putf(s,
         "<line class=\"tick\" x1=\"%d\" y1=\"%.2f\" x2=\"%d\" y2=\"%.2f\"/>"
         "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">%s</text>\n",
         LEFT - 5, py(s, at), LEFT, py(s, at), LEFT - 9, py(s, at) + 4, text);
}

static void put_ticks(cli_svg* s, bool horizontal, bool numbers) {
    const double low = horizontal ? s->axes.x_low : s->axes.y_low, high = horizontal ? s->axes.x_high : s->axes.y_high;
    const double room = horizontal ? s->width / 100 : s->height / 80;
    const double step = tick_step(low, high, fmin(fmax(room, 2), 5)), first = ceil(low / step - 1e-9);
    for (int k = 0; k < 20; k++) {
        double at = (first + k) * step;
        char text[32];
        if (at > high + 1e-9 * step) break;
        if (fabs(at) < 1e-9 * step) at = 0;  // no "-0"
        tick_text(text, sizeof text, at, step);
        if (!horizontal) {
            put_y_tick(s, at, text);
            continue;
        }
        const double x = px(s, at), y = s->top + s->height;
        putf(s, "<line class=\"tick\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/>", x, y, x, y + 5);
        if (numbers) putf(s, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">%s</text>", x, y + 19, text);
        putf(s, "\n");
    }
}

// Powers of ten, ten of them at most; where there are less than three, twice and five times them too.
static void put_power_ticks(cli_svg* s) {
    const int low = (int)floor(log10(s->axes.y_low) + 1e-9), high = (int)floor(log10(s->axes.y_high) + 1e-9);
    const int step = (high - low) / 10 + 1;
    const bool few = high - low < 3;
    for (int k = low; k <= high; k += step) {
        static const int parts[] = {1, 2, 5};
        for (int i = 0; i < (few ? 3 : 1); i++) {
            const double at = parts[i] * pow(10, k);
            char text[24];
            snprintf(text, sizeof text, "%de%d", parts[i], k);
            if (at >= s->axes.y_low * (1 - 1e-9) && at <= s->axes.y_high * (1 + 1e-9)) put_y_tick(s, at, text);
        }
    }
}

// About what a text takes, in letters of the width that its size has.
static double text_width(const char* text, double letter) {
    size_t count = 0;
    for (const char* p = text; *p != '\0'; p++) count += ((unsigned char)*p & 0xC0) != 0x80;
    return letter * (double)count;
}

// Over the middle of the frame, or, when it is longer, from the left of the picture on.
static void put_title(cli_svg* s) {
    const double width = text_width(s->axes.title, 8.2);
    const double middle = fmax(LEFT + s->width / 2, 12 + width / 2);
    putf(s, "<text class=\"title\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">", middle, s->top - 22);
    put_escaped(s, s->axes.title);
    putf(s, "</text>\n");
    s->whole_width = fmax(s->whole_width, middle + width / 2 + 12);
}

static void put_legend(cli_svg* s) {
    double right = LEFT + s->width + RIGHT;
    for (int k = 0; k < s->legend_count; k++) {
        const double x = LEFT + s->width + 18, y = s->top + 8 + 22.0 * k;
        if (s->legend_width[k] > 0)
            putf(s, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"%s\" stroke-width=\"%.2f\"%s%s%s/>",
                 x - 6, y + 6.5, x + 16, y + 6.5, s->legend_color[k], s->legend_width[k],
                 s->legend_dash[k] != NULL ? " stroke-dasharray=\"" : "",
                 s->legend_dash[k] != NULL ? s->legend_dash[k] : "", s->legend_dash[k] != NULL ? "\"" : "");
        else
            putf(s, "<rect class=\"key\" x=\"%.2f\" y=\"%.2f\" width=\"13\" height=\"13\" fill=\"%s\"/>", x, y,
                 s->legend_color[k]);
        putf(s, "<text x=\"%.2f\" y=\"%.2f\">", x + 20, y + 11);
        put_escaped(s, s->legend_text[k]);
        putf(s, "</text>\n");
        right = fmax(right, x + 34 + text_width(s->legend_text[k], 7));
    }
    s->whole_width = fmax(s->whole_width, right);
}

// Ends the group of the shapes and draws the frame around them. Numbers at the x axis: in the last frame alone.
static void close_frame(cli_svg* s, bool last) {
    putf(s, "</g>\n<rect class=\"frame\" x=\"%d\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n", LEFT, s->top,
         s->width, s->height);
    put_ticks(s, true, last);
    if (s->axes.y_log)
        put_power_ticks(s);
    else
        put_ticks(s, false, true);
    if (s->axes.title != NULL) put_title(s);
    if (s->axes.x_label != NULL && last) {
        putf(s, "<text class=\"label\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">", LEFT + s->width / 2,
             s->top + s->height + 44);
        put_escaped(s, s->axes.x_label);
        putf(s, "</text>\n");
    }
    if (s->axes.y_label != NULL) {
        putf(s, "<text class=\"label\" text-anchor=\"middle\" transform=\"translate(20 %.2f) rotate(-90)\">",
             s->top + s->height / 2);
        put_escaped(s, s->axes.y_label);
        putf(s, "</text>\n");
    }
    put_legend(s);
}

void cli_svg_next(cli_svg* s, const cli_svg_axes* axes) {
    close_frame(s, false);
    s->top += s->height + BETWEEN;
    s->frames++;
    s->legend_count = 0;
    for (int k = 0; k < CLI_SVG_LEGEND; k++) s->legend_width[k] = 0;
    set_axes(s, axes);
    open_frame(s);
}

static void put_head(cli_svg* head, const cli_svg* s) {
    const double width = s->whole_width, height = s->top + s->height + BOTTOM;
    putf(head, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n",
         width, height, width, height);
    putf(head,
         "<style>text{font:12px sans-serif;fill:#333}.title{font-size:15px;font-weight:600}.label{font-size:13px}"
         ".note{paint-order:stroke;stroke:#fff;stroke-width:3px}"
         ".tick{stroke:#555}.frame{fill:none;stroke:#555}.key{stroke:#999;stroke-width:.5}"
         ".cell{shape-rendering:crispEdges}</style>\n");
    putf(head, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fcfcfa\"/>\n");
}

void cli_svg_drop(cli_svg* s) {
    free(s->text);
    *s = (cli_svg){0};
}

int cli_svg_save(cli_svg* s, const cli* c, const char* path) {
    cli_svg whole = {0};
    close_frame(s, true);
    put_head(&whole, s);
    if (!s->broken) put(&whole, s->text, s->size);
    putf(&whole, "</svg>\n");
    const int code = s->broken || whole.broken ? cli_fail_memory(c) : cli_write_file(c, path, whole.text, whole.size);
    cli_svg_drop(&whole);
    cli_svg_drop(s);
    return code;
}
