// fit.h: parameters of a model from measured data: least largest residual, or least sum of squares, without
// derivatives.
//
//     min over x in the box of  max_i |r_i(x)|   or   sqrt(sum_i r_i(x)^2)
//
// by the method of Nelder and Mead, begun again from its best point until that changes nothing (S3 2.4, reference [34]
// there). What the data do not determine is told apart by the derivatives of the residuals at the end.
#ifndef STICTION_FIT_H
#define STICTION_FIT_H

#include <stdbool.h>
#include <stiction/document.h>
#include <stiction/system.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sti_fit_norm { STI_FIT_LARGEST, STI_FIT_SQUARES } sti_fit_norm;

typedef struct sti_fit_problem {
    int n;                // parameters
    int m;                // residuals
    const double* start;  // (n)
    const double* low;    // NULL: none; -INFINITY: none                         (n)
    const double* high;   // (n)
    // size of the data: a parameter whose change by its own size changes less than 1e-6 of it is open; 0: unknown
    double scale;
    // residuals (m) at x (n). STI_OK with a residual that is not finite: there is no model there, any other point is
    // better.
    sti_status (*residuals)(void* user, const double* x, double* r);
    void* user;
} sti_fit_problem;

typedef struct sti_fit_options {
    sti_fit_norm norm;
    double edge;           // of the first simplex: x_i (1 + edge)  (default 0.05; of an x_i that is 0: 0.00025)
    long max_evaluations;  // default 100000
    int most_restarts;     // default 200
} sti_fit_options;

STI_API sti_fit_options sti_fit_options_default(void);

typedef struct sti_fit_answer {
    bool converged;  // no restart, with simplices of several sizes, found anything better
    int n, m;
    double* x;  // (n)
    double* r;  // residuals there                                                        (m)
    double value;
    long iterations, evaluations;
    int restarts;
    bool* at_bound;  // (n)
    // Columns of the derivatives of r, scaled by the size of each parameter: a singular value below STI_FIT_FLOOR times
    // the largest, or times the scale of the data, is a direction that they do not determine.
    double* singular;   // descending                                                     (n)
    double* direction;  // of each, in scaled parameters, unit                            (n x n)
    int undetermined;   // the last of them
} sti_fit_answer;

#define STI_FIT_FLOOR 1e-6

STI_API sti_status sti_fit_solve(sti_env* env, const sti_fit_problem* problem, const sti_fit_options* options,
                                 sti_fit_answer* answer);
STI_API void sti_fit_answer_clear(sti_env* env, sti_fit_answer* answer);

// A document of kind "model": its formulas of t are the gaps of a system, sti_system_gap evaluates them. NULL: of
// another kind.
STI_API sti_system* sti_model_of(const sti_document* document);

#ifdef __cplusplus
}
#endif
#endif
