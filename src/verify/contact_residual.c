// contact_residual.c: the residual of a point of a contact problem, computed anew from the posed data and (r, v, l).
//
// Own terms. A sum is compared with the sizes of its terms, never with those of other rows:
//
//     local     u = W r + V l + q                |q| + (|W||r| + |V||l|)
//     global    u = H'v + w                      made + |u - H'D g| + TOGETHER (|H|'|v| + |w|)
//                                                g = H r + G l,   made = |H|'D (|H||r| + |G||l|),   D = diag(M)^-1
//     rows      V'r + R l + s,  M v - g - f      the sum of all |terms|
//               G'v + b                          as for u in the global form, or all |terms| where no mass is met
//
// own_n is that of the row of u_n alone; in own_t every part is the norm over all rows of the contact.
//
// Velocities without mass have D = 0. A contact that meets them alone takes rho as the harmonic mean of the others (1
// if there are none), and max(force, drive) / sqrt(rho) + |r_c| / rho to its own terms.
//
// Contact c.  rho_c = d / trace W_cc, in the global form of H_c'D H_c. Its distance eta_c from the law is that of the
// nearest pair of separating (r = 0, u_n >= 0), sticking (r in K, u = 0) and sliding along s (r on the ray (1, -mu s),
// u = alpha s, alpha >= 0): the largest of |dr| / R, |du_n| / own_n, |du_t| / own_t with R = max(rho_c own_n, |r_c|); s
// is the direction of u_t / own_t - r_t / R. miss_c = max(|dr|, rho_c |du|) at that pair. Where W_cc is 0 it is 0, and
// so is rho_c.
//
// Islands.  Contacts, bilateral rows and velocities are joined by entries other than 0 of W, V, R or of H, G, M. With
//           an
// operator all are one. Of an island, in units of energy, with own_k = R_kk or (G'D G)_kk and t = s or G'D f + b of the
// rows:
//
//     force^2 = sum |r_c|^2 / rho_c + sum own_k l_k^2           what forces do one by one
//     net^2   = (r, l)'[W V; V' R](r, l), or g'D g              what they do together, less NOISE sum |r_c| own_t
//     drive^2 = sum rho_c |q_c|^2 + sum t_k^2 / own_k           what the data are, q = H'D f + w in the global form
//     undone^2   the same with max(min(|q_c|, |u_c - q_c|), -u_n) for |q_c|: what forces undo of the data, or should
//     far     = max(1, force / (TRUSTED max(undone, net, ROW_NOISE force of all islands)))
//
// All, with force, drive and undone of all islands together:
//     contact   max( sqrt(sum far^2 miss_c^2 / rho_c) / max(force, drive), max far eta_c / (ALONE sqrt(nc)) )
//     equation  max over rows, each times far of its island
//     unit    = max(undone, sqrt(sum force^2 / far^2))
//
// What is below noise = NOISE unit counts for nothing: in eta_c |du| below noise / sqrt(rho_c) and |dr| below noise
// sqrt(rho_c); in rows, with ROW_NOISE, below sqrt(M_ii) or sqrt(own_k) times it. Where some far > 1 the contacts count
// as at least far roundings of a double.
#include "verify/contact_residual.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/env.h"
#include "verify/section.h"

#define TOGETHER 1e-5L
#define TRUSTED 10
#define ALONE 3
#define NOISE 0x1p-46L
#define ROW_NOISE 0x1p-40L

typedef long double real;

// A vector of sums with the sizes of their terms.
typedef struct sums {
    real* value;
    real* size;
} sums;

// Of an island: squares, but for far
typedef struct energies {
    real force, drive;
    real undone;  // the part of drive that forces undo, or should
    real net;     // of all forces together
    real far;
} energies;

