// quick.c: the smallest problems, before anything is prepared: a sweep or two, and Newton's method on a dense matrix.
//
//     u = W r + q,      Signorini's condition and Coulomb's law between r_c and u_c at every contact c
//
// For a handful of contacts the portfolio spends most of its time on preparation: blocks, islands, workspace, history.
// Here a local problem of at most ROWS rows is copied into one dense matrix on the stack and tried at once:
//
//   1. Gauss-Seidel with the exact one-contact solver (one_contact.c), by columns: u follows every change of r, so a sweep
//      costs one column of W for each contact that changes. It settles what does not couple.
//   2. Newton's method on the function of Alart & Curnier (curnier.h) with full steps, from there: the modes are mostly
//      right after a sweep, and in the plane one step then solves the problem.
//
//     letter   here              letter   here
//     W        k->W, by columns  rho      k->rho
//     r, u     k->r, k->u        y        k->y, unknowns of the pieces
//
// Outcome. True: the residual on the data as given (judge.h), u computed from r afresh, is at most tol; the same verdict as
// for every other method. It is looked at where the natural map, which is cheaper, is at most tol. False proves nothing: a
// singular matrix (redundant contacts) or modes that keep changing end the attempt, without a search; the portfolio goes on
// from the best point.
//
// Cost. One copy of W, SWEEPS sweeps, and STEPS dense factorizations with UNKNOWNS rows at most. No memory is asked for.
#include "contact/quick.h"

#include <math.h>
#include <string.h>

#include "contact/curnier.h"
#include "contact/islands.h"
#include "contact/judge.h"
#include "contact/local.h"
#include "contact/posed.h"

enum {
    ROWS = 32,
    UNKNOWNS = 16,  // of Newton's equations: more cost as much as sweeps that converge
    SWEEPS = 3,
    STEPS = 8,
};

#define SINGULAR 1e-11  // pivot over the largest entry, below which the matrix counts as singular
#define QUICKLY 0.1     // a sweep that lowers the residual by this factor may be followed by another

typedef struct quick {
    int d, nc, n;
    const sti_contact_options* options;
    sti_contact_local local;  // what the natural map needs
    double W[ROWS * ROWS];    // by columns
    double rho[ROWS];
    double drive;  // sum of rho |q|^2
    double r[ROWS], u[ROWS];
    long iterations;
    sti_contact_answer* best;  // of the caller: r, u, residual, solver
    sti_contact_block block[ROWS / 2];
    bool prepared[ROWS / 2];
    // Newton
    sti_contact_piece piece[ROWS / 2];
    int first[ROWS / 2];  // unknown of each contact
    double T[UNKNOWNS * UNKNOWNS], y[UNKNOWNS];
} quick;

// ---- the data ----

static void load(quick* k, const sti_contact_problem* p) {
    const int n = k->n, d = k->d;
    if (p->W.dense != NULL) {
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) k->W[j * n + i] = p->W.dense[i * n + j];
        }
    } else {
        memset(k->W, 0, (size_t)(n * n) * sizeof *k->W);
        for (int j = 0; j < n; j++) {
            for (int64_t t = p->W.col_start[j]; t < p->W.col_start[j + 1]; t++)
                k->W[j * n + p->W.row[t]] += p->W.value[t];
        }
    }
    for (int c = 0; c < k->nc; c++) {
        k->rho[c] = 0;
        for (int i = d * c; i < d * c + d; i++) k->rho[c] += k->W[i * n + i];
        k->prepared[c] = false;
    }
    k->local = (sti_contact_local){.d = d, .nc = k->nc, .mu = p->mu, .q = p->q, .rho = k->rho};
    k->local.scale = sti_contact_rho(d, k->nc, p->q, k->rho);
    k->drive = 0;
    for (int i = 0; i < n; i++) k->drive += k->rho[i / d] * p->q[i] * p->q[i];
}

static void add_column(quick* k, int j, double factor) {
    const int n = k->n;
    const double* restrict column = k->W + j * n;
    double* restrict u = k->u;
    for (int i = 0; i < n; i++) u[i] += factor * column[i];
}

// u = W r + q
static void renew(quick* k) {
    memcpy(k->u, k->local.q, (size_t)k->n * sizeof *k->u);
    for (int j = 0; j < k->n; j++) {
        if (k->r[j] != 0) add_column(k, j, k->r[j]);
    }
}

// Sizes of the terms of u_n and of u, for every contact (nc x 2)
static void own_terms(const quick* k, double* own) {
    const int n = k->n, d = k->d;
    double size[ROWS];
    for (int i = 0; i < n; i++) size[i] = 0;
    for (int j = 0; j < n; j++) {
        const double* restrict column = k->W + j * n;
        const double f = fabs(k->r[j]);
        for (int i = 0; f > 0 && i < n; i++) size[i] += f * fabs(column[i]);
    }
    for (int c = 0; c < k->nc; c++) {
        double q = 0, s = 0;
        for (int i = d * c; i < d * c + d; i++) {
            q += k->local.q[i] * k->local.q[i];
            s += size[i] * size[i];
        }
        own[2 * c] = fabs(k->local.q[d * c]) + size[d * c];
        own[2 * c + 1] = sqrt(q) + sqrt(s);
    }
}

// rho of the judge: 0 at a contact that moves nothing, where the natural map has that of the others
static void own_rho(const quick* k, double* rho) {
    for (int c = 0; c < k->nc; c++) {
        double trace = 0;
        for (int i = k->d * c; i < k->d * c + k->d; i++) trace += k->W[i * k->n + i];
        rho[c] = trace > 0 ? k->rho[c] : 0;
    }
}

