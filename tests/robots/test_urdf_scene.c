// Robots in scenes: the field "urdf", a URDF file as a scene of its own, coordinates that agree with the file's, and
// the arm that grasps a box and holds it without creep.
#include <stiction/verify.h>

#include "support/io_tools.h"

#define MASS "<inertial><mass value='1'/><inertia ixx='0.1' iyy='0.1' izz='0.1'/></inertial>"

static const char slider[] =
    "<robot name='slider'>\n<link name='rail'/>\n<link name='cart'>" MASS
    "</link>\n"
    "<joint name='j' type='prismatic'><parent link='rail'/><child link='cart'/><axis xyz='0 0 -1'/>\n"
    "<limit lower='-1' upper='0.5' effort='40' velocity='1'/><dynamics friction='3'/></joint></robot>\n";

static sti_document* load(sti_env* env, const char* path) {
    sti_document* p;
    const sti_status status = sti_document_load(env, path, &p);
    if (status != STI_OK) print_error("%s\n", sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
    assert_non_null(sti_world_scene_of(p));
    return p;
}

static void a_urdf_file_is_a_scene(void** state) {
    (void)state;
    io_folder_make();
    io_write_text(io_path("slider.urdf"), slider);
    sti_env* env = io_env(NULL);
    sti_document* p = load(env, io_path("slider.urdf"));
    const sti_world_scene* s = sti_world_scene_of(p);
    assert_string_equal(s->description, "slider.urdf");
    assert_true(sti_bodies_count(s->bodies) == 2 && s->robot_count == 1);
    assert_string_equal(s->robots[0].robot, "slider");
    assert_true(s->robots[0].remark_count > 0 && s->time == 10);
    // gravity 9.81 downwards: along the axis, less 3 of friction
    sti_world* world;
    sti_world_report report;
    sti_world_joint j;
    assert_int_equal(sti_world_create(env, s->bodies, &s->step, &world), STI_OK);
    assert_int_equal(sti_world_step(world, &report), STI_OK);
    sti_world_joint_state(world, 0, &j);
    assert_true(report.solved && fabs(j.speed[0] - 6.81 * s->step.h) <= 1e-12);
    for (int k = 0; k < 100; k++) assert_int_equal(sti_world_step(world, &report), STI_OK);
    sti_world_joint_state(world, 0, &j);
    assert_true(fabs(j.coordinate[0] - 0.5) <= 1e-9);  // its limit
    sti_world_destroy(world);
    sti_document_destroy(p);
    p = load(env, io_path("slider.urdf"));
    assert_int_equal(sti_document_set(p, "joints.j=0.25,time=2"), STI_OK);
    assert_true(sti_bodies_body(sti_world_scene_of(p)->bodies, 1)->pose.x[2] == -0.25);
    assert_int_equal(sti_document_set(p, "joints.k=0.25"), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "setting of joint \"k\": no such joint");
    sti_document_destroy(p);
    // mistakes have the lines of the file
    io_write_text(io_path("bad.urdf"), "<robot name='r'>\n\n<link/></robot>");
    assert_int_equal(sti_document_load(env, io_path("bad.urdf"), &p), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "bad.urdf: line 3: link: name: missing");
    sti_env_destroy(env);
    io_folder_remove();
}

static void a_scene_places_robots_beside_bodies(void** state) {
    (void)state;
    io_folder_make();
    io_write_text(io_path("slider.urdf"), slider);
    io_write_text(io_path("two.json"),
                  "{\"kind\": \"scene\", \"dimension\": 3, \"time\": 1, \"parameters\": {\"q\": 0.25},\n"
                  " \"materials\": {\"rubber\": {\"mu\": 2}},\n"
                  " \"bodies\": [{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}],\n"
                  " \"urdf\": [{\"file\": \"slider.urdf\", \"name\": \"a\", \"position\": [1, 0, 0], \"joints\": "
                  "{\"j\": \"q\"},\n"
                  "            \"motors\": {\"j\": {\"speed\": -0.5, \"force\": 20}}, \"material\": \"rubber\"},\n"
                  "           {\"text\": [\"<robot name='t'>\", \"<link name='l'>\", \"" MASS
                  "</link></robot>\"], \"name\": \"b\",\n"
                  "            \"fixed\": false, \"repeat\": 2}],\n"
                  " \"joints\": [{\"name\": \"hold\", \"type\": \"fixed\", \"bodies\": [\"a/cart\", \"ball\"],\n"
                  "             \"point\": [0, 0, 0]}]}");
    sti_env* env = io_env(NULL);
    sti_document* p = load(env, io_path("two.json"));
    const sti_world_scene* s = sti_world_scene_of(p);
    assert_true(sti_bodies_count(s->bodies) == 5 && s->robot_count == 3);
    const sti_body* cart = sti_bodies_body(s->bodies, sti_bodies_find(s->bodies, "a/cart"));
    assert_true(cart->pose.x[0] == 1 && cart->pose.x[2] == -0.25);
    const sti_joint_axis* axis = &sti_bodies_joint(s->bodies, sti_bodies_find_joint(s->bodies, "a/j"))->axis[0];
    assert_true(axis->motor_speed == -0.5 && axis->motor_force == 20);
    assert_true(sti_bodies_find(s->bodies, "b 0/l") >= 0 && sti_bodies_find(s->bodies, "b 1/l") >= 0);
    assert_int_equal(sti_document_set(p, "q=0.125"), STI_OK);
    s = sti_world_scene_of(p);
    cart = sti_bodies_body(s->bodies, sti_bodies_find(s->bodies, "a/cart"));
    assert_true(cart->pose.x[2] == -0.125);
    assert_int_equal(sti_document_set(p, "joints.a/j=2*q"), STI_OK);
    s = sti_world_scene_of(p);
    cart = sti_bodies_body(s->bodies, sti_bodies_find(s->bodies, "a/cart"));
    assert_true(cart->pose.x[2] == -0.25);
    assert_int_equal(sti_document_set(p, "joints.c/j=0"), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "joints.c/j: no such parameter");
    sti_document_destroy(p);
    sti_env_destroy(env);
    io_folder_remove();
}

static void the_text_of_a_scene_can_be_read_elsewhere(void** state) {
    (void)state;
    io_folder_make();
    io_write_text(io_path("t.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    io_write_text(io_path("m.urdf"),
                  "<robot name='m'><link name='a'>" MASS
                  "<collision><geometry><mesh filename='t.obj'/></geometry></collision></link></robot>");
    io_write_text(io_path("m.json"),
                  "{\"kind\": \"scene\", \"dimension\": 3, \"time\": 1, \"bodies\": [],\n"
                  " \"urdf\": [{\"file\": \"m.urdf\", \"fixed\": false}]}");
    static const char* const names[] = {"m.json", "m.urdf"};
    for (int k = 0; k < 2; k++) {
        sti_env* env = io_env(NULL);
        sti_document *p = load(env, io_path(names[k])), *again;
        char* text;
        assert_int_equal(sti_document_text(env, p, &text), STI_OK);
        const sti_status status = sti_document_parse(env, text, strlen(text), "again", &again);
        if (status != STI_OK) print_error("%s\n%s\n", sti_env_error(env)->text, text);
        assert_int_equal(status, STI_OK);
        assert_int_equal(sti_bodies_shape_count(sti_world_scene_of(again)->bodies), 1);
        sti_env_free(env, text);
        sti_document_destroy(again);
        sti_document_destroy(p);
        sti_env_destroy(env);
    }
    io_folder_remove();
}

static void mistakes_in_the_field_are_named(void** state) {
    (void)state;
    static const char* const bad[][2] = {
        {"{}", "urdf[0].file: missing"},
        {"{\"file\": \"x.urdf\"}", "urdf[0].file: \"x.urdf\""},
        {"{\"file\": \"/no/such/x.urdf\"}", "urdf[0]: /no/such/x.urdf: No such file"},
        {"{\"file\": \"x\", \"text\": \"y\"}", "urdf[0].file: \"x\": not together with \"text\""},
        {"{\"text\": 5}", "urdf[0].text: 5"},
        {"{\"text\": \"<robot/>\"}", "urdf[0]: text: line 1: robot: no <link>"},
        {"{\"text\": \"<robot><link name='a'/></robot>\", \"colour\": 1}", "urdf[0].colour"},
        {"{\"text\": \"<robot><link name='a'/></robot>\", \"joints\": {\"j\": 1}}",
         "setting of joint \"j\": no such joint"},
        {"{\"text\": \"<robot><link name='a'/></robot>\", \"joints\": [1]}", "urdf[0].joints"},
        {"{\"text\": \"<robot><link name='a'/></robot>\", \"motors\": {\"j\": {\"torque\": 1}}}",
         "urdf[0].motors.j.torque"},
        {"{\"text\": \"<robot><link name='a'/></robot>\", \"material\": \"wood\"}", "urdf[0].material: \"wood\""},
        {"{\"text\": \"<robot><link name='a'/></robot>\", \"sides\": 2}", "urdf[0].sides"},
        {"{\"text\": \"<robot><link name='a'/></robot>\", \"folders\": [1]}", "urdf[0].folders[0]: 1"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        char text[600];
        sti_env* env = io_env(NULL);
        sti_document* p;
        snprintf(text, sizeof text,
                 "{\"kind\": \"scene\", \"dimension\": 3, \"time\": 1, \"bodies\": [], \"urdf\": [%s]}", bad[k][0]);
        assert_int_equal(sti_document_parse(env, text, strlen(text), "t.json", &p), STI_ERR_INPUT);
        io_expect_error(env, STI_ERR_INPUT, bad[k][1]);
        sti_env_destroy(env);
    }
    sti_env* env = io_env(NULL);
    sti_document* p;
    static const char flat[] =
        "{\"kind\": \"scene\", \"dimension\": 2, \"time\": 1, \"bodies\": [], \"urdf\": [{\"text\": \"\"}]}";
    assert_int_equal(sti_document_parse(env, flat, strlen(flat), "t.json", &p), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "a robot needs \"dimension\": 3");
    sti_env_destroy(env);
}

// ---- coordinates: a chain with skew frames and axes, each joint at a position of its own

static void coordinates_of_joints_are_those_of_the_file(void** state) {
    (void)state;
    static const char* const axes[] = {"1 0 0", "0 1 0", "0 0 1", "0 0 -1", "0 -1 0", "-1 0 0", "1 2 3", "-2 1 -5"};
    enum { COUNT = 8 };
    char text[6000];
    size_t at = (size_t)snprintf(text, sizeof text, "<robot name='chain'><link name='l0'/>");
    sti_urdf_setting s[COUNT];
    char names[COUNT][16];
    for (int k = 0; k < COUNT; k++) {
        const bool slides = k % 3 == 2;
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "<link name='l%d'>" MASS
                               "</link><joint name='j%d' type='%s'><parent link='l%d'/>"
                               "<child link='l%d'/><origin xyz='0.1 %g 0.3' rpy='%g 0.4 -0.7'/><axis xyz='%s'/>"
                               "<limit lower='-9' upper='9'/></joint>",
                               k + 1, k, slides ? "prismatic" : "revolute", k, k + 1, 0.05 * k, 0.3 * k, axes[k]);
        snprintf(names[k], sizeof names[k], "j%d", k);
        s[k] = sti_urdf_setting_default(names[k]);
        s[k].position = 0.7 * k - 2.4;
    }
    snprintf(text + at, sizeof text - at, "</robot>");
    sti_urdf_options options = sti_urdf_options_default();
    options.setting_count = COUNT;
    options.settings = s;
    sti_env* env = io_env(NULL);
    sti_bodies* bodies;
    sti_urdf_report report;
    assert_int_equal(sti_bodies_create(env, 3, &bodies), STI_OK);
    const sti_status status = sti_urdf_parse(env, text, strlen(text), "chain.urdf", &options, bodies, &report);
    if (status != STI_OK) print_error("%s\n", sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
    sti_world_options step = sti_world_options_default();
    step.h = 1e-9;  // no gravity: everything stays
    sti_world* world;
    assert_int_equal(sti_world_create(env, bodies, &step, &world), STI_OK);
    assert_int_equal(sti_world_step(world, NULL), STI_OK);
    for (int k = 0; k < COUNT; k++) {
        sti_world_joint j;
        sti_world_joint_state(world, k, &j);
        if (!(fabs(j.coordinate[0] - s[k].position) <= 1e-12))
            print_error("joint %d at %.17g, expected %.17g\n", k, j.coordinate[0], s[k].position);
        assert_true(fabs(j.coordinate[0] - s[k].position) <= 1e-12);
        assert_true(fabs(j.defect) <= 1e-12);
    }
    sti_world_destroy(world);
    sti_urdf_report_clear(env, &report);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// ---- dynamics: a chain with skew frames, axes and inertias, two of its links fixed to each other

static const char skew[] =
    "<robot name='skew'><link name='l0'/>\n"
    "<link name='l1'><inertial><origin xyz='0.1 -0.05 0.2' rpy='0.3 0.4 -0.9'/><mass value='3'/><inertia ixx='0.06' "
    "ixy='0.01' ixz='-0.005' iyy='0.05' iyz='0.008' izz='0.03'/></inertial></link>\n"
    "<link name='l2'><inertial><origin xyz='0 0.1 0.15' rpy='-1 0.2 0.5'/><mass value='2'/><inertia ixx='0.02' "
    "ixy='0.003' ixz='0.001' iyy='0.03' iyz='-0.004' izz='0.025'/></inertial></link>\n"
    "<link name='l3'><inertial><origin xyz='0.02 0 0.1' rpy='0 0 1.1'/><mass value='1'/><inertia ixx='0.01' ixy='0' "
    "ixz='0.001' iyy='0.012' iyz='0' izz='0.005'/></inertial></link>\n"
    "<link name='l4'><inertial><origin xyz='-0.03 0.04 0.05' rpy='0.7 0 0'/><mass value='0.5'/><inertia ixx='0.002' "
    "ixy='0' ixz='0' iyy='0.003' iyz='0.0005' izz='0.004'/></inertial></link>\n"
    "<link name='l5'><inertial><origin xyz='0 0 0.08' rpy='0 -0.6 0'/><mass value='0.4'/><inertia ixx='0.001' "
    "ixy='0.0001' ixz='0' iyy='0.002' iyz='0' izz='0.0015'/></inertial></link>\n"
    "<joint name='a' type='revolute'><parent link='l0'/><child link='l1'/><origin xyz='0 0 0.3' rpy='0.2 -0.3 "
    "0.4'/><axis xyz='0.36 0.48 0.8'/><limit lower='-3' upper='3'/></joint>\n"
    "<joint name='b' type='prismatic'><parent link='l1'/><child link='l2'/><origin xyz='0.1 0 0.4' rpy='-0.5 0.1 "
    "1.2'/><axis xyz='0.6 0 -0.8'/><limit lower='-3' upper='3'/></joint>\n"
    "<joint name='c' type='continuous'><parent link='l2'/><child link='l3'/><origin xyz='0 0.2 0.3' rpy='1.3 0.2 "
    "-0.4'/><axis xyz='0 -0.6 0.8'/></joint>\n"
    "<joint name='f' type='fixed'><parent link='l3'/><child link='l4'/><origin xyz='0.05 0 0.2' rpy='0.9 -0.2 "
    "0.1'/></joint>\n"
    "<joint name='d' type='revolute'><parent link='l4'/><child link='l5'/><origin xyz='0 0.03 0.1' rpy='-0.8 0 "
    "0.6'/><axis xyz='-1 0 0'/><limit lower='-3' upper='3'/></joint>\n"
    "</robot>\n";

// Reference: accelerations of MuJoCo 2.2.2 for the same file and the same positions, at rest, good to 1e-10.
static void accelerations_agree_with_another_reader_of_the_same_file(void** state) {
    (void)state;
    static const char* const names[4] = {"a", "b", "c", "d"};
    static const double reference[4] = {1.08534564744553, 5.87969234730088, 19.4263212160791, -29.5632035903367};
    sti_urdf_setting s[4];
    for (int k = 0; k < 4; k++) {
        s[k] = sti_urdf_setting_default(names[k]);
        s[k].position = 0.4 * sin(1 + 1.7 * k);
    }
    sti_urdf_options options = sti_urdf_options_default();
    options.setting_count = 4;
    options.settings = s;
    sti_env* env = io_env(NULL);
    sti_bodies* bodies;
    sti_urdf_report report;
    sti_world* world;
    assert_int_equal(sti_bodies_create(env, 3, &bodies), STI_OK);
    sti_bodies_set_gravity(bodies, (double[]){0, 0, -9.81});
    assert_int_equal(sti_urdf_parse(env, skew, strlen(skew), "skew.urdf", &options, bodies, &report), STI_OK);
    sti_world_options step = sti_world_options_default();
    step.h = 1e-5;
    assert_int_equal(sti_world_create(env, bodies, &step, &world), STI_OK);
    assert_int_equal(sti_world_step(world, NULL), STI_OK);
    for (int k = 0; k < 4; k++) {
        sti_world_joint j;
        sti_world_joint_state(world, sti_bodies_find_joint(bodies, names[k]), &j);
        const double error = fabs(j.speed[0] / step.h - reference[k]);  // of the order of h
        if (!(error <= 1e-6))
            print_error("joint %s: %.12g, expected %.12g\n", names[k], j.speed[0] / step.h, reference[k]);
        assert_true(error <= 1e-6);
    }
    sti_world_destroy(world);
    sti_urdf_report_clear(env, &report);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// ---- the arm

static double distance(const double* a, const double* b) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// Steps for `time`; every one is solved. *gain: energy that appeared.
static void go_on(sti_world* world, double time, double h, double* gain) {
    for (long k = 0; k < lround(time / h); k++) {
        sti_world_report report;
        assert_int_equal(sti_world_step(world, &report), STI_OK);
        if (!report.solved) print_error("step %ld: %s\n", report.step, report.why);
        assert_true(report.solved);
        *gain = fmax(*gain, report.gain);
    }
}

static void a_grasped_box_is_lifted_and_does_not_creep(void** state) {
    (void)state;
    for (int fine = 0; fine < 2; fine++) {
        sti_env* env = io_env(NULL);
        sti_document* p = load(env, STI_SOURCE_DIR "/scenes/arm-grasp.json");
        assert_int_equal(sti_document_set(p, fine ? "step.h=0.002" : "step.h=0.01"), STI_OK);
        const sti_world_scene* s = sti_world_scene_of(p);
        const int box = sti_bodies_find(s->bodies, "box");
        sti_world* world;
        sti_pose start, held, now;
        double gain = 0;
        assert_int_equal(sti_world_create(env, s->bodies, &s->step, &world), STI_OK);
        sti_world_pose(world, box, &start);
        go_on(world, 4, s->step.h, &gain);
        sti_world_pose(world, box, &held);
        assert_true(held.x[2] - start.x[2] > 0.1);
        // ten seconds in a short version and a long one: what is at rest is the same after every step
        go_on(world, fine ? 1 : 10, s->step.h, &gain);
        sti_world_pose(world, box, &now);
        if (!(distance(held.x, now.x) <= 1e-12)) print_error("creep %g\n", distance(held.x, now.x));
        assert_true(distance(held.x, now.x) <= 1e-12);
        assert_true(gain <= 1e-9);
        sti_world_destroy(world);
        sti_document_destroy(p);
        sti_env_destroy(env);
    }
}

static void a_slippery_box_stays_behind(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p = load(env, STI_SOURCE_DIR "/scenes/arm-grasp.json");
    assert_int_equal(sti_document_set(p, "mu=0.05"), STI_OK);
    const sti_world_scene* s = sti_world_scene_of(p);
    const int box = sti_bodies_find(s->bodies, "box");
    sti_world* world;
    sti_pose start, now;
    double gain = 0;
    assert_int_equal(sti_world_create(env, s->bodies, &s->step, &world), STI_OK);
    sti_world_pose(world, box, &start);
    go_on(world, 3, s->step.h, &gain);
    sti_world_pose(world, box, &now);
    assert_true(fabs(now.x[2] - start.x[2]) <= 1e-6 && gain <= 1e-9);
    sti_world_destroy(world);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

// A hand whose fingers all mimic one, in two chains: it closes on a box that lies beside its middle.
static const char geared_hand[] =
    "{\"kind\": \"scene\", \"dimension\": 3, \"time\": 2, \"step\": {\"h\": 0.005},"
    "\"materials\": {\"rubber\": {\"mu\": 0.8}}, \"bodies\": [{\"name\": \"box\", \"mass\": 0.1, \"material\": "
    "\"rubber\","
    "\"shape\": {\"type\": \"box\", \"half\": [0.02, 0.02, 0.02]}, \"position\": [0.11, 0.005, 0]},"
    "{\"fixed\": true, \"shape\": {\"type\": \"halfspace\", \"normal\": [0, 0, 1]}, \"position\": [0, 0, -0.02]}],"
    "\"urdf\": [{\"material\": \"rubber\", \"motors\": {\"l1\": {\"speed\": 0.5, \"force\": 5}},"
    "\"text\": [\"<robot name='hand'><link name='palm'><inertial><mass value='0.5'/>\","
    "\"<inertia ixx='1e-3' iyy='1e-3' izz='1e-3'/></inertial></link>\","
    "\"<link name='la'><inertial><origin xyz='0.03 0 0'/><mass value='0.04'/>\","
    "\"<inertia ixx='2e-5' iyy='2e-5' izz='2e-5'/></inertial></link>\","
    "\"<link name='ra'><inertial><origin xyz='0.03 0 0'/><mass value='0.04'/>\","
    "\"<inertia ixx='2e-5' iyy='2e-5' izz='2e-5'/></inertial></link>\","
    "\"<link name='lb'><inertial><origin xyz='0.03 0 0'/><mass value='0.03'/>\","
    "\"<inertia ixx='1e-5' iyy='1e-5' izz='1e-5'/></inertial>\","
    "\"<collision><origin xyz='0.03 0 0'/><geometry><box size='0.06 0.01 0.02'/></geometry></collision></link>\","
    "\"<link name='rb'><inertial><origin xyz='0.03 0 0'/><mass value='0.03'/>\","
    "\"<inertia ixx='1e-5' iyy='1e-5' izz='1e-5'/></inertial>\","
    "\"<collision><origin xyz='0.03 0 0'/><geometry><box size='0.06 0.01 0.02'/></geometry></collision></link>\","
    "\"<joint name='l1' type='revolute'><parent link='palm'/><child link='la'/><origin xyz='0.03 0.05 0'/>\","
    "\"<axis xyz='0 0 -1'/><limit lower='-0.2' upper='0.8' effort='9'/></joint>\","
    "\"<joint name='r1' type='revolute'><parent link='palm'/><child link='ra'/><origin xyz='0.03 -0.05 0'/>\","
    "\"<axis xyz='0 0 1'/><limit lower='-0.2' upper='0.8'/><mimic joint='l1'/></joint>\","
    "\"<joint name='l2' type='revolute'><parent link='la'/><child link='lb'/><origin xyz='0.06 0 0'/>\","
    "\"<axis xyz='0 0 -1'/><limit lower='-0.8' upper='0.2'/><mimic joint='l1' multiplier='-1'/></joint>\","
    "\"<joint name='r2' type='revolute'><parent link='ra'/><child link='rb'/><origin xyz='0.06 0 0'/>\","
    "\"<axis xyz='0 0 1'/><limit lower='-0.8' upper='0.2'/><mimic joint='r1' multiplier='-1'/></joint></robot>\"]}]}";

static void a_hand_of_geared_fingers_takes_a_box_into_its_middle(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p;
    sti_world* world;
    sti_run_checker* checker;
    assert_int_equal(sti_document_parse(env, geared_hand, strlen(geared_hand), "hand", &p), STI_OK);
    const sti_world_scene* s = sti_world_scene_of(p);
    sti_run_verify_options options = sti_run_verify_options_default();
    options.bodies = s->bodies;
    assert_int_equal(sti_world_create(env, s->bodies, &s->step, &world), STI_OK);
    assert_int_equal(sti_run_checker_create(env, &options, &checker), STI_OK);
    assert_int_equal(sti_run_checker_look_world(checker, world, NULL), STI_OK);
    for (int step = 0; step < 400; step++) {
        sti_world_report report;
        assert_int_equal(sti_world_step(world, &report), STI_OK);
        if (!report.solved) fail_msg("step %d: %s", step, report.why);
        assert_int_equal(sti_run_checker_look_world(checker, world, &report), STI_OK);
    }
    sti_run_verification v;
    sti_run_checker_result(checker, &v);
    assert_true(v.accepted);
    sti_pose palm, box;
    sti_world_joint joint;
    double turn[4];
    static const char* const names[] = {"l1", "r1", "l2", "r2"};
    for (int k = 0; k < 4; k++) {
        sti_world_joint_state(world, sti_bodies_find_joint(s->bodies, names[k]), &joint);
        turn[k] = joint.coordinate[0];
    }
    assert_true(turn[0] > 0.1 && fabs(turn[0] - turn[1]) <= 1e-8 && fabs(turn[0] + turn[2]) <= 1e-8 &&
                fabs(turn[0] + turn[3]) <= 1e-8);
    sti_world_pose(world, sti_bodies_find(s->bodies, "palm"), &palm);
    sti_world_pose(world, sti_bodies_find(s->bodies, "box"), &box);
    double R[9], beside = 0;  // along y of the palm
    sti_pose_rotation(&palm, R);
    for (int k = 0; k < 3; k++) beside += R[3 * k + 1] * (box.x[k] - palm.x[k]);
    if (!(fabs(beside) <= 1e-8)) fail_msg("the box lies %g beside the middle", beside);
    sti_run_checker_destroy(checker);
    sti_world_destroy(world);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void running_out_of_memory_is_survived(void** state) {
    (void)state;
    io_folder_make();
    io_write_text(io_path("slider.urdf"), slider);
    for (long k = 0;; k++) {
        failing_env f;
        sti_document* p;
        failing_env_open(&f, k);
        const sti_status status = sti_document_load(f.env, io_path("slider.urdf"), &p);
        assert_true(status == STI_OK || status == STI_ERR_MEMORY);
        if (status == STI_OK) {
            char* text;
            const sti_status copied = sti_document_text(f.env, p, &text);
            assert_true(copied == STI_OK || copied == STI_ERR_MEMORY);
            sti_env_free(f.env, text);
        }
        sti_document_destroy(p);
        if (failing_env_close(&f)) break;
    }
    io_folder_remove();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_urdf_file_is_a_scene),
        cmocka_unit_test(a_scene_places_robots_beside_bodies),
        cmocka_unit_test(the_text_of_a_scene_can_be_read_elsewhere),
        cmocka_unit_test(mistakes_in_the_field_are_named),
        cmocka_unit_test(coordinates_of_joints_are_those_of_the_file),
        cmocka_unit_test(accelerations_agree_with_another_reader_of_the_same_file),
        cmocka_unit_test(a_grasped_box_is_lifted_and_does_not_creep),
        cmocka_unit_test(a_slippery_box_stays_behind),
        cmocka_unit_test(a_hand_of_geared_fingers_takes_a_box_into_its_middle),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
