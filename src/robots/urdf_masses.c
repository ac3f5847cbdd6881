// urdf_masses.c: URDF: masses of bodies.
//
// A body is all links that fixed joints connect, in the frame of the one nearest to the root. With masses m_i, centres
// c_i and inertias I_i of its links in that frame
//     m = sum m_i,   c = sum m_i c_i / m,   I = sum I_i + m_i (d_i'd_i E - d_i d_i'),   d_i = c_i - c.
//
// What moves has a mass and positive moments. Where the file gives none, and is not read strictly,
//     no mass             1000 kg / m3 times the volume of its shapes; without volume a thousandth of the heaviest
//                         neighbour
//     moments not > 0     those below that of a ball are raised to it: 2/5 m r^2, with r half the least extent of the
//                         shapes,
//                         or the distance from the joint to the centre, within 2 cm and 10 cm
// Negative ones of a part stay as they are where the body as a whole has positive ones.
#include <math.h>
#include <string.h>

#include "linalg/lapack.h"
#include "robots/urdf.h"

#define DENSITY 1000.0  // water
#define NEIGHBOUR 1e-3

// ---- sums

// Into the frame of the body: R I R' + m (d'd E - d d').
static void add_inertia(const sti_pose* place, const double inertia[9], double mass, const double d[3], double I[9]) {
    double R[9], T[9];
    sti_pose_rotation(place, R);
    const double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    for (int i = 0; i < 9; i++) {
        const int r = i / 3, c = i % 3;
        T[i] = R[3 * r] * inertia[c] + R[3 * r + 1] * inertia[3 + c] + R[3 * r + 2] * inertia[6 + c];
    }
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c <= r; c++) {
            const double turned = T[3 * r] * R[3 * c] + T[3 * r + 1] * R[3 * c + 1] + T[3 * r + 2] * R[3 * c + 2];
            I[3 * r + c] += turned + mass * ((r == c ? d2 : 0) - d[r] * d[c]);
        }
    }
    I[1] = I[3], I[2] = I[6], I[5] = I[7];
}

static void add_up(const sti_urdf_model* m, sti_urdf_sum* sums) {
    for (int k = 0; k < m->link_count; k++) {
        const sti_urdf_link* link = &m->link[k];
        sti_urdf_sum* s = &sums[link->body_link];
        double c[3];
        sti_pose_apply(&link->in_body, link->centre, c);
        s->mass += link->mass;
        for (int i = 0; i < 3; i++) s->centre[i] += link->mass * c[i];
        s->touchable = s->touchable || link->touchable;
    }
    for (int k = 0; k < m->link_count; k++) {
        for (int i = 0; i < 3 && sums[k].mass > 0; i++) sums[k].centre[i] /= sums[k].mass;
    }
    for (int k = 0; k < m->link_count; k++) {
        const sti_urdf_link* link = &m->link[k];
        sti_urdf_sum* s = &sums[link->body_link];
        double c[3];
        sti_pose_apply(&link->in_body, link->centre, c);
        const double d[3] = {c[0] - s->centre[0], c[1] - s->centre[1], c[2] - s->centre[2]};
        if (link->mass > 0) add_inertia(&link->in_body, link->inertia, link->mass, d, s->inertia);
    }
    for (int k = 0; k < m->joint_count; k++) {
        if (m->joint[k].type != STI_URDF_FIXED) sums[m->link[m->joint[k].parent].body_link].hangs++;
    }
}

// Moments that rounding cannot tell from 0 are none.
static bool is_definite(const double I[9]) {
    const double trace = I[0] + I[4] + I[8];
    const double d2 = I[0] * I[4] - I[1] * I[1], d0 = I[4] * I[8] - I[5] * I[5];
    const double d3 = I[0] * d0 - I[1] * (I[1] * I[8] - I[5] * I[2]) + I[2] * (I[1] * I[5] - I[4] * I[2]);
    return isfinite(trace) && I[0] > 1e-12 * trace && d2 > 1e-13 * trace * trace && d3 > 1e-14 * trace * trace * trace;
}

// ---- what is assumed

