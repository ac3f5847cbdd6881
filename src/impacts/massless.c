// massless.c: see massless.h.
#include "impacts/massless.h"

#include <math.h>
#include <string.h>

#include "linalg/svd.h"

#define ZERO_MASS 1e-13  // of the largest mass, in units
#define ALONG 1e-9       // part of a gradient along a direction without mass
#define FITS 1e-9        // of the velocity: what joints may miss

static bool taken(const sti_instant_contact* c, double gap_tol) {
    return !c->bilateral && !c->pressed && c->gap <= gap_tol;
}

// ---- units

// The largest entry of a row, in units; those that are not known are 0.
static double row_size(int n, const double* row, const double* unit) {
    double size = 0;
    for (int j = 0; j < n; j++) size = fmax(size, fabs(row[j]) * unit[j]);
    return size;
}

// Of coordinate j, by the rows that know other coordinates (or, at last, by any row): 0: none moves it.
static double unit_by_rows(const sti_instant* in, const double* unit, int j, bool any) {
    double most = 0;
    for (int i = 0; i < in->contact_count; i++) {
        const sti_instant_contact* c = &in->contacts[i];
        for (int l = -1; l < c->tangent_count; l++) {
            const double* row = l < 0 ? c->n : c->t + (size_t)l * (size_t)in->n;
            const double size = any ? 1 : row_size(in->n, row, unit);
            if (size > 0) most = fmax(most, fabs(row[j]) / size);
        }
    }
    return most > 0 ? ldexp(1, -ilogb(most)) : 0;
}

void sti_massless_units(const sti_instant* in, double* unit) {
    bool found = true;
    sti_small_units(in->n, in->M, unit);
    for (int j = 0; j < in->n; j++) unit[j] = in->M[(size_t)j * ((size_t)in->n + 1)] > 0 ? unit[j] : 0;
    for (bool any = false; found || !any;) {
        any = !found;
        found = false;
        for (int j = 0; j < in->n && !(any && found); j++) {
            if (unit[j] > 0) continue;
            unit[j] = unit_by_rows(in, unit, j, any);
            found = found || unit[j] > 0;
        }
    }
    for (int j = 0; j < in->n; j++) unit[j] = unit[j] > 0 ? unit[j] : 1;
}

// rows x n, each times the units
static double* times_units(sti_arena* pool, int rows, int n, const double* from, const double* unit) {
    double* out = sti_arena_doubles(pool, (size_t)rows * (size_t)n + 1);
    for (size_t i = 0; out != NULL && i < (size_t)rows * (size_t)n; i++) out[i] = from[i] * unit[i % (size_t)n];
    return out;
}

sti_status sti_massless_scale(sti_arena* pool, const sti_instant* in, const double* unit, sti_instant* out) {
    const int n = in->n;
    sti_instant_contact* list = sti_arena_take(pool, (size_t)in->contact_count + 1, sizeof *list);
    double* M = times_units(pool, n, n, in->M, unit);
    double* v = sti_arena_copy(pool, in->v, (size_t)n);
    *out = *in;
    out->F = times_units(pool, 1, n, in->F, unit);
    if (pool->status != STI_OK) return pool->status;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) M[(size_t)i * (size_t)n + (size_t)j] *= unit[i];
        v[i] /= unit[i];
    }
    for (int i = 0; i < in->contact_count; i++) {
        list[i] = in->contacts[i];
        list[i].n = times_units(pool, 1, n, in->contacts[i].n, unit);
        if (list[i].tangent_count > 0) list[i].t = times_units(pool, list[i].tangent_count, n, list[i].t, unit);
    }
    out->M = M;
    out->v = v;
    out->contacts = list;
    out->exact = NULL;
    return pool->status;
}

// ---- what the joints allow, and what of it has mass; all of `in` is in units

