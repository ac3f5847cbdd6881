// stiction.cpp: our world as an engine of the race.
//
//     tol=1e-10
#include <stiction/bodies.h>

#include "race.h"

namespace {

struct Stiction : Engine {
    Scene scene;
    sti_env* env = nullptr;
    sti_bodies* bodies = nullptr;
    sti_world* world = nullptr;
    std::vector<int> index;    // of each body of the scene
    std::vector<int> number;   // and back; -1: the floor
    std::vector<Quat> q_seen;  // where the bodies were when they were last asked for, and at which step
    long seen = -2;
    long unsolved = 0;
    double detect = 0, solve = 0, rest = 0;
    char why[240] = "";

    void must(sti_status status) {
        if (status == STI_OK) return;
        fprintf(stderr, "stiction: %s\n", sti_env_error(env)->text);
        exit(3);
    }
    void init(const Scene& s, const State& start, const Options& options) override {
        scene = s;
        if (sti_env_create(nullptr, &env) != STI_OK) exit(3);
        must(sti_bodies_create(env, 3, &bodies));
        const double g[3] = {0, 0, -s.g};
        sti_bodies_set_gravity(bodies, g);
        const sti_material material = {"all", s.mu, 0};
        int all = 0;
        must(sti_bodies_add_material(bodies, &material, &all));
        for (size_t i = 0; i < s.body.size(); i++) add(s.body[i], start, i, all);
        sti_body floor = sti_body_default();
        floor.name = "floor";
        floor.fixed = true;
        int ground = 0;
        must(sti_bodies_add(bodies, &floor, &ground));
        number.resize((size_t)ground + 1, -1);
        for (const Plane& p : s.plane) {
            sti_shape* shape = nullptr;
            const double n[3] = {p.n.x, p.n.y, p.n.z};
            must(sti_shape_create_halfspace(env, 3, n, p.offset, &shape));
            must(sti_bodies_add_shape(bodies, ground, shape, nullptr, all));
        }
        for (const Joint& j : s.joint) {
            sti_joint joint =
                sti_joint_default(STI_JOINT_SPHERICAL, j.a < 0 ? -1 : index[(size_t)j.a], index[(size_t)j.b]);
            joint.at_a.x[0] = j.p_a.x, joint.at_a.x[1] = j.p_a.y, joint.at_a.x[2] = j.p_a.z;
            joint.at_b.x[0] = j.p_b.x, joint.at_b.x[1] = j.p_b.y, joint.at_b.x[2] = j.p_b.z;
            must(sti_bodies_add_joint(bodies, &joint, nullptr));
        }
        sti_world_options o = sti_world_options_default();
        o.h = s.h;
        o.tol = options.number("tol", o.tol);
        must(sti_world_create(env, bodies, &o, &world));
    }
    void add(const Body& b, const State& start, size_t i, int material) {
        sti_body one = sti_body_default();
        one.pose = {{start.x[i].x, start.x[i].y, start.x[i].z},
                    {start.q[i].w, start.q[i].x, start.q[i].y, start.q[i].z}};
        one.v[0] = start.v[i].x, one.v[1] = start.v[i].y, one.v[2] = start.v[i].z;
        one.w[0] = start.w[i].x, one.w[1] = start.w[i].y, one.w[2] = start.w[i].z;
        one.density = 0;
        one.mass = b.mass;
        one.inertia[0] = b.inertia.x, one.inertia[4] = b.inertia.y, one.inertia[8] = b.inertia.z;
        int body = 0;
        must(sti_bodies_add(bodies, &one, &body));
        sti_shape* shape = nullptr;
        const double half[3] = {b.size.x, b.size.y, b.size.z};
        must(b.shape == Shape::sphere ? sti_shape_create_sphere(env, 3, b.size.x, &shape)
             : b.shape == Shape::box  ? sti_shape_create_box(env, 3, half, &shape)
                                      : sti_shape_create_capsule(env, 3, b.size.y, b.size.x, &shape));
        must(sti_bodies_add_shape(bodies, body, shape, nullptr, material));
        index.push_back(body);
        number.resize((size_t)body + 1, -1);
        number[(size_t)body] = (int)i;
    }
    ~Stiction() override {
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
        sti_env_destroy(env);
    }
    void step() override {
        sti_world_report report;
        must(sti_world_step(world, &report));
        detect += report.time_detect_s, solve += report.time_solve_s, rest += report.time_rest_s;
        if (!report.solved) unsolved++, snprintf(why, sizeof why, "%s", report.why);
    }
    // Angular velocities in the axes in which the step computed them: mending turns bodies a little afterwards.
    void state(State& out) override {
        out.resize(index.size());
        const long now = sti_world_steps(world);
        for (size_t i = 0; i < index.size(); i++) {
            sti_pose p;
            double v[3], w[3];
            sti_world_pose(world, index[i], &p);
            sti_world_velocity(world, index[i], v, w);
            out.x[i] = {p.x[0], p.x[1], p.x[2]};
            out.q[i] = {p.q[0], p.q[1], p.q[2], p.q[3]};
            out.v[i] = {v[0], v[1], v[2]};
            out.w[i] = {w[0], w[1], w[2]};
            if (seen + 1 == now) out.w[i] = rotate(q_seen[i], rotate(conj(out.q[i]), out.w[i]));
        }
        q_seen = out.q;
        seen = now;
    }
    void contacts(std::vector<Contact>& out) override {
        int count = 0;
        const sti_world_contact* all = sti_world_contacts(world, &count);
        out.clear();
        for (int k = 0; k < count; k++) {
            const sti_world_contact& from = all[k];
            Contact c;
            c.a = number[(size_t)from.a], c.b = number[(size_t)from.b];
            c.n = {from.n[0], from.n[1], from.n[2]};
            const V3 middle = {from.point[0], from.point[1], from.point[2]};
            c.point_a = middle + 0.5 * from.gap * c.n;
            c.point_b = middle - 0.5 * from.gap * c.n;
            const double* axis[3] = {from.n, from.t1, from.t2};
            for (int i = 0; i < 3; i++) c.impulse = c.impulse + from.r[i] * V3{axis[i][0], axis[i][1], axis[i][2]};
            if (c.a < 0) {
                std::swap(c.a, c.b);
                std::swap(c.point_a, c.point_b);
                c.n = -1.0 * c.n;
                c.impulse = -1.0 * c.impulse;
            }
            c.gap = from.gap;
            c.own = std::fmax(from.gap, 0) / scene.h * c.n;
            out.push_back(c);
        }
    }
    std::string note() override {
        char text[400];
        const double all = detect + solve + rest;
        snprintf(text, sizeof text, "detect %.0f%% solve %.0f%% rest %.0f%%", 100 * detect / all, 100 * solve / all,
                 100 * rest / all);
        return std::string(text) + (unsolved > 0 ? "; not solved " + std::to_string(unsolved) + " (" + why + ")" : "");
    }
};

}  // namespace

Engine* make_engine() {
    return new Stiction;
}
const char* engine_name() {
    return "stiction";
}
