// velocity_piecewise.c: the equation of velocities.c, followed from piece to piece.
//
//     F(v) = A (v - v_free) - H p(x) = 0,        x = r - rho u(v)
//
// is smooth while every contact keeps its mode: open (x_n <= 0), stick (|x_t| <= mu x_n) or slide. Where friction
// couples to pressure, Newton's direction of a piece may raise |F| as soon as the first contact changes its mode,
// although the equation has a solution: the piece beyond has another direction. So v follows the curve (Katzenelson
// 1965; Fujisawa and Kuh 1972, for piecewise linear equations)
//
//     F(v) = (1 - t) F_0,
//
// along Newton's direction up to the first kink, where one contact takes its next mode, then along the direction of the
// new piece, and so on until a whole step stays in its piece. The curve goes on on the other side of a kink. Where the
// determinants of the two pieces differ in sign, that is backwards: t falls for a while.
//
// x moves along a line with v, so kinks are roots of linear and quadratic functions. Within a piece F is not quite
// linear, because directions of sliding turn: where |F| does not fall as it should, the way is cut short within the
// piece.
//
// What is proved: nothing. |F| is measured, and v is put back where the curve does not lead down within EVENTS kinks,
// or turns back more often than BACKS times. Cost: one factorization for each kink.
#include <math.h>
#include <string.h>

#include "contact/velocities.h"

enum {
    EVENTS = 12,
    BACKS = 3,
    CUTS = 8,
};
#define SOON 1e-3     // of a step: a kink this near is crossed, whatever |F| does
#define FALLS 0.2     // |F| falls by this part of what a linear F would, or the way is cut
#define FARTHEST 1e6  // steps
#define ENOUGH 0.9    // of |F|^2, over all
#define NEAR 1e-9     // of a step: a root this far behind is here

typedef sti_contact_velocities task;

// Where x + t dx, t >= 0, leaves its mode, and for which. INFINITY: nowhere.
static double kink(int d, double mu, sti_piece how, const double* x, const double* dx, sti_piece* next) {
    double first = INFINITY;
    if (how == STI_PIECE_OPEN) {
        *next = STI_PIECE_SLIDE;
        return dx[0] > 0 ? fmax(-x[0] / dx[0], 0) : INFINITY;
    }
    if (how == STI_PIECE_SLIDE && dx[0] < 0) {
        first = fmax(-x[0] / dx[0], 0);
        *next = STI_PIECE_OPEN;
    }
    if (!(mu > 0)) return first;
    double a = mu * mu * dx[0] * dx[0], b = mu * mu * x[0] * dx[0], c = mu * mu * x[0] * x[0];
    for (int e = 1; e < d; e++) {  // a t^2 + 2 b t + c: (mu x_n)^2 - |x_t|^2, positive where the contact sticks
        a -= dx[e] * dx[e];
        b -= x[e] * dx[e];
        c -= x[e] * x[e];
    }
    const double under = b * b - a * c;
    if (under < 0) return first;
    const double q = b >= 0 ? -(b + sqrt(under)) : sqrt(under) - b;
    const double root[2] = {a != 0 ? q / a : INFINITY, q != 0 ? c / q : INFINITY};
    for (int j = 0; j < 2; j++) {
        const double t = root[j], slope = a * t + b;
        const bool leaves = how == STI_PIECE_STICK ? slope < 0 : slope > 0;
        if (!(t >= -NEAR && t < first) || !leaves || x[0] + t * dx[0] < 0) continue;
        first = fmax(t, 0);
        *next = how == STI_PIECE_STICK ? STI_PIECE_SLIDE : STI_PIECE_STICK;
    }
    return first;
}

// On a kink between two modes: does dx lead into `how`?
static bool enters(int d, double mu, sti_piece how, sti_piece from, const double* x, const double* dx) {
    if (how == STI_PIECE_OPEN) return dx[0] < 0;
    if (from == STI_PIECE_OPEN) return dx[0] > 0;
    double slope = mu * mu * x[0] * dx[0];
    for (int e = 1; e < d; e++) slope -= x[e] * dx[e];
    return how == STI_PIECE_STICK ? slope > 0 : slope < 0;
}

