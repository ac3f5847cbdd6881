// residual.c: how well (r, v, lambda) solves a posed contact problem, on the original data.
//
// Every row is measured against the sizes of its own terms (docs/contact.md), so that no scaling of a row changes
// anything:
//
//     local     u_c = W r + V l + q             own   |q_n| + (|W||r| + |V||l|)_n for u_n, and norms of all d rows for
//                                                     u_t
//               0 = V'r + R l + s               |s| + |V|'|r| + |R||l|
//     global    M v = H r + G l + f             |M||v| + |H||r| + |G||l| + |f|
//               u_c = H'v + w                   own   |H|'D |H r + G l| + |u - H'D (H r + G l)| + 1e-5 (|H|'|v| + |w|)
//               0 = G'v + b                     the same
//
// with D = diag(M)^-1, where |H r + G l| stands for |H||r| + |G||l|: the velocities that forces make, one by one, and
// what is left of u without them. The last part is for rows that carry nothing between bodies that move together: these
// are not measured against their own rounding. Velocities without mass have no D. A contact that touches none but those
// borrows the units of the others.
#include <math.h>
#include <string.h>

#include "contact/contact.h"
#include "contact/gauge.h"
#include "contact/islands.h"
#include "contact/posed.h"

// What a row (H_j or G_j)'v + w is made of.
typedef struct row_terms {
    double value;     // the sum
    double meeting;   // |H_j|'|v| + |w|
    double made;      // |H_j|'D (|H||r| + |G||l|)
    double net;       // H_j'D (H r + G l)
    double given;     // H_j'D f + w
    double mobility;  // H_j'D H_j
    bool massless;    // it touches a velocity without mass
} row_terms;

typedef sti_contact_gauge measure;

// ---- arithmetic

// sum += A x, size += |A||x|; an empty matrix adds nothing
static void add_product(const sti_matrix* A, const double* x, double* sum, double* size) {
    if (A->dense != NULL) {
        for (int i = 0; i < A->rows; i++) {
            const double* row = A->dense + (size_t)i * (size_t)A->cols;
            double s = 0, t = 0;
            for (int j = 0; j < A->cols; j++) {
                s += row[j] * x[j];
                t += fabs(row[j] * x[j]);
            }
            sum[i] += s;
            size[i] += t;
        }
        return;
    }
    for (int j = 0; A->col_start != NULL && j < A->cols; j++) {
        if (x[j] == 0) continue;
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) {
            const double t = A->value[k] * x[j];
            sum[A->row[k]] += t;
            size[A->row[k]] += fabs(t);
        }
    }
}

// the same with A'
static void add_transposed(const sti_matrix* A, const double* x, double* sum, double* size) {
    const bool dense = A->dense != NULL;
    for (int j = 0; (dense || A->col_start != NULL) && j < A->cols; j++) {
        const int64_t first = dense ? 0 : A->col_start[j], last = dense ? A->rows : A->col_start[j + 1];
        for (int64_t k = first; k < last; k++) {
            const double t =
                dense ? A->dense[(size_t)k * (size_t)A->cols + (size_t)j] * x[k] : A->value[k] * x[A->row[k]];
            sum[j] += t;
            size[j] += fabs(t);
        }
    }
}

static double norm(int d, const double* x) {
    double s = 0;
    for (int i = 0; i < d; i++) s += x[i] * x[i];
    return sqrt(s);
}

// Islands, and the energies of the bilateral rows in them
static void find_islands(measure* k) {
    const int items = k->nc + k->nb + k->nv;
    bool trusted = sti_contact_judge_trusted(k->d, k->nc, k->a->r, k->q, k->a->u, k->rho);
    for (int j = 0; j < k->nb && trusted; j++) {
        const double own = k->root[j] * k->root[j];
        trusted = own * fabs(k->a->lambda[j]) <= STI_CONTACT_FARTHEST * fabs(k->joint_given[j]);
    }
    k->energies = trusted ? 1 : items;
    k->island = trusted ? k->one : k->joined;
    if (!trusted && !k->islands_known) sti_contact_islands(k->p, k->joined);
    k->islands_known |= !trusted;
    for (int i = 0; i < k->energies; i++) k->energy[i] = (sti_contact_energy){0};
    for (int j = 0; j < k->nb; j++) {
        const double root = k->root[j], force = root * k->a->lambda[j], drive = k->joint_given[j] / root;
        if (!(root > 0)) continue;
        k->energy[k->island[k->nc + j]].force += force * force;
        k->energy[k->island[k->nc + j]].drive += drive * drive;
    }
}

