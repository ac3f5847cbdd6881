// Impact laws against independent computations: projection by brute force, modes by exhaustion in the full space, the
// thesis's Poisson cases; restitution matrices with their witnesses; degenerate geometry; failing memory.
#include <math.h>
#include <stiction/impact.h>

#include "support/few_contacts.h"
#include "support/oracle.h"
#include "support/random.h"

static sti_env* env;

// Without the search for other velocities of Poisson's law, which takes most of the time.
static sti_status quick(sti_env* with, const sti_instant* instant, sti_impact** out) {
    sti_impact_options o = sti_impact_options_default();
    o.skip_unique = true;
    return sti_impact_create(with, instant, &o, out);
}

static void near_to(double a, double b, double tol) {
    if (fabs(a - b) <= tol * (1 + fabs(b))) return;
    fail_msg("%.15g, expected %.15g", a, b);
}

static void random_instant(sti_rng* rng, few_contacts* f, int n, int p, bool rough) {
    double A[FEW_N * FEW_N];
    few_begin(f, n);
    for (int i = 0; i < n * n; i++) A[i] = symmetric(rng);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            f->M[i * n + j] = i == j ? 0.2 : 0;
            for (int l = 0; l < n; l++) f->M[i * n + j] += A[i * n + l] * A[j * n + l];
        }
        f->v[i] = 3 * symmetric(rng);
    }
    for (int i = 0; i < p; i++) {
        double normal[FEW_N], tangent[FEW_N];
        for (int j = 0; j < n; j++) {
            normal[j] = symmetric(rng);
            tangent[j] = symmetric(rng);
        }
        sti_instant_contact* c =
            few_add(f, normal, rough ? tangent : NULL, rough ? sti_rng_u01(rng) : 0, sti_rng_u01(rng));
        c->restitution_t = rough && i % 2 == 0 ? 0.3 * sti_rng_u01(rng) : 0;
    }
}

// x = A^-1 b by Gauss elimination; false when singular. A (m x m) and b are destroyed.
static bool solve(int m, double* A, double* b) {
    for (int k = 0; k < m; k++) {
        int r = k;
        for (int i = k + 1; i < m; i++) r = fabs(A[i * m + k]) > fabs(A[r * m + k]) ? i : r;
        if (fabs(A[r * m + k]) < 1e-9) return false;
        for (int j = 0; j < m; j++) {
            const double a = A[k * m + j];
            A[k * m + j] = A[r * m + j];
            A[r * m + j] = a;
        }
        const double a = b[k];
        b[k] = b[r];
        b[r] = a;
        for (int i = 0; i < m; i++) {
            if (i == k) continue;
            const double factor = A[i * m + k] / A[k * m + k];
            for (int j = k; j < m; j++) A[i * m + j] -= factor * A[k * m + j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = 0; k < m; k++) b[k] /= A[k * m + k];
    return true;
}

// Nearest y to v in the metric M with n_i'y >= 0: every set of active constraints is tried.
static bool project(const few_contacts* f, double* y) {
    const int n = f->in.n, p = f->in.contact_count;
    for (unsigned set = 0; set < 1U << p; set++) {
        double A[144] = {0}, b[12] = {0};
        int index[FEW_CONTACTS], count = 0;
        for (int i = 0; i < p; i++) {
            if (set >> i & 1) index[count++] = i;
        }
        const int m = n + count;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                A[i * m + j] = f->M[i * n + j];
                b[i] += f->M[i * n + j] * f->v[j];
            }
            for (int c = 0; c < count; c++) {
                A[i * m + n + c] = -f->n[index[c]][i];
                A[(n + c) * m + i] = f->n[index[c]][i];
            }
        }
        if (!solve(m, A, b)) continue;
        bool good = true;
        for (int c = 0; c < count; c++) good = good && b[n + c] >= -1e-12;
        for (int i = 0; i < p; i++) {
            double u = 0;
            for (int j = 0; j < n; j++) u += f->n[i][j] * b[j];
            good = good && u >= -1e-9;
        }
        if (!good) continue;
        memcpy(y, b, (size_t)n * sizeof *y);
        return true;
    }
    return false;
}

static void moreau_is_the_projection_in_the_kinetic_metric(void** state) {
    (void)state;
    sti_rng rng = {21};
    for (int trial = 0; trial < 40; trial++) {
        few_contacts f;
        sti_impact* k;
        double y[FEW_N];
        const int n = sti_rng_int(&rng, 2, 5), p = sti_rng_int(&rng, 1, n);
        random_instant(&rng, &f, n, p, false);
        const double e = sti_rng_u01(&rng);
        for (int i = 0; i < p; i++) f.contact[i].restitution = e;
        assert_int_equal(quick(env, &f.in, &k), STI_OK);
        const sti_impact_solution* x = k->laws[STI_IMPACT_MOREAU].solutions;
        assert_int_equal(k->laws[STI_IMPACT_MOREAU].count, 1);
        assert_true(project(&f, y));
        for (int j = 0; j < n; j++) near_to(x->v[j], (1 + e) * y[j] - e * f.v[j], 1e-8);
        assert_true(x->kinetic && x->energetic);
        near_to(x->energy.f40, x->energy.direct, 1e-9);
        near_to(x->energy.f47, x->energy.direct, 1e-9);
        assert_true(x->momentum < 1e-11 && x->law < 1e-11);
        // the implicit operator with Lambda = e I and free slips is the same law
        sti_impact_destroy(env, k);
        for (int i = 0; i < p; i++) f.contact[i].restitution_t = e;
        assert_int_equal(quick(env, &f.in, &k), STI_OK);
        x = k->laws[STI_IMPACT_IMPLICIT_SMOOTH].solutions;
        for (int j = 0; j < n; j++) near_to(x->v[j], (1 + e) * y[j] - e * f.v[j], 1e-8);
        sti_impact_destroy(env, k);
    }
}

static void energy_formulas_agree_for_every_law(void** state) {
    (void)state;
    sti_rng rng = {22};
    for (int trial = 0; trial < 30; trial++) {
        few_contacts f;
        sti_impact* k;
        const int n = sti_rng_int(&rng, 2, 5), p = sti_rng_int(&rng, 1, n < 3 ? n : 3);
        random_instant(&rng, &f, n, p, true);
        for (int i = 0; i < p * p; i++) f.E[i] = sti_rng_u01(&rng);
        f.in.restitution = f.E;
        assert_int_equal(quick(env, &f.in, &k), STI_OK);
        for (int l = 0; l < STI_IMPACT_LAW_COUNT; l++) {
            for (int i = 0; i < k->laws[l].count; i++) {
                const sti_impact_solution* x = &k->laws[l].solutions[i];
                const sti_impact_energy* e = &x->energy;
                const double all[] = {e->f40, e->f47, e->f48, e->f49, e->f50, e->f51,
                                      e->f62, e->f63, e->f64, e->f77, e->f78};
                for (size_t q = 0; q < sizeof all / sizeof all[0]; q++) {
                    if (!isnan(all[q])) near_to(all[q], e->direct, 1e-7);
                }
                if (!(x->momentum < 1e-9)) fail_msg("%s: %g", sti_impact_law_text((sti_impact_law)l), x->momentum);
            }
        }
        assert_false(isnan(k->laws[STI_IMPACT_GENERAL].solutions->energy.f50));
        sti_impact_destroy(env, k);
    }
}

