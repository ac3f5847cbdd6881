// restitution.c: impact laws that say what the velocities of gaps are after an impact: Moreau's, Newton's, and the
// matrix of S1 (41), with Coulomb's friction at the level of impulses, S1 (67), (68).
//
//     0 <= n_j'v+ + r_j _|_ c_j >= 0,      r = E w,    w_j = min(n_j'v- + b_j, 0)
//     friction against  t v+ + e_t t v-    bounded by  mu c_j
//
//     moreau     E = diag(e), e_t = 0            S1 (43)
//     newton     E = diag(e), e_t of the contact
//     general    E full, in the coordinates of S1, n_j'v / |n_j| with |n_j| the kinetic norm: (46)
//
// As written in S1, (41) is an equality at every touching contact, and c_j may come out negative: an impact that pulls.
// Where the equality has a solution with c >= 0 it is the one here; where it has none the contact opens faster than the
// law says (S1 case 47), and counts as relaxed. A contact that opens before the impact is not compressed, w_j = 0, and
// may open on. Entries of E may be negative, and then ask a contact to close, r_j > 0: that is relaxed to r_j = 0.
//
// Energy. E = 0 loses. Otherwise the law may gain: Newton's law with friction does so in Kane's pendulum, Newton's law
// with unequal e in a corner (S1 case 25). collision.c draws such an outcome back.
#include <math.h>

#include "step/step.h"

sti_status sti_step_law_check(sti_env* env, sti_impact_law law) {
    switch (law) {
        case STI_IMPACT_POISSON:
        case STI_IMPACT_POISSON_PRINTED:
        case STI_IMPACT_MOREAU:
        case STI_IMPACT_NEWTON:
        case STI_IMPACT_GENERAL:
        case STI_IMPACT_STRONGE:
        case STI_IMPACT_LZB:
            return STI_OK;
        default:
            return STI_FAIL(
                env, STI_ERR_ARGUMENT, -1,
                "law %s: poisson, poisson_printed, moreau, newton, general, stronge and lzb are offered here",
                sti_impact_law_text(law));
    }
}

// Rate of gap j before the impact, 0 where it opens.
static double compression(const sti_instant* in, const sti_impulse_contact* c, const double* v) {
    return fmin(sti_vector_dot(in->n, c->n, v) + in->contacts[c->contact].n_offset, 0);
}

// Kinetic norm |n|^2 = n'M^-1 n, S1 (3), of every unilateral contact of the problem.  norm (count)
static sti_status kinetic_norms(const sti_impulses* p, const sti_instant* in, double* norm) {
    double* x = sti_alloc_array_zero(p->env, (size_t)in->n, sizeof *x);
    if (x == NULL) return STI_ERR_MEMORY;
    sti_status status = STI_OK;
    for (int j = 0; status == STI_OK && j < p->count; j++) {
        norm[j] = 1;
        if (p->contacts[j].bilateral) continue;
        sti_bordered b = {.n = in->n, .k = 0, .M = in->M, .f = p->contacts[j].n, .x = x};
        status = sti_bordered_solve(p->env, &b);
        const double square = sti_vector_dot(in->n, x, p->contacts[j].n);
        if (square > 0) norm[j] = sqrt(square);
    }
    sti_free(p->env, x);
    return status;
}

// r of contact j by the matrix E over all contacts of the instant.
static double matrix_row(const sti_impulses* p, const sti_instant* in, const double* v, const double* E,
                         const double* norm, int j) {
    double r = 0;
    for (int k = 0; k < p->count; k++) {
        const sti_impulse_contact* c = &p->contacts[k];
        if (c->bilateral) continue;
        const double e = E[sti_at(in->contact_count, p->contacts[j].contact, c->contact)];
        r += e * norm[j] / norm[k] * compression(in, c, v);
    }
    return r;
}

sti_status sti_step_restitute(sti_impulses* p, const sti_instant* in, const double* v,
                              const sti_collision_options* options, double scale, int* relaxed) {
    const double* E = options->E != NULL ? options->E : in->restitution;
    double* norm = NULL;
    if (options->law != STI_IMPACT_GENERAL || !(scale > 0)) E = NULL;
    if (E != NULL) {
        norm = sti_alloc_array_zero(p->env, (size_t)p->count, sizeof *norm);
        if (norm == NULL) return STI_ERR_MEMORY;
        const sti_status status = kinetic_norms(p, in, norm);
        if (status != STI_OK) {
            sti_free(p->env, norm);
            return status;
        }
    }
    *relaxed = 0;
    for (int j = 0; j < p->count; j++) {
        sti_impulse_contact* c = &p->contacts[j];
        const sti_instant_contact* from = &in->contacts[c->contact];
        if (c->bilateral) continue;
        const double r =
            scale * (E != NULL ? matrix_row(p, in, v, E, norm, j) : from->restitution * compression(in, c, v));
        c->b_n += fmin(r, 0);
        *relaxed += r > 0;
        if (options->law == STI_IMPACT_MOREAU) continue;
        for (int a = 0; a < c->tangent_count; a++)
            c->b_t[a] += scale * from->restitution_t *
                         (sti_vector_dot(in->n, c->t + sti_at(in->n, a, 0), v) +
                          (from->t_offset != NULL ? from->t_offset[a] : 0));
    }
    sti_free(p->env, norm);
    return STI_OK;
}

int sti_step_relaxed(const sti_impulses* p, const sti_instant* in, const double* v,
                     const sti_collision_options* options) {
    if (options->law == STI_IMPACT_MOREAU) return 0;
    int count = 0;
    const double small = 1e-9 * (sti_vector_largest(in->n, v) + sti_vector_largest(in->n, p->u));
    for (int j = 0; j < p->count; j++) {
        const sti_impulse_contact* c = &p->contacts[j];
        if (c->bilateral) continue;
        const double length = sqrt(sti_vector_dot(in->n, c->n, c->n));
        const double rate = sti_vector_dot(in->n, c->n, v) + in->contacts[c->contact].n_offset;
        count += rate <= small * length && p->rho[j] > small * length;
    }
    return count;
}
