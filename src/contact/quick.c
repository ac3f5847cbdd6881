// quick.c: before anything is prepared: sweeps by columns of W, and Newton's method on the few contacts that still
// move.
//
//     u = W r + q,      Signorini's condition and Coulomb's law between r_c and u_c at every contact c
//
// The portfolio prepares blocks, islands, workspace, history. For small problems that is most of the time, and where
// few press among many, most of that is about contacts that never matter. Here W stays as it was given:
//
//   1. Gauss-Seidel with the exact one-contact solver (one_contact.c), by columns: u follows every change of r, so a
//      visit costs the columns of that contact, and what has not changed costs nothing: a contact that parts, or whose
//      u is what it was after its last visit, is passed over, and neighbours that move wake it through u. A contact
//      presses when its free velocity closes, or when others push it down; all others have no force and no column.
//      Where two sweeps moved along one line, r goes on along it, as far as the geometric series leads (leap): walls
//      take half as many sweeps. After a sweep |rho (u - u after the visit)| of all that press says how far it is, so
//      the error is looked at when that is below the tolerance, and then in full.
//   2. Newton's method on the function of Alart & Curnier (curnier.h) with full steps, on those that moved in the last
//      sweep, the others held, where sweeps would cost more: modes are mostly right by then, and in the plane one step
//      often is enough.
//
//     letter   here              letter   here
//     W        k->pusher[].of    rho      k->rho
//     r, u     k->r, k->u        y        unknowns of the pieces (quick_newton.c)
//
// Outcome. Solved: the residual on the data as given (judge.h), u computed from r afresh, is at most tol; the same
// verdict as for every other method, over all contacts. It is asked for where a sweep would change less than tol. Else
// nothing is proved: sweeps that crawl end the attempt, and the portfolio goes on from the best point.
//
// Cost. Two flops for each number in a column that is used, and 10 (plane) to 80 ns for a visit; a small dense
// factorization for a Newton step (quick_newton.c). Up to ROWS rows no memory is asked for.
#include "contact/quick.h"

#include <math.h>
#include <string.h>

#include "contact/cone.h"
#include "contact/islands.h"
#include "contact/judge.h"
#include "contact/local.h"
#include "contact/one_plane.h"
#include "contact/posed.h"
#include "contact/quick_columns.h"

enum {
    ROWS = 64,     // of problems that stay on the stack
    MOST = 4096,   // rows beyond which nothing is tried
    COLUMNS = 64,  // of W that may be copied: those of a dense matrix, or with entries out of order
    PART = 3,      // of contacts in space that press, where they are many: with more the portfolio does better
    SWEEPS = 80,
};

#define SLOW 0.3       // gain of a sweep from which on a leap is worth it
#define STRAIGHT 0.95  // squared cosine of the angle between two moves that count as along one line

typedef sti_column column;
typedef sti_pusher pusher;
typedef sti_quick quick;

// What there is of every contact and row
typedef struct everywhere {
    double W[ROWS * ROWS];
    double r[ROWS], u[ROWS], size[ROWS], move[ROWS], last_move[ROWS], rho[ROWS / 2], trace[ROWS / 2], own[ROWS];
    int slot[ROWS / 2], island[ROWS / 2];
    sti_contact_energy energy[ROWS / 2];
    pusher pusher[ROWS / 2];
} everywhere;

// ---- the data ----

static double diagonal_entry(const sti_matrix* W, int i) {
    if (W->dense != NULL) return W->dense[(size_t)i * (size_t)W->cols + (size_t)i];
    double s = 0;
    for (int64_t t = W->col_start[i]; t < W->col_start[i + 1]; t++) {
        if (W->row[t] == i) s += W->value[t];
    }
    return s;
}

static bool ascends(const int* row, int count) {
    bool down = false;
    for (int t = 1; t < count; t++) down |= row[t] <= row[t - 1];
    return !down;
}

