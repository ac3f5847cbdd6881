// mode_oracle.h: contact modes the slow way, for the tests: every combination, each tried by an exact linear program.
//
// Nothing is shared with the library. Programs are solved by the least-index criss-cross method (Terlaky 1985) on
// integers of GMP; accelerations are eliminated (a = M^-1 (w + J c), M diagonal), and forces are given by the faces of
// the friction cone, not by its generators. A partial combination that is infeasible rules out all that begin with it.
#ifndef TESTS_SUPPORT_MODE_ORACLE_H
#define TESTS_SUPPORT_MODE_ORACLE_H

#include <gmp.h>
#include <stdio.h>
#include <string.h>

#include "support/failing_env.h"

enum { ORACLE_CONTACTS = 6, ORACLE_DOF = 6, ORACLE_ROWS = 128, ORACLE_COLS = 40, ORACLE_WORDS = 12 };

typedef struct oracle_contact {
    int tangents;
    bool apart, sliding;
    int slip;  // planar sliding: sign of t v
    int mu_num, mu_den;
    long row[3][ORACLE_DOF + 1];  // n, t, o: gradient, then rate
} oracle_contact;

typedef struct oracle_scene {
    int n, contacts;
    bool sides;  // friction with the four corners +-e_1, +-e_2 instead of the box
    long mass[ORACLE_DOF], w[ORACLE_DOF];
    oracle_contact contact[ORACLE_CONTACTS];
} oracle_scene;

// ---- criss-cross: rows T (1, x) with x >= 0; maximize the last column's variable

typedef struct oracle_lp {
    int rows, cols;  // the first row is the objective
    mpz_t T[ORACLE_ROWS][ORACLE_COLS], d, u, v;
    int basic[ORACLE_ROWS], nonbasic[ORACLE_COLS];
} oracle_lp;

static inline void oracle_lp_init(oracle_lp* p) {
    for (int i = 0; i < ORACLE_ROWS; i++) {
        for (int j = 0; j < ORACLE_COLS; j++) mpz_init(p->T[i][j]);
    }
    mpz_inits(p->d, p->u, p->v, NULL);
}

static inline void oracle_lp_free(oracle_lp* p) {
    for (int i = 0; i < ORACLE_ROWS; i++) {
        for (int j = 0; j < ORACLE_COLS; j++) mpz_clear(p->T[i][j]);
    }
    mpz_clears(p->d, p->u, p->v, NULL);
}

static inline void oracle_lp_begin(oracle_lp* p, int cols) {
    assert_true(cols + 1 < ORACLE_COLS);
    p->rows = 0;
    p->cols = cols;
    mpz_set_si(p->d, 1);
    for (int j = 0; j < cols; j++) p->nonbasic[j] = j;
}

// A row of longs (constant first) that must be >= 0; sign -1 turns it.
static inline int oracle_lp_row(oracle_lp* p, const long* row, int sign) {
    const int r = p->rows++;
    assert_true(r < ORACLE_ROWS);
    for (int j = 0; j <= p->cols; j++) mpz_set_si(p->T[r][j], sign * row[j]);
    p->basic[r] = p->cols + r;
    return r;
}

static inline void oracle_lp_pivot(oracle_lp* p, int r, int c) {
    const int sign = mpz_sgn(p->T[r][c + 1]);
    const bool same = mpz_cmpabs(p->T[r][c + 1], p->d) == 0;
    for (int i = 0; i < p->rows; i++) {
        if (i == r) continue;
        const bool absent = mpz_sgn(p->T[i][c + 1]) == 0;
        for (int j = 0; j <= p->cols; j++) {
            if (j == c + 1) continue;
            if (absent || mpz_sgn(p->T[r][j]) == 0) {  // T_ij p / d
                if (mpz_sgn(p->T[i][j]) == 0) continue;
                if (same && sign < 0) mpz_neg(p->T[i][j], p->T[i][j]);
                if (same) continue;
            }
            mpz_mul(p->u, p->T[i][j], p->T[r][c + 1]);
            mpz_submul(p->u, p->T[i][c + 1], p->T[r][j]);
            mpz_divexact(p->T[i][j], p->u, p->d);
        }
    }
    for (int i = 0; i < p->rows && sign < 0; i++) {
        if (i == r) continue;
        for (int j = 0; j <= p->cols; j++) mpz_neg(p->T[i][j], p->T[i][j]);
    }
    for (int j = 0; j <= p->cols && sign > 0; j++) {
        if (j != c + 1) mpz_neg(p->T[r][j], p->T[r][j]);
    }
    mpz_swap(p->T[r][c + 1], p->d);
    if (sign < 0) {
        mpz_neg(p->T[r][c + 1], p->T[r][c + 1]);
        mpz_neg(p->d, p->d);
    }
    const int t = p->basic[r];
    p->basic[r] = p->nonbasic[c];
    p->nonbasic[c] = t;
}

