// Kinetic quasi-velocities: the identities of S1 section 2 on random instants, degenerate ones, and failing memory.
#include <math.h>
#include <stiction/system.h>
#include <stiction/velocities.h>

#include "support/failing_env.h"
#include "support/few_contacts.h"
#include "support/random.h"

static sti_env* env;

// M = A A' + I / 10, random gradients, slips, forces and velocity.
static void random_instant(sti_rng* rng, few_contacts* f, int n, int c) {
    double A[FEW_N * FEW_N];
    few_begin(f, n);
    for (int i = 0; i < n * n; i++) A[i] = symmetric(rng);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            f->M[i * n + j] = i == j ? 0.1 : 0;
            for (int l = 0; l < n; l++) f->M[i * n + j] += A[i * n + l] * A[j * n + l];
        }
        f->v[i] = symmetric(rng);
        f->F[i] = symmetric(rng);
    }
    for (int i = 0; i < c; i++) {
        double normal[FEW_N], tangent[FEW_N];
        for (int j = 0; j < n; j++) {
            normal[j] = symmetric(rng);
            tangent[j] = symmetric(rng);
        }
        few_add(f, normal, tangent, 0.5, 0.5)->bilateral = i % 3 == 2;
    }
}

static double form(const few_contacts* f, const double* x, const double* y) {
    double sum = 0;
    for (int i = 0; i < f->in.n; i++) {
        for (int j = 0; j < f->in.n; j++) sum += x[i] * f->M[i * f->in.n + j] * y[j];
    }
    return sum;
}

static void near_to(double a, double b) {
    assert_true(fabs(a - b) <= 1e-9 * (1 + fabs(b)));
}

static void identities_hold_on_random_instants(void** state) {
    (void)state;
    sti_rng rng = {11};
    for (int trial = 0; trial < 300; trial++) {
        const int n = sti_rng_int(&rng, 1, 6), c = sti_rng_int(&rng, 0, n);
        few_contacts f;
        sti_velocities* k;
        random_instant(&rng, &f, n, c);
        assert_int_equal(sti_velocities_create(env, &f.in, NULL, &k), STI_OK);
        assert_int_equal(k->count, c);
        assert_int_equal(k->rank, c);
        assert_int_equal(k->tangent_count, n - c);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                const double product = form(&f, k->Xi + i * n, k->Xi + j * n);
                if (i == j) near_to(product, 1);
                if (i < c && j >= c) near_to(product, 0);
                if (i < c && j < c) near_to(product, k->G[i * c + j]);
                if (i >= c && j >= c && i != j) near_to(product, 0);
            }
            near_to(k->back[i], f.v[i]);
        }
        for (int i = 0; i < c * c; i++) near_to(-cos(k->angle[i]), k->G[i]);
        near_to(k->T, 0.5 * form(&f, f.v, f.v));
        near_to(k->T_quasi, k->T);
        near_to(k->T_compatible_16, k->T_compatible);
        for (int l = 0; l < k->slip_count; l++) near_to(k->v_t_quasi[l], k->v_t[l]);
        double v[FEW_N], qdot[FEW_N];
        sti_velocities_to_quasi(k, f.v, v);
        sti_velocities_from_quasi(k, v, qdot);
        for (int i = 0; i < n; i++) near_to(qdot[i], f.v[i]);
        sti_velocities_destroy(env, k);
    }
}

static void powers_agree_in_both_coordinates(void** state) {
    (void)state;
    sti_rng rng = {12};
    for (int trial = 0; trial < 100; trial++) {
        few_contacts f;
        sti_velocities* k;
        sti_velocities_power power;
        double lambda_n[FEW_N], lambda_t[FEW_N];
        random_instant(&rng, &f, 5, 3);
        for (int i = 0; i < 3; i++) {
            lambda_n[i] = symmetric(&rng);
            lambda_t[i] = symmetric(&rng);
        }
        assert_int_equal(sti_velocities_create(env, &f.in, NULL, &k), STI_OK);
        assert_int_equal(sti_velocities_power_of(env, k, lambda_n, lambda_t, &power), STI_OK);
        double normal = 0, tangential = 0;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 5; j++) {
                normal += lambda_n[i] * f.n[i][j] * f.v[j];
                tangential += lambda_t[i] * f.t[i][j] * f.v[j];
            }
        }
        near_to(power.normal, normal);
        near_to(power.normal_quasi, normal);
        near_to(power.tangential, tangential);
        near_to(power.tangential_quasi, tangential);
        sti_velocities_destroy(env, k);
    }
}

