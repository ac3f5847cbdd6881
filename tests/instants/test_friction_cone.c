// Pointedness of friction cones by how much: closed forms, the reference cases of S3, random search, and every claim
// checked.
#include <math.h>
#include <stdlib.h>
#include <stiction/pointed.h>

#include "base/rng.h"
#include "support/group_env.h"
#include "support/oracle.h"
#include "support/sanitized.h"

enum { S = 6, MOST = 8 };

// A cone with room for its tables.
typedef struct cone {
    sti_friction_cone k;
    double joints[MOST * S], normals[MOST * S], directions[4 * MOST * S], mu[MOST];
    int direction[MOST + 1];
} cone;

static void open_cone(cone* c, int s) {
    *c = (cone){.k = {.dimension = s}};
    c->k.joints = c->joints;
    c->k.normals = c->normals;
    c->k.directions = c->directions;
    c->k.mu = c->mu;
    c->k.direction = c->direction;
}

static void add_contact(cone* c, const double* n, double mu) {
    const int p = c->k.contact_count++;
    memcpy(c->normals + p * c->k.dimension, n, (size_t)c->k.dimension * sizeof *n);
    c->mu[p] = mu;
    c->direction[p + 1] = c->direction[p];
}

static void add_direction(cone* c, const double* d, double sign) {
    const int at = c->direction[c->k.contact_count]++;
    for (int j = 0; j < c->k.dimension; j++) c->directions[at * c->k.dimension + j] = sign * d[j];
}

static void add_joint(cone* c, const double* nu) {
    memcpy(c->joints + c->k.joint_count++ * c->k.dimension, nu, (size_t)c->k.dimension * sizeof *nu);
}

static sti_friction_cone_margin measure(const cone* c, bool checked) {
    sti_friction_cone_margin f;
    sti_friction_cone_verification v;
    assert_int_equal(sti_friction_cone_measure(group_env, &c->k, &f), STI_OK);
    assert_int_equal(sti_verify_friction_cone(group_env, &c->k, &f, 2000000, &v), STI_OK);
    if (!v.accepted || (checked && !v.bound_checked)) print_error("%s: c %.12g bound %.12g\n", v.text, f.c, f.bound);
    assert_true(v.accepted && (!checked || v.bound_checked));
    return f;
}

// One planar contact: sqrt(1 + mu^2 / 2), where friction cancels: beta = (mu / 2, mu / 2).
static void one_contact_in_closed_form(void** state) {
    (void)state;
    for (int k = 1; k <= 20; k++) {
        const double mu = 0.1 * k;
        cone c;
        open_cone(&c, 2);
        add_contact(&c, (double[]){0, 1}, mu);
        add_direction(&c, (double[]){1, 0}, 1);
        add_direction(&c, (double[]){1, 0}, -1);
        sti_friction_cone_margin f = measure(&c, true);
        assert_true(f.pointed && f.all_faces && fabs(f.c - sqrt(1 + mu * mu / 2)) < 1e-12);
        sti_friction_cone_margin_clear(group_env, &f);
    }
}

static void read_rows(const cJSON* rows, cone* c, int kind, double mu) {
    const cJSON *row, *entry;
    cJSON_ArrayForEach(row, rows) {
        double x[S];
        int n = 0;
        cJSON_ArrayForEach(entry, row) x[n++] = cJSON_GetNumberValue(entry);
        if (kind == 0) add_joint(c, x);
        if (kind == 1) add_contact(c, x, mu);
        if (kind == 2) add_direction(c, x, 1);
    }
}

