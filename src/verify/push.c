// push.c: the check of one step of a push, from the scene and the report alone.
//
// Geometry, damping, wrenches and the laws of S3 (2.4.16) are computed anew; neither the room of manipulation nor a
// solver is asked, but for where tips are and what the scene consists of. Of a step that was made:
//
//     contacts      gap and normal of each are those of its corner, tip or rim and the face that it names
//     balance       E (q+ - q) = sum of the wrenches times h
//     laws          no closing beyond the gap, no pull, no force at an open contact, Coulomb's friction
//     overlap       at the end nothing overlaps more than the report says
//
// Of one that was not: the certificate excludes every solution of the problem as posed here, and the combination of
// wrenches is what it claims to be.
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stiction/manipulation.h>
#include <stiction/problem.h>
#include <string.h>

#include "base/env.h"

typedef struct look {
    sti_env* env;
    const sti_manipulation* m;
    const sti_push_report* r;
    const double *q, *after;
    double t, h, tol;
    double length;  // of the scene: farthest point of a part from its origin
    int n;
    double *E, *sum, *u;  // (n x n), (n), (n)
    sti_push_verification* out;
} look;

static bool refuse(const look* k, const char* format, ...) __attribute__((format(printf, 2, 3)));

static bool refuse(const look* k, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(k->out->text, sizeof k->out->text, format, arguments);
    va_end(arguments);
    return false;
}

// Within the tolerance of a scale; the worst is kept.
static bool small(const look* k, double x, double scale) {
    const double part = scale > 0 ? fabs(x) / scale : fabs(x);
    if (!(part <= k->out->worst)) k->out->worst = part;
    return part <= k->tol;
}

// ---- geometry

static void place(const double* pose, const double* p, double* out) {
    const double c = cos(pose[2]), s = sin(pose[2]), x = p[0], y = p[1];
    out[0] = pose[0] + c * x - s * y;
    out[1] = pose[1] + s * x + c * y;
}

typedef struct side {
    sti_outline o;
    double pose[3];
} side;

static void side_of_part(const look* k, const double* q, int i, side* out) {
    out->o = sti_manipulation_part_outline(k->m, i);
    memcpy(out->pose, q + 3 * (size_t)i, sizeof out->pose);
}

static bool other_side(const look* k, const double* q, double t, const sti_push_contact* c, side* out) {
    double v[2];
    *out = (side){0};
    if (c->other < 0) return false;
    if (c->against == STI_PUSH_TIP && c->other < sti_manipulation_tip_count(k->m)) {
        sti_manipulation_tip(k->m, c->other, t, out->pose, v);
        out->o.radius = sti_manipulation_tip_radius(k->m, c->other);
    } else if (c->against == STI_PUSH_FIXTURE && c->other < sti_manipulation_fixture_count(k->m)) {
        out->o = sti_manipulation_fixture_outline(k->m, c->other);
        sti_manipulation_fixture_pose(k->m, c->other, out->pose);
    } else if (c->against == STI_PUSH_PART && c->other < sti_manipulation_part_count(k->m) && c->other != c->part) {
        side_of_part(k, q, c->other, out);
    } else {
        return false;
    }
    return true;
}

static void vertex(const side* s, int i, double* out) {
    place(s->pose, s->o.vertices + 2 * (size_t)(i % s->o.vertex_count), out);
}

// The gap of a point with a radius to what it faces, and the normal towards the point.
static bool measure(const side* on, int face, const double* p, double radius, double* gap, double* n) {
    double a[2], b[2];
    if (on->o.vertex_count == 0 || face >= on->o.vertex_count) {
        if (on->o.vertex_count == 0)
            memcpy(a, on->pose, sizeof a);
        else if (face < 2 * on->o.vertex_count)
            vertex(on, face - on->o.vertex_count, a);
        else
            return false;
        const double d = hypot(p[0] - a[0], p[1] - a[1]);
        if (!(d > 0)) return false;
        n[0] = (p[0] - a[0]) / d;
        n[1] = (p[1] - a[1]) / d;
        *gap = d - on->o.radius - radius;
        return true;
    }
    if (face < 0) return false;
    vertex(on, face, a);
    vertex(on, face + 1, b);
    const double length = hypot(b[0] - a[0], b[1] - a[1]);
    n[0] = (b[1] - a[1]) / length;
    n[1] = -(b[0] - a[0]) / length;
    *gap = n[0] * (p[0] - a[0]) + n[1] * (p[1] - a[1]) - radius;
    return true;
}

