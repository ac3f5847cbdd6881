// impact.c: all impact laws on one instant. The laws are in laws.c, poisson.c and friction.c; here
// the instant is brought into local coordinates once, and the laws are asked in turn.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "impacts/massless.h"
#include "impacts/work.h"
#include "linalg/dense_algebra.h"

typedef struct owned_impact {
    sti_impact i;  // first
    sti_arena pool;
} owned_impact;

const char* sti_impact_law_text(sti_impact_law law) {
#define STI_X(code, text) text,
    static const char* const texts[] = {STI_IMPACT_LAW_LIST(STI_X)};
#undef STI_X
    return (unsigned)law < STI_IMPACT_LAW_COUNT ? texts[law] : "unknown";
}

sti_impact_options sti_impact_options_default(void) {
    return (sti_impact_options){.gap_tol = 1e-9, .tol = 1e-10, .mode_limit = 12, .exponent = 1.5};
}

static sti_status copy_indices(sti_impact_work* w) {
    const sti_space* k = w->space;
    sti_impact* out = w->out;
    int* contact = sti_arena_ints(w->pool, (size_t)k->p);
    int* slip = sti_arena_ints(w->pool, (size_t)k->p + 1);
    int* joint = sti_arena_ints(w->pool, (size_t)k->m);
    if (w->pool->status != STI_OK) return w->pool->status;
    memcpy(contact, k->contact, (size_t)k->p * sizeof *contact);
    memcpy(slip, k->slip, ((size_t)k->p + 1) * sizeof *slip);
    memcpy(joint, k->joint, (size_t)k->m * sizeof *joint);
    out->contact = contact;
    out->slip = slip;
    out->joint = joint;
    return STI_OK;
}

static sti_status copy_matrices(sti_impact_work* w) {
    const sti_space* k = w->space;
    const int p = k->p, s = k->s;
    const size_t size = (size_t)p * (size_t)p;
    double* G = sti_arena_doubles(w->pool, size);
    double* n_H = sti_arena_doubles(w->pool, (size_t)p * (size_t)s);
    double* work = sti_arena_doubles(w->pool, 2 * size + (size_t)p);
    w->G_inv = sti_arena_doubles(w->pool, size);
    w->tan = sti_arena_doubles(w->pool, (size_t)s);
    w->out->norm = sti_arena_copy(w->pool, k->norm, (size_t)p);
    if (w->pool->status != STI_OK) return w->pool->status;
    sti_space_block(k, 0, p, 0, p, G);
    sti_space_block(k, 0, p, p, s, n_H);
    w->out->independent = sti_dense_pseudo_inverse(p, G, STI_SPACE_RANK_TOL, w->G_inv, work) == p;
    for (int l = 0; l < s; l++) {
        const double* row = k->A + sti_at(k->n, p + l, 0);
        w->tan[l] = sqrt(sti_small_form(k->n, k->Minv, row, row));
        if (w->tan[l] == 0) w->tan[l] = 1;
    }
    w->out->G = G;
    w->out->n_H = n_H;
    return STI_OK;
}

// Restitution and friction, of the options, the instant's matrix or its contacts.
static sti_status copy_coefficients(sti_impact_work* w) {
    const int p = w->out->p;
    double* E = sti_arena_doubles(w->pool, (size_t)p * (size_t)p);
    double* plain = sti_arena_doubles(w->pool, (size_t)p * (size_t)p);
    double* mu = sti_arena_doubles(w->pool, (size_t)p);
    double* e_t = sti_arena_doubles(w->pool, (size_t)p);
    w->e = sti_arena_doubles(w->pool, (size_t)p);
    if (w->pool->status != STI_OK) return w->pool->status;
    const sti_instant* in = w->instant;
    for (int i = 0; i < p; i++) {
        const sti_instant_contact* c = &in->contacts[w->out->contact[i]];
        mu[i] = c->mu;
        e_t[i] = c->restitution_t;
        for (int j = 0; j < p; j++) {
            double* e = &E[sti_at(p, i, j)];
            if (w->options.E != NULL)
                *e = w->options.E[sti_at(p, i, j)];
            else if (in->restitution != NULL)
                *e = in->restitution[sti_at(in->contact_count, w->out->contact[i], w->out->contact[j])];
            else
                *e = i == j ? c->restitution : 0;
            if (!isfinite(*e))
                return STI_FAIL(w->env, STI_ERR_INPUT, i, "restitution: entry %d, %d is not finite", i, j);
            plain[sti_at(p, i, j)] = w->space->norm[i] / w->space->norm[j] * *e;  // (46)
        }
        w->e[i] = E[sti_at(p, i, i)];
    }
    w->out->E = E;
    w->out->E_plain = plain;
    w->out->mu = mu;
    w->out->e_t = e_t;
    w->out->exponent = w->options.exponent;
    double* stiffness = sti_arena_doubles(w->pool, (size_t)p);
    if (stiffness == NULL) return w->pool->status;
    for (int i = 0; i < p; i++) stiffness[i] = w->options.stiffness != NULL ? w->options.stiffness[i] : 1;
    w->out->stiffness = stiffness;
    return STI_OK;
}

