// closure.c: the check of a closure claim, from the instant and the witness alone.
//
// Closed: C lambda = 0 with every force strictly inside its cone, and C has full rank on the object's coordinates (by
// elimination with complete pivoting). Not closed: y != 0 with -C_i'y in the dual cone of every contact; where a cone
// is two (bilateral friction) C_i'y = 0. Sums are taken in rationals, on the witness as it is, exact or rounded.
#include <math.h>

#include "verify/sticking_data.h"

typedef struct check {
    sti_sticking_data d;
    const sti_closure* c;
    const int* object;
    bool friction;
    double tol;
} check;

static int coordinate(const check* k, int j) {
    return k->object != NULL ? k->object[j] : j;
}

static bool is_rough(const check* k, int i) {
    const sti_instant_contact* contact = sti_sticking_data_contact(&k->d, i);
    return k->friction && contact->tangent_count > 0 && contact->mu > 0;
}

// Rank of the rows (normals, and tangents with friction) over the object's coordinates, each of these in units of its
// largest entry.
static sti_status full_rank(const check* k, bool* full) {
    const int n = k->c->n;
    int rows = 0, rank = 0;
    double* R = sti_alloc_array(k->d.env, 3 * (size_t)k->d.count * (size_t)n, sizeof *R);
    if (R == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < k->d.count; i++) {
        const sti_instant_contact* contact = sti_sticking_data_contact(&k->d, i);
        for (int t = 0; t <= (is_rough(k, i) ? contact->tangent_count : 0); t++, rows++) {
            for (int j = 0; j < n; j++) {
                const double v = t == 0
                                     ? contact->n[coordinate(k, j)]
                                     : contact->t[(size_t)(t - 1) * (size_t)k->d.instant->n + (size_t)coordinate(k, j)];
                R[(size_t)rows * (size_t)n + (size_t)j] = v;
            }
        }
    }
    for (int j = 0; j < n; j++) {
        double unit = 0;
        for (int i = 0; i < rows; i++) unit = fmax(unit, fabs(R[(size_t)i * (size_t)n + (size_t)j]));
        for (int i = 0; i < rows && unit > 0; i++) R[(size_t)i * (size_t)n + (size_t)j] /= unit;
    }
    for (; rank < rows && rank < n; rank++) {
        int r = rank, c = rank;
        for (int i = rank; i < rows; i++)
            for (int j = rank; j < n; j++)
                if (fabs(R[(size_t)i * n + j]) > fabs(R[(size_t)r * n + c])) {
                    r = i;
                    c = j;
                }
        if (!(fabs(R[(size_t)r * n + c]) > 1e-11)) break;
        for (int j = 0; j < n; j++) {
            const double t = R[(size_t)r * n + j];
            R[(size_t)r * n + j] = R[(size_t)rank * n + j];
            R[(size_t)rank * n + j] = t;
        }
        for (int i = 0; i < rows; i++) {
            const double t = R[(size_t)i * n + c];
            R[(size_t)i * n + c] = R[(size_t)i * n + rank];
            R[(size_t)i * n + rank] = t;
        }
        for (int i = rank + 1; i < rows; i++) {
            const double f = R[(size_t)i * n + rank] / R[(size_t)rank * n + rank];
            for (int j = rank; j < n; j++) R[(size_t)i * n + j] -= f * R[(size_t)rank * n + j];
        }
    }
    sti_free(k->d.env, R);
    *full = rank == n;
    return STI_OK;
}

