// Quasi-static pushing of a peg, S3 2.4: trajectories, modes, jams and robust controls of the reference cases.
#include "step/step_tools.h"

enum { MAX_CONTACTS = 4, TEXT = 800 };

// The formulas of one case.
typedef struct peg {
    char gap[MAX_CONTACTS][TEXT], slip[MAX_CONTACTS][TEXT], mu[MAX_CONTACTS][40], force[3][TEXT], start[3][40];
    const char* slips[MAX_CONTACTS][1];
    const char *forces[3], *starts[3];
    sti_system_contact_text contacts[MAX_CONTACTS];
    sti_system_text text;
} peg;

static const cJSON* support_of(const cJSON* item, const cJSON** c) {
    *c = oracle_get(item, "inputs", "support_coefficients");
    return oracle_get(item, "inputs", "support_points_body");
}

// E of the three-point support as forces; centred unit support where the case has none.
static void write_forces(peg* p, const cJSON* points, const cJSON* c) {
    const double px[3] = {0.4, -0.2, -0.2}, py[3] = {0, 0.34641016151377546, -0.34641016151377546};
    double sum = 0, sx = 0, sy = 0, inertia = 0;
    for (int i = 0; i < 3; i++) {
        const cJSON* point = cJSON_GetArrayItem(points, i);
        const double w = c != NULL ? number_at(c, i) : 1;
        const double x = point != NULL ? number_at(point, 0) : px[i], y = point != NULL ? number_at(point, 1) : py[i];
        sum += w;
        sx += w * x;
        sy += w * y;
        inertia += w * (x * x + y * y);
    }
    char cx[120], cy[120];  // sum c_i R p_i
    snprintf(cx, sizeof cx, "(%.17g*cos(th) - %.17g*sin(th))", sx, sy);
    snprintf(cy, sizeof cy, "(%.17g*sin(th) + %.17g*cos(th))", sx, sy);
    snprintf(p->force[0], TEXT, "-(%.17g*x' - %s*th')", sum, cy);
    snprintf(p->force[1], TEXT, "-(%.17g*y' + %s*th')", sum, cx);
    snprintf(p->force[2], TEXT, "-(-%s*x' + %s*y' + %.17g*th')", cy, cx, inertia);
}

static void write_slip(char* to, const char* nx, const char* ny, const char* rx, const char* ry, double vx, double vy) {
    snprintf(to, TEXT, "-(%s)*(x' - th'*(%s) - %.17g) + (%s)*(y' + th'*(%s) - %.17g)", ny, ry, vx, nx, rx, vy);
}

static void write_contact(peg* p, int i, const cJSON* c) {
    char nx[100], ny[100], rx[160], ry[160];
    if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(c, "type")), "probe") == 0) {
        const cJSON *p0 = cJSON_GetObjectItem(c, "p0"), *m = cJSON_GetObjectItem(c, "face_normal_body");
        const double angle = cJSON_GetNumberValue(cJSON_GetObjectItem(c, "direction_rad"));
        const double speed = cJSON_GetNumberValue(cJSON_GetObjectItem(c, "speed"));
        const double vx = speed * cos(angle), vy = speed * sin(angle), mx = number_at(m, 0), my = number_at(m, 1);
        snprintf(rx, sizeof rx, "(%.17g + %.17g*t - x)", number_at(p0, 0), vx);
        snprintf(ry, sizeof ry, "(%.17g + %.17g*t - y)", number_at(p0, 1), vy);
        snprintf(nx, sizeof nx, "-(%.17g*cos(th) - %.17g*sin(th))", mx, my);
        snprintf(ny, sizeof ny, "-(%.17g*sin(th) + %.17g*cos(th))", mx, my);
        snprintf(p->gap[i], TEXT, "-(%s)*%s - (%s)*%s - %.17g", nx, rx, ny, ry,
                 cJSON_GetNumberValue(cJSON_GetObjectItem(c, "face_distance")));
        write_slip(p->slip[i], nx, ny, rx, ry, vx, vy);
    } else {
        const cJSON *N = cJSON_GetObjectItem(c, "N"), *vertex = cJSON_GetObjectItem(c, "vertex_body");
        snprintf(rx, sizeof rx, "(%.17g*cos(th) - %.17g*sin(th))", number_at(vertex, 0), number_at(vertex, 1));
        snprintf(ry, sizeof ry, "(%.17g*sin(th) + %.17g*cos(th))", number_at(vertex, 0), number_at(vertex, 1));
        snprintf(nx, sizeof nx, "%.17g", number_at(N, 0));
        snprintf(ny, sizeof ny, "%.17g", number_at(N, 1));
        snprintf(p->gap[i], TEXT, "(%s)*(x + %s) + (%s)*(y + %s) - (%.17g)", nx, rx, ny, ry,
                 cJSON_GetNumberValue(cJSON_GetObjectItem(c, "o")));
        write_slip(p->slip[i], nx, ny, rx, ry, 0, 0);
    }
    snprintf(p->mu[i], sizeof p->mu[i], "%.17g", cJSON_GetNumberValue(cJSON_GetObjectItem(c, "mu")));
    p->slips[i][0] = p->slip[i];
    p->contacts[i] = (sti_system_contact_text){.gap = p->gap[i], .slip_count = 1, .slip = p->slips[i], .mu = p->mu[i]};
}

