// impact.c: is a claimed outcome of an impact one? Everything is recomputed from the instant, in extended precision:
//
//     momentum     M (v+ - v-) = sum n_i p_n,i + t_i'p_t,i + joints
//     joints       n_i'v+ = 0
//     newton, general, friction      qdot_norm+ = -E qdot_norm-
//     moreau       0 <= p_n  _|_  n_i'v+ + e_i n_i'v- >= 0
//     friction     p_t = -mu p_n sgn(sigma) where sigma = v_t+ + e_t v_t- is not 0, |p_t| <= mu |p_n| where it is
//     poisson      both phases: momentum up to impulses of the joints, complementarity, and friction of the pyramid
//     implicit     with Lambda = e I: complementarity of p_n and n_i'(v+ + e v-), slips of v+ + e v- zero when rough
//
// Kinetic norms |n_i| = sqrt(n_i'M^-1 n_i), which E refers to, come from a Cholesky factor made here. Where M is
// singular |n_i|^2 = n_i'x with M x + B'l = n_i, B x = 0 (B: the joints), by elimination; where that has no solution,
// |n_i| has no limit and nothing is accepted. Rounding may leave a singular M a factor: a claim that it is singular is
// believed where a pivot is small. Pivots and balances are judged in units in which M has the diagonal 1.
#include <math.h>
#include <stdio.h>
#include <stiction/impact.h>
#include <string.h>

#include "base/env.h"

typedef long double wide;

typedef struct check {
    const sti_instant* in;
    const sti_impact* claim;
    const sti_impact_solution* x;
    sti_impact_verification* out;
    int n;
    wide* L;       // Cholesky factor of M                  (n x n)
    wide* basis;   // orthonormal joint rows                (m x n)
    wide* r;       // (n)
    wide* norm;    // of the contacts                       (p)
    wide* length;  // of the slip rows                      (s)
    int basis_count;
    bool singular;  // M is
    wide* kkt;      // (n+m) x (n+m+1)
    wide* unit;     // of the coordinates                   (n)
    wide speed;     // sqrt(2 T-): size of quasi-velocities, and of impulses in their coordinates
} check;

static wide dot(int n, const double* a, const double* b) {
    wide sum = 0;
    for (int i = 0; i < n; i++) sum += (wide)a[i] * b[i];
    return sum;
}

static const sti_instant_contact* contact_of(const check* k, int i) {
    return &k->in->contacts[k->claim->contact[i]];
}

// ---- factors

// Units of coordinates that M does not know: those in which the largest entry there of the rows that have one is as
// large as on the others.
static void find_units(check* k) {
    const int n = k->n;
    for (int j = 0; j < n; j++) k->unit[j] = k->in->M[j * (n + 1)] > 0 ? 1 / sqrtl(k->in->M[j * (n + 1)]) : 0;
    for (int j = 0; j < n; j++) {
        wide most = 0;
        if (k->unit[j] > 0) continue;
        for (int i = 0; i < k->in->contact_count; i++) {
            const double* row = k->in->contacts[i].n;
            wide size = 0;
            for (int l = 0; l < n; l++) size = fmaxl(size, fabsl(row[l]) * k->unit[l]);
            most = fmaxl(most, fabsl(row[j]) / (size > 0 ? size : 1));
        }
        k->unit[j] = most > 0 ? 1 / most : 1;
    }
}

// Is M positive definite, and (*thin) hardly?
static bool factor(check* k, bool* thin) {
    const int n = k->n;
    *thin = false;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            wide sum = k->in->M[i * n + j];
            for (int l = 0; l < j; l++) sum -= k->L[i * n + l] * k->L[j * n + l];
            if (i == j && !(sum > 0)) return false;
            *thin = *thin || (i == j && !(sum > 1e-10L * k->in->M[i * (n + 1)]));
            k->L[i * n + j] = i == j ? sqrtl(sum) : sum / k->L[j * n + j];
        }
    }
    return true;
}

static wide kinetic_norm(check* k, const double* row) {
    const int n = k->n;
    wide square = 0;
    for (int i = 0; i < n; i++) {
        wide sum = row[i];
        for (int l = 0; l < i; l++) sum -= k->L[i * n + l] * k->r[l];
        k->r[i] = sum / k->L[i * n + i];
        square += k->r[i] * k->r[i];
    }
    return sqrtl(square);
}

enum { NOWHERE = -1 };

