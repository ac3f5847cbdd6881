// run_contacts.c: of a recorded run: what contacts do.
//
// With r = (r_n, r_t) the impulse on a, u the relative velocity that the step moves with, R the largest impulse or
// momentum and U the largest speed of its island in this frame (run_islands.c), the law of Coulomb with a gap that may
// close within the step is
//
//     |r_t| <= mu r_n                                     cone, in parts of R
//     0 <= r_n  _|_  u_n + max(gap, 0) / h >= 0           law: min(r_n / R, that / U)
//     mu r_n |u_t| + u_t'r_t = 0                          law: in parts of R U; it is not below 0 in the cone
//
// Where a material has a section S, f and w are the force on the body that touches it and that body's slip:
//
//     f in mu r_n S                                       cone: the distance from there, in parts of R
//     mu r_n sigma(-w) + w'f = 0                          law: in parts of R U
//
// x of S is the grain of the scene as it lies on the surface, of a body that moves the recorded t1: the places of a
// frame are those after the step. y is the outward normal cross x.
//
// Neither u nor mu are believed. In a step without impacts and with alpha = 1, u is that of the recorded velocities
// after it, of bodies without joints and springs whose momentum says that they paid no speed for mended places (below);
// mu is that of the two materials.
//
// Momentum. A body without joints and springs gets m (v+ - v) = sum of its impulses + m h g in a step without impacts.
// What is too much of energy a step pays with speed: v+ is then s times what follows from the impulses, with
// 0 <= s <= 1. So it does where it mended places, and where springs and joints, which it takes along straight lines,
// have a part in it: for every body of their island; and where contacts added energy, within their tolerance.
#include "verify/run.h"
#include "verify/section.h"

// Does some material have a grain? Then t2 is longer or shorter where friction is.
static bool grained(const sti_run_data* k) {
    const sti_bodies* bodies = k->options->bodies;
    for (int m = 0; bodies != NULL && m < sti_bodies_material_count(bodies); m++) {
        if (sti_bodies_material(bodies, m)->mu_across > 0) return true;
    }
    return false;
}

static void check_basis(sti_run_data* k, long frame, long i) {
    const double* e[3] = {k->w->n + 3 * i, k->w->t1 + 3 * i, k->w->t2 + 3 * i};
    const int axes = k->w->dim;
    double worst = 0;
    for (int a = 0; a < axes; a++) {
        for (int b = 0; b <= a - (a == 2 && grained(k)); b++)
            worst = fmax(worst, fabs(sti_run_dot(e[a], e[b]) - (a == b)));
    }
    sti_run_look(k, STI_RUN_BASIS, worst, k->frames_before + frame, (int)(i - sti_run_first_contact(k, frame)));
}

typedef struct surface {
    const sti_section* section;  // NULL: a disc
    double x[3], y[3];           // its axes
    double sign;                 // of r and u, as force on what touches it and its slip
} surface;

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

// The material that was added first has the say; on b where both sides are of it.
static surface surface_of(const sti_run_data* k, long frame, long i) {
    const sti_bodies* bodies = k->options->bodies;
    const sti_recorded_world* w = k->w;
    surface s = {.sign = 1};
    int best = -1, body = -1;
    if (bodies == NULL || w->dim != 3) return s;
    for (int side = 1; side >= 0; side--) {
        const double number = w->contact_shape[2 * i + side];
        int of = -1, material = -1;
        if (!(number >= 0 && number < sti_bodies_shape_count(bodies))) continue;
        sti_bodies_shape(bodies, (int)number, &of, NULL, &material);
        if (sti_bodies_material(bodies, material)->section == NULL || (best >= 0 && material >= best)) continue;
        best = material;
        body = of;
        s.sign = side == 1 ? 1 : -1;
    }
    if (best < 0) return s;
    const sti_material* m = sti_bodies_material(bodies, best);
    const sti_pose pose = sti_run_pose(k, frame, body);
    const double* n = w->n + 3 * i;
    double R[9], out[3];
    sti_pose_rotation(&pose, R);
    for (int a = 0; a < 3; a++)
        s.x[a] = R[3 * a] * m->grain[0] + R[3 * a + 1] * m->grain[1] + R[3 * a + 2] * m->grain[2];
    const double size = sti_run_norm(s.x), along = sti_run_dot(s.x, n);
    for (int a = 0; a < 3; a++) s.x[a] -= along * n[a];
    const double lies = sti_run_norm(s.x);
    if (!(1000 * lies > size)) return s;  // it stands upright
    for (int a = 0; a < 3; a++) {
        s.x[a] = w->fixed[body] ? s.x[a] / lies : s.sign * w->t1[3 * i + a];
        out[a] = s.sign * n[a];
    }
    cross(out, s.x, s.y);
    s.section = m->section;
    return s;
}

