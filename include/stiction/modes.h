// modes.h: contact modes at an instant, and the external wrenches that produce them (S2).
//
//     M a = w + sum_i n_i c_n,i + t_i' c_t,i          w: external wrench, -F of the instant unless another one is given
//     a_n,i = n_i'a + n_rate_i,    a_t,i = t_i a + t_rate_i
//
// A mode chooses for every contact one of these. The first four are S2 table I, s and a for a gap S2 table II.
//
//     s   separates            a_n > 0, no force (of a gap: it grows)
//     l   slides left          a_n = 0, a_t > 0, c_t = -mu c_n, c_n > 0           (left is +t; planar)
//     n   rolls (sticks)       a_n = 0, a_t = 0, c inside the friction cone
//     r   slides right         a_n = 0, a_t < 0, c_t = +mu c_n, c_n > 0
//     a   approaches           gap > 0 and shrinking, a_n < 0, no force
//     c   keeps contact        no tangent is given, or the contact slides in space (the friction direction is known)
//     j   joint                bilateral without friction; with friction the letters above, "~" before them for c_n < 0
//
// In space friction is a polygon mu c_n P, and friction dissipates most (S2 30 to 39). A contact at rest has a mode for
// each corner and each side of P, besides s and n:
//
//     box     P = [-1, 1]^2        +- 0+ ..   signs of a_t: corners ++ +- -+ --, sides +0 -0 0+ 0-       10 modes
//     sides   P regular, k corners   d3       friction along corner 3; d3-4: between corners 3 and 4   2k+2 modes
//
// A contact at rest (t v = 0) has static friction in every mode; one that slides has kinetic friction and the modes of
// its direction only. A contact that touches and leaves (n'v > 0) is s. n'v < 0 is an impact, which is not asked here.
// Where surfaces move by themselves, n'v and t v stand for n'v + n_offset and t v + t_offset.
//
// Strict means: all inequalities of the mode hold strictly. The closed wrench set of a mode is a polyhedron, a cone
// when all rates vanish; a wrench is strictly consistent when it lies in the relative interior, a limit when on the
// rest. Everything is decided in rational arithmetic: on the exact numbers of the instant, or its doubles as they are.
#ifndef STICTION_MODES_H
#define STICTION_MODES_H

#include <stiction/cone.h>
#include <stiction/instant.h>
#include <stiction/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sti_friction_model {
    STI_FRICTION_BOX,    // S2 (30) to (32); in the plane: the interval
    STI_FRICTION_SIDES,  // S2 (33) to (39)
} sti_friction_model;

typedef enum sti_modes_want {
    STI_MODES_KINEMATIC = 1,   // every kinematically feasible mode
    STI_MODES_CONSISTENT = 2,  // the modes consistent with the wrench
    STI_MODES_CONES = 4,       // wrench sets: of all listed modes up to max_cones of them, else of the consistent ones
    STI_MODES_SETS = 8,        // corners of the solution set where it is not one point
    STI_MODES_INFEASIBLE =
        16,  // the combinations that no acceleration satisfies, why, and with CONES their wrench sets
} sti_modes_want;

typedef struct sti_modes_options {
    sti_friction_model model;
    int sides;                          // of the k-sided model, 3 to 64
    const double* wrench;               // NULL: -F                                      (n)
    const sti_rationals* wrench_exact;  // the same exact; NULL: the doubles are the data (n)
    unsigned want;                      // sum of sti_modes_want
    bool contacts_only;  // tell only touching (c) from separating (s): kinematic modes alone, friction left out
    long max_modes;      // list no more than this many modes; the answer says when there are more
    long max_cones;
    double gap_tol;       // a gap not larger than this touches
    double velocity_tol;  // a velocity n'v or t v not larger than this times sum |n_k v_k| counts as zero
    double time_limit_s;  // for the whole, 0: none. What is not finished by then is left out, and the answer says so
    // Called every now and then; NULL: not. part: of all combinations, how many were listed or excluded; found: modes
    // so far.
    void (*trace)(void* user, const char* phase, double part, long found);
    void* trace_user;
} sti_modes_options;

