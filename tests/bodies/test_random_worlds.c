// Random scenes, in the plane and in space, step a hundred times each without a failure that is not reported, a number
// that is none, or energy from nowhere.
//
//     test_bodies_random_worlds [COUNT [FIRST]]        COUNT scenes from number FIRST on, and a word about each that
//                                                      fails
//
// Without arguments a few hundred (few under sanitizers); the full test is 10000. A scene is made from its number
// alone: one to twelve bodies of every shape; floors, slopes, meshes, belts and turntables; mu from 0 to above 1,
// restitution from 0 to 1; joints of every kind in chains, loops and twice over, with limits, dry friction, motors and
// springs up to stiff ones; bodies that start touching, exactly aligned or overlapping, masses that differ by 1e6, tiny
// scenes, no gravity; and joints that contradict each other, which must be refused with a reason.
//
// Energy. In a step without springs the discrete energy cannot grow beyond what motors, moving surfaces, pushes and
// mending do (the proof is in src/bodies/step.c), so `gain` is bounded by rounding and by the tolerance of the solver:
// GAIN of the largest energies that took part. A step that reports that it is not solved is held to LOOSE of them. A
// spring is taken implicitly along the row it has at the beginning of the step; what its length or angle does beyond
// the first order, delta, is not seen by the step and may add up to |force| delta + stiffness delta^2 / 2. The test
// computes a bound on delta from the motion and allows that. Mending moves the ends of springs as well, forth in one
// step and back in another: with springs the account is held over all steps together, what was mended included: energy
// stays below that of the start, and work, and what is allowed.
//
// And whatever there is, springs, mending, a step that says it failed: T + V grows in no step by more than the work
// done in it, and GAIN of the energies. Only overlaps of the start are lifted for nothing: the first step may, and
// later ones of a scene that was laid with overlaps until none is left.
#include <stiction/contact.h>

#include "bodies/world_tools.h"
#include "support/sanitized.h"

enum { SCENES = SANITIZED ? 100 : 400, STEPS = 100, BODIES = 13 };
#define GAIN 1e-7   // ten times the tolerance
#define LOOSE 0.01  // for steps that say they failed

static long scenes_wanted = SCENES, first_scene = 0;
static bool listing = false;  // every step that is not solved

// ---- a scene

typedef struct scene {
    long number;
    sti_rng rng;
    sti_env* env;
    sti_bodies* bodies;
    int dim;
    double size;  // of a body
    int count;    // bodies that move are 0 .. count - 1
    int material[3];
    bool impossible;   // its joints contradict each other
    bool springs;      // along lines or in joints
    bool may_overlap;  // bodies start inside each other
    sti_world_options options;
    int spring_count;
    sti_spring spring[BODIES];
    double scale;    // largest energies so far
    double start;    // energy before the first step, plus work, plus what springs are allowed
    double last;     // energy after the last step
    bool overlaps;   // and whether something of the start still overlaps then
    double allowed;  // by the springs in this step
} scene;

static bool chance(scene* s, double p) {
    return sti_rng_u01(&s->rng) < p;
}

static double draw(scene* s, double low, double high) {
    return between(&s->rng, low, high);
}

static double spread(scene* s, double low, double high) {  // evenly in the logarithm
    return low * pow(high / low, sti_rng_u01(&s->rng));
}

static void must(const scene* s, sti_status status) {
    if (status != STI_OK) fail_msg("scene %ld: %s", s->number, sti_env_error(s->env)->text);
}

// ---- shapes

static sti_shape* polytope(scene* s, double size) {
    const int count = s->dim == 2 ? sti_rng_int(&s->rng, 3, 8) : sti_rng_int(&s->rng, 4, 12);
    double points[12 * 3];
    for (int tries = 0; tries < 50; tries++) {
        for (int i = 0; i < count * s->dim; i++) points[i] = draw(s, -0.65, 0.65) * size;
        sti_shape* shape = NULL;
        if (sti_shape_create_convex(s->env, s->dim, count, points, &shape) == STI_OK) return shape;
    }
    return sphere(s->env, s->dim, size);
}

