// stochastic.h: one decision for many scenarios: convex quadratic programs with expectation and scenario rows (S3 3.1).
//
//     min  1/2 x'Q0 x + c0'x + sum_i p_i (1/2 y_i'Q_i y_i + c_i'y_i)
//     bl <= T0 x + sum_i p_i T_i y_i <= bu          expectation rows   (p)
//     dl_i <= W0 x + W_i y_i <= du_i                scenario rows      (q_i)
//     lb <= x <= ub,   lb_i <= y_i <= ub_i          0 and infinity where nothing is said
//
// x is decided before the scenario is known, y_i in scenario i. A point is the best one exactly when there are
// multipliers pi of the expectation rows and l_i of the scenario rows such that each entry of
//
//     g_0 = Q0 x + c0 + T0'pi + sum_i W0'l_i,     g_i = p_i (Q_i y_i + c_i + T_i'pi) + W_i'l_i
//
// is positive only at a lower bound of its variable and negative only at an upper one, and pi, l_i are positive only at
// an upper side of their row and negative only at a lower one.
#ifndef STICTION_STOCHASTIC_H
#define STICTION_STOCHASTIC_H

#include <stiction/conic.h>
#include <stiction/document.h>

#ifdef __cplusplus
extern "C" {
#endif

// A matrix of no rows stands for zeros of the right size; of W0: for that of the program.
typedef struct sti_scenario {
    double probability;
    int m, q;               // variables y, rows
    sti_matrix Q;           // m x m, symmetric, positive semidefinite
    sti_matrix T;           // p x m
    sti_matrix W;           // q x m
    sti_matrix W0;          // q x n
    const double* c;        // NULL: 0                                   (m)
    const double *dl, *du;  // equal: an equation; infinite: no such side; NULL: 0     (q)
    const double *lb, *ub;  // NULL: 0, none                             (m)
} sti_scenario;

typedef struct sti_stochastic {
    int n, p;  // variables x, expectation rows
    sti_matrix Q0, T0, W0;
    const double* c0;       // (n)
    const double *bl, *bu;  // (p)
    const double *lb, *ub;  // (n)
    int scenario_count;
    const sti_scenario* scenarios;  // probabilities sum to 1
} sti_stochastic;

typedef struct sti_stochastic_answer {
    sti_conic_outcome outcome;
    int n, p, scenario_count;
    size_t y_count, l_count;    // of all scenarios
    size_t *y_start, *l_start;  // where each scenario's begin          (scenario_count + 1)
    // solved, limit: the point and its multipliers. infeasible: pi, l of a combination of the rows that no point of the
    // bounds satisfies; x, y are NAN. unbounded: x, y a direction along which no row or bound ends and the objective
    // falls by 1; pi, l are NAN.
    double* x;               // (n)
    double* y;               // (y_count)
    double* pi;              // (p)
    double* l;               // (l_count)
    double residual_primal;  // largest violation of a row, over the largest side or product in it
    double residual_dual;    // largest entry of g on a side without a bound, over the largest of its terms
    double residual;         // the larger one; of a certificate: what it violates
    double objective;
    double gap;    // what the multipliers leave open: objective - lower bound, over 1 + |objective|
    double bound;  // infeasible: every point that satisfies rows and bounds has |(x, y)|_1 >= bound
    long iterations;
    double time_s;
    char reason[160];
} sti_stochastic_answer;

// Several processes that solve one program together. Each has the first stage and its own scenarios, with the
// probabilities that they have in the whole program, and calls the same function with the same options. Answers have x
// and pi, the same on every rank, y and l of the rank's own scenarios; residuals, objective, gap and certificates are
// those of the whole program. libstiction_tao has a team over MPI.
typedef struct sti_stochastic_team {
    int rank, size;
    // Entry by entry over all ranks, in place: the sum, or the largest. The same bits on every rank; returns when all
    // have come.
    void (*sum)(void* user, double* x, size_t count);
    void (*most)(void* user, double* x, size_t count);
    void* user;
} sti_stochastic_team;

typedef struct sti_stochastic_options {
    double tol;                          // 1e-9
    long max_iterations;                 // 100
    double time_limit_s;                 // 0: none. The best answer so far comes back
    const sti_stochastic_answer* start;  // an answer to a program of the same sizes to start from; NULL: none
    const sti_stochastic_team* team;     // NULL: this process has all scenarios
    void (*trace)(void* user, const char* solver, long iteration, double gap);  // may be NULL
    void* trace_user;
} sti_stochastic_options;

STI_API sti_stochastic_options sti_stochastic_options_default(void);

// options NULL: the defaults. Scenarios are shared among the workers of the environment; the bits do not depend on
// their number.
STI_API sti_status sti_stochastic_solve(sti_env* env, const sti_stochastic* program,
                                        const sti_stochastic_options* options, sti_stochastic_answer* answer);
// The answers of all ranks of a team, each with y and l of its own scenarios, made into that of the whole program, on
// each of them. Every rank calls it. Cleared on failure.
STI_API sti_status sti_stochastic_answer_gather(sti_env* env, const sti_stochastic_team* team,
                                                sti_stochastic_answer* answer);
STI_API void sti_stochastic_answer_clear(sti_env* env, sti_stochastic_answer* answer);  // accepts a cleared one

// One Newton system of the method, to look at: (3.1.7) with given diagonals and right-hand sides, by its Schur
// complement
//
//     C = K_0 - sum_i B_i'K_i^-1 B_i,   K_0 = [Q0 + D_0, T0'; T0, 0],   K_i = [p_i Q_i + D_i, W_i'; W_i, 0],
//         B_i = [0, p_i T_i'; W0, 0]
typedef struct sti_stochastic_system {
    const double* D0;    // positive       (n)
    const double* D;     // all scenarios  (sum of m)
    const double* rhs0;  // (n + p)
    const double* rhs;   // of each scenario m + q, all in a row
} sti_stochastic_system;

typedef struct sti_stochastic_step {
    int order;        // n + p
    size_t size;      // of z
    double* C;        // row major                   (order x order)
    double* eigen;    // its eigenvalues, ascending  (order)
    double* z0;       // (order)
    double* z;        // of each scenario m + q      (size)
    double residual;  // largest row of the system, over the largest right-hand side
} sti_stochastic_step;

// STI_ERR_ARGUMENT: the system, or the block of a scenario, is singular.
STI_API sti_status sti_stochastic_newton_step(sti_env* env, const sti_stochastic* program,
                                              const sti_stochastic_system* system, sti_stochastic_step* step);
STI_API void sti_stochastic_step_clear(sti_env* env, sti_stochastic_step* step);  // accepts a cleared one

// ---- sample averages

// Of independent values: their mean, their deviation, and the interval that holds the mean of their distribution with
// probability 95 % where that is normal (Student). NAN where there are too few.
typedef struct sti_average {
    long count;
    double mean;
    double deviation;
    double low, high;
} sti_average;

STI_API sti_average sti_average_of(const double* values, long count);

// ---- files
//
// {"kind": "stochastic", "Q0", "c0", "T0", "W0", "b" (or "bl", "bu"), "lb", "ub",
//  "common": {..}, "scenarios": [{"p", "Q", "c", "T", "W", "W0", "d" (or "dl", "du"), "lb", "ub"}, ..]}
// or, in place of "scenarios", "sample": {"random": {"z": "normal", "u": "uniform"}, "definitions": {..}, "scenario":
// {..}} whose numbers may be formulas of these names (docs/optimization.md).

STI_API const sti_stochastic* sti_stochastic_of(const sti_document* document);  // NULL: another kind, or a sample
// The document with the scenarios of one rank of a team alone, the rank-th of `size` parts in their order; where no
// scenario says its probability it is one over the number of all. Of HDF5 nothing else is read, of JSON nothing else is
// kept.
STI_API sti_status sti_stochastic_load_part(sti_env* env, const char* path, int rank, int size, sti_document** out);
STI_API bool sti_stochastic_is_sampled(const sti_document* document);
// `count` scenarios drawn from the distribution, the same ones for the same seed; *seed goes on, for the next ones.
STI_API sti_status sti_stochastic_sample(sti_env* env, const sti_document* document, int count, uint64_t* seed,
                                         sti_stochastic** out);
STI_API void sti_stochastic_sample_destroy(sti_env* env, sti_stochastic* sample);  // accepts NULL

// x, y (a list for each scenario), pi, l at the top for a point, inside "certificate" for one.
STI_API sti_status sti_stochastic_answer_json(sti_env* env, const sti_stochastic_answer* answer, char** out);
STI_API sti_status sti_stochastic_answer_save(sti_env* env, const sti_stochastic_answer* answer, const char* path);
STI_API sti_status sti_stochastic_answer_load(sti_env* env, const sti_stochastic* program, const char* path,
                                              sti_stochastic_answer* out);
STI_API sti_status sti_stochastic_answer_parse(sti_env* env, const sti_stochastic* program, const char* text,
                                               size_t size, const char* name, sti_stochastic_answer* out);

// {"D0": [..], "D": [[..], ..], "rhs0": [..], "rhs": [[..], ..]}: one Newton system.
STI_API sti_status sti_stochastic_system_load(sti_env* env, const sti_stochastic* program, const char* path,
                                              sti_stochastic_system** out);
STI_API sti_status sti_stochastic_system_parse(sti_env* env, const sti_stochastic* program, const char* text,
                                               size_t size, const char* name, sti_stochastic_system** out);
STI_API void sti_stochastic_system_destroy(sti_env* env, sti_stochastic_system* system);  // accepts NULL

// ---- an independent check: shares no code with the solvers (docs/reliability.md)

// Residuals, the gap and certificates anew in extended precision, from x, y, pi and l alone.
typedef struct sti_stochastic_verification {
    bool accepted;            // the claim holds, residuals within tol
    bool convex;              // every Q is positive semidefinite
    sti_conic_outcome claim;  // the outcome the answer claims
    double residual;          // of rows, bounds and gradient; of a certificate: what it violates
    double objective;         // of a point
    double gap;               // of a point: what the multipliers leave open, over 1 + |objective|
    double bound;             // of a Farkas vector: no point with |(x, y)|_1 below it
    char text[240];
} sti_stochastic_verification;

STI_API sti_status sti_verify_stochastic(sti_env* env, const sti_stochastic* program,
                                         const sti_stochastic_answer* answer, double tol,
                                         sti_stochastic_verification* out);

#ifdef __cplusplus
}
#endif
#endif
