// test_build.c: what there is: mass properties, names, and what is refused.
#include "world_tools.h"

// The last call failed with bad input, and its message has these words.
static void assert_refused(sti_env* env, sti_status status, const char* first, const char* second, const char* third) {
    assert_int_equal(status, STI_ERR_INPUT);
    const char* text = sti_env_error(env)->text;
    if (strstr(text, first) == NULL || strstr(text, second) == NULL || strstr(text, third) == NULL)
        fail_msg("\"%s\" lacks \"%s\", \"%s\" or \"%s\"", text, first, second, third);
}

// ---- masses

static void density_gives_mass_centre_and_inertia(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_bodies(env, 3);
    const int b = add_body(bodies, "brick", false, sti_pose_identity(), NULL);
    // a brick of 2 x 1 x 1 in two halves, one of them turned a quarter about x
    const sti_pose left = {.x = {-0.5, 0, 0}, .q = {1, 0, 0, 0}}, right = {.x = {0.5, 0, 0}, .q = {1, 1, 0, 0}};
    assert_int_equal(sti_bodies_check(bodies), STI_ERR_INPUT);
    assert_int_equal(sti_bodies_add_shape(bodies, b, box(env, 3, 0.5, 0.5, 0.5), &left, 0), STI_OK);
    assert_near(sti_bodies_body(bodies, b)->centre[0], -0.5, 1e-15);
    assert_int_equal(sti_bodies_add_shape(bodies, b, box(env, 3, 0.5, 0.5, 0.5), &right, 0), STI_OK);
    assert_int_equal(sti_bodies_check(bodies), STI_OK);
    const sti_body* body = sti_bodies_body(bodies, b);
    const double m = 2000, expected[3] = {m / 12 * 2, m / 12 * 5, m / 12 * 5};
    assert_near(body->mass, m, 1e-10);
    for (int k = 0; k < 3; k++) {
        assert_near(body->centre[k], 0, 1e-15);
        assert_near(body->inertia[4 * k], expected[k], 1e-10);
        assert_near(bodies->mass[b].inverse[4 * k], 1 / expected[k], 1e-16);
    }
    assert_near(body->inertia[1], 0, 1e-12);
    sti_bodies_destroy(bodies);

    bodies = open_bodies(env, 2);
    const int d = add_body(bodies, NULL, false, sti_pose_identity(), NULL);
    const sti_pose aside = sti_pose_planar(3, 0, 1);
    assert_int_equal(sti_bodies_add_shape(bodies, d, sphere(env, 2, 1), NULL, 0), STI_OK);
    assert_int_equal(sti_bodies_add_shape(bodies, d, sphere(env, 2, 1), &aside, 0), STI_OK);
    body = sti_bodies_body(bodies, d);
    const double disc = 1000 * 3.14159265358979323846;
    assert_near(body->mass, 2 * disc, 1e-10);
    assert_near(body->centre[0], 1.5, 1e-15);
    assert_near(body->inertia[8], 2 * (0.5 * disc + 2.25 * disc), 1e-9);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void the_inverse_of_an_inertia_is_its_inverse(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {1};
    sti_bodies* bodies = open_bodies(env, 3);
    add_lump(bodies, &rng, sti_pose_identity());
    const sti_body_mass* mass = &bodies->mass[0];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            double s = 0;
            for (int m = 0; m < 3; m++) s += mass->inertia[3 * i + m] * mass->inverse[3 * m + k];
            assert_near(s, i == k, 1e-15);
        }
    }
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void places_and_poses_go_into_each_other(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {2};
    for (int repeat = 0; repeat < 50; repeat++) {
        const int dim = 2 + repeat % 2;
        sti_bodies* bodies = open_bodies(env, dim);
        const sti_pose pose = random_pose(&rng, dim, 3);
        add_lump(bodies, &rng, pose);
        sti_placed placed, moved;
        sti_pose back;
        sti_placed_from_pose(&bodies->mass[0], &pose, &placed);
        sti_placed_to_pose(&bodies->mass[0], &placed, &back);
        for (int k = 0; k < 3; k++) assert_near(back.x[k], pose.x[k], 1e-14);
        for (int k = 0; k < 4; k++) assert_near(back.q[k], pose.q[k], 1e-15);
        // there and back; and what does not move keeps its bits
        double d[6], minus[6];
        for (int k = 0; k < 6; k++) {
            d[k] = between(&rng, -2, 2);
            minus[k] = -d[k];
        }
        moved = placed;
        sti_placed_move(dim, d, &moved);
        sti_placed_move(dim, minus, &moved);
        for (int k = 0; k < 9; k++) assert_near(moved.R[k], placed.R[k], 1e-14);
        const double none[6] = {0};
        moved = placed;
        sti_placed_move(dim, none, &moved);
        assert_memory_equal(&moved, &placed, sizeof placed);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

// A hundred thousand small turns make the large one, and the quaternion keeps its length.
static void small_turns_add_up(void** state) {
    (void)state;
    const sti_body_mass mass = {.mass = 1};
    sti_pose pose = sti_pose_identity();
    sti_placed placed;
    sti_placed_from_pose(&mass, &pose, &placed);
    const double d[3] = {0, 0, 1e-3};
    for (int i = 0; i < 100000; i++) sti_placed_move(2, d, &placed);
    assert_near(atan2(placed.R[3], placed.R[0]), remainder(100.0, 2 * 3.14159265358979323846), 1e-11);
    double s = 0;
    for (int k = 0; k < 4; k++) s += placed.q[k] * placed.q[k];
    assert_near(s, 1, 1e-15);
}

// ---- names

static void names_are_copied_unique_and_made_up(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_bodies(env, 3);
    char text[] = "body 2";
    add_body(bodies, text, false, sti_pose_identity(), sphere(env, 3, 1));
    text[0] = 'x';
    assert_string_equal(sti_bodies_body(bodies, 0)->name, "body 2");
    const int second = add_body(bodies, NULL, false, sti_pose_identity(), sphere(env, 3, 1));
    assert_string_equal(sti_bodies_body(bodies, second)->name, "body 3");  // 2 is taken
    for (int i = 0; i < 300; i++) {
        const int b = add_body(bodies, NULL, false, sti_pose_identity(), NULL);
        assert_int_equal(sti_bodies_find(bodies, sti_bodies_body(bodies, b)->name), b);
    }
    assert_int_equal(sti_bodies_find(bodies, "body 2"), 0);
    assert_int_equal(sti_bodies_find(bodies, "nobody"), -1);
    assert_int_equal(sti_bodies_find(bodies, NULL), -1);
    sti_body body = sti_body_default();
    body.name = "body 2";
    const int count = sti_bodies_count(bodies);
    assert_refused(env, sti_bodies_add(bodies, &body, NULL), "body 2", "another", "name");
    body.name = "";
    assert_refused(env, sti_bodies_add(bodies, &body, NULL), "body", "name", "empty");
    assert_int_equal(sti_bodies_count(bodies), count);
    sti_joint joint = sti_joint_default(STI_JOINT_SPHERICAL, -1, 0);
    assert_int_equal(sti_bodies_add_joint(bodies, &joint, NULL), STI_OK);
    assert_string_equal(sti_bodies_joint(bodies, 0)->name, "joint 1");
    assert_int_equal(sti_bodies_find_joint(bodies, "joint 1"), 0);
    sti_material material = {.mu = 1};
    assert_int_equal(sti_bodies_add_material(bodies, &material, NULL), STI_OK);
    assert_string_equal(sti_bodies_material(bodies, 1)->name, "material 1");
    assert_int_equal(sti_bodies_material_count(bodies), 2);
    assert_null(sti_bodies_material(bodies, 2));
    assert_null(sti_bodies_body(bodies, -1));
    assert_null(sti_bodies_joint(bodies, 1));
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// ---- what is refused

static void bad_bodies_are_named_with_field_and_value(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_bodies(env, 3);
    sti_body good = sti_body_default();
    good.name = "crate";
    good.density = 0;
    good.mass = 2;
    for (int k = 0; k < 3; k++) good.inertia[4 * k] = 1;
    sti_body body = good;
    body.mass = -3;
    assert_refused(env, sti_bodies_add(bodies, &body, NULL), "crate", "mass", "-3");
    body = good;
    body.pose.x[1] = (double)NAN;
    assert_refused(env, sti_bodies_add(bodies, &body, NULL), "crate", "pose.x[1]", "nan");
    body = good;
    memset(body.pose.q, 0, sizeof body.pose.q);
    assert_refused(env, sti_bodies_add(bodies, &body, NULL), "crate", "pose.q", "0");
    body = good;
    body.v[2] = (double)INFINITY;
    assert_refused(env, sti_bodies_add(bodies, &body, NULL), "crate", "v[2]", "inf");
    body = good;
    body.density = -1;
    assert_refused(env, sti_bodies_add(bodies, &body, NULL), "crate", "density", "-1");
    body = good;
    body.inertia[1] = 0.5;
    assert_refused(env, sti_bodies_add(bodies, &body, NULL), "crate", "inertia", "symmetric");
    body.inertia[1] = body.inertia[3] = 2;
    assert_refused(env, sti_bodies_add(bodies, &body, NULL), "crate", "inertia", "definite");
    assert_int_equal(sti_bodies_count(bodies), 0);
    assert_int_equal(sti_bodies_add(bodies, &good, NULL), STI_OK);
    sti_bodies_destroy(bodies);

    bodies = open_bodies(env, 2);
    body = good;
    body.pose.x[2] = 1;
    assert_refused(env, sti_bodies_add(bodies, &body, NULL), "crate", "pose.x[2]", "plane");
    body = good;
    body.pose.q[1] = 1;
    assert_refused(env, sti_bodies_add(bodies, &body, NULL), "crate", "pose.q", "plane");
    body = good;
    body.w[0] = 1;
    assert_refused(env, sti_bodies_add(bodies, &body, NULL), "crate", "w[0]", "plane");
    body = good;
    body.inertia[8] = 0;
    assert_refused(env, sti_bodies_add(bodies, &body, NULL), "crate", "inertia", "0");
    sti_bodies_destroy(bodies);
    assert_int_equal(sti_bodies_create(env, 4, &bodies), STI_ERR_ARGUMENT);
    assert_null(bodies);
    sti_env_destroy(env);
}

static void bad_shapes_and_materials_are_refused(void** state) {
    (void)state;
    failing_env f;  // counts what is alive: a refused shape must be gone
    failing_env_open(&f, -1);
    sti_env* env = f.env;
    sti_bodies* bodies = open_bodies(env, 3);
    const int b = add_body(bodies, "ball", false, sti_pose_identity(), NULL);
    const sti_pose nowhere = {.x = {(double)NAN, 0, 0}, .q = {1, 0, 0, 0}};
    assert_refused(env, sti_bodies_add_shape(bodies, b, ground(env, 3), NULL, 0), "ball", "half", "fixed");
    assert_refused(env, sti_bodies_add_shape(bodies, b, sphere(env, 2, 1), NULL, 0), "ball", "dimension 2", "3");
    assert_refused(env, sti_bodies_add_shape(bodies, b, sphere(env, 3, 1), NULL, 7), "material 7", "1", "");
    assert_refused(env, sti_bodies_add_shape(bodies, 5, sphere(env, 3, 1), NULL, 0), "body 5", "1", "");
    assert_refused(env, sti_bodies_add_shape(bodies, b, sphere(env, 3, 1), &nowhere, 0), "ball", "place.x[0]", "nan");
    assert_int_equal(sti_bodies_add_shape(bodies, b, NULL, NULL, 0), STI_ERR_ARGUMENT);
    assert_int_equal(sti_bodies_shape_count(bodies), 0);
    assert_true(bodies->mass[b].mass == 0);
    sti_material material = {.name = "mud", .mu = -1};
    assert_refused(env, sti_bodies_add_material(bodies, &material, NULL), "mud", "mu", "-1");
    material.mu = 1;
    material.restitution = 1.5;
    assert_refused(env, sti_bodies_add_material(bodies, &material, NULL), "mud", "restitution", "1.5");
    assert_refused(env, sti_bodies_set_pair(bodies, 0, 3, 1, 0), "material 3", "", "");
    assert_refused(env, sti_bodies_set_pair(bodies, 0, 0, (double)NAN, 0), "default", "mu", "nan");
    assert_refused(env, sti_bodies_ignore(bodies, b, b), "ball", "", "");
    const double g[3] = {0, (double)NAN, 0};
    sti_bodies_set_gravity(bodies, g);
    assert_refused(env, sti_bodies_check(bodies), "gravity[1]", "nan", "");
    sti_bodies_destroy(bodies);
    failing_env_close(&f);
}

static void bad_joints_are_named_with_field_and_value(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_bodies(env, 3);
    for (int i = 0; i < 3; i++) add_body(bodies, NULL, false, sti_pose_identity(), sphere(env, 3, 1));
    sti_joint good = sti_joint_default(STI_JOINT_REVOLUTE, 0, 1);
    good.name = "hinge";
    sti_joint joint = good;
    joint.a = 9;
    assert_refused(env, sti_bodies_add_joint(bodies, &joint, NULL), "hinge", "a", "9");
    joint = good;
    joint.b = 0;
    assert_refused(env, sti_bodies_add_joint(bodies, &joint, NULL), "hinge", "itself", "body 1");
    joint = good;
    joint.at_b.x[0] = (double)NAN;
    assert_refused(env, sti_bodies_add_joint(bodies, &joint, NULL), "hinge", "at_b.x[0]", "nan");
    joint = good;
    joint.axis[0].lower = 2;
    joint.axis[0].upper = 1;
    assert_refused(env, sti_bodies_add_joint(bodies, &joint, NULL), "hinge", "axis[0]", "from 2 to 1");
    joint = good;
    joint.axis[0].damping = -4;
    assert_refused(env, sti_bodies_add_joint(bodies, &joint, NULL), "hinge", "axis[0].damping", "-4");
    joint = good;
    joint.kind = STI_JOINT_DISTANCE;
    joint.length = 0;
    assert_refused(env, sti_bodies_add_joint(bodies, &joint, NULL), "hinge", "length", "0");
    joint.kind = (sti_joint_kind)77;
    assert_refused(env, sti_bodies_add_joint(bodies, &joint, NULL), "hinge", "kind", "77");
    assert_int_equal(sti_bodies_add_joint(bodies, &good, NULL), STI_OK);

    joint = sti_joint_default(STI_JOINT_GEAR, -1, -1);
    joint.name = "cogs";
    assert_refused(env, sti_bodies_add_joint(bodies, &joint, NULL), "cogs", "of[0]", "-1");
    joint.of[0] = joint.of[1] = 0;
    assert_refused(env, sti_bodies_add_joint(bodies, &joint, NULL), "cogs", "itself", "hinge");
    joint.of_axis[1] = 1;
    assert_refused(env, sti_bodies_add_joint(bodies, &joint, NULL), "cogs", "of_axis[1]", "hinge");
    const sti_joint other = sti_joint_default(STI_JOINT_REVOLUTE, 0, 2);
    assert_int_equal(sti_bodies_add_joint(bodies, &other, NULL), STI_OK);
    joint.of[1] = 1;
    joint.of_axis[1] = 0;
    assert_int_equal(sti_bodies_add_joint(bodies, &joint, NULL), STI_OK);  // three bodies
    sti_spring spring = {.a = 0, .b = 1, .stiffness = -2};
    assert_refused(env, sti_bodies_add_spring(bodies, &spring), "spring", "stiffness", "-2");
    spring.a = 1;
    assert_refused(env, sti_bodies_add_spring(bodies, &spring), "spring", "itself", "1");
    sti_bodies_destroy(bodies);

    bodies = open_bodies(env, 2);
    add_body(bodies, NULL, false, sti_pose_identity(), sphere(env, 2, 1));
    joint = sti_joint_default(STI_JOINT_SPHERICAL, -1, 0);
    joint.name = "ball";
    assert_refused(env, sti_bodies_add_joint(bodies, &joint, NULL), "ball", "spherical", "plane");
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// ---- joints by a point and an axis

static void placed_joints_have_their_axis_and_no_defect(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {11};
    for (int repeat = 0; repeat < 100; repeat++) {
        const int dim = 2 + repeat % 2;
        sti_bodies* bodies = open_bodies(env, dim);
        for (int i = 0; i < 2; i++) add_lump(bodies, &rng, random_pose(&rng, dim, 2));
        const sti_joint_kind kind = repeat % 4 < 2 ? STI_JOINT_REVOLUTE : STI_JOINT_PRISMATIC;
        sti_joint joint = sti_joint_default(kind, repeat % 3 == 0 ? -1 : 0, 1);
        double point[3], axis[3];
        for (int k = 0; k < 3; k++) {
            point[k] = between(&rng, -1, 1);
            axis[k] = repeat == 1 ? (k == 2 ? -1 : 0) : between(&rng, -1, 1);  // straight down once
        }
        assert_int_equal(sti_joint_place(bodies, point, axis, &joint), STI_OK);
        assert_int_equal(sti_bodies_add_joint(bodies, &joint, NULL), STI_OK);
        sti_world world;
        world_open(&world, env, bodies);
        sti_row rows[6], row;
        double defect[6];
        const int count = sti_joint_rows(&world, 0, rows, defect);
        for (int i = 0; i < count; i++) assert_near(defect[i], 0, 2e-15);
        assert_near(sti_joint_coordinate(&world, 0, 0, &row), 0, 2e-15);
        // the row of a slide is the axis itself, that of a turn is the axis in body axes
        const double length =
            dim == 2 ? hypot(axis[0], axis[1]) : sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
        for (int k = 0; k < dim; k++) {
            if (kind == STI_JOINT_PRISMATIC) assert_near(row.ja[k], axis[k] / length, 1e-14);
        }
        world_close(&world);
        sti_bodies_destroy(bodies);
    }
    sti_bodies* bodies = open_bodies(env, 3);
    add_body(bodies, NULL, false, sti_pose_identity(), sphere(env, 3, 1));
    sti_joint joint = sti_joint_default(STI_JOINT_REVOLUTE, -1, 0);
    const double zero[3] = {0, 0, 0};
    assert_refused(env, sti_joint_place(bodies, zero, zero, &joint), "revolute", "axis", "no direction");
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void kinds_of_joints_have_names_and_counts(void** state) {
    (void)state;
    const int rows[STI_JOINT_KIND_COUNT] = {6, 5, 5, 4, 3, 3, 1, 1},
              plane[STI_JOINT_KIND_COUNT] = {3, 2, 2, 0, 0, 0, 1, 1};
    for (int k = 0; k < STI_JOINT_KIND_COUNT; k++) {
        sti_joint_kind kind = STI_JOINT_KIND_COUNT;
        assert_true(sti_joint_kind_parse(sti_joint_kind_text((sti_joint_kind)k), &kind));
        assert_int_equal(kind, k);
        assert_int_equal(sti_joint_row_count(3, kind), rows[k]);
        assert_int_equal(sti_joint_row_count(2, kind), plane[k]);
    }
    sti_joint_kind kind;
    assert_false(sti_joint_kind_parse("glued", &kind));
    assert_false(sti_joint_kind_parse(NULL, &kind));
    assert_string_equal(sti_joint_kind_text((sti_joint_kind)99), "unknown");
}

// ---- memory

static sti_status build_all(sti_env* env, sti_bodies** out) {
    *out = NULL;
    sti_status status = sti_bodies_create(env, 3, out);
    const sti_material material = {.name = "rubber", .mu = 1};
    if (status == STI_OK) status = sti_bodies_add_material(*out, &material, NULL);
    for (int i = 0; status == STI_OK && i < 9; i++) {
        const sti_body body = sti_body_default();
        sti_shape* shape = NULL;
        status = sti_bodies_add(*out, &body, NULL);
        if (status == STI_OK) status = sti_shape_create_sphere(env, 3, 1, &shape);
        if (status == STI_OK) status = sti_bodies_add_shape(*out, i, shape, NULL, 1);
        if (status == STI_OK && i > 0) status = sti_bodies_ignore(*out, 0, i);
        const sti_joint joint = sti_joint_default(STI_JOINT_FIXED, -1, i);
        if (status == STI_OK) status = sti_bodies_add_joint(*out, &joint, NULL);
        const sti_spring spring = {.a = -1, .b = i};
        if (status == STI_OK) status = sti_bodies_add_spring(*out, &spring);
    }
    return status;
}

static void building_survives_every_failed_allocation(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_bodies* bodies;
        const sti_status status = build_all(f.env, &bodies);
        if (status != STI_OK) {
            assert_int_equal(status, STI_ERR_MEMORY);
            // what is there is whole
            if (bodies != NULL) {
                assert_true(bodies->count <= 9);
                add_body(bodies, "late", false, sti_pose_identity(), NULL);
                assert_int_equal(sti_bodies_find(bodies, "late"), bodies->count - 1);
            }
        }
        sti_bodies_destroy(bodies);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(density_gives_mass_centre_and_inertia),
        cmocka_unit_test(the_inverse_of_an_inertia_is_its_inverse),
        cmocka_unit_test(places_and_poses_go_into_each_other),
        cmocka_unit_test(small_turns_add_up),
        cmocka_unit_test(names_are_copied_unique_and_made_up),
        cmocka_unit_test(bad_bodies_are_named_with_field_and_value),
        cmocka_unit_test(bad_shapes_and_materials_are_refused),
        cmocka_unit_test(bad_joints_are_named_with_field_and_value),
        cmocka_unit_test(placed_joints_have_their_axis_and_no_defect),
        cmocka_unit_test(kinds_of_joints_have_names_and_counts),
        cmocka_unit_test(building_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
