// residual.c: how well (r, v, lambda) solves a posed contact problem, on the original data.
//
//     local     natural map at u = W r + V l + q;  bilateral rows |V'r + R l + s| / max(|s|, |V'r|, |R l|)
//     global    the same map at u = H'v + w, with W_cc replaced by H_c' D H_c in rho, D = diag(M)^-1;  plus
//               |M v - H r - G l - f| / max(|f|, |M v|, |H r|, |G l|)  and
//               |G'v + b| / max(|b|, |G'v|, |G'D f|, |G'D H r|, |G'D G l|, 1e-5 |G|'|v|)
//
// The unit of r in a global problem is max(|r|, |rho w'|), w' = H'D f + w: what r would have to undo. The last three sizes
// are the velocities that a joint undoes, and a small part of those that pass through it: one at rest, or one that
// carries nothing between bodies that move together, is not measured against its own rounding.
#include <math.h>

#include "contact/contact.h"
#include "contact/posed.h"
#include "linalg/matrix.h"

static double norm(const double* x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i] * x[i];
    return sqrt(s);
}

// y (count) = A x or A'x, whatever the storage; an empty matrix gives 0
static void multiply(const sti_matrix* A, bool transposed, const double* x, double* y, int count) {
    for (int i = 0; i < count; i++) y[i] = 0;
    if (!transposed) {
        sti_matrix_multiply_add(A, x, y);
    } else if (A->dense != NULL) {
        for (int i = 0; i < A->rows; i++) {
            for (int j = 0; j < A->cols; j++) y[j] += A->dense[(size_t)i * (size_t)A->cols + (size_t)j] * x[i];
        }
    } else if (A->col_start != NULL) {
        for (int j = 0; j < A->cols; j++) {
            for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) y[j] += A->value[k] * x[A->row[k]];
        }
    }
}

// trace of W_cc, or of its diagonal-mass stand-in
void sti_contact_traces(const sti_contact_problem* p, double* trace) {
    const int d = p->dimension;
    for (int c = 0; c < p->contact_count; c++) {
        trace[c] = 0;
        for (int i = 0; i < d; i++) {
            const int k = d * c + i;
            if (p->W_op != NULL)
                trace[c] += p->W_op->diagonal[(size_t)c * (size_t)(d * d) + (size_t)(i * d + i)];
            else if (!p->global)
                trace[c] += sti_matrix_get(&p->W, k, k);
        }
    }
    if (!p->global) return;
    for (int j = 0; j < d * p->contact_count; j++) {
        if (p->H.dense != NULL) {
            for (int i = 0; i < p->velocity_count; i++) {
                const double h = p->H.dense[(size_t)i * (size_t)p->H.cols + (size_t)j],
                             m = h != 0 ? sti_matrix_get(&p->M, i, i) : 0;
                if (m > 0) trace[j / d] += h * h / m;
            }
        } else {
            for (int64_t k = p->H.col_start[j]; k < p->H.col_start[j + 1]; k++) {
                const double m = sti_matrix_get(&p->M, p->H.row[k], p->H.row[k]);
                if (m > 0) trace[j / d] += p->H.value[k] * p->H.value[k] / m;
            }
        }
    }
}

// What u is made of apart from r: q, or H'diag(M)^-1 f + w. work (nv)
static void driving_velocity(const sti_contact_problem* p, double* work, double* w) {
    const int n = p->dimension * p->contact_count;
    if (!p->global) {
        for (int j = 0; j < n; j++) w[j] = p->q[j];
        return;
    }
    for (int i = 0; i < p->velocity_count; i++) {
        const double m = sti_matrix_get(&p->M, i, i);
        work[i] = m > 0 ? p->f[i] / m : 0;
    }
    multiply(&p->H, true, work, w, n);
    for (int j = 0; j < n; j++) w[j] += p->w[j];
}

// |A x + B y + c| relative to its largest part, or to unit when that is larger; e, t scratch (rows)
static double relative_sum(const sti_matrix* A, bool A_transposed, const double* x, const sti_matrix* B,
                           const double* y, const double* c, int rows, double unit, double* e, double* t) {
    double size = fmax(norm(c, rows), unit);
    for (int i = 0; i < rows; i++) e[i] = c[i];
    multiply(A, A_transposed, x, t, rows);
    size = fmax(size, norm(t, rows));
    for (int i = 0; i < rows; i++) e[i] += t[i];
    if (B != NULL) {
        multiply(B, false, y, t, rows);
        size = fmax(size, norm(t, rows));
        for (int i = 0; i < rows; i++) e[i] += t[i];
    }
    return size > 0 ? norm(e, rows) / size : 0;
}