typedef struct judge {
    const sti_contact_problem* p;
    int d, nc, n, nv, nb;
    real* memory;
    real *r, *v, *l;  // (n), (nv), (nb)
    sums u;           // (n)
    sums joint;       // V'r + R l + s, or G'v + b                       (nb)
    real* mobility;   // of these rows: R_kk, or (G'D G)_kk              (nb)
    real* given;      // and what they are without forces: s, G'D f + b  (nb)
    sums push;        // H r + G l                                       (nv)
    sums balance;     // M v - H r - G l - f                             (nv)
    real* D;          // (nv)
    real* drive;      // q, or H'D f + w                                 (n)
    real* rho;        // (nc)
    real *own_n, *own_t;
    bool* adrift;      // it meets velocities without mass, and no others (nc)
    int* island;       // of contacts, bilateral rows, velocities: a member that stands for all      (nc + nb + nv)
    energies* energy;  // by these members
    real unit;         // of energy: what is noise is told by it
} judge;

// ---- products

typedef void visit(void* user, int row, int col, real a);

static void visit_entries(const sti_matrix* A, visit* f, void* user) {
    if (A->rows == 0 || A->cols == 0) return;
    if (A->dense != NULL) {
        for (int i = 0; i < A->rows; i++) {
            for (int j = 0; j < A->cols; j++) f(user, i, j, A->dense[(size_t)i * (size_t)A->cols + (size_t)j]);
        }
        return;
    }
    for (int j = 0; A->col_start != NULL && j < A->cols; j++) {
        for (int64_t e = A->col_start[j]; e < A->col_start[j + 1]; e++) f(user, A->row[e], j, A->value[e]);
    }
}

typedef struct product {
    const real* x;
    sums y;
    int sign;
    bool transposed;
} product;

static void add_entry(void* user, int row, int col, real a) {
    product* t = user;
    const int to = t->transposed ? col : row;
    const real term = t->sign * a * t->x[t->transposed ? row : col];
    t->y.value[to] += term;
    t->y.size[to] += fabsl(term);
}

// y += sign A x, or sign A'x
static void add(sums y, int sign, const sti_matrix* A, bool transposed, const real* x) {
    product t = {.x = x, .y = y, .sign = sign, .transposed = transposed};
    visit_entries(A, add_entry, &t);
}

static void start(sums y, const double* x, int sign, int n) {
    for (int i = 0; i < n; i++) {
        y.value[i] = x != NULL ? sign * (real)x[i] : 0;
        y.size[i] = fabsl(y.value[i]);
    }
}

static real norm(const real* x, int n) {
    real s = 0;
    for (int i = 0; i < n; i++) s = hypotl(s, x[i]);
    return s;
}

// x / unit, without what is noise in x
static real ratio(real x, real noise, real unit) {
    return x > noise ? (x - noise) / unit : 0;
}

// ---- the point

static sti_status open_judge(sti_env* env, judge* k, const sti_contact_problem* p, const sti_contact_answer* a) {
    *k = (judge){.p = p, .d = p->dimension, .nc = p->contact_count, .nb = p->bilateral_count};
    k->n = k->d * k->nc;
    k->nv = p->global ? p->velocity_count : 0;
    const size_t n = (size_t)k->n, nv = (size_t)k->nv, nb = (size_t)k->nb, nc = (size_t)k->nc;
    k->memory = sti_alloc_array_zero(env, 4 * n + 6 * nv + 5 * nb + 3 * nc, sizeof *k->memory);
    k->adrift = sti_alloc_array_zero(env, nc, sizeof *k->adrift);
    k->island = sti_alloc_array_zero(env, nc + nb + nv, sizeof *k->island);
    k->energy = sti_alloc_array_zero(env, nc + nb + nv, sizeof *k->energy);
    if (k->memory == NULL || k->adrift == NULL || k->island == NULL || k->energy == NULL) return STI_ERR_MEMORY;
    real* at = k->memory;
    real** vectors[] = {&k->r,          &k->u.value,       &k->u.size,       &k->drive, &k->v,        &k->push.value,
                        &k->push.size,  &k->balance.value, &k->balance.size, &k->D,     &k->l,        &k->joint.value,
                        &k->joint.size, &k->rho,           &k->own_n,        &k->own_t, &k->mobility, &k->given};
    const size_t sizes[] = {n, n, n, n, nv, nv, nv, nv, nv, nv, nb, nb, nb, nc, nc, nc, nb, nb};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        *vectors[i] = at;
        at += sizes[i];
    }
    for (size_t i = 0; i < n; i++) k->r[i] = a->r[i];
    for (size_t i = 0; i < nv; i++) k->v[i] = a->v[i];
    for (size_t i = 0; i < nb; i++) k->l[i] = a->lambda[i];
    return STI_OK;
}

