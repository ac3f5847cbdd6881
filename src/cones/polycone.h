// polycone.h: the inside of sti_polycone.
#ifndef STI_CONES_POLYCONE_H
#define STI_CONES_POLYCONE_H

#include "cones/vectors.h"

// One table of a cone. Exact rows are primitive integers; floating rows have largest entry 1 in size.
typedef struct sti_cone_table {
    int count;
    double* value;         // as shown to the user                             (count x d)
    double* unit;          // the same rows at Euclidean length 1               (count x d)
    sti_rationals* exact;  // exact mode only                                   (count x d)
} sti_cone_table;

// The two forms are mirror images: the facet normals and equations of a cone are the rays and lines of its polar.
typedef enum sti_cone_side { STI_SIDE_SPAN, STI_SIDE_FACE } sti_cone_side;

struct sti_polycone {
    sti_env* env;  // borrowed; outlives the cone
    int d;
    bool exact;
    sti_polycone_options options;
    sti_cone_table rays[2];   // by side: extreme rays, facet normals
    sti_cone_table lines[2];  // by side: lines, equations
    double* basis[2];         // orthonormal basis of the lines of each side     (lines[side].count x d)
};

sti_rows sti_cone_table_rows(const sti_polycone* cone, const sti_cone_table* t);

// Sizes fit, values are there and finite, options make sense; exact: every table with rows is exact.
sti_status sti_rows_check(sti_env* env, int dimension, const sti_rows* rays, const char* ray_name,
                          const sti_rows* lines, const char* line_name, const sti_polycone_options* options,
                          bool* exact);

// Both tables of one side given as directions (which the call uses up, but does not free): find the other side.
sti_status sti_polycone_build(sti_arith* ar, sti_cone_side side, sti_table* rays, sti_table* lines,
                              const sti_polycone_options* options, sti_polycone** out);

#endif
