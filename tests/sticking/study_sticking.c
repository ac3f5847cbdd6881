// study_sticking.c: SEED COUNT: what the analysis of sticking says of random instants, against GMP rationals: a plain
// simplex method over every choice of which contacts open and which way bilateral forces point, and elimination for
// ranks and matrices. Nothing of the library decides here. The library's own checker is held to it too: it must accept
// what is true.
//
// Instants are planar and spatial, abstract and of rigid bodies, redundant, degenerate, at rest, sliding, in units
// scaled by powers of two or, with exact tables, of ten up to a million. Discs in space lie between polygons with
// rational corners: where these differ the truth is not known here. Wrong answers are named by seed and number;
// undecided ones are counted.
#include <stdarg.h>
#include <stdlib.h>

#include "rational_matrix.h"
#include "support/random_instants.h"
#include "support/rational_lp.h"

// ---- the instant in rationals

typedef struct truth {
    const sti_instant* in;
    int n, nc;
    int tangents[TOOL_CONTACTS], p;
    rational_matrix M, F;                // (n x n), (n x 1)
    rational_matrix dir[TOOL_CONTACTS];  // normal, then tangents       (n x (1 + tangents))
    mpq_t rate[TOOL_CONTACTS][3], mu[TOOL_CONTACTS];
    int slip[TOOL_CONTACTS];  // +1, -1: slides; 0: sticks
    bool spatial, slides;
} truth;

static sti_env* memory;  // of the study; one at a time

static void value_of(mpq_t x, double value, const sti_rationals* table, size_t index) {
    char* text;
    mpq_set_d(x, value);
    if (table == NULL || sti_rationals_text(table, index, &text) != STI_OK) return;
    mpq_set_str(x, text, 10);
    mpq_canonicalize(x);
    sti_env_free(memory, text);
}

static void truth_open(truth* T, const sti_instant* in) {
    const sti_instant_exact* e = in->exact;
    *T = (truth){.in = in, .n = in->n, .nc = in->contact_count};
    T->M = rational_matrix_make(T->n, T->n);
    T->F = rational_matrix_make(T->n, 1);
    for (int k = 0; k < T->n * T->n; k++) value_of(T->M.entry[k], in->M[k], e ? e->M : NULL, (size_t)k);
    for (int j = 0; j < T->n; j++) value_of(T->F.entry[j], in->F[j], e ? e->F : NULL, (size_t)j);
    int tangent = 0;
    for (int i = 0; i < T->nc; i++) {
        const sti_instant_contact* c = &in->contacts[i];
        T->tangents[i] = c->tangent_count;
        T->p += 1 + c->tangent_count;
        T->spatial = T->spatial || (c->tangent_count == 2 && c->mu > 0);
        T->dir[i] = rational_matrix_make(T->n, 1 + c->tangent_count);
        mpq_init(T->mu[i]);
        value_of(T->mu[i], c->mu, e ? e->mu : NULL, (size_t)i);
        for (int k = 0; k <= c->tangent_count; k++) {
            const size_t line = k == 0 ? (size_t)i : (size_t)(tangent + k - 1);
            mpq_init(T->rate[i][k]);
            value_of(T->rate[i][k], k == 0 ? c->n_rate : c->t_rate[k - 1], e ? (k == 0 ? e->n_rate : e->t_rate) : NULL,
                     line);
            for (int j = 0; j < T->n; j++)
                value_of(*rational_at(&T->dir[i], j, k), k == 0 ? c->n[j] : c->t[(k - 1) * T->n + j],
                         e ? (k == 0 ? e->n : e->t) : NULL, line * (size_t)T->n + (size_t)j);
        }
        tangent += c->tangent_count;
        if (c->state != STI_INSTANT_SLIDE) continue;
        double slip = 0;
        for (int j = 0; j < T->n; j++) slip += c->t[j] * in->v[j];
        T->slip[i] = slip > 0 ? 1 : -1;
        T->slides = true;
    }
}

static void truth_close(truth* T) {
    rational_matrix_clear(&T->M);
    rational_matrix_clear(&T->F);
    for (int i = 0; i < T->nc; i++) {
        rational_matrix_clear(&T->dir[i]);
        mpq_clear(T->mu[i]);
        for (int k = 0; k <= T->tangents[i]; k++) mpq_clear(T->rate[i][k]);
    }
}

// ---- feasibility by linear programs

typedef enum friction {
    FREE,
    INNER,
    OUTER
} friction;  // of sticking contacts: no bound, polygon inside, polygon outside

// Corners on the unit circle: (a, b) / c in all octants.
static const int corner[][3] = {{1, 0, 1},    {24, 7, 25},   {12, 5, 13},   {4, 3, 5},     {3, 4, 5},     {5, 12, 13},
                                {7, 24, 25},  {0, 1, 1},     {-7, 24, 25},  {-5, 12, 13},  {-3, 4, 5},    {-4, 3, 5},
                                {-12, 5, 13}, {-24, 7, 25},  {-1, 0, 1},    {-24, -7, 25}, {-12, -5, 13}, {-4, -3, 5},
                                {-3, -4, 5},  {-5, -12, 13}, {-7, -24, 25}, {0, -1, 1},    {7, -24, 25},  {5, -12, 13},
                                {3, -4, 5},   {4, -3, 5},    {12, -5, 13},  {24, -7, 25}};
enum { CORNERS = sizeof corner / sizeof corner[0] };

// Facet k: m'z <= r mu.
static void facet(int k, bool outer, mpq_t m[2], mpq_t r) {
    const int* a = corner[k];
    const int* b = corner[(k + 1) % CORNERS];
    mpq_set_si(r, 1, 1);
    mpq_set_si(m[0], a[0], (unsigned long)a[2]);
    mpq_set_si(m[1], a[1], (unsigned long)a[2]);
    for (int h = 0; h < 2; h++) mpq_canonicalize(m[h]);
    if (outer) return;
    mpq_t t;  // p_k + p_k+1 is normal to the edge; r = 1 + p_k'p_k+1
    mpq_init(t);
    for (int h = 0; h < 2; h++) {
        mpq_set_si(t, b[h], (unsigned long)b[2]);
        mpq_canonicalize(t);
        mpq_t product;
        mpq_init(product);
        mpq_mul(product, m[h], t);
        mpq_add(r, r, product);
        mpq_clear(product);
        mpq_add(m[h], m[h], t);
    }
    mpq_clear(t);
}

