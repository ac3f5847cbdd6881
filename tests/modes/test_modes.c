// test_modes.c: contact modes beyond the reference cases: wrench sets, margins, joints, rates, counting, graphs,
// failures.
#include <math.h>

#include "base/rng.h"
#include "exact/rationals.h"
#include "support/group_env.h"
#include "support/mode_scene.h"

static const double planar_mass[3] = {2, 2, 1};

// A box on the floor: two corners down, pushed by (fx, fy, tau).
static void box_on_floor(mode_scene* s, sti_env* in, double mu, const double w[3]) {
    static const double left[2] = {-1, -1}, right[2] = {1, -1}, up[2] = {0, 1};
    scene_open(s, in, 3, planar_mass);
    scene_planar(s, left, up, mu);
    scene_planar(s, right, up, mu);
    for (int k = 0; k < 3; k++) s->F[k] = -w[k];
}

static const sti_mode* only_strict(const sti_modes* m) {
    const sti_mode* found = NULL;
    assert_int_equal(m->strict_count, 1);
    for (int i = 0; i < m->mode_count; i++) {
        if (m->modes[i].fit == STI_MODE_STRICT) found = &m->modes[i];
    }
    return found;
}

static void block_sticks_exactly_below_the_friction_limit(void** state) {
    (void)state;
    static const struct {
        double push;
        const char* mode;
        sti_mode_fit fit;
    } cases[3] = {{-4, "nn", STI_MODE_STRICT}, {-5, "nn", STI_MODE_LIMIT}, {-6, "ll", STI_MODE_STRICT}};
    for (int i = 0; i < 3; i++) {
        mode_scene s;
        box_on_floor(&s, group_env, 0.5, (double[3]){cases[i].push, -10, 0});
        sti_modes* m = scene_modes(&s, NULL);
        assert_int_equal(m->modes[sti_modes_find(m, cases[i].mode)].fit, cases[i].fit);
        assert_true(m->acceleration_unique);
        sti_modes_destroy(m);
    }
}

// Pushed by 4 with a limit of 5: the friction limit is 1 / sqrt(1 + mu^2) away in the (fx, fy) plane.
static void margin_is_the_distance_to_the_friction_limit(void** state) {
    (void)state;
    mode_scene s;
    box_on_floor(&s, group_env, 0.5, (double[3]){-4, -10, 0});
    sti_modes* m = scene_modes(&s, NULL);
    const sti_mode* mode = only_strict(m);
    assert_string_equal(mode->text, "nn");
    assert_true(fabs(mode->wrenches->margin - 1 / sqrt(1.25)) < 1e-12);
    assert_string_equal(mode->wrenches->face_text[mode->wrenches->face],
                        "friction limit of c1, towards l; friction limit of c2, towards l");
    assert_int_equal(m->change_from, (int)(mode - m->modes));
    assert_string_equal(m->modes[m->change_to].text, "ll");
    assert_true(fabs(m->change_size - 1 / sqrt(1.25)) < 1e-12);
    // outside: minus the distance, and the change leads there
    const sti_mode* other = &m->modes[sti_modes_find(m, "ll")];
    assert_true(fabs(other->wrenches->margin + 1 / sqrt(1.25)) < 1e-9);
    double fx = -4 + other->wrenches->change[0], fy = -10 + other->wrenches->change[1];
    assert_true(fabs(fx + 0.5 * -fy) < 1e-9);
    sti_modes_destroy(m);
}

// The sets of all modes against the modes of single wrenches.
static void wrench_sets_hold_exactly_the_wrenches_that_produce_the_mode(void** state) {
    (void)state;
    sti_rng rng = {5};
    for (int rates = 0; rates < 2; rates++) {
        mode_scene s;
        box_on_floor(&s, group_env, 0.5, (double[3]){0, 0, 0});
        scene_planar(&s, (double[2]){1, 0.5}, (double[2]){-1, 0}, 0.25);
        if (rates) {
            s.contacts[0].n_rate = 1;
            s.contacts[2].n_rate = -0.5;
            s.t_rate[1][0] = 0.25;
        }
        sti_modes* sets = scene_modes(&s, NULL);
        assert_int_equal(sets->homogeneous, !rates);
        for (int k = 0; k < 60; k++) {
            double w[3];
            for (int i = 0; i < 3; i++) w[i] = sti_rng_int(&rng, -6, 6);
            sti_modes_options o = sti_modes_options_default();
            o.wrench = w;
            sti_modes* m = scene_modes(&s, &o);
            assert_int_equal(m->mode_count, sets->mode_count);
            for (int i = 0; i < m->mode_count; i++) {
                const sti_mode_wrenches* set = sets->modes[i].wrenches;
                const sti_rows faces = sti_polycone_inequalities(set->cone),
                               equations = sti_polycone_equations(set->cone);
                int worst = -1;  // -1 strictly inside, 0 on the boundary, 1 outside
                for (int f = 0; f < faces.count + equations.count; f++) {
                    const bool face = f < faces.count;
                    const double* row =
                        (face ? faces : equations).value + (face ? f : f - faces.count) * faces.dimension;
                    double v = set->is_cone ? 0 : row[3];
                    for (int c = 0; c < 3; c++) v += row[c] * w[c];
                    const int sign = (v > 1e-9) - (v < -1e-9);
                    worst = face ? (sign > worst ? sign : worst) : (sign != 0 ? 1 : worst);
                }
                const sti_mode_fit expected = worst > 0    ? STI_MODE_INCONSISTENT
                                              : worst == 0 ? STI_MODE_LIMIT
                                                           : STI_MODE_STRICT;
                assert_int_equal(m->modes[i].fit, expected);
                const double margin = m->modes[i].wrenches->margin;
                assert_true(worst > 0 ? margin < 0 : margin >= 0);
                // the change reaches the set
                double v = 0;
                for (int f = 0; f < faces.count && worst > 0; f++) {
                    const double* row = faces.value + f * faces.dimension;
                    double at = set->is_cone ? 0 : row[3], size = 0;
                    for (int c = 0; c < 3; c++) {
                        at += row[c] * (w[c] + m->modes[i].wrenches->change[c]);
                        size = hypot(size, row[c]);
                    }
                    if (size > 0) v = fmax(v, at / size);
                }
                assert_true(v < 1e-7);
            }
            sti_modes_destroy(m);
        }
        sti_modes_destroy(sets);
    }
}

