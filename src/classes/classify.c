// classify.c: all classes of one matrix. The easy ones (symmetric, Z, nonnegative, K) are here; the others have a
// file each.
//
// A test that runs out of time leaves its question open, and so do those after it.
//
// They are asked in the order in which one helps the next: definiteness, P, P0, copositivity, the simplex minimum,
// column sufficiency.
#include <math.h>

#include "classes/classes.h"

const char* sti_class_text(sti_class c) {
    switch (c) {
#define STI_X(code, text) \
    case code:            \
        return text;
        STI_CLASS_LIST(STI_X)
#undef STI_X
        case STI_CLASS_COUNT:
            break;
    }
    return "unknown class";
}

sti_classes_options sti_classes_options_default(void) {
    return (sti_classes_options){.exact_limit = 20, .work_limit = 4000000};
}

static void forget_simplex(sti_env* env, sti_classes* c) {
    sti_free(env, c->simplex_argmin);
    sti_rationals_destroy(c->simplex_min_exact);
    sti_rationals_destroy(c->simplex_argmin_exact);
    c->simplex_argmin = NULL;
    c->simplex_min_exact = c->simplex_argmin_exact = NULL;
    c->simplex_min = NAN;
}

static void find_entry(const sti_specimen* s, sti_class_finding* f, int i, int j, const char* how) {
    sti_finding_say(f, STI_NO, true, "%s", how);
    f->row = i;
    f->col = j;
    f->value = sti_specimen_at(s, i, j);
}

static void look_at_entries(const sti_specimen* s, sti_classes* c) {
    sti_class_finding* symmetric = &c->finding[STI_CLASS_SYMMETRIC];
    sti_class_finding* Z = &c->finding[STI_CLASS_Z];
    sti_class_finding* nonnegative = &c->finding[STI_CLASS_NONNEGATIVE];
    for (int i = 0; i < s->n; i++) {
        for (int j = 0; j < s->n; j++) {
            const int sign = sti_specimen_sign(s, i, j);
            if (nonnegative->verdict != STI_NO && sign < 0) find_entry(s, nonnegative, i, j, "an entry is negative");
            if (Z->verdict != STI_NO && i != j && sign > 0)
                find_entry(s, Z, i, j, "an entry off the diagonal is positive");
            if (symmetric->verdict != STI_NO && j < i && !sti_specimen_equal(s, i, j, j, i))
                find_entry(s, symmetric, i, j, "an entry differs from its mirror image");
        }
    }
    if (symmetric->verdict != STI_NO) sti_finding_say(symmetric, STI_YES, true, "all entries compared");
    if (Z->verdict != STI_NO) sti_finding_say(Z, STI_YES, true, "all entries looked at");
    if (nonnegative->verdict != STI_NO) sti_finding_say(nonnegative, STI_YES, true, "all entries looked at");
}

static sti_status find_K(sti_specimen* s, sti_classes* c) {
    sti_class_finding* K = &c->finding[STI_CLASS_K];
    const sti_class_finding* Z = &c->finding[STI_CLASS_Z];
    const sti_class_finding* P = &c->finding[STI_CLASS_P];
    if (Z->verdict == STI_NO) {
        sti_finding_say(K, STI_NO, Z->exact, "not Z");
        K->row = Z->row;
        K->col = Z->col;
        K->value = Z->value;
        return STI_OK;
    }
    sti_finding_say(K, P->verdict, P->exact, "%s",
                    P->verdict == STI_YES  ? "Z and P"
                    : P->verdict == STI_NO ? "not P"
                                           : "Z, but P is open");
    if (P->index != NULL) return sti_finding_copy_minor(s, K, P);
    return P->x != NULL ? sti_finding_copy_vector(s, K, P) : STI_OK;
}

// Time ran out within a test. What it has said may rest on half a computation, and goes; the question stays open.
static sti_status leave_open(sti_specimen* s, sti_classes* c, sti_status status, sti_class first, sti_class last) {
    if (status != STI_ERR_TIME) return status;
    s->x.status = STI_OK;
    for (int k = (int)first; k <= (int)last; k++) {
        sti_finding_clear(s->env, &c->finding[k]);
        sti_finding_say(&c->finding[k], STI_UNDECIDED, false, "the time limit was reached");
    }
    return STI_OK;
}

