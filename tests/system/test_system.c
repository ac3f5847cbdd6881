// Systems: equations of motion against closed forms, reference cases and the balance of energy; starts, parameters,
// kinks, systems by C functions; every mistake named, every failed allocation survived.
#include "support/oracle.h"
// after cmocka's headers
#include <math.h>
#include <stiction/stiction.h>

#include "base/rng.h"

typedef struct log_book {
    int count;
    char last[300];
} log_book;

static void take_log(void* user, sti_log_level level, const char* text) {
    log_book* log = user;
    (void)level;
    log->count++;
    snprintf(log->last, sizeof log->last, "%s", text);
}

static sti_env* make_env(log_book* log) {
    sti_env* env;
    sti_env_def def = sti_env_def_default();
    if (log != NULL) {
        *log = (log_book){0};
        def.log = take_log;
        def.log_user = log;
    }
    assert_int_equal(sti_env_create(&def, &env), STI_OK);
    return env;
}

static void near_by(double x, double expected, double tolerance) {
    if (!(fabs(x - expected) <= tolerance * fmax(1, fabs(expected)))) {
        print_error("%.17g is not %.17g\n", x, expected);
        fail();
    }
}

static void near(double x, double expected) {
    near_by(x, expected, 1e-13);
}

static sti_system* create(sti_env* env, const sti_system_text* text) {
    sti_system* s;
    const sti_status status = sti_system_create(env, text, &s);
    if (status != STI_OK) print_error("%s\n", sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
    return s;
}

static sti_document* load_scene(sti_env* env, const char* name) {
    char path[400];
    sti_document* p;
    snprintf(path, sizeof path, "%s/scenes/%s.json", STI_SOURCE_DIR, name);
    const sti_status status = sti_document_load(env, path, &p);
    if (status != STI_OK) print_error("%s\n", sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
    assert_int_equal(sti_document_kind(p), STI_KIND_SYSTEM);
    return p;
}

static sti_instant* look(sti_env* env, const sti_system* s, double t, const double* q, const double* v) {
    sti_instant* a;
    const sti_status status = sti_system_instant(env, s, t, q, v, &a);
    if (status != STI_OK) print_error("%s\n", sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
    return a;
}

static const double some_q[] = {0.3, -0.7, 1.1, 0.4}, some_v[] = {-1.2, 0.8, 0.5, -0.6};

// ---- closed forms

static void a_pendulum_has_its_closed_form(void** state) {
    (void)state;
    sti_env* env = make_env(NULL);
    sti_system* s = create(env, &(sti_system_text){.parameter_count = 3,
                                                   .parameter_names = (const char*[]){"m", "l", "g"},
                                                   .parameters = (double[]){2, 0.5, 9.81},
                                                   .coordinate_count = 1,
                                                   .coordinates = (const char*[]){"theta"},
                                                   .kinetic = "m*l^2/2*theta'^2",
                                                   .potential = "-m*g*l*cos(theta)"});
    sti_instant* a = look(env, s, 0, some_q, some_v);
    near(a->M[0], 0.5);
    near(a->F[0], 9.81 * sin(some_q[0]));
    assert_string_equal(a->names[0], "theta");
    double T, V;
    assert_int_equal(sti_system_energy(s, 0, some_q, some_v, &T, &V), STI_OK);
    near(T, 0.25 * some_v[0] * some_v[0]);
    near(V, -9.81 * cos(some_q[0]));
    sti_instant_destroy(env, a);
    sti_system_destroy(s);
    sti_env_destroy(env);
}

static void a_double_pendulum_has_its_closed_form(void** state) {
    (void)state;
    sti_env* env = make_env(NULL);
    const double m1 = 1.5, m2 = 0.7, l1 = 0.9, l2 = 1.3, g = 9.81;
    sti_system* s = create(env, &(sti_system_text){.parameter_count = 5,
                                                   .parameter_names = (const char*[]){"m1", "m2", "l1", "l2", "g"},
                                                   .parameters = (double[]){m1, m2, l1, l2, g},
                                                   .definition_count = 4,
                                                   .definitions = (sti_system_named[]){{"x1", "l1*sin(a)"},
                                                                                       {"y1", "-l1*cos(a)"},
                                                                                       {"x2", "x1 + l2*sin(b)"},
                                                                                       {"y2", "y1 - l2*cos(b)"}},
                                                   .coordinate_count = 2,
                                                   .coordinates = (const char*[]){"a", "b"},
                                                   .kinetic = "m1/2*(x1'^2 + y1'^2) + m2/2*(x2'^2 + y2'^2)",
                                                   .potential = "g*(m1*y1 + m2*y2)"});
    const double a = some_q[0], b = some_q[1], da = some_v[0], db = some_v[1], c = cos(a - b), d = sin(a - b);
    sti_instant* i = look(env, s, 0, some_q, some_v);
    near(i->M[0], (m1 + m2) * l1 * l1);
    near(i->M[1], m2 * l1 * l2 * c);
    near(i->M[2], m2 * l1 * l2 * c);
    near(i->M[3], m2 * l2 * l2);
    near(i->F[0], m2 * l1 * l2 * d * db * db + (m1 + m2) * g * l1 * sin(a));
    near(i->F[1], -m2 * l1 * l2 * d * da * da + m2 * g * l2 * sin(b));
    sti_instant_destroy(env, i);
    sti_system_destroy(s);
    sti_env_destroy(env);
}

// A bead on a rod that turns with a given angle: kinetic energy with terms of degree 0 and 1, everything depends on
// time.
static void explicit_time_is_taken_into_account(void** state) {
    (void)state;
    sti_env* env = make_env(NULL);
    sti_system* s = create(
        env, &(sti_system_text){
                 .definition_count = 3,
                 .definitions = (sti_system_named[]){{"phi", "t^2"}, {"X", "x*cos(phi)"}, {"Y", "x*sin(phi) + t^3"}},
                 .coordinate_count = 1,
                 .coordinates = (const char*[]){"x"},
                 .kinetic = "(X'^2 + Y'^2)/2",
                 .potential = "x*sin(t)",
                 .forces = (const char*[]){"-2*x' + t"},
                 .contact_count = 1,
                 .contacts = (sti_system_contact_text[]){
                     {.gap = "x - t^2*x^2 - cos(t)", .slip_count = 1, .slip = (const char*[]){"x*x' - 3*t*x"}}}});
    const double x = 0.8, v = -0.4, t = 0.6, w = 2 * t;
    sti_instant* a = look(env, s, t, &x, &v);
    near(a->M[0], 1);
    // along the rod: x'' - x w^2 + 6 t sin(phi) = -sin(t) - 2 v + t; phi' = w
    near(a->F[0], -x * w * w + 6 * t * sin(t * t) + sin(t) + 2 * v - t);
    const sti_instant_contact* c = &a->contacts[0];
    near(c->gap, x - t * t * x * x - cos(t));
    near(c->n[0], 1 - 2 * t * t * x);
    near(c->n_offset, -2 * t * x * x + sin(t));
    near(c->n_rate, -2 * t * t * v * v + 2 * (-4 * t * x) * v - 2 * x * x + cos(t));
    near(c->t[0], x);
    near(c->t_offset[0], -3 * t * x);
    near(c->t_rate[0], v * v - 3 * t * v - 3 * x);
    assert_string_equal(c->name, "contact 1");
    sti_instant_destroy(env, a);
    sti_system_destroy(s);
    sti_env_destroy(env);
}

// ---- reference cases

static void set_all(sti_system* s, sti_env* env, const cJSON* inputs) {
    for (int k = 0; k < sti_system_parameter_count(s); k++) {
        const char* name = sti_system_parameter(s, k);
        const cJSON* value = cJSON_GetObjectItemCaseSensitive(inputs, strcmp(name, "mp") == 0 ? "mbar" : name);
        if (cJSON_IsNumber(value)) assert_int_equal(sti_system_set(s, name, oracle_double(env, value)), STI_OK);
    }
}

static void expect_matrix(sti_env* env, const cJSON* rows, const double* M, int n, double tolerance) {
    oracle_table t = oracle_read(env, rows);
    assert_int_equal(t.rows * t.cols, n);
    for (int k = 0; k < n; k++) near_by(M[k], t.value[k], tolerance);
    oracle_free(&t);
}

static void block_and_pendulum_agree_with_the_reference(void** state) {
    (void)state;
    cJSON* root = oracle_open("papers");
    if (root == NULL) skip();
    sti_env* env = make_env(NULL);
    sti_document* p = load_scene(env, "block-pendulum");
    sti_system* s = sti_system_of(p);
    const cJSON* item = oracle_find(root, "S0-40");
    assert_non_null(item);
    set_all(s, env, cJSON_GetObjectItemCaseSensitive(item, "inputs"));
    oracle_table q = oracle_read(env, oracle_get(item, "inputs", "q"));
    double M[16];
    int rank;
    assert_int_equal(sti_system_mass(s, 0, q.value, M, &rank), STI_OK);
    assert_int_equal(rank, 4);
    expect_matrix(env, oracle_get(item, "expected", "M"), M, 16, 1e-13);
    oracle_free(&q);

    // M a + F = n lambda_n + t lambda_t with the given solution
    item = oracle_find(root, "S0-42");
    assert_non_null(item);
    q = oracle_read(env, oracle_get(item, "inputs", "q"));
    oracle_table v = oracle_read(env, oracle_get(item, "inputs", "qdot"));
    oracle_table acc = oracle_read(env, oracle_get(item, "expected", "qdd"));
    oracle_table lam = oracle_read(env, oracle_get(item, "expected", "lam_n"));
    const double lam_t = oracle_double(env, oracle_get(item, "expected", "sum_lam_t"));
    sti_instant* a = look(env, s, 0, q.value, v.value);
    for (int i = 0; i < 4; i++) {
        double left = a->F[i];
        for (int k = 0; k < 4; k++) left += a->M[i * 4 + k] * acc.value[k];
        near_by(left,
                a->contacts[0].n[i] * lam.value[0] + a->contacts[1].n[i] * lam.value[1] + a->contacts[0].t[i] * lam_t,
                1e-11);
    }
    sti_instant_destroy(env, a);
    oracle_free(&q);
    oracle_free(&v);
    oracle_free(&acc);
    oracle_free(&lam);
    sti_document_destroy(p);
    cJSON_Delete(root);
    sti_env_destroy(env);
}

// Systems of S1 figure 1: mass matrix, gradients and tangent maps, with the parameters of each case.
static void systems_of_figure_1_agree_with_the_reference(void** state) {
    (void)state;
    static const struct {
        const char *id, *scene;
        int angle;        // coordinate that the case gives; -1: none
        const char* key;  // its name there
        bool joint_first;
    } row[] = {{"S1-01", "rocking-block", 2, "theta", false},
               {"S1-03", "planar-box", 2, "phi", false},
               {"S1-05", "disk-in-angle", -1, "", false},
               {"S1-07", "pendulum", 2, "theta", true},
               {"S1-09", "balls-4", -1, "", false}};
    cJSON* root = oracle_open("papers");
    if (root == NULL) skip();
    sti_env* env = make_env(NULL);
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        sti_document* p = load_scene(env, row[k].scene);
        sti_system* s = sti_system_of(p);
        const cJSON* item = oracle_find(root, row[k].id);
        assert_non_null(item);
        const cJSON *inputs = cJSON_GetObjectItemCaseSensitive(item, "inputs"),
                    *masses = oracle_get(item, "inputs", "masses");
        set_all(s, env, inputs);
        for (int m = 0; m < cJSON_GetArraySize(masses); m++) {
            char name[16];
            snprintf(name, sizeof name, "m%d", m + 1);
            assert_int_equal(sti_system_set(s, name, cJSON_GetArrayItem(masses, m)->valuedouble), STI_OK);
        }
        double q[4], v[4];
        assert_int_equal(sti_system_state(s, NULL, q, v), STI_OK);
        if (row[k].angle >= 0) q[row[k].angle] = oracle_double(env, oracle_get(item, "inputs", row[k].key));
        sti_instant* a = look(env, s, 0, q, v);
        const int n = a->n, count = a->contact_count;
        expect_matrix(env, oracle_get(item, "inputs", "M"), a->M, n * n, 1e-12);
        double columns[2][16];
        for (int c = 0; c < count; c++) {
            const sti_instant_contact* contact = &a->contacts[row[k].joint_first ? count - 1 - c : c];
            for (int i = 0; i < n; i++) {
                columns[0][i * count + c] = contact->n[i];
                columns[1][i * count + c] = contact->tangent_count > 0 ? contact->t[i] : 0;
            }
        }
        expect_matrix(env, oracle_get(item, "inputs", "grad_h_columns"), columns[0], n * count, 1e-12);
        const cJSON* H = oracle_get(item, "inputs", "H_T");
        if (H != NULL) expect_matrix(env, H, columns[1], n * count, 1e-12);
        sti_instant_destroy(env, a);
        sti_document_destroy(p);
    }
    cJSON_Delete(root);
    sti_env_destroy(env);
}

static void the_rod_is_critical_at_four_thirds(void** state) {
    (void)state;
    sti_env* env = make_env(NULL);
    sti_document* p = load_scene(env, "painleve-rod");
    sti_system* s = sti_system_of(p);
    double t, q[3], v[3], nn = 0, nt = 0;
    assert_int_equal(sti_system_state(s, &t, q, v), STI_OK);
    near(tan(q[2]), 2);
    sti_instant* a = look(env, s, t, q, v);
    const sti_instant_contact* c = &a->contacts[0];
    assert_true(c->gap == 0);
    for (int k = 0; k < 3; k++) {
        nn += c->n[k] * c->n[k] / a->M[k * 4];
        nt += c->n[k] * c->t[k] / a->M[k * 4];
    }
    near(-nn / nt, 4.0 / 3);  // n'M^-1 (n + mu t) = 0 for slip to the left
    sti_instant_destroy(env, a);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

// ---- identities

static const char* const all_scenes[] = {
    "balls-3",       "balls-4",     "belt-block",    "block-pendulum", "bouncing-ball",     "disk-in-angle",
    "disk",          "guided-mass", "ladder",        "painleve-rod",   "particle-in-angle", "particles-on-rod",
    "pendulum",      "planar-box",  "rocking-block", "slider-crank",   "slope-block",       "stick-slip",
    "three-fingers", "tilted-block"};

// Solve M x = r by elimination with the largest pivot.
static void solve(int n, const double* M, const double* r, double* x) {
    double A[8][9];
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) A[i][k] = M[i * n + k];
        A[i][n] = r[i];
    }
    for (int c = 0; c < n; c++) {
        int p = c;
        for (int i = c + 1; i < n; i++) p = fabs(A[i][c]) > fabs(A[p][c]) ? i : p;
        for (int k = 0; k <= n; k++) {
            const double keep = A[c][k];
            A[c][k] = A[p][k];
            A[p][k] = keep;
        }
        for (int i = 0; i < n; i++) {
            const double f = i != c ? A[i][c] / A[c][c] : 0;
            for (int k = c; k <= n; k++) A[i][k] -= f * A[c][k];
        }
    }
    for (int i = 0; i < n; i++) x[i] = A[i][n] / A[i][i];
}

// Along a motion without contact forces d/dt (T + V) = v'Q. Q is what makes F differ between the system with forces and
// the same without; here from the scene's own formulas. Gaps and slips move as n, t and the rates say.
static void energy_is_balanced_and_rates_are_rates_in_every_scene(void** state) {
    (void)state;
    sti_env* env = make_env(NULL);
    sti_rng rng = {.state = 7};
    for (size_t k = 0; k < sizeof all_scenes / sizeof all_scenes[0]; k++) {
        sti_document* p = load_scene(env, all_scenes[k]);
        sti_system* s = sti_system_of(p);
        const int n = sti_system_coordinate_count(s), count = sti_system_contact_count(s);
        double t, q0[8], v0[8];
        assert_int_equal(sti_system_state(s, &t, q0, v0), STI_OK);
        for (int trial = 0; trial < 5; trial++) {
            double q[8], v[8], acc[8], minus[8], g[3][8], T[2], V[2], power = 0;
            for (int i = 0; i < n; i++) {
                q[i] = q0[i] + 0.3 * (sti_rng_u01(&rng) - 0.5);
                v[i] = 2 * (sti_rng_u01(&rng) - 0.5);
            }
            t = sti_rng_u01(&rng);
            sti_instant* a = look(env, s, t, q, v);
            assert_int_equal(sti_instant_check(env, a), STI_OK);
            for (int i = 0; i < n; i++) minus[i] = -a->F[i];
            solve(n, a->M, minus, acc);
            for (int i = 0; i < n; i++) {  // forces of the scenes that have any
                const char* c = sti_system_coordinate(s, i);
                if (strcmp(all_scenes[k], "stick-slip") == 0 && i == 0) power += v[i] * 8 * cos(t);
                if (strcmp(all_scenes[k], "belt-block") == 0 && i == 0) power += v[i] * -5;
                if (strcmp(all_scenes[k], "guided-mass") == 0)
                    power += v[i] * (strcmp(c, "x1") == 0 ? 14 : strcmp(c, "x2") == 0 ? -9 : 0);
                if (strcmp(all_scenes[k], "three-fingers") == 0)
                    power += v[i] * (strcmp(c, "x1") == 0   ? 12.5
                                     : strcmp(c, "y2") == 0 ? -2
                                     : strcmp(c, "x3") == 0 ? -12.5
                                                            : 0);
            }
            const double h = 1e-5;
            for (int side = 0; side < 3; side++) {
                const double e = (side - 1) * 50 * h;  // a wider step for second differences
                double at[8];
                for (int i = 0; i < n; i++) at[i] = q[i] + e * v[i] + e * e / 2 * acc[i];
                assert_int_equal(sti_system_gap(s, t + e, at, g[side]), STI_OK);
            }
            for (int side = 0; side < 2; side++) {
                const double e = side == 0 ? -h : h;
                double at[8], speed[8];
                for (int i = 0; i < n; i++) {
                    at[i] = q[i] + e * v[i] + e * e / 2 * acc[i];
                    speed[i] = v[i] + e * acc[i];
                }
                assert_int_equal(sti_system_energy(s, t + e, at, speed, &T[side], &V[side]), STI_OK);
            }
            near_by((T[1] + V[1] - T[0] - V[0]) / (2 * h), power, 1e-5 * (1 + fabs(T[0]) + fabs(V[0])));
            for (int c = 0; c < count; c++) {
                const sti_instant_contact* x = &a->contacts[c];
                const double wide = 50 * h;
                double rate = x->n_offset, second = x->n_rate;
                for (int i = 0; i < n; i++) {
                    rate += x->n[i] * v[i];
                    second += x->n[i] * acc[i];
                }
                near_by((g[2][c] - g[0][c]) / (2 * wide), rate, 1e-4 * (1 + fabs(second)));
                near_by((g[2][c] - 2 * g[1][c] + g[0][c]) / (wide * wide), second, 1e-4 * (1 + fabs(second)));
            }
            sti_instant_destroy(env, a);
        }
        sti_document_destroy(p);
    }
    sti_env_destroy(env);
}

// ---- the rest

static void every_scene_starts_where_its_contacts_are(void** state) {
    (void)state;
    log_book log;
    sti_env* env = make_env(&log);
    for (size_t k = 0; k < sizeof all_scenes / sizeof all_scenes[0]; k++) {
        sti_document* p = load_scene(env, all_scenes[k]);
        const sti_system* s = sti_system_of(p);
        const int count = sti_system_contact_count(s), joints = sti_system_joint_count(s);
        double t, q[8], v[8];
        assert_int_equal(sti_system_state(s, &t, q, v), STI_OK);
        sti_instant* a = look(env, s, t, q, v);
        for (int i = 0; i < count; i++) {
            const sti_instant_contact* c = &a->contacts[i];
            assert_true(c->gap >= 0);
            assert_int_equal(c->bilateral, i >= count - joints);
            if (!c->bilateral) continue;
            double rate = c->n_offset;
            for (int i2 = 0; i2 < a->n; i2++) rate += c->n[i2] * v[i2];
            assert_true(c->gap == 0 && fabs(rate) < 1e-14);
        }
        sti_instant_destroy(env, a);
        sti_document_destroy(p);
    }
    assert_int_equal(log.count, 0);
    sti_env_destroy(env);
}

static void parameters_and_starts_go_together(void** state) {
    (void)state;
    sti_env* env = make_env(NULL);
    sti_system* s = create(env, &(sti_system_text){.parameter_count = 2,
                                                   .parameter_names = (const char*[]){"m", "l"},
                                                   .parameters = (double[]){1, 2},
                                                   .coordinate_count = 3,
                                                   .coordinates = (const char*[]){"x", "y", "z"},
                                                   .kinetic = "m/2*(x'^2 + y'^2 + z'^2)",
                                                   .time = "l/4",
                                                   .q = (const char*[]){"2*y", "z + 1", "l"},
                                                   .v = (const char*[]){NULL, "x*z'", "t"}});
    double t, q[3], v[3];
    assert_int_equal(sti_system_state(s, &t, q, v), STI_OK);
    assert_true(t == 0.5 && q[0] == 6 && q[1] == 3 && q[2] == 2 && v[0] == 0 && v[1] == 3 && v[2] == 0.5);
    assert_int_equal(sti_system_set(s, "l", 4), STI_OK);
    assert_int_equal(sti_system_state(s, NULL, q, NULL), STI_OK);
    assert_true(q[0] == 10 && q[2] == 4);
    assert_int_equal(sti_system_parameter_count(s), 2);
    assert_true(sti_system_parameter_value(s, 1) == 4);
    assert_int_equal(sti_system_set(s, "k", 4), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(env)->text, "k: no such parameter; there are m, l"));
    assert_int_equal(sti_system_set(s, "l", NAN), STI_ERR_ARGUMENT);
    assert_int_equal(sti_system_set(s, "m", 3), STI_OK);
    sti_instant* a = look(env, s, 0, some_q, some_v);
    assert_true(a->M[0] == 3);
    assert_int_equal(sti_system_set(s, "m", 5), STI_OK);
    assert_int_equal(sti_system_instant_update(s, 0, some_q, some_v, a), STI_OK);
    assert_true(a->M[0] == 5);
    assert_int_equal(sti_system_instant_update(s, 0, (double[]){0, INFINITY, 0}, some_v, a), STI_ERR_ARGUMENT);
    sti_instant_destroy(env, a);
    sti_system_destroy(s);
    sti_env_destroy(env);
}

