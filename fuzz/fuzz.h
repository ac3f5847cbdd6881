// fuzz.h: what the fuzz targets share. A target takes any bytes; it may answer with an error, and nothing else: no
// crash, no hang, no leak, no undefined behaviour. What is read is used, so that a half-built result would be noticed.
#ifndef STICTION_FUZZ_H
#define STICTION_FUZZ_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/stiction.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static inline sti_env* fuzz_env(void) {
    static sti_env* env;
    if (env == NULL && sti_env_create(NULL, &env) != STI_OK) abort();
    return env;
}

// An error has a text, on one line.
static inline void fuzz_check_error(const sti_env* env, sti_status status) {
    const sti_error* error = sti_env_error(env);
    if (error->status != status || error->text[0] == '\0' || strchr(error->text, '\n') != NULL) abort();
}

// What a target needs before it begins.
static inline void fuzz_must(const sti_env* env, sti_status status) {
    if (status == STI_OK) return;
    fprintf(stderr, "the target itself: %s\n", sti_env_error(env)->text);
    abort();
}

// Some targets begin with whole bytes and alter them. Thirteen bytes an edit: where, how many bytes, and which.
enum { FUZZ_EDIT = 13, FUZZ_EDITS_MOST = 16 };

static inline void fuzz_edit(const uint8_t* how, size_t size, char* bytes, size_t whole) {
    for (size_t k = 0; k < FUZZ_EDITS_MOST && (k + 1) * FUZZ_EDIT <= size; k++, how += FUZZ_EDIT) {
        uint32_t at;
        memcpy(&at, how, sizeof at);
        size_t from = at % whole, count = (size_t)how[4] % 8 + 1;
        if (count > whole - from) count = whole - from;
        memcpy(bytes + from, how + 5, count);
    }
}

// An altered copy of the bytes, free() it; NULL: no memory.
static inline char* fuzz_edited(const uint8_t* data, size_t size, const void* bytes, size_t whole) {
    char* copy = malloc(whole > 0 ? whole : 1);
    if (copy == NULL) return NULL;
    if (whole > 0) memcpy(copy, bytes, whole);
    if (whole > 0) fuzz_edit(data, size, copy, whole);
    return copy;
}

// A name in the folder TMPDIR (or /tmp), which should be in memory.
static inline void fuzz_name(char path[256], const char* what) {
    const char* folder = getenv("TMPDIR");
    snprintf(path, 256, "%.180s/stiction-fuzz-%ld%s", folder != NULL ? folder : "/tmp", (long)getpid(), what);
}

static inline void fuzz_write(const char* path, const void* bytes, size_t size) {
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) abort();
    close(fd);
}

static inline char* fuzz_read(const char* path, size_t* size) {
    FILE* f = fopen(path, "rb");
    if (f == NULL || fseek(f, 0, SEEK_END) != 0) abort();
    *size = (size_t)ftell(f);
    rewind(f);
    char* bytes = malloc(*size + 1);
    if (bytes == NULL || fread(bytes, 1, *size, f) != *size) abort();
    fclose(f);
    return bytes;
}

static inline double fuzz_sum(const double* x, size_t count) {
    double s = 0;
    for (size_t i = 0; i < count; i++) s += x[i];
    return s;
}

static inline double fuzz_sum_matrix(const sti_matrix* M) {
    if (M->rows == 0 || M->cols == 0) return 0;
    if (!sti_matrix_is_sparse(M)) return fuzz_sum(M->dense, (size_t)M->rows * (size_t)M->cols);
    for (int64_t k = 0; k < M->col_start[M->cols]; k++) {
        if (M->row[k] < 0 || M->row[k] >= M->rows) abort();
    }
    return fuzz_sum(M->value, (size_t)M->col_start[M->cols]);
}

static inline double fuzz_sum_exact(const sti_rationals* r) {
    double s = 0;
    for (size_t i = 0; r != NULL && i < sti_rationals_count(r); i++) s += sti_rationals_double(r, i);
    return s;
}

