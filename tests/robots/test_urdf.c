// URDF: robots as bodies and joints, the report of what was not taken as it stands, and every mistake with file, line,
// element and value.
#include <stiction/urdf.h>

#include "support/io_tools.h"

#define INERTIAL(m) \
    "<inertial><mass value='" #m "'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"

typedef struct robot {
    sti_env* env;
    sti_bodies* bodies;
    sti_urdf_report report;
    sti_status status;
} robot;

static robot parse_as(const char* text, const char* name, const sti_urdf_options* options) {
    robot r = {.env = io_env(NULL)};
    assert_int_equal(sti_bodies_create(r.env, 3, &r.bodies), STI_OK);
    r.status = sti_urdf_parse(r.env, text, strlen(text), name, options, r.bodies, &r.report);
    return r;
}

static robot parse(const char* text, const sti_urdf_options* options) {
    robot r = parse_as(text, "t.urdf", options);
    if (r.status != STI_OK) print_error("%s\n", sti_env_error(r.env)->text);
    assert_int_equal(r.status, STI_OK);
    return r;
}

static void drop(robot* r) {
    sti_urdf_report_clear(r->env, &r->report);
    sti_bodies_destroy(r->bodies);
    sti_env_destroy(r->env);
}

static const sti_urdf_remark* remark(const robot* r, sti_urdf_what what, const char* element, const char* text) {
    for (int k = 0; k < r->report.remark_count; k++) {
        const sti_urdf_remark* m = &r->report.remarks[k];
        if (m->what == what && strstr(m->element, element) != NULL && strstr(m->text, text) != NULL) return m;
    }
    for (int k = 0; k < r->report.remark_count; k++)
        print_error("%s: %s: %s\n", sti_urdf_what_text(r->report.remarks[k].what), r->report.remarks[k].element,
                    r->report.remarks[k].text);
    print_error("no remark \"%s\" \"%s\"\n", element, text);
    fail();
    return NULL;
}

static void expect_near(const double* x, const double* y, int count, double tol) {
    for (int k = 0; k < count; k++) {
        if (!(fabs(x[k] - y[k]) <= tol)) print_error("entry %d: %.17g, expected %.17g\n", k, x[k], y[k]);
        assert_true(fabs(x[k] - y[k]) <= tol);
    }
}

static const char two_links[] =
    "<?xml version='1.0'?>\n"
    "<robot name='two'>\n"
    "  <link name='base'/>\n"
    "  <link name='arm'>\n"
    "    <inertial>\n"
    "      <origin xyz='0 0 0.5' rpy='0 0 1.5707963267948966'/>\n"
    "      <mass value='2'/>\n"
    "      <inertia ixx='0.2' ixy='0' ixz='0' iyy='0.3' iyz='0' izz='0.15'/>\n"
    "    </inertial>\n"
    "    <collision><origin xyz='0 0 0.5'/><geometry><box size='0.1 0.2 1'/></geometry></collision>\n"
    "  </link>\n"
    "  <joint name='shoulder' type='revolute'>\n"
    "    <parent link='base'/><child link='arm'/>\n"
    "    <origin xyz='0 0 1' rpy='0 0 0'/>\n"
    "    <axis xyz='0 1 0'/>\n"
    "    <limit lower='-1' upper='2' effort='30' velocity='3'/>\n"
    "    <dynamics damping='0.7' friction='0.4'/>\n"
    "  </joint>\n"
    "</robot>\n";

static void a_link_on_a_hinge_has_its_mass_place_and_limits(void** state) {
    (void)state;
    robot r = parse(two_links, NULL);
    assert_string_equal(r.report.robot, "two");
    assert_int_equal(sti_bodies_count(r.bodies), 2);
    assert_true(r.report.body_count == 2 && r.report.joint_count == 1 && r.report.link_count == 2);
    const sti_body* base = sti_bodies_body(r.bodies, sti_bodies_find(r.bodies, "base"));
    const sti_body* arm = sti_bodies_body(r.bodies, sti_bodies_find(r.bodies, "arm"));
    assert_true(base->fixed && !arm->fixed);
    assert_true(arm->mass == 2);
    expect_near(arm->pose.x, (double[]){0, 0, 1}, 3, 0);
    expect_near(arm->centre, (double[]){0, 0, 0.5}, 3, 1e-15);
    // the axes of the inertia are turned by 90 degrees about z
    expect_near(arm->inertia, (double[]){0.3, 0, 0, 0, 0.2, 0, 0, 0, 0.15}, 9, 1e-15);
    const sti_joint* j = sti_bodies_joint(r.bodies, sti_bodies_find_joint(r.bodies, "shoulder"));
    assert_int_equal(j->kind, STI_JOINT_REVOLUTE);
    assert_true(j->axis[0].lower == -1 && j->axis[0].upper == 2);
    assert_true(j->axis[0].damping == 0.7 && j->axis[0].friction == 0.4 && j->axis[0].motor_force == 0);
    double R[9];
    sti_pose_rotation(&j->at_a, R);
    expect_near((double[]){R[2], R[5], R[8]}, (double[]){0, 1, 0}, 3, 1e-15);
    remark(&r, STI_URDF_IGNORED, "limit: velocity", "not limited");
    remark(&r, STI_URDF_IGNORED, "limit: effort", "has none");
    drop(&r);
}

static void positions_of_joints_give_the_places_of_links(void** state) {
    (void)state;
    sti_urdf_options options = sti_urdf_options_default();
    sti_urdf_setting s = sti_urdf_setting_default("shoulder");
    s.position = 0.5;
    options.setting_count = 1;
    options.settings = &s;
    options.name = "left";
    options.place = sti_pose_planar(3, 4, 0.3);
    robot r = parse(two_links, &options);
    const sti_body* arm = sti_bodies_body(r.bodies, sti_bodies_find(r.bodies, "left/arm"));
    assert_int_equal(sti_bodies_find_joint(r.bodies, "left/shoulder"), 0);
    double tip[3];
    sti_pose_apply(&arm->pose, (double[]){0, 0, 1}, tip);
    const double out = sin(0.5);
    expect_near(tip, (double[]){3 + out * cos(0.3), 4 + out * sin(0.3), 1 + cos(0.5)}, 3, 1e-14);
    drop(&r);
}

static void roll_pitch_and_yaw_turn_about_fixed_axes(void** state) {
    (void)state;
    robot r = parse("<robot name='r'><link name='a'/><link name='b'>" INERTIAL(
                        1) "</link><joint name='j' type='floating'><parent link='a'/><child link='b'/>"
                           "<origin xyz='1 2 3' rpy='0.3 -0.7 1.1'/></joint></robot>",
                    NULL);
    assert_int_equal(sti_bodies_joint_count(r.bodies), 0);
    double R[9], p[3] = {0.2, -0.5, 0.9};
    sti_pose_rotation(&sti_bodies_body(r.bodies, 1)->pose, R);
    const double turn[3] = {0.3, -0.7, 1.1};
    for (int axis = 0; axis < 3; axis++) {  // x, then y, then z, all fixed
        const int i = (axis + 1) % 3, k = (axis + 2) % 3;
        const double c = cos(turn[axis]), s = sin(turn[axis]), u = c * p[i] - s * p[k], w = s * p[i] + c * p[k];
        p[i] = u;
        p[k] = w;
    }
    const double q[3] = {0.2, -0.5, 0.9};
    for (int i = 0; i < 3; i++) {
        const double turned = R[3 * i] * q[0] + R[3 * i + 1] * q[1] + R[3 * i + 2] * q[2];
        assert_true(fabs(turned - p[i]) <= 1e-15);
    }
    drop(&r);
}

static void fixed_joints_make_one_body_with_the_sum_of_the_masses(void** state) {
    (void)state;
    robot r = parse(
        "<robot name='r'>"
        "<link name='w'/>"
        "<link name='a'><inertial><mass value='1'/><inertia ixx='0.1' iyy='0.1' izz='0.1'/></inertial></link>"
        "<link name='b'><inertial><mass value='3'/><inertia ixx='0.2' iyy='0.3' izz='0.4'/></inertial>"
        "<collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
        "<link name='tool'/>"
        "<joint name='h' type='continuous'><parent link='w'/><child link='a'/></joint>"
        "<joint name='f' type='fixed'><parent link='a'/><child link='b'/><origin xyz='0 0 2' rpy='0 0 "
        "1.5707963267948966'/></joint>"
        "<joint name='g' type='fixed'><parent link='b'/><child link='tool'/></joint></robot>",
        NULL);
    assert_int_equal(sti_bodies_count(r.bodies), 2);
    const sti_body* a = sti_bodies_body(r.bodies, 1);
    assert_string_equal(a->name, "a");
    assert_true(a->mass == 4);
    expect_near(a->centre, (double[]){0, 0, 1.5}, 3, 1e-15);
    // b turned by 90 degrees, then both by Steiner: 1 * 1.5^2 + 3 * 0.5^2 = 3
    expect_near(a->inertia, (double[]){0.1 + 0.3 + 3, 0, 0, 0, 0.1 + 0.2 + 3, 0, 0, 0, 0.1 + 0.4}, 9, 1e-14);
    int body;
    sti_pose place;
    assert_int_equal(sti_bodies_shape_count(r.bodies), 1);
    sti_bodies_shape(r.bodies, 0, &body, &place, NULL);
    assert_int_equal(body, 1);
    expect_near(place.x, (double[]){0, 0, 2}, 3, 0);
    remark(&r, STI_URDF_ASSUMED, "link \"b\"", "fixed to link \"a\"");
    remark(&r, STI_URDF_ASSUMED, "link \"tool\"", "fixed to link \"a\"");
    drop(&r);
}

