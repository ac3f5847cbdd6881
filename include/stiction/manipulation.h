// manipulation.h: parts that are pushed over a support, slowly: S3 section 2.4.
//
// A scene has planar parts (any simple polygon, discs) on a damped support, fixtures that stand still, and probes whose
// tips move on given paths. Inertia plays no part; a step is the mixed complementarity problem S3 (2.4.16), with errata
// 8 and 9:
//
//     E h v = W_n h lambda_n + W_f h lambda_f
//     0 <= Psi_n + W_n' h v + h Psi_n,t           _|_  h lambda_n >= 0
//     0 <= W_f' h v + h Psi_f,t + E_f h sigma     _|_  h lambda_f >= 0          q+ = q + h v
//     0 <= U h lambda_n - E_f' h lambda_f         _|_  h sigma    >= 0
//
// Gaps, normals and their derivatives come from the shapes. docs/manipulation.md has the rules.
#ifndef STICTION_MANIPULATION_H
#define STICTION_MANIPULATION_H

#include <stiction/document.h>
#include <stiction/problem.h>
#include <stiction/system.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- the scene as text. Every number is a formula of the parameters and definitions; those of a path also of t.

typedef struct sti_outline_text {
    int vertex_count;             // of a polygon; 0: a disc
    const char* const* vertices;  // x, y of each, either way round          (2 vertex_count)
    const char* radius;           // of a disc about the origin of the frame
} sti_outline_text;

// The damping matrix of one part: one of the three. Axes and origin are those of the part, so E turns with it (errata
// 25).
typedef struct sti_support_text {
    const char* const* E;  // symmetric, positive definite                     (9)
    bool fixed;            // of E: in the axes of the world, whatever the angle
    int point_count;
    const char* const* points;  // x, y and coefficient c: E = sum c J'J        (3 point_count)
    const char* pressure;       // polynomial of x and y: E = integral of it J'J over the part
} sti_support_text;

typedef struct sti_part_text {
    const char* name;  // NULL: "part 1", ..
    sti_outline_text outline;
    sti_support_text support;
    const char* pose[3];  // x, y, theta; NULL: 0
} sti_part_text;

typedef struct sti_fixture_text {
    const char* name;  // NULL: "fixture 1", ..
    sti_outline_text outline;
    const char* pose[3];
    const char* mu;  // NULL: the scene's
} sti_fixture_text;

typedef struct sti_probe_text {
    const char* name;  // NULL: "probe 1", ..
    int tip_count;
    const char* const* tips;    // where they are at the start, in the world   (2 tip_count)
    const char* radius;         // of the tips; NULL: 0, points
    bool passive;               // stands still
    const char* angle;          // direction of the push, radians; or
    const char* direction[2];   // a vector that is made a unit one
    const char* speed;          // along it, constant
    const char *begin, *until;  // it moves from begin on (NULL: 0) for so long (NULL: to the end)
    const char* path[2];        // or: displacement of the tips as formulas of t
    const char* mu;
} sti_probe_text;

typedef struct sti_pair_text {
    const char *a, *b;  // names of parts, fixtures or probes
    const char* mu;
} sti_pair_text;

typedef struct sti_manipulation_text {
    int parameter_count;
    const char* const* parameter_names;
    const double* parameters;
    int definition_count;
    const sti_system_named* definitions;
    int part_count;
    const sti_part_text* parts;
    int fixture_count;
    const sti_fixture_text* fixtures;
    int probe_count;
    const sti_probe_text* probes;
    int pair_count;
    const sti_pair_text* pairs;  // friction of single pairs
    const char* mu;              // of all others; NULL: 0
    const char* step;            // h; NULL: 0.01
    const char* steps;           // how many a run makes; NULL: 100
} sti_manipulation_text;

typedef struct sti_manipulation sti_manipulation;

// STI_ERR_INPUT names the field and what is wrong there: a formula, a polygon that crosses itself, E that is not
// positive definite, a part that overlaps a fixture, a tip inside a part.
STI_API sti_status sti_manipulation_create(sti_env* env, const sti_manipulation_text* text, sti_manipulation** out);
STI_API void sti_manipulation_destroy(sti_manipulation* m);  // accepts NULL
// Other values for parameters, all at once; on failure nothing is changed.
STI_API sti_status sti_manipulation_set(sti_manipulation* m, int count, const char* const* parameters,
                                        const double* values);

// ---- what it consists of

typedef struct sti_outline {
    int vertex_count;        // 0: a disc about the origin
    const double* vertices;  // counterclockwise                               (2 vertex_count)
    double radius;           // of a disc
} sti_outline;