// A body on one or two curved floors, mass and gradients all depending on where it is.
static sti_system* make_moving(int contacts) {
    static const char* const slips[] = {"x' + 0.5*cos(a)*a'"};
    const sti_system_contact_text floors[2] = {
        {.name = "low", .gap = "y - 0.5*sin(a) + 0.1*x^2 - 0.02*t", .slip_count = 1, .slip = slips, .mu = "0.3"},
        {.name = "side", .gap = "x + 0.3*cos(a)*y", .slip_count = 1, .slip = slips, .mu = "0.3"}};
    const sti_system_text text = {.coordinate_count = 3,
                                  .coordinates = (const char*[]){"x", "y", "a"},
                                  .kinetic = "(x'^2 + y'^2)/2 + 0.3*cos(a)*x'*a' + (1 + 0.2*sin(x))*a'^2/2",
                                  .potential = "9.81*y",
                                  .contact_count = contacts,
                                  .contacts = floors};
    sti_system* system;
    assert_int_equal(sti_system_create(env, &text, &system), STI_OK);
    return system;
}

static sti_velocities* look_at(const sti_system* system, double t, const double* q, const double* v, sti_instant** in) {
    sti_velocities_options o = sti_velocities_options_default();
    sti_velocities* k;
    o.gap_tol = INFINITY;
    assert_int_equal(sti_system_instant(env, system, t, q, v, in), STI_OK);
    assert_int_equal(sti_velocities_create(env, *in, &o, &k), STI_OK);
    return k;
}

static void rates_are_those_of_the_motion(void** state) {
    (void)state;
    sti_rng rng = {31};
    const double h = 1e-4;
    for (int trial = 0; trial < 200; trial++) {
        const int contacts = 1 + trial % 2;
        sti_system* system = make_moving(contacts);
        double q[3], v[3], lambda_n[2], lambda_t[2], a[3], M_rate[9], n_rate[6], rate[3], forces[3];
        for (int j = 0; j < 3; j++) {
            q[j] = symmetric(&rng);
            v[j] = symmetric(&rng);
        }
        for (int i = 0; i < 2; i++) {
            lambda_n[i] = symmetric(&rng);
            lambda_t[i] = symmetric(&rng);
        }
        sti_instant *in, *side[2];
        sti_velocities *k = look_at(system, 0.5, q, v, &in), *at[2];
        for (int s = 0; s < 2; s++) {  // M and n along the motion, then the quasi-velocities there
            double there[3];
            for (int j = 0; j < 3; j++) there[j] = q[j] + (s ? -1e-5 : 1e-5) * v[j];
            assert_int_equal(sti_system_instant(env, system, 0.5 + (s ? -1e-5 : 1e-5), there, v, &side[s]), STI_OK);
        }
        for (int j = 0; j < 9; j++) M_rate[j] = (side[0]->M[j] - side[1]->M[j]) / 2e-5;
        for (int i = 0; i < contacts; i++) {
            for (int j = 0; j < 3; j++)
                n_rate[3 * i + j] = (side[0]->contacts[i].n[j] - side[1]->contacts[i].n[j]) / 2e-5;
        }
        const sti_velocities_motion motion = {.M_rate = M_rate, .n_rate = n_rate};
        assert_int_equal(sti_velocities_rates_of(env, k, in, lambda_n, lambda_t, &motion, rate, forces), STI_OK);
        sti_velocities_from_quasi(k, forces, a);  // Xi M a = forces
        double residual[3];                       // M a + F - n lambda_n - t lambda_t
        for (int i = 0; i < 3; i++) {
            residual[i] = in->F[i];
            for (int j = 0; j < 3; j++) residual[i] += in->M[3 * i + j] * a[j];
            for (int l = 0; l < contacts; l++)
                residual[i] -= in->contacts[l].n[i] * lambda_n[l] + in->contacts[l].t[i] * lambda_t[l];
            assert_true(fabs(residual[i]) < 1e-10);
        }
        for (int s = 0; s < 2; s++) {
            const double step = s ? -h : h;
            double there[3], then[3];
            for (int j = 0; j < 3; j++) {
                there[j] = q[j] + step * v[j] + step * step * a[j] / 2;
                then[j] = v[j] + step * a[j];
            }
            sti_instant_destroy(env, side[s]);
            at[s] = look_at(system, 0.5 + step, there, then, &side[s]);
        }
        for (int i = 0; i < contacts; i++)
            assert_true(fabs((at[0]->qdot_norm[i] - at[1]->qdot_norm[i]) / (2 * h) - rate[i]) < 1e-5);
        double power = 0;  // of the tangential part: the same for every frame
        for (int i = 0; i < k->tangent_count; i++) power += k->qdot_tan[i] * rate[contacts + i];
        assert_true(fabs((at[0]->T_tan - at[1]->T_tan) / (2 * h) - power) < 1e-5);
        // without the motion only what one instant tells
        assert_int_equal(sti_velocities_rates_of(env, k, in, lambda_n, lambda_t, NULL, rate, forces), STI_OK);
        for (int i = 0; i < 3; i++) assert_true(isnan(rate[i]));
        for (int s = 0; s < 2; s++) {
            sti_velocities_destroy(env, at[s]);
            sti_instant_destroy(env, side[s]);
        }
        sti_velocities_destroy(env, k);
        sti_instant_destroy(env, in);
        sti_system_destroy(system);
    }
}

