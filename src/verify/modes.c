// modes.c: independent check of a list of contact modes: every claim that a point can settle.
//
//     witness     an acceleration that satisfies the strict kinematic inequalities of the mode
//     solution    (a, c) with M a = w + J c, and the contact laws of the mode, strict where the answer says strict
//     no solution see modes_cases.c
//
// All in fractions, but for contacts that slide in space: their direction is irrational, and the friction force is
// compared with it up to 1e-12. That no mode is missing is not checked here; the tests do, against all combinations.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/modes_check.h"

static const double rounding = 1e-12;

bool sti_modes_check_fail(sti_modes_check* k, const char* format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(k->out->text, sizeof k->out->text, format, args);
    va_end(args);
    return false;
}

// Fractions -----------------------------------------------------------------------------------------------------------

void sti_fraction_zero(sti_modes_check* k, sti_fraction* r) {
    sti_int_set_i64(&k->x, &r->num, 0);
    sti_int_set_i64(&k->x, &r->den, 1);
}

void sti_fraction_get(sti_modes_check* k, sti_fraction* r, const sti_rationals* a, size_t i) {
    sti_int_set(&k->x, &r->num, &a->num[i]);
    sti_int_set(&k->x, &r->den, &a->den[i]);
}

void sti_fraction_double(sti_modes_check* k, sti_fraction* r, double value) {
    sti_int_row_from_doubles(&k->x, &r->num, &value, 1, 1, &k->f[11].num, &k->f[11].den);
    sti_int_mul(&k->x, &r->num, &r->num, &k->f[11].den);  // value = num den' / num'
    sti_int_set(&k->x, &r->den, &k->f[11].num);
}

void sti_fraction_addmul(sti_modes_check* k, sti_fraction* r, int sign, const sti_fraction* a, const sti_fraction* b) {
    sti_exact* x = &k->x;
    if (sti_int_sign(&a->num) == 0 || sti_int_sign(&b->num) == 0) return;
    sti_int* num = &k->f[10].num;
    sti_int* den = &k->f[10].den;
    sti_int_mul(x, den, &a->den, &b->den);
    sti_int_mul(x, num, &a->num, &b->num);
    sti_int_mul(x, num, num, &r->den);
    if (sign < 0) sti_int_neg(num);
    sti_int_mul(x, &r->num, &r->num, den);
    sti_int_add(x, &r->num, &r->num, num);
    sti_int_mul(x, &r->den, &r->den, den);
    sti_int pair[2] = {r->num, r->den};
    sti_int_make_primitive(x, pair, 2);
    r->num = pair[0];
    r->den = pair[1];
}

static void get(sti_modes_check* k, sti_fraction* r, const sti_rationals* exact, const double* value, size_t i) {
    if (exact != NULL)
        sti_fraction_get(k, r, exact, i);
    else
        sti_fraction_double(k, r, value[i]);
}

// Data ----------------------------------------------------------------------------------------------------------------

void sti_modes_check_M(sti_modes_check* k, int row, int col, sti_fraction* r) {
    const sti_instant* in = k->instant;
    get(k, r, in->exact != NULL ? in->exact->M : NULL, in->M, (size_t)row * (size_t)in->n + (size_t)col);
}

void sti_modes_check_row(sti_modes_check* k, int contact, int part, int col, sti_fraction* r) {
    const sti_instant* in = k->instant;
    const size_t n = (size_t)in->n, j = (size_t)col;
    const sti_instant_contact* c = &in->contacts[contact];
    if (part == 0 && in->exact != NULL) sti_fraction_get(k, r, in->exact->n, (size_t)contact * n + j);
    if (part == 0 && in->exact == NULL) sti_fraction_double(k, r, c->n[j]);
    if (part > 0 && in->exact != NULL)
        sti_fraction_get(k, r, in->exact->t, (size_t)(k->tangent[contact] + part - 1) * n + j);
    if (part > 0 && in->exact == NULL) sti_fraction_double(k, r, c->t[(size_t)(part - 1) * n + j]);
}

