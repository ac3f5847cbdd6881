// analyze_robust_box.c: stiction analyze robust --box: the largest box of doubts in which a push keeps its contact
// modes, proved.
#include <math.h>
#include <stdlib.h>
#include <stiction/plan.h>
#include <string.h>

#include "analyze.h"
#include "file.h"

// What may be doubted, as --doubts names it.
static bool kind_of(const char* word, size_t size, sti_doubt_kind* out) {
    for (int k = 0; k < STI_DOUBT_COUNT; k++) {
        const char* text = sti_doubt_text((sti_doubt_kind)k);
        if (strlen(text) != size || strncmp(text, word, size) != 0) continue;
        *out = (sti_doubt_kind)k;
        return true;
    }
    return false;
}

// "x,y,theta,mu": those alone.
static int choose_doubts(const cli* c, const char* list, sti_box_options* o) {
    bool wanted[STI_DOUBT_COUNT] = {false};
    for (const char* at = list; at != NULL;) {
        const size_t size = strcspn(at, ",");
        sti_doubt_kind kind;
        if (!kind_of(at, size, &kind))
            return cli_fail_usage(
                c, "--doubts: %.*s: x, y, theta, mu, place-x, place-y, turn or speed expected, with commas between",
                size < 60 ? (int)size : 60, at);
        wanted[kind] = true;
        at = at[size] == ',' ? at + size + 1 : NULL;
    }
    for (int k = 0; k < STI_DOUBT_COUNT; k++) {
        if (!wanted[k]) o->weight[k] = 0;
    }
    return CLI_DONE;
}

// Name of the part, thing or probe that is doubted.
static const char* name_of(const sti_manipulation* m, const sti_push_doubt* d) {
    const int parts = sti_manipulation_part_count(m), fixtures = sti_manipulation_fixture_count(m);
    if (d->kind <= STI_DOUBT_THETA) return sti_manipulation_part(m, d->of);
    if (d->kind != STI_DOUBT_MU) return sti_manipulation_probe(m, d->of);
    return d->of < parts              ? sti_manipulation_part(m, d->of)
           : d->of < parts + fixtures ? sti_manipulation_fixture(m, d->of - parts)
                                      : sti_manipulation_probe(m, d->of - parts - fixtures);
}

// ---- starts that are tried: inside, where no mode changes, and just outside of each side, where one does if the side
// is tight

enum { OUTSIDE = 200 };

typedef struct side {
    bool tight;
    sti_box_switch what;
    double* deviation;  // (doubts)
} side;

typedef struct trials {
    long inside, switches;
    side* sides;  // low and high of each doubt
    double* room;
} trials;

static double draw(unsigned long long* state) {
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 11) * 0x1p-53;
}

// A corner or any place of the box; side k: beyond that by a hundredth.
static void deviate(const sti_push_box* box, long number, int k, unsigned long long* state, double* x) {
    for (int i = 0; i < box->doubt_count; i++) {
        const sti_push_doubt* d = &box->doubts[i];
        double f = draw(state);
        if (number % 2 == 0) f = f < 0.5 ? 0 : 1;
        x[i] = d->low + f * (d->high - d->low);
        if (k >= 0 && k / 2 == i) x[i] = 1.01 * (k % 2 == 0 ? d->low : d->high);
    }
}

static void drop_trials(trials* t) {
    free(t->sides);
    free(t->room);
}

static int try_starts(const cli* c, const cli_robust_box* q, const sti_robust_box* b, trials* t) {
    const sti_push_box* box = &b->box;
    const size_t n = (size_t)box->doubt_count;
    unsigned long long state = 1;
    sti_status status = STI_OK;
    t->sides = calloc(2 * n + 1, sizeof *t->sides);
    t->room = malloc((2 * n + 1) * (n + 1) * sizeof *t->room);
    if (t->sides == NULL || t->room == NULL) return cli_fail_memory(c);
    for (int k = 0; k < 2 * box->doubt_count && status == STI_OK; k++) {
        side* s = &t->sides[k];
        s->deviation = t->room + (size_t)k * n;
        for (long l = 0; l < OUTSIDE && !s->tight && status == STI_OK; l++) {
            deviate(box, l, k, &state, s->deviation);
            status = sti_robust_box_try(c->env, q->scene, box, s->deviation, &s->what);
            s->tight = status == STI_OK && s->what.step >= 0;
        }
    }
    double* x = t->room + 2 * n * n;
    for (; t->inside < q->samples && status == STI_OK; t->inside++) {
        sti_box_switch what;
        deviate(box, t->inside, -1, &state, x);
        status = sti_robust_box_try(c->env, q->scene, box, x, &what);
        t->switches += status == STI_OK && what.step >= 0;
    }
    return status == STI_OK ? CLI_DONE : cli_fail_about(c, q->path);
}

