// analyze_robust_motion.c: stiction analyze robust --box of a system by formulas: the largest box of doubts in state
// and parameters in which its contact modes last, proved.
#include <math.h>
#include <stdlib.h>
#include <stiction/plan.h>
#include <string.h>

#include "analyze.h"
#include "file.h"

enum { MOST = 40 };

typedef struct side {
    bool tight;
    sti_box_switch what;
} side;

typedef struct search {
    const cli* c;
    const cli_robust_motion* q;
    int count;
    sti_motion_doubt doubts[MOST];
    double weight[MOST];
    char name[MOST][64];
    sti_motion_claim* b;
    side sides[2 * MOST];
    long inside, switches;
    double seconds;
} search;

// ---- what may be doubted

static void add(search* s, sti_motion_doubt_kind kind, int of) {
    if (s->count == MOST) return;
    const sti_system* system = s->q->system;
    const double value = kind == STI_MOTION_PARAMETER ? fabs(sti_system_parameter_value(system, of)) : 1;
    s->doubts[s->count] = (sti_motion_doubt){.kind = kind, .of = of};
    s->weight[s->count] = value > 0 ? value : 1;
    snprintf(s->name[s->count++], sizeof s->name[0], "%.60s%s",
             kind == STI_MOTION_PARAMETER ? sti_system_parameter(system, of) : sti_system_coordinate(system, of),
             kind == STI_MOTION_VELOCITY ? "'" : "");
}

// Parameters as far as a proof has room for doubts, two of them for each coordinate.
static void add_all(search* s) {
    const int most = MOST - 2 * sti_system_coordinate_count(s->q->system);
    for (int i = 0; i < sti_system_coordinate_count(s->q->system); i++) add(s, STI_MOTION_POSITION, i);
    for (int i = 0; i < sti_system_coordinate_count(s->q->system); i++) add(s, STI_MOTION_VELOCITY, i);
    for (int i = 0; i < sti_system_parameter_count(s->q->system) && (s->q->doubts != NULL || s->count < most); i++)
        add(s, STI_MOTION_PARAMETER, i);
}

// "x,x',mu": those alone.
static int choose(search* s) {
    search all = {.q = s->q};
    add_all(&all);
    for (const char* at = s->q->doubts; at != NULL;) {
        const size_t size = strcspn(at, ",");
        int found = -1;
        for (int i = 0; i < all.count; i++) {
            if (strlen(all.name[i]) == size && strncmp(all.name[i], at, size) == 0) found = i;
        }
        if (found < 0)
            return cli_fail_usage(s->c, "--doubts: %.*s: a coordinate, a velocity (x') or a parameter is expected",
                                  size < 60 ? (int)size : 60, at);
        for (int i = 0; i < s->count; i++) {
            if (strcmp(s->name[i], all.name[found]) == 0)
                return cli_fail_usage(s->c, "--doubts: %s: given twice", all.name[found]);
        }
        add(s, all.doubts[found].kind, all.doubts[found].of);
        at = at[size] == ',' ? at + size + 1 : NULL;
    }
    return CLI_DONE;
}

// ---- starts that are tried

static double draw(unsigned long long* state) {
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 11) * 0x1p-53;
}

// A corner or any place of the box; side k: beyond that by a hundredth.
static void deviate(const search* s, long number, int k, unsigned long long* state, double* x) {
    for (int i = 0; i < s->count; i++) {
        const sti_motion_doubt* d = &s->b->box.doubts[i];
        double f = draw(state);
        if (number % 2 == 0) f = f < 0.5 ? 0 : 1;
        x[i] = d->low + f * (d->high - d->low);
        if (k >= 0 && k / 2 == i) x[i] = 1.01 * (k % 2 == 0 ? d->low : d->high);
    }
}

// A start beyond the box may be none: friction below 0, a gradient that vanishes.
static int try_starts(search* s) {
    enum { OUTSIDE = 200 };
    const sti_motion_box* box = &s->b->box;
    unsigned long long state = 1;
    double x[MOST];
    for (int k = 0; k < 2 * s->count; k++) {
        for (long l = 0; l < OUTSIDE && !s->sides[k].tight; l++) {
            deviate(s, l, k, &state, x);
            const sti_status status = sti_motion_claim_try(s->c->env, s->q->system, box, x, &s->sides[k].what);
            if (status != STI_OK && status != STI_ERR_INPUT) return cli_fail_about(s->c, s->q->path);
            s->sides[k].tight = status == STI_OK && s->sides[k].what.step >= 0;
        }
    }
    for (; s->inside < s->q->samples; s->inside++) {
        sti_box_switch what;
        deviate(s, s->inside, -1, &state, x);
        if (sti_motion_claim_try(s->c->env, s->q->system, box, x, &what) != STI_OK)
            return cli_fail_about(s->c, s->q->path);
        s->switches += what.step >= 0;
    }
    return CLI_DONE;
}

// ---- what is told

static void switch_text(const search* s, const side* at, char* text, size_t size) {
    const int contact = at->what.contact;
    snprintf(text, size, "step %ld: %s: %s", at->what.step,
             contact >= 0 ? sti_system_contact(s->q->system, contact) : "no solution",
             sti_push_mode_text(at->what.mode));
}

static void put_doubt(cli_json* j, const search* s, int i) {
    const sti_motion_doubt* d = &s->b->box.doubts[i];
    char text[200];
    cli_json_object(j, NULL);
    cli_json_text(j, "what", s->name[i]);
    cli_json_number(j, "low", d->low);
    cli_json_number(j, "high", d->high);
    for (int k = 0; k < 2; k++) {
        const side* at = &s->sides[2 * i + k];
        switch_text(s, at, text, sizeof text);
        cli_json_text(j, k == 0 ? "low_switch" : "high_switch", at->tight ? text : NULL);
    }
    cli_json_end(j);
}

