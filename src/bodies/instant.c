// instant.c: a world here and now as an instant: what the theory of contact looks at.
//
//     M a + F = sum n lambda_n + t' lambda_t,       F = gyroscopic forces - applied forces
//
// on the velocities of all bodies that move. Contacts with gap <= tol are closed, and so are limits of joints that are
// reached; then come joints, row by row, as bilateral contacts.
//
// Motors and the dry friction of joints act on a coordinate c of a joint with a force of at most `bound`.
//
//     c' is not the motor's speed      the motor pushes with all it has, towards its speed: a known force, in F
//     c' = speed                       any force up to the bound, and c'' = 0 as long as that suffices
//     friction                         the same with speed 0
//
// The second case is a contact that is pressed, as in contact_rows.c: a velocity z of its own, with a mass m, which F
// drives against its contact with the force `bound`. m z' + bound = lambda_n, z' >= 0, so lambda_n >= bound, and
// lambda_n = bound while the contact lasts; mu = 1 and the tangent is c. m is what the coordinate feels.
//
// Friction mu |reaction| is that of S0's bilateral contact, whose normal force is one number. A joint whose reaction
// has several components has its rows turned so that the first is along the reaction which a step from here would find,
// and mu times that component is the bound. It is never more than mu |reaction|: what sticks with it sticks.
//
// Rates (d/dt n)'v, (d/dt t) v. At rest they are 0, exactly. In motion they are central differences of the rows along
// the motion, v held, over a way of 1e-5 of the smallest shape: an error of about 1e-10 of v^2 / size. The contact is
// followed by the features that touch, wherever they go on the bodies: a ball that rolls keeps touching with its lowest
// point. Its tangents are carried along without turning about n. Where the features change at this very instant the
// difference is taken to the side on which they stay; a contact that is gone on both sides has no rates, and that is an
// error.
#include <stdio.h>

#include "base/arena.h"
#include "bodies/bodies.h"
#include "bodies/motion.h"
#include "linalg/vec3.h"

// Everything of the instant before it is copied to where it belongs.
typedef struct draft {
    sti_arena memory;
    sti_env* env;
    const sti_world* world;
    sti_world now, ahead, behind;  // copies with contacts of their own
    bool moving;                   // some v is not 0
    double eps;                    // time from `behind` to now, and to `ahead`
    double margin;                 // within which `ahead` and `behind` look for contacts
    double fastest;                // largest |v_k|
    double* reaction;              // force of each joint on its b in a step from here; NULL: not needed   (joints x 3)
    int pressed;                   // bounded forces: velocities of their own, after those of bodies
    int n, count, tangents;
    int tangents_used;
    int names_used;
    char** names;  // velocities, then contacts        (n + count)
    double *M, *F, *v;
    double *rows, *t_rows, *t_rate, *t_offset;  // (count x n), (tangents x n), (tangents), (tangents)
    sti_instant_contact* contact;               // (count)
} draft;

// ---- worlds a little before and a little after

static sti_status scratch_open(const draft* d, double t, int points, double margin, sti_world* s) {
    const sti_world* world = d->world;
    *s = *world;
    s->env = d->env;
    s->options.points = points;
    s->detect = NULL;
    s->contact = NULL;
    s->contact_count = s->contact_capacity = 0;
    s->placed = sti_alloc_array(d->env, (size_t)world->bodies->count, sizeof *s->placed);
    if (s->placed == NULL) return STI_ERR_MEMORY;
    for (int body = 0; body < world->bodies->count; body++) {
        s->placed[body] = world->placed[body];
        if (world->slot[body] < 0 || t == 0) continue;
        double move[6];
        for (int k = 0; k < world->nv; k++)
            move[k] = t * world->v[(size_t)world->nv * (size_t)world->slot[body] + (size_t)k];
        sti_placed_move(world->dim, move, &s->placed[body]);
    }
    const sti_status status = sti_world_detect_create(s);
    return status == STI_OK ? sti_world_detect_within(s, margin) : status;
}

static void scratch_close(sti_world* s) {
    if (s->env == NULL) return;
    sti_world_detect_destroy(s);
    sti_free(s->env, s->contact);
    sti_free(s->env, s->placed);
}

