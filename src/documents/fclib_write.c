// fclib_write.c: contact problems as FCLIB files (format: fclib.h), matrices as compressed columns. The same problem
// gives the same bytes.
#include "documents/fclib_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "formats/file.h"

// ---- what can be written

static sti_status refuse(const sti_fclib_output* o, const char* name, const char* what) {
    return sti_file_fail(o->env, STI_ERR_ARGUMENT, o->path, "%s: %s", name, what);
}

// Finite entries from 0 on where `least` is 0, from anywhere where it is -INFINITY.
static sti_status check_values(const sti_fclib_output* o, const char* name, const double* x, size_t count,
                               double least) {
    if (count > 0 && x == NULL) return refuse(o, name, "has no entries");
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(x[k]))
            return sti_file_fail(o->env, STI_ERR_ARGUMENT, o->path, "%s[%zu]: %g: only finite numbers can be saved",
                                 name, k, x[k]);
        if (x[k] < least)
            return sti_file_fail(o->env, STI_ERR_ARGUMENT, o->path, "%s[%zu]: %g: at least %g is expected", name, k,
                                 x[k], least);
    }
    return STI_OK;
}

static sti_status check_vector(const sti_fclib_output* o, const char* name, const double* x, int count) {
    return check_values(o, name, x, (size_t)count, -INFINITY);
}

static sti_status check_sparse(const sti_fclib_output* o, const char* name, const sti_matrix* A) {
    const int64_t count = A->col_start[A->cols];
    if (A->col_start[0] != 0 || count < 0 || count > INT32_MAX)
        return refuse(o, name, "more entries than the format can count, or damaged");
    if (count > 0 && A->row == NULL) return refuse(o, name, "has no entries");
    for (int j = 0; j < A->cols; j++) {
        if (A->col_start[j + 1] < A->col_start[j] || A->col_start[j + 1] > count)
            return refuse(o, name, "columns do not begin in order");
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) {
            if (A->row[k] < 0 || A->row[k] >= A->rows) return refuse(o, name, "an entry outside the matrix");
        }
    }
    return check_values(o, name, A->value, (size_t)count, -INFINITY);
}

static sti_status check_matrix(const sti_fclib_output* o, const char* name, const sti_matrix* A, int rows, int cols) {
    if (rows == 0 || cols == 0) return STI_OK;
    if (A->rows != rows || A->cols != cols)
        return sti_file_fail(o->env, STI_ERR_ARGUMENT, o->path, "%s: %d x %d: %d x %d is expected", name, A->rows,
                             A->cols, rows, cols);
    if (sti_matrix_is_sparse(A)) return check_sparse(o, name, A);
    return check_values(o, name, A->dense, (size_t)rows * (size_t)cols, -INFINITY);
}

static sti_status check_local(const sti_fclib_output* o, int n) {
    const sti_contact_problem* p = o->problem;
    const int nb = p->bilateral_count;
    if (p->W_op != NULL) return refuse(o, "W", "given as an operator, which a file cannot hold");
    sti_status status = check_matrix(o, "W", &p->W, n, n);
    if (status == STI_OK) status = check_matrix(o, "V", &p->V, n, nb);
    if (status == STI_OK) status = check_matrix(o, "R", &p->R, nb, nb);
    if (status == STI_OK) status = check_vector(o, "q", p->q, n);
    if (status == STI_OK) status = check_vector(o, "s", p->s, nb);
    return status;
}

static sti_status check_global(const sti_fclib_output* o, int n) {
    const sti_contact_problem* p = o->problem;
    const int nv = p->velocity_count, nb = p->bilateral_count;
    sti_status status = check_matrix(o, "M", &p->M, nv, nv);
    if (status == STI_OK) status = check_matrix(o, "H", &p->H, nv, n);
    if (status == STI_OK) status = check_matrix(o, "G", &p->G, nv, nb);
    if (status == STI_OK) status = check_vector(o, "f", p->f, nv);
    if (status == STI_OK) status = check_vector(o, "w", p->w, n);
    if (status == STI_OK) status = check_vector(o, "b", p->b, nb);
    return status;
}

