// Block Gauss-Seidel: towers, piles, islands, workers, and what it does when it cannot.
#include <float.h>
#include <stdio.h>

#include "support/contact_pile.h"
#include "support/open_env.h"

typedef struct answer {
    sti_contact_run run;
    double *r, *u;
} answer;

static sti_contact_options with_tol(double tol) {
    return (sti_contact_options){.solver = STI_CONTACT_GS, .tol = tol, .relaxation = 1};
}

// guess: d nc numbers, NULL for zero
static answer solve_from(const sti_contact_local* p, const sti_contact_options* options, const double* guess,
                         bool brief) {
    const size_t n = (size_t)(p->d * p->nc);
    answer a = {.r = calloc(n + 1, sizeof(double)), .u = calloc(n + 1, sizeof(double))};
    if (guess != NULL) memcpy(a.r, guess, n * sizeof *guess);
    a.run = (sti_contact_run){.r = a.r, .u = a.u, .brief = brief};
    assert_int_equal(sti_contact_method_gs(p, options, &a.run), STI_OK);
    return a;
}

static answer solve(const sti_contact_local* p, const sti_contact_options* options, const double* guess) {
    return solve_from(p, options, guess, false);
}

static void drop(answer* a) {
    free(a->r);
    free(a->u);
}

// The verdict once more, from the columns of W as they were made: residual and the velocities.
static double verify(const pile* p, const answer* a) {
    const int d = p->d, n = d * p->contact_count;
    double* u = malloc((size_t)n * sizeof *u + 1);
    double error2 = 0, size2 = 0, scale2 = 0;
    for (int i = 0; i < n; i++) u[i] = p->q[i];
    for (int j = 0; j < n; j++) {
        for (int64_t k = p->W.col_start[j]; k < p->W.col_start[j + 1]; k++) u[p->W.row[k]] += p->W.value[k] * a->r[j];
    }
    for (int c = 0; c < p->contact_count; c++) {
        const double *r = a->r + d * c, rho = p->local.rho[c], mu = p->mu[c];
        const double slip = d == 2 ? fabs(u[d * c + 1]) : hypot(u[d * c + 1], u[d * c + 2]);
        double x[3], y[3];
        for (int i = 0; i < d; i++) {
            x[i] = r[i] - rho * (u[d * c + i] + (i == 0 ? mu * slip : 0));
            size2 += r[i] * r[i];
            scale2 += rho * p->q[d * c + i] * rho * p->q[d * c + i];
            assert_true(fabs(u[d * c + i] - a->u[d * c + i]) <= 1e-11 * (1 + fabs(u[d * c + i])));
        }
        sti_coulomb_project(d, mu, x, y);
        double e2 = 0;
        for (int i = 0; i < d; i++) e2 += (r[i] - y[i]) * (r[i] - y[i]);
        if (u[d * c] < 0 && rho * u[d * c] * rho * u[d * c] > e2)
            e2 = rho * u[d * c] * rho * u[d * c];  // penetration in full
        error2 += e2;
    }
    free(u);
    return sqrt(error2 / fmax(size2, scale2));
}

static void assert_solved(const pile* p, const answer* a, double tol) {
    if (a->run.termination != STI_END_SOLUTION) print_message("%s\n", a->run.reason);
    assert_int_equal(a->run.termination, STI_END_SOLUTION);
    assert_true(a->run.residual <= tol);
    assert_true(verify(p, a) <= tol * (1 + 1e-6));
}

static void gs_solves_piles_of_discs_and_spheres(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    const struct {
        int d, nx, ny, nz;
    } size[] = {{2, 1, 1, 1}, {2, 3, 1, 4}, {2, 8, 1, 8}, {3, 1, 1, 3}, {3, 3, 3, 3}, {3, 4, 4, 6}};
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
        for (int m = 0; m < 4; m++) {
            pile p;
            pile_spheres(env, size[k].d, size[k].nx, size[k].ny, size[k].nz, (double[]){0, 0.1, 0.5, 2}[m], &p);
            const sti_contact_options options = with_tol(1e-6);
            answer a = solve(&p.local, &options, NULL);
            assert_solved(&p, &a, 1e-6);
            drop(&a);
            pile_free(&p);
        }
    }
    sti_env_destroy(env);
}

