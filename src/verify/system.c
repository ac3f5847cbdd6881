// system.c: the independent check of a recorded run of a system by formulas.
//
// A recording claims places, velocities and impulses, step by step. Whatever scheme made a step of length h from (q, v)
// to (q+, v+) with impulses p, it stands for
//
//     integral of M dv + F dt  =  n p_n + t' p_t          gap+ = gap + integral of n'q' + ..
//
// and a quadrature with one point is off by no more than what M, F, n and t change over the step. So these are
// evaluated at five nodes: the start, the end, the middle of places and velocities, and the ways ahead from either end,
// for the path may have a corner. The defect at the middle is held against twice the spread over the nodes, plus a
// tenth of the largest spread of the run, where a step happens to be symmetric; all in parts of the largest term of its
// own step, so that a number in one step is no measure of another. What is beyond that is no matter of
// order: an impulse, a velocity or a place is wrong. Where nothing changes (constant M, F and n) the balance has to
// hold to rounding. A step of many pieces goes where its ends do not tell: its balance is not looked at, and such steps
// are counted.
//
// Impulses are held against their cones, against the reach of the contact (could the step close it?) and, in steps
// without collisions, against the slip between the two places. Taken at the word of the file: work of forces without
// potential.
//
// Cost: O(rows (n^2 + contacts n)). Formulas are evaluated by <stiction/system.h>.
#include <math.h>
#include <stiction/verify.h>
#include <string.h>

#include "base/env.h"
#include "verify/check.h"

enum { MIDDLE = 0, NODES = 5, PARTS = 3, MANY_PIECES = 8 };

#define STI_X(code, name, text) name,
static const char* const names[] = {STI_SYSTEM_CHECK_LIST(STI_X)};
#undef STI_X
#define STI_X(code, name, text) text,
static const char* const texts[] = {STI_SYSTEM_CHECK_LIST(STI_X)};
#undef STI_X

const char* sti_system_check_name(sti_system_check_kind kind) {
    return (unsigned)kind < STI_SYSTEM_CHECK_COUNT ? names[kind] : "?";
}

const char* sti_system_check_text(sti_system_check_kind kind) {
    return (unsigned)kind < STI_SYSTEM_CHECK_COUNT ? texts[kind] : "?";
}

sti_system_verify_options sti_system_verify_options_default(void) {
    return (sti_system_verify_options){.tol = 1e-6, .inertia = true, .balances = true, .facets = 8};
}

typedef struct checker {
    sti_env* env;
    const sti_recorded_system* w;
    const sti_system* system;
    sti_system_verify_options options;
    sti_system_verification* out;
    int n, p, joints;  // p: contacts and joints, the latter last
    sti_instant* instant;
    // of one step
    double h;
    double *q, *v, *u;        // a node; mean velocity of the step           (n)
    double *defect, *spread;  // of momentum                                 (n)
    double *low, *high;       // of a sum over the nodes                     (PARTS n)
    double *rate, *slip;      // n'u + .., t'u + .. at the nodes             (p x NODES), (p x NODES x 2)
    double *mu, *mu_kinetic;  // largest and least of the nodes              (p)
    int* tangents;            // (p)
    // largest of the run
    double* widest;       // spread of momentum over the largest term    (n)
    double* widest_rate;  // of rates                                    (p)
    double* widest_slip;  // of slips                                    (p)
    double* inertia;      // M u at the middle                           (n)
    double mass, momentum, impulse, speed, length, energy_low, energy_high;
    double fall;         // largest way that forces alone take it in a step
    double term, press;  // of this step: largest term of the balance, largest normal impulse
} checker;

static void look(checker* k, sti_system_check_kind kind, double value, long step, int place) {
    sti_run_check* c = &k->out->check[kind];
    c->looked++;
    if (!(value > c->worst) && !isnan(value)) return;
    c->worst = isnan(value) ? INFINITY : value;
    c->frame = step;
    c->body = place;
}

static const double* row(const double* x, long step, int width) {
    return x + (size_t)step * (size_t)width;
}

// ---- the nodes of a step

