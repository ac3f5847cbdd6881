// enumerate.c: all contact modes that can happen, without trying all combinations.
//
// Statement. A mode is kinematically feasible when some acceleration satisfies the strict inequalities of all choices.
// The accelerations of partial modes (choices for contacts 1 .. i) are faces of the arrangement of the hyperplanes
// f = 0 of those contacts, so there are at most O((number of hyperplanes)^n) of them: polynomial in the number of
// contacts for a fixed number of velocities n, where 4^contacts are to be tried otherwise.
//
// Method. Depth first over contacts. A node holds the accelerations of its part mode as a relatively open cone by exact
// generators (cell.c). The walk begins with the cone a_n >= 0 of all touching contacts, made once; a contact that
// is kept goes to the face a_n = 0 of it, one that separates leaves it as it is, and slip is decided by cuts. All parts
// are taken closed, because later contacts may lead to a face of them; a node is left when an inequality that must be
// strict vanishes on all of it. So no node is met that breaks a_n >= 0 of a contact still open.
// When rates do not vanish the cone is that over (a, 1).
//
// For a given wrench a node is also left when the linear program of gate.c has no solution; and the walk begins
// with w'a >= 0: what moves falls. Let (a0, c) be a solution in the closed set of a mode, without rates and without
// contacts that slide. For every a of the mode multiply M a0 = w + J c by a: a contact that separates has c = 0, one
// that sticks J a = 0, and friction dissipates, c_t'a_t <= 0 for the corner (side) c_t of the mode and its a_t. So
//
//     w'a = a'M a0 - c'(J a) >= a'M a0,       and for a = a0:   w'a0 >= a0'M a0.
//
// Either M a0 = 0, and w'a >= 0 on the whole cell of the mode, or w'a0 > 0, and w'a > 0 near a0 in it. Both ways the
// part w'a >= 0 of the cell has points where all its inequalities are strict, so no mode is lost, limits included.
//
// What it proves. Everything is exact: no mode is missing, none is extra, unless the list stopped at its limit or at
// the time limit. What was listed by then are modes; that there are no others is not claimed.
// Cost. Nodes x choices x (a cut, and with a wrench one linear program with n rows).
#include "modes/enumerate.h"

#include <string.h>

typedef struct walk {
    modes_model* m;
    bool consistent;
    long most;
    int* choice;       // -1: open                                                    (contact_count)
    uint64_t* strict;  // cuts that must not vanish on a cell
    double passed;     // part of all combinations that were listed or excluded
    modes_list* out;
} walk;

static int first_cut(int contact) {
    return 1 + MODES_CONSTRAINTS * contact;
}

void sti_mode_clear(sti_env* env, sti_mode* mode) {
    sti_free(env, mode->choice);
    sti_free(env, mode->text);
    sti_rationals_destroy(mode->witness);
    sti_rationals_destroy(mode->absurd);
    sti_mode_solution_destroy(env, mode->solution);
    sti_mode_wrenches_destroy(env, mode->wrenches);
    *mode = (sti_mode){0};
}

void sti_modes_list_clear(sti_env* env, modes_list* list) {
    for (int i = 0; i < list->count; i++) sti_mode_clear(env, &list->modes[i]);
    sti_free(env, list->modes);
    *list = (modes_list){0};
}

// A point of the cell: the sum of its rays, divided by the last coordinate when there is one.
static sti_status set_witness(modes_model* m, const modes_cell* cell, sti_rationals** out) {
    sti_exact* x = &m->x;
    const size_t d = (size_t)cell->dimension;
    sti_status status = sti_rationals_create(m->env, (size_t)m->n, out);
    sti_int* sum = status == STI_OK ? sti_int_array(x, d + 1) : NULL;
    if (sum == NULL) return status != STI_OK ? status : x->status;
    for (int r = 0; r < cell->ray_count; r++) {
        for (size_t k = 0; k < d; k++) sti_int_add(x, &sum[k], &sum[k], &modes_cell_at(cell, cell->line_count + r)[k]);
    }
    if (m->homogeneous) sti_int_set_i64(x, &sum[d], 1);
    const sti_int* one = m->homogeneous ? &sum[d] : &sum[d - 1];
    status = x->status;
    for (int k = 0; k < m->n && status == STI_OK; k++) status = sti_rationals_set_ratio(*out, (size_t)k, &sum[k], one);
    sti_int_array_free(m->env, sum, d + 1);
    return status;
}