// Four contacts carry one cube, and forces inside the four are undetermined. Pushed sideways below friction it sticks.
static void hyperstatic_cube_sticks_exactly(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    pile p;
    pile_cubes(env, 1, 0.5, (double[3]){0.03, 0.02, -0.1}, &p);
    const sti_contact_options options = with_tol(1e-13);
    answer a = solve(&p.local, &options, NULL);
    assert_solved(&p, &a, 1e-13);
    for (int i = 0; i < 12; i++) assert_true(fabs(a.u[i]) <= 1e-14);
    double weight = 0;
    for (int c = 0; c < 4; c++) weight += a.r[3 * c];
    assert_true(fabs(weight - 0.1) <= 1e-13);
    drop(&a);
    pile_free(&p);
    sti_env_destroy(env);
}

static void tower_of_cubes_carries_its_weight(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    pile p;
    pile_cubes(env, 8, 0.7, (double[3]){0.01, 0, -0.1}, &p);
    const sti_contact_options options = with_tol(1e-9);
    answer a = solve(&p.local, &options, NULL);
    assert_solved(&p, &a, 1e-9);
    drop(&a);
    pile_free(&p);
    sti_env_destroy(env);
}

static void relaxation_changes_the_way_and_not_the_velocities(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    pile p;
    pile_spheres(env, 3, 3, 3, 3, 0.3, &p);
    sti_contact_options options = with_tol(1e-10);
    answer plain = solve(&p.local, &options, NULL);
    assert_solved(&p, &plain, 1e-10);
    for (int k = 0; k < 2; k++) {
        options.relaxation = k == 0 ? 0.7 : 1.3;
        answer a = solve(&p.local, &options, NULL);
        assert_solved(&p, &a, 1e-10);
        for (int i = 0; i < p.d * p.contact_count; i++) assert_true(fabs(a.u[i] - plain.u[i]) <= 1e-7);
        drop(&a);
    }
    drop(&plain);
    pile_free(&p);
    sti_env_destroy(env);
}

static void solution_as_a_guess_needs_no_sweep(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    pile p;
    pile_spheres(env, 3, 2, 2, 4, 0.4, &p);
    sti_contact_options options = with_tol(1e-9);
    answer a = solve(&p.local, &options, NULL);
    answer again = solve(&p.local, &options, a.r);
    assert_int_equal(again.run.iterations, 0);
    assert_int_equal(again.run.termination, STI_END_SOLUTION);
    assert_memory_equal(a.r, again.r, (size_t)(3 * p.contact_count) * sizeof *a.r);
    a.r[0] = NAN;  // is taken for zero
    answer cured = solve(&p.local, &options, a.r);
    assert_solved(&p, &cured, 1e-9);
    drop(&a);
    drop(&again);
    drop(&cured);
    pile_free(&p);
    sti_env_destroy(env);
}

// Two piles that do not meet, with contacts interleaved, in one problem.
static void islands_do_not_feel_each_other(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    pile one, two;
    pile_spheres(env, 3, 2, 2, 3, 0.4, &one);
    pile_spheres(env, 3, 2, 1, 3, 0.2, &two);
    const int n1 = one.contact_count, n2 = two.contact_count, nc = n1 + n2, rows = 3 * nc;
    int* place = malloc((size_t)nc * sizeof *place);  // of contacts of the first, then of the second
    for (int c = 0, next = 0; next < nc; c++) {
        if (c < n1) place[c] = next++;
        if (c < n2) place[n1 + c] = next++;
    }
    double *dense = calloc((size_t)rows * (size_t)rows, sizeof *dense), *mu = malloc((size_t)nc * sizeof *mu);
    double* q = malloc((size_t)rows * sizeof *q);
    for (int which = 0; which < 2; which++) {
        const pile* p = which == 0 ? &one : &two;
        const int* at = place + (which == 0 ? 0 : n1);
        for (int j = 0; j < 3 * p->contact_count; j++) {
            q[3 * at[j / 3] + j % 3] = p->q[j];
            mu[at[j / 3]] = p->mu[j / 3];
            for (int64_t k = p->W.col_start[j]; k < p->W.col_start[j + 1]; k++) {
                const int i = p->W.row[k];
                dense[(size_t)(3 * at[i / 3] + i % 3) * (size_t)rows + (size_t)(3 * at[j / 3] + j % 3)] +=
                    p->W.value[k];
            }
        }
    }
    const sti_matrix W = sti_matrix_dense_view(rows, rows, dense);
    sti_contact_local both = {.env = env, .d = 3, .nc = nc, .mu = mu, .q = q};
    assert_int_equal(sti_bsr_from_matrix(env, &W, 3, &both.W), STI_OK);
    assert_int_equal(sti_contact_local_finish(&both), STI_OK);
    const sti_contact_options options = with_tol(1e-10);
    answer a1 = solve(&one.local, &options, NULL), a2 = solve(&two.local, &options, NULL),
           a = solve(&both, &options, NULL);
    assert_int_equal(a.run.termination, STI_END_SOLUTION);
    assert_true(a.run.residual <= 1e-10);
    for (int j = 0; j < 3 * n1; j++) assert_true(fabs(a.u[3 * place[j / 3] + j % 3] - a1.u[j]) <= 1e-8);
    for (int j = 0; j < 3 * n2; j++) assert_true(fabs(a.u[3 * place[n1 + j / 3] + j % 3] - a2.u[j]) <= 1e-8);
    drop(&a);
    drop(&a1);
    drop(&a2);
    sti_contact_local_clear(&both);
    free(place);
    free(dense);
    free(mu);
    free(q);
    pile_free(&one);
    pile_free(&two);
    sti_env_destroy(env);
}