static void fill_kkt(check* k, const double* row) {
    const int n = k->n, m = k->claim->m, all = n + m, width = all + 1;
    for (int i = 0; i < all * width; i++) k->kkt[i] = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) k->kkt[i * width + j] = k->in->M[i * n + j] * k->unit[i] * k->unit[j];
        k->kkt[i * width + all] = row[i] * k->unit[i];
    }
    for (int b = 0; b < m; b++) {
        const double* joint = k->in->contacts[k->claim->joint[b]].n;
        wide size = 0;
        for (int i = 0; i < n; i++) size = fmaxl(size, fabsl(joint[i]) * k->unit[i]);
        for (int i = 0; size > 0 && i < n; i++)
            k->kkt[i * width + n + b] = k->kkt[(n + b) * width + i] = joint[i] * k->unit[i] / size;
    }
}

// The largest entry of the rows and columns that are left, or NOWHERE; *at: its place.
static int find_pivot(const check* k, int from, const int* column, wide floor, int* at) {
    const int all = k->n + k->claim->m, width = all + 1;
    wide best = floor;
    int row = NOWHERE;
    for (int i = from; i < all; i++) {
        for (int j = 0; j < all; j++) {
            if (column[j] >= 0 || !(fabsl(k->kkt[i * width + j]) > best)) continue;
            best = fabsl(k->kkt[i * width + j]);
            row = i;
            *at = j;
        }
    }
    return row;
}

// |row|, by complete pivoting; < 0: there is none. column (n+m): the row that holds each unknown.
static wide singular_norm(check* k, const double* row, int* column) {
    const int n = k->n, all = n + k->claim->m, width = all + 1;
    wide largest = 0, size = 0, square = 0;
    fill_kkt(k, row);
    for (int i = 0; i < all; i++) {
        column[i] = NOWHERE;
        for (int j = 0; j < all; j++) largest = fmaxl(largest, fabsl(k->kkt[i * width + j]));
        size = fmaxl(size, fabsl(k->kkt[i * width + all]));
    }
    int rank = 0;
    for (int at = 0, pivot; (pivot = find_pivot(k, rank, column, 1e-13L * largest, &at)) != NOWHERE; rank++) {
        for (int j = 0; j < width; j++) {
            const wide swap = k->kkt[pivot * width + j];
            k->kkt[pivot * width + j] = k->kkt[rank * width + j];
            k->kkt[rank * width + j] = swap;
        }
        column[at] = rank;
        for (int i = 0; i < all; i++) {
            const wide factor = i == rank ? 0 : k->kkt[i * width + at] / k->kkt[rank * width + at];
            for (int j = 0; factor != 0 && j < width; j++) k->kkt[i * width + j] -= factor * k->kkt[rank * width + j];
        }
    }
    for (int i = rank; i < all; i++) {
        if (fabsl(k->kkt[i * width + all]) > 1e-9L * size) return -1;
    }
    for (int j = 0; j < n; j++) {
        if (column[j] >= 0)
            square += row[j] * k->unit[j] * k->kkt[column[j] * width + all] / k->kkt[column[j] * width + j];
    }
    return square > 0 ? sqrtl(square) : 0;
}

// Removes from r its part in the span of the joint rows.
static void take_out_joints(check* k, wide* r) {
    for (int pass = 0; pass < 2; pass++) {
        for (int b = 0; b < k->basis_count; b++) {
            wide part = 0;
            for (int j = 0; j < k->n; j++) part += k->basis[b * k->n + j] * r[j];
            for (int j = 0; j < k->n; j++) r[j] -= part * k->basis[b * k->n + j];
        }
    }
}

static void make_basis(check* k) {
    for (int i = 0; i < k->claim->m; i++) {
        const double* row = k->in->contacts[k->claim->joint[i]].n;
        wide before = 0, after = 0, *next = k->basis + (size_t)k->basis_count * (size_t)k->n;
        for (int j = 0; j < k->n; j++) {
            next[j] = row[j] * k->unit[j];
            before += next[j] * next[j];
        }
        take_out_joints(k, next);
        for (int j = 0; j < k->n; j++) after += next[j] * next[j];
        if (after <= 1e-24L * before) continue;
        for (int j = 0; j < k->n; j++) next[j] /= sqrtl(after);
        k->basis_count++;
    }
}

