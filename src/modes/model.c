// model.c: from an instant to integer data and each contact's own modes (S2 tables I and II, sections IV and VI).
//
// Friction. A contact at rest has forces in { c_n >= 0, c_t in mu c_n P } with a polygon P around 0 (in the plane: the
// interval [-1, 1]). The law of S2, maximal dissipation, says: given a_t, the force minimizes a_t'c_t over mu c_n P. So
//
//     a_t = 0                                             any c_t                        n
//     a_t'(p_i - p_j) > 0 for both neighbours i           c_t = mu c_n p_j               the corner j
//     a_t'(p_j+1 - p_j) = 0, a_t'(p_j+2 - p_j+1) > 0      c_t between p_j and p_j+1      the side j
//
// and these classes part the plane of a_t. (21), (22) and (30) to (32) are P = [-1, 1] and [-1, 1]^2; (33) to (36),
// after lambda is eliminated, are the regular polygon. Accelerations and forces of a mode are a product of two cones,
// which all that follows is built on.
//
// Directions. The corners cos 2 pi j/k are irrational unless k = 4; they are taken at their nearest doubles, with the
// symmetries of the polygon kept exactly. The direction of a contact that slides in space is rounded likewise, unless
// it lies along a tangent.
#include "modes/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Polygon -------------------------------------------------------------------------------------------------------------

// cos(2 pi j / k), by the symmetries of the circle so that equal values are equal and zeros are zero.
static double polygon_cos(int j, int k) {
    j = ((j % k) + k) % k;
    if (2 * j > k) j = k - j;                              // cos(2 pi - x) = cos x
    if (4 * j > k) return -polygon_cos(2 * j - k, 2 * k);  // cos(pi - x) = -cos x
    if (4 * j == k) return 0;
    return cos(2 * M_PI * j / k);
}

void sti_modes_add_fraction(sti_exact* x, sti_int* num, sti_int* den, const sti_int* a, const sti_int* b,
                            const sti_int* c) {
    sti_int t = {0};
    sti_int_mul(x, &t, a, b);
    sti_int_mul(x, &t, &t, den);
    sti_int_mul(x, num, num, c);
    sti_int_add(x, num, num, &t);
    sti_int_mul(x, den, den, c);
    sti_int_clear(x->env, &t);
}

sti_status sti_modes_polygon(sti_env* env, sti_friction_model model, int sides, sti_rationals** out, int* count) {
    static const double box[8] = {1, 1, -1, 1, -1, -1, 1, -1};
    *count = model == STI_FRICTION_BOX ? 4 : sides;
    sti_status status = sti_rationals_create(env, 2 * (size_t)*count, out);
    for (int j = 0; j < *count && status == STI_OK; j++) {
        // sin x = cos(x - pi / 2): in quarters of a side
        const double p[2] = {polygon_cos(j, *count), polygon_cos(4 * j - *count, 4 * *count)};
        const double* corner = model == STI_FRICTION_BOX ? box + 2 * (size_t)j : p;
        for (size_t k = 0; k < 2 && status == STI_OK; k++)
            status = sti_rationals_set_double(*out, 2 * (size_t)j + k, corner[k]);
    }
    if (status != STI_OK) {
        sti_rationals_destroy(*out);
        *out = NULL;
    }
    return status;
}

// Polygons of the contacts: one for all that touch, which the options count the sides of.
static sti_status find_own(modes_model* m, const sti_modes_options* o) {
    const sti_instant* in = m->instant;
    const int first = sti_instant_polygon(in, o->gap_tol);
    if (first < 0) return STI_OK;
    const sti_instant_contact* p = &in->contacts[first];
    if (o->model != STI_FRICTION_SIDES || o->sides != p->corner_count)
        return STI_FAIL(m->env, STI_ERR_INPUT, first, "contact %s: polygon: the model sides with %d sides is needed",
                        p->name, p->corner_count);
    for (int i = 0; i < in->contact_count; i++) {
        const sti_instant_contact* c = &in->contacts[i];
        if ((!c->bilateral && c->gap > o->gap_tol) || c->tangent_count != 2 || c->mu == 0) continue;
        const size_t size = 2 * (size_t)p->corner_count * sizeof *p->corner;
        if (c->corner_count != p->corner_count || memcmp(c->corner, p->corner, size) != 0)
            return STI_FAIL(m->env, STI_ERR_INPUT, i,
                            "contact %s: another section than the polygon of contact %s: modes take one for all",
                            c->name, p->name);
    }
    m->own = true;
    sti_status status = STI_OK;
    for (size_t j = 0; j < 2 * (size_t)p->corner_count && status == STI_OK; j++)
        status = sti_rationals_set_double(m->corners, j, p->corner[j]);
    return status;
}