static bool check_geometry(const look* k, int i) {
    const sti_push_contact* c = &k->r->contacts[i];
    side part, other;
    double p[2], gap, n[2];
    if (c->part < 0 || c->part >= sti_manipulation_part_count(k->m) || !other_side(k, k->q, k->t, c, &other))
        return refuse(k, "contact %d: between things that are not there", i);
    side_of_part(k, k->q, c->part, &part);
    const side *from = c->own ? &part : &other, *on = c->own ? &other : &part;
    if (from->o.vertex_count > 0 && (c->corner < 0 || c->corner >= from->o.vertex_count))
        return refuse(k, "contact %d: corner %d is not there", i, c->corner);
    if (from->o.vertex_count > 0)
        vertex(from, c->corner, p);
    else
        memcpy(p, from->pose, sizeof p);
    if (!measure(on, c->face, p, from->o.radius, &gap, n))
        return refuse(k, "contact %d: face %d is not there", i, c->face);
    const double sign = c->own ? 1 : -1;
    bool good = small(k, gap - c->gap, k->length);
    for (int j = 0; j < 2; j++) {
        good = small(k, sign * n[j] - c->n[j], 1) && good;
        good = small(k, p[j] - from->o.radius * n[j] - c->point[j], k->length) && good;
    }
    return good ? true
                : refuse(k, "contact %d: gap %.9g, normal (%.9g, %.9g): they are %.9g, (%.9g, %.9g)", i, c->gap,
                         c->n[0], c->n[1], gap, sign * n[0], sign * n[1]);
}

// ---- damping

static void damping(const look* k, int part, double* E) {
    double p[3];
    const double theta = k->q[3 * part + 2], c = cos(theta), s = sin(theta);
    if (!sti_manipulation_support_point(k->m, part, 0, p)) {
        double B[9], T[9] = {c, -s, 0, s, c, 0, 0, 0, 1}, TB[9] = {0};
        sti_manipulation_damping(k->m, part, 0, B);
        if (sti_manipulation_support_fixed(k->m, part)) {
            memcpy(E, B, sizeof B);
            return;
        }
        for (int i = 0; i < 27; i++) TB[i / 3] += T[3 * (i / 9) + i % 3] * B[3 * (i % 3) + i / 3 % 3];
        for (int i = 0; i < 9; i++) E[i] = 0;
        for (int i = 0; i < 27; i++) E[i / 3] += TB[3 * (i / 9) + i % 3] * T[3 * (i / 3 % 3) + i % 3];
        return;
    }
    for (int i = 0; i < 9; i++) E[i] = 0;
    for (int i = 0; sti_manipulation_support_point(k->m, part, i, p); i++) {
        const double x = c * p[0] - s * p[1], y = s * p[0] + c * p[1], J[6] = {1, 0, -y, 0, 1, x};
        for (int j = 0; j < 9; j++) E[j] += p[2] * (J[j / 3] * J[j % 3] + J[3 + j / 3] * J[3 + j % 3]);
    }
}

static void fill_damping(const look* k) {
    for (int i = 0; i < k->n / 3; i++) {
        double E[9];
        damping(k, i, E);
        for (int j = 0; j < 9; j++) k->E[(size_t)(3 * i + j / 3) * (size_t)k->n + (size_t)(3 * i + j % 3)] = E[j];
    }
}

// ---- wrenches

