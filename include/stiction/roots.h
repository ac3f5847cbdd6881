// roots.h: roots of equations written as formulas, each in an interval that is proved to hold one.
//
//     f_1(x_1, .., x_n) = 0, ..., f_n(x_1, .., x_n) = 0      in a box of R^n
//
// newton-mc   Newton's method with random weights (S3 section 3.2), many runs from one start, with their statistics
// safe        one root, or a proof that the box holds none
// all         all roots of the box
//
// Formulas are those of systems (system.h), without time and velocities; 0.1 in them stands for a tenth and pi for the
// number. docs/bounds.md has the theorems and what they rest on.
#ifndef STICTION_ROOTS_H
#define STICTION_ROOTS_H

#include <stdbool.h>
#include <stiction/document.h>
#include <stiction/interval.h>
#include <stiction/problem.h>
#include <stiction/system.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { STI_ROOT_VARIABLES_MOST = 8 };

#define STI_ROOT_METHOD_LIST(X) \
    X(STI_ROOT_SAFE, "safe")    \
    X(STI_ROOT_ALL, "all")      \
    X(STI_ROOT_NEWTON_MC, "newton-mc")

#define STI_X(code, text) code,
typedef enum sti_root_method { STI_ROOT_METHOD_LIST(STI_X) } sti_root_method;
#undef STI_X

STI_API const char* sti_root_method_text(sti_root_method method);

typedef struct sti_root_options {
    sti_root_method method;
    double width;         // of an enclosure, relative to the root: not refined below this                 (1e-12)
    long max_boxes;       // of safe and all: boxes looked at before the rest is given up as open          (200000)
    double time_limit_s;  // 0: none
    // newton-mc
    uint64_t seed;        // of splitmix64                                                                 (1)
    long runs;            // N                                                                             (100)
    long max_iterations;  // maxIter                                                                       (100)
    double tol_f;         // tolFun                                                                        (1e-12)
    double gamma;         // the weight of every step; NAN: drawn from (0, 1), one for each step           (NAN)
    long digits;          // decimal digits of a study of the order of convergence; 0: none                (0)
} sti_root_options;

STI_API sti_root_options sti_root_options_default(void);

// What is given. Texts are formulas; a bound uses no variables.
typedef struct sti_root_problem {
    int variable_count;            // n, at most STI_ROOT_VARIABLES_MOST
    const char* const* variables;  // names                                                              (n)
    const char* const* low;        // the box; NULL: none, for newton-mc only                            (n)
    const char* const* high;       // (n)
    int definition_count;
    const sti_system_named* definitions;  // each may use variables and those before it
    const char* const* equations;         // "f", standing for f = 0, or "f = g"                                 (n)
    const double* start;                  // NULL: the middle of the box                                        (n)
    sti_root_options options;             // what the file asks for
} sti_root_problem;

#define STI_ROOT_PROOF_LIST(X)                                    \
    X(STI_ROOT_UNIQUE, "one root, by interval Newton")            \
    X(STI_ROOT_EXACT, "a root: the formulas are exactly 0 there") \
    X(STI_ROOT_CHANGE, "at least one root: the sign changes over the interval")

#define STI_X(code, text) code,
typedef enum sti_root_proof { STI_ROOT_PROOF_LIST(STI_X) } sti_root_proof;
#undef STI_X

STI_API const char* sti_root_proof_text(sti_root_proof proof);

typedef struct sti_root {
    sti_root_proof proof;
    const sti_interval* x;       // holds the root                                                          (n)
    const sti_interval* region;  // holds no other one; NULL: not known                                     (n)
    double width;                // largest width of x, relative to the coordinate (absolute where x holds 0)
    bool edge;                   // x reaches over the edge of the box: the root itself may lie just outside
    long runs;                   // of newton-mc that ended there
} sti_root;

