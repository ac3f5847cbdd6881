// test_joints.c: rows of joints are the derivatives of their defects, and defects lead back from everywhere.
#include "world_tools.h"

#define PI 3.14159265358979323846

// What a joint of this kind leaves free, as the pose of B in A.
static sti_pose free_motion(sti_rng* rng, int dim, sti_joint_kind kind, double length) {
    const double slide = between(rng, -1, 1), angle = between(rng, -3, 3);
    sti_pose move = sti_pose_identity();
    const sti_pose turn = {.q = {cos(angle / 2), 0, 0, sin(angle / 2)}};
    switch (kind) {
        case STI_JOINT_REVOLUTE:
            return turn;
        case STI_JOINT_PRISMATIC:
            move.x[dim == 2 ? 0 : 2] = slide;
            return move;
        case STI_JOINT_CYLINDRICAL:
            move = turn;
            move.x[2] = slide;
            return move;
        case STI_JOINT_SPHERICAL:
            move = random_pose(rng, dim, 1);
            memset(move.x, 0, sizeof move.x);
            return move;
        case STI_JOINT_PLANAR:
            move = turn;
            move.x[0] = slide;
            move.x[1] = between(rng, -1, 1);
            return move;
        case STI_JOINT_DISTANCE: {
            move = random_pose(rng, dim, 1);
            const double s = length / sqrt(move.x[0] * move.x[0] + move.x[1] * move.x[1] + move.x[2] * move.x[2]);
            for (int k = 0; k < 3; k++) move.x[k] *= s;
            return move;
        }
        default:
            return move;
    }
}

static sti_pose inverse(sti_pose p) {
    sti_pose out = {.q = {p.q[0], -p.q[1], -p.q[2], -p.q[3]}};
    const double zero[3] = {0, 0, 0};
    sti_pose_apply_inverse(&p, zero, out.x);
    return out;
}

// Two bodies (or one and the world) with a joint between them that is satisfied.
static sti_bodies* joined(sti_env* env, sti_rng* rng, int dim, sti_joint_kind kind, bool to_world) {
    sti_bodies* bodies = open_bodies(env, dim);
    sti_joint joint = sti_joint_default(kind, -1, -1);
    joint.at_a = random_pose(rng, dim, 1);
    joint.at_b = random_pose(rng, dim, 1);
    joint.length = between(rng, 0.5, 1.5);
    sti_pose pose_a = sti_pose_identity();
    if (!to_world) {
        pose_a = random_pose(rng, dim, 2);
        joint.a = add_lump(bodies, rng, pose_a);
    }
    const sti_pose A = sti_pose_compose(&pose_a, &joint.at_a);
    const sti_pose motion = free_motion(rng, dim, kind, joint.length);
    const sti_pose B = sti_pose_compose(&A, &motion), back = inverse(joint.at_b);
    joint.b = add_lump(bodies, rng, sti_pose_compose(&B, &back));
    assert_int_equal(sti_bodies_add_joint(bodies, &joint, NULL), STI_OK);
    return bodies;
}

static void for_each_kind(void (*test)(sti_env*, sti_rng*, int dim, sti_joint_kind kind, bool to_world)) {
    sti_env* env = open_env();
    sti_rng rng = {17};
    for (int dim = 2; dim <= 3; dim++) {
        for (int kind = 0; kind < STI_JOINT_GEAR; kind++) {
            if (sti_joint_row_count(dim, (sti_joint_kind)kind) == 0) continue;
            for (int repeat = 0; repeat < 20; repeat++) test(env, &rng, dim, (sti_joint_kind)kind, repeat % 3 == 0);
        }
    }
    sti_env_destroy(env);
}

// ---- rows against differences

static void difference_rows(sti_env* env, sti_rng* rng, int dim, sti_joint_kind kind, bool to_world) {
    sti_bodies* bodies = joined(env, rng, dim, kind, to_world);
    sti_world world;
    world_open(&world, env, bodies);
    sti_row rows[6], scratch[6];
    double defect[6], ahead[6], behind[6], v[12];
    random_velocity(rng, &world, v);
    const int count = sti_joint_rows(&world, 0, rows, defect);
    assert_int_equal(count, sti_joint_row_count(dim, kind));
    for (int i = 0; i < count; i++) assert_near(defect[i], 0, 1e-14);
    const double eps = 1e-4;
    world_move(&world, eps, v);
    assert_int_equal(sti_joint_rows(&world, 0, scratch, ahead), count);
    world_move(&world, -2 * eps, v);
    sti_joint_rows(&world, 0, scratch, behind);
    for (int i = 0; i < count; i++)
        assert_near((ahead[i] - behind[i]) / (2 * eps), sti_row_apply(&world, &rows[i], v), 2e-7);
    world_close(&world);
    sti_bodies_destroy(bodies);
}