// Large enough to be swept in colours, with many small islands beside the large one.
static void any_number_of_workers_gives_the_same_bits(void** state) {
    (void)state;
    double* first = NULL;
    for (int workers = 1; workers <= 5; workers += workers) {
        sti_env* env = open_env_of(workers);
        pile p;
        pile_spheres(env, 2, 40, 1, 40, 0.3, &p);
        // contacts from here on keep only the ties inside groups of three
        sti_bsr* W = &p.local.W;
        for (int c = 0; c < p.contact_count; c++) {
            for (int64_t k = W->row_start[c]; k < W->row_start[c + 1]; k++) {
                if ((c < 2400 && W->col[k] < 2400) || c / 3 == W->col[k] / 3) continue;
                W->col[k] = c;
                memset(W->block + 4 * k, 0, 4 * sizeof *W->block);
            }
        }
        sti_contact_options options = with_tol(1e-7);
        options.max_iterations = 60;
        answer a = solve(&p.local, &options, NULL);
        const size_t size = (size_t)(2 * p.contact_count) * sizeof *a.r;
        if (first == NULL) {
            first = malloc(size);
            memcpy(first, a.r, size);
        } else {
            assert_memory_equal(first, a.r, size);
        }
        drop(&a);
        pile_free(&p);
        sti_env_destroy(env);
    }
    free(first);
}

static void large_pile_is_solved_in_colours(void** state) {
    (void)state;
    sti_env* env = open_env_of(2);
    pile p;
    pile_spheres(env, 3, 12, 12, 6, 0.4, &p);
    assert_true(p.contact_count >= 2048);
    const sti_contact_options options = with_tol(1e-3);
    answer a = solve(&p.local, &options, NULL);
    assert_solved(&p, &a, 1e-3);
    drop(&a);
    pile_free(&p);
    sti_env_destroy(env);
}

static void limit_of_sweeps_returns_the_best_point_and_says_so(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    pile p;
    pile_spheres(env, 3, 4, 4, 5, 0.4, &p);
    sti_contact_options options = with_tol(1e-12);
    double last = INFINITY;
    for (long limit = 1; limit <= 64; limit *= 4) {
        options.max_iterations = limit;
        answer a = solve(&p.local, &options, NULL);
        assert_int_equal(a.run.termination, STI_END_LIMIT);
        assert_int_equal(a.run.iterations, limit);
        assert_true(a.run.residual > 1e-12 && a.run.residual < last);
        assert_true(fabs(verify(&p, &a) - a.run.residual) <= 1e-9 * a.run.residual);
        last = a.run.residual;
        drop(&a);
    }
    options.max_iterations = 0;
    options.time_limit_s = 1e-9;
    answer a = solve(&p.local, &options, NULL);
    assert_int_equal(a.run.termination, STI_END_LIMIT);
    drop(&a);
    pile_free(&p);
    sti_env_destroy(env);
}

