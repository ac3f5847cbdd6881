// pose.c: an instant as the all-sticking problem: which contacts take part, what is asked of each, and the
// rows of it, in doubles and without rounding.
#include <math.h>
#include <string.h>

#include "instants/range.h"
#include "sticking/sticking.h"

void sti_facet_normal(int facets, int k, double m[2]) {
    const double pi = M_PI, angle = (2 * k + 1) * pi / facets, radius = cos(pi / facets);
    m[0] = cos(angle) / radius;
    m[1] = sin(angle) / radius;
    for (int i = 0; i < 2; i++) {  // four corners: entries of size one, exactly
        if (fabs(m[i] - round(m[i])) < 1e-12) m[i] = round(m[i]);
    }
}

int sti_posed_facets(const sti_posed* s, int i) {
    const int corners = sti_posed_contact(s, i)->corner_count;
    return corners > 0 ? corners : s->options.facets;
}

void sti_posed_facet(const sti_posed* s, int i, int k, double m[2]) {
    const sti_instant_contact* c = sti_posed_contact(s, i);
    if (c->corner_count == 0) {
        sti_facet_normal(s->options.facets, k, m);
        return;
    }
    const double *a = c->corner + 2 * (size_t)k, *b = c->corner + 2 * (size_t)((k + 1) % c->corner_count);
    const double area = a[0] * b[1] - a[1] * b[0];
    m[0] = (b[1] - a[1]) / area;
    m[1] = (a[0] - b[0]) / area;
}

// Polygons make every contact in space one with facets; a disc beside them, or a polygon that slides, is not taken.
static sti_status check_sections(sti_posed* s) {
    const int first = sti_instant_polygon(s->instant, s->options.gap_tol), asked = s->options.facets;
    for (int i = 0; first >= 0 && i < s->nc; i++) {
        const sti_instant_contact* c = sti_posed_contact(s, i);
        if (c->corner_count > 0 && s->slides[i] && s->rough[i])
            return STI_FAIL(s->env, STI_ERR_INPUT, s->contact[i],
                            "contact %s: polygon: it slides, and friction in a polygon is taken of contacts that stick",
                            c->name);
        if (c->corner_count == 0 && s->rough[i] && !s->slides[i] && s->tangents[i] == 2 && asked == 0)
            return STI_FAIL(s->env, STI_ERR_INPUT, s->contact[i],
                            "contact %s: a disc beside the polygon of contact %s: facets are needed to make it one",
                            c->name, s->instant->contacts[first].name);
        if (c->corner_count > s->options.facets) s->options.facets = c->corner_count;
    }
    return STI_OK;
}

// Does the contact slide? Its direction goes to slip (tangent_count).
static sti_status slip_of(sti_env* env, const sti_instant* instant, int index, bool* slides, double* slip) {
    const sti_instant_contact* contact = &instant->contacts[index];
    double size = 0, reach = 0;
    for (int k = 0; k < contact->tangent_count; k++) {
        const double* t = contact->t + (size_t)k * (size_t)instant->n;
        const double offset = contact->t_offset != NULL ? contact->t_offset[k] : 0;
        slip[k] = sti_small_dot(instant->n, t, instant->v) + offset;
        reach = fmax(reach, fabs(offset));
        size = hypot(size, slip[k]);
        for (int j = 0; j < instant->n; j++) reach = fmax(reach, fabs(t[j] * instant->v[j]));
    }
    *slides = contact->state == STI_INSTANT_SLIDE ||
              (contact->state == STI_INSTANT_BY_VELOCITY && size > 1e-9 * reach && size > 0);
    if (!*slides) {
        memset(slip, 0, (size_t)contact->tangent_count * sizeof *slip);
        return STI_OK;
    }
    if (size == 0 && contact->tangent_count > 0 && contact->mu_kinetic > 0)
        return STI_FAIL(env, STI_ERR_INPUT, index,
                        "contact %s: mode: slide: its velocity along the tangents is 0, so "
                        "the direction of friction is not known",
                        contact->name);
    for (int k = 0; k < contact->tangent_count && size > 0; k++) slip[k] /= size;
    return STI_OK;
}

static sti_status take_arrays(sti_posed* s, size_t contacts, size_t multipliers) {
    s->contact = sti_arena_ints(s->pool, contacts);
    s->tangents = sti_arena_ints(s->pool, contacts);
    s->t_first = sti_arena_ints(s->pool, contacts);
    s->first = sti_arena_ints(s->pool, contacts + 1);
    s->row = sti_arena_ints(s->pool, contacts + 1);
    s->slides = sti_arena_take(s->pool, contacts, 1);
    s->bilateral = sti_arena_take(s->pool, contacts, 1);
    s->rough = sti_arena_take(s->pool, contacts, 1);
    s->choice = sti_arena_take(s->pool, contacts, 1);
    s->mu = sti_arena_doubles(s->pool, contacts);
    s->slip = sti_arena_doubles(s->pool, multipliers);
    return s->pool->status;
}

