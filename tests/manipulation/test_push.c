// Pushing a peg, S3 2.4: trajectories, modes, forces and jams of the reference cases; closed forms; what does not
// change.
#include "manipulation/peg_scene.h"
#include "support/group_env.h"

static sti_push* push_of(const sti_document* problem) {
    sti_push* p;
    must(group_env, sti_push_create(group_env, sti_manipulation_of(problem), 0, &p));
    return p;
}

// ---- the reference cases

// The contact that a case lists: a tip by its number, a corner of the peg on a wall by its place.
static int contact_of(const sti_push_report* r, const cJSON* c, int tip) {
    for (int i = 0; i < r->contact_count; i++) {
        const sti_push_contact* k = &r->contacts[i];
        if (peg_is_probe(c) != (k->against == STI_PUSH_TIP)) continue;
        if (peg_is_probe(c) && k->other == tip) return i;
        const cJSON* v = cJSON_GetObjectItem(c, "vertex_body");
        static const double corner[4][2] = {{-0.8, -0.4}, {0.8, -0.4}, {0.8, 0.4}, {-0.8, 0.4}};
        if (!peg_is_probe(c) && k->own && corner[k->corner][0] == peg_number(v, 0) &&
            corner[k->corner][1] == peg_number(v, 1))
            return i;
    }
    return -1;  // too far away to be looked at: open
}

static const char* expected_mode(const cJSON* runs, int l) {
    const cJSON* one;
    cJSON_ArrayForEach(one, runs) {
        if (peg_number(one, 1) <= l && l <= peg_number(one, 2)) return cJSON_GetStringValue(cJSON_GetArrayItem(one, 0));
    }
    return NULL;
}

static void check_contacts(const cJSON* item, const sti_push_report* r, int l) {
    const cJSON *expected = cJSON_GetObjectItem(item, "expected"), *c;
    const char* mode = expected_mode(cJSON_GetObjectItem(expected, "mode_runs_[mode,first,last]"), l);
    const cJSON* lambda = cJSON_GetObjectItem(expected, "first_step_lambda_n");
    int i = 0, tip = 0;
    cJSON_ArrayForEach(c, oracle_get(item, "inputs", "contacts")) {
        const int k = contact_of(r, c, tip);
        const char letter = k < 0 ? 'N' : sti_push_mode_letter(r->forces[k].mode);
        if (mode != NULL && letter != mode[i])
            fail_msg("%s step %d contact %d: %c, expected %c", oracle_id(item), l, i, letter, mode[i]);
        if (l == 0) assert_near(k < 0 ? 0 : r->forces[k].lambda_n, peg_number(lambda, i), 1e-8);
        tip += peg_is_probe(c);
        i++;
    }
}

static void check_step(const sti_document* problem, double t, const double* before, const double* after,
                       const sti_push_report* r) {
    sti_push_verification v;
    must(group_env, sti_verify_push(group_env, sti_manipulation_of(problem), t, 0.05, before, after, r, 1e-9, &v));
    if (!v.accepted) fail_msg("%s", v.text);
}

static void follow(const cJSON* item, const sti_document* problem) {
    const cJSON* expected = cJSON_GetObjectItem(item, "expected");
    const char* status = cJSON_GetStringValue(cJSON_GetObjectItem(expected, "status"));
    int jam = 100;
    if (strcmp(status, "ok") != 0) assert_int_equal(sscanf(status, "no solution at step %d", &jam), 1);
    sti_push* p = push_of(problem);
    sti_push_report r;
    double before[3];
    for (int l = 0; l < jam; l++) {
        const double t = sti_push_time(p);
        memcpy(before, sti_push_q(p), sizeof before);
        must(group_env, sti_push_step(p, &r));
        assert_int_equal(r.end, STI_PUSH_MOVED);
        assert_true(r.residual <= 1e-9);
        check_contacts(item, &r, l);
        check_step(problem, t, before, sti_push_q(p), &r);
        char name[16];
        snprintf(name, sizeof name, "%d", l + 1);
        const cJSON* q = cJSON_GetObjectItem(cJSON_GetObjectItem(expected, "q"), name);
        for (int i = 0; q != NULL && i < 3; i++) assert_near(sti_push_q(p)[i], peg_number(q, i), 1e-8);
    }
    if (jam < 100) {
        memcpy(before, sti_push_q(p), sizeof before);
        must(group_env, sti_push_step(p, &r));
        assert_int_equal(r.end, STI_PUSH_STUCK);
        assert_int_equal(r.outcome, STI_NO_SOLUTION);
        assert_non_null(r.jam);
        assert_memory_equal(before, sti_push_q(p), sizeof before);
        assert_int_equal(r.step, jam);
        check_step(problem, sti_push_time(p), before, before, &r);
    }
    sti_push_destroy(p);
}

static void take_one_step(const cJSON* item, const sti_document* problem) {
    const cJSON* expected = cJSON_GetObjectItem(item, "expected");
    sti_push* p = push_of(problem);
    sti_push_report r;
    double before[3];
    memcpy(before, sti_push_q(p), sizeof before);
    must(group_env, sti_push_step(p, &r));
    const bool solution = peg_field(expected, "n_mode_solutions") > 0;
    assert_int_equal(r.outcome, solution ? STI_SOLVED : STI_NO_SOLUTION);
    if (!solution)
        assert_int_equal(r.end, strstr(cJSON_GetStringValue(cJSON_GetObjectItem(item, "title")), "damage") != NULL
                                    ? STI_PUSH_DAMAGE
                                    : STI_PUSH_STUCK);
    const cJSON* hv = cJSON_GetObjectItem(expected, "hv");
    for (int i = 0; solution && i < 3; i++) assert_near(sti_push_v(p)[i] * 0.05, peg_number(hv, i), 1e-9);
    check_step(problem, 0, before, sti_push_q(p), &r);
    sti_push_destroy(p);
}

