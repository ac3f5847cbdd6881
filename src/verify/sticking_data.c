// sticking_data.c: sums of products of rationals over an instant, and the dual of a friction cone.
#include "verify/sticking_data.h"

#include <math.h>

static sti_status from_doubles(sti_env* env, const double* value, size_t count, sti_rationals** out) {
    sti_status status = sti_rationals_create(env, count, out);
    for (size_t i = 0; status == STI_OK && i < count; i++) status = sti_rationals_set_double(*out, i, value[i]);
    return status;
}

// Tables of an instant that is given by doubles.
static sti_status make_tables(sti_sticking_data* d) {
    const sti_instant* instant = d->instant;
    const size_t n = (size_t)instant->n, nc = (size_t)instant->contact_count, nt = (size_t)instant->tangent_total;
    sti_instant_exact* t = &d->table;
    d->made = true;
    sti_status status = from_doubles(d->env, instant->M, n * n, &t->M);
    if (status == STI_OK) status = from_doubles(d->env, instant->F, n, &t->F);
    if (status == STI_OK) status = sti_rationals_create(d->env, nc * n, &t->n);
    if (status == STI_OK) status = sti_rationals_create(d->env, nt * n, &t->t);
    if (status == STI_OK) status = sti_rationals_create(d->env, nc, &t->n_rate);
    if (status == STI_OK) status = sti_rationals_create(d->env, nt, &t->t_rate);
    if (status == STI_OK) status = sti_rationals_create(d->env, nc, &t->mu);
    if (status == STI_OK) status = sti_rationals_create(d->env, nc, &t->mu_kinetic);
    size_t line = 0;
    for (size_t i = 0; status == STI_OK && i < nc; i++) {
        const sti_instant_contact* contact = &instant->contacts[i];
        for (size_t j = 0; status == STI_OK && j < n; j++)
            status = sti_rationals_set_double(t->n, i * n + j, contact->n[j]);
        if (status == STI_OK) status = sti_rationals_set_double(t->n_rate, i, contact->n_rate);
        if (status == STI_OK) status = sti_rationals_set_double(t->mu, i, contact->mu);
        if (status == STI_OK) status = sti_rationals_set_double(t->mu_kinetic, i, contact->mu_kinetic);
        for (int k = 0; status == STI_OK && k < contact->tangent_count; k++, line++) {
            for (size_t j = 0; status == STI_OK && j < n; j++)
                status = sti_rationals_set_double(t->t, line * n + j, contact->t[(size_t)k * n + j]);
            if (status == STI_OK) status = sti_rationals_set_double(t->t_rate, line, contact->t_rate[k]);
        }
    }
    return status;
}

int sti_sticking_data_facets(const sti_sticking_data* d, int i, int facets) {
    const int corners = sti_sticking_data_contact(d, i)->corner_count;
    return corners > 0 ? corners : facets;
}

void sti_sticking_data_facet(const sti_sticking_data* d, int i, int facets, int k, double m[2]) {
    const sti_instant_contact* c = sti_sticking_data_contact(d, i);
    if (c->corner_count > 0) {  // through corners x and y: m'x = m'y = 1
        const double *x = c->corner + 2 * (size_t)k, *y = c->corner + 2 * (size_t)((k + 1) % c->corner_count);
        const double area = x[0] * y[1] - x[1] * y[0];
        m[0] = (y[1] - x[1]) / area;
        m[1] = (x[0] - y[0]) / area;
        return;
    }
    const double pi = M_PI, angle = (2 * k + 1) * pi / facets;
    m[0] = cos(angle) / cos(pi / facets);
    m[1] = sin(angle) / cos(pi / facets);
    for (int h = 0; h < 2; h++) {
        if (fabs(m[h] - round(m[h])) < 1e-12) m[h] = round(m[h]);
    }
}