static sti_status emit(walk* w, const modes_cell* cell) {
    modes_list* list = w->out;
    sti_env* env = w->m->env;
    if (list->count >= w->most) {
        list->complete = false;
        return STI_OK;
    }
    if (list->count == list->capacity) {
        const int capacity = list->capacity > 0 ? 2 * list->capacity : 16;
        sti_mode* grown = sti_realloc(env, list->modes, (size_t)capacity * sizeof *grown);
        if (grown == NULL) return STI_ERR_MEMORY;
        list->modes = grown;
        list->capacity = capacity;
    }
    sti_mode* mode = &list->modes[list->count++];
    *mode = (sti_mode){0};
    const size_t count = (size_t)w->m->contact_count;
    mode->choice = sti_alloc_array(env, count, sizeof *mode->choice);
    for (size_t i = 0; i < count && mode->choice != NULL; i++) mode->choice[i] = (short)w->choice[i];
    if (mode->choice != NULL) mode->text = sti_modes_text(w->m, mode->choice);
    if (mode->text == NULL) return STI_ERR_MEMORY;
    return set_witness(w->m, cell, &mode->witness);
}

static void demand(walk* w, int cut, bool on) {
    const uint64_t bit = (uint64_t)1 << (cut % 64);
    w->strict[cut / 64] = on ? w->strict[cut / 64] | bit : w->strict[cut / 64] & ~bit;
}

// Is a_n >= 0 (joints: = 0) of the contact among the cuts of the first cone?
static bool is_bound(const modes_contact* c) {
    return c->status != STI_CONTACT_STATUS_APART && c->status != STI_CONTACT_STATUS_LEAVING;
}

// Constraint k of a choice of contact i: the part of the cell where it holds. False: empty, or a failure in x->status.
// *out stays empty when the part is the cell itself.
static bool apply(walk* w, int i, int k, modes_constraint rule, const modes_cell* cell, modes_cell* out) {
    modes_model* m = w->m;
    const modes_contact* c = &m->contacts[i];
    const int cut = first_cut(i) + k;
    *out = (modes_cell){0};
    if (rule.sign != 0) demand(w, cut, true);
    if (k > 0 || !is_bound(c)) {
        if (!sti_cell_part(&m->x, cell, modes_form_at(m, rule.form), rule.sign, cut, out)) return false;
    } else if (rule.sign == 0 && !c->bilateral) {
        if (!sti_cell_face(&m->x, cell, cut, out)) return false;
    }
    const bool there = sti_cell_is_strict(out->v != NULL ? out : cell, w->strict);
    if (!there) sti_cell_clear(m->env, out);
    return there;
}

// Cells after each constraint of the last choice tried at one contact.
typedef struct trail {
    const modes_choice* choice;
    int made;                            // constraints that hold
    modes_cell part[MODES_CONSTRAINTS];  // empty: the cell before
} trail;

static const modes_cell* trail_end(const trail* t, const modes_cell* cell) {
    for (int k = t->made - 1; k >= 0; k--) {
        if (t->part[k].v != NULL) return &t->part[k];
    }
    return cell;
}

static void shorten(walk* w, int i, trail* t, int made) {
    while (t->made > made) sti_cell_clear(w->m->env, &t->part[--t->made]);
    for (int k = made; k < MODES_CONSTRAINTS; k++) demand(w, first_cut(i) + k, false);
}

