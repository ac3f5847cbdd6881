// rest.c: one contact: the fixed-point form of Coulomb's law (S0 equations 2 to 4), and all solutions of a
// contact at rest with the law at acceleration level (S0 equations 5 to 7).
//
//     acc = G lambda + b,    0 <= acc_n _|_ lambda_n >= 0,    acc_t = 0, |lambda_t| <= mu lambda_n,
//                                                       or  lambda_t = -mu lambda_n d,
//                                                           acc_t = beta d, beta > 0, |d| = 1
//
// separate: lambda = 0, b_n >= 0.  stick: lambda = -G^-1 b in the cone.  slip: acc_n = 0 gives lambda_n = -b_n / g(d),
// g(d) = G_nn - mu G_nt d > 0 when b_n < 0, and acc_t must be parallel to d. In the plane d = +1 or -1. In space, with
// d = (cos x, sin x), the condition acc_t x d = 0 times g(d) is a trigonometric polynomial of degree two,
//
//     g(d) (b_t x d) - b_n (G_tn x d - mu (G_tt d) x d) = 0,
//
// that is, a polynomial of degree four in tan(x/2): at most four slip directions, from its companion matrix, each then
// refined by Newton's method.
#include <math.h>
#include <string.h>

#include "linalg/lapack.h"
#include "sticking/sticking.h"

#define STI_X(code, text) text,
static const char* const rest_names[] = {STI_REST_LIST(STI_X)};
#undef STI_X

const char* sti_rest_text(sti_rest mode) {
    return rest_names[mode];
}

bool sti_friction_fixed_point(int count, const double* lambda_t, const double* v_t, double lambda_n, double mu,
                              double rho, double tol, double* projection, double* residual) {
    const double radius = mu * fabs(lambda_n);
    double size = 0, miss = 0, length = 0;
    for (int k = 0; k < count; k++) {
        projection[k] = lambda_t[k] - rho * v_t[k];
        size = hypot(size, projection[k]);
        length = hypot(length, lambda_t[k]);
    }
    for (int k = 0; k < count; k++) {
        if (size > radius) projection[k] *= radius / size;
        miss = hypot(miss, lambda_t[k] - projection[k]);
    }
    *residual = miss;
    return miss <= tol * (1 + length);
}

typedef struct rest {
    int d;
    const double *G, *b;
    double mu;
    sti_rest_solution* list;
    int count;
} rest;

static void accelerations(const rest* c, sti_rest_solution* s) {
    for (int i = 0; i < c->d; i++) {
        s->acceleration[i] = c->b[i];
        for (int j = 0; j < c->d; j++) s->acceleration[i] += c->G[i * c->d + j] * s->lambda[j];
    }
}

// lambda = -G^-1 b; what is rounding against its terms is zero.
static bool solve_stick(sti_arena* pool, const rest* c, double* lambda) {
    double inverse[9];
    bool definite;
    if (sti_small_inverse(pool, c->d, c->G, inverse, &definite) != STI_OK || !definite) return false;
    for (int i = 0; i < c->d; i++) {
        double terms = 0;
        lambda[i] = 0;
        for (int j = 0; j < c->d; j++) {
            lambda[i] -= inverse[i * c->d + j] * c->b[j];
            terms += fabs(inverse[i * c->d + j] * c->b[j]);
        }
        if (fabs(lambda[i]) <= 1e-14 * terms) lambda[i] = 0;
    }
    return true;
}

// g(d), and the slip condition.
static double slip_denominator(const rest* c, const double* e) {
    double g = c->G[0];
    for (int k = 1; k < c->d; k++) g -= c->mu * c->G[k] * e[k - 1];
    return g;
}

static double slip_condition(const rest* c, double x) {
    const double e[2] = {cos(x), sin(x)}, *G = c->G, *b = c->b;
    const double Gd[2] = {G[4] * e[0] + G[5] * e[1], G[7] * e[0] + G[8] * e[1]};
    const double bt = b[1] * e[1] - b[2] * e[0], gt = G[3] * e[1] - G[6] * e[0], gd = Gd[0] * e[1] - Gd[1] * e[0];
    return slip_denominator(c, e) * bt - b[0] * (gt - c->mu * gd);
}

// What the slip condition is summed from, at most.
static double slip_terms(const rest* c) {
    const double *G = c->G, *b = c->b;
    const double g = fabs(G[0]) + c->mu * (fabs(G[1]) + fabs(G[2])), Gd = fabs(G[4]) + fabs(G[5]) + fabs(G[8]);
    return g * (fabs(b[1]) + fabs(b[2])) + fabs(b[0]) * (fabs(G[3]) + fabs(G[6]) + 2 * c->mu * Gd);
}