static void reference_constants(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    int seen = 0;
    const cJSON* item;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        const char* id = oracle_id(item);
        if (id == NULL || strncmp(id, "CON-", 4) != 0) continue;
        const cJSON *normals = oracle_get(item, "inputs", "n"), *pointed = oracle_get(item, "expected", "pointed");
        const cJSON* total = oracle_get(item, "expected", "c_FC_total");
        if (total == NULL && pointed == NULL) continue;
        cone c;
        open_cone(&c, cJSON_GetArraySize(cJSON_GetArrayItem(normals, 0)));
        read_rows(oracle_get(item, "inputs", "nu"), &c, 0, 0);
        for (int i = 0; i < cJSON_GetArraySize(normals); i++) {
            cJSON* one = cJSON_CreateArray();
            cJSON_AddItemToArray(one, cJSON_Duplicate(cJSON_GetArrayItem(normals, i), true));
            read_rows(one, &c, 1, cJSON_GetNumberValue(cJSON_GetArrayItem(oracle_get(item, "inputs", "mu"), i)));
            read_rows(cJSON_GetArrayItem(oracle_get(item, "inputs", "D"), i), &c, 2, 0);
            cJSON_Delete(one);
        }
        sti_friction_cone_margin f = measure(&c, true);
        const cJSON* expected = total != NULL ? total : oracle_get(item, "expected", "c_FC");
        if (pointed != NULL) assert_int_equal(f.pointed, cJSON_IsTrue(pointed));
        if (expected != NULL) {
            assert_true(fabs(f.c - cJSON_GetNumberValue(expected)) <= 1e-8 * f.c);
            seen++;
        }
        sti_friction_cone_margin_clear(group_env, &f);
    }
    assert_true(seen >= 4);
    cJSON_Delete(root);
}

static double symmetric(sti_rng* rng) {
    return 2 * sti_rng_u01(rng) - 1;
}

static void random_cone(sti_rng* rng, int s, int contacts, int joints, cone* c) {
    open_cone(c, s);
    for (int i = 0; i < joints; i++) {
        double nu[S];
        for (int j = 0; j < s; j++) nu[j] = symmetric(rng);
        add_joint(c, nu);
    }
    for (int i = 0; i < contacts; i++) {
        double n[S], d[S];
        for (int j = 0; j < s; j++) {
            n[j] = symmetric(rng);
            d[j] = symmetric(rng);
        }
        add_contact(c, n, sti_rng_u01(rng));
        add_direction(c, d, 1);
        add_direction(c, d, -1);
    }
}

// |x| / |z| of random multipliers, pushed on by small changes that help.
static double search(sti_rng* rng, const cone* c) {
    const int m = c->k.joint_count, p = c->k.contact_count, s = c->k.dimension;
    double best = 0, kept[MOST * 4] = {0};
    for (int k = 0; k < 4000; k++) {
        double y[MOST * 4], z[S] = {0}, size = 0;
        const double step = k < 1000 ? 1 : pow(0.998, k - 1000);
        for (int i = 0; i < m + 3 * p; i++) {
            y[i] = k < 1000 ? (i < m ? 3 * symmetric(rng) : fmax(0, symmetric(rng))) : kept[i] + step * symmetric(rng);
            if (i >= m) y[i] = fmax(0, y[i]);
        }
        for (int i = 0; i < m; i++) {
            size += y[i] * y[i];
            for (int j = 0; j < s; j++) z[j] += y[i] * c->joints[i * s + j];
        }
        for (int i = 0; i < p; i++) {
            const double *w = y + m + 3 * i, c_n = w[0] + w[1] + w[2], mu = c->mu[i];
            size += c_n * c_n + mu * mu * (w[1] * w[1] + w[2] * w[2]);
            for (int j = 0; j < s; j++)
                z[j] += c_n * c->normals[i * s + j] + mu * (w[1] - w[2]) * c->directions[2 * i * s + j];
        }
        double length = 0;
        for (int j = 0; j < s; j++) length += z[j] * z[j];
        if (!(sqrt(size / length) > best)) continue;
        best = sqrt(size / length);
        memcpy(kept, y, sizeof y);
    }
    return best;
}

static void random_search_stays_below_the_constant(void** state) {
    (void)state;
    sti_rng rng = {3};
    int pointed = 0, flat = 0, reached = 0;
    const int trials = SANITIZED ? 60 : 1000;
    for (int trial = 0; trial < trials; trial++) {
        cone c;
        random_cone(&rng, 3 + trial % 3, 1 + trial % 3, trial % 2, &c);
        sti_friction_cone_margin f = measure(&c, false);
        if (!f.pointed) {
            flat++;
        } else {
            pointed++;
            const double found = search(&rng, &c);
            assert_true(found <= f.c * (1 + 1e-9));
            reached += found >= f.c * (1 - 1e-3);
        }
        sti_friction_cone_margin_clear(group_env, &f);
    }
    assert_true(pointed > trials / 2 && flat > 0 && reached > pointed / 2);
}

