// Vehicles in cages: NAV-01, deadlocks, many vehicles, what changes nothing, bad input, failing allocations.
#include <math.h>
#include <stdlib.h>
#include <stiction/stiction.h>

#include "support/group_env.h"
#include "support/near.h"
#include "support/oracle.h"

static void must(sti_status status) {
    if (status != STI_OK) print_error("%s\n", sti_env_error(group_env)->text);
    assert_int_equal(status, STI_OK);
}

static sti_document* parse(const char* text) {
    sti_document* problem;
    must(sti_document_parse(group_env, text, strlen(text), "nav.json", &problem));
    return problem;
}

static sti_document* scene(const char* name) {
    char path[400];
    sti_document* problem;
    snprintf(path, sizeof path, "%s/scenes/%s.json", STI_SOURCE_DIR, name);
    must(sti_document_load(group_env, path, &problem));
    return problem;
}

static double number_at(const cJSON* list, int i) {
    return cJSON_GetNumberValue(cJSON_GetArrayItem(list, i));
}

static void a_vehicle_is_led_as_the_case_says(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON *item = oracle_find(root, "NAV-01"), *expected = cJSON_GetObjectItem(item, "expected");
    const cJSON *switches = cJSON_GetObjectItem(expected, "switch_steps_[l,alpha_before,alpha_after]"),
                *places = cJSON_GetObjectItem(expected, "q");
    sti_document* problem = scene("nav-wall");
    sti_navigation* nav = sti_navigation_of(problem);
    int before = 0, seen = 0;
    double least[2] = {INFINITY, INFINITY};
    sti_navigation_report r;
    for (int l = 0; l < 600; l++) {
        must(sti_navigation_step(nav, &r));
        int now = 0;
        for (int i = 0; i < r.contact_count; i++)
            now |= r.contacts[i].impulse > 0 ? 1 << (-1 - r.contacts[i].other) : 0;
        if (now != before) {
            const cJSON* one = cJSON_GetArrayItem(switches, seen++);
            assert_near(number_at(one, 0), l, 0);
            int wanted = 0;
            for (int i = 0; i < cJSON_GetArraySize(cJSON_GetArrayItem(one, 2)); i++)
                wanted |= 1 << ((int)number_at(cJSON_GetArrayItem(one, 2), i) - 1);
            assert_int_equal(now, wanted);
            before = now;
        }
        char name[16];
        snprintf(name, sizeof name, "%d", l + 1);
        const cJSON* q = cJSON_GetObjectItem(places, name);
        for (int i = 0; q != NULL && i < 2; i++) assert_near(sti_navigation_q(nav)[i], number_at(q, i), 1e-8);
        const double* q_now = sti_navigation_q(nav);
        least[0] = fmin(least[0], q_now[1] - 0.3);
        least[1] = fmin(least[1], hypot(q_now[0] - 4, q_now[1]) - 0.8);
    }
    assert_int_equal(seen, cJSON_GetArraySize(switches));
    for (int i = 0; i < 2; i++) {
        assert_near(sti_navigation_v(nav)[i], number_at(cJSON_GetObjectItem(expected, "final_v"), i), 1e-8);
        assert_near(least[i], number_at(cJSON_GetObjectItem(expected, "min_gap_[wall,obstacle]"), i), 1e-8);
    }
    assert_int_equal(r.contact_count, 1);
    assert_near(r.contacts[0].impulse / 0.02,
                number_at(cJSON_GetObjectItem(expected, "final_contact_forces_[wall,obstacle]"), 0), 1e-8);
    sti_document_destroy(problem);
    cJSON_Delete(root);
}

static void a_corner_is_a_deadlock_with_balanced_forces(void** state) {
    (void)state;
    sti_document* problem = scene("nav-deadlock");
    sti_navigation* nav = sti_navigation_of(problem);
    sti_navigation_report r = {0};
    for (int l = 0; l < 1000 && !r.deadlock; l++) must(sti_navigation_step(nav, &r));
    assert_true(r.deadlock);
    double sum[2] = {2, -0.5};
    for (int i = 0; i < r.contact_count; i++) {
        for (int k = 0; k < 2; k++) sum[k] += r.contacts[i].n[k] * r.contacts[i].impulse / 0.02;
        assert_true(r.contacts[i].impulse >= 0);
    }
    assert_near(sum[0], 0, 1e-9);
    assert_near(sum[1], 0, 1e-9);
    sti_document_destroy(problem);
}

