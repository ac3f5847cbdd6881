// completion.c: stiction completion: words for the shell, made from the tables that --help prints. Verbs, questions of
// analyze and options are completed, names of built-in scenes too, and files everywhere else.
#include <string.h>

#include "analyze.h"
#include "manual.h"
#include "scenes.h"

typedef struct shell {
    const char* name;
    cli_form form;
    void (*begin)(void);  // what stands before the options of the verbs
    void (*end)(void);    // and after them
} shell;

// ---- words that every shell gets

static void put_verbs(char between) {
    for (int i = 0; i < cli_verb_count; i++) printf("%s%c", cli_verbs[i]->name, between);
    printf("help%cversion", between);
}

static void put_questions(char between) {
    for (int i = 0; i < cli_question_count; i++) {
        if (i > 0) putchar(between);
        fputs(strchr(cli_questions[i]->name, ' ') + 1, stdout);
    }
}

static void put_scenes(char between) {
    for (int k = 0; k < cli_scene_count; k++) {
        if (k > 0) putchar(between);
        fputs(cli_scene_list[k].name, stdout);
    }
}

// ---- bash

static void bash_begin(void) {
    printf(
        "# Completion of stiction in bash: source <(stiction completion bash)\n"
        "_stiction() {\n"
        "    local word=\"${COMP_WORDS[COMP_CWORD]}\" verb=\"${COMP_WORDS[1]}\" options= words=\n"
        "    COMPREPLY=()\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        COMPREPLY=($(compgen -W '");
    put_verbs(' ');
    printf(
        "' -- \"$word\"))\n"
        "        return\n"
        "    fi\n"
        "    if [ \"$verb\" = analyze ]; then\n"
        "        if [ \"$COMP_CWORD\" -eq 2 ]; then\n"
        "            COMPREPLY=($(compgen -W '");
    put_questions(' ');
    printf(
        "' -- \"$word\"))\n"
        "            return\n"
        "        fi\n"
        "        verb=\"analyze ${COMP_WORDS[2]}\"\n"
        "    fi\n"
        "    case \"$verb\" in\n");
}

static void bash_end(void) {
    printf("    help) words='");
    put_verbs(' ');
    printf(
        "' ;;\n"
        "    esac\n"
        "    case \"$word\" in\n"
        "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
        "    *) compopt -o filenames\n"
        "       COMPREPLY=($(compgen -W \"$words ");
    put_scenes(' ');
    printf(
        "\" -- \"$word\") $(compgen -f -- \"$word\")) ;;\n"
        "    esac\n"
        "}\n"
        "complete -F _stiction stiction\n");
}

static void bash_verb(const cli_verb* verb, const cli_option* all, int count) {
    printf("    '%s') options='", verb->name);
    for (int k = 0; k < count; k++) printf("%s%s", k > 0 ? " " : "", all[k].name);
    printf("' ;;\n");
}

// ---- zsh

// Inside single quotes; in a description of _arguments, brackets and colons mean something.
static void zsh_text(const char* text) {
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else {
            if (strchr("[]:\\", *text) != NULL) putchar('\\');
            putchar(*text);
        }
    }
}

static void zsh_begin(void) {
    printf(
        "#compdef stiction\n"
        "# Completion of stiction in zsh: stiction completion zsh > FOLDER/_stiction, where FOLDER is in $fpath\n"
        "_stiction() {\n"
        "    local verb=\"$words[2]\"\n"
        "    local -a verbs questions scenes\n"
        "    verbs=(\n");
    for (int i = 0; i < cli_verb_count; i++) {
        printf("        '%s:", cli_verbs[i]->name);
        zsh_text(cli_verbs[i]->summary);
        printf("'\n");
    }
    printf("        'help:how a verb is used' 'version:the version')\n    questions=(\n");
    for (int i = 0; i < cli_question_count; i++) {
        printf("        '%s:", strchr(cli_questions[i]->name, ' ') + 1);
        zsh_text(cli_questions[i]->summary);
        printf("'\n");
    }
    printf("    )\n    scenes=(");
    put_scenes(' ');
    printf(
        ")\n"
        "    if (( CURRENT == 2 )); then\n"
        "        _describe verb verbs\n"
        "        return\n"
        "    fi\n"
        "    if [[ $verb == analyze ]]; then\n"
        "        if (( CURRENT == 3 )); then\n"
        "            _describe question questions\n"
        "            return\n"
        "        fi\n"
        "        verb=\"analyze $words[3]\"\n"
        "    fi\n"
        "    case \"$verb\" in\n");
}

