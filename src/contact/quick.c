// quick.c: the smallest problems, before anything is prepared: a sweep or two, and Newton's method on a dense matrix.
//
//     u = W r + q,      Signorini's condition and Coulomb's law between r_c and u_c at every contact c
//
// For a handful of contacts the portfolio spends most of its time on preparation: blocks, islands, workspace, history. And
// where few press among many, most of that is about contacts that never matter. Here the columns of W of those that press are
// copied into one dense matrix and tried at once:
//
//   1. Gauss-Seidel with the exact one-contact solver (one_contact.c), by columns: u follows every change of r at all
//      contacts, so a sweep costs one column of W for each contact that changes. It settles what does not couple. A contact
//      presses when its free velocity closes, or when the others push it down; the others have no force and no column.
//   2. Newton's method on the function of Alart & Curnier (curnier.h) with full steps, from there: the modes are mostly
//      right after a sweep, and in the plane one step then solves the problem.
//
//     letter   here              letter   here
//     W        k->W, by columns  rho      k->rho
//     r, u     k->r, k->u        y        k->y, unknowns of the pieces
//
// Outcome. Solved: the residual on the data as given (judge.h), u computed from r afresh, is at most tol; the same verdict as
// for every other method, over all contacts. It is looked at where the natural map, which is cheaper, is at most tol. Else
// nothing is proved: a singular matrix (redundant contacts) or modes that keep changing end the attempt, without a search; the
// portfolio goes on from the best point.
//
// Cost. A copy of the columns that press, a few sweeps, and STEPS dense factorizations with UNKNOWNS rows at most. Up to ROWS
// rows no memory is asked for.
#include "contact/quick.h"

#include <math.h>
#include <string.h>

#include "contact/curnier.h"
#include "contact/islands.h"
#include "contact/judge.h"
#include "contact/local.h"
#include "contact/posed.h"

enum {
    ROWS = 64,      // of problems that stay on the stack, 60 kB of it
    MOST = 4096,    // rows beyond which nothing is tried
    COLUMNS = 64,   // of contacts that press
    UNKNOWNS = 48,  // of Newton's equations: more cost as much as sweeps that converge
    SWEEPS = 3,
    STEPS = 8,
};

#define SINGULAR 1e-11  // pivot over the largest entry, below which the matrix counts as singular
#define QUICKLY 0.1     // a sweep that lowers the residual by this factor may be followed by another

// What there is of every contact and row
typedef struct everywhere {
    double W[ROWS * ROWS];
    double r[ROWS], u[ROWS], size[ROWS], rho[ROWS / 2], trace[ROWS / 2], own[ROWS];
    int slot[ROWS / 2], island[ROWS / 2];
    sti_contact_energy energy[ROWS / 2];
} everywhere;

typedef struct quick {
    sti_env* env;
    const sti_contact_problem* p;
    const sti_contact_options* options;
    sti_contact_answer* best;  // of the caller: r, u, residual, solver
    int d, nc, n;
    sti_contact_local local;     // what the natural map needs
    double* W;                   // the columns that press             (n x COLUMNS at most)
    double *r, *u, *size;        // forces, velocities, their terms    (n)
    double *own, *rho, *trace;   // (nc x 2), (nc), (nc)
    int *slot, *island;          // place among those that press, -1: none    (nc)
    sti_contact_energy* energy;  // (nc)
    double drive;                // sum of rho |q|^2
    bool guessed;                // there are forces to begin with
    long iterations;
    int pressing;              // contacts that have columns; from here on, of each of them
    int contact[COLUMNS / 2];  // its number
    sti_contact_block block[COLUMNS / 2];
    bool prepared[COLUMNS / 2];
    sti_contact_piece piece[COLUMNS / 2];
    int first[COLUMNS / 2];  // its first unknown in Newton's equations
    double T[UNKNOWNS * UNKNOWNS], y[UNKNOWNS];
} quick;

// ---- the data ----

static double diagonal_entry(const sti_matrix* W, int i) {
    if (W->dense != NULL) return W->dense[(size_t)i * (size_t)W->cols + (size_t)i];
    double s = 0;
    for (int64_t t = W->col_start[i]; t < W->col_start[i + 1]; t++) s += W->row[t] == i ? W->value[t] : 0;
    return s;
}

static inline double* column_of(const quick* k, int slot, int i) {
    return k->W + (size_t)(k->d * slot + i) * (size_t)k->n;
}

