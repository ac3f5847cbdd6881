// reach.c: where a push takes a set of poses, whatever opens, sticks or slides on the way, proved.
//
// A tool of one or two tips comes to an edge of a polygon. A state is seen from the edge: s, where along it the first
// tip is; g, the gap of a tip; and by how much the gap of the second is wider (of one tip: the angle of the part). A
// step of S3 (2.4.16), in the axes of the edge (along it and into the part, origin at that of the part), with w the way
// of the tool, u the motion of the part:
//
//     E u = sum W_n lambda_n + W_t lambda_t      W_n = (0, 1, a_e + s)     W_t = (-1, 0, a_m - g)
//     0 <= g + u_m + (a_e + s) u_th - w_m  _|_  lambda_n >= 0              slip = -u_e + (a_m - g) u_th + w_e
//     (s', -g') = R(-u_th) ((s, -g) + a - u + w) - a
//
// The set before a step is a box in these coordinates, one for each set of tips that were closed last. For every
// combination of tips that are closed and ways in which they slide the step is solved in affine forms (affine.h) over
// the box. What such a solution needs (forces that press and stay in the cone, gaps that do not close, slip in its
// direction) cuts the box first, or empties it. The next box holds what all combinations lead to. So the members need
// not agree on modes: some may be touched, others not yet. Where both tips are closed the edge lies along the tool, and
// what was doubted about the angle is gone: that is why sets may shrink.
//
// Two tips that stick to one edge: their slips differ by (g_2 - g_1)^2 / |s_2 - s_1| at most, because both gaps close
// in the step. Unless both slide the same way the slip is within that, and u follows from the gaps alone; its forces
// are not determined, but their sums are, and these have to fit.
//
// There is a solution: normals of one edge are the same, so the cone of friction is pointed (theorem 2.4.1). It is one
// of the whole scene because all else is shown to stay open (reach_apart.c), and the scene has no others, in which
// something else presses (reach_rivals.c).
#include "verify/reach.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool sti_reach_fail(reach* r, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->out->text, sizeof r->out->text, format, arguments);
    va_end(arguments);
    return false;
}

// ---- the set in coordinates of the edge

// What follows from s, a gap (of the tip `base`) and the difference of both gaps, or the angle, alone.
static bool settle_state(reach* r, int base, const double* low, const double* high, reach_state* x) {
    x->g[0] = between(AT_GAP, low[AT_GAP], high[AT_GAP]);
    x->mu = between(AT_MU, low[AT_MU], high[AT_MU]);
    if (r->tips == 1) {
        num c, s;
        x->theta = between(AT_SECOND, low[AT_SECOND], high[AT_SECOND]);
        sti_affine_turn(&r->k, &x->theta, &c, &s);
        x->cosine = minus(r, times(r, c, r->ex), times(r, s, r->ey));
        x->sine = plus(r, times(r, s, r->ex), times(r, c, r->ey));
    } else {
        // the gap of one tip, and by how much that of the second is wider: where the angle is known, so is this
        const num wider = between(AT_SECOND, low[AT_SECOND], high[AT_SECOND]), gap = x->g[0];
        x->g[0] = base == 0 ? gap : minus(r, gap, wider);
        x->g[1] = base == 0 ? plus(r, gap, wider) : gap;
        x->dm = scaled(r, wider, -1);
        const num rest = minus(r, r->square, times(r, x->dm, x->dm));
        x->de = scaled(r, sti_affine_sqrt(&r->k, &rest), r->sign);
        const num c = plus(r, times(r, x->de, r->apart.x), times(r, x->dm, r->apart.y));
        const num s = minus(r, times(r, x->de, r->apart.y), times(r, x->dm, r->apart.x));
        x->cosine = sti_affine_div(&r->k, &c, &r->square);
        x->sine = sti_affine_div(&r->k, &s, &r->square);
    }
    x->off = plus(r, times(r, x->cosine, between(AT_TOOL_X, -r->course->tip, r->course->tip)),
                  times(r, x->sine, between(AT_TOOL_Y, -r->course->tip, r->course->tip)));
    x->s[0] = plus(r, between(AT_S, low[AT_S], high[AT_S]), x->off);
    if (r->tips == 2) x->s[1] = plus(r, x->s[0], x->de);
    x->we = plus(r, times(r, x->cosine, r->way.x), times(r, x->sine, r->way.y));
    x->wm = minus(r, times(r, x->cosine, r->way.y), times(r, x->sine, r->way.x));
    if (!r->fixed) {
        memcpy(x->E, r->E, sizeof x->E);
    } else {
        const num T[9] = {x->cosine, x->sine,   number(0), scaled(r, x->sine, -1), x->cosine, number(0),
                          number(0), number(0), number(1)};
        for (int i = 0; i < 9; i++) {
            x->E[i] = number(0);
            for (int a = 0; a < 9; a++)
                x->E[i] = plus(r, x->E[i], times(r, times(r, T[3 * (i / 3) + a / 3], T[3 * (i % 3) + a % 3]), r->E[a]));
        }
    }
    return !r->k.bad;
}