static void add_disc(const truth* T, rational_lp* lp, int i, int first, int side, friction kind) {
    if (T->tangents[i] == 1) {
        for (int k = 0; k < 2; k++) {
            mpq_t* row = rational_lp_add(lp, false);
            mpq_set(row[1 + first], T->mu[i]);
            if (side < 0) mpq_neg(row[1 + first], row[1 + first]);
            mpq_set_si(row[2 + first], k ? 1 : -1, 1);
        }
        return;
    }
    mpq_t m[2], r;
    mpq_inits(m[0], m[1], r, NULL);
    for (int k = 0; k < CORNERS; k++) {
        mpq_t* row = rational_lp_add(lp, false);
        facet(k, kind == OUTER, m, r);
        mpq_mul(row[1 + first], T->mu[i], r);
        if (side < 0) mpq_neg(row[1 + first], row[1 + first]);
        for (int h = 0; h < 2; h++) mpq_neg(row[2 + first + h], m[h]);
    }
    mpq_clears(m[0], m[1], r, NULL);
}

static void add_contact(const truth* T, rational_lp* lp, int i, int first, int side, bool open, friction kind) {
    const bool bilateral = T->in->contacts[i].bilateral, rough = T->tangents[i] > 0 && mpq_sgn(T->mu[i]) > 0;
    for (int k = 0; k <= (T->slip[i] != 0 ? 0 : T->tangents[i]); k++) {  // accelerations
        mpq_t* row = rational_lp_add(lp, !(k == 0 && open));
        mpq_set(row[0], T->rate[i][k]);
        for (int j = 0; j < T->n; j++) mpq_set(row[1 + j], *rational_at(&T->dir[i], j, k));
    }
    if (open) mpq_set_si(rational_lp_add(lp, true)[1 + first], 1, 1);
    if (!open && !bilateral) mpq_set_si(rational_lp_add(lp, false)[1 + first], 1, 1);
    if (!open && bilateral && side != 0) mpq_set_si(rational_lp_add(lp, false)[1 + first], side, 1);
    if (T->slip[i] != 0) {  // lambda_t = -mu |lambda_n| slip
        mpq_t* row = rational_lp_add(lp, true);
        mpq_set_si(row[2 + first], 1, 1);
        mpq_set(row[1 + first], T->mu[i]);
        if ((bilateral && side < 0 ? -1 : 1) * T->slip[i] < 0) mpq_neg(row[1 + first], row[1 + first]);
    } else if (kind == FREE) {
        return;
    } else if (!rough || open) {
        for (int k = 1; k <= T->tangents[i]; k++) mpq_set_si(rational_lp_add(lp, true)[1 + first + k], 1, 1);
    } else {
        add_disc(T, lp, i, first, bilateral ? side : 1, kind);
    }
}

static bool feasible(const truth* T, const int* side, const bool* open, friction kind) {
    rational_lp lp;
    rational_lp_open(&lp, T->n + T->p, T->n + T->nc * (CORNERS + 8));
    for (int j = 0; j < T->n; j++) {
        mpq_t* row = rational_lp_add(&lp, true);
        mpq_set(row[0], T->F.entry[j]);
        for (int k = 0; k < T->n; k++) mpq_set(row[1 + k], *rational_at(&T->M, j, k));
        for (int i = 0, at = T->n; i < T->nc; at += 1 + T->tangents[i], i++)
            for (int k = 0; k <= T->tangents[i]; k++) mpq_neg(row[1 + at + k], *rational_at(&T->dir[i], j, k));
    }
    for (int i = 0, at = T->n; i < T->nc; at += 1 + T->tangents[i], i++)
        add_contact(T, &lp, i, at, side[i], open[i], kind);
    const bool found = rational_lp_feasible(&lp);
    rational_lp_close(&lp);
    return found;
}

// Over all signs of bilateral friction, and with `opening` over all choices of contacts that open.
static bool holds(const truth* T, bool opening, friction kind) {
    int choices = 0, which[2 * TOOL_CONTACTS];
    for (int i = 0; i < T->nc; i++) {
        const sti_instant_contact* c = &T->in->contacts[i];
        if (c->bilateral ? kind != FREE && mpq_sgn(T->mu[i]) > 0 && c->tangent_count > 0 : opening)
            which[choices++] = i;
    }
    for (int choice = 0; choice < 1 << choices; choice++) {
        int side[TOOL_CONTACTS] = {0};
        bool open[TOOL_CONTACTS] = {false};
        for (int k = 0; k < choices; k++) {
            if (T->in->contacts[which[k]].bilateral)
                side[which[k]] = choice >> k & 1 ? -1 : 1;
            else
                open[which[k]] = choice >> k & 1;
        }
        if (feasible(T, side, open, kind)) return true;
    }
    return false;
}

// +1 true, 0 false, -1 not known here.
static int decide(const truth* T, bool opening) {
    if (holds(T, opening, INNER)) return 1;
    return T->spatial && holds(T, opening, OUTER) ? -1 : 0;
}

// ---- counts

typedef struct tally {
    long checked, wrong, undecided, unknown;  // unknown: to this program
} tally;

typedef struct study {
    uint64_t seed;
    long number;
    tally sticking, opening, contact_problem, proposition, quantity, verified;
} study;

static void complain(study* q, tally* t, const char* format, ...) __attribute__((format(printf, 3, 4)));
static void complain(study* q, tally* t, const char* format, ...) {
    va_list list;
    if (t->wrong++ + q->sticking.wrong + q->opening.wrong > 40) return;
    fprintf(stderr, "seed %llu, instant %ld: ", (unsigned long long)q->seed, q->number);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "\n");
}

static void compare_outcome(study* q, tally* t, const char* what, sti_sticking_outcome outcome, int expected) {
    t->checked++;
    if (expected < 0)
        t->unknown++;
    else if (outcome == STI_STICKING_UNKNOWN || outcome == STI_STICKING_LIMIT)
        t->undecided++;
    else if ((outcome == STI_STICKING_YES) != (expected == 1))
        complain(q, t, "%s: %s, expected %d", what, sti_sticking_outcome_text(outcome), expected);
}