// A dense table that may be missing.
static inline double fuzz_sum_table(const double* x, int rows, int cols) {
    return x != NULL ? fuzz_sum(x, (size_t)rows * (size_t)cols) : 0;
}

static inline double fuzz_sum_qp(const sti_qp* p) {
    const double s = fuzz_sum_matrix(&p->P) + fuzz_sum_matrix(&p->A) + fuzz_sum(p->c, (size_t)p->n);
    return s + fuzz_sum_table(p->l, p->m, 1) + fuzz_sum_table(p->u, p->m, 1) + fuzz_sum_table(p->lb, p->n, 1) +
           fuzz_sum_table(p->ub, p->n, 1);
}

static inline double fuzz_sum_matrices(const sti_matrices* m) {
    double s = fuzz_sum_table(m->P, m->sum_size, m->sum_size) + fuzz_sum_table(m->N, m->sum_size, m->sum_size);
    s += fuzz_sum_table(m->G, m->size, m->size) + fuzz_sum_table(m->n_H, m->size, m->slip_count);
    s += fuzz_sum_table(m->E, m->E_size, m->E_size) + fuzz_sum_table(m->D, m->E_size, m->E_size);
    return s + fuzz_sum_table(m->mu, m->slip_count, 1) + fuzz_sum_table(m->T, m->rows, m->cols) +
           fuzz_sum_exact(m->exact);
}

static inline void fuzz_use_problem(const sti_document* problem) {
    volatile double sink = 0;
    const sti_lcp* lcp = sti_lcp_of(problem);
    const sti_mlcp* p = sti_mlcp_of(problem);
    const sti_cone_input* cone = sti_cone_input_of(problem);
    if (lcp != NULL) {
        if (lcp->M.rows != lcp->n || lcp->M.cols != lcp->n) abort();
        sink += fuzz_sum_matrix(&lcp->M) + fuzz_sum(lcp->q, (size_t)lcp->n) + fuzz_sum_exact(lcp->M_exact);
    } else if (p != NULL) {
        sink += fuzz_sum_matrix(&p->A) + fuzz_sum_matrix(&p->B) + fuzz_sum_matrix(&p->C) + fuzz_sum_matrix(&p->D);
        sink += fuzz_sum(p->a, (size_t)p->n) + fuzz_sum(p->b, (size_t)p->m) + fuzz_sum_exact(p->matrix_exact);
    } else if (cone != NULL) {
        sink += fuzz_sum(cone->first.value, (size_t)cone->first.count * (size_t)cone->dimension);
        sink += fuzz_sum(cone->second.value, (size_t)cone->second.count * (size_t)cone->dimension);
        sink += fuzz_sum_exact(cone->first.exact) + fuzz_sum_exact(cone->second.exact);
    } else if (sti_qp_of(problem) != NULL) {
        sink += fuzz_sum_qp(sti_qp_of(problem));
    } else if (sti_matrices_of(problem) != NULL) {
        sink += fuzz_sum_matrices(sti_matrices_of(problem));
    } else if (sti_root_problem_of(problem) != NULL || sti_bound_problem_of(problem) != NULL) {
        sink += sti_root_problem_of(problem) != NULL;  // their formulas were compiled when they were read
    } else if (sti_contact_problem_of(problem) != NULL) {
        sink += sti_contact_problem_of(problem)->contact_count;
    } else if (sti_instant_of(problem) != NULL) {
        if (sti_instant_check(fuzz_env(), sti_instant_of(problem)) != STI_OK) abort();
    } else if (sti_system_of(problem) != NULL) {
        double t;
        if (sti_system_state(sti_system_of(problem), &t, NULL, NULL) != STI_OK) abort();
        sink += t;
    } else if (sti_world_scene_of(problem) != NULL) {
        sink += sti_bodies_count(sti_world_scene_of(problem)->bodies);
    } else if (sti_bed_scene_of(problem) != NULL) {
        sink += sti_bed_scene_of(problem)->time;
    } else {
        abort();
    }
    (void)sink;
}

#endif