// Is there room for copies? It is asked for when the first one is made.
static bool copies(quick* k) {
    if (k->W != NULL) return true;
    k->W = k->room = sti_alloc_array(k->env, COLUMNS * (size_t)k->n, sizeof *k->room);
    if (k->W == NULL) k->status = STI_ERR_MEMORY;
    return k->W != NULL;
}

// Column j of W as it is, or copied. False: there is no room.
static bool read_column(quick* k, int j, column* out) {
    const sti_matrix* W = &k->p->W;
    const int n = k->n;
    if (W->dense == NULL) {
        const int64_t first = W->col_start[j];
        *out = (column){W->row + first, W->value + first, (int)(W->col_start[j + 1] - first)};
        if (ascends(out->row, out->count)) return true;
    }
    if (k->copied == COLUMNS || !copies(k)) return false;
    double* to = k->W + (size_t)k->copied++ * (size_t)n;
    if (W->dense != NULL) {
        for (int l = 0; l < n; l++) to[l] = W->dense[(size_t)l * (size_t)n + (size_t)j];
    } else {
        memset(to, 0, (size_t)n * sizeof *to);
        for (int t = 0; t < out->count; t++) to[out->row[t]] += out->value[t];
    }
    *out = (column){NULL, to, n};
    return true;
}

// The contact gets its columns. False: there is no room.
static bool press(quick* k, int c) {
    pusher* s = &k->pusher[k->pressing];
    for (int j = 0; j < k->d; j++) {
        if (!read_column(k, k->d * c + j, &s->of[j])) return false;
    }
    s->contact = c;
    s->prepared = s->moved = false;
    s->seen[0] = s->seen[1] = s->seen[2] = NAN;
    for (int i = k->d * c; i < k->d * c + k->d; i++) k->move[i] = k->last_move[i] = 0;
    k->slot[c] = k->pressing++;
    return true;
}

static bool has_force(const quick* k, int c) {
    const double* r = k->r + k->d * c;
    return r[0] != 0 || r[1] != 0 || (k->d == 3 && r[2] != 0);
}

bool sti_quick_widen(quick* k, bool* some) {
    *some = false;
    for (int c = 0; c < k->nc; c++) {
        if (!(k->u[k->d * c] < 0) || k->slot[c] >= 0) continue;
        if (!press(k, c)) return false;
        *some = true;
    }
    return true;
}

// False: too many press.
static bool load(quick* k) {
    const sti_contact_problem* p = k->p;
    const int d = k->d;
    for (int c = 0; c < k->nc; c++) {
        k->trace[c] = 0;
        k->slot[c] = -1;
        for (int i = d * c; i < d * c + d; i++) k->trace[c] += diagonal_entry(&p->W, i);
        k->rho[c] = k->trace[c];
        const bool pushed = has_force(k, c);
        k->guessed |= pushed;
        if ((p->q[d * c] < 0 || pushed) && !press(k, c)) return false;
    }
    k->local = (sti_contact_local){.d = d, .nc = k->nc, .mu = p->mu, .q = p->q, .rho = k->rho};
    k->local.scale = sti_contact_rho(d, k->nc, p->q, k->rho);
    k->drive = 0;
    for (int c = 0; c < k->nc; c++) {
        for (int i = d * c; i < d * c + d; i++) k->drive += k->rho[c] * p->q[i] * p->q[i];
    }
    return true;
}

// size += |factor column|
static void add_size(const column* w, double factor, double* restrict size) {
    for (int t = 0; t < w->count; t++) size[w->row == NULL ? t : w->row[t]] += fabs(factor * w->value[t]);
}

static inline double entry_of(const column* w, int i) {
    if (w->row == NULL) return w->value[i];
    for (int t = 0; t < w->count; t++) {
        if (w->row[t] == i) return w->value[t];
    }
    return 0;
}

// u = W r + q, in the order of the contacts that press
static void renew(quick* k) {
    memcpy(k->u, k->local.q, (size_t)k->n * sizeof *k->u);
    for (int s = 0; s < k->pressing; s++) {
        const pusher* x = &k->pusher[s];
        const double* r = k->r + k->d * x->contact;
        for (int j = 0; j < k->d; j++) {
            if (r[j] != 0) sti_column_add(&x->of[j], r[j], k->u);
        }
    }
}

