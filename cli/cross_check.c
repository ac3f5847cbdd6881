// cross_check.c: solve --cross-check: a second solver for the same problem.
#include "cross_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Points closer than this are called the same.
static const double near = 1e-6;

static double distance(const double* a, const double* b, int count, double* size) {
    double most = 0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        *size = fmax(*size, fmax(fabs(a[i]), fabs(b[i])));
    }
    return most;
}

static void judge(cli_cross* x, sti_outcome first, double apart, double size) {
    const bool one = first == STI_SOLVED, two = x->outcome == STI_SOLVED;
    if (one && two) {
        x->distance = size > 0 ? apart / size : 0;
        x->verdict = x->distance <= near ? "same" : "another solution";
    } else if (first == STI_NO_SOLUTION && x->outcome == STI_NO_SOLUTION) {
        x->verdict = "both none";
    } else if ((one || first == STI_NO_SOLUTION) && x->solver != NULL) {
        x->verdict = "contradiction";
    }
}

static bool decides(sti_outcome outcome) {
    return outcome == STI_SOLVED || outcome == STI_NO_SOLUTION;
}

sti_status cli_cross_lcp(const cli* c, const sti_lcp* lcp, const sti_mlcp* mlcp, const sti_avi* avi,
                         const sti_lcp_options* options, const sti_lcp_answer* first, cli_cross* out) {
    static const sti_lcp_solver order[] = {STI_LCP_LEMKE, STI_LCP_NEWTON, STI_LCP_IPM, STI_LCP_ENUM, STI_LCP_PGS};
    sti_status status = STI_OK;
    *out = (cli_cross){.outcome = STI_UNKNOWN, .residual = NAN, .distance = NAN, .verdict = "no second answer"};
    for (size_t k = 0; status == STI_OK && out->solver == NULL && k < sizeof order / sizeof order[0]; k++) {
        sti_lcp_answer a;
        sti_lcp_options o = *options;
        o.solver = order[k];
        if (order[k] == first->solver) continue;
        status = avi != NULL   ? sti_avi_solve(c->env, avi, &o, &a)
                 : lcp != NULL ? sti_lcp_solve(c->env, lcp, &o, &a)
                               : sti_mlcp_solve(c->env, mlcp, &o, &a);
        if (status != STI_OK) break;
        if (decides(a.outcome)) {
            double size = 0, apart = 0;
            out->solver = sti_lcp_solver_text(a.solver);
            out->outcome = a.outcome;
            out->residual = a.residual;
            if (a.outcome == STI_SOLVED && first->outcome == STI_SOLVED) {
                apart = distance(a.z, first->z, a.n, &size);
                if (a.free_count > 0) apart = fmax(apart, distance(a.u, first->u, a.free_count, &size));
            }
            judge(out, first->outcome, apart, size);
        }
        sti_lcp_answer_clear(c->env, &a);
    }
    return status;
}

// Speeds that matter, those without contact among them: at rest two answers differ by rounding alone.
static double speed_scale(const sti_contact_problem* p, const sti_contact_answer* a) {
    double size = 0;
    for (int i = 0; p->global && p->f != NULL && i < p->velocity_count; i++) {
        const double mass = sti_matrix_get(&p->M, i, i);
        if (mass > 0) size = fmax(size, fabs(p->f[i]) / mass);
    }
    for (int i = 0; p->q != NULL && i < p->dimension * p->contact_count; i++) size = fmax(size, fabs(p->q[i]));
    for (int i = 0; a->v != NULL && i < a->velocity_count; i++) size = fmax(size, fabs(a->v[i]));
    return size;
}

sti_status cli_cross_contact(const cli* c, const sti_contact_problem* problem, const sti_contact_options* options,
                             const sti_contact_answer* first, cli_cross* out) {
    static const sti_contact_solver order[] = {STI_CONTACT_NEWTON, STI_CONTACT_GS, STI_CONTACT_IPM, STI_CONTACT_ADMM};
    sti_status status = STI_OK;
    *out = (cli_cross){.outcome = STI_UNKNOWN, .residual = NAN, .distance = NAN, .verdict = "no second answer"};
    for (size_t k = 0; status == STI_OK && out->solver == NULL && k < sizeof order / sizeof order[0]; k++) {
        sti_contact_answer a;
        sti_contact_options o = *options;
        o.solver = order[k];
        if (order[k] == first->solver) continue;
        status = sti_contact_solve(c->env, problem, &o, &a);
        if (status != STI_OK) break;
        if (decides(a.outcome)) {
            double size = speed_scale(problem, first), apart = 0;
            out->solver = sti_contact_solver_text(a.solver);
            out->outcome = a.outcome;
            out->residual = a.residual;
            if (a.outcome == STI_SOLVED && first->outcome == STI_SOLVED)
                apart = distance(a.u, first->u, a.dimension * a.contact_count, &size);
            judge(out, first->outcome, apart, size);
        }
        sti_contact_answer_clear(c->env, &a);
    }
    return status;
}

void cli_cross_say(const cli* c, const cli_cross* x) {
    const bool bad = strcmp(x->verdict, "contradiction") == 0;
    cli_say(c, "  cross-check: %s%s%s", bad ? cli_bad(c) : "", x->verdict, bad ? cli_plain(c) : "");
    if (x->solver != NULL) cli_say(c, ", by %s: %s", x->solver, sti_outcome_text(x->outcome));
    if (!isnan(x->distance)) cli_say(c, ", residual %.2e, %.2e apart", x->residual, x->distance);
    cli_say(c, "\n");
}

char* cli_cross_join(const char* answer, const cli_cross* x) {
    cli_json j;
    size_t size = 0;
    cli_json_begin(&j);
    cli_json_object(&j, "cross_check");
    cli_json_text(&j, "verdict", x->verdict);
    cli_json_text(&j, "solver", x->solver);
    cli_json_text(&j, "outcome", sti_outcome_text(x->outcome));
    cli_json_number(&j, "residual", x->residual);
    cli_json_number(&j, "distance", x->distance);
    cli_json_end(&j);
    const char* text = cli_json_close(&j, &size);
    const size_t length = strlen(answer);
    while (text != NULL && size > 0 && text[size - 1] == '\n') size--;
    char* whole = text != NULL ? malloc(length + size + 4) : NULL;
    if (whole != NULL)
        snprintf(whole, length + size + 4, "%.*s, %.*s", (int)(length - 1), answer, (int)(size - 1), text + 1);
    cli_json_drop(&j);
    return whole;
}

int cli_cross_code(const cli_cross* x, int code) {
    return code == CLI_DONE && strcmp(x->verdict, "contradiction") == 0 ? CLI_NO : code;
}