static void switch_text(const cli_robust_box* q, const sti_push_box* box, const sti_box_switch* s, char* text,
                        size_t size) {
    char name[100] = "something else";
    if (s->contact >= 0) sti_manipulation_contact_text(q->scene, &box->contacts[s->contact], name, sizeof name);
    snprintf(text, size, "step %ld: %s: %s", s->step, name, sti_push_mode_text(s->mode));
}

static void put_side(cli_json* j, const char* key, const cli_robust_box* q, const sti_push_box* box, const side* s) {
    char text[200];
    cli_json_object(j, key);
    cli_json_bool(j, "tight", s->tight);
    switch_text(q, box, &s->what, text, sizeof text);
    cli_json_text(j, "switch", s->tight ? text : NULL);
    cli_json_numbers(j, "deviation", s->tight ? s->deviation : NULL, (size_t)box->doubt_count);
    cli_json_end(j);
}

static void say_sides(const cli* c, const cli_robust_box* q, const sti_push_box* box, const trials* t) {
    for (int i = 0; i < box->doubt_count; i++) {
        const sti_push_doubt* d = &box->doubts[i];
        cli_say(c, "    %-8s of %-12s %12.5g .. %.5g\n", sti_doubt_text(d->kind), name_of(q->scene, d), d->low,
                d->high);
        for (int k = 0; k < 2; k++) {
            char text[200];
            const side* s = &t->sides[2 * i + k];
            switch_text(q, box, &s->what, text, sizeof text);
            if (s->tight) cli_say(c, "      %s side tight: beyond it, %s\n", k == 0 ? "low" : "high", text);
        }
    }
}

// The contact by numbers, for the checker.
static void put_place(cli_json* j, const sti_push_contact* k) {
    cli_json_object(j, "place");
    cli_json_integer(j, "part", k->part);
    cli_json_text(j, "against",
                  k->against == STI_PUSH_PART      ? "part"
                  : k->against == STI_PUSH_FIXTURE ? "fixture"
                                                   : "tip");
    cli_json_integer(j, "other", k->other);
    cli_json_bool(j, "own", k->own);
    cli_json_integer(j, "corner", k->corner);
    cli_json_integer(j, "face", k->face);
    cli_json_end(j);
}

