// analyze_modes_actuators.c: --actuators: "x=-5:5,theta=-1/2:1/2,[0,1,0.3]=-2:2", bounds of forces along coordinates
// and directions.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze_modes.h"
#include "tables.h"

static int fail(const cli* c, const char* entry, const char* expected) {
    return cli_fail_usage(c, "--actuators: %.60s: %s", entry, expected);
}

// A velocity by its name, or by its number; -1: none.
static int find(const sti_instant* in, const char* name, size_t size) {
    for (int i = 0; i < in->n && in->names != NULL; i++) {
        if (strlen(in->names[i]) == size && strncmp(in->names[i], name, size) == 0) return i;
    }
    char* end;
    const long k = size > 0 ? strtol(name, &end, 10) : -1;
    return k >= 0 && k < in->n && end == name + size ? (int)k : -1;
}

static int read_direction(const cli* c, const sti_instant* in, const char* text, size_t size, sti_rationals* out,
                          int row) {
    char list[2000];
    const size_t first = (size_t)row * (size_t)in->n;
    if (text[0] != '[') {
        const int k = find(in, text, size);
        if (k < 0) return fail(c, text, "no velocity of that name or number");
        return sti_rationals_set_double(out, first + (size_t)k, 1) == STI_OK ? CLI_DONE : cli_fail_env(c);
    }
    if (size < 2 || text[size - 1] != ']' || size - 2 >= sizeof list)
        return fail(c, text, "a direction [a,b,..] expected");
    snprintf(list, sizeof list, "%.*s", (int)(size - 2), text + 1);
    sti_rationals* numbers;
    const int code = cli_modes_wrench(c, list, "--actuators", in->n, &numbers);
    if (code != CLI_DONE) return code;
    bool fine = true;
    for (int i = 0; i < in->n && fine; i++) {
        char* number = NULL;
        fine = sti_rationals_text(numbers, (size_t)i, &number) == STI_OK &&
               sti_rationals_set_text(out, first + (size_t)i, number) == STI_OK;
        sti_env_free(c->env, number);
    }
    sti_rationals_destroy(numbers);
    return fine ? CLI_DONE : cli_fail_env(c);
}

static int read_bounds(const cli* c, const char* text, size_t size, cli_modes_actuators* a, int row) {
    char low[80], high[80];
    const size_t colon = strcspn(text, ":");
    if (colon >= size || colon >= sizeof low || size - colon - 1 >= sizeof high)
        return fail(c, text, "bounds LOW:HIGH expected");
    snprintf(low, sizeof low, "%.*s", (int)colon, text);
    snprintf(high, sizeof high, "%.*s", (int)(size - colon - 1), text + colon + 1);
    if (sti_rationals_set_text(a->low, (size_t)row, low) != STI_OK ||
        sti_rationals_set_text(a->high, (size_t)row, high) != STI_OK)
        return fail(c, text, "bounds LOW:HIGH expected, numbers like 0.4 or -2/5");
    if (!(sti_rationals_double(a->low, (size_t)row) <= sti_rationals_double(a->high, (size_t)row)))
        return fail(c, text, "the lower bound is above the upper one");
    return CLI_DONE;
}

// Length of an entry: up to a comma outside of brackets.
static size_t entry_size(const char* text) {
    int depth = 0;
    size_t at = 0;
    for (; text[at] != '\0' && (depth > 0 || text[at] != ','); at++) depth += (text[at] == '[') - (text[at] == ']');
    return at;
}

int cli_modes_actuators_read(const cli* c, const char* text, const sti_instant* in, cli_modes_actuators* a) {
    int count = 1;
    for (const char* p = text; *p != '\0'; p += entry_size(p) + (p[entry_size(p)] == ',')) count++;
    const size_t all = (size_t)--count * (size_t)in->n;
    if (count == 0) return fail(c, text, "NAME=LOW:HIGH,.. expected");
    if (sti_rationals_create(c->env, all, &a->direction) != STI_OK ||
        sti_rationals_create(c->env, (size_t)count, &a->low) != STI_OK ||
        sti_rationals_create(c->env, (size_t)count, &a->high) != STI_OK)
        return cli_fail_env(c);
    a->by = (sti_actuators){.count = count, .direction = a->direction, .low = a->low, .high = a->high};
    a->text = text;
    int code = CLI_DONE;
    for (int k = 0; k < count && code == CLI_DONE; k++) {
        const size_t size = entry_size(text);
        const char* sign = memchr(text, '=', size);
        if (sign == NULL) return fail(c, text, "NAME=LOW:HIGH expected");
        code = read_direction(c, in, text, (size_t)(sign - text), a->direction, k);
        if (code == CLI_DONE) code = read_bounds(c, sign + 1, size - (size_t)(sign - text) - 1, a, k);
        text += size + (text[size] == ',');
    }
    return code;
}

