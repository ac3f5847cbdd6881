// fclib_write.h: what goes into an FCLIB file.
#ifndef STI_DOCUMENTS_FCLIB_WRITE_H
#define STI_DOCUMENTS_FCLIB_WRITE_H

#include "documents/fclib.h"
#include "formats/hdf5_put.h"

typedef struct sti_fclib_output {
    sti_env* env;
    const char* path;
    const sti_contact_problem* problem;
    const sti_contact_info* info;        // NULL: none
    const sti_contact_answer* solution;  // NULL: none
    const char* report;                  // of the solution, as JSON
    bool add;                            // the solution alone, into the file that is there
} sti_fclib_output;

// STI_ERR_ARGUMENT when something cannot be written: sizes that do not fit, entries that are not finite.
sti_status sti_fclib_output_check(const sti_fclib_output* o);
sti_status sti_fclib_output_write(sti_fclib_output* o);

#endif