static void pegs_move_and_jam_as_the_cases_say(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    int seen = 0;
    const cJSON* item;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        const cJSON* contacts = oracle_get(item, "inputs", "contacts");
        if (strncmp(oracle_id(item), "PEG-", 4) != 0 || contacts == NULL) continue;
        peg_text text;
        sti_document* problem = peg_problem(group_env, item, &text);
        if (oracle_get(item, "expected", "status") != NULL)
            follow(item, problem);
        else
            take_one_step(item, problem);
        sti_document_destroy(problem);
        seen++;
    }
    assert_true(seen >= 8);
    cJSON_Delete(root);
}

static void damping_turns_with_the_part(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* item = oracle_find(root, "PEG-15");
    static const char text[] =
        "{\"kind\": \"manipulation\", \"parts\": [{\"disc\": 1, \"support\": {\"points\": [[0.6, 0.1, 1], [-0.4, 0.3, "
        "1.5], [-0.2, -0.3, 0.8]]}}]}";
    sti_document* problem;
    must(group_env, sti_document_parse(group_env, text, strlen(text), "peg", &problem));
    const char* const names[] = {"E(0)", "E(0.5)"};
    for (int k = 0; k < 2; k++) {
        double E[9];
        sti_manipulation_damping(sti_manipulation_of(problem), 0, 0.5 * k, E);
        for (int i = 0; i < 9; i++)
            assert_near(E[i], peg_number(cJSON_GetArrayItem(oracle_get(item, "expected", names[k]), i / 3), i % 3),
                        1e-12);
    }
    sti_document_destroy(problem);
    cJSON_Delete(root);
}

// ---- closed forms

static sti_document* parse(const char* text) {
    sti_document* problem;
    must(group_env, sti_document_parse(group_env, text, strlen(text), "scene", &problem));
    return problem;
}

static void damping_of(const char* shape, const char* pressure, double E[9]) {
    char text[800];
    snprintf(
        text, sizeof text,
        "{\"kind\": \"manipulation\", \"parameters\": {\"c\": 2}, \"parts\": [{%s, \"support\": {\"pressure\": %s}}]}",
        shape, pressure);
    sti_document* problem = parse(text);
    sti_manipulation_damping(sti_manipulation_of(problem), 0, 0, E);
    sti_document_destroy(problem);
}

static void same_damping(const double E[9], double a, double b, double d, double cx, double cy, double J) {
    const double expected[9] = {a, b, -cy, b, d, cx, -cy, cx, J};
    for (int i = 0; i < 9; i++) assert_near(E[i], expected[i], 1e-13);
}

// c = 2 on a rectangle of 1.6 x 0.8; x^2 on it; c on an L of area 3 about its corner; 1 + y^2 on a disc.
static void pressure_is_integrated_exactly(void** state) {
    (void)state;
    double E[9];
    const char* const box = "\"polygon\": [[-0.8, -0.4], [0.8, -0.4], [0.8, 0.4], [-0.8, 0.4]]";
    damping_of(box, "\"c\"", E);
    same_damping(E, 2.56, 0, 2.56, 0, 0, 2.56 * (1.6 * 1.6 + 0.8 * 0.8) / 12);
    damping_of(box, "\"x^2\"", E);
    const double x2 = 0.8 * 2 * 0.512 / 3, x4 = 0.8 * 2 * 0.32768 / 5, y2 = 2 * 0.064 / 3;
    same_damping(E, x2, 0, x2, 0, 0, x4 + 2 * 0.512 / 3 * y2);
    damping_of(box, "\"1 + x\"", E);
    same_damping(E, 1.28, 0, 1.28, x2, 0, 1.28 * (1.6 * 1.6 + 0.8 * 0.8) / 12);
    damping_of("\"polygon\": [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]", "1", E);
    same_damping(E, 3, 0, 3, 2.5, 2.5, 2 * (8.0 / 3 + 1.0 / 3));
    damping_of("\"disc\": 0.5", "\"1 + y^2\"", E);
    const double A = M_PI / 4, I = M_PI / 64;
    same_damping(E, A + I, 0, A + I, 0, 0, 2 * I + M_PI * pow(0.5, 6) / 6);
}

// A tip in the middle of a disc moves it along; off the middle, a disc of uniform damping c turns under a sticking tip:
// the closed form of one step with E = diag(C, C, J), tip at r = (-R cos f, R sin f) moving along x.
static void a_disc_moves_as_statics_says(void** state) {
    (void)state;
    char text[800];
    const double f = 0.2, R = 0.5;
    snprintf(text, sizeof text,
             "{\"kind\": \"manipulation\", \"mu\": 5, \"h\": 0.01, \"parts\": [{\"disc\": %g, \"support\": {\"E\": "
             "[[2, 0, 0], "
             "[0, 2, 0], [0, 0, 0.3]]}}], \"probes\": [{\"tips\": [[%.17g, %.17g]], \"direction\": [2, 0], \"speed\": "
             "0.1}]}",
             R, -R * cos(f), R * sin(f));
    sti_document* problem = parse(text);
    sti_push* p = push_of(problem);
    sti_push_report r;
    must(group_env, sti_push_step(p, &r));
    assert_int_equal(r.end, STI_PUSH_MOVED);
    assert_int_equal(r.forces[0].mode, STI_PUSH_STICK);
    // force F on the part at the tip with C v = F, J w = r x F, and the point at the tip moves with (0.1, 0)
    const double x = -R * cos(f), y = R * sin(f), C = 2, J = 0.3;
    const double a = 1 / C + y * y / J, b = -x * y / J, d = 1 / C + x * x / J, det = a * d - b * b;
    const double Fx = 0.1 * d / det, Fy = -0.1 * b / det;
    assert_near(sti_push_v(p)[0], Fx / C, 1e-12);
    assert_near(sti_push_v(p)[1], Fy / C, 1e-12);
    assert_near(sti_push_v(p)[2], (x * Fy - y * Fx) / J, 1e-12);
    assert_near(r.dissipation, 0.01 * 0.1 * Fx, 1e-12);  // what the probe does, the support takes
    sti_push_destroy(p);
    sti_document_destroy(problem);
}

