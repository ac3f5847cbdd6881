// program.h: affine conditions on a vector x, in floating point and, beside it, without rounding.
//
//     row_r(x) = constant_r + sum_j coefficient_rj x_j
//
// is zero, is nonnegative, or belongs to a second-order cone (head >= |tails|, rows that follow each other). Two ways
// to decide and to minimize over such a set: exact integers for rows without cones (exact/dictionary.h), and
// the conic solver after the equations are eliminated by a singular value decomposition.
#ifndef STI_STICKING_PROGRAM_H
#define STI_STICKING_PROGRAM_H

#include <stiction/conic.h>

#include "exact/dictionary.h"
#include "exact/rationals.h"
#include "linalg/svd.h"

typedef enum sti_row_kind { STI_ROW_ZERO, STI_ROW_NONNEGATIVE, STI_ROW_HEAD, STI_ROW_TAIL } sti_row_kind;

typedef struct sti_cone_program {
    sti_env* env;
    sti_arena* pool;  // borrowed: arrays live as long as it
    int size;         // entries of x
    int rows;         // so far
    int capacity;
    double* row;           // constant, then coefficients                  (capacity x (size+1))
    unsigned char* kind;   // sti_row_kind                                 (capacity)
    int* owner;            // contact the row belongs to, -1: none         (capacity)
    sti_rationals* exact;  // the same numbers as row; NULL: floating only
    bool has_cones;
    // after sti_program_reduce: x = start + sum_k s_k basis_k solves the equations
    int freedom;
    double* start;          // (size)
    double* basis;          // orthonormal in scaled unknowns               (freedom x size)
    double* unknown_scale;  // x = scale times what the decomposition sees  (size)
    double* metric;         // NULL, or: start has the least sum of (x_j / metric_j)^2         (size)
    double* row_scale;      // of the equations                             (rows)
    sti_svd equations;
    int* equation;                   // rows that are equations, in order            (equations.m)
    int *row_block, *unknown_block;  // equations that hang together: the first of them, 1 + that  (equations.m), (size)
    double outside;                  // relative distance of the constants from the image
    double* witness;                 // multipliers of the equations that show it    (equations.m)
} sti_cone_program;

sti_status sti_program_open(sti_cone_program* p, sti_arena* pool, int size, int capacity, bool exact);
void sti_program_close(sti_cone_program* p);  // the exact table; accepts a zero struct

int sti_program_add(sti_cone_program* p, sti_row_kind kind, int owner);  // a row of zeros; its index
// Entries: column 0 is the constant, column j+1 the coefficient of x_j.
void sti_program_put(sti_cone_program* p, int row, int column, double value);
// The same from data that may have an exact twin (table NULL: the double is the number), times sign.
void sti_program_put_data(sti_cone_program* p, int row, int column, double value, const sti_rationals* table,
                          size_t index, int sign);

double sti_program_row_value(const sti_cone_program* p, int row, const double* x);
// The same without rounding, at an exact point (size), into entry `index` of out; or its sign and the nearest double.
sti_status sti_program_exact_row(const sti_cone_program* p, int row, const sti_rationals* x, sti_rationals* out,
                                 size_t index);
sti_status sti_program_exact_value(const sti_cone_program* p, int row, const sti_rationals* x, int* sign,
                                   double* value);

// ---- without rounding (no cones). x_exact and multipliers may be NULL.

typedef struct sti_exact_program {
    sti_exact x;
    sti_dictionary* D;  // columns: x; rows: those of the program, then -x_j for every entry
    const sti_cone_program* program;
    int* held;  // 1 where a free unknown was reached by no condition   (size)
    bool feasible;
} sti_exact_program;

sti_status sti_exact_program_open(sti_exact_program* e, const sti_cone_program* p);
void sti_exact_program_close(sti_exact_program* e);
// Feasible: a vertex into out (size). Otherwise multipliers (rows): their combination of the rows is absurd.
sti_status sti_exact_program_point(sti_exact_program* e, sti_rationals* out);
sti_status sti_exact_program_farkas(sti_exact_program* e, sti_rationals* out);
// Least value of sign * x_j over the set, -INFINITY when unbounded; the vertex is then at sti_exact_program_point.
sti_status sti_exact_program_least(sti_exact_program* e, int j, int sign, double* value);

// Rank of the equations alone, whether they can be solved, and multipliers (rows of the program) when they cannot.
sti_status sti_program_exact_rank(const sti_cone_program* p, int* rank, bool* solvable, sti_rationals* farkas);

// ---- in floating point

sti_status sti_program_reduce(sti_cone_program* p);
// The same, taking over the decomposition of `like` (NULL: none) when its equations are these very ones.
sti_status sti_program_reduce_like(sti_cone_program* p, const sti_cone_program* like);

typedef struct sti_program_answer {
    sti_conic_outcome outcome;
    double value;  // of the objective
    double* x;     // (size)
    double* dual;  // multiplier of every row, >= 0 for inequalities, in the dual cone for cones      (rows)
    double residual;
} sti_program_answer;

// Least c'x + sum_j weight_j x_j^2 / 2 (both may be NULL). The program must have been reduced.
sti_status sti_program_minimize(const sti_cone_program* p, const double* c, const double* weight,
                                sti_program_answer* out);

// Multipliers of the equations that make sum over all rows of dual_r row_r(x) a constant, given those of the others.
void sti_program_lift(const sti_cone_program* p, double* dual);

#endif