static void applied_forces_have_their_derivatives(void** state) {
    (void)state;
    sti_env* env = make_env(NULL);
    sti_system* s = create(env, &(sti_system_text){.coordinate_count = 2,
                                                   .coordinates = (const char*[]){"x", "y"},
                                                   .kinetic = "(x'^2 + (2 + cos(x))*y'^2)/2",
                                                   .potential = "5*x^2*y + t*x*y",
                                                   .forces = (const char*[]){"-3*x'*y + x^3", "8*cos(t) - y'^2"}});
    const double x = 0.3, y = -0.7, vx = 1.5, vy = -2, t = 0.4, q[2] = {x, y}, v[2] = {vx, vy};
    double k[2], k_q[4], k_v[4];
    assert_int_equal(sti_system_force(s, t, q, v, k, k_q, k_v), STI_OK);
    near(k[0], -3 * vx * y + x * x * x - 10 * x * y - t * y);
    near(k[1], 8 * cos(t) - vy * vy - 5 * x * x - t * x);
    near(k_q[0], 3 * x * x - 10 * y);
    near(k_q[1], -3 * vx - 10 * x - t);
    near(k_q[2], -10 * x - t);
    near(k_q[3], 0);
    near(k_v[0], -3 * y);
    near(k_v[1], 0);
    near(k_v[2], 0);
    near(k_v[3], -2 * vy);
    assert_int_equal(sti_system_force(s, t, q, v, NULL, NULL, k_v), STI_OK);
    sti_instant* a = look(env, s, t, q, v);
    near(a->F[0] + k[0], sin(x) * vy * vy / 2);  // what is left are inertial terms
    near(a->F[1] + k[1], -sin(x) * vx * vy);
    sti_instant_destroy(env, a);
    sti_system_destroy(s);
    sti_env_destroy(env);
}

