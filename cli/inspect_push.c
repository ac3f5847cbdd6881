// inspect_push.c: stiction inspect with parts and probes, or with vehicles in cages: what there is at the start.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "documents.h"
#include "inspect_instant.h"

// ---- parts and probes

enum { MOST_CONTACTS = 60 };  // whose friction cone is measured

// Eigenvalues of a symmetric matrix, in ascending order: Jacobi's rotations.
static void eigenvalues(const double E[9], double out[3]) {
    double A[3][3];
    memcpy(A, E, sizeof A);
    for (int sweep = 0; sweep < 60; sweep++) {
        const int p = sweep % 3 == 2 ? 1 : 0, q = sweep % 3 == 0 ? 1 : 2;
        if (A[p][q] == 0) continue;
        const double ratio = (A[q][q] - A[p][p]) / (2 * A[p][q]);
        const double t = copysign(1, ratio) / (fabs(ratio) + hypot(ratio, 1)), c = 1 / hypot(t, 1), s = t * c;
        for (int k = 0; k < 3; k++) {
            const double x = A[k][p], y = A[k][q];
            A[k][p] = c * x - s * y;
            A[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 3; k++) {
            const double x = A[p][k], y = A[q][k];
            A[p][k] = c * x - s * y;
            A[q][k] = s * x + c * y;
        }
    }
    for (int k = 0; k < 3; k++) out[k] = A[k][k];
    for (int k = 0; k < 3; k++) {
        const int i = k == 1 ? 1 : 0;
        const double low = fmin(out[i], out[i + 1]), high = fmax(out[i], out[i + 1]);
        out[i] = low;
        out[i + 1] = high;
    }
}

// The point of the part that a force has to go through to move it without a turn, whatever its direction: the centre of
// friction. false: no single point does.
static bool centre_of(const double E[9], double out[2]) {
    const double size = fmax(fabs(E[0]), fabs(E[4]));
    if (fabs(E[1]) > 1e-12 * size || fabs(E[0] - E[4]) > 1e-12 * size) return false;
    out[0] = E[5] / E[4] + 0.0;  // no minus before a 0
    out[1] = -E[2] / E[0] + 0.0;
    return true;
}

static double area_of(const sti_outline* o) {
    double sum = 0;
    if (o->vertex_count == 0) return acos(-1) * o->radius * o->radius;
    for (int k = 0; k < o->vertex_count; k++) {
        const double *a = o->vertices + 2 * (size_t)k, *b = o->vertices + 2 * (size_t)((k + 1) % o->vertex_count);
        sum += a[0] * b[1] - a[1] * b[0];
    }
    return sum / 2;
}

typedef struct push_facts {
    const sti_manipulation* m;
    int n;      // 3 parts
    double* q;  // (n)
    sti_push_contact* contacts;
    int count;  // that touch
    bool cone;
    sti_friction_cone_margin margin;
    sti_friction_cone_verification check;
} push_facts;

static void put_row(const push_facts* f, const sti_push_contact* k, const double along[2], double* row) {
    memset(row, 0, (size_t)f->n * sizeof *row);
    for (int side = 0; side < (k->against == STI_PUSH_PART ? 2 : 1); side++) {
        const size_t at = 3 * (size_t)(side == 0 ? k->part : k->other);
        const double sign = side == 0 ? 1 : -1, r[2] = {k->point[0] - f->q[at], k->point[1] - f->q[at + 1]};
        row[at] = sign * along[0];
        row[at + 1] = sign * along[1];
        row[at + 2] = sign * (r[0] * along[1] - r[1] * along[0]);
    }
}

// Theorem 2.4.1: where the cone is pointed the first step has a solution.
static sti_status measure_cone(const cli* c, push_facts* f) {
    const size_t n = (size_t)f->n, nc = (size_t)f->count;
    double* room = calloc((3 * n + 1) * nc + 1, sizeof *room);
    int* direction = calloc(nc + 1, sizeof *direction);
    sti_status status = room != NULL && direction != NULL ? STI_OK : STI_ERR_MEMORY;
    if (status == STI_OK) {
        double *sides = room + nc * n, *mu = sides + 2 * nc * n;
        for (size_t i = 0; i < nc; i++) {
            const sti_push_contact* k = &f->contacts[i];
            const double t[2] = {-k->n[1], k->n[0]}, back[2] = {k->n[1], -k->n[0]};
            put_row(f, k, k->n, room + i * n);
            put_row(f, k, t, sides + 2 * i * n);
            put_row(f, k, back, sides + (2 * i + 1) * n);
            mu[i] = k->mu;
            direction[i + 1] = 2 * ((int)i + 1);
        }
        const sti_friction_cone cone = {.dimension = f->n,
                                        .contact_count = f->count,
                                        .normals = room,
                                        .mu = mu,
                                        .direction = direction,
                                        .directions = sides};
        status = sti_friction_cone_measure(c->env, &cone, &f->margin);
        f->cone = status == STI_OK;
        if (f->cone) status = sti_verify_friction_cone(c->env, &cone, &f->margin, 100000, &f->check);
    }
    free(room);
    free(direction);
    return status;
}

static int find_push(const cli* c, const char* path, push_facts* f) {
    double size = 0;
    f->n = 3 * sti_manipulation_part_count(f->m);
    f->q = calloc((size_t)f->n, sizeof *f->q);
    if (f->q == NULL) return cli_fail_memory(c);
    sti_manipulation_start(f->m, f->q);
    for (int i = 0; 3 * i < f->n; i++) {
        const sti_outline o = sti_manipulation_part_outline(f->m, i);
        size = fmax(size, sqrt(area_of(&o)));
    }
    if (sti_manipulation_contacts(f->m, 0, f->q, 1e-6 * size, &f->contacts, &f->count) != STI_OK)
        return cli_fail_about(c, path);
    if (f->count > 0 && f->count <= MOST_CONTACTS && measure_cone(c, f) != STI_OK) return cli_fail_about(c, path);
    return CLI_DONE;
}

static void put_part(cli_json* j, const push_facts* f, int i) {
    const sti_outline o = sti_manipulation_part_outline(f->m, i);
    double E[9], E0[9], eigen[3], centre[2];
    sti_manipulation_damping(f->m, i, f->q[3 * i + 2], E);
    sti_manipulation_damping(f->m, i, 0, E0);
    eigenvalues(E, eigen);
    cli_json_object(j, NULL);
    cli_json_text(j, "name", sti_manipulation_part(f->m, i));
    cli_json_count(j, "vertex_count", o.vertex_count > 0 ? o.vertex_count : -1);
    cli_json_number(j, "radius", o.vertex_count > 0 ? NAN : o.radius);
    cli_json_number(j, "area", area_of(&o));
    cli_json_numbers(j, "pose", f->q + 3 * (size_t)i, 3);
    cli_json_array(j, "damping");
    for (int k = 0; k < 3; k++) cli_json_numbers(j, NULL, E + 3 * (size_t)k, 3);
    cli_json_end(j);
    cli_json_numbers(j, "eigenvalues", eigen, 3);
    const bool turns = !sti_manipulation_support_fixed(f->m, i);
    cli_json_numbers(j, "centre_of_friction", turns && centre_of(E0, centre) ? centre : NULL, 2);
    cli_json_end(j);
}

static void put_probes(cli_json* j, const push_facts* f) {
    cli_json_array(j, "probes");
    for (int i = 0; i < sti_manipulation_probe_count(f->m); i++) {
        cli_json_object(j, NULL);
        cli_json_text(j, "name", sti_manipulation_probe(f->m, i));
        cli_json_array(j, "tips");
        double at[2], v[2] = {0, 0};
        for (int k = 0; k < sti_manipulation_tip_count(f->m); k++) {
            if (sti_manipulation_tip_probe(f->m, k) != i) continue;
            sti_manipulation_tip(f->m, k, 0, at, v);
            cli_json_numbers(j, NULL, at, 2);
        }
        cli_json_end(j);
        cli_json_numbers(j, "velocity", v, 2);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static int print_push(const cli* c, const push_facts* f) {
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "manipulation");
    cli_json_object(&j, "parameters");
    for (int k = 0; k < sti_manipulation_parameter_count(f->m); k++)
        cli_json_number(&j, sti_manipulation_parameter(f->m, k), sti_manipulation_parameter_value(f->m, k));
    cli_json_end(&j);
    cli_json_number(&j, "h", sti_manipulation_step(f->m));
    cli_json_integer(&j, "steps", sti_manipulation_steps(f->m));
    cli_json_array(&j, "parts");
    for (int i = 0; 3 * i < f->n; i++) put_part(&j, f, i);
    cli_json_end(&j);
    cli_json_array(&j, "fixtures");
    for (int i = 0; i < sti_manipulation_fixture_count(f->m); i++)
        cli_json_text(&j, NULL, sti_manipulation_fixture(f->m, i));
    cli_json_end(&j);
    put_probes(&j, f);
    cli_json_array(&j, "contacts");
    for (int i = 0; i < f->count; i++) {
        char name[100];
        sti_manipulation_contact_text(f->m, &f->contacts[i], name, sizeof name);
        cli_json_object(&j, NULL);
        cli_json_text(&j, "part", sti_manipulation_part(f->m, f->contacts[i].part));
        cli_json_text(&j, "with", name);
        cli_json_number(&j, "gap", f->contacts[i].gap);
        cli_json_number(&j, "mu", f->contacts[i].mu);
        cli_json_numbers(&j, "point", f->contacts[i].point, 2);
        cli_json_numbers(&j, "normal", f->contacts[i].n, 2);
        cli_json_end(&j);
    }
    cli_json_end(&j);
    if (f->cone)
        cli_friction_cone_json(&j, &f->margin, f->n, "euclidean", f->check.bound_checked);
    else
        cli_json_null(&j, "friction_cone");
    return cli_json_print(&j, c, CLI_DONE);
}

static void say_push(const cli* c, const char* path, const push_facts* f) {
    const int parts = f->n / 3, fixtures = sti_manipulation_fixture_count(f->m);
    const int probes = sti_manipulation_probe_count(f->m);
    cli_say(c, "%s: %d part%s, %d fixture%s, %d probe%s; %ld steps of %g\n", path, parts, parts == 1 ? "" : "s",
            fixtures, fixtures == 1 ? "" : "s", probes, probes == 1 ? "" : "s", sti_manipulation_steps(f->m),
            sti_manipulation_step(f->m));
    for (int i = 0; i < parts; i++) {
        double E[9], E0[9], eigen[3], centre[2];
        sti_manipulation_damping(f->m, i, f->q[3 * i + 2], E);
        sti_manipulation_damping(f->m, i, 0, E0);
        eigenvalues(E, eigen);
        cli_say(c, "  %s at (%.6g, %.6g), angle %.6g; damping\n", sti_manipulation_part(f->m, i), f->q[3 * i],
                f->q[3 * i + 1], f->q[3 * i + 2]);
        for (int k = 0; k < 3; k++) cli_say(c, "    %14.8g %14.8g %14.8g\n", E[3 * k], E[3 * k + 1], E[3 * k + 2]);
        cli_say(c, "    eigenvalues %.8g, %.8g, %.8g", eigen[0], eigen[1], eigen[2]);
        if (!sti_manipulation_support_fixed(f->m, i) && centre_of(E0, centre))
            cli_say(c, "; centre of friction (%.6g, %.6g) of the part", centre[0], centre[1]);
        cli_say(c, "\n");
    }
    for (int i = 0; i < f->count; i++) {
        char name[100];
        sti_manipulation_contact_text(f->m, &f->contacts[i], name, sizeof name);
        cli_say(c, "  %s touches %s: gap %.3g, mu %g\n", sti_manipulation_part(f->m, f->contacts[i].part), name,
                f->contacts[i].gap, f->contacts[i].mu);
    }
    if (f->count == 0) cli_say(c, "  nothing touches\n");
    if (f->cone && f->margin.pointed)
        cli_say(
            c, "  friction cone of what touches: %spointed%s, margin %.6g: with these contacts a step has a solution\n",
            cli_good(c), cli_plain(c), f->margin.margin);
    else if (f->cone)
        cli_say(c,
                "  friction cone of what touches: %snot pointed%s: forces in it add up to zero, a step may have no "
                "solution\n",
                cli_bad(c), cli_plain(c));
}

int cli_push_inspect(const cli* c, const cli_inspect_request* q, const sti_document* document) {
    push_facts f = {.m = sti_manipulation_of(document)};
    int code = find_push(c, q->path, &f);
    if (code == CLI_DONE && c->json)
        code = print_push(c, &f);
    else if (code == CLI_DONE)
        say_push(c, q->path, &f);
    if (f.cone) sti_friction_cone_margin_clear(c->env, &f.margin);
    sti_env_free(c->env, f.contacts);
    free(f.q);
    return code;
}

// ---- vehicles in cages

static int print_nav(const cli* c, const sti_navigation* nav) {
    const double *q = sti_navigation_q(nav), *v = sti_navigation_v(nav);
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "navigation");
    cli_json_number(&j, "h", sti_navigation_step_length(nav));
    cli_json_number(&j, "time", sti_navigation_end(nav));
    cli_json_array(&j, "vehicles");
    for (int i = 0; i < sti_navigation_count(nav); i++) {
        double goal[2], k[2], k_v[4], mass;
        if (sti_navigation_force(nav, i, 0, q + 2 * (size_t)i, v + 2 * (size_t)i, k, k_v, &mass) != STI_OK) {
            cli_json_drop(&j);
            return cli_fail_env(c);
        }
        cli_json_object(&j, NULL);
        cli_json_text(&j, "name", sti_navigation_vehicle(nav, i));
        cli_json_number(&j, "cage", sti_navigation_cage(nav, i));
        cli_json_number(&j, "mass", mass);
        cli_json_numbers(&j, "q", q + 2 * (size_t)i, 2);
        cli_json_numbers(&j, "v", v + 2 * (size_t)i, 2);
        cli_json_numbers(&j, "force", k, 2);
        cli_json_numbers(&j, "goal", sti_navigation_goal(nav, i, goal) ? goal : NULL, 2);
        cli_json_end(&j);
    }
    cli_json_end(&j);
    cli_json_integer(&j, "wall_count", sti_navigation_wall_count(nav));
    cli_json_integer(&j, "obstacle_count", sti_navigation_obstacle_count(nav));
    return cli_json_print(&j, c, CLI_DONE);
}

int cli_nav_inspect(const cli* c, const cli_inspect_request* request, const sti_document* document) {
    enum { SHOWN = 16 };
    const sti_navigation* nav = sti_navigation_of(document);
    const int count = sti_navigation_count(nav);
    const double *q = sti_navigation_q(nav), *v = sti_navigation_v(nav);
    if (c->json) return print_nav(c, nav);
    cli_say(c, "%s: %d vehicle%s, %d wall%s, %d obstacle%s; steps of %g to t = %g\n", request->path, count,
            count == 1 ? "" : "s", sti_navigation_wall_count(nav), sti_navigation_wall_count(nav) == 1 ? "" : "s",
            sti_navigation_obstacle_count(nav), sti_navigation_obstacle_count(nav) == 1 ? "" : "s",
            sti_navigation_step_length(nav), sti_navigation_end(nav));
    for (int i = 0; i < count && i < SHOWN; i++) {
        double goal[2];
        cli_say(c, "  %s: cage %.4g, at (%.6g, %.6g), velocity (%.4g, %.4g)", sti_navigation_vehicle(nav, i),
                sti_navigation_cage(nav, i), q[2 * i], q[2 * i + 1], v[2 * i], v[2 * i + 1]);
        if (sti_navigation_goal(nav, i, goal)) cli_say(c, ", goal (%.6g, %.6g)", goal[0], goal[1]);
        cli_say(c, "\n");
    }
    if (count > SHOWN) cli_say(c, "  .. and %d more\n", count - SHOWN);
    return CLI_DONE;
}