void sti_modes_check_rate(sti_modes_check* k, int contact, int part, sti_fraction* r) {
    const sti_instant* in = k->instant;
    const sti_instant_contact* c = &in->contacts[contact];
    if (part == 0)
        get(k, r, in->exact != NULL ? in->exact->n_rate : NULL, &c->n_rate, in->exact != NULL ? (size_t)contact : 0);
    else if (in->exact != NULL)
        sti_fraction_get(k, r, in->exact->t_rate, (size_t)(k->tangent[contact] + part - 1));
    else
        sti_fraction_double(k, r, c->t_rate[part - 1]);
}

void sti_modes_check_mu(sti_modes_check* k, int contact, sti_fraction* r) {
    const sti_instant* in = k->instant;
    const sti_instant_contact* c = &in->contacts[contact];
    const bool slides = k->modes->contacts[contact].status == STI_CONTACT_STATUS_SLIDING;
    const sti_rationals* exact = in->exact == NULL ? NULL : slides ? in->exact->mu_kinetic : in->exact->mu;
    get(k, r, exact, slides ? &c->mu_kinetic : &c->mu, exact != NULL ? (size_t)contact : 0);
}

void sti_modes_check_slip(const sti_modes_check* k, int contact, double d[2]) {
    const sti_instant_contact* c = &k->instant->contacts[contact];
    d[0] = d[1] = 0;
    for (int t = 0; t < c->tangent_count; t++) {
        d[t] = c->t_offset != NULL ? c->t_offset[t] : 0;
        double size = fabs(d[t]);
        for (int j = 0; j < k->instant->n && k->instant->v != NULL; j++) {
            const double term = c->t[(size_t)t * (size_t)k->instant->n + (size_t)j] * k->instant->v[j];
            d[t] += term;
            size += fabs(term);
        }
        if (fabs(d[t]) <= k->options->velocity_tol * size) d[t] = 0;
    }
    const double size = hypot(d[0], d[1]);
    for (int t = 0; t < 2 && size > 0; t++) d[t] /= size;
}

// Words ---------------------------------------------------------------------------------------------------------------

bool sti_modes_check_word(const sti_modes_check* k, int contact, const char* text, sti_mode_word* out) {
    *out = (sti_mode_word){0};
    const sti_contact_status status = k->modes->contacts[contact].status;
    const int tangents = k->instant->contacts[contact].tangent_count;
    if (text[0] == '~') {
        if (!k->instant->contacts[contact].bilateral) return false;
        out->negative = true;
        text++;
    }
    out->letter = text[0];
    const bool one = text[1] == '\0';
    if (status == STI_CONTACT_STATUS_APART) return one && (text[0] == 's' || text[0] == 'a');
    if (status == STI_CONTACT_STATUS_LEAVING) return one && text[0] == 's';
    if (status == STI_CONTACT_STATUS_JOINT) return one && text[0] == 'j';
    if (one && text[0] == 's') return !k->instant->contacts[contact].bilateral;
    if (k->options->contacts_only) return one && text[0] == 'c';
    if (status == STI_CONTACT_STATUS_SLIDING && tangents == 2) return one && text[0] == 'c';
    if (status == STI_CONTACT_STATUS_SLIDING) {
        double d[2];
        sti_modes_check_slip(k, contact, d);
        return one && text[0] == (d[0] > 0 ? 'l' : 'r');
    }
    if (tangents == 0) return one && text[0] == 'c';
    if (one && text[0] == 'n') return true;
    if (tangents == 1) return one && (text[0] == 'l' || text[0] == 'r');
    int corner, next, used = 0;
    if (k->options->model == STI_FRICTION_BOX) {
        if (strlen(text) != 2 || strspn(text, "+-0") != 2 || strcmp(text, "00") == 0) return false;
        memcpy(out->axis, text, 2);
        // the first corner of the side, or the corner: friction against the signs; 0 is met by both ends
        static const struct {
            char sign[3];
            int corner;
        } box[8] = {{"--", 0}, {"+-", 1}, {"++", 2}, {"-+", 3}, {"0-", 0}, {"+0", 1}, {"0+", 2}, {"-0", 3}};
        for (int i = 0; i < 8; i++) {
            if (strcmp(box[i].sign, text) != 0) continue;
            out->corner = box[i].corner;
            out->letter = i < 4 ? 'v' : 'e';
        }
        return true;
    }
    const int parts = sscanf(text, "d%d%n-%d%n", &corner, &used, &next, &used);  // NOLINT(cert-err34-c)
    if (parts < 1 || text[used] != '\0' || corner < 0 || corner >= k->modes->corner_count) return false;
    if (parts == 2 && next != (corner + 1) % k->modes->corner_count) return false;
    out->letter = parts == 1 ? 'v' : 'e';
    out->corner = corner;
    return true;
}

