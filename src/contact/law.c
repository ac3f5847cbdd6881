// law.c: the distance of one contact from Signorini's condition and Coulomb's law, whatever its friction.
//
//     separate   r = 0,                       u_n >= 0
//     stick      |r_t| <= mu r_n,             u = 0
//     slide      r_t = -mu r_n s,  r_n >= 0,  u_n = 0,  u_t = alpha s,  alpha >= 0,  |s| = 1
//
//     distance = min over the three of max(|r - r'| / R, |u - u'| / U),     (r', u') the nearest pair of the mode
//
// with the direction s of slip along u_t / U - r_t / R: that of u_t where the contact slides fast, against r_t where it
// hardly moves. In the plane there are only two directions, and it is the right one where sliding is nearest at all.
//
// Why not the natural map e = r - P_K(r - rho (u + mu |u_t| n))? With R = rho U it is the same up to friction:
//
//     distance <= sqrt(2 + mu^2) |e| / R,          |e| / R <= (3 + mu) distance
//
// The first, because r - e and the velocity with tangent u_t - e_t / rho obey the law, at most that far away, and its mode
// above has none farther; the second, because a projection does not move farther than its argument. But for large mu the map multiplies
// a slip of one rounding by mu, and calls a contact that sticks as well as doubles can say not solved; and it sees
// penetration through 1 / mu. The distance depends on mu only through the cone itself.
#include "contact/law.h"

#include <math.h>
#include <stiction/contact.h>

// |x|. The square root of squares serves nearly always and is several times faster than hypot.
static inline double length(int d, const double* x) {
    double s = 0;
    for (int i = 0; i < d; i++) s += x[i] * x[i];
    if (s > 1e-280 && s < 1e280) return sqrt(s);
    return d == 2 ? hypot(x[0], x[1]) : hypot(hypot(x[0], x[1]), x[2]);
}

static inline double larger(double a, double b) {
    return a > b || a != a ? a : b;
}

// the larger of |dr| / R and |du| / U, 0 / 0 = 0
static inline double share(int d, const double* dr, const double* du, double R, double U) {
    const double x = length(d, dr), y = length(d, du);
    return larger(x == 0 ? 0 : x / R, y == 0 ? 0 : y / U);
}

static double distance_separate(int d, const double* r, const double* u, double R, double U) {
    const double gap[3] = {u[0] >= 0 ? 0 : u[0]};
    return share(d, r, gap, R, U);
}

static double distance_stick(int d, double mu, const double* r, const double* u, double R, double U) {
    double p[3] = {0}, dr[3] = {0};
    sti_coulomb_project(d, mu, r, p);
    for (int i = 0; i < d; i++) dr[i] = r[i] - p[i];
    return share(d, dr, u, R, U);
}

static double distance_slide(int d, double mu, const double* r, const double* u, double R, double U) {
    double s[3] = {0}, dr[3] = {0}, du[3] = {u[0]}, along = 0, against = 0;
    for (int i = 1; i < d; i++) s[i] = (U > 0 ? u[i] / U : 0) - (R > 0 ? r[i] / R : 0);
    const double size = length(d, s);
    if (!(size > 0)) return INFINITY;
    for (int i = 1; i < d; i++) {
        s[i] /= size;
        along += u[i] * s[i];
        against -= r[i] * s[i];
    }
    along = along > 0 ? along : 0;
    double c = (r[0] + mu * against) / (1 + mu * mu);  // r' = c (1, -mu s), the projection of r on that ray
    c = c > 0 ? c : 0;
    dr[0] = r[0] - c;
    for (int i = 1; i < d; i++) {
        du[i] = u[i] - along * s[i];
        dr[i] = r[i] + mu * c * s[i];
    }
    return share(d, dr, du, R, U);
}

double sti_contact_law_distance(int d, double mu, const double* r, const double* u, double R, double U) {
    for (int i = 0; i < d; i++) {
        if (!isfinite(r[i]) || !isfinite(u[i])) return NAN;
    }
    const double separate = distance_separate(d, r, u, R, U);
    if (separate == 0) return 0;
    return fmin(separate, fmin(distance_stick(d, mu, r, u, R, U), distance_slide(d, mu, r, u, R, U)));
}
