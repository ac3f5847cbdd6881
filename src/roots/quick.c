// quick.c: a candidate for a root in few evaluations, in plain doubles. It proves nothing; prove.c does.
//
// One equation: a bracket from the start and the ends of the box, or from steps of Newton's method that meet the other
// sign; inside a bracket the method of Chandrupatla (1997), which interpolates by an inverse quadratic where that is
// safe and halves elsewhere. Several equations: Newton's method with steps cut back to the box and halved until |f|
// falls.
#include <float.h>

#include "roots/found.h"

// ---- one equation

typedef struct scalar {
    sti_equations* q;
    double low, high;
    int left;  // evaluations
} scalar;

static bool value(scalar* s, double x, double* f) {
    s->left--;
    return sti_equations_at(s->q, &x, f, NULL);
}

static double halfway(double a, double b) {
    return 0.5 * a + 0.5 * b;
}

// f(a) f(b) < 0
static double chandrupatla(scalar* s, double a, double fa, double b, double fb) {
    double c = a, fc = fa, t = 0.5;
    while (s->left > 0) {
        const double x = a + t * (b - a);
        double f;
        if (!value(s, x, &f)) break;
        if ((f > 0) == (fa > 0)) {
            c = a;
            fc = fa;
        } else {
            c = b;
            b = a;
            fc = fb;
            fb = fa;
        }
        a = x;
        fa = f;
        const double best = fabs(fa) < fabs(fb) ? a : b;
        const double tol = 2 * DBL_EPSILON * fabs(best) + DBL_MIN, part = tol / fabs(b - c);
        if (fa == 0 || part > 0.5) break;
        const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
        t = 0.5;
        if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
            t = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb);
        t = fmin(1 - part, fmax(part, t));
    }
    return fabs(fa) < fabs(fb) ? a : b;
}

// Newton from x until it settles, or until the sign changes: then the bracket is used.
static bool newton(scalar* s, double x, double* c) {
    double last = NAN, f_last = NAN;
    while (s->left > 1) {
        double f, slope;
        s->left -= 2;
        if (!sti_equations_at(s->q, &x, &f, &slope)) return false;
        if (f != 0 && f_last != 0 && isfinite(last) && (f > 0) != (f_last > 0)) {
            *c = chandrupatla(s, last, f_last, x, f);
            return true;
        }
        if (f == 0 || slope == 0) {
            *c = x;
            return f == 0;
        }
        const double next = fmin(fmax(x - f / slope, s->low), s->high);
        last = x;
        f_last = f;
        if (fabs(next - x) <= 4 * DBL_EPSILON * fabs(x)) {
            *c = next;
            return true;
        }
        x = next;
    }
    return false;
}

static bool quick_scalar(sti_equations* q, double start, double* c) {
    enum { MOST_EVALUATIONS = 30 };
    scalar s = {.q = q, .low = q->box[0].low, .high = q->box[0].high, .left = MOST_EVALUATIONS};
    double x[3] = {s.low, fmin(fmax(start, s.low), s.high), s.high}, f[3];
    bool good[3];
    for (int k = 0; k < 3; k++) {
        good[k] = value(&s, x[k], &f[k]);
        if (good[k] && f[k] == 0) {
            *c = x[k];
            return true;
        }
    }
    for (int k = 0; k < 2; k++) {
        if (good[k] && good[k + 1] && (f[k] > 0) != (f[k + 1] > 0)) {
            *c = chandrupatla(&s, x[k], f[k], x[k + 1], f[k + 1]);
            return true;
        }
    }
    return newton(&s, good[1] ? x[1] : halfway(x[0], x[2]), c);
}

// ---- several equations

static bool quick_system(sti_equations* q, const double* start, double* x) {
    const int n = q->n;
    double f[MOST], J[MOST * MOST], next[MOST], g[MOST];
    memcpy(x, start, (size_t)n * sizeof *x);
    for (int turn = 0; turn < 40; turn++) {
        if (!sti_equations_at(q, x, f, J)) return false;
        const double size = sti_roots_size(f, n);
        if (size == 0) return true;
        if (!sti_dense_algebra(J, f, n)) return false;
        bool better = false;
        for (double part = 1; !better && part > 1e-4; part *= 0.5) {
            bool moves = false;
            for (int k = 0; k < n; k++) {
                next[k] = fmin(fmax(x[k] - part * f[k], q->box[k].low), q->box[k].high);
                moves = moves || fabs(next[k] - x[k]) > 4 * DBL_EPSILON * fabs(x[k]);
            }
            if (!moves) return true;
            better = sti_equations_at(q, next, g, NULL) && sti_roots_size(g, n) < size;
        }
        if (!better) return size < 1e-8;
        memcpy(x, next, (size_t)n * sizeof *x);
    }
    return false;
}

bool sti_quick_root(sti_equations* q, const double* start, double* c) {
    return q->n == 1 ? quick_scalar(q, start[0], c) : quick_system(q, start, c);
}
