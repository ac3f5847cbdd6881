// program.c: the set of solutions of a mode, by generators, without rounding.
//
//     w = sum_q z_q M q + sum_l y_l M l - sum_g z_g J g,      z >= 0         (and sum of last coordinates = 1)
//
// with rays q and lines l of the closed accelerations of the mode and generators g of its forces: n rows, one more when
// rates do not vanish. A mode asks for strict inequalities, that is for a point in the relative interior of the cone of
// accelerations and of that of forces: all z > 0 is possible. So the strict problem puts z = e + z' with one common
// slack 0 <= e <= 1 and maximizes it: e > 0 at the maximum means strictly consistent, e = 0 a limit.
//
// Every number of a solution (a component of a, an acceleration or a force of a contact) is linear in z and y. Its row
// is made for the dictionary as it stands, from the rows of the basic variables, whenever it is minimized; carrying all
// of these rows through all pivots would cost many times more.
#include "modes/program.h"

#include "modes/enumerate.h"

static const modes_choice* own_choice(const modes_program* p, int i) {
    return &p->m->contacts[i].choices[p->choice[i]];
}

static int acceleration_columns(const modes_program* p) {
    return p->cell.line_count + p->cell.ray_count;
}

// Row r of  sum .. - w.
static void fill_row(modes_program* p, int r) {
    modes_model* m = p->m;
    sti_exact* x = &m->x;
    const sti_int* row = modes_dynamics_at(m, r);
    sti_int* T = sti_dictionary_at(p->D, r, 0);
    sti_int_set(x, &T[0], &row[m->n + m->K]);
    sti_int_neg(&T[0]);
    int col = 1;
    for (int i = 0; i < acceleration_columns(p); i++, col++) {
        for (int k = 0; k < m->n; k++) sti_int_addmul(x, &T[col], &row[k], &modes_cell_at(&p->cell, i)[k]);
    }
    for (int i = 0; i < m->contact_count; i++) {
        const modes_contact* c = &m->contacts[i];
        for (int f = 0; f < own_choice(p, i)->count; f++, col++) {
            for (int k = 0; k <= c->tangents; k++)
                sti_int_addmul(x, &T[col], &row[m->n + c->value + k], &modes_generator_at(c, own_choice(p, i), f)[k]);
            sti_int_neg(&T[col]);
        }
    }
}

// Coefficients of the slack: all columns but lines move with it.
static void fill_slack(modes_program* p, int r) {
    sti_int* T = sti_dictionary_at(p->D, r, 0);
    for (int c = p->cell.line_count; c < p->generators; c++)
        sti_int_add(&p->m->x, &T[1 + p->epsilon], &T[1 + p->epsilon], &T[1 + c]);
}

static sti_status fill(modes_program* p) {
    modes_model* m = p->m;
    sti_exact* x = &m->x;
    for (int r = 0; r < m->n; r++) fill_row(p, r);
    if (!m->homogeneous) {
        sti_int* T = sti_dictionary_at(p->D, m->n, 0);
        sti_int_set_i64(x, &T[0], -1);
        for (int i = 0; i < acceleration_columns(p); i++) sti_int_set(x, &T[1 + i], &modes_cell_at(&p->cell, i)[m->n]);
    }
    for (int r = 0; r < p->equations; r++) {
        p->D->kind[p->D->cols + r] = STI_VAR_ZERO;
        if (p->epsilon >= 0) fill_slack(p, r);
    }
    for (int c = 0; c < p->cell.line_count; c++) p->D->kind[c] = STI_VAR_FREE;
    p->D->kind[p->D->cols + p->objective] = STI_VAR_FREE;
    if (p->epsilon >= 0) {  // 1 - e >= 0, and the objective -e
        sti_int_set_i64(x, sti_dictionary_at(p->D, p->equations, 0), 1);
        sti_int_set_i64(x, sti_dictionary_at(p->D, p->equations, 1 + p->epsilon), -1);
        sti_int_set_i64(x, sti_dictionary_at(p->D, p->objective, 1 + p->epsilon), -1);
    }
    return x->status;
}

sti_status sti_modes_program_create(modes_model* m, const short* choice, bool strict, modes_program* out) {
    *out = (modes_program){.m = m, .choice = choice, .epsilon = -1};
    sti_status status = sti_modes_cell(m, choice, &out->cell);
    if (status == STI_OK) {
        out->equations = m->homogeneous ? m->n : m->n + 1;
        out->generators = acceleration_columns(out);
        for (int i = 0; i < m->contact_count; i++) out->generators += own_choice(out, i)->count;
        if (strict) out->epsilon = out->generators;
        out->objective = out->equations + (strict ? 1 : 0);
        out->weight = sti_int_array(&m->x, (size_t)out->generators);
        status = m->x.status;
    }
    if (status == STI_OK)
        status = sti_dictionary_create(&m->x, out->objective + 1, out->generators + (strict ? 1 : 0), &out->D);
    if (status == STI_OK) status = fill(out);
    if (status != STI_OK) sti_modes_program_clear(out);
    return status;
}

void sti_modes_program_clear(modes_program* p) {
    if (p->m == NULL) return;
    sti_env* env = p->m->env;
    sti_dictionary_destroy(p->D);
    sti_int_array_free(env, p->weight, p->weight != NULL ? (size_t)p->generators : 0);
    sti_cell_clear(env, &p->cell);
    *p = (modes_program){0};
}