// The independent check accepts what the laws say, and notices when it is changed.
static void the_check_accepts_solutions_and_nothing_else(void** state) {
    (void)state;
    sti_rng rng = {28};
    int accepted[STI_IMPACT_LAW_COUNT] = {0};
    for (int trial = 0; trial < 150; trial++) {
        few_contacts f;
        sti_impact* k;
        sti_impact_verification v;
        const int n = sti_rng_int(&rng, 2, 5), p = sti_rng_int(&rng, 1, n < 3 ? n : 3);
        random_instant(&rng, &f, n, p, true);
        if (trial % 2 == 0) {
            for (int i = 0; i < p; i++) f.contact[i].restitution = f.contact[i].restitution_t = 0.4;
        }
        if (trial % 3 == 0 && p > 1) f.contact[0].bilateral = true;
        assert_int_equal(quick(env, &f.in, &k), STI_OK);
        for (int l = 0; l < STI_IMPACT_LAW_COUNT; l++) {
            for (int i = 0; i < k->laws[l].count; i++) {
                assert_int_equal(sti_verify_impact(env, &f.in, k, (sti_impact_law)l, i, 1e-7, &v), STI_OK);
                if (!v.accepted && v.law_checked) fail_msg("%s: %s", sti_impact_law_text((sti_impact_law)l), v.text);
                accepted[l] += v.accepted;
                if (!v.law_checked) continue;
                double* velocity = (double*)k->laws[l].solutions[i].v;
                double* impulse = (double*)k->laws[l].solutions[i].p_n;
                velocity[0] += 1e-3;
                assert_int_equal(sti_verify_impact(env, &f.in, k, (sti_impact_law)l, i, 1e-7, &v), STI_OK);
                assert_false(v.accepted);
                velocity[0] -= 1e-3;
                impulse[0] += 1e-3;
                assert_int_equal(sti_verify_impact(env, &f.in, k, (sti_impact_law)l, i, 1e-7, &v), STI_OK);
                assert_false(v.accepted);
                impulse[0] -= 1e-3;
            }
        }
        assert_int_equal(sti_verify_impact(env, &f.in, k, STI_IMPACT_QUASI, 0, 1e-7, &v), STI_ERR_ARGUMENT);
        sti_impact_destroy(env, k);
    }
    for (int l = 0; l < STI_IMPACT_LAW_COUNT; l++) {
        // of these the check sees momentum, joints and energies alone, and never says accepted
        const bool partly = l == STI_IMPACT_QUASI || l == STI_IMPACT_STRONGE || l == STI_IMPACT_LZB;
        assert_true(partly ? accepted[l] == 0 : accepted[l] > 20);
    }
}

// All solutions of (68) in the unknowns (v+, p_n, p_t), every mode tried in full.
typedef struct found_mode {
    char mode[FEW_CONTACTS + 1];
    double v[FEW_N];
} found_mode;

static int exhaust(const few_contacts* f, found_mode* out, bool* border) {
    const int n = f->in.n, p = f->in.contact_count, m = n + 2 * p;
    int total = 1, count = 0;
    for (int i = 0; i < p; i++) total *= 3;
    for (int code = 0; code < total; code++) {
        double A[576] = {0}, b[24] = {0};
        found_mode here = {0};
        for (int i = 0, c = code; i < p; i++, c /= 3) here.mode[i] = "+-k"[c % 3];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                A[i * m + j] = f->M[i * n + j];
                b[i] += f->M[i * n + j] * f->v[j];
            }
            for (int c = 0; c < p; c++) {
                A[i * m + n + c] = -f->n[c][i];
                A[i * m + n + p + c] = -f->t[c][i];
            }
        }
        for (int c = 0; c < p; c++) {
            const double e = f->contact[c].restitution, e_t = f->contact[c].restitution_t;
            double *normal = A + (n + c) * m, *tangent = A + (n + p + c) * m;
            for (int j = 0; j < n; j++) {
                normal[j] = f->n[c][j];
                b[n + c] -= e * f->n[c][j] * f->v[j];
            }
            if (here.mode[c] == 'k') {
                for (int j = 0; j < n; j++) {
                    tangent[j] = f->t[c][j];
                    b[n + p + c] -= e_t * f->t[c][j] * f->v[j];
                }
            } else {
                tangent[n + p + c] = 1;
                tangent[n + c] = here.mode[c] == '+' ? f->contact[c].mu : -f->contact[c].mu;
            }
        }
        if (!solve(m, A, b)) continue;
        bool good = true;
        for (int c = 0; c < p; c++) {
            double sigma = 0;
            for (int j = 0; j < n; j++) sigma += f->t[c][j] * (b[j] + f->contact[c].restitution_t * f->v[j]);
            const double slack = here.mode[c] == 'k'   ? f->contact[c].mu * b[n + c] - fabs(b[n + p + c])
                                 : here.mode[c] == '+' ? sigma
                                                       : -sigma;
            if (fabs(slack) < 1e-6) *border = true;
            good = good && slack > 0;
        }
        if (!good) continue;
        memcpy(here.v, b, (size_t)n * sizeof *b);
        out[count++] = here;
    }
    return count;
}

static void modes_of_68_are_those_of_an_exhaustive_search(void** state) {
    (void)state;
    sti_rng rng = {23};
    int compared = 0, inadmissible = 0, several = 0;
    for (int trial = 0; trial < 400; trial++) {
        few_contacts f;
        sti_impact* k;
        found_mode found[81];
        bool border = false;
        const int n = sti_rng_int(&rng, 2, 6), p = sti_rng_int(&rng, 1, n / 2 < 3 ? n / 2 : 3);
        random_instant(&rng, &f, n, p, true);
        const int count = exhaust(&f, found, &border);
        if (border) continue;
        assert_int_equal(quick(env, &f.in, &k), STI_OK);
        const sti_impact_answer* a = &k->laws[STI_IMPACT_FRICTION];
        assert_true(a->complete);
        assert_int_equal(a->count, count);
        for (int i = 0; i < count; i++) {
            const sti_impact_solution* x = NULL;
            for (int j = 0; j < count; j++) x = strcmp(a->solutions[j].mode, found[i].mode) == 0 ? &a->solutions[j] : x;
            assert_non_null(x);
            for (int j = 0; j < n; j++) near_to(x->v[j], found[i].v[j], 1e-6);
        }
        compared++;
        several += count > 1;
        int pressing = 0;
        for (int i = 0; i < count; i++) pressing += a->solutions[i].kinetic;
        inadmissible += pressing < count;
        sti_impact_destroy(env, k);
    }
    assert_true(compared > 350 && inadmissible > 5 && several > 0);
}

