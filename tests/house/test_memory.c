// test_memory.c: public calls that the tests of their rooms do not make in an environment that runs out of memory. Each
// is made here with all it needs, in one whose k-th allocation fails, for every k until none does.
// tests/house/allocations.sh sees that no public call is left out.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stiction/stiction.h>
#include <string.h>
#include <unistd.h>

#include "support/failing_env.h"

typedef sti_status call(sti_env* env);

static char folder[] = "/tmp/stiction-memory-XXXXXX";

static const char* path_of(const char* name) {
    static char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

// Nothing but a lack of memory, nothing left of it, and in the end what was asked for. `least` allocations are known to
// be made. From `dense` on, where the same is asked for again and again, some are passed over.
static void fail_many(call* make, long least, long dense) {
    for (long k = 0;; k += k < dense ? 1 : 97) {
        failing_env f;
        failing_env_open(&f, k);
        const sti_status status = make(f.env);
        if (status != STI_OK && status != STI_ERR_MEMORY) fail_msg("%s", sti_env_error(f.env)->text);
        const bool done = failing_env_close(&f);
        if (status != (done ? STI_OK : STI_ERR_MEMORY)) fail_msg("allocation %ld: %s", k, sti_status_text(status));
        if (!done) continue;
        assert_true(k >= least);
        return;
    }
}

static void fail_each(call* make, long least) {
    fail_many(make, least, LONG_MAX);
}

// ---- grains

static const sti_grain_pour poured = {.count = 20, .seed = 1, .mu = 0.5, .spread = 0.1, .spin = 1};

static sti_status drop(sti_env* env, sti_status status, sti_grains* g) {
    if (status == STI_OK) sti_grains_clear(env, g);
    return status;
}

static sti_status pour_box(sti_env* env) {
    sti_grains g;
    return drop(env, sti_grains_box(env, &poured, &g), &g);
}

static sti_status pour_drum(sti_env* env) {
    sti_grains g;
    return drop(env, sti_grains_drum(env, &poured, &g), &g);
}

static sti_status pour_heap(sti_env* env) {
    sti_grains g;
    return drop(env, sti_grains_heap(env, &poured, &g), &g);
}

static sti_status pour_hopper(sti_env* env) {
    sti_grains g;
    return drop(env, sti_grains_hopper(env, &poured, &g), &g);
}

static sti_status settle_and_pack(sti_env* env) {
    sti_grains g;
    sti_packing packing;
    sti_status status = sti_grains_settle(env, 20, 1, &g);
    if (status != STI_OK) return status;
    status = sti_grains_packing(env, &g, g.x, &packing);
    sti_grains_clear(env, &g);
    return status;
}

static void layouts_of_grains(void** state) {
    (void)state;
    fail_each(pour_box, 1);
    fail_each(pour_drum, 1);
    fail_each(pour_heap, 1);
    fail_each(pour_hopper, 1);
    fail_each(settle_and_pack, 2);
}

static sti_status bed_of(sti_env* env, sti_grains* g, sti_bed** bed) {
    const sti_pebble_bed def = sti_pebble_bed_default(20);
    sti_bed_options o = sti_bed_options_default();
    o.h = 0.01;
    *bed = NULL;
    sti_status status = sti_grains_pebble_bed(env, &def, g);
    if (status == STI_OK) status = sti_bed_create(env, g, &o, bed);
    return status;
}

static sti_status set_bed(sti_env* env) {
    sti_grains g = {0};
    sti_bed* bed;
    sti_status status = bed_of(env, &g, &bed);
    if (status == STI_OK) status = sti_bed_set(bed, g.x, g.v, g.w);
    sti_bed_destroy(bed);
    sti_grains_clear(env, &g);
    return status;
}

static sti_status record_jamming(sti_env* env) {
    sti_grains g = {0};
    sti_bed* bed;
    sti_bed_record* record = NULL;
    sti_bed_jamming jamming = {0};
    const sti_jamming_options o = sti_jamming_options_default();
    sti_status status = bed_of(env, &g, &bed);
    if (status == STI_OK) status = sti_bed_step(bed, NULL);
    if (status == STI_OK) status = sti_bed_jamming_analyze(env, bed, &o, &jamming);
    if (status == STI_OK) status = sti_bed_record_create(env, path_of("t.h5"), &g, "{}", NULL, 0, &record);
    if (status == STI_OK) status = sti_bed_record_jamming(record, bed, 1, &jamming);
    sti_bed_jamming_clear(env, &jamming);
    sti_bed_record_destroy(record);
    sti_bed_destroy(bed);
    sti_grains_clear(env, &g);
    return status;
}

static void beds_that_are_set_and_recorded(void** state) {
    (void)state;
    fail_each(set_bed, 5);
    fail_each(record_jamming, 10);
}

// ---- instants and analyses

// A point of mass 1 on three lines that meet at 120 degrees.
static double mass[4] = {1, 0, 0, 1}, force[2] = {0, 1}, still[2] = {0, 0};
static double normals[3][2] = {{0, 1}, {-0.8, -0.6}, {0.8, -0.6}}, tangents[3][2] = {{1, 0}, {-0.6, 0.8}, {0.6, 0.8}};
static double rate[1] = {0};
static sti_instant_contact contacts[3];

static sti_instant held(void) {
    for (int k = 0; k < 3; k++)
        contacts[k] = (sti_instant_contact){.name = "c",
                                            .mu = 0.3,
                                            .mu_kinetic = 0.3,
                                            .tangent_count = 1,
                                            .n = normals[k],
                                            .t = tangents[k],
                                            .t_rate = rate};
    return (sti_instant){
        .n = 2, .M = mass, .F = force, .v = still, .contact_count = 3, .tangent_total = 3, .contacts = contacts};
}

static sti_status check_instant(sti_env* env) {
    const sti_instant instant = held();
    const sti_status status = sti_instant_check(env, &instant);
    return status == STI_OK ? sti_instant_needs_discs(env, &instant) : status;
}

// How pointed the cone of two rays and a line is.
static sti_status bound_margin(sti_env* env) {
    static const double rays[] = {1, 0, 0, 1, 1, 0}, lines[] = {0, 0, 1};
    const sti_rows r = {.count = 2, .dimension = 3, .value = rays}, l = {.count = 1, .dimension = 3, .value = lines};
    double lower, upper;
    return sti_rows_margin_bounds(env, 3, &r, &l, &lower, &upper);
}

static sti_status close_form(sti_env* env) {
    const sti_instant instant = held();
    sti_closure c;
    const sti_status status = sti_form_closure_analyze(env, &instant, NULL, &c);
    if (status == STI_OK) sti_closure_clear(env, &c);
    return status;
}

// A point on one line: a rate without anything else that is known.
static sti_status rates(sti_env* env) {
    sti_instant instant = held();
    const double lambda_n[1] = {1}, lambda_t[1] = {0};
    double found[2], from_forces[2];
    sti_velocities* k;
    instant.contact_count = instant.tangent_total = 1;
    sti_status status = sti_velocities_create(env, &instant, NULL, &k);
    if (status != STI_OK) return status;
    status = sti_velocities_rates_of(env, k, &instant, lambda_n, lambda_t, NULL, found, from_forces);
    sti_velocities_destroy(env, k);
    return status;
}

static sti_sticking* decided;  // in memory that does not fail: the analysis itself has its own test

static sti_status save_sticking(sti_env* env) {
    return sti_sticking_answer_save(env, &decided->answer, path_of("sticking.json"));
}

static void instants_and_their_answers(void** state) {
    (void)state;
    fail_each(check_instant, 0);
    fail_each(bound_margin, 1);
    fail_each(close_form, 1);
    fail_each(rates, 2);
    sti_env* env;
    const sti_instant instant = held();
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    assert_int_equal(sti_sticking_create(env, &instant, NULL, &decided), STI_OK);
    fail_each(save_sticking, 2);
    sti_sticking_destroy(decided);
    sti_env_destroy(env);
}

// ---- problems and their answers

static sti_status enumerate_mixed(sti_env* env) {
    double A[1] = {2}, C[2] = {1, 0}, D[2] = {1, 0}, B[4] = {2, 1, 1, 2}, a[1] = {-1}, b[2] = {-5, -6};
    const sti_mlcp mlcp = {.n = 1,
                           .m = 2,
                           .A = sti_matrix_dense_view(1, 1, A),
                           .C = sti_matrix_dense_view(1, 2, C),
                           .D = sti_matrix_dense_view(2, 1, D),
                           .B = sti_matrix_dense_view(2, 2, B),
                           .a = a,
                           .b = b};
    sti_lcp_solution_set* set;
    const sti_status status = sti_mlcp_enumerate(env, &mlcp, 0, 0, &set);
    if (status == STI_OK) sti_lcp_solution_set_destroy(env, set);
    return status;
}

static sti_status solve_and_verify(sti_env* env) {
    double M[4] = {2, 1, 1, 2}, q[2] = {-5, -6};
    const sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, M), .q = q};
    sti_lcp_answer answer;
    sti_verification v;
    sti_status status = sti_lcp_solve(env, &lcp, NULL, &answer);
    if (status != STI_OK) return status;
    status = sti_verify_lcp(env, &lcp, &answer, 0, &v);
    sti_lcp_answer_clear(env, &answer);
    return status;
}