// Sizes of the terms of u_n and of u, for every contact (nc x 2)
static void own_terms(quick* k) {
    const int n = k->n, d = k->d;
    double* restrict size = k->size;
    for (int i = 0; i < n; i++) size[i] = 0;
    for (int s = 0; s < k->pressing; s++) {
        const pusher* x = &k->pusher[s];
        for (int j = 0; j < d; j++) {
            if (k->r[d * x->contact + j] != 0) add_size(&x->of[j], k->r[d * x->contact + j], size);
        }
    }
    for (int c = 0; c < k->nc; c++) {
        double q = 0, t = 0;
        for (int i = d * c; i < d * c + d; i++) {
            q += k->local.q[i] * k->local.q[i];
            t += size[i] * size[i];
        }
        k->own[2 * c] = fabs(k->local.q[d * c]) + size[d * c];
        k->own[2 * c + 1] = sqrt(q) + sqrt(t);
    }
}

// rho of the judge: 0 at a contact that moves nothing, where the natural map has that of the others
static void own_rho(quick* k) {
    for (int c = 0; c < k->nc; c++) k->trace[c] = k->trace[c] > 0 ? k->rho[c] : 0;
}

// The residual that decides, at the point of the answer.
static bool judge(quick* k) {
    own_terms(k);
    own_rho(k);
    const bool trusted = sti_contact_judge_trusted(k->d, k->nc, k->r, k->local.q, k->u, k->trace);
    const int energies = trusted && k->nc > 0 ? 1 : k->nc;
    for (int c = 0; c < energies; c++) k->energy[c] = (sti_contact_energy){0};
    for (int c = 0; c < k->nc; c++) k->island[c] = 0;
    if (!trusted) sti_contact_islands(k->p, k->island);
    sti_contact_judge j = {.d = k->d, .nc = k->nc, .mu = k->local.mu, .r = k->r, .u = k->u, .q = k->local.q};
    j.rho = k->trace;
    j.own = k->own;
    j.island = k->island;
    j.energy = k->energy;
    j.energies = energies;
    for (int s = 0; s < k->pressing; s++) {
        const int c = k->pusher[s].contact;
        for (int i = k->d * c; i < k->d * c + k->d; i++)
            k->energy[k->island[c]].net += k->r[i] * (k->u[i] - k->local.q[i]);
    }
    sti_contact_judge_point(&j);
    if (!(j.runaway <= 1 && sti_contact_safely(j.residual) <= k->options->tol)) return false;
    k->best->residual = j.residual;
    k->best->runaway = j.runaway;
    k->best->worst_contact = j.worst;
    return true;
}

// The point is the answer's.
static void keep(quick* k, sti_contact_solver solver) {
    k->best->solver = solver;
    memcpy(k->best->r, k->r, (size_t)k->n * sizeof *k->r);
    memcpy(k->best->u, k->u, (size_t)k->n * sizeof *k->u);
}

// The best point is kept, but none that runs away.
static void keep_better(quick* k, sti_contact_solver solver) {
    const double residual = sti_contact_natural_map(&k->local, k->r, k->u, NULL);
    const sti_contact_options* o = k->options;
    if (o->trace != NULL) o->trace(o->trace_user, sti_contact_solver_text(solver), k->iterations, residual);
    double size = 0;
    for (int s = 0; s < k->pressing; s++) {
        const int c = k->pusher[s].contact;
        for (int i = k->d * c; i < k->d * c + k->d; i++) size += k->r[i] * k->r[i] / k->rho[c];
    }
    if (!(residual < k->best->residual && size <= STI_CONTACT_FARTHEST * STI_CONTACT_FARTHEST * k->drive)) return;
    k->best->residual = residual;
    keep(k, solver);
}

// u afresh, and the verdict.
static bool decide(quick* k, sti_contact_solver solver) {
    renew(k);
    if (!judge(k)) {
        keep_better(k, solver);
        return false;
    }
    if (k->options->trace != NULL)
        k->options->trace(k->options->trace_user, sti_contact_solver_text(solver), k->iterations, k->best->residual);
    keep(k, solver);
    return true;
}

