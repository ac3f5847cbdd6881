// one_contact.c: one contact alone, solved exactly.
//
//     u = A r + b,   0 <= u_n _|_ r_n >= 0,   |r_t| <= mu r_n,   u_t = -k r_t,   k >= 0,   k > 0 only if |r_t| = mu r_n
//
// b_n >= 0: r = 0, the contact separates or grazes. Otherwise u_n = 0, which gives r_n = beta - alpha'r_t and
//
//     u_t = S r_t + c,   S = A_tt - A_tn alpha',   c = b_t + A_tn beta,   beta = -b_n / A_nn > 0,  alpha = A_nt / A_nn,
//
// so for every k >= 0 the force r_t(k) = -(S + k I)^-1 c slides with that k, and the one sought makes
//
//     psi(k) = mu r_n(k) / |r_t(k)| - 1
//
// zero. psi(0) >= 0: sticking. Otherwise psi(0) < 0, and psi grows like k for large k: there is a root, and with
// lambda_1 >= lambda_2 >= 0 the eigenvalues of the symmetric part of S and sigma its skew part it lies in
//
//     |c| (1/mu - |alpha|) / beta - lambda_1 - |sigma|   <=   k   <=   |c| (1/mu + |alpha|) / beta - lambda_2.      (1)
//
// In this form psi is a straight line in k whenever S is a multiple of I or c an eigenvector of S (so always in the
// plane, where the root is written down), and close to one otherwise: Newton's method from the root of that line, or
// from the last answer of the same block, held inside (1), takes two to four steps. It is the quartic of Bonnefon &
// Daviet (2011) without its coefficients: no root is lost to their rounding, and a singular or badly conditioned S
// needs no case of its own (k > 0 regularizes it).
//
// A should be symmetric and semidefinite, but the blocks of real files are symmetric only to three digits, and a method
// that is to reach a residual of 1e-8 has to solve the block it was given. In the eigenbasis of its symmetric part
//
//     S = [ lambda_1  sigma ; -sigma  lambda_2 ],       det(S + k I) = (lambda_1 + k)(lambda_2 + k) + sigma^2,
//
// where nothing cancels.
//
// Accuracy. For every k the equations u_n = 0, u_t = -k r_t hold to rounding; all that an inexact k spoils is the
// length of r_t against mu r_n, so psi is the error, and the iteration stops when psi is at its own rounding. The
// last step sets r_n = |r_t| / mu rather than the other way round: r_n is the difference of beta and alpha'r_t, and
// carries their rounding.
//
// No solution. S singular with c outside its range, and psi > 0 for all k > 0: a contact that jams (a Painleve
// paradox). Then c is cut to the range of S, which gives a bounded force; the residual of the caller tells.
#include <float.h>
#include <math.h>

#include "contact/contact.h"

enum { STEP_LIMIT = 100, SCAN_LIMIT = 60 };

// Beyond these A or b is brought near 1 by a power of two, so that no product below leaves the range of doubles.
#define SMALL 0x1p-100
#define LARGE 0x1p+100
// A normal velocity so far below the tangential one moves no digit of the answer: it counts as zero.
#define GRAZING 0x1p-56

static double power_of_two_near(double x) {
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, exponent);
}

// Eigenvalues and first eigenvector of the symmetric matrix [s11 s12; s12 s22].
static void eigen_2x2(double s11, double s12, double s22, double* lambda, double* axis) {
    const double half = 0.5 * (s11 - s22), root = sqrt(half * half + s12 * s12), mean = 0.5 * (s11 + s22);
    lambda[0] = mean + root;
    // the small one from the determinant: no cancellation when it is far below the large one
    lambda[1] = lambda[0] > 0 ? (s11 * s22 - s12 * s12) / lambda[0] : 0;
    const double x = half >= 0 ? half + root : s12, y = half >= 0 ? s12 : root - half;
    const double norm = sqrt(x * x + y * y);
    axis[0] = norm > 0 ? x / norm : 1;
    axis[1] = norm > 0 ? y / norm : 0;
}

