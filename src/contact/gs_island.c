// gs_island.c: block Gauss-Seidel on one island of contacts, extrapolated.
//
// A sweep solves the contacts one after the other, each exactly (one_contact.c) with the others held:
//
//     b_c = q_c + sum_{j != c} W_cj r_j,     r_c <- r_c + step_c (r*(b_c) - r_c),     r* solving the contact alone.
//
// step_c is omega, times 1/2 for contacts with mu |A_nt| / A_nn > 1/2. Such a block answers a change of b_n with 1 /
// (1 - mu |A_nt| / A_nn) times the force, and the plain sweep is thrown to and fro between two of them for ever.
//
// x -> g(x), one sweep, is extrapolated (anderson.c). Four rules keep that honest; |f| is the length of the sweep's
// move in units of sqrt(energy), free of charge.
//   E1  the extrapolated point is projected on the cones; it is taken only so far from g(x) that the projection changes
//       it by at most |f|. The piece of g that the history describes ends where contacts reach their cones.
//   E2  when the next |f| is larger than 1.5 times the least one, the point is given up for the plain one before it.
//       After that come 2, 4, at most 8 plain sweeps, and the history begins anew: an island on which extrapolation
//       is of no use is swept plainly nearly all the time.
//   E3  no tenth gained within 12 sweeps: the same.
//   E4  at the end of these plain sweeps the island may be drifting: forces move along the kernel of W by nearly the
//       same f in every sweep, until some contact opens. f(t) = f + t (f - f_previous) says how far to go: to the
//       least |f(t)|, or on to the cones (as in E1, half as much) where |f| does not fall.
//
// Settled contacts sleep: one that moved by less than a tenth of its share of the goal in three sweeps is skipped for
// 1, 2, ... 8 sweeps, longer if it is found unmoved again. All are awake after E2 and E3 and after a measurement that
// did not pass. A portfolio may ask that an island end when the gain of the last sweeps says that it will not get there
// within those it is allowed. None of this enters the verdict: the natural map is measured with u recomputed for every
// contact, when the moves promise that it will pass and at least every 32 sweeps.
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "contact/bsr_row.h"
#include "contact/cone.h"
#include "contact/gs.h"
#include "contact/local.h"
#include "contact/one_plane.h"

enum {
    MEASURE_EVERY = 32,   // sweeps
    STALL_WINDOW = 12,    // E3
    PLAIN_SHIFT_MAX = 3,  // E2: at most 1 << 3 plain sweeps
    SHUFFLE_EVERY = 16,   // failures of E2 and E3 after which the order is shuffled
    STILL_BEFORE_SLEEP = 3,
    SLEEP_SHIFT_MAX = 3,  // at most 1 << 3 sweeps
    PATIENCE = 4000,      // sweeps without a tenth gained in the natural map: stalled
    RECENT = 4,           // sweeps whose gain tells how many are to come
    OUTLOOK = 8,          // sweeps before that is asked
    HANDFUL = 8,          // contacts that may crawl, see there
};

#define GROWTH_ALLOWED 1.5  // E2
#define STALL_GAIN 0.9      // E3
#define DRIFT_LIMIT 1e8     // E4: sweeps in one leap
#define LEAP_LEAST 2.0
#define STILL_SHARE 0.1
#define OVERTIME 1.2  // sweeps to come, presumably, over those allowed, from which on an island crawls