static void close_judge(sti_env* env, judge* k) {
    sti_free(env, k->memory);
    sti_free(env, k->adrift);
    sti_free(env, k->island);
    sti_free(env, k->energy);
}

// ---- islands

static int member(const judge* k, int x) {
    while (k->island[x] != x) x = k->island[x];
    return x;
}

// Whose rows and columns those of a matrix are
typedef struct link {
    judge* k;
    int row, row_each, col, col_each;
} link;

static void link_entry(void* user, int row, int col, real a) {
    const link* t = user;
    const int x = t->row + row / t->row_each, y = t->col + col / t->col_each;
    if (a == 0) return;
    const int p = member(t->k, x), q = member(t->k, y), stands = p < q ? p : q;
    t->k->island[p] = t->k->island[q] = t->k->island[x] = t->k->island[y] = stands;
}

static void find_islands(judge* k) {
    const sti_contact_problem* p = k->p;
    const int nc = k->nc, nb = k->nb, count = nc + nb + k->nv;
    const bool shown = p->global || p->W_op == NULL;
    for (int x = 0; x < count; x++) k->island[x] = shown ? x : 0;
    if (!shown) return;
    link first = {k, 0, k->d, 0, k->d}, second = {k, 0, k->d, nc, 1}, third = {k, nc, 1, nc, 1};
    if (p->global) {
        first = (link){k, nc + nb, 1, 0, k->d};
        second = (link){k, nc + nb, 1, nc, 1};
        third = (link){k, nc + nb, 1, nc + nb, 1};
    }
    if (k->nc > 0 && (!p->global || k->nv > 0)) visit_entries(p->global ? &p->H : &p->W, link_entry, &first);
    if (k->nb > 0 && (!p->global || k->nv > 0)) visit_entries(p->global ? &p->G : &p->V, link_entry, &second);
    visit_entries(p->global ? &p->M : &p->R, link_entry, &third);
    for (int x = 0; x < count; x++) k->island[x] = member(k, x);
}

// ---- energies: what the forces are, and what would undo the data

static void add_energy(energies* e, real mobility, real force, real velocity, real undone) {
    if (!(mobility > 0)) return;
    e->force += force * force * mobility;
    e->drive += velocity * velocity / mobility;
    e->undone += undone * undone / mobility;
}

// What the forces undo of the drive of contact c, or have left to undo: max(min(|q|, |u - q|), -u_n)
static real asked(const judge* k, int c) {
    real change[3] = {0};
    const real *q = k->drive + k->d * c, *u = k->u.value + k->d * c;
    for (int i = 0; i < k->d; i++) change[i] = u[i] - q[i];
    return fmaxl(fminl(norm(q, k->d), norm(change, k->d)), -u[0]);
}

static void add_contact(const judge* k, int c, energies* e) {
    const real r = norm(k->r + k->d * c, k->d);
    e->net -= NOISE * r * k->own_t[c];
    if (k->rho[c] > 0) add_energy(e, 1 / k->rho[c], r, norm(k->drive + k->d * c, k->d), asked(k, c));
}

static void add_joint(const judge* k, int j, energies* e) {
    add_energy(e, k->mobility[j], k->l[j], k->given[j], k->given[j]);
}

