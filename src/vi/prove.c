// prove.c: what is proved of a point: a residual rounded outward, conditions that hold exactly, a solution near it.
//
// Existence. Let alpha be the coordinates between their bounds, beta those at one. The equations F_alpha(x_alpha;
// x_beta at its bounds) = 0 are given to the proof of roots (roots.h), up to STI_ROOT_VARIABLES_MOST of them; the box
// it returns holds a root. Where the box lies within the bounds, and over all of it F_i has the right sign for every i
// in beta, that root solves the inequality. So it works at solutions where F_i is not 0 at a bound (strict
// complementarity) and F'_alpha is regular.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/roots.h>
#include <string.h>

#include "vi/map.h"

enum { DIGITS = 800 };

typedef struct proof {
    sti_vi_map* map;
    const sti_vi* vi;
    double *x, *F;           // (n)
    sti_interval *X, *over;  // (n)
} proof;

// Upper bound of the residual at x, with F there; INFINITY: F may have no value.
static double residual_at(proof* p) {
    double worst = 0, size = 1;
    for (int i = 0; i < p->map->n; i++) p->X[i] = iv_point(p->x[i]);
    const unsigned trouble = sti_vi_map_over(p->map, p->X, p->over);
    if ((trouble & (STI_TROUBLE_PARTIAL | STI_TROUBLE_NOWHERE)) != 0) return INFINITY;
    for (int i = 0; i < p->map->n; i++) {
        const sti_interval step = iv_sub(iv_point(p->x[i]), p->over[i]);
        const sti_interval to = iv(sti_vi_clip(p->vi, i, step.low), sti_vi_clip(p->vi, i, step.high));
        worst = fmax(worst, iv_mag(iv_sub(iv_point(p->x[i]), to)));
        size = fmax(size, fabs(p->x[i]));
        p->F[i] = iv_mid(p->over[i]);
    }
    return iv_div_up(worst, iv_add_down(1, size));
}

// All conditions at x, from the enclosures of residual_at.
static bool holds_exactly(const proof* p) {
    for (int i = 0; i < p->map->n; i++) {
        const double x = p->x[i], low = p->vi->lb[i], high = p->vi->ub[i];
        if (x < low || x > high) return false;
        if (x > low && p->over[i].high > 0) return false;
        if (x < high && p->over[i].low < 0) return false;
    }
    return true;
}

// Within the root of the tolerance of x, for the size of each coordinate: is there no solution, or does F jump? Then a
// small residual means nothing: F falls off far away (exp(-x) at 30), x is so large that F, divided by its size, looks
// small, or F is another one a little further on (floor(x) - 1/2 at 1).
static bool says_nothing(proof* p, double tol) {
    const sti_vi* vi = p->vi;
    for (int i = 0; i < p->map->n; i++) {
        const double half = sqrt(tol) * (1 + fabs(p->x[i]));
        p->X[i] = iv(iv_next_down(p->x[i] - half), iv_next_up(p->x[i] + half));
    }
    const unsigned trouble = sti_vi_map_over(p->map, p->X, p->over);
    if ((trouble & STI_TROUBLE_JUMP) != 0) return true;
    if ((trouble & STI_TROUBLE_NOWHERE) != 0) return false;
    for (int i = 0; i < p->map->n; i++) {
        if (p->X[i].low > vi->lb[i] && p->over[i].low > 0) return true;
        if (p->X[i].high < vi->ub[i] && p->over[i].high < 0) return true;
    }
    return false;
}

// Is coordinate i at a bound? -1 the lower one, 1 the upper one, 0 between, by x and F in doubles.
static int side_of(const proof* p, int i) {
    const double to = p->x[i] - p->F[i];
    return to <= p->vi->lb[i] ? -1 : to >= p->vi->ub[i] ? 1 : 0;
}

// Put coordinates to their bounds where they belong; digits > 0: the others to so many decimal digits.
static void snap(proof* p, const double* x, int digits) {
    for (int i = 0; i < p->map->n; i++) {
        const int side = side_of(p, i);
        char text[40];
        p->x[i] = side < 0 ? p->vi->lb[i] : side > 0 ? p->vi->ub[i] : x[i];
        if (digits == 0 || side != 0) continue;
        snprintf(text, sizeof text, "%.*g", digits, x[i]);
        const double rounded = sti_vi_clip(p->vi, i, strtod(text, NULL));
        p->x[i] = fabs(rounded) < 1e-9 ? sti_vi_clip(p->vi, i, 0) : rounded;
    }
}

