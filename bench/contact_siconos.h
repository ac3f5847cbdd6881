// contact_siconos.h: frictional contact problems given to the solvers of Siconos numerics.
//
// The configurations are those of the reference for the collection: zero guess, default parameters but for the number
// of iterations, and for some solvers a variant. Storage is the one that serves the solver best: sparse blocks for
// methods that go contact by contact, compressed columns for those that factorize or multiply, dense where the solver
// takes nothing else. Making it is not timed; what the driver converts itself is.
#ifndef STI_BENCH_CONTACT_SICONOS_H
#define STI_BENCH_CONTACT_SICONOS_H

#ifdef STI_HAVE_SICONOS
#include <siconos/numerics/CSparseMatrix.h>
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/GlobalFrictionContactProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/NumericsSparseMatrix.h>
#include <siconos/numerics/NumericsVerbose.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>
#endif
#include <stdbool.h>
#include <stiction/stiction.h>
#include <string.h>

#include "measure.h"

// LIGHT: the error is the change of a sweep, no product with W. FREEZE: contacts that did not move rest for ten sweeps.
typedef enum siconos_variant {
    AS_IT_IS,
    FULL_ERROR,
    LIGHT,
    FREEZE,
    LOCAL_ITERATION,
    QUARTIC,
    QUARTIC_LIGHT,
    HYBRID,
    BALANCED
} siconos_variant;

typedef struct siconos_solver {
    const char* family;  // fc2d, fc3d, gfc3d
    const char* name;    // as in the reference
    int id;
    int storage;
    siconos_variant variant;
} siconos_solver;

typedef struct siconos_result {
    int info;  // what the driver returned
    long iterations;
    double cpu_s;  // of the driver
} siconos_result;

#ifdef STI_HAVE_SICONOS

