// facet_one.c: one contact with any section.
//
// On a polygon the law has finitely many pieces: separate; stick; slide with r on the cone of a side and u_t across it;
// slide with r along a vertex and u_t in its normal cone. Each is a linear system of 3, 2 or 1 equations; the piece
// whose inequalities its solution misses least is the answer (exact where A is positive definite and the contact is
// solvable). For a curved section the answer on an inscribed polygon is where Newton's method starts on the section
// itself.
#include "contact/facet_one.h"

#include <math.h>
#include <string.h>

enum { NEWTON_STEPS = 12 };

void sti_section_equation(const sti_section* section, double mu, double rho, const double* r, const double* u,
                          double* F, double* dG) {
    double x[3], p[2] = {0}, D[4] = {0};
    for (int i = 0; i < 3; i++) x[i] = r[i] - rho * u[i];
    if (dG != NULL) memset(dG, 0, 9 * sizeof *dG);
    memcpy(F, r, 3 * sizeof *F);
    if (!(x[0] > 0)) return;
    F[0] -= x[0];
    if (dG != NULL) dG[0] = 1;
    if (mu == 0) return;
    const double s = mu * x[0], z[2] = {x[1] / s, x[2] / s};
    sti_section_project(section, z, p, dG != NULL ? D : NULL);
    F[1] -= s * p[0];
    F[2] -= s * p[1];
    if (dG == NULL) return;
    for (int i = 0; i < 2; i++) {
        dG[3 * (1 + i)] = mu * (p[i] - D[2 * i] * z[0] - D[2 * i + 1] * z[1]);
        dG[3 * (1 + i) + 1] = D[2 * i];
        dG[3 * (1 + i) + 2] = D[2 * i + 1];
    }
}

// x of A x = b by Cramer's rule; false: singular
static bool solve_3(const double* A, const double* b, double* x) {
    const double c0 = A[4] * A[8] - A[5] * A[7], c1 = A[5] * A[6] - A[3] * A[8], c2 = A[3] * A[7] - A[4] * A[6];
    const double det = A[0] * c0 + A[1] * c1 + A[2] * c2;
    double size = 0;
    for (int i = 0; i < 9; i++) size = fmax(size, fabs(A[i]));
    if (!(fabs(det) > 1e-14 * size * size * size)) return false;
    x[0] = (b[0] * c0 + A[1] * (A[5] * b[2] - b[1] * A[8]) + A[2] * (b[1] * A[7] - A[4] * b[2])) / det;
    x[1] = (A[0] * (b[1] * A[8] - A[5] * b[2]) + b[0] * c1 + A[2] * (A[3] * b[2] - b[1] * A[6])) / det;
    x[2] = (A[0] * (A[4] * b[2] - b[1] * A[7]) + A[1] * (b[1] * A[6] - A[3] * b[2]) + b[0] * c2) / det;
    return true;
}

typedef struct one {
    double mu, rho;
    const double *A, *b;
    double best;  // by how much the best piece misses its inequalities
    double* r;
} one;

static void velocity(const one* k, const double* r, double* u) {
    for (int i = 0; i < 3; i++) u[i] = k->A[3 * i] * r[0] + k->A[3 * i + 1] * r[1] + k->A[3 * i + 2] * r[2] + k->b[i];
}

static void take(one* k, const sti_section* section, const double* r) {
    double u[3], F[3];
    if (!isfinite(r[0] + r[1] + r[2])) return;
    velocity(k, r, u);
    sti_section_equation(section, k->mu, k->rho, r, u, F, NULL);
    const double miss = sqrt(F[0] * F[0] + F[1] * F[1] + F[2] * F[2]);
    if (!(miss < k->best)) return;
    k->best = miss;
    memcpy(k->r, r, 3 * sizeof *r);
}

// r = alpha g + beta h with u_n = 0 and u_t.(h - g) = 0
static void slide_on_side(one* k, const sti_section* s, const double* g, const double* h) {
    const double e[3] = {0, h[1] - g[1], h[2] - g[2]};
    double Ag[3], Ah[3];
    for (int i = 0; i < 3; i++) {
        Ag[i] = k->A[3 * i] * g[0] + k->A[3 * i + 1] * g[1] + k->A[3 * i + 2] * g[2];
        Ah[i] = k->A[3 * i] * h[0] + k->A[3 * i + 1] * h[1] + k->A[3 * i + 2] * h[2];
    }
    const double a = Ag[0], b = Ah[0], c = e[1] * Ag[1] + e[2] * Ag[2], d = e[1] * Ah[1] + e[2] * Ah[2];
    const double p = -k->b[0], q = -(e[1] * k->b[1] + e[2] * k->b[2]), det = a * d - b * c;
    if (det == 0) return;
    const double alpha = (p * d - b * q) / det, beta = (a * q - c * p) / det;
    double r[3];
    for (int i = 0; i < 3; i++) r[i] = alpha * g[i] + beta * h[i];
    take(k, s, r);
}

static void try_facets(one* k, const sti_section* s) {
    double r[3] = {0}, minus[3] = {-k->b[0], -k->b[1], -k->b[2]};
    take(k, s, r);
    if (solve_3(k->A, minus, r)) take(k, s, r);
    for (int j = 0; j < s->vertex_count && k->best > 0; j++) {
        const double *v = s->vertex + 2 * (size_t)j, *w = s->vertex + 2 * (size_t)((j + 1) % s->vertex_count);
        const double g[3] = {1, k->mu * v[0], k->mu * v[1]}, h[3] = {1, k->mu * w[0], k->mu * w[1]};
        const double press = k->A[0] + k->A[1] * g[1] + k->A[2] * g[2];
        if (press > 0) {
            const double c = -k->b[0] / press;
            take(k, s, (double[3]){c, c * g[1], c * g[2]});
        }
        slide_on_side(k, s, g, h);
    }
}

// Newton's method from the answer on facets, as long as it gains
static void refine(one* k, const sti_section* section) {
    double u[3], F[3], dG[9], J[9], r[3], step[3];
    double first[3];
    memcpy(first, k->r, sizeof first);
    k->best = INFINITY;
    take(k, section, first);
    for (int i = 0; i < NEWTON_STEPS && k->best > 0; i++) {
        const double before = k->best;
        velocity(k, k->r, u);
        sti_section_equation(section, k->mu, k->rho, k->r, u, F, dG);
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++) {
                J[3 * a + b] = (a == b) - dG[3 * a + b];
                for (int e = 0; e < 3; e++) J[3 * a + b] += k->rho * dG[3 * a + e] * k->A[3 * e + b];
            }
        }
        if (!solve_3(J, F, step)) return;
        double t = 1;
        for (int half = 0; half < 6 && !(k->best < before); half++, t *= 0.5) {
            for (int a = 0; a < 3; a++) r[a] = k->r[a] - t * step[a];
            take(k, section, r);
        }
        if (!(k->best < before)) return;
    }
}

void sti_section_solve_one(const sti_section* section, const sti_section* facets, double mu, double rho,
                           const double* A, const double* b, double* r) {
    memset(r, 0, 3 * sizeof *r);
    if (b[0] >= 0 || !(A[0] > 0)) return;
    if (mu == 0) {
        r[0] = -b[0] / A[0];
        return;
    }
    if (section->shape == STI_SECTION_DISC) {
        sti_contact_solve_one(3, mu, A, b, r);
        return;
    }
    one k = {.mu = mu, .rho = rho, .A = A, .b = b, .best = INFINITY, .r = r};
    try_facets(&k, facets);
    if (section != facets) refine(&k, section);
}