// Row 0 is the objective, free. -1: infeasible; otherwise the sign of the maximum.
static inline int oracle_lp_solve(oracle_lp* p) {
    for (;;) {
        int best = -1, row = -1, col = -1;
        for (int i = 1; i < p->rows; i++) {
            if (mpz_sgn(p->T[i][0]) < 0 && (best < 0 || p->basic[i] < best)) {
                best = p->basic[i];
                row = i;
                col = -1;
            }
        }
        for (int j = 0; j < p->cols; j++) {
            if (mpz_sgn(p->T[0][j + 1]) > 0 && (best < 0 || p->nonbasic[j] < best)) {
                best = p->nonbasic[j];
                row = -1;
                col = j;
            }
        }
        if (best < 0) return mpz_sgn(p->T[0][0]);
        int partner = -1;
        if (row >= 0) {
            for (int j = 0; j < p->cols; j++) {
                if (mpz_sgn(p->T[row][j + 1]) > 0 && (partner < 0 || p->nonbasic[j] < p->nonbasic[partner]))
                    partner = j;
            }
            if (partner < 0) return -1;
            oracle_lp_pivot(p, row, partner);
        } else {
            for (int i = 1; i < p->rows; i++) {
                if (mpz_sgn(p->T[i][col + 1]) < 0 && (partner < 0 || p->basic[i] < p->basic[partner])) partner = i;
            }
            assert_true(partner >= 0);  // bounded: e <= 1
            oracle_lp_pivot(p, partner, col);
        }
    }
}

// ---- the modes of a contact

// kinds: 's', 'a', 'k' (kept, sliding or without tangent), then per tangent '+', '-', '0' in letter[1..]; 'v': corner
// j, 'e': side j of the four-cornered polygon; 'n': sticks
typedef struct oracle_mode {
    char kind;
    char axis[2];
    int corner;
    char word[32];
} oracle_mode;

static inline int oracle_modes(const oracle_scene* s, const oracle_contact* c, oracle_mode* out) {
    int count = 0;
    out[count++] = (oracle_mode){.kind = 's', .word = "s"};
    if (c->apart) {
        out[count++] = (oracle_mode){.kind = 'a', .word = "a"};
        return count;
    }
    if (c->sliding || c->tangents == 0) {
        out[count++] = (oracle_mode){.kind = 'k', .word = "c"};
        if (c->tangents == 1) out[1].word[0] = c->slip > 0 ? 'l' : 'r';
        return count;
    }
    if (c->tangents == 1) {
        for (int k = 0; k < 3; k++) {
            out[count] = (oracle_mode){.kind = 'x', .axis = {"+0-"[k], 0}};
            out[count++].word[0] = "lnr"[k];
        }
        return count;
    }
    for (int k = 0; k < 9 && !s->sides; k++) {
        oracle_mode m = {.kind = 'x', .axis = {"+-0"[k / 3], "+-0"[k % 3]}};
        memcpy(m.word, m.axis, 2);
        if (k == 8) snprintf(m.word, sizeof m.word, "n");
        out[count++] = m;
    }
    for (int k = 0; k < 9 && s->sides; k++) {
        oracle_mode m = {.kind = k < 4 ? 'v' : k < 8 ? 'e' : 'n', .corner = k % 4};
        if (k < 4) snprintf(m.word, sizeof m.word, "d%d", k);
        if (k >= 4 && k < 8) snprintf(m.word, sizeof m.word, "d%d-%d", k % 4, (k + 1) % 4);
        if (k == 8) snprintf(m.word, sizeof m.word, "n");
        out[count++] = m;
    }
    return count;
}

static const long oracle_corner[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};

// ---- programs: affine forms in the unknowns, constant first, then x, the shift of free ones, e

typedef struct oracle_program {
    const oracle_scene* s;
    oracle_lp* lp;
    bool forces;   // unknowns are forces, and accelerations follow; otherwise accelerations alone
    int unknowns;  // without shift and e
    int first[ORACLE_CONTACTS];
    bool relaxed;  // constraints by closed inequalities only
} oracle_program;

