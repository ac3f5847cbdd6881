// contact.c: the independent check of an answer to a frictional contact problem.
//
// From the posed data and (r, v, l) alone, in long double:
//
//     local     u = W r + V l + q                  global    u = H'v + w
//
//     e_c = r_c - P_K(r_c - rho_c (u_c + mu_c |u_t,c| n)),       rho_c = d / trace W_cc
//     contact   |e| / max(|r|, |rho q|)
//     equation  local    |V'r + R l + s| / max(|s|, |V'r|, |R l|)
//               global   |M v - H r - G l - f| / max(|f|, |M v|, |H r|, |G l|)  +  |G'v + b| / max(|b|, |G'v|, joints)
//
// In the global form H_c' diag(M)^-1 H_c stands for W_cc and H'diag(M)^-1 f + w for q; velocities without mass do not
// count in either. A contact that moves nothing takes the mean unit of the others, and 1 if all are so. A point is
// accepted when the sum of the two is at most the tolerance: it is then an exact solution of a problem that near.
// Forces beyond FAR times those that would undo the data one by one do not count in full (runaway). What the answer
// says of itself (u, residuals, modes) is not used. The claim that there is no solution is checked by contact_farkas.c.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stiction/verify.h>

#include "base/env.h"
#include "verify/contact_farkas.h"
#include "verify/data.h"

#define TOGETHER 1e-5L  // part of the velocities that meet in a joint, against which it is measured at least
#define FAR 100  // forces this many times those that the data suggest make a residual relative to them worth less

typedef struct judge {
    const sti_contact_problem* p;
    int d, nc, n, nv, nb;  // n = d nc; nv = 0 for a local problem
    long double* memory;
    long double* r;         // (n)
    long double* v;         // (nv)
    long double* l;         // (nb)
    long double* u;         // (n)
    long double* drive;     // q, or H'diag(M)^-1 f + w       (n)
    long double* rho;       // (nc)
    long double* diagonal;  // of M                           (nv)
    long double* e;         // a sum                          (max(n, nv, nb))
    long double* t;         // a term of it                   (max(n, nv, nb))
} judge;

// --- the problem as data -------------------------------------------------------------------------------------------

static sti_status check_problem(sti_env* env, const sti_contact_problem* p) {
    if (p->dimension != 2 && p->dimension != 3)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the dimension is %d", p->dimension);
    if (p->contact_count < 0 || p->bilateral_count < 0 || (p->global && p->velocity_count < 0))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a count is negative");
    if (p->contact_count > INT_MAX / 9) return STI_FAIL(env, STI_ERR_SIZE, -1, "%d contacts", p->contact_count);
    const int n = p->dimension * p->contact_count, nb = p->bilateral_count, nv = p->velocity_count;
    sti_status status = sti_check_data_vector(env, "mu", p->mu, p->contact_count);
    for (int c = 0; status == STI_OK && c < p->contact_count; c++) {
        if (p->mu[c] < 0) status = STI_FAIL(env, STI_ERR_ARGUMENT, c, "mu[%d] is %g", c, p->mu[c]);
    }
    if (status != STI_OK) return status;
    if (p->global) {
        if ((status = sti_check_data_matrix(env, "M", &p->M, nv, nv, false)) == STI_OK &&
            (status = sti_check_data_matrix(env, "H", &p->H, nv, n, false)) == STI_OK &&
            (status = sti_check_data_matrix(env, "G", &p->G, nv, nb, false)) == STI_OK &&
            (status = sti_check_data_vector(env, "f", p->f, nv)) == STI_OK &&
            (status = sti_check_data_vector(env, "w", p->w, n)) == STI_OK)
            status = sti_check_data_vector(env, "b", p->b, nb);
        return status;
    }
    if (p->W_op == NULL)
        status = sti_check_data_matrix(env, "W", &p->W, n, n, false);
    else if (p->W_op->apply == NULL)
        status = STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the operator W has no apply");
    else
        status = sti_check_data_vector(env, "diagonal of W", p->W_op->diagonal, n * p->dimension);
    if (status == STI_OK && (status = sti_check_data_vector(env, "q", p->q, n)) == STI_OK &&
        (status = sti_check_data_matrix(env, "V", &p->V, n, nb, false)) == STI_OK &&
        (status = sti_check_data_matrix(env, "R", &p->R, nb, nb, false)) == STI_OK)
        status = sti_check_data_vector(env, "s", p->s, nb);
    return status;
}

