// lp.c: can a wrench be that of a part mode? A linear program by inequalities, solved without rounding.
//
// Unknowns: a (free) and one coefficient z >= 0 for each generator g of the forces of a contact, c_i = sum g z. Rows:
//
//     M a - J G z - w        held at zero            n
//     f(a), or -f(a)         >= 0, or held at zero    the constraints of the choices
//
// When there is no solution, the multipliers of the rows are the Farkas vector of the certificate. For all else the
// programs over generators (gate.c, program.c) have fewer rows.
#include "modes/lp.h"

static const modes_choice* choice_of(const modes_lp* lp, int i) {
    return lp->choice[i] < 0 ? NULL : &lp->m->contacts[i].choices[lp->choice[i]];
}

// Constraint rows of contact i.
static int constraint_count(const modes_lp* lp, int i) {
    const modes_choice* choice = choice_of(lp, i);
    if (choice != NULL) return choice->constraint_count;
    const sti_contact_status status = lp->m->contacts[i].status;
    return status == STI_CONTACT_STATUS_APART || status == STI_CONTACT_STATUS_LEAVING ? 0 : 1;
}

static modes_constraint constraint_of(const modes_lp* lp, int i, int k) {
    const modes_choice* choice = choice_of(lp, i);
    if (choice != NULL) return choice->constraint[k];
    return (modes_constraint){lp->m->contacts[i].value, lp->m->contacts[i].bilateral ? 0 : 1};
}

static int generator_count(const modes_lp* lp, int i) {
    const modes_choice* choice = choice_of(lp, i);
    return choice != NULL ? choice->count : lp->m->contacts[i].generator_count;
}

static const sti_int* generator_of(const modes_lp* lp, int i, int k) {
    const modes_contact* c = &lp->m->contacts[i];
    const modes_choice* choice = choice_of(lp, i);
    return choice != NULL ? modes_generator_at(c, choice, k) : c->generators + (size_t)k * (size_t)(1 + c->tangents);
}

// Row r of the dynamics: M a - J G z - w.
static void fill_dynamics(modes_lp* lp, int r) {
    modes_model* m = lp->m;
    sti_exact* x = &m->x;
    sti_int* T = sti_dictionary_at(lp->D, r, 0);
    const sti_int* row = modes_dynamics_at(m, r);
    sti_int_set(x, &T[0], &row[m->n + m->K]);
    sti_int_neg(&T[0]);
    for (int k = 0; k < m->n; k++) sti_int_set(x, &T[1 + k], &row[k]);
    for (int i = 0; i < m->contact_count; i++) {
        const modes_contact* c = &m->contacts[i];
        for (int g = 0; g < generator_count(lp, i); g++) {
            sti_int* entry = &T[1 + lp->column[i] + g];
            for (int k = 0; k <= c->tangents; k++)
                sti_int_addmul(x, entry, &row[m->n + c->value + k], &generator_of(lp, i, g)[k]);
            sti_int_neg(entry);
        }
    }
    lp->D->kind[lp->D->cols + r] = STI_VAR_ZERO;
}

static void fill_form(modes_lp* lp, int r, int form, bool turn) {
    modes_model* m = lp->m;
    sti_int* T = sti_dictionary_at(lp->D, r, 0);
    const sti_int* f = modes_form_at(m, form);
    for (int k = 0; k <= m->n; k++) {
        sti_int* to = &T[k == m->n ? 0 : 1 + k];
        sti_int_set(&m->x, to, &f[k]);
        if (turn) sti_int_neg(to);
    }
}

static void fill_kinematics(modes_lp* lp) {
    int r = lp->m->n;
    for (int i = 0; i < lp->m->contact_count; i++) {
        for (int k = 0; k < constraint_count(lp, i); k++, r++) {
            const modes_constraint c = constraint_of(lp, i, k);
            fill_form(lp, r, c.form, c.sign < 0);
            if (c.sign == 0) lp->D->kind[lp->D->cols + r] = STI_VAR_ZERO;
        }
    }
}

sti_status sti_modes_lp_create(modes_model* m, const int* choice, modes_lp* out) {
    *out = (modes_lp){.m = m, .choice = choice};
    out->column = sti_alloc_array(m->env, (size_t)m->contact_count + 1, sizeof *out->column);
    if (out->column == NULL) return STI_ERR_MEMORY;
    int cols = m->n;
    for (int i = 0; i < m->contact_count; i++) {
        out->column[i] = cols;
        cols += generator_count(out, i);
        out->kinematic_rows += constraint_count(out, i);
    }
    out->column[m->contact_count] = cols;
    const sti_status status = sti_dictionary_create(&m->x, m->n + out->kinematic_rows, cols, &out->D);
    if (status != STI_OK) {
        sti_modes_lp_clear(out);
        return status;
    }
    for (int k = 0; k < m->n; k++) out->D->kind[k] = STI_VAR_FREE;
    for (int r = 0; r < m->n; r++) fill_dynamics(out, r);
    fill_kinematics(out);
    if (m->x.status != STI_OK) sti_modes_lp_clear(out);
    return m->x.status;
}