static sti_status qp_answer_files(sti_env* env) {
    double P[4] = {2, 0, 0, 2}, c[2] = {-2, 1}, lb[2] = {0, 0};
    const sti_qp qp = {.n = 2, .P = sti_matrix_dense_view(2, 2, P), .c = c, .lb = lb};
    sti_qp_answer a, back;
    sti_status status = sti_qp_solve(env, &qp, NULL, &a);
    if (status != STI_OK) return status;
    status = sti_qp_answer_save(env, &a, path_of("qp.json"));
    if (status == STI_OK) status = sti_qp_answer_load(env, &qp, path_of("qp.json"), &back);
    if (status == STI_OK) sti_qp_answer_clear(env, &back);
    sti_qp_answer_clear(env, &a);
    return status;
}

static sti_document* bounded;  // and its answer: in memory that does not fail
static sti_bound_answer bound_answer;

static sti_status verify_bound(sti_env* env) {
    sti_bound_verification v;
    return sti_verify_bound(env, sti_bound_problem_of(bounded), &bound_answer, &v);
}

static void checks_of_bounds(void** state) {
    static const char text[] =
        "{\"kind\": \"bound\", \"what\": \"modulus\", \"interval\": [0, 1], \"f\": \"x\", \"t\": [\"0.1\"]}";
    sti_env* env;
    (void)state;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    assert_int_equal(sti_document_parse(env, text, sizeof text - 1, "text", &bounded), STI_OK);
    assert_int_equal(sti_bound_solve(env, sti_bound_problem_of(bounded), &bound_answer), STI_OK);
    fail_many(verify_bound, 1, 200);
    sti_bound_answer_clear(env, &bound_answer);
    sti_document_destroy(bounded);
    sti_env_destroy(env);
}

