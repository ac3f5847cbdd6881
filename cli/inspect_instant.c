// inspect_instant.c: stiction inspect with an instant: freedoms, ranks, contacts, redundancy, pointedness.
#include "inspect_instant.h"

#include <math.h>
#include <string.h>

#include "documents.h"

enum { MOST_CONTACTS = 60, SHOWN = 24, WORK_LIMIT = 200000 };

static int measure(const cli* c, const char* path, const sti_instant* in, cli_instant_facts* out) {
    sti_friction_cone* cone = NULL;
    sti_status status = sti_friction_cone_create_instant(c->env, in, CLI_INSTANT_TOUCH, &cone);
    if (status == STI_OK) status = sti_friction_cone_measure(c->env, cone, &out->margin);
    if (status == STI_OK) status = sti_verify_friction_cone(c->env, cone, &out->margin, WORK_LIMIT, &out->check);
    sti_friction_cone_destroy(c->env, cone);
    if (status == STI_ERR_TIME) return CLI_DONE;  // not told
    if (status != STI_OK) return cli_fail_about(c, path);
    out->cone =
        out->check.accepted;  // what does not pass its check, as with numbers of very different size, is not told
    return CLI_DONE;
}

int cli_instant_facts_find(const cli* c, const char* path, const sti_instant* in, cli_instant_facts* out) {
    *out = (cli_instant_facts){0};
    if (in->n > CLI_INSTANT_VELOCITIES) {
        snprintf(out->why, sizeof out->why, "%d velocities: ranks are told of up to %d", in->n, CLI_INSTANT_VELOCITIES);
        return CLI_DONE;
    }
    if (sti_instant_describe(c->env, in, CLI_INSTANT_TOUCH, &out->f) != STI_OK) return cli_fail_about(c, path);
    out->known = true;
    return out->f.touching > 0 && out->f.touching <= MOST_CONTACTS ? measure(c, path, in, out) : CLI_DONE;
}

void cli_instant_facts_clear(const cli* c, cli_instant_facts* facts) {
    sti_friction_cone_margin_clear(c->env, &facts->margin);
    *facts = (cli_instant_facts){0};
}

// ---- JSON

void cli_friction_cone_json(cli_json* j, const sti_friction_cone_margin* m, int dimension, const char* metric,
                            bool checked) {
    cli_json_object(j, "friction_cone");
    cli_json_text(j, "metric", metric);
    cli_json_bool(j, "pointed", m->pointed);
    cli_json_number(j, "margin", m->margin);
    cli_json_numbers(j, "u", m->u, (size_t)dimension);
    cli_json_number(j, "c_FC", m->c);
    cli_json_number(j, "c_FC_bound", m->bound);
    cli_json_bool(j, "c_FC_is_least", m->all_faces);
    cli_json_bool(j, "bound_checked", checked);
    cli_json_numbers(j, "multipliers", m->x, (size_t)m->count);
    cli_json_end(j);
}

void cli_instant_facts_json(cli_json* j, const cli_instant_facts* x) {
    const sti_instant_facts* f = &x->f;
    if (!x->known) {
        cli_json_null(j, "instant");
        return;
    }
    cli_json_object(j, "instant");
    cli_json_integer(j, "velocity_count", f->n);
    cli_json_integer(j, "mass_rank", f->mass_rank);
    cli_json_bool(j, "forces_determine_motion", f->motion_rank == f->n);
    cli_json_integer(j, "joint_count", f->joint_count);
    cli_json_integer(j, "joint_rank", f->joint_rank);
    cli_json_integer(j, "degrees_of_freedom", f->n - f->joint_rank);
    cli_json_integer(j, "touching_count", f->touching);
    cli_json_integer(j, "apart_count", f->apart);
    cli_json_integer(j, "bounded_force_count", f->bounded);
    cli_json_integer(j, "sliding_count", f->sliding);
    cli_json_integer(j, "approaching_count", f->approaching);
    cli_json_integer(j, "freedoms_in_contact", f->n - f->normal_rank);
    cli_json_integer(j, "freedoms_sticking", f->n - f->rank);
    cli_json_integer(j, "redundancy_normal", f->normal_redundancy);
    cli_json_integer(j, "redundancy", f->redundancy);
    cli_json_number(j, "kinetic", f->kinetic);
    if (x->cone)
        cli_friction_cone_json(j, &x->margin, f->n, "euclidean", x->check.bound_checked);
    else
        cli_json_null(j, "friction_cone");
    cli_json_end(j);
}

// ---- text

static const char* plural(int count) {
    return count == 1 ? "" : "s";
}

static void say_cone(const cli* c, const cli_instant_facts* x) {
    const sti_friction_cone_margin* m = &x->margin;
    if (!x->cone) return;
    if (!m->pointed) {
        cli_say(c, "  friction cone: %snot pointed%s, forces in it move nothing (multipliers with --json)\n",
                cli_bad(c), cli_plain(c));
        return;
    }
    cli_say(c, "  friction cone: %spointed%s, margin %.7g; ", cli_good(c), cli_plain(c), m->margin);
    if (m->all_faces)
        cli_say(c, "c_FC = %.9g\n", m->c);
    else
        cli_say(c, "c_FC between %.6g and %.6g\n", m->c, m->bound);
}

