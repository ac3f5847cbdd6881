// test_section.c: materials with a section: a block sticks one way and slides the other, by whichever body the section
// is carried; a support function, recorded worlds and instants.
#include <math.h>
#include <stiction/document.h>
#include <stiction/scene.h>
#include <stiction/verify.h>

#include "bodies/world_tools.h"

#define G 9.81
#define MU 0.5

// Holds back with 1 what goes along x, with 0.2 what goes against it, with 0.5 across.
static const double ratchet[] = {-1, 0, 0, -0.5, 0.2, 0, 0, 0.5};

static const sti_section teeth = {.shape = STI_SECTION_POLYGON, .vertex_count = 4, .vertex = ratchet};

// The same polygon, by its support function
static double support(void* user, const double* y, double* x) {
    int best = 0;
    (void)user;
    for (int k = 1; k < 4; k++) {
        if (ratchet[2 * k] * y[0] + ratchet[2 * k + 1] * y[1] > ratchet[2 * best] * y[0] + ratchet[2 * best + 1] * y[1])
            best = k;
    }
    x[0] = ratchet[2 * best];
    x[1] = ratchet[2 * best + 1];
    return x[0] * y[0] + x[1] * y[1];
}

typedef struct incline {
    const sti_section* section;
    double slope;  // tangent; downhill is x
    double way;    // the grain of the floor: downhill (1) or uphill (-1)
    bool on_block;
    double vx, vy;
} incline;

static sti_world* open_incline(sti_env* env, const incline* k, sti_bodies** out) {
    const sti_material rough = {
        .name = "teeth", .mu = MU, .grain = {k->section != NULL ? k->way : 0, 0, 0}, .section = k->section};
    const sti_material plain = {.name = "plain", .mu = MU};
    sti_bodies* b = open_bodies(env, 3);
    const double slope = atan(k->slope), down[3] = {G * sin(slope), 0, -G * cos(slope)};
    sti_bodies_set_gravity(b, down);
    int shaped, other, i;
    assert_int_equal(sti_bodies_add_material(b, &rough, &shaped), STI_OK);
    assert_int_equal(sti_bodies_add_material(b, &plain, &other), STI_OK);
    sti_body floor = sti_body_default(), block = sti_body_default();
    floor.name = "floor";
    floor.fixed = true;
    assert_int_equal(sti_bodies_add(b, &floor, &i), STI_OK);
    assert_int_equal(sti_bodies_add_shape(b, i, ground(env, 3), NULL, k->on_block ? other : shaped), STI_OK);
    block.name = "block";
    block.pose.x[2] = 0.05;
    block.v[0] = k->vx;
    block.v[1] = k->vy;
    assert_int_equal(sti_bodies_add(b, &block, &i), STI_OK);
    assert_int_equal(sti_bodies_add_shape(b, i, box(env, 3, 0.4, 0.4, 0.05), NULL, k->on_block ? shaped : other),
                     STI_OK);
    sti_world_options o = sti_world_options_default();
    o.h = 0.001;
    sti_world* world;
    assert_int_equal(sti_world_create(env, b, &o, &world), STI_OK);
    *out = b;
    return world;
}

// The acceleration over 20 steps, every one of them solved and passed by the checker
static void accelerate(sti_env* env, const incline* k, double a[2]) {
    enum { STEPS = 20 };
    sti_bodies* bodies;
    sti_world* world = open_incline(env, k, &bodies);
    sti_run_verify_options options = sti_run_verify_options_default();
    sti_run_checker* checker;
    options.bodies = bodies;
    assert_int_equal(sti_run_checker_create(env, &options, &checker), STI_OK);
    assert_int_equal(sti_run_checker_look_world(checker, world, NULL), STI_OK);
    for (int i = 0; i < STEPS; i++) {
        sti_world_report report;
        assert_int_equal(sti_world_step(world, &report), STI_OK);
        assert_true(report.solved);
        const sti_contact_answer* answer;
        const sti_contact_problem* problem = sti_world_problem(world, &answer);
        sti_contact_verification v;
        assert_int_equal(sti_verify_contact(env, problem, answer, 1e-8, &v), STI_OK);
        assert_true(v.accepted);
        assert_int_equal(sti_run_checker_look_world(checker, world, &report), STI_OK);
    }
    sti_run_verification v;
    sti_run_checker_result(checker, &v);
    assert_true(v.accepted);
    sti_run_checker_destroy(checker);
    double v1[6];
    sti_world_velocity(world, 1, v1, v1 + 3);
    a[0] = (v1[0] - k->vx) / (STEPS * 0.001);
    a[1] = (v1[1] - k->vy) / (STEPS * 0.001);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
}