// Go to the cell of another choice, keeping what the two share. False: that is empty.
static bool follow(walk* w, int i, const modes_choice* choice, const modes_cell* cell, trail* t) {
    int shared = 0;
    while (shared < t->made && shared < choice->constraint_count &&
           memcmp(&choice->constraint[shared], &t->choice->constraint[shared], sizeof choice->constraint[0]) == 0)
        shared++;
    shorten(w, i, t, shared);
    t->choice = choice;
    while (t->made < choice->constraint_count) {
        modes_cell next;
        if (!apply(w, i, t->made, choice->constraint[t->made], trail_end(t, cell), &next)) return false;
        t->part[t->made++] = next;
    }
    return true;
}

// The choice tried as number t. For a wrench sticking comes first: bodies at rest mostly stay so, and a search that
// must end early has then seen it.
static int choice_at(const walk* w, const modes_contact* c, int t) {
    int stick = 0;
    while (w->consistent && stick < c->choice_count && c->choices[stick].kind != MODES_STICK) stick++;
    if (!w->consistent || stick == c->choice_count) return t;
    return t == 0 ? stick : t <= stick ? t - 1 : t;
}

// share: of all combinations, those of this node.
static sti_status descend(walk* w, int i, const modes_cell* cell, double share) {
    modes_model* m = w->m;
    if (i == m->contact_count) {
        w->passed += share;
        return emit(w, cell);
    }
    const modes_contact* c = &m->contacts[i];
    const double part = share / c->choice_count;
    trail t = {0};
    sti_status status = STI_OK;
    for (int tried = 0; tried < c->choice_count && status == STI_OK && w->out->complete; tried++) {
        const int k = choice_at(w, c, tried);
        if (sti_modes_late(m, w->passed, w->out->count)) {
            w->out->complete = false;
            break;
        }
        bool there = follow(w, i, &c->choices[k], cell, &t);
        status = m->x.status;
        if (!there) w->passed += part;
        if (status != STI_OK || !there) continue;
        w->choice[i] = k;
        const bool last = i + 1 == m->contact_count;
        if (w->consistent) status = sti_modes_gate(m, w->choice, trail_end(&t, cell), last, &there);
        if (status == STI_OK && there) status = descend(w, i + 1, trail_end(&t, cell), part);
        if (!there) w->passed += part;
        w->choice[i] = -1;
    }
    shorten(w, i, &t, 0);
    return status;
}

static sti_status whole_cell(modes_model* m, modes_cell* out) {
    const int cuts = first_cut(m->contact_count) + 1;  // the last: w'a >= 0
    const bool whole = sti_cell_whole(&m->x, m->n, m->homogeneous ? m->n : m->n + 1, cuts, out);
    return whole ? STI_OK : m->x.status;
}

// The closed cone a_n >= 0 of contacts that touch, a_n = 0 of joints; for a wrench w'a >= 0. *there: it has a point.
static sti_status first_cell(walk* w, modes_cell* out, bool* there) {
    modes_model* m = w->m;
    sti_status status = whole_cell(m, out);
    *there = true;
    for (int i = 0; i < m->contact_count && status == STI_OK && *there; i++) {
        const modes_contact* c = &m->contacts[i];
        modes_cell next;
        if (!is_bound(c)) continue;
        const sti_int* form = modes_form_at(m, c->value);
        *there = sti_cell_part(&m->x, out, form, c->bilateral ? 0 : 1, first_cut(i), &next);
        sti_cell_clear(m->env, out);
        *out = next;
        status = m->x.status;
        if (status == STI_OK && *there) *there = sti_cell_is_strict(out, w->strict);
    }
    if (w->consistent && m->power != NULL && status == STI_OK && *there) {
        modes_cell next;
        *there = sti_cell_part(&m->x, out, m->power, 1, first_cut(m->contact_count), &next);
        sti_cell_clear(m->env, out);
        *out = next;
        status = m->x.status;
    }
    return status;
}

