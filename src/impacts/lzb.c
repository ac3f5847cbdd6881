// lzb.c: the law of multiple impacts of Liu, Zhao and Brogliato (Proc. R. Soc. A 464 (2008) 3193-3211, with
// friction 465 (2009) 1-23): every contact is a spring of stiffness K_i and exponent eta that gives back e_i^2 of the
// work it took, Stronge's energetic coefficient; the ratios of the stiffnesses say how the impulses are distributed.
//
// The law is printed in impulses: dP_j/dP_i = (K_j/K_i)^(1/(eta+1)) (E_j/E_i)^(eta/(eta+1)), with E_j the potential
// energy of contact j, dE_j = -u_j dP_j in compression and -u_j dP_j / e_j^2 in expansion (bi-stiffness). At E = 0 this
// is singular. With  E_j = K_j y_j^(eta+1) / (eta+1)  it is an ordinary differential equation that is not:
//
//     F_j = K_j y_j^eta,     z' = F,     u = u0 + W z,     y_j' = -u_j  while u_j <= 0,  -u_j / e_j^2
//         while u_j > 0 < y_j.
//
// Letters: u local velocities (quasi-normal, slips), z impulses (pbar; p_t), as in work.h. In these coordinates
// a spring K_i of the gap itself has K_i |n_i|^(eta+1). A common factor of all K only changes the unit of time.
//
// e_j = 0 (anything below RIGID): once compression ends the force falls at once to what keeps u_j = 0, at most F_j; the
// contact is held, and lets go when that force would pull. Friction of contacts with one slip is Coulomb's at every
// instant: p_t' = -mu F sgn(v_t) while it slips, what keeps v_t = 0 while that is within mu F.
//
// Between two events (a sign of u_j, y_j or v_t changes, friction gives way) the right side is smooth: Dormand and
// Prince's pair of orders 5 and 4, and an event is located by bisection of the step. The work is integrated beside, so
// that at the end T+ - T- = sum over contacts of -(1 - e^2) work_c + work_t is a check and not a definition.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "impacts/work.h"
#include "linalg/dense_algebra.h"

#define ACCURACY 1e-12
#define RIGID 1e-3
#define CREEP 1e-9
enum { STEP_LIMIT = 400000, EVENT_LIMIT = 20000, STAGES = 7, QUIET = 50 };

enum { APART, COMPRESSED, EXPANDING, HELD };
enum { STICKS, SLIPS, LEAVES };  // in space, beside -1 and 1 in the plane: 0 in both sticks

typedef struct lzb {
    sti_impact_work* w;
    int p, s, size;                // size of the state: z (p+s), y (p), work_c (p), work_r (p), work_t (s)
    double eta;                    // exponent
    double speed;                  // unit of velocities
    double depth;                  // of y
    double* K;                     // (p)
    int* normal;                   // APART, ..                                       (p)
    int* slip;                     // +1, -1, 0: sticks; in space STICKS, ..          (s)
    int* of;                       // contact of each slip                            (s)
    double* dir;                   // unit slip: friction is -mu F dir                (s)
    double* state;                 // (size)
    double* next;                  // (size)
    double* trial;                 // (size)
    double* stage;                 // (STAGES x size)
    double* u;                     // (p+s)
    double* F;                     // forces, normal and tangential                   (p+s)
    double* spring;                // what the springs would give                     (p)
    double *A, *b, *x, *Z, *rest;  // equations of what is held           ((p+s)^2, ..)
    int *row, *index, *joins;
    double force;  // largest force so far
    bool wedge;    // friction holds springs pressed for good
    int loud;      // events until the last time that something was left
} lzb;

static void velocities(const lzb* k, const double* state, double* u) {
    const int a = k->p + k->s;
    sti_small_apply(a, a, k->w->space->W, state, u);
    for (int i = 0; i < a; i++) u[i] += k->w->u0[i];
}

static double friction(const lzb* k, int i) {
    return k->w->out->mu[i] / k->w->space->norm[i];
}

static bool in_space(const lzb* k, int i) {
    return k->w->out->slip[i + 1] - k->w->out->slip[i] > 1;
}

// Length over the slips of a contact in space.
static double length(const lzb* k, int i, const double* x) {
    return hypot(x[k->w->out->slip[i]], x[k->w->out->slip[i] + 1]);
}

