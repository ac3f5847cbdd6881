// bound.c: the independent check of inequalities.
//
// Integrals are enclosed again on spans by the plainest rule there is, on cells of one width h with middle m:
//
//     int f over a cell in  h f(m) + (h^2/8) (D - D),   D the slopes of f over the cell;
//         or h f(cell) where there are none
//
// and moduli of continuity from values at the ends of cells and slopes over them: |f(x) - f(y)| of pairs of ends from
// below, h(L) + L t with the largest rises of f - L x over cells, for some L, from above. Their enclosures are much
// wider than those of the answer, so what is shown is this: no number of the answer lies outside, and the quantity is
// not above its bound. The moduli are done in doubles, with a margin of 1e-9 for their rounding.
#include <math.h>
#include <stdio.h>
#include <stiction/bounds.h>
#include <stiction/problem.h>
#include <string.h>

#include "verify/formula.h"

enum { BITS = 192, CELLS = 1024, SIDE = 40, MODULUS_CELLS = 256, MEANS = 8 };

typedef struct checker {
    sti_formula_reader r;
    const sti_bound_problem* p;
    const sti_bound_answer* a;
    sti_bound_verification* out;
    sti_span at[2];  // where formulas are evaluated
    sti_span low, high;
    double a0, b0;  // the interval, in doubles
} checker;

static const char* const ONE[] = {"x"};
static const char* const TWO[] = {"u", "v"};

static bool refuse(checker* c, const char* format, const char* name) {
    if (c->out->text[0] == '\0') snprintf(c->out->text, sizeof c->out->text, format, name);
    return false;
}

// ---- intervals in doubles, moved out by a unit

typedef struct pair {
    double low, high;
} pair;

static pair outward(checker* c, const sti_span* a) {
    sti_span end = {0};
    pair out;
    sti_int_set(&c->r.s.x, &end.low, &a->low);
    sti_int_set(&c->r.s.x, &end.high, &a->low);
    out.low = nextafter(sti_span_double(&c->r.s, &end), -INFINITY);
    sti_int_set(&c->r.s.x, &end.low, &a->high);
    sti_int_set(&c->r.s.x, &end.high, &a->high);
    out.high = nextafter(sti_span_double(&c->r.s, &end), INFINITY);
    sti_span_clear(&c->r.s, &end);
    return out;
}

// A number of the answer must meet the enclosure found here.
static bool agrees(checker* c, const char* name, pair own) {
    const sti_interval* claimed = sti_bound_find(c->a, name);
    if (claimed == NULL) return true;
    const double size = fmax(fabs(own.low), fabs(own.high));
    if (size > 0) c->out->agreement = fmax(c->out->agreement, (own.high - own.low) / size);
    if (claimed->low <= own.high && own.low <= claimed->high) return true;
    return refuse(c, "%s lies outside of what was found here", name);
}

// ---- integrals

// Duals of a weight and of what it multiplies: 1, y, y^2, f, g, f g (of a joint density: 1, u, u^2, v, v^2, f, g, f g)
typedef struct terms {
    const char* density;  // NULL: 1
    const char *f, *g;
    bool square;
} terms;

static void multiply(checker* c, sti_sloped* a, const sti_sloped* b, bool slopes) {
    sti_span t = {0};
    for (int k = 0; slopes && k < c->r.n; k++) {
        sti_span_mul(&c->r.s, &a->d[k], &a->d[k], &b->v);
        sti_span_mul(&c->r.s, &t, &a->v, &b->d[k]);
        sti_span_add(&c->r.s, &a->d[k], &a->d[k], &t);
    }
    sti_span_mul(&c->r.s, &a->v, &a->v, &b->v);
    sti_span_clear(&c->r.s, &t);
}

static void copy(checker* c, sti_sloped* to, const sti_sloped* from) {
    sti_span_set(&c->r.s, &to->v, &from->v);
    for (int k = 0; k < c->r.n; k++) sti_span_set(&c->r.s, &to->d[k], &from->d[k]);
}