// ---- sweeps ----

static void prepare(quick* k, pusher* s, const int d) {
    for (int j = 0; j < d; j++) {
        for (int i = 0; i < d; i++) s->A[i * d + j] = entry_of(&s->of[j], d * s->contact + i);
    }
    sti_contact_block_prepare(d, k->local.mu[s->contact], s->A, &s->block);
    s->prepared = true;
}

// Is u what it was after the visit? Not before the first one.
static inline bool same(const pusher* s, const double* u, const int d) {
    bool all = true;
    for (int i = 0; i < d; i++) all &= u[i] == s->seen[i];
    return all;
}

// ns of the one-contact solver
static inline double visit_cost(int d) {
    return d == 2 ? 15 : 130;
}

static inline void visit(quick* k, pusher* s, const int d) {
    const int at = d * s->contact;
    double *r = k->r + at, b[3], x[3];
    const double* u = k->u + at;
    s->moved &= k->follows;
    for (int i = 0; i < d; i++) k->move[at + i] = 0;
    if (u[0] >= 0 && r[0] == 0) return;  // parts, and already did
    if (same(s, u, d)) return;
    if (!s->prepared) prepare(k, s, d);
    for (int i = 0; i < d; i++) {
        b[i] = u[i];
        for (int j = 0; j < d; j++) b[i] -= s->A[i * d + j] * r[j];
    }
    if (d == 2)
        sti_contact_block_solve_plane(&s->block, b, x);
    else
        sti_contact_block_solve(&s->block, b, x);
    k->cost += visit_cost(d);
    for (int i = 0; i < d; i++) {
        const double change = x[i] - r[i];
        if (change == 0) continue;
        r[i] = x[i];
        k->move[at + i] = change;
        sti_column_add(&s->of[i], change, k->u);
        k->change += change * change;
        k->cost += s->of[i].count;
    }
    s->moved = true;
    for (int i = 0; i < d; i++) s->seen[i] = u[i];
}

// What the next sweep will change at least
static inline void look_ahead_of(quick* k, const int d) {
    double ahead = 0, size2 = 0;
    for (int s = 0; s < k->pressing; s++) {
        pusher* x = &k->pusher[s];
        const double *r = k->r + d * x->contact, *u = k->u + d * x->contact, rho = k->rho[x->contact];
        if (u[0] >= 0 && r[0] == 0) continue;
        const bool fresh = isnan(x->seen[0]);  // others have just pushed it down
        for (int i = 0; i < d; i++) {
            const double away = rho * (fresh ? u[i] : u[i] - x->seen[i]);
            size2 += r[i] * r[i];
            ahead += away * away;
        }
        x->moved |= !same(x, u, d);
    }
    k->ahead = sqrt(ahead);
    k->size2 = size2;
}

void sti_quick_look_ahead(quick* k) {
    if (k->d == 2)
        look_ahead_of(k, 2);
    else
        look_ahead_of(k, 3);
}

// All that press, and then those that come to. False: there is no room for them.
static inline bool sweep_through(quick* k, const int d) {
    bool some = false;
    int from = 0;
    k->change = k->cost = 0;
    do {
        for (int s = from; s < k->pressing; s++) visit(k, &k->pusher[s], d);
        from = k->pressing;
        if (!sti_quick_widen(k, &some)) return false;
    } while (some);
    k->change = sqrt(k->change);
    look_ahead_of(k, d);
    k->iterations++;
    return true;
}

static bool sweep(quick* k) {
    return k->d == 2 ? sweep_through(k, 2) : sweep_through(k, 3);
}

// ---- the whole ----

// In space, where a visit costs ten times as much as in the plane: too many for Newton's method, and no small part of
// all.
static bool are_many(const sti_contact_problem* p, int pressing) {
    return p->dimension == 3 && p->dimension * pressing > STI_QUICK_SIDE && PART * pressing > p->contact_count;
}