// More generators than faces are searched for: bounds on both sides.
static void large_cones_have_bounds(void** state) {
    (void)state;
    cone c;
    open_cone(&c, 3);
    for (int i = 0; i < 6; i++) {
        const double a = 0.15 * (i - 2.5);
        add_contact(&c, (double[]){sin(a), cos(a), 0.1 * i}, 0.3);
        add_direction(&c, (double[]){cos(a), -sin(a), 0.2}, 1);
        add_direction(&c, (double[]){cos(a), -sin(a), 0.2}, -1);
    }
    sti_friction_cone_margin f = measure(&c, true);
    assert_true(f.pointed && !f.all_faces && f.c >= 1 && f.bound >= f.c && f.bound < 100);
    sti_friction_cone_margin_clear(group_env, &f);
}

static void wrong_claims_are_refused(void** state) {
    (void)state;
    cone c;
    open_cone(&c, 2);
    add_contact(&c, (double[]){0, 1}, 0.5);
    add_direction(&c, (double[]){1, 0}, 1);
    add_direction(&c, (double[]){1, 0}, -1);
    for (int what = 0; what < 4; what++) {
        sti_friction_cone_margin f;
        sti_friction_cone_verification v;
        assert_int_equal(sti_friction_cone_measure(group_env, &c.k, &f), STI_OK);
        if (what == 0) f.c = f.bound = f.c * 0.99;
        if (what == 1) f.margin *= 1.01;
        if (what == 2) f.x[1] = -f.x[1];
        if (what == 3) f.c *= 1.01;
        assert_int_equal(sti_verify_friction_cone(group_env, &c.k, &f, 100000, &v), STI_OK);
        assert_false(v.accepted);
        sti_friction_cone_margin_clear(group_env, &f);
    }
    // the constant of smaller multipliers is a lower bound, not the constant
    sti_friction_cone_margin f;
    sti_friction_cone_verification v;
    assert_int_equal(sti_friction_cone_measure(group_env, &c.k, &f), STI_OK);
    memset(f.x, 0, (size_t)f.count * sizeof *f.x);
    f.x[0] = f.c = 1;
    f.bound = 1 + 1e-9;
    assert_int_equal(sti_verify_friction_cone(group_env, &c.k, &f, 100000, &v), STI_OK);
    assert_false(v.accepted);
    sti_friction_cone_margin_clear(group_env, &f);
    c.mu[0] = NAN;
    assert_int_equal(sti_friction_cone_measure(group_env, &c.k, &f), STI_ERR_INPUT);
}