// C lambda = 0 on the object, up to tol times its largest term; exactly when lambda is exact.
static bool balances(check* k, const sti_rationals* lambda) {
    sti_sticking_data* d = &k->d;
    double size = 0, off = 0;
    bool zero = true;
    for (int j = 0; j < k->c->n; j++) {
        sti_sum_clear(d);
        for (int i = 0; i < d->count; i++) {
            const sti_instant_contact* contact = sti_sticking_data_contact(d, i);
            for (int t = 0; t <= (is_rough(k, i) ? contact->tangent_count : 0); t++) {
                const size_t line = t == 0 ? (size_t)d->contact[i] : (size_t)(d->t_first[i] + t - 1);
                const size_t entry = line * (size_t)d->instant->n + (size_t)coordinate(k, j);
                const sti_rationals* table = t == 0 ? d->table.n : d->table.t;
                sti_sum_add_product(d, table, entry, lambda, (size_t)(d->first[i] + t), 1);
                size = fmax(size, fabs(sti_rationals_double(table, entry) *
                                       sti_rationals_double(lambda, (size_t)(d->first[i] + t))));
            }
        }
        zero = zero && sti_sum_sign(d) == 0;
        off = fmax(off, fabs(sti_sum_double(d)));
    }
    return k->c->lambda_exact != NULL ? zero : off <= k->tol * size;
}

static double polygon_reach(int facets, const double* r) {
    double most = 0;
    for (int k = 0; k < facets; k++) {
        const double pi = M_PI, angle = (2 * k + 1) * pi / facets;
        most = fmax(most, (cos(angle) * r[1] + sin(angle) * r[2]) / cos(pi / facets));
    }
    return most;
}

// In the plane without rounding: mu |f_n| > |f_t|, whatever the sizes.
static bool inside_exactly(check* k, int i, const sti_rationals* lambda) {
    sti_sticking_data* d = &k->d;
    const size_t at = (size_t)d->first[i];
    const int push = sti_rationals_sign(lambda, at), side = sti_rationals_sign(lambda, at + 1);
    sti_sum_clear(d);
    sti_sum_add_product(d, d->table.mu, (size_t)d->contact[i], lambda, at, push);
    sti_sum_add(d, lambda, at + 1, side > 0 ? -1 : 1);
    return sti_sum_sign(d) > 0;
}

static bool strictly_inside(check* k, int facets, const double* lambda) {
    for (int i = 0; i < k->d.count; i++) {
        const sti_instant_contact* contact = sti_sticking_data_contact(&k->d, i);
        const double* r = lambda + k->d.first[i];
        double t = contact->tangent_count > 1 ? hypot(r[1], r[2]) : contact->tangent_count > 0 ? fabs(r[1]) : 0;
        if (facets > 0 && contact->tangent_count == 2) t = polygon_reach(facets, r);
        if (!contact->bilateral && !(r[0] > 0)) return false;
        if (is_rough(k, i) && contact->tangent_count == 1 && k->c->lambda_exact != NULL) {
            if (!inside_exactly(k, i, k->c->lambda_exact)) return false;
        } else if (is_rough(k, i) && !(contact->mu * fabs(r[0]) > t)) {
            return false;
        }
        if (!is_rough(k, i) && t != 0) return false;
    }
    return true;
}

static sti_status check_yes(check* k, int facets, bool* accepted) {
    const sti_closure* c = k->c;
    bool full = false;
    sti_rationals* lambda = NULL;
    const size_t p = (size_t)k->d.first[k->d.count];
    if (c->lambda == NULL || (size_t)c->multiplier_count != p) return STI_OK;
    sti_status status = full_rank(k, &full);
    if (status == STI_OK) status = sti_rationals_create(k->d.env, p, &lambda);
    for (size_t i = 0; status == STI_OK && i < p; i++) {
        status = c->lambda_exact != NULL ? sti_rationals_copy(lambda, i, c->lambda_exact, i)
                                         : sti_rationals_set_double(lambda, i, c->lambda[i]);
    }
    if (status == STI_OK) *accepted = full && strictly_inside(k, facets, c->lambda) && balances(k, lambda);
    sti_rationals_destroy(lambda);
    return status;
}