static sti_status set_scene(sti_env* env) {
    sti_bed_scene scene = sti_bed_scene_default(STI_LAYOUT_BOX, 20);
    sti_status status = sti_bed_scene_set(env, &scene, "mu", "0.25");
    if (status == STI_OK) status = sti_bed_scene_set(env, &scene, "count", "30");
    return status;
}

static void problems_answers_and_scenes(void** state) {
    (void)state;
    fail_each(enumerate_mixed, 1);
    fail_each(solve_and_verify, 2);
    fail_each(qp_answer_files, 2);
    fail_each(set_scene, 0);
}

// ---- shapes

static sti_status ask_shapes(sti_env* env) {
    const double half[3] = {1, 0.5, 0.25};
    const sti_pose here = {.q = {1, 0, 0, 0}}, there = {.x = {0.9, 0.2, 0.4}, .q = {0.8, 0.6, 0, 0}};
    sti_shape *box = NULL, *ball = NULL;
    sti_aabb bounds;
    sti_shape_contact found[8];
    sti_shape_mass measured;
    int count;
    sti_status status = sti_shape_create_box(env, 3, half, &box);
    if (status == STI_OK) status = sti_shape_create_sphere(env, 3, 0.4, &ball);
    if (status == STI_OK) status = sti_shape_bounds(box, &there, 0.1, &bounds);
    if (status == STI_OK) status = sti_shape_distance(box, &here, ball, &there, &found[0]);
    if (status == STI_OK) status = sti_shape_contacts(box, &here, box, &there, 0.1, 4, found, &count);
    if (status == STI_OK) status = sti_shape_measure(env, box, 3, &measured);
    sti_shape_destroy(box);
    sti_shape_destroy(ball);
    return status;
}

