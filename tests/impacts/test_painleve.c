// The contact LCP with friction: critical friction against bisection, counting against enumeration, maps of systems
// whose answer is known, and failing memory.
#include <math.h>
#include <stiction/painleve.h>

#include "impacts/painleve_matrix.h"
#include "support/failing_env.h"
#include "support/few_contacts.h"
#include "support/random.h"

static sti_env* env;

static void near_to(double a, double b, double tol) {
    if (a == b || fabs(a - b) <= tol * (1 + fabs(b))) return;
    fail_msg("%.15g, expected %.15g", a, b);
}

static void random_instant(sti_rng* rng, few_contacts* f, int n, int p) {
    few_begin(f, n);
    for (int i = 0; i < n; i++) {
        few_mass(f, i, 0.2 + sti_rng_u01(rng));
        f->v[i] = symmetric(rng);
        f->F[i] = 3 * symmetric(rng);
    }
    for (int i = 0; i < p; i++) {
        double normal[FEW_N], tangent[FEW_N];
        for (int j = 0; j < n; j++) {
            normal[j] = symmetric(rng);
            tangent[j] = symmetric(rng);
        }
        few_add(f, normal, tangent, 2 * sti_rng_u01(rng), 0)->n_rate = symmetric(rng);
    }
}

// Determinant by expansion along the first row: nothing shared with the library.
static double expand(int n, const double* A) {
    if (n == 0) return 1;
    double sum = 0, B[16];
    for (int c = 0; c < n; c++) {
        for (int i = 1; i < n; i++) {
            for (int j = 0, k = 0; j < n; j++) {
                if (j != c) B[(i - 1) * (n - 1) + k++] = A[i * n + j];
            }
        }
        sum += (c % 2 == 0 ? 1 : -1) * A[c] * expand(n - 1, B);
    }
    return sum;
}

// Is G - mu n_H diag(xi / norm) a P-matrix?
static bool is_P(const sti_painleve* k, const double* xi, double mu) {
    const int p = k->p;
    double D[16];
    for (int i = 0; i < p; i++) {
        for (int j = 0; j < p; j++) D[i * p + j] = k->G[i * p + j] - mu * k->n_H[i * p + j] * xi[j] / k->norm[j];
    }
    for (unsigned set = 1; set < 1U << p; set++) {
        int index[4], count = 0;
        double B[16];
        for (int i = 0; i < p; i++) {
            if (set >> i & 1) index[count++] = i;
        }
        for (int i = 0; i < count * count; i++) B[i] = D[index[i / count] * p + index[i % count]];
        if (expand(count, B) <= 0) return false;
    }
    return true;
}

static void critical_friction_is_where_a_minor_vanishes(void** state) {
    (void)state;
    sti_rng rng = {31};
    int finite = 0;
    for (int trial = 0; trial < 120; trial++) {
        few_contacts f;
        sti_painleve* k;
        const int p = sti_rng_int(&rng, 1, 4);
        random_instant(&rng, &f, p + sti_rng_int(&rng, 0, 2), p);
        if (sti_painleve_create(env, &f.in, NULL, &k) != STI_OK) continue;  // nearly dependent
        assert_int_equal(k->pattern_count, 1 << p);
        double least = INFINITY;
        for (int q = 0; q < k->pattern_count; q++) {
            const sti_painleve_pattern* x = &k->patterns[q];
            // the first failure of P on a fine grid, then bisection
            double low = 0, high = INFINITY;
            for (int i = 1; i <= 2000 && isinf(high); i++) {
                const double mu = 4.0 * i / 2000;
                if (is_P(k, x->xi, mu))
                    low = mu;
                else
                    high = mu;
            }
            for (int i = 0; isfinite(high) && i < 60; i++) {
                const double middle = 0.5 * (low + high);
                if (is_P(k, x->xi, middle))
                    low = middle;
                else
                    high = middle;
            }
            if (isfinite(high) && low < 4) near_to(x->mu_c, high, 1e-7);
            if (isinf(high)) assert_true(x->mu_c > 4 - 1e-9);
            finite += isfinite(high);
            assert_true(x->mu_definite <= x->mu_c * (1 + 1e-9));
            assert_true(x->mu_14[0] <= x->mu_14[1] * (1 + 1e-9) && x->mu_14[1] <= x->mu_definite * (1 + 1e-9));
            if (x->possible) least = fmin(least, x->mu_c);
        }
        near_to(k->mu_c, least, 1e-12);
        if (p == 1) near_to(k->mu_12, k->mu_c, 1e-12);
        sti_painleve_destroy(env, k);
    }
    assert_true(finite > 100);
}

