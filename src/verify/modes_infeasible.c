// modes_infeasible.c: independent check of "no acceleration satisfies these choices strictly".
//
// The claim brings nu_i for each contact. For every acceleration a
//
//     sum_i nu_i'(a_n, a_t)_i = sum_i nu_i'rates_i = c,      because sum_i nu_i'(n_i, t_i')' = 0.
//
// With nu_i not negative on the closed accelerations of the choice, each term is at least 0, and more than 0 inside the
// set unless nu_i vanishes on it. So c < 0, or c = 0 and some nu_i that does not vanish, is absurd. Accelerations are
// spanned by generators that are written here from the words: see modes_cases.c.
#include "verify/modes_check.h"

static void nu(sti_modes_check* k, const sti_mode* mode, int contact, int part, sti_fraction* r) {
    sti_fraction_get(k, r, mode->absurd, (size_t)(k->value[contact] + part));
}

static int nu_sign(sti_modes_check* k, const sti_mode* mode, int contact, int part) {
    nu(k, mode, contact, part, &k->f[0]);
    return sti_fraction_sign(&k->f[0]);
}

static bool slips_free(sti_modes_check* k, const sti_mode* mode, int contact) {
    for (int part = 1; part <= k->instant->contacts[contact].tangent_count; part++) {
        if (nu_sign(k, mode, contact, part) != 0) return false;
    }
    return true;
}

// Sign of nu_t'(inner normal of side j), the inner normal of e being (-e_y, e_x).
static int normal_sign(sti_modes_check* k, const sti_mode* mode, int contact, int j) {
    const int count = k->modes->corner_count;
    const size_t at = 2 * (size_t)((j + count) % count), next = 2 * (size_t)((j + 1) % count);
    sti_fraction *r = &k->f[0], *edge = &k->f[2];
    sti_fraction_zero(k, r);
    for (size_t t = 0; t < 2; t++) {
        sti_fraction_get(k, edge, k->modes->corners, next + t);
        sti_fraction_get(k, &k->f[3], k->modes->corners, at + t);
        sti_fraction_addmul(k, edge, -1, &k->one, &k->f[3]);
        nu(k, mode, contact, t == 0 ? 2 : 1, &k->f[1]);
        sti_fraction_addmul(k, r, t == 0 ? 1 : -1, edge, &k->f[1]);
    }
    return sti_fraction_sign(r);
}

// +1: nu_i is positive inside the accelerations of the choice, 0: it vanishes on them, -1: it is negative somewhere.
static int side_of(sti_modes_check* k, const sti_mode* mode, int contact) {
    const sti_modes_contact* c = &k->modes->contacts[contact];
    const int tangents = k->instant->contacts[contact].tangent_count, choice = mode->choice[contact];
    sti_mode_word w;
    if (choice < 0 || choice >= c->choice_count || !sti_modes_check_word(k, contact, c->word[choice], &w)) return -1;
    if (w.letter == 's' || w.letter == 'a') {
        const int sign = nu_sign(k, mode, contact, 0);
        if (!slips_free(k, mode, contact)) return -1;
        if (c->status == STI_CONTACT_STATUS_LEAVING) return sign == 0 ? 0 : -1;
        return w.letter == 's' ? sign : -sign;
    }
    const bool rolls = c->status == STI_CONTACT_STATUS_ROLLING && tangents > 0 && !k->options->contacts_only;
    if (!rolls) return slips_free(k, mode, contact) ? 0 : -1;
    if (w.letter == 'n') return 0;
    if (tangents == 1) return (w.letter == 'l' ? 1 : -1) * nu_sign(k, mode, contact, 1);
    const int own = normal_sign(k, mode, contact, w.corner);
    if (w.letter == 'e') return own;
    const int before = normal_sign(k, mode, contact, w.corner - 1);
    return own < 0 || before < 0 ? -1 : own > 0 || before > 0;
}

static bool combination_vanishes(sti_modes_check* k, const sti_mode* mode) {
    for (int j = 0; j < k->instant->n; j++) {
        sti_fraction* r = &k->f[1];
        sti_fraction_zero(k, r);
        for (int i = 0; i < k->modes->contact_count; i++) {
            for (int part = 0; part <= k->instant->contacts[i].tangent_count; part++) {
                sti_modes_check_row(k, i, part, j, &k->f[8]);
                nu(k, mode, i, part, &k->f[9]);
                sti_fraction_addmul(k, r, 1, &k->f[8], &k->f[9]);
            }
        }
        if (sti_fraction_sign(r) != 0) return false;
    }
    return true;
}

static int constant_sign(sti_modes_check* k, const sti_mode* mode) {
    sti_fraction* r = &k->f[1];
    sti_fraction_zero(k, r);
    for (int i = 0; i < k->modes->contact_count; i++) {
        for (int part = 0; part <= k->instant->contacts[i].tangent_count; part++) {
            sti_modes_check_rate(k, i, part, &k->f[8]);
            nu(k, mode, i, part, &k->f[9]);
            sti_fraction_addmul(k, r, 1, &k->f[8], &k->f[9]);
        }
    }
    return sti_fraction_sign(r);
}

bool sti_modes_check_infeasible(sti_modes_check* k, const sti_mode* mode) {
    const size_t K = (size_t)(k->modes->contact_count + k->modes->tangent_total);
    if (mode->absurd == NULL || sti_rationals_count(mode->absurd) != K)
        return sti_modes_check_fail(k, "mode %s is called infeasible, without a reason", mode->text);
    bool positive = false;
    for (int i = 0; i < k->modes->contact_count; i++) {
        const int side = side_of(k, mode, i);
        if (side < 0)
            return sti_modes_check_fail(k, "mode %s is called infeasible: contact %s does not show it", mode->text,
                                        k->instant->contacts[i].name);
        positive = positive || side > 0;
    }
    if (!combination_vanishes(k, mode))
        return sti_modes_check_fail(k, "mode %s is called infeasible: its combination is not a constant", mode->text);
    const int sign = constant_sign(k, mode);
    if (sign > 0 || (sign == 0 && !positive))
        return sti_modes_check_fail(k, "mode %s is called infeasible: its combination is no contradiction", mode->text);
    return true;
}

// Is each combination of the list after the one before it?
static bool ascends(const sti_modes_check* k, const sti_mode* list, int count) {
    for (int m = 1; m < count; m++) {
        int i = 0;
        while (i < k->modes->contact_count && list[m].choice[i] == list[m - 1].choice[i]) i++;
        if (i == k->modes->contact_count || list[m].choice[i] < list[m - 1].choice[i]) return false;
    }
    return true;
}

// A combination cannot have a witness and a reason against it, so two lists without repetition, as long together as
// there are combinations, leave none out.
bool sti_modes_check_cover(sti_modes_check* k) {
    const sti_modes* m = k->modes;
    double all = 1;
    for (int i = 0; i < m->contact_count; i++) all *= m->contacts[i].choice_count;
    if (m->contact_count > 0 && (double)m->mode_count + (double)m->infeasible_count != all)
        return sti_modes_check_fail(k, "feasible and infeasible modes are not all combinations");
    if (!ascends(k, m->modes, m->mode_count) || !ascends(k, m->infeasible, m->infeasible_count))
        return sti_modes_check_fail(k, "a mode is listed twice, or out of order");
    return true;
}