// Half the least extent of the shapes of a body; 0: it has none.
static double half_extent(const sti_urdf_model* m, int body) {
    sti_aabb all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < m->piece_count; k++) {
        const sti_pose place = sti_urdf_piece_place(m, k);
        sti_aabb box;
        if (m->link[m->geometry[m->piece[k].geometry].link].body_link != body ||
            sti_shape_bounds(m->piece[k].shape, &place, 0, &box) != STI_OK)
            continue;
        for (int i = 0; i < 3; i++) {
            all.lower[i] = fmin(all.lower[i], box.lower[i]);
            all.upper[i] = fmax(all.upper[i], box.upper[i]);
        }
    }
    double least = INFINITY;
    for (int i = 0; i < 3; i++) least = fmin(least, (all.upper[i] - all.lower[i]) / 2);
    return isfinite(least) && least > 0 ? least : 0;
}

// Of the ball that stands for what the file does not say.
static double ball_radius(const sti_urdf_model* m, int body, const sti_urdf_sum* s) {
    const double extent = half_extent(m, body);
    const double arm = sqrt(s->centre[0] * s->centre[0] + s->centre[1] * s->centre[1] + s->centre[2] * s->centre[2]);
    return fmin(fmax(extent > 0 ? extent : arm, 0.02), 0.1);
}

// Mass, centre and inertia of the shapes at the density of water; 0: they have no volume to speak of.
static sti_status measure_shapes(const sti_urdf_model* m, int body, sti_urdf_sum* s) {
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < m->piece_count; k++) {
            const sti_urdf_link* link = &m->link[m->geometry[m->piece[k].geometry].link];
            if (link->body_link != body || sti_shape_kind_of(m->piece[k].shape) == STI_SHAPE_MESH) continue;
            const sti_pose place = sti_urdf_piece_place(m, k);
            sti_shape_mass part;
            const sti_status status = sti_shape_measure(m->env, m->piece[k].shape, DENSITY, &part);
            if (status != STI_OK) return status;
            double c[3];
            sti_pose_apply(&place, part.centre, c);
            const double d[3] = {c[0] - s->centre[0], c[1] - s->centre[1], c[2] - s->centre[2]};
            if (pass == 1) add_inertia(&place, part.inertia, part.mass, d, s->inertia);
            if (pass == 1) continue;
            s->mass += part.mass;
            for (int i = 0; i < 3; i++) s->centre[i] += part.mass * c[i];
        }
        for (int i = 0; i < 3 && pass == 0 && s->mass > 0; i++) s->centre[i] /= s->mass;
    }
    return STI_OK;
}

// Next to links without a mass: of all links.
static double heaviest_neighbour(const sti_urdf_model* m, const sti_urdf_sum* sums, int body) {
    double most = 0, far = 0;
    for (int k = 0; k < m->joint_count; k++) {
        const int a = m->link[m->joint[k].parent].body_link, b = m->link[m->joint[k].child].body_link;
        if (a == body) most = fmax(most, sums[b].mass);
        if (b == body) most = fmax(most, sums[a].mass);
    }
    for (int k = 0; k < m->link_count && !(most > 0); k++) far = fmax(far, sums[k].mass);
    return most > 0 ? most : far;
}

static sti_status assume_mass(sti_urdf_model* m, sti_urdf_sum* sums, int body) {
    enum { GRAMS_OF_WATER = 1 };  // less volume than this is none
    sti_urdf_sum* s = &sums[body];
    const sti_xml_node* node = m->link[body].node;
    const int hangs = s->hangs;
    sti_status status = measure_shapes(m, body, s);
    if (status != STI_OK) return status;
    if (s->mass >= 1e-3 * GRAMS_OF_WATER)
        return sti_urdf_remark_add(m, STI_URDF_ASSUMED, node, NULL,
                                   "moves and has no mass: %.3g kg, its shapes at the density of water", s->mass);
    const double heaviest = heaviest_neighbour(m, sums, body);
    if (!(heaviest > 0) && !s->touchable)
        return sti_urdf_fail(m, node, NULL, "moves and has no mass: <inertial> with a mass is expected");
    *s = (sti_urdf_sum){.touchable = s->touchable, .hangs = hangs};
    s->mass = heaviest > 0 ? NEIGHBOUR * heaviest : 1e-3;
    return sti_urdf_remark_add(m, STI_URDF_ASSUMED, node, NULL,
                               "moves and has no mass: %.3g kg, a thousandth of its heaviest neighbour", s->mass);
}