// g (sin - m cos) of the slope
static double downhill(double slope, double m) {
    const double angle = atan(slope);
    return G * (sin(angle) - m * cos(angle));
}

// Slope 0.3: the teeth hold 0.5 one way and 0.1 the other. What a block's own teeth do is done to the floor, which
// slides uphill against the block.
static void a_block_sticks_one_way_and_slides_the_other(void** state) {
    (void)state;
    sti_env* env = open_env();
    const sti_section smooth = {.shape = STI_SECTION_SUPPORT, .support = support};
    for (int k = 0; k < 8; k++) {
        const bool on_block = k % 2 == 1, with = k / 2 % 2 == 0;
        const incline one = {
            .section = k < 4 ? &teeth : &smooth, .slope = 0.3, .way = with ? 1 : -1, .on_block = on_block};
        double a[2];
        accelerate(env, &one, a);
        assert_near(a[0], with != on_block ? 0 : downhill(0.3, 0.1), 1e-6);
        assert_near(a[1], 0, 1e-6);
    }
    sti_env_destroy(env);
}

// The corner that holds back most of all works: against (0.9, 0.3) and (0.9, -0.3) it is (-1, 0), against (0, 1) it is
// (0, -0.5), of y turned round with the grain as well.
static void what_slides_is_held_back_by_the_corner_that_works_most(void** state) {
    (void)state;
    sti_env* env = open_env();
    const struct {
        double way, vx, vy, ax, ay;
    } list[] = {{1, 0.9, 0.3, -0.5, 0}, {1, 0.9, -0.3, -0.5, 0}, {1, 0, 1, 0, -0.25},  {1, -1, 0, 0.1, 0},
                {-1, 1, 0, -0.1, 0},    {-1, -0.9, 0.3, 0.5, 0}, {-1, 0, -1, 0, 0.25}, {-1, 0, 1, 0, -0.25}};
    for (size_t k = 0; k < 2 * sizeof list / sizeof *list; k++) {
        const bool on_block = k % 2 == 1;
        const incline one = {.section = &teeth,
                             .way = on_block ? -list[k / 2].way : list[k / 2].way,
                             .on_block = on_block,
                             .vx = list[k / 2].vx,
                             .vy = list[k / 2].vy};
        double a[2];
        accelerate(env, &one, a);
        assert_near(a[0], G * list[k / 2].ax, 1e-5);
        assert_near(a[1], G * list[k / 2].ay, 1e-5);
    }
    sti_env_destroy(env);
}

// S is not the same on both sides of x: (0, -0.8) holds back what goes to +y, the surface's normal cross the grain.
static void y_of_a_section_is_the_outward_normal_cross_the_grain(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double skew[] = {-1, 0, 0, -0.8, 1, 0, 0, 0.2};
    const sti_section lopsided = {.shape = STI_SECTION_POLYGON, .vertex_count = 4, .vertex = skew};
    for (int k = 0; k < 8; k++) {
        const double way = k % 2 == 0 ? 1 : -1, side = k / 2 % 2 == 0 ? 1 : -1;
        const bool on_block = k >= 4;
        const incline one = {.section = &lopsided, .way = way, .on_block = on_block, .vy = side};
        double a[2];
        accelerate(env, &one, a);
        // of the floor y is way e_y; of the block's lower side -way e_y, along which the floor goes by -side
        const double along = way * side;
        assert_near(a[1], -side * G * MU * (along > 0 ? 0.8 : 0.2), 1e-5);
        assert_near(a[0], 0, 1e-5);
    }
    sti_env_destroy(env);
}