// ---- one way in which a step may go

typedef struct way {
    int closed;          // bit of each tip
    sti_push_mode mode;  // of all that are closed; stick of two: whatever is not both slide the same way
} way;

static const way WAYS[] = {{0, STI_PUSH_OPEN},        {1, STI_PUSH_STICK}, {1, STI_PUSH_SLIDE_LEFT},
                           {1, STI_PUSH_SLIDE_RIGHT}, {2, STI_PUSH_STICK}, {2, STI_PUSH_SLIDE_LEFT},
                           {2, STI_PUSH_SLIDE_RIGHT}, {3, STI_PUSH_STICK}, {3, STI_PUSH_SLIDE_LEFT},
                           {3, STI_PUSH_SLIDE_RIGHT}};

typedef struct trial {
    num u[3];
    num slip;                    // of the first tip
    double slip_low, slip_high;  // what the way says about it
    num gap[2];                  // linearized, at the end; 0 where closed
    num needs[10];               // not below 0 in this way
    int need_count;
} trial;

static void need(trial* y, num x) {
    y->needs[y->need_count++] = x;
}

static void wrenches(const reach* r, const reach_state* x, int tip, num n[3], num t[3]) {
    n[0] = number(0);
    n[1] = number(1);
    n[2] = plus(r, r->start.x, x->s[tip]);
    t[0] = number(-1);
    t[1] = number(0);
    t[2] = minus(r, r->start.y, x->g[tip]);
}

static num dot(const reach* r, const num a[3], const num b[3]) {
    return plus(r, plus(r, times(r, a[0], b[0]), times(r, a[1], b[1])), times(r, a[2], b[2]));
}

static num gap_after(const reach* r, const reach_state* x, int tip, const num u[3]) {
    num n[3], t[3];
    wrenches(r, x, tip, n, t);
    return plus(r, minus(r, x->g[tip], x->wm), dot(r, n, u));
}

static num slip_after(const reach* r, const reach_state* x, int tip, const num u[3]) {
    num n[3], t[3];
    wrenches(r, x, tip, n, t);
    return plus(r, x->we, dot(r, t, u));
}

enum { MOST = 5 };

static const double FINE = 0.15;    // of a step: gaps in a cell that is not halved any more, up or down
static const double FINEST = 3e-3;  // nor when they are so small a part of the size of the part

// Two tips that press, in the cone: what their sums say.
static void need_pressure(const reach* r, const reach_state* x, trial* y) {
    num F[3];
    for (int i = 0; i < 3; i++) F[i] = dot(r, x->E + 3 * i, y->u);
    const num rub = scaled(r, F[0], -1), most_rub = times(r, x->mu, F[1]);
    need(y, F[1]);
    need(y, minus(r, most_rub, rub));
    need(y, plus(r, most_rub, rub));
    // moment about the foot of either tip, by what the gaps may add
    const double lever = fmax(magnitude(r, x->g[0]), magnitude(r, x->g[1])), more = lever * magnitude(r, most_rub);
    const num moment = minus(r, F[2], times(r, r->start.y, rub));
    for (int tip = 0; tip < 2; tip++) {
        const num arm = plus(r, r->start.x, x->s[1 - tip]);
        // the other tip has no arm: (s_tip - s_other) lambda_tip = moment - arm F_m, up to `more`
        num press = scaled(r, minus(r, moment, times(r, arm, F[1])), tip == 0 ? -r->sign : r->sign);
        press.r += more * (1 + 1e-12);
        need(y, press);
    }
}

