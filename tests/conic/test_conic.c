// test_conic.c: conic programs with closed forms, families around known answers, invariances.
#include "conic_tools.h"
#include "support/open_env.h"

// min 1/2 |x - a|^2 over the cone t >= |z|
static void solve_projection(sti_env* env, int n, const double* a, double* x) {
    double *P = calloc((size_t)(n * n), sizeof *P), *A = calloc((size_t)(n * n), sizeof *A);
    double *c = calloc((size_t)n, sizeof *c), *b = calloc((size_t)n, sizeof *b);
    for (int i = 0; i < n; i++) {
        P[i * n + i] = 1;
        A[i * n + i] = -1;
        c[i] = -a[i];
    }
    const sti_conic p = {.n = n,
                         .m = n,
                         .P = sti_matrix_dense_view(n, n, P),
                         .A = sti_matrix_dense_view(n, n, A),
                         .c = c,
                         .b = b,
                         .cone_count = 1,
                         .cone_size = &n};
    sti_conic_answer answer;
    expect(env, &p, NULL, STI_CONIC_SOLVED, &answer);
    memcpy(x, answer.x, (size_t)n * sizeof *x);
    sti_conic_answer_clear(env, &answer);
    free(P);
    free(A);
    free(c);
    free(b);
}

static void projection_on_the_cone_is_the_closed_form(void** state) {
    sti_rng rng = {7};
    for (int trial = 0; trial < 120; trial++) {
        const int n = trial % 10 == 9 ? 40 : 1 + trial % 7;  // 40: stored in the expanded form
        double a[40], x[40], tail = 0;
        for (int i = 0; i < n; i++) a[i] = symmetric(&rng);
        for (int i = 1; i < n; i++) tail = hypot(tail, a[i]);
        a[0] *= 2 * tail + 1;
        solve_projection(*state, n, a, x);
        const bool in = tail <= a[0], polar = tail <= -a[0];
        const double t = in ? a[0] : (polar ? 0 : (a[0] + tail) / 2);
        assert_true(fabs(x[0] - t) <= 1e-8 * (1 + tail));
        for (int i = 1; i < n; i++)
            assert_true(fabs(x[i] - (in ? a[i] : (polar ? 0 : t * a[i] / tail))) <= 1e-8 * (1 + tail));
    }
}

static void projection_onto_the_border_is_found_where_both_multipliers_vanish(void** state) {
    const double border[3] = {1, 1, 0}, polar[3] = {-1, 0, 1}, origin[3] = {0, 0, 0};
    double x[3];
    solve_projection(*state, 3, border, x);
    for (int i = 0; i < 3; i++) assert_true(fabs(x[i] - border[i]) < 1e-6);
    solve_projection(*state, 3, polar, x);
    for (int i = 0; i < 3; i++) assert_true(fabs(x[i]) < 1e-6);
    solve_projection(*state, 3, origin, x);
    for (int i = 0; i < 3; i++) assert_true(fabs(x[i]) < 1e-6);
}

// min sum of t_i, (t_i, x - a_i) in Q: the point of least summed distance. For a triangle with angles below 120 degrees
// it sees the sides under 120 degrees; with a larger angle it is that corner.
static double least_sum(sti_env* env, const double (*a)[2], double* point) {
    double A[9 * 5] = {0}, b[9] = {0}, c[5] = {0, 0, 1, 1, 1};
    for (int i = 0; i < 3; i++) {
        A[(3 * i) * 5 + 2 + i] = -1;
        for (int d = 0; d < 2; d++) {
            A[(3 * i + 1 + d) * 5 + d] = -1;
            b[3 * i + 1 + d] = -a[i][d];
        }
    }
    const int size[3] = {3, 3, 3};
    const sti_conic p = {
        .n = 5, .m = 9, .A = sti_matrix_dense_view(9, 5, A), .c = c, .b = b, .cone_count = 3, .cone_size = size};
    sti_conic_answer answer;
    expect(env, &p, NULL, STI_CONIC_SOLVED, &answer);
    memcpy(point, answer.x, 2 * sizeof *point);
    const double value = answer.objective;
    sti_conic_answer_clear(env, &answer);
    return value;
}

