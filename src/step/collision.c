// collision.c: impacts at one instant, S3 (2.1.12) to (2.1.22), with Coulomb friction between facets.
//
// Poisson's law in two phases, each the problem of impulses.h with alpha = 1 and Q = M:
//
//     compression      M (v_c - v) = nu c_nu + n c + D beta,             friction bound  mu c               (2.1.12-16)
//     decompression    M (v+ - v_c) = F_r + nu c_nu + n c_x + D beta_x,  friction bound  mu (e c + c_x)     (2.1.18-22)
//
// with F_r = sum e_j n_j c_j over the contacts that take part (2.1.17). STI_IMPACT_POISSON_PRINTED has the bound mu c_x
// of the print (errata S3-E3): no friction for the restituted impulse. Decompression is left out where nothing is
// restituted.
//
// Moreau's law, Newton's law and a restitution matrix are one such problem with shifted rows (restitution.c). Theorem
// 1.2.10 covers Poisson's phases; with friction the others may have no solution.
//
// Energy. Compression loses energy: with r the impulses and u_c the local velocities after it, T_c - T = r'u_c minus a
// square, and r'u_c <= 0. Decompression may gain (S3 after 2.1.22; POI-17). With `dissipate` such an outcome v+ is
// drawn back on the segment from v_c to v+ to the farthest point whose energy is that before the impact. Joints, gaps
// opening and cones of impulses are all kept on that segment, since each is convex. Where surfaces move (offsets) they
// do work, and energy is not judged.
//
// The energetic coefficient, one instant of impact for all contacts, is in energetic.c; it never gains.
//
// Impulses of compression need not be unique where v_c is, and what is restituted depends on them; the covering vector
// e of Lemke's method on the problem as posed in S3 fixes the choice.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "step/step.h"

sti_collision_options sti_collision_options_default(void) {
    return (sti_collision_options){.law = STI_IMPACT_POISSON,
                                   .facets = 8,
                                   .gap_tol = 1e-9,
                                   .restitution_scale = 1,
                                   .dissipate = true,
                                   .exponent = 1.5};
}

static double kinetic(const sti_instant* in, const double* v) {
    double s = 0;
    for (int i = 0; i < in->n; i++) s += v[i] * sti_vector_dot(in->n, in->M + sti_at(in->n, i, 0), v);
    return s / 2;
}

// Contacts of the phase, with Q = M and f = M v.
static void begin_phase(sti_impulses* p, const sti_instant* in, const bool* active, const double* v) {
    p->alpha = 1;
    p->count = 0;
    memcpy(p->Q, in->M, (size_t)in->n * (size_t)in->n * sizeof *p->Q);
    for (int i = 0; i < in->n; i++) p->f[i] = sti_vector_dot(in->n, in->M + sti_at(in->n, i, 0), v);
    for (int i = 0; i < in->contact_count; i++) {
        if (active[i]) sti_impulses_add(p, in, i, in->contacts[i].mu);
    }
}

static int first_tangent(const sti_instant* in, int contact) {
    int a = 0;
    for (int i = 0; i < contact; i++) a += in->contacts[i].tangent_count;
    return a;
}

static void add_impulses(const sti_impulses* p, const sti_instant* in, double* p_n, double* p_t) {
    for (int j = 0; j < p->count; j++) {
        const int i = p->contacts[j].contact, a = first_tangent(in, i);
        p_n[i] += p->c_n[j];
        for (int k = 0; k < p->contacts[j].tangent_count; k++) p_t[a + k] += p->c_t[sti_at(2, j, k)];
    }
}

static sti_status finish_phase(sti_impulses* p, sti_collision* out) {
    const sti_status status = sti_impulses_solve(p);
    if (status != STI_OK) return status;
    out->outcome = p->outcome;
    out->residual = fmax(out->residual, p->residual);
    if (p->outcome != STI_SOLVED) snprintf(out->why, sizeof out->why, "%s", p->why);
    return STI_OK;
}

static sti_status poisson(sti_impulses* p, const sti_instant* in, const bool* active, const double* v,
                          const sti_collision_options* options, sti_collision* out) {
    begin_phase(p, in, active, v);
    sti_status status = finish_phase(p, out);
    if (status != STI_OK || out->outcome != STI_SOLVED) return status;
    memcpy(out->v_c, p->u, (size_t)in->n * sizeof *out->v_c);
    memcpy(out->v, p->u, (size_t)in->n * sizeof *out->v);
    add_impulses(p, in, out->p_n_c, out->p_t_c);
    bool restitutes = false;
    begin_phase(p, in, active, out->v_c);
    for (int j = 0; j < p->count; j++) {
        sti_impulse_contact* c = &p->contacts[j];
        if (c->bilateral) continue;
        const double back = options->restitution_scale * in->contacts[c->contact].restitution * out->p_n_c[c->contact];
        for (int i = 0; i < in->n; i++) p->f[i] += back * c->n[i];
        c->bound = options->law == STI_IMPACT_POISSON ? c->mu * back : 0;
        out->p_n[c->contact] += back;
        restitutes = restitutes || back > 0;
    }
    if (restitutes) {
        status = finish_phase(p, out);
        if (status != STI_OK || out->outcome != STI_SOLVED) return status;
        memcpy(out->v, p->u, (size_t)in->n * sizeof *out->v);
        add_impulses(p, in, out->p_n_x, out->p_t_x);
    }
    for (int i = 0; i < in->contact_count; i++) out->p_n[i] += out->p_n_c[i] + out->p_n_x[i];
    for (int a = 0; a < in->tangent_total; a++) out->p_t[a] = out->p_t_c[a] + out->p_t_x[a];
    return STI_OK;
}

