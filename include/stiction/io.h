// io.h: problems and answers as files: linear complementarity, quadratic programs, frictional contact.
//
// Problems are read as documents (document.h); what a file says of its problem is there too. Systems, scenes and
// instants have their part of files in headers of their own.
//
// Bad input is answered with STI_ERR_INPUT and an error text that names file, field and value.
#ifndef STICTION_IO_H
#define STICTION_IO_H

#include <stiction/contact.h>
#include <stiction/document.h>
#include <stiction/problem.h>
#include <stiction/qp.h>

#ifdef __cplusplus
extern "C" {
#endif

// Written whole or not at all (to a temporary beside it, then renamed). .json or .hdf5/.h5 by the name.
STI_API sti_status sti_lcp_save(sti_env* env, const sti_lcp* lcp, const char* path);
STI_API sti_status sti_mlcp_save(sti_env* env, const sti_mlcp* mlcp, const char* path);

STI_API sti_status sti_matrix_load(sti_env* env, const char* path, sti_matrix* out);  // Matrix Market
// The same from memory; name stands for the file in messages.
STI_API sti_status sti_matrix_parse(sti_env* env, const char* text, size_t size, const char* name, sti_matrix* out);

// Answers as JSON text (free with sti_env_free) and back. Names as in sti_lcp_answer: z and w; of an MLCP u, and v for
// z.
STI_API sti_status sti_lcp_answer_json(sti_env* env, const sti_lcp_answer* answer, char** out);
STI_API sti_status sti_lcp_answer_save(sti_env* env, const sti_lcp_answer* answer, const char* path);
STI_API sti_status sti_lcp_answer_load(sti_env* env, const char* path, sti_lcp_answer* out);
STI_API sti_status sti_lcp_answer_parse(sti_env* env, const char* text, size_t size, const char* name,
                                        sti_lcp_answer* out);
// {"complete", "solutions", "rays", "components", "pieces", "nodes", "certificate" when there is no solution}
STI_API sti_status sti_lcp_solution_set_json(sti_env* env, const sti_lcp_solution_set* set, char** out);

// ---- quadratic programs

// Names as in sti_qp_answer: x, y, z at the top for a point, inside "certificate" for one.
STI_API sti_status sti_qp_answer_json(sti_env* env, const sti_qp_answer* answer, char** out);
STI_API sti_status sti_qp_answer_save(sti_env* env, const sti_qp_answer* answer, const char* path);
// The sizes must be those of the program. Vectors that are not in the file are all NAN.
STI_API sti_status sti_qp_answer_load(sti_env* env, const sti_qp* qp, const char* path, sti_qp_answer* out);
STI_API sti_status sti_qp_answer_parse(sti_env* env, const sti_qp* qp, const char* text, size_t size, const char* name,
                                       sti_qp_answer* out);

// ---- frictional contact
//
// Problems are FCLIB files: sti_document_load reads them like any other, fclib_global before fclib_local where a file
// holds both. Matrices come out sparse; entries given twice are summed.

// A point to start from, as a file brings it: nobody vouches for it. NULL: that part is not known.
typedef struct sti_contact_guess {
    const double* r;       // (d nc)
    const double* u;       // (d nc)
    const double* v;       // global form     (velocity_count)
    const double* lambda;  // (bilateral_count)
} sti_contact_guess;

// What stands in a file beside the problem. NULL: not there.
typedef struct sti_contact_info {
    const char* title;
    const char* description;
    const char* math_info;  // what is known of the problem: existence, uniqueness, ...
    int guess_count;
    const sti_contact_guess* guesses;  // (guess_count)
} sti_contact_info;

STI_API const sti_contact_info* sti_contact_info_of(const sti_document* document);  // NULL when of another kind

// To a name in .hdf5 or .h5, whole or not at all. info may be NULL. W as an operator cannot be saved. What a guess
// leaves open is written as 0, because FCLIB itself reads only whole points.
STI_API sti_status sti_contact_save(sti_env* env, const sti_contact_problem* problem, const sti_contact_info* info,
                                    const char* path);

// Answers: JSON, or FCLIB solutions, by the name. An HDF5 file that is already there must hold this very problem: its
// solution is replaced, everything else in it stays. A new one gets the problem too, since FCLIB wants it beside a
// solution. What the format has no place for (outcome, residuals, modes, ...) is kept in solution/report as JSON.
STI_API sti_status sti_contact_answer_save(sti_env* env, const sti_contact_problem* problem,
                                           const sti_contact_answer* answer, const char* path);
// What the file claims, and no more: a solution without an outcome claims "solved", and sti_contact_residual judges it.
// The sizes must be those of the problem; NULL: those the file says. Parts that are not in the file are NULL.
STI_API sti_status sti_contact_answer_load(sti_env* env, const sti_contact_problem* problem, const char* path,
                                           sti_contact_answer* out);
STI_API sti_status sti_contact_answer_json(sti_env* env, const sti_contact_answer* answer, char** out);
STI_API sti_status sti_contact_answer_parse(sti_env* env, const sti_contact_problem* problem, const char* text,
                                            size_t size, const char* name, sti_contact_answer* out);

#ifdef __cplusplus
}
#endif
#endif
