// jet.c: formulas evaluated as they are read, by recursive descent, on affine forms with first and second derivatives.
//
// Written apart from src/system, for the same language: + - * / ^, parentheses, numbers, pi, t, parameters,
// definitions, coordinates, their derivatives in time, sqrt, sin, cos, hypot, abs, min, max, powers with whole
// exponents. What else there is (and a kink within the forms) is not known here.
#include "verify/jet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef sti_affine num;

typedef struct reader {
    sti_jet_reader* r;
    const char* p;
    int definitions;  // how many of them may be used here
} reader;

static bool fine(const sti_jet_reader* r) {
    return !r->unable && !r->k->bad && r->arena.status == STI_OK;
}

// ---- forms that may be 0 without being there

static num* keep(sti_jet_reader* r, num x) {
    num* out = sti_arena_take(&r->arena, 1, sizeof *out);
    if (out != NULL) *out = x;
    return out;
}

static const num* product(sti_jet_reader* r, const num* a, const num* b) {
    return a != NULL && b != NULL ? keep(r, sti_affine_mul(r->k, a, b)) : NULL;
}

static const num* plus(sti_jet_reader* r, const num* a, const num* b, int sign) {
    if (b == NULL) return a;
    if (a == NULL) return sign > 0 ? b : keep(r, sti_affine_scale(r->k, b, -1));
    return keep(r, sti_affine_add(r->k, a, b, sign));
}

static int gradient_size(const sti_jet_reader* r) {
    return r->order > 0 ? r->n : 0;
}

static int triangle(const sti_jet_reader* r) {
    return r->order > 1 ? r->n * (r->n + 1) / 2 : 0;
}

static sti_jet* constant(sti_jet_reader* r, num x) {
    sti_jet* j = sti_arena_take(&r->arena, 1, sizeof *j);
    if (j == NULL) return NULL;
    j->v = keep(r, x);
    j->d = sti_arena_take(&r->arena, (size_t)r->n, sizeof *j->d);
    j->h = sti_arena_take(&r->arena, (size_t)(triangle(r) + 1), sizeof *j->h);
    return j->v != NULL && j->d != NULL && j->h != NULL ? j : NULL;
}

static bool varies(const sti_jet_reader* r, const sti_jet* a) {
    for (int i = 0; i < gradient_size(r); i++) {
        if (a->d[i] != NULL) return true;
    }
    return false;
}

// ---- operations; the arguments stay as they are

static sti_jet* sum_of(sti_jet_reader* r, const sti_jet* a, const sti_jet* b, int sign) {
    sti_jet* z = constant(r, sti_affine_add(r->k, a->v, b->v, sign));
    for (int i = 0; z != NULL && i < gradient_size(r); i++) z->d[i] = plus(r, a->d[i], b->d[i], sign);
    for (int i = 0; z != NULL && i < triangle(r); i++) z->h[i] = plus(r, a->h[i], b->h[i], sign);
    return z;
}

static sti_jet* times(sti_jet_reader* r, const sti_jet* a, const sti_jet* b) {
    sti_jet* z = constant(r, sti_affine_mul(r->k, a->v, b->v));
    for (int i = 0; z != NULL && i < gradient_size(r); i++)
        z->d[i] = plus(r, product(r, a->d[i], b->v), product(r, a->v, b->d[i]), 1);
    for (int i = 0, at = 0; z != NULL && r->order > 1 && i < r->n; i++) {
        for (int j = 0; j <= i; j++, at++) {
            const num* x = plus(r, product(r, a->h[at], b->v), product(r, a->v, b->h[at]), 1);
            x = plus(r, x, product(r, a->d[i], b->d[j]), 1);
            z->h[at] = plus(r, x, product(r, a->d[j], b->d[i]), 1);
        }
    }
    return z;
}

