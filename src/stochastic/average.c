// average.c: what independent values say of their mean: Student's confidence interval.
//
// With n values of mean m and deviation s, m +- t s / sqrt(n) holds the mean of their (normal) distribution with
// probability 95 %, where t has P(|T| <= t) = 0.95 for Student's distribution with d = n - 1 degrees. For whole d that
// probability is a finite sum, with tan a = t / sqrt(d):
//
//     d even   sin a (1 + 1/2 cos^2 a + (1 3)/(2 4) cos^4 a + ..)                          d/2 terms
//     d odd    2/pi (a + sin a cos a (1 + 2/3 cos^2 a + (2 4)/(3 5) cos^4 a + ..))         (d-1)/2 terms
#include <math.h>
#include <stiction/stochastic.h>

enum { SUMMED = 2000 };  // degrees up to which the sum is taken; beyond, the expansion below is exact to 1e-12

static double within(double t, long degrees) {
    const double a = atan2(t, sqrt((double)degrees)), square = cos(a) * cos(a);
    const bool odd = degrees % 2 == 1;
    double term = 1, sum = 0;
    for (long k = odd ? 1 : 0; k + 1 < degrees || k == 0; k += 2) {
        sum += term;
        term *= square * (double)(k + 1) / (double)(k + 2);
    }
    if (!odd) return sin(a) * sum;
    return (a + (degrees > 1 ? sin(a) * cos(a) * sum : 0)) * 2 / M_PI;
}

// The expansion in 1/d of Fisher and Cornish, from the normal quantile z.
static double expanded(long degrees) {
    const double z = 1.959963984540054, d = (double)degrees, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4 * d) + (5 * z5 + 16 * z3 + 3 * z) / (96 * d * d) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * d * d * d);
}

static double student(long degrees) {
    if (degrees > SUMMED) return expanded(degrees);
    double low = 0, high = 13;  // 12.71 for one degree, less for more
    while (high - low > 1e-14 * high) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) break;
        *(within(middle, degrees) < 0.95 ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

sti_average sti_average_of(const double* values, long count) {
    sti_average v = {.count = count, .mean = NAN, .deviation = NAN, .low = NAN, .high = NAN};
    double sum = 0, square = 0;
    for (long k = 0; k < count; k++) sum += values[k];
    if (count > 0) v.mean = sum / (double)count;
    if (count < 2) return v;
    for (long k = 0; k < count; k++) square += (values[k] - v.mean) * (values[k] - v.mean);
    v.deviation = sqrt(square / (double)(count - 1));
    const double half = student(count - 1) * v.deviation / sqrt((double)count);
    v.low = v.mean - half;
    v.high = v.mean + half;
    return v;
}
