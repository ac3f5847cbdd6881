// cones.c: complementary cones of small order for stiction inspect, as text and JSON.
#include "cones.h"

#include <math.h>

sti_status cli_cones_find(const cli* c, const sti_lcp* lcp, cli_cones* out) {
    *out = (cli_cones){0};
    sti_status status = sti_covering_create(c->env, &lcp->M, lcp->M_exact, NULL, &out->covering);
    if (status == STI_OK) status = sti_lemke_path_create(c->env, lcp, NULL, &out->path);
    return status;
}

void cli_cones_drop(const cli* c, cli_cones* cones) {
    sti_covering_destroy(c->env, cones->covering);
    sti_lemke_path_destroy(c->env, cones->path);
}

static int indices_of(int alpha, int n, int* out) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (alpha >> i & 1) out[count++] = i;
    }
    return count;
}

static void alpha_text(int alpha, int n, char* text, size_t size) {
    int in[STI_COVERING_MOST];
    cli_text_indices(text, size, in, indices_of(alpha, n, in), STI_COVERING_MOST);
}

// ---- text

static void say_verdict(const cli* c, const char* name, sti_verdict v, const char* yes, const char* no,
                        const sti_rationals* q, int n) {
    char text[200];
    const char* color = v == STI_YES ? cli_good(c) : v == STI_NO ? cli_bad(c) : cli_unsure(c);
    cli_say(c, "  %-22s %s%-5s%s ", name, color, v == STI_YES ? "yes" : v == STI_NO ? "no" : "open", cli_plain(c));
    if (q != NULL) {
        cli_text_rationals(c, text, sizeof text, q, 0, n, STI_COVERING_MOST);
        cli_say(c, "q = %s %s\n", text, no);
    } else {
        cli_say(c, "%s\n", v == STI_YES ? yes : "too many cells");
    }
}

static void say_neighbours(const cli* c, const sti_covering* k) {
    int opposite = 0, same = 0, degenerate = 0;
    for (int alpha = 0; alpha < k->cone_count; alpha++) {
        for (int i = 0; i < k->n; i++) {
            if (alpha >> i & 1) continue;
            const int sign = sti_covering_adjacent(k, alpha, i);
            opposite += sign > 0;
            same += sign < 0;
            degenerate += sign == 0;
        }
    }
    cli_say(c,
            "    of %d pairs of neighbours %d lie on opposite sides of their face, %d on the same side, %d are "
            "degenerate\n",
            opposite + same + degenerate, opposite, same, degenerate);
}

static void say_path(const cli* c, const sti_lemke_path* p) {
    enum { SHOWN = 12 };
    char text[80];
    cli_say(c, "    Lemke's path:");
    for (int k = 0; k < p->count && k < SHOWN; k++) {
        alpha_text(p->piece[k].alpha, p->n, text, sizeof text);
        cli_say(c, " %s to z0 = %.4g%s", text, p->piece[k].to, k + 1 < p->count ? "," : "");
    }
    if (p->count > SHOWN) cli_say(c, " ... %d more", p->count - SHOWN);
    cli_say(c, "%s\n", p->solved ? ", which solves" : ": a ray");
}

void cli_cones_say(const cli* c, const cli_cones* cones) {
    const sti_covering* k = cones->covering;
    if (k == NULL) return;
    say_verdict(c, "Q", k->Q, "the complementary cones cover the space", "lies in none of them", k->q_outside_exact,
                k->n);
    say_verdict(c, "Q0", k->Q0, "K(M) is convex: what is feasible is solvable", "is feasible and not solvable",
                k->q_feasible_exact, k->n);
    cli_say(c, "  %s\n", k->text);
    say_neighbours(c, k);
    if (cones->path != NULL) say_path(c, cones->path);
}

// ---- JSON

static void put_cone(cli_json* j, const sti_covering* k, int alpha) {
    int in[STI_COVERING_MOST], side[STI_COVERING_MOST];
    for (int i = 0; i < k->n; i++) side[i] = sti_covering_adjacent(k, alpha, i);
    cli_json_object(j, NULL);
    cli_json_indices(j, "alpha", in, (size_t)indices_of(alpha, k->n, in));
    cli_json_integer(j, "sign", k->sign[alpha]);
    cli_json_indices(j, "adjacent", side, (size_t)k->n);
    cli_json_end(j);
}

static void put_path(cli_json* j, const sti_lemke_path* p) {
    int in[STI_COVERING_MOST];
    if (p == NULL) {
        cli_json_null(j, "lemke_path");
        return;
    }
    cli_json_object(j, "lemke_path");
    cli_json_bool(j, "solved", p->solved);
    cli_json_array(j, "pieces");
    for (int k = 0; k < p->count; k++) {
        cli_json_object(j, NULL);
        cli_json_indices(j, "alpha", in, (size_t)indices_of(p->piece[k].alpha, p->n, in));
        cli_json_number(j, "from", p->piece[k].from);
        cli_json_number(j, "to", p->piece[k].to);
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_end(j);
}

void cli_cones_put(cli_json* j, const cli* c, const cli_cones* cones) {
    const sti_covering* k = cones->covering;
    if (k == NULL) {
        cli_json_null(j, "covering");
        cli_json_null(j, "lemke_path");
        return;
    }
    const size_t n = (size_t)k->n;
    cli_json_object(j, "covering");
    cli_json_text(j, "text", k->text);
    cli_json_verdict(j, "Q", k->Q);
    cli_json_numbers(j, "q_outside", k->q_outside, n);
    cli_json_rationals(j, c, "q_outside_exact", k->q_outside_exact, 0, n);
    cli_json_verdict(j, "Q0", k->Q0);
    cli_json_numbers(j, "q_feasible", k->q_feasible, n);
    cli_json_rationals(j, c, "q_feasible_exact", k->q_feasible_exact, 0, n);
    cli_json_integer(j, "cell_count", k->cells);
    cli_json_array(j, "cones");
    for (int alpha = 0; alpha < k->cone_count; alpha++) put_cone(j, k, alpha);
    cli_json_end(j);
    cli_json_end(j);
    put_path(j, cones->path);
}