// W_cb, row c and column b (in the list): entry (i, j)
static inline double entry(const quick* k, int c, int b, int i, int j) {
    return column_of(k, b, j)[k->d * c + i];
}

// The contact gets its columns. False: there is no room.
static bool press(quick* k, int c) {
    const int d = k->d, n = k->n, slot = k->pressing;
    if (d * (slot + 1) > COLUMNS) return false;
    const sti_matrix* W = &k->p->W;
    for (int i = 0; i < d; i++) {
        double* column = column_of(k, slot, i);
        const int j = d * c + i;
        if (W->dense != NULL) {
            for (int l = 0; l < n; l++) column[l] = W->dense[(size_t)l * (size_t)n + (size_t)j];
        } else {
            memset(column, 0, (size_t)n * sizeof *column);
            for (int64_t t = W->col_start[j]; t < W->col_start[j + 1]; t++) column[W->row[t]] += W->value[t];
        }
    }
    k->slot[c] = slot;
    k->contact[slot] = c;
    k->prepared[slot] = false;
    k->pressing++;
    return true;
}

static bool has_force(const quick* k, int c) {
    const double* r = k->r + k->d * c;
    return r[0] != 0 || r[1] != 0 || (k->d == 3 && r[2] != 0);
}

// Contacts without columns that penetrate get theirs. *some: there were such. False: there is no room.
static bool widen(quick* k, bool* some) {
    *some = false;
    for (int c = 0; c < k->nc; c++) {
        if (k->slot[c] >= 0 || !(k->u[k->d * c] < 0)) continue;
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
    for (int i = 0; i < k->n; i++) k->drive += k->rho[i / d] * p->q[i] * p->q[i];
    return true;
}

// u += factor W_j, column j of the contact in this place
static void add_column(quick* k, int slot, int j, double factor) {
    const int n = k->n;
    const double* restrict column = column_of(k, slot, j);
    double* restrict u = k->u;
    for (int i = 0; i < n; i++) u[i] += factor * column[i];
}

// u = W r + q, in the order of the contacts that press
static void renew(quick* k) {
    memcpy(k->u, k->local.q, (size_t)k->n * sizeof *k->u);
    for (int s = 0; s < k->pressing; s++) {
        const double* r = k->r + k->d * k->contact[s];
        for (int j = 0; j < k->d; j++) {
            if (r[j] != 0) add_column(k, s, j, r[j]);
        }
    }
}

// Sizes of the terms of u_n and of u, for every contact (nc x 2)
static void own_terms(quick* k) {
    const int n = k->n, d = k->d;
    double* restrict size = k->size;
    for (int i = 0; i < n; i++) size[i] = 0;
    for (int s = 0; s < d * k->pressing; s++) {
        const double* restrict column = column_of(k, s / d, s % d);
        const double f = fabs(k->r[d * k->contact[s / d] + s % d]);
        for (int i = 0; f > 0 && i < n; i++) size[i] += f * fabs(column[i]);
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
    const bool calm = sti_contact_judge_calm(k->d, k->nc, k->r, k->local.q, k->u, k->trace);
    const int energies = calm && k->nc > 0 ? 1 : k->nc;
    for (int c = 0; c < energies; c++) k->energy[c] = (sti_contact_energy){0};
    for (int c = 0; c < k->nc; c++) k->island[c] = 0;
    if (!calm) sti_contact_islands(k->p, k->island);
    sti_contact_judge j = {.d = k->d, .nc = k->nc, .mu = k->local.mu, .r = k->r, .u = k->u, .q = k->local.q};
    j.rho = k->trace;
    j.own = k->own;
    j.island = k->island;
    j.energy = k->energy;
    j.energies = energies;
    for (int s = 0; s < k->pressing; s++) {
        const int c = k->contact[s];
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

// The residual at (r, u), u = W r + q summed in the order of the columns; true: within tol. The best point is kept, but none
// that runs away.
static bool measure(quick* k, sti_contact_solver solver) {
    const double residual = sti_contact_natural_map(&k->local, k->r, k->u, NULL);
    const sti_contact_options* o = k->options;
    if (o->trace != NULL) o->trace(o->trace_user, sti_contact_solver_text(solver), k->iterations, residual);
    sti_contact_answer* a = k->best;
    double size = 0;
    for (int i = 0; i < k->n; i++) size += k->r[i] * k->r[i] / k->rho[i / k->d];
    if (!(residual < a->residual && size <= STI_CONTACT_FARTHEST * STI_CONTACT_FARTHEST * k->drive)) return false;
    a->residual = residual;
    a->solver = solver;
    memcpy(a->r, k->r, (size_t)k->n * sizeof *k->r);
    memcpy(a->u, k->u, (size_t)k->n * sizeof *k->u);
    return residual <= o->tol && judge(k);
}

// ---- sweeps ----

static void solve_contact(quick* k, int slot) {
    const int d = k->d, c = k->contact[slot], at = d * c;
    double *r = k->r + at, old[3] = {0}, b[3], A[9];
    const double* u = k->u + at;
    if (u[0] >= 0 && r[0] == 0) return;  // parts, and already did
    for (int i = 0; i < d; i++) {
        b[i] = u[i];
        old[i] = r[i];
        for (int j = 0; j < d; j++) {
            A[i * d + j] = entry(k, c, slot, i, j);
            b[i] -= A[i * d + j] * r[j];
        }
    }
    if (!k->prepared[slot]) sti_contact_block_prepare(d, k->local.mu[c], A, &k->block[slot]);
    k->prepared[slot] = true;
    sti_contact_block_solve(&k->block[slot], b, r);
    for (int i = 0; i < d; i++) {
        if (r[i] != old[i]) add_column(k, slot, i, r[i] - old[i]);
    }
}

// All that press, and then those that come to. False: there is no room for them.
static bool sweep_once(quick* k, bool again) {
    bool some = false;
    int from = 0;
    do {
        for (int s = from; s < k->pressing; s++) solve_contact(k, s);
        from = k->pressing;
        if (!widen(k, &some)) return false;
    } while (some);
    if (again) renew(k);  // rounding of updates; in the first sweep from no forces every column came once
    k->iterations++;
    return true;
}

// True: solved. A second sweep only where the first was nearly enough.
static bool sweep(quick* k) {
    for (int s = 0; s < SWEEPS; s++) {
        const double before = k->best->residual;
        if (!sweep_once(k, s > 0 || k->guessed)) return false;
        if (measure(k, STI_CONTACT_GS)) return true;
        const double factor = k->best->residual / before;
        if (!(factor <= QUICKLY && factor * k->best->residual <= 10 * k->options->tol)) return false;
    }
    return false;
}

// ---- Newton ----

// Pieces at (r, u); the number of unknowns.
static int linearize(quick* k) {
    int m = 0;
    for (int s = 0; s < k->pressing; s++) {
        const int c = k->contact[s], at = k->d * c;
        sti_curnier(k->d, k->local.mu[c], k->rho[c], k->r + at, k->u + at, &k->piece[s]);
        k->first[s] = m;
        m += k->piece[s].dim;
    }
    return m;
}

// E (W G y + q) + K y = 0: matrix T (m x m, by rows) and right side.
static void assemble(quick* k, int m) {
    const int d = k->d;
    for (int s = 0; s < k->pressing; s++) {
        const sti_contact_piece* row = &k->piece[s];
        const int c = k->contact[s];
        if (row->dim == 0) continue;
        double e[3];
        sti_piece_equation(d, row, k->local.q + d * c, e);
        for (int i = 0; i < row->dim; i++) k->y[k->first[s] + i] = -e[i];
        for (int t = 0; t < k->pressing; t++) {
            const sti_contact_piece* col = &k->piece[t];
            if (col->dim == 0) continue;
            double B[9];
            for (int i = 0; i < d; i++) {
                for (int l = 0; l < d; l++) B[i * d + l] = entry(k, c, t, i, l);
            }
            sti_piece_columns(d, col, B);
            sti_piece_rows(d, row, B);
            if (s == t) sti_piece_stiffness(d, row, B);
            for (int i = 0; i < row->dim; i++) {
                for (int l = 0; l < col->dim; l++) k->T[(k->first[s] + i) * m + k->first[t] + l] = B[i * d + l];
            }
        }
    }
}

// y <- T^-1 y by elimination with pivoting of rows. False: singular.
static bool eliminate(quick* k, int m) {
    double *T = k->T, *y = k->y, largest = 0;
    for (int i = 0; i < m * m; i++) largest = fabs(T[i]) > largest ? fabs(T[i]) : largest;
    for (int c = 0; c < m; c++) {
        int p = c;
        for (int i = c + 1; i < m; i++) {
            if (fabs(T[i * m + c]) > fabs(T[p * m + c])) p = i;
        }
        if (!(fabs(T[p * m + c]) > SINGULAR * largest)) return false;
        if (p != c) {
            for (int j = c; j < m; j++) {
                const double t = T[c * m + j];
                T[c * m + j] = T[p * m + j];
                T[p * m + j] = t;
            }
            const double t = y[c];
            y[c] = y[p];
            y[p] = t;
        }
        const double inverse = 1 / T[c * m + c];
        for (int i = c + 1; i < m; i++) {
            const double f = T[i * m + c] * inverse;
            if (f == 0) continue;
            for (int j = c + 1; j < m; j++) T[i * m + j] -= f * T[c * m + j];
            y[i] -= f * y[c];
        }
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int j = i + 1; j < m; j++) y[i] -= T[i * m + j] * y[j];
        y[i] /= T[i * m + i];
    }
    return true;
}

// True: solved. Full steps while the residual falls; once it may rise.
static bool newton(quick* k) {
    int rises = 0;
    bool some;
    for (int s = 0; s < STEPS && rises < 2; s++) {
        const int m = linearize(k);
        if (m > UNKNOWNS) return false;
        assemble(k, m);
        if (!eliminate(k, m)) return false;
        for (int t = 0; t < k->pressing; t++)
            sti_piece_force(k->d, &k->piece[t], k->y + k->first[t], k->r + k->d * k->contact[t]);
        renew(k);
        k->iterations++;
        const double before = k->best->residual;
        if (measure(k, STI_CONTACT_NEWTON)) return true;
        if (!widen(k, &some)) return false;
        rises += !(k->best->residual < before) && !some;
    }
    return false;
}

// ---- the whole ----

static bool fits(const sti_contact_problem* p, const sti_contact_options* options) {
    const int n = p->dimension * p->contact_count;
    if (p->global || p->W_op != NULL || p->bilateral_count > 0 || n == 0 || n > MOST) return false;
    if (options->relaxation != 1 || options->minimum_norm) return false;
    if (options->max_iterations > 0 && options->max_iterations < SWEEPS + STEPS)
        return false;  // counted by the portfolio
    int closing = 0;
    for (int c = 0; c < p->contact_count; c++) closing += p->q[p->dimension * c] < 0;
    return p->dimension * closing <= COLUMNS;
}

static bool solve(quick* k) {
    sti_contact_answer* a = k->best;
    a->residual = INFINITY;
    a->residual_equation = 0;
    memcpy(k->r, a->r, (size_t)k->n * sizeof *k->r);
    if (!load(k)) return false;
    renew(k);
    const bool within = measure(k, STI_CONTACT_AUTO) || sweep(k) || newton(k);
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
    k->own = e.own;
    k->rho = e.rho;
    k->trace = e.trace;
    k->slot = e.slot;
    k->island = e.island;
    k->energy = e.energy;
    return solve(k);
}

static sti_status solve_in_memory(quick* k, bool* solved) {
    const size_t n = (size_t)k->n, nc = (size_t)k->nc;
    double* room = sti_alloc_array(k->env, (COLUMNS + 3) * n + 4 * nc, sizeof *room);
    int* places = sti_alloc_array(k->env, 2 * nc, sizeof *places);
    k->energy = sti_alloc_array(k->env, nc, sizeof *k->energy);
    sti_status status = STI_OK;
    if (room != NULL && places != NULL && k->energy != NULL) {
        k->W = room;
        k->r = k->W + COLUMNS * n;
        k->u = k->r + n;
        k->size = k->u + n;
        k->own = k->size + n;
        k->rho = k->own + 2 * nc;
        k->trace = k->rho + nc;
        k->slot = places;
        k->island = places + nc;
        *solved = solve(k);
    } else {
        status = STI_FAIL(k->env, STI_ERR_MEMORY, -1, "contacts that press among %d", k->nc);
    }
    sti_free(k->env, room);
    sti_free(k->env, places);
    sti_free(k->env, k->energy);
    return status;
}

sti_status sti_contact_quick(sti_env* env, const sti_contact_problem* p, const sti_contact_options* options,
                             sti_contact_answer* a, bool* solved) {
    *solved = false;
    if (!fits(p, options)) return STI_OK;
    quick k;
    k.env = env;
    k.p = p;
    k.options = options;
    k.d = p->dimension;
    k.nc = p->contact_count;
    k.n = k.d * k.nc;
    k.iterations = 0;
    k.pressing = 0;
    k.guessed = false;
    k.best = a;
    if (k.n > ROWS) return solve_in_memory(&k, solved);
    *solved = solve_on_stack(&k);
    return STI_OK;
}