static sti_status take_matrices(sti_posed* s) {
    s->C = sti_arena_doubles(s->pool, (size_t)s->n * (size_t)s->p);
    s->A = sti_arena_doubles(s->pool, (size_t)s->n * (size_t)s->q);
    s->c = sti_arena_doubles(s->pool, (size_t)s->q);
    return s->pool->status;
}

// Units in which the equations are even: a = alpha a~ and lambda = beta lambda~ with
//
//     alpha_j M_jj alpha_j = 1,    max_j alpha_j |C_jk| beta_k = 1;
//
// a velocity without mass gets its unit from the contacts that see it.
static void find_units(const sti_posed* s, double* alpha, double* beta) {
    const size_t n = (size_t)s->n, p = (size_t)s->p;
    for (size_t j = 0; j < n; j++) alpha[j] = s->instant->M[j * n + j] > 0 ? 1 / sqrt(s->instant->M[j * n + j]) : 0;
    for (int pass = 0; pass < 4; pass++) {
        for (size_t k = 0; k < p && pass % 2 == 0; k++) {
            double most = 0;
            for (size_t j = 0; j < n && beta[k] == 0; j++) most = fmax(most, alpha[j] * fabs(s->C[j * p + k]));
            if (most > 0) beta[k] = 1 / most;
        }
        for (size_t j = 0; j < n && pass % 2 == 1; j++) {
            double most = 0;
            for (size_t k = 0; k < p && alpha[j] == 0; k++) most = fmax(most, beta[k] * fabs(s->C[j * p + k]));
            if (most > 0) alpha[j] = 1 / most;
            if (alpha[j] == 0 && pass == 1) alpha[j] = 1;  // nothing says more
        }
    }
    for (size_t k = 0; k < p; k++)
        if (beta[k] == 0) beta[k] = 1;
}

// Sizes that the data suggest: in these units an unknown is as large as the largest of F and the rates.
static sti_status find_sizes(sti_posed* s) {
    const size_t n = (size_t)s->n, p = (size_t)s->p;
    s->unit = sti_arena_doubles(s->pool, n + p);
    s->size = sti_arena_doubles(s->pool, n + p);
    if (s->pool->status != STI_OK) return s->pool->status;
    find_units(s, s->unit, s->unit + n);
    double most = 0;
    for (size_t j = 0; j < n; j++) most = fmax(most, s->unit[j] * fabs(s->instant->F[j]));
    for (size_t k = 0; k < p; k++) most = fmax(most, s->unit[n + k] * fabs(sti_posed_rate(s, (int)k)));
    s->force = 0;
    for (size_t k = 0; k < n + p; k++) {
        s->size[k] = s->unit[k] * (most > 0 ? most : 1);
        if (k >= n) s->force = fmax(s->force, s->size[k]);
    }
    if (most == 0 || p == 0) s->force = 1;
    return STI_OK;
}

static sti_status count_contacts(sti_posed* s) {
    const sti_instant* instant = s->instant;
    const size_t most = (size_t)instant->contact_count;
    sti_status status = take_arrays(s, most, most + (size_t)instant->tangent_total);
    if (status != STI_OK) return status;
    int tangent = 0;
    for (int k = 0; k < instant->contact_count; k++) {
        const sti_instant_contact* contact = &instant->contacts[k];
        const int t_first = tangent, i = s->nc;
        tangent += contact->tangent_count;
        if (!contact->bilateral && contact->gap > s->options.gap_tol) continue;
        bool slides;
        status = slip_of(s->env, instant, k, &slides, s->slip + s->p + 1);
        if (status != STI_OK) return status;
        s->contact[i] = k;
        s->tangents[i] = contact->tangent_count;
        s->t_first[i] = t_first;
        s->first[i] = s->p;
        s->row[i] = s->q;
        s->slides[i] = slides;
        s->bilateral[i] = contact->bilateral;
        s->mu[i] = slides ? contact->mu_kinetic : contact->mu;
        s->rough[i] = contact->tangent_count > 0 && s->mu[i] > 0;
        s->choice[i] = s->rough[i] && s->bilateral[i];
        const bool disc = contact->tangent_count == 2 && s->options.facets == 0 && contact->corner_count == 0;
        if (s->rough[i] && !slides && disc) s->polyhedral = false;
        s->p += 1 + contact->tangent_count;
        s->q += slides ? 1 : 1 + contact->tangent_count;
        s->nc++;
    }
    s->first[s->nc] = s->p;
    s->row[s->nc] = s->q;
    return STI_OK;
}