static void to_eigenbasis(const double* axis, double x, double y, double* out) {
    out[0] = axis[0] * x + axis[1] * y;
    out[1] = axis[0] * y - axis[1] * x;
}

void sti_contact_block_prepare(int d, double mu, const double* A, sti_contact_block* block) {
    double trace = 0;
    for (int i = 0; i < d; i++) trace += fabs(A[i * (d + 1)]);
    *block = (sti_contact_block){.m = d - 1, .mu = mu < SMALL ? 0 : fmin(mu, LARGE), .unit = 1, .axis = {1, 0}};
    if (trace > 0 && trace <= DBL_MAX && !(trace >= SMALL && trace <= LARGE)) block->unit = power_of_two_near(trace);
    const double unit = block->unit, ann = A[0] / unit;
    if (!(ann > 0)) return;
    block->inverse = 1 / ann;

    const double noise = 8 * DBL_EPSILON * ((A[d + 1] + (d == 3 ? A[8] : 0)) / unit);  // what rounding leaves of S = 0
    double* lambda = block->lambda;
    if (d == 3) {
        const double column[2] = {A[3] / unit / ann, A[6] / unit / ann}, row[2] = {A[1] / unit, A[2] / unit};
        const double s12 = A[5] / unit - column[0] * row[1], s21 = A[7] / unit - column[1] * row[0];
        eigen_2x2(A[4] / unit - column[0] * row[0], 0.5 * (s12 + s21), A[8] / unit - column[1] * row[1], lambda,
                  block->axis);
        block->sigma = fabs(s12 - s21) > 2 * noise ? 0.5 * (s12 - s21) : 0;
        to_eigenbasis(block->axis, column[0], column[1], block->column);
        to_eigenbasis(block->axis, row[0] / ann, row[1] / ann, block->row);
    } else {
        block->column[0] = A[2] / unit / ann;
        block->row[0] = A[1] / unit / ann;
        lambda[0] = A[3] / unit - block->column[0] * (A[1] / unit);
        lambda[1] = 1;  // a direction in which nothing happens
    }
    for (int i = 0; i < block->m; i++) lambda[i] = lambda[i] > noise ? lambda[i] : 0;
    const double det = lambda[0] * lambda[1] + block->sigma * block->sigma;
    block->pivot = det > 0 ? 1 / det : 0;
}

// The contact in the eigenbasis of S.
typedef struct slide {
    sti_contact_block* A;
    double beta;
    double c[2];
    double rt[2];
} slide;

// S singular and c in its range but for rounding: nothing pulls in that direction.
static void drop_noise(slide* s, double bn, const double* bt) {
    const sti_contact_block* A = s->A;
    const double size = fabs(bt[0]) + fabs(bt[1]) - (fabs(A->column[0]) + fabs(A->column[1])) * bn;
    for (int i = 0; i < A->m; i++) {
        if (A->lambda[i] == 0 && fabs(s->c[i]) <= 16 * DBL_EPSILON * size) s->c[i] = 0;
    }
}

// r_t that makes u_t = 0; false when there is none in the cone.
static bool stick(slide* s, double* rn) {
    const sti_contact_block* A = s->A;
    const double *l = A->lambda, *c = s->c;
    if (A->pivot > 0) {
        s->rt[0] = -(l[1] * c[0] - A->sigma * c[1]) * A->pivot;
        s->rt[1] = -(l[0] * c[1] + A->sigma * c[0]) * A->pivot;
    } else {
        if (c[1] != 0 || (l[0] == 0 && c[0] != 0)) return false;
        s->rt[0] = l[0] > 0 ? -c[0] / l[0] : 0;
        s->rt[1] = 0;
    }
    *rn = s->beta - (A->row[0] * s->rt[0] + A->row[1] * s->rt[1]);
    const double reach = A->mu * *rn;
    return *rn >= 0 && s->rt[0] * s->rt[0] + s->rt[1] * s->rt[1] <= reach * reach;
}

