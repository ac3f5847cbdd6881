// file.h: whole files in, whole files out, and the one line that names file, field and value.
#ifndef STI_FORMATS_FILE_H
#define STI_FORMATS_FILE_H

#include "base/env.h"

// "file: ..." as the error text, on one line: control characters and bytes that are not UTF-8 become '?'. A very long
// name keeps its end.
sti_status sti_file_fail(sti_env* env, sti_status status, const char* file, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

// A file to read from: a regular one, whose size is told, or a pipe that was given by its descriptor (/dev/stdin).
// Anything else is STI_ERR_IO, at once: a pipe that has a name may never have a writer. *fd is -1 on failure.
sti_status sti_file_open(sti_env* env, const char* path, int* fd, bool* regular, uint64_t* size);

// A regular file or a pipe, whole. *text has size bytes and a 0 after them; free with sti_free.
// STI_ERR_IO when it cannot be read, STI_ERR_INPUT when it is longer than `limit`.
sti_status sti_file_read(sti_env* env, const char* path, size_t limit, char** text, size_t* size);

// First bytes of a file, to tell formats apart. *count <= size of them were there. A pipe gives none.
sti_status sti_file_peek(sti_env* env, const char* path, unsigned char* bytes, size_t size, size_t* count);

// Writing in three steps, so that a failure leaves nothing behind: an empty temporary beside the target, whatever
// writes into it, then commit (flushed to the disk and renamed) or abandon. Both free the name.
sti_status sti_file_begin(sti_env* env, const char* path, char** temporary);
sti_status sti_file_commit(sti_env* env, const char* path, char* temporary);
void sti_file_abandon(sti_env* env, char* temporary);

sti_status sti_file_write(sti_env* env, const char* path, const char* text, size_t size);

bool sti_file_has_suffix(const char* path, const char* suffix);

int sti_text_utf8(const char* text);  // bytes of the UTF-8 character at text; 0: it is none

void sti_text_unescape(char* text);  // in place: %20, as in an URI, is the character of that number

// A decimal number as a double, whatever the locale: digits, sign, point, exponent. *end is where it stopped
// (text itself: no number there).
double sti_text_double(const char* text, const char** end);

#endif