// A bar in natural coordinates: its ends, with all mass in the middle.
static void a_singular_mass_matrix_is_reported(void** state) {
    (void)state;
    sti_env* env = make_env(NULL);
    sti_system* s = create(env, &(sti_system_text){.coordinate_count = 4,
                                                   .coordinates = (const char*[]){"x1", "y1", "x2", "y2"},
                                                   .kinetic = "((x1' + x2')^2 + (y1' + y2')^2)/8",
                                                   .potential = "9.81*(y1 + y2)/2"});
    double M[16];
    int rank;
    assert_int_equal(sti_system_mass(s, 0, some_q, M, &rank), STI_OK);
    assert_int_equal(rank, 2);
    assert_true(M[0] == 0.25 && M[2] == 0.25 && M[1] == 0);
    sti_instant* a = look(env, s, 0, some_q, some_v);
    assert_int_equal(sti_instant_check(env, a), STI_OK);
    sti_instant_destroy(env, a);
    sti_system_destroy(s);
    sti_env_destroy(env);
}

static void a_kink_is_warned_of_once(void** state) {
    (void)state;
    log_book log;
    sti_env* env = make_env(&log);
    sti_system* s = create(env, &(sti_system_text){.coordinate_count = 2,
                                                   .coordinates = (const char*[]){"x", "y"},
                                                   .kinetic = "(x'^2 + y'^2)/2",
                                                   .contact_count = 1,
                                                   .contacts = (sti_system_contact_text[]){{.gap = "y - abs(x)"}}});
    double q[2] = {0.5, 1}, v[2] = {0, 0};
    sti_instant* a = look(env, s, 0, q, v);
    assert_int_equal(log.count, 0);
    q[0] = 0;
    assert_int_equal(sti_system_instant_update(s, 0, q, v, a), STI_OK);
    assert_int_equal(log.count, 1);
    assert_non_null(strstr(log.last, "contacts[0].gap: abs has no derivative"));
    assert_true(a->contacts[0].n[0] == 0);
    assert_int_equal(sti_system_instant_update(s, 0, q, v, a), STI_OK);
    assert_int_equal(log.count, 1);
    sti_instant_destroy(env, a);
    sti_system_destroy(s);
    sti_env_destroy(env);
}

