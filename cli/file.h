// file.h: files that the command writes by itself, whole or not at all.
//
//     cli_file f;
//     int code = cli_file_open(c, path, &f);
//     if (code == CLI_DONE) {
//         fprintf(f.out, ..);
//         code = cli_file_close(c, &f, true);
//     }
//
// Codes are CLI_DONE, or those of the error line that was written: CLI_USAGE where there is no such place, CLI_INTERNAL
// where it could not be written.
#ifndef STICTION_CLI_FILE_H
#define STICTION_CLI_FILE_H

#include "cli.h"

typedef struct cli_file {
    FILE* out;
    const char* path;
    char* temporary;  // NULL: a device or a pipe, written as it is
} cli_file;

int cli_file_open(const cli* c, const char* path, cli_file* f);
// Not good: what was there before stays. A file may be closed twice.
int cli_file_close(const cli* c, cli_file* f, bool good);
void cli_file_drop(cli_file* f);  // what was there before stays, without a word
int cli_write_file(const cli* c, const char* path, const char* text, size_t size);

#endif