static void put_contacts(cli_json* j, const sti_manipulation* m, const sti_push_box* b) {
    cli_json_array(j, "contacts");
    for (int i = 0; i < b->contact_count; i++) {
        const sti_push_contact* k = &b->contacts[i];
        char text[100];
        sti_manipulation_contact_text(m, k, text, sizeof text);
        cli_json_object(j, NULL);
        cli_json_text(j, "part", sti_manipulation_part(m, k->part));
        cli_json_text(j, "against", text);
        cli_json_text(j, "mode", sti_push_mode_text(b->modes[i]));
        cli_json_integer(j, "friction", b->friction != NULL ? b->friction[i] : 0);
        put_place(j, k);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void put_answer(cli_json* j, const cli_robust_box* q, const sti_robust_box* b, const trials* t, double seconds) {
    const sti_push_box* box = &b->box;
    const size_t n = 3 * (size_t)sti_manipulation_part_count(q->scene);
    const bool there = b->found && b->proof.accepted;
    cli_json_begin(j);
    cli_json_text(j, "kind", "robust-box");
    cli_json_text(j, "file", q->path);
    cli_json_text(j, "set", q->settings);
    cli_json_number(j, "h", box->h);
    cli_json_integer(j, "steps", box->steps);
    cli_json_bool(j, "proved", there);
    cli_json_text(j, "reason", b->proof.text);
    cli_json_number(j, "margin", there ? b->proof.margin : NAN);
    cli_json_integer(j, "pieces", b->proof.pieces);
    cli_json_number(j, "scale", there ? b->scale : NAN);
    cli_json_bool(j, "whole_basis", q->whole);
    cli_json_number(j, "slip", box->slip > 0 ? box->slip : NAN);
    put_contacts(j, q->scene, box);
    cli_json_array(j, "doubts");
    for (int i = 0; i < box->doubt_count && there; i++) {
        const sti_push_doubt* d = &box->doubts[i];
        cli_json_object(j, NULL);
        cli_json_text(j, "what", sti_doubt_text(d->kind));
        cli_json_text(j, "of", name_of(q->scene, d));
        cli_json_integer(j, "thing", d->of);
        cli_json_number(j, "low", d->low);
        cli_json_number(j, "high", d->high);
        put_side(j, "low_side", q, box, &t->sides[2 * i]);
        put_side(j, "high_side", q, box, &t->sides[2 * i + 1]);
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_integer(j, "samples", t->inside);
    cli_json_integer(j, "sample_switches", t->switches);
    cli_json_numbers(j, "start", box->start, n);
    cli_json_numbers(j, "end_low", there ? b->end : NULL, n);
    cli_json_numbers(j, "end_high", there ? b->end + n : NULL, n);
    cli_json_number(j, "time_s", seconds);
}

// --json and --output.
static int put_out(const cli* c, const cli_robust_box* q, const sti_robust_box* b, const trials* t, double seconds,
                   int code) {
    cli_json j;
    if (q->output != NULL) {
        size_t size;
        put_answer(&j, q, b, t, seconds);
        const char* text = cli_json_close(&j, &size);
        const int written = text != NULL ? cli_write_file(c, q->output, text, size) : cli_fail_memory(c);
        cli_json_drop(&j);
        if (written != CLI_DONE) return written;
    }
    if (!c->json) return code;
    put_answer(&j, q, b, t, seconds);
    return cli_json_print(&j, c, code);
}

static void say(const cli* c, const cli_robust_box* q, const sti_robust_box* b, const trials* t) {
    const sti_push_box* box = &b->box;
    cli_say(c, "%s: %ld steps of %g\n", q->path, box->steps, box->h);
    for (int i = 0; i < box->contact_count; i++) {
        char text[100];
        sti_manipulation_contact_text(q->scene, &box->contacts[i], text, sizeof text);
        cli_say(c, "  %s at %s: %s\n", sti_manipulation_part(q->scene, box->contacts[i].part), text,
                sti_push_mode_text(box->modes[i]));
    }
    if (!b->found || !b->proof.accepted) {
        cli_say(c, "  %sno box%s: %s\n", cli_bad(c), cli_plain(c), b->proof.text);
        return;
    }
    cli_say(c, "  %sproved%s: these modes last for every deviation in\n", cli_good(c), cli_plain(c));
    say_sides(c, q, box, t);
    if (t->inside > 0) cli_say(c, "  %ld of %ld starts inside change a mode\n", t->switches, t->inside);
    for (int i = 0; i < sti_manipulation_part_count(q->scene); i++) {
        const double *low = b->end + 3 * (ptrdiff_t)i,
                     *high = low + 3 * (ptrdiff_t)sti_manipulation_part_count(q->scene);
        cli_say(c, "  %s ends within x %.5g .. %.5g, y %.5g .. %.5g, theta %.5g .. %.5g\n",
                sti_manipulation_part(q->scene, i), low[0], high[0], low[1], high[1], low[2], high[2]);
    }
}

int cli_robust_box_answer(const cli* c, const cli_robust_box* q) {
    sti_box_options o = sti_box_options_default(q->scene);
    const double begin = cli_now();
    o.friction = q->whole;
    o.slip = q->slip;
    if (q->pieces > 0) o.max_pieces = q->pieces;
    int code = q->doubts != NULL ? choose_doubts(c, q->doubts, &o) : CLI_DONE;
    if (code != CLI_DONE) return code;
    sti_robust_box* b = NULL;
    if (sti_robust_box_create(c->env, q->scene, NULL, q->h, q->steps, &o, &b) != STI_OK)
        return cli_fail_about(c, q->path);
    trials t = {0};
    code = b->found && b->proof.accepted ? CLI_DONE : CLI_NO;
    const int tried = code == CLI_DONE ? try_starts(c, q, b, &t) : CLI_DONE;
    if (tried != CLI_DONE)
        code = tried;
    else
        code = put_out(c, q, b, &t, cli_now() - begin, code);
    if ((code == CLI_DONE || code == CLI_NO) && !c->json) say(c, q, b, &t);
    drop_trials(&t);
    sti_robust_box_destroy(c->env, b);
    return code;
}
