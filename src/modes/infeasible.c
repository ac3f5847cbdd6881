// infeasible.c: combinations of choices that no acceleration satisfies strictly: why, and the wrenches of their
// closed sets all the same.
//
// Every combination of the contacts' own modes is a complementary cone of S2; a kinematically infeasible one has no
// motion of its own, and its cone in wrench space belongs to the borders of the feasible ones. It is listed on request.
//
// Why: by Motzkin's theorem the strict inequalities f_i > 0 and equations e_j = 0 in a have no solution exactly when
//
//     sum lambda_i f_i + sum kappa_j e_j = c,    lambda >= 0,    c < 0, or c = 0 and some lambda_i > 0,
//
// a constant that the left side would have to exceed. With sum lambda_i - c = 1 that is one linear program in exact
// integers. In terms of the contacts' accelerations: nu (K numbers) with sum nu_i'(a_n, a_t)_i = c for every a, and
// nu_i not negative on the closed accelerations of the choice.
#include "modes/enumerate.h"

static const modes_choice* choice_of(const modes_model* m, const short* choice, int i) {
    return &m->contacts[i].choices[choice[i]];
}

static int constraint_total(const modes_model* m, const short* choice) {
    int total = 0;
    for (int i = 0; i < m->contact_count; i++) total += choice_of(m, choice, i)->constraint_count;
    return total;
}

// Rows 0 .. n-1: the coefficients of a; row n: -c >= 0; row n + 1: the scale.
static void fill_column(modes_model* m, sti_dictionary* D, int column, modes_constraint rule) {
    sti_exact* x = &m->x;
    const sti_int* f = modes_form_at(m, rule.form);
    for (int k = 0; k <= m->n; k++) {
        sti_int* entry = sti_dictionary_at(D, k, 1 + column);
        sti_int_set(x, entry, &f[k]);
        if ((rule.sign < 0) != (k == m->n)) sti_int_neg(entry);
    }
    sti_int_set(x, sti_dictionary_at(D, m->n + 1, 1 + column), sti_dictionary_at(D, m->n, 1 + column));
    if (rule.sign == 0) {
        D->kind[column] = STI_VAR_FREE;
        return;
    }
    sti_int one = {0};
    sti_int_set_i64(x, &one, 1);
    sti_int* scale = sti_dictionary_at(D, m->n + 1, 1 + column);
    sti_int_add(x, scale, scale, &one);
    sti_int_clear(m->env, &one);
}

static sti_status pose(modes_model* m, const short* choice, sti_dictionary** out) {
    const int cols = constraint_total(m, choice);
    sti_status status = sti_dictionary_create(&m->x, m->n + 2, cols, out);
    if (status != STI_OK) return status;
    for (int i = 0, column = 0; i < m->contact_count; i++) {
        const modes_choice* own = choice_of(m, choice, i);
        for (int k = 0; k < own->constraint_count; k++) fill_column(m, *out, column++, own->constraint[k]);
    }
    for (int k = 0; k < m->n; k++) (*out)->kind[cols + k] = STI_VAR_ZERO;
    (*out)->kind[cols + m->n + 1] = STI_VAR_ZERO;
    sti_int_set_i64(&m->x, sti_dictionary_at(*out, m->n + 1, 0), -1);
    return m->x.status;
}

// nu of one contact value: multiplier x sign x weight x scale, over the constraints of its contact.
static sti_status read_value(modes_model* m, const sti_dictionary* D, const modes_choice* own, int first, int contact,
                             int part, sti_rationals* out) {
    sti_exact* x = &m->x;
    const int value = m->contacts[contact].value + part;
    sti_int num = {0}, den = {0}, t = {0};
    sti_int_set_i64(x, &den, 1);
    for (int k = 0; k < own->constraint_count; k++) {
        const int row = sti_dictionary_row_of(D, first + k);
        if (row < 0) continue;  // nonbasic: 0
        sti_int_mul(x, &t, sti_dictionary_at(D, row, 0), &m->meaning[own->constraint[k].form].weight[part]);
        if (own->constraint[k].sign < 0) sti_int_neg(&t);
        sti_modes_add_fraction(x, &num, &den, &t, &m->scale_num[value], &m->scale_den[value]);
    }
    sti_status status = x->status;
    if (status == STI_OK) status = sti_rationals_set_ratio(out, (size_t)value, &num, &den);
    sti_int_clear(m->env, &num);
    sti_int_clear(m->env, &den);
    sti_int_clear(m->env, &t);
    return status;
}

