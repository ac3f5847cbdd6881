// project.c: where a point lies relative to a cone: Euclidean projection, distance, the face that is violated.
//
// Projection. With unit rays u_j orthogonal to an orthonormal basis B of the lines, the nearest point of the cone is
//
//     p = B B'x + sum z_j u_j,     z = arg min { | (x - B B'x) - sum z_j u_j | : z >= 0 },
//
// nonnegative least squares, solved by the active set method of Lawson & Hanson 1974, ch. 23: rays enter by the largest
// product with the residual, and leave when the least squares solution on the entered ones would need them negatively.
// It is finished when no product is positive: that, with z >= 0 and the residual orthogonal to p, is the optimality
// condition, so the result is the projection up to rounding.
//
// Moreau: x = P_C x + P_C° x, the two parts orthogonal. The polar has the facets as rays, so the work is done on the
// side with fewer rows.
//
// Cost. Each step makes a QR factorization (Gram-Schmidt, twice) of at most d vectors anew: m d + d^3 for m rays.
//
//  D1. A ray whose part outside the span of the entered ones is below 1e-13 is passed over, as is one whose own
//      coefficient comes out negative: both mean that its product with the residual was rounding. (Lawson & Hanson test
//      the second.)
#include <float.h>
#include <math.h>
#include <string.h>

#include "cones/polycone.h"
#include "linalg/vector.h"

typedef struct nnls {
    int d;
    int m;
    const double* u;        // unit rays                                    (m x d)
    double* b;              // what is to be approximated                   (d)
    double* p;              // approximation                                (d)
    double* Q;              // orthonormal basis of the entered rays         (d x d)
    double* R;              // entered ray i = sum_k R_ik q_k, k <= i        (d x d)
    double* z;              // coefficients of the entered rays              (d)
    double* s;              // least squares solution on them                (d)
    int* entered;           // rays                                          (d)
    int count;              // how many
    unsigned char* barred;  // entered, or passed over at this residual       (m)
} nnls;

static void add_scaled(double* a, double t, const double* b, int d) {
    for (int j = 0; j < d; j++) a[j] += t * b[j];
}

// Row i of Q and R from the entered ray i. False: it lies in the span of the others.
static bool factor_ray(nnls* k, int i) {
    const int d = k->d;
    double *q = k->Q + (size_t)i * (size_t)d, *Ri = k->R + (size_t)i * (size_t)d;
    memcpy(q, k->u + (size_t)k->entered[i] * (size_t)d, (size_t)d * sizeof *q);
    for (int c = 0; c < i; c++) Ri[c] = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int c = 0; c < i; c++) {
            const double t = sti_vector_dot((size_t)d, q, k->Q + (size_t)c * (size_t)d);
            Ri[c] += t;
            add_scaled(q, -t, k->Q + (size_t)c * (size_t)d, d);
        }
    }
    Ri[i] = sqrt(sti_vector_dot((size_t)d, q, q));
    if (Ri[i] < 1e-13) return false;
    for (int j = 0; j < d; j++) q[j] /= Ri[i];
    return true;
}

// s = least squares solution on the entered rays, whose rows of Q and R stand: R' s = Q b.
static void solve(nnls* k) {
    const size_t d = (size_t)k->d;
    for (int i = k->count - 1; i >= 0; i--) {
        double t = sti_vector_dot((size_t)k->d, k->Q + (size_t)i * d, k->b);
        for (int c = i + 1; c < k->count; c++) t -= k->R[(size_t)c * d + (size_t)i] * k->s[c];
        k->s[i] = t / k->R[(size_t)i * d + (size_t)i];
    }
}

// The ray with the largest product with the residual above tol, -1 when there is none.
static int entering_ray(const nnls* k, double tol) {
    int best = -1;
    double largest = tol;
    for (int j = 0; j < k->m; j++) {
        if (k->barred[j]) continue;
        const double* u = k->u + (size_t)j * (size_t)k->d;
        double w = 0;
        for (int c = 0; c < k->d; c++) w += u[c] * (k->b[c] - k->p[c]);
        if (w > largest) {
            largest = w;
            best = j;
        }
    }
    return best;
}

// Move z towards s as far as it stays nonnegative; what reaches zero leaves.
static void step_back(nnls* k) {
    double alpha = 1;
    int blocking = -1;
    for (int i = 0; i < k->count; i++) {
        if (k->s[i] > 0) continue;
        const double ratio = k->z[i] / (k->z[i] - k->s[i]);
        if (blocking < 0 || ratio < alpha) {
            alpha = ratio;
            blocking = i;
        }
    }
    int kept = 0;
    for (int i = 0; i < k->count; i++) {
        const double z = k->z[i] + alpha * (k->s[i] - k->z[i]);
        if (i == blocking || z <= 0) {
            k->barred[k->entered[i]] = 0;
            continue;
        }
        k->entered[kept] = k->entered[i];
        k->z[kept++] = z;
    }
    k->count = kept;
    for (int i = 0; i < kept; i++) factor_ray(k, i);
}

