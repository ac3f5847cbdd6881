// joints.c: what a joint asks of its two bodies: rows, defects, free coordinates.
//
// A joint has a frame A on body a and a frame B on body b, with origins p_A, p_B and axes x, y, z. Everything is said
// in the axes of A, as the motion of b against a:
//
//     along e_k of A    defect e_k'(p_B - p_A)            row: velocity of the two points that are at p_B, along e_k
//     about e_k of A    defect phi_k                      row: angular velocity of b against a, about e_k
//     distance          defect |p_B - p_A| - length       row: velocity of p_B against p_A, along the line
//     gear              defect c_1 + ratio c_2 - start    row: the same sum of the two rows
//
// The rows along e_k and along the line are the derivatives of their defects wherever the bodies are: A turns with a,
// and the point of a that is at p_B, not p_A, accounts for it.
//
// phi is a rotation vector: of the whole turn from A to B (fixed, prismatic), or of the shortest turn that takes z_A to
// z_B (revolute, cylindrical, planar). Its length is the angle, up to pi, so it vanishes in the right position only, it
// points back from everywhere, and one turn of b by -phi removes it whole. Sines and vector parts of quaternions do
// none of these beyond a right angle. Its derivative is the row where phi = 0; elsewhere the row still has the right
// component along phi.
//
// The free angle of a joint is the part of the turn about z (the twist of the quaternion); it is given nearest to what
// it was, so a wheel counts its turns.
#include "bodies/bodies.h"
#include "linalg/vec3.h"

static const double pi = M_PI;

// ---- kinds

#define STI_X(code, text) text,
static const char* const kind_text[STI_JOINT_KIND_COUNT] = {STI_JOINT_LIST(STI_X)};
#undef STI_X

const char* sti_joint_kind_text(sti_joint_kind kind) {
    return (int)kind >= 0 && kind < STI_JOINT_KIND_COUNT ? kind_text[kind] : "unknown";
}

bool sti_joint_kind_parse(const char* name, sti_joint_kind* out) {
    for (int k = 0; name != NULL && k < STI_JOINT_KIND_COUNT; k++) {
        if (strcmp(name, kind_text[k]) != 0) continue;
        *out = (sti_joint_kind)k;
        return true;
    }
    return false;
}

// What a kind holds: axes of A along which p_B stays, and how turns are held.
typedef enum holds_turn { TURN_FREE, TURN_ABOUT_Z, TURN_NONE } holds_turn;

typedef struct holding {
    int along_count;
    int along[3];
    holds_turn turn;  // what is left free of it
} holding;

static holding held(int dim, sti_joint_kind kind) {
    switch (kind) {
        case STI_JOINT_FIXED:
            return (holding){dim, {0, 1, 2}, TURN_NONE};
        case STI_JOINT_REVOLUTE:
            return (holding){dim, {0, 1, 2}, TURN_ABOUT_Z};
        case STI_JOINT_PRISMATIC:
            return dim == 2 ? (holding){1, {1}, TURN_NONE} : (holding){2, {0, 1}, TURN_NONE};
        case STI_JOINT_CYLINDRICAL:
            return dim == 2 ? (holding){0} : (holding){2, {0, 1}, TURN_ABOUT_Z};
        case STI_JOINT_SPHERICAL:
            return dim == 2 ? (holding){0} : (holding){3, {0, 1, 2}, TURN_FREE};
        case STI_JOINT_PLANAR:
            return dim == 2 ? (holding){0} : (holding){1, {2}, TURN_ABOUT_Z};
        default:
            return (holding){0};
    }
}

int sti_joint_row_count(int dim, sti_joint_kind kind) {
    if (kind == STI_JOINT_DISTANCE || kind == STI_JOINT_GEAR) return 1;
    const holding h = held(dim, kind);
    const int turns = h.turn == TURN_NONE ? (dim == 2 ? 1 : 3) : (h.turn == TURN_ABOUT_Z && dim == 3 ? 2 : 0);
    return h.along_count + turns;
}

