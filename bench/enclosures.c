// enclosures.c: proved roots and integrals, ours and those of Arb, in one run.
//
//     roots        all roots of a box: sti_root_solve, each drawn together to 1e-12, against arb_calc_isolate_roots,
//                  not refined
//     integrals    one weighted integral: sti_integrate, compiled formula given, against acb_calc_integrate with 64
//                  bits
//     bound        the whole inequality of Hermite-Hadamard, formulas compiled and all integrals and proofs included
//
// CPU time of one thread, best of repeats. Where Arb is not installed its columns are empty. CSV to stdout, a table to
// stderr.
#include <stiction/stiction.h>
#include <string.h>

#include "bounds/quadrature.h"
#include "measure.h"
#ifdef STI_HAVE_ARB
#include <acb_calc.h>
#include <arb_calc.h>
#endif

enum { REPEATS = 30 };

static void must(sti_env* env, sti_status status) {
    if (status == STI_OK) return;
    fprintf(stderr, "enclosures: %s\n", sti_env_error(env)->text);
    exit(3);
}

static void report(const char* what, const char* name, double ours, double width, double arb, double radius) {
    printf("%s,\"%s\",%.9g,%.3g,%.9g,%.3g\n", what, name, ours, width, arb, radius);
    fprintf(stderr, "%-10s %-34s %9.1f us %8.1e", what, name, 1e6 * ours, width);
    if (arb > 0) fprintf(stderr, "   Arb %9.1f us %8.1e   ratio %.2f", 1e6 * arb, radius, ours / arb);
    fprintf(stderr, "\n");
}

// ---- roots

typedef struct scalar {
    const char* text;
    const char *low, *high;
    int roots;
} scalar;

static const scalar scalars[] = {{"sin(10*x) + x/2 - 1", "-10", "10.1", 13}, {"atan(x)", "-10", "10.1", 1}};

#ifdef STI_HAVE_ARB
static int arb_wave(arb_ptr out, const arb_t x, void* unused, slong order, slong bits) {
    (void)unused;
    arb_struct line[2], sine[2];
    for (int k = 0; k < 2; k++) {
        arb_init(&line[k]);
        arb_init(&sine[k]);
    }
    arb_mul_ui(&line[0], x, 10, bits);
    arb_set_ui(&line[1], 10);
    _arb_poly_sin_series(sine, line, 2, order > 1 ? 2 : 1, bits);
    arb_mul_2exp_si(&line[0], x, -1);
    arb_add(&sine[0], &sine[0], &line[0], bits);
    arb_sub_ui(&out[0], &sine[0], 1, bits);
    if (order > 1) {
        arb_one(&line[1]);
        arb_mul_2exp_si(&line[1], &line[1], -1);
        arb_add(&out[1], &sine[1], &line[1], bits);
    }
    for (int k = 0; k < 2; k++) {
        arb_clear(&line[k]);
        arb_clear(&sine[k]);
    }
    return 0;
}

static int arb_arc(arb_ptr out, const arb_t x, void* unused, slong order, slong bits) {
    (void)unused;
    if (order > 1) {
        arb_mul(&out[1], x, x, bits);
        arb_add_ui(&out[1], &out[1], 1, bits);
        arb_inv(&out[1], &out[1], bits);
    }
    arb_atan(&out[0], x, bits);
    return 0;
}

static double arb_roots(int k, int* found) {
    const arb_calc_func_t f = k == 0 ? arb_wave : arb_arc;
    arf_interval_t box;
    double best = INFINITY;
    arf_interval_init(box);
    arf_set_si(&box->a, -10);
    arf_set_d(&box->b, 10.1);
    for (int turn = 0; turn < REPEATS; turn++) {
        arf_interval_ptr blocks;
        int* flags;
        const double begin = bench_cpu();
        const slong count = arb_calc_isolate_roots(&blocks, &flags, f, NULL, box, 30, 3000, 20, 64);
        best = fmin(best, bench_cpu() - begin);
        *found = 0;
        for (slong i = 0; i < count; i++) *found += flags[i] == 1;
        _arf_interval_vec_clear(blocks, count);
        flint_free(flags);
    }
    arf_interval_clear(box);
    return best;
}
#endif

static void measure_roots(sti_env* env, int k) {
    const char* const name = "x";
    const sti_root_problem p = {.variable_count = 1,
                                .variables = &name,
                                .low = &scalars[k].low,
                                .high = &scalars[k].high,
                                .equations = &scalars[k].text,
                                .options = sti_root_options_default()};
    sti_root_options o = p.options;
    double best = INFINITY, width = 0, arb = 0;
    o.method = STI_ROOT_ALL;
    for (int turn = 0; turn < REPEATS; turn++) {
        sti_root_answer a;
        const double begin = bench_cpu();
        must(env, sti_root_solve(env, &p, &o, &a));
        best = fmin(best, bench_cpu() - begin);
        if (!a.complete || a.root_count != scalars[k].roots) fprintf(stderr, "enclosures: %d roots\n", a.root_count);
        for (int i = 0; i < a.root_count; i++) width = fmax(width, a.roots[i].width);
        sti_root_answer_clear(env, &a);
    }
#ifdef STI_HAVE_ARB
    int found = 0;
    arb = arb_roots(k, &found);
    if (found != scalars[k].roots) fprintf(stderr, "enclosures: Arb isolates %d roots\n", found);
#endif
    report("roots", scalars[k].text, best, width, arb, 0);
}

// ---- integrals

