// fclib_read.c: frictional contact problems from FCLIB files (format: fclib.h).
//
// The vectors say the sizes: mu the contacts, f the velocities, s or b the bilateral rows. Matrices must agree with
// them. A problem is refused for what it needs and does not have; texts and guesses are helps, and where they cannot be
// used they are left out with a warning.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "documents/fclib.h"
#include "formats/file.h"
#include "formats/hdf5_text.h"

static const char* const part_names[STI_FCLIB_PARTS] = {"r", "u", "v", "l"};

// ---- lists and groups

sti_status sti_fclib_list_open(const sti_h5* h, uint64_t group, const char* label, const char* name,
                               sti_fclib_list* out) {
    uint64_t header;
    *out = (sti_fclib_list){0};
    snprintf(out->label, sizeof out->label, "%s/%s", label, name);
    sti_status status = sti_h5_find(h, group, name, &out->found, &header);
    if (status != STI_OK || !out->found) return status;
    status = sti_h5_dataset_open(h, header, out->label, INT32_MAX, &out->d);
    if (status != STI_OK) return status;
    if (!out->d.is_dataset) status = sti_h5_fail(h, out->label, "not a dataset");
    if (status == STI_OK && out->d.rank > 1)
        status = sti_h5_fail(h, out->label, "%d dimensions: a list is expected", out->d.rank);
    if (status != STI_OK) sti_h5_dataset_clear(h, &out->d);
    return status;
}

sti_status sti_fclib_list_missing(const sti_h5* h, const sti_fclib_list* list) {
    return sti_h5_fail(h, list->label, "missing: a dataset is expected");
}

sti_status sti_fclib_read_int(const sti_h5* h, uint64_t group, const char* label, const char* name, int64_t least,
                              int64_t most, int* out) {
    sti_fclib_list list;
    int64_t* value = NULL;
    sti_status status = sti_fclib_list_open(h, group, label, name, &list);
    if (status == STI_OK && !list.found) status = sti_fclib_list_missing(h, &list);
    if (status == STI_OK && list.d.count != 1)
        status = sti_h5_fail(h, list.label, "%llu entries: one integer is expected", (unsigned long long)list.d.count);
    if (status == STI_OK) status = sti_h5_dataset_integers(h, &list.d, list.label, &value);
    if (status == STI_OK && (*value < least || *value > most))
        status = sti_h5_fail(h, list.label, "%lld: an integer from %lld to %lld is expected", (long long)*value,
                             (long long)least, (long long)most);
    if (status == STI_OK) *out = (int)*value;
    sti_free(h->env, value);
    sti_h5_dataset_clear(h, &list.d);
    return status;
}

typedef struct reader {
    const sti_h5* h;
    sti_fclib* f;
    uint64_t top, vectors;  // groups
    const char* top_label;
    char vectors_label[40];
} reader;

// A group inside another, which has to be there.
static sti_status find_group(const sti_h5* h, uint64_t in, const char* name, const char* label, uint64_t* out) {
    bool found;
    sti_h5_dataset d;
    sti_status status = sti_h5_find(h, in, name, &found, out);
    if (status == STI_OK && !found) status = sti_h5_fail(h, label, "missing: a group is expected");
    if (status != STI_OK) return status;
    status = sti_h5_dataset_open(h, *out, label, INT32_MAX, &d);
    if (status == STI_OK && !d.is_group) status = sti_h5_fail(h, label, "not a group");
    sti_h5_dataset_clear(h, &d);
    return status;
}

// ---- vectors

// How many entries a vector has; *found false when it is not there.
static sti_status vector_size(const reader* r, const char* name, bool* found, int* size) {
    sti_fclib_list list;
    sti_status status = sti_fclib_list_open(r->h, r->vectors, r->vectors_label, name, &list);
    if (status == STI_OK && list.d.count > STI_FCLIB_MOST)
        status = sti_h5_fail(r->h, list.label, "%llu entries: more than %d, the most that is read",
                             (unsigned long long)list.d.count, STI_FCLIB_MOST);
    *found = status == STI_OK && list.found;
    *size = *found ? (int)list.d.count : 0;
    sti_h5_dataset_clear(r->h, &list.d);
    return status;
}

