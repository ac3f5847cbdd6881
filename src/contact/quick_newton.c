// quick_newton.c: Newton's method on the few contacts that still move, the others held: the second half of quick.c.
//
//     E (S G y + base) + K y = 0,      r = G y,      u = S r + base
//         S = W of these contacts, base = u without them
//
// on the linear pieces of the function of Alart & Curnier (curnier.h), with full steps and a dense elimination. A
// singular matrix (redundant contacts) or modes that keep changing end it; nothing is changed then.
#include <math.h>
#include <string.h>

#include "contact/bsr_row.h"
#include "contact/curnier.h"
#include "contact/local.h"
#include "contact/quick_columns.h"

enum {
    SIDE = STI_QUICK_SIDE,
    UNKNOWNS = 48,  // of the equations
    STEPS = 8,
};

#define SINGULAR 1e-11  // pivot over the largest entry, below which the matrix counts as singular

typedef sti_column column;
typedef sti_pusher pusher;
typedef sti_quick quick;

// Newton's equations on the contacts of a list
typedef struct few {
    int count, side;        // contacts, rows d count
    int slot[SIDE / 2];     // of the contacts
    double S[SIDE * SIDE];  // W of these contacts                  (side x side)
    double base[SIDE];      // u of them at r = 0 of them
    double r[SIDE], u[SIDE];
    sti_contact_piece piece[SIDE / 2];
    int first[SIDE / 2];  // first unknown of each
    double A[SIDE * (UNKNOWNS + 2)], T[UNKNOWNS * (UNKNOWNS + 2)], y[UNKNOWNS];
} few;

// The contacts that move, W of them, and u without them. False: they are too many.
static inline bool gather_of(quick* k, few* f, const int d) {
    f->count = 0;
    for (int s = 0; s < k->pressing; s++) {
        if (!k->pusher[s].moved) continue;
        if (d * (f->count + 1) > SIDE) return false;
        f->slot[f->count++] = s;
    }
    const int side = f->side = d * f->count;
    int* place = k->island;  // of every contact in the list; the verdict has not come yet
    for (int c = 0; c < k->nc; c++) place[c] = -1;
    for (int t = 0; t < f->count; t++) place[k->pusher[f->slot[t]].contact] = t;
    memset(f->S, 0, (size_t)(side * side) * sizeof *f->S);
    for (int t = 0; t < side; t++) {
        const pusher* s = &k->pusher[f->slot[t / d]];
        const column* w = &s->of[t % d];
        for (int e = 0; e < w->count; e++) {
            const int i = w->row == NULL ? e : w->row[e], c = i / d;
            if (place[c] >= 0) f->S[(d * place[c] + i - d * c) * side + t] = w->value[e];
        }
        f->r[t] = k->r[d * s->contact + t % d];
        f->base[t] = f->u[t] = k->u[d * s->contact + t % d];
    }
    for (int i = 0; i < side; i++) {
        for (int j = 0; j < side; j++) f->base[i] -= f->S[i * side + j] * f->r[j];
    }
    return true;
}

static bool gather(quick* k, few* f) {
    return k->d == 2 ? gather_of(k, f, 2) : gather_of(k, f, 3);
}

// Pieces at (r, u); the number of unknowns.
static int linearize(const quick* k, few* f) {
    int m = 0;
    for (int s = 0; s < f->count; s++) {
        const int c = k->pusher[f->slot[s]].contact, at = k->d * s;
        sti_curnier(k->d, k->local.mu[c], k->rho[c], f->r + at, f->u + at, &f->piece[s]);
        f->first[s] = m;
        m += f->piece[s].dim;
    }
    return m;
}

// Rows are padded to even lengths: they are worked on by pairs of entries.
static inline int width_of(int m) {
    return (m + 2) & ~1;
}

// E (S G y + base) + K y = 0: A = [S G, base] by rows, and T = E A + K.
static void assemble(int d, few* f, int m) {
    const int width = width_of(m);
    for (int t = 0; t < f->count; t++)
        sti_piece_columns_of(d, &f->piece[t], f->side, f->S + d * t, f->side, f->A + f->first[t], width);
    for (int i = 0; i < f->side; i++) f->A[i * width + m] = f->A[i * width + width - 1] = f->base[i];
    for (int s = 0; s < f->count; s++) {
        const sti_contact_piece* piece = &f->piece[s];
        double* T = f->T + f->first[s] * width;
        sti_piece_rows_of(d, piece, f->A + d * s * width, width, T);
        if (piece->slide && piece->dim == 2) T[width + f->first[s] + 1] += piece->stiff;
    }
}

