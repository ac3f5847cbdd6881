// options.c: arguments of a verb, its help, and the nearest word to a mistyped one.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "manual.h"

// Options every verb takes, before its own.
enum { COMMON_COUNT = 5, HELP_WIDTH = 120 };

static void common_options(cli* c, cli_option* out) {
    out[0] = (cli_option){"--json", CLI_FLAG, NULL, "print one JSON object on stdout and nothing else", &c->json};
    out[1] = (cli_option){"--quiet", CLI_FLAG, NULL, "no summary, no warnings, no progress", &c->quiet};
    out[2] = (cli_option){"--verbose", CLI_FLAG, NULL, "all remarks, those of the library too, on stderr", &c->verbose};
    out[3] = (cli_option){"--time-limit", CLI_POSITIVE, "S", "stop after about so many seconds: exit code 1",
                          &c->time_limit};
    out[4] = (cli_option){"--help", CLI_FLAG, NULL, "this text", &c->help};
}

bool cli_parse_number(const char* text, double* out) {
    char* end;
    if (*text == '\0' || strspn(text, "+-.0123456789eE") != strlen(text)) return false;  // no hex, inf, nan or spaces
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value)) return false;
    *out = value;
    return true;
}

static bool parse_count(const char* text, long* out) {
    char* end;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (errno != 0 || *end != '\0' || value < 1) return false;
    *out = value;
    return true;
}

// Numbers between commas. Returns 1, 0 for a text that is none, -1 when memory ran out.
static int parse_list(const char* text, cli_list* out) {
    size_t count = 1;
    for (const char* p = text; *p != '\0'; p++) count += *p == ',';
    double* value = malloc(count * sizeof *value);
    char* copy = strdup(text);
    int result = value != NULL && copy != NULL ? 1 : -1;
    if (result == 1) {
        char* p = copy;
        for (size_t i = 0; result == 1 && i < count; i++) {
            char* comma = strchr(p, ',');
            if (comma != NULL) *comma = '\0';
            if (!cli_parse_number(p, &value[i])) result = 0;
            if (comma != NULL) p = comma + 1;
        }
    }
    free(copy);
    if (result != 1) {
        free(value);
        return result;
    }
    free(out->value);
    *out = (cli_list){.value = value, .count = (int)count};
    return 1;
}

// What options given again add to: they live as long as the process.
static struct {
    const void* option;  // where its value goes
    char* text;
} joined[4];

static const char* join(const void* option, const char* text, char between) {
    size_t k = 0;
    while (k + 1 < sizeof joined / sizeof joined[0] && joined[k].option != NULL && joined[k].option != option) k++;
    const size_t before = joined[k].text != NULL ? strlen(joined[k].text) + 1 : 0, size = strlen(text) + 1;
    char* grown = realloc(joined[k].text, before + size);
    if (grown == NULL) return NULL;
    if (before > 0) grown[before - 1] = between;
    memcpy(grown + before, text, size);
    joined[k].option = option;
    return joined[k].text = grown;
}