static bool fits(const sti_contact_problem* p, const sti_contact_options* options, const double* guess) {
    const int n = p->dimension * p->contact_count;
    if (p->global || p->W_op != NULL || p->bilateral_count > 0 || n == 0 || n > MOST) return false;
    if (options->relaxation != 1 || options->minimum_norm) return false;
    // A caller who counts, as steps of bodies do, has a guess that is nearly right: the portfolio keeps to it where
    // forces are undetermined, and what rests stays at rest (the gripped box of arm-grasp).
    if (options->max_iterations > 0) return false;
    int pressing = 0;  // at least
    for (int c = 0; c < p->contact_count; c++) pressing += p->q[p->dimension * c] < 0 || guess[p->dimension * c] > 0;
    return p->W.dense == NULL ? !are_many(p, pressing) : p->dimension * pressing <= COLUMNS;
}

// Sweeps that the next ones are fewer than, presumably; INFINITY: no telling
static double sweeps_left(const quick* k, double before, double aim) {
    const double rate = before > 0 ? k->change / before : k->ahead / k->change;
    return rate < 1 ? 1 + log(aim / k->ahead) / log(rate) : INFINITY;
}

// ns of the portfolio, presumably: blocks, and a score of sweeps over all of them. Tried: 10 (fc2d_granularflowonwall
// takes 1.9 times as long at 1e-8), 40, and to sweep on while SWEEPS will do (OneObject-1028 2.8 times at 1e-4).
static double portfolio_cost(const quick* k) {
    enum { SCORE = 20, BLOCKS = 5, OVERHEAD = 100 };  // sweeps, ns for an entry, ns for a contact
    const sti_matrix* W = &k->p->W;
    const double n = k->n, entries = W->dense != NULL ? n * n : (double)W->col_start[k->n];
    const double visits = (double)k->pressing * visit_cost(k->d);
    return BLOCKS * entries + OVERHEAD * (double)k->nc + SCORE * (entries + visits);
}

static void swap_moves(quick* k) {
    double* last = k->last_move;
    k->last_move = k->move;
    k->move = last;
}

// True: the last two sweeps moved along one line, and r has gone on along it, as far as the geometric series leads and
// the cones allow; u with it. The moves are begun anew.
static bool leap(quick* k) {
    double along = 0, square = 0, square_last = 0;
    for (int s = 0; s < k->pressing; s++) {
        const int at = k->d * k->pusher[s].contact;
        for (int i = at; i < at + k->d; i++) {
            along += k->move[i] * k->last_move[i];
            square += k->move[i] * k->move[i];
            square_last += k->last_move[i] * k->last_move[i];
        }
    }
    const double rate = along / square_last;
    if (!(rate > SLOW && rate < 1 && along * along >= STRAIGHT * square * square_last)) return false;
    for (int s = 0; s < k->pressing; s++) {
        const pusher* x = &k->pusher[s];
        double to[3] = {0}, *r = k->r + k->d * x->contact;
        const double* move = k->move + k->d * x->contact;
        for (int i = 0; i < k->d; i++) to[i] = r[i] + rate / (1 - rate) * move[i];
        sti_cone_project(k->d, k->local.mu[x->contact], to, to);
        for (int i = 0; i < k->d; i++) {
            if (to[i] != r[i]) sti_column_add(&x->of[i], to[i] - r[i], k->u);
            r[i] = to[i];
        }
    }
    return true;
}