// All terms over c->at into out; false: no values (or, with slopes, no slopes) there
static bool evaluate(checker* c, const terms* t, bool slopes, sti_sloped* out) {
    static const char* const names[2][2] = {{"x", "x"}, {"u", "v"}};
    const char* const* variable = names[t->square];
    sti_sloped w = {0}, f = {0}, g = {0}, y = {0};
    bool good = t->density == NULL || sti_formula_over(&c->r, t->density, slopes, &w);
    if (t->density == NULL) sti_span_set_int(&c->r.s, &w.v, 1);
    // in a function of one coordinate x is another name of it
    const char* alias[2];
    const char* const* kept = c->r.variables;
    memcpy(alias, c->r.variables, (size_t)c->r.n * sizeof *alias);
    for (int k = 0; k < 2 && good; k++) {
        const char* text = k == 0 ? t->f : t->g;
        if (text == NULL) continue;
        if (t->square) alias[k] = strchr(text, k == 0 ? 'u' : 'v') == NULL ? "x" : variable[k];
        c->r.variables = alias;
        good = sti_formula_over(&c->r, text, slopes, k == 0 ? &f : &g);
        memcpy(alias, kept, (size_t)c->r.n * sizeof *alias);
    }
    c->r.variables = kept;
    int at = 0;
    for (int k = 0; good && k < (t->square ? 2 : 1); k++) {
        if (k == 0) copy(c, &out[at++], &w);
        good = sti_formula_over(&c->r, variable[k], slopes, &y);
        copy(c, &out[at], &w);
        multiply(c, &out[at++], &y, slopes);
        copy(c, &out[at], &out[at - 1]);
        multiply(c, &out[at++], &y, slopes);
    }
    for (int k = 0; good && k < 3; k++) {
        if ((k != 1 && t->f == NULL) || (k != 0 && t->g == NULL)) continue;
        copy(c, &out[at + k], &w);
        multiply(c, &out[at + k], k == 1 ? &g : &f, slopes);
        if (k == 2) multiply(c, &out[at + k], &g, slopes);
    }
    sti_sloped_clear(&c->r, &w);
    sti_sloped_clear(&c->r, &f);
    sti_sloped_clear(&c->r, &g);
    sti_sloped_clear(&c->r, &y);
    return good && c->r.s.x.status == STI_OK;
}

// Add the integral over one cell of the variables' box, whose sides are the spans `side`.
static bool add_cell(checker* c, const terms* t, const sti_span* side, sti_span* sum) {
    const int n = c->r.n, count = t->square ? 8 : 6;
    sti_spans* s = &c->r.s;
    sti_sloped over[MEANS] = {0}, mid[MEANS] = {0};
    sti_span area = {0}, u = {0}, v = {0};
    bool sloped = evaluate(c, t, true, over), good = sloped;
    if (!sloped) good = evaluate(c, t, false, over);
    if (sloped) {
        for (int k = 0; k < n; k++) sti_span_middle(s, &c->at[k], &c->at[k]);
        good = evaluate(c, t, false, mid);
    }
    sti_span_set(s, &area, &side[0]);
    if (n == 2) sti_span_mul(s, &area, &area, &side[1]);
    for (int e = 0; good && e < count; e++) {
        sti_span_mul(s, &u, &area, sloped ? &mid[e].v : &over[e].v);
        sti_span_add(s, &sum[e], &sum[e], &u);
        for (int k = 0; sloped && k < n; k++) {  // (area h_k / 8) (D_k - D_k)
            sti_span_sub(s, &u, &over[e].d[k], &over[e].d[k]);
            sti_span_mul(s, &v, &area, &side[k]);
            sti_span_div_int(s, &v, &v, 8);
            sti_span_mul(s, &u, &u, &v);
            sti_span_add(s, &sum[e], &sum[e], &u);
        }
    }
    for (int e = 0; e < MEANS; e++) {
        sti_sloped_clear(&c->r, &over[e]);
        sti_sloped_clear(&c->r, &mid[e]);
    }
    sti_span_clear(s, &area);
    sti_span_clear(s, &u);
    sti_span_clear(s, &v);
    return good && s->x.status == STI_OK;
}