// A box of the search and how it ended. The boxes together are the whole box.
typedef enum sti_root_leaf {
    STI_ROOT_LEAF_NONE,  // no root: an equation is not 0 anywhere on it, at once or after contraction
    STI_ROOT_LEAF_ROOT,  // lies in the region of a root, or has been contracted into it
    STI_ROOT_LEAF_OPEN   // not decided
} sti_root_leaf;

// Runs of newton-mc, and Newton's own method from the same start beside them.
typedef struct sti_root_runs {
    long runs;
    long successes;              // ended with |f| <= tol_f within 1e-6 of a proved root
    long spurious;               // ended with |f| <= tol_f where no root is proved to be near
    double rate;                 // successes / runs
    double rate_low, rate_high;  // 95 % confidence interval of the probability (Wilson)
    double mean_iterations;      // of the successes; NAN: there are none
    long evaluations;            // of f and f' in all runs
    bool newton_converged;
    long newton_iterations;  // to |f| <= tol_f, or to where it stopped
    int iterate_count;       // at most 6
    double newton_iterate[6][STI_ROOT_VARIABLES_MOST];
} sti_root_runs;

// Order of convergence of the iteration with a fixed weight, in `digits` decimal digits. e_k is the largest error of
// x_k, measured from where the iteration ends; numbers that are no doubles are replaced by the nearest ones.
typedef struct sti_root_order {
    int count;                  // of iterates with an error above the rounding; 0: it did not converge
    const double* iterate;      // x_k, k = 0, 1, ..                                                       (count x n)
    const double* log10_error;  // log10 e_k                                                               (count)
    const double* order;        // log(e_{k+2}/e_{k+1}) / log(e_{k+1}/e_k)                                  (count - 2)
    double gamma;               // 1/2 where none is given
} sti_root_order;

typedef struct sti_root_answer {
    sti_root_method method;
    int n;
    sti_outcome outcome;  // solved; no solution: proved; unknown
    bool complete;        // all: every root of the box is in the list, and only roots are
    int root_count;
    const sti_root* roots;    // ascending in the first coordinate                                          (root_count)
    const sti_interval* box;  // what was searched: the given box, rounded outward; NULL: none              (n)
    int leaf_count;           // certificate of all and of "no solution"
    const sti_interval* leaf_box;  // (leaf_count x n)
    const unsigned char* leaf;     // sti_root_leaf                                                       (leaf_count)
    int open_count;                // leaves that are open, joined where they touch
    const sti_interval* open;      // (open_count x n)
    char reason[240];              // why unknown; "": nothing to say
    long evaluations;              // of f and of f', each counted once for each point or box
    long boxes;
    sti_root_runs runs;    // newton-mc
    sti_root_order order;  // where digits > 0
    double time_s;
    void* memory;  // what the pointers above point to
} sti_root_answer;

// options NULL: those of the problem. STI_ERR_INPUT names the formula or the bound that is wrong.
STI_API sti_status sti_root_solve(sti_env* env, const sti_root_problem* problem, const sti_root_options* options,
                                  sti_root_answer* out);
STI_API void sti_root_answer_clear(sti_env* env, sti_root_answer* answer);

// ---- an independent check: shares no code with the solvers (docs/reliability.md)

// What was checked, and what it found: the first claim that does not hold, or that could not be confirmed.
typedef struct sti_root_verification {
    bool accepted;
    int roots_checked;
    int boxes_checked;
    char text[240];
} sti_root_verification;

// Formulas are read again and evaluated on intervals of some 200 bits (exact/span.h), with derivatives: that each
// interval holds a root, that its region holds no other one, that every box claimed empty is, and that the boxes cover
// what was searched.
STI_API sti_status sti_verify_root(sti_env* env, const sti_root_problem* problem, const sti_root_answer* answer,
                                   sti_root_verification* out);

// What a document holds (document.h); NULL when of another kind.
STI_API const sti_root_problem* sti_root_problem_of(const sti_document* document);

#ifdef __cplusplus
}
#endif
#endif