// Laws ----------------------------------------------------------------------------------------------------------------

// a: accelerations, c: forces of one contact, normal first; c NULL: kinematics alone.
typedef struct contact_point {
    const sti_fraction* a;
    const sti_fraction* c;
} contact_point;

static bool positive(const sti_fraction* r, int side, bool strict) {
    const int sign = side * sti_fraction_sign(r);
    return strict ? sign > 0 : sign >= 0;
}

// r := mu |c_n| + turn c_t
static void limit(sti_modes_check* k, int contact, const sti_fraction* c_n, const sti_fraction* c_t, int side, int turn,
                  sti_fraction* r) {
    sti_fraction_zero(k, r);
    sti_modes_check_mu(k, contact, &k->f[8]);
    sti_fraction_addmul(k, r, side, &k->f[8], c_n);
    sti_fraction_addmul(k, r, turn, &k->one, c_t);
}

// One axis of a box: sign '+': a > 0 and c = -mu |c_n|; '-': mirrored; '0': a = 0 and |c| < mu |c_n|.
static bool axis_holds(sti_modes_check* k, int contact, contact_point p, int part, char sign, int side, bool strict) {
    if (sign == '0' && sti_fraction_sign(&p.a[part]) != 0) return false;
    if (sign != '0' && !positive(&p.a[part], sign == '+' ? 1 : -1, strict)) return false;
    if (p.c == NULL) return true;
    sti_fraction *plus = &k->f[6], *minus = &k->f[7];
    limit(k, contact, &p.c[0], &p.c[part], side, 1, plus);
    limit(k, contact, &p.c[0], &p.c[part], side, -1, minus);
    if (sign == '+') return sti_fraction_sign(plus) == 0;
    if (sign == '-') return sti_fraction_sign(minus) == 0;
    return positive(plus, 1, strict) && positive(minus, 1, strict);
}

// f[5] := u'(p_i - p_j) for u the tangential part of `of`
static int corner_product(sti_modes_check* k, const sti_fraction* of, int i, int j) {
    sti_fraction* r = &k->f[5];
    sti_fraction_zero(k, r);
    for (size_t t = 0; t < 2; t++) {
        sti_fraction_get(k, &k->f[9], k->modes->corners, 2 * (size_t)i + t);
        sti_fraction_addmul(k, r, 1, &of[1 + t], &k->f[9]);
        if (j < 0) continue;
        sti_fraction_get(k, &k->f[9], k->modes->corners, 2 * (size_t)j + t);
        sti_fraction_addmul(k, r, -1, &of[1 + t], &k->f[9]);
    }
    return sti_fraction_sign(r);
}