// At rest on its wall until the force, that changes with time, takes it away.
static void rest_under_a_force_that_changes_is_no_deadlock(void** state) {
    (void)state;
    static const char text[] =
        "{\"kind\": \"navigation\", \"walls\": [{\"point\": [0, 0], \"normal\": [0, 1]}], "
        "\"h\": 0.05, \"time\": 5, \"vehicles\": [{\"cage\": 0.3, \"q\": [0, 0.3], "
        "\"force\": [\"max(0, t - 2)\", \"-1 - y'\"]}]}";
    sti_document* problem;
    must(sti_document_parse(group_env, text, strlen(text), "nav.json", &problem));
    sti_navigation* nav = sti_navigation_of(problem);
    for (int l = 0; l < 100; l++) {
        sti_navigation_report r;
        must(sti_navigation_step(nav, &r));
        assert_false(r.deadlock);
    }
    assert_true(sti_navigation_q(nav)[0] > 4);
    sti_document_destroy(problem);
}

// Fifty swap places: at every step all pairs are looked at here, not only those of the report.
static void no_cage_is_ever_entered(void** state) {
    (void)state;
    sti_document* problem = scene("nav-crossing");
    sti_navigation* nav = sti_navigation_of(problem);
    const int n = sti_navigation_count(nav);
    assert_int_equal(n, 50);
    int pressed = 0;
    for (int l = 0; l < 3000; l++) {
        sti_navigation_report r;
        must(sti_navigation_step(nav, &r));
        assert_int_equal(r.outcome, STI_SOLVED);
        for (int i = 0; i < r.contact_count; i++) pressed += r.contacts[i].impulse > 0;
        const double* q = sti_navigation_q(nav);
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < i; k++) {
                const double gap = hypot(q[2 * i] - q[2 * k], q[2 * i + 1] - q[2 * k + 1]) - 0.6;
                if (!(gap >= -1e-12)) fail_msg("step %d: %d and %d overlap by %g", l, i, k, -gap);
            }
        }
    }
    assert_true(pressed > 0);
    for (int i = 0; i < n; i++) {
        double goal[2];
        assert_true(sti_navigation_goal(nav, i, goal));
        assert_near(sti_navigation_q(nav)[2 * i], goal[0], 0.05);
        assert_near(sti_navigation_q(nav)[2 * i + 1], goal[1], 0.05);
    }
    sti_document_destroy(problem);
}

// Two blocks of vehicles run into each other and jam: laws and balance of every step by the velocities before and after
// it.
static void a_crowd_that_jams_keeps_its_laws(void** state) {
    (void)state;
    static const char text[] =
        "{\"kind\": \"navigation\", \"vehicles\": [{\"count\": 60, \"cage\": 0.3, \"force\": [\"3 - 2*x'\", "
        "\"-2*y'\"], "
        "\"q\": [\"-0.7*floor(i/6)\", \"0.7*(i - 6*floor(i/6))\"]}, {\"count\": 60, \"cage\": 0.3, \"mass\": 2, "
        "\"force\": "
        "[\"-3 - 2*x'\", \"-2*y'\"], \"q\": [\"2 + 0.7*floor(i/6)\", \"0.05 + 0.7*(i - 6*floor(i/6))\"]}]}";
    sti_document* problem = parse(text);
    sti_navigation* nav = sti_navigation_of(problem);
    const double h = 0.02;
    double before[240];
    int most = 0;
    for (int l = 0; l < 200; l++) {
        sti_navigation_report r;
        memcpy(before, sti_navigation_v(nav), sizeof before);
        must(sti_navigation_step(nav, &r));
        assert_int_equal(r.outcome, STI_SOLVED);
        const double *q = sti_navigation_q(nav), *v = sti_navigation_v(nav);
        double open[240];
        for (int i = 0; i < 120; i++) {
            const double m = i < 60 ? 1 : 2, u = i < 60 ? 3 : -3;
            open[2 * i] = m * (v[2 * i] - before[2 * i]) - h * (u - 2 * v[2 * i]);
            open[2 * i + 1] = m * (v[2 * i + 1] - before[2 * i + 1]) + h * 2 * v[2 * i + 1];
            for (int k = 0; k < i; k++) assert_true(hypot(q[2 * i] - q[2 * k], q[2 * i + 1] - q[2 * k + 1]) >= 0.6);
        }
        int pressing = 0;
        for (int p = 0; p < r.contact_count; p++) {
            const sti_cage_contact* c = &r.contacts[p];
            assert_true(c->impulse >= 0);
            double after = c->gap;
            for (int k = 0; k < 2; k++) {
                after += h * c->n[k] * (v[2 * c->vehicle + k] - v[2 * c->other + k]);
                open[2 * c->vehicle + k] -= c->n[k] * c->impulse;
                open[2 * c->other + k] += c->n[k] * c->impulse;
            }
            assert_true(after >= 0);
            if (c->impulse > 0) assert_near(after, 0, 1e-6);
            pressing += c->impulse > 0;
        }
        most = pressing > most ? pressing : most;
        for (int i = 0; i < 240; i++) assert_near(open[i], 0, 1e-6);
    }
    assert_true(most > 100);
    sti_document_destroy(problem);
}