// net^2 before rounding is taken off
static void add_net(judge* k) {
    const int nc = k->nc, nb = k->nb;
    for (int i = 0; i < k->nv; i++)
        k->energy[k->island[nc + nb + i]].net += k->D[i] * k->push.value[i] * k->push.value[i];
    if (k->p->global) return;
    for (int j = 0; j < k->n; j++) k->energy[k->island[j / k->d]].net += k->r[j] * (k->u.value[j] - k->drive[j]);
    for (int j = 0; j < nb; j++) k->energy[k->island[nc + j]].net += k->l[j] * (k->joint.value[j] - k->given[j]);
}

static void sum_energies(judge* k) {
    add_net(k);
    for (int c = 0; c < k->nc; c++) add_contact(k, c, &k->energy[k->island[c]]);
    for (int j = 0; j < k->nb; j++) add_joint(k, j, &k->energy[k->island[k->nc + j]]);
    const int count = k->nc + k->nb + k->nv;
    real force = 0, undone = 0, trusted = 0;
    for (int x = 0; x < count; x++) force += k->energy[x].force;
    for (int x = 0; x < count; x++) {
        energies* e = &k->energy[x];
        const real reach = fmaxl(fmaxl(e->undone, e->net), ROW_NOISE * ROW_NOISE * force);
        e->far = reach > 0 ? fmaxl(sqrtl(e->force / reach) / TRUSTED, 1) : 1;
        undone += e->undone;
        trusted += e->force / (e->far * e->far);
    }
    k->unit = sqrtl(fmaxl(undone, trusted));
}

// ---- local form

static void keep_diagonal(void* user, int row, int col, real a) {
    if (row == col) ((real*)user)[row] += a;
}

static void sum_own(judge* k) {
    for (int c = 0; c < k->nc; c++) {
        const int at = k->d * c;
        k->own_n[c] = fabsl(k->drive[at]) + k->u.size[at];
        k->own_t[c] = norm(k->drive + at, k->d) + norm(k->u.size + at, k->d);
    }
}

static void read_contacts(judge* k) {
    const sti_contact_problem* p = k->p;
    start(k->u, NULL, 1, k->n);
    add(k->u, 1, &p->W, false, k->r);
    if (k->nb > 0) add(k->u, 1, &p->V, false, k->l);
    sum_own(k);
    for (int j = 0; j < k->n; j++) k->u.value[j] += k->drive[j];
}

// An operator speaks doubles and does not show its terms: those of the contact itself, of the others together, and
// TOGETHER of what all forces would make.
static sti_status read_operator(sti_env* env, judge* k, const double* r) {
    const sti_contact_operator* W = k->p->W_op;
    double* u = sti_alloc_array_zero(env, (size_t)k->n, sizeof *u);
    if (u == NULL) return STI_ERR_MEMORY;
    W->apply(W->user, r, u);
    real all = 0;
    for (int c = 0; c < k->nc; c++) {
        if (k->rho[c] > 0) all = hypotl(all, norm(k->r + k->d * c, k->d) / sqrtl(k->rho[c]));
    }
    start(k->u, NULL, 1, k->n);
    if (k->nb > 0) add(k->u, 1, &k->p->V, false, k->l);
    for (int c = 0; c < k->nc; c++) {
        real self[3] = {0}, others[3] = {0};
        for (int i = 0; i < k->d; i++) {
            const int j = k->d * c + i;
            for (int m = 0; m < k->d; m++)
                self[i] += (real)W->diagonal[(size_t)j * (size_t)k->d + (size_t)m] * k->r[k->d * c + m];
            others[i] = u[j] - self[i];
            k->u.value[j] += k->drive[j] + u[j];
        }
        const real little = k->rho[c] > 0 ? TOGETHER * all * sqrtl(k->d / k->rho[c]) : 0;
        const real *q = k->drive + k->d * c, *joints = k->u.size + k->d * c;
        k->own_n[c] = fabsl(q[0]) + fabsl(self[0]) + fabsl(others[0]) + joints[0] + little;
        k->own_t[c] = norm(q, k->d) + norm(self, k->d) + norm(others, k->d) + norm(joints, k->d) + little;
    }
    sti_free(env, u);
    return STI_OK;
}