// Laws of one phase; scale multiplies their restitution.
static sti_status one_phase(sti_impulses* p, const sti_instant* in, const bool* active, const double* v,
                            const sti_collision_options* options, double scale, sti_collision* out, double* after,
                            double* p_n, double* p_t) {
    begin_phase(p, in, active, v);
    int relaxed = 0;
    sti_status status = sti_step_restitute(p, in, v, options, scale, &relaxed);
    if (status == STI_OK) status = finish_phase(p, out);
    if (status != STI_OK || out->outcome != STI_SOLVED) return status;
    if (scale > 0) out->relaxed = relaxed + sti_step_relaxed(p, in, v, options);
    memcpy(after, p->u, (size_t)in->n * sizeof *after);
    add_impulses(p, in, p_n, p_t);
    return STI_OK;
}

static bool surfaces_move(const sti_instant* in, const bool* active) {
    bool moves = false;
    for (int i = 0; i < in->contact_count; i++) {
        const sti_instant_contact* c = &in->contacts[i];
        if (!active[i]) continue;
        moves = moves || c->n_offset != 0;
        for (int a = 0; c->t_offset != NULL && a < c->tangent_count; a++) moves = moves || c->t_offset[a] != 0;
    }
    return moves;
}

// Back to the farthest v_c + s (v - v_c) with the energy before: T_c + s b + s^2 a = T.
static void draw_back(const sti_instant* in, sti_collision* out) {
    double a = 0, b = 0;
    for (int i = 0; i < in->n; i++) {
        const double* row = in->M + sti_at(in->n, i, 0);
        const double d = out->v[i] - out->v_c[i];
        for (int j = 0; j < in->n; j++) {
            a += d * row[j] * (out->v[j] - out->v_c[j]) / 2;
            b += d * row[j] * out->v_c[j];
        }
    }
    const double c = fmax(out->energy[0] - out->energy[1], 0), root = sqrt(b * b + 4 * a * c);
    double s = b > 0 ? 2 * c / (b + root) : (root - b) / (2 * a);
    s = fmin(fmax(s, 0), 1);
    out->kept = s;
    for (int i = 0; i < in->n; i++) out->v[i] = out->v_c[i] + s * (out->v[i] - out->v_c[i]);
    for (int i = 0; i < in->contact_count; i++) {
        out->p_n[i] = out->p_n_c[i] + s * (out->p_n[i] - out->p_n_c[i]);
        out->p_n_x[i] *= s;
    }
    for (int i = 0; i < in->tangent_total; i++) {
        out->p_t[i] = out->p_t_c[i] + s * (out->p_t[i] - out->p_t_c[i]);
        out->p_t_x[i] *= s;
    }
}

static void reset(sti_collision* out) {
    const size_t n = (size_t)out->n, p = (size_t)out->contact_count, s = (size_t)out->tangent_total;
    memset(out->v, 0, (2 * n + 3 * p + 3 * s) * sizeof *out->v);
    out->outcome = STI_UNKNOWN;
    out->residual = out->gain = 0;
    out->kept = 1;
    out->relaxed = 0;
    out->why[0] = '\0';
}

static sti_status judge_energy(sti_impulses* p, const sti_instant* in, const bool* active, const double* v,
                               const sti_collision_options* options, sti_collision* out) {
    out->energy[2] = kinetic(in, out->v);
    if (surfaces_move(in, active)) {
        out->gain = NAN;
        return STI_OK;
    }
    const double gain = out->energy[2] - out->energy[0];
    if (!(gain > 1e-12 * out->energy[0])) return STI_OK;
    out->gain = gain;
    snprintf(out->why, sizeof out->why, "the law adds %.3g to a kinetic energy of %.3g%s", gain, out->energy[0],
             options->dissipate ? "; scaled back to add none" : "");
    if (!options->dissipate) return STI_OK;
    if (isnan(out->energy[1])) {
        const sti_status status = one_phase(p, in, active, v, options, 0, out, out->v_c, out->p_n_c, out->p_t_c);
        if (status != STI_OK || out->outcome != STI_SOLVED) return status;
        out->energy[1] = kinetic(in, out->v_c);
    }
    draw_back(in, out);
    out->energy[2] = kinetic(in, out->v);
    return STI_OK;
}