static void fermat_point_of_a_triangle(void** state) {
    double x[2];
    const double equilateral[3][2] = {{0, 0}, {1, 0}, {0.5, sqrt(0.75)}};
    assert_true(fabs(least_sum(*state, equilateral, x) - sqrt(3)) < 1e-8);
    assert_true(fabs(x[0] - 0.5) < 1e-7 && fabs(x[1] - sqrt(0.75) / 3) < 1e-7);
    const double obtuse[3][2] = {{0, 0}, {1, 0.1}, {-1, 0.1}};
    assert_true(fabs(least_sum(*state, obtuse, x) - 2 * sqrt(1.01)) < 1e-8);
    assert_true(hypot(x[0], x[1]) < 1e-6);
}

static void linear_program_with_equation_has_its_known_vertex_and_duals(void** state) {
    // min x + 2y + 3z, x + y + z = 2, x <= 1/2, all >= 0: (1/2, 3/2, 0), value 7/2, multipliers -2, 1
    double A[] = {1, 1, 1, 1, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1}, b[] = {2, 0.5, 0, 0, 0}, c[] = {1, 2, 3};
    const sti_conic p = {
        .n = 3, .m = 5, .A = sti_matrix_dense_view(5, 3, A), .c = c, .b = b, .zero = 1, .nonnegative = 4};
    sti_conic_answer a;
    expect(*state, &p, NULL, STI_CONIC_SOLVED, &a);
    const double x[] = {0.5, 1.5, 0}, y[] = {-2, 1, 0, 0, 1};
    for (int j = 0; j < 3; j++) assert_true(fabs(a.x[j] - x[j]) < 1e-9);
    for (int i = 0; i < 5; i++) assert_true(fabs(a.y[i] - y[i]) < 1e-9);
    assert_true(fabs(a.objective - 3.5) < 1e-9);
    sti_conic_answer_clear(*state, &a);
}

static void quadratic_program_with_active_bound(void** state) {
    // min x^2 + y^2 - 2x - 6y, x + y <= 2, x, y >= 0: (0, 2), multipliers 2 (sum), 0 <= x with 0
    double P[] = {2, 0, 0, 2}, A[] = {1, 1, -1, 0, 0, -1}, b[] = {2, 0, 0}, c[] = {-2, -6};
    const sti_conic p = {.n = 2,
                         .m = 3,
                         .P = sti_matrix_dense_view(2, 2, P),
                         .A = sti_matrix_dense_view(3, 2, A),
                         .c = c,
                         .b = b,
                         .nonnegative = 3};
    sti_conic_answer a;
    expect(*state, &p, NULL, STI_CONIC_SOLVED, &a);
    assert_true(fabs(a.objective + 8) < 1e-9);
    assert_true(fabs(a.x[0]) < 1e-5 && fabs(a.x[1] - 2) < 1e-5);  // not strictly complementary
    sti_conic_answer_clear(*state, &a);
}

static void programs_without_rows_or_variables_are_answered(void** state) {
    double P[] = {2, 0, 0, 1}, flat[] = {1, 0, 0, 0}, c[] = {1, 1}, zero[] = {0, 0}, b[] = {0, 1, 2},
           bad[] = {0, -1, 2};
    const int one = 1;
    sti_conic_answer a;
    sti_conic p = {.n = 2, .P = sti_matrix_dense_view(2, 2, P), .c = c};
    expect(*state, &p, NULL, STI_CONIC_SOLVED, &a);
    assert_true(fabs(a.x[0] + 0.5) < 1e-12 && fabs(a.x[1] + 1) < 1e-12);
    sti_conic_answer_clear(*state, &a);
    p.P = sti_matrix_dense_view(2, 2, flat);
    expect(*state, &p, NULL, STI_CONIC_UNBOUNDED, &a);
    sti_conic_answer_clear(*state, &a);
    p = (sti_conic){.n = 2, .c = zero};
    expect(*state, &p, NULL, STI_CONIC_SOLVED, &a);
    sti_conic_answer_clear(*state, &a);
    p.c = c;
    expect(*state, &p, NULL, STI_CONIC_UNBOUNDED, &a);
    sti_conic_answer_clear(*state, &a);
    p = (sti_conic){.m = 3, .b = b, .zero = 1, .nonnegative = 1, .cone_count = 1, .cone_size = &one};
    expect(*state, &p, NULL, STI_CONIC_SOLVED, &a);
    sti_conic_answer_clear(*state, &a);
    p.b = bad;
    expect(*state, &p, NULL, STI_CONIC_INFEASIBLE, &a);
    assert_true(isinf(a.bound));
    sti_conic_answer_clear(*state, &a);
    p = (sti_conic){0};
    expect(*state, &p, NULL, STI_CONIC_SOLVED, &a);
    sti_conic_answer_clear(*state, &a);
}

