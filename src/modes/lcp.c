// lcp.c: the instantaneous contact problem as an LCP, S2 (16) to (39), in exact numbers.
//
// Contact accelerations are affine in contact forces, a = A c + b with A = J'M^-1 J, b = J'M^-1 w + rates (S2 11). The
// unknowns z give the forces, c = S z, so a = A S z + b, and every y is a combination of the a and z:
//
//     sliding    c_n = z, c_t = -mu_k c_n (direction)                         y = a_n
//     rolling    c_n = z                                                       y = a_n
//       box      c_t = s_t+ - mu c_n       z = s_t+, a_t-           y = a_t+ = a_t + a_t-,  s_t- = 2 mu c_n - s_t+
//       sides    c_t = sum c_f,j d_j       z = c_f, lambda          y = lambda + d_j'a_t,   mu c_n - sum c_f
//
// A planar contact is a box in either model. Static friction for rolling contacts, kinetic for sliding ones.
#include <stdio.h>

#include "base/arena.h"
#include "exact/determinant.h"
#include "modes/model.h"

typedef struct posing {
    sti_arena memory;
    modes_model* m;
    const sti_modes_options* o;
    sti_modes_lcp* out;
    int* contact;         // those that touch, sliding ones first                                (out->contacts)
    int* order;           // row of A for each contact value; -1: not there                      (K)
    int* first;           // first unknown of block 3 and block 4 of each touching contact       (2 out->contacts)
    sti_rationals* S;     // forces by unknowns                                             (rows x N)
    sti_rationals* AS;    //                                                                (rows x N)
    sti_rationals* B;     //                                                                (N x N)
    sti_rationals* b;     //                                                                (N)
    sti_rationals* mu;    // of each touching contact                                       (out->contacts)
    sti_rationals* unit;  // 1, 2                                                         (2)
} posing;

// r_i += sign a_j b_k
static sti_status add_product(sti_rationals* r, size_t i, int sign, const sti_rationals* a, size_t j,
                              const sti_rationals* b, size_t k) {
    if (a->num[j].size == 0 || b->num[k].size == 0) return STI_OK;
    sti_exact* x = &r->x;
    sti_int num = {0}, den = {0};
    sti_int_mul(x, &den, &a->den[j], &b->den[k]);
    sti_int_mul(x, &num, &a->num[j], &b->num[k]);
    sti_int_mul(x, &num, &num, &r->den[i]);
    if (sign < 0) sti_int_neg(&num);
    sti_int_addmul(x, &num, &r->num[i], &den);
    sti_int_mul(x, &den, &den, &r->den[i]);
    sti_status status = x->status;
    x->status = STI_OK;
    if (status == STI_OK) status = sti_rationals_set_ratio(r, i, &num, &den);
    sti_int_clear(x->env, &num);
    sti_int_clear(x->env, &den);
    return status;
}

static bool touches(const modes_contact* c) {
    return c->status == STI_CONTACT_STATUS_ROLLING || c->status == STI_CONTACT_STATUS_SLIDING;
}

static bool is_sides(const posing* p, const modes_contact* c) {
    return c->tangents == 2 && p->o->model == STI_FRICTION_SIDES;
}

static int block3(const posing* p, const modes_contact* c) {
    if (c->status != STI_CONTACT_STATUS_ROLLING) return 0;
    return is_sides(p, c) ? p->m->corner_count : c->tangents;
}

static int block4(const posing* p, const modes_contact* c) {
    if (c->status != STI_CONTACT_STATUS_ROLLING) return 0;
    return is_sides(p, c) ? 1 : c->tangents;
}

