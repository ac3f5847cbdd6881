// study_regularity.c: SEED COUNT: random sets { h_i(q) >= 0 } of systems by formulas: what sti_gap_regularity_find says
// of them, against points and normals that are looked for here.
//
// Points x of the boundary, corners too, are found by Newton's method within the radius; y are points of the set, on
// its boundary and inside; normals z are random ones of those that the gradients at x span. Wrong is a triple for which
// z'(y - x) > |y - x|^2 / (2 r), or a gap that closes in a ball where none is to. Counted too: how near the sharpest
// triple comes to the bound (1: the constant could not be larger).
#include <math.h>
#include <stdio.h>
#include <stiction/stiction.h>
#include <string.h>

#include "base/rng.h"
#include "support/study.h"

enum { N = 3, GAPS = 3, POINTS = 40, TRIES = 400, ROOM = 200 };

typedef struct shape {
    int n, gaps;
    char text[GAPS][ROOM];
    sti_system_contact_text contact[GAPS];
    sti_system* system;
    sti_instant* instant;
    double q[N];
} shape;

typedef struct point {
    double x[N], g[GAPS][N];
    int active[GAPS], count;
} point;

static double number(sti_rng* rng) {
    return 2 * sti_rng_u01(rng) - 1;
}

// A gap of one of several kinds: a plane, a ball or its outside, a wave, a bowl, a lever.
static void write_gap(shape* s, sti_rng* rng, int i) {
    const double a = number(rng), b = number(rng), c = number(rng), e = 0.3 * number(rng);
    const char* z = s->n == 3 ? "z" : "(x - y)";
    char* out = s->text[i];
    switch (sti_rng_int(rng, 0, 5)) {
        case 0:
            snprintf(out, ROOM, "y + (%.17g)*x + (%.17g)*%s", a, b, z);
            break;
        case 1:
            snprintf(out, ROOM, "(x - (%.17g))^2 + (y - (%.17g))^2 + %s^2 - %.17g", a, b, z, 0.1 + c * c);
            break;
        case 2:
            snprintf(out, ROOM, "%.17g - x^2 - (y + (%.17g))^2 - (%.17g)*%s", 1 + c * c, a, b, z);
            break;
        case 3:
            snprintf(out, ROOM, "y + (%.17g)*sin(x + (%.17g)) - (%.17g)*cos(2*%s)", a, b, e, z);
            break;
        case 4:
            snprintf(out, ROOM, "y - (%.17g)*x^2 + (%.17g)*x*%s", a, b, z);
            break;
        default:
            snprintf(out, ROOM, "hypot(x - 2, y - (%.17g)) - 1 - (%.17g)*cos(%s)", a, e, z);
            break;
    }
    s->contact[i] = (sti_system_contact_text){.gap = out};
}

// The file it would be read from: only such systems keep their formulas.
static bool open_shape(shape* s, sti_env* env, sti_document** file) {
    char json[2000];
    int at = snprintf(json, sizeof json,
                      "{\"kind\": \"system\", \"coordinates\": [\"x\", \"y\"%s], \"kinetic\": \"(x'^2 + y'^2%s)/2\", "
                      "\"contacts\": [",
                      s->n == 3 ? ", \"z\"" : "", s->n == 3 ? " + z'^2" : "");
    for (int i = 0; i < s->gaps; i++)
        at += snprintf(json + at, sizeof json - (size_t)at, "%s{\"gap\": \"%s\"}", i > 0 ? ", " : "", s->text[i]);
    snprintf(json + at, sizeof json - (size_t)at, "]}");
    if (sti_document_parse(env, json, strlen(json), "set", file) != STI_OK) return false;
    s->system = sti_system_of(*file);
    const double zero[N] = {0};
    return sti_system_instant(env, s->system, 0, zero, zero, &s->instant) == STI_OK;
}

static bool at(const shape* s, const double* q, double* h, double g[GAPS][N]) {
    const double zero[N] = {0};
    if (sti_system_instant_update(s->system, 0, q, zero, s->instant) != STI_OK) return false;
    for (int i = 0; i < s->gaps; i++) {
        h[i] = s->instant->contacts[i].gap;
        for (int j = 0; j < s->n; j++) g[i][j] = s->instant->contacts[i].n[j];
    }
    return true;
}

// Newton's steps of least length to h_i = 0 for the gaps of the list; false: not found.
static bool onto(const shape* s, double* q, const int* list, int count) {
    for (int round = 0; round < 50; round++) {
        double h[GAPS], g[GAPS][N], K[GAPS][GAPS + 1] = {{0}}, l[GAPS] = {0}, worst = 0;
        if (!at(s, q, h, g)) return false;
        for (int a = 0; a < count; a++) worst = fmax(worst, fabs(h[list[a]]));
        if (worst < 1e-13) return true;
        for (int a = 0; a < count; a++) {
            for (int b = 0; b < count; b++)
                for (int j = 0; j < s->n; j++) K[a][b] += g[list[a]][j] * g[list[b]][j];
            K[a][count] = -h[list[a]];
        }
        for (int a = 0; a < count; a++) {
            int p = a;
            for (int b = a; b < count; b++) p = fabs(K[b][a]) > fabs(K[p][a]) ? b : p;
            for (int c = 0; c <= count; c++) {
                const double swap = K[a][c];
                K[a][c] = K[p][c];
                K[p][c] = swap;
            }
            if (fabs(K[a][a]) < 1e-12) return false;
            for (int b = 0; b < count; b++) {
                const double f = b == a ? 0 : K[b][a] / K[a][a];
                for (int c = 0; c <= count; c++) K[b][c] -= f * K[a][c];
            }
        }
        for (int a = 0; a < count; a++) l[a] = K[a][count] / K[a][a];
        for (int a = 0; a < count; a++)
            for (int j = 0; j < s->n; j++) q[j] += l[a] * g[list[a]][j];
    }
    return false;
}

