// orient.h: on which side of a line or plane a point lies, decided exactly.
#ifndef STI_SHAPES_ORIENT_H
#define STI_SHAPES_ORIENT_H

// Sign (-1, 0, 1) of the area of a, b, c: positive when they turn left.
int sti_orient_planar(const double a[2], const double b[2], const double c[2]);
// Sign of (b - a) x (c - a) . (d - a): positive when d sees a, b, c counterclockwise.
int sti_orient_spatial(const double a[3], const double b[3], const double c[3], const double d[3]);

#endif