// One tip closed: forces in balance.
static bool press_one(reach* r, const reach_state* x, way v, trial* y) {
    const int tip = v.closed == 2, order = v.mode == STI_PUSH_STICK ? 5 : 4;
    const int width = order + 1;
    num K[MOST * (MOST + 1)], n[3], t[3];
    bool done[MOST] = {false};
    wrenches(r, x, tip, n, t);
    for (int i = 0; i < order * width; i++) K[i] = number(0);
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) K[i * width + j] = x->E[3 * i + j];
        num load = n[j];
        if (v.mode == STI_PUSH_SLIDE_LEFT) load = minus(r, load, times(r, x->mu, t[j]));
        if (v.mode == STI_PUSH_SLIDE_RIGHT) load = plus(r, load, times(r, x->mu, t[j]));
        K[j * width + 3] = scaled(r, load, -1);
        K[3 * width + j] = n[j];
        if (order == 5) K[j * width + 4] = scaled(r, t[j], -1), K[4 * width + j] = t[j];
    }
    K[3 * width + order] = minus(r, x->wm, x->g[tip]);
    if (order == 5) K[4 * width + order] = scaled(r, x->we, -1);
    if (!sti_affine_solve(&r->k, K, order, width, done)) return false;
    for (int j = 0; j < 3; j++) y->u[j] = K[j * width + order];
    const num press = K[3 * width + order], friction = order == 5 ? K[4 * width + order] : number(0);
    need(y, press);
    num slip = number(0);
    if (order == 5) {
        const num most = times(r, x->mu, press);
        need(y, minus(r, most, friction));
        need(y, plus(r, most, friction));
    } else {
        slip = slip_after(r, x, tip, y->u);
        need(y, scaled(r, slip, v.mode == STI_PUSH_SLIDE_LEFT ? 1 : -1));
    }
    y->slip = slip;
    if (tip == 1) {  // the slips differ by the turn
        const num more = scaled(r, times(r, x->dm, y->u[2]), -1);
        y->slip = plus(r, slip, more);
    } else {
        y->slip_low = v.mode == STI_PUSH_SLIDE_RIGHT ? -INFINITY : 0;
        y->slip_high = v.mode == STI_PUSH_SLIDE_LEFT ? INFINITY : 0;
    }
    return true;
}

// Both closed: the gaps tell how the part turns and comes forward, friction or a slip within the slack how it goes
// sideways.
static bool press_both(reach* r, reach_state* x, way v, trial* y) {
    const double most = magnitude(r, x->dm), least = r->sign > 0 ? low_of(r, x->de) : -high_of(r, x->de);
    if (!(least > 0)) return false;
    const double slack = most * most / least * (1 + 1e-12);
    const num turn = sti_affine_div(&r->k, &x->dm, &x->de), lever = minus(r, r->start.y, x->g[0]);
    y->u[2] = turn;
    y->u[1] = minus(r, minus(r, x->wm, x->g[0]), times(r, plus(r, r->start.x, x->s[0]), turn));
    if (v.mode == STI_PUSH_STICK) {
        y->slip = between(AT_SLIP, -slack, slack);
        y->u[0] = minus(r, plus(r, x->we, times(r, lever, turn)), y->slip);
    } else {
        // (E u)_e = mu (E u)_m where it slides+, -mu where it slides-
        const num mu = scaled(r, x->mu, v.mode == STI_PUSH_SLIDE_LEFT ? 1 : -1);
        num row[3];
        for (int j = 0; j < 3; j++) row[j] = minus(r, x->E[j], times(r, mu, x->E[3 + j]));
        const num rest = plus(r, times(r, row[1], y->u[1]), times(r, row[2], turn));
        y->u[0] = scaled(r, sti_affine_div(&r->k, &rest, &row[0]), -1);
        y->slip = minus(r, plus(r, x->we, times(r, lever, turn)), y->u[0]);
        y->slip_low = v.mode == STI_PUSH_SLIDE_LEFT ? 0 : -INFINITY;
        y->slip_high = v.mode == STI_PUSH_SLIDE_LEFT ? INFINITY : 0;
        need(y, scaled(r, y->slip, v.mode == STI_PUSH_SLIDE_LEFT ? 1 : -1));
    }
    need_pressure(r, x, y);
    return true;
}

static bool attempt(reach* r, reach_state* x, way v, trial* y) {
    bool good = true;
    *y = (trial){.slip_low = -INFINITY, .slip_high = INFINITY};
    if (v.closed == 3) {
        good = press_both(r, x, v, y);
    } else if (v.closed != 0) {
        good = press_one(r, x, v, y);
    } else {
        y->slip = x->we;
    }
    for (int tip = 0; good && tip < r->tips; tip++) {
        if ((v.closed & (1 << tip)) != 0) continue;
        y->gap[tip] = gap_after(r, x, tip, y->u);
        need(y, y->gap[tip]);
    }
    return good && !r->k.bad;
}

// The part of the cell in which all needs may be met. false: none.
static bool cut(const reach* r, const trial* y, double* low, double* high, bool* smaller) {
    double to_low[5], to_high[5];
    *smaller = false;
    memcpy(to_low, low, sizeof to_low);
    memcpy(to_high, high, sizeof to_high);
    for (int k = 0; k < y->need_count; k++) {
        const num* f = &y->needs[k];
        const double most = high_of(r, *f);
        if (most < 0) return false;
        for (int i = AT_S; i <= AT_MU; i++) {
            const double a = fabs(f->a[i]), width = high[i] - low[i];
            if (!(a > 0) || !(width > 0) || most >= 2 * a) continue;
            // f >= 0 with all else at its best: e_i >= 1 - most / a towards the better end
            const double share = fmin(1, (most + 1e-13 * a) / (2 * a)) * width * (1 + 1e-12) + 1e-300;
            if (f->a[i] > 0)
                to_low[i] = fmax(to_low[i], high[i] - share);
            else
                to_high[i] = fmin(to_high[i], low[i] + share);
        }
    }
    for (int i = AT_S; i <= AT_MU; i++) {
        if (!(to_low[i] <= to_high[i])) return false;
        *smaller = *smaller || to_high[i] - to_low[i] < 0.9 * (high[i] - low[i]);
        low[i] = to_low[i];
        high[i] = to_high[i];
    }
    return true;
}

