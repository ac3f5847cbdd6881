// initial.c: consistent initialization, S3 (1.3.5) to (1.3.8).
//
//     positions      q := nearest q with Theta(q, t) = 0
//         Newton; each step the least dq'M dq with Theta + nu'dq = 0
//     velocities     v := nearest v with nu'v + Theta_t = 0       in the same metric
//     accelerations  M a = nu c_nu - F,   nu'a = -rate            (1.3.8), `rate` with explicit time included
//
// M is taken at the current q. What each outcome says: `consistent` and `projected` hold to the defects in the result;
// `inconsistent` means that Newton's method found no fitting position from here, or that the velocity equations
// contradict each other (least squares leaves a remainder); it is no proof that no position exists. `singular`: (1.3.8)
// has no solution or more than one acceleration (M singular in a direction that the joints leave free). Redundant
// joints are no obstacle: the multipliers of least norm are taken.
//
// A defect is a length: |Theta_i| / |nu_i|. Up to 1e-12 of the size of q (or v) a start counts as consistent, and not a
// digit is changed.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "step/step.h"

static const char* const outcome_texts[] = {
#define STI_X(code, text) text,
    STI_INITIAL_LIST(STI_X)
#undef STI_X
};

enum { NEWTON_STEPS = 60, HALVINGS = 12 };

static const double fits = 1e-12, contradicts = 1e-9;

const char* sti_initial_outcome_text(sti_initial_outcome outcome) {
    const size_t k = (size_t)outcome;
    return k < sizeof outcome_texts / sizeof *outcome_texts ? outcome_texts[k] : "?";
}

typedef struct start {
    sti_env* env;
    const sti_system* system;
    sti_initial* out;
    sti_instant* instant;
    int n, m, p;    // coordinates, joints, contacts without joints
    double* gap;    // (p + m)
    double* rows;   // nu'                     (m x n)
    double* g;      // (m)
    double* zero;   // (n)
    double* dq;     // (n)
    double* trial;  // (n)
    double* y;      // (m)
    double* numbers;
} start;

static sti_status reserve(start* s) {
    const size_t n = (size_t)s->n, m = (size_t)s->m, p = (size_t)s->p;
    s->numbers = sti_alloc_array_zero(s->env, p + m + m * n + 2 * m + 3 * n, sizeof *s->numbers);
    if (s->numbers == NULL) return STI_ERR_MEMORY;
    s->gap = s->numbers;
    s->rows = s->gap + p + m;
    s->g = s->rows + m * n;
    s->y = s->g + m;
    s->zero = s->y + m;
    s->dq = s->zero + n;
    s->trial = s->dq + n;
    return STI_OK;
}

static double row_length(const start* s, int i) {
    const double* nu = s->instant->contacts[s->p + i].n;
    const double length = sqrt(sti_vector_dot(s->n, nu, nu));
    return length > 0 ? length : 1;
}

// Defects of the joints at (q, v), the gradients in rows; largest as a length, and where.
static sti_status look(start* s, const double* q, const double* v, bool velocity, double* largest, double* length,
                       int* worst) {
    sti_status status = sti_system_instant_update(s->system, s->out->time, q, v, s->instant);
    if (status == STI_OK) status = sti_system_gap(s->system, s->out->time, q, s->gap);
    if (status != STI_OK) return status;
    *largest = *length = 0;
    for (int i = 0; i < s->m; i++) {
        const sti_instant_contact* c = &s->instant->contacts[s->p + i];
        memcpy(s->rows + sti_at(s->n, i, 0), c->n, (size_t)s->n * sizeof *s->rows);
        s->g[i] = velocity ? sti_vector_dot(s->n, c->n, v) + c->n_offset : s->gap[s->p + i];
        *largest = fmax(*largest, fabs(s->g[i]));
        if (fabs(s->g[i]) / row_length(s, i) > *length) {
            *length = fabs(s->g[i]) / row_length(s, i);
            *worst = i;
        }
    }
    return STI_OK;
}

static double metric(const start* s, const double* x) {
    double sum = 0;
    for (int i = 0; i < s->n; i++) sum += x[i] * sti_vector_dot(s->n, s->instant->M + sti_at(s->n, i, 0), x);
    return sqrt(fmax(sum, 0));
}

// The least x with nu'x = -g, in the metric of M; false: the rows contradict each other.
static sti_status least_motion(start* s, double* x, bool* possible) {
    for (int i = 0; i < s->m; i++) s->g[i] = -s->g[i];
    sti_bordered b = {
        .n = s->n, .k = s->m, .M = s->instant->M, .A = s->rows, .f = s->zero, .g = s->g, .x = x, .y = s->y};
    const sti_status status = sti_bordered_solve(s->env, &b);
    *possible = b.residual <= contradicts;
    return status;
}

