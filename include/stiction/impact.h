// impact.h: what the impact laws of S1 say about one instant, side by side, and which of them keep the three rules:
//
//     kinematic   qdot_norm+ >= 0        kinetic   p_n >= 0        energetic   T_L = T+ - T- <= 0
//
// The velocity of the instant is the one before the impact. It jumps by M (v+ - v-) = sum n_i p_n,i + t_i' p_t,i plus
// impulses of the joints, which are frictionless and end with n_i'v+ = 0. Only touching contacts take part.
//
// Letters of S1: qdot_norm,i = n_i'v / |n_i| and pbar_n,i = |n_i| p_n,i with |n_i| the kinetic norm (3), G the
// normalized Delassus matrix (17), E restitution in these coordinates, e_t tangential restitution.
#ifndef STICTION_IMPACT_H
#define STICTION_IMPACT_H

#include <stiction/classes.h>
#include <stiction/instant.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STI_IMPACT_LAW_LIST(X)                                                                                        \
    X(STI_IMPACT_NEWTON, "newton")   /* qdot_norm+ = -diag(e) qdot_norm-, at every contact, no friction */            \
    X(STI_IMPACT_GENERAL, "general") /* qdot_norm+ = -E qdot_norm- with the full matrix: (41), no friction */         \
    X(STI_IMPACT_MOREAU, "moreau")   /* (43): 0 <= pbar _|_ G pbar + (I + diag(e)) qdot_norm- >= 0 */                 \
    X(STI_IMPACT_POISSON, "poisson") /* S3 (2.1.12-22), friction bound mu (e c_n^c + c_n^x) */                        \
    X(STI_IMPACT_POISSON_PRINTED, "poisson_printed") /* the same with the printed bound mu c_n^x */                   \
    X(STI_IMPACT_IMPLICIT_SMOOTH, "implicit_smooth") /* (57-60), P = D, V_n = R_+, V_t everything */                  \
    X(STI_IMPACT_IMPLICIT_ROUGH, "implicit_rough")   /* (57-60), P = D, V_n = R_+, V_t = {0} */                       \
    X(STI_IMPACT_QUASI, "quasi")       /* v+ = -E v- in all quasi-velocities: (41) with (54), if a matrix is given */ \
    X(STI_IMPACT_FRICTION, "friction") /* (68): Newton with E, Coulomb with e_t; planar, or one contact */            \
    X(STI_IMPACT_STRONGE, "stronge")   /* one contact: e^2 of the work of compression is given back */                \
    X(STI_IMPACT_LZB, "lzb")           /* Liu, Zhao, Brogliato: the same for several, springs side by side */

#define STI_X(code, text) code,
typedef enum sti_impact_law { STI_IMPACT_LAW_LIST(STI_X) STI_IMPACT_LAW_COUNT } sti_impact_law;
#undef STI_X

STI_API const char* sti_impact_law_text(sti_impact_law law);

// T+ - T- by every formula that applies; NAN where one does not. All that are numbers agree up to rounding.
typedef struct sti_impact_energy {
    double direct;  // v+'M v+ / 2 - v-'M v- / 2
    double f40;     // from qdot_norm alone; no friction
    double f47;     // Thomson and Tait, (u+ + u-)'p / 2 over normal and tangential parts
    double f48;     // qdot_norm-' (E - I)' G^-1 (E + I) qdot_norm- / 2; where qdot_norm+ = -E qdot_norm-, no friction
    double f49;     // with E'G^-1 E - G^-1
    double f50;     // with xi, and the factor (I + E)^-1 that is missing in print
    double f51;     // with ((E')^2 - I) G^-1; where G^-1 E = E'G^-1
    double f62;     // pbar' Gbar' D (I - E) v- / 2; law quasi
    double f63;     // v-' (I + E)' D (E - I) v- / 2; law quasi
    double f64;     // v-' (E'D E - D) v- / 2; law quasi
    double f77;     // in three parts, with D_n where G is printed; law friction
    double f78;     // from the velocity before alone; law friction, all contacts sliding
} sti_impact_energy;

