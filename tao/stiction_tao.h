// stiction_tao.h: granular steps by the solvers of PETSc/TAO, on one process or over the ranks of MPI.
//
//     sti_bed_method method;
//     if (sti_tao_method("tao:blmvm", &method)) sti_bed_use(bed, &method);
//     ... sti_bed_step(bed, &report) ...
//     sti_tao_shutdown();
//
// A library of its own, libstiction_tao, built where PETSc is found; libstiction knows nothing of it. docs/granular.md
// has the rest.
//
// Over ranks every process holds the same bed and calls the same functions in the same order. The program of a step is
// distributed: each rank asks its bed for its own block of rows. All ranks get the whole answer, the same bits on
// each, so their beds stay equal. The ranks are those of PETSC_COMM_WORLD.
//
// PETSc and MPI are begun by the first solve, unless the program has done so; they are global to the process and used
// by one thread. PETSc's errors come back as a status. MPI's own fatal errors, and a rank that is lost, still end the
// program, as MPI has it; and MPI reads the environment.
#ifndef STICTION_TAO_H
#define STICTION_TAO_H

#include <stdbool.h>
#include <stiction/granular.h>
#include <stiction/stochastic.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STI_TAO_API __attribute__((visibility("default")))

// tao:blmvm, tao:tron or tao:bqpip; false: no such name.
STI_TAO_API bool sti_tao_method(const char* name, sti_bed_method* out);

// The ranks of MPI_COMM_WORLD as a team for sti_stochastic_solve, each with its own scenarios
// (sti_stochastic_load_part). MPI is begun where the program has not done so, and ended by sti_tao_team_end; PETSc is
// not. false: MPI has been ended before.
STI_TAO_API bool sti_tao_team(sti_stochastic_team* out);
STI_TAO_API void sti_tao_team_end(void);

// Ends PETSc, and MPI, where a solve began them. MPI cannot begin again in the same process: later solves fail.
STI_TAO_API void sti_tao_shutdown(void);

#ifdef __cplusplus
}
#endif
#endif
