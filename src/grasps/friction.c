// friction.c: the least friction for force closure, by bisection between proofs.
//
// Is there closure with any friction? With mu without bound a contact gives every force with f_n > 0, or 0: the normals
// push and the tangents are as good as joints. So it is form closure of the instant whose contacts are the normals, and
// the tangents as bilateral ones. "No" there is a load y with n_i'y <= 0, t_i y = 0, which no friction changes. "Yes"
// means that forces with f_n > 0 everywhere balance and span, so some finite mu closes: from there down to the last
// "no".
#include <math.h>
#include <stdio.h>
#include <stiction/grasp.h>
#include <string.h>

#include "base/arena.h"
#include "exact/rationals.h"

enum { ROUNDS = 60 };
#define MOST_FRICTION 1e6
#define DISC_TOL 1e-8

typedef struct search {
    sti_env* env;
    sti_arena pool;
    const sti_instant* from;
    const sti_closure_options* options;
    sti_closure_options careful;  // the same; with discs a margin is told from 0 a little later
    sti_instant instant;
    sti_instant_contact* contacts;
    sti_instant_exact exact;      // the tables of `from`, with another mu
    sti_instant_exact unlimited;  // of the instant with unlimited friction
    sti_grasp_friction* out;
} search;

static sti_status open_search(search* s) {
    const sti_instant* from = s->from;
    s->contacts = sti_arena_take(&s->pool, (size_t)from->contact_count, sizeof *s->contacts);
    if (s->contacts == NULL) return s->pool.status;
    if (from->contact_count > 0) memcpy(s->contacts, from->contacts, (size_t)from->contact_count * sizeof *s->contacts);
    s->instant = *from;
    s->instant.contacts = s->contacts;
    if (from->exact == NULL) return STI_OK;
    s->exact = *from->exact;
    s->exact.mu = NULL;
    s->instant.exact = &s->exact;
    return sti_rationals_create(s->env, (size_t)from->contact_count, &s->exact.mu);
}

static sti_status set_friction(search* s, double x) {
    sti_status status = STI_OK;
    for (int i = 0; status == STI_OK && i < s->from->contact_count; i++) {
        sti_instant_contact* c = &s->contacts[i];
        if (c->tangent_count > 0) c->mu = s->out->kind == STI_GRASP_COMMON ? x : x * s->from->contacts[i].mu;
        if (s->exact.mu != NULL) status = sti_rationals_set_double(s->exact.mu, (size_t)i, c->mu);
    }
    return status;
}

static sti_status ask(search* s, double x, sti_closure* out) {
    const sti_status status = set_friction(s, x);
    return status == STI_OK ? sti_force_closure_analyze(s->env, &s->instant, &s->careful, out) : status;
}

// Takes part in closure: touches, and is no bounded force.
static bool takes_part(const search* s, const sti_instant_contact* c) {
    return !c->pressed && (c->bilateral || !(c->gap > s->options->gap_tol));
}

// Friction there can be: what of it counts depends on the kind.
static bool is_rough(const search* s, const sti_instant_contact* c) {
    return c->tangent_count > 0 && (s->out->kind == STI_GRASP_COMMON || c->mu > 0);
}

static sti_status copy_row(sti_rationals* to, int row, const sti_rationals* from, int line, int n) {
    sti_status status = STI_OK;
    for (int j = 0; status == STI_OK && j < n; j++)
        status =
            sti_rationals_copy(to, (size_t)row * (size_t)n + (size_t)j, from, (size_t)line * (size_t)n + (size_t)j);
    return status;
}