// Two corners of a block slide together: the modes are ++, --, kk, and the tangential impulses of kk are a family.
static void parallel_slips_leave_a_family_of_impulses(void** state) {
    (void)state;
    few_contacts f;
    sti_impact* k;
    few_begin(&f, 3);
    few_mass(&f, 0, 2);
    few_mass(&f, 1, 2);
    few_mass(&f, 2, 2 * (1 + 0.04) / 12);
    f.v[0] = 0.1;
    f.v[1] = -1;
    few_add(&f, (double[]){0, 1, 0.5}, (double[]){1, 0, 0.1}, 0.8, 0);
    few_add(&f, (double[]){0, 1, -0.5}, (double[]){1, 0, 0.1}, 0.8, 0);
    assert_int_equal(quick(env, &f.in, &k), STI_OK);
    const sti_impact_answer* a = &k->laws[STI_IMPACT_FRICTION];
    assert_int_equal(a->count, 1);
    assert_string_equal(a->solutions->mode, "kk");
    assert_int_equal(a->solutions->dimension, 1);
    assert_true(a->solutions->kinetic && a->solutions->energetic);
    near_to(a->solutions->p_t[0] + a->solutions->p_t[1], -0.2, 1e-12);
    for (int i = 0; i < 2; i++) assert_true(fabs(a->solutions->p_t[i]) <= 0.8 * a->solutions->p_n[i] + 1e-12);
    sti_impact_destroy(env, k);
}

// The smallest-norm tangential impulses leave the friction bound of one corner, but the family does not.
static void sticking_is_found_when_only_part_of_the_family_fits(void** state) {
    (void)state;
    few_contacts f;
    sti_impact* k;
    few_begin(&f, 3);
    few_mass(&f, 0, 1);
    few_mass(&f, 1, 1);
    few_mass(&f, 2, 1);
    f.v[0] = 1;
    f.v[1] = -2;
    f.v[2] = 1.9;
    few_add(&f, (double[]){0, 1, 1}, (double[]){1, 0, 0}, 0.6, 0);
    few_add(&f, (double[]){0, 1, -1}, (double[]){1, 0, 0}, 0.6, 0);
    assert_int_equal(quick(env, &f.in, &k), STI_OK);
    const sti_impact_answer* a = &k->laws[STI_IMPACT_FRICTION];
    assert_int_equal(a->count, 1);
    const sti_impact_solution* x = a->solutions;
    assert_string_equal(x->mode, "kk");
    near_to(x->p_t[0] + x->p_t[1], -1, 1e-9);
    for (int i = 0; i < 2; i++) assert_true(fabs(x->p_t[i]) <= 0.6 * x->p_n[i] + 1e-9);
    assert_true(0.5 > 0.6 * fmin(x->p_n[0], x->p_n[1]));
    sti_impact_destroy(env, k);
}

static void the_literal_reading_adds_sticking_with_negative_impulse(void** state) {
    (void)state;
    few_contacts f;
    sti_impact* k;
    few_begin(&f, 3);
    few_mass(&f, 0, 2);
    few_mass(&f, 1, 2);
    few_mass(&f, 2, 2 * (1 + 0.25) / 12);
    f.v[0] = 0.5;
    f.v[1] = -0.25;
    f.v[2] = -1;
    few_add(&f, (double[]){0, 1, 0.25}, (double[]){1, 0, 0.5}, 0.8, 0);
    few_add(&f, (double[]){0, 1, -0.25}, (double[]){1, 0, 0.5}, 0.8, 0);
    sti_impact_options o = sti_impact_options_default();
    assert_int_equal(sti_impact_create(env, &f.in, &o, &k), STI_OK);
    assert_int_equal(k->laws[STI_IMPACT_FRICTION].count, 1);
    assert_int_equal(k->laws[STI_IMPACT_FRICTION].admissible, 0);
    sti_impact_destroy(env, k);
    o.stick_negative = true;
    assert_int_equal(sti_impact_create(env, &f.in, &o, &k), STI_OK);
    assert_int_equal(k->laws[STI_IMPACT_FRICTION].count, 2);
    sti_impact_destroy(env, k);
}

// ---- restitution matrices

static void random_delassus(sti_rng* rng, int p, double* G) {
    double A[16], norm[4];
    for (int i = 0; i < p * p; i++) A[i] = symmetric(rng);
    for (int i = 0; i < p; i++) {
        norm[i] = 0;
        for (int l = 0; l < p; l++) norm[i] += A[i * p + l] * A[i * p + l];
    }
    for (int i = 0; i < p; i++) {
        for (int j = 0; j < p; j++) {
            G[i * p + j] = 0;
            for (int l = 0; l < p; l++) G[i * p + j] += A[i * p + l] * A[j * p + l];
            G[i * p + j] /= sqrt(norm[i] * norm[j]);
        }
    }
}

static double energy_change(const sti_restitution_test* t, const double* q) {
    double sum = 0;
    for (int i = 0; i < t->p; i++) {
        for (int j = 0; j < t->p; j++) sum -= 0.5 * q[i] * t->S[i * t->p + j] * q[j];
    }
    return sum;
}

static void a_matrix_is_admissible_or_has_a_witness(void** state) {
    (void)state;
    sti_rng rng = {24};
    int yes = 0, no[3] = {0};
    for (int trial = 0; trial < 400; trial++) {
        const int p = sti_rng_int(&rng, 1, 4);
        double G[16], E[16];
        sti_restitution_test* t;
        random_delassus(&rng, p, G);
        const double scale = sti_rng_u01(&rng);
        for (int i = 0; i < p * p; i++) E[i] = scale * (sti_rng_u01(&rng) - (trial % 5 == 0 ? 0.2 : 0));
        const sti_status status = sti_restitution_test_create(env, p, G, E, &t);
        if (status != STI_OK) continue;  // nearly dependent
        if (t->witness == NULL) {
            assert_true(t->admissible == STI_YES);
            yes++;
            for (int s = 0; s < 50; s++) {
                double q[4];
                for (int i = 0; i < p; i++) q[i] = -sti_rng_u01(&rng);
                assert_true(energy_change(t, q) <= 1e-9);
            }
        } else {
            assert_true(t->admissible == STI_NO);
            double least_u = 0, least_p = 0;
            for (int i = 0; i < p; i++) {
                double u = 0, bar = 0;
                assert_true(t->witness[i] <= 0);
                for (int j = 0; j < p; j++) {
                    u -= E[i * p + j] * t->witness[j];
                    bar -= t->kinetic[i * p + j] * t->witness[j];
                }
                least_u = fmin(least_u, u);
                least_p = fmin(least_p, bar);
            }
            const int which = t->broken[0] == 'e' ? 2 : t->broken[5] == 'i' ? 1 : 0;
            no[which]++;
            if (strcmp(t->broken, "kinematic") == 0) near_to(least_u, t->violation, 1e-9);
            if (strcmp(t->broken, "kinetic") == 0) near_to(least_p, t->violation, 1e-9);
            if (which == 2) assert_true(energy_change(t, t->witness) > 0);
        }
        // sufficient conditions never contradict what they imply
        if (t->prop6 || t->prop7) assert_true(t->dissipative);
        if (t->prop5 == STI_YES) assert_true(t->dissipative);
        if (t->dissipative) assert_true(t->prop2 == STI_YES);
        assert_true(t->dissipative == (t->sigma_max_B <= 1 + 1e-9));
        sti_restitution_test_destroy(env, t);
    }
    assert_true(yes > 20 && no[2] > 3);
}

