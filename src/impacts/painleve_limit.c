// painleve_limit.c: the contact LCP (26) where M is singular.
//
// Joints first. Y is a basis of the velocities they allow, M_Y = Y M Y'. If M_Y is regular, M_b^-1 = Y'M_Y^-1 Y is all
// that (26) needs, and nothing is missing. If its kernel is one direction z (S1 4.1 with k = 0, a body without moment
// of inertia), M is taken as the limit of M + eps z z', eps -> 0. Then M_b^-1 = z z'/eps + M# + O(eps), and with n_z =
// n'z, t_z = t'z
//
//     contact with n_z != 0:   |n| = |n_z| / sqrt(eps) + ..,   n_q'H_T / |n_j| -> sgn(n_z,i) t_z,j / |n_z,j|
//     contact with n_z = 0:    as with M#;  the two kinds do not couple in the limit
//
// so D has a limit, and where all n_z != 0 it does not depend on which mass goes to zero along z. There is none when a
// contact with n_z = 0 and t_z != 0 stands beside one with n_z != 0: its friction moves the other without bound. Nor
// have two directions: how they get their masses matters. norm and n_H are told with the factor sqrt(eps) left out at
// contacts with n_z != 0; G, N and D need none. b_i is -n_z F_z / |n_z| where F pushes along z (times 1 / sqrt(eps),
// which no sign depends on), and otherwise the gap's acceleration itself.
//
// Which directions can slip together, and how, is a question of geometry: it is asked with a regular mass in place of
// M.
//
// What counts as no mass, and as a part of a gradient, is judged in units (massless.h); |z| = 1 in those given.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "impacts/massless.h"
#include "impacts/painleve_matrix.h"
#include "linalg/svd.h"

#define ZERO_MASS 1e-13  // of the largest mass, in units
#define ALONG 1e-9       // part of a gradient along z

typedef struct limit {
    sti_env* env;
    sti_arena pool;
    const sti_instant* instant;
    sti_instant in;    // the same in units, and so are Y, M#, z and a0
    double* unit;      // (n)
    double z_size;     // |z| in units
    sti_space* space;  // with the regular mass
    sti_painleve_matrix* k;
    int n, p;
    double* Y;  // velocities that the joints allow, orthonormal rows      (free x n)
    int free;
    double* sharp;  // M#                                                       (n x n)
    double* z;      // NULL: the joints leave no massless direction             (n)
    double* a0;     // acceleration without contact forces, apart from z        (n)
    double force;   // z'F
    bool mixed;
} limit;

static const sti_instant_contact* contact_of(const limit* w, int i) {
    return &w->in.contacts[w->space->contact[i]];
}

// A basis of what the joints allow, and an acceleration that they ask for.
static sti_status free_joints(limit* w) {
    const size_t n = (size_t)w->n, m = (size_t)w->space->m;
    w->Y = sti_arena_doubles(&w->pool, n * n);
    w->a0 = sti_arena_doubles(&w->pool, n);
    double* B = sti_arena_doubles(&w->pool, m * n + 1);
    double* rate = sti_arena_doubles(&w->pool, m + 1);
    if (w->pool.status != STI_OK) return w->pool.status;
    for (size_t i = 0; i < m; i++) {
        const sti_instant_contact* c = &w->in.contacts[w->space->joint[i]];
        const double length = sti_small_norm(w->n, c->n), size = length > 0 ? length : 1;
        for (size_t j = 0; j < n; j++) B[i * n + j] = c->n[j] / size;
        rate[i] = -c->n_rate / size;
    }
    w->free = w->n;
    if (m == 0) {
        for (size_t j = 0; j < n; j++) w->Y[j * n + j] = 1;
        return STI_OK;
    }
    sti_svd f;
    const sti_status status = sti_svd_make(&w->pool, (int)m, w->n, B, STI_SMALL_RANK_TOL, &f);
    if (status != STI_OK) return status;
    w->free = w->n - f.rank;
    for (int j = 0; j < w->free; j++) memcpy(w->Y + (size_t)j * n, sti_svd_kernel(&f, j), n * sizeof *w->Y);
    sti_svd_solve(&f, rate, w->a0);
    return STI_OK;
}

