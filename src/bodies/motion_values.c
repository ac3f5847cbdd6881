// motion_values.c: bodies as functions of coordinates: mass, forces, rows and rates (as_system.c has the equations).
#include "bodies/as_system.h"
#include "linalg/vec3.h"

enum { NODES = 4 };
#define FAR_TURN 3.0  // radians

static int tangents_of(const sti_world_motion* m, const sti_gap* g) {
    return g->mu > 0 ? m->world->dim - 1 : 0;
}

// ---- where bodies are

// (1 / |e|^2, e) of a body in space.
static double square_of(const double* e) {
    return e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
}

// w = A e', in body axes
void sti_motion_spin(const double* e, const double* rate, double w[3]) {
    const double back[4] = {e[0], -e[1], -e[2], -e[3]};
    double product[4];
    quaternion_product(back, rate, product);
    for (int k = 0; k < 3; k++) w[k] = 2 * product[k + 1] / square_of(e);
}

// out += s A'j
static void turn_covector(const double* e, const double* j, double s, double* out) {
    double across[3];
    const double scale = 2 * s / square_of(e);
    cross3(e + 1, j, across);
    out[0] -= scale * dot3(e + 1, j);
    for (int k = 0; k < 3; k++) out[k + 1] += scale * (e[0] * j[k] + across[k]);
}

bool sti_motion_place(const sti_world_motion* m, sti_placed* to, const double* q) {
    sti_pose pose = sti_pose_identity();
    for (int k = 0; k < m->per_body; k++) {
        if (!isfinite(q[k])) return false;
    }
    memcpy(to->x, q, (size_t)m->world->dim * sizeof *q);
    if (m->world->dim == 2) {
        to->q[0] = cos(0.5 * q[2]);
        to->q[1] = to->q[2] = 0;
        to->q[3] = sin(0.5 * q[2]);
    } else {
        const double length = sqrt(square_of(q + 3));
        if (!(length > 1e-3 && length < 1e3)) return false;
        for (int k = 0; k < 4; k++) to->q[k] = q[3 + k] / length;
    }
    memcpy(pose.q, to->q, sizeof pose.q);
    sti_pose_rotation(&pose, to->R);
    return true;
}

double sti_motion_angle(const sti_world_motion* m, int body, const double* q) {
    return sti_body_moves(m->world, body) ? q[3 * m->world->slot[body] + 2] : 0;
}

// Angles without jumps; in space as far as they are told.
static bool count_turns(const sti_world_motion* m, const double* q) {
    const sti_world* world = m->world;
    for (int j = 0; j < world->bodies->joint_count; j++) {
        const sti_joint* joint = &world->bodies->joint[j];
        for (int k = 0; k < sti_joint_axis_count(world->dim, joint->kind); k++) {
            double* turned = &m->world->turned[2 * j + k];
            if (world->dim == 2)
                *turned = m->turn_from[2 * j + k] + sti_motion_angle(m, joint->b, q) - sti_motion_angle(m, joint->a, q);
            else if (m->turn_from[2 * j + k] != 0 &&
                     !(fabs(sti_joint_coordinate(world, j, k, NULL) - *turned) < FAR_TURN))
                return false;
        }
    }
    return true;
}

// The world at (q + s v, v).
static bool put(const sti_world_motion* m, const double* q, const double* v, double s) {
    sti_world* world = m->world;
    for (int i = 0; i < m->n; i++) m->there[i] = s == 0 ? q[i] : q[i] + s * v[i];
    for (int body = 0; body < world->bodies->count; body++) {
        const int slot = world->slot[body];
        if (slot < 0) continue;
        const double *at = m->there + m->per_body * slot, *rate = v + m->per_body * slot;
        double* to = world->v + world->nv * slot;
        if (!sti_motion_place(m, &world->placed[body], at)) return false;
        memcpy(to, rate, 3 * sizeof *to);
        if (world->dim == 3) sti_motion_spin(at + 3, rate + 3, to + 3);
    }
    return count_turns(m, m->there);
}

// ---- rows

static void add_covector(const sti_world_motion* m, const sti_row* row, double s, const double* q, double* out) {
    for (int side = 0; side < sti_row_sides(row); side++) {
        const double* j;
        const int body = sti_row_side(row, side, &j);
        if (body < 0) continue;
        const int first = m->per_body * m->world->slot[body];
        for (int k = 0; k < 3; k++) out[first + k] += s * j[k];
        if (m->world->dim == 3) turn_covector(q + first + 3, j + 3, s, out + first + 3);
    }
}