static void an_ellipse_is_what_mu_across_says(void** state) {
    (void)state;
    sti_env* env = open_env();
    const sti_section ellipse = {.shape = STI_SECTION_ELLIPSE, .axes = {1, 0.4}};
    const incline one = {.section = &ellipse, .slope = 0.1, .way = 1, .vx = 0.6, .vy = 0.5};
    double a[2], b[6];
    accelerate(env, &one, a);
    incline other = one;
    other.section = NULL;
    sti_bodies* bodies;
    sti_world* unused = open_incline(env, &other, &bodies);
    sti_world_destroy(unused);
    // the same scene with a grain and mu_across = 0.4 mu
    const sti_material wood = {.name = "wood", .mu = MU, .grain = {1, 0, 0}, .mu_across = 0.4 * MU};
    int k;
    assert_int_equal(sti_bodies_add_material(bodies, &wood, &k), STI_OK);
    bodies->collider[0].material = k;
    sti_world_options o = sti_world_options_default();
    o.h = 0.001;
    sti_world* world;
    assert_int_equal(sti_world_create(env, bodies, &o, &world), STI_OK);
    for (int i = 0; i < 20; i++) assert_int_equal(sti_world_step(world, NULL), STI_OK);
    sti_world_velocity(world, 1, b, b + 3);
    assert_near((b[0] - 0.6) / 0.02, a[0], 1e-5);
    assert_near((b[1] - 0.5) / 0.02, a[1], 1e-5);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void the_checker_finds_friction_of_another_section(void** state) {
    (void)state;
    sti_env* env = open_env();
    const incline holds = {.section = &teeth, .slope = 0.3, .way = 1};
    incline turned = holds;
    turned.way = -1;
    sti_bodies *bodies, *others;
    sti_world *world = open_incline(env, &holds, &bodies), *unused = open_incline(env, &turned, &others);
    sti_run_verify_options options = sti_run_verify_options_default();
    sti_run_checker* checker;
    options.bodies = others;
    assert_int_equal(sti_run_checker_create(env, &options, &checker), STI_OK);
    assert_int_equal(sti_run_checker_look_world(checker, world, NULL), STI_OK);
    sti_world_report report;
    assert_int_equal(sti_world_step(world, &report), STI_OK);
    assert_int_equal(sti_run_checker_look_world(checker, world, &report), STI_OK);
    sti_run_verification v;
    sti_run_checker_result(checker, &v);
    assert_false(v.accepted);
    assert_true(v.check[STI_RUN_CONE].worst > 0.01);
    sti_run_checker_destroy(checker);
    sti_world_destroy(world);
    sti_world_destroy(unused);
    sti_bodies_destroy(bodies);
    sti_bodies_destroy(others);
    sti_env_destroy(env);
}

static void a_saved_world_with_a_section_goes_on_bit_for_bit(void** state) {
    (void)state;
    sti_env* env = open_env();
    const incline one = {.section = &teeth, .slope = 0.3, .way = -1, .vy = 0.3};
    sti_bodies* bodies;
    sti_world *world = open_incline(env, &one, &bodies), *again;
    for (int k = 0; k < 5; k++) assert_int_equal(sti_world_step(world, NULL), STI_OK);
    void* bytes;
    size_t size;
    assert_int_equal(sti_world_save_state(world, &bytes, &size), STI_OK);
    sti_world_options o = sti_world_options_default();
    o.h = 0.001;
    assert_int_equal(sti_world_create(env, bodies, &o, &again), STI_OK);
    assert_int_equal(sti_world_load_state(again, bytes, size), STI_OK);
    for (int k = 0; k < 5; k++) {
        double a[6], b[6];
        assert_int_equal(sti_world_step(world, NULL), STI_OK);
        assert_int_equal(sti_world_step(again, NULL), STI_OK);
        sti_world_velocity(world, 1, a, a + 3);
        sti_world_velocity(again, 1, b, b + 3);
        assert_memory_equal(a, b, sizeof a);
    }
    sti_env_free(env, bytes);
    sti_world_destroy(world);
    sti_world_destroy(again);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void an_instant_has_the_section_of_its_world(void** state) {
    (void)state;
    sti_env* env = open_env();
    const incline at_rest = {.section = &teeth, .slope = 0.3, .way = 1};
    sti_bodies* bodies;
    sti_world* world = open_incline(env, &at_rest, &bodies);
    sti_instant* instant;
    assert_int_equal(sti_world_instant(env, world, 1e-6, &instant), STI_OK);
    assert_true(instant->contact_count > 0);
    for (int i = 0; i < instant->contact_count; i++) {
        assert_int_equal(instant->contacts[i].corner_count, 4);
        assert_memory_equal(instant->contacts[i].corner, ratchet, sizeof ratchet);
    }
    sti_instant_destroy(env, instant);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    // (a, b) = axes at a quarter turn: rows of t are a y and -b x
    const sti_section ellipse = {.shape = STI_SECTION_ELLIPSE, .axes = {2, 0.5}, .angle = M_PI / 2};
    const sti_section smooth = {.shape = STI_SECTION_SUPPORT, .support = support};
    incline other = {.section = &ellipse, .way = 1};
    world = open_incline(env, &other, &bodies);
    assert_int_equal(sti_world_instant(env, world, 1e-6, &instant), STI_OK);
    assert_int_equal(instant->contacts[0].corner_count, 0);
    assert_near(fabs(instant->contacts[0].t[1]), 2, 1e-12);
    assert_near(fabs(instant->contacts[0].t[instant->n]), 0.5, 1e-12);
    sti_instant_destroy(env, instant);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    other.section = &smooth;
    world = open_incline(env, &other, &bodies);
    assert_int_equal(sti_world_instant(env, world, 1e-6, &instant), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, "support function"));
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void a_section_that_makes_no_sense_is_refused(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double flat[] = {-1, 0, 1, 0, 2, 0};
    const sti_section wrong = {.shape = STI_SECTION_POLYGON, .vertex_count = 3, .vertex = flat};
    const struct {
        sti_material material;
        const char* says;
    } bad[] = {{{.name = "a", .mu = 0.5, .section = &teeth}, "a direction is expected with a section"},
               {{.name = "b", .mu = 0.5, .grain = {1, 0, 0}, .mu_across = 1, .section = &teeth}, "mu_across 1"},
               {{.name = "c", .mu = 0.5, .grain = {1, 0, 0}, .section = &wrong}, "\"c\": section: "}};
    sti_bodies *space = open_bodies(env, 3), *plane = open_bodies(env, 2);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_equal(sti_bodies_add_material(space, &bad[k].material, NULL), STI_ERR_INPUT);
        assert_non_null(strstr(sti_env_error(env)->text, bad[k].says));
    }
    const sti_material good = {.name = "d", .mu = 0.5, .grain = {1, 0, 0}, .section = &teeth};
    int k;
    assert_int_equal(sti_bodies_add_material(plane, &good, NULL), STI_ERR_INPUT);
    assert_int_equal(sti_bodies_add_material(space, &good, &k), STI_OK);
    assert_true(sti_bodies_material(space, k)->section->vertex != ratchet);
    add_body(space, "ball", false, sti_pose_identity(), sphere(env, 3, 1));
    space->collider[0].material = k;
    sti_world_options o = sti_world_options_default();
    o.h = 0.01;
    o.law = STI_IMPACT_STRONGE;
    sti_world* world;
    assert_int_equal(sti_world_create(env, space, &o, &world), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, "material \"d\": section: law"));
    sti_bodies_destroy(space);
    sti_bodies_destroy(plane);
    sti_env_destroy(env);
}

