// tao.c: min 1/2 x'P x + kappa'x over x >= 0, P = B B', by PETSc/TAO over the ranks of a communicator.
//
// TAO's methods for bounds that S3 2.3 ran, in today's form:
//
//     blmvm   limited-memory quasi-Newton with projection (Benson and More 2001). Needs gradients alone.
//     tron    Newton's method on faces with a trust region (Lin and More 1999); conjugate gradients inside.
//     bqpip   primal-dual interior points for bounded quadratic programs; a factorization inside.
//
// Letters: s_i = sqrt(rho_i), z = x / s, so that P has a unit diagonal in z; B and kappa below are the scaled ones.
// Each rank owns a block of rows of B and the same block of z. A column of B is a velocity of a grain, so the product
//
//     P z = B (B'z)
//
// sends the velocities of grains that two ranks share, and nothing else. B has 12 entries a row: 144 bytes with their
// indices. tron and bqpip want P itself, formed as a distributed sparse matrix: a row has all facets of every contact
// with one of the two grains. With three facets and the 23 contacts a grain that the wide eps of S3 gives these are
// some 135 entries, 1.6 kB, and tron copies the rows and columns of its face besides. The factor of bqpip is worse: P
// has a rank of six times the grains at most, but P plus a diagonal has none of that, and fills up.
//
// D1. What ends a solve is the residual of the step, |z - max(0, z - g)| / |z| with g = P z + kappa, and not TAO's own
//     tolerances: these are switched off.
// D2. TAO compares objective values, whose differences drown in rounding when the residual is near 1e-8. So
//     values are measured from a centre c, f(z) - f(c) = 1/2 (z - c)'(g(z) + g(c)), and when a method can get no
//     further it is begun again with the centre at its best point, as long as that pays.
// D3. bqpip wants two finite bounds, and the nearer they are the fewer its steps. The upper one begins at a hundred
//     times the largest number of the data. The residual, which does not know it, tells when it holds something back,
//     and then it goes a hundred times farther out.
#include <math.h>
#include <petsctao.h>
#include <string.h>

#include "stiction_tao.h"

enum { CHECK_EVERY = 10, ROUNDS = 12, ROUNDS_COLD = 3 };

typedef struct kind {
    const char* name;
    TaoType type;
    bool wants_P;
    bool warm;        // goes on from a point
    int check_every;  // iterations between two residuals, which cost a product each
} kind;

static const kind kinds[] = {
    {"tao:blmvm", TAOBLMVM, false, true, CHECK_EVERY},
    {"tao:tron", TAOTRON, true, true, 1},
    {"tao:bqpip", TAOBQPIP, true, false, 1},
};

typedef struct solver {
    MPI_Comm comm;
    int ranks;
    const kind* kind;
    const sti_bed_program* program;
    PetscInt first, last;  // own rows
    long iterations;       // of earlier rounds
    double reach;          // upper bound; INFINITY: none
    double best_map;       // residual of `best`
    Mat B;                 // rows times s                                 (n x columns)
    Mat P;                 // B B'; NULL: not wanted                       (n x n)
    Vec t;                 // B'z                                          (columns)
    Vec z, kappa, g, best, lower, upper, work;
    Vec centre, g_centre;  // D2
    Tao tao;
} solver;

// ---- the process

static bool begun, ended;  // by us

static PetscErrorCode begin(void) {
    PetscBool there;
    PetscCall(PetscInitialized(&there));
    if (there) return 0;
    PetscCall(PetscOptionsSetValue(NULL, "-no_signal_handler", "true"));
    PetscCall(PetscOptionsSetValue(NULL, "-skip_petscrc", "true"));
    PetscCall(PetscInitializeNoArguments());
    begun = true;
    return 0;
}

void sti_tao_shutdown(void) {
    if (!begun || ended) return;
    ended = true;
    PetscFinalize();
}

// ---- the program, distributed

