// dd.h: double description: from the inequalities of a cone to its generators.
//
//     { x : a'x >= 0 for inequalities a, a'x = 0 for equations a }  =  { sum z_i r_i + sum y_k l_k : z >= 0 }
//
// The same routine goes the other way: the facet normals of a cone are the generators of its polar.
#ifndef STI_CONES_DD_H
#define STI_CONES_DD_H

#include "cones/vectors.h"

// Extreme rays (one direction for each, orthogonal to the lines, sorted) and lines (basis in echelon form).
typedef struct sti_dd_result {
    int dimension;
    int ray_count;
    int line_count;
    sti_int* rays;   // primitive        (ray_count x dimension)
    sti_int* lines;  // primitive        (line_count x dimension)
} sti_dd_result;

// Exact. rows: row_count x dimension, row major, borrowed; is_equation: one flag per row, NULL when all rows are
// inequalities. STI_ERR_SIZE when more than max_rays rays would have to be held at a time. Zero rows are allowed.
// dimension >= 1. A failure leaves *out empty; it is recorded in the environment of x, and for memory in x->status too.
sti_status sti_dd_rays(sti_exact* x, int dimension, int row_count, const sti_int* rows,
                       const unsigned char* is_equation, int max_rays, sti_dd_result* out);
void sti_dd_result_clear(sti_env* env, sti_dd_result* result);

// The same over either arithmetic; rows are directions. rays and lines are made here (cleared by the caller with
// sti_table_clear) and canonical as above. line_basis receives an orthogonal basis of the lines.
sti_status sti_dd_convert(sti_arith* ar, const sti_table* inequalities, const sti_table* equations, int max_rays,
                          sti_table* rays, sti_table* lines, sti_table* line_basis);

#endif
