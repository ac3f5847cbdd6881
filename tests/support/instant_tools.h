// instant_tools.h: instants built in tests: contacts with room for six velocities, plain numbers.
#ifndef TESTS_SUPPORT_INSTANT_TOOLS_H
#define TESTS_SUPPORT_INSTANT_TOOLS_H

#include <stdio.h>
#include <stdlib.h>
#include <stiction/sticking.h>
#include <string.h>

enum { TOOL_N = 12, TOOL_CONTACTS = 8 };

typedef struct tool_instant {
    sti_instant instant;
    sti_instant_contact contact[TOOL_CONTACTS];
    double M[TOOL_N * TOOL_N], F[TOOL_N], v[TOOL_N];
    double n[TOOL_CONTACTS][TOOL_N], t[TOOL_CONTACTS][2 * TOOL_N], t_rate[TOOL_CONTACTS][2];
    char name[TOOL_CONTACTS][16];
} tool_instant;

static inline void tool_open(tool_instant* t, int n) {
    memset(t, 0, sizeof *t);
    t->instant = (sti_instant){.n = n, .M = t->M, .F = t->F, .v = t->v, .contacts = t->contact};
}

static inline sti_instant_contact* tool_contact(tool_instant* t, bool bilateral, int tangents, double mu) {
    const int i = t->instant.contact_count++;
    if (i >= TOOL_CONTACTS) abort();
    snprintf(t->name[i], sizeof t->name[i], "c%d", i);
    t->contact[i] = (sti_instant_contact){.name = t->name[i],
                                          .bilateral = bilateral,
                                          .mu = mu,
                                          .mu_kinetic = mu,
                                          .tangent_count = tangents,
                                          .n = t->n[i],
                                          .t = t->t[i],
                                          .t_rate = t->t_rate[i]};
    t->instant.tangent_total += tangents;
    return &t->contact[i];
}

// A contact in space at p: the rows of axis are its normal and its tangents.
static inline void tool_spatial(tool_instant* t, const double* p, const double (*axis)[3], double mu) {
    tool_contact(t, false, 2, mu);
    const int i = t->instant.contact_count - 1;
    for (int k = 0; k < 3; k++) {
        double* row = k == 0 ? t->n[i] : t->t[i] + (k - 1) * 6;
        for (int j = 0; j < 3; j++) row[j] = axis[k][j];
        row[3] = p[1] * axis[k][2] - p[2] * axis[k][1];
        row[4] = p[2] * axis[k][0] - p[0] * axis[k][2];
        row[5] = p[0] * axis[k][1] - p[1] * axis[k][0];
    }
}

static inline void tool_mass(tool_instant* t, const double* diagonal) {
    for (int j = 0; j < t->instant.n; j++) t->M[j * t->instant.n + j] = diagonal[j];
}

#endif
