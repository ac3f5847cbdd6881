// serve_mail.c: messages between the threads of stiction serve, bounded in number and size; memory that is bounded.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "serve.h"

#define MOST_WAITING 128e6  // bytes of messages to pages

typedef struct letter {
    char* text;
    size_t size;
    cli_mail_kind kind;
} letter;

struct cli_mail {
    pthread_mutex_t lock;
    pthread_cond_t come;
    char* command[CLI_SERVE_COMMANDS];
    int first, count;
    letter letters[CLI_SERVE_MESSAGES];  // number k stands at k mod CLI_SERVE_MESSAGES
    long oldest, last;                   // numbers; none: oldest > last
    double bytes;
    bool ended;
    void (*ring)(void* user);
    void* user;
};

cli_mail* cli_mail_create(void) {
    cli_mail* m = calloc(1, sizeof *m);
    if (m == NULL) return NULL;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->come, &attributes);
    pthread_condattr_destroy(&attributes);
    m->oldest = 1;
    return m;
}

void cli_mail_destroy(cli_mail* m) {
    if (m == NULL) return;
    for (int k = 0; k < CLI_SERVE_COMMANDS; k++) free(m->command[k]);
    for (int k = 0; k < CLI_SERVE_MESSAGES; k++) free(m->letters[k].text);
    pthread_cond_destroy(&m->come);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

void cli_mail_bell(cli_mail* m, void (*ring)(void* user), void* user) {
    pthread_mutex_lock(&m->lock);
    m->ring = ring;
    m->user = user;
    pthread_mutex_unlock(&m->lock);
}

// ---- commands

bool cli_mail_command(cli_mail* m, const char* text, size_t size) {
    char* copy = malloc(size + 1);
    if (copy == NULL) return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    pthread_mutex_lock(&m->lock);
    const bool room = m->count < CLI_SERVE_COMMANDS;
    if (room) m->command[(m->first + m->count++) % CLI_SERVE_COMMANDS] = copy;
    pthread_cond_signal(&m->come);
    pthread_mutex_unlock(&m->lock);
    if (!room) free(copy);
    return room;
}

char* cli_mail_next(cli_mail* m, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const double end = (double)until.tv_sec + 1e-9 * (double)until.tv_nsec + seconds;
    until.tv_sec = (time_t)end;
    until.tv_nsec = (long)(1e9 * (end - (double)until.tv_sec));
    char* text = NULL;
    pthread_mutex_lock(&m->lock);
    while (m->count == 0 && !m->ended && seconds > 0) {
        if (pthread_cond_timedwait(&m->come, &m->lock, &until) == ETIMEDOUT) break;
    }
    if (m->count > 0) {
        text = m->command[m->first];
        m->command[m->first] = NULL;
        m->first = (m->first + 1) % CLI_SERVE_COMMANDS;
        m->count--;
    }
    pthread_mutex_unlock(&m->lock);
    return text;
}

void cli_mail_end(cli_mail* m) {
    pthread_mutex_lock(&m->lock);
    m->ended = true;
    pthread_cond_signal(&m->come);
    pthread_mutex_unlock(&m->lock);
}

bool cli_mail_ended(cli_mail* m) {
    pthread_mutex_lock(&m->lock);
    const bool ended = m->ended;
    pthread_mutex_unlock(&m->lock);
    return ended;
}

// ---- letters to pages

static void drop_oldest(cli_mail* m) {
    letter* l = &m->letters[m->oldest++ % CLI_SERVE_MESSAGES];
    m->bytes -= (double)l->size;
    free(l->text);
    *l = (letter){0};
}

void cli_mail_post(cli_mail* m, cli_json* j, cli_mail_kind kind) {
    size_t size = 0;
    const char* text = cli_json_close(j, &size);
    char* copy = text != NULL ? malloc(size + 1) : NULL;
    if (copy != NULL) memcpy(copy, text, size);
    cli_json_drop(j);
    if (copy == NULL) return;  // a frame is missing; there will be others
    pthread_mutex_lock(&m->lock);
    while (m->oldest <= m->last &&
           (m->last - m->oldest + 1 >= CLI_SERVE_MESSAGES || m->bytes + (double)size > MOST_WAITING))
        drop_oldest(m);
    m->last++;
    m->letters[m->last % CLI_SERVE_MESSAGES] = (letter){copy, size, kind};
    m->bytes += (double)size;
    void (*ring)(void*) = m->ring;
    void* user = m->user;
    if (ring != NULL) ring(user);
    pthread_mutex_unlock(&m->lock);
}

long cli_mail_now(cli_mail* m) {
    pthread_mutex_lock(&m->lock);
    const long last = m->last;
    pthread_mutex_unlock(&m->lock);
    return last;
}

// Whether a later one of its kind waits.
static bool is_stale(const cli_mail* m, long k) {
    const cli_mail_kind kind = m->letters[k % CLI_SERVE_MESSAGES].kind;
    for (long i = k + 1; kind != CLI_MAIL_LETTER && i <= m->last; i++) {
        if (m->letters[i % CLI_SERVE_MESSAGES].kind == kind) return true;
    }
    return false;
}

unsigned char* cli_mail_read(cli_mail* m, long* at, size_t lead, size_t* size, bool* lost) {
    unsigned char* out = NULL;
    pthread_mutex_lock(&m->lock);
    *lost = *at + 1 < m->oldest;
    if (*lost) *at = m->oldest - 1;
    while (out == NULL && *at < m->last) {
        const long k = *at + 1;
        if (!is_stale(m, k)) {
            const letter* l = &m->letters[k % CLI_SERVE_MESSAGES];
            out = malloc(lead + l->size + 1);
            if (out == NULL) break;
            memcpy(out + lead, l->text, l->size);
            *size = l->size;
        }
        *at = k;
    }
    pthread_mutex_unlock(&m->lock);
    return out;
}

// ---- memory that is bounded: each block knows its size

typedef union block {
    size_t size;
    long double align;
} block;

static bool take(cli_budget* b, double bytes) {
    pthread_mutex_lock(&b->lock);
    const bool fits = b->used + bytes <= b->most;
    if (fits) b->used += bytes;
    pthread_mutex_unlock(&b->lock);
    return fits;
}

static void* give(void* user, size_t size) {
    if (size > SIZE_MAX - sizeof(block) || !take(user, (double)size)) return NULL;
    block* p = malloc(sizeof *p + size);
    if (p == NULL) {
        take(user, -(double)size);
        return NULL;
    }
    p->size = size;
    return p + 1;
}

static void give_back(void* user, void* what) {
    if (what == NULL) return;
    block* p = (block*)what - 1;
    take(user, -(double)p->size);
    free(p);
}

static void* give_more(void* user, void* what, size_t size) {
    void* out = give(user, size);
    if (out == NULL || what == NULL) return out;
    const size_t old = ((block*)what - 1)->size;
    memcpy(out, what, old < size ? old : size);
    give_back(user, what);
    return out;
}

static double clock_of(void* user) {
    cli_budget* b = user;
    pthread_mutex_lock(&b->lock);
    const bool late = b->called_off;
    pthread_mutex_unlock(&b->lock);
    return late ? 1e30 : cli_now();
}

sti_status cli_budget_env(cli_budget* b, double most, sti_env** out) {
    *b = (cli_budget){.most = most};
    pthread_mutex_init(&b->lock, NULL);
    sti_env_def def = sti_env_def_default();
    def.alloc = give;
    def.realloc = give_more;
    def.free = give_back;
    def.alloc_user = b;
    def.clock = clock_of;
    def.clock_user = b;
    def.workers = 1;
    return sti_env_create(&def, out);
}

void cli_budget_call_off(cli_budget* b) {
    pthread_mutex_lock(&b->lock);
    b->called_off = true;
    pthread_mutex_unlock(&b->lock);
}

void cli_budget_close(cli_budget* b) {
    pthread_mutex_destroy(&b->lock);
}