static void redundant_and_zero_rows_do_no_harm(void** state) {
    double P[] = {1, 0, 0, 1}, A[] = {0, 0, 1, 1, 1, 1, 0, 0}, b[] = {0, 1, 1, 3}, c[] = {-1, -2};
    sti_conic p = {.n = 2,
                   .m = 4,
                   .P = sti_matrix_dense_view(2, 2, P),
                   .A = sti_matrix_dense_view(4, 2, A),
                   .c = c,
                   .b = b,
                   .zero = 3,
                   .nonnegative = 1};
    sti_conic_answer a;
    expect(*state, &p, NULL, STI_CONIC_SOLVED, &a);
    assert_true(fabs(a.x[0]) < 1e-9 && fabs(a.x[1] - 1) < 1e-9);
    sti_conic_answer_clear(*state, &a);
    b[2] = 2;  // the same left side, another right side
    expect(*state, &p, NULL, STI_CONIC_INFEASIBLE, &a);
    sti_conic_answer_clear(*state, &a);
    b[2] = 1;
    b[0] = 1;  // 0 = 1
    expect(*state, &p, NULL, STI_CONIC_INFEASIBLE, &a);
    sti_conic_answer_clear(*state, &a);
    b[0] = 0;
    b[3] = -1;  // 0 <= -1
    expect(*state, &p, NULL, STI_CONIC_INFEASIBLE, &a);
    sti_conic_answer_clear(*state, &a);
}

static void families_around_known_answers_get_their_outcome(void** state) {
    const sti_conic_outcome outcome[] = {STI_CONIC_SOLVED, STI_CONIC_INFEASIBLE, STI_CONIC_UNBOUNDED};
    sti_rng rng = {11};
    for (int trial = 0; trial < 180; trial++) {
        const int n = 2 + (trial * 7) % 41, kind = trial % 3,
                  rank = (trial / 3) % 3 == 0   ? -1
                         : (trial / 3) % 3 == 1 ? n
                                                : n / 2;
        dense_program d = random_program(&rng, (family)kind, n, trial % 4 < n ? trial % 4 : 0, trial % 13,
                                         1 + trial % 6, trial % 17 == 0 ? 25 : 4, rank);
        sti_conic_answer a;
        expect(*state, &d.p, NULL, outcome[kind], &a);
        if (kind == SOLVABLE) {
            double Px = 0;
            for (int i = 0; d.P != NULL && i < n * n; i++) Px += d.x[i / n] * d.P[i] * d.x[i % n];
            const double value = Px / 2 + inner(n, d.c, d.x);
            assert_true(fabs(a.objective - value) < 1e-7 * (1 + fabs(value)));
        }
        sti_conic_answer_clear(*state, &a);
        dense_program_free(&d);
    }
}