typedef struct curve_point {
    double gap;    // mu r_n - |r_t|: psi times |r_t|
    double step;   // psi / psi'
    double noise;  // rounding of gap
} curve_point;

static curve_point curve(slide* s, double k) {
    const sti_contact_block* A = s->A;
    const double e0 = A->lambda[0] + k, e1 = A->lambda[1] + k, pivot = 1 / (e0 * e1 + A->sigma * A->sigma);
    const double r0 = -(e1 * s->c[0] - A->sigma * s->c[1]) * pivot, r1 = -(e0 * s->c[1] + A->sigma * s->c[0]) * pivot;
    const double w0 = (e1 * r0 - A->sigma * r1) * pivot, w1 = (e0 * r1 + A->sigma * r0) * pivot;  // -r_t'(k)
    const double norm2 = r0 * r0 + r1 * r1, norm = sqrt(norm2);
    const double bend0 = A->row[0] * r0, bend1 = A->row[1] * r1, rn = s->beta - (bend0 + bend1);
    const double drn = A->row[0] * w0 + A->row[1] * w1, stiff = r0 * w0 + r1 * w1;  // r_n'(k), -|r_t| |r_t|'(k)
    s->rt[0] = r0;
    s->rt[1] = r1;
    const double gap = A->mu * rn - norm;
    return (curve_point){.gap = gap,
                         .step = gap * norm2 / (A->mu * (drn * norm2 + rn * stiff)),
                         .noise = 4 * DBL_EPSILON * (A->mu * (s->beta + fabs(bend0) + fabs(bend1)) + norm)};
}

// S singular and psi > 0 near k = 0: roots come in pairs around a dip of psi, if there is one. Dips are met walking
// from the right, first in steps of 2, then, where psi' changes sign, in halves. Returns a k with psi < 0; 0: there
// is none.
static double scan(slide* s, double high) {
    double right = high;
    for (int i = 0; i < SCAN_LIMIT; i++) {
        double left = 0.5 * right, end = right;
        const curve_point p = curve(s, left);
        if (p.gap < 0) return left;
        for (int j = 0; p.step < 0 && curve(s, end).step > 0 && j < SCAN_LIMIT; j++) {
            const double middle = 0.5 * (left + end);
            const curve_point q = curve(s, middle);
            if (q.gap < 0) return middle;
            if (middle <= left || middle >= end) break;
            if (q.step < 0)
                left = middle;
            else
                end = middle;
        }
        right *= 0.5;
    }
    return 0;
}

// Root of psi in [low, high] from k; r_t at the root.
static void newton(slide* s, double low, double k, double high) {
    for (int i = 0; i < STEP_LIMIT; i++) {
        const curve_point p = curve(s, k);
        s->A->pace = k;
        if (fabs(p.gap) <= p.noise) return;
        if (p.gap < 0)
            low = k;
        else
            high = k;
        double next = k - p.step;
        if (!(next > low && next < high)) {  // halved, in exponents while it spans many
            const double base = fmax(low, 0x1p-40 * high);
            next = high > 4 * base ? sqrt(base * high) : 0.5 * (low + high);
        }
        if (next == k || !(low < high)) return;
        k = next;
    }
}