static void look_at_gap(const sti_world_motion* m, const sti_gap* g, sti_motion_line* to) {
    const sti_world* world = m->world;
    const int a = world->bodies->collider[g->a].body, b = world->bodies->collider[g->b].body;
    sti_gap_seen seen;
    sti_gap_look(world, g, &seen);
    const double* const axis[3] = {seen.n, seen.t1, seen.t2};
    double surface_a[3], surface_b[3];
    sti_world_surface(world, a, seen.at_a, surface_a);
    sti_world_surface(world, b, seen.at_b, surface_b);
    for (int k = 0; k <= tangents_of(m, g); k++) {
        sti_row_point(world, a, b, seen.at_a, seen.at_b, axis[k], &to[k].row);
        to[k].gap = seen.gap;
        to[k].offset = k == 0 ? 0 : dot3(axis[k], surface_a) - dot3(axis[k], surface_b);
    }
}

static void look_at_limit(const sti_world_motion* m, int limit, sti_motion_line* to) {
    const int at = limit / 2;
    const sti_joint_axis* axis = &m->world->axis[at];
    const double c = sti_joint_coordinate(m->world, at / 2, at % 2, &to->row);
    to->offset = 0;
    to->gap = limit % 2 == 0 ? c - axis->lower : axis->upper - c;
    for (int k = 0; limit % 2 == 1 && k < 6; k++) {
        to->row.ja[k] = -to->row.ja[k];
        to->row.jb[k] = -to->row.jb[k];
    }
}

// All lines at the present place. nearby: gaps that are far at the place of the lines are left out.
static void look(const sti_world_motion* m, bool nearby) {
    const sti_world* world = m->world;
    const sti_motion_line* known = m->line;
    sti_motion_line* next = nearby ? m->nearby : m->line;
    for (int i = 0; i < m->gap_count; i++) {
        const int lines = 1 + tangents_of(m, &m->gap[i]);
        const bool far = nearby && !(known->gap <= 0.05 * m->length);
        for (int k = 0; far && k < lines; k++) next[k] = (sti_motion_line){.row = {.a = -1, .b = -1}};
        if (!far) look_at_gap(m, &m->gap[i], next);
        next += lines;
        known += lines;
    }
    for (int i = 0; i < m->limit_count; i++) look_at_limit(m, m->limit[i], next++);
    for (int i = 0; i < m->pressed_count; i++, next += 2) {
        const int at = m->pressed[i].at;
        next[0] = (sti_motion_line){.row = {.a = -1, .b = -1}};
        next[1] = (sti_motion_line){.offset = m->pressed[i].motor ? -world->axis[at].motor_speed : 0};
        sti_joint_coordinate(world, at / 2, at % 2, &next[1].row);
    }
    for (int j = 0; j < world->bodies->joint_count; j++) {
        sti_row rows[6];
        double defect[6];
        const int count = sti_joint_rows(world, j, rows, defect);
        for (int k = 0; k < count; k++) *next++ = (sti_motion_line){.row = rows[k], .gap = defect[k]};
    }
}

// ---- values

static void set_masses(const sti_world_motion* m, const double* q, const double* v, sti_system_values* out) {
    const sti_world* world = m->world;
    const size_t n = (size_t)m->n;
    for (int body = 0; body < world->bodies->count; body++) {
        const int slot = world->slot[body];
        if (slot < 0) continue;
        const sti_body_mass* mass = &world->bodies->mass[body];
        const size_t first = (size_t)(m->per_body * slot), dim = (size_t)world->dim;
        for (size_t k = 0; k < dim; k++) out->M[(first + k) * n + first + k] = mass->mass;
        if (dim == 2) {
            out->M[(first + 2) * n + first + 2] = mass->inertia[8];
            continue;
        }
        const double *e = q + first + 3, *rate = v + first + 3, *w = world->v + 6 * slot + 3, square = square_of(e);
        const double along = e[0] * rate[0] + dot3(e + 1, rate + 1), c = m->stiffness[slot] / square;
        double columns[4][3], L[3], gyro[3];
        for (int k = 0; k < 4; k++) {
            const double unit[4] = {k == 0, k == 1, k == 2, k == 3};
            double spin[3];
            sti_motion_spin(e, unit, spin);
            mul3(mass->inertia, spin, columns[k]);
        }
        for (size_t k = 0; k < 4; k++) {
            double row[4] = {0, 0, 0, 0};
            turn_covector(e, columns[k], 1, row);
            for (size_t i = 0; i < 4; i++) out->M[(first + 3 + i) * n + first + 3 + k] = row[i] + c * e[i] * e[k];
        }
        for (size_t k = 0; k < 4; k++) {  // symmetric to the last bit
            for (size_t i = 0; i < k; i++)
                out->M[(first + 3 + k) * n + first + 3 + i] = out->M[(first + 3 + i) * n + first + 3 + k];
        }
        mul3(mass->inertia, w, L);
        cross3(w, L, gyro);
        axpy3(-2 * along / square, L, gyro);
        turn_covector(e, gyro, 1, out->F + first + 3);
        for (size_t k = 0; k < 4; k++) out->F[first + 3 + k] += c * e[k] * (square_of(rate) - along * along / square);
    }
    for (int i = 0; i < m->pressed_count; i++) {
        const size_t z = n - (size_t)m->pressed_count + (size_t)i;
        out->M[z * n + z] = m->pressed[i].mass;
        out->F[z] = m->pressed[i].bound;
    }
}

