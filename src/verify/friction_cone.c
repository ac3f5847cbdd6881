// friction_cone.c: the check of pointedness and its measures, from the cone and the claim alone.
//
// The bound, where all faces were searched. Multipliers x = (c_nu, S y), y >= 0. c_FC <= bound means
//
//     q(c_nu, y) = |A x|^2 - |x|^2 / bound^2 >= 0 for all c_nu and all y >= 0.
//
// The joints' block nu'nu - I / bound^2 must be positive definite; its Schur complement R must be copositive. That is
// shown by subdividing the simplex: on one with the vertices v_i the form is a sum of (v_i'R v_j) with nonnegative
// weights, so it is not negative when these numbers are not; else the simplex is halved at the edge with the most
// negative one (Bundfuss & Duer 2008). Just below the least quotient that would never end, so the bound is taken 1e-6
// larger.
#include <math.h>
#include <stdio.h>
#include <stiction/pointed.h>
#include <string.h>

#include "base/arena.h"
#include "base/env.h"
#include "verify/check.h"

#define ROUNDING 1e-10
#define SLACK 1e-6

typedef struct claim {
    sti_arena memory;
    sti_env* env;
    const sti_friction_cone* k;
    const sti_friction_cone_margin* f;
    int s, m, p, directions, rays;
    double* z;       // (s)
    double* coef;    // multipliers (c_n, beta) of the generators     (rays x (p + directions))
    double* vector;  // their z                                       (rays x s)
    double* R;       // (rays x rays)
    long work, limit;
} claim;

static const double* row_of(const claim* c, int i) {
    const size_t s = (size_t)c->s;
    if (i < c->m) return c->k->joints + (size_t)i * s;
    i -= c->m;
    return i < c->p ? c->k->normals + (size_t)i * s : c->k->directions + (size_t)(i - c->p) * s;
}

// |z| of the claimed multipliers, and the size of its terms.
static double length_of(claim* c, double* terms) {
    memset(c->z, 0, (size_t)c->s * sizeof *c->z);
    *terms = 0;
    for (int i = 0; i < c->f->count; i++) {
        const double* row = row_of(c, i);
        for (int j = 0; j < c->s; j++) c->z[j] += c->f->x[i] * row[j];
        *terms = fmax(*terms, fabs(c->f->x[i]) * sqrt(sti_check_sum(c->s, row, row)));
    }
    return sqrt(sti_check_sum(c->s, c->z, c->z));
}

static bool are_multipliers(const claim* c) {
    double size = 0;
    for (int i = 0; i < c->f->count; i++) size = hypot(size, c->f->x[i]);
    if (!(fabs(size - 1) <= ROUNDING)) return false;
    for (int j = 0; j < c->p; j++) {
        const double c_n = c->f->x[c->m + j];
        double sum = 0;
        for (int d = c->k->direction[j]; d < c->k->direction[j + 1]; d++) {
            const double beta = c->f->x[c->m + c->p + d];
            if (beta < 0) return false;
            sum += beta;
        }
        if (c_n < 0 || sum > c->k->mu[j] * c_n + ROUNDING) return false;
    }
    return true;
}

static sti_status make_generators(claim* c) {
    const int width = c->p + c->directions, most = c->p + c->directions;
    c->memory = sti_arena_make(c->env);
    c->z = sti_arena_take(&c->memory, (size_t)c->s, sizeof *c->z);
    c->coef = sti_arena_take(&c->memory, (size_t)most * (size_t)width + 1, sizeof *c->coef);
    c->vector = sti_arena_take(&c->memory, (size_t)most * (size_t)c->s + 1, sizeof *c->vector);
    if (c->memory.status != STI_OK) return c->memory.status;
    for (int j = 0; j < c->p; j++) {
        for (int d = c->k->direction[j] - 1; d < c->k->direction[j + 1]; d++) {
            if (d >= c->k->direction[j] && c->k->mu[j] == 0) continue;
            double *a = c->coef + (size_t)c->rays * (size_t)width, *v = c->vector + (size_t)c->rays * (size_t)c->s;
            a[j] = 1;
            if (d >= c->k->direction[j]) a[c->p + d] = c->k->mu[j];
            for (int i = 0; i < width; i++) {
                for (int l = 0; l < c->s; l++) v[l] += a[i] * row_of(c, c->m + i)[l];
            }
            c->rays++;
        }
    }
    return STI_OK;
}

static const char* check_u(const claim* c) {
    const double* u = c->f->u;
    for (int j = 0; j < c->s; j++) {
        if (!(fabs(u[j]) <= 1 + ROUNDING)) return "|u| is larger than 1";
    }
    for (int i = 0; i < c->m; i++) {
        const double* row = row_of(c, i);
        if (fabs(sti_check_sum(c->s, row, u)) > ROUNDING * sqrt(sti_check_sum(c->s, row, row)))
            return "u has a part along a joint";
    }
    for (int r = 0; r < c->rays; r++) {
        const double* g = c->vector + (size_t)r * (size_t)c->s;
        if (sti_check_sum(c->s, g, u) < c->f->margin - ROUNDING * sqrt(sti_check_sum(c->s, g, g)))
            return "a generator is short of the margin";
    }
    return NULL;
}

