// fuzz_matrix_market.c: any bytes as a matrix in the Matrix Market format.
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    sti_env* env = fuzz_env();
    sti_matrix M;
    const sti_status status = sti_matrix_parse(env, (const char*)data, size, "fuzz.mtx", &M);
    if (status == STI_OK) {
        volatile double sink = fuzz_sum_matrix(&M);
        (void)sink;
        sti_matrix_clear(env, &M);
    } else {
        fuzz_check_error(env, status);
    }
    return 0;
}
