// flow.c: fields of flow as pictures: the direction as hue, the length as strength; arrows.
#include <math.h>
#include <stiction/flow.h>

#include "base/env.h"

// Hue from 0 to 1 at full strength over white.
static void color_of(double u, double v, double longest, unsigned char* rgb) {
    const double length = fmin(hypot(u, v) / longest, 1), hue = 6 * (atan2(v, u) / 6.283185307179586 + 0.5);
    for (int c = 0; c < 3; c++) {
        const double away = fabs(fmod(hue + 2.0 * (3 - c), 6) - 3);  // from the hue opposite of this colour
        const double full = fmin(fmax(away - 1, 0), 1);
        rgb[c] = (unsigned char)(255 * (1 - length * (1 - full)) + 0.5);
    }
}

static void plot(sti_image* image, double x, double y) {
    const int i = (int)floor(x + 0.5), j = (int)floor(y + 0.5);
    if (i < 0 || j < 0 || i >= image->width || j >= image->height) return;
    unsigned char* p = image->rgb + 3 * ((size_t)j * (size_t)image->width + (size_t)i);
    p[0] = p[1] = p[2] = 0;
}

static void line(sti_image* image, double x, double y, double dx, double dy) {
    const int steps = (int)ceil(fmax(fabs(dx), fabs(dy))) + 1;
    for (int k = 0; k <= steps; k++) plot(image, x + dx * k / steps, y + dy * k / steps);
}

static void arrow(sti_image* image, double x, double y, double dx, double dy) {
    const double back = 0.3, c = 0.866, s = 0.5;
    line(image, x, y, dx, dy);
    line(image, x + dx, y + dy, -back * (c * dx - s * dy), -back * (s * dx + c * dy));
    line(image, x + dx, y + dy, -back * (c * dx + s * dy), -back * (-s * dx + c * dy));
}

sti_status sti_draw_flow(sti_env* env, const sti_flow_field* field, double longest, int arrows, sti_image* out) {
    const size_t count = (size_t)field->width * (size_t)field->height;
    const sti_status status = sti_image_make(env, field->width, field->height, out);
    if (status != STI_OK) return status;
    double most = longest > 0 ? longest : 0;
    for (size_t k = 0; k < count && !(longest > 0); k++) {
        if (isfinite(field->u[k]) && isfinite(field->v[k])) most = fmax(most, hypot(field->u[k], field->v[k]));
    }
    if (!(most > 0)) most = 1;
    for (size_t k = 0; k < count; k++) {
        if (isfinite(field->u[k]) && isfinite(field->v[k])) color_of(field->u[k], field->v[k], most, out->rgb + 3 * k);
    }
    for (int y = arrows / 2; arrows > 0 && y < field->height; y += arrows) {
        for (int x = arrows / 2; x < field->width; x += arrows) {
            const size_t k = (size_t)y * (size_t)field->width + (size_t)x;
            if (!isfinite(field->u[k]) || !isfinite(field->v[k])) continue;
            arrow(out, x, y, arrows * field->u[k] / most, arrows * field->v[k] / most);
        }
    }
    return STI_OK;
}