static void put_answer(cli_json* j, const search* s, bool there) {
    const sti_motion_box* box = &s->b->box;
    const size_t n = 2 * (size_t)sti_system_coordinate_count(s->q->system);
    cli_json_begin(j);
    cli_json_text(j, "kind", "robust-motion-box");
    cli_json_text(j, "file", s->q->path);
    cli_json_text(j, "set", s->q->settings);
    cli_json_number(j, "h", box->h);
    cli_json_number(j, "alpha", box->alpha);
    cli_json_integer(j, "steps", box->steps);
    cli_json_bool(j, "proved", there);
    cli_json_text(j, "reason", s->b->proof.text);
    cli_json_number(j, "margin", there ? s->b->proof.margin : NAN);
    cli_json_integer(j, "pieces", s->b->proof.pieces);
    cli_json_number(j, "scale", there ? s->b->scale : NAN);
    cli_json_array(j, "contacts");
    for (int i = 0; i < box->contact_count; i++) {
        cli_json_object(j, NULL);
        cli_json_text(j, "name", sti_system_contact(s->q->system, i));
        cli_json_text(j, "mode", sti_push_mode_text(box->modes[i]));
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_array(j, "doubts");
    for (int i = 0; i < s->count && there; i++) put_doubt(j, s, i);
    cli_json_end(j);
    cli_json_integer(j, "samples", s->inside);
    cli_json_integer(j, "sample_switches", s->switches);
    cli_json_number(j, "time", box->time);
    cli_json_numbers(j, "start", box->q, n);
    cli_json_numbers(j, "end_low", there ? s->b->end : NULL, n);
    cli_json_numbers(j, "end_high", there ? s->b->end + n : NULL, n);
    cli_json_number(j, "time_s", s->seconds);
}

// --json and --output.
static int put_out(const search* s, int code) {
    cli_json j;
    if (s->q->output != NULL) {
        size_t size;
        put_answer(&j, s, code == CLI_DONE);
        const char* text = cli_json_close(&j, &size);
        const int written = text != NULL ? cli_write_file(s->c, s->q->output, text, size) : cli_fail_memory(s->c);
        cli_json_drop(&j);
        if (written != CLI_DONE) return written;
    }
    if (!s->c->json) return code;
    put_answer(&j, s, code == CLI_DONE);
    return cli_json_print(&j, s->c, code);
}

static void say(const search* s, int code) {
    const cli* c = s->c;
    const sti_motion_box* box = &s->b->box;
    const int n = sti_system_coordinate_count(s->q->system);
    cli_say(c, "%s: %ld steps of %g, alpha %g\n", s->q->path, box->steps, box->h, box->alpha);
    for (int i = 0; i < box->contact_count; i++)
        cli_say(c, "  %s: %s\n", sti_system_contact(s->q->system, i), sti_push_mode_text(box->modes[i]));
    if (code != CLI_DONE) {
        cli_say(c, "  %sno box%s: %s\n", cli_bad(c), cli_plain(c), s->b->proof.text);
        return;
    }
    cli_say(c, "  %sproved%s: these modes last for every deviation in\n", cli_good(c), cli_plain(c));
    for (int i = 0; i < s->count; i++) {
        cli_say(c, "    %-12s %12.5g .. %.5g\n", s->name[i], box->doubts[i].low, box->doubts[i].high);
        for (int k = 0; k < 2; k++) {
            char text[200];
            switch_text(s, &s->sides[2 * i + k], text, sizeof text);
            if (s->sides[2 * i + k].tight)
                cli_say(c, "      %s side tight: beyond it, %s\n", k == 0 ? "low" : "high", text);
        }
    }
    if (s->inside > 0)
        cli_say(c, "  %ld of %ld starts inside change a mode%s\n", s->switches, s->inside,
                s->switches > 0 ? ": a step has another solution there" : "");
    for (int i = 0; i < n; i++)
        cli_say(c, "  %s ends within %.5g .. %.5g\n", sti_system_coordinate(s->q->system, i), s->b->end[i],
                s->b->end[2 * n + i]);
}

int cli_robust_motion_answer(const cli* c, const cli_robust_motion* question) {
    search* s = calloc(1, sizeof *s);
    if (s == NULL) return cli_fail_memory(c);
    const double begin = cli_now();
    s->c = c;
    s->q = question;
    int code = CLI_DONE;
    if (question->doubts != NULL)
        code = choose(s);
    else
        add_all(s);
    sti_motion_options o = sti_motion_options_default();
    o.h = question->h;
    o.alpha = question->alpha;
    o.doubt_count = s->count;
    o.doubts = s->doubts;
    o.weight = s->weight;
    if (question->pieces > 0) o.max_pieces = question->pieces;
    if (code == CLI_DONE && sti_motion_claim_create(c->env, question->system, question->steps, &o, &s->b) != STI_OK)
        code = cli_fail_about(c, question->path);
    if (code == CLI_DONE) {
        code = s->b->found && s->b->proof.accepted ? CLI_DONE : CLI_NO;
        const int tried = code == CLI_DONE ? try_starts(s) : CLI_DONE;
        s->seconds = cli_now() - begin;
        code = tried != CLI_DONE ? tried : put_out(s, code);
        if ((code == CLI_DONE || code == CLI_NO) && !c->json) say(s, code);
    }
    sti_motion_claim_destroy(c->env, s->b);
    free(s);
    return code;
}