static void permutations_are_conservative_for_orthogonal_contacts(void** state) {
    (void)state;
    const double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, E[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0};
    sti_restitution_test* t;
    assert_int_equal(sti_restitution_test_create(env, 3, G, E, &t), STI_OK);
    assert_true(t->corollary1 && t->admissible == STI_YES);
    for (int i = 0; i < 3; i++) near_to(t->moduli[i], 1, 1e-12);
    sti_restitution_test_destroy(env, t);
    const double bad[4] = {1, 2, 2, 1};
    assert_int_equal(sti_restitution_test_create(env, 2, bad, E, &t), STI_ERR_INPUT);
    assert_int_equal(sti_restitution_test_create(env, 0, bad, E, &t), STI_ERR_ARGUMENT);
}

static void arcs_of_conserved_energy_are_admissible(void** state) {
    (void)state;
    sti_rng rng = {25};
    for (int trial = 0; trial < 40; trial++) {
        few_contacts f;
        sti_impact* k;
        random_instant(&rng, &f, 3, 2, false);
        if (trial % 3 == 0) {  // one contact at rest
            double product = 0, square = 0;
            for (int j = 0; j < 3; j++) {
                product += f.n[1][j] * f.v[j];
                square += f.n[1][j] * f.n[1][j];
            }
            for (int j = 0; j < 3; j++) f.v[j] -= product / square * f.n[1][j];
        }
        assert_int_equal(quick(env, &f.in, &k), STI_OK);
        const sti_restitution_set* s = &k->set;
        for (int i = 0; i < s->arc_count; i++) {
            const double from = atan2(s->arcs[i].from[1], s->arcs[i].from[0]);
            double to = atan2(s->arcs[i].to[1], s->arcs[i].to[0]);
            if (to < from) to += 2 * acos(-1.0);
            for (int m = 0; m <= 10; m++) {
                const double angle = from + (to - from) * m / 10, c = cos(angle), d = sin(angle);
                const double r = 1 / sqrt(s->a * c * c + s->b * c * d + s->c * d * d);
                double y[2] = {r * c, r * d};
                if (s->column >= 0) y[0] *= fabs(k->qdot_norm[s->column]), y[1] *= fabs(k->qdot_norm[s->column]);
                // E with -E qdot_norm- = y
                double E[4] = {0};
                const int j = fabs(k->qdot_norm[0]) > fabs(k->qdot_norm[1]) ? 0 : 1;
                E[j] = -y[0] / k->qdot_norm[j];
                E[2 + j] = -y[1] / k->qdot_norm[j];
                sti_impact_options o = sti_impact_options_default();
                sti_impact* again;
                o.E = E;
                o.tol = 1e-7;
                o.skip_unique = true;
                assert_int_equal(sti_impact_create(env, &f.in, &o, &again), STI_OK);
                const sti_impact_solution* x = again->laws[STI_IMPACT_GENERAL].solutions;
                near_to(x->energy.direct, 0, 1e-7 * (1 + k->T));
                assert_true(x->kinematic && x->kinetic);
                sti_impact_destroy(env, again);
            }
        }
        sti_impact_destroy(env, k);
    }
}

// ---- degenerate instants

static void dependent_contacts_have_one_velocity(void** state) {
    (void)state;
    few_contacts f;
    sti_impact* k;
    few_begin(&f, 2);
    few_mass(&f, 0, 1);
    few_mass(&f, 1, 1);
    f.v[0] = 1;
    f.v[1] = -2;
    for (int i = 0; i < 3; i++) few_add(&f, (double[]){0, 1}, (double[]){1, 0}, 0.25, 0.5);
    assert_int_equal(quick(env, &f.in, &k), STI_OK);
    assert_false(k->independent);
    assert_null(k->test);
    const sti_impact_law laws[] = {STI_IMPACT_NEWTON, STI_IMPACT_MOREAU, STI_IMPACT_POISSON};
    for (int l = 0; l < 3; l++) {
        assert_int_equal(k->laws[laws[l]].count, 1);
        near_to(k->laws[laws[l]].solutions->v[1], 1, 1e-9);
    }
    assert_int_equal(k->laws[STI_IMPACT_NEWTON].solutions->dimension, 2);
    assert_int_equal(k->laws[STI_IMPACT_FRICTION].count, 1);
    near_to(k->laws[STI_IMPACT_FRICTION].solutions->v[0], 1 - 0.25 * 3, 1e-9);
    sti_impact_destroy(env, k);
    // Newton asks for different velocities of the same gap: nothing gives them
    f.contact[1].restitution = 0.9;
    assert_int_equal(quick(env, &f.in, &k), STI_OK);
    assert_int_equal(k->laws[STI_IMPACT_NEWTON].count, 0);
    assert_int_equal(k->laws[STI_IMPACT_MOREAU].count, 1);
    sti_impact_destroy(env, k);
}

static void joints_hold_through_the_impact(void** state) {
    (void)state;
    sti_rng rng = {26};
    for (int trial = 0; trial < 100; trial++) {
        few_contacts f;
        sti_impact* k;
        random_instant(&rng, &f, 5, 4, true);
        f.contact[0].bilateral = f.contact[2].bilateral = true;
        assert_int_equal(quick(env, &f.in, &k), STI_OK);
        assert_int_equal(k->p, 2);
        assert_int_equal(k->m, 2);
        for (int l = 0; l < STI_IMPACT_LAW_COUNT; l++) {
            for (int i = 0; i < k->laws[l].count; i++) {
                const sti_impact_solution* x = &k->laws[l].solutions[i];
                assert_true(x->momentum < 1e-9);
                for (int c = 0; c < 4; c += 2) {
                    double rate = 0;
                    for (int j = 0; j < 5; j++) rate += f.n[c][j] * x->v[j];
                    near_to(rate, 0, 1e-9);
                }
            }
        }
        sti_impact_destroy(env, k);
    }
}