static void mirrored_scene_has_mirrored_modes(void** state) {
    (void)state;
    mode_scene s, t;
    box_on_floor(&s, group_env, 0.5, (double[3]){-6, -10, 3});
    scene_open(&t, group_env, 3, planar_mass);
    scene_planar(&t, (double[2]){1, -1}, (double[2]){0, 1}, 0.5);
    scene_planar(&t, (double[2]){-1, -1}, (double[2]){0, 1}, 0.5);
    t.F[0] = -6;
    t.F[1] = 10;
    t.F[2] = 3;
    sti_modes *a = scene_modes(&s, NULL), *b = scene_modes(&t, NULL);
    assert_int_equal(a->mode_count, b->mode_count);
    for (int i = 0; i < a->mode_count; i++) {
        char text[3];
        snprintf(text, sizeof text, "%s", a->modes[i].text);
        for (int k = 0; k < 2; k++) text[k] = text[k] == 'l' ? 'r' : text[k] == 'r' ? 'l' : text[k];
        const int at = sti_modes_find(b, text);
        assert_true(at >= 0);
        assert_int_equal(a->modes[i].fit, b->modes[at].fit);
        assert_true(fabs(a->modes[i].wrenches->margin - b->modes[at].wrenches->margin) < 1e-9);
    }
    sti_modes_destroy(a);
    sti_modes_destroy(b);
}

static void joint_carries_forces_of_both_signs(void** state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        mode_scene s;
        scene_open(&s, group_env, 3, planar_mass);
        scene_planar(&s, (double[2]){0, -1}, (double[2]){0, 1}, k == 0 ? 0 : 0.5)->bilateral = true;
        s.F[1] = -10;  // pulled up
        sti_modes* m = scene_modes(&s, NULL);
        assert_int_equal(m->mode_count, k == 0 ? 1 : 6);
        const sti_mode* mode = only_strict(m);
        assert_string_equal(mode->text, k == 0 ? "j" : "~n");
        assert_true(sti_rationals_double(mode->solution->point, 3 + 2) == -10);
        sti_modes_destroy(m);
    }
}

static void singular_mass_leaves_the_acceleration_open(void** state) {
    (void)state;
    mode_scene s;
    const double mass[3] = {0, 2, 1};
    scene_open(&s, group_env, 3, mass);
    scene_planar(&s, (double[2]){0, 0}, (double[2]){0, 1}, 0);
    s.F[1] = 10;
    sti_modes* m = scene_modes(&s, NULL);
    assert_true(m->exists);
    assert_false(m->acceleration_unique);
    sti_modes_lcp* lcp;
    assert_int_equal(sti_modes_lcp_create(group_env, &s.instant, NULL, &lcp), STI_ERR_INPUT);
    sti_modes_destroy(m);
}

static void contact_that_leaves_separates_and_an_impact_is_refused(void** state) {
    (void)state;
    mode_scene s;
    box_on_floor(&s, group_env, 0.5, (double[3]){0, -10, 0});
    s.v[1] = 1;
    sti_modes* m = scene_modes(&s, NULL);
    assert_int_equal(m->mode_count, 1);
    assert_string_equal(m->modes[0].text, "ss");
    assert_int_equal(m->contacts[0].status, STI_CONTACT_STATUS_LEAVING);
    sti_modes_destroy(m);
    s.v[1] = -1;
    assert_int_equal(sti_modes_create(group_env, &s.instant, NULL, &m), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(group_env)->text, "impact"));
    s.v[1] = 0;
    s.contacts[0].state = STI_INSTANT_SLIDE;
    assert_int_equal(sti_modes_create(group_env, &s.instant, NULL, &m), STI_ERR_INPUT);
}

