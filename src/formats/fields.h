// fields.h: the fields of a document by their names, whatever the format: matrices and vectors, exact or not, with
// sizes that must agree. Readers (json_read.c, hdf5_read.c) fill them in, kinds with a form make what they hold into a
// problem.
#ifndef STI_FORMATS_FIELDS_H
#define STI_FORMATS_FIELDS_H

#include <stiction/linalg.h>

#include "base/env.h"

// Sizes beyond these are refused before anything of that size is allocated.
#define STI_FILE_TEXT_MOST ((size_t)1 << 31)  // bytes of a text file
enum {
    STI_FILE_DENSE_MOST = 20000,
    STI_FILE_SPARSE_MOST = 1000000,
    STI_FILE_EXACT_MOST = 1000000,
    STI_FILE_CONE_MOST = 4000000
};

enum { STI_FIELD_MOST = 8, STI_SIZE_MOST = 2 };

// Names of a kind. The readers go through them in this order.
typedef struct sti_field_name {
    const char* name;
    bool matrix;
    bool optional;
    bool open;  // null is allowed, for all of it and for its entries
} sti_field_name;

// When entries are kept without rounding.
typedef enum sti_form_exact {
    STI_EXACT_TEXT,   // when one of them is not exactly a double
    STI_EXACT_WHOLE,  // when all of them are whole numbers, or text
    STI_EXACT_NEVER,  // what is made of them works in floating point alone
} sti_form_exact;

typedef struct sti_form {
    const char* kind;  // its word
    int field_count;
    sti_field_name field[STI_FIELD_MOST];
    int size_count;
    const char* size[STI_SIZE_MOST];  // optional whole numbers that must agree: n, m; dimension
    sti_form_exact exact;
} sti_form;

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

typedef struct sti_fields {
    sti_env* env;
    const char* file;  // for messages
    const sti_form* form;
    sti_field field[STI_FIELD_MOST];  // as in the form
    int64_t size[STI_SIZE_MOST];      // as declared; -1: not
} sti_fields;

void sti_fields_begin(sti_env* env, const char* file, const sti_form* form, sti_fields* out);
void sti_fields_clear(sti_fields* fields);
void sti_field_clear(sti_env* env, sti_field* f);
// Is this a name that the form has, or one that may always be there (kind, name, comment)?
bool sti_form_knows(const sti_form* form, const char* name);
// Does the form want these without rounding?
bool sti_fields_want_exact(const sti_fields* fields);
bool sti_fields_fraction(const double* value, size_t count);     // is one of them no whole number, or more than 2^53?
bool sti_matrix_fraction(const sti_matrix* M);                   // the same of the entries of a matrix
sti_status sti_field_exact_doubles(sti_env* env, sti_field* f);  // the doubles are the data, kept as fractions

// Steps that kinds share. A declared size (by its place in the form) that is not the one the data has:
sti_status sti_fields_check_size(const sti_fields* fields, int which, int64_t found, const char* of);
// The matrix has to be rows x cols. A list of no rows has no width and fits when nothing is in it.
sti_status sti_fields_check_shape(sti_fields* fields, int which, int rows, int cols, const char* why);
// The matrix, dense; row major.
sti_status sti_fields_take_dense(sti_fields* fields, int which, double** out);
sti_matrix sti_field_take_matrix(sti_field* f);
double* sti_field_take_vector(sti_field* f);
sti_rationals* sti_field_take_exact(sti_field* f);

// A document on its way out: fields by name, exact or not.
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

// By the name .json, .hdf5 or .h5; n and m are written as sizes, m < 0: there is none.
sti_status sti_fields_save(sti_env* env, const sti_form* form, const sti_outgoing* fields, int n, int m,
                           const char* path);
sti_status sti_fields_write_json(sti_env* env, const sti_form* form, const sti_outgoing* fields, int n, int m,
                                 const char* path);
sti_status sti_fields_write_hdf5(sti_env* env, const sti_form* form, const sti_outgoing* fields, int n, int m,
                                 const char* path);

#endif