static const siconos_solver siconos_solvers[] = {
    {"fc2d", "NSGS", SICONOS_FRICTION_2D_NSGS, NM_SPARSE_BLOCK, AS_IT_IS},
    {"fc2d", "NSGS_DENSE", SICONOS_FRICTION_2D_NSGS, NM_DENSE, AS_IT_IS},
    {"fc2d", "NSGS_FULLERR", SICONOS_FRICTION_2D_NSGS, NM_SPARSE_BLOCK, FULL_ERROR},
    {"fc2d", "NSGS_LIGHT", SICONOS_FRICTION_2D_NSGS, NM_SPARSE_BLOCK, LIGHT},
    {"fc2d", "NSGS_DENSE_LIGHT", SICONOS_FRICTION_2D_NSGS, NM_DENSE, LIGHT},
    {"fc2d", "NSGS_FREEZE", SICONOS_FRICTION_2D_NSGS, NM_SPARSE_BLOCK, FREEZE},
    {"fc2d", "CPG", SICONOS_FRICTION_2D_CPG, NM_DENSE, AS_IT_IS},
    {"fc2d", "LEMKE", SICONOS_FRICTION_2D_LEMKE, NM_DENSE, AS_IT_IS},
    {"fc2d", "ENUM", SICONOS_FRICTION_2D_ENUM, NM_DENSE, AS_IT_IS},
    {"fc3d", "NSGS", SICONOS_FRICTION_3D_NSGS, NM_SPARSE_BLOCK, AS_IT_IS},
    {"fc3d", "NSGS_FULLERR", SICONOS_FRICTION_3D_NSGS, NM_SPARSE_BLOCK, FULL_ERROR},
    {"fc3d", "NSGS_PLI", SICONOS_FRICTION_3D_NSGS, NM_SPARSE_BLOCK, LOCAL_ITERATION},
    {"fc3d", "NSGS_QUARTIC", SICONOS_FRICTION_3D_NSGS, NM_SPARSE_BLOCK, QUARTIC},
    {"fc3d", "NSGS_QUARTIC_LIGHT", SICONOS_FRICTION_3D_NSGS, NM_SPARSE_BLOCK, QUARTIC_LIGHT},
    {"fc3d", "NSGS_LIGHT", SICONOS_FRICTION_3D_NSGS, NM_SPARSE_BLOCK, LIGHT},
    {"fc3d", "NSGS_FREEZE", SICONOS_FRICTION_3D_NSGS, NM_SPARSE_BLOCK, FREEZE},
    {"fc3d", "NSGSV", SICONOS_FRICTION_3D_NSGSV, NM_SPARSE_BLOCK, AS_IT_IS},
    {"fc3d", "PROX", SICONOS_FRICTION_3D_PROX, NM_SPARSE, AS_IT_IS},
    {"fc3d", "TFP", SICONOS_FRICTION_3D_TFP, NM_SPARSE_BLOCK, AS_IT_IS},
    {"fc3d", "PFP", SICONOS_FRICTION_3D_PFP, NM_SPARSE_BLOCK, AS_IT_IS},
    {"fc3d", "ACLMFP", SICONOS_FRICTION_3D_ACLMFP, NM_SPARSE_BLOCK, AS_IT_IS},
    {"fc3d", "SOCLCP", SICONOS_FRICTION_3D_SOCLCP, NM_SPARSE_BLOCK, AS_IT_IS},
    {"fc3d", "DSFP", SICONOS_FRICTION_3D_DSFP, NM_SPARSE, AS_IT_IS},
    {"fc3d", "FPP", SICONOS_FRICTION_3D_FPP, NM_SPARSE, AS_IT_IS},
    {"fc3d", "EG", SICONOS_FRICTION_3D_EG, NM_SPARSE, AS_IT_IS},
    {"fc3d", "VI_FPP", SICONOS_FRICTION_3D_VI_FPP, NM_SPARSE, AS_IT_IS},
    {"fc3d", "VI_EG", SICONOS_FRICTION_3D_VI_EG, NM_SPARSE, AS_IT_IS},
    {"fc3d", "NSN_AC", SICONOS_FRICTION_3D_NSN_AC, NM_SPARSE, AS_IT_IS},
    {"fc3d", "NSN_AC_HYBRID", SICONOS_FRICTION_3D_NSN_AC, NM_SPARSE, HYBRID},
    {"fc3d", "NSN_FB", SICONOS_FRICTION_3D_NSN_FB, NM_SPARSE, AS_IT_IS},
    {"fc3d", "NSN_NM", SICONOS_FRICTION_3D_NSN_NM, NM_SPARSE, AS_IT_IS},
    {"fc3d", "ADMM", SICONOS_FRICTION_3D_ADMM, NM_SPARSE, AS_IT_IS},
    {"fc3d", "ADMM_RBAL", SICONOS_FRICTION_3D_ADMM, NM_SPARSE, BALANCED},
    {"gfc3d", "NSGS", SICONOS_GLOBAL_FRICTION_3D_NSGS, NM_SPARSE, AS_IT_IS},
    {"gfc3d", "NSGS_WR", SICONOS_GLOBAL_FRICTION_3D_NSGS_WR, NM_SPARSE, AS_IT_IS},
    {"gfc3d", "NSGS_WR_QUARTIC", SICONOS_GLOBAL_FRICTION_3D_NSGS_WR, NM_SPARSE, QUARTIC},
    {"gfc3d", "NSGS_WR_LIGHT", SICONOS_GLOBAL_FRICTION_3D_NSGS_WR, NM_SPARSE, LIGHT},
    {"gfc3d", "NSGS_WR_FREEZE", SICONOS_GLOBAL_FRICTION_3D_NSGS_WR, NM_SPARSE, FREEZE},
    {"gfc3d", "NSGSV_WR", SICONOS_GLOBAL_FRICTION_3D_NSGSV_WR, NM_SPARSE, AS_IT_IS},
    {"gfc3d", "PROX_WR", SICONOS_GLOBAL_FRICTION_3D_PROX_WR, NM_SPARSE, AS_IT_IS},
    {"gfc3d", "DSFP_WR", SICONOS_GLOBAL_FRICTION_3D_DSFP_WR, NM_SPARSE, AS_IT_IS},
    {"gfc3d", "TFP_WR", SICONOS_GLOBAL_FRICTION_3D_TFP_WR, NM_SPARSE, AS_IT_IS},
    {"gfc3d", "NSN_AC", SICONOS_GLOBAL_FRICTION_3D_NSN_AC, NM_SPARSE, AS_IT_IS},
    {"gfc3d", "NSN_AC_WR", SICONOS_GLOBAL_FRICTION_3D_NSN_AC_WR, NM_SPARSE, AS_IT_IS},
    {"gfc3d", "VI_FPP", SICONOS_GLOBAL_FRICTION_3D_VI_FPP, NM_SPARSE, AS_IT_IS},
    {"gfc3d", "VI_EG", SICONOS_GLOBAL_FRICTION_3D_VI_EG, NM_SPARSE, AS_IT_IS},
    {"gfc3d", "ACLMFP", SICONOS_GLOBAL_FRICTION_3D_ACLMFP, NM_SPARSE, AS_IT_IS},
    {"gfc3d", "ADMM", SICONOS_GLOBAL_FRICTION_3D_ADMM, NM_SPARSE, AS_IT_IS},
    {"gfc3d", "ADMM_RBAL", SICONOS_GLOBAL_FRICTION_3D_ADMM, NM_SPARSE, BALANCED},
    {"gfc3d", "ADMM_WR", SICONOS_GLOBAL_FRICTION_3D_ADMM_WR, NM_SPARSE, AS_IT_IS},
    {"gfc3d", "IPM", SICONOS_GLOBAL_FRICTION_3D_IPM, NM_SPARSE, AS_IT_IS},
};
enum { SICONOS_SOLVERS = sizeof siconos_solvers / sizeof siconos_solvers[0], SICONOS_DENSE_LIMIT = 4000 };

