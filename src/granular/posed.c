// posed.c: the last step of a bed as a contact problem in the global form, with the point that the bed found.
//
//     M v = H r + f,     u = H'v + w,     d = 3
//
// v are velocities and angular velocities (v, omega) of the grains by their numbers, M = diag(m, m, m, I, I, I) with
// I = 2/5 m R^2, f = M (v_0 + h g), v_0 as the step began. Contact k between a and b has the frame (n, t1, t2) of
// sti_tangents and, for a direction e of it, the column
//
//     (e, -R_a n x e) in the rows of a,      (-e, -R_b n x e) in the rows of b:
//
// the arm of a is -R_a n, that of b R_b n. A wall has no rows: its own velocity there, and Phi/h, stand in w.
//
// Where friction is no disc (rough.c) the frame is that of the section.
//
// What is posed is Coulomb's law, whatever the law of the bed: the problem is made of geometry, masses and speeds
// alone. The point (r, u, v) is the bed's. Under a convex law it solves another problem and its residual here is of the
// size of the lift; then the answer claims nothing.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "granular/dual.h"

#define WIDER 10  // residual of a posed step over the tolerance of the bed, up to which it is called solved

enum { SIDE_ENTRIES = 3 + 6 + 6 };  // of a grain in the three columns of a contact: along n there is no torque

// ---- memory

void sti_bed_problem_clear(sti_env* env, sti_bed_problem* p) {
    sti_matrix M = p->problem.M, H = p->problem.H;
    sti_matrix_clear(env, &M);
    sti_matrix_clear(env, &H);
    sti_free(env, p->memory);
    sti_free(env, (void*)p->problem.section);
    sti_contact_answer_clear(env, &p->answer);
    *p = (sti_bed_problem){0};
}

static bool reserve(sti_env* env, sti_matrix* A, int rows, int cols, size_t entries) {
    *A = (sti_matrix){.rows = rows, .cols = cols};
    A->col_start = sti_alloc_array_zero(env, (size_t)cols + 1, sizeof *A->col_start);
    A->row = sti_alloc_array(env, entries, sizeof *A->row);
    A->value = sti_alloc_array(env, entries, sizeof *A->value);
    return A->col_start != NULL && A->row != NULL && A->value != NULL;
}

static sti_status allocate(sti_env* env, const sti_bed* bed, sti_bed_problem* p) {
    const size_t nc = (size_t)bed->touches, nv = 6 * (size_t)bed->n;
    bool good = reserve(env, &p->problem.M, (int)nv, (int)nv, nv);
    good = reserve(env, &p->problem.H, (int)nv, (int)(3 * nc), 2 * SIDE_ENTRIES * nc) && good;
    double* memory = p->memory = sti_alloc_array(env, nv + 4 * nc + 1, sizeof *memory);
    p->answer = (sti_contact_answer){.dimension = 3,
                                     .contact_count = bed->touches,
                                     .velocity_count = (int)nv,
                                     .undetermined = NAN,
                                     .undetermined_dimension = -1,
                                     .worst_contact = -1,
                                     .r = sti_alloc_array_zero(env, 3 * nc, sizeof(double)),
                                     .u = sti_alloc_array_zero(env, 3 * nc, sizeof(double)),
                                     .v = sti_alloc_array_zero(env, nv, sizeof(double)),
                                     .lambda = sti_alloc_array_zero(env, 0, sizeof(double))};
    const sti_contact_answer* a = &p->answer;
    if (bed->friction != NULL) {
        // the walls' own, for their corners, behind those of the contacts
        const size_t corners = sti_rough_corners(bed->friction, bed->wall_count), walls = (size_t)bed->wall_count;
        const size_t bytes = sti_size_add(
            sti_size_mul(nc, sizeof(sti_section)),
            sti_size_add(sti_size_mul(walls, sizeof(sti_wall_friction)), sti_size_mul(corners, sizeof(double))));
        p->problem.section = sti_alloc(env, bytes);
        if (p->problem.section == NULL) return STI_ERR_MEMORY;
    }
    if (!good || memory == NULL || a->r == NULL || a->u == NULL || a->v == NULL || a->lambda == NULL)
        return STI_ERR_MEMORY;
    return STI_OK;
}

// ---- grains

static void fill_grains(const sti_bed* bed, sti_bed_problem* p, double* f) {
    sti_matrix* M = &p->problem.M;
    for (int at = 0; at < M->rows; at++) {
        const int k = bed->place[at / 6], i = at % 6;
        const double R = bed->radius[k], m = bed->mass[k];
        M->col_start[at + 1] = at + 1;
        M->row[at] = at;
        M->value[at] = i < 3 ? m : 0.4 * m * R * R;
        f[at] = M->value[at] * bed->begin[6 * (size_t)k + (size_t)i] / (i < 3 ? 1 : R);
        p->answer.v[at] = i < 3 ? bed->grain[k].v[i] : bed->grain[k].W[i - 3] / R;
    }
}

// ---- contacts