static PetscErrorCode make_factor(solver* s) {
    const sti_bed_program* p = s->program;
    PetscInt rows = PETSC_DECIDE, n = p->n;
    PetscCall(PetscSplitOwnership(s->comm, &rows, &n));
    PetscCall(MatCreateAIJ(s->comm, rows, PETSC_DECIDE, n, p->columns, 12, NULL, 12, NULL, &s->B));
    PetscCall(MatGetOwnershipRange(s->B, &s->first, &s->last));
    for (PetscInt i = s->first; i < s->last; i++) {
        int column[12];
        double value[12];
        const int count = p->factor(p, (int)i, column, value);
        for (int k = 0; k < count; k++) value[k] *= sqrt(p->rho[i]);
        PetscCall(MatSetValues(s->B, 1, &i, count, column, value, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(s->B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(s->B, MAT_FINAL_ASSEMBLY));
    return 0;
}

static PetscErrorCode make_hessian(solver* s) {
    Mat transposed = NULL;
    PetscErrorCode code = MatTranspose(s->B, MAT_INITIAL_MATRIX, &transposed);
    if (code == 0) code = MatMatMult(s->B, transposed, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &s->P);
    MatDestroy(&transposed);
    PetscCall(code);
    PetscCall(MatSetOption(s->P, MAT_SPD, PETSC_TRUE));
    return 0;
}

static PetscErrorCode make_vectors(solver* s, const double* x) {
    const sti_bed_program* p = s->program;
    Vec* const like_z[] = {&s->kappa, &s->g, &s->best, &s->lower, &s->upper, &s->work, &s->centre, &s->g_centre};
    PetscCall(MatCreateVecs(s->B, &s->t, &s->z));
    for (size_t k = 0; k < sizeof like_z / sizeof *like_z; k++) PetscCall(VecDuplicate(s->z, like_z[k]));
    double *z, *kappa;
    PetscCall(VecGetArrayWrite(s->z, &z));
    PetscCall(VecGetArrayWrite(s->kappa, &kappa));
    double largest = 0;
    for (PetscInt i = s->first; i < s->last; i++) {
        const double scale = sqrt(p->rho[i]);
        z[i - s->first] = x[i] / scale;
        kappa[i - s->first] = p->kappa[i] * scale;
        largest = fmax(largest, fmax(fabs(x[i]) / scale, fabs(p->kappa[i]) * scale));
    }
    PetscCall(VecRestoreArrayWrite(s->z, &z));
    PetscCall(VecRestoreArrayWrite(s->kappa, &kappa));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, s->comm));
    PetscCall(VecSet(s->lower, 0));
    s->reach = s->kind->warm ? PETSC_INFINITY : 100 * (largest > 0 ? largest : 1);
    return 0;
}

static PetscErrorCode gradient(solver* s, Vec z, Vec g) {
    PetscCall(MatMultTranspose(s->B, z, s->t));
    PetscCall(MatMult(s->B, s->t, g));
    PetscCall(VecAXPY(g, 1, s->kappa));
    return 0;
}

// D1. For z = 0 relative to kappa, as the library has it.
static PetscErrorCode residual(solver* s, Vec z, double* map) {
    PetscCall(gradient(s, z, s->g));
    const double *at, *g, *kappa;
    double sum[3] = {0};
    PetscCall(VecGetArrayRead(z, &at));
    PetscCall(VecGetArrayRead(s->g, &g));
    PetscCall(VecGetArrayRead(s->kappa, &kappa));
    for (PetscInt i = 0; i < s->last - s->first; i++) {
        const double step = at[i] - fmax(0, at[i] - g[i]);
        sum[0] += step * step;
        sum[1] += at[i] * at[i];
        sum[2] += kappa[i] * kappa[i];
    }
    PetscCall(VecRestoreArrayRead(z, &at));
    PetscCall(VecRestoreArrayRead(s->g, &g));
    PetscCall(VecRestoreArrayRead(s->kappa, &kappa));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_DOUBLE, MPI_SUM, s->comm));
    *map = sum[0] == 0 ? 0 : sqrt(sum[0] / (sum[1] > 0 ? sum[1] : sum[2]));
    return 0;
}

// ---- what TAO calls