// Cell i of `count` from low to high, as a span into `at`
static void cell(checker* c, const sti_span* low, const sti_span* side, int i, sti_span* at) {
    sti_span next = {0};
    sti_span_mul_int(&c->r.s, at, side, i);
    sti_span_add(&c->r.s, at, at, low);
    sti_span_add(&c->r.s, &next, at, side);
    sti_span_hull(&c->r.s, at, at, &next);
    sti_span_clear(&c->r.s, &next);
}

static bool integrate(checker* c, const terms* t, const sti_span* low, const sti_span* high, int cells, sti_span* sum) {
    sti_span side[2] = {0};
    bool good = true;
    const int n = c->r.n;
    for (int e = 0; e < MEANS; e++) sti_span_set_int(&c->r.s, &sum[e], 0);
    sti_span_sub(&c->r.s, &side[0], high, low);
    sti_span_div_int(&c->r.s, &side[0], &side[0], cells);
    sti_span_set(&c->r.s, &side[1], &side[0]);
    for (int i = 0; good && i < (n == 2 ? cells * cells : cells) && !sti_late(c->r.s.x.env); i++) {
        cell(c, low, &side[0], i % cells, &c->at[0]);
        if (n == 2) cell(c, low, &side[0], i / cells, &c->at[1]);
        good = add_cell(c, t, side, sum);
    }
    sti_span_clear(&c->r.s, &side[0]);
    sti_span_clear(&c->r.s, &side[1]);
    return good || refuse(c, "%s: the integrals were not found", "the check");
}

static bool add_atoms(checker* c, const sti_functional* from, const terms* t, sti_span* sum) {
    sti_sloped h[MEANS] = {0};
    sti_span mass = {0}, x = {0};
    terms plain = *t;
    bool good = true;
    plain.density = NULL;
    for (int i = 0; good && i < from->atom_count; i++) {
        good = sti_formula_number(&c->r, from->atom_at[i], &x) && sti_formula_number(&c->r, from->atom_mass[i], &mass);
        sti_span_set(&c->r.s, &c->at[0], &x);
        good = good && evaluate(c, &plain, false, h);
        for (int e = 0; good && e < 6; e++) {
            sti_span_mul(&c->r.s, &x, &mass, &h[e].v);
            sti_span_add(&c->r.s, &sum[e], &sum[e], &x);
        }
    }
    for (int e = 0; e < MEANS; e++) sti_sloped_clear(&c->r, &h[e]);
    sti_span_clear(&c->r.s, &mass);
    sti_span_clear(&c->r.s, &x);
    return good || refuse(c, "%s: not found", "atoms");
}

// Means of a functional: sums divided by the first of them
static bool find_means(checker* c, const sti_functional* from, const terms* t, sti_span* mean) {
    const bool spread = from->density != NULL || from->atom_count == 0;
    for (int e = 0; e < MEANS; e++) sti_span_set_int(&c->r.s, &mean[e], 0);
    bool good = !spread || integrate(c, t, &c->low, &c->high, CELLS, mean);
    good = good && add_atoms(c, from, t, mean);
    for (int e = 1; good && e < 6; e++) sti_span_div(&c->r.s, &mean[e], &mean[e], &mean[0]);
    return good && !c->r.s.undefined;
}

// ---- moduli, in doubles

typedef struct sampled {
    double f[MODULUS_CELLS + 1];
    pair slope[MODULUS_CELLS];
    pair range[MODULUS_CELLS];
    double h;
} sampled;