static void no_contact_means_nothing_happens(void** state) {
    (void)state;
    few_contacts f;
    sti_impact* k;
    few_begin(&f, 1);
    few_mass(&f, 0, 1);
    f.v[0] = -1;
    assert_int_equal(quick(env, &f.in, &k), STI_OK);
    assert_false(k->impact);
    near_to(k->laws[STI_IMPACT_MOREAU].solutions->v[0], -1, 0);
    sti_impact_destroy(env, k);
    few_add(&f, (double[]){1}, NULL, 0, NAN);
    assert_int_not_equal(quick(env, &f.in, &k), STI_OK);
    assert_null(k);
}

static void a_particle_hits_a_rough_plane(void** state) {
    (void)state;
    few_contacts f;
    sti_impact* k;
    few_begin(&f, 3);
    for (int i = 0; i < 3; i++) few_mass(&f, i, 2);
    f.v[0] = 1;
    f.v[1] = 0.5;
    f.v[2] = -1;
    sti_instant_contact* c = few_add(&f, (double[]){0, 0, 1}, (double[]){1, 0, 0}, 0.1, 0.5);
    f.t[0][4] = 1;
    c->tangent_count = 2;
    f.in.tangent_total = 2;
    assert_int_equal(quick(env, &f.in, &k), STI_OK);
    // (68) with the round cone: friction 0.1 * 3 against the slip
    assert_int_equal(k->laws[STI_IMPACT_FRICTION].count, 1);
    assert_string_equal(k->laws[STI_IMPACT_FRICTION].solutions->mode, "s");
    near_to(k->laws[STI_IMPACT_FRICTION].solutions->v[0], 1 - 0.15 * 2 / sqrt(5), 1e-12);
    near_to(k->laws[STI_IMPACT_FRICTION].solutions->v[1], 0.5 - 0.15 / sqrt(5), 1e-12);
    near_to(k->laws[STI_IMPACT_MOREAU].solutions->v[2], 0.5, 1e-12);
    // pyramid with edges along the axes: friction 0.1 * 3 in total, along the faster slip until both are equal
    const sti_impact_solution* x = k->laws[STI_IMPACT_POISSON].solutions;
    near_to(fabs(x->p_t[0]) + fabs(x->p_t[1]), 0.1 * x->p_n[0], 1e-9);
    near_to(k->laws[STI_IMPACT_IMPLICIT_ROUGH].solutions->v[0], 0, 1e-12);
    sti_impact_destroy(env, k);
}

// kappa of sigma along d at an angle, and the part of sigma beside d; unknowns (v+, p_n) with p_t = -mu p_n d.
static bool look_along(const few_contacts* f, double angle, double* kappa, double* side) {
    const int n = f->in.n, m = n + 1;
    const double d[2] = {cos(angle), sin(angle)};
    double A[49] = {0}, b[7] = {0};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            A[i * m + j] = f->M[i * n + j];
            b[i] += f->M[i * n + j] * f->v[j];
        }
        A[i * m + n] = -f->n[0][i] + f->contact[0].mu * (f->t[0][i] * d[0] + f->t[0][n + i] * d[1]);
        A[n * m + i] = f->n[0][i];
        b[n] -= f->contact[0].restitution * f->n[0][i] * f->v[i];
    }
    if (!solve(m, A, b)) return false;
    double sigma[2] = {0};
    for (int l = 0; l < 2; l++) {
        for (int j = 0; j < n; j++) sigma[l] += f->t[0][l * n + j] * (b[j] + f->contact[0].restitution_t * f->v[j]);
    }
    *kappa = sigma[0] * d[0] + sigma[1] * d[1];
    *side = sigma[1] * d[0] - sigma[0] * d[1];
    return true;
}

static void one_contact_in_space_has_the_solutions_of_a_scan(void** state) {
    (void)state;
    sti_rng rng = {29};
    enum { ANGLES = 2000 };
    int several = 0, sliding = 0, sticking = 0, equal = 0;
    for (int trial = 0; trial < 120; trial++) {
        few_contacts f;
        sti_impact* k;
        const int n = sti_rng_int(&rng, 3, 6);
        random_instant(&rng, &f, n, 1, true);
        for (int j = 0; j < n; j++) f.t[0][n + j] = symmetric(&rng);
        f.contact[0].tangent_count = f.in.tangent_total = 2;
        f.contact[0].mu = 3 * sti_rng_u01(&rng);
        int count = 0;
        bool border = false;
        double last = NAN, last_kappa = 0;
        for (int i = 0; i <= ANGLES; i++) {
            double kappa = 0, side = NAN;
            if (!look_along(&f, 2 * acos(-1.0) * i / ANGLES + 1e-3, &kappa, &side) || fabs(side) > 50) side = NAN;
            if (side * last < 0 && kappa * last_kappa > 0) {  // else both run through infinity
                if (fabs(kappa) < 0.02) border = true;
                count += kappa > 0;
            }
            last_kappa = kappa;
            if (isnan(side) && !isnan(last)) border = border || fabs(last) < 10;
            last = side;
        }
        assert_int_equal(quick(env, &f.in, &k), STI_OK);
        const sti_impact_answer* a = &k->laws[STI_IMPACT_FRICTION];
        assert_true(a->applies && a->complete);
        int slides = 0;
        for (int i = 0; i < a->count; i++) {
            sti_impact_verification v;
            assert_int_equal(sti_verify_impact(env, &f.in, k, STI_IMPACT_FRICTION, i, 1e-7, &v), STI_OK);
            if (!v.accepted) fail_msg("%s", v.text);
            near_to(a->solutions[i].energy.f77, a->solutions[i].energy.direct, 1e-8);
            slides += a->solutions[i].mode[0] == 's';
            sticking += a->solutions[i].mode[0] == 'k';
        }
        // none is missing; what the scan steps over (near an infinite impulse) the check above has accepted
        if (!border) assert_true(slides >= count);
        equal += slides == count;
        sliding += slides;
        several += slides > 1;
        sti_impact_destroy(env, k);
    }
    assert_true(sliding > 60 && sticking > 5 && several > 0 && equal > 90);
}

// ---- Poisson, from the thesis

static void read_list(const cJSON* list, double* out) {
    for (int i = 0; i < cJSON_GetArraySize(list); i++) out[i] = oracle_double(env, cJSON_GetArrayItem(list, i));
}

static void compare(const char* id, const cJSON* expected, const char* name, const double* found) {
    const cJSON* x = cJSON_GetObjectItem(expected, name);
    for (int i = 0; i < cJSON_GetArraySize(x); i++) {
        const double e = oracle_double(env, cJSON_GetArrayItem(x, i));
        if (fabs(e - found[i]) > 1e-10 * (1 + fabs(e))) fail_msg("%s: %s: %g, expected %g", id, name, found[i], e);
    }
}