static void set_rho(judge* k, const real* diagonal) {
    for (int c = 0; c < k->nc; c++) {
        real trace = 0;
        for (int i = 0; i < k->d; i++) trace += diagonal[k->d * c + i];
        k->rho[c] = trace > 0 ? k->d / trace : 0;
    }
}

static sti_status read_local(sti_env* env, judge* k, const double* r) {
    const sti_contact_problem* p = k->p;
    for (int j = 0; j < k->n; j++) {
        k->drive[j] = p->q[j];
        if (p->W_op != NULL) k->u.value[j] = p->W_op->diagonal[(size_t)j * (size_t)k->d + (size_t)(j % k->d)];
    }
    if (p->W_op == NULL) visit_entries(&p->W, keep_diagonal, k->u.value);
    set_rho(k, k->u.value);
    sti_status status = STI_OK;
    if (p->W_op != NULL)
        status = read_operator(env, k, r);
    else
        read_contacts(k);
    if (k->nb == 0 || status != STI_OK) return status;
    visit_entries(&p->R, keep_diagonal, k->mobility);
    for (int j = 0; j < k->nb; j++) k->given[j] = p->s[j];
    start(k->joint, p->s, 1, k->nb);
    add(k->joint, 1, &p->V, true, k->r);
    add(k->joint, 1, &p->R, false, k->l);
    return STI_OK;
}

// ---- global form

// Terms of A'v + w, A = H or G, column by column.
typedef struct columns {
    const judge* k;
    real *value, *meeting, *made, *net, *given, *mobility;
    bool* bare;  // it meets a velocity without mass
} columns;

static void add_column_entry(void* user, int i, int j, real a) {
    columns* t = user;
    const judge* k = t->k;
    const real x = a * k->v[i], y = a * k->D[i];
    t->value[j] += x;
    t->meeting[j] += fabsl(x);
    t->made[j] += fabsl(y) * k->push.size[i];
    t->net[j] += y * k->push.value[i];
    t->given[j] += y * k->p->f[i];
    t->mobility[j] += a * y;
    if (a != 0 && !(k->D[i] > 0)) t->bare[j] = true;
}

static sti_status read_columns(sti_env* env, const judge* k, const sti_matrix* A, const double* w, int n, columns* t) {
    *t = (columns){.k = k};
    const size_t count = (size_t)n;
    t->value = sti_alloc_array_zero(env, 6 * count, sizeof *t->value);
    t->bare = sti_alloc_array_zero(env, count, sizeof *t->bare);
    if (t->value == NULL || t->bare == NULL) {
        sti_free(env, t->value);
        sti_free(env, t->bare);
        return STI_ERR_MEMORY;
    }
    real** rest[] = {&t->meeting, &t->made, &t->net, &t->given, &t->mobility};
    for (size_t i = 0; i < 5; i++) *rest[i] = t->value + (i + 1) * count;
    for (int j = 0; j < n; j++) {
        t->value[j] = t->given[j] = w[j];
        t->meeting[j] = fabsl(t->value[j]);
    }
    if (k->nv > 0) visit_entries(A, add_column_entry, t);
    return STI_OK;
}

static void close_columns(sti_env* env, columns* t) {
    sti_free(env, t->value);
    sti_free(env, t->bare);
}

static void take_contacts(judge* k, const columns* t) {
    set_rho(k, t->mobility);
    for (int c = 0; c < k->nc; c++) {
        const int at = k->d * c;
        real rest[3] = {0};
        bool bare = false;
        for (int i = 0; i < k->d; i++) {
            k->u.value[at + i] = t->value[at + i];
            k->drive[at + i] = t->given[at + i];
            rest[i] = t->value[at + i] - t->net[at + i];
            bare = bare || t->bare[at + i];
        }
        k->own_n[c] = t->made[at] + fabsl(rest[0]) + TOGETHER * t->meeting[at];
        k->own_t[c] = norm(t->made + at, k->d) + norm(rest, k->d) + TOGETHER * norm(t->meeting + at, k->d);
        k->adrift[c] = bare && !(k->rho[c] > 0);
    }
}

