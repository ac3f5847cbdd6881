// hdf5_text.h: datasets of one text in an HDF5 file.
#ifndef STI_FORMATS_HDF5_TEXT_H
#define STI_FORMATS_HDF5_TEXT_H

#include "formats/hdf5_file.h"

// The text of a dataset, of fixed or variable length, ended by a 0; free with sti_free. Blanks and zeros that pad a
// fixed length are dropped. More than `most` characters are refused.
sti_status sti_h5_text(const sti_h5* h, uint64_t header, const char* field, uint64_t most, char** out);

#endif
