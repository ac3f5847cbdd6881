// test_rough.c: friction of grains on walls that is no disc: closed forms, symmetries, states, the posed step.
#include <stiction/contact.h>
#include <stiction/recording.h>
#include <string.h>

#include "granular/bed_tools.h"
#include "support/failing_env.h"
#include "support/near.h"

static const double G = 9.81, H = 0.001;

// sigma of the ellipse with half axes 0.7 and 0.25, by its formula
static double oval(void* user, const double* y, double* x) {
    const double *a = user, p = a[0] * y[0], q = a[1] * y[1], size = hypot(p, q);
    x[0] = a[0] * p / size;
    x[1] = a[1] * q / size;
    return size;
}

static double half_axes[2] = {0.7, 0.25};
static const double rhombus[] = {0.7, 0, 0, 0.25, -0.7, 0, 0, -0.25};

// All with reach 0.7 along the first axis and 0.25 along the second one
static const sti_section sections[] = {
    {.shape = STI_SECTION_ELLIPSE, .axes = {0.7, 0.25}},
    {.shape = STI_SECTION_POLYGON, .vertex_count = 4, .vertex = rhombus},
    {.shape = STI_SECTION_SUPPORT, .support = oval, .user = half_axes},
};

// ---- one grain on a plane

typedef struct slide {
    sti_grains g;
    double x[3], v[3], w[3], radius, mass;
    sti_wall wall;
    sti_wall_friction friction;
} slide;

static void put_on_plane(slide* s, const sti_section* section, double mu) {
    *s = (slide){.x = {0, 0, 0.5}, .radius = 0.5, .mass = 2};
    s->wall = (sti_wall){.kind = STI_WALL_PLANE, .axis = {0, 0, 1}, .mu = mu};
    s->friction = (sti_wall_friction){.section = *section, .along = {1, 0, 0}};
    s->g = (sti_grains){.count = 1,
                        .x = s->x,
                        .v = s->v,
                        .w = s->w,
                        .radius = &s->radius,
                        .mass = &s->mass,
                        .mu = mu,
                        .gravity = {0, 0, -G},
                        .wall_count = 1,
                        .walls = &s->wall,
                        .friction = &s->friction};
}

static sti_bed* bed_on_plane(sti_env* env, const slide* s) {
    sti_bed_options o = sti_bed_options_default();
    sti_bed* bed;
    o.h = H;
    o.tol = 1e-12;
    assert_int_equal(sti_bed_create(env, &s->g, &o, &bed), STI_OK);
    return bed;
}

static void step(sti_bed* bed, int count) {
    for (int k = 0; k < count; k++) {
        sti_bed_report report;
        assert_int_equal(sti_bed_step(bed, &report), STI_OK);
        assert_true(report.solved);
        assert_true(report.cone_violation <= 1e-12);
    }
}

// Slip u falls by 7/2 mu a g a second, the velocity by mu a g, until the grain rolls with 5/7 of its first velocity.
static void a_grain_slides_along_an_axis_with_the_friction_of_that_axis_and_then_rolls(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 2; axis++) {
            slide s;
            const double mu = 0.5, a = half_axes[axis], v0 = 1.5;
            put_on_plane(&s, &sections[k], mu);
            s.v[axis] = v0;
            sti_bed* bed = bed_on_plane(env, &s);
            double x[3], v[3], w[3];
            step(bed, 50);
            sti_bed_get(bed, x, v, w);
            assert_near(v[axis], v0 - mu * a * G * 50 * H, 1e-12);
            assert_near(w[1 - axis], (axis == 0 ? 1 : -1) * 2.5 * mu * a * G * 50 * H / s.radius, 1e-11);
            assert_near(v[1 - axis], 0, 1e-13);
            step(bed, (int)(2 * v0 / (7 * mu * a * G * H)) + 5);
            sti_bed_get(bed, x, v, w);
            assert_near(v[axis], 5.0 / 7 * v0, 1e-11);
            assert_near(w[1 - axis], (axis == 0 ? 1 : -1) * v[axis] / s.radius, 1e-11);
            sti_bed_destroy(bed);
        }
    }
    sti_env_destroy(env);
}