void cli_instant_facts_say(const cli* c, const cli_instant_facts* x) {
    const sti_instant_facts* f = &x->f;
    if (!x->known) {
        cli_say(c, "  %s\n", x->why);
        return;
    }
    cli_say(c, "  %d velocit%s, mass matrix of rank %d%s; %d joint%s of rank %d leave %d degree%s of freedom\n", f->n,
            f->n == 1 ? "y" : "ies", f->mass_rank, f->motion_rank < f->n ? ": forces do not determine the motion" : "",
            f->joint_count, plural(f->joint_count), f->joint_rank, f->n - f->joint_rank, plural(f->n - f->joint_rank));
    cli_say(c, "  %d contact%s touch%s, %d apart", f->touching, plural(f->touching), f->touching == 1 ? "es" : "",
            f->apart);
    if (f->bounded > 0) cli_say(c, ", %d bounded force%s", f->bounded, plural(f->bounded));
    if (f->touching > 0) cli_say(c, "; %d slide%s", f->sliding, f->sliding == 1 ? "s" : "");
    if (f->approaching > 0) cli_say(c, "; %s%d approach: an impact%s", cli_unsure(c), f->approaching, cli_plain(c));
    cli_say(c, "\n");
    if (f->touching + f->joint_count == 0) return;
    cli_say(c, "  in contact %d degree%s of freedom are left, sticking %d; ", f->n - f->normal_rank,
            plural(f->n - f->normal_rank), f->n - f->rank);
    if (f->redundancy == 0)
        cli_say(c, "no constraint is redundant\n");
    else
        cli_say(c, "%d constraint%s redundant (%d without friction): forces are not all determined\n", f->redundancy,
                f->redundancy == 1 ? " is" : "s are", f->normal_redundancy);
    say_cone(c, x);
}

// ---- the verb's part

static void say_contacts(const cli* c, const sti_instant* in) {
    for (int i = 0; i < in->contact_count && i < SHOWN; i++) {
        const sti_instant_contact* contact = &in->contacts[i];
        cli_say(c, "    %-16s %s, ", contact->name,
                contact->bilateral ? "joint"
                : contact->pressed ? "bounded force"
                                   : "contact");
        if (!contact->bilateral && !contact->pressed) cli_say(c, "gap %.3g, ", contact->gap);
        if (contact->tangent_count == 0)
            cli_say(c, "no tangent\n");
        else
            cli_say(c, "mu %.4g, %d tangent%s\n", contact->mu, contact->tangent_count, plural(contact->tangent_count));
    }
    if (in->contact_count > SHOWN) cli_say(c, "    .. and %d more\n", in->contact_count - SHOWN);
}

static int print_json(const cli* c, const sti_document* document, const sti_instant* in, const cli_instant_facts* x) {
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", sti_kind_text(sti_document_kind(document)));
    cli_json_bool(&j, "exact", in->exact != NULL);
    if (in->names != NULL) {
        cli_json_array(&j, "velocities");
        for (int k = 0; k < in->n; k++) cli_json_text(&j, NULL, in->names[k]);
        cli_json_end(&j);
    } else {
        cli_json_null(&j, "velocities");
    }
    cli_json_array(&j, "contacts");
    for (int i = 0; i < in->contact_count; i++) {
        const sti_instant_contact* contact = &in->contacts[i];
        cli_json_object(&j, NULL);
        cli_json_text(&j, "name", contact->name);
        cli_json_text(&j, "type", contact->bilateral ? "bilateral" : contact->pressed ? "bounded" : "unilateral");
        cli_json_number(&j, "gap", contact->gap);
        cli_json_number(&j, "mu", contact->mu);
        cli_json_integer(&j, "tangents", contact->tangent_count);
        cli_json_end(&j);
    }
    cli_json_end(&j);
    cli_instant_facts_json(&j, x);
    return cli_json_print(&j, c, CLI_DONE);
}

int cli_instant_inspect(const cli* c, const cli_inspect_request* q, const sti_document* document) {
    const char* path = q->path;
    const sti_instant* in = sti_instant_of(document);
    cli_instant_facts x;
    int code = cli_instant_facts_find(c, path, in, &x);
    if (code == CLI_DONE && c->json) {
        code = print_json(c, document, in, &x);
    } else if (code == CLI_DONE) {
        cli_say(c, "%s: %s, %d velocit%s, %d contact%s%s\n", path,
                sti_document_kind(document) == STI_KIND_GRASP ? "a grasp" : "an instant by numbers", in->n,
                in->n == 1 ? "y" : "ies", in->contact_count, plural(in->contact_count),
                in->exact != NULL ? ", every number as written" : "");
        say_contacts(c, in);
        cli_instant_facts_say(c, &x);
        cli_say(c, "  stiction analyze says what can happen\n");
    }
    cli_instant_facts_clear(c, &x);
    return code;
}