// Middle, start, end, and half a step ahead of either end: the path may have a corner. The time of it.
static double place_node(checker* k, long step, int node) {
    const double *q0 = row(k->w->q, step - 1, k->n), *q1 = row(k->w->q, step, k->n);
    const double *v0 = row(k->w->v, step - 1, k->n), *v1 = row(k->w->v, step, k->n);
    const double part = node == MIDDLE ? 0.5 : node == 1 || node == 3 ? 0 : 1;
    const double ahead = node < 3 ? 0 : node == 3 ? k->h / 2 : -k->h / 2;
    for (int i = 0; i < k->n; i++) {
        k->v[i] = k->options.inertia ? v0[i] + part * (v1[i] - v0[i]) : v1[i];
        k->q[i] = q0[i] + part * (q1[i] - q0[i]) + ahead * k->v[i];
    }
    return k->w->time[step - 1] + part * k->h + ahead;
}

// A step that a collision cut, or that has another reason to be made of pieces.
static bool collides(const checker* k, long step) {
    return k->w->collisions[step] != 0 || k->w->pieces[step] > 1;
}

// What a part of the balance is at a node: 0 inertia, 1 forces, 2 impulses.
static double part_of(const checker* k, long step, int part, int i) {
    const sti_instant* in = k->instant;
    if (part == 1) return k->h * in->F[i];
    if (part == 0) {
        double sum = 0;
        const double *v0 = row(k->w->v, step - 1, k->n), *v1 = row(k->w->v, step, k->n);
        for (int j = 0; k->options.inertia && j < k->n; j++)
            sum += in->M[(size_t)i * (size_t)k->n + j] * (v1[j] - v0[j]);
        return sum;
    }
    double sum = 0;
    for (int c = 0; c < k->p; c++) {
        const sti_instant_contact* contact = &in->contacts[c];
        const double* t = row(k->w->impulse_t, step, 2 * k->p) + 2 * (size_t)c;
        sum -= contact->n[i] * row(k->w->impulse_n, step, k->p)[c];
        for (int a = 0; a < contact->tangent_count && a < 2; a++)
            sum -= contact->t[(size_t)a * (size_t)k->n + i] * t[a];
    }
    return sum;
}

static void keep_surfaces(checker* k, int node) {
    for (int c = 0; c < k->p; c++) {
        const sti_instant_contact* contact = &k->instant->contacts[c];
        k->rate[NODES * c + node] = sti_check_sum(k->n, contact->n, k->u) + contact->n_offset;
        k->tangents[c] = contact->tangent_count < 2 ? contact->tangent_count : 2;
        for (int a = 0; a < k->tangents[c]; a++)
            k->slip[2 * (NODES * c + node) + a] = sti_check_sum(k->n, contact->t + (size_t)a * (size_t)k->n, k->u) +
                                                  (contact->t_offset != NULL ? contact->t_offset[a] : 0);
        const double most = fmax(contact->mu, contact->mu_kinetic), least = fmin(contact->mu, contact->mu_kinetic);
        k->mu[c] = node == 0 ? most : fmax(k->mu[c], most);
        k->mu_kinetic[c] = node == 0 ? least : fmin(k->mu_kinetic[c], least);
    }
}

// Defect of the balance at the middle and spread of its parts; rates, slips and friction at the nodes.
static sti_status evaluate(checker* k, long step) {
    const int n = k->n;
    k->h = k->w->time[step] - k->w->time[step - 1];
    for (int i = 0; i < n; i++) {
        k->u[i] = k->h > 0 ? (row(k->w->q, step, n)[i] - row(k->w->q, step - 1, n)[i]) / k->h : 0;
        k->defect[i] = k->spread[i] = 0;
    }
    for (int node = 0; node < NODES; node++) {
        place_node(k, step, node);
        const sti_status status =
            sti_system_instant_update(k->system, k->w->time[step - 1] + 0.5 * node * k->h, k->q, k->v, k->instant);
        if (status != STI_OK)
            return STI_FAIL(k->env, STI_ERR_INPUT, step, "step %ld: its formulas have no finite values there", step);
        keep_surfaces(k, node);
        for (int i = 0; node == MIDDLE && i < n; i++)
            k->inertia[i] = k->options.inertia ? sti_check_sum(n, k->instant->M + (size_t)i * (size_t)n, k->u) : 0;
        for (int i = 0; i < n; i++) {  // how far forces alone take it in a step: at rest the only length there is
            const double m = k->instant->M[(size_t)i * (size_t)n + (size_t)i];
            if (m > 0) k->fall = fmax(k->fall, fabs(k->h * k->h * k->instant->F[i] / m));
        }
        for (int i = 0; i < n; i++) k->mass = fmax(k->mass, k->instant->M[(size_t)i * (size_t)n + (size_t)i]);
        for (int at = 0; at < PARTS * n; at++) {
            const double x = part_of(k, step, at / n, at % n);
            k->low[at] = node == 0 ? x : fmin(k->low[at], x);
            k->high[at] = node == 0 ? x : fmax(k->high[at], x);
            if (node == MIDDLE) k->defect[at % n] += x;
        }
    }
    k->term = k->press = 0;
    for (int at = 0; at < PARTS * n; at++) {
        k->spread[at % n] += k->high[at] - k->low[at];
        k->term = fmax(k->term, fmax(fabs(k->low[at]), fabs(k->high[at])));
    }
    for (int c = 0; c < k->p; c++) k->press = fmax(k->press, fabs(row(k->w->impulse_n, step, k->p)[c]));
    k->momentum = fmax(k->momentum, k->term);
    return STI_OK;
}

