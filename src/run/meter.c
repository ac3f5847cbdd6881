// meter.c: speeds, variations, impulses and impacts of a run, and the hypotheses that can be looked at along the way.
#include "run/meter.h"

#include <math.h>
#include <stiction/cone.h>
#include <stiction/pointed.h>
#include <string.h>

#include "base/env.h"
#include "run/store.h"

enum { MOST_CHANGES = 200, EACH = 16, MANY = 24, MOST_ROWS = STI_METER_ROWS };

#define ZERO 1e-9  // margins below this are none

static const long MOST_COUNT = 1000000000000000000;  // in a checkpoint

static const sti_member members[] = {
    STI_MEMBER(sti_meter, STI_LONG, rows),
    STI_MEMBER(sti_meter, STI_LONG, next),
    STI_MEMBER(sti_meter, STI_LONG, looked),
    STI_MEMBER(sti_meter, STI_DOUBLE, m.sizes.speed),
    STI_MEMBER(sti_meter, STI_DOUBLE, m.sizes.variation),
    STI_MEMBER(sti_meter, STI_DOUBLE, m.sizes.weighted_variation),
    STI_MEMBER(sti_meter, STI_DOUBLE, m.sizes.jump),
    STI_MEMBER(sti_meter, STI_DOUBLE, m.sizes.jump_time),
    STI_MEMBER(sti_meter, STI_DOUBLE, m.sizes.impulses),
    STI_MEMBER(sti_meter, STI_LONG, m.atoms),
    STI_MEMBER(sti_meter, STI_DOUBLE, m.atom_sum),
    STI_MEMBER(sti_meter, STI_INT, m.atom_count),
    STI_MEMBER(sti_meter, STI_DOUBLE, m.atom_time),
    STI_MEMBER(sti_meter, STI_DOUBLE, m.atom_size),
    STI_MEMBER(sti_meter, STI_LONG, m.looked),
    STI_MEMBER(sti_meter, STI_LONG, m.touched),
    STI_MEMBER(sti_meter, STI_LONG, m.passed),
    STI_MEMBER(sti_meter, STI_DOUBLE, m.pointed),
    STI_MEMBER(sti_meter, STI_DOUBLE, m.pointed_at),
    STI_MEMBER(sti_meter, STI_BOOL, m.mass_varies),
    STI_MEMBER(sti_meter, STI_BOOL, m.mass_flat),
};

sti_status sti_meter_create(sti_env* env, int n, double alpha, sti_meter** out) {
    sti_meter* meter = *out = sti_alloc_array_zero(env, 1, sizeof *meter);
    if (meter == NULL) return STI_ERR_MEMORY;
    meter->env = env;
    meter->n = n;
    meter->next = 1;
    meter->m = (sti_run_measure){.sizes.jump_time = NAN, .alpha = alpha, .pointed = NAN, .pointed_at = NAN};
    meter->v = sti_alloc_array_zero(env, sti_size_mul(3, (size_t)n + 1), sizeof *meter->v);
    if (meter->v != NULL) return STI_OK;
    sti_meter_destroy(meter);
    *out = NULL;
    return STI_ERR_MEMORY;
}

void sti_meter_destroy(sti_meter* meter) {
    if (meter == NULL) return;
    sti_free(meter->env, meter->v);
    sti_free(meter->env, meter->mass);
    sti_free(meter->env, meter);
}

// ---- rows

static double* row(const sti_meter* meter, long k) {
    return k < 0 ? NULL : meter->v + (size_t)(k % 3) * (size_t)meter->n;
}

double* sti_meter_velocity(sti_meter* meter) {
    return row(meter, meter->rows);
}

void sti_meter_row(sti_meter* meter, double t, double normal) {
    const long k = meter->rows++;
    sti_path_measures_add(&meter->m.sizes, meter->n, meter->m.alpha, t, row(meter, k), row(meter, k - 1),
                          row(meter, k - 2), normal);
}

double* sti_meter_last(sti_meter* meter) {
    return row(meter, meter->rows - 1);
}

const double* sti_meter_before(const sti_meter* meter) {
    return row(meter, meter->rows - 2);
}

double sti_meter_change(const sti_meter* meter, int first, int count) {
    const double *v = row(meter, meter->rows - 1), *before = sti_meter_before(meter);
    double sum = 0;
    for (int i = first; before != NULL && i < first + count; i++) sum += (v[i] - before[i]) * (v[i] - before[i]);
    return sum;
}

