// test_jamming.c: self-stress: known cases on both sides of the border, and every certificate checked from the contacts
// alone.
#include <string.h>

#include "granular/bed_tools.h"

static void cross(const double* x, const double* y, double* out) {
    out[0] = x[1] * y[2] - x[2] * y[1];
    out[1] = x[2] * y[0] - x[0] * y[2];
    out[2] = x[0] * y[1] - x[1] * y[0];
}

// ---- certificates

// u = +-v - W x n of one side of a contact.
static void add_slip(const double* z, double sign, const double* n, double* u) {
    double turn[3];
    cross(z + 3, n, turn);
    for (int i = 0; i < 3; i++) u[i] += sign * z[i] - turn[i];
}

// Every contact that touches parts by the motion of the grain that goes first; those of one turn move together.
static void check_motion(const sti_bed_jamming* j, const sti_bed_contact* c, const double* mu) {
    int parted = 0;
    for (int k = 0; k < j->contact_count; k++) {
        const int ta = j->turn[c[k].a], tb = c[k].b >= 0 ? j->turn[c[k].b] : -1;
        double u[3] = {0};
        if (ta >= 0 && (c[k].b < 0 || ta <= tb)) add_slip(j->motion + 6 * (size_t)c[k].a, 1, c[k].n, u);
        if (tb >= 0 && tb <= ta) add_slip(j->motion + 6 * (size_t)c[k].b, -1, c[k].n, u);
        const double un = dot(u, c[k].n), ut = sqrt(fmax(0, dot(u, u) - un * un));
        if (un - mu[k] * ut > 1e-9) parted++;
    }
    assert_true(parted >= j->touching);
}

// In the cones, not zero, and balanced on every grain.
static void check_stress(const sti_bed_jamming* j, const sti_bed_contact* c, const double* mu, int n) {
    double* sum = calloc(6 * (size_t)n, sizeof *sum);
    double pressed = 0, worst = 0;
    for (int k = 0; k < j->contact_count; k++) {
        const double *r = j->r + 3 * (size_t)k, rn = dot(r, c[k].n), rt = sqrt(fmax(0, dot(r, r) - rn * rn));
        double turn[3];
        assert_true(rn >= 0 && rt <= mu[k] * rn + 1e-12);
        cross(c[k].n, r, turn);
        pressed += rn;
        for (int i = 0; i < 3; i++) {
            sum[6 * c[k].a + i] += r[i];
            sum[6 * c[k].a + 3 + i] -= turn[i];
            if (c[k].b < 0) continue;
            sum[6 * c[k].b + i] -= r[i];
            sum[6 * c[k].b + 3 + i] -= turn[i];
        }
    }
    for (int i = 0; i < 6 * n; i++) worst = fmax(worst, fabs(sum[i]));
    assert_true(pressed > 0);
    assert_true(worst <= 1e-7 * pressed);
    assert_true(fabs(j->defect - worst / pressed) <= 1e-12);
    free(sum);
}

static sti_contact_finding test_bed(sti_env* env, const sti_bed* bed, double mu, sti_bed_jamming* j) {
    const sti_jamming_options o = sti_jamming_options_default();
    assert_int_equal(sti_bed_jamming_analyze(env, bed, &o, j), STI_OK);
    const size_t count = (size_t)sti_bed_contact_count(bed);
    assert_int_equal(j->contact_count, count);
    sti_bed_contact* c = calloc(count + 1, sizeof *c);
    double* all = calloc(count + 1, sizeof *all);
    for (size_t k = 0; k < count; k++) all[k] = mu;
    sti_bed_contacts(bed, c);
    assert_true((j->pointed == STI_FINDING_HOLDS) == (j->turn != NULL && j->motion != NULL));
    assert_true((j->pointed == STI_FINDING_FAILS) == (j->r != NULL));
    if (j->turn != NULL) check_motion(j, c, all);
    if (j->r != NULL) check_stress(j, c, all, sti_bed_count(bed));
    free(c);
    free(all);
    return j->pointed;
}

// ---- few grains between planes

enum { MOST = 8 };

typedef struct cage {
    sti_grains g;
    double x[3 * MOST], v[3 * MOST], w[3 * MOST], radius[MOST], mass[MOST];
    sti_wall walls[4];
} cage;

