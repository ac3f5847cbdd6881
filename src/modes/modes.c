// modes.c: the public face of the mode analysis: check, walk, solve, measure, and what follows for the instant.
//
// Existence. Every solution (a, c) of the contact laws lies in the closed set of the mode that the signs of its
// accelerations name, and every point of a closed set is a solution. So solutions exist exactly when the wrench is in
// the closed set of some mode, and the list of consistent modes answers it, with one exception: a contact that is apart
// may keep its gap, a_n = 0, which is no mode (S2 table II). When the list is empty, existence is settled again with
// those contacts left out, and the cases of that search are the certificate when there is none.
#include <math.h>
#include <string.h>

#include "modes/enumerate.h"

sti_modes_options sti_modes_options_default(void) {
    return (sti_modes_options){
        .model = STI_FRICTION_BOX,
        .sides = 8,
        .want = STI_MODES_KINEMATIC | STI_MODES_CONSISTENT | STI_MODES_CONES | STI_MODES_SETS,
        .max_modes = 20000,
        .max_cones = 400,
        .gap_tol = 1e-9,
        .velocity_tol = 1e-9,
    };
}

const char* sti_contact_status_text(sti_contact_status status) {
    static const char* const text[] = {"apart", "leaving", "sliding", "rolling", "joint"};
    return (unsigned)status < sizeof text / sizeof text[0] ? text[status] : "unknown";
}

const char* sti_mode_fit_text(sti_mode_fit fit) {
    static const char* const text[] = {"untried", "inconsistent", "limit", "strict"};
    return (unsigned)fit < sizeof text / sizeof text[0] ? text[fit] : "unknown";
}

sti_status sti_modes_options_check(sti_env* env, const sti_modes_options* o) {
    if (o->model == STI_FRICTION_SIDES && (o->sides < 3 || o->sides > MODES_MAX_SIDES))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a friction polygon of %d sides; 3 to %d are possible", o->sides,
                        MODES_MAX_SIDES);
    if (o->model != STI_FRICTION_BOX && o->model != STI_FRICTION_SIDES)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "no such friction model: %d", (int)o->model);
    if (o->max_modes < 1 || o->max_modes > INT32_MAX / 2)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "max_modes is %ld", o->max_modes);
    if (!(o->velocity_tol >= 0 && o->velocity_tol < 1) || !(o->gap_tol >= 0 && isfinite(o->gap_tol)))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "velocity_tol is %g, gap_tol %g", o->velocity_tol, o->gap_tol);
    if (!(o->time_limit_s >= 0)) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "time_limit_s is %g", o->time_limit_s);
    return STI_OK;
}

static sti_status check(sti_env* env, const sti_instant* instant, const sti_modes_options* o) {
    sti_status status = sti_instant_check(env, instant);
    if (status == STI_OK) status = sti_modes_options_check(env, o);
    if (status != STI_OK) return status;
    if (o->wrench_exact != NULL && sti_rationals_count(o->wrench_exact) != (size_t)instant->n)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a wrench of %zu numbers for %d velocities",
                        sti_rationals_count(o->wrench_exact), instant->n);
    for (int k = 0; o->wrench != NULL && o->wrench_exact == NULL && k < instant->n; k++) {
        if (!isfinite(o->wrench[k])) return STI_FAIL(env, STI_ERR_ARGUMENT, k, "wrench[%d] is %g", k, o->wrench[k]);
    }
    return STI_OK;
}

void sti_modes_phase(modes_model* m, const char* phase, double share) {
    modes_watch* w = &m->watch;
    w->phase = phase;
    w->deadline = w->limit_s > 0 ? w->start + share * w->limit_s : (double)INFINITY;
    m->x.deadline = w->limit_s > 0 ? w->deadline : 0;
}

bool sti_modes_gave_up(modes_model* m, sti_status* status) {
    if (!m->x.late) return false;
    m->x.late = false;
    *status = m->x.status = STI_OK;
    return true;
}

bool sti_modes_late(const modes_model* m, double part, long found) {
    const modes_watch* w = &m->watch;
    if (w->trace != NULL) w->trace(w->user, w->phase, part, found);
    return w->deadline < (double)INFINITY && sti_now(m->env) > w->deadline;
}