// Box, 8 sides, wrench -F, everything wanted, 20000 modes, 400 cones, no time limit; gaps and velocities are zero up to
// 1e-9.
STI_API sti_modes_options sti_modes_options_default(void);

typedef enum sti_contact_status {
    STI_CONTACT_STATUS_APART,    // gap > 0: s or a
    STI_CONTACT_STATUS_LEAVING,  // touches, n'v > 0: s
    STI_CONTACT_STATUS_SLIDING,  // touches, t v != 0
    STI_CONTACT_STATUS_ROLLING,  // touches, t v = 0
    STI_CONTACT_STATUS_JOINT,    // bilateral, no friction
} sti_contact_status;

STI_API const char* sti_contact_status_text(sti_contact_status status);

typedef enum sti_mode_fit {
    STI_MODE_UNTRIED,       // consistency was not asked for, or not settled in time
    STI_MODE_INCONSISTENT,  // the wrench is not in the closed set
    STI_MODE_LIMIT,         // on its relative boundary
    STI_MODE_STRICT,        // in its relative interior
} sti_mode_fit;

STI_API const char* sti_mode_fit_text(sti_mode_fit fit);

// The solutions (a, c) of one mode under the wrench. K = contact_count + tangent_total; contact values are ordered
// normal first for each contact. x = (a, accelerations of contacts, forces of contacts), n + 2 K numbers.
typedef struct sti_mode_solution {
    bool acceleration_unique;
    bool forces_unique;
    sti_rationals* point;            // strict: a point with all inequalities strict; limit: some point   (n + 2 K)
    sti_rationals *low, *high;       // range of each number over the closed set                           (n + 2 K)
    bool *low_finite, *high_finite;  //                                                               (n + 2 K)
    // Corners and directions of the closed set in (a, c). -1: not asked for, one point only, more than
    // 2000 of them, or n + K > 24.
    int vertex_count, ray_count, line_count;
    int dimension;
    sti_rationals* vertices;  // (vertex_count x (n + K))
    sti_rationals* rays;      // (ray_count x (n + K))
    sti_rationals* lines;     // (line_count x (n + K))
} sti_mode_solution;

// The closed set of wrenches of a mode. Cone: in wrench space. Polyhedron: the cone over it, last coordinate 1.
typedef struct sti_mode_wrenches {
    bool is_cone;
    sti_polycone* cone;  // in dimension n, or n + 1 for a polyhedron; exact
    int face_count;      // inequalities of the cone
    char** face_text;    // what happens there: "normal force of floor vanishes"; NULL for the face at infinity
    // The wrench against the set. margin: Euclidean distance to the nearest face when inside (0 when the set is thin:
    // its equations are left at once), minus the distance to the set when outside. face: that face (the most violated
    // one when outside); -1 - k is equation k.
    double margin;
    int face;
    double* change;  // least change of the wrench that reaches the boundary from inside, or the set from outside  (n)
} sti_mode_wrenches;

typedef struct sti_mode {
    short* choice;  // index of the contact's own mode, see sti_modes_contact                          (contact_count)
    char* text;     // "nss"; in space the words are set apart: "n s +-"
    sti_mode_fit fit;
    sti_rationals* witness;       // an acceleration with all kinematic inequalities strict             (n)
    sti_mode_solution* solution;  // NULL: not consistent, or not asked for
    // NULL: not asked for; of an infeasible one: no acceleration is even in the closed set
    sti_mode_wrenches* wrenches;
    // Of an infeasible one: nu with sum nu_i'(a_n, a_t)_i = c for every a and nu_i >= 0 on the closed accelerations of
    // choice i; c < 0, or c = 0 and some nu_i is not 0 on them (Motzkin). It has no witness, and its fit is not tried.
    sti_rationals* absurd;  // NULL: feasible                                                         (K)
} sti_mode;

typedef struct sti_modes_contact {
    sti_contact_status status;
    int choice_count;
    char (*word)[16];  // of each choice: "n", "s", "+0"                         (choice_count)
} sti_modes_contact;