static void take_joints(judge* k, const columns* t) {
    for (int j = 0; j < k->nb; j++) {
        k->joint.value[j] = t->value[j];
        k->mobility[j] = t->mobility[j];
        k->joint.size[j] =
            t->mobility[j] > 0 ? t->made[j] + fabsl(t->value[j] - t->net[j]) + TOGETHER * t->meeting[j] : t->meeting[j];
        k->given[j] = t->given[j];
    }
}

// Contacts without a mass of their own take their units from the others
static void lend_units(judge* k) {
    energies e = {0};
    real inverse = 0;
    int count = 0;
    for (int j = 0; j < k->nb; j++) add_joint(k, j, &e);
    for (int c = 0; c < k->nc; c++) {
        add_contact(k, c, &e);
        if (!(k->rho[c] > 0)) continue;
        inverse += 1 / k->rho[c];
        count++;
    }
    const real rho = count > 0 ? count / inverse : 1, all = fmaxl(e.force, e.drive);
    for (int c = 0; c < k->nc; c++) {
        if (!k->adrift[c]) continue;
        k->rho[c] = rho;
        const real lent = sqrtl(all / rho) + norm(k->r + k->d * c, k->d) / rho;
        k->own_n[c] += lent;
        k->own_t[c] += lent;
    }
}

static sti_status read_global(sti_env* env, judge* k) {
    const sti_contact_problem* p = k->p;
    visit_entries(&p->M, keep_diagonal, k->D);
    for (int i = 0; i < k->nv; i++) k->D[i] = k->D[i] > 0 ? 1 / k->D[i] : 0;
    start(k->push, NULL, 1, k->nv);
    if (k->n > 0 && k->nv > 0) add(k->push, 1, &p->H, false, k->r);
    if (k->nb > 0 && k->nv > 0) add(k->push, 1, &p->G, false, k->l);
    start(k->balance, p->f, -1, k->nv);
    add(k->balance, 1, &p->M, false, k->v);
    for (int i = 0; i < k->nv; i++) {
        k->balance.value[i] -= k->push.value[i];
        k->balance.size[i] += k->push.size[i];
    }
    columns t;
    sti_status status = read_columns(env, k, &p->H, p->w, k->n, &t);
    if (status != STI_OK) return status;
    take_contacts(k, &t);
    close_columns(env, &t);
    status = read_columns(env, k, &p->G, p->b, k->nb, &t);
    if (status != STI_OK) return status;
    take_joints(k, &t);
    close_columns(env, &t);
    lend_units(k);
    return STI_OK;
}

// ---- the law at one contact

static real tangent(int d, const real* x) {
    return d == 2 ? fabsl(x[1]) : hypotl(x[1], x[2]);
}

// y = P_K(x)
static void project(int d, real mu, const real* x, real* y) {
    const real t = tangent(d, x);
    const bool inside = x[0] >= 0 && t <= mu * x[0], polar = mu * t <= -x[0];
    real along = 1;  // share of the tangential part that stays
    y[0] = x[0];
    if (!inside) {
        y[0] = polar ? 0 : (x[0] + mu * t) / (1 + mu * mu);
        along = polar || t == 0 ? 0 : mu * y[0] / t;
    }
    for (int i = 1; i < d; i++) y[i] = along * x[i];
}

typedef struct nearest {
    real eta;   // against the units of the contact
    real miss;  // max(|dr|, rho |du|)
} nearest;

typedef struct contact {
    int d;
    real mu, rho;
    const sti_section* section;  // NULL: a disc
    const real *r, *u;
    real force, own_n, own_t;          // units
    real force_noise, velocity_noise;  // and what is rounding
} contact;