// Images of the data --------------------------------------------------------------------------------------------------

static sti_status put(sti_rationals* to, size_t k, const sti_rationals* exact, size_t i, const double* value) {
    return exact != NULL ? sti_rationals_copy(to, k, exact, i) : sti_rationals_set_double(to, k, value[i]);
}

// Values first.. first + count - 1 of one contact as rows (gradient, rate) under one scale.
static sti_status load_values(modes_model* m, int contact, int first, int count, int tangent_before) {
    const sti_instant* in = m->instant;
    const sti_instant_contact* c = &in->contacts[contact];
    const sti_instant_exact* e = in->exact;
    const bool normal = first == m->contacts[contact].value;
    const size_t n = (size_t)m->n, width = n + 1, row0 = normal ? (size_t)contact : (size_t)tangent_before;
    sti_rationals* r;
    sti_status status = sti_rationals_create(m->env, (size_t)count * width, &r);
    if (status != STI_OK) return status;
    const sti_rationals* gradient = e == NULL ? NULL : normal ? e->n : e->t;
    const sti_rationals* rate = e == NULL ? NULL : normal ? e->n_rate : e->t_rate;
    for (size_t k = 0; k < (size_t)count; k++) {
        const double* row = normal ? c->n : c->t + k * n;
        const double* rates = normal ? &c->n_rate : c->t_rate + k;
        for (size_t j = 0; j < n && status == STI_OK; j++)
            status = e != NULL ? sti_rationals_copy(r, k * width + j, gradient, (row0 + k) * n + j)
                               : sti_rationals_set_double(r, k * width + j, row[j]);
        if (status == STI_OK)
            status = e != NULL ? sti_rationals_copy(r, k * width + n, rate, row0 + k)
                               : sti_rationals_set_double(r, k * width + n, *rates);
    }
    if (status == STI_OK) {
        sti_int* image = modes_form_at(m, first);
        sti_int_row_from_rationals(&m->x, image, r, 0, (size_t)count * width, &m->scale_num[first],
                                   &m->scale_den[first]);
        for (int k = 1; k < count; k++) {
            sti_int_set(&m->x, &m->scale_num[first + k], &m->scale_num[first]);
            sti_int_set(&m->x, &m->scale_den[first + k], &m->scale_den[first]);
        }
        for (int k = 0; k < count; k++) {
            modes_form* meaning = &m->meaning[first + k];
            meaning->contact = contact;
            sti_int_set_i64(&m->x, &meaning->weight[normal ? 0 : 1 + k], 1);
            if (sti_int_sign(&image[(size_t)k * width + n]) != 0) m->homogeneous = false;
        }
        status = m->x.status;
    }
    sti_rationals_destroy(r);
    return status;
}

static sti_status load_contacts(modes_model* m) {
    int tangent = 0, value = 0;
    for (int i = 0; i < m->contact_count; i++) {
        modes_contact* c = &m->contacts[i];
        c->tangents = m->instant->contacts[i].tangent_count;
        c->bilateral = m->instant->contacts[i].bilateral;
        c->value = value;
        sti_status status = load_values(m, i, value, 1, 0);
        if (status == STI_OK && c->tangents > 0) status = load_values(m, i, value + 1, c->tangents, tangent);
        if (status != STI_OK) return status;
        tangent += c->tangents;
        value += 1 + c->tangents;
    }
    m->form_count = value;
    return STI_OK;
}

static sti_status load_wrench(modes_model* m, const sti_modes_options* o) {
    sti_status status = sti_rationals_create(m->env, (size_t)m->n, &m->wrench);
    const bool own = o->wrench == NULL && o->wrench_exact == NULL;
    const sti_rationals* exact = own ? (m->instant->exact != NULL ? m->instant->exact->F : NULL) : o->wrench_exact;
    for (size_t k = 0; k < (size_t)m->n && status == STI_OK; k++) {
        status = put(m->wrench, k, exact, k, own ? m->instant->F : o->wrench);
        if (status == STI_OK && own) sti_int_neg(&m->wrench->num[k]);
    }
    return status;
}