// --- arithmetic ----------------------------------------------------------------------------------------------------

// y = A x or A'x, x (from), y (count). An empty matrix, whose fields were not checked, gives 0.
static void multiply(const sti_matrix* A, bool transposed, const long double* x, int from, long double* y, int count) {
    for (int i = 0; i < count; i++) y[i] = 0;
    if (from == 0 || count == 0) return;
    if (A->dense != NULL) {
        for (int i = 0; i < A->rows; i++) {
            for (int j = 0; j < A->cols; j++) {
                const long double a = A->dense[(size_t)i * (size_t)A->cols + (size_t)j];
                y[transposed ? j : i] += a * x[transposed ? i : j];
            }
        }
        return;
    }
    for (int j = 0; A->col_start != NULL && j < A->cols; j++) {
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++)
            y[transposed ? j : A->row[k]] += (long double)A->value[k] * x[transposed ? A->row[k] : j];
    }
}

static long double norm(const long double* x, int n) {
    long double s = 0;
    for (int i = 0; i < n; i++) s += x[i] * x[i];
    return sqrtl(s);
}

static long double tangent(int d, const long double* x) {
    return d == 2 ? fabsl(x[1]) : hypotl(x[1], x[2]);
}

// y = P_K(x)
static void project(int d, long double mu, const long double* x, long double* y) {
    const long double t = tangent(d, x);
    const bool inside = x[0] >= 0 && t <= mu * x[0], polar = mu * t <= -x[0];
    long double along = 1;  // share of the tangential part that stays
    y[0] = x[0];
    if (!inside) {
        y[0] = polar ? 0 : (x[0] + mu * t) / (1 + mu * mu);
        along = polar || t == 0 ? 0 : mu * y[0] / t;
    }
    for (int i = 1; i < d; i++) y[i] = along * x[i];
}

// e += sign * t, and the size of the largest term so far
static long double add_term(judge* k, int n, int sign, long double size) {
    for (int i = 0; i < n; i++) k->e[i] += sign * k->t[i];
    return fmaxl(size, norm(k->t, n));
}

static long double begin_sum(judge* k, const double* x, int n, int sign) {
    for (int i = 0; i < n; i++) {
        k->e[i] = 0;
        k->t[i] = x[i];
    }
    return add_term(k, n, sign, 0);
}

static long double relative(const judge* k, int n, long double size) {
    return size > 0 ? norm(k->e, n) / size : 0;
}

// --- the point -----------------------------------------------------------------------------------------------------

static sti_status open_judge(sti_env* env, judge* k, const sti_contact_problem* p, const sti_contact_answer* a) {
    *k = (judge){.p = p, .d = p->dimension, .nc = p->contact_count, .nb = p->bilateral_count};
    k->n = k->d * k->nc;
    k->nv = p->global ? p->velocity_count : 0;
    int longest = k->n > k->nv ? k->n : k->nv;
    if (k->nb > longest) longest = k->nb;
    const size_t n = (size_t)k->n, nv = (size_t)k->nv, nb = (size_t)k->nb;
    k->memory = sti_alloc_array_zero(env, 3 * n + 2 * nv + nb + (size_t)k->nc + 2 * (size_t)longest, sizeof *k->memory);
    if (k->memory == NULL) return STI_FAIL(env, STI_ERR_MEMORY, -1, "check of %d contacts", k->nc);
    k->r = k->memory;
    k->u = k->r + n;
    k->drive = k->u + n;
    k->v = k->drive + n;
    k->diagonal = k->v + nv;
    k->l = k->diagonal + nv;
    k->rho = k->l + nb;
    k->e = k->rho + k->nc;
    k->t = k->e + longest;
    for (size_t i = 0; i < n; i++) k->r[i] = a->r[i];
    for (size_t i = 0; i < nv; i++) k->v[i] = a->v[i];
    for (size_t i = 0; i < nb; i++) k->l[i] = a->lambda[i];
    return STI_OK;
}

