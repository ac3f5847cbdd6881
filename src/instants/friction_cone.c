// friction_cone.c: pointedness of the total friction cone with its two measures (S3 2.2.1).
//
// The multipliers of one contact form a simplicial cone with the generators c_n = 1 and (c_n = 1, beta_i = mu). So
// x = (c_nu, S y) with y >= 0, one entry for each generator, and
//
//     1 / c_FC^2 = min |A x|^2 / |x|^2,        A = (nu, n, D).
//
// Where the minimum is attained lies inside some face, y_i > 0 exactly for i in a set a; there the quotient is at a
// local minimum over the span of the face, and a Rayleigh quotient has no local minima but the least eigenvalue. So
// c_FC is the largest over all sets a whose least eigenvector (of the pencil B'A'A B, B'B with B = (I, S_a)) has y > 0:
// up to 14 generators. Where an eigenspace has more dimensions one of its vectors need not be positive, but then its
// intersection with the cone reaches a smaller face, which is looked at too.
//
// Beyond that: x is the best of what faces with few generators give, and the bound follows from u. With g_i'u >= delta
// and nu'u = 0, sum y <= |u| |z| / delta; |(c_n, beta)| <= gamma sum y with gamma the longest generator of multipliers,
// and nu c_nu = z - sum y_i g_i gives |c_nu| <= (|z| + rho sum y) / sigma, rho = max |g_i|, sigma the least singular
// value.
#include <math.h>
#include <stiction/pointed.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/dense_algebra.h"
#include "linalg/vector.h"

typedef struct work {
    sti_env* env;
    sti_arena pool;
    const sti_friction_cone* cone;
    sti_friction_cone_margin* out;
    int s, m, rays;             // size of z, joints, generators
    double* g;                  // generators of z                    (rays x s)
    int *normal, *beta;         // multipliers of each: c_n of this contact, beta of this direction (-1: none)   (rays)
    double* gram;               // B'A'A B over nu and all generators   ((m + rays) x (m + rays))
    double* mass;               // B'B                                  (the same)
    double *P, *Q, *V, *w, *y;  // scratch of one face
    double best;                // least quotient found
} work;

static sti_status check(sti_env* env, const sti_friction_cone* k) {
    if (k->dimension < 1 || k->joint_count < 0 || k->contact_count < 0)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "friction cone: dimension %d, %d joints, %d contacts", k->dimension,
                        k->joint_count, k->contact_count);
    const size_t s = (size_t)k->dimension, p = (size_t)k->contact_count;
    for (size_t i = 0; i < p; i++) {
        if (!(k->mu[i] >= 0 && isfinite(k->mu[i])))
            return STI_FAIL(env, STI_ERR_INPUT, (int64_t)i, "mu of contact %zu: %g", i, k->mu[i]);
    }
    const struct {
        const double* value;
        size_t count;
        const char* name;
    } tables[] = {{k->joints, s * (size_t)k->joint_count, "joints"},
                  {k->normals, s * p, "normals"},
                  {k->directions, p > 0 ? s * (size_t)k->direction[p] : 0, "directions"}};
    for (int t = 0; t < 3; t++) {
        for (size_t i = 0; i < tables[t].count; i++) {
            if (!isfinite(tables[t].value[i]))
                return STI_FAIL(env, STI_ERR_INPUT, (int64_t)(i / s), "%s: %g: not finite", tables[t].name,
                                tables[t].value[i]);
        }
    }
    return STI_OK;
}