static sti_system* peg_system(const cJSON* item, peg* p) {
    const cJSON *c, *points = support_of(item, &c), *contacts = oracle_get(item, "inputs", "contacts"), *one;
    sti_system* system;
    int count = 0;
    write_forces(p, points, c);
    cJSON_ArrayForEach(one, contacts) write_contact(p, count++, one);
    const cJSON* q0 = oracle_get(item, "inputs", "q0");
    for (int i = 0; i < 3; i++) {
        snprintf(p->start[i], sizeof p->start[i], "%.17g", q0 != NULL ? number_at(q0, i) : 0);
        p->starts[i] = p->start[i];
        p->forces[i] = p->force[i];
    }
    static const char* const names[] = {"x", "y", "th"};
    p->text = (sti_system_text){.coordinate_count = 3,
                                .coordinates = names,
                                .kinetic = "0",
                                .forces = p->forces,
                                .contact_count = count,
                                .contacts = p->contacts,
                                .q = p->starts};
    must(group_env, sti_system_create(group_env, &p->text, &system));
    return system;
}

static sti_stepper_options quasi(void) {
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_QUASISTATIC);
    o.step = 0.05;
    return o;
}

static char mode_of(const sti_step_report* r, int i) {
    if (r->opening[i] > 1e-9) return 'N';
    const double slip = r->slip[2 * (size_t)i];
    return fabs(slip) < 1e-10 ? 'K' : slip > 0 ? '+' : '-';
}

static const char* expected_mode(const cJSON* runs, int l) {
    const cJSON* one;
    cJSON_ArrayForEach(one, runs) {
        if (number_at(one, 1) <= l && l <= number_at(one, 2)) return cJSON_GetStringValue(cJSON_GetArrayItem(one, 0));
    }
    return NULL;
}

static void push(const cJSON* item, const sti_system* system, int contacts) {
    const cJSON* expected = cJSON_GetObjectItem(item, "expected");
    const char* status = cJSON_GetStringValue(cJSON_GetObjectItem(expected, "status"));
    int jam = 100;
    if (strcmp(status, "ok") != 0) assert_int_equal(sscanf(status, "no solution at step %d", &jam), 1);
    const sti_stepper_options o = quasi();
    sti_stepper* s = make_stepper(group_env, system, &o);
    for (int l = 0; l < jam; l++) {
        const sti_step_report r = step_on(group_env, s);
        const char* mode = expected_mode(cJSON_GetObjectItem(expected, "mode_runs_[mode,first,last]"), l);
        for (int i = 0; mode != NULL && i < contacts; i++) {
            if (mode_of(&r, i) != mode[i])
                fail_msg("%s step %d contact %d: %c, expected %c", oracle_id(item), l, i, mode_of(&r, i), mode[i]);
        }
        for (int i = 0; l == 0 && i < contacts; i++)
            assert_near(r.impulse_n[i] / 0.05, number_at(cJSON_GetObjectItem(expected, "first_step_lambda_n"), i),
                        1e-8);
        char name[16];
        snprintf(name, sizeof name, "%d", l + 1);
        const cJSON* q = cJSON_GetObjectItem(cJSON_GetObjectItem(expected, "q"), name);
        for (int i = 0; q != NULL && i < 3; i++) assert_near(sti_stepper_q(s)[i], number_at(q, i), 1e-8);
    }
    if (jam < 100) {
        double before[3];
        sti_step_report r;
        memcpy(before, sti_stepper_q(s), sizeof before);
        must(group_env, sti_stepper_step(s, &r));
        assert_int_equal(r.outcome, STI_NO_SOLUTION);
        assert_memory_equal(before, sti_stepper_q(s), sizeof before);
        assert_int_equal(r.step, jam);
    }
    sti_stepper_destroy(s);
}

