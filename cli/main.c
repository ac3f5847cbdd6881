// main.c: the command: finds the verb, sets up the environment of the library, turns results into exit codes.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "manual.h"

const cli_verb* const cli_verbs[] = {
    &cli_verb_solve,  &cli_verb_verify, &cli_verb_inspect, &cli_verb_cone,  &cli_verb_analyze,   &cli_verb_run,
    &cli_verb_scenes, &cli_verb_root,   &cli_verb_bound,   &cli_verb_flow,  &cli_verb_fit,       &cli_verb_converge,
    &cli_verb_plan,   &cli_verb_view,   &cli_verb_serve,   &cli_verb_bench, &cli_verb_completion};
enum { VERB_COUNT = sizeof cli_verbs / sizeof cli_verbs[0] };
const int cli_verb_count = VERB_COUNT;

static const cli_verb* find_verb(const char* name) {
    for (int i = 0; i < VERB_COUNT; i++) {
        if (strcmp(cli_verbs[i]->name, name) == 0) return cli_verbs[i];
    }
    return NULL;
}

static void print_row(const char* verb, const char* arguments, const char* summary) {
    cli_help_text(printf("    stiction %-10s %-27s ", verb, arguments), 52, summary);
}

static void print_overview(void) {
    printf("stiction %s: mechanics with contact and friction: solve, simulate, analyze, with proofs\n\n",
           sti_version());
    for (int i = 0; i < VERB_COUNT; i++) print_row(cli_verbs[i]->name, cli_verbs[i]->arguments, cli_verbs[i]->summary);
    print_row("help", "[--man] [VERB]", "how a verb is used, with an example; --man: as a man page");
    print_row("version", "", "the version");
    printf(
        "\nexit codes: 0 done and solved or accepted; 1 answered with \"no\" or not answered; 2 bad usage or input;\n"
        "3 internal failure, no memory, or a file that cannot be written. Every verb takes --help, --json, --quiet,\n"
        "--verbose and --time-limit S, after which it says what it knows: exit code 1. With --json an error is an "
        "object\n"
        "too: {\"kind\": \"error\", \"code\": .., \"message\": ..}; time that ran out has the kind \"limit\".\n"
        "S0 to S3, as in \"S1 Prop 9\", are the four papers that docs/papers.md goes through, result by result.\n\n"
        "example:\n"
        "    stiction run arch --out arch --picture\n"
        "    stiction analyze sticking arch\n"
        "    echo '{\"kind\": \"lcp\", \"M\": [[2, 1], [1, 2]], \"q\": [-5, -6]}' > p.json\n"
        "    stiction solve p.json\n");
}

// The library's remarks: warnings always, the rest with --verbose.
static void log_line(void* user, sti_log_level level, const char* text) {
    const cli* c = user;
    if (c->quiet || (level != STI_LOG_WARNING && !c->verbose)) return;
    fprintf(stderr, "stiction: %s", level == STI_LOG_WARNING ? "warning: " : "");
    cli_put_line(text);
}

static int unknown_verb(const cli* c, const char* word) {
    const char* names[VERB_COUNT + 2];
    char list[240] = "";
    for (int i = 0; i < VERB_COUNT; i++) {
        names[i] = cli_verbs[i]->name;
        strncat(list, cli_verbs[i]->name, sizeof list - strlen(list) - 1);
        strncat(list, ", ", sizeof list - strlen(list) - 1);
    }
    names[VERB_COUNT] = "help";
    names[VERB_COUNT + 1] = "version";
    const char* near = cli_nearest(word, names, VERB_COUNT + 2);
    if (near != NULL)
        return cli_fail_usage(c, "%.60s: no such verb; did you mean %s? There are %shelp and version", word, near,
                              list);
    return cli_fail_usage(c, "%.60s: no such verb; there are %shelp and version", word, list);
}