static void random_near(const shape* s, sti_rng* rng, double R, double* x) {
    double size = 0;
    for (int j = 0; j < s->n; j++) {
        x[j] = number(rng);
        size = hypot(size, x[j]);
    }
    const double r = R * pow(sti_rng_u01(rng), 1.0 / 3) / fmax(size, 1e-9);
    for (int j = 0; j < s->n; j++) x[j] = s->q[j] + r * x[j];
}

static double far(const shape* s, const double* x, const double* y) {
    double d = 0;
    for (int j = 0; j < s->n; j++) d = hypot(d, x[j] - y[j]);
    return d;
}

// A point of the set within R, on the boundary of `count` of its gaps.
static bool find_point(const shape* s, sti_rng* rng, double R, int count, point* p) {
    int list[GAPS] = {0, 1, 2};
    for (int i = s->gaps - 1; i > 0; i--) {
        const int k = sti_rng_int(rng, 0, i), swap = list[i];
        list[i] = list[k];
        list[k] = swap;
    }
    double h[GAPS];
    random_near(s, rng, R, p->x);
    if (!onto(s, p->x, list, count) || far(s, p->x, s->q) > R || !at(s, p->x, h, p->g)) return false;
    p->count = 0;
    for (int i = 0; i < s->gaps; i++) {
        if (h[i] < -1e-12) return false;
        if (h[i] < 1e-11) p->active[p->count++] = i;
    }
    return true;
}

// The largest z'(y - x) 2 r / |y - x|^2 over random points; r infinite: 0, or INFINITY where it is positive.
static double sharpest(const shape* s, sti_rng* rng, const sti_gap_regularity* r) {
    static point p[POINTS];
    int count = 0;
    double most = 0;
    for (int k = 0; k < TRIES && count < POINTS; k++) {
        const int active = sti_rng_int(rng, 0, s->gaps < s->n ? s->gaps : s->n);
        count += find_point(s, rng, fmin(r->radius, 3), active, &p[count]);
    }
    for (int a = 0; a < count; a++) {
        if (p[a].count > 0 && r->gaps == 0) return INFINITY;
        for (int turn = 0; turn < 3 && p[a].count > 0; turn++) {
            double z[N] = {0}, size = 0;
            for (int i = 0; i < p[a].count; i++) {
                const double l = turn == 0 ? i == 0 : sti_rng_u01(rng);
                for (int j = 0; j < s->n; j++) z[j] -= l * p[a].g[p[a].active[i]][j];
            }
            for (int j = 0; j < s->n; j++) size = hypot(size, z[j]);
            for (int b = 0; b < count && size > 0; b++) {
                double sum = 0;
                const double d = far(s, p[a].x, p[b].x);
                if (d < 1e-4) continue;  // of points nearer to each other rounding is what would be seen
                for (int j = 0; j < s->n; j++) sum += z[j] / size * (p[b].x[j] - p[a].x[j]);
                if (isinf(r->constant))
                    most = sum > 1e-10 ? INFINITY : most;
                else
                    most = fmax(most, 2 * r->constant * sum / (d * d));
            }
        }
    }
    return most;
}

int main(int argc, char** argv) {
    study y;
    const int bad = study_open(&y, argc, argv);
    if (bad != 0) return bad;
    long found = 0, convex = 0;
    double mean = 0, most = 0;
    for (; y.at < y.count; y.at++) {
        sti_document* file = NULL;
        shape s = {.n = sti_rng_int(&y.rng, 2, 3)};
        s.gaps = sti_rng_int(&y.rng, 1, GAPS);
        for (int k = 0; k < s.gaps; k++) write_gap(&s, &y.rng, k);
        if (!open_shape(&s, y.env, &file)) {
            study_judge(&y, sti_env_error(y.env)->text);
            return 1;
        }
        point start;
        bool there = false;
        for (int k = 0; k < 100 && !there; k++)
            there = find_point(&s, &y.rng, 2, sti_rng_int(&y.rng, 1, s.gaps < s.n ? s.gaps : s.n), &start);
        sti_gap_regularity r = {0};
        memcpy(s.q, start.x, sizeof s.q);
        if (there && sti_gap_regularity_find(y.env, s.system, 0, s.q, &r) != STI_OK) return 1;
        if (r.found) {
            const double sharp = sharpest(&s, &y.rng, &r);
            found++;
            convex += isinf(r.constant);
            mean += isfinite(sharp) ? sharp : 0;
            most = fmax(most, sharp);
            char why[60];
            snprintf(why, sizeof why, "%g of the bound", sharp);
            if (!(sharp <= 1 + 1e-6)) study_judge(&y, why);
        }
        sti_gap_regularity_clear(y.env, &r);
        sti_instant_destroy(y.env, s.instant);
        sti_document_destroy(file);
    }
    return study_close(&y, "%ld sets: regular %ld (as convex ones %ld), sharpest %.3f of the bound, mean %.3f", y.count,
                       found, convex, most, found > 0 ? mean / (double)found : 0);
}