static sti_shape* random_shape(scene* s, double size) {
    sti_shape* shape = NULL;
    switch (sti_rng_int(&s->rng, 0, 4)) {
        case 0:
            return sphere(s->env, s->dim, size * draw(s, 0.4, 1));
        case 1:
            must(s,
                 sti_shape_create_capsule(s->env, s->dim, size * draw(s, 0.2, 0.6), size * draw(s, 0.1, 0.4), &shape));
            return shape;
        case 2:
            return polytope(s, size);
        default:
            return box(s->env, s->dim, size * draw(s, 0.2, 0.7), size * draw(s, 0.2, 0.7), size * draw(s, 0.2, 0.7));
    }
}

static void give_shape(scene* s, int body, sti_shape* shape, const sti_pose* place) {
    must(s, sti_bodies_add_shape(s->bodies, body, shape, place, s->material[sti_rng_int(&s->rng, 0, 2)]));
}

// ---- what does not move

static sti_shape* rough_mesh(scene* s) {  // a field of triangles over a square
    enum { SIDE = 4 };
    double vertices[SIDE * SIDE * 3];
    int triangles[(SIDE - 1) * (SIDE - 1) * 6], used = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        vertices[3 * i] = 6 * s->size * (i % SIDE - 1.5);
        vertices[3 * i + 1] = 6 * s->size * (i / SIDE - 1.5);
        vertices[3 * i + 2] = chance(s, 0.5) ? 0 : s->size * draw(s, -0.5, 0);
    }
    for (int i = 0; i < (SIDE - 1) * (SIDE - 1); i++) {
        const int at = i / (SIDE - 1) * SIDE + i % (SIDE - 1);
        const int corner[6] = {at, at + 1, at + SIDE + 1, at, at + SIDE + 1, at + SIDE};
        for (int k = 0; k < 6; k++) triangles[used++] = corner[k];
    }
    sti_shape* shape = NULL;
    must(s, sti_shape_create_mesh(s->env, SIDE * SIDE, vertices, used / 3, triangles, &shape));
    return shape;
}

// Surfaces that move do so along themselves: one that pushes against what a joint holds would leave no motion at all.
static void add_floor(scene* s) {
    const int up = s->dim - 1;
    sti_body body = sti_body_default();
    sti_shape* shape = NULL;
    int floor;
    body.fixed = true;
    body.name = "floor";
    const bool mesh = s->dim == 3 && chance(s, 0.15), block = !mesh && chance(s, 0.2);
    const double tilt = !mesh && !block && chance(s, 0.3) ? draw(s, -0.7, 0.7) : 0;
    const bool belt = !mesh && !block && chance(s, 0.2), table = s->dim == 3 && tilt == 0 && belt && chance(s, 0.5);
    if (belt) {
        body.v[0] = draw(s, -2, 2);
        body.v[up] = -tilt * body.v[0];
    }
    if (table) body.w[2] = draw(s, -3, 3);
    must(s, sti_bodies_add(s->bodies, &body, &floor));
    if (mesh) {
        give_shape(s, floor, rough_mesh(s), NULL);
    } else if (block) {
        sti_pose place = sti_pose_identity();
        place.x[up] = -s->size;
        give_shape(s, floor, box(s->env, s->dim, 12 * s->size, s->dim == 2 ? s->size : 12 * s->size, s->size), &place);
    } else {
        double n[3] = {tilt, 0, 0}, side[3] = {1, 0, 0};
        n[up] = 1;
        must(s, sti_shape_create_halfspace(s->env, s->dim, n, -3.5 * fabs(tilt) * s->size, &shape));
        give_shape(s, floor, shape, NULL);
        if (belt || chance(s, 0.8)) return;
        must(s, sti_shape_create_halfspace(s->env, s->dim, side, -4 * s->size, &shape));  // a wall beside it
        give_shape(s, floor, shape, NULL);
    }
}

// ---- what moves

static sti_pose anywhere(scene* s, double x, double y, double z) {
    sti_pose pose = random_pose(&s->rng, s->dim, 0);
    if (chance(s, 0.3)) pose = sti_pose_identity();
    pose.x[0] = x;
    pose.x[1] = s->dim == 2 ? z : y;
    pose.x[2] = s->dim == 2 ? 0 : z;
    return pose;
}

