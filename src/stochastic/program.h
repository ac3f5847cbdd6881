// program.h: a stochastic program as its solvers see it: block 0 is the first stage, block i scenario i - 1.
//
// Inside, the multipliers, reduced gradients and slacks of scenario i are those of the program divided by p_i: all
// blocks then have the scale of their data, however small their probability, and K_i = [Q_i + D_i, W_i'; W_i, -E_i],
// B_i = [0, T_i'; W0, 0] enter the sums with the factor p_i.
#ifndef STI_STOCHASTIC_PROGRAM_H
#define STI_STOCHASTIC_PROGRAM_H

#include <stdbool.h>
#include <stiction/stochastic.h>

#include "base/env.h"

typedef struct sti_stochastic_layout {
    const sti_stochastic* p;          // borrowed
    int blocks;                       // scenario_count + 1
    size_t *var, *row;                // where the variables and rows of each block begin       (blocks + 1)
    int most_m, most_q;               // of a scenario
    int chunks;                       // the scenarios come in so many groups, whatever the number of threads
    int grain;                        // a group begins at a multiple of so many: small ones of one size go side by side
    const sti_stochastic_team* team;  // NULL: alone
} sti_stochastic_layout;

sti_status sti_stochastic_layout_create(sti_env* env, const sti_stochastic* p, const sti_stochastic_team* team,
                                        sti_stochastic_layout* out);
void sti_stochastic_layout_clear(sti_env* env, sti_stochastic_layout* L);

static inline double sti_stochastic_layout_weight(const sti_stochastic_layout* L, int i) {
    return i == 0 ? 1 : L->p->scenarios[i - 1].probability;
}
static inline const sti_matrix* sti_stochastic_layout_Q(const sti_stochastic_layout* L, int i) {
    return i == 0 ? &L->p->Q0 : &L->p->scenarios[i - 1].Q;
}
static inline const sti_matrix* sti_stochastic_layout_A(const sti_stochastic_layout* L, int i) {  // T0, or W_i
    return i == 0 ? &L->p->T0 : &L->p->scenarios[i - 1].W;
}
static inline const sti_matrix* sti_stochastic_layout_W0(const sti_stochastic_layout* L, int i) {
    const sti_scenario* s = &L->p->scenarios[i - 1];
    return s->W0.rows > 0 ? &s->W0 : &L->p->W0;
}
static inline const double* sti_stochastic_layout_c(const sti_stochastic_layout* L, int i) {
    return i == 0 ? L->p->c0 : L->p->scenarios[i - 1].c;
}
static inline int sti_stochastic_layout_m(const sti_stochastic_layout* L, int i) {
    return (int)(L->var[i + 1] - L->var[i]);
}
static inline int sti_stochastic_layout_q(const sti_stochastic_layout* L, int i) {
    return (int)(L->row[i + 1] - L->row[i]);
}
static inline int sti_stochastic_layout_chunk(const sti_stochastic_layout* L, int chunk) {  // its first block
    const int64_t grains = (L->blocks - 2) / L->grain + 1, begin = grains * chunk / L->chunks * L->grain;
    return begin < L->blocks - 1 ? 1 + (int)begin : L->blocks;
}

// Sums over the ranks of a team: every rank brings what its own scenarios add, and the first one the share of block 0.
static inline bool sti_stochastic_layout_leads(const sti_stochastic_layout* L) {
    return L->team == NULL || L->team->rank == 0;
}
void sti_stochastic_layout_sum(const sti_stochastic_layout* L, double* x, size_t count);
void sti_stochastic_layout_most(const sti_stochastic_layout* L, double* x, size_t count);
// STI_OK on every rank, or on none: a rank whose neighbour failed says so.
sti_status sti_stochastic_layout_agree(sti_env* env, const sti_stochastic_layout* L, sti_status status);

// Lower and upper side of variable or row j of a block; infinite where there is none.
void sti_stochastic_layout_bounds(const sti_stochastic_layout* L, int i, double* low, double* high);  // (m)
void sti_stochastic_layout_sides(const sti_stochastic_layout* L, int i, double* low, double* high);   // (q)

// y += f A x and x += f A'y; a matrix of no rows is 0.
void sti_block_multiply(const sti_matrix* A, double f, const double* x, double* y);
void sti_block_multiply_transposed(const sti_matrix* A, double f, const double* y, double* x);

#endif
