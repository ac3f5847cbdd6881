// path.h: a motion in steps as a function of bounded variation: its measures, and how far it is from another.
//
//     largest |v|, total variation of v, its largest jump, sum of normal impulses; S3 theorems 2.2.4 and 2.2.5 have
//     bounds of them that do not depend on h
//
//     errors of positions, velocities and impulses against a reference, from which stiction converge has its orders
//
// Between rows, positions, velocities and sums of impulses are read as linear in t; the weighted velocity
// v^(l,alpha) = alpha v^(l+1) + (1 - alpha) v^l (S3 2.2.10) is constant on each step. docs/steppers.md says more.
#ifndef STICTION_PATH_H
#define STICTION_PATH_H

#include <stiction/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sti_path sti_path;

// position_count, velocity_count >= 1; alpha in (0, 1].
STI_API sti_status sti_path_create(sti_env* env, int position_count, int velocity_count, double alpha, sti_path** out);
STI_API void sti_path_destroy(sti_path* path);  // accepts NULL
// A row: t above that of the row before; normal: sum of normal impulses of the step that ends here. All finite.
STI_API sti_status sti_path_add(sti_path* path, double t, const double* q, const double* v, double normal);

STI_API long sti_path_count(const sti_path* path);  // rows
STI_API double sti_path_time(const sti_path* path, long row);
STI_API const double* sti_path_q(const sti_path* path, long row);  // (position_count)
STI_API const double* sti_path_v(const sti_path* path, long row);  // (velocity_count)

// Sizes of velocities are Euclidean norms.
typedef struct sti_path_measures {
    double speed;               // largest |v|
    double variation;           // sum of |v^(l+1) - v^l|
    double weighted_variation;  // the same of v^(l,alpha)
    double jump;                // largest |v^(l+1) - v^l|
    double jump_time;           // end of that step; NAN: fewer than two rows
    double impulses;            // sum of normal impulses
} sti_path_measures;

STI_API void sti_path_measure(const sti_path* path, sti_path_measures* out);
// The same row by row, without a path, from zeros with jump_time NAN on. v, and the velocities one and two rows before
// it (n); NULL: there is no such row.
STI_API void sti_path_measures_add(sti_path_measures* sum, int n, double alpha, double t, const double* v,
                                   const double* before, const double* two_before, double normal);

// Over the time that both have. Sup: the largest difference of a component; L1: integral of the sum of them.
typedef struct sti_path_error {
    double position;  // sup over the rows of the path
    double final;     // the same at its last row that the reference reaches
    double velocity;  // L1, exact for the two interpolants
    double weighted;  // L1 of v^(l,alpha), likewise
    double graph;     // Hausdorff distance of the graphs (t, v), from the rows of either to the graph of the other
    double impulse;   // L1 of the sums of normal impulses up to t
} sti_path_error;

// STI_ERR_ARGUMENT: other numbers of coordinates, or no time in common.
STI_API sti_status sti_path_compare(const sti_path* path, const sti_path* reference, sti_path_error* out);

#ifdef __cplusplus
}
#endif
#endif