void sti_modes_destroy(sti_modes* modes) {
    if (modes == NULL) return;
    sti_env* env = modes->env;
    for (int i = 0; modes->contacts != NULL && i < modes->contact_count; i++) sti_free(env, modes->contacts[i].word);
    for (int i = 0; i < modes->mode_count; i++) sti_mode_clear(env, &modes->modes[i]);
    for (int i = 0; i < modes->infeasible_count; i++) sti_mode_clear(env, &modes->infeasible[i]);
    sti_free(env, modes->infeasible);
    sti_free(env, modes->contacts);
    sti_free(env, modes->modes);
    sti_rationals_destroy(modes->wrench);
    sti_rationals_destroy(modes->corners);
    sti_rationals_destroy(modes->held);
    sti_modes_certificate_clear(env, &modes->certificate);
    sti_free(env, modes);
}

int sti_modes_find(const sti_modes* modes, const char* text) {
    for (int i = 0; i < modes->mode_count; i++) {
        if (strcmp(modes->modes[i].text, text) == 0) return i;
    }
    return -1;
}

// Contacts ------------------------------------------------------------------------------------------------------------

static sti_status copy_contacts(const modes_model* m, sti_modes* out) {
    out->contacts = sti_alloc_array_zero(m->env, (size_t)m->contact_count, sizeof *out->contacts);
    if (out->contacts == NULL) return STI_ERR_MEMORY;
    out->potential = 1;
    for (int i = 0; i < m->contact_count; i++) {
        sti_modes_contact* c = &out->contacts[i];
        c->status = m->contacts[i].status;
        c->choice_count = m->contacts[i].choice_count;
        out->potential *= c->choice_count;
        c->word = sti_alloc_array(m->env, (size_t)c->choice_count, sizeof *c->word);
        if (c->word == NULL) return STI_ERR_MEMORY;
        for (int k = 0; k < c->choice_count; k++) memcpy(c->word[k], m->contacts[i].choices[k].word, sizeof c->word[k]);
    }
    return STI_OK;
}

// Lists ---------------------------------------------------------------------------------------------------------------

static int compare(const sti_mode* a, const sti_mode* b, int contacts) {
    for (int i = 0; i < contacts; i++) {
        if (a->choice[i] != b->choice[i]) return a->choice[i] < b->choice[i] ? -1 : 1;
    }
    return 0;
}

// Into lexicographic order (Shell's method).
static void sort(modes_list* list, int contacts) {
    for (int gap = list->count / 2; gap > 0; gap /= 2) {
        for (int i = gap; i < list->count; i++) {
            const sti_mode mode = list->modes[i];
            int j = i;
            for (; j >= gap && compare(&mode, &list->modes[j - gap], contacts) < 0; j -= gap)
                list->modes[j] = list->modes[j - gap];
            list->modes[j] = mode;
        }
    }
}

// Both lists in order, one after the other; of a mode in both, the solved one. `solved` and `all` are used up.
static sti_status merge(sti_env* env, modes_list* all, modes_list* solved, bool tried, sti_modes* out) {
    const int contacts = out->contact_count;
    out->modes = sti_alloc_array_zero(env, (size_t)all->count + (size_t)solved->count, sizeof *out->modes);
    if (out->modes == NULL) return STI_ERR_MEMORY;
    int i = 0, j = 0;
    while (i < all->count || j < solved->count) {
        int order = i == all->count ? 1 : -1;
        if (i < all->count && j < solved->count) order = compare(&all->modes[i], &solved->modes[j], contacts);
        sti_mode* to = &out->modes[out->mode_count++];
        if (order < 0) {
            *to = all->modes[i];
            all->modes[i++] = (sti_mode){0};
            to->fit = tried ? STI_MODE_INCONSISTENT : STI_MODE_UNTRIED;
            continue;
        }
        *to = solved->modes[j];
        solved->modes[j++] = (sti_mode){0};
        if (order == 0) i++;  // the other copy is cleared with its list
    }
    for (int k = 0; k < out->mode_count; k++) {
        out->strict_count += out->modes[k].fit == STI_MODE_STRICT;
        out->limit_count += out->modes[k].fit == STI_MODE_LIMIT;
    }
    return STI_OK;
}

// Forget the modes from number `count` on.
static void shorten(sti_env* env, modes_list* list, int count) {
    while (list->count > count) sti_mode_clear(env, &list->modes[--list->count]);
    list->complete = false;
}