// eps: the fastest point of a body goes 1e-5 of the smallest shape that moves.
static void choose_step(draft* d) {
    const sti_world* world = d->world;
    double speed = 0, length = (double)INFINITY;
    for (int i = 0; i < world->bodies->collider_count; i++) {
        const sti_collider* c = &world->bodies->collider[i];
        if (world->slot[c->body] >= 0) length = fmin(length, sti_shape_reach(c->shape));
    }
    if (!isfinite(length)) length = world->size > 0 ? world->size : 1;
    for (int slot = 0; slot < world->moving; slot++) {
        const double* v = world->v + (size_t)world->nv * (size_t)slot;
        const double straight = world->dim == 2 ? hypot(v[0], v[1]) : norm3(v);
        const double turning = world->dim == 2 ? fabs(v[2]) : norm3(v + 3);
        speed = fmax(speed, straight + turning * length);
    }
    for (int k = 0; k < world->moving * world->nv; k++) d->fastest = fmax(d->fastest, fabs(world->v[k]));
    d->moving = speed > 0;
    d->eps = d->moving ? 1e-5 * length / speed : 0;
    d->margin = 1e-3 * length;
}

// ---- rates

static const sti_touching* same_contact(const sti_world* world, const sti_world_contact* like) {
    for (int i = 0; i < world->contact_count; i++) {
        const sti_world_contact* at = &world->contact[i].at;
        if (at->shape_a != like->shape_a || at->shape_b != like->shape_b || at->id != like->id) continue;
        double turned[3];
        sub3(at->n, like->n, turned);
        return norm3(turned) < 0.01 ? &world->contact[i] : NULL;  // a jump: another face took over
    }
    return NULL;
}

// u = row v + offset of a contact of another world, on the tangents of `like` laid on its normal.
static void velocity_there(const sti_world* world, const sti_touching* there, const sti_world_contact* like,
                           double u[3]) {
    const sti_world_contact* at = &there->at;
    double axis[3][3], pa[3], pb[3], sa[3], sb[3];
    memcpy(axis[0], at->n, sizeof axis[0]);
    memcpy(axis[1], like->t1, sizeof axis[1]);
    axpy3(-dot3(like->t1, at->n), at->n, axis[1]);
    const double length = norm3(axis[1]);
    for (int k = 0; k < 3; k++) axis[1][k] /= length;
    cross3(axis[0], axis[1], axis[2]);
    double across = norm3(like->t2);  // a grain stretches it, a section may turn it round
    if (like->section_of > 0) across = dot3(axis[2], like->t2) < 0 ? -1 : 1;
    for (int k = 0; k < 3 && world->dim == 3 && fabs(across - 1) > 1e-12; k++) axis[2][k] *= across;
    memcpy(pa, at->point, sizeof pa);
    memcpy(pb, at->point, sizeof pb);
    axpy3(0.5 * at->gap, at->n, pa);
    axpy3(-0.5 * at->gap, at->n, pb);
    sti_world_surface(world, at->a, pa, sa);
    sti_world_surface(world, at->b, pb, sb);
    for (int k = 0; k < world->dim; k++) {
        sti_row row;
        sti_row_point(world, at->a, at->b, pa, pb, axis[k], &row);
        u[k] = sti_row_apply(world, &row, world->v) + dot3(axis[k], sa) - dot3(axis[k], sb);
    }
}

static sti_status contact_rates(const draft* d, const sti_touching* c, double rate[3]) {
    for (int k = 0; k < 3; k++) rate[k] = 0;
    if (!d->moving) return STI_OK;
    const sti_touching *p = same_contact(&d->ahead, &c->at), *m = same_contact(&d->behind, &c->at);
    if (p == NULL && m == NULL)
        return STI_FAIL(d->env, STI_ERR_INPUT, c->at.a,
                        "contact of \"%s\" and \"%s\" at (%g, %g, %g): what touches changes at this instant, so its "
                        "acceleration has no value",
                        d->world->bodies->body[c->at.a].name, d->world->bodies->body[c->at.b].name, c->at.point[0],
                        c->at.point[1], c->at.point[2]);
    double up[3] = {0}, um[3] = {0};
    velocity_there(p != NULL ? &d->ahead : &d->now, p != NULL ? p : c, &c->at, up);
    velocity_there(m != NULL ? &d->behind : &d->now, m != NULL ? m : c, &c->at, um);
    const double time = d->eps * ((p != NULL) + (m != NULL));
    for (int k = 0; k < d->world->dim; k++) rate[k] = (up[k] - um[k]) / time;
    return STI_OK;
}

