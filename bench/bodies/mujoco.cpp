// mujoco.cpp: MuJoCo as an engine of the race.
//
//     solver=Newton|CG|PGS iters=100 tol=1e-8 stiff=0|1 noslip=0
//
// Elliptic cones. stiff: contacts as hard as the step allows (solref two steps, solimp 0.99 to 0.9999), otherwise
// MuJoCo's defaults. Chains are trees of ball joints in minimal coordinates, which is how MuJoCo wants them: they
// cannot drift.
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <algorithm>

#include "race.h"

namespace {

V3 from(const mjtNum* a) {
    return {a[0], a[1], a[2]};
}

struct Mujoco : Engine {
    Scene scene;
    mjModel* m = nullptr;
    mjData* d = nullptr;
    std::vector<int> id;      // of each body of the scene in the model
    std::vector<int> number;  // and back; -1: the world
    std::vector<int> parent;  // joint of each body, -1: free
    State last;

    static std::string word(const char* format, double a, double b = 0, double c = 0, double e = 0) {
        char text[200];
        snprintf(text, sizeof text, format, a, b, c, e);
        return text;
    }
    // Body i and what hangs on it. Its frame is that of the scene's start, relative to its parent's.
    std::string branch(size_t i, int above) {
        const Body& b = scene.body[i];
        V3 x = b.x;
        Quat q = b.q;
        if (above >= 0) {
            const Body& p = scene.body[(size_t)above];
            x = rotate(conj(p.q), x - p.x);
            q = conj(p.q) * q;
        }
        std::string s = "<body name='b" + std::to_string(i) + "'" + word(" pos='%.17g %.17g %.17g'", x.x, x.y, x.z) +
                        word(" quat='%.17g %.17g %.17g %.17g'>", q.w, q.x, q.y, q.z);
        if (parent[i] < 0)
            s += "<freejoint/>";
        else {
            const V3 at = scene.joint[(size_t)parent[i]].p_b;
            s += word("<joint type='ball' pos='%.17g %.17g %.17g'/>", at.x, at.y, at.z);
        }
        s += word("<inertial pos='0 0 0' mass='%.17g' ", b.mass) +
             word("diaginertia='%.17g %.17g %.17g'/>", b.inertia.x, b.inertia.y, b.inertia.z);
        s += b.shape == Shape::sphere ? word("<geom type='sphere' size='%.17g'/>", b.size.x)
             : b.shape == Shape::box ? word("<geom type='box' size='%.17g %.17g %.17g'/>", b.size.x, b.size.y, b.size.z)
                                     : word("<geom type='capsule' size='%.17g %.17g'/>", b.size.x, b.size.y);
        for (const Joint& j : scene.joint) {
            if (j.a == (int)i) s += branch((size_t)j.b, (int)i);
        }
        return s + "</body>";
    }
    void init(const Scene& s, const State& start, const Options& options) override {
        mju_user_warning = [](const char*) {
        };  // step() looks at the ones that matter; MuJoCo would print and write a log
        scene = s;
        const size_t n = s.body.size();
        parent.assign(n, -1);
        for (size_t k = 0; k < s.joint.size(); k++) parent[(size_t)s.joint[k].b] = (int)k;
        // Its buffers hold J, J' and the matrix A of all rows, dense, and are at most 2 GiB together.
        const double nv = (s.joint.empty() ? 6 : 3) * (double)n, rows = std::sqrt(nv * nv + 1.65e8) - nv;
        const int contacts = std::min(16 * (int)n + 60, (int)(rows / 3));
        const int stack = n < 500 ? 20000000 : 120000000;
        std::string x = "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81' cone='elliptic' jacobian='" +
                        std::string(n < 30 ? "dense" : "sparse") + "' solver='" + options.text("solver", "Newton") +
                        "' iterations='" + options.text("iters", "100") + "' tolerance='" +
                        options.text("tol", "1e-8") + "' noslip_iterations='" + options.text("noslip", "0") + "'" +
                        word(" timestep='%.17g'/>", s.h);
        x += "<size njmax='" + std::to_string(3 * contacts) + "' nconmax='" + std::to_string(contacts) + "' nstack='" +
             std::to_string(stack) + "'/>";
        x += word("<default><geom condim='3' friction='%.17g 0 0'", s.mu);
        if (options.number("stiff", 0) != 0) x += word(" solref='%.17g 1' solimp='0.99 0.9999 0.0001'", 2 * s.h);
        x += "/></default><worldbody>";
        for (const Plane& p : s.plane) {
            // its z along n
            const V3 z = {0, 0, 1}, at = p.offset * p.n;
            const Quat q = p.n.z > 0.5 ? Quat{} : turn(cross(z, p.n), 3.14159265358979323846 / 2);
            x += word("<geom type='plane' size='0 0 1' pos='%.17g %.17g %.17g'", at.x, at.y, at.z) +
                 word(" quat='%.17g %.17g %.17g %.17g'/>", q.w, q.x, q.y, q.z);
        }
        for (size_t i = 0; i < n; i++) {
            if (parent[i] < 0 || s.joint[(size_t)parent[i]].a < 0) x += branch(i, -1);
        }
        x += "</worldbody></mujoco>";
        load(x);
        id.resize(n);
        number.assign((size_t)m->nbody, -1);
        for (size_t i = 0; i < n; i++) {
            id[i] = mj_name2id(m, mjOBJ_BODY, ("b" + std::to_string(i)).c_str());
            number[(size_t)id[i]] = (int)i;
        }
        for (size_t i = 0; i < n; i++) place(i, start);
        mj_forward(m, d);
    }
    void load(const std::string& text) {
        char name[] = "/tmp/raceXXXXXX.xml", error[1000] = "";
        const int file = mkstemps(name, 4);
        if (file < 0 || write(file, text.data(), text.size()) != (ssize_t)text.size()) exit(3);
        close(file);
        m = mj_loadXML(name, nullptr, error, sizeof error);
        unlink(name);
        if (m != nullptr) d = mj_makeData(m);
        if (d != nullptr) return;
        fprintf(stderr, "mujoco: %s\n", error);
        exit(3);
    }
    void place(size_t i, const State& s) {
        const int joint = m->body_jntadr[id[i]];
        mjtNum *q = d->qpos + m->jnt_qposadr[joint], *v = d->qvel + m->jnt_dofadr[joint];
        V3 w = s.w[i];
        if (parent[i] < 0) {
            q[0] = s.x[i].x, q[1] = s.x[i].y, q[2] = s.x[i].z;
            v[0] = s.v[i].x, v[1] = s.v[i].y, v[2] = s.v[i].z;
            q += 3, v += 3;
            q[0] = s.q[i].w, q[1] = s.q[i].x, q[2] = s.q[i].y, q[3] = s.q[i].z;
        } else {
            const int a = scene.joint[(size_t)parent[i]].a;
            const Quat q0 = a < 0 ? scene.body[i].q : conj(scene.body[(size_t)a].q) * scene.body[i].q;
            const Quat now = a < 0 ? s.q[i] : conj(s.q[(size_t)a]) * s.q[i], r = conj(q0) * now;
            q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
            if (a >= 0) w = w - s.w[(size_t)a];
        }
        const V3 local = rotate(conj(s.q[i]), w);
        v[0] = local.x, v[1] = local.y, v[2] = local.z;
    }
    ~Mujoco() override {
        if (d != nullptr) mj_deleteData(d);
        if (m != nullptr) mj_deleteModel(m);
    }
    void step() override {
        mj_step(m, d);
        for (const int bad : {mjWARN_CONTACTFULL, mjWARN_CNSTRFULL}) {
            if (d->warning[bad].number == 0) continue;
            fprintf(stderr, "more contacts than its buffers of 2 GiB hold\n");
            exit(3);
        }
    }
    // Positions and velocities after the step: those of the bodies follow from the coordinates.
    void state(State& out) override {
        mj_kinematics(m, d);
        mj_comPos(m, d);
        mj_comVel(m, d);
        out.resize(id.size());
        for (size_t i = 0; i < id.size(); i++) {
            mjtNum v[6];
            mj_objectVelocity(m, d, mjOBJ_BODY, id[i], v, 0);
            const mjtNum* q = d->xquat + 4 * id[i];
            out.x[i] = from(d->xpos + 3 * id[i]);
            out.q[i] = {q[0], q[1], q[2], q[3]};
            out.w[i] = from(v);
            out.v[i] = from(v + 3);
        }
        last = out;
    }
    // MuJoCo's own law: u+ - (u0 + h aref) + h R f is complementary to f, with u0 before the step; J v gives both.
    void contacts(std::vector<Contact>& out) override {
        out.clear();
        std::vector<mjtNum> after((size_t)d->nefc + 1), before((size_t)d->nefc + 1), v((size_t)m->nv);
        for (int i = 0; i < m->nv; i++) v[(size_t)i] = d->qvel[i] - m->opt.timestep * d->qacc[i];
        mj_mulJacVec(m, d, before.data(), v.data());
        for (int k = 0; k < d->ncon; k++) {
            const mjContact& p = d->contact[k];
            if (p.efc_address < 0) continue;
            mjtNum f[6];
            mj_contactForce(m, d, k, f);
            const V3 axis[3] = {from(p.frame), from(p.frame + 3), from(p.frame + 6)};
            Contact c;
            c.a = number[(size_t)m->geom_bodyid[p.geom2]], c.b = number[(size_t)m->geom_bodyid[p.geom1]];
            double sign = 1;
            if (c.a < 0) std::swap(c.a, c.b), sign = -1;
            c.n = sign * axis[0];
            c.point_a = c.point_b = from(p.pos);
            c.gap = p.dist;
            for (int r = 0; r < 3; r++) {
                const int e = p.efc_address + r;
                c.impulse = c.impulse + (sign * scene.h * f[r]) * axis[r];
                const double target = before[(size_t)e] + scene.h * d->efc_aref[e];
                c.own = c.own + (sign * (-target + scene.h * d->efc_R[e] * d->efc_force[e])) * axis[r];
            }
            out.push_back(c);
        }
    }
    std::string note() override { return std::to_string(d->solver_iter) + " iterations in the last step"; }
};

}  // namespace

Engine* make_engine() {
    return new Mujoco;
}
const char* engine_name() {
    return "mujoco";
}
