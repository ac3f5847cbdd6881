// fuzz_urdf.c: any bytes as a URDF file.
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    sti_env* env = fuzz_env();
    sti_bodies* bodies;
    sti_urdf_report report;
    sti_urdf_options options = sti_urdf_options_default();
    if (sti_bodies_create(env, 3, &bodies) != STI_OK) abort();
    options.fixed = size % 2 == 0;
    const sti_status status =
        sti_urdf_parse(env, (const char*)data, size, "/no/such/folder/fuzz.urdf", &options, bodies, &report);
    if (status != STI_OK) fuzz_check_error(env, status);
    for (int k = 0; k < report.remark_count; k++) {
        const sti_urdf_remark* r = &report.remarks[k];
        if (r->count < 1 || strchr(r->text, '\n') != NULL || strchr(r->element, '\n') != NULL) abort();
    }
    if (status == STI_OK && report.body_count != sti_bodies_count(bodies)) abort();
    sti_urdf_report_clear(env, &report);
    sti_bodies_destroy(bodies);
    return 0;
}
