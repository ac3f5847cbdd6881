// serve_net.c: browsers. libwebsockets speaks HTTP and WebSocket on the loopback address; what is served is one page
// under an address with a random token, and one socket beside it.
//
// Everything else is refused: another path, a Host that is not this server (a name that was made to point here), a
// socket from another origin, more pages than CLI_SERVE_PAGES, a message longer than CLI_SERVE_INPUT.
#include "serve.h"

#ifndef STI_HAVE_WEBSOCKETS

bool cli_net_there(void) {
    return false;
}

int cli_net_run(const cli* c, const cli_serve_settings* settings, cli_mail* mail) {
    (void)settings;
    (void)mail;
    return cli_fail_usage(c, "built without libwebsockets");
}

#else

#include <libwebsockets.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "run.h"

enum { TOKEN = 32 };

typedef struct server {
    const cli* c;
    const cli_serve_settings* settings;
    cli_mail* mail;
    struct lws_context* context;
    char token[TOKEN + 1], page_path[TOKEN + 8], socket_path[TOKEN + 16];
    int port, pages;
    bool had_page;
    char* html;
    size_t html_size;
} server;

// Of one connection.
typedef struct session {
    bool counted;
    size_t sent;  // of the page
    long at;      // messages so far
    char input[CLI_SERVE_INPUT];
    size_t input_size;
} session;

// ---- who may come in

static bool header(struct lws* wsi, enum lws_token_indexes which, char* text, int size) {
    text[0] = '\0';
    return lws_hdr_copy(wsi, text, size, which) > 0;
}

static bool same_secret(const char* a, const char* b) {
    const size_t size = strlen(b);
    unsigned char differ = strlen(a) != size;
    for (size_t i = 0; i < size && i < strlen(a); i++) differ |= (unsigned char)(a[i] ^ b[i]);
    return differ == 0;
}

static bool is_ours(const server* s, const char* host, const char* lead) {
    char expected[2][64];
    snprintf(expected[0], sizeof expected[0], "%s127.0.0.1:%d", lead, s->port);
    snprintf(expected[1], sizeof expected[1], "%slocalhost:%d", lead, s->port);
    return strcmp(host, expected[0]) == 0 || strcmp(host, expected[1]) == 0;
}

static bool may_connect(const server* s, struct lws* wsi) {
    char path[128], origin[128], host[128];
    return header(wsi, WSI_TOKEN_GET_URI, path, sizeof path) && same_secret(path, s->socket_path) &&
           header(wsi, WSI_TOKEN_HOST, host, sizeof host) && is_ours(s, host, "") &&
           header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin) && is_ours(s, origin, "http://") &&
           s->pages < CLI_SERVE_PAGES;
}

// ---- the page

static int refuse(struct lws* wsi, unsigned code) {
    return lws_return_http_status(wsi, code, NULL) != 0 || lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

static int begin_page(server* s, struct lws* wsi, session* me, const char* path) {
    unsigned char room[LWS_PRE + 512], *at = room + LWS_PRE, *end = room + sizeof room - 1;
    char host[128];
    if (!header(wsi, WSI_TOKEN_HOST, host, sizeof host) || !is_ours(s, host, "")) return refuse(wsi, 403);
    if (!same_secret(path, s->page_path) || lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) == 0) return refuse(wsi, 404);
    if (lws_add_http_common_headers(wsi, 200, "text/html; charset=utf-8", s->html_size, &at, end) != 0 ||
        lws_add_http_header_by_name(wsi, (const unsigned char*)"referrer-policy:", (const unsigned char*)"no-referrer",
                                    11, &at, end) != 0 ||
        lws_add_http_header_by_name(wsi, (const unsigned char*)"cache-control:", (const unsigned char*)"no-store", 8,
                                    &at, end) != 0 ||
        lws_finalize_write_http_header(wsi, room + LWS_PRE, &at, end) != 0)
        return -1;
    me->sent = 0;
    lws_callback_on_writable(wsi);
    return 0;
}