// Row r of  M | J | w.
static sti_status load_dynamics_row(modes_model* m, int r, sti_rationals* row) {
    const sti_instant* in = m->instant;
    const sti_instant_exact* e = in->exact;
    const size_t n = (size_t)m->n;
    sti_status status = STI_OK;
    size_t k = 0, tangent = 0;
    for (size_t j = 0; j < n && status == STI_OK; j++)
        status = put(row, k++, e != NULL ? e->M : NULL, (size_t)r * n + j, in->M);
    for (size_t i = 0; i < (size_t)m->contact_count; i++) {
        const sti_instant_contact* c = &in->contacts[i];
        if (status == STI_OK)
            status = e != NULL ? sti_rationals_copy(row, k++, e->n, i * n + (size_t)r)
                               : sti_rationals_set_double(row, k++, c->n[r]);
        for (size_t t = 0; t < (size_t)c->tangent_count && status == STI_OK; t++, tangent++)
            status = e != NULL ? sti_rationals_copy(row, k++, e->t, tangent * n + (size_t)r)
                               : sti_rationals_set_double(row, k++, c->t[t * n + (size_t)r]);
    }
    if (status == STI_OK) status = sti_rationals_copy(row, k++, m->wrench, (size_t)r);
    if (status != STI_OK) return status;
    sti_int_row_from_rationals(&m->x, modes_dynamics_at(m, r), row, 0, k, &m->row_num[r], &m->row_den[r]);
    return m->x.status;
}

static sti_status load_dynamics(modes_model* m) {
    sti_rationals* row;
    sti_status status = sti_rationals_create(m->env, (size_t)(m->n + m->K + 1), &row);
    if (status != STI_OK) return status;
    for (int r = 0; r < m->n && status == STI_OK; r++) status = load_dynamics_row(m, r, row);
    sti_rationals_destroy(row);
    return status;
}

// State of a contact --------------------------------------------------------------------------------------------------

// What surfaces that move by themselves add to a gap rate (k < 0) or to slip k.
static double offset_of(const sti_instant_contact* c, int k) {
    if (k < 0) return c->n_offset;
    return c->t_offset != NULL ? c->t_offset[k] : 0;
}

// Sign of row'v + offset without rounding. The value's form is the row times scale_num / scale_den.
static int velocity_sign_exact(modes_model* m, int value, double offset) {
    const sti_instant* in = m->instant;
    sti_exact* x = &m->x;
    enum { SUM, NUM, DEN, SHIFT, SHIFT_NUM, SHIFT_DEN, MORE };
    sti_int* v = sti_int_array(x, (size_t)m->n + MORE);
    if (v == NULL) return 0;
    sti_int* more = v + m->n;
    if (in->exact != NULL)
        sti_int_row_from_rationals(x, v, in->exact->v, 0, (size_t)m->n, &more[NUM], &more[DEN]);
    else
        sti_int_row_from_doubles(x, v, in->v, (size_t)m->n, 1, &more[NUM], &more[DEN]);
    for (int k = 0; k < m->n; k++) sti_int_addmul(x, &more[SUM], &v[k], &modes_form_at(m, value)[k]);
    if (offset != 0) {  // both over one denominator
        sti_int_row_from_doubles(x, &more[SHIFT], &offset, 1, 1, &more[SHIFT_NUM], &more[SHIFT_DEN]);
        sti_int_mul(x, &more[SUM], &more[SUM], &more[DEN]);
        sti_int_mul(x, &more[SUM], &more[SUM], &m->scale_den[value]);
        sti_int_mul(x, &more[SUM], &more[SUM], &more[SHIFT_NUM]);
        sti_int_mul(x, &more[SHIFT], &more[SHIFT], &more[SHIFT_DEN]);
        sti_int_mul(x, &more[SHIFT], &more[SHIFT], &more[NUM]);
        sti_int_addmul(x, &more[SUM], &more[SHIFT], &m->scale_num[value]);
    }
    const int sign = sti_int_sign(&more[SUM]);
    sti_int_array_free(m->env, v, (size_t)m->n + MORE);
    return sign;
}

// Sign of row'v + offset: zero when not larger than tol (sum |row_k v_k| + |offset|). tol 0: exact.
static int velocity_sign(modes_model* m, int value, const double* row, double offset, double tol) {
    const sti_instant* in = m->instant;
    if (tol == 0 && in->v != NULL) return velocity_sign_exact(m, value, offset);
    double s = offset, size = fabs(offset);
    for (int k = 0; k < m->n && in->v != NULL; k++) {
        s += row[k] * in->v[k];
        size += fabs(row[k] * in->v[k]);
    }
    return (s > tol * size) - (s < -tol * size);
}