// dx that belongs to k->step
static void moves(const task* k, double* dx) {
    const int d = k->d;
    sti_contact_velocities_relative(k, k->step, dx);
    for (int i = 0; i < k->count; i++) {
        for (int e = i * d; e < i * d + d; e++) dx[e] = k->kappa * k->rho[i] * (k->w[e] - dx[e]);
    }
}

typedef struct crossing {
    int contact;  // -1: none
    sti_piece from, to;
    double at;  // of a step
} crossing;

// The first kink along dx. last: the one that x is on.
static crossing next_kink(const task* k, const double* dx, const crossing* last, double most) {
    const int d = k->d;
    crossing found = {.contact = -1, .at = most};
    for (int i = 0; i < k->count; i++) {
        const sti_piece how = (sti_piece)k->mode[i];
        sti_piece next = how;
        const double at = kink(d, k->mu[i], how, k->x + (size_t)(i * d), dx + (size_t)(i * d), &next);
        if (!(at < found.at) || (i == last->contact && at <= NEAR)) continue;
        found = (crossing){.contact = i, .from = how, .to = next, .at = at};
    }
    return found;
}

// Along k->step; *cut: not as far as found->at. F, x and merit are those of the new v; modes stay, but for a whole
// step.
static void go(task* k, const crossing* found, bool back, double* merit, double* size, bool* cut) {
    const size_t n = (size_t)(k->bodies * k->nv);
    const double before = *merit;
    double at = found->at;
    memcpy(k->mode_factored, k->mode, (size_t)k->count);
    *cut = false;
    for (int i = 0;; i++) {
        for (size_t e = 0; e < n; e++) k->trial[e] = k->v[e] + at * k->step[e];
        *merit = sti_contact_velocities_evaluate(k, k->trial, size);
        const double wanted = (1 - FALLS * at) * (1 - FALLS * at) * before;
        if (back || at < SOON || *merit <= wanted || i == CUTS) break;
        at /= 3;
        *cut = true;
    }
    memcpy(k->v, k->trial, n * sizeof *k->v);
    if (found->contact >= 0 || *cut) memcpy(k->mode, k->mode_factored, (size_t)k->count);
}

// True: down to a smaller |F|.
static bool follow(task* k, double* merit, double* size) {
    const double start = *merit;
    double* dx = k->aim;
    crossing last = {.contact = -1};
    for (int event = 0, backs = 0; event < EVENTS && backs <= BACKS; event++) {
        if (sti_contact_velocities_spent(k)) return false;
        if (!sti_contact_velocities_factor(k, false)) return false;
        sti_contact_velocities_direction(k);
        moves(k, dx);
        const int c = last.contact;
        const bool back =
            c >= 0 && !enters(k->d, k->mu[c], last.to, last.from, k->x + (size_t)(c * k->d), dx + (size_t)(c * k->d));
        for (int e = 0; e < k->bodies * k->nv && back; e++) k->step[e] = -k->step[e];
        for (int e = 0; e < k->count * k->d && back; e++) dx[e] = -dx[e];
        backs += back;
        const crossing found = next_kink(k, dx, &last, back ? FARTHEST : 1);
        if (!(found.at < FARTHEST)) return false;
        bool cut;
        go(k, &found, back, merit, size, &cut);
        if (!isfinite(*merit)) return false;
        last = (crossing){.contact = -1};
        if (cut) continue;
        if (found.contact < 0) return *merit < ENOUGH * start;
        k->mode[found.contact] = (unsigned char)found.to;
        last = found;
    }
    return false;
}

bool sti_contact_velocities_cross(task* k, double* merit, double* size) {
    const size_t n = (size_t)(k->bodies * k->nv);
    memcpy(k->kept, k->v, n * sizeof *k->v);
    if (follow(k, merit, size)) return true;
    memcpy(k->v, k->kept, n * sizeof *k->v);
    *merit = sti_contact_velocities_evaluate(k, k->v, size);
    return false;
}
