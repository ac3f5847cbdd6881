// json_answer.h: what answers of every kind have in common as JSON: the words of the verdict, attempts, text in and
// out.
#ifndef STI_DOCUMENTS_JSON_ANSWER_H
#define STI_DOCUMENTS_JSON_ANSWER_H

#include <stiction/problem.h>

#include "formats/json_fields.h"
#include "formats/json_write.h"

// outcome, termination, solver and reason of the root.
typedef struct sti_json_verdict {
    sti_outcome outcome;
    sti_termination termination;
    int solver;  // place in the list of names
    char reason[240];
} sti_json_verdict;

// An answer that says no outcome claims `missing`; what else is not said is 0.
sti_status sti_json_read_verdict(const sti_json_tree* tree, const char* const* solver_names, int solver_count,
                                 sti_outcome missing, sti_json_verdict* out);
void sti_json_put_verdict(sti_json* j, const char* solver, sti_outcome outcome, sti_termination termination);

// The list "attempts", whose solvers are places in the list of names. *out (*count) is the caller's to free, on failure
// too.
sti_status sti_json_read_attempts(const sti_json_tree* tree, const char* const* solver_names, int solver_count,
                                  sti_lcp_attempt** out, int* count);
void sti_json_put_attempt(sti_json* j, const char* solver, const sti_lcp_attempt* attempt);  // inside the list

// "certificate": its object, or NULL; what is not an object is an error.
sti_status sti_json_read_proof(const sti_json_tree* tree, const sti_json_value** object, sti_proof* proof);

// A size that the file states under this name has to be that of the problem.
sti_status sti_json_check_size(const sti_json_tree* tree, const char* key, int size);
// A vector of the root, or of an object in it at `up`; all NAN where it is not there, as verifiers want it allocated.
sti_status sti_json_claimed_vector(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                                   const char* key, int count, double** out);

// A reader alters its text: a copy with a 0 behind it, free with sti_free. The text may be too long.
sti_status sti_json_copy_text(sti_env* env, const char* text, size_t size, const char* name, char** out);
// Text of size bytes, and a line end in place of the 0, to a file; text is freed.
sti_status sti_json_save_text(sti_env* env, char* text, size_t size, const char* path);

#endif
