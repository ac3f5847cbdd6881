// section.h: friction that is not a disc: the convex set that r_t / (mu r_n) may fill, contact by contact.
//
//     K = { r : r_t in mu r_n S },       u_t in -N(r_t)  while the contact slides, N the normal cone of mu r_n S
//
// S is convex and holds 0 in its interior; r_t then does the most work against the slip that K allows (maximal
// dissipation). The support function sigma(y) = max over x in S of x.y says all of S; S = { |x| <= 1 } is Coulomb's
// disc. Friction that differs along and across a grain is an ellipse, a ratchet or facets a polygon. Contacts in space
// only.
#ifndef STICTION_SECTION_H
#define STICTION_SECTION_H

#include <stiction/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STI_SECTION_SHAPE_LIST(X)     \
    X(STI_SECTION_DISC, "disc")       \
    X(STI_SECTION_ELLIPSE, "ellipse") \
    X(STI_SECTION_POLYGON, "polygon") \
    X(STI_SECTION_SUPPORT, "support") /* any convex set, by its support function */

#define STI_X(code, text) code,
typedef enum sti_section_shape { STI_SECTION_SHAPE_LIST(STI_X) } sti_section_shape;
#undef STI_X

STI_API const char* sti_section_shape_text(sti_section_shape shape);

typedef struct sti_section {
    sti_section_shape shape;
    double axes[2];        // ellipse: half axes, > 0; the first points to (cos angle, sin angle), the second across
    double angle;          // in the tangent coordinates of the contact
    int vertex_count;      // polygon: at least 3
    const double* vertex;  // counterclockwise, strictly convex, 0 inside                (vertex_count x 2)
    // support: sigma(y) for |y| = 1, and in x a point of S where x.y = sigma(y): the gradient. Positive, without state.
    double (*support)(void* user, const double* y, double* x);
    void* user;
} sti_section;

// STI_ERR_ARGUMENT names what is wrong. A support function is tried in 64 directions.
STI_API sti_status sti_section_check(sti_env* env, const sti_section* section);

// sigma(y); x (2, may be NULL): where in S it is reached.
STI_API double sti_section_support(const sti_section* section, const double* y, double* x);

// The nearest point p of S to z; returns how far z lies outside, or minus how deep inside (p is z then). derivative (2
// x 2, row major, may be NULL): of p by z, where it has one; where there is a kink that of one side.
STI_API double sti_section_project(const sti_section* section, const double* z, double* p, double* derivative);

// Least t >= 0 with z in t S (the gauge of S): what multiple of the section a tangential force needs.
STI_API double sti_section_gauge(const sti_section* section, const double* z);

#ifdef __cplusplus
}
#endif
#endif