static int add_moving(scene* s, sti_pose pose, sti_shape* shape) {
    sti_body body = sti_body_default();
    int index;
    body.pose = pose;
    body.density = chance(s, 0.2) ? spread(s, 1, 1e6) : 1000;
    if (chance(s, 0.6)) {
        for (int k = 0; k < s->dim; k++) body.v[k] = draw(s, -3, 3) * (s->size < 0.01 ? 0.01 : 1);
        for (int k = s->dim == 2 ? 2 : 0; k < 3; k++) body.w[k] = draw(s, -6, 6);
    }
    must(s, sti_bodies_add(s->bodies, &body, &index));
    give_shape(s, index, shape, NULL);
    if (chance(s, 0.1)) {  // a second shape: the centre of mass leaves the origin
        sti_pose place = sti_pose_identity();
        place.x[0] = 0.5 * s->size;
        give_shape(s, index, sphere(s->env, s->dim, 0.3 * s->size), &place);
    }
    s->count++;
    return index;
}

// Boxes exactly on top of each other, touching, some pushed into the next one.
static void add_stack(scene* s, int count) {
    const double a = 0.5 * s->size;
    double z = 0;
    s->may_overlap = chance(s, 0.3);
    for (int i = 0; i < count; i++) {
        sti_body body = sti_body_default();
        int index;
        z += a - (s->may_overlap ? draw(s, 0, 0.02) * a : 0);
        body.pose.x[s->dim - 1] = z;
        if (chance(s, 0.3)) body.pose.x[0] = chance(s, 0.5) ? a : draw(s, -0.5, 0.5) * a;
        z += a;
        body.density = chance(s, 0.3) ? spread(s, 1, 1e6) : 1000;
        must(s, sti_bodies_add(s->bodies, &body, &index));
        give_shape(s, index, box(s->env, s->dim, a, a, a), NULL);
        s->count++;
    }
}

static void add_cloud(scene* s, int count) {
    const double cell = 2.2 * s->size;
    for (int i = 0; i < count; i++) {
        const double z = cell * (0.6 + 0.5 * i), x = cell * (i % 3 - 1) + draw(s, -0.1, 0.1) * s->size;
        add_moving(s, anywhere(s, x, draw(s, -0.1, 0.1) * s->size, z), random_shape(s, s->size));
    }
}

// ---- joints

static void dress_axes(scene* s, sti_joint* joint) {
    const double weight = 1000 * s->size * s->size * (s->dim == 3 ? s->size : 1) * 10;  // of a body, about
    const double force = weight * (joint->kind == STI_JOINT_PRISMATIC ? 1 : s->size);
    const int axes = sti_joint_axis_count(s->dim, joint->kind);
    for (int k = 0; k < axes && k < 2; k++) {
        sti_joint_axis* axis = &joint->axis[k];
        const double unit = joint->kind == STI_JOINT_REVOLUTE || k == 1 ? 1 : s->size;
        if (chance(s, 0.3)) {
            axis->lower = chance(s, 0.3) ? 0 : -unit * draw(s, 0, 1);
            axis->upper = chance(s, 0.2) ? axis->lower : fmax(axis->lower, unit * draw(s, 0, 1));
            if (axis->upper < 0) axis->upper = 0;
        }
        if (chance(s, 0.25)) axis->friction = force * draw(s, 0, 1);
        if (chance(s, 0.2)) {
            axis->mu = draw(s, 0, 0.5);
            axis->radius = 0.2 * s->size;
        }
        if (chance(s, 0.25)) {
            axis->stiffness = force * spread(s, 1, 1e5);
            axis->damping = chance(s, 0.5) ? axis->stiffness * draw(s, 0, 0.1) : 0;
            axis->rest = chance(s, 0.5) ? 0 : unit * draw(s, -0.5, 0.5);
            s->springs = true;
        }
        if (chance(s, 0.25)) {
            axis->motor_speed = unit * draw(s, -5, 5);
            axis->motor_force = force * spread(s, 0.1, 100);
        }
    }
}