static PetscErrorCode value_and_gradient(Tao tao, Vec z, PetscReal* f, Vec g, void* context) {
    (void)tao;
    solver* s = context;
    PetscCall(gradient(s, z, g));
    PetscCall(VecWAXPY(s->work, -1, s->centre, z));
    PetscScalar here, there;
    PetscCall(VecDot(s->work, g, &here));
    PetscCall(VecDot(s->work, s->g_centre, &there));
    *f = 0.5 * (here + there);  // D2
    return 0;
}

static PetscErrorCode hessian(Tao tao, Vec z, Mat H, Mat preconditioner, void* context) {
    (void)tao;
    (void)z;
    (void)H;  // it does not change
    (void)preconditioner;
    (void)context;
    return 0;
}

static PetscErrorCode converged(Tao tao, void* context) {
    solver* s = context;
    PetscInt k;
    PetscCall(TaoGetIterationNumber(tao, &k));
    const bool last = s->iterations + k >= s->program->max_iterations;
    if (k % s->kind->check_every == 0 || last) {
        Vec z;
        double map;
        PetscCall(TaoGetSolution(tao, &z));
        PetscCall(residual(s, z, &map));
        if (map < s->best_map) {
            s->best_map = map;
            PetscCall(VecCopy(z, s->best));
        }
    }
    if (s->best_map <= s->program->tol)
        PetscCall(TaoSetConvergedReason(tao, TAO_CONVERGED_USER));
    else if (last)
        PetscCall(TaoSetConvergedReason(tao, TAO_DIVERGED_MAXITS));
    else
        PetscCall(TaoSetConvergedReason(tao, TAO_CONTINUE_ITERATING));
    return 0;
}

// ---- the method

// Systems inside a step. tron: conjugate gradients as they are, for P has a unit diagonal already, and an incomplete
// factor of a rank's own block costs more iterations over ranks than it saves. bqpip, whose systems are P plus a
// diagonal: MUMPS where PETSc has it, which here is ten times as fast as PETSc's own Cholesky, otherwise conjugate
// gradients.
static PetscErrorCode choose_inner(solver* s) {
    KSP ksp;
    PC pc;
    PetscCall(TaoGetKSP(s->tao, &ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    if (s->kind->warm) {
        PetscCall(PCSetType(pc, PCNONE));
    } else if (PetscDefined(HAVE_MUMPS)) {
        PetscCall(KSPSetType(ksp, KSPPREONLY));
        PetscCall(PCSetType(pc, PCCHOLESKY));
        PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
    } else {
        PetscCall(KSPSetType(ksp, KSPCG));
        PetscCall(PCSetType(pc, PCJACOBI));
        PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    }
    return 0;
}

static PetscErrorCode make_method(solver* s) {
    PetscCall(TaoCreate(s->comm, &s->tao));
    PetscCall(TaoSetType(s->tao, s->kind->type));
    PetscCall(TaoSetObjectiveAndGradient(s->tao, NULL, value_and_gradient, s));
    if (s->P != NULL) PetscCall(TaoSetHessian(s->tao, s->P, s->P, hessian, s));
    PetscCall(TaoSetVariableBounds(s->tao, s->lower, s->upper));
    PetscCall(TaoSetConvergenceTest(s->tao, converged, s));
    PetscCall(TaoSetMaximumFunctionEvaluations(s->tao, PETSC_MAX_INT));
    PetscCall(TaoSetSolution(s->tao, s->z));
    if (s->kind->wants_P) PetscCall(choose_inner(s));
    return 0;
}

// Rounds of D2 and D3. Each begins at the best point, if the method can.
static PetscErrorCode iterate(solver* s) {
    PetscCall(residual(s, s->z, &s->best_map));
    PetscCall(VecCopy(s->z, s->best));
    const int rounds = s->kind->warm ? ROUNDS : ROUNDS_COLD;
    for (int round = 0; round < rounds && s->best_map > s->program->tol; round++, s->reach *= 100) {
        const double before = s->best_map;
        PetscCall(VecCopy(s->best, s->z));
        PetscCall(VecCopy(s->best, s->centre));
        PetscCall(gradient(s, s->centre, s->g_centre));
        PetscCall(VecSet(s->upper, s->reach));
        PetscCall(TaoDestroy(&s->tao));
        PetscCall(make_method(s));
        PetscCall(TaoSolve(s->tao));
        double map;  // of where it stopped, which may lie between two checks
        PetscInt done;
        PetscCall(residual(s, s->z, &map));
        if (map < s->best_map) {
            s->best_map = map;
            PetscCall(VecCopy(s->z, s->best));
        }
        PetscCall(TaoGetIterationNumber(s->tao, &done));
        s->iterations += done;
        if (s->iterations >= s->program->max_iterations || (s->kind->warm && s->best_map > 0.9 * before)) break;
    }
    return 0;
}

// The best point on every rank.
static PetscErrorCode gather(solver* s, double* x) {
    VecScatter scatter = NULL;
    Vec all = NULL;
    const double* z;
    PetscErrorCode code = VecScatterCreateToAll(s->best, &scatter, &all);
    if (code == 0) code = VecScatterBegin(scatter, s->best, all, INSERT_VALUES, SCATTER_FORWARD);
    if (code == 0) code = VecScatterEnd(scatter, s->best, all, INSERT_VALUES, SCATTER_FORWARD);
    if (code == 0) code = VecGetArrayRead(all, &z);
    if (code == 0) {
        for (int i = 0; i < s->program->n; i++) x[i] = sqrt(s->program->rho[i]) * fmax(0, z[i]);
        code = VecRestoreArrayRead(all, &z);
    }
    VecScatterDestroy(&scatter);
    VecDestroy(&all);
    return code;
}

static PetscErrorCode run(solver* s, double* x) {
    const sti_bed_program* p = s->program;
    PetscCallMPI(MPI_Comm_size(s->comm, &s->ranks));
    int sizes[2] = {p->n, -p->n};
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sizes, 2, MPI_INT, MPI_MAX, s->comm));
    if (sizes[0] != -sizes[1]) return PETSC_ERR_ARG_INCOMP;
    PetscCall(make_factor(s));
    if (s->kind->wants_P) PetscCall(make_hessian(s));
    PetscCall(make_vectors(s, x));
    PetscCall(iterate(s));
    return gather(s, x);
}

