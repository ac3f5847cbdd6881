// friction_cone_of.c: the friction cones of instants and of contact problems.
#include <math.h>
#include <stiction/pointed.h>
#include <string.h>

#include "linalg/svd.h"

typedef struct owned_cone {
    sti_friction_cone k;  // first
    sti_arena pool;
    double *joints, *normals, *mu, *directions;
    int* direction;
} owned_cone;

static sti_status open_cone(sti_env* env, int dimension, int joints, int contacts, int tangents, owned_cone** out) {
    owned_cone* made = sti_alloc(env, sizeof *made);
    *out = NULL;
    if (made == NULL) return STI_ERR_MEMORY;
    *made = (owned_cone){.k = {.dimension = dimension}, .pool = sti_arena_make(env)};
    const size_t n = (size_t)dimension;
    made->joints = sti_arena_doubles(&made->pool, (size_t)joints * n);
    made->normals = sti_arena_doubles(&made->pool, (size_t)contacts * n);
    made->mu = sti_arena_doubles(&made->pool, (size_t)contacts);
    made->direction = sti_arena_ints(&made->pool, (size_t)contacts + 1);
    made->directions = sti_arena_doubles(&made->pool, 2 * (size_t)tangents * n);
    made->k.joints = made->joints;
    made->k.normals = made->normals;
    made->k.mu = made->mu;
    made->k.direction = made->direction;
    made->k.directions = made->directions;
    const sti_status status = made->pool.status;
    if (status == STI_OK)
        *out = made;
    else
        sti_friction_cone_destroy(env, &made->k);
    return status;
}

void sti_friction_cone_destroy(sti_env* env, sti_friction_cone* cone) {
    if (cone == NULL) return;
    owned_cone* made = (owned_cone*)cone;
    sti_arena_clear(&made->pool);
    sti_free(env, made);
}

// Rows are filled by the caller: those of a joint, of the next contact, of both senses of its tangent.
static double* next_joint(owned_cone* c) {
    return c->joints + (size_t)c->k.joint_count++ * (size_t)c->k.dimension;
}

static double* next_contact(owned_cone* c, double mu) {
    const int p = c->k.contact_count++;
    c->mu[p] = mu;
    c->direction[p + 1] = c->direction[p];
    return c->normals + (size_t)p * (size_t)c->k.dimension;
}

static void add_tangent(owned_cone* c, const double* t) {
    for (int sense = 1; sense >= -1; sense -= 2) {
        double* row = c->directions + (size_t)c->direction[c->k.contact_count]++ * (size_t)c->k.dimension;
        for (int j = 0; j < c->k.dimension; j++) row[j] = sense * t[j];
    }
}

// A corner of the friction polygon.
static void add_corner(owned_cone* c, const sti_instant_contact* of, int k) {
    const int n = c->k.dimension;
    double* row = c->directions + (size_t)c->direction[c->k.contact_count]++ * (size_t)n;
    for (int j = 0; j < n; j++) row[j] = of->corner[2 * k] * of->t[j] + of->corner[2 * k + 1] * of->t[n + j];
}

// ---- of an instant

sti_status sti_friction_cone_create_instant(sti_env* env, const sti_instant* instant, double gap_tol,
                                            sti_friction_cone** out) {
    *out = NULL;
    owned_cone* made = NULL;
    const size_t n = (size_t)instant->n;
    sti_status status = sti_instant_check(env, instant);
    int pairs = instant->tangent_total;
    for (int i = 0; status == STI_OK && i < instant->contact_count; i++) pairs += instant->contacts[i].corner_count;
    if (status == STI_OK)
        status = open_cone(env, instant->n, instant->contact_count, instant->contact_count, pairs, &made);
    if (status != STI_OK) return status;
    for (int i = 0; i < instant->contact_count; i++) {
        const sti_instant_contact* c = &instant->contacts[i];
        if (c->pressed || (!c->bilateral && !(c->gap <= gap_tol))) continue;
        double* row = c->bilateral ? next_joint(made) : next_contact(made, c->tangent_count > 0 ? c->mu : 0);
        memcpy(row, c->n, n * sizeof *row);
        for (int k = 0; k < c->corner_count; k++) add_corner(made, c, k);
        for (int t = 0; t < c->tangent_count && !c->bilateral && c->corner_count == 0; t++)
            add_tangent(made, c->t + (size_t)t * n);
    }
    *out = &made->k;
    return STI_OK;
}

