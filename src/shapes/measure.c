// measure.c: area or volume, centre and inertia of a shape filled with a uniform density.
//
// Everything is a sum of closed forms. A polytope is cut into simplices with a common corner o (its mean vertex):
//
//     integral of x_i x_j over the simplex with corners o, p_1, .., p_d, relative to o
//         = V / ((d+1)(d+2)) * ( s_i s_j + sum_k (p_k)_i (p_k)_j ),     s = sum_k p_k,    V its volume
//
// A capsule is a cylinder and two half balls; a cone is cut into discs. The inertia follows from the second moments S
// about the centre: I = trace(S) 1 - S; in the plane only the moment about z, S_xx + S_yy.
#include <math.h>

#include "shapes/shape.h"

typedef struct moments {
    double volume;
    double first[3];   // integral of x
    double second[9];  // integral of x x'
} moments;

// The simplex o, p_1 .. p_d, corners relative to o
static void add_simplex(moments* m, int d, const vec* p) {
    const double volume = d == 2 ? 0.5 * (p[0].x * p[1].y - p[0].y * p[1].x) : vec_dot(p[0], vec_cross(p[1], p[2])) / 6;
    double c[3][3], s[3] = {0, 0, 0};
    for (int k = 0; k < d; k++) {
        vec_store(p[k], c[k]);
        for (int i = 0; i < 3; i++) s[i] += c[k][i];
    }
    m->volume += volume;
    for (int i = 0; i < 3; i++) {
        m->first[i] += volume / (d + 1) * s[i];
        for (int j = 0; j < 3; j++) {
            double sum = s[i] * s[j];
            for (int k = 0; k < d; k++) sum += c[k][i] * c[k][j];
            m->second[3 * i + j] += volume / ((d + 1) * (d + 2)) * sum;
        }
    }
}

static moments polytope_moments(const core* c) {
    moments m = {0};
    const vec o = vec_of(c->centre);
    for (int f = 0; f < c->face_count; f++) {
        const int first = c->face_start[f], count = c->face_start[f + 1] - first;
        for (int i = 1; i + (c->dim == 3 ? 1 : 0) < count; i++) {
            vec p[3];
            p[0] = vec_sub(vec_of(c->vertex + 3 * (size_t)c->loop_vertex[first]), o);
            for (int k = 1; k < c->dim; k++)
                p[k] = vec_sub(vec_of(c->vertex + 3 * (size_t)c->loop_vertex[first + i + k - 1]), o);
            add_simplex(&m, c->dim, p);
        }
    }
    return m;
}

// Second moments about the centre; the axis of a capsule is x in the plane and z in space.
static void round_moments(const sti_shape* shape, double* volume, double S[9]) {
    const double r = shape->radius, l = shape->half[0];
    const int axis = shape->dim == 2 ? 0 : 2;
    double along, across;
    if (shape->dim == 2) {
        // rectangle 2l x 2r; two half discs whose centres of mass are 4r/(3 pi) beyond the ends
        const double rectangle = 4 * l * r, disc = M_PI * r * r;
        *volume = rectangle + disc;
        along = rectangle * l * l / 3 + disc * (r * r / 4 + l * l + 2 * l * 4 * r / (3 * M_PI));
        across = rectangle * r * r / 3 + disc * r * r / 4;
    } else {
        // cylinder; two half balls whose centres of mass are 3r/8 beyond the ends
        const double cylinder = M_PI * r * r * 2 * l, ball = 4 * M_PI / 3 * r * r * r;
        *volume = cylinder + ball;
        along = cylinder * l * l / 3 + ball * (r * r / 5 + l * l + 2 * l * 3 * r / 8);
        across = cylinder * r * r / 4 + ball * r * r / 5;
    }
    for (int k = 0; k < shape->dim; k++) S[4 * k] = k == axis ? along : across;
}

static void box_moments(const sti_shape* shape, double* volume, double S[9]) {
    *volume = 1;
    for (int k = 0; k < shape->dim; k++) *volume *= 2 * shape->half[k];
    for (int k = 0; k < shape->dim; k++) S[4 * k] = *volume * shape->half[k] * shape->half[k] / 3;
}

// Between z = 0 and L the radius is r + d z / L. Integrals over the height of pi R^2, of it times z and z^2, and of pi
// R^4 / 4.
static void cone_moments(const sti_shape* shape, double* volume, double centre[3], double S[9]) {
    const double r = shape->rim[0], d = shape->rim[1] - r, L = 2 * shape->half[0];
    const double first = M_PI * L * L * (r * r / 2 + 2 * r * d / 3 + d * d / 4);
    const double second = M_PI * L * L * L * (r * r / 3 + r * d / 2 + d * d / 5);
    const double r2 = r * r, d2 = d * d;
    *volume = M_PI * L * (r2 + r * d + d2 / 3);
    centre[2] = first / *volume - shape->half[0];
    S[0] = S[4] = M_PI * L / 4 * (r2 * r2 + 2 * r2 * r * d + 2 * r2 * d2 + r * d2 * d + d2 * d2 / 5);
    S[8] = second - first * first / *volume;
}

static void hull_moments(const sti_shape* shape, double* volume, double centre[3], double S[9]) {
    const moments m = polytope_moments(&shape->core);
    *volume = m.volume;
    for (int i = 0; i < 3; i++) {
        centre[i] = shape->core.centre[i] + m.first[i] / m.volume;
        for (int j = 0; j < 3; j++) S[3 * i + j] = m.second[3 * i + j] - m.first[i] * m.first[j] / m.volume;
    }
}

sti_status sti_shape_measure(sti_env* env, const sti_shape* shape, double density, sti_shape_mass* out) {
    *out = (sti_shape_mass){0};
    if (!(density > 0)) return STI_FAIL(env, STI_ERR_INPUT, -1, "density %g is not positive", density);
    if (!(density <= STI_DENSITY_LIMIT))
        return STI_FAIL(env, STI_ERR_INPUT, -1, "density %g is too large to compute with, at most %g", density,
                        STI_DENSITY_LIMIT);
    double S[9] = {0};
    switch (shape->kind) {
        case STI_SHAPE_SPHERE:
        case STI_SHAPE_CAPSULE:
            round_moments(shape, &out->size, S);
            break;
        case STI_SHAPE_BOX:
            box_moments(shape, &out->size, S);
            break;
        case STI_SHAPE_CYLINDER:
        case STI_SHAPE_CONE:
            cone_moments(shape, &out->size, out->centre, S);
            break;
        case STI_SHAPE_CONVEX:
            hull_moments(shape, &out->size, out->centre, S);
            break;
        default:
            return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a %s has no mass", sti_shape_kind_text(shape->kind));
    }
    out->mass = density * out->size;
    const double trace = S[0] + S[4] + S[8];
    if (shape->dim == 2) {
        out->inertia[8] = density * trace;
        return STI_OK;
    }
    for (int i = 0; i < 9; i++) out->inertia[i] = density * ((i % 4 == 0 ? trace : 0) - S[i]);
    return STI_OK;
}