static int rational_sign(const sti_rationals* exact, size_t i, double value) {
    return exact != NULL ? sti_rationals_sign(exact, i) : (value > 0) - (value < 0);
}

static sti_status find_status(modes_model* m, int i, const sti_modes_options* o) {
    const sti_instant_contact* c = &m->instant->contacts[i];
    const sti_instant_exact* e = m->instant->exact;
    modes_contact* own = &m->contacts[i];
    bool slips = false;
    for (int k = 0; k < c->tangent_count; k++) {
        const double* row = c->t + (size_t)k * (size_t)m->n;
        if (velocity_sign(m, own->value + 1 + k, row, offset_of(c, k), o->velocity_tol) != 0) slips = true;
    }
    if (c->state == STI_INSTANT_SLIDE && !slips && !o->contacts_only)
        return STI_FAIL(m->env, STI_ERR_INPUT, i, "contact %s is said to slide, but its slip t v is zero: no direction",
                        c->name);
    own->status = slips && c->state != STI_INSTANT_STICK ? STI_CONTACT_STATUS_SLIDING : STI_CONTACT_STATUS_ROLLING;
    const bool slides = own->status == STI_CONTACT_STATUS_SLIDING;
    const int mu = slides ? rational_sign(e != NULL ? e->mu_kinetic : NULL, (size_t)i, c->mu_kinetic)
                          : rational_sign(e != NULL ? e->mu : NULL, (size_t)i, c->mu);
    if (c->bilateral) {
        if (c->tangent_count == 0 || mu == 0) own->status = STI_CONTACT_STATUS_JOINT;
        return m->x.status;
    }
    if (c->gap > o->gap_tol) {
        own->status = STI_CONTACT_STATUS_APART;
    } else if (c->state == STI_INSTANT_BY_VELOCITY) {
        const int gap_rate = velocity_sign(m, own->value, c->n, offset_of(c, -1), o->velocity_tol);
        if (gap_rate < 0)
            return STI_FAIL(m->env, STI_ERR_INPUT, i,
                            "contact %s touches and its gap rate n'v is negative: an impact, not a contact mode",
                            c->name);
        if (gap_rate > 0) own->status = STI_CONTACT_STATUS_LEAVING;
    }
    return m->x.status;
}

// Friction ------------------------------------------------------------------------------------------------------------

// Generator (c_n, c_t) = (side, mu direction), side +1 or -1, as integers. direction: rationals from `first`.
static sti_status set_generator(modes_model* m, int i, int index, int side, const sti_rationals* direction,
                                size_t first, int turn) {
    modes_contact* c = &m->contacts[i];
    const sti_instant_contact* in = &m->instant->contacts[i];
    const sti_instant_exact* e = m->instant->exact;
    const bool slides = c->status == STI_CONTACT_STATUS_SLIDING;
    sti_int* g = c->generators + (size_t)index * (size_t)(1 + c->tangents);
    sti_rationals* mu;
    sti_status status = sti_rationals_create(m->env, 1, &mu);
    if (status != STI_OK) return status;
    if (e != NULL)
        status = sti_rationals_copy(mu, 0, slides ? e->mu_kinetic : e->mu, (size_t)i);
    else
        status = sti_rationals_set_double(mu, 0, slides ? in->mu_kinetic : in->mu);
    sti_int num = {0}, den = {0};
    if (status == STI_OK && direction != NULL) {
        sti_exact* x = &m->x;
        sti_int_row_from_rationals(x, g + 1, direction, first, (size_t)c->tangents, &num, &den);
        // direction = image den / num, so mu direction = image (mu_num den) / (mu_den num)
        sti_int_mul(x, &g[0], &mu->den[0], &num);
        sti_int_mul(x, &den, &den, &mu->num[0]);
        for (int k = 1; k <= c->tangents; k++) {
            sti_int_mul(x, &g[k], &g[k], &den);
            if (turn < 0) sti_int_neg(&g[k]);
        }
        if (side < 0) sti_int_neg(&g[0]);
        sti_int_make_primitive(x, g, (size_t)(1 + c->tangents));
        status = x->status;
    } else if (status == STI_OK) {
        sti_int_set_i64(&m->x, &g[0], side);
        status = m->x.status;
    }
    sti_int_clear(m->env, &num);
    sti_int_clear(m->env, &den);
    sti_rationals_destroy(mu);
    return status;
}