sti_status sti_modes_program_solve(modes_program* p, bool* feasible, int* gap) {
    *gap = 0;
    *feasible = sti_dictionary_feasible(p->D);
    if (*feasible && p->epsilon >= 0) {
        int column;
        (void)sti_dictionary_minimize(p->D, p->D->cols + p->objective, &column);  // bounded: e <= 1
        *gap = -sti_int_sign(sti_dictionary_at(p->D, p->objective, 0));
    }
    return p->m->x.status;
}

// Values --------------------------------------------------------------------------------------------------------------

// Weights of number k of x = (a, contact accelerations, forces); accelerations of contacts in the scale of their
// images.
static void weigh(modes_program* p, int k) {
    modes_model* m = p->m;
    sti_exact* x = &m->x;
    const int v = k < m->n + m->K ? k - m->n : k - m->n - m->K;
    for (int c = 0; c < p->generators; c++) sti_int_set_i64(x, &p->weight[c], 0);
    for (int c = 0; c < acceleration_columns(p) && k < m->n + m->K; c++) {
        const sti_int* q = modes_cell_at(&p->cell, c);
        if (k < m->n) sti_int_set(x, &p->weight[c], &q[k]);
        for (int j = 0; k >= m->n && j < p->cell.dimension; j++)
            sti_int_addmul(x, &p->weight[c], &modes_form_at(m, v)[j], &q[j]);
    }
    int c = acceleration_columns(p);
    for (int i = 0; i < m->contact_count && k >= m->n + m->K; i++) {
        const modes_contact* contact = &m->contacts[i];
        const int part = v - contact->value;
        for (int f = 0; f < own_choice(p, i)->count; f++, c++) {
            if (part >= 0 && part <= contact->tangents)
                sti_int_set(x, &p->weight[c], &modes_generator_at(contact, own_choice(p, i), f)[part]);
        }
    }
}

// Objective row := the weighted sum, in the dictionary as it stands.
static void set_objective(modes_program* p) {
    sti_exact* x = &p->m->x;
    sti_dictionary* D = p->D;
    sti_int* T = sti_dictionary_at(D, p->objective, 0);
    sti_int slack = {0};
    for (int c = p->cell.line_count; c < p->generators && p->epsilon >= 0; c++)
        sti_int_add(x, &slack, &slack, &p->weight[c]);
    for (int j = 0; j <= D->cols; j++) sti_int_set_i64(x, &T[j], 0);
    for (int r = 0; r < D->rows; r++) {
        const int variable = D->basic[r];
        if (variable >= D->cols) continue;
        const sti_int* weight = variable == p->epsilon ? &slack : &p->weight[variable];
        if (sti_int_sign(weight) == 0) continue;
        for (int j = 0; j <= D->cols; j++) sti_int_addmul(x, &T[j], weight, sti_dictionary_at(D, r, j));
    }
    for (int j = 0; j < D->cols; j++) {
        const int variable = D->nonbasic[j];
        if (variable >= D->cols) continue;
        sti_int_addmul(x, &T[1 + j], variable == p->epsilon ? &slack : &p->weight[variable], &D->d);
    }
    sti_int_clear(x->env, &slack);
}

// Entry k of out := the value of the objective row, in the units of the problem.
static sti_status read_value(modes_program* p, int k, bool turned, sti_rationals* out) {
    modes_model* m = p->m;
    sti_exact* x = &m->x;
    sti_int num = {0}, den = {0};
    sti_int_set(x, &num, sti_dictionary_at(p->D, p->objective, 0));
    sti_int_set(x, &den, &p->D->d);
    if (turned) sti_int_neg(&num);
    if (k >= m->n && k < m->n + m->K) {
        sti_int_mul(x, &num, &num, &m->scale_den[k - m->n]);
        sti_int_mul(x, &den, &den, &m->scale_num[k - m->n]);
    }
    sti_status status = x->status;
    if (status == STI_OK) status = sti_rationals_set_ratio(out, (size_t)k, &num, &den);
    sti_int_clear(m->env, &num);
    sti_int_clear(m->env, &den);
    return status;
}

sti_status sti_modes_program_point(modes_program* p, sti_rationals* out) {
    sti_status status = STI_OK;
    for (int k = 0; k < p->m->n + 2 * p->m->K && status == STI_OK; k++) {
        weigh(p, k);
        set_objective(p);
        status = p->m->x.status;
        if (status == STI_OK) status = read_value(p, k, false, out);
    }
    return status;
}

sti_status sti_modes_program_range(modes_program* p, int k, int sense, bool* finite, sti_rationals* out) {
    sti_dictionary* D = p->D;
    weigh(p, k);
    for (int c = 0; c < p->generators && sense < 0; c++) sti_int_neg(&p->weight[c]);
    set_objective(p);
    *finite = true;
    // a line that no equation restricts stands beside the basis, held at zero
    for (int j = 0; j < D->cols; j++) {
        if (D->nonbasic[j] < p->cell.line_count && sti_int_sign(sti_dictionary_at(D, p->objective, j + 1)) != 0)
            *finite = false;
    }
    int column;
    if (*finite) *finite = sti_dictionary_minimize(D, D->cols + p->objective, &column);
    sti_status status = p->m->x.status;
    if (status == STI_OK && *finite) status = read_value(p, k, sense < 0, out);
    return status;
}