static void parts_pass_the_push_on(void** state) {
    (void)state;
    sti_document* problem = parse(
        "{\"kind\": \"manipulation\", \"mu\": 0.2, \"h\": 0.01, \"steps\": 50, \"parts\": [{\"name\": \"a\", \"disc\": "
        "0.5, "
        "\"support\": {\"E\": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}, {\"name\": \"b\", \"polygon\": [[-0.5, -0.5], [0.5, "
        "-0.5], "
        "[0.5, 0.5], [-0.5, 0.5]], \"pose\": [1.2, 0, 0], \"support\": {\"E\": [[3, 0, 0], [0, 3, 0], [0, 0, 1]]}}], "
        "\"probes\": [{\"tips\": [[-0.5, 0]], \"direction\": 0, \"speed\": 1}]}");
    sti_push* p = push_of(problem);
    sti_push_report r;
    for (int l = 0; l < 50; l++) {
        double before[6];
        memcpy(before, sti_push_q(p), sizeof before);
        must(group_env, sti_push_step(p, &r));
        assert_int_equal(r.end, STI_PUSH_MOVED);
        sti_push_verification v;
        must(group_env, sti_verify_push(group_env, sti_manipulation_of(problem), 0.01 * l, 0.01, before, sti_push_q(p),
                                        &r, 1e-9, &v));
        if (!v.accepted) fail_msg("step %d: %s", l, v.text);
    }
    assert_near(sti_push_q(p)[0], 0.5, 1e-12);
    assert_near(sti_push_q(p)[3], 1.5, 1e-12);
    assert_near(r.forces[0].lambda_n, 4, 1e-9);  // both parts
    for (int i = 0; i < r.contact_count; i++) {
        if (r.contacts[i].against == STI_PUSH_PART && r.forces[i].mode != STI_PUSH_OPEN)
            assert_near(r.forces[i].lambda_n, 3, 1e-9);
    }
    sti_push_destroy(p);
    sti_document_destroy(problem);
}

// A tip that slides over an L feels no seam where a convex piece of it would end.
static void a_tip_slides_over_a_nonconvex_part(void** state) {
    (void)state;
    sti_document* problem = parse(
        "{\"kind\": \"manipulation\", \"mu\": 0, \"h\": 0.01, \"parts\": [{\"polygon\": [[0, 0], [2, 0], [2, 1], [1, "
        "1], [1, 2], "
        "[0, 2]], \"support\": {\"pressure\": 1}}], \"probes\": [{\"tips\": [[0, 0.2]], \"direction\": [0, 1], "
        "\"speed\": 1}]}");
    sti_push* p = push_of(problem);
    sti_push_report r;
    for (int l = 0; l < 150; l++) must(group_env, sti_push_step(p, &r));
    for (int i = 0; i < 3; i++) assert_near(sti_push_q(p)[i], 0, 1e-12);
    sti_push_destroy(p);
    sti_document_destroy(problem);
    // in the notch it has two sides
    problem = parse(
        "{\"kind\": \"manipulation\", \"mu\": 0, \"h\": 0.01, \"parts\": [{\"polygon\": [[0, 0], [2, 0], [2, 1], [1, "
        "1], [1, 2], "
        "[0, 2]], \"support\": {\"pressure\": 1}}], \"probes\": [{\"tips\": [[1, 1]], \"direction\": [-1, -1], "
        "\"speed\": 1}]}");
    p = push_of(problem);
    must(group_env, sti_push_step(p, &r));
    assert_int_equal(r.contact_count, 2);
    assert_true(r.forces[0].lambda_n > 0 && r.forces[1].lambda_n > 0);
    sti_push_destroy(p);
    sti_document_destroy(problem);
}

static void a_probe_stops_after_its_duration(void** state) {
    (void)state;
    sti_document* problem = parse(
        "{\"kind\": \"manipulation\", \"h\": 0.01, \"parts\": [{\"disc\": 1, \"support\": {\"pressure\": 1}}], "
        "\"probes\": "
        "[{\"tips\": [[-1, 0]], \"direction\": 0, \"speed\": 2, \"begin\": 0.1, \"duration\": 0.3}]}");
    sti_push* p = push_of(problem);
    for (int l = 0; l < 100; l++) must(group_env, sti_push_step(p, NULL));
    assert_near(sti_push_q(p)[0], 0.6, 1e-9);
    sti_push_destroy(p);
    sti_document_destroy(problem);
    problem = parse(
        "{\"kind\": \"manipulation\", \"h\": 0.01, \"parts\": [{\"disc\": 1, \"support\": {\"pressure\": 1}}], "
        "\"probes\": "
        "[{\"tips\": [[-1, 0]], \"path\": [\"0.2*t^2\", 0]}]}");
    p = push_of(problem);
    for (int l = 0; l < 100; l++) must(group_env, sti_push_step(p, NULL));
    // the part follows with the speed at the start of each step, and gaps are mended in the next
    assert_near(sti_push_q(p)[0], 0.2, 0.2 * 0.01 * 0.01 + 1e-9);
    sti_push_destroy(p);
    sti_document_destroy(problem);
}