static sti_status look_before(sti_impact_work* w) {
    const sti_instant* in = w->instant;
    const int n = in->n, p = w->out->p, s = w->out->s, m = w->out->m;
    w->v0 = sti_arena_doubles(w->pool, (size_t)n);
    w->u0 = sti_arena_doubles(w->pool, (size_t)(p + s));
    w->u = sti_arena_doubles(w->pool, (size_t)(p + s));
    double* joints = sti_arena_doubles(w->pool, (size_t)m);
    w->out->v = sti_arena_copy(w->pool, in->v, (size_t)n);
    if (w->pool->status != STI_OK) return w->pool->status;
    sti_space_project(w->space, in->v, w->v0, NULL);
    sti_space_local(w->space, in->v, w->u);
    sti_space_local(w->space, w->v0, w->u0);
    sti_small_apply(m, n, w->space->B, in->v, joints);
    bool moving = sti_vector_largest(p + s, w->space->offset) > 0 || sti_vector_largest(m, w->space->joint_offset) > 0;
    for (int i = 0; i < m; i++)
        w->out->incompatible = fmax(w->out->incompatible, fabs(joints[i] + w->space->joint_offset[i]));
    w->out->T = 0.5 * sti_small_form(n, in->M, in->v, in->v);
    w->out->T_norm = 0.5 * sti_small_form(p, w->G_inv, w->u0, w->u0);
    w->out->T_tan = 0.5 * sti_small_form(n, in->M, w->v0, w->v0) - w->out->T_norm;
    w->speed = fmax(sqrt(2 * w->out->T), sti_vector_largest(p, w->u));
    if (w->out->incompatible <= 1e-12 * w->speed) w->out->incompatible = 0;
    w->plain = !moving && w->out->incompatible == 0;
    for (int i = 0; i < p; i++) w->out->impact = w->out->impact || w->u[i] < -w->options.tol * w->speed;
    w->out->qdot_norm = w->u;
    w->out->v_t = w->u + p;
    return STI_OK;
}

static sti_status take_tangents(sti_impact_work* w) {
    const sti_velocities* k = w->velocities;
    if (k == NULL) return STI_OK;
    const int d = k->tangent_count, s = w->out->s;
    w->t_H = sti_arena_doubles(w->pool, (size_t)d * (size_t)s);
    if (w->t_H == NULL) return w->pool->status;
    for (int u = 0, col = 0; u < w->out->p; u++) {
        for (int l = k->slip[k->unilateral[u]]; l < k->slip[k->unilateral[u] + 1]; l++, col++) {
            for (int i = 0; i < d; i++) w->t_H[sti_at(s, i, col)] = k->t_H[sti_at(k->slip_count, i, l)];
        }
    }
    return STI_OK;
}

// Props 2 to 8 of E, and a velocity before impact that goes with the witness: n_q G^-1 qdot_norm.
static sti_status test_matrix(sti_impact_work* w) {
    const int n = w->out->n, p = w->out->p;
    if (p == 0 || !w->out->independent) return STI_OK;
    const sti_status status = sti_restitution_test_create(w->env, p, w->out->G, w->out->E, &w->out->test);
    if (status != STI_OK || w->out->test->witness == NULL) return status;
    double* y = sti_arena_doubles(w->pool, (size_t)p);
    double* v = sti_arena_doubles(w->pool, (size_t)n);
    if (w->pool->status != STI_OK) return w->pool->status;
    sti_small_apply(p, p, w->G_inv, w->out->test->witness, y);
    for (int i = 0; i < p; i++) {
        for (int j = 0; j < n; j++) v[j] += y[i] * w->space->MA[sti_at(n, i, j)];
    }
    w->out->witness_v = v;
    return STI_OK;
}

