// input.c: files that the command reads by itself. Like those of the library they are regular, or a pipe that was given
// by its descriptor: a pipe that has a name may never have a writer.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

static bool is_given_pipe(const char* path) {
    return strcmp(path, "/dev/stdin") == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
           strncmp(path, "/proc/self/fd/", 14) == 0;
}

int cli_open_to_read(const cli* c, const char* path, FILE** out) {
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *out = NULL;
    if (fd < 0 || fstat(fd, &info) != 0) {
        const int why = errno;
        if (fd >= 0) close(fd);
        return cli_fail_usage(c, "%.200s: cannot be opened: %s", path, strerror(why));
    }
    const bool good = S_ISREG(info.st_mode) || (S_ISFIFO(info.st_mode) && is_given_pipe(path));
    if (good && fcntl(fd, F_SETFL, 0) == 0) *out = fdopen(fd, "r");
    if (*out != NULL) return CLI_DONE;
    close(fd);
    return good ? cli_fail_memory(c) : cli_fail_usage(c, "%.200s: a regular file or /dev/stdin is expected", path);
}