// row (n) of a unit force f at the contact, on the part and, opposite, on the other part.
static void wrench(const look* k, const sti_push_contact* c, const double* f, double* row) {
    for (int i = 0; i < k->n; i++) row[i] = 0;
    for (int way = 0; way < (c->against == STI_PUSH_PART ? 2 : 1); way++) {
        const int at = 3 * (way == 0 ? c->part : c->other);
        const double sign = way == 0 ? 1 : -1, x = c->point[0] - k->q[at], y = c->point[1] - k->q[at + 1];
        row[at] = sign * f[0];
        row[at + 1] = sign * f[1];
        row[at + 2] = sign * (x * f[1] - y * f[0]);
    }
}

static void directions(const sti_push_contact* c, double f[2][2]) {
    f[0][0] = c->n[0];
    f[0][1] = c->n[1];
    f[1][0] = -c->n[1];
    f[1][1] = c->n[0];
}

// What the motion of a tip adds to gap and slip in the step.
static void drift(const look* k, const sti_push_contact* c, double out[2]) {
    double p[2], v[2] = {0, 0}, f[2][2];
    directions(c, f);
    if (c->against == STI_PUSH_TIP) sti_manipulation_tip(k->m, c->other, k->t, p, v);
    for (int j = 0; j < 2; j++) out[j] = -k->h * (f[j][0] * v[0] + f[j][1] * v[1]);
}

// ---- a step that was made