// ---- mistakes

typedef struct mistake {
    sti_system_text text;  // on top of one coordinate x
    const char* words;
} mistake;

static void mistakes_in_a_system_are_named(void** state) {
    (void)state;
    const char* const kinetic = "x'^2/2";
    sti_system_contact_text no_gap[] = {{.name = "c"}}, fast_gap[] = {{.gap = "x - x'"}},
                            curved[] = {{.gap = "x", .slip_count = 1, .slip = (const char*[]){"x'^2"}}},
                            still[] = {{.gap = "x", .slip_count = 2, .slip = (const char*[]){"x'", "x"}}},
                            typo[] = {{.gap = "x", .slip_count = 2, .slip = (const char*[]){"x'", "y'"}}},
                            three[] = {{.gap = "x", .slip_count = 3, .slip = (const char*[]){"x'", "x'", "x'"}}},
                            twice[] = {{.name = "c", .gap = "x"}, {.name = "c", .gap = "x"}},
                            rough[] = {{.gap = "x", .mu = "m +"}};
    const mistake row[] = {
        {{.kinetic = NULL}, "kinetic: missing"},
        {{.kinetic = "m*x'^2/2"}, "kinetic: column 1: \"m\": no such name"},
        {{.kinetic = "x'^3"}, "kinetic: a kinetic energy at most quadratic"},
        {{.kinetic = kinetic, .potential = "x + x'"}, "potential: a potential does not depend on velocities"},
        {{.kinetic = kinetic, .forces = (const char*[]){"-x''"}}, "forces.x: column 4: accelerations"},
        {{.kinetic = kinetic, .contact_count = 1, .contacts = no_gap}, "contacts[0].gap: missing"},
        {{.kinetic = kinetic, .joint_count = 1, .joints = no_gap}, "joints[0].constraint: missing"},
        {{.kinetic = kinetic, .contact_count = 1, .contacts = fast_gap}, "contacts[0].gap: a constraint on positions"},
        {{.kinetic = kinetic, .contact_count = 1, .contacts = curved}, "contacts[0].slip[0]: a slip velocity affine"},
        {{.kinetic = kinetic, .contact_count = 1, .contacts = still}, "contacts[0].slip[1]: no velocity stands in it"},
        {{.kinetic = kinetic, .joint_count = 1, .joints = typo}, "joints[0].slip[1]: column 1: \"y\": no such name"},
        {{.kinetic = kinetic, .contact_count = 1, .contacts = three}, "contacts[0].slip: 3 formulas"},
        {{.kinetic = kinetic, .contact_count = 2, .contacts = twice}, "contacts[1].name: \"c\": given twice"},
        {{.kinetic = kinetic, .contact_count = 1, .contacts = rough}, "contacts[0].mu: column 1: \"m\""},
        {{.kinetic = kinetic, .time = "x"}, "state.t: only parameters"},
        {{.kinetic = kinetic, .q = (const char*[]){"1 +"}}, "state.q[0]: column 4: "},
        {{.kinetic = kinetic, .definition_count = 1, .definitions = (sti_system_named[]){{"d", "e*2"}}},
         "definitions.d: column 1: \"e\""},
        {{.kinetic = kinetic, .definition_count = 1, .definitions = (sti_system_named[]){{"x", "2"}}},
         "definitions.x: \"x\": given twice"},
        {{.kinetic = kinetic,
          .parameter_count = 1,
          .parameter_names = (const char*[]){"t"},
          .parameters = (double[]){1}},
         "parameters: \"t\": this name has a meaning already"},
        {{.kinetic = kinetic,
          .parameter_count = 1,
          .parameter_names = (const char*[]){"p"},
          .parameters = (double[]){NAN}},
         "parameters.p: "},
    };
    sti_env* env = make_env(NULL);
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        sti_system_text text = row[k].text;
        sti_system* s;
        text.coordinate_count = 1;
        text.coordinates = (const char*[]){"x"};
        assert_int_equal(sti_system_create(env, &text, &s), STI_ERR_INPUT);
        assert_null(s);
        if (strstr(sti_env_error(env)->text, row[k].words) == NULL) {
            print_error("expected \"%s\" in \"%s\"\n", row[k].words, sti_env_error(env)->text);
            fail();
        }
    }
    sti_system* s;
    assert_int_equal(sti_system_create(env, &(sti_system_text){.kinetic = "0"}, &s), STI_ERR_INPUT);
    sti_env_destroy(env);
}