static sti_status read_vector(const reader* r, const char* name, int size, const char* why, int slot,
                              const double** view) {
    sti_fclib_list list;
    sti_status status = sti_fclib_list_open(r->h, r->vectors, r->vectors_label, name, &list);
    if (status == STI_OK && !list.found) status = sti_fclib_list_missing(r->h, &list);
    if (status == STI_OK && list.d.count != (uint64_t)size)
        status = sti_h5_fail(r->h, list.label, "%llu entries: %d are expected, %s", (unsigned long long)list.d.count,
                             size, why);
    if (status == STI_OK) status = sti_h5_dataset_doubles(r->h, &list.d, list.label, &r->f->vector[slot]);
    *view = r->f->vector[slot];
    sti_h5_dataset_clear(r->h, &list.d);
    return status;
}

// spacedim, and the number of contacts from mu.
static sti_status read_contacts(reader* r) {
    sti_contact_problem* p = &r->f->problem;
    bool found;
    sti_status status = sti_fclib_read_int(r->h, r->top, r->top_label, "spacedim", 2, 3, &p->dimension);
    if (status == STI_OK) status = find_group(r->h, r->top, "vectors", r->vectors_label, &r->vectors);
    if (status == STI_OK) status = vector_size(r, "mu", &found, &p->contact_count);
    if (status == STI_OK && p->contact_count > STI_FCLIB_MOST / p->dimension)
        status = sti_h5_fail(r->h, r->vectors_label, "mu: %d entries: more contacts than are read", p->contact_count);
    if (status == STI_OK) status = read_vector(r, "mu", p->contact_count, "one for each contact", 0, &p->mu);
    for (int c = 0; status == STI_OK && c < p->contact_count; c++) {
        if (p->mu[c] < 0)
            status = sti_h5_fail(r->h, NULL, "%s/mu[%d]: %.17g: a coefficient of friction of at least 0 is expected",
                                 r->vectors_label, c, p->mu[c]);
    }
    return status;
}

// ---- the problem

static sti_status read_matrix(const reader* r, const char* name, int rows, int cols, sti_matrix* out) {
    char label[40];
    uint64_t group;
    snprintf(label, sizeof label, "%s/%s", r->top_label, name);
    const sti_status status = find_group(r->h, r->top, name, label, &group);
    return status == STI_OK ? sti_fclib_read_matrix(r->h, group, label, rows, cols, out) : status;
}

// The number of bilateral rows: the length of the vector that goes with the matrices, of which there are all or none.
static sti_status read_bilateral(const reader* r, const char* const* matrices, int matrix_count, const char* vector,
                                 int* count) {
    bool found = false, any = false, all = true;
    uint64_t header;
    for (int k = 0; k < matrix_count; k++) {
        const sti_status status = sti_h5_find(r->h, r->top, matrices[k], &found, &header);
        if (status != STI_OK) return status;
        any = any || found;
        all = all && found;
    }
    const sti_status status = vector_size(r, vector, &found, count);
    if (status != STI_OK) return status;
    if (any && !all)
        return sti_h5_fail(r->h, r->top_label, "%s, %s: only one of them is there: both, or none, are expected",
                           matrices[0], matrices[1]);
    if (any && !found) return sti_h5_fail(r->h, r->vectors_label, "%s: missing: it goes with %s", vector, matrices[0]);
    if (!any && *count > 0)
        return sti_h5_fail(r->h, r->vectors_label, "%s: %d entries: the matrix %s that goes with it is missing", vector,
                           *count, matrices[0]);
    return STI_OK;
}

static sti_status read_local(reader* r) {
    static const char* const bilateral[2] = {"V", "R"};
    sti_contact_problem* p = &r->f->problem;
    const int n = sti_count_mul(p->dimension, p->contact_count);
    sti_status status = read_vector(r, "q", n, "spacedim for each contact of mu", 1, &p->q);
    if (status == STI_OK) status = read_bilateral(r, bilateral, 2, "s", &p->bilateral_count);
    if (status == STI_OK) status = read_matrix(r, "W", n, n, &p->W);
    const int nb = p->bilateral_count;
    if (status != STI_OK || nb == 0) return status;
    status = read_vector(r, "s", nb, "", 2, &p->s);
    if (status == STI_OK) status = read_matrix(r, "V", n, nb, &p->V);
    if (status == STI_OK) status = read_matrix(r, "R", nb, nb, &p->R);
    return status;
}