sti_status sti_gs_lane_create(sti_env* env, int d, int capacity, sti_gs_lane* lane) {
    *lane = (sti_gs_lane){.capacity = capacity};
    const size_t nc = (size_t)capacity, n = (size_t)d * nc, chunks = nc / STI_GS_CHUNK + 1;
    double* memory = sti_alloc(env, (6 * n + 2 * chunks) * sizeof *memory + 2 * nc);
    if (memory == NULL) return STI_ERR_MEMORY;
    lane->memory = memory;
    lane->before = memory;
    lane->after = lane->before + n;
    lane->move = lane->after + n;
    lane->target = lane->move + n;
    lane->keep = lane->target + n;
    lane->best = lane->keep + n;
    lane->partial = lane->best + n;
    lane->still = (unsigned char*)(lane->partial + 2 * chunks);
    lane->sleep = lane->still + nc;
    const sti_status status = sti_anderson_create(env, d * capacity, d * STI_GS_CHUNK, &lane->mix);
    if (status != STI_OK) sti_gs_lane_destroy(env, lane);
    return status;
}

void sti_gs_lane_destroy(sti_env* env, sti_gs_lane* lane) {
    sti_anderson_destroy(env, &lane->mix);
    sti_free(env, lane->memory);
    *lane = (sti_gs_lane){0};
}

// ---- the island at work ----

typedef struct work {
    const sti_gs* s;
    sti_gs_lane* lane;
    sti_gs_island* island;
    const int* order;  // contacts of the island     (count)
    sti_bsr rows;      // rows of a large island, see there
    double still;      // a move below this is none
    double reach;      // part of the way to target for the chunk loops
    int colour_first;  // first cluster of the colour for the loop over its clusters
    // the iteration
    double length;          // |f|, stretched
    double plain_length;    // |f|, in units of r
    double least;           // E2: least |f|, a little relaxed by every plain sweep
    double window_least;    // E3: least |f| at the beginning of the window
    int window;             // E3: sweeps in the window
    int plain;              // plain sweeps still to be made
    int failures;           // of E2, E3 in a row
    long restarts;          // all failures
    bool shuffles;          // a new order before the next sweep
    bool extrapolated;      // r came from an extrapolation, keep is the way back
    double ratio;           // natural map per unit of plain_length, as last measured
    double refused;         // plain_length at the last measurement that did not pass
    double recent[RECENT];  // plain_length of the last sweeps
    long made;              // sweeps in this call
    long measured;          // sweep of the last measurement
    double best2;           // error2 of best
    double gain2;           // error2 when the last tenth was gained, and the sweep
    long gained;
} work;

static int chunk_count(const work* w) {
    return (w->island->count + STI_GS_CHUNK - 1) / STI_GS_CHUNK;
}

static int chunk_end(const work* w, int item) {
    const int end = (item + 1) * STI_GS_CHUNK;
    return end < w->island->count ? end : w->island->count;
}

// Sum of what the chunks left in partial[2 item + k].
static double total(const work* w, int k) {
    double sum = 0;
    for (int item = 0; item < chunk_count(w); item++) sum += w->lane->partial[2 * item + k];
    return sum;
}

static void swap(double** x, double** y) {
    double* z = *x;
    *x = *y;
    *y = z;
}

static void each_chunk(work* w, sti_task_work* body) {
    sti_tasks_run(w->lane->tasks, chunk_count(w), body, w);
}

// ---- the sweep ----

// b = q_c + sum over the other contacts of W_cj r_j
static inline void velocity_without(const work* w, int place, int c, double* b) {
    const sti_bsr* W = &w->s->p->W;
    const double *q = w->s->p->q + (size_t)W->d * (size_t)c, *r = w->s->r;
    for (int i = 0; i < W->d; i++) b[i] = q[i];
    if (w->rows.block != NULL) {
        const int64_t first = w->rows.row_start[place], last = w->rows.row_start[place + 1];
        if (W->d == 3)
            sti_bsr_add_row_3(&w->rows, first, last, r, b);
        else
            sti_bsr_add_row_2(&w->rows, first, last, r, b);
        return;
    }
    const int64_t first = W->row_start[c], own = W->diagonal[c], last = W->row_start[c + 1];
    if (W->d == 3) {
        sti_bsr_add_row_3(W, first, own, r, b);
        sti_bsr_add_row_3(W, own + 1, last, r, b);
    } else {
        sti_bsr_add_row_2(W, first, own, r, b);
        sti_bsr_add_row_2(W, own + 1, last, r, b);
    }
}