// M# and z.
static sti_status split_mass(limit* w) {
    const size_t n = (size_t)w->n, r = (size_t)w->free;
    double* MY = sti_arena_doubles(&w->pool, r * n + 1);
    double* reduced = sti_arena_doubles(&w->pool, r * r + 1);
    double* V = sti_arena_doubles(&w->pool, r * r + 1);
    double* e = sti_arena_doubles(&w->pool, r + 1);
    double* x = sti_arena_doubles(&w->pool, n);
    w->sharp = sti_arena_doubles(&w->pool, n * n);
    if (w->pool.status != STI_OK) return w->pool.status;
    sti_small_multiply(w->free, w->n, w->n, w->Y, w->in.M, MY);
    sti_small_multiply_nt(w->free, w->n, w->free, MY, w->Y, reduced);
    const sti_status status = sti_small_eigen(&w->pool, w->free, reduced, e, V);
    if (status != STI_OK) return status;
    const double zero = ZERO_MASS * sti_small_max(n * n, w->in.M);
    int massless = 0;
    for (int l = 0; l < w->free; l++) {
        sti_small_multiply(1, w->free, w->n, V + (size_t)l * r, w->Y, x);
        if (e[l] <= zero) {
            massless++;
            w->z = sti_arena_copy(&w->pool, x, n);
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) w->sharp[i * n + j] += x[i] * x[j] / e[l];
        }
    }
    double size = 0;
    for (size_t j = 0; w->z != NULL && j < n; j++) size = hypot(size, w->z[j] * w->unit[j]);
    for (size_t j = 0; w->z != NULL && j < n; j++) w->z[j] /= size;
    w->z_size = size > 0 ? 1 / size : 1;
    if (massless > 1)
        return STI_FAIL(w->env, STI_ERR_INPUT, -1,
                        "M: no mass in %d directions that the joints allow: the limit depends on how they get theirs",
                        massless);
    return w->pool.status;
}

// a0 += M#(-F - M a0)
static sti_status accelerate(limit* w) {
    double* f = sti_arena_doubles(&w->pool, (size_t)w->n);
    double* a = sti_arena_doubles(&w->pool, (size_t)w->n);
    if (w->pool.status != STI_OK) return w->pool.status;
    sti_small_multiply(w->n, w->n, 1, w->in.M, w->a0, f);
    for (int j = 0; j < w->n; j++) f[j] = -f[j] - w->in.F[j];
    sti_small_multiply(w->n, w->n, 1, w->sharp, f, a);
    for (int j = 0; j < w->n; j++) w->a0[j] += a[j];
    w->force = w->z != NULL ? sti_small_dot(w->n, w->z, w->in.F) : 0;
    if (fabs(w->force) <= 1e-12 * w->z_size * sti_small_norm(w->n, w->in.F)) w->force = 0;
    return STI_OK;
}

static double form(const limit* w, const double* x, const double* y) {
    double sum = 0;
    for (int i = 0; i < w->n; i++) {
        for (int j = 0; j < w->n; j++) sum += x[i] * w->sharp[(size_t)i * (size_t)w->n + (size_t)j] * y[j];
    }
    return sum;
}

// The parts of each contact along z; t: its tangent along the direction of slip (p x n).
static sti_status look_at_contacts(limit* w, double* t, double* n_z, double* t_z) {
    const size_t n = (size_t)w->n;
    for (int i = 0; i < w->p; i++) {
        const sti_instant_contact* c = contact_of(w, i);
        double* row = t + (size_t)i * n;
        const double size = w->z_size * sti_small_norm(w->n, c->n);
        n_z[i] = w->z != NULL ? sti_small_dot(w->n, w->z, c->n) : 0;
        if (fabs(n_z[i]) <= ALONG * size) n_z[i] = 0;
        double* u = w->k->direction + 2 * (size_t)i;
        if (w->p == 1 && c->tangent_count == 2 && w->k->slip[0] == 0 &&
            n_z[i] != 0) {  // the worst direction is along z
            const double a = sti_small_dot(w->n, w->z, c->t), b = sti_small_dot(w->n, w->z, c->t + n),
                         both = hypot(a, b);
            u[0] = both > 0 ? a / both : 1;
            u[1] = both > 0 ? b / both : 0;
        }
        for (int l = 0; l < c->tangent_count; l++) {
            for (size_t j = 0; j < n; j++) row[j] += u[l] * c->t[(size_t)l * n + j];
        }
        t_z[i] = w->z != NULL ? sti_small_dot(w->n, w->z, row) : 0;
        if (fabs(t_z[i]) <= ALONG * w->z_size * sti_small_norm(w->n, row)) t_z[i] = 0;
        w->space->norm[i] = n_z[i] != 0 ? fabs(n_z[i]) : sqrt(fmax(0, form(w, c->n, c->n)));
        if (!(w->space->norm[i] > 0))
            return STI_FAIL(w->env, STI_ERR_INPUT, i, "contact %s cannot move: the joints hold it", c->name);
    }
    return STI_OK;
}

// Friction that moves z at a contact whose gap does not acts without bound on the gaps that do.
static sti_status check_friction(const limit* w, const double* n_z, const double* t_z) {
    for (int i = 0; i < w->p; i++) {
        for (int j = 0; j < w->p; j++) {
            if (n_z[i] != 0 && n_z[j] == 0 && t_z[j] != 0)
                return STI_FAIL(w->env, STI_ERR_INPUT, j,
                                "M: friction of contact %s moves a direction without mass, and with it %s: no limit",
                                contact_of(w, j)->name, contact_of(w, i)->name);
        }
    }
    return STI_OK;
}