STI_API int sti_manipulation_parameter_count(const sti_manipulation* m);
STI_API const char* sti_manipulation_parameter(const sti_manipulation* m, int k);
STI_API double sti_manipulation_parameter_value(const sti_manipulation* m, int k);
STI_API int sti_manipulation_part_count(const sti_manipulation* m);
STI_API const char* sti_manipulation_part(const sti_manipulation* m, int i);
STI_API sti_outline sti_manipulation_part_outline(const sti_manipulation* m, int i);  // in the frame of the part
STI_API int sti_manipulation_fixture_count(const sti_manipulation* m);
STI_API const char* sti_manipulation_fixture(const sti_manipulation* m, int i);
STI_API sti_outline sti_manipulation_fixture_outline(const sti_manipulation* m, int i);  // in its frame
STI_API void sti_manipulation_fixture_pose(const sti_manipulation* m, int i, double pose[3]);
STI_API int sti_manipulation_probe_count(const sti_manipulation* m);
STI_API const char* sti_manipulation_probe(const sti_manipulation* m, int i);
STI_API int sti_manipulation_tip_count(const sti_manipulation* m);  // of all probes, one after the other
STI_API int sti_manipulation_tip_probe(const sti_manipulation* m, int tip);
STI_API double sti_manipulation_tip_radius(const sti_manipulation* m, int tip);
STI_API void sti_manipulation_tip(const sti_manipulation* m, int tip, double t, double position[2], double velocity[2]);
STI_API void sti_manipulation_start(const sti_manipulation* m, double* q);  // (3 parts)
STI_API void sti_manipulation_damping(const sti_manipulation* m, int part, double theta, double E[9]);
// Point k of what the damping is made of, x, y and c; false: there is none, or it is not made of points.
STI_API bool sti_manipulation_support_point(const sti_manipulation* m, int part, int k, double point[3]);
STI_API bool sti_manipulation_support_fixed(const sti_manipulation* m, int part);  // E keeps to the axes of the world
STI_API double sti_manipulation_step(const sti_manipulation* m);
STI_API long sti_manipulation_steps(const sti_manipulation* m);

// A probe elsewhere, as a tool in a hand: its tips keep their places to each other and to the direction of the push; x,
// y is the middle of them at time 0, angle the direction in which they then move without end. Lasts until the next
// sti_manipulation_set. STI_ERR_INPUT: a probe that stands still or follows a path.
STI_API sti_status sti_manipulation_aim(sti_manipulation* m, int probe, double x, double y, double angle, double speed);
// Friction of part i against a thing (part, fixture or probe, counted in this order from 0), as long.
// Its place is off by dx, dy, its way turned by an angle and faster by a part of its speed; tips stay as they are to
// each other. STI_ERR_INPUT: a probe on a path whose way would change. All zero after something else: as the file says.
STI_API sti_status sti_manipulation_disturb(sti_manipulation* m, int probe, const double place[2], double turn,
                                            double faster);
STI_API void sti_manipulation_rub(sti_manipulation* m, int part, int thing, double mu);

// ---- contacts at a state

typedef enum sti_push_against { STI_PUSH_TIP, STI_PUSH_FIXTURE, STI_PUSH_PART } sti_push_against;

// One point of contact between a part and something else. n points into the part, t = (-n_y, n_x).
typedef struct sti_push_contact {
    int part;
    sti_push_against against;
    int other;   // tip, fixture or part
    int corner;  // vertex that touches, of the part (own) or of the other; -1: a tip, or the rim of a disc
    bool own;    // the corner, or the rim, is the part's
    int face;    // edge of the other side that it touches, counted from 0; vertex_count + k: its vertex k; -1: a rim
    double gap;  // Psi_n
    double n[2];
    double point[2];  // of the corner, the tip or the rim
    double mu;
    double rate_n, rate_t;  // Psi_n,t and Psi_t,t: what the motion of a tip adds
} sti_push_contact;

// Those with gap <= margin: tips first, then fixtures, then parts. Free with sti_env_free.
STI_API sti_status sti_manipulation_contacts(const sti_manipulation* m, double t, const double* q, double margin,
                                             sti_push_contact** out, int* count);
// "probe 1 tip 2" or the name of the other side, into text (size bytes, always ended).
STI_API void sti_manipulation_contact_text(const sti_manipulation* m, const sti_push_contact* contact, char* text,
                                           size_t size);

// The scene with its contacts up to margin at q held as they are, as a system by formulas for questions that keep a
// list of contacts (sti_robust): coordinates x1, y1, th1, ..; parameters mu_K of part, fixture or probe K (counted in
// this order from 1) and dx_K, dy_K, turn_K, speed_K of probe K. Controls must be constant from 0 to `until`:
// STI_ERR_INPUT otherwise.
STI_API sti_status sti_manipulation_freeze(const sti_manipulation* m, const double* q, double margin, double until,
                                           sti_system** out);

// ---- a push: the scene in motion