int sti_joint_axis_count(int dim, sti_joint_kind kind) {
    if (kind == STI_JOINT_REVOLUTE || kind == STI_JOINT_PRISMATIC) return 1;
    return kind == STI_JOINT_CYLINDRICAL && dim == 3 ? 2 : 0;
}

// Does coordinate k turn, or slide?
static bool turns(sti_joint_kind kind, int k) {
    return kind == STI_JOINT_REVOLUTE || (kind == STI_JOINT_CYLINDRICAL && k == 1);
}

// ---- frames

typedef struct frame {
    double p[3];  // origin
    double q[4];
    double R[9];  // columns: axes
} frame;

static void frame_of(const sti_world* world, int body, const sti_pose* at, frame* out) {
    sti_pose pose = *at;
    if (body >= 0) {
        const sti_placed* placed = &world->placed[body];
        double arm[3];
        sub3(at->x, world->bodies->mass[body].centre, arm);
        mul3(placed->R, arm, pose.x);
        for (int k = 0; k < 3; k++) pose.x[k] += placed->x[k];
        quaternion_product(placed->q, at->q, pose.q);
    }
    memcpy(out->p, pose.x, sizeof out->p);
    memcpy(out->q, pose.q, sizeof out->q);
    sti_pose_rotation(&pose, out->R);
}

// conj(q_A) q_B, with length 1 and w >= 0
static void relative_turn(const frame* A, const frame* B, double q[4]) {
    const double back[4] = {A->q[0], -A->q[1], -A->q[2], -A->q[3]};
    quaternion_product(back, B->q, q);
    double s = sqrt(q[0] * q[0] + dot3(q + 1, q + 1));
    if (q[0] < 0) s = -s;
    for (int k = 0; k < 4; k++) q[k] /= s;
}

// ---- turns

// Rotation vector from A to B: the angle is 2 atan2(|u|, w) about u of q = (w, u).
static void whole_turn(const frame* A, const frame* B, double phi[3]) {
    double q[4];
    relative_turn(A, B, q);
    const double s = norm3(q + 1);
    const double factor = s > 0 ? 2 * atan2(s, q[0]) / s : 2;
    for (int k = 0; k < 3; k++) phi[k] = factor * q[k + 1];
}

// Rotation vector of the shortest turn from z_A to z_B, in the axes of A; it has no component along z_A. For opposite
// axes: half a turn about x.
static void axis_turn(const frame* A, const frame* B, double phi[3]) {
    double z[3], b[3];
    column3(B->R, 2, z);
    mul3_transposed(A->R, z, b);
    const double s = sqrt(b[0] * b[0] + b[1] * b[1]);
    phi[2] = 0;
    if (s == 0) {
        phi[0] = b[2] < 0 ? pi : 0;
        phi[1] = 0;
        return;
    }
    const double factor = atan2(s, b[2]) / s;
    phi[0] = -factor * b[1];
    phi[1] = factor * b[0];
}

// ---- rows

static int rows_held(const sti_world* world, const sti_joint* joint, sti_row rows[6], double defect[6]) {
    const holding h = held(world->dim, joint->kind);
    frame A, B;
    frame_of(world, joint->a, &joint->at_a, &A);
    frame_of(world, joint->b, &joint->at_b, &B);
    double d[3], e[3], phi[3] = {0, 0, 0};
    sub3(B.p, A.p, d);
    int count = 0;
    for (int i = 0; i < h.along_count; i++) {
        column3(A.R, h.along[i], e);
        defect[count] = dot3(e, d);
        sti_row_point(world, joint->b, joint->a, B.p, B.p, e, &rows[count++]);
    }
    if (h.turn == TURN_FREE || (h.turn == TURN_ABOUT_Z && world->dim == 2)) return count;
    if (h.turn == TURN_NONE) {
        whole_turn(&A, &B, phi);
    } else {
        axis_turn(&A, &B, phi);
    }
    const int first = world->dim == 2 ? 2 : 0, end = h.turn == TURN_NONE ? 3 : 2;
    for (int k = first; k < end; k++) {
        column3(A.R, k, e);
        defect[count] = phi[k];
        sti_row_turn(world, joint->b, joint->a, e, &rows[count++]);
    }
    return count;
}

