// race.h: scenes of rigid bodies that every engine runs, and what an engine has to say after a step.
//
//     wall       bricks in bond on a floor; a ball hits the wall (dynamic), or nobody does (settled)
//     pile       spheres and boxes dropped into a box of five planes
//     chains     chains of ten capsules on ball joints, held at one end, fall from the horizontal onto the floor
//     towers     separate towers of five boxes, dropped through small gaps
//
// Units are metres, kilograms, seconds; bodies measure 0.2 to 1 m, so that absolute margins of an engine suit them.
// No restitution, no damping, no sleeping. Everything is made from a seed by splitmix64.
#ifndef RACE_H
#define RACE_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

struct V3 {
    double x = 0, y = 0, z = 0;
};
inline V3 operator+(V3 a, V3 b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline V3 operator-(V3 a, V3 b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline V3 operator*(double s, V3 a) {
    return {s * a.x, s * a.y, s * a.z};
}
inline double dot(V3 a, V3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline V3 cross(V3 a, V3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(V3 a) {
    return std::sqrt(dot(a, a));
}

struct Quat {
    double w = 1, x = 0, y = 0, z = 0;
};
inline Quat operator*(Quat a, Quat b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
inline Quat conj(Quat q) {
    return {q.w, -q.x, -q.y, -q.z};
}
inline V3 rotate(Quat q, V3 p) {
    const V3 u = {q.x, q.y, q.z}, t = 2.0 * cross(u, p);
    return p + q.w * t + cross(u, t);
}
inline Quat turn(V3 axis, double angle) {
    const double s = std::sin(angle / 2) / norm(axis);
    return {std::cos(angle / 2), s * axis.x, s * axis.y, s * axis.z};
}

enum class Shape { sphere, box, capsule };

struct Body {
    Shape shape;
    V3 size;  // radius; half edges; radius and half length of the segment, along z
    double mass;
    V3 inertia;  // about the centre, which is the origin
    V3 x, v, w;  // w in world axes
    Quat q;
};

struct Joint {  // a ball joint: the points p_a of a and p_b of b coincide; a = -1: a point of the world
    int a, b;
    V3 p_a, p_b;
};

struct Plane {  // n'x <= offset is solid
    V3 n;
    double offset;
};

struct Scene {
    std::string name;
    double h = 0.005, g = 9.81, mu = 0.5;
    double end = 1;  // of the dynamic phase
    std::vector<Body> body;
    std::vector<Joint> joint;
    std::vector<Plane> plane;
};

struct State {
    std::vector<V3> x, v, w;  // w in world axes
    std::vector<Quat> q;
    void resize(size_t n) { x.resize(n), v.resize(n), w.resize(n), q.resize(n); }
};

struct Contact {
    int a, b;             // b = -1: a plane
    V3 n;                 // from b to a
    V3 point_a, point_b;  // where the engine lets the impulse act
    V3 impulse;           // on a
    V3 own;               // what the engine adds to u in its own law: stabilization, softness
    double gap = 0;       // at the beginning of the step
};

struct Options {  // name=value
    std::vector<std::string> words;
    bool has(const char* name) const { return find(name) != nullptr; }
    double number(const char* name, double otherwise) const {
        const char* text = find(name);
        return text == nullptr ? otherwise : atof(text);
    }
    std::string text(const char* name, const char* otherwise) const {
        const char* text = find(name);
        return text == nullptr ? otherwise : text;
    }

   private:
    const char* find(const char* name) const {
        const std::string head = std::string(name) + "=";
        for (const auto& word : words) {
            if (word.compare(0, head.size(), head) == 0) return word.c_str() + head.size();
        }
        return nullptr;
    }
};

struct Engine {
    virtual ~Engine() {}
    virtual void init(const Scene& scene, const State& start, const Options& options) = 0;
    virtual void step() = 0;
    virtual void state(State& out) = 0;
    virtual void contacts(std::vector<Contact>& out) = 0;  // of the last step
    virtual std::string note() { return ""; }
};

Engine* make_engine();
const char* engine_name();

Scene make_scene(const std::string& name, int n, bool settled);

#endif