static void questions_to_shapes(void** state) {
    (void)state;
    fail_each(ask_shapes, 2);
}

// ---- systems and steppers

static sti_status ball(sti_env* env, sti_system** out) {
    const sti_system_contact_text ground = {.gap = "y", .slip_count = 1, .slip = (const char*[]){"x'"}, .mu = "m"};
    const sti_system_text text = {.parameter_count = 1,
                                  .parameter_names = (const char*[]){"m"},
                                  .parameters = (const double[]){0.5},
                                  .coordinate_count = 2,
                                  .coordinates = (const char*[]){"x", "y"},
                                  .kinetic = "(x'^2 + y'^2)/2",
                                  .potential = "10*y",
                                  .forces = (const char*[]){"-x'", "0"},
                                  .contact_count = 1,
                                  .contacts = &ground,
                                  .q = (const char*[]){"0", "0"},
                                  .v = (const char*[]){"1", "0"}};
    return sti_system_create(env, &text, out);
}

static sti_status ask_system(sti_env* env) {
    const double q[2] = {0, 0.1}, v[2] = {1, 2};
    double T, V, k[2], k_q[4], k_v[4], gap[1], M[4];
    int rank;
    sti_system* s = NULL;
    sti_instant* instant = NULL;
    sti_status status = ball(env, &s);
    if (status == STI_OK) status = sti_system_energy(s, 0, q, v, &T, &V);
    if (status == STI_OK) status = sti_system_force(s, 0, q, v, k, k_q, k_v);
    if (status == STI_OK) status = sti_system_gap(s, 0, q, gap);
    if (status == STI_OK) status = sti_system_mass(s, 0, q, M, &rank);
    if (status == STI_OK) status = sti_system_instant(env, s, 0, q, v, &instant);
    if (status == STI_OK) status = sti_system_instant_update(s, 0.1, q, v, instant);
    if (status == STI_OK) status = sti_system_set(s, "m", 0.25);
    sti_instant_destroy(env, instant);
    sti_system_destroy(s);
    return status;
}

static sti_status load_stepper(sti_env* env) {
    sti_system* s = NULL;
    sti_stepper* stepper = NULL;
    void* bytes = NULL;
    size_t size = 0;
    sti_status status = ball(env, &s);
    if (status == STI_OK) status = sti_stepper_create(env, s, NULL, &stepper);
    if (status == STI_OK) status = sti_stepper_step(stepper, NULL);
    if (status == STI_OK) status = sti_stepper_save_state(stepper, &bytes, &size);
    if (status == STI_OK) status = sti_stepper_load_state(stepper, bytes, size);
    sti_env_free(env, bytes);
    sti_stepper_destroy(stepper);
    sti_system_destroy(s);
    return status;
}

static void systems_and_steppers(void** state) {
    (void)state;
    fail_each(ask_system, 5);
    fail_each(load_stepper, 5);
}

// ---- bodies and pictures

static sti_status pile(sti_env* env, sti_bodies** bodies, sti_world** world) {
    const double up[2] = {0, 1}, half[2] = {0.5, 0.5};
    sti_shape* shape;
    sti_body body = sti_body_default();
    int floor = 0, box = 0, axle;
    *bodies = NULL;
    *world = NULL;
    sti_status status = sti_bodies_create(env, 2, bodies);
    if (status != STI_OK) return status;
    sti_bodies_set_gravity(*bodies, (double[3]){0, -10, 0});
    body.fixed = true;
    status = sti_bodies_add(*bodies, &body, &floor);
    if (status == STI_OK) status = sti_shape_create_halfspace(env, 2, up, 0, &shape);
    if (status == STI_OK) status = sti_bodies_add_shape(*bodies, floor, shape, NULL, 0);
    body = sti_body_default();
    body.pose.x[1] = 0.5;
    if (status == STI_OK) status = sti_bodies_add(*bodies, &body, &box);
    if (status == STI_OK) status = sti_shape_create_box(env, 2, half, &shape);
    if (status == STI_OK) status = sti_bodies_add_shape(*bodies, box, shape, NULL, 0);
    sti_joint joint = sti_joint_default(STI_JOINT_PRISMATIC, -1, box);
    if (status == STI_OK) status = sti_bodies_add_joint(*bodies, &joint, &axle);
    if (status == STI_OK) status = sti_world_create(env, *bodies, NULL, world);
    if (status == STI_OK) status = sti_world_step(*world, NULL);
    return status;
}

