// lemke.c: Lemke's complementary pivoting with the lexicographic rule.
//
//     w = M z + q + d z0,      w, z, z0 >= 0,      z_i w_i = 0
//
// With z0 large this has the solution z = 0: the primary ray. Lemke's path lets z0 come down along almost
// complementary solutions, those with z'w = 0 and one pair (z_i, w_i) both zero, by letting the complement of the
// variable that left last enter next. It ends with z0 = 0, a solution, or on another ray.
//
// Source: S3 theorem 1.2.8 (the existence theorem this method proves); Cottle, Pang & Stone, The Linear
// Complementarity Problem (1992), sections 4.4 (the scheme) and 4.9 (the lexicographic rule).
//
// M, q, d are scaled in the basis B (basis.h); d = (1, .., 1) unless given. z0 is variable 2n, w_i i, z_i n + i.
//
// What the outcomes prove. A solution is checked on the data: nothing else is claimed. A secondary ray
//
//     (z, z0) + t (v, v0),  t >= 0,     v, v0 >= 0,   M v + d v0 >= 0,   v'(M v + d v0) = 0
//
// proves nothing by itself. When M is copositive, v0 = 0 follows and v'q < 0: then v solves the homogeneous
// problem, and whether that excludes a solution is decided by the caller (theorem 1.2.8 and what it knows of M).
// The rule makes every step strict in the lexicographic order of [b | B^-1], so no basis comes twice: in exact
// arithmetic the method ends for every M and q; in rounded arithmetic see D7.
//
// Cost: one column a pivot, see basis.c: 2 n m flops with m basic z, where a tableau of n (n+1) numbers would take
// 2 n^2. About n/2 to n pivots on dense monotone and on frictional problems, 2^n on Murty's and Fathi's. Memory:
// 1.4 to 2.2 n^2 doubles are reserved, and touched as far as n m and the last pivots go.
//
// Departures from the book:
//  D1  The tableau is not kept. The lexicographic columns are found when ratios tie: rows of B^-1 when not too many
//      rows are tied, columns otherwise.
//  D2  Ratios that differ by less than their rounding count as tied. If z0 is among the tied it leaves.
//  D3  Up to PRECISE_PAIRS pairs every b and column is refined on the data with residuals in extended precision.
//      Exact ties are then seen as such, and on data that doubles hold the path is that of exact arithmetic.
//  D4  A ray is believed only after refinement, a thin pivot taken only from a fresh factorization.
//  D5  At the end z is refined on the data. If it is negative by more than rounding, a near tie was decided
//      wrongly: the method starts again from the basis it has, with d such that z0 enters with ones, and failing
//      that once more from the beginning with frequent factorizations and coarser zeros.
//  D6  Columns that will probably be asked for soon are computed together, at the speed of matrix products.
//  D7  The basis after pivots 1, 2, 4, 8, .. is kept and compared with those that follow (Brent 1980): a path that goes
//      round
//      is left after at most three times its length. On degenerate, badly scaled data it could go round for ever.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "solvers/basis.h"
#include "solvers/solvers.h"

// All relative to the numbers an entry was computed from.
static const double zero_entry = 1e-12;     // an entry below this does not block
static const double careful_zero = 1e-9;    // the same on the second try
static const double tie = 1e-12;            // ratios this close are compared further
static const double precise_tie = 1e-13;    // the same for refined values
static const double thin_pivot = 1e-7;      // a pivot below this is looked at again after a rebuild
static const double converged = 1e-9;       // refinement that ends above this has failed
static const double real_negative = 1e-13;  // what lies below this at the end is rounding

enum { REPAIRS = 4, CAREFUL_LIFE = 16, TIME_CHECK = 16, PRECISE_PAIRS = 32, LOOK_AHEAD = 32 };

typedef struct forecast {
    double ratio;
    int variable;
} forecast;

