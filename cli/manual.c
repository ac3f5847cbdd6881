// manual.c: man pages from the tables that --help prints: stiction(1) and a page for each verb, stiction-solve(1).
#include "manual.h"

#include <string.h>

#include "analyze.h"

// Text for man: a hyphen that can be copied, a backslash that is one, no line that reads as a request.
static void put(const char* text, bool line_begins) {
    for (const char* p = text; *p != '\0'; p++) {
        if (line_begins && (*p == '.' || *p == '\'')) fputs("\\&", stdout);
        line_begins = *p == '\n';
        if (*p == '\\')
            fputs("\\e", stdout);
        else if (*p == '-')
            fputs("\\-", stdout);
        else
            putchar(*p);
    }
}

// "analyze modes" -> "analyze-modes"
static void put_page_name(const char* name) {
    for (; *name != '\0'; name++) {
        if (*name == ' ' || *name == '-')
            fputs("\\-", stdout);
        else
            putchar(*name);
    }
}

static void begin(const char* name, const char* summary) {
    printf(".TH STICTION");
    for (const char* p = name; *p != '\0'; p++) {
        if (p == name) printf("\\-");
        putchar(*p == ' ' ? '-' : *p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p);
    }
    printf(" 1 \"\" \"stiction %s\" \"Stiction\"\n.SH NAME\nstiction", sti_version());
    if (*name != '\0') printf("\\-");
    put_page_name(name);
    printf(" \\- ");
    put(summary, false);
    printf("\n.SH SYNOPSIS\n");
}

static void put_exit_codes(void) {
    printf(
        ".SH \"EXIT STATUS\"\n"
        "0: done and solved or accepted. 1: answered with \"no\", or not answered. 2: bad usage or input.\n"
        "3: internal failure, no memory, or a file that cannot be written.\n");
}

void cli_manual_page(const cli_verb* verb, const cli_option* all, int count) {
    begin(verb->name, verb->summary);
    printf(".B stiction %s\n", verb->name);
    put(verb->arguments, true);
    printf("\n.SH OPTIONS\n");
    for (int k = 0; k < count; k++) {
        printf(".TP\n\\fB");
        put(all[k].name, false);
        printf("\\fR");
        if (all[k].argument != NULL) {
            printf(" \\fI");
            put(all[k].argument, false);
            printf("\\fR");
        }
        printf("\n");
        put(all[k].help, true);
        printf("\n");
    }
    printf(".SH DESCRIPTION\n.nf\n");
    put(verb->details, true);
    printf(".fi\n");
    put_exit_codes();
    printf(".SH \"SEE ALSO\"\n.BR stiction (1)\n");
}

static void put_row(const cli_verb* verb) {
    printf(".TP\n\\fBstiction ");
    put(verb->name, false);
    printf("\\fR ");
    put(verb->arguments, false);
    printf("\n");
    put(verb->summary, true);
    printf(" (see \\fBstiction\\-");
    put_page_name(verb->name);
    printf("\\fR(1))\n");
}

void cli_manual_overview(void) {
    begin("", "mechanics with contact and friction: solve, simulate, analyze, with proofs");
    printf(".B stiction\nVERB [arguments]\n.SH VERBS\n");
    for (int i = 0; i < cli_verb_count; i++) {
        if (cli_verbs[i] != &cli_verb_analyze) put_row(cli_verbs[i]);
        for (int k = 0; cli_verbs[i] == &cli_verb_analyze && k < cli_question_count; k++) put_row(cli_questions[k]);
    }
    printf(
        ".SH OPTIONS\nEvery verb takes \\fB\\-\\-help\\fR, \\fB\\-\\-json\\fR, \\fB\\-\\-quiet\\fR, "
        "\\fB\\-\\-verbose\\fR and \\fB\\-\\-time\\-limit\\fR \\fIS\\fR.\n");
    put_exit_codes();
    printf(
        ".SH EXAMPLE\n.nf\nstiction run arch \\-\\-out arch \\-\\-picture\nstiction analyze sticking arch\n.fi\n"
        ".SH \"SEE ALSO\"\nThe pages of the verbs, and the documentation that is installed with the program.\n");
}