static sti_status read_joints(sti_massless* m, const sti_instant* in) {
    const size_t n = (size_t)in->n;
    int* joint = sti_arena_ints(&m->pool, (size_t)in->contact_count + 1);
    m->B = sti_arena_doubles(&m->pool, (size_t)in->contact_count * n + 1);
    m->B_size = sti_arena_doubles(&m->pool, (size_t)in->contact_count + 1);
    if (m->pool.status != STI_OK) return m->pool.status;
    for (int i = 0; i < in->contact_count; i++) {
        const sti_instant_contact* c = &in->contacts[i];
        double size = 0, *row = m->B + (size_t)m->joint_count * n;
        if (!c->bilateral) continue;
        if (c->n_offset != 0)
            return STI_FAIL(m->pool.env, STI_ERR_INPUT, i, "M: singular, and joint %s moves by itself", c->name);
        for (size_t j = 0; j < n; j++) size += fabs(c->n[j] * in->v[j]);
        if (fabs(sti_small_dot(in->n, c->n, in->v)) > FITS * size)
            return STI_FAIL(m->pool.env, STI_ERR_INPUT, i, "M: singular, and the velocity does not fit joint %s",
                            c->name);
        const double length = sti_small_norm(in->n, c->n);
        m->B_size[m->joint_count] = length > 0 ? length : 1;
        for (size_t j = 0; j < n; j++) row[j] = c->n[j] / m->B_size[m->joint_count];
        joint[m->joint_count++] = i;
    }
    m->joint = joint;
    return STI_OK;
}

// An orthonormal basis of what the joints allow (rows).
static sti_status free_directions(sti_massless* m, double** basis, int* count) {
    const int n = m->from->n;
    double* X = sti_arena_doubles(&m->pool, (size_t)n * (size_t)n);
    if (X == NULL) return m->pool.status;
    *basis = X;
    *count = n;
    if (m->joint_count == 0) {
        for (int j = 0; j < n; j++) X[(size_t)j * ((size_t)n + 1)] = 1;
        return STI_OK;
    }
    sti_svd f;
    const sti_status status = sti_svd_make(&m->pool, m->joint_count, n, m->B, STI_SMALL_RANK_TOL, &f);
    if (status != STI_OK) return status;
    *count = n - f.rank;
    for (int j = 0; j < *count; j++) memcpy(X + (size_t)j * (size_t)n, sti_svd_kernel(&f, j), (size_t)n * sizeof *X);
    return sti_small_canonical(&m->pool, *count, n, X);
}

// Does a touching contact move x, which has no mass?
static sti_status check_idle(const sti_massless* m, const sti_instant* in, double gap_tol, const double* x) {
    const int n = in->n;
    for (int i = 0; i < in->contact_count; i++) {
        const sti_instant_contact* c = &in->contacts[i];
        if (!taken(c, gap_tol)) continue;
        for (int l = -1; l < c->tangent_count; l++) {
            const double* row = l < 0 ? c->n : c->t + (size_t)l * (size_t)n;
            if (fabs(sti_small_dot(n, row, x)) > ALONG * sti_small_norm(n, row))
                return STI_FAIL(m->pool.env, STI_ERR_INPUT, i,
                                "M: contact %s moves a direction without mass: its kinetic norm has no limit", c->name);
        }
    }
    return STI_OK;
}

// Takes out of x its parts along the orthonormal rows of `idle`, twice, so that rounding does not remain.
static void take_out(const sti_massless* m, const double* idle, int count, double* x) {
    const int n = m->from->n;
    for (int l = 0; l < 2 * count; l++) {
        const double* along = idle + (size_t)(l % count) * (size_t)n;
        const double part = sti_small_dot(n, along, x);
        for (int j = 0; j < n; j++) x[j] -= part * along[j];
    }
}

// Y and z in the coordinates given, from idle directions in units. What is idle has no mass and no row, so that parts
// along it change nothing in Y M Y' and in the rows.
static void leave_units(sti_massless* m, double* idle) {
    const size_t n = (size_t)m->from->n;
    for (int l = 0; l < m->idle; l++) {
        double* x = idle + (size_t)l * n;
        for (size_t j = 0; j < n; j++) x[j] *= m->unit[j];
        take_out(m, idle, l, x);
        const double length = sti_small_norm(m->from->n, x), part = sti_small_dot(m->from->n, x, m->from->v) / length;
        for (size_t j = 0; j < n; j++) {
            x[j] /= length;
            m->z[j] += part * x[j];
        }
    }
    for (int i = 0; i < m->instant.n; i++) {
        double *Y = m->Y + (size_t)i * n, *dual = m->dual + (size_t)i * n;
        for (size_t j = 0; j < n; j++) {
            dual[j] = Y[j] / m->unit[j];
            Y[j] *= m->unit[j];
        }
        take_out(m, idle, m->idle, Y);
    }
}

