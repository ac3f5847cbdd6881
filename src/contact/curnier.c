// curnier.c: the function of Alart and Curnier and its linear pieces, contact by contact.
#include "contact/curnier.h"

#include <math.h>
#include <string.h>

double sti_curnier(int d, double mu, double rho, const double* r, const double* v, sti_contact_piece* piece) {
    const double xn = r[0] - rho * v[0], x1 = r[1] - rho * v[1], x2 = d == 3 ? r[2] - rho * v[2] : 0;
    const double norm = d == 3 ? sqrt(x1 * x1 + x2 * x2) : fabs(x1), radius = xn > 0 ? mu * xn : 0;
    const bool inside = norm <= radius;
    const double f = inside ? 1 : radius / norm;  // inside also when both are zero
    if (piece != NULL) {
        *piece = (sti_contact_piece){.mu = mu};
        if (xn > 0 && inside && mu > 0) {
            piece->dim = d;
        } else if (xn > 0) {
            piece->slide = true;
            piece->dim = mu > 0 ? d - 1 : 1;
            piece->s[0] = norm > 0 ? x1 / norm : 1;
            piece->s[1] = norm > 0 ? x2 / norm : 0;
            piece->kappa = f < 1 ? f : 0;
            piece->stiff = (1 - piece->kappa) / rho;
        }
    }
    const double en = r[0] - (xn > 0 ? xn : 0), e1 = r[1] - f * x1, e2 = d == 3 ? r[2] - f * x2 : 0;
    return en * en + e1 * e1 + e2 * e2;
}

void sti_piece_columns(int d, const sti_contact_piece* piece, double* T) {
    if (!piece->slide) return;
    const double s0 = piece->s[0], s1 = piece->s[1], mu = piece->mu;
    for (int i = 0; i < d; i++, T += d) {
        if (d == 3) {
            const double across = s0 * T[2] - s1 * T[1];
            T[0] += mu * (s0 * T[1] + s1 * T[2]);
            T[1] = piece->dim == 2 ? across : 0;
            T[2] = 0;
        } else {
            T[0] += mu * (s0 * T[1]);
            T[1] = 0;
        }
    }
}

void sti_piece_rows(int d, const sti_contact_piece* piece, double* T) {
    if (!piece->slide) return;
    for (int j = 0; j < d; j++) {
        if (d == 3) {
            T[3 + j] = piece->dim == 2 ? piece->kappa * (piece->s[0] * T[6 + j] - piece->s[1] * T[3 + j]) : 0;
            T[6 + j] = 0;
        } else {
            T[2 + j] = 0;
        }
    }
}

void sti_piece_columns_of(int d, const sti_contact_piece* piece, int count, const double* S, int step, double* A,
                          int width) {
    const double s0 = piece->s[0], s1 = piece->s[1], mu = piece->mu;
    for (int i = 0; i < count; i++, S += step, A += width) {
        if (!piece->slide) {
            for (int j = 0; j < piece->dim; j++) A[j] = S[j];
            continue;
        }
        A[0] = S[0] + mu * (s0 * S[1] + (d == 3 ? s1 * S[2] : 0));
        if (piece->dim == 2) A[1] = s0 * S[2] - s1 * S[1];
    }
}

void sti_piece_rows_of(int d, const sti_contact_piece* piece, const double* A, int width, double* T) {
    const int kept = piece->slide ? 1 : piece->dim;
    memcpy(T, A, (size_t)(kept * width) * sizeof *T);
    if (!(piece->slide && piece->dim == 2 && d == 3)) return;
    const double k0 = piece->kappa * piece->s[0], k1 = piece->kappa * piece->s[1];
    const double *A1 = A + width, *A2 = A1 + width;
    T += width;
    for (int j = 0; j < width; j++) T[j] = k0 * A2[j] - k1 * A1[j];
}

void sti_piece_stiffness(int d, const sti_contact_piece* piece, double* T) {
    if (piece->slide && piece->dim == 2) T[d + 1] += piece->stiff;
}

void sti_piece_force(int d, const sti_contact_piece* piece, const double* y, double* r) {
    if (!piece->slide) {
        for (int i = 0; i < d; i++) r[i] = piece->dim > 0 ? y[i] : 0;
        return;
    }
    const double along = piece->mu * y[0], across = piece->dim == 2 ? y[1] : 0, s0 = piece->s[0], s1 = piece->s[1];
    r[0] = y[0];
    r[1] = along * s0 - across * s1;
    if (d == 3) r[2] = along * s1 + across * s0;
}

void sti_piece_coordinates(int d, const sti_contact_piece* piece, const double* r, double* y) {
    for (int i = 0; i < d; i++) y[i] = piece->dim == d ? r[i] : 0;
    if (piece->slide) y[0] = r[0];
    if (piece->slide && piece->dim == 2) y[1] = piece->s[0] * r[2] - piece->s[1] * r[1];
}

void sti_piece_equation(int d, const sti_contact_piece* piece, const double* v, double* y) {
    if (!piece->slide) {
        for (int i = 0; i < d; i++) y[i] = piece->dim > 0 ? v[i] : 0;
        return;
    }
    const double across = piece->dim == 2 ? piece->kappa * (piece->s[0] * v[2] - piece->s[1] * v[1]) : 0;
    y[0] = v[0];
    y[1] = across;
    if (d == 3) y[2] = 0;
}