static sti_status ask_law(sti_impact_work* w, sti_impact_law law) {
    switch (law) {
        case STI_IMPACT_NEWTON:
            return sti_impact_newton(w);
        case STI_IMPACT_GENERAL:
            return sti_impact_general(w);
        case STI_IMPACT_MOREAU:
            return sti_impact_moreau(w);
        case STI_IMPACT_POISSON:
            return sti_impact_poisson(w, false);
        case STI_IMPACT_POISSON_PRINTED:
            return sti_impact_poisson(w, true);
        case STI_IMPACT_IMPLICIT_SMOOTH:
            return sti_impact_implicit(w, false);
        case STI_IMPACT_IMPLICIT_ROUGH:
            return sti_impact_implicit(w, true);
        case STI_IMPACT_QUASI:
            return sti_impact_quasi(w);
        case STI_IMPACT_FRICTION:
            return sti_impact_friction(w);
        case STI_IMPACT_STRONGE:
            return sti_impact_stronge(w);
        case STI_IMPACT_LZB:
            return sti_impact_lzb(w);
        default:
            return STI_FAIL(w->env, STI_ERR_ARGUMENT, (int)law, "law %d: no such law", (int)law);
    }
}

static sti_status ask_laws(sti_impact_work* w) {
    if (w->options.one_law) return ask_law(w, w->options.law);
    sti_status status = STI_OK;
    for (int l = 0; status == STI_OK && l < STI_IMPACT_LAW_COUNT; l++) status = ask_law(w, (sti_impact_law)l);
    if (status == STI_OK) status = sti_impact_bounds(w);
    if (status == STI_OK) status = test_matrix(w);
    if (status == STI_OK) status = sti_impact_set(w);
    return status;
}

static sti_status prepare(sti_impact_work* w) {
    sti_status status = copy_indices(w);
    if (status == STI_OK) status = copy_matrices(w);
    if (status == STI_OK) status = copy_coefficients(w);
    if (status == STI_OK) status = look_before(w);
    if (status == STI_OK) status = take_tangents(w);
    return status;
}

// Laws that live in local velocities alone need no completion of the normals.
static bool is_local(const sti_impact_options* o) {
    return o->one_law && (o->law == STI_IMPACT_STRONGE || o->law == STI_IMPACT_LZB);
}

static sti_status create(sti_env* env, const sti_instant* instant, sti_impact_options o, sti_impact** out) {
    sti_space* space = NULL;
    sti_velocities* velocities = NULL;
    owned_impact* made = NULL;
    sti_status status = sti_space_create(env, instant, (sti_space_choice){.gap_tol = o.gap_tol}, &space);
    const sti_velocities_options vo = {.gap_tol = o.gap_tol, .t_q = o.t_q};
    if (status == STI_OK && !is_local(&o)) status = sti_velocities_create(env, instant, &vo, &velocities);
    if (status == STI_OK) {
        made = sti_alloc(env, sizeof *made);
        if (made == NULL) status = STI_ERR_MEMORY;
    }
    if (status == STI_OK) {
        *made = (owned_impact){.i = {.n = space->n, .p = space->p, .s = space->s, .m = space->m},
                               .pool = sti_arena_make(env)};
        made->i.own_lambda = o.Lambda == NULL;
        made->i.quasi_range = made->i.quasi_lambda_min = NAN;
        for (int f = 0; f < 2; f++) made->i.quasi_norm[f] = made->i.quasi_bound[f] = made->i.quasi_energy[f] = NAN;
        for (int l = 0; l < STI_IMPACT_LAW_COUNT; l++) made->i.laws[l].law = (sti_impact_law)l;
        sti_impact_work w = {.env = env,
                             .instant = instant,
                             .options = o,
                             .space = space,
                             .velocities = velocities,
                             .out = &made->i,
                             .pool = &made->pool};
        status = prepare(&w);
        if (status == STI_OK) status = ask_laws(&w);
    }
    sti_space_destroy(space);
    sti_velocities_destroy(env, velocities);
    if (status == STI_OK)
        *out = &made->i;
    else if (made != NULL)
        sti_impact_destroy(env, &made->i);
    return status;
}