// A box at rest with one foot on a belt: that foot slides, with friction against the slip, whatever the tolerance. A
// floor that sinks leaves, one that rises is an impact.
static void moving_surfaces_count_as_slip_and_gap_rate(void** state) {
    (void)state;
    static const double belt[2] = {0.5, -0.5};
    for (int i = 0; i < 8; i++) {
        mode_scene s;
        sti_modes_options o = sti_modes_options_default();
        box_on_floor(&s, group_env, 0.5, (double[3]){0, -10, 0});
        if (i & 4) s.v[0] = -0.25;  // t = (-1, 0): both feet slip by 0.25
        s.contacts[0].t_offset = &belt[i & 1];
        o.velocity_tol = i & 2 ? 0 : 1e-9;
        o.wrench = s.F;
        s.F[1] = -10;
        sti_modes* m = scene_modes(&s, &o);
        assert_int_equal(m->contacts[0].status, STI_CONTACT_STATUS_SLIDING);
        assert_string_equal(m->contacts[0].word[0], i & 1 ? "r" : "l");
        assert_int_equal(m->contacts[1].status, i & 4 ? STI_CONTACT_STATUS_SLIDING : STI_CONTACT_STATUS_ROLLING);
        sti_modes_destroy(m);
        s.contacts[1].n_offset = 0.125;
        m = scene_modes(&s, &o);
        assert_int_equal(m->contacts[1].status, STI_CONTACT_STATUS_LEAVING);
        sti_modes_destroy(m);
        s.contacts[1].n_offset = -0.125;
        assert_int_equal(sti_modes_create(group_env, &s.instant, &o, &m), STI_ERR_INPUT);
    }
    // in space, by the round direction of the slip
    mode_scene s;
    static const double moving[2] = {3, -4};
    scene_open(&s, group_env, 6, (double[6]){1, 1, 1, 1, 1, 1});
    scene_spatial(&s, (double[3]){0, 0, 0}, (double[3]){0, 0, 1}, (double[3]){1, 0, 0}, (double[3]){0, 1, 0}, 0.5);
    s.contacts[0].t_offset = moving;
    s.F[2] = 10;
    sti_modes* m = scene_modes(&s, NULL);
    const sti_mode* mode = only_strict(m);
    assert_string_equal(mode->text, "c");
    const double expected[2] = {-3, 4};  // mu c_n against (0.6, -0.8), on a mass of 1
    for (size_t k = 0; k < 2; k++)
        assert_true(fabs(sti_rationals_double(mode->solution->point, k) - expected[k]) < 1e-12);
    sti_modes_destroy(m);
}

static void kinetic_friction_is_for_sliding_contacts_only(void** state) {
    (void)state;
    for (int slides = 0; slides < 2; slides++) {
        mode_scene s;
        box_on_floor(&s, group_env, 0.5, (double[3]){-20, -10, 0});
        for (int i = 0; i < 2; i++) s.contacts[i].mu_kinetic = 0.25;
        s.v[0] = slides ? -1 : 0;
        sti_modes* m = scene_modes(&s, NULL);
        const sti_rationals* point = only_strict(m)->solution->point;
        assert_string_equal(only_strict(m)->text, "ll");
        const double friction = sti_rationals_double(point, 3 + 4 + 1) + sti_rationals_double(point, 3 + 4 + 3);
        assert_true(fabs(friction + (slides ? 2.5 : 5)) < 1e-12);
        sti_modes_destroy(m);
    }
}

// A point mass on a plane, sliding along (3, 4): friction against the slip, whatever the polygon.
static void friction_of_a_contact_that_slides_in_space_is_against_the_slip(void** state) {
    (void)state;
    mode_scene s;
    const double mass[6] = {2, 2, 2, 1, 1, 1}, zero[3] = {0, 0, 0};
    scene_open(&s, group_env, 6, mass);
    scene_spatial(&s, zero, (double[3]){0, 0, 1}, (double[3]){1, 0, 0}, (double[3]){0, 1, 0}, 0.5)->mu_kinetic = 0.25;
    s.v[0] = 3;
    s.v[1] = 4;
    s.F[2] = 10;
    sti_modes* m = scene_modes(&s, NULL);
    const sti_mode* mode = only_strict(m);
    assert_string_equal(mode->text, "c");
    const double expected[6] = {-0.75, -1, 0, 10, -1.5, -2};  // a_x, a_y, a_n; c_n, c_t, c_o
    const size_t at[6] = {0, 1, 6, 9, 10, 11};
    for (int k = 0; k < 6; k++)
        assert_true(fabs(sti_rationals_double(mode->solution->point, at[k]) - expected[k]) < 1e-12);
    sti_modes_destroy(m);
    // pulled up it separates; no solution at all cannot be, one contact under its own centre
    s.F[2] = -1;
    m = scene_modes(&s, NULL);
    assert_string_equal(only_strict(m)->text, "s");
    sti_modes_destroy(m);
}