// ---- propositions

typedef struct facts {  // what the propositions are about
    rational_matrix N, H, C, U, X, Minv;
    rational_matrix c_all, c_x, c_u;
    int rank_N, rank_H, rank_C, rank_U, rank_X;
    bool definite, trivial;  // M > 0; ker M and ker C' meet in 0
    bool bilateral;
} facts;

static void facts_open(const truth* T, facts* f) {
    int m = 0, t = 0, u = 0, x = 0;
    for (int i = 0; i < T->nc; i++) {
        m++;
        t += T->tangents[i];
        u += !T->in->contacts[i].bilateral;
    }
    *f = (facts){.N = rational_matrix_make(T->n, m), .H = rational_matrix_make(T->n, t)};
    f->U = rational_matrix_make(T->n, u);
    f->X = rational_matrix_make(T->n, T->p - u);
    f->c_all = rational_matrix_make(T->p, 1);
    f->c_x = rational_matrix_make(T->p - u, 1);
    f->c_u = rational_matrix_make(u, 1);
    m = t = u = x = 0;
    // the order of X in S0: tangents of bilateral, tangents of unilateral contacts, normals of bilateral ones
    for (int pass = 0; pass < 4; pass++) {
        for (int i = 0; i < T->nc; i++) {
            const bool bilateral = T->in->contacts[i].bilateral;
            f->bilateral = f->bilateral || bilateral;
            if (pass == 3 ? bilateral : (pass == 0) != bilateral && pass < 2) continue;
            if (pass == 2 && !bilateral) continue;
            for (int k = pass < 2 ? 1 : 0; k <= (pass < 2 ? T->tangents[i] : 0); k++) {
                for (int j = 0; j < T->n; j++)
                    mpq_set(*rational_at(pass == 3 ? &f->U : &f->X, j, pass == 3 ? u : x),
                            *rational_at(&T->dir[i], j, k));
                mpq_set(pass == 3 ? f->c_u.entry[u] : f->c_x.entry[x], T->rate[i][k]);
                if (pass == 3)
                    u++;
                else
                    x++;
            }
        }
    }
    for (int i = 0, at = 0; i < T->nc; i++) {
        for (int k = 0; k <= T->tangents[i]; k++, at++) {
            for (int j = 0; j < T->n; j++)
                mpq_set(*rational_at(k == 0 ? &f->N : &f->H, j, k == 0 ? m : t), *rational_at(&T->dir[i], j, k));
            mpq_set(f->c_all.entry[at], T->rate[i][k]);
            if (k == 0)
                m++;
            else
                t++;
        }
    }
    f->C = rational_join(&f->N, &f->H);
    f->rank_N = rational_rank(&f->N);
    f->rank_H = rational_rank(&f->H);
    f->rank_C = rational_rank(&f->C);
    f->rank_U = rational_rank(&f->U);
    f->rank_X = rational_rank(&f->X);
    rational_matrix both = rational_join(&T->M, &f->C);
    f->trivial = rational_rank(&both) == T->n;
    rational_matrix_clear(&both);
    f->definite = rational_definite(&T->M) && rational_inverse(&T->M, &f->Minv);
}

static void facts_close(facts* f) {
    rational_matrix* const all[] = {&f->N, &f->H, &f->C, &f->U, &f->X, &f->c_all, &f->c_x, &f->c_u};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) rational_matrix_clear(all[k]);
    if (f->definite) rational_matrix_clear(&f->Minv);
}

// expected: a verdict, or -1: nothing is known here.
static void expect(study* q, const sti_sticking* r, const char* id, int expected) {
    const sti_proposition* p = sti_proposition_find(r->answer.propositions, r->answer.proposition_count, id);
    q->proposition.checked++;
    if (p == NULL)
        complain(q, &q->proposition, "%s is missing", id);
    else if (expected < 0)
        q->proposition.unknown++;
    else if (p->verdict == STI_HOLDS_UNKNOWN)
        q->proposition.undecided++;
    else if ((int)p->verdict != expected)
        complain(q, &q->proposition, "%s: %s (%s), expected %s", id, sti_holds_text(p->verdict), p->reason,
                 sti_holds_text((sti_holds)expected));
}

static int verdict(bool value) {
    return value ? STI_HOLDS : STI_HOLDS_NOT;
}

static int of_truth(int known) {
    return known < 0 ? -1 : verdict(known == 1);
}

// Numbers against rationals, relative to the largest entry, or to `size` when that is more.
static void expect_numbers(study* q, const sti_sticking* r, const char* id, const char* name, const rational_matrix* m,
                           double size) {
    const sti_named* v =
        sti_proposition_number(sti_proposition_find(r->answer.propositions, r->answer.proposition_count, id), name);
    q->quantity.checked++;
    const int count = m->rows * m->cols;
    if (v == NULL || v->rows * v->cols != count) {
        complain(q, &q->quantity, "%s %s: %d numbers, expected %d", id, name, v ? v->rows * v->cols : -1, count);
        return;
    }
    for (int k = 0; k < count; k++) size = fmax(size, fabs(mpq_get_d(m->entry[k])));
    for (int k = 0; k < count; k++) {
        const double expected = mpq_get_d(m->entry[k]);
        if (fabs(v->value[k] - expected) <= 1e-9 * size) continue;
        complain(q, &q->quantity, "%s %s[%d]: %.17g, expected %.17g", id, name, k, v->value[k], expected);
        return;
    }
}

// |A||B| at its largest.
static double size_of_product(const rational_matrix* a, const rational_matrix* b) {
    double most = 0;
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < b->cols; j++) {
            double sum = 0;
            for (int k = 0; k < a->cols; k++)
                sum += fabs(mpq_get_d(*rational_at(a, i, k)) * mpq_get_d(*rational_at(b, k, j)));
            most = fmax(most, sum);
        }
    return most;
}

static double rates_size(const truth* T) {
    double most = 0;
    for (int i = 0; i < T->nc; i++)
        for (int k = 0; k <= T->tangents[i]; k++) most = fmax(most, fabs(mpq_get_d(T->rate[i][k])));
    return most;
}