static void fill_matrices(sti_posed* s) {
    const size_t n = (size_t)s->n, p = (size_t)s->p, q = (size_t)s->q;
    for (int i = 0; i < s->nc; i++) {
        const sti_instant_contact* contact = sti_posed_contact(s, i);
        for (int k = 0; k <= s->tangents[i]; k++) {
            const double* direction = k == 0 ? contact->n : contact->t + (size_t)(k - 1) * n;
            const int open = sti_posed_is_open(s, i), row = s->row[i] + k - open;
            const bool held = k == 0 ? !open : !s->slides[i];
            for (size_t j = 0; j < n; j++) {
                s->C[j * p + (size_t)(s->first[i] + k)] = direction[j];
                if (held) s->A[j * q + (size_t)row] = direction[j];
            }
            if (held) s->c[row] = k == 0 ? contact->n_rate : contact->t_rate[k - 1];
        }
    }
}

sti_status sti_posed_make(sti_posed* s, sti_arena* pool, const sti_instant* instant,
                          const sti_sticking_options* options) {
    *s = (sti_posed){.env = pool->env, .pool = pool, .instant = instant, .options = *options, .n = instant->n};
    if (options->facets != 0 && (options->facets < 3 || options->facets > 360))
        return STI_FAIL(pool->env, STI_ERR_ARGUMENT, -1, "facets: %d: from 3 to 360, or 0 for discs", options->facets);
    sti_status status = sti_instant_check(pool->env, instant);
    if (status == STI_OK) status = sti_range_check(pool->env, instant);
    if (status != STI_OK) return status;
    s->polyhedral = true;
    status = count_contacts(s);
    if (status == STI_OK) status = check_sections(s);
    if (status != STI_OK) return status;
    status = take_matrices(s);
    if (status != STI_OK) return status;
    fill_matrices(s);
    status = find_sizes(s);
    if (status != STI_OK) return status;
    long rows = s->n + s->q;
    for (int i = 0; i < s->nc; i++) rows += s->tangents[i] == 2 && s->options.facets > 0 ? sti_posed_facets(s, i) : 2;
    s->exact =
        options->exact && s->n + s->p <= options->exact_limit && rows * (s->n + s->p) <= 100L * options->exact_limit;
    return STI_OK;
}

sti_status sti_posed_open(const sti_posed* s, const unsigned char* opens, sti_posed* out) {
    *out = *s;
    out->opens = opens;
    out->row = sti_arena_ints(s->pool, (size_t)s->nc + 1);
    if (out->row == NULL) return s->pool->status;
    for (int i = 0; i < s->nc; i++) out->row[i + 1] = out->row[i] + s->row[i + 1] - s->row[i] - opens[i];
    out->q = out->row[s->nc];
    out->polyhedral = true;
    for (int i = 0; i < s->nc; i++) {
        if (s->rough[i] && !opens[i] && !s->slides[i] && s->tangents[i] == 2 && s->options.facets == 0)
            out->polyhedral = false;
    }
    const sti_status status = take_matrices(out);
    if (status == STI_OK) fill_matrices(out);
    return status;
}

// ---- rows

const sti_rationals* sti_posed_twin(const sti_posed* s, int i, int k, size_t* line) {
    const sti_instant_exact* exact = s->instant->exact;
    *line = k == 0 ? (size_t)s->contact[i] : (size_t)(s->t_first[i] + k - 1);
    return exact == NULL ? NULL : k == 0 ? exact->n : exact->t;
}

void sti_posed_mass_row(const sti_posed* s, sti_cone_program* g, int r, int j) {
    const sti_instant* instant = s->instant;
    for (int k = 0; k < s->n; k++) {
        const size_t at = (size_t)j * (size_t)s->n + (size_t)k;
        sti_program_put_data(g, r, 1 + k, instant->M[at], instant->exact ? instant->exact->M : NULL, at, 1);
    }
}

void sti_posed_force_row(const sti_posed* s, sti_cone_program* g, int r, int j, int first) {
    for (int k = 0; k < s->p; k++) sti_posed_put_direction(s, g, r, 1 + first + k, k, j, -1);
}