// ---- a step of the whole set

// What the part does in the step.
typedef struct motions {
    double low[3], high[3];
} motions;

static void widen(const reach* r, num x, double* low, double* high) {
    *low = fmin(*low, low_of(r, x));
    *high = fmax(*high, high_of(r, x));
}

// Where the state comes to, seen from the edge: s' = s + slip and g' = gap, up to second order in the turn, with X, Y
// the vector from the origin of the part to the tip after the step, in the old axes:
//     s' = s + slip + (sin - u_th) (a_m - g) + sin (Y - a_m + g) - (1 - cos) X
//     g' = gap      + (sin - u_th) (a_e + s) + sin (X - a_e - s) + (1 - cos) Y
static bool move_on(reach* r, const reach_state* x, const trial* y, reach_box* next, motions* all) {
    const num* u = y->u;
    const double turn = magnitude(r, u[2]), third = turn * turn * turn / 6 * (1 + 1e-12), half = turn * turn / 4;
    num versine = number(half), sine = u[2], rest = number(0);
    versine.r = half * (1 + 1e-12);
    rest.r = third;
    sine.r += third;
    const int base = r->tips == 2 && next == &r->next[2];
    num gap[2], more[2];
    for (int tip = 0; tip < r->tips; tip++) {
        const num dx = minus(r, x->we, u[0]), dy = minus(r, minus(r, x->wm, u[1]), number(r->radius));
        const num from = plus(r, r->start.x, x->s[tip]), deep = minus(r, r->start.y, x->g[tip]);
        more[tip] = plus(r, plus(r, times(r, rest, from), times(r, sine, dx)), times(r, versine, plus(r, deep, dy)));
        gap[tip] = plus(r, y->gap[tip], more[tip]);
        if (tip == 1) continue;
        const num side =
            minus(r, plus(r, times(r, rest, deep), times(r, sine, dy)), times(r, versine, plus(r, from, dx)));
        // what the tool is off stays the same in the world, and turns with the edge
        num old = minus(r, plus(r, x->s[0], side), x->off);
        old.r += turn * hypot(r->course->tip, r->course->tip) * (1 + 1e-12);
        const num s = plus(r, old, y->slip);
        next->low[AT_S] = fmin(next->low[AT_S], fmax(low_of(r, s), low_of(r, old) + y->slip_low));
        next->high[AT_S] = fmax(next->high[AT_S], fmin(high_of(r, s), high_of(r, old) + y->slip_high));
    }
    // a gap that stays open is not negative
    next->low[AT_GAP] = fmin(next->low[AT_GAP], fmax(low_of(r, gap[base]), low_of(r, more[base])));
    next->high[AT_GAP] = fmax(next->high[AT_GAP], high_of(r, gap[base]));
    if (r->tips == 2) {
        const num wider = next == &r->next[0] ? scaled(r, x->dm, -1) : minus(r, gap[1], gap[0]);
        const num border = minus(r, more[1], more[0]);
        double low = low_of(r, wider), high = high_of(r, wider);
        if (next == &r->next[1]) low = fmax(low, low_of(r, border));
        if (next == &r->next[2]) high = fmin(high, high_of(r, border));
        next->low[AT_SECOND] = fmin(next->low[AT_SECOND], low);
        next->high[AT_SECOND] = fmax(next->high[AT_SECOND], high);
    }
    if (r->tips == 1) widen(r, plus(r, x->theta, u[2]), &next->low[AT_SECOND], &next->high[AT_SECOND]);
    for (int i = 0; i < 3; i++) widen(r, u[i], &all->low[i], &all->high[i]);
    next->any = true;
    return !r->k.bad;
}

