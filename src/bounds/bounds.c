// bounds.c: the public entry: formulas compiled, the inequality asked for, numbers collected.
#include "bounds/bounds.h"

#include <stdarg.h>
#include <stdio.h>

const char* sti_bound_what_text(sti_bound_what what) {
    static const char* const text[] = {
#define STI_X(code, words) words,
        STI_BOUND_WHAT_LIST(STI_X)
#undef STI_X
    };
    return text[what];
}

void sti_bound_put(sti_bound_work* w, const char* name, sti_interval value) {
    STI_ASSERT(w->a->count < STI_BOUND_NUMBERS);
    sti_bound_number* n = &w->a->number[w->a->count++];
    snprintf(n->name, sizeof n->name, "%s", name);
    n->value = value;
}

const sti_interval* sti_bound_find(const sti_bound_answer* answer, const char* name) {
    for (int i = 0; i < answer->count; i++) {
        if (strcmp(answer->number[i].name, name) == 0) return &answer->number[i].value;
    }
    return NULL;
}

void sti_bound_unknown(sti_bound_work* w, const char* format, ...) {
    va_list args;
    if (w->a->outcome == STI_SOLVED) w->a->outcome = STI_UNKNOWN;
    if (w->a->reason[0] != '\0') return;  // the first one counts
    va_start(args, format);
    vsnprintf(w->a->reason, sizeof w->a->reason, format, args);
    va_end(args);
}

// ---- formulas

sti_status sti_bound_constant(sti_bound_work* w, const char* field, const char* formula, sti_interval* out) {
    sti_formulas f;
    sti_series s = {0};
    int entry = 0;
    sti_status status = sti_formulas_open(&f, w->env, "variables", NULL, 0);
    for (int k = 0; status == STI_OK && k < w->p->definition_count; k++) {
        int ignored;  // definitions that use x are no help to a number
        if (sti_formulas_add(&f, "definitions", w->p->definitions[k].formula, &ignored) == STI_OK)
            status = sti_formulas_define(&f, "definitions", w->p->definitions[k].name, w->p->definitions[k].formula);
        else if (sti_env_error(w->env)->status == STI_ERR_MEMORY)
            status = STI_ERR_MEMORY;
    }
    if (status == STI_OK) status = sti_formulas_add(&f, field, formula, &entry);
    if (status == STI_OK) status = sti_series_init(&s, w->env, &f.tape, 0);
    if (status == STI_OK) {
        sti_series_want(&s, entry);
        sti_series_evaluate(&s, NULL, -1, 0);
        *out = sti_series_value(&s, entry);
        if (s.trouble[entry] != 0 || !iv_is_bounded(*out))
            status = STI_FAIL(w->env, STI_ERR_INPUT, -1, "%s: \"%.60s\": a finite number is expected", field, formula);
    }
    sti_series_clear(&s);
    sti_formulas_close(&f);
    return status;
}

static sti_status compile(sti_bound_work* w) {
    static const char* const one[] = {"x"};
    static const char* const two[] = {"u", "v"};
    const sti_bound_problem* p = w->p;
    const bool joint = p->joint != NULL;
    char field[80];
    sti_status status = sti_formulas_open(&w->formulas, w->env, "variables", joint ? two : one, joint ? 2 : 1);
    for (int k = 0; status == STI_OK && k < p->definition_count; k++) {
        snprintf(field, sizeof field, "definitions.%.60s", p->definitions[k].name);
        status = sti_formulas_define(&w->formulas, field, p->definitions[k].name, p->definitions[k].formula);
    }
    if (status == STI_OK) status = sti_tape_input(&w->formulas.tape, 0, &w->x);
    w->f = w->g = -1;
    if (status == STI_OK && !joint) status = sti_formulas_add(&w->formulas, "f", p->f, &w->f);
    if (status == STI_OK && !joint && p->g != NULL) status = sti_formulas_add(&w->formulas, "g", p->g, &w->g);
    return status;
}

static sti_status find_interval(sti_bound_work* w) {
    sti_status status = sti_bound_constant(w, "interval[0]", w->p->low, &w->low);
    if (status == STI_OK) status = sti_bound_constant(w, "interval[1]", w->p->high, &w->high);
    if (status != STI_OK) return status;
    if (!(w->low.high < w->high.low))
        return STI_FAIL(w->env, STI_ERR_INPUT, -1, "interval: [%g, %g]: the first number must be below the second",
                        w->low.low, w->high.high);
    w->centre = 0.5 * w->low.high + 0.5 * w->high.low;
    w->a->low = w->low;
    w->a->high = w->high;
    return STI_OK;
}

static sti_status solve(sti_bound_work* w, sti_interval** rows) {
    sti_status status = find_interval(w);
    if (status == STI_OK) status = compile(w);
    if (status != STI_OK) return status;
    w->quadrature.most_panels = 20000;
    sti_gauss_make(&w->quadrature.gauss);
    switch (w->p->what) {
        case STI_BOUND_MODULUS:
            return sti_bound_modulus(w, rows);
        case STI_BOUND_GRUESS:
            return w->p->joint != NULL ? sti_bound_joint(w) : sti_bound_gruess(w);
        default:
            return sti_bound_hadamard(w);
    }
}

static sti_status check(sti_env* env, const sti_bound_problem* p) {
    if (!sti_iv_arithmetic_is_sound())
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1,
                        "this thread does not round to nearest with gradual underflow: no enclosure could be proved");
    if (p->f == NULL) return STI_FAIL(env, STI_ERR_INPUT, -1, "f: missing: a formula of x is expected");
    if (p->what == STI_BOUND_GRUESS && p->g == NULL)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "g: missing: needed for \"gruess\"");
    if (p->what == STI_BOUND_MODULUS && p->t_count < 1)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "t: missing: at least one number is expected");
    return STI_OK;
}

sti_status sti_bound_solve(sti_env* env, const sti_bound_problem* problem, sti_bound_answer* out) {
    const double begin = sti_clock();
    sti_interval* rows = NULL;
    *out = (sti_bound_answer){.what = problem->what, .outcome = STI_SOLVED};
    sti_bound_work w = {.env = env, .p = problem, .a = out};
    sti_status status = check(env, problem);
    if (status == STI_OK) status = solve(&w, &rows);
    out->evaluations += w.quadrature.panels;
    sti_series_clear(&w.series);
    sti_formulas_close(&w.formulas);
    out->memory = rows;
    if (status != STI_OK) sti_bound_answer_clear(env, out);
    out->time_s = sti_clock() - begin;
    return status;
}

void sti_bound_answer_clear(sti_env* env, sti_bound_answer* answer) {
    sti_free(env, answer->memory);
    *answer = (sti_bound_answer){0};
}