static void rows_are_derivatives_of_defects(void** state) {
    (void)state;
    for_each_kind(difference_rows);
}

static void difference_coordinates(sti_env* env, sti_rng* rng, int dim, sti_joint_kind kind, bool to_world) {
    sti_bodies* bodies = joined(env, rng, dim, kind, to_world);
    sti_world world;
    world_open(&world, env, bodies);
    // a velocity that the joint allows: what is left of a random one after its rows, by a few sweeps
    sti_row rows[6], row;
    double defect[6], v[12], back[12];
    random_velocity(rng, &world, v);
    const int count = sti_joint_rows(&world, 0, rows, defect);
    for (int sweep = 0; sweep < 4000; sweep++) {
        for (int i = 0; i < count; i++) {
            double impulse[12] = {0};
            const double s = sti_row_apply(&world, &rows[i], v) / sti_row_mass(&world, &rows[i], &rows[i]);
            sti_row_add(&world, &rows[i], -s, impulse);
            sti_world_mass_solve(&world, impulse, back);
            for (int k = 0; k < world.moving * world.nv; k++) v[k] += back[k];
        }
    }
    const double eps = 1e-4;
    for (int k = 0; k < sti_joint_axis_count(dim, kind); k++) {
        sti_joint_coordinate(&world, 0, k, &row);
        const double speed = sti_row_apply(&world, &row, v);
        world_move(&world, eps, v);
        const double ahead = sti_joint_coordinate(&world, 0, k, NULL);
        world_move(&world, -2 * eps, v);
        const double behind = sti_joint_coordinate(&world, 0, k, NULL);
        world_move(&world, eps, v);
        assert_near((ahead - behind) / (2 * eps), speed, 1e-6);
    }
    world_close(&world);
    sti_bodies_destroy(bodies);
}

static void coordinates_change_as_their_rows_say(void** state) {
    (void)state;
    for_each_kind(difference_coordinates);
}

// ---- far from the solution

// One body against the world, anywhere. Turning it back by the rotation vector of the defects, then shifting it by the
// others, satisfies the joint, and the way is never longer than half a turn.
static void lead_back(sti_env* env, sti_rng* rng, int dim, sti_joint_kind kind, bool to_world) {
    (void)to_world;
    if (kind == STI_JOINT_DISTANCE) return;
    sti_bodies* bodies = joined(env, rng, dim, kind, true);
    sti_world world;
    world_open(&world, env, bodies);
    double d[6];
    for (int k = 0; k < 6; k++) d[k] = between(rng, -3, 3);
    sti_placed_move(dim, d, &world.placed[0]);
    sti_row rows[6];
    double defect[6];
    for (int round = 0; round < 2; round++) {  // first the turn, then the shift
        const int count = sti_joint_rows(&world, 0, rows, defect);
        double move[6] = {0}, angle = 0;
        for (int i = 0; i < count; i++) {
            double shift = 0;
            for (int k = 0; k < dim; k++) shift += rows[i].ja[k] * rows[i].ja[k];
            if ((shift > 0) != (round == 1)) continue;
            if (round == 0) angle += defect[i] * defect[i];
            // orthonormal rows: the least move is minus the defect along each
            for (int k = round == 0 ? dim : 0; k < (round == 0 ? world.nv : dim); k++)
                move[k] -= defect[i] * rows[i].ja[k];
        }
        assert_true(sqrt(angle) <= PI + 1e-12);
        sti_placed_move(dim, move, &world.placed[0]);
    }
    const int count = sti_joint_rows(&world, 0, rows, defect);
    for (int i = 0; i < count; i++) assert_near(defect[i], 0, 1e-13);
    world_close(&world);
    sti_bodies_destroy(bodies);
}

static void defects_lead_back_from_everywhere(void** state) {
    (void)state;
    for_each_kind(lead_back);
}