// ---- what changes nothing

typedef struct variant {
    double angle, dx, dy;  // the whole scene turned and moved
    double scale;          // of lengths and speeds
    double damping;        // factor on E
    bool clockwise;
} variant;

static sti_document* varied(const variant* v) {
    peg_text p = {.size = 0};
    const double c = v->scale * cos(v->angle), s = v->scale * sin(v->angle), k = v->damping;
    const double tips[3][3] = {{-0.8, 0.3, 0.02}, {-0.8, 0.1, 0.02}, {0.8, -0.3, 0}};
    const double a = 0.8 * v->scale, b = 0.4 * v->scale, e = v->scale;
    peg_put(&p, "{\"kind\": \"manipulation\", \"mu\": 0.02, \"h\": 0.05, \"parts\": [{\"polygon\": ");
    if (v->clockwise)
        peg_put(&p, "[[%.17g, %.17g], [%.17g, %.17g], [%.17g, %.17g], [%.17g, %.17g]]", -a, b, a, b, a, -b, -a, -b);
    else
        peg_put(&p, "[[%.17g, %.17g], [%.17g, %.17g], [%.17g, %.17g], [%.17g, %.17g]]", -a, -b, a, -b, a, b, -a, b);
    peg_put(&p,
            ", \"pose\": [%.17g, %.17g, %.17g], \"support\": {\"points\": [[%.17g, %.17g, %g], [%.17g, %.17g, %g], "
            "[%.17g, %.17g, %g]]}}], \"probes\": [",
            v->dx, v->dy, v->angle, 0.6 * e, 0.1 * e, k, -0.4 * e, 0.3 * e, 1.5 * k, -0.2 * e, -0.3 * e, 0.8 * k);
    for (int i = 0; i < 3; i++)
        peg_put(&p, "%s{\"tips\": [[%.17g, %.17g]], \"direction\": %.17g, \"speed\": %.17g}", i > 0 ? ", " : "",
                v->dx + c * tips[i][0] - s * tips[i][1], v->dy + s * tips[i][0] + c * tips[i][1], v->angle,
                tips[i][2] * v->scale);
    peg_put(&p, "]}");
    return parse(p.text);
}

static void the_frame_the_units_and_the_damping_do_not_matter(void** state) {
    (void)state;
    static const variant variants[] = {{0, 0, 0, 1, 1, false},    {0, 0, 0, 1, 1, true},
                                       {0.7, 3, -2, 1, 1, false}, {0, 0, 0, 1e-3, 1, false},
                                       {0, 0, 0, 1, 4e-7, false}, {-2.1, 0.01, 0, 1e-3, 12, true}};
    double first[3] = {0};
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        const variant* v = &variants[i];
        sti_document* problem = varied(v);
        sti_push* p = push_of(problem);
        for (int l = 0; l < 40; l++) {
            sti_push_report r;
            must(group_env, sti_push_step(p, &r));
            assert_int_equal(r.end, STI_PUSH_MOVED);
        }
        const double *q = sti_push_q(p), x = (q[0] - v->dx) / v->scale, y = (q[1] - v->dy) / v->scale;
        const double own[3] = {cos(v->angle) * x + sin(v->angle) * y, -sin(v->angle) * x + cos(v->angle) * y,
                               q[2] - v->angle};
        if (i == 0) memcpy(first, own, sizeof first);
        for (int k = 0; k < 3; k++) assert_near(own[k], first[k], 1e-9);
        sti_push_destroy(p);
        sti_document_destroy(problem);
    }
}

// ---- a report that was tampered with is refused

static void refused(const sti_document* problem, const double* before, const double* after, const sti_push_report* r,
                    const char* word) {
    sti_push_verification v;
    must(group_env, sti_verify_push(group_env, sti_manipulation_of(problem), 0, 0.05, before, after, r, 1e-9, &v));
    if (v.accepted || strstr(v.text, word) == NULL) fail_msg("%d: %s: \"%s\" expected", v.accepted, v.text, word);
}