// One way over a cell; a cell with wide gaps of tips that are closed is halved: what is needed of them cuts small cells
// better.
static bool follow(reach* r, way v, int base, const double* from, const double* to, long step, motions* all) {
    enum { ROUNDS = 4 };
    double low[5], high[5];
    reach_state x;
    trial y;
    memcpy(low, from, sizeof low);
    memcpy(high, to, sizeof high);
    for (int round = 0; round < ROUNDS; round++) {
        bool smaller;
        if (!settle_state(r, base, low, high, &x) || !attempt(r, &x, v, &y))
            return sti_reach_fail(r, "step %ld: the set is too wide for its forces", step);
        if (!cut(r, &y, low, high, &smaller)) return true;
        if (!smaller) break;
    }
    double spread = 0;
    for (int tip = 0; tip < r->tips; tip++) {
        if ((v.closed & (1 << tip)) != 0) spread = fmax(spread, sti_affine_spread(&r->k, &x.g[tip]));
    }
    const bool both = r->tips == 2 && high[AT_SECOND] - low[AT_SECOND] > high[AT_GAP] - low[AT_GAP];
    const int wide = both ? AT_SECOND : AT_GAP;
    if (spread <= fmax(FINE * r->way_size, FINEST * r->part_reach) || !(high[wide] > low[wide]))
        return move_on(r, &x, &y, &r->next[v.closed], all) ? true
                                                           : sti_reach_fail(r, "step %ld: it may turn too far", step);
    const double middle = 0.5 * low[wide] + 0.5 * high[wide], keep = high[wide];
    high[wide] = middle;
    if (!follow(r, v, base, low, high, step, all)) return false;
    low[wide] = middle;
    high[wide] = keep;
    return follow(r, v, base, low, high, step, all);
}

static bool on_edge(reach* r, const reach_state* x, long step) {
    for (int i = 0; i < r->tips; i++) {
        if (!(low_of(r, x->s[i]) > 0) || !(low_of(r, minus(r, r->length, x->s[i])) > 0))
            return sti_reach_fail(r, "step %ld: a tip may leave the edge", step);
    }
    return true;
}

// Those that had the same tips closed in the step before.
static bool step_some(reach* r, int was, long step) {
    const reach_box* b = &r->now[was];
    reach_state x;
    motions all = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    if (!settle_state(r, was == 2, b->low, b->high, &x))
        return sti_reach_fail(r, "step %ld: the set is too wide", step);
    if (!on_edge(r, &x, step)) return false;
    for (size_t i = 0; i < sizeof WAYS / sizeof WAYS[0]; i++) {
        if (WAYS[i].closed < 1 << r->tips && !follow(r, WAYS[i], was == 2, b->low, b->high, step, &all)) return false;
    }
    if (!(all.low[0] <= all.high[0])) return true;  // nobody was there
    num u[3];
    for (int i = 0; i < 3; i++) {
        u[i] = number(0.5 * all.low[i] + 0.5 * all.high[i]);
        u[i].r = fmax(all.high[i] - u[i].c, u[i].c - all.low[i]) * (1 + 0x1p-50) + 1e-290;
    }
    return sti_reach_apart(r, &x, u, step);
}

static bool make_step(reach* r, long step) {
    bool any = false;
    for (int k = 0; k < 4; k++) {
        r->next[k] = (reach_box){0};
        for (int i = AT_S; i <= AT_SECOND; i++) r->next[k].low[i] = INFINITY, r->next[k].high[i] = -INFINITY;
    }
    for (int k = 0; k < 1 << r->tips; k++) {
        if (r->now[k].any && !step_some(r, k, step)) return false;
    }
    for (int k = 0; k < 4; k++) {
        r->next[k].low[AT_MU] = r->mu_low;
        r->next[k].high[AT_MU] = r->mu_high;
        any = any || r->next[k].any;
    }
    memcpy(r->now, r->next, sizeof r->now);
    return any ? true : sti_reach_fail(r, "step %ld: nothing is left of the set", step);
}

// ---- from poses and back

static double middle(double a, double b) {
    return 0.5 * a + 0.5 * b;
}