static void cylinders_are_round(void** state) {
    (void)state;
    robot r =
        parse("<robot name='r'><link name='a'>" INERTIAL(
                  1) "<collision><geometry><cylinder radius='0.5' length='2'/></geometry></collision></link></robot>",
              NULL);
    const sti_shape* cylinder = sti_bodies_shape(r.bodies, 0, NULL, NULL, NULL);
    assert_int_equal(sti_shape_kind_of(cylinder), STI_SHAPE_CYLINDER);
    sti_shape_mass mass;
    assert_int_equal(sti_shape_measure(r.env, cylinder, 1, &mass), STI_OK);
    assert_true(fabs(mass.size - 0.5 * M_PI) <= 1e-14);
    for (int k = 0; k < r.report.remark_count; k++) assert_null(strstr(r.report.remarks[k].text, "prism"));
    drop(&r);
}

static void cylinders_are_prisms_where_that_is_asked_for_and_their_error_is_told(void** state) {
    (void)state;
    sti_urdf_options options = sti_urdf_options_default();
    options.sides = 32;
    robot r = parse("<robot name='r'><link name='a'>" INERTIAL(
                        1) "<collision name='c'><geometry><cylinder radius='0.5' length='2'/></geometry></collision>"
                           "<collision><geometry><capsule radius='0.5' length='2'/></geometry></collision></link></robot>",
                    &options);
    assert_int_equal(sti_bodies_shape_count(r.bodies), 2);
    const sti_shape* prism = sti_bodies_shape(r.bodies, 0, NULL, NULL, NULL);
    assert_int_equal(sti_shape_kind_of(prism), STI_SHAPE_CONVEX);
    int count;
    const double* v = sti_shape_vertices(prism, &count);
    assert_int_equal(count, 64);
    const double error = 0.5 * pow(tan(M_PI / 64), 2);
    for (int k = 0; k < count; k++) {
        assert_true(fabs(hypot(v[3 * k], v[3 * k + 1]) - 0.5 - error) <= 1e-15);
        assert_true(fabs(v[3 * k + 2]) == 1);
    }
    double plane[4];
    int corners, sides = 0;
    for (int f = 0; f < sti_shape_face_count(prism); f++) {
        sti_shape_face(prism, f, plane, &corners);
        if (fabs(plane[2]) > 0.5) continue;
        assert_true(fabs(plane[3] - 0.5 + error) <= 1e-14);
        sides++;
    }
    assert_int_equal(sides, 32);
    assert_int_equal(sti_shape_kind_of(sti_bodies_shape(r.bodies, 1, NULL, NULL, NULL)), STI_SHAPE_CAPSULE);
    remark(&r, STI_URDF_APPROXIMATED, "collision \"c\"", "prism of 32 sides, within 0.0012");
    drop(&r);
}

static void settings_make_motors_and_springs(void** state) {
    (void)state;
    sti_urdf_setting s[3] = {sti_urdf_setting_default("shoulder"), sti_urdf_setting_default("shoulder"),
                             sti_urdf_setting_default("shoulder")};
    s[0].position = 0.25;
    s[1].motor_speed = -2;
    s[1].motor_force = 50;  // more than the effort
    s[2].stiffness = 100;
    s[2].damping = 5;
    s[2].friction = 0;
    sti_urdf_options options = sti_urdf_options_default();
    options.setting_count = 3;
    options.settings = s;
    robot r = parse(two_links, &options);
    const sti_joint_axis* axis = &sti_bodies_joint(r.bodies, 0)->axis[0];
    assert_true(axis->motor_speed == -2 && axis->motor_force == 30);
    assert_true(axis->stiffness == 100 && axis->rest == 0.25 && axis->damping == 5 && axis->friction == 0);
    remark(&r, STI_URDF_ASSUMED, "shoulder", "effort 30 bounds the motor");
    drop(&r);
    s[1].motor_force = NAN;
    r = parse(two_links, &options);
    assert_true(sti_bodies_joint(r.bodies, 0)->axis[0].motor_force == 30);
    drop(&r);
}

static const char mimicking[] =
    "<robot name='r'><link name='a'/><link name='b'>" INERTIAL(1) "</link><link name='c'>" INERTIAL(
        1) "</link>"
           "<joint name='j' type='prismatic'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>"
           "<limit lower='0.5' upper='2' effort='0' velocity='0'/></joint>"
           "<joint name='k' type='prismatic'><parent link='a'/><child link='c'/><axis xyz='0 1 0'/>"
           "<limit lower='-9' upper='9'/><mimic joint='j' multiplier='-2' offset='0.25'/></joint></robot>";

static void a_joint_that_mimics_is_geared_and_starts_where_the_other_puts_it(void** state) {
    (void)state;
    robot r = parse(mimicking, NULL);
    expect_near(sti_bodies_body(r.bodies, 1)->pose.x, (double[]){0, 0, 0.5}, 3, 0);
    expect_near(sti_bodies_body(r.bodies, 2)->pose.x, (double[]){0, -0.75, 0}, 3, 0);
    remark(&r, STI_URDF_ASSUMED, "joint \"j\"", "starts at its limit 0.5");
    assert_int_equal(sti_bodies_joint_count(r.bodies), 3);
    const sti_joint* gear = sti_bodies_joint(r.bodies, 2);
    assert_int_equal(gear->kind, STI_JOINT_GEAR);
    assert_string_equal(gear->name, "k mimic");
    assert_true(gear->of[0] == 1 && gear->of[1] == 0 && gear->ratio == 2);
    drop(&r);
}

// The same leader, and a follower with limits of its own.
#define FOLLOWS(limits, mimic) \
    "<robot name='r'><link name='a'/><link name='b'>" INERTIAL(1) "</link><link name='c'>" INERTIAL(                 \
        1) "</link><joint name='j' type='revolute'><parent link='a'/><child link='b'/><limit lower='0' upper='0.8'/>" \
           "</joint><joint name='k' type='revolute'><parent link='a'/><child link='c'/><limit " limits               \
           "/><mimic joint='j' " mimic "/></joint></robot>"

