// test_flow.c: optical flow: the operators of S3, the reference cases, motions that are known, limits, files, bad
// input, memory.
#include <math.h>
#include <stiction/flow.h>
#include <stiction/l1.h>
#include <string.h>
#include <unistd.h>

#include "flow/model.h"
#include "support/failing_env.h"
#include "support/late_env.h"
#include "support/open_env.h"
#include "support/random.h"

enum { MOST = 48 };

static double wave(double x, double y) {  // of the reference cases
    return 0.5 + 0.25 * sin(0.5 * x + 0.3 * y) + 0.25 * cos(0.2 * x - 0.45 * y);
}

typedef struct pair {
    sti_frame first, second;
    double value[2][MOST * MOST];
} pair;

// A wave that moves by (u, v), on size x size pixels.
static void make_pair(pair* p, int size, double u, double v) {
    p->first = (sti_frame){size, size, p->value[0]};
    p->second = (sti_frame){size, size, p->value[1]};
    for (int y = 0; y < size; y++) {
        for (int x = 0; x < size; x++) {
            p->value[0][y * size + x] = wave(x + 1, y + 1);
            p->value[1][y * size + x] = wave(x + 1 - u, y + 1 - v);
        }
    }
}

// OFL-07
static void the_derivative_has_the_rows_of_the_reference(void** state) {
    (void)state;
    static const double row[3][8] = {
        {-7, 8, -1, 0, 0, 0, 0, 0}, {-7, 0, 8, -1, 0, 0, 0, 0}, {0, 1, -8, 0, 8, -1, 0, 0}};
    static const int place[3] = {0, 1, 3};
    double value[8 * 8];
    const sti_frame f = {8, 8, value};
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 8; j++) {
            for (int i = 0; i < 64; i++) value[i] = i % 8 == j;
            assert_true(fabs(sti_flow_derivative(&f, place[k], 2, false) - row[k][j] / 12) < 1e-15);
            for (int i = 0; i < 64; i++) value[i] = i / 8 == j;
            assert_true(fabs(sti_flow_derivative(&f, 2, place[k], true) - row[k][j] / 12) < 1e-15);
        }
    }
    for (int i = 0; i < 64; i++) value[i] = pow(i % 8 + 1, 4);
    for (int x = 2; x < 6; x++) assert_true(fabs(sti_flow_derivative(&f, x, 0, false) - 4 * pow(x + 1, 3)) < 1e-11);
}

// OFL-01: value and entries.
static void the_program_of_the_thesis_has_its_value(void** state) {
    static pair p;
    sti_l1* problem;
    make_pair(&p, 16, 0.3, -0.2);
    assert_int_equal(sti_flow_problem(*state, &p.first, &p.second, 0.1, &problem), STI_OK);
    assert_int_equal(problem->A.col_start[problem->n], 4352);
    sti_l1_options o = sti_l1_options_default();
    sti_l1_answer a;
    o.tol = 1e-9;
    assert_int_equal(sti_l1_solve(*state, problem, &o, &a), STI_OK);
    assert_true(fabs(a.objective - 1.0798305350296877) < 2e-9);
    sti_flow_options one = sti_flow_options_default();
    sti_flow_answer flow;
    one.levels = 1, one.lambda = 0.1, one.tol = 1e-9;
    assert_int_equal(sti_flow_solve(*state, &p.first, &p.second, &one, &flow), STI_OK);
    assert_int_equal(flow.outcome, STI_SOLVED);
    assert_true(flow.level_count == 1 && flow.levels[0].verified);
    assert_true(fabs(flow.levels[0].objective - a.objective) < 2e-9);
    sti_flow_answer_clear(*state, &flow);
    sti_l1_answer_clear(*state, &a);
    sti_flow_problem_destroy(*state, problem);
}

static double mean_error(const sti_flow_field* f, double u, double v) {
    double sum = 0;
    for (int k = 0; k < f->width * f->height; k++) sum += hypot(f->u[k] - u, f->v[k] - v) / (f->width * f->height);
    return sum;
}