// The impulse is mu r_n times the point of S that lies farthest against the slip: for an ellipse -T T'u / |T'u|.
static void friction_of_an_oblique_slip_does_the_most_work_that_the_section_allows(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    for (int k = 0; k < 3; k++) {
        for (int part = 1; part < 12; part++) {
            slide s;
            const double angle = 0.5 * part + 0.1, mu = 0.5;
            put_on_plane(&s, &sections[k], mu);
            s.v[0] = cos(angle), s.v[1] = sin(angle);
            sti_bed* bed = bed_on_plane(env, &s);
            step(bed, 1);
            sti_bed_contact c;
            double v[3], w[3], p[2];
            sti_bed_contacts(bed, &c);
            sti_bed_get(bed, NULL, v, w);
            const double u[2] = {v[0] - s.radius * w[1], v[1] + s.radius * w[0]};
            const double y[2] = {-u[0] / hypot(u[0], u[1]), -u[1] / hypot(u[0], u[1])};
            const double most = sti_section_support(&sections[k], y, p);
            assert_near(c.r[2], s.mass * G * H, 1e-13);
            assert_near((c.r[0] * y[0] + c.r[1] * y[1]) / (mu * c.r[2]), most, 1e-9);
            if (k != 1) {  // T T'u / |T'u|, and no corner in the way
                const double size = hypot(0.7 * y[0], 0.25 * y[1]);
                assert_near(c.r[0] / (mu * c.r[2]), 0.49 * y[0] / size, 1e-8);
                assert_near(c.r[1] / (mu * c.r[2]), 0.0625 * y[1] / size, 1e-8);
            }
            sti_bed_destroy(bed);
        }
    }
    sti_env_destroy(env);
}

// On a slope of angle t rolling takes 2/7 tan t of friction: the first axis has as much, the other has not.
static void on_a_slope_a_grain_rolls_one_way_and_slips_the_other(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    const double t = 0.5, mu = 0.4;
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 2; axis++) {
            slide s;
            put_on_plane(&s, &sections[k], mu);
            s.g.gravity[axis] = G * sin(t);
            s.g.gravity[2] = -G * cos(t);
            sti_bed* bed = bed_on_plane(env, &s);
            double v[3];
            step(bed, 100);
            sti_bed_get(bed, NULL, v, NULL);
            const double rolls = 5.0 / 7 * G * sin(t), slips = G * (sin(t) - mu * 0.25 * cos(t));
            assert_true(2.0 / 7 * tan(t) < mu * 0.7 && 2.0 / 7 * tan(t) > mu * 0.25);
            assert_near(v[axis], 100 * H * (axis == 0 ? rolls : slips), 1e-11);
            assert_near(v[1 - axis], 0, 1e-13);
            sti_bed_destroy(bed);
        }
    }
    sti_env_destroy(env);
}