// Of numbers `stride` apart, one for each node.
static double spread_over(const double* x, int stride) {
    double low = x[0], high = x[0];
    for (int node = 1; node < NODES; node++) {
        low = fmin(low, x[(ptrdiff_t)node * stride]);
        high = fmax(high, x[(ptrdiff_t)node * stride]);
    }
    return high - low;
}

static double spread_of_rate(const checker* k, int c) {
    return spread_over(k->rate + NODES * (size_t)c, 1);
}

static double spread_of_slip(const checker* k, int c) {
    double sum = 0;
    for (int a = 0; a < k->tangents[c]; a++) sum += spread_over(k->slip + 2 * (size_t)NODES * (size_t)c + a, 2);
    return sum;
}

static const double* slip_of(const checker* k, int c) {
    return k->slip + 2 * (size_t)NODES * (size_t)c;
}

// ---- checks

// Largest of the run, or what this impulse gives the largest mass.
static double speed_of(const checker* k, double impulse) {
    return sti_check_scale(fmax(k->speed, k->mass > 0 ? impulse / k->mass : 0));
}

// What quadrature explains of the momentum.
static double explained(const checker* k, int i) {
    return 2 * k->spread[i] + 0.1 * k->widest[i] * k->term;
}

// And of the energy: that times the speed.
static double explained_energy(const checker* k, long step) {
    double sum = 0;
    for (int i = 0; i < k->n; i++) {
        const double *a = row(k->w->v, step - 1, k->n), *b = row(k->w->v, step, k->n);
        sum += fmax(fabs(k->u[i]), fmax(fabs(a[i]), fabs(b[i]))) * explained(k, i);
    }
    return sum;
}

static bool touches(const checker* k, long step) {
    for (int c = 0; c < k->p; c++) {
        if (row(k->w->gap, step, k->p)[c] <= k->options.tol * k->length) return true;
    }
    return false;
}

// A step that balances its energy changes the velocity along u by as much as that takes.
static void check_momentum(checker* k, long step) {
    const double twice = sti_check_sum(k->n, k->u, k->inertia);
    const double turn = k->options.balances && twice > 0 ? explained_energy(k, step) / twice : 0;
    double sum = 0;
    if (k->w->pieces[step] > MANY_PIECES || (k->options.settles && touches(k, step))) {
        k->out->unseen++;
        return;
    }
    for (int i = 0; i < k->n; i++) {
        double allowed = explained(k, i) + turn * fabs(k->inertia[i]);
        if (k->options.drops && k->w->collisions[step] != 0) allowed += fabs(k->h * k->instant->F[i]);
        look(k, STI_SYSTEM_MOMENTUM, fmax(0, fabs(k->defect[i]) - allowed) / sti_check_scale(k->term), step, i);
        k->out->momentum_defect = fmax(k->out->momentum_defect, fabs(k->defect[i]));
        sum += fabs(k->defect[i]);
    }
    k->out->momentum_sum += sum;
}

// Of the friction polygon of a contact: what multiple of it holds p_t; and the most power against the slip s.
static double gauge(const sti_instant_contact* c, const double* p_t) {
    double most = 0;
    for (int k = 0; k < c->corner_count; k++) {
        const double *a = c->corner + 2 * k, *b = c->corner + 2 * ((k + 1) % c->corner_count);
        most = fmax(most, ((b[1] - a[1]) * p_t[0] + (a[0] - b[0]) * p_t[1]) / (a[0] * b[1] - a[1] * b[0]));
    }
    return most;
}

static double pull(const sti_instant_contact* c, const double* s) {
    double most = 0;
    for (int k = 0; k < c->corner_count; k++)
        most = fmax(most, -(c->corner[2 * k] * s[0] + c->corner[2 * k + 1] * s[1]));
    return most;
}