static void check_poisson(const cJSON* item) {
    few_contacts f;
    sti_impact* k;
    const cJSON *normals = oracle_get(item, "inputs", "n"), *D = oracle_get(item, "inputs", "D");
    const cJSON *joints = oracle_get(item, "inputs", "nu_columns"), *one;
    double diagonal[FEW_N], mu[FEW_N], e[FEW_N];
    few_begin(&f, cJSON_GetArraySize(oracle_get(item, "inputs", "M_diag")));
    read_list(oracle_get(item, "inputs", "M_diag"), diagonal);
    read_list(oracle_get(item, "inputs", "v_minus"), f.v);
    read_list(oracle_get(item, "inputs", "mu"), mu);
    read_list(oracle_get(item, "inputs", "e"), e);
    for (int i = 0; i < f.in.n; i++) few_mass(&f, i, diagonal[i]);
    for (int i = 0; i < cJSON_GetArraySize(normals); i++) {
        double normal[FEW_N], tangent[FEW_N];
        const cJSON* first = cJSON_GetArrayItem(cJSON_GetArrayItem(D, i), 0);
        read_list(cJSON_GetArrayItem(normals, i), normal);
        if (first != NULL) read_list(first, tangent);
        few_add(&f, normal, first != NULL ? tangent : NULL, mu[i], e[i]);
    }
    cJSON_ArrayForEach(one, joints) {
        double normal[FEW_N];
        read_list(one, normal);
        few_add(&f, normal, NULL, 0, 0)->bilateral = true;
    }
    assert_int_equal(sti_impact_create(env, &f.in, NULL, &k), STI_OK);
    for (int variant = 0; variant < 2; variant++) {
        const cJSON* x = oracle_get(item, "expected", variant == 0 ? "thesis" : "total");
        const sti_impact_answer* a = &k->laws[variant == 0 ? STI_IMPACT_POISSON_PRINTED : STI_IMPACT_POISSON];
        if (x == NULL) continue;
        assert_int_equal(a->count, 1);
        const char* id = oracle_id(item);
        compare(id, x, "v_c", a->solutions->v_c);
        compare(id, x, "v_plus", a->solutions->v);
        compare(id, x, "c_n_compression", a->solutions->p_n_c);
        compare(id, x, "c_n_x", a->solutions->p_n_x);
        const cJSON* unique = cJSON_GetObjectItem(x, "velocity_unique");
        for (int i = 0; i < 2; i++)
            assert_int_equal(a->solutions->unique[i], cJSON_IsTrue(cJSON_GetArrayItem(unique, i)) ? STI_YES : STI_NO);
        const double energies[3] = {k->T, NAN, k->T + a->solutions->energy.direct};
        const cJSON* kinetic = cJSON_GetObjectItem(x, "KE_minus_c_plus");
        for (int i = 0; i < 3; i += 2) near_to(energies[i], oracle_double(env, cJSON_GetArrayItem(kinetic, i)), 1e-10);
    }
    sti_impact_destroy(env, k);
}

static void poisson_gives_the_velocities_of_the_thesis(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* item;
    int count = 0;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        if (strncmp(oracle_id(item), "POI-", 4) != 0 || oracle_get(item, "inputs", "D") == NULL) continue;
        check_poisson(item);
        count++;
    }
    cJSON_Delete(root);
    assert_true(count >= 7);
}

static void every_failing_allocation_is_survived(void** state) {
    (void)state;
    sti_rng rng = {27};
    few_contacts f;
    random_instant(&rng, &f, 3, 2, true);
    for (long a = 0;; a++) {
        failing_env fail;
        sti_impact* k;
        failing_env_open(&fail, a);
        sti_status status = quick(fail.env, &f.in, &k);
        if (status == STI_OK) {
            sti_impact_verification v;
            status = sti_verify_impact(fail.env, &f.in, k, STI_IMPACT_MOREAU, 0, 1e-9, &v);
            sti_impact_destroy(fail.env, k);
        }
        if (status != STI_OK && status != STI_ERR_MEMORY)
            fail_msg("allocation %ld: %s: %s", a, sti_env_error(fail.env)->function, sti_env_error(fail.env)->text);
        if (failing_env_close(&fail)) break;
    }
    random_instant(&rng, &f, 3, 1, true);  // one contact in space
    f.t[0][4] = 1;
    f.contact[0].tangent_count = f.in.tangent_total = 2;
    for (long a = 0;; a++) {
        failing_env fail;
        sti_impact* k;
        failing_env_open(&fail, a);
        const sti_status status = quick(fail.env, &f.in, &k);
        if (status == STI_OK)
            sti_impact_destroy(fail.env, k);
        else
            assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&fail)) break;
    }
    random_instant(&rng, &f, 2, 1, true);
    for (long a = 0;; a++) {
        failing_env fail;
        sti_impact* k;
        failing_env_open(&fail, a);
        const sti_status status = sti_impact_create(fail.env, &f.in, NULL, &k);
        if (status == STI_OK)
            sti_impact_destroy(fail.env, k);
        else
            assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&fail)) break;
    }
    const double G[4] = {1, 0.5, 0.5, 1}, E[4] = {0.1, 0.2, 0, 0.9};
    for (long a = 0;; a++) {
        failing_env fail;
        sti_restitution_test* t;
        failing_env_open(&fail, a);
        const sti_status status = sti_restitution_test_create(fail.env, 2, G, E, &t);
        if (status == STI_OK)
            sti_restitution_test_destroy(fail.env, t);
        else
            assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&fail)) break;
    }
}

// A rough contact in the plane: the closed form and the integrated springs are two codes for one law.
static void one_contact_is_the_same_by_stronge_and_by_springs(void** state) {
    (void)state;
    sti_rng rng = {77};
    int sticks = 0, asked = 0;
    for (int round = 0; round < 120; round++) {
        few_contacts f;
        sti_impact* k = NULL;
        random_instant(&rng, &f, 3, 1, true);
        sti_impact_options o = sti_impact_options_default();
        const sti_impact_law both[2] = {STI_IMPACT_STRONGE, STI_IMPACT_LZB};
        double v[2][3];
        o.one_law = true;
        o.exponent = round % 2 == 0 ? 1 : 1.5;
        if (round % 10 == 0) f.contact[0].restitution = 0;
        for (int l = 0; l < 2; l++) {
            o.law = both[l];
            assert_int_equal(sti_impact_create(env, &f.in, &o, &k), STI_OK);
            assert_int_equal(k->laws[o.law].count, 1);
            assert_int_equal(k->laws[o.law].admissible, 1);
            const sti_impact_solution* x = k->laws[o.law].solutions;
            for (int j = 0; j < 3; j++) v[l][j] = x->v[j];
            sti_impact_verification check;
            assert_int_equal(sti_verify_impact(env, &f.in, k, o.law, 0, 1e-6, &check), STI_OK);
            assert_true(check.momentum <= 1e-9 && check.normal <= 1e-6 && check.tangential <= 1e-6);
            sticks += l == 0 && k->impact && fabs(x->v_t[0]) < 1e-12;
            asked += l == 0 && k->impact;
            sti_impact_destroy(env, k);
        }
        const double e = f.contact[0].restitution;  // up to 1e-3 lzb takes it as 0
        const bool small = e > 0 && e < 1e-3;
        for (int j = 0; j < 3; j++) near_to(v[1][j], v[0][j], small ? 2e-3 : 1e-7);
    }
    assert_true(asked > 40 && sticks > 2);
}