static void false_reports_are_refused(void** state) {
    (void)state;
    static const char scene[] =
        "{\"kind\": \"manipulation\", \"mu\": 0.3, \"h\": 0.05, \"parts\": [{\"polygon\": [[-0.8, -0.4], [0.8, -0.4], "
        "[0.8, "
        "0.4], [-0.8, 0.4]], \"support\": {\"pressure\": 1}}], \"probes\": [{\"tips\": [[-0.8, 0.2]], \"direction\": "
        "0, "
        "\"speed\": 0.1}]}";
    sti_document* problem = parse(scene);
    sti_push* p = push_of(problem);
    sti_push_report r;
    double before[3] = {0}, after[3];
    must(group_env, sti_push_step(p, &r));
    memcpy(after, sti_push_q(p), sizeof after);
    check_step(problem, 0, before, after, &r);
    sti_push_contact contact = r.contacts[0];
    sti_push_force force = r.forces[0];
    sti_push_report lie = r;
    lie.contacts = &contact;
    lie.forces = &force;
    force.lambda_n *= 1.001;
    refused(problem, before, after, &lie, "balance");
    force = r.forces[0];
    contact.gap = 0.01;
    refused(problem, before, after, &lie, "gap");
    contact = r.contacts[0];
    contact.n[1] = 0.1;
    refused(problem, before, after, &lie, "normal");
    contact = r.contacts[0];
    contact.face = 7;
    refused(problem, before, after, &lie, "normal");
    contact = r.contacts[0];
    force.mode = STI_PUSH_SLIDE_LEFT;
    refused(problem, before, after, &lie, "mode");
    force = r.forces[0];
    lie.contact_count = 0;  // it moves by itself
    refused(problem, before, after, &lie, "balance");
    refused(problem, before, before, &lie, "overlaps");
    lie.end = STI_PUSH_UNKNOWN;
    refused(problem, before, before, &lie, "nothing");
    lie = r;
    lie.end = STI_PUSH_STUCK;
    refused(problem, before, before, &lie, "certificate");
    sti_push_destroy(p);
    sti_document_destroy(problem);
}

// What a step does solves the problem that is posed for it, and where there is no step that has no solution.
static void the_posed_problem_is_that_of_the_last_step(void** state) {
    (void)state;
    static const char scene[] =
        "{\"kind\": \"manipulation\", \"mu\": 0.1, \"h\": 0.05, \"parts\": [{\"polygon\": [[-0.8, -0.4], [0.8, -0.4], "
        "[0.8, 0.4], [-0.8, 0.4]], \"support\": {\"pressure\": \"1 + x/2\"}}], \"fixtures\": [{\"polygon\": [[0.85, "
        "-2], "
        "[2, -2], [2, 2], [0.85, 2]]}], \"probes\": [{\"tips\": [[-0.8, 0.1]], \"direction\": 0.1, \"speed\": 0.1}]}";
    sti_document* problem = parse(scene);
    sti_push* p = push_of(problem);
    for (int l = 0;; l++) {
        assert_true(l < 100);
        sti_push_problem posed;
        sti_push_report r;
        sti_lcp_answer answer;
        double u[3], worst = 0;
        memcpy(u, sti_push_q(p), sizeof u);
        must(group_env, sti_push_step(p, &r));
        must(group_env, sti_push_pose(group_env, p, &posed));
        if (r.end != STI_PUSH_MOVED) {
            must(group_env, sti_mlcp_solve(group_env, &posed.mlcp, NULL, &answer));
            assert_int_equal(answer.outcome, STI_NO_SOLUTION);
            sti_lcp_answer_clear(group_env, &answer);
            sti_push_problem_clear(group_env, &posed);
            break;
        }
        assert_int_equal(posed.contact_count, r.contact_count);
        for (int i = 0; i < 3; i++) u[i] = sti_push_q(p)[i] - u[i];
        const size_t nc = (size_t)posed.contact_count, m = 4 * nc;
        const double* D = posed.mlcp.D.dense;
        for (size_t i = 0; i < nc; i++) {
            double opening = posed.mlcp.b[i], slip = posed.mlcp.b[nc + 2 * i];
            for (size_t j = 0; j < 3; j++) {
                opening += D[3 * i + j] * u[j];
                slip += D[3 * (nc + 2 * i) + j] * u[j];
            }
            worst = fmax(worst, fmax(fabs(opening - r.forces[i].opening), fabs(slip - r.forces[i].slip)));
        }
        assert_int_equal((int)m, posed.mlcp.m);
        assert_near(worst, 0, 1e-12);
        sti_push_problem_clear(group_env, &posed);
    }
    sti_push_destroy(p);
    sti_document_destroy(problem);
}

// A pose far from 0 cannot hold a motion of 1e-17: what rounding takes from it is no force.
static void a_motion_lost_in_rounding_is_in_balance(void** state) {
    (void)state;
    static const char scene[] =
        "{\"kind\": \"manipulation\", \"h\": 0.05, \"parts\": [{\"disc\": 0.5, \"pose\": [3, 0.7, 1], \"support\": "
        "{\"points\": "
        "[[0.4, 0.1, 2], [-0.3, 0.2, 1]]}}], \"probes\": [{\"tips\": [[2.5, 0.7]], \"direction\": 0, \"speed\": "
        "3e-15, \"mu\": 0.2}]}";
    sti_document* problem = parse(scene);
    sti_push* p = push_of(problem);
    for (int l = 0; l < 5; l++) {
        sti_push_report r;
        double before[3];
        memcpy(before, sti_push_q(p), sizeof before);
        must(group_env, sti_push_step(p, &r));
        assert_int_equal(r.end, STI_PUSH_MOVED);
        check_step(problem, l * 0.05, before, sti_push_q(p), &r);
    }
    sti_push_destroy(p);
    sti_document_destroy(problem);
}