// Is M, on what the joints allow, positive semidefinite? By the largest pivots of the diagonal.
static bool is_semidefinite(check* k) {
    const int n = k->n;
    wide *R = k->kkt, floor = 0;
    for (int i = 0; i < n * n; i++) {
        R[i] = k->in->M[i] * k->unit[i / n] * k->unit[i % n];
        floor = fmaxl(floor, 1e-13L * fabsl(R[i]));
    }
    for (int i = 0; i < n; i++) take_out_joints(k, R + i * n);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) k->r[i] = R[i * n + j];
        take_out_joints(k, k->r);
        for (int i = 0; i < n; i++) R[i * n + j] = k->r[i];
    }
    for (int rank = 0; rank < n; rank++) {
        int at = 0;
        for (int i = 1; i < n; i++) at = R[i * (n + 1)] > R[at * (n + 1)] ? i : at;
        const wide pivot = R[at * (n + 1)];
        if (!(pivot > floor)) break;
        for (int j = 0; j < n; j++) k->r[j] = R[at * n + j];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) R[i * n + j] -= k->r[i] / pivot * k->r[j];
    }
    for (int i = 0; i < n * n; i++) {
        if (!(fabsl(R[i]) <= 2 * floor)) return false;
    }
    return true;
}

// ---- balances

// |M (to - from) - N p_n - H p_t (- joints)| relative to the momenta, in units; joints NULL: up to any of theirs.
static double imbalance(check* k, const double* from, const double* to, const double* p_n, const double* p_t,
                        const double* p_joint) {
    const int n = k->n;
    wide worst = 0, scale = 0;
    for (int j = 0; j < n; j++) {
        wide sum = 0, momentum = 0;
        for (int l = 0; l < n; l++) {
            sum += (wide)k->in->M[j * n + l] * ((wide)to[l] - from[l]);
            momentum += (wide)k->in->M[j * n + l] * from[l];
        }
        scale = fmaxl(scale, k->unit[j] * fmaxl(fabsl(sum), fabsl(momentum)));
        for (int i = 0; i < k->claim->p; i++) {
            const sti_instant_contact* c = contact_of(k, i);
            sum -= (wide)c->n[j] * p_n[i];
            scale = fmaxl(scale, k->unit[j] * fabsl((wide)c->n[j] * p_n[i]));
            for (int l = k->claim->slip[i]; l < k->claim->slip[i + 1]; l++)
                sum -= (wide)c->t[(l - k->claim->slip[i]) * n + j] * p_t[l];
        }
        for (int i = 0; p_joint != NULL && i < k->claim->m; i++)
            sum -= (wide)k->in->contacts[k->claim->joint[i]].n[j] * p_joint[i];
        k->r[j] = k->unit[j] * sum;
    }
    if (p_joint == NULL) take_out_joints(k, k->r);
    for (int j = 0; j < n; j++) worst = fmaxl(worst, fabsl(k->r[j]));
    return (double)(scale > 0 ? worst / scale : worst);
}

static double joint_rates(check* k, const double* v) {
    wide worst = 0;
    for (int i = 0; i < k->claim->m; i++) {
        const sti_instant_contact* c = &k->in->contacts[k->claim->joint[i]];
        wide unit = k->singular ? 0 : kinetic_norm(k, c->n);
        for (int j = 0; k->singular && j < k->n; j++) unit += fabsl((wide)c->n[j] * v[j]) / k->speed;
        const wide rate = fabsl(dot(k->n, c->n, v) + c->n_offset);
        if (rate > 0) worst = fmaxl(worst, rate / unit);
    }
    return (double)(worst / k->speed);
}

// ---- laws

static wide gap_rate(const check* k, int i, const double* v) {
    return dot(k->n, contact_of(k, i)->n, v) + contact_of(k, i)->n_offset;
}

static wide slip_rate(const check* k, int i, int l, const double* v) {
    const sti_instant_contact* c = contact_of(k, i);
    const int row = l - k->claim->slip[i];
    return dot(k->n, c->t + (size_t)row * (size_t)k->n, v) + (c->t_offset != NULL ? c->t_offset[row] : 0);
}

static void note(double* worst, wide violation) {
    if (!(violation <= *worst)) *worst = (double)violation;
}

static void check_equality(check* k, bool diagonal) {
    const int p = k->claim->p;
    for (int i = 0; i < p; i++) {
        wide sum = gap_rate(k, i, k->x->v) / k->norm[i];
        for (int j = 0; j < p; j++) {
            if (diagonal && i != j) continue;
            sum += k->claim->E[i * p + j] * gap_rate(k, j, k->in->v) / k->norm[j];
        }
        note(&k->out->normal, fabsl(sum) / k->speed);
    }
}