// f(a) with f' and f''
static sti_jet* chain(sti_jet_reader* r, const sti_jet* a, num f, num f1, num f2) {
    sti_jet* z = constant(r, f);
    const num *first = keep(r, f1), *second = keep(r, f2);
    for (int i = 0; z != NULL && i < gradient_size(r); i++) z->d[i] = product(r, first, a->d[i]);
    for (int i = 0, at = 0; z != NULL && r->order > 1 && i < r->n; i++) {
        for (int j = 0; j <= i; j++, at++)
            z->h[at] = plus(r, product(r, first, a->h[at]), product(r, second, product(r, a->d[i], a->d[j])), 1);
    }
    return z;
}

static sti_jet* negative(sti_jet_reader* r, const sti_jet* a) {
    const num one = sti_affine_number(-1), none = sti_affine_number(0);
    return chain(r, a, sti_affine_scale(r->k, a->v, -1), one, none);
}

static sti_jet* one_over(sti_jet_reader* r, const sti_jet* a) {
    const num one = sti_affine_number(1), f = sti_affine_div(r->k, &one, a->v);
    const num square = sti_affine_mul(r->k, &f, &f), cube = sti_affine_mul(r->k, &square, &f);
    return chain(r, a, f, sti_affine_scale(r->k, &square, -1), sti_affine_scale(r->k, &cube, 2));
}

static sti_jet* root(sti_jet_reader* r, const sti_jet* a) {
    const num f = sti_affine_sqrt(r->k, a->v), half = sti_affine_number(0.5);
    if (r->k->bad) return NULL;
    const num f1 = sti_affine_div(r->k, &half, &f), over = sti_affine_div(r->k, &f1, a->v);
    return chain(r, a, f, f1, sti_affine_scale(r->k, &over, -0.5));
}

static sti_jet* wave(sti_jet_reader* r, const sti_jet* a, bool sine) {
    num c, s;
    sti_affine_turn(r->k, a->v, &c, &s);
    return sine ? chain(r, a, s, c, sti_affine_scale(r->k, &s, -1))
                : chain(r, a, c, sti_affine_scale(r->k, &s, -1), sti_affine_scale(r->k, &c, -1));
}

// Whole exponents without doubt from -8 to 8.
static sti_jet* power(sti_jet_reader* r, sti_jet* a, const sti_jet* b) {
    const double e = b->v->c;
    if (varies(r, b) || sti_affine_spread(r->k, b->v) > 1e-280 || e != floor(e) || fabs(e) > 8) {
        r->unable = true;
        return NULL;
    }
    sti_jet* z = constant(r, sti_affine_number(1));
    for (int i = 0; z != NULL && i < (int)fabs(e); i++) z = i == 0 ? a : times(r, z, a);
    return z != NULL && e < 0 ? one_over(r, z) : z;
}

// Of two the larger one (sign 1) or the smaller one, where it is known which.
static sti_jet* choose(sti_jet_reader* r, sti_jet* a, sti_jet* b, int sign) {
    const num d = sti_affine_add(r->k, a->v, b->v, -1);
    if (sti_affine_low(r->k, &d) > 0) return sign > 0 ? a : b;
    if (sti_affine_high(r->k, &d) < 0) return sign > 0 ? b : a;
    r->unable = true;
    return NULL;
}

// ---- the text

static sti_jet* sum(reader* k);
static sti_jet* signed_power(reader* k);

static sti_jet* fail(reader* k) {
    k->r->unable = true;
    return NULL;
}

static void skip(reader* k) {
    while (*k->p == ' ' || *k->p == '\t' || *k->p == '\n' || *k->p == '\r') k->p++;
}