static sti_status make_generators(work* w) {
    const sti_friction_cone* k = w->cone;
    const int most = k->contact_count + (k->contact_count > 0 ? k->direction[k->contact_count] : 0);
    w->g = sti_arena_doubles(&w->pool, (size_t)most * (size_t)w->s);
    w->normal = sti_arena_ints(&w->pool, (size_t)most);
    w->beta = sti_arena_ints(&w->pool, (size_t)most);
    if (w->pool.status != STI_OK) return w->pool.status;
    for (int i = 0; i < k->contact_count; i++) {
        for (int d = k->direction[i] - 1; d < (k->mu[i] > 0 ? k->direction[i + 1] : k->direction[i]); d++) {
            const bool pure = d < k->direction[i];
            double* row = w->g + sti_at(w->s, w->rays, 0);
            for (int j = 0; j < w->s; j++)
                row[j] = k->normals[sti_at(w->s, i, j)] + (pure ? 0 : k->mu[i] * k->directions[sti_at(w->s, d, j)]);
            w->normal[w->rays] = i;
            w->beta[w->rays++] = pure ? -1 : d;
        }
    }
    return STI_OK;
}

// x of (c_nu, y), of length one; returns the length before.
static double multipliers(const work* w, const double* y, double* x) {
    const sti_friction_cone* k = w->cone;
    double size = 0;
    memset(x, 0, (size_t)w->out->count * sizeof *x);
    memcpy(x, y, (size_t)w->m * sizeof *x);
    for (int r = 0; r < w->rays; r++) {
        const double part = y[w->m + r];
        x[w->m + w->normal[r]] += part;
        if (w->beta[r] >= 0) x[w->m + k->contact_count + w->beta[r]] += k->mu[w->normal[r]] * part;
    }
    for (int i = 0; i < w->out->count; i++) size = hypot(size, x[i]);
    for (int i = 0; i < w->out->count && size > 0; i++) x[i] /= size;
    return size;
}

// Inner products of the multipliers of generators a and b.
static double product_of_multipliers(const work* w, int a, int b) {
    if (w->normal[a] != w->normal[b]) return 0;
    const double mu = w->cone->mu[w->normal[a]];
    return 1 + (w->beta[a] >= 0 && w->beta[a] == w->beta[b] ? mu * mu : 0);
}

static sti_status make_pencil(work* w) {
    const int n = w->m + w->rays;
    w->gram = sti_arena_doubles(&w->pool, sti_at(n, n, 0));
    w->mass = sti_arena_doubles(&w->pool, sti_at(n, n, 0));
    w->P = sti_arena_doubles(&w->pool, sti_at(n, n, 0));
    w->Q = sti_arena_doubles(&w->pool, sti_at(n, n, 0));
    w->V = sti_arena_doubles(&w->pool, sti_at(n, n, 0));
    w->w = sti_arena_doubles(&w->pool, (size_t)n);
    w->y = sti_arena_doubles(&w->pool, (size_t)n);
    if (w->pool.status != STI_OK) return w->pool.status;
    for (int i = 0; i < n; i++) {
        const double* a = i < w->m ? w->cone->joints + sti_at(w->s, i, 0) : w->g + sti_at(w->s, i - w->m, 0);
        for (int j = 0; j <= i; j++) {
            const double* b = j < w->m ? w->cone->joints + sti_at(w->s, j, 0) : w->g + sti_at(w->s, j - w->m, 0);
            w->gram[sti_at(n, i, j)] = w->gram[sti_at(n, j, i)] = sti_vector_dot(w->s, a, b);
            w->mass[sti_at(n, i, j)] = w->mass[sti_at(n, j, i)] =
                i < w->m || j < w->m ? i == j : product_of_multipliers(w, i - w->m, j - w->m);
        }
    }
    return STI_OK;
}