// A turntable: `along` has turned by a right angle when the grain comes down.
static void the_section_turns_with_its_wall(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    slide s;
    const double mu = 0.5;
    put_on_plane(&s, &sections[0], mu);
    s.wall.spin = 0.5 * M_PI / (100 * H);
    s.g.gravity[2] = 0;
    sti_bed* bed = bed_on_plane(env, &s);
    double x[3] = {0, 0, 10}, v[3] = {0, 0, 0}, w[3] = {0, 0, 0};
    assert_int_equal(sti_bed_set(bed, x, v, w), STI_OK);
    step(bed, 100);
    x[2] = 0.5, v[0] = 1, v[2] = -0.1;  // on the axis the wall stands still
    assert_int_equal(sti_bed_set(bed, x, v, w), STI_OK);
    step(bed, 1);
    sti_bed_contact c;
    sti_bed_contacts(bed, &c);
    assert_near(c.r[0] / c.r[2], -mu * 0.25, 1e-9);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

// ---- many grains

enum { MANY = 60 };

static sti_grains pour(sti_env* env, int which, const sti_section* section, const double along[3]) {
    const sti_grain_pour def = {.count = MANY, .seed = 3, .mu = 0.4, .spread = 0.3, .spin = 0.4};
    sti_grains g;
    const sti_status status = which == 0   ? sti_grains_box(env, &def, &g)
                              : which == 1 ? sti_grains_hopper(env, &def, &g)
                                           : sti_grains_drum(env, &def, &g);
    assert_int_equal(status, STI_OK);
    for (int k = 0; k < g.wall_count && section != NULL; k++)
        assert_int_equal(sti_grains_set_section(env, &g, k, section, along), STI_OK);
    return g;
}

static sti_bed_options many_options(double tol) {
    sti_bed_options o = sti_bed_options_default();
    o.tol = tol;
    o.h = 0.02;
    return o;
}

static void a_round_ellipse_is_the_disc(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double along[3] = {1, 2, 3};
    const sti_section round = {.shape = STI_SECTION_ELLIPSE, .axes = {1, 1}, .angle = 0.3};
    const sti_bed_options o = many_options(1e-11);
    for (int which = 0; which < 3; which++) {
        sti_grains disc = pour(env, which, NULL, NULL), ellipse = pour(env, which, &round, along);
        sti_bed *a = bed_of(env, &disc, &o), *b = bed_of(env, &ellipse, &o);
        double v[2][3 * MANY];
        for (int k = 0; k < 25; k++) {
            assert_int_equal(sti_bed_step(a, NULL), STI_OK);
            assert_int_equal(sti_bed_step(b, NULL), STI_OK);
        }
        sti_bed_get(a, NULL, v[0], NULL);
        sti_bed_get(b, NULL, v[1], NULL);
        for (int k = 0; k < 3 * MANY; k++) assert_near(v[1][k], v[0][k], 1e-6);
        sti_bed_destroy(a);
        sti_bed_destroy(b);
    }
    sti_env_destroy(env);
}

// The same set in other coordinates: the ellipse turned one way, `along` the other.
static void turning_the_section_and_its_direction_against_each_other_changes_nothing(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double c = cos(0.7), s = sin(0.7);
    const sti_section straight = {.shape = STI_SECTION_ELLIPSE, .axes = {1.2, 0.3}};
    const sti_section turned = {.shape = STI_SECTION_ELLIPSE, .axes = {1.2, 0.3}, .angle = -0.7};
    const sti_bed_options o = many_options(1e-11);
    sti_bed* bed[2];
    for (int k = 0; k < 2; k++) {
        sti_grains g = pour(env, 0, NULL, NULL);
        assert_int_equal(sti_grains_set_section(env, &g, 0, k == 0 ? &straight : &turned,
                                                k == 0 ? (double[3]){1, 0, 0} : (double[3]){c, s, 0}),
                         STI_OK);
        bed[k] = bed_of(env, &g, &o);
        for (int j = 0; j < 25; j++) assert_int_equal(sti_bed_step(bed[k], NULL), STI_OK);
    }
    double v[2][3 * MANY];
    for (int k = 0; k < 2; k++) {
        sti_bed_get(bed[k], NULL, v[k], NULL);
        sti_bed_destroy(bed[k]);
    }
    for (int k = 0; k < 3 * MANY; k++) assert_near(v[1][k], v[0][k], 1e-6);
    sti_env_destroy(env);
}

static void the_verifier_accepts_steps_with_sections_and_no_other_point(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double along[3] = {1, 2, 3};
    const sti_bed_options o = many_options(1e-7);
    for (int which = 0; which < 3; which++) {
        for (int k = 0; k < 3; k++) {
            sti_grains g = pour(env, which, &sections[k], along);
            sti_bed* bed = bed_of(env, &g, &o);
            int most = 0, walls = 0;
            for (int j = 0; j < 70; j++) {
                sti_bed_report report;
                assert_int_equal(sti_bed_step(bed, &report), STI_OK);
                assert_true(report.cone_violation <= 1e-9);
                if (j % 10 != 9) continue;
                sti_bed_problem p;
                sti_contact_verification v;
                assert_true(report.solved);
                assert_int_equal(sti_bed_problem_make(env, bed, &p), STI_OK);
                assert_int_equal(p.answer.outcome, STI_SOLVED);
                assert_int_equal(sti_verify_contact(env, &p.problem, &p.answer, 10 * o.tol, &v), STI_OK);
                assert_true(v.accepted);
                for (int c = 0; c < report.contacts; c++) walls += p.problem.section[c].shape == sections[k].shape;
                most = report.touching > most ? report.touching : most;
                if (report.contacts > 0) {
                    p.answer.r[0] += 1;
                    assert_int_equal(sti_verify_contact(env, &p.problem, &p.answer, 10 * o.tol, &v), STI_OK);
                    assert_false(v.accepted);
                }
                sti_bed_problem_clear(env, &p);
            }
            assert_true(most > 30 && walls > 10);
            sti_bed_destroy(bed);
        }
    }
    sti_env_destroy(env);
}

static void states_with_sections_go_on_bit_by_bit_for_any_number_of_workers(void** state) {
    (void)state;
    sti_env* env[2] = {open_env_of(1), open_env_of(2)};
    const double along[3] = {1, 2, 3};
    const sti_bed_options o = many_options(1e-4);
    for (int k = 0; k < 2; k++) {
        double x[2][3 * MANY], v[2][3 * MANY];
        for (int to = 0; to < 2; to++) {
            sti_grains g = pour(env[to], 2, &sections[k], along);
            sti_bed *bed = bed_of(env[to], &g, &o), *again;
            void* bytes;
            size_t size;
            for (int j = 0; j < 30; j++) assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
            assert_int_equal(sti_bed_save_state(bed, &bytes, &size), STI_OK);
            assert_int_equal(sti_bed_load_state(env[1 - to], bytes, size, &again), STI_OK);
            for (int j = 0; j < 10; j++) {
                assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
                assert_int_equal(sti_bed_step(again, NULL), STI_OK);
            }
            sti_bed_get(bed, x[0], v[0], NULL);
            sti_bed_get(again, x[1], v[1], NULL);
            assert_memory_equal(x[0], x[1], sizeof x[0]);
            assert_memory_equal(v[0], v[1], sizeof v[0]);
            sti_bed_destroy(again);
            sti_bed_destroy(bed);
            // no bytes are believed
            for (size_t at = 0; at < size; at += 97) {
                ((unsigned char*)bytes)[at] ^= 0x5a;
                if (sti_bed_load_state(env[to], bytes, size, &again) == STI_OK) sti_bed_destroy(again);
                ((unsigned char*)bytes)[at] ^= 0x5a;
            }
            sti_env_free(env[to], bytes);
        }
    }
    sti_grains g = pour(env[0], 0, &sections[2], along);
    sti_bed* bed = bed_of(env[0], &g, &o);
    void* bytes;
    size_t size;
    assert_int_equal(sti_bed_save_state(bed, &bytes, &size), STI_ERR_ARGUMENT);
    assert_string_equal(sti_env_error(env[0])->text, "wall 0: a support function is no part of a state");
    sti_bed_destroy(bed);
    for (int k = 0; k < 2; k++) sti_env_destroy(env[k]);
}

// A grain held between two walls that are parallel: forces can grow without load if the sections reach far enough.
static void jamming_knows_the_sections(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    for (int wide = 0; wide < 3; wide++) {
        double x[3] = {0}, v[3] = {0}, w[3] = {0}, radius = 0.5, mass = 1;
        // a wedge that opens along x by 2 atan(0.3) in all
        const double c = 1 / hypot(1, 0.3), s = 0.3 * c;
        sti_wall walls[2] = {{.kind = STI_WALL_PLANE, .axis = {s, 0, c}, .mu = 1},
                             {.kind = STI_WALL_PLANE, .axis = {s, 0, -c}, .mu = 1}};
        sti_wall_friction friction[2];
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i < 3; i++) walls[k].point[i] = -radius * walls[k].axis[i];
            friction[k] = (sti_wall_friction){.section = {.shape = STI_SECTION_ELLIPSE,
                                                          .axes = {wide == 0   ? 0.4
                                                                   : wide == 1 ? 0.2
                                                                               : 0.1,
                                                                   wide == 0   ? 0.1
                                                                   : wide == 1 ? 0.2
                                                                               : 0.4}},
                                              .along = {1, 0, 0}};
        }
        const sti_grains g = {.count = 1,
                              .x = x,
                              .v = v,
                              .w = w,
                              .radius = &radius,
                              .mass = &mass,
                              .mu = 0,
                              .wall_count = 2,
                              .walls = walls,
                              .friction = friction};
        const sti_bed_options o = many_options(1e-10);
        sti_bed* bed;
        sti_bed_jamming j;
        assert_int_equal(sti_bed_create(env, &g, &o, &bed), STI_OK);
        assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
        assert_int_equal(sti_bed_jamming_analyze(env, bed, NULL, &j), STI_OK);
        // 0.4 >= 0.3 holds it; 0.2 in every direction does not; 0.1 does not either, but the disc around would
        assert_int_equal(j.pointed, wide == 0   ? STI_FINDING_FAILS
                                    : wide == 1 ? STI_FINDING_HOLDS
                                                : STI_FINDING_UNKNOWN);
        sti_bed_jamming_clear(env, &j);
        sti_bed_destroy(bed);
    }
    sti_env_destroy(env);
}