static void one_contact_alone_becomes_critical_where_a_minor_vanishes(void** state) {
    (void)state;
    sti_rng rng = {32};
    for (int trial = 0; trial < 40; trial++) {
        few_contacts f;
        sti_painleve* k;
        random_instant(&rng, &f, 4, 2);
        f.contact[0].mu = f.contact[0].mu_kinetic = 0.05;
        f.contact[1].mu = f.contact[1].mu_kinetic = 0.05;
        if (sti_painleve_create(env, &f.in, NULL, &k) != STI_OK) continue;
        const double each = k->mu_c_each[0];
        bool all_P = true;
        for (int q = 0; q < 4; q++) all_P = all_P && k->patterns[q].P;
        sti_painleve_destroy(env, k);
        if (!all_P || isinf(each)) continue;
        for (int side = -1; side <= 1; side += 2) {
            f.contact[0].mu = f.contact[0].mu_kinetic = each * (1 + side * 1e-6);
            assert_int_equal(sti_painleve_create(env, &f.in, NULL, &k), STI_OK);
            all_P = true;
            for (int q = 0; q < 4; q++) all_P = all_P && k->patterns[q].P;
            assert_true(all_P == (side < 0));
            sti_painleve_destroy(env, k);
        }
    }
}

static void counting_agrees_with_exact_enumeration(void** state) {
    (void)state;
    sti_rng rng = {33};
    int seen[STI_PAINLEVE_CASE_COUNT] = {0};
    for (int trial = 0; trial < 150; trial++) {
        few_contacts f;
        sti_painleve* k;
        const int p = sti_rng_int(&rng, 1, 3);
        random_instant(&rng, &f, p + 1, p);
        if (sti_painleve_create(env, &f.in, NULL, &k) != STI_OK) continue;
        for (int q = 0; q < k->pattern_count; q++) {
            const sti_painleve_pattern* x = &k->patterns[q];
            const sti_painleve_case fast = sti_painleve_count(p, x->D, k->b);
            const sti_painleve_case slow = x->outcome == STI_PAINLEVE_UNIQUE ? STI_PAINLEVE_ONE : x->outcome;
            seen[slow]++;
            if (fast != STI_PAINLEVE_UNDECIDED) assert_int_equal(fast, slow);
            if (x->prop15 == STI_YES) assert_true(x->outcome != STI_PAINLEVE_NONE);
            if (x->outcome == STI_PAINLEVE_NONE) assert_int_not_equal(x->solutions->certificate.proof, STI_PROOF_NONE);
        }
        sti_painleve_destroy(env, k);
    }
    assert_true(seen[STI_PAINLEVE_ONE] > 50 && seen[STI_PAINLEVE_SEVERAL] > 5 && seen[STI_PAINLEVE_NONE] > 5);
}