static sti_status change_world(sti_env* env) {
    sti_bodies* bodies;
    sti_world* world;
    void* bytes = NULL;
    size_t size = 0;
    const double v[3] = {1, 0, 0}, none[3] = {0, 0, 0};
    sti_pose pose;
    sti_status status = pile(env, &bodies, &world);
    if (status == STI_OK) status = sti_world_save_state(world, &bytes, &size);
    if (status == STI_OK) sti_world_pose(world, 1, &pose);
    if (status == STI_OK) status = sti_world_set(world, 1, &pose, v, none);
    if (status == STI_OK) status = sti_world_push(world, 1, v, none);
    if (status == STI_OK) status = sti_world_drive(world, 0, 0, 1, 2, 0);
    if (status == STI_OK) status = sti_world_load_state(world, bytes, size);
    sti_env_free(env, bytes);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    return status;
}

static sti_status look_at_world(sti_env* env) {
    sti_bodies* bodies;
    sti_world* world;
    sti_world_arrow arrows[16];
    unsigned char rgb[2 * 3];
    int count, shown = 0;
    sti_status status = pile(env, &bodies, &world);
    const sti_world_contact* list = status == STI_OK ? sti_world_contacts(world, &count) : NULL;
    if (status == STI_OK && list == NULL && count > 0) status = STI_ERR_MEMORY;
    if (status == STI_OK) assert_in_range(count, 0, 16);
    if (status == STI_OK) status = sti_world_arrows(env, bodies, list, count, 1, arrows, &shown);
    if (status == STI_OK) status = sti_world_colors(env, bodies, world, STI_WORLD_BY_FORCE, rgb);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    return status;
}

static sti_status watch_world(sti_env* env) {
    sti_bodies* bodies;
    sti_world* world;
    sti_run_checker* checker = NULL;
    sti_world_report report;
    void* bytes = NULL;
    size_t size = 0;
    sti_pose pose[2];
    const double still_there[6] = {0};
    sti_status status = pile(env, &bodies, &world);
    sti_run_verify_options o = sti_run_verify_options_default();
    o.bodies = bodies;
    if (status == STI_OK) status = sti_run_checker_create(env, &o, &checker);
    for (int k = 0; status == STI_OK && k < 2; k++) sti_world_pose(world, k, &pose[k]);
    const sti_run_moment start = {.time = 0, .pose = pose, .v = still_there, .w = still_there};
    if (status == STI_OK) status = sti_run_checker_look(checker, &start);
    if (status == STI_OK) status = sti_world_step(world, &report);
    if (status == STI_OK) status = sti_run_checker_look_world(checker, world, &report);
    if (status == STI_OK) status = sti_run_checker_save_state(checker, &bytes, &size);
    if (status == STI_OK) status = sti_run_checker_load_state(checker, bytes, size);
    sti_env_free(env, bytes);
    sti_run_checker_destroy(checker);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    return status;
}

static sti_status save_image(sti_env* env) {
    sti_image image;
    sti_status status = sti_image_make(env, 8, 6, &image);
    if (status != STI_OK) return status;
    status = sti_image_save(env, &image, path_of("t.png"));
    sti_image_clear(env, &image);
    return status;
}

static void worlds_and_pictures(void** state) {
    (void)state;
    fail_each(change_world, 10);
    fail_each(look_at_world, 10);
    fail_each(watch_world, 10);
    fail_each(save_image, 2);
}

static int make_folder(void** state) {
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void** state) {
    static const char* const names[] = {"t.h5", "t.xdmf", "sticking.json", "qp.json", "t.png"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) unlink(path_of(names[k]));
    return rmdir(folder);  // fails when a failed call has left a file behind
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_of_grains),          cmocka_unit_test(beds_that_are_set_and_recorded),
        cmocka_unit_test(instants_and_their_answers), cmocka_unit_test(problems_answers_and_scenes),
        cmocka_unit_test(questions_to_shapes),        cmocka_unit_test(systems_and_steppers),
        cmocka_unit_test(worlds_and_pictures),        cmocka_unit_test(checks_of_bounds),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
