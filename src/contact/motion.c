// motion.c: motions and forces of a contact problem, and what they are worth on the original data.
#include "contact/motion.h"

#include <float.h>
#include <math.h>

#include "contact/cone.h"
#include "contact/entries.h"

void sti_motion_clear(sti_motion* m) {
    if (m->env == NULL) return;
    sti_matrix_clear(m->env, &m->C);
    sti_free(m->env, m->step);
    sti_free(m->env, m->weight);
    *m = (sti_motion){0};
}

// --- units ---------------------------------------------------------------------------------------------------------

// Velocities by the root of their mass, forces by the root of what they move; what has neither takes the mean.
static void set_steps(sti_motion* m, const sti_contact_problem* p) {
    double mean = 0;
    int count = 0;
    for (int i = 0; i < m->nx; i++) {
        double x;
        if (p->global)
            x = sti_matrix_get(&p->M, i, i);
        else
            x = sti_matrix_get(&m->C, i, i);  // of W or R
        m->step[i] = x > 0 ? 1 / sqrt(x) : 0;
        mean += m->step[i];
        count += x > 0;
    }
    mean = count > 0 ? mean / count : 1;
    for (int i = 0; i < m->nx; i++) {
        if (m->step[i] == 0) m->step[i] = mean;
    }
    // the directions of a contact share one unit
    for (int c = 0; !p->global && c < m->nc; c++) {
        double least = INFINITY;
        for (int i = 0; i < m->d; i++) least = fmin(least, m->step[m->d * c + i]);
        for (int i = 0; i < m->d; i++) m->step[m->d * c + i] = least;
    }
}

static void set_weights(sti_motion* m) {
    for (int i = 0; i < m->n + m->nb; i++) m->weight[i] = 0;
    for (int j = 0; j < m->nx; j++) {
        for (int64_t k = m->C.col_start[j]; k < m->C.col_start[j + 1]; k++) {
            const double x = m->C.value[k] * m->step[j];
            m->weight[m->C.row[k]] += x * x;
        }
    }
    double mean = 0;
    int count = 0;
    for (int i = 0; i < m->n + m->nb;) {
        const int rows = i < m->n ? m->d : 1;
        double sum = 0;
        for (int k = 0; k < rows; k++) sum += m->weight[i + k];
        const double weight = sum > 0 ? sqrt(rows / sum) : 0;
        for (int k = 0; k < rows; k++) m->weight[i + k] = weight;
        mean += weight;
        count += weight > 0;
        i += rows;
    }
    mean = count > 0 ? mean / count : 1;
    m->unit = 0;
    for (int i = 0; i < m->n + m->nb; i++) {
        if (m->weight[i] == 0) m->weight[i] = mean;
        m->unit = fmax(m->unit, m->weight[i] * fabs(i < m->n ? m->w[i] : m->b[i - m->n]));
    }
    if (m->unit == 0) m->unit = 1;
}

static void set_least(sti_motion* m) {
    double most = 0;
    m->least = INFINITY;
    for (int i = 0; i < m->n; i += m->d) most = fmax(most, m->weight[i] * fabs(m->w[i]));
    for (int i = 0; i < m->n; i += m->d) {
        const double given = m->weight[i] * fabs(m->w[i]);
        if (given > 1e-14 * most) m->least = fmin(m->least, given);
    }
    if (isinf(m->least)) m->least = m->unit;
}