// Of more than there is room for the smallest goes, the later one of equals.
void sti_meter_atom(sti_meter* meter, double t, double size) {
    sti_run_measure* m = &meter->m;
    m->atoms++;
    m->atom_sum += size;
    if (m->atom_count == STI_RUN_ATOMS) {
        int least = 0;
        for (int k = 1; k < STI_RUN_ATOMS; k++) {
            if (m->atom_size[k] <= m->atom_size[least]) least = k;
        }
        if (size <= m->atom_size[least]) return;
        const size_t later = (size_t)(STI_RUN_ATOMS - 1 - least);
        memmove(m->atom_time + least, m->atom_time + least + 1, later * sizeof t);
        memmove(m->atom_size + least, m->atom_size + least + 1, later * sizeof size);
        m->atom_count--;
    }
    m->atom_time[m->atom_count] = t;
    m->atom_size[m->atom_count++] = size;
}

// ---- instants

bool sti_meter_due(sti_meter* meter, long step, bool changed) {
    // a look may cost as much as ten steps
    const bool turn = step >= meter->next;
    const bool extra = changed && meter->looked < MOST_CHANGES && EACH * meter->looked <= step;
    if (extra) meter->looked++;
    if (turn) meter->next = step + 1 + step / (meter->n > MANY ? 2 : 16);
    return turn || extra;
}

// Cholesky's factorization, in place.
static bool is_definite(double* a, size_t n) {
    for (size_t j = 0; j < n; j++) {
        const double whole = a[n * j + j];
        for (size_t k = 0; k < j; k++) a[n * j + j] -= a[n * j + k] * a[n * j + k];
        if (!(a[n * j + j] > 1e-14 * whole)) return false;
        a[n * j + j] = sqrt(a[n * j + j]);
        for (size_t i = j + 1; i < n; i++) {
            for (size_t k = 0; k < j; k++) a[n * i + j] -= a[n * i + k] * a[n * j + k];
            a[n * i + j] /= a[n * j + j];
        }
    }
    return true;
}

static sti_status keep_mass(sti_meter* meter, const sti_instant* instant) {
    const size_t n = (size_t)instant->n, count = sti_size_mul(n, n);
    meter->mass = sti_alloc_array(meter->env, count + 1, sizeof *meter->mass);
    if (meter->mass == NULL) return STI_ERR_MEMORY;
    meter->mass_n = instant->n;
    memcpy(meter->mass, instant->M, count * sizeof *meter->mass);
    meter->m.mass_flat = !is_definite(meter->mass, n);
    memcpy(meter->mass, instant->M, count * sizeof *meter->mass);
    return STI_OK;
}

// Beyond rounding of the largest entry?
static bool mass_differs(const sti_meter* meter, const sti_instant* instant) {
    const size_t n = (size_t)meter->mass_n;
    double largest = 0, apart = 0;
    if (instant->n != meter->mass_n) return true;
    for (size_t k = 0; k < n * n; k++) {
        largest = fmax(largest, fabs(meter->mass[k]));
        apart = fmax(apart, fabs(meter->mass[k] - instant->M[k]));
    }
    return apart > 1e-12 * largest;
}

// margin: of the generators n and n + mu d of all contacts, a lower bound; NAN: too many, or rounding leaves it open. A
// run has no time for a decision in integers.
static sti_status measure_cone(sti_env* env, const sti_friction_cone* k, double* margin) {
    const size_t s = (size_t)k->dimension;
    const int count = k->contact_count + (k->contact_count > 0 ? k->direction[k->contact_count] : 0);
    double lower, upper;
    size_t at = 0;
    *margin = NAN;
    if (s > MOST_ROWS || count + k->joint_count > MOST_ROWS) return STI_OK;
    double* g = sti_alloc_array(env, (size_t)count * s + 1, sizeof *g);
    if (g == NULL) return STI_ERR_MEMORY;
    for (int j = 0; j < k->contact_count; j++) {
        const double* n = k->normals + (size_t)j * s;
        for (size_t i = 0; i < s; i++) g[at++] = n[i];
        for (int d = k->direction[j]; d < k->direction[j + 1]; d++) {
            for (size_t i = 0; i < s; i++) g[at++] = n[i] + k->mu[j] * k->directions[(size_t)d * s + i];
        }
    }
    const sti_rows rays = {.count = count, .dimension = k->dimension, .value = g};
    const sti_rows lines = {.count = k->joint_count, .dimension = k->dimension, .value = k->joints};
    const sti_status status = sti_rows_margin_bounds(env, k->dimension, &rays, &lines, &lower, &upper);
    sti_free(env, g);
    if (status == STI_OK && (lower > ZERO || upper <= ZERO)) *margin = lower > ZERO ? lower : 0;
    return status;
}

