// file.c: a file that the command writes by itself, whole or not at all: to a temporary beside it that nobody else has,
// then renamed. What stands there and is no regular file, as a device or a pipe, stays what it is: it is written to.
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100, EXTRA = 40 };

static int fail(const cli* c, const char* path, int why, bool placed) {
    const bool place = placed || (why != ENOENT && why != ENOTDIR && why != EISDIR);  // is there
    const int code = cli_fail_usage(c, "%.300s: cannot be written: %s", path, strerror(why));
    return place ? CLI_INTERNAL : code;
}

static int open_temporary(const cli* c, cli_file* f) {
    const size_t size = strlen(f->path) + EXTRA;
    f->temporary = malloc(size);
    if (f->temporary == NULL) return cli_fail_memory(c);
    int fd = -1;
    for (int k = 0; k < TRIES && fd < 0; k++) {
        snprintf(f->temporary, size, "%s.%ld.%d.tmp", f->path, (long)getpid(), k);
        fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) break;
    }
    f->out = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (f->out != NULL) return CLI_DONE;
    const int why = errno;
    if (fd >= 0) {
        close(fd);
        unlink(f->temporary);
    }
    free(f->temporary);
    f->temporary = NULL;
    return fail(c, f->path, why, false);
}

int cli_file_open(const cli* c, const char* path, cli_file* f) {
    struct stat info;
    *f = (cli_file){.path = path};
    if (stat(path, &info) != 0 || S_ISREG(info.st_mode)) return open_temporary(c, f);
    f->out = fopen(path, "wb");
    return f->out != NULL ? CLI_DONE : fail(c, path, errno, false);
}

int cli_file_close(const cli* c, cli_file* f, bool good) {
    if (f->out == NULL) return CLI_DONE;
    good = good && fflush(f->out) == 0 && ferror(f->out) == 0;
    int why = good ? 0 : errno;
    if (fclose(f->out) != 0 && good) {
        good = false;
        why = errno;
    }
    if (good && f->temporary != NULL && rename(f->temporary, f->path) != 0) {
        good = false;
        why = errno;
    }
    if (!good && f->temporary != NULL) unlink(f->temporary);
    free(f->temporary);
    const char* path = f->path;
    *f = (cli_file){0};
    return good ? CLI_DONE : fail(c, path, why, true);
}

void cli_file_drop(cli_file* f) {
    if (f->out != NULL) fclose(f->out);
    if (f->temporary != NULL) unlink(f->temporary);
    free(f->temporary);
    *f = (cli_file){0};
}

int cli_write_file(const cli* c, const char* path, const char* text, size_t size) {
    cli_file f;
    const int code = cli_file_open(c, path, &f);
    return code == CLI_DONE ? cli_file_close(c, &f, fwrite(text, 1, size, f.out) == size) : code;
}