// Sliding, by its state or by its velocity; the direction as doubles.
static void find_slip(sti_sticking_data* d, int i) {
    const sti_instant_contact* contact = sti_sticking_data_contact(d, i);
    double speed = 0, reach = 0;
    for (int k = 0; k < contact->tangent_count; k++) {
        double v = contact->t_offset != NULL ? contact->t_offset[k] : 0;
        reach = fmax(reach, fabs(v));
        for (int j = 0; j < d->instant->n; j++) {
            const double term = contact->t[(size_t)k * (size_t)d->instant->n + (size_t)j] * d->instant->v[j];
            v += term;
            reach = fmax(reach, fabs(term));
        }
        d->slip[i][k] = v;
        speed = hypot(speed, v);
    }
    d->slides[i] = contact->state == STI_INSTANT_SLIDE ||
                   (contact->state == STI_INSTANT_BY_VELOCITY && speed > 1e-9 * reach && speed > 0);
    for (int k = 0; k < contact->tangent_count; k++)
        d->slip[i][k] = d->slides[i] && speed > 0 ? d->slip[i][k] / speed : 0;
}

// Sizes of a and lambda that F and the rates suggest, in units in which the equations are even.
static void find_sizes(const sti_sticking_data* d) {
    double *size_a = d->size_a, *size_l = d->size_l;
    const int n = d->instant->n, p = d->first[d->count];
    for (int j = 0; j < n; j++) {
        const double m = d->instant->M[(size_t)j * (size_t)n + (size_t)j];
        size_a[j] = m > 0 ? 1 / sqrt(m) : 0;
    }
    for (int k = 0; k < p; k++) size_l[k] = 0;
    for (int pass = 0; pass < 4; pass++) {  // multipliers from velocities, velocities without mass from multipliers
        for (int i = 0; i < d->count; i++) {
            const sti_instant_contact* c = sti_sticking_data_contact(d, i);
            for (int s = 0; s <= c->tangent_count && pass % 2 == 0; s++) {
                const double* row = s == 0 ? c->n : c->t + (size_t)(s - 1) * (size_t)n;
                double most = 0;
                for (int j = 0; j < n; j++) most = fmax(most, size_a[j] * fabs(row[j]));
                if (size_l[d->first[i] + s] == 0 && most > 0) size_l[d->first[i] + s] = 1 / most;
            }
        }
        for (int j = 0; j < n && pass % 2 == 1; j++) {
            double most = 0;
            for (int i = 0; i < d->count && size_a[j] == 0; i++) {
                const sti_instant_contact* c = sti_sticking_data_contact(d, i);
                for (int s = 0; s <= c->tangent_count; s++) {
                    const double* row = s == 0 ? c->n : c->t + (size_t)(s - 1) * (size_t)n;
                    most = fmax(most, size_l[d->first[i] + s] * fabs(row[j]));
                }
            }
            if (size_a[j] == 0) size_a[j] = most > 0 ? 1 / most : pass == 1 ? 1 : 0;
        }
    }
    double most = 0;
    for (int j = 0; j < n; j++) most = fmax(most, size_a[j] * fabs(d->instant->F[j]));
    for (int i = 0; i < d->count; i++) {
        const sti_instant_contact* c = sti_sticking_data_contact(d, i);
        for (int s = 0; s <= c->tangent_count; s++) {
            double* unit = &size_l[d->first[i] + s];
            if (*unit == 0) *unit = 1;
            most = fmax(most, *unit * fabs(s == 0 ? c->n_rate : c->t_rate[s - 1]));
        }
    }
    if (most == 0) most = 1;
    for (int j = 0; j < n; j++) size_a[j] *= most;
    for (int k = 0; k < p; k++) size_l[k] *= most;
}

static bool touches(const sti_instant* instant, int i, const int* object, int object_count) {
    const sti_instant_contact* contact = &instant->contacts[i];
    if (!contact->bilateral && contact->gap > 0) return false;
    if (contact->pressed && object != NULL) return false;  // closure: bounded forces have no part in it
    for (int j = 0; j < object_count; j++) {
        if (contact->n[object[j]] != 0) return true;
        for (int k = 0; k < contact->tangent_count; k++)
            if (contact->t[(size_t)k * (size_t)instant->n + (size_t)object[j]] != 0) return true;
    }
    return object == NULL;
}

static const char* check_list(const sti_instant* instant, int count, const int* contact, const int* object,
                              int object_count) {
    if (count < 0 || (count > 0 && contact == NULL)) return "the list of contacts is missing";
    int k = 0;
    for (int i = 0; i < instant->contact_count; i++) {
        if (k < count && contact[k] == i)
            k++;
        else if (touches(instant, i, object, object_count))
            return "a contact that touches is left out";
    }
    return k == count ? NULL : "the list of contacts is not one of this instant, in order";
}