typedef struct integrand {
    const char* text;
    double low, high;
} integrand;

static const integrand integrands[] = {{"6*x*(1-x)*x^3", 0, 1},        {"6*x*(1-x)*exp(x)", 0, 1},
                                       {"12*(1.01-x)^11*x^6", 0, 1},   {"sin(2*pi*x)*3*(1-x)^2", 0, 1},
                                       {"6*x*(1-x)*abs(x-1/2)", 0, 1}, {"sqrt(x)", 0, 1}};

#ifdef STI_HAVE_ARB
static int arb_integrand(acb_ptr out, const acb_t x, void* which, slong order, slong bits) {
    const int k = *(const int*)which;
    acb_t a, b;
    acb_init(a);
    acb_init(b);
    acb_sub_ui(a, x, 1, bits);
    acb_neg(a, a);
    acb_mul(b, a, x, bits);
    acb_mul_ui(b, b, 6, bits);  // 6 x (1 - x)
    if (k == 0) {
        acb_pow_ui(a, x, 3, bits);
        acb_mul(out, a, b, bits);
    } else if (k == 1) {
        acb_exp(a, x, bits);
        acb_mul(out, a, b, bits);
    } else if (k == 2) {
        acb_set_ui(a, 101);
        acb_div_ui(a, a, 100, bits);
        acb_sub(a, a, x, bits);
        acb_pow_ui(a, a, 11, bits);
        acb_pow_ui(b, x, 6, bits);
        acb_mul(out, a, b, bits);
        acb_mul_ui(out, out, 12, bits);
    } else if (k == 3) {
        acb_mul(b, a, a, bits);
        acb_mul_2exp_si(a, x, 1);
        acb_sin_pi(a, a, bits);
        acb_mul(out, a, b, bits);
        acb_mul_ui(out, out, 3, bits);
    } else if (k == 4) {
        acb_set_d(a, 0.5);
        acb_sub(a, x, a, bits);
        acb_real_abs(a, a, order != 0, bits);
        acb_mul(out, a, b, bits);
    } else {
        acb_sqrt_analytic(out, x, order != 0, bits);
    }
    acb_clear(a);
    acb_clear(b);
    return 0;
}

static double arb_integral(int k, double* radius) {
    acb_t a, b, value;
    mag_t tol;
    double best = INFINITY;
    acb_init(a);
    acb_init(b);
    acb_init(value);
    mag_init(tol);
    mag_set_ui_2exp_si(tol, 1, -64);
    acb_set_ui(b, 1);
    for (int turn = 0; turn < REPEATS; turn++) {
        const double begin = bench_cpu();
        acb_calc_integrate(value, arb_integrand, &k, a, b, 64, tol, NULL, 64);
        best = fmin(best, bench_cpu() - begin);
    }
    *radius = mag_get_d(arb_radref(acb_realref(value)));
    acb_clear(a);
    acb_clear(b);
    acb_clear(value);
    mag_clear(tol);
    return best;
}
#endif

static void measure_integral(sti_env* env, int k) {
    static const char* const name[] = {"x"};
    sti_formulas f;
    sti_series s;
    int entry;
    double best = INFINITY, at, arb = 0, radius = 0;
    sti_interval value = {0, 0};
    must(env, sti_formulas_open(&f, env, "variables", name, 1));
    must(env, sti_formulas_add(&f, "f", integrands[k].text, &entry));
    must(env, sti_series_init(&s, env, &f.tape, STI_QUADRATURE_ORDER));
    sti_series_want(&s, entry);
    for (int turn = 0; turn < REPEATS; turn++) {
        sti_quadrature q = {.series = &s, .most_panels = 20000};
        const double begin = bench_cpu();
        sti_gauss_make(&q.gauss);
        if (!sti_integrate(&q, iv_point(integrands[k].low), iv_point(integrands[k].high), &entry, 1, &value, &at))
            fprintf(stderr, "enclosures: %s: no integral\n", integrands[k].text);
        best = fmin(best, bench_cpu() - begin);
    }
#ifdef STI_HAVE_ARB
    arb = arb_integral(k, &radius);
#endif
    report("integrals", integrands[k].text, best, iv_width(value), arb, radius);
    sti_series_clear(&s);
    sti_formulas_close(&f);
}

static void measure_bound(sti_env* env) {
    const sti_bound_problem p = {
        .what = STI_BOUND_HADAMARD, .low = "0", .high = "1", .f = "x^6", .A = {.density = "12*(1-x)^11"}};
    double best = INFINITY, width = 0;
    for (int turn = 0; turn < REPEATS; turn++) {
        sti_bound_answer a;
        const double begin = bench_cpu();
        must(env, sti_bound_solve(env, &p, &a));
        best = fmin(best, bench_cpu() - begin);
        width = iv_width(*sti_bound_find(&a, "lhs"));
        sti_bound_answer_clear(env, &a);
    }
    report("bound", "hadamard, x^6, beta(1, 12)", best, width, 0, 0);
}

int main(void) {
    sti_env* env;
    if (sti_env_create(NULL, &env) != STI_OK) return 3;
    printf("what,formula,ours_s,width,arb_s,arb_radius\n");
    for (int k = 0; k < (int)(sizeof scalars / sizeof scalars[0]); k++) measure_roots(env, k);
    for (int k = 0; k < (int)(sizeof integrands / sizeof integrands[0]); k++) measure_integral(env, k);
    measure_bound(env);
    sti_env_destroy(env);
    return 0;
}
