// sticking_facts.h: an instant as the propositions of S0 see it, in rationals, and claims held against it.
#ifndef STI_VERIFY_STICKING_FACTS_H
#define STI_VERIFY_STICKING_FACTS_H

#include "verify/fractions.h"
#include "verify/sticking_data.h"

enum { STI_CLAIM_NUMBERS = 32 };  // of one proposition, at most

typedef struct sti_sticking_facts {
    sti_sticking_data* d;  // borrowed
    const sti_sticking_answer* answer;
    sti_sticking_verification* out;
    sti_algebra k;
    double tol;
    int n, m, t, u, x, p;  // velocities; contacts, tangents, unilateral normals, other held directions; multipliers
    sti_fractions M, F;    // (n x n), (n x 1)
    sti_fractions N, H, C, U, X;       // normals, tangents, both; unilateral normals; tangents and normals held (S0 62)
    sti_fractions c_n, c_t, c_u, c_x;  // rates, in columns; c = (c_n; c_t)
    sti_fractions c, A, c_A;           // A: directions held, flat                          (n x q)
    sti_fractions Minv;                // when definite
    int* flat;                         // flat multiplier of each column of C               (p)
    const double *size_a, *size_l;     // of d
    bool slides, bilateral, definite;
    bool near;  // ranks differ without rounding and with a tolerance: numbers were rounded, and propositions are not
                // judged
    bool solvable;  // (61 a) is: M a + F = C lambda, A'a + c = 0, whatever lambda_t of contacts that slide
    int rank_N, rank_H, rank_C, rank_U, rank_X, rank_UX, kernel;
    unsigned char*
        judged;  // numbers of propositions that were held against something   (propositions x STI_CLAIM_NUMBERS)
} sti_sticking_facts;

sti_status sti_sticking_facts_open(sti_sticking_facts* f, sti_sticking_data* d, const sti_sticking_answer* answer,
                                   double tol, sti_sticking_verification* out);
void sti_sticking_facts_close(sti_sticking_facts* f);

// ---- claims. Each returns whether the claim stands so far; the first that does not is named in out->text.

const sti_proposition* sti_claim(const sti_sticking_facts* f, const char* id);                     // NULL: not claimed
const sti_named* sti_claim_number(const sti_sticking_facts* f, const char* id, const char* name);  // NULL: none
void sti_claim_judged(sti_sticking_facts* f,
                      const sti_named* v);  // it was held against something; the comparisons below say so
// STI_HOLDS_UNKNOWN is never wrong.
bool sti_claim_verdict(sti_sticking_facts* f, const char* id, sti_holds expected);
// A number that is not there is no claim.
bool sti_claim_matrix(sti_sticking_facts* f, const char* id, const char* name, sti_fractions expected);
bool sti_claim_integer(sti_sticking_facts* f, const char* id, const char* name, int expected);
bool sti_claim_truth(sti_sticking_facts* f, const char* id, const char* name, bool expected);  // NAN: it is left open
bool sti_claim_double(sti_sticking_facts* f, const char* id, const char* name, double expected, double size);
bool sti_claim_doubles(sti_sticking_facts* f, const char* id, const char* name, int count, const double* expected,
                       const double* size);
bool sti_claim_fails(sti_sticking_facts* f, const char* id, const char* format, ...)
    __attribute__((format(printf, 3, 4)));  // false

// Multipliers (n; t) of S0 as a column, from the numbers lambda_n and lambda_t of a proposition; empty: not claimed.
bool sti_claim_lambda(sti_sticking_facts* f, const char* id, sti_fractions* lambda);
bool sti_claim_column(sti_sticking_facts* f, const char* id, const char* name, int count, sti_fractions* out);

// |lambda_t| of contact i, with polygons the mu lambda_n at whose boundary it is.
double sti_facts_reach(const sti_sticking_facts* f, int i, const double* t);
// Margin of contact i at multipliers (n; t): its value, the terms of it, and its sign, 2: not known without rounding
// (polygons).
double sti_facts_margin(sti_sticking_facts* f, int i, sti_fractions lambda, double* terms, int* sign);

// The parts of sti_verify_sticking beside the decision itself.
bool sti_check_section_2(sti_sticking_facts* f);
bool sti_check_section_3(sti_sticking_facts* f);
bool sti_check_section_4(sti_sticking_facts* f);
bool sti_check_section_5(sti_sticking_facts* f);

// A_c and H_c of (35)-(38), the first term of H_c, and the kernel of A_c; M > 0 and X independent.
void sti_facts_augmented(sti_sticking_facts* f, sti_fractions* A, sti_fractions* H, sti_fractions* first);

// Eigenvalues, ascending, of a symmetric matrix of at most 32 rows, by rotations.
void sti_facts_eigenvalues(sti_algebra* k, sti_fractions a, double* out);

#endif