// What a step that has no solution means, S3 figure 2.8.
#define STI_PUSH_END_LIST(X)                                                                    \
    X(STI_PUSH_MOVED, "moved")     /* a step was made */                                        \
    X(STI_PUSH_STUCK, "stuck")     /* moving tips press against what stands still */            \
    X(STI_PUSH_DAMAGE, "damage")   /* moving tips press against each other through the parts */ \
    X(STI_PUSH_UNKNOWN, "unknown") /* no solution was found, and none was excluded */

// As in S3: what the contact does in the step. Closed: the gap at its end, linearized, is 0.
#define STI_PUSH_MODE_LIST(X)                                      \
    X(STI_PUSH_OPEN, "open", 'N')                                  \
    X(STI_PUSH_STICK, "stick", 'K')                                \
    X(STI_PUSH_SLIDE_LEFT, "slide+", '+')  /* the part along +t */ \
    X(STI_PUSH_SLIDE_RIGHT, "slide-", '-') /* the part along -t */

#define STI_X(code, ...) code,
typedef enum sti_push_end { STI_PUSH_END_LIST(STI_X) } sti_push_end;
typedef enum sti_push_mode { STI_PUSH_MODE_LIST(STI_X) } sti_push_mode;
#undef STI_X

STI_API const char* sti_push_end_text(sti_push_end end);
STI_API const char* sti_push_mode_text(sti_push_mode mode);
STI_API char sti_push_mode_letter(sti_push_mode mode);

// Of one contact in the last step.
typedef struct sti_push_force {
    sti_push_mode mode;
    double lambda_n, lambda_t;  // force on the part along n and t
    double slip;                // displacement along t in the step
    double opening;             // linearized gap at its end
} sti_push_force;

// A nonnegative combination of wrenches that is zero: the cone of friction is not pointed (theorem 2.4.1).
typedef struct sti_push_jam {
    int count;
    int* contact;    // of the report's contacts                               (count)
    double* normal;  // multipliers of W_n, their sum is 1                     (count)
    double* left;    // of W_t                                                 (count)
    double* right;   // of -W_t;  left + right <= mu normal                    (count)
} sti_push_jam;

typedef struct sti_push_report {
    long step;    // number of steps so far
    double time;  // at its end
    sti_push_end end;
    sti_outcome outcome;  // of the step's problem; STI_NO_SOLUTION: proved by its certificate
    double residual;
    double penetration;                  // largest overlap at the end
    double dissipation;                  // v'E v h: what the support takes in the step
    int contact_count;                   // all of the step's problem
    const sti_push_contact* contacts;    // where the step began
    const sti_push_force* forces;        // (contact_count)
    const unsigned char* basis;          // pairs (lambda_n, lambda_f, sigma) of (2.4.20)    (4 contact_count)
    const sti_push_jam* jam;             // of stuck and damage; NULL otherwise, or when none was found
    const sti_certificate* certificate;  // that there is no solution; NULL: there is one, or it is not known
    char why[240];
} sti_push_report;

typedef struct sti_push sti_push;

// The scene is borrowed, outlives the push and is not set meanwhile. h <= 0: the scene's.
STI_API sti_status sti_push_create(sti_env* env, const sti_manipulation* m, double h, sti_push** out);
STI_API void sti_push_destroy(sti_push* push);  // accepts NULL
// STI_OK with another end than moved: the state did not change. report may be NULL; its arrays live until the next
// call.
STI_API sti_status sti_push_step(sti_push* push, sti_push_report* report);
STI_API double sti_push_time(const sti_push* push);
STI_API long sti_push_steps(const sti_push* push);
STI_API const double* sti_push_q(const sti_push* push);  // (3 parts)
STI_API const double* sti_push_v(const sti_push* push);  // of the last step                     (3 parts)
// Elsewhere: step number and poses.
STI_API void sti_push_set(sti_push* push, long step, const double* q, const double* v);

// The problem (2.4.16) of the last step, made or not: u = h v, v = (h lambda_n, h lambda_f, h sigma). Before the first
// one, and after sti_push_set, of the step that comes next.
typedef struct sti_push_problem {
    sti_mlcp mlcp;
    int contact_count;
    sti_push_contact* contacts;
    double* memory;  // of the matrices
} sti_push_problem;

STI_API sti_status sti_push_pose(sti_env* env, const sti_push* push, sti_push_problem* out);
STI_API void sti_push_problem_clear(sti_env* env, sti_push_problem* problem);

// ---- an independent check of one step (src/verify/push.c): gaps, normals, damping and (2.4.16) anew from the scene

typedef struct sti_push_verification {
    bool accepted;
    double worst;  // largest deviation, relative
    char text[240];
} sti_push_verification;