// Sign of (p_j+1 - p_j) x (c_t - mu |c_n| p_j): positive on the inner side of side j.
static int inner_side(sti_modes_check* k, int contact, const sti_fraction* c, int side, int j) {
    const size_t at = 2 * (size_t)j, next = 2 * (size_t)((j + 1) % k->modes->corner_count);
    sti_fraction *r = &k->f[5], *edge = &k->f[6], *other = &k->f[7], *bound = &k->f[4], *p = &k->f[9];
    sti_fraction_zero(k, bound);
    sti_modes_check_mu(k, contact, &k->f[8]);
    sti_fraction_addmul(k, bound, side, &k->f[8], &c[0]);
    sti_fraction_zero(k, r);
    for (size_t t = 0; t < 2; t++) {
        sti_fraction_get(k, edge, k->modes->corners, next + t);
        sti_fraction_get(k, p, k->modes->corners, at + t);
        sti_fraction_addmul(k, edge, -1, &k->one, p);
        sti_fraction_get(k, p, k->modes->corners, at + 1 - t);
        sti_fraction_zero(k, other);
        sti_fraction_addmul(k, other, 1, &k->one, &c[2 - t]);
        sti_fraction_addmul(k, other, -1, bound, p);
        sti_fraction_addmul(k, r, t == 0 ? 1 : -1, edge, other);
    }
    return sti_fraction_sign(r);
}

// Friction of k sides: maximal dissipation, checked against every corner.
static bool polygon_holds(sti_modes_check* k, int contact, contact_point p, const sti_mode_word* w, int side,
                          bool strict) {
    const int count = k->modes->corner_count, next = (w->corner + 1) % count, before = (w->corner + count - 1) % count;
    for (int i = 0; i < count && w->letter != 'n'; i++) {
        const int sign = i == w->corner ? 1 : corner_product(k, p.a, i, w->corner);
        if (w->letter == 'e' && i == next ? sign != 0 : strict ? sign <= 0 : sign < 0) return false;
    }
    if (w->letter == 'n' && (sti_fraction_sign(&p.a[1]) != 0 || sti_fraction_sign(&p.a[2]) != 0)) return false;
    if (strict && w->letter == 'e' && corner_product(k, p.a, w->corner, -1) >= 0) return false;
    for (int j = 0; j < count && p.c != NULL; j++) {
        const int sign = inner_side(k, contact, p.c, side, j);
        const bool on = (w->letter != 'n' && j == w->corner) || (w->letter == 'v' && j == before);
        if (on ? sign != 0 : strict && w->letter != 'v' ? sign <= 0 : sign < 0) return false;  // a corner: two sides
    }
    return true;
}

static bool no_force(const contact_point p, int parts, int first) {
    for (int i = first; i < parts && p.c != NULL; i++) {
        if (sti_fraction_sign(&p.c[i]) != 0) return false;
    }
    return true;
}

static double value_of(sti_modes_check* k, const sti_fraction* r) {
    return sti_int_ratio(&k->x, &r->num, &r->den);
}

// Force of a contact that slides: c_t = -mu |c_n| slip.
static bool sliding_holds(sti_modes_check* k, int contact, contact_point p, int side, int tangents) {
    double d[2];
    sti_modes_check_slip(k, contact, d);
    sti_modes_check_mu(k, contact, &k->f[8]);
    const double bound = value_of(k, &k->f[8]) * side * value_of(k, &p.c[0]);
    for (int t = 0; t < tangents; t++) {
        if (fabs(value_of(k, &p.c[1 + t]) + bound * d[t]) > rounding * fabs(bound)) return false;
    }
    return true;
}

static bool law_holds(sti_modes_check* k, int contact, const sti_mode_word* w, contact_point p, bool strict) {
    const int tangents = k->instant->contacts[contact].tangent_count, side = w->negative ? -1 : 1;
    const sti_contact_status status = k->modes->contacts[contact].status;
    if (w->letter == 's' || w->letter == 'a') {
        if (!no_force(p, 1 + tangents, 0)) return false;
        return status == STI_CONTACT_STATUS_LEAVING || positive(&p.a[0], w->letter == 's' ? 1 : -1, strict);
    }
    if (sti_fraction_sign(&p.a[0]) != 0) return false;
    if (w->letter == 'j') return no_force(p, 1 + tangents, 1);
    if (k->options->contacts_only) return true;
    if (p.c != NULL && !positive(&p.c[0], side, strict)) return false;
    if (status == STI_CONTACT_STATUS_SLIDING) return p.c == NULL || sliding_holds(k, contact, p, side, tangents);
    if (tangents == 0) return true;
    if (tangents == 1)
        return axis_holds(k, contact, p, 1, w->letter == 'l' ? '+' : w->letter == 'r' ? '-' : '0', side, strict);
    if (k->options->model == STI_FRICTION_SIDES) return polygon_holds(k, contact, p, w, side, strict);
    for (int t = 0; t < 2; t++) {
        if (!axis_holds(k, contact, p, 1 + t, w->letter == 'n' ? '0' : w->axis[t], side, strict)) return false;
    }
    return true;
}