// Order of contacts and unknowns; sets the size of the LCP.
static sti_status arrange(posing* p) {
    modes_model* m = p->m;
    sti_modes_lcp* out = p->out;
    for (int i = 0; i < m->contact_count; i++) {
        if (m->contacts[i].bilateral)
            return STI_FAIL(m->env, STI_ERR_INPUT, i, "%s is a joint: the LCP of S2 has contacts only",
                            m->instant->contacts[i].name);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < m->contact_count; i++) {
            const modes_contact* c = &m->contacts[i];
            if (touches(c) && (c->status == STI_CONTACT_STATUS_SLIDING) == (pass == 0)) p->contact[out->contacts++] = i;
        }
    }
    for (int v = 0; v < m->K; v++) p->order[v] = -1;
    for (int i = 0; i < m->contact_count; i++) {
        if (touches(&m->contacts[i])) p->order[m->contacts[i].value] = out->rows++;
    }
    for (int i = 0; i < m->contact_count; i++) {
        for (int k = 1; k <= m->contacts[i].tangents && touches(&m->contacts[i]); k++)
            p->order[m->contacts[i].value + k] = out->rows++;
    }
    int n = out->contacts;
    for (int block = 0; block < 2; block++) {
        for (int i = 0; i < out->contacts; i++) {
            const modes_contact* c = &m->contacts[p->contact[i]];
            p->first[2 * i + block] = n;
            n += block == 0 ? block3(p, c) : block4(p, c);
        }
    }
    out->lcp.n = n;
    return STI_OK;
}

// A and b
// --------------------------------------------------------------------------------------------------------------

// Entry of J'X: value v against column col of the eliminated table (M^-1 of J or w, over d).
static sti_status set_entry(posing* p, int v, const sti_int* T, int width, const int* pivot_col, const sti_int* d,
                            int col, bool rate, sti_rationals* to, size_t at) {
    modes_model* m = p->m;
    sti_exact* x = &m->x;
    const sti_int* form = modes_form_at(m, v);
    sti_int num = {0}, den = {0};
    for (int r = 0; r < m->n; r++)
        sti_int_addmul(x, &num, &form[pivot_col[r]], &T[(size_t)r * (size_t)width + (size_t)col]);
    if (rate) sti_int_addmul(x, &num, &form[m->n], d);
    sti_int_mul(x, &num, &num, &m->scale_den[v]);
    sti_int_mul(x, &den, d, &m->scale_num[v]);
    sti_status status = x->status;
    if (status == STI_OK) status = sti_rationals_set_ratio(to, at, &num, &den);
    sti_int_clear(m->env, &num);
    sti_int_clear(m->env, &den);
    return status;
}

static sti_status find_A(posing* p) {
    modes_model* m = p->m;
    sti_exact* x = &m->x;
    const int width = m->n + m->K + 1;
    const size_t total = (size_t)m->n * (size_t)width, rows = (size_t)p->out->rows;
    sti_int* T = sti_int_array(x, total);
    int* pivot_col = sti_alloc_array(m->env, (size_t)m->n, sizeof *pivot_col);
    sti_int d = {0};
    sti_status status = x->status;
    if (status == STI_OK && pivot_col == NULL) status = STI_ERR_MEMORY;
    for (size_t k = 0; k < total && status == STI_OK; k++) sti_int_set(x, &T[k], &m->dynamics[k]);
    if (status == STI_OK) {
        const int rank = sti_int_eliminate(x, T, m->n, width, m->n, pivot_col, &d);
        status = x->status;
        if (status == STI_OK && rank < m->n)
            status = STI_FAIL(m->env, STI_ERR_INPUT, -1, "M is singular (rank %d of %d): there is no LCP in c alone",
                              rank, m->n);
    }
    for (int v = 0; v < m->K && status == STI_OK; v++) {
        if (p->order[v] < 0) continue;
        const size_t row = (size_t)p->order[v];
        for (int u = 0; u < m->K && status == STI_OK; u++) {
            if (p->order[u] < 0) continue;
            status = set_entry(p, v, T, width, pivot_col, &d, m->n + u, false, p->out->A_exact,
                               row * rows + (size_t)p->order[u]);
        }
        if (status == STI_OK)
            status = set_entry(p, v, T, width, pivot_col, &d, m->n + m->K, true, p->out->b_exact, row);
    }
    sti_int_clear(m->env, &d);
    sti_int_array_free(m->env, T, T != NULL ? total : 0);
    sti_free(m->env, pivot_col);
    return status;
}