// The rod of S1 2.3.3, tip at rest on the floor: (35) with S1-E3. With n'v = 0 an instant is enough for the normal
// part.
static void a_lasting_contact_needs_no_motion(void** state) {
    (void)state;
    const double m = 2, l = 0.7, I = m * l * l / 3, th = 0.6, w = 1.3, g = 9.81;
    few_contacts f;
    few_begin(&f, 3);
    f.M[0] = f.M[4] = m;
    f.M[8] = I;
    few_add(&f, (double[]){0, 1, -l * cos(th)}, (double[]){1, 0, l * sin(th)}, 0.4, 0);
    f.F[1] = m * g;
    f.v[0] = 0.2;
    f.v[1] = l * cos(th) * w;
    f.v[2] = w;
    f.contact[0].n_rate = l * sin(th) * w * w;
    sti_velocities* k;
    double rate[3], forces[3], norm = sqrt(1 / m + l * l * cos(th) * cos(th) / I);
    assert_int_equal(sti_velocities_create(env, &f.in, NULL, &k), STI_OK);
    assert_int_equal(sti_velocities_rates_of(env, k, &f.in, (double[]){5}, (double[]){-1}, NULL, rate, forces), STI_OK);
    const double expected =
        norm * 5 - (-l * cos(th)) * l * sin(th) / (I * norm) - g / norm + l * sin(th) * w * w / norm;
    near_to(rate[0], expected);
    assert_true(isnan(rate[1]) && isnan(rate[2]));
    assert_int_equal(sti_velocities_rates_of(env, k, &(sti_instant){.n = 2}, NULL, NULL, NULL, rate, forces),
                     STI_ERR_ARGUMENT);
    sti_velocities_destroy(env, k);
}

static void dependent_gradients_keep_the_energy(void** state) {
    (void)state;
    sti_rng rng = {13};
    few_contacts f;
    sti_velocities* k;
    random_instant(&rng, &f, 4, 2);
    double sum[FEW_N];
    for (int j = 0; j < 4; j++) sum[j] = f.n[0][j] - 2 * f.n[1][j];
    few_add(&f, sum, NULL, 0, 0);
    assert_int_equal(sti_velocities_create(env, &f.in, NULL, &k), STI_OK);
    assert_int_equal(k->count, 3);
    assert_int_equal(k->rank, 2);
    assert_int_equal(k->tangent_count, 2);
    near_to(k->T_quasi, k->T);
    for (int j = 0; j < 4; j++) near_to(k->back[j], f.v[j]);
    sti_velocities_destroy(env, k);
}