// Where the two points coincide the line has no direction; then x of A stands for it.
static int row_distance(const sti_world* world, const sti_joint* joint, sti_row* row, double* defect) {
    frame A, B;
    frame_of(world, joint->a, &joint->at_a, &A);
    frame_of(world, joint->b, &joint->at_b, &B);
    double e[3];
    sub3(B.p, A.p, e);
    const double distance = norm3(e);
    if (distance > 0) {
        for (int k = 0; k < 3; k++) e[k] /= distance;
    } else {
        column3(A.R, 0, e);
    }
    *defect = distance - joint->length;
    sti_row_point(world, joint->b, joint->a, B.p, A.p, e, row);
    return 1;
}

// into += s from; the sides of `into` are filled from the first on
static void row_collect(double s, const sti_row* from, sti_row* into) {
    int* const bodies[4] = {&into->a, &into->b, &into->c, &into->d};
    double* const to[4] = {into->ja, into->jb, into->jc, into->jd};
    for (int side = 0; side < 2; side++) {
        const double* j;
        const int body = sti_row_side(from, side, &j);
        int at = 0;
        if (body < 0) continue;
        while (*bodies[at] >= 0 && *bodies[at] != body) at++;  // two joints have four bodies at most
        *bodies[at] = body;
        into->wide = into->wide || at >= 2;
        for (int k = 0; k < 6; k++) to[at][k] += s * j[k];
    }
}

static int row_gear(const sti_world* world, int number, sti_row* row, double* defect) {
    const sti_joint* gear = &world->bodies->joint[number];
    sti_row part;
    *row = (sti_row){.a = -1, .b = -1, .c = -1, .d = -1};
    double c = sti_joint_coordinate(world, gear->of[0], gear->of_axis[0], &part);
    row_collect(1, &part, row);
    c += gear->ratio * sti_joint_coordinate(world, gear->of[1], gear->of_axis[1], &part);
    row_collect(gear->ratio, &part, row);
    *defect = c - world->gear_value[number];
    return row->a < 0 && row->b < 0 ? 0 : 1;
}

int sti_joint_rows(const sti_world* world, int joint, sti_row rows[6], double defect[6]) {
    const sti_joint* j = &world->bodies->joint[joint];
    if (j->kind == STI_JOINT_GEAR) return row_gear(world, joint, rows, defect);
    if (!sti_body_moves(world, j->a) && !sti_body_moves(world, j->b)) return 0;
    if (j->kind == STI_JOINT_DISTANCE) return row_distance(world, j, rows, defect);
    return rows_held(world, j, rows, defect);
}

// ---- free coordinates

double sti_joint_coordinate(const sti_world* world, int joint, int k, sti_row* row) {
    const sti_joint* j = &world->bodies->joint[joint];
    frame A, B;
    frame_of(world, j->a, &j->at_a, &A);
    frame_of(world, j->b, &j->at_b, &B);
    double e[3];
    if (turns(j->kind, k)) {
        double q[4];
        relative_turn(&A, &B, q);
        column3(A.R, 2, e);
        if (row != NULL) sti_row_turn(world, j->b, j->a, e, row);
        // q[0] >= 0: within half a turn; whole turns as they were
        const double angle = 2 * atan2(q[3], q[0]), before = world->turned[2 * (size_t)joint + (size_t)k];
        return angle + 2 * pi * round((before - angle) / (2 * pi));
    }
    double d[3];
    column3(A.R, world->dim == 2 ? 0 : 2, e);
    sub3(B.p, A.p, d);
    if (row != NULL) sti_row_point(world, j->b, j->a, B.p, B.p, e, row);
    return dot3(e, d);
}

void sti_world_turned_update(sti_world* world) {
    for (int i = 0; i < world->bodies->joint_count; i++) {
        const int count = sti_joint_axis_count(world->dim, world->bodies->joint[i].kind);
        for (int k = 0; k < count; k++)
            world->turned[2 * (size_t)i + (size_t)k] = sti_joint_coordinate(world, i, k, NULL);
    }
}