// Both corners of a block slide the same way, so two of four patterns cannot occur and do not count.
static void directions_that_cannot_occur_together_do_not_count(void** state) {
    (void)state;
    few_contacts f;
    sti_painleve* k;
    few_begin(&f, 3);
    few_mass(&f, 0, 3);
    few_mass(&f, 1, 3);
    few_mass(&f, 2, 0.2225);
    few_add(&f, (double[]){0, 1, 0.25}, (double[]){1, 0, 0.4}, 0.5, 0);
    few_add(&f, (double[]){0, 1, -0.25}, (double[]){2, 0, 0.8}, 0.5, 0);
    assert_int_equal(sti_painleve_create(env, &f.in, NULL, &k), STI_OK);
    for (int q = 0; q < 4; q++) assert_true(k->patterns[q].possible == (k->patterns[q].xi[0] == k->patterns[q].xi[1]));
    assert_true(k->mu_c_all < k->mu_c);
    sti_painleve_destroy(env, k);
    few_begin(&f, 3);
    for (int i = 0; i < 3; i++) few_mass(&f, i, 1);
    few_add(&f, (double[]){0, 0, 1}, (double[]){1, 0, 0}, 0.5, 0);
    assert_int_equal(sti_painleve_create(env, &f.in, NULL, &k), STI_OK);
    assert_true(k->patterns[0].possible && k->patterns[1].possible);
    sti_painleve_destroy(env, k);
    // three slips in a plane, x, y, x + y: six of eight patterns
    few_begin(&f, 5);
    for (int i = 0; i < 5; i++) few_mass(&f, i, 1);
    few_add(&f, (double[]){0, 0, 1, 0, 0}, (double[]){1, 0, 0, 0, 0}, 0.5, 0);
    few_add(&f, (double[]){0, 0, 0, 1, 0}, (double[]){0, 1, 0, 0, 0}, 0.5, 0);
    few_add(&f, (double[]){0, 0, 0, 0, 1}, (double[]){1, 1, 0, 0, 0}, 0.5, 0);
    assert_int_equal(sti_painleve_create(env, &f.in, NULL, &k), STI_OK);
    int possible = 0;
    for (int q = 0; q < 8; q++) possible += k->patterns[q].possible;
    assert_int_equal(possible, 6);
    sti_painleve_destroy(env, k);
    // four slips in a plane, x, y, x + y, x - y: two dependencies, eight of sixteen patterns
    few_begin(&f, 6);
    for (int i = 0; i < 6; i++) few_mass(&f, i, 1);
    const double slips[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    for (int i = 0; i < 4; i++) {
        double normal[6] = {0}, tangent[6] = {slips[i][0], slips[i][1]};
        normal[2 + i] = 1;
        few_add(&f, normal, tangent, 0.5, 0);
    }
    assert_int_equal(sti_painleve_create(env, &f.in, NULL, &k), STI_OK);
    possible = 0;
    for (int q = 0; q < 16; q++) possible += k->patterns[q].possible;
    assert_int_equal(possible, 8);
    sti_painleve_destroy(env, k);
}

// One contact in space: the worst direction when it rests, its own when it slips.
// Slips x + c_1 and x + c_2, then the same along y: with belts of different speeds three sign patterns of four occur.
static void belts_make_more_directions_possible(void** state) {
    (void)state;
    static const double still[1] = {0}, belt[1] = {-1};
    static const double normals[4][6] = {{0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}};
    for (int pairs = 1; pairs <= 2; pairs++) {
        few_contacts f;
        sti_painleve* k;
        few_begin(&f, 6);
        for (int i = 0; i < 6; i++) few_mass(&f, i, 1 + i);
        for (int i = 0; i < 2 * pairs; i++) {
            const double tangent[6] = {i < 2, i >= 2};
            few_add(&f, normals[i], tangent, 0.5, 0)->t_offset = i % 2 == 0 ? still : belt;
        }
        assert_int_equal(sti_painleve_create(env, &f.in, NULL, &k), STI_OK);
        int possible = 0;
        for (int q = 0; q < k->pattern_count; q++) {
            bool expected = true;  // x > 0 or x - 1 < 0
            for (int i = 0; i < pairs; i++)
                expected = expected && (k->patterns[q].xi[2 * i] > 0 || k->patterns[q].xi[2 * i + 1] < 0);
            assert_int_equal(k->patterns[q].possible, expected);
            possible += k->patterns[q].possible;
        }
        assert_int_equal(possible, pairs == 1 ? 3 : 9);
        sti_painleve_destroy(env, k);
    }
    // a belt under a foot that nothing moves: its slip has one sign
    few_contacts f;
    sti_painleve* k;
    few_begin(&f, 2);
    few_mass(&f, 0, 1);
    few_mass(&f, 1, 1);
    few_add(&f, (double[]){0, 1}, (double[]){1, 0}, 0.5, 0)->t_offset = belt;
    few_add(&f, (double[]){1, 0}, NULL, 0, 0)->bilateral = true;
    assert_int_equal(sti_painleve_create(env, &f.in, NULL, &k), STI_OK);
    assert_int_equal(k->pattern_count, 2);
    for (int q = 0; q < 2; q++) assert_int_equal(k->patterns[q].possible, k->patterns[q].xi[0] < 0);
    sti_painleve_destroy(env, k);
}

static void one_contact_in_space_knows_its_worst_direction(void** state) {
    (void)state;
    few_contacts f;
    sti_painleve* k;
    few_begin(&f, 4);
    for (int i = 0; i < 4; i++) few_mass(&f, i, 1);
    sti_instant_contact* c = few_add(&f, (double[]){0, 0, 1, -0.5}, (double[]){1, 0, 0, 0.6}, 0.2, 0);
    const double second[4] = {0, 1, 0, 0.8};
    memcpy(f.t[0] + 4, second, sizeof second);
    c->tangent_count = f.in.tangent_total = 2;
    assert_int_equal(sti_painleve_create(env, &f.in, NULL, &k), STI_OK);
    near_to(k->mu_c, 1.25 / 0.5, 1e-12);  // (1 + 1/4) / (|(0.6, 0.8)| / 2)
    sti_painleve_destroy(env, k);
    f.v[0] = 3;
    f.v[1] = -4;
    assert_int_equal(sti_painleve_create(env, &f.in, NULL, &k), STI_OK);
    near_to(k->mu_c, 1.25 / (0.5 * 0.28), 1e-12);  // along (3, -4) / 5
    sti_painleve_destroy(env, k);
}

static void what_is_not_defined_is_refused(void** state) {
    (void)state;
    few_contacts f;
    sti_painleve* k;
    few_begin(&f, 2);
    few_mass(&f, 0, 1);
    few_mass(&f, 1, 1);
    assert_int_equal(sti_painleve_create(env, &f.in, NULL, &k), STI_ERR_INPUT);  // nothing touches
    few_add(&f, (double[]){0, 1}, (double[]){1, 0}, 0.2, 0);
    few_add(&f, (double[]){0, 2}, (double[]){1, 0}, 0.2, 0);
    assert_int_equal(sti_painleve_create(env, &f.in, NULL, &k), STI_ERR_INPUT);  // dependent
    assert_null(k);
    f.contact[1].gap = 1;
    assert_int_equal(sti_painleve_create(env, &f.in, NULL, &k), STI_OK);
    assert_true(isinf(k->mu_c));
    sti_painleve_destroy(env, k);
    const double negative[1] = {-1};
    sti_painleve_options o = sti_painleve_options_default();
    o.mu = negative;
    assert_int_equal(sti_painleve_create(env, &f.in, &o, &k), STI_ERR_INPUT);
}

// ---- maps

static sti_system* make_rod(sti_env* with, double mu) {
    static const char* const slip[] = {"x' + sin(theta)*theta'"};
    static const char* const names[] = {"mu"};
    static const char* const coordinates[] = {"x", "y", "theta"};
    const sti_system_contact_text contact = {
        .name = "tip", .gap = "y - sin(theta)", .slip_count = 1, .slip = slip, .mu = "mu"};
    const sti_system_text text = {.parameter_count = 1,
                                  .parameter_names = names,
                                  .parameters = &mu,
                                  .coordinate_count = 3,
                                  .coordinates = coordinates,
                                  .kinetic = "(x'^2 + y'^2)/2 + theta'^2/6",
                                  .potential = "9.81*y",
                                  .contact_count = 1,
                                  .contacts = &contact};
    sti_system* system = NULL;
    const sti_status status = sti_system_create(with, &text, &system);
    return status == STI_OK ? system : NULL;
}

static sti_painleve_map_def rod_map(int count) {
    static const double q[3] = {0, 0, 0}, v[3] = {-1, 0, 0};
    sti_painleve_map_def def = sti_painleve_map_def_default();
    def.axis_count = 1;
    def.axes[0] = (sti_painleve_axis){STI_PAINLEVE_COORDINATE, 2, 0, acos(0.0), count};
    def.q = q;
    def.v = v;
    return def;
}

static void the_rod_is_critical_at_four_thirds(void** state) {
    (void)state;
    sti_system* system = make_rod(env, 1.5);
    assert_non_null(system);
    sti_painleve_map* map;
    for (int count = 3; count < 60; count += 7) {
        const sti_painleve_map_def def = rod_map(count);
        assert_int_equal(sti_painleve_map_create(env, system, &def, &map), STI_OK);
        near_to(map->mu_c, 4.0 / 3, 1e-14);
        near_to(map->at[0], atan(2.0), 1e-9);
        near_to(map->q[1], sin(atan(2.0)), 1e-9);  // y followed theta
        for (int i = 1; i + 1 < count; i++) {
            const double theta = acos(0.0) * i / (count - 1), s = sin(theta), c = cos(theta);
            near_to(map->cells[i].mu_c, (1 + 3 * c * c) / (3 * s * c), 1e-10);
            assert_int_equal(map->cells[i].outcome, map->cells[i].mu_c > 1.5 ? STI_PAINLEVE_UNIQUE : STI_PAINLEVE_NONE);
        }
        sti_painleve_map_destroy(env, map);
    }
    sti_system_destroy(system);
}

// Over (theta, theta'): D < 0 with b < 0 has no solution, with b > 0 two.
static void the_plane_of_the_rod_has_all_cases(void** state) {
    (void)state;
    sti_system* system = make_rod(env, 1.6);
    sti_painleve_map* map;
    sti_painleve_map_def def = rod_map(31);
    const double v[3] = {-20, 0, 0};
    def.axis_count = 2;
    def.axes[1] = (sti_painleve_axis){STI_PAINLEVE_VELOCITY, 2, -6, 6, 25};
    def.v = v;
    assert_int_equal(sti_painleve_map_create(env, system, &def, &map), STI_OK);
    for (int j = 0; j < 25; j++) {
        const double rate = -6 + 12.0 * j / 24;
        for (int i = 1; i < 30; i++) {
            const double theta = acos(0.0) * i / 30, s = sin(theta), c = cos(theta);
            const sti_painleve_cell* cell = &map->cells[j * 31 + i];
            const double D = 1 - 1.6 * 3 * s * c / (1 + 3 * c * c), b = s * rate * rate - 9.81;
            if (fabs(b) < 1e-9) continue;
            assert_int_equal(cell->outcome, D > 0   ? STI_PAINLEVE_UNIQUE
                                            : b < 0 ? STI_PAINLEVE_NONE
                                                    : STI_PAINLEVE_SEVERAL);
        }
    }
    sti_painleve_map_destroy(env, map);
    // friction as an axis
    def.axes[1] = (sti_painleve_axis){STI_PAINLEVE_FRICTION, 0, 0, 2, 9};
    assert_int_equal(sti_painleve_map_create(env, system, &def, &map), STI_OK);
    assert_int_equal(map->number[STI_PAINLEVE_UNIQUE] + map->number[STI_PAINLEVE_NONE], 31 * 9);
    near_to(map->mu_c, 4.0 / 3, 1e-14);
    sti_painleve_map_destroy(env, map);
    sti_system_destroy(system);
}

// Two coordinates: mu_c = (tan a + cot a) (tan b + cot b) has its least value 4 at (pi/4, pi/4).
static void a_minimum_in_two_coordinates_is_found(void** state) {
    (void)state;
    static const char* const slip[] = {"z' + sin(2*a)*sin(2*b)/4*w'"};
    static const char* const coordinates[] = {"a", "b", "w", "z"};
    const sti_system_contact_text contact = {.name = "c", .gap = "w", .slip_count = 1, .slip = slip, .mu = "1"};
    const sti_system_text text = {.coordinate_count = 4,
                                  .coordinates = coordinates,
                                  .kinetic = "(a'^2 + b'^2 + w'^2 + z'^2)/2",
                                  .contact_count = 1,
                                  .contacts = &contact};
    sti_system* system;
    sti_painleve_map* map;
    const double zero[4] = {0};
    assert_int_equal(sti_system_create(env, &text, &system), STI_OK);
    sti_painleve_map_def def = sti_painleve_map_def_default();
    def.axis_count = 2;
    def.q = def.v = zero;
    def.axes[0] = (sti_painleve_axis){STI_PAINLEVE_COORDINATE, 0, 0.1, 1.4, 14};
    def.axes[1] = (sti_painleve_axis){STI_PAINLEVE_COORDINATE, 1, 0.1, 1.4, 11};
    assert_int_equal(sti_painleve_map_create(env, system, &def, &map), STI_OK);
    near_to(map->mu_c, 4, 1e-13);
    near_to(map->at[0], atan(1.0), 1e-8);
    near_to(map->at[1], atan(1.0), 1e-8);
    sti_painleve_map_destroy(env, map);
    sti_system_destroy(system);
}

static void points_without_contact_are_apart(void** state) {
    (void)state;
    static const char* const coordinates[] = {"x", "y"};
    static const char* const slip[] = {"x'"};
    const sti_system_contact_text contact = {.name = "c", .gap = "y^2 + x", .slip_count = 1, .slip = slip, .mu = "1"};
    const sti_system_text text = {.coordinate_count = 2,
                                  .coordinates = coordinates,
                                  .kinetic = "(x'^2 + y'^2)/2",
                                  .contact_count = 1,
                                  .contacts = &contact};
    sti_system* system;
    sti_painleve_map* map;
    const double q[2] = {0, 1}, v[2] = {0, 0};
    assert_int_equal(sti_system_create(env, &text, &system), STI_OK);
    sti_painleve_map_def def = sti_painleve_map_def_default();
    def.axis_count = 1;
    def.q = q;
    def.v = v;
    def.axes[0] = (sti_painleve_axis){STI_PAINLEVE_COORDINATE, 0, -4, 4, 5};
    assert_int_equal(sti_painleve_map_create(env, system, &def, &map), STI_OK);
    assert_int_equal(map->cells[3].outcome, STI_PAINLEVE_APART);
    assert_int_equal(map->cells[4].outcome, STI_PAINLEVE_APART);
    assert_true(map->cells[0].outcome != STI_PAINLEVE_APART);
    sti_painleve_map_destroy(env, map);
    def.axes[0].count = 0;
    assert_int_equal(sti_painleve_map_create(env, system, &def, &map), STI_ERR_ARGUMENT);
    def.axes[0].count = 2;
    def.axes[0].index = 7;
    assert_int_equal(sti_painleve_map_create(env, system, &def, &map), STI_ERR_ARGUMENT);
    assert_null(map);
    sti_system_destroy(system);
}

static void every_failing_allocation_is_survived(void** state) {
    (void)state;
    sti_rng rng = {34};
    few_contacts f;
    random_instant(&rng, &f, 3, 2);
    for (long a = 0;; a++) {
        failing_env fail;
        sti_painleve* k;
        failing_env_open(&fail, a);
        const sti_status status = sti_painleve_create(fail.env, &f.in, NULL, &k);
        if (status == STI_OK)
            sti_painleve_destroy(fail.env, k);
        else
            assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&fail)) break;
    }
    for (long a = 0;; a++) {
        failing_env fail;
        sti_painleve_map* map;
        sti_painleve_map_def def = rod_map(3);
        def.refine = false;
        failing_env_open(&fail, -1);
        sti_system* system = make_rod(fail.env, 1.5);
        assert_non_null(system);
        fail.count = 0;
        fail.fail_at = a;
        const sti_status status = sti_painleve_map_create(fail.env, system, &def, &map);
        if (status == STI_OK)
            sti_painleve_map_destroy(fail.env, map);
        else
            assert_int_equal(status, STI_ERR_MEMORY);
        sti_system_destroy(system);
        if (failing_env_close(&fail)) break;
    }
}