sti_status sti_sticking_data_open(sti_sticking_data* d, sti_env* env, const sti_instant* instant, int count,
                                  const int* contact, const int* object, int object_count, const char** why) {
    *d = (sti_sticking_data){.env = env, .instant = instant, .count = count, .contact = contact};
    sti_exact_init(&d->x, env);
    sti_status status = sti_instant_check(env, instant);
    if (status != STI_OK) return status;
    *why = check_list(instant, count, contact, object, object != NULL ? object_count : 0);
    if (*why != NULL) return STI_OK;
    if (instant->exact != NULL)
        d->table = *instant->exact;
    else
        status = make_tables(d);
    if (status != STI_OK) return status;
    d->memory = sti_arena_make(env);
    d->first = sti_arena_raw(&d->memory, (size_t)count + 1, sizeof *d->first);
    d->row = sti_arena_raw(&d->memory, (size_t)count + 1, sizeof *d->row);
    d->t_first = sti_arena_raw(&d->memory, (size_t)count + 1, sizeof *d->t_first);
    d->slides = sti_arena_raw(&d->memory, (size_t)count, 1);
    d->slip = sti_arena_raw(&d->memory, (size_t)count, sizeof *d->slip);
    d->size_a = sti_arena_raw(&d->memory, (size_t)instant->n, sizeof *d->size_a);
    d->size_l =
        sti_arena_raw(&d->memory, (size_t)(instant->contact_count + instant->tangent_total) + 1, sizeof *d->size_l);
    if (d->memory.status != STI_OK) return d->memory.status;
    d->first[0] = d->row[0] = 0;
    int tangent = 0;
    for (int k = 0, i = 0; i < count; k++) {
        const int tangents = instant->contacts[k].tangent_count;
        if (contact[i] == k) {
            d->t_first[i] = tangent;
            find_slip(d, i);
            d->first[i + 1] = d->first[i] + 1 + tangents;
            d->row[i + 1] = d->row[i] + (d->slides[i] ? 1 : 1 + tangents);
            i++;
        }
        tangent += tangents;
    }
    find_sizes(d);
    return STI_OK;
}

void sti_sticking_data_close(sti_sticking_data* d) {
    if (d->env == NULL) return;
    if (d->made) {
        sti_rationals_destroy(d->table.M);
        sti_rationals_destroy(d->table.F);
        sti_rationals_destroy(d->table.n);
        sti_rationals_destroy(d->table.t);
        sti_rationals_destroy(d->table.n_rate);
        sti_rationals_destroy(d->table.t_rate);
        sti_rationals_destroy(d->table.mu);
        sti_rationals_destroy(d->table.mu_kinetic);
    }
    sti_arena_clear(&d->memory);
    sti_int_clear(d->env, &d->num);
    sti_int_clear(d->env, &d->den);
    sti_int_clear(d->env, &d->t1);
    sti_int_clear(d->env, &d->t2);
    sti_exact_clear(&d->x);
}

// ---- num / den

void sti_sum_clear(sti_sticking_data* d) {
    sti_int_set_i64(&d->x, &d->num, 0);
    sti_int_set_i64(&d->x, &d->den, 1);
}

static void reduce(sti_sticking_data* d) {
    sti_int_gcd(&d->x, &d->t1, &d->num, &d->den);
    if (d->x.status != STI_OK || d->t1.size == 0 || sti_int_is_one(&d->t1)) return;
    sti_int_divexact(&d->x, &d->num, &d->num, &d->t1);
    sti_int_divexact(&d->x, &d->den, &d->den, &d->t1);
}

void sti_sum_add(sti_sticking_data* d, const sti_rationals* a, size_t i, int sign) {
    if (a->num[i].size == 0) return;
    sti_int_mul(&d->x, &d->num, &d->num, &a->den[i]);
    sti_int_mul(&d->x, &d->t1, &a->num[i], &d->den);
    if (sign < 0)
        sti_int_sub(&d->x, &d->num, &d->num, &d->t1);
    else
        sti_int_add(&d->x, &d->num, &d->num, &d->t1);
    sti_int_mul(&d->x, &d->den, &d->den, &a->den[i]);
    reduce(d);
}