// Solves the contact at the place; returns by how much its r moved.
static double relax(const work* w, int place, double step) {
    const int d = w->s->p->d, c = w->order[place];
    double b[3], x[3] = {0}, moved = 0, *r = w->s->r + (size_t)d * (size_t)c;
    velocity_without(w, place, c, b);
    if (d == 2)
        sti_contact_block_solve_plane(&w->s->block[c], b, x);
    else
        sti_contact_block_solve(&w->s->block[c], b, x);
    if (step != 1) {
        for (int i = 0; i < d; i++) x[i] = r[i] + step * (x[i] - r[i]);
        if (step > 1) sti_cone_project(d, w->s->p->mu[c], x, x);
    }
    for (int i = 0; i < d; i++) {
        moved += fabs(x[i] - r[i]);
        r[i] = x[i];
    }
    return moved;
}

static void relax_unless_asleep(work* w, int place) {
    unsigned char *still = &w->lane->still[place], *sleep = &w->lane->sleep[place];
    if (*sleep > 0) {
        --*sleep;
        return;
    }
    if (relax(w, place, w->s->step[w->order[place]]) > w->still) {
        *still = 0;
        return;
    }
    if (*still < STILL_BEFORE_SLEEP + SLEEP_SHIFT_MAX) ++*still;
    if (*still >= STILL_BEFORE_SLEEP) *sleep = (unsigned char)(1 << (*still - STILL_BEFORE_SLEEP));
}

static void wake(work* w) {
    memset(w->lane->still, 0, (size_t)w->island->count);
    memset(w->lane->sleep, 0, (size_t)w->island->count);
}

static void relax_cluster(void* context, int item, int worker) {
    (void)worker;
    work* w = context;
    const int* start = w->s->cluster_start + w->island->first + w->colour_first + item;
    for (int a = start[0]; a < start[1]; a++) relax_unless_asleep(w, a);
}

// after, move, and the sums |f|^2 stretched and plain
static void compare_chunk(void* context, int item, int worker) {
    (void)worker;
    work* w = context;
    const int d = w->s->p->d;
    double stretched = 0, plain = 0;
    for (int a = item * STI_GS_CHUNK; a < chunk_end(w, item); a++) {
        const int c = w->order[a];
        const double stretch = w->s->stretch[c], *r = w->s->r + (size_t)d * (size_t)c;
        for (int i = 0; i < d; i++) {
            const double move = r[i] - w->lane->before[d * a + i];
            w->lane->after[d * a + i] = r[i];
            w->lane->move[d * a + i] = stretch * move;
            plain += move * move;
            stretched += (stretch * move) * (stretch * move);
        }
    }
    w->lane->partial[2 * item] = stretched;
    w->lane->partial[2 * item + 1] = plain;
}

static void sweep(work* w) {
    const sti_gs_island* island = w->island;
    if (island->colours == 0) {
        for (int a = 0; a < island->count; a++) relax_unless_asleep(w, a);
    } else {
        const int* start = w->s->colour_start + island->first;
        for (int k = 0; k < island->colours; k++) {
            w->colour_first = start[k];
            sti_tasks_run(w->lane->tasks, start[k + 1] - start[k], relax_cluster, w);
        }
    }
    each_chunk(w, compare_chunk);
    w->length = sqrt(total(w, 0));
    w->plain_length = sqrt(total(w, 1));
    w->island->sweeps++;
}

// ---- the measurement ----

