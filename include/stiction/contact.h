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

#include <stiction/problem.h>

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

#define STI_CONTACT_SOLVER_LIST(X)                                                               \
    X(STI_CONTACT_AUTO, "auto")                                                                  \
    X(STI_CONTACT_GS, "gs")         /* block Gauss-Seidel, exact one-contact solver */           \
    X(STI_CONTACT_NEWTON, "newton") /* semismooth Newton, globalized */                          \
    X(STI_CONTACT_APGD, "apgd")     /* accelerated projected gradient in an outer fixed point */ \
    X(STI_CONTACT_BB, "bb")         /* Barzilai-Borwein, the same */                             \
    X(STI_CONTACT_ADMM, "admm")     /* alternating directions with residual balancing */

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

typedef struct sti_contact_answer {
    sti_outcome outcome;
    sti_termination termination;
    sti_contact_solver solver;  // who gave the answer
    int dimension, contact_count, velocity_count, bilateral_count;
    double* r;       // impulses or forces              (d nc)
    double* u;       // relative velocities, recomputed (d nc)
    double* v;       // global form                     (velocity_count), NULL for a local problem
    double* lambda;  // bilateral multipliers           (bilateral_count)
    // Residuals on the original data (docs/contact.md): natural map with rho_c = d / trace W_cc, unit invariant.
    double residual;  // sum of the next two
    double residual_contact;
    double residual_equation;  // global: |M v - H r - f| relative; bilateral rows, relative
    int worst_contact;         // where the natural map is largest; -1 when there is no contact
    long iterations;
    double time_s;
    // filled by sti_contact_describe:
    unsigned char* mode;  // sti_contact_mode        (nc)
    double* margin;       // distance to the mode's boundary, in units of r (stick, slide) or u (separate)  (nc)
    double* dissipation;  // -u_c . r_c >= 0         (nc)
    int attempt_count;
    sti_contact_attempt* attempts;
    char reason[240];
    char diagnosis[400];  // when not solved: what is wrong with the problem
} sti_contact_answer;

typedef struct sti_contact_options {
    sti_contact_solver solver;
    double tol;             // on the residual
    long max_iterations;    // 0: the method's own limit
    double time_limit_s;    // 0: none
    const double* guess_r;  // warm start (d nc), NULL: zero
    const double* guess_v;  // global form, may be NULL
    double relaxation;      // gs: omega in (0, 2)
    bool describe;          // fill modes, margins, dissipation
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

// Projection on the cone |x_t| <= mu x_n, d = 2 or 3, normal first. p may be x.
STI_API void sti_coulomb_project(int d, double mu, const double* x, double* p);

#ifdef __cplusplus
}
#endif
#endif
