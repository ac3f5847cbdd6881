// file.c: whole files in, whole files out.
#include "formats/file.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

sti_status sti_file_fail(sti_env* env, sti_status status, const char* file, const char* format, ...) {
    enum { NAME_SHOWN = 180 };
    char text[sizeof env->error.text];
    const size_t length = strlen(file);
    const bool cut = length > NAME_SHOWN;
    const int at = snprintf(text, sizeof text, "%s%s: ", cut ? "..." : "", cut ? file + length - NAME_SHOWN : file);
    va_list args;
    va_start(args, format);
    vsnprintf(text + at, sizeof text - (size_t)at, format, args);
    va_end(args);
    for (char* p = text; *p != '\0';) {
        const int bytes = sti_text_utf8(p);
        if (bytes == 0 || (unsigned char)*p < 0x20 || *p == 0x7f) *p = '?';
        p += bytes > 1 ? bytes : 1;
    }
    return sti_fail(env, status, __func__, -1, "%s", text);
}

// A pipe that the caller was given: standard input, or one behind a descriptor, as the shell makes them of <(...).
static bool is_given_pipe(const char* path) {
    return strcmp(path, "/dev/stdin") == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
           strncmp(path, "/proc/self/fd/", 14) == 0;
}

// A checkout without Git LFS has a few lines of text in the place of each large file.
static bool is_lfs_pointer(int fd, off_t size) {
    static const char begin[] = "version https://git-lfs";
    char head[sizeof begin - 1];
    if (size > 1024) return false;
    return pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head && memcmp(head, begin, sizeof head) == 0;
}

// Only what can be read to an end. Others can write into a pipe that has a name, or not, so it could block for ever.
static sti_status check_open(sti_env* env, const char* path, int fd, bool* regular, uint64_t* size) {
    struct stat info;
    if (fstat(fd, &info) != 0) return sti_file_fail(env, STI_ERR_IO, path, "%s", strerror(errno));
    *regular = S_ISREG(info.st_mode);
    *size = *regular ? (uint64_t)info.st_size : 0;
    if (S_ISDIR(info.st_mode)) return sti_file_fail(env, STI_ERR_IO, path, "a directory, a file is expected");
    if (S_ISFIFO(info.st_mode) && !is_given_pipe(path))
        return sti_file_fail(env, STI_ERR_IO, path, "a named pipe, a regular file or /dev/stdin is expected");
    if (!*regular && !S_ISFIFO(info.st_mode))
        return sti_file_fail(env, STI_ERR_IO, path, "neither a regular file nor a pipe");
    if (*regular && is_lfs_pointer(fd, info.st_size))
        return sti_file_fail(env, STI_ERR_INPUT, path,
                             "a pointer of Git LFS, not the file itself; \"git lfs pull\" fetches it");
    return STI_OK;
}

sti_status sti_file_open(sti_env* env, const char* path, int* fd, bool* regular, uint64_t* size) {
    // not to wait for somebody who writes into a pipe; what is read afterwards may wait
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0) return sti_file_fail(env, STI_ERR_IO, path, "%s", strerror(errno));
    sti_status status = check_open(env, path, *fd, regular, size);
    if (status == STI_OK && fcntl(*fd, F_SETFL, 0) != 0)
        status = sti_file_fail(env, STI_ERR_IO, path, "%s", strerror(errno));
    if (status == STI_OK) return STI_OK;
    close(*fd);
    *fd = -1;
    return status;
}

// read() until `size` bytes are there or the file ends; -1 with errno on failure.
static ssize_t read_some(int fd, char* to, size_t size) {
    size_t got = 0;
    while (got < size) {
        const ssize_t step = read(fd, to + got, size - got);
        if (step < 0 && errno == EINTR) continue;
        if (step < 0) return -1;
        if (step == 0) break;
        got += (size_t)step;
    }
    return (ssize_t)got;
}

static sti_status read_all(sti_env* env, const char* path, int fd, size_t expected, size_t limit, char** out,
                           size_t* out_size) {
    size_t capacity = sti_size_add(expected, 2), size = 0;  // one more than expected shows the end at once
    char* text = sti_alloc(env, capacity);
    if (text == NULL) return STI_ERR_MEMORY;
    for (;;) {
        const ssize_t step = read_some(fd, text + size, capacity - 1 - size);
        if (step < 0) {
            sti_free(env, text);
            return sti_file_fail(env, STI_ERR_IO, path, "%s", strerror(errno));
        }
        size += (size_t)step;
        if (size > limit) {
            sti_free(env, text);
            return sti_file_fail(env, STI_ERR_INPUT, path, "longer than %zu bytes, the most that is read", limit);
        }
        if (size < capacity - 1) break;
        capacity = sti_size_mul(2, capacity);
        char* bigger = sti_realloc(env, text, capacity);
        if (bigger == NULL) {
            sti_free(env, text);
            return STI_ERR_MEMORY;
        }
        text = bigger;
    }
    text[size] = '\0';
    *out = text;
    *out_size = size;
    return STI_OK;
}

sti_status sti_file_read(sti_env* env, const char* path, size_t limit, char** text, size_t* size) {
    bool regular;
    int fd;
    uint64_t expected;
    *text = NULL;
    *size = 0;
    sti_status status = sti_file_open(env, path, &fd, &regular, &expected);
    if (status != STI_OK) return status;
    if (expected > limit)
        status = sti_file_fail(env, STI_ERR_INPUT, path, "%llu bytes: more than %zu, the most that is read",
                               (unsigned long long)expected, limit);
    else
        status = read_all(env, path, fd, regular ? (size_t)expected : 4096, limit, text, size);
    close(fd);
    return status;
}