static sti_status check_no(check* k, int facets, bool* accepted) {
    const sti_closure* c = k->c;
    const size_t n = (size_t)k->d.instant->n;
    sti_rationals *y = NULL, *u = NULL;
    if (c->y == NULL) return STI_OK;
    double size = 0, miss = 0;
    sti_status status = sti_rationals_create(k->d.env, n, &y);
    if (status == STI_OK) status = sti_rationals_create(k->d.env, 4, &u);
    for (int j = 0; status == STI_OK && j < c->n; j++) {
        const size_t at = (size_t)coordinate(k, j);
        status = c->y_exact != NULL ? sti_rationals_copy(y, at, c->y_exact, (size_t)j)
                                    : sti_rationals_set_double(y, at, c->y[j]);
        size = fmax(size, fabs(c->y[j]));
    }
    for (int i = 0; status == STI_OK && i < k->d.count; i++) {
        const sti_instant_contact* contact = sti_sticking_data_contact(&k->d, i);
        const bool rough = is_rough(k, i);
        status = sti_sticking_data_pull(&k->d, i, y, u);
        if (status != STI_OK) break;
        double off = sti_dual_miss(&k->d, i, contact->bilateral ? 0 : 1, rough, u);
        if (facets > 0 && rough && !contact->bilateral && contact->tangent_count == 2) {
            // the polygon's dual: u'(1, mu v) >= 0 at its corners v
            off = 0;
            for (int h = 0; h < facets; h++) {
                const double angle = 2 * M_PI * h / facets;
                const double value =
                    sti_rationals_double(u, 0) +
                    contact->mu * (cos(angle) * sti_rationals_double(u, 1) + sin(angle) * sti_rationals_double(u, 2));
                off = fmax(off, -value);
            }
            if (off < 1e-13 * size) off = 0;
        }
        miss = fmax(miss, off);
    }
    if (status == STI_OK) *accepted = size > 0 && miss <= (c->exact ? 1e-13 : k->tol) * size;
    sti_rationals_destroy(y);
    sti_rationals_destroy(u);
    return status;
}

// Where bounded forces have velocities of their own, "all of them" means the others. *object NULL: there are none such.
static sti_status default_object(sti_env* env, const sti_instant* instant, int** object, int* count) {
    bool any = false;
    *object = NULL;
    for (int i = 0; i < instant->contact_count; i++) any = any || instant->contacts[i].pressed;
    if (!any) return STI_OK;
    *object = sti_alloc_array(env, (size_t)instant->n, sizeof **object);
    if (*object == NULL) return STI_ERR_MEMORY;
    *count = 0;
    for (int j = 0; j < instant->n; j++) {
        bool own = false;
        for (int i = 0; i < instant->contact_count; i++)
            own = own || (instant->contacts[i].pressed && instant->contacts[i].n[j] != 0);
        if (!own) (*object)[(*count)++] = j;
    }
    return STI_OK;
}

sti_status sti_verify_closure(sti_env* env, const sti_instant* instant, const sti_closure_options* options,
                              bool friction, const sti_closure* closure, double tol, bool* accepted) {
    *accepted = false;
    check k = {.c = closure, .friction = friction, .tol = tol};
    const sti_closure_options standard = sti_closure_options_default();
    if (options == NULL) options = &standard;
    int *own = NULL, object_count = options->object_count;
    if (object_count <= 0) {
        const sti_status status = default_object(env, instant, &own, &object_count);
        if (status != STI_OK) return status;
    }
    k.object = options->object_count > 0 ? options->object : own;
    const char* why = NULL;
    sti_status status = sti_sticking_data_open(&k.d, env, instant, closure->contact_count, closure->contact, k.object,
                                               object_count, &why);
    for (int j = 0; status == STI_OK && j < object_count; j++)
        if (k.object[j] < 0 || k.object[j] >= instant->n) why = "no such coordinate";
    if (status == STI_OK && why == NULL && closure->n == (k.object != NULL ? object_count : instant->n)) {
        for (int i = 0; i < k.d.count; i++) k.d.slides[i] = 0;  // closure is about rest
        if (closure->closed == STI_YES) status = check_yes(&k, options->facets, accepted);
        if (closure->closed == STI_NO) status = check_no(&k, options->facets, accepted);
    }
    if (status == STI_OK) status = k.d.x.status;
    sti_sticking_data_close(&k.d);
    sti_free(env, own);
    return status;
}