// Rows without rounding. source: contact i of `from`, or -1 - its tangent, behind each contact (count).
static sti_status open_unlimited_exact(search* s, const int* source, int count) {
    const int n = s->from->n;
    sti_instant_exact* e = &s->unlimited;
    const size_t width = (size_t)n, nc = (size_t)count;
    const struct {
        sti_rationals** table;
        size_t size;
    } tables[] = {{&e->M, width * width}, {&e->F, width},  {&e->v, width}, {&e->n, nc * width}, {&e->t, 0},
                  {&e->n_rate, nc},       {&e->t_rate, 0}, {&e->gap, nc},  {&e->mu, nc},        {&e->mu_kinetic, nc}};
    sti_status status = STI_OK;
    for (size_t k = 0; status == STI_OK && k < sizeof tables / sizeof tables[0]; k++)
        status = sti_rationals_create(s->env, tables[k].size, tables[k].table);
    for (int i = 0; status == STI_OK && i < count; i++)
        status = source[i] >= 0 ? copy_row(e->n, i, s->from->exact->n, source[i], n)
                                : copy_row(e->n, i, s->from->exact->t, -1 - source[i], n);
    return status;
}

// The instant with unlimited friction.
static sti_status open_unlimited(search* s, sti_instant* out) {
    const sti_instant* from = s->from;
    const size_t n = (size_t)from->n, most = (size_t)from->contact_count + (size_t)from->tangent_total;
    sti_instant_contact* list = sti_arena_take(&s->pool, most, sizeof *list);
    int* source = sti_arena_ints(&s->pool, most);
    double* zero = sti_arena_doubles(&s->pool, n);
    double* mass = sti_arena_doubles(&s->pool, n * n);
    if (s->pool.status != STI_OK) return s->pool.status;
    int count = 0;
    for (int i = 0, tangent = 0; i < from->contact_count; tangent += from->contacts[i++].tangent_count) {
        const sti_instant_contact* c = &from->contacts[i];
        if (!takes_part(s, c)) continue;
        source[count] = i;
        list[count++] = (sti_instant_contact){.name = c->name, .bilateral = c->bilateral, .n = c->n};
        for (int k = 0; is_rough(s, c) && k < c->tangent_count; k++) {
            const double* row = c->t + (size_t)k * n;
            bool any = false;
            for (size_t j = 0; j < n; j++) any = any || row[j] != 0;
            source[count] = -1 - (tangent + k);
            if (any) list[count++] = (sti_instant_contact){.name = c->name, .bilateral = true, .n = row};
        }
    }
    *out = (sti_instant){.n = from->n, .contact_count = count, .M = mass, .F = zero, .v = zero, .contacts = list};
    if (from->exact == NULL) return STI_OK;
    out->exact = &s->unlimited;
    return open_unlimited_exact(s, source, count);
}

static sti_status ask_unlimited(search* s, sti_verdict* closes) {
    sti_instant all;
    sti_closure c;
    sti_closure_options options = *s->options;
    int* object = NULL;
    sti_status status = open_unlimited(s, &all);
    if (status == STI_OK && options.object_count <= 0) {  // bounded forces have velocities of their own
        object = sti_arena_ints(&s->pool, (size_t)s->from->n);
        status = s->pool.status;
        for (int j = 0; status == STI_OK && j < s->from->n; j++) {
            bool own = false;
            for (int i = 0; i < s->from->contact_count; i++)
                own = own || (s->from->contacts[i].pressed && s->from->contacts[i].n[j] != 0);
            if (!own) object[options.object_count++] = j;
        }
        options.object = object;
    }
    if (status == STI_OK) status = sti_form_closure_analyze(s->env, &all, &options, &c);
    if (status != STI_OK) return status;
    *closes = c.closed;
    s->out->n = c.n;
    if (c.closed == STI_NO) {
        s->out->y = c.y;
        c.y = NULL;
    }
    sti_closure_clear(s->env, &c);
    return STI_OK;
}

static void keep(search* s, sti_closure* to, sti_closure* from) {
    sti_closure_clear(s->env, to);
    *to = *from;
    *from = (sti_closure){0};
}

