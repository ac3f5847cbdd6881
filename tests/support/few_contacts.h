// few_contacts.h: instants with a handful of planar contacts, built by hand in the tests.
#ifndef TESTS_SUPPORT_FEW_CONTACTS_H
#define TESTS_SUPPORT_FEW_CONTACTS_H

#include <stiction/instant.h>
#include <string.h>

enum { FEW_N = 8, FEW_CONTACTS = 8 };

typedef struct few_contacts {
    sti_instant in;
    sti_instant_contact contact[FEW_CONTACTS];
    double M[FEW_N * FEW_N], F[FEW_N], v[FEW_N];
    double n[FEW_CONTACTS][FEW_N], t[FEW_CONTACTS][2 * FEW_N], t_rate[FEW_CONTACTS][2];
    double E[FEW_CONTACTS * FEW_CONTACTS];
} few_contacts;

static inline void few_begin(few_contacts* f, int n) {
    memset(f, 0, sizeof *f);
    f->in = (sti_instant){.n = n, .M = f->M, .F = f->F, .v = f->v, .contacts = f->contact};
}

static inline void few_mass(few_contacts* f, int i, double mass) {
    f->M[i * f->in.n + i] = mass;
}

// t NULL: no slip.
static inline sti_instant_contact* few_add(few_contacts* f, const double* n, const double* t, double mu, double e) {
    static const char* const names[] = {"c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"};
    const int i = f->in.contact_count++;
    sti_instant_contact* c = &f->contact[i];
    memcpy(f->n[i], n, (size_t)f->in.n * sizeof *n);
    if (t != NULL) memcpy(f->t[i], t, (size_t)f->in.n * sizeof *t);
    *c = (sti_instant_contact){.name = names[i],
                               .mu = mu,
                               .mu_kinetic = mu,
                               .restitution = e,
                               .tangent_count = t != NULL,
                               .n = f->n[i],
                               .t = f->t[i],
                               .t_rate = f->t_rate[i]};
    f->in.tangent_total += t != NULL;
    return c;
}

#endif
