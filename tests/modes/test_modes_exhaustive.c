// test_modes_exhaustive.c: no mode is missing and none is extra, against all combinations, on random and degenerate
// scenes.
#include "base/rng.h"
#include "support/mode_oracle.h"
#include "support/mode_scene.h"

enum { PLANAR_SCENES = SANITIZED ? 60 : 700, SPATIAL_SCENES = SANITIZED ? 20 : 300 };

static const int mus[5][2] = {{0, 1}, {1, 4}, {1, 2}, {1, 1}, {2, 1}};

// Gradient and rate of a row over the velocities, small integers.
static void set_rows(sti_rng* rng, oracle_scene* s, oracle_contact* c, bool rates) {
    long r[3], n[3] = {0, 0, 0}, t[2][3] = {{0}};
    for (int k = 0; k < 3; k++) r[k] = sti_rng_int(rng, -2, 2);
    if (s->n == 3) {
        r[2] = 0;
        do {
            n[0] = sti_rng_int(rng, -1, 1);
            n[1] = sti_rng_int(rng, -1, 1);
        } while (n[0] == 0 && n[1] == 0);
        t[0][0] = -n[1];
        t[0][1] = n[0];
    } else {
        const int axis = sti_rng_int(rng, 0, 2);
        n[axis] = 2 * sti_rng_int(rng, 0, 1) - 1;
        t[0][(axis + 1) % 3] = 1;
        t[1][(axis + 2) % 3] = 1;
        if (sti_rng_int(rng, 0, 3) == 0) {  // a slanted plane: n, t, o at right angles, not of length 1
            n[(axis + 1) % 3] = 1;
            memset(t[0], 0, sizeof t[0]);
            t[0][axis] = -n[(axis + 1) % 3];
            t[0][(axis + 1) % 3] = n[axis];
        }
    }
    for (int part = 0; part < 3; part++) {
        const long* d = part == 0 ? n : t[part - 1];
        memset(c->row[part], 0, sizeof c->row[part]);
        if (s->n == 3) {
            c->row[part][0] = d[0];
            c->row[part][1] = d[1];
            c->row[part][2] = r[0] * d[1] - r[1] * d[0];
        } else {
            for (int k = 0; k < 3; k++) {
                c->row[part][k] = d[k];
                c->row[part][3 + k] = r[(k + 1) % 3] * d[(k + 2) % 3] - r[(k + 2) % 3] * d[(k + 1) % 3];
            }
        }
        if (rates) c->row[part][s->n] = sti_rng_int(rng, -1, 1);
    }
}

static void make_scene(sti_rng* rng, oracle_scene* s, int n, int contacts) {
    memset(s, 0, sizeof *s);
    s->n = n;
    s->contacts = contacts;
    s->sides = n == 6 && sti_rng_int(rng, 0, 1) == 1;
    const bool rates = sti_rng_int(rng, 0, 3) == 0, resting = sti_rng_int(rng, 0, 7) == 0;
    for (int k = 0; k < n; k++) {
        s->mass[k] = k < n / 2 + (n == 3) ? 2 : 1 + (k % 2);
        s->w[k] = resting ? 0 : sti_rng_int(rng, -6, 6);
    }
    for (int i = 0; i < contacts; i++) {
        oracle_contact* c = &s->contact[i];
        set_rows(rng, s, c, rates);
        if (i > 0 && sti_rng_int(rng, 0, 4) == 0)
            memcpy(c->row, s->contact[i - 1].row, sizeof c->row);  // the same again
        if (i > 0 && sti_rng_int(rng, 0, 6) == 0) {                // facing the one before
            for (int k = 0; k <= n; k++) c->row[0][k] = -s->contact[i - 1].row[0][k];
        }
        c->tangents = sti_rng_int(rng, 0, 9) == 0 ? 0 : n == 3 ? 1 : 2;
        c->apart = sti_rng_int(rng, 0, 6) == 0;
        c->sliding = !c->apart && n == 3 && c->tangents == 1 && sti_rng_int(rng, 0, 4) == 0;
        const int mu = sti_rng_int(rng, 0, 4);
        c->mu_num = mus[mu][0];
        c->mu_den = mus[mu][1];
    }
}

