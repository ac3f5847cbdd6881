// scenes.cpp: the scenes of race.h.
#include "race.h"

namespace {

struct Random {
    uint64_t state;
    double operator()(double low, double high) {
        uint64_t z = (state += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return low + (high - low) * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }
};

const double pi = 3.14159265358979323846;

Body sphere(double r, double density) {
    Body b = {};
    b.shape = Shape::sphere;
    b.size = {r, r, r};
    b.mass = density * 4 / 3 * pi * r * r * r;
    b.inertia = 0.4 * b.mass * r * r * V3{1, 1, 1};
    return b;
}

Body box(V3 half, double density) {
    Body b = {};
    b.shape = Shape::box;
    b.size = half;
    b.mass = density * 8 * half.x * half.y * half.z;
    const double xx = half.x * half.x, yy = half.y * half.y, zz = half.z * half.z;
    b.inertia = b.mass / 3 * V3{yy + zz, xx + zz, xx + yy};
    return b;
}

Body capsule(double r, double half_length, double density) {
    Body b = {};
    b.shape = Shape::capsule;
    b.size = {r, half_length, 0};
    const double l = 2 * half_length, tube = density * pi * r * r * l, ends = density * 4 / 3 * pi * r * r * r;
    b.mass = tube + ends;
    const double across = tube * (l * l / 12 + r * r / 4) + ends * (0.4 * r * r + l * l / 4 + 3 * l * r / 8);
    b.inertia = {across, across, (tube / 2 + 0.4 * ends) * r * r};
    return b;
}

// Bricks of 1 x 0.5 x 0.5; every second row is one brick shorter and half a brick beside the one below. The settled
// wall is whole; in the dynamic phase the last body is a ball that flies against its upper half.
void wall(Scene& s, int n, bool settled) {
    const V3 half = {0.5, 0.25, 0.25};
    const int across = n < 50 ? 4 : n < 500 ? 11 : 41, bricks = settled ? n : n - 1;
    int row = 0, column = 0;
    for (int k = 0; k < bricks; k++) {
        Body b = box(half, 8);
        b.x = {2 * half.x * column + (row % 2) * half.x, 0, half.z + 2 * half.z * row};
        s.body.push_back(b);
        if (++column < across - row % 2) continue;
        row++;
        column = 0;
    }
    if (!settled) {
        Body b = sphere(0.4, 80);
        b.x = {half.x * across, -1.5, 0.6 * 2 * half.z * (row + 1)};
        b.v = {0.3, 12, 0};
        s.body.push_back(b);
    }
    s.plane = {{{0, 0, 1}, 0}};
    s.end = n < 500 ? 0.8 : 0.2;  // the ball strikes at 0.07
}

void pile(Scene& s, int n) {
    Random random = {1};
    const int side = n < 50 ? 2 : n < 500 ? 5 : 12;
    const double cell = 0.9;  // two boxes fit into it however they are turned
    for (int k = 0; k < n; k++) {
        const int layer = k / (side * side), i = k % (side * side);
        Body b = k % 2 == 0 ? sphere(random(0.2, 0.3), 8)
                            : box({random(0.12, 0.24), random(0.12, 0.24), random(0.12, 0.24)}, 8);
        b.x = {cell * (i % side + 0.5) + random(-0.03, 0.03), cell * (i / side + 0.5) + random(-0.03, 0.03),
               0.5 + cell * layer + random(-0.02, 0.02)};
        const V3 axis = {random(-1, 1), random(-1, 1), random(-1, 1)};
        b.q = turn(axis, random(0, 3));
        s.body.push_back(b);
    }
    const double edge = cell * side;
    s.plane = {{{0, 0, 1}, 0}, {{1, 0, 0}, 0}, {{-1, 0, 0}, -edge}, {{0, 1, 0}, 0}, {{0, -1, 0}, -edge}};
    s.end = n < 50 ? 1.2 : n < 500 ? 1.4 : 1.7;
}

void chains(Scene& s, int n) {
    const int links = 10;
    const double r = 0.1, l = 0.2, pitch = 2 * l;  // joints in the ends of the segments
    const double height = 2.4;                     // the chain is 4 m long: what is left of it lies on the floor
    for (int k = 0; k < n; k++) {
        const int chain = k / links, link = k % links, columns = 10;
        Body b = capsule(r, l, 30);
        b.q = turn({0, 1, 0}, pi / 2);  // its z along x
        const V3 hook = {5.0 * (chain / columns), 0.6 * (chain % columns), height};
        b.x = hook + V3{pitch * (link + 0.5), 0, 0};
        s.body.push_back(b);
        if (link == 0)
            s.joint.push_back({-1, k, hook, {0, 0, -l}});
        else
            s.joint.push_back({k - 1, k, {0, 0, l}, {0, 0, -l}});
    }
    s.plane = {{{0, 0, 1}, 0}};
    s.end = 1.5;
}

void towers(Scene& s, int n) {
    Random random = {2};
    const int storeys = 5;
    const V3 half = {0.3, 0.3, 0.2};
    for (int k = 0; k < n; k++) {
        const int tower = k / storeys, storey = k % storeys, columns = 15;
        Body b = box(half, 8);
        b.x = {1.5 * (tower % columns) + random(-0.03, 0.03), 1.5 * (tower / columns) + random(-0.03, 0.03),
               half.z + 0.02 + storey * (2 * half.z + 0.02)};
        b.q = turn({0, 0, 1}, random(-0.3, 0.3));
        s.body.push_back(b);
    }
    s.plane = {{{0, 0, 1}, 0}};
    s.end = 0.5;
}

}  // namespace

Scene make_scene(const std::string& name, int n, bool settled) {
    Scene s;
    s.name = name;
    if (name == "wall")
        wall(s, n, settled);
    else if (name == "pile")
        pile(s, n);
    else if (name == "chains")
        chains(s, n);
    else if (name == "towers")
        towers(s, n);
    else {
        fprintf(stderr, "race: no scene %s (wall, pile, chains, towers)\n", name.c_str());
        exit(2);
    }
    return s;
}