// Modes ---------------------------------------------------------------------------------------------------------------

// f[0..2] := accelerations of a contact for the acceleration in `a`.
static void accelerations(sti_modes_check* k, int contact, const sti_rationals* a) {
    for (int part = 0; part <= k->instant->contacts[contact].tangent_count; part++) {
        sti_modes_check_rate(k, contact, part, &k->f[part]);
        for (int j = 0; j < k->instant->n; j++) {
            sti_modes_check_row(k, contact, part, j, &k->f[8]);
            sti_fraction_get(k, &k->f[9], a, (size_t)j);
            sti_fraction_addmul(k, &k->f[part], 1, &k->f[8], &k->f[9]);
        }
    }
}

static bool laws_hold(sti_modes_check* k, const sti_mode* mode, const sti_rationals* a, const sti_rationals* point,
                      bool strict) {
    const int n = k->instant->n, K = k->modes->contact_count + k->modes->tangent_total;
    for (int i = 0; i < k->modes->contact_count; i++) {
        sti_mode_word word;
        const sti_modes_contact* c = &k->modes->contacts[i];
        if (mode->choice[i] < 0 || mode->choice[i] >= c->choice_count ||
            !sti_modes_check_word(k, i, c->word[mode->choice[i]], &word))
            return sti_modes_check_fail(k, "mode %.60s: contact %d has no such mode", mode->text, i);
        accelerations(k, i, a);
        const size_t first = (size_t)(n + K + k->value[i]);
        sti_fraction c3[3] = {{{0}, {0}}};
        for (int part = 0; part <= k->instant->contacts[i].tangent_count && point != NULL; part++)
            sti_fraction_get(k, &c3[part], point, first + (size_t)part);
        const bool holds = law_holds(k, i, &word, (contact_point){k->f, point != NULL ? c3 : NULL}, strict);
        for (int part = 0; part < 3; part++) {
            sti_int_clear(k->env, &c3[part].num);
            sti_int_clear(k->env, &c3[part].den);
        }
        if (!holds && k->x.status == STI_OK)
            return sti_modes_check_fail(k, "mode %.60s: the law of contact %s does not hold at the %s", mode->text,
                                        k->instant->contacts[i].name, point != NULL ? "solution" : "witness");
    }
    return true;
}

// M a = w + J c; the forces stand in the point from `first` on
static bool balance_holds(sti_modes_check* k, const char* name, const sti_rationals* point, int first) {
    const int n = k->instant->n;
    sti_fraction *r = &k->f[0], *minus = &k->f[1];
    for (int row = 0; row < n; row++) {
        sti_fraction_get(k, r, k->modes->wrench, (size_t)row);
        sti_int_neg(&r->num);
        for (int j = 0; j < n; j++) {
            sti_modes_check_M(k, row, j, &k->f[8]);
            sti_fraction_get(k, minus, point, (size_t)j);
            sti_fraction_addmul(k, r, 1, &k->f[8], minus);
        }
        for (int i = 0; i < k->modes->contact_count; i++) {
            for (int part = 0; part <= k->instant->contacts[i].tangent_count; part++) {
                sti_modes_check_row(k, i, part, row, &k->f[8]);
                sti_fraction_get(k, minus, point, (size_t)(first + k->value[i] + part));
                sti_fraction_addmul(k, r, -1, &k->f[8], minus);
            }
        }
        if (sti_fraction_sign(r) != 0 && k->x.status == STI_OK)
            return sti_modes_check_fail(k, "%.60s: row %d of the balance of forces does not hold", name, row);
    }
    return true;
}