static void measure_chunk(void* context, int item, int worker) {
    (void)worker;
    work* w = context;
    const sti_contact_local* p = w->s->p;
    const int d = p->d;
    double error2 = 0, size2 = 0;
    for (int a = item * STI_GS_CHUNK; a < chunk_end(w, item); a++) {
        const int c = w->order[a];
        const double* r = w->s->r + (size_t)d * (size_t)c;
        double u[3];
        sti_bsr_row_multiply(&p->W, c, w->s->r, u);
        for (int i = 0; i < d; i++) {
            u[i] += p->q[(size_t)d * (size_t)c + (size_t)i];
            size2 += r[i] * r[i];
        }
        error2 += sti_contact_natural_map_one(d, p->mu[c], p->rho[c], r, u);
    }
    w->lane->partial[2 * item] = error2;
    w->lane->partial[2 * item + 1] = size2;
}

static void measure(work* w) {
    each_chunk(w, measure_chunk);
    w->island->error2 = total(w, 0);
    w->island->size2 = total(w, 1);
}

void sti_gs_measure(const sti_gs* s, sti_gs_lane* lane, sti_gs_island* island) {
    work w = {.s = s, .lane = lane, .island = island, .order = s->order + island->first};
    measure(&w);
}

static double goal2(const work* w, const sti_gs_goal* goal) {
    return goal->share * sti_gs_unit2(w->s->p, goal->other2 + w->island->size2) * (goal->tol * goal->tol);
}

static void read_point(const work* w, double* to) {
    const int d = w->s->p->d;
    for (int a = 0; a < w->island->count; a++)
        memcpy(to + (size_t)(d * a), w->s->r + (size_t)d * (size_t)w->order[a], (size_t)d * sizeof(double));
}

static void write_back(const work* w, const double* from) {
    const int d = w->s->p->d;
    for (int a = 0; a < w->island->count; a++)
        memcpy(w->s->r + (size_t)d * (size_t)w->order[a], from + (size_t)(d * a), (size_t)d * sizeof(double));
}

// Will it take longer than it may? Presumably: by the gain of the last sweeps.
// A handful of contacts goes on: by Newton's method from there auto says of a box at rest on four corners that some of
// them slide (tol 1e-13, contact.contact_solve). No difference in time on 33 listed and 234 generated problems.
static bool crawls(work* w, const sti_gs_goal* goal) {
    const double now = w->plain_length, before = w->recent[w->made % RECENT];
    w->recent[w->made++ % RECENT] = now;
    if (!(goal->at_most > 0) || w->made < OUTLOOK || w->island->count <= HANDFUL || !(now > 0)) return false;
    const double part = goal->at_most / goal->share, gain = log(before / now) / RECENT;
    const double ahead = log(now * w->ratio / sqrt(goal2(w, goal) * part));
    return !((double)w->island->sweeps * gain + ahead <= OVERTIME * (double)goal->sweep_limit * gain);
}

// Measures where the moves promise success, or it is time. True: the island is done, or given up.
static bool conclude(work* w, const sti_gs_goal* goal) {
    const long sweeps = w->island->sweeps;
    const bool late = (w->s->stop_at < INFINITY && sti_clock() > w->s->stop_at) || sti_late(w->s->p->env);
    w->island->crawls = crawls(w, goal);
    const bool last = late || w->island->crawls || sweeps >= goal->sweep_limit;
    const bool promising = w->plain_length * w->ratio <= 1.2 * sqrt(goal2(w, goal)) &&
                           (w->plain_length <= 0.9 * w->refused || sweeps >= w->measured + MEASURE_EVERY / 4);
    if (!last && !promising && sweeps < w->measured + MEASURE_EVERY) return false;
    measure(w);
    w->measured = sweeps;
    w->refused = w->plain_length;
    sti_gs_island* island = w->island;
    const double error = sqrt(island->error2);
    w->ratio = w->plain_length > 0 ? fmin(fmax(error / w->plain_length, 0.01), 100) : 1;
    if (goal->report && w->s->options->trace != NULL) {
        const double unit = fmax(w->s->p->scale, sqrt(island->size2));
        w->s->options->trace(w->s->options->trace_user, "gs", sweeps, unit > 0 ? error / unit : error);
    }
    island->done = island->error2 <= goal2(w, goal);
    if (island->done) return true;
    if (promising) wake(w);
    if (island->error2 < w->best2) {
        w->best2 = island->error2;
        memcpy(w->lane->best, w->lane->after, (size_t)(w->s->p->d * island->count) * sizeof(double));
    }
    if (island->error2 <= 0.81 * w->gain2) {
        w->gain2 = island->error2;
        w->gained = sweeps;
    }
    island->stalled = isnan(island->error2) || sweeps > w->gained + PATIENCE;
    return last || island->stalled;
}

