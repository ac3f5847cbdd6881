// problem.h: the inside of sti_problem, and the step all readers share: fields with their sizes become a problem.
#ifndef STI_IO_PROBLEM_H
#define STI_IO_PROBLEM_H

#include <stiction/io.h>

#include "base/env.h"
#include "io/json_tree.h"

// Sizes beyond these are refused before anything of that size is allocated.
#define STI_IO_TEXT_MOST ((size_t)1 << 31)  // bytes of a text file
enum {
    STI_IO_DENSE_MOST = 20000,
    STI_IO_SPARSE_MOST = 1000000,
    STI_IO_EXACT_MOST = 1000000,
    STI_IO_CONE_MOST = 4000000
};

enum { STI_MATRIX_COUNT = 8 };  // names that the kind "matrices" has

typedef struct sti_fclib sti_fclib;

struct sti_problem {
    sti_env* env;
    sti_kind kind;
    sti_lcp lcp;  // views of what follows; matrices are owned here
    sti_mlcp mlcp;
    sti_cone_input cone;
    sti_qp qp;
    sti_l1 l1;
    sti_matrices matrices;
    double* table[STI_MATRIX_COUNT];  // of the matrices, in the order of the kind
    double* side[4];                  // l, u, lb, ub of a qp; NULL: not given
    double* vector[2];                // q; a, b; c; b; tables of the cone
    sti_rationals* exact[2];          // matrix, vector; tables of the cone
    sti_fclib* contact;               // the contact problem and what stands beside it, all in one
    sti_instant* instant;
    sti_system* system;
    sti_scene* scene;
    sti_world_scene* world;
    struct sti_world_source* source;  // of the world
    void* posed;                      // of kinds that are read by one file and known to no other: root, bound
    void (*destroy_posed)(sti_env* env, void* posed);
};

// What a file holds under one name.
typedef struct sti_field {
    int rows;              // of a vector: its length
    int cols;              // of a vector: 1; -1: a list of no rows, which has no width
    sti_matrix matrix;     // of a matrix
    double* vector;        // of a vector                                     (rows)
    sti_rationals* exact;  // entries without rounding, row major; NULL: the doubles are the data
    bool given;
    bool rounded;   // some entry is not exactly a double
    bool fraction;  // some entry is neither a whole number up to 2^53 nor exact text
    bool open;      // a vector in which null stands for "none", NAN here
} sti_field;

// Names of each kind. The readers go through them in this order.
typedef struct sti_field_name {
    const char* name;
    bool matrix;
    bool optional;
    bool open;  // null is allowed, for all of it and for its entries
} sti_field_name;

enum { STI_FIELD_MOST = STI_MATRIX_COUNT, STI_SIZE_MOST = 2 };

typedef struct sti_kind_form {
    sti_kind kind;
    int field_count;
    sti_field_name field[STI_FIELD_MOST];
    int size_count;
    const char* size[STI_SIZE_MOST];  // optional whole numbers that must agree: n, m; dimension
} sti_kind_form;

// The form of a kind by its name. STI_ERR_INPUT names the kinds there are.
sti_status sti_kind_form_find(sti_env* env, const char* file, const char* name, const sti_kind_form** out);
// Is this a name that the kind uses, or one that may always be there (kind, name, comment)?
bool sti_kind_form_knows(const sti_kind_form* form, const char* name);

// Check sizes against each other and against the declared ones (-1: not declared), and build the problem. The fields
// hand over what they own; whatever is left in them is the caller's to clear.
sti_status sti_problem_assemble(sti_env* env, const char* file, const sti_kind_form* form, sti_field* fields,
                                const int64_t* sizes, sti_problem** out);
void sti_field_clear(sti_env* env, sti_field* field);
// The same from a contact problem, which is handed over also when this fails.
sti_status sti_problem_assemble_contact(sti_env* env, sti_fclib* contact, sti_problem** out);
// An empty problem of a kind, for readers that fill in the rest themselves.
sti_status sti_problem_create(sti_env* env, sti_kind kind, sti_problem** out);

sti_status sti_problem_read_json(sti_env* env, char* text, size_t size, const char* name, const char* directory,
                                 sti_problem** out);
// Kinds that stand in one file each.
sti_status sti_root_read_json(const sti_json_tree* tree, sti_problem** out);
sti_status sti_bound_read_json(const sti_json_tree* tree, sti_problem** out);
sti_status sti_manipulation_read_json(const sti_json_tree* tree, sti_problem** out);
sti_status sti_problem_read_hdf5(sti_env* env, const char* path, sti_problem** out);

// A problem on its way out: fields by name, exact or not.
typedef struct sti_outgoing {
    const char* name;
    const sti_matrix* matrix;  // or
    const double* vector;
    int rows;
    int cols;
    const sti_rationals* exact;  // NULL, or where the entries stand in it: exact[first + i stride + j]
    size_t first;
    size_t stride;
} sti_outgoing;

sti_status sti_problem_write_json(sti_env* env, const sti_kind_form* form, const sti_outgoing* fields, int n, int m,
                                  const char* path);
sti_status sti_problem_write_hdf5(sti_env* env, const sti_kind_form* form, const sti_outgoing* fields, int n, int m,
                                  const char* path);

#endif