typedef struct lemke {
    sti_arena memory;
    sti_basis* B;
    const sti_lcp_options* options;
    int n;
    long pivots;
    long max_pivots;
    double deadline;
    double max_loss;  // cancellation in a column above which the basis is factorized anew
    double excess;    // flops spent on columns because the factors are old
    int life;         // pivots after which the basis is factorized anew
    bool careful;     // second try
    bool precise;     // few pairs: every value is refined
    double tie;       // precise_tie or tie
    bool out_of_time;
    bool cycles;                // a basis came again: the path goes round
    unsigned char* remembered;  // variables of a basis of this path                      (2n+1)
    long steps, remember_at;    // pivots of this path, and the one after which to remember
    int entering;               // variable that found no blocking row, after a ray
    double sign;                // the ratio of row i has the denominator sign * col_i
    int* tied;                  // rows still in the comparison                            (n)
    int* slot;                  // where their row of the inverse is                       (n)
    double* ratio;              // their values                                            (n)
    double* slack;              // and the rounding those may carry                        (n)
    double* x;                  // refined values by row                                   (n)
    double* f;                  // scratch                                                 (n)
    double* rows;               // rows of the inverse                                     (width x n)
    forecast* forecast;         // variables in the order in which they may leave        (n)
    int looked_ago;             // pivots since columns were computed ahead
    int look_again;             // after so many
    int found;                  // of those pivots, how many had their column
} lemke;

// ---- lexicographic comparison ----

// Ratio of row k->tied[c] with a numerator that carries the rounding of `size`.
static void set_ratio(lemke* k, int c, double numerator, double size) {
    const sti_basis* B = k->B;
    const int i = k->tied[c];
    const double den = k->sign * B->col[i];
    k->ratio[c] = numerator / den;
    k->slack[c] = k->tie * (size + fabs(k->ratio[c]) * B->col_size[i]) / den;
}

// Of the rows in k->tied keep those whose ratio is least, rounding allowed for. Returns how many.
static int keep_least(lemke* k, int count) {
    int least = 0;
    for (int c = 1; c < count; c++) {
        if (k->ratio[c] < k->ratio[least]) least = c;
    }
    const double bar = k->ratio[least] + k->slack[least];
    int kept = 0;
    for (int c = 0; c < count; c++) {
        if (c != least && k->ratio[c] - k->slack[c] > bar) continue;
        k->tied[kept] = k->tied[c];
        k->slot[kept++] = k->slot[c];
    }
    return kept;
}

// Column of a basic w is a unit vector: the row that has the one is not the least.
static int drop_row(lemke* k, int count, int row) {
    int kept = 0;
    for (int c = 0; c < count; c++) {
        if (k->tied[c] == row) continue;
        k->tied[kept] = k->tied[c];
        k->slot[kept++] = k->slot[c];
    }
    return kept;
}

// Columns of B^-1 from the left while more rows are tied than we want rows of. Returns the rows that remain tied
// before column *j.
static int compare_columns(lemke* k, int count, int* j) {
    sti_basis* B = k->B;
    const int enough = k->precise ? 1 : STI_BASIS_WIDTH;
    for (*j = 0; *j < k->n && count > enough; (*j)++) {
        if (B->place[*j] >= 0) {
            count = drop_row(k, count, B->place[*j]);
            continue;
        }
        sti_basis_direction(B, *j, k->f);
        sti_basis_solve(B, k->f, k->x);
        if (k->precise) sti_basis_refine(B, k->f, k->x);
        const double size = sti_max_abs(k->x, k->n);
        for (int c = 0; c < count; c++) set_ratio(k, c, -k->x[k->tied[c]], size);
        count = keep_least(k, count);
    }
    return count;
}

// The rest of the columns, from column j on, with whole rows of B^-1.
static int compare_rows(lemke* k, int count, int j) {
    sti_basis* B = k->B;
    double size[STI_BASIS_WIDTH];
    sti_basis_inverse_rows(B, k->tied, count, k->rows, size);
    for (int c = 0; c < count; c++) k->slot[c] = c;
    for (; j < k->n && count > 1; j++) {
        if (B->place[j] >= 0) {
            count = drop_row(k, count, B->place[j]);
            continue;
        }
        for (int c = 0; c < count; c++) {
            const int at = k->slot[c];
            set_ratio(k, c, k->rows[(size_t)at * (size_t)k->n + (size_t)j], size[at]);
        }
        count = keep_least(k, count);
    }
    return count;
}

