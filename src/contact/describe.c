// describe.c: what each contact does: mode, margin, dissipation.
//
//     separate   r = 0, u_n > 0                margin u_n, in velocity
//     stick      u = 0, |r_t| < mu r_n         margin mu r_n - |r_t|, in force: how deep r_t lies in mu r_n S
//     slide      u_n = 0, u_t against r_t      margin |u_t|, in velocity: how far from sticking
//
// The mode is the one whose conditions the point violates least, velocities weighed by rho_c as in the residual.
#include <math.h>

#include "contact/cone.h"
#include "contact/contact.h"
#include "contact/posed.h"

// bound - rt: how deep r_t lies in mu r_n S, negative outside
static void into_section(const sti_section* section, const double* r, double* rt, double* bound) {
    double p[2];
    *rt = hypot(r[1], r[2]);
    if (!(*bound > 0)) return;
    const double depth = -*bound * sti_section_project(section, (double[2]){r[1] / *bound, r[2] / *bound}, p, NULL);
    *bound = *rt + depth;
}

sti_status sti_contact_describe(sti_env* env, const sti_contact_problem* p, sti_contact_answer* a) {
    const size_t nc = (size_t)p->contact_count;
    const int d = p->dimension;
    if (a->mode == NULL) a->mode = sti_alloc_array_zero(env, nc, sizeof *a->mode);
    if (a->margin == NULL) a->margin = sti_alloc_array_zero(env, nc, sizeof *a->margin);
    if (a->dissipation == NULL) a->dissipation = sti_alloc_array_zero(env, nc, sizeof *a->dissipation);
    if (a->mode == NULL || a->margin == NULL || a->dissipation == NULL) return STI_ERR_MEMORY;
    double* rho = sti_alloc_array(env, nc, sizeof *rho);
    if (rho == NULL) return STI_ERR_MEMORY;
    sti_contact_traces(p, rho);
    sti_contact_rho(d, p->contact_count, a->u, rho);
    for (size_t c = 0; c < nc; c++) {
        const double *r = a->r + c * (size_t)d, *u = a->u + c * (size_t)d;
        double rt = sti_cone_slip_safe(d, r), bound = p->mu[c] * r[0];
        const double ut = sti_cone_slip_safe(d, u);
        if (p->section != NULL && p->section[c].shape != STI_SECTION_DISC) into_section(&p->section[c], r, &rt, &bound);
        const double separate = hypot(r[0], sti_cone_slip_safe(d, r)), stick = rho[c] * hypot(u[0], ut),
                     slide = hypot(bound - rt, rho[c] * u[0]);
        a->dissipation[c] = 0;
        for (int i = 0; i < d; i++) a->dissipation[c] -= u[i] * r[i];
        if (separate <= stick && separate <= slide) {
            a->mode[c] = STI_MODE_SEPARATE;
            a->margin[c] = u[0];
        } else if (stick <= slide) {
            a->mode[c] = STI_MODE_STICK;
            a->margin[c] = bound - rt;
        } else {
            a->mode[c] = STI_MODE_SLIDE;
            a->margin[c] = ut;
        }
    }
    sti_free(env, rho);
    return STI_OK;
}