static void a_place_without_values_is_named(void** state) {
    (void)state;
    const struct {
        sti_system_text text;
        sti_system_contact_text contact;
        const char* words;
    } row[] = {
        {{.kinetic = "x'^2/x"}, {.gap = "x + 1"}, "kinetic: no finite value"},
        {{.kinetic = "x'^2", .potential = "sqrt(x)"}, {.gap = "x + 1"}, "potential: no finite derivative"},
        {{.kinetic = "x'^2"}, {.gap = "x^2"}, "contacts[0].gap: its gradient vanishes"},
        {{.kinetic = "x'^2"},
         {.gap = "x", .mu = "x - 1", .slip_count = 1, .slip = (const char*[]){"x'"}},
         "contacts[0].mu: -1: not below 0"},
        {{.kinetic = "x'^2"}, {.gap = "x", .mu = "1"}, "contacts[0].mu: 1: friction needs slip"},
        {{.kinetic = "x'^2"}, {.gap = "log(x)"}, "contacts[0].gap: no finite value"},
    };
    sti_env* env = make_env(NULL);
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        sti_system_text text = row[k].text;
        text.coordinate_count = 1;
        text.coordinates = (const char*[]){"x"};
        text.contact_count = 1;
        text.contacts = &row[k].contact;
        sti_system* s = create(env, &text);
        sti_instant* a;
        assert_int_equal(sti_system_instant(env, s, 0, (double[]){0}, (double[]){1}, &a), STI_ERR_INPUT);
        assert_null(a);
        if (strstr(sti_env_error(env)->text, row[k].words) == NULL) {
            print_error("expected \"%s\" in \"%s\"\n", row[k].words, sti_env_error(env)->text);
            fail();
        }
        sti_system_destroy(s);
    }
    sti_system* s = create(env, &(sti_system_text){.coordinate_count = 2,
                                                   .coordinates = (const char*[]){"x", "y"},
                                                   .kinetic = "x'^2+y'^2",
                                                   .q = (const char*[]){"y", "x"}});
    assert_int_equal(sti_system_state(s, NULL, NULL, NULL), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, "state.q[0]: no finite value"));
    sti_system_destroy(s);
    sti_env_destroy(env);
}