// Unknowns ------------------------------------------------------------------------------------------------------------

// Forces by unknowns: the rows of S that belong to touching contact t.
static sti_status set_forces(posing* p, int t) {
    modes_model* m = p->m;
    const modes_contact* c = &m->contacts[p->contact[t]];
    const size_t N = (size_t)p->out->lcp.n;
    const size_t normal = (size_t)p->order[c->value];
    sti_status status = add_product(p->S, normal * N + (size_t)t, 1, p->unit, 0, p->unit, 0);
    for (int k = 1; k <= c->tangents && status == STI_OK; k++) {
        const size_t row = (size_t)p->order[c->value + k];
        const size_t third = (size_t)p->first[(size_t)2 * (size_t)t];
        if (c->status == STI_CONTACT_STATUS_SLIDING) {
            status = sti_rationals_set_ratio(p->S, row * N + (size_t)t, &c->generators[k], &c->generators[0]);
        } else if (is_sides(p, c)) {
            for (size_t j = 0; j < (size_t)m->corner_count && status == STI_OK; j++)
                status = sti_rationals_copy(p->S, row * N + third + j, m->corners, 2 * j + (size_t)k - 1);
        } else {
            status = add_product(p->S, row * N + (size_t)t, -1, p->mu, (size_t)t, p->unit, 0);
            if (status == STI_OK)
                status = add_product(p->S, row * N + third + (size_t)k - 1, 1, p->unit, 0, p->unit, 0);
        }
    }
    return status;
}

// B_row += sum_k weight (A S)_k, b_row += weight b_k
static sti_status add_acceleration(posing* p, size_t row, int value, const sti_rationals* weight, size_t w) {
    const size_t N = (size_t)p->out->lcp.n, from = (size_t)p->order[value];
    sti_status status = add_product(p->b, row, 1, weight, w, p->out->b_exact, from);
    for (size_t j = 0; j < N && status == STI_OK; j++)
        status = add_product(p->B, row * N + j, 1, weight, w, p->AS, from * N + j);
    return status;
}

static sti_status set_box_rows(posing* p, int t) {
    const modes_contact* c = &p->m->contacts[p->contact[t]];
    const size_t N = (size_t)p->out->lcp.n;
    sti_status status = STI_OK;
    for (int k = 0; k < c->tangents && status == STI_OK; k++) {
        const size_t third = (size_t)(p->first[2 * t] + k), fourth = (size_t)(p->first[2 * t + 1] + k);
        const char* name = p->m->instant->contacts[p->contact[t]].name;
        const char axis = k == 0 ? 't' : 'o';
        snprintf(p->out->y_name[third], 24, "a_%c+ %.16s", axis, name);
        snprintf(p->out->z_name[third], 24, "s_%c+ %.16s", axis, name);
        snprintf(p->out->y_name[fourth], 24, "s_%c- %.16s", axis, name);
        snprintf(p->out->z_name[fourth], 24, "a_%c- %.16s", axis, name);
        status = add_acceleration(p, third, c->value + 1 + k, p->unit, 0);
        if (status == STI_OK) status = add_product(p->B, third * N + fourth, 1, p->unit, 0, p->unit, 0);
        if (status == STI_OK) status = add_product(p->B, fourth * N + (size_t)t, 1, p->mu, (size_t)t, p->unit, 1);
        if (status == STI_OK) status = add_product(p->B, fourth * N + third, -1, p->unit, 0, p->unit, 0);
    }
    return status;
}

