// fclib.h: frictional contact problems in the public FCLIB format.
//
//     /fclib_local     spacedim, W, V, R, vectors (q, s, mu), info        u = W r + V l + q,   V'r + R l + s = 0
//     /fclib_global    spacedim, M, H, G, vectors (f, w, b, mu), info     M v = H r + G l + f, u = H'v + w, G'v + b = 0
//     /guesses         number_of_guesses, 1, 2, ...: each a point
//     /solution        a point: u, r; l where there are bilateral rows, v in global form
//
// A matrix is a group: m, n (rows, columns), nz, nzmax and the lists p, i, x, indices from 0:
//
//     nz >= 0    triplets: entry k has row i[k], column p[k], value x[k] (the header of FCLIB says the opposite)
//     nz = -1    compressed columns: p (n+1) where columns begin, i rows; i and x may be longer (nzmax) than used
//     nz = -2    compressed rows: p (m+1) where rows begin, i columns
//
// Ours, in the problem's group beside vectors; readers of FCLIB look things up by name and never meet it:
//
//     sections         shape (nc): 0 disc, 1 ellipse, 2 polygon;   first (nc+1): where the values of a contact begin;
//                      value: half axes a, b and the angle of an ellipse, x, y of the vertices of a polygon
//
// spacedim, m, n, nz, nzmax are lists of one integer. V, R, s come together or not at all, as do G, b. info holds texts
// title, description, math_info, all optional; a matrix may have comment, conditioning, determinant, rank, not read
// here.
#ifndef STI_DOCUMENTS_FCLIB_H
#define STI_DOCUMENTS_FCLIB_H

#include <stiction/io.h>

#include "documents/document.h"
#include "formats/hdf5_file.h"

enum { STI_FCLIB_R, STI_FCLIB_U, STI_FCLIB_V, STI_FCLIB_L, STI_FCLIB_PARTS };  // of a point

typedef struct sti_fclib sti_fclib;

// Rows and columns beyond this are refused. Nothing is allocated on a file's word alone: every size is that of a vector
// which stands in the file.
enum { STI_FCLIB_MOST = 200000000 };

typedef struct sti_fclib_point {
    double* part[STI_FCLIB_PARTS];
} sti_fclib_point;

struct sti_fclib {
    sti_contact_problem problem;  // matrices are owned here, vectors below
    sti_contact_info info;        // views of what follows
    double* vector[4];            // mu, then q, s or f, w, b
    sti_section* section;         // NULL: discs
    double* section_value;
    char* text[3];               // title, description, math_info
    sti_fclib_point* points;     // guesses     (info.guess_count)
    sti_contact_guess* guesses;  // the same    (info.guess_count)
};

// Is there a problem of this format in the file? Where both forms are there the global one counts, as in FCLIB.
sti_status sti_fclib_find(const sti_h5* h, bool* found, bool* global);
sti_status sti_fclib_read(const sti_h5* h, bool global, sti_fclib** out);
void sti_fclib_destroy(sti_env* env, sti_fclib* f);  // accepts NULL and half-built ones

// The sections of a problem whose contacts are read; none where the file has none (fclib_sections.c). group: of the
// problem.
sti_status sti_fclib_read_sections(const sti_h5* h, uint64_t group, const char* label, sti_fclib* f);

// Does the file begin as HDF5 files do?
sti_status sti_fclib_is_hdf5(sti_env* env, const char* path, bool* hdf5);

// A point of a group, with the sizes of the problem; parts that are not there stay NULL.
sti_status sti_fclib_read_point(const sti_h5* h, uint64_t group, const char* label, const sti_contact_problem* sizes,
                                sti_fclib_point* out);
void sti_fclib_point_clear(sti_env* env, sti_fclib_point* p);
int sti_fclib_part_size(const sti_contact_problem* sizes, int part);

// One matrix of a problem, rows x cols as its vectors say (fclib_matrix.c). label: of the group.
sti_status sti_fclib_read_matrix(const sti_h5* h, uint64_t group, const char* label, int rows, int cols,
                                 sti_matrix* out);

// Steps the readers share.
typedef struct sti_fclib_list {
    char label[64];  // as messages name it
    sti_h5_dataset d;
    bool found;
} sti_fclib_list;

// The list of numbers `name` in a group, open; its rank is at most 1. Not found is no failure.
sti_status sti_fclib_list_open(const sti_h5* h, uint64_t group, const char* label, const char* name,
                               sti_fclib_list* out);
sti_status sti_fclib_list_missing(const sti_h5* h, const sti_fclib_list* list);
// One integer from least to most.
sti_status sti_fclib_read_int(const sti_h5* h, uint64_t group, const char* label, const char* name, int64_t least,
                              int64_t most, int* out);

#endif