// ---- names

static sti_status set_name(draft* d, const char* first, const char* middle, const char* last, int number) {
    const size_t room = strlen(first) + strlen(middle) + strlen(last) + 16;
    char* text = sti_alloc(d->env, room);
    if (text == NULL) return STI_ERR_MEMORY;
    if (number > 1) {
        snprintf(text, room, "%s%s%s %d", first, middle, last, number);
    } else {
        snprintf(text, room, "%s%s%s", first, middle, last);
    }
    d->names[d->names_used++] = text;
    return STI_OK;
}

static sti_status name_velocities(draft* d) {
    static const char* const space[6] = {"vx", "vy", "vz", "wx", "wy", "wz"};
    static const char* const plane[3] = {"vx", "vy", "wz"};
    const sti_world* world = d->world;
    sti_status status = STI_OK;
    for (int body = 0; body < world->bodies->count; body++) {
        for (int k = 0; status == STI_OK && world->slot[body] >= 0 && k < world->nv; k++)
            status = set_name(d, world->bodies->body[body].name, ".", world->dim == 2 ? plane[k] : space[k], 1);
    }
    return status;
}

// ---- what acts

static void set_mass(draft* d) {
    const sti_world* world = d->world;
    const size_t n = (size_t)d->n;
    for (int body = 0; body < world->bodies->count; body++) {
        if (world->slot[body] < 0) continue;
        const sti_body_mass* mass = &world->bodies->mass[body];
        const size_t first = (size_t)world->nv * (size_t)world->slot[body], dim = (size_t)world->dim;
        for (size_t k = 0; k < dim; k++) d->M[(first + k) * n + first + k] = mass->mass;
        if (dim == 2) {
            d->M[(first + 2) * n + first + 2] = mass->inertia[8];
            continue;
        }
        for (size_t i = 0; i < 3; i++) {
            for (size_t k = 0; k < 3; k++) d->M[(first + 3 + i) * n + first + 3 + k] = mass->inertia[3 * i + k];
        }
        const double* w = world->v + first + 3;
        double L[3];
        mul3(mass->inertia, w, L);
        cross3(w, L, d->F + first + 3);
    }
}

// Does the coordinate move with this speed, up to what steps leave?
static bool keeps(const draft* d, const sti_row* row, double speed) {
    return fabs(sti_row_apply(d->world, row, d->world->v) - speed) <= 1e-7 * fmax(d->fastest, fabs(speed));
}

// Does a bounded force of this axis hold that speed? A step asks for it at its middle, and at its end it is off by its
// order: where the last step's force was inside its bound, that is no other speed. which: 2 friction, 3 motor.
static bool holds(const draft* d, int at, int which, const sti_row* row, double speed, double bound) {
    const sti_world* world = d->world;
    if (keeps(d, row, speed)) return true;
    if (world->step == 0) return false;
    const double h = world->options.h, turn = h * d->fastest;
    if (!(fabs(world->solve->axis_r[4 * at + which]) < (1 - 1e-6) * h * bound)) return false;
    return fabs(sti_row_apply(world, row, world->v) - speed) <= turn * turn * fmax(d->fastest, fabs(speed));
}

static bool moves_something(const sti_row* row) {
    return row->a >= 0 || row->b >= 0;
}

// Motors that have not reached their speed, friction of joints that move.
static void add_known_forces(const draft* d, double* f) {
    const sti_world* world = d->world;
    for (int at = 0; at < 2 * world->bodies->joint_count; at++) {
        const sti_joint_axis* axis = &world->axis[at];
        sti_row row;
        if (at % 2 >= sti_joint_axis_count(world->dim, world->bodies->joint[at / 2].kind)) continue;
        sti_joint_coordinate(world, at / 2, at % 2, &row);
        if (!moves_something(&row)) continue;
        const double rate = sti_row_apply(world, &row, world->v);
        if (axis->motor_force > 0 && !holds(d, at, 3, &row, axis->motor_speed, axis->motor_force))
            sti_row_add(world, &row, copysign(axis->motor_force, axis->motor_speed - rate), f);
        if (axis->friction > 0 && !holds(d, at, 2, &row, 0, axis->friction))
            sti_row_add(world, &row, -copysign(axis->friction, rate), f);
    }
}

