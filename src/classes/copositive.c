// copositive.c: is x'Mx >= 0, or > 0, for all x >= 0 other than zero?
//
// Let B = M + M'. Reductions first, all of them equivalences:
//
//     - B_ii < 0: x = e_i.
//     - Join i and j when B_ij < 0. Between connected parts all entries are >= 0, so x'Bx >= sum over the parts of
//       x_c'Bx_c: B is (strictly) copositive exactly when every part is. An index without negative entries is a part of
//       its own. The matrices of frictional contact fall apart here into a positive semidefinite part and single
//       indices.
//     - A positive definite part is strictly copositive, a semidefinite one copositive.
//
// What remains of order up to exact_limit goes to the search of copositive_search.c, which decides both questions. A
// larger part is copositive if semidefinite (up to rounding, if that is how it is known); a violator is looked for by
// descent on the simplex, and what it finds is checked with its error bound. Otherwise the part stays undecided.
#include <math.h>
#include <string.h>

#include "classes/classes.h"

typedef struct question {
    sti_specimen* s;
    sti_class_finding* copositive;
    sti_class_finding* strictly;
    bool open;           // some part could not be decided
    bool strictly_open;  // or not whether it has a zero
    bool rounded;        // some part is semidefinite only up to rounding
    int largest;         // order of the largest part searched
    int parts;           // joined by negative entries, of more than one index
    long work_left;
} question;

static sti_status say_no(question* a, bool negative, const int* index, int k, sti_int* v, const char* how) {
    sti_status status = STI_OK;
    if (negative) {
        sti_finding_say(a->copositive, STI_NO, true, "%s", how);
        status = sti_finding_set_vector(a->s, a->copositive, index, k, v);
    }
    if (status == STI_OK && (negative || a->strictly->verdict == STI_UNDECIDED)) {
        sti_finding_clear(a->s->env, a->strictly);
        sti_finding_say(a->strictly, STI_NO, true, "%s", how);
        status = sti_finding_set_vector(a->s, a->strictly, index, k, v);
    }
    return status;
}

static sti_status look_at_diagonal(question* a, const int* index, int k) {
    sti_int one = {0};
    sti_int_set_i64(&a->s->x, &one, 1);
    sti_status status = a->s->x.status;
    for (int sign = -1; sign <= 0; sign++) {  // a negative entry before a zero one
        for (int i = 0; i < k && status == STI_OK && a->strictly->verdict == STI_UNDECIDED; i++) {
            if (sti_specimen_sign(a->s, index[i], index[i]) != sign) continue;
            status = say_no(a, sign < 0, &index[i], 1, &one,
                            sign < 0 ? "a diagonal entry is negative" : "a diagonal entry is zero");
        }
    }
    sti_int_clear(a->s->env, &one);
    return status;
}

static sti_status search_part(question* a, const int* index, int k, const sti_class_finding* semidefinite) {
    sti_specimen* s = a->s;
    const size_t count = (size_t)k * (size_t)k;
    sti_copositive_search found = {0};
    sti_int* B = sti_int_array(&s->x, count);
    if (B == NULL) return s->x.status;
    sti_specimen_symmetric_image(s, index, k, B, NULL, NULL);
    sti_status status = s->x.status;
    if (status == STI_OK) status = sti_copositive_search_run(&s->x, B, k, a->work_left, &found);
    sti_int_array_free(s->env, B, count);
    if (status != STI_OK) return status;
    a->work_left -= found.work;
    if (k > a->largest) a->largest = k;
    const bool known = semidefinite->verdict == STI_YES && semidefinite->exact;
    if (found.copositive == STI_NO) {
        status = say_no(a, true, index, k, found.violator, "search through positive definite submatrices");
    } else {
        if (found.has_zero) status = say_no(a, false, index, k, found.zero, "a zero of the form, from the search");
        if (found.copositive == STI_UNDECIDED) {
            a->open = a->open || !known;
            a->strictly_open = true;
        }
    }
    sti_copositive_search_clear(s->env, &found, k);
    return status;
}

// ---- parts too large to search

// x'Bx < 0 with its error bound.
static bool proves_negative(const sti_specimen* s, const int* index, int k, const double* x) {
    double value = 0, size = 0;
    for (int i = 0; i < k; i++) {
        double row = 0, row_size = 0;
        for (int j = 0; j < k && x[i] > 0; j++) {
            const double t = sti_specimen_at(s, index[i], index[j]) * x[j];
            row += t;
            row_size += fabs(t);
        }
        value += x[i] * row;
        size += x[i] * row_size;
    }
    return value + 1.1 * (2 * (double)k + 6) * 0x1p-53 * size + 0x1p-1000 < 0;
}