// Rows (and whole cones) times numbers from 1e-6 to 1e6, then variables, objective and right side in other units.
static void outcomes_do_not_depend_on_units(void** state) {
    const sti_conic_outcome outcome[] = {STI_CONIC_SOLVED, STI_CONIC_INFEASIBLE, STI_CONIC_UNBOUNDED};
    sti_rng rng = {13};
    for (int trial = 0; trial < 90; trial++) {
        const int n = 2 + (trial * 5) % 23, kind = trial % 3;
        dense_program d = random_program(&rng, (family)kind, n, trial % 2, 3, 3, 4, trial % 2 == 0 ? -1 : n);
        sti_conic_answer a, scaled;
        expect(*state, &d.p, NULL, outcome[kind], &a);
        const double whole = pow(10, 3 * symmetric(&rng)), right = pow(10, 3 * symmetric(&rng));
        int cone = -1, left = 0;
        double factor = 1;
        for (int i = 0; i < d.p.m; i++) {
            if (i < d.p.zero + d.p.nonnegative || left == 0) {
                factor = pow(10, 6 * symmetric(&rng));
                if (i >= d.p.zero + d.p.nonnegative) left = d.size[++cone];
            }
            if (i >= d.p.zero + d.p.nonnegative) left--;
            for (int j = 0; j < n; j++) d.A[i * n + j] *= factor;
            d.b[i] *= factor * right;
        }
        // x' = right x, objective' = whole objective
        for (int j = 0; j < n; j++) d.c[j] *= whole / right;
        for (int i = 0; d.P != NULL && i < n * n; i++) d.P[i] *= whole / (right * right);
        expect(*state, &d.p, NULL, outcome[kind], &scaled);
        if (kind == SOLVABLE)
            assert_true(fabs(scaled.objective - whole * a.objective) < 1e-7 * whole * (1 + fabs(a.objective)));
        sti_conic_answer_clear(*state, &a);
        sti_conic_answer_clear(*state, &scaled);
        dense_program_free(&d);
    }
}

static void cones_and_variables_may_be_permuted(void** state) {
    sti_rng rng = {17};
    for (int trial = 0; trial < 20; trial++) {
        const int n = 5 + trial;
        dense_program d = random_program(&rng, SOLVABLE, n, 2, 4, 3, 1, n);  // cones of size 1 are rows
        for (int c = 0; c < 3; c++) assert_int_equal(d.size[c], 1);
        const int m = d.p.m;
        dense_program e = random_program(&rng, SOLVABLE, n, 2, 7, 0, 1, n);
        assert_int_equal(e.p.m, m);
        for (int i = 0; i < m; i++) {  // equations swapped, inequalities turned around
            const int k = i < 2 ? 1 - i : m + 1 - i;
            for (int j = 0; j < n; j++) e.A[i * n + j] = d.A[k * n + n - 1 - j];
            e.b[i] = d.b[k];
        }
        for (int i = 0; i < n * n; i++) e.P[i] = d.P[n * n - 1 - i];
        for (int j = 0; j < n; j++) e.c[j] = d.c[n - 1 - j];
        sti_conic_answer a, f;
        expect(*state, &d.p, NULL, STI_CONIC_SOLVED, &a);
        expect(*state, &e.p, NULL, STI_CONIC_SOLVED, &f);
        for (int j = 0; j < n; j++) assert_true(fabs(a.x[j] - f.x[n - 1 - j]) < 1e-6);
        sti_conic_answer_clear(*state, &a);
        sti_conic_answer_clear(*state, &f);
        dense_program_free(&d);
        dense_program_free(&e);
    }
}

static void sparse_and_dense_data_give_the_same_bits(void** state) {
    sti_rng rng = {19};
    for (int trial = 0; trial < 20; trial++) {
        const int n = 3 + trial;
        dense_program d = random_program(&rng, (family)(trial % 3), n, 1, 3, 3, 8, trial % 2 == 0 ? -1 : n);
        sti_conic sparse = d.p;
        assert_int_equal(sti_matrix_to_sparse(*state, &d.p.A, &sparse.A), STI_OK);
        if (d.P != NULL) assert_int_equal(sti_matrix_to_sparse(*state, &d.p.P, &sparse.P), STI_OK);
        sti_conic_answer a, b;
        assert_int_equal(sti_conic_solve(*state, &d.p, NULL, &a), STI_OK);
        assert_int_equal(sti_conic_solve(*state, &sparse, NULL, &b), STI_OK);
        assert_int_equal(a.outcome, b.outcome);
        assert_int_equal(a.iterations, b.iterations);
        if (a.outcome == STI_CONIC_SOLVED) assert_memory_equal(a.x, b.x, (size_t)n * sizeof *a.x);
        sti_conic_answer_clear(*state, &a);
        sti_conic_answer_clear(*state, &b);
        sti_matrix_clear(*state, &sparse.A);
        if (d.P != NULL) sti_matrix_clear(*state, &sparse.P);
        dense_program_free(&d);
    }
}