static sti_status set_forces(draft* d) {
    const sti_world* world = d->world;
    const size_t n = (size_t)d->n;
    double* f = sti_alloc_array_zero(d->env, n, sizeof *f);
    sti_soft* soft = sti_alloc_array(d->env, (size_t)sti_world_soft_count(world), sizeof *soft);
    sti_status status = STI_OK;
    if (f == NULL || soft == NULL) {
        status = STI_ERR_MEMORY;
    } else {
        const int count = sti_world_soft(world, world->v, soft);
        for (int i = 0; i < count; i++) sti_row_add(world, &soft[i].row, soft[i].force, f);
        sti_world_gravity(world, f);
        add_known_forces(d, f);
        for (size_t k = 0; k < n; k++) d->F[k] -= f[k];
    }
    sti_free(d->env, f);
    sti_free(d->env, soft);
    return status;
}

// ---- contacts, limits, joints

static bool touches(const sti_touching* c, double tol) {
    return c->at.gap <= tol;
}

// Is the limit of this side reached? row: in the direction that opens it.
static bool limit_reached(const sti_world* world, int joint, int k, int side, double tol, sti_row* row) {
    const sti_joint_axis* axis = &world->axis[2 * (size_t)joint + (size_t)k];
    const double c = sti_joint_coordinate(world, joint, k, row);
    if (!moves_something(row)) return false;
    if (side == 0) return c - axis->lower <= tol;
    for (int m = 0; m < 6; m++) {
        row->ja[m] = -row->ja[m];
        row->jb[m] = -row->jb[m];
    }
    return axis->upper - c <= tol;
}

// Forces of this axis that are bounded and not known: bound[0] of its friction, bound[1] of its motor; 0: none.
static void bounded_forces(const draft* d, int at, sti_row* row, double bound[2]) {
    const sti_world* world = d->world;
    const sti_joint_axis* axis = &world->axis[at];
    bound[0] = bound[1] = 0;
    if (at % 2 >= sti_joint_axis_count(world->dim, world->bodies->joint[at / 2].kind)) return;
    sti_joint_coordinate(world, at / 2, at % 2, row);
    if (!moves_something(row)) return;
    if (axis->friction > 0 && holds(d, at, 2, row, 0, axis->friction)) bound[0] = axis->friction;
    if (axis->motor_force > 0 && holds(d, at, 3, row, axis->motor_speed, axis->motor_force))
        bound[1] = axis->motor_force;
}

// The axis whose friction is mu times the reaction, -1: none. At most one of a joint has such friction here.
static int rough_axis(const sti_world* world, int joint) {
    for (int k = 0; k < sti_joint_axis_count(world->dim, world->bodies->joint[joint].kind); k++) {
        sti_row row;
        if (!(world->axis[2 * joint + k].mu > 0)) continue;
        sti_joint_coordinate(world, joint, k, &row);
        if (moves_something(&row)) return k;
    }
    return -1;
}

// Components of the reaction force: the first rows of a joint that has axes.
static int force_rows(const sti_world* world, int joint) {
    const sti_joint_kind kind = world->bodies->joint[joint].kind;
    return kind == STI_JOINT_REVOLUTE ? world->dim : kind == STI_JOINT_PRISMATIC ? world->dim - 1 : 2;
}

static void count_all(draft* d, double tol) {
    const sti_world* world = d->world;
    for (int i = 0; i < d->now.contact_count; i++) d->count += touches(&d->now.contact[i], tol);
    d->tangents = d->count * (world->dim - 1);
    for (int j = 0; j < world->bodies->joint_count; j++) {
        sti_row rows[6];
        double defect[6], bound[2];
        const int axes = sti_joint_axis_count(world->dim, world->bodies->joint[j].kind);
        for (int k = 0; k < 2 * axes; k++) d->count += limit_reached(world, j, k / 2, k % 2, tol, rows);
        d->count += sti_joint_rows(world, j, rows, defect);
        d->tangents += rough_axis(world, j) >= 0;
        for (int k = 0; k < axes; k++) {
            bounded_forces(d, 2 * j + k, rows, bound);
            d->pressed += (bound[0] > 0) + (bound[1] > 0);
        }
    }
    d->count += d->pressed;
    d->tangents += d->pressed;
    d->n += d->pressed;
}

