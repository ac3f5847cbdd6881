// bed.c: the independent check of a recorded run of grains.
//
// Every frame: energies from masses, places and velocities; impulses of its contacts against their cones; overlaps of
// all pairs and walls, found anew. Where two frames are one step apart: places, normals and gaps against those before,
// momentum and angular momentum of every grain, and whether contacts that press are closed after the step. Distances to
// walls are computed here.
//
// Recirculated grains jump from one place to another: those are told by a way that no velocity explains, and passed
// over. A cone may end in an open rim at its point (the recording does not tell): grains beyond it are passed over.
//
// Cost: O(frames (grains + contacts)).
#include <math.h>
#include <stdlib.h>
#include <stiction/verify.h>
#include <string.h>

#include "base/arena.h"
#include "base/env.h"
#include "verify/check.h"
#include "verify/section.h"

#define STI_X(code, name, text) name,
static const char* const names[] = {STI_BED_CHECK_LIST(STI_X)};
#undef STI_X
#define STI_X(code, name, text) text,
static const char* const texts[] = {STI_BED_CHECK_LIST(STI_X)};
#undef STI_X

const char* sti_bed_check_name(sti_bed_check_kind kind) {
    return (unsigned)kind < STI_BED_CHECK_COUNT ? names[kind] : "?";
}

const char* sti_bed_check_text(sti_bed_check_kind kind) {
    return (unsigned)kind < STI_BED_CHECK_COUNT ? texts[kind] : "?";
}

sti_bed_verify_options sti_bed_verify_options_default(void) {
    return (sti_bed_verify_options){.tol = 1e-6, .step_tol = 1e-4, .facets = 3, .recover = 1};
}

// A grain in its cell of a grid.
typedef struct cell {
    int64_t key[3];
    int grain;
} cell;

typedef struct checker {
    sti_arena memory;
    sti_env* env;
    const sti_recorded_bed* w;
    sti_bed_verify_options options;
    sti_bed_verification* out;
    double *sum, *moment;  // impulses on each grain, and their moments  (count x 3)
    cell* cells;           // sorted                                   (count)
    double radius, gravity, h;
    double impulse, spin, speed, energy;  // largest
} checker;