void sti_modes_lp_clear(modes_lp* lp) {
    if (lp->m == NULL) return;
    sti_dictionary_destroy(lp->D);
    sti_free(lp->m->env, lp->column);
    *lp = (modes_lp){0};
}

sti_status sti_modes_lp_solve(modes_lp* lp, bool* feasible) {
    *feasible = sti_dictionary_feasible(lp->D);
    return lp->m->x.status;
}

// Value of a variable where the program stands, as a numerator over the common denominator; NULL: zero.
static const sti_int* value_of(const modes_lp* lp, int variable) {
    const int row = sti_dictionary_row_of(lp->D, variable);
    return row >= 0 ? sti_dictionary_at(lp->D, row, 0) : NULL;
}

sti_status sti_modes_lp_point(modes_lp* lp, sti_rationals* out) {
    modes_model* m = lp->m;
    sti_exact* x = &m->x;
    sti_int sum = {0};
    sti_status status = STI_OK;
    for (int k = 0; k < m->n && status == STI_OK; k++) {
        const sti_int* value = value_of(lp, k);
        if (value != NULL) status = sti_rationals_set_ratio(out, (size_t)k, value, &lp->D->d);
    }
    for (int i = 0; i < m->contact_count; i++) {
        for (int k = 0; k <= m->contacts[i].tangents && status == STI_OK; k++) {
            sti_int_set_i64(x, &sum, 0);
            for (int g = 0; g < generator_count(lp, i); g++) {
                const sti_int* value = value_of(lp, lp->column[i] + g);
                if (value != NULL) sti_int_addmul(x, &sum, &generator_of(lp, i, g)[k], value);
            }
            status = x->status;
            if (status == STI_OK)
                status = sti_rationals_set_ratio(out, (size_t)(m->n + m->contacts[i].value + k), &sum, &lp->D->d);
        }
    }
    sti_int_clear(m->env, &sum);
    return status;
}

// Farkas --------------------------------------------------------------------------------------------------------------

// nu of contact value v: sum over the constraint rows of multiplier x weight x scale.
static sti_status read_nu(modes_lp* lp, const sti_int* y, int i, int k, sti_rationals* out, size_t at) {
    modes_model* m = lp->m;
    sti_exact* x = &m->x;
    sti_int num = {0}, den = {0}, t = {0};
    sti_int_set_i64(x, &den, 1);
    int r = m->n;
    for (int j = 0; j < i; j++) r += constraint_count(lp, j);
    const int value = m->contacts[i].value + k;
    for (int c = 0; c < constraint_count(lp, i); c++, r++) {
        const modes_constraint rule = constraint_of(lp, i, c);
        sti_int_mul(x, &t, &y[r], &m->meaning[rule.form].weight[k]);
        if (rule.sign < 0) sti_int_neg(&t);
        sti_modes_add_fraction(x, &num, &den, &t, &m->scale_num[value], &m->scale_den[value]);
    }
    sti_status status = x->status;
    if (status == STI_OK) status = sti_rationals_set_ratio(out, at, &num, &den);
    sti_int_clear(m->env, &num);
    sti_int_clear(m->env, &den);
    sti_int_clear(m->env, &t);
    return status;
}

sti_status sti_modes_lp_farkas(modes_lp* lp, sti_rationals* out, size_t first) {
    modes_model* m = lp->m;
    sti_exact* x = &m->x;
    sti_int* y = sti_int_array(x, (size_t)lp->D->rows);
    if (y == NULL) return x->status;
    sti_dictionary_farkas(lp->D, y);
    sti_status status = x->status;
    sti_int t = {0};
    for (int r = 0; r < m->n && status == STI_OK; r++) {  // y of the certificate is minus the multiplier
        sti_int_mul(x, &t, &y[r], &m->row_num[r]);
        sti_int_neg(&t);
        status = x->status;
        if (status == STI_OK) status = sti_rationals_set_ratio(out, first + (size_t)r, &t, &m->row_den[r]);
    }
    for (int i = 0; i < m->contact_count && status == STI_OK; i++) {
        for (int k = 0; k <= m->contacts[i].tangents && status == STI_OK; k++)
            status = read_nu(lp, y, i, k, out, first + (size_t)(m->n + m->contacts[i].value + k));
    }
    sti_int_clear(m->env, &t);
    sti_int_array_free(m->env, y, (size_t)lp->D->rows);
    return status;
}