// ---- singular masses

// S1 4.1 with k = 0: mu_c = tan(atan(r / l) - phi), S1-E4.
static void a_box_without_inertia_has_a_critical_friction(void** state) {
    (void)state;
    for (int k = 0; k < 40; k++) {
        const double l = 0.2 + 0.01 * k, r = 0.5, phi = -0.4 + 0.02 * k, m = 3;
        const double n[3] = {0, 1, l * sin(phi) - r * cos(phi)}, t[3] = {1, 0, -(l * cos(phi) + r * sin(phi))};
        few_contacts f;
        few_begin(&f, 3);
        f.M[0] = f.M[4] = m;
        f.F[1] = 9.81 * m;
        few_add(&f, n, t, 0.3, 0);
        sti_painleve* p;
        assert_int_equal(sti_painleve_create(env, &f.in, NULL, &p), STI_OK);
        const double expected = fabs(tan(atan(r / l) - phi));
        assert_true(p->singular && p->z != NULL && fabs(fabs(p->z[2]) - 1) < 1e-14 && p->limit[0] != '\0');
        assert_true(fabs(p->mu_c - expected) <= 1e-12 * expected && fabs(p->mu_12 - expected) <= 1e-12 * expected);
        sti_painleve_destroy(env, p);
    }
}

// The same instant with q_j = unit_j times another number.
static void change_units(few_contacts* f, const double* unit) {
    const int n = f->in.n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) f->M[i * n + j] *= unit[i] * unit[j];
        f->F[i] *= unit[i];
        f->v[i] /= unit[i];
        for (int c = 0; c < f->in.contact_count; c++) {
            f->n[c][i] *= unit[i];
            f->t[c][i] *= unit[i];
        }
    }
}

