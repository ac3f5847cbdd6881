// modes_cases.c: independent check of "no contact mode is consistent with this wrench".
//
// A case fixes choices of some contacts and brings y and nu with
//
//     M y = sum_i J_i nu_i,     nu_i in the dual of the closed accelerations,
//         psi_i = -J_i'y in the dual of the closed
//     forces of the choice,     y'w + sum nu_i'rates_i < 0,                       J_i = (n_i, t_i')
//
// Then y'w = y'M a - y'J c = sum nu_i'(alpha_i - rates_i) + sum psi_i'c_i >= -sum nu_i'rates_i > y'w is absurd. Duals
// are checked on generators, written here from the law: corner j of the polygon has accelerations spanned by the inner
// normals of its two sides, side j by its own inner normal, sticking none, separation (1, anything). Then every
// combination of choices must fall in one of the cases.
#include <math.h>

#include "verify/modes_check.h"

typedef struct case_view {
    sti_modes_check* k;
    int index;
    const short* choice;
    size_t first;  // of y in the values
} case_view;

static void nu(case_view* v, int contact, int part, sti_fraction* r) {
    sti_fraction_get(v->k, r, v->k->modes->certificate.value,
                     v->first + (size_t)(v->k->instant->n + v->k->value[contact] + part));
}

// r := -(n or t)'y
static void psi(case_view* v, int contact, int part, sti_fraction* r) {
    sti_modes_check* k = v->k;
    sti_fraction_zero(k, r);
    for (int j = 0; j < k->instant->n; j++) {
        sti_modes_check_row(k, contact, part, j, &k->f[8]);
        sti_fraction_get(k, &k->f[9], k->modes->certificate.value, v->first + (size_t)j);
        sti_fraction_addmul(k, r, -1, &k->f[8], &k->f[9]);
    }
}

static int nu_sign(case_view* v, int contact, int part) {
    nu(v, contact, part, &v->k->f[0]);
    return sti_fraction_sign(&v->k->f[0]);
}

static bool slips_free(case_view* v, int contact) {  // nu_t = 0
    for (int part = 1; part <= v->k->instant->contacts[contact].tangent_count; part++) {
        if (nu_sign(v, contact, part) != 0) return false;
    }
    return true;
}

// psi'(side, mu p) >= 0 for the corner p of the polygon (in the plane: corner 0 is -1, corner 1 is +1).
static bool force_holds(case_view* v, int contact, int corner, int side) {
    sti_modes_check* k = v->k;
    const int tangents = k->instant->contacts[contact].tangent_count;
    sti_fraction *r = &k->f[0], *mu = &k->f[2], *p = &k->f[3], *scaled = &k->f[4];
    psi(v, contact, 0, r);
    if (side < 0) sti_int_neg(&r->num);
    for (int t = 0; t < tangents; t++) {
        if (tangents == 1)
            sti_fraction_double(k, p, corner == 0 ? -1 : 1);
        else
            sti_fraction_get(k, p, k->modes->corners, 2 * (size_t)corner + (size_t)t);
        sti_modes_check_mu(k, contact, mu);
        sti_fraction_zero(k, scaled);
        sti_fraction_addmul(k, scaled, 1, mu, p);
        psi(v, contact, 1 + t, &k->f[1]);
        sti_fraction_addmul(k, r, 1, scaled, &k->f[1]);
    }
    return sti_fraction_sign(r) >= 0;
}

// Force of a contact that slides: psi'(side, -mu slip) >= 0, the direction in space up to rounding.
static bool sliding_force_holds(case_view* v, int contact, int side) {
    sti_modes_check* k = v->k;
    double d[2];
    sti_modes_check_slip(k, contact, d);
    if (k->instant->contacts[contact].tangent_count == 1) return force_holds(v, contact, d[0] > 0 ? 0 : 1, side);
    psi(v, contact, 0, &k->f[0]);
    sti_modes_check_mu(k, contact, &k->f[1]);
    const double mu = sti_int_ratio(&k->x, &k->f[1].num, &k->f[1].den);
    double s = side * sti_int_ratio(&k->x, &k->f[0].num, &k->f[0].den), size = fabs(s);
    for (int t = 0; t < 2; t++) {
        psi(v, contact, 1 + t, &k->f[0]);
        const double term = -mu * d[t] * sti_int_ratio(&k->x, &k->f[0].num, &k->f[0].den);
        s += term;
        size += fabs(term);
    }
    return s >= -1e-12 * size;
}