static void check_cone(checker* k, long step, int c) {
    const double p_n = row(k->w->impulse_n, step, k->p)[c], *p_t = row(k->w->impulse_t, step, 2 * k->p) + 2 * (size_t)c;
    const bool joint = c >= k->p - k->joints;
    double tangential = k->tangents[c] > 0 ? hypot(p_t[0], k->tangents[c] > 1 ? p_t[1] : 0) : 0;
    if (k->instant->contacts[c].corner_count > 0) tangential = gauge(&k->instant->contacts[c], p_t);
    if (joint && (k->tangents[c] == 0 || collides(k, step))) return;
    const double pulls = joint ? 0 : -p_n;
    look(k, STI_SYSTEM_CONE,
         fmax(fmax(0, pulls), tangential - k->mu[c] * fabs(p_n)) / sti_check_scale(fmax(k->press, tangential)), step,
         c);
}

// Does the contact close in the step? From the nearer of its ends, at twice its speed.
static void check_reach(checker* k, long step, int c) {
    const double p_n = row(k->w->impulse_n, step, k->p)[c];
    const double gap = fmin(row(k->w->gap, step - 1, k->p)[c], row(k->w->gap, step, k->p)[c]);
    double way = 0;
    for (int node = 0; node < NODES; node++)
        way = fmax(way, 2 * k->h * fabs(k->rate[NODES * (size_t)c + (size_t)node]));
    for (int end = 0; end < 2; end++) {  // and with the velocities of the ends, which a collision turns
        const double* v = row(k->w->v, step - end, k->n);
        way = fmax(
            way, 2 * k->h * fabs(sti_check_sum(k->n, k->instant->contacts[c].n, v) + k->instant->contacts[c].n_offset));
    }
    if (k->options.lifts && k->tangents[c] > 0)
        way += 2 * k->h * k->mu[c] * hypot(slip_of(k, c)[0], k->tangents[c] > 1 ? slip_of(k, c)[1] : 0);
    look(k, STI_SYSTEM_REACH, gap > way + k->options.tol * k->length ? fmax(0, p_n) / sti_check_scale(k->press) : 0,
         step, c);
}

// mu p_n |s| + p_t's is 0 where friction opposes the slip with all it has, and where nothing slips.
static void check_law(checker* k, long step, int c) {
    const double p_n = row(k->w->impulse_n, step, k->p)[c], *p_t = row(k->w->impulse_t, step, 2 * k->p) + 2 * (size_t)c;
    const int count = k->tangents[c];
    const double* s = slip_of(k, c);  // of the middle
    double size = 0, power = 0;
    if (count == 0 || collides(k, step)) return;
    for (int a = 0; a < count; a++) {
        size += s[a] * s[a];
        power += s[a] * p_t[a];
    }
    size = sqrt(size);
    const sti_instant_contact* of = &k->instant->contacts[c];
    double reach = 1;  // of the section
    for (int a = 0; a < of->corner_count; a++) reach = fmax(reach, hypot(of->corner[2 * a], of->corner[2 * a + 1]));
    if (of->corner_count > 0) size = pull(of, s);
    const double spread = spread_of_slip(k, c) + 0.05 * k->widest_slip[c];
    const bool facet = count == 2 && k->options.facets > 0 && of->corner_count == 0;
    const double facets = facet ? 1 - cos(3.141592653589793 / k->options.facets) : 0;
    const double allowed =
        2 * spread * (reach * k->mu[c] * p_n + hypot(p_t[0], count > 1 ? p_t[1] : 0)) + facets * k->mu[c] * p_n * size;
    look(k, STI_SYSTEM_LAW,
         fmax(0, k->mu_kinetic[c] * p_n * size + power - allowed) / (speed_of(k, k->press) * sti_check_scale(k->press)),
         step, c);
}

static void check_gap(checker* k, long step, int c) {
    const double before = row(k->w->gap, step - 1, k->p)[c], after = row(k->w->gap, step, k->p)[c];
    const double explained = k->h * (2 * spread_of_rate(k, c) + 0.1 * k->widest_rate[c]);
    if (c >= k->p - k->joints) {
        look(k, STI_SYSTEM_JOINT, fmax(0, fabs(after) - fabs(before) - explained), step, c);
        k->out->drift = fmax(k->out->drift, fabs(after));
        return;
    }
    look(k, STI_SYSTEM_PENETRATION, fmax(0, -after - fmax(0, -before) - explained), step, c);
    k->out->overlap = fmax(k->out->overlap, -after);
    if (k->h > 0) k->out->overlap_constant = fmax(k->out->overlap_constant, -after / (k->h * k->h));
}