// Unit vector along t v + t_offset, exact along a tangent, rounded otherwise.
static sti_status slip_direction(modes_model* m, int i, const sti_modes_options* o, sti_rationals** out) {
    const sti_instant_contact* c = &m->instant->contacts[i];
    double d[2] = {0, 0};
    for (int k = 0; k < c->tangent_count; k++) {
        const double* row = c->t + (size_t)k * (size_t)m->n;
        const double offset = offset_of(c, k);
        const int sign = velocity_sign(m, m->contacts[i].value + 1 + k, row, offset, o->velocity_tol);
        if (sign != 0) d[k] = offset;
        for (int j = 0; j < m->n && sign != 0 && m->instant->v != NULL; j++) d[k] += row[j] * m->instant->v[j];
        if (c->tangent_count == 1) d[k] = sign;
    }
    const double size = hypot(d[0], d[1]);
    sti_status status = sti_rationals_create(m->env, 2, out);
    for (size_t k = 0; k < 2 && status == STI_OK; k++)
        status = sti_rationals_set_double(*out, k, size > 0 ? d[k] / size : 0);
    return status;
}

// The forces of a contact: one generator for each corner (and each sign of c_n for joints).
static sti_status make_generators(modes_model* m, int i, const sti_modes_options* o) {
    modes_contact* c = &m->contacts[i];
    const int sides = c->bilateral ? 2 : 1;
    const bool rolls = c->status == STI_CONTACT_STATUS_ROLLING && c->tangents > 0,
               slides = c->status == STI_CONTACT_STATUS_SLIDING;
    if (c->status == STI_CONTACT_STATUS_APART || c->status == STI_CONTACT_STATUS_LEAVING) return STI_OK;
    c->corners = c->status == STI_CONTACT_STATUS_JOINT ? 2 : !rolls ? 1 : c->tangents == 1 ? 2 : m->corner_count;
    c->generator_count = c->status == STI_CONTACT_STATUS_JOINT ? 2 : c->corners * sides;
    c->generators = sti_int_array(&m->x, (size_t)c->generator_count * (size_t)(1 + c->tangents));
    sti_rationals* direction = NULL;
    sti_status status = m->x.status;
    if (status == STI_OK && slides && m->instant->contacts[i].corner_count > 0)
        status = STI_FAIL(m->env, STI_ERR_INPUT, i,
                          "contact %s: polygon: it slides, and friction in a polygon is taken of contacts at rest",
                          m->instant->contacts[i].name);
    if (status == STI_OK && slides) status = slip_direction(m, i, o, &direction);
    if (status == STI_OK && rolls && c->tangents == 1) {  // corners -1 (the contact slides left) and +1
        status = sti_rationals_create(m->env, 2, &direction);
        if (status == STI_OK) status = sti_rationals_set_double(direction, 0, -1);
        if (status == STI_OK) status = sti_rationals_set_double(direction, 1, 1);
    }
    const sti_rationals* table = rolls && c->tangents == 2 ? m->corners : direction;
    for (int g = 0; g < c->generator_count && status == STI_OK; g++) {
        const int corner = g % c->corners;
        const int side = c->status == STI_CONTACT_STATUS_JOINT ? 1 - 2 * g : g < c->corners ? 1 : -1;
        status =
            set_generator(m, i, g, side, table, slides ? 0 : (size_t)corner * (size_t)c->tangents, slides ? -1 : 1);
    }
    sti_rationals_destroy(direction);
    return status;
}

// Own modes -----------------------------------------------------------------------------------------------------------

// A new form, a_t'(p_l - p_j) of contact i.
static int add_form(modes_model* m, int i, const sti_int* corners, int j, int l) {
    sti_exact* x = &m->x;
    const modes_contact* c = &m->contacts[i];
    const int form = m->form_count++;
    modes_form* meaning = &m->meaning[form];
    meaning->contact = i;
    sti_int* f = modes_form_at(m, form);
    for (int k = 0; k < c->tangents; k++) {
        sti_int* weight = &meaning->weight[1 + k];
        sti_int_sub(x, weight, &corners[2 * l + k], &corners[2 * j + k]);
        for (int v = 0; v <= m->n; v++) sti_int_addmul(x, &f[v], weight, &modes_form_at(m, c->value + 1 + k)[v]);
    }
    return form;
}