static void expect_count(study* q, const sti_sticking* r, const char* id, const char* name, int expected) {
    const sti_named* v =
        sti_proposition_number(sti_proposition_find(r->answer.propositions, r->answer.proposition_count, id), name);
    q->quantity.checked++;
    if (v == NULL || v->value[0] != expected)
        complain(q, &q->quantity, "%s %s: %g, expected %d", id, name, v ? v->value[0] : NAN, expected);
}

// Is b in the image of A'?
static bool in_image_of_transpose(const rational_matrix* A, const rational_matrix* b) {
    rational_matrix t = rational_transpose(A), both = rational_join(&t, b);
    const bool in = rational_rank(&both) == rational_rank(&t);
    rational_matrix_clear(&t);
    rational_matrix_clear(&both);
    return in;
}

static void check_ranks(study* q, const truth* T, const facts* f, const sti_sticking* r) {
    const int t = f->H.cols;
    expect_count(q, r, "P1.i", "rank_C", f->rank_C);
    expect_count(q, r, "L1", "rank_D", f->rank_C);
    expect(q, r, "L1", verdict(f->rank_C - f->rank_N == t));
    if (T->slides) return;
    rational_matrix order = rational_matrix_make(T->p, 1);  // c_all is contact by contact, C normals first
    int m = 0, at = T->nc;
    for (int i = 0, k = 0; i < T->nc; i++)
        for (int h = 0; h <= T->tangents[i]; h++, k++) mpq_set(order.entry[h == 0 ? m++ : at++], f->c_all.entry[k]);
    const bool consistent = in_image_of_transpose(&f->C, &order);
    rational_matrix_clear(&order);
    expect(q, r, "P1.i", verdict(f->rank_C == T->p && f->trivial));
    expect(q, r, "P1.ii", verdict(consistent && f->trivial));
    expect_count(q, r, "P1.ii", "separately_unique", f->rank_N + f->rank_H == f->rank_C);
}

// The only multipliers of independent contacts, lambda = G^-1 (C'M^-1 F - c), and their margins as signs.
static void check_unique(study* q, const truth* T, const facts* f, const sti_sticking* r) {
    static const char* const ids[] = {"P2", "P3", "C1", "P4.i", "P4.ii"};
    if (T->slides || !f->definite || f->rank_C < T->p || T->p == 0) {
        for (int k = 0; k < 5; k++) expect(q, r, ids[k], STI_NOT_APPLICABLE);
        return;
    }
    rational_matrix MC = rational_product(&f->Minv, &f->C), G = rational_product_tn(&f->C, &MC), inverse;
    rational_matrix load = rational_product_tn(&MC, &T->F), CM = rational_transpose(&MC),
                    ones = rational_matrix_make(T->p, 1);
    for (int k = 0; k < T->p; k++) mpq_set_si(ones.entry[k], 1, 1);
    int m = 0, at = T->nc;
    for (int i = 0; i < T->nc; i++)
        for (int h = 0; h <= T->tangents[i]; h++) {
            mpq_t* x = &load.entry[h == 0 ? m++ : at++];
            mpq_sub(*x, *x, T->rate[i][h]);
        }
    if (!rational_inverse(&G, &inverse)) abort();
    rational_matrix lambda = rational_product(&inverse, &load), a = rational_product(&f->C, &lambda);
    rational_subtract(&a, &T->F);
    rational_matrix acceleration = rational_product(&f->Minv, &a);
    int least = 1, boundary = 0;
    bool rests = true;
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    at = T->nc;
    for (int i = 0; i < T->nc; at += T->tangents[i], i++) {
        const bool bilateral = T->in->contacts[i].bilateral, rough = T->tangents[i] > 0 && mpq_sgn(T->mu[i]) > 0;
        int sign = mpq_sgn(lambda.entry[i]);
        mpq_mul(x, T->mu[i], lambda.entry[i]);
        mpq_mul(x, x, x);
        for (int h = 0; h < T->tangents[i]; h++) {
            mpq_mul(y, lambda.entry[at + h], lambda.entry[at + h]);
            mpq_sub(x, x, y);
        }
        const bool outside = T->tangents[i] > 0 && mpq_sgn(x) < 0;
        if (rough && (bilateral || sign >= 0)) sign = mpq_sgn(x);
        if (outside) sign = -1;
        if (bilateral && !rough)
            sign = outside ? -1 : 1;
        else if (sign == 0)
            boundary++;
        if (sign < least) least = sign;
    }
    for (int j = 0; j < T->n; j++) rests = rests && mpq_sgn(acceleration.entry[j]) == 0;
    bool moves = false;
    for (int k = 0; k < T->p; k++) moves = moves || mpq_sgn(f->c_all.entry[k]) != 0;
    for (int j = 0; j < T->n; j++) moves = moves || T->in->v[j] != 0;
    expect(q, r, "P2", verdict(least >= 0));
    expect(q, r, "C1", moves ? STI_NOT_APPLICABLE : verdict(least >= 0 && rests));
    expect(q, r, "P4.i", verdict(least > 0));
    expect(q, r, "P4.ii", least < 0 ? STI_NOT_APPLICABLE : verdict(boundary > 0));
    expect(q, r, "P5", verdict(least >= 0));
    expect_numbers(q, r, "P2", "qdd", &acceleration, size_of_product(&f->Minv, &T->F) + size_of_product(&MC, &lambda));
    rational_matrix normal = rational_matrix_make(1, T->nc);
    for (int i = 0; i < T->nc; i++) mpq_set(normal.entry[i], lambda.entry[i]);
    expect_numbers(q, r, "P2", "lambda_n", &normal,
                   size_of_product(&inverse, &ones) * (size_of_product(&CM, &T->F) + rates_size(T)));
    rational_matrix_clear(&normal);
    mpq_clears(x, y, NULL);
    rational_matrix* const all[] = {&MC, &G, &inverse, &load, &CM, &ones, &lambda, &a, &acceleration};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) rational_matrix_clear(all[k]);
}