static void check_energy(checker* k, long step) {
    const sti_recorded_system* w = k->w;
    if (w->work == NULL || !k->options.inertia || w->pieces[step] > MANY_PIECES) return;
    const double rise =
        w->kinetic[step] + w->potential[step] - w->kinetic[step - 1] - w->potential[step - 1] - w->work[step];
    look(k, STI_SYSTEM_ENERGY, fmax(0, rise - explained_energy(k, step)), step, -1);
}

static sti_status check_state(checker* k, long step) {
    const sti_recorded_system* w = k->w;
    double kinetic, potential;
    const sti_status status =
        sti_system_energy(k->system, w->time[step], row(w->q, step, k->n), row(w->v, step, k->n), &kinetic, &potential);
    if (status != STI_OK) return status;
    const double energy = fmax(fabs(kinetic), fabs(potential));
    look(k, STI_SYSTEM_STATE,
         (fabs(kinetic - w->kinetic[step]) + fabs(potential - w->potential[step])) / sti_check_scale(energy), step, -1);
    if (k->p == 0) return STI_OK;
    const sti_status found = sti_system_gap(k->system, w->time[step], row(w->q, step, k->n), k->low);
    for (int c = 0; found == STI_OK && c < k->p; c++)
        look(k, STI_SYSTEM_STATE, fabs(k->low[c] - row(w->gap, step, k->p)[c]) / k->length, step, c);
    return found;
}

// ---- the whole

static void find_scales(checker* k) {
    const sti_recorded_system* w = k->w;
    for (int i = 0; i < k->n; i++) {
        double low = INFINITY, high = -INFINITY;
        for (long s = 0; s < w->rows; s++) {
            low = fmin(low, row(w->q, s, k->n)[i]);
            high = fmax(high, row(w->q, s, k->n)[i]);
            k->speed = fmax(k->speed, fabs(row(w->v, s, k->n)[i]));
        }
        k->length = fmax(k->length, fmax(high - low, 1e-6 * fmax(fabs(low), fabs(high))));  // of places, to rounding
    }
    for (size_t i = 0; i < (size_t)w->rows * (size_t)k->p; i++) {
        k->impulse = fmax(k->impulse, fabs(w->impulse_n[i]));
        k->length = fmax(k->length, fabs(w->gap[i]));
    }
    for (long s = 0; s < w->rows; s++) {
        k->energy_low = fmin(k->energy_low, w->kinetic[s] + fmin(0, w->potential[s] - w->potential[0]));
        k->energy_high = fmax(k->energy_high, w->kinetic[s] + fmax(0, w->potential[s] - w->potential[0]));
    }
    k->impulse = sti_check_scale(k->impulse);
}

static void keep_widest(checker* k, int c) {
    k->widest_rate[c] = fmax(k->widest_rate[c], spread_of_rate(k, c));
    k->widest_slip[c] = fmax(k->widest_slip[c], spread_of_slip(k, c));
    for (int a = 0; a < k->tangents[c]; a++) k->speed = fmax(k->speed, fabs(slip_of(k, c)[a]));
}

static sti_status find_spreads(checker* k) {
    sti_status status = STI_OK;
    for (long step = 1; status == STI_OK && step < k->w->rows; step++) {
        status = evaluate(k, step);
        for (int i = 0; status == STI_OK && i < k->n; i++)
            k->widest[i] = fmax(k->widest[i], k->spread[i] / sti_check_scale(k->term));
        for (int c = 0; status == STI_OK && c < k->p; c++) keep_widest(k, c);
    }
    if (isfinite(k->fall)) k->length = fmax(k->length, k->fall);
    return status;
}

static sti_status check_steps(checker* k) {
    sti_status status = STI_OK;
    for (long step = 0; status == STI_OK && step < k->w->rows; step++) {
        status = check_state(k, step);
        if (status == STI_OK && step > 0) status = evaluate(k, step);
        if (status != STI_OK || step == 0) continue;
        look(k, STI_SYSTEM_ORDER, k->h > 0 ? 0 : 1, step, -1);
        check_momentum(k, step);
        check_energy(k, step);
        for (int c = 0; c < k->p; c++) {
            check_cone(k, step, c);
            if (c < k->p - k->joints) {
                check_reach(k, step, c);
                check_law(k, step, c);
            }
            check_gap(k, step, c);
        }
    }
    return status;
}

