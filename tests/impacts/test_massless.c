// Impacts and quasi-velocities where M is singular: a lever without mass, closed forms; what has no limit; allocations.
// Random instants: study_massless.c.
#include <math.h>
#include <stiction/stiction.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/near.h"

static sti_env* env;

// A mass at (x, y) over a lever s = x / 2 without mass; w is a velocity of nothing.
//
//     gap y - s:   n = (-1/2, 1) on (x, y),   |n|^2 = 5/4,   n'v- = -3/2,   p = (1 + e) (3/2) / (5/4)
typedef struct lever {
    double M[16], F[4], v[4], joint[4], n[4], t[4], none[1];
    sti_instant_contact contact[2];
    sti_instant instant;
} lever;

static void make_lever(lever* k) {
    *k = (lever){.v = {1, -1, 0.5, 7}, .joint = {-0.5, 0, 1, 0}, .n = {0, 1, -1, 0}, .t = {1, 0, -1, 0}};
    k->M[0] = k->M[5] = 1;
    k->contact[0] = (sti_instant_contact){.name = "lever", .bilateral = true, .n = k->joint, .t_rate = k->none};
    k->contact[1] = (sti_instant_contact){
        .name = "tip", .n = k->n, .t = k->t, .t_rate = k->none, .tangent_count = 1, .restitution = 0.5};
    k->instant = (sti_instant){
        .n = 4, .contact_count = 2, .tangent_total = 1, .M = k->M, .F = k->F, .v = k->v, .contacts = k->contact};
}

static void a_lever_without_mass_hands_the_impulse_on(void** state) {
    (void)state;
    lever k;
    make_lever(&k);
    sti_impact* a;
    assert_int_equal(sti_impact_create(env, &k.instant, NULL, &a), STI_OK);
    assert_true(a->singular && a->idle == 1 && a->n == 4 && a->m == 1 && a->joint[0] == 0 && a->contact[0] == 1);
    assert_near(a->norm[0], sqrt(1.25), 1e-14);
    const double v[4] = {0.1, 0.8, 0.05, 7};
    for (int l = STI_IMPACT_NEWTON; l <= STI_IMPACT_MOREAU; l++) {
        const sti_impact_solution* x = &a->laws[l].solutions[0];
        sti_impact_verification check;
        assert_int_equal(a->laws[l].count, 1);
        for (int i = 0; i < 4; i++) assert_near(x->v[i], v[i], 1e-13);
        assert_near(x->p_n[0], 1.8, 1e-13);
        assert_near(x->p_joint[0], 1.8, 1e-13);
        assert_near(x->energy.direct, -0.5 * 0.75 * 1.5 * 1.5 / 1.25, 1e-13);
        assert_int_equal(sti_verify_impact(env, &k.instant, a, (sti_impact_law)l, 0, 1e-12, &check), STI_OK);
        assert_true(check.accepted);
    }
    // the checker is no formality: another impulse of the joint, another velocity of the lever
    sti_impact_solution* x = (sti_impact_solution*)&a->laws[STI_IMPACT_NEWTON].solutions[0];
    sti_impact_verification check;
    ((double*)x->p_joint)[0] = 1.7;
    assert_int_equal(sti_verify_impact(env, &k.instant, a, STI_IMPACT_NEWTON, 0, 1e-9, &check), STI_OK);
    assert_true(!check.accepted && check.momentum > 1e-3);
    ((double*)x->p_joint)[0] = 1.8;
    ((double*)x->v)[2] = 0.06;
    assert_int_equal(sti_verify_impact(env, &k.instant, a, STI_IMPACT_NEWTON, 0, 1e-9, &check), STI_OK);
    assert_true(!check.accepted);
    // nor are masses below zero, though nothing moves them
    ((double*)x->v)[2] = 0.05;
    assert_int_equal(sti_verify_impact(env, &k.instant, a, STI_IMPACT_NEWTON, 0, 1e-9, &check), STI_OK);
    assert_true(check.accepted);
    k.M[15] = -1;
    assert_int_equal(sti_verify_impact(env, &k.instant, a, STI_IMPACT_NEWTON, 0, 1e-9, &check), STI_ERR_INPUT);
    sti_impact_destroy(env, a);
}

// Lengths in powers of ten: what counts as no mass is no matter of units. Of 1e-16 beside 1 one is not none.
static void units_do_not_matter(void** state) {
    (void)state;
    static const double unit[4] = {1e-8, 1e6, 1e3, 1};
    lever k;
    make_lever(&k);
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < 4; i++) k.M[4 * i + j] *= unit[i] * unit[j];
        k.v[j] /= unit[j];
        k.joint[j] *= unit[j];
        k.n[j] *= unit[j];
        k.t[j] *= unit[j];
    }
    sti_impact* a;
    assert_int_equal(sti_impact_create(env, &k.instant, NULL, &a), STI_OK);
    assert_true(a->singular && a->idle == 1);
    assert_near(a->norm[0], sqrt(1.25), 1e-14);
    for (int l = STI_IMPACT_NEWTON; l <= STI_IMPACT_MOREAU; l++) {
        const sti_impact_solution* x = &a->laws[l].solutions[0];
        const double v[4] = {0.1, 0.8, 0.05, 7};
        sti_impact_verification check;
        for (int i = 0; i < 4; i++) assert_near(x->v[i] * unit[i], v[i], 1e-13);
        assert_near(x->p_n[0], 1.8, 1e-13);
        assert_near(x->p_joint[0], 1.8, 1e-13);
        assert_int_equal(sti_verify_impact(env, &k.instant, a, (sti_impact_law)l, 0, 1e-12, &check), STI_OK);
        assert_true(check.accepted);
    }
    sti_impact_destroy(env, a);
}