static void a_guess_near_the_solution_changes_nothing_but_the_way(void** state) {
    sti_rng rng = {23};
    long cold = 0, warm = 0;
    for (int trial = 0; trial < 20; trial++) {
        dense_program d = random_program(&rng, SOLVABLE, 20, 2, 6, 4, 4, 20);
        sti_conic_answer a, b;
        expect(*state, &d.p, NULL, STI_CONIC_SOLVED, &a);
        sti_conic_options o = sti_conic_options_default();
        o.guess_x = a.x;
        o.guess_y = a.y;
        expect(*state, &d.p, &o, STI_CONIC_SOLVED, &b);
        assert_true(fabs(a.objective - b.objective) < 1e-8 * (1 + fabs(a.objective)));
        cold += a.iterations;
        warm += b.iterations;
        sti_conic_answer_clear(*state, &a);
        sti_conic_answer_clear(*state, &b);
        dense_program_free(&d);
    }
    assert_true(warm < cold);
}

// (x, x, 1) in Q asks 0 >= 1 in the limit: no point, and no certificate either. t s >= 1 with least t: not attained.
static void without_a_certificate_nothing_is_claimed(void** state) {
    double A[] = {-1, -1, 0}, b[] = {0, 0, 1}, c[] = {1};
    const int three = 3;
    sti_conic p = {
        .n = 1, .m = 3, .A = sti_matrix_dense_view(3, 1, A), .c = c, .b = b, .cone_count = 1, .cone_size = &three};
    sti_conic_answer a;
    expect(*state, &p, NULL, STI_CONIC_UNKNOWN, &a);
    assert_true(a.reason[0] != 0 && a.residual > 1e-9);
    sti_conic_answer_clear(*state, &a);
    double A2[] = {-1, -1, -1, 1, 0, 0}, b2[] = {0, 0, 2}, c2[] = {1, 0};
    p = (sti_conic){
        .n = 2, .m = 3, .A = sti_matrix_dense_view(3, 2, A2), .c = c2, .b = b2, .cone_count = 1, .cone_size = &three};
    assert_int_equal(sti_conic_solve(*state, &p, NULL, &a), STI_OK);
    assert_int_not_equal(a.outcome, STI_CONIC_INFEASIBLE);
    assert_int_not_equal(a.outcome, STI_CONIC_UNBOUNDED);
    assert_true(fabs(a.objective) < 1e-3);
    sti_conic_answer_clear(*state, &a);
    const sti_conic_options o = {.tol = 1e-9, .max_iterations = 2};
    expect(*state, &p, &o, STI_CONIC_LIMIT, &a);
    sti_conic_answer_clear(*state, &a);
}

