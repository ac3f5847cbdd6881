// cone.h: polyhedral cones in span form and face form (S2 equations 14, 15).
//
//     span form   { G z + L y : z >= 0 }       rays (rows of G as stored here) and lines
//     face form   { x : F x <= 0, E x = 0 }    outward facet normals and equations
//
// The two are converted into each other by double description. With exact data (integers, fractions)
// everything is decided without rounding; with doubles it is decided with scaling and a tolerance.
#ifndef STICTION_CONE_H
#define STICTION_CONE_H

#include <stiction/document.h>
#include <stiction/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sti_polycone sti_polycone;  // immutable once made

// A table of vectors, one per row.
typedef struct sti_rows {
    int count;
    int dimension;
    const double* value;         // row major                         (count x dimension)
    const sti_rationals* exact;  // the same exact; NULL in floating mode
} sti_rows;

typedef struct sti_polycone_options {
    double tol;    // floating mode: relative size below which a product counts as zero (default 1e-9)
    int max_rays;  // stop with STI_ERR_SIZE beyond this many intermediate rays (default 200000)
} sti_polycone_options;

STI_API sti_polycone_options sti_polycone_options_default(void);

// Rows are copied. Exact mode when every table with rows has exact values.
STI_API sti_status sti_polycone_create_span(sti_env* env, int dimension, const sti_rows* rays, const sti_rows* lines,
                                            const sti_polycone_options* options, sti_polycone** out);
STI_API sti_status sti_polycone_create_face(sti_env* env, int dimension, const sti_rows* inequalities,
                                            const sti_rows* equations, const sti_polycone_options* options,
                                            sti_polycone** out);
STI_API void sti_polycone_destroy(sti_polycone* cone);

// Both forms, irredundant, sorted. Exact rows are primitive integer vectors, floating rows have largest entry 1 in
// size. Rays are orthogonal to the lines, facet normals to the equations; lines and equations are in reduced echelon
// form.
STI_API int sti_polycone_dimension_space(const sti_polycone* cone);
STI_API int sti_polycone_dimension(const sti_polycone* cone);  // of the linear hull
STI_API int sti_polycone_lineality(const sti_polycone* cone);  // of the largest subspace inside
STI_API bool sti_polycone_is_exact(const sti_polycone* cone);
STI_API bool sti_polycone_is_pointed(const sti_polycone* cone);
STI_API sti_rows sti_polycone_rays(const sti_polycone* cone);          // extreme rays
STI_API sti_rows sti_polycone_lines(const sti_polycone* cone);         // basis of the lineality space
STI_API sti_rows sti_polycone_inequalities(const sti_polycone* cone);  // facets, F x <= 0
STI_API sti_rows sti_polycone_equations(const sti_polycone* cone);

// Pointed in the sense of mechanics: is there a nonnegative, nonzero combination of the *given* rays (plus any
// combination of the given lines) that is zero? Pointed: margin = max d with g'x >= d for all given rays g,
// l'x = 0 for all lines, |x|_inf <= 1, attained at x. Not pointed: coefficients c (rays, then lines), sum over rays 1.
typedef struct sti_pointedness {
    bool pointed;
    double margin;           // 0 when not pointed, INFINITY when there are no rays
    double* x;               // (dimension), when pointed
    double* c;               // (rays + lines), when not pointed
    sti_rationals* c_exact;  // the same exact, in exact mode
} sti_pointedness;

STI_API sti_status sti_rows_pointedness(sti_env* env, int dimension, const sti_rows* rays, const sti_rows* lines,
                                        const sti_polycone_options* options, sti_pointedness* out);
STI_API void sti_pointedness_clear(sti_env* env, sti_pointedness* p);
// Bounds of that margin alone, evaluated in doubles on the rows as given, in a time that is bounded: where rounding
// keeps them apart nothing is decided in integers. Both 0 where lines depend on each other, INFINITY without rays.
STI_API sti_status sti_rows_margin_bounds(sti_env* env, int dimension, const sti_rows* rays, const sti_rows* lines,
                                          double* lower, double* upper);

// Membership with distance: p is the Euclidean projection of x, distance = |x - p|; face is the violated facet
// (-1 - k for equation k) with the largest violation when outside. slack: min over facets of -F x / |F| when inside, at
// facet face; NAN outside. An exact cone takes x as the binary fractions it is, a floating one allows tol |x|.
typedef struct sti_cone_point {
    bool inside;
    double distance;
    double slack;
    int face;
} sti_cone_point;

STI_API sti_status sti_polycone_locate(const sti_polycone* cone, const double* x, sti_cone_point* out);
STI_API sti_status sti_polycone_project(const sti_polycone* cone, const double* x,
                                        double* p);  // Euclidean, p (dimension)

STI_API sti_status sti_polycone_polar(const sti_polycone* cone, sti_polycone** out);  // { y : y'x <= 0 on the cone }
STI_API sti_status sti_polycone_intersect(const sti_polycone* a, const sti_polycone* b, sti_polycone** out);
STI_API sti_status sti_polycone_sum(const sti_polycone* a, const sti_polycone* b, sti_polycone** out);
// { T x : x in cone }, T rows x dimension, exact when T_exact is given (or T holds integers) and the cone is exact.
STI_API sti_status sti_polycone_image(const sti_polycone* cone, const sti_rows* T, sti_polycone** out);
STI_API sti_status sti_polycone_equal(const sti_polycone* a, const sti_polycone* b, bool* out);

// A cone as posed, before anything is computed: span form (rays, lines) or face form (inequalities, equations).
typedef struct sti_cone_input {
    int dimension;
    bool span;        // rays and lines given; otherwise inequalities and equations
    sti_rows first;   // rays, or inequalities  F x <= 0
    sti_rows second;  // lines, or equations    E x  = 0
} sti_cone_input;

// What a document holds (document.h); NULL when of another kind.
STI_API const sti_cone_input* sti_cone_input_of(const sti_document* document);

#ifdef __cplusplus
}
#endif
#endif
