// judge.c: the residual that decides (docs/contact.md), the same for every method.
//
//     eta_c     how far (r_c, u_c) is from the law (law.h): u_n against the terms own_n of its row, u_t against those
//               of all
//               rows of the contact, r against rho_c own_n or itself; miss_c the larger of |r - r'| and rho_c |u - u'|
//               then
//     force     sqrt(sum |r_c|^2 / rho_c)                          what forces do, one by one, in units of energy
//     net       sqrt(r'W r), in the global form that of H r with diag(M): what they do together, less its rounding,
//               NOISE |r_c| own_c for every contact under the root
//     drive     sqrt(sum rho_c |q_c|^2)                            what the data are
//     undone    sqrt(sum rho_c a_c^2), a_c = max(min(|q_c|, |u_c - q_c|), -u_n): what forces undo of them, or should
//     runaway   max(1, force / (FARTHEST max(undone, net, ROW_NOISE force of all)))
//         island by island
//     together  sqrt(sum runaway^2 miss_c^2 / rho_c) / max(force, drive) of all islands
//     residual  max(together, max runaway eta_c / (ALONE sqrt(nc)))
//     noise     NOISE max(undone, force / runaway) of all, over or times sqrt(rho_c), counts for nothing in eta_c
//
// What runs away in one island (islands.h) is not small because of what goes on in another. Noise is taken from all of
// them: data are mostly differences of numbers of one size, whether or not they are joined.
//
// A contact that separates by itself is not undone, however fast it is. Forces that cancel each other make force large
// and net not, and where they grow without bound nothing else does: then a residual relative to them means nothing.
//
// Under r_c -> s r_c, u_c -> u_c / s the terms own_c and q_c go like u_c, rho_c like s^2: every number above stays.
// Bilateral rows take part in force and drive in the same way.
#include "contact/judge.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#include "contact/law.h"

// fmax is a call, and looks at NaN on both sides
static inline double larger(double a, double b) {
    return a > b ? a : b;
}

static inline double square(int d, const double* x) {
    const double s = x[0] * x[0] + x[1] * x[1];
    return d == 2 ? s : s + x[2] * x[2];
}

static inline bool no_force(int d, const double* r) {
    return r[0] == 0 && r[1] == 0 && (d == 2 || r[2] == 0);
}

// What the forces undo of the velocity q of a contact, and what they have left to undo; squares
static inline double asked(int d, const double* q, const double* u) {
    double change[3] = {0};
    for (int i = 0; i < d; i++) change[i] = u[i] - q[i];
    const double given = square(d, q), made = square(d, change), undone = given < made ? given : made;
    return u[0] < 0 ? larger(undone, u[0] * u[0]) : undone;
}

bool sti_contact_judge_trusted(int d, int nc, const double* r, const double* q, const double* u, const double* rho) {
    const double most = STI_CONTACT_FARTHEST * STI_CONTACT_FARTHEST;
    for (int c = 0; c < nc; c++) {
        const size_t at = (size_t)d * (size_t)c;
        if (rho[c] < 0) return false;
        if (no_force(d, r + at)) continue;
        if (rho[c] > 0 && !(square(d, r + at) <= most * rho[c] * rho[c] * asked(d, q + at, u + at))) return false;
    }
    return true;
}

// force, drive, undone and net of the islands
static void add_energies(sti_contact_judge* k) {
    for (int i = 0; i < k->energies; i++) k->energy[i].undone = k->energy[i].drive;
    for (int c = 0; c < k->nc; c++) {
        const size_t at = (size_t)k->d * (size_t)c;
        sti_contact_energy* e = &k->energy[k->island[c]];
        const double r = square(k->d, k->r + at);
        if (r > 0) e->net -= STI_CONTACT_NOISE * sqrt(r) * k->own[2 * (size_t)c + 1];
        if (!(k->rho[c] > 0)) continue;
        e->force += r / k->rho[c];
        e->drive += square(k->d, k->q + at) * k->rho[c];
        e->undone += asked(k->d, k->q + at, k->u + at) * k->rho[c];
    }
}

static void judge_forces(sti_contact_judge* k) {
    double force = 0, undone = 0, trusted = 0;
    k->runaway = 1;
    for (int i = 0; i < k->energies; i++) force += k->energy[i].force;
    for (int i = 0; i < k->energies; i++) {
        sti_contact_energy* e = &k->energy[i];
        const double floor = STI_CONTACT_ROW_NOISE * STI_CONTACT_ROW_NOISE * force;
        const double reach = larger(larger(e->undone, e->net), floor);
        const double most = STI_CONTACT_FARTHEST * STI_CONTACT_FARTHEST * reach;
        e->runaway = e->force > most && most > 0 ? sqrt(e->force / most) : 1;
        k->runaway = larger(e->runaway, k->runaway);
        undone += e->undone;
        trusted += e->force / (e->runaway * e->runaway);
    }
    k->unit = sqrt(larger(undone, trusted));
}

static sti_contact_miss miss_of_contact(const sti_contact_judge* k, int c, double root) {
    const size_t at = (size_t)k->d * (size_t)c;
    const double *own = k->own + 2 * (size_t)c, noise = STI_CONTACT_NOISE * k->unit;
    const sti_contact_units units = {.force = larger(k->rho[c] * own[0], sqrt(square(k->d, k->r + at))),
                                     .normal = own[0],
                                     .tangent = own[1],
                                     .force_noise = noise * root,
                                     .velocity_noise = root > 0 ? noise / root : 0};
    if (k->section != NULL && k->section[c].shape != STI_SECTION_DISC)
        return sti_contact_section_miss(&k->section[c], k->mu[c], k->r + at, k->u + at, units);
    return sti_contact_law_miss(k->d, k->mu[c], k->r + at, k->u + at, units);
}

// No force, and it separates: the law holds.
static inline bool parts(const sti_contact_judge* k, int c) {
    const size_t at = (size_t)k->d * (size_t)c;
    const double* u = k->u + at;
    return no_force(k->d, k->r + at) && u[0] >= 0 && isfinite(u[0] + u[1] + (k->d == 2 ? 0 : u[2]));
}

void sti_contact_judge_point(sti_contact_judge* k) {
    double miss = 0, farthest = 0, force = 0, drive = 0;
    add_energies(k);
    judge_forces(k);
    for (int i = 0; i < k->energies; i++) {
        force += k->energy[i].force;
        drive += k->energy[i].drive;
    }
    k->worst = k->nc > 0 ? 0 : -1;
    for (int c = 0; c < k->nc; c++) {
        if (parts(k, c)) continue;
        const double rho = k->rho[c], root = sqrt(rho), far = k->energy[k->island[c]].runaway;
        const sti_contact_miss away = miss_of_contact(k, c, root);
        if (rho > 0) {
            const double all = far * larger(away.force, rho * away.velocity) / root;
            miss += all * all;
        }
        if (far * away.share <= farthest) continue;  // a NaN stays
        farthest = far * away.share;
        k->worst = c;
    }
    if (!isfinite(force)) {  // beyond the squares of doubles
        k->residual = k->runaway = INFINITY;
        return;
    }
    const double size = sqrt(larger(force, drive));
    k->residual = k->nc > 0 ? farthest / (STI_CONTACT_ALONE * sqrt(k->nc)) : 0;
    if (!(sqrt(miss) <= k->residual * size)) k->residual = sqrt(miss) / size;
    // against forces that large the data may be lost in rounding, and a residual of 0 is worth no more than one of
    // epsilon
    if (k->runaway > 1 && k->residual < k->runaway * DBL_EPSILON) k->residual = k->runaway * DBL_EPSILON;
}