static void critical_friction_without_mass_does_not_depend_on_units(few_contacts* f, const sti_painleve* p) {
    static const double units[FEW_N] = {0x1p20, 1, 0x1p-30, 0x1p8}, back[FEW_N] = {0x1p-20, 1, 0x1p30, 0x1p-8};
    sti_painleve* q;
    change_units(f, units);
    assert_int_equal(sti_painleve_create(env, &f->in, NULL, &q), STI_OK);
    assert_int_equal(q->pattern_count, p->pattern_count);
    for (int k = 0; k < p->pattern_count; k++) {
        const double a = p->patterns[k].mu_c, b = q->patterns[k].mu_c;
        assert_true(a == b || fabs(a - b) <= 1e-6 * b || fmin(a, b) > 1e6);
    }
    sti_painleve_destroy(env, q);
    change_units(f, back);
}

// The limit is the limit: M + eps z z' for small eps, joints and several contacts included.
static void limits_are_limits(void** state) {
    (void)state;
    sti_rng rng = {91};
    int compared = 0;
    for (int trial = 0; trial < 400; trial++) {
        const int n = 4, joints = trial % 2, contacts = 1 + (trial / 2) % 2;
        double z[FEW_N], A[FEW_N * FEW_N], length = 0;
        few_contacts f;
        few_begin(&f, n);
        for (int j = 0; j < n; j++) {
            z[j] = 2 * sti_rng_u01(&rng) - 1;
            length = hypot(length, z[j]);
        }
        for (int j = 0; j < n; j++) z[j] /= length;
        for (int i = 0; i < n * n; i++) A[i] = 2 * sti_rng_u01(&rng) - 1;
        for (int i = 0; i < n; i++) {  // M = A A' with the rows of A orthogonal to z
            double part = 0;
            for (int j = 0; j < n; j++) part += A[i * n + j] * z[j];
            for (int j = 0; j < n; j++) A[i * n + j] -= part * z[j];
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                f.M[i * n + j] = 0;
                for (int l = 0; l < n; l++) f.M[i * n + j] += A[l * n + i] * A[l * n + j];
            }
            f.v[i] = 0;
            f.F[i] = 2 * sti_rng_u01(&rng) - 1;
        }
        for (int c = 0; c < contacts + joints; c++) {
            double row[FEW_N], tangent[FEW_N], along = 0, slide = 0;
            for (int j = 0; j < n; j++) {
                row[j] = 2 * sti_rng_u01(&rng) - 1;
                tangent[j] = 2 * sti_rng_u01(&rng) - 1;
                along += row[j] * z[j];
                slide += tangent[j] * z[j];
            }
            // the joint holds z in half of the trials; the second contact leaves z alone
            const bool joint = c == contacts, alone = c == 1 || (joint && trial % 4 == 1);
            for (int j = 0; j < n && alone; j++) row[j] -= along * z[j];
            for (int j = 0; j < n && alone; j++) tangent[j] -= slide * z[j];
            few_add(&f, row, joint ? NULL : tangent, joint ? 0 : 0.2, 0)->bilateral = joint;
        }
        sti_painleve *p, *q;
        const sti_status status = sti_painleve_create(env, &f.in, NULL, &p);
        assert_int_equal(status, STI_OK);
        assert_true(p->singular);
        critical_friction_without_mass_does_not_depend_on_units(&f, p);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) f.M[i * n + j] += 1e-10 * z[i] * z[j];
        }
        assert_int_equal(sti_painleve_create(env, &f.in, NULL, &q), STI_OK);
        // signs of minors, and so mu_c, do not depend on how contacts are scaled
        for (int k = 0; k < p->pattern_count; k++) {
            const double a = p->patterns[k].mu_c, b = q->patterns[k].mu_c;
            if (!(b > 1e-3 && b < 50)) continue;
            assert_true(fabs(a - b) <= 1e-3 * b);
            compared++;
        }
        for (int k = 0; k < p->pattern_count; k++) {
            if (fabs(p->patterns[k].mu_c - 0.2) > 1e-3) assert_int_equal(p->patterns[k].P, p->patterns[k].mu_c > 0.2);
        }
        sti_painleve_destroy(env, p);
        sti_painleve_destroy(env, q);
    }
    assert_true(compared > 150);
}