// The matrix in compressed columns and triplets: solvers ask for either.
static inline NumericsMatrix* siconos_sparse(const sti_matrix* A) {
    NumericsMatrix* out = NM_create(NM_SPARSE, A->rows, A->cols);
    NM_triplet_alloc(out, (CS_INT)A->col_start[A->cols]);
    out->matrix2->origin = NSM_TRIPLET;
    for (int j = 0; j < A->cols; j++) {
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) NM_entry(out, A->row[k], j, A->value[k]);
    }
    // triplets know their size by their entries: one in the corner, unless there is one (twice would be wrong in
    // blocks)
    if (A->rows > 0 && A->cols > 0) {
        const int64_t last = A->col_start[A->cols];
        if (last == A->col_start[A->cols - 1] || A->row[last - 1] != A->rows - 1)
            NM_entry(out, A->rows - 1, A->cols - 1, 0);
    }
    NM_csc(out);
    return out;
}

static inline NumericsMatrix* siconos_matrix(const sti_matrix* A, int d, int storage) {
    if (storage == NM_SPARSE) return siconos_sparse(A);
    if (storage == NM_SPARSE_BLOCK) {
        NumericsMatrix* sparse = siconos_sparse(A);
        SparseBlockStructuredMatrix* blocks = SBM_new();
        SBM_from_csparse(d, NM_csc(sparse), blocks);
        NM_free(sparse);
        return NM_new_SBM(A->rows, A->cols, blocks);
    }
    double* entries = bench_memory((size_t)A->rows * (size_t)A->cols, sizeof *entries);  // by columns
    for (int j = 0; j < A->cols; j++) {
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++)
            entries[(size_t)j * (size_t)A->rows + (size_t)A->row[k]] += A->value[k];
    }
    return NM_create_from_data(NM_DENSE, A->rows, A->cols, entries);
}

static inline double* siconos_vector(const double* x, int n) {
    double* y = bench_memory((size_t)n, sizeof *y);
    if (n > 0) memcpy(y, x, (size_t)n * sizeof *y);
    return y;
}

static inline SolverOptions* siconos_options(const siconos_solver* s, double tol) {
    SolverOptions* o = solver_options_create(s->id);
    o->dparam[SICONOS_DPARAM_TOL] = tol;
    // sweeps and gradient steps are stopped by the clock of the benchmark; Newton's methods by their own count
    const bool newton = strncmp(s->name, "NSN", 3) == 0 || strcmp(s->name, "IPM") == 0;
    if (!newton) o->iparam[SICONOS_IPARAM_MAX_ITER] = 10000000;
    switch (s->variant) {
        case LIGHT:
            o->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT;
            break;
        case FREEZE:
            o->iparam[SICONOS_FRICTION_3D_NSGS_FREEZING_CONTACT] = 10;
            break;
        case QUARTIC_LIGHT:
            o->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT;
            solver_options_update_internal(o, 0, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC);
            break;
        case FULL_ERROR:
            o->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
            break;
        case LOCAL_ITERATION:
            solver_options_update_internal(o, 0, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration);
            break;
        case QUARTIC:
            solver_options_update_internal(o, 0, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC);
            break;
        case HYBRID:
            o->iparam[SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN;
            break;
        case BALANCED:
            o->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] =
                SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING;
            break;
        default:
            break;
    }
    return o;
}