// 0 <= bar _|_ rate >= 0, both in quasi-velocity units
static void check_pair(check* k, wide bar, wide rate) {
    note(&k->out->normal, fabsl(fminl(bar, rate)) / k->speed);
}

// Complementarity of p_n with n_i'(v+ + factor_i v-).
static void check_complementarity(check* k, bool own, double common) {
    for (int i = 0; i < k->claim->p; i++) {
        const double e = own ? k->claim->E[i * (k->claim->p + 1)] : common;
        check_pair(k, k->x->p_n[i] * k->norm[i], (gap_rate(k, i, k->x->v) + e * gap_rate(k, i, k->in->v)) / k->norm[i]);
    }
}

// In space: p_t = -mu p_n sigma / |sigma| while sliding, in the round cone.
static void check_round_cone(check* k, int i) {
    const int first = k->claim->slip[i];
    const wide bound = (wide)k->claim->mu[i] * k->x->p_n[i], unit = fmaxl(k->length[first], k->length[first + 1]);
    wide sigma[2], speed = 0, friction = 0, off = 0;
    for (int l = 0; l < 2; l++) {
        sigma[l] = slip_rate(k, i, first + l, k->x->v) + k->claim->e_t[i] * slip_rate(k, i, first + l, k->in->v);
        speed = hypotl(speed, sigma[l]);
        friction = hypotl(friction, k->x->p_t[first + l]);
    }
    for (int l = 0; l < 2; l++) off = hypotl(off, k->x->p_t[first + l] + (speed > 0 ? bound * sigma[l] / speed : 0));
    const wide sticks = fmaxl(speed / unit, fmaxl(0, friction - fabsl(bound)) * unit);
    note(&k->out->tangential, fminl(off * unit, sticks) / k->speed);
}

static void check_coulomb(check* k) {
    for (int i = 0; i < k->claim->p; i++) {
        if (k->claim->slip[i + 1] - k->claim->slip[i] == 2 && k->claim->mu[i] > 0) {
            check_round_cone(k, i);
            continue;
        }
        const double mu = k->claim->mu[i], p_n = k->x->p_n[i];
        for (int l = k->claim->slip[i]; l < k->claim->slip[i + 1]; l++) {
            const wide sigma = slip_rate(k, i, l, k->x->v) + k->claim->e_t[i] * slip_rate(k, i, l, k->in->v);
            const wide p_t = k->x->p_t[l], bound = (wide)mu * p_n;
            const wide sign = sigma > 0 ? 1 : -1;
            // sliding: p_t = -sign mu p_n; sticking: sigma = 0. The smaller violation counts.
            const wide slides = fabsl(p_t + sign * bound) * k->length[l];
            const wide excess = fmaxl(0, fabsl(p_t) - fabsl(bound)) * k->length[l];
            const wide sticks = fmaxl(fabsl(sigma) / k->length[l], excess);
            note(&k->out->tangential, fminl(slides, sticks) / k->speed);
        }
    }
}

// A phase of Poisson's law at velocity v: complementarity, and least work in the pyramid |p_t|_1 <= bound.
static void check_phase(check* k, const double* v, const double* p_n, const double* p_t, const double* extra) {
    for (int i = 0; i < k->claim->p; i++) {
        check_pair(k, p_n[i] * k->norm[i], gap_rate(k, i, v) / k->norm[i]);
        const wide bound = (wide)k->claim->mu[i] * (p_n[i] + (extra != NULL ? extra[i] : 0));
        wide sum = 0, work = 0, fastest = 0, unit = 0;
        for (int l = k->claim->slip[i]; l < k->claim->slip[i + 1]; l++) {
            const wide rate = slip_rate(k, i, l, v);
            sum += fabsl((wide)p_t[l]);
            work += p_t[l] * rate;
            fastest = fmaxl(fastest, fabsl(rate));
            unit = fmaxl(unit, k->length[l]);
        }
        note(&k->out->tangential, fmaxl(0, sum - bound) * unit / k->speed);
        note(&k->out->tangential, fabsl(work + bound * fastest) / (k->speed * k->speed));
    }
}