// One face: its generators by the bits of `set`. The least eigenvector, where all y > 0.
static void look_at(work* w, const int* pick, int count) {
    const int n = w->m + w->rays, order = w->m + count;
    for (int i = 0; i < order; i++) {
        const int a = i < w->m ? i : w->m + pick[i - w->m];
        for (int j = 0; j < order; j++) {
            const int b = j < w->m ? j : w->m + pick[j - w->m];
            w->P[sti_at(order, i, j)] = w->mass[sti_at(n, a, b)];
        }
    }
    // P^-1/2 by its eigenvectors, then the quotient in those coordinates
    sti_dense_eigen(order, w->P, w->w, w->V);
    if (!(w->w[0] > 1e-14 * w->w[order - 1])) return;
    for (int i = 0; i < order; i++) {
        for (int j = 0; j < order; j++) w->V[sti_at(order, i, j)] /= sqrt(w->w[i]);
    }
    for (int i = 0; i < order; i++) {  // Q = V gram, P = Q V'
        for (int j = 0; j < order; j++) {
            const int b = j < w->m ? j : w->m + pick[j - w->m];
            double sum = 0;
            for (int l = 0; l < order; l++)
                sum += w->V[sti_at(order, i, l)] * w->gram[sti_at(n, l < w->m ? l : w->m + pick[l - w->m], b)];
            w->Q[sti_at(order, i, j)] = sum;
        }
    }
    sti_small_multiply_nt(order, order, order, w->Q, w->V, w->P);
    sti_dense_eigen(order, w->P, w->w, w->Q);
    if (w->w[0] >= w->best) return;
    memset(w->y, 0, (size_t)n * sizeof *w->y);
    double low = 0, high = 0;
    for (int i = 0; i < order; i++) {
        double sum = 0;
        for (int l = 0; l < order; l++) sum += w->Q[l] * w->V[sti_at(order, l, i)];
        w->y[i < w->m ? i : w->m + pick[i - w->m]] = sum;
        if (i >= w->m) low = fmin(low, sum);
        if (i >= w->m) high = fmax(high, sum);
    }
    const double small = 1e-13 * fmax(high, -low);
    if (low < -small && high > small) return;
    const double sign = high > small ? 1 : -1;
    for (int i = 0; i < n; i++) w->y[i] = i < w->m ? sign * w->y[i] : fmax(0, sign * w->y[i]);
    w->best = w->w[0];
    multipliers(w, w->y, w->out->x);
}

// All faces, or those with up to three generators.
static sti_status look_at_faces(work* w) {
    int pick[STI_FRICTION_CONE_FACES + 1] = {0};
    w->out->all_faces = w->rays <= STI_FRICTION_CONE_FACES;
    if (w->m > 0) look_at(w, pick, 0);
    if (w->out->all_faces) {
        for (unsigned set = 1; set < 1U << w->rays; set++) {
            int count = 0;
            const sti_status status =
                set % 64 == 0 ? sti_check_time(w->env, "looking at faces of the friction cone") : STI_OK;
            if (status != STI_OK) return status;
            for (int r = 0; r < w->rays; r++) {
                if (set >> r & 1) pick[count++] = r;
            }
            look_at(w, pick, count);
        }
        return STI_OK;
    }
    for (int a = 0; a < w->rays; a++) {
        const sti_status status = sti_check_time(w->env, "looking at faces of the friction cone");
        if (status != STI_OK) return status;
        pick[0] = a;
        look_at(w, pick, 1);
        for (int b = a + 1; b < w->rays; b++) {
            pick[1] = b;
            look_at(w, pick, 2);
        }
    }
    return STI_OK;
}

// |A x| of the multipliers that were found: the ratio on the data as given.
static double ratio(work* w, double* z) {
    const sti_friction_cone* k = w->cone;
    double size = 0;
    memset(z, 0, (size_t)w->s * sizeof *z);
    for (int i = 0; i < w->out->count; i++) {
        const double* row = i < w->m ? k->joints + sti_at(w->s, i, 0)
                            : i < w->m + k->contact_count
                                ? k->normals + sti_at(w->s, i - w->m, 0)
                                : k->directions + sti_at(w->s, i - w->m - k->contact_count, 0);
        for (int j = 0; j < w->s; j++) z[j] += w->out->x[i] * row[j];
    }
    for (int j = 0; j < w->s; j++) size = hypot(size, z[j]);
    return size > 0 ? 1 / size : (double)INFINITY;
}