static bool mode_holds(sti_modes_check* k, const sti_mode* mode) {
    if (mode->witness != NULL) {
        if (!laws_hold(k, mode, mode->witness, NULL, true)) return false;
        k->out->witnesses++;
    }
    if (mode->fit != STI_MODE_STRICT && mode->fit != STI_MODE_LIMIT) return true;
    if (mode->solution == NULL) return sti_modes_check_fail(k, "mode %.60s: no solution is given", mode->text);
    const sti_rationals* point = mode->solution->point;
    const int forces = k->instant->n + k->modes->contact_count + k->modes->tangent_total;
    if (!balance_holds(k, mode->text, point, forces)) return false;
    if (!laws_hold(k, mode, point, point, mode->fit == STI_MODE_STRICT)) return false;
    k->out->solutions++;
    return true;
}

// A solution that belongs to no mode because a gap keeps its size: every contact obeys the law of one of its modes.
static bool held_holds(sti_modes_check* k) {
    const sti_rationals* point = k->modes->held;
    if (!balance_holds(k, "solution with a gap that keeps its size", point, k->instant->n)) return false;
    for (int i = 0; i < k->modes->contact_count; i++) {
        const sti_modes_contact* c = &k->modes->contacts[i];
        sti_fraction force[3] = {{{0}, {0}}};
        bool holds = false;
        accelerations(k, i, point);
        for (int part = 0; part <= k->instant->contacts[i].tangent_count; part++)
            sti_fraction_get(k, &force[part], point, (size_t)(k->instant->n + k->value[i] + part));
        for (int j = 0; j < c->choice_count && !holds; j++) {
            sti_mode_word word;
            holds = sti_modes_check_word(k, i, c->word[j], &word) &&
                    law_holds(k, i, &word, (contact_point){k->f, force}, false);
        }
        for (int part = 0; part < 3; part++) {
            sti_int_clear(k->env, &force[part].num);
            sti_int_clear(k->env, &force[part].den);
        }
        if (!holds && k->x.status == STI_OK)
            return sti_modes_check_fail(k, "contact %s breaks its law where a gap keeps its size",
                                        k->instant->contacts[i].name);
    }
    k->out->solutions++;
    return true;
}

// Entry
// -----------------------------------------------------------------------------------------------------------------

// Sign of row'v + offset, zero up to the tolerance of the options.
static int velocity_sign(const sti_modes_check* k, const double* row, double offset) {
    double s = offset, size = fabs(offset);
    for (int j = 0; j < k->instant->n && k->instant->v != NULL; j++) {
        s += row[j] * k->instant->v[j];
        size += fabs(row[j] * k->instant->v[j]);
    }
    return (s > k->options->velocity_tol * size) - (s < -k->options->velocity_tol * size);
}

// Does the contact have the status that its gap, velocity and declared state say?
static bool status_holds(sti_modes_check* k, int i) {
    const sti_instant_contact* c = &k->instant->contacts[i];
    const sti_contact_status status = k->modes->contacts[i].status;
    bool slips = false;
    for (int t = 0; t < c->tangent_count; t++) {
        const double offset = c->t_offset != NULL ? c->t_offset[t] : 0;
        slips = slips || velocity_sign(k, c->t + (size_t)t * (size_t)k->instant->n, offset) != 0;
    }
    if (c->state == STI_INSTANT_STICK) slips = false;
    if (c->bilateral) {
        const bool rough = c->tangent_count > 0 && (slips ? c->mu_kinetic : c->mu) > 0;
        return status == (!rough  ? STI_CONTACT_STATUS_JOINT
                          : slips ? STI_CONTACT_STATUS_SLIDING
                                  : STI_CONTACT_STATUS_ROLLING);
    }
    if (c->gap > k->options->gap_tol) return status == STI_CONTACT_STATUS_APART;
    if (c->state == STI_INSTANT_BY_VELOCITY) {
        const int gap_rate = velocity_sign(k, c->n, c->n_offset);
        if (gap_rate != 0) return gap_rate > 0 && status == STI_CONTACT_STATUS_LEAVING;
    }
    return status == (slips ? STI_CONTACT_STATUS_SLIDING : STI_CONTACT_STATUS_ROLLING);
}

