// test_reach_rivals.c: where a push is proved, an enumeration of all solutions of its steps finds none that presses a
// wall.
#include <math.h>
#include <stdio.h>
#include <stiction/manipulation.h>
#include <stiction/problem.h>
#include <string.h>

#include "support/group_env.h"
#include "support/random.h"

typedef struct channel {
    int tips;
    double gap, mu, way, angle;  // angle of the part
} channel;

static sti_manipulation* open_channel(const channel* c, sti_document** d) {
    char text[900];
    const double y = 0.4 + c->gap;
    snprintf(
        text, sizeof text,
        "{\"kind\": \"manipulation\", \"parts\": [{\"polygon\": [[-0.8, -0.4], [0.8, -0.4], [0.8, 0.4], [-0.8, 0.4]],"
        "\"support\": {\"points\": [[0.4, 0, 1], [-0.2, 0.35, 1], [-0.2, -0.35, 1]]}, \"pose\": [0, 0, %.17g]}],"
        "\"fixtures\": [{\"polygon\": [[-3, %.17g], [3, %.17g], [3, 2], [-3, 2]]},"
        " {\"polygon\": [[-3, -2], [3, -2], [3, %.17g], [-3, %.17g]]}],"
        "\"probes\": [{\"tips\": [%s], \"direction\": 0, \"speed\": %.17g}], \"mu\": %.17g, \"h\": 1}",
        c->angle, y, y, -y, -y, c->tips == 1 ? "[-0.9, 0.1]" : "[-0.9, 0.25], [-0.9, -0.25]", c->way, c->mu);
    return sti_document_parse(group_env, text, strlen(text), "scene", d) == STI_OK ? sti_manipulation_of(*d) : NULL;
}

static void put(double* row, const sti_push_contact* c, const double* q, const double f[2]) {
    row[0] = f[0];
    row[1] = f[1];
    row[2] = (c->point[0] - q[0]) * f[1] - (c->point[1] - q[1]) * f[0];
}

// Does a solution of the step from q press on what is no tip? All solutions are looked at. -1: there was no room for
// that.
static int a_rival_presses(const sti_manipulation* m, const double* q, double reach) {
    enum { MOST = 6, ROWS = 4 * MOST };
    double E[9], C[3 * ROWS] = {0}, D[3 * ROWS] = {0}, B[ROWS * ROWS] = {0}, b[ROWS] = {0}, a[3] = {0};
    sti_push_contact* c;
    int nc;
    assert_int_equal(sti_manipulation_contacts(m, 0, q, reach, &c, &nc), STI_OK);
    if (nc > MOST) {
        sti_env_free(group_env, c);
        return -1;
    }
    const int rows = 4 * nc;
    sti_manipulation_damping(m, 0, q[2], E);
    for (int i = 0; i < nc; i++) {
        const double t[2] = {-c[i].n[1], c[i].n[0]};
        const int f = nc + 2 * i, s = 3 * nc + i;
        put(D + 3 * i, &c[i], q, c[i].n);
        put(D + 3 * f, &c[i], q, t);
        for (int j = 0; j < 3; j++) D[3 * (f + 1) + j] = -D[3 * f + j];
        B[f * rows + s] = B[(f + 1) * rows + s] = 1;
        B[s * rows + f] = B[s * rows + f + 1] = -1;
        B[s * rows + i] = c[i].mu;
        b[i] = c[i].gap + c[i].rate_n;
        b[f] = c[i].rate_t;
        b[f + 1] = -c[i].rate_t;
    }
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < 3; j++) C[j * rows + i] = -D[3 * i + j];
    }
    const sti_mlcp p = {.n = 3,
                        .m = rows,
                        .A = sti_matrix_dense_view(3, 3, E),
                        .C = sti_matrix_dense_view(3, rows, C),
                        .D = sti_matrix_dense_view(rows, 3, D),
                        .B = sti_matrix_dense_view(rows, rows, B),
                        .a = a,
                        .b = b};
    sti_lcp_solution_set* all;
    int presses = 0;
    assert_int_equal(sti_mlcp_enumerate(group_env, &p, 4000, 0, &all), STI_OK);
    for (int v = 0; v < all->vertex_count; v++) {
        for (int i = 0; i < nc; i++) {
            const double press = all->vertex[(size_t)v * (size_t)(3 + rows) + 3 + (size_t)i];
            if (c[i].against != STI_PUSH_TIP && press > 1e-9) presses = 1;
        }
    }
    if (!all->complete) presses = -1;
    sti_lcp_solution_set_destroy(group_env, all);
    sti_env_free(group_env, c);
    return presses;
}

// How many steps are proved, refused for what may press besides, and of these how many have such a solution.
typedef struct tally {
    int proved, coarse, rivals;
} tally;

static void look(const channel* k, bool refused_too, tally* t) {
    sti_document* d;
    sti_push_reach r;
    sti_manipulation* m = open_channel(k, &d);
    assert_non_null(m);
    const double back = 1e-9 + k->way * 0.2;
    assert_int_equal(sti_manipulation_aim(m, 0, -0.8 - back - 0.3 * fabs(k->angle), 0.05, 0, k->way), STI_OK);
    const sti_pose_set before = {.low = {0, 0, k->angle}, .high = {0, 0, k->angle}};
    const sti_push_course c = {.h = 1, .steps = 1, .edge = 3, .before = &before};
    assert_int_equal(sti_verify_push_reach(group_env, m, &c, &r), STI_OK);
    t->coarse += r.coarse;
    if (r.accepted || (r.coarse && refused_too)) {
        const double q[3] = {0, 0, k->angle};
        const int presses = a_rival_presses(m, q, 4 * k->way + 2 * k->gap);
        if (r.accepted && presses > 0)
            fail_msg("tips %d gap %.17g mu %.17g way %.17g angle %.17g: proved, and something else may press", k->tips,
                     k->gap, k->mu, k->way, k->angle);
        t->proved += r.accepted && presses == 0;
        t->rivals += r.coarse && presses > 0;
    }
    sti_document_destroy(d);
}

static void nothing_else_presses_where_a_step_is_proved(void** state) {
    (void)state;
    sti_rng random = {11};
    tally t = {0};
    for (int i = 0; i < 200; i++) {
        const double way = 0.02 + 0.2 * sti_rng_u01(&random), angle = 0.02 * symmetric(&random);
        look(&(channel){.tips = 1 + i % 2,
                        .gap = 0.8 * fabs(angle) + way * (0.05 + 2 * sti_rng_u01(&random)),
                        .mu = sti_rng_u01(&random),
                        .way = way,
                        .angle = i % 3 == 0 ? 0 : angle},
             false, &t);
    }
    assert_true(t.proved > 20 && t.coarse > 20);
    // here one tip pushes a part that may as well jam
    look(&(channel){1, 0.015215449813755812, 1.3642225410201221, 0.12509509635668428, -0.010436982096251959}, true, &t);
    assert_true(t.rivals > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_else_presses_where_a_step_is_proved),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