// ---- a system by a C function: the rod of the scene, written out

static bool rod(void* user, double t, const double* q, const double* v, sti_system_values* out) {
    const double l = 1, c = l * cos(q[2]), s = l * sin(q[2]);
    (void)user;
    (void)t;
    if (q[2] > 3) return false;
    out->M[0] = out->M[4] = 1;
    out->M[8] = 1.0 / 3;
    out->F[1] = 9.81;
    out->k[1] = -9.81;
    out->kinetic = (v[0] * v[0] + v[1] * v[1]) / 2 + v[2] * v[2] / 6;
    out->potential = 9.81 * q[1];
    out->contacts[0].gap = q[1] - s;
    out->contacts[0].mu = 1.5;
    out->contacts[0].n_rate = s * v[2] * v[2];
    out->n[1] = 1;
    out->n[2] = -c;
    out->t[0] = 1;
    out->t[2] = s;
    out->t_rate[0] = c * v[2] * v[2];
    return true;
}

static const sti_system_def rod_def = {.coordinate_count = 3,
                                       .coordinates = (const char*[]){"x", "y", "theta"},
                                       .contact_count = 1,
                                       .contact_names = (const char*[]){"tip"},
                                       .tangent_count = (int[]){1},
                                       .time = 2,
                                       .q = (double[]){0, 0.9, 1.1},
                                       .evaluate = rod};