static void judge_robust(const cJSON* item, const sti_system* system) {
    const cJSON *robust = oracle_get(item, "expected", "robust"), *alpha = cJSON_GetObjectItem(robust, "alpha0");
    if (robust == NULL) return;
    const sti_stepper_options o = quasi();
    sti_robust* r;
    must(group_env, sti_robust_create(group_env, system, &o, 100, &r));
    assert_int_equal(r->outcome, STI_SOLVED);
    assert_int_equal(r->is_switch, (int)cJSON_GetNumberValue(cJSON_GetObjectItem(robust, "IsSwitch")));
    if (r->is_switch) {
        assert_int_equal(r->step, (int)cJSON_GetNumberValue(cJSON_GetObjectItem(robust, "step")));
        const cJSON* broken = cJSON_GetObjectItem(robust, "violating_component_1based");
        assert_int_equal(r->broken_count, cJSON_GetArraySize(broken));
        for (int i = 0; i < r->broken_count; i++) {
            assert_int_equal(r->broken[i] + 1, (int)number_at(broken, i));
            assert_true(r->value[r->broken[i]] < 0);
        }
        assert_int_equal(r->violating, r->broken[0]);
        assert_near(r->least, cJSON_GetNumberValue(cJSON_GetObjectItem(robust, "min_w")), 1e-6);
    } else {
        for (int i = 0; i < 3; i++) assert_near(r->q[i], number_at(cJSON_GetObjectItem(robust, "q_final"), i), 1e-8);
        assert_int_equal(r->broken_count, 0);
    }
    int count = 0;
    for (int i = 0; i < r->pair_count; i++) {
        if (r->alpha[i]) assert_near(number_at(alpha, count++), i + 1, 0);
    }
    assert_int_equal(count, cJSON_GetArraySize(alpha));
    sti_robust_destroy(group_env, r);
}

static void single_step(const cJSON* item, const sti_system* system) {
    const cJSON* expected = cJSON_GetObjectItem(item, "expected");
    const sti_stepper_options o = quasi();
    sti_stepper* s = make_stepper(group_env, system, &o);
    sti_step_report r;
    must(group_env, sti_stepper_step(s, &r));
    const bool solution = cJSON_GetNumberValue(cJSON_GetObjectItem(expected, "n_mode_solutions")) > 0;
    assert_int_equal(r.outcome, solution ? STI_SOLVED : STI_NO_SOLUTION);
    const cJSON* hv = cJSON_GetObjectItem(expected, "hv");
    for (int i = 0; solution && i < 3; i++) assert_near(sti_stepper_v(s)[i] * 0.05, number_at(hv, i), 1e-9);
    sti_stepper_destroy(s);
}

static void pegs_move_jam_and_switch_as_the_cases_say(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    int seen = 0;
    const cJSON* item;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        const cJSON* contacts = oracle_get(item, "inputs", "contacts");
        if (strncmp(oracle_id(item), "PEG-", 4) != 0 || contacts == NULL) continue;
        peg p;
        sti_system* system = peg_system(item, &p);
        if (oracle_get(item, "expected", "status") != NULL) {
            push(item, system, cJSON_GetArraySize(contacts));
            judge_robust(item, system);
        } else {
            single_step(item, system);
        }
        sti_system_destroy(system);
        seen++;
    }
    assert_true(seen >= 8);
    cJSON_Delete(root);
}