// Directions of slip at the velocities u. One that leaves rest has been chosen.
static void directions(lzb* k) {
    for (int l = 0; l < k->s; l++) {
        const int i = k->of[l];
        if (!in_space(k, i))
            k->dir[l] = k->slip[l];
        else if (k->slip[l] == STICKS)
            k->dir[l] = 0;
        else if (k->slip[l] == SLIPS)
            k->dir[l] = k->u[k->p + l] / fmax(length(k, i, k->u + k->p), 1e-300);
    }
}

// Forces at a state, whose velocities are in u: springs, friction of what slips, and what keeps held normals and
// sticking slips at rest.
static void forces(lzb* k, const double* state) {
    const int p = k->p, s = k->s, a = p + s;
    const double *y = state + a, *W = k->w->space->W;
    int count = 0;
    directions(k);
    for (int i = 0; i < p; i++) {
        k->spring[i] = k->normal[i] == APART ? 0 : k->K[i] * pow(fmax(y[i], 0), k->eta);
        k->F[i] = k->normal[i] == HELD ? 0 : k->spring[i];
        if (k->normal[i] == HELD) k->row[count++] = i;
    }
    for (int l = 0; l < s; l++) {
        const int i = k->of[l];
        k->F[p + l] = -friction(k, i) * k->dir[l] * k->F[i];
        if (k->slip[l] == 0 && k->normal[i] != APART && k->w->out->mu[i] > 0) k->row[count++] = p + l;
    }
    if (count == 0) return;
    for (int r = 0; r < count; r++) {
        const double* row = W + sti_at(a, k->row[r], 0);
        k->b[r] = -sti_vector_dot(a, row, k->F);
        for (int c = 0; c < count; c++) {
            const int j = k->row[c];
            double entry = row[j];
            for (int l = 0; j < p && l < s; l++) {
                if (k->of[l] == j) entry -= friction(k, j) * k->dir[l] * row[p + l];
            }
            k->A[sti_at(count, r, c)] = entry;
        }
    }
    sti_dense_solve(count, count, k->A, k->b, STI_IMPACT_RANK_TOL, k->x, k->Z, k->rest, k->index);
    for (int c = 0; c < count; c++) k->F[k->row[c]] = k->x[c];
    for (int l = 0; l < s; l++) {
        if (k->slip[l] != 0) k->F[p + l] = -friction(k, k->of[l]) * k->dir[l] * k->F[k->of[l]];
    }
}

static void derivative(lzb* k, const double* state, double* out) {
    const int p = k->p, s = k->s, a = p + s;
    velocities(k, state, k->u);
    forces(k, state);
    memcpy(out, k->F, (size_t)a * sizeof *out);
    for (int i = 0; i < p; i++) {
        const double e = k->w->e[i], u = k->u[i];
        out[a + i] = k->normal[i] == COMPRESSED ? -u : k->normal[i] == EXPANDING ? -u / (e * e) : 0;
        out[a + p + i] = k->normal[i] == COMPRESSED ? -u * k->F[i] : 0;
        out[a + 2 * p + i] = k->normal[i] == EXPANDING ? u * k->F[i] : 0;
    }
    for (int l = 0; l < s; l++) out[a + 3 * p + l] = k->slip[l] == 0 ? 0 : k->u[p + l] * k->F[p + l];
}

