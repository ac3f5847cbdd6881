// page_places.c: where the contacts of an instant act, read from its rows.
//
// Over an orthonormal frame e_k in space the sum of e_k x (arm x e_k) is twice the arm; in the plane over two axes, or
// over one of them, it is the arm, or its part across that axis.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page_answers.h"

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

// Row k of a contact, over all velocities.
static const double* row_of(const sti_instant_contact* c, int n, int k) {
    return k == 0 ? c->n : c->t + (size_t)(k - 1) * (size_t)n;
}

// A row as a unit force and what it turns, in the axes of the world: R turns the body's axes into them.
static bool split_row(const double* row, int dim, const double* R, double e[3], double turn[3]) {
    for (int i = 0; i < 3; i++) e[i] = turn[i] = 0;
    for (int i = 0; i < dim; i++) e[i] = row[i];
    if (dim == 2) turn[2] = row[2];
    for (int i = 0; dim == 3 && i < 3; i++) {
        for (int l = 0; l < 3; l++) turn[i] += R[3 * i + l] * row[3 + l];
    }
    return fabs(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] - 1) < 1e-9;
}

// The arm of a contact on one body; false: its rows are not of a contact with that body.
static bool find_arm(const sti_instant* in, const sti_instant_contact* c, int dim, const int* index, int first,
                     const double* R, double arm[3], double e[3][3]) {
    const int size = dim == 2 ? 3 : 6;
    const double weight = dim == 3 && c->tangent_count == 2 ? 0.5 : 1;
    memset(arm, 0, 3 * sizeof *arm);
    for (int k = 0; k <= c->tangent_count; k++) {
        const double* row = row_of(c, in->n, k);
        double own[6], turn[3], part[3];
        for (int i = 0; i < size; i++) own[i] = row[index != NULL ? index[i] : first + i];
        if (!split_row(own, dim, R, e[k], turn)) return false;
        cross(e[k], turn, part);
        for (int l = 0; l < 3; l++) arm[l] += weight * part[l];
    }
    return true;
}

// A joint without friction is rows along axes of no surface, and a bounded force is none at all.
static bool has_place(const sti_instant_contact* c) {
    return !c->pressed && (!c->bilateral || c->tangent_count > 0);
}

static bool begin(cli_shown* s, const sti_instant* in, int movers) {
    *s = (cli_shown){.instant = in};
    s->places = calloc((size_t)in->contact_count + 1, sizeof *s->places);
    s->movers = calloc((size_t)movers + 1, sizeof *s->movers);
    if (s->places != NULL && s->movers != NULL) return true;
    cli_shown_clear(s);
    return false;
}

static void place_on(cli_shown* s, int i, const cli_mover* m, int first, const double centre[3]) {
    double arm[3], e[3][3] = {{0}};
    cli_place* out = &s->places[i];
    if (!find_arm(s->instant, &s->instant->contacts[i], s->dim, NULL, first, m->R, arm, e)) return;
    memcpy(out->e, e, sizeof e);
    for (int l = 0; l < 3; l++) out->x[l] = centre[l] + arm[l];
    out->known = true;
    out->body = m->body;
}

bool cli_shown_world(cli_shown* s, const sti_instant* in, const sti_bodies* bodies, const sti_world* world, int first) {
    if (!begin(s, in, sti_bodies_count(bodies))) return false;
    s->dim = sti_bodies_dim(bodies);
    const int size = s->dim == 2 ? 3 : 6;
    for (int body = 0, at = 0; body < sti_bodies_count(bodies) && at + size <= in->n; body++) {
        sti_pose pose;
        double centre[3];
        if (sti_bodies_body(bodies, body)->fixed) continue;
        cli_mover* m = &s->movers[s->mover_count++];
        m->body = body;
        sti_world_pose(world, body, &pose);
        sti_pose_rotation(&pose, m->R);
        sti_pose_apply(&pose, sti_bodies_body(bodies, body)->centre, centre);
        for (int l = 0; l < 3; l++) m->offset[l] = pose.x[l] - centre[l];
        for (int i = 0; i < in->contact_count; i++) {
            if (!has_place(&in->contacts[i])) continue;
            if (at == first || !s->places[i].known) place_on(s, i, m, at, centre);
        }
        at += size;
    }
    return true;
}

// Are the axes of a contact at right angles to each other? So they are where coordinates are those of a body.
static bool is_frame(const double e[3][3], int count) {
    for (int a = 0; a < count; a++) {
        for (int b = 0; b < a; b++) {
            if (fabs(e[a][0] * e[b][0] + e[a][1] * e[b][1] + e[a][2] * e[b][2]) > 1e-9) return false;
        }
    }
    return true;
}

bool cli_shown_object(cli_shown* s, const sti_instant* in, const int* object, int count) {
    static const cli_mover alone = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (!begin(s, in, 1)) return false;
    s->object = object;
    s->object_count = count > 0 ? count : in->n;
    s->dim = s->object_count == 3 ? 2 : s->object_count == 6 ? 3 : 0;
    int known = 0;
    for (int i = 0; i < in->contact_count && s->dim > 0; i++) {
        const sti_instant_contact* c = &in->contacts[i];
        cli_place* p = &s->places[i];
        double size = 0;
        for (int k = 0; k < s->object_count; k++) size = fmax(size, fabs(c->n[object != NULL ? object[k] : k]));
        if (!has_place(c) || size == 0) continue;
        p->known = c->tangent_count < s->dim && find_arm(in, c, s->dim, object, 0, alone.R, p->x, p->e) &&
                   is_frame(p->e, 1 + c->tangent_count);
        known += p->known;
        if (!p->known) s->dim = 0;
    }
    if (known == 0) s->dim = 0;
    for (int i = 0; s->dim == 0 && i < in->contact_count; i++) s->places[i].known = false;
    s->mover_count = s->dim > 0;
    s->movers[0] = alone;
    return true;
}

void cli_shown_clear(cli_shown* s) {
    free(s->places);
    free(s->movers);
    *s = (cli_shown){0};
}

void cli_shown_put_points(cli_json* j, const cli_shown* s) {
    cli_json_array(j, "points");
    for (int i = 0; i < s->instant->contact_count; i++) {
        if (s->places[i].known) cli_json_numbers(j, NULL, s->places[i].x, 3);
    }
    cli_json_end(j);
}