static bool any_nonpositive(const double* s, int count) {
    for (int i = 0; i < count; i++) {
        if (s[i] <= 0) return true;
    }
    return false;
}

// Ray j enters. False: passed over (D1).
static bool enter(nnls* k, int j) {
    k->entered[k->count] = j;
    k->z[k->count] = 0;
    if (!factor_ray(k, k->count)) return false;
    k->count++;
    solve(k);
    if (k->s[k->count - 1] <= 0) {
        k->count--;
        return false;
    }
    return true;
}

static bool iterate(nnls* k, double size) {
    const double tol = 4 * DBL_EPSILON * (k->d + 4) * size;
    for (int64_t steps = 0; steps < 20 * ((int64_t)k->m + k->d) + 200; steps++) {
        const int j = entering_ray(k, tol);
        if (j < 0) return true;
        k->barred[j] = 1;
        if (k->count == k->d || !enter(k, j)) continue;
        while (any_nonpositive(k->s, k->count)) {
            step_back(k);
            solve(k);
        }
        memcpy(k->z, k->s, (size_t)k->count * sizeof *k->z);
        memset(k->p, 0, (size_t)k->d * sizeof *k->p);
        for (int i = 0; i < k->count; i++) {
            const double* q = k->Q + (size_t)i * (size_t)k->d;
            add_scaled(k->p, sti_vector_dot((size_t)k->d, q, k->b), q, k->d);
        }
        memset(k->barred, 0, (size_t)k->m);
        for (int i = 0; i < k->count; i++) k->barred[k->entered[i]] = 1;
    }
    return false;
}

// p = projection of x on the cone whose rays and lines are those of one side.
static sti_status project_on_side(const sti_polycone* cone, int side, const double* x, double* p) {
    sti_env* env = cone->env;
    const int d = cone->d, m = cone->rays[side].count;
    const size_t n = (size_t)d;
    double* work = sti_alloc_array_zero(env, 2 * n * n + 4 * n, sizeof *work);
    int* entered = sti_alloc_array(env, n, sizeof *entered);
    unsigned char* barred = sti_alloc_array_zero(env, (size_t)m, sizeof *barred);
    sti_status status = STI_OK;
    if (work == NULL || entered == NULL || barred == NULL) {
        status = STI_ERR_MEMORY;
    } else {
        nnls k = {
            .d = d, .m = m, .u = cone->rays[side].unit, .b = work, .p = work + n, .z = work + 2 * n, .s = work + 3 * n};
        k.Q = work + 4 * n;
        k.R = k.Q + n * n;
        k.entered = entered;
        k.barred = barred;
        memcpy(k.b, x, n * sizeof *x);
        for (int pass = 0; pass < 2; pass++) {  // the second pass takes away the rounding of the first
            for (int i = 0; i < cone->lines[side].count; i++) {
                const double* l = cone->basis[side] + (size_t)i * n;
                add_scaled(k.b, -sti_vector_dot((size_t)d, l, k.b), l, d);
            }
        }
        for (int j = 0; j < d; j++) p[j] = x[j] - k.b[j];
        if (iterate(&k, sqrt(sti_vector_dot((size_t)d, x, x))))
            add_scaled(p, 1, k.p, d);
        else
            status = STI_FAIL(env, STI_ERR_INTERNAL, -1, "projection on a cone with %d rays does not settle", m);
    }
    sti_free(env, work);
    sti_free(env, entered);
    sti_free(env, barred);
    return status;
}

static sti_status check_point(const sti_polycone* cone, const double* x) {
    for (int j = 0; j < cone->d; j++) {
        if (!isfinite(x[j])) return STI_FAIL(cone->env, STI_ERR_ARGUMENT, j, "entry %d of the point is %g", j, x[j]);
    }
    return STI_OK;
}

// Power of two that brings the largest entry below 1.
static int point_exponent(const double* x, int d) {
    double largest = 0;
    int exponent = 0;
    for (int j = 0; j < d; j++) largest = fmax(largest, fabs(x[j]));
    frexp(largest, &exponent);
    return exponent;
}

