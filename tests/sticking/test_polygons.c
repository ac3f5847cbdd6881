// Friction in polygons: the least factor of one contact is its gauge, tables as with facets, what is refused and by
// whom, files and copies, failing allocations.
#include <math.h>
#include <stdio.h>
#include <stiction/stiction.h>
#include <string.h>

#include "base/rng.h"
#include "support/failing_env.h"
#include "support/group_env.h"
#include "support/near.h"

enum { MOST = 8 };

// Corners on an ellipse around 0, at angles less than half a turn apart.
static int random_polygon(sti_rng* rng, double* corner) {
    const int count = 3 + (int)(sti_rng_next(rng) % (MOST - 2));
    const double a = 0.3 + 1.5 * sti_rng_u01(rng), b = 0.3 + 1.5 * sti_rng_u01(rng), at = 7 * sti_rng_u01(rng);
    for (int k = 0; k < count; k++) {
        const double angle = at + 2 * 3.14159265358979 * (k + 0.3 * sti_rng_u01(rng)) / count;
        corner[2 * k] = a * cos(angle);
        corner[2 * k + 1] = b * sin(angle);
    }
    return count;
}

// A point on the floor, pulled by F.
static const double point_mass[9] = {1, 0, 0, 0, 2, 0, 0, 0, 3}, point_t[6] = {1, 0, 0, 0, 1, 0};
static const double up[3] = {0, 0, 1}, still[3] = {0};

static sti_instant point(sti_instant_contact* c, const double* F, double mu, int count, const double* corner) {
    *c = (sti_instant_contact){.name = "foot",
                               .mu = mu,
                               .mu_kinetic = mu,
                               .tangent_count = 2,
                               .n = up,
                               .t = point_t,
                               .t_rate = still,
                               .corner_count = count,
                               .corner = corner};
    return (sti_instant){
        .n = 3, .contact_count = 1, .tangent_total = 2, .M = point_mass, .F = F, .v = still, .contacts = c};
}

static void the_least_factor_of_a_point_is_the_gauge_of_its_pull(void** state) {
    (void)state;
    sti_rng rng = {7};
    int sticks = 0;
    for (int k = 0; k < 24; k++) {
        double corner[2 * MOST], F[3];
        for (int i = 0; i < 3; i++) F[i] = (i == 2 ? 4 : 6 * sti_rng_u01(&rng) - 3);
        const int count = random_polygon(&rng, corner);
        const double mu = 0.2 + sti_rng_u01(&rng);
        const sti_section section = {.shape = STI_SECTION_POLYGON, .vertex_count = count, .vertex = corner};
        const double gauge = sti_section_gauge(&section, F) / (mu * F[2]);
        sti_instant_contact c;
        const sti_instant in = point(&c, F, mu, count, corner);
        sti_sticking* s;
        sti_sticking_verification v;
        assert_int_equal(sti_sticking_create(group_env, &in, NULL, &s), STI_OK);
        assert_int_equal(s->answer.outcome, gauge < 1 ? STI_STICKING_YES : STI_STICKING_NO);
        assert_true(s->answer.exact && s->answer.facets == count && s->answer.proposition_count == 0);
        assert_near(s->least_factor.mu, gauge, 1e-8 * gauge);
        assert_int_equal(sti_verify_sticking(group_env, &in, &s->answer, 1e-9, &v), STI_OK);
        assert_true(v.accepted && v.exact);
        s->answer.facets = count - 1;
        assert_int_equal(sti_verify_sticking(group_env, &in, &s->answer, 1e-9, &v), STI_OK);
        assert_false(v.accepted);
        s->answer.facets = count;
        for (int i = 0; i < 2 * count; i++) corner[i] *= gauge < 1 ? 0.99 * gauge : 1.01 * gauge;
        assert_int_equal(sti_verify_sticking(group_env, &in, &s->answer, 1e-9, &v), STI_OK);
        assert_false(v.accepted);
        sticks += gauge < 1;
        sti_sticking_destroy(s);
    }
    assert_true(sticks > 4 && sticks < 20);
}