// Sweeps while they promise to end soon, Newton's method where it costs less. A promise that was not kept counts half:
// without this OneObject-1028 takes 2.8 times as long at 1e-4, OneObject-316 1.4 times. True: solved.
static bool iterate(quick* k) {
    sti_contact_solver solver = STI_CONTACT_GS;
    bool tried = false;
    const double worth = portfolio_cost(k);
    double part = 1, before = 0, promised = INFINITY;  // part: of the tolerance that is aimed at
    int straight = 0;                                  // sweeps since the last leap
    for (int s = 0; s < SWEEPS; s++) {
        if (!sweep(k)) return false;
        if (are_many(k->p, k->pressing)) {  // nothing is kept of so little
            k->iterations = 0;
            return false;
        }
        double aim = part * k->options->tol * fmax(k->local.scale, sqrt(k->size2));
        const double left = sweeps_left(k, before, aim);
        if (k->ahead > aim && !tried && left * k->cost > sti_quick_newton_cost(k)) {
            k->follows = true;
            if (sti_quick_newton(k, 0.5 * aim))
                solver = STI_CONTACT_NEWTON;
            else
                tried = true;
            aim = part * k->options->tol * fmax(k->local.scale, sqrt(k->size2));
        }
        if (k->ahead <= aim) {
            if (decide(k, solver)) return true;
            part *= 0.1;
        } else if (s > 0 && (left > promised - 0.5 ? 2 : 1) * left * k->cost > worth &&
                   (tried || sti_quick_newton_cost(k) == INFINITY)) {
            break;
        }
        promised = left;
        before = k->change;
        if (++straight >= 2 && leap(k)) {
            before = 0;
            straight = 0;
        }
        swap_moves(k);
    }
    return decide(k, solver);
}

static bool solve(quick* k) {
    sti_contact_answer* a = k->best;
    a->residual = INFINITY;
    a->residual_equation = 0;
    memcpy(k->r, a->r, (size_t)k->n * sizeof *k->r);
    if (!load(k)) return false;
    renew(k);
    const bool within = ((k->guessed || k->pressing == 0) && decide(k, STI_CONTACT_AUTO)) || iterate(k);
    a->iterations = k->iterations;
    a->residual_contact = a->residual;
    return within;
}

static bool solve_on_stack(quick* k) {
    everywhere e;
    k->W = e.W;
    k->r = e.r;
    k->u = e.u;
    k->size = e.size;
    k->move = e.move;
    k->last_move = e.last_move;
    k->own = e.own;
    k->rho = e.rho;
    k->trace = e.trace;
    k->slot = e.slot;
    k->island = e.island;
    k->energy = e.energy;
    k->pusher = e.pusher;
    return solve(k);
}

static sti_status solve_in_memory(quick* k, bool* solved) {
    const size_t n = (size_t)k->n, nc = (size_t)k->nc;
    double* room = sti_alloc_array(k->env, 5 * n + 4 * nc, sizeof *room);
    int* places = sti_alloc_array(k->env, 2 * nc, sizeof *places);
    k->energy = sti_alloc_array(k->env, nc, sizeof *k->energy);
    k->pusher = sti_alloc_array(k->env, nc, sizeof *k->pusher);
    if (room != NULL && places != NULL && k->energy != NULL && k->pusher != NULL) {
        k->r = room;
        k->u = k->r + n;
        k->size = k->u + n;
        k->move = k->size + n;
        k->last_move = k->move + n;
        k->own = k->last_move + n;
        k->rho = k->own + 2 * nc;
        k->trace = k->rho + nc;
        k->slot = places;
        k->island = places + nc;
        *solved = solve(k);
    } else {
        k->status = STI_ERR_MEMORY;
    }
    sti_free(k->env, room);
    sti_free(k->env, places);
    sti_free(k->env, k->energy);
    sti_free(k->env, k->pusher);
    sti_free(k->env, k->room);
    return k->status;
}

sti_status sti_contact_quick(sti_env* env, const sti_contact_problem* p, const sti_contact_options* options,
                             sti_contact_answer* a, bool* solved) {
    *solved = false;
    if (!fits(p, options, a->r)) return STI_OK;
    quick k;
    k.env = env;
    k.p = p;
    k.options = options;
    k.d = p->dimension;
    k.nc = p->contact_count;
    k.n = k.d * k.nc;
    k.iterations = 0;
    k.pressing = 0;
    k.copied = 0;
    k.W = k.room = NULL;
    k.status = STI_OK;
    k.guessed = k.follows = false;
    k.best = a;
    if (k.n > ROWS) return solve_in_memory(&k, solved);
    *solved = solve_on_stack(&k);
    return STI_OK;
}