// ---- local form

static void measure_local_contacts(measure* k) {
    const sti_contact_problem* p = k->p;
    double* u = k->a->u;
    for (int i = 0; i < k->n; i++) {
        u[i] = k->q[i] = p->q[i];
        k->size[i] = 0;
    }
    add_product(&p->W, k->a->r, u, k->size);
    if (k->nb > 0) add_product(&p->V, k->a->lambda, u, k->size);
    for (int c = 0; c < k->nc; c++) {
        const size_t at = (size_t)k->d * (size_t)c;
        k->own[2 * c] = fabs(k->q[at]) + k->size[at];
        k->own[2 * c + 1] = norm(k->d, k->q + at) + norm(k->d, k->size + at);
    }
}

// An operator does not show its terms: the part of the contact itself, that of all others together, and a little of
// what all forces would make of it.
static void measure_operator(measure* k) {
    const sti_contact_problem* p = k->p;
    const size_t d = (size_t)k->d;
    double *u = k->a->u, force = 0;
    p->W_op->apply(p->W_op->user, k->a->r, u);
    for (int i = 0; i < k->n; i++) k->q[i] = k->size[i] = 0;
    if (k->nb > 0) add_product(&p->V, k->a->lambda, k->q, k->size);
    for (int c = 0; c < k->nc; c++) {
        const double x = norm(k->d, k->a->r + d * (size_t)c);
        if (k->rho[c] > 0) force += x * x / k->rho[c];
    }
    for (size_t c = 0; c < (size_t)k->nc; c++) {
        double self[3] = {0}, others[3] = {0};
        for (size_t i = 0; i < d; i++) {
            for (size_t j = 0; j < d; j++) self[i] += p->W_op->diagonal[(c * d + i) * d + j] * k->a->r[c * d + j];
            others[i] = u[c * d + i] - self[i];
            u[c * d + i] += p->q[c * d + i] + k->q[c * d + i];
            k->q[c * d + i] = p->q[c * d + i];
        }
        const double little = k->rho[c] > 0 ? STI_CONTACT_TOGETHER * sqrt(force * k->d / k->rho[c]) : 0;
        k->own[2 * c] = fabs(k->q[c * d]) + fabs(self[0]) + fabs(others[0]) + k->size[c * d] + little;
        k->own[2 * c + 1] =
            norm(k->d, k->q + c * d) + norm(k->d, self) + norm(k->d, others) + norm(k->d, k->size + c * d) + little;
    }
}

static void measure_local_rows(measure* k) {
    const sti_contact_problem* p = k->p;
    for (int j = 0; j < k->nb; j++) {
        const double own = sti_matrix_get(&p->R, j, j);
        k->joint[j] = k->joint_given[j] = p->s[j];
        k->joint_terms[j] = fabs(p->s[j]);
        k->root[j] = own > 0 ? sqrt(own) : 0;
    }
    add_transposed(&p->V, k->a->r, k->joint, k->joint_terms);
    add_product(&p->R, k->a->lambda, k->joint, k->joint_terms);
}

static void set_rho(measure* k) {
    sti_contact_traces(k->p, k->rho);
    for (int c = 0; c < k->nc; c++) k->rho[c] = k->rho[c] > 0 ? k->d / k->rho[c] : 0;
}

static void measure_local(measure* k) {
    if (k->p->W_op != NULL)
        measure_operator(k);
    else
        measure_local_contacts(k);
    if (k->nb > 0) measure_local_rows(k);
    find_islands(k);
    for (int i = 0; i < k->n; i++) k->energy[k->island[i / k->d]].net += k->a->r[i] * (k->a->u[i] - k->q[i]);
    for (int j = 0; j < k->nb; j++) k->energy[k->island[k->nc + j]].net += k->a->lambda[j] * (k->joint[j] - k->p->s[j]);
}

// ---- global form

static void set_inverse(measure* k) {
    const sti_matrix* M = &k->p->M;
    for (int i = 0; i < k->nv; i++) {
        double m = 0;
        if (M->dense != NULL) {
            m = M->dense[(size_t)i * (size_t)k->nv + (size_t)i];
        } else {
            for (int64_t e = M->col_start[i]; e < M->col_start[i + 1]; e++) m += M->row[e] == i ? M->value[e] : 0;
        }
        k->inverse[i] = m > 0 ? 1 / m : 0;
        k->root[k->nb + i] = m > 0 ? sqrt(m) : 0;
    }
}