static sti_status find_reason(modes_model* m, sti_mode* mode) {
    sti_dictionary* D = NULL;
    sti_status status = pose(m, mode->choice, &D);
    if (status == STI_OK && !sti_dictionary_feasible(D))
        status = m->x.status != STI_OK ? m->x.status
                                       : STI_FAIL(m->env, STI_ERR_INTERNAL, -1, "mode %s is feasible", mode->text);
    if (status == STI_OK) status = sti_rationals_create(m->env, (size_t)m->K, &mode->absurd);
    for (int i = 0, first = 0; status == STI_OK && i < m->contact_count; i++) {
        const modes_choice* own = choice_of(m, mode->choice, i);
        for (int part = 0; status == STI_OK && part <= m->contacts[i].tangents; part++)
            status = read_value(m, D, own, first, i, part, mode->absurd);
        first += own->constraint_count;
    }
    sti_dictionary_destroy(D);
    return status;
}

// ---- the list

// The next combination, the last contact fastest; false: that was all.
static bool advance(const modes_model* m, short* choice) {
    for (int i = m->contact_count - 1; i >= 0; i--) {
        if (++choice[i] < m->contacts[i].choice_count) return true;
        choice[i] = 0;
    }
    return false;
}

static bool same(const modes_model* m, const short* a, const short* b) {
    for (int i = 0; i < m->contact_count; i++) {
        if (a[i] != b[i]) return false;
    }
    return true;
}

static sti_status append(modes_model* m, const short* choice, sti_modes* out, int* capacity) {
    if (out->infeasible_count == *capacity) {
        const int larger = *capacity > 0 ? 2 * *capacity : 16;
        sti_mode* grown = sti_realloc(m->env, out->infeasible, (size_t)larger * sizeof *grown);
        if (grown == NULL) return STI_ERR_MEMORY;
        out->infeasible = grown;
        *capacity = larger;
    }
    sti_mode* mode = &out->infeasible[out->infeasible_count++];
    *mode = (sti_mode){0};
    mode->choice = sti_alloc_array(m->env, (size_t)m->contact_count, sizeof *mode->choice);
    for (int i = 0; i < m->contact_count && mode->choice != NULL; i++) mode->choice[i] = choice[i];
    if (mode->choice != NULL) mode->text = sti_modes_text(m, mode->choice);
    if (mode->text == NULL) return STI_ERR_MEMORY;
    return find_reason(m, mode);
}

sti_status sti_modes_list_infeasible(modes_model* m, const sti_modes_options* o, sti_modes* out) {
    sti_status status = STI_OK;
    int capacity = 0, next = 0;
    bool more = true, late = false;
    if (!out->all_kinematic || m->contact_count == 0) {
        out->all_infeasible = m->contact_count == 0;
        return STI_OK;
    }
    short* choice = sti_alloc_array_zero(m->env, (size_t)m->contact_count, sizeof *choice);
    if (choice == NULL) return STI_ERR_MEMORY;
    sti_modes_phase(m, "infeasible modes", 1);
    for (; status == STI_OK && more && !late; more = advance(m, choice)) {
        if (next < out->mode_count && same(m, out->modes[next].choice, choice)) {  // both are in lexicographic order
            next++;
            continue;
        }
        late = out->infeasible_count >= o->max_modes || sti_modes_late(m, 0, out->infeasible_count);
        if (late) break;
        status = append(m, choice, out, &capacity);
        if (status == STI_OK && (o->want & STI_MODES_CONES) != 0 && !o->contacts_only &&
            out->infeasible_count <= o->max_cones)
            status = sti_mode_find_wrenches_closed(m, &out->infeasible[out->infeasible_count - 1]);
        if (sti_modes_gave_up(m, &status)) {
            sti_mode_clear(m->env, &out->infeasible[--out->infeasible_count]);
            late = true;
        }
    }
    m->x.deadline = 0;
    out->all_infeasible = status == STI_OK && !late;
    sti_free(m->env, choice);
    return status;
}
