// Modes with friction polygons of the contacts' own: a pulled point against the nearest point of its polygon in the
// metric of its mass; the checker; what is refused; failing allocations.
#include <math.h>
#include <stiction/stiction.h>
#include <string.h>

#include "base/rng.h"
#include "support/failing_env.h"
#include "support/group_env.h"
#include "support/near.h"

enum { MOST = 9 };

static const double mass[9] = {1, 0, 0, 0, 2.5, 0, 0, 0, 3}, tangent[6] = {1, 0, 0, 0, 1, 0}, up[3] = {0, 0, 1};
static const double still[3] = {0};

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

static sti_instant point(sti_instant_contact* c, const double* F, double mu, int count, const double* corner) {
    *c = (sti_instant_contact){.name = "foot",
                               .mu = mu,
                               .mu_kinetic = mu,
                               .tangent_count = 2,
                               .n = up,
                               .t = tangent,
                               .t_rate = still,
                               .corner_count = count,
                               .corner = corner};
    return (sti_instant){.n = 3, .contact_count = 1, .tangent_total = 2, .M = mass, .F = F, .v = still, .contacts = c};
}

// Friction takes the most power: M^-1 (c - F) with c the point of mu F_n S nearest to F in the metric of M^-1.
static void expected(const double* F, double mu, int count, const double* corner, double a[2]) {
    double best = INFINITY;
    bool inside = true;
    a[0] = a[1] = 0;
    for (int k = 0; k < count; k++) {
        const double *p = corner + 2 * k, *q = corner + 2 * ((k + 1) % count), s = mu * F[2];
        const double d[2] = {s * (q[0] - p[0]), s * (q[1] - p[1])}, e[2] = {s * p[0] - F[0], s * p[1] - F[1]};
        inside = inside && d[0] * -e[1] - d[1] * -e[0] >= 0;
        const double t =
            -(e[0] * d[0] / mass[0] + e[1] * d[1] / mass[4]) / (d[0] * d[0] / mass[0] + d[1] * d[1] / mass[4]);
        const double part = fmin(1, fmax(0, t)), x = e[0] + part * d[0], y = e[1] + part * d[1];
        if (x * x / mass[0] + y * y / mass[4] >= best) continue;
        best = x * x / mass[0] + y * y / mass[4];
        a[0] = x / mass[0];
        a[1] = y / mass[4];
    }
    if (inside) a[0] = a[1] = 0;
}

static sti_modes_options with_sides(int sides) {
    sti_modes_options o = sti_modes_options_default();
    o.model = STI_FRICTION_SIDES;
    o.sides = sides;
    return o;
}

static void a_pulled_point_goes_against_the_nearest_point_of_its_polygon(void** state) {
    (void)state;
    sti_rng rng = {5};
    int sides = 0, corners = 0;
    for (int k = 0; k < 60; k++) {
        double corner[2 * MOST], F[3], a[2];
        for (int i = 0; i < 3; i++) F[i] = i == 2 ? 3 + 5 * sti_rng_u01(&rng) : 16 * sti_rng_u01(&rng) - 8;
        const int count = random_polygon(&rng, corner);
        const double mu = 0.2 + sti_rng_u01(&rng);
        sti_instant_contact c;
        const sti_instant in = point(&c, F, mu, count, corner);
        const sti_modes_options o = with_sides(count);
        sti_modes* m;
        sti_modes_verification v;
        assert_int_equal(sti_modes_create(group_env, &in, &o, &m), STI_OK);
        assert_int_equal(m->mode_count, 2 * count + 2);
        expected(F, mu, count, corner, a);
        int found = 0;
        for (int j = 0; j < m->mode_count; j++) {
            const sti_mode* mode = &m->modes[j];
            if (mode->fit != STI_MODE_STRICT) continue;
            found++;
            for (int i = 0; i < 2; i++)
                assert_near(sti_rationals_double(mode->solution->point, (size_t)i), a[i], 1e-9 * (1 + fabs(a[i])));
            sides += strchr(mode->text, '-') != NULL;
            corners += mode->text[0] == 'd' && strchr(mode->text, '-') == NULL;
        }
        assert_int_equal(found, 1);
        assert_int_equal(sti_verify_modes(group_env, &in, &o, m, &v), STI_OK);
        if (!v.accepted) print_error("%s\n", v.text);
        assert_true(v.accepted);
        corner[2] *= 1 + 1e-6;
        assert_int_equal(sti_verify_modes(group_env, &in, &o, m, &v), STI_OK);
        assert_false(v.accepted);
        sti_modes_destroy(m);
    }
    assert_true(sides > 5 && corners > 5);
}