static sti_status set_side_rows(posing* p, int t) {
    const modes_contact* c = &p->m->contacts[p->contact[t]];
    const char* name = p->m->instant->contacts[p->contact[t]].name;
    const size_t N = (size_t)p->out->lcp.n, last = (size_t)p->first[2 * t + 1];
    snprintf(p->out->y_name[last], 24, "limit %.16s", name);
    snprintf(p->out->z_name[last], 24, "lambda %.16s", name);
    sti_status status = add_product(p->B, last * N + (size_t)t, 1, p->mu, (size_t)t, p->unit, 0);
    for (int j = 0; j < p->m->corner_count && status == STI_OK; j++) {
        const size_t row = (size_t)(p->first[2 * t] + j);
        snprintf(p->out->y_name[row], 24, "a_f%d %.16s", j % 100, name);
        snprintf(p->out->z_name[row], 24, "c_f%d %.16s", j % 100, name);
        for (int k = 0; k < 2 && status == STI_OK; k++)
            status = add_acceleration(p, row, c->value + 1 + k, p->m->corners, 2 * (size_t)j + (size_t)k);
        if (status == STI_OK) status = add_product(p->B, row * N + last, 1, p->unit, 0, p->unit, 0);
        if (status == STI_OK) status = add_product(p->B, last * N + row, -1, p->unit, 0, p->unit, 0);
    }
    return status;
}

static sti_status set_rows(posing* p, int t) {
    const modes_contact* c = &p->m->contacts[p->contact[t]];
    const char* name = p->m->instant->contacts[p->contact[t]].name;
    snprintf(p->out->y_name[t], 24, "a_n %.16s", name);
    snprintf(p->out->z_name[t], 24, "c_n %.16s", name);
    sti_status status = add_acceleration(p, (size_t)t, c->value, p->unit, 0);
    if (status != STI_OK || c->status != STI_CONTACT_STATUS_ROLLING) return status;
    return is_sides(p, c) ? set_side_rows(p, t) : set_box_rows(p, t);
}

// Assembly ------------------------------------------------------------------------------------------------------------

static sti_status reserve(posing* p) {
    sti_modes_lcp* out = p->out;
    sti_env* env = p->m->env;
    const size_t N = (size_t)out->lcp.n, rows = (size_t)out->rows;
    sti_rationals** const table[8] = {&out->A_exact, &out->b_exact, &p->S, &p->AS, &p->B, &p->b, &p->mu, &p->unit};
    const size_t size[8] = {rows * rows, rows, rows * N, rows * N, N * N, N, (size_t)out->contacts, 2};
    sti_status status = STI_OK;
    for (int i = 0; i < 8 && status == STI_OK; i++) status = sti_rationals_create(env, size[i], table[i]);
    if (status == STI_OK) status = sti_rationals_set_double(p->unit, 0, 1);
    if (status == STI_OK) status = sti_rationals_set_double(p->unit, 1, 2);
    out->y_name = sti_alloc_array_zero(env, N, sizeof *out->y_name);
    out->z_name = sti_alloc_array_zero(env, N, sizeof *out->z_name);
    out->A = sti_alloc_array(env, rows * rows, sizeof *out->A);
    out->b_contact = sti_alloc_array(env, rows, sizeof *out->b_contact);
    double* M = sti_alloc_array(env, N * N, sizeof *M);
    double* q = sti_alloc_array(env, N, sizeof *q);
    out->lcp.M = sti_matrix_dense_view((int)N, (int)N, M);
    out->lcp.q = q;
    if (status == STI_OK && (out->y_name == NULL || out->z_name == NULL || out->A == NULL || out->b_contact == NULL ||
                             M == NULL || q == NULL))
        status = STI_ERR_MEMORY;
    return status;
}

static sti_status load_mu(posing* p) {
    sti_status status = STI_OK;
    const sti_instant* in = p->m->instant;
    for (int t = 0; t < p->out->contacts && status == STI_OK; t++) {
        const size_t i = (size_t)p->contact[t];
        status = in->exact != NULL ? sti_rationals_copy(p->mu, (size_t)t, in->exact->mu, i)
                                   : sti_rationals_set_double(p->mu, (size_t)t, in->contacts[i].mu);
    }
    return status;
}

static sti_status multiply(posing* p) {
    const size_t N = (size_t)p->out->lcp.n, rows = (size_t)p->out->rows;
    sti_status status = STI_OK;
    for (size_t r = 0; r < rows; r++) {
        for (size_t k = 0; k < rows; k++) {
            for (size_t j = 0; j < N && status == STI_OK; j++)
                status = add_product(p->AS, r * N + j, 1, p->out->A_exact, r * rows + k, p->S, k * N + j);
        }
    }
    return status;
}