// ---- the bound

// R: the form on y, the joints minimized out; false: their block is not definite.
static bool make_form(claim* c, double level, double* T) {
    const int m = c->m, n = c->m + c->rays, width = c->p + c->directions;
    for (int i = 0; i < n; i++) {
        const double* a = i < m ? row_of(c, i) : c->vector + (size_t)(i - m) * (size_t)c->s;
        for (int j = 0; j < n; j++) {
            const double* b = j < m ? row_of(c, j) : c->vector + (size_t)(j - m) * (size_t)c->s;
            double own = i == j;
            if (i >= m && j >= m)
                own = sti_check_sum(width, c->coef + (size_t)(i - m) * (size_t)width,
                                    c->coef + (size_t)(j - m) * (size_t)width);
            else if (i >= m || j >= m)
                own = 0;
            T[(size_t)i * (size_t)n + (size_t)j] = sti_check_sum(c->s, a, b) - level * own;
        }
    }
    for (int l = 0; l < m; l++) {
        const double pivot = T[(size_t)l * (size_t)n + (size_t)l];
        if (!(pivot > 0)) return false;
        for (int i = l + 1; i < n; i++) {
            const double f = T[(size_t)i * (size_t)n + (size_t)l] / pivot;
            for (int j = l; j < n; j++)
                T[(size_t)i * (size_t)n + (size_t)j] -= f * T[(size_t)l * (size_t)n + (size_t)j];
        }
    }
    for (int i = 0; i < c->rays; i++) {
        for (int j = 0; j < c->rays; j++)
            c->R[(size_t)i * (size_t)c->rays + (size_t)j] = T[(size_t)(m + i) * (size_t)n + (size_t)(m + j)];
    }
    return true;
}

// Is the form with the matrix Q (of a simplex' vertices) nonnegative on it? room: for the matrices of the halves, depth
// many.
static bool is_copositive(claim* c, double* Q, int depth, double* room) {
    const int n = c->rays;
    const size_t size = (size_t)n * (size_t)n;
    int a = -1, b = -1;
    double worst = -1e-14;
    for (int i = 0; i < n; i++) {
        if (Q[(size_t)i * (size_t)n + (size_t)i] < 0) return false;
        for (int j = 0; j < i; j++) {
            const double x = Q[(size_t)i * (size_t)n + (size_t)j];
            if (x >= worst) continue;
            worst = x;
            a = i;
            b = j;
        }
    }
    if (a < 0) return true;
    if (depth == 0 || ++c->work > c->limit || (c->work % 256 == 0 && sti_late(c->env))) {
        c->work = c->limit + 1;
        return false;
    }
    for (int half = 0; half < 2; half++) {  // one end of the edge moves to its middle
        const int moved = half == 0 ? a : b, other = half == 0 ? b : a;
        double* H = room;
        memcpy(H, Q, size * sizeof *H);
        for (int j = 0; j < n; j++)
            H[(size_t)moved * (size_t)n + (size_t)j] =
                0.5 * (Q[(size_t)moved * (size_t)n + (size_t)j] + Q[(size_t)other * (size_t)n + (size_t)j]);
        for (int i = 0; i < n; i++) H[(size_t)i * (size_t)n + (size_t)moved] = H[(size_t)moved * (size_t)n + (size_t)i];
        H[(size_t)moved * (size_t)n + (size_t)moved] =
            0.25 * (Q[(size_t)a * (size_t)n + (size_t)a] + Q[(size_t)b * (size_t)n + (size_t)b]) +
            0.5 * Q[(size_t)a * (size_t)n + (size_t)b];
        if (!is_copositive(c, H, depth - 1, room + size)) return false;
    }
    return true;
}

static sti_status check_faces(claim* c, sti_friction_cone_verification* out, const char** why) {
    enum { DEPTH = 60 };
    const size_t rays = (size_t)c->rays, n = (size_t)c->m + rays;
    const double bound = c->f->bound * (1 + SLACK);
    c->R = sti_alloc_array(c->env, (DEPTH + 2) * rays * rays + 1, sizeof *c->R);
    double* T = sti_alloc_array(c->env, n * n + 1, sizeof *T);
    if (c->R == NULL || T == NULL) {
        sti_free(c->env, T);
        return STI_ERR_MEMORY;
    }
    const bool definite = make_form(c, 1 / (bound * bound), T);
    const bool fine = definite && is_copositive(c, c->R, DEPTH, c->R + rays * rays);
    out->bound_checked = c->work <= c->limit;
    if (!fine && out->bound_checked) *why = "some multipliers are larger than bound times |z|";
    sti_free(c->env, T);
    return STI_OK;
}

