// cli.h: what the verbs of the command share: the verb table, options, error lines, text and JSON output.
//
// A verb is a file: it defines `const cli_verb cli_verb_<name>`, main.c lists it. Its run function declares its
// options, calls cli_parse (which also takes --json, --quiet, --verbose and --help), works through the public
// headers only, and returns an exit code.
//
// stdout carries the answer: with --json one JSON object and nothing else, otherwise a short summary (nothing with
// --quiet). stderr carries logs, progress and, when a call fails, exactly one line. On failure stdout stays empty.
#ifndef STICTION_CLI_H
#define STICTION_CLI_H

#include <stdarg.h>
#include <stdio.h>
#include <stiction/stiction.h>

typedef enum cli_exit {
    CLI_DONE = 0,      // done; for a solve: solved; for a verification: accepted
    CLI_NO = 1,        // the question was answered with "no", or not answered (in time)
    CLI_USAGE = 2,     // bad usage or bad input
    CLI_INTERNAL = 3,  // memory ran out, output could not be written, or a fault of ours
} cli_exit;

// The words of a list of the public headers, for messages: "gs, newton, "
#define CLI_WORD(code, name) #name ", "
#define CLI_LCP_SOLVERS "auto, " STI_LCP_METHOD_LIST(CLI_WORD) "enum"

typedef struct cli cli;

typedef struct cli_verb {
    const char* name;
    const char* arguments;  // "FILE SOL", as the usage line shows them
    const char* summary;    // one line for the list of verbs
    const char* details;    // paragraphs of --help below the options, with an example; ends with a newline
    unsigned use;           // what it does with documents (sti_use); 0: it looks at their kind by itself
    const char* beside;     // what it takes beside documents; NULL: nothing
    int (*run)(cli* c, int argc, char** argv);  // arguments after the verb; returns a cli_exit
} cli_verb;

extern const cli_verb cli_verb_solve;
extern const cli_verb cli_verb_verify;
extern const cli_verb cli_verb_inspect;
extern const cli_verb cli_verb_cone;
extern const cli_verb cli_verb_analyze;
extern const cli_verb cli_verb_run;
extern const cli_verb cli_verb_scenes;
extern const cli_verb cli_verb_root;
extern const cli_verb cli_verb_fit;
extern const cli_verb cli_verb_plan;
extern const cli_verb cli_verb_converge;
extern const cli_verb cli_verb_bound;
extern const cli_verb cli_verb_flow;
extern const cli_verb cli_verb_view;
extern const cli_verb cli_verb_serve;
extern const cli_verb cli_verb_bench;
extern const cli_verb cli_verb_completion;

// What --help becomes: text, a man page, or words for a shell (manual.c, completion.c).
typedef enum cli_form { CLI_FORM_HELP, CLI_FORM_MAN, CLI_FORM_BASH, CLI_FORM_ZSH, CLI_FORM_FISH } cli_form;

struct cli {
    sti_env* env;
    const cli_verb* verb;
    bool json;          // --json
    bool quiet;         // --quiet: no summary, no warnings, no progress
    bool verbose;       // --verbose: the library's remarks too
    bool help;          // --help
    cli_form form;      // and how it is printed
    double time_limit;  // --time-limit; 0: none
    bool out_color;     // stdout is a terminal and NO_COLOR is not set
    bool err_terminal;  // stderr is a terminal: progress may be shown there
    bool err_color;
};

// The environment made anew, for this number of threads (0: the default); only while nothing of the old one is in use.
// CLI_DONE, or the exit code of the error line that was written.
int cli_env_open(cli* c, int workers);
int cli_threads(cli* c, long threads);  // of --threads: the same, 0: as it is

// ---- options (options.c)

typedef enum cli_option_kind {
    CLI_FLAG,      // bool*         --all
    CLI_TEXT,      // const char**  --output FILE
    CLI_JOINED,    // const char**  --set a=1 --set b=2: "a=1,b=2"
    CLI_LINES,     // const char**  the same, a line each; four of both in a verb at most
    CLI_POSITIVE,  // double*       --tol 1e-8        finite, > 0
    CLI_COUNT,     // long*         --max-iterations N, >= 1
    CLI_LIST,      // cli_list*     --covering 1,2,0.5; numbers, at least one
} cli_option_kind;

