// ranks.c: --ranks: this process is one of those that mpirun started, and they solve one problem together.
//
// MPI is in libstiction_tao, which is loaded when it is asked for (run_tao.c).
#include "ranks.h"

#include <dlfcn.h>

typedef bool find_team(sti_stochastic_team* out);
typedef void end_team(void);

static end_team* leave;

#ifdef STI_TAO_LIBRARY
static int load(const cli* c, find_team** find) {
    void* library = dlopen(STI_TAO_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) return cli_fail_usage(c, "--ranks: %.300s", dlerror());
    *find = (find_team*)dlsym(library, "sti_tao_team");
    leave = (end_team*)dlsym(library, "sti_tao_team_end");
    if (*find != NULL && leave != NULL) return CLI_DONE;
    return cli_fail_usage(c, "--ranks: not in " STI_TAO_LIBRARY);
}
#else
static int load(const cli* c, find_team** find) {
    (void)find;
    return cli_fail_usage(c, "--ranks: not in this build: PETSc and MPI were not found");
}
#endif

int cli_ranks_begin(cli* c, sti_stochastic_team* team) {
    find_team* find = NULL;
    const int code = load(c, &find);
    if (code != CLI_DONE || find == NULL) return code;
    if (!find(team)) return cli_fail_usage(c, "--ranks: MPI could not be begun");
    if (team->rank > 0) c->quiet = true;
    if (team->rank > 0) c->json = false;
    return CLI_DONE;
}

int cli_ranks_load(const cli* c, const char* path, const sti_stochastic_team* team, sti_document** out) {
    double bad = 0;
    int code = CLI_DONE;
    if (sti_stochastic_load_part(c->env, path, team->rank, team->size, out) != STI_OK)
        code = team->rank == 0 ? cli_fail_about(c, path) : CLI_USAGE;
    bad = code;
    team->most(team->user, &bad, 1);  // nobody waits for one who is gone
    return (int)bad;
}

void cli_ranks_end(void) {
    if (leave != NULL) leave();
    leave = NULL;
}