static void read_diagonal(const sti_matrix* A, int n, long double* diagonal) {
    for (int j = 0; j < n; j++) {
        diagonal[j] = 0;
        if (A->dense != NULL) diagonal[j] = A->dense[(size_t)j * (size_t)n + (size_t)j];
        for (int64_t i = A->dense != NULL ? 0 : A->col_start[j]; A->dense == NULL && i < A->col_start[j + 1]; i++) {
            if (A->row[i] == j) diagonal[j] += A->value[i];
        }
    }
}

// H_ij^2 / M_ii added to the trace of the contact of column j
static void add_trace(judge* k, int i, int j, long double h) {
    if (k->diagonal[i] > 0) k->rho[j / k->d] += h * h / k->diagonal[i];
}

// rho from the traces
static void set_rho(judge* k) {
    const sti_contact_problem* p = k->p;
    if (p->global && k->n > 0 && k->nv > 0) {
        read_diagonal(&p->M, k->nv, k->diagonal);
        for (int j = 0; j < k->n; j++) {
            for (int i = 0; p->H.dense != NULL && i < k->nv; i++)
                add_trace(k, i, j, p->H.dense[(size_t)i * (size_t)k->n + (size_t)j]);
            for (int64_t i = p->H.dense != NULL ? 0 : p->H.col_start[j];
                 p->H.dense == NULL && i < p->H.col_start[j + 1]; i++)
                add_trace(k, p->H.row[i], j, p->H.value[i]);
        }
    } else if (!p->global && p->W_op != NULL) {
        for (int j = 0; j < k->n; j++)
            k->rho[j / k->d] += p->W_op->diagonal[(size_t)j * (size_t)k->d + (size_t)(j % k->d)];
    } else if (!p->global) {
        read_diagonal(&p->W, k->n, k->t);
        for (int j = 0; j < k->n; j++) k->rho[j / k->d] += k->t[j];
    }
    long double sum = 0;
    for (int c = 0; c < k->nc; c++) sum += k->rho[c];
    const long double unit = sum > 0 ? (long double)k->d * k->nc / sum : 1;
    for (int c = 0; c < k->nc; c++) k->rho[c] = k->rho[c] > 0 ? k->d / k->rho[c] : unit;
}

// drive and u. r_double and u_double (n): for an operator, which speaks doubles; NULL otherwise
static void set_velocities(judge* k, const double* r_double, double* u_double) {
    const sti_contact_problem* p = k->p;
    for (int j = 0; j < k->n; j++) k->drive[j] = p->global ? p->w[j] : p->q[j];
    if (p->global) {
        multiply(&p->H, true, k->v, k->nv, k->u, k->n);
        for (int j = 0; j < k->n; j++) k->u[j] += p->w[j];
        for (int i = 0; i < k->nv; i++) k->e[i] = k->diagonal[i] > 0 ? p->f[i] / k->diagonal[i] : 0;
        multiply(&p->H, true, k->e, k->nv, k->t, k->n);
        for (int j = 0; j < k->n; j++) k->drive[j] += k->t[j];
        return;
    }
    if (u_double != NULL) {
        p->W_op->apply(p->W_op->user, r_double, u_double);
        for (int j = 0; j < k->n; j++) k->u[j] = u_double[j];
    } else {
        multiply(&p->W, false, k->r, k->n, k->u, k->n);
    }
    if (k->nb > 0) multiply(&p->V, false, k->l, k->nb, k->t, k->n);
    for (int j = 0; j < k->n; j++) k->u[j] += p->q[j] + (k->nb > 0 ? k->t[j] : 0);
}