// Rod in space, sliding in a Painleve configuration: the certificate holds for a rounded direction too.
static void sliding_in_space_can_have_no_solution(void** state) {
    (void)state;
    mode_scene s;
    const double mass[6] = {3, 3, 3, 1, 1, 1}, r[3] = {-0.6 * 0.6, -0.6 * 0.8, -0.8};
    scene_open(&s, group_env, 6, mass);
    scene_spatial(&s, r, (double[3]){0, 0, 1}, (double[3]){1, 0, 0}, (double[3]){0, 1, 0}, 3);
    s.v[0] = -0.6;
    s.v[1] = -0.8;
    s.F[2] = 30;
    sti_modes* m = scene_modes(&s, NULL);
    assert_false(m->exists);
    assert_true(m->certificate.case_count > 0);
    sti_modes_destroy(m);
}

// A solution of the LCP is a solution of some mode, and the other way round: the sets of c_n agree.
static void lcp_and_modes_have_the_same_normal_forces(void** state) {
    (void)state;
    sti_rng rng = {11};
    for (int k = 0; k < 30; k++) {
        mode_scene s;
        double w[3];
        for (int i = 0; i < 3; i++) w[i] = sti_rng_int(&rng, -9, 9);
        w[1] -= 6;
        box_on_floor(&s, group_env, 0.5, w);
        sti_modes* m = scene_modes(&s, NULL);
        sti_modes_lcp* lcp;
        assert_int_equal(sti_modes_lcp_create(group_env, &s.instant, NULL, &lcp), STI_OK);
        sti_lcp_solution_set* set;
        assert_int_equal(sti_lcp_enumerate(group_env, &lcp->lcp, 0, 0, &set), STI_OK);
        assert_int_equal(set->vertex_count > 0, m->exists);
        for (int v = 0; v < set->vertex_count; v++) {
            bool found = false;
            for (int i = 0; i < m->mode_count; i++) {
                const sti_mode_solution* x = m->modes[i].solution;
                if (x == NULL) continue;
                bool within = true;
                for (int c = 0; c < 2; c++) {
                    const size_t at = (size_t)(3 + 4 + 2 * c);
                    const double c_n = set->vertex[v * lcp->lcp.n + c];
                    if (x->low_finite[at] && c_n < sti_rationals_double(x->low, at) - 1e-9) within = false;
                    if (x->high_finite[at] && c_n > sti_rationals_double(x->high, at) + 1e-9) within = false;
                }
                found = found || within;
            }
            assert_true(found);
        }
        sti_lcp_solution_set_destroy(group_env, set);
        sti_modes_lcp_destroy(lcp);
        sti_modes_destroy(m);
    }
}

// The same in space, for both friction models.
static void spatial_lcp_has_a_solution_where_modes_have_one(void** state) {
    (void)state;
    sti_rng rng = {12};
    for (int k = 0; k < 24; k++) {
        mode_scene s;
        const double mass[6] = {1, 1, 1, 0.5, 0.5, 1};
        scene_open(&s, group_env, 6, mass);
        for (int i = 0; i < 1 + k % 2; i++) {
            const double r[3] = {sti_rng_int(&rng, -1, 1), sti_rng_int(&rng, -1, 1), -1};
            scene_spatial(&s, r, (double[3]){0, 0, 1}, (double[3]){1, 0, 0}, (double[3]){0, 1, 0}, 0.5);
        }
        for (int i = 0; i < 6; i++) s.F[i] = sti_rng_int(&rng, -6, 6);
        s.F[2] += 5;
        sti_modes_options o = sti_modes_options_default();
        o.want = STI_MODES_CONSISTENT;
        o.model = k % 4 < 2 ? STI_FRICTION_BOX : STI_FRICTION_SIDES;
        o.sides = 5;
        sti_modes* m = scene_modes(&s, &o);
        sti_modes_lcp* lcp;
        assert_int_equal(sti_modes_lcp_create(group_env, &s.instant, &o, &lcp), STI_OK);
        sti_lcp_answer answer;
        sti_lcp_options lemke = sti_lcp_options_default();
        assert_int_equal(sti_lcp_solve(group_env, &lcp->lcp, &lemke, &answer), STI_OK);
        assert_int_equal(answer.outcome == STI_SOLVED, m->exists);
        bool found = false;
        for (int i = 0; i < m->mode_count && m->exists; i++) {
            const sti_mode_solution* x = m->modes[i].solution;
            bool within = x != NULL;
            for (size_t c = 0; c < (size_t)lcp->contacts && within; c++) {
                const size_t at = 6 + 3 * (size_t)lcp->contacts + 3 * c;
                within = (!x->low_finite[at] || answer.z[c] >= sti_rationals_double(x->low, at) - 1e-7) &&
                         (!x->high_finite[at] || answer.z[c] <= sti_rationals_double(x->high, at) + 1e-7);
            }
            found = found || within;
        }
        assert_int_equal(found, m->exists);
        sti_lcp_answer_clear(group_env, &answer);
        sti_modes_lcp_destroy(lcp);
        sti_modes_destroy(m);
    }
}

static void instant_without_contacts_has_one_mode(void** state) {
    (void)state;
    mode_scene s;
    scene_open(&s, group_env, 3, planar_mass);
    s.F[0] = 4;
    sti_modes* m = scene_modes(&s, NULL);
    assert_int_equal(m->mode_count, 1);
    assert_int_equal(m->strict_count, 1);
    assert_string_equal(m->modes[0].text, "");
    assert_true(sti_rationals_double(m->modes[0].solution->point, 0) == -2);
    sti_modes_destroy(m);
}

