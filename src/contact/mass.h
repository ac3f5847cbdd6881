// mass.h: connected pieces of a mass matrix: bodies, assemblies of coupled ones, finite elements.
//
// A piece is factored alone, and solved for its contacts:
//
//     A = M restricted to it + delta,        X = A^-1 H,        H the columns of its contacts
//
// Small pieces hold H and X whole. A large one holds X on the rows that contacts touch, which is all that H'X asks for.
#ifndef STI_CONTACT_MASS_H
#define STI_CONTACT_MASS_H

#include <stiction/contact.h>

#include "base/arena.h"
#include "linalg/dense.h"
#include "linalg/ldl.h"
#include "linalg/tiny.h"

// A piece with more than STI_TINY velocities. Symmetric and sparse: L D L', otherwise L U of a dense matrix.
typedef struct sti_mass_large {
    sti_arena memory;
    sti_env* env;
    const sti_matrix* M;     // borrowed
    const int* place_in;     // of every velocity in its piece; borrowed
    sti_ldl ldl;             // n = 0: not in use
    sti_dense_factor dense;  // capacity 0: not in use
    int columns;             // of X
    int touched_count;
    int* touched;  // rows that contacts touch, ascending                           (touched_count)
    int* line;     // of every row its place among them, or -1                     (size)
    double* X;     // on the touched rows, row by row                              (touched_count x columns)
    double* room;  // (3 size + STI_LDL_TOGETHER touched_count)
    struct sti_mass_large* next;  // of those in a memory
} sti_mass_large;

typedef struct sti_mass_piece {
    int size;
    int* index;             // velocities of the piece, ascending                     (size)
    double* lu;             // up to STI_TINY velocities: factors                     (size x size)
    int* pivot;             //                                                        (size)
    sti_mass_large* large;  // NULL: up to STI_TINY velocities
    double delta;           // 0 unless the piece is singular
    bool scaled;            // the factor is that of S A S, S = diag(scale)
    int contact_count;
    int* contact;  // contacts that touch it, ascending                      (contact_count)
    double* H;     // its rows and their columns, column major; small pieces (size x d contact_count)
    double* X;     // A^-1 H, small pieces                                   (size x d contact_count)
} sti_mass_piece;

// A large piece, for so many columns of H; touched[i]: contacts touch velocity i. `memory` may have its pattern; NULL:
// none. Fails with STI_ERR_SIZE where it is neither sparse and symmetric nor small enough to be dense.
sti_status sti_mass_large_create(sti_env* env, const sti_matrix* M, const sti_mass_piece* piece, const int* place_in,
                                 const unsigned char* touched, int columns, sti_contact_memory* memory,
                                 sti_mass_large** out);
void sti_mass_large_destroy(sti_mass_large* large);  // accepts NULL

// The other end of a large piece: a memory takes over what is sparse of it, the rest is destroyed. NULL is accepted for
// both. sti_contact_memory_forget: what the pieces of a problem have not taken out again.
void sti_contact_memory_keep(sti_contact_memory* memory, sti_mass_large* large);
void sti_contact_memory_forget(sti_contact_memory* memory);
bool sti_contact_memory_is_of(const sti_contact_memory* memory, const sti_env* env);

// Factor M + piece->delta, scaled by `scale` (of all velocities) where the piece says so, and its condition; 0 where it
// is singular. `finite`: its numbers are. A symmetric piece that is not definite becomes a dense one on the way.
sti_status sti_mass_factor(sti_mass_piece* piece, const sti_matrix* M, const int* place_in, const double* scale,
                           double* rcond, bool* finite);

// x = A^-1 x on the piece
void sti_mass_solve(const sti_mass_piece* piece, const double* scale, double* x);

// Large pieces: X, from the columns of H that belong to the contacts, d each; and the row of X that belongs to a
// velocity, NULL where that is in another piece.
void sti_mass_solve_contacts(const sti_mass_piece* piece, const double* scale, const sti_matrix* H, int d);
const double* sti_mass_line(const sti_mass_piece* piece, int velocity);

#endif