static void one_joint_keeps_the_limits_of_all_that_mimic_it(void** state) {
    (void)state;
    static const struct {
        const char* text;
        double lower, upper;  // of the leader
        const char* said;
    } cases[] = {
        {FOLLOWS("lower='0' upper='1.6'", "multiplier='2'"), 0, 0.8, "its limits are kept by joint \"j\""},
        {FOLLOWS("lower='0' upper='1'", "multiplier='2'"), 0, 0.5, "its limits are kept by joint \"j\""},
        {FOLLOWS("lower='-0.5' upper='9'", "multiplier='-2' offset='0.5'"), 0, 0.5, "kept by joint \"j\""},
        {FOLLOWS("lower='0' upper='1.6'", "multiplier='-1'"), 0, 0.8, "neither a way to move: its own give way"},
        {FOLLOWS("lower='1' upper='2'", "multiplier='-1'"), 0, 0.8, "neither a way to move: its own give way"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        robot r = parse(cases[k].text, NULL);
        const sti_joint_axis* leader = &sti_bodies_joint(r.bodies, 0)->axis[0];
        const sti_joint_axis* follower = &sti_bodies_joint(r.bodies, 1)->axis[0];
        expect_near((double[]){leader->lower, leader->upper}, (double[]){cases[k].lower, cases[k].upper}, 2, 1e-15);
        assert_true(follower->lower == -INFINITY && follower->upper == INFINITY);
        remark(&r, STI_URDF_ASSUMED, "", cases[k].said);
        drop(&r);
    }
}

static void an_empty_root_that_all_else_floats_in_is_the_world(void** state) {
    (void)state;
    static const char floating[] =
        "<robot name='r'><link name='world'/><link name='b'>" INERTIAL(1) "</link><joint name='j' type='floating'>"
                                                                         "<parent link='world'/><child link='b'/>"
                                                                         "</joint></robot>";
    static const char turning[] =
        "<robot name='r'><link name='world'/><link name='b'>" INERTIAL(1) "</link><joint name='j' type='continuous'>"
                                                                         "<parent link='world'/><child link='b'/>"
                                                                         "</joint></robot>";
    sti_urdf_options options = sti_urdf_options_default();
    options.fixed = false;
    robot r = parse(floating, &options);
    assert_true(sti_bodies_body(r.bodies, 0)->fixed && !sti_bodies_body(r.bodies, 1)->fixed);
    remark(&r, STI_URDF_ASSUMED, "world", "it stays where it is");
    drop(&r);
    r = parse(turning, &options);
    assert_false(sti_bodies_body(r.bodies, 0)->fixed);
    drop(&r);
}

static void a_root_with_a_plane_or_a_robot_of_nothing_stays_where_it_is(void** state) {
    (void)state;
    sti_urdf_options options = sti_urdf_options_default();
    options.fixed = false;
    robot r = parse(
        "<robot name='r'><link name='a'><collision><geometry><plane normal='0 0 2'/></geometry></collision>"
        "</link></robot>",
        &options);
    assert_true(sti_bodies_body(r.bodies, 0)->fixed);
    assert_int_equal(sti_shape_kind_of(sti_bodies_shape(r.bodies, 0, NULL, NULL, NULL)), STI_SHAPE_HALFSPACE);
    remark(&r, STI_URDF_ASSUMED, "link \"a\"", "has a plane: it stays where it is");
    drop(&r);
    r = parse("<robot name='r'><link name='a'/></robot>", &options);
    assert_true(sti_bodies_body(r.bodies, 0)->fixed);
    remark(&r, STI_URDF_ASSUMED, "link \"a\"", "no link of the robot has a mass or a shape");
    drop(&r);
    r = parse("<robot name='r'><link name='a'>" INERTIAL(1) "</link><link name='b'>" INERTIAL(
                  1) "<collision><geometry><plane/></geometry></collision></link><joint name='j' type='continuous'>"
                     "<parent link='a'/><child link='b'/></joint></robot>",
              &options);
    assert_true(!sti_bodies_body(r.bodies, 0)->fixed && sti_bodies_shape_count(r.bodies) == 0);
    remark(&r, STI_URDF_IGNORED, "link \"b\": collision", "a plane of a link that moves");
    drop(&r);
}

// A hand that turns freely and falls: parallel slides, and a third finger that mimics the second one, which mimics the
// first.
static void fingers_of_a_hand_that_moves_are_geared_also_in_chains(void** state) {
    (void)state;
    static const char hand[] =
        "<robot name='r'><link name='hand'>" INERTIAL(1) "</link><link name='b'>" INERTIAL(1) "</link><link name='c'>" INERTIAL(
            1) "</link><link name='d'>" INERTIAL(1) "</link>"
               "<joint name='j' type='prismatic'><parent link='hand'/><child link='b'/><axis xyz='0 0 1'/>"
               "<limit lower='0' upper='2' effort='7'/></joint>"
               "<joint name='k' type='prismatic'><parent link='hand'/><child link='c'/><axis xyz='0 0 -1'/>"
               "<limit lower='-9' upper='9'/><mimic joint='j' multiplier='2'/></joint>"
               "<joint name='l' type='revolute'><parent link='c'/><child link='d'/><axis xyz='0 1 0'/>"
               "<limit lower='-9' upper='9'/><mimic joint='k' multiplier='-0.5' offset='0.1'/></joint></robot>";
    sti_urdf_setting s = sti_urdf_setting_default("j");
    sti_urdf_options options = sti_urdf_options_default();
    s.motor_speed = 0.5;
    options.setting_count = 1;
    options.settings = &s;
    options.fixed = false;
    robot r = parse(hand, &options);
    assert_int_equal(sti_bodies_joint_count(r.bodies), 5);
    sti_world_options how = sti_world_options_default();
    how.h = 0.01;
    sti_world* world;
    assert_int_equal(sti_world_create(r.env, r.bodies, &how, &world), STI_OK);
    assert_int_equal(sti_world_push(world, 1, (double[]){0.3, 0.2, 0}, (double[]){0.1, 0.2, 0.3}), STI_OK);
    sti_world_joint j[3];
    for (int step = 0; step < 100; step++) {
        sti_world_report report;
        assert_int_equal(sti_world_step(world, &report), STI_OK);
        assert_true(report.solved && report.drift < 1e-8);
        for (int k = 0; k < 3; k++) sti_world_joint_state(world, k, &j[k]);
        assert_true(fabs(j[1].coordinate[0] - 2 * j[0].coordinate[0]) < 1e-8);
        assert_true(fabs(j[2].coordinate[0] - 0.1 + 0.5 * j[1].coordinate[0]) < 1e-8);
        assert_true(fabs(j[1].speed[0] - 2 * j[0].speed[0]) < 1e-8);
    }
    assert_true(j[0].coordinate[0] > 0.1 &&
                j[0].coordinate[0] < 0.5);  // the motor moves three fingers, with 7 N at most
    sti_world_destroy(world);
    drop(&r);
}

static void what_has_no_effect_is_reported(void** state) {
    (void)state;
    robot r = parse(
        "<robot name='r'>\n<material name='red'/><gazebo/><transmission name='t'/>\n"
        "<xacro:property name='pi' value='3'/><xacro:head_gazebo name='h'/>"
        "<link name='a'><visual/><visual/></link>"
        "<link name='b'>" INERTIAL(
            1) "<visual/><collision><geometry><mesh filename='x.ply'/></geometry></collision>"
               "<collision><geometry><torus/></geometry></collision></link><link name='dot'/>"
               "<joint name='j' type='planar'><parent link='a'/><child link='b'/><axis xyz='0 0 2'/>"
               "<safety_controller k_velocity='1'/><dynamics damping='1'/></joint>"
               "<joint name='e' type='continuous'><parent link='b'/><child link='dot'/>"
               "<limit lower='-1' upper='1'/></joint></robot>",
        NULL);
    assert_int_equal(sti_bodies_count(r.bodies), 2);
    assert_int_equal(sti_bodies_joint(r.bodies, 0)->kind, STI_JOINT_PLANAR);
    assert_int_equal(remark(&r, STI_URDF_IGNORED, "visual", "for pictures alone")->count, 3);
    assert_int_equal(remark(&r, STI_URDF_IGNORED, "material", "for pictures alone")->line, 2);
    remark(&r, STI_URDF_IGNORED, "transmission", "not an element that is read");
    remark(&r, STI_URDF_IGNORED, "gazebo", "not an element");
    remark(&r, STI_URDF_IGNORED, "xacro:property", "a constant of xacro");
    remark(&r, STI_URDF_IGNORED, "xacro:head_gazebo", "a macro of xacro that this file does not have");
    remark(&r, STI_URDF_IGNORED, "joint: limit: lower and upper", "turns without limits");
    remark(&r, STI_URDF_IGNORED, "safety_controller", "controllers");
    remark(&r, STI_URDF_IGNORED, "link \"b\": collision: geometry: mesh", "x.ply: only .stl, .obj, .dae");
    remark(&r, STI_URDF_IGNORED, "torus", "touches nothing");
    remark(&r, STI_URDF_IGNORED, "joint \"j\": dynamics", "moves freely");
    remark(&r, STI_URDF_IGNORED, "joint \"e\"", "\"dot\" on it has no mass");
    remark(&r, STI_URDF_ASSUMED, "joint \"j\": axis", "its length was 2");
    remark(&r, STI_URDF_ASSUMED, "link \"a\"", "touches nothing");
    for (int k = 1; k < r.report.remark_count; k++)
        assert_true(r.report.remarks[k - 1].line <= r.report.remarks[k].line);
    drop(&r);
}

static void links_that_overlap_at_the_start_never_touch(void** state) {
    (void)state;
    static const char ball[] = "<collision><geometry><sphere radius='1'/></geometry></collision>";
    char text[2000];
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'>%s</link><link name='b'>" INERTIAL(1) "%s</link><link name='c'>" INERTIAL(
                 1) "%s</link>"
                    "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
                    "<joint name='k' type='continuous'><parent link='b'/><child link='c'/><origin xyz='1.5 0 0'/>"
                    "</joint></robot>",
             ball, ball, ball);
    robot r = parse(text, NULL);
    remark(&r, STI_URDF_ASSUMED, "link \"a\"", "overlaps link \"c\"");
    for (int k = 0; k < r.report.remark_count; k++)  // a joint keeps those apart anyway
        assert_null(strstr(r.report.remarks[k].text, "overlaps link \"b\""));
    drop(&r);
}

static void a_joint_that_starts_beyond_half_a_turn_counts_from_there(void** state) {
    (void)state;
    sti_urdf_options options = sti_urdf_options_default();
    sti_urdf_setting s = sti_urdf_setting_default("j");
    s.position = 4;
    options.setting_count = 1;
    options.settings = &s;
    robot r = parse("<robot name='r'><link name='a'/><link name='b'>" INERTIAL(
                        1) "</link><joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
                           "<axis xyz='0 0 -1'/><limit lower='2' upper='5'/></joint></robot>",
                    &options);
    const sti_joint* j = sti_bodies_joint(r.bodies, 0);
    assert_true(j->axis[0].lower == -2 && j->axis[0].upper == 1);
    // the two frames agree at the start
    double A[9], B[9];
    const sti_pose at_b = sti_pose_compose(&sti_bodies_body(r.bodies, 1)->pose, &j->at_b);
    sti_pose_rotation(&j->at_a, A);
    sti_pose_rotation(&at_b, B);
    expect_near(A, B, 9, 1e-15);
    assert_true(fabs(A[8] + 1) <= 1e-15);
    drop(&r);
}

static void a_joint_with_one_position_is_held(void** state) {
    (void)state;
    robot r = parse("<robot name='r'><link name='a'/><link name='b'>" INERTIAL(
                        1) "</link><joint name='j' type='prismatic'><parent link='a'/><child link='b'/>"
                           "<limit lower='0.5' upper='0.5'/></joint></robot>",
                    NULL);
    const sti_joint* j = sti_bodies_joint(r.bodies, 0);
    assert_int_equal(j->kind, STI_JOINT_FIXED);
    double at[3];
    sti_pose_apply(&j->at_a, (double[]){0, 0, 0}, at);
    expect_near(at, (double[]){0.5, 0, 0}, 3, 0);
    drop(&r);
}

static void a_free_base_moves(void** state) {
    (void)state;
    sti_urdf_options options = sti_urdf_options_default();
    options.fixed = false;
    robot r = parse("<robot name='r'><link name='a'>" INERTIAL(2) "</link></robot>", &options);
    assert_true(!sti_bodies_body(r.bodies, 0)->fixed && sti_bodies_body(r.bodies, 0)->mass == 2);
    drop(&r);
    options.strict = true;
    r = parse_as("<robot name='r'>\n<link name='a'/></robot>", "t.urdf", &options);
    assert_int_equal(r.status, STI_ERR_INPUT);
    io_expect_error(r.env, STI_ERR_INPUT, "t.urdf: line 2: link \"a\": moves and has no mass");
    drop(&r);
}

// ---- mistakes

#define LINKS "<link name='a'/><link name='b'>" INERTIAL(1) "</link>"
#define JOINT(type, inside) "<joint name='j' type='" type "'><parent link='a'/><child link='b'/>" inside "</joint>"
#define ROBOT(inside) "<robot name='r'>" inside "</robot>"