// Can the solver be given this problem at all?
static inline bool siconos_fits(const siconos_solver* s, const sti_contact_problem* p) {
    if (p->bilateral_count > 0 || p->contact_count == 0) return false;
    if (strcmp(s->family, p->global ? "gfc3d" : p->dimension == 2 ? "fc2d" : "fc3d") != 0) return false;
    if (p->global && p->dimension == 2) return false;
    return s->storage != NM_DENSE || p->dimension * p->contact_count <= SICONOS_DENSE_LIMIT;
}

// A problem in the form of Siconos, its options and its point, for one call.
typedef struct siconos_call {
    GlobalFrictionContactProblem* global;
    FrictionContactProblem* local;
    SolverOptions* options;
    double* point;  // r, u, v      (2 d nc + velocity_count)
} siconos_call;

static inline siconos_call siconos_prepare(const siconos_solver* s, const sti_contact_problem* p, double tol) {
    const int n = p->dimension * p->contact_count, nv = p->global ? p->velocity_count : 0;
    siconos_call c = {.options = siconos_options(s, tol), .point = bench_memory((size_t)(2 * n + nv), sizeof(double))};
    double* mu = siconos_vector(p->mu, p->contact_count);
    if (p->global) {
        c.global = globalFrictionContactProblem_new();
        c.global->dimension = p->dimension;
        c.global->numberOfContacts = p->contact_count;
        c.global->M = siconos_matrix(&p->M, p->dimension, s->storage);
        c.global->H = siconos_matrix(&p->H, p->dimension, s->storage);
        c.global->q = siconos_vector(p->f, p->velocity_count);
        c.global->b = siconos_vector(p->w, n);
        c.global->mu = mu;
    } else {
        c.local = frictionContactProblem_new();
        c.local->dimension = p->dimension;
        c.local->numberOfContacts = p->contact_count;
        c.local->M = siconos_matrix(&p->W, p->dimension, s->storage);
        c.local->q = siconos_vector(p->q, n);
        c.local->mu = mu;
    }
    return c;
}

// From zero, count times (at most SICONOS_BATCH), each on data of its own: the time of one. The point of the first
// comes back in r, u (d nc) and v (velocity_count, global form). The data are left to the end of the process, because
// some drivers keep pieces of them.
enum { SICONOS_BATCH = 16 };

static inline siconos_result siconos_solve(const siconos_solver* s, const sti_contact_problem* p, double tol, int count,
                                           double* point) {
    const int n = p->dimension * p->contact_count, nv = p->global ? p->velocity_count : 0;
    siconos_call call[SICONOS_BATCH];
    siconos_result result = {0};
    numerics_set_verbose(0);
    for (int k = 0; k < count; k++) call[k] = siconos_prepare(s, p, tol);
    const double begin = bench_cpu();
    for (int k = 0; k < count; k++) {
        double *r = call[k].point, *u = r + n;
        if (p->global)
            result.info = gfc3d_driver(call[k].global, r, u, u + n, call[k].options);
        else if (p->dimension == 2)
            result.info = fc2d_driver(call[k].local, r, u, call[k].options);
        else
            result.info = fc3d_driver(call[k].local, r, u, call[k].options);
    }
    result.cpu_s = (bench_cpu() - begin) / count;
    result.iterations = call[0].options->iparam[SICONOS_IPARAM_ITER_DONE];
    memcpy(point, call[0].point, (size_t)(2 * n + nv) * sizeof *point);
    for (int k = 0; k < count; k++) free(call[k].point);
    return result;
}

#else
enum { SICONOS_SOLVERS = 0 };
#endif
#endif
