// run_tao.c: the solvers tao:... of a bed, from libstiction_tao, which is loaded when one is asked for.
//
// So the command starts without PETSc and MPI, and needs neither where the library was not built.
#include <dlfcn.h>
#include <string.h>

#include "run_bed.h"

typedef bool find_method(const char* name, sti_bed_method* out);
typedef void shutdown_tao(void);

static shutdown_tao* shut_down;  // loaded, and to be called at the end

#ifdef STI_TAO_LIBRARY
static int load(const cli* c, const char* name, find_method** find) {
    // its MPI looks for parts of itself among the global symbols
    void* library = dlopen(STI_TAO_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) return cli_fail_usage(c, "--solver: %s: %.300s", name, dlerror());
    *find = (find_method*)dlsym(library, "sti_tao_method");
    shut_down = (shutdown_tao*)dlsym(library, "sti_tao_shutdown");
    return *find != NULL && shut_down != NULL ? CLI_DONE
                                              : cli_fail_usage(c, "--solver: %s: not in " STI_TAO_LIBRARY, name);
}
#else
static int load(const cli* c, const char* name, find_method** find) {
    (void)find;
    return cli_fail_usage(c, "--solver: %s: not in this build: PETSc was not found", name);
}
#endif

bool cli_bed_tao_named(const char* solver) {
    return solver != NULL && strncmp(solver, "tao:", 4) == 0;
}

int cli_bed_tao_begin(const cli* c, const char* name, sti_bed_method* method) {
    static const char* const names[] = {"tao:blmvm", "tao:tron", "tao:bqpip"};
    bool known = false;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) known |= strcmp(name, names[k]) == 0;
    if (!known)
        return cli_fail_usage(c, "--solver: %s: no such solver; of PETSc/TAO there are tao:blmvm, tao:tron, tao:bqpip",
                              name);
    find_method* find = NULL;
    const int code = load(c, name, &find);
    if (code != CLI_DONE || find == NULL) return code;
    return find(name, method) ? CLI_DONE : cli_fail_usage(c, "--solver: %s: not known to libstiction_tao", name);
}

void cli_bed_tao_end(void) {
    if (shut_down != NULL) shut_down();
    shut_down = NULL;
}

const char* cli_bed_solver_name(const cli_bed_run* run) {
    return run->of->method[0] != '\0' ? run->of->method : sti_bed_solver_text(run->of->scene->step.solver);
}