static modes_choice* new_choice(modes_contact* c, modes_kind kind, const char* word) {
    modes_choice* choice = &c->choices[c->choice_count++];
    *choice = (modes_choice){.kind = kind};
    snprintf(choice->word, sizeof choice->word, "%s", word);
    return choice;
}

static void constrain(modes_choice* choice, int form, int sign) {
    choice->constraint[choice->constraint_count++] = (modes_constraint){form, sign};
}

// Word of a corner or side in space. Box: the signs of the accelerations against the friction p.
static void space_word(const modes_model* m, sti_friction_model model, bool corner, int j, const char* side,
                       char word[16]) {
    const int next = (j + 1) % m->corner_count;
    if (model == STI_FRICTION_SIDES && corner) snprintf(word, 16, "%sd%d", side, j % 100);
    if (model == STI_FRICTION_SIDES && !corner) snprintf(word, 16, "%sd%d-%d", side, j % 100, next % 100);
    if (model != STI_FRICTION_BOX) return;
    char sign[2];
    for (size_t k = 0; k < 2; k++) {
        const int a = sti_rationals_sign(m->corners, 2 * (size_t)j + k);
        const int b = corner ? a : sti_rationals_sign(m->corners, 2 * (size_t)next + k);
        sign[k] = '0';
        if (a == b) sign[k] = a < 0 ? '+' : '-';
    }
    snprintf(word, 16, "%s%c%c", side, sign[0], sign[1]);
}

// Modes of a contact at rest in space, for one sign of c_n: corners, sides, sticking.
static sti_status add_space_choices(modes_model* m, int i, sti_friction_model model, int base, const char* side,
                                    const modes_constraint* edge, bool rough) {
    modes_contact* c = &m->contacts[i];
    const int k = m->corner_count;
    char word[16];
    for (int j = 0; j < 2 * k; j++) {
        const bool corner = j < k;
        const modes_constraint at = edge[j % k], next = edge[(j + 1) % k], before = edge[(j + k - 1) % k];
        const int p = j % k;
        space_word(m, model, corner, p, side, word);
        modes_choice* choice = new_choice(c, corner ? MODES_CORNER : MODES_SIDE, word);
        constrain(choice, c->value, 0);
        constrain(choice, at.form, corner ? at.sign : 0);
        if (corner) constrain(choice, before.form, -before.sign);
        if (!corner) constrain(choice, next.form, next.sign);
        choice->base = base;
        choice->first = p;
        choice->count = corner ? 1 : 2;
        choice->never_strict = !corner && !rough;
    }
    snprintf(word, sizeof word, "%sn", side);
    modes_choice* stick = new_choice(c, MODES_STICK, word);
    for (int v = 0; v < 3; v++) constrain(stick, c->value + v, 0);
    stick->base = base;
    stick->count = k;
    stick->never_strict = !rough;
    return m->x.status;
}

static void add_plane_choices(modes_contact* c, int base, const char* side, bool rough) {
    char word[16];
    for (int j = 0; j < 3; j++) {  // l, n, r
        snprintf(word, sizeof word, "%s%c", side, "lnr"[j]);
        modes_choice* choice = new_choice(c, j == 1 ? MODES_STICK : MODES_CORNER, word);
        constrain(choice, c->value, 0);
        constrain(choice, c->value + 1, 1 - j);
        choice->base = base;
        choice->first = j == 2 ? 1 : 0;
        choice->count = j == 1 ? 2 : 1;
        choice->never_strict = j == 1 && !rough;
    }
}

// Rolling contact with tangents: its modes for each sign of c_n.
static sti_status add_rolling_choices(modes_model* m, int i, const sti_modes_options* o, bool rough) {
    modes_contact* c = &m->contacts[i];
    const int sides = c->bilateral ? 2 : 1;
    const int half = m->corner_count % 2 == 0 && !m->own ? m->corner_count / 2 : m->corner_count;
    modes_constraint edge[MODES_MAX_SIDES] = {{0}};  // a_t'(p_j+1 - p_j) is sign x form
    if (c->tangents == 2) {
        sti_int* p = sti_int_array(&m->x, 2 * (size_t)m->corner_count);
        if (p == NULL) return m->x.status;
        sti_int_row_from_rationals(&m->x, p, m->corners, 0, 2 * (size_t)m->corner_count, NULL, NULL);
        for (int j = 0; j < m->corner_count; j++) {
            // opposite sides of a regular even polygon are parallel
            if (j < half) edge[j] = (modes_constraint){add_form(m, i, p, j, (j + 1) % m->corner_count), 1};
            if (j >= half) edge[j] = (modes_constraint){edge[j - half].form, -1};
        }
        sti_int_array_free(m->env, p, 2 * (size_t)m->corner_count);
    }
    for (int s = 0; s < sides && m->x.status == STI_OK; s++) {
        const char* side = s == 0 ? "" : "~";
        if (c->tangents == 1) add_plane_choices(c, s * c->corners, side, rough);
        if (c->tangents == 2) (void)add_space_choices(m, i, o->model, s * c->corners, side, edge, rough);
    }
    return m->x.status;
}