static void clear(solver* s) {
    Vec* const vectors[] = {&s->t,     &s->z,     &s->kappa, &s->g,      &s->best,
                            &s->lower, &s->upper, &s->work,  &s->centre, &s->g_centre};
    TaoDestroy(&s->tao);
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) VecDestroy(vectors[k]);
    MatDestroy(&s->P);
    MatDestroy(&s->B);
}

static sti_status solve(void* user, const sti_bed_program* program, double* x, long* iterations, char text[160]) {
    *iterations = 0;
    if (program->n == 0) return STI_OK;
    if (ended) {
        strcpy(text, "PETSc was shut down before");
        return STI_ERR_ARGUMENT;
    }
    PetscErrorCode code = begin();
    if (code == 0) {
        solver s = {.comm = PETSC_COMM_WORLD, .kind = user, .program = program};
        PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
        code = run(&s, x);
        *iterations = s.iterations;
        clear(&s);
        PetscPopErrorHandler();
    }
    if (code == 0) return STI_OK;
    const char* message = NULL;
    if (code == PETSC_ERR_ARG_INCOMP)
        message = "the ranks do not hold the same step";
    else if (begun)
        PetscErrorMessage(code, &message, NULL);
    snprintf(text, 160, "PETSc error %d: %s", (int)code, message != NULL ? message : "unknown");
    return code == PETSC_ERR_MEM ? STI_ERR_MEMORY : STI_ERR_INTERNAL;
}

bool sti_tao_method(const char* name, sti_bed_method* out) {
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (strcmp(name, kinds[k].name) != 0) continue;
        *out = (sti_bed_method){.name = kinds[k].name, .solve = solve, .user = (void*)&kinds[k]};
        return true;
    }
    return false;
}