static void damping_turns_with_the_body(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* item = oracle_find(root, "PEG-15");
    peg p;
    p.text = (sti_system_text){0};
    write_forces(&p, oracle_get(item, "inputs", "support_points_body"), oracle_get(item, "inputs", "c"));
    for (int i = 0; i < 3; i++) p.forces[i] = p.force[i];
    sti_system* system;
    must(group_env, sti_system_create(group_env,
                                      &(sti_system_text){.coordinate_count = 3,
                                                         .coordinates = (const char*[]){"x", "y", "th"},
                                                         .kinetic = "0",
                                                         .forces = p.forces},
                                      &system));
    const char* const names[] = {"E(0)", "E(0.5)"};
    for (int k = 0; k < 2; k++) {
        double E[9];
        must(group_env, sti_system_force(system, 0, (double[]){0, 0, 0.5 * k}, (double[]){0, 0, 0}, NULL, NULL, E));
        for (int i = 0; i < 9; i++)
            assert_near(-E[i], number_at(cJSON_GetArrayItem(oracle_get(item, "expected", names[k]), i / 3), i % 3),
                        1e-12);
    }
    sti_system_destroy(system);
    cJSON_Delete(root);
}

static void a_vehicle_switches_where_its_basis_ends(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* item = oracle_find(root, "NAV-04");
    const sti_system_contact_text contacts[] = {{.name = "wall", .gap = "y - 0.3"},
                                                {.name = "obstacle", .gap = "hypot(x - 4, y) - 0.8"}};
    sti_system* system;
    must(group_env, sti_system_create(group_env,
                                      &(sti_system_text){.coordinate_count = 2,
                                                         .coordinates = (const char*[]){"x", "y"},
                                                         .kinetic = "(x'^2 + y'^2)/2",
                                                         .forces = (const char*[]){"2 - 2*x'", "-0.5 - 2*y'"},
                                                         .contact_count = 2,
                                                         .contacts = contacts,
                                                         .q = (const char*[]){"0", "1"}},
                                      &system));
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    o.alpha = 1;
    o.step = 0.02;
    o.geometry = STI_GEOMETRY_OLD;
    o.level = STI_LEVEL_GAP;
    o.gap_tol = INFINITY;
    for (int k = 0; k < 2; k++) {
        sti_robust* r;
        must(group_env,
             sti_robust_create(group_env, system, &o, (int)number_at(oracle_get(item, "inputs", "windows_N"), k), &r));
        assert_int_equal(r->is_switch, (int)number_at(oracle_get(item, "expected", "IsSwitch"), k));
        if (r->is_switch) assert_int_equal(r->step, (int)oracle_number(item, "expected", "first_switch_step"));
        sti_robust_destroy(group_env, r);
    }
    sti_robust* none;
    o.level = STI_LEVEL_VELOCITY;
    assert_int_equal(sti_robust_create(group_env, system, &o, 5, &none), STI_ERR_ARGUMENT);
    sti_system_destroy(system);
    cJSON_Delete(root);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    const sti_system_contact_text probe = {
        .gap = "x - 0.1*t", .slip_count = 1, .slip = (const char*[]){"y'"}, .mu = "0.3"};
    const sti_system_text text = {.coordinate_count = 2,
                                  .coordinates = (const char*[]){"x", "y"},
                                  .kinetic = "0",
                                  .forces = (const char*[]){"-x'", "-2*y'"},
                                  .contact_count = 1,
                                  .contacts = &probe};
    for (long at = 0;; at++) {
        failing_env f;
        sti_system* system = NULL;
        sti_robust* r = NULL;
        failing_env_open(&f, -1);
        must(f.env, sti_system_create(f.env, &text, &system));
        f.count = 0;
        f.fail_at = at;
        const sti_status status = sti_robust_create(f.env, system, NULL, 3, &r);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_robust_destroy(f.env, r);
        sti_system_destroy(system);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pegs_move_jam_and_switch_as_the_cases_say),
        cmocka_unit_test(damping_turns_with_the_body),
        cmocka_unit_test(a_vehicle_switches_where_its_basis_ends),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
