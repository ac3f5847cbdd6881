// fuzz_hdf5.c: any bytes as a problem in HDF5, through a file in the folder TMPDIR (or /tmp), which should be in
// memory.
#include "fuzz.h"

static char path[256];

static void remove_file(void) {
    unlink(path);
}

static void name_file(void) {
    fuzz_name(path, ".h5");
    atexit(remove_file);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const uint8_t signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    if (path[0] == '\0') name_file();
    if (size < sizeof signature) return 0;
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    // behind the signature everything is free; without it the file is not opened as HDF5
    if (fd < 0 || write(fd, signature, sizeof signature) != (ssize_t)sizeof signature ||
        write(fd, data + sizeof signature, size - sizeof signature) != (ssize_t)(size - sizeof signature))
        abort();
    close(fd);
    sti_env* env = fuzz_env();
    sti_document* problem;
    const sti_status status = sti_document_load(env, path, &problem);
    if (status == STI_OK)
        fuzz_use_problem(problem);
    else
        fuzz_check_error(env, status);
    sti_document_destroy(problem);
    return 0;
}