// Moments below that of the ball are raised to it.
static sti_status raise_moments(sti_urdf_model* m, int body, sti_urdf_sum* s) {
    double V[9], w[3], work[64];
    memcpy(V, s->inertia, sizeof V);
    const sti_xml_node* node = m->link[body].node;
    const double trace = fabs(V[0]) + fabs(V[4]) + fabs(V[8]);
    if (!isfinite(trace) || sti_lapack_symmetric_eigen(true, 3, V, w, work, 64) != 0)
        return sti_urdf_fail(m, node, NULL,
                             "moves, and its moments of inertia are too large to compute with: %g, %g, %g",
                             s->inertia[0], s->inertia[4], s->inertia[8]);
    const double r = ball_radius(m, body, s), ball = 0.4 * s->mass * r * r;
    const double least = w[2] > 0 ? fmin(ball, 0.01 * w[2] + 1e-30) : ball;
    double I[9] = {0};
    for (int i = 0; i < 3; i++) {
        const double moment = fmax(w[i], w[2] > 1e-9 * ball ? least : ball);
        for (int k = 0; k < 9; k++) I[k] += moment * V[3 * i + k / 3] * V[3 * i + k % 3];
    }
    memcpy(s->inertia, I, sizeof I);
    return sti_urdf_remark_add(m, STI_URDF_ASSUMED, node, NULL,
                               "moves, and its moments of inertia are not positive: raised to %.3g at least",
                               w[2] > 1e-9 * ball ? least : ball);
}

// ---- checks

// A part with a negative moment, in a body that has none.
static sti_status remark_odd_parts(sti_urdf_model* m, int body) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < m->link_count; k++) {
        if (m->link[k].body_link == body && m->link[k].odd)
            status = sti_urdf_remark_add(m, STI_URDF_ASSUMED, m->link[k].node, NULL,
                                         "has a negative moment of inertia; as part of \"%.60s\" it is taken as given",
                                         m->link[body].name);
    }
    return status;
}

// A body whose mass lies within a hundredth of a millimetre of its centre has moments that are rounding.
static bool is_rounding(const sti_urdf_sum* s) {
    return s->inertia[0] + s->inertia[4] + s->inertia[8] < 1e-10 * s->mass;
}

static sti_status check_moments(sti_urdf_model* m, int body, sti_urdf_sum* s) {
    const bool vanish = !m->options->strict && is_rounding(s);
    if (is_definite(s->inertia) && !vanish) return remark_odd_parts(m, body);
    if (vanish) memset(s->inertia, 0, sizeof s->inertia);
    if (!m->options->strict) return raise_moments(m, body, s);
    return sti_urdf_fail(m, m->link[body].node, NULL,
                         "moves, and its inertia is not positive: moments %g, %g, %g about the centre", s->inertia[0],
                         s->inertia[4], s->inertia[8]);
}

static sti_status leave_out(sti_urdf_model* m, int body, sti_urdf_sum* sums) {
    const sti_urdf_joint* joint = &m->joint[m->link[body].joint];
    m->link[body].left_out = true;
    sums[m->link[joint->parent].body_link].hangs--;
    return sti_urdf_remark_add(m, STI_URDF_IGNORED, joint->node, NULL,
                               "link \"%.60s\" on it has no mass and touches nothing: both are left out",
                               m->link[body].name);
}

// Does another joint follow the one that holds the body?
static bool is_followed(const sti_urdf_model* m, int body) {
    for (int k = 0; k < m->joint_count; k++) {
        if (m->joint[k].mimic == m->link[body].joint) return true;
    }
    return false;
}

// One that has no mass, touches nothing and carries nothing can be left out, unless its joint leads others.
sti_status sti_urdf_masses(sti_urdf_model* m, sti_urdf_sum* sums) {
    sti_status status = STI_OK;
    add_up(m, sums);
    for (int at = m->link_count; status == STI_OK && at-- > 0;) {  // what hangs on a link comes after it
        const int body = m->order[at];
        sti_urdf_sum* s = &sums[body];
        const bool root = body == m->root;
        if (m->link[body].body_link != body || (root && m->fixed)) continue;
        if (!(s->mass > 0)) {
            if (!root && !s->touchable && s->hangs <= 0 && !is_followed(m, body)) {
                status = leave_out(m, body, sums);
                continue;
            }
            if (m->options->strict)
                return sti_urdf_fail(m, m->link[body].node, NULL,
                                     "moves and has no mass: <inertial> with a mass is expected");
            status = assume_mass(m, sums, body);
        }
        if (status == STI_OK) status = check_moments(m, body, s);
    }
    return status;
}
