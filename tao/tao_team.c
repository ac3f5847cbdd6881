// tao_team.c: the ranks of MPI as a team that solves one stochastic program.
//
// Every sum is made on the first rank and sent from there: MPI_Allreduce may give ranks different last bits, and with
// them different decisions.
#include <limits.h>
#include <mpi.h>

#include "stiction_tao.h"

static bool begun;  // by us

static void reduce(double* x, size_t count, MPI_Op op) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (count > 0) {
        const int part = count > INT_MAX / 2 ? INT_MAX / 2 : (int)count;
        MPI_Reduce(rank == 0 ? MPI_IN_PLACE : x, x, part, MPI_DOUBLE, op, 0, MPI_COMM_WORLD);
        MPI_Bcast(x, part, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        x += part;
        count -= (size_t)part;
    }
}

static void sum(void* user, double* x, size_t count) {
    (void)user;
    reduce(x, count, MPI_SUM);
}

static void most(void* user, double* x, size_t count) {
    (void)user;
    reduce(x, count, MPI_MAX);
}

bool sti_tao_team(sti_stochastic_team* out) {
    int there, over;
    MPI_Finalized(&over);
    MPI_Initialized(&there);
    if (over) return false;
    if (!there && MPI_Init(NULL, NULL) != MPI_SUCCESS) return false;
    begun = begun || !there;
    *out = (sti_stochastic_team){.sum = sum, .most = most};
    MPI_Comm_rank(MPI_COMM_WORLD, &out->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &out->size);
    return true;
}

void sti_tao_team_end(void) {
    if (begun) MPI_Finalize();
    begun = false;
}