sti_status sti_modes_walk(modes_model* m, bool consistent, long most, modes_list* out) {
    const size_t count = (size_t)m->contact_count;
    *out = (modes_list){.complete = true};
    walk w = {.m = m, .consistent = consistent, .most = most, .out = out};
    w.choice = sti_alloc_array(m->env, count, sizeof *w.choice);
    w.strict = sti_alloc_array_zero(m->env, (size_t)((first_cut(m->contact_count) + 1) / 64 + 1), sizeof *w.strict);
    sti_status status = STI_OK;
    if (w.choice == NULL || w.strict == NULL) status = STI_ERR_MEMORY;
    for (size_t i = 0; i < count && status == STI_OK; i++) w.choice[i] = -1;
    if (status == STI_OK && !m->homogeneous) demand(&w, 0, true);
    modes_cell cell = {0};
    bool there = true;
    if (status == STI_OK) status = first_cell(&w, &cell, &there);
    if (status == STI_OK && there && consistent) status = sti_modes_gate(m, w.choice, &cell, count == 0, &there);
    if (status == STI_OK && there) status = descend(&w, 0, &cell, 1);
    if (sti_modes_gave_up(m, &status)) out->complete = false;
    sti_cell_clear(m->env, &cell);
    sti_free(m->env, w.choice);
    sti_free(m->env, w.strict);
    if (status != STI_OK) sti_modes_list_clear(m->env, out);
    return status;
}

sti_status sti_modes_cell(modes_model* m, const short* choice, modes_cell* out) {
    sti_status status = whole_cell(m, out);
    for (int i = 0; i < m->contact_count && status == STI_OK; i++) {
        const modes_choice* own = &m->contacts[i].choices[choice[i]];
        for (int k = 0; k < own->constraint_count && status == STI_OK; k++) {
            modes_cell next;
            const modes_constraint rule = own->constraint[k];
            const bool there =
                sti_cell_cut(&m->x, out, modes_form_at(m, rule.form), rule.sign, first_cut(i) + k, &next);
            sti_cell_clear(m->env, out);
            *out = next;
            status = m->x.status;
            if (status == STI_OK && !there)
                status = STI_FAIL(m->env, STI_ERR_INTERNAL, i, "a listed mode has no acceleration");
        }
    }
    return status;
}

sti_status sti_modes_cell_closed(modes_model* m, const short* choice, modes_cell* out, bool* there) {
    sti_status status = whole_cell(m, out);
    for (int i = 0; i < m->contact_count && status == STI_OK; i++) {
        const modes_choice* own = &m->contacts[i].choices[choice[i]];
        for (int k = 0; k < own->constraint_count && status == STI_OK; k++) {
            modes_cell next;
            const modes_constraint rule = own->constraint[k];
            (void)sti_cell_part(&m->x, out, modes_form_at(m, rule.form), rule.sign, first_cut(i) + k, &next);
            sti_cell_clear(m->env, out);
            *out = next;
            status = m->x.status;
        }
    }
    *there = m->homogeneous;
    for (int r = 0; status == STI_OK && !*there && r < out->ray_count; r++)  // (a, 1) times something
        *there = sti_int_sign(&modes_cell_at(out, out->line_count + r)[m->n]) > 0;
    return status;
}

// Existence -----------------------------------------------------------------------------------------------------------

typedef struct search {
    modes_model* m;
    int* choice;
    bool found, late;
    double passed;  // part of all combinations that were excluded
    sti_rationals** solution;
    int capacity;
    sti_modes_certificate* out;
} search;

void sti_modes_certificate_clear(sti_env* env, sti_modes_certificate* certificate) {
    sti_free(env, certificate->choice);
    sti_rationals_destroy(certificate->value);
    *certificate = (sti_modes_certificate){0};
}