// row -= factor pivot, from column `from` on
static inline void subtract_row(double* row, const double* pivot, double factor, int from, int width) {
    const sti_pair f = {factor, factor};
    for (int j = from & ~1; j < width; j += 2) *(sti_pair*)(row + j) -= f * sti_pair_at(pivot + j);
}

// y = -T^-1 times column m of T, by elimination with pivoting of rows. False: singular.
static bool eliminate(few* f, int m) {
    const int width = width_of(m);
    double *T = f->T, largest = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) largest = fabs(T[i * width + j]) > largest ? fabs(T[i * width + j]) : largest;
    }
    double* row[UNKNOWNS];
    for (int i = 0; i < m; i++) row[i] = T + i * width;
    for (int c = 0; c < m; c++) {
        int p = c;
        for (int i = c + 1; i < m; i++) {
            if (fabs(row[i][c]) > fabs(row[p][c])) p = i;
        }
        if (!(fabs(row[p][c]) > SINGULAR * largest)) return false;
        double* pivot = row[p];
        row[p] = row[c];
        row[c] = pivot;
        const double inverse = 1 / pivot[c];
        for (int i = c + 1; i < m; i++) {
            if (row[i][c] != 0) subtract_row(row[i], pivot, row[i][c] * inverse, c + 1, width);
        }
    }
    for (int i = m - 1; i >= 0; i--) {
        double y = -row[i][m];
        for (int j = i + 1; j < m; j++) y -= row[i][j] * f->y[j];
        f->y[i] = y / row[i][i];
    }
    return true;
}

// Natural map of the list at r = G y; r and u follow.
static double miss_of(const quick* k, few* f, int m) {
    const int d = k->d, width = width_of(m);
    double sum = 0;
    for (int s = 0; s < f->count; s++) sti_piece_force(d, &f->piece[s], f->y + f->first[s], f->r + d * s);
    for (int i = 0; i < f->side; i++) {
        double u = f->base[i];
        for (int j = 0; j < m; j++) u += f->A[i * width + j] * f->y[j];
        f->u[i] = u;
    }
    for (int s = 0; s < f->count; s++) {
        const int c = k->pusher[f->slot[s]].contact;
        sum += sti_contact_natural_map_one(d, k->local.mu[c], k->rho[c], f->r + d * s, f->u + d * s);
    }
    return sqrt(sum);
}

// The list at rest among the others, to what is aimed at. Full steps while the natural map falls; once it may rise.
static bool settle(const quick* k, few* f, double aim) {
    double least = INFINITY;
    int rises = 0;
    for (int step = 0; step < STEPS && rises < 2; step++) {
        const int m = linearize(k, f);
        if (m > UNKNOWNS) return false;
        assemble(k->d, f, m);
        if (!eliminate(f, m)) return false;
        const double miss = miss_of(k, f, m);
        if (miss <= aim) return true;
        rises += !(miss < least);
        least = miss < least ? miss : least;
    }
    return false;
}

// The forces of the list to all, u with them.
static void take(quick* k, const few* f) {
    const int d = k->d;
    for (int t = 0; t < f->side; t++) {
        const pusher* s = &k->pusher[f->slot[t / d]];
        double* r = k->r + d * s->contact + t % d;
        if (f->r[t] != *r) sti_column_add(&s->of[t % d], f->r[t] - *r, k->u);
        *r = f->r[t];
    }
    for (int t = 0; t < f->count; t++) {
        pusher* s = &k->pusher[f->slot[t]];
        for (int i = 0; i < d; i++) s->seen[i] = k->u[d * s->contact + i];
    }
}

bool sti_quick_newton(quick* k, double aim) {
    few f;
    bool some = true;
    for (int before = 0, round = 0; round < STI_QUICK_ROUNDS; before = f.count, round++) {
        if (!gather(k, &f)) return false;
        if (f.count == before) return true;
        if (!settle(k, &f, aim)) return false;
        take(k, &f);
        if (!sti_quick_widen(k, &some)) return false;
        sti_quick_look_ahead(k);
        k->iterations++;
        if (k->ahead <= aim) return true;
    }
    return true;
}

double sti_quick_newton_cost(const quick* k) {
    int rows = 0;
    for (int s = 0; s < k->pressing; s++) rows += k->pusher[s].moved ? k->d : 0;
    const double m = rows;
    return rows > SIDE ? INFINITY : 3 * (0.15 * m * m * m + 1.5 * m * m);
}
