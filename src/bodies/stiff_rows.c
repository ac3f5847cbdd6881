// stiff_rows.c: what strong joint and contact forces do to bodies that turn, for steps that went too far without it.
//
// A step moves along straight rows. Under a force F at the arm r a body that turns by theta does, beyond the first
// order, the work
//
//     1/2 theta'((r F' + F r') / 2 - r'F 1) theta
//
// because the point goes on a circle. The matrix in brackets, negated, is a stiffness of the body against turning: the
// geometric stiffness of its joints and contacts, which springs.c has for springs. With forces of 1e5 weights (a light
// body between a strong spring and a joint) h^2 times it is far above the inertia; a step that leaves it out turns the
// body by radians, and the account (energy.c) shortens it. A bar (distance joint) under tension has the stiffness
// tension / length across. In a contact the point goes with its body, or the normal n with its face: then n'(p - x)
// falls with the square of the turn, and the stiffness is the opposite one, positive where the contact presses towards
// the centre. It is taken for both bodies.
//
// Such a step is made again with its positive part, taken implicitly as springs are:
//
//     K_b = [ sum over forces on b of  r'F 1 - (r F' + F r') / 2 ]_+ ,      F as the step that failed found them
//
// as rows without force, so the forces stay what they are and the direction of motion changes: the proof in step.c
// holds as it is, because rows without force take energy only. Compare Tournier, Nesme, Gilles & Faure 2015 (stable
// constrained dynamics).
#include <math.h>
#include <string.h>

#include "bodies/motion.h"
#include "linalg/lapack.h"
#include "linalg/vec3.h"

enum { WORK = 16 };  // numbers that dsyev works with
#define SLIGHT 1e-9  // of the largest: no row

static void add_force(const sti_world* world, int body, const double point[3], const double F[3], double sign) {
    if (!sti_body_moves(world, body)) return;
    const size_t stride = (size_t)world->nv + 3;  // 9 in space; in the plane the first of 6
    double r[3], *G = world->solve->turning + stride * (size_t)world->slot[body];
    sub3(point, world->placed[body].x, r);
    const double along = sign * dot3(r, F);
    if (world->dim == 2) {
        G[0] += along;
        return;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) G[3 * i + j] += (i == j ? along : 0) - sign * (r[i] * F[j] + r[j] * F[i]) / 2;
    }
}

// Rows for the axes about which the body is stiffened: those of positive eigenvalues of G, destroyed here.
static void add_turning(sti_world* world, int body, double* G) {
    struct sti_world_solve* s = world->solve;
    const int axes = world->dim == 2 ? 1 : 3, room = WORK;
    double value[3] = {G[0]}, work[WORK], most = 0;
    if (axes == 3 && sti_lapack_symmetric_eigen(true, axes, G, value, work, room) != STI_LAPACK_DONE) return;
    for (int k = 0; k < axes; k++) most = fmax(most, fabs(value[k]));
    for (int k = 0; k < axes; k++) {
        static const double z[3] = {0, 0, 1};
        if (!(value[k] > SLIGHT * most)) continue;
        sti_soft* soft = &s->stiff[s->stiff_count++];
        *soft = (sti_soft){.stiffness = value[k] / world->options.h};
        sti_row_turn(world, body, -1, axes == 3 ? G + 3 * (size_t)k : z, &soft->row);
    }
}

// Rows across a bar from p_A to p_B that pulls b towards a with the impulse `pull`.
static void add_bar(sti_world* world, const sti_joint* joint, const double pa[3], const double pb[3], double pull,
                    double length) {
    struct sti_world_solve* s = world->solve;
    double e[3], t[2][3];
    sub3(pb, pa, e);
    for (int k = 0; k < 3; k++) e[k] /= length;
    if (world->dim == 3) {
        sti_tangent_frame(e, t[0], t[1]);
    } else {
        t[0][0] = -e[1];
        t[0][1] = e[0];
        t[0][2] = 0;
    }
    for (int k = 0; k < world->dim - 1; k++) {
        sti_soft* soft = &s->stiff[s->stiff_count++];
        *soft = (sti_soft){.stiffness = pull / (length * world->options.h)};
        sti_row_point(world, joint->b, joint->a, pb, pa, t[k], &soft->row);
    }
}

static void joint_point(const sti_world* world, int body, const sti_pose* at, double p[3]) {
    sti_pose pose = sti_pose_identity();
    if (body >= 0) sti_placed_to_pose(&world->bodies->mass[body], &world->placed[body], &pose);
    sti_pose_apply(&pose, at->x, p);
}

static void add_joint(sti_world* world, int j) {
    const sti_joint* joint = &world->bodies->joint[j];
    const double* F = world->solve->reaction + 6 * (size_t)j;  // impulse on b
    double pa[3], pb[3], e[3];
    if (joint->kind == STI_JOINT_GEAR) return;
    joint_point(world, joint->a, &joint->at_a, pa);
    joint_point(world, joint->b, &joint->at_b, pb);
    add_force(world, joint->a, joint->kind == STI_JOINT_DISTANCE ? pa : pb, F, -1);
    add_force(world, joint->b, pb, F, 1);
    if (joint->kind != STI_JOINT_DISTANCE) return;
    sub3(pb, pa, e);
    const double length = norm3(e), pull = length > 0 ? -dot3(F, e) / length : 0;
    const bool moves = sti_body_moves(world, joint->a) || sti_body_moves(world, joint->b);
    if (moves && pull > 0) add_bar(world, joint, pa, pb, pull, length);
}

sti_status sti_stiffen(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    const sti_status status = sti_lapack_reserve(world->env);
    if (status != STI_OK) return status;
    const size_t stride = (size_t)world->nv + 3;
    s->stiff_count = 0;
    memset(s->turning, 0, stride * (size_t)world->moving * sizeof *s->turning);
    for (int j = 0; j < world->bodies->joint_count; j++) add_joint(world, j);
    for (int c = 0; c < s->shown_count; c++) {
        const sti_world_contact* at = &world->shown[c];
        const double F[3] = {at->r[0] * at->n[0], at->r[0] * at->n[1], at->r[0] * at->n[2]};
        add_force(world, at->a, at->point, F, -1);
        add_force(world, at->b, at->point, F, 1);
    }
    for (int i = 0; i < world->moving; i++) add_turning(world, s->body[i], s->turning + stride * (size_t)i);
    return STI_OK;
}