// a t1 + b t2 as the surface sees it
static void on_surface(const sti_run_data* k, const surface* s, long i, const double* v, double out[2]) {
    double t[3];
    for (int a = 0; a < 3; a++) t[a] = s->sign * (v[1] * k->w->t1[3 * i + a] + v[2] * k->w->t2[3 * i + a]);
    out[0] = sti_run_dot(t, s->x);
    out[1] = sti_run_dot(t, s->y);
}

// Distance of r from the cone, and what the law of slip leaves
static double beyond_section(const sti_run_data* k, const surface* s, long i, double* power) {
    const double *r = k->w->r + 3 * i, *u = k->w->u + 3 * i, reach = k->w->mu[i] * fmax(r[0], 0);
    double f[2], w[2];
    on_surface(k, s, i, r, f);
    on_surface(k, s, i, u, w);
    const long double x[2] = {f[0], f[1]}, y[2] = {-w[0], -w[1]};
    long double p[2];
    sti_check_section_nearest(s->section, reach, x, p);
    *power = (double)(reach * sti_check_section_support(s->section, y) - y[0] * x[0] - y[1] * x[1]);
    return hypot((double)(x[0] - p[0]), (double)(x[1] - p[1]));
}

static void check_law(sti_run_data* k, long frame, long i, double h) {
    const sti_run_island* island = sti_run_island_of(k, sti_run_mover(k, i));
    const double *r = k->w->r + 3 * i, *u = k->w->u + 3 * i, mu = k->w->mu[i], U = island->speed, R = island->impulse;
    const bool space = k->w->dim == 3;
    const int number = (int)(i - sti_run_first_contact(k, frame));
    const long at = k->frames_before + frame;
    const double r_t = hypot(r[1], space ? r[2] : 0), u_t = hypot(u[1], space ? u[2] : 0);
    const surface s = surface_of(k, frame, i);
    double power = mu * r[0] * u_t + u[1] * r[1] + (space ? u[2] * r[2] : 0);
    const double beyond = s.section != NULL ? beyond_section(k, &s, i, &power) : r_t - mu * fmax(r[0], 0);
    sti_run_look(k, STI_RUN_CONE, fmax(0, fmax(-r[0], beyond)) / R, at, number);
    if (!(h > 0)) return;
    const double open = u[0] + fmax(k->w->gap[i], 0) / h;
    sti_run_look(k, STI_RUN_LAW, fmax(-open / U, fmin(r[0] / R, open / U)), at, number);
    sti_run_look(k, STI_RUN_LAW, fabs(power) / (R * U), at, number);
}

// ---- what it says of contacts against what bodies do