static void open_cage(cage* c, int count, double mu) {
    *c = (cage){.g = {.count = count, .mu = mu}};
    c->g.x = c->x;
    c->g.v = c->v;
    c->g.w = c->w;
    c->g.radius = c->radius;
    c->g.mass = c->mass;
    c->g.walls = c->walls;
    for (int k = 0; k < count; k++) {
        c->radius[k] = 0.5;
        c->mass[k] = 1;
    }
}

static void add_plane(cage* c, double px, double pz, double nx, double nz) {
    c->walls[c->g.wall_count++] =
        (sti_wall){.kind = STI_WALL_PLANE, .point = {px, 0, pz}, .axis = {nx, 0, nz}, .mu = c->g.mu};
}

static sti_contact_finding test_cage(sti_env* env, const cage* c, sti_bed_jamming* j) {
    const sti_bed_options o = sti_bed_options_default();
    sti_bed* bed;
    assert_int_equal(sti_bed_create(env, &c->g, &o, &bed), STI_OK);
    assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
    const sti_contact_finding finding = test_bed(env, bed, c->g.mu, j);
    sti_bed_destroy(bed);
    return finding;
}

// Two planes that meet at 2 theta: the line between the two contacts makes the angle theta with both normals, so the
// grain is wedged exactly when tan theta <= mu.
static void a_grain_in_a_groove_is_wedged_iff_the_groove_is_within_the_friction_angle(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double mu = 0.4;
    for (int k = -4; k <= 4; k++) {
        if (k == 0) continue;
        const double theta = atan(mu) * (1 + 0.01 * k);
        cage c;
        sti_bed_jamming j;
        open_cage(&c, 1, mu);
        c.x[2] = 0.5 / sin(theta);
        add_plane(&c, 0, 0, cos(theta), sin(theta));
        add_plane(&c, 0, 0, -cos(theta), sin(theta));
        assert_int_equal(test_cage(env, &c, &j), k > 0 ? STI_FINDING_HOLDS : STI_FINDING_FAILS);
        assert_int_equal(j.touching, 2);
        sti_bed_jamming_clear(env, &j);
    }
    sti_env_destroy(env);
}

// A row of grains between two walls: straight it is jammed, open at one end it is not.
static void a_row_between_two_walls_is_jammed_and_an_open_row_is_not(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int open = 0; open < 2; open++) {
        cage c;
        sti_bed_jamming j;
        open_cage(&c, 5, 0.3);
        for (int k = 0; k < 5; k++) c.x[3 * k] = 0.5 + k;
        add_plane(&c, 0, 0, 1, 0);
        add_plane(&c, open ? 6 : 5, 0, -1, 0);
        assert_int_equal(test_cage(env, &c, &j), open ? STI_FINDING_HOLDS : STI_FINDING_FAILS);
        assert_int_equal(j.freed, open ? 5 : 0);
        assert_int_equal(j.groups, open ? 0 : 1);
        sti_bed_jamming_clear(env, &j);
    }
    sti_env_destroy(env);
}

// Two rows apart from each other, one of them jammed: one self-stress is enough.
static void one_jammed_group_among_others_is_found(void** state) {
    (void)state;
    sti_env* env = open_env();
    cage c;
    sti_bed_jamming j;
    open_cage(&c, 7, 0.3);
    for (int k = 0; k < 4; k++) c.x[3 * k] = 0.5 + k + (k == 3 ? 0.2 : 0);
    for (int k = 4; k < 7; k++) {
        c.x[3 * k] = 0.7 + 1.3 * (k - 4);
        c.x[3 * k + 1] = 5;
    }
    c.radius[4] = 0.7;
    c.radius[5] = 0.6;
    c.radius[6] = 0.7;
    add_plane(&c, 0, 0, 1, 0);
    add_plane(&c, 4, 0, -1, 0);
    assert_int_equal(test_cage(env, &c, &j), STI_FINDING_FAILS);
    for (int k = 0; k < 3 * j.contact_count; k++) assert_true(isfinite(j.r[k]));
    sti_bed_jamming_clear(env, &j);
    sti_env_destroy(env);
}

