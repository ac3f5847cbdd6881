// tao_ranks.c: one step of the pebble bed by PETSc/TAO, the program distributed over the ranks that MPI started.
//
//     mpirun -n 2 tao_ranks [PEBBLES [TOL [METHOD...]]]          default: 800 1e-8 tao:blmvm tao:tron tao:bqpip
//
// A METHOD is one of these three or a solver of the library, which each rank then runs on its own.
//
// Every rank lets the same bed fall for 0.9 s, into the middle of its impact, and then solves the step of h = 0.05 with
// the others. Residual and objective are computed by the library from the impulses, on each rank; the first one prints
// them, and the program fails when a rank has other bits or a residual above the tolerance.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "stiction_tao.h"

static int rank;

static void must(sti_env* env, sti_status status) {
    if (status == STI_OK) return;
    fprintf(stderr, "tao_ranks: rank %d: %s\n", rank, sti_env_error(env)->text);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

// S3's step: three facets, eps = max(0.05, 2 h v_max).
static sti_bed* make_bed(sti_env* env, int count, double h, double tol, sti_bed_solver solver) {
    const sti_pebble_bed def = sti_pebble_bed_default(count);
    sti_bed_options o = sti_bed_options_default();
    o.h = h;
    o.law = STI_LAW_FACETS;
    o.solver = solver;
    o.tol = tol;
    o.eps = 0.05;
    o.eps_speed = 2;
    sti_grains g;
    sti_bed* bed;
    must(env, sti_grains_pebble_bed(env, &def, &g));
    must(env, sti_bed_create(env, &g, &o, &bed));
    sti_grains_clear(env, &g);
    return bed;
}

static double peak_mb(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

// True: solved, and the velocities are the same bits on every rank.
static bool take_step(sti_env* env, int count, double tol, const char* name, const double* state) {
    const size_t n = 3 * (size_t)count;
    sti_bed_solver own = STI_BED_APGD;
    sti_bed_method method;
    const bool by_tao = sti_tao_method(name, &method);
    if (!by_tao && !sti_bed_solver_parse(name, &own)) {
        fprintf(stderr, "tao_ranks: %s: no such method\n", name);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    sti_bed* bed = make_bed(env, count, 0.05, tol, own);
    must(env, sti_bed_set(bed, state, state + n, state + 2 * n));
    if (by_tao) must(env, sti_bed_use(bed, &method));
    sti_bed_report report;
    MPI_Barrier(MPI_COMM_WORLD);
    const double before = MPI_Wtime();
    must(env, sti_bed_step(bed, &report));
    const double seconds = MPI_Wtime() - before;
    double *mine = malloc(2 * n * sizeof *mine), memory = peak_mb(), most;
    int ranks;
    if (mine == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
    sti_bed_get(bed, NULL, mine, NULL);
    memcpy(mine + n, mine, n * sizeof *mine);
    MPI_Bcast(mine + n, (int)n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    int fine = report.solved && memcmp(mine, mine + n, n * sizeof *mine) == 0;
    MPI_Allreduce(MPI_IN_PLACE, &fine, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Reduce(&memory, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0) {
        printf("%d,%s,%d,%d,%ld,%.3f,%.0f,%.3e,%.3e,%.17g,%s\n", ranks, name, count, report.contacts, report.iterations,
               seconds, most, report.residual, report.gap, report.objective, fine ? "yes" : "no");
        fflush(stdout);
    }
    free(mine);
    sti_bed_destroy(bed);
    return fine != 0;
}

int main(int argc, char** argv) {
    static const char* const all[] = {"tao:blmvm", "tao:tron", "tao:bqpip"};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int count = argc > 1 ? atoi(argv[1]) : 800;
    const double tol = argc > 2 ? atof(argv[2]) : 1e-8;
    sti_env* env = NULL;
    if (count < 1 || !(tol > 0) || sti_env_create(NULL, &env) != STI_OK) MPI_Abort(MPI_COMM_WORLD, 2);
    sti_bed* bed = make_bed(env, count, 0.01, 1e-3, STI_BED_APGD);
    for (int k = 0; k < 90; k++) must(env, sti_bed_step(bed, NULL));
    const size_t n = 3 * (size_t)count;
    double* state = malloc(3 * n * sizeof *state);
    if (state == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
    sti_bed_get(bed, state, state + n, state + 2 * n);
    sti_bed_destroy(bed);
    if (rank == 0) puts("ranks,method,pebbles,contacts,iterations,seconds,peak_mb,residual,gap,objective,solved");
    bool fine = true;
    for (int k = 0; k < (argc > 3 ? argc - 3 : 3); k++)
        fine &= take_step(env, count, tol, argc > 3 ? argv[3 + k] : all[k], state);
    free(state);
    sti_env_destroy(env);
    sti_tao_shutdown();
    MPI_Finalize();
    return fine ? 0 : 1;
}