static void opposite_axes_are_half_a_turn_apart(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_bodies(env, 3);
    const sti_pose upside_down = {.q = {0, 1, 0, 0}};
    const int b = add_body(bodies, NULL, false, upside_down, sphere(env, 3, 1));
    const sti_joint joint = sti_joint_default(STI_JOINT_REVOLUTE, -1, b);
    assert_int_equal(sti_bodies_add_joint(bodies, &joint, NULL), STI_OK);
    sti_world world;
    world_open(&world, env, bodies);
    sti_row rows[6];
    double defect[6];
    assert_int_equal(sti_joint_rows(&world, 0, rows, defect), 5);
    assert_near(hypot(defect[3], defect[4]), PI, 1e-15);
    world_close(&world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// ---- free coordinates

static void a_wheel_counts_its_turns(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        sti_bodies* bodies = open_bodies(env, dim);
        const int b = add_body(bodies, "wheel", false, sti_pose_identity(), sphere(env, dim, 1));
        const sti_joint joint = sti_joint_default(STI_JOINT_REVOLUTE, -1, b);
        assert_int_equal(sti_bodies_add_joint(bodies, &joint, NULL), STI_OK);
        sti_world world;
        world_open(&world, env, bodies);
        double v[6] = {0};
        v[dim == 2 ? 2 : 5] = -0.7;
        for (int step = 1; step <= 100; step++) {
            world_move(&world, 1, v);
            sti_world_turned_update(&world);
            assert_near(world.turned[0], -0.7 * step, 1e-12);
        }
        world_close(&world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

static void sides_that_do_not_move_have_no_number(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_bodies(env, 3);
    const int floor = add_body(bodies, "floor", true, sti_pose_identity(), NULL);
    const int ball = add_body(bodies, "ball", false, sti_pose_identity(), sphere(env, 3, 1));
    sti_joint joint = sti_joint_default(STI_JOINT_FIXED, floor, ball);
    assert_int_equal(sti_bodies_add_joint(bodies, &joint, NULL), STI_OK);
    joint = sti_joint_default(STI_JOINT_SPHERICAL, -1, floor);
    assert_int_equal(sti_bodies_add_joint(bodies, &joint, NULL), STI_OK);
    sti_world world;
    world_open(&world, env, bodies);
    sti_row rows[6];
    double defect[6];
    assert_int_equal(sti_joint_rows(&world, 0, rows, defect), 6);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(rows[i].a, ball);
        assert_int_equal(rows[i].b, -1);
        for (int k = 0; k < 6; k++) assert_true(rows[i].jb[k] == 0);
    }
    assert_int_equal(sti_joint_rows(&world, 1, rows, defect), 0);
    world_close(&world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// ---- gears

static void gears_couple_two_wheels(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        sti_bodies* bodies = open_bodies(env, dim);
        sti_pose right = sti_pose_identity();
        right.x[0] = 3;
        const int big = add_body(bodies, "big", false, sti_pose_identity(), sphere(env, dim, 2));
        const int small = add_body(bodies, "small", false, right, sphere(env, dim, 1));
        sti_joint joint = sti_joint_default(STI_JOINT_REVOLUTE, -1, big);
        assert_int_equal(sti_bodies_add_joint(bodies, &joint, NULL), STI_OK);
        joint = sti_joint_default(STI_JOINT_REVOLUTE, -1, small);
        joint.at_a = right;
        assert_int_equal(sti_bodies_add_joint(bodies, &joint, NULL), STI_OK);
        joint = sti_joint_default(STI_JOINT_GEAR, -1, -1);
        joint.of[0] = 0;
        joint.of[1] = 1;
        joint.ratio = 0.5;
        assert_int_equal(sti_bodies_add_joint(bodies, &joint, NULL), STI_OK);
        sti_world world;
        world_open(&world, env, bodies);
        sti_row row[6];
        double defect[6], v[12] = {0};
        const int turn = dim == 2 ? 2 : 5;
        v[turn] = 1;
        v[world.nv + turn] = -2;
        assert_int_equal(sti_joint_rows(&world, 2, row, defect), 1);
        assert_near(sti_row_apply(&world, row, v), 0, 1e-15);
        v[turn] = 3;
        assert_near(sti_row_apply(&world, row, v), 2, 1e-15);
        world_move(&world, 0.1, v);
        sti_joint_rows(&world, 2, row, defect);
        assert_near(defect[0], 0.2, 1e-15);
        world_close(&world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

// ---- springs

// Minus the change of the potential energy along v is the power of the applied forces.
static void compare_power(sti_world* world, const double* v) {
    sti_soft soft[16];
    double f[12] = {0}, power = 0;
    const int count = sti_world_soft(world, v, soft);
    assert_true(count <= sti_world_soft_count(world));
    for (int i = 0; i < count; i++) sti_row_add(world, &soft[i].row, soft[i].force, f);
    sti_world_gravity(world, f);
    for (int k = 0; k < world->moving * world->nv; k++) power += f[k] * v[k];
    const double eps = 1e-4;
    world_move(world, eps, v);
    const double ahead = sti_world_potential(world, NULL);
    world_move(world, -2 * eps, v);
    const double behind = sti_world_potential(world, NULL);
    world_move(world, eps, v);
    assert_near((behind - ahead) / (2 * eps), power, 1e-5);
}

static void springs_and_weight_do_the_work_of_their_energy(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {5};
    const double g[3] = {0.3, -9.8, 0.1};
    for (int repeat = 0; repeat < 60; repeat++) {
        const int dim = 2 + repeat % 2;
        sti_bodies* bodies = open_bodies(env, dim);
        sti_bodies_set_gravity(bodies, g);
        for (int i = 0; i < 2; i++) add_lump(bodies, &rng, random_pose(&rng, dim, 1));
        sti_spring spring = {.a = repeat % 3 - 1, .b = 1, .stiffness = 7, .rest = 0.2};
        if (spring.a == 1) spring.b = 0;
        for (int k = 0; k < dim; k++) {
            spring.at_a[k] = between(&rng, -1, 1);
            spring.at_b[k] = between(&rng, -1, 1);
        }
        assert_int_equal(sti_bodies_add_spring(bodies, &spring), STI_OK);
        // a slide: its coordinate has the row as its derivative everywhere
        sti_joint slide = sti_joint_default(STI_JOINT_PRISMATIC, 0, 1);
        slide.axis[0].stiffness = 3;
        slide.axis[0].rest = 0.4;
        assert_int_equal(sti_bodies_add_joint(bodies, &slide, NULL), STI_OK);
        sti_world world;
        double v[12];
        world_open(&world, env, bodies);
        random_velocity(&rng, &world, v);
        compare_power(&world, v);
        world_close(&world);
        sti_bodies_destroy(bodies);
    }
    // a torsion spring on a wheel that has turned more than once
    sti_bodies* bodies = open_bodies(env, 2);
    const int b = add_body(bodies, "wheel", false, sti_pose_identity(), sphere(env, 2, 1));
    sti_joint pin = sti_joint_default(STI_JOINT_REVOLUTE, -1, b);
    pin.axis[0].stiffness = 2;
    assert_int_equal(sti_bodies_add_joint(bodies, &pin, NULL), STI_OK);
    sti_world world;
    const double v[3] = {0, 0, 1};
    world_open(&world, env, bodies);
    for (int i = 0; i < 10; i++) {
        world_move(&world, 1, v);
        sti_world_turned_update(&world);
    }
    assert_near(sti_world_potential(&world, NULL), 100, 1e-11);
    compare_power(&world, v);
    world_close(&world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// Dampers resist, and the rows across a stretched spring are those of its tension: together they are the whole
// derivative of a spring without a length of its own.
static void a_spring_of_length_zero_pulls_alike_in_all_directions(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int together = 0; together < 2; together++) {
        sti_bodies* bodies = open_bodies(env, 3);
        sti_pose aside = sti_pose_identity();
        if (together == 0) {
            aside.x[0] = 0.3;
            aside.x[1] = -0.2;
        }
        const int b = add_body(bodies, NULL, false, aside, sphere(env, 3, 1));
        const sti_spring spring = {.a = -1, .b = b, .stiffness = 5, .damping = 2};
        assert_int_equal(sti_bodies_add_spring(bodies, &spring), STI_OK);
        sti_world world;
        world_open(&world, env, bodies);
        sti_soft soft[3];
        double K[9] = {0}, v[6] = {0.3, -0.2};
        assert_int_equal(sti_world_soft(&world, v, soft), 3);
        for (int m = 0; m < 3; m++) {
            for (int i = 0; i < 9; i++) K[i] += soft[m].stiffness * soft[m].row.ja[i / 3] * soft[m].row.ja[i % 3];
        }
        for (int i = 0; i < 9; i++) assert_near(K[i], i % 4 == 0 ? 5 : 0, 1e-14);
        if (together == 0) assert_near(soft[0].force, -(5 + 2) * hypot(0.3, 0.2), 1e-14);
        world_close(&world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_derivatives_of_defects),
        cmocka_unit_test(coordinates_change_as_their_rows_say),
        cmocka_unit_test(defects_lead_back_from_everywhere),
        cmocka_unit_test(opposite_axes_are_half_a_turn_apart),
        cmocka_unit_test(a_wheel_counts_its_turns),
        cmocka_unit_test(sides_that_do_not_move_have_no_number),
        cmocka_unit_test(gears_couple_two_wheels),
        cmocka_unit_test(springs_and_weight_do_the_work_of_their_energy),
        cmocka_unit_test(a_spring_of_length_zero_pulls_alike_in_all_directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