static sti_status read_global(reader* r) {
    static const char* const bilateral[1] = {"G"};
    sti_contact_problem* p = &r->f->problem;
    const int n = sti_count_mul(p->dimension, p->contact_count);
    bool found;
    p->global = true;
    sti_status status = read_vector(r, "w", n, "spacedim for each contact of mu", 1, &p->w);
    if (status == STI_OK) status = vector_size(r, "f", &found, &p->velocity_count);
    if (status == STI_OK) status = read_vector(r, "f", p->velocity_count, "", 2, &p->f);
    if (status == STI_OK) status = read_bilateral(r, bilateral, 1, "b", &p->bilateral_count);
    if (status == STI_OK) status = read_matrix(r, "M", p->velocity_count, p->velocity_count, &p->M);
    if (status == STI_OK) status = read_matrix(r, "H", p->velocity_count, n, &p->H);
    const int nb = p->bilateral_count;
    if (status != STI_OK || nb == 0) return status;
    status = read_vector(r, "b", nb, "", 3, &p->b);
    if (status == STI_OK) status = read_matrix(r, "G", p->velocity_count, nb, &p->G);
    return status;
}

// ---- texts and guesses

// A help that cannot be used: passed over, with its reason in the log.
static sti_status pass_over(const sti_h5* h, sti_status status) {
    if (status != STI_ERR_INPUT) return status;
    sti_log(h->env, STI_LOG_WARNING, "%s; ignored", sti_env_error(h->env)->text);
    return STI_OK;
}

static sti_status read_info(const reader* r) {
    static const char* const names[3] = {"title", "description", "math_info"};
    enum { MOST_TEXT = 1 << 20 };
    bool found;
    uint64_t group, header;
    char label[64];
    sti_fclib* f = r->f;
    sti_status status = sti_h5_find(r->h, r->top, "info", &found, &group);
    if (status != STI_OK || !found) return status;
    for (int k = 0; status == STI_OK && k < 3; k++) {
        snprintf(label, sizeof label, "%s/info/%s", r->top_label, names[k]);
        status = sti_h5_find(r->h, group, names[k], &found, &header);
        if (status == STI_OK && found) status = sti_h5_text(r->h, header, label, MOST_TEXT, &f->text[k]);
        status = pass_over(r->h, status);
    }
    f->info.title = f->text[0];
    f->info.description = f->text[1];
    f->info.math_info = f->text[2];
    return status;
}

int sti_fclib_part_size(const sti_contact_problem* sizes, int part) {
    if (part == STI_FCLIB_V) return sizes->global ? sizes->velocity_count : 0;
    return part == STI_FCLIB_L ? sizes->bilateral_count : sti_count_mul(sizes->dimension, sizes->contact_count);
}

void sti_fclib_point_clear(sti_env* env, sti_fclib_point* p) {
    for (int k = 0; k < STI_FCLIB_PARTS; k++) sti_free(env, p->part[k]);
    *p = (sti_fclib_point){0};
}

sti_status sti_fclib_read_point(const sti_h5* h, uint64_t group, const char* label, const sti_contact_problem* sizes,
                                sti_fclib_point* out) {
    sti_status status = STI_OK;
    *out = (sti_fclib_point){0};
    for (int k = 0; status == STI_OK && k < STI_FCLIB_PARTS; k++) {
        const int size = sti_fclib_part_size(sizes, k);
        sti_fclib_list list;
        if (size == 0 && (k == STI_FCLIB_V || k == STI_FCLIB_L)) continue;
        status = sti_fclib_list_open(h, group, label, part_names[k], &list);
        if (status != STI_OK || !list.found) continue;
        if (list.d.count != (uint64_t)size)
            status = sti_h5_fail(h, list.label, "%llu entries: %d are expected, as in the problem",
                                 (unsigned long long)list.d.count, size);
        else
            status = sti_h5_dataset_doubles(h, &list.d, list.label, &out->part[k]);
        sti_h5_dataset_clear(h, &list.d);
    }
    if (status != STI_OK) sti_fclib_point_clear(h->env, out);
    return status;
}

// Guess k of the file (from 1) becomes the next of ours, when it can be used.
static sti_status read_guess(const reader* r, uint64_t guesses, int k) {
    sti_fclib* f = r->f;
    char name[16], label[32];
    uint64_t group;
    snprintf(name, sizeof name, "%d", k);
    snprintf(label, sizeof label, "guesses/%d", k);
    sti_fclib_point* point = &f->points[f->info.guess_count];
    sti_status status = find_group(r->h, guesses, name, label, &group);
    if (status == STI_OK) status = sti_fclib_read_point(r->h, group, label, &f->problem, point);
    if (status != STI_OK) return pass_over(r->h, status);
    f->guesses[f->info.guess_count++] = (sti_contact_guess){.r = point->part[STI_FCLIB_R],
                                                            .u = point->part[STI_FCLIB_U],
                                                            .v = point->part[STI_FCLIB_V],
                                                            .lambda = point->part[STI_FCLIB_L]};
    return STI_OK;
}