static sti_status check_point(const sti_fclib_output* o, const char* group, const double* const* part, bool whole) {
    static const char* const names[STI_FCLIB_PARTS] = {"r", "u", "v", "l"};
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < STI_FCLIB_PARTS; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s/%s", group, names[k]);
        if (whole || part[k] != NULL) status = check_vector(o, name, part[k], sti_fclib_part_size(o->problem, k));
    }
    return status;
}

sti_status sti_fclib_output_check(const sti_fclib_output* o) {
    const sti_contact_problem* p = o->problem;
    if (p->dimension != 2 && p->dimension != 3) return refuse(o, "dimension", "2 or 3 is expected");
    if (p->contact_count < 0 || p->velocity_count < 0 || p->bilateral_count < 0 ||
        p->contact_count > STI_FCLIB_MOST / p->dimension)
        return refuse(o, "contact_count", "a size that is negative or too large");
    const int n = sti_count_mul(p->dimension, p->contact_count);
    sti_status status = check_values(o, "mu", p->mu, (size_t)p->contact_count, 0);
    if (status == STI_OK) status = p->global ? check_global(o, n) : check_local(o, n);
    for (int c = 0; status == STI_OK && p->section != NULL && c < p->contact_count; c++) {
        const sti_section* s = &p->section[c];
        if (s->shape == STI_SECTION_SUPPORT)
            status = refuse(o, "section", "a support function, which a file cannot hold");
        else if (p->dimension != 3 && s->shape != STI_SECTION_DISC)
            status = refuse(o, "section", "contacts in the plane have none");
        else if (sti_section_check(o->env, s) != STI_OK)
            status =
                sti_file_fail(o->env, STI_ERR_ARGUMENT, o->path, "section[%d]: %s", c, sti_env_error(o->env)->text);
    }
    for (int k = 0; status == STI_OK && o->info != NULL && k < o->info->guess_count; k++) {
        const sti_contact_guess* g = &o->info->guesses[k];
        const double* const part[STI_FCLIB_PARTS] = {g->r, g->u, g->v, g->lambda};
        status = check_point(o, "guesses", part, false);
    }
    if (status == STI_OK && o->solution != NULL) {
        const sti_contact_answer* a = o->solution;
        const double* const part[STI_FCLIB_PARTS] = {a->r, a->u, a->v, a->lambda};
        status = check_point(o, "solution", part, true);
    }
    return status;
}

// ---- matrices

static bool put_sparse(hid_t group, const sti_fclib_output* o, const sti_matrix* A, sti_status* status) {
    const size_t count = (size_t)A->col_start[A->cols], cols = (size_t)A->cols;
    int* p = sti_alloc_array(o->env, cols + 1, sizeof *p);
    if (p == NULL) {
        *status = STI_ERR_MEMORY;
        return false;
    }
    for (size_t j = 0; j <= cols; j++) p[j] = (int)A->col_start[j];
    const bool good = sti_h5_put_int(group, "nzmax", (int)count) && sti_h5_put_int(group, "m", A->rows) &&
                      sti_h5_put_int(group, "n", A->cols) && sti_h5_put_int(group, "nz", -1) &&
                      sti_h5_put_ints(group, "p", cols + 1, p) && sti_h5_put_ints(group, "i", count, A->row) &&
                      sti_h5_put_doubles(group, "x", count, A->value);
    sti_free(o->env, p);
    return good;
}

// Also of a dense matrix, or one without entries.
static bool put_matrix(hid_t at, const sti_fclib_output* o, const char* name, const sti_matrix* A, int rows, int cols,
                       sti_status* status) {
    sti_matrix sparse = {0};
    const sti_matrix view = {.rows = rows, .cols = cols, .dense = rows > 0 && cols > 0 ? A->dense : NULL};
    const bool ready = rows > 0 && cols > 0 && sti_matrix_is_sparse(A);
    const hid_t group = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = group >= 0;
    if (good && !ready) {
        *status = sti_matrix_to_sparse(o->env, &view, &sparse);
        good = *status == STI_OK;
    }
    good = good && put_sparse(group, o, ready ? A : &sparse, status);
    sti_matrix_clear(o->env, &sparse);
    if (group >= 0) H5Gclose(group);
    return good;
}

// ---- groups