static sti_status ask_simplex(sti_specimen* s, sti_classes* c) {
    const sti_status status = sti_specimen_simplex(s, c);
    if (status != STI_ERR_TIME) return status;
    s->x.status = STI_OK;
    forget_simplex(s->env, c);
    return STI_OK;
}

static sti_status ask_all(sti_specimen* s, sti_classes* c) {
    look_at_entries(s, c);
    int* all = sti_alloc_array(s->env, (size_t)s->n, sizeof *all);
    if (all == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < s->n; i++) all[i] = i;
    sti_status status = sti_specimen_definite(s, all, s->n, &c->finding[STI_CLASS_POSITIVE_DEFINITE],
                                              &c->finding[STI_CLASS_POSITIVE_SEMIDEFINITE]);
    status = leave_open(s, c, status, STI_CLASS_POSITIVE_DEFINITE, STI_CLASS_POSITIVE_SEMIDEFINITE);
    if (status == STI_OK && !sti_late(s->env))
        status = sti_specimen_eigenvalues(s, &c->min_eigenvalue, &c->max_eigenvalue);
    if (status == STI_OK) status = leave_open(s, c, sti_specimen_P(s, c), STI_CLASS_P, STI_CLASS_P);
    if (status == STI_OK) status = leave_open(s, c, sti_specimen_P0(s, c), STI_CLASS_P0, STI_CLASS_P0);
    if (status == STI_OK) status = leave_open(s, c, find_K(s, c), STI_CLASS_K, STI_CLASS_K);
    if (status == STI_OK) {
        status = sti_specimen_copositive(s, all, s->n, &c->finding[STI_CLASS_COPOSITIVE],
                                         &c->finding[STI_CLASS_STRICTLY_COPOSITIVE]);
        status = leave_open(s, c, status, STI_CLASS_COPOSITIVE, STI_CLASS_STRICTLY_COPOSITIVE);
    }
    if (status == STI_OK) status = ask_simplex(s, c);
    if (status == STI_OK)
        status =
            leave_open(s, c, sti_specimen_sufficient(s, c), STI_CLASS_COLUMN_SUFFICIENT, STI_CLASS_COLUMN_SUFFICIENT);
    sti_free(s->env, all);
    return status;
}

sti_status sti_classes_create(sti_env* env, const sti_matrix* M, const sti_rationals* M_exact,
                              const sti_classes_options* options, sti_classes** out) {
    *out = NULL;
    const sti_classes_options chosen = options != NULL ? *options : sti_classes_options_default();
    sti_specimen s;
    sti_status status = sti_specimen_init(&s, env, M, M_exact, &chosen);
    if (status != STI_OK) return status;
    sti_classes* c = sti_alloc_array_zero(env, 1, sizeof *c);
    if (c == NULL) {
        sti_specimen_clear(&s);
        return STI_ERR_MEMORY;
    }
    c->n = s.n;
    c->min_eigenvalue = c->max_eigenvalue = c->simplex_min = NAN;
    for (int k = 0; k < STI_CLASS_COUNT; k++) {
        sti_finding_clear(env, &c->finding[k]);
        if (s.n > STI_SPECIMEN_LIMIT)
            sti_finding_say(&c->finding[k], STI_UNDECIDED, false, "order %d is above %d", s.n, STI_SPECIMEN_LIMIT);
    }
    if (s.n <= STI_SPECIMEN_LIMIT) status = ask_all(&s, c);
    sti_specimen_clear(&s);
    if (status == STI_OK)
        *out = c;
    else
        sti_classes_destroy(env, c);
    return status;
}

void sti_classes_destroy(sti_env* env, sti_classes* classes) {
    if (classes == NULL) return;
    for (int k = 0; k < STI_CLASS_COUNT; k++) sti_finding_clear(env, &classes->finding[k]);
    forget_simplex(env, classes);
    sti_free(env, classes);
}