// The pair (near_r, near_u), if it is nearer than what was found before
static void take_nearer(const contact* k, const real* near_r, const real* near_u, nearest* best) {
    real dr[3], du[3];
    for (int i = 0; i < k->d; i++) {
        dr[i] = k->r[i] - near_r[i];
        du[i] = k->u[i] - near_u[i];
    }
    const real velocity =
        fmaxl(ratio(fabsl(du[0]), k->velocity_noise, k->own_n), ratio(tangent(k->d, du), k->velocity_noise, k->own_t));
    const real eta = fmaxl(ratio(norm(dr, k->d), k->force_noise, k->force), velocity);
    if (eta >= best->eta) return;
    best->eta = eta;
    best->miss = fmaxl(norm(dr, k->d), k->rho * norm(du, k->d));
}

// Friction in mu r_n S: separating, or r' = (r_n, P), u' = (0, -(x - P) / pace) with P the nearest point of mu r_n S to
// x = r_t - pace u_t, pace = R / own_t
static nearest nearest_with_section(const contact* k) {
    const real *r = k->r, *u = k->u, reach = k->mu * fmaxl(r[0], 0), pace = k->own_t > 0 ? k->force / k->own_t : 0;
    const real zero[3] = {0}, open[3] = {u[0] > 0 ? u[0] : 0, u[1], u[2]};
    nearest best = {.eta = INFINITY, .miss = INFINITY};
    take_nearer(k, zero, open, &best);
    real near[3] = {fmaxl(r[0], 0)}, slip[3] = {0};
    const real x[2] = {r[1] - pace * u[1], r[2] - pace * u[2]};
    sti_check_section_nearest(k->section, reach, x, near + 1);
    for (int i = 1; i < 3; i++) slip[i] = !(reach > 0) ? u[i] : pace > 0 ? (near[i] - x[i - 1]) / pace : 0;
    take_nearer(k, near, slip, &best);
    return best;
}

static nearest nearest_of_law(const contact* k) {
    if (k->section != NULL) return nearest_with_section(k);
    const int d = k->d;
    const real *r = k->r, *u = k->u, mu = k->mu;
    const real zero[3] = {0}, open[3] = {u[0] > 0 ? u[0] : 0, u[1], d == 3 ? u[2] : 0};
    real near[3] = {0}, s[3] = {0}, slip[3] = {0};
    nearest best = {.eta = INFINITY, .miss = INFINITY};
    take_nearer(k, zero, open, &best);
    project(d, mu, r, near);
    take_nearer(k, near, zero, &best);
    for (int i = 1; i < d; i++) s[i] = (k->own_t > 0 ? u[i] / k->own_t : 0) - (k->force > 0 ? r[i] / k->force : 0);
    const real length = norm(s, d);
    if (!(length > 0)) return best;
    real alpha = 0, c = r[0];
    for (int i = 1; i < d; i++) {
        s[i] /= length;
        alpha += u[i] * s[i];
        c -= mu * r[i] * s[i];
    }
    c = fmaxl(c / (1 + mu * mu), 0);
    near[0] = c;
    for (int i = 1; i < d; i++) {
        near[i] = -mu * c * s[i];
        slip[i] = fmaxl(alpha, 0) * s[i];
    }
    take_nearer(k, near, slip, &best);
    return best;
}

// ---- the whole

static contact contact_of(const judge* k, int c) {
    const real rho = k->rho[c], root = sqrtl(rho), noise = NOISE * k->unit;
    return (contact){
        .d = k->d,
        .mu = k->p->mu[c],
        .rho = rho,
        .section = k->p->section != NULL && k->p->section[c].shape != STI_SECTION_DISC ? &k->p->section[c] : NULL,
        .r = k->r + k->d * c,
        .u = k->u.value + k->d * c,
        .force = fmaxl(rho * k->own_n[c], norm(k->r + k->d * c, k->d)),
        .own_n = k->own_n[c],
        .own_t = k->own_t[c],
        .force_noise = rho > 0 ? noise * root : 0,
        .velocity_noise = rho > 0 ? noise / root : 0};
}