static double to_segment(const double* p, const double* a, const double* b) {
    const double x = b[0] - a[0], y = b[1] - a[1];
    const double f = fmin(fmax(((p[0] - a[0]) * x + (p[1] - a[1]) * y) / (x * x + y * y), 0), 1);
    return hypot(p[0] - a[0] - f * x, p[1] - a[1] - f * y);
}

static double between(int n, const double (*a)[2], int m, const double (*b)[2]) {
    double least = INFINITY;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < m; k++) {
            least = fmin(least, to_segment(a[i], b[k], b[(k + 1) % m]));
            least = fmin(least, to_segment(b[k], a[i], a[(i + 1) % n]));
        }
    }
    return least;
}

// A bar slides over the floor of a hollow obstacle, past the seams of the triangles that it is cut into, to its upright
// side.
static void a_polygon_slides_past_seams_and_stops_at_the_wall(void** state) {
    (void)state;
    static const double L[][2] = {{0, 0}, {6, 0}, {6, 3}, {5, 3}, {5, 1}, {2.5, 1}, {0, 1}};
    static const double bar[][2] = {{-0.6, -0.2}, {0.6, -0.2}, {0.6, 0.2}, {-0.6, 0.2}};
    static const char text[] =
        "{\"kind\": \"navigation\", \"vehicles\": [{\"cage\": [[-0.6, -0.2], [0.6, -0.2], [0.6, 0.2], [-0.6, 0.2]], "
        "\"force\": "
        "[\"1 - x'\", \"-1 - y'\"], \"q\": [1, 2], \"goal\": [9, 9]}, {\"cage\": 0.3, \"force\": [\"0.3 - x'\", \"-1 - "
        "y'\"], "
        "\"q\": [1, 4]}], \"obstacles\": [{\"polygon\": [[0, 0], [6, 0], [6, 3], [5, 3], [5, 1], [2.5, 1], [0, 1]]}]}";
    sti_document* problem = parse(text);
    sti_navigation* nav = sti_navigation_of(problem);
    for (int l = 0; l < 1500; l++) {
        sti_navigation_report r;
        must(sti_navigation_step(nav, &r));
        const double* q = sti_navigation_q(nav);
        double here[4][2];
        for (int k = 0; k < 4; k++) {
            here[k][0] = bar[k][0] + q[0];
            here[k][1] = bar[k][1] + q[1];
        }
        if (l > 600) assert_near(between(4, here, 7, L), 0, 1e-9);
        assert_true(here[0][1] >= 1 && here[1][0] <= 5);
        double to_disc = INFINITY;
        for (int k = 0; k < 4; k++) to_disc = fmin(to_disc, to_segment(q + 2, here[k], here[(k + 1) % 4]));
        assert_true(to_disc >= 0.3 && q[3] >= 1.3);
    }
    assert_near(sti_navigation_q(nav)[0], 4.4, 1e-9);
    assert_near(sti_navigation_q(nav)[1], 1.2, 1e-9);
    sti_document_destroy(problem);
}

// A cage that just fits between two walls has no room for a margin, and still goes along them.
static void a_cage_that_just_fits_goes_through(void** state) {
    (void)state;
    static const char text[] =
        "{\"kind\": \"navigation\", \"vehicles\": [{\"cage\": 0.5, \"force\": [\"1 - x'\", \"-0.2\"], \"q\": [0, "
        "0.5]}], "
        "\"walls\": [{\"point\": [0, 0], \"normal\": [0, 1]}, {\"point\": [0, 1], \"normal\": [0, -1]}]}";
    sti_document* problem = parse(text);
    sti_navigation* nav = sti_navigation_of(problem);
    for (int l = 0; l < 100; l++) {
        sti_navigation_report r;
        must(sti_navigation_step(nav, &r));
        assert_int_equal(r.outcome, STI_SOLVED);
    }
    assert_true(sti_navigation_q(nav)[0] > 0.5);
    assert_near(sti_navigation_q(nav)[1], 0.5, 1e-12);
    sti_document_destroy(problem);
}