// ---- of a contact problem

enum { MOST_ROWS = 600 };

// Column j of (G, H) in the global form, or the image of unit vector j of (lambda, r) in kinetic coordinates.
typedef struct columns {
    const sti_contact_problem* p;
    int dimension;
    const double* E;  // local: sqrt(eigenvalue) times eigenvector, one eigenvector per row   (dimension x dimension)
} columns;

static void fill(const columns* c, int j, double* out) {
    const sti_contact_problem* p = c->p;
    for (int i = 0; i < c->dimension; i++) {
        if (!p->global)
            out[i] = c->E[(size_t)i * (size_t)c->dimension + (size_t)j];
        else
            out[i] =
                j < p->bilateral_count ? sti_matrix_get(&p->G, i, j) : sti_matrix_get(&p->H, i, j - p->bilateral_count);
    }
}

// The factor of (R, V'; V, W).
static sti_status factor(sti_env* env, sti_arena* pool, const sti_contact_problem* p, columns* c) {
    const int nb = p->bilateral_count, n = c->dimension;
    double* A = sti_arena_doubles(pool, (size_t)n * (size_t)n);
    double* E = sti_arena_doubles(pool, (size_t)n * (size_t)n);
    double* w = sti_arena_doubles(pool, (size_t)n);
    if (pool->status != STI_OK) return pool->status;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const bool joint_i = i < nb, joint_j = j < nb;
            A[(size_t)i * (size_t)n + (size_t)j] =
                joint_i && joint_j ? 0.5 * (sti_matrix_get(&p->R, i, j) + sti_matrix_get(&p->R, j, i))
                : joint_i          ? sti_matrix_get(&p->V, j - nb, i)
                : joint_j          ? sti_matrix_get(&p->V, i - nb, j)
                          : 0.5 * (sti_matrix_get(&p->W, i - nb, j - nb) + sti_matrix_get(&p->W, j - nb, i - nb));
        }
    }
    const sti_status status = sti_small_eigen(pool, n, A, w, E);
    if (status != STI_OK) return status;
    const double zero = n > 0 ? 1e-13 * fmax(fabs(w[0]), fabs(w[n - 1])) : 0;
    if (n > 0 && w[0] < -1e3 * zero)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "W has the eigenvalue %g: not positive semidefinite", w[0]);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) E[(size_t)i * (size_t)n + (size_t)j] *= w[i] > zero ? sqrt(w[i]) : 0;
    }
    c->E = E;
    return STI_OK;
}

sti_status sti_friction_cone_create_contact(sti_env* env, const sti_contact_problem* p, sti_friction_cone** out) {
    *out = NULL;
    const int d = p->dimension, nc = p->contact_count, nb = p->bilateral_count;
    columns c = {.p = p, .dimension = p->global ? p->velocity_count : d * nc + nb};
    if (c.dimension < 1 || c.dimension > MOST_ROWS || nc > MOST_ROWS || (!p->global && p->W_op != NULL))
        return STI_FAIL(env, STI_ERR_SIZE, c.dimension, "a friction cone in dimension %d: from 1 to %d, of a matrix W",
                        c.dimension, MOST_ROWS);
    for (int i = 0; i < nc && p->section != NULL; i++) {
        if (p->section[i].shape != STI_SECTION_DISC)
            return STI_FAIL(env, STI_ERR_ARGUMENT, i, "section[%d]: the margin of a cone is for friction in discs", i);
    }
    owned_cone* made = NULL;
    sti_status status = open_cone(env, c.dimension, nb, nc, (d - 1) * nc, &made);
    if (status != STI_OK) return status;
    double* t = sti_arena_doubles(&made->pool, (size_t)c.dimension);
    status = made->pool.status;
    if (status == STI_OK && !p->global) status = factor(env, &made->pool, p, &c);
    for (int j = 0; status == STI_OK && j < nb; j++) fill(&c, j, next_joint(made));
    for (int i = 0; status == STI_OK && i < nc; i++) {
        fill(&c, nb + d * i, next_contact(made, p->mu[i]));
        for (int k = 1; k < d; k++) {
            fill(&c, nb + d * i + k, t);
            add_tangent(made, t);
        }
    }
    if (status == STI_OK)
        *out = &made->k;
    else
        sti_friction_cone_destroy(env, &made->k);
    return status;
}