static double largest(const double* x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static bool check_law(const look* k, int i, double step, double force) {
    const sti_push_contact* c = &k->r->contacts[i];
    const sti_push_force* f = &k->r->forces[i];
    double at[2][2], move[2], row[2];
    directions(c, at);
    drift(k, c, move);
    for (int j = 0; j < 2; j++) {
        wrench(k, c, at[j], k->sum + k->n);
        row[j] = move[j] + (j == 0 ? c->gap : 0);
        for (int d = 0; d < k->n; d++) row[j] += k->sum[k->n + d] * k->u[d];
    }
    const double slack = c->mu * f->lambda_n - fabs(f->lambda_t);
    if (!small(k, fmin(row[0], 0), step)) return refuse(k, "contact %d: closes by %.3g too far", i, -row[0]);
    if (!small(k, fmin(f->lambda_n, 0), force)) return refuse(k, "contact %d: pulls with %.3g", i, -f->lambda_n);
    if (!small(k, fmin(slack, 0), force)) return refuse(k, "contact %d: friction beyond mu times the force", i);
    if (!small(k, f->lambda_n * row[0], force * step)) return refuse(k, "contact %d: presses and is open", i);
    if (f->lambda_t * row[1] > 0 && !small(k, f->lambda_t * row[1], force * step))
        return refuse(k, "contact %d: friction drives the slip", i);
    if (!small(k, slack * row[1], force * step)) return refuse(k, "contact %d: slides without full friction", i);
    if (!small(k, row[0] - f->opening, step) || !small(k, row[1] - f->slip, step))
        return refuse(k, "contact %d: opening or slip is not as reported", i);
    const bool open = row[0] > 1e-9 * k->length, sticks = fabs(row[1]) < 1e-10 * k->length;
    const sti_push_mode mode = open         ? STI_PUSH_OPEN
                               : sticks     ? STI_PUSH_STICK
                               : row[1] > 0 ? STI_PUSH_SLIDE_LEFT
                                            : STI_PUSH_SLIDE_RIGHT;
    const bool border = fabs(row[0] - 1e-9 * k->length) < 1e-12 * k->length ||
                        fabs(fabs(row[1]) - 1e-10 * k->length) < 1e-13 * k->length;
    return mode == f->mode || border
               ? true
               : refuse(k, "contact %d: mode %s: it is %s", i, sti_push_mode_text(f->mode), sti_push_mode_text(mode));
}

static bool check_balance(const look* k, double* force) {
    for (int i = 0; i < k->n; i++) k->u[i] = k->after[i] - k->q[i], k->sum[i] = 0;
    for (int i = 0; i < k->r->contact_count; i++) {
        const sti_push_force* f = &k->r->forces[i];
        double at[2][2];
        directions(&k->r->contacts[i], at);
        const double load[2] = {at[0][0] * f->lambda_n + at[1][0] * f->lambda_t,
                                at[0][1] * f->lambda_n + at[1][1] * f->lambda_t};
        wrench(k, &k->r->contacts[i], load, k->sum + k->n);
        for (int j = 0; j < k->n; j++) k->sum[j] += k->h * k->sum[k->n + j];
        *force = fmax(*force, fabs(f->lambda_n) + fabs(f->lambda_t));
    }
    double size = k->h * *force, lost = 0;  // what the difference of two poses loses to rounding, as a force
    for (int i = 0; i < k->n; i++) {
        double drag = 0, rounding = 0;
        for (int j = 0; j < k->n; j++) {
            const double E = k->E[(size_t)i * (size_t)k->n + (size_t)j];
            drag += E * k->u[j];
            rounding += 2 * DBL_EPSILON * fabs(E) * fmax(fabs(k->q[j]), fabs(k->after[j]));
        }
        size = fmax(size, fabs(drag));
        lost = fmax(lost, rounding);
        k->sum[i] -= drag;
    }
    const double scale = size * (1 + k->length);
    return small(k, fmax(largest(k->sum, k->n) - lost, 0), scale)
               ? true
               : refuse(k, "forces and damping are out of balance by %.3g of %.3g", largest(k->sum, k->n), size);
}

// How deep a point with a radius is in the outline; below 0: outside.
static double depth(const side* s, const double* p, double radius) {
    double least = INFINITY;
    bool in = false;
    if (s->o.vertex_count == 0) return s->o.radius + radius - hypot(p[0] - s->pose[0], p[1] - s->pose[1]);
    for (int i = 0; i < s->o.vertex_count; i++) {
        double a[2], b[2];
        vertex(s, i, a);
        vertex(s, i + 1, b);
        const double d[2] = {b[0] - a[0], b[1] - a[1]};
        const double f = fmin(fmax((d[0] * (p[0] - a[0]) + d[1] * (p[1] - a[1])) / (d[0] * d[0] + d[1] * d[1]), 0), 1);
        least = fmin(least, hypot(p[0] - a[0] - f * d[0], p[1] - a[1] - f * d[1]));
        if ((a[1] > p[1]) != (b[1] > p[1]) && p[0] < a[0] + (p[1] - a[1]) / d[1] * d[0]) in = !in;
    }
    return (in ? least : -least) + radius;
}

static double overlap(const side* a, const side* b) {
    double worst = -INFINITY, p[2];
    for (int way = 0; way < 2; way++) {
        const side *from = way == 0 ? a : b, *on = way == 0 ? b : a;
        if (from->o.vertex_count == 0) worst = fmax(worst, depth(on, from->pose, from->o.radius));
        if (from->o.vertex_count == 0 && on->o.vertex_count > 0) return worst;
        for (int i = 0; i < from->o.vertex_count && on->o.vertex_count > 0; i++) {
            vertex(from, i, p);
            worst = fmax(worst, depth(on, p, 0));
        }
    }
    return worst;
}

static bool check_overlap(const look* k) {
    const int parts = k->n / 3, tips = sti_manipulation_tip_count(k->m),
              fixtures = sti_manipulation_fixture_count(k->m);
    for (int i = 0; i < parts; i++) {
        side part, other;
        side_of_part(k, k->after, i, &part);
        for (int j = 0; j < tips + fixtures + parts; j++) {
            const sti_push_contact c = {.part = i,
                                        .against = j < tips              ? STI_PUSH_TIP
                                                   : j < tips + fixtures ? STI_PUSH_FIXTURE
                                                                         : STI_PUSH_PART,
                                        .other = j < tips              ? j
                                                 : j < tips + fixtures ? j - tips
                                                                       : j - tips - fixtures};
            if (!other_side(k, k->after, k->t + k->h, &c, &other)) continue;
            const double deep = overlap(&part, &other);
            if (deep > k->r->penetration && !small(k, deep - k->r->penetration, k->length))
                return refuse(k, "at the end part %d overlaps by %.3g, %.3g is reported", i, deep, k->r->penetration);
        }
    }
    return true;
}

static bool check_made(const look* k) {
    double force = 0, step = 0;
    if (!check_balance(k, &force)) return false;
    for (int i = 0; i < k->r->contact_count; i++) {
        double move[2];
        drift(k, &k->r->contacts[i], move);
        step = fmax(step, hypot(move[0], move[1]));
    }
    for (int i = 0; i < k->n; i++) step = fmax(step, fabs(k->u[i]) * (i % 3 == 2 ? k->length : 1));
    for (int i = 0; i < k->r->contact_count; i++) {
        if (!check_law(k, i, fmax(step, 1e-6 * k->length), fmax(force, 1e-300))) return false;
    }
    return check_overlap(k);
}

// ---- a step that was not made

static bool stands(const look* k, const sti_push_contact* c) {
    double p[2], v[2];
    if (c->against == STI_PUSH_PART) return false;
    if (c->against == STI_PUSH_FIXTURE) return true;
    sti_manipulation_tip(k->m, c->other, k->t, p, v);
    return v[0] == 0 && v[1] == 0;
}

static bool check_jam(const look* k) {
    const sti_push_jam* jam = k->r->jam;
    double total = 0, size = 0;
    bool any = false;
    if (jam == NULL || jam->count < 1)
        return refuse(k, "%s without the forces that show it", sti_push_end_text(k->r->end));
    for (int i = 0; i < k->n; i++) k->sum[i] = 0;
    for (int i = 0; i < jam->count; i++) {
        if (jam->contact[i] < 0 || jam->contact[i] >= k->r->contact_count)
            return refuse(k, "contact %d is not there", jam->contact[i]);
        const sti_push_contact* c = &k->r->contacts[jam->contact[i]];
        const double x = jam->normal[i], y = jam->left[i], z = jam->right[i];
        double at[2][2];
        directions(c, at);
        if (!(x >= 0 && y >= 0 && z >= 0) || !small(k, fmax(y + z - c->mu * x, 0), 1))
            return refuse(k, "contact %d: its force is not in the cone of friction", jam->contact[i]);
        const double load[2] = {at[0][0] * x + at[1][0] * (y - z), at[0][1] * x + at[1][1] * (y - z)};
        wrench(k, c, load, k->sum + k->n);
        for (int j = 0; j < k->n; j++) k->sum[j] += k->sum[k->n + j];
        size = fmax(size, largest(k->sum + k->n, k->n));
        total += x;
        any = any || stands(k, c);
    }
    if (!small(k, total - 1, 1)) return refuse(k, "the normal forces add up to %.9g, not to 1", total);
    if (!small(k, largest(k->sum, k->n), size))
        return refuse(k, "the wrenches add up to %.3g, not to zero", largest(k->sum, k->n));
    if (any != (k->r->end == STI_PUSH_STUCK))
        return refuse(k, "%s: %s", sti_push_end_text(k->r->end),
                      any ? "something that stands still takes part" : "only tips that move take part");
    return true;
}

// The problem of the step, posed from the numbers above, and the certificate on it.
static sti_status check_certificate(const look* k, bool* good) {
    const int nc = k->r->contact_count;
    const size_t n = (size_t)k->n, m = 4 * (size_t)nc;
    double* room = sti_alloc_array_zero(
        k->env, sti_size_add(sti_size_mul(n, 2 * m + 1), sti_size_add(sti_size_mul(m, m), m)), sizeof *room);
    if (room == NULL) return STI_ERR_MEMORY;
    double *C = room, *D = C + n * m, *B = D + n * m, *b = B + m * m, *a = b + m;
    for (int i = 0; i < nc; i++) {
        const sti_push_contact* c = &k->r->contacts[i];
        double at[2][2], move[2];
        directions(c, at);
        drift(k, c, move);
        const size_t row[3] = {(size_t)i, (size_t)(nc + 2 * i), (size_t)(nc + 2 * i + 1)}, s = (size_t)(3 * nc + i);
        for (int j = 0; j < 3; j++) {
            wrench(k, c, at[j > 0], k->sum + k->n);
            for (size_t d = 0; d < n; d++) {
                D[row[j] * n + d] = (j == 2 ? -1 : 1) * k->sum[n + d];
                C[d * m + row[j]] = -D[row[j] * n + d];
            }
            b[row[j]] = j == 0 ? c->gap + move[0] : j == 1 ? move[1] : -move[1];
            B[s * m + row[j]] = j == 0 ? c->mu : -1;
            if (j > 0) B[row[j] * m + s] = 1;
        }
    }
    const sti_mlcp mlcp = {.n = k->n,
                           .m = (int)m,
                           .A = sti_matrix_dense_view(k->n, k->n, k->E),
                           .C = sti_matrix_dense_view(k->n, (int)m, C),
                           .D = sti_matrix_dense_view((int)m, k->n, D),
                           .B = sti_matrix_dense_view((int)m, (int)m, B),
                           .a = a,
                           .b = b};
    // numbers posed here differ in their last bits from those of the step: what counts is how far any solution would
    // have to be
    sti_lcp_answer answer = {.outcome = STI_NO_SOLUTION, .mixed = true, .free_count = k->n, .n = (int)m};
    answer.certificate = *k->r->certificate;
    answer.certificate.exact = false;
    answer.certificate.bound = 0;
    sti_verification v;
    const sti_status status = sti_verify_mlcp(k->env, &mlcp, &answer, 1e-8, &v);
    if (status == STI_OK) *good = v.accepted ? true : refuse(k, "no solution: %.200s", v.text);
    sti_free(k->env, room);
    return status;
}

static sti_status judge(look* k) {
    bool good = true;
    for (int i = 0; good && i < k->r->contact_count; i++) good = check_geometry(k, i);
    fill_damping(k);
    sti_status status = STI_OK;
    if (good && k->r->end == STI_PUSH_MOVED) {
        good = check_made(k);
    } else if (good && (k->r->end == STI_PUSH_STUCK || k->r->end == STI_PUSH_DAMAGE)) {
        good = k->r->certificate != NULL ? check_jam(k)
                                         : refuse(k, "%s without a certificate", sti_push_end_text(k->r->end));
        if (good) status = check_certificate(k, &good);
    } else if (good) {
        good = refuse(k, "the report claims nothing");
    }
    k->out->accepted = good;
    if (good)
        snprintf(k->out->text, sizeof k->out->text, "%s: holds, worst deviation %.1e", sti_push_end_text(k->r->end),
                 k->out->worst);
    return status;
}

sti_status sti_verify_push(sti_env* env, const sti_manipulation* m, double t, double h, const double* q,
                           const double* q_after, const sti_push_report* report, double tol,
                           sti_push_verification* out) {
    const int parts = sti_manipulation_part_count(m);
    const size_t n = 3 * (size_t)parts;
    *out = (sti_push_verification){0};
    double* room = sti_alloc_array_zero(env, sti_size_mul(n, n + 3), sizeof *room);
    if (room == NULL) return STI_ERR_MEMORY;
    look k = {
        .env = env, .m = m, .r = report, .q = q, .after = q_after, .t = t, .h = h, .tol = tol, .n = (int)n, .out = out};
    k.E = room;
    k.sum = room + n * n;
    k.u = k.sum + 2 * n;
    for (int i = 0; i < parts; i++) {
        const sti_outline o = sti_manipulation_part_outline(m, i);
        k.length = fmax(k.length, o.radius);
        for (int j = 0; j < o.vertex_count; j++)
            k.length = fmax(k.length, hypot(o.vertices[2 * j], o.vertices[2 * j + 1]));
    }
    const sti_status status = judge(&k);
    sti_free(env, room);
    return status;
}