sti_status sti_motion_create(sti_env* env, const sti_contact_problem* p, sti_motion* m) {
    *m = (sti_motion){.env = env, .d = p->dimension, .nc = p->contact_count, .nb = p->bilateral_count, .mu = p->mu};
    m->n = m->d * m->nc;
    m->nx = p->global ? p->velocity_count : m->n + m->nb;
    m->w = p->global ? p->w : p->q;
    m->b = p->global ? p->b : p->s;
    if (!p->global && p->W_op != NULL) {
        *m = (sti_motion){0};
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "W must be a matrix, not an operator");
    }
    sti_entries e = {.env = env};
    if (p->global) {
        sti_entries_add_matrix(&e, &p->H, true, 0, 0, 1);
        if (m->nb > 0) sti_entries_add_matrix(&e, &p->G, true, m->n, 0, 1);
    } else {
        sti_entries_add_matrix(&e, &p->W, false, 0, 0, 1);
        if (m->nb > 0) {
            sti_entries_add_matrix(&e, &p->V, false, 0, m->n, 1);
            sti_entries_add_matrix(&e, &p->V, true, m->n, 0, 1);
            sti_entries_add_matrix(&e, &p->R, false, m->n, m->n, 1);
        }
    }
    sti_status status = sti_entries_finish(&e, m->n + m->nb, m->nx, &m->C);
    if (status == STI_OK) {
        m->step = sti_alloc_array(env, (size_t)m->nx, sizeof *m->step);
        m->weight = sti_alloc_array(env, (size_t)(m->n + m->nb), sizeof *m->weight);
        if (m->step == NULL || m->weight == NULL) status = STI_ERR_MEMORY;
    }
    if (status != STI_OK) {
        sti_motion_clear(m);
        return status;
    }
    set_steps(m, p);
    set_weights(m);
    set_least(m);
    for (int j = 0; j < m->nx; j++) {
        const double mass = p->global ? sti_matrix_get(&p->M, j, j) : 0;
        m->reach += m->step[j] * m->unit + (mass > 0 ? fabs(p->f[j]) / mass : 0);
        if (mass > 0) m->pace += fabs(p->f[j]) * m->step[j];
    }
    for (int i = 0; i < m->n + m->nb; i++) m->pace += m->weight[i] * fabs(i < m->n ? m->w[i] : m->b[i - m->n]);
    return STI_OK;
}

// --- what a motion or a force is worth -----------------------------------------------------------------------------

sti_motion_check sti_motion_judge(const sti_motion* m, const double* x, bool data, bool friction, double* sum) {
    sti_motion_check check = {.margin = INFINITY, .normal = INFINITY};
    double largest = 0;  // of the sums of sizes, which bound the rounding
    const int rows = m->n + m->nb;
    double* size = sum + rows;
    for (int i = 0; i < rows; i++) {
        sum[i] = !data ? 0 : i < m->n ? m->w[i] : m->b[i - m->n];
        size[i] = fabs(sum[i]);
    }
    for (int j = 0; j < m->nx; j++) {
        for (int64_t k = m->C.col_start[j]; k < m->C.col_start[j + 1]; k++) {
            const double term = m->C.value[k] * x[j];
            sum[m->C.row[k]] += term;
            size[m->C.row[k]] += fabs(term);
        }
    }
    const double epsilon = DBL_EPSILON * (m->nx + 1.0);  // a row has at most nx + 1 terms
    for (int i = 0; i < rows; i++) largest = fmax(largest, m->weight[i] * size[i]);
    for (int c = 0; c < m->nc; c++) {
        const double *u = sum + (size_t)m->d * (size_t)c, weight = m->weight[m->d * c];
        const double slip = sti_cone_slip_safe(m->d, u);
        check.margin = fmin(check.margin, weight * (u[0] - (friction ? m->mu[c] * slip : 0)));
        check.normal = fmin(check.normal, weight * (u[0] + epsilon * size[m->d * c]));
        check.size = fmax(check.size, weight * hypot(u[0], slip));
    }
    for (int k = m->n; k < rows; k++) check.defect = fmax(check.defect, m->weight[k] * fabs(sum[k]));
    check.rounding = epsilon * largest;
    return check;
}

sti_force_check sti_motion_judge_force(const sti_motion* m, const double* r, const double* lambda) {
    sti_force_check check = {0};
    double worst = 0, all = 0, work = 0, sizes = 0;
    for (int j = 0; j < m->nx; j++) {
        double sum = 0, size = 0;
        for (int64_t k = m->C.col_start[j]; k < m->C.col_start[j + 1]; k++) {
            const int i = m->C.row[k];
            const double term = m->C.value[k] * (i < m->n ? r[i] : lambda[i - m->n]);
            sum += term;
            size += fabs(term);
        }
        const double count = (double)(m->C.col_start[j + 1] - m->C.col_start[j]) + 1;
        const double row = fabs(sum) + DBL_EPSILON * count * size;
        worst = fmax(worst, row);
        all += m->step[j] * row;
        check.size = fmax(check.size, m->step[j] * size);
        check.defect = fmax(check.defect, m->step[j] * row);
    }
    for (int i = 0; i < m->n + m->nb; i++) {
        const double term = i < m->n ? r[i] * m->w[i] : lambda[i - m->n] * m->b[i - m->n];
        work += term;
        sizes += fabs(term);
    }
    check.work = work + DBL_EPSILON * (double)(m->n + m->nb + 1) * sizes;
    if (check.work < 0) check.bound = worst > 0 ? -check.work / worst : INFINITY;
    if (check.work < 0) check.paces = worst > 0 ? -check.work / all : INFINITY;
    return check;
}