static void two_massless_directions_are_refused(void** state) {
    (void)state;
    few_contacts f;
    sti_painleve* p;
    few_begin(&f, 3);
    f.M[0] = 1;
    few_add(&f, (double[]){0, 1, 0.5}, (double[]){1, 0, 0.3}, 0.3, 0);
    assert_int_equal(sti_painleve_create(env, &f.in, NULL, &p), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, "no mass in 2 directions"));
    assert_null(p);
}

static void limits_survive_failed_allocations(void** state) {
    (void)state;
    few_contacts f;
    few_begin(&f, 3);
    f.M[0] = f.M[4] = 1;
    few_add(&f, (double[]){0, 1, 0.5}, (double[]){1, 0, 0.3}, 0.3, 0);
    for (long k = 0;; k++) {
        failing_env fail;
        sti_painleve* p;
        failing_env_open(&fail, k);
        const sti_status status = sti_painleve_create(fail.env, &f.in, NULL, &p);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_painleve_destroy(fail.env, p);
        if (failing_env_close(&fail)) break;
    }
}

int main(void) {
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(critical_friction_is_where_a_minor_vanishes),
        cmocka_unit_test(one_contact_alone_becomes_critical_where_a_minor_vanishes),
        cmocka_unit_test(counting_agrees_with_exact_enumeration),
        cmocka_unit_test(directions_that_cannot_occur_together_do_not_count),
        cmocka_unit_test(belts_make_more_directions_possible),
        cmocka_unit_test(one_contact_in_space_knows_its_worst_direction),
        cmocka_unit_test(what_is_not_defined_is_refused),
        cmocka_unit_test(the_rod_is_critical_at_four_thirds),
        cmocka_unit_test(the_plane_of_the_rod_has_all_cases),
        cmocka_unit_test(a_minimum_in_two_coordinates_is_found),
        cmocka_unit_test(points_without_contact_are_apart),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(a_box_without_inertia_has_a_critical_friction),
        cmocka_unit_test(limits_are_limits),
        cmocka_unit_test(two_massless_directions_are_refused),
        cmocka_unit_test(limits_survive_failed_allocations),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sti_env_destroy(env);
    return failed;
}