// nu_t'(inner normal of side j) >= 0; the inner normal of e is (-e_y, e_x).
static bool normal_holds(case_view* v, int contact, int j) {
    sti_modes_check* k = v->k;
    const size_t at = 2 * (size_t)j, next = 2 * (size_t)((j + 1) % k->modes->corner_count);
    sti_fraction *r = &k->f[0], *edge = &k->f[2];
    sti_fraction_zero(k, r);
    for (size_t t = 0; t < 2; t++) {
        sti_fraction_get(k, edge, k->modes->corners, next + t);
        sti_fraction_get(k, &k->f[3], k->modes->corners, at + t);
        sti_fraction_addmul(k, edge, -1, &k->one, &k->f[3]);
        nu(v, contact, t == 0 ? 2 : 1, &k->f[1]);
        sti_fraction_addmul(k, r, t == 0 ? 1 : -1, edge, &k->f[1]);
    }
    return sti_fraction_sign(r) >= 0;
}

static bool cone_holds(case_view* v, int contact, int side) {
    const int tangents = v->k->instant->contacts[contact].tangent_count;
    const int corners = tangents == 0 ? 1 : tangents == 1 ? 2 : v->k->modes->corner_count;
    for (int j = 0; j < corners; j++) {
        if (!force_holds(v, contact, j, side)) return false;
    }
    return true;
}

static bool open_holds(case_view* v, int contact) {
    const sti_contact_status status = v->k->modes->contacts[contact].status;
    const bool bilateral = v->k->instant->contacts[contact].bilateral;
    if (!slips_free(v, contact)) return false;
    if (status == STI_CONTACT_STATUS_APART || status == STI_CONTACT_STATUS_LEAVING) return nu_sign(v, contact, 0) == 0;
    if (!bilateral && nu_sign(v, contact, 0) < 0) return false;
    if (status == STI_CONTACT_STATUS_JOINT) {
        psi(v, contact, 0, &v->k->f[0]);
        return sti_fraction_sign(&v->k->f[0]) == 0;
    }
    for (int side = 1; side >= (bilateral ? -1 : 1); side -= 2) {
        if (status == STI_CONTACT_STATUS_SLIDING ? !sliding_force_holds(v, contact, side)
                                                 : !cone_holds(v, contact, side))
            return false;
    }
    return true;
}

static bool rolling_holds(case_view* v, int contact, const sti_mode_word* w, int side) {
    const int tangents = v->k->instant->contacts[contact].tangent_count, count = v->k->modes->corner_count;
    if (w->letter == 'n') return cone_holds(v, contact, side);
    if (tangents == 1) {
        const int left = w->letter == 'l';
        return (left ? 1 : -1) * nu_sign(v, contact, 1) >= 0 && force_holds(v, contact, left ? 0 : 1, side);
    }
    const int next = (w->corner + 1) % count, before = (w->corner + count - 1) % count;
    if (!normal_holds(v, contact, w->corner) || !force_holds(v, contact, w->corner, side)) return false;
    return w->letter == 'v' ? normal_holds(v, contact, before) : force_holds(v, contact, next, side);
}

static bool contact_holds(case_view* v, int contact) {
    sti_modes_check* k = v->k;
    const short choice = v->choice[contact];
    sti_mode_word word;
    if (choice < 0) return open_holds(v, contact);
    const sti_modes_contact* c = &k->modes->contacts[contact];
    if (choice >= c->choice_count || !sti_modes_check_word(k, contact, c->word[choice], &word)) return false;
    const int side = word.negative ? -1 : 1;
    if (word.letter == 's' || word.letter == 'a') {
        const int sign = nu_sign(v, contact, 0);
        if (!slips_free(v, contact)) return false;
        return c->status == STI_CONTACT_STATUS_LEAVING ? sign == 0 : word.letter == 's' ? sign >= 0 : sign <= 0;
    }
    if (c->status == STI_CONTACT_STATUS_SLIDING) return slips_free(v, contact) && sliding_force_holds(v, contact, side);
    if (c->status == STI_CONTACT_STATUS_JOINT) return open_holds(v, contact);
    if (k->instant->contacts[contact].tangent_count == 0) return cone_holds(v, contact, side);
    return rolling_holds(v, contact, &word, side);
}

// M y = sum J nu, and y'w + sum nu'rates < 0
static bool combination_holds(case_view* v) {
    sti_modes_check* k = v->k;
    const sti_rationals* value = k->modes->certificate.value;
    sti_fraction* r = &k->f[1];
    for (int row = 0; row < k->instant->n; row++) {
        sti_fraction_zero(k, r);
        for (int j = 0; j < k->instant->n; j++) {
            sti_modes_check_M(k, row, j, &k->f[8]);
            sti_fraction_get(k, &k->f[9], value, v->first + (size_t)j);
            sti_fraction_addmul(k, r, 1, &k->f[8], &k->f[9]);
        }
        for (int i = 0; i < k->modes->contact_count; i++) {
            for (int part = 0; part <= k->instant->contacts[i].tangent_count; part++) {
                sti_modes_check_row(k, i, part, row, &k->f[8]);
                nu(v, i, part, &k->f[9]);
                sti_fraction_addmul(k, r, -1, &k->f[8], &k->f[9]);
            }
        }
        if (sti_fraction_sign(r) != 0) return false;
    }
    sti_fraction_zero(k, r);
    for (int j = 0; j < k->instant->n; j++) {
        sti_fraction_get(k, &k->f[8], value, v->first + (size_t)j);
        sti_fraction_get(k, &k->f[9], k->modes->wrench, (size_t)j);
        sti_fraction_addmul(k, r, 1, &k->f[8], &k->f[9]);
    }
    for (int i = 0; i < k->modes->contact_count; i++) {
        for (int part = 0; part <= k->instant->contacts[i].tangent_count; part++) {
            sti_modes_check_rate(k, i, part, &k->f[8]);
            nu(v, i, part, &k->f[9]);
            sti_fraction_addmul(k, r, 1, &k->f[8], &k->f[9]);
        }
    }
    return sti_fraction_sign(r) < 0;
}