static void conclude(checker* k) {
    const double impulse = k->impulse,
                 energy = sti_check_scale(fmax(k->energy_high - k->energy_low, impulse * speed_of(k, k->impulse)));
    const double scale[STI_SYSTEM_CHECK_COUNT] = {
        [STI_SYSTEM_ORDER] = 1,         [STI_SYSTEM_STATE] = 1,
        [STI_SYSTEM_CONE] = 1,          [STI_SYSTEM_REACH] = 1,
        [STI_SYSTEM_LAW] = 1,           [STI_SYSTEM_MOMENTUM] = 1,
        [STI_SYSTEM_JOINT] = k->length, [STI_SYSTEM_PENETRATION] = k->length,
        [STI_SYSTEM_ENERGY] = energy,
    };
    k->out->accepted = true;
    for (int i = 0; i < STI_SYSTEM_CHECK_COUNT; i++) {
        sti_run_check* c = &k->out->check[i];
        c->worst /= scale[i];
        c->limit = i == STI_SYSTEM_ORDER ? 0 : k->options.tol;
        c->holds = c->worst <= c->limit;
        k->out->accepted = k->out->accepted && c->holds;
    }
    k->out->momentum_defect /= sti_check_scale(k->momentum);
    k->out->momentum_sum /= sti_check_scale(k->momentum);
}

static sti_status allocate(checker* k) {
    const size_t n = (size_t)k->n, p = (size_t)k->p;
    struct {
        double** to;
        size_t count;
    } const list[] = {{&k->q, n},
                      {&k->v, n},
                      {&k->u, n},
                      {&k->defect, n},
                      {&k->spread, n},
                      {&k->low, sti_size_add(sti_size_mul(PARTS, n), p)},
                      {&k->high, sti_size_mul(PARTS, n)},
                      {&k->rate, sti_size_mul(NODES, p)},
                      {&k->slip, sti_size_mul(2 * NODES, p)},
                      {&k->mu, p},
                      {&k->mu_kinetic, p},
                      {&k->widest, n},
                      {&k->widest_rate, p},
                      {&k->widest_slip, p},
                      {&k->inertia, n}};
    bool whole = true;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        *list[i].to = sti_alloc_array_zero(k->env, list[i].count + 1, sizeof **list[i].to);
        whole = whole && *list[i].to != NULL;
    }
    k->tangents = sti_alloc_array_zero(k->env, p + 1, sizeof *k->tangents);
    if (!whole || k->tangents == NULL) return STI_ERR_MEMORY;
    return sti_system_instant(k->env, k->system, k->w->time[0], k->w->q, k->w->v, &k->instant);
}

static void clear(checker* k) {
    void* const all[] = {k->q,           k->v,           k->u,       k->defect,  k->spread,     k->low,
                         k->high,        k->rate,        k->slip,    k->mu,      k->mu_kinetic, k->widest,
                         k->widest_rate, k->widest_slip, k->inertia, k->tangents};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) sti_free(k->env, all[i]);
    sti_instant_destroy(k->env, k->instant);
}

sti_status sti_verify_recorded_system(sti_env* env, const sti_recorded_system* recorded, const sti_system* system,
                                      const sti_system_verify_options* options, sti_system_verification* out) {
    checker k = {.env = env,
                 .w = recorded,
                 .system = system,
                 .options = options != NULL ? *options : sti_system_verify_options_default(),
                 .out = out,
                 .n = sti_system_coordinate_count(system),
                 .p = sti_system_contact_count(system),
                 .joints = sti_system_joint_count(system)};
    memset(out, 0, sizeof *out);
    for (int i = 0; i < STI_SYSTEM_CHECK_COUNT; i++) out->check[i] = (sti_run_check){.frame = -1, .body = -1};
    if (recorded->n != k.n || recorded->contact_count != k.p || recorded->rows < 1)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1,
                        "%d coordinates and %d contacts are recorded, and the system has %d and %d", recorded->n,
                        recorded->contact_count, k.n, k.p);
    if (!(k.options.tol > 0))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "tol %g: a positive number expected", k.options.tol);
    sti_status status = allocate(&k);
    if (status == STI_OK) find_scales(&k);
    if (status == STI_OK) status = find_spreads(&k);
    k.length = sti_check_scale(k.length);
    if (status == STI_OK) status = check_steps(&k);
    if (status == STI_OK) conclude(&k);
    clear(&k);
    return status;
}