// Y, mass and z out of a basis of what the joints allow.
static sti_status split_mass(sti_massless* m, const sti_instant* in, double gap_tol, const double* basis, int count) {
    const size_t n = (size_t)in->n, r = (size_t)count;
    double* MX = sti_arena_doubles(&m->pool, r * n + 1);
    double* reduced = sti_arena_doubles(&m->pool, r * r + 1);
    double* V = sti_arena_doubles(&m->pool, r * r + 1);
    double* e = sti_arena_doubles(&m->pool, r + 1);
    double* idle = sti_arena_doubles(&m->pool, r * n + 1);
    m->Y = sti_arena_doubles(&m->pool, r * n + 1);
    m->dual = sti_arena_doubles(&m->pool, r * n + 1);
    m->mass = sti_arena_doubles(&m->pool, r + 1);
    m->z = sti_arena_doubles(&m->pool, n + 1);
    if (m->pool.status != STI_OK) return m->pool.status;
    sti_small_multiply(count, in->n, in->n, basis, in->M, MX);
    sti_small_multiply_nt(count, in->n, count, MX, basis, reduced);
    sti_status status = sti_small_eigen(&m->pool, count, reduced, e, V);
    const double zero = ZERO_MASS * sti_small_max(n * n, in->M);
    for (int l = 0; status == STI_OK && l < count; l++) {
        const bool massive = e[l] > zero;
        double* x = massive ? m->Y + (size_t)m->instant.n * n : idle + (size_t)m->idle * n;
        sti_small_multiply(1, count, in->n, V + (size_t)l * r, basis, x);
        if (e[l] < -zero) return STI_FAIL(m->pool.env, STI_ERR_INPUT, -1, "M: not positive semidefinite");
        if (massive) {
            m->mass[m->instant.n++] = e[l];
            continue;
        }
        status = check_idle(m, in, gap_tol, x);
        m->idle++;
    }
    if (status == STI_OK) leave_units(m, idle);
    return status;
}

// row in y
static void down(const sti_massless* m, const double* row, double* out) {
    for (int i = 0; i < m->instant.n; i++)
        out[i] = sti_small_dot(m->from->n, m->Y + (size_t)i * (size_t)m->from->n, row);
}

static sti_status take_contact(sti_massless* m, const sti_instant* in, int i, sti_instant_contact* out) {
    const sti_instant_contact* c = &m->from->contacts[i];
    const size_t r = (size_t)m->instant.n, n = (size_t)m->from->n;
    double* rows = sti_arena_doubles(&m->pool, (size_t)(1 + c->tangent_count) * r + 1);
    if (rows == NULL) return m->pool.status;
    *out = *c;
    down(m, c->n, rows);
    for (int l = 0; l < c->tangent_count; l++) down(m, c->t + (size_t)l * n, rows + (size_t)(1 + l) * r);
    out->n = rows;
    out->t = rows + r;
    if (!(sti_small_norm(m->instant.n, rows) > ALONG * sti_small_norm(in->n, in->contacts[i].n)))
        return STI_FAIL(m->pool.env, STI_ERR_INPUT, i, "contact %s cannot move: the joints hold it", c->name);
    m->instant.tangent_total += c->tangent_count;
    return STI_OK;
}

static sti_status take_contacts(sti_massless* m, const sti_instant* units, double gap_tol) {
    const sti_instant* in = m->from;
    const size_t most = (size_t)in->contact_count;
    int* contact = sti_arena_ints(&m->pool, most + 1);
    sti_instant_contact* list = sti_arena_take(&m->pool, most + 1, sizeof *list);
    double* E = sti_arena_doubles(&m->pool, most * most + 1);
    sti_status status = m->pool.status;
    int p = 0;
    for (int i = 0; status == STI_OK && i < in->contact_count; i++) {
        if (!taken(&in->contacts[i], gap_tol)) continue;
        status = take_contact(m, units, i, &list[p]);
        contact[p++] = i;
    }
    for (int i = 0; status == STI_OK && in->restitution != NULL && i < p; i++) {
        for (int j = 0; j < p; j++)
            E[(size_t)i * (size_t)p + (size_t)j] = in->restitution[(size_t)contact[i] * most + (size_t)contact[j]];
    }
    m->contact = contact;
    m->instant.contacts = list;
    m->instant.contact_count = p;
    m->instant.restitution = in->restitution != NULL ? E : NULL;
    return status;
}