static sti_status set_contacts(draft* d, double tol, int* used) {
    const sti_world* world = d->world;
    const size_t n = (size_t)d->n, tangents = (size_t)world->dim - 1;
    sti_status status = STI_OK;
    for (int i = 0; status == STI_OK && i < d->now.contact_count; i++) {
        const sti_touching* c = &d->now.contact[i];
        if (!touches(c, tol)) continue;
        int number = 1;
        for (int j = 0; j < i; j++) {
            const sti_touching* other = &d->now.contact[j];
            if (touches(other, tol) && other->at.a == c->at.a && other->at.b == c->at.b) number++;
        }
        double rate[3];
        status = contact_rates(d, c, rate);
        if (status != STI_OK) break;
        const size_t at = (size_t)*used, first = (size_t)d->tangents_used;
        sti_row_add(world, &c->row[0], 1, d->rows + at * n);
        for (size_t k = 0; k < tangents; k++) {
            sti_row_add(world, &c->row[k + 1], 1, d->t_rows + (first + k) * n);
            d->t_rate[first + k] = rate[k + 1];
            d->t_offset[first + k] = c->offset[k + 1];
        }
        double* value[] = {d->t_rows + first * n, d->t_rate + first, d->t_offset + first};
        d->contact[at] = (sti_instant_contact){.mu = c->at.mu,
                                               .mu_kinetic = c->at.mu,
                                               .restitution = c->at.restitution,
                                               .tangent_count = (int)tangents,
                                               .n = d->rows + at * n,
                                               .t = d->t_rows + first * n,
                                               .n_rate = rate[0],
                                               .t_rate = d->t_rate + first,
                                               .n_offset = c->offset[0],
                                               .t_offset = d->t_offset + first};
        if (tangents == 2) status = sti_grain_of_instant(world, d->env, &c->at, d->n, &d->contact[at], value);
        if (status != STI_OK) break;
        status = set_name(d, world->bodies->body[c->at.a].name, ":", world->bodies->body[c->at.b].name, number);
        d->tangents_used += (int)tangents;
        (*used)++;
    }
    return status;
}

static void set_plain(draft* d, const sti_row* row, bool bilateral, double rate, int* used) {
    double* n = d->rows + (size_t)*used * (size_t)d->n;
    sti_row_add(d->world, row, 1, n);
    d->contact[(*used)++] = (sti_instant_contact){.bilateral = bilateral, .n = n, .n_rate = rate};
}

static sti_status set_limits(draft* d, double tol, int* used) {
    const sti_world* world = d->world;
    sti_status status = STI_OK;
    for (int j = 0; j < world->bodies->joint_count; j++) {
        const int axes = sti_joint_axis_count(world->dim, world->bodies->joint[j].kind);
        for (int k = 0; status == STI_OK && k < 2 * axes; k++) {
            sti_row row, ahead, behind;
            if (!limit_reached(world, j, k / 2, k % 2, tol, &row)) continue;
            double rate = 0;
            if (d->moving) {
                limit_reached(&d->ahead, j, k / 2, k % 2, tol, &ahead);
                limit_reached(&d->behind, j, k / 2, k % 2, tol, &behind);
                rate =
                    (sti_row_apply(world, &ahead, world->v) - sti_row_apply(world, &behind, world->v)) / (2 * d->eps);
            }
            status = set_name(d, world->bodies->joint[j].name, k % 2 == 0 ? " lower" : " upper", "", k / 2 + 1);
            set_plain(d, &row, false, rate, used);
        }
    }
    return status;
}

// The rate of the row of coordinate k of a joint.
static double coordinate_rate(const draft* d, int joint, int k) {
    sti_row ahead, behind;
    if (!d->moving) return 0;
    sti_joint_coordinate(&d->ahead, joint, k, &ahead);
    sti_joint_coordinate(&d->behind, joint, k, &behind);
    return (sti_row_apply(d->world, &ahead, d->world->v) - sti_row_apply(d->world, &behind, d->world->v)) /
           (2 * d->eps);
}