// Velocities that the joints undo: the largest of |G'D f|, |G'D H r|, |G'D G l|, and a part of |G|'|v|; x, t scratch
static double joint_unit(const sti_contact_problem* p, const sti_contact_answer* a, double* x, double* t) {
    const int nv = p->velocity_count, nb = p->bilateral_count;
    double unit = 0;
    for (int part = 0; part < 3; part++) {
        if (part == 1) multiply(&p->H, false, a->r, x, nv);
        if (part == 2) multiply(&p->G, false, a->lambda, x, nv);
        for (int i = 0; i < nv; i++) {
            const double m = sti_matrix_get(&p->M, i, i);
            x[i] = m > 0 ? (part == 0 ? p->f[i] : x[i]) / m : 0;
        }
        multiply(&p->G, true, x, t, nb);
        unit = fmax(unit, norm(t, nb));
    }
    for (int k = 0; k < nb; k++) {
        t[k] = 0;
        for (int i = 0; p->G.dense != NULL && i < nv; i++)
            t[k] += fabs(p->G.dense[(size_t)i * (size_t)nb + (size_t)k] * a->v[i]);
        for (int64_t e = p->G.dense != NULL ? 0 : p->G.col_start[k]; p->G.dense == NULL && e < p->G.col_start[k + 1];
             e++)
            t[k] += fabs(p->G.value[e] * a->v[p->G.row[e]]);
    }
    return fmax(unit, STI_CONTACT_TOGETHER * norm(t, nb));
}

// |M v - H r - G l - f| relative to its largest part
static double equation_residual(const sti_contact_problem* p, const sti_contact_answer* a, double* e, double* t) {
    const int nv = p->velocity_count;
    double size = norm(p->f, nv);
    multiply(&p->M, false, a->v, e, nv);
    size = fmax(size, norm(e, nv));
    multiply(&p->H, false, a->r, t, nv);
    size = fmax(size, norm(t, nv));
    for (int i = 0; i < nv; i++) e[i] -= t[i] + p->f[i];
    if (p->bilateral_count > 0) {
        multiply(&p->G, false, a->lambda, t, nv);
        size = fmax(size, norm(t, nv));
        for (int i = 0; i < nv; i++) e[i] -= t[i];
    }
    return size > 0 ? norm(e, nv) / size : 0;
}

// u of the point, on the original data
static void recompute_u(const sti_contact_problem* p, sti_contact_answer* a, double* t) {
    const int n = p->dimension * p->contact_count;
    if (p->global) {
        multiply(&p->H, true, a->v, a->u, n);
        for (int j = 0; j < n; j++) a->u[j] += p->w[j];
        return;
    }
    if (p->W_op != NULL)
        p->W_op->apply(p->W_op->user, a->r, a->u);
    else
        multiply(&p->W, false, a->r, a->u, n);
    for (int j = 0; j < n; j++) a->u[j] += p->q[j];
    if (p->bilateral_count > 0) {
        multiply(&p->V, false, a->lambda, t, n);
        for (int j = 0; j < n; j++) a->u[j] += t[j];
    }
}

sti_status sti_contact_residual(sti_env* env, const sti_contact_problem* p, sti_contact_answer* a) {
    const sti_status checked = sti_contact_check(env, p);
    return checked == STI_OK ? sti_contact_measure(env, p, a) : checked;
}