// Choices that a contact must have: as many different words as its kind has modes.
static bool words_are_complete(const sti_modes_check* k, int i) {
    const sti_modes_contact* c = &k->modes->contacts[i];
    const sti_instant_contact* in = &k->instant->contacts[i];
    const int sides = in->bilateral ? 2 : 1, separate = in->bilateral || in->pressed ? 0 : 1;
    int expected = 1;
    if (c->status == STI_CONTACT_STATUS_APART) expected = 2;
    if (c->status == STI_CONTACT_STATUS_SLIDING) expected = sides + separate;
    if (c->status == STI_CONTACT_STATUS_ROLLING) {
        const int own = in->tangent_count == 0 ? 1 : in->tangent_count == 1 ? 3 : 2 * k->modes->corner_count + 1;
        expected = sides * own + separate;
    }
    if (c->choice_count != expected) return false;
    for (int a = 0; a < c->choice_count; a++) {
        sti_mode_word word;
        if (!sti_modes_check_word(k, i, c->word[a], &word)) return false;
        for (int b = 0; b < a; b++) {
            int at = 0;
            while (c->word[a][at] != '\0' && c->word[a][at] == c->word[b][at]) at++;
            if (c->word[a][at] == c->word[b][at]) return false;
        }
    }
    return true;
}

// Does some case hold every completion of prefix (choices of contacts before `depth`)?
static bool is_covered(const sti_modes_check* k, short* prefix, int depth) {
    const sti_modes_certificate* c = &k->modes->certificate;
    const int contacts = k->modes->contact_count;
    bool any = false;
    for (int s = 0; s < c->case_count; s++) {
        const short* choice = c->choice + (size_t)s * (size_t)contacts;
        bool meets = true, holds = true;
        for (int i = 0; i < contacts && meets; i++) {
            if (choice[i] < 0) continue;
            if (i >= depth)
                holds = false;
            else
                meets = choice[i] == prefix[i];
        }
        if (meets && holds) return true;
        any = any || meets;
    }
    if (!any || depth == contacts) return false;
    for (int choice = 0; choice < k->modes->contacts[depth].choice_count; choice++) {
        prefix[depth] = (short)choice;
        if (!is_covered(k, prefix, depth + 1)) return false;
    }
    return true;
}

static bool cases_hold(sti_modes_check* k) {
    const sti_modes_certificate* c = &k->modes->certificate;
    const size_t contacts = (size_t)k->modes->contact_count;
    const size_t width = (size_t)(k->instant->n + k->modes->contact_count + k->modes->tangent_total);
    if (c->case_count == 0) return sti_modes_check_fail(k, "no solution is claimed, without a case that proves it");
    for (int i = 0; i < k->modes->contact_count; i++) {
        if (!words_are_complete(k, i))
            return sti_modes_check_fail(k, "contact %s: modes are missing", k->instant->contacts[i].name);
    }
    for (int s = 0; s < c->case_count && k->x.status == STI_OK; s++) {
        case_view v = {k, s, c->choice + (size_t)s * contacts, (size_t)s * width};
        if (!combination_holds(&v) && k->x.status == STI_OK)
            return sti_modes_check_fail(k, "case %d: the combination is no contradiction", s);
        for (int i = 0; i < k->modes->contact_count; i++) {
            if (!contact_holds(&v, i) && k->x.status == STI_OK)
                return sti_modes_check_fail(k, "case %d: contact %s is not closed", s, k->instant->contacts[i].name);
        }
        k->out->cases++;
    }
    return true;
}

sti_status sti_modes_check_cases(sti_modes_check* k, bool* good) {
    *good = cases_hold(k);
    if (k->x.status != STI_OK || !*good) return k->x.status;
    short* prefix = sti_alloc_array(k->env, (size_t)k->modes->contact_count, sizeof *prefix);
    if (prefix == NULL) return STI_ERR_MEMORY;
    if (!is_covered(k, prefix, 0)) *good = sti_modes_check_fail(k, "the cases leave out a combination of choices");
    sti_free(k->env, prefix);
    return STI_OK;
}