static const sti_pose* place_of(const scene* s, int body) {
    return &sti_bodies_body(s->bodies, body)->pose;
}

// A joint of some kind at a point between a and b; both fit it where they start.
static void add_link(scene* s, int a, int b) {
    static const sti_joint_kind flat[] = {STI_JOINT_FIXED, STI_JOINT_REVOLUTE, STI_JOINT_REVOLUTE, STI_JOINT_PRISMATIC,
                                          STI_JOINT_DISTANCE};
    const sti_joint_kind kind =
        s->dim == 2 ? flat[sti_rng_int(&s->rng, 0, 4)] : (sti_joint_kind)sti_rng_int(&s->rng, 0, STI_JOINT_DISTANCE);
    sti_joint joint = sti_joint_default(kind, a, b);
    double point[3] = {0}, axis[3] = {0, 0, 1};
    const double* at = place_of(s, b)->x;
    for (int k = 0; k < s->dim; k++) {
        point[k] = a < 0 ? at[k] + draw(s, -1, 1) * s->size : 0.5 * (at[k] + place_of(s, a)->x[k]);
        if (chance(s, 0.5)) axis[k] = draw(s, -1, 1);
    }
    if (s->dim == 2 && axis[0] == 0 && axis[1] == 0) axis[0] = 1;
    must(s, sti_joint_place(s->bodies, point, axis, &joint));
    if (kind == STI_JOINT_DISTANCE) {  // between the two origins, moved apart by a bit
        const sti_pose here = a < 0 ? sti_pose_identity() : *place_of(s, a);
        double p[3], q[3], length = 0;
        joint.at_a = joint.at_b = sti_pose_identity();
        for (int k = 0; k < s->dim; k++) joint.at_a.x[k] = a < 0 ? point[k] : draw(s, -0.3, 0.3) * s->size;
        sti_pose_apply(&here, joint.at_a.x, p);
        sti_pose_apply(place_of(s, b), joint.at_b.x, q);
        for (int k = 0; k < s->dim; k++) length += (p[k] - q[k]) * (p[k] - q[k]);
        joint.length = sqrt(length);
        if (joint.length < 1e-3 * s->size) return;
    }
    if (chance(s, 0.5)) dress_axes(s, &joint);
    joint.collide = chance(s, 0.1);
    must(s, sti_bodies_add_joint(s->bodies, &joint, NULL));
    if (chance(s, 0.05)) must(s, sti_bodies_add_joint(s->bodies, &joint, NULL));  // twice over: redundant
}

// Two turning axes of one body against the world and another one, coupled.
static void add_gear(scene* s) {
    int turning[2] = {-1, -1};
    for (int j = 0; j < sti_bodies_joint_count(s->bodies); j++) {
        const sti_joint* joint = sti_bodies_joint(s->bodies, j);
        if (joint->kind != STI_JOINT_REVOLUTE && joint->kind != STI_JOINT_PRISMATIC) continue;
        if (turning[0] < 0)
            turning[0] = j;
        else if (turning[1] < 0)
            turning[1] = j;
    }
    if (turning[1] < 0) return;
    sti_joint gear = sti_joint_default(STI_JOINT_GEAR, -1, -1);
    gear.of[0] = turning[0];
    gear.of[1] = turning[1];
    gear.ratio = draw(s, 0.3, 3);
    assert_int_equal(sti_bodies_add_joint(s->bodies, &gear, NULL), STI_OK);
}

static void add_joints(scene* s) {
    if (chance(s, 0.5)) add_link(s, -1, 0);
    for (int b = 1; b < s->count; b++) {
        if (chance(s, 0.8)) add_link(s, sti_rng_int(&s->rng, 0, b - 1), b);
        if (chance(s, 0.1)) add_link(s, -1, b);
    }
    for (int loops = s->count > 2 && chance(s, 0.3) ? sti_rng_int(&s->rng, 1, 2) : 0; loops > 0; loops--)
        add_link(s, sti_rng_int(&s->rng, 0, s->count - 2), s->count - 1);
    if (chance(s, 0.2)) add_gear(s);
}