// ---- what is refused, and memory

static void what_is_no_section_of_a_wall_is_refused_by_wall_and_field(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    const double clockwise[] = {1, 0, 0, -1, -1, 0};
    const struct {
        sti_section section;
        double along[3];
        const char* text;
    } cases[] = {
        {{.shape = STI_SECTION_ELLIPSE, .axes = {1, 0}}, {1, 0, 0}, "wall 0: ellipse of half axes 1 and 0"},
        {{.shape = STI_SECTION_POLYGON, .vertex_count = 3, .vertex = clockwise},
         {1, 0, 0},
         "wall 0: the section turns"},
        {{.shape = STI_SECTION_ELLIPSE, .axes = {1, 2}},
         {0, 0, 0},
         "wall 0: along: (0, 0, 0): a direction is expected"},
        {{.shape = STI_SECTION_ELLIPSE, .axes = {1, 2}}, {0, NAN, 0}, "wall 0: along: (0, nan, 0)"},
        {{.shape = STI_SECTION_ELLIPSE, .axes = {1, 2}}, {0, 0, -2}, "wall 0: along: (0, 0, -2) is normal to the wall"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        slide s;
        sti_bed* bed;
        put_on_plane(&s, &cases[k].section, 0.5);
        memcpy(s.friction.along, cases[k].along, sizeof s.friction.along);
        assert_int_equal(sti_bed_create(env, &s.g, NULL, &bed), STI_ERR_ARGUMENT);
        assert_non_null(strstr(sti_env_error(env)->text, cases[k].text));
        s.g.friction = NULL;
        assert_int_equal(sti_grains_set_section(env, &s.g, 0, &cases[k].section, cases[k].along), STI_ERR_ARGUMENT);
        assert_null(s.g.friction);
    }
    slide s;
    sti_bed* bed;
    sti_bed_options o = sti_bed_options_default();
    put_on_plane(&s, &sections[0], 0.5);
    assert_int_equal(sti_grains_set_section(env, &s.g, 1, &sections[0], s.friction.along), STI_ERR_ARGUMENT);
    assert_string_equal(sti_env_error(env)->text, "wall 1: there are 1");
    o.law = STI_LAW_CONE;
    assert_int_equal(sti_bed_create(env, &s.g, &o, &bed), STI_ERR_ARGUMENT);
    assert_string_equal(sti_env_error(env)->text,
                        "law: cone: friction of walls that is no disc is for the law coulomb");
    sti_env_destroy(env);
}

static void a_bed_with_sections_survives_failing_allocations(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        const sti_grain_pour def = {.count = 8, .seed = 3, .mu = 0.4};
        sti_grains g = {0};
        sti_bed *bed = NULL, *again = NULL;
        sti_bed_problem p = {0};
        void* bytes = NULL;
        size_t size = 0;
        sti_status status = sti_grains_box(f.env, &def, &g);
        for (int w = 0; w < 2 && status == STI_OK; w++)
            status = sti_grains_set_section(f.env, &g, w, &sections[1], (const double[3]){1, 1, 1});
        for (int a = 0; status == STI_OK && a < g.count; a++) g.x[3 * a + 2] -= 0.05;
        if (status == STI_OK) status = sti_bed_create(f.env, &g, NULL, &bed);
        for (int j = 0; j < 3 && status == STI_OK; j++) status = sti_bed_step(bed, NULL);
        if (status == STI_OK) status = sti_bed_problem_make(f.env, bed, &p);
        if (status == STI_OK) status = sti_bed_save_state(bed, &bytes, &size);
        if (status == STI_OK) status = sti_bed_load_state(f.env, bytes, size, &again);
        sti_env_free(f.env, bytes);
        sti_bed_problem_clear(f.env, &p);
        sti_bed_destroy(again);
        sti_bed_destroy(bed);
        sti_grains_clear(f.env, &g);
        assert_true(status == STI_OK || status == STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grain_slides_along_an_axis_with_the_friction_of_that_axis_and_then_rolls),
        cmocka_unit_test(friction_of_an_oblique_slip_does_the_most_work_that_the_section_allows),
        cmocka_unit_test(on_a_slope_a_grain_rolls_one_way_and_slips_the_other),
        cmocka_unit_test(the_section_turns_with_its_wall),
        cmocka_unit_test(a_round_ellipse_is_the_disc),
        cmocka_unit_test(turning_the_section_and_its_direction_against_each_other_changes_nothing),
        cmocka_unit_test(the_verifier_accepts_steps_with_sections_and_no_other_point),
        cmocka_unit_test(states_with_sections_go_on_bit_by_bit_for_any_number_of_workers),
        cmocka_unit_test(jamming_knows_the_sections),
        cmocka_unit_test(what_is_no_section_of_a_wall_is_refused_by_wall_and_field),
        cmocka_unit_test(a_bed_with_sections_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