static void contacts_only_lists_the_faces_of_the_motion_cone(void** state) {
    (void)state;
    mode_scene s;
    const double mass[6] = {1, 1, 1, 1, 1, 1};
    scene_open(&s, group_env, 6, mass);
    for (int i = 0; i < 4; i++) {  // four feet of a table
        const double r[3] = {i & 1 ? 1 : -1, i & 2 ? 1 : -1, -1};
        scene_spatial(&s, r, (double[3]){0, 0, 1}, (double[3]){1, 0, 0}, (double[3]){0, 1, 0}, 0.5);
    }
    sti_modes_options o = sti_modes_options_default();
    o.contacts_only = true;
    sti_modes* m = scene_modes(&s, &o);
    // all down, 4 edges, 4 corners, all up
    assert_int_equal(m->mode_count, 10);
    assert_false(m->asked);
    sti_modes_destroy(m);
}

static void count_of_the_plane_is_four_of_eight(void** state) {
    (void)state;
    sti_mode_count* k;
    assert_int_equal(sti_mode_count_create(group_env, STI_FRICTION_BOX, 1, 0, 0.4, &k), STI_OK);
    assert_int_equal((int)k->choices, 8);
    assert_int_equal(k->feasible, 4);
    assert_int_equal(k->named, 4);
    sti_mode_count_destroy(k);
    for (int sides = 3; sides <= 12; sides++) {
        assert_int_equal(sti_mode_count_create(group_env, STI_FRICTION_SIDES, 2, sides, 0.4, &k), STI_OK);
        assert_int_equal(k->feasible, 2 * sides + 2);
        assert_int_equal(k->by_kind[STI_CHOICE_BETWEEN], sides);
        for (int i = 0; i < k->feasible; i++) assert_int_equal(k->dimension[i], 3);
        sti_mode_count_destroy(k);
    }
    assert_int_equal(sti_mode_count_create(group_env, STI_FRICTION_SIDES, 2, 2, 0.4, &k), STI_ERR_ARGUMENT);
    assert_int_equal(sti_mode_count_create(group_env, STI_FRICTION_BOX, 3, 0, 0.4, &k), STI_ERR_ARGUMENT);
    assert_int_equal(sti_mode_count_create(group_env, STI_FRICTION_BOX, 2, 0, NAN, &k), STI_ERR_ARGUMENT);
}

static bool accepted(const mode_scene* s, const sti_modes* m) {
    sti_modes_verification check;
    assert_int_equal(sti_verify_modes(group_env, &s->instant, NULL, m, &check), STI_OK);
    return check.accepted;
}

static void graph_keeps_first_times(void** state) {
    (void)state;
    sti_mode_graph* g;
    static const char* const path[6] = {"nn", "nn", "ll", "nn", "ll", "ss"};
    assert_int_equal(sti_mode_graph_create(group_env, &g), STI_OK);
    for (int i = 0; i < 6; i++) assert_int_equal(sti_mode_graph_add(g, i, path[i]), STI_OK);
    const sti_mode_node* nodes;
    const sti_mode_edge* edges;
    assert_int_equal(sti_mode_graph_nodes(g, &nodes), 3);
    assert_int_equal(sti_mode_graph_edges(g, &edges), 3);
    assert_int_equal(nodes[0].visits, 2);
    assert_true(nodes[1].first_time == 2);
    assert_int_equal(edges[0].count, 2);
    assert_true(edges[1].first_time == 3 && edges[2].first_time == 5);
    sti_mode_graph_destroy(g);
}

// A gap above the very point of contact: while contact is kept, the gap can neither grow nor shrink.
static void solution_where_a_gap_keeps_its_size_is_shown(void** state) {
    (void)state;
    mode_scene s;
    scene_open(&s, group_env, 3, planar_mass);
    scene_planar(&s, (double[2]){0, -1}, (double[2]){0, 1}, 0.5);
    scene_planar(&s, (double[2]){0, -1}, (double[2]){0, 1}, 0.5)->gap = 0.1;
    s.F[1] = 6;
    sti_modes* m = scene_modes(&s, NULL);
    assert_int_equal(m->strict_count + m->limit_count, 0);
    assert_true(m->exists);
    assert_non_null(m->held);
    assert_true(sti_rationals_double(m->held, 3) == 6);
    assert_int_equal(sti_rationals_set_double(m->held, 3, 5), STI_OK);
    assert_false(accepted(&s, m));
    sti_modes_destroy(m);
}

static void list_stops_where_it_is_told(void** state) {
    (void)state;
    mode_scene s;
    box_on_floor(&s, group_env, 0.5, (double[3]){0, -10, 0});
    sti_modes_options o = sti_modes_options_default();
    o.max_modes = 2;
    sti_modes* m = scene_modes(&s, &o);
    assert_false(m->complete);
    assert_int_equal(only_strict(m)->fit, STI_MODE_STRICT);
    sti_modes_destroy(m);
}