static const char scene[] =
    "{\"kind\": \"scene\", \"dimension\": 3, \"time\": 1, \"materials\": {\"teeth\": {\"mu\": 0.5, \"grain\": [1, 0, "
    "0],"
    " \"polygon\": [[-1, 0], [0, -0.5], [\"1/5\", 0], [0, 0.5]]}}, \"bodies\": ["
    "{\"name\": \"floor\", \"fixed\": true, \"material\": \"teeth\","
    " \"shape\": {\"type\": \"halfspace\", \"normal\": [0, 0, 1]}}]}";

static void a_scene_says_a_section_by_its_corners(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_document* document;
        const sti_status status = sti_document_parse(f.env, scene, strlen(scene), "scene", &document);
        if (status == STI_OK) {
            const sti_section* s = sti_bodies_material(sti_world_scene_of(document)->bodies, 1)->section;
            assert_int_equal(s->vertex_count, 4);
            assert_memory_equal(s->vertex, ratchet, sizeof ratchet);
            sti_document_destroy(document);
        } else {
            assert_int_equal(status, STI_ERR_MEMORY);
        }
        if (failing_env_close(&f)) break;
    }
}

static void memory_that_runs_out_is_survived(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_bodies* bodies;
        sti_world* world = NULL;
        sti_instant* instant = NULL;
        sti_status status = sti_bodies_create(f.env, 3, &bodies);
        if (status == STI_OK) {
            const sti_material rough = {.name = "teeth", .mu = MU, .grain = {1, 0, 0}, .section = &teeth};
            const double n[3] = {0, 0, 1}, down[3] = {1, 0, -G};
            int at;
            sti_body floor = sti_body_default(), ball = sti_body_default();
            sti_shape* shape;
            floor.fixed = true;
            ball.pose.x[2] = 1;
            sti_bodies_set_gravity(bodies, down);
            status = sti_bodies_add_material(bodies, &rough, NULL);
            if (status == STI_OK) status = sti_bodies_add(bodies, &floor, &at);
            if (status == STI_OK) status = sti_shape_create_halfspace(f.env, 3, n, 0, &shape);
            if (status == STI_OK) status = sti_bodies_add_shape(bodies, at, shape, NULL, 1);
            if (status == STI_OK) status = sti_bodies_add(bodies, &ball, &at);
            if (status == STI_OK) status = sti_shape_create_sphere(f.env, 3, 1, &shape);
            if (status == STI_OK) status = sti_bodies_add_shape(bodies, at, shape, NULL, 0);
            sti_world_options o = sti_world_options_default();
            o.h = 0.01;
            if (status == STI_OK) status = sti_world_create(f.env, bodies, &o, &world);
            if (status == STI_OK) status = sti_world_instant(f.env, world, 1e-6, &instant);
            if (status == STI_OK) status = sti_world_step(world, NULL);
            if (instant != NULL) sti_instant_destroy(f.env, instant);
            sti_world_destroy(world);
            sti_bodies_destroy(bodies);
        }
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_sticks_one_way_and_slides_the_other),
        cmocka_unit_test(what_slides_is_held_back_by_the_corner_that_works_most),
        cmocka_unit_test(y_of_a_section_is_the_outward_normal_cross_the_grain),
        cmocka_unit_test(an_ellipse_is_what_mu_across_says),
        cmocka_unit_test(the_checker_finds_friction_of_another_section),
        cmocka_unit_test(a_saved_world_with_a_section_goes_on_bit_for_bit),
        cmocka_unit_test(an_instant_has_the_section_of_its_world),
        cmocka_unit_test(a_section_that_makes_no_sense_is_refused),
        cmocka_unit_test(a_scene_says_a_section_by_its_corners),
        cmocka_unit_test(memory_that_runs_out_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