static void zsh_verb(const cli_verb* verb, const cli_option* all, int count) {
    printf("    '%s') _arguments \\\n", verb->name);
    for (int k = 0; k < count; k++) {
        printf("        '%s[", all[k].name);
        zsh_text(all[k].help);
        printf("]");
        if (all[k].argument != NULL) {
            printf(":");
            zsh_text(all[k].argument);
            printf(":_files");
        }
        printf("' \\\n");
    }
    printf("        '*:file or scene:{ _files; compadd -a scenes }' ;;\n");
}

static void zsh_end(void) {
    printf(
        "    help) _describe verb verbs ;;\n"
        "    esac\n"
        "}\n"
        "if [ \"$funcstack[1]\" = _stiction ]; then _stiction \"$@\"; else compdef _stiction stiction; fi\n");
}

// ---- fish

static void fish_text(const char* text) {
    putchar('\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    putchar('\'');
}

static void fish_begin(void) {
    printf("# Completion of stiction in fish: stiction completion fish | source\n");
    for (int i = 0; i < cli_verb_count; i++) {
        printf("complete -c stiction -f -n __fish_use_subcommand -a %s -d ", cli_verbs[i]->name);
        fish_text(cli_verbs[i]->summary);
        printf("\n");
    }
    for (int i = 0; i < cli_question_count; i++) {
        printf(
            "complete -c stiction -f -n 'test (count (commandline -opc)) -eq 2; and __fish_seen_subcommand_from "
            "analyze' -a %s -d ",
            strchr(cli_questions[i]->name, ' ') + 1);
        fish_text(cli_questions[i]->summary);
        printf("\n");
    }
    printf("complete -c stiction -n 'test (count (commandline -opc)) -ge 2' -a '");
    put_scenes(' ');
    printf("'\n");
}

static void fish_verb(const cli_verb* verb, const cli_option* all, int count) {
    for (int k = 0; k < count; k++) {
        printf(
            "complete -c stiction -n 'string match -q -- \"* %s *\" \" \"(commandline -opc | string join \" \")\" "
            "\"' -l %s%s -d ",
            verb->name, all[k].name + 2, all[k].argument != NULL ? " -r" : "");
        fish_text(all[k].help);
        printf("\n");
    }
}

static void fish_end(void) {}

void cli_completion_verb(cli_form form, const cli_verb* verb, const cli_option* all, int count) {
    switch (form) {
        case CLI_FORM_BASH:
            bash_verb(verb, all, count);
            return;
        case CLI_FORM_ZSH:
            zsh_verb(verb, all, count);
            return;
        case CLI_FORM_FISH:
            fish_verb(verb, all, count);
            return;
        case CLI_FORM_HELP:
        case CLI_FORM_MAN:
            return;
    }
}

static const shell shells[] = {{"bash", CLI_FORM_BASH, bash_begin, bash_end},
                               {"zsh", CLI_FORM_ZSH, zsh_begin, zsh_end},
                               {"fish", CLI_FORM_FISH, fish_begin, fish_end}};

// The options of a verb are known to its run function alone: it is asked for help, in the form of this shell.
static int ask(const cli* c, const cli_verb* verb, cli_form form) {
    char* words[] = {"--help"};
    cli asked = *c;
    asked.verb = verb;
    asked.form = form;
    return verb->run(&asked, 1, words);
}

static int write_completion(const cli* c, const shell* s) {
    int code = CLI_DONE;
    s->begin();
    for (int i = 0; i < cli_verb_count && code == CLI_DONE; i++) {
        if (cli_verbs[i] != &cli_verb_analyze) code = ask(c, cli_verbs[i], s->form);
        for (int k = 0; cli_verbs[i] == &cli_verb_analyze && k < cli_question_count && code == CLI_DONE; k++)
            code = ask(c, cli_questions[k], s->form);
    }
    s->end();
    return code;
}

static int run(cli* c, int argc, char** argv) {
    char* positional[1];
    int code;
    if (cli_parse(c, NULL, 0, argc, argv, positional, 1, 1, &code) < 0) return code;
    for (size_t k = 0; k < sizeof shells / sizeof shells[0]; k++) {
        if (strcmp(positional[0], shells[k].name) == 0) return write_completion(c, &shells[k]);
    }
    return cli_fail_usage(c, "%.60s: no such shell; there are bash, zsh and fish", positional[0]);
}

const cli_verb cli_verb_completion = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .summary = "words for the shell: verbs, options and scenes at the tab key",
    .details =
        "The script goes to standard output; make install lays it down for all three shells.\n\n"
        "example:\n"
        "    source <(stiction completion bash)\n",
    .run = run,
};