static bool put_info(hid_t at, const sti_contact_info* info) {
    if (info == NULL || (info->title == NULL && info->description == NULL && info->math_info == NULL)) return true;
    const hid_t group = H5Gcreate2(at, "info", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = group >= 0;
    if (info->title != NULL) good = good && sti_h5_put_text(group, "title", info->title);
    if (info->description != NULL) good = good && sti_h5_put_text(group, "description", info->description);
    if (info->math_info != NULL) good = good && sti_h5_put_text(group, "math_info", info->math_info);
    if (group >= 0) H5Gclose(group);
    return good;
}

static bool put_local(hid_t at, const sti_fclib_output* o, sti_status* status) {
    const sti_contact_problem* p = o->problem;
    const int n = sti_count_mul(p->dimension, p->contact_count), nb = p->bilateral_count;
    bool good = put_matrix(at, o, "W", &p->W, n, n, status);
    if (nb > 0)
        good = good && put_matrix(at, o, "V", &p->V, n, nb, status) && put_matrix(at, o, "R", &p->R, nb, nb, status);
    const hid_t vectors = good ? H5Gcreate2(at, "vectors", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    good = vectors >= 0 && sti_h5_put_doubles(vectors, "q", (size_t)n, p->q) &&
           sti_h5_put_doubles(vectors, "mu", (size_t)p->contact_count, p->mu);
    if (nb > 0) good = good && sti_h5_put_doubles(vectors, "s", (size_t)nb, p->s);
    if (vectors >= 0) H5Gclose(vectors);
    return good;
}

static bool put_global(hid_t at, const sti_fclib_output* o, sti_status* status) {
    const sti_contact_problem* p = o->problem;
    const int n = sti_count_mul(p->dimension, p->contact_count), nv = p->velocity_count, nb = p->bilateral_count;
    bool good = put_matrix(at, o, "M", &p->M, nv, nv, status) && put_matrix(at, o, "H", &p->H, nv, n, status);
    if (nb > 0) good = good && put_matrix(at, o, "G", &p->G, nv, nb, status);
    const hid_t vectors = good ? H5Gcreate2(at, "vectors", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    good = vectors >= 0 && sti_h5_put_doubles(vectors, "f", (size_t)nv, p->f) &&
           sti_h5_put_doubles(vectors, "w", (size_t)n, p->w) &&
           sti_h5_put_doubles(vectors, "mu", (size_t)p->contact_count, p->mu);
    if (nb > 0) good = good && sti_h5_put_doubles(vectors, "b", (size_t)nb, p->b);
    if (vectors >= 0) H5Gclose(vectors);
    return good;
}

// sections (fclib.h), where there are any
static bool put_sections(hid_t at, const sti_fclib_output* o, sti_status* status) {
    const sti_contact_problem* p = o->problem;
    if (p->section == NULL || p->contact_count == 0) return true;
    const size_t nc = (size_t)p->contact_count;
    size_t count = 0;
    for (size_t c = 0; c < nc; c++)
        count = sti_size_add(count, p->section[c].shape == STI_SECTION_POLYGON
                                        ? sti_size_mul(2, (size_t)p->section[c].vertex_count)
                                        : 3);
    sti_arena memory = sti_arena_make(o->env);
    int* shape = sti_arena_raw(&memory, sti_size_add(sti_size_mul(2, nc), 1), sizeof *shape);
    double* value = sti_arena_raw(&memory, count, sizeof *value);
    bool good = memory.status == STI_OK;
    if (!good) *status = STI_ERR_MEMORY;
    int* first = good ? shape + nc : NULL;
    size_t at_value = 0;
    for (size_t c = 0; good && c < nc; c++) {
        const sti_section* s = &p->section[c];
        shape[c] = (int)s->shape;
        first[c] = (int)at_value;
        if (s->shape == STI_SECTION_ELLIPSE) {
            value[at_value++] = s->axes[0];
            value[at_value++] = s->axes[1];
            value[at_value++] = s->angle;
        }
        for (int k = 0; s->shape == STI_SECTION_POLYGON && k < sti_count_mul(2, s->vertex_count); k++)
            value[at_value++] = s->vertex[k];
    }
    if (good) first[nc] = (int)at_value;
    const hid_t group = good ? H5Gcreate2(at, "sections", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    good = group >= 0 && sti_h5_put_ints(group, "shape", nc, shape) && sti_h5_put_ints(group, "first", nc + 1, first) &&
           sti_h5_put_doubles(group, "value", at_value, value);
    if (group >= 0) H5Gclose(group);
    sti_arena_clear(&memory);
    return good;
}

static bool put_problem(hid_t file, const sti_fclib_output* o, sti_status* status) {
    const bool global = o->problem->global;
    const hid_t group =
        H5Gcreate2(file, global ? "fclib_global" : "fclib_local", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) return false;
    const bool good = sti_h5_put_int(group, "spacedim", o->problem->dimension) &&
                      (global ? put_global(group, o, status) : put_local(group, o, status)) &&
                      put_sections(group, o, status) && put_info(group, o->info);
    H5Gclose(group);
    return good;
}

// ---- points

// FCLIB reads r and u always, v and l where they have entries.
static bool put_parts(hid_t group, const sti_fclib_output* o, const double* const* part, sti_status* status) {
    static const char* const names[STI_FCLIB_PARTS] = {"r", "u", "v", "l"};
    bool good = true;
    for (int k = 0; good && k < STI_FCLIB_PARTS; k++) {
        const size_t size = (size_t)sti_fclib_part_size(o->problem, k);
        if (size == 0 && (k == STI_FCLIB_V || k == STI_FCLIB_L)) continue;
        double* zeros = part[k] == NULL ? sti_alloc_array_zero(o->env, size, sizeof *zeros) : NULL;
        if (part[k] == NULL && zeros == NULL) {
            *status = STI_ERR_MEMORY;
            return false;
        }
        good = sti_h5_put_doubles(group, names[k], size, part[k] != NULL ? part[k] : zeros);
        sti_free(o->env, zeros);
    }
    return good;
}

static bool put_guesses(hid_t file, const sti_fclib_output* o, sti_status* status) {
    if (o->info == NULL || o->info->guess_count <= 0) return true;
    const hid_t group = H5Gcreate2(file, "guesses", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = group >= 0 && sti_h5_put_int(group, "number_of_guesses", o->info->guess_count);
    for (int k = 0; good && k < o->info->guess_count; k++) {
        const sti_contact_guess* g = &o->info->guesses[k];
        const double* const part[STI_FCLIB_PARTS] = {g->r, g->u, g->v, g->lambda};
        char name[16];
        snprintf(name, sizeof name, "%d", k + 1);
        const hid_t guess = H5Gcreate2(group, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        good = guess >= 0 && put_parts(guess, o, part, status);
        if (guess >= 0) H5Gclose(guess);
    }
    if (group >= 0) H5Gclose(group);
    return good;
}

static bool put_solution(hid_t file, const sti_fclib_output* o, sti_status* status) {
    const sti_contact_answer* a = o->solution;
    if (a == NULL) return true;
    const double* const part[STI_FCLIB_PARTS] = {a->r, a->u, a->v, a->lambda};
    if (H5Lexists(file, "solution", H5P_DEFAULT) > 0 && H5Ldelete(file, "solution", H5P_DEFAULT) < 0) return false;
    const hid_t group = H5Gcreate2(file, "solution", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool good = group >= 0 && put_parts(group, o, part, status) && sti_h5_put_text(group, "report", o->report);
    if (group >= 0) H5Gclose(group);
    return good;
}

// ---- the file

static bool put_all(hid_t file, void* user, sti_status* status) {
    const sti_fclib_output* o = user;
    if (o->add) return put_solution(file, o, status);
    return put_problem(file, o, status) && put_guesses(file, o, status) && put_solution(file, o, status);
}

sti_status sti_fclib_output_write(sti_fclib_output* o) {
    return sti_h5_write(o->env, o->path, o->add, put_all, o);
}

sti_status sti_contact_save(sti_env* env, const sti_contact_problem* problem, const sti_contact_info* info,
                            const char* path) {
    sti_fclib_output o = {.env = env, .path = path, .problem = problem, .info = info};
    if (!sti_file_has_suffix(path, ".hdf5") && !sti_file_has_suffix(path, ".h5"))
        return sti_file_fail(env, STI_ERR_ARGUMENT, path, "a name that ends in .hdf5 or .h5 is expected");
    const sti_status status = sti_fclib_output_check(&o);
    return status == STI_OK ? sti_fclib_output_write(&o) : status;
}
