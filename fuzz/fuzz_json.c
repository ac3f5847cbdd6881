// fuzz_json.c: any bytes as a problem in JSON.
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    sti_env* env = fuzz_env();
    sti_document* problem;
    const sti_status status = sti_document_parse(env, (const char*)data, size, "fuzz.json", &problem);
    if (status == STI_OK)
        fuzz_use_problem(problem);
    else
        fuzz_check_error(env, status);
    sti_document_destroy(problem);
    return 0;
}