// arg lexmin of [b_i | (B^-1)_i] / (sign col_i) over the rows in k->tied, first of all by the ratios in k->ratio.
static int lex_least_row(lemke* k, int count) {
    const sti_basis* B = k->B;
    int least = 0;
    for (int c = 1; c < count; c++) {
        if (k->ratio[c] < k->ratio[least]) least = c;
    }
    const int r = k->tied[least];
    const double den = k->sign * B->col[r], ratio = k->ratio[least];
    const double bar = ratio + k->tie * (B->b_size[r] + fabs(ratio) * B->col_size[r]) / den;
    int kept = 0;
    for (int c = 0; c < count; c++) {
        const int i = k->tied[c];
        const double slack = k->tie * (B->b_size[i] + fabs(k->ratio[c]) * B->col_size[i]);
        if (c == least || (k->ratio[c] - bar) * k->sign * B->col[i] <= slack) k->tied[kept++] = i;
    }
    for (int c = 0; c < kept; c++) {
        if (B->basic[k->tied[c]] == 2 * k->n) return k->tied[c];  // D2
    }
    if (kept > 1) {
        int j = 0;
        kept = compare_columns(k, kept, &j);
        if (kept > 1 && j < k->n) compare_rows(k, kept, j);  // else every column is tied, and any row will do
    }
    return k->tied[0];
}

// ---- steps ----

// Step 1: the row that leaves when z0 enters, after which b >= 0.
static int covering_row(lemke* k) {
    sti_basis_column(k->B, 2 * k->n);
    k->sign = 1;
    for (int i = 0; i < k->n; i++) {
        k->tied[i] = i;
        k->ratio[i] = k->B->b[i] / k->B->col[i];
    }
    return lex_least_row(k, k->n);
}

// D3: b and the column of v to all digits.
static void sharpen(lemke* k, int v) {
    sti_basis* B = k->B;
    sti_basis_refine(B, B->q, B->b);
    sti_basis_direction(B, v, k->f);
    sti_basis_refine(B, k->f, B->col);
    const double b_size = sti_max_abs(B->b, k->n), col_size = sti_max_abs(B->col, k->n);
    for (int i = 0; i < k->n; i++) {
        B->b_size[i] = b_size;
        B->col_size[i] = col_size;
    }
}

// Step 2: the row that leaves when `entering` enters; -1 when nothing blocks.
static int blocking_row(lemke* k, int entering) {
    const sti_basis* B = k->B;
    k->found += B->ahead_slot[entering] >= 0;
    sti_basis_column(k->B, entering);
    if (k->precise) sharpen(k, entering);
    k->sign = -1;
    const double zero = k->careful ? careful_zero : k->precise ? precise_tie : zero_entry;
    int count = 0;
    for (int i = 0; i < k->n; i++) {
        if (-B->col[i] > zero * B->col_size[i]) {
            k->tied[count] = i;
            k->ratio[count++] = (B->b[i] > 0 ? B->b[i] : 0) / -B->col[i];  // negative by rounding only
        }
    }
    return count == 0 ? -1 : lex_least_row(k, count);
}

static int complement(const lemke* k, int v) {
    return v < k->n ? v + k->n : v - k->n;
}

static void pivot(lemke* k, int r, int entering) {
    sti_basis_pivot(k->B, r, entering);
    k->pivots++;
    const sti_lcp_options* o = k->options;
    if (o->trace != NULL && k->pivots % k->n == 0) {
        const int row = k->B->place[2 * k->n];
        o->trace(o->trace_user, "lemke", k->pivots, row < 0 ? 0 : k->B->C[k->n] * k->B->b[row]);
    }
}

// D4: direction of `entering` refined on the data, in k->x; true when it converged and nothing blocks it.
static bool confirm_ray(lemke* k, int entering) {
    sti_basis* B = k->B;
    sti_basis_direction(B, entering, k->f);
    memcpy(k->x, B->col, (size_t)k->n * sizeof(double));
    if (!(sti_basis_refine(B, k->f, k->x) <= converged)) return false;
    const double size = fmax(1, sti_max_abs(k->x, k->n));
    for (int i = 0; i < k->n; i++) {
        if (k->x[i] < -careful_zero * size) return false;
    }
    return true;
}

static bool rebuild(lemke* k) {
    k->excess = 0;
    return sti_basis_rebuild(k->B);
}

// Columns cost 2 n (m + K) flops with the factors at hand and 2 n z_count with new ones. New ones are worth while
// when what was spent in excess pays for them: (2/3) m^3 flops at four times the speed, and the gathering.
static bool worn(lemke* k) {
    const sti_basis* B = k->B;
    const double n = k->n, m = B->z_count;
    k->excess += 2 * n * (B->m + B->pivots - m);
    return k->excess > m * m * m / 6 + 20 * n * (m + 10);
}

static int by_ratio(const void* a, const void* b) {
    const forecast *p = a, *q = b;
    if (p->ratio != q->ratio) return p->ratio < q->ratio ? -1 : 1;
    return p->variable < q->variable ? -1 : p->variable > q->variable;
}