// One tangent for the contact made last: s times the coordinate of an axis.
static sti_instant_contact* add_tangent(draft* d, int at, const sti_row* row, double s, double offset, int used) {
    const int first = d->tangents_used++;
    double* t = d->t_rows + (size_t)first * (size_t)d->n;
    sti_instant_contact* c = &d->contact[used - 1];
    sti_row_add(d->world, row, s, t);
    d->t_rate[first] = s * coordinate_rate(d, at / 2, at % 2);
    d->t_offset[first] = s * offset;
    c->tangent_count = 1;
    c->t = t;
    c->t_rate = d->t_rate + first;
    c->t_offset = d->t_offset + first;
    return c;
}

// Turns the rows of the reaction force of a joint so that the first is along the reaction: a reflection in the plane
// across c - e_1, c the direction of the reaction on those rows.
static void turn_rows(const draft* d, int joint, const double c[3], sti_row rows[6]) {
    const int count = force_rows(d->world, joint);
    const double u[3] = {c[0] - 1, c[1], c[2]}, uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    sti_row turned[3];
    for (int i = 0; i < count && uu > 0; i++) {
        turned[i] = rows[i];
        for (int m = 0; m < 6; m++) {
            turned[i].ja[m] = turned[i].jb[m] = 0;
            for (int k = 0; k < count; k++) {
                const double h = (i == k) - 2 * u[i] * u[k] / uu;
                turned[i].ja[m] += h * rows[k].ja[m];
                turned[i].jb[m] += h * rows[k].jb[m];
            }
        }
    }
    for (int i = 0; i < count && uu > 0; i++) rows[i] = turned[i];
}

// Direction of the reaction on the rows of its force; without a reaction the first of them. A row along e has e for b
// and -e for a; both may be listed the other way round.
static void reaction_direction(const draft* d, int joint, const sti_row rows[6], double c[3]) {
    const int b = d->world->bodies->joint[joint].b, count = force_rows(d->world, joint);
    c[0] = 1;
    c[1] = c[2] = 0;
    if (d->reaction == NULL) return;
    double on[3] = {0, 0, 0};
    for (int i = 0; i < count; i++) {
        const bool first = rows[i].a >= 0;
        const double* j = first ? rows[i].ja : rows[i].jb;
        const double sign = (first ? rows[i].a : rows[i].b) == b ? 1 : -1;
        for (int k = 0; k < d->world->dim; k++) on[i] += sign * j[k] * d->reaction[3 * joint + k];
    }
    const double size = norm3(on);
    for (int i = 0; i < 3 && size > 0; i++) c[i] = on[i] / size;
}

static sti_status set_joint(draft* d, int j, int* used) {
    const sti_world* world = d->world;
    const int rough = rough_axis(world, j);
    sti_row rows[6], ahead[6], behind[6], row;
    double defect[6], c[3];
    const int count = sti_joint_rows(world, j, rows, defect);
    if (d->moving) {
        sti_joint_rows(&d->ahead, j, ahead, defect);
        sti_joint_rows(&d->behind, j, behind, defect);
    }
    if (rough >= 0) {
        reaction_direction(d, j, rows, c);
        turn_rows(d, j, c, rows);
        if (d->moving) turn_rows(d, j, c, ahead);
        if (d->moving) turn_rows(d, j, c, behind);
    }
    sti_status status = STI_OK;
    for (int i = 0; status == STI_OK && i < count; i++) {
        const double rate =
            !d->moving ? 0
                       : (sti_row_apply(world, &ahead[i], world->v) - sti_row_apply(world, &behind[i], world->v)) /
                             (2 * d->eps);
        status = set_name(d, world->bodies->joint[j].name, "", "", i + 1);
        set_plain(d, &rows[i], true, rate, used);
        if (i > 0 || rough < 0) continue;
        const sti_joint_axis* axis = &world->axis[2 * j + rough];
        const bool turns = world->bodies->joint[j].kind == STI_JOINT_REVOLUTE || rough == 1;
        sti_joint_coordinate(world, j, rough, &row);
        sti_instant_contact* made = add_tangent(d, 2 * j + rough, &row, turns ? axis->radius : 1, 0, *used);
        made->mu = made->mu_kinetic = axis->mu;
        if (keeps(d, &row, 0)) made->state = STI_INSTANT_STICK;
    }
    return status;
}

