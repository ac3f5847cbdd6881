// interval.h: a closed interval of real numbers, as answers carry it.
//
// low and high are doubles, -INFINITY and INFINITY among them. A number given as an interval lies in it, end points
// included: that is a statement about real numbers, not about what some rounding gave. docs/bounds.md says what the
// statements rest on.
#ifndef STICTION_INTERVAL_H
#define STICTION_INTERVAL_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sti_interval {
    double low, high;
} sti_interval;

#ifdef __cplusplus
}
#endif
#endif