// A_c and H_c of (35)-(38).
static void augmented(const truth* T, const facts* f, rational_matrix* A, rational_matrix* H) {
    rational_matrix MX = rational_product(&f->Minv, &f->X), MU = rational_product(&f->Minv, &f->U);
    rational_matrix W = rational_product_tn(&f->X, &MX), UX = rational_product_tn(&f->U, &MX), inverse;
    if (!rational_inverse(&W, &inverse)) abort();
    rational_matrix K = rational_product(&UX, &inverse), XU = rational_transpose(&UX), drop = rational_product(&K, &XU);
    *A = rational_product_tn(&f->U, &MU);
    rational_subtract(A, &drop);
    rational_matrix XF = rational_product_tn(&MX, &T->F), UF = rational_product_tn(&MU, &T->F);
    rational_matrix KF = rational_product(&K, &XF), Kc = rational_product(&K, &f->c_x);
    *H = rational_copy(&f->c_u);
    rational_subtract(H, &UF);
    rational_subtract(H, &Kc);
    for (int k = 0; k < H->rows; k++) mpq_add(H->entry[k], H->entry[k], KF.entry[k]);
    rational_matrix* const all[] = {&MX, &MU, &W, &UX, &inverse, &K, &XU, &drop, &XF, &UF, &KF, &Kc};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) rational_matrix_clear(all[k]);
}

// Least and largest eigenvalue of a symmetric matrix, by Jacobi rotations in long double.
static void extremes(const rational_matrix* a, double* least, double* most) {
    long double A[16][16];
    const int n = a->rows;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[i][j] = mpq_get_d(*rational_at(a, i, j));
    for (int sweep = 0; sweep < 60; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (A[p][q] == 0) continue;
                const long double w = (A[q][q] - A[p][p]) / (2 * A[p][q]);
                const long double t = (w < 0 ? -1 : 1) / (fabsl(w) + sqrtl(w * w + 1)), c = 1 / sqrtl(t * t + 1),
                                  s = c * t;
                for (int k = 0; k < n; k++) {
                    const long double x = A[k][p], y = A[k][q];
                    A[k][p] = c * x - s * y;
                    A[k][q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    const long double x = A[p][k], y = A[q][k];
                    A[p][k] = c * x - s * y;
                    A[q][k] = s * x + c * y;
                }
            }
    *least = INFINITY;
    *most = -INFINITY;
    for (int i = 0; i < n; i++) {
        *least = fmin(*least, (double)A[i][i]);
        *most = fmax(*most, (double)A[i][i]);
    }
}

static void check_couplings(study* q, const truth* T, const facts* f, const sti_sticking* r) {
    if (T->slides || !f->definite || f->U.cols == 0 || f->X.cols == 0) {
        expect(q, r, "P12", STI_NOT_APPLICABLE);
        return;
    }
    rational_matrix MX = rational_product(&f->Minv, &f->X), MU = rational_product(&f->Minv, &f->U);
    rational_matrix W = rational_product_tn(&f->X, &MX), UX = rational_product_tn(&f->U, &MX);
    rational_matrix UU = rational_product_tn(&f->U, &MU), XU = rational_transpose(&UX), S = rational_product(&UX, &XU);
    double lhs, rhs = 0, low, high, w_low, w_high;
    extremes(&S, &low, &lhs);
    extremes(&UU, &low, &high);
    extremes(&W, &w_low, &w_high);
    if (f->rank_U == f->U.cols && f->rank_X == f->X.cols) rhs = low * w_low;
    const bool clear = fabs(lhs - rhs) > 1e-10 * (high * w_high + lhs);
    expect(q, r, "P12", rhs == 0 ? STI_HOLDS_NOT : clear ? verdict(lhs < rhs) : -1);
    const sti_proposition* p = sti_proposition_find(r->answer.propositions, r->answer.proposition_count, "P12");
    const double size = 1e-9 * (high * w_high + lhs);
    q->quantity.checked++;
    if (!(fabs(sti_proposition_number(p, "lhs")->value[0] - lhs) <= size) ||
        !(fabs(sti_proposition_number(p, "rhs")->value[0] - rhs) <= size))
        complain(q, &q->quantity, "P12: %s, expected %g against %g", p->reason, lhs, rhs);
    rational_matrix* const all[] = {&MX, &MU, &W, &UX, &UU, &XU, &S};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) rational_matrix_clear(all[k]);
}

static void check_augmented(study* q, const truth* T, const facts* f, const sti_sticking* r, int solvable, int opens) {
    static const char* const ids[] = {"P6.i", "P6.ii", "P6.iii", "P6.iv", "P9.i", "P9.ii", "P10", "C4"};
    if (T->slides || f->U.cols == 0 || !f->definite || f->rank_X < f->X.cols) {
        for (int k = 0; k < 8; k++) expect(q, r, ids[k], STI_NOT_APPLICABLE);
        return;
    }
    rational_matrix A, H, MU = rational_product(&f->Minv, &f->U), Ut = rational_transpose(&f->U),
                          Mt = rational_transpose(&MU);
    augmented(T, f, &A, &H);
    const bool definite = rational_definite(&A);
    expect(q, r, "P6.i", verdict(definite));
    expect(q, r, "P6.ii", STI_HOLDS);
    expect(q, r, "P6.iii", verdict(f->rank_U + f->rank_X == f->rank_C));
    expect(q, r, "P6.iv", verdict(solvable == 1));
    expect_numbers(q, r, "P6.i", "A_c", &A, size_of_product(&Ut, &MU));
    // forces that joints hold cancel here, and leave rounding there
    const double load = size_of_product(&Mt, &T->F) + size_of_product(&f->Minv, &T->F) + rates_size(T);
    expect_numbers(q, r, "P6.i", "H_c", &H, load);
    expect(q, r, "P9.i", of_truth(opens));
    const bool applies = definite && !f->bilateral && solvable == 1;
    expect(q, r, "P9.ii", applies ? of_truth(opens) : STI_NOT_APPLICABLE);
    expect(q, r, "P10", !applies ? STI_NOT_APPLICABLE : T->spatial ? -1 : of_truth(opens));
    expect(q, r, "C4", applies ? STI_HOLDS : STI_NOT_APPLICABLE);
    rational_matrix* const all[] = {&A, &H, &MU, &Ut, &Mt};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) rational_matrix_clear(all[k]);
}