static sti_status set_joints(draft* d, int* used) {
    sti_status status = STI_OK;
    for (int j = 0; status == STI_OK && j < d->world->bodies->joint_count; j++) status = set_joint(d, j, used);
    return status;
}

// ---- bounded forces

static const char* const pressed_text[2] = {" friction", " motor"};

// Every bounded force in order: names of their velocities (used NULL), or their contacts.
static sti_status set_pressed(draft* d, int* used) {
    const sti_world* world = d->world;
    const size_t n = (size_t)d->n;
    size_t z = n - (size_t)d->pressed;
    sti_status status = STI_OK;
    for (int at = 0; at < 2 * world->bodies->joint_count; at++) {
        sti_row row;
        double bound[2];
        bounded_forces(d, at, &row, bound);
        for (int k = 0; status == STI_OK && k < 2; k++) {
            if (!(bound[k] > 0)) continue;
            status = set_name(d, world->bodies->joint[at / 2].name, pressed_text[k], "", at % 2 + 1);
            if (used == NULL) continue;
            const double mobility = sti_row_mass(world, &row, &row);
            double* normal = d->rows + (size_t)*used * n;
            normal[z] = 1;
            d->M[z * n + z] = mobility > 0 ? 1 / mobility : 1;
            d->F[z++] = bound[k];
            d->contact[(*used)++] = (sti_instant_contact){.pressed = true, .state = STI_INSTANT_STICK, .n = normal};
            sti_instant_contact* made = add_tangent(d, at, &row, 1, k == 1 ? -world->axis[at].motor_speed : 0, *used);
            made->mu = made->mu_kinetic = 1;
        }
    }
    return status;
}

// ---- reactions of joints whose friction depends on them

static bool needs_reactions(const sti_world* world) {
    for (int j = 0; j < world->bodies->joint_count; j++) {
        if (rough_axis(world, j) >= 0 && force_rows(world, j) > 1) return true;
    }
    return false;
}

// By a step of another world that begins here.
static sti_status find_reactions(draft* d) {
    if (!needs_reactions(d->world)) return STI_OK;
    const int count = d->world->bodies->joint_count;
    sti_world_options options = d->world->options;
    options.start_as_given = true;
    sti_world* trial = NULL;
    void* bytes = NULL;
    size_t size = 0;
    d->reaction = sti_alloc_array_zero(d->env, 3 * (size_t)count, sizeof *d->reaction);
    sti_status status = d->reaction != NULL ? STI_OK : STI_ERR_MEMORY;
    if (status == STI_OK) status = sti_world_create(d->env, d->world->bodies, &options, &trial);
    if (status == STI_OK) status = sti_world_save_state(d->world, &bytes, &size);
    if (status == STI_OK) status = sti_world_load_state(trial, bytes, size);
    if (status == STI_OK) status = sti_world_step(trial, NULL);
    for (int j = 0; status == STI_OK && j < count; j++) {
        sti_world_joint joint;
        sti_world_joint_state(trial, j, &joint);
        memcpy(d->reaction + 3 * (size_t)j, joint.force, sizeof joint.force);
    }
    sti_env_free(d->world->env, bytes);
    sti_world_destroy(trial);
    return status;
}

// ---- the whole

static sti_status reserve(draft* d) {
    const size_t n = (size_t)d->n, p = (size_t)d->count, t = (size_t)d->tangents;
    d->memory = sti_arena_make(d->env);
    d->names = sti_arena_take(&d->memory, n + p, sizeof *d->names);
    d->contact = sti_arena_take(&d->memory, p, sizeof *d->contact);
    d->M = sti_arena_take(&d->memory, n * n, sizeof *d->M);
    d->F = sti_arena_take(&d->memory, n, sizeof *d->F);
    d->v = sti_arena_take(&d->memory, n, sizeof *d->v);
    d->rows = sti_arena_take(&d->memory, p * n, sizeof *d->rows);
    d->t_rows = sti_arena_take(&d->memory, t * n, sizeof *d->t_rows);
    d->t_rate = sti_arena_take(&d->memory, t, sizeof *d->t_rate);
    d->t_offset = sti_arena_take(&d->memory, t, sizeof *d->t_offset);
    if (d->memory.status != STI_OK) return d->memory.status;
    memcpy(d->v, d->world->v, (n - (size_t)d->pressed) * sizeof *d->v);
    return STI_OK;
}