// Velocities in units of their own, micrometres beside radians.
static void impacts_are_the_same_in_all_units(void** state) {
    (void)state;
    sti_rng rng = {31};
    const double unit[3] = {0x1p-20, 1, 0x1p20};
    const sti_impact_law laws[] = {STI_IMPACT_NEWTON, STI_IMPACT_MOREAU, STI_IMPACT_POISSON, STI_IMPACT_STRONGE};
    for (int round = 0; round < 40; round++) {
        few_contacts f, g;
        random_instant(&rng, &f, 3, 1, true);
        few_begin(&g, 3);
        for (int i = 0; i < 9; i++) g.M[i] = f.M[i] * unit[i / 3] * unit[i % 3];
        double n[3], t[3];
        for (int i = 0; i < 3; i++) {
            g.v[i] = f.v[i] / unit[i];
            n[i] = f.n[0][i] * unit[i];
            t[i] = f.t[0][i] * unit[i];
        }
        few_add(&g, n, t, f.contact[0].mu, f.contact[0].restitution);
        g.contact[0].restitution_t = f.contact[0].restitution_t;
        for (int l = 0; l < 4; l++) {
            sti_impact_options o = sti_impact_options_default();
            sti_impact *a = NULL, *b = NULL;
            o.one_law = o.skip_unique = true;
            o.law = laws[l];
            assert_int_equal(sti_impact_create(env, &f.in, &o, &a), STI_OK);
            assert_int_equal(sti_impact_create(env, &g.in, &o, &b), STI_OK);
            assert_int_equal(a->laws[o.law].count, b->laws[o.law].count);
            for (int j = 0; j < 3 && a->laws[o.law].count > 0; j++)
                near_to(b->laws[o.law].solutions[0].v[j] * unit[j], a->laws[o.law].solutions[0].v[j], 1e-8);
            sti_impact_destroy(env, a);
            sti_impact_destroy(env, b);
        }
    }
}

// A ball on a floor, slips along x and y, here in directions turned by `turn`: v (3), w (3) of mass 1, radius 1.
static void ball_on_floor(few_contacts* f, double turn, double mu, double e, const double* v) {
    const double c = cos(turn), s = sin(turn);
    few_begin(f, 6);
    for (int i = 0; i < 6; i++) {
        f->M[7 * i] = i < 3 ? 1 : 0.4;
        f->v[i] = v[i];
    }
    const double n[6] = {0, 0, 1},
                 t[12] = {c, s, 0, s, -c, 0, -s, c, 0, c, s, 0};  // v + w x (0, 0, -1) along (c, s), (-s, c)
    few_add(f, n, t, mu, e);
    memcpy(f->t[0], t, sizeof t);
    f->contact[0].tangent_count = f->in.tangent_total = 2;
}

// Closed form: it slips until the impulse of friction is 2/7 of the slip, in a fixed direction.
static void a_ball_in_space_slips_or_rolls(void** state) {
    (void)state;
    for (int round = 0; round < 40; round++) {
        few_contacts f;
        sti_impact* k = NULL;
        sti_impact_options o = sti_impact_options_default();
        const double v[6] = {1, 0.3, -1, 0.2, -0.4, 0.7}, mu = 0.02 * round, e = 0.1 * (round % 11);
        const double slip[2] = {v[0] - v[4], v[1] + v[3]}, size = hypot(slip[0], slip[1]);
        const double stop = size / 3.5, impulse = fmin(stop, mu * (1 + e));
        ball_on_floor(&f, 0.1 * round, mu, e, v);
        o.one_law = true;
        for (int l = 0; l < 2; l++) {
            o.law = l == 0 ? STI_IMPACT_STRONGE : STI_IMPACT_LZB;
            assert_int_equal(sti_impact_create(env, &f.in, &o, &k), STI_OK);
            assert_int_equal(k->laws[o.law].admissible, 1);
            const sti_impact_solution* x = k->laws[o.law].solutions;
            near_to(x->v[2], e, 1e-7);
            for (int j = 0; j < 2; j++) near_to(x->v[j], v[j] - impulse * slip[j] / size, 1e-7);
            near_to(x->v[5], v[5], 1e-12);
            sti_impact_verification check;
            assert_int_equal(sti_verify_impact(env, &f.in, k, o.law, 0, 1e-6, &check), STI_OK);
            assert_true(check.momentum <= 1e-9 && check.normal <= 1e-6 && check.tangential <= 1e-6);
            sti_impact_destroy(env, k);
        }
    }
}

// A joint makes the contact heavier: nothing is lost with e = 1, and both codes agree.
static void the_energetic_coefficient_knows_joints(void** state) {
    (void)state;
    sti_rng rng = {79};
    for (int round = 0; round < 40; round++) {
        few_contacts f;
        sti_impact* k = NULL;
        sti_impact_options o = sti_impact_options_default();
        double joint[5], v[2][5], square = 0, along = 0;
        random_instant(&rng, &f, 5, 1, true);
        for (int j = 0; j < 5; j++) {
            joint[j] = symmetric(&rng);
            square += joint[j] * joint[j];
            along += joint[j] * f.v[j];
        }
        for (int j = 0; j < 5; j++) f.v[j] -= along / square * joint[j];  // it fits
        few_add(&f, joint, NULL, 0, 0)->bilateral = true;
        if (round % 2 == 0) {
            f.contact[0].restitution = 1;
            f.contact[0].mu = 0;
        }
        o.one_law = true;
        for (int l = 0; l < 2; l++) {
            o.law = l == 0 ? STI_IMPACT_STRONGE : STI_IMPACT_LZB;
            assert_int_equal(sti_impact_create(env, &f.in, &o, &k), STI_OK);
            assert_int_equal(k->laws[o.law].admissible, 1);
            const sti_impact_solution* x = k->laws[o.law].solutions;
            if (round % 2 == 0) near_to(x->energy.direct, 0, 1e-9);
            memcpy(v[l], x->v, sizeof v[l]);
            sti_impact_destroy(env, k);
        }
        for (int j = 0; j < 5; j++) near_to(v[1][j], v[0][j], f.contact[0].restitution < 2e-3 ? 2e-3 : 1e-7);
    }
}