static void check_poisson(check* k, bool printed, double* restituted) {
    const sti_impact_solution* x = k->x;
    const int p = k->claim->p, s = k->claim->s;
    double worst = imbalance(k, k->in->v, x->v_c, x->p_n_c, x->p_t_c, NULL);
    check_phase(k, x->v_c, x->p_n_c, x->p_t_c, NULL);
    double *second_n = restituted + p, *second_t = second_n + p;
    for (int i = 0; i < p; i++) {
        restituted[i] = k->claim->E[i * (p + 1)] * x->p_n_c[i];
        second_n[i] = restituted[i] + x->p_n_x[i];
    }
    for (int l = 0; l < s; l++) second_t[l] = x->p_t_x[l];
    worst = fmax(worst, imbalance(k, x->v_c, x->v, second_n, second_t, NULL));
    if (worst > k->out->momentum) k->out->momentum = worst;
    check_phase(k, x->v, x->p_n_x, x->p_t_x, printed ? NULL : restituted);
}

// Lambda = e I: one e for all contacts, and e_t the same.
static bool one_restitution(const check* k, double* e) {
    const int p = k->claim->p;
    if (!k->claim->own_lambda) return false;
    *e = p > 0 ? k->claim->E[0] : 0;
    for (int i = 0; i < p; i++) {
        if (k->claim->E[i * (p + 1)] != *e || k->claim->e_t[i] != *e) return false;
    }
    return true;
}

static void check_implicit(check* k, bool rough, double e) {
    check_complementarity(k, false, e);
    for (int i = 0; rough && i < k->claim->p; i++) {
        for (int l = k->claim->slip[i]; l < k->claim->slip[i + 1]; l++) {
            const wide sum = slip_rate(k, i, l, k->x->v) + e * slip_rate(k, i, l, k->in->v);
            note(&k->out->tangential, fabsl(sum) / k->length[l] / k->speed);
        }
    }
}

// Energetic coefficients: the claimed works are those of a loss, and add up to T_L where no surface moves.
static void check_work(check* k) {
    const sti_impact_solution* x = k->x;
    wide sum = x->energy.direct, offset = 0;
    for (int i = 0; i < k->claim->p; i++) {
        const wide e = k->claim->E[i * (k->claim->p + 1)];
        note(&k->out->normal, fmaxl(0, -(wide)x->work_c[i]) / (k->speed * k->speed));
        note(&k->out->normal, fmaxl(0, -(wide)x->p_n[i]) * k->norm[i] / k->speed);
        note(&k->out->normal, fmaxl(0, -gap_rate(k, i, x->v)) / k->norm[i] / k->speed);
        sum += (1 - e * e) * x->work_c[i];
        offset = fmaxl(offset, fabsl((wide)contact_of(k, i)->n_offset));
        for (int l = k->claim->slip[i]; l < k->claim->slip[i + 1]; l++) {
            const double* moving = contact_of(k, i)->t_offset;
            sum -= x->work_t[l];
            offset = fmaxl(offset, moving != NULL ? fabsl((wide)moving[l - k->claim->slip[i]]) : 0);
            note(&k->out->tangential, fmaxl(0, x->work_t[l]) / (k->speed * k->speed));
        }
    }
    if (offset == 0 && k->claim->incompatible == 0) note(&k->out->normal, fabsl(sum) / (k->speed * k->speed));
}

static void check_law(check* k, sti_impact_law law, double* work) {
    double e;
    k->out->law_checked = true;
    if (law == STI_IMPACT_NEWTON || law == STI_IMPACT_GENERAL || law == STI_IMPACT_FRICTION)
        check_equality(k, law == STI_IMPACT_NEWTON);
    if (law == STI_IMPACT_FRICTION) check_coulomb(k);
    if (law == STI_IMPACT_MOREAU) check_complementarity(k, true, 0);
    if (law == STI_IMPACT_POISSON || law == STI_IMPACT_POISSON_PRINTED)
        check_poisson(k, law == STI_IMPACT_POISSON_PRINTED, work);
    if (law == STI_IMPACT_STRONGE || law == STI_IMPACT_LZB) check_work(k);
    if (law == STI_IMPACT_QUASI || law == STI_IMPACT_STRONGE || law == STI_IMPACT_LZB) k->out->law_checked = false;
    if (law == STI_IMPACT_IMPLICIT_SMOOTH || law == STI_IMPACT_IMPLICIT_ROUGH) {
        if (one_restitution(k, &e))
            check_implicit(k, law == STI_IMPACT_IMPLICIT_ROUGH, e);
        else
            k->out->law_checked = false;
    }
}

static void conclude(sti_impact_verification* out, double tol) {
    const struct {
        const char* name;
        double value;
    } parts[] = {{"momentum", out->momentum},
                 {"joints", out->joints},
                 {"normal law", out->normal},
                 {"law of friction", out->tangential},
                 {"energy", out->energy}};
    out->accepted = out->law_checked;
    snprintf(out->text, sizeof out->text, out->law_checked ? "accepted" : "the law's own conditions were not checked");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].value <= tol) continue;  // NaN fails too
        out->accepted = false;
        snprintf(out->text, sizeof out->text, "rejected: %s violated by %.3g", parts[i].name, parts[i].value);
        return;
    }
}