static sti_status fill(limit* w) {
    const size_t n = (size_t)w->n, p = (size_t)w->p;
    double* t = sti_arena_doubles(&w->pool, p * n + 1);
    double *n_z = sti_arena_doubles(&w->pool, p + 1), *t_z = sti_arena_doubles(&w->pool, p + 1);
    sti_status status = w->pool.status;
    if (status == STI_OK) status = look_at_contacts(w, t, n_z, t_z);
    if (status == STI_OK) status = check_friction(w, n_z, t_z);
    for (int i = 0; status == STI_OK && i < w->p; i++) {
        const sti_instant_contact* c = contact_of(w, i);
        const double norm_i = w->space->norm[i], sign = n_z[i] > 0 ? 1 : -1;
        for (int j = 0; j < w->p; j++) {
            const size_t at = (size_t)i * p + (size_t)j;
            const double norm_j = w->space->norm[j];
            const bool both = n_z[i] != 0 && n_z[j] != 0, none = n_z[i] == 0 && n_z[j] == 0;
            w->mixed = w->mixed || (!both && !none);
            w->k->G[at] = i == j ? 1
                          : both ? sign * (n_z[j] > 0 ? 1 : -1)
                          : none ? form(w, c->n, contact_of(w, j)->n) / (norm_i * norm_j)
                                 : 0;
            w->k->n_H[at] = both ? sign * t_z[j] : none ? form(w, c->n, t + (size_t)j * n) / norm_i : 0;
            w->k->N[at] = w->k->n_H[at] / norm_j;
        }
        const double acceleration = c->n_rate + sti_small_dot(w->n, c->n, w->a0);
        w->k->b[i] = n_z[i] == 0 ? acceleration / norm_i : w->force != 0 ? -n_z[i] * w->force / norm_i : acceleration;
    }
    return status;
}

static bool joints_move(const sti_space* space) {
    for (int i = 0; i < space->m; i++) {
        if (space->joint_offset[i] != 0) return true;
    }
    return false;
}

static sti_status take_limit(limit* w, sti_painleve_limit* out) {
    if (joints_move(w->space))
        return STI_FAIL(w->env, STI_ERR_INPUT, -1, "M: not positive definite, and joints move by themselves");
    sti_status status = free_joints(w);
    if (status == STI_OK) status = split_mass(w);
    if (status == STI_OK) status = accelerate(w);
    if (status == STI_OK) status = fill(w);
    if (status != STI_OK) return status;
    *out = (sti_painleve_limit){.taken = true, .has_z = w->z != NULL, .pushed = w->force != 0, .mixed = w->mixed};
    for (int j = 0; w->z != NULL && w->n <= STI_PAINLEVE_Z && j < w->n; j++) out->z[j] = w->z[j] * w->unit[j];
    return STI_OK;
}

// M + c 1 in units, with c as large as M; the rest is borrowed.
static sti_status make_regular(limit* w, sti_instant* out) {
    const size_t n = (size_t)w->n;
    double* M = sti_arena_copy(&w->pool, w->instant->M, n * n);
    if (M == NULL) return w->pool.status;
    const double c = sti_small_max(n * n, w->in.M);
    for (size_t j = 0; j < n; j++) M[j * n + j] += (c > 0 ? c : 1) / (w->unit[j] * w->unit[j]);
    *out = *w->instant;
    out->M = M;
    out->exact = NULL;
    return STI_OK;
}

sti_status sti_painleve_read(sti_env* env, const sti_instant* instant, sti_space_choice choice, sti_space** space,
                             sti_painleve_matrix* k, sti_painleve_limit* limit_out) {
    *limit_out = (sti_painleve_limit){0};
    *space = NULL;
    sti_status status = sti_instant_check(env, instant);
    if (status != STI_OK) return status;
    status = sti_space_create(env, instant, choice, space);
    if (status == STI_OK) return sti_painleve_matrix_read(env, *space, k);
    if (status != STI_ERR_INPUT) return status;
    limit w = {.env = env, .pool = sti_arena_make(env), .instant = instant, .k = k, .n = instant->n};
    sti_instant regular;
    w.unit = sti_arena_doubles(&w.pool, (size_t)w.n);
    if (w.unit != NULL) sti_massless_units(instant, w.unit);
    status = w.unit != NULL ? sti_massless_scale(&w.pool, instant, w.unit, &w.in) : STI_ERR_MEMORY;
    if (status == STI_OK) status = make_regular(&w, &regular);
    if (status == STI_OK) status = sti_space_create(env, &regular, choice, space);
    if (status == STI_OK) status = sti_painleve_matrix_read(env, *space, k);
    if (status == STI_OK) {
        (*space)->instant = instant;
        w.space = *space;
        w.p = k->p;
        status = take_limit(&w, limit_out);
    }
    sti_arena_clear(&w.pool);
    return status;
}