sti_status sti_contact_measure(sti_env* env, const sti_contact_problem* p, sti_contact_answer* a) {
    const int n = p->dimension * p->contact_count, nb = p->bilateral_count, nv = p->velocity_count;
    const size_t longest = (size_t)n + (size_t)nv + (size_t)nb;
    double* e = sti_alloc_array(env, 2 * longest, sizeof *e);
    double* rho = sti_alloc_array(env, (size_t)p->contact_count + (size_t)n, sizeof *rho);
    if (e == NULL || rho == NULL) {
        sti_free(env, e);
        sti_free(env, rho);
        return STI_FAIL(env, STI_ERR_MEMORY, -1, "residual of a contact problem");
    }
    double *t = e + longest, *w = rho + p->contact_count;
    recompute_u(p, a, t);
    a->residual_equation = 0;
    if (p->global) {
        a->residual_equation = equation_residual(p, a, e, t);
        if (nb > 0)
            a->residual_equation += relative_sum(&p->G, true, a->v, NULL, NULL, p->b, nb, joint_unit(p, a, e, t), e, t);
    } else if (nb > 0) {
        a->residual_equation = relative_sum(&p->V, true, a->r, &p->R, a->lambda, p->s, nb, 0, e, t);
    }
    sti_contact_local local = {.env = env, .d = p->dimension, .nc = p->contact_count, .mu = p->mu, .rho = rho};
    sti_contact_traces(p, rho);
    driving_velocity(p, e, w);
    local.scale = sti_contact_rho(p->dimension, p->contact_count, w, rho);
    a->residual_contact = sti_contact_natural_map(&local, a->r, a->u, &a->worst_contact);
    a->residual = a->residual_contact + a->residual_equation;
    sti_free(env, e);
    sti_free(env, rho);
    return STI_OK;
}

// --- forces that run away ------------------------------------------------------------------------------------------

// Velocities that the bilateral rows have to undo (t, nb) and what each multiplier moves its own row by (own, nb): s and the
// diagonal of R, or G'D f + b and that of G'D G. x (nv) scratch
static void joint_data(const sti_contact_problem* p, double* x, double* t, double* own) {
    const int nb = p->bilateral_count, nv = p->velocity_count;
    for (int k = 0; k < nb; k++) {
        t[k] = p->global ? 0 : p->s[k];
        own[k] = p->global ? 0 : sti_matrix_get(&p->R, k, k);
    }
    if (!p->global || nv == 0) return;
    for (int i = 0; i < nv; i++) {
        const double m = sti_matrix_get(&p->M, i, i);
        x[i] = m > 0 ? p->f[i] / m : 0;
    }
    multiply(&p->G, true, x, t, nb);
    for (int i = 0; i < nv; i++) {
        const double m = sti_matrix_get(&p->M, i, i);
        x[i] = m > 0 ? 1 / m : 0;
    }
    for (int k = 0; k < nb; k++) {
        t[k] += p->b[k];
        const int64_t first = p->G.dense != NULL ? 0 : p->G.col_start[k],
                      last = p->G.dense != NULL ? nv : p->G.col_start[k + 1];
        for (int64_t e = first; e < last; e++) {
            const double g = p->G.dense != NULL ? p->G.dense[(size_t)e * (size_t)nb + (size_t)k] : p->G.value[e];
            own[k] += g * g * x[p->G.dense != NULL ? (int)e : p->G.row[e]];
        }
    }
}

sti_status sti_contact_runaway(sti_env* env, const sti_contact_problem* p, const sti_contact_answer* a, double* far) {
    const int d = p->dimension, n = d * p->contact_count, nb = p->bilateral_count;
    const size_t nv = p->global ? (size_t)p->velocity_count : 0;
    double* rho = sti_alloc_array(env, (size_t)p->contact_count, sizeof *rho);
    double* w = sti_alloc_array(env, (size_t)n + nv + 2 * (size_t)nb, sizeof *w);
    sti_status status = STI_OK;
    if (rho == NULL || w == NULL) {
        status = STI_FAIL(env, STI_ERR_MEMORY, -1, "sizes of %d contacts", p->contact_count);
    } else {
        double *x = w + n, *t = x + nv, *own = t + nb, force = 0, drive = 0;
        sti_contact_traces(p, rho);
        driving_velocity(p, x, w);
        sti_contact_rho(d, p->contact_count, w, rho);
        joint_data(p, x, t, own);
        for (int i = 0; i < n; i++) {
            force += a->r[i] * a->r[i] / rho[i / d];
            drive += w[i] * w[i] * rho[i / d];
        }
        for (int k = 0; k < nb; k++) {
            if (!(own[k] > 0)) continue;
            force += a->lambda[k] * a->lambda[k] * own[k];
            drive += t[k] * t[k] / own[k];
        }
        *far = drive > 0 ? sqrt(force / drive) / STI_CONTACT_FARTHEST : 0;
    }
    sti_free(env, rho);
    sti_free(env, w);
    return status;
}