static bool sample(checker* c, const char* text, sampled* m) {
    const char* alias[2] = {strchr(text, 'u') != NULL && c->p->joint != NULL   ? "u"
                            : strchr(text, 'v') != NULL && c->p->joint != NULL ? "v"
                                                                               : "x",
                            NULL};
    const char* const* kept = c->r.variables;
    const int n = c->r.n;
    sti_sloped value = {0};
    bool good = true;
    c->r.variables = alias;
    c->r.n = 1;
    m->h = (c->b0 - c->a0) / MODULUS_CELLS;
    for (int i = 0; good && i <= MODULUS_CELLS; i++) {
        const double x = i == MODULUS_CELLS ? c->b0 : c->a0 + m->h * i;
        sti_span_set_double(&c->r.s, &c->at[0], x);
        good = sti_formula_over(&c->r, text, false, &value);
        if (good) m->f[i] = sti_span_double(&c->r.s, &value.v);
        if (!good || i == MODULUS_CELLS) break;
        sti_span_set_doubles(&c->r.s, &c->at[0], x, i == MODULUS_CELLS - 1 ? c->b0 : c->a0 + m->h * (i + 1));
        if (sti_formula_over(&c->r, text, true, &value))
            m->slope[i] = outward(c, &value.d[0]);
        else
            m->slope[i] = (pair){-INFINITY, INFINITY};
        good = sti_formula_over(&c->r, text, false, &value);
        if (good) m->range[i] = outward(c, &value.v);
    }
    sti_sloped_clear(&c->r, &value);
    c->r.variables = kept;
    c->r.n = n;
    return good || refuse(c, "%s has no value somewhere", text);
}

// sup and inf of sign f - L x over cell i, no better than its slopes and values say
static pair spread_of(const checker* c, const sampled* m, int i, double sign, double L) {
    const double x0 = c->a0 + m->h * i, x1 = x0 + m->h;
    const double p0 = sign * m->f[i] - L * x0, p1 = sign * m->f[i + 1] - L * x1;
    const double dl = (sign > 0 ? m->slope[i].low : -m->slope[i].high) - L;
    const double dh = (sign > 0 ? m->slope[i].high : -m->slope[i].low) - L;
    const double top = (sign > 0 ? m->range[i].high : -m->range[i].low) - L * x0;
    const double bottom = (sign > 0 ? m->range[i].low : -m->range[i].high) - L * x1;
    // along the steepest line from either end
    const double sup = fmin(top, fmin(p0 + fmax(dh, 0) * m->h, p1 + fmax(-dl, 0) * m->h));
    const double inf = fmax(bottom, fmax(p0 + fmin(dl, 0) * m->h, p1 + fmin(-dh, 0) * m->h));
    return (pair){inf, fmax(sup, inf)};
}

static double rise(const checker* c, const sampled* m, double sign, double L) {
    double best = 0, least = INFINITY;
    for (int i = 0; i < MODULUS_CELLS; i++) {
        const pair s = spread_of(c, m, i, sign, L);
        const double steep = (sign > 0 ? m->slope[i].high : -m->slope[i].low) - L;
        best = fmax(best, fmax(i > 0 ? s.high - least : 0, fmin(s.high - s.low, fmax(steep, 0) * m->h)));
        least = fmin(least, s.low);
    }
    return best;
}

// The largest |f(x) - f(y)| of ends k cells apart, and from these the hull at t
static void sampled_moduli(const sampled* m, double* omega) {
    omega[0] = 0;
    for (int k = 1; k <= MODULUS_CELLS; k++) {
        omega[k] = omega[k - 1];
        for (int i = 0; i + k <= MODULUS_CELLS; i++) omega[k] = fmax(omega[k], fabs(m->f[i + k] - m->f[i]));
    }
}

static pair majorant(const checker* c, const sampled* m, double t) {
    double omega[MODULUS_CELLS + 1], low = 0, high = INFINITY, steepest = 0;
    sampled_moduli(m, omega);
    for (int i = 0; i <= MODULUS_CELLS; i++) {
        if (m->h * i <= t) low = fmax(low, omega[i]);
        for (int j = i + 1; m->h * i <= t && j <= MODULUS_CELLS; j++) {
            if (m->h * j > t) low = fmax(low, omega[i] + (omega[j] - omega[i]) * (t - m->h * i) / (m->h * (j - i)));
        }
        if (i > 0) steepest = fmax(steepest, omega[i] / (m->h * i));
    }
    for (int k = 0; k <= 400; k++) {
        const double L = steepest * k / 400 * 1.05;
        high = fmin(high, fmax(rise(c, m, 1, L), rise(c, m, -1, L)) + L * t);
    }
    const double margin = 1e-9 * omega[MODULUS_CELLS];
    return (pair){low - margin, fmax(low, high) + margin};
}