// No time at all: what is not known is not claimed, and the checker agrees.
static void a_search_out_of_time_claims_nothing(void** state) {
    (void)state;
    mode_scene s;
    box_on_floor(&s, group_env, 0.5, (double[3]){0, -10, 0});
    sti_modes_options o = sti_modes_options_default();
    o.time_limit_s = 1e-12;
    sti_modes* m = scene_modes(&s, &o);
    assert_false(m->complete || m->all_consistent || m->all_kinematic);
    assert_true(m->asked);
    assert_false(m->decided || m->exists);
    for (int i = 0; i < m->mode_count; i++) assert_int_equal(m->modes[i].fit, STI_MODE_UNTRIED);
    assert_int_equal(m->certificate.case_count, 0);
    assert_true(isnan(m->change_size));
    assert_true(accepted(&s, m));
    sti_modes_destroy(m);
    o.time_limit_s = 1e6;
    m = scene_modes(&s, &o);
    assert_true(m->complete && m->all_consistent && m->all_kinematic && m->decided && m->exists);
    sti_modes_destroy(m);
    o.time_limit_s = -1;
    assert_int_equal(sti_modes_create(group_env, &s.instant, &o, &m), STI_ERR_ARGUMENT);
    assert_null(m);
}

typedef struct listener {
    const char* phase;
    double part;
    long calls, phases;
} listener;

static void listen(void* user, const char* phase, double part, long found) {
    listener* l = user;
    assert_true(part >= 0 && part <= 1 + 1e-12);
    assert_true(found >= 0);
    if (l->phase == NULL || strcmp(l->phase, phase) != 0) {
        l->phases++;
        l->part = 0;
    }
    assert_true(part >= l->part);
    l->phase = phase;
    l->part = part;
    l->calls++;
}

static void progress_grows_within_a_phase(void** state) {
    (void)state;
    mode_scene s;
    box_on_floor(&s, group_env, 0.5, (double[3]){1, -10, 0});
    listener l = {0};
    sti_modes_options o = sti_modes_options_default();
    o.trace = listen;
    o.trace_user = &l;
    sti_modes* m = scene_modes(&s, &o);
    assert_true(m->complete);
    assert_true(l.calls > 8 && l.phases >= 3);
    sti_modes_destroy(m);
}

// ---- the checker refuses what is wrong

static void checker_refuses_changed_answers(void** state) {
    (void)state;
    mode_scene s;
    box_on_floor(&s, group_env, 0.5, (double[3]){-6, -10, 0});
    sti_modes* m = scene_modes(&s, NULL);
    sti_mode* mode = &m->modes[sti_modes_find(m, "ll")];
    const int total = 3 + 2 * 4;
    for (int k = 0; k < total; k++) {
        if (k >= 3 && k < 7) continue;  // accelerations of contacts are recomputed
        sti_rationals* kept;
        assert_int_equal(sti_rationals_slice(group_env, mode->solution->point, 0, (size_t)total, &kept), STI_OK);
        assert_int_equal(sti_rationals_set_double(mode->solution->point, (size_t)k, 17), STI_OK);
        assert_false(accepted(&s, m));
        assert_int_equal(sti_rationals_copy(mode->solution->point, (size_t)k, kept, (size_t)k), STI_OK);
        sti_rationals_destroy(kept);
    }
    assert_true(accepted(&s, m));
    m->contacts[1].status = STI_CONTACT_STATUS_LEAVING;
    assert_false(accepted(&s, m));
    m->contacts[1].status = STI_CONTACT_STATUS_ROLLING;
    mode->choice[0] = (short)((mode->choice[0] + 1) % 4);
    assert_false(accepted(&s, m));
    sti_modes_destroy(m);
}

static void checker_refuses_changed_certificates(void** state) {
    (void)state;
    mode_scene s;
    const double mass[3] = {3, 3, 1};
    scene_open(&s, group_env, 3, mass);
    scene_planar(&s, (double[2]){-0.6, -0.8}, (double[2]){0, 1}, 3);
    s.v[0] = -1;
    s.F[1] = 30;
    sti_modes* m = scene_modes(&s, NULL);
    assert_false(m->exists);
    const int cases = m->certificate.case_count;
    assert_true(cases > 0);
    m->certificate.case_count = cases - 1;
    assert_false(accepted(&s, m));
    m->certificate.case_count = cases;
    for (size_t k = 0; k < 5; k++) {
        sti_rationals* kept;
        assert_int_equal(sti_rationals_slice(group_env, m->certificate.value, 0, 5, &kept), STI_OK);
        assert_int_equal(sti_rationals_set_double(m->certificate.value, k, 1.5 * sti_rationals_double(kept, k) + 1),
                         STI_OK);
        assert_false(accepted(&s, m));
        assert_int_equal(sti_rationals_copy(m->certificate.value, k, kept, k), STI_OK);
        sti_rationals_destroy(kept);
    }
    assert_true(accepted(&s, m));
    sti_modes_destroy(m);
}

// ---- infeasible combinations