// The bound that u gives.
static double bound_by_u(work* w) {
    const double length = sqrt(sti_vector_dot(w->s, w->out->u, w->out->u));
    double gamma = 0, rho = 0, delta = INFINITY, sigma = INFINITY;
    for (int r = 0; r < w->rays; r++) {
        const double* g = w->g + sti_at(w->s, r, 0);
        const double mu = w->beta[r] >= 0 ? w->cone->mu[w->normal[r]] : 0;
        gamma = fmax(gamma, hypot(1, mu));
        rho = fmax(rho, sqrt(sti_vector_dot(w->s, g, g)));
        delta = fmin(delta, sti_vector_dot(w->s, g, w->out->u));
    }
    if (w->m > 0) {
        const int n = w->m + w->rays;
        for (int i = 0; i < w->m; i++) {
            for (int j = 0; j < w->m; j++) w->P[sti_at(w->m, i, j)] = w->gram[sti_at(n, i, j)];
        }
        sti_dense_eigen(w->m, w->P, w->w, NULL);
        sigma = sqrt(fmax(0, w->w[0]));
    }
    const double sum = w->rays > 0 ? length / delta : 0;  // of y, for |z| = 1
    return delta > 0 ? hypot(gamma * sum, w->m > 0 ? (1 + rho * sum) / sigma : 0) : (double)INFINITY;
}

static sti_status settle_flat(work* w, const sti_pointedness* p) {
    double* y = sti_arena_doubles(&w->pool, (size_t)(w->m + w->rays));
    if (y == NULL) return w->pool.status;
    for (int r = 0; r < w->rays; r++) y[w->m + r] = p->c[r];
    for (int i = 0; i < w->m; i++) y[i] = p->c[w->rays + i];
    multipliers(w, y, w->out->x);
    w->out->c = w->out->bound = INFINITY;
    return STI_OK;
}

static sti_status measure(work* w) {
    const sti_friction_cone* k = w->cone;
    sti_pointedness p;
    const sti_rows rays = {.count = w->rays, .dimension = w->s, .value = w->g};
    const sti_rows lines = {.count = w->m, .dimension = w->s, .value = k->joints};
    sti_status status = sti_rows_pointedness(w->env, w->s, &rays, &lines, NULL, &p);
    if (status != STI_OK) return status;
    w->out->pointed = p.pointed;
    w->out->margin = p.margin;
    w->out->u = p.x;
    p.x = NULL;
    if (!w->out->pointed) {
        status = settle_flat(w, &p);
    } else if (w->m + w->rays > 0) {
        status = make_pencil(w);
        double* z = sti_arena_doubles(&w->pool, (size_t)w->s);
        if (status == STI_OK) status = w->pool.status;
        if (status == STI_OK) {
            w->best = INFINITY;
            status = look_at_faces(w);
            w->out->c = ratio(w, z);
            w->out->bound = w->out->all_faces ? w->out->c * (1 + 1e-9) : fmax(w->out->c, bound_by_u(w));
        }
    }
    sti_pointedness_clear(w->env, &p);
    return status;
}

sti_status sti_friction_cone_measure(sti_env* env, const sti_friction_cone* cone, sti_friction_cone_margin* out) {
    *out = (sti_friction_cone_margin){0};
    sti_status status = check(env, cone);
    if (status != STI_OK) return status;
    work w = {.env = env,
              .pool = sti_arena_make(env),
              .cone = cone,
              .out = out,
              .s = cone->dimension,
              .m = cone->joint_count};
    out->count = w.m + cone->contact_count + (cone->contact_count > 0 ? cone->direction[cone->contact_count] : 0);
    out->x = sti_alloc_array_zero(env, (size_t)out->count + 1, sizeof *out->x);
    status = out->x != NULL ? make_generators(&w) : STI_ERR_MEMORY;
    if (status == STI_OK) status = measure(&w);
    sti_arena_clear(&w.pool);
    if (status != STI_OK) sti_friction_cone_margin_clear(env, out);
    return status;
}

void sti_friction_cone_margin_clear(sti_env* env, sti_friction_cone_margin* margin) {
    sti_free(env, margin->u);
    sti_free(env, margin->x);
    *margin = (sti_friction_cone_margin){0};
}
