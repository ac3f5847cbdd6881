// study_events.c: SEED COUNT: random motions by events held against pieces of closed forms.
//
//     wall     x'' = f - k x - c x' over a wall with restitution e: thrown, swinging, bouncing till it lies still
//     belt     the same on a belt of speed V with static and kinetic friction, from any speed
//
// Between events the truth is the closed solution of the linear equation; its events are found by scanning and
// bisection. Wrong is a place or a speed at the end that is more than 5e-6 of its size away, or another number of
// events before they accumulate. (A wall that is met at less than about 1e-6 is not seen, since gaps are known to
// 2e-13; that changes the speed by as much.)
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/step.h>

#include "base/rng.h"

static const double tolerance = 5e-6;

typedef struct oscillator {
    double k, c, f;  // c^2 < 4 k, or k = c = 0
} oscillator;

typedef struct point {
    double x, v;
} point;

typedef struct problem {
    bool belt;
    oscillator o;
    point start;
    double end, h;
    double e;                         // wall
    double speed, N, mu, mu_kinetic;  // belt
} problem;

typedef struct truth {
    point at;
    int events;       // of a wall: impacts that leave more than 1e-3 of the largest speed
    double nearness;  // of the last event to the end
} truth;

// ---- closed forms

static point flow(const oscillator* o, point p, double t) {
    if (o->k == 0) return (point){p.x + t * p.v + o->f * t * t / 2, p.v + o->f * t};
    const double rest = o->f / o->k, d = o->c / 2, w = sqrt(o->k - d * d), a = p.x - rest, b = (p.v + d * a) / w;
    const double s = sin(w * t), c = cos(w * t), fade = exp(-d * t);
    return (point){rest + fade * (a * c + b * s), fade * ((b * w - d * a) * c - (a * w + d * b) * s)};
}

static double acceleration(const oscillator* o, point p) {
    return o->f - o->k * p.x - o->c * p.v;
}

// Position over the wall, or speed over that of the belt times `side`.
static double watched(const problem* p, point at, double side) {
    return p->belt ? side * (at.v - p->speed) : at.x;
}

static double rate(const problem* p, const oscillator* o, point at, double side) {
    return p->belt ? side * acceleration(o, at) : at.v;
}

// The lowest place of what is watched between low and high, if it goes down at the first and up at the second; else
// high.
static double lowest(const problem* p, const oscillator* o, point from, double side, double low, double high) {
    const double end = high;
    if (!(rate(p, o, flow(o, from, low), side) < 0 && rate(p, o, flow(o, from, high), side) > 0)) return end;
    for (int k = 0; k < 60; k++) {
        const double middle = (low + high) / 2;
        *(rate(p, o, flow(o, from, middle), side) < 0 ? &low : &high) = middle;
    }
    return watched(p, flow(o, from, low), side) < 0 ? low : end;
}

// First time in (0, most] at which what is watched has become negative; most: none. It is 0 or more at the start.
static double first_zero(const problem* p, const oscillator* o, point from, double side, double step, double most) {
    for (double low = 0; low < most; low += step) {
        double high = fmin(low + step, most), inside = low;
        if (low > 0) high = lowest(p, o, from, side, low, high);
        if (!(watched(p, flow(o, from, high), side) < 0)) continue;
        if (low == 0) {  // leaves 0 first
            for (int k = 0; k < 60 && !(watched(p, flow(o, from, inside), side) > 0); k++) inside = ldexp(high, k - 60);
        }
        for (int k = 0; k < 100; k++) {
            const double middle = (inside + high) / 2;
            if (watched(p, flow(o, from, middle), side) < 0)
                high = middle;
            else
                inside = middle;
        }
        return high;
    }
    return most;
}

static truth wall_truth(const problem* p) {
    truth r = {.at = p->start, .nearness = INFINITY};
    double t = 0, fastest = fabs(p->start.v);
    while (t < p->end) {
        const double a = acceleration(&p->o, r.at);
        if (r.at.x <= 0 && r.at.v <= 1e-8 * (1 + fastest) && a <= 0) {
            r.at = (point){0, 0};
            return r;
        }
        const double flight = r.at.x <= 0 && a < 0 ? -2 * r.at.v / a : INFINITY;
        const double step = fmin(2e-3, flight / 8), left = p->end - t;
        const double tau = first_zero(p, &p->o, r.at, 1, step, left);
        r.at = flow(&p->o, r.at, tau);
        t += tau;
        if (tau >= left) return r;
        fastest = fmax(fastest, fabs(r.at.v));
        r.at = (point){0, -p->e * r.at.v};
        r.events += r.at.v > 1e-3 * fastest;
        r.nearness = p->end - t;
    }
    return r;
}

