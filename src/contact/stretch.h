// stretch.h: a contact problem in tangent coordinates in which elliptic sections are discs, or others lie between two
// discs.
//
//     r = B r',   u' = B'u,   B_c = diag(1, T_c):     W' = B'W B,  V' = B'V,  q' = B'q,  H' = H B,  w' = B'w
//
// Maximal dissipation is kept: r_t of mu r_n T D maximizes -u_t.r_t exactly when r'_t = T^-1 r_t of mu r_n D maximizes
// -(T'u_t).r'_t. Normal parts stay as they are, so Signorini's condition does, and so do v and the multipliers.
#ifndef STI_CONTACT_STRETCH_H
#define STI_CONTACT_STRETCH_H

#include "contact/contact.h"

typedef enum sti_stretch_kind {
    STI_STRETCH_ELLIPSES,  // exact: the others keep their sections and their coordinates
    STI_STRETCH_AROUND,    // the others become discs around them
} sti_stretch_kind;

typedef struct sti_stretch {
    sti_env* env;
    sti_contact_problem problem;  // its section is NULL
    sti_matrix owned[2];          // W and V, or H
    double* vector;               // q or w            (3 nc)
    double* T;                    // row major         (nc x 4)
    bool exact;                   // every section is a disc or an ellipse
} sti_stretch;

sti_status sti_contact_stretch(sti_env* env, const sti_contact_problem* problem, sti_stretch_kind kind,
                               sti_stretch* out);
void sti_contact_stretch_clear(sti_stretch* s);
void sti_contact_stretch_forces(const sti_stretch* s, const double* from, double* to);    // r = B r'
void sti_contact_unstretch_forces(const sti_stretch* s, const double* from, double* to);  // r' = B^-1 r

// Is there a section that is no disc?
bool sti_contact_has_sections(const sti_contact_problem* problem);
// The largest distance of a point of S from 0
double sti_section_reach(const sti_section* section);

#endif