typedef struct sti_impact_solution {
    const double* v;          // after the impact                                          (n)
    const double* qdot_norm;  // (p)
    const double* v_t;        // slips                                                     (s)
    const double* p_n;        // impulses                                                  (p)
    const double* pbar_n;     // (p)
    const double* p_t;        // (s)
    const double* p_joint;    // of the joints, in units of their gradients                (m)
    int dimension;            // impulses that give this velocity: 0: these alone; else the dimension of their family
    bool kinematic, kinetic, energetic;
    double momentum;  // |M (v+ - v-) - impulses| relative to the momenta
    double law;       // residual of the law's own equations, relative to the velocities
    sti_impact_energy energy;
    // friction: for each contact '+', '-' (sign of v_t+ + e_t v_t-) or 'k' (it is zero), '.' without slip, 's' when it
    // slides in space; NULL for the other laws
    const char* mode;
    // Poisson: the end of compression, and the impulses of its two phases; NULL for the other laws
    const double* v_c;      // (n)
    const double* p_n_c;    // c_n^c                                                       (p)
    const double* p_t_c;    // (s)
    const double* p_n_x;    // c_n^x, beyond the restituted e c_n^c                        (p)
    const double* p_t_x;    // (s)
    sti_verdict unique[2];  // no other velocity satisfies the compression, the decompression
    // stronge, lzb: T_L = sum of -(1 - e^2) work_c + work_t where nothing moves by itself; NULL for the other laws
    const double* work_c;  // taken by each contact while it is compressed                (p)
    const double* work_t;  // of friction, <= 0                                           (s)
} sti_impact_solution;

typedef struct sti_impact_answer {
    sti_impact_law law;
    bool applies;   // the law can be asked here; why says what is missing
    bool complete;  // every solution is listed (impulses up to their family)
    int count;      // 0: the law has no solution
    const sti_impact_solution* solutions;
    int admissible;  // of them that keep all three rules
    char why[160];
} sti_impact_answer;

// ---- a restitution matrix, for all velocities before impact (Props 2, 4 to 8, Corollary 1)

// S = G^-1 - E'G^-1 E. "For all" means for all qdot_norm- <= 0. Norms in two kinds: Frobenius is what the paper writes,
// spectral what its sources prove. Residuals and verdicts are up to rounding (1e-12 of the largest entry).
typedef struct sti_restitution_test {
    int p;
    double simplex_min;    // of x'S x over x >= 0, sum x = 1
    const double* argmin;  // (p)
    sti_verdict prop2;     // S copositive: T_L <= 0 for all
    sti_verdict prop2_strict;
    double lambda_min;       // of S: >= 0 means T_L <= 0 for any vector, impact or not
    bool dissipative;        // lambda_min >= 0
    double epsilon;          // Prop 4: E'G^-1E may be scaled by this much before S stops being semidefinite
    double commutation;      // largest entry of G^-1 E - E'G^-1; Prop 5 applies when it is 0
    double spectral_radius;  // of E
    sti_verdict prop5;       // UNDECIDED: does not apply; else spectral radius <= 1
    double sigma_max;        // largest singular value of E
    double prop6_bound;      // 1 / sqrt(lambda_max(G) lambda_max(G^-1)) = Prop 7's bound in spectral norms
    bool prop6;
    double frobenius;    // of E
    double prop7_bound;  // in Frobenius norms
    bool prop7, prop7_spectral;
    double sigma_max_B;      // of B = G^-1/2 E G^1/2; <= 1 iff dissipative
    bool prop8_i, prop8_ii;  // E >= 0;  G^-1 (I + E) >= 0
    sti_verdict prop8_iii;   // S copositive; UNDECIDED: too many contacts to say
    sti_verdict admissible;  // all three: E may be used whatever the velocity before
    double conservative;     // largest entry of S; Corollary 1 holds when this is 0 and (i), (ii) hold
    bool corollary1;
    const double* moduli;   // of the eigenvalues of E, ascending                             (p)
    const double* G_inv;    // (p x p)
    const double* kinetic;  // G^-1 (I + E)                                                  (p x p)
    const double* S;        // (p x p)
    // When not admissible: a velocity before impact, <= 0, for which the law breaks a rule, and which.
    const double* witness;  // qdot_norm-; NULL when admissible                              (p)
    char broken[24];        // "kinematic", "kinetic", "energetic"
    double violation;       // the negative velocity or impulse, or the energy gained
} sti_restitution_test;

