// fclib_solution.c: answers in FCLIB files: group solution, beside the problem it belongs to.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "documents/contact_answer.h"
#include "documents/fclib.h"
#include "documents/fclib_write.h"
#include "formats/file.h"
#include "formats/hdf5_text.h"

sti_status sti_fclib_is_hdf5(sti_env* env, const char* path, bool* hdf5) {
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char head[sizeof signature];
    size_t count;
    const sti_status status = sti_file_peek(env, path, head, sizeof head, &count);
    *hdf5 = status == STI_OK && count == sizeof head && memcmp(head, signature, sizeof head) == 0;
    return status;
}

// ---- reading

// The report of an answer of ours; an answer from elsewhere has none, and claims to be a solution.
static sti_status read_report(const sti_h5* h, uint64_t group, const sti_contact_problem* sizes,
                              sti_contact_answer* out) {
    bool found;
    uint64_t header;
    char* text = NULL;
    char empty[] = "{}";
    sti_status status = sti_h5_find(h, group, "report", &found, &header);
    if (status == STI_OK && found) status = sti_h5_text(h, header, "solution/report", STI_FILE_TEXT_MOST, &text);
    if (status != STI_OK) return status;
    const size_t room = strlen(h->name) + 32;
    char* name = sti_alloc_array(h->env, room, 1);
    if (name == NULL) {
        status = STI_ERR_MEMORY;
    } else {
        snprintf(name, room, "%s: solution/report", h->name);
        char* json = found ? text : empty;
        status = sti_contact_answer_read(h->env, sizes, json, strlen(json), name, out);
    }
    if (status == STI_OK && !found) out->outcome = STI_SOLVED;
    sti_free(h->env, name);
    sti_free(h->env, text);
    return status;
}

static sti_status read_solution(const sti_h5* h, const sti_contact_problem* sizes, sti_contact_answer* out) {
    bool found;
    uint64_t group;
    sti_fclib_point point = {0};
    sti_status status = sti_h5_find(h, h->root, "solution", &found, &group);
    if (status == STI_OK && !found) status = sti_h5_fail(h, "solution", "missing: this file holds no solution");
    if (status == STI_OK) status = sti_fclib_read_point(h, group, "solution", sizes, &point);
    if (status == STI_OK && point.part[STI_FCLIB_R] == NULL)
        status = sti_h5_fail(h, "solution/r", "missing: a dataset is expected");
    if (status == STI_OK) status = read_report(h, group, sizes, out);
    if (status != STI_OK) {
        sti_fclib_point_clear(h->env, &point);
        return status;
    }
    double** const to[STI_FCLIB_PARTS] = {&out->r, &out->u, &out->v, &out->lambda};
    for (int k = 0; k < STI_FCLIB_PARTS; k++) {
        sti_free(h->env, *to[k]);  // a report that repeats the point
        *to[k] = point.part[k];
    }
    return STI_OK;
}

sti_status sti_fclib_answer_read(sti_env* env, const sti_contact_problem* problem, const char* path,
                                 sti_contact_answer* out) {
    sti_document* stored = NULL;
    sti_h5 h;
    sti_status status = STI_OK;
    if (problem == NULL) {
        status = sti_document_read_hdf5(env, path, &stored);
        if (status != STI_OK) return status;
        problem = sti_contact_problem_of(stored);
        if (problem == NULL) status = sti_file_fail(env, STI_ERR_INPUT, path, "not a contact problem with a solution");
    }
    if (status == STI_OK) status = sti_h5_open(env, path, &h);
    if (status == STI_OK) {
        status = read_solution(&h, problem, out);
        sti_h5_close(&h);
    }
    sti_document_destroy(stored);
    return status;
}

// ---- is it the same problem?