// The last body is welded to the world in two places that do not agree.
static void contradict(scene* s) {
    for (int i = 0; i < 2; i++) {
        sti_joint joint = sti_joint_default(STI_JOINT_FIXED, -1, s->count - 1);
        const double* x = place_of(s, s->count - 1)->x;
        must(s, sti_joint_place(s->bodies, x, NULL, &joint));
        joint.at_a.x[0] += 0.3 * i * s->size;
        must(s, sti_bodies_add_joint(s->bodies, &joint, NULL));
    }
    s->impossible = true;
}

static void add_line_springs(scene* s) {
    for (int b = 0; b < s->count && s->spring_count < 3; b++) {
        if (!chance(s, 0.4)) continue;
        const int a = b > 0 && chance(s, 0.6) ? sti_rng_int(&s->rng, 0, b - 1) : -1;
        sti_spring spring = {.a = a, .b = b};
        for (int k = 0; k < s->dim; k++) {
            spring.at_a[k] = (a < 0 ? 3 : 0.3) * draw(s, -1, 1) * s->size;
            spring.at_b[k] = 0.3 * draw(s, -1, 1) * s->size;
        }
        const double weight = 1e4 * s->size * s->size * (s->dim == 3 ? s->size : 1);
        spring.stiffness = weight / s->size * spread(s, 1, 1e5);
        spring.damping = chance(s, 0.5) ? 0 : spring.stiffness * draw(s, 0, 0.1);
        spring.rest = s->size * draw(s, 0, 3);
        must(s, sti_bodies_add_spring(s->bodies, &spring));
        s->spring[s->spring_count++] = spring;
        s->springs = true;
    }
}

// ---- the whole

static void set_options(scene* s) {
    static const double steps[] = {0.001, 0.005, 0.01, 0.02};
    s->options = sti_world_options_default();
    s->options.h = steps[sti_rng_int(&s->rng, 0, 3)];
    if (s->size < 0.01) s->options.h *= 0.1;
    s->options.alpha = chance(s, 0.7) ? 1 : draw(s, 0.5, 1);
    s->options.law = chance(s, 0.3) ? STI_IMPACT_POISSON : STI_IMPACT_NEWTON;
    if (chance(s, 0.05)) s->options.stabilize = false;
}

static void add_materials(scene* s) {
    static const double mus[] = {0, 0, 0.05, 0.3, 0.6, 1.5}, restitutions[] = {0, 0, 0, 0.5, 1};
    for (int i = 0; i < 3; i++) {
        const sti_material m = {.mu = mus[sti_rng_int(&s->rng, 0, 5)],
                                .restitution = restitutions[sti_rng_int(&s->rng, 0, 4)]};
        must(s, sti_bodies_add_material(s->bodies, &m, &s->material[i]));
    }
}

static void make_scene(scene* s, long number, sti_env* env) {
    *s = (scene){.number = number, .rng = {0x5eed0000u + (uint64_t)number}, .env = env};
    s->dim = chance(s, 0.4) ? 2 : 3;
    s->size = chance(s, 0.1) ? 1e-3 : chance(s, 0.1) ? 10 : 0.5;
    must(s, sti_bodies_create(env, s->dim, &s->bodies));
    double g[3] = {0};
    g[s->dim - 1] = chance(s, 0.1) ? 0 : -9.81;
    sti_bodies_set_gravity(s->bodies, g);
    add_materials(s);
    set_options(s);
    const int count = chance(s, 0.75) ? sti_rng_int(&s->rng, 1, 4) : sti_rng_int(&s->rng, 5, 12);
    if (chance(s, 0.2))
        add_stack(s, count);
    else
        add_cloud(s, count);
    if (chance(s, 0.5)) add_joints(s);
    if (chance(s, 0.15)) add_line_springs(s);
    if (chance(s, 0.02)) contradict(s);
    if (chance(s, 0.85)) add_floor(s);
}

// ---- the account of energy