static truth belt_truth(const problem* p) {
    truth r = {.at = p->start, .nearness = INFINITY};
    double t = 0, side = 0;
    for (;;) {
        if (side == 0 && fabs(r.at.v - p->speed) > 1e-12) side = r.at.v > p->speed ? 1 : -1;
        if (side == 0) {  // sticks as long as the force it takes is within the bound
            r.at.v = p->speed;
            const double force = acceleration(&p->o, r.at), rate = -p->o.k * p->speed;
            if (fabs(force) > p->mu * p->N) {
                side = force > 0 ? 1 : -1;
                continue;
            }
            const double until = rate == 0 ? INFINITY : (copysign(p->mu * p->N, rate) - force) / rate;
            if (t + until >= p->end) {
                r.at.x += p->speed * (p->end - t);
                return r;
            }
            r.at.x += p->speed * until;
            t += until;
            side = rate > 0 ? 1 : -1;
            r.events++;
            r.nearness = p->end - t;
        }
        oscillator o = p->o;
        o.f -= side * p->mu_kinetic * p->N;
        const double left = p->end - t, tau = first_zero(p, &o, r.at, side, 1e-3, left);
        r.at = flow(&o, r.at, tau);
        t += tau;
        if (tau >= left) return r;
        r.at.v = p->speed;
        r.events++;
        r.nearness = p->end - t;
        side = 0;
    }
}

// ---- the same as a system

static bool create(sti_env* env, const problem* p, sti_system** out) {
    const char* const names[] = {"k", "c", "f", "e", "V", "N", "mu", "muk"};
    const double values[] = {p->o.k, p->o.c, p->o.f, p->e, p->speed, p->N, p->mu, p->mu_kinetic};
    char x[40], v[40];
    snprintf(x, sizeof x, "%.17g", p->start.x);
    snprintf(v, sizeof v, "%.17g", p->start.v);
    const char* const slip = "x' - V";
    const sti_system_contact_text wall = {.name = "wall", .gap = "x", .restitution = "e"};
    const sti_system_contact_text belt = {
        .name = "belt", .gap = "y", .slip_count = 1, .slip = &slip, .mu = "mu", .mu_kinetic = "muk"};
    const sti_system_text text = {.parameter_count = 8,
                                  .parameter_names = names,
                                  .parameters = values,
                                  .coordinate_count = p->belt ? 2 : 1,
                                  .coordinates = (const char*[]){"x", "y"},
                                  .kinetic = p->belt ? "(x'^2 + y'^2)/2" : "x'^2/2",
                                  .potential = p->belt ? "k*x^2/2 - f*x + N*y" : "k*x^2/2 - f*x",
                                  .forces = (const char*[]){"-c*x'", "0"},
                                  .contact_count = 1,
                                  .contacts = p->belt ? &belt : &wall,
                                  .q = (const char*[]){x, "0"},
                                  .v = (const char*[]){v, "0"}};
    return sti_system_create(env, &text, out) == STI_OK;
}

static bool counts(const problem* p, const sti_event* e, const sti_step_report* r, int jump, double* fastest) {
    if (p->belt) return true;
    if (e->kind != STI_EVENT_IMPACT || jump >= r->jump_count) return false;
    *fastest = fmax(*fastest, fabs(r->jump_minus[jump]));
    return r->jump_plus[jump] > 1e-3 * *fastest;
}

typedef struct found {
    bool solved;
    point at;
    int events;
    double stepped;
} found;