// One step of length h from the state to `out`; the error estimate relative to the accuracy asked for.
static double integrate(lzb* k, double h, double* out) {
    static const double c[STAGES][STAGES - 1] = {
        {0},
        {1.0 / 5},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static const double d[STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                     -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    const int size = k->size, a = k->p + k->s;
    for (int m = 0; m < STAGES; m++) {
        memcpy(out, k->state, (size_t)size * sizeof *out);
        for (int l = 0; l < m; l++) {
            for (int i = 0; i < size; i++) out[i] += h * c[m][l] * k->stage[sti_at(size, l, i)];
        }
        derivative(k, out, k->stage + sti_at(size, m, 0));
    }
    double worst = 0;
    for (int i = 0; i < a + k->p; i++) {
        double error = 0;
        for (int m = 0; m < STAGES; m++) error += d[m] * k->stage[sti_at(size, m, i)];
        worst = fmax(worst, fabs(h * error) / (i < a ? k->speed : k->depth));
    }
    return worst / ACCURACY;
}

// ---- events: every one is a function that falls below -small in the mode that ends

typedef struct event {
    int row;  // contact, or p + slip; -1: none
    double value;
} event;

static void least(event* e, int row, double value) {
    if (value < e->value) *e = (event){row, value};
}

// Kinetic size of the slips of a contact in space.
static double tan_of(const lzb* k, int i) {
    return fmax(k->w->tan[k->w->out->slip[i]], k->w->tan[k->w->out->slip[i] + 1]);
}

static double change_of(const lzb* k, int row) {  // of a velocity, by the forces
    const int a = k->p + k->s;
    return sti_vector_dot(a, k->w->space->W + sti_at(a, row, 0), k->F);
}

// Of the slips of a contact in space; l is the first.
static void look_in_space(const lzb* k, int l, double force, event* e) {
    const int i = k->of[l];
    const double* v = k->u + k->p;
    const double unit = k->speed * tan_of(k, i), speed = length(k, i, v) / unit;
    if (k->slip[l] == SLIPS) least(e, k->p + l, speed - CREEP);
    if (k->slip[l] == LEAVES) {
        const double along = (v[l] * k->dir[l] + v[l + 1] * k->dir[l + 1]) / unit;
        const double change = k->dir[l] * change_of(k, k->p + l) + k->dir[l + 1] * change_of(k, k->p + l + 1);
        if (along > 0) least(e, k->p + l, 4 * CREEP - speed);
        if (change < 0) least(e, k->p + l, along + 2 * CREEP);
    }
    if (k->slip[l] == STICKS)
        least(e, k->p + l, (friction(k, i) * k->F[i] - length(k, i, k->F + k->p)) * tan_of(k, i) / force);
}

static bool is_rigid(const lzb* k, int i) {
    return k->w->e[i] < RIGID;
}

// A force that rises again takes a held contact back into compression, at rest: it is not held before the spring has
// caught up.
static bool catches_up(const lzb* k, int i) {
    return is_rigid(k, i) && k->u[i] > 0 && change_of(k, i) < 0;
}

// A slip that has just left rest, with a rounded velocity of the other sign.
static bool starts(const lzb* k, int l) {
    return k->slip[l] * change_of(k, k->p + l) > 0;
}

// The event farthest past its end at a state; row -1: all modes fit it.
static event look(lzb* k, const double* state) {
    const double small = 1e-12;
    const double* y = state + k->p + k->s;
    event e = {-1, -small};
    velocities(k, state, k->u);
    forces(k, state);
    for (int i = 0; i < k->p; i++) k->force = fmax(k->force, fabs(k->F[i]));
    const double force = fmax(k->force, 1e-300);
    for (int i = 0; i < k->p; i++) {
        const double u = k->u[i] / k->speed;
        if (k->normal[i] == APART) least(&e, i, u);
        if (k->normal[i] == COMPRESSED && !catches_up(k, i)) least(&e, i, -u);
        if (k->normal[i] == EXPANDING) least(&e, i, fmin(u, y[i] / k->depth));
        if (k->normal[i] == HELD) least(&e, i, fmin(k->F[i], k->spring[i] - k->F[i]) / force);
    }
    for (int l = 0; l < k->s; l++) {
        const int i = k->of[l];
        if (k->normal[i] == APART || k->w->out->mu[i] == 0) continue;
        if (in_space(k, i)) {
            if (l == k->w->out->slip[i]) look_in_space(k, l, force, &e);
        } else if (k->slip[l] == 0) {
            least(&e, k->p + l, (friction(k, i) * k->F[i] - fabs(k->F[k->p + l])) * k->w->tan[l] / force);
        } else if (!starts(k, l)) {
            least(&e, k->p + l, k->slip[l] * k->u[k->p + l] / (k->speed * k->w->tan[l]));
        }
    }
    return e;
}

// Slips of a contact that begins to press.
static void take_slips(lzb* k, int i) {
    for (int l = 0; l < k->s; l++) {
        if (k->of[l] != i) continue;
        const double unit = k->speed * k->w->tan[l], v = k->u[k->p + l] / unit;
        if (in_space(k, i))
            k->slip[l] = length(k, i, k->u + k->p) > 2 * CREEP * k->speed * tan_of(k, i) ? SLIPS : STICKS;
        else
            k->slip[l] = v > 1e-12 ? 1 : v < -1e-12 ? -1 : 0;
    }
}

// In space: at the end of a slip it sticks if it can; where it cannot it leaves against the force that would be needed.
static void change_in_space(lzb* k, int l) {
    const int i = k->of[l];
    const double size = fmax(length(k, i, k->F + k->p), 1e-300);
    const bool quick = length(k, i, k->u + k->p) > 3 * CREEP * k->speed * tan_of(k, i);
    int next = STICKS;
    if (k->slip[l] == STICKS) next = LEAVES;
    if (k->slip[l] == LEAVES && quick) next = SLIPS;
    for (int j = l; j < l + 2; j++) {
        if (next == LEAVES) k->dir[j] = -k->F[k->p + j] / size;
        k->slip[j] = next;
    }
}

// After compression: the spring falls to what holds the contact.
static void relax(lzb* k, int i, double* y) {
    if (k->F[i] < k->spring[i]) y[i] = pow(fmax(k->F[i], 0) / k->K[i], 1 / k->eta);
}

static void change(lzb* k, const event* e) {
    double* y = k->state + k->p + k->s;
    const int i = e->row, l = e->row - k->p;
    if (i >= k->p && in_space(k, k->of[l])) {
        change_in_space(k, l);
    } else if (i >= k->p) {
        // At the end of a slip it sticks if it can; where it cannot it slips against the force that would be needed.
        k->slip[l] = k->slip[l] != 0 ? 0 : k->F[i] > 0 ? -1 : 1;
    } else if (k->normal[i] == APART) {
        k->normal[i] = COMPRESSED;
        take_slips(k, i);
    } else if (k->normal[i] == COMPRESSED) {
        k->normal[i] = is_rigid(k, i) ? HELD : EXPANDING;
    } else if (k->normal[i] == EXPANDING) {
        k->normal[i] = y[i] <= 1e-11 * k->depth ? APART : COMPRESSED;
    } else {
        k->normal[i] = k->F[i] > 0 ? COMPRESSED : APART;
    }
    if (i < k->p && k->normal[i] == APART) y[i] = 0;
    if (i < k->p && k->normal[i] == HELD) {
        forces(k, k->state);
        relax(k, i, y);
    }
}

static bool is_small(lzb* k) {
    const double* y = k->state + k->p + k->s;
    double stored = 0;
    velocities(k, k->state, k->u);
    for (int i = 0; i < k->p; i++) {
        if (k->normal[i] != APART) stored += k->K[i] * pow(fmax(y[i], 0), k->eta + 1);
        if (k->u[i] < -5e-11 * k->speed) return false;
    }
    return stored <= 1e-20 * k->speed * k->speed;
}

// What springs still hold and contacts still close with is no more than 1e-10 of the velocities, and has been for QUIET
// events: with little restitution a row of contacts hands ever smaller blows to and fro, without an end. (Not at once:
// where friction draws a sliding contact in, forces grow again from next to nothing.)
static bool spent(lzb* k, int events) {
    if (!is_small(k)) k->loud = events;
    return events > k->loud + QUIET;
}

static bool finished(lzb* k, int events) {
    bool pressed = false;
    for (int i = 0; i < k->p; i++) {
        pressed = pressed || k->normal[i] == COMPRESSED || k->normal[i] == EXPANDING;
        if (k->normal[i] == HELD && fabs(k->F[i]) > 1e-9 * k->force) return false;
    }
    return !pressed || spent(k, events);
}
// Friction may hold springs pressed for good, forces in balance and nothing moves: a wedge. The velocities have come to
// their end.
static bool wedged(lzb* k) {
    const double small = 1e-8 * k->speed, whole = k->depth / k->speed;
    for (int i = 0; i < k->p; i++) {
        if (k->normal[i] == APART) continue;
        if (fabs(k->u[i]) > small || fabs(change_of(k, i)) * whole > small) return false;
    }
    for (int l = 0; l < k->s; l++) {
        if (k->normal[k->of[l]] == APART || k->w->out->mu[k->of[l]] == 0 || k->slip[l] == 0) continue;
        if (fabs(k->u[k->p + l]) > small * k->w->tan[l] || fabs(change_of(k, k->p + l)) * whole > small * k->w->tan[l])
            return false;
    }
    return true;
}

// Rows of a wedge that come to rest: of what is pressed, and of what the others drive together (`joins`, p).
static int rows_at_rest(lzb* k, bool first) {
    const int a = k->p + k->s;
    int count = 0;
    velocities(k, k->state, k->u);
    for (int r = 0; r < a; r++) {
        const int i = r < k->p ? r : k->of[r - k->p];
        if (r < k->p) k->joins[i] = (!first && k->joins[i]) || k->normal[i] != APART || k->u[i] < 0;
        if (k->joins[i] && (r < k->p || k->w->out->mu[i] > 0)) k->row[count++] = r;
    }
    return count;
}

// Takes out what is left of the velocities of a wedge.
static void stop(lzb* k) {
    const int a = k->p + k->s;
    for (int pass = 0; pass <= k->p; pass++) {
        const int count = rows_at_rest(k, pass == 0);
        for (int r = 0; r < count; r++) {
            k->b[r] = -k->u[k->row[r]];
            for (int c = 0; c < count; c++) k->A[sti_at(count, r, c)] = k->w->space->W[sti_at(a, k->row[r], k->row[c])];
        }
        sti_dense_solve(count, count, k->A, k->b, STI_IMPACT_RANK_TOL, k->x, k->Z, k->rest, k->index);
        for (int c = 0; c < count; c++) k->state[k->row[c]] += k->x[c];
    }
}

// As far as h, or to the first event within: halves the bracket of its place.
static double advance(lzb* k, double h) {
    double* swap;
    if (look(k, k->next).row >= 0) {
        double low = 0, high = h;
        memcpy(k->trial, k->next, (size_t)k->size * sizeof *k->trial);
        while (high - low > 1e-15 * h) {
            const double middle = 0.5 * (low + high);
            if (middle <= low || middle >= high) break;
            integrate(k, middle, k->next);
            if (look(k, k->next).row >= 0) {
                high = middle;
                memcpy(k->trial, k->next, (size_t)k->size * sizeof *k->trial);
            } else {
                low = middle;
            }
        }
        memcpy(k->next, k->trial, (size_t)k->size * sizeof *k->next);
        h = high;
    }
    swap = k->state;
    k->state = k->next;
    k->next = swap;
    double* y = k->state + k->p + k->s;
    look(k, k->state);
    for (int i = 0; i < k->p; i++) {
        if (k->normal[i] == HELD) relax(k, i, y);
    }
    return h;
}

static sti_status reserve(lzb* k) {
    sti_arena* pool = k->w->pool;
    const size_t a = (size_t)(k->p + k->s), p = (size_t)k->p, s = (size_t)k->s, size = (size_t)k->size;
    k->K = sti_arena_doubles(pool, p);
    k->normal = sti_arena_ints(pool, p);
    k->slip = sti_arena_ints(pool, s);
    k->of = sti_arena_ints(pool, s);
    k->dir = sti_arena_doubles(pool, s);
    k->state = sti_arena_doubles(pool, size);
    k->next = sti_arena_doubles(pool, size);
    k->trial = sti_arena_doubles(pool, size);
    k->stage = sti_arena_doubles(pool, STAGES * size);
    k->u = sti_arena_doubles(pool, a);
    k->F = sti_arena_doubles(pool, a);
    k->spring = sti_arena_doubles(pool, p);
    k->A = sti_arena_doubles(pool, a * a);
    k->b = sti_arena_doubles(pool, a);
    k->x = sti_arena_doubles(pool, a);
    k->Z = sti_arena_doubles(pool, a * a);
    k->rest = sti_arena_doubles(pool, a * (a + 1));
    k->row = sti_arena_ints(pool, a);
    k->joins = sti_arena_ints(pool, p);
    k->index = sti_arena_ints(pool, 2 * a);
    return pool->status;
}

static sti_status set_springs(lzb* k) {
    const sti_impact_options* o = &k->w->options;
    double largest = 0;
    k->eta = o->exponent;
    if (!(o->exponent >= 1) || !isfinite(o->exponent))
        return STI_FAIL(k->w->env, STI_ERR_ARGUMENT, -1, "exponent %g: 1 (linear springs) or more", o->exponent);
    for (int i = 0; i < k->p; i++) {
        const double K = o->stiffness != NULL ? o->stiffness[i] : 1;
        if (!(K > 0) || !isfinite(K))
            return STI_FAIL(k->w->env, STI_ERR_ARGUMENT, i, "stiffness[%d] %g: a positive number", i, K);
        k->K[i] = K * pow(k->w->space->norm[i], k->eta + 1);
        largest = fmax(largest, k->K[i]);
    }
    for (int i = 0; i < k->p; i++) k->K[i] /= largest;
    for (int i = 0; i < k->p; i++) {
        for (int l = k->w->out->slip[i]; l < k->w->out->slip[i + 1]; l++) k->of[l] = i;
    }
    k->speed = fmax(k->w->speed, 1e-300);
    k->depth = pow(k->speed * k->speed, 1 / (k->eta + 1));
    return STI_OK;
}

// False: a common exponent and ratio of stiffnesses that numbers do not hold.
static bool springs_hold(const lzb* k) {
    for (int i = 0; i < k->p; i++) {
        if (!(k->K[i] > 0) || !isfinite(k->K[i])) return false;
    }
    return true;
}

// True when it came to the end.
static bool play(lzb* k) {
    const double whole = k->depth / k->speed;
    double h = 1e-3 * whole;
    int events = 0;
    for (int step = 0; step < STEP_LIMIT && !sti_late(k->w->env); step++) {
        for (event e = look(k, k->state); e.row >= 0; e = look(k, k->state)) {
            if (++events > EVENT_LIMIT) return false;
            change(k, &e);
            h = fmin(h, 1e-3 * whole);
        }
        if (finished(k, events)) return true;
        if (wedged(k)) {
            stop(k);
            return k->wedge = true;
        }
        double error = integrate(k, h, k->next);
        while (!(error <= 1) && h > 1e-14 * whole) {
            h *= isfinite(error) ? fmax(0.2, 0.9 * pow(error, -0.2)) : 0.2;
            error = integrate(k, h, k->next);
        }
        const double done = advance(k, h);
        if (done == h) h *= fmin(4, 0.9 * pow(fmax(error, 1e-6), -0.2));
        h = fmin(h, whole);
    }
    return false;
}

static bool asks_too_much(const sti_impact_work* w, sti_impact_answer* a) {
    for (int i = 0; i < w->out->p; i++) {
        if (!(w->e[i] >= 0 && w->e[i] <= 1))
            snprintf(a->why, sizeof a->why, "restitution %g of a contact: between 0 and 1", w->e[i]);
    }
    return a->why[0] != '\0';
}

sti_status sti_impact_springs(sti_impact_work* w, sti_impact_answer* a) {
    const int p = w->out->p, s = w->out->s;
    if (asks_too_much(w, a)) return STI_OK;
    a->applies = true;
    lzb k = {.w = w, .p = p, .s = s, .size = 4 * p + 2 * s};
    sti_status status = reserve(&k);
    if (status == STI_OK) status = set_springs(&k);
    if (status != STI_OK) return status;
    if (!springs_hold(&k)) {
        snprintf(a->why, sizeof a->why, "stiffnesses differ by more than numbers hold, with exponent %g", k.eta);
        return STI_OK;
    }
    if (!play(&k)) {
        snprintf(a->why, sizeof a->why, "its equations were not integrated to the end");
        return sti_late(w->env) ? STI_FAIL(w->env, STI_ERR_TIME, -1, "law %s: out of time", sti_impact_law_text(a->law))
                                : STI_OK;
    }
    a->complete = !k.wedge;
    if (k.wedge) snprintf(a->why, sizeof a->why, "friction wedges: springs stay pressed, and keep what they took");
    sti_impact_solution* x = NULL;
    status = sti_impact_add(w, a, k.state, &x);
    if (status != STI_OK) return status;
    x->work_c = k.state + 2 * p + s;
    x->work_t = k.state + 4 * p + s;
    for (int i = 0; i < p; i++) {
        const double e = w->e[i] < RIGID ? 0 : w->e[i];
        const double beyond = k.state[3 * p + s + i] - e * e * x->work_c[i];
        x->law = fmax(x->law, k.wedge ? beyond : fabs(beyond));
    }
    x->law /= fmax(w->speed * w->speed, 1e-300);
    return STI_OK;
}

sti_status sti_impact_lzb(sti_impact_work* w) {
    return sti_impact_springs(w, &w->out->laws[STI_IMPACT_LZB]);
}