// The coordinates of the edge over the set of poses before.
static bool enter(reach* r) {
    const sti_pose_set* b = &r->before;
    const num a = between(AT_S, b->low[0], b->high[0]), c = between(AT_GAP, b->low[1], b->high[1]);
    const num theta = between(AT_SECOND, b->low[2], b->high[2]), frame = number(b->angle);
    num fc, fs, tc, ts, s[2], g[2];
    sti_affine_turn(&r->k, &frame, &fc, &fs);
    sti_affine_turn(&r->k, &theta, &tc, &ts);
    const num cosine = minus(r, times(r, tc, r->ex), times(r, ts, r->ey));
    const num sine = plus(r, times(r, ts, r->ex), times(r, tc, r->ey));
    const num px = minus(r, times(r, fc, a), times(r, fs, c)), py = plus(r, times(r, fs, a), times(r, fc, c));
    for (int i = 0; i < r->tips; i++) {
        const num noise_x = between(AT_TOOL_X, -r->course->tip, r->course->tip);
        const num noise_y = between(AT_TOOL_Y, -r->course->tip, r->course->tip);
        num x = minus(r, r->tip.x, px), y = minus(r, r->tip.y, py);
        if (i == 1) x = plus(r, x, r->apart.x), y = plus(r, y, r->apart.y);
        s[i] = minus(r, plus(r, times(r, cosine, x), times(r, sine, y)), r->start.x);
        g[i] = minus(r, r->start.y, plus(r, minus(r, times(r, cosine, y), times(r, sine, x)), number(r->radius)));
        g[i] = minus(r, g[i], minus(r, times(r, cosine, noise_y), times(r, sine, noise_x)));
        if (!(low_of(r, g[i]) >= 0)) return sti_reach_fail(r, "a tip may start inside the part");
    }
    memset(r->now, 0, sizeof r->now);
    reach_box* at = &r->now[0];
    at->any = true;
    at->low[AT_S] = low_of(r, s[0]);
    at->high[AT_S] = high_of(r, s[0]);
    at->low[AT_GAP] = low_of(r, g[0]);
    at->high[AT_GAP] = high_of(r, g[0]);
    const num wider = r->tips == 2 ? minus(r, g[1], g[0]) : theta;
    at->low[AT_SECOND] = low_of(r, wider);
    at->high[AT_SECOND] = high_of(r, wider);
    at->low[AT_MU] = r->mu_low = fmax(low_of(r, minus(r, r->mu, number(r->course->mu))), 0);
    at->high[AT_MU] = r->mu_high = high_of(r, plus(r, r->mu, number(r->course->mu)));
    if (r->tips == 1) return !r->k.bad;
    const num across = minus(r, s[1], s[0]);
    r->sign = low_of(r, across) > 0 ? 1 : high_of(r, across) < 0 ? -1 : 0;
    return r->sign != 0 && !r->k.bad ? true : sti_reach_fail(r, "the tips do not lie along the edge");
}

// Angle of the part from its cosine and sine, near `about`: theta = about + asin(sin(theta - about)).
static bool angle_of(reach* r, num cosine, num sine, double about, double* low, double* high) {
    const num from = number(about);
    num c, s;
    sti_affine_turn(&r->k, &from, &c, &s);
    const num d = minus(r, times(r, sine, c), times(r, cosine, s));
    const num e = plus(r, times(r, cosine, c), times(r, sine, s));
    const double most = magnitude(r, d), rest = 0.25 * most * most * most;  // |asin x - x| up to |x| = 0.7
    if (!(most < 0.7) || !(low_of(r, e) > 0)) return sti_reach_fail(r, "the angle at the end is too open");
    *low = about + low_of(r, d) - rest - 1e-15 * (1 + fabs(about));
    *high = about + high_of(r, d) + rest + 1e-15 * (1 + fabs(about));
    return true;
}

static bool leave_some(reach* r, int tips, sti_pose_set* a) {
    const reach_box* box = &r->now[tips];
    const sti_pose_set* b = &r->before;
    reach_state x;
    if (!settle_state(r, tips == 2, box->low, box->high, &x))
        return sti_reach_fail(r, "the set is too wide at the end");
    const num steps = number((double)r->course->steps), frame = number(r->course->angle);
    const num Bx = plus(r, r->start.x, x.s[0]), By = minus(r, r->start.y, plus(r, x.g[0], number(r->radius)));
    const num noise_x = between(AT_TOOL_X, -r->course->tip, r->course->tip);
    const num noise_y = between(AT_TOOL_Y, -r->course->tip, r->course->tip);
    const num tx = plus(r, plus(r, r->tip.x, noise_x), times(r, steps, r->way.x));
    const num ty = plus(r, plus(r, r->tip.y, noise_y), times(r, steps, r->way.y));
    const num px = minus(r, tx, minus(r, times(r, x.cosine, Bx), times(r, x.sine, By)));
    const num py = minus(r, ty, plus(r, times(r, x.sine, Bx), times(r, x.cosine, By)));
    num fc, fs;
    sti_affine_turn(&r->k, &frame, &fc, &fs);
    const num along = plus(r, times(r, fc, px), times(r, fs, py)),
              across = minus(r, times(r, fc, py), times(r, fs, px));
    a->angle = r->course->angle;
    a->low[0] = low_of(r, along);
    a->high[0] = high_of(r, along);
    a->low[1] = low_of(r, across);
    a->high[1] = high_of(r, across);
    if (r->tips == 1) {
        a->low[2] = box->low[AT_SECOND];
        a->high[2] = box->high[AT_SECOND];
        return !r->k.bad;
    }
    const num cosine = plus(r, times(r, x.cosine, r->ex), times(r, x.sine, r->ey));
    const num sine = minus(r, times(r, x.sine, r->ex), times(r, x.cosine, r->ey));
    const double was = middle(b->low[2], b->high[2]);
    const double about = was + remainder(atan2(sine.c, cosine.c) - was, 2 * M_PI);
    return angle_of(r, cosine, sine, about, &a->low[2], &a->high[2]) && !r->k.bad;
}