// G p x p symmetric positive definite, E p x p.
STI_API sti_status sti_restitution_test_create(sti_env* env, int p, const double* G, const double* E,
                                               sti_restitution_test** out);
STI_API void sti_restitution_test_destroy(sti_env* env, sti_restitution_test* test);

// ---- all that is admissible after a given velocity (as in (53))
//
// y = qdot_norm+ is admissible when  y >= 0,  G^-1 (y - qdot_norm-) >= 0,  y'G^-1 y <= qdot_norm-'G^-1 qdot_norm-.
// The matrices are all E with -E qdot_norm- = y. With one approaching contact j, y / |qdot_norm,j| is column j of E.
// For two contacts the conservative ones are arcs of the ellipse  a y_1^2 + b y_1 y_2 + c y_2^2 = d.
typedef struct sti_restitution_arc {
    double from[2], to[2];  // end points, counter-clockwise
} sti_restitution_arc;

typedef struct sti_restitution_set {
    int p;
    int column;  // j, when qdot_norm- has one nonzero entry and y is divided by it; -1: y is qdot_norm+
    double a, b, c, d;
    int arc_count;
    sti_restitution_arc arcs[4];
    const double* low;   // least and largest admissible value of each y_i, dissipative ones included; NULL for p > 2
    const double* high;  // (p)
} sti_restitution_set;

// ---- Theorem 2, for one pattern of sliding contacts

typedef struct sti_impact_bound {
    bool applies;  // G - n_q'H_T [mu xi] is nonsingular
    int p;
    const double* xi;    // +1, -1                                                            (p)
    const double* Eq;    // E(q) = (G - n_q'H_T [mu xi])^-1                                    (p x p)
    const double* Mbar;  // (I - E)'G^-1 (I + E)                                               (p x p)
    const double* K;     // (80)                                                              (p x p)
    double lemma1[2];    // |G^-1| |n_q'H_T| |mu|: < 1 makes E(q) positive definite; Frobenius, spectral
    double lemma2[2];    // |E| (2 + |E|) |G^-1| |G|: < 1 makes Mbar positive definite
    double lambda_min;   // of the symmetric part of Mbar
    double lambda_max;   // of K
    bool condition_i;    // lambda_min > lambda_max
    double bound_ii[2];  // |qdot_norm-| / |qdot_tan-| must be at least this
    double ratio;        // what it is; INFINITY when qdot_tan- = 0
    bool theorem2[2];    // both conditions: T_L <= 0 in this pattern
    double energy;       // T_L of the pattern by (78)
    // Prop 10: all contacts slide with xi for every velocity before, if ...
    bool prop10;  // E >= 0 and E(q) >= 0
} sti_impact_bound;

// ---- everything at once

typedef struct sti_impact_options {
    double gap_tol;           // contacts with a larger gap take no part (default 1e-9)
    const double* E;          // restitution over the touching contacts, instead of the instant's     (p x p)
    const double* E_quasi;    // for the law quasi; NULL: left out          ((p+m+d) x (p+m+d), see sti_velocities)
    const double* t_q;        // tangent vectors that go with it; NULL: those of sti_velocities     (d x n)
    const double* Lambda;     // of (57-60), over all quasi-velocities; NULL: diag(e, e_t)          (as E_quasi)
    double tol;               // size, relative to the velocities, below which one counts as zero (default 1e-10)
    bool stick_negative;      // (68): also sticking with p_n < 0 and |p_t| <= mu |p_n|, as (67) reads to the letter
    bool skip_unique;         // Poisson: do not look for other velocities
    int mode_limit;           // contacts up to which (68) is enumerated (default 12)
    const double* stiffness;  // lzb: of the springs of the touching contacts; NULL: all equal         (p)
    double exponent;          // lzb: force = stiffness compression^exponent, >= 1 (default 1.5, Hertz)
    bool one_law;             // ask `law` alone, without the tests of E, the set and the bounds
    sti_impact_law law;
} sti_impact_options;