// Store the value of an option. Returns CLI_DONE or the code of the error written.
static int store(const cli* c, const cli_option* option, const char* text) {
    switch (option->kind) {
        case CLI_FLAG:
            *(bool*)option->value = true;
            return CLI_DONE;
        case CLI_TEXT:
            if (*text == '\0') return cli_fail_usage(c, "%s: \"\": %s expected", option->name, option->argument);
            *(const char**)option->value = text;
            return CLI_DONE;
        case CLI_LINES:
        case CLI_JOINED: {
            if (*text == '\0') return cli_fail_usage(c, "%s: \"\": %s expected", option->name, option->argument);
            const char* all = join(option->value, text, option->kind == CLI_LINES ? '\n' : ',');
            if (all == NULL) return cli_fail_memory(c);
            *(const char**)option->value = all;
            return CLI_DONE;
        }
        case CLI_POSITIVE: {
            double value;
            if (!cli_parse_number(text, &value) || value <= 0)
                return cli_fail_usage(c, "%s: %.60s: a number greater than 0 expected", option->name, text);
            *(double*)option->value = value;
            return CLI_DONE;
        }
        case CLI_COUNT:
            if (!parse_count(text, option->value))
                return cli_fail_usage(c, "%s: %.60s: a whole number of at least 1 expected", option->name, text);
            return CLI_DONE;
        case CLI_LIST: {
            const int result = parse_list(text, option->value);
            if (result < 0) return cli_fail_memory(c);
            if (result == 0)
                return cli_fail_usage(c, "%s: %.60s: numbers between commas expected, like 1,2,0.5", option->name,
                                      text);
            return CLI_DONE;
        }
    }
    return CLI_INTERNAL;
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

enum { LONGEST_WORD = 40 };

// Levenshtein distance, for words shorter than LONGEST_WORD.
static size_t distance(const char* a, const char* b) {
    size_t row[LONGEST_WORD + 1];
    const size_t width = strlen(b);
    for (size_t j = 0; j <= width; j++) row[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            const size_t above = row[j];
            row[j] = smaller(smaller(above, row[j - 1]) + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[width];
}

const char* cli_nearest(const char* word, const char* const* words, int count) {
    const char* nearest = NULL;
    const size_t length = strlen(word), letters = length - strspn(word, "-");
    size_t best = letters <= 5 ? letters / 2 + 1 : letters / 3 + 2;  // farther than this is another word
    if (length >= LONGEST_WORD) return NULL;
    for (int i = 0; i < count; i++) {
        if (strlen(words[i]) >= LONGEST_WORD) continue;
        const size_t d = distance(word, words[i]);
        if (d < best) {
            best = d;
            nearest = words[i];
        }
    }
    return nearest;
}

enum { MOST_OPTIONS = 64 };

typedef struct table {
    cli_option option[MOST_OPTIONS];
    int count;
} table;

static int unknown_option(const cli* c, const table* t, const char* name) {
    const char* names[MOST_OPTIONS];
    for (int i = 0; i < t->count; i++) names[i] = t->option[i].name;
    const char* near = cli_nearest(name, names, t->count);
    if (near != NULL) return cli_fail_usage(c, "%.60s: no such option; did you mean %s?", name, near);
    return cli_fail_usage(c, "%.60s: no such option; see stiction %s --help", name, c->verb->name);
}

// One option at argv[*i], with its value there or in the next argument.
static int take_option(const cli* c, const table* t, int argc, char** argv, int* i) {
    char name[64];
    const char* equals = strchr(argv[*i], '=');
    const size_t length = equals != NULL ? (size_t)(equals - argv[*i]) : strlen(argv[*i]);
    snprintf(name, sizeof name, "%.*s", (int)smaller(length, sizeof name - 1), argv[*i]);
    if (strcmp(name, "-h") == 0) snprintf(name, sizeof name, "--help");
    for (int k = 0; k < t->count; k++) {
        const cli_option* option = &t->option[k];
        if (strcmp(option->name, name) != 0) continue;
        if (option->kind == CLI_FLAG) {
            if (equals != NULL) return cli_fail_usage(c, "%s: takes no value", name);
            return store(c, option, "");
        }
        if (equals == NULL && *i + 1 >= argc) return cli_fail_usage(c, "%s: %s is missing", name, option->argument);
        return store(c, option, equals != NULL ? equals + 1 : argv[++*i]);
    }
    return unknown_option(c, t, name);
}

// A verb may mean something of its own by the name of a common option.
static bool has(const cli_option* options, int count, const char* name) {
    for (int k = 0; k < count; k++) {
        if (strcmp(options[k].name, name) == 0) return true;
    }
    return false;
}

void cli_help_text(int column, int at, const char* text) {
    bool begun = false;
    while (*text != '\0') {
        const int word = (int)strcspn(text, " ");
        if (begun && column + 1 + word > HELP_WIDTH)
            column = printf("\n%*s", at, "") - 1;
        else if (begun)
            column += printf(" ");
        begun = true;
        column += printf("%.*s", word, text);
        text += word;
        text += strspn(text, " ");
    }
    printf("\n");
}

static void help_line(const cli_option* option) {
    char left[48];
    snprintf(left, sizeof left, "%s%s%s", option->name, option->argument != NULL ? " " : "",
             option->argument != NULL ? option->argument : "");
    cli_help_text(printf("    %-24s ", left), 29, option->help);
}

static void print_as(cli_form form, const cli_verb* verb, const table* t) {
    if (form == CLI_FORM_MAN)
        cli_manual_page(verb, t->option, t->count);
    else
        cli_completion_verb(form, verb, t->option, t->count);
}

// t: the options of the verb, then those of every verb.
static void print_help(const cli_verb* verb, const table* t) {
    printf("stiction %s %s\n\n%s.\n\noptions:\n", verb->name, verb->arguments, verb->summary);
    for (int k = 0; k < t->count; k++) help_line(&t->option[k]);
    if (verb->use != 0) {
        char kinds[300];
        sti_use_kinds(verb->use, kinds, sizeof kinds);
        char list[400];
        snprintf(list, sizeof list, "%s%s%s.", kinds, verb->beside != NULL ? ", or " : "",
                 verb->beside != NULL ? verb->beside : "");
        cli_help_text(printf("\nkinds of documents: ") - 1, 4, list);
    }
    printf("\n%s", verb->details);
}

int cli_parse(cli* c, const cli_option* options, int option_count, int argc, char** argv, char** positional, int least,
              int most, int* code) {
    bool ended = false;
    int count = 0;
    cli_option common[COMMON_COUNT];
    table t = {0};
    common_options(c, common);
    for (int k = 0; k < option_count && t.count < MOST_OPTIONS; k++) t.option[t.count++] = options[k];
    for (int k = 0; k < COMMON_COUNT && t.count < MOST_OPTIONS; k++) {
        if (!has(options, option_count, common[k].name)) t.option[t.count++] = common[k];
    }

    *code = CLI_DONE;
    for (int i = 0; i < argc && *code == CLI_DONE && !c->help; i++) {
        if (!ended && strcmp(argv[i], "--") == 0) {
            ended = true;
        } else if (!ended && argv[i][0] == '-' && argv[i][1] != '\0') {
            *code = take_option(c, &t, argc, argv, &i);
        } else if (argv[i][0] == '\0') {
            *code =
                cli_fail_usage(c, "\"\": an empty argument; usage: stiction %s %s", c->verb->name, c->verb->arguments);
        } else if (count == most) {
            *code = cli_fail_usage(c, "%.200s: one argument too many; usage: stiction %s %s", argv[i], c->verb->name,
                                   c->verb->arguments);
        } else {
            positional[count++] = argv[i];
        }
    }
    if (c->help && c->form == CLI_FORM_HELP)
        print_help(c->verb, &t);
    else if (c->help)
        print_as(c->form, c->verb, &t);
    else if (*code == CLI_DONE && count < least)
        *code = cli_fail_usage(c, "%s is missing; usage: stiction %s %s",
                               count == 0 ? "the first argument" : "an argument", c->verb->name, c->verb->arguments);
    if (c->help || *code != CLI_DONE) return -1;
    cli_limit_begin(c);
    return count;
}