// The part of a column that belongs to one grain.
static int64_t put_side(sti_matrix* H, int64_t at, int grain, double sign, double R, const double* n, const double* e) {
    double turn[3];
    cross3(n, e, turn);
    for (int i = 0; i < 6; i++) {
        if (i >= 3 && e == n) break;
        H->row[at] = 6 * grain + i;
        H->value[at++] = i < 3 ? sign * e[i] : -R * turn[i - 3];
    }
    return at;
}

static void fill_contact(const sti_bed* bed, const sti_touch* t, const sti_rough* rough, int k, sti_bed_problem* p,
                         double* w) {
    sti_matrix* H = &p->problem.H;
    double t1[3], t2[3];
    sti_tangents(t->n, t1, t2);
    if (rough != NULL) {
        memcpy(t1, rough->t1, sizeof t1);
        memcpy(t2, rough->t2, sizeof t2);
    }
    const double* direction[3] = {t->n, t1, t2};
    const sti_grain* b = &bed->grain[t->b];
    const bool wall = t->b >= bed->n, swapped = !wall && bed->id[t->b] < bed->id[t->a];  // rows ascend
    for (int s = 0; s < 3; s++) {
        const int column = 3 * k + s;
        int64_t at = H->col_start[column];
        for (int side = 0; side < 2; side++) {
            const bool first = (side == 0) != swapped;
            const int place = first ? t->a : t->b;
            if (place >= bed->n) continue;
            at = put_side(H, at, bed->id[place], first ? 1 : -1, bed->radius[place], t->n, direction[s]);
        }
        H->col_start[column + 1] = at;
        w[column] = (s == 0 ? t->off : 0) - (wall ? dot3(b->v, direction[s]) : 0);
        p->answer.r[column] = dot3(t->r, direction[s]);
    }
}

// In the order of sti_bed_contacts.
static void fill_contacts(const sti_bed* bed, sti_bed_problem* p, double* w, double* mu) {
    sti_section* section = (sti_section*)p->problem.section;
    sti_wall_friction* own = section != NULL ? (sti_wall_friction*)(section + bed->touches) : NULL;
    if (own != NULL) sti_rough_copy(bed->friction, bed->wall_count, own, (double*)(own + bed->wall_count));
    int k = 0;
    for (int s = 0; s < bed->slab_count; s++) {
        for (int j = 0; j < bed->touch_count[s]; j++, k++) {
            const sti_touch* t = &bed->touch[bed->touch_first[s] + j];
            const sti_rough* rough = sti_rough_of(bed, s, j);
            mu[k] = bed->grain[t->b].mu;
            fill_contact(bed, t, rough, k, p, w);
            if (section == NULL) continue;
            section[k] = rough != NULL ? own[rough->wall].section : (sti_section){.shape = STI_SECTION_DISC};
        }
    }
}

// ---- the answer

// What the bed claims, measured as every contact problem is (docs/contact.md). The bed stops by one norm over all
// contacts; here every contact counts against its own terms as well, and grains by their energies. A step within tol is
// mostly within a few tol here. Where it is not within WIDER of it nothing is claimed.
static sti_status judge(sti_env* env, const sti_bed* bed, sti_bed_problem* p) {
    sti_contact_answer* a = &p->answer;
    const sti_status status = sti_contact_residual(env, &p->problem, a);
    if (status != STI_OK) return status;
    const bool claimed = bed->options.law == STI_LAW_COULOMB && a->residual <= WIDER * bed->options.tol;
    a->outcome = claimed ? STI_SOLVED : STI_UNKNOWN;
    a->termination = claimed ? STI_END_SOLUTION : STI_END_NONE;
    a->solver = STI_CONTACT_GS;
    snprintf(a->reason, sizeof a->reason, "step %ld of a bed of %d grains, law %s: residual %.2e, tolerance %g",
             bed->step, bed->n, sti_law_text(bed->options.law), a->residual, bed->options.tol);
    return STI_OK;
}

sti_status sti_bed_problem_make(sti_env* env, const sti_bed* bed, sti_bed_problem* out) {
    *out = (sti_bed_problem){0};
    if (!bed->stepped) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a bed that has not made a step since it was set");
    if (bed->n > INT32_MAX / 6 || bed->touches > INT32_MAX / 3)
        return STI_FAIL(env, STI_ERR_SIZE, -1, "%d grains, %d contacts in one problem", bed->n, bed->touches);
    sti_status status = allocate(env, bed, out);
    if (status == STI_OK) {
        double *f = out->memory, *w = f + 6 * (size_t)bed->n, *mu = w + 3 * (size_t)bed->touches;
        out->problem.dimension = 3;
        out->problem.contact_count = bed->touches;
        out->problem.velocity_count = 6 * bed->n;
        out->problem.global = true;
        out->problem.f = f;
        out->problem.w = w;
        out->problem.mu = mu;
        fill_grains(bed, out, f);
        fill_contacts(bed, out, w, mu);
        status = judge(env, bed, out);
    }
    if (status != STI_OK) sti_bed_problem_clear(env, out);
    return status;
}