static inline void oracle_require(oracle_program* p, const long* form, int relation, bool strict) {
    long row[ORACLE_COLS];
    memcpy(row, form, sizeof row);
    if (relation == 0) {
        oracle_lp_row(p->lp, row, 1);
        oracle_lp_row(p->lp, row, -1);
        return;
    }
    for (int j = 0; j <= p->lp->cols && relation < 0; j++) row[j] = -row[j];
    if (strict && !p->relaxed) row[p->lp->cols] -= 1;
    oracle_lp_row(p->lp, row, 1);
}

// form += factor x (unknown j, of either sign: less the shift)
static inline void oracle_add(const oracle_program* p, long* form, int unknown, bool is_free, long factor) {
    form[1 + unknown] += factor;
    if (is_free) form[1 + p->unknowns] -= factor;
}

// Acceleration part of contact i, times the product of masses when forces are the unknowns.
static inline void oracle_acceleration(const oracle_program* p, const long* row, long* form) {
    const oracle_scene* s = p->s;
    memset(form, 0, ORACLE_COLS * sizeof *form);
    long scale = 1;
    for (int k = 0; k < s->n && p->forces; k++) scale = scale % s->mass[k] == 0 ? scale : scale * s->mass[k];
    form[0] = row[s->n] * scale;
    for (int k = 0; k < s->n; k++) {
        if (!p->forces) {
            oracle_add(p, form, k, true, row[k]);
            continue;
        }
        const long factor = row[k] * (scale / s->mass[k]);
        form[0] += factor * s->w[k];
        for (int i = 0; i < s->contacts; i++) {
            if (p->first[i] < 0) continue;
            for (int t = 0; t <= s->contact[i].tangents; t++)
                oracle_add(p, form, p->first[i] + t, t > 0, factor * s->contact[i].row[t][k]);
        }
    }
}

static inline void oracle_kinematics(oracle_program* p, int i, const oracle_mode* m) {
    const oracle_contact* c = &p->s->contact[i];
    long form[ORACLE_COLS], other[ORACLE_COLS], combined[ORACLE_COLS];
    oracle_acceleration(p, c->row[0], form);
    oracle_require(p, form, m->kind == 's' ? 1 : m->kind == 'a' ? -1 : 0, true);
    if (m->kind == 'x') {
        for (int t = 0; t < c->tangents; t++) {
            oracle_acceleration(p, c->row[1 + t], form);
            oracle_require(p, form, m->axis[t] == '+' ? 1 : m->axis[t] == '-' ? -1 : 0, true);
        }
    }
    if (m->kind != 'v' && m->kind != 'e' && m->kind != 'n') return;
    oracle_acceleration(p, c->row[1], form);
    oracle_acceleration(p, c->row[2], other);
    if (m->kind == 'n') {
        oracle_require(p, form, 0, true);
        oracle_require(p, other, 0, true);
        return;
    }
    for (int k = 0; k < 4; k++) {  // a'(p_k - p_j): zero at the corner itself and the other end of a side
        const bool same = k == m->corner, next = m->kind == 'e' && k == (m->corner + 1) % 4;
        if (same) continue;
        for (int j = 0; j < ORACLE_COLS; j++)
            combined[j] = form[j] * (oracle_corner[k][0] - oracle_corner[m->corner][0]) +
                          other[j] * (oracle_corner[k][1] - oracle_corner[m->corner][1]);
        oracle_require(p, combined, next ? 0 : 1, true);
    }
}

// sum of factors x forces of contact i
static inline void oracle_force_as(oracle_program* p, int i, long c_n, long c_t, long c_o, int relation, bool strict) {
    long form[ORACLE_COLS] = {0};
    const int first = p->first[i];
    oracle_add(p, form, first, false, c_n);
    if (c_t != 0) oracle_add(p, form, first + 1, true, c_t);
    if (c_o != 0) oracle_add(p, form, first + 2, true, c_o);
    oracle_require(p, form, relation, strict);
}

static inline void oracle_force(oracle_program* p, int i, long c_n, long c_t, long c_o, int relation) {
    oracle_force_as(p, i, c_n, c_t, c_o, relation, true);
}