// The least margin so far.
static sti_status measure_part(sti_meter* meter, const sti_instant* part) {
    sti_friction_cone* cone = NULL;
    double margin = NAN;
    sti_status status = sti_friction_cone_create_instant(meter->env, part, INFINITY, &cone);
    if (status == STI_OK) status = measure_cone(meter->env, cone, &margin);
    sti_friction_cone_destroy(meter->env, cone);
    if (status != STI_OK) return status;
    if (isnan(margin)) meter->m.passed++;
    if (!isnan(margin) && !(margin >= meter->m.pointed)) {
        meter->m.pointed = margin;
        meter->m.pointed_at = part->time;
    }
    return STI_OK;
}

// The cone of the joints, and of the contacts that are closed.
static sti_status look_at_cone(sti_meter* meter, const sti_instant* instant, const bool* closed, int count) {
    sti_instant part = *instant;
    bool touched = false;
    for (int i = 0; i < count; i++) touched = touched || closed[i];
    if (!touched) return STI_OK;
    sti_instant_contact* kept = sti_alloc_array(meter->env, (size_t)instant->contact_count + 1, sizeof *kept);
    if (kept == NULL) return STI_ERR_MEMORY;
    part.contact_count = part.tangent_total = 0;
    part.contacts = kept;
    part.exact = NULL;
    part.restitution = NULL;
    for (int i = 0; i < instant->contact_count; i++) {
        const sti_instant_contact* c = &instant->contacts[i];
        if (c->pressed || (!c->bilateral && !(i < count && closed[i]))) continue;
        kept[part.contact_count++] = *c;
        part.tangent_total += c->tangent_count;
    }
    meter->m.touched++;
    const sti_status status = measure_part(meter, &part);
    sti_free(meter->env, kept);
    return status;
}

sti_status sti_meter_look(sti_meter* meter, const sti_instant* instant, const bool* closed, int contact_count) {
    sti_status status = STI_OK;
    meter->m.looked++;
    if (meter->mass == NULL)
        status = keep_mass(meter, instant);
    else
        meter->m.mass_varies = meter->m.mass_varies || mass_differs(meter, instant);
    return status == STI_OK ? look_at_cone(meter, instant, closed, contact_count) : status;
}

void sti_meter_pass(sti_meter* meter) {
    meter->m.looked++;
    meter->m.touched++;
    meter->m.passed++;
}

// ---- checkpoints

void sti_meter_save(const sti_meter* meter, sti_store* out) {
    const size_t n = (size_t)meter->mass_n;
    sti_store_put_members(out, "measure", meter, members, STI_MEMBER_COUNT(members));
    sti_store_put_numbers(out, "measure.v", meter->v, 3 * (size_t)meter->n);
    sti_store_put_numbers(out, "measure.mass", meter->mass, n * n);
}

sti_status sti_meter_load(sti_meter* meter, const sti_store* in) {
    size_t size;
    const sti_status status = sti_store_get_members(in, "measure", meter, members, STI_MEMBER_COUNT(members));
    if (status != STI_OK) return status;
    const sti_run_measure* m = &meter->m;
    const long counts[] = {meter->rows, meter->next, meter->looked, m->atoms, m->looked, m->touched, m->passed};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        if (counts[k] < 0 || counts[k] > MOST_COUNT) return sti_store_missing(in, k == 0 ? "measure.rows" : "measure");
    }
    if (m->atom_count < 0 || m->atom_count > STI_RUN_ATOMS) return sti_store_missing(in, "measure.m.atom_count");
    const double* v = sti_store_numbers(in, "measure.v", &size);
    if (v == NULL || size != 3 * (size_t)meter->n) return sti_store_missing(in, "measure.v");
    if (size > 0) memcpy(meter->v, v, size * sizeof *v);
    const double* mass = sti_store_numbers(in, "measure.mass", &size);
    const size_t n = (size_t)floor(sqrt((double)size) + 0.5);
    if (mass == NULL || n * n != size || n > 100000) return sti_store_missing(in, "measure.mass");
    if (size == 0) return STI_OK;
    meter->mass = sti_alloc_array(meter->env, size + 1, sizeof *mass);
    if (meter->mass == NULL) return STI_ERR_MEMORY;
    memcpy(meter->mass, mass, size * sizeof *mass);
    meter->mass_n = (int)n;
    return STI_OK;
}