typedef struct cli_list {
    double* value;  // free with free()          (count)
    int count;
} cli_list;

typedef struct cli_option {
    const char* name;  // "--tol"
    cli_option_kind kind;
    const char* argument;  // how the help names the value, "TOL"; NULL for a flag
    const char* help;      // one line
    void* value;           // where it goes, left alone when the option is not given
} cli_option;

// Options may stand anywhere, as --name value or --name=value; "--" ends them. Positional arguments are gathered in
// `positional` (at most `most`; fewer than `least` is an error). Returns how many there are, or -1: then *code is
// what the verb returns (--help was answered, or the error line is written).
int cli_parse(cli* c, const cli_option* options, int option_count, int argc, char** argv, char** positional, int least,
              int most, int* code);

// Text of a help in lines of at most 120 columns: the first from `column`, where the cursor stands, others from `at`.
void cli_help_text(int column, int at, const char* text);

bool cli_parse_number(const char* text, double* out);                            // the whole text is one finite number
const char* cli_nearest(const char* word, const char* const* words, int count);  // NULL: nothing is near

// ---- --time-limit (limit.c). A call that is not done by then fails with STI_ERR_TIME, which cli_fail_env knows.

void cli_limit_begin(const cli* c);  // by cli_parse
bool cli_limit_reached(void);        // for loops of our own
// For calls that take a time limit in their options and have something to show when cut short: the seconds they get, 0:
// no limit. The environment's is twice that, for the check of what they found, and in case they do not keep to it.
double cli_limit_soft(const cli* c);
enum { CLI_USUAL_LIMIT = 15 };      // seconds that an analysis gets for its parts when nobody says
void cli_limit_none(const cli* c);  // the environment's is lifted: a loop of our own watches the time

// ---- failure: one line on stderr, "stiction VERB: ..."; control characters are written out, "\x1b"

int cli_fail_usage(const cli* c, const char* format, ...) __attribute__((format(printf, 2, 3)));  // CLI_USAGE
// The library's last error: CLI_USAGE; CLI_INTERNAL for memory, files that cannot be written, internal faults; CLI_NO
// for time.
int cli_fail_env(const cli* c);
int cli_fail_about(const cli* c, const char* path);  // the same, with the file in front when the text does not name it
// The same of a file that could not be written: CLI_INTERNAL, but CLI_USAGE where there is no such place.
int cli_fail_written(const cli* c, const char* path);
int cli_fail_memory(const cli* c);    // CLI_INTERNAL
const char* cli_last_error(void);     // what the last of these lines said; "": there was none
void cli_put_line(const char* text);  // the rest of a line on stderr, control characters written out

// Load a document that the verb takes; "-": from standard input. On failure the line is written, *out is NULL and the
// exit code is returned; CLI_DONE otherwise.
int cli_load(const cli* c, const char* path, sti_document** out);
// The same of any kind.
int cli_load_any(const cli* c, const char* path, sti_document** out);
// Is it of a kind that the verb takes? Otherwise the line says which are, and which verbs take this one; it is
// destroyed then.
int cli_check_kind(const cli* c, const char* path, sti_document** document);
// Text that the command reads by itself (input.c); the error line is written.
int cli_open_to_read(const cli* c, const char* path, FILE** out);

// ---- text (say.c, output.c)

// Summary on stdout, unless --json or --quiet. Control characters of arguments are written out; lines end in the
// format.
void cli_say(const cli* c, const char* format, ...) __attribute__((format(printf, 2, 3)));
// Text that may come from anywhere, with its control characters written out; colors: but for our own.
void cli_put(FILE* out, const char* text, bool colors);