// Islands apart or together: two pairs far from each other move as each pair alone, bit for bit.
static void islands_do_not_know_of_each_other(void** state) {
    (void)state;
    static const char* const one =
        "{\"name\": \"%s\", \"cage\": 0.5, \"force\": [\"%d - x'\", \"0.1*y - y'\"], \"q\": [%d, %g]}";
    char a[300], b[300], c[300], d[300], text[1400];
    double alone[4] = {0};
    snprintf(a, sizeof a, one, "a", 1, -2, 0.1);
    snprintf(b, sizeof b, one, "b", -1, 2, 0.0);
    snprintf(c, sizeof c, one, "c", 1, 98, 0.1);
    snprintf(d, sizeof d, one, "d", -1, 102, 0.0);
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, "{\"kind\": \"navigation\", \"vehicles\": [%s, %s%s%s%s%s]}", a, b,
                 k == 1 ? ", " : "", k == 1 ? c : "", k == 1 ? ", " : "", k == 1 ? d : "");
        sti_document* problem = parse(text);
        sti_navigation* nav = sti_navigation_of(problem);
        for (int l = 0; l < 400; l++) must(sti_navigation_step(nav, NULL));
        if (k == 0)
            memcpy(alone, sti_navigation_q(nav), sizeof alone);
        else
            assert_memory_equal(alone, sti_navigation_q(nav), sizeof alone);
        sti_document_destroy(problem);
    }
}