// Norms of the contacts and of their slips. False: a contact has none.
static bool find_norms(check* k, int* column) {
    for (int i = 0; i < k->claim->p; i++) {
        const sti_instant_contact* c = contact_of(k, i);
        k->norm[i] = k->singular ? singular_norm(k, c->n, column) : kinetic_norm(k, c->n);
        if (!(k->norm[i] > 0)) return false;
        for (int l = k->claim->slip[i]; l < k->claim->slip[i + 1]; l++) {
            const double* t = c->t + (size_t)(l - k->claim->slip[i]) * (size_t)k->n;
            k->length[l] = k->singular ? singular_norm(k, t, column) : kinetic_norm(k, t);
            if (k->length[l] < 0) return false;
            if (!(k->length[l] > 0)) k->length[l] = 1;
        }
    }
    return true;
}

static sti_status run(sti_env* env, check* k, sti_impact_law law, double tol) {
    const size_t n = (size_t)k->n, p = (size_t)k->claim->p, s = (size_t)k->claim->s, m = (size_t)k->claim->m;
    const size_t all = n + m;
    wide* memory = sti_alloc_array_zero(env, n * n + m * n + 2 * n + p + s + all * (all + 1), sizeof *memory);
    int* column = sti_alloc_array(env, all, sizeof *column);
    double* work = sti_alloc_array_zero(env, 2 * p + s, sizeof *work);
    sti_status status = STI_OK;
    if (memory == NULL || work == NULL || column == NULL) {
        status = STI_ERR_MEMORY;
    } else {
        k->L = memory;
        k->basis = k->L + n * n;
        k->r = k->basis + m * n;
        k->norm = k->r + n;
        k->length = k->norm + p;
        k->unit = k->length + s;
        k->kkt = k->unit + n;
        find_units(k);
        bool thin;
        k->singular = !factor(k, &thin) || (thin && k->claim->singular);
    }
    if (status == STI_OK) {
        wide before = 0;
        for (int i = 0; i < k->n; i++) before += k->in->v[i] * dot(k->n, k->in->M + (size_t)i * n, k->in->v) / 2;
        k->speed = before > 0 ? sqrtl(2 * before) : 1;
        make_basis(k);
        if (k->singular && !is_semidefinite(k))
            status = STI_FAIL(env, STI_ERR_INPUT, -1, "M: not positive semidefinite");
        else if (!find_norms(k, column))
            status = STI_FAIL(env, STI_ERR_INPUT, -1, "M: a contact moves what has no mass, or nothing that has one");
    }
    if (status == STI_OK) {
        wide before = 0, after = 0;
        for (int i = 0; i < k->n; i++) {
            before += k->in->v[i] * dot(k->n, k->in->M + (size_t)i * n, k->in->v) / 2;
            after += k->x->v[i] * dot(k->n, k->in->M + (size_t)i * n, k->x->v) / 2;
        }
        k->out->momentum = imbalance(k, k->in->v, k->x->v, k->x->p_n, k->x->p_t, k->x->p_joint);
        k->out->joints = joint_rates(k, k->x->v);
        k->out->energy = (double)(fabsl(after - before - k->x->energy.direct) / (before > 0 ? before : 1));
        check_law(k, law, work);
        conclude(k->out, tol);
    }
    sti_free(env, memory);
    sti_free(env, column);
    sti_free(env, work);
    return status;
}

sti_status sti_verify_impact(sti_env* env, const sti_instant* instant, const sti_impact* claim, sti_impact_law law,
                             int solution, double tol, sti_impact_verification* out) {
    *out = (sti_impact_verification){0};
    if ((unsigned)law >= STI_IMPACT_LAW_COUNT || solution < 0 || solution >= claim->laws[law].count)
        return STI_FAIL(env, STI_ERR_ARGUMENT, solution, "no solution %d of law %d", solution, (int)law);
    if (claim->n != instant->n)
        return STI_FAIL(env, STI_ERR_ARGUMENT, claim->n, "the claim has %d velocities", claim->n);
    check k = {.in = instant, .claim = claim, .x = &claim->laws[law].solutions[solution], .out = out, .n = instant->n};
    return run(env, &k, law, tol);
}