static bool check_majorant(checker* c, const char* name, const char* text, double t, pair* out) {
    sampled m;
    if (!sample(c, text, &m)) return false;
    *out = majorant(c, &m, t);
    return agrees(c, name, *out);
}

// ---- the three inequalities

static double middle(const sti_bound_answer* a, const char* name) {
    const sti_interval* x = sti_bound_find(a, name);
    return x == NULL ? NAN : 0.5 * x->low + 0.5 * x->high;
}

static bool check_modulus(checker* c) {
    sampled m;
    double omega[MODULUS_CELLS + 1];
    if (!sample(c, c->p->f, &m)) return false;
    sampled_moduli(&m, omega);
    const double margin = 1e-9 * omega[MODULUS_CELLS];
    for (int k = 0; k < c->a->t_count; k++) {
        const double t = c->a->t[k].high;
        const int below = (int)fmin(MODULUS_CELLS, floor(t / m.h * (1 - 1e-12)));
        const pair own = majorant(c, &m, t);
        if (c->a->omega_tilde[k].high < own.low || c->a->omega_tilde[k].low > own.high)
            return refuse(c, "%s lies outside of what was found here", "omega~");
        if (c->a->omega[k].high < omega[below] - margin || c->a->omega[k].low > own.high)
            return refuse(c, "%s lies outside of what was found here", "omega");
        if (own.high > 0) c->out->agreement = fmax(c->out->agreement, (own.high - own.low) / own.high);
    }
    return true;
}

// |quantity| <= bound, as claimed and as found
static bool holds(checker* c, pair quantity, const char* claimed, const char* bound) {
    const sti_interval *q = sti_bound_find(c->a, claimed), *b = sti_bound_find(c->a, bound);
    if (c->a->outcome != STI_SOLVED) return true;  // nothing is claimed
    if (q == NULL || b == NULL) return refuse(c, "%s is missing", bound);
    const double least = quantity.low > 0 ? quantity.low : quantity.high < 0 ? -quantity.high : 0;
    const double claim = q->low > 0 ? q->low : q->high < 0 ? -q->high : 0;
    return (least <= b->high && claim <= b->high) || refuse(c, "%s is below the quantity", bound);
}

static bool check_gruess(checker* c) {
    const terms t = {.density = c->p->A.density, .f = c->p->f, .g = c->p->g};
    const terms u = {.density = c->p->one_functional ? t.density : c->p->B.density, .f = t.f, .g = t.g};
    sti_spans* s = &c->r.s;
    sti_span A[MEANS] = {0}, B[MEANS] = {0}, D[2] = {0}, x = {0};
    bool good = find_means(c, &c->p->A, &t, A) && find_means(c, c->p->one_functional ? &c->p->A : &c->p->B, &u, B);
    // means: 1, x, x^2, f, g, fg
    const int product[2] = {5, 2}, first[2] = {3, 1}, second[2] = {4, 1};
    for (int k = 0; good && k < 2; k++) {
        sti_span_add(s, &D[k], &A[product[k]], &B[product[k]]);
        sti_span_mul(s, &x, &A[first[k]], &B[second[k]]);
        sti_span_sub(s, &D[k], &D[k], &x);
        sti_span_mul(s, &x, &B[first[k]], &A[second[k]]);
        sti_span_sub(s, &D[k], &D[k], &x);
    }
    good = good && agrees(c, "D_AB", outward(c, &D[0])) && agrees(c, "D_AB_e1e1", outward(c, &D[1]));
    const pair quantity = outward(c, &D[0]);
    for (int e = 0; e < MEANS; e++) {
        sti_span_clear(s, &A[e]);
        sti_span_clear(s, &B[e]);
    }
    sti_span_clear(s, &D[0]);
    sti_span_clear(s, &D[1]);
    sti_span_clear(s, &x);
    pair f, g;
    const double argument = middle(c->a, "argument");
    return good && check_majorant(c, "omega_tilde_f", c->p->f, argument, &f) &&
           check_majorant(c, "omega_tilde_g", c->p->g, argument, &g) &&
           agrees(c, "bound", (pair){fmax(f.low, 0) * fmax(g.low, 0), f.high * g.high}) &&
           holds(c, quantity, "D_AB", "bound");
}