void sti_posed_held_row(const sti_posed* s, sti_cone_program* g, int r, int i, int k, bool rate) {
    const sti_instant_exact* exact = s->instant->exact;
    const int direction = k + sti_posed_is_open(s, i);
    size_t line;
    const sti_rationals* table = sti_posed_twin(s, i, direction, &line);
    const sti_rationals* rates = exact == NULL ? NULL : direction == 0 ? exact->n_rate : exact->t_rate;
    if (rate) sti_program_put_data(g, r, 0, s->c[s->row[i] + k], rates, line, 1);
    for (int j = 0; j < s->n; j++) {
        const double value = s->A[(size_t)j * (size_t)s->q + (size_t)(s->row[i] + k)];
        sti_program_put_data(g, r, 1 + j, value, table, line * (size_t)s->n + (size_t)j, 1);
    }
}

static void add_equations(const sti_posed* s, sti_cone_program* g) {
    const sti_instant_exact* exact = s->instant->exact;
    for (int j = 0; j < s->n; j++) {  // M a - C lambda + F = 0
        const int r = sti_program_add(g, STI_ROW_ZERO, -1);
        sti_program_put_data(g, r, 0, s->instant->F[j], exact ? exact->F : NULL, (size_t)j, 1);
        sti_posed_mass_row(s, g, r, j);
        sti_posed_force_row(s, g, r, j, s->n);
    }
    for (int i = 0; i < s->nc; i++) {  // A'a + c = 0
        for (int k = 0; k < s->row[i + 1] - s->row[i]; k++)
            sti_posed_held_row(s, g, sti_program_add(g, STI_ROW_ZERO, i), i, k, true);
    }
}

// mu lambda_n sign, as an entry of row r
static void put_mu(const sti_posed* s, sti_cone_program* g, int r, int i, int sign) {
    const sti_instant_exact* exact = s->instant->exact;
    const sti_rationals* table = exact == NULL ? NULL : s->slides[i] ? exact->mu_kinetic : exact->mu;
    sti_program_put_data(g, r, 1 + s->n + s->first[i], s->mu[i], table, (size_t)s->contact[i], sign);
}

// The disc, interval or polygon of a sticking contact: mu sign lambda_n - margin >= |lambda_t|.
static void add_friction(const sti_posed* s, sti_cone_program* g, int i, int sign, int margin) {
    const int t = 1 + s->n + s->first[i] + 1;  // column of the first tangent
    if (s->tangents[i] == 2 && s->options.facets == 0) {
        const int r = sti_program_add(g, STI_ROW_HEAD, i);
        put_mu(s, g, r, i, sign);
        if (margin >= 0) sti_program_put(g, r, 1 + margin, -1);
        for (int k = 0; k < 2; k++) sti_program_put(g, sti_program_add(g, STI_ROW_TAIL, i), t + k, 1);
        return;
    }
    const int count = s->tangents[i] == 1 ? 2 : sti_posed_facets(s, i);
    for (int k = 0; k < count; k++) {
        const int r = sti_program_add(g, STI_ROW_NONNEGATIVE, i);
        put_mu(s, g, r, i, sign);
        if (margin >= 0) sti_program_put(g, r, 1 + margin, -1);
        if (s->tangents[i] == 1) {
            sti_program_put(g, r, t, k == 0 ? -1 : 1);
        } else {
            double m[2];
            sti_posed_facet(s, i, k, m);
            sti_program_put(g, r, t, -m[0]);
            sti_program_put(g, r, t + 1, -m[1]);
        }
    }
}

static void add_sign(const sti_posed* s, sti_cone_program* g, int i, int sign, int margin) {
    const int r = sti_program_add(g, STI_ROW_NONNEGATIVE, i);
    sti_program_put(g, r, 1 + s->n + s->first[i], sign);
    if (margin >= 0) sti_program_put(g, r, 1 + margin, -1);
}

// lambda_t + mu |lambda_n| slip = 0
static void add_slide(const sti_posed* s, sti_cone_program* g, int i, int sign) {
    const int t = 1 + s->n + s->first[i] + 1;
    for (int k = 0; k < s->tangents[i]; k++) {
        const int r = sti_program_add(g, STI_ROW_ZERO, i);
        const double slip = s->slip[s->first[i] + 1 + k];
        sti_program_put(g, r, t + k, 1);
        if (fabs(slip) == 1)
            put_mu(s, g, r, i, slip > 0 ? sign : -sign);
        else
            sti_program_put(g, r, t - 1, sign * s->mu[i] * slip);
    }
}

// A contact that opens: lambda = 0.
static void add_open(const sti_posed* s, sti_cone_program* g, int i) {
    for (int k = 0; k <= s->tangents[i]; k++)
        sti_program_put(g, sti_program_add(g, STI_ROW_ZERO, i), 1 + s->n + s->first[i] + k, 1);
}