static void join(sti_pose_set* all, const sti_pose_set* one, bool first) {
    if (first) *all = *one;
    for (int j = 0; j < 3; j++) {
        all->low[j] = fmin(all->low[j], one->low[j]);
        all->high[j] = fmax(all->high[j], one->high[j]);
    }
}

static bool leave(reach* r) {
    bool first = true;
    for (int k = 0; k < 1 << r->tips; k++) {
        sti_pose_set a;
        if (!r->now[k].any) continue;
        if (!leave_some(r, k, &a)) return false;
        join(&r->after, &a, first);
        first = false;
    }
    return true;
}

// ---- what is given

static void damping(reach* r) {
    double B[9], point[3];
    num E[9];
    const int part = r->course->part;
    for (int i = 0; i < 9; i++) E[i] = number(0);
    r->fixed = sti_manipulation_support_fixed(r->m, part);
    for (int k = 0; sti_manipulation_support_point(r->m, part, k, point); k++) {
        const num x = number(point[0]), y = number(point[1]);
        const num J[6] = {number(1), number(0), scaled(r, y, -1), number(0), number(1), x};
        for (int j = 0; j < 9; j++) {
            const num sum = plus(r, times(r, J[j / 3], J[j % 3]), times(r, J[3 + j / 3], J[3 + j % 3]));
            E[j] = plus(r, E[j], scaled(r, sum, point[2]));
        }
    }
    if (!sti_manipulation_support_point(r->m, part, 0, point)) {
        sti_manipulation_damping(r->m, part, 0, B);
        for (int i = 0; i < 9; i++) E[i] = number(B[i]);
    }
    const num T[9] = {r->ex, r->ey, number(0), scaled(r, r->ey, -1), r->ex, number(0), number(0), number(0), number(1)};
    for (int i = 0; i < 9; i++) {
        r->E[i] = r->fixed ? E[i] : number(0);
        for (int a = 0; a < 9 && !r->fixed; a++)
            r->E[i] = plus(r, r->E[i], times(r, times(r, T[3 * (i / 3) + a / 3], T[3 * (i % 3) + a % 3]), E[a]));
    }
}

// Axes and corners of the edge; numbers alone, so forms carry nothing but rounding.
static void measure_edge(reach* r) {
    const sti_outline o = sti_manipulation_part_outline(r->m, r->course->part);
    const int next = (r->course->edge + 1) % o.vertex_count;
    const double *v = o.vertices + 2 * (ptrdiff_t)r->course->edge, *w = o.vertices + 2 * (ptrdiff_t)next;
    const num dx = minus(r, number(w[0]), number(v[0])), dy = minus(r, number(w[1]), number(v[1]));
    const num square = plus(r, times(r, dx, dx), times(r, dy, dy));
    r->length = sti_affine_sqrt(&r->k, &square);
    r->ex = sti_affine_div(&r->k, &dx, &r->length);
    r->ey = sti_affine_div(&r->k, &dy, &r->length);
    r->start.x = plus(r, times(r, r->ex, number(v[0])), times(r, r->ey, number(v[1])));
    r->start.y = minus(r, times(r, r->ex, number(v[1])), times(r, r->ey, number(v[0])));
}

static void measure_tool(reach* r) {
    double p[2], v[2], second[2], unused[2];
    const num h = number(r->course->h);
    sti_manipulation_tip(r->m, r->first_tip, 0, p, v);
    r->radius = sti_manipulation_tip_radius(r->m, r->first_tip);
    r->tip = (place){number(p[0]), number(p[1])};
    r->way = (place){times(r, h, number(v[0])), times(r, h, number(v[1]))};
    r->way_size = hypot(magnitude(r, r->way.x), magnitude(r, r->way.y)) * (1 + 1e-12);
    if (r->tips == 1) return;
    sti_manipulation_tip(r->m, r->first_tip + 1, 0, second, unused);
    r->apart = (place){minus(r, number(second[0]), number(p[0])), minus(r, number(second[1]), number(p[1]))};
    r->square = plus(r, times(r, r->apart.x, r->apart.x), times(r, r->apart.y, r->apart.y));
}

