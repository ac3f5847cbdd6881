// contact.h: frictional contact problems: the one algebraic problem under every contact code.
//
//     local     u = W r + V l + q,                            0 = V'r + R l + s
//     global    M v = H r + G l + f,    u = H'v + w,          0 = G'v + b
//
// with, for every contact c, Signorini's condition and Coulomb's law, exactly:
//
//     K_mu contains r_c,    K_mu* contains u_c + mu_c |u_t,c| n,    both orthogonal,       K_mu = { |r_t| <= mu r_n }.
//
// Vectors over contacts are flat, d numbers for each contact, normal first. l are multipliers of optional bilateral
// rows. M may be only semidefinite. Knows no bodies.
#ifndef STICTION_CONTACT_H
#define STICTION_CONTACT_H

#include <stiction/document.h>
#include <stiction/problem.h>
#include <stiction/section.h>

#ifdef __cplusplus
extern "C" {
#endif

// W as an operator, when it is too large to be stored: apply computes y = W x, and the diagonal blocks are known.
typedef struct sti_contact_operator {
    void (*apply)(void* user, const double* x, double* y);  // x, y (d nc)
    void* user;
    const double* diagonal;  // blocks W_cc, row major      (nc x d x d)
} sti_contact_operator;

typedef struct sti_contact_problem {
    int dimension;      // d: 2 or 3
    int contact_count;  // nc
    const double* mu;   // friction coefficients, >= 0      (nc)
    // What mu multiplies: K = { r_t in mu r_n S }, S the section (section.h); NULL: discs       (nc)
    const sti_section* section;
    bool global;
    int bilateral_count;  // nb, rows of l; 0: none

    // local
    sti_matrix W;                      // d nc x d nc, symmetric positive semidefinite
    const sti_contact_operator* W_op;  // instead of W; NULL when W is a matrix
    const double* q;                   // (d nc)
    sti_matrix V;                      // d nc x nb
    sti_matrix R;                      // nb x nb
    const double* s;                   // (nb)

    // global
    int velocity_count;  // nv
    sti_matrix M;        // nv x nv, symmetric positive semidefinite
    sti_matrix H;        // nv x d nc
    sti_matrix G;        // nv x nb
    const double* f;     // (nv)
    const double* w;     // (d nc)
    const double* b;     // (nb)
} sti_contact_problem;

// The solvers, a line for each, as in problem.h. Methods work on the local form, and are files of src/contact;
// velocities is Newton's method on the velocities of rigid bodies, in the global form.
#define STI_CONTACT_METHOD_LIST(X)                                                             \
    X(STI_CONTACT_GS, gs)         /* block Gauss-Seidel, exact one-contact solver */           \
    X(STI_CONTACT_NEWTON, newton) /* semismooth Newton, globalized */                          \
    X(STI_CONTACT_APGD, apgd)     /* accelerated projected gradient in an outer fixed point */ \
    X(STI_CONTACT_BB, bb)         /* Barzilai-Borwein, the same */                             \
    X(STI_CONTACT_ADMM, admm)     /* alternating directions with residual balancing */         \
    X(STI_CONTACT_IPM, ipm)       /* interior point for the convex problem, the same */        \
    X(STI_CONTACT_LEMKE, lemke)   /* Lemke on cones cut to facets, refined; small problems */

#define STI_CONTACT_SOLVER_LIST(X) \
    X(STI_CONTACT_AUTO, auto)      \
    STI_CONTACT_METHOD_LIST(X)     \
    X(STI_CONTACT_VELOCITIES, velocities)

#define STI_CONTACT_MODE_LIST(X)     \
    X(STI_MODE_SEPARATE, "separate") \
    X(STI_MODE_STICK, "stick")       \
    X(STI_MODE_SLIDE, "slide")

#define STI_X(code, text) code,
typedef enum sti_contact_solver { STI_CONTACT_SOLVER_LIST(STI_X) STI_CONTACT_SOLVER_COUNT } sti_contact_solver;
typedef enum sti_contact_mode { STI_CONTACT_MODE_LIST(STI_X) } sti_contact_mode;
#undef STI_X

STI_API const char* sti_contact_solver_text(sti_contact_solver solver);
STI_API const char* sti_contact_mode_text(sti_contact_mode mode);
STI_API bool sti_contact_solver_parse(const char* name, sti_contact_solver* out);

typedef struct sti_contact_attempt {
    sti_contact_solver solver;
    sti_termination termination;
    double residual;
    long iterations;
    double time_s;
    char why[120];
} sti_contact_attempt;

// Why there is no solution: motions that obey the bilateral rows and part or stay at every contact do not exist. y >= 0
// and lambda are multipliers of u_n >= 0 and of the bilateral rows, and for every motion and every force of the problem
//
//     global    sum_c y_c u_n,c = (H_n y + G lambda)'v + w_n'y + b'lambda,                    H_n y + G lambda = 0
//     local     sum_c y_c u_n,c = (W y + V lambda)'r + (V'y + R lambda)'l + q_n'y + s'lambda,    both brackets 0
//
// is negative, where no u_n is: Farkas' lemma. Friction plays no part in it. The brackets vanish up to rounding only:
// then a solution, if there were one, would need velocities (forces) at least as large as bound.
typedef struct sti_contact_certificate {
    sti_proof proof;  // STI_PROOF_FARKAS, or STI_PROOF_NONE
    double* y;        // one for each contact, >= 0      (contact_count)
    double* lambda;   // (bilateral_count)
    double bound;     // on |v|_1 (global), |r|_1 + |l|_1 (local)
} sti_contact_certificate;

typedef struct sti_contact_answer {
    sti_outcome outcome;
    sti_termination termination;
    sti_contact_solver solver;  // who gave the answer
    int dimension, contact_count, velocity_count, bilateral_count;
    double* r;       // impulses or forces              (d nc)
    double* u;       // relative velocities, recomputed (d nc)
    double* v;       // global form                     (velocity_count), NULL for a local problem
    double* lambda;  // bilateral multipliers           (bilateral_count)
    // Residuals on the original data, every contact and every row against its own terms (docs/contact.md): invariant
    // under units and under the scaling of any contact. Solved means residual <= tol.
    double residual;           // sum of the next two
    double residual_contact;   // distance of the contacts from the law
    double residual_equation;  // global: M v - H r - G l - f; bilateral rows
    double runaway;            // far of docs/contact.md, of the island that has most of it: residuals count that often
    int worst_contact;         // farthest from the law, against its own terms; -1 when there is no contact
    long iterations;
    double time_s;
    // filled by sti_contact_describe:
    unsigned char* mode;  // sti_contact_mode        (nc)
    double* margin;       // distance to the mode's boundary, in units of r (stick, slide) or u (separate)  (nc)
    double* dissipation;  // -u_c . r_c >= 0         (nc)
    // with options.minimum_norm: r is the smallest of all forces that go with these velocities
    double undetermined;         // |r of the method - r|, the part that was arbitrary; NAN when not asked for
    int undetermined_dimension;  // directions of r, at contacts that carry, that move nothing; -1 when not asked for
    sti_contact_certificate certificate;  // when there is no solution
    int attempt_count;
    sti_contact_attempt* attempts;
    char reason[240];
    char diagnosis[400];  // when not solved: what is wrong with the problem
} sti_contact_answer;

// For alike problems in turn, in the global form with a general M: what was found about where M and the contacts have
// entries (the order of elimination, the pattern of the factor, and its room) is kept for the next problem with the
// same pattern, entry by entry; one with another pattern takes its place. Answers are the same bit for bit. For one
// solve at a time, and for the environment that it was made with, which it must not outlive.
typedef struct sti_contact_memory sti_contact_memory;

STI_API sti_status sti_contact_memory_create(sti_env* env, sti_contact_memory** out);
STI_API void sti_contact_memory_destroy(sti_contact_memory* memory);  // accepts NULL

typedef struct sti_contact_options {
    sti_contact_solver solver;
    double tol;             // on the residual
    long max_iterations;    // 0: the method's own limit
    double time_limit_s;    // 0: none
    const double* guess_r;  // warm start (d nc), NULL: zero
    const double* guess_v;  // global form, may be NULL
    double relaxation;      // gs: omega in (0, 2)
    bool describe;          // fill modes, margins, dissipation; look for the reason when not solved
    bool minimum_norm;      // of all r with the same velocities the smallest; needs W as a matrix (docs/contact.md)
    sti_contact_memory* memory;  // of problems before, and of this one for those after; NULL: none
    void (*trace)(void* user, const char* solver, long iteration, double residual);
    void* trace_user;
} sti_contact_options;

STI_API sti_contact_options sti_contact_options_default(void);

STI_API sti_status sti_contact_solve(sti_env* env, const sti_contact_problem* problem,
                                     const sti_contact_options* options, sti_contact_answer* answer);
STI_API void sti_contact_answer_clear(sti_env* env, sti_contact_answer* answer);

// Residuals of (r, v, lambda) on the original data; fills u, the residual fields and worst_contact.
STI_API sti_status sti_contact_residual(sti_env* env, const sti_contact_problem* problem, sti_contact_answer* answer);
// Modes, margins and dissipation of the point in the answer.
STI_API sti_status sti_contact_describe(sti_env* env, const sti_contact_problem* problem, sti_contact_answer* answer);

// What is known about a question of the kind "is there ...".
#define STI_CONTACT_FINDING_LIST(X)                                                   \
    X(STI_FINDING_UNKNOWN, "unknown")       /* the numbers do not settle it */        \
    X(STI_FINDING_HOLDS, "holds")           /* a witness was found and checked */     \
    X(STI_FINDING_FAILS, "fails")           /* a dual vector was found and checked */ \
    X(STI_FINDING_NOT_TESTED, "not_tested") /* too large, or W is only an operator */

#define STI_X(code, text) code,
typedef enum sti_contact_finding { STI_CONTACT_FINDING_LIST(STI_X) } sti_contact_finding;
#undef STI_X

STI_API const char* sti_contact_finding_text(sti_contact_finding finding);

// A motion is v in the global form; in the local form the forces and multipliers (r, l) that would make it.
typedef struct sti_contact_test {
    sti_contact_finding finding;
    // holds: least distance of u from the border, over the largest u; fails: -(w'r + b'lambda), relative
    double margin;
    double defect;   // of the motion in the bilateral rows, of the forces in H r + G lambda = 0; relative
    double bound;    // feasible fails: no motion with |x|_1 below it has u_n >= 0; NAN otherwise
    double* motion;  // holds: the witness      (motion_count), NULL otherwise
    double* r;       // fails: the dual vector  (d nc), NULL otherwise
    double* lambda;  // and its multipliers     (nb)
} sti_contact_test;

// Can the problem have a solution? docs/contact.md states the theorems. Every witness and every dual vector is checked
// on the original data; "up to rounding" is meant throughout.
typedef struct sti_contact_existence {
    int dimension, contact_count, bilateral_count, motion_count;
    // holds: no r in K but 0 moves nothing; then `strict` holds for every w (and consistent b). fails: r in K moves
    // nothing
    sti_contact_test pointed;
    // holds: a motion with u in the interior of K*, and b obeyed. Sufficient for a solution when `definite`
    sti_contact_test strict;
    // holds: a motion with u_n >= 0, and b obeyed. Necessary: where it fails there is no solution
    sti_contact_test feasible;
    bool definite;         // M is positive definite; local: W (with V, R) is symmetric and positive semidefinite
    bool exists;           // strict and definite: there is a solution
    int kernel_dimension;  // directions of r that W does not see; -1: not counted
    int negative_count;    // eigenvalues of W (symmetric part, scaled) that are negative; -1: not counted
    double block_ratio;    // largest over smallest trace of W_cc, of those that are positive; NAN: none
    double mass_ratio;     // the same for the diagonal of M; NAN: local form
    int still_count;       // contacts that move nothing, W_cc = 0
    double time_s;
} sti_contact_existence;

// time_limit_s: 0: none. The result is filled (and must be cleared) whenever STI_OK is returned.
STI_API sti_status sti_contact_existence_analyze(sti_env* env, const sti_contact_problem* problem, double time_limit_s,
                                                 sti_contact_existence* out);
STI_API void sti_contact_existence_clear(sti_env* env, sti_contact_existence* existence);

// Projection on the cone |x_t| <= mu x_n, d = 2 or 3, normal first. p may be x.
STI_API void sti_coulomb_project(int d, double mu, const double* x, double* p);

// ---- an independent check: shares no code with the solvers (docs/reliability.md)

// The residual is that of sti_contact_residual, computed anew in extended precision from r, v and lambda alone: u of
// the answer is not believed, nor are the residuals it states.
typedef struct sti_contact_verification {
    bool accepted;      // "solved" is claimed, and residual <= tol; or "no_solution", and the certificate proves it
    bool exact;         // no_solution: checked without rounding, and for every solution
    sti_outcome claim;  // what the answer claims
    double residual;    // sum of the next two; NAN when nothing could be computed
    double residual_contact;
    double residual_equation;
    int worst_contact;             // farthest from the law, against its own terms; -1 when there is no contact
    double worst_cone_violation;   // largest distance of r_c from its cone, in units of r
    double worst_penetration;      // largest -u_n, in units of u; 0 when no contact closes
    double worst_complementarity;  // largest |r_c . (u_c + mu |u_t| n)|, in units of r u
    double bound;                  // no_solution: there is none with |v|_1 (local: |r|_1 + |l|_1) below; NAN otherwise
    char text[240];                // verdict in a sentence, with the first thing that fails
} sti_contact_verification;

// A problem that is not well posed is an error; an answer that does not fit it, or is not finite, is rejected.
STI_API sti_status sti_verify_contact(sti_env* env, const sti_contact_problem* problem,
                                      const sti_contact_answer* answer, double tol, sti_contact_verification* out);

// What a document holds, FCLIB that is (document.h; io.h has what stands beside it); NULL when of another kind.
STI_API const sti_contact_problem* sti_contact_problem_of(const sti_document* document);

#ifdef __cplusplus
}
#endif
#endif