static void nothing_that_touches_nothing_is_jammed(void** state) {
    (void)state;
    sti_env* env = open_env();
    cage c;
    sti_bed_jamming j;
    open_cage(&c, 2, 0.3);
    c.x[0] = 3;
    assert_int_equal(test_cage(env, &c, &j), STI_FINDING_HOLDS);
    assert_true(j.touching == 0 && j.turn[0] == -1);
    sti_bed_jamming_clear(env, &j);
    sti_env_destroy(env);
}

// ---- beds

static sti_bed* settle(sti_env* env, int count, double mu, int steps) {
    const sti_pebble_bed def = {.count = count, .seed = 1, .mu = mu};
    sti_grains g;
    assert_int_equal(sti_grains_pebble_bed(env, &def, &g), STI_OK);
    sti_bed_options o = sti_bed_options_default();
    o.h = 0.02;
    sti_bed* bed = bed_of(env, &g, &o);
    for (int k = 0; k < steps; k++) assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
    return bed;
}

static void a_settled_bed_has_a_certificate_either_way(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double mu[] = {0, 0.3, 0.9};
    for (int k = 0; k < 3; k++) {
        sti_bed* bed = settle(env, 60, mu[k], 120);
        sti_bed_jamming j;
        assert_int_not_equal(test_bed(env, bed, mu[k], &j), STI_FINDING_UNKNOWN);
        assert_true(j.touching > 80);
        sti_bed_jamming_clear(env, &j);
        sti_bed_destroy(bed);
    }
    sti_env_destroy(env);
}

static void a_limit_on_time_leaves_the_question_open(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bed* bed = settle(env, 60, 0.3, 120);
    sti_jamming_options o = sti_jamming_options_default();
    sti_bed_jamming j;
    o.time_limit_s = 1e-9;
    assert_int_equal(sti_bed_jamming_analyze(env, bed, &o, &j), STI_OK);
    assert_int_equal(j.pointed, STI_FINDING_UNKNOWN);
    assert_true(j.turn == NULL && j.motion == NULL && j.r == NULL && isnan(j.margin) && isnan(j.defect));
    sti_bed_jamming_clear(env, &j);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

static void bad_questions_are_refused(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bed* bed = settle(env, 10, 0.3, 0);
    sti_jamming_options o = sti_jamming_options_default();
    sti_bed_jamming j;
    assert_int_equal(sti_bed_jamming_analyze(env, bed, &o, &j), STI_ERR_ARGUMENT);
    assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
    o.touch = NAN;
    assert_int_equal(sti_bed_jamming_analyze(env, bed, &o, &j), STI_ERR_ARGUMENT);
    o.touch = 0;
    o.time_limit_s = -1;
    assert_int_equal(sti_bed_jamming_analyze(env, bed, &o, &j), STI_ERR_ARGUMENT);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

static void the_test_survives_every_failed_allocation(void** state) {
    (void)state;
    sti_env* env = open_env();
    cage c;
    open_cage(&c, 3, 0.3);
    for (int k = 0; k < 3; k++) c.x[3 * k] = 0.5 + k;
    add_plane(&c, 0, 0, 1, 0);
    add_plane(&c, 3, 0, -1, 0);
    const sti_bed_options o = sti_bed_options_default();
    const sti_jamming_options ask = sti_jamming_options_default();
    sti_bed* bed;
    assert_int_equal(sti_bed_create(env, &c.g, &o, &bed), STI_OK);
    assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_bed_jamming j;
        const sti_status status = sti_bed_jamming_analyze(f.env, bed, &ask, &j);
        assert_true(status == STI_OK || status == STI_ERR_MEMORY);
        if (status == STI_OK) sti_bed_jamming_clear(f.env, &j);
        if (failing_env_close(&f)) break;
        assert_int_equal(status, STI_ERR_MEMORY);
    }
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grain_in_a_groove_is_wedged_iff_the_groove_is_within_the_friction_angle),
        cmocka_unit_test(a_row_between_two_walls_is_jammed_and_an_open_row_is_not),
        cmocka_unit_test(one_jammed_group_among_others_is_found),
        cmocka_unit_test(nothing_that_touches_nothing_is_jammed),
        cmocka_unit_test(a_settled_bed_has_a_certificate_either_way),
        cmocka_unit_test(a_limit_on_time_leaves_the_question_open),
        cmocka_unit_test(bad_questions_are_refused),
        cmocka_unit_test(the_test_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