// A point of { rows }: equations X'v + s c_x = 0, inequalities U'v + s c_u - d >= 0.
static bool constraints_hold(const facts* f, bool equations, int s, int d) {
    rational_lp lp;
    const int n = f->U.rows;
    rational_lp_open(&lp, n, f->X.cols + f->U.cols);
    for (int k = 0; equations && k < f->X.cols; k++) {
        mpq_t* row = rational_lp_add(&lp, true);
        if (s) mpq_set(row[0], f->c_x.entry[k]);
        for (int j = 0; j < n; j++) mpq_set(row[1 + j], *rational_at(&f->X, j, k));
    }
    for (int k = 0; k < f->U.cols; k++) {
        mpq_t* row = rational_lp_add(&lp, false);
        if (s)
            mpq_set(row[0], f->c_u.entry[k]);
        else
            mpq_set_si(row[0], -d, 1);
        for (int j = 0; j < n; j++) mpq_set(row[1 + j], *rational_at(&f->U, j, k));
    }
    const bool found = rational_lp_feasible(&lp);
    rational_lp_close(&lp);
    return found;
}

// Some (y, l) with X y + U l = 0, l >= 0, and entry k of y (or of X y) equal to side.
static bool cone_reaches(const facts* f, bool image, int k, int side) {
    rational_lp lp;
    const int n = f->U.rows, x = f->X.cols, u = f->U.cols;
    rational_lp_open(&lp, x + u, n + u + 1);
    for (int j = 0; j < n; j++) {
        mpq_t* row = rational_lp_add(&lp, true);
        for (int h = 0; h < x; h++) mpq_set(row[1 + h], *rational_at(&f->X, j, h));
        for (int h = 0; h < u; h++) mpq_set(row[1 + x + h], *rational_at(&f->U, j, h));
    }
    for (int h = 0; h < u; h++) mpq_set_si(rational_lp_add(&lp, false)[1 + x + h], 1, 1);
    mpq_t* row = rational_lp_add(&lp, true);
    mpq_set_si(row[0], -side, 1);
    if (image)
        for (int h = 0; h < x; h++) mpq_set(row[1 + h], *rational_at(&f->X, k, h));
    else
        mpq_set_si(row[1 + k], 1, 1);
    const bool found = rational_lp_feasible(&lp);
    rational_lp_close(&lp);
    return found;
}

// Some x with M x = 0, X'x = 0, U'x >= 0 and entry k equal to side.
static bool kernel_reaches(const truth* T, const facts* f, int k, int side) {
    rational_lp lp;
    const int n = T->n;
    rational_lp_open(&lp, n, n + f->X.cols + f->U.cols + 1);
    for (int i = 0; i < n; i++) {
        mpq_t* row = rational_lp_add(&lp, true);
        for (int j = 0; j < n; j++) mpq_set(row[1 + j], *rational_at(&T->M, i, j));
    }
    for (int h = 0; h < f->X.cols + f->U.cols; h++) {
        const bool equation = h < f->X.cols;
        mpq_t* row = rational_lp_add(&lp, equation);
        for (int j = 0; j < n; j++)
            mpq_set(row[1 + j], equation ? *rational_at(&f->X, j, h) : *rational_at(&f->U, j, h - f->X.cols));
    }
    mpq_t* row = rational_lp_add(&lp, true);
    mpq_set_si(row[0], -side, 1);
    mpq_set_si(row[1 + k], 1, 1);
    const bool found = rational_lp_feasible(&lp);
    rational_lp_close(&lp);
    return found;
}

static void check_solvability(study* q, const truth* T, const facts* f, const sti_sticking* r, int solvable) {
    if (T->slides) {
        expect(q, r, "E43", STI_NOT_APPLICABLE);
        expect(q, r, "P7", STI_NOT_APPLICABLE);
        return;
    }
    expect(q, r, "E43", verdict(solvable == 1));
    expect(q, r, "P7", f->definite ? verdict(constraints_hold(f, true, 1, 0)) : STI_NOT_APPLICABLE);
    expect_count(q, r, "P7", "literal_reading_feasible", constraints_hold(f, false, 1, 0));
    bool meet = false, trivial = true;
    for (int k = 0; k < T->n; k++)
        for (int side = -1; side <= 1; side += 2) {
            meet = meet || cone_reaches(f, true, k, side);
            trivial = trivial && !kernel_reaches(T, f, k, side);
        }
    for (int k = 0; k < f->X.cols && trivial; k++)
        trivial = !cone_reaches(f, false, k, 1) && !cone_reaches(f, false, k, -1);
    expect(q, r, "P8.i", verdict(trivial));
    expect(q, r, "P8.iii", STI_HOLDS);
    expect_count(q, r, "C2", "imH_cap_N_trivial", !meet);
    expect_count(q, r, "C2", "rank_H", f->rank_X);
    expect(q, r, "C2", f->definite ? verdict(!meet && in_image_of_transpose(&f->X, &f->c_x)) : STI_NOT_APPLICABLE);
    // sufficient conditions: they assume MFCQ
    const sti_proposition* mfcq = sti_proposition_find(r->answer.propositions, r->answer.proposition_count, "MFCQ");
    static const char* const sufficient[] = {"P8.i", "P8.ii", "C2", "C3"};
    for (int k = 0; k < 4 && mfcq->verdict == STI_HOLDS; k++) {
        const sti_proposition* p =
            sti_proposition_find(r->answer.propositions, r->answer.proposition_count, sufficient[k]);
        q->proposition.checked++;
        if (p->verdict == STI_HOLDS && solvable != 1)
            complain(q, &q->proposition, "%s holds, but (43) has no solution", sufficient[k]);
    }
}

static void check_mfcq(study* q, const truth* T, const facts* f, const sti_sticking* r) {
    if (f->U.cols == 0) {
        expect(q, r, "MFCQ", STI_NOT_APPLICABLE);
        return;
    }
    facts joints = *f;  // bilateral normals in place of X
    int b = 0;
    for (int i = 0; i < T->nc; i++) b += T->in->contacts[i].bilateral;
    joints.X = rational_matrix_make(T->n, b);
    b = 0;
    for (int i = 0; i < T->nc; i++) {
        if (!T->in->contacts[i].bilateral) continue;
        for (int j = 0; j < T->n; j++) mpq_set(*rational_at(&joints.X, j, b), *rational_at(&T->dir[i], j, 0));
        b++;
    }
    expect(q, r, "MFCQ", verdict(rational_rank(&joints.X) == b && constraints_hold(&joints, true, 0, 1)));
    rational_matrix_clear(&joints.X);
}