static void false_jams_are_refused(void** state) {
    (void)state;
    sti_document* problem;
    char path[400];
    snprintf(path, sizeof path, "%s/scenes/peg-damage.json", STI_SOURCE_DIR);
    must(group_env, sti_document_load(group_env, path, &problem));
    sti_push* p = push_of(problem);
    sti_push_report r;
    const double q[3] = {0};
    must(group_env, sti_push_step(p, &r));
    assert_int_equal(r.end, STI_PUSH_DAMAGE);
    check_step(problem, 0, q, q, &r);
    sti_push_report lie = r;
    lie.end = STI_PUSH_STUCK;
    refused(problem, q, q, &lie, "only tips that move");
    lie = r;
    lie.jam = NULL;
    refused(problem, q, q, &lie, "without the forces");
    double normal[2] = {r.jam->normal[0] + 0.01, r.jam->normal[1] - 0.01};
    sti_push_jam jam = *r.jam;
    jam.normal = normal;
    lie = r;
    lie.jam = &jam;
    refused(problem, q, q, &lie, "wrenches");
    double left[2] = {1, 1};
    jam = *r.jam;
    jam.left = left;
    refused(problem, q, q, &lie, "cone of friction");
    // a certificate of another problem: the probes stand farther apart, and the peg turns
    must(group_env, sti_manipulation_set(sti_manipulation_of(problem), 1, (const char*[]){"d"}, (const double[]){0.3}));
    lie = r;
    refused(problem, q, q, &lie, "contact 0");
    sti_push_destroy(p);
    sti_document_destroy(problem);
}

// Errata 15: figure 2.8 (b) jams if and only if d_v / L_w <= mu.
static void opposing_probes_jam_exactly_up_to_mu(void** state) {
    (void)state;
    char path[400];
    snprintf(path, sizeof path, "%s/scenes/peg-damage.json", STI_SOURCE_DIR);
    for (int k = 0; k < 12; k++) {
        const double mu = 0.1 + 0.1 * (k / 2), d = 0.4 * mu * (k % 2 == 0 ? 0.99 : 1.01);
        sti_document* problem;
        must(group_env, sti_document_load(group_env, path, &problem));
        must(group_env, sti_manipulation_set(sti_manipulation_of(problem), 2, (const char*[]){"d", "mu"},
                                             (const double[]){d, mu}));
        sti_push* p = push_of(problem);
        sti_push_report r;
        must(group_env, sti_push_step(p, &r));
        assert_int_equal(r.end, k % 2 == 0 ? STI_PUSH_DAMAGE : STI_PUSH_MOVED);
        sti_push_destroy(p);
        sti_document_destroy(problem);
    }
}

// ---- contacts that are held

// The frozen system has the gaps, wrenches and damping of the scene, for corners, vertices, discs and parts on parts.
static void a_frozen_scene_is_the_scene(void** state) {
    (void)state;
    static const char* const scenes[] = {
        "{\"kind\": \"manipulation\", \"mu\": 0.3, \"h\": 0.05, \"parts\": [{\"polygon\": [[-0.8, -0.4], [0.8, -0.4], "
        "[0.8, "
        "0.4], [-0.8, 0.4]], \"pose\": [0, 0, 0.1], \"support\": {\"pressure\": \"2 + x + y\"}}, {\"disc\": 0.3, "
        "\"pose\": "
        "[1.3, 0.1, 0.2], \"support\": {\"E\": [[1, 0.1, 0.2], [0.1, 2, 0.1], [0.2, 0.1, 1]]}}], \"probes\": "
        "[{\"tips\": "
        "[[-1, 0.2], [-1, -0.4]], \"radius\": 0.05, \"direction\": 0.2, \"speed\": 0.1}], \"fixtures\": [{\"polygon\": "
        "[[-2, -2], [2, -2], [2, -0.7], [-2, -0.8]]}, {\"disc\": 0.5, \"pose\": [0.2, 1.2, 0]}]}",
        "{\"kind\": \"manipulation\", \"mu\": 0.3, \"h\": 0.05, \"parts\": [{\"polygon\": [[-0.8, -0.4], [0.8, -0.4], "
        "[0.8, "
        "0.4], [-0.8, 0.4]], \"support\": {\"pressure\": 1}}, {\"polygon\": [[0, 0], [1, 1], [0, 2]], \"pose\": [0.9, "
        "0.5, 0.3], \"support\": {\"pressure\": 1}}]}"};
    for (size_t k = 0; k < 2; k++) {
        sti_document* problem = parse(scenes[k]);
        const sti_manipulation* m = sti_manipulation_of(problem);
        double q[6], zero[6] = {0}, E[9], k_v[36];
        sti_manipulation_start(m, q);
        sti_system* system;
        sti_instant* instant;
        sti_push_contact* c;
        int count;
        must(group_env, sti_manipulation_freeze(m, q, 2, 10, &system));
        must(group_env, sti_manipulation_contacts(m, 0, q, 2, &c, &count));
        must(group_env, sti_system_instant(group_env, system, 0, q, zero, &instant));
        assert_int_equal(instant->contact_count, count);
        assert_true(count >= (k == 0 ? 6 : 1));
        for (int i = 0; i < count; i++) {
            const sti_instant_contact* at = &instant->contacts[i];
            const double t[2] = {-c[i].n[1], c[i].n[0]};
            assert_near(at->gap, c[i].gap, 1e-12);
            assert_near(at->n_offset, c[i].rate_n, 1e-12);
            assert_near(at->t_offset[0], c[i].rate_t, 1e-12);
            assert_near(at->mu, c[i].mu, 0);
            for (int part = 0; part < 2; part++) {
                const double sign = part == c[i].part                                     ? 1
                                    : c[i].against == STI_PUSH_PART && part == c[i].other ? -1
                                                                                          : 0;
                const double x = c[i].point[0] - q[3 * part], y = c[i].point[1] - q[3 * part + 1];
                const double rows[2][3] = {{c[i].n[0], c[i].n[1], x * c[i].n[1] - y * c[i].n[0]},
                                           {t[0], t[1], x * t[1] - y * t[0]}};
                for (int j = 0; j < 3; j++) {
                    assert_near(at->n[3 * part + j], sign * rows[0][j], 1e-12);
                    assert_near(at->t[3 * part + j], sign * rows[1][j], 1e-12);
                }
            }
        }
        must(group_env, sti_system_force(system, 0, q, zero, NULL, NULL, k_v));
        for (int part = 0; part < 2; part++) {
            sti_manipulation_damping(m, part, q[3 * part + 2], E);
            for (int j = 0; j < 9; j++) assert_near(-k_v[6 * (3 * part + j / 3) + 3 * part + j % 3], E[j], 1e-12);
        }
        sti_instant_destroy(group_env, instant);
        sti_env_free(group_env, c);
        sti_system_destroy(system);
        sti_document_destroy(problem);
    }
}