// The polygon of contact `own`, and of every other with friction; none of them slides.
static bool own_polygon(sti_modes_check* k, int own) {
    const sti_instant* in = k->instant;
    const sti_instant_contact* p = &in->contacts[own];
    if (p->corner_count != k->modes->corner_count) return sti_modes_check_fail(k, "another friction polygon");
    for (int i = 0; i < in->contact_count; i++) {
        const sti_instant_contact* c = &in->contacts[i];
        if ((!c->bilateral && c->gap > k->options->gap_tol) || c->tangent_count != 2 || c->mu == 0) continue;
        bool same =
            c->corner_count == k->modes->corner_count && k->modes->contacts[i].status != STI_CONTACT_STATUS_SLIDING;
        for (int j = 0; same && j < 2 * c->corner_count; j++) same = c->corner[j] == p->corner[j];
        if (!same) return sti_modes_check_fail(k, "another friction polygon at contact %s", c->name);
    }
    for (size_t j = 0; j < 2 * (size_t)p->corner_count; j++) {
        sti_fraction_get(k, &k->f[0], k->modes->corners, j);
        sti_fraction_double(k, &k->f[1], p->corner[j]);
        sti_int_mul(&k->x, &k->f[2].num, &k->f[0].num, &k->f[1].den);
        sti_int_mul(&k->x, &k->f[2].den, &k->f[1].num, &k->f[0].den);
        if (sti_int_cmp(&k->f[2].num, &k->f[2].den) != 0 && k->x.status == STI_OK)
            return sti_modes_check_fail(k, "another friction polygon (corner %zu)", j / 2);
    }
    return true;
}

// The answer speaks of this instant, this wrench and this polygon.
static bool fits(sti_modes_check* k) {
    const sti_modes* m = k->modes;
    const sti_instant* in = k->instant;
    const sti_modes_options* o = k->options;
    if (m->n != in->n || m->contact_count != in->contact_count || m->tangent_total != in->tangent_total)
        return sti_modes_check_fail(k, "the answer has other sizes than the instant");
    for (int r = 0; r < m->n; r++) {
        const bool own = o->wrench == NULL && o->wrench_exact == NULL;
        if (own)
            get(k, &k->f[0], in->exact != NULL ? in->exact->F : NULL, in->F, (size_t)r);
        else
            get(k, &k->f[0], o->wrench_exact, o->wrench, (size_t)r);
        sti_fraction_get(k, &k->f[1], m->wrench, (size_t)r);
        sti_int_mul(&k->x, &k->f[2].num, &k->f[0].num, &k->f[1].den);
        sti_int_mul(&k->x, &k->f[2].den, &k->f[1].num, &k->f[0].den);
        if (own) sti_int_neg(&k->f[2].num);
        if (sti_int_cmp(&k->f[2].num, &k->f[2].den) != 0 && k->x.status == STI_OK)
            return sti_modes_check_fail(k, "the answer is for another wrench (entry %d)", r);
    }
    for (int i = 0; i < m->contact_count; i++) {
        if (!status_holds(k, i))
            return sti_modes_check_fail(k, "contact %s is not %s", in->contacts[i].name,
                                        sti_contact_status_text(m->contacts[i].status));
    }
    const bool box = o->model == STI_FRICTION_BOX;
    if (m->corner_count != (box ? 4 : o->sides)) return sti_modes_check_fail(k, "another friction polygon");
    const int own = sti_instant_polygon(in, o->gap_tol);
    if (own >= 0) return own_polygon(k, own);
    for (int j = 0; j < m->corner_count; j++) {
        const double angle = 2 * M_PI * (box ? j + 0.5 : j) / m->corner_count, size = box ? sqrt(2) : 1;
        sti_fraction_get(k, &k->f[0], m->corners, 2 * (size_t)j);
        sti_fraction_get(k, &k->f[1], m->corners, 2 * (size_t)j + 1);
        const double x = value_of(k, &k->f[0]), y = value_of(k, &k->f[1]);
        if ((fabs(x - size * cos(angle)) > rounding || fabs(y - size * sin(angle)) > rounding) && k->x.status == STI_OK)
            return sti_modes_check_fail(k, "another friction polygon (corner %d)", j);
    }
    return true;
}

