// contact_answer.h: answers of contact problems as JSON, with or without the vectors of the point.
#ifndef STI_DOCUMENTS_CONTACT_ANSWER_H
#define STI_DOCUMENTS_CONTACT_ANSWER_H

#include <stiction/io.h>

#include "base/env.h"

// *text has size bytes and a 0 after them; free with sti_free. Without its point the answer is what FCLIB has no place
// for: r, u, v and lambda stand in datasets beside it.
sti_status sti_contact_answer_write(sti_env* env, const sti_contact_answer* answer, bool point, char** text,
                                    size_t* size);

// text (size bytes and a 0 after them) is altered. problem: whose sizes the answer must have; NULL: as it says. A
// failure leaves nothing to clear.
sti_status sti_contact_answer_read(sti_env* env, const sti_contact_problem* problem, char* text, size_t size,
                                   const char* name, sti_contact_answer* out);

// The same from and to FCLIB files (fclib_solution.c).
sti_status sti_fclib_answer_read(sti_env* env, const sti_contact_problem* problem, const char* path,
                                 sti_contact_answer* out);
sti_status sti_fclib_answer_write(sti_env* env, const sti_contact_problem* problem, const sti_contact_answer* answer,
                                  const char* path);

#endif