// ---- bad input, failing allocations

static void bad_scenes_are_named(void** state) {
    (void)state;
    static const char* const bad[][2] = {
        {"\"parts\": []", "parts: at least one"},
        {"\"parts\": [{\"disc\": 1}]", "parts[0].support"},
        {"\"parts\": [{\"disc\": 1, \"support\": {}}]", "parts[0].support: one of"},
        {"\"parts\": [{\"disc\": -1, \"support\": {\"pressure\": 1}}]", "parts[0].disc: a radius above 0"},
        {"\"parts\": [{\"support\": {\"pressure\": 1}}]", "\"polygon\" or \"disc\" is expected"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"E\": [[1, 0, 0], [0, -1, 0], [0, 0, 1]]}}]",
         "not positive definite"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"E\": [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}}]", "E is not symmetric"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"E\": [[1, 0], [0, 1]]}}]", "parts[0].support.E[0]"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"points\": [[0, 0, 1]]}}]", "two points apart"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"pressure\": \"sin(x)\"}}]", "a polynomial of x and y"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"pressure\": \"1 + z\"}}]", "parts[0].support.pressure: column 5"},
        {"\"parts\": [{\"polygon\": [[0, 0], [1, 1], [1, 0], [0, 1]], \"support\": {\"pressure\": 1}}]",
         "crosses itself"},
        {"\"parts\": [{\"polygon\": [[0, 0], [1, 1]], \"support\": {\"pressure\": 1}}]", "2 vertices"},
        {"\"parts\": [{\"polygon\": [[0, 0], [1, 0], [2, 0]], \"support\": {\"pressure\": 1}}]", "parts[0].polygon"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"pressure\": 1}, \"pose\": [0, 0]}]",
         "parts[0].pose: a list of 2: a list of 3"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"pressure\": 1}, \"pose\": [\"t\", 0, 0]}]", "depends on t"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"pressure\": 1}}], \"fixtures\": [{\"polygon\": [[0.5, -1], [2, "
         "-1], [2, 1], "
         "[0.5, 1]]}]",
         "\"part 1\" overlaps fixture \"fixture 1\" by 0.5"},
        {"\"parts\": [{\"polygon\": [[-4, -0.1], [4, -0.1], [4, 0.1], [-4, 0.1]], \"support\": {\"pressure\": 1}}], "
         "\"fixtures\": "
         "[{\"polygon\": [[-0.1, -4], [0.1, -4], [0.1, 4], [-0.1, 4]]}]",
         "overlaps fixture"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"pressure\": 1}}, {\"disc\": 1, \"support\": {\"pressure\": 1}}]",
         "\"part 2\" overlaps \"part 1\" by"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"pressure\": 1}}], \"probes\": [{\"tips\": [[0.5, 0]], \"active\": "
         "false}]",
         "probes[0].tips[0]: [0.5, 0]: inside \"part 1\", by 0.5"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"pressure\": 1}}], \"probes\": [{\"tips\": [[2, 0]]}]",
         "\"direction\" and \"speed\" are expected"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"pressure\": 1}}], \"probes\": [{\"direction\": 0, \"speed\": 1}]",
         "probes[0].tips"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"pressure\": 1}}], \"probes\": [{\"tips\": [[2, 0]], \"direction\": "
         "[0, 0], "
         "\"speed\": 1}]",
         "probes[0].direction: a vector other than 0"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"pressure\": 1}}], \"probes\": [{\"tips\": [[2, 0]], \"active\": "
         "false, "
         "\"speed\": 1}]",
         "not active, and yet it has a speed"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"pressure\": 1}}], \"probes\": [{\"tips\": [[2, 0]], \"colour\": "
         "1}]",
         "colour"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"pressure\": 1}}], \"friction\": [{\"between\": [\"part 1\", "
         "\"wall\"], "
         "\"mu\": 1}]",
         "friction[0].between[1]: \"wall\": no such"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"pressure\": 1}}], \"probes\": [{\"tips\": [[2, 0]], \"active\": "
         "false}], \"mu\": -1",
         "mu: -1 between"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"pressure\": 1}}], \"h\": 0", "h: 0: above 0"},
        {"\"parts\": [{\"disc\": 1, \"support\": {\"pressure\": 1}}], \"steps\": 1.5", "steps: 1.5"},
        {"\"parts\": [{\"name\": \"a\", \"disc\": 1, \"support\": {\"pressure\": 1}}], \"fixtures\": [{\"name\": "
         "\"a\", \"disc\": 1, "
         "\"pose\": [5, 0, 0]}]",
         "two things have it"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[1200];
        sti_document* problem;
        snprintf(text, sizeof text, "{\"kind\": \"manipulation\", %s}", bad[i][0]);
        assert_int_equal(sti_document_parse(group_env, text, strlen(text), "file.json", &problem), STI_ERR_INPUT);
        const char* said = sti_env_error(group_env)->text;
        if (strstr(said, bad[i][1]) == NULL || strncmp(said, "file.json: ", 11) != 0 || strchr(said, '\n') != NULL)
            fail_msg("%s\n  says: %s\n  expected: %s", text, said, bad[i][1]);
    }
}

static void setting_a_parameter_is_all_or_nothing(void** state) {
    (void)state;
    char path[400];
    sti_document* problem;
    snprintf(path, sizeof path, "%s/scenes/peg-push.json", STI_SOURCE_DIR);
    must(group_env, sti_document_load(group_env, path, &problem));
    sti_manipulation* m = sti_manipulation_of(problem);
    double E[9], other[9];
    sti_manipulation_damping(m, 0, 0, E);
    assert_int_equal(sti_manipulation_set(m, 2, (const char*[]){"mu", "rho"}, (const double[]){0.1, 0}), STI_ERR_INPUT);
    assert_int_equal(sti_manipulation_set(m, 1, (const char*[]){"nu"}, (const double[]){0.1}), STI_ERR_INPUT);
    sti_manipulation_damping(m, 0, 0, other);
    assert_memory_equal(E, other, sizeof E);
    assert_near(sti_manipulation_parameter_value(m, 0), 0.3, 0);
    must(group_env, sti_document_set(problem, "rho=0.5,mu=1/5"));
    sti_manipulation_damping(m, 0, 0, other);
    assert_near(other[8], 0.75, 1e-15);
    assert_int_equal(sti_document_set(problem, "rho=x"), STI_ERR_INPUT);
    sti_document_destroy(problem);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    static const char text[] =
        "{\"kind\": \"manipulation\", \"parameters\": {\"c\": 1}, \"definitions\": {\"d\": \"2*c\"}, \"parts\": "
        "[{\"polygon\": "
        "[[-0.8, -0.4], [0.8, -0.4], [0.8, 0.4], [-0.8, 0.4]], \"support\": {\"pressure\": \"c + x^2\"}}], "
        "\"fixtures\": "
        "[{\"polygon\": [[-2, -1], [2, -1], [2, -0.4], [-2, -0.4]]}], \"probes\": [{\"tips\": [[0, 0.4]], "
        "\"direction\": "
        "\"-pi/2\", \"speed\": 0.1}], \"friction\": [{\"between\": [\"part 1\", \"probe 1\"], \"mu\": 0.2}]}";
    for (long at = 0;; at++) {
        failing_env f;
        sti_document* problem = NULL;
        sti_push* p = NULL;
        sti_push_report r;
        sti_push_verification v;
        const double q[3] = {0};
        failing_env_open(&f, at);
        sti_status status = sti_document_parse(f.env, text, strlen(text), "scene", &problem);
        sti_manipulation* m = status == STI_OK ? sti_manipulation_of(problem) : NULL;
        if (status == STI_OK) status = sti_manipulation_set(m, 1, (const char*[]){"c"}, (const double[]){2});
        sti_push_contact* contacts = NULL;
        int count;
        if (status == STI_OK) status = sti_manipulation_contacts(m, 0, q, 0.1, &contacts, &count);
        sti_env_free(f.env, contacts);
        sti_system* system = NULL;
        if (status == STI_OK) status = sti_manipulation_freeze(m, q, 0.1, 1, &system);
        sti_system_destroy(system);
        if (status == STI_OK) status = sti_push_create(f.env, m, 0.05, &p);
        sti_push_problem posed = {0};
        if (status == STI_OK) status = sti_push_pose(f.env, p, &posed);
        sti_push_problem_clear(f.env, &posed);
        if (status == STI_OK) status = sti_push_step(p, &r);
        if (status == STI_OK) status = sti_verify_push(f.env, m, 0, 0.05, q, q, &r, 1e-9, &v);
        if (status == STI_OK) assert_true(v.accepted);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_push_destroy(p);
        sti_document_destroy(problem);
        if (failing_env_close(&f)) break;
    }
    for (long at = 0;; at++) {  // without a reader in front
        failing_env f;
        sti_manipulation* m = NULL;
        const sti_part_text part = {.outline = {.radius = "1"}, .support = {.pressure = "1"}};
        const sti_manipulation_text scene = {.part_count = 1, .parts = &part};
        failing_env_open(&f, at);
        const sti_status status = sti_manipulation_create(f.env, &scene, &m);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_manipulation_destroy(m);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pegs_move_and_jam_as_the_cases_say),
        cmocka_unit_test(damping_turns_with_the_part),
        cmocka_unit_test(pressure_is_integrated_exactly),
        cmocka_unit_test(a_disc_moves_as_statics_says),
        cmocka_unit_test(parts_pass_the_push_on),
        cmocka_unit_test(a_tip_slides_over_a_nonconvex_part),
        cmocka_unit_test(a_probe_stops_after_its_duration),
        cmocka_unit_test(the_frame_the_units_and_the_damping_do_not_matter),
        cmocka_unit_test(false_reports_are_refused),
        cmocka_unit_test(the_posed_problem_is_that_of_the_last_step),
        cmocka_unit_test(a_motion_lost_in_rounding_is_in_balance),
        cmocka_unit_test(false_jams_are_refused),
        cmocka_unit_test(opposing_probes_jam_exactly_up_to_mu),
        cmocka_unit_test(a_frozen_scene_is_the_scene),
        cmocka_unit_test(bad_scenes_are_named),
        cmocka_unit_test(setting_a_parameter_is_all_or_nothing),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