// Found by study_massless 7001: M = a a' + b b' in three coordinates, to rounding, has a Cholesky factor, with 1e-8 at
// the end. Lengths by it are no lengths: the checker declined friction that was right.
static void a_factor_out_of_rounding_is_none(void** state) {
    (void)state;
    double M[9] = {3.2914934157500366,   -4.8862458035168626, 0.042486929154899933,
                   -4.8862458035168626,  16.332114529491527,  4.8493121922962734,
                   0.042486929154899933, 4.8493121922962734,  2.658659363428832};
    double F[3] = {0}, v[3] = {-0.16080080680153525, 0.006699059233187349, -0.1321551013671465}, none[1] = {0};
    double joint[3] = {-0.95112953033326286, 1.4514955412854991, 1.2308722764036357};
    double n[3] = {0.79939939383070024, -0.52692491135939123, -0.44034095112757388};
    double t[3] = {0.95465791366527086, 0.36026508396097179, -1.0790755026100083};
    sti_instant_contact contacts[2] = {{.name = "joint", .bilateral = true, .n = joint, .t_rate = none},
                                       {.name = "contact",
                                        .n = n,
                                        .t = t,
                                        .t_rate = none,
                                        .tangent_count = 1,
                                        .mu = 0.19530424137968183,
                                        .mu_kinetic = 0.19530424137968183,
                                        .restitution = 0.521362}};
    const sti_instant in = {
        .n = 3, .contact_count = 2, .tangent_total = 1, .M = M, .F = F, .v = v, .contacts = contacts};
    sti_impact* a;
    assert_int_equal(sti_impact_create(env, &in, NULL, &a), STI_OK);
    assert_true(a->singular && a->laws[STI_IMPACT_FRICTION].count == 1);
    sti_impact_verification check;
    assert_int_equal(sti_verify_impact(env, &in, a, STI_IMPACT_FRICTION, 0, 1e-12, &check), STI_OK);
    assert_true(check.accepted);
    sti_impact_destroy(env, a);
}

static void its_quasi_velocities_have_all_of_the_energy(void** state) {
    (void)state;
    lever k;
    make_lever(&k);
    sti_velocities* q;
    assert_int_equal(sti_velocities_create(env, &k.instant, NULL, &q), STI_OK);
    assert_true(q->singular && q->held == 1 && q->idle == 1 && q->count == 1 && q->tangent_count == 1);
    assert_near(q->qdot_norm[0], -1.5 / sqrt(1.25), 1e-14);
    assert_near(q->T, 1, 1e-14);
    assert_near(q->T_quasi, 1, 1e-14);
    for (int i = 0; i < 4; i++) assert_near(q->back[i], k.v[i], 1e-14);
    const double zero[1] = {0};
    double rate[2], forces[2];
    assert_int_equal(sti_velocities_rates_of(env, q, &k.instant, zero, zero, NULL, rate, forces), STI_ERR_INPUT);
    sti_velocities_destroy(env, q);
}

static void refused(const sti_instant* in, const char* words) {
    sti_impact* a = NULL;
    sti_velocities* q = NULL;
    assert_int_equal(sti_impact_create(env, in, NULL, &a), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, words));
    assert_int_equal(sti_velocities_create(env, in, NULL, &q), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, words));
    assert_true(a == NULL && q == NULL);
}

static void what_has_no_limit_is_refused(void** state) {
    (void)state;
    lever k;
    make_lever(&k);
    k.t[3] = 1;
    refused(&k.instant, "contact tip moves a direction without mass");
    make_lever(&k);
    k.v[2] = 0.6;
    refused(&k.instant, "the velocity does not fit joint lever");
    make_lever(&k);
    k.contact[0].n_offset = 1;
    refused(&k.instant, "joint lever moves by itself");
    make_lever(&k);
    k.M[0] = k.M[5] = 0;
    for (int i = 0; i < 4; i++) k.n[i] = k.t[i] = i == 3;
    refused(&k.instant, "contact tip moves a direction without mass");
}

static void every_failing_allocation_is_survived(void** state) {
    (void)state;
    lever k;
    make_lever(&k);
    for (long a = 0;; a++) {
        failing_env fail;
        sti_impact* i;
        sti_velocities* q = NULL;
        sti_impact_verification check;
        failing_env_open(&fail, a);
        const sti_impact_options o = {.gap_tol = 1e-9,
                                      .tol = 1e-10,
                                      .mode_limit = 12,
                                      .exponent = 1.5,
                                      .one_law = true,
                                      .law = STI_IMPACT_MOREAU};
        sti_status status = sti_impact_create(fail.env, &k.instant, &o, &i);
        if (status == STI_OK) status = sti_verify_impact(fail.env, &k.instant, i, STI_IMPACT_MOREAU, 0, 1e-9, &check);
        if (status == STI_OK) status = sti_velocities_create(fail.env, &k.instant, NULL, &q);
        sti_velocities_destroy(fail.env, q);
        sti_impact_destroy(fail.env, i);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&fail)) break;
    }
}

int main(void) {
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lever_without_mass_hands_the_impulse_on),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(a_factor_out_of_rounding_is_none),
        cmocka_unit_test(its_quasi_velocities_have_all_of_the_energy),
        cmocka_unit_test(what_has_no_limit_is_refused),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sti_env_destroy(env);
    return failed;
}