static sti_status project_position(start* s, bool* moved, bool* found) {
    sti_initial* out = s->out;
    double largest, length;
    int worst = -1;
    sti_status status = look(s, out->q, out->v, false, &largest, &length, &worst);
    out->defect_q[0] = out->defect_q[1] = largest;
    *moved = false;
    *found = status == STI_OK;
    if (status != STI_OK) return status;
    const double size = 1 + sti_vector_largest(s->n, out->q);
    double path = 0;
    while (length > fits * size && out->iterations < NEWTON_STEPS) {
        bool possible;
        out->worst_joint = worst;
        status = least_motion(s, s->dq, &possible);
        if (status != STI_OK) return status;
        const double step = metric(s, s->dq), before = length;
        double part = 1;
        for (int k = 0; k <= HALVINGS; k++, part /= 2) {
            for (int i = 0; i < s->n; i++) s->trial[i] = out->q[i] + part * s->dq[i];
            status = look(s, s->trial, out->v, false, &largest, &length, &worst);
            if (status != STI_OK && status != STI_ERR_INPUT) return status;
            if (status == STI_OK && length < before) break;
        }
        if (status != STI_OK || !(length < before)) {
            // back to where the progress ended
            status = look(s, out->q, out->v, false, &largest, &length, &worst);
            break;
        }
        memcpy(out->q, s->trial, (size_t)s->n * sizeof *out->q);
        path += part * step;
        out->iterations++;
        *moved = true;
    }
    out->moved_q = path;
    out->defect_q[1] = largest;
    *found = length <= contradicts * size;
    if (!*found) {
        out->worst_joint = worst;
        snprintf(out->why, sizeof out->why,
                 "joint \"%.60s\" cannot be closed: its constraint is %.3g where it should be 0, and no position near "
                 "the given one satisfies all joints",
                 sti_system_contact(s->system, s->p + worst), s->gap[s->p + worst]);
    }
    return status;
}

static sti_status project_velocity(start* s, bool* moved, bool* found) {
    sti_initial* out = s->out;
    double largest, length;
    int worst = -1;
    sti_status status = look(s, out->q, out->v, true, &largest, &length, &worst);
    if (status != STI_OK) return status;
    out->defect_v[0] = out->defect_v[1] = largest;
    *moved = false;
    *found = true;
    if (length <= fits * (1 + sti_vector_largest(s->n, out->v))) return STI_OK;
    out->worst_joint = worst;
    status = least_motion(s, s->dq, found);
    if (status != STI_OK) return status;
    out->moved_v = metric(s, s->dq);
    for (int i = 0; i < s->n; i++) out->v[i] += s->dq[i];
    *moved = true;
    status = look(s, out->q, out->v, true, &largest, &length, &worst);
    out->defect_v[1] = largest;
    if (!*found)
        snprintf(out->why, sizeof out->why,
                 "joints contradict each other: no velocity satisfies all of them, \"%.60s\" misses by %.3g",
                 sti_system_contact(s->system, s->p + worst), largest);
    return status;
}

// (1.3.8); the instant is the one at (q, v).
static sti_status accelerations(start* s, bool* determined) {
    sti_initial* out = s->out;
    for (int i = 0; i < s->n; i++) s->dq[i] = -s->instant->F[i];
    for (int i = 0; i < s->m; i++) s->g[i] = -s->instant->contacts[s->p + i].n_rate;
    sti_bordered b = {
        .n = s->n, .k = s->m, .M = s->instant->M, .A = s->rows, .f = s->dq, .g = s->g, .x = out->a, .y = out->c_nu};
    sti_status status = sti_bordered_solve(s->env, &b);
    if (status != STI_OK) return status;
    out->defect_a = b.residual;
    out->rank = sti_step_row_rank(s->m, s->n, s->rows);
    *determined = b.residual <= contradicts && b.rank == s->n + out->rank;
    if (!*determined)
        snprintf(out->why, sizeof out->why,
                 b.residual > contradicts ? "no acceleration satisfies (1.3.8): the mass matrix is singular, and a "
                                            "force acts, or a joint accelerates, where nothing can follow"
                                          : "the acceleration is not determined: the mass matrix is singular in a "
                                            "direction that the joints leave free");
    return STI_OK;
}

static void note_contacts(start* s) {
    sti_initial* out = s->out;
    const double size = 1 + sti_vector_largest(s->n, out->q), speed = 1 + sti_vector_largest(s->n, out->v);
    out->penetrating = out->approaching = -1;
    for (int i = s->p - 1; i >= 0; i--) {
        const sti_instant_contact* c = &s->instant->contacts[i];
        if (s->gap[i] < -fits * size) out->penetrating = i;
        if (s->gap[i] <= fits * size && sti_vector_dot(s->n, c->n, out->v) + c->n_offset < -fits * speed)
            out->approaching = i;
    }
}