static void a_c_function_gives_what_the_formulas_give(void** state) {
    (void)state;
    sti_env* env = make_env(NULL);
    sti_document* p = load_scene(env, "painleve-rod");
    sti_system *f = sti_system_of(p), *s;
    assert_int_equal(sti_system_create_def(env, &rod_def, &s), STI_OK);
    const double q[3] = {0.2, 1.3, 0.7}, v[3] = {-1, 0.4, 2};
    sti_instant *a = look(env, f, 0, q, v), *b = look(env, s, 0, q, v);
    for (int k = 0; k < 9; k++) near(a->M[k], b->M[k]);
    for (int k = 0; k < 3; k++) {
        near(a->F[k], b->F[k]);
        near(a->contacts[0].n[k], b->contacts[0].n[k]);
        near(a->contacts[0].t[k], b->contacts[0].t[k]);
    }
    near(a->contacts[0].gap, b->contacts[0].gap);
    near(a->contacts[0].n_rate, b->contacts[0].n_rate);
    near(a->contacts[0].t_rate[0], b->contacts[0].t_rate[0]);
    assert_true(b->contacts[0].mu_kinetic == 1.5);
    assert_string_equal(b->contacts[0].name, "tip");
    double T[2], V[2], gap[2], M[9], t, start[3];
    int rank;
    assert_int_equal(sti_system_energy(f, 0, q, v, &T[0], &V[0]), STI_OK);
    assert_int_equal(sti_system_energy(s, 0, q, v, &T[1], &V[1]), STI_OK);
    near(T[0], T[1]);
    near(V[0], V[1]);
    assert_int_equal(sti_system_gap(f, 0, q, &gap[0]), STI_OK);
    assert_int_equal(sti_system_gap(s, 0, q, &gap[1]), STI_OK);
    near(gap[0], gap[1]);
    double k[3], k_q[9], k_v[9];
    assert_int_equal(sti_system_force(s, 0, q, v, k, k_q, k_v), STI_OK);
    assert_true(k[1] == -9.81 && k[2] == 0 && k_q[4] == 0 && k_v[4] == 0);
    assert_int_equal(sti_system_mass(s, 0, q, M, &rank), STI_OK);
    assert_int_equal(rank, 3);
    assert_int_equal(sti_system_state(s, &t, start, NULL), STI_OK);
    assert_true(t == 2 && start[1] == 0.9);
    assert_int_equal(sti_system_instant_update(s, 0, (double[]){0, 0, 4}, v, b), STI_ERR_INPUT);
    sti_instant_destroy(env, a);
    sti_instant_destroy(env, b);
    sti_system_destroy(s);
    sti_system_def bad = rod_def;
    bad.evaluate = NULL;
    assert_int_equal(sti_system_create_def(env, &bad, &s), STI_ERR_ARGUMENT);
    bad = rod_def;
    bad.tangent_count = (int[]){3};
    assert_int_equal(sti_system_create_def(env, &bad, &s), STI_ERR_ARGUMENT);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void every_failed_allocation_of_a_system_is_survived(void** state) {
    (void)state;
    char path[400];
    snprintf(path, sizeof path, "%s/scenes/pendulum.json", STI_SOURCE_DIR);
    for (int kind = 0; kind < 2; kind++) {
        for (long k = 0;; k++) {
            failing_env f;
            sti_document* p = NULL;
            sti_system *made = NULL, *s = NULL;
            sti_instant* a = NULL;
            double q[3], v[3];
            failing_env_open(&f, k);
            sti_status status =
                kind == 0 ? sti_document_load(f.env, path, &p) : sti_system_create_def(f.env, &rod_def, &made);
            if (status == STI_OK) s = kind == 0 ? sti_system_of(p) : made;
            if (status == STI_OK) status = sti_system_state(s, NULL, q, v);
            if (status == STI_OK) status = sti_system_instant(f.env, s, 0, q, v, &a);
            assert_true(status == STI_OK || status == STI_ERR_MEMORY);
            sti_instant_destroy(f.env, a);
            sti_system_destroy(made);
            sti_document_destroy(p);
            if (failing_env_close(&f)) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_has_its_closed_form),
        cmocka_unit_test(a_double_pendulum_has_its_closed_form),
        cmocka_unit_test(explicit_time_is_taken_into_account),
        cmocka_unit_test(block_and_pendulum_agree_with_the_reference),
        cmocka_unit_test(systems_of_figure_1_agree_with_the_reference),
        cmocka_unit_test(the_rod_is_critical_at_four_thirds),
        cmocka_unit_test(energy_is_balanced_and_rates_are_rates_in_every_scene),
        cmocka_unit_test(every_scene_starts_where_its_contacts_are),
        cmocka_unit_test(parameters_and_starts_go_together),
        cmocka_unit_test(applied_forces_have_their_derivatives),
        cmocka_unit_test(a_singular_mass_matrix_is_reported),
        cmocka_unit_test(a_kink_is_warned_of_once),
        cmocka_unit_test(mistakes_in_a_system_are_named),
        cmocka_unit_test(a_place_without_values_is_named),
        cmocka_unit_test(a_c_function_gives_what_the_formulas_give),
        cmocka_unit_test(every_failed_allocation_of_a_system_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