// out += side (v + w x (p - centre)), of what does not move the velocity of its surface. Places that were mended have
// turned w with them, whose numbers in body axes stayed: it is taken as it was before that.
static void add_velocity(const sti_run_data* k, long frame, int body, const double p[3], double side, double out[3]) {
    const double *v = sti_run_at(k, k->w->v, 3, frame, body), *after = sti_run_at(k, k->w->w, 3, frame, body);
    const sti_pose from = sti_run_pose(k, frame - 1, body), to = sti_run_pose(k, frame, body);
    double c[3] = {from.x[0], from.x[1], from.x[2]}, d[3], own[3], w[3] = {after[0], after[1], after[2]}, R[9], S[9];
    if (!k->w->fixed[body]) {
        sti_run_centre(k, frame - 1, body, c);
        sti_pose_rotation(&from, R);
        sti_pose_rotation(&to, S);
        for (int x = 0; x < 3; x++) own[x] = S[x] * after[0] + S[3 + x] * after[1] + S[6 + x] * after[2];
        for (int x = 0; x < 3; x++) w[x] = sti_run_dot(R + (size_t)3 * (size_t)x, own);
    }
    for (int x = 0; x < 3; x++) d[x] = p[x] - c[x];
    for (int x = 0; x < 3; x++) {
        const int y = (x + 1) % 3, z = (x + 2) % 3;
        out[x] += side * (v[x] + w[y] * d[z] - w[z] * d[y]);
    }
}

static bool has_balance(const sti_run_data* k, long frame) {
    const int64_t step = k->w->frame_step[frame];
    return k->options->bodies != NULL && sti_run_follows(k, frame) && step >= 1 && step <= k->w->step_count &&
           k->w->impacts[step - 1] == 0 && sti_run_step_length(k, frame) > 0;
}

static void add_impulses(sti_run_data* k, long frame) {
    const sti_recorded_world* w = k->w;
    for (int i = 0; i < 3 * w->body_count; i++) k->sum[i] = 0;
    for (int b = 0; b < w->body_count; b++) k->size[b] = 0;
    for (long i = sti_run_first_contact(k, frame); i < w->contact_end[frame]; i++) {
        double* a = k->sum + 3 * (size_t)w->contact_body[2 * i];
        double* b = k->sum + 3 * (size_t)w->contact_body[2 * i + 1];
        const double size = sqrt(sti_run_dot(w->r + 3 * i, w->r + 3 * i));
        k->size[(int)w->contact_body[2 * i]] += size;
        k->size[(int)w->contact_body[2 * i + 1]] += size;
        for (int x = 0; x < 3; x++) {
            const double f = w->r[3 * i] * w->n[3 * i + x] + w->r[3 * i + 1] * w->t1[3 * i + x] +
                             (w->dim == 3 ? w->r[3 * i + 2] * w->t2[3 * i + x] : 0);
            a[x] += f;
            b[x] -= f;
        }
    }
}

static bool mends(const sti_run_data* k, long frame) {
    return k->w->corrected[k->w->frame_step[frame] - 1] > 0;
}

// What follows from the impulses and gravity, and the part of it that v+ is. What neither mended places nor springs and
// joints take is no more energy than the law lets impulses of the island add.
static double due_of(const sti_run_data* k, long frame, int body, double due[3]) {
    const double *v0 = sti_run_at(k, k->w->v, 3, frame - 1, body), *v1 = sti_run_at(k, k->w->v, 3, frame, body);
    const double h = sti_run_step_length(k, frame), m = k->w->mass[body];
    const sti_run_island* island = sti_run_island_of(k, body);
    double g[3];
    sti_bodies_gravity(k->options->bodies, g);
    for (int x = 0; x < 3; x++) due[x] = v0[x] + k->sum[3 * body + x] / m + h * g[x];
    const double square = sti_run_dot(due, due);
    const double part = square > 0 ? fmin(fmax(sti_run_dot(due, v1) / square, 0), 1) : 1;
    const bool small = m * square * (1 - part) <= k->options->tol * island->speed * island->impulse;
    return mends(k, frame) || island->tied || small ? part : 1;
}

// Its centre has to tell, so it moves, or rests in a step that mended nothing.
static bool keeps_speed(const sti_run_data* k, long frame, int body) {
    double due[3];
    if (k->w->fixed[body]) return true;
    if (k->tied[body] || !(k->w->mass[body] > 0)) return false;
    const double part = due_of(k, frame, body, due), speed = sti_run_norm(due) / sti_run_island_of(k, body)->speed;
    return speed > 1e-6 ? part > 1 - 1e-9 : speed <= 1e-9 && !mends(k, frame) && !sti_run_island_of(k, body)->tied;
}