static void tell(start* s) {
    sti_initial* out = s->out;
    size_t used = strlen(out->why);
    if (used == 0) {
        if (out->moved_q == 0 && out->moved_v == 0)
            snprintf(out->why, sizeof out->why, "position and velocity satisfy all joints");
        else
            snprintf(out->why, sizeof out->why,
                     "moved: joint \"%.40s\" was off; position by %.3g, velocity by %.3g in the metric of M",
                     out->worst_joint >= 0 ? sti_system_contact(s->system, s->p + out->worst_joint) : "", out->moved_q,
                     out->moved_v);
    }
    used = strlen(out->why);
    if (out->rank < s->m && out->outcome != STI_INITIAL_INCONSISTENT) {
        snprintf(out->why + used, sizeof out->why - used, "; %d of %d joint equations are redundant", s->m - out->rank,
                 s->m);
        used = strlen(out->why);
    }
    if (out->penetrating >= 0)
        snprintf(out->why + used, sizeof out->why - used, "; contact \"%.40s\" overlaps: it starts with gap %.3g",
                 sti_system_contact(s->system, out->penetrating), s->gap[out->penetrating]);
    else if (out->approaching >= 0)
        snprintf(out->why + used, sizeof out->why - used, "; contact \"%.40s\" hits at once",
                 sti_system_contact(s->system, out->approaching));
}

static sti_status initialize(start* s) {
    sti_initial* out = s->out;
    bool moved_q = false, moved_v = false, found_q = true, found_v = true, determined = true;
    sti_status status = project_position(s, &moved_q, &found_q);
    if (status == STI_OK && found_q) status = project_velocity(s, &moved_v, &found_v);
    if (status != STI_OK) return status;
    if (found_q && found_v)
        status = accelerations(s, &determined);
    else
        for (int i = 0; i < s->n; i++) out->a[i] = NAN;
    if (status != STI_OK) return status;
    if (!found_q || !found_v)
        out->outcome = STI_INITIAL_INCONSISTENT;
    else if (!determined)
        out->outcome = STI_INITIAL_SINGULAR;
    else
        out->outcome = moved_q || moved_v ? STI_INITIAL_PROJECTED : STI_INITIAL_CONSISTENT;
    note_contacts(s);
    if (out->penetrating >= 0 && (out->outcome == STI_INITIAL_CONSISTENT || out->outcome == STI_INITIAL_PROJECTED))
        out->outcome = STI_INITIAL_OVERLAPPING;
    tell(s);
    return STI_OK;
}

static sti_status create_result(sti_env* env, const sti_system* system, sti_initial** out) {
    const int n = sti_system_coordinate_count(system), m = sti_system_joint_count(system);
    sti_initial* r = sti_alloc_array_zero(env, 1, sizeof *r);
    double* numbers = sti_alloc_array_zero(env, 3 * (size_t)n + (size_t)m, sizeof *numbers);
    if (r == NULL || numbers == NULL) {
        sti_free(env, r);
        sti_free(env, numbers);
        return STI_ERR_MEMORY;
    }
    *r = (sti_initial){.n = n, .joint_count = m, .q = numbers, .worst_joint = -1, .defect_a = NAN};
    r->defect_v[0] = r->defect_v[1] = NAN;
    r->v = r->q + n;
    r->a = r->v + n;
    r->c_nu = r->a + n;
    *out = r;
    return STI_OK;
}

static sti_status take_input(const sti_system* system, double t, const double* q, const double* v, sti_initial* out) {
    sti_status status = sti_system_state(system, &out->time, out->q, out->v);
    if (!isnan(t)) out->time = t;
    for (int i = 0; status == STI_OK && i < out->n; i++) {
        if (q != NULL) out->q[i] = q[i];
        if (v != NULL) out->v[i] = v[i];
    }
    return status;
}

sti_status sti_initial_create(sti_env* env, const sti_system* system, double t, const double* q, const double* v,
                              sti_initial** out) {
    *out = NULL;
    const int n = sti_system_coordinate_count(system);
    for (int i = 0; i < n; i++) {
        if ((q != NULL && !isfinite(q[i])) || (v != NULL && !isfinite(v[i])))
            return STI_FAIL(env, STI_ERR_INPUT, i, "state of \"%.60s\" is not finite",
                            sti_system_coordinate(system, i));
    }
    sti_initial* r = NULL;
    sti_status status = create_result(env, system, &r);
    if (status != STI_OK) return status;
    start s = {.env = env, .system = system, .out = r, .n = n, .m = r->joint_count};
    s.p = sti_system_contact_count(system) - s.m;
    status = reserve(&s);
    if (status == STI_OK) status = take_input(system, t, q, v, r);
    if (status == STI_OK) status = sti_system_instant(env, system, r->time, r->q, r->v, &s.instant);
    if (status == STI_OK) status = initialize(&s);
    sti_instant_destroy(env, s.instant);
    sti_free(env, s.numbers);
    if (status == STI_OK)
        *out = r;
    else
        sti_initial_destroy(env, r);
    return status;
}

void sti_initial_destroy(sti_env* env, sti_initial* initial) {
    if (initial == NULL) return;
    sti_free(env, initial->q);
    sti_free(env, initial);
}
