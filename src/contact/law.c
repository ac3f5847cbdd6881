// law.c: the distance of one contact from Signorini's condition and Coulomb's law, whatever its friction.
//
//     separate   r = 0,                       u_n >= 0
//     stick      |r_t| <= mu r_n,             u = 0
//     slide      r_t = -mu r_n s,  r_n >= 0,  u_n = 0,  u_t = alpha s,  alpha >= 0,  |s| = 1
//
//     share = min over the three of max(|r - r'| / R, |u_n - u'_n| / U, |u_t - u'_t| / T),
//         (r', u') nearest of the mode
//
// with the direction s of slip along u_t / T - r_t / R: that of u_t where the contact slides fast, against r_t where it
// hardly moves. In the plane there are only two directions, and it is the right one where sliding is nearest at all.
//
// Why not the natural map e = r - P_K(r - rho (u + mu |u_t| n))? With T = U and R = rho U it is the same up to
// friction:
//
//     share <= sqrt(2 + mu^2) |e| / R,          |e| / R <= (3 + mu) share
//
// The first, because r - e and the velocity with tangent u_t - e_t / rho obey the law, at most that far away, and its
// mode above has none farther; the second, because a projection does not move farther than its argument. But for large
// mu the map multiplies a slip of one rounding by mu, and calls a contact that sticks as well as doubles can say not
// solved; and it sees penetration through 1 / mu. The distance depends on mu only through the cone itself.
#include "contact/law.h"

#include <math.h>
#include <stiction/contact.h>

// |x|. The square root of squares serves nearly always and is several times faster than hypot.
static inline double length(int d, const double* x) {
    const double s = d == 2 ? x[0] * x[0] + x[1] * x[1] : x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    if (s > 1e-280 && s < 1e280) return sqrt(s);
    if (s == 0 && x[0] == 0 && x[1] == 0 && (d == 2 || x[2] == 0)) return 0;
    return d == 2 ? hypot(x[0], x[1]) : hypot(hypot(x[0], x[1]), x[2]);
}

// a / b, where a is more than noise
static inline double over(double a, double noise, double b) {
    return a > noise ? (a - noise) / b : 0;
}

// a NaN in a stays; fmax would be a call
static inline double larger(double a, double b) {
    return a <= b ? b : a;
}

static inline sti_contact_miss miss_of(int d, const double* dr, const double* du, sti_contact_units k) {
    const double slip = d == 2 ? fabs(du[1]) : length(2, du + 1);
    const double force = length(d, dr);
    const double velocity =
        larger(over(fabs(du[0]), k.velocity_noise, k.normal), over(slip, k.velocity_noise, k.tangent));
    const double share = larger(over(force, k.force_noise, k.force), velocity);
    return (sti_contact_miss){.share = share, .force = force, .velocity = length(d, du)};
}

static sti_contact_miss miss_separate(int d, const double* r, const double* u, sti_contact_units k) {
    const double du[3] = {u[0] >= 0 ? 0 : u[0]};
    return miss_of(d, r, du, k);
}

static sti_contact_miss miss_stick(int d, double mu, const double* r, const double* u, sti_contact_units k) {
    double p[3] = {0}, dr[3] = {0};
    const double slip = d == 2 ? fabs(r[1]) : length(2, r + 1);
    if (!(r[0] >= 0 && slip <= mu * r[0])) {  // else r is in the cone
        sti_coulomb_project(d, mu, r, p);
        for (int i = 0; i < d; i++) dr[i] = r[i] - p[i];
    }
    return miss_of(d, dr, u, k);
}

static sti_contact_miss miss_slide(int d, double mu, const double* r, const double* u, sti_contact_units k) {
    double s[3] = {0}, dr[3] = {0}, du[3] = {u[0]}, along = 0, against = 0;
    for (int i = 1; i < d; i++) s[i] = (k.tangent > 0 ? u[i] / k.tangent : 0) - (k.force > 0 ? r[i] / k.force : 0);
    const double size = length(d, s);
    if (!(size > 0)) return (sti_contact_miss){.share = INFINITY};
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
    return miss_of(d, dr, du, k);
}

sti_contact_miss sti_contact_law_miss(int d, double mu, const double* r, const double* u, sti_contact_units k) {
    double all = 0;  // finite, or NaN where something is not
    for (int i = 0; i < d; i++) all += 0 * r[i] + 0 * u[i];
    if (all != 0) return (sti_contact_miss){NAN, NAN, NAN};
    sti_contact_miss best = miss_separate(d, r, u, k);
    if (best.share == 0) return best;
    const sti_contact_miss stick = miss_stick(d, mu, r, u, k);
    if (stick.share < best.share) best = stick;
    if (best.share == 0) return best;
    const sti_contact_miss slide = miss_slide(d, mu, r, u, k);
    if (slide.share < best.share) best = slide;
    return best;
}

// Touching: r' = (max(r_n, 0), P), u' = (0, -(x - P) T / R), P the nearest point to x = r_t - R / T u_t of mu r_n S.
// The pair obeys the law whatever S is, and r_t - P and u_t - u'_t are the same in their units.
sti_contact_miss sti_contact_section_miss(const sti_section* section, double mu, const double* r, const double* u,
                                          sti_contact_units k) {
    double all = 0;
    for (int i = 0; i < 3; i++) all += 0 * r[i] + 0 * u[i];
    if (all != 0) return (sti_contact_miss){NAN, NAN, NAN};
    const sti_contact_miss open = miss_separate(3, r, u, k);
    if (open.share == 0) return open;
    const double pace = k.tangent > 0 ? k.force / k.tangent : 0, reach = mu * (r[0] > 0 ? r[0] : 0);
    double dr[3] = {r[0] < 0 ? r[0] : 0}, du[3] = {u[0]}, p[2] = {0};
    const double x[2] = {r[1] - pace * u[1], r[2] - pace * u[2]};
    if (reach > 0) {
        sti_section_project(section, (double[2]){x[0] / reach, x[1] / reach}, p, NULL);
        p[0] *= reach;
        p[1] *= reach;
    }
    for (int i = 0; i < 2; i++) {
        dr[1 + i] = r[1 + i] - p[i];
        // a radius of 0 allows every slip
        du[1 + i] = !(reach > 0) ? 0 : pace > 0 ? dr[1 + i] / pace : u[1 + i];
    }
    const sti_contact_miss touching = miss_of(3, dr, du, k);
    return touching.share < open.share ? touching : open;
}