// Contact kept with one generator for each sign of c_n: sliding, or without a tangent.
static void add_kept_choices(modes_model* m, int i) {
    modes_contact* c = &m->contacts[i];
    const sti_instant_contact* in = &m->instant->contacts[i];
    char word[16];
    for (int s = 0; s < (c->bilateral ? 2 : 1); s++) {
        char letter = 'c';
        // generator (c_n, c_t): friction against the slip
        if (c->status == STI_CONTACT_STATUS_SLIDING && c->tangents == 1)
            letter = velocity_sign(m, c->value + 1, in->t, offset_of(in, 0), 0) > 0 ? 'l' : 'r';
        snprintf(word, sizeof word, "%s%c", s == 0 ? "" : "~", letter);
        modes_choice* choice = new_choice(c, MODES_CORNER, word);
        constrain(choice, c->value, 0);
        choice->base = s;
        choice->count = 1;
    }
}

static sti_status make_choices(modes_model* m, int i, const sti_modes_options* o) {
    modes_contact* c = &m->contacts[i];
    const size_t most = 2 * (2 * (size_t)(m->corner_count > 2 ? m->corner_count : 2) + 2) + 2;
    c->choices = sti_alloc_array_zero(m->env, most, sizeof *c->choices);
    if (c->choices == NULL) return STI_ERR_MEMORY;
    const sti_instant_exact* e = m->instant->exact;
    const bool rough = rational_sign(e != NULL ? e->mu : NULL, (size_t)i, m->instant->contacts[i].mu) > 0;
    if (c->status == STI_CONTACT_STATUS_APART) constrain(new_choice(c, MODES_SEPARATE, "a"), c->value, -1);
    if (c->status == STI_CONTACT_STATUS_LEAVING) new_choice(c, MODES_SEPARATE, "s");
    if (c->status == STI_CONTACT_STATUS_JOINT) {
        modes_choice* joint = new_choice(c, MODES_JOINT, "j");
        constrain(joint, c->value, 0);
        joint->count = 2;
    }
    if (c->status == STI_CONTACT_STATUS_ROLLING || c->status == STI_CONTACT_STATUS_SLIDING) {
        if (o->contacts_only)
            constrain(new_choice(c, MODES_TOUCH, "c"), c->value, 0);
        else if (c->status == STI_CONTACT_STATUS_SLIDING || c->tangents == 0)
            add_kept_choices(m, i);
        else
            (void)add_rolling_choices(m, i, o, rough);
    }
    // a bounded force is pressed for ever
    if (!c->bilateral && !m->instant->contacts[i].pressed && c->status != STI_CONTACT_STATUS_LEAVING)
        constrain(new_choice(c, MODES_SEPARATE, "s"), c->value, 1);
    return m->x.status;
}

// The whole -----------------------------------------------------------------------------------------------------------

static sti_status reserve(modes_model* m) {
    const size_t n = (size_t)m->n, K = (size_t)m->K;
    m->form_capacity = m->K + m->corner_count * m->contact_count;
    m->contacts = sti_alloc_array_zero(m->env, (size_t)m->contact_count, sizeof *m->contacts);
    m->meaning = sti_alloc_array_zero(m->env, (size_t)m->form_capacity, sizeof *m->meaning);
    m->forms = sti_int_array(&m->x, (size_t)m->form_capacity * (n + 1));
    m->scale_num = sti_int_array(&m->x, K);
    m->scale_den = sti_int_array(&m->x, K);
    m->dynamics = sti_int_array(&m->x, n * (n + K + 1));
    m->row_num = sti_int_array(&m->x, n);
    m->row_den = sti_int_array(&m->x, n);
    if (m->contacts == NULL || m->meaning == NULL || m->x.status != STI_OK) return STI_ERR_MEMORY;
    return STI_OK;
}