// psi(0) < 0 (or S singular): r_t on the cone. False when no k > 0 does it.
static bool slide_on_cone(slide* s) {
    const sti_contact_block* A = s->A;
    if (A->m == 1) {  // |r_t| = mu (beta + alpha sign(c) |r_t|)
        const double rest = 1 - A->mu * copysign(A->row[0], A->row[0] * s->c[0]);
        s->rt[0] = copysign(A->mu * s->beta / rest, -s->c[0]);
        return rest > 0;
    }
    const double c2 = s->c[0] * s->c[0] + s->c[1] * s->c[1], size = sqrt(c2);
    const double alpha = sqrt(A->row[0] * A->row[0] + A->row[1] * A->row[1]);
    const double along = (A->row[0] * s->c[0] + A->row[1] * s->c[1]) / size;
    const double pace = size / s->beta, reach = 1 / A->mu;
    const double high = (1 + 4 * DBL_EPSILON) * (pace * (reach + alpha)) - A->lambda[1];
    double low = fmax((1 - 4 * DBL_EPSILON) * (pace * (reach - alpha)) - A->lambda[0] - fabs(A->sigma), 0);
    const bool flat = A->lambda[0] == 0;  // S = 0: psi is a line
    if (A->pivot == 0 && (flat || s->c[1] != 0)) {
        const double pull = flat ? along : copysign(A->row[1], A->row[1] * s->c[1]);  // psi(0+) = mu pull - 1
        if (A->mu * pull >= 1) {
            low = flat ? 0 : scan(s, high);
            if (low == 0) return false;
        }
    }
    double guess = A->pace;
    if (guess == 0) {
        const double mean = (A->lambda[0] * s->c[0] * s->c[0] + A->lambda[1] * s->c[1] * s->c[1]) / c2;
        guess = pace * (reach - along) - mean;
    }
    newton(s, low, guess > low && guess < high ? guess : 0.5 * (low + high), high);
    return true;
}

static sti_contact_mode solve(sti_contact_block* A, double bn, const double* bt, double* r) {
    slide s = {.A = A, .beta = -bn * A->inverse};
    to_eigenbasis(A->axis, bt[0], bt[1], s.c);
    for (int i = 0; i < A->m; i++) s.c[i] -= A->column[i] * bn;
    if (A->pivot == 0) drop_noise(&s, bn, bt);
    sti_contact_mode mode = STI_MODE_STICK;
    if (!stick(&s, &r[0])) {
        bool slides = slide_on_cone(&s);
        if (!slides) {  // jams: the part of c outside the range of S is left unanswered
            for (int i = 0; i < A->m; i++) s.c[i] = A->lambda[i] > 0 ? s.c[i] : 0;
            slides = !stick(&s, &r[0]) && slide_on_cone(&s);
        }
        if (slides) {
            mode = STI_MODE_SLIDE;
            r[0] = sqrt(s.rt[0] * s.rt[0] + s.rt[1] * s.rt[1]) / A->mu;
        }
    }
    r[1] = A->axis[0] * s.rt[0] - A->axis[1] * s.rt[1];
    if (A->m == 2) r[2] = A->axis[1] * s.rt[0] + A->axis[0] * s.rt[1];
    return mode;
}

sti_contact_mode sti_contact_block_solve(sti_contact_block* block, const double* b, double* r) {
    const int m = block->m;
    for (int i = 0; i <= m; i++) r[i] = 0;
    if (b[0] >= 0 || block->inverse == 0) return STI_MODE_SEPARATE;
    if (block->mu == 0) {
        r[0] = -(b[0] * block->inverse) / block->unit;
        return STI_MODE_SLIDE;
    }
    double bt[2] = {b[1], m == 2 ? b[2] : 0};
    const double slip = fmax(fabs(bt[0]), fabs(bt[1])), size = fmax(-b[0], slip);
    if (-b[0] <= GRAZING * slip) return STI_MODE_SEPARATE;
    if (block->unit == 1 && size >= SMALL && size <= LARGE) return solve(block, b[0], bt, r);

    const double unit = size <= DBL_MAX ? power_of_two_near(size) : 1;
    bt[0] /= unit;
    bt[1] /= unit;
    const sti_contact_mode mode = solve(block, b[0] / unit, bt, r);
    for (int i = 0; i <= m; i++) r[i] = (r[i] * unit) / block->unit;
    return mode;
}

sti_contact_mode sti_contact_solve_one(int d, double mu, const double* A, const double* b, double* r) {
    sti_contact_block block;
    sti_contact_block_prepare(d, mu, A, &block);
    return sti_contact_block_solve(&block, b, r);
}