static sti_status descend_part(question* a, const int* index, int k) {
    sti_specimen* s = a->s;
    const size_t w = (size_t)k;
    double* S = sti_alloc_array(s->env, w * w + 2 * w, sizeof *S);
    sti_int* v = sti_int_array(&s->x, w);
    sti_status status = S != NULL && v != NULL ? STI_OK : STI_ERR_MEMORY;
    for (int i = 0; status == STI_OK && i < k; i++) {
        for (int j = 0; j < k; j++)
            S[i * k + j] = 0.5 * sti_specimen_at(s, index[i], index[j]) + 0.5 * sti_specimen_at(s, index[j], index[i]);
    }
    const int starts = k < 200 ? k : 200;
    for (int start = 0; status == STI_OK && start < starts && a->copositive->verdict == STI_UNDECIDED; start++) {
        double *x = S + w * w, *g = x + w;
        memset(x, 0, w * sizeof *x);
        x[start] = 1;
        sti_simplex_descend(S, k, x, g);
        for (int i = 0; i < k; i++) x[i] = rint(x[i] * 0x1p30);
        if (!proves_negative(s, index, k, x)) continue;
        for (int i = 0; i < k; i++) sti_int_set_double(&s->x, &v[i], x[i], 0);
        status = s->x.status;
        if (status == STI_OK) status = say_no(a, true, index, k, v, "descent on the simplex");
    }
    sti_free(s->env, S);
    sti_int_array_free(s->env, v, w);
    return status;
}

// ---- all parts

static sti_status decide_part(question* a, const int* index, int k) {
    sti_env* env = a->s->env;
    sti_class_finding definite = {0}, semidefinite = {0};
    sti_status status = sti_specimen_definite(a->s, index, k, &definite, &semidefinite);
    const bool strict = definite.verdict == STI_YES && definite.exact;
    if (status == STI_OK && !strict) {
        const bool may_search = k <= a->s->options.exact_limit && k <= 62;
        if (may_search) {
            status = search_part(a, index, k, &semidefinite);
        } else {
            a->strictly_open = true;
            if (semidefinite.verdict == STI_YES)
                a->rounded = a->rounded || !semidefinite.exact;
            else
                a->open = true;
            if (semidefinite.verdict != STI_YES) status = descend_part(a, index, k);
        }
    }
    sti_finding_clear(env, &definite);
    sti_finding_clear(env, &semidefinite);
    return status;
}

static sti_status decide_parts(question* a, const int* index, int k) {
    sti_specimen* s = a->s;
    int* label = sti_alloc_array(s->env, 3 * (size_t)k, sizeof *label);
    if (label == NULL) return STI_ERR_MEMORY;
    const int parts = sti_specimen_parts(s, index, k, true, label, label + k);
    sti_status status = s->x.status;
    int* members = label + 2 * k;
    for (int c = 0; c < parts && status == STI_OK && a->copositive->verdict == STI_UNDECIDED; c++) {
        int count = 0;
        for (int i = 0; i < k; i++) {
            if (label[i] == c) members[count++] = index[i];
        }
        if (count == 1) continue;  // the diagonal was looked at
        a->parts++;
        status = decide_part(a, members, count);
    }
    sti_free(s->env, label);
    return status;
}

static void conclude(question* a) {
    if (a->copositive->verdict == STI_UNDECIDED) {
        if (a->open)
            sti_finding_say(a->copositive, STI_UNDECIDED, false,
                            "a part joined by negative entries is too large to search");
        else if (a->rounded)
            sti_finding_say(a->copositive, STI_YES, false,
                            "parts joined by negative entries are semidefinite up to rounding");
        else if (a->largest > 0)
            sti_finding_say(a->copositive, STI_YES, true, "search through positive definite submatrices (order %d)",
                            a->largest);
        else if (a->parts == 0)
            sti_finding_say(a->copositive, STI_YES, true, "no entry of M + M' is negative");
        else
            sti_finding_say(a->copositive, STI_YES, true, "parts joined by negative entries are semidefinite");
    }
    if (a->strictly->verdict == STI_UNDECIDED) {
        if (a->open || a->strictly_open)
            sti_finding_say(a->strictly, STI_UNDECIDED, false,
                            "a part joined by negative entries is too large to search");
        else if (a->parts == 0)
            sti_finding_say(a->strictly, STI_YES, true, "no entry of M + M' is negative, and the diagonal is positive");
        else
            sti_finding_say(a->strictly, STI_YES, true, "no zero of the form in any part joined by negative entries");
    }
}

sti_status sti_specimen_copositive(sti_specimen* s, const int* index, int k, sti_class_finding* copositive,
                                   sti_class_finding* strictly) {
    sti_finding_clear(s->env, copositive);
    sti_finding_clear(s->env, strictly);
    question a = {.s = s, .copositive = copositive, .strictly = strictly, .work_left = s->options.work_limit};
    sti_status status = look_at_diagonal(&a, index, k);
    if (status == STI_OK && copositive->verdict == STI_UNDECIDED) status = decide_parts(&a, index, k);
    if (status == STI_OK) conclude(&a);
    return status;
}