static int write_page(server* s, struct lws* wsi, session* me) {
    enum { PIECE = 1 << 15 };
    unsigned char piece[LWS_PRE + PIECE];
    const size_t left = s->html_size - me->sent, size = left < PIECE ? left : PIECE;
    memcpy(piece + LWS_PRE, s->html + me->sent, size);
    me->sent += size;
    const bool last = me->sent == s->html_size;
    if (lws_write(wsi, piece + LWS_PRE, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0) return -1;
    if (last) return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
    lws_callback_on_writable(wsi);
    return 0;
}

// ---- the socket

static int take_input(server* s, struct lws* wsi, session* me, const char* in, size_t size) {
    if (lws_frame_is_binary(wsi) || size > sizeof me->input - me->input_size) {
        lws_close_reason(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, NULL, 0);
        return -1;
    }
    memcpy(me->input + me->input_size, in, size);
    me->input_size += size;
    if (lws_remaining_packet_payload(wsi) > 0 || !lws_is_final_fragment(wsi)) return 0;
    const bool taken =
        memchr(me->input, '\0', me->input_size) == NULL && cli_mail_command(s->mail, me->input, me->input_size);
    me->input_size = 0;
    return taken ? 0 : -1;
}

static int write_message(server* s, struct lws* wsi, session* me) {
    size_t size = 0;
    bool lost = false;
    unsigned char* text = cli_mail_read(s->mail, &me->at, LWS_PRE, &size, &lost);
    if (lost) {  // this page cannot follow; it may come again
        free(text);
        return -1;
    }
    if (text == NULL) return 0;
    const bool good = lws_write(wsi, text + LWS_PRE, size, LWS_WRITE_TEXT) >= 0;
    free(text);
    if (good && me->at < cli_mail_now(s->mail)) lws_callback_on_writable(wsi);
    return good ? 0 : -1;
}

static int answer(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in, size_t size) {
    server* s = lws_context_user(lws_get_context(wsi));
    session* me = user;
    switch (reason) {
        case LWS_CALLBACK_HTTP:
            return begin_page(s, wsi, me, in);
        case LWS_CALLBACK_HTTP_WRITEABLE:
            return write_page(s, wsi, me);
        case LWS_CALLBACK_HTTP_BODY:
            return -1;
        case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
            return may_connect(s, wsi) ? 0 : -1;
        case LWS_CALLBACK_ESTABLISHED:
            me->counted = s->had_page = true;
            me->at = cli_mail_now(s->mail);
            s->pages++;
            return 0;
        case LWS_CALLBACK_CLOSED:
            if (me->counted) s->pages--;
            if (s->pages == 0 && me->counted) cli_mail_command(s->mail, "pause", 5);
            return 0;
        case LWS_CALLBACK_RECEIVE:
            return take_input(s, wsi, me, in, size);
        case LWS_CALLBACK_SERVER_WRITEABLE:
            return write_message(s, wsi, me);
        case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
            lws_callback_on_writable_all_protocol(s->context, lws_get_protocol(wsi));
            return 0;
        default:
            return lws_callback_http_dummy(wsi, reason, user, in, size);
    }
}

// ---- begin and end

static bool make_token(char token[TOKEN + 1]) {
    unsigned char bytes[TOKEN / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
    for (int k = 0; k < TOKEN / 2; k++) snprintf(token + 2 * k, 3, "%02x", bytes[k]);
    return true;
}

static bool make_html(server* s) {
    cli_page p = {0};
    FILE* f = open_memstream(&s->html, &s->html_size);
    char source[160];
    if (f == NULL) return false;
    snprintf(source, sizeof source, "ws://127.0.0.1:%d ws://localhost:%d", s->port, s->port);
    cli_json_begin(&p.json);
    cli_json_text(&p.json, "live", s->socket_path);
    const bool good = cli_page_put(f, &p, source);
    return fclose(f) == 0 && good;
}

static void be_silent(int level, const char* text) {
    (void)level;
    (void)text;
}

static void ring(void* user) {
    lws_cancel_service(user);
}

static bool open_server(server* s) {
    static const struct lws_protocols protocols[] = {{.name = "stiction",
                                                      .callback = answer,
                                                      .per_session_data_size = sizeof(session),
                                                      .rx_buffer_size = CLI_SERVE_INPUT},
                                                     {0}};
    struct lws_context_creation_info info = {0};
    lws_set_log_level(0, be_silent);
    info.port = (int)s->settings->port;
    info.iface = "127.0.0.1";
    info.protocols = protocols;
    info.gid = (gid_t)-1;
    info.uid = (uid_t)-1;
    info.user = s;
    info.fd_limit_per_thread = 64;
    info.timeout_secs = 20;
    info.max_http_header_data = 4096;
    info.options =
        LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND | LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
    s->context = lws_create_context(&info);
    struct lws_vhost* host = s->context != NULL ? lws_create_vhost(s->context, &info) : NULL;
    if (host == NULL) return false;
    s->port = lws_get_vhost_listen_port(host);
    return s->port > 0;
}

bool cli_net_there(void) {
    return true;
}

static void tell_address(const cli* c, const server* s) {
    if (!c->json) {
        cli_say(c, "http://127.0.0.1:%d%s\nopen this address in a browser; Ctrl-C ends it\n", s->port, s->page_path);
    } else {
        printf("{\"kind\": \"serve\", \"address\": \"http://127.0.0.1:%d%s\"}\n", s->port, s->page_path);
    }
    fflush(stdout);
}

int cli_net_run(const cli* c, const cli_serve_settings* settings, cli_mail* mail) {
    server s = {.c = c, .settings = settings, .mail = mail};
    int code = CLI_DONE;
    if (!make_token(s.token)) return cli_fail_usage(c, "no random numbers for the address");
    snprintf(s.page_path, sizeof s.page_path, "/%s/", s.token);
    snprintf(s.socket_path, sizeof s.socket_path, "/%s/socket", s.token);
    if (!open_server(&s))
        code = cli_fail_usage(c, "--port: %ld: no server can listen there", settings->port);
    else if (!make_html(&s))
        code = cli_fail_memory(c);
    if (code == CLI_DONE) {
        cli_mail_bell(mail, ring, s.context);
        tell_address(c, &s);
        while (!cli_run_stopped() && !cli_mail_ended(mail) && !(settings->once && s.had_page && s.pages == 0)) {
            if (lws_service(s.context, 0) < 0) break;
        }
        cli_mail_bell(mail, NULL, NULL);
    }
    if (s.context != NULL) lws_context_destroy(s.context);
    free(s.html);
    return code;
}

#endif