static bool check_joint(checker* c) {
    sti_spans* s = &c->r.s;
    sti_span P[MEANS] = {0}, x = {0};
    const terms t = {.density = c->p->joint, .f = c->p->f, .g = c->p->g, .square = true};
    c->r.n = 2;
    c->r.variables = TWO;
    bool good = integrate(c, &t, &c->low, &c->high, SIDE, P);
    for (int e = 1; good && e < MEANS; e++) sti_span_div(s, &P[e], &P[e], &P[0]);
    sti_span_mul(s, &x, &P[5], &P[6]);
    sti_span_sub(s, &x, &P[7], &x);
    const pair cov = outward(c, &x);
    good = good && agrees(c, "cov", cov) && agrees(c, "mass", outward(c, &P[0]));
    for (int e = 0; e < MEANS; e++) sti_span_clear(s, &P[e]);
    sti_span_clear(s, &x);
    if (!good || c->p->other_joint != NULL) return good;
    pair f, g;
    const double argument = middle(c->a, "argument");
    return check_majorant(c, "", c->p->f, argument, &f) && check_majorant(c, "", c->p->g, argument, &g) &&
           agrees(c, "bound_2_5_20", (pair){fmax(f.low, 0) * fmax(g.low, 0) / 2, f.high * g.high / 2}) &&
           holds(c, cov, "cov", "bound_2_5_20");
}

// |f'| at the ends, and that it is not seen to be above its chords at cells between
static bool check_slopes(checker* c, double* ends) {
    sampled m;
    if (!sample(c, c->p->f, &m)) return false;
    ends[0] = fmax(fabs(m.slope[0].low), fabs(m.slope[0].high));
    ends[1] = fmax(fabs(m.slope[MODULUS_CELLS - 1].low), fabs(m.slope[MODULUS_CELLS - 1].high));
    for (int i = 0; c->a->outcome == STI_SOLVED && i < MODULUS_CELLS; i++) {
        const double part = (i + 0.5) / MODULUS_CELLS, chord = (1 - part) * ends[0] + part * ends[1];
        const double low = m.slope[i].low > 0 ? m.slope[i].low : m.slope[i].high < 0 ? -m.slope[i].high : 0;
        if (low > chord * (1 + 1e-9)) return refuse(c, "%s is seen to be not convex", "|f'|");
    }
    return true;
}