// The outcome of random contacts in space does not depend on the directions that the slips are measured along.
static void slips_in_space_have_no_favourite_direction(void** state) {
    (void)state;
    sti_rng rng = {78};
    for (int round = 0; round < 30; round++) {
        few_contacts f;
        sti_impact* k = NULL;
        random_instant(&rng, &f, 5, 2, true);
        double second[2][5], v[2][5], turned[2][10];
        for (int c = 0; c < 2; c++) {
            for (int j = 0; j < 5; j++) second[c][j] = symmetric(&rng);
        }
        for (int turn = 0; turn < 2; turn++) {
            const double a = cos(0.7 * turn), b = sin(0.7 * turn);
            for (int c = 0; c < 2; c++) {
                for (int j = 0; j < 5; j++) {
                    turned[c][j] = a * f.t[c][j] + b * second[c][j];
                    turned[c][5 + j] = -b * f.t[c][j] + a * second[c][j];
                }
            }
            sti_instant_contact contacts[2] = {f.contact[0], f.contact[1]};
            sti_instant in = f.in;
            for (int c = 0; c < 2; c++) {
                contacts[c].t = turned[c];
                contacts[c].tangent_count = 2;
            }
            in.contacts = contacts;
            in.tangent_total = 4;
            sti_impact_options o = sti_impact_options_default();
            o.one_law = true;
            o.law = STI_IMPACT_LZB;
            assert_int_equal(sti_impact_create(env, &in, &o, &k), STI_OK);
            assert_int_equal(k->laws[o.law].admissible, 1);
            memcpy(v[turn], k->laws[o.law].solutions[0].v, sizeof v[turn]);
            sti_impact_destroy(env, k);
        }
        for (int j = 0; j < 5; j++) near_to(v[1][j], v[0][j], 1e-6);
    }
}

// Equal balls in a row, the first with speed 1: linear springs between three of them have a closed form.
static void a_chain_of_balls(void** state) {
    (void)state;
    few_contacts f;
    sti_impact* k = NULL;
    sti_impact_options o = sti_impact_options_default();
    o.one_law = true;
    o.law = STI_IMPACT_LZB;
    // Springs side by side: d'' = -(2 -1; -1 2) d with d' = (1, 0), until the first opens; the second then alone.
    few_begin(&f, 3);
    for (int i = 0; i < 3; i++) f.M[4 * i] = 1;
    f.v[0] = 1;
    few_add(&f, (double[]){-1, 1, 0}, NULL, 0, 1);
    few_add(&f, (double[]){0, -1, 1}, NULL, 0, 1);
    o.exponent = 1;
    assert_int_equal(sti_impact_create(env, &f.in, &o, &k), STI_OK);
    const sti_impact_solution* x = k->laws[STI_IMPACT_LZB].solutions;
    double low = 1, high = 4;  // d_1 = (sin t + sin(r t) / r) / 2, r = sqrt 3: its first zero
    const double r = sqrt(3);
    low = 1.5;
    for (int i = 0; i < 200; i++) {
        const double t = 0.5 * (low + high);
        if (sin(t) + sin(r * t) / r > 0)
            low = t;
        else
            high = t;
    }
    const double t = low, d = (sin(t) - sin(r * t) / r) / 2;
    const double v1 = (cos(t) + cos(r * t)) / 2, v2 = (cos(t) - cos(r * t)) / 2;  // rates of d
    // ball 1 is free with (1 + (rates summed)) ..: v_a = (1 + 2 v1 + v2) / 3; then balls 2, 3 part by energy
    const double a = (1 + 2 * v1 + v2) / 3, sum = 1 - a, apart = sqrt(v2 * v2 + 2 * d * d);
    near_to(x->v[0], a, 1e-9);
    near_to(x->v[1], (sum - apart) / 2, 1e-9);
    near_to(x->v[2], (sum + apart) / 2, 1e-9);
    sti_impact_destroy(env, k);
    // The second spring much stiffer, or much softer: what comes in order, ball after ball, is Newton's cradle.
    o.stiffness = (double[]){1e4, 1};
    assert_int_equal(sti_impact_create(env, &f.in, &o, &k), STI_OK);
    x = k->laws[STI_IMPACT_LZB].solutions;
    assert_true(fabs(x->v[0]) < 0.02 && fabs(x->v[1]) < 0.02 && fabs(x->v[2] - 1) < 0.02);
    sti_impact_destroy(env, k);
}

// Newton's law with e > 1 gains energy: one solution, not admissible.
static void a_law_that_gains_energy_is_not_admissible(void** state) {
    (void)state;
    few_contacts f;
    sti_impact* k = NULL;
    few_begin(&f, 1);
    f.M[0] = 1;
    f.v[0] = -1;
    few_add(&f, (double[]){1}, NULL, 0, 1.5);
    assert_int_equal(quick(env, &f.in, &k), STI_OK);
    assert_int_equal(k->laws[STI_IMPACT_NEWTON].count, 1);
    assert_int_equal(k->laws[STI_IMPACT_NEWTON].admissible, 0);
    assert_false(k->laws[STI_IMPACT_LZB].applies);
    sti_impact_destroy(env, k);
}

int main(void) {
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moreau_is_the_projection_in_the_kinetic_metric),
        cmocka_unit_test(energy_formulas_agree_for_every_law),
        cmocka_unit_test(the_check_accepts_solutions_and_nothing_else),
        cmocka_unit_test(modes_of_68_are_those_of_an_exhaustive_search),
        cmocka_unit_test(parallel_slips_leave_a_family_of_impulses),
        cmocka_unit_test(sticking_is_found_when_only_part_of_the_family_fits),
        cmocka_unit_test(the_literal_reading_adds_sticking_with_negative_impulse),
        cmocka_unit_test(a_matrix_is_admissible_or_has_a_witness),
        cmocka_unit_test(permutations_are_conservative_for_orthogonal_contacts),
        cmocka_unit_test(arcs_of_conserved_energy_are_admissible),
        cmocka_unit_test(dependent_contacts_have_one_velocity),
        cmocka_unit_test(joints_hold_through_the_impact),
        cmocka_unit_test(no_contact_means_nothing_happens),
        cmocka_unit_test(a_particle_hits_a_rough_plane),
        cmocka_unit_test(one_contact_in_space_has_the_solutions_of_a_scan),
        cmocka_unit_test(one_contact_is_the_same_by_stronge_and_by_springs),
        cmocka_unit_test(impacts_are_the_same_in_all_units),
        cmocka_unit_test(a_ball_in_space_slips_or_rolls),
        cmocka_unit_test(the_energetic_coefficient_knows_joints),
        cmocka_unit_test(slips_in_space_have_no_favourite_direction),
        cmocka_unit_test(a_chain_of_balls),
        cmocka_unit_test(a_law_that_gains_energy_is_not_admissible),
        cmocka_unit_test(poisson_gives_the_velocities_of_the_thesis),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sti_env_destroy(env);
    return failed;
}
