// tables.c: rows and matrices of numbers, as text and as JSON.
#include "tables.h"

#include <math.h>

static double largest_of(const double* x, int count) {
    double largest = 0;
    for (int i = 0; i < count; i++) {
        if (isfinite(x[i])) largest = fmax(largest, fabs(x[i]));
    }
    return largest;
}

const char* cli_text_number(double x, double scale) {
    static char texts[4][32];
    static int next;
    char* text = texts[next++ % 4];
    if (fabs(x) <= 1e-13 * scale) x = 0;
    snprintf(text, sizeof texts[0], "%.8g", x);
    return text;
}

const char* cli_text_about(double x, bool angle) {
    static char text[48];
    enum { LARGEST = 24 };
    const double value = angle ? tan(x) : x;
    if (!isfinite(value) || fabs(value) > 1000 || (angle && (x <= 0 || x >= acos(0.0)))) return "";
    for (int bottom = 1; bottom <= LARGEST; bottom++) {
        const double top = round(value * bottom);
        if (top == 0 || fabs(value - top / bottom) > 1e-9 * fabs(value)) continue;
        if (bottom > 1)
            snprintf(text, sizeof text, " (about %s%.0f/%d)", angle ? "arctan " : "", top, bottom);
        else
            snprintf(text, sizeof text, " (about arctan %.0f)", top);
        return bottom > 1 || angle ? text : "";
    }
    return "";
}

static void say_numbers(const cli* c, const double* x, int count, double scale) {
    for (int i = 0; i < count; i++) cli_say(c, " %14s", cli_text_number(x[i], scale));
    cli_say(c, "\n");
}

void cli_say_row_near(const cli* c, const char* label, const double* x, int count, double scale) {
    cli_say(c, "  %-22s", label);
    say_numbers(c, x, count, fmax(scale, largest_of(x, count)));
}

void cli_say_row(const cli* c, const char* label, const double* x, int count) {
    cli_say_row_near(c, label, x, count, 0);
}

void cli_say_matrix(const cli* c, const char* label, const double* A, int rows, int cols) {
    const double scale = largest_of(A, rows * cols);
    for (int i = 0; i < rows; i++) {
        cli_say(c, "  %-22s", i == 0 ? label : "");
        say_numbers(c, A + (size_t)i * (size_t)cols, cols, scale);
    }
}

void cli_json_matrix(cli_json* j, const char* key, const double* A, int rows, int cols) {
    if (A == NULL) {
        cli_json_null(j, key);
        return;
    }
    cli_json_array(j, key);
    for (int i = 0; i < rows; i++) cli_json_numbers(j, NULL, A + (size_t)i * (size_t)cols, (size_t)cols);
    cli_json_end(j);
}