// With M = 1 both forms of a contact problem, and an instant with the same rows, have the same constant.
static void forms_of_one_problem_agree(void** state) {
    (void)state;
    sti_rng rng = {19};
    for (int trial = 0; trial < 40; trial++) {
        enum { N = 4, D = 2, C = 2 };
        double H[N * D * C], W[D * C * D * C] = {0}, M[N * N] = {0}, zero[N * D * C] = {0}, mu[C] = {0.3, 0.7},
                                           rows[C][2 * N];
        for (int k = 0; k < N * D * C; k++) H[k] = symmetric(&rng);
        for (int i = 0; i < N; i++) M[i * N + i] = 1;
        for (int a = 0; a < D * C; a++) {
            for (int b = 0; b < D * C; b++) {
                for (int i = 0; i < N; i++) W[a * D * C + b] += H[i * D * C + a] * H[i * D * C + b];
            }
        }
        const sti_contact_problem global = {.dimension = D,
                                            .contact_count = C,
                                            .mu = mu,
                                            .global = true,
                                            .velocity_count = N,
                                            .M = sti_matrix_dense_view(N, N, M),
                                            .H = sti_matrix_dense_view(N, D * C, H),
                                            .f = zero,
                                            .w = zero};
        const sti_contact_problem local = {
            .dimension = D, .contact_count = C, .mu = mu, .W = sti_matrix_dense_view(D * C, D * C, W), .q = zero};
        sti_instant_contact contacts[C];
        for (int c = 0; c < C; c++) {
            for (int i = 0; i < N; i++) {
                rows[c][i] = H[i * D * C + D * c];
                rows[c][N + i] = H[i * D * C + D * c + 1];
            }
            contacts[c] = (sti_instant_contact){.name = "c",
                                                .mu = mu[c],
                                                .mu_kinetic = mu[c],
                                                .tangent_count = 1,
                                                .n = rows[c],
                                                .t = rows[c] + N,
                                                .t_rate = zero};
        }
        const sti_instant instant = {
            .n = N, .contact_count = C, .tangent_total = C, .M = M, .F = zero, .v = zero, .contacts = contacts};
        double c[3];
        for (int form = 0; form < 3; form++) {
            sti_friction_cone* k;
            sti_friction_cone_margin f;
            assert_int_equal(form == 0   ? sti_friction_cone_create_contact(group_env, &global, &k)
                             : form == 1 ? sti_friction_cone_create_contact(group_env, &local, &k)
                                         : sti_friction_cone_create_instant(group_env, &instant, 1e-9, &k),
                             STI_OK);
            assert_int_equal(sti_friction_cone_measure(group_env, k, &f), STI_OK);
            c[form] = f.c;
            sti_friction_cone_margin_clear(group_env, &f);
            sti_friction_cone_destroy(group_env, k);
        }
        assert_true(fabs(c[0] - c[1]) <= 1e-7 * c[0] && fabs(c[0] - c[2]) <= 1e-12 * c[0]);
    }
    sti_friction_cone* none;
    double bad[1] = {-1}, mu = 0, q = 0;
    const sti_contact_problem indefinite = {
        .dimension = 1, .contact_count = 1, .mu = &mu, .W = sti_matrix_dense_view(1, 1, bad), .q = &q};
    assert_int_equal(sti_friction_cone_create_contact(group_env, &indefinite, &none), STI_ERR_INPUT);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    sti_rng rng = {8};
    cone c;
    random_cone(&rng, 4, 2, 1, &c);
    for (long k = 0;; k++) {
        failing_env f;
        sti_friction_cone_margin margin;
        sti_friction_cone_verification v;
        failing_env_open(&f, k);
        sti_status status = sti_friction_cone_measure(f.env, &c.k, &margin);
        if (status == STI_OK) status = sti_verify_friction_cone(f.env, &c.k, &margin, 10000, &v);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_friction_cone_margin_clear(f.env, &margin);
        if (failing_env_close(&f)) break;
    }
    double W[4] = {2, 0.5, 0.5, 1}, mu = 0.3, q[2] = {0}, n[2] = {0, 1}, t[2] = {1, 0}, M[4] = {1, 0, 0, 1};
    const sti_contact_problem problem = {
        .dimension = 2, .contact_count = 1, .mu = &mu, .W = sti_matrix_dense_view(2, 2, W), .q = q};
    const sti_instant_contact contact = {
        .name = "c", .mu = mu, .mu_kinetic = mu, .tangent_count = 1, .n = n, .t = t, .t_rate = q};
    const sti_instant instant = {
        .n = 2, .contact_count = 1, .tangent_total = 1, .M = M, .F = q, .v = q, .contacts = &contact};
    for (int form = 0; form < 2; form++) {
        for (long k = 0;; k++) {
            failing_env f;
            sti_friction_cone* made;
            failing_env_open(&f, k);
            const sti_status status = form == 0 ? sti_friction_cone_create_contact(f.env, &problem, &made)
                                                : sti_friction_cone_create_instant(f.env, &instant, 1e-9, &made);
            if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
            sti_friction_cone_destroy(f.env, made);
            if (failing_env_close(&f)) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_contact_in_closed_form),
        cmocka_unit_test(reference_constants),
        cmocka_unit_test(random_search_stays_below_the_constant),
        cmocka_unit_test(large_cones_have_bounds),
        cmocka_unit_test(wrong_claims_are_refused),
        cmocka_unit_test(forms_of_one_problem_agree),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