static void mistakes_name_line_element_and_value(void** state) {
    (void)state;
    static const char* const bad[][2] = {
        {"", "not valid XML: no element found"},
        {"<robot>\n<link></robot>", "line 2, column 9: not valid XML: mismatched tag"},
        {"<sdf/>", "line 1: <sdf>: <robot> is expected: SDF is not read, URDF is"},
        {"<mujoco/>", "line 1: <mujoco>: <robot> is expected: MJCF is not read, URDF is"},
        {ROBOT("<link name='a'><collision><geometry><box size='0,1 0,1 0,1'/></geometry></collision></link>"),
         "three finite numbers are expected"},
        {ROBOT(""), "line 1: robot: no <link>"},
        {ROBOT("<link/>"), "link: name: missing"},
        {ROBOT("\n<link name='a'/>\n<link name='a'/>"),
         "line 3: link \"a\": name: \"a\": a link of this name stands in line 2"},
        {ROBOT("<link name='a'/>\n<link name='b'/>"),
         "line 2: link \"b\": no joint has it as child, and none has \"a\" in line 1"},
        {ROBOT(LINKS JOINT("hinge", "")), "joint \"j\": type: \"hinge\": fixed, revolute"},
        {ROBOT(LINKS "<joint name='j' type='fixed'><child link='b'/></joint>"), "joint \"j\": <parent> is missing"},
        {ROBOT(LINKS "<joint name='j' type='fixed'><parent link='x'/><child link='b'/></joint>"),
         "joint \"j\": parent: link: \"x\": no such link"},
        {ROBOT(LINKS "<joint name='j' type='fixed'><parent link='b'/><child link='b'/></joint>"), "the same link"},
        {ROBOT(LINKS JOINT("fixed", "") JOINT("fixed", "")), "a joint of this name stands in line 1"},
        {ROBOT(LINKS JOINT("fixed", "") "<joint name='k' type='fixed'><parent link='a'/><child link='b'/></joint>"),
         "already the child of joint \"j\""},
        {ROBOT(LINKS "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
                     "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>"),
         "form a cycle"},
        {ROBOT("<link name='z'/>" LINKS "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
               "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>"),
         "link \"a\": is part of a cycle"},
        {ROBOT(LINKS JOINT("revolute", "")), "joint \"j\": <limit> is missing"},
        {ROBOT(LINKS JOINT("revolute", "<limit lower='1' upper='0'/>")),
         "limit: lower: \"1\": more than upper, which is 0"},
        {ROBOT(LINKS JOINT("continuous", "<axis xyz='0 0 0'/>")),
         "axis: xyz: \"0 0 0\": a vector other than 0 is expected"},
        {ROBOT(LINKS JOINT("continuous", "<axis xyz='0 0'/>")), "axis: xyz: \"0 0\": three finite numbers"},
        {ROBOT(LINKS JOINT("continuous", "<axis xyz='0 0 1 0'/>")), "three finite numbers"},
        {ROBOT(LINKS JOINT("continuous", "<axis xyz='0 0 1x'/>")), "three finite numbers"},
        {ROBOT(LINKS JOINT("continuous", "<axis xyz='nan 0 1'/>")), "axis: xyz: \"nan 0 1\": three finite numbers"},
        {ROBOT(LINKS JOINT("continuous", "<axis xyz='1e999 0 1'/>")), "three finite numbers"},
        {ROBOT(LINKS JOINT("continuous", "<dynamics damping='-1'/>")), "dynamics: damping: \"-1\": 0 or more"},
        {ROBOT(LINKS JOINT("continuous", "<dynamics/><dynamics/>")), "joint \"j\": dynamics: given twice"},
        {ROBOT(LINKS JOINT("continuous", "<mimic joint='x'/>")), "mimic: joint: \"x\": no such joint"},
        {ROBOT(LINKS JOINT("continuous", "<mimic joint='j'/>")), "form a cycle"},
        {ROBOT(LINKS JOINT("fixed", "<mimic joint='j'/>")), "a fixed joint has no position"},
        {ROBOT("<link name='a'><inertial><mass value='-1'/></inertial></link>"), "mass: value: \"-1\": 0 or more"},
        {ROBOT("<link name='a'><inertial><mass value='1'/></inertial></link>"), "inertial: <inertia> is missing"},
        {ROBOT("<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1'/></inertial></link>"),
         "inertia: izz: missing"},
        {ROBOT("<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='-1' izz='1'/></inertial></link>"),
         "inertia: iyy: \"-1\": a moment of inertia"},
        {ROBOT(
             "<link name='a'><inertial><mass value='1'/><inertia ixx='1' ixy='2' iyy='1' izz='1'/></inertial></link>"),
         "(1, 2, 0, 1, 0, 1) has a negative moment"},
        {ROBOT("<link name='a'><inertial><mass value='0'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"),
         "with mass 0: its inertia counts as 0"},
        {ROBOT("<link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='0' iyy='1' "
               "izz='1'/></inertial></link>" JOINT("continuous", "")),
         "link \"b\": moves, and its inertia is not positive: moments 0, 1, 1"},
        {ROBOT("<link name='a'><collision/></link>"), "collision: <geometry> is missing"},
        {ROBOT("<link name='a'><collision><geometry><box size='1 0 1'/></geometry></collision></link>"),
         "box: size: \"1 0 1\": three numbers above 0"},
        {ROBOT("<link name='a'><collision><geometry><sphere/></geometry></collision></link>"),
         "sphere: radius: missing"},
        {ROBOT("<link name='a'><collision><geometry><mesh filename='no.stl'/></geometry></collision></link>"),
         "mesh: filename: \"no.stl\": no such file"},
        {ROBOT(
             "<link name='a'><collision><geometry><mesh filename='package://p/no.stl'/></geometry></collision></link>"),
         "package://p/no.stl\": no such file"},
        {ROBOT("<xacro:macro name='x'/><link name='a'/>"), "xacro:macro \"x\": this is a xacro file"},
        {"<!DOCTYPE r [<!ENTITY a 'aaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>]><robot name='&b;'/>",
         "line 1: <!DOCTYPE>: declarations"},
        {"<!DOCTYPE r SYSTEM '/etc/passwd'><robot name='&x;'/>", "no <link>"},
        {ROBOT("<link name='a'/><link name='b'/><link name='c'>" INERTIAL(1) "</link>" JOINT(
             "continuous", "") "<joint name='k' type='continuous'><parent link='b'/><child "
                               "link='c'/></joint>"),
         "link \"b\": moves and has no mass"},
    };
    sti_urdf_options strict = sti_urdf_options_default();
    strict.strict = true;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        robot r = parse_as(bad[k][0], "t.urdf", &strict);
        if (r.status == STI_OK) print_error("accepted: %s\n", bad[k][0]);
        assert_int_equal(r.status, STI_ERR_INPUT);
        io_expect_error(r.env, STI_ERR_INPUT, bad[k][1]);
        io_expect_error(r.env, STI_ERR_INPUT, "t.urdf: line ");
        drop(&r);
    }
}

#define MASS(mass, inertia) "<inertial><mass value='" mass "'/><inertia " inertia "/></inertial>"
#define SHAPE(shape) "<collision><geometry>" shape "</geometry></collision>"