static sti_status open_check(sti_modes_check* k) {
    const size_t count = (size_t)k->instant->contact_count;
    k->value = sti_alloc_array(k->env, count, sizeof *k->value);
    k->tangent = sti_alloc_array(k->env, count, sizeof *k->tangent);
    if (k->value == NULL || k->tangent == NULL) return STI_ERR_MEMORY;
    int value = 0, tangent = 0;
    for (size_t i = 0; i < count; i++) {
        k->value[i] = value;
        k->tangent[i] = tangent;
        value += 1 + k->instant->contacts[i].tangent_count;
        tangent += k->instant->contacts[i].tangent_count;
    }
    for (int i = 0; i < 12; i++) sti_fraction_zero(k, &k->f[i]);
    sti_fraction_zero(k, &k->one);
    sti_int_set_i64(&k->x, &k->one.num, 1);
    return k->x.status;
}

static void say_what_holds(sti_modes_check* k) {
    sti_modes_verification* out = k->out;
    const int at =
        snprintf(out->text, sizeof out->text, "%d witness%s", out->witnesses, out->witnesses == 1 ? "" : "es");
    if (out->cases > 0)
        snprintf(out->text + at, sizeof out->text - (size_t)at, " and %d case%s without a solution hold", out->cases,
                 out->cases == 1 ? "" : "s");
    else
        snprintf(out->text + at, sizeof out->text - (size_t)at, " and %d solution%s hold", out->solutions,
                 out->solutions == 1 ? "" : "s");
}

static sti_status run(sti_modes_check* k) {
    sti_status status = open_check(k);
    bool good = false;
    if (status == STI_OK) {
        good = fits(k);
        for (int i = 0; i < k->modes->mode_count && good && k->x.status == STI_OK; i++)
            good = mode_holds(k, &k->modes->modes[i]);
        for (int i = 0; i < k->modes->infeasible_count && good && k->x.status == STI_OK; i++)
            good = sti_modes_check_infeasible(k, &k->modes->infeasible[i]);
        if (good && k->modes->all_infeasible) good = sti_modes_check_cover(k);
        if (good && k->modes->held != NULL) good = held_holds(k);
        if (good && k->modes->asked && k->modes->exists && k->out->solutions == 0)
            good = sti_modes_check_fail(k, "solutions are claimed, and none is shown");
        status = k->x.status;
    }
    if (status == STI_OK && good && k->modes->asked && k->modes->decided && !k->modes->exists)
        status = sti_modes_check_cases(k, &good);
    if (status == STI_OK && good) say_what_holds(k);
    k->out->accepted = status == STI_OK && good;
    return status;
}

sti_status sti_verify_modes(sti_env* env, const sti_instant* instant, const sti_modes_options* options,
                            const sti_modes* modes, sti_modes_verification* out) {
    *out = (sti_modes_verification){0};
    const sti_modes_options defaults = sti_modes_options_default();
    sti_modes_check k = {.env = env, .instant = instant, .modes = modes, .out = out};
    k.options = options != NULL ? options : &defaults;
    sti_exact_init(&k.x, env);
    const sti_status status = run(&k);
    for (int i = 0; i < 12; i++) {
        sti_int_clear(env, &k.f[i].num);
        sti_int_clear(env, &k.f[i].den);
    }
    sti_int_clear(env, &k.one.num);
    sti_int_clear(env, &k.one.den);
    sti_exact_clear(&k.x);
    sti_free(env, k.value);
    sti_free(env, k.tangent);
    return status;
}