static found move(sti_env* env, const problem* p) {
    found r = {0};
    sti_system* system = NULL;
    sti_stepper* s = NULL;
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    o.events = STI_EVENTS_AUTO;
    o.step = p->h;
    o.event_tol = 1e-12;  // impacts that graze are ill conditioned
    r.solved = create(env, p, &system) && sti_stepper_create(env, system, &o, &s) == STI_OK;
    double fastest = fabs(p->start.v);
    for (long l = 0; r.solved && l < lround(p->end / p->h); l++) {
        sti_step_report report;
        r.solved =
            sti_stepper_step(s, &report) == STI_OK && report.outcome == STI_SOLVED && report.events <= STI_STEP_EVENTS;
        int jump = 0;
        for (int k = 0; r.solved && k < report.events; k++) {
            r.events += counts(p, &report.event[k], &report, jump, &fastest);
            jump += report.event[k].kind == STI_EVENT_IMPACT;
        }
        r.stepped += report.stepped;
    }
    if (s != NULL) r.at = (point){sti_stepper_q(s)[0], sti_stepper_v(s)[0]};
    if (!r.solved) fprintf(stderr, "study_events: %s\n", sti_env_error(env)->text);
    sti_stepper_destroy(s);
    sti_system_destroy(system);
    return r;
}

// ---- random problems

static double between(sti_rng* rng, double low, double high) {
    return low + (high - low) * sti_rng_u01(rng);
}

static problem make(sti_rng* rng, bool belt) {
    problem p = {.belt = belt, .h = between(rng, 0.005, 0.1)};
    p.end = p.h * floor(between(rng, 1, 8) / p.h);
    const bool flies = !belt && sti_rng_int(rng, 0, 1) == 0;
    p.o.k = flies ? 0 : between(rng, 0.5, 40);
    p.o.c = flies ? 0 : between(rng, 0, 0.5) * sti_rng_int(rng, 0, 1);
    p.o.f = flies ? -between(rng, 0.5, 20) : between(rng, -10, 10);
    p.start = (point){between(rng, 0.01, 2), between(rng, -3, 3)};
    p.e = between(rng, 0.05, 0.95);
    p.speed = between(rng, 0.05, 2) * (sti_rng_int(rng, 0, 1) == 0 ? -1 : 1);
    p.N = between(rng, 1, 20);
    p.mu_kinetic = between(rng, 0.05, 0.6);
    p.mu = p.mu_kinetic * (sti_rng_int(rng, 0, 2) == 0 ? 1 : between(rng, 1, 2));
    return p;
}

static void show(const problem* p, long number, const truth* right, const found* got) {
    fprintf(
        stderr,
        "problem %ld: %s k %.17g c %.17g f %.17g from %.17g %.17g to %.17g in steps of %.17g, e %.17g, belt %.17g N "
        "%.17g mu %.17g %.17g: found %.12g %.12g, %d events; truth %.12g %.12g, %d\n",
        number, p->belt ? "belt" : "wall", p->o.k, p->o.c, p->o.f, p->start.x, p->start.v, p->end, p->h, p->e, p->speed,
        p->N, p->mu, p->mu_kinetic, got->at.x, got->at.v, got->events, right->at.x, right->at.v, right->events);
}

int main(int argc, char** argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: study_events SEED COUNT\n");
        return 2;
    }
    sti_rng rng = {.state = strtoull(argv[1], NULL, 10)};
    const long count = strtol(argv[2], NULL, 10);
    long wrong = 0, events = 0, stepped = 0;
    double worst = 0;
    sti_env* env;
    if (sti_env_create(NULL, &env) != STI_OK) return 3;
    for (long k = 0; k < count; k++) {
        const problem p = make(&rng, k % 2 == 1);
        const truth right = p.belt ? belt_truth(&p) : wall_truth(&p);
        const found got = move(env, &p);
        const double size = 1 + fabs(right.at.x) + fabs(right.at.v);
        const bool close = right.nearness < 1e-5;  // to the end: before it or behind it
        double off = fabs(got.at.x - right.at.x) / size;
        if (!close) off = fmax(off, fabs(got.at.v - right.at.v) / size);
        // with one coefficient a block that begins to slide on a belt stays as fast as that: events are what one makes
        // of it
        const bool counted = !close && !(p.belt && p.mu == p.mu_kinetic);
        const bool good = got.solved && off <= tolerance && (!counted || got.events == right.events);
        worst = fmax(worst, off);
        events += got.events;
        stepped += got.stepped > 0;
        wrong += !good;
        if (!good) show(&p, k, &right, &got);
    }
    sti_env_destroy(env);
    printf("study_events: seed %s, %ld problems: %ld events, %ld with an accumulation; largest error %.1e; %ld wrong\n",
           argv[1], count, events, stepped, worst, wrong);
    return wrong == 0 ? 0 : 1;
}