// A bound on how far the length of a spring may move beyond the first order in a step: its ends move by s against each
// other and turn, with their bodies, by phi about centres that are `arm` away.
static double line_excess(const scene* s, const sti_world* world, const sti_spring* spring, double* force) {
    const double h = s->options.h;
    double end[2][3], v[2][3] = {{0}}, bend = 0, length = 0, apart = 0;
    for (int e = 0; e < 2; e++) {
        const int body = e == 0 ? spring->a : spring->b;
        const double* at = e == 0 ? spring->at_a : spring->at_b;
        if (body < 0) {
            memcpy(end[e], at, sizeof end[e]);
            continue;
        }
        sti_pose pose;
        double w[3], arm[3], centre[3];
        sti_world_pose(world, body, &pose);
        sti_world_velocity(world, body, v[e], w);
        sti_pose_apply(&pose, at, end[e]);
        sti_pose_apply(&pose, sti_bodies_body(s->bodies, body)->centre, centre);
        for (int k = 0; k < 3; k++) arm[k] = end[e][k] - centre[k];
        const double turn[3] = {w[1] * arm[2] - w[2] * arm[1], w[2] * arm[0] - w[0] * arm[2],
                                w[0] * arm[1] - w[1] * arm[0]};
        for (int k = 0; k < 3; k++) v[e][k] += turn[k];
        const double phi = h * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        bend += phi * phi * sqrt(arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2]);
    }
    for (int k = 0; k < 3; k++) {
        length += (end[1][k] - end[0][k]) * (end[1][k] - end[0][k]);
        apart += (v[1][k] - v[0][k]) * (v[1][k] - v[0][k]);
    }
    length = sqrt(length);
    apart = h * sqrt(apart) + bend;
    *force = spring->stiffness * fabs(length - spring->rest) + spring->damping * apart / h;
    return bend + fmin(2 * apart, apart * apart / fmax(length, 1e-300));
}

// Joints: angles by the square of the turning, slides by turning times what is turned.
static double joint_excess(const scene* s, const sti_world* world, const sti_joint* joint) {
    const double h = s->options.h;
    double turn = 0, way = 0, far = 0;
    const double* first = NULL;
    sti_pose pose[2];
    for (int e = 0; e < 2; e++) {
        const int body = e == 0 ? joint->a : joint->b;
        double v[3], w[3];
        if (body < 0) continue;
        sti_world_pose(world, body, &pose[e]);
        sti_world_velocity(world, body, v, w);
        turn += h * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        way += h * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        if (first != NULL) {
            for (int k = 0; k < 3; k++) far += fabs(pose[e].x[k] - first[k]);
        }
        first = pose[e].x;
    }
    const bool turns = joint->kind == STI_JOINT_REVOLUTE;
    return turn * turn * (turns ? 1 : far + 4 * s->size) + (turns ? 0 : turn * way);
}

static double spring_allowance(const scene* s, const sti_world* world) {
    double sum = 0;
    for (int i = 0; i < s->spring_count; i++) {
        double force;
        const double delta = 2 * line_excess(s, world, &s->spring[i], &force);
        sum += force * delta + s->spring[i].stiffness * delta * delta;
    }
    for (int j = 0; j < sti_bodies_joint_count(s->bodies); j++) {
        const sti_joint* joint = sti_bodies_joint(s->bodies, j);
        for (int k = 0; k < 2; k++) {
            const sti_joint_axis* axis = &joint->axis[k];
            if (!(axis->stiffness > 0)) continue;
            sti_world_joint at;
            sti_world_joint_state(world, j, &at);
            const double delta = 2 * joint_excess(s, world, joint);
            const double force =
                axis->stiffness * fabs(at.coordinate[k] - axis->rest) + axis->damping * fabs(at.speed[k]);
            sum += force * delta + axis->stiffness * delta * delta;
        }
    }
    return sum;
}

// Energies that rounding is measured against: kinetic, and weights lifted by where they are.
static double energy_scale(const scene* s, const sti_world* world) {
    double kinetic, potential, scale = 0;
    sti_world_energy(world, &kinetic, &potential);
    for (int b = 0; b < s->count; b++) {
        sti_pose pose;
        sti_world_pose(world, b, &pose);
        const double far = fabs(pose.x[0]) + fabs(pose.x[1]) + fabs(pose.x[2]) + s->size;
        scale += 9.81 * far * sti_bodies_body(s->bodies, b)->mass;
    }
    return scale + kinetic + fabs(potential);
}