static sti_status check_course(reach* r) {
    const sti_push_course* c = r->course;
    const int parts = sti_manipulation_part_count(r->m);
    if (c->steps < 1 || !(c->h > 0) || !isfinite(c->h))
        return STI_FAIL(r->env, STI_ERR_INPUT, -1, "%ld steps of %g: at least one, of a positive length, is expected",
                        c->steps, c->h);
    if (c->part < 0 || c->part >= parts)
        return STI_FAIL(r->env, STI_ERR_INPUT, c->part, "part %d: there are %d", c->part, parts);
    const sti_outline o = sti_manipulation_part_outline(r->m, c->part);
    if (c->edge < 0 || c->edge >= o.vertex_count)
        return STI_FAIL(r->env, STI_ERR_INPUT, c->edge, "edge %d: there are %d", c->edge, o.vertex_count);
    if (!(c->mu >= 0) || !(c->tip >= 0) || !isfinite(c->mu) || !isfinite(c->tip) || !isfinite(c->angle))
        return STI_FAIL(r->env, STI_ERR_INPUT, -1, "doubts of %g and %g: not below 0 is expected", c->mu, c->tip);
    if (AT_OTHERS + 3 * parts > STI_DOUBTS_MOST)
        return STI_FAIL(r->env, STI_ERR_INPUT, parts, "%d parts: at most %d are taken", parts,
                        (STI_DOUBTS_MOST - AT_OTHERS) / 3);
    for (int i = 0; i < parts; i++) {
        for (int j = 0; j < 3; j++) {
            if (!(c->before[i].low[j] <= c->before[i].high[j]) || !isfinite(c->before[i].low[j]) ||
                !isfinite(c->before[i].high[j]) || !isfinite(c->before[i].angle))
                return STI_FAIL(r->env, STI_ERR_INPUT, i, "part %d: its set of poses is empty or not finite", i);
        }
    }
    for (int j = 0; j < 3; j++) {
        if (c->cuts[j] < 0 || c->cuts[j] > 64)
            return STI_FAIL(r->env, STI_ERR_INPUT, j, "cuts: %d: 1 to 64 are taken", c->cuts[j]);
    }
    r->tips = 0;
    for (int i = sti_manipulation_tip_count(r->m) - 1; i >= 0; i--) {
        if (sti_manipulation_tip_probe(r->m, i) == c->probe) r->tips++, r->first_tip = i;
    }
    return r->tips == 1 || r->tips == 2 ? STI_OK
                                        : STI_FAIL(r->env, STI_ERR_INPUT, c->probe,
                                                   "probe %d: has %d tips: 1 or 2 are taken", c->probe, r->tips);
}

static bool prove_piece(reach* r) {
    bool good = !r->k.bad && enter(r);
    for (long l = 0; good && l < r->course->steps; l++) good = make_step(r, l) && !sti_late(r->env);
    return good && leave(r);
}

static bool prove_pieces(reach* r) {
    const sti_push_course* c = r->course;
    const sti_pose_set* whole = &c->before[c->part];
    int count[3];
    for (int j = 0; j < 3; j++) count[j] = c->cuts[j] > 1 ? c->cuts[j] : 1;
    for (int i = 0; i < count[0] * count[1] * count[2]; i++) {
        const int at[3] = {i % count[0], i / count[0] % count[1], i / count[0] / count[1]};
        r->before = *whole;
        for (int j = 0; j < 3; j++) {
            const double width = (whole->high[j] - whole->low[j]) / count[j];
            if (at[j] > 0) r->before.low[j] = fmin(whole->low[j] + at[j] * width, whole->high[j]);
            if (at[j] < count[j] - 1) r->before.high[j] = fmin(whole->low[j] + (at[j] + 1) * width, whole->high[j]);
        }
        if (!prove_piece(r)) return false;
        join(&r->out->after, &r->after, i == 0);
    }
    return true;
}

sti_status sti_verify_push_reach(sti_env* env, const sti_manipulation* m, const sti_push_course* course,
                                 sti_push_reach* out) {
    *out = (sti_push_reach){.clearance = INFINITY};
    reach r = {.env = env, .m = m, .course = course, .out = out};
    sti_status status = check_course(&r);
    if (status != STI_OK) return status;
    r.k.n = AT_OTHERS + 3 * sti_manipulation_part_count(m);
    measure_edge(&r);
    measure_tool(&r);
    damping(&r);
    const int thing = sti_manipulation_part_count(m) + sti_manipulation_fixture_count(m) + course->probe;
    r.mu = number(sti_manipulation_friction(m, course->part, thing));
    status = sti_reach_things(&r);
    const bool good = status == STI_OK && sti_reach_others_rest(&r) && prove_pieces(&r);
    out->accepted = good;
    if (good) snprintf(out->text, sizeof out->text, "every member comes into the set");
    if (!good && out->text[0] == '\0')
        snprintf(out->text, sizeof out->text, sti_late(env) ? "there was no time to prove it" : "a length may be 0");
    sti_reach_things_free(&r);
    return status;
}