sti_status sti_step_collide(sti_impulses* p, const sti_instant* instant, const bool* active, const double* v,
                            const sti_collision_options* options, sti_collision* out) {
    reset(out);
    const bool phases = options->law == STI_IMPACT_POISSON || options->law == STI_IMPACT_POISSON_PRINTED;
    const bool energetic = sti_step_is_energetic(options->law);
    sti_status status = energetic ? sti_step_energetic(p->env, instant, active, v, options, out)
                        : phases  ? poisson(p, instant, active, v, options, out)
                                  : one_phase(p, instant, active, v, options, options->restitution_scale, out, out->v,
                                              out->p_n, out->p_t);
    if (status != STI_OK || out->outcome != STI_SOLVED) return status;
    out->energy[0] = kinetic(instant, v);
    out->energy[1] = phases ? kinetic(instant, out->v_c) : NAN;
    for (int i = 0; !phases && i < instant->n; i++) out->v_c[i] = NAN;
    if (energetic) {
        out->energy[2] = kinetic(instant, out->v);
        if (surfaces_move(instant, active)) out->gain = NAN;
        return STI_OK;
    }
    return judge_energy(p, instant, active, v, options, out);
}

sti_status sti_step_collision_room(sti_env* env, const sti_instant* instant, sti_collision** out) {
    const size_t n = (size_t)instant->n, p = (size_t)instant->contact_count, s = (size_t)instant->tangent_total;
    *out = NULL;
    sti_collision* r = sti_alloc_array_zero(env, 1, sizeof *r);
    double* numbers = sti_alloc_array_zero(env, 2 * n + 3 * p + 3 * s, sizeof *numbers);
    if (r == NULL || numbers == NULL) {
        sti_free(env, r);
        sti_free(env, numbers);
        return STI_ERR_MEMORY;
    }
    *r = (sti_collision){.n = instant->n,
                         .contact_count = instant->contact_count,
                         .tangent_total = instant->tangent_total,
                         .v = numbers};
    r->v_c = r->v + n;
    r->p_n = r->v_c + n;
    r->p_t = r->p_n + p;
    r->p_n_c = r->p_t + s;
    r->p_t_c = r->p_n_c + p;
    r->p_n_x = r->p_t_c + s;
    r->p_t_x = r->p_n_x + p;
    *out = r;
    return STI_OK;
}

static sti_status check(sti_env* env, const sti_collision_options* o) {
    sti_status status = sti_step_law_check(env, o->law);
    if (status != STI_OK) return status;
    if (o->facets < 4 || o->facets % 2 != 0)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "facets %d: an even number, 4 or more", o->facets);
    if (!(o->restitution_scale >= 0) || !(o->gap_tol >= 0))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "restitution_scale and gap_tol must not be negative");
    return sti_step_springs_check(env, 0, NULL, o->exponent);
}

sti_status sti_collision_create(sti_env* env, const sti_instant* instant, const sti_collision_options* options,
                                sti_collision** out) {
    *out = NULL;
    const sti_collision_options standard = sti_collision_options_default();
    const sti_collision_options* o = options != NULL ? options : &standard;
    sti_status status = check(env, o);
    if (status == STI_OK) status = sti_instant_check(env, instant);
    if (status == STI_OK && sti_step_is_energetic(o->law)) status = sti_instant_needs_discs(env, instant);
    if (status != STI_OK) return status;
    const size_t p = (size_t)instant->contact_count;
    sti_arena memory = sti_arena_make(env);
    int* tangents = sti_arena_take(&memory, p, sizeof *tangents);
    bool* active = sti_arena_take(&memory, p, sizeof *active);
    sti_impulses problem = {0};
    sti_collision* r = NULL;
    if (memory.status != STI_OK) status = STI_ERR_MEMORY;
    for (size_t i = 0; status == STI_OK && i < p; i++) {
        const sti_instant_contact* c = &instant->contacts[i];
        tangents[i] = c->tangent_count;
        active[i] = c->bilateral || c->gap <= o->gap_tol;
    }
    if (status == STI_OK)
        status = sti_impulses_init(&problem, env, instant->n, instant->contact_count, tangents,
                                   sti_impulses_most(instant, o->facets));
    problem.facets = o->facets;
    if (status == STI_OK) status = sti_step_collision_room(env, instant, &r);
    if (status == STI_OK) status = sti_step_collide(&problem, instant, active, instant->v, o, r);
    sti_impulses_clear(&problem);
    sti_arena_clear(&memory);
    if (status == STI_OK)
        *out = r;
    else
        sti_collision_destroy(env, r);
    return status;
}

void sti_collision_destroy(sti_env* env, sti_collision* collision) {
    if (collision == NULL) return;
    sti_free(env, collision->v);
    sti_free(env, collision);
}