// Two corners of a box down: 16 combinations; sliding goes the same way at both, and so on. All of them, each with a
// reason.
static void infeasible_modes_have_reasons(void** state) {
    (void)state;
    mode_scene s;
    sti_modes_options o = sti_modes_options_default();
    o.want |= STI_MODES_INFEASIBLE;
    box_on_floor(&s, group_env, 0.5, (double[3]){0, -10, 0});
    for (int rates = 0; rates < 3; rates++) {
        sti_modes* m;
        s.contacts[0].n_rate = rates == 1 ? 0.5 : 0;
        s.contacts[1].n_rate = rates == 2 ? -2 : 0;
        assert_int_equal(sti_modes_create(group_env, &s.instant, &o, &m), STI_OK);
        assert_true(m->all_infeasible && m->mode_count + m->infeasible_count == 16);
        assert_true(accepted(&s, m));
        for (int i = 0; i < m->infeasible_count; i++) {
            assert_int_equal(sti_modes_find(m, m->infeasible[i].text), -1);
            assert_true(m->infeasible[i].absurd != NULL && m->infeasible[i].witness == NULL);
            if (rates == 0) assert_non_null(m->infeasible[i].wrenches);
        }
        sti_modes_destroy(m);
    }
}

// "lr" of the box: both corners slide, one to the left and one to the right. The closed set has a = 0 in x and the
// turn, and the friction of both: the wrenches -J c with c on the two edges, which the wrench (0, -1, 0) is among.
static void the_closed_set_of_an_infeasible_mode_is_a_limit(void** state) {
    (void)state;
    mode_scene s;
    sti_modes_options o = sti_modes_options_default();
    sti_modes* m;
    o.want |= STI_MODES_INFEASIBLE;
    box_on_floor(&s, group_env, 0.5, (double[3]){0, -10, 0});
    assert_int_equal(sti_modes_create(group_env, &s.instant, &o, &m), STI_OK);
    int found = -1;
    for (int i = 0; i < m->infeasible_count; i++) found = strcmp(m->infeasible[i].text, "lr") == 0 ? i : found;
    assert_true(found >= 0);
    const sti_mode_wrenches* w = m->infeasible[found].wrenches;
    assert_true(w->is_cone && sti_polycone_dimension(w->cone) == 2);
    sti_cone_point at;
    assert_int_equal(sti_polycone_locate(w->cone, (double[3]){0, -1, 0}, &at), STI_OK);
    assert_true(at.inside);
    assert_int_equal(sti_polycone_locate(w->cone, (double[3]){0, 1, 0}, &at), STI_OK);
    assert_false(at.inside);
    sti_modes_destroy(m);
}

static void checker_refuses_changed_reasons(void** state) {
    (void)state;
    for (int what = 0; what < 4; what++) {
        mode_scene s;
        sti_modes_options o = sti_modes_options_default();
        sti_modes* m;
        o.want |= STI_MODES_INFEASIBLE;
        box_on_floor(&s, group_env, 0.5, (double[3]){0, -10, 0});
        assert_int_equal(sti_modes_create(group_env, &s.instant, &o, &m), STI_OK);
        sti_mode* mode = &m->infeasible[0];
        if (what == 0) assert_int_equal(sti_rationals_set_text(mode->absurd, 0, "7"), STI_OK);
        if (what == 1) {
            for (size_t k = 0; k < 4; k++) assert_int_equal(sti_rationals_set_text(mode->absurd, k, "0"), STI_OK);
        }
        if (what == 2) memcpy(mode->choice, m->modes[0].choice, 2 * sizeof *mode->choice);
        if (what == 3) m->infeasible_count--;
        assert_false(accepted(&s, m));
        if (what == 3) m->infeasible_count++;
        sti_modes_destroy(m);
    }
}

static void random_combinations_are_feasible_or_have_a_reason(void** state) {
    (void)state;
    sti_rng rng = {29};
    for (int trial = 0; trial < (SANITIZED ? 10 : 150); trial++) {
        mode_scene s;
        sti_modes_options o = sti_modes_options_default();
        sti_modes* m;
        o.want = STI_MODES_KINEMATIC | STI_MODES_INFEASIBLE;
        scene_open(&s, group_env, 3, planar_mass);
        for (int i = 0; i < 2 + trial % 3; i++) {
            const double n[3][2] = {{0, 1}, {1, 0}, {-0.6, 0.8}};
            const double p[2] = {sti_rng_int(&rng, -3, 3), sti_rng_int(&rng, -3, 3)};
            scene_planar(&s, p, n[sti_rng_int(&rng, 0, 2)], 0.25 * sti_rng_int(&rng, 0, 4));
            if (trial % 2 == 1) s.contacts[i].n_rate = sti_rng_int(&rng, -1, 1);
        }
        assert_int_equal(sti_modes_create(group_env, &s.instant, &o, &m), STI_OK);
        sti_modes_verification check;
        assert_int_equal(sti_verify_modes(group_env, &s.instant, &o, m, &check), STI_OK);
        if (!check.accepted) print_error("%s\n", check.text);
        assert_true(check.accepted && m->all_infeasible);
        assert_true((double)m->mode_count + m->infeasible_count == m->potential);
        sti_modes_destroy(m);
    }
}

