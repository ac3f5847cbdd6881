// Scenes of bodies from JSON: every field, formulas, repetition, settings, and every mistake with file, field and
// value.
#include "support/io_tools.h"

static sti_document* parse(sti_env* env, const char* text) {
    sti_document* p = NULL;
    const sti_status status = sti_document_parse(env, text, strlen(text), "t.json", &p);
    if (status != STI_OK) print_error("%s\n", sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
    assert_int_equal(sti_document_kind(p), STI_KIND_SCENE);
    assert_null(sti_bed_scene_of(p));
    assert_non_null(sti_world_scene_of(p));
    return p;
}

static void near(double a, double b) {
    if (!(fabs(a - b) <= 1e-12 * (1 + fabs(b)))) print_error("%.17g, %.17g expected\n", a, b);
    assert_true(fabs(a - b) <= 1e-12 * (1 + fabs(b)));
}

static const char full[] =
    "{\"kind\": \"scene\", \"name\": \"n\", \"description\": \"all of it\", // with a comment\n"
    " \"parameters\": {\"mu\": 0.25, \"count\": 3, \"half\": \"mu/2\"}, \"definitions\": {\"up\": \"(2*i + "
    "1)*half\"},\n"
    " \"dimension\": 3, \"gravity\": [0, \"1 - 1\", -10],\n"
    " \"materials\": {\"wood\": {\"mu\": \"2*mu\", \"restitution\": 0.5}, \"ice\": {\"mu\": 0.02}},\n"
    " \"pairs\": [{\"materials\": [\"wood\", \"ice\"], \"mu\": 0.01}],\n"
    " \"bodies\": [\n"
    "  {\"name\": \"floor\", \"fixed\": true, \"shape\": {\"type\": \"halfspace\", \"normal\": [0, 0, 2], \"offset\": "
    "1},\n"
    "   \"velocity\": [1, 0, 0], \"material\": \"ice\"},\n"
    "  {\"name\": \"box {i + 1}\", \"repeat\": {\"count\": \"count\", \"offset\": [1, 0, 0]}, \"material\": \"wood\",\n"
    "   \"shape\": {\"type\": \"box\", \"half\": [\"half\", \"half\", \"half\"]}, \"density\": 8, \"position\": [5, 6, "
    "\"up\"],\n"
    "   \"rotation\": {\"axis\": [0, 0, 3], \"angle\": \"pi/2\"}, \"velocity\": [0, 1, \"i\"], \"angular_velocity\": "
    "[1, 2, "
    "3]},\n"
    "  {\"name\": \"heavy\", \"mass\": 3, \"inertia\": [1, 2, 2.5], \"centre\": [0.1, 0, 0], \"rotation\": [0, 0, 0, "
    "7],\n"
    "   \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.5, \"at\": [0, 0, 9]},\n"
    "                {\"type\": \"capsule\", \"radius\": 0.1, \"length\": 2, \"material\": \"ice\"},\n"
    "                {\"type\": \"convex\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}]},\n"
    "  {\"name\": \"full\", \"mass\": 2, \"inertia\": [[2, 0.5, 0], [0.5, 2, 0], [0, 0, 3]], \"position\": [0, 0, "
    "50]},\n"
    "  {\"name\": \"light\", \"mass\": 6, \"shape\": {\"type\": \"box\", \"size\": [1, 2, 3]}, \"position\": [20, 0, "
    "0]},\n"
    "  {\"name\": \"ground\", \"fixed\": true, \"shape\": {\"type\": \"mesh\", \"vertices\": [[0, 0, 0], [1, 0, 0], "
    "[0, 1, "
    "0]], \"triangles\": [[0, 1, 2]]}}],\n"
    " \"joints\": [\n"
    "  {\"name\": \"pin\", \"type\": \"revolute\", \"bodies\": [\"box 1\", \"world\"], \"point\": [5, 6, 1], \"axis\": "
    "[0, 1, "
    "0],\n"
    "   \"limits\": [-1, null], \"friction\": 0.25, \"mu\": 0.5, \"radius\": 0.125,\n"
    "   \"spring\": {\"stiffness\": 10, \"damping\": 1, \"rest\": 0.5}, \"motor\": {\"speed\": 2, \"force\": 3}, "
    "\"collide\": true},\n"
    "  {\"name\": \"rod\", \"repeat\": \"count - 1\", \"type\": \"distance\", \"bodies\": [\"box {i + 1}\", \"box {i + "
    "2}\"],\n"
    "   \"points\": [[\"5 + i\", 6, \"up\"], [\"6 + i\", 6, \"up\"]]},\n"
    "  {\"name\": \"piston\", \"type\": \"cylindrical\", \"bodies\": [\"heavy\", \"light\"], \"point\": [0, 0, 0], "
    "\"axis\": "
    "[1, 0, 0],\n"
    "   \"slide\": {\"limits\": [0, 1]}, \"turn\": {\"motor\": {\"speed\": 1, \"force\": 9}}},\n"
    "  {\"name\": \"wheel\", \"type\": \"revolute\", \"bodies\": [\"world\", \"light\"], \"point\": [20, 0, 0], "
    "\"axis\": [0, "
    "0, 1]},\n"
    "  {\"name\": \"mesh\", \"type\": \"gear\", \"joints\": [\"pin\", \"wheel\"], \"ratio\": -2}],\n"
    " \"springs\": [{\"bodies\": [\"full\", \"world\"], \"points\": [[0, 0, 51], [0, 3, 55]], \"stiffness\": 7, "
    "\"damping\": 2}],\n"
    " \"ignore\": [[\"heavy\", \"full\"]],\n"
    " \"step\": {\"h\": \"mu/25\", \"alpha\": 0.75, \"tol\": 1e-9, \"solver\": \"newton\", \"impact\": \"poisson\", "
    "\"rest_speed\": 0.5,\n"
    "  \"dissipate\": false, \"stabilize\": false, \"stabilize_tol\": 1e-6, \"points\": 8, \"start_as_given\": true},\n"
    " \"time\": \"2*count\"}";

static void expect_joints(const sti_bodies* b) {
    assert_int_equal(sti_bodies_joint_count(b), 6);
    const sti_joint* pin = sti_bodies_joint(b, 0);
    assert_true(pin->kind == STI_JOINT_REVOLUTE && pin->a == 1 && pin->b == -1 && pin->collide);
    assert_true(pin->axis[0].lower == -1 && isinf(pin->axis[0].upper) && pin->axis[0].radius == 0.125);
    assert_true(pin->axis[0].friction == 0.25 && pin->axis[0].mu == 0.5 && pin->axis[0].motor_force == 3);
    assert_true(pin->axis[0].stiffness == 10 && pin->axis[0].damping == 1 && pin->axis[0].rest == 0.5);
    near(pin->at_b.x[0], 5);
    const sti_joint* rod = sti_bodies_joint(b, sti_bodies_find_joint(b, "rod 1"));
    assert_true(rod->kind == STI_JOINT_DISTANCE && rod->a == 2 && rod->b == 3);
    near(rod->length, 1);
    const sti_joint* piston = sti_bodies_joint(b, 3);
    assert_true(piston->axis[0].upper == 1 && piston->axis[1].motor_force == 9 && isinf(piston->axis[1].upper));
    const sti_joint* gear = sti_bodies_joint(b, 5);
    assert_true(gear->of[0] == 0 && gear->of[1] == 4 && gear->ratio == -2);
}

static void every_field_of_a_scene_of_bodies_is_read(void** state) {
    (void)state;
    io_log log;
    sti_env* env = io_env(&log);
    sti_document* p = parse(env, full);
    const sti_world_scene* s = sti_world_scene_of(p);
    const sti_bodies* b = s->bodies;
    assert_string_equal(s->description, "all of it");
    assert_int_equal(s->parameter_count, 3);
    assert_string_equal(s->parameter_names[2], "half");
    assert_true(s->parameters[2] == 0.125 && s->time == 6);
    assert_true(s->step.h == 0.01 && s->step.alpha == 0.75 && s->step.tol == 1e-9 && s->step.rest_speed == 0.5);
    assert_true(s->step.solver == STI_CONTACT_NEWTON && s->step.law == STI_IMPACT_POISSON && s->step.points == 8);
    assert_true(!s->step.dissipate && !s->step.stabilize && s->step.stabilize_tol == 1e-6 && s->step.start_as_given);
    assert_int_equal(sti_bodies_dim(b), 3);
    assert_int_equal(sti_bodies_count(b), 8);
    assert_int_equal(sti_bodies_find(b, "box 3"), 3);
    const sti_body* box = sti_bodies_body(b, 3);
    near(box->pose.x[0], 7);
    near(box->pose.x[2], 0.625);
    near(box->pose.q[0], sqrt(0.5));
    near(box->pose.q[3], sqrt(0.5));
    near(box->mass, 8 * 0.015625);
    assert_true(box->v[2] == 2 && box->w[2] == 3);
    const sti_body* heavy = sti_bodies_body(b, 4);
    near(heavy->mass, 3);
    near(heavy->inertia[8], 2.5);
    near(heavy->centre[0], 0.1);
    near(heavy->pose.q[3], 1);
    near(sti_bodies_body(b, 5)->inertia[1], 0.5);
    near(sti_bodies_body(b, 6)->mass, 6);
    near(sti_bodies_body(b, 6)->inertia[8], 2.5);
    int body, material;
    sti_pose place;
    assert_int_equal(sti_bodies_shape_count(b), 9);
    sti_bodies_shape(b, 5, &body, &place, &material);
    assert_int_equal(body, 4);
    assert_int_equal(material, 2);
    assert_int_equal(sti_bodies_material_count(b), 3);
    assert_true(sti_bodies_material(b, 1)->mu == 0.5 && sti_bodies_material(b, 1)->restitution == 0.5);
    expect_joints(b);
    assert_int_equal(log.count, 0);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static const char planar[] =
    "{\"kind\": \"scene\", \"parameters\": {\"n\": 4, \"h\": 2}, \"dimension\": 2, \"time\": 1, \"bodies\": "
    "[{\"fixed\": "
    "true, \"shape\": {\"type\": \"halfspace\", \"normal\": [0, 1]}}, {\"name\": \"disc\", \"repeat\": \"n\", "
    "\"angle\": "
    "\"i/8\", \"position\": [0, \"h*i + 1\"], \"shape\": {\"type\": \"disc\", \"radius\": 0.5}, \"angular_velocity\": "
    "-1}]}";

static void planes_have_angles_and_names_get_their_index(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p = parse(env, planar);
    const sti_bodies* b = sti_world_scene_of(p)->bodies;
    const int last = sti_bodies_find(b, "disc 3");
    assert_int_equal(last, 4);
    const sti_body* disc = sti_bodies_body(b, last);
    near(disc->pose.q[3], sin(0.1875));
    assert_true(disc->w[2] == -1 && disc->pose.x[1] == 7);
    near(disc->mass, 1000 * 0.25 * 3.14159265358979323846);
    const sti_world_options standard = sti_world_options_default();
    assert_true(sti_world_scene_of(p)->step.tol == standard.tol && sti_world_scene_of(p)->step.h == standard.h);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void settings_change_parameters_and_steps_before_anything_is_evaluated(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p = parse(env, planar);
    assert_int_equal(sti_document_set(p, "n=2,step.h=0.25,step.solver=gs,time=3/2"), STI_OK);
    const sti_world_scene* s = sti_world_scene_of(p);
    assert_int_equal(sti_bodies_count(s->bodies), 3);
    assert_true(s->step.h == 0.25 && s->step.solver == STI_CONTACT_GS && s->time == 1.5 && s->parameters[0] == 2);
    // a short name that is a parameter means the parameter; what was set before stays
    assert_int_equal(sti_document_set(p, "h=5"), STI_OK);
    s = sti_world_scene_of(p);
    assert_true(s->parameters[1] == 5 && s->step.h == 0.25 && sti_bodies_body(s->bodies, 2)->pose.x[1] == 6);
    // a wrong one changes nothing
    assert_int_equal(sti_document_set(p, "n=3,alpha=7"), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, "step.alpha: 7"));
    assert_int_equal(sti_document_set(p, "m=3"), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, "m: no such parameter; there are n, h, step.h"));
    assert_int_equal(sti_document_set(p, "n"), STI_ERR_INPUT);
    assert_int_equal(sti_document_set(p, "n=1.5"), STI_ERR_INPUT);
    assert_int_equal(sti_document_set(p, "step.impact=moreau"), STI_ERR_INPUT);
    assert_int_equal(sti_bodies_count(sti_world_scene_of(p)->bodies), 3);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void settings_of_grains_and_systems_go_the_same_way(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p = NULL;
    const char* bed = "{\"kind\":\"scene\",\"bed\":{\"layout\":\"settle\",\"count\":12},\"time\":1}";
    assert_int_equal(sti_document_parse(env, bed, strlen(bed), "t.json", &p), STI_OK);
    assert_null(sti_world_scene_of(p));
    assert_int_equal(sti_document_set(p, "count=7,h=0.5"), STI_OK);
    assert_true(sti_bed_scene_of(p)->bed.count == 7 && sti_bed_scene_of(p)->step.h == 0.5);
    assert_int_equal(sti_document_set(p, "count=8,h=-1"), STI_ERR_INPUT);
    assert_int_equal(sti_bed_scene_of(p)->bed.count, 7);
    sti_document_destroy(p);
    const char* system =
        "{\"kind\":\"system\",\"parameters\":{\"m\":1,\"k\":2},\"coordinates\":[\"x\"],\"kinetic\":\"m*x'^2/2\"}";
    assert_int_equal(sti_document_parse(env, system, strlen(system), "t.json", &p), STI_OK);
    assert_int_equal(sti_document_set(p, "m=3/4,k=5"), STI_OK);
    assert_true(sti_system_parameter_value(sti_system_of(p), 0) == 0.75);
    assert_int_equal(sti_document_set(p, "m=9,x=1"), STI_ERR_INPUT);
    assert_true(sti_system_parameter_value(sti_system_of(p), 0) == 0.75);
    sti_document_destroy(p);
    const char* lcp = "{\"kind\":\"lcp\",\"M\":[[1]],\"q\":[1]}";
    assert_int_equal(sti_document_parse(env, lcp, strlen(lcp), "t.json", &p), STI_OK);
    assert_int_equal(sti_document_set(p, "m=1"), STI_ERR_ARGUMENT);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

// A scene of which one piece is wrong, and what the message must hold.
typedef struct mistake {
    const char* dimension;
    const char* pieces;  // what comes after "dimension"
    const char* words[2];
} mistake;

#define BALL "\"shape\":{\"type\":\"sphere\",\"radius\":1}"
#define BODIES "\"bodies\":[{\"name\":\"a\"," BALL "},{\"name\":\"b\"," BALL ",\"position\":[5,0,0]}]"
#define BODY(rest) "\"time\":1,\"bodies\":[{\"name\":\"a\"," rest "}]"
#define JOINT(rest) "\"time\":1," BODIES ",\"joints\":[{" rest "}]"
static const mistake mistakes[] = {
    {"4", "\"time\":1,\"bodies\":[]", {"dimension: 4", "from 2 to 3"}},
    {"3", "\"bodies\":[]", {"time: missing", "needed"}},
    {"3", "\"time\":0,\"bodies\":[]", {"time: 0", "greater than 0"}},
    {"3", "\"time\":1,\"bodies\":{}", {"bodies: an object", "a list"}},
    {"3", "\"time\":1,\"bodies\":[],\"bed\":{}", {"bed:", "not together"}},
    {"3", "\"time\":1,\"bodies\":[],\"colour\":1", {"colour: 1", "no such field"}},
    {"3", "\"time\":1,\"bodies\":[],\"gravity\":[0,1]", {"gravity: a list of 2", "3 entries"}},
    {"3", "\"time\":1,\"bodies\":[],\"step\":{\"size\":1}", {"step.size: 1", "no such field"}},
    {"3", "\"time\":1,\"bodies\":[],\"step\":{\"h\":-1}", {"step.h: -1", "greater than 0"}},
    {"3", "\"time\":1,\"bodies\":[],\"step\":{\"alpha\":0.2}", {"step.alpha: 0.2", "from 0.5 to 1"}},
    {"3", "\"time\":1,\"bodies\":[],\"step\":{\"points\":2.5}", {"step.points: 2.5", "whole number"}},
    {"3", "\"time\":1,\"bodies\":[],\"step\":{\"solver\":\"x\"}", {"step.solver: \"x\"", "auto, gs"}},
    {"3", "\"time\":1,\"bodies\":[],\"step\":{\"dissipate\":1}", {"step.dissipate: 1", "true or false"}},
    {"3", "\"time\":1,\"bodies\":[],\"step\":{\"impact\":\"moreau\"}", {"step.impact: \"moreau\"", "poisson"}},
    {"3", "\"time\":1,\"bodies\":[],\"parameters\":{\"t\":1}", {"parameters", "meaning already"}},
    {"3", "\"time\":1,\"bodies\":[],\"parameters\":{\"i\":1}", {"\"i\"", "given twice"}},
    {"3", "\"time\":1,\"bodies\":[],\"definitions\":{\"x\":\"2*y\"}", {"definitions.x: column 3", "no such name"}},
    {"3", BODY("\"shapes\":7"), {"bodies[0].shapes: 7", "a list"}},
    {"3", BODY("\"colour\":7," BALL), {"bodies[0].colour: 7", "no such field"}},
    {"3", BODY("\"angle\":7," BALL), {"bodies[0].angle: 7", "\"rotation\" is expected"}},
    {"3", BODY("\"position\":[0,0]," BALL), {"bodies[0].position: a list of 2", "3 entries"}},
    {"3", BODY("\"position\":[0,0,\"2*z\"]," BALL), {"bodies[0].position[2]: column 3", "no such name"}},
    {"3", BODY("\"position\":[0,0,\"i\"]," BALL), {"bodies[0].position[2]: \"i\"", "repeat"}},
    {"3", BODY("\"position\":[0,0,\"t\"]," BALL), {"bodies[0].position[2]: \"t\"", "no value"}},
    {"3", BODY("\"position\":[0,0,\"1/0\"]," BALL), {"bodies[0].position[2]: column", "finite"}},
    {"3", BODY("\"position\":[0,0,true]," BALL), {"bodies[0].position[2]: true", "formula"}},
    {"3", BODY("\"repeat\":1.5," BALL), {"bodies[0].repeat: 1.5", "whole number"}},
    {"3", BODY("\"repeat\":{\"often\":2}," BALL), {"bodies[0].repeat.often", "no such field"}},
    {"3", BODY("\"repeat\":{\"offset\":[1,0,0]}," BALL), {"bodies[0].repeat.count: missing", "number"}},
    {"3", BODY("\"rotation\":[0,0,0,0]," BALL), {"bodies[0].rotation: a list of 4", "not 0"}},
    {"3", BODY("\"rotation\":{\"axis\":[0,0,1]}," BALL), {"bodies[0].rotation.angle: missing", "rotation is"}},
    {"3", BODY("\"fixed\":1," BALL), {"bodies[0].fixed: 1", "true or false"}},
    {"3", BODY("\"mass\":1"), {"bodies[0].mass: 1", "inertia"}},
    {"3", BODY("\"mass\":-1," BALL), {"bodies[0].mass: -1", "above 0"}},
    {"3", BODY("\"density\":0," BALL), {"bodies[0].density: 0", "above 0"}},
    {"3", BODY("\"density\":1,\"mass\":1," BALL), {"bodies[0].density: 1", "not together"}},
    {"3", BODY("\"inertia\":[1,1,1]," BALL), {"bodies[0].mass: missing", "inertia"}},
    {"3", BODY("\"mass\":1,\"inertia\":[1,1]," BALL), {"bodies[0].inertia: a list of 2", "3 entries"}},
    {"3", BODY("\"mass\":1,\"inertia\":[1,1,-1]," BALL), {"bodies[0]: body \"a\"", "inertia"}},
    {"3", BODY("\"velocity\":[0,0,0]"), {"bodies[0].shapes: missing", "mass"}},
    {"3", "\"time\":1,\"bodies\":[{\"name\":\"\"," BALL "}]", {"bodies[0].name: \"\"", "a name"}},
    {"3", "\"time\":1,\"bodies\":[{\"name\":\"world\"," BALL "}]", {"bodies[0].name: \"world\"", "stands for"}},
    {"3", "\"time\":1,\"bodies\":[{\"name\":\"a{\"," BALL "}]", {"bodies[0].name: \"a{\"", "{ without }"}},
    {"3", "\"time\":1,\"bodies\":[{\"name\":\"a{1/2}\"," BALL "}]", {"bodies[0].name", "0.5"}},
    {"3",
     "\"time\":1,\"bodies\":[{\"name\":\"a\"," BALL "},{\"name\":\"a\"," BALL "}]",
     {"bodies[1]: body \"a\"", "another"}},
    {"3", BODY("\"shape\":{}"), {"bodies[0].shape.type: missing", "box"}},
    {"3", BODY("\"shape\":{\"type\":\"ball\"}"), {"bodies[0].shape.type: \"ball\"", "one of"}},
    {"3", BODY("\"shape\":{\"type\":\"disc\",\"radius\":1}"), {"bodies[0].shape.type: \"disc\"", "not in space"}},
    {"3", BODY("\"shape\":{\"type\":\"sphere\"}"), {"bodies[0].shape.radius: missing", "number"}},
    {"3", BODY("\"shape\":{\"type\":\"sphere\",\"radius\":-1}"), {"bodies[0].shape: ", "radius"}},
    {"3", BODY("\"shape\":{\"type\":\"sphere\",\"radius\":1,\"half\":1}"), {"bodies[0].shape.half: 1", "no such"}},
    {"3", BODY("\"shape\":{\"type\":\"box\"}"), {"bodies[0].shape.size: missing", "\"half\" or \"size\""}},
    {"3",
     BODY("\"shape\":{\"type\":\"box\",\"half\":[1,1,1],\"size\":[1,1,1]}"),
     {"bodies[0].shape.size", "not together"}},
    {"3",
     BODY("\"shapes\":[{\"type\":\"box\",\"half\":[1,1]}]"),
     {"bodies[0].shapes[0].half: a list of 2", "3 entries"}},
    {"3", BODY("\"shape\":{\"type\":\"capsule\",\"radius\":1}"), {"bodies[0].shape.length: missing", "half_length"}},
    {"3", BODY("\"shape\":{\"type\":\"convex\",\"points\":[[0,0,0]]}"), {"bodies[0].shape: ", "point"}},
    {"3", BODY("\"shape\":{\"type\":\"convex\"}"), {"bodies[0].shape.points: missing", "list"}},
    {"3", BODY("\"shape\":{\"type\":\"halfspace\",\"normal\":[0,0,1]}"), {"bodies[0]: body \"a\"", "fixed"}},
    {"3", BODY("\"fixed\":true,\"shape\":{\"type\":\"halfspace\"}"), {"bodies[0].shape.normal: missing", "direction"}},
    {"3",
     BODY("\"fixed\":true,\"shape\":{\"type\":\"mesh\",\"vertices\":[[0,0,0]],\"triangles\":[[0,1,2]]}"),
     {"bodies[0].shape.triangles[0]: a list of 3", "1 is no vertex"}},
    {"3", BODY("\"material\":\"tin\"," BALL), {"bodies[0].material: \"tin\"", "material"}},
    {"3", BODY(BALL) ",\"materials\":{\"tin\":{\"mu\":-1}}", {"materials.tin: ", "mu"}},
    {"3", BODY(BALL) ",\"materials\":{\"tin\":{\"rho\":1}}", {"materials.tin.rho: 1", "no such field"}},
    {"3", BODY(BALL) ",\"pairs\":[{\"materials\":[\"x\",\"y\"]}]", {"pairs[0].materials[0]: \"x\"", "material"}},
    {"3", BODY(BALL) ",\"springs\":[{\"bodies\":[\"a\",\"c\"]}]", {"springs[0].bodies[1]: \"c\"", "no such body"}},
    {"3",
     BODY(BALL) ",\"springs\":[{\"bodies\":[\"a\",\"world\"],\"points\":[[0,0,0]]}]",
     {"springs[0].points: a list of 1", "two points"}},
    {"3", BODY(BALL) ",\"ignore\":[[\"a\",\"world\"]]", {"ignore[0]: a list of 2", "two bodies"}},
    {"3", JOINT("\"bodies\":[\"a\",\"b\"]"), {"joints[0].type: missing", "revolute"}},
    {"3", JOINT("\"type\":\"hinge\",\"bodies\":[\"a\",\"b\"]"), {"joints[0].type: \"hinge\"", "one of"}},
    {"3", JOINT("\"type\":\"fixed\",\"bodies\":[\"a\"]"), {"joints[0].bodies: a list of 1", "2 entries"}},
    {"3", JOINT("\"type\":\"fixed\",\"bodies\":[\"a\",\"c\"]"), {"joints[0].bodies[1]: \"c\"", "no such body"}},
    {"3", JOINT("\"type\":\"fixed\",\"bodies\":[\"a\",\"b\"]"), {"joints[0].point: missing", "point"}},
    {"3",
     JOINT("\"type\":\"revolute\",\"bodies\":[\"a\",\"b\"],\"point\":[0,0,0]"),
     {"joints[0].axis: missing", "direction"}},
    {"3",
     JOINT("\"type\":\"revolute\",\"bodies\":[\"a\",\"b\"],\"point\":[0,0,0],\"axis\":[0,0,0]"),
     {"joints[0]: ", "no direction"}},
    {"3",
     JOINT("\"type\":\"fixed\",\"bodies\":[\"a\",\"b\"],\"point\":[0,0,0],\"limits\":[0,1]"),
     {"joints[0].limits: a list of 2", "no coordinate"}},
    {"3",
     JOINT("\"type\":\"cylindrical\",\"bodies\":[\"a\",\"b\"],\"point\":[0,0,0],\"axis\":[0,0,1],\"friction\":1"),
     {"joints[0].friction: 1", "slide"}},
    {"3",
     JOINT("\"type\":\"prismatic\",\"bodies\":[\"a\",\"b\"],\"point\":[0,0,0],\"axis\":[0,0,1],\"turn\":{}"),
     {"joints[0].turn: an object", "cylindrical"}},
    {"3",
     JOINT("\"type\":\"revolute\",\"bodies\":[\"a\",\"b\"],\"point\":[0,0,0],\"axis\":[0,0,1],\"limits\":[1,-1]"),
     {"joints[0]: joint", "limits"}},
    {"3",
     JOINT("\"type\":\"revolute\",\"bodies\":[\"a\",\"b\"],\"point\":[0,0,0],\"axis\":[0,0,1],\"spring\":{\"k\":1}"),
     {"joints[0].spring.k: 1", "no such field"}},
    {"3", JOINT("\"type\":\"distance\",\"bodies\":[\"a\",\"b\"]"), {"joints[0].points: missing", "list"}},
    {"3", JOINT("\"type\":\"gear\",\"joints\":[\"x\",\"y\"]"), {"joints[0].joints[0]: \"x\"", "no joint"}},
    {"3", JOINT("\"type\":\"fixed\",\"bodies\":[\"a\",\"a\"],\"point\":[0,0,0]"), {"joints[0]: joint", "itself"}},
    {"2",
     "\"time\":1,\"bodies\":[{\"name\":\"a\"," BALL ",\"rotation\":[1,0,0,0]}]",
     {"bodies[0].rotation: a list of 4", "\"angle\""}},
    {"2", "\"time\":1,\"bodies\":[{\"shape\":{\"type\":\"mesh\"}}]", {"bodies[0].shape.type: \"mesh\"", "the plane"}},
};

static void every_mistake_names_file_field_and_value(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++) {
        char text[2000];
        sti_document* p = NULL;
        snprintf(text, sizeof text, "{\"kind\":\"scene\",\"dimension\":%s,%s}", mistakes[k].dimension,
                 mistakes[k].pieces);
        const sti_status status = sti_document_parse(env, text, strlen(text), "t.json", &p);
        const char* said = sti_env_error(env)->text;
        const bool good = status == STI_ERR_INPUT && p == NULL && strncmp(said, "t.json: ", 8) == 0 &&
                          strstr(said, mistakes[k].words[0]) != NULL && strstr(said, mistakes[k].words[1]) != NULL;
        if (!good) print_error("%s\n  -> %d \"%s\"\n", text, (int)status, said);
        assert_true(good);
    }
    sti_env_destroy(env);
}

static void every_allocation_that_fails_is_survived(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        sti_document* p = NULL;
        failing_env_open(&f, k);
        sti_status status = sti_document_parse(f.env, full, strlen(full), "t.json", &p);
        if (status == STI_OK) status = sti_document_set(p, "count=2");
        if (status == STI_OK) assert_int_equal(sti_bodies_count(sti_world_scene_of(p)->bodies), 7);
        assert_true(status == STI_OK || status == STI_ERR_MEMORY);
        sti_document_destroy(p);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_a_scene_of_bodies_is_read),
        cmocka_unit_test(planes_have_angles_and_names_get_their_index),
        cmocka_unit_test(settings_change_parameters_and_steps_before_anything_is_evaluated),
        cmocka_unit_test(settings_of_grains_and_systems_go_the_same_way),
        cmocka_unit_test(every_mistake_names_file_field_and_value),
        cmocka_unit_test(every_allocation_that_fails_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