sti_status sti_polycone_project(const sti_polycone* cone, const double* x, double* p) {
    sti_env* env = cone->env;
    const int d = cone->d;
    sti_status status = check_point(cone, x);
    if (status != STI_OK) return status;
    double* scaled = sti_alloc_array(env, (size_t)d, sizeof *scaled);
    if (scaled == NULL) return STI_ERR_MEMORY;
    const int exponent = point_exponent(x, d);
    for (int j = 0; j < d; j++) scaled[j] = ldexp(x[j], -exponent);
    const bool span = cone->rays[STI_SIDE_SPAN].count <= cone->rays[STI_SIDE_FACE].count;
    status = project_on_side(cone, span ? STI_SIDE_SPAN : STI_SIDE_FACE, scaled, p);
    for (int j = 0; status == STI_OK && j < d; j++) p[j] = ldexp(span ? p[j] : scaled[j] - p[j], exponent);
    sti_free(env, scaled);
    return status;
}

// Membership ----------------------------------------------------------------------------------------------------------

// Sign of the product of the integer row of an exact table with the integer point.
static int exact_sign(sti_exact* e, const sti_rationals* rows, size_t first, const sti_int* x, int d, sti_int* value) {
    sti_int_set_i64(e, value, 0);
    for (int j = 0; j < d; j++) sti_int_addmul(e, value, &rows->num[first + (size_t)j], &x[j]);
    return sti_int_sign(value);
}

// Exact cone: x is taken as the binary fraction that it is, and no face may be violated at all.
static sti_status inside_exact(const sti_polycone* cone, const double* x, bool* inside) {
    sti_exact e;
    sti_int value = {0};
    sti_exact_init(&e, cone->env);
    sti_int* z = sti_int_array(&e, (size_t)cone->d);
    if (z != NULL) sti_int_row_from_doubles(&e, z, x, (size_t)cone->d, 1, NULL, NULL);
    const sti_cone_table *F = &cone->rays[STI_SIDE_FACE], *E = &cone->lines[STI_SIDE_FACE];
    *inside = true;
    for (int i = 0; i < F->count && *inside && e.status == STI_OK; i++)
        *inside = exact_sign(&e, F->exact, (size_t)i * (size_t)cone->d, z, cone->d, &value) <= 0;
    for (int i = 0; i < E->count && *inside && e.status == STI_OK; i++)
        *inside = exact_sign(&e, E->exact, (size_t)i * (size_t)cone->d, z, cone->d, &value) == 0;
    const sti_status status = e.status;
    sti_int_array_free(cone->env, z, (size_t)cone->d);
    sti_int_clear(cone->env, &value);
    sti_exact_clear(&e);
    return status;
}

// Largest violation F x / |F| and its facet (-1 - k: equation k), and the same over facets alone, for a scaled point.
static void worst_face(const sti_polycone* cone, const double* x, int exponent, double* violation, double* nearest,
                       int* face, int* facet) {
    const sti_cone_table *F = &cone->rays[STI_SIDE_FACE], *E = &cone->lines[STI_SIDE_FACE];
    *violation = *nearest = -INFINITY;
    *face = *facet = -1;
    for (int i = 0; i < F->count + E->count; i++) {
        const bool is_facet = i < F->count;
        const double* f =
            is_facet ? F->unit + (size_t)i * (size_t)cone->d : E->unit + (size_t)(i - F->count) * (size_t)cone->d;
        double value = 0;
        for (int j = 0; j < cone->d; j++) value += f[j] * ldexp(x[j], -exponent);
        if (!is_facet) value = fabs(value);
        if (is_facet && value > *nearest) {
            *nearest = value;
            *facet = i;
        }
        if (value > *violation) {
            *violation = value;
            *face = is_facet ? i : -1 - (i - F->count);
        }
    }
}

sti_status sti_polycone_locate(const sti_polycone* cone, const double* x, sti_cone_point* out) {
    *out = (sti_cone_point){.distance = NAN, .slack = NAN, .face = -1};
    sti_status status = check_point(cone, x);
    if (status != STI_OK) return status;
    const int d = cone->d, exponent = point_exponent(x, d);
    double violation, nearest, size = 0;
    int face, facet;
    worst_face(cone, x, exponent, &violation, &nearest, &face, &facet);
    for (int j = 0; j < d; j++) size = hypot(size, ldexp(x[j], -exponent));
    out->inside = violation <= cone->options.tol * size;
    if (cone->exact) status = inside_exact(cone, x, &out->inside);
    if (status != STI_OK) return status;
    if (out->inside) {
        out->distance = 0;
        out->slack = ldexp(-nearest, exponent);
        out->face = facet;
        return STI_OK;
    }
    out->face = face;
    double* p = sti_alloc_array(cone->env, (size_t)d, sizeof *p);
    if (p == NULL) return STI_ERR_MEMORY;
    status = sti_polycone_project(cone, x, p);
    if (status == STI_OK) {
        double distance = 0;
        for (int j = 0; j < d; j++) distance = hypot(distance, x[j] - p[j]);
        out->distance = distance;
    }
    sti_free(cone->env, p);
    return status;
}