static sti_status fill(sti_massless* m) {
    const size_t r = (size_t)m->instant.n;
    double* M = sti_arena_doubles(&m->pool, r * r + 1);
    double *F = sti_arena_doubles(&m->pool, r + 1), *v = sti_arena_doubles(&m->pool, r + 1);
    if (m->pool.status != STI_OK) return m->pool.status;
    for (size_t i = 0; i < r; i++) M[i * (r + 1)] = m->mass[i];
    down(m, m->from->F, F);
    sti_small_apply(m->instant.n, m->from->n, m->dual, m->from->v, v);
    m->instant.M = M;
    m->instant.F = F;
    m->instant.v = v;
    m->instant.time = m->from->time;
    return STI_OK;
}

sti_status sti_massless_make(sti_env* env, const sti_instant* instant, double gap_tol, sti_massless* out) {
    *out = (sti_massless){.pool = sti_arena_make(env), .from = instant};
    double* basis = NULL;
    int count = 0;
    sti_instant in;
    sti_status status = STI_OK;
    out->unit = sti_arena_doubles(&out->pool, (size_t)instant->n);
    if (out->unit == NULL) return STI_ERR_MEMORY;
    sti_massless_units(instant, out->unit);
    status = sti_massless_scale(&out->pool, instant, out->unit, &in);
    if (status == STI_OK) status = read_joints(out, &in);
    if (status == STI_OK) status = free_directions(out, &basis, &count);
    if (status == STI_OK) status = split_mass(out, &in, gap_tol, basis, count);
    if (status == STI_OK && out->instant.n == 0)
        status = STI_FAIL(env, STI_ERR_INPUT, -1, "M: nothing that the joints allow has mass");
    if (status == STI_OK) status = take_contacts(out, &in, gap_tol);
    if (status == STI_OK) status = fill(out);
    if (status != STI_OK) sti_massless_clear(out);
    return status;
}

void sti_massless_clear(sti_massless* m) {
    sti_arena_clear(&m->pool);
}

double* sti_massless_up(const sti_massless* m, sti_arena* pool, int count, const double* y, bool with) {
    const size_t n = (size_t)m->from->n, r = (size_t)m->instant.n;
    double* out = sti_arena_doubles(pool, (size_t)count * n + 1);
    for (size_t k = 0; out != NULL && k < (size_t)count; k++) {
        sti_small_multiply(1, m->instant.n, m->from->n, y + k * r, m->Y, out + k * n);
        for (size_t j = 0; with && j < n; j++) out[k * n + j] += m->z[j];
    }
    return out;
}

double* sti_massless_joints(const sti_massless* m, sti_arena* pool, const double* from, const double* to,
                            const double* impulse, double* missed) {
    const int n = m->from->n;
    double* p = sti_arena_doubles(pool, (size_t)m->joint_count + 1);
    double* b = sti_arena_doubles(pool, (size_t)n);
    double size = 0;
    sti_svd f;
    if (pool->status != STI_OK) return NULL;
    for (int j = 0; j < n; j++) {
        double change = 0, before = 0;
        for (int l = 0; l < n; l++) {
            change += m->from->M[(size_t)j * (size_t)n + (size_t)l] * (to[l] - from[l]);
            before += m->from->M[(size_t)j * (size_t)n + (size_t)l] * from[l];
        }
        b[j] = (change - impulse[j]) * m->unit[j];
        size = fmax(size, m->unit[j] * fmax(fmax(fabs(change), fabs(before)), fabs(impulse[j])));
    }
    if (m->joint_count > 0) {
        if (sti_svd_make(pool, m->joint_count, n, m->B, STI_SMALL_RANK_TOL, &f) != STI_OK) return NULL;
        sti_svd_solve_transposed(&f, b, p);
        for (int i = 0; i < m->joint_count; i++) {
            for (int j = 0; j < n; j++) b[j] -= p[i] * m->B[(size_t)i * (size_t)n + (size_t)j];
            p[i] /= m->B_size[i];
        }
    }
    const double left = sti_small_max((size_t)n, b);
    *missed = size > 0 ? left / size : left;
    return p;
}