// ---- a run

typedef struct tally {
    long scenes, refused, steps, unsolved, overlaps, verified, impacts;
    double contacts, gain, grown, mended, penetration, drift, residual;
    long failed;
} tally;

static void complain(tally* t, const scene* s, long step, const char* what, double a, double b) {
    if (t->failed++ < 400)
        printf("scene %ld (%s, h %g, alpha %g%s), step %ld: %s: %g, %g\n", s->number, s->dim == 2 ? "plane" : "space",
               s->options.h, s->options.alpha, s->springs ? ", springs" : "", step, what, a, b);
}

static bool finite_state(const scene* s, const sti_world* world) {
    double sum = 0;
    for (int b = 0; b < s->count; b++) {
        sti_pose pose;
        double v[3], w[3];
        sti_world_pose(world, b, &pose);
        sti_world_velocity(world, b, v, w);
        for (int k = 0; k < 3; k++) sum += pose.x[k] + v[k] + w[k] + pose.q[k];
        sum += pose.q[3];
    }
    return isfinite(sum);
}

static void verify_step(tally* t, const scene* s, const sti_world* world, long step) {
    const sti_contact_answer* answer = NULL;
    const sti_contact_problem* problem = sti_world_problem(world, &answer);
    sti_contact_verification v;
    const sti_status status = sti_verify_contact(s->env, problem, answer, 1.01 * s->options.tol + 1e-14, &v);
    if (status != STI_OK)
        complain(t, s, step, sti_env_error(s->env)->text, status, 0);
    else if (!v.accepted)
        complain(t, s, step, v.text, v.residual, answer->residual);
    t->verified++;
}

static void poke(scene* s, sti_world* world) {
    const int b = sti_rng_int(&s->rng, 0, s->count - 1);
    const double weight = 9.81 * sti_bodies_body(s->bodies, b)->mass;
    double f[3] = {0}, m[3] = {0};
    for (int k = 0; k < s->dim; k++) f[k] = weight * draw(s, -1, 1);
    m[2] = weight * s->size * draw(s, -0.3, 0.3);
    must(s, sti_world_push(world, b, f, m));
}

// Energy from nowhere?
static void audit(tally* t, scene* s, const sti_world_report* r, long step) {
    const double now = r->kinetic + r->potential, grown = (now - s->last - r->work) / s->scale;
    if (!s->overlaps) t->grown = fmax(t->grown, grown);
    if (!s->overlaps && grown > GAIN) complain(t, s, step, "energy, mended", grown, r->mended / s->scale);
    s->last = now;
    s->overlaps = s->overlaps && s->may_overlap && fmax(r->penetration, r->drift) > 1e-8 * s->size;
    s->start += r->work + s->allowed;
    if (!r->solved) {
        if (r->gain > LOOSE * (s->scale + fabs(r->work)) + s->allowed)
            complain(t, s, step, "energy, not solved", r->gain / s->scale, s->allowed / s->scale);
        s->start = fmax(s->start, now);
        return;
    }
    if (s->springs) {
        if (step <= 2 || s->may_overlap) s->start += fmax(r->mended, 0);  // overlaps of the start
        if (now - s->start > GAIN * s->scale)
            complain(t, s, step, "energy", (now - s->start) / s->scale, s->allowed / s->scale);
        return;
    }
    if (r->gain > GAIN * s->scale) complain(t, s, step, "energy", r->gain / s->scale, r->mended / s->scale);
    t->gain = fmax(t->gain, r->gain / s->scale);
}

// What bounces or lands is closed at the end of its step.
static void audit_hits(tally* t, const scene* s, const sti_world* world, long step) {
    int count;
    const sti_world_contact* contacts = sti_world_contacts(world, &count);
    for (int c = 0; c < count; c++) {
        const double open = contacts[c].gap + s->options.h * contacts[c].u[0];
        if (!isnan(contacts[c].hit) && open > 1e-3 * s->size)
            complain(t, s, step, "hits, and is open", open / s->size, contacts[c].r[0]);
    }
}