static void a_motion_of_several_pixels_is_found_from_coarse_to_fine(void** state) {
    static pair p;
    sti_flow_answer one, many;
    sti_flow_options o = sti_flow_options_default();
    make_pair(&p, 48, 2.5, -1.5);
    assert_int_equal(sti_flow_solve(*state, &p.first, &p.second, &o, &many), STI_OK);
    assert_int_equal(many.outcome, STI_SOLVED);
    assert_int_equal(many.level_count, 4);  // 24 and 48, twice each
    for (int k = 0; k < many.level_count; k++)
        assert_true(many.levels[k].verified && many.levels[k].gap <= many.levels[k].tol);
    o.levels = 1;
    assert_int_equal(sti_flow_solve(*state, &p.first, &p.second, &o, &one), STI_OK);
    assert_true(mean_error(&many.field, 2.5, -1.5) < 0.1);
    assert_true(mean_error(&many.field, 2.5, -1.5) < 0.2 * mean_error(&one.field, 2.5, -1.5));
    sti_flow_answer_clear(*state, &one);
    sti_flow_answer_clear(*state, &many);
}

static void frames_that_are_mirrored_have_mirrored_flow(void** state) {
    static pair p, q;
    sti_flow_answer a, b;
    make_pair(&p, 20, 0.4, 0.2);
    make_pair(&q, 20, 0, 0);
    for (int y = 0; y < 20; y++) {
        for (int x = 0; x < 20; x++) {
            q.value[0][y * 20 + x] = p.value[0][x * 20 + y];  // x and y exchanged
            q.value[1][y * 20 + x] = p.value[1][x * 20 + y];
        }
    }
    sti_flow_options o = sti_flow_options_default();
    o.tol = 1e-8, o.levels = 1;
    assert_int_equal(sti_flow_solve(*state, &p.first, &p.second, &o, &a), STI_OK);
    assert_int_equal(sti_flow_solve(*state, &q.first, &q.second, &o, &b), STI_OK);
    assert_true(fabs(a.levels[0].objective - b.levels[0].objective) <= 2e-8 * a.levels[0].objective);
    sti_flow_answer_clear(*state, &a);
    sti_flow_answer_clear(*state, &b);
}

static void a_time_limit_gives_the_best_so_far(void** state) {
    (void)state;
    static pair p;
    int cut = 0;
    make_pair(&p, 32, 1, 0);
    for (long k = 1;; k += 3) {
        late_env l;
        late_env_open(&l, k);
        sti_flow_answer a;
        assert_int_equal(sti_flow_solve(l.memory.env, &p.first, &p.second, NULL, &a), STI_OK);
        assert_true(a.field.width == 32 && isfinite(a.field.u[500]));
        cut += a.outcome == STI_LIMIT;
        sti_flow_answer_clear(l.memory.env, &a);
        if (late_env_close(&l)) break;
    }
    assert_true(cut > 2);
}

static void errors_are_measured_where_the_truth_is_known(void** state) {
    double u[] = {1, 0, 0, 9}, v[] = {0, 2, 0, 9}, tu[] = {1, 0, 0.75, NAN}, tv[] = {0, 0, 0, 1};
    const sti_flow_field f = {2, 2, u, v}, truth = {2, 2, tu, tv}, other = {4, 1, tu, tv};
    sti_flow_error e;
    assert_int_equal(sti_flow_compare(*state, &f, &truth, &e), STI_OK);
    assert_true(e.count == 3 && fabs(e.mean - 2.75 / 3) < 1e-15 && fabs(e.mean_of_zero - 1.75 / 3) < 1e-15);
    assert_true(fabs(e.beyond_half - 2.0 / 3) < 1e-15 && fabs(e.beyond_one - 1.0 / 3) < 1e-15);
    assert_int_equal(sti_flow_compare(*state, &f, &other, &e), STI_ERR_ARGUMENT);
}