// A solution that slips along e, when there is one.
static void try_slip(rest* c, const double* e) {
    const double g = slip_denominator(c, e);
    if (!(g * -c->b[0] > 0) || c->count == STI_REST_MOST) return;
    sti_rest_solution s = {.mode = STI_REST_SLIP};
    s.lambda[0] = -c->b[0] / g;
    for (int k = 1; k < c->d; k++) s.lambda[k] = -c->mu * s.lambda[0] * e[k - 1];
    accelerations(c, &s);
    s.acceleration[0] = 0;
    double beta = 0, size = 0, terms = 0;  // what the acceleration was summed from
    for (int k = 1; k < c->d; k++) {
        beta += s.acceleration[k] * e[k - 1];
        size = hypot(size, s.acceleration[k]);
        terms += fabs(c->b[k]);
        for (int j = 0; j < c->d; j++) terms += fabs(c->G[k * c->d + j] * s.lambda[j]);
    }
    if (!(beta > 1e-12 * terms) || size - beta > 1e-8 * size) return;
    for (int i = 0; i < c->count; i++) {  // a double root
        double off = 0;
        for (int k = 0; k < c->d; k++) off = fmax(off, fabs(s.lambda[k] - c->list[i].lambda[k]));
        if (c->list[i].mode == STI_REST_SLIP && off < 1e-9 * fabs(s.lambda[0])) return;
    }
    c->list[c->count++] = s;
}

// Fourier coefficients of the slip condition, a0 + a1 cos + b1 sin + a2 cos 2x + b2 sin 2x, from five equal samples.
static void fourier(const rest* c, double shift, double* a) {
    memset(a, 0, 5 * sizeof *a);
    for (int k = 0; k < 5; k++) {
        const double x = 2 * M_PI * k / 5, f = slip_condition(c, x + shift);
        a[0] += f / 5;
        a[1] += 2 * f * cos(x) / 5;
        a[2] += 2 * f * sin(x) / 5;
        a[3] += 2 * f * cos(2 * x) / 5;
        a[4] += 2 * f * sin(2 * x) / 5;
    }
}

// Roots in x - shift by t = tan(x/2): (1+t^2)^2 times the sum is a polynomial of degree four. The shift keeps its
// leading coefficient, the value at x = pi, away from zero.
static void slip_directions(rest* c) {
    double a[5], shift = 0, best = -1;
    for (int k = 0; k < 7; k++) {
        const double x = 0.3 + 2 * M_PI * k / 7, value = fabs(slip_condition(c, x));
        if (value > best) {
            best = value;
            shift = x - M_PI;
        }
    }
    if (!(best > 1e-14 * slip_terms(c))) return;  // every direction: acc_t vanishes, which is sticking
    fourier(c, shift, a);
    const double p[5] = {a[0] + a[1] + a[3], 2 * a[2] + 4 * a[4], 2 * a[0] - 6 * a[3], 2 * a[2] - 4 * a[4],
                         a[0] - a[1] + a[3]};
    double companion[16] = {0}, wr[4], wi[4], work[64];
    for (int i = 0; i < 3; i++) companion[i * 4 + i + 1] = 1;      // column major: ones below the diagonal
    for (int i = 0; i < 4; i++) companion[12 + i] = -p[i] / p[4];  // last column; |p4| is about the largest value
    for (int i = 0; i < 4; i++)
        if (!isfinite(companion[12 + i])) return;
    const int end = sti_lapack_eigenvalues(4, companion, wr, wi, work, 64);
    for (int i = 0; end == STI_LAPACK_DONE && i < 4; i++) {
        if (fabs(wi[i]) > 1e-6 * (1 + fabs(wr[i]))) continue;
        double x = 2 * atan(wr[i]);
        for (int round = 0; round < 8; round++) {
            const double f = a[0] + a[1] * cos(x) + a[2] * sin(x) + a[3] * cos(2 * x) + a[4] * sin(2 * x);
            const double slope = -a[1] * sin(x) + a[2] * cos(x) - 2 * a[3] * sin(2 * x) + 2 * a[4] * cos(2 * x);
            if (slope == 0 || fabs(f / slope) > 0.1) break;
            x -= f / slope;
        }
        const double e[2] = {cos(x + shift), sin(x + shift)};
        try_slip(c, e);
    }
}

sti_status sti_contact_at_rest(sti_env* env, int d, const double* G, const double* b, double mu,
                               sti_rest_solution* solutions, int* count) {
    *count = 0;
    if (d != 2 && d != 3) return STI_FAIL(env, STI_ERR_ARGUMENT, d, "a contact has 2 or 3 directions, not %d", d);
    for (int k = 0; k < d * d; k++)
        if (!isfinite(G[k]) || (k < d && !isfinite(b[k])) || !(mu >= 0) || !isfinite(mu))
            return STI_FAIL(env, STI_ERR_ARGUMENT, k, "a number of the contact is not finite, or mu is negative");
    rest c = {.d = d, .G = G, .b = b, .mu = mu, .list = solutions};
    sti_arena pool = sti_arena_make(env);
    sti_rest_solution s = {.mode = STI_REST_STICK};
    const bool definite = solve_stick(&pool, &c, s.lambda);
    const sti_status status = pool.status;
    sti_arena_clear(&pool);
    if (status != STI_OK) return status;
    if (!definite) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "G is not positive definite");
    if (b[0] >= 0) {
        sti_rest_solution open = {.mode = STI_REST_SEPARATE};
        accelerations(&c, &open);
        solutions[c.count++] = open;
    }
    double t = 0;
    for (int k = 1; k < d; k++) t = hypot(t, s.lambda[k]);
    if (s.lambda[0] > 0 && t <= mu * s.lambda[0] * (1 + 1e-14)) solutions[c.count++] = s;
    if (d == 2) {
        try_slip(&c, (double[]){1});
        try_slip(&c, (double[]){-1});
    } else {
        slip_directions(&c);
    }
    *count = c.count;
    return STI_OK;
}