// ---- the extrapolation ----

// r = before = P(x), x = after + reach (target - after), and the sum |x - P(x)|^2, stretched.
static void place_chunk(void* context, int item, int worker) {
    (void)worker;
    work* w = context;
    const int d = w->s->p->d;
    double sum = 0;
    for (int a = item * STI_GS_CHUNK; a < chunk_end(w, item); a++) {
        const int c = w->order[a];
        const double *from = w->lane->after + (size_t)(d * a), *to = w->lane->target + (size_t)(d * a);
        double x[3] = {0}, change2 = 0, *y = w->lane->before + (size_t)(d * a), *r = w->s->r + (size_t)d * (size_t)c;
        for (int i = 0; i < d; i++) x[i] = from[i] + w->reach * (to[i] - from[i]);
        sti_cone_project(d, w->s->p->mu[c], x, y);
        for (int i = 0; i < d; i++) {
            change2 += (x[i] - y[i]) * (x[i] - y[i]);
            r[i] = y[i];
        }
        sum += change2 * (w->s->stretch[c] * w->s->stretch[c]);
    }
    w->lane->partial[2 * item] = sum;
}

static bool place(work* w, double reach, double allowed) {
    w->reach = reach;
    each_chunk(w, place_chunk);
    return sqrt(total(w, 0)) <= allowed;
}

// E1: r as far from after towards target as the cones allow, to a few percent; after is kept as the way back.
static void place_within(work* w, double allowed) {
    if (!place(w, 1, allowed)) {
        double low = 1e-10, high = 1;
        for (int i = 0; i < 14 && high > 1.05 * low; i++) {
            const double middle = high > 4 * low ? sqrt(low * high) : 0.5 * (low + high);
            if (place(w, middle, allowed))
                low = middle;
            else
                high = middle;
        }
        place(w, low, allowed);
    }
    swap(&w->lane->keep, &w->lane->after);
    w->extrapolated = true;
}

// E4: sweeps to leap over, from the last two moves.
static double leap_length(const work* w) {
    const int n = w->s->p->d * w->island->count;
    const double *f = w->lane->move, *f_last = w->lane->mix.f_last;
    double change2 = 0, product = 0;
    for (int i = 0; i < n; i++) {
        const double change = f[i] - f_last[i];
        change2 += change * change;
        product += change * f[i];
    }
    return product < 0 && -product < DRIFT_LIMIT * change2 ? -product / change2 : DRIFT_LIMIT;
}

// True: r is the point of the leap.
static bool leap(work* w) {
    const double t = leap_length(w);
    if (!(t > LEAP_LEAST)) return false;
    const int n = w->s->p->d * w->island->count;
    sti_gs_lane* lane = w->lane;
    for (int i = 0; i < n; i++) lane->target[i] = lane->after[i] + t * (lane->after[i] - lane->before[i]);
    place_within(w, 0.5 * w->length);
    return true;
}

// A new order of the sweep, the same in every run. What is kept by places goes along or is taken anew.
static void shuffle(work* w) {
    const int d = w->s->p->d;
    sti_rng rng = {.state = (uint64_t)w->restarts};
    int* order = w->s->order + w->island->first;
    for (int i = w->island->count - 1; i > 0; i--) {
        const int j = sti_rng_int(&rng, 0, i), c = order[i];
        order[i] = order[j];
        order[j] = c;
        for (int k = 0; k < d; k++) {
            const double x = w->lane->best[d * i + k];
            w->lane->best[d * i + k] = w->lane->best[d * j + k];
            w->lane->best[d * j + k] = x;
        }
    }
    read_point(w, w->lane->before);
    sti_anderson_forget(&w->lane->mix);
    w->shuffles = false;
}

