// analyze.c: stiction analyze: what can happen at an instant. Finds the question; each question is a file of its own.
#include "analyze.h"

#include <string.h>

const cli_verb* const cli_questions[] = {&cli_analyze_modes,      &cli_analyze_sticking, &cli_analyze_closure,
                                         &cli_analyze_velocities, &cli_analyze_impact,   &cli_analyze_painleve,
                                         &cli_analyze_norms,      &cli_analyze_robust};
enum { QUESTION_COUNT = sizeof cli_questions / sizeof cli_questions[0] };
const int cli_question_count = QUESTION_COUNT;

// The part of a question's name after "analyze ".
static const char* word_of(const cli_verb* question) {
    return strchr(question->name, ' ') + 1;
}

static void print_questions(void) {
    printf("stiction analyze QUESTION FILE: what can happen at this instant, and the proof of it\n\n");
    for (int i = 0; i < QUESTION_COUNT; i++)
        cli_help_text(printf("    stiction %-18s %-17s ", cli_questions[i]->name, cli_questions[i]->arguments), 50,
                      cli_questions[i]->summary);
    printf(
        "\nFILE holds an instant by numbers or a system by formulas, or is the name of a built-in scene (stiction\n"
        "scenes); that of norms holds matrices, that of robust may hold parts and probes. Every question takes "
        "--help.\n\n"
        "example:\n"
        "    stiction analyze painleve painleve-rod\n");
}

static int run(cli* c, int argc, char** argv) {
    if (argc == 0) return cli_fail_usage(c, "a question is missing; try stiction analyze --help");
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        print_questions();
        return CLI_DONE;
    }
    const char* words[QUESTION_COUNT];
    for (int i = 0; i < QUESTION_COUNT; i++) {
        words[i] = word_of(cli_questions[i]);
        if (strcmp(argv[0], words[i]) != 0) continue;
        c->verb = cli_questions[i];
        return cli_questions[i]->run(c, argc - 1, argv + 1);
    }
    const char* near = cli_nearest(argv[0], words, QUESTION_COUNT);
    return cli_fail_usage(c,
                          "%.60s: no such question%s%s; there are modes, sticking, closure, velocities, impact, "
                          "painleve, norms and robust",
                          argv[0], near != NULL ? "; did you mean " : "", near != NULL ? near : "");
}

const cli_verb cli_verb_analyze = {
    .name = "analyze",
    .arguments = "QUESTION FILE",
    .summary = "what can happen at an instant: modes, sticking, impacts, Painleve",
    .details = "",
    .run = run,
};