static bool check_hadamard(checker* c) {
    const terms t = {.density = c->p->A.density, .f = c->p->f};
    const double a1 = middle(c->a, "a1");
    sti_spans* s = &c->r.s;
    sti_span all[MEANS] = {0}, side[2][MEANS] = {0}, p = {0}, x = {0}, f = {0};
    double ends[2];
    sti_span_set_double(s, &p, a1);
    bool good = integrate(c, &t, &c->low, &p, CELLS / 2, side[0]) && integrate(c, &t, &p, &c->high, CELLS / 2, side[1]);
    pair own[2], P, lhs = {0, 0};
    for (int e = 0; e < 6; e++) sti_span_add(s, &all[e], &side[0][e], &side[1][e]);
    good = good && agrees(c, "mass", outward(c, &all[0]));
    for (int e = 0; good && e < 6; e++) {
        sti_span_div(s, &side[0][e], &side[0][e], &all[0]);
        sti_span_div(s, &side[1][e], &side[1][e], &all[0]);
    }
    if (good) {
        sti_span_div(s, &x, &all[1], &all[0]);
        good = agrees(c, "a1", outward(c, &x));
    }
    if (good) {  // int w f - f(a1), about
        sti_span_div(s, &x, &all[3], &all[0]);
        sti_sloped value = {0};
        const sti_interval* mean = sti_bound_find(c->a, "a1");
        sti_span_set_doubles(s, &c->at[0], mean->low, mean->high);
        good = sti_formula_over(&c->r, c->p->f, false, &value);
        sti_span_sub(s, &x, &x, &value.v);
        sti_span_abs(s, &x, &x);
        lhs = outward(c, &x);
        sti_sloped_clear(&c->r, &value);
        good = good && agrees(c, "lhs", lhs);
    }
    for (int k = 0; good && k < 2; k++) {  // int (x - p)^2 w and int (x - p) w on the right
        sti_span_mul(s, &x, &p, &side[k][1]);
        sti_span_mul_int(s, &x, &x, 2);
        sti_span_sub(s, &f, &side[k][2], &x);
        sti_span_sqr(s, &x, &p);
        sti_span_mul(s, &x, &x, &side[k][0]);
        sti_span_add(s, &f, &f, &x);
        own[k] = outward(c, &f);
    }
    sti_span_mul(s, &x, &p, &side[1][0]);
    sti_span_sub(s, &x, &side[1][1], &x);
    P = outward(c, &x);
    for (int e = 0; e < MEANS; e++) {
        sti_span_clear(s, &all[e]);
        sti_span_clear(s, &side[0][e]);
        sti_span_clear(s, &side[1][e]);
    }
    sti_span_clear(s, &p);
    sti_span_clear(s, &x);
    sti_span_clear(s, &f);
    if (!good || !check_slopes(c, ends)) return false;
    const double slack = 1e-12 * (1 + fabs(c->b0 - c->a0)) * (1 + fabs(c->b0 - c->a0));  // doubles from here on
    const double to_b = 2 * (c->b0 - a1), to_a = 2 * (a1 - c->a0);
    const pair A = {(own[0].low - own[1].high) / 2 + to_b * P.low - slack,
                    (own[0].high - own[1].low) / 2 + to_b * P.high + slack};
    const pair B = {(own[1].low - own[0].high) / 2 + to_a * P.low - slack,
                    (own[1].high - own[0].low) / 2 + to_a * P.high + slack};
    return agrees(c, "A", A) && agrees(c, "B", B) && holds(c, lhs, "lhs", "bound");
}

static bool find_interval(checker* c) {
    const bool good = sti_formula_number(&c->r, c->p->low, &c->low) && sti_formula_number(&c->r, c->p->high, &c->high);
    c->a0 = sti_span_double(&c->r.s, &c->low);
    c->b0 = sti_span_double(&c->r.s, &c->high);
    return good && c->a0 < c->b0;
}

sti_status sti_verify_bound(sti_env* env, const sti_bound_problem* problem, const sti_bound_answer* answer,
                            sti_bound_verification* out) {
    *out = (sti_bound_verification){0};
    checker c = {.p = problem, .a = answer, .out = out};
    sti_spans_init(&c.r.s, env, BITS);
    c.r.n = 1;
    c.r.variables = ONE;
    c.r.at = c.at;
    c.r.definition_count = problem->definition_count;
    c.r.definitions = problem->definitions;
    bool good = find_interval(&c);
    if (good && problem->what == STI_BOUND_MODULUS) good = check_modulus(&c);
    if (good && problem->what == STI_BOUND_GRUESS) good = problem->joint != NULL ? check_joint(&c) : check_gruess(&c);
    if (good && problem->what == STI_BOUND_HADAMARD) good = check_hadamard(&c);
    sti_status status = c.r.s.x.status;
    if (status == STI_OK) status = sti_check_time(env, "checking an inequality");
    out->accepted = good && status == STI_OK;
    if (out->accepted)
        snprintf(out->text, sizeof out->text,
                 "all numbers lie within enclosures found by other means, which are up to %.1e of their size wide",
                 out->agreement);
    else if (c.r.unable)
        snprintf(out->text, sizeof out->text, "the formulas hold something that is not checked (atan2, sign, floor)");
    else if (out->text[0] == '\0')
        snprintf(out->text, sizeof out->text, "the formulas could not be evaluated here");
    sti_span_clear(&c.r.s, &c.at[0]);
    sti_span_clear(&c.r.s, &c.at[1]);
    sti_span_clear(&c.r.s, &c.low);
    sti_span_clear(&c.r.s, &c.high);
    sti_spans_clear(&c.r.s);
    return status;
}
