// support.c: the damping matrix of a part on its support.
//
//     points      E = sum_i c_i J_i'J_i,        J = [1 0 -y; 0 1 x]
//         S3's three-point support, any number of points
//     pressure    E = integral of c J'J dA,     c a polynomial of x and y
//
// The integral is exact up to rounding: a polygon is the signed sum of triangles from the origin to its edges, a disc
// is taken in polar coordinates, and both by rules of Gauss and of equal angles that are exact for the degree at hand.
#include <math.h>

#include "manipulation/manipulation.h"

enum { MOST_NODES = 64 };

static void add_point(double E[9], double x, double y, double c) {
    E[0] += c;
    E[4] += c;
    E[2] -= c * y;
    E[5] += c * x;
    E[8] += c * (x * x + y * y);
}

static void mirror(double E[9]) {
    E[1] = E[3] = 0;
    E[6] = E[2];
    E[7] = E[5];
}

// Nodes and weights on [0, 1], exact up to degree 2 count - 1, by Newton's method on Legendre polynomials.
static void gauss(int count, double* node, double* weight) {
    for (int i = 0; i < count; i++) {
        double x = cos(M_PI * (i + 0.75) / (count + 0.5)), slope = 1;
        for (int round = 0; round < 100; round++) {
            double p = 1, before = 0;
            for (int k = 0; k < count; k++) {
                const double next = ((2 * k + 1) * x * p - k * before) / (k + 1);
                before = p;
                p = next;
            }
            slope = count * (x * p - before) / (x * x - 1);
            const double change = p / slope;
            x -= change;
            if (fabs(change) < 1e-16) break;
        }
        node[i] = (1 + x) / 2;
        weight[i] = 1 / ((1 - x * x) * slope * slope);
    }
}

static double pressure_at(sti_support* s, const double* parameters, double x, double y) {
    sti_numbers_at(&s->pressure, parameters, (const double[]){x, y}, 0);
    return sti_numbers_value(&s->pressure, s->pressure_number);
}

static void add_triangles(sti_support* s, const double* parameters, const sti_shape_room* shape) {
    const int nodes = (s->degree + 5) / 2;
    double node[MOST_NODES], weight[MOST_NODES];
    gauss(nodes, node, weight);
    for (int k = 0; k < shape->vertex_count; k++) {
        const double *a = shape->v + 2 * (size_t)k, *b = shape->v + 2 * (size_t)((k + 1) % shape->vertex_count);
        const double twice = a[0] * b[1] - a[1] * b[0];
        for (int i = 0; i < nodes * nodes; i++) {
            const double r = node[i / nodes], f = node[i % nodes];
            const double x = r * (a[0] + f * (b[0] - a[0])), y = r * (a[1] + f * (b[1] - a[1]));
            add_point(s->E, x, y, pressure_at(s, parameters, x, y) * twice * r * weight[i / nodes] * weight[i % nodes]);
        }
    }
}

static void add_disc(sti_support* s, const double* parameters, double radius) {
    const int nodes = (s->degree + 5) / 2, angles = s->degree + 4;
    double node[MOST_NODES], weight[MOST_NODES];
    gauss(nodes, node, weight);
    for (int i = 0; i < nodes * angles; i++) {
        const double r = radius * node[i / angles], phi = 2 * M_PI * (i % angles) / angles;
        const double x = r * cos(phi), y = r * sin(phi);
        add_point(s->E, x, y, pressure_at(s, parameters, x, y) * r * radius * weight[i / angles] * 2 * M_PI / angles);
    }
}

void sti_support_measure(sti_support* s, const sti_numbers* k, const double* parameters, const sti_shape_room* shape) {
    for (int i = 0; i < 9; i++) s->E[i] = 0;
    if (s->pressure.env != NULL) {
        if (shape->vertex_count > 0)
            add_triangles(s, parameters, shape);
        else
            add_disc(s, parameters, shape->radius);
        mirror(s->E);
    } else if (s->point_count > 0) {
        for (int i = 0; i < 3 * s->point_count; i++) s->point[i] = sti_numbers_value(k, s->number[i]);
        for (int i = 0; i < s->point_count; i++)
            add_point(s->E, s->point[3 * i], s->point[3 * i + 1], s->point[3 * i + 2]);
        mirror(s->E);
    } else {
        for (int i = 0; i < 9; i++) s->E[i] = sti_numbers_value(k, s->number[i]);
    }
}

// Cholesky's factors of a 3 x 3 matrix exist, and no pivot is rounding.
static bool positive_definite(const double E[9]) {
    const double d1 = E[0];
    if (!(d1 > 0)) return false;
    const double l10 = E[3] / d1, l20 = E[6] / d1, d2 = E[4] - l10 * E[3];
    if (!(d2 > 1e-13 * fabs(E[4]))) return false;
    const double e21 = E[7] - l20 * E[3], l21 = e21 / d2, d3 = E[8] - l20 * E[6] - l21 * e21;
    return d3 > 1e-13 * fabs(E[8]);
}

const char* sti_support_wrong(const sti_support* s) {
    const double* E = s->E;
    double size = 0;
    for (int i = 0; i < 9; i++) {
        if (!isfinite(E[i])) return "the damping matrix is not finite";
        size = fmax(size, fabs(E[i]));
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < i; j++) {
            if (fabs(E[3 * i + j] - E[3 * j + i]) > 1e-12 * size) return "E is not symmetric";
        }
    }
    if (positive_definite(E)) return NULL;
    return s->point_count > 0 ? "the damping matrix is not positive definite: two points apart with coefficients above "
                                "0 are needed at least"
                              : "the damping matrix is not positive definite";
}

void sti_manipulation_damping(const sti_manipulation* m, int part, double theta, double E[9]) {
    const sti_support* s = &m->parts[part].support;
    const double c = cos(theta), d = sin(theta), *B = s->E;
    for (int i = 0; i < 9; i++) E[i] = B[i];
    if (s->fixed) return;
    // T E T' with T = diag(R(theta), 1)
    const double half = (B[0] - B[4]) / 2, mean = (B[0] + B[4]) / 2, c2 = c * c - d * d, s2 = 2 * c * d;
    E[0] = mean + half * c2 - B[1] * s2;
    E[4] = mean - half * c2 + B[1] * s2;
    E[1] = E[3] = half * s2 + B[1] * c2;
    E[2] = E[6] = c * B[2] - d * B[5];
    E[5] = E[7] = d * B[2] + c * B[5];
}

bool sti_manipulation_support_point(const sti_manipulation* m, int part, int k, double point[3]) {
    const sti_support* s = &m->parts[part].support;
    if (k < 0 || k >= s->point_count) return false;
    for (int i = 0; i < 3; i++) point[i] = s->point[3 * k + i];
    return true;
}

bool sti_manipulation_support_fixed(const sti_manipulation* m, int part) {
    return m->parts[part].support.fixed;
}