static void check_slip(sti_run_data* k, long frame, long i) {
    const sti_recorded_world* w = k->w;
    const int a = (int)w->contact_body[2 * i], b = (int)w->contact_body[2 * i + 1];
    const double* const rows[3] = {w->n + 3 * i, w->t1 + 3 * i, w->t2 + 3 * i};
    double p[3], u[3] = {0}, off = 0;
    if (!has_balance(k, frame) || k->options->alpha != 1 || !sti_run_acts(k, i)) return;
    if (!keeps_speed(k, frame, a) || !keeps_speed(k, frame, b)) return;
    for (int side = 1; side >= -1; side -= 2) {  // the points of the two surfaces; n is from b to a
        for (int x = 0; x < 3; x++) p[x] = w->point[3 * i + x] + side * 0.5 * w->gap[i] * w->n[3 * i + x];
        add_velocity(k, frame, side > 0 ? a : b, p, side, u);
    }
    for (int x = 0; x < w->dim; x++) off = fmax(off, fabs(sti_run_dot(rows[x], u) - w->u[3 * i + x]));
    sti_run_look(k, STI_RUN_LAW, off / sti_run_island_of(k, sti_run_mover(k, i))->speed, k->frames_before + frame,
                 (int)(i - sti_run_first_contact(k, frame)));
}

static void check_friction(sti_run_data* k, long frame, long i) {
    int material[2];
    double mu, restitution;
    if (k->options->bodies == NULL) return;
    for (int side = 0; side < 2; side++)
        sti_bodies_shape(k->options->bodies, (int)k->w->contact_shape[2 * i + side], NULL, NULL, &material[side]);
    sti_bodies_pair(k->options->bodies, material[0], material[1], &mu, &restitution);
    sti_run_look(k, STI_RUN_CONE, fabs(k->w->mu[i] - mu) / fmax(1, mu), k->frames_before + frame,
                 (int)(i - sti_run_first_contact(k, frame)));
}

static void check_frame(sti_run_data* k, long frame) {
    const double h = sti_run_step_length(k, frame);
    sti_run_find_islands(k, frame, sti_run_length(k));
    if (has_balance(k, frame)) add_impulses(k, frame);
    for (long i = sti_run_first_contact(k, frame); i < k->w->contact_end[frame]; i++) {
        check_basis(k, frame, i);
        check_law(k, frame, i, h);
        check_slip(k, frame, i);
        check_friction(k, frame, i);
    }
}

// ---- momentum

// How far v+ is from what the impulses and gravity make of v, in parts of the speeds and of what each of these gives.
static double unexplained(const sti_run_data* k, long frame, int body) {
    const double *v0 = sti_run_at(k, k->w->v, 3, frame - 1, body), *v1 = sti_run_at(k, k->w->v, 3, frame, body);
    double due[3], d[3], g[3];
    const double part = due_of(k, frame, body, due);
    sti_bodies_gravity(k->options->bodies, g);
    for (int x = 0; x < 3; x++) d[x] = v1[x] - part * due[x];
    const double own = sti_run_norm(v0) + sti_run_norm(v1) + k->size[body] / k->w->mass[body] +
                       sti_run_step_length(k, frame) * sti_run_norm(g);
    return sti_run_norm(d) / (own > 0 ? own : 1);
}

static void check_momentum(sti_run_data* k, long frame) {
    if (!has_balance(k, frame)) return;
    for (int b = 0; b < k->w->body_count; b++) {
        if (k->w->fixed[b] || k->tied[b] || !(k->w->mass[b] > 0)) continue;
        sti_run_look(k, STI_RUN_MOMENTUM, unexplained(k, frame, b), k->frames_before + frame, b);
    }
}

void sti_run_check_contacts(sti_run_data* k, long frame) {
    check_frame(k, frame);
    check_momentum(k, frame);
}