// Why no mode is consistent: cases, each closed by a Farkas vector. A case fixes the choice of some contacts (-1: open,
// a_n >= 0 and any force in the friction cone) and has y (n) and a vector nu_i for each contact with
//
//     M y = sum_i (n_i, t_i') nu_i,        nu_i'(a_n, a_t) >= 0 for the closed accelerations of the choice,
//     -(n_i, t_i')'y . c >= 0 for its closed forces,        y'w + sum_i nu_i'(rates_i) < 0,
//
// so that y'w = y'M a - y'J c cannot hold. The cases cover every choice.
typedef struct sti_modes_certificate {
    int case_count;
    short* choice;         //                                                     (case_count x contact_count)
    sti_rationals* value;  // y, then nu in the order of contact values           (case_count x (n + K))
} sti_modes_certificate;

typedef struct sti_modes {
    sti_env* env;
    int n, contact_count, tangent_total;
    sti_modes_contact* contacts;  //                                              (contact_count)
    double potential;             // product of the choice counts
    bool complete;                // false: the search stopped at max_modes or at the time limit. Then:
    bool all_consistent;          //   every mode consistent with the wrench is listed; false: more are possible
    bool all_kinematic;           //   the same of all kinematically feasible modes (or they were not asked for)
    bool homogeneous;             // all rates vanish: wrench sets are cones
    int mode_count;
    sti_mode* modes;
    int strict_count, limit_count;
    int infeasible_count;  // with STI_MODES_INFEASIBLE, and all_kinematic: the other combinations, up to max_modes
    sti_mode* infeasible;
    bool all_infeasible;
    sti_rationals* wrench;   // (n)
    int corner_count;        // of the friction polygon P in space, counterclockwise
    sti_rationals* corners;  // (corner_count x 2)
    // Existence under the wrench, over all closed modes. Asked for with STI_MODES_CONSISTENT. decided: exists is known.
    bool asked, decided, exists;
    // Over all consistent modes together. False is a fact when two solutions are listed; true when all_consistent is.
    bool acceleration_unique, forces_unique;
    sti_modes_certificate certificate;  // when no solution exists
    sti_rationals* held;                // solutions exist, but only where a contact that is apart keeps its gap,
        // a_n = 0, which is no mode: one of them, (a, forces); NULL otherwise (n + K)
    // Least wrench change that ends a strict mode, or (none is consistent) makes one consistent. With cones.
    int change_from;          // the mode that ends; -1: none was strict
    int change_to;            // a mode met there; -1: unknown
    double change_size;       // NAN: not computed
    const double* change;     // borrowed from a mode                             (n)
    const char* change_face;  // borrowed; NULL: it has no name
} sti_modes;

STI_API sti_status sti_modes_create(sti_env* env, const sti_instant* instant, const sti_modes_options* options,
                                    sti_modes** out);
STI_API void sti_modes_destroy(sti_modes* modes);
STI_API int sti_modes_find(const sti_modes* modes, const char* text);  // -1: no such mode in the list

// ---- the LCP (S2 16 to 39)
//
//     y = B z + b,   0 <= y _|_ z >= 0
//     box     y = (a_n S, a_n R, a_t+, s_t-),        z = (c_n S, c_n R, s_t+, a_t-)            (23), (30)
//     sides   y = (a_n S, a_n R, lambda + d_j'a_t, mu c_n - sum c_f),  z = (c_n S, c_n R, c_f, lambda)     (37)
//
// S: sliding contacts, R: rolling ones, each in order; of a_t+ and the rest first t, then o, of each contact. The
// contact accelerations are a = A c + b_contact, all normals first, then all tangents. M must be positive definite, and
// there must be no joint.
typedef struct sti_modes_lcp {
    sti_env* env;
    int contacts;            // that touch and do not leave
    int rows;                // of A: contacts + their tangents
    double* A;               // (rows x rows)
    double* b_contact;       // (rows)
    sti_rationals* A_exact;  //
    sti_rationals* b_exact;  //
    sti_lcp lcp;             // with exact data
    char (*y_name)[24];      // (lcp.n)
    char (*z_name)[24];      // (lcp.n)
} sti_modes_lcp;