// The scene as an instant. Velocities only tell sliding contacts from others, which are declared to stick.
static void pose(const oracle_scene* from, sti_env* env, oracle_scene* slips, mode_scene* to) {
    double mass[ORACLE_DOF];
    for (int k = 0; k < from->n; k++) mass[k] = (double)from->mass[k];
    scene_open(to, env, from->n, mass);
    for (int k = 0; k < from->n; k++) {
        to->F[k] = (double)-from->w[k];
        to->v[k] = 1 + 0.375 * k;
    }
    for (int i = 0; i < from->contacts; i++) {
        const oracle_contact* c = &from->contact[i];
        double slip = 0;
        for (int k = 0; k < from->n; k++) {
            to->n[i][k] = (double)c->row[0][k];
            for (int t = 0; t < c->tangents; t++) to->t[i][t * from->n + k] = (double)c->row[1 + t][k];
            slip += (double)c->row[1][k] * to->v[k];
        }
        sti_instant_contact* made = scene_contact(to, (double)c->mu_num / c->mu_den, c->tangents);
        made->n_rate = (double)c->row[0][from->n];
        for (int t = 0; t < c->tangents; t++) to->t_rate[i][t] = (double)c->row[1 + t][from->n];
        made->gap = c->apart ? 0.5 : 0;
        made->state = c->sliding && slip != 0 ? STI_INSTANT_SLIDE : STI_INSTANT_STICK;
        slips->contact[i].sliding = c->sliding && slip != 0;
        slips->contact[i].slip = (slip > 0) - (slip < 0);
    }
}

static void compare(const oracle_list* slow, const sti_modes* fast) {
    assert_true(fast->complete);
    int consistent = 0;
    for (int i = 0; i < slow->count; i++) {
        const int at = sti_modes_find(fast, slow->item[i].text);
        if (at < 0) print_message("missing: %s\n", slow->item[i].text);
        assert_true(at >= 0);
        const int fit = (int)fast->modes[at].fit - (int)STI_MODE_LIMIT;
        if (fit != slow->item[i].fit)
            print_message("%s: %d instead of %d\n", slow->item[i].text, fit, slow->item[i].fit);
        assert_int_equal(fit, slow->item[i].fit);
        consistent += slow->item[i].fit >= 0;
    }
    assert_int_equal(fast->mode_count, slow->count);
    if (consistent > 0) assert_true(fast->exists);
}

static void run(int n, int scenes, int most, uint64_t seed) {
    sti_rng rng = {seed};
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    oracle_lp* lp = malloc(sizeof *lp);
    assert_non_null(lp);
    oracle_lp_init(lp);
    int modes_seen = 0, none = 0, several = 0;
    for (int k = 0; k < scenes; k++) {
        oracle_scene s;
        mode_scene instant;
        make_scene(&rng, &s, n, 1 + k % most);
        pose(&s, env, &s, &instant);
        oracle_list slow = {0};
        oracle_mode mode[ORACLE_CONTACTS];
        oracle_walk(&s, lp, mode, 0, &slow);
        sti_modes_options o = sti_modes_options_default();
        o.want = STI_MODES_KINEMATIC | STI_MODES_CONSISTENT;
        if (s.sides) {
            o.model = STI_FRICTION_SIDES;
            o.sides = 4;
        }
        sti_modes* fast = scene_modes(&instant, &o);
        compare(&slow, fast);
        modes_seen += fast->mode_count;
        none += !fast->exists;
        several += fast->strict_count > 1;
        sti_modes_destroy(fast);
        free(slow.item);
    }
    oracle_lp_free(lp);
    free(lp);
    sti_env_destroy(env);
    print_message("%d scenes: %d modes, %d without a solution, %d with several\n", scenes, modes_seen, none, several);
}

static void planar_modes_are_those_of_exhaustive_search(void** state) {
    (void)state;
    run(3, PLANAR_SCENES, 6, 20);
}

static void spatial_modes_are_those_of_exhaustive_search(void** state) {
    (void)state;
    run(6, SPATIAL_SCENES * 9 / 10, 3, 21);
    run(6, SPATIAL_SCENES / 10, 6, 22);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planar_modes_are_those_of_exhaustive_search),
        cmocka_unit_test(spatial_modes_are_those_of_exhaustive_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