static sti_status round_off(posing* p) {
    sti_modes_lcp* out = p->out;
    const size_t N = (size_t)out->lcp.n, rows = (size_t)out->rows;
    double* q = (double*)out->lcp.q;
    for (size_t k = 0; k < rows * rows; k++) out->A[k] = modes_double(&p->m->x, out->A_exact, k);
    for (size_t k = 0; k < rows; k++) out->b_contact[k] = modes_double(&p->m->x, out->b_exact, k);
    for (size_t k = 0; k < N * N; k++) out->lcp.M.dense[k] = modes_double(&p->m->x, p->B, k);
    for (size_t k = 0; k < N; k++) q[k] = modes_double(&p->m->x, p->b, k);
    out->lcp.M_exact = p->B;
    out->lcp.q_exact = p->b;
    p->B = p->b = NULL;
    return p->m->x.status;
}

static sti_status pose(posing* p) {
    const size_t contacts = (size_t)p->m->contact_count;
    p->memory = sti_arena_make(p->m->env);
    p->contact = sti_arena_raw(&p->memory, contacts, sizeof *p->contact);
    p->first = sti_arena_raw(&p->memory, 2 * contacts, sizeof *p->first);
    p->order = sti_arena_raw(&p->memory, (size_t)p->m->K, sizeof *p->order);
    if (p->memory.status != STI_OK) return p->memory.status;
    sti_status status = arrange(p);
    if (status == STI_OK) status = reserve(p);
    if (status == STI_OK) status = load_mu(p);
    if (status == STI_OK) status = find_A(p);
    for (int t = 0; t < p->out->contacts && status == STI_OK; t++) status = set_forces(p, t);
    if (status == STI_OK) status = multiply(p);
    for (int t = 0; t < p->out->contacts && status == STI_OK; t++) status = set_rows(p, t);
    if (status == STI_OK) status = round_off(p);
    return status;
}

void sti_modes_lcp_destroy(sti_modes_lcp* lcp) {
    if (lcp == NULL) return;
    sti_env* env = lcp->env;
    sti_free(env, lcp->A);
    sti_free(env, lcp->b_contact);
    sti_rationals_destroy(lcp->A_exact);
    sti_rationals_destroy(lcp->b_exact);
    sti_free(env, lcp->lcp.M.dense);
    sti_free(env, (double*)lcp->lcp.q);
    sti_rationals_destroy((sti_rationals*)lcp->lcp.M_exact);
    sti_rationals_destroy((sti_rationals*)lcp->lcp.q_exact);
    sti_free(env, lcp->y_name);
    sti_free(env, lcp->z_name);
    sti_free(env, lcp);
}

sti_status sti_modes_lcp_create(sti_env* env, const sti_instant* instant, const sti_modes_options* options,
                                sti_modes_lcp** out) {
    *out = NULL;
    sti_modes_options o = options != NULL ? *options : sti_modes_options_default();
    o.contacts_only = false;
    sti_status status = sti_instant_check(env, instant);
    if (status == STI_OK) status = sti_modes_options_check(env, &o);
    posing p = {.o = &o};
    if (status == STI_OK) status = sti_modes_model_create(env, instant, &o, &p.m);
    if (status != STI_OK) return status;
    p.out = sti_alloc_array_zero(env, 1, sizeof *p.out);
    if (p.out == NULL) {
        sti_modes_model_destroy(p.m);
        return STI_ERR_MEMORY;
    }
    p.out->env = env;
    status = pose(&p);
    sti_arena_clear(&p.memory);
    sti_rationals* const tables[6] = {p.S, p.AS, p.B, p.b, p.mu, p.unit};
    for (int i = 0; i < 6; i++) sti_rationals_destroy(tables[i]);
    sti_modes_model_destroy(p.m);
    if (status == STI_OK)
        *out = p.out;
    else
        sti_modes_lcp_destroy(p.out);
    return status;
}