STI_API sti_status sti_modes_lcp_create(sti_env* env, const sti_instant* instant, const sti_modes_options* options,
                                        sti_modes_lcp** out);
STI_API void sti_modes_lcp_destroy(sti_modes_lcp* lcp);

// ---- counting the choices of one contact at rest (S2 V-A, VI-A, VI-C)

typedef enum sti_choice_kind {
    STI_CHOICE_SEPARATE,
    STI_CHOICE_ROLL,
    STI_CHOICE_SLIDE,    // one corner of the friction polygon
    STI_CHOICE_BETWEEN,  // between two corners: called degenerate in S2, but its cone is full dimensional
    STI_CHOICE_FREE,     // mu = 0: contact is kept, slip is free
} sti_choice_kind;

STI_API const char* sti_choice_kind_text(sti_choice_kind kind);

// Complementary pairs: (a_n, c_n), then box: (a_t+, s_t+), (a_t-, s_t-), (a_o+, s_o+), (a_o-, s_o-); sides:
// (lambda + d_j'a_t, c_f,j) for each j, (mu c_n - sum c_f, lambda).
typedef struct sti_mode_count {
    sti_env* env;
    int tangents;    // 1 or 2
    int pairs;       // 3, 5, k + 2
    double choices;  // 2^pairs
    int feasible;    // with strict complementarity
    int by_kind[STI_CHOICE_FREE + 1];
    int named;                 // S2 counts: separation, rolling, one direction
    unsigned char* first;      // 1: the first of the pair is positive          (feasible x pairs)
    sti_choice_kind* kind;     //                                               (feasible)
    int* dimension;            // of the complementary cone in (b_n, b_t, ..)   (feasible)
    char (*pair_name)[2][16];  // (pairs)
} sti_mode_count;

STI_API sti_status sti_mode_count_create(sti_env* env, sti_friction_model model, int tangents, int sides, double mu,
                                         sti_mode_count** out);
STI_API void sti_mode_count_destroy(sti_mode_count* count);

// ---- transitions along a path

typedef struct sti_mode_node {
    const char* text;
    double first_time;
    int visits;
} sti_mode_node;

typedef struct sti_mode_edge {
    int from, to;
    double first_time;  // of the first sample in the new mode
    int count;
} sti_mode_edge;

typedef struct sti_mode_graph sti_mode_graph;

// Modes in the order of time: add one for each sample.
STI_API sti_status sti_mode_graph_create(sti_env* env, sti_mode_graph** out);
STI_API sti_status sti_mode_graph_add(sti_mode_graph* graph, double time, const char* mode);
STI_API int sti_mode_graph_nodes(const sti_mode_graph* graph, const sti_mode_node** out);
STI_API int sti_mode_graph_edges(const sti_mode_graph* graph, const sti_mode_edge** out);
STI_API void sti_mode_graph_destroy(sti_mode_graph* graph);

// ---- independent check (src/verify shares with the above only the number types)

typedef struct sti_modes_verification {
    bool accepted;
    int witnesses, solutions, cases;  // how many were checked
    char text[240];                   // verdict in a sentence, with the first thing that fails
} sti_modes_verification;

// Witnesses, solutions and the certificate of non-existence, without rounding. Completeness of the list is not checked.
STI_API sti_status sti_verify_modes(sti_env* env, const sti_instant* instant, const sti_modes_options* options,
                                    const sti_modes* modes, sti_modes_verification* out);

// The answer of stiction analyze modes (--json, --output) read back, as far as the check looks at it: witnesses, points
// of solutions, cases. options becomes what it was made with; its wrench is borrowed from *out. STI_ERR_INPUT names
// file, field and value.
STI_API sti_status sti_modes_load(sti_env* env, const sti_instant* instant, const char* path,
                                  sti_modes_options* options, sti_modes** out);

#ifdef __cplusplus
}
#endif
#endif