static void another_model_or_section_is_refused(void** state) {
    (void)state;
    static const double triangle[6] = {1, 0, -1, 1, -1, -1}, other[6] = {1, 0, -1, 1, -2, -1}, F[3] = {1, 0, 9};
    static const double along[3] = {1, 0, 0};
    sti_instant_contact c, two[2];
    sti_instant in = point(&c, F, 0.3, 3, triangle);
    sti_modes_options o = with_sides(4);
    sti_modes* m;
    assert_int_equal(sti_modes_create(group_env, &in, &o, &m), STI_ERR_INPUT);
    assert_int_equal(sti_modes_create(group_env, &in, NULL, &m), STI_ERR_INPUT);
    o = with_sides(3);
    in.v = along;
    assert_int_equal(sti_modes_create(group_env, &in, &o, &m), STI_ERR_INPUT);
    in.v = still;
    two[0] = two[1] = c;
    two[1].corner = other;
    in.contact_count = 2;
    in.tangent_total = 4;
    in.contacts = two;
    assert_int_equal(sti_modes_create(group_env, &in, &o, &m), STI_ERR_INPUT);
    two[1].corner_count = 0;
    assert_int_equal(sti_modes_create(group_env, &in, &o, &m), STI_ERR_INPUT);
    two[1].mu = 0;
    assert_int_equal(sti_modes_create(group_env, &in, &o, &m), STI_OK);
    sti_modes_destroy(m);
}

// A polygon with a corner more than the square that the answer speaks of, at a contact that has no friction.
static void an_answer_with_fewer_corners_is_refused(void** state) {
    (void)state;
    static const double square[10] = {1, 1, -1, 1, -1, -1, 1, -1, 1.5, 0}, F[3] = {1, 0, 9};
    sti_instant_contact c;
    const sti_instant in = point(&c, F, 0, 5, square);
    sti_modes* m;
    sti_modes_verification v;
    c.corner_count = 0;
    assert_int_equal(sti_modes_create(group_env, &in, NULL, &m), STI_OK);
    assert_int_equal(sti_verify_modes(group_env, &in, NULL, m, &v), STI_OK);
    assert_true(v.accepted);
    c.corner_count = 5;
    assert_int_equal(sti_verify_modes(group_env, &in, NULL, m, &v), STI_OK);
    assert_false(v.accepted);
    assert_non_null(strstr(v.text, "another friction polygon"));
    sti_modes_destroy(m);
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    static const double triangle[6] = {1, 0, -1, 1, -1, -1}, F[3] = {1, 0, 9};
    sti_instant_contact c;
    const sti_instant in = point(&c, F, 0.3, 3, triangle);
    const sti_modes_options o = with_sides(3);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_modes* m = NULL;
        sti_modes_verification v;
        sti_status status = sti_modes_create(f.env, &in, &o, &m);
        if (status == STI_OK) status = sti_verify_modes(f.env, &in, &o, m, &v);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_modes_destroy(m);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pulled_point_goes_against_the_nearest_point_of_its_polygon),
        cmocka_unit_test(another_model_or_section_is_refused),
        cmocka_unit_test(an_answer_with_fewer_corners_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