// Gravity, springs and pushes, and what springs are in their derivatives.
static void set_forces(const sti_world_motion* m, const double* q, sti_system_values* out) {
    const sti_world* world = m->world;
    const size_t n = (size_t)m->n;
    memset(m->f, 0, (size_t)(world->nv * world->moving) * sizeof *m->f);
    sti_world_gravity(world, m->f);
    const int count = sti_world_soft(world, world->v, m->soft);
    for (int i = 0; i < count; i++) {
        const sti_soft* s = &m->soft[i];
        sti_row_add(world, &s->row, s->force, m->f);
        if (s->stiffness == 0 && s->damping == 0) continue;
        memset(m->covector, 0, n * sizeof *m->covector);
        add_covector(m, &s->row, 1, q, m->covector);
        for (size_t j = 0; j < n; j++) {
            for (size_t k = 0; m->covector[j] != 0 && k < n; k++) {
                out->k_q[j * n + k] -= s->stiffness * m->covector[j] * m->covector[k];
                out->k_v[j * n + k] -= s->damping * m->covector[j] * m->covector[k];
            }
        }
    }
    for (int slot = 0; slot < world->moving; slot++) {
        const int first = m->per_body * slot;
        const double* f = m->f + world->nv * slot;
        for (int k = 0; k < 3; k++) out->k[first + k] = f[k];
        if (world->dim == 3) turn_covector(q + first + 3, f + 3, 1, out->k + first + 3);
    }
    for (int i = 0; i < m->pressed_count; i++) out->k[m->n - m->pressed_count + i] = -m->pressed[i].bound;
    for (int i = 0; i < m->n - m->pressed_count; i++) out->F[i] -= out->k[i];
}

// Contact i has `tangents` of them; *next: its first line, *first: its first tangent.
static void set_contact(const sti_world_motion* m, int i, int tangents, const double* q, int* next, int* first,
                        sti_system_values* out) {
    const size_t n = (size_t)m->n;
    sti_instant_contact* c = &out->contacts[i];
    c->gap = m->line[*next].gap;
    add_covector(m, &m->line[*next].row, 1, q, out->n + (size_t)i * n);
    for (int k = 0; k < tangents; k++) {
        const sti_motion_line* of = &m->line[*next + 1 + k];
        add_covector(m, &of->row, 1, q, out->t + (size_t)(*first + k) * n);
        out->t_offset[*first + k] = of->offset;
    }
    *next += 1 + tangents;
    *first += tangents;
}

int sti_motion_tangents(const sti_world_motion* m, int i) {
    if (i < m->gap_count) return tangents_of(m, &m->gap[i]);
    return i >= m->gap_count + m->limit_count && i < m->contact_count ? 1 : 0;
}