static void add_contact(const sti_posed* s, sti_cone_program* g, int i, int sign, int margin) {
    const int t = 1 + s->n + s->first[i] + 1;
    if (sti_posed_is_open(s, i)) {
        add_open(s, g, i);
        return;
    }
    if (!s->rough[i]) {
        for (int k = 0; k < s->tangents[i]; k++)
            sti_program_put(g, sti_program_add(g, STI_ROW_ZERO, i), t + k, 1);  // lambda_t = 0
        if (!s->bilateral[i]) add_sign(s, g, i, 1, margin);
        return;
    }
    if (!s->bilateral[i]) sign = 1;
    if (sign == 0) return;
    if (!s->slides[i]) {
        add_friction(s, g, i, sign, margin);
        return;
    }
    add_slide(s, g, i, sign);
    add_sign(s, g, i, sign, margin);
}

// The norm of (31): accelerations in units in which the entries of M and of C are alike.
static sti_status set_metric(const sti_posed* s, sti_cone_program* g) {
    g->metric = sti_arena_doubles(s->pool, (size_t)g->size);
    if (s->pool->status != STI_OK) return s->pool->status;
    const double M = sti_small_max((size_t)s->n * (size_t)s->n, s->instant->M);
    const double C = sti_small_max((size_t)s->n * (size_t)s->p, s->C);
    for (int j = 0; j < g->size; j++) g->metric[j] = j < s->n && M > 0 && C > 0 ? C / M : 1;
    return STI_OK;
}

static sti_status set_units(const sti_posed* s, sti_cone_program* g) {
    g->unknown_scale = sti_arena_doubles(s->pool, (size_t)g->size);
    if (s->pool->status != STI_OK) return s->pool->status;
    memcpy(g->unknown_scale, s->unit, (size_t)(s->n + s->p) * sizeof *s->unit);
    return STI_OK;
}

sti_status sti_posed_equations(const sti_posed* s, bool exact, sti_cone_program* out) {
    sti_status status = sti_program_open(out, s->pool, s->n + s->p, s->n + s->q + 2 * s->p, exact);
    if (status != STI_OK) return status;
    add_equations(s, out);
    for (int i = 0; i < s->nc; i++) {
        if (sti_posed_is_open(s, i))
            add_open(s, out, i);
        else if (s->slides[i] && !s->choice[i])
            add_slide(s, out, i, 1);
    }
    status = set_metric(s, out);
    return status == STI_OK ? set_units(s, out) : status;
}

sti_status sti_posed_program(const sti_posed* s, const signed char* sign, int extras, int extra_rows, int margin,
                             bool exact, sti_cone_program* out) {
    const int facets = s->options.facets > 3 ? s->options.facets : 3;
    const int capacity = s->n + s->q + s->nc * (facets + 3) + extra_rows;
    sti_status status = sti_program_open(out, s->pool, s->n + s->p + extras, capacity, exact);
    if (status != STI_OK) return status;
    add_equations(s, out);
    for (int i = 0; i < s->nc; i++)
        add_contact(s, out, i, sign != NULL ? sign[i] : 0, s->margin_on == NULL || s->margin_on[i] ? margin : -1);
    return set_units(s, out);
}

double sti_posed_force_limit(const sti_posed* s) {
    return s->options.force_limit > 0 ? s->options.force_limit : 1e4 * s->force;
}

double sti_posed_reach(const sti_posed* s, int i, const double* lambda) {
    const double* r = lambda + s->first[i];
    if (s->tangents[i] < 2) return s->tangents[i] == 1 ? fabs(r[1]) : 0;
    if (s->options.facets == 0) return hypot(r[1], r[2]);
    double most = 0;
    for (int k = 0; k < sti_posed_facets(s, i); k++) {
        double m[2];
        sti_posed_facet(s, i, k, m);
        most = fmax(most, m[0] * r[1] + m[1] * r[2]);
    }
    return most;
}

double sti_posed_margin(const sti_posed* s, int i, const double* lambda) {
    const double normal = lambda[s->first[i]];
    if (sti_posed_is_open(s, i)) return NAN;
    if (!s->rough[i] || s->slides[i]) return s->bilateral[i] ? NAN : normal;
    return s->mu[i] * (s->bilateral[i] ? fabs(normal) : normal) - sti_posed_reach(s, i, lambda);
}

double sti_posed_least_margin(const sti_posed* s, const double* lambda) {
    double least = INFINITY;
    for (int i = 0; i < s->nc; i++) {
        const double margin = sti_posed_margin(s, i, lambda);
        if (margin < least) least = margin;
    }
    return least;
}