int cli_env_open(cli* c, int workers) {
    sti_env_def def = sti_env_def_default();
    sti_env* env;
    def.log = log_line;
    def.log_user = c;
    if (workers > 0) def.workers = workers;
    if (sti_env_create(&def, &env) != STI_OK) return cli_fail_memory(c);
    sti_env_destroy(c->env);
    c->env = env;
    return CLI_DONE;
}

int cli_threads(cli* c, long threads) {
    if (threads > 1024) return cli_fail_usage(c, "--threads: %ld: at most 1024 expected", threads);
    return threads > 0 ? cli_env_open(c, (int)threads) : CLI_DONE;
}

static int run_verb(cli* c, const cli_verb* verb, int argc, char** argv) {
    c->verb = verb;
    int code = cli_env_open(c, 0);
    if (code == CLI_DONE) code = verb->run(c, argc, argv);
    sti_env_destroy(c->env);
    c->env = NULL;
    return code;
}

static int help(cli* c, int argc, char** argv) {
    char* ask[] = {"--help"};
    if (argc > 0 && strcmp(argv[0], "--man") == 0) {
        c->form = CLI_FORM_MAN;
        argc--, argv++;
    }
    if (argc == 0) {
        if (c->form == CLI_FORM_MAN)
            cli_manual_overview();
        else
            print_overview();
        return CLI_DONE;
    }
    const cli_verb* verb = find_verb(argv[0]);
    if (verb == &cli_verb_analyze && argc > 1) {
        char* question[] = {argv[1], "--help"};
        return run_verb(c, verb, 2, question);
    }
    if (verb != NULL) return run_verb(c, verb, 1, ask);
    if (strcmp(argv[0], "help") != 0 && strcmp(argv[0], "version") != 0) return unknown_verb(c, argv[0]);
    print_overview();
    return CLI_DONE;
}

static int dispatch(cli* c, int argc, char** argv) {
    if (argc < 2) return cli_fail_usage(c, "a verb is missing; try stiction help");
    const char* word = argv[1];
    if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return help(c, argc - 2, argv + 2);
    if (strcmp(word, "version") == 0 || strcmp(word, "--version") == 0) {
        if (argc > 2 && strcmp(argv[2], "--json") == 0)
            printf("{\"kind\": \"version\", \"version\": \"%s\"}\n", sti_version());
        else
            printf("stiction %s\n", sti_version());
        return CLI_DONE;
    }
    const cli_verb* verb = find_verb(word);
    return verb != NULL ? run_verb(c, verb, argc - 2, argv + 2) : unknown_verb(c, word);
}

// Who asked for JSON gets an object whatever happens, also where the line could not be read as far as --json.
static void print_error(const cli* c, int argc, char** argv, int code) {
    bool asked = false;
    for (int k = 2; k < argc; k++) asked = asked || strcmp(argv[k], "--json") == 0;
    const char* error = cli_last_error();
    if (!asked || code == CLI_DONE || *error == '\0' || cli_json_printed()) return;
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", code == CLI_NO ? "limit" : "error");
    cli_json_integer(&j, "code", code);
    cli_json_text(&j, "message", error);
    cli_json_print(&j, c, code);
}

// A standard stream that is closed would lend its number to the next file that is opened, and a summary would be
// written into a trajectory. Such a number is taken by /dev/null, opened the other way round: to read from the input or
// to write to the output then fails, as it should, and is seen when the answer is flushed.
static bool occupy_standard_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
        if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) return false;
    }
    return true;
}

int main(int argc, char** argv) {
    if (!occupy_standard_streams()) return CLI_INTERNAL;
    signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error line, not the end
    const char* no_color = getenv("NO_COLOR");
    const char* term = getenv("TERM");
    const bool color = (no_color == NULL || *no_color == '\0') && (term == NULL || strcmp(term, "dumb") != 0);
    cli c = {.err_terminal = isatty(STDERR_FILENO)};
    c.out_color = color && isatty(STDOUT_FILENO);
    c.err_color = color && c.err_terminal;
    int code = dispatch(&c, argc, argv);
    print_error(&c, argc, argv, code);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "stiction: standard output: writing failed\n");
        code = CLI_INTERNAL;
    }
    return code;
}