// D6. Which variables will leave next is well known: as z0 comes down, those that are first to reach zero along the
// present direction. The columns of their complements are computed together; nine of ten are then asked for.
// Where fewer than four of ten were, it does not pay, and is put off for longer and longer.
static void look_ahead(lemke* k) {
    sti_basis* B = k->B;
    if (B->ahead_room == 0 || B->m + B->pivots < LOOK_AHEAD) return;
    if (B->pivots > 0 && ++k->looked_ago < k->look_again) return;
    if (B->pivots > 0) k->look_again = k->found < 4 * k->looked_ago / 10 ? 2 * k->looked_ago : LOOK_AHEAD;
    k->looked_ago = k->found = 0;
    const int z0 = 2 * k->n;
    const double down = B->col[B->place[z0]] <= 0 ? 1 : -1;
    int count = 0;
    for (int i = 0; i < k->n; i++) {
        const double rate = -down * B->col[i];
        if (rate <= 0 || B->basic[i] == z0) continue;
        k->forecast[count++] = (forecast){.ratio = B->b[i] / rate, .variable = B->basic[i]};
    }
    qsort(k->forecast, (size_t)count, sizeof *k->forecast, by_ratio);
    if (count > B->ahead_room) count = B->ahead_room;
    for (int c = 0; c < count; c++) k->tied[c] = complement(k, k->forecast[c].variable);
    sti_basis_look_ahead(B, k->tied, count);
}

// One decision of step 2, looked at twice where it is thin. Returns a row, or -1 with the end of the path in *end.
static int decide(lemke* k, int entering, sti_termination* end) {
    sti_basis* B = k->B;
    *end = STI_END_STALLED;
    if ((B->pivots >= k->life || worn(k)) && !rebuild(k)) return -1;
    for (;;) {
        const int r = blocking_row(k, entering);
        const bool fresh = B->pivots == 0;
        if (r >= 0) {
            const bool thin = -B->col[r] < thin_pivot * B->col_size[r] || B->col_loss > k->max_loss;
            if (!thin || fresh || (B->pivots < CAREFUL_LIFE / 2 && k->n > 4 * CAREFUL_LIFE)) return r;
        } else if (confirm_ray(k, entering)) {
            *end = STI_END_RAY;
            k->entering = entering;
            return -1;
        }
        if (fresh || !rebuild(k)) return -1;
    }
}

static bool spent(lemke* k) {
    if (k->pivots >= k->max_pivots) return true;
    if (k->deadline < INFINITY && k->pivots % TIME_CHECK == 0) k->out_of_time = sti_now(k->B->env) > k->deadline;
    return k->out_of_time;
}

// D7. Is the basis the one remembered? On the way one after the other is remembered, each for twice as long as the
//     last.
static bool comes_again(lemke* k) {
    const int count = 2 * k->n + 1;
    int v = 0;
    while (k->remember_at > 1 && v < count && (k->B->place[v] >= 0) == (k->remembered[v] != 0)) v++;
    if (v == count) return true;
    if (++k->steps < k->remember_at) return false;
    k->remember_at *= 2;
    for (v = 0; v < count; v++) k->remembered[v] = k->B->place[v] >= 0;
    return false;
}

static sti_termination iterate(lemke* k) {
    const int z0 = 2 * k->n;
    k->steps = 0;
    k->cycles = false;
    k->remember_at = 1;
    int r = covering_row(k);
    if (k->B->b[r] >= 0) return STI_END_SOLUTION;  // step 0: nothing to cover
    int leaving = k->B->basic[r];
    pivot(k, r, z0);
    while (leaving != z0) {
        if (spent(k)) return STI_END_LIMIT;
        const int entering = complement(k, leaving);
        sti_termination end;
        r = decide(k, entering, &end);
        if (r < 0) return end;
        leaving = k->B->basic[r];
        if (leaving != z0) look_ahead(k);
        pivot(k, r, entering);
        k->cycles = comes_again(k);
        if (k->cycles) return STI_END_STALLED;
    }
    return STI_END_SOLUTION;
}

// ---- answers ----

static void write_z(const lemke* k, const double* x, double* z) {
    const sti_basis* B = k->B;
    memset(z, 0, (size_t)k->n * sizeof(double));
    for (int i = 0; i < k->n; i++) {
        const int v = B->basic[i] - k->n;
        if (v >= 0 && v < k->n) z[v] = B->C[v] * fmax(x[i], 0);
    }
}