// Velocities that the joints undo: the largest of |G'D f|, |G'D H r|, |G'D G l|, D = diag(M)^-1, and TOGETHER |G|'|v|.
// Without it a joint at rest, or between bodies that move together, would be measured against its own rounding.
static long double joint_unit(judge* k) {
    const sti_contact_problem* p = k->p;
    long double unit = 0;
    read_diagonal(&p->M, k->nv, k->diagonal);
    for (int part = 0; part < 3; part++) {
        if (part == 0) {
            for (int i = 0; i < k->nv; i++) k->t[i] = p->f[i];
        } else if (part == 1) {
            multiply(&p->H, false, k->r, k->n, k->t, k->nv);
        } else {
            multiply(&p->G, false, k->l, k->nb, k->t, k->nv);
        }
        for (int i = 0; i < k->nv; i++) k->e[i] = k->diagonal[i] > 0 ? k->t[i] / k->diagonal[i] : 0;
        multiply(&p->G, true, k->e, k->nv, k->t, k->nb);
        unit = fmaxl(unit, norm(k->t, k->nb));
    }
    for (int j = 0; j < k->nb; j++) {
        k->t[j] = 0;
        for (int i = 0; p->G.dense != NULL && i < k->nv; i++)
            k->t[j] += fabsl(p->G.dense[(size_t)i * (size_t)k->nb + (size_t)j] * k->v[i]);
        for (int64_t e = p->G.dense != NULL ? 0 : p->G.col_start[j]; p->G.dense == NULL && e < p->G.col_start[j + 1];
             e++)
            k->t[j] += fabsl(p->G.value[e] * k->v[p->G.row[e]]);
    }
    return fmaxl(unit, TOGETHER * norm(k->t, k->nb));
}

static double equation_residual(judge* k) {
    const sti_contact_problem* p = k->p;
    long double size, total = 0;
    if (!p->global) {
        if (k->nb == 0) return 0;
        size = begin_sum(k, p->s, k->nb, 1);
        multiply(&p->V, true, k->r, k->n, k->t, k->nb);
        size = add_term(k, k->nb, 1, size);
        multiply(&p->R, false, k->l, k->nb, k->t, k->nb);
        size = add_term(k, k->nb, 1, size);
        return (double)relative(k, k->nb, size);
    }
    size = begin_sum(k, p->f, k->nv, -1);
    multiply(&p->M, false, k->v, k->nv, k->t, k->nv);
    size = add_term(k, k->nv, 1, size);
    multiply(&p->H, false, k->r, k->n, k->t, k->nv);
    size = add_term(k, k->nv, -1, size);
    if (k->nb > 0) {
        multiply(&p->G, false, k->l, k->nb, k->t, k->nv);
        size = add_term(k, k->nv, -1, size);
    }
    total = relative(k, k->nv, size);
    if (k->nb > 0) {
        const long double unit = joint_unit(k);
        size = fmaxl(begin_sum(k, p->b, k->nb, 1), unit);
        multiply(&p->G, true, k->v, k->nv, k->t, k->nb);
        size = add_term(k, k->nb, 1, size);
        total += relative(k, k->nb, size);
    }
    return (double)total;
}

// What the data ask of the bilateral rows, and what the multipliers are, in units of energy: l_k^2 times what l_k moves its
// own row by, and the velocity to be undone, squared, over it.
static void add_joints(judge* k, long double* force, long double* drive) {
    const sti_contact_problem* p = k->p;
    if (k->nb == 0) return;
    if (p->global) {
        read_diagonal(&p->M, k->nv, k->diagonal);
        for (int i = 0; i < k->nv; i++) k->e[i] = k->diagonal[i] > 0 ? p->f[i] / k->diagonal[i] : 0;
        multiply(&p->G, true, k->e, k->nv, k->t, k->nb);
    } else {
        read_diagonal(&p->R, k->nb, k->e);
    }
    for (int j = 0; j < k->nb; j++) {
        long double own = p->global ? 0 : k->e[j], velocity = p->global ? k->t[j] + p->b[j] : p->s[j];
        for (int i = 0; p->global && p->G.dense != NULL && i < k->nv; i++) {
            const long double g = p->G.dense[(size_t)i * (size_t)k->nb + (size_t)j];
            if (k->diagonal[i] > 0) own += g * g / k->diagonal[i];
        }
        for (int64_t i = p->G.dense == NULL && p->global && k->nv > 0 ? p->G.col_start[j] : 0;
             p->G.dense == NULL && p->global && k->nv > 0 && i < p->G.col_start[j + 1]; i++) {
            const long double g = p->G.value[i];
            if (k->diagonal[p->G.row[i]] > 0) own += g * g / k->diagonal[p->G.row[i]];
        }
        if (!(own > 0)) continue;
        *force += k->l[j] * k->l[j] * own;
        *drive += velocity * velocity / own;
    }
}