// Proposition 11 in the plane: sticking just above the least coefficient and not just below it.
static void check_friction(study* q, truth* T, const sti_sticking* r) {
    const sti_least_friction* l = &r->least_common;
    for (int i = 0; i < T->nc; i++)
        if (T->slip[i] != 0 || T->tangents[i] > 1) return;
    if (l->exists == STI_UNDECIDED) return;
    mpq_t kept[TOOL_CONTACTS], scale;
    mpq_init(scale);
    for (int i = 0; i < T->nc; i++) {
        mpq_init(kept[i]);
        mpq_set(kept[i], T->mu[i]);
    }
    for (int side = 0; side < 2; side++) {
        double mu = l->exists == STI_YES ? l->mu * (side ? 1 + 1e-7 : 1 - 1e-7) : 1e9;
        if (side && l->mu < 1e-9) mu = 1e-9;
        if (l->exists != STI_YES && side == 0) continue;
        if (mu <= 0) continue;
        mpq_set_d(scale, mu);
        for (int i = 0; i < T->nc; i++) mpq_set(T->mu[i], scale);
        const bool sticks = holds(T, false, INNER), expected = l->exists == STI_YES && side == 1;
        q->quantity.checked++;
        if (sticks != expected)
            complain(q, &q->quantity, "P11: least coefficient %.17g (exists %d, attained %d): at %.17g it %s", l->mu,
                     l->exists, l->attained, mu, sticks ? "sticks" : "does not");
    }
    for (int i = 0; i < T->nc; i++) {
        mpq_set(T->mu[i], kept[i]);
        mpq_clear(kept[i]);
    }
    mpq_clear(scale);
}

static void check_propositions(study* q, truth* T, const sti_sticking* r, int opens, int solvable) {
    facts f;
    facts_open(T, &f);
    check_ranks(q, T, &f, r);
    check_unique(q, T, &f, r);
    check_augmented(q, T, &f, r, solvable, opens);
    check_couplings(q, T, &f, r);
    check_mfcq(q, T, &f, r);
    check_solvability(q, T, &f, r, solvable);
    check_friction(q, T, r);
    if (T->slides) {
        bool joint = false;
        for (int i = 0; i < T->nc; i++)
            joint = joint || (T->slip[i] != 0 && T->in->contacts[i].bilateral && mpq_sgn(T->mu[i]) > 0);
        expect(q, r, "P13", !f.definite || joint || f.U.cols == 0 ? STI_NOT_APPLICABLE : of_truth(opens));
    } else {
        expect(q, r, "P13", STI_NOT_APPLICABLE);
    }
    facts_close(&f);
}

// ---- instants

// A rigid body in the plane, or in space, on contact points with integer coordinates.
static void make_body(random_instant* s, sti_rng* rng, bool spatial) {
    static const double axis[][3][3] = {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
                                        {{0, 0, -1}, {1, 0, 0}, {0, -1, 0}},
                                        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                        {{0, 3, 4}, {5, 0, 0}, {0, 4, -3}},
                                        {{-3, 0, 4}, {4, 0, 3}, {0, -5, 0}}};
    const int n = spatial ? 6 : 3, contacts = sti_rng_int(rng, 1, spatial ? 2 : 3);
    tool_open(&s->t, n);
    s->facets = s->choice_count = 0;
    const double mass = sti_rng_int(rng, 1, 4);
    for (int j = 0; j < n; j++) s->t.M[j * n + j] = j < (spatial ? 3 : 2) ? mass : sti_rng_int(rng, 1, 3);
    for (int i = 0; i < contacts; i++) {
        const double p[3] = {sti_rng_int(rng, -2, 2), sti_rng_int(rng, -2, 2), sti_rng_int(rng, -1, 1)};
        const double mu = random_coefficients[sti_rng_int(rng, 1, 5)];
        const int turn = sti_rng_int(rng, 0, 2) == 0 ? sti_rng_int(rng, 0, 4) : 0;
        if (spatial) {
            tool_spatial(&s->t, p, axis[turn], mu);
        } else {
            static const double flat[][2] = {{0, 1}, {1, 0}, {0, -1}, {3, 4}, {-4, 3}};
            const double x = flat[turn][0], y = flat[turn][1];
            tool_contact(&s->t, sti_rng_int(rng, 0, 9) == 0, 1, mu);
            memcpy(s->t.n[i], (double[]){x, y, p[0] * y - p[1] * x}, 3 * sizeof(double));
            memcpy(s->t.t[i], (double[]){y, -x, -p[0] * x - p[1] * y}, 3 * sizeof(double));
        }
        s->t.contact[i].state = STI_INSTANT_STICK;
    }
    random_instant_load(s, rng);
    if (sti_rng_int(rng, 0, 2) == 0) {  // nothing but weight
        memset(s->t.F, 0, sizeof s->t.F);
        s->t.F[spatial ? 2 : 1] = 10 * mass;
    }
}

// Units: velocity j in base^unit_j, forces in base^force, time in base^time. What is true stays true.
typedef struct scales {
    int base, unit[TOOL_N], force, time;
} scales;

static scales draw_scales(const tool_instant* t, sti_rng* rng, int base) {
    const int most = base == 2 ? 20 : 6;
    scales z = {.base = base, .force = sti_rng_int(rng, -most, most), .time = sti_rng_int(rng, -most / 2, most / 2)};
    for (int j = 0; j < t->instant.n; j++) z.unit[j] = sti_rng_int(rng, 0, 2) == 0 ? sti_rng_int(rng, -most, most) : 0;
    return z;
}

// value base^exponent, as a double, and as entry `at` of the table when the base is ten.
static double scaled(const scales* z, double value, int exponent, sti_rationals* table, size_t at) {
    char text[64];
    if (z->base == 2) return ldexp(value, exponent);
    snprintf(text, sizeof text, "%.17ge%d", value, exponent);
    if (sti_rationals_set_text(table, at, text) != STI_OK) abort();
    return sti_rationals_double(table, at);
}

