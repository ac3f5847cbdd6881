// fuzz_fclib.c: any bytes as a contact problem in HDF5 with guesses and a solution, or, when they begin with '{', as an
// answer of one in JSON. What is read is written and read again. Files lie in the folder TMPDIR (or /tmp), which should
// be in memory.
#include "fuzz.h"

static char path[256], copy[256];

static void remove_files(void) {
    unlink(path);
    unlink(copy);
}

static void name_files(void) {
    fuzz_name(path, ".hdf5");
    fuzz_name(copy, "-again.hdf5");
    atexit(remove_files);
}

static double sum_point(const sti_contact_problem* p, const double* r, const double* u, const double* v,
                        const double* lambda) {
    const size_t n = (size_t)p->dimension * (size_t)p->contact_count;
    double s = 0;
    if (r != NULL) s += fuzz_sum(r, n);
    if (u != NULL) s += fuzz_sum(u, n);
    if (v != NULL) s += fuzz_sum(v, (size_t)p->velocity_count);
    if (lambda != NULL) s += fuzz_sum(lambda, (size_t)p->bilateral_count);
    return s;
}

static double sum_problem(const sti_contact_problem* p) {
    const size_t n = (size_t)p->dimension * (size_t)p->contact_count, nb = (size_t)p->bilateral_count;
    double s = fuzz_sum(p->mu, (size_t)p->contact_count);
    if (p->global) {
        if (p->M.rows != p->velocity_count || p->H.cols != (int)n) abort();
        s += fuzz_sum_matrix(&p->M) + fuzz_sum_matrix(&p->H) + fuzz_sum_matrix(&p->G);
        return s + fuzz_sum(p->f, (size_t)p->velocity_count) + fuzz_sum(p->w, n) + fuzz_sum(p->b, nb);
    }
    if (p->W.rows != (int)n || p->W.cols != (int)n) abort();
    s += fuzz_sum_matrix(&p->W) + fuzz_sum_matrix(&p->V) + fuzz_sum_matrix(&p->R);
    return s + fuzz_sum(p->q, n) + fuzz_sum(p->s, nb);
}

static void use_problem(sti_env* env, const sti_document* problem) {
    const sti_contact_problem* p = sti_contact_problem_of(problem);
    const sti_contact_info* info = sti_contact_info_of(problem);
    volatile double sink = sum_problem(p);
    for (int k = 0; k < info->guess_count; k++) {
        const sti_contact_guess* g = &info->guesses[k];
        sink += sum_point(p, g->r, g->u, g->v, g->lambda);
    }
    (void)sink;
    sti_document* again;
    if (sti_contact_save(env, p, info, copy) != STI_OK || sti_document_load(env, copy, &again) != STI_OK) abort();
    if (sti_contact_problem_of(again)->contact_count != p->contact_count) abort();
    if (sti_contact_info_of(again)->guess_count != info->guess_count) abort();
    sti_document_destroy(again);
}

static void check_again(sti_env* env, const sti_contact_answer* a) {
    char* text;
    sti_contact_answer b;
    if (sti_contact_answer_json(env, a, &text) != STI_OK) abort();
    if (sti_contact_answer_parse(env, NULL, text, strlen(text), "again.json", &b) != STI_OK) abort();
    if (a->contact_count != b.contact_count || a->outcome != b.outcome || (a->r == NULL) != (b.r == NULL)) abort();
    sti_contact_answer_clear(env, &b);
    sti_env_free(env, text);
}

static void read_text(sti_env* env, const uint8_t* data, size_t size) {
    sti_contact_answer a;
    const sti_status status = sti_contact_answer_parse(env, NULL, (const char*)data, size, "fuzz.json", &a);
    if (status == STI_OK) {
        check_again(env, &a);
        sti_contact_answer_clear(env, &a);
    } else {
        fuzz_check_error(env, status);
    }
}

static void read_file(sti_env* env) {
    sti_document* problem;
    sti_contact_answer a;
    sti_status status = sti_document_load(env, path, &problem);
    if (status != STI_OK)
        fuzz_check_error(env, status);
    else if (sti_document_kind(problem) == STI_KIND_CONTACT)
        use_problem(env, problem);
    sti_document_destroy(problem);
    status = sti_contact_answer_load(env, NULL, path, &a);
    if (status == STI_OK) {
        check_again(env, &a);
        sti_contact_answer_clear(env, &a);
    } else {
        fuzz_check_error(env, status);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const uint8_t signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    sti_env* env = fuzz_env();
    if (path[0] == '\0') name_files();
    if (size > 0 && data[0] == '{') read_text(env, data, size);
    if (size < sizeof signature || data[0] == '{') return 0;
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    // behind the signature everything is free; without it the file is not opened as HDF5
    if (fd < 0 || write(fd, signature, sizeof signature) != (ssize_t)sizeof signature ||
        write(fd, data + sizeof signature, size - sizeof signature) != (ssize_t)(size - sizeof signature))
        abort();
    close(fd);
    read_file(env);
    return 0;
}
