// analyze_norms.c: stiction analyze norms: the conditions of S0 and S1 that compare norms, on matrices from a file.
#include <math.h>

#include "analyze.h"

static const char* const statements[STI_NORM_COUNT] = {
    [STI_NORM_SUM] = "S0 (84): |N| < 1 / |sym(P)^-1|, then P + N is positive definite",
    [STI_NORM_RESTITUTION] = "S1 Props 6, 7: |E| < 1 / sqrt(|G^-1| |G|), then G^-1 - E'G^-1 E is positive definite",
    [STI_NORM_LOSS] = "S1 Lemma 2: |E| (2 + |E|) |G^-1| |G| < 1, then (I - E)'G^-1 (I + E) is positive definite",
    [STI_NORM_QUASI] = "S1 Prop 9: |E| < 1 / sqrt(|D^-1| |D|), then D - E'D E is positive definite",
    [STI_NORM_FRICTION] = "S1 Prop 14: |G^-1| |n_H| |mu| < 1, then G - n_H diag(+-mu) is positive definite",
};

static void put(cli_json* j, sti_norm_question q, const sti_norm_test* t) {
    if (!t->asked) {
        cli_json_null(j, sti_norm_text(q));
        return;
    }
    cli_json_object(j, sti_norm_text(q));
    cli_json_text(j, "statement", statements[q]);
    cli_json_bool(j, "applies", t->applies);
    cli_json_text(j, "reason", t->applies ? NULL : t->why);
    for (int f = 0; f < 2; f++) {
        cli_json_object(j, f == 0 ? "frobenius" : "spectral");
        cli_json_number(j, "left", t->left[f]);
        cli_json_number(j, "right", t->right[f]);
        cli_json_bool(j, "holds", t->holds[f]);
        cli_json_end(j);
    }
    cli_json_number(j, "lambda_min", t->lambda_min);
    cli_json_end(j);
}

static void say(const cli* c, sti_norm_question q, const sti_norm_test* t) {
    if (!t->asked) return;
    cli_say(c, "  %s\n", statements[q]);
    if (!t->applies) {
        cli_say(c, "    %sdoes not apply%s: %s\n", cli_unsure(c), cli_plain(c), t->why);
    } else {
        for (int f = 0; f < 2; f++)
            cli_say(c, "    %-10s %.9g < %.9g %s%s%s\n", f == 0 ? "Frobenius" : "spectral", t->left[f], t->right[f],
                    t->holds[f] ? cli_good(c) : cli_unsure(c), t->holds[f] ? "holds" : "does not hold", cli_plain(c));
    }
    if (!isnan(t->lambda_min))
        cli_say(c, "    in truth its least eigenvalue is %.9g%s\n", t->lambda_min,
                q == STI_NORM_FRICTION ? ", over all signs" : "");
}

static int work(const cli* c, const char* path, const sti_matrices* m) {
    sti_norm_test t[STI_NORM_COUNT];
    int asked = 0;
    for (int q = 0; q < STI_NORM_COUNT; q++) {
        if (sti_norm_test_analyze(c->env, m, (sti_norm_question)q, &t[q]) != STI_OK) return cli_fail_about(c, path);
        asked += t[q].asked;
    }
    if (asked == 0)
        return cli_fail_usage(c, "%s: nothing to compare: P and N, G and E, D and E, or G, n_H and mu are expected",
                              path);
    if (c->json) {
        cli_json j;
        cli_json_begin(&j);
        cli_json_text(&j, "kind", "norms");
        cli_json_text(&j, "file", path);
        for (int q = 0; q < STI_NORM_COUNT; q++) put(&j, (sti_norm_question)q, &t[q]);
        return cli_json_print(&j, c, CLI_DONE);
    }
    cli_say(c, "%s\n", path);
    for (int q = 0; q < STI_NORM_COUNT; q++) say(c, (sti_norm_question)q, &t[q]);
    return CLI_DONE;
}

static int run(cli* c, int argc, char** argv) {
    char* positional[1];
    int code;
    if (cli_parse(c, NULL, 0, argc, argv, positional, 1, 1, &code) < 0) return code;
    sti_document* document = NULL;
    code = cli_load(c, positional[0], &document);
    if (code == CLI_DONE) code = work(c, positional[0], sti_matrices_of(document));
    sti_document_destroy(document);
    return code;
}

const cli_verb cli_analyze_norms = {
    .name = "analyze norms",
    .arguments = "FILE",
    .summary = "conditions that compare norms, for matrices of your own",
    .details =
        "FILE holds {\"kind\": \"matrices\"} with P and N (S0 (84)), G and E (S1 Props 6 and 7, Lemma 2), D and E\n"
        "(S1 Prop 9), or G, n_H and mu (S1 Prop 14, Lemma 1; mu_i / |n_i|). Each condition is told in Frobenius\n"
        "and in spectral norms, with both sides, and beside it the least eigenvalue that it is about.\n"
        "Exit code 0: done; 2: bad usage or input; 3: internal failure.\n\n"
        "example:\n"
        "    echo '{\"kind\": \"matrices\", \"P\": [[2, 1], [-1, 2]], \"N\": [[0, 0.5], [0, 0]]}' > m.json\n"
        "    stiction analyze norms m.json\n",
    .use = STI_USE_NORMS,
    .run = run,
};