// M v = H r + G l + f, row by row; sets load and pull
static void measure_balance(measure* k) {
    const sti_contact_problem* p = k->p;
    for (int i = 0; i < k->nv; i++) {
        k->load[i] = k->pull[i] = 0;
        k->balance[i] = -p->f[i];
        k->balance_terms[i] = fabs(p->f[i]);
    }
    add_product(&p->H, k->a->r, k->load, k->pull);
    if (k->nb > 0) add_product(&p->G, k->a->lambda, k->load, k->pull);
    add_product(&p->M, k->a->v, k->balance, k->balance_terms);
    for (int i = 0; i < k->nv; i++) {
        k->balance[i] -= k->load[i];
        k->balance_terms[i] += k->pull[i];
    }
}

static row_terms read_row(const measure* k, const sti_matrix* A, int j, double w) {
    row_terms t = {.value = w, .meeting = fabs(w), .given = w};
    const bool dense = A->dense != NULL;
    const int64_t first = dense || k->nv == 0 ? 0 : A->col_start[j];
    const int64_t last = dense || k->nv == 0 ? k->nv : A->col_start[j + 1];
    for (int64_t e = first; e < last; e++) {
        const int i = dense ? (int)e : A->row[e];
        const double h = dense ? A->dense[(size_t)i * (size_t)A->cols + (size_t)j] : A->value[e], x = h * k->a->v[i];
        const double hd = h * k->inverse[i];
        t.value += x;
        t.meeting += fabs(x);
        t.made += fabs(hd) * k->pull[i];
        t.net += hd * k->load[i];
        t.given += hd * k->p->f[i];
        t.mobility += h * hd;
        t.massless = t.massless || (h != 0 && hd == 0);
    }
    return t;
}

// u, q, rho and own of contact c. True: it touches nothing but velocities without mass.
static bool read_contact(measure* k, int c) {
    double made[3] = {0}, rest[3] = {0}, meeting[3] = {0}, mobility = 0;
    bool massless = false;
    for (int i = 0; i < k->d; i++) {
        const int j = k->d * c + i;
        const row_terms t = read_row(k, &k->p->H, j, k->p->w[j]);
        k->a->u[j] = t.value;
        k->q[j] = t.given;
        made[i] = t.made;
        rest[i] = t.value - t.net;
        meeting[i] = t.meeting;
        mobility += t.mobility;
        massless = massless || t.massless;
    }
    k->rho[c] = mobility > 0 ? k->d / mobility : 0;
    k->own[2 * c] = made[0] + fabs(rest[0]) + STI_CONTACT_TOGETHER * meeting[0];
    k->own[2 * c + 1] = norm(k->d, made) + norm(k->d, rest) + STI_CONTACT_TOGETHER * norm(k->d, meeting);
    return massless && !(mobility > 0);
}

// The units of the others, for a contact that touches nothing but velocities without mass: marked by rho < 0.
static void borrow_units(measure* k) {
    double inverse = 0, force = 0, drive = 0;
    int count = 0;
    for (int i = 0; i < k->energies; i++) {
        force += k->energy[i].force;
        drive += k->energy[i].drive;
    }
    for (int c = 0; c < k->nc; c++) {
        const size_t at = (size_t)k->d * (size_t)c;
        if (!(k->rho[c] > 0)) continue;
        const double r = norm(k->d, k->a->r + at), q = norm(k->d, k->q + at);
        force += r * r / k->rho[c];
        drive += q * q * k->rho[c];
        inverse += 1 / k->rho[c];
        count++;
    }
    const double rho = count > 0 ? count / inverse : 1;
    for (int c = 0; c < k->nc; c++) {
        if (!(k->rho[c] < 0)) continue;
        k->rho[c] = rho;
        const double lent = sqrt(fmax(force, drive) / rho) + norm(k->d, k->a->r + (size_t)k->d * (size_t)c) / rho;
        k->own[2 * c] += lent;
        k->own[2 * c + 1] += lent;
    }
}

static void measure_global(measure* k) {
    bool borrowed = false;
    measure_balance(k);
    for (int c = 0; c < k->nc; c++) {
        if (!read_contact(k, c)) continue;
        k->rho[c] = -1;
        borrowed = true;
    }
    for (int j = 0; j < k->nb; j++) {
        const row_terms t = read_row(k, &k->p->G, j, k->p->b[j]);
        k->joint[j] = t.value;
        k->joint_terms[j] = t.made + fabs(t.value - t.net) + STI_CONTACT_TOGETHER * t.meeting;
        k->joint_given[j] = t.given;
        k->root[j] = t.mobility > 0 ? sqrt(t.mobility) : 0;
        if (!(t.mobility > 0)) k->joint_terms[j] = t.meeting;
    }
    find_islands(k);
    for (int i = 0; i < k->nv; i++)
        k->energy[k->island[k->nc + k->nb + i]].net += k->inverse[i] * k->load[i] * k->load[i];
    if (borrowed) borrow_units(k);
}