static void bad_files_are_named(void** state) {
    (void)state;
    static const char* const bad[][2] = {
        {"\"vehicles\": []", "vehicles: 0: 1 to"},
        {"\"vehicles\": [{\"force\": [0, 0]}]", "vehicles[0].cage"},
        {"\"vehicles\": [{\"cage\": 0, \"force\": [0, 0]}]", "vehicles[0].cage: 0: above 0"},
        {"\"vehicles\": [{\"cage\": [[0, 0]], \"force\": [0, 0]}]", "vehicles[0].cage: at least 3 vertices"},
        {"\"vehicles\": [{\"cage\": [[0, 0], [1, 0], [2, 0]], \"force\": [0, 0]}]", "vehicles[0].cage: it has no area"},
        {"\"vehicles\": [{\"cage\": [[0, 0], [1, 0], [0, 1]], \"force\": [0, 0], \"q\": [3, 0.2]}], \"obstacles\": "
         "[{\"polygon\": "
         "[[0, 0], [4, 0], [4, 4], [3, 4], [3, 1], [0, 1]]}]",
         "\"vehicle 1\" starts inside of \"obstacle 1\""},
        {"\"vehicles\": [{\"cage\": 1}]", "vehicles[0].force"},
        {"\"vehicles\": [{\"cage\": 1, \"force\": [\"z\", 0]}]", "vehicles[0]: forces.x: column 1"},
        {"\"vehicles\": [{\"cage\": 1, \"mass\": -1, \"force\": [0, 0]}]", "vehicles[0].mass: -1"},
        {"\"vehicles\": [{\"cage\": 1, \"force\": [0, 0]}, {\"cage\": 1, \"force\": [0, 0], \"q\": [1, 0]}]",
         "starts inside of"},
        {"\"vehicles\": [{\"cage\": 1, \"force\": [0, 0]}], \"walls\": [{\"point\": [0, 0], \"normal\": [0, 1]}]",
         "\"vehicle 1\" starts inside of \"wall 1\", by 1"},
        {"\"vehicles\": [{\"cage\": 1, \"force\": [0, 0]}], \"walls\": [{\"point\": [0, -5], \"normal\": [0, 0]}]",
         "walls[0].normal"},
        {"\"vehicles\": [{\"cage\": 1, \"force\": [0, 0]}], \"obstacles\": [{\"disc\": 1}]",
         "starts inside of \"obstacle 1\""},
        {"\"vehicles\": [{\"cage\": 1, \"force\": [0, 0]}], \"obstacles\": [{\"disc\": 0, \"pose\": [9, 0, 0]}]",
         "obstacles[0].disc"},
        {"\"vehicles\": [{\"cage\": 1, \"force\": [0, 0]}], \"h\": -1", "h: -1"},
        {"\"vehicles\": [{\"cage\": 1, \"force\": [0, 0]}], \"time\": \"q\"", "time: column 1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[500];
        sti_document* problem;
        snprintf(text, sizeof text, "{\"kind\": \"navigation\", %s}", bad[i][0]);
        assert_int_equal(sti_document_parse(group_env, text, strlen(text), "nav.json", &problem), STI_ERR_INPUT);
        const char* said = sti_env_error(group_env)->text;
        if (strstr(said, bad[i][1]) == NULL || strncmp(said, "nav.json: ", 10) != 0)
            fail_msg("%s\n  says: %s\n  expected: %s", text, said, bad[i][1]);
    }
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    static const char text[] =
        "{\"kind\": \"navigation\", \"parameters\": {\"u\": 1}, \"vehicles\": [{\"cage\": 0.5, \"force\": [\"u - x'\", "
        "\"-y'\"]}, "
        "{\"cage\": 0.5, \"force\": [\"-u - x'\", \"-y'\"], \"q\": [1, 0]}], \"walls\": [{\"point\": [0, -0.5], "
        "\"normal\": [0, 1]}], "
        "\"obstacles\": [{\"disc\": 1, \"pose\": [9, 0, 0]}]}";
    for (long at = 0;; at++) {
        failing_env f;
        sti_document* problem = NULL;
        sti_navigation_report r;
        failing_env_open(&f, at);
        sti_status status = sti_document_parse(f.env, text, strlen(text), "nav.json", &problem);
        if (status == STI_OK) status = sti_document_set(problem, "u=2");
        if (status == STI_OK) status = sti_navigation_step(sti_navigation_of(problem), &r);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_document_destroy(problem);
        if (failing_env_close(&f)) break;
    }
    static const char crowd[] =
        "{\"kind\": \"navigation\", \"vehicles\": [{\"count\": 16, \"cage\": 0.5, \"force\": [\"2 - x - x'\", \"2 - y "
        "- y'\"], "
        "\"q\": [\"1.0001*floor(i/4)\", \"1.0001*(i - 4*floor(i/4))\"]}, {\"cage\": [[0, 0], [1, 0], [0, 1]], "
        "\"force\": [0, 0], "
        "\"q\": [9, 9]}], \"obstacles\": [{\"polygon\": [[20, 0], [24, 0], [24, 4], [23, 4], [23, 1], [20, 1]]}]}";
    for (long at = 0;; at += at < 100 ? 1 : 7) {
        failing_env f;
        sti_document* problem = NULL;
        sti_navigation_report r = {.outcome = STI_SOLVED};
        failing_env_open(&f, at);
        sti_status status = sti_document_parse(f.env, crowd, strlen(crowd), "nav.json", &problem);
        for (int l = 0; l < 2 && status == STI_OK; l++) status = sti_navigation_step(sti_navigation_of(problem), &r);
        if (status == STI_OK) status = sti_navigation_press(sti_navigation_of(problem), r.contact_count, r.contacts);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        assert_int_equal(r.outcome, STI_SOLVED);
        sti_document_destroy(problem);
        if (failing_env_close(&f)) break;
    }
    for (long at = 0;; at++) {  // without a reader in front
        failing_env f;
        sti_navigation* nav = NULL;
        const sti_vehicle_text one = {.cage = "1", .force = {"0", "0"}};
        const sti_navigation_text whole = {.vehicle_count = 1, .vehicles = &one};
        failing_env_open(&f, at);
        const sti_status status = sti_navigation_create(f.env, &whole, &nav);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_navigation_destroy(nav);
        if (failing_env_close(&f)) break;
    }
    static const char model[] =
        "{\"kind\": \"model\", \"parameters\": {\"a\": 1}, \"definitions\": {\"b\": \"2*a\"}, \"model\": {\"y\": "
        "\"a*t\", \"z\": \"b\"}}";
    for (long at = 0;; at++) {
        failing_env f;
        sti_document* problem = NULL;
        failing_env_open(&f, at);
        const sti_status status = sti_document_parse(f.env, model, strlen(model), "model.json", &problem);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (status == STI_OK) assert_int_equal(sti_system_contact_count(sti_model_of(problem)), 2);
        sti_document_destroy(problem);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vehicle_is_led_as_the_case_says),
        cmocka_unit_test(a_corner_is_a_deadlock_with_balanced_forces),
        cmocka_unit_test(rest_under_a_force_that_changes_is_no_deadlock),
        cmocka_unit_test(no_cage_is_ever_entered),
        cmocka_unit_test(a_crowd_that_jams_keeps_its_laws),
        cmocka_unit_test(a_polygon_slides_past_seams_and_stops_at_the_wall),
        cmocka_unit_test(a_cage_that_just_fits_goes_through),
        cmocka_unit_test(islands_do_not_know_of_each_other),
        cmocka_unit_test(bad_files_are_named),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
