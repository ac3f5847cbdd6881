// sticking_propositions.c: the table of S0's propositions held against rationals: every verdict, every number.
//
// What the matrices are is computed anew, without rounding, from the instant alone; points, rays and multipliers are
// put into the conditions that define them; least values are tried a little above and below by linear programs. Not
// judged are instants too large for that, and those whose contacts are redundant only up to rounding, where S0's rank
// conditions say nothing: numbers not looked at are counted.
#include <string.h>

#include "verify/data.h"
#include "verify/sticking_facts.h"

enum { LARGE = 60 };

static const char* const known[] = {"P1.i",  "P1.ii",  "P2",    "P3",   "C1", "P4.i", "P4.ii", "L1",     "P5", "P6.i",
                                    "P6.ii", "P6.iii", "P6.iv", "MFCQ", "P7", "P8.i", "P8.ii", "P8.iii", "C2", "C3",
                                    "E43",   "P9.i",   "P9.ii", "P10",  "C4", "P11",  "P12",   "P13",    "E69"};

static bool is_known(const char* id) {
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i], id) == 0) return true;
    return false;
}

// One number each: what reads them need not ask.
static bool has_one(const sti_named* v) {
    static const char* const names[] = {"all_sticking",   "lipschitz",   "opening_rate",    "least_on_y",
                                        "solvable",       "facets",      "minimum_polygon", "minimum_disc",
                                        "sticks_polygon", "sticks_disc", "mu_min",          "factor_min",
                                        "attained",       "force_limit", "solutions"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], v->name) == 0) return v->rows == 1 && v->cols == 1;
    return true;
}

static void check_numbers(const sti_proposition* p, sti_sticking_verification* out) {
    if (p->number_count > STI_CLAIM_NUMBERS) STI_REJECT(out, "%s: too many numbers", p->id);
    for (int i = 0; i < p->number_count && out->accepted; i++) {
        if (!has_one(&p->numbers[i])) STI_REJECT(out, "%s: %s is not one number", p->id, p->numbers[i].name);
        for (int j = 0; j < i && out->accepted; j++)
            if (strcmp(p->numbers[j].name, p->numbers[i].name) == 0)
                STI_REJECT(out, "%s: %s stands twice", p->id, p->numbers[i].name);
    }
}

static void check_table(const sti_sticking_answer* answer, sti_sticking_verification* out) {
    for (int i = 0; i < answer->proposition_count && out->accepted; i++) {
        const sti_proposition* p = &answer->propositions[i];
        if (p->id == NULL || !is_known(p->id))
            STI_REJECT(out, "%s: there is no such proposition", p->id != NULL ? p->id : "");
        for (int j = 0; j < i && out->accepted; j++)
            if (strcmp(answer->propositions[j].id, p->id) == 0) STI_REJECT(out, "%s stands twice", p->id);
        if (out->accepted) check_numbers(p, out);
    }
}

// facts NULL: nothing was judged.
static void count_numbers(const sti_sticking_facts* f, const sti_sticking_answer* answer,
                          sti_sticking_verification* out) {
    for (int i = 0; i < answer->proposition_count; i++)
        for (int j = 0; j < answer->propositions[i].number_count; j++) {
            const bool judged = f != NULL && f->judged[(size_t)i * STI_CLAIM_NUMBERS + (size_t)j];
            *(judged ? &out->numbers_checked : &out->numbers_unchecked) += 1;
        }
}

sti_status sti_check_propositions(sti_sticking_data* d, const sti_sticking_answer* answer, double tol,
                                  sti_sticking_verification* out) {
    check_table(answer, out);
    if (!out->accepted || answer->proposition_count == 0) return STI_OK;
    if (d->instant->n + d->first[d->count] > LARGE) {
        count_numbers(NULL, answer, out);
        return STI_OK;
    }
    sti_sticking_facts f;
    sti_status status = sti_sticking_facts_open(&f, d, answer, tol, out);
    if (status == STI_OK && !f.near) {
        const bool good =
            sti_check_section_2(&f) && sti_check_section_3(&f) && sti_check_section_4(&f) && sti_check_section_5(&f);
        status = f.k.x.status;
        if (status == STI_OK && good) count_numbers(&f, answer, out);
    } else if (status == STI_OK) {
        count_numbers(NULL, answer, out);
    }
    sti_sticking_facts_close(&f);
    return status;
}
