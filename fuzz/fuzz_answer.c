// fuzz_answer.c: any bytes as an answer in JSON. What is read is written, and what was written is read again; then it
// is verified against a problem of its size.
#include "fuzz.h"

static void check_again(sti_env* env, const sti_lcp_answer* a) {
    char* text;
    sti_lcp_answer b;
    if (sti_lcp_answer_json(env, a, &text) != STI_OK) abort();
    if (sti_lcp_answer_parse(env, text, strlen(text), "again.json", &b) != STI_OK) abort();
    if (a->n != b.n || a->free_count != b.free_count || a->outcome != b.outcome || a->exact != b.exact) abort();
    if (a->certificate.proof != b.certificate.proof || a->certificate.leaf_count != b.certificate.leaf_count) abort();
    if ((a->z == NULL) != (b.z == NULL) || (a->ray.dz == NULL) != (b.ray.dz == NULL)) abort();
    sti_lcp_answer_clear(env, &b);
    sti_env_free(env, text);
}

static void verify_small(sti_env* env, const sti_lcp_answer* a) {
    double M[9] = {1, 2, 0, 0, 1, 0, 2, 0, 1}, q[3] = {-1, 2, -3};
    if (a->n < 1 || a->n > 3 || a->free_count != 0) return;
    sti_verification v;
    const sti_lcp lcp = {.n = a->n, .M = sti_matrix_dense_view(a->n, a->n, M), .q = q};
    if (sti_verify_lcp(env, &lcp, a, 1e-8, &v) != STI_OK) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    sti_env* env = fuzz_env();
    sti_lcp_answer a;
    const sti_status status = sti_lcp_answer_parse(env, (const char*)data, size, "fuzz.json", &a);
    if (status == STI_OK) {
        check_again(env, &a);
        verify_small(env, &a);
        sti_lcp_answer_clear(env, &a);
    } else {
        fuzz_check_error(env, status);
    }
    return 0;
}