// Lines of a verification: accepted or not and why; of an accepted one, up to what the claim is proved.
void cli_say_verdict(const cli* c, bool accepted, const char* text);
void cli_say_proved(const cli* c, bool accepted, bool exact);
void cli_say_vector(const cli* c, const char* name, const double* x, int count);  // its first entries; nothing of none
const char* cli_conic_color(const cli* c, sti_conic_outcome outcome);

// Escape sequences for stdout, "" where there is no colour.
const char* cli_good(const cli* c);    // green
const char* cli_bad(const cli* c);     // red
const char* cli_unsure(const cli* c);  // yellow
const char* cli_strong(const cli* c);  // bold
const char* cli_plain(const cli* c);   // back to normal

// "(0.5, 2/3, ...)": at most `most` entries of exact or floating numbers, into text (size bytes, always ended). A long
// fraction is shown as "~" and a decimal number.
void cli_text_numbers(char* text, size_t size, const double* x, int count, int most);
void cli_text_rationals(const cli* c, char* text, size_t size, const sti_rationals* r, size_t first, int count,
                        int most);
void cli_text_indices(char* text, size_t size, const int* x, int count, int most);  // "{0, 2, 5}"

// ---- progress (progress.c): a line on stderr that rewrites itself, for solves of more than a second

double cli_now(void);  // seconds, monotonic

typedef struct cli_progress {
    double start, last;
    bool shown;
} cli_progress;

cli_progress cli_progress_begin(void);
void cli_progress_show(void* progress, const char* solver, long iteration, double residual);  // a trace function
void cli_progress_part(void* progress, const char* phase, double part, long found);           // a bar; part: 0 to 1
void cli_progress_clear(const cli_progress* progress);

// ---- JSON (json.c): built in memory, printed whole. Keys are NULL inside arrays. Memory failure is remembered and
// reported by cli_json_print.

enum { CLI_JSON_DEPTH = 32 };

typedef struct cli_json {
    char* text;  // (capacity)
    size_t size, capacity;
    int depth;
    bool started[CLI_JSON_DEPTH];  // something stands before, at this depth
    char close[CLI_JSON_DEPTH];
    bool broken;
} cli_json;

void cli_json_begin(cli_json* j);  // opens the outermost object
void cli_json_object(cli_json* j, const char* key);
void cli_json_array(cli_json* j, const char* key);
void cli_json_end(cli_json* j);                                    // closes the innermost
void cli_json_number(cli_json* j, const char* key, double value);  // 17 digits; null when not finite
void cli_json_integer(cli_json* j, const char* key, long long value);
void cli_json_count(cli_json* j, const char* key, long long value);  // null below 0: there is none, or it is not known
void cli_json_text(cli_json* j, const char* key, const char* text);  // NULL: null
void cli_json_bool(cli_json* j, const char* key, bool value);
void cli_json_verdict(cli_json* j, const char* key, sti_verdict verdict);  // true, false, null for undecided
void cli_json_null(cli_json* j, const char* key);
void cli_json_numbers(cli_json* j, const char* key, const double* x, size_t count);   // NULL: null
void cli_json_indices(cli_json* j, const char* key, const int* x, size_t count);      // NULL: null
void cli_json_set(cli_json* j, const char* key, const unsigned char* in, int count);  // indices where in[i] != 0
// Exact numbers as text, "-4/3"; NULL: null.
void cli_json_rational(cli_json* j, const cli* c, const char* key, const sti_rationals* r, size_t i);
void cli_json_rationals(cli_json* j, const cli* c, const char* key, const sti_rationals* r, size_t first, size_t count);
void cli_json_raw(cli_json* j, const char* key, const char* json);  // a value that is JSON text already

// Close what is open, print one line on stdout, free. Returns `code`, or CLI_INTERNAL with the error line.
int cli_json_print(cli_json* j, const cli* c, int code);
// Closes what is open: the text, valid until it is dropped; NULL: memory ran out.
const char* cli_json_close(cli_json* j, size_t* size);
bool cli_json_printed(void);      // whether one has been
void cli_json_drop(cli_json* j);  // free without printing

#endif