// A tower does not come to rest in 24 sweeps, a layer of spheres does: by the same ones.
static void what_would_take_more_sweeps_than_it_may_is_given_up(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    for (int k = 0; k < 2; k++) {
        pile p;
        if (k == 0)
            pile_cubes(env, 8, 0.7, (double[3]){0.01, 0, -0.1}, &p);
        else
            pile_spheres(env, 3, 4, 4, 2, 0.4, &p);
        sti_contact_options options = with_tol(k == 0 ? 1e-9 : 2e-3);
        options.max_iterations = 24;
        answer patient = solve(&p.local, &options, NULL);
        answer brief = solve_from(&p.local, &options, NULL, true);
        assert_true(fabs(verify(&p, &brief) - brief.run.residual) <= 1e-9 * brief.run.residual + 1e-15);
        if (k == 0) {
            assert_int_equal(patient.run.iterations, 24);
            assert_true(brief.run.iterations < 24 && brief.run.termination == STI_END_LIMIT);
        } else {
            assert_solved(&p, &brief, 2e-3);
            assert_true(patient.run.iterations > 8);
            assert_memory_equal(brief.r, patient.r, (size_t)(3 * p.contact_count) * sizeof *brief.r);
        }
        drop(&patient);
        drop(&brief);
        pile_free(&p);
    }
    sti_env_destroy(env);
}

static void a_good_guess_is_never_made_worse(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    pile p;
    pile_cubes(env, 6, 0.3, (double[3]){0.06, 0.01, -0.1}, &p);
    sti_contact_options options = with_tol(1e-4);
    answer good = solve(&p.local, &options, NULL);
    assert_solved(&p, &good, 1e-4);
    options.tol = 0;
    for (long limit = 1; limit < 6; limit++) {
        options.max_iterations = limit;
        answer a = solve(&p.local, &options, good.r);
        assert_true(a.run.residual <= good.run.residual);
        drop(&a);
    }
    drop(&good);
    pile_free(&p);
    sti_env_destroy(env);
}

static void other_units_take_the_same_number_of_sweeps(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    long sweeps = -1;
    for (int k = -1; k <= 1; k++) {
        pile p;
        pile_spheres(env, 3, 3, 3, 4, 0.4, &p);
        const double mass = ldexp(1, 20 * k), speed = ldexp(1, -17 * k);
        sti_contact_local_clear(&p.local);
        for (int64_t j = 0; j < p.W.col_start[p.W.cols]; j++) p.W.value[j] /= mass;
        for (int i = 0; i < p.W.cols; i++) p.q[i] *= speed;
        assert_int_equal(sti_bsr_from_matrix(env, &p.W, 3, &p.local.W), STI_OK);
        assert_int_equal(sti_contact_local_finish(&p.local), STI_OK);
        const sti_contact_options options = with_tol(1e-8);
        answer a = solve(&p.local, &options, NULL);
        assert_solved(&p, &a, 1e-8);
        assert_true(sweeps < 0 || a.run.iterations == sweeps);
        sweeps = a.run.iterations;
        drop(&a);
        pile_free(&p);
    }
    sti_env_destroy(env);
}

static void no_apply(void* user, const double* x, double* y) {
    (void)user;
    y[0] = x[0];
    y[1] = x[1];
}

static void operator_is_not_for_this_method(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    const double diagonal[4] = {1, 0, 0, 1}, mu = 0.5, q[2] = {-1, 0};
    const sti_contact_operator op = {.apply = no_apply, .diagonal = diagonal};
    sti_contact_local p = {.env = env, .d = 2, .nc = 1, .mu = &mu, .q = q, .op = &op};
    assert_int_equal(sti_contact_local_finish(&p), STI_OK);
    const sti_contact_options options = with_tol(1e-8);
    answer a = solve(&p, &options, NULL);
    assert_int_equal(a.run.termination, STI_END_NOT_APPLICABLE);
    assert_true(strlen(a.run.reason) > 0);
    drop(&a);
    sti_contact_local_clear(&p);
    sti_env_destroy(env);
}

static void no_contacts_are_solved(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    sti_contact_local p = {.env = env, .d = 3};
    const sti_matrix none = {0};
    assert_int_equal(sti_bsr_from_matrix(env, &none, 3, &p.W), STI_OK);
    assert_int_equal(sti_contact_local_finish(&p), STI_OK);
    const sti_contact_options options = with_tol(1e-8);
    answer a = solve(&p, &options, NULL);
    assert_int_equal(a.run.termination, STI_END_SOLUTION);
    assert_true(a.run.residual == 0);
    drop(&a);
    sti_contact_local_clear(&p);
    sti_env_destroy(env);
}