static void set_rows(const sti_world_motion* m, const double* q, const double* v, sti_system_values* out) {
    const size_t n = (size_t)m->n;
    int next = 0, first = 0;
    for (int i = 0; i < m->contact_count + m->joint_count; i++) {
        set_contact(m, i, sti_motion_tangents(m, i), q, &next, &first, out);
        sti_instant_contact* c = &out->contacts[i];
        const int z = i - m->gap_count - m->limit_count;
        if (i < m->gap_count) {
            c->mu = m->gap[i].mu;
            c->restitution = m->gap[i].restitution;
        } else if (z >= 0 && z < m->pressed_count) {
            const size_t at = n - (size_t)m->pressed_count + (size_t)z;
            c->gap = q[at];
            c->mu = 1;
            out->n[(size_t)i * n + at] = 1;
        }
    }
    for (int slot = 0; slot < sti_motion_quaternions(m); slot++) {  // joints |e| - 1
        const size_t i = (size_t)(m->contact_count + m->joint_count + slot), at = (size_t)(7 * slot + 3);
        const double *e = q + at, *rate = v + at, length = sqrt(square_of(e));
        const double along = (e[0] * rate[0] + dot3(e + 1, rate + 1)) / length;
        out->contacts[i].gap = length - 1;
        for (size_t k = 0; k < 4; k++) out->n[i * n + at + k] = e[k] / length;
        out->contacts[i].n_rate = (square_of(rate) - along * along) / length;
    }
}

// How far the fastest point goes in a unit of time; in space the quaternion's way counts as well.
static double speed_of(const sti_world_motion* m, const double* v) {
    const sti_world* world = m->world;
    double most = 0;
    for (int slot = 0; slot < world->moving; slot++) {
        const double *to = world->v + world->nv * slot, *rate = v + m->per_body * slot;
        const double straight = world->dim == 2 ? hypot(to[0], to[1]) : norm3(to);
        const double turning = world->dim == 2 ? fabs(to[2]) : 2 * sqrt(square_of(rate + 3));
        most = fmax(most, straight + turning * m->length);
    }
    return most;
}

// Rates of all lines, unless they are known. Lines left out have none.
static bool look_at_rates(sti_world_motion* m, const double* q, const double* v) {
    static const double at[NODES] = {-2, -1, 1, 2}, weight[NODES] = {1, -8, 8, -1};
    const size_t bytes = (size_t)m->n * sizeof *v;
    const double speed = speed_of(m, v), eps = 1e-3 * m->length / speed;
    if (m->has_rates && memcmp(v, m->seen_v, bytes) == 0) return true;
    memset(m->rate, 0, (size_t)m->line_count * sizeof *m->rate);
    memcpy(m->seen_v, v, bytes);
    m->has_rates = true;
    for (int k = 0; speed > 0 && k < NODES; k++) {
        m->has_rates = m->has_rates && put(m, q, v, at[k] * eps);
        if (!m->has_rates) return false;
        look(m, true);
        for (int i = 0; i < m->line_count; i++) {
            const sti_motion_line* of = &m->nearby[i];
            m->rate[i] += weight[k] * (sti_row_apply(m->world, &of->row, m->world->v) + of->offset) / (12 * eps);
        }
    }
    return put(m, q, v, 0);
}

// A step asks for several things at one place.
static bool look_all(sti_world_motion* m, const double* q, const double* v) {
    const size_t bytes = (size_t)m->n * sizeof *q;
    bool still = true;
    for (int i = 0; i < m->n; i++) still = still && v[i] == 0;
    if (!m->has_lines || memcmp(q, m->seen_q, bytes) != 0) {
        m->has_lines = m->has_rates = false;
        look(m, false);
        memcpy(m->seen_q, q, bytes);
        m->has_lines = true;
    }
    return still || look_at_rates(m, q, v);
}

static void set_rates(const sti_world_motion* m, const double* v, sti_system_values* out) {
    int next = 0, first = 0;
    bool still = true;
    for (int i = 0; i < m->n; i++) still = still && v[i] == 0;
    for (int i = 0; !still && i < m->contact_count + m->joint_count; i++) {
        out->contacts[i].n_rate = m->rate[next++];
        for (int k = 0; k < sti_motion_tangents(m, i); k++) out->t_rate[first++] = m->rate[next++];
    }
}

bool sti_motion_evaluate(void* user, double t, const double* q, const double* v, sti_system_values* out) {
    sti_world_motion* m = user;
    (void)t;
    if (!put(m, q, v, 0) || !look_all(m, q, v)) return false;
    set_masses(m, q, v, out);
    set_forces(m, q, out);
    set_rows(m, q, v, out);
    set_rates(m, v, out);
    out->kinetic = sti_world_kinetic(m->world, m->world->v);
    out->potential = sti_world_potential(m->world, NULL);
    for (int i = 0; i < m->contact_count; i++) {
        if (isnan(out->contacts[i].gap)) return false;
    }
    return true;
}