// sum y <= |u| |z| / margin; see the essay of the analysis. sigma: by a bound from below, 1 / |nu^+| <= sigma, with the
// Cholesky pivots of nu'nu: det / (trace / (m - 1))^(m - 1) is no larger than its least eigenvalue.
static const char* check_inequality(const claim* c, double* T) {
    double gamma = 0, rho = 0, length = sqrt(sti_check_sum(c->s, c->f->u, c->f->u)), determinant = 1, trace = 0;
    for (int r = 0; r < c->rays; r++) {
        const int width = c->p + c->directions;
        const double *a = c->coef + (size_t)r * (size_t)width, *g = c->vector + (size_t)r * (size_t)c->s;
        gamma = fmax(gamma, sqrt(sti_check_sum(width, a, a)));
        rho = fmax(rho, sqrt(sti_check_sum(c->s, g, g)));
    }
    const double sum = c->rays > 0 ? length / c->f->margin : 0;
    if (c->m == 0) return c->f->bound >= gamma * sum * (1 - ROUNDING) ? NULL : "the bound does not follow from u";
    for (int i = 0; i < c->m; i++) {
        for (int j = 0; j < c->m; j++) T[i * c->m + j] = sti_check_sum(c->s, row_of(c, i), row_of(c, j));
        trace += T[i * c->m + i];
    }
    for (int l = 0; l < c->m; l++) {
        determinant *= T[l * c->m + l];
        if (!(T[l * c->m + l] > 0)) return "the joints are dependent";
        for (int i = l + 1; i < c->m; i++) {
            const double f = T[i * c->m + l] / T[l * c->m + l];
            for (int j = l; j < c->m; j++) T[i * c->m + j] -= f * T[l * c->m + j];
        }
    }
    const double least = c->m == 1 ? trace : determinant / pow(trace / (c->m - 1), c->m - 1);
    const double most = hypot(gamma * sum, (1 + rho * sum) / sqrt(least));
    return c->f->bound >= most * (1 - ROUNDING) ? NULL : "";  // "": not shown by this simple inequality
}

static sti_status judge(claim* c, sti_friction_cone_verification* out, const char** why) {
    double terms;
    if (c->f->x == NULL || c->f->count != c->m + c->p + c->directions) {
        *why = "multipliers of another number";
        return STI_OK;
    }
    if (c->f->count == 0) {
        out->bound_checked = true;
        return STI_OK;
    }
    if (!are_multipliers(c)) {
        *why = "x are no multipliers of length one";
        return STI_OK;
    }
    const double length = length_of(c, &terms);
    if (!c->f->pointed) {
        out->bound_checked = true;
        if (!(length <= 1e-8 * terms)) *why = "the multipliers do not cancel";
        return STI_OK;
    }
    *why = c->f->u == NULL ? "u is missing" : check_u(c);
    if (*why == NULL && !(fabs(c->f->c * length - 1) <= 1e-8)) *why = "|x| / |z| is not c";
    if (*why == NULL && !(c->f->bound >= c->f->c * (1 - ROUNDING))) *why = "bound is below c";
    if (*why != NULL) return STI_OK;
    if (c->f->all_faces) return check_faces(c, out, why);
    double* T = sti_alloc_array(c->env, (size_t)c->m * (size_t)c->m + 1, sizeof *T);
    if (T == NULL) return STI_ERR_MEMORY;
    const char* said = check_inequality(c, T);
    out->bound_checked = said == NULL;
    if (said != NULL && said[0] != '\0') *why = said;
    sti_free(c->env, T);
    return STI_OK;
}

sti_status sti_verify_friction_cone(sti_env* env, const sti_friction_cone* cone, const sti_friction_cone_margin* margin,
                                    long work_limit, sti_friction_cone_verification* out) {
    *out = (sti_friction_cone_verification){0};
    claim c = {.env = env,
               .k = cone,
               .f = margin,
               .s = cone->dimension,
               .m = cone->joint_count,
               .p = cone->contact_count,
               .directions = cone->contact_count > 0 ? cone->direction[cone->contact_count] : 0,
               .limit = work_limit};
    const char* why = NULL;
    sti_status status = make_generators(&c);
    if (status == STI_OK) status = judge(&c, out, &why);
    out->accepted = status == STI_OK && why == NULL;
    snprintf(out->text, sizeof out->text, "%s",
             why != NULL          ? why
             : out->bound_checked ? "multipliers, margin and bound hold"
                                  : "multipliers and margin hold, the bound was not checked");
    sti_arena_clear(&c.memory);
    sti_free(env, c.R);
    return status;
}