sti_status sti_file_peek(sti_env* env, const char* path, unsigned char* bytes, size_t size, size_t* count) {
    bool regular;
    int fd;
    uint64_t whole;
    *count = 0;
    sti_status status = sti_file_open(env, path, &fd, &regular, &whole);
    if (status != STI_OK) return status;
    const ssize_t got = regular ? read_some(fd, (char*)bytes, size) : 0;  // what is taken from a pipe is gone
    if (got < 0)
        status = sti_file_fail(env, STI_ERR_IO, path, "%s", strerror(errno));
    else
        *count = (size_t)got;
    close(fd);
    return status;
}

sti_status sti_file_begin(sti_env* env, const char* path, char** temporary) {
    enum { TRIES = 100, EXTRA = 40 };
    struct stat info;
    *temporary = NULL;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return sti_file_fail(env, STI_ERR_IO, path, "exists and is not a regular file");
    const size_t size = strlen(path) + EXTRA;
    char* name = sti_alloc(env, size);
    if (name == NULL) return STI_ERR_MEMORY;
    for (int k = 0; k < TRIES; k++) {
        snprintf(name, size, "%s.%ld.%d.tmp", path, (long)getpid(), k);
        const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            close(fd);
            *temporary = name;
            return STI_OK;
        }
        if (errno != EEXIST) break;
    }
    const int why = errno;
    sti_free(env, name);
    return sti_file_fail(env, STI_ERR_IO, path, "cannot be written: %s", strerror(why));
}

sti_status sti_file_commit(sti_env* env, const char* path, char* temporary) {
    bool good = false;
    const int fd = open(temporary, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        good = fsync(fd) == 0;
        good = close(fd) == 0 && good;
    }
    if (good) good = rename(temporary, path) == 0;
    const int why = errno;
    if (!good) unlink(temporary);
    sti_free(env, temporary);
    return good ? STI_OK : sti_file_fail(env, STI_ERR_IO, path, "cannot be written: %s", strerror(why));
}

void sti_file_abandon(sti_env* env, char* temporary) {
    if (temporary != NULL) unlink(temporary);
    sti_free(env, temporary);
}

static bool write_some(const char* path, const char* text, size_t size) {
    const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0) return false;
    bool good = true;
    for (size_t at = 0; good && at < size;) {
        const ssize_t step = write(fd, text + at, size - at);
        if (step < 0 && errno == EINTR) continue;
        if (step < 0)
            good = false;
        else
            at += (size_t)step;
    }
    return close(fd) == 0 && good;
}

sti_status sti_file_write(sti_env* env, const char* path, const char* text, size_t size) {
    char* temporary;
    sti_status status = sti_file_begin(env, path, &temporary);
    if (status != STI_OK) return status;
    if (write_some(temporary, text, size)) return sti_file_commit(env, path, temporary);
    status = sti_file_fail(env, STI_ERR_IO, path, "cannot be written: %s", strerror(errno));
    sti_file_abandon(env, temporary);
    return status;
}

bool sti_file_has_suffix(const char* path, const char* suffix) {
    const size_t a = strlen(path), b = strlen(suffix);
    return a >= b && strcmp(path + a - b, suffix) == 0;
}

int sti_text_utf8(const char* text) {
    const unsigned char* s = (const unsigned char*)text;
    if (s[0] < 0x80) return 1;
    // the range of the second byte keeps out long forms, surrogates and what lies beyond the last plane
    const unsigned char low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
    int length = 0;
    if (s[0] >= 0xc2 && s[0] <= 0xdf)
        length = 2;
    else if ((s[0] & 0xf0) == 0xe0)
        length = 3;
    else if (s[0] >= 0xf0 && s[0] <= 0xf4)
        length = 4;
    if (length == 0 || s[1] < low || s[1] > high) return 0;
    for (int k = 2; k < length; k++) {
        if ((s[k] & 0xc0) != 0x80) return 0;
    }
    return length;
}

double sti_text_double(const char* text, const char** end) {
    enum { LONGEST = 400 };  // a double written out in full has up to 309 digits before the point
    char copy[LONGEST + 16];
    const char* point = localeconv()->decimal_point;
    size_t at = 0, used = strspn(text, "+-.0123456789eE");
    if (used > LONGEST) used = LONGEST;
    for (size_t i = 0; i < used && at + 8 < sizeof copy; i++) {
        if (text[i] != '.')
            copy[at++] = text[i];
        else
            at += (size_t)snprintf(copy + at, 8, "%s", point);
    }
    copy[at] = '\0';
    char* stop;
    const double value = strtod(copy, &stop);
    // what was not consumed has the same length in both texts, or holds a point: then it is no number to its end
    const size_t left = strlen(stop);
    *end = stop == copy ? text : text + (used > left ? used - left : 0);
    return value;
}

static int hexadecimal(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

void sti_text_unescape(char* text) {
    char* to = text;
    for (const char* from = text; *from != '\0'; to++) {
        const int high = *from == '%' ? hexadecimal(from[1]) : -1, low = high >= 0 ? hexadecimal(from[2]) : -1;
        const bool escaped = low >= 0 && high + low > 0;
        *to = escaped ? (char)(unsigned char)(high << 4 | low) : *from;
        from += escaped ? 3 : 1;
    }
    *to = '\0';
}