// ---- the whole

void sti_contact_gauge_close(sti_env* env, sti_contact_gauge* k) {
    sti_free(env, k->memory);
    sti_free(env, k->one);
    sti_free(env, k->energy);
    *k = (sti_contact_gauge){0};
}

static void share_memory(measure* k) {
    const size_t nc = (size_t)k->nc, n = (size_t)k->n, nv = (size_t)k->nv, nb = (size_t)k->nb;
    k->rho = k->memory;
    k->own = k->rho + nc;
    k->q = k->own + 2 * nc;
    k->size = k->q + n;
    k->inverse = k->size + n;
    k->load = k->inverse + nv;
    k->pull = k->load + nv;
    k->balance = k->pull + nv;
    k->balance_terms = k->balance + nv;
    k->joint = k->balance_terms + nv;
    k->joint_terms = k->joint + nb;
    k->joint_given = k->joint_terms + nb;
    k->root = k->joint_given + nb;
    k->joined = k->one + nc + nb + nv;
}

sti_status sti_contact_gauge_open(sti_env* env, const sti_contact_problem* p, sti_contact_gauge* k) {
    *k = (measure){.p = p, .d = p->dimension, .nc = p->contact_count, .nb = p->bilateral_count};
    k->n = k->d * k->nc;
    k->nv = p->global ? p->velocity_count : 0;
    const size_t nc = (size_t)k->nc, n = (size_t)k->n, nv = (size_t)k->nv, nb = (size_t)k->nb, items = nc + nb + nv;
    k->memory = sti_alloc_array(env, 3 * nc + 2 * n + 6 * nv + 4 * nb, sizeof *k->memory);
    k->one = sti_alloc_array_zero(env, 2 * items, sizeof *k->one);
    k->energy = sti_alloc_array(env, items + 1, sizeof *k->energy);
    if (k->memory == NULL || k->one == NULL || k->energy == NULL) {
        sti_contact_gauge_close(env, k);
        return STI_ERR_MEMORY;
    }
    share_memory(k);
    if (p->global)
        set_inverse(k);
    else
        set_rho(k);
    return STI_OK;
}

// The worst row of all equations; unit: of energy, for what is noise
static double worst_equation(const measure* k, double unit) {
    double worst = 0;
    for (int i = 0; i < k->nb + k->nv; i++) {
        const sti_contact_energy* e = &k->energy[k->island[k->nc + i]];
        const double far = e->runaway, noise = STI_CONTACT_ROW_NOISE * unit * k->root[i];
        const bool joint = i < k->nb;
        worst = sti_contact_worse(worst, far * (joint ? k->joint[i] : k->balance[i - k->nb]),
                                  joint ? k->joint_terms[i] : k->balance_terms[i - k->nb], far * noise);
    }
    return worst;
}

void sti_contact_gauge_read(sti_contact_gauge* k, sti_contact_answer* a) {
    const sti_contact_problem* p = k->p;
    k->a = a;
    if (p->global)
        measure_global(k);
    else
        measure_local(k);
    sti_contact_judge judge = {.d = k->d, .nc = k->nc, .mu = p->mu, .r = a->r, .u = a->u, .q = k->q, .rho = k->rho};
    judge.section = p->section;
    judge.own = k->own;
    judge.island = k->island;
    judge.energy = k->energy;
    judge.energies = k->energies;
    sti_contact_judge_point(&judge);
    a->residual_contact = judge.residual;
    a->residual_equation = worst_equation(k, judge.unit);
    a->residual = a->residual_contact + a->residual_equation;
    a->runaway = judge.runaway;
    a->worst_contact = judge.worst;
}

sti_status sti_contact_measure(sti_env* env, const sti_contact_problem* p, sti_contact_answer* a) {
    sti_contact_gauge k;
    const sti_status status = sti_contact_gauge_open(env, p, &k);
    if (status != STI_OK) return status;
    sti_contact_gauge_read(&k, a);
    sti_contact_gauge_close(env, &k);
    return STI_OK;
}

sti_status sti_contact_residual(sti_env* env, const sti_contact_problem* p, sti_contact_answer* a) {
    const sti_status checked = sti_contact_check(env, p);
    return checked == STI_OK ? sti_contact_measure(env, p, a) : checked;
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