// Prop 1: a matrix E with qdot_norm+ = after = -E before. Of all such E that of least norm for G^-1 (all p x p, row
// major, or p): E = -after (G^-1 before)' / (before'G^-1 before). When after'G^-1 after <= before'G^-1 before it gains
// no energy whatever the velocity before is; otherwise every E that gives `after` gains some here. STI_ERR_INPUT:
// before is 0 (less than 1e-10 of after) and after is not; or G is singular up to rounding.
STI_API sti_status sti_restitution_reaching(sti_env* env, int p, const double* G, const double* before,
                                            const double* after, double* E);

STI_API sti_impact_options sti_impact_options_default(void);

typedef struct sti_impact {
    int n, p, s, m;         // velocities, touching contacts, their slips, joints
    const int* contact;     // of the instant                                                 (p)
    const int* slip;        // first slip of each contact, and the end                        (p+1)
    const int* joint;       // of the instant                                                 (m)
    const double* norm;     // (p)
    const double* G;        // (17)                                                           (p x p)
    const double* n_H;      // n_q'H_T, joints eliminated                                     (p x s)
    const double* E;        // restitution used                                               (p x p)
    const double* E_plain;  // the same for n_i'v instead of qdot_norm,i: (46)                (p x p)
    const double* mu;       // (p)
    const double* e_t;      // (p)
    const double* v;        // before                                                         (n)
    const double* qdot_norm;
    const double* v_t;
    const double* stiffness;  // of the law lzb                                               (p)
    double exponent;
    double T, T_norm, T_tan;  // before
    bool impact;              // some qdot_norm- < 0
    bool independent;         // G is nonsingular
    double incompatible;      // largest |n_i'v| / |n_i| of a joint before the impact; 0 when the velocity fits
    bool own_lambda;          // the implicit laws used Lambda = diag(e, e_t)
    bool singular;            // M is: everything is the limit of M + eps 1, eps -> 0 (as sti_velocities)
    int idle;                 // directions without mass that nothing moves
    sti_impact_answer laws[STI_IMPACT_LAW_COUNT];
    sti_restitution_test* test;  // of E; NULL when G is singular or there is no contact
    const double* witness_v;     // velocity that goes with its witness; NULL: none           (n)
    sti_restitution_set set;     // p = 0: not computed
    int bound_count;             // Theorem 2 for every pattern of planar contacts (2^p, up to p = 6)
    const sti_impact_bound* bounds;
    // law quasi: (56) and Prop 9
    const double* quasi_before;  // v-, all quasi-velocities; NULL without the law             (n)
    const double* quasi_after;   // -E v-, whether impulses give it or not                     (n)
    double quasi_energy[2];      // T_L by (63) and (64)
    double quasi_range;          // residual of (56), relative; NAN without the law
    double quasi_norm[2];        // |E|, Frobenius and spectral
    double quasi_bound[2];       // 1 / sqrt(|D^-1| |D|)
    double quasi_lambda_min;     // of D - E'D E
} sti_impact;

STI_API sti_status sti_impact_create(sti_env* env, const sti_instant* instant, const sti_impact_options* options,
                                     sti_impact** out);
STI_API void sti_impact_destroy(sti_env* env, sti_impact* impact);

// ---- an independent check
//
// Sees the instant, the restitution matrix and the claim (velocity, impulses, phases), and recomputes the rest in
// extended precision: momentum, joints, the law's own conditions, the energy change. Shares no code with the laws.
typedef struct sti_impact_verification {
    bool accepted;     // everything below is within tol, and the law's conditions were among it
    bool law_checked;  // false: only momentum, joints and energy were (quasi, stronge, lzb; implicit laws unless Lambda
                       // = e I)
    double momentum;   // |M (v+ - v-) - impulses|, relative
    double joints;     // largest |n_i'v+ + n_offset_i| of a joint, relative
    double normal;     // violation of the normal law, relative
    double tangential;  // violation of the law of friction, relative
    double energy;      // |claimed - recomputed| T_L, relative to T-
    char text[160];     // verdict, with the first thing that fails
} sti_impact_verification;

STI_API sti_status sti_verify_impact(sti_env* env, const sti_instant* instant, const sti_impact* claim,
                                     sti_impact_law law, int solution, double tol, sti_impact_verification* out);

#ifdef __cplusplus
}
#endif
#endif