static void clear(draft* d) {
    for (int i = 0; d->names != NULL && i < d->names_used; i++) sti_free(d->env, d->names[i]);
    sti_arena_clear(&d->memory);
    sti_free(d->env, d->reaction);
    scratch_close(&d->now);
    scratch_close(&d->ahead);
    scratch_close(&d->behind);
}

static sti_status fill(draft* d, double tol) {
    int used = 0;
    sti_status status = name_velocities(d);
    if (status == STI_OK) status = set_pressed(d, NULL);
    if (status == STI_OK) set_mass(d);
    if (status == STI_OK) status = set_forces(d);
    if (status == STI_OK) status = set_contacts(d, tol, &used);
    if (status == STI_OK) status = set_limits(d, tol, &used);
    if (status == STI_OK) status = set_joints(d, &used);
    if (status == STI_OK) status = set_pressed(d, &used);
    for (int i = 0; status == STI_OK && i < d->count; i++) d->contact[i].name = d->names[d->n + i];
    return status;
}

static sti_status look(draft* d, double tol) {
    const int points = d->world->options.points;
    choose_step(d);
    sti_status status = scratch_open(d, 0, points, tol, &d->now);
    if (status == STI_OK && d->moving)
        status = scratch_open(d, d->eps, STI_SHAPE_MAX_POINTS, tol + d->margin, &d->ahead);
    if (status == STI_OK && d->moving)
        status = scratch_open(d, -d->eps, STI_SHAPE_MAX_POINTS, tol + d->margin, &d->behind);
    return status;
}

sti_status sti_world_instant(sti_env* env, const sti_world* world, double gap_tol, sti_instant** out) {
    *out = NULL;
    if (!(gap_tol >= 0 && isfinite(gap_tol)))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "gap_tol: %g: a finite number not below 0 is expected", gap_tol);
    if (world->moving == 0) return STI_FAIL(env, STI_ERR_INPUT, -1, "every body is fixed: nothing moves");
    draft d = {.env = env, .world = world, .n = world->moving * world->nv};
    sti_status status = look(&d, gap_tol);
    if (status == STI_OK) status = find_reactions(&d);
    if (status == STI_OK) count_all(&d, gap_tol);
    if (status == STI_OK) status = reserve(&d);
    if (status == STI_OK) status = fill(&d, gap_tol);
    const sti_instant instant = {.n = d.n,
                                 .contact_count = d.count,
                                 .tangent_total = d.tangents,
                                 .names = (const char* const*)d.names,
                                 .time = world->time,
                                 .M = d.M,
                                 .F = d.F,
                                 .v = d.v,
                                 .contacts = d.contact};
    if (status == STI_OK) status = sti_instant_check(env, &instant);
    if (status == STI_OK) status = sti_instant_copy(env, &instant, NULL, out);
    clear(&d);
    return status;
}

void sti_world_instant_note(const sti_world* world, char* text, size_t room) {
    size_t used = 0;
    if (room > 0) text[0] = '\0';
    for (int j = 0; j < world->bodies->joint_count && used < room; j++) {
        const int rough = rough_axis(world, j);
        if (rough < 0) continue;
        const char *name = world->bodies->joint[j].name, *gap = used > 0 ? "; " : "";
        int wrote = 0;
        if (force_rows(world, j) > 1)
            wrote = snprintf(
                text + used, room - used,
                "%sjoint %s: friction is mu times the part of the reaction along its present direction, not mu "
                "times all of it: what sticks so does stick, what does not may",
                gap, name);
        if (wrote > 0) used += (size_t)wrote;
        if (rough == 0 && world->axis[2 * j + 1].mu > 0 && used < room) {
            wrote = snprintf(text + used, room - used, "%sjoint %s: mu of its second axis is left out",
                             used > 0 ? "; " : "", name);
            if (wrote > 0) used += (size_t)wrote;
        }
    }
}