void cli_modes_actuators_clear(cli_modes_actuators* a) {
    sti_rationals_destroy(a->direction);
    sti_rationals_destroy(a->low);
    sti_rationals_destroy(a->high);
    *a = (cli_modes_actuators){0};
}

void cli_modes_actuator_name(const cli_modes_actuators* a, int k, char* name, size_t size) {
    const char* text = a->text;
    for (int i = 0; i < k; i++) text += entry_size(text) + 1;
    snprintf(name, size, "%.*s", (int)strcspn(text, "="), text);
}

sti_actuation* cli_modes_actuation(const cli* c, const cli_modes_request* r, const sti_modes* m,
                                   const sti_mode_wrenches* wrenches) {
    sti_actuation* a;
    sti_actuation_verification check;
    if (r->actuators.by.count == 0 || wrenches == NULL) return NULL;
    if (sti_actuation_create(c->env, wrenches, m->n, m->wrench, &r->actuators.by, &a) != STI_OK) return NULL;
    const sti_status status =
        sti_verify_actuation(c->env, wrenches, m->n, m->wrench, &r->actuators.by, a, 1e-7, &check);
    if (status == STI_OK && (check.accepted || !a->reachable)) return a;
    sti_actuation_destroy(c->env, a);  // nothing is said that the independent checker does not accept
    return NULL;
}

static void say_controls(const cli* c, const cli_modes_request* r, const sti_actuation* a) {
    char name[80];
    for (int k = 0; k < a->count; k++) {
        cli_modes_actuator_name(&r->actuators, k, name, sizeof name);
        cli_say(c, "%s%s = %s", k == 0 ? " by " : ", ", name, cli_text_number(a->tau[k], 0));
    }
}

void cli_modes_say_actuation(const cli* c, const cli_modes_request* r, const sti_modes* m) {
    char name[80];
    if (r->actuators.by.count == 0) return;
    cli_say(c, "by the actuators\n");
    for (int i = 0; i < m->mode_count; i++) {
        const sti_mode* mode = &m->modes[i];
        sti_actuation* a = cli_modes_actuation(c, r, m, mode->wrenches);
        cli_say(c, "  %s ", mode->text);
        if (a == NULL)
            cli_say(c, "not known: %s\n", mode->wrenches == NULL ? "no set of wrenches; --cones all" : "not decided");
        else if (!a->reachable)
            cli_say(c, "cannot be: no control within the bounds meets the equations of its wrenches\n");
        else if (isinf(a->margin))
            cli_say(c, "whatever they do\n");
        else
            cli_say(c, "%s %s",
                    a->strict     ? "can be, margin"
                    : a->possible ? "as a limit, margin"
                                  : "cannot be, short of it by",
                    cli_text_number(fabs(a->margin), 0));
        if (a != NULL && a->reachable && !isinf(a->margin)) {
            say_controls(c, r, a);
            if (a->limit >= 0) cli_modes_actuator_name(&r->actuators, a->limit, name, sizeof name);
            if (a->limit >= 0)
                cli_say(c, "; limited by %s (%s for 1 more)", name, cli_text_number(a->rate[a->limit], 0));
            cli_say(c, "\n");
        }
        sti_actuation_destroy(c->env, a);
    }
}

void cli_modes_put_actuation(cli_json* j, const cli* c, const cli_modes_request* r, const sti_modes* m,
                             const sti_mode_wrenches* wrenches) {
    sti_actuation* a = cli_modes_actuation(c, r, m, wrenches);
    if (a == NULL) {
        cli_json_null(j, "actuation");
        return;
    }
    cli_json_object(j, "actuation");
    cli_json_bool(j, "reachable", a->reachable);
    cli_json_bool(j, "possible", a->possible);
    cli_json_bool(j, "strict", a->strict);
    cli_json_number(j, "margin", a->margin);
    cli_json_numbers(j, "controls", a->tau, (size_t)a->count);
    cli_json_numbers(j, "rates", a->rate, (size_t)a->count);
    cli_json_count(j, "limit", a->limit);
    cli_json_count(j, "limit_face", a->limit_face);
    cli_json_end(j);
    sti_actuation_destroy(c->env, a);
}
