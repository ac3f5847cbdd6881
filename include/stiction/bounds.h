// bounds.h: inequalities whose numbers are proved: both sides are intervals that hold the real values.
//
//     modulus    omega(f; t), the modulus of continuity of f on [a, b], and omega~(f; t), its least concave majorant
//     gruess     |A(fg) + B(fg) - A(f)B(g) - B(f)A(g)| <= omega~(f; s) omega~(g; s),  s^2 = A_x B_y (x - y)^2
//                (Chebyshev-Gruess, S3 (2.5.14), (2.5.15)); of a joint density: |cov(f(U), g(V))|, (2.5.18)-(2.5.20)
//     hadamard   |int w f - f(a_1)| <= (|f'(a)| A + |f'(b)| B)/(b - a), |f'| convex
//                (Hermite-Hadamard, S3 (2.5.22), (2.5.23) with the right A and B)
//
// A and B are positive functionals that keep constants: a density on [a, b], point masses, or both.
//
// What cannot be decided is said so: outcome STI_UNKNOWN and a reason. docs/bounds.md has the theorems.
#ifndef STICTION_BOUNDS_H
#define STICTION_BOUNDS_H

#include <stdbool.h>
#include <stiction/document.h>
#include <stiction/interval.h>
#include <stiction/problem.h>
#include <stiction/system.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STI_BOUND_WHAT_LIST(X)      \
    X(STI_BOUND_MODULUS, "modulus") \
    X(STI_BOUND_GRUESS, "gruess")   \
    X(STI_BOUND_HADAMARD, "hadamard")

#define STI_X(code, text) code,
typedef enum sti_bound_what { STI_BOUND_WHAT_LIST(STI_X) } sti_bound_what;
#undef STI_X

STI_API const char* sti_bound_what_text(sti_bound_what what);

// All texts are formulas; those of numbers use no variables.
typedef struct sti_functional {
    const char* density;  // of x; NULL: none, or the uniform one where there are no atoms either
    int atom_count;
    const char* const* atom_at;    // points of [a, b]                                                   (atom_count)
    const char* const* atom_mass;  // >= 0                                                               (atom_count)
} sti_functional;

typedef struct sti_bound_problem {
    sti_bound_what what;
    const char* low;  // the interval [a, b]
    const char* high;
    int definition_count;
    const sti_system_named* definitions;  // each may use those before it
    const char* f;                        // of x
    const char* g;                        // of x; gruess
    sti_functional A, B;                  // of hadamard: A is the weight
    bool one_functional;                  // B is A
    const char* joint;                    // gruess: density of (u, v) on the square instead of A and B; f of u, g of v
    const char* other_joint;              // a second one; NULL: the same
    int t_count;
    const char* const* t;  // modulus: where                                                     (t_count)
    bool normalize;        // densities are divided by their integral; otherwise it must be 1
    double tol;            // of omega and omega~, relative to the oscillation of f              (1e-10)
} sti_bound_problem;

// One number of the answer, by the name docs/bounds.md explains.
typedef struct sti_bound_number {
    char name[32];
    sti_interval value;
} sti_bound_number;

enum { STI_BOUND_NUMBERS = 40 };

typedef struct sti_bound_answer {
    sti_bound_what what;
    sti_outcome outcome;  // solved: every number is enclosed and the inequality holds as stated; no solution: its
                          // conditions are not met; unknown: that could not be decided
    char reason[240];     // "": nothing to say
    sti_interval low, high;
    int count;
    sti_bound_number number[STI_BOUND_NUMBERS];
    bool equality;  // both sides are equal, by an argument and not by their numbers
    char equality_why[120];
    int t_count;
    const sti_interval* t;            // modulus                                                          (t_count)
    const sti_interval* omega;        // (t_count)
    const sti_interval* omega_tilde;  // (t_count)
    long evaluations;                 // of formulas over cells and panels
    double time_s;
    double time_integrals_s;
    void* memory;
} sti_bound_answer;

// STI_ERR_INPUT: a formula is wrong, a density is none, a function is not continuous: one line says which and where.
STI_API sti_status sti_bound_solve(sti_env* env, const sti_bound_problem* problem, sti_bound_answer* out);
STI_API void sti_bound_answer_clear(sti_env* env, sti_bound_answer* answer);
// A number of the answer; NULL: it has none of that name.
STI_API const sti_interval* sti_bound_find(const sti_bound_answer* answer, const char* name);

// What a document holds (document.h); NULL when of another kind.
STI_API const sti_bound_problem* sti_bound_problem_of(const sti_document* document);

// ---- an independent check: shares no code with the solvers (docs/reliability.md)

typedef struct sti_bound_verification {
    bool accepted;
    double agreement;  // largest distance, relative to the size, that is left between a number and its own enclosure
    char text[240];
} sti_bound_verification;

// The quantity and its bound are enclosed again, by rules of low order on many cells over spans: no number may lie
// outside, and the inequality must hold for the new enclosures.
STI_API sti_status sti_verify_bound(sti_env* env, const sti_bound_problem* problem, const sti_bound_answer* answer,
                                    sti_bound_verification* out);

#ifdef __cplusplus
}
#endif
#endif