static sti_rationals* table_of(size_t count) {
    sti_rationals* r;
    if (sti_rationals_create(memory, count, &r) != STI_OK) abort();
    return r;
}

static void rescale(tool_instant* t, const scales* z, sti_instant_exact* e) {
    const size_t n = (size_t)t->instant.n, m = (size_t)t->instant.contact_count, k = (size_t)t->instant.tangent_total;
    *e = (sti_instant_exact){.M = table_of(n * n),
                             .F = table_of(n),
                             .v = table_of(n),
                             .n = table_of(m * n),
                             .t = table_of(k * n),
                             .n_rate = table_of(m),
                             .t_rate = table_of(k),
                             .gap = table_of(m),
                             .mu = table_of(m),
                             .mu_kinetic = table_of(m)};
    for (size_t i = 0; i < n; i++) {
        t->F[i] = scaled(z, t->F[i], z->force + z->unit[i], e->F, i);
        t->v[i] = scaled(z, t->v[i], -z->unit[i] - z->time, e->v, i);
        for (size_t j = 0; j < n; j++)
            t->M[i * n + j] =
                scaled(z, t->M[i * n + j], z->force + z->unit[i] + z->unit[j] + 2 * z->time, e->M, i * n + j);
    }
    size_t row = 0;
    for (size_t i = 0; i < m; i++) {
        sti_instant_contact* c = &t->contact[i];
        c->n_rate = scaled(z, c->n_rate, -2 * z->time, e->n_rate, i);
        c->mu = c->mu_kinetic = scaled(z, c->mu, 0, e->mu, i);
        scaled(z, c->mu, 0, e->mu_kinetic, i);
        for (size_t j = 0; j < n; j++) t->n[i][j] = scaled(z, t->n[i][j], z->unit[j], e->n, i * n + j);
        for (size_t h = 0; h < (size_t)c->tangent_count; h++, row++) {
            t->t_rate[i][h] = scaled(z, t->t_rate[i][h], -2 * z->time, e->t_rate, row);
            for (size_t j = 0; j < n; j++)
                t->t[i][h * n + j] = scaled(z, t->t[i][h * n + j], z->unit[j], e->t, row * n + j);
        }
    }
    if (z->base == 10) t->instant.exact = e;
}

static void tables_close(sti_instant_exact* e) {
    sti_rationals* const all[] = {e->M, e->F, e->v, e->n, e->t, e->n_rate, e->t_rate, e->gap, e->mu, e->mu_kinetic};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) sti_rationals_destroy(all[k]);
}

// ---- the study

// What is claimed is accepted by the library's own checker too, down to the last number.
static void check_verifier(study* q, const sti_instant* in, const sti_sticking* r) {
    sti_sticking_verification v;
    q->verified.checked++;
    if (sti_verify_sticking(memory, in, &r->answer, 1e-9, &v) != STI_OK)
        complain(q, &q->verified, "%s", sti_env_error(memory)->text);
    else if (r->answer.outcome == STI_STICKING_UNKNOWN)
        q->verified.undecided++;
    else if (!v.accepted)
        complain(q, &q->verified, "rejected: %s", v.text);
    else if (v.numbers_unchecked > 0)
        q->verified.unknown++;
}

static void look_at(study* q, sti_env* env, sti_rng* rng) {
    random_instant s;
    sti_instant_exact tables;
    const int kind = sti_rng_int(rng, 0, 5), units = sti_rng_int(rng, 0, 3);
    if (kind < 3)
        random_instant_make(&s, rng);
    else
        make_body(&s, rng, kind == 5);
    const bool scale = units == 1 || units == 2;
    if (scale) {
        const scales z = draw_scales(&s.t, rng, units == 1 ? 2 : 10);
        rescale(&s.t, &z, &tables);
    }
    sti_sticking* r;
    truth T;
    if (sti_sticking_create(env, &s.t.instant, NULL, &r) != STI_OK) {
        complain(q, &q->sticking, "%s", sti_env_error(env)->text);
    } else {
        truth_open(&T, &s.t.instant);
        const int sticks = decide(&T, false), opens = decide(&T, true);
        compare_outcome(q, &q->sticking, "(61)", r->answer.outcome, sticks);
        int solvable = -1;
        if (!T.slides) {
            solvable = holds(&T, true, FREE);
            compare_outcome(q, &q->opening, "(60)", r->answer.opening.outcome, opens);
            compare_outcome(q, &q->contact_problem, "(43)",
                            r->answer.opening.contact_problem == STI_SOLVED        ? STI_STICKING_YES
                            : r->answer.opening.contact_problem == STI_NO_SOLUTION ? STI_STICKING_NO
                                                                                   : STI_STICKING_UNKNOWN,
                            solvable);
        }
        check_propositions(q, &T, r, opens, solvable);
        check_verifier(q, &s.t.instant, r);
        truth_close(&T);
        sti_sticking_destroy(r);
    }
    if (scale) tables_close(&tables);
}

static long run(long count, uint64_t seed) {
    study q = {.seed = seed};
    if (sti_env_create(NULL, &memory) != STI_OK) return 1;
    for (q.number = 0; q.number < count; q.number++) {
        sti_rng rng = {seed * 1000003u + (uint64_t)q.number};
        look_at(&q, memory, &rng);
    }
    sti_env_destroy(memory);
    const struct {
        const char* name;
        const tally* t;
    } rows[] = {{"(61)", &q.sticking},        {"(60)", &q.opening},
                {"(43)", &q.contact_problem}, {"propositions", &q.proposition},
                {"numbers", &q.quantity},     {"verified", &q.verified}};
    long wrong = 0;
    printf("study_sticking: seed %llu, %ld instants:", (unsigned long long)seed, count);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        wrong += rows[k].t->wrong;
        printf(" %s %ld (%ld undecided, %ld not known here);", rows[k].name, rows[k].t->checked, rows[k].t->undecided,
               rows[k].t->unknown);
    }
    printf(" %ld wrong\n", wrong);
    return wrong;
}

int main(int argc, char** argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: study_sticking SEED COUNT\n");
        return 2;
    }
    return run(strtol(argv[2], NULL, 10), strtoull(argv[1], NULL, 10)) == 0 ? 0 : 1;
}
