// color.c: colours for classes and for values.
#include <math.h>
#include <stiction/draw.h>
#include <string.h>

void sti_color_of_class(int i, unsigned char rgb[3]) {
    static const unsigned char table[8][3] = {{68, 119, 170},  {238, 102, 119}, {34, 136, 51},   {204, 187, 68},
                                              {102, 204, 238}, {170, 51, 119},  {238, 136, 102}, {187, 187, 187}};
    memcpy(rgb, table[(i % 8 + 8) % 8], 3);
}

// Nine points, straight lines between them. Light at the low end, because shading darkens what is there.
void sti_color_of_value(double value, unsigned char rgb[3]) {
    static const double table[9][3] = {{250, 250, 215}, {254, 234, 160}, {254, 214, 118},
                                       {254, 178, 80},  {250, 140, 60},  {245, 85, 45},
                                       {222, 35, 35},   {185, 10, 40},   {120, 5, 45}};
    const double at = 8 * (isnan(value) ? 0 : fmin(fmax(value, 0), 1));
    const int k = at >= 8 ? 7 : (int)at;
    for (int i = 0; i < 3; i++)
        rgb[i] = (unsigned char)lround(table[k][i] + (at - k) * (table[k + 1][i] - table[k][i]));
}
