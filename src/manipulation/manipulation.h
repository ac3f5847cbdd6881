// manipulation.h: the inside of sti_manipulation: numbers as formulas, outlines, supports, and where points meet
// outlines.
#ifndef STI_MANIPULATION_MANIPULATION_H
#define STI_MANIPULATION_MANIPULATION_H

#include <stiction/manipulation.h>

#include "base/arena.h"
#include "base/env.h"
#include "system/expression.h"
#include "system/jet.h"

// ---- numbers.c: formulas of the parameters and of t, all on one tape

typedef struct sti_numbers {
    sti_env* env;
    sti_tape tape;
    sti_scope scope;
    sti_jets jets;
    sti_program program;
    int count, capacity;
    int* entry;      // of each number on the tape                              (capacity)
    double* inputs;  // parameters, coordinates and their rates, t
} sti_numbers;

// Names are borrowed. coordinates: NULL, or n names that formulas may use too (a pressure: x, y).
sti_status sti_numbers_open(sti_numbers* k, sti_env* env, const sti_manipulation_text* text,
                            const char* const* coordinates, int n);
void sti_numbers_close(sti_numbers* k);  // accepts a zero struct
// *number is what sti_numbers_value takes. text NULL stands for `missing`. moving: t may be in it.
sti_status sti_numbers_add(sti_numbers* k, const char* field, const char* text, const char* missing, bool moving,
                           int* number);
sti_status sti_numbers_seal(sti_numbers* k);  // no more are added
void sti_numbers_at(sti_numbers* k, const double* parameters, const double* coordinates, double t);
double sti_numbers_value(const sti_numbers* k, int number);
double sti_numbers_rate(const sti_numbers* k, int number);  // its derivative in t
// As a polynomial in the coordinates, judged by its operations; -1: it is none.
sti_status sti_numbers_degree(const sti_numbers* k, int number, int* degree);

// ---- outline.c

typedef struct sti_shape_room {
    int vertex_count;
    double* v;      // counterclockwise                                        (2 vertex_count)
    double radius;  // of a disc
    double reach;   // farthest point from the origin
    int* number;    // of its text: vertices, or the radius
} sti_shape_room;

// Where a point stands to an outline, in the frame of that outline.
typedef struct sti_foot {
    double gap;   // signed: negative inside
    double n[2];  // out of the outline
    int face;     // edge; vertex_count + k: vertex k; -1: rim of a disc
} sti_foot;

// Turns it counterclockwise and measures it; NULL, or what is wrong with it.
const char* sti_outline_settle(sti_shape_room* s);
bool sti_outline_has(const sti_shape_room* s, const double p[2]);  // strictly inside
// Places at which the distance of p to the boundary is least among those near them, up to margin: at most vertex_count.
int sti_outline_feet(const sti_shape_room* s, const double p[2], double margin, sti_foot* out);
bool sti_outline_corner(const sti_shape_room* s, int k);  // does vertex k stick out?
bool sti_outline_corner_faces(const sti_shape_room* s, int k, const double n[2],
                              double slack);  // is n in its cone of normals, up to an angle?

// ---- support.c

typedef struct sti_support {
    double E[9];
    bool fixed;
    int* number;           // of E (9) or of the points (3 each)
    double* point;         // their values                            (3 point_count)
    int point_count;       // 0: E or pressure
    sti_numbers pressure;  // env NULL: none
    int pressure_number, degree;
} sti_support;

// E from points or pressure, with the numbers as they are; then NULL, or what is wrong with it.
void sti_support_measure(sti_support* s, const sti_numbers* k, const double* parameters, const sti_shape_room* shape);
const char* sti_support_wrong(const sti_support* s);

// ---- the scene

typedef struct sti_pushed_part {
    char* name;
    sti_shape_room shape;
    sti_support support;
    int pose_number[3];
    double pose[3];
} sti_pushed_part;

typedef struct sti_fixture {
    char* name;
    sti_shape_room shape;
    int pose_number[3], mu_number;
    double pose[3];
} sti_fixture;

typedef struct sti_probe {
    char* name;
    bool passive, angled, path;
    int first_tip, tip_count;
    int radius_number, angle_number, direction_number[2], speed_number, begin_number, until_number, path_number[2];
    int mu_number;
    double radius, velocity[2], begin, until;
} sti_probe;

typedef struct sti_tip {
    int probe;
    int number[2];
    double at[2];
} sti_tip;

typedef struct sti_pair_mu {
    int a, b;  // things: parts, then fixtures, then probes
    int number;
} sti_pair_mu;

struct sti_manipulation {
    sti_arena memory;
    sti_env* env;
    sti_numbers numbers;
    int parameter_count;
    char** parameter;      // (parameter_count)
    double* parameter_at;  // (parameter_count)
    int part_count, fixture_count, probe_count, tip_count, pair_count;
    sti_pushed_part* parts;
    sti_fixture* fixtures;
    sti_probe* probes;
    sti_tip* tips;
    sti_pair_mu* pairs;
    int mu_number, step_number, steps_number;
    double* friction;  // of thing i with thing j                                   (things x things)
    double size;       // largest reach of a part
    double step;
    long steps;
};

static inline int sti_manipulation_things(const sti_manipulation* m) {
    return m->part_count + m->fixture_count + m->probe_count;
}

// Evaluate all numbers, and look at what they give: shapes, E, overlap at the start.
sti_status sti_manipulation_evaluate(sti_manipulation* m);

// ---- contacts.c

// How deep one reaches into the other; 0: they do not overlap.
double sti_shape_overlap(const sti_shape_room* a, const double pose_a[3], const sti_shape_room* b,
                         const double pose_b[3]);
double sti_manipulation_penetration(const sti_manipulation* m, double t, const double* q, sti_status* status);

static inline void sti_turn(double theta, const double p[2], double out[2]) {
    const double c = __builtin_cos(theta), s = __builtin_sin(theta), x = p[0];
    out[0] = c * x - s * p[1];
    out[1] = s * x + c * p[1];
}
static inline void sti_put(const double pose[3], const double p[2], double out[2]) {
    sti_turn(pose[2], p, out);
    out[0] += pose[0];
    out[1] += pose[1];
}
static inline void sti_take(const double pose[3], const double p[2], double out[2]) {
    const double d[2] = {p[0] - pose[0], p[1] - pose[1]};
    sti_turn(-pose[2], d, out);
}

// ---- step.c and jam.c

struct sti_push {
    sti_env* env;
    const sti_manipulation* m;
    double h;
    long step;
    double *q, *v, *v_trial;     // (3 parts)
    long before;                 // where the last step began, and the poses there
    double* q_before;            // (3 parts)
    sti_push_contact* contacts;  // of the last step
    int contact_count;
    sti_push_force* forces;
    unsigned char* basis;
    sti_push_jam jam;
    bool jammed;
    sti_lcp_answer answer;  // of the last step
    double margin;
};

// Rows of the wrench of contact c on all parts: of W_n and of W_t (n each), zero where it does not act.
void sti_push_wrench(const sti_push_contact* c, const double* q, int n, double* row_n, double* row_t);
// Why a step has no solution: fills the jam and says which of stuck and damage it is, or unknown.
sti_status sti_push_explain(sti_push* p, sti_push_end* end, char* why, size_t size);
void sti_push_jam_clear(sti_env* env, sti_push_jam* jam);

#endif