// How many times FAR the forces are beyond what would undo the velocities in the data one by one; at least 1. Residuals are
// relative to the forces, and forces that run away for ever would make any of them small.
static double runaway(judge* k) {
    long double force = 0, drive = 0;
    for (int j = 0; j < k->n; j++) {
        const long double rho = k->rho[j / k->d], unit = k->nb > 0 ? rho : 1, pull = k->nb > 0 ? rho : rho * rho;
        force += k->r[j] * k->r[j] / unit;
        drive += k->drive[j] * k->drive[j] * pull;
    }
    add_joints(k, &force, &drive);
    return drive > 0 ? (double)fmaxl(sqrtl(force / drive) / FAR, 1) : 1;
}

// The natural map, and what each contact violates.
static void contact_residual(judge* k, sti_contact_verification* out) {
    long double sum = 0, size = 0, drive = 0, largest = -1, cone = 0, gap = 0, power = 0;
    for (int c = 0; c < k->nc; c++) {
        const long double *r = k->r + (size_t)k->d * (size_t)c, *u = k->u + (size_t)k->d * (size_t)c;
        const long double *q = k->drive + (size_t)k->d * (size_t)c, mu = k->p->mu[c], rho = k->rho[c];
        const long double lift = mu * tangent(k->d, u);
        long double x[3] = {0}, y[3] = {0}, in[3] = {0}, e2 = 0, out2 = 0, work = r[0] * lift;
        for (int i = 0; i < k->d; i++) x[i] = r[i] - rho * (u[i] + (i == 0 ? lift : 0));
        project(k->d, mu, x, y);
        project(k->d, mu, r, in);
        for (int i = 0; i < k->d; i++) {
            e2 += (r[i] - y[i]) * (r[i] - y[i]);
            out2 += (r[i] - in[i]) * (r[i] - in[i]);
            size += r[i] * r[i];
            drive += rho * q[i] * (rho * q[i]);
            work += r[i] * u[i];
        }
        if (u[0] < 0 && rho * u[0] * (rho * u[0]) > e2)
            e2 = rho * u[0] * (rho * u[0]);  // penetration in full, whatever mu
        sum += e2;
        if (!(e2 <= largest)) {
            largest = e2;
            out->worst_contact = c;
        }
        cone = fmaxl(cone, sqrtl(out2));
        gap = fmaxl(gap, -u[0]);
        power = fmaxl(power, fabsl(work));
    }
    const long double unit = sqrtl(fmaxl(size, drive));
    out->residual_contact = (double)(unit > 0 ? sqrtl(sum) / unit : sqrtl(sum));
    out->worst_cone_violation = (double)cone;
    out->worst_penetration = (double)gap;
    out->worst_complementarity = (double)power;
}

// --- the answer ----------------------------------------------------------------------------------------------------

// Is x (n) there and finite? If not, the verdict says so.
static bool sound(const char* name, const double* x, int n, sti_contact_verification* out) {
    if (n > 0 && x == NULL) {
        STI_REJECT(out, "the answer has no %s", name);
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            STI_REJECT(out, "%s[%d] is %g, not a finite number", name, i, x[i]);
            return false;
        }
    }
    return true;
}