// ---- existence

// The number itself as a formula: a whole number, times or over powers of two with few digits each, as formulas want
// them.
static void write_exactly(double value, char* text, size_t size) {
    enum { MOST = 150 };
    int exponent;
    const double mantissa = ldexp(frexp(value, &exponent), 53);
    exponent = value == 0 ? 0 : exponent - 53;
    size_t at = (size_t)snprintf(text, size, "(%.0f", mantissa);
    while (exponent != 0) {
        const int part = abs(exponent) < MOST ? abs(exponent) : MOST;
        at += (size_t)snprintf(text + at, size - at, "%c%.0f", exponent < 0 ? '/' : '*', ldexp(1, part));
        exponent += exponent < 0 ? part : -part;
    }
    snprintf(text + at, size - at, ")");
}

typedef struct reduced {
    sti_root_problem problem;
    const char** lists;             // variables, low, high, equations                    (4 x MOST)
    sti_system_named* definitions;  // bounds, then those of the problem
    char* texts;                    // (DIGITS each)
    int alpha[STI_ROOT_VARIABLES_MOST];
    double start[STI_ROOT_VARIABLES_MOST];
} reduced;

static void clear_reduced(sti_env* env, reduced* r) {
    sti_free(env, (void*)r->lists);
    sti_free(env, r->definitions);
    sti_free(env, r->texts);
}

// The equations of the coordinates between their bounds in a box of this half width. False where there are too many.
static sti_status reduce(proof* p, double radius, reduced* r, bool* small) {
    enum { MOST = STI_ROOT_VARIABLES_MOST };
    const sti_vi* vi = p->vi;
    sti_env* env = p->map->env;
    *r = (reduced){0};
    int count = 0, fixed = 0;
    for (int i = 0; i < vi->n; i++) count += side_of(p, i) == 0;
    *small = count > 0 && count <= MOST;
    if (!*small) return STI_OK;
    r->lists = sti_alloc_array(env, 4 * MOST, sizeof *r->lists);
    r->definitions = sti_alloc_array(env, (size_t)vi->n + (size_t)vi->definition_count, sizeof *r->definitions);
    r->texts = sti_alloc_array(env, sti_size_mul((size_t)vi->n + MOST, DIGITS), 1);
    if (r->lists == NULL || r->definitions == NULL || r->texts == NULL) return STI_ERR_MEMORY;
    char* text = r->texts;
    const char **names = r->lists, **low = names + MOST, **high = low + MOST, **equations = high + MOST;
    count = 0;
    for (int i = 0; i < vi->n; i++, text += DIGITS) {
        if (side_of(p, i) != 0) {
            write_exactly(p->x[i], text, DIGITS);
            r->definitions[fixed++] = (sti_system_named){vi->variables[i], text};
            continue;
        }
        const double half = radius * (1 + fabs(p->x[i]));
        snprintf(text, DIGITS, "%.17g", p->x[i] - half);
        low[count] = text;
        text += DIGITS;
        snprintf(text, DIGITS, "%.17g", p->x[i] + half);
        high[count] = text;
        names[count] = vi->variables[i];
        equations[count] = vi->F[i];
        r->start[count] = p->x[i];
        r->alpha[count++] = i;
    }
    for (int k = 0; k < vi->definition_count; k++) r->definitions[fixed + k] = vi->definitions[k];
    r->problem = (sti_root_problem){.variable_count = count,
                                    .variables = names,
                                    .low = low,
                                    .high = high,
                                    .definition_count = fixed + vi->definition_count,
                                    .definitions = r->definitions,
                                    .equations = equations,
                                    .start = r->start,
                                    .options = sti_root_options_default()};
    r->problem.options.max_boxes = 2000;
    return STI_OK;
}