static void bad_programs_are_refused_with_a_word(void** state) {
    double P[] = {1, 2, 2, 1}, Q[] = {1, 0.5, 0.2, 1}, A[] = {-1, 0, 0, -1}, b[] = {0, 0}, c[] = {1, 1};
    const sti_conic good = {.n = 2, .m = 2, .A = sti_matrix_dense_view(2, 2, A), .c = c, .b = b, .nonnegative = 2};
    const int none = 0, two = 2;
    sti_conic_answer a;
    sti_conic p = good;
    p.P = sti_matrix_dense_view(2, 2, P);  // indefinite
    assert_int_equal(sti_conic_solve(*state, &p, NULL, &a), STI_ERR_ARGUMENT);
    p.P = sti_matrix_dense_view(2, 2, Q);  // not symmetric
    assert_int_equal(sti_conic_solve(*state, &p, NULL, &a), STI_ERR_ARGUMENT);
    p = good;
    p.nonnegative = 3;
    assert_int_equal(sti_conic_solve(*state, &p, NULL, &a), STI_ERR_ARGUMENT);
    p.nonnegative = 2;
    p.cone_count = 1;
    p.cone_size = &none;
    assert_int_equal(sti_conic_solve(*state, &p, NULL, &a), STI_ERR_ARGUMENT);
    p.cone_size = &two;
    assert_int_equal(sti_conic_solve(*state, &p, NULL, &a), STI_ERR_ARGUMENT);
    for (int i = 0; i < 4; i++) {
        const double keep = A[i];
        A[i] = i % 2 == 0 ? NAN : INFINITY;
        assert_int_equal(sti_conic_solve(*state, &good, NULL, &a), STI_ERR_ARGUMENT);
        A[i] = keep;
    }
    b[1] = NAN;
    assert_int_equal(sti_conic_solve(*state, &good, NULL, &a), STI_ERR_ARGUMENT);
    b[1] = 0;
    const sti_conic_options o = {.tol = 0};
    assert_int_equal(sti_conic_solve(*state, &good, &o, &a), STI_ERR_ARGUMENT);
    int rows[] = {1, 0, 1};
    int64_t start[] = {0, 2, 3};
    double values[] = {1, 1, 1};
    p = good;
    p.A = (sti_matrix){.rows = 2, .cols = 2, .col_start = start, .row = rows, .value = values};  // rows out of order
    assert_int_equal(sti_conic_solve(*state, &p, NULL, &a), STI_ERR_ARGUMENT);
    sti_conic_answer_clear(*state, &a);
}

// Every false statement about a right answer is rejected.
static void the_verifier_rejects_what_was_tampered_with(void** state) {
    const sti_conic_outcome outcome[] = {STI_CONIC_SOLVED, STI_CONIC_INFEASIBLE, STI_CONIC_UNBOUNDED};
    sti_rng rng = {29};
    for (int kind = 0; kind < 3; kind++) {
        dense_program d = random_program(&rng, (family)kind, 6, 1, 4, 2, 4, 6);
        sti_conic_answer a;
        expect(*state, &d.p, NULL, outcome[kind], &a);
        sti_conic_verification v;
        double* vectors[] = {a.x, a.s, a.y};
        const int length[] = {d.p.n, d.p.m, d.p.m};
        const bool matters[3][3] = {{true, true, true}, {false, false, true}, {true, true, false}};
        for (int t = 0; t < 3; t++) {
            for (int i = 0; i < length[t] && matters[kind][t]; i++) {
                const double keep = vectors[t][i];
                vectors[t][i] += 1e-3;
                assert_int_equal(sti_verify_conic(*state, &d.p, &a, 1e-8, &v), STI_OK);
                assert_false(v.accepted);
                vectors[t][i] = NAN;
                assert_int_equal(sti_verify_conic(*state, &d.p, &a, 1e-8, &v), STI_OK);
                assert_false(v.accepted);
                vectors[t][i] = keep;
            }
        }
        a.outcome = STI_CONIC_LIMIT;
        assert_int_equal(sti_verify_conic(*state, &d.p, &a, 1e-8, &v), STI_OK);
        assert_false(v.accepted);
        sti_conic_answer_clear(*state, &a);
        dense_program_free(&d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection_on_the_cone_is_the_closed_form),
        cmocka_unit_test(projection_onto_the_border_is_found_where_both_multipliers_vanish),
        cmocka_unit_test(fermat_point_of_a_triangle),
        cmocka_unit_test(linear_program_with_equation_has_its_known_vertex_and_duals),
        cmocka_unit_test(quadratic_program_with_active_bound),
        cmocka_unit_test(programs_without_rows_or_variables_are_answered),
        cmocka_unit_test(redundant_and_zero_rows_do_no_harm),
        cmocka_unit_test(families_around_known_answers_get_their_outcome),
        cmocka_unit_test(outcomes_do_not_depend_on_units),
        cmocka_unit_test(cones_and_variables_may_be_permuted),
        cmocka_unit_test(sparse_and_dense_data_give_the_same_bits),
        cmocka_unit_test(a_guess_near_the_solution_changes_nothing_but_the_way),
        cmocka_unit_test(without_a_certificate_nothing_is_claimed),
        cmocka_unit_test(bad_programs_are_refused_with_a_word),
        cmocka_unit_test(the_verifier_rejects_what_was_tampered_with),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