// An entry that is not stored is 0.
static bool same_matrix(const sti_matrix* A, const sti_matrix* B) {
    for (int j = 0; j < A->cols; j++) {
        int64_t a = A->col_start[j], b = B->col_start[j];
        const int64_t a_end = A->col_start[j + 1], b_end = B->col_start[j + 1];
        while (a < a_end || b < b_end) {
            const int row_a = a < a_end ? A->row[a] : A->rows, row_b = b < b_end ? B->row[b] : B->rows;
            const double x = row_a <= row_b ? A->value[a] : 0, y = row_b <= row_a ? B->value[b] : 0;
            if (x != y) return false;
            a += row_a <= row_b;
            b += row_b <= row_a;
        }
    }
    return true;
}

// `ours` dense or sparse, `stored` sparse, both rows x cols.
static sti_status compare_matrix(sti_env* env, const sti_matrix* ours, const sti_matrix* stored, int rows, int cols,
                                 bool* same) {
    sti_matrix sparse = {0};
    if (rows == 0 || cols == 0 || !*same) return STI_OK;
    const bool ready = sti_matrix_is_sparse(ours);
    const sti_status status = ready ? STI_OK : sti_matrix_to_sparse(env, ours, &sparse);
    if (status == STI_OK) *same = same_matrix(ready ? ours : &sparse, stored);
    sti_matrix_clear(env, &sparse);
    return status;
}

static void compare_vector(const double* ours, const double* stored, int count, bool* same) {
    for (int k = 0; *same && k < count; k++) *same = ours[k] == stored[k];
}

static sti_status compare(sti_env* env, const sti_contact_problem* a, const sti_contact_problem* b, bool* same) {
    const int n = sti_count_mul(a->dimension, a->contact_count), nb = a->bilateral_count;
    *same = a->dimension == b->dimension && a->contact_count == b->contact_count && a->global == b->global &&
            nb == b->bilateral_count && (!a->global || a->velocity_count == b->velocity_count);
    if (!*same) return STI_OK;
    compare_vector(a->mu, b->mu, a->contact_count, same);
    sti_status status;
    if (a->global) {
        const int nv = a->velocity_count;
        compare_vector(a->f, b->f, nv, same);
        compare_vector(a->w, b->w, n, same);
        compare_vector(a->b, b->b, nb, same);
        status = compare_matrix(env, &a->M, &b->M, nv, nv, same);
        if (status == STI_OK) status = compare_matrix(env, &a->H, &b->H, nv, n, same);
        if (status == STI_OK) status = compare_matrix(env, &a->G, &b->G, nv, nb, same);
        return status;
    }
    compare_vector(a->q, b->q, n, same);
    compare_vector(a->s, b->s, nb, same);
    status = compare_matrix(env, &a->W, &b->W, n, n, same);
    if (status == STI_OK) status = compare_matrix(env, &a->V, &b->V, n, nb, same);
    if (status == STI_OK) status = compare_matrix(env, &a->R, &b->R, nb, nb, same);
    return status;
}

// The HDF5 file at path must hold this problem.
static sti_status check_target(sti_env* env, const sti_contact_problem* problem, const char* path) {
    sti_document* stored;
    bool same = false;
    sti_status status = sti_document_read_hdf5(env, path, &stored);
    if (status != STI_OK) return status;
    const sti_contact_problem* there = sti_contact_problem_of(stored);
    if (there != NULL) status = compare(env, problem, there, &same);
    sti_document_destroy(stored);
    if (status == STI_OK && !same)
        status = sti_file_fail(env, STI_ERR_ARGUMENT, path, "holds another problem, and is left as it is");
    return status;
}

// ---- writing

sti_status sti_fclib_answer_write(sti_env* env, const sti_contact_problem* problem, const sti_contact_answer* answer,
                                  const char* path) {
    sti_fclib_output o = {.env = env, .path = path, .problem = problem, .solution = answer};
    struct stat there;
    char* report;
    sti_status status = sti_fclib_output_check(&o);
    if (status == STI_OK && stat(path, &there) == 0) status = sti_fclib_is_hdf5(env, path, &o.add);
    if (status == STI_OK && o.add) status = check_target(env, problem, path);
    if (status == STI_OK) status = sti_contact_answer_write(env, answer, false, &report, NULL);
    if (status != STI_OK) return status;
    o.report = report;
    status = sti_fclib_output_write(&o);
    sti_free(env, report);
    return status;
}
