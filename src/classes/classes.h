// classes.h: the inside of the classes room.
//
// A specimen is the matrix under study. Doubles are the binary fractions they are, so every question about them has
// an exact answer; M_exact, where given, is the matrix instead. The tests below take floating point as a filter with
// a proved bound and go to integer images of the data for what it cannot settle.
#ifndef STI_CLASSES_CLASSES_H
#define STI_CLASSES_CLASSES_H

#include <stiction/classes.h>

#include "exact/determinant.h"
#include "exact/rationals.h"

typedef struct sti_specimen {
    sti_env* env;
    sti_exact x;
    int n;
    double* m;                   // row major, nearest doubles       (n x n)
    const sti_rationals* exact;  // borrowed; NULL: m is the data
    sti_classes_options options;
} sti_specimen;

// Order up to which dense tests run at all, and up to which whole matrices are taken into integers.
enum { STI_SPECIMEN_LIMIT = 5000, STI_INTEGER_LIMIT = 60, STI_EIGENVALUE_LIMIT = 1500 };

// M is checked: square, finite, and M_exact of its size.
sti_status sti_specimen_init(sti_specimen* s, sti_env* env, const sti_matrix* M, const sti_rationals* M_exact,
                             const sti_classes_options* options);
// q is there, finite and as long as M is wide, and q_exact of its size.
sti_status sti_specimen_check_lcp(sti_env* env, const sti_lcp* lcp);
void sti_specimen_clear(sti_specimen* s);  // accepts a zero struct

static inline double sti_specimen_at(const sti_specimen* s, int i, int j) {
    return s->m[(size_t)i * (size_t)s->n + (size_t)j];
}
int sti_specimen_sign(const sti_specimen* s, int i, int j);                  // of M_ij
bool sti_specimen_equal(const sti_specimen* s, int i, int j, int k, int l);  // M_ij = M_kl
int sti_specimen_sum_sign(sti_specimen* s, int i, int j);                    // of M_ij + M_ji
// Parts of an index set that entries of M + M' join: all but zeros, or negative ones. Labels them (k) from 0 on and
// returns how many there are. queue: room (k).
int sti_specimen_parts(sti_specimen* s, const int* index, int k, bool negative, int* label, int* queue);

// Integer image of the rows x cols block: out = M_block * num / den with one scale (both NULL: not wanted).
void sti_specimen_image(sti_specimen* s, const int* row, int rows, const int* col, int cols, sti_int* out, sti_int* num,
                        sti_int* den);
// Of M + M' on the index set; num and den belong to M + M'.                                                (k x k)
void sti_specimen_symmetric_image(sti_specimen* s, const int* index, int k, sti_int* out, sti_int* num, sti_int* den);
// Each row with a scale of its own: enough for signs of minors.                              out (k x k), num, den (k)
void sti_specimen_row_image(sti_specimen* s, const int* index, int k, sti_int* out, sti_int* num, sti_int* den);

// For loops that can be long and compute in doubles alone; exact arithmetic watches the time by itself. False: time or
// memory ran out, which x->status keeps.
static inline bool sti_specimen_goes_on(sti_exact* x, long work) {
    enum { EVERY = 256 };
    if (x->status == STI_OK && work % EVERY == 0) x->status = sti_check_time(x->env, "testing a matrix");
    return x->status == STI_OK;
}

// ---- findings

void sti_finding_clear(sti_env* env, sti_class_finding* f);  // frees, back to undecided
void sti_finding_say(sti_class_finding* f, sti_verdict verdict, bool exact, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

// Witness x: the integers v (k) on the index set, zero elsewhere, made primitive, and over a power of two when they
// are long. Sets x, x_exact, size and value = x'Mx.
sti_status sti_finding_set_vector(sti_specimen* s, sti_class_finding* f, const int* index, int k, sti_int* v);
sti_status sti_finding_copy_vector(sti_specimen* s, sti_class_finding* to, const sti_class_finding* from);
// Witness index set, sorted, and the value of its minor.
sti_status sti_finding_set_minor(sti_specimen* s, sti_class_finding* f, const int* index, int k);
sti_status sti_finding_copy_minor(sti_specimen* s, sti_class_finding* to, const sti_class_finding* from);

// ---- the tests, one file each

// definite.c: M on the index set. Witnesses have n entries.
sti_status sti_specimen_definite(sti_specimen* s, const int* index, int k, sti_class_finding* definite,
                                 sti_class_finding* semidefinite);
sti_status sti_specimen_eigenvalues(sti_specimen* s, double* least, double* largest);  // NAN beyond the limit

// pminors.c
sti_status sti_specimen_P(sti_specimen* s, sti_classes* c);
sti_status sti_specimen_P0(sti_specimen* s, sti_classes* c);

// copositive.c: M on the index set. Witnesses have n entries.
sti_status sti_specimen_copositive(sti_specimen* s, const int* index, int k, sti_class_finding* copositive,
                                   sti_class_finding* strictly);

// simplex.c: min of x'Mx on the standard simplex
sti_status sti_specimen_simplex(sti_specimen* s, sti_classes* c);
// A local minimum of x'Sx on the simplex by pairwise steps: x (k) in and out, S (k x k) symmetric, g (k) scratch.
void sti_simplex_descend(const double* S, int k, double* x, double* g);

// sufficient.c
sti_status sti_specimen_sufficient(sti_specimen* s, sti_classes* c);

// copositive_search.c: x'Bx over x >= 0 for a symmetric integer matrix of order n <= 62.
typedef struct sti_copositive_search {
    sti_verdict copositive;  // UNDECIDED: the work ran out
    bool has_zero;           // a zero was met; when copositive and not so, B is strictly copositive
    sti_int* violator;       // x >= 0, x'Bx < 0, when copositive is NO            (n)
    sti_int* zero;           // x >= 0, x != 0, x'Bx = 0                           (n)
    long work;               // nodes, with exact steps weighed in
} sti_copositive_search;

sti_status sti_copositive_search_run(sti_exact* x, const sti_int* B, int n, long work_limit,
                                     sti_copositive_search* out);
void sti_copositive_search_clear(sti_env* env, sti_copositive_search* search, int n);

#endif
