// hdf5_fields.h: vectors and matrices, dense or sparse, of an open HDF5 file.
#ifndef STI_FORMATS_HDF5_FIELDS_H
#define STI_FORMATS_HDF5_FIELDS_H

#include "formats/fields.h"
#include "formats/hdf5_file.h"

// A dataset of a group that has to be there. label names it in messages.
sti_status sti_h5_read_vector(const sti_h5* h, uint64_t group, const char* name, const char* label, uint64_t most,
                              double** out, size_t* count);
// A dataset of two dimensions, or a group of compressed columns, at a header; rows, cols and matrix of f.
sti_status sti_h5_read_matrix(const sti_h5* h, const char* name, uint64_t header, sti_field* f);
// The columns of a group, without its values: those of many matrices of one pattern.
sti_status sti_h5_read_pattern(const sti_h5* h, const char* name, uint64_t group, sti_field* f);

#endif