static bool one_step(tally* t, scene* s, sti_world* world, long step) {
    sti_world_report r;
    s->allowed = s->springs ? spring_allowance(s, world) : 0;
    if (sti_world_step(world, &r) != STI_OK) {
        complain(t, s, step, sti_env_error(s->env)->text, 0, 0);
        return false;
    }
    t->steps++;
    t->contacts += r.contacts;
    t->impacts += r.impacts;
    if (!finite_state(s, world) || !isfinite(r.kinetic + r.potential + r.gain + r.work + r.penetration + r.drift)) {
        complain(t, s, step, "not a number", r.kinetic, r.potential);
        return false;
    }
    if (s->springs) s->allowed = fmax(s->allowed, spring_allowance(s, world));
    if (r.solved) s->scale = fmax(s->scale, energy_scale(s, world) + fabs(r.work));
    audit(t, s, &r, step);
    if (!r.solved) {
        t->unsolved++;
        t->overlaps += strstr(r.why, "overlap by") != NULL;
        if (r.why[0] == '\0') complain(t, s, step, "not solved, and no word why", r.residual, 0);
        if (listing) printf("scene %ld, step %ld: not solved: %s\n", s->number, step, r.why);
        return true;
    }
    if (!(r.residual <= s->options.tol)) complain(t, s, step, "solved, and is not", r.residual, s->options.tol);
    t->mended = fmax(t->mended, r.mended / s->scale);
    if (step > 2 && s->options.stabilize) {
        t->penetration = fmax(t->penetration, r.penetration / s->size);
        t->drift = fmax(t->drift, r.drift / s->size);
    }
    t->residual = fmax(t->residual, r.residual);
    if (step % 10 == s->number % 10) verify_step(t, s, world, step);
    audit_hits(t, s, world, step);
    return true;
}

static void run_scene(tally* t, long number) {
    sti_env* env = open_env();
    scene s;
    make_scene(&s, number, env);
    sti_world* world = NULL;
    const sti_status status = sti_world_create(env, s.bodies, &s.options, &world);
    t->scenes++;
    if (status != STI_OK) {
        t->refused++;
        if (status != STI_ERR_INPUT || !s.impossible || strlen(sti_env_error(env)->text) < 20)
            complain(t, &s, 0, sti_env_error(env)->text, status, 0);
    } else {
        double kinetic, potential;
        sti_world_energy(world, &kinetic, &potential);
        s.start = s.last = kinetic + potential;
        s.overlaps = true;
        s.scale = energy_scale(&s, world);
        if (s.impossible) complain(t, &s, 0, "joints that contradict each other were accepted", 0, 0);
        for (long step = 1; step <= STEPS; step++) {
            if (step == 30 && chance(&s, 0.1)) poke(&s, world);
            if (!one_step(t, &s, world, step)) break;
        }
    }
    sti_world_destroy(world);
    sti_bodies_destroy(s.bodies);
    sti_env_destroy(env);
}

static void random_worlds_step_without_surprise(void** state) {
    (void)state;
    tally t = {0};
    for (long i = 0; i < scenes_wanted; i++) run_scene(&t, first_scene + i);
    printf(
        "%ld scenes (%ld refused), %ld steps, %.1f contacts a step, %ld impacts; %ld not solved (%ld overlap), %ld "
        "verified; gain "
        "%.1e, grown %.1e, "
        "mended %.1e, residual %.1e, penetration %.1e, drift %.1e\n",
        t.scenes, t.refused, t.steps, t.contacts / (double)t.steps, t.impacts, t.unsolved, t.overlaps, t.verified,
        t.gain, t.grown, t.mended, t.residual, t.penetration, t.drift);
    assert_int_equal(t.failed, 0);
    assert_true(t.unsolved - t.overlaps <= t.steps / 100);
    assert_true(t.overlaps <= t.steps / 50);  // joints may hold two bodies in each other for good
}

int main(int argc, char** argv) {
    if (argc > 1) scenes_wanted = strtol(argv[1], NULL, 10);
    listing = argc > 1;
    if (argc > 2) first_scene = strtol(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_worlds_step_without_surprise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