// Each is refused when read strictly, and otherwise read with a remark.
static void what_other_engines_take_is_mended_and_said(void** state) {
    (void)state;
    static const char* const odd[][2] = {
        {ROBOT("<link name='a'>" MASS("0", "ixx='1' iyy='1' izz='1'") "</link>"), "its inertia is ignored"},
        {ROBOT("<link name='a'/><link name='b'>" MASS("0.1", "ixx='0' ixz='2.4e-35' iyy='0' izz='0'") "</link>" JOINT(
             "continuous", "")),
         "moments of inertia are not positive: raised"},
        {ROBOT("<link name='a'/><link name='b'>" MASS("1", "ixx='-1e-12' iyy='1' izz='1'") "</link>" JOINT("continuous",
                                                                                                           "")),
         "moments of inertia are not positive: raised"},
        {ROBOT(
             "<link name='a'/><link name='b'>" MASS("1", "ixx='1' iyy='-1' izz='1'") "</link>" JOINT("continuous", "")),
         "moments of inertia are not positive: raised"},
        {ROBOT("<link name='a'/><link name='b'>" MASS("9", "ixx='1' iyy='1' izz='1'") "</link>" JOINT(
             "continuous",
             "") "<link name='c'>" MASS("0.1", "ixx='1e-8' ixy='6e-8' iyy='1e-8' izz='1e-8'") "</link>"
                                                                                              "<joint name='k' "
                                                                                              "type='fixed'><parent "
                                                                                              "link='b'/><child "
                                                                                              "link='c'/></joint>"),
         "as part of \"b\" it is taken as given"},
        {ROBOT("<link name='a'/><link name='b'/><link name='c'>" INERTIAL(2) "</link>" JOINT(
             "continuous", "") "<joint name='k' type='continuous'><parent link='b'/><child link='c'/></joint>"),
         "0.002 kg, a thousandth of its heaviest neighbour"},
        {ROBOT("<link name='a'/><link name='b'>" SHAPE("<box size='0.1 0.1 0.1'/>") "</link>" JOINT("continuous", "")),
         "1 kg, its shapes at the density of water"},
        {ROBOT("<link name='a'>" SHAPE("<sphere radius='0'/>") "</link>"), "a point or a line collides"},
        {ROBOT("<link name='a'>" SHAPE("<box size='1 0 1'/>") "</link>"), "flat: made 1e-6 thick"},
        {ROBOT("<link name='a'><collision/></link>"), "<geometry> is missing: touches nothing"},
        {ROBOT(LINKS JOINT("fixed", "<mimic joint='j'/>")), "no position to mimic with: ignored"},
        {ROBOT(LINKS JOINT("continuous", "<mimic joint='x'/>")), "no such joint: moves on its own"},
        {FOLLOWS("lower='0' upper='1.6'", "multiplier='-1'"), "leave neither a way to move: its own give way"},
        {ROBOT(LINKS JOINT("continuous", "<axis xyz='0, 0, 1'/>")), "commas between numbers"},
        {ROBOT(LINKS JOINT("continuous", "<origin rpy='0 0 0 1'/>")), "the first ones count"},
        {ROBOT(LINKS JOINT("continuous", "<origin xyz=''/>")), "nothing in it: taken as not given"},
        {ROBOT(LINKS JOINT("continuous", "<axis/>")), "missing: (1, 0, 0)"},
        {ROBOT(LINKS JOINT("revolute", "<limit lower='' upper=' '/>")), "moves without limits"},
        {ROBOT(LINKS JOINT("continuous", "<axis xyz='0 0 1'/><axis xyz='1 0 0'/>")),
         "given twice: the first one counts"},
        {ROBOT(LINKS JOINT("revolute", "<limit lower='1' upper='-1'/>")), "the two are swapped"},
        {ROBOT(LINKS JOINT("prismatic", "")), "<limit> is missing: moves without limits"},
        {ROBOT(LINKS JOINT("continuous", "<dynamics damping='-1'/>")), "negative: taken as not given"},
        {ROBOT(LINKS JOINT("spherical", "")), "a ball in a socket"},
        {ROBOT(LINKS JOINT("continuous", "<origin xyz='$(optenv IMU_XYZ 0.1 0 0.2)'/>")),
         "the environment is not read"},
        {ROBOT("<xacro:arg name='X' default='0.1 0 0.2'/>" LINKS JOINT("continuous", "<origin xyz='$(arg X)'/>")),
         "$(arg NAME): its default"},
        {ROBOT(LINKS JOINT("continuous", "<mimic joint='j'/>")), "form a cycle: moves on its own"},
        {"<!-- --- arm --- -->" ROBOT("<link name='a'/>"), "comments with \"--\" in them"},
        {"<?xml version='1.0' encoding='utf8'?>" ROBOT("<link name='a'/>"), "is taken for UTF-8"},
        {"<?xml verison='1.0'?>" ROBOT("<link name='a'/>"), "an XML declaration that is none"},
        {"<?xml encoding='utf-8' version='1.0'?>" ROBOT("<link name='a'/>"), "an XML declaration that is none"},
        {"<?xml version='1.0'>" ROBOT("<link name='a'/>"), "an XML declaration that is none"},
        {"<?xml?>" ROBOT("<link name='a'/>"), "an XML declaration that is none"},
        {ROBOT(LINKS JOINT("continuous", "<mimic multiplier='2'/>")), "<mimic> names no joint: moves on its own"},
        {"<?xml version='1.0' encoding='utf-16'?>" ROBOT("<link name='a'/>"), "is taken for UTF-8"},
        {ROBOT("<link name='a & b'/>"), "an & that begins no entity"},
        {ROBOT("<link name='a\xe9'/>"), "bytes that are not UTF-8"},
        {ROBOT("<link name='a'/>") " and more", "text after the end of the robot"},
        {"\n<!-- made by hand -->\n<?xml version='1.0'?>" ROBOT("<link name='a'/>"), "before the XML declaration"},
        {"a robot\n<?xml version='1.0'?>" ROBOT("<link name='a'/>"), "before the XML declaration"},
        {ROBOT("<link name='b'>" INERTIAL(1) "</link><joint name='j' type='continuous'><parent link='world'/>"
                                             "<child link='b'/></joint>"),
         "no such link: the root is called so"},
    };
    sti_urdf_options strict = sti_urdf_options_default();
    strict.strict = true;
    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
        robot r = parse(odd[k][0], NULL);
        remark(&r, STI_URDF_ASSUMED, "", odd[k][1]);
        drop(&r);
        robot s = parse_as(odd[k][0], "t.urdf", &strict);
        if (s.status == STI_OK) print_error("accepted: %s\n", odd[k][0]);
        assert_int_equal(s.status, STI_ERR_INPUT);
        drop(&s);
    }
}

static void a_mended_file_still_says_what_it_says(void** state) {
    (void)state;
    robot r = parse(ROBOT(LINKS JOINT("revolute",
                                      "<limit lower='1' upper='-2'/><origin xyz='$(optenv X 0.1 0 0.2)'/>"
                                      "<axis xyz='0, 1, 0'/><axis xyz='1 0 0'/>")),
                    NULL);
    const sti_joint* j = sti_bodies_joint(r.bodies, 0);
    assert_true(j->axis[0].lower == -2 && j->axis[0].upper == 1);
    expect_near(j->at_a.x, (double[]){0.1, 0, 0.2}, 3, 0);
    double R[9];
    sti_pose_rotation(&j->at_a, R);
    expect_near((double[]){R[2], R[5], R[8]}, (double[]){0, 1, 0}, 3, 1e-15);
    drop(&r);
    // a rod of no thickness: its two moments stay, the third is 1 % of them at most
    robot rod = parse(
        ROBOT("<link name='a'/><link name='b'>" MASS("3", "ixx='0' iyy='2' izz='2'") "</link>" JOINT("continuous", "")),
        NULL);
    const sti_body* b = sti_bodies_body(rod.bodies, 1);
    assert_true(b->inertia[0] > 0 && b->inertia[0] <= 0.02);
    expect_near(&b->inertia[4], (double[]){2, 0, 0, 0, 2}, 5, 1e-14);
    drop(&rod);
    // moments that are rounding
    robot dust = parse(ROBOT("<link name='a'/><link name='b'>" MASS(
                           "3", "ixx='2e-20' iyy='1e-20' izz='2e-20'") "</link>" JOINT("continuous", "")),
                       NULL);
    assert_true(fabs(sti_bodies_body(dust.bodies, 1)->inertia[4] - 0.4 * 3 * 0.02 * 0.02) < 1e-12);
    drop(&dust);
}

// What stands in a file for no limit is none, whether the file is read strictly or not.
static void limits_that_are_infinite_or_not_given_hold_nothing(void** state) {
    (void)state;
    static const char* const none[] = {"lower='-inf' upper='inf'", "lower='-1e40' upper='1e40' effort='inf'",
                                       "effort='5' velocity='inf'", "lower='inf' upper='inf'"};
    for (size_t k = 0; k < sizeof none / sizeof none[0]; k++) {
        char text[2000];
        snprintf(text, sizeof text, ROBOT(LINKS JOINT("revolute", "<limit %s/>")), none[k]);
        robot r = parse(text, NULL);
        const sti_joint* j = sti_bodies_joint(r.bodies, 0);
        assert_true(j->kind == STI_JOINT_REVOLUTE && j->axis[0].lower == -INFINITY && j->axis[0].upper == INFINITY);
        drop(&r);
    }
    robot half = parse(ROBOT(LINKS JOINT("prismatic", "<limit upper='0.04'/>")), NULL);
    const sti_joint* j = sti_bodies_joint(half.bodies, 0);
    assert_true(j->axis[0].lower == 0 && j->axis[0].upper == 0.04);
    drop(&half);
    sti_urdf_options strict = sti_urdf_options_default();
    strict.strict = true;
    robot held = parse(ROBOT(LINKS JOINT("revolute", "<limit effort='5' velocity='1'/>")), &strict);
    assert_int_equal(sti_bodies_joint(held.bodies, 0)->kind, STI_JOINT_FIXED);  // URDF's own default: 0 and 0
    drop(&held);
}

// A frame without mass would be left out; others follow its joint, so it is not.
static void a_joint_that_others_follow_is_not_left_out(void** state) {
    (void)state;
    robot r =
        parse(ROBOT("<link name='a'/><link name='b'/><link name='c'>" INERTIAL(2) "</link><link name='d'>" INERTIAL(
                  2) "</link>" JOINT("continuous", "") "<joint name='k' type='continuous'><parent link='a'/><child "
                                                       "link='c'/><mimic joint='j'/></joint>"
                                                       "<joint name='l' type='continuous'><parent link='a'/><child "
                                                       "link='d'/><mimic joint='j'/></joint>"),
              NULL);
    assert_int_equal(r.report.body_count, 4);
    assert_int_equal(r.report.joint_count, 5);  // three of the file, two gears
    drop(&r);
}

// An entity that XML has is no stray &, a comment without "--" stays, and lines keep their numbers.
static void what_is_xml_already_is_left_alone(void** state) {
    (void)state;
    robot r = parse("<?xml version='1.0' encoding='UTF-8'?><!-- a - b -->" ROBOT(
                        "<link name='a &amp; b&#33;&#x21;'/><gazebo><![CDATA[ a && b -- c ]]></gazebo>"),
                    NULL);
    assert_string_equal(sti_bodies_body(r.bodies, 0)->name, "a & b!!");
    for (int k = 0; k < r.report.remark_count; k++) assert_int_equal(r.report.remarks[k].what, STI_URDF_IGNORED);
    drop(&r);
    robot bad = parse_as("<!-- -- -->\n\n<robot name='r & s'>\n<link/></robot>", "t.urdf", NULL);
    io_expect_error(bad.env, STI_ERR_INPUT, "line 4: link: name: missing");
    drop(&bad);
}

// Defaults that name each other end.
static void substitution_that_unfolds_is_cut_off(void** state) {
    (void)state;
    robot r = parse_as(
        ROBOT("<xacro:arg name='X' default='$(arg X)$(arg X)'/>" LINKS JOINT("continuous", "<origin xyz='$(arg X)'/>")),
        "t.urdf", NULL);
    io_expect_error(r.env, STI_ERR_INPUT, "text for xacro to fill in");
    drop(&r);
}

// Text in memory has a size, and no 0 behind it.
static void text_that_ends_without_a_0_is_read_to_its_size(void** state) {
    (void)state;
    static const char* const texts[] = {"", "<", "\n<?xml version='1.0'?>" ROBOT("<link name='a'/>"),
                                        ROBOT("<link name='a'/>")};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        const size_t size = strlen(texts[k]);
        char* text = malloc(size > 0 ? size : 1);
        assert_non_null(text);
        memcpy(text, texts[k], size);
        robot r = {.env = io_env(NULL)};
        assert_int_equal(sti_bodies_create(r.env, 3, &r.bodies), STI_OK);
        r.status = sti_urdf_parse(r.env, text, size, "t.urdf", NULL, r.bodies, &r.report);
        assert_int_equal(r.status, k < 2 ? STI_ERR_INPUT : STI_OK);
        free(text);
        drop(&r);
    }
}