// The square with corners on the tangents is the polygon of four facets: the same answers, to the last bit.
static void a_table_on_squares_is_one_with_four_facets(void** state) {
    (void)state;
    static const double square[8] = {1, 0, 0, 1, -1, 0, 0, -1};
    sti_rng rng = {3};
    double M[36] = {0}, F[6], n[4][6], t[4][12], zero[6] = {0};
    for (int i = 0; i < 6; i++) M[7 * i] = i < 3 ? 1 : 0.2;
    for (int k = 0; k < 8; k++) {
        sti_instant_contact c[4], d[4];
        for (int i = 0; i < 6; i++) F[i] = i == 2 ? 9.81 : (i < 3 ? 4 : 0.5) * (2 * sti_rng_u01(&rng) - 1);
        for (int i = 0; i < 4; i++) {
            const double x = (i % 2 == 0 ? 1 : -1) * (0.5 + sti_rng_u01(&rng)), y = (i < 2 ? 1 : -1), z = -0.5;
            const double rows[3][6] = {{0, 0, 1, y, -x, 0}, {1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x}};
            memcpy(n[i], rows[0], sizeof n[i]);
            memcpy(t[i], rows[1], sizeof t[i]);
            c[i] = (sti_instant_contact){
                .name = "leg", .mu = 0.3, .mu_kinetic = 0.3, .tangent_count = 2, .n = n[i], .t = t[i], .t_rate = zero};
            d[i] = c[i];
            d[i].corner_count = 4;
            d[i].corner = square;
        }
        const sti_instant in = {
            .n = 6, .contact_count = 4, .tangent_total = 8, .M = M, .F = F, .v = zero, .contacts = c};
        sti_instant own = in;
        own.contacts = d;
        sti_sticking_options o = sti_sticking_options_default();
        o.facets = 4;
        sti_sticking *x, *y;
        sti_sticking_verification v;
        assert_int_equal(sti_sticking_create(group_env, &in, &o, &x), STI_OK);
        assert_int_equal(sti_sticking_create(group_env, &own, NULL, &y), STI_OK);
        assert_int_equal(x->answer.outcome, y->answer.outcome);
        assert_true(x->least_factor.mu == y->least_factor.mu && x->least_common.mu == y->least_common.mu);
        assert_true(x->margin == y->margin || (isnan(x->margin) && isnan(y->margin)));
        assert_int_equal(sti_verify_sticking(group_env, &own, &y->answer, 1e-9, &v), STI_OK);
        assert_true(v.accepted);
        sti_sticking_destroy(x);
        sti_sticking_destroy(y);
    }
}

static void refused(sti_status status, const char* word) {
    assert_int_equal(status, STI_ERR_INPUT);
    if (strstr(sti_env_error(group_env)->text, word) == NULL) fail_msg("%s", sti_env_error(group_env)->text);
}

static void what_polygons_are_not_taken_for_is_said(void** state) {
    (void)state;
    static const double triangle[6] = {1, 0, -1, 1, -1, -1}, beside[6] = {1, 0, 3, 1, 2, 2}, F[3] = {1, 0, 9};
    static const double along[3] = {1, 0, 0};
    sti_instant_contact c, two[2];
    sti_instant in = point(&c, F, 0.3, 3, triangle);
    sti_sticking* s;
    sti_impact* impact;
    sti_closure closure;
    sti_collision* collision;
    refused(sti_impact_create(group_env, &in, NULL, &impact), "polygon");
    refused(sti_force_closure_analyze(group_env, &in, NULL, &closure), "polygon");
    sti_collision_options law = sti_collision_options_default();
    law.law = STI_IMPACT_STRONGE;
    refused(sti_collision_create(group_env, &in, &law, &collision), "polygon");
    c.corner = beside;
    refused(sti_instant_check(group_env, &in), "contacts[0].polygon: 0 is not inside");
    c.corner = triangle;
    c.bilateral = true;
    refused(sti_instant_check(group_env, &in), "unilateral");
    c.bilateral = false;
    in.v = along;
    refused(sti_sticking_create(group_env, &in, NULL, &s), "it slides");
    in.v = still;
    two[0] = two[1] = c;
    two[1].corner_count = 0;
    in.contact_count = 2;
    in.tangent_total = 4;
    in.contacts = two;
    refused(sti_sticking_create(group_env, &in, NULL, &s), "a disc beside the polygon");
    sti_sticking_options o = sti_sticking_options_default();
    o.facets = 8;
    assert_int_equal(sti_sticking_create(group_env, &in, &o, &s), STI_OK);
    assert_int_equal(s->answer.facets, 8);
    sti_sticking_destroy(s);
    assert_int_equal(sti_instant_polygon(&in, 0), 0);
}

static void copies_and_files_keep_the_corners(void** state) {
    (void)state;
    static const char text[] =
        "{\"kind\": \"instant\", \"M_diag\": [1, 2, 3], \"F\": [1, 0, 9], \"contacts\": [{\"mu\": 0.5, \"n\": [0, 0, "
        "1],"
        " \"t\": [[1, 0, 0], [0, 1, 0]]}, {\"mu\": 0.3, \"n\": [0, 0, 1], \"t\": [[1, 0, 0], [0, 1, 0]],"
        " \"polygon\": [[1, 0], [-1, 0.5], [-1, -0.25]]}]}";
    static const double corner[6] = {1, 0, -1, 0.5, -1, -0.25};
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_document* document = NULL;
        sti_instant* copy = NULL;
        sti_status status = sti_document_parse(f.env, text, sizeof text - 1, "point", &document);
        if (status == STI_OK) status = sti_instant_copy(f.env, sti_instant_of(document), NULL, &copy);
        if (status == STI_OK) {
            assert_non_null(copy->exact);
            assert_int_equal(copy->contacts[1].corner_count, 3);
            assert_memory_equal(copy->contacts[1].corner, corner, sizeof corner);
            assert_null(copy->contacts[0].corner);
        } else {
            assert_int_equal(status, STI_ERR_MEMORY);
        }
        sti_instant_destroy(f.env, copy);
        sti_document_destroy(document);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_factor_of_a_point_is_the_gauge_of_its_pull),
        cmocka_unit_test(a_table_on_squares_is_one_with_four_facets),
        cmocka_unit_test(what_polygons_are_not_taken_for_is_said),
        cmocka_unit_test(copies_and_files_keep_the_corners),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