static bool take(reader* k, char c) {
    skip(k);
    if (*k->p != c) return false;
    k->p++;
    return true;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_name(const char* p, size_t n, const char* name) {
    return strlen(name) == n && memcmp(p, name, n) == 0;
}

// 15 digits and a power of ten, digits after them as a doubt of one unit of the last: what the text stands for, and so
// the double nearest to it, is in the form.
static sti_jet* number(reader* k) {
    double digits = 0;
    int count = 0, power_of_ten = 0;
    bool point = false, cut = false;
    for (; is_digit(*k->p) || (*k->p == '.' && !point); k->p++) {
        if (*k->p == '.') {
            point = true;
            continue;
        }
        if (count == 15) {
            cut = true;
            if (!point) power_of_ten++;
            continue;
        }
        digits = 10 * digits + (*k->p - '0');
        if (digits > 0) count++;
        if (point) power_of_ten--;
    }
    if ((*k->p == 'e' || *k->p == 'E') &&
        (is_digit(k->p[1]) || ((k->p[1] == '-' || k->p[1] == '+') && is_digit(k->p[2])))) {
        const int sign = k->p[1] == '-' ? -1 : 1;
        int e = 0;
        for (k->p += is_digit(k->p[1]) ? 1 : 2; is_digit(*k->p); k->p++) e = e < 1000 ? 10 * e + (*k->p - '0') : e;
        power_of_ten += sign * e;
    }
    if (abs(power_of_ten) > 300) return fail(k);
    num x = sti_affine_number(digits);
    if (cut) x.r = 1;
    const num ten = sti_affine_number(10);
    for (int i = 0; i < abs(power_of_ten); i++)
        x = power_of_ten > 0 ? sti_affine_mul(k->r->k, &x, &ten) : sti_affine_div(k->r->k, &x, &ten);
    return constant(k->r, x);
}

static sti_jet* call(reader* k, const char* name, size_t n) {
    sti_jet_reader* r = k->r;
    sti_jet *a = sum(k), *b = NULL;
    if (a != NULL && take(k, ',')) {
        b = sum(k);
        if (b == NULL) return NULL;
    }
    if (a == NULL || !take(k, ')')) return a == NULL ? NULL : fail(k);
    if (b == NULL && is_name(name, n, "sqrt")) return root(r, a);
    if (b == NULL && is_name(name, n, "sin")) return wave(r, a, true);
    if (b == NULL && is_name(name, n, "cos")) return wave(r, a, false);
    if (b == NULL && is_name(name, n, "abs")) {
        sti_jet* other = negative(r, a);
        return other != NULL ? choose(r, a, other, 1) : NULL;
    }
    if (b != NULL && is_name(name, n, "min")) return choose(r, a, b, -1);
    if (b != NULL && is_name(name, n, "max")) return choose(r, a, b, 1);
    if (b != NULL && is_name(name, n, "pow")) return power(r, a, b);
    if (b != NULL && is_name(name, n, "hypot")) {
        const sti_jet *x = times(r, a, a), *y = times(r, b, b);
        const sti_jet* square = x != NULL && y != NULL ? sum_of(r, x, y, 1) : NULL;
        return square != NULL ? root(r, square) : NULL;
    }
    return fail(k);
}

static sti_jet* variable(reader* k, int i) {
    sti_jet* z = constant(k->r, k->r->at[i]);
    if (z != NULL && k->r->order > 0) z->d[i] = keep(k->r, sti_affine_number(1));
    return z;
}

static const num* second(const sti_jet* z, int i, int j) {
    const int a = i > j ? i : j, b = i > j ? j : i;
    return z->h[a * (a + 1) / 2 + b];
}

// The derivative in time of what depends on coordinates and t alone: z_q v + z_t. Of its Hessian there is what a
// kinetic energy is asked for: by one velocity and one of the others.
static sti_jet* rate_of(sti_jet_reader* r, const sti_jet* z) {
    const int n = r->text->coordinate_count, t = 2 * n;
    sti_jet* out = constant(r, sti_affine_number(0));
    const num* sum = z->d[t];
    for (int i = 0; i < n; i++) sum = plus(r, sum, product(r, z->d[i], &r->at[n + i]), 1);
    if (out == NULL) return NULL;
    if (sum != NULL) *out->v = *sum;
    for (int i = 0; r->order > 0 && i < n; i++) out->d[n + i] = z->d[i];
    for (int i = 0; r->order > 0 && i <= n; i++) {  // by coordinates and t
        const int by = i < n ? i : t;
        const num* x = second(z, t, by);
        for (int j = 0; j < n; j++) x = plus(r, x, product(r, second(z, j, by), &r->at[n + j]), 1);
        out->d[by] = x;
    }
    for (int i = 0; r->order > 1 && i < n; i++) {
        const int v = n + i;
        for (int j = 0; j < n; j++) out->h[v * (v + 1) / 2 + j] = second(z, i, j);
        out->h[t * (t + 1) / 2 + v] = second(z, i, t);
    }
    return out;
}

static sti_jet* definition(reader* k, int i, bool dotted) {
    sti_jet_reader* r = k->r;
    const int order = r->order;
    reader inner = {.r = r, .p = r->text->definitions[i].formula, .definitions = i};
    if (++r->depth > 100) r->unable = true;
    if (dotted) r->order = order < 1 ? 1 : 2;
    sti_jet* z = fine(r) ? sum(&inner) : NULL;
    skip(&inner);
    if (z != NULL && *inner.p != '\0') r->unable = true;
    r->order = order;
    if (z != NULL && dotted && fine(r)) z = rate_of(r, z);
    r->depth--;
    return fine(r) ? z : NULL;
}

static sti_jet* name(reader* k) {
    const char* at = k->p;
    sti_jet_reader* r = k->r;
    const sti_system_text* text = r->text;
    size_t n = 0;
    while (is_letter(at[n]) || is_digit(at[n])) n++;
    k->p += n;
    const bool dotted = *k->p == '\'';
    if (dotted) k->p++;
    for (int i = 0; i < text->coordinate_count; i++) {
        if (is_name(at, n, text->coordinates[i])) return variable(k, dotted ? text->coordinate_count + i : i);
    }
    for (int i = 0; i < k->definitions; i++) {
        if (is_name(at, n, text->definitions[i].name)) return definition(k, i, dotted);
    }
    if (dotted) return fail(k);
    for (int i = 0; i < text->parameter_count; i++) {
        if (is_name(at, n, text->parameter_names[i])) return constant(r, r->parameters[i]);
    }
    if (n == 1 && *at == 't') return variable(k, 2 * text->coordinate_count);
    if (is_name(at, n, "pi")) {
        num x = sti_affine_number(3.14159265358979311600);
        x.r = 2e-16;
        return constant(r, x);
    }
    return take(k, '(') ? call(k, at, n) : fail(k);
}

static sti_jet* primary(reader* k) {
    skip(k);
    if (is_digit(*k->p) || *k->p == '.') return number(k);
    if (is_letter(*k->p)) return name(k);
    if (!take(k, '(')) return fail(k);
    sti_jet* z = sum(k);
    return z == NULL || take(k, ')') ? z : fail(k);
}

static sti_jet* signed_power(reader* k) {
    sti_jet_reader* r = k->r;
    sti_jet* z = NULL;
    if (++r->depth > 200) r->unable = true;
    if (!fine(r)) {
        z = NULL;
    } else if (take(k, '-')) {
        const sti_jet* a = signed_power(k);
        z = a != NULL ? negative(r, a) : NULL;
    } else if (take(k, '+')) {
        z = signed_power(k);
    } else {
        z = primary(k);
        if (z != NULL && take(k, '^')) {
            const sti_jet* b = signed_power(k);
            z = b != NULL ? power(r, z, b) : NULL;
        }
    }
    r->depth--;
    return z;
}

static sti_jet* products(reader* k) {
    sti_jet* z = signed_power(k);
    while (z != NULL) {
        const bool by = take(k, '*');
        if (!by && !take(k, '/')) break;
        const sti_jet* b = signed_power(k);
        if (b != NULL && !by) b = one_over(k->r, b);
        z = b != NULL ? times(k->r, z, b) : NULL;
    }
    return z;
}

static sti_jet* sum(reader* k) {
    sti_jet* z = products(k);
    while (z != NULL) {
        const bool more = take(k, '+');
        if (!more && !take(k, '-')) break;
        const sti_jet* b = products(k);
        z = b != NULL ? sum_of(k->r, z, b, more ? 1 : -1) : NULL;
    }
    return z;
}

const sti_jet* sti_jet_of(sti_jet_reader* r, const char* formula) {
    reader k = {.r = r, .p = formula, .definitions = r->text->definition_count};
    sti_arena_reset(&r->arena);
    r->depth = 0;
    const sti_jet* z = sum(&k);
    skip(&k);
    if (z != NULL && *k.p != '\0') r->unable = true;
    return fine(r) ? z : NULL;
}