// ---- singular M: all of the above in the coordinates of massless.h, and back

// N p_n + H'p_t of the touching contacts
static double* impulse_of(const sti_massless* m, sti_arena* pool, const sti_impact* k, const sti_impact_solution* x) {
    const size_t n = (size_t)m->from->n;
    double* f = sti_arena_doubles(pool, n);
    for (int i = 0; f != NULL && i < k->p; i++) {
        const sti_instant_contact* c = &m->from->contacts[k->contact[i]];
        for (size_t j = 0; j < n; j++) {
            f[j] += c->n[j] * x->p_n[i];
            for (int l = k->slip[i]; l < k->slip[i + 1]; l++)
                f[j] += c->t[(size_t)(l - k->slip[i]) * n + j] * x->p_t[l];
        }
    }
    return f;
}

static sti_status carry_solution(const sti_massless* m, sti_arena* pool, const sti_impact* k, sti_impact_solution* x) {
    const double* impulse = impulse_of(m, pool, k, x);
    x->v = sti_massless_up(m, pool, 1, x->v, true);
    if (x->v_c != NULL) x->v_c = sti_massless_up(m, pool, 1, x->v_c, true);
    if (pool->status != STI_OK) return pool->status;
    x->p_joint = sti_massless_joints(m, pool, k->v, x->v, impulse, &x->momentum);
    return pool->status;
}

static sti_status carry_back(const sti_massless* m, owned_impact* made) {
    sti_impact* k = &made->i;
    sti_arena* pool = &made->pool;
    int* contact = sti_arena_ints(pool, (size_t)k->p + 1);
    int* joint = sti_arena_ints(pool, (size_t)m->joint_count + 1);
    k->v = sti_arena_copy(pool, m->from->v, (size_t)m->from->n);
    if (pool->status != STI_OK) return pool->status;
    for (int i = 0; i < k->p; i++) contact[i] = m->contact[k->contact[i]];
    for (int i = 0; i < m->joint_count; i++) joint[i] = m->joint[i];
    k->contact = contact;
    k->joint = joint;
    k->n = m->from->n;
    k->m = m->joint_count;
    k->singular = true;
    k->idle = m->idle;
    if (k->witness_v != NULL) k->witness_v = sti_massless_up(m, pool, 1, k->witness_v, false);
    for (int l = 0; l < STI_IMPACT_LAW_COUNT; l++) {
        sti_impact_solution* list = (sti_impact_solution*)k->laws[l].solutions;
        for (int i = 0; pool->status == STI_OK && i < k->laws[l].count; i++) carry_solution(m, pool, k, &list[i]);
    }
    return pool->status;
}

static sti_status create_singular(sti_env* env, const sti_instant* instant, sti_impact_options o, sti_impact** out) {
    sti_massless m;
    if (o.t_q != NULL) return STI_FAIL(env, STI_ERR_INPUT, -1, "t_q: taken where M is positive definite alone");
    sti_status status = sti_massless_make(env, instant, o.gap_tol, &m);
    if (status != STI_OK) return status;
    status = create(env, &m.instant, o, out);
    if (status == STI_OK) status = carry_back(&m, (owned_impact*)*out);
    if (status != STI_OK) {
        sti_impact_destroy(env, *out);
        *out = NULL;
    }
    sti_massless_clear(&m);
    return status;
}

sti_status sti_impact_create(sti_env* env, const sti_instant* instant, const sti_impact_options* options,
                             sti_impact** out) {
    const sti_impact_options o = options != NULL ? *options : sti_impact_options_default();
    *out = NULL;
    bool singular = false;
    const sti_status status = create(env, instant, o, out);
    if (status != STI_ERR_INPUT) return status;
    const sti_status asked = sti_space_mass(env, instant, &singular);
    return asked != STI_OK ? asked : singular ? create_singular(env, instant, o, out) : status;
}

void sti_impact_destroy(sti_env* env, sti_impact* impact) {
    if (impact == NULL) return;
    owned_impact* made = (owned_impact*)impact;
    sti_restitution_test_destroy(env, impact->test);
    sti_arena_clear(&made->pool);
    sti_free(env, made);
}