// Does the answer claim something that can be computed with?
static bool fits(const sti_contact_problem* p, const sti_contact_answer* a, sti_contact_verification* out) {
    const int n = p->dimension * p->contact_count, nv = p->global ? p->velocity_count : 0;
    if (a->outcome == STI_UNKNOWN || a->outcome == STI_LIMIT)
        STI_REJECT(out, "claims nothing");
    else if (a->outcome != STI_SOLVED && a->outcome != STI_NO_SOLUTION)
        STI_REJECT(out, "there is no outcome %d", (int)a->outcome);
    else if (a->dimension != p->dimension || a->contact_count != p->contact_count)
        STI_REJECT(out, "the answer has %d contacts in dimension %d, the problem %d in dimension %d", a->contact_count,
                   a->dimension, p->contact_count, p->dimension);
    else if (a->bilateral_count != p->bilateral_count)
        STI_REJECT(out, "the answer has %d bilateral rows, the problem %d", a->bilateral_count, p->bilateral_count);
    else if (a->outcome == STI_NO_SOLUTION)
        return true;  // the point is of no importance
    else if (p->global && nv > 0 && a->v == NULL)
        STI_REJECT(out, "the answer to a global problem must bring v, and has none");
    else if (p->global && a->velocity_count != nv)
        STI_REJECT(out, "the answer has %d velocities, the problem %d", a->velocity_count, nv);
    else
        return sound("r", a->r, n, out) && sound("v", a->v, nv, out) &&
               sound("lambda", a->lambda, p->bilateral_count, out);
    return false;
}

sti_status sti_verify_contact(sti_env* env, const sti_contact_problem* p, const sti_contact_answer* a, double tol,
                              sti_contact_verification* out) {
    if (out == NULL) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "there is no place for the verdict");
    *out = (sti_contact_verification){.residual = NAN,
                                      .residual_contact = NAN,
                                      .residual_equation = NAN,
                                      .worst_contact = -1,
                                      .worst_cone_violation = NAN,
                                      .worst_penetration = NAN,
                                      .worst_complementarity = NAN,
                                      .bound = NAN};
    STI_REJECT(out, "nothing was checked");
    if (p == NULL || a == NULL)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "there is no %s", p == NULL ? "problem" : "answer");
    if (!(tol >= 0) || isinf(tol)) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the tolerance is %g", tol);
    sti_status status = check_problem(env, p);
    if (status != STI_OK) return status;
    out->claim = a->outcome;
    if (!fits(p, a, out)) return STI_OK;
    if (a->outcome == STI_NO_SOLUTION) return sti_contact_check_farkas(env, p, a, out);
    judge k;
    status = open_judge(env, &k, p, a);
    if (status != STI_OK) return status;
    double* u = NULL;
    if (!p->global && p->W_op != NULL) {
        u = sti_alloc_array_zero(env, (size_t)k.n, sizeof *u);
        if (u == NULL) status = STI_FAIL(env, STI_ERR_MEMORY, -1, "check of %d contacts", k.nc);
    }
    if (status == STI_OK) {
        set_rho(&k);
        set_velocities(&k, a->r, u);
        out->residual_equation = equation_residual(&k);
        contact_residual(&k, out);
        out->residual = out->residual_contact + out->residual_equation;
        const double far = runaway(&k);
        double judged = out->residual;
        // against forces that large the data may be lost in rounding, and a residual of 0 is worth no more than epsilon
        if (far > 1)
            judged = (k.nb > 0 ? far : 1) * out->residual_equation + far * fmax(out->residual_contact, LDBL_EPSILON);
        out->accepted = judged <= tol;
        if (out->residual <= tol && !out->accepted)
            snprintf(out->text, sizeof out->text,
                     "not solved: residual %.3g only against forces that are %.3g times those in the data",
                     out->residual, FAR * far);
        else
            snprintf(out->text, sizeof out->text,
                     out->accepted
                         ? "solved: residual %.3g (contact %.3g, equations %.3g), at most %.3g; worst contact %d"
                         : "not solved: residual %.3g (contact %.3g, equations %.3g), above %.3g; worst contact %d",
                     out->residual, out->residual_contact, out->residual_equation, tol, out->worst_contact);
    }
    sti_free(env, u);
    sti_free(env, k.memory);
    return status;
}