static sti_status count_link(void* user, const char* name, size_t length, uint64_t header) {
    (void)name;
    (void)length;
    (void)header;
    ++*(int*)user;
    return STI_OK;
}

static sti_status read_guesses(const reader* r) {
    enum { MOST_GUESSES = 1000 };
    sti_fclib* f = r->f;
    bool found;
    uint64_t group;
    int count = 0, links = 0;
    sti_status status = sti_h5_find(r->h, r->h->root, "guesses", &found, &group);
    if (status != STI_OK || !found) return status;
    // so many guesses need as many groups
    status = sti_h5_each_link(r->h, group, count_link, &links);
    if (links > MOST_GUESSES) links = MOST_GUESSES;
    if (status == STI_OK) status = sti_fclib_read_int(r->h, group, "guesses", "number_of_guesses", 0, links, &count);
    if (status != STI_OK || count == 0) return pass_over(r->h, status);
    f->points = sti_alloc_array_zero(r->h->env, (size_t)count, sizeof *f->points);
    f->guesses = sti_alloc_array_zero(r->h->env, (size_t)count, sizeof *f->guesses);
    if (f->points == NULL || f->guesses == NULL) return STI_ERR_MEMORY;
    f->info.guesses = f->guesses;
    for (int k = 1; status == STI_OK && k <= count; k++) status = read_guess(r, group, k);
    return status;
}

// ---- the file

sti_status sti_fclib_find(const sti_h5* h, bool* found, bool* global) {
    uint64_t group;
    sti_status status = sti_h5_find(h, h->root, "fclib_global", found, &group);
    *global = *found;
    if (status == STI_OK && !*found) status = sti_h5_find(h, h->root, "fclib_local", found, &group);
    return status;
}

sti_status sti_fclib_read(const sti_h5* h, bool global, sti_fclib** out) {
    reader r = {.h = h, .top_label = global ? "fclib_global" : "fclib_local"};
    snprintf(r.vectors_label, sizeof r.vectors_label, "%s/vectors", r.top_label);
    *out = NULL;
    r.f = sti_alloc_array_zero(h->env, 1, sizeof *r.f);
    if (r.f == NULL) return STI_ERR_MEMORY;
    sti_status status = find_group(h, h->root, r.top_label, r.top_label, &r.top);
    if (status == STI_OK) status = read_contacts(&r);
    if (status == STI_OK) status = global ? read_global(&r) : read_local(&r);
    if (status == STI_OK) status = sti_fclib_read_sections(h, r.top, r.top_label, r.f);
    if (status == STI_OK) status = read_info(&r);
    if (status == STI_OK) status = read_guesses(&r);
    if (status == STI_OK)
        *out = r.f;
    else
        sti_fclib_destroy(h->env, r.f);
    return status;
}

void sti_fclib_destroy(sti_env* env, sti_fclib* f) {
    if (f == NULL) return;
    sti_contact_problem* p = &f->problem;
    sti_matrix* const matrices[6] = {&p->W, &p->V, &p->R, &p->M, &p->H, &p->G};
    for (int k = 0; k < 6; k++) sti_matrix_clear(env, matrices[k]);
    for (int k = 0; k < 4; k++) sti_free(env, f->vector[k]);
    sti_free(env, f->section);
    sti_free(env, f->section_value);
    for (int k = 0; k < 3; k++) sti_free(env, f->text[k]);
    for (int k = 0; k < f->info.guess_count; k++) sti_fclib_point_clear(env, &f->points[k]);
    sti_free(env, f->points);
    sti_free(env, f->guesses);
    sti_free(env, f);
}

// ---- the kind

static void destroy(sti_env* env, void* content) {
    sti_fclib_destroy(env, content);
}

static sti_status save(sti_env* env, const void* content, const char* path) {
    const sti_fclib* f = content;
    return sti_contact_save(env, &f->problem, &f->info, path);
}

const sti_kind_row sti_kind_contact = {.destroy = destroy, .save = save};

const sti_contact_problem* sti_contact_problem_of(const sti_document* document) {
    const sti_fclib* f = sti_document_content(document, STI_KIND_CONTACT);
    return f != NULL ? &f->problem : NULL;
}

const sti_contact_info* sti_contact_info_of(const sti_document* document) {
    const sti_fclib* f = sti_document_content(document, STI_KIND_CONTACT);
    return f != NULL ? &f->info : NULL;
}