// The residual that decides, at the point of the answer.
static bool judge(quick* k) {
    double own[ROWS], rho[ROWS / 2];
    int island[ROWS / 2];
    sti_contact_energy energy[ROWS / 2];
    own_terms(k, own);
    own_rho(k, rho);
    const bool calm = sti_contact_judge_calm(k->d, k->nc, k->r, k->local.q, k->u, rho);
    const int energies = calm ? 1 : k->nc;
    for (int c = 0; c < energies; c++) energy[c] = (sti_contact_energy){0};
    for (int c = 0; c < k->nc; c++) island[c] = 0;
    if (!calm) sti_contact_islands_dense(k->d, k->nc, k->W, island);
    sti_contact_judge j = {.d = k->d, .nc = k->nc, .mu = k->local.mu, .r = k->r, .u = k->u, .q = k->local.q};
    j.rho = rho;
    j.own = own;
    j.island = island;
    j.energy = energy;
    j.energies = energies;
    for (int i = 0; i < k->n; i++) energy[island[i / k->d]].net += k->r[i] * (k->u[i] - k->local.q[i]);
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

static void solve_contact(quick* k, int c) {
    const int d = k->d, n = k->n, at = d * c;
    double *r = k->r + at, old[3] = {0}, b[3], A[9];
    const double* u = k->u + at;
    if (u[0] >= 0 && r[0] == 0) return;  // parts, and already did
    if (!k->prepared[c]) {
        for (int i = 0; i < d; i++) {
            for (int j = 0; j < d; j++) A[i * d + j] = k->W[(at + j) * n + at + i];
        }
        sti_contact_block_prepare(d, k->local.mu[c], A, &k->block[c]);
        k->prepared[c] = true;
    }
    for (int i = 0; i < d; i++) {
        b[i] = u[i];
        old[i] = r[i];
        for (int j = 0; j < d; j++) b[i] -= k->W[(at + j) * n + at + i] * r[j];
    }
    sti_contact_block_solve(&k->block[c], b, r);
    for (int i = 0; i < d; i++) {
        if (r[i] != old[i]) add_column(k, at + i, r[i] - old[i]);
    }
}

// True: solved. A second sweep only where the first was nearly enough.
static bool sweep(quick* k) {
    for (int s = 0; s < SWEEPS; s++) {
        const double before = k->best->residual;
        for (int c = 0; c < k->nc; c++) solve_contact(k, c);
        k->iterations++;
        if (s > 0) renew(k);  // rounding of updates; in the first sweep every column came once
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
    for (int c = 0; c < k->nc; c++) {
        const int at = k->d * c;
        sti_curnier(k->d, k->local.mu[c], k->rho[c], k->r + at, k->u + at, &k->piece[c]);
        k->first[c] = m;
        m += k->piece[c].dim;
    }
    return m;
}

// E (W G y + q) + K y = 0: matrix T (m x m, by rows) and right side.
static void assemble(quick* k, int m) {
    const int d = k->d, n = k->n;
    for (int c = 0; c < k->nc; c++) {
        const sti_contact_piece* row = &k->piece[c];
        if (row->dim == 0) continue;
        double e[3];
        sti_piece_equation(d, row, k->local.q + d * c, e);
        for (int i = 0; i < row->dim; i++) k->y[k->first[c] + i] = -e[i];
        for (int j = 0; j < k->nc; j++) {
            const sti_contact_piece* col = &k->piece[j];
            if (col->dim == 0) continue;
            double B[9];
            for (int i = 0; i < d; i++) {
                for (int l = 0; l < d; l++) B[i * d + l] = k->W[(d * j + l) * n + d * c + i];
            }
            sti_piece_columns(d, col, B);
            sti_piece_rows(d, row, B);
            if (j == c) sti_piece_stiffness(d, row, B);
            for (int i = 0; i < row->dim; i++) {
                for (int l = 0; l < col->dim; l++) k->T[(k->first[c] + i) * m + k->first[j] + l] = B[i * d + l];
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
    for (int s = 0; s < STEPS && rises < 2; s++) {
        const int m = linearize(k);
        if (m > UNKNOWNS) return false;
        assemble(k, m);
        if (!eliminate(k, m)) return false;
        for (int c = 0; c < k->nc; c++) sti_piece_force(k->d, &k->piece[c], k->y + k->first[c], k->r + k->d * c);
        renew(k);
        k->iterations++;
        const double before = k->best->residual;
        if (measure(k, STI_CONTACT_NEWTON)) return true;
        rises += !(k->best->residual < before);
    }
    return false;
}

// ---- the whole ----

bool sti_contact_quick(const sti_contact_problem* p, const sti_contact_options* options, sti_contact_answer* a) {
    const int n = p->dimension * p->contact_count;
    if (p->global || p->W_op != NULL || p->bilateral_count > 0 || n == 0 || n > ROWS) return false;
    if (options->relaxation != 1 || options->minimum_norm) return false;
    if (options->max_iterations > 0 && options->max_iterations < SWEEPS + STEPS)
        return false;  // counted by the portfolio
    quick k;
    k.d = p->dimension;
    k.nc = p->contact_count;
    k.n = n;
    k.options = options;
    k.iterations = 0;
    k.best = a;
    a->residual = INFINITY;
    a->residual_equation = 0;
    load(&k, p);
    memcpy(k.r, a->r, (size_t)n * sizeof *k.r);
    renew(&k);
    const bool within = measure(&k, STI_CONTACT_AUTO) || sweep(&k) || newton(&k);
    a->iterations = k.iterations;
    a->residual_contact = a->residual;
    return within;
}