// E2 and E3: plain sweeps, then a new history.
static void restart(work* w) {
    w->failures++;
    w->restarts++;
    w->plain = 1 << (w->failures < PLAIN_SHIFT_MAX ? w->failures : PLAIN_SHIFT_MAX);
    w->extrapolated = false;
    w->window = 0;
    w->window_least = INFINITY;
    sti_anderson_forget(&w->lane->mix);
    wake(w);
    w->shuffles = w->restarts % SHUFFLE_EVERY == 0 && w->island->colours == 0;
}

// After a sweep: where the next one starts, in r and in before.
static void advance(work* w) {
    if (w->extrapolated && !(w->length <= GROWTH_ALLOWED * w->least)) {  // E2
        write_back(w, w->lane->keep);
        swap(&w->lane->before, &w->lane->keep);
        restart(w);
        return;
    }
    w->least = w->extrapolated || w->length < w->least ? fmin(w->least, w->length) : fmin(1.1 * w->least, w->length);
    w->extrapolated = false;
    if (w->plain == 0 && ++w->window > STALL_WINDOW) {  // E3
        if (w->least > STALL_GAIN * w->window_least) {
            restart(w);
        } else {
            w->window = 0;
            w->window_least = w->least;
            w->failures = 0;
        }
    }
    sti_anderson* mix = &w->lane->mix;
    if (w->plain == 0) {
        sti_anderson_push(mix, w->lane->move, w->lane->after);
        if (sti_anderson_mix(mix, w->lane->target)) place_within(w, w->length);
    } else if (--w->plain == 0 && mix->primed && leap(w)) {  // E4
        sti_anderson_forget(mix);
    } else {
        sti_anderson_forget(mix);
        sti_anderson_push(mix, w->lane->move, w->lane->after);
    }
    if (!w->extrapolated) swap(&w->lane->before, &w->lane->after);
}

// A contact that meets no other is solved by one visit.
static void settle_alone(work* w, const sti_gs_goal* goal) {
    relax(w, 0, 1);
    w->island->sweeps++;
    measure(w);
    w->island->done = w->island->error2 <= goal2(w, goal);
    w->island->stalled = !w->island->done;
}

void sti_gs_settle(const sti_gs* s, sti_gs_lane* lane, const sti_gs_goal* goal, sti_gs_island* island) {
    work w = {.s = s, .lane = lane, .island = island, .order = s->order + island->first};
    w.best2 = w.gain2 = island->error2;
    island->done = island->error2 <= goal2(&w, goal);
    if (island->done) return;
    if (island->count == 1) {
        settle_alone(&w, goal);
        return;
    }
    w.rows = (sti_bsr){.row_start = island->row_start, .col = island->col, .block = island->block};
    w.least = w.window_least = w.refused = INFINITY;
    w.ratio = 0.4;  // what is usual
    w.measured = w.gained = island->sweeps;
    sti_anderson_begin(&lane->mix, s->p->d * island->count, lane->tasks);
    read_point(&w, lane->before);
    memcpy(lane->best, lane->before, (size_t)(s->p->d * island->count) * sizeof(double));
    wake(&w);
    for (;;) {
        if (w.shuffles) shuffle(&w);
        w.still = STILL_SHARE * sqrt(goal2(&w, goal) / island->count);
        sweep(&w);
        if (conclude(&w, goal)) break;
        advance(&w);
    }
    if (!island->done && !(island->error2 <= w.best2)) {
        write_back(&w, lane->best);
        measure(&w);
    }
}