// What a reader wants to know of a contact: distance of r from the cone, penetration, r . (u + mu |u_t| n)
static void note_contact(const contact* k, sti_contact_verification* out) {
    const real back[2] = {-k->u[1], k->d == 3 ? -k->u[2] : 0};
    const real slip = k->section != NULL ? sti_check_section_support(k->section, back) : tangent(k->d, k->u);
    real in[3] = {fmaxl(k->r[0], 0)}, out_of[3] = {0}, work = k->r[0] * k->mu * slip;
    if (k->section != NULL)
        sti_check_section_nearest(k->section, k->mu * in[0], k->r + 1, in + 1);
    else
        project(k->d, k->mu, k->r, in);
    for (int i = 0; i < k->d; i++) {
        out_of[i] = k->r[i] - in[i];
        work += k->r[i] * k->u[i];
    }
    out->worst_cone_violation = fmax(out->worst_cone_violation, (double)norm(out_of, k->d));
    out->worst_penetration = fmax(out->worst_penetration, (double)-k->u[0]);
    out->worst_complementarity = fmax(out->worst_complementarity, (double)fabsl(work));
}

// The residual of the contacts; *farthest: far of the island that ran away most
static real judge_contacts(const judge* k, real* farthest, sti_contact_verification* out) {
    real miss = 0, worst = 0, force = 0, drive = 0;
    *farthest = 1;
    for (int x = 0; x < k->nc + k->nb + k->nv; x++) {
        force += k->energy[x].force;
        drive += k->energy[x].drive;
        *farthest = fmaxl(*farthest, k->energy[x].far);
    }
    out->worst_contact = k->nc > 0 ? 0 : -1;
    out->worst_cone_violation = out->worst_penetration = out->worst_complementarity = 0;
    for (int c = 0; c < k->nc; c++) {
        const real far = k->energy[k->island[c]].far, rho = k->rho[c];
        const contact one = contact_of(k, c);
        const nearest found = nearest_of_law(&one);
        note_contact(&one, out);
        if (rho > 0) miss = hypotl(miss, far * found.miss / sqrtl(rho));
        if (far * found.eta > worst) out->worst_contact = c;
        worst = fmaxl(worst, far * found.eta);
    }
    const real alone = k->nc > 0 ? worst / (ALONE * sqrtl(k->nc)) : 0;
    const real residual = fmaxl(ratio(miss, 0, sqrtl(fmaxl(force, drive))), alone);
    return *farthest > 1 ? fmaxl(residual, *farthest * DBL_EPSILON) : residual;
}

static real judge_equations(const judge* k) {
    real worst = 0;
    for (int i = 0; i < k->nv; i++) {
        const energies* e = &k->energy[k->island[k->nc + k->nb + i]];
        const real noise = k->D[i] > 0 ? ROW_NOISE * k->unit / sqrtl(k->D[i]) : 0;
        worst = fmaxl(worst, e->far * ratio(fabsl(k->balance.value[i]), noise, k->balance.size[i]));
    }
    for (int j = 0; j < k->nb; j++) {
        const energies* e = &k->energy[k->island[k->nc + j]];
        const real noise = k->mobility[j] > 0 ? ROW_NOISE * k->unit * sqrtl(k->mobility[j]) : 0;
        worst = fmaxl(worst, e->far * ratio(fabsl(k->joint.value[j]), noise, k->joint.size[j]));
    }
    return worst;
}

sti_status sti_check_contact_residual(sti_env* env, const sti_contact_problem* p, const sti_contact_answer* a,
                                      sti_contact_verification* out, double* runaway) {
    judge k;
    sti_status status = open_judge(env, &k, p, a);
    if (status == STI_OK) status = p->global ? read_global(env, &k) : read_local(env, &k, a->r);
    if (status == STI_OK) {
        real far;
        find_islands(&k);
        sum_energies(&k);
        out->residual_contact = (double)judge_contacts(&k, &far, out);
        out->residual_equation = (double)judge_equations(&k);
        out->residual = out->residual_contact + out->residual_equation;
        *runaway = (double)far;
    }
    close_judge(env, &k);
    return status;
}