// ---- memory

static sti_status all_of_it(sti_env* in, const mode_scene* s, const sti_modes_options* o) {
    sti_modes* m;
    sti_modes_lcp* lcp;
    sti_mode_count* count;
    sti_mode_graph* g;
    sti_status status = sti_modes_create(in, &s->instant, o, &m);
    if (status == STI_OK) {
        sti_modes_verification check;
        status = sti_verify_modes(in, &s->instant, o, m, &check);
        if (status == STI_OK) assert_true(check.accepted);
        sti_modes_destroy(m);
    }
    if (status == STI_OK) status = sti_modes_lcp_create(in, &s->instant, o, &lcp);
    if (status == STI_OK) sti_modes_lcp_destroy(lcp);
    if (status == STI_OK) status = sti_mode_count_create(in, o->model, 2, 4, 0.5, &count);
    if (status == STI_OK) sti_mode_count_destroy(count);
    if (status == STI_OK) status = sti_mode_graph_create(in, &g);
    if (status == STI_OK) {
        status = sti_mode_graph_add(g, 0, "a");
        if (status == STI_OK) status = sti_mode_graph_add(g, 1, "b");
        sti_mode_graph_destroy(g);
    }
    return status;
}

static void fail_every_allocation(mode_scene* s, const sti_modes_options* o, long step) {
    for (long k = 0;; k += step) {
        failing_env f;
        failing_env_open(&f, k);
        const sti_status status = all_of_it(f.env, s, o);
        assert_true(status == STI_OK || status == STI_ERR_MEMORY);
        const bool done = failing_env_close(&f);
        if (done != (status == STI_OK)) print_message("allocation %ld\n", k);
        assert_int_equal(status, done ? STI_OK : STI_ERR_MEMORY);
        if (done) break;
    }
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    mode_scene s;
    sti_modes_options o = sti_modes_options_default();
    scene_open(&s, group_env, 3, (double[3]){3, 3, 1});
    scene_planar(&s, (double[2]){-0.6, -0.8}, (double[2]){0, 1}, 3);
    s.v[0] = -1;
    s.F[1] = 30;
    fail_every_allocation(&s, &o, SANITIZED ? 5 : 1);  // no solution: a certificate
    o.want |= STI_MODES_INFEASIBLE;

    scene_open(&s, group_env, 3, (double[3]){3, 3, 1});
    scene_planar(&s, (double[2]){0, -1}, (double[2]){0, 1}, 0.5);
    scene_planar(&s, (double[2]){0, -1}, (double[2]){0, 1}, 0.5);  // the same again: forces not unique
    s.F[1] = 6;
    fail_every_allocation(&s, &o, SANITIZED ? 43 : 7);
    s.contacts[0].n_rate = 1;  // a polyhedron
    s.contacts[1].n_rate = 1;
    fail_every_allocation(&s, &o, SANITIZED ? 43 : 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_sticks_exactly_below_the_friction_limit),
        cmocka_unit_test(margin_is_the_distance_to_the_friction_limit),
        cmocka_unit_test(wrench_sets_hold_exactly_the_wrenches_that_produce_the_mode),
        cmocka_unit_test(mirrored_scene_has_mirrored_modes),
        cmocka_unit_test(joint_carries_forces_of_both_signs),
        cmocka_unit_test(singular_mass_leaves_the_acceleration_open),
        cmocka_unit_test(contact_that_leaves_separates_and_an_impact_is_refused),
        cmocka_unit_test(moving_surfaces_count_as_slip_and_gap_rate),
        cmocka_unit_test(kinetic_friction_is_for_sliding_contacts_only),
        cmocka_unit_test(friction_of_a_contact_that_slides_in_space_is_against_the_slip),
        cmocka_unit_test(sliding_in_space_can_have_no_solution),
        cmocka_unit_test(lcp_and_modes_have_the_same_normal_forces),
        cmocka_unit_test(spatial_lcp_has_a_solution_where_modes_have_one),
        cmocka_unit_test(instant_without_contacts_has_one_mode),
        cmocka_unit_test(contacts_only_lists_the_faces_of_the_motion_cone),
        cmocka_unit_test(count_of_the_plane_is_four_of_eight),
        cmocka_unit_test(graph_keeps_first_times),
        cmocka_unit_test(solution_where_a_gap_keeps_its_size_is_shown),
        cmocka_unit_test(list_stops_where_it_is_told),
        cmocka_unit_test(a_search_out_of_time_claims_nothing),
        cmocka_unit_test(progress_grows_within_a_phase),
        cmocka_unit_test(checker_refuses_changed_answers),
        cmocka_unit_test(checker_refuses_changed_certificates),
        cmocka_unit_test(infeasible_modes_have_reasons),
        cmocka_unit_test(the_closed_set_of_an_infeasible_mode_is_a_limit),
        cmocka_unit_test(checker_refuses_changed_reasons),
        cmocka_unit_test(random_combinations_are_feasible_or_have_a_reason),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