// A root of the equations in `found`, the rest at its bounds: is everything else true over all of that box? The check
// takes a box that is wider, so the signs are looked at over one that holds it.
static bool is_solution_box(proof* p, const reduced* r, const sti_root* found) {
    const sti_vi* vi = p->vi;
    sti_interval* wide = p->over;
    for (int i = 0; i < vi->n; i++) wide[i] = p->X[i] = iv_point(p->x[i]);
    for (int k = 0; k < r->problem.variable_count; k++) {
        const int i = r->alpha[k];
        const double room = 2 * iv_width(found->x[k]) + 0x1p-98;
        p->X[i] = found->x[k];
        wide[i] = iv(iv_next_down(found->x[k].low - room), iv_next_up(found->x[k].high + room));
        if (!(wide[i].low >= vi->lb[i] && wide[i].high <= vi->ub[i])) return false;
    }
    const unsigned trouble = sti_vi_map_over(p->map, wide, wide);
    if ((trouble & (STI_TROUBLE_PARTIAL | STI_TROUBLE_NOWHERE | STI_TROUBLE_JUMP)) != 0) return false;
    for (int i = 0; i < vi->n; i++) {
        const int side = side_of(p, i);
        if ((side < 0 && !(wide[i].low >= 0)) || (side > 0 && !(wide[i].high <= 0))) return false;
    }
    return true;
}

static sti_status prove_existence(proof* p, bool* proved) {
    static const double radii[] = {1e-4, 1e-7, 1e-10};
    sti_status status = STI_OK;
    *proved = false;
    for (size_t k = 0; status == STI_OK && !*proved && k < sizeof radii / sizeof radii[0]; k++) {
        reduced r;
        sti_root_answer roots = {0};
        bool small;
        status = reduce(p, radii[k], &r, &small);
        if (status == STI_OK && small) status = sti_root_solve(p->map->env, &r.problem, NULL, &roots);
        if (status == STI_OK && small && roots.root_count == 1) *proved = is_solution_box(p, &r, &roots.roots[0]);
        sti_root_answer_clear(p->map->env, &roots);
        clear_reduced(p->map->env, &r);
        if (!small) break;
    }
    return status;
}

// ---- all of it

static void take(const proof* p, sti_vi_answer* a, double residual, sti_vi_proof what) {
    const size_t n = (size_t)p->map->n;
    memcpy(a->x, p->x, n * sizeof *a->x);
    memcpy(a->F, p->F, n * sizeof *a->F);
    a->residual = residual;
    a->proof = what;
}

static sti_status prove(proof* p, const double* x, double tol, sti_vi_answer* a) {
    const size_t n = (size_t)p->map->n;
    memcpy(p->x, x, n * sizeof *x);
    double residual = residual_at(p);
    const bool near = residual <= tol && !says_nothing(p, tol);
    take(p, a, residual, near ? STI_VI_PROOF_RESIDUAL : STI_VI_PROOF_NONE);
    if (!near) return STI_OK;
    for (int pass = 0; pass < 2; pass++) {  // to bounds; to few digits, as solutions in books have
        snap(p, x, pass == 0 ? 0 : 9);
        residual = residual_at(p);
        if (!(residual <= tol)) {
            memcpy(p->x, a->x, n * sizeof *x);
            residual_at(p);
            continue;
        }
        const bool exact = holds_exactly(p);
        if (exact || pass == 0) take(p, a, residual, exact ? STI_VI_PROOF_EXACT : STI_VI_PROOF_RESIDUAL);
        if (exact) return STI_OK;
    }
    memcpy(p->x, a->x, n * sizeof *x);
    residual_at(p);
    bool proved;
    const sti_status status = prove_existence(p, &proved);
    if (status != STI_OK || !proved) return status;
    a->proof = STI_VI_PROOF_EXISTENCE;
    memcpy(a->interval, p->X, n * sizeof *a->interval);
    return STI_OK;
}

sti_status sti_vi_prove(sti_vi_map* map, const double* x, double tol, sti_vi_answer* a) {
    const size_t n = (size_t)map->n;
    proof p = {.map = map, .vi = map->vi};
    p.x = sti_alloc_array_zero(map->env, 2 * n, sizeof *p.x);
    p.X = sti_alloc_array(map->env, 2 * n, sizeof *p.X);
    sti_status status = STI_OK;
    if (p.x == NULL || p.X == NULL) {
        status = STI_ERR_MEMORY;
    } else {
        p.F = p.x + n;
        p.over = p.X + n;
        status = prove(&p, x, tol, a);
    }
    sti_free(map->env, p.x);
    sti_free(map->env, p.X);
    return status;
}