// Neither a moment that is negative beyond rounding nor a number that is none can be mended.
static void what_no_engine_takes_stays_refused(void** state) {
    (void)state;
    static const char* const bad[][2] = {
        {ROBOT("<link name='a'/><link name='b'>" MASS("1", "ixx='nan' iyy='1' izz='1'") "</link>" JOINT("continuous",
                                                                                                        "")),
         "inertia: ixx: \"nan\""},
        {ROBOT(LINKS JOINT("continuous", "<axis xyz='0 0'/>")), "three finite numbers"},
        {ROBOT(LINKS JOINT("continuous", "<axis xyz='0 0 0'/>")), "a vector other than 0 is expected"},
        {ROBOT(LINKS JOINT("revolute", "<limit lower='nan' upper='1'/>")), "limit: lower: \"nan\""},
        {ROBOT(LINKS JOINT("continuous", "<origin xyz='${x} 0 0'/>")), "text for xacro to fill in"},
        {ROBOT(LINKS JOINT("continuous", "<origin xyz='$(arg X)'/>")), "text for xacro to fill in"},
        {ROBOT("<link name='a'>" MASS("-1", "ixx='1' iyy='1' izz='1'") "</link>"), "0 or more"},
        {ROBOT("<link name='a'>" SHAPE("<sphere radius='-1'/>") "</link>"), "more than 0"},
        {ROBOT("<link name='a'/>\n<link name='b'/>"), "no joint has it as child"},
        {ROBOT("<xacro:leg side='l'/><link name='a'/><xacro:macro name='leg'/>"), "this is a xacro file"},
        {ROBOT("<link name='a'/><xacro:include filename='b.xacro'/>"), "this is a xacro file"},
        {ROBOT("<link name='a'><xacro:if value='1'><visual/></xacro:if></link>"), "this is a xacro file"},
        {"text without an element <?xml version='1.0'?>", "not valid XML"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        robot r = parse_as(bad[k][0], "t.urdf", NULL);
        if (r.status == STI_OK) print_error("accepted: %s\n", bad[k][0]);
        assert_int_equal(r.status, STI_ERR_INPUT);
        io_expect_error(r.env, STI_ERR_INPUT, bad[k][1]);
        drop(&r);
    }
}

static void settings_that_do_not_fit_are_refused(void** state) {
    (void)state;
    sti_urdf_options options = sti_urdf_options_default();
    sti_urdf_setting s = sti_urdf_setting_default("elbow");
    options.setting_count = 1;
    options.settings = &s;
    robot r = parse_as(two_links, "t.urdf", &options);
    io_expect_error(r.env, STI_ERR_INPUT, "t.urdf: setting of joint \"elbow\": no such joint");
    drop(&r);
    s = sti_urdf_setting_default("shoulder");
    s.position = 2.5;
    r = parse_as(two_links, "t.urdf", &options);
    io_expect_error(r.env, STI_ERR_INPUT, "line 12: joint \"shoulder\": starts at 2.5, outside of its limits -1 and 2");
    drop(&r);
    s.position = NAN;
    s.stiffness = -1;
    r = parse_as(two_links, "t.urdf", &options);
    io_expect_error(r.env, STI_ERR_INPUT, "setting of joint \"shoulder\": stiffness: -1");
    drop(&r);
    s = sti_urdf_setting_default("k");
    s.position = 1;
    r = parse_as(mimicking, "t.urdf", &options);
    io_expect_error(r.env, STI_ERR_INPUT, "it mimics joint \"j\", which puts it at -0.75");
    drop(&r);
    s = sti_urdf_setting_default("j");
    s.motor_speed = 1;
    r = parse_as(mimicking, "t.urdf", &options);
    io_expect_error(r.env, STI_ERR_INPUT, "motor force: missing");
    drop(&r);
    options = sti_urdf_options_default();
    options.sides = 2;
    r = parse_as(two_links, "t.urdf", &options);
    io_expect_error(r.env, STI_ERR_INPUT, "sides: 2");
    drop(&r);
    options = sti_urdf_options_default();
    options.material = 7;
    r = parse_as(two_links, "t.urdf", &options);
    io_expect_error(r.env, STI_ERR_INPUT, "material: 7");
    drop(&r);
}

static void robots_do_not_live_in_the_plane(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_bodies* bodies;
    sti_urdf_report report;
    assert_int_equal(sti_bodies_create(env, 2, &bodies), STI_OK);
    assert_int_equal(sti_urdf_parse(env, two_links, strlen(two_links), "t.urdf", NULL, bodies, &report),
                     STI_ERR_ARGUMENT);
    assert_int_equal(sti_bodies_count(bodies), 0);
    sti_urdf_report_clear(env, &report);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void a_file_that_is_not_there_is_said_to_be_so(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_bodies* bodies;
    sti_urdf_report report;
    assert_int_equal(sti_bodies_create(env, 3, &bodies), STI_OK);
    assert_int_equal(sti_urdf_add(env, "/no/such/robot.urdf", NULL, bodies, &report), STI_ERR_IO);
    io_expect_error(env, STI_ERR_IO, "/no/such/robot.urdf: No such file");
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// ---- meshes

static const char cube_obj[] =
    "# a cube from 0 to 1\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf -5 -8 -4 -1\n";

static const char with_mesh[] =
    "<robot name='r'><link name='a'><collision><geometry><mesh filename='%s'/></geometry></collision></link>"
    "<link name='b'>" INERTIAL(
        1) "<collision><geometry><mesh filename='%s' scale='2 1 -1'/></geometry></collision></link>"
           "<joint name='j' type='floating'><parent link='a'/><child link='b'/><origin xyz='9 0 0'/></joint></robot>";

static void meshes_are_triangles_when_fixed_and_hulls_when_they_move(void** state) {
    (void)state;
    char text[1000];
    io_folder_make();
    io_write_text(io_path("cube.OBJ"), cube_obj);
    snprintf(text, sizeof text, with_mesh, "cube.OBJ", "cube.OBJ");
    io_write_text(io_path("robot.urdf"), text);
    sti_env* env = io_env(NULL);
    robot r = {.env = env};
    assert_int_equal(sti_bodies_create(env, 3, &r.bodies), STI_OK);
    r.status = sti_urdf_add(env, io_path("robot.urdf"), NULL, r.bodies, &r.report);
    if (r.status != STI_OK) print_error("%s\n", sti_env_error(env)->text);
    assert_int_equal(r.status, STI_OK);
    const sti_shape *mesh = sti_bodies_shape(r.bodies, 0, NULL, NULL, NULL),
                    *hull = sti_bodies_shape(r.bodies, 1, NULL, NULL, NULL);
    assert_int_equal(sti_shape_kind_of(mesh), STI_SHAPE_MESH);
    assert_int_equal(sti_shape_kind_of(hull), STI_SHAPE_CONVEX);
    sti_shape_mass mass;
    assert_int_equal(sti_shape_measure(env, hull, 1, &mass), STI_OK);
    assert_true(fabs(mass.size - 2) <= 1e-14);
    expect_near(mass.centre, (double[]){1, 0.5, -0.5}, 3, 1e-14);
    remark(&r, STI_URDF_APPROXIMATED, "link \"b\": collision",
           "mesh of 12 triangles: its convex hull with 8 corners, of the same volume");
    // a ball in the cube feels its sides from outside: the triangles look outward
    sti_shape* ball;
    sti_shape_contact touch;
    int count;
    assert_int_equal(sti_shape_create_sphere(env, 3, 0.1, &ball), STI_OK);
    sti_pose above = sti_pose_identity(), here = sti_pose_identity();
    above.x[0] = 0.4, above.x[1] = 0.3, above.x[2] = 1.05;
    assert_int_equal(sti_shape_contacts(ball, &above, mesh, &here, 0, 1, &touch, &count), STI_OK);
    assert_int_equal(count, 1);
    assert_true(fabs(touch.gap + 0.05) <= 1e-12 && fabs(touch.normal[2] - 1) <= 1e-12);
    sti_shape_destroy(ball);
    drop(&r);
    io_folder_remove();
}

// A wedge whose middle lies at (0, 2, 0.5) as the file has it, and at (0, -0.5, 2) where its y is up.
static const char wedge_dae[] =
    "<COLLADA><asset><up_axis>%s</up_axis></asset><library_geometries><geometry id='g'><mesh>"
    "<source id='s'><float_array>-1 0 0 1 0 0 0 4 0 0 0 1</float_array></source>"
    "<vertices id='v'><input semantic='POSITION' source='#s'/></vertices>"
    "<triangles><input semantic='VERTEX' source='#v' offset='0'/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>"
    "</mesh></geometry></library_geometries></COLLADA>";

// A chain of `links` that have the wedge, and their centres of mass there. Where is the box of the first one's shape?
static robot parse_wedges(const char* up, int links, const char* centre, const sti_urdf_options* options,
                          sti_aabb* box) {
    char text[4000];
    snprintf(text, sizeof text, wedge_dae, up);
    io_write_text(io_path("w.dae"), text);
    size_t at = (size_t)snprintf(text, sizeof text, "<robot name='r'>");
    for (int k = 0; k < links; k++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "<link name='l%d'><inertial><origin xyz='%s'/><mass value='1'/><inertia ixx='1' iyy='1' "
                               "izz='1'/></inertial><collision><geometry><mesh filename='w.dae' scale='1 1 2'/>"
                               "</geometry></collision></link>",
                               k, centre);
    for (int k = 1; k < links; k++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "<joint name='j%d' type='continuous'><parent link='l%d'/><child link='l%d'/></joint>", k,
                               k - 1, k);
    snprintf(text + at, sizeof text - at, "</robot>");
    robot r = {.env = io_env(NULL)};
    io_write_text(io_path("robot.urdf"), text);
    assert_int_equal(sti_bodies_create(r.env, 3, &r.bodies), STI_OK);
    r.status = sti_urdf_add(r.env, io_path("robot.urdf"), options, r.bodies, &r.report);
    if (r.status != STI_OK) print_error("%s\n", sti_env_error(r.env)->text);
    assert_int_equal(r.status, STI_OK);
    const sti_pose here = sti_pose_identity();
    assert_int_equal(sti_shape_bounds(sti_bodies_shape(r.bodies, 0, NULL, NULL, NULL), &here, 0, box), STI_OK);
    return r;
}

static void meshes_whose_y_is_up_are_turned_where_centres_of_mass_say_so(void** state) {
    (void)state;
    sti_urdf_options options = sti_urdf_options_default();
    options.fixed = false;
    sti_aabb box;
    io_folder_make();
    // scale counts after the turn: z is y of the file, twice as long
    robot r = parse_wedges("Y_UP", 3, "0 -0.5 4", &options, &box);
    expect_near(box.lower, (double[]){-1, -1, 0}, 3, 1e-12);
    expect_near(box.upper, (double[]){1, 0, 8}, 3, 1e-12);
    remark(&r, STI_URDF_ASSUMED, "collision", "meshes say Y_UP and are turned, y to z: 3 of them");
    drop(&r);
    static const struct {
        const char *up, *centre;
        int links;
        bool strict;
    } as_given[] = {{"Y_UP", "0 2 1", 3, false},     // they lie about their centres as they stand
                    {"Y_UP", "0 -0.5 4", 2, false},  // two are not enough to tell
                    {"Z_UP", "0 -0.5 4", 3, false},
                    {"Y_UP", "0 0 0", 3, false},
                    {"Y_UP", "0 -0.5 4", 3, true}};
    for (size_t k = 0; k < sizeof as_given / sizeof as_given[0]; k++) {
        options.strict = as_given[k].strict;
        r = parse_wedges(as_given[k].up, as_given[k].links, as_given[k].centre, &options, &box);
        expect_near(box.lower, (double[]){-1, 0, 0}, 3, 1e-12);
        expect_near(box.upper, (double[]){1, 4, 2}, 3, 1e-12);
        drop(&r);
    }
    io_folder_remove();
}

// A barrel: rings of points on a circle, the outermost ones smaller; closed by fans.
static void write_barrel(const char* path, int rings, int around) {
    FILE* f = fopen(path, "w");
    assert_non_null(f);
    for (int i = 0; i < rings; i++) {
        const double z = rings > 2 ? -cos(M_PI * (i + 0.5) / rings) : 2.0 * i - 1, r = rings > 2 ? sqrt(1 - z * z) : 1;
        for (int k = 0; k < around; k++)
            fprintf(f, "v %.17g %.17g %.17g\n", r * cos(2 * M_PI * k / around), r * sin(2 * M_PI * k / around), z);
    }
    for (int i = 0; i + 1 < rings; i++) {
        for (int k = 0; k < around; k++) {
            const int a = i * around + k + 1, b = i * around + (k + 1) % around + 1;
            fprintf(f, "f %d %d %d %d\n", a, b, b + around, a + around);
        }
    }
    for (int end = 0; end < 2; end++) {
        fprintf(f, "f");
        for (int k = 0; k < around; k++) fprintf(f, " %d", end == 0 ? around - k : (rings - 1) * around + k + 1);
        fprintf(f, "\n");
    }
    assert_int_equal(fclose(f), 0);
}

static void large_meshes_are_thinned_and_what_is_lost_is_told(void** state) {
    (void)state;
    char text[1000];
    snprintf(text, sizeof text, with_mesh, "b.obj", "b.obj");
    static const int sizes[2][2] = {{50, 100}, {2, 400}};  // too many points; too many corners of one face
    for (int k = 0; k < 2; k++) {
        io_folder_make();
        write_barrel(io_path("b.obj"), sizes[k][0], sizes[k][1]);
        robot r = parse_as(text, io_path("r.urdf"), NULL);
        if (r.status != STI_OK) print_error("%s\n", sti_env_error(r.env)->text);
        assert_int_equal(r.status, STI_OK);
        const sti_urdf_remark* said = remark(&r, STI_URDF_APPROXIMATED, "link \"b\"", "stick out of it by at most ");
        const double told = strtod(strstr(said->text, "at most ") + 8, NULL);
        const sti_shape* hull = sti_bodies_shape(r.bodies, 1, NULL, NULL, NULL);
        double worst = 0;
        int corners;
        sti_shape_vertices(hull, &corners);
        assert_true(corners <= 500);
        for (int i = 0; i < sizes[k][1]; i++) {  // the equator, which is scaled by 2 along x
            const double x = 2 * cos(2 * M_PI * i / sizes[k][1]), y = sin(2 * M_PI * i / sizes[k][1]);
            for (int f = 0; f < sti_shape_face_count(hull); f++) {
                double plane[4];
                sti_shape_face(hull, f, plane, &corners);
                worst = fmax(worst, plane[0] * x + plane[1] * y - plane[3]);
            }
        }
        assert_true(told < 0.1 && worst <= 1.01 * told);
        drop(&r);
        io_folder_remove();
    }
}

static void corners_that_do_not_matter_are_left_out_within_a_bound(void** state) {
    (void)state;
    char text[1000];
    int all, fewer;
    sti_urdf_options options = sti_urdf_options_default();
    snprintf(text, sizeof text, with_mesh, "b.obj", "b.obj");
    io_folder_make();
    write_barrel(io_path("b.obj"), 20, 90);
    options.hull_error = 0;
    robot exact = parse_as(text, io_path("r.urdf"), &options);
    assert_int_equal(exact.status, STI_OK);
    sti_shape_vertices(sti_bodies_shape(exact.bodies, 1, NULL, NULL, NULL), &all);
    options.hull_error = 0.01;
    robot r = parse_as(text, io_path("r.urdf"), &options);
    assert_int_equal(r.status, STI_OK);
    const sti_shape* hull = sti_bodies_shape(r.bodies, 1, NULL, NULL, NULL);
    sti_shape_vertices(hull, &fewer);
    const sti_urdf_remark* said = remark(&r, STI_URDF_APPROXIMATED, "link \"b\"", "stick out of it by at most ");
    assert_true(4 * fewer < 3 * all);
    assert_true(strtod(strstr(said->text, "at most ") + 8, NULL) <= 0.0101 * sti_shape_reach(hull));
    drop(&exact);
    drop(&r);
    options.hull_error = -1;
    robot bad = parse_as(text, io_path("r.urdf"), &options);
    io_expect_error(bad.env, STI_ERR_INPUT, "hull_error: -1: 0 to 1 is expected");
    drop(&bad);
    io_folder_remove();
}

static void packages_are_found_above_the_file_and_in_named_folders(void** state) {
    (void)state;
    char text[1000], folder[200];
    io_folder_make();
    io_write_text(io_path("cube.obj"), cube_obj);
    const char* package = strrchr(io_folder, '/') + 1;
    snprintf(folder, sizeof folder, "package://%s/cube.obj", package);
    snprintf(text, sizeof text, with_mesh, folder, folder);
    robot r = parse_as(text, io_path("r.urdf"), NULL);
    assert_int_equal(r.status, STI_OK);
    drop(&r);
    // from elsewhere
    r = parse_as(text, "/r.urdf", NULL);
    io_expect_error(r.env, STI_ERR_INPUT, "a folder to look in can be named");
    drop(&r);
    sti_urdf_options options = sti_urdf_options_default();
    const char* folders[] = {"/no/such/folder", io_folder};
    options.folder_count = 2;
    options.folders = folders;
    r = parse_as(text, "/r.urdf", &options);
    assert_int_equal(r.status, STI_OK);
    drop(&r);
    snprintf(text, sizeof text, with_mesh, "cube.obj", io_path("cube.obj"));
    r = parse_as(text, "/r.urdf", &options);
    assert_int_equal(r.status, STI_OK);
    drop(&r);
    // and other names in folders above the file
    mkdir(io_path("urdf"), 0777);
    r = parse_as(text, io_path("urdf/r.urdf"), NULL);
    assert_int_equal(r.status, STI_OK);
    drop(&r);
    rmdir(io_path("urdf"));
    io_folder_remove();
}

// ---- looks and parts

static const char looking[] =
    "<robot name='r'><material name='paint'><color rgba='0 0.5 1 1'/></material>"
    "<link name='a'>" INERTIAL(1) "<visual><geometry><box size='1 1 1'/></geometry><material name='paint'/></visual>"
    "<visual><geometry><mesh filename='nowhere.stl'/></geometry></visual>"
    "<collision><geometry><sphere radius='0.2'/></geometry></collision></link>"
    "<link name='b'>" INERTIAL(1) "<visual><origin xyz='0 0 3'/><geometry><sphere radius='0.5'/></geometry>"
    "<material name='own'><color rgba='1 0 0 1'/></material></visual></link>"
    "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";

static void looks_have_the_colours_of_the_file_and_replace_shapes_where_asked(void** state) {
    (void)state;
    sti_urdf_options options = sti_urdf_options_default();
    robot r = parse(looking, &options);
    assert_int_equal(r.report.look_count, 0);
    drop(&r);
    options.show = STI_URDF_SHOW_COLLISION;  // only b, which has no shape
    r = parse(looking, &options);
    assert_int_equal(r.report.look_count, 1);
    const sti_look* red = &r.report.looks[0];
    assert_true(red->body == 1 && !red->instead && red->has_color);
    assert_true(red->rgb[0] == 255 && red->rgb[1] == 0 && red->rgb[2] == 0);
    double low = INFINITY;
    for (int k = 0; k < red->surface.vertex_count; k++) low = fmin(low, red->surface.vertices[3 * k + 2]);
    assert_true(fabs(low - 2.5) <= 1e-12);
    drop(&r);
    options.show = STI_URDF_SHOW_VISUAL;
    r = parse(looking, &options);
    assert_int_equal(r.report.look_count, 2);
    assert_true(r.report.looks[0].body == 0 && r.report.looks[0].instead && r.report.looks[1].instead);
    assert_true(r.report.looks[0].rgb[1] == 128 && r.report.looks[0].rgb[2] == 255);
    assert_int_equal(r.report.looks[0].surface.face_count, 6);
    remark(&r, STI_URDF_IGNORED, "link \"a\": visual", "cannot be shown");
    drop(&r);
    sti_urdf_show show;
    assert_true(sti_urdf_show_parse("visual", &show) && show == STI_URDF_SHOW_VISUAL);
    assert_false(sti_urdf_show_parse("all", &show));
    assert_string_equal(sti_urdf_show_text(STI_URDF_SHOW_COLLISION), "collision");
}

static void a_link_without_a_surface_looks_like_the_box_of_its_moments(void** state) {
    (void)state;
    sti_urdf_options options = sti_urdf_options_default();
    options.show = STI_URDF_SHOW_COLLISION;
    options.fixed = false;
    robot r = parse(
        "<robot name='r'><link name='a'><inertial><origin xyz='1 0 0'/><mass value='12'/>"
        "<inertia ixx='0.13' iyy='0.1' izz='0.05' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>",
        &options);
    assert_int_equal(r.report.look_count, 1);
    const sti_surface* s = &r.report.looks[0].surface;
    assert_int_equal(s->vertex_count, 8);
    // m/12 (b^2 + c^2) = 0.13, (c^2 + a^2) = 0.1, (a^2 + b^2) = 0.05
    const double side[3] = {sqrt(0.01), sqrt(0.04), sqrt(0.09)};
    for (int k = 0; k < 8; k++) {
        assert_true(fabs(fabs(s->vertices[3 * k] - 1) - side[0] / 2) <= 1e-12);
        assert_true(fabs(fabs(s->vertices[3 * k + 1]) - side[1] / 2) <= 1e-12);
        assert_true(fabs(fabs(s->vertices[3 * k + 2]) - side[2] / 2) <= 1e-12);
    }
    drop(&r);
}

// An L of height 1: the unit square less its upper right quarter.
static const char angle_obj[] =
    "v 0 0 0\nv 1 0 0\nv 1 0.5 0\nv 0.5 0.5 0\nv 0.5 1 0\nv 0 1 0\n"
    "v 0 0 1\nv 1 0 1\nv 1 0.5 1\nv 0.5 0.5 1\nv 0.5 1 1\nv 0 1 1\n"
    "f 4 3 2 1\nf 6 5 4 1\nf 7 8 9 10\nf 7 10 11 12\n"
    "f 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";

static void concave_meshes_become_convex_parts_on_request(void** state) {
    (void)state;
    static const char text[] = "<robot name='r'><link name='a'>" INERTIAL(
        1) "<collision><geometry><mesh filename='l.obj'/></geometry></collision></link></robot>";
    io_folder_make();
    io_write_text(io_path("l.obj"), angle_obj);
    io_write_text(io_path("l.urdf"), text);
    for (int parts = 0; parts < 2; parts++) {
        sti_urdf_options options = sti_urdf_options_default();
        options.fixed = false;
        options.decompose = parts ? 0.01 : 0;
        robot r = {.env = io_env(NULL)};
        assert_int_equal(sti_bodies_create(r.env, 3, &r.bodies), STI_OK);
        assert_int_equal(sti_urdf_add(r.env, io_path("l.urdf"), &options, r.bodies, &r.report), STI_OK);
        double volume = 0;
        for (int k = 0; k < sti_bodies_shape_count(r.bodies); k++) {
            sti_shape_mass mass;
            assert_int_equal(sti_shape_measure(r.env, sti_bodies_shape(r.bodies, k, NULL, NULL, NULL), 1, &mass),
                             STI_OK);
            volume += mass.size;
        }
        assert_int_equal(sti_bodies_shape_count(r.bodies), parts ? 2 : 1);
        assert_true(fabs(volume - (parts ? 0.75 : 0.875)) <= 1e-12);
        if (parts) remark(&r, STI_URDF_APPROXIMATED, "link \"a\": collision", "2 convex parts, its surface at most");
        if (!parts) remark(&r, STI_URDF_APPROXIMATED, "link \"a\": collision", "of a volume 16.7 % larger");
        drop(&r);
    }
    io_folder_remove();
}

// ---- memory

static void running_out_of_memory_is_survived_everywhere(void** state) {
    (void)state;
    char text[1000];
    io_folder_make();
    io_write_text(io_path("cube.obj"), cube_obj);
    snprintf(text, sizeof text, with_mesh, "cube.obj", "cube.obj");
    io_write_text(io_path("r.urdf"), text);
    static const char mended[] = "\n<?xml version='1.0'?>" ROBOT("<link name='a'/><link name='b'>" SHAPE(
        "<sphere radius='0.1'/>") "</link>" JOINT("spherical", "<origin xyz='$(optenv X 1 2 3)'/>"));
    io_write_text(io_path("l.obj"), angle_obj);
    sti_urdf_options all = sti_urdf_options_default();
    all.show = STI_URDF_SHOW_VISUAL;
    all.decompose = 0.01;
    all.fixed = false;
    snprintf(text, sizeof text, with_mesh, "l.obj", "l.obj");
    io_write_text(io_path("l.urdf"), text);
    for (int file = 0; file < 5; file++) {
        for (long k = 0;; k++) {
            failing_env f;
            sti_bodies* bodies;
            sti_urdf_report report;
            const char* said = file == 1 ? mimicking : file == 3 ? looking : mended;
            const sti_urdf_options* options = file >= 3 ? &all : NULL;
            failing_env_open(&f, -1);
            assert_int_equal(sti_bodies_create(f.env, 3, &bodies), STI_OK);
            f.fail_at = f.count + k;
            const char* path = file == 0 ? io_path("r.urdf") : file == 4 ? io_path("l.urdf") : NULL;
            const sti_status status =
                path != NULL ? sti_urdf_add(f.env, path, options, bodies, &report)
                             : sti_urdf_parse(f.env, said, strlen(said), "m.urdf", options, bodies, &report);
            if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
            sti_urdf_report_clear(f.env, &report);
            sti_bodies_destroy(bodies);
            if (failing_env_close(&f)) {
                assert_int_equal(status, STI_OK);
                break;
            }
        }
    }
    io_folder_remove();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_on_a_hinge_has_its_mass_place_and_limits),
        cmocka_unit_test(positions_of_joints_give_the_places_of_links),
        cmocka_unit_test(roll_pitch_and_yaw_turn_about_fixed_axes),
        cmocka_unit_test(fixed_joints_make_one_body_with_the_sum_of_the_masses),
        cmocka_unit_test(cylinders_are_round),
        cmocka_unit_test(cylinders_are_prisms_where_that_is_asked_for_and_their_error_is_told),
        cmocka_unit_test(looks_have_the_colours_of_the_file_and_replace_shapes_where_asked),
        cmocka_unit_test(a_link_without_a_surface_looks_like_the_box_of_its_moments),
        cmocka_unit_test(concave_meshes_become_convex_parts_on_request),
        cmocka_unit_test(settings_make_motors_and_springs),
        cmocka_unit_test(a_joint_that_mimics_is_geared_and_starts_where_the_other_puts_it),
        cmocka_unit_test(one_joint_keeps_the_limits_of_all_that_mimic_it),
        cmocka_unit_test(an_empty_root_that_all_else_floats_in_is_the_world),
        cmocka_unit_test(a_root_with_a_plane_or_a_robot_of_nothing_stays_where_it_is),
        cmocka_unit_test(fingers_of_a_hand_that_moves_are_geared_also_in_chains),
        cmocka_unit_test(what_has_no_effect_is_reported),
        cmocka_unit_test(links_that_overlap_at_the_start_never_touch),
        cmocka_unit_test(a_joint_that_starts_beyond_half_a_turn_counts_from_there),
        cmocka_unit_test(a_joint_with_one_position_is_held),
        cmocka_unit_test(a_free_base_moves),
        cmocka_unit_test(mistakes_name_line_element_and_value),
        cmocka_unit_test(what_other_engines_take_is_mended_and_said),
        cmocka_unit_test(a_mended_file_still_says_what_it_says),
        cmocka_unit_test(limits_that_are_infinite_or_not_given_hold_nothing),
        cmocka_unit_test(a_joint_that_others_follow_is_not_left_out),
        cmocka_unit_test(what_is_xml_already_is_left_alone),
        cmocka_unit_test(substitution_that_unfolds_is_cut_off),
        cmocka_unit_test(text_that_ends_without_a_0_is_read_to_its_size),
        cmocka_unit_test(what_no_engine_takes_stays_refused),
        cmocka_unit_test(settings_that_do_not_fit_are_refused),
        cmocka_unit_test(robots_do_not_live_in_the_plane),
        cmocka_unit_test(a_file_that_is_not_there_is_said_to_be_so),
        cmocka_unit_test(meshes_are_triangles_when_fixed_and_hulls_when_they_move),
        cmocka_unit_test(meshes_whose_y_is_up_are_turned_where_centres_of_mass_say_so),
        cmocka_unit_test(large_meshes_are_thinned_and_what_is_lost_is_told),
        cmocka_unit_test(corners_that_do_not_matter_are_left_out_within_a_bound),
        cmocka_unit_test(packages_are_found_above_the_file_and_in_named_folders),
        cmocka_unit_test(running_out_of_memory_is_survived_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