void sti_sum_add_product(sti_sticking_data* d, const sti_rationals* a, size_t i, const sti_rationals* b, size_t j,
                         int sign) {
    if (a->num[i].size == 0 || b->num[j].size == 0) return;
    sti_int_mul(&d->x, &d->t2, &a->den[i], &b->den[j]);
    sti_int_mul(&d->x, &d->num, &d->num, &d->t2);
    sti_int_mul(&d->x, &d->t1, &a->num[i], &b->num[j]);
    sti_int_mul(&d->x, &d->t1, &d->t1, &d->den);
    if (sign < 0)
        sti_int_sub(&d->x, &d->num, &d->num, &d->t1);
    else
        sti_int_add(&d->x, &d->num, &d->num, &d->t1);
    sti_int_mul(&d->x, &d->den, &d->den, &d->t2);
    reduce(d);
}

int sti_sum_sign(const sti_sticking_data* d) {
    return sti_int_sign(&d->num);
}

double sti_sum_double(sti_sticking_data* d) {
    return sti_int_ratio(&d->x, &d->num, &d->den);
}

sti_status sti_sum_store(sti_sticking_data* d, sti_rationals* r, size_t i) {
    if (d->x.status != STI_OK) return d->x.status;
    return sti_rationals_set_ratio(r, i, &d->num, &d->den);
}

// ---- contacts

sti_status sti_sticking_data_pull(sti_sticking_data* d, int i, const sti_rationals* y, sti_rationals* u) {
    const size_t n = (size_t)d->instant->n;
    const int tangents = sti_sticking_data_contact(d, i)->tangent_count;
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k <= tangents; k++) {
        const sti_rationals* table = k == 0 ? d->table.n : d->table.t;
        const size_t line = k == 0 ? (size_t)d->contact[i] : (size_t)(d->t_first[i] + k - 1);
        sti_sum_clear(d);
        for (size_t j = 0; j < n; j++) sti_sum_add_product(d, table, line * n + j, y, j, -1);
        status = sti_sum_store(d, u, (size_t)k);
    }
    return status;
}

// Friction that opposes sliding: u_n sign - mu slip'u_t >= 0.
static double slide_miss(sti_sticking_data* d, int i, int sign, const sti_rationals* u) {
    const sti_instant_contact* contact = sti_sticking_data_contact(d, i);
    double value = sign * sti_rationals_double(u, 0), size = fabs(value);
    for (int k = 0; k < contact->tangent_count; k++) {
        const double term = contact->mu_kinetic * d->slip[i][k] * sti_rationals_double(u, (size_t)k + 1);
        value -= term;
        size += fabs(term);
    }
    return value < -1e-14 * size ? -value : 0;
}

double sti_dual_miss(sti_sticking_data* d, int i, int sign, bool rough, const sti_rationals* u) {
    const sti_instant_contact* contact = sti_sticking_data_contact(d, i);
    const double u_n = sti_rationals_double(u, 0);
    double u_t = 0;
    for (int k = 1; k <= contact->tangent_count; k++) u_t = hypot(u_t, sti_rationals_double(u, (size_t)k));
    if (sign == 0) {  // lambda is free there: u must vanish
        bool zero = sti_rationals_sign(u, 0) == 0;
        for (int k = 1; rough && k <= contact->tangent_count; k++) zero &= sti_rationals_sign(u, (size_t)k) == 0;
        return zero ? 0 : fmax(fabs(u_n), rough ? u_t : 0);
    }
    if (!rough) return sign * sti_rationals_sign(u, 0) >= 0 ? 0 : fabs(u_n);
    if (d->slides[i]) return slide_miss(d, i, sign, u);
    // u_n sign >= mu |u_t|, between squares
    bool inside = sign * sti_rationals_sign(u, 0) >= 0;
    if (inside) {
        sti_exact* x = &d->x;
        const size_t at = (size_t)d->contact[i];
        sti_sum_clear(d);
        for (int k = 1; k <= contact->tangent_count; k++) sti_sum_add_product(d, u, (size_t)k, u, (size_t)k, -1);
        for (int twice = 0; twice < 2; twice++) {  // times mu^2
            sti_int_mul(x, &d->num, &d->num, &d->table.mu->num[at]);
            sti_int_mul(x, &d->den, &d->den, &d->table.mu->den[at]);
        }
        sti_sum_add_product(d, u, 0, u, 0, 1);
        inside = sti_sum_sign(d) >= 0;
    }
    return inside ? 0 : fmax(contact->mu * u_t - sign * u_n, 0x1p-1000);
}