static sti_status list_modes(modes_model* m, const sti_modes_options* o, sti_modes* out) {
    modes_list all = {.complete = true}, solved = {.complete = true};
    const bool consistent = (o->want & STI_MODES_CONSISTENT) != 0 && !o->contacts_only;
    sti_status status = STI_OK;
    const bool kinematic = (o->want & STI_MODES_KINEMATIC) != 0 || !consistent;
    sti_modes_phase(m, "consistent modes", kinematic ? 0.4 : 0.6);
    if (consistent) status = sti_modes_walk(m, true, o->max_modes, &solved);
    sti_modes_phase(m, "solutions", kinematic ? 0.75 : 0.95);
    for (int i = 0; i < solved.count && status == STI_OK; i++) {
        if (i > 0 && sti_modes_late(m, (double)i / solved.count, i)) {
            shorten(m->env, &solved, i);
            break;
        }
        status = sti_mode_solve(m, &solved.modes[i], (o->want & STI_MODES_SETS) != 0);
        if (sti_modes_gave_up(m, &status)) shorten(m->env, &solved, i);
    }
    sti_modes_phase(m, "kinematic modes", 0.9);
    if (status == STI_OK && kinematic) status = sti_modes_walk(m, false, o->max_modes, &all);
    sort(&solved, m->contact_count);
    out->asked = consistent;
    out->all_consistent = consistent && solved.complete;
    out->all_kinematic = all.complete;
    out->complete = all.complete && solved.complete;
    if (status == STI_OK) status = merge(m->env, &all, &solved, out->all_consistent, out);
    sti_modes_list_clear(m->env, &all);
    sti_modes_list_clear(m->env, &solved);
    return status;
}

// Uniqueness over all modes -------------------------------------------------------------------------------------------

static bool same(const sti_rationals* a, const sti_rationals* b, int first, int count) {
    for (int k = first; k < first + count; k++) {
        if (sti_int_cmp(&a->num[k], &b->num[k]) != 0 || sti_int_cmp(&a->den[k], &b->den[k]) != 0) return false;
    }
    return true;
}

static void settle_uniqueness(const modes_model* m, sti_modes* out) {
    const sti_mode_solution* first = NULL;
    out->acceleration_unique = out->forces_unique = true;
    for (int i = 0; i < out->mode_count; i++) {
        const sti_mode_solution* s = out->modes[i].solution;
        if (s == NULL) continue;
        if (first == NULL) first = s;
        if (!s->acceleration_unique || !same(s->point, first->point, 0, m->n)) out->acceleration_unique = false;
        if (!s->forces_unique || !same(s->point, first->point, m->n + m->K, m->K)) out->forces_unique = false;
    }
    if (first == NULL) out->acceleration_unique = out->forces_unique = false;
}

// Least change of the wrench ------------------------------------------------------------------------------------------

// Largest violation of the set of a mode at p, relative to |p|: negative strictly inside.
static double violation(const sti_mode_wrenches* set, const double* p, int n) {
    const sti_rows faces = sti_polycone_inequalities(set->cone), equations = sti_polycone_equations(set->cone);
    double worst = -INFINITY, size = set->is_cone ? 0 : 1;
    for (int k = 0; k < n; k++) size = hypot(size, p[k]);
    for (int f = 0; f < faces.count + equations.count; f++) {
        const bool equation = f >= faces.count;
        const sti_rows* from = equation ? &equations : &faces;
        const double* row = from->value + (size_t)(equation ? f - faces.count : f) * (size_t)from->dimension;
        double s = set->is_cone ? 0 : row[n], length = 0;
        for (int k = 0; k < n; k++) {
            s += row[k] * p[k];
            length = hypot(length, row[k]);
        }
        if (length > 0) worst = fmax(worst, (equation ? fabs(s) : s) / length);
    }
    return size > 0 ? worst / size : worst;
}

// A mode other than `from` just beyond the change, else one that meets it there; -1: none.
static int mode_beyond(const sti_modes* out, int from, const double* w, double* p) {
    const sti_mode_wrenches* set = out->modes[from].wrenches;
    for (int pass = 0; pass < 2; pass++) {
        double best = pass == 0 ? 0 : 1e-9;
        int found = -1;
        for (int k = 0; k < out->n; k++) p[k] = w[k] + set->change[k] * (pass == 0 ? 1 + 1e-6 : 1);
        for (int i = 0; i < out->mode_count; i++) {
            if (i == from || out->modes[i].wrenches == NULL) continue;
            const double v = violation(out->modes[i].wrenches, p, out->n);
            if (v < best) {
                best = v;
                found = i;
            }
        }
        if (found >= 0) return found;
    }
    return -1;
}