// A friction that closes, doubled up from 1.
static sti_status climb(search* s, bool* found) {
    sti_status status = STI_OK;
    *found = false;
    for (double x = 1; status == STI_OK && !*found && x <= MOST_FRICTION; x *= 2) {
        sti_closure c;
        status = ask(s, x, &c);
        if (status != STI_OK) break;
        *found = c.closed == STI_YES;
        if (*found) {
            keep(s, &s->out->at_high, &c);
            s->out->high = x;
        } else if (c.closed == STI_NO) {
            keep(s, &s->out->at_low, &c);
            s->out->low = x;
        }
        sti_closure_clear(s->env, &c);
    }
    return status;
}

static sti_status bisect(search* s) {
    sti_grasp_friction* out = s->out;
    const double width = out->at_high.exact ? 1e-12 : 1e-8;
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < ROUNDS && out->high - out->low > width * out->high; k++) {
        const double middle = 0.5 * (out->low + out->high);
        sti_closure c;
        status = ask(s, middle, &c);
        if (status != STI_OK) break;
        const sti_verdict closed = c.closed;
        if (closed == STI_YES) {
            keep(s, &out->at_high, &c);
            out->high = middle;
        } else if (closed == STI_NO) {
            keep(s, &out->at_low, &c);
            out->low = middle;
        }
        sti_closure_clear(s->env, &c);
        if (closed == STI_UNDECIDED) break;  // the two ends that are proved stay
    }
    return status;
}

static sti_status find(search* s) {
    sti_grasp_friction* out = s->out;
    sti_verdict closes = STI_UNDECIDED;
    bool found = false;
    s->careful = *s->options;
    s->careful.tol = fmax(s->careful.tol, DISC_TOL);
    sti_status status = open_search(s);
    if (status == STI_OK) status = ask(s, 0, &out->at_low);
    if (status != STI_OK) return status;
    if (out->at_low.closed == STI_YES) {
        keep(s, &out->at_high, &out->at_low);
        out->closes = STI_YES;
        out->low = out->high = 0;
        return STI_OK;
    }
    if (out->at_low.closed == STI_NO) out->low = 0;
    status = ask_unlimited(s, &closes);
    if (status == STI_OK && closes == STI_NO) {
        out->closes = STI_NO;
        snprintf(out->why, sizeof out->why, "no friction closes: no contact can push or hold against y");
        return STI_OK;
    }
    if (status == STI_OK) status = climb(s, &found);
    if (status == STI_OK && found && !isnan(out->low)) {
        out->closes = STI_YES;
        return bisect(s);
    }
    if (status == STI_OK)
        snprintf(out->why, sizeof out->why, found ? "no friction below was proved too small" : "none up to %g closes",
                 MOST_FRICTION);
    return status;
}

static void close_exact(sti_instant_exact* e) {
    sti_rationals* const tables[] = {e->M, e->F, e->v, e->n, e->t, e->n_rate, e->t_rate, e->gap, e->mu, e->mu_kinetic};
    for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++) sti_rationals_destroy(tables[k]);
}

sti_status sti_grasp_friction_analyze(sti_env* env, const sti_instant* instant, const sti_closure_options* options,
                                      sti_grasp_friction_kind kind, sti_grasp_friction* out) {
    const sti_closure_options standard = sti_closure_options_default();
    *out = (sti_grasp_friction){.kind = kind, .closes = STI_UNDECIDED, .low = NAN, .high = NAN};
    sti_status status = sti_instant_check(env, instant);
    if (status == STI_OK) status = sti_instant_needs_discs(env, instant);
    if (status != STI_OK) return status;
    search s = {.env = env,
                .pool = sti_arena_make(env),
                .from = instant,
                .options = options != NULL ? options : &standard,
                .out = out};
    status = find(&s);
    sti_rationals_destroy(s.exact.mu);
    close_exact(&s.unlimited);
    sti_arena_clear(&s.pool);
    if (status != STI_OK) sti_grasp_friction_clear(env, out);
    return status;
}

void sti_grasp_friction_clear(sti_env* env, sti_grasp_friction* friction) {
    sti_closure_clear(env, &friction->at_low);
    sti_closure_clear(env, &friction->at_high);
    sti_free(env, friction->y);
    *friction = (sti_grasp_friction){0};
}