// Room for one more case.
static sti_status grow(search* s) {
    sti_modes_certificate* c = s->out;
    sti_env* env = s->m->env;
    if (c->case_count < s->capacity) return STI_OK;
    const int capacity = s->capacity > 0 ? 2 * s->capacity : 8;
    const size_t contacts = (size_t)s->m->contact_count, width = (size_t)(s->m->n + s->m->K);
    short* choice = sti_realloc(env, c->choice, (size_t)capacity * (contacts + 1) * sizeof *choice);
    if (choice == NULL) return STI_ERR_MEMORY;
    c->choice = choice;
    sti_rationals* value;
    sti_status status = sti_rationals_create(env, (size_t)capacity * width, &value);
    if (status != STI_OK) return status;
    for (size_t k = 0; k < (size_t)c->case_count * width && status == STI_OK; k++)
        status = sti_rationals_copy(value, k, c->value, k);
    if (status != STI_OK) {
        sti_rationals_destroy(value);
        return status;
    }
    sti_rationals_destroy(c->value);
    c->value = value;
    s->capacity = capacity;
    return STI_OK;
}

// The vector of a case as integers without a common divisor.
static sti_status make_primitive(modes_model* m, sti_rationals* value, size_t first, size_t count) {
    sti_int* image = sti_int_array(&m->x, count + 1);
    if (image == NULL) return m->x.status;
    sti_int_row_from_rationals(&m->x, image, value, first, count, NULL, NULL);
    sti_int_set_i64(&m->x, &image[count], 1);
    sti_status status = m->x.status;
    for (size_t k = 0; k < count && status == STI_OK; k++)
        status = sti_rationals_set_ratio(value, first + k, &image[k], &image[count]);
    sti_int_array_free(m->env, image, count + 1);
    return status;
}

static sti_status close_case(search* s, modes_lp* lp) {
    sti_status status = grow(s);
    if (status != STI_OK) return status;
    sti_modes_certificate* c = s->out;
    const int contacts = s->m->contact_count;
    for (int i = 0; i < contacts; i++)
        c->choice[(size_t)c->case_count * (size_t)contacts + (size_t)i] = (short)s->choice[i];
    const size_t width = (size_t)(s->m->n + s->m->K), first = (size_t)c->case_count * width;
    status = sti_modes_lp_farkas(lp, c->value, first);
    if (status == STI_OK) status = make_primitive(s->m, c->value, first, width);
    if (status == STI_OK) c->case_count++;
    return status;
}

// Contacts that are apart or leave take no force and bind nothing: they stay open.
static sti_status explore(search* s, int i, double share) {
    modes_model* m = s->m;
    modes_lp lp;
    bool feasible = false;
    s->late = sti_modes_late(m, s->passed, 0);
    if (s->late) return STI_OK;
    sti_status status = sti_modes_lp_create(m, s->choice, &lp);
    if (status == STI_OK) status = sti_modes_lp_solve(&lp, &feasible);
    if (status == STI_OK && !feasible) status = close_case(s, &lp);
    if (!feasible) s->passed += share;
    while (i < m->contact_count && m->contacts[i].generator_count == 0) i++;
    if (status == STI_OK && feasible && i == m->contact_count) {
        s->found = true;
        status = sti_rationals_create(m->env, (size_t)(m->n + m->K), s->solution);
        if (status == STI_OK) status = sti_modes_lp_point(&lp, *s->solution);
    }
    sti_modes_lp_clear(&lp);
    if (status != STI_OK || !feasible || s->found) return status;
    const int count = m->contacts[i].choice_count;
    for (int k = 0; k < count && status == STI_OK && !s->found && !s->late; k++) {
        s->choice[i] = k;
        status = explore(s, i + 1, share / count);
    }
    s->choice[i] = -1;
    return status;
}

sti_status sti_modes_exist(modes_model* m, bool* decided, bool* exists, sti_rationals** solution,
                           sti_modes_certificate* out) {
    *out = (sti_modes_certificate){0};
    search s = {.m = m, .solution = solution, .out = out};
    s.choice = sti_alloc_array(m->env, (size_t)m->contact_count, sizeof *s.choice);
    if (s.choice == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < m->contact_count; i++) s.choice[i] = -1;
    sti_status status = explore(&s, 0, 1);
    s.late = sti_modes_gave_up(m, &status) || s.late;
    *exists = s.found;
    *decided = s.found || !s.late;
    if (status != STI_OK || s.found || s.late) sti_modes_certificate_clear(m->env, out);
    sti_free(m->env, s.choice);
    return status;
}