// w as a form on the accelerations, where enumerate.c may use it: no rates, and nothing slides (friction is then
// against the velocity, whatever the acceleration is).
static sti_status load_power(modes_model* m) {
    const size_t n = (size_t)m->n;
    for (int i = 0; i < m->contact_count; i++) {
        const modes_contact* c = &m->contacts[i];
        if (c->status == STI_CONTACT_STATUS_SLIDING && c->tangents > 0) return STI_OK;
    }
    if (!m->homogeneous || n == 0) return STI_OK;
    m->power = sti_int_array(&m->x, n);
    if (m->power == NULL) return m->x.status;
    sti_int_row_from_rationals(&m->x, m->power, m->wrench, 0, n, NULL, NULL);
    return m->x.status;
}

static sti_status build(modes_model* m, const sti_modes_options* o) {
    sti_status status = sti_modes_polygon(m->env, o->model, o->sides, &m->corners, &m->corner_count);
    if (status == STI_OK) status = find_own(m, o);
    if (status == STI_OK) status = reserve(m);
    if (status == STI_OK) status = load_contacts(m);
    if (status == STI_OK) status = load_wrench(m, o);
    if (status == STI_OK) status = load_dynamics(m);
    for (int i = 0; i < m->contact_count && status == STI_OK; i++) {
        status = find_status(m, i, o);
        if (status == STI_OK) status = make_generators(m, i, o);
        if (status == STI_OK) status = make_choices(m, i, o);
    }
    return status == STI_OK ? load_power(m) : status;
}

sti_status sti_modes_model_create(sti_env* env, const sti_instant* instant, const sti_modes_options* options,
                                  modes_model** out) {
    *out = NULL;
    modes_model* m = sti_alloc_array_zero(env, 1, sizeof *m);
    if (m == NULL) return STI_ERR_MEMORY;
    m->env = env;
    m->instant = instant;
    m->n = instant->n;
    m->contact_count = instant->contact_count;
    m->K = instant->contact_count + instant->tangent_total;
    m->homogeneous = true;
    sti_exact_init(&m->x, env);
    const sti_status status = build(m, options);
    if (status == STI_OK)
        *out = m;
    else
        sti_modes_model_destroy(m);
    return status;
}

void sti_modes_model_destroy(modes_model* m) {
    if (m == NULL) return;
    sti_env* env = m->env;
    const size_t n = (size_t)m->n, K = (size_t)m->K, forms = (size_t)m->form_capacity;
    for (int i = 0; m->contacts != NULL && i < m->contact_count; i++) {
        modes_contact* c = &m->contacts[i];
        sti_int_array_free(env, c->generators,
                           c->generators != NULL ? (size_t)c->generator_count * (size_t)(1 + c->tangents) : 0);
        sti_free(env, c->choices);
    }
    for (size_t f = 0; m->meaning != NULL && f < forms; f++) {
        for (int k = 0; k < 3; k++) sti_int_clear(env, &m->meaning[f].weight[k]);
    }
    sti_free(env, m->contacts);
    sti_free(env, m->meaning);
    sti_int_array_free(env, m->forms, m->forms != NULL ? forms * (n + 1) : 0);
    sti_int_array_free(env, m->scale_num, m->scale_num != NULL ? K : 0);
    sti_int_array_free(env, m->scale_den, m->scale_den != NULL ? K : 0);
    sti_int_array_free(env, m->dynamics, m->dynamics != NULL ? n * (n + K + 1) : 0);
    sti_int_array_free(env, m->row_num, m->row_num != NULL ? n : 0);
    sti_int_array_free(env, m->row_den, m->row_den != NULL ? n : 0);
    sti_int_array_free(env, m->power, m->power != NULL ? n : 0);
    sti_rationals_destroy(m->wrench);
    sti_rationals_destroy(m->corners);
    sti_exact_clear(&m->x);
    sti_free(env, m);
}

char* sti_modes_text(const modes_model* m, const short* choice) {
    bool spaced = false;
    size_t size = 1;
    for (int i = 0; i < m->contact_count; i++) {
        spaced = spaced || m->contacts[i].tangents == 2;
        size += strlen(m->contacts[i].choices[choice[i]].word) + 1;
    }
    char* text = sti_alloc(m->env, size);
    if (text == NULL) return NULL;
    size_t at = 0;
    text[0] = '\0';
    for (int i = 0; i < m->contact_count; i++) {
        const char* word = m->contacts[i].choices[choice[i]].word;
        at += (size_t)snprintf(text + at, size - at, "%s%s", spaced && i > 0 ? " " : "", word);
    }
    return text;
}