static sti_status find_change(modes_model* m, sti_modes* out) {
    int ends = -1, begins = -1;
    for (int i = 0; i < out->mode_count; i++) {
        const sti_mode_wrenches* set = out->modes[i].wrenches;
        if (set == NULL) continue;
        if (out->modes[i].fit == STI_MODE_STRICT && (ends < 0 || set->margin < out->modes[ends].wrenches->margin))
            ends = i;
        if (begins < 0 || set->margin > out->modes[begins].wrenches->margin) begins = i;
    }
    const int mode = ends >= 0 ? ends : begins;
    if (mode < 0 || !out->asked || !isfinite(out->modes[mode].wrenches->margin)) return STI_OK;
    if (ends < 0 && out->limit_count > 0) return STI_OK;  // on a boundary already
    const sti_mode_wrenches* set = out->modes[mode].wrenches;
    out->change_from = ends;
    out->change_to = ends >= 0 ? -1 : begins;
    out->change_size = fabs(set->margin);
    out->change = set->change;
    if (set->face >= 0) out->change_face = set->face_text[set->face];
    if (ends < 0) return STI_OK;
    double* w = sti_alloc_array(out->env, 2 * (size_t)out->n, sizeof *w);
    if (w == NULL) return STI_ERR_MEMORY;
    for (int k = 0; k < out->n; k++) w[k] = modes_double(&m->x, out->wrench, (size_t)k);
    if (m->x.status == STI_OK) out->change_to = mode_beyond(out, ends, w, w + out->n);
    sti_free(out->env, w);
    return m->x.status;
}

// The whole -----------------------------------------------------------------------------------------------------------

// Consistent modes first. The least change is that of all sets together, so it takes all of them.
static sti_status find_cones(modes_model* m, const sti_modes_options* o, sti_modes* out) {
    const bool every = out->mode_count <= o->max_cones;
    bool late = false;
    int made = 0;
    sti_status status = STI_OK;
    sti_modes_phase(m, "wrench sets", 1);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < out->mode_count && status == STI_OK && !late; i++) {
            sti_mode* mode = &out->modes[i];
            if ((mode->solution != NULL) != (pass == 0) || (pass == 1 && !every)) continue;
            late = sti_modes_late(m, (double)made / out->mode_count, made);
            if (!late) status = sti_mode_find_wrenches(m, mode);
            if (sti_modes_gave_up(m, &status)) {
                sti_mode_wrenches_destroy(m->env, mode->wrenches);
                mode->wrenches = NULL;
                late = true;
            }
            made++;
        }
    }
    m->x.deadline = 0;
    return status == STI_OK && !late ? find_change(m, out) : status;
}

static sti_status fill(modes_model* m, const sti_modes_options* o, sti_modes* out) {
    sti_status status = copy_contacts(m, out);
    if (status == STI_OK) status = sti_rationals_slice(m->env, m->wrench, 0, (size_t)m->n, &out->wrench);
    out->corner_count = m->corner_count;
    if (status == STI_OK)
        status = sti_rationals_slice(m->env, m->corners, 0, 2 * (size_t)m->corner_count, &out->corners);
    if (status == STI_OK) status = list_modes(m, o, out);
    if (status == STI_OK && out->asked) {
        settle_uniqueness(m, out);
        out->decided = out->exists = out->strict_count + out->limit_count > 0;
        sti_modes_phase(m, "existence", 0.95);
        if (out->all_consistent && !out->exists)
            status = sti_modes_exist(m, &out->decided, &out->exists, &out->held, &out->certificate);
    }
    if (status == STI_OK && (o->want & STI_MODES_CONES) != 0 && !o->contacts_only) status = find_cones(m, o, out);
    if (status == STI_OK && (o->want & STI_MODES_INFEASIBLE) != 0) status = sti_modes_list_infeasible(m, o, out);
    return status;
}

sti_status sti_modes_create(sti_env* env, const sti_instant* instant, const sti_modes_options* options,
                            sti_modes** out) {
    *out = NULL;
    const sti_modes_options defaults = sti_modes_options_default();
    if (options == NULL) options = &defaults;
    sti_status status = check(env, instant, options);
    if (status != STI_OK) return status;
    modes_model* m;
    const double start = sti_now(env);
    status = sti_modes_model_create(env, instant, options, &m);
    if (status != STI_OK) return status;
    m->watch = (modes_watch){
        .start = start, .limit_s = options->time_limit_s, .trace = options->trace, .user = options->trace_user};
    sti_modes* made = sti_alloc_array_zero(env, 1, sizeof *made);
    if (made == NULL) {
        sti_modes_model_destroy(m);
        return STI_ERR_MEMORY;
    }
    *made = (sti_modes){.env = env,
                        .n = m->n,
                        .contact_count = m->contact_count,
                        .tangent_total = instant->tangent_total,
                        .homogeneous = m->homogeneous,
                        .change_from = -1,
                        .change_to = -1,
                        .change_size = NAN};
    status = fill(m, options, made);
    sti_modes_model_destroy(m);
    if (status == STI_OK)
        *out = made;
    else
        sti_modes_destroy(made);
    return status;
}