// Size of what w_e is made of, where every entry carries the rounding of the largest.
static double equation_size(const lemke* k, int e, double z_size) {
    const sti_basis* B = k->B;
    const double* Me = B->M + (size_t)e * (size_t)k->n;
    double sum = 0;
    for (int v = 0; v < k->n; v++) {
        if (B->place[k->n + v] >= 0) sum += fabs(Me[v] * B->C[v]);
    }
    return sti_max_abs(B->q, k->n) + B->R[e] * sum * z_size;
}

// The largest negative part of the values in k->x, relative to what they are made of.
static double negative_part(const lemke* k) {
    const sti_basis* B = k->B;
    double z_size = 0, worst = 0;
    for (int i = 0; i < k->n; i++) {
        if (B->basic[i] >= k->n) z_size = fmax(z_size, fabs(k->x[i]));
    }
    for (int i = 0; i < k->n; i++) {
        if (k->x[i] >= 0) continue;
        const double size = B->basic[i] >= k->n ? z_size : equation_size(k, B->basic[i], z_size);
        worst = fmax(worst, -k->x[i] / size);
    }
    return worst;
}

// Values of the complementary basis on the data, in k->x. Returns how far they are from a solution.
static double finish(lemke* k) {
    sti_basis* B = k->B;
    for (int look = 0; look < 2; look++) {
        memcpy(k->x, B->b, (size_t)k->n * sizeof(double));
        if (sti_basis_refine(B, B->q, k->x) <= converged) return negative_part(k);
        if (B->pivots == 0 || !rebuild(k)) break;
    }
    return INFINITY;
}

static void write_solution(const lemke* k, sti_lcp_answer* answer) {
    write_z(k, k->x, answer->z);
    for (int v = 0; v < k->n; v++) answer->alpha[v] = k->B->place[k->n + v] >= 0;
    answer->basis_nonsingular = 1;
}

// The direction is in k->x. The foot is refined, too.
static sti_status write_ray(lemke* k, sti_env* env, sti_lcp_answer* answer) {
    sti_basis* B = k->B;
    const size_t n = (size_t)k->n;
    sti_ray* ray = &answer->ray;
    ray->z = sti_alloc_array(env, n, sizeof(double));
    ray->dz = sti_alloc_array(env, n, sizeof(double));
    if (ray->z == NULL || ray->dz == NULL) {
        sti_free(env, ray->z);
        sti_free(env, ray->dz);
        *ray = (sti_ray){0};
        return STI_ERR_MEMORY;
    }
    const int z0 = 2 * k->n, row = B->place[z0];
    write_z(k, k->x, ray->dz);
    if (k->entering >= k->n && k->entering < z0) ray->dz[k->entering - k->n] = B->C[k->entering - k->n];
    ray->dz0 = row < 0 ? 0 : B->C[k->n] * fmax(k->x[row], 0);
    const double size = sti_max_abs(ray->dz, k->n);
    if (size > 0) {
        for (size_t i = 0; i < n; i++) ray->dz[i] /= size;
        ray->dz0 /= size;
    }
    memcpy(k->x, B->b, n * sizeof(double));
    if (!(sti_basis_refine(B, B->q, k->x) <= converged)) memcpy(k->x, B->b, n * sizeof(double));
    write_z(k, k->x, ray->z);
    ray->z0 = row < 0 ? 0 : B->C[k->n] * fmax(k->x[row], 0);
    memcpy(answer->z, ray->z, n * sizeof(double));
    for (int v = 0; v < k->n; v++) answer->alpha[v] = B->place[k->n + v] >= 0;
    return STI_OK;
}

static void say(sti_lcp_answer* answer, const lemke* k, sti_termination end, double worst) {
    char text[160];
    const char* pair = k->entering < k->n ? "w" : "z";
    answer->termination = end;
    answer->iterations = k->pivots;
    if (end == STI_END_SOLUTION) {
        snprintf(text, sizeof text, "z0 left the basis");
    } else if (end == STI_END_RAY) {
        snprintf(text, sizeof text, "a secondary ray, nothing blocks %s_%d", pair, k->entering % k->n + 1);
    } else if (end == STI_END_LIMIT) {
        snprintf(text, sizeof text, "the limit on %s was reached", k->out_of_time ? "time" : "pivots");
    } else if (k->cycles) {
        snprintf(text, sizeof text, "the path cycles: rounding decides its ties");
    } else if (worst < INFINITY) {
        snprintf(text, sizeof text, "values stay negative, by %.1e of their size", worst);
    } else {
        snprintf(text, sizeof text, "bases are singular to rounding");
    }
    snprintf(answer->reason, sizeof answer->reason, "%s after %ld pivots", text, k->pivots);
}