// q before and after the step; of stuck and damage q_after is not looked at.
STI_API sti_status sti_verify_push(sti_env* env, const sti_manipulation* m, double t, double h, const double* q,
                                   const double* q_after, const sti_push_report* report, double tol,
                                   sti_push_verification* out);

// ---- a box of doubts in which a push keeps its contact modes, proved (src/verify/box.c)

// What may differ from the scene: pose of a part, friction against a thing (part, fixture or probe, counted in this
// order from
// 0), and of a probe its place, the angle that its way is turned by, and the part that it is faster by.
#define STI_DOUBT_LIST(X)           \
    X(STI_DOUBT_X, "x")             \
    X(STI_DOUBT_Y, "y")             \
    X(STI_DOUBT_THETA, "theta")     \
    X(STI_DOUBT_MU, "mu")           \
    X(STI_DOUBT_PLACE_X, "place-x") \
    X(STI_DOUBT_PLACE_Y, "place-y") \
    X(STI_DOUBT_TURN, "turn")       \
    X(STI_DOUBT_SPEED, "speed")

#define STI_X(code, text) code,
typedef enum sti_doubt_kind { STI_DOUBT_LIST(STI_X) STI_DOUBT_COUNT } sti_doubt_kind;
#undef STI_X

STI_API const char* sti_doubt_text(sti_doubt_kind kind);

typedef struct sti_push_doubt {
    sti_doubt_kind kind;
    int of;            // part, thing or probe
    double low, high;  // deviation: low <= 0 <= high
} sti_push_doubt;

// The claim: from every start within the doubts, each of the steps is solved with these contacts closed in these modes,
// and nothing else comes into touch. Two tips of one probe that stick to one edge stick when they slip less than `slip`
// in a step: what they slip while the part aligns with them.
typedef struct sti_push_box {
    double h;
    long steps;
    const double* start;  // (3 parts)
    int contact_count;
    const sti_push_contact* contacts;  // of these: part, against, other, corner, own, face
    const sti_push_mode* modes;        // not open                              (contact_count)
    const signed char* friction;  // its sign that lasts too, of (2.4.20); 0: whatever; NULL: all 0   (contact_count)
    double slip;                  // 0: 1e-10 of the size of the parts
    int doubt_count;
    const sti_push_doubt* doubts;
} sti_push_box;

typedef struct sti_box_verification {
    bool accepted;  // it is a theorem
    bool refuted;   // there is a start in the box for which it is false; neither: not decided with so many pieces
    long pieces;    // that the box was cut into
    double margin;  // least of what has to stay positive, over the box: a lower bound
    int tight;      // doubt that the failed condition depends on most; -1: none
    char text[240];
} sti_box_verification;

// By affine arithmetic that holds every rounding. end: NULL, or where the parts are after the last step, lows then
// highs (6 parts).
STI_API sti_status sti_verify_push_box(sti_env* env, const sti_manipulation* m, const sti_push_box* box,
                                       long max_pieces, double* end, sti_box_verification* out);

// ---- where a push takes a set of poses, whatever the modes, proved (src/verify/reach.c)

// Poses of a part: x = a cos(angle) - b sin(angle), y = a sin(angle) + b cos(angle), with (a, b, theta) between low and
// high.
typedef struct sti_pose_set {
    double angle;
    double low[3], high[3];
} sti_pose_set;

// The scene's probe, aimed, makes `steps` steps and comes with its one or two tips to one edge of a polygon. The parts
// are anywhere in their sets; friction with the part may be off by mu, either way, the tool by `tip` in x and in y.
typedef struct sti_push_course {
    double h;
    long steps;
    int part, edge, probe;
    const sti_pose_set* before;  // (parts)
    double mu, tip;
    double angle;  // of the set afterwards
    int cuts[3];   // the part's set is looked at in so many pieces along each side; 0 as 1
} sti_push_course;

// Accepted: each step of every member has a solution, in every solution nothing but the tool presses the part, on this
// edge, and all of them lead into `after`, whatever opens, sticks or slides on the way.
typedef struct sti_push_reach {
    bool accepted;
    bool coarse;  // refused because a step may have a solution besides, which presses on something near; shorter steps
                  // may do
    sti_pose_set after;
    double clearance;  // least distance that was left, less what a step needs; INFINITY: nothing is near
    char text[240];
} sti_push_reach;

STI_API sti_status sti_verify_push_reach(sti_env* env, const sti_manipulation* m, const sti_push_course* course,
                                         sti_push_reach* out);

// Friction of part i against a thing.
STI_API double sti_manipulation_friction(const sti_manipulation* m, int part, int thing);

// What a document holds (document.h), for as long as it lives; NULL when of another kind.
STI_API sti_manipulation* sti_manipulation_of(const sti_document* document);

#ifdef __cplusplus
}
#endif
#endif