static void belts_add_to_slips_and_not_to_powers(void** state) {
    (void)state;
    static const double belt[1] = {0.75};
    sti_rng rng = {12};
    few_contacts f;
    sti_velocities *still, *moved;
    sti_velocities_power power;
    random_instant(&rng, &f, 4, 3);  // the third is a joint
    assert_int_equal(sti_velocities_create(env, &f.in, NULL, &still), STI_OK);
    near_to(still->T_compatible_16, still->T_compatible);
    f.contact[1].t_offset = belt;
    f.contact[2].n_offset = 0.5;
    assert_int_equal(sti_velocities_create(env, &f.in, NULL, &moved), STI_OK);
    for (int i = 0; i < 3; i++) {
        near_to(moved->v_t[i], still->v_t[i] + (i == 1 ? 0.75 : 0));
        near_to(moved->v_t_quasi[i], moved->v_t[i]);
    }
    assert_int_equal(sti_velocities_power_of(env, moved, (double[]){1, 2, 3}, (double[]){-1, 2, 1}, &power), STI_OK);
    near_to(power.tangential, power.tangential_quasi);
    double joint = 0.5;  // the joint's rate at the velocity that fits it
    for (int j = 0; j < 4; j++) joint += f.n[2][j] * moved->compatible[j];
    near_to(joint, 0);
    assert_true(isnan(moved->T_compatible_16));
    sti_velocities_destroy(env, still);
    sti_velocities_destroy(env, moved);
}

static void contacts_that_are_apart_take_no_part(void** state) {
    (void)state;
    sti_rng rng = {14};
    few_contacts f;
    sti_velocities* k;
    random_instant(&rng, &f, 4, 2);
    f.contact[0].gap = 0.1;
    assert_int_equal(sti_velocities_create(env, &f.in, NULL, &k), STI_OK);
    assert_int_equal(k->count, 1);
    assert_int_equal(k->contact[0], 1);
    sti_velocities_destroy(env, k);
}

static void given_tangents_are_used_or_refused(void** state) {
    (void)state;
    few_contacts f;
    sti_velocities* k;
    few_begin(&f, 2);
    few_mass(&f, 0, 4);
    few_mass(&f, 1, 1);
    f.v[0] = 3;
    f.v[1] = -1;
    few_add(&f, (double[]){0, 1}, NULL, 0, 0);
    const double good[2] = {-2, 0}, bad[2] = {1, 0.1};
    sti_velocities_options o = sti_velocities_options_default();
    o.t_q = good;
    assert_int_equal(sti_velocities_create(env, &f.in, &o, &k), STI_OK);
    near_to(k->qdot_tan[0], -24);
    near_to(k->T_tan, 18);
    near_to(k->back[0], 3);
    sti_velocities_destroy(env, k);
    o.t_q = bad;
    assert_int_equal(sti_velocities_create(env, &f.in, &o, &k), STI_ERR_INPUT);
    assert_null(k);
}

static void singular_mass_is_refused(void** state) {
    (void)state;
    few_contacts f;
    sti_velocities* k;
    few_begin(&f, 2);
    few_mass(&f, 0, 1);
    few_add(&f, (double[]){0, 1}, NULL, 0, 0);
    assert_int_equal(sti_velocities_create(env, &f.in, NULL, &k), STI_ERR_INPUT);
    assert_null(k);
}

static void every_failing_allocation_is_survived(void** state) {
    (void)state;
    sti_rng rng = {15};
    few_contacts f;
    random_instant(&rng, &f, 5, 3);
    for (long a = 0;; a++) {
        failing_env fail;
        sti_velocities* k;
        failing_env_open(&fail, a);
        sti_status status = sti_velocities_create(fail.env, &f.in, NULL, &k);
        if (status == STI_OK) {
            sti_velocities_power power;
            const double ones[3] = {1, 1, 1};
            status = sti_velocities_power_of(fail.env, k, ones, ones, &power);
            sti_velocities_destroy(fail.env, k);
        }
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&fail)) break;
    }
}

int main(void) {
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identities_hold_on_random_instants),   cmocka_unit_test(powers_agree_in_both_coordinates),
        cmocka_unit_test(rates_are_those_of_the_motion),        cmocka_unit_test(a_lasting_contact_needs_no_motion),
        cmocka_unit_test(dependent_gradients_keep_the_energy),  cmocka_unit_test(contacts_that_are_apart_take_no_part),
        cmocka_unit_test(given_tangents_are_used_or_refused),   cmocka_unit_test(singular_mass_is_refused),
        cmocka_unit_test(belts_add_to_slips_and_not_to_powers), cmocka_unit_test(every_failing_allocation_is_survived),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sti_env_destroy(env);
    return failed;
}