static void look(checker* k, sti_bed_check_kind kind, double value, long frame, int place) {
    sti_run_check* c = &k->out->check[kind];
    c->looked++;
    if (!(value > c->worst) && !isnan(value)) return;
    c->worst = isnan(value) ? INFINITY : value;
    c->frame = frame;
    c->body = place;
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static const double* at(const checker* k, const double* x, long frame, int grain) {
    return x + 3 * ((size_t)frame * (size_t)k->w->count + (size_t)grain);
}

// Does a frame end the step after that of the frame before?
static bool follows(const checker* k, long frame) {
    return frame > 0 && k->w->frame_step[frame] == k->w->frame_step[frame - 1] + 1;
}

static bool jumps(const checker* k, long frame, int grain) {
    const double *x0 = at(k, k->w->x, frame - 1, grain), *x1 = at(k, k->w->x, frame, grain);
    const double* v = at(k, k->w->v, frame, grain);
    double way = 0;
    for (int i = 0; i < 3; i++) way = fmax(way, fabs(x1[i] - x0[i] - k->h * v[i]));
    return way > 4 * k->radius;
}

// ---- walls, by their own geometry. False: beyond the rim of a cone.
static bool wall_gap(const sti_wall* wall, const double x[3], double radius, double* gap, double n[3]) {
    double d[3], s, across = 0;
    for (int i = 0; i < 3; i++) d[i] = x[i] - wall->point[i];
    s = dot(d, wall->axis);
    if (wall->kind == STI_WALL_PLANE) {
        *gap = s - radius;
        memcpy(n, wall->axis, 3 * sizeof *n);
        return true;
    }
    for (int i = 0; i < 3; i++) {
        n[i] = d[i] - s * wall->axis[i];
        across += n[i] * n[i];
    }
    across = sqrt(across);
    const double slope = wall->kind == STI_WALL_CONE ? wall->slope : 0, size = sqrt(1 + slope * slope);
    *gap = (wall->radius + slope * s - across) / size - radius;
    for (int i = 0; i < 3; i++) n[i] = (slope * wall->axis[i] - (across > 0 ? n[i] / across : 0)) / size;
    return wall->kind != STI_WALL_CONE || s > radius;
}

static double pair_gap(const checker* k, long frame, int a, int b, double n[3]) {
    const double *x = at(k, k->w->x, frame, a), *y = at(k, k->w->x, frame, b);
    double size = 0;
    for (int i = 0; i < 3; i++) size += (x[i] - y[i]) * (x[i] - y[i]);
    size = sqrt(size);
    for (int i = 0; i < 3; i++) n[i] = size > 0 ? (x[i] - y[i]) / size : 0;
    return size - k->w->radius[a] - k->w->radius[b];
}

// ---- overlaps, all pairs

static int compare_cells(const void* a, const void* b) {
    const cell *x = a, *y = b;
    for (int i = 0; i < 3; i++) {
        if (x->key[i] != y->key[i]) return x->key[i] < y->key[i] ? -1 : 1;
    }
    return x->grain < y->grain ? -1 : x->grain > y->grain;
}

// First cell of that key or behind it.
static int find_cell(const checker* k, const int64_t key[3]) {
    const cell wanted = {.key = {key[0], key[1], key[2]}, .grain = -1};
    int low = 0, high = k->w->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (compare_cells(&k->cells[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double deepest_pair(checker* k, long frame, int* grain) {
    const double width = 2 * k->radius;
    double deepest = 0, n[3];
    for (int a = 0; a < k->w->count; a++) {
        const double* x = at(k, k->w->x, frame, a);
        k->cells[a].grain = a;
        for (int i = 0; i < 3; i++) k->cells[a].key[i] = (int64_t)floor(fmax(-1e15, fmin(1e15, x[i] / width)));
    }
    qsort(k->cells, (size_t)k->w->count, sizeof *k->cells, compare_cells);
    for (int m = 0; m < k->w->count; m++) {
        const cell* c = &k->cells[m];
        for (int near = 0; near < 27; near++) {
            const int64_t key[3] = {c->key[0] + near / 9 - 1, c->key[1] + near / 3 % 3 - 1, c->key[2] + near % 3 - 1};
            for (int o = find_cell(k, key); o < k->w->count && memcmp(k->cells[o].key, key, sizeof key) == 0; o++) {
                if (k->cells[o].grain >= c->grain) continue;
                const double gap = pair_gap(k, frame, c->grain, k->cells[o].grain, n);
                if (-gap > deepest) *grain = c->grain;
                deepest = fmax(deepest, -gap);
            }
        }
    }
    return deepest;
}

static double deepest_wall(const checker* k, long frame, int* grain) {
    double deepest = 0, gap, n[3];
    for (int a = 0; a < k->w->count; a++) {
        for (long m = 0; m < k->w->wall_count; m++) {
            if (!wall_gap(&k->w->walls[m], at(k, k->w->x, frame, a), k->w->radius[a], &gap, n)) continue;
            if (-gap > deepest) *grain = a;
            deepest = fmax(deepest, -gap);
        }
    }
    return deepest;
}

// Against the worst of the steps that led here: a run may be deeper than it likes, but it has to say so.
static void check_overlap(checker* k, long frame) {
    const long step = (long)k->w->frame_step[frame];
    int pair = -1, wall = -1;
    if (step < 1) return;
    const double between = deepest_pair(k, frame, &pair), with_walls = deepest_wall(k, frame, &wall);
    const double deepest = fmax(between, with_walls);
    const double told = fmax(k->w->penetration[step - 1], k->w->overlap[step - 1]);
    k->out->overlap = fmax(k->out->overlap, deepest);
    if (k->h > 0) k->out->overlap_constant = fmax(k->out->overlap_constant, deepest / (k->h * k->h));
    look(k, STI_BED_PENETRATION, fmax(0, deepest - told) / k->radius, frame, between >= with_walls ? pair : wall);
}

// ---- a frame by itself

static double friction_of(const checker* k, long c) {
    const int b = (int)k->w->b[c];
    return b < 0 ? k->w->walls[-1 - b].mu : k->w->mu;
}

// The section of a contact whose friction is no disc, and its axes; NULL: a disc.
static const sti_section* section_of(const checker* k, long frame, long c, double t1[3], double t2[3]) {
    const int b = (int)k->w->b[c];
    if (b >= 0 || k->w->friction == NULL || k->w->friction[-1 - b].section.shape == STI_SECTION_DISC) return NULL;
    const sti_wall* wall = &k->w->walls[-1 - b];
    const double *n = k->w->n + 3 * c, *g = k->w->friction[-1 - b].along, *a = wall->axis;
    const double angle = wall->spin * (k->w->frame_time[frame] - k->h), up = dot(a, g);  // as the step began
    double turned[3], part = 0, size = 0;
    for (int i = 0; i < 3; i++) {
        const int y = (i + 1) % 3, z = (i + 2) % 3;
        turned[i] = up * a[i] + cos(angle) * (g[i] - up * a[i]) + sin(angle) * (a[y] * g[z] - a[z] * g[y]);
    }
    const double along_n = dot(turned, n);
    for (int i = 0; i < 3; i++) {
        t1[i] = turned[i] - along_n * n[i];
        part += t1[i] * t1[i];
    }
    if (!(sqrt(part) > 1e-9 * sqrt(dot(g, g)))) {  // across the smallest entry of the normal, as granular.h has it
        int least = 0;
        for (int i = 1; i < 3; i++) least = fabs(n[i]) < fabs(n[least]) ? i : least;
        for (int i = 0; i < 3; i++) t1[i] = (i == least) - n[least] * n[i];
    }
    size = sqrt(dot(t1, t1));
    for (int i = 0; i < 3; i++) t1[i] /= size;
    for (int i = 0; i < 3; i++) t2[i] = n[(i + 1) % 3] * t1[(i + 2) % 3] - n[(i + 2) % 3] * t1[(i + 1) % 3];
    return &k->w->friction[-1 - b].section;
}

// |x - y|^2 with y of normal part max(0, x_n) and tangential part in mu y_n S, the nearest there.
static double section_defect(const checker* k, long c, const sti_section* s, const double t1[3], const double t2[3],
                             const double x[3], const double r[3]) {
    const double *n = k->w->n + 3 * c, y_n = fmax(0, dot(n, x));
    const long double z[2] = {dot(t1, x), dot(t2, x)};
    long double p[2];
    double sum = 0;
    sti_check_section_nearest(s, (long double)friction_of(k, c) * y_n, z, p);
    for (int i = 0; i < 3; i++) {
        const double y = y_n * n[i] + (double)p[0] * t1[i] + (double)p[1] * t2[i];
        sum += (r[i] - y) * (r[i] - y);
    }
    return sum;
}

static void check_cone(checker* k, long frame, long c, int number) {
    double t1[3], t2[3];
    const sti_section* section = section_of(k, frame, c, t1, t2);
    if (section != NULL) {
        const double* own = k->w->r + 3 * c;
        look(k, STI_BED_CONE, sqrt(section_defect(k, c, section, t1, t2, own, own)) / k->impulse, frame, number);
        return;
    }
    const double *n = k->w->n + 3 * c, *r = k->w->r + 3 * c, r_n = dot(n, r);
    double t = 0;
    for (int i = 0; i < 3; i++) t += (r[i] - r_n * n[i]) * (r[i] - r_n * n[i]);
    look(k, STI_BED_CONE, fmax(fmax(0, -r_n), sqrt(t) - friction_of(k, c) * r_n) / k->impulse, frame, number);
}

static void check_energies(checker* k, long frame) {
    const long step = (long)k->w->frame_step[frame];
    double kinetic = 0, potential = 0;
    if (step < 1) return;
    for (int a = 0; a < k->w->count; a++) {
        const double m = k->w->mass[a], R = k->w->radius[a], *v = at(k, k->w->v, frame, a),
                     *w = at(k, k->w->w, frame, a);
        kinetic += 0.5 * m * dot(v, v) + 0.2 * m * R * R * dot(w, w);
        potential -= m * dot(k->w->gravity, at(k, k->w->x, frame, a));
    }
    const double off = fabs(kinetic - k->w->kinetic[step - 1]) + fabs(potential - k->w->potential[step - 1]);
    look(k, STI_BED_KINETIC, off / sti_check_scale(fmax(kinetic, fabs(potential))), frame, -1);
}

// ---- a frame and the one a step before

static void check_motion(checker* k, long frame, int a) {
    const double *x0 = at(k, k->w->x, frame - 1, a), *x1 = at(k, k->w->x, frame, a), *v = at(k, k->w->v, frame, a);
    double off = 0;
    for (int i = 0; i < 3; i++) off = fmax(off, fabs(x1[i] - x0[i] - k->h * v[i]));
    look(k, STI_BED_MOTION, off / k->radius, frame, a);
}

static void check_balance(checker* k, long frame, int a) {
    const double m = k->w->mass[a], I = 0.4 * m * k->w->radius[a] * k->w->radius[a];
    const double *v0 = at(k, k->w->v, frame - 1, a), *v1 = at(k, k->w->v, frame, a);
    const double *w0 = at(k, k->w->w, frame - 1, a), *w1 = at(k, k->w->w, frame, a);
    double off = 0, turn = 0;
    for (int i = 0; i < 3; i++) {
        off = fmax(off, fabs(m * (v1[i] - v0[i] - k->h * k->w->gravity[i]) - k->sum[3 * a + i]));
        turn = fmax(turn, fabs(I * (w1[i] - w0[i]) - k->moment[3 * a + i]));
    }
    look(k, STI_BED_MOMENTUM, off / k->impulse, frame, a);
    look(k, STI_BED_SPIN, turn / (k->impulse * k->radius), frame, a);
}

static void add_impulse(checker* k, int grain, const double n[3], const double r[3], double side) {
    const double R = -side * k->w->radius[grain];  // the contact lies against the normal of the first grain
    double* sum = k->sum + 3 * (size_t)grain;
    double* moment = k->moment + 3 * (size_t)grain;
    for (int i = 0; i < 3; i++) sum[i] += side * r[i];
    for (int i = 0; i < 3; i++) {
        const int y = (i + 1) % 3, z = (i + 2) % 3;
        moment[i] += side * R * (n[y] * r[z] - n[z] * r[y]);
    }
}

// Normal and gap at the places before.
static void check_normal(checker* k, long frame, long c, int number) {
    const int a = (int)k->w->a[c], b = (int)k->w->b[c];
    const double* n = k->w->n + 3 * c;
    double own[3], gap, off = 0;
    bool known = true;
    if (b >= 0)
        gap = pair_gap(k, frame - 1, a, b, own);
    else
        known = wall_gap(&k->w->walls[-1 - b], at(k, k->w->x, frame - 1, a), k->w->radius[a], &gap, own);
    for (int i = 0; known && i < 3; i++) off = fmax(off, fabs(own[i] - n[i]));
    if (known) look(k, STI_BED_NORMAL, fmax(off, fabs(gap - k->w->gap[c]) / k->radius), frame, number);
}

// out += side (v + w x arm)
static void add_velocity(const double v[3], const double w[3], const double arm[3], double side, double out[3]) {
    for (int i = 0; i < 3; i++) {
        const int y = (i + 1) % 3, z = (i + 2) % 3;
        out[i] += side * (v[i] + w[y] * arm[z] - w[z] * arm[y]);
    }
}

// Of the surfaces at the contact after the step, those of a turning wall too.
static void relative_velocity(const checker* k, long frame, long c, double u[3]) {
    const int a = (int)k->w->a[c], b = (int)k->w->b[c];
    const double *n = k->w->n + 3 * c, still[3] = {0};
    double arm[3], spin[3];
    u[0] = u[1] = u[2] = 0;
    for (int i = 0; i < 3; i++) arm[i] = -k->w->radius[a] * n[i];
    add_velocity(at(k, k->w->v, frame, a), at(k, k->w->w, frame, a), arm, 1, u);
    if (b >= 0) {
        for (int i = 0; i < 3; i++) arm[i] = k->w->radius[b] * n[i];
        add_velocity(at(k, k->w->v, frame, b), at(k, k->w->w, frame, b), arm, -1, u);
        return;
    }
    const sti_wall* wall = &k->w->walls[-1 - b];
    const double* x = at(k, k->w->x, frame - 1, a);
    for (int i = 0; i < 3; i++) {
        arm[i] = x[i] - k->w->radius[a] * n[i] - wall->point[i];
        spin[i] = wall->spin * wall->axis[i];
    }
    add_velocity(still, spin, arm, -1, u);
}

// |r - P(r - m (u + mu |u_t| n))|^2 with P the projection on the friction cone, u_n with the gap at the end of the
// step, and m 2/7 of the mass that the two have against each other: the inverse of the largest velocity that a unit
// impulse gives to spheres. Where friction is no disc the normal part comes first, and the tangential one is the
// nearest point of mu r_n S: both are r where the law holds.
static double law_defect(const checker* k, long frame, long c) {
    const int a = (int)k->w->a[c], b = (int)k->w->b[c];
    const double *n = k->w->n + 3 * c, *r = k->w->r + 3 * c, gap = k->w->gap[c], mu = friction_of(k, c);
    const double m = 2.0 / 7 / (1 / k->w->mass[a] + (b >= 0 ? 1 / k->w->mass[b] : 0));
    double u[3], z[3], slip = 0, across = 0, sum = 0;
    relative_velocity(k, frame, c, u);
    const double u_n = dot(n, u);
    for (int i = 0; i < 3; i++) slip += (u[i] - u_n * n[i]) * (u[i] - u_n * n[i]);
    double t1[3], t2[3];
    const sti_section* section = section_of(k, frame, c, t1, t2);
    double shift = (gap < 0 ? k->options.recover : 1) * gap / k->h;
    if (k->options.law == STI_LAW_COULOMB && section == NULL) shift += mu * sqrt(slip);
    for (int i = 0; i < 3; i++) z[i] = r[i] - m * (u[i] + shift * n[i]);
    if (section != NULL) return section_defect(k, c, section, t1, t2, z, r);
    const double z_n = dot(n, z);
    for (int i = 0; i < 3; i++) across += (z[i] - z_n * n[i]) * (z[i] - z_n * n[i]);
    across = sqrt(across);
    double p_n = z_n, part = 1;
    if (across > mu * z_n) {
        p_n = fmax(0, (z_n + mu * across) / (1 + mu * mu));
        part = across > 0 ? mu * p_n / across : 0;
    }
    for (int i = 0; i < 3; i++) {
        const double p = p_n * n[i] + part * (z[i] - z_n * n[i]);
        sum += (r[i] - p) * (r[i] - p);
    }
    return sum;
}

// Facets: directions d_s at equal angles from a tangent across the smallest entry of the normal, which points from the
// later grain to the other and into walls.
static void first_tangent(const checker* k, long c, double t1[3], double t2[3]) {
    const int a = (int)k->w->a[c], b = (int)k->w->b[c];
    const double side = b >= 0 && a < b ? 1 : -1, *own = k->w->n + 3 * c;
    const double n[3] = {side * own[0], side * own[1], side * own[2]};
    int least = 0;
    for (int i = 1; i < 3; i++) least = fabs(n[i]) < fabs(n[least]) ? i : least;
    double size = 0;
    for (int i = 0; i < 3; i++) {
        t1[i] = (i == least) - n[least] * n[i];
        size += t1[i] * t1[i];
    }
    for (int i = 0; i < 3; i++) t1[i] /= sqrt(size);
    for (int i = 0; i < 3; i++) t2[i] = n[(i + 1) % 3] * t1[(i + 2) % 3] - n[(i + 2) % 3] * t1[(i + 1) % 3];
    for (int i = 0; i < 3; i++) {  // d_s act on the impulse on a
        t1[i] *= side;
        t2[i] *= side;
    }
}

// r in the cone of the facets, w_s = u_n + mu d_s'u >= 0, and r'u = 0 (the sum of all lambda_s w_s, whatever lambda
// is): what each misses, as an impulse.
static double facets_defect(const checker* k, long frame, long c) {
    const int a = (int)k->w->a[c], b = (int)k->w->b[c], p = k->options.facets;
    const double *n = k->w->n + 3 * c, *r = k->w->r + 3 * c, gap = k->w->gap[c], mu = friction_of(k, c);
    const double m = 2.0 / 7 / (1 / k->w->mass[a] + (b >= 0 ? 1 / k->w->mass[b] : 0));
    double u[3], t1[3], t2[3];
    relative_velocity(k, frame, c, u);
    first_tangent(k, c, t1, t2);
    const double r_n = dot(n, r), x = dot(t1, r), y = dot(t2, r);
    for (int i = 0; i < 3; i++) u[i] += (gap < 0 ? k->options.recover : 1) * gap / k->h * n[i];
    double outside = fmax(0, -r_n), closing = 0;
    for (int s = 1; s <= p; s++) {
        const double pi = M_PI, at = 2 * pi * s / p, edge = at + pi / p, reach = mu * cos(pi / p);
        const double w = dot(n, u) + mu * (cos(at) * dot(t1, u) + sin(at) * dot(t2, u));
        outside = fmax(outside, (cos(edge) * x + sin(edge) * y - reach * r_n) / sqrt(1 + reach * reach));
        closing = fmax(closing, -w / (1 + mu * mu));
    }
    const double size = sqrt(dot(r, r)) / m + sqrt(dot(u, u)), work = size > 0 ? fabs(dot(r, u)) / size : 0;
    return outside * outside + m * m * closing * closing + work * work;
}

// In parts of all impulses of the frame, or of what gravity gives to one grain.
static void check_law(checker* k, long frame, long first, long last) {
    double off = 0, size = 0, worst = -1;
    int place = -1;
    for (long c = first; c < last; c++) {
        const int a = (int)k->w->a[c], b = (int)k->w->b[c];
        if (jumps(k, frame, a) || (b >= 0 && jumps(k, frame, b))) continue;
        const bool facets = k->options.law == STI_LAW_FACETS;
        const double defect = facets ? facets_defect(k, frame, c) : law_defect(k, frame, c);
        off += defect;
        size += dot(k->w->r + 3 * c, k->w->r + 3 * c);
        if (defect > worst) place = (int)(c - first);
        worst = fmax(worst, defect);
    }
    if (last > first) look(k, STI_BED_LAW, sqrt(off) / fmax(sqrt(size), k->impulse), frame, place);
}

static void check_step(checker* k, long frame, long first, long last) {
    const size_t size = 3 * (size_t)k->w->count * sizeof(double);
    memset(k->sum, 0, size);
    memset(k->moment, 0, size);
    for (long c = first; c < last; c++) {
        const int a = (int)k->w->a[c], b = (int)k->w->b[c];
        add_impulse(k, a, k->w->n + 3 * c, k->w->r + 3 * c, 1);
        if (b >= 0) add_impulse(k, b, k->w->n + 3 * c, k->w->r + 3 * c, -1);
        if (!jumps(k, frame, a) && (b < 0 || !jumps(k, frame, b))) check_normal(k, frame, c, (int)(c - first));
    }
    check_law(k, frame, first, last);
    for (int a = 0; a < k->w->count; a++) {
        if (jumps(k, frame, a)) continue;
        check_motion(k, frame, a);
        check_balance(k, frame, a);
    }
}

// ---- the whole

// Of the frame: the largest impulse, or what gravity gives to the heaviest grain in a step; the largest speed.
static void find_scales(checker* k, long frame, long first, long last) {
    double mass = 0;
    k->impulse = k->speed = 0;
    for (int a = 0; a < k->w->count; a++) {
        mass = fmax(mass, k->w->mass[a]);
        k->speed = fmax(k->speed, sqrt(dot(at(k, k->w->v, frame, a), at(k, k->w->v, frame, a))));
    }
    for (long c = first; c < last; c++) k->impulse = fmax(k->impulse, fabs(dot(k->w->n + 3 * c, k->w->r + 3 * c)));
    k->impulse = sti_check_scale(fmax(k->impulse, mass * (k->gravity * k->h + k->speed)));
}

static void check_frame(checker* k, long frame) {
    const sti_recorded_bed* w = k->w;
    const long first = frame > 0 ? (long)w->contact_end[frame - 1] : 0, last = (long)w->contact_end[frame];
    if (frame > 0) {
        const double steps = w->frame_step[frame] - w->frame_step[frame - 1];
        look(k, STI_BED_ORDER, steps > 0 && w->frame_time[frame] > w->frame_time[frame - 1] ? 0 : 1, frame, -1);
        if (steps > 0) k->h = (w->frame_time[frame] - w->frame_time[frame - 1]) / steps;
    }
    find_scales(k, frame, first, last);
    check_energies(k, frame);
    check_overlap(k, frame);
    for (long c = first; c < last; c++) check_cone(k, frame, c, (int)(c - first));
    if (follows(k, frame) && k->h > 0) check_step(k, frame, first, last);
}

static void check_steps(checker* k) {
    const sti_recorded_bed* w = k->w;
    for (long step = 0; step < w->step_count; step++) {
        look(k, STI_BED_SOLVED, w->solved[step] != 0 ? 0 : 1, step + 1, -1);
        if (step > 0) look(k, STI_BED_ORDER, w->time[step] > w->time[step - 1] ? 0 : 1, step + 1, -1);
    }
}

static void conclude(checker* k) {
    k->out->accepted = true;
    for (int i = 0; i < STI_BED_CHECK_COUNT; i++) {
        sti_run_check* c = &k->out->check[i];
        c->limit = i == STI_BED_SOLVED || i == STI_BED_ORDER ? 0 : k->options.tol;
        if (i == STI_BED_LAW) c->limit = fmax(k->options.tol, 2 * k->options.step_tol);
        c->holds = c->worst <= c->limit;
        k->out->accepted = k->out->accepted && c->holds;
    }
}

static sti_status check_friction(sti_env* env, const sti_recorded_bed* bed, long wall) {
    const sti_wall_friction* f = &bed->friction[wall];
    const double size = dot(f->along, f->along);
    if (f->section.shape == STI_SECTION_DISC) return STI_OK;
    if (!(size > 0) || !isfinite(size))
        return STI_FAIL(env, STI_ERR_ARGUMENT, wall, "walls/along: row %ld: a direction is expected", wall);
    return sti_check_section(env, &f->section, (int)wall);
}

sti_status sti_verify_recorded_bed(sti_env* env, const sti_recorded_bed* bed, const sti_bed_verify_options* options,
                                   sti_bed_verification* out) {
    checker k = {.env = env, .w = bed, .out = out};
    const size_t count = (size_t)bed->count;
    k.options = options != NULL ? *options : sti_bed_verify_options_default();
    memset(out, 0, sizeof *out);
    for (int i = 0; i < STI_BED_CHECK_COUNT; i++) out->check[i] = (sti_run_check){.frame = -1, .body = -1};
    if (!(k.options.tol > 0 && k.options.step_tol > 0))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "tol %g, step_tol %g: positive numbers expected", k.options.tol,
                        k.options.step_tol);
    if (k.options.law == STI_LAW_FACETS && k.options.facets < 3)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "facets: %d: 3 or more are expected", k.options.facets);
    for (long m = 0; bed->friction != NULL && m < bed->wall_count; m++) {
        const sti_status good = check_friction(env, bed, m);
        if (good != STI_OK) return good;
    }
    k.memory = sti_arena_make(env);
    k.sum = sti_arena_take(&k.memory, sti_size_mul(3, count) + 1, sizeof *k.sum);
    k.moment = sti_arena_take(&k.memory, sti_size_mul(3, count) + 1, sizeof *k.moment);
    k.cells = sti_arena_take(&k.memory, count + 1, sizeof *k.cells);
    sti_status status = STI_OK;
    if (k.memory.status != STI_OK) status = STI_ERR_MEMORY;
    k.gravity = sqrt(dot(bed->gravity, bed->gravity));
    for (size_t a = 0; a < count; a++) k.radius = fmax(k.radius, bed->radius[a]);
    if (status == STI_OK) check_steps(&k);
    for (long frame = 0; status == STI_OK && frame < bed->frame_count; frame++) check_frame(&k, frame);
    if (status == STI_OK) conclude(&k);
    sti_arena_clear(&k.memory);
    return status;
}