static void a_field_that_is_saved_is_read_again(void** state) {
    double u[] = {1.5, -2, NAN, 0.25, 0, 3}, v[] = {0, 0.5, 1, 2, -1, 7};
    const sti_flow_field f = {3, 2, u, v};
    sti_flow_field g;
    char path[] = "/tmp/stiction-flow-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(sti_flow_save(*state, &f, path), STI_OK);
    assert_int_equal(sti_flow_load(*state, path, &g), STI_OK);
    assert_true(g.width == 3 && g.height == 2 && isnan(g.u[2]) && isnan(g.v[2]));
    for (int k = 0; k < 6; k++) assert_true(k == 2 || (g.u[k] == u[k] && g.v[k] == v[k]));
    sti_image image;
    assert_int_equal(sti_draw_flow(*state, &f, 0, 1, &image), STI_OK);
    assert_int_equal(image.width, 3);
    sti_image_clear(*state, &image);
    sti_flow_field_clear(*state, &g);
    unlink(path);
}

static void bad_frames_are_named(void** state) {
    static pair p;
    sti_flow_answer a;
    make_pair(&p, 16, 0.3, 0);
    const sti_frame small = {4, 4, p.value[0]}, other = {16, 15, p.value[1]};
    assert_int_equal(sti_flow_solve(*state, &p.first, &other, NULL, &a), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(*state)->text, "different sizes: 16 x 16 and 16 x 15"));
    assert_int_equal(sti_flow_solve(*state, &small, &small, NULL, &a), STI_ERR_ARGUMENT);
    sti_flow_options o = sti_flow_options_default();
    assert_true(sti_flow_lambda(NULL) == 0.03);
    o.lambda = -1;
    assert_int_equal(sti_flow_solve(*state, &p.first, &p.second, &o, &a), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(*state)->text, "lambda: -1"));
}

static sti_status everything(sti_env* env, const char* flo, const char* png) {
    static pair p;
    sti_flow_answer a = {0};
    sti_flow_field g = {0};
    sti_flow_error e;
    sti_l1* problem = NULL;
    sti_image image = {0}, again = {0};
    sti_frame frame = {0};
    sti_flow_options o = sti_flow_options_default();
    o.max_iterations = 2;
    make_pair(&p, 8, 0.3, 0);
    sti_status status = sti_flow_solve(env, &p.first, &p.second, &o, &a);
    if (status == STI_OK) status = sti_flow_problem(env, &p.first, &p.second, 0.1, &problem);
    if (status == STI_OK) status = sti_flow_save(env, &a.field, flo);
    if (status == STI_OK) status = sti_flow_load(env, flo, &g);
    if (status == STI_OK) status = sti_flow_compare(env, &a.field, &g, &e);
    if (status == STI_OK) status = sti_draw_flow(env, &g, 1, 4, &image);
    if (status == STI_OK) status = sti_image_save(env, &image, png);
    if (status == STI_OK) status = sti_image_load(env, png, &again);
    if (status == STI_OK) assert_memory_equal(image.rgb, again.rgb, 8 * 8 * 3);
    if (status == STI_OK) status = sti_frame_from_image(env, &again, &frame);
    sti_frame_clear(env, &frame);
    sti_image_clear(env, &image);
    sti_image_clear(env, &again);
    sti_flow_problem_destroy(env, problem);
    sti_flow_field_clear(env, &g);
    sti_flow_answer_clear(env, &a);
    return status;
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    char flo[] = "/tmp/stiction-flow-XXXXXX", png[] = "/tmp/stiction-picture-XXXXXX";
    close(mkstemp(flo));
    close(mkstemp(png));
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        const sti_status status = everything(f.env, flo, png);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
    unlink(flo);
    unlink(png);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_derivative_has_the_rows_of_the_reference),
        cmocka_unit_test(the_program_of_the_thesis_has_its_value),
        cmocka_unit_test(a_motion_of_several_pixels_is_found_from_coarse_to_fine),
        cmocka_unit_test(frames_that_are_mirrored_have_mirrored_flow),
        cmocka_unit_test(a_time_limit_gives_the_best_so_far),
        cmocka_unit_test(errors_are_measured_where_the_truth_is_known),
        cmocka_unit_test(a_field_that_is_saved_is_read_again),
        cmocka_unit_test(bad_frames_are_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