static inline void oracle_forces(oracle_program* p, int i, const oracle_mode* m) {
    const oracle_contact* c = &p->s->contact[i];
    if (p->first[i] < 0) return;
    const long N = c->mu_num, D = c->mu_den;
    if (m->kind == 's') {
        oracle_force(p, i, 1, 0, 0, 0);
        for (int t = 0; t < c->tangents; t++) oracle_force(p, i, 0, t == 0, t == 1, 0);
        return;
    }
    oracle_force(p, i, 1, 0, 0, 1);
    if (m->kind == 'k' && c->tangents == 1) oracle_force(p, i, N * c->slip, D, 0, 0);
    for (int t = 0; t < c->tangents && m->kind == 'x'; t++) {
        const long on[2] = {t == 0 ? D : 0, t == 1 ? D : 0};
        if (m->axis[t] != '-') oracle_force(p, i, N, on[0], on[1], m->axis[t] == '+' ? 0 : 1);
        if (m->axis[t] != '+') oracle_force(p, i, N, -on[0], -on[1], m->axis[t] == '-' ? 0 : 1);
    }
    if (m->kind != 'v' && m->kind != 'e' && m->kind != 'n') return;
    for (int k = 0; k < 4; k++) {  // side k: (N c_n - D (+-c_t +- c_o)) with the sum of its two corners
        const long* a = oracle_corner[k];
        const long* b = oracle_corner[(k + 1) % 4];
        const bool on = (m->kind != 'n' && k == m->corner) || (m->kind == 'v' && (k + 1) % 4 == m->corner);
        // the other two sides follow for a corner, and are not strict when mu = 0
        oracle_force_as(p, i, N, -D * (a[0] + b[0]), -D * (a[1] + b[1]), on ? 0 : 1, m->kind != 'v');
    }
}

// Mode of the first `depth` contacts. forces: with the balance of forces, open contacts relaxed. Returns -1:
// infeasible, 0: feasible, not strictly, 1: strictly.
static inline int oracle_try(const oracle_scene* s, oracle_lp* lp, bool forces, bool relaxed, const oracle_mode* mode,
                             int depth) {
    oracle_program p = {.s = s, .lp = lp, .forces = forces, .relaxed = relaxed};
    p.unknowns = forces ? 0 : s->n;
    for (int i = 0; i < s->contacts; i++) {
        p.first[i] = !forces || s->contact[i].apart ? -1 : p.unknowns;
        if (p.first[i] >= 0) p.unknowns += 1 + s->contact[i].tangents;
    }
    const int cols = p.unknowns + 2;
    long row[ORACLE_COLS] = {0};
    oracle_lp_begin(lp, cols);
    row[cols] = 1;
    oracle_lp_row(lp, row, 1);  // objective e
    row[cols] = -1;
    row[0] = 1;
    oracle_lp_row(lp, row, 1);  // e <= 1
    for (int i = 0; i < depth; i++) {
        oracle_kinematics(&p, i, &mode[i]);
        if (forces) oracle_forces(&p, i, &mode[i]);
    }
    if (!forces && relaxed) return 0;
    return oracle_lp_solve(lp);
}

// ---- all modes: words joined as the library joins them

typedef struct oracle_list {
    int count, capacity;
    struct {
        char text[64];
        int fit;  // -1, 0, 1 as above
    } * item;
} oracle_list;

static inline void oracle_walk(const oracle_scene* s, oracle_lp* lp, oracle_mode* mode, int depth, oracle_list* out) {
    if (oracle_try(s, lp, false, false, mode, depth) <= 0) return;
    if (depth < s->contacts) {
        oracle_mode own[ORACLE_WORDS];
        const int count = oracle_modes(s, &s->contact[depth], own);
        for (int k = 0; k < count; k++) {
            mode[depth] = own[k];
            oracle_walk(s, lp, mode, depth + 1, out);
        }
        return;
    }
    if (out->count == out->capacity) {
        out->capacity = out->capacity > 0 ? 2 * out->capacity : 64;
        out->item = realloc(out->item, (size_t)out->capacity * sizeof *out->item);
        assert_non_null(out->item);
    }
    char* text = out->item[out->count].text;
    text[0] = '\0';
    bool spaced = false;
    for (int i = 0; i < s->contacts; i++) spaced = spaced || s->contact[i].tangents == 2;
    for (int i = 0; i < s->contacts; i++) {
        if (spaced && i > 0) strcat(text, " ");
        strcat(text, mode[i].word);
    }
    out->item[out->count++].fit =
        oracle_try(s, lp, true, true, mode, depth) < 0 ? -1 : (oracle_try(s, lp, true, false, mode, depth) > 0 ? 1 : 0);
}

#endif
