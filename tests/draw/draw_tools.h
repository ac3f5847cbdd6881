// draw_tools.h: what stands at a place of a picture.
#ifndef TESTS_DRAW_DRAW_TOOLS_H
#define TESTS_DRAW_DRAW_TOOLS_H

#include <stddef.h>
#include <stiction/draw.h>

static inline const unsigned char* pixel(const sti_image* image, int x, int y) {
    return image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
}

// Which of red, green and blue is strongest by far; -1: none.
static inline int hue(const unsigned char* rgb) {
    for (int i = 0; i < 3; i++) {
        if (rgb[i] > 1.5 * rgb[(i + 1) % 3] && rgb[i] > 1.5 * rgb[(i + 2) % 3]) return i;
    }
    return -1;
}

#endif