// From the beginning, with care.
static void restart(lemke* k) {
    k->careful = true;
    k->life = k->life < CAREFUL_LIFE ? k->life : CAREFUL_LIFE;
    sti_basis_reset(k->B);
}

// Passes over the path, D5. A ray counts only when z0 has the covering vector that was asked for.
static sti_status run(lemke* k, sti_env* env, sti_lcp_answer* answer) {
    const double good = fmax(k->options->tol, real_negative);
    double best = INFINITY;  // how far from a solution the point in the answer is
    bool as_asked = true;    // d
    int repairs = 0;
    sti_termination end;
    for (;;) {
        end = iterate(k);
        if (end == STI_END_LIMIT || (end == STI_END_RAY && as_asked)) break;
        if (end == STI_END_SOLUTION) {
            const double worst = finish(k);
            if (worst < best) {
                best = worst;
                write_solution(k, answer);
            }
            if (best <= real_negative) break;
            if (repairs++ < REPAIRS && rebuild(k)) {
                sti_basis_cover(k->B);
                as_asked = false;
                continue;
            }
        }
        end = STI_END_STALLED;
        if (k->careful) break;
        restart(k);
        as_asked = true;
    }
    // z >= 0 holds by construction; whether w is good enough is measured on the data by the caller
    if (best <= good) end = STI_END_SOLUTION;
    say(answer, k, end, best);
    if (end == STI_END_RAY) return write_ray(k, env, answer);
    if (best == INFINITY) write_z(k, k->B->b, answer->z);
    return STI_OK;
}

// ---- entry ----

// All of Murty's and Fathi's problems with n <= 16 end within this, with room; larger problems that need more than
// 50 n pivots are the exponential ones.
static long default_limit(int n) {
    if (n <= 20) return 2L << 20;
    return n < 400 ? 20000 : 50L * n;
}

static bool allocate(lemke* k, sti_env* env) {
    const size_t n = (size_t)k->n;
    k->memory = sti_arena_make(env);
    k->tied = sti_arena_raw(&k->memory, 2 * n, sizeof *k->tied);
    k->ratio = sti_arena_raw(&k->memory, (4 + (k->precise ? 0 : STI_BASIS_WIDTH)) * n, sizeof *k->ratio);
    k->forecast = sti_arena_raw(&k->memory, n, sizeof *k->forecast);
    k->remembered = sti_arena_take(&k->memory, 2 * n + 1, 1);
    if (k->memory.status != STI_OK) return false;
    k->slot = k->tied + n;
    k->slack = k->ratio + n;
    k->x = k->slack + n;
    k->f = k->x + n;
    k->rows = k->f + n;
    memset(k->slot, 0, n * sizeof *k->slot);
    return true;
}

sti_status sti_lcp_method_lemke(sti_env* env, const sti_lcp* lcp, const sti_lcp_options* options,
                                sti_lcp_answer* answer) {
    const double* d = options->covering;
    bool nonnegative = true;
    for (int i = 0; i < lcp->n; i++) {
        if (d != NULL && !(d[i] > 0 && isfinite(d[i])))
            return STI_FAIL(env, STI_ERR_ARGUMENT, i, "covering vector: entry %d is %g, not positive", i, d[i]);
        nonnegative = nonnegative && lcp->q[i] >= 0;
    }
    if (nonnegative) {
        answer->termination = STI_END_SOLUTION;
        answer->basis_nonsingular = 1;
        snprintf(answer->reason, sizeof answer->reason, "q >= 0: z = 0 is a solution");
        return STI_OK;
    }
    lemke k = {.options = options, .n = lcp->n, .deadline = sti_deadline(env, options->time_limit_s)};
    k.max_pivots = options->max_iterations > 0 ? options->max_iterations : default_limit(lcp->n);
    sti_status status = sti_basis_create(env, lcp, d, &k.B);
    k.precise = k.n <= PRECISE_PAIRS;
    if (status == STI_OK && !allocate(&k, env)) status = STI_ERR_MEMORY;
    if (status == STI_OK) {
        k.life = k.B->capacity;
        k.tie = k.precise ? precise_tie : tie;
        k.max_loss = k.n <= 4 * CAREFUL_LIFE ? 256 : 1e6;
        status = run(&k, env, answer);
    }
    sti_arena_clear(&k.memory);
    sti_basis_destroy(k.B);
    return status;
}