// Two contacts that would both have to push a fixed body apart: no force helps, and nothing is called solved.
static void problem_without_solution_is_not_called_solved(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    double dense[16] = {1, 0, -1, 0, 0, 1, 0, -1, -1, 0, 1, 0, 0, -1, 0, 1};
    const double mu[2] = {0.3, 0.3}, q[4] = {-1, 0, -1, 0};
    const sti_matrix W = sti_matrix_dense_view(4, 4, dense);
    sti_contact_local p = {.env = env, .d = 2, .nc = 2, .mu = mu, .q = q};
    assert_int_equal(sti_bsr_from_matrix(env, &W, 2, &p.W), STI_OK);
    assert_int_equal(sti_contact_local_finish(&p), STI_OK);
    const sti_contact_options options = with_tol(1e-8);
    answer a = solve(&p, &options, NULL);
    assert_int_not_equal(a.run.termination, STI_END_SOLUTION);
    assert_true(a.run.residual > 1e-8 && isfinite(a.run.residual));
    drop(&a);
    sti_contact_local_clear(&p);
    sti_env_destroy(env);
}

static void not_a_number_is_never_solved(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    for (int where = 0; where < 3; where++) {
        pile p;
        pile_spheres(env, 3, 2, 2, 2, 0.4, &p);
        if (where == 0) p.q[4] = NAN;
        if (where == 1) p.local.W.block[40] = NAN;
        if (where == 2) p.local.scale = INFINITY;  // as an infinite q makes it
        const sti_contact_options options = with_tol(1e-8);
        answer a = solve(&p.local, &options, NULL);
        assert_int_not_equal(a.run.termination, STI_END_SOLUTION);
        assert_false(a.run.residual <= 1e-8);
        drop(&a);
        pile_free(&p);
    }
    sti_env_destroy(env);
}

static long traced;
static double traced_residual;

static void note(void* user, const char* solver, long iteration, double residual) {
    (void)user;
    (void)iteration;
    assert_string_equal(solver, "gs");
    traced++;
    traced_residual = residual;
}

static void trace_ends_with_the_residual_of_the_run(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    pile p;
    pile_spheres(env, 3, 3, 3, 3, 0.4, &p);
    sti_contact_options options = with_tol(1e-8);
    options.trace = note;
    traced = 0;
    answer a = solve(&p.local, &options, NULL);
    assert_true(traced > 0);
    assert_true(fabs(traced_residual - a.run.residual) <= 1e-6 * a.run.residual);
    drop(&a);
    pile_free(&p);
    sti_env_destroy(env);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    for (int large = 0; large < 2; large++) {
        sti_env* env = open_env_of(1);
        pile p;
        if (large)
            pile_spheres(env, 2, 40, 1, 40, 0.3, &p);
        else
            pile_spheres(env, 3, 2, 2, 2, 0.3, &p);
        const size_t n = (size_t)(p.d * p.contact_count);
        double *r = calloc(n, sizeof *r), *u = calloc(n, sizeof *u);
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            sti_contact_local local = p.local;  // the same data in a failing environment
            local.env = f.env;
            sti_contact_run run = {.r = r, .u = u};
            sti_contact_options options = with_tol(1e-6);
            options.max_iterations = 3;
            memset(r, 0, n * sizeof *r);
            const sti_status status = sti_contact_method_gs(&local, &options, &run);
            if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
            if (failing_env_close(&f)) {
                assert_int_equal(status, STI_OK);
                break;
            }
            assert_int_equal(status, STI_ERR_MEMORY);
        }
        free(r);
        free(u);
        pile_free(&p);
        sti_env_destroy(env);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gs_solves_piles_of_discs_and_spheres),
        cmocka_unit_test(hyperstatic_cube_sticks_exactly),
        cmocka_unit_test(tower_of_cubes_carries_its_weight),
        cmocka_unit_test(relaxation_changes_the_way_and_not_the_velocities),
        cmocka_unit_test(solution_as_a_guess_needs_no_sweep),
        cmocka_unit_test(islands_do_not_feel_each_other),
        cmocka_unit_test(any_number_of_workers_gives_the_same_bits),
        cmocka_unit_test(large_pile_is_solved_in_colours),
        cmocka_unit_test(limit_of_sweeps_returns_the_best_point_and_says_so),
        cmocka_unit_test(what_would_take_more_sweeps_than_it_may_is_given_up),
        cmocka_unit_test(a_good_guess_is_never_made_worse),
        cmocka_unit_test(other_units_take_the_same_number_of_sweeps),
        cmocka_unit_test(operator_is_not_for_this_method),
        cmocka_unit_test(no_contacts_are_solved),
        cmocka_unit_test(problem_without_solution_is_not_called_solved),
        cmocka_unit_test(not_a_number_is_never_solved),
        cmocka_unit_test(trace_ends_with_the_residual_of_the_run),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
